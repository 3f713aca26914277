//! Why a parser differs where it does not say so itself: what another one finds in these bytes.

use std::collections::BTreeSet;

use super::{Fact, FactPlace, FactState, Group, LensRow};
use crate::diagnostic::Code;
use crate::runtime::{Reason, RuntimeReading};
use crate::text::Span;

/// The reasons of a group of which the parsers give none; `base` is the reading of the first group.
pub(super) fn reasons(text: &str, base: &RuntimeReading, group: &Group, rows: &[LensRow]) -> Vec<Reason> {
    let reading = &rows[group.rows[0]].reading;
    if reading.reasons.iter().any(|reason| !is_of_prose(reason.code)) || reading.outcome.error.is_some() {
        return Vec::new();
    }
    let different = |fact: &&Fact| fact.state != FactState::Same;
    let [of_base, own] = [base, reading].map(|reading| reading.call_places(text));
    let mut out: BTreeSet<(Span, Code)> = BTreeSet::new();
    for fact in group.facts.iter().filter(different) {
        let found = match (&fact.place, fact.state) {
            (FactPlace::Call(number), FactState::Missing) => {
                of_base.get(*number).map(|places| (Code::CallNotFound, places.call))
            }
            (FactPlace::Call(number), _) => own.get(*number).map(|places| (Code::CallReadOtherwise, places.call)),
            (FactPlace::Value(number, path), state) => {
                let calls = if state == FactState::Missing { &of_base } else { &own };
                let key = path.split('/').next().unwrap_or_default();
                calls.get(*number).map(|places| {
                    let value = places.values.iter().find(|(name, ..)| name == key).map(|(_, _, value)| *value);
                    (Code::ValueReadOtherwise, value.filter(|span| !span.is_empty()).unwrap_or(places.call))
                })
            }
            _ => None,
        };
        out.extend(found.map(|(code, span)| (span, code)));
    }
    out.into_iter().map(|(span, code)| Reason { code, span }).collect()
}

fn is_of_prose(code: Code) -> bool {
    matches!(code, Code::ProseLost | Code::ProseTrimmed)
}
