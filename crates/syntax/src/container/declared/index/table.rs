//! Generated: name, title, source of calls and needed keys of each declaration (see `declared/index`).

use std::sync::OnceLock;

use super::EmbeddedContainer;
use crate::container::{CallSource, ContainerInfo, Definition};

macro_rules! embedded {
    ($($constant:ident $name:literal $title:literal $calls:ident $keys:tt;)*) => {
        $(
            #[doc = concat!("The container `", $name, "`.")]
            pub static $constant: ContainerInfo = ContainerInfo {
                name: $name,
                title: $title,
                calls: CallSource::$calls,
                definition: Definition::Embedded({
                    static EMBEDDED: EmbeddedContainer = EmbeddedContainer {
                        name: $name,
                        yaml: include_str!(concat!("../", $name, ".yaml")),
                        keys: &$keys,
                        read: OnceLock::new(),
                    };
                    &EMBEDDED
                }),
            };
        )*
        /// All built-in declarations, sorted by file name.
        pub static EMBEDDED: &[&ContainerInfo] = &[$(&$constant),*];
    };
}

embedded! {
    ADK_EVAL "adk-eval" "a set of evaluations of Google ADK" Either [&["eval_cases"]];
    ADK "adk" "a session of Google ADK" Either [&["events"], &["events"], &["author", "invocation_id", "content"], &["author", "invocationId", "content"]];
    AI_SDK "ai-sdk" "messages of the AI SDK" Either [&["role"], &["role", "content"], &["messages"], &["messages"], &[], &[]];
    ANTHROPIC "anthropic" "Anthropic messages" Either [&["type", "role", "content"], &["type", "role", "content"], &["type", "role", "content"], &["messages"], &["messages"], &["messages"], &["role"], &["role"]];
    ANTIGRAVITY "antigravity" "a transcript of Antigravity" Records [&["step_index", "source", "type", "status"]];
    ATIF "atif" "a trajectory in the ATIF format" Records [&["schema_version"], &["agent", "steps"]];
    CLAUDE_AI "claude-ai" "conversations of an export of claude.ai" Records [&["chat_messages"]];
    COPILOT_CLI "copilot-cli" "a session of GitHub Copilot CLI" Records [&["type", "data"], &["type", "data"]];
    CURSOR_AGENT "cursor-agent" "an agent transcript of Cursor" Records [&["role", "message"]];
    DROID_STREAM "droid-stream" "the output of a run of Droid" Records [&["type", "session_id", "role", "text"], &["type", "session_id", "toolCallId"], &["type", "session_id", "finalText"]];
    DROID "droid" "a session of Droid" Records [&["type", "id", "cwd"]];
    GOOSE "goose" "a session of goose" Records [&["working_dir"], &["metadata", "messages"], &["message"], &["role", "created", "content"], &["message"], &["role", "created", "content"]];
    GROK_CLI "grok-cli" "a session of Grok CLI" Records [&["type", "content", "synthetic_reason"], &["type", "content", "prompt_index"], &["type", "content", "model_id"], &["type", "kind"]];
    KIMI_CODE "kimi-code" "a session of Kimi Code" Records [&["type", "protocol_version"], &["type", "time"]];
    KIMI "kimi" "the context of a session of Kimi CLI" Records [&["role"]];
    OPENAI_CHAT "openai-chat" "chat completions" Either [&["custom_id"], &["request", "response"], &["choices"], &[], &[], &[], &[], &["role"], &["role"], &["messages"], &["traj"], &["conversations"], &["conversation"]];
    PI "pi" "a session of pi" Records [&["type", "cwd", "timestamp"], &["type", "message"], &["type", "message", "parentId"], &["type", "message"], &["type", "modelId"], &["type", "thinkingLevel"], &["type", "firstKeptEntryId"], &["type", "fromId"], &["type", "customType"]];
    QWEN_CODE "qwen-code" "a session of Qwen Code" Records [&["type", "sessionId", "message"], &["type", "sessionId", "systemPayload"]];
    SHAREGPT "sharegpt" "a data set in the form of ShareGPT" Either [&["conversations"], &["conversation"], &["from", "value"]];
}
