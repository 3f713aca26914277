//! Test cases of a prompt format: texts with their expected results.
//!
//! The expected result is a short form of the output of `parse`, without offsets, so that changes are readable. A case
//! is read as a whole, byte by byte and in random pieces, which must all give identical results.

pub mod container_declaration;
pub mod declaration;
pub mod folder;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use crate::compare::{self, CallFacts, CallRow, RowKind};
use crate::config::ReadOptions;
use crate::container::Container;
use crate::dialect::Options;
use crate::document::Item;
use crate::export::json;
use crate::session::Session;
use crate::text::Walk;

/// Number of random ways to cut a case.
const RANDOM_CUTS: u64 = 4;

/// Maximum length of a random piece, in bytes.
const LONGEST_PIECE: u64 = 48;

/// A text under test, and how to read it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    /// The bytes of the transcript file.
    pub text: Vec<u8>,
    /// Container format; by default it is detected.
    pub container: Container,
    /// Dialects to read, with their markers and schemas.
    pub options: Options,
}

/// Expected result of a case.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ExpectedOutcome {
    /// Options for reading the case, if not the defaults.
    #[serde(default)]
    pub options: ReadOptions,
    /// All items, in text order.
    pub items: Vec<Value>,
    /// The problems, in text order.
    pub problems: Vec<Value>,
}

impl ExpectedOutcome {
    /// Parses the expected result in a file.
    pub fn parse(bytes: &[u8]) -> serde_json::Result<Self> {
        serde_json::from_slice(bytes)
    }

    /// The result of a completely read session, in the form of an expected one.
    pub fn from_session(session: &Session, options: ReadOptions) -> Self {
        let document = session.document();
        let mut walk = Walk::default();
        let items = (0..document.items().len()).filter_map(|number| {
            let item = document.items().get(number)?;
            let line = session.position_by(&mut walk, item.span().start).line;
            Some(record(session, number, &item, line))
        });
        let items = items.collect();
        let mut walk = Walk::default();
        let problems = document.sorted_diagnostics().map(|problem| {
            let line = session.place_of_problem(&mut walk, &problem).line;
            json!({"code": problem.code.name(), "severity": problem.severity.word(), "line": line})
        });
        let problems = problems.collect();
        Self { options, items, problems }
    }

    fn calls(&self) -> Vec<CallFacts> {
        self.items.iter().filter(|item| item["type"] == "call").map(facts).collect()
    }
}

fn record(session: &Session, number: usize, item: &Item<'_>, line: usize) -> Value {
    let kind = match item {
        Item::Call(_) => {
            let facts = compare::facts(session, number).unwrap_or_default();
            return call_record(&facts, line);
        }
        Item::Text(_) => "text",
        Item::Result(_) => "result",
        Item::Aside(_) => "aside",
    };
    json!({"type": kind, "line": line})
}

fn call_record(facts: &CallFacts, line: usize) -> Value {
    let mut record = Map::from_iter([("type".to_owned(), "call".into()), ("line".to_owned(), line.into())]);
    let known = serde_json::to_value(facts).unwrap_or_default();
    for (key, value) in known.as_object().into_iter().flatten() {
        // The parameters of a rejected call are not the input of a tool.
        let is_partial = key == "parameters" && facts.refusal.is_some();
        record.insert(if is_partial { "partial" } else { key }.to_owned(), value.clone());
    }
    Value::Object(record)
}

/// Restores a call from its record.
fn facts(record: &Value) -> CallFacts {
    let mut facts: CallFacts = serde_json::from_value(record.clone()).unwrap_or_default();
    facts.outcome.retain(|key, _| ["state", "output", "error_text", "extra"].contains(&key.as_str()));
    facts
}

/// Result of running a case.
#[derive(Clone, Debug, PartialEq)]
pub struct CaseOutcome {
    /// Result for the whole text, in the form of an expected one.
    pub found: ExpectedOutcome,
    /// Difference from the expected result; `None` if there is none.
    pub difference: Option<CaseDiff>,
    /// The ways to cut the text whose results differ from the whole text's: `byte by byte`, `random cuts 2`.
    pub cuts: Vec<String>,
}

/// Difference between the expected and the actual result.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CaseDiff {
    /// Differing pairs of expected and actual calls.
    pub rows: Vec<CallRow>,
    /// Tool names of the expected and the actual calls, for the numbers in `rows`.
    pub names: [Vec<String>; 2],
    /// Other expected items and problems that are missing, one line each.
    pub missing: Vec<String>,
    /// Other items and problems that are not expected.
    pub unexpected: Vec<String>,
}

/// Reads a case in every way and compares the result with the expected one. Without an expected result, any result is
/// accepted.
pub(crate) fn run(case: &Case, options: ReadOptions, expected: Option<&ExpectedOutcome>) -> CaseOutcome {
    let whole = read(case, std::iter::once(case.text.len()));
    let printed = printed(&whole);
    let mut cuts = Vec::new();
    if printed != self::printed(&read(case, std::iter::repeat(1))) {
        cuts.push("byte by byte".to_owned());
    }
    for seed in 1..=RANDOM_CUTS {
        if printed != self::printed(&read(case, pieces(seed))) {
            cuts.push(format!("random cuts {seed}"));
        }
    }
    let found = ExpectedOutcome::from_session(&whole, options);
    let difference = expected.and_then(|expected| difference(expected, &found));
    CaseOutcome { found, difference, cuts }
}

/// Reads a case in pieces of these lengths.
fn read(case: &Case, lengths: impl Iterator<Item = usize>) -> Session {
    let mut session = Session::new(case.container, &case.options);
    let mut rest = case.text.as_slice();
    for length in lengths {
        if rest.is_empty() {
            break;
        }
        let (piece, behind) = rest.split_at(length.min(rest.len()));
        session.push(piece);
        rest = behind;
    }
    session.finish();
    session
}

/// The complete JSON output of a session.
fn printed(session: &Session) -> Vec<u8> {
    let mut out = Vec::new();
    json::write_transcript(&mut out, session, "", None, None).expect("into memory");
    out
}

/// Pseudo-random piece lengths, determined by the seed (xorshift64).
fn pieces(seed: u64) -> impl Iterator<Item = usize> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    std::iter::repeat_with(move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        usize::try_from(state % LONGEST_PIECE).unwrap_or(0) + 1
    })
}

fn difference(expected: &ExpectedOutcome, found: &ExpectedOutcome) -> Option<CaseDiff> {
    if expected.items == found.items && expected.problems == found.problems {
        return None;
    }
    let calls = [expected.calls(), found.calls()];
    let names = calls.each_ref().map(|calls| calls.iter().map(|call| call.name.clone()).collect());
    let rows = compare::rows(calls[0].as_slice(), calls[1].as_slice());
    let rows = rows.into_iter().filter(|row| row.kind() != RowKind::Same).collect();
    let others = |side: &ExpectedOutcome| -> Vec<String> {
        let items = side.items.iter().map(|item| {
            let what = item["name"].as_str().map_or_else(String::new, |name| format!(" {name}"));
            format!("{}{what}, line {}", item["type"].as_str().unwrap_or("item"), item["line"])
        });
        let problems = side.problems.iter().map(|problem| {
            let word = |key: &str| problem[key].as_str().unwrap_or_default().to_owned();
            format!("{}[{}], line {}", word("severity"), word("code"), problem["line"])
        });
        items.chain(problems).collect()
    };
    let (expected, found) = (others(expected), others(found));
    let without = |some: &[String], others: &[String]| -> Vec<String> {
        compare::unmatched(some, others).into_iter().map(|at| some[at].clone()).collect()
    };
    let mut difference =
        CaseDiff { rows, names, missing: without(&expected, &found), unexpected: without(&found, &expected) };
    if difference.rows.is_empty() && difference.missing.is_empty() && difference.unexpected.is_empty() {
        difference.missing.push("items differ in their order or members".to_owned());
    }
    Some(difference)
}

#[cfg(test)]
mod tests;
