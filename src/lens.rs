//! What the runtimes make of one message of a session, side by side.
//!
//! Each parser of a dialect reads the message by its profile; outcomes that are equal are one group, and what is
//! otherwise than in the largest group is marked down to the value.

pub mod fact;
pub mod message;
mod reason;
pub mod upgrade;

use crate::diagnostic::Code;
use crate::runtime::catalog::{self, ParserRelease};
use crate::runtime::{self, Outcome, Reason, RuntimeName, RuntimeReading, ToolRequest, conformance};
use crate::text::Span;
use crate::value::schema::Schemas;

pub use fact::{FactPlace, FactState, OutcomeFact};
pub use message::{MessageDialects, MessageText};

/// Which parsers are asked about a message.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ParserChoice {
    /// Dialects; none means those that the message is written in.
    pub dialects: Vec<String>,
    /// Runtimes, or parsers of them; none means all.
    pub runtimes: Vec<RuntimeName>,
    /// Whether those are asked as well that are known too little, where they are not named themselves.
    pub approximate: Approximate,
}

impl ParserChoice {
    /// The request that the parsers are told, and the dialects to read a message in.
    fn prepared(
        &self,
        message: &MessageText,
        request: &ToolRequest,
        is_cancelled: impl Fn() -> bool,
    ) -> (ToolRequest, MessageDialects) {
        let request = request_for(message, request);
        let dialects = self.dialects_of(message, &request, is_cancelled);
        let assumed = assumed_of_outcomes(message, &dialects.asked, &request);
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
        MessageDialects { asked: self.dialects.iter().filter_map(named).collect(), others: Vec::new() }
    }
}

/// What becomes of parsers of which too little is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Approximate {
    /// They are asked as well.
    #[default]
    Ask,
    /// They are left out unless they are named themselves.
    Skip,
}

/// What one parser makes of the message.
#[derive(Clone, Debug)]
pub struct LensRow {
    /// The parser and its release.
    pub parser: ParserRelease,
    /// What it delivers of the message, and why.
    pub reading: RuntimeReading,
    /// What it may deliver when the message arrives in pieces, if that is something else.
    pub streamed: Option<Outcome>,
    /// The outcome of a server with the parser, if that is something else.
    pub served: Option<Outcome>,
    /// Whether the prompt is assumed to have thinking on, where the request does not tell and the outcome depends on it.
    pub thinking: Option<bool>,
    /// The number of its group.
    pub group: usize,
}

impl LensRow {
    /// Runtime and parser, as they are named everywhere: `vllm:hermes`.
    pub fn name(&self) -> String {
        self.parser.name().to_string()
    }
}

/// Parsers that deliver the same.
#[derive(Clone, Debug)]
pub struct Group {
    /// The numbers of their rows.
    pub rows: Vec<usize>,
    /// What they deliver, each fact with what it is compared with the first group's.
    pub facts: Vec<OutcomeFact>,
}

/// What the runtimes make of one message.
#[derive(Clone, Debug, Default)]
pub struct Lens {
    /// The dialects whose parsers were asked.
    pub dialects: Vec<&'static str>,
    /// Other dialects that fit the message as well.
    pub others: Vec<&'static str>,
    /// The request that the parsers were told, with tools made of the calls where none are known.
    pub request: ToolRequest,
    /// One row for each parser, in the order of the runtimes.
    pub rows: Vec<LensRow>,
    /// The rows with equal outcomes, the largest group first.
    pub groups: Vec<Group>,
    length: usize,
}

impl Lens {
    /// Reads a message with all the parsers that are wanted.
    pub fn new(message: &MessageText, request: &ToolRequest, wanted: &ParserChoice) -> Self {
        Self::new_unless(message, request, wanted, || false).unwrap_or_default()
    }

    /// The same, with a question before each parser: nothing once it `is_cancelled`.
    pub fn new_unless(
        message: &MessageText,
        request: &ToolRequest,
        wanted: &ParserChoice,
        is_cancelled: impl Fn() -> bool,
    ) -> Option<Self> {
        let (request, found) = wanted.prepared(message, request, &is_cancelled);
        let MessageDialects { asked: dialects, others } = found;
        let thinking = [true, false].map(|on| ToolRequest { thinking: Some(on), ..request.clone() });
        let rows: Option<Vec<LensRow>> = dialects
            .iter()
            .flat_map(|dialect| catalog::named(dialect, &wanted.runtimes))
            .filter(|parser| {
                let is_named = |name: &RuntimeName| name.parser.as_deref() == Some(parser.parser);
                wanted.approximate == Approximate::Ask
                    || wanted.runtimes.iter().any(is_named)
                    || !conformance::is_approximate(parser)
            })
            .map(|parser| {
                if is_cancelled() {
                    return None;
                }
                let read = |request| runtime::read(parser.profile, &message.text, request);
                let reading = read(&request);
                let streamed = runtime::read_streamed(parser.profile, &message.text, &request);
                let streamed = streamed.map(|reading| reading.outcome).filter(|other| *other != reading.outcome);
                let is_newest = *parser.release == parser.profile.releases[0];
                let served = runtime::read_served(parser.profile, parser.parser, &message.text, &request);
                let served = served
                    .filter(|_| is_newest)
                    .map(|reading| reading.outcome)
                    .filter(|other| *other != reading.outcome);
                let depends = request.thinking.is_none() && parser.profile.whole.grammar.depends_on_thinking();
                let [on, off] = thinking.each_ref().map(|request| depends.then(|| read(request).outcome));
                let thinking = (on != off).then(|| on.as_ref() == Some(&reading.outcome));
                Some(LensRow { parser, reading, streamed, served, thinking, group: 0 })
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

    /// In what two groups differ by more than white space around a text, and where; nothing where none do.
    pub fn difference(&self) -> Option<Difference> {
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

/// Whether two outcomes are the same but for white space at the ends of their texts.
fn is_alike(one: &Outcome, other: &Outcome) -> bool {
    let trimmed = |text: &Option<String>| text.as_deref().unwrap_or_default().trim().to_owned();
    let texts = |outcome: &Outcome| [&outcome.content, &outcome.reasoning].map(trimmed);
    one.calls == other.calls && one.error == other.error && texts(one) == texts(other)
}

/// In what two groups of parsers differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The bytes of the message that it is about.
    pub span: Span,
    /// What two of them deliver.
    pub words: String,
    /// What to write instead, in the imperative.
    pub help: &'static str,
}

/// What is delivered, in a few words: an error, the calls by their names, or no call.
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

/// Puts rows with equal outcomes together.
fn group(rows: &mut [LensRow]) -> Vec<Group> {
    let mut sets: Vec<Vec<usize>> = Vec::new();
    for number in 0..rows.len() {
        let outcome = &rows[number].reading.outcome;
        match sets.iter_mut().find(|set| rows[set[0]].reading.outcome == *outcome) {
            Some(set) => set.push(number),
            None => sets.push(vec![number]),
        }
    }
    // A group that delivers calls tells more than a larger one that fails, and a text more than an error.
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

/// The request as parsers see it: where its tools are not known, with tools made of the calls in the message.
fn request_for(message: &MessageText, request: &ToolRequest) -> ToolRequest {
    if request.tools.is_some() || message.calls.is_empty() {
        return request.clone();
    }
    let calls = message.calls.iter().map(|(name, arguments)| (name.as_str(), arguments));
    ToolRequest { thinking: request.thinking, ..ToolRequest::assumed(calls) }
}

/// The request with tools made of the calls that a parser delivers without any, where no tools and no calls are known: a
/// notation that is not read unless it is named.
fn assumed_of_outcomes(message: &MessageText, dialects: &[&'static str], request: &ToolRequest) -> Option<ToolRequest> {
    if request.tools.is_some() {
        return None;
    }
    let profiles = dialects.iter().flat_map(|dialect| catalog::of_dialect(dialect));
    let outcomes = profiles.map(|profile| runtime::read(profile, &message.text, request).outcome);
    let most = outcomes.max_by_key(|outcome| outcome.calls.len()).filter(|outcome| !outcome.calls.is_empty())?;
    let calls = most.calls.iter().filter_map(|call| Some((call.name.as_deref()?, call.arguments.to_json())));
    Some(ToolRequest { thinking: request.thinking, ..ToolRequest::assumed(calls) })
}

/// The tools of a request, as a schema file names them.
pub fn request_of(schemas: Option<&Schemas>) -> ToolRequest {
    schemas.map(|schemas| ToolRequest::with(schemas.tools().clone())).unwrap_or_default()
}
