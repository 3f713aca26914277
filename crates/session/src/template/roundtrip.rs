//! The round trip of a template: whether the parsers of runtimes read from a turn what was put into it.
//!
//! A conversation that ends with calls is rendered, the model's turn is taken from the prompt ([`super::assistant`]), and each
//! parser of its dialect reads it. The dialect is detected in the turn alone; where no parser reads the calls, the ends of the
//! generation prompt are tried before the turn (the parsers of gpt-oss see `<|start|>assistant`), and then the parsers of all
//! dialects that find calls with the same names (JSON without markers belongs to several).

mod comparison;
mod parser;

use serde_json::{Map, Value};

use super::RenderOptions;
use super::assistant::{AssistantTurn, TurnRenderer};
use super::conversation::Conversation;
use super::engine::Engine;
use super::failure::TemplateFailure;
use super::on_large_stack;
use super::probes::TemplateProbe;
use super::source::ChatTemplate;
use crate::diagnostic::Code;

pub use comparison::{TurnCall, TurnContent, TurnDifference};
pub use parser::TurnParsers;

/// The probes that are tried unless others are chosen. The first two decide whether a template's calls are readable.
pub const ROUND_TRIP_PROBES: [&str; 8] =
    ["single", "parallel", "content_call", "reasoning", "values", "no_args", "content_none", "args_string"];

/// Longest turn that parsers read, in bytes.
const LONGEST_TURN: usize = 1 << 20;

/// A parser of a runtime, of the model's directory, or of this program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ParserKind {
    /// The `response_template` in the model's directory.
    Declared,
    /// A parser of a runtime.
    Runtime,
    /// The dialects of this program.
    BuiltIn,
}

/// A parser's reading of a turn.
#[derive(Debug, Clone, PartialEq)]
pub struct ParserVerdict {
    /// Name as on the command line, such as `vllm:hermes`.
    pub parser: String,
    /// Kind of the parser.
    pub kind: ParserKind,
    /// Dialect that it reads, if it is a parser of a runtime.
    pub dialect: Option<&'static str>,
    /// The differences between what was put in and what it delivers; empty if it is exact.
    pub differences: Vec<TurnDifference>,
    /// Codes of the rules that led to its reading, if it differs.
    pub reasons: Vec<Code>,
}

impl ParserVerdict {
    /// True if the parser delivers the calls with the same names, arguments and types.
    #[must_use]
    pub fn reads_calls(&self) -> bool {
        !self.differences.iter().any(TurnDifference::is_of_calls)
    }

    /// True if calls, text and reasoning are the same.
    #[must_use]
    pub fn is_exact(&self) -> bool {
        self.differences.is_empty()
    }
}

/// The reading of one conversation's turn.
#[derive(Debug, Clone, PartialEq)]
pub struct TurnReading {
    /// The turn as the template writes it.
    pub turn: AssistantTurn,
    /// The part of the message that the turn shows.
    pub shown: TurnContent,
    /// Parts of the message that the template leaves out, as words for a list: `a call`, `the text`, `the reasoning`.
    pub losses: Vec<&'static str>,
    /// The text before the turn that the parsers got; empty if they read the turn alone.
    pub opening: String,
    /// The dialects whose parsers were chosen.
    pub dialects: Vec<&'static str>,
    /// The parsers, the declared one first.
    pub parsers: Vec<ParserVerdict>,
}

impl TurnReading {
    /// Parsers of runtimes and of the directory; this program's own is not among them.
    pub fn of_runtimes(&self) -> impl Iterator<Item = &ParserVerdict> {
        self.parsers.iter().filter(|verdict| verdict.kind != ParserKind::BuiltIn)
    }

    /// True if the turn shows a call.
    #[must_use]
    pub fn shows_calls(&self) -> bool {
        !self.shown.calls.is_empty()
    }

    /// True if a parser reads all calls of the turn exactly.
    #[must_use]
    pub fn is_readable(&self) -> bool {
        self.parsers.iter().any(ParserVerdict::reads_calls)
    }

    /// The reason that no parser reads the calls, as a clause; `None` if one does.
    #[must_use]
    pub fn unreadable_reason(&self) -> Option<String> {
        if self.is_readable() || !self.shows_calls() {
            return None;
        }
        let own = self.parsers.iter().filter(|verdict| verdict.kind == ParserKind::BuiltIn);
        // The reading that comes closest says most.
        let nearest = self.of_runtimes().chain(own).min_by_key(|verdict| comparison::distance(&verdict.differences));
        let cause = comparison::cause(self.turn.text(), &self.shown);
        let cause = cause.map(|cause| format!("; {cause}")).unwrap_or_default();
        let Some(nearest) = nearest.filter(|nearest| !comparison::is_nothing_read(&nearest.differences)) else {
            let excerpt = comparison::excerpt(self.turn.text(), &self.shown);
            return Some(format!("no parser finds a call in {excerpt}{cause}"));
        };
        let difference = nearest.differences.iter().find(|difference| difference.is_of_calls());
        let words = difference.map(ToString::to_string).unwrap_or_default();
        Some(format!("{} reads {words}{cause}", nearest.parser))
    }
}

/// The round trip of one probe.
#[derive(Debug, Clone, PartialEq)]
pub struct ProbeRoundTrip {
    /// Name of the probe, or of the file with the messages.
    pub probe: String,
    /// The reading, or the reason that the template does not write the turn.
    pub outcome: Result<TurnReading, TemplateFailure>,
}

impl ProbeRoundTrip {
    /// True if the turn shows calls and no parser reads them.
    #[must_use]
    pub fn is_unreadable(&self) -> bool {
        self.outcome.as_ref().is_ok_and(|reading| reading.shows_calls() && !reading.is_readable())
    }
}

/// Reads the turns of several conversations, each with its name.
///
/// # Errors
///
/// The template is not valid, or rendering takes too long.
pub fn round_trip(
    template: &ChatTemplate,
    special_tokens: &Map<String, Value>,
    options: &RenderOptions,
    conversations: &[(String, Conversation)],
    parsers: &TurnParsers,
) -> Result<Vec<ProbeRoundTrip>, TemplateFailure> {
    let turns = {
        let (template, special_tokens, options) = (template.clone(), special_tokens.clone(), options.clone());
        let conversations: Vec<Conversation> =
            conversations.iter().map(|(_, conversation)| up_to_answer(conversation)).collect();
        let file = template.file.clone();
        on_large_stack(&file, move || {
            let engine = Engine::new(&template.file, &template.source, options.now)?;
            let renderer = TurnRenderer::new(&engine, &special_tokens, &options);
            Ok(conversations
                .into_iter()
                .map(|conversation| (renderer.turn(&conversation), conversation))
                .collect::<Vec<_>>())
        })?
    };
    let named = conversations.iter().zip(turns);
    let read = named.map(|((name, _), (turn, conversation))| ProbeRoundTrip {
        probe: name.clone(),
        outcome: turn.map(|turn| read_turn(turn, &conversation, parsers)),
    });
    Ok(read.collect())
}

/// Reads the turns of the built-in probes of these names; of all usual ones, if there are no names.
///
/// # Errors
///
/// The template is not valid, or rendering takes too long.
pub fn round_trip_probes(
    template: &ChatTemplate,
    special_tokens: &Map<String, Value>,
    options: &RenderOptions,
    names: &[&str],
    parsers: &TurnParsers,
) -> Result<Vec<ProbeRoundTrip>, TemplateFailure> {
    let names = if names.is_empty() { &ROUND_TRIP_PROBES } else { names };
    let probes = names.iter().filter_map(|name| TemplateProbe::named(name));
    let conversations: Vec<(String, Conversation)> =
        probes.map(|probe| (probe.name.clone(), probe.conversation())).collect();
    round_trip(template, special_tokens, options, &conversations, parsers)
}

/// Reads a turn that was rendered for the last message of a conversation.
#[must_use]
pub fn read_turn(turn: AssistantTurn, conversation: &Conversation, parsers: &TurnParsers) -> TurnReading {
    let message = conversation.messages.last().cloned().unwrap_or_default();
    let content = TurnContent::of_message(&message);
    let text = if turn.range.len() > LONGEST_TURN { "" } else { turn.text() };
    let (shown, losses) = content.shown_in(text);
    let readings = parsers.read(&turn, text, &shown, conversation);
    TurnReading {
        shown,
        losses,
        opening: readings.opening,
        dialects: readings.dialects,
        parsers: readings.verdicts,
        turn,
    }
}

/// The conversation up to its last answer with calls, or its last answer.
fn up_to_answer(conversation: &Conversation) -> Conversation {
    let mut conversation = conversation.clone();
    let is_answer = |message: &Value| message["role"] == "assistant";
    let has_calls = |message: &Value| message["tool_calls"].as_array().is_some_and(|calls| !calls.is_empty());
    let messages = &conversation.messages;
    let last = messages.iter().rposition(|message| is_answer(message) && has_calls(message));
    if let Some(last) = last.or_else(|| messages.iter().rposition(is_answer)) {
        conversation.messages.truncate(last + 1);
    }
    conversation
}
