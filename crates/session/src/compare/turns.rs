//! Aligns the turns of two recorded sessions by their prompts, and the calls of a pair of turns by tool and main argument.
//!
//! Ids and dialects are not compared, since each session has its own; neither are times and tokens, which differ between
//! any two.

use std::ops::Range;

use super::align::{Round, align};
use super::{Answered, CallList as _, CallRow, ComparedPart, Part, changes, hash, hash_of};
use crate::document::Turn;
use crate::session::Session;
use crate::session::prompt::{prompt_line, prompt_span};
use crate::text::Span;
use crate::value::flatten::flatten;
use crate::value::main_argument::main_argument;
use crate::value::tree_json::to_json;

/// A turn of one side, or a pair of corresponding turns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TurnPair {
    /// The turn on the left; `None` if only the right side has it.
    pub left: Option<Turn>,
    /// The turn on the right; `None` if only the left side has it. If neither side has a turn, the rows are the calls before the first prompts.
    pub right: Option<Turn>,
    /// The rows of its calls, as indexes of [`Comparison::rows`](super::Comparison::rows); empty without calls.
    pub rows: Range<usize>,
    /// True if both sides have the turn, and its prompts are equal.
    pub has_same_prompt: bool,
}

/// The respect in which two calls differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum CallDifference {
    /// The name of the tool is another one.
    Tool,
    /// A parameter is missing, added or has another value.
    Argument,
    /// The way the call ended: failed, rejected, unterminated.
    Outcome,
    /// The text or value of the result.
    Result,
}

impl CallRow {
    /// The respects in which the calls of a pair differ, without repetition.
    pub fn differences(&self) -> Vec<CallDifference> {
        let respect = |part: &Part| match part {
            Part::Name => Some(CallDifference::Tool),
            Part::Parameter(_) => Some(CallDifference::Argument),
            Part::Status | Part::Refusal => Some(CallDifference::Outcome),
            Part::Outcome(path) if path == "verdict" || path == "state" => Some(CallDifference::Outcome),
            Part::Outcome(_) => Some(CallDifference::Result),
            Part::Id | Part::Dialect | Part::Dependencies => None,
        };
        let mut found: Vec<_> = self.changes.iter().filter_map(|change| respect(&change.part)).collect();
        found.sort_unstable();
        found.dedup();
        found
    }
}

/// Aligns two sessions, or parts of them, by turns; `None` unless both have turns. Both sides keep their order.
pub(super) fn by_turn(left: ComparedPart<'_>, right: ComparedPart<'_>) -> Option<(Vec<CallRow>, Vec<TurnPair>)> {
    let [left_numbers, right_numbers] = [left, right].map(ComparedPart::calls);
    let (left_turns, right_turns) = (TurnCalls::of(left, &left_numbers), TurnCalls::of(right, &right_numbers));
    let (left, right) = (left.session, right.session);
    // The calls before the first prompt are always there.
    if left_turns.len() < 2 || right_turns.len() < 2 {
        return None;
    }
    let (left_calls, right_calls) = (call_keys(left, &left_numbers), call_keys(right, &right_numbers));
    let turn_keys = |session: &Session, turns: &[TurnCalls], calls: &[RunCallKeys]| -> Vec<TurnKeys> {
        turns.iter().enumerate().map(|(index, turn)| TurnKeys::new(session, (index, turn), calls)).collect()
    };
    let (left_keys, right_keys) =
        (turn_keys(left, &left_turns, &left_calls), turn_keys(right, &right_turns, &right_calls));
    let (mut rows, mut pairs) = (Vec::new(), Vec::new());
    for (one, other) in align(&left_keys, &right_keys, &BY_PROMPT) {
        let start = rows.len();
        let range = |turns: &[TurnCalls], at: Option<usize>| at.map_or(0..0, |at| turns[at].calls.clone());
        let (of_left, of_right) = (range(&left_turns, one), range(&right_turns, other));
        let calls = align(&left_calls[of_left.clone()], &right_calls[of_right.clone()], &BY_ARGUMENT);
        rows.extend(calls.into_iter().map(|(one, other)| {
            let (one, other) =
                (one.map(|at| left_numbers[of_left.start + at]), other.map(|at| right_numbers[of_right.start + at]));
            CallRow { left: one, right: other, changes: differing_parts((left, one), (right, other)) }
        }));
        let turn = |turns: &[TurnCalls], at: Option<usize>| at.and_then(|at| turns[at].turn);
        let (of_left, of_right) = (turn(&left_turns, one), turn(&right_turns, other));
        let prompts = one.zip(other).map(|(one, other)| left_keys[one].prompt == right_keys[other].prompt);
        if of_left.is_some() || of_right.is_some() || rows.len() > start {
            let has_same_prompt = prompts.unwrap_or_default();
            pairs.push(TurnPair { left: of_left, right: of_right, rows: start..rows.len(), has_same_prompt });
        }
    }
    Some((rows, pairs))
}

/// The changes of a pair of calls that matter between sessions.
fn differing_parts(left: (&Session, Option<usize>), right: (&Session, Option<usize>)) -> Vec<super::PartChange> {
    let call = |(session, call): (&Session, Option<usize>)| call.map(|call| Answered(session).call(call));
    let (Some(one), Some(other)) = (call(left), call(right)) else { return Vec::new() };
    let mut changes = changes(&one, &other);
    changes.retain(|change| !matches!(change.part, Part::Id | Part::Dialect | Part::Dependencies));
    changes
}

/// A turn with its calls.
struct TurnCalls {
    /// `None` for the calls before the first prompt.
    turn: Option<Turn>,
    /// Positions of its calls among the compared calls of its side, from 0.
    calls: Range<usize>,
}

impl TurnCalls {
    /// The calls before the first prompt, then all turns of which something is compared, in file order. `numbers` are the
    /// compared calls.
    fn of(side: ComparedPart<'_>, numbers: &[usize]) -> Vec<Self> {
        let document = side.session.document();
        let first = |turn: Turn| document.items_before(document.messages().start(turn.first).unwrap_or_default());
        let before = |item: usize| {
            let call = document.calls_before(item);
            numbers.partition_point(|&number| number < call)
        };
        let starts = [(None, 0)].into_iter().chain(document.turns().map(|turn| (Some(turn), first(turn))));
        let ends = document.turns().map(first).chain([document.items().len()]);
        let turns = starts.zip(ends).filter(|((turn, start), end)| turn.is_none() || side.has_some(*start..*end));
        turns.map(|((turn, start), end)| Self { turn, calls: before(start)..before(end) }).collect()
    }
}

/// Numbers of words that two prompts must share to be paired, each the smallest by its own hash: a pair of prompts that
/// have the share s of their words in common shares both numbers of a band with the probability s².
const BANDS: usize = 6;

/// Hashes that identify a turn.
struct TurnKeys {
    /// Hash of the whole prompt; `None` for the calls before the first one.
    prompt: Option<u64>,
    /// Hashes that prompts with many common words are likely to share; `None` without words.
    similar: Option<[(u64, u64); BANDS]>,
    /// Tool and main argument of the first call.
    first_call: Option<(u64, u64)>,
    /// Position among the compared turns, from 1; 0 for the calls before the first prompt.
    index: usize,
}

/// The rounds that align turns: by the whole prompt, by similar prompts, by the first call. The first compared turns correspond
/// in any case, since sessions that do the same task may begin with different prompts.
const BY_PROMPT: [Round<TurnKeys>; BANDS + 3] = [
    |turn| Some((WHOLE, turn.prompt?, 0)),
    |turn| turn.band(0),
    |turn| turn.band(1),
    |turn| turn.band(2),
    |turn| turn.band(3),
    |turn| turn.band(4),
    |turn| turn.band(5),
    |turn| turn.first_call.map(|(name, argument)| (1, name, argument)),
    |turn| (turn.index < 2).then_some((0, turn.index as u64, 0)),
];

/// First part of the key by the whole prompt.
const WHOLE: u64 = 0;

impl TurnKeys {
    fn new(session: &Session, (index, turn): (usize, &TurnCalls), keys: &[RunCallKeys]) -> Self {
        let TurnCalls { turn, calls } = turn;
        let line = turn.map(|turn| prompt_line(session, turn));
        let span = turn.and_then(|turn| prompt_span(session, turn)).unwrap_or(Span::new(0, 0));
        let words: Vec<String> = line.iter().flat_map(|line| line.split_whitespace()).map(str::to_lowercase).collect();
        let smallest = |seed: usize| words.iter().map(|word| hash(&(seed, word))).min().unwrap_or_default();
        let first = keys[calls.clone()].first().filter(|_| turn.is_some());
        Self {
            prompt: line.as_ref().map(|line| hash(&(line, hash_of(session.text(), span)))),
            similar: (!words.is_empty())
                .then(|| std::array::from_fn(|band| (smallest(2 * band), smallest(2 * band + 1)))),
            first_call: first.and_then(|call| Some((call.name, call.argument?))),
            index,
        }
    }

    fn band(&self, band: usize) -> Option<(u64, u64, u64)> {
        let (one, other) = self.similar?[band];
        Some((band as u64, one, other))
    }
}

/// Hashes that identify a call of a session.
struct RunCallKeys {
    name: u64,
    /// Hash of the main argument.
    argument: Option<u64>,
    /// Hash of the parameters, independent of their order.
    parameters: u64,
}

/// The rounds that align calls without ids. Agents have different tools for the same, so that the main argument
/// precedes the tool.
const BY_ARGUMENT: [Round<RunCallKeys>; 4] = [
    |call| Some((call.name, call.parameters, 0)),
    |call| Some((call.name, call.argument?, 0)),
    |call| Some((0, call.argument?, 0)),
    |call| Some((call.name, 0, 0)),
];

/// The main argument of the call at item number `item`.
pub fn call_argument(session: &Session, item: usize) -> Option<String> {
    main_argument(&session.dissect(item)?.tree, session.text(), &[])
}

/// The keys of the calls with these numbers, in ascending order.
fn call_keys(session: &Session, numbers: &[usize]) -> Vec<RunCallKeys> {
    let text = session.text();
    let document = session.document();
    let keys = |item: usize| {
        let assembly = session.dissect(item).unwrap_or_default();
        let mut values: Vec<(String, String)> = flatten(&to_json(&assembly.tree, text))
            .into_iter()
            .map(|(path, value)| (path, value.to_string()))
            .collect();
        values.sort_unstable();
        RunCallKeys {
            name: hash(&document.call(item).map(|call| call.name(text))),
            argument: main_argument(&assembly.tree, text, &[]).map(|words| hash(&words)),
            parameters: hash(&values),
        }
    };
    let mut numbers = numbers.iter().peekable();
    let mut compared = document.calls().enumerate();
    let compared = compared.by_ref().filter(|(number, _)| numbers.next_if(|next| *next == number).is_some());
    compared.map(|(_, item)| keys(item)).collect()
}

#[cfg(test)]
mod tests;
