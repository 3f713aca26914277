//! Parts of messages that a prompt loses, changes or puts in another order.

use serde_json::Value;

use super::super::conversation::{Conversation, TemplateRuntime};
use super::super::engine::RenderedText;
use super::renders::{Renders, reasoning_of};
use super::search::{LostPart, PromptSearch, TextPlace, calls_of, content_of, name_of};
use super::variants::{with_content, with_null_content, with_object_arguments, with_parts};
use super::{ProbedConversation, Problems};
use crate::diagnostic::{Code, Diagnostic, Severity};

/// Reports the texts and calls that a prompt lacks.
pub(super) fn find(
    renders: &Renders,
    probe: &ProbedConversation,
    runtime: TemplateRuntime,
    rendered: &RenderedText,
    found: &mut Problems,
) {
    let messages = &probe.conversation.messages;
    if !renders.reads_tools() && messages.iter().any(|message| !calls_of(message).is_empty()) {
        return;
    }
    let Ok(prepared) = renders.prepared(&probe.conversation, runtime) else { return };
    let tools = prepared.tools.clone().map_or_else(String::new, |tools| Value::Array(tools).to_string());
    let contents: String = prepared.messages.iter().map(content_of).collect::<Vec<_>>().join("\n");
    let search = PromptSearch::new(&rendered.text, &tools, &contents);
    let mut search = LossSearch { renders, probe, prepared: &prepared, runtime, rendered, found, search, call: None };
    let last = prepared.messages.len().saturating_sub(1);
    for (position, message) in prepared.messages.iter().enumerate() {
        search.message(position, message, position == last);
    }
    search.order_of_results();
    search.texts_of_arguments();
    search.printed_null();
}

struct LossSearch<'a> {
    renders: &'a Renders,
    probe: &'a ProbedConversation,
    /// The probe's conversation as the runtime changes it.
    prepared: &'a Conversation,
    runtime: TemplateRuntime,
    rendered: &'a RenderedText,
    found: &'a mut Problems,
    search: PromptSearch<'a>,
    /// Offset of the last call that was found.
    call: Option<usize>,
}

impl LossSearch<'_> {
    fn message(&mut self, position: usize, message: &Value, is_last: bool) {
        let role = message.get("role").and_then(Value::as_str).unwrap_or_default();
        let (calls, content) = (calls_of(message), content_of(message));
        let content_at = self.search.find(content);
        let mut lost = Vec::new();
        if is_last && reasoning_of(message).is_some_and(|text| !self.rendered.text.contains(text.trim())) {
            let subject = if calls.is_empty() { "" } else { " next to a call" };
            lost.push((Code::ReasoningLeftOut, format!("the reasoning of messages[{position}]{subject} is left out")));
        }
        let written = self.calls(position, calls, &mut lost);
        // Some templates write the system prompt before the last message of the user.
        if role != "system" {
            self.search.at = self.search.at.max(content_at.end_of_all().unwrap_or(0));
        }
        if content_at == TextPlace::Missing {
            match role {
                "assistant" if !calls.is_empty() && written > 0 => {
                    let message = format!("the text next to a call in messages[{position}] is left out");
                    lost.push((Code::TextBesideCallLost, message));
                }
                "assistant" if !calls.is_empty() => {}
                "tool" => {
                    lost.push((Code::ResultLost, format!("the result in messages[{position}] is not in the prompt")));
                }
                _ => {
                    let message = format!("the text of messages[{position}] ({role}) is not in the prompt");
                    lost.push((Code::MessageLost, message));
                }
            }
        }
        self.escaped_result(position, role, content);
        self.trimmed(position, content, content_at.end().is_some());
        let place = self.call.filter(|_| written > 0).unwrap_or(self.search.at);
        for (code, mut message) in lost {
            if matches!(code, Code::MessageLost | Code::ResultLost) && self.is_written_as_parts(content) {
                message.push_str("; a content that is a list of parts is");
            }
            let mut diagnostic = Diagnostic::new(code, self.renders.place(self.rendered, place), message);
            if code == Code::ReasoningLeftOut && (calls.is_empty() || !self.found.writes_reasoning) {
                diagnostic = diagnostic.with_severity(Severity::Hint);
            }
            self.found.add(self.probe, self.runtime, diagnostic);
        }
    }

    /// The number of calls that are written.
    fn calls(&mut self, position: usize, calls: &[Value], lost: &mut Vec<(Code, String)>) -> usize {
        let mut written = 0;
        for call in calls {
            let name = name_of(call);
            match self.search.find_call(call) {
                Ok(at) => {
                    self.call = Some(at);
                    self.search.at = self.search.at.max(at);
                    written += 1;
                }
                Err(_) if written > 0 => {
                    let message = format!(
                        "the call of {name} in messages[{position}] is lost: only the first of {} calls is written",
                        calls.len()
                    );
                    lost.push((Code::ParallelCallLost, message));
                }
                Err(part) => {
                    let lost_part = match part {
                        LostPart::Arguments => "the arguments of the call of",
                        LostPart::Call => "the call of",
                    };
                    let remark = self.remark_on_lost_call();
                    let message = format!("{lost_part} {name} in messages[{position}] are not in the prompt{remark}");
                    let message = if part == LostPart::Call { message.replace(" are not", " is not") } else { message };
                    lost.push((Code::CallLostInHistory, message));
                }
            }
        }
        written
    }

    /// The condition under which a lost call would be written.
    fn remark_on_lost_call(&self) -> &'static str {
        let changed = with_null_content(self.prepared);
        if changed == *self.prepared {
            return "";
        }
        let transformers = TemplateRuntime::Transformers;
        let other = self.renders.render_conversation(&changed, self.probe.generation_prompt, transformers);
        let is_written = other.is_ok_and(|other| self.search.of(&other.text).has_calls(&changed.messages));
        if is_written {
            ": its content is an empty text, and only calls of a message whose content is null are"
        } else {
            ""
        }
    }

    /// True if a text is written once contents are lists of parts.
    fn is_written_as_parts(&self, content: &str) -> bool {
        let changed = with_parts(self.prepared);
        let transformers = TemplateRuntime::Transformers;
        let other = self.renders.render_conversation(&changed, self.probe.generation_prompt, transformers);
        other.is_ok_and(|other| other.text.contains(content))
    }

    /// A result that is JSON and is written as a quoted text.
    fn escaped_result(&mut self, position: usize, role: &str, content: &str) {
        if role != "tool" || !content.contains('"') {
            return;
        }
        let escaped = content.replace('\\', "\\\\").replace('"', "\\\"");
        let text = &self.rendered.text;
        if let (Some(at), false) = (text.find(&escaped), text.contains(content)) {
            let message = format!("the result in messages[{position}] is JSON and is escaped again: {escaped}");
            self.report(Code::ResultEscapedTwice, at, message);
        }
    }

    /// Whitespace at the ends of a content.
    fn trimmed(&mut self, position: usize, content: &str, is_found: bool) {
        let text = &self.rendered.text;
        let trimmed = content.trim();
        if !is_found || trimmed == content || text.contains(content) {
            return;
        }
        if let Some(at) = text.rfind(trimmed) {
            self.report(Code::ContentTrimmed, at, format!("the text of messages[{position}] is trimmed at its ends"));
        }
    }

    /// Results in another order than their calls. If exchanged ids do not change the prompt, the ids do not count.
    fn order_of_results(&mut self) {
        if self.call.is_none() {
            return;
        }
        let messages = &self.probe.conversation.messages;
        let id = |message: &Value| message.get("tool_call_id").and_then(Value::as_str).map(str::to_owned);
        let results: Vec<(usize, String)> =
            messages.iter().enumerate().filter_map(|(position, message)| Some((position, id(message)?))).collect();
        let Some(((first, first_id), (second, second_id))) = results.first().zip(results.get(1)) else {
            if let Some((position, id)) = results.first() {
                self.shown_ids(*position, std::slice::from_ref(id));
            }
            return;
        };
        if second - first > 1 || first_id == second_id {
            return;
        }
        let mut exchanged = self.probe.conversation.clone();
        exchanged.messages[*first]["tool_call_id"] = second_id.as_str().into();
        exchanged.messages[*second]["tool_call_id"] = first_id.as_str().into();
        let other = self.renders.render_conversation(&exchanged, self.probe.generation_prompt, self.runtime);
        if other.is_ok_and(|other| other.text == self.rendered.text) {
            let message = "results are assigned to calls by their order: exchanged ids give the same prompt";
            let at =
                messages[*first].get("content").and_then(Value::as_str).and_then(|text| self.rendered.text.find(text));
            self.report(Code::ResultsByOrder, at.unwrap_or(self.search.at), message.to_owned());
        }
        self.shown_ids(*first, &[first_id.clone(), second_id.clone()]);
    }

    fn shown_ids(&mut self, position: usize, ids: &[String]) {
        if ids.iter().all(|id| !self.rendered.text.contains(id.as_str())) {
            let content = self.probe.conversation.messages[position].get("content").and_then(Value::as_str);
            let at = content.and_then(|text| self.rendered.text.find(text)).unwrap_or(self.search.at);
            self.report(Code::IdsNotShown, at, "ids of calls and results are not in the prompt".to_owned());
        }
    }

    /// Arguments that are a text: escaped twice, or written in another way than an object.
    fn texts_of_arguments(&mut self) {
        let calls = self.prepared.messages.iter().filter_map(|message| message.get("tool_calls")?.as_array()).flatten();
        let mut texts = calls.filter_map(|call| call.pointer("/function/arguments")?.as_str().map(str::to_owned));
        let Some(text) = texts.find(|text| text.contains('"')) else { return };
        let escaped = text.replace('\\', "\\\\").replace('"', "\\\"");
        let prompt = &self.rendered.text;
        if let (Some(at), false) = (prompt.find(&escaped), prompt.contains(&text)) {
            let message = format!("arguments that are a JSON text are escaped again: {escaped}");
            self.report(Code::ArgumentsEscapedTwice, at, message);
            return;
        }
        let objects = with_object_arguments(self.prepared);
        let usual =
            self.renders.render_conversation(&objects, self.probe.generation_prompt, TemplateRuntime::Transformers);
        let Ok(usual) = usual else { return };
        let dense = |text: &str| text.split_whitespace().collect::<String>();
        if dense(&usual.text) != dense(prompt) {
            let at = usual.text.bytes().zip(prompt.bytes()).take_while(|(one, other)| one == other).count();
            let excerpt: String =
                prompt.get(prompt.floor_char_boundary(at)..).unwrap_or_default().chars().take(40).collect();
            let message =
                format!("arguments that are a JSON text are written in another way than an object: {excerpt}");
            self.report(Code::ArgumentsInOtherSyntax, at, message);
        }
    }

    /// The word `None` for a content that is null.
    fn printed_null(&mut self) {
        let changed = with_content(self.prepared);
        if changed == *self.prepared {
            return;
        }
        let transformers = TemplateRuntime::Transformers;
        let usual = self.renders.render_conversation(&changed, self.probe.generation_prompt, transformers);
        let Ok(usual) = usual else { return };
        let prompt = &self.rendered.text;
        let is_more = |word: &&str| prompt.matches(word).count() > usual.text.matches(word).count();
        if let Some(word) = ["None", "null"].into_iter().find(is_more) {
            let at = usual.text.bytes().zip(prompt.bytes()).take_while(|(one, other)| one == other).count();
            self.report(Code::ContentNonePrinted, at, format!("a content that is null is printed as the word {word}"));
        }
    }

    fn report(&mut self, code: Code, at: usize, message: String) {
        let diagnostic = Diagnostic::new(code, self.renders.place(self.rendered, at), message);
        self.found.add(self.probe, self.runtime, diagnostic);
    }
}
