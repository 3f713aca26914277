//! The tags and comments of a template's source, for its colours.

use std::ops::Range;

/// A tag or comment with its delimiters.
#[derive(Debug, PartialEq, Eq)]
pub struct TemplateTag {
    /// Byte range in the source.
    pub range: Range<usize>,
    /// The delimiters, which say if it prints, controls or explains.
    pub kind: TagKind,
}

/// The kinds of tags, which differ in colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TagKind {
    /// `{{ … }}` prints a value.
    Expression,
    /// `{% … %}`: a condition, a loop, an assignment.
    Statement,
    /// `{# … #}` is left out.
    Comment,
}

/// The tags of a source, in order. An unclosed one extends to the end.
pub fn tags(source: &str) -> Vec<TemplateTag> {
    let mut tags = Vec::new();
    let mut at = 0;
    while let Some(found) = source.get(at..).and_then(|rest| rest.find('{')) {
        let start = at + found;
        let (kind, close) = match source.as_bytes().get(start + 1) {
            Some(b'{') => (TagKind::Expression, "}}"),
            Some(b'%') => (TagKind::Statement, "%}"),
            Some(b'#') => (TagKind::Comment, "#}"),
            _ => {
                at = start + 1;
                continue;
            }
        };
        let inside = &source[start + 2..];
        let length = if kind == TagKind::Comment { inside.find(close) } else { length_before(inside, close) };
        let end = length.map_or(source.len(), |length| start + 4 + length);
        tags.push(TemplateTag { range: start..end, kind });
        at = end;
    }
    tags
}

/// Bytes before a delimiter that is not in a string.
fn length_before(inside: &str, close: &str) -> Option<usize> {
    let mut quote = None;
    let mut is_escaped = false;
    for (at, byte) in inside.bytes().enumerate() {
        match quote {
            Some(_) if is_escaped => is_escaped = false,
            Some(_) if byte == b'\\' => is_escaped = true,
            Some(open) if byte == open => quote = None,
            None if matches!(byte, b'"' | b'\'') => quote = Some(byte),
            None if inside.as_bytes()[at..].starts_with(close.as_bytes()) => return Some(at),
            Some(_) | None => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_ends_at_its_delimiter_outside_of_strings() {
        for (source, expected) in [
            ("a {{ b }} c", vec!["{{ b }}"]),
            ("{% if '%}' %}{# %} {{ #}", vec!["{% if '%}' %}", "{# %} {{ #}"]),
            ("{{ \"\\\"}}\" }}{", vec!["{{ \"\\\"}}\" }}"]),
            ("{ {{ é", vec!["{{ é"]),
        ] {
            let found: Vec<&str> = tags(source).into_iter().map(|tag| &source[tag.range]).collect();
            assert_eq!(found, expected);
        }
    }
}
