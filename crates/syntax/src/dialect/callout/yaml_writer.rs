//! Writes JSON values as block YAML in a common style.
//!
//! A string that YAML might read as something else is quoted as in JSON, which is valid YAML too.

use std::fmt::Write as _;

use serde_json::Value;

#[derive(Debug, Default)]
pub(in crate::dialect) struct YamlWriter(String);

impl YamlWriter {
    /// Adds a member of the top-level object.
    pub(in crate::dialect) fn member(&mut self, key: &str, value: &Value) {
        self.entry(&format!("{}:", scalar(key)), 0, value);
    }

    /// The written text, which ends in a line feed.
    pub(in crate::dialect) fn text(self) -> String {
        self.0
    }

    /// Writes a line that begins with `head`, `depth` levels deep, and the value below it.
    fn entry(&mut self, head: &str, depth: usize, value: &Value) {
        let indent = "  ".repeat(depth);
        _ = write!(self.0, "{indent}{head}");
        match value {
            Value::Object(members) if !members.is_empty() => {
                self.0.push('\n');
                for (key, value) in members {
                    self.entry(&format!("{}:", scalar(key)), depth + 1, value);
                }
            }
            Value::Array(list) if !list.is_empty() => {
                self.0.push('\n');
                for value in list {
                    self.entry("-", depth + 1, value);
                }
            }
            Value::String(text) if is_block(text) => {
                self.0 += " |-\n";
                for line in text.lines() {
                    let indent = if line.is_empty() { "" } else { indent.as_str() };
                    let deeper = if line.is_empty() { "" } else { "  " };
                    _ = writeln!(self.0, "{indent}{deeper}{line}");
                }
            }
            Value::String(text) => _ = writeln!(self.0, " {}", scalar(text)),
            other => _ = writeln!(self.0, " {other}"),
        }
    }
}

/// True if a block scalar preserves the text, that is, if YAML drops nothing from its lines.
fn is_block(text: &str) -> bool {
    let is_odd =
        |c: char| c != '\n' && (c.is_control() || matches!(c, '\u{85}' | '\u{2028}' | '\u{2029}' | '\u{feff}'));
    let first = text.chars().next().unwrap_or('\n');
    let ends_well = !text.ends_with(['\n', ' ']);
    let has_blank_line = text.lines().any(|line| !line.is_empty() && line.trim().is_empty());
    text.contains('\n') && first != '\n' && first != ' ' && ends_well && !has_blank_line && !text.contains(is_odd)
}

/// A plain scalar if it cannot be mistaken for another type, otherwise a quoted one.
fn scalar(text: &str) -> String {
    const TAKEN: [&str; 9] = ["true", "false", "null", "yes", "no", "on", "off", "y", "n"];
    let is_plain = text.starts_with(|c: char| c.is_alphabetic())
        && text.chars().all(|c| c.is_alphanumeric() || " _-./()".contains(c))
        && !text.ends_with(' ')
        && !TAKEN.contains(&text.to_lowercase().as_str());
    if is_plain { text.to_owned() } else { Value::from(text).to_string() }
}
