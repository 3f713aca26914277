//! Compares how the runtimes read one message of a session.
//!
//! Each parser of a dialect reads the message according to its profile. Equal outcomes form a group, and each group's
//! differences from the first one are marked down to single values.

pub mod fact;
pub mod matrix;
pub mod message;
mod reason;
pub mod stream;
pub mod upgrade;

use crate::diagnostic::Code;
use crate::runtime::catalog::{self, ParserRelease};
use crate::runtime::{
    self, AnswerReading, AppliedSetting, Outcome, Reason, RequestSettings, RuntimeName, RuntimeReading, ToolRequest,
    conformance,
};
use crate::text::Span;
use crate::value::schema::Schemas;

pub use fact::{FactPlace, FactState, OutcomeFact};
pub use message::{MessageDialects, MessageText};

/// Selection of the parsers that read a message.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ParserChoice {
    /// Dialects; if empty, the dialects of the message.
    pub dialects: Vec<String>,
    /// Runtimes, or single parsers of them; if empty, all.
    pub runtimes: Vec<RuntimeName>,
    /// Treatment of parsers with approximate profiles that are not named in `runtimes`.
    pub approximate: Approximate,
}

impl ParserChoice {
    /// The request to pass to the parsers, and the dialects to read a message in.
    fn prepared(
        &self,
        message: &MessageText,
        request: &ToolRequest,
        is_cancelled: impl Fn() -> bool,
    ) -> (ToolRequest, MessageDialects) {
        let request = request_for(message, request);
        let dialects = self.dialects_of(message, &request, is_cancelled);
        let assumed = assumed_of_outcomes(message, &dialects.detected, &request);
        (assumed.unwrap_or(request), dialects)
    }

    /// The dialects to read a message in.
    fn dialects_of(
        &self,
        message: &MessageText,
        request: &ToolRequest,
        is_cancelled: impl Fn() -> bool,
    ) -> MessageDialects {
        if self.dialects.is_empty() {
            // A user who names a runtime knows what its model writes.
            return message.dialects(request, self.runtimes.is_empty(), is_cancelled);
        }
        let named = |name: &String| catalog::dialects().find(|known| known == name);
        MessageDialects { detected: self.dialects.iter().filter_map(named).collect(), others: Vec::new() }
    }
}

/// Treatment of parsers whose profiles are approximate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Approximate {
    /// They are included.
    #[default]
    Ask,
    /// They are skipped unless named.
    Skip,
}

/// A parser's reading of the message.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct LensRow {
    /// The parser and its release.
    pub parser: ParserRelease,
    /// Its outcome, with reasons.
    pub reading: RuntimeReading,
    /// The settings of the request that matter for it, and the assumed ones.
    pub settings: Vec<AppliedSetting>,
    /// False if the effect of a setting was not read in the sources of the release.
    pub(crate) is_certain: bool,
    /// Its possible outcome if the message is streamed, if different.
    pub streamed: Option<Outcome>,
    /// The outcome of a server that uses the parser, if different.
    pub served: Option<Outcome>,
    /// The assumed state of thinking in the prompt, if the request does not state it and the outcome depends on it.
    pub thinking: Option<bool>,
    /// Index of its group.
    pub(crate) group: usize,
}

impl LensRow {
    /// Runtime and parser, as written everywhere: `vllm:hermes`.
    pub fn name(&self) -> String {
        self.parser.name().to_string()
    }

    /// True if the outcome is not reliable: the profile is approximate, or the effect of a setting is.
    pub fn is_approximate(&self) -> bool {
        !self.is_certain || conformance::is_approximate(&self.parser)
    }
}

/// Parsers with equal outcomes.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Group {
    /// Indexes of their rows.
    pub rows: Vec<usize>,
    /// Facts of their outcome, compared with the first group's.
    pub facts: Vec<OutcomeFact>,
}

/// The readings of one message by the runtimes.
#[derive(Clone, Debug, Default)]
pub struct Lens {
    /// The dialects whose parsers read the message.
    pub dialects: Vec<&'static str>,
    /// Other dialects that match the message as well.
    pub others: Vec<&'static str>,
    /// The request passed to the parsers; if no tools are known, with tools inferred from the calls.
    pub request: ToolRequest,
    /// One row for each parser, in the order of the dialects and runtimes.
    pub rows: Vec<LensRow>,
    /// The rows grouped by outcome: groups with calls first, errors last, larger ones before smaller ones.
    pub groups: Vec<Group>,
    length: usize,
}

impl Lens {
    /// Reads a message with the selected parsers.
    pub fn new(message: &MessageText, request: &ToolRequest, wanted: &ParserChoice) -> Self {
        Self::new_unless(message, request, wanted, || false).unwrap_or_default()
    }

    /// Like [`Self::new`], but returns `None` if `is_cancelled` returns true before a parser runs.
    pub fn new_unless(
        message: &MessageText,
        request: &ToolRequest,
        wanted: &ParserChoice,
        is_cancelled: impl Fn() -> bool,
    ) -> Option<Self> {
        let (request, found) = wanted.prepared(message, request, &is_cancelled);
        let MessageDialects { detected: dialects, others } = found;
        let thinking = [true, false].map(|on| with_thinking(&request, on));
        let rows: Option<Vec<LensRow>> = dialects
            .iter()
            .flat_map(|dialect| catalog::named(dialect, &wanted.runtimes))
            .filter(|parser| {
                let is_named = |name: &RuntimeName| name.parser.as_deref() == Some(parser.parser);
                let is_asked = wanted.approximate == Approximate::Ask;
                // With thinking on, a text without the end of its thinking is nothing else.
                let fits = request.settings.thinking == Some(true) || !parser.thinks();
                let is_reliable = is_asked || !conformance::is_approximate(parser);
                wanted.runtimes.iter().any(is_named) || (fits && is_reliable)
            })
            .map(|parser| {
                if is_cancelled() {
                    return None;
                }
                let read = |request| runtime::read_answer(&parser, &message.text, request);
                let AnswerReading { reading, settings, is_certain } = read(&request);
                // Streamed and served outcomes are known for the usual settings only.
                let is_usual = !settings.iter().any(|setting| setting.effect.changes_outcome());
                let streamed = runtime::read_streamed(parser.profile, &message.text, &request).filter(|_| is_usual);
                let streamed = streamed.map(|reading| reading.outcome).filter(|other| *other != reading.outcome);
                let is_newest = *parser.release == parser.profile.releases[0];
                let served = runtime::read_served(parser.profile, parser.parser, &message.text, &request);
                let served = served
                    .filter(|_| is_newest && is_usual)
                    .map(|reading| reading.outcome)
                    .filter(|other| *other != reading.outcome);
                let depends = request.settings.thinking.is_none() && parser.profile.whole.grammar.depends_on_thinking();
                let [on, off] = thinking.each_ref().map(|request| depends.then(|| read(request).reading.outcome));
                let thinking = (on != off).then(|| on.as_ref() == Some(&reading.outcome));
                Some(LensRow { parser, reading, settings, is_certain, streamed, served, thinking, group: 0 })
            })
            .collect();
        let mut rows = rows?;
        let groups = group(&mut rows);
        for group in groups.iter().skip(1) {
            let more = reason::reasons(&message.text, &groups[0], group, &rows);
            for &row in &group.rows {
                let own: Vec<Reason> = more.iter().map(|more| reason::from_stop(&rows[row].reading, *more)).collect();
                rows[row].reading.reasons.extend(own);
            }
        }
        for (row, reason) in reason::losses(&message.text, &groups, &rows) {
            rows[row].reading.reasons.push(reason);
        }
        Some(Self { dialects, others, request, rows, groups, length: message.text.len() })
    }

    /// The first difference between groups other than whitespace around text; `None` if there is none.
    pub(crate) fn difference(&self) -> Option<Difference> {
        let (first, others) = self.groups.split_first()?;
        let outcome = |group: &Group| &self.rows[group.rows[0]].reading.outcome;
        let second = others.iter().find(|group| !is_alike(outcome(first), outcome(group)))?;
        let reasons = second.rows.iter().chain(&first.rows).flat_map(|&row| &self.rows[row].reading.reasons);
        let reason = reasons.copied().next();
        let who = |group: &Group| {
            let name = self.rows[group.rows[0]].name();
            let others = group.rows.len() - 1;
            if others == 0 { format!("{name} returns") } else { format!("{name} and {others} more return") }
        };
        let [what, other] = [first, second].map(|group| summary(&self.rows[group.rows[0]].reading.outcome));
        let [what, other] = if what == other { fact::differing(&second.facts, &first.facts) } else { [what, other] };
        let span = reason.map(|reason| reason.span);
        let span = span.filter(|span| !span.is_empty()).unwrap_or_else(|| Span::new(0, self.length));
        Some(Difference {
            span,
            words: format!("{} {what}; {} {other}", who(first), who(second)),
            help: &reason.map_or(Code::NotPortable, |reason| reason.code).info().help,
        })
    }
}

/// True if two outcomes differ at most in whitespace around their texts.
fn is_alike(one: &Outcome, other: &Outcome) -> bool {
    let trimmed = |text: &Option<String>| text.as_deref().unwrap_or_default().trim().to_owned();
    let texts = |outcome: &Outcome| [&outcome.content, &outcome.reasoning].map(trimmed);
    one.calls == other.calls && one.error == other.error && texts(one) == texts(other)
}

/// A difference between two groups of parsers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Difference {
    /// Span in the message that it is about.
    pub(crate) span: Span,
    /// Description of both outcomes.
    pub(crate) words: String,
    /// Advice on how to avoid the difference.
    pub(crate) help: &'static str,
}

/// Short description of an outcome: an error, the calls by their names, or no call.
fn summary(outcome: &Outcome) -> String {
    if outcome.error.is_some() {
        return "an error".to_owned();
    }
    let calls: Vec<&str> =
        outcome.calls.iter().map(|call| call.name.as_deref().unwrap_or("a call without a name")).collect();
    match calls.len() {
        0 => "no call".to_owned(),
        1 => format!("a call of {}", calls[0]),
        count => format!("{count} calls: {}", calls.join(", ")),
    }
}

/// Groups rows by outcome.
fn group(rows: &mut [LensRow]) -> Vec<Group> {
    let mut sets: Vec<Vec<usize>> = Vec::new();
    for number in 0..rows.len() {
        let outcome = &rows[number].reading.outcome;
        match sets.iter_mut().find(|set| rows[set[0]].reading.outcome == *outcome) {
            Some(set) => set.push(number),
            None => sets.push(vec![number]),
        }
    }
    // Prefers groups with calls to larger groups without, and text to errors.
    sets.sort_by_key(|set| {
        let outcome = &rows[set[0]].reading.outcome;
        std::cmp::Reverse((!outcome.calls.is_empty(), outcome.error.is_none(), set.len()))
    });
    let base = sets.first().map(|set| rows[set[0]].reading.outcome.clone()).unwrap_or_default();
    let mut groups = Vec::with_capacity(sets.len());
    for (number, set) in sets.into_iter().enumerate() {
        let facts = fact::compare(&base, &rows[set[0]].reading.outcome);
        for &row in &set {
            rows[row].group = number;
        }
        groups.push(Group { rows: set, facts });
    }
    groups
}

/// The request to pass to parsers; if its tools are unknown, they are inferred from the calls in the message.
fn request_for(message: &MessageText, request: &ToolRequest) -> ToolRequest {
    if request.tools.is_some() || message.calls.is_empty() {
        return request.clone();
    }
    let calls = message.calls.iter().map(|(name, arguments)| (name.as_str(), arguments));
    ToolRequest { settings: request.settings.clone(), ..ToolRequest::assumed(calls) }
}

/// The same request with thinking on or off.
fn with_thinking(request: &ToolRequest, is_on: bool) -> ToolRequest {
    let settings = RequestSettings { thinking: Some(is_on), ..request.settings.clone() };
    ToolRequest { settings, ..request.clone() }
}

/// Infers tools from the calls that a parser delivers without any, if neither tools nor calls are known. This is the
/// case for a notation that is read only if it is named.
fn assumed_of_outcomes(message: &MessageText, dialects: &[&'static str], request: &ToolRequest) -> Option<ToolRequest> {
    if request.tools.is_some() {
        return None;
    }
    let profiles = dialects.iter().flat_map(|dialect| catalog::of_dialect(dialect));
    let outcomes = profiles.map(|profile| runtime::read(profile, &message.text, request).outcome);
    let most = outcomes.max_by_key(|outcome| outcome.calls.len()).filter(|outcome| !outcome.calls.is_empty())?;
    let calls = most.calls.iter().filter_map(|call| Some((call.name.as_deref()?, call.arguments.to_json())));
    Some(ToolRequest { settings: request.settings.clone(), ..ToolRequest::assumed(calls) })
}

/// The request with the tools of a schema file.
pub fn request_of(schemas: Option<&Schemas>) -> ToolRequest {
    schemas.map(|schemas| ToolRequest::with(schemas.tools().clone())).unwrap_or_default()
}
