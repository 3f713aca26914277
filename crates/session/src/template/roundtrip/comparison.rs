//! The difference between the message that was put into a template and what a parser delivers.

use std::fmt;

use serde_json::Value;

use crate::compare::{ValuePair, value_pairs};

/// Longest excerpt of a value or a text in a message, in characters.
const LONGEST_EXCERPT: usize = 60;

/// Names of a message's reasoning, the one that counts first.
const REASONING: [&str; 3] = ["reasoning_content", "thinking", "reasoning"];

/// A call that was put in.
#[derive(Debug, Clone, PartialEq)]
pub struct TurnCall {
    /// Name of the tool, as the call has it.
    pub name: String,
    /// Its arguments; an object even if they were put in as a JSON text.
    pub arguments: Value,
}

/// The content of a model's turn.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TurnContent {
    /// The calls in the order of the message.
    pub calls: Vec<TurnCall>,
    /// The text, without whitespace around it.
    pub text: Option<String>,
    /// The reasoning, without whitespace around it.
    pub reasoning: Option<String>,
}

/// The content that a parser delivers.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct DeliveredTurn {
    /// Names and arguments of the calls.
    pub(super) calls: Vec<(Option<String>, Value)>,
    pub(super) text: Option<String>,
    pub(super) reasoning: Option<String>,
    /// The error that replaces everything else.
    pub(super) error: Option<String>,
}

/// A difference between the message that was put in and a parser's reading of the turn. Calls are counted from 0.
#[derive(Debug, Clone, PartialEq)]
pub enum TurnDifference {
    /// The parser raises, so that the client gets an error.
    Error(String),
    /// Another number of calls: delivered, and put in.
    Count(usize, usize),
    /// The name of a call: delivered, and put in.
    Name(usize, Option<String>, String),
    /// The arguments of a call are delivered as a text, or as another value that is not an object.
    Arguments(usize, Value),
    /// A value of a call, by its path; on the left as it was put in.
    Value(usize, ValuePair),
    /// The text: delivered, and put in.
    Text(Option<String>, Option<String>),
    /// The reasoning: delivered, and put in.
    Reasoning(Option<String>, Option<String>),
}

impl TurnDifference {
    /// True if it concerns the calls.
    #[must_use]
    pub fn is_of_calls(&self) -> bool {
        !matches!(self, TurnDifference::Text(..) | TurnDifference::Reasoning(..))
    }
}

impl fmt::Display for TurnDifference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = |text: &Option<String>, noun: &str| match text {
            Some(text) => format!("the {noun} {}", shortened(&Value::from(text.as_str()).to_string())),
            None => format!("no {noun}"),
        };
        match self {
            TurnDifference::Error(message) => write!(f, "an error: {}", shortened(message)),
            TurnDifference::Count(found, wanted) => {
                let calls = if *found == 1 { "call" } else { "calls" };
                match found {
                    0 => write!(f, "no call instead of {wanted}"),
                    _ => write!(f, "{found} {calls} instead of {wanted}"),
                }
            }
            TurnDifference::Name(call, found, wanted) => {
                let found = found.as_deref().map_or("no name".to_owned(), |name| format!("the name {name:?}"));
                write!(f, "{} instead of {wanted:?}{}", shortened(&found), of_call(*call))
            }
            TurnDifference::Arguments(call, found) => {
                let kind = type_of(found);
                write!(f, "the arguments as a {kind}, {}{}", shortened(&found.to_string()), of_call(*call))
            }
            TurnDifference::Value(call, ValuePair { path, old, new }) => {
                let value = |value: &Option<Value>| match value {
                    Some(value) => shortened(&value.to_string()),
                    None => "nothing".to_owned(),
                };
                let path = if path.is_empty() { "the arguments" } else { path.as_str() };
                write!(f, "{} instead of {} for {path}{}", value(new), value(old), of_call(*call))
            }
            TurnDifference::Text(found, wanted) => {
                write!(f, "{} instead of {}", text(found, "text"), text(wanted, "text"))
            }
            TurnDifference::Reasoning(found, wanted) => {
                write!(f, "{} instead of {}", text(found, "reasoning"), text(wanted, "reasoning"))
            }
        }
    }
}

impl TurnContent {
    /// The content of a message of the chat API.
    #[must_use]
    pub fn of_message(message: &Value) -> Self {
        let call = |call: &Value| {
            let function = call.get("function").unwrap_or(call);
            // Runtimes deliver objects whatever the form of the arguments in the history.
            let arguments = match &function["arguments"] {
                Value::String(text) => serde_json::from_str(text).unwrap_or_else(|_| Value::from(text.as_str())),
                other => other.clone(),
            };
            TurnCall { name: function["name"].as_str().unwrap_or_default().to_owned(), arguments }
        };
        let content = match &message["content"] {
            Value::Array(parts) => parts.iter().filter_map(|part| part["text"].as_str()).collect::<String>(),
            content => content.as_str().unwrap_or_default().to_owned(),
        };
        let reasoning = REASONING.iter().find_map(|name| message[*name].as_str());
        Self {
            calls: message["tool_calls"].as_array().into_iter().flatten().map(call).collect(),
            text: trimmed(Some(&content)),
            reasoning: trimmed(reasoning),
        }
    }

    /// The part of the content that a turn shows, and names of the rest.
    pub(super) fn shown_in(&self, turn: &str) -> (Self, Vec<&'static str>) {
        let is_shown = |call: &&TurnCall| {
            let values = call.arguments.as_object().into_iter().flat_map(|members| members.values());
            let first = values.filter_map(Value::as_str).find(|value| !value.trim().is_empty());
            turn.contains(&call.name) && first.is_none_or(|value| turn.contains(value.trim()))
        };
        let calls: Vec<TurnCall> = self.calls.iter().filter(is_shown).cloned().collect();
        let text_is_shown = |text: &Option<String>| text.clone().filter(|text| turn.contains(text.as_str()));
        let shown = Self { calls, text: text_is_shown(&self.text), reasoning: text_is_shown(&self.reasoning) };
        let mut losses = Vec::new();
        if shown.calls.len() < self.calls.len() {
            losses.push("a call");
        }
        if shown.text != self.text {
            losses.push("the text");
        }
        if shown.reasoning != self.reasoning {
            losses.push("the reasoning");
        }
        (shown, losses)
    }

    /// The differences of what a parser delivers for a turn.
    pub(super) fn differences(&self, delivered: &DeliveredTurn, turn: &str) -> Vec<TurnDifference> {
        if let Some(error) = &delivered.error {
            return vec![TurnDifference::Error(error.clone())];
        }
        let mut differences = Vec::new();
        if delivered.calls.len() != self.calls.len() {
            differences.push(TurnDifference::Count(delivered.calls.len(), self.calls.len()));
        }
        for (number, (wanted, (name, arguments))) in self.calls.iter().zip(&delivered.calls).enumerate() {
            if name.as_ref() != Some(&wanted.name) {
                differences.push(TurnDifference::Name(number, name.clone(), wanted.name.clone()));
            }
            if !arguments.is_object() && wanted.arguments.is_object() {
                differences.push(TurnDifference::Arguments(number, arguments.clone()));
                continue;
            }
            let pairs = value_pairs(&wanted.arguments, arguments).into_iter().filter(|pair| !pair.is_same());
            differences.extend(pairs.map(|pair| TurnDifference::Value(number, pair)));
        }
        let text = trimmed(delivered.text.as_deref()).filter(|text| self.text.is_some() || !is_stop_marker(text, turn));
        if text != self.text {
            differences.push(TurnDifference::Text(text, self.text.clone()));
        }
        let reasoning = trimmed(delivered.reasoning.as_deref());
        if reasoning != self.reasoning {
            differences.push(TurnDifference::Reasoning(reasoning, self.reasoning.clone()));
        }
        differences
    }
}

/// True if a text is one marker that ends the turn: runtimes stop at it, and parsers do not get it.
fn is_stop_marker(text: &str, turn: &str) -> bool {
    let is_marker = text.starts_with(['<', '[']) && text.ends_with(['>', ']']) && !text.contains(char::is_whitespace);
    is_marker && text.matches(['<', '[']).count() == 1 && turn.trim_end().ends_with(text)
}

/// Size of the differences in calls: the least is the nearest reading.
pub(super) fn distance(differences: &[TurnDifference]) -> usize {
    let of = |difference: &TurnDifference| match difference {
        TurnDifference::Error(_) => 2_000,
        TurnDifference::Count(0, _) => 1_000,
        TurnDifference::Count(..) => 500,
        TurnDifference::Name(..) => 100,
        TurnDifference::Arguments(..) => 50,
        TurnDifference::Value(..) => 1,
        TurnDifference::Text(..) | TurnDifference::Reasoning(..) => 0,
    };
    differences.iter().map(of).sum()
}

/// True if a parser delivers no call.
pub(super) fn is_nothing_read(differences: &[TurnDifference]) -> bool {
    let is_nothing =
        |difference: &TurnDifference| matches!(difference, TurnDifference::Error(_) | TurnDifference::Count(0, _));
    differences.iter().any(is_nothing)
}

/// The fault in the notation of the turn's values that explains why they are not read, as a clause.
pub(super) fn cause(turn: &str, shown: &TurnContent) -> Option<String> {
    let call = shown.calls.first()?;
    let members: Vec<(&String, &Value)> = call.arguments.as_object()?.iter().collect();
    if members.iter().any(|(key, _)| turn.contains(&format!("\\\"{key}\\\""))) {
        return Some("the template writes arguments that are a text as JSON once more".to_owned());
    }
    for (number, (key, value)) in members.iter().enumerate() {
        if let Some(clause) = python_value(turn, key, value) {
            return Some(clause);
        }
        let written = match value {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        let at = turn.find(key.as_str()).map(|at| at + key.len())?;
        let value_at = at + turn[at..].find(written.as_str())?;
        let (before, after) = (&turn[at..value_at], &turn[value_at + written.len()..]);
        let is_quoted = before.ends_with(['"', '\'']) && after.starts_with(['"', '\'']);
        let is_code = before.trim_end().ends_with(['=', ':']) || is_quoted;
        if value.is_string() && is_code && !is_quoted {
            return Some(format!("the template writes the text of {key} without quotation marks"));
        }
        let quote = before.chars().next_back().filter(|_| is_quoted && value.is_string());
        if quote.is_some_and(|quote| written.contains([quote, '\\'])) {
            return Some(format!("the template writes the text of {key} in quotation marks without escapes"));
        }
        if value.is_number() && is_wrapped_like_text(before, after, &members, turn) {
            return Some(format!("the template writes the number of {key} as a text"));
        }
        let next = members.get(number + 1).map(|(key, _)| key.as_str());
        let rest = after.trim_start_matches(['"', '\'']);
        if is_code && next.is_some_and(|next| rest.starts_with(next)) {
            return Some(format!("the template writes no separator after {key}"));
        }
    }
    let is_python = turn.contains("{'") && turn.contains("{\"");
    is_python.then(|| "the template writes the arguments as a Python value inside JSON".to_owned())
}

/// A clause, if a list or an object with a text is written with Python's quotation marks, which JSON does not have.
fn python_value(turn: &str, key: &str, value: &Value) -> Option<String> {
    let noun = type_of(value);
    let first = match value {
        Value::Array(items) => format!("['{}'", items.first()?.as_str()?),
        Value::Object(members) => format!("{{'{}'", members.keys().next()?),
        _ => return None,
    };
    let after = &turn[turn.find(key)? + key.len()..];
    // Between a key and the value of a Python call is one sign, and Python reads it.
    let is_python_call = after.starts_with('=') && !after.starts_with("=\"") || after.starts_with("':");
    (after.contains(&first) && !is_python_call)
        .then(|| format!("the template writes the {noun} of {key} as Python does, not as JSON"))
}

/// True if the characters around a number are the ones around a text of the same call.
fn is_wrapped_like_text(before: &str, after: &str, members: &[(&String, &Value)], turn: &str) -> bool {
    let separator = |c: char| matches!(c, '=' | ':' | ' ' | '\n');
    let wrapper = before.rsplit(separator).next().unwrap_or_default();
    let mut texts = members.iter().filter_map(|(_, value)| value.as_str());
    !wrapper.is_empty()
        && after.starts_with(wrapper)
        && texts.any(|text| turn.contains(&format!("{wrapper}{text}{wrapper}")))
}

/// The part of a turn around its first call, for a message.
pub(super) fn excerpt(turn: &str, shown: &TurnContent) -> String {
    let name = shown.calls.first().map_or("", |call| call.name.as_str());
    let at = turn.find(name).unwrap_or_default();
    // The marker or the line that the name is in.
    let start = turn[..at].rfind('\n').map_or(0, |start| start + 1);
    format!("`{}`", shortened(turn[start..].trim().lines().next().unwrap_or_default()))
}

fn of_call(number: usize) -> String {
    if number == 0 { String::new() } else { format!(" in call {}", number + 1) }
}

fn type_of(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::String(_) => "text",
        Value::Array(_) => "list",
        Value::Object(_) => "object",
    }
}

fn trimmed(text: Option<&str>) -> Option<String> {
    text.map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned)
}

fn shortened(text: &str) -> String {
    match text.char_indices().nth(LONGEST_EXCERPT) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
