//! Facts of an outcome that can be compared individually: calls, values, content, reasoning and error.

use std::collections::{HashMap, HashSet};

use serde_json::Value as Json;

use crate::runtime::Outcome;
use crate::text::Span;
use crate::value::flatten::flatten;
use crate::value::plain::{Member, Placed, PlainValue};

/// The subject of a fact. Calls are counted from 0.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum FactPlace {
    /// The error that replaces the whole message.
    Error,
    /// The name of a call.
    Call(usize),
    /// The id of a call.
    Id(usize),
    /// A value of a call, by its path.
    Value(usize, String),
    /// Text of the answer.
    Content,
    /// Text of the reasoning.
    Reasoning,
}

/// Comparison of a fact with the other outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FactState {
    /// Equal in both.
    Same,
    /// Different, or absent from the other outcome.
    Different,
    /// Only in the other outcome.
    Missing,
}

/// A part of an outcome that is compared individually.
#[derive(Clone, Debug, PartialEq)]
pub struct OutcomeFact {
    /// Subject of the fact.
    pub place: FactPlace,
    /// Its value: a JSON value, a text, or the name of a call, which may be `null`.
    pub value: Json,
    /// Comparison with the first group's fact.
    pub state: FactState,
}

impl OutcomeFact {
    /// True for a call without arguments.
    pub(super) fn is_empty_object(&self) -> bool {
        is_empty_object(&self.value)
    }
}

/// Span in the message of a name, an id or a value; `None` for one that the parser makes up, and for other facts.
pub fn source_of(outcome: &Outcome, place: &FactPlace) -> Option<Span> {
    let call = |number: &usize| outcome.calls.get(*number);
    match place {
        FactPlace::Call(number) => call(number)?.name_place.span(),
        FactPlace::Id(number) => call(number)?.id_place.span(),
        FactPlace::Value(number, path) => {
            let call = call(number)?;
            match call.arguments.members() {
                Some(members) if !members.is_empty() => value_at(members, path)?.place.span(),
                // The text of arguments without members has no spans, but the call does.
                _ => Some(call.span),
            }
        }
        FactPlace::Error | FactPlace::Content | FactPlace::Reasoning => None,
    }
}

/// The value at a path made by [`flatten`], which escapes keys.
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

/// True for a call without arguments, which counts as a fact.
fn is_empty_object(value: &Json) -> bool {
    value.as_object().is_some_and(serde_json::Map::is_empty)
}

/// The facts of a call: its name, its id if it has one, and its values.
fn call_facts(
    number: usize,
    name: Json,
    id: Option<OutcomeFact>,
    arguments: &Json,
) -> impl Iterator<Item = OutcomeFact> {
    let fact = |place, value| OutcomeFact { place, value, state: FactState::Same };
    let values = flatten(arguments).into_iter().map(move |(path, value)| fact(FactPlace::Value(number, path), value));
    let empty = is_empty_object(arguments).then(|| fact(FactPlace::Value(number, String::new()), arguments.clone()));
    std::iter::once(fact(FactPlace::Call(number), name)).chain(id).chain(values).chain(empty)
}

/// The facts of calls with these names and arguments, which have no ids.
pub(super) fn facts_of_calls<'a>(calls: impl Iterator<Item = (&'a str, &'a Json)>) -> Vec<OutcomeFact> {
    let numbered = calls.enumerate();
    numbered.flat_map(|(number, (name, arguments))| call_facts(number, name.into(), None, arguments)).collect()
}

/// The facts of an outcome, not yet compared.
pub fn facts(outcome: &Outcome) -> Vec<OutcomeFact> {
    let fact = |place, value| OutcomeFact { place, value, state: FactState::Same };
    let text = |text: &Option<String>| text.clone().map_or(Json::Null, Json::String);
    if outcome.error.is_some() {
        return vec![fact(FactPlace::Error, text(&outcome.error))];
    }
    let mut out = Vec::new();
    for (number, call) in outcome.calls.iter().enumerate() {
        let id = call.id.as_ref().map(|id| fact(FactPlace::Id(number), Json::String(id.clone())));
        out.extend(call_facts(number, text(&call.name), id, &call.arguments.to_json()));
    }
    for (place, value) in [(FactPlace::Content, &outcome.content), (FactPlace::Reasoning, &outcome.reasoning)] {
        if value.is_some() {
            out.push(fact(place, text(value)));
        }
    }
    out
}

/// The facts of an outcome, compared with `base`. Facts that only `base` has are included as missing.
pub fn compare(base: &Outcome, outcome: &Outcome) -> Vec<OutcomeFact> {
    compare_with(facts(base), outcome, Json::eq)
}

/// The facts of an outcome, compared with `known` ones. Values are equal if `is_same` returns true.
pub(super) fn compare_with(
    known: Vec<OutcomeFact>,
    outcome: &Outcome,
    is_same: impl Fn(&Json, &Json) -> bool,
) -> Vec<OutcomeFact> {
    let mut out = facts(outcome);
    let values: HashMap<&FactPlace, &Json> = known.iter().map(|fact| (&fact.place, &fact.value)).collect();
    for fact in &mut out {
        let other = values.get(&fact.place);
        if other.is_none_or(|other| !is_same(other, &fact.value)) {
            fact.state = FactState::Different;
        }
    }
    if outcome.error.is_some() {
        // An error replaces everything else.
        return out;
    }
    let there: HashSet<FactPlace> = out.iter().map(|fact| fact.place.clone()).collect();
    for fact in known {
        // Parts of a missing call are not listed individually, nor is the former absence of arguments.
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

/// Describes the first difference on both sides; `facts` is the compared result, `base` the other side.
pub(crate) fn differing(facts: &[OutcomeFact], base: &[OutcomeFact]) -> [String; 2] {
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

/// A value as JSON, truncated if long.
fn shortened(value: &Json) -> String {
    const MOST: usize = 40;
    let words = value.to_string();
    match words.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", &words[..end]),
        None => words,
    }
}
