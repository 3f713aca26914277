//! Why a parser differs where it does not say so itself: what another one finds in these bytes.

use super::{Fact, FactPlace, FactState, Group, LensRow};
use crate::diagnostic::Code;
use crate::runtime::places::places;
use crate::runtime::{PartKind, Reason, RuntimeReading};

/// The reasons of a group of which the parsers give none; `base` is the reading of the first group.
pub(super) fn reasons(text: &str, base: &RuntimeReading, group: &Group, rows: &[LensRow]) -> Vec<Reason> {
    let reading = &rows[group.rows[0]].reading;
    if reading.reasons.iter().any(|reason| !is_of_prose(reason.code)) || reading.outcome.error.is_some() {
        return Vec::new();
    }
    let different = |fact: &&Fact| fact.state != FactState::Same;
    let mut out: Vec<Reason> = Vec::new();
    for fact in group.facts.iter().filter(different) {
        let found = match (&fact.place, fact.state) {
            (FactPlace::Call(number), FactState::Missing) => {
                call_places(text, base).get(*number).map(|places| (Code::CallNotFound, places.call))
            }
            (FactPlace::Call(number), _) => {
                call_places(text, reading).get(*number).map(|places| (Code::CallReadOtherwise, places.call))
            }
            (FactPlace::Value(number, path), state) => {
                let reading = if state == FactState::Missing { base } else { reading };
                let key = path.split('/').next().unwrap_or_default();
                call_places(text, reading).get(*number).map(|places| {
                    let value = places.values.iter().find(|(name, ..)| name == key).map(|(_, _, value)| *value);
                    (Code::ValueReadOtherwise, value.filter(|span| !span.is_empty()).unwrap_or(places.call))
                })
            }
            _ => None,
        };
        let reason = found.map(|(code, span)| Reason { code, span });
        out.extend(reason.filter(|reason| !out.contains(reason)));
    }
    out
}

fn is_of_prose(code: Code) -> bool {
    matches!(code, Code::ProseLost | Code::ProseTrimmed)
}

/// Where the calls of a reading stand.
fn call_places(text: &str, reading: &RuntimeReading) -> Vec<crate::runtime::places::Places> {
    let mut calls = reading.outcome.calls.iter();
    let mut out = Vec::new();
    for part in &reading.parts {
        let PartKind::Calls(count) = part.kind else { continue };
        out.extend(places(text, part.span, calls.by_ref().take(count)).into_iter().map(|(places, _)| places));
    }
    out
}
