//! The members of an object that is taken in parts, put together again: those that are not read as they come.
//!
//! A large document need not be held for its list of messages, but what else it says is known only when it is over.

use super::fragment::Fragment;
use super::json::JsonValue;
use crate::text::Span;

/// An object's members so far.
#[derive(Debug, Default)]
pub(super) struct Members {
    text: Fragment,
}

impl Members {
    /// Adds a member behind those that came before it.
    pub(super) fn add(&mut self, key: &str, value: JsonValue<'_>) {
        let at = value.source().start;
        self.text.add(if self.text.is_empty() { "{" } else { "," }, at);
        // What a key with control characters says is nowhere asked for.
        let key = key.replace(char::is_control, " ").replace('\\', "\\\\").replace('"', "\\\"");
        self.text.add(&format!("\"{key}\":"), at);
        self.text.stand(value);
    }

    /// The object that the members are, if there are any; there are none after that.
    pub(super) fn take(&mut self) -> Option<Fragment> {
        let mut object = std::mem::take(&mut self.text);
        if object.is_empty() {
            return None;
        }
        let end = object.map.source_of(Span::at(object.map.len())).end;
        object.add("}", end);
        Some(object)
    }
}
