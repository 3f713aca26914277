//! The reading order of the observations of a document: by their times, with what encloses others around these.

use std::cmp::Reverse;
use std::collections::HashMap;

use jiff::Timestamp;

use super::super::answer::time_of;
use super::super::json::JsonValue;

/// Most levels of observations that are distinguished.
const MOST_LEVELS: usize = 200;

/// Types of observations that are distinguished.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Kind {
    /// A request to a model.
    Generation,
    Tool,
    Agent,
    /// Steps without a model or a tool.
    #[default]
    Step,
}

/// Properties of an observation that determine its place.
#[derive(Clone, Debug, Default)]
pub(super) struct Placed {
    pub(super) id: Box<str>,
    pub(super) parent: Option<Box<str>>,
    pub(super) name: Option<Box<str>>,
    pub(super) kind: Kind,
    has_failed: bool,
    start: Option<Timestamp>,
}

impl Placed {
    pub(super) fn new(value: JsonValue<'_>) -> Self {
        let kind = value.text_of("type").unwrap_or_default();
        let is = |word: &str| kind.eq_ignore_ascii_case(word);
        Self {
            id: value.words_of("id").unwrap_or_default(),
            parent: value.words_of("parentObservationId"),
            name: value.words_of("name"),
            kind: match () {
                () if is("AGENT") => Kind::Agent,
                () if is("GENERATION") => Kind::Generation,
                () if is("TOOL") => Kind::Tool,
                () => Kind::Step,
            },
            has_failed: value.is_string("level", "ERROR"),
            start: time_of(value, &["startTime"]),
        }
    }
}

/// The part of an observation that is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Phase {
    /// Its input, before the observations that it encloses.
    Input,
    /// Everything: it encloses no request.
    Whole,
    /// Its output, after the observations that it encloses.
    Output,
}

/// Observations that another one encloses.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Encloses {
    /// True if one of them is a request.
    pub(super) requests: bool,
    /// True if one of them failed.
    pub(super) failures: bool,
}

/// The observations by number, in reading order.
pub(super) fn order(all: &[&Placed]) -> Vec<(usize, Phase, Encloses)> {
    let numbers: HashMap<&str, usize> = all.iter().enumerate().map(|(number, one)| (&*one.id, number)).collect();
    let parent = |number: usize| all[number].parent.as_ref().and_then(|id| numbers.get(&**id).copied());
    let level = |number: usize| std::iter::successors(parent(number), |up| parent(*up)).take(MOST_LEVELS).count();
    let levels: Vec<usize> = (0..all.len()).map(level).collect();
    let mut begins: Vec<Option<Timestamp>> = all.iter().map(|one| one.start).collect();
    let mut ends = begins.clone();
    let mut encloses = vec![Encloses::default(); all.len()];
    let mut has_inner = vec![false; all.len()];
    let mut deepest_first: Vec<usize> = (0..all.len()).collect();
    deepest_first.sort_by_key(|number| Reverse(levels[*number]));
    for number in deepest_first {
        let Some(up) = parent(number) else { continue };
        begins[up] = begins[up].into_iter().chain(begins[number]).min();
        ends[up] = ends[up].into_iter().chain(ends[number]).max();
        has_inner[up] = true;
        encloses[up].requests |= encloses[number].requests || all[number].kind == Kind::Generation;
        encloses[up].failures |= encloses[number].failures || all[number].has_failed;
    }
    let mut order = Vec::with_capacity(all.len());
    for (number, one) in all.iter().enumerate() {
        let level = i64::try_from(levels[number]).unwrap_or_default();
        // A request without others in it has its answer before its tools run.
        let (is_generation, is_tool) = (one.kind == Kind::Generation, one.kind == Kind::Tool);
        let is_whole = if is_generation { !encloses[number].requests } else { !has_inner[number] };
        match () {
            () if is_whole && (is_generation || is_tool) => {
                order.push((one.start, Phase::Whole, 0, number, Phase::Whole));
            }
            () if is_whole => {
                order.push((one.start, Phase::Whole, 0, number, Phase::Input));
                order.push((one.start, Phase::Whole, 0, number, Phase::Output));
            }
            // The result of a call follows the work of its tool.
            () if is_tool => order.push((ends[number], Phase::Output, -level, number, Phase::Whole)),
            () => {
                order.push((begins[number], Phase::Input, level, number, Phase::Input));
                order.push((ends[number], Phase::Output, -level, number, Phase::Output));
            }
        }
    }
    order.sort();
    order.into_iter().map(|(_, _, _, number, phase)| (number, phase, encloses[number])).collect()
}
