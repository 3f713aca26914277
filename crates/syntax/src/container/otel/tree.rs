//! The attributes of a span as one object, regardless of their form in the file.
//!
//! | in the file | in the object |
//! |---|---|
//! | `"gen_ai.prompt.0.role": "user"` | `gen_ai: {prompt: [{role: "user"}]}` |
//! | `"llm": {"input_messages": [{"message": {…}}]}` | `llm: {input_messages: [{…}]}` |
//! | `{"key": "gen_ai.system", "value": {"stringValue": "x"}}` | `gen_ai: {system: "x"}` |
//! | `"ai.response.text": "x"` | `ai: {response: {message: {content: "x"}}}` |
//! | `"gen_ai.input.messages": "[{\"role\": …}]"` | `gen_ai: {input: {messages: [{role: …}]}}` |
//!
//! The map of every value leads to its bytes in the file.

use std::collections::BTreeMap;

use super::super::fragment::Fragment;
use super::super::json::{Index, JsonKind, JsonValue};
use super::super::messages::standing;
use crate::value::json::string::is_number;

/// Most segments of a key's path; the rest of the key is one more.
const STEPS: usize = 12;

/// Most nested OTLP values that are unwrapped; a deeper one is left unchanged.
const NESTED: usize = 30;

/// Number of nested OTLP values that the index of a record reaches.
const REACH: usize = 3;

/// Objects whose members may be nested instead of written with dots.
const GROUPS: [&[&str]; 9] = [
    &["gen_ai"],
    &["gen_ai", "input"],
    &["gen_ai", "output"],
    &["gen_ai", "tool"],
    &["gen_ai", "tool", "call"],
    &["tool"],
    &["input"],
    &["output"],
    &["openinference", "span"],
];

/// Wrappers that `OpenInference` puts around each element of a list.
const WRAPPERS: [&str; 3] = ["message", "message_content", "tool_call"];

/// Members that are lists or objects, in either form or as JSON text.
const EMBEDDED: [&str; 8] = [
    "messages",
    "input_messages",
    "output_messages",
    "system_instructions",
    "tool_calls",
    "message",
    "prompt",
    "completion",
];

/// The key given to the answer of the AI SDK, whose parts are in several attributes.
pub(in crate::container) const AI_SDK_ANSWER: &str = "ai.response.message";

/// Members of that message by the last segment of their attributes.
const AI_SDK_MEMBERS: [(&str, &str); 4] =
    [("text", "content"), ("object", "content"), ("reasoning", "reasoning"), ("toolCalls", "tool_calls")];

/// An attribute of the file.
#[derive(Debug)]
pub(in crate::container) struct Attribute<'a> {
    path: Vec<Box<str>>,
    pub(in crate::container) value: JsonValue<'a>,
    /// True for an OTLP value, which is wrapped in an object with its type.
    is_typed: bool,
}

impl<'a> Attribute<'a> {
    /// The body of a log in the form of a span event's attribute.
    pub(in crate::container) fn body(value: JsonValue<'a>) -> Self {
        let typed = ["stringValue", "kvlistValue", "arrayValue", "string_value", "kvlist_value", "array_value"];
        Self { path: steps("gen_ai.event.content"), value, is_typed: value.first_of(&typed).is_some() }
    }

    /// The text of a string, with or without a type around it.
    pub(in crate::container) fn words(&self) -> Option<Box<str>> {
        self.string()?.scalar_text()
    }

    fn string(&self) -> Option<JsonValue<'a>> {
        if self.is_typed {
            self.value.first_of(&["stringValue", "string_value"])
        } else {
            Some(self.value).filter(|value| value.kind() == JsonKind::Text)
        }
    }

    /// Its key as OpenTelemetry writes it, with dots between the segments.
    pub(in crate::container) fn key(&self) -> String {
        self.path.join(".")
    }

    /// The first segment of its key.
    pub(in crate::container) fn group(&self) -> &str {
        self.path.first().map_or("", |first| first)
    }

    /// True if it has text: numbers and flags do not.
    pub(in crate::container) fn is_worded(&self) -> bool {
        let inner = if self.is_typed { self.value.items().next() } else { Some(self.value) };
        inner.is_some_and(|value| {
            let is_number = matches!(value.key().as_ref(), "intValue" | "int_value") && self.is_typed;
            value.kind() != JsonKind::Word && !value.is_void() && !is_number
        })
    }
}

/// The attributes of an object, or of a list of keys and values.
pub(in crate::container) fn attributes(value: JsonValue<'_>) -> Vec<Attribute<'_>> {
    let mut found = Vec::new();
    for member in value.items() {
        if value.kind() == JsonKind::Object {
            let path = steps(&member.key());
            plain(path, member, &mut found);
        } else if let (Some(key), Some(value)) = (member.text_of("key"), member.get("value")) {
            found.push(Attribute { path: steps(&key), value, is_typed: true });
        }
    }
    found
}

fn steps(key: &str) -> Vec<Box<str>> {
    key.splitn(STEPS, '.').map(Box::from).collect()
}

/// Adds an attribute without a type, or the ones nested in it.
fn plain<'a>(path: Vec<Box<str>>, value: JsonValue<'a>, found: &mut Vec<Attribute<'a>>) {
    let is_list = value.kind() == JsonKind::Array && value.items().all(|item| item.kind() == JsonKind::Object);
    let is_llm = path.first().is_some_and(|first| &**first == "llm");
    let is_group = is_llm || GROUPS.iter().any(|group| path.iter().map(|step| &**step).eq(group.iter().copied()));
    let is_arguments = path.last().is_some_and(|last| &**last == "arguments");
    let is_held = !is_arguments && path.len() < STEPS && value.items().next().is_some();
    let is_holder = (is_group && value.kind() == JsonKind::Object) || (is_llm && is_list);
    if !is_held || !is_holder {
        return found.push(Attribute { path, value, is_typed: false });
    }
    for (number, member) in value.items().enumerate() {
        let mut path = path.clone();
        match value.kind() {
            JsonKind::Object => path.extend(steps(&member.key())),
            _ => path.push(number.to_string().into()),
        }
        plain(path, member, found);
    }
}

/// Attributes as one object, for lookup.
#[derive(Debug, Default)]
pub(in crate::container) struct AttributeTree {
    text: Fragment,
    index: Index,
}

impl AttributeTree {
    /// Builds the object from the attributes of a span.
    pub(in crate::container) fn new(attributes: &[Attribute<'_>]) -> Self {
        let mut root = Node::default();
        for (number, attribute) in attributes.iter().enumerate() {
            let mut node = &mut root;
            for step in place(&attribute.path) {
                node = node.members.entry(step).or_insert_with(|| Node { first: number, ..Node::default() });
            }
            node.value = Some(attribute);
        }
        let mut text = Fragment::default();
        root.write("", &mut text);
        let index = text.index().unwrap_or_default();
        Self { text, index }
    }

    /// The whole object; `None` if there are no attributes.
    pub(in crate::container) fn root(&self) -> Option<JsonValue<'_>> {
        self.text.root(&self.index)
    }

    /// True if the object is complete; with too many values it is empty.
    pub(in crate::container) fn is_whole(&self) -> bool {
        self.text.is_empty() || self.root().is_some()
    }

    /// The value under a dotted key, unless it is void.
    pub(in crate::container) fn get(&self, key: &str) -> Option<JsonValue<'_>> {
        key.split('.').try_fold(self.root()?, |value, step| value.get(step)).filter(|value| !value.is_void())
    }
}

/// A segment of a path; elements of a list are ordered by their numbers.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum PathSegment {
    Element(u32),
    Member(Box<str>),
}

impl PathSegment {
    fn new(word: &str) -> Self {
        word.parse().map_or_else(|_| PathSegment::Member(word.into()), PathSegment::Element)
    }
}

/// The path in the object of an attribute with this path.
fn place(path: &[Box<str>]) -> Vec<PathSegment> {
    let is_of = |group: &str| path.first().is_some_and(|first| &**first == group);
    let (is_llm, is_gen_ai) = (is_of("llm"), is_of("gen_ai"));
    let mut place: Vec<PathSegment> = Vec::new();
    // Older versions have the answer under "ai.result".
    if let [ai, response, member] = path
        && (&**ai, matches!(&**response, "response" | "result")) == ("ai", true)
        && let Some((_, name)) = AI_SDK_MEMBERS.iter().find(|(own, _)| *own == &**member)
    {
        return AI_SDK_ANSWER.split('.').chain([*name]).map(PathSegment::new).collect();
    }
    for step in path {
        let is_in_list = matches!(place.last(), Some(PathSegment::Element(_)));
        let is_in_calls = is_in_list && place.iter().rev().nth(1) == Some(&PathSegment::new("tool_calls"));
        match &**step {
            word if is_llm && is_in_list && WRAPPERS.contains(&word) => {}
            "contents" if is_llm => place.push(PathSegment::new("content")),
            "function_call_name" if is_llm => place.extend(["function_call", "name"].map(PathSegment::new)),
            "function_call_arguments_json" if is_llm => {
                place.extend(["function_call", "arguments"].map(PathSegment::new));
            }
            // Calls have the form of chat completions, whose arguments are JSON text.
            word @ ("name" | "arguments") if is_gen_ai && is_in_calls => {
                place.extend(["function", word].map(PathSegment::new));
            }
            word => place.push(PathSegment::new(word)),
        }
    }
    place
}

#[derive(Debug, Default)]
struct Node<'a> {
    /// Number of the first attribute in it.
    first: usize,
    value: Option<&'a Attribute<'a>>,
    members: BTreeMap<PathSegment, Node<'a>>,
}

impl Node<'_> {
    /// Writes its value, which is under `key`.
    fn write(&self, key: &str, text: &mut Fragment) {
        let at = self.start();
        match self.value {
            Some(attribute) if self.members.is_empty() => return attribute.write(key, text),
            _ => {}
        }
        let is_list =
            !self.members.is_empty() && self.members.keys().all(|step| matches!(step, PathSegment::Element(_)));
        let mut members: Vec<_> = self.members.iter().collect();
        if !is_list {
            members.sort_by_key(|(_, node)| node.first);
        }
        text.push_synthetic(if is_list { "[" } else { "{" }, at);
        for (number, (step, node)) in members.into_iter().enumerate() {
            let at = node.start();
            if number > 0 {
                text.push_synthetic(",", at);
            }
            let name = match step {
                PathSegment::Member(name) => name.clone(),
                PathSegment::Element(number) => number.to_string().into(),
            };
            if !is_list {
                let mut word = Fragment::default();
                word.push_synthetic(&name, at);
                text.quote(&word);
                text.push_synthetic(":", at);
            }
            node.write(&name, text);
        }
        text.push_synthetic(if is_list { "]" } else { "}" }, at);
    }

    /// Offset of its first value in the file.
    fn start(&self) -> usize {
        let own = self.value.map(|attribute| attribute.value.source().start);
        let first = || self.members.values().map(Node::start).min();
        own.or_else(first).unwrap_or_default()
    }
}

impl Attribute<'_> {
    fn write(&self, key: &str, text: &mut Fragment) {
        let string = self.string();
        let is_content = key == "content";
        let is_event = is_content && self.path.iter().any(|step| &**step == "event");
        let is_embedded = EMBEDDED.contains(&key) || is_content;
        match string.filter(|_| is_embedded).and_then(|string| embedded(string, is_content && !is_event)) {
            Some(inner) => text.append(&inner),
            None if self.is_typed => unwrap(self.value, 0, text),
            None => text.push_verbatim(self.value),
        }
    }
}

/// The list or object whose JSON text a string is; if `is_parts`, only a list of message parts.
fn embedded(string: JsonValue<'_>, is_parts: bool) -> Option<Fragment> {
    let text = Fragment::from_value(string);
    text.bytes.trim_ascii_start().first().filter(|first| matches!(first, b'{' | b'['))?;
    let index = text.index()?;
    let root = text.root(&index)?;
    let is_part = |item: JsonValue<'_>| item.first_of(&["type", "text", "toolUse", "toolResult"]).is_some();
    let is_list = root.kind() == JsonKind::Array && !root.is_void() && root.items().all(is_part);
    (!is_parts || is_list).then_some(text)
}

/// Writes an OTLP value without its types.
fn unwrap(value: JsonValue<'_>, nested: usize, text: &mut Fragment) {
    if nested == NESTED {
        return text.push_verbatim(value);
    }
    if nested.is_multiple_of(REACH) {
        let again = standing(value);
        if let Some(index) = again.index()
            && let Some(value) = again.root(&index)
        {
            return unwrap_known(value, nested, text);
        }
    }
    unwrap_known(value, nested, text);
}

fn unwrap_known(value: JsonValue<'_>, nested: usize, text: &mut Fragment) {
    let place = value.source();
    let Some(inner) = value.items().next() else { return text.push_synthetic("null", place.start) };
    let values = inner.get("values").into_iter().flat_map(|values| values.items());
    match inner.key().as_ref() {
        "arrayValue" | "array_value" => {
            text.push_synthetic("[", place.start);
            for (number, item) in values.enumerate() {
                if number > 0 {
                    text.push_synthetic(",", item.source().start);
                }
                unwrap(item, nested + 1, text);
            }
            text.push_synthetic("]", place.end);
        }
        "kvlistValue" | "kvlist_value" => {
            text.push_synthetic("{", place.start);
            let members = values.filter_map(|pair| Some((pair.string_of("key")?, pair.get("value")?)));
            for (number, (key, value)) in members.enumerate() {
                if number > 0 {
                    text.push_synthetic(",", key.source().start);
                }
                text.push_verbatim(key);
                text.push_synthetic(":", key.source().end);
                unwrap(value, nested + 1, text);
            }
            text.push_synthetic("}", place.end);
        }
        // A 64-bit integer is written as a string.
        "intValue" | "int_value" if inner.text().is_some_and(|word| is_number(word.as_bytes())) => text.content(inner),
        _ => text.push_verbatim(inner),
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::json::RecordPositions;
    use super::*;

    fn tree(attributes: &str) -> String {
        let index = Index::read(attributes.as_bytes()).expect("it is JSON");
        let value = index.root(attributes.as_bytes(), RecordPositions::At(0)).expect("there is a value");
        let tree = AttributeTree::new(&super::super::attributes(value));
        String::from_utf8(tree.text.bytes.clone()).expect("it is UTF-8")
    }

    #[test]
    fn attributes_read_the_same_however_they_are_written() {
        let deep = r#"{"kvlistValue":{"values":[{"key":"a","value":"#;
        let typed = format!("{}{{\"stringValue\":\"x\"}}{}", deep.repeat(12), "}]}}".repeat(12));
        let typed = format!(r#"[{{"key":"tool.parameters","value":{typed}}}]"#);
        let plain = format!(r#"{{"tool":{{"parameters":{}"x"{}}}}}"#, "{\"a\":".repeat(12), "}".repeat(12));
        let cases = [
            (
                r#"{"gen_ai.prompt.10.role":"b","gen_ai.prompt.2.role":"a"}"#,
                r#"{"gen_ai":{"prompt":[{"role":"a"},{"role":"b"}]}}"#,
            ),
            (
                r#"{"llm.input_messages.0.message.contents.0.message_content.text":"a"}"#,
                r#"{"llm":{"input_messages":[{"content":[{"text":"a"}]}]}}"#,
            ),
            (
                r#"{"llm":{"input_messages":[{"message":{"contents":[{"message_content":{"text":"a"}}]}}]}}"#,
                r#"{"llm":{"input_messages":[{"content":[{"text":"a"}]}]}}"#,
            ),
            (
                r#"{"llm.output_messages.0.message.tool_calls.0.tool_call.function.name":"f"}"#,
                r#"{"llm":{"output_messages":[{"tool_calls":[{"function":{"name":"f"}}]}]}}"#,
            ),
            (
                r#"{"llm.output_messages.0.message.function_call_name":"f"}"#,
                r#"{"llm":{"output_messages":[{"function_call":{"name":"f"}}]}}"#,
            ),
            (
                r#"{"gen_ai.prompt.0.tool_calls.0.arguments":"{}"}"#,
                r#"{"gen_ai":{"prompt":[{"tool_calls":[{"function":{"arguments":"{}"}}]}]}}"#,
            ),
            (r#"{"gen_ai.input.messages":"[{\"role\":1}]"}"#, r#"{"gen_ai":{"input":{"messages":[{"role":1}]}}}"#),
            (r#"{"gen_ai.input.messages":"[{\"role\""}"#, r#"{"gen_ai":{"input":{"messages":"[{\"role\""}}}"#),
            (r#"{"content":"[1]"}"#, r#"{"content":"[1]"}"#),
            (r#"{"content":"[{\"text\":\"a\"}]"}"#, r#"{"content":[{"text":"a"}]}"#),
            (
                r#"{"gen_ai":{"tool":{"call":{"arguments":{"a.b":1}}}}}"#,
                r#"{"gen_ai":{"tool":{"call":{"arguments":{"a.b":1}}}}}"#,
            ),
            (
                r#"[{"key":"a.n","value":{"intValue":"5"}},{"key":"a.l","value":{"arrayValue":{"values":[{"boolValue":true},{}]}}}]"#,
                r#"{"a":{"n":5,"l":[true,null]}}"#,
            ),
            (r#"[{"key":"a.n","value":{"intValue":"5,\"b"}}]"#, r#"{"a":{"n":"5,\"b"}}"#),
            (&typed, &plain),
        ];
        for (attributes, expected) in cases {
            assert_eq!(tree(attributes), expected, "{attributes}");
        }
    }

    #[test]
    fn hostile_attributes_are_read_as_far_as_it_goes() {
        let depth = 5000;
        let key = format!(r#"{{"llm{}":1}}"#, ".a".repeat(depth));
        let list = r#"{"arrayValue":{"values":["#;
        let nested = format!(r#"[{{"key":"k","value":{}{}}}]"#, list.repeat(depth), "]}}".repeat(depth));
        for attributes in [key, nested] {
            assert!(tree(&attributes).len() > depth, "{}", &attributes[..80]);
        }
    }
}
