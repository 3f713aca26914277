//! Derives the name or the id of a call from the text in its marker: `functions.f:3` becomes `f`.

use crate::dialect::Word;
use crate::text::Span;

/// Parts to remove from a text; each rule is applied once, in the order of the fields.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct NameRule {
    /// A constant for all calls, regardless of the marker.
    pub(super) fixed: Option<String>,
    /// A prefix to remove if present.
    pub(super) strip_prefix: Option<String>,
    /// A suffix to remove if present.
    pub(super) strip_suffix: Option<String>,
    /// Cut the text before the first occurrence of this.
    pub(super) until: Option<String>,
    /// Cut the text before the last occurrence of this.
    pub(super) until_last: Option<String>,
}

impl NameRule {
    /// Applies the rule to `written`, whose bytes are at `span`.
    pub(super) fn word(&self, written: &str, span: Span) -> Word {
        if let Some(fixed) = &self.fixed {
            return Word::decoded(Span::at(span.start), fixed.as_str());
        }
        let trimmed = written.trim_start();
        let mut start = span.start + (written.len() - trimmed.len());
        let mut word = trimmed.trim_end();
        if let Some(rest) = self.strip_prefix.as_deref().and_then(|prefix| word.strip_prefix(prefix)) {
            start += word.len() - rest.len();
            word = rest;
        }
        if let Some(rest) = self.strip_suffix.as_deref().and_then(|suffix| word.strip_suffix(suffix)) {
            word = rest;
        }
        if let Some(end) = self.until.as_deref().and_then(|until| word.find(until)) {
            word = &word[..end];
        }
        if let Some(end) = self.until_last.as_deref().and_then(|until| word.rfind(until)) {
            word = &word[..end];
        }
        Word::plain(Span::new(start, start + word.len()))
    }

    /// A text from which this rule derives the name, with the id in it if possible: `functions.f:3` for `f`.
    pub(super) fn write(&self, name: &str, id: Option<&str>) -> String {
        if let Some(id) = id {
            let span = self.word(id, Span::new(0, id.len())).span;
            if &id[span.start..span.end] == name {
                return id.to_owned();
            }
        }
        let mut out = self.strip_prefix.clone().unwrap_or_default() + name + self.strip_suffix.as_deref().unwrap_or("");
        if let Some(until) = self.until.as_ref().or(self.until_last.as_ref()) {
            let id = id.unwrap_or_default();
            let digits = id.trim_start_matches(|char: char| !char.is_ascii_digit());
            let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
            out += until;
            out += if is_number { digits } else { "0" };
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rule_leaves_away_what_it_names() {
        let rule =
            NameRule { strip_prefix: Some("functions.".into()), until_last: Some(":".into()), ..NameRule::default() };
        for (written, expected) in [("functions.f:3", "f"), (" a.b:c:12 ", "a.b:c"), ("f", "f"), ("", "")] {
            let span = rule.word(written, Span::new(10, 10 + written.len())).span;
            assert_eq!(&written[span.start - 10..span.end - 10], expected, "{written}");
        }
        for (id, expected) in [
            (None, "functions.f:0"),
            (Some("functions.f:7"), "functions.f:7"),
            (Some("f:7"), "f:7"),
            (Some("call_12"), "functions.f:12"),
            (Some("a1b"), "functions.f:0"),
        ] {
            assert_eq!(rule.write("f", id), expected, "{id:?}");
        }
    }
}
