//! Writes a draft as YAML.

use std::fmt::Write as _;

use serde_json::{Value, json};

/// A candidate description of calls.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Draft {
    /// Template of the marker that opens a call.
    pub(super) open: String,
    /// The text that must follow the opening marker.
    pub(super) followed_by: Option<&'static str>,
    /// Template of the marker that closes it.
    pub(super) close: Option<String>,
    pub(super) at_line: bool,
    pub(super) arguments: ArgumentsDraft,
}

/// The notation of the arguments.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum ArgumentsDraft {
    Json,
    /// JSON with name and arguments, under these keys, perhaps in a list.
    JsonCalls {
        name_key: String,
        arguments_key: String,
        is_list: bool,
    },
    /// Between markers that contain the key.
    Parameters {
        open: String,
        close: String,
    },
    /// One argument a line, with this between key and value.
    Lines {
        separator: &'static str,
    },
    Yaml,
    Text,
}

/// A call in the text.
pub(super) struct Example<'a> {
    pub(super) text: &'a str,
    pub(super) name: &'a str,
    pub(super) arguments: &'a Value,
}

/// Words that commonly mark something as a call.
const CALL_WORDS: [&str; 22] = [
    "tool", "call", "invoke", "function", "func", "fn", "action", "run", "exec", "do", "use", "cmd", "command", "act",
    "op", "api", "skill", "ability", "step", "task", "plugin", "job",
];

impl Draft {
    /// True if its marker contains a word for a call.
    pub(super) fn has_call_word(&self) -> bool {
        let words = self.open.split(|c: char| !c.is_alphanumeric());
        let is_json = matches!(self.arguments, ArgumentsDraft::JsonCalls { .. });
        is_json || words.filter(|word| *word != "name").any(is_call_word)
    }
}

/// True if a word indicates a call: `tool`, `TOOL_CALL`, `toolCall`.
pub(super) fn is_call_word(word: &str) -> bool {
    let word = word.to_lowercase();
    word.split('_').any(|part| CALL_WORDS.contains(&part) || part.contains("tool") || part.contains("call"))
}

impl ArgumentsDraft {
    /// Score of a call in this notation, compared with plain text.
    pub(super) fn weight(&self, parameters: &Value) -> i64 {
        let members = parameters.as_object().map_or(0, serde_json::Map::len);
        let found = i64::try_from(members.min(4)).unwrap_or_default();
        match self {
            ArgumentsDraft::Json | ArgumentsDraft::JsonCalls { .. } => 80 + found,
            ArgumentsDraft::Parameters { .. } => 70 + 5 * found,
            ArgumentsDraft::Lines { .. } => 60 + 2 * found,
            ArgumentsDraft::Yaml => 61 + 2 * found,
            ArgumentsDraft::Text => 0,
        }
    }

    fn yaml(&self) -> String {
        let member = |words: &str| format!("arguments: {{{words}}}");
        match self {
            ArgumentsDraft::Json => member("kind: json"),
            ArgumentsDraft::JsonCalls { name_key, arguments_key, is_list } => {
                let name_key = if name_key == "name" { String::new() } else { format!(", name_key: {name_key}") };
                let list = if *is_list { ", list: true" } else { "" };
                member(&format!("kind: json_calls, arguments_key: {arguments_key}{name_key}{list}"))
            }
            ArgumentsDraft::Parameters { open, close } => {
                let (open, close) = (json!(open), json!(close));
                member(&format!("kind: parameters, open: {open}, close: {close}, strip: one_newline"))
            }
            ArgumentsDraft::Lines { separator } => member(&format!("kind: lines, separator: {}", json!(separator))),
            ArgumentsDraft::Yaml => member("kind: yaml"),
            ArgumentsDraft::Text => member("kind: text, key: input, strip: trim"),
        }
    }

    /// The comment on it in the declaration.
    fn comment(&self) -> &'static str {
        match self {
            ArgumentsDraft::Json => "a JSON object follows the marker",
            ArgumentsDraft::JsonCalls { .. } => "JSON with the name and the arguments follows the marker",
            ArgumentsDraft::Parameters { .. } => "each argument is between markers with its name",
            ArgumentsDraft::Lines { .. } => "each argument is one line",
            ArgumentsDraft::Yaml => "the arguments are YAML",
            ArgumentsDraft::Text => "no structure found: the body is passed as the argument input",
        }
    }
}

/// The declaration; `comment` adds explanations for the user. `None` without an example.
pub(super) fn write(name: &str, draft: &Draft, examples: &[Example<'_>], comment: Option<&str>) -> Option<String> {
    let [first, others @ ..] = examples else { return None };
    let mut out = String::new();
    let mut line = |words: &str| {
        out.push_str(words);
        out.push('\n');
    };
    if let Some(comment) = comment {
        line(&format!("# {comment}"));
        line("# transcope dialect check FILE tests it; transcope --dialect-file FILE TRANSCRIPT uses it.");
    }
    line(&format!("dialect: {}", json!(name)));
    if comment.is_some() {
        line("title: My calls");
        line("read: always   # or: repeated (from the second call on), named (only on request)");
        line("# one complete call, which is also the first test");
    }
    line(&format!("example: {}", scalar(first.text, "  ")));
    if comment.is_some() {
        line("# {name} is the name of the tool; {{ and }} are literal braces");
    }
    let close = draft.close.as_ref().map(|close| format!(", close: {}", json!(close))).unwrap_or_default();
    let followed = draft.followed_by.map(|text| format!(", followed_by: {}", json!([text]))).unwrap_or_default();
    let at = if draft.at_line { ", at: line" } else { "" };
    line(&format!("call: {{open: {}{close}{followed}{at}}}", json!(draft.open)));
    if comment.is_some() {
        line(&format!("# {}", draft.arguments.comment()));
    }
    line(&draft.arguments.yaml());
    if comment.is_some() && !others.is_empty() {
        line("# more tests: a text and its calls");
        line("examples:");
        for example in others {
            line(&format!("- text: {}", scalar(example.text, "    ")));
            let mut call = String::new();
            let _ = write!(call, "  calls: {}", json!([{"name": example.name, "arguments": example.arguments}]));
            line(&call);
        }
    }
    Some(out)
}

/// A text as YAML: a block if that keeps every byte, else a quoted string.
fn scalar(text: &str, indent: &str) -> String {
    let text = text.strip_suffix('\n').unwrap_or(text);
    let is_plain = |c: char| {
        c == '\n' || c == '\t' || (!c.is_control() && !matches!(c, '\u{85}' | '\u{2028}' | '\u{2029}' | '\u{feff}'))
    };
    let is_block = text.contains('\n')
        && text.chars().all(is_plain)
        && !text.starts_with([' ', '\t', '\n'])
        && !text.ends_with('\n')
        && text.split('\n').all(|line| line.trim_end() == line);
    if !is_block {
        return json!(text).to_string();
    }
    let lines: Vec<String> =
        text.split('\n').map(|line| if line.is_empty() { String::new() } else { format!("{indent}{line}") }).collect();
    format!("|\n{}", lines.join("\n"))
}
