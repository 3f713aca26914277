//! The elements of a response in a chat session of VS Code: what the editor shows of an answer.
//!
//! | `kind` | content |
//! |---|---|
//! | none, `markdownContent`, `markdownVuln` | Markdown |
//! | `inlineReference` | a file or a symbol, whose name is a part of the text around it |
//! | `thinking` | reasoning |
//! | `toolInvocationSerialized` | a call: `toolId`, `toolCallId`, messages about it, perhaps its input and output |
//! | `textEditGroup`, `confirmation`, `progressMessage`, … | other contents, shown raw |
//! | `mcpServersStarting`, `undoStop`, `codeblockUri`, … | bookkeeping |
//!
//! Text continues over references and bookkeeping; [`units`] are the parts that are written.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use super::super::call::CallText;
use super::super::exit_code;
use super::super::fragment::Fragment;
use super::super::items::made_call;
use super::super::json::{JsonKind, JsonValue};
use super::super::messages::{standing, standing_in};
use super::super::writer::TextWriter;
use super::super::{CallOutcome, ContainerEvent, Interpretation, Message, MessagePart, MessageRole, ToolResult};
use crate::diagnostic::Code;
use crate::text::Span;

/// Types of elements of a response, by their `kind`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ElementKind {
    Text,
    Reference,
    Thinking,
    Invocation,
    /// A call that a sub-agent made.
    AgentInvocation,
    /// Another element with something to show.
    Aside,
    Bookkeeping,
    Unknown,
}

const ASIDES: [&str; 31] = [
    "autoModeResolution",
    "clearToPreviousToolInvocation",
    "codeCitation",
    "command",
    "confirmation",
    "disabledClaudeHooks",
    "elicitation",
    "elicitationSerialized",
    "extensions",
    "externalEdit",
    "externalEdits",
    "hook",
    "info",
    "move",
    "multiDiffData",
    "notebookEdit",
    "notebookEditGroup",
    "planReview",
    "progressMessage",
    "progressTask",
    "progressTaskSerialized",
    "pullRequest",
    "questionCarousel",
    "reference",
    "systemNotification",
    "textEdit",
    "textEditGroup",
    "todoList",
    "treeData",
    "warning",
    "workspaceEdit",
];

const BOOKKEEPING: [&str; 6] =
    ["codeblockUri", "mcpServersStarting", "prepareToolInvocation", "undoStop", "usage", "voiceProgress"];

/// Types of confirmation that mean that the user denied a call, or skipped it.
const REFUSED: [u64; 2] = [0, 5];

pub(super) fn kind_of(element: JsonValue<'_>) -> ElementKind {
    if element.kind() == JsonKind::Text {
        return ElementKind::Text;
    }
    match element.text_of("kind").as_deref() {
        None | Some("markdownContent" | "markdownVuln") if text_of(element).is_some() => ElementKind::Text,
        Some("inlineReference") => ElementKind::Reference,
        Some("thinking") => ElementKind::Thinking,
        Some("toolInvocationSerialized" | "toolInvocation") => {
            let is_agents = element.truth_of("fromSubAgent") == Some(true)
                || element.get("subAgentInvocationId").is_some_and(|id| !id.is_void());
            if is_agents { ElementKind::AgentInvocation } else { ElementKind::Invocation }
        }
        Some(kind) if ASIDES.contains(&kind) => ElementKind::Aside,
        Some(kind) if BOOKKEEPING.contains(&kind) => ElementKind::Bookkeeping,
        None if element.get("treeData").is_some() => ElementKind::Aside,
        _ => ElementKind::Unknown,
    }
}

/// The string with an element's Markdown.
pub(super) fn text_of(element: JsonValue<'_>) -> Option<JsonValue<'_>> {
    let value = if element.kind() == JsonKind::Text { Some(element) } else { element.first_of(&["value", "content"]) };
    markdown(value)
}

/// The string of a text that may be Markdown: `{value}`.
fn markdown(value: Option<JsonValue<'_>>) -> Option<JsonValue<'_>> {
    let value = value?;
    let words = if value.kind() == JsonKind::Object { value.get("value")? } else { value };
    (words.kind() == JsonKind::Text).then_some(words)
}

/// The beginning of an element in a text.
#[derive(Clone, Copy, Debug)]
pub(super) struct TextMark {
    /// Number of the element in the response.
    pub(super) element: usize,
    /// Its offset in the text.
    pub(super) offset: usize,
    pub(super) is_reference: bool,
}

/// A part that is written for one element, or for the consecutive elements of a text.
#[derive(Debug)]
pub(super) struct Unit {
    /// Number of its first element in the response.
    pub(super) first: usize,
    pub(super) content: UnitContent,
}

#[derive(Debug)]
pub(super) enum UnitContent {
    Text(Fragment, Vec<TextMark>),
    Reasoning(Fragment),
    Call(Box<ShownCall>),
    Aside {
        name: Box<str>,
        text: Fragment,
        /// Its span in the file, if its type is unknown.
        unknown: Option<Span>,
    },
}

/// A call as the editor shows it.
#[derive(Debug)]
pub(super) struct ShownCall {
    call: CallText,
    /// The outcome, if no result is recorded and none will be.
    outcome: Option<CallOutcome>,
    result: Option<(ToolResult, Fragment)>,
    pub(super) id: Option<Box<str>>,
    /// True if a sub-agent made it.
    pub(super) is_agents: bool,
}

impl Unit {
    /// True for a call of a sub-agent.
    pub(super) fn is_agents(&self) -> bool {
        matches!(&self.content, UnitContent::Call(call) if call.is_agents)
    }

    /// A hash that distinguishes it from another state of the same elements.
    pub(super) fn hash(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        std::mem::discriminant(&self.content).hash(&mut hasher);
        match &self.content {
            UnitContent::Text(text, _) | UnitContent::Reasoning(text) => text.bytes.hash(&mut hasher),
            UnitContent::Call(shown) => {
                let ShownCall { call, outcome, result, .. } = &**shown;
                call.text.bytes.hash(&mut hasher);
                outcome.map(CallOutcome::label).hash(&mut hasher);
                if let Some((result, text)) = result {
                    (result.outcome.label(), &text.bytes).hash(&mut hasher);
                }
            }
            UnitContent::Aside { name, text, .. } => (name, &text.bytes).hash(&mut hasher),
        }
        hasher.finish()
    }

    /// Writes it, and returns its span; a text stays open, since it may be continued.
    pub(super) fn write(&self, out: &mut TextWriter) -> Span {
        let start = match &self.content {
            UnitContent::Text(text, _) => {
                let start = out.begin(MessagePart::Text(Interpretation::from_role(Some(MessageRole::Assistant))));
                out.write(text);
                start
            }
            UnitContent::Reasoning(text) => piece(MessagePart::Reasoning, text, out),
            UnitContent::Call(shown) => {
                let ShownCall { call, outcome, result, id, .. } = &**shown;
                let start = piece(call.part(*outcome), &call.text, out);
                if let Some((result, text)) = result {
                    if id.is_none() {
                        out.event(ContainerEvent::Answers(Some(start)));
                    }
                    out.piece(MessagePart::Result(result.clone()), text);
                }
                start
            }
            UnitContent::Aside { name, text, unknown } => {
                if let Some(source) = unknown {
                    out.end();
                    out.problem(Code::UnknownRecord, *source, format!("unknown kind {name:?}; shown raw"));
                }
                piece(MessagePart::Envelope(name.clone()), text, out)
            }
        };
        Span::new(start, out.len())
    }
}

/// Begins a message with calls of a sub-agent.
pub(super) fn begin_agents(out: &mut TextWriter) {
    out.message(Message { is_outside: true, ..Message::from_role(MessageRole::Assistant) }.with_label("sub-agent"));
}

/// Writes a complete part, and returns its offset.
fn piece(part: MessagePart, text: &Fragment, out: &mut TextWriter) -> usize {
    let start = out.begin(part);
    out.write(text);
    out.end();
    start
}

/// The parts that elements with these numbers become.
pub(super) fn units<'a>(elements: impl IntoIterator<Item = (usize, JsonValue<'a>)>) -> Vec<Unit> {
    let mut units: Vec<Unit> = Vec::new();
    for (first, element) in elements {
        let kind = kind_of(element);
        let content = match kind {
            ElementKind::Bookkeeping => continue,
            ElementKind::Text | ElementKind::Reference => {
                let text = if kind == ElementKind::Text { text_of(element) } else { None };
                let text = text.map_or_else(|| reference(element), Fragment::from_value);
                let is_reference = kind == ElementKind::Reference;
                if let Some(Unit { content: UnitContent::Text(open, marks), .. }) = units.last_mut() {
                    marks.push(TextMark { element: first, offset: open.bytes.len(), is_reference });
                    open.append(&text);
                    continue;
                }
                if text.is_empty() {
                    continue;
                }
                UnitContent::Text(text, vec![TextMark { element: first, offset: 0, is_reference }])
            }
            ElementKind::Thinking => {
                let text = thinking(element);
                if text.is_empty() {
                    continue;
                }
                UnitContent::Reasoning(text)
            }
            ElementKind::Invocation | ElementKind::AgentInvocation => {
                invocation(element, kind == ElementKind::AgentInvocation)
            }
            ElementKind::Aside | ElementKind::Unknown => {
                let name = element.text_of("kind").map_or_else(|| "element".into(), |kind| kind.as_ref().into());
                let words = markdown(element.get("content")).filter(|words| !words.is_void());
                let is_message = words.is_some() && element.get("edits").is_none() && kind == ElementKind::Aside;
                let text = words.filter(|_| is_message).map_or_else(|| standing(element), Fragment::from_value);
                let unknown = (kind == ElementKind::Unknown).then(|| element.get("kind").unwrap_or(element).source());
                UnitContent::Aside { name, text, unknown }
            }
        };
        units.push(Unit { first, content });
    }
    units
}

/// The name of a file or symbol in a text: the name that is stated, or the last part of its path.
fn reference(element: JsonValue<'_>) -> Fragment {
    let target = element.get("inlineReference");
    let of_target = |path: &[&str]| target.and_then(|target| target.path(path));
    if let Some(name) = element.string_of("name").or_else(|| of_target(&["name"])).filter(|name| !name.is_void()) {
        return Fragment::from_value(name);
    }
    let paths: [&[&str]; 6] =
        [&["path"], &["uri", "path"], &["location", "uri", "path"], &["fsPath"], &["external"], &["uri", "external"]];
    let Some(path) = paths.iter().find_map(|path| of_target(path)) else { return standing(element) };
    let whole = Fragment::from_value(path);
    let start = whole.bytes.iter().rposition(|byte| *byte == b'/').map_or(0, |slash| slash + 1);
    if start == whole.bytes.len() { whole } else { whole.slice(Span::new(start, whole.bytes.len())) }
}

/// The text of reasoning: a string, or a list of strings.
fn thinking(element: JsonValue<'_>) -> Fragment {
    let mut text = Fragment::default();
    match element.get("value") {
        Some(list) if list.kind() == JsonKind::Array => list.items().for_each(|words| text.push_content(words)),
        Some(words) if words.kind() == JsonKind::Text => text.push_content(words),
        _ => {}
    }
    text
}

/// A call as the editor shows it. Its arguments are recorded only by some tools; the message about it is shown if they
/// are not.
fn invocation(element: JsonValue<'_>, is_agents: bool) -> UnitContent {
    let details = element.get("resultDetails");
    let data = element.get("toolSpecificData").filter(|data| data.kind() == JsonKind::Object);
    let filled = |value: Option<JsonValue<'_>>| value.is_some_and(|value| !value.is_void());
    let inputs = [
        details.and_then(|details| details.get("input")),
        data.and_then(|data| data.get("rawInput")),
        data.and_then(|data| data.get("commandLine")),
        data,
    ];
    let input = inputs.into_iter().find(|input| filled(*input)).flatten();
    let id = element.string_of("toolCallId").filter(|id| !id.is_void());
    let call = match (input, markdown(element.get("invocationMessage"))) {
        (None, Some(message)) => message_call(element, id, message),
        _ => made_call(element, id, element.string_of("toolId"), "tool", input),
    };
    let outcome = verdict(element, details, data);
    let text = output(element, details, data);
    let id = id.and_then(JsonValue::scalar_text);
    let is_over = element.truth_of("isComplete") == Some(true) || outcome.is_failure();
    let result = text.map(|text| (ToolResult { call: id.clone(), outcome }, text));
    let outcome = (result.is_none() && is_over).then_some(outcome);
    UnitContent::Call(Box::new(ShownCall { call, outcome, result, id, is_agents }))
}

/// A call with the message about it as the only argument.
fn message_call(element: JsonValue<'_>, id: Option<JsonValue<'_>>, message: JsonValue<'_>) -> CallText {
    let mut call = CallText::tool_use(element.source().start, id, element.string_of("toolId"), "tool");
    let place = message.source();
    call.text.push_synthetic("{\"invocationMessage\":", place.start);
    call.text.push_verbatim(message);
    call.text.push_synthetic("}}", place.end);
    call
}

fn verdict(element: JsonValue<'_>, details: Option<JsonValue<'_>>, data: Option<JsonValue<'_>>) -> CallOutcome {
    let confirmed = element.get("isConfirmed");
    let kind = confirmed.and_then(|confirmed| confirmed.number_of("type"));
    if confirmed.and_then(|confirmed| confirmed.truth()) == Some(false)
        || kind.is_some_and(|kind| REFUSED.contains(&kind))
    {
        return CallOutcome::Denied;
    }
    let exit = data.and_then(|data| data.path(&["terminalCommandState", "exitCode"]));
    let stated = CallOutcome::from_error_flag(details.and_then(|details| details.truth_of("isError")));
    exit_code::of_value(exit).or(stated)
}

/// The output of a call as the editor shows it, if there is any.
fn output(element: JsonValue<'_>, details: Option<JsonValue<'_>>, data: Option<JsonValue<'_>>) -> Option<Fragment> {
    let mut text = Fragment::default();
    let output = details.and_then(|details| details.get("output")).filter(|output| !output.is_void());
    match output {
        Some(output) if output.kind() == JsonKind::Array => {
            for part in output.items() {
                begin_line(part, &mut text);
                match part.string_of("value") {
                    Some(value) if part.get("mimeType").is_none() || part.truth_of("isText") == Some(true) => {
                        text.push_content(value);
                    }
                    Some(_) => text.append(&standing_in(part, "data")),
                    None => text.push_content(part),
                }
            }
        }
        Some(output) if output.get("base64Data").is_some() => text.append(&standing_in(output, "data")),
        Some(output) => text.push_content(output),
        None => {
            let past = markdown(element.get("pastTenseMessage")).filter(|words| !words.is_void());
            let screen = data.and_then(|data| data.path(&["terminalCommandOutput", "text"]));
            if let Some(words) = screen.or(past) {
                text.push_content(words);
            }
            // Files that were found.
            for place in details
                .into_iter()
                .flat_map(|details| details.items())
                .filter(|place| place.get("$mid").is_some() || place.get("uri").is_some())
            {
                begin_line(place, &mut text);
                let place = place.get("uri").unwrap_or(place);
                text.push_content(place.first_of(&["path", "external"]).unwrap_or(place));
            }
        }
    }
    (!text.is_empty()).then_some(text)
}

fn begin_line(part: JsonValue<'_>, text: &mut Fragment) {
    if text.bytes.last().is_some_and(|last| *last != b'\n') {
        text.push_synthetic("\n", part.source().start);
    }
}
