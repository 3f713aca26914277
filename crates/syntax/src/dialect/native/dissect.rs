//! Dissects a call that is a JSON object: its arguments as a tree, and its other members.
//!
//! Arguments may be an object or a string that contains JSON; positions of the latter are mapped into the string.

use std::borrow::Cow;

use super::shape::MemberKey;
use crate::diagnostic::{Code, Diagnostic, Severity, hidden_characters};
use crate::dialect::{CallParts, Status};
use crate::text::{Span, Text};
use crate::value::json::string::decode;
use crate::value::json::{Arrival, Held, JsonMember, Parsed, parse_all};
use crate::value::place::SpanMap;
use crate::value::{Assembly, CallExtras, Findings, Node, NodeId, ParamTree, ROOT, Scalar, Sink, Value};

/// The form of arguments that a shape of call expects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::dialect) enum Wanted<'a> {
    /// The form implied by the members of the shape.
    ByShape,
    /// An object under a key that the dialect specifies, along with the key of the tool's name.
    Under(ArgumentsKey, &'a str),
}

/// The key of the arguments in the calls of a dialect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::dialect) enum ArgumentsKey {
    Arguments,
    Parameters,
    Args,
    Input,
    /// The only key of the call, which is the tool's name.
    NameIsKey,
}

impl ArgumentsKey {
    /// The key itself; empty if the name is the key.
    pub(in crate::dialect) fn word(self) -> &'static str {
        self.names().first().copied().unwrap_or_default()
    }

    /// Keys accepted instead, starting with the proper one.
    fn names(self) -> &'static [&'static str] {
        match self {
            ArgumentsKey::Arguments => &[ARGUMENTS, "parameters", "input", "args"],
            ArgumentsKey::Parameters => &["parameters", ARGUMENTS, "input", "args"],
            ArgumentsKey::Args => &["args", ARGUMENTS, "parameters", "input"],
            ArgumentsKey::Input => &["input", ARGUMENTS, "parameters", "args"],
            ArgumentsKey::NameIsKey => &[],
        }
    }
}

/// Keys of the nested object that holds the name and arguments.
const LINKS: [&str; 3] = ["function", "functionCall", "function_call"];

const NAMES: [&str; 3] = ["name", "toolName", "tool_name"];

/// The most common key of the arguments.
const ARGUMENTS: &str = "arguments";

impl Wanted<'_> {
    /// Keys of the arguments, most likely first.
    fn names(self) -> &'static [&'static str] {
        match self {
            Wanted::ByShape => &[ARGUMENTS, "input", "args", "parameters"],
            Wanted::Under(key, _) => key.names(),
        }
    }
}

/// The severity of arguments that are not a string, for shapes that require one; `None` for other shapes. Determined
/// by the key that links to the call, if any, whether the enclosing object has an id (`recorded`), and the type.
fn text_form(wanted: Wanted<'_>, link: Option<&str>, recorded: bool, kind: &str) -> Option<Severity> {
    if matches!(wanted, Wanted::Under(..)) {
        return None;
    }
    match link.map(|link| MemberKey::from_bytes(link.as_bytes())) {
        None => matches!(kind, "function_call" | "custom_tool_call").then_some(Severity::Hint),
        Some(MemberKey::Function) if recorded => Some(Severity::Hint),
        Some(MemberKey::CandidatePart) => None,
        Some(_) => Some(Severity::Warning),
    }
}

/// Dissects the call whose object is the body.
pub(in crate::dialect) fn dissect(text: &Text, parts: CallParts<'_>, wanted: Wanted<'_>) -> Assembly {
    let bytes = text.read(parts.body);
    let MemberReader { parsed, arguments, found, holder, name_key, out, .. } =
        MemberReader::<ParamTree>::read(&bytes, parts, wanted);
    let tree = &parsed.sink;
    let plain = |node: Node| {
        let mut assembly = Assembly::default();
        *assembly.tree.node_mut(ROOT) = node;
        assembly
    };
    let assembly = match arguments {
        Arguments::Plain(value, place) => plain(Node::new("", value, place)),
        Arguments::Words(id) => {
            let mut assembly = tree.object(&[id]);
            assembly.tree.node_mut(ROOT).place = tree.node(id).place;
            let input = assembly.tree.node(ROOT).value.children()[0];
            assembly.tree.node_mut(input).key = "input".into();
            assembly
        }
        Arguments::Node(id) => tree.branch(id, &[]),
        Arguments::Text(inner) if matches!(inner.node(ROOT).value, Value::Scalar(..)) => {
            plain(inner.node(ROOT).clone())
        }
        Arguments::Text(inner) => inner.branch(ROOT, &[]),
    };
    let outcome = outcome(tree, text, holder, found, name_key);
    Assembly { problems: out.problems, error: out.error, outcome, ..assembly }
}

/// Problems of the call whose object is the body.
pub(in crate::dialect) fn check(text: &Text, parts: CallParts<'_>, wanted: Wanted<'_>) -> Findings {
    MemberReader::<()>::read(&text.read(parts.body), parts, wanted).out
}

enum Arguments<S> {
    /// A scalar or an empty object, with the span of its value.
    Plain(Value, Span),
    /// A plain text, for a tool that does not take JSON.
    Words(NodeId),
    Node(NodeId),
    /// The parsed content of a string.
    Text(S),
}

/// Interprets the members of a call, and collects problems.
struct MemberReader<'a, 'w, S> {
    parsed: Parsed<'a, S>,
    /// The value of `type`; empty if missing.
    kind: Cow<'a, str>,
    arguments: Arguments<S>,
    /// The node of the arguments.
    found: Option<NodeId>,
    /// The object that holds the name and the arguments.
    holder: NodeId,
    /// The key of the tool's name.
    name_key: &'w str,
    out: Findings,
    arrival: Arrival,
    body: Span,
}

impl<'a, 'w, S: Sink + Default> MemberReader<'a, 'w, S> {
    fn read(bytes: &'a [u8], parts: CallParts<'_>, wanted: Wanted<'w>) -> Self {
        let arrival = if parts.status == Status::Open { Arrival::Open } else { Arrival::Whole };
        let parsed = parse_all(bytes, SpanMap::At(parts.body.start), arrival);
        let arguments = Arguments::Plain(Value::Object(Vec::new()), Span::at(parts.body.end));
        let (kind, out) = (Cow::default(), Findings::default());
        let name_key = NAMES[0];
        let mut reader =
            Self { parsed, kind, arguments, found: None, holder: ROOT, name_key, out, arrival, body: parts.body };
        reader.kind = reader.member(ROOT, &["type"]).map(|member| member.held.words()).unwrap_or_default();
        reader.header();
        reader.name_key = if let Wanted::Under(_, name) = wanted { name } else { NAMES[0] };
        reader.arguments(wanted);
        reader
    }

    /// The member of an object that has the first of these keys to exist.
    fn member(&self, object: NodeId, keys: &[&str]) -> Option<JsonMember<'a>> {
        let members = &self.parsed.members;
        keys.iter().find_map(|key| members.iter().find(|member| member.parent == object && member.key == *key)).cloned()
    }

    /// Reports problems of the JSON itself, and of the name.
    fn header(&mut self) {
        self.out.error = self.parsed.error.take();
        self.out.problems.extend(std::mem::take(&mut self.parsed.problems));
        self.out.problems.extend(std::mem::take(&mut self.parsed.hidden));
        for member in self.parsed.members.iter().filter(|member| member.parent == ROOT) {
            if matches!(&*member.key, "name" | "id" | "toolName" | "toolCallId" | "call_id")
                && let Held::Text(..) = member.held
            {
                self.out.problems.extend(hidden_characters(&member.held.words(), member.value, "the header"));
            }
        }
    }

    fn arguments(&mut self, wanted: Wanted<'w>) {
        if matches!(wanted, Wanted::Under(ArgumentsKey::NameIsKey, _)) {
            let first = self.parsed.members.iter().find(|member| member.parent == ROOT).cloned();
            let Some(first) = first else { return };
            self.found = Some(first.id);
            return self.found_arguments(&first, None);
        }
        let link = self.member(ROOT, &LINKS).filter(|link| link.held == Held::Object);
        let holder = link.as_ref().map_or(ROOT, |link| link.id);
        self.name(holder);
        self.holder = holder;
        let Some(arguments) = self.member(holder, wanted.names()) else { return };
        self.found = Some(arguments.id);
        if let Wanted::Under(key, _) = wanted
            && let Some(usual) = key.names().first()
            && arguments.key != *usual
        {
            let message = format!("the arguments are under {}", arguments.key);
            let problem = Diagnostic::new(Code::MisnamedArguments, arguments.key_place, message);
            self.out.problems.push(problem.contrast(*usual, &*arguments.key));
        }
        let has_id = self.member(ROOT, &["id"]).is_some();
        let mut form = text_form(wanted, link.as_ref().map(|link| &*link.key), has_id, &self.kind);
        // A different library uses the AI SDK's part type, with arguments as JSON text.
        if self.kind == "tool-call" && arguments.key == ARGUMENTS {
            form = form.or(Some(Severity::Warning));
        }
        self.found_arguments(&arguments, form);
    }

    /// Reads the value under the key of the arguments.
    fn found_arguments(&mut self, arguments: &JsonMember<'a>, form: Option<Severity>) {
        let place = arguments.place;
        self.arguments = match arguments.held {
            Held::Text(token, bytes) => {
                let content = token.content(bytes);
                self.text_arguments(arguments, content, form)
            }
            Held::Plain(Scalar::Null, _) => Arguments::Plain(Value::Object(Vec::new()), place),
            Held::Plain(scalar, _) => {
                let (span, message) = (arguments.value, format!("the arguments are a {}", scalar.type_name()));
                self.form(Severity::Error, span, message, "an object", scalar.type_name());
                self.refuse("the arguments are not an object");
                Arguments::Plain(Value::Scalar(scalar, span), place)
            }
            Held::Array => {
                let message = "the arguments are an array".into();
                self.form(Severity::Warning, arguments.value, message, "an object", "an array");
                Arguments::Node(arguments.id)
            }
            Held::Object => {
                if form == Some(Severity::Hint) {
                    let message = "the arguments are an object, where this shape has a string of JSON".into();
                    self.form(Severity::Hint, arguments.value, message, "a string", "an object");
                }
                Arguments::Node(arguments.id)
            }
        };
    }

    fn text_arguments(&mut self, arguments: &JsonMember<'a>, content: &[u8], form: Option<Severity>) -> Arguments<S> {
        let (span, place) = (arguments.value, arguments.place);
        if self.kind == "custom_tool_call" {
            return Arguments::Words(arguments.id);
        }
        let decoded = decode(content);
        let is_empty = decoded.bytes.trim_ascii().is_empty();
        // An empty string is reported as invalid JSON instead.
        if form.is_none() && !(is_empty && self.arrival == Arrival::Whole) {
            let quote = Span::new(span.start.saturating_sub(1), span.start);
            let message = "the arguments are a string, where this shape has an object".into();
            self.form(Severity::Warning, quote, message, "an object", "a string");
        }
        if is_empty {
            if self.arrival == Arrival::Whole {
                let message = "the arguments are an empty string, which is not JSON".into();
                self.form(Severity::Warning, span, message, "{}", "\"\"");
            }
            return Arguments::Plain(Value::Object(Vec::new()), place);
        }
        // If the text is cut off inside of this string, that has been reported already.
        let arrival = if span.end >= self.body.end { Arrival::Open } else { self.arrival };
        let mut inner: Parsed<'_, S> = parse_all(&decoded.bytes, SpanMap::InString(span.start, &decoded), arrival);
        if let Some(error) = inner.error.take() {
            self.refuse(&error);
        }
        self.out.problems.extend(std::mem::take(&mut inner.problems));
        self.out.problems.extend(std::mem::take(&mut inner.hidden));
        let root = inner.root.unwrap_or(Held::Object);
        if self.out.error.is_none() && root != Held::Object {
            let message = format!("the arguments must be a JSON object, found {}", root.type_name());
            self.form(Severity::Warning, span, message, "an object", root.type_name());
        }
        Arguments::Text(inner.sink)
    }

    fn name(&mut self, holder: NodeId) {
        let name = self.member(holder, &[self.name_key]).or_else(|| self.member(holder, &NAMES));
        let empty = name.as_ref().is_some_and(|name| name.held.words().trim().is_empty());
        if empty || (name.is_none() && self.arrival == Arrival::Whole && !self.kind.starts_with("tool-")) {
            let first = Span::new(self.body.start, (self.body.start + 1).min(self.body.end));
            let place = name.map_or(first, |name| name.place);
            let problem = Diagnostic::new(Code::EmptyName, place, "the call has no name");
            self.out.problems.push(problem.help(format!("write the tool's name under the key {}", self.name_key)));
            self.refuse("the call has no name");
        }
    }

    fn form(&mut self, severity: Severity, span: Span, message: String, expected: &str, found: &str) {
        let problem = Diagnostic::new(Code::ArgumentsForm, span, message).contrast(expected, found);
        self.out.problems.push(problem.with_severity(severity));
    }

    fn refuse(&mut self, error: &str) {
        self.out.error.get_or_insert_with(|| error.to_owned());
    }
}

/// The members other than the arguments.
fn outcome(
    tree: &ParamTree,
    text: &Text,
    holder: NodeId,
    arguments: Option<NodeId>,
    name_key: &str,
) -> Option<Box<CallExtras>> {
    let mut outcome = CallExtras::default();
    let children = tree.node(ROOT).value.children();
    let is_part = children.iter().any(|&child| tree.node(child).key == "toolCallId");
    let words = |child: NodeId| Some(tree.scalar_text(child, text).into_owned());
    let mut extra = Vec::new();
    for &child in children {
        match tree.node(child).key.as_str() {
            "state" if is_part => outcome.state = words(child),
            "errorText" if is_part => outcome.error_text = words(child),
            "output" if is_part => outcome.output = Some(tree.branch(child, &[]).tree),
            "type" | "id" | "name" | "toolCallId" | "toolName" | "call_id" | "tool_call_id" => {}
            key if key == name_key || Some(child) == arguments || child == holder => {}
            _ => extra.push(child),
        }
    }
    outcome.extra = (!extra.is_empty()).then(|| tree.object(&extra).tree);
    let CallExtras { state, output, error_text, extra } = &outcome;
    let carries = state.is_some() || output.is_some() || error_text.is_some() || extra.is_some();
    carries.then(|| Box::new(outcome))
}
