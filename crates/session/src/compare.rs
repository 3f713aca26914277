//! Compares two readings: two transcripts, or one text under different settings.
//!
//! Calls are aligned first (by `align`; in recorded sessions turn by turn, by [`turns`]), then each pair is
//! compared part by part. Calls are assembled on demand, so that only a few numbers are stored per call of a large
//! transcript.

mod align;
mod part;
pub mod turns;

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::diagnostic::{Code, Severity};
use crate::dialect::{CallContent, Status};
use crate::document::Item;
use crate::session::Session;
use crate::text::{Span, Text};
use crate::value::flatten::{flatten, same};
use crate::value::tree_json::to_json;

use align::{BY_ID, CallKeys};
use part::SomeCalls;
pub use part::{ComparedPart, ComparedText};
use turns::TurnPair;

/// Maximum length in bytes of a result that is compared verbatim.
const LONGEST: usize = 64 * 1024;

/// The parts of a call that are compared. Missing ones are left out when serialized.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct CallFacts {
    /// Name of its dialect.
    pub dialect: String,
    /// Name of the tool.
    pub name: String,
    /// Its id as written; `None` if the runtime generates one, which only numbers the calls.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The ids that it depends on.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub dependencies: Vec<String>,
    /// Its [`Status`], in the word used in outputs.
    pub status: String,
    /// The runtime's error, if it rejects the call.
    #[serde(rename = "parse_error", skip_serializing_if = "Option::is_none")]
    pub refusal: Option<String>,
    /// The parameters; for a rejected call, the part that could be built.
    #[serde(alias = "partial")]
    pub parameters: Value,
    /// State, output and other members that the call carries besides its parameters, by their names in outputs.
    #[serde(flatten)]
    pub outcome: Map<String, Value>,
}

impl CallFacts {
    /// The members other than parameters, as one object.
    pub fn outcome(&self) -> Value {
        Value::Object(self.outcome.clone())
    }

    /// The content to write in another dialect.
    pub(crate) fn content(&self) -> CallContent<'_> {
        let Self { name, dependencies, parameters, outcome, .. } = self;
        CallContent { name, id: self.id.as_deref(), dependencies, parameters, outcome }
    }
}

/// A list of calls that are assembled on demand.
pub trait CallList {
    /// Number of calls.
    fn calls(&self) -> usize;

    /// Call number `number`, below [`CallList::calls`].
    fn call(&self, number: usize) -> CallFacts;
}

impl CallList for [CallFacts] {
    fn calls(&self) -> usize {
        self.len()
    }

    fn call(&self, number: usize) -> CallFacts {
        self[number].clone()
    }
}

impl CallList for Session {
    fn calls(&self) -> usize {
        self.document().calls().len()
    }

    fn call(&self, number: usize) -> CallFacts {
        let item = self.document().calls().nth(number);
        item.and_then(|item| facts(self, item)).unwrap_or_default()
    }
}

/// The facts of the call at item number `item`.
pub fn facts(session: &Session, item: usize) -> Option<CallFacts> {
    let text = session.text();
    let call = session.document().call(item)?;
    let assembly = session.dissect(item).unwrap_or_default();
    let mut outcome = Map::new();
    if let Some(found) = assembly.outcome {
        let mut add = |name: &str, value: Option<Value>| outcome.extend(value.map(|value| (name.to_owned(), value)));
        add("state", found.state.map(Value::String));
        add("output", found.output.map(|tree| to_json(&tree, text)));
        add("error_text", found.error_text.map(Value::String));
        add("extra", found.extra.map(|tree| to_json(&tree, text)));
    }
    // A call too large to dissect is compared by its text.
    let is_whole = !session.is_too_large(item);
    let parameters = if is_whole { to_json(&assembly.tree, text) } else { Value::String(excerpt(text, call.body)) };
    Some(CallFacts {
        name: call.name(text),
        id: call.id.map(|id| id.text(text).into_owned()),
        dialect: call.dialect.to_owned(),
        dependencies: call.dependencies(text),
        status: call.status.word().to_owned(),
        refusal: assembly.error.or_else(|| (call.failed && call.status != Status::Open).then(|| REFUSED.to_owned())),
        parameters,
        outcome,
    })
}

/// A session whose calls are compared together with their results.
pub struct Answered<'a>(pub &'a Session);

impl CallList for Answered<'_> {
    fn calls(&self) -> usize {
        self.0.calls()
    }

    fn call(&self, number: usize) -> CallFacts {
        let Self(session) = self;
        let document = session.document();
        let Some(item) = document.calls().nth(number) else { return CallFacts::default() };
        let mut facts = facts(session, item).unwrap_or_default();
        if let Some(Item::Result(answer)) = document.answer_of(item).and_then(|item| document.items().get(item)) {
            facts.outcome.insert(
                "result".to_owned(),
                Value::String(excerpt(session.text(), without_line_ends(session.text(), answer.span))),
            );
            let verdict = answer.verdict.label();
            facts.outcome.extend((!verdict.is_empty()).then(|| ("verdict".to_owned(), Value::from(verdict))));
        }
        facts
    }
}

/// A span without the line feeds at its end: containers end a message with one unless it is the last.
fn without_line_ends(text: &Text, span: Span) -> Span {
    let tail = text.read(Span::new(span.end.saturating_sub(MOST_LINE_ENDS).max(span.start), span.end));
    Span::new(span.start, span.end - tail.iter().rev().take_while(|&&byte| byte == b'\n').count())
}

/// Maximum number of line feeds at the end of a result that are not compared.
const MOST_LINE_ENDS: usize = 16;

/// A text; a long one is replaced by its beginning and a checksum of the rest.
fn excerpt(text: &Text, span: Span) -> String {
    if span.len() <= LONGEST {
        return text.read_str(span).into_owned();
    }
    let head = Span::new(span.start, span.start + LONGEST);
    let rest = Span::new(head.end, span.end);
    let sum = hash_of(text, rest);
    format!("{}\n… {} bytes more, with the checksum {sum:016x}", text.read_str(head), rest.len())
}

/// Stands in for the error of a rejected call if the runtime's text is unknown.
const REFUSED: &str = "the runtime rejects it";

/// Differences between two readings, call by call.
#[derive(Clone, Debug, Default)]
pub struct Comparison {
    /// The calls of both sides; each side's calls are in order.
    pub rows: Vec<CallRow>,
    /// The turns of both sides, if the rows are aligned by turns; else empty. They tile the rows.
    pub turns: Vec<TurnPair>,
    /// Numbers of the problems that only the left side has, in text order.
    pub gone: Vec<usize>,
    /// Numbers of the problems that only the right side has, in text order.
    pub came: Vec<usize>,
}

/// A call of one side, or a pair of corresponding calls.
#[derive(Clone, Debug, PartialEq)]
pub struct CallRow {
    /// Number of the call on the left.
    pub left: Option<usize>,
    /// Number of the call on the right.
    pub right: Option<usize>,
    /// The differences of a pair.
    pub changes: Vec<PartChange>,
}

/// The sides of a row, and whether they differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum RowKind {
    /// Two equal calls.
    Same,
    /// Two calls that differ.
    Changed,
    /// A call that only the left side has.
    Left,
    /// A call that only the right side has.
    Right,
}

impl CallRow {
    /// Classifies the row.
    pub fn kind(&self) -> RowKind {
        match (self.left, self.right) {
            (Some(_), None) => RowKind::Left,
            (None, _) => RowKind::Right,
            _ if self.changes.is_empty() => RowKind::Same,
            _ => RowKind::Changed,
        }
    }
}

/// A part of a call that differs between the sides.
#[derive(Clone, Debug, PartialEq)]
pub struct PartChange {
    /// The part that differs.
    pub part: Part,
    /// Value on the left, if present.
    pub old: Option<Value>,
    /// Value on the right, if present.
    pub new: Option<Value>,
}

/// A part of a call.
#[derive(Clone, Debug, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum Part {
    /// Name of the tool.
    Name,
    /// Id, as written.
    Id,
    /// Name of the dialect.
    Dialect,
    /// The ids that it depends on.
    Dependencies,
    /// The way it ended.
    Status,
    /// The runtime's error, if it rejects the call.
    Refusal,
    /// A parameter by its path: `users/0/name`. As in a JSON pointer, `/` in a key is written as `~1`, and `~` as `~0`.
    Parameter(String),
    /// A member other than parameters, by its name in outputs and the path within it: `output/total`.
    Outcome(String),
}

impl Part {
    /// Its name in outputs, such as `parameter`.
    pub fn word(&self) -> &'static str {
        self.into()
    }

    /// Its name and path: `parameter users/0/name`.
    pub fn words(&self) -> String {
        match self.path() {
            Some("") => format!("{} (as a whole)", self.word()),
            Some(path) => format!("{} {path}", self.word()),
            None => self.word().to_owned(),
        }
    }

    /// Path of the parameter or of the outcome's member.
    pub fn path(&self) -> Option<&str> {
        match self {
            Part::Parameter(path) | Part::Outcome(path) => Some(path),
            _ => None,
        }
    }
}

impl Comparison {
    /// Compares two completely read readings of one text, or the same part of both. Their calls have the same ids.
    pub fn new<'a>(left: impl Into<ComparedPart<'a>>, right: impl Into<ComparedPart<'a>>) -> Self {
        let (left, right) = (left.into(), right.into());
        let (of_left, of_right) = (left.calls(), right.calls());
        let mut rows = rows(&SomeCalls::new(left, &of_left), &SomeCalls::new(right, &of_right));
        for row in &mut rows {
            row.left = row.left.map(|at| of_left[at]);
            row.right = row.right.map(|at| of_right[at]);
        }
        Self::of_rows(left, right, rows, Vec::new())
    }

    /// Compares two completely read transcripts, or parts of them: turn by turn if both are recorded sessions, else as
    /// readings of one text.
    pub fn of_transcripts<'a>(left: impl Into<ComparedPart<'a>>, right: impl Into<ComparedPart<'a>>) -> Self {
        let (left, right) = (left.into(), right.into());
        match turns::by_turn(left, right) {
            Some((rows, turns)) => Self::of_rows(left, right, rows, turns),
            None => Self::new(left, right),
        }
    }

    fn of_rows(left: ComparedPart<'_>, right: ComparedPart<'_>, rows: Vec<CallRow>, turns: Vec<TurnPair>) -> Self {
        let (mut of_left, mut of_right) = (HashMap::new(), HashMap::new());
        for (number, row) in rows.iter().enumerate() {
            of_left.extend(row.left.map(|call| (call, number)));
            of_right.extend(row.right.map(|call| (call, number)));
        }
        let ((left_numbers, left), (right_numbers, right)) = (problems(left, &of_left), problems(right, &of_right));
        let numbers = |places: Vec<usize>, numbers: &[usize]| places.into_iter().map(|at| numbers[at]).collect();
        let gone = numbers(unmatched(&left, &right), &left_numbers);
        let came = numbers(unmatched(&right, &left), &right_numbers);
        Self { rows, turns, gone, came }
    }

    /// True if neither calls nor problems nor prompts differ.
    pub fn is_equal(&self) -> bool {
        self.turns.iter().all(|turn| turn.has_same_prompt)
            && self.gone.is_empty()
            && self.came.is_empty()
            && self.rows.iter().all(|row| row.kind() == RowKind::Same)
    }

    /// Number of rows of a kind.
    pub fn count(&self, kind: RowKind) -> usize {
        self.rows.iter().filter(|row| row.kind() == kind).count()
    }
}

/// Aligns and compares the calls of two sides.
pub fn rows<L: CallList + ?Sized, R: CallList + ?Sized>(left: &L, right: &R) -> Vec<CallRow> {
    let left_keys: Vec<CallKeys> = (0..left.calls()).map(|call| keys(&left.call(call))).collect();
    let right_keys: Vec<CallKeys> = (0..right.calls()).map(|call| keys(&right.call(call))).collect();
    let pairs = align::align(&left_keys, &right_keys, &BY_ID);
    let row = |(of_left, of_right)| {
        let changes = match (of_left, of_right) {
            (Some(one), Some(other)) => changes(&left.call(one), &right.call(other)),
            _ => Vec::new(),
        };
        CallRow { left: of_left, right: of_right, changes }
    };
    pairs.into_iter().map(row).collect()
}

/// The keys to align a call by.
fn keys(call: &CallFacts) -> CallKeys {
    let name = hash(&call.name);
    let mut values: Vec<(String, String)> =
        flatten(&call.parameters).into_iter().map(|(path, value)| (path, value.to_string())).collect();
    values.sort_unstable();
    let parameters = hash(&values);
    CallKeys { name, id: call.id.as_ref().map(hash), parameters }
}

/// Lists the differences between two calls.
pub fn changes(left: &CallFacts, right: &CallFacts) -> Vec<PartChange> {
    let mut changes = Vec::new();
    let mut part = |part: Part, old: Option<Value>, new: Option<Value>| {
        if old != new {
            changes.push(PartChange { part, old, new });
        }
    };
    let words = |words: &str| Some(Value::from(words));
    part(Part::Name, words(&left.name), words(&right.name));
    part(Part::Id, left.id.as_deref().map(Value::from), right.id.as_deref().map(Value::from));
    part(Part::Dialect, words(&left.dialect), words(&right.dialect));
    let list = |ids: &[String]| Some(Value::from(ids)).filter(|_| !ids.is_empty());
    part(Part::Dependencies, list(&left.dependencies), list(&right.dependencies));
    part(Part::Status, words(&left.status), words(&right.status));
    part(Part::Refusal, left.refusal.as_deref().map(Value::from), right.refusal.as_deref().map(Value::from));
    changes.extend(differing(&left.parameters, &right.parameters, Part::Parameter));
    changes.extend(differing(&left.outcome(), &right.outcome(), Part::Outcome));
    changes
}

/// The values at a path on each side.
#[derive(Clone, Debug, PartialEq)]
pub struct ValuePair {
    /// The path, as in [`Part::Parameter`].
    pub path: String,
    /// Value on the left, if present.
    pub old: Option<Value>,
    /// Value on the right, if present.
    pub new: Option<Value>,
}

impl ValuePair {
    /// True if a tool would receive the same value.
    pub fn is_same(&self) -> bool {
        self.old.as_ref().zip(self.new.as_ref()).is_some_and(|(old, new)| same(old, new))
    }
}

/// Pairs the scalars of two values by path. In the order of the left side, with each path that only the right side has
/// after its predecessor there.
pub fn value_pairs(left: &Value, right: &Value) -> Vec<ValuePair> {
    let (left, right) = (flatten(left), flatten(right));
    let place: HashMap<&str, usize> = left.iter().enumerate().map(|(at, (path, _))| (path.as_str(), at)).collect();
    let mut pairs: Vec<Option<Value>> = vec![None; left.len()];
    // Paths that only the right side has, each with the number of left paths that precede it.
    let mut more: Vec<(usize, String, Value)> = Vec::new();
    let mut passed = 0;
    for (path, value) in right {
        match place.get(path.as_str()) {
            Some(&at) => {
                passed = passed.max(at + 1);
                pairs[at] = Some(value);
            }
            None => more.push((passed, path, value)),
        }
    }
    let mut more = more.into_iter().peekable();
    let mut found = Vec::new();
    let pairs = left.into_iter().zip(pairs).map(|((path, old), new)| ValuePair { path, old: Some(old), new });
    for (at, pair) in pairs.enumerate() {
        // Removed paths precede added ones.
        while pair.new.is_some()
            && let Some((_, path, new)) = more.next_if(|(before, ..)| *before <= at)
        {
            found.push(ValuePair { path, old: None, new: Some(new) });
        }
        found.push(pair);
    }
    found.extend(more.map(|(_, path, new)| ValuePair { path, old: None, new: Some(new) }));
    found
}

fn differing(left: &Value, right: &Value, part: fn(String) -> Part) -> impl Iterator<Item = PartChange> + use<> {
    let pairs = value_pairs(left, right).into_iter().filter(|both| !both.is_same());
    pairs.map(move |ValuePair { path, old, new }| PartChange { part: part(path), old, new })
}

/// Identity of a problem: its kind, its message and the row of its call.
type Problem = (Code, Severity, String, Option<usize>);

/// The numbers of the problems, and their identities, in text order.
fn problems(side: ComparedPart<'_>, rows: &HashMap<usize, usize>) -> (Vec<usize>, Vec<Problem>) {
    let document = side.session.document();
    let compared = document.order().iter().filter(|number| side.has_problem(**number as usize));
    let problems = compared.filter_map(|&number| {
        let problem = document.diagnostics().get(number as usize)?;
        let call = problem.item.and_then(|item| document.call_number(item));
        let row = call.and_then(|call| rows.get(&call).copied());
        Some((number as usize, (problem.code, problem.severity, problem.message, row)))
    });
    problems.unzip()
}

/// Indexes of the elements of `some` without a counterpart in `others`; of equal elements, the last ones.
pub fn unmatched<T: Hash + Eq>(some: &[T], others: &[T]) -> Vec<usize> {
    let mut left: HashMap<&T, usize> = HashMap::new();
    for other in others {
        *left.entry(other).or_default() += 1;
    }
    let mut is_matched = |one| {
        let count = left.get_mut(one).filter(|count| **count > 0);
        count.map(|count| *count -= 1).is_some()
    };
    (0..some.len()).filter(|&at| !is_matched(&some[at])).collect()
}

/// Hash of the bytes of a span, read in pieces.
fn hash_of(text: &Text, mut rest: Span) -> u64 {
    const PIECE: usize = 1 << 20;
    let mut hasher = DefaultHasher::new();
    while !rest.is_empty() {
        let piece = Span::new(rest.start, rest.end.min(rest.start + PIECE));
        text.read(piece).hash(&mut hasher);
        rest.start = piece.end;
    }
    hasher.finish()
}

fn hash<T: Hash + ?Sized>(value: &T) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests;
