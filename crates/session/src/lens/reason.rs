//! Finds reasons for differences from the first outcome that the parsers themselves do not explain.

use std::collections::BTreeSet;

use serde_json::Value as Json;

use super::{FactPlace, FactState, Group, LensRow, OutcomeFact};
use crate::diagnostic::Code;
use crate::runtime::places::Places;
use crate::runtime::profile::Behaviour;
use crate::runtime::{DeliveredArguments, PartKind, Reason, RuntimeReading};
use crate::text::Span;
use crate::value::cast::TypeOrigin;
use crate::value::json::flavour::{self, Flavour};
use crate::value::place::SourceText;

/// An outcome together with the first one, which it is compared with.
struct Compared<'a> {
    text: &'a str,
    base: &'a RuntimeReading,
    own: &'a RuntimeReading,
    /// Rules of the parser of `own`.
    behaviour: &'a Behaviour,
    /// Facts of the first outcome.
    known: &'a [OutcomeFact],
    base_places: Vec<Places>,
    own_places: Vec<Places>,
}

/// The reasons for facts of a group that differ from the first group's, unless its parsers already explain them.
pub(super) fn reasons(text: &str, first: &Group, group: &Group, rows: &[LensRow]) -> Vec<Reason> {
    let row = &rows[group.rows[0]];
    let (base, own) = (&rows[first.rows[0]].reading, &row.reading);
    if own.outcome.error.is_some() {
        return Vec::new();
    }
    let compared = Compared {
        text,
        base,
        own,
        behaviour: &row.parser.profile.whole,
        known: &first.facts,
        base_places: base.call_places(),
        own_places: own.call_places(),
    };
    let of_calls = own.reasons.iter().any(|reason| !is_of_prose(reason.code));
    let of_prose = own.reasons.iter().any(|reason| is_of_prose(reason.code));
    let differs =
        |place: &FactPlace| group.facts.iter().any(|fact| fact.place == *place && fact.state != FactState::Same);
    let is_of_call = |place: &FactPlace| !matches!(place, FactPlace::Content | FactPlace::Reasoning);
    let differ_in_calls = group.facts.iter().any(|fact| fact.state != FactState::Same && is_of_call(&fact.place));
    let mut out: BTreeSet<(Span, Code)> = BTreeSet::new();
    for fact in group.facts.iter().filter(|fact| fact.state != FactState::Same) {
        let is_said = match fact.place {
            // A reason for a call also explains the text that it turns into.
            FactPlace::Content | FactPlace::Reasoning => {
                of_prose || (of_calls && (differ_in_calls || own.outcome.calls.is_empty()))
            }
            // A reason for a call, or for all its arguments, also explains each argument.
            FactPlace::Value(number, ref path) => {
                let whole = FactPlace::Value(number, String::new());
                of_calls || differs(&FactPlace::Call(number)) || (!path.is_empty() && differs(&whole))
            }
            FactPlace::Id(number) => of_calls || differs(&FactPlace::Call(number)),
            _ => of_calls,
        };
        if !is_said {
            out.extend(compared.reason(fact).map(|(code, span)| (span, code)));
        }
    }
    out.into_iter().map(|(span, code)| Reason { code, span }).collect()
}

/// Further reasons, with the numbers of their rows: ids that only other parsers read, and losses of the first group.
pub(super) fn losses(text: &str, groups: &[Group], rows: &[LensRow]) -> Vec<(usize, Reason)> {
    let places: Vec<Vec<Places>> = rows.iter().map(|row| row.reading.call_places()).collect();
    let with_ids: Vec<&Places> = places.iter().flatten().filter(|places| !places.id.is_empty()).collect();
    let mut out = Vec::new();
    for (number, row) in rows.iter().enumerate() {
        if row.reading.outcome.calls.iter().any(|call| call.id.is_some()) {
            continue;
        }
        let mut ids: BTreeSet<Span> = BTreeSet::new();
        for places in &places[number] {
            ids.extend(with_ids.iter().filter(|other| overlap(other.call, places.call)).map(|other| other.id));
        }
        out.extend(ids.into_iter().map(|span| (number, Reason { code: Code::IdNotRead, span })));
    }
    let Some((first, others)) = groups.split_first() else { return out };
    for &number in &first.rows {
        let reading = &rows[number].reading;
        if reading.reasons.iter().any(|reason| !is_of_prose(reason.code)) {
            continue;
        }
        let own = &places[number];
        let most = others.iter().map(|group| &places[group.rows[0]]).max_by_key(|places| places.len());
        let missed = most.filter(|most| most.len() > own.len()).into_iter().flatten();
        let missed = missed.filter(|call| !call.name.is_empty() && own.iter().all(|own| !overlap(own.name, call.name)));
        out.extend(missed.map(|call| (number, Reason { code: Code::CallNotFound, span: call.call })));
        for (call, place) in reading.outcome.calls.iter().zip(own) {
            let span = match &call.arguments {
                DeliveredArguments::Text(arguments) => broken_part(text, place.call, arguments),
                DeliveredArguments::Object(_) | DeliveredArguments::Value(_) => None,
            };
            out.extend(span.map(|span| (number, Reason { code: Code::BrokenArguments, span })));
        }
    }
    out
}

/// The token of a call at which its argument text stops being JSON; the whole call if the token is not found. `None` if
/// the text is JSON.
fn broken_part(text: &str, call: Span, arguments: &str) -> Option<Span> {
    let fault = flavour::read_all(SourceText::whole(arguments), Flavour::Strict).err()?;
    let rest = arguments.get(fault.at..).unwrap_or_default();
    let word = &rest[..rest.find([',', '}', ']']).unwrap_or(rest.len())];
    let at = text.get(call.start..call.end).and_then(|text| text.find(word)).filter(|_| !word.is_empty());
    Some(at.map_or(call, |at| Span::new(call.start + at, call.start + at + word.len())))
}

impl Compared<'_> {
    fn reason(&self, fact: &OutcomeFact) -> Option<(Code, Span)> {
        let is_missing = fact.state == FactState::Missing;
        let (base, own) = (&self.base_places, &self.own_places);
        match &fact.place {
            FactPlace::Call(number) if is_missing => {
                let mut lost = base.iter().filter(|places| own.iter().all(|other| !overlap(places.call, other.call)));
                let lost = lost.nth(number.saturating_sub(own.len())).or(base.get(*number));
                lost.map(|places| (Code::CallNotFound, places.call))
            }
            FactPlace::Call(number) => own.get(*number).map(|places| (Code::CallBoundaries, places.call)),
            // A parser that delivers no id has its own reason for that.
            FactPlace::Id(number) => {
                let id = |places: &Places| (!places.id.is_empty()).then_some((Code::CallBoundaries, places.id));
                let both = base.get(*number).zip(own.get(*number)).filter(|(base, _)| !base.id.is_empty());
                both.and_then(|(_, own)| id(own))
            }
            // The value belongs to another call, which has its own reason.
            FactPlace::Value(number, _) if self.are_other_calls(*number) && base.len() != own.len() => None,
            FactPlace::Value(number, path) => {
                let places = (if is_missing { base } else { own }).get(*number)?;
                let key = path.split('/').next().unwrap_or_default();
                let value = places.values.iter().find(|(name, ..)| name == key).map(|(_, _, value)| *value);
                let span = value.filter(|span| !span.is_empty()).unwrap_or(places.call);
                Some((self.of_value(fact), span))
            }
            FactPlace::Content | FactPlace::Reasoning => Some(self.of_text(&fact.place)),
            FactPlace::Error => None,
        }
    }

    /// True if the calls with this number are at different places in the two outcomes.
    fn are_other_calls(&self, number: usize) -> bool {
        let calls = self.base_places.get(number).zip(self.own_places.get(number));
        calls.is_some_and(|(one, other)| !overlap(one.call, other.call))
    }

    /// The reason why a value differs from the first outcome's.
    fn of_value(&self, fact: &OutcomeFact) -> Code {
        let other = self.known.iter().find(|known| known.place == fact.place).map(|known| &known.value);
        // The same bytes may be a nested value in one outcome and text in the other.
        let nests = |known: &&OutcomeFact| match (&known.place, &fact.place) {
            (FactPlace::Value(one, outer), FactPlace::Value(other, inner)) if one == other => {
                let within =
                    |inner: &str, outer: &str| inner.strip_prefix(outer).is_some_and(|rest| rest.starts_with('/'));
                !outer.is_empty() && !inner.is_empty() && (within(inner, outer) || within(outer, inner))
            }
            _ => false,
        };
        if other.is_none() && self.known.iter().any(|known| nests(&known)) {
            return self.origin();
        }
        match (other, &fact.value) {
            // The argument text is passed on, and is not JSON.
            (_, Json::String(_)) if is_whole(&fact.place) && fact.state != FactState::Missing => Code::BrokenArguments,
            (Some(_), _) if is_whole(&fact.place) => self.origin(),
            (None, _) => Code::ValueBoundaries,
            _ if fact.state == FactState::Missing => Code::ValueBoundaries,
            (Some(Json::String(one)), Json::String(own)) if one.trim() == own.trim() => Code::ValueTrimmed,
            (Some(Json::String(one)), Json::String(own))
                if one.contains(own.as_str()) || own.contains(one.as_str()) =>
            {
                Code::ValueBoundaries
            }
            _ => self.origin(),
        }
    }

    /// The reason for the type of a value, according to the parser's rules.
    fn origin(&self) -> Code {
        match self.behaviour.type_origin() {
            TypeOrigin::Schema => Code::TypedBySchema,
            TypeOrigin::Json => Code::TypedByJson,
            TypeOrigin::Python => Code::TypedByPython,
        }
    }

    /// The reason why content or reasoning differs from the first outcome's.
    fn of_text(&self, place: &FactPlace) -> (Code, Span) {
        let parts = |reading: &RuntimeReading, kind: PartKind| {
            reading.parts.iter().filter(move |part| part.kind == kind).map(|part| part.span).collect::<Vec<_>>()
        };
        let [base, own] = [self.base, self.own].map(|reading| {
            let [content, reasoning] = [PartKind::Content, PartKind::Reasoning].map(|kind| parts(reading, kind));
            (content, reasoning)
        });
        let whole = Span::new(0, self.text.len());
        let overlaps = |one: &[Span], other: &[Span]| {
            one.iter().copied().find(|span| other.iter().any(|other| overlap(*span, *other)))
        };
        if let Some(span) = overlaps(&base.1, &own.0) {
            return (Code::ThinkingInContent, span);
        }
        if let Some(span) = own.1.iter().copied().find(|span| !base.1.contains(span)) {
            return (Code::ThinkingSplitOff, span);
        }
        if let Some(span) = base.1.iter().copied().find(|span| !own.1.contains(span)) {
            return (Code::ReasoningLost, span);
        }
        let outcomes = [&self.base.outcome, &self.own.outcome].map(|outcome| match place {
            FactPlace::Reasoning => outcome.reasoning.as_deref().unwrap_or_default(),
            _ => outcome.content.as_deref().unwrap_or_default(),
        });
        let [one, other] = outcomes;
        let span = own.0.first().or(base.0.first()).copied().unwrap_or(whole);
        if one.trim() == other.trim() {
            return (if other.len() < one.len() { Code::ProseTrimmed } else { Code::ProseKept }, span);
        }
        let lost = base.0.iter().copied().find(|span| !own.0.contains(span));
        let kept = own.0.iter().copied().find(|span| !base.0.contains(span));
        match (other.len() < one.len(), lost, kept) {
            (true, Some(span), _) => (Code::ProseLost, span),
            (_, _, Some(span)) => (Code::ProseKept, span),
            (true, ..) => (Code::ProseLost, span),
            _ => (Code::ProseKept, span),
        }
    }
}

/// Narrows the reason for a missing call to the place where the parser's grammar stops, if known.
pub(super) fn from_stop(reading: &RuntimeReading, reason: Reason) -> Reason {
    let call = reason.span;
    let stops = reading.stops.iter().map(|stop| stop.at).filter(|at| (call.start + 1..=call.end).contains(at));
    match stops.max() {
        Some(at) if reason.code == Code::CallNotFound && reading.outcome.calls.is_empty() => {
            Reason { span: Span::new(at, call.end), ..reason }
        }
        _ => reason,
    }
}

fn overlap(one: Span, other: Span) -> bool {
    other.start < one.end && one.start < other.end
}

/// True if a fact is about the arguments of a call as a whole.
fn is_whole(place: &FactPlace) -> bool {
    matches!(place, FactPlace::Value(_, path) if path.is_empty())
}

/// True for a rule about text outside of calls that is lost.
pub(super) fn is_of_prose(code: Code) -> bool {
    matches!(code, Code::ProseLost | Code::ProseTrimmed | Code::ReasoningLost | Code::ReplacedByLater)
}
