//! Writes a call as a triple-caret block, in the shipped form.

use std::fmt::Write as _;

use super::FENCE;
use crate::dialect::CallContent;
use crate::dialect::writer::{plain_list, words};

pub(super) fn write(call: &CallContent<'_>) -> String {
    let mut out = format!("{FENCE}{}\n", call.name);
    for (key, value) in call.members() {
        let text = words(value);
        match plain_list(value, 0) {
            Some(list) if list.iter().all(|value| is_line(&words(value))) => {
                _ = writeln!(out, "{key}: [");
                for item in list {
                    out += &(words(item) + "\n");
                }
                out += "]\n";
            }
            _ if is_line(&text) && !text.starts_with('[') => _ = writeln!(out, "{key}: {text}"),
            _ => _ = write!(out, "{key} ---\n{text}\n--- {key}\n"),
        }
    }
    out + FENCE + "\n"
}

/// True if a value can follow its key: on one line, without surrounding whitespace, and without a marker.
fn is_line(text: &str) -> bool {
    const BLOCKS: [char; 3] = ['|', '>', '-'];
    !text.is_empty() && !text.contains(['\n', '\r']) && text.trim() == text && !text.starts_with(BLOCKS)
}
