//! Calls that are records of the file: finding them, and assembling their JSON text if it is split over several
//! records.
//!
//! | shape | name | id |
//! |---|---|---|
//! | a block of content, a response item, a bare call | `name` | `call_id`, `id` |
//! | a chat completion | `function: {name}` | `id` |
//! | a part of a message | `toolName`, or the rest of `type` after `tool-` | `toolCallId` |
//!
//! A consumer of the text takes name and id from here.

use super::fragment::Fragment;
use super::json::{JsonKind, JsonValue};
use super::{CallOutcome, CallString, Interpretation, MessagePart, NativeCall};
use crate::text::Span;

/// Keys of the object that describes the call itself.
const LINKS: [&str; 3] = ["function", "functionCall", "function_call"];

/// The message part of a record's value: a call or, if it has no name, a text.
pub(super) fn part(value: JsonValue<'_>, outcome: Option<CallOutcome>) -> MessagePart {
    let link = value.first_of(&LINKS).filter(|link| link.kind() == JsonKind::Object);
    let word = |holder: JsonValue<'_>, key: &str| {
        let word = holder.get(key)?;
        CallString::new(word, word.place().start - value.place().start)
    };
    let of_call = |key: &str| word(value, key);
    let id = of_call("toolCallId").or_else(|| of_call("call_id")).or_else(|| of_call("id"));
    let kind = value.text_of("type").unwrap_or_default();
    let name = match (link, kind.strip_prefix("tool-")) {
        (Some(link), _) => word(link, "name"),
        (None, Some(name)) if name != "call" => {
            // These types are events and other parts about a call, not calls.
            let tells = ["input-", "output-", "approval-"].iter().any(|event| name.starts_with(event));
            let is_name = !tells && !matches!(name, "" | "result" | "error" | "invocation");
            of_call("type").filter(|_| is_name && id.is_some()).map(|word| word.without_prefix("tool-"))
        }
        (None, _) => of_call("name").or_else(|| of_call("toolName")),
    };
    call_part(name, id.or_else(|| word(link?, "id")), outcome)
}

fn call_part(name: Option<CallString>, id: Option<CallString>, outcome: Option<CallOutcome>) -> MessagePart {
    match name {
        Some(name) => MessagePart::Call(NativeCall { name, id, outcome }),
        None => MessagePart::Text(Interpretation::Shown),
    }
}

impl CallString {
    /// The decoded string of a JSON value whose opening quote is at `at` in the text of the call.
    fn new(value: JsonValue<'_>, at: usize) -> Option<Self> {
        let text = value.text()?;
        let span = Span::new(at + 1, at + 1 + value.content().len());
        let is_escaped = value.raw().contains(&b'\\');
        Some(Self { span, decoded: is_escaped.then(|| text.into()) })
    }

    /// The word without `prefix`; if it has escapes, the span keeps covering all of it.
    fn without_prefix(self, prefix: &str) -> Self {
        match self.decoded {
            Some(said) => Self { span: self.span, decoded: said.strip_prefix(prefix).map(Box::from) },
            None => Self { span: Span::new(self.span.start + prefix.len(), self.span.end), decoded: None },
        }
    }
}

/// The JSON text, so far, of a call assembled from values of records.
#[derive(Debug, Default)]
pub(super) struct CallText {
    pub(super) text: Fragment,
    name: Option<CallString>,
    id: Option<CallString>,
}

impl CallText {
    /// A content block up to its input, inserted before offset `at` of the file: its id and its name, or `otherwise`
    /// if it has none.
    pub(super) fn tool_use(at: usize, id: Option<JsonValue<'_>>, name: Option<JsonValue<'_>>, otherwise: &str) -> Self {
        let mut call = Self::default();
        call.text.push_synthetic("{\"type\":\"tool_use\",\"id\":", at);
        let behind_id = call.id(id, at);
        call.text.push_synthetic(",\"name\":", behind_id);
        let behind_name = call.name(name, otherwise, behind_id);
        call.text.push_synthetic(",\"input\":", behind_name);
        call
    }

    /// A call up to its arguments, from a file with another syntax and no ids; `number` distinguishes it from the
    /// other calls of the file.
    pub(super) fn numbered(number: usize, name: &Fragment) -> Self {
        let mut call = Self::default();
        let place = name.map.source_of(Span::new(0, name.bytes.len()));
        call.text.push_synthetic("{\"type\":\"tool_use\",\"id\":\"", place.start);
        let (start, id) = (call.text.bytes.len(), number_word(number));
        call.text.push_synthetic(&id, place.start);
        call.id = Some(CallString { span: Span::new(start, start + id.len()), decoded: None });
        call.text.push_synthetic("\",\"name\":", place.start);
        let start = call.text.bytes.len() + 1;
        call.text.quote(name);
        let span = Span::new(start, call.text.bytes.len() - 1);
        let decoded = (span.len() != name.bytes.len()).then(|| String::from_utf8_lossy(&name.bytes).into());
        call.name = Some(CallString { span, decoded });
        call.text.push_synthetic(",\"input\":", place.end);
        call
    }

    /// The arguments of such a call, with their keys, and its end, inserted before offset `at` of the file.
    pub(super) fn arguments(&mut self, arguments: &[(Fragment, Fragment)], at: usize) {
        for (number, (key, value)) in arguments.iter().enumerate() {
            let place = key.map.source_of(Span::new(0, key.bytes.len()));
            self.text.push_synthetic(if number == 0 { "{" } else { "," }, place.start);
            self.text.quote(key);
            self.text.push_synthetic(":", place.end);
            self.text.quote(value);
        }
        self.text.push_synthetic(if arguments.is_empty() { "{}}" } else { "}}" }, at);
    }

    /// A bare call up to its arguments, inserted before offset `at` of the file: its id, if it has one, and its name,
    /// or `otherwise` if it has none.
    pub(super) fn bare(at: usize, id: Option<JsonValue<'_>>, name: Option<JsonValue<'_>>, otherwise: &str) -> Self {
        let mut call = Self::default();
        call.text.push_synthetic("{", at);
        if let Some(id) = id {
            call.text.push_synthetic("\"id\":", at);
            call.id(Some(id), at);
            call.text.push_synthetic(",", id.source().end);
        }
        call.text.push_synthetic("\"name\":", at);
        let behind_name = call.name(name, otherwise, at);
        call.text.push_synthetic(",\"args\":", behind_name);
        call
    }

    /// The call with these arguments, or without any; `end` is the end of its record in the file.
    pub(super) fn with_arguments(mut self, arguments: Option<JsonValue<'_>>, end: usize) -> Self {
        match arguments {
            Some(arguments) => self.text.push_verbatim(arguments),
            None => self.text.push_synthetic("{}", end),
        }
        self.text.push_synthetic("}", end);
        self
    }

    /// Adds the id, or an empty one before offset `at` of the file; returns the offset after it.
    pub(super) fn id(&mut self, id: Option<JsonValue<'_>>, at: usize) -> usize {
        let word = self.word(id, "", at);
        self.id = word.filter(|_| id.is_some());
        id.map_or(at, |id| id.source().end)
    }

    /// Adds the name, or `otherwise` before offset `at` of the file; returns the offset after it.
    pub(super) fn name(&mut self, name: Option<JsonValue<'_>>, otherwise: &str, at: usize) -> usize {
        self.name = self.word(name, otherwise, at);
        name.map_or(at, |name| name.source().end)
    }

    fn word(&mut self, value: Option<JsonValue<'_>>, otherwise: &str, at: usize) -> Option<CallString> {
        let start = self.text.bytes.len();
        let Some(value) = value else {
            self.text.push_synthetic(&format!("\"{otherwise}\""), at);
            return Some(CallString { span: Span::new(start + 1, start + 1 + otherwise.len()), decoded: None });
        };
        self.text.push_verbatim(value);
        CallString::new(value, start)
    }

    /// Adds an input: an object, text that is one, or anything else as the only parameter.
    pub(super) fn input(&mut self, input: JsonValue<'_>) {
        if input.kind() == JsonKind::Object {
            return self.text.push_verbatim(input);
        }
        let text = Fragment::from_value(input);
        if text.bytes.first() == Some(&b'{') && text.index().is_some() {
            return self.text.append(&text);
        }
        let place = input.source();
        let key = input.key();
        self.text.push_synthetic("{\"", place.start);
        self.text.push_synthetic(&key, place.start);
        self.text.push_synthetic("\":", place.start);
        self.text.push_verbatim(input);
        self.text.push_synthetic("}", place.end);
    }

    pub(super) fn part(&self, outcome: Option<CallOutcome>) -> MessagePart {
        call_part(self.name.clone(), self.id.clone(), outcome)
    }
}

/// The id given to a call that has none: its number in the file.
pub(super) fn number_word(number: usize) -> String {
    format!("call_{number}")
}

/// A call of a tool that takes plain text: `id`, `custom: {name, input}`.
pub(super) fn custom(value: JsonValue<'_>) -> CallText {
    let (start, end) = (value.source().start, value.source().end);
    let member = |key: &str| value.path(&["custom", key]);
    let mut call = CallText::default();
    call.text.push_synthetic("{\"type\":\"custom_tool_call\",\"call_id\":", start);
    let behind_id = call.id(value.string_of("id"), start);
    call.text.push_synthetic(",\"name\":", behind_id);
    let behind_name = call.name(member("name"), "", behind_id);
    if let Some(input) = member("input") {
        call.text.push_synthetic(",\"input\":", behind_name);
        call.text.push_verbatim(input);
    }
    call.text.push_synthetic("}", end);
    call
}

/// A call whose arguments are JSON text: `id`, `name`, `arguments`.
pub(super) fn flat(value: JsonValue<'_>) -> CallText {
    let (start, end) = (value.source().start, value.source().end);
    let mut call = CallText::default();
    call.text.push_synthetic("{\"type\":\"function_call\",\"call_id\":", start);
    let behind_id = call.id(value.string_of("id"), start);
    call.text.push_synthetic(",\"name\":", behind_id);
    let behind_name = call.name(value.string_of("name"), "", behind_id);
    if let Some(arguments) = value.get("arguments") {
        call.text.push_synthetic(",\"arguments\":", behind_name);
        call.text.push_verbatim(arguments);
    }
    call.text.push_synthetic("}", end);
    call
}

/// A call that a provider ran itself and that has no id: `type` is its name, `arguments` a JSON text.
pub(super) fn executed(tool: JsonValue<'_>) -> CallText {
    let (start, end) = (tool.source().start, tool.source().end);
    let mut call = CallText::default();
    call.text.push_synthetic("{\"type\":\"function\",\"function\":{\"name\":", start);
    call.name(tool.first_filled(&["name", "type"]), "", start);
    if let Some(arguments) = tool.get("arguments") {
        call.text.push_synthetic(",\"arguments\":", arguments.source().start);
        call.text.push_verbatim(arguments);
    }
    call.text.push_synthetic("}}", end);
    call
}

#[cfg(test)]
mod tests {
    use super::super::json::{Index, RecordPositions};
    use super::*;

    /// Name and id of the call in a value, each as its raw bytes, or decoded if it has escapes.
    fn call(text: &str) -> Option<String> {
        let index = Index::read(text.as_bytes()).expect("it is JSON");
        let value = index.root(text.as_bytes(), RecordPositions::At(7)).expect("there is a value");
        let MessagePart::Call(call) = part(value, None) else { return None };
        let say = |word: &CallString| match &word.decoded {
            Some(said) => format!("{said}!"),
            None => text[value.place().start..][word.span.start..word.span.end].to_owned(),
        };
        Some(format!("{} {}", say(&call.name), call.id.as_ref().map_or_else(|| "-".to_owned(), say)))
    }

    #[test]
    fn a_call_is_known_by_its_name_and_its_id_in_every_shape() {
        let cases = [
            (r#" {"type": "tool_use", "id": "t", "name": "Read", "input": {"name": "x"}}"#, Some("Read t")),
            (r#"{"id": "t", "type": "function", "function": {"name": "f", "arguments": "{}"}}"#, Some("f t")),
            (r#"{"type": "function_call", "id": "fc", "call_id": "c", "name": "f"}"#, Some("f c")),
            (r#"{"name": "f\u0021", "args": {}}"#, Some("f!! -")),
            (r#"{"type": "tool-look", "toolCallId": "t", "toolName": "other"}"#, Some("look t")),
            (r#"{"type": "tool-call", "toolCallId": "t", "toolName": "look"}"#, Some("look t")),
            (r#"{"type": "tool\u002dlook", "toolCallId": "t"}"#, Some("look! t")),
            (r#"{"state": "call", "toolCallId": "t", "toolName": "look", "args": {}}"#, Some("look t")),
            (r#"{"type": "tool-look", "input": {}}"#, None),
            (r#"{"type": "tool-approval-request", "toolCallId": "t"}"#, None),
            (r#"{"type": "tool_use", "id": "t", "name": 5}"#, None),
            (r#"["name"]"#, None),
        ];
        for (text, expected) in cases {
            assert_eq!(call(text).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn a_call_that_is_put_together_says_where_its_words_are() {
        let record = r#"{"id": "a\"b", "name": "Read"}"#;
        let index = Index::read(record.as_bytes()).expect("it is JSON");
        let value = index.root(record.as_bytes(), RecordPositions::At(0)).expect("there is a value");
        for (name, said) in [(value.get("name"), "Read"), (None, "ours")] {
            let call = CallText::tool_use(0, value.get("id"), name, "ours");
            let MessagePart::Call(native) = call.part(Some(CallOutcome::Failed)) else { panic!("it has a name") };
            assert_eq!(&call.text.bytes[native.name.span.start..native.name.span.end], said.as_bytes());
            let id = native.id.expect("it has an id");
            assert_eq!(
                (&call.text.bytes[id.span.start..id.span.end], id.decoded.as_deref()),
                (&br#"a\"b"#[..], Some("a\"b"))
            );
            assert_eq!(native.outcome, Some(CallOutcome::Failed));
        }
    }
}
