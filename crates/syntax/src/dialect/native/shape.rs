//! Recognises calls by the members of an object, in the shapes of providers and runtimes.
//!
//! | shape | members |
//! |---|---|
//! | content block | `type: "tool_use"`, `id`, `name`, `input` |
//! | chat completion | `id`, `type: "function"`, `function: {name, arguments}` |
//! | response item | `type: "function_call"`, `call_id`, `name`, `arguments` |
//! | candidate part | `functionCall: {name, args}` |
//! | message part | `type: "tool-NAME"` or `"dynamic-tool"`, `toolCallId`, `toolName`, `input`, `state`, `output` |
//! | bare | `name` and `arguments`, `parameters`, `input` or `args`; other than that only an id |

use crate::dialect::Word;
use crate::value::json::lexer::Token;
use crate::value::json::machine::Fault;

/// A finding; offsets are in the transcript.
#[derive(Clone, Debug)]
pub(in crate::dialect) enum WalkEvent {
    /// A call whose object begins at `start`; `leading` is true if only structure precedes it.
    Call { start: usize, call: RecognisedCall, leading: bool },
    /// The end of the call's object.
    End(usize),
    /// The JSON is unreadable starting here.
    Broken(usize),
    /// The text ends inside of the value.
    Truncated,
    /// No call within reach; the text up to here can be skipped.
    Nothing(usize),
    /// The end of the whole value.
    Done(usize),
    /// A fault after a call in a tagged list; its offsets are relative to the value.
    Fault(Fault),
}

/// Confidence that the quotes of a call pair as intended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Quotes {
    InStep,
    /// A string begins where a comma is missing: later quotes may be out of step.
    Doubtful,
    /// Such a string ends with `{"` on another line, like the beginning of the next call.
    Suspect(Token),
}

impl Quotes {
    /// Takes the last suspect string.
    pub(super) fn take_suspect(&mut self) -> Option<Token> {
        let Quotes::Suspect(string) = *self else { return None };
        *self = Quotes::Doubtful;
        Some(string)
    }
}

/// The tags around a value, which make any object in it a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::dialect) enum Enclosure {
    None,
    Around,
    /// Each object is a call whose only key is the tool's name.
    NamedByKey,
}

/// Keys of relevant members.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::dialect) enum MemberKey {
    Type,
    Name,
    Id,
    CallId,
    ToolCallId,
    ToolName,
    /// The arguments, under any of their names except `parameters`.
    Arguments,
    /// The arguments, or the schema of a tool definition.
    Parameters,
    Function,
    /// `functionCall`, which needs no arguments.
    CandidatePart,
    /// `function_call`, which may also be a choice of tool.
    FunctionCall,
    ToolCalls,
    /// An index in a list, which a call may have.
    Index,
    /// Any other key, for example one used in tool definitions.
    Other,
}

impl MemberKey {
    pub(in crate::dialect) fn from_bytes(key: &[u8]) -> Self {
        match key {
            b"type" => MemberKey::Type,
            b"name" => MemberKey::Name,
            b"id" => MemberKey::Id,
            b"call_id" | b"tool_call_id" => MemberKey::CallId,
            b"toolCallId" => MemberKey::ToolCallId,
            b"toolName" => MemberKey::ToolName,
            b"input" | b"arguments" | b"args" => MemberKey::Arguments,
            b"parameters" => MemberKey::Parameters,
            b"function" => MemberKey::Function,
            b"functionCall" => MemberKey::CandidatePart,
            b"function_call" => MemberKey::FunctionCall,
            b"tool_calls" => MemberKey::ToolCalls,
            b"index" => MemberKey::Index,
            _ => MemberKey::Other,
        }
    }

    /// True if the value under this key describes the call.
    pub(in crate::dialect) fn is_link(self) -> bool {
        matches!(self, MemberKey::Function | MemberKey::CandidatePart | MemberKey::FunctionCall)
    }

    pub(in crate::dialect) fn is_arguments(self) -> bool {
        matches!(self, MemberKey::Arguments | MemberKey::Parameters)
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::dialect) enum CallType {
    /// A content block: `tool_use`.
    ToolUse,
    /// A response item: `function_call`, `custom_tool_call`.
    ResponseItem,
    /// A message part that names its tool: `dynamic-tool`, `tool-call`.
    Part,
    /// A message part whose type contains the name.
    NamedPart(Word),
    /// Compatible with a bare call: `function`, `tool_call`.
    Neutral,
    Other,
}

impl CallType {
    /// Parses a type with the value `text`, written as `word`.
    pub(in crate::dialect) fn from_text(text: &str, word: &Word) -> Self {
        match text {
            "tool_use" | "server_tool_use" | "mcp_tool_use" => CallType::ToolUse,
            "function_call" | "custom_tool_call" => CallType::ResponseItem,
            "dynamic-tool" | "tool-call" => CallType::Part,
            "function" | "tool_call" | "tool" | "call" => CallType::Neutral,
            "tool-result" | "tool-error" | "tool-invocation" => CallType::Other,
            _ => match text.strip_prefix("tool-") {
                // These are stream events about a call.
                Some(event) if ["input-", "output-", "approval-"].iter().any(|kind| event.starts_with(kind)) => {
                    CallType::Other
                }
                Some(name) if !name.is_empty() => CallType::NamedPart(match &word.decoded {
                    None => Word::plain(crate::text::Span::new(word.span.start + 5, word.span.end)),
                    Some(_) => Word::decoded(word.span, name),
                }),
                _ => CallType::Other,
            },
        }
    }
}

/// JSON type of the arguments' value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::dialect) enum Form {
    Object,
    Array,
    Text,
    Other,
}

/// Context of a bare call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::dialect) enum CallContext {
    /// At the top level, possibly in an array.
    Alone,
    /// Inside of other objects.
    Within,
    /// In the tags of a call: any object is a call.
    Tagged,
}

#[derive(Clone, Debug, Default)]
pub(in crate::dialect) struct ObjectFacts {
    pub(in crate::dialect) kind: Option<CallType>,
    pub(in crate::dialect) name: Option<Word>,
    pub(in crate::dialect) id: Option<Word>,
    pub(in crate::dialect) call_id: Option<Word>,
    pub(in crate::dialect) tool_call_id: Option<Word>,
    pub(in crate::dialect) tool_name: Option<Word>,
    pub(in crate::dialect) arguments: Option<(MemberKey, Form)>,
    /// True if `parameters` is a schema rather than arguments.
    pub(in crate::dialect) schema: bool,
    /// True if there is a member that bare calls never have.
    pub(in crate::dialect) alien: bool,
    /// Facts about the object under a key that links to the call itself.
    pub(in crate::dialect) link: Option<(MemberKey, Box<ObjectFacts>)>,
}

#[derive(Clone, Debug)]
pub(in crate::dialect) struct RecognisedCall {
    pub(in crate::dialect) name: Word,
    pub(in crate::dialect) id: Option<Word>,
    /// True for a shape of a provider's records, which no runtime reads from text.
    pub(in crate::dialect) recorded: bool,
}

impl ObjectFacts {
    /// The call that this object is, judging by the members seen so far.
    pub(in crate::dialect) fn call(&self, standing: CallContext) -> Option<RecognisedCall> {
        let call = |name: &Word, id: Option<&Word>| {
            Some(RecognisedCall { name: name.clone(), id: id.cloned(), recorded: standing != CallContext::Tagged })
        };
        if let Some((key, link)) = &self.link {
            let given = link.arguments.is_some_and(|(key, _)| key == MemberKey::Arguments) && !link.schema;
            if let Some(name) = link.name.as_ref().filter(|_| given || *key == MemberKey::CandidatePart) {
                return call(name, self.id.as_ref().or(link.id.as_ref()).or(self.call_id.as_ref()));
            }
        }
        match (&self.kind, &self.name, &self.tool_call_id, &self.tool_name) {
            (Some(CallType::ToolUse), Some(name), ..) => call(name, self.id.as_ref()),
            (Some(CallType::ResponseItem), Some(name), ..) => call(name, self.call_id.as_ref().or(self.id.as_ref())),
            (Some(CallType::NamedPart(name)), _, Some(id), _) | (Some(CallType::Part), _, Some(id), Some(name)) => {
                call(name, Some(id))
            }
            (None, None, Some(id), Some(name)) if self.arguments.is_some() => call(name, Some(id)),
            (_, name, ..) if standing == CallContext::Tagged => {
                let name = name.clone().unwrap_or_default();
                Some(RecognisedCall { name, id: self.id.clone().or(self.call_id.clone()), recorded: false })
            }
            (None | Some(CallType::Neutral), Some(name), None, None) if standing == CallContext::Alone => {
                let plausible = matches!(self.arguments, Some((_, Form::Object | Form::Text)));
                (plausible && !self.schema && !self.alien).then(|| RecognisedCall {
                    name: name.clone(),
                    id: self.id.clone().or(self.call_id.clone()),
                    recorded: false,
                })
            }
            _ => None,
        }
    }

    /// Records the text of a member. Returns true if only calls have such a member.
    pub(in crate::dialect) fn take(&mut self, key: MemberKey, word: Word, text: &str) -> bool {
        match key {
            MemberKey::Type => {
                let kind = CallType::from_text(text, &word);
                let is_sure = !matches!(kind, CallType::Neutral | CallType::Other);
                self.kind.get_or_insert(kind);
                return is_sure;
            }
            MemberKey::Name => _ = self.name.get_or_insert(word),
            MemberKey::Id => _ = self.id.get_or_insert(word),
            MemberKey::CallId => _ = self.call_id.get_or_insert(word),
            MemberKey::ToolCallId => _ = self.tool_call_id.get_or_insert(word),
            MemberKey::ToolName => _ = self.tool_name.get_or_insert(word),
            _ => {}
        }
        matches!(key, MemberKey::Name | MemberKey::ToolCallId)
    }

    /// The call, if no later member can change its name or its id. `needs_id` if an id may follow.
    pub(in crate::dialect) fn settled_call(&self, standing: CallContext, needs_id: bool) -> Option<RecognisedCall> {
        let settled = match (&self.kind, &self.link) {
            (_, Some((MemberKey::Function, link))) => self.id.is_some() && link.arguments.is_some(),
            (Some(CallType::ToolUse), _) => self.id.is_some(),
            (Some(CallType::ResponseItem), _) => self.call_id.is_some(),
            (Some(CallType::NamedPart(_) | CallType::Part), _) => true,
            _ if standing == CallContext::Tagged => self.name.is_some() && self.arguments.is_some(),
            _ => false,
        };
        let call = if settled { self.call(standing) } else { None };
        call.filter(|call| call.id.is_some() || !needs_id)
    }
}
