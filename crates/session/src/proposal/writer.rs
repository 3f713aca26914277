//! Writes a draft as YAML.

use std::fmt::Write as _;

use serde_json::{Value, json};

/// A candidate description of calls.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Draft {
    /// Template of the marker that opens a call.
    pub(crate) open: String,
    /// Texts, one of which must follow the opening marker.
    pub(crate) followed_by: Vec<String>,
    /// Template of the marker that closes it.
    pub(crate) close: Option<String>,
    /// Where the opening marker counts.
    pub(crate) place: DraftPlace,
    /// True if the opening marker is the beginning of the value, too.
    pub(crate) is_open_value: bool,
    /// Markers around all calls of a message.
    pub(crate) section: Option<(String, String)>,
    /// Template of the opening marker at the beginning of a message, if the prompt has its first part.
    pub(crate) at_start: Option<String>,
    pub(crate) arguments: ArgumentsDraft,
}

/// Where the opening marker of a draft counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum DraftPlace {
    #[default]
    Anywhere,
    Line,
    MessageStart,
}

impl DraftPlace {
    pub(super) fn from_line(at_line: bool) -> Self {
        if at_line { Self::Line } else { Self::Anywhere }
    }
}

/// The notation of the arguments.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum ArgumentsDraft {
    Json,
    /// JSON with name and arguments, under these keys, perhaps in a list.
    JsonCalls {
        name_key: String,
        arguments_key: String,
        id_key: Option<String>,
        /// The text between two calls that are not in a list.
        separator: Option<String>,
        is_list: bool,
    },
    /// Python calls, perhaps in a list.
    PythonCalls {
        is_list: bool,
    },
    /// Keyword arguments of Python, without the parentheses.
    KeywordArguments,
    /// An object with bare keys, and this text on both sides of a string.
    Object {
        quote: String,
    },
    /// Tags that are named by the keys, with this text before each.
    NestedTags {
        prefix: String,
        strip: &'static str,
    },
    /// Between markers that contain the key.
    Parameters {
        open: String,
        close: String,
        strip: &'static str,
        /// Further members: how values are typed and escaped.
        rules: Vec<String>,
    },
    /// One argument a line, with this between key and value.
    Lines {
        separator: &'static str,
    },
    Yaml,
    Text,
}

/// A text with its calls, as members of JSON: `name`, perhaps `id`, `arguments`.
pub(crate) struct Example<'a> {
    pub(crate) text: &'a str,
    pub(crate) calls: Vec<Value>,
}

/// Words that commonly mark something as a call.
const CALL_WORDS: [&str; 22] = [
    "tool", "call", "invoke", "function", "func", "fn", "action", "run", "exec", "do", "use", "cmd", "command", "act",
    "op", "api", "skill", "ability", "step", "task", "plugin", "job",
];

impl Draft {
    /// The member `call` of the declaration.
    fn call(&self) -> String {
        let close = self.close.as_ref().map(|close| format!(", close: {}", json!(close))).unwrap_or_default();
        let followed = match self.followed_by.as_slice() {
            [] => String::new(),
            texts => format!(", followed_by: {}", json!(texts)),
        };
        let place = match self.place {
            DraftPlace::Anywhere => "",
            DraftPlace::Line => ", at: line",
            DraftPlace::MessageStart => ", at: message_start",
        };
        let value = if self.is_open_value { ", open_is_value: true" } else { "" };
        format!("call: {{open: {}{close}{followed}{place}{value}}}", json!(self.open))
    }

    /// True if its marker contains a word for a call.
    pub(super) fn has_call_word(&self) -> bool {
        let words = self.open.split(|c: char| !c.is_alphanumeric());
        let is_json = matches!(self.arguments, ArgumentsDraft::JsonCalls { .. });
        is_json || words.filter(|word| *word != "name").any(is_call_word)
    }
}

/// True if a word indicates a call: `tool`, `TOOL_CALL`, `toolCall`.
pub(crate) fn is_call_word(word: &str) -> bool {
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
            ArgumentsDraft::PythonCalls { .. } | ArgumentsDraft::KeywordArguments | ArgumentsDraft::Object { .. } => {
                80 + found
            }
            ArgumentsDraft::Parameters { .. } | ArgumentsDraft::NestedTags { .. } => 70 + 5 * found,
            ArgumentsDraft::Lines { .. } => 60 + 2 * found,
            ArgumentsDraft::Yaml => 61 + 2 * found,
            ArgumentsDraft::Text => 0,
        }
    }

    fn yaml(&self) -> String {
        let member = |words: &str| format!("arguments: {{{words}}}");
        match self {
            ArgumentsDraft::Json => member("kind: json"),
            ArgumentsDraft::JsonCalls { name_key, arguments_key, id_key, separator, is_list } => {
                let name_key =
                    if name_key == "name" { String::new() } else { format!(", name_key: {}", word(name_key)) };
                let id_key = id_key.as_ref().map(|key| format!(", id_key: {}", word(key))).unwrap_or_default();
                let separator =
                    separator.as_ref().map(|text| format!(", separator: {}", json!(text))).unwrap_or_default();
                let list = if *is_list { ", list: true" } else { "" };
                member(&format!("kind: json_calls, arguments_key: {arguments_key}{name_key}{id_key}{separator}{list}"))
            }
            ArgumentsDraft::PythonCalls { is_list } => {
                member(&format!("kind: python_calls{}", if *is_list { ", list: true" } else { "" }))
            }
            ArgumentsDraft::KeywordArguments => member("kind: python"),
            ArgumentsDraft::Object { quote } => member(&format!("kind: object, quote: {}", json!(quote))),
            ArgumentsDraft::NestedTags { prefix, strip } => {
                let prefix = if prefix.is_empty() { String::new() } else { format!(", prefix: {}", json!(prefix)) };
                member(&format!("kind: nested_tags{prefix}, strip: {strip}"))
            }
            ArgumentsDraft::Parameters { open, close, strip, rules } => {
                let (open, close) = (json!(open), json!(close));
                let rules = if rules.is_empty() { String::new() } else { format!(", {}", rules.join(", ")) };
                member(&format!("kind: parameters, open: {open}, close: {close}, strip: {strip}{rules}"))
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
            ArgumentsDraft::PythonCalls { .. } => "calls of Python functions with keyword arguments",
            ArgumentsDraft::KeywordArguments => "the arguments are keyword arguments of Python",
            ArgumentsDraft::Object { .. } => "the arguments are an object with bare keys",
            ArgumentsDraft::NestedTags { .. } => "each argument is in a tag with its name",
            ArgumentsDraft::Parameters { .. } => "each argument is between markers with its name",
            ArgumentsDraft::Lines { .. } => "each argument is one line",
            ArgumentsDraft::Yaml => "the arguments are YAML",
            ArgumentsDraft::Text => "no structure found: the body is passed as the argument input",
        }
    }
}

/// The declaration; `comment` precedes explanations for the user. `None` without an example.
pub(crate) fn write(name: &str, draft: &Draft, examples: &[Example<'_>], comment: Option<&str>) -> Option<String> {
    let [first, others @ ..] = examples else { return None };
    let mut out = String::new();
    let mut line = |words: &str| {
        out.push_str(words);
        out.push('\n');
    };
    if let Some(comment) = comment {
        comment.lines().for_each(|words| line(&format!("# {words}")));
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
    if let Some((open, close)) = &draft.section {
        line(&format!("section: {{open: {}, close: {}}}", json!(open), json!(close)));
    }
    if let Some(open) = &draft.at_start {
        line("alternatives:");
        if comment.is_some() {
            line("# the second one is the first call of a message, whose beginning is part of the prompt");
        }
        let at_start = Draft { open: open.clone(), at_start: None, place: DraftPlace::MessageStart, ..draft.clone() };
        for (draft, read) in [(draft, ""), (&at_start, "read: named\n  ")] {
            line(&format!("- {read}{}\n  {}", draft.call(), draft.arguments.yaml()));
        }
    } else {
        line(&draft.call());
        if comment.is_some() {
            line(&format!("# {}", draft.arguments.comment()));
        }
        line(&draft.arguments.yaml());
    }
    if comment.is_some() && !others.is_empty() {
        line("# more tests: a text and its calls");
        line("examples:");
        for example in others {
            line(&format!("- text: {}", scalar(example.text, "    ")));
            let mut call = String::new();
            let _ = write!(call, "  calls: {}", json!(example.calls));
            line(&call);
        }
    }
    Some(out)
}

/// A word as YAML: in quotes unless it is a plain one.
fn word(text: &str) -> String {
    let is_plain = text.starts_with(|c: char| c.is_ascii_alphabetic())
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        && !["true", "false", "null", "yes", "no", "on", "off"].contains(&text.to_lowercase().as_str());
    if is_plain { text.to_owned() } else { json!(text).to_string() }
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
