//! A single observation: a request with its messages, the result of a call, or a step.

use super::super::answer::time_of;
use super::super::facts::{CallTimes, Fact, RequestFacts};
use super::super::fragment::Fragment;
use super::super::json::{Index, JsonKind, JsonValue};
use super::super::langchain;
use super::super::otel::history::{History, ShownBy, ShownCall};
use super::super::otel::messages::SpanMessages;
use super::super::otel::status::SpanFailure;
use super::super::otel::tool::ToolSpan;
use super::super::usage;
use super::super::writer::TextWriter;
use super::super::{Message, MessagePart, MessageRole};
use super::message_list::{Accepts, MessageList};
use super::order::{Encloses, Phase};
use super::written::member;
use crate::text::Span;

/// Prefixes of the names of tools in frameworks.
const NAME_PREFIXES: [&str; 3] = ["running tool: ", "execute_tool ", "tool."];

/// Attributes with the id of a call, in the metadata of an observation.
const CALL_IDS: [&str; 4] = ["ai.toolCall.id", "gen_ai.tool.call.id", "tool_call_id", "toolCallId"];

/// The conversation of an observation.
#[derive(Debug)]
pub(super) struct Branch {
    /// Identifies the conversation in the history.
    pub(super) session: Box<str>,
    pub(super) title: Option<Box<str>>,
    /// True if it is a sub-agent's.
    pub(super) is_aside: bool,
}

/// An observation, or a part of one.
#[derive(Debug)]
pub(super) struct Observation<'a> {
    value: JsonValue<'a>,
    phase: Phase,
    is_generation: bool,
    is_tool: bool,
    failure: Option<SpanFailure<'a>>,
}

/// A call as an observation of its tool states it: `{name, input, output}`.
struct Tool {
    text: Fragment,
    /// The id of the call, if the observation states it.
    id: Option<Box<str>>,
    has_failed: bool,
    /// True if its output is an empty object, as if it was not recorded.
    is_empty: bool,
}

impl<'a> Observation<'a> {
    pub(super) fn new(value: JsonValue<'a>, phase: Phase, is_generation: bool, encloses: Encloses) -> Self {
        let is_failure = value.is_string("level", "ERROR") && phase != Phase::Input && !encloses.failures;
        let words = value.get("statusMessage").filter(|words| !words.is_void());
        let is_tool = value.text_of("type").is_some_and(|kind| kind.eq_ignore_ascii_case("TOOL"));
        Self { value, phase, is_generation, is_tool, failure: is_failure.then_some(SpanFailure { words }) }
    }

    /// The input and output of a trace, as if it were a request.
    pub(super) fn of_trace(value: JsonValue<'a>) -> Self {
        Self { value, phase: Phase::Whole, is_generation: true, is_tool: false, failure: None }
    }

    /// The request; `is_aside` if a sub-agent sent it.
    pub(super) fn request(&self, is_aside: bool) -> Fact {
        let value = self.value;
        let number = |path: &[&str]| value.path(path)?.fraction().filter(|cost| *cost > 0.0);
        let stop = || value.path(&["modelParameters", "finishReason"])?.scalar_text();
        let has_failed = value.is_string("level", "ERROR");
        Fact::Request(RequestFacts {
            key: value.words_of("id"),
            model: self.model(),
            usage: usage::langfuse(value),
            cost: number(&["totalCost"])
                .or_else(|| number(&["calculatedTotalCost"]))
                .or_else(|| number(&["costDetails", "total"])),
            start: time_of(value, &["startTime"]),
            first_token: time_of(value, &["completionStartTime"]),
            end: time_of(value, &["endTime"]),
            stop: stop().or_else(|| self.attribute(&["ai.response.finishReason"])),
            error: has_failed.then(|| value.words_of("statusMessage").unwrap_or_else(|| "error".into())),
            is_aside,
            ..RequestFacts::default()
        })
    }

    fn model(&self) -> Option<Box<str>> {
        self.value.words_of("model")
    }

    /// The first of these attributes, in the metadata or in its `attributes`; the metadata may be JSON text.
    fn attribute(&self, keys: &[&str]) -> Option<Box<str>> {
        let metadata = self.value.get("metadata")?;
        let text = (metadata.kind() == JsonKind::Text).then(|| Fragment::from_value(metadata));
        let index = text.as_ref().and_then(Fragment::index);
        let inner = text.as_ref().zip(index.as_ref()).and_then(|(text, index)| text.root(index));
        let metadata = inner.unwrap_or(metadata);
        keys.iter().find_map(|key| {
            let nested = metadata.get("attributes").and_then(|attributes| attributes.get(key));
            nested.or_else(|| metadata.get(key))?.scalar_text()
        })
    }

    /// Writes what was not shown before; returns false if that is nothing. `is_same` says that the last messages of
    /// the conversation have the same parent.
    pub(super) fn write(&self, branch: &Branch, history: &mut History, is_same: bool, out: &mut TextWriter) -> bool {
        let tool = if self.is_generation || self.phase == Phase::Input { None } else { Some(self.tool()) };
        if let Some(tool) = tool {
            let call = self.shown_call(&tool, branch, history);
            if self.is_tool || call.is_some() {
                return self.write_tool(&tool, call, branch, history, out);
            }
        }
        self.write_messages(branch, history, is_same, out)
    }

    fn write_messages(&self, branch: &Branch, history: &mut History, is_same: bool, out: &mut TextWriter) -> bool {
        let accepts = if self.is_generation { Accepts::Texts } else { Accepts::Messages };
        let mut list = MessageList::new("user", accepts);
        let [input, output] = ["input", "output"].map(|key| self.value.get(key).filter(|value| !value.is_void()));
        let is_read = |value: Option<JsonValue<'a>>, list: &mut MessageList| value.is_none_or(|value| list.add(value));
        if let Some(output) = output {
            with_json(output, |output| list.instructions_of_response(output));
        }
        let is_input_read = is_read(input, &mut list);
        let (given, mut list) = list.next("assistant");
        let is_output_read = is_read(output, &mut list);
        let (answered, _) = list.next("");
        let raw = |value: Option<JsonValue<'a>>, is_read: bool| value.filter(|_| !is_read && self.is_generation);
        let raw_input = raw(input, is_input_read).filter(|_| self.phase != Phase::Output);
        let raw_output = raw(output, is_output_read).filter(|_| self.phase != Phase::Input);
        let (given, answered) = (bracketed(&given), bracketed(&answered));
        let (given_index, answered_index) = (given.index(), answered.index());
        let given = given_index.as_ref().and_then(|index| given.root(index)).filter(|list| !list.is_void());
        let answered = answered_index.as_ref().and_then(|index| answered.root(index)).filter(|list| !list.is_void());
        let prompt = Message::from_role(MessageRole::User);
        let time = self.value.words_of("endTime");
        let answer = Message { time, model: self.model(), ..Message::from_role(MessageRole::Assistant) };
        let mut messages = match self.phase {
            Phase::Input => SpanMessages::listed(given.map(|list| (list, prompt)), None),
            Phase::Output => SpanMessages::listed(answered.map(|list| (list, answer.clone())), None),
            Phase::Whole => {
                SpanMessages::listed(given.map(|list| (list, prompt)), answered.map(|list| (list, answer.clone())))
            }
        };
        let session = Some(&*branch.session);
        let is_repeated = messages.leave_out(session, None, history);
        if messages.is_empty() && raw_input.is_none() && raw_output.is_none() && self.failure.is_none() {
            return false;
        }
        let first = out.events().len();
        // Another prompt begins a conversation, unless it has the same instructions and comes from the same place.
        let goes_on = is_repeated || self.phase == Phase::Output || (is_same && !messages.has_instructions());
        history.begin(session, goes_on, branch.title.clone(), out);
        if let Some(input) = raw_input {
            out.message(Message::from_role(MessageRole::User));
            out.write_part(MessagePart::Envelope("input".into()), input);
        }
        let answers = messages.write(out);
        if let Some(output) = raw_output {
            out.message(answer);
            out.write_part(MessagePart::Envelope("output".into()), output);
        }
        if let Some(failure) = &self.failure {
            failure.write(self.value, out);
        }
        history.learn(session, first, ShownBy::Given, answers, out);
        true
    }

    /// The call of a tool as the observation states it.
    fn tool(&self) -> Tool {
        let value = self.value;
        let at = value.source().start;
        let mut text = Fragment::default();
        let name = value.get("name").map(Fragment::from_value).unwrap_or_default();
        let prefix = NAME_PREFIXES.iter().find(|prefix| name.bytes.starts_with(prefix.as_bytes()));
        text.push_synthetic("{\"name\":", at);
        text.quote(&name.slice(Span::new(prefix.map_or(0, |prefix| prefix.len()), name.bytes.len())));
        let input = value.get("input").filter(|input| !input.is_void());
        if let Some(input) = input {
            with_json(input, |input| member(&mut text, "input", unwrapped(input)));
        }
        let mut id = self.attribute(&CALL_IDS);
        let (mut has_failed, mut is_empty) = (false, false);
        if let Some(output) = value.get("output").filter(|output| !output.is_void()) {
            with_json(output, |inner| {
                is_empty = inner.kind() == JsonKind::Object && inner.is_void();
                let body = langchain::body(inner).map_or(inner, |(body, _)| body);
                let told = body.first_filled(&["tool_call_id", "toolCallId"]).and_then(JsonValue::scalar_text);
                let is_error = ["isError", "is_error"].iter().find_map(|key| body.truth_of(key));
                has_failed = body.is_string("status", "error") || is_error == Some(true);
                let is_message = told.is_some()
                    || is_error.is_some()
                    || body.string_of("role").is_some()
                    || body.items().count() == 1;
                id = id.take().or(told);
                let content = body.get("content").filter(|_| is_message);
                // JSON text is shown as the tool wrote it.
                let shown = content.unwrap_or(if inner.kind() == JsonKind::Text { inner } else { output });
                member(&mut text, "output", shown);
            });
        }
        text.push_synthetic("}", value.source().end);
        Tool { text, id, has_failed, is_empty }
    }

    /// The shown call that an observation is about.
    fn shown_call(&self, tool: &Tool, branch: &Branch, history: &mut History) -> Option<ShownCall> {
        let index = tool.text.index()?;
        let told = tool.text.root(&index)?;
        let session = Some(&*branch.session);
        let call = history.call(session, tool.id.as_deref(), told.get("name"), told.get("input"));
        // Some integrations do not record the arguments of a tool.
        call.or_else(|| history.call_of_tool(session, &told.text_of("name")?).filter(|_| self.is_tool))
    }

    fn write_tool(
        &self,
        tool: &Tool,
        call: Option<ShownCall>,
        branch: &Branch,
        history: &mut History,
        out: &mut TextWriter,
    ) -> bool {
        let at = self.value.source().start;
        let known = call.and_then(|call| history.id_of(&call)).map(Box::from);
        let id = known.or_else(|| tool.id.clone()).or_else(|| self.value.words_of("id")).unwrap_or_default();
        let mut text = tool.text.slice(Span::new(0, tool.text.bytes.len() - 1));
        let mut word = Fragment::default();
        word.push_synthetic(&id, at);
        text.push_synthetic(",\"id\":", at);
        text.quote(&word);
        text.push_synthetic("}", self.value.source().end);
        let index: Option<Index> = text.index();
        let Some(told) = index.as_ref().and_then(|index| text.root(index)) else { return false };
        let (start, end) = (time_of(self.value, &["startTime"]), time_of(self.value, &["endTime"]));
        if start.is_some() && end.is_some() {
            out.fact(Fact::Call(id, CallTimes { start, end, took: None }));
        }
        let span = ToolSpan {
            name: told.get("name"),
            id: told.get("id"),
            input: told.get("input"),
            output: told.get("output"),
        };
        let stated = SpanFailure { words: None };
        let failure = self.failure.as_ref().or(tool.has_failed.then_some(&stated));
        let has_result = (span.has_output() && !tool.is_empty) || failure.is_some();
        if call.is_some_and(|call| !has_result || call.is_answered) {
            return false;
        }
        let session = Some(&*branch.session);
        let first = out.events().len();
        history.begin(session, true, branch.title.clone(), out);
        let ended = self.value.words_of("endTime");
        match call {
            Some(call) => {
                history.answer(&call);
                span.answer(call.start, failure, ended, out);
            }
            None => span.write(self.value, failure, ended, out),
        }
        history.learn(session, first, ShownBy::Tool, usize::MAX, out);
        true
    }
}

/// Passes the value of a JSON text, or a value itself, to `take`.
fn with_json(value: JsonValue<'_>, take: impl FnOnce(JsonValue<'_>)) {
    let text = (value.kind() == JsonKind::Text).then(|| Fragment::from_value(value));
    let is_json = |text: &&Fragment| matches!(text.bytes.trim_ascii_start().first(), Some(b'{' | b'[' | b'"'));
    let index = text.as_ref().filter(is_json).and_then(Fragment::index);
    let inner = text.as_ref().zip(index.as_ref()).and_then(|(text, index)| text.root(index));
    take(inner.unwrap_or(value));
}

/// The arguments in an input that wraps them.
fn unwrapped(input: JsonValue<'_>) -> JsonValue<'_> {
    let inner = input.get("input").filter(|inner| inner.kind() == JsonKind::Object && input.items().count() == 1);
    inner.unwrap_or(input)
}

/// Elements as a JSON list.
fn bracketed(elements: &Fragment) -> Fragment {
    let source = elements.map.source_of(Span::new(0, elements.bytes.len()));
    let mut list = Fragment::default();
    list.push_synthetic("[", source.start);
    list.append(elements);
    list.push_synthetic("]", source.end);
    list
}
