//! Collects the members of an object that is read in parts, except members that are read as they arrive.
//!
//! A large document need not be held because of its list of messages, but its other members are known only at its end.

use super::fragment::Fragment;
use super::json::JsonValue;
use crate::text::Span;

/// The members collected so far, as JSON text.
#[derive(Debug, Default)]
pub(super) struct Members {
    text: Fragment,
}

impl Members {
    /// Adds a member after the others.
    pub(super) fn add(&mut self, key: &str, value: JsonValue<'_>) {
        let at = value.source().start;
        self.text.push_synthetic(if self.text.is_empty() { "{" } else { "," }, at);
        // No one queries a key with control characters, so replacing these is harmless.
        let key = key.replace(char::is_control, " ").replace('\\', "\\\\").replace('"', "\\\"");
        self.text.push_synthetic(&format!("\"{key}\":"), at);
        self.text.push_verbatim(value);
    }

    /// Takes the object made of the members, if there are any.
    pub(super) fn take(&mut self) -> Option<Fragment> {
        let mut object = std::mem::take(&mut self.text);
        if object.is_empty() {
            return None;
        }
        let end = object.map.source_of(Span::at(object.map.len())).end;
        object.push_synthetic("}", end);
        Some(object)
    }
}
