//! Tools whose calls wait for an answer of the user.

/// Names of such tools in lower case, without `_` and `-`. Sources are the tools of Claude Code, Cline, Codex, Copilot CLI,
/// Cursor, Gemini CLI, Kimi Code, opencode and Qwen Code.
const ASKING: [&str; 8] = [
    "askuserquestion",
    "exitplanmode",
    "askfollowupquestion",
    "planmoderespond",
    "askuser",
    "askquestion",
    "question",
    "requestuserinput",
];

/// True if a call of this tool ends when the user answers.
pub fn asks_user(tool: &str) -> bool {
    let name: String = tool.chars().filter(|c| !matches!(c, '_' | '-')).map(|c| c.to_ascii_lowercase()).collect();
    ASKING.contains(&name.as_str())
}
