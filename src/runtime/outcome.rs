//! What a runtime delivers of a message, and why.

use serde::{Serialize, Serializer};
use serde_json::Value as Json;

use super::grammar_fault::GrammarFault;
use crate::diagnostic::Code;
use crate::text::Span;
use crate::value::place::SourcePlace;
use crate::value::plain::{Member, Placed, PlainValue};

/// What a client gets of a message.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Outcome {
    /// The text of the answer; never empty.
    pub content: Option<String>,
    /// The text of the reasoning; never empty.
    pub reasoning: Option<String>,
    /// The calls, in the order of the text.
    pub calls: Vec<DeliveredCall>,
    /// The words of an error, which takes the place of the rest.
    pub error: Option<String>,
}

/// A call as a client gets it.
#[derive(Clone, Debug, Serialize)]
pub struct DeliveredCall {
    /// The name of the tool; some runtimes deliver calls without one.
    pub name: Option<String>,
    /// Its arguments, with the bytes of each.
    pub arguments: DeliveredArguments,
    /// The id that the text gives to the call.
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

/// The arguments of a call as a client gets them.
#[derive(Clone, Debug, PartialEq)]
pub enum DeliveredArguments {
    /// An object in JSON, with the bytes of its keys and values.
    Object(Vec<Member>),
    /// A text that is not an object in JSON.
    Text(String),
    /// Another value in JSON.
    Value(PlainValue),
}

impl Default for DeliveredArguments {
    fn default() -> Self {
        DeliveredArguments::Object(Vec::new())
    }
}

impl DeliveredArguments {
    /// Delivers a value: its members, if it is an object and JSON has all of its numbers; else the text
    /// that Python writes for it.
    pub fn of_value(value: PlainValue) -> Self {
        match value {
            PlainValue::Object(members) if members.iter().all(|member| member.value.value.to_json().is_some()) => {
                DeliveredArguments::Object(members)
            }
            other => DeliveredArguments::Text(other.dumps()),
        }
    }

    /// Its members; nothing where it is a text.
    pub fn members(&self) -> Option<&[Member]> {
        match self {
            DeliveredArguments::Object(members) => Some(members),
            DeliveredArguments::Text(_) | DeliveredArguments::Value(_) => None,
        }
    }

    /// It in JSON: an object, a string, or what was delivered in place of an object.
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

    /// All keys and values of the object, nested ones too, in order: the path of each from the top, the key (none for an
    /// item of a list), and the value.
    pub fn walk<'a>(&'a self, seen: &mut impl FnMut(&str, Option<&'a Member>, &'a Placed)) {
        let mut path = String::new();
        for member in self.members().unwrap_or_default() {
            descend(&mut path, &member.key, Some(member), &member.value, seen);
        }
    }

    /// Replaces all spans of its keys and values.
    pub fn relocate(&mut self, to: &impl Fn(Span) -> Span) {
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
    /// Replaces all of its spans.
    pub fn relocate(&mut self, to: &impl Fn(Span) -> Span) {
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
#[derive(Clone, Debug)]
pub struct RuntimeReading {
    /// What it delivers to the client.
    pub outcome: Outcome,
    /// What becomes of which bytes, in order; bytes in no part are markup.
    pub parts: Vec<MessageStretch>,
    /// Why it is so, where another runtime might do otherwise.
    pub reasons: Vec<Reason>,
    /// The furthest places of the grammar at which the text does not fit; in text that was read, alternatives.
    pub stops: Vec<GrammarFault>,
}

/// What becomes of a stretch of the message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MessageStretch {
    /// Its bytes in the message.
    pub span: Span,
    /// What becomes of these bytes.
    pub kind: PartKind,
}

/// What becomes of a stretch of bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PartKind {
    /// They are delivered as content.
    Content,
    /// They are delivered as reasoning.
    Reasoning,
    /// They are this many calls.
    Calls(usize),
    /// They are delivered to nobody, and no error says so.
    Lost,
}

/// Why a runtime delivers what it does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reason {
    /// The rule, which has a page.
    pub code: Code,
    /// The bytes that it is about.
    pub span: Span,
}

impl Reason {
    /// The same from the first character on that is not white space.
    pub fn without_space(self, text: &str) -> Self {
        let seen = text.get(self.span.start..self.span.end).map_or("", str::trim_start);
        let start = if seen.is_empty() { self.span.start } else { self.span.end - seen.len() };
        Self { span: Span::new(start, self.span.end), ..self }
    }
}
