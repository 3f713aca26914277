//! What differs between two readings: two transcripts, or one text under two settings.
//!
//! Calls are aligned first (by `align`), then each pair is compared part by part. A call is put together when it is
//! asked for, so that of a large transcript a few numbers are kept for each.

mod align;

use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::diagnostic::{Code, Severity};
use crate::dialect::{CallContent, Options, Status};
use crate::document::Item;
use crate::session::Session;
use crate::text::{Span, Text};
use crate::value::flatten::{flatten, same};
use crate::value::tree_json::to_json;

use align::CallKeys;

/// Bytes of a result that are compared word by word.
const LONGEST: usize = 64 * 1024;

/// What of a call is compared. Written down, what is not there is left out.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Facts {
    /// The name of the dialect it is written in.
    pub dialect: String,
    /// The name of the tool.
    pub name: String,
    /// Its id as it is written; `None` where the runtime makes one, which only counts calls.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The ids that it waits for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub dependencies: Vec<String>,
    /// How far it came, in the word of the output.
    pub status: String,
    /// The runtime's words, if it refuses the call.
    #[serde(rename = "parse_error", skip_serializing_if = "Option::is_none")]
    pub refusal: Option<String>,
    /// The parameters; of a call that is refused, as far as they could be built.
    #[serde(alias = "partial")]
    pub parameters: Value,
    /// What it carries beside its parameters, by what the output calls it.
    #[serde(flatten)]
    pub outcome: Map<String, Value>,
}

impl Facts {
    /// What it carries beside its parameters, as one value.
    pub fn outcome(&self) -> Value {
        Value::Object(self.outcome.clone())
    }

    /// What is to be said when it is written in another dialect.
    pub fn content(&self) -> CallContent<'_> {
        let Self { name, dependencies, parameters, outcome, .. } = self;
        CallContent { name, id: self.id.as_deref(), dependencies, parameters, outcome }
    }
}

/// Calls in their order, each put together when it is asked for.
pub trait CallList {
    /// How many calls there are.
    fn calls(&self) -> usize;

    /// Call number `number`, below [`CallList::calls`].
    fn call(&self, number: usize) -> Facts;
}

impl CallList for [Facts] {
    fn calls(&self) -> usize {
        self.len()
    }

    fn call(&self, number: usize) -> Facts {
        self[number].clone()
    }
}

impl CallList for Session {
    fn calls(&self) -> usize {
        self.document().calls().len()
    }

    fn call(&self, number: usize) -> Facts {
        let item = self.document().calls().nth(number);
        item.and_then(|item| facts(self, item)).unwrap_or_default()
    }
}

/// What is compared of the call that is item number `item`.
pub fn facts(session: &Session, item: usize) -> Option<Facts> {
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
    // What is not taken apart is compared as it is written.
    let is_whole = !session.is_too_large(item);
    let parameters = if is_whole { to_json(&assembly.tree, text) } else { Value::String(excerpt(text, call.body)) };
    Some(Facts {
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

/// A session whose calls are compared with what came of them elsewhere in the file.
pub struct Answered<'a>(pub &'a Session);

impl CallList for Answered<'_> {
    fn calls(&self) -> usize {
        self.0.calls()
    }

    fn call(&self, number: usize) -> Facts {
        let Self(session) = self;
        let document = session.document();
        let Some(item) = document.calls().nth(number) else { return Facts::default() };
        let mut facts = facts(session, item).unwrap_or_default();
        if let Some(Item::Result(answer)) = document.answer_of(item).and_then(|item| document.items().get(item)) {
            facts.outcome.insert("result".to_owned(), Value::String(excerpt(session.text(), answer.span)));
            let verdict = answer.verdict.words();
            facts.outcome.extend((!verdict.is_empty()).then(|| ("verdict".to_owned(), Value::from(verdict))));
        }
        facts
    }
}

/// A text, or of a long one its beginning and what tells the rest from another one.
fn excerpt(text: &Text, span: Span) -> String {
    if span.len() <= LONGEST {
        return text.read_str(span).into_owned();
    }
    let head = Span::new(span.start, span.start + LONGEST);
    let rest = Span::new(head.end, span.end);
    let sum = hash_of(text, rest);
    format!("{}\n… {} bytes more, with the checksum {sum:016x}", text.read_str(head), rest.len())
}

/// What is said of a refused call of which the runtime's words are not known.
const REFUSED: &str = "the runtime rejects it";

/// A transcript that is compared with another one, or with itself under other settings.
pub struct ComparedText {
    /// What it is called; not safe to show as it is.
    pub name: String,
    /// What was found in it.
    pub session: Session,
    /// What it was read with.
    pub options: Options,
}

/// What differs between two readings, call by call.
#[derive(Clone, Debug, Default)]
pub struct Comparison {
    /// The calls of both sides, those of one side in their order.
    pub rows: Vec<CallRow>,
    /// Numbers of the problems of the left side that the right one does not have, in the order of the text.
    pub gone: Vec<usize>,
    /// Numbers of the problems of the right side that the left one does not have, in the order of the text.
    pub came: Vec<usize>,
}

/// A call, or a pair of calls.
#[derive(Clone, Debug, PartialEq)]
pub struct CallRow {
    /// Number of the call on the left.
    pub left: Option<usize>,
    /// Number of the call on the right.
    pub right: Option<usize>,
    /// What differs, where there are two.
    pub changes: Vec<PartChange>,
}

/// Which sides a row has, and whether they differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum RowKind {
    /// Two calls of which nothing differs.
    Same,
    /// Two calls of which something differs.
    Changed,
    /// A call that only the left side has.
    Left,
    /// A call that only the right side has.
    Right,
}

impl CallRow {
    /// Which sides it has, and whether they differ.
    pub fn kind(&self) -> RowKind {
        match (self.left, self.right) {
            (Some(_), None) => RowKind::Left,
            (None, _) => RowKind::Right,
            _ if self.changes.is_empty() => RowKind::Same,
            _ => RowKind::Changed,
        }
    }
}

/// A part of a call that is another one on each side.
#[derive(Clone, Debug, PartialEq)]
pub struct PartChange {
    /// Which part of the call differs.
    pub part: Part,
    /// What it is on the left, if it is there.
    pub old: Option<Value>,
    /// What it is on the right, if it is there.
    pub new: Option<Value>,
}

/// A part of a call.
#[derive(Clone, Debug, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum Part {
    /// Its name.
    Name,
    /// Its id, as it is written.
    Id,
    /// The name of the dialect it is written in.
    Dialect,
    /// The ids that it waits for.
    Dependencies,
    /// What ended it.
    Status,
    /// The runtime's words, where it refuses the call.
    Refusal,
    /// A parameter by its path: `users/0/name`, where a `/` in a key is `~1` and a `~` is `~0`, as in a JSON pointer.
    Parameter(String),
    /// What it carries beside, by what the output calls it and the path in that: `output/total`.
    Outcome(String),
}

impl Part {
    /// Its word in the output, such as `parameter`.
    pub fn word(&self) -> &'static str {
        self.into()
    }

    /// Which part it is, in words: `parameter users/0/name`.
    pub fn words(&self) -> String {
        match self.path() {
            Some("") => format!("{} (as a whole)", self.word()),
            Some(path) => format!("{} {path}", self.word()),
            None => self.word().to_owned(),
        }
    }

    /// Which parameter, or what in the outcome.
    pub fn path(&self) -> Option<&str> {
        match self {
            Part::Parameter(path) | Part::Outcome(path) => Some(path),
            _ => None,
        }
    }
}

impl Comparison {
    /// Compares two transcripts that are read to their ends.
    pub fn new(left: &Session, right: &Session) -> Self {
        let rows = rows(&Answered(left), &Answered(right));
        let (mut of_left, mut of_right) = (HashMap::new(), HashMap::new());
        for (number, row) in rows.iter().enumerate() {
            of_left.extend(row.left.map(|call| (call, number)));
            of_right.extend(row.right.map(|call| (call, number)));
        }
        let ((left_numbers, left), (right_numbers, right)) = (problems(left, &of_left), problems(right, &of_right));
        let numbers = |places: Vec<usize>, numbers: &[usize]| places.into_iter().map(|at| numbers[at]).collect();
        let gone = numbers(unmatched(&left, &right), &left_numbers);
        let came = numbers(unmatched(&right, &left), &right_numbers);
        Self { rows, gone, came }
    }

    /// Whether neither calls nor problems differ.
    pub fn is_equal(&self) -> bool {
        self.gone.is_empty() && self.came.is_empty() && self.rows.iter().all(|row| row.kind() == RowKind::Same)
    }

    /// How many rows are of a kind.
    pub fn count(&self, kind: RowKind) -> usize {
        self.rows.iter().filter(|row| row.kind() == kind).count()
    }
}

/// The calls of two sides, aligned and compared.
pub fn rows<L: CallList + ?Sized, R: CallList + ?Sized>(left: &L, right: &R) -> Vec<CallRow> {
    let left_keys: Vec<CallKeys> = (0..left.calls()).map(|call| keys(&left.call(call))).collect();
    let right_keys: Vec<CallKeys> = (0..right.calls()).map(|call| keys(&right.call(call))).collect();
    let pairs = align::align(&left_keys, &right_keys);
    let row = |(of_left, of_right)| {
        let changes = match (of_left, of_right) {
            (Some(one), Some(other)) => changes(&left.call(one), &right.call(other)),
            _ => Vec::new(),
        };
        CallRow { left: of_left, right: of_right, changes }
    };
    pairs.into_iter().map(row).collect()
}

/// What calls are aligned by.
fn keys(call: &Facts) -> CallKeys {
    let name = hash(&call.name);
    let mut values: Vec<(String, String)> =
        flatten(&call.parameters).into_iter().map(|(path, value)| (path, value.to_string())).collect();
    values.sort_unstable();
    let parameters = hash(&values);
    CallKeys { name, id: call.id.as_ref().map(hash), parameters }
}

/// What differs between two calls.
pub fn changes(left: &Facts, right: &Facts) -> Vec<PartChange> {
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

/// What stands at a path on each side.
#[derive(Clone, Debug, PartialEq)]
pub struct ValuePair {
    /// The path, as in [`Part::Parameter`].
    pub path: String,
    /// What stands there on the left, if anything does.
    pub old: Option<Value>,
    /// What stands there on the right, if anything does.
    pub new: Option<Value>,
}

impl ValuePair {
    /// Whether a tool would see the same on both sides.
    pub fn is_same(&self) -> bool {
        self.old.as_ref().zip(self.new.as_ref()).is_some_and(|(old, new)| same(old, new))
    }
}

/// The plain values of two values, path by path: in the order of the left one, and what only the right one has behind
/// what stands before it there.
pub fn value_pairs(left: &Value, right: &Value) -> Vec<ValuePair> {
    let (left, right) = (flatten(left), flatten(right));
    let place: HashMap<&str, usize> = left.iter().enumerate().map(|(at, (path, _))| (path.as_str(), at)).collect();
    let mut pairs: Vec<Option<Value>> = vec![None; left.len()];
    // What only the right side has, by how many of the left ones stand before it.
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
        // What has gone stands before what has come.
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

/// What makes two problems the same one: its kind, its words and the row of its call.
type Problem = (Code, Severity, String, Option<usize>);

/// The numbers of the problems, and the problems, in the order of the text.
fn problems(session: &Session, rows: &HashMap<usize, usize>) -> (Vec<usize>, Vec<Problem>) {
    let document = session.document();
    let problems = document.order().iter().filter_map(|&number| {
        let problem = document.diagnostics().get(number as usize)?;
        let call = problem.item.and_then(|item| document.call_number(item));
        let row = call.and_then(|call| rows.get(&call).copied());
        Some((number as usize, (problem.code, problem.severity, problem.message, row)))
    });
    problems.unzip()
}

/// The places of those that are not among the others; of several that are the same, of the last ones.
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

/// A hash of the bytes of a span, which are read piece by piece.
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
