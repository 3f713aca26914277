//! Why a template refuses a conversation: the smallest change that makes it render names the cause.

use super::super::conversation::{Conversation, TemplateRuntime};
use super::super::failure::TemplateFailure;
use super::renders::Renders;
use super::variants::{
    with_content, with_object_arguments, with_parts, with_short_ids, with_single_calls, with_text_arguments,
    with_tools, without_calls, without_results, without_system,
};
use super::{ProbedConversation, Problems, line_span};
use crate::diagnostic::{Code, Diagnostic, Severity};

/// A change of a conversation, and the problem if the changed one renders.
struct Cause {
    code: Code,
    /// Subject of the message; the template's own error follows.
    subject: &'static str,
    change: fn(&Conversation) -> Conversation,
}

/// Causes, the smallest change first.
const CAUSES: [Cause; 9] = [
    Cause {
        code: Code::ArgumentsStringRaises,
        subject: "arguments that are a JSON text are refused",
        change: with_object_arguments,
    },
    Cause {
        code: Code::ContentNoneRaises,
        subject: "a message whose content is null is refused",
        change: with_content,
    },
    Cause { code: Code::IdRejected, subject: "the id of a call is refused", change: with_short_ids },
    Cause { code: Code::ParallelRaises, subject: "two calls in one message are refused", change: with_single_calls },
    Cause { code: Code::NoToolsRaises, subject: "a conversation without tools is refused", change: with_tools },
    Cause { code: Code::SystemRaises, subject: "a system message is refused", change: without_system },
    Cause {
        code: Code::CallRaises,
        subject: "a call whose arguments are an object is refused",
        change: with_text_arguments,
    },
    Cause { code: Code::CallRaises, subject: "the result of a call is refused", change: without_results },
    Cause { code: Code::CallRaises, subject: "a call in the history is refused", change: without_calls },
];

/// Reports why a template refuses a conversation in a runtime.
pub(super) fn find(
    renders: &Renders,
    probe: &ProbedConversation,
    runtime: TemplateRuntime,
    failure: &TemplateFailure,
    found: &mut Problems,
) {
    let span = line_span(renders.source(), failure.line);
    let has_calls = probe.conversation.messages.iter().any(|message| message.get("tool_calls").is_some());
    if has_calls && !renders.reads_tools() {
        return;
    }
    // llama.cpp changes lists, and prints a generator as a list.
    if runtime == TemplateRuntime::LlamaCpp && failure.message.contains("generator is not JSON") {
        return;
    }
    if failure.message.contains("object is unsafe") {
        if runtime != TemplateRuntime::LlamaCpp {
            let message = format!("the template changes a list or an object: {}", failure.message);
            found.add(probe, runtime, Diagnostic::new(Code::NeedsMutableList, span, message));
        }
        return;
    }
    let renders_with = |change: fn(&Conversation) -> Conversation| {
        let changed = change(&probe.conversation);
        changed != probe.conversation && renders.render_conversation(&changed, probe.generation_prompt, runtime).is_ok()
    };
    let cause = CAUSES.iter().find(|cause| renders_with(cause.change));
    let (code, subject) = match cause {
        Some(cause) => (cause.code, cause.subject),
        None if renders.takes_parts_only() && renders_with(with_parts) => {
            (Code::PromptRaises, "a content that is a text is refused, and a list of parts is not")
        }
        None => (Code::PromptRaises, "the conversation is refused"),
    };
    let mut diagnostic = Diagnostic::new(code, span, format!("{subject}: {}", failure.message));
    // A conversation of several turns may break a rule of the model that single messages keep.
    if code == Code::PromptRaises && probe.conversation.messages.len() > 1 {
        diagnostic = diagnostic.with_severity(Severity::Warning);
    }
    found.add(probe, runtime, diagnostic);
}
