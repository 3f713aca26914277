//! An outcome as facts that can be compared one by one: each call, each value, the content, the reasoning, the error.

use std::collections::{HashMap, HashSet};

use serde_json::Value as Json;

use crate::runtime::Outcome;
use crate::text::Span;
use crate::value::flatten::flatten;
use crate::value::plain::{Member, Placed, PlainValue};

/// What a fact is about. Calls are counted from 0.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum FactPlace {
    /// The error that takes the place of a message.
    Error,
    /// The name of a call.
    Call(usize),
    /// The id of a call.
    Id(usize),
    /// A value of a call, with its path.
    Value(usize, String),
    /// The text of the answer.
    Content,
    /// The text of the reasoning.
    Reasoning,
}

/// How a fact compares with that of another outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FactState {
    /// It is the same there.
    Same,
    /// It is something else there, or there is none.
    Different,
    /// It is there, and missing here.
    Missing,
}

/// A part of an outcome.
#[derive(Clone, Debug, PartialEq)]
pub struct OutcomeFact {
    /// What of the outcome it is about.
    pub place: FactPlace,
    /// What it is: a text, a JSON value; a call's name as a text, or `null` where it has none.
    pub value: Json,
    /// How it compares with the first group's.
    pub state: FactState,
}

/// The bytes in the message of a name, an id or a value; nothing for one that the parser makes up, and for other facts.
pub fn source_of(outcome: &Outcome, place: &FactPlace) -> Option<Span> {
    let call = |number: &usize| outcome.calls.get(*number);
    match place {
        FactPlace::Call(number) => call(number)?.name_place.span(),
        FactPlace::Id(number) => call(number)?.id_place.span(),
        FactPlace::Value(number, path) => {
            let call = call(number)?;
            match call.arguments.members() {
                Some(members) if !members.is_empty() => value_at(members, path)?.place.span(),
                // Arguments without members: their text has no places, but the call has.
                _ => Some(call.span),
            }
        }
        FactPlace::Error | FactPlace::Content | FactPlace::Reasoning => None,
    }
}

/// The value at a path of [`flatten`], whose keys are escaped.
fn value_at<'a>(members: &'a [Member], path: &str) -> Option<&'a Placed> {
    let mut keys = path.split('/').map(|key| key.replace("~1", "/").replace("~0", "~"));
    let member = |members: &'a [Member], key: &str| members.iter().rfind(|member| member.key == key);
    let mut value = &member(members, &keys.next()?)?.value;
    for key in keys {
        value = match &value.value {
            PlainValue::Object(members) => &member(members, &key)?.value,
            PlainValue::List(items) => items.get(key.parse::<usize>().ok()?)?,
            _ => return None,
        };
    }
    Some(value)
}

/// Whether a call has no arguments, which is a fact of its own.
fn is_empty_object(value: &Json) -> bool {
    value.as_object().is_some_and(serde_json::Map::is_empty)
}

/// The facts of an outcome, not compared with another one.
pub fn facts(outcome: &Outcome) -> Vec<OutcomeFact> {
    let fact = |place, value| OutcomeFact { place, value, state: FactState::Same };
    let text = |text: &Option<String>| text.clone().map_or(Json::Null, Json::String);
    if outcome.error.is_some() {
        return vec![fact(FactPlace::Error, text(&outcome.error))];
    }
    let mut out = Vec::new();
    for (number, call) in outcome.calls.iter().enumerate() {
        out.push(fact(FactPlace::Call(number), text(&call.name)));
        if call.id.is_some() {
            out.push(fact(FactPlace::Id(number), text(&call.id)));
        }
        let arguments = call.arguments.to_json();
        let values = flatten(&arguments).into_iter();
        out.extend(values.map(|(path, value)| fact(FactPlace::Value(number, path), value)));
        if is_empty_object(&arguments) {
            out.push(fact(FactPlace::Value(number, String::new()), arguments));
        }
    }
    for (place, value) in [(FactPlace::Content, &outcome.content), (FactPlace::Reasoning, &outcome.reasoning)] {
        if value.is_some() {
            out.push(fact(place, text(value)));
        }
    }
    out
}

/// The facts of an outcome, compared with those of `base`; facts that only `base` has are missing.
pub fn compare(base: &Outcome, outcome: &Outcome) -> Vec<OutcomeFact> {
    let known = facts(base);
    let mut out = facts(outcome);
    let values: HashMap<&FactPlace, &Json> = known.iter().map(|fact| (&fact.place, &fact.value)).collect();
    for fact in &mut out {
        let other = values.get(&fact.place);
        if other.is_none_or(|other| **other != fact.value) {
            fact.state = FactState::Different;
        }
    }
    if outcome.error.is_some() {
        // An error takes the place of everything.
        return out;
    }
    let there: HashSet<FactPlace> = out.iter().map(|fact| fact.place.clone()).collect();
    for fact in known {
        // What a missing call would have had is not said one by one, nor that there are arguments now.
        let is_nothing = match &fact.place {
            FactPlace::Value(_, path) if path.is_empty() && is_empty_object(&fact.value) => true,
            FactPlace::Value(call, _) | FactPlace::Id(call) => *call >= outcome.calls.len(),
            _ => false,
        };
        if !is_nothing && !there.contains(&fact.place) {
            out.push(OutcomeFact { state: FactState::Missing, ..fact });
        }
    }
    out
}

/// What the first difference of two outcomes is, in the words of both; `facts` are those of the second, compared.
pub fn differing(facts: &[OutcomeFact], base: &[OutcomeFact]) -> [String; 2] {
    let words = |facts: &[OutcomeFact], place: &FactPlace| {
        let fact = facts.iter().find(|fact| fact.place == *place && fact.state != FactState::Missing);
        let value = fact.map(|fact| shortened(&fact.value));
        match (place, value) {
            (FactPlace::Value(_, path), value) => {
                let value = value.unwrap_or_else(|| "no value".to_owned());
                if path.is_empty() { format!("{value} as the arguments") } else { format!("{value} for {path}") }
            }
            (FactPlace::Call(number), Some(name)) => format!("call {} as {name}", number + 1),
            (FactPlace::Call(number), None) => format!("no call {}", number + 1),
            (FactPlace::Id(_), Some(id)) => format!("the id {id}"),
            (FactPlace::Id(_), None) => "no id".to_owned(),
            (FactPlace::Error, Some(words)) => format!("the error {words}"),
            (FactPlace::Error, None) => "no error".to_owned(),
            (FactPlace::Content, Some(text)) => format!("the content {text}"),
            (FactPlace::Content, None) => "no content".to_owned(),
            (FactPlace::Reasoning, Some(text)) => format!("the reasoning {text}"),
            (FactPlace::Reasoning, None) => "no reasoning".to_owned(),
        }
    };
    let first = facts.iter().find(|fact| fact.state != FactState::Same);
    first.map_or_else(Default::default, |fact| [words(base, &fact.place), words(facts, &fact.place)])
}

/// A value as JSON, cut where it is long.
fn shortened(value: &Json) -> String {
    const MOST: usize = 40;
    let words = value.to_string();
    match words.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", &words[..end]),
        None => words,
    }
}
