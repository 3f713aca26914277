//! Conversations as a template gets them.
//!
//! Everything is plain JSON. Reasoning is filled in under the names that templates read (`reasoning_content`, `thinking`), as
//! transformers does it, and arguments are converted as the runtime does it ([`TemplateRuntime`]).

use std::borrow::Cow;

use minijinja::value::Value as EngineValue;
use serde_json::{Map, Value, json};

/// Messages and tools in the form of the chat API of OpenAI.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Conversation {
    /// Messages in the form of the chat API of OpenAI.
    pub messages: Vec<Value>,
    /// Schemas of the tools. Nothing and an empty list are two things to a template.
    pub tools: Option<Vec<Value>>,
}

/// A program that renders templates. They differ in what they do to arguments first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TemplateRuntime {
    /// transformers and TRL: arguments unchanged.
    #[default]
    Transformers,
    /// vLLM: arguments that are texts become objects, an empty list of calls is removed, a content that is null becomes an
    /// empty text, and texts become parts if the template prints parts only.
    Vllm,
    /// llama.cpp: arguments become objects if the template can print objects, else texts; contents as in vLLM.
    LlamaCpp,
}

/// Forms of values that a template can print, found by rendering a small conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PrintedForms {
    /// True if it prints arguments that are objects (llama.cpp: `supports_object_arguments`).
    pub objects: bool,
    /// True if it prints a content that is a list of parts, and none that is a text (llama.cpp: `supports_typed_content`).
    pub parts_only: bool,
}

impl TemplateRuntime {
    /// All runtimes, the one whose prompts are compared with recorded ones first.
    pub const ALL: [Self; 3] = [Self::Transformers, Self::Vllm, Self::LlamaCpp];

    /// Its name on the command line and in JSON.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Transformers => "transformers",
            Self::Vllm => "vllm",
            Self::LlamaCpp => "llama.cpp",
        }
    }

    /// Its name, after a ~ if its prompts are not compared with recorded ones.
    #[must_use]
    pub fn marked_name(self) -> String {
        format!("{}{}", if self.is_verified() { "" } else { "~" }, self.name())
    }

    /// True if its prompts are compared with recorded ones. Of the others, only how they prepare messages is known.
    #[must_use]
    pub fn is_verified(self) -> bool {
        self == Self::Transformers
    }
}

/// Names of a message's reasoning; transformers takes the first one that is not null.
pub(super) const REASONING: [&str; 3] = ["reasoning_content", "thinking", "reasoning"];

impl Conversation {
    /// A conversation from JSON: a list of messages, or an object with `messages` and perhaps `tools`.
    ///
    /// # Errors
    ///
    /// Another form, or a message that is not an object.
    pub fn from_json(value: Value) -> Result<Self, String> {
        let (messages, tools) = match value {
            Value::Array(messages) => (messages, None),
            Value::Object(mut members) => {
                let tools = members.remove("tools").filter(|tools| !tools.is_null());
                match members.remove("messages") {
                    Some(Value::Array(messages)) => (messages, tools.map(Self::tools_from_json).transpose()?),
                    _ => return Err("an object with messages needs the list `messages`".to_owned()),
                }
            }
            _ => return Err("messages are a list, or an object with `messages`".to_owned()),
        };
        if let Some(position) = messages.iter().position(|message| !message.is_object()) {
            return Err(format!("messages[{position}] is not an object"));
        }
        Ok(Self { messages, tools })
    }

    /// True if the last message is the model's: nothing waits for an answer.
    #[must_use]
    pub fn ends_with_answer(&self) -> bool {
        self.messages.last().is_some_and(|message| message["role"] == "assistant")
    }

    /// True if its messages are in the form of Anthropic's API: parts that are calls or results, tools with `input_schema`.
    #[must_use]
    pub fn is_of_another_api(&self) -> bool {
        let is_foreign = |part: &Value| {
            let kind = part.get("type").and_then(Value::as_str);
            kind.is_some_and(|kind| matches!(kind, "tool_use" | "tool_result" | "thinking" | "redacted_thinking"))
        };
        let parts = self.messages.iter().filter_map(|message| message.get("content")?.as_array()).flatten();
        let mut tools = self.tools.iter().flatten();
        parts.into_iter().any(is_foreign) || tools.any(|tool| tool.get("input_schema").is_some())
    }

    /// Schemas of tools from JSON: a list, or an object with `tools`.
    ///
    /// # Errors
    ///
    /// Neither a list nor an object with the list `tools`.
    pub fn tools_from_json(value: Value) -> Result<Vec<Value>, String> {
        match value {
            Value::Array(tools) => Ok(tools),
            Value::Object(mut members) => match members.remove("tools") {
                Some(Value::Array(tools)) => Ok(tools),
                _ => Err("an object with tools needs the list `tools`".to_owned()),
            },
            _ => Err("tools are a list, or an object with `tools`".to_owned()),
        }
    }

    /// The conversation after what a runtime does before it renders.
    ///
    /// # Errors
    ///
    /// Arguments that vLLM refuses since they are not JSON.
    pub fn prepared(&self, runtime: TemplateRuntime, forms: impl FnOnce() -> PrintedForms) -> Result<Self, String> {
        let mut prepared = self.clone();
        if runtime == TemplateRuntime::Transformers {
            return Ok(prepared);
        }
        let forms = forms();
        let takes_objects = runtime == TemplateRuntime::Vllm || forms.objects;
        for (position, message) in prepared.messages.iter_mut().enumerate() {
            let Some(members) = message.as_object_mut() else { continue };
            if let Some(content) = members.get_mut("content") {
                if content.is_null() {
                    *content = Value::from("");
                }
                if forms.parts_only && content.is_string() {
                    *content = json!([{"type": "text", "text": content.take()}]);
                }
            }
            let Some(Value::Array(calls)) = members.get_mut("tool_calls") else { continue };
            for call in calls.iter_mut() {
                let Some(arguments) = call.pointer_mut("/function/arguments") else { continue };
                match arguments {
                    Value::String(text) if takes_objects => match serde_json::from_str(text) {
                        Ok(parsed) => *arguments = parsed,
                        Err(error) if runtime == TemplateRuntime::Vllm => {
                            return Err(format!(
                                "vLLM refuses messages[{position}]: its arguments are not JSON: {error}"
                            ));
                        }
                        Err(_) => {}
                    },
                    Value::Object(_) if !takes_objects => *arguments = Value::String(arguments.to_string()),
                    _ => {}
                }
            }
            if calls.is_empty() && runtime == TemplateRuntime::Vllm {
                members.remove("tool_calls");
            }
        }
        Ok(prepared)
    }

    /// The messages with reasoning under the names that templates read.
    pub fn messages_with_reasoning(&self) -> impl Iterator<Item = Cow<'_, Value>> {
        self.messages.iter().map(with_reasoning)
    }
}

/// A message with its reasoning under all names; unchanged if it has none.
fn with_reasoning(message: &Value) -> Cow<'_, Value> {
    let Value::Object(members) = message else { return Cow::Borrowed(message) };
    let given = REASONING.iter().filter_map(|name| members.get(*name)).find(|value| !value.is_null());
    let Some(reasoning) = given.cloned() else { return Cow::Borrowed(message) };
    let mut filled = Map::new();
    filled.insert("thinking".to_owned(), reasoning.clone());
    filled.extend(members.clone());
    filled.insert("reasoning_content".to_owned(), reasoning);
    Cow::Owned(Value::Object(filled))
}

/// A JSON value for the engine. Lists and objects keep their order.
#[must_use]
pub fn to_engine(value: &Value) -> EngineValue {
    match value {
        Value::Null => EngineValue::from(()),
        Value::Bool(flag) => EngineValue::from(*flag),
        Value::String(text) => EngineValue::from(text.as_str()),
        Value::Number(number) => match (number.as_i64(), number.as_u64()) {
            (Some(integer), _) => EngineValue::from(integer),
            (None, Some(integer)) => EngineValue::from(integer),
            (None, None) => EngineValue::from(number.as_f64().unwrap_or_default()),
        },
        Value::Array(items) => EngineValue::from(items.iter().map(to_engine).collect::<Vec<_>>()),
        Value::Object(members) => {
            EngineValue::from_pairs(members.iter().map(|(key, value)| (key.as_str(), to_engine(value))))
        }
    }
}
