//! The parsers that read a turn: chosen by detection, by what they find in it, and by the user.

use std::sync::Arc;

use serde_json::Value;

use super::super::assistant::AssistantTurn;
use super::super::conversation::Conversation;
use super::super::tokens::TokenFacts;
use super::comparison::{DeliveredTurn, TurnContent, TurnDifference, distance};
use super::{ParserKind, ParserVerdict};
use crate::compare::facts;
use crate::container::Container;
use crate::diagnostic::Diagnostic;
use crate::dialect::Options;
use crate::dialect::declared::{self, Declaration};
use crate::document::{Item, ItemType};
use crate::runtime::answer::skips_special_tokens;
use crate::runtime::catalog;
use crate::runtime::{self, Outcome, RuntimeName, ToolRequest};
use crate::session::Session;
use crate::value::schema::Schemas;
use crate::value::tools::ToolSet;

/// Dialects that several model families share, so that they do not determine the parsers.
const SHARED: [&str; 3] = ["function", "invoke", "native"];

/// Name of this program's own reading in lists of parsers.
const OWN: &str = "transcope";

/// Name of the directory's own parser in lists of parsers.
const DECLARED: &str = "response_template";

/// The parsers that the user chose.
#[derive(Debug, Clone, Default)]
pub struct TurnParsers {
    /// Runtimes, or single parsers of them; if empty, all.
    pub runtimes: Vec<RuntimeName>,
    /// The parser that the model's directory declares.
    pub declared: Option<Arc<Declaration>>,
    /// The tokens of the model: some parsers get a turn without its special tokens.
    pub tokens: Option<TokenFacts>,
}

/// The readings of a turn by the parsers that fit.
#[derive(Debug, Default)]
pub(super) struct Readings {
    pub(super) opening: String,
    pub(super) dialects: Vec<&'static str>,
    pub(super) verdicts: Vec<ParserVerdict>,
}

impl Readings {
    /// Number of parsers that read all calls.
    fn reads_calls(&self) -> usize {
        self.verdicts.iter().filter(|verdict| verdict.reads_calls()).count()
    }

    /// Size of the differences of the nearest reading.
    fn distance(&self) -> usize {
        self.verdicts.iter().map(|verdict| distance(&verdict.differences)).min().unwrap_or(usize::MAX)
    }
}

/// A turn with the conversation's tools.
struct Question<'a> {
    /// Text of the turn, without the opening before it.
    text: &'a str,
    shown: &'a TurnContent,
    request: ToolRequest,
    schemas: Option<Arc<Schemas>>,
}

impl TurnParsers {
    /// The parser that a `tokenizer_config.json` declares; `None` if it declares none.
    ///
    /// # Errors
    ///
    /// Its `response_template` is not valid: the first problem of it.
    pub fn declared_in(config: &str) -> Result<Option<Arc<Declaration>>, String> {
        let json: Value = serde_json::from_str(config).unwrap_or_default();
        if json.get(DECLARED).is_none_or(Value::is_null) {
            return Ok(None);
        }
        let first = |problems: Vec<Diagnostic>| problems.into_iter().next().map(|problem| problem.message);
        let read = declared::read(config, DECLARED);
        read.map(|declaration| Some(Arc::new(declaration))).map_err(|problems| first(problems).unwrap_or_default())
    }

    /// Reads a turn, whose text may be shortened.
    pub(super) fn read(
        &self,
        turn: &AssistantTurn,
        text: &str,
        shown: &TurnContent,
        conversation: &Conversation,
    ) -> Readings {
        let list = conversation.tools.clone().unwrap_or_default();
        let called = shown.calls.iter().map(|call| (call.name.as_str(), &call.arguments));
        let request =
            if list.is_empty() { ToolRequest::assumed(called) } else { ToolRequest::with(ToolSet::from_list(&list)) };
        let schemas = Schemas::parse("tools", Value::Array(list).to_string().as_bytes()).ok().map(Arc::new);
        let question = Question { text, shown, request, schemas };
        let openings = || [""].into_iter().chain(turn.openings());
        let mut readings = self.of_runtimes(&question, openings);
        let own = Options { schemas: question.schemas.clone(), ..Options::default() };
        readings.verdicts.push(question.own(ParserKind::BuiltIn, OWN, &own, openings()));
        if let Some(declared) = &self.declared {
            let options = Options {
                only: vec![declared.info],
                declared: vec![Arc::clone(declared)],
                schemas: question.schemas.clone(),
                ..Options::default()
            };
            readings.verdicts.insert(0, question.own(ParserKind::Declared, DECLARED, &options, openings()));
        }
        readings
    }

    /// The readings of the runtimes' parsers: of the detected dialects, else of all that find the calls; for the turn alone, else
    /// after an opening.
    fn of_runtimes<'o, I: Iterator<Item = &'o str>>(
        &self,
        question: &Question<'_>,
        openings: impl Fn() -> I,
    ) -> Readings {
        let mut nearest: Option<Readings> = None;
        for choose in [Question::detected, Question::accepting] {
            let mut best: Option<Readings> = None;
            for opening in openings() {
                let text = format!("{opening}{}", question.text);
                let dialects = choose(question, &text);
                let verdicts = self.verdicts(question, &text, &dialects);
                let readings = Readings { opening: opening.to_owned(), dialects, verdicts };
                let count = readings.reads_calls();
                if count > best.as_ref().map_or(0, Readings::reads_calls) {
                    best = Some(readings);
                } else if count == 0 && nearest.as_ref().is_none_or(|nearest| readings.distance() < nearest.distance())
                {
                    nearest = Some(readings);
                }
                // An opening is only for parsers that cannot do without it.
                if opening.is_empty() && best.is_some() {
                    break;
                }
            }
            if let Some(mut best) = best {
                if !best.opening.is_empty() {
                    self.ask_without_opening(question, &mut best);
                }
                return best;
            }
        }
        nearest.unwrap_or_default()
    }

    /// Some parsers add the opening themselves, and read the turn alone.
    fn ask_without_opening(&self, question: &Question<'_>, readings: &mut Readings) {
        let alone = self.verdicts(question, question.text, &readings.dialects);
        for (verdict, alone) in readings.verdicts.iter_mut().zip(alone) {
            if !verdict.reads_calls() && alone.reads_calls() {
                *verdict = alone;
            }
        }
    }

    fn verdicts(&self, question: &Question<'_>, text: &str, dialects: &[&'static str]) -> Vec<ParserVerdict> {
        let parsers = dialects.iter().flat_map(|dialect| catalog::named(dialect, &self.runtimes));
        let skipped = self.tokens.as_ref().map(|tokens| tokens.without_special(text));
        let verdict = |parser: catalog::ParserRelease| {
            let skips = skips_special_tokens(&parser.profile.runtime, parser.parser);
            let text = skipped.as_deref().filter(|_| skips).unwrap_or(text);
            let reading = runtime::read(parser.profile, text, &question.request);
            let differences = question.shown.differences(&delivered(&reading.outcome), text);
            let mut reasons: Vec<_> = reading.reasons.iter().map(|reason| reason.code).collect();
            reasons.dedup();
            if !differences.iter().any(TurnDifference::is_of_calls) {
                reasons.clear();
            }
            ParserVerdict {
                parser: parser.name().to_string(),
                kind: ParserKind::Runtime,
                dialect: catalog::dialects().find(|dialect| *dialect == parser.profile.dialect),
                differences,
                reasons,
            }
        };
        parsers.map(verdict).collect()
    }
}

impl Question<'_> {
    /// The dialects of the calls in a text that runtimes read; none if the dialects do not determine the parsers.
    fn detected(&self, text: &str) -> Vec<&'static str> {
        let session = plain_session(text, &Options { schemas: self.schemas.clone(), ..Options::default() });
        let found: Vec<&'static str> = session.document().dialects_seen().collect();
        if found.iter().any(|name| SHARED.contains(name)) {
            return self.accepting(text);
        }
        catalog::dialects().filter(|dialect| found.contains(dialect)).collect()
    }

    /// The dialects with a parser that finds calls of the expected names in a text.
    fn accepting(&self, text: &str) -> Vec<&'static str> {
        let finds = |dialect: &&'static str| {
            catalog::of_dialect(dialect).any(|profile| {
                let outcome = runtime::read(profile, text, &self.request).outcome;
                let names = outcome.calls.iter().map(|call| call.name.as_deref());
                names.eq(self.shown.calls.iter().map(|call| Some(call.name.as_str())))
            })
        };
        if self.shown.calls.is_empty() {
            return Vec::new();
        }
        let marked = catalog::dialects().filter(|dialect| catalog::has_marker(dialect, text));
        let found: Vec<&'static str> = marked.filter(finds).collect();
        // Bare JSON has no markers.
        if found.is_empty() { catalog::dialects().filter(finds).collect() } else { found }
    }

    /// The reading by a dialect's own rules, of the turn alone or after the opening that is read best.
    fn own<'o>(
        &self,
        kind: ParserKind,
        name: &str,
        options: &Options,
        openings: impl Iterator<Item = &'o str>,
    ) -> ParserVerdict {
        let mut best: Option<Vec<TurnDifference>> = None;
        for opening in openings {
            let text = format!("{opening}{}", self.text);
            let session = plain_session(&text, options);
            let differences = self.shown.differences(&of_session(&session, opening.len()), &text);
            if best.as_ref().is_none_or(|best| distance(&differences) < distance(best)) {
                best = Some(differences);
            }
            if best.as_ref().is_some_and(|best| distance(best) == 0) {
                break;
            }
        }
        let mut differences = best.unwrap_or_default();
        if kind == ParserKind::BuiltIn {
            // This program shows prose with all of its markers.
            differences.retain(TurnDifference::is_of_calls);
        }
        ParserVerdict { parser: name.to_owned(), kind, dialect: None, differences, reasons: Vec::new() }
    }
}

/// A text as one plain message.
fn plain_session(text: &str, options: &Options) -> Session {
    let mut session = Session::new(Container::plain(), options);
    session.push(text.as_bytes());
    session.finish();
    session
}

/// The content of a runtime's outcome.
fn delivered(outcome: &Outcome) -> DeliveredTurn {
    DeliveredTurn {
        calls: outcome.calls.iter().map(|call| (call.name.clone(), call.arguments.to_json())).collect(),
        text: outcome.content.clone(),
        reasoning: outcome.reasoning.clone(),
        error: outcome.error.clone(),
    }
}

/// The content of a session after the first `skipped` bytes.
fn of_session(session: &Session, skipped: usize) -> DeliveredTurn {
    let document = session.document();
    let mut turn = DeliveredTurn::default();
    let mut texts = [String::new(), String::new()];
    for (number, item) in document.items().iter().enumerate() {
        match item {
            Item::Call(_) => {
                let Some(call) = facts(session, number) else { continue };
                turn.calls.push((Some(call.name), call.parameters));
            }
            Item::Text(_) | Item::Aside(_) => {
                let span = item.span();
                let start = span.start.max(skipped).min(span.end);
                let text = session.text().read_str(crate::text::Span::new(start, span.end));
                texts[usize::from(item.item_type() == ItemType::Reasoning)] += &text;
            }
            Item::Result(_) => {}
        }
    }
    let [text, reasoning] = texts;
    turn.text = Some(text);
    turn.reasoning = Some(reasoning);
    turn
}
