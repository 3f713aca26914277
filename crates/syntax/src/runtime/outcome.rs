//! The result of a runtime's reading of a message, with reasons.

use serde::{Serialize, Serializer};
use serde_json::Value as Json;

use super::grammar_fault::GrammarFault;
use crate::diagnostic::Code;
use crate::text::Span;
use crate::value::place::SourcePlace;
use crate::value::plain::{Member, Placed, PlainValue};

/// The message as delivered to the client.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Outcome {
    /// The text of the answer; never empty.
    pub content: Option<String>,
    /// The text of the reasoning; never empty.
    pub reasoning: Option<String>,
    /// The calls, in the order of the text.
    pub calls: Vec<DeliveredCall>,
    /// The message of an error, which replaces everything else.
    pub error: Option<String>,
}

/// A call as delivered to the client.
#[derive(Clone, Debug, Serialize)]
pub struct DeliveredCall {
    /// The name of the tool; some runtimes deliver calls without one.
    pub name: Option<String>,
    /// Its arguments, located in the message.
    pub arguments: DeliveredArguments,
    /// The id given in the text.
    pub id: Option<String>,
    /// Its bytes in the message; calls of one body share them.
    #[serde(skip)]
    pub span: Span,
    /// The bytes of its name.
    #[serde(skip)]
    pub name_place: SourcePlace,
    /// The bytes of its id.
    #[serde(skip)]
    pub id_place: SourcePlace,
}

/// The arguments of a call as delivered to the client.
#[derive(Clone, Debug, PartialEq)]
pub enum DeliveredArguments {
    /// A JSON object, with the locations of its keys and values.
    Object(Vec<Member>),
    /// A text that is not a JSON object.
    Text(String),
    /// Another JSON value.
    Value(PlainValue),
}

impl Default for DeliveredArguments {
    fn default() -> Self {
        DeliveredArguments::Object(Vec::new())
    }
}

impl DeliveredArguments {
    /// Delivers a value: the members of an object whose numbers all exist in JSON; otherwise the text that Python
    /// writes for the value.
    pub(crate) fn of_value(value: PlainValue) -> Self {
        match value {
            PlainValue::Object(members) if members.iter().all(|member| member.value.value.to_json().is_some()) => {
                DeliveredArguments::Object(members)
            }
            other => DeliveredArguments::Text(other.dumps()),
        }
    }

    /// The members of an object; `None` for other arguments.
    pub fn members(&self) -> Option<&[Member]> {
        match self {
            DeliveredArguments::Object(members) => Some(members),
            DeliveredArguments::Text(_) | DeliveredArguments::Value(_) => None,
        }
    }

    /// As JSON: an object, a string, or the value that was delivered instead of an object.
    pub fn to_json(&self) -> Json {
        match self {
            DeliveredArguments::Object(members) => {
                let value = |member: &Member| (member.key.clone(), member.value.value.to_json().unwrap_or_default());
                Json::Object(members.iter().map(value).collect())
            }
            DeliveredArguments::Text(text) => Json::String(text.clone()),
            DeliveredArguments::Value(value) => value.to_json().unwrap_or_default(),
        }
    }

    /// Visits all keys and values of the object in order, including nested ones: the path of each from the top, the
    /// member (`None` for list items), and the value.
    pub fn walk<'a>(&'a self, seen: &mut impl FnMut(&str, Option<&'a Member>, &'a Placed)) {
        let mut path = String::new();
        for member in self.members().unwrap_or_default() {
            descend(&mut path, &member.key, Some(member), &member.value, seen);
        }
    }

    /// Maps all spans of its keys and values.
    pub(crate) fn relocate(&mut self, to: &impl Fn(Span) -> Span) {
        if let DeliveredArguments::Object(members) = self {
            for member in members {
                member.key_place.relocate(to);
                member.value.relocate(to);
            }
        }
    }
}

fn descend<'a>(
    path: &mut String,
    key: &str,
    member: Option<&'a Member>,
    value: &'a Placed,
    seen: &mut impl FnMut(&str, Option<&'a Member>, &'a Placed),
) {
    let before = path.len();
    if before > 0 {
        path.push('/');
    }
    path.push_str(key);
    seen(path, member, value);
    match &value.value {
        PlainValue::Object(members) => {
            for member in members {
                descend(path, &member.key, Some(member), &member.value, seen);
            }
        }
        PlainValue::List(items) => {
            for (number, item) in items.iter().enumerate() {
                descend(path, &number.to_string(), None, item, seen);
            }
        }
        _ => {}
    }
    path.truncate(before);
}

impl Serialize for DeliveredArguments {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.to_json().serialize(serializer)
    }
}

impl DeliveredCall {
    /// Maps all of its spans.
    pub(crate) fn relocate(&mut self, to: &impl Fn(Span) -> Span) {
        self.span = to(self.span);
        self.name_place.relocate(to);
        self.id_place.relocate(to);
        self.arguments.relocate(to);
    }
}

impl PartialEq for DeliveredCall {
    fn eq(&self, other: &Self) -> bool {
        (&self.name, &self.arguments, &self.id) == (&other.name, &other.arguments, &other.id)
    }
}

/// How a runtime reads a message.
#[derive(Clone, Debug, Default)]
pub struct RuntimeReading {
    /// The message as delivered to the client.
    pub outcome: Outcome,
    /// The parts of the message by their fate, in order; bytes in no part are markup.
    pub parts: Vec<ReadingPart>,
    /// Reasons for the outcome, where another runtime might decide otherwise.
    pub reasons: Vec<Reason>,
    /// The furthest mismatches with the grammar; in text that was matched, the alternatives.
    pub stops: Vec<GrammarFault>,
}

impl RuntimeReading {
    /// Maps all of its spans.
    pub(crate) fn relocate(&mut self, to: &impl Fn(Span) -> Span) {
        for part in &mut self.parts {
            part.span = to(part.span);
        }
        for reason in &mut self.reasons {
            reason.span = to(reason.span);
        }
        for stop in &mut self.stops {
            stop.at = to(Span::at(stop.at)).start;
        }
        for call in &mut self.outcome.calls {
            call.relocate(to);
        }
    }
}

/// A part of the message and its fate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReadingPart {
    /// Its bytes in the message.
    pub span: Span,
    /// Its fate.
    pub kind: PartKind,
}

/// The fate of a part of the message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PartKind {
    /// Delivered as content.
    Content,
    /// Delivered as reasoning.
    Reasoning,
    /// Delivered as this many calls.
    Calls(usize),
    /// Not delivered, and no error is reported.
    Lost,
}

/// A reason for the outcome of a reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reason {
    /// The code of the rule, which has a page.
    pub code: Code,
    /// The bytes concerned.
    pub span: Span,
}

impl Reason {
    /// The same reason without leading white space in its span.
    pub(crate) fn without_space(self, text: &str) -> Self {
        let seen = text.get(self.span.start..self.span.end).map_or("", str::trim_start);
        let start = if seen.is_empty() { self.span.start } else { self.span.end - seen.len() };
        Self { span: Span::new(start, self.span.end), ..self }
    }
}
