//! The size of a prompt's parts: of each message, of the tools, and of the template's own text.

use super::{PromptText, SpanOrigin};

/// Bytes of a prompt by their origin. Together they are the length of the prompt.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PromptSizes {
    /// Bytes from the fields of each message.
    pub messages: Vec<usize>,
    /// Bytes from the schemas of the tools.
    pub tools: usize,
    /// Bytes from special tokens, further variables and the clock.
    pub others: usize,
    /// Bytes of the template itself: its text, and the notation of values.
    pub template: usize,
    /// Bytes whose origin is not known.
    pub unknown: usize,
}

impl PromptText {
    /// The size of each part. Bytes that may be from several fields count for the first one.
    #[must_use]
    pub fn sizes(&self, messages: usize) -> PromptSizes {
        let mut sizes = PromptSizes { messages: vec![0; messages], ..PromptSizes::default() };
        for span in &self.spans {
            let length = span.range.len();
            let size = match &span.origin {
                SpanOrigin::Template => &mut sizes.template,
                SpanOrigin::Unknown => &mut sizes.unknown,
                SpanOrigin::Fields(fields) => {
                    let path = fields.first().and_then(|&field| self.fields.get(field)).map_or("", |field| &field.path);
                    let message = index_of(path).and_then(|index| sizes.messages.get_mut(index));
                    match message {
                        Some(size) => size,
                        None if path.starts_with("tools[") => &mut sizes.tools,
                        None => &mut sizes.others,
                    }
                }
            };
            *size += length;
        }
        sizes
    }
}

/// The number of the message that a path of a field begins with.
fn index_of(path: &str) -> Option<usize> {
    path.strip_prefix("messages[")?.split(']').next()?.parse().ok()
}
