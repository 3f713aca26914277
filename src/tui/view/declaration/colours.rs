//! Syntax colours of YAML: keys, values and comments.

use crate::text::Span;
use crate::value::yaml::{self, Library};
use crate::value::{Scalar, Value};

use crate::tui::style::Role;

/// The roles of the parts of a YAML text, sorted and without overlaps.
pub(super) fn colours(yaml: &[u8]) -> Vec<(Span, Role)> {
    let tree = yaml::parse(yaml, 0, Library::Yaml).tree;
    let mut found = Vec::new();
    for node in (0..tree.len()).map(|id| tree.node(id)) {
        found.push((node.key_place, Role::CodeProperty));
        match node.value {
            Value::Scalar(Scalar::String, span) => found.push((span, Role::CodeString)),
            Value::Scalar(_, span) => found.push((span, Role::CodeConstant)),
            _ => {}
        }
    }
    found.retain(|(span, _)| !span.is_empty() && span.end <= yaml.len());
    found.sort_unstable();
    // An aliased node occurs once at its anchor and again at each alias; keep the first.
    let mut end = 0;
    found.retain(|(span, _)| {
        let is_behind = span.start >= end;
        end = end.max(span.end);
        is_behind
    });
    let comments = comments(yaml, &found);
    found.extend(comments);
    found.sort_unstable();
    found
}

/// Comments: from a `#` outside values, at the start or after whitespace, to the end of the line.
fn comments(yaml: &[u8], values: &[(Span, Role)]) -> Vec<(Span, Role)> {
    let mut comments = Vec::new();
    let mut end = 0;
    for at in memchr::memchr_iter(b'#', yaml) {
        let is_apart = at == 0 || yaml[at - 1].is_ascii_whitespace();
        let before = values.partition_point(|(span, _)| span.start <= at);
        let is_in_value =
            before.checked_sub(1).and_then(|index| values.get(index)).is_some_and(|(span, _)| at < span.end);
        if at < end || !is_apart || is_in_value {
            continue;
        }
        end = memchr::memchr(b'\n', &yaml[at..]).map_or(yaml.len(), |length| at + length);
        comments.push((Span::new(at, end), Role::CodeComment));
    }
    comments
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_values_and_comments_have_their_places() {
        for (yaml, expected) in [
            ("a: b # c\n", "k(a) s(b) c(# c)"),
            ("# top\na: {b: 1, c: \"#no\"}\n", "c(# top) k(a) k(b) v(1) k(c) s(#no)"),
            ("t: |\n  # text\nn: true\n", "k(t) s(# text\n) k(n) v(true)"),
            ("a: &x [q]\nb: *x\n", "k(a) s(q) k(b)"),
            ("", ""),
        ] {
            let name = |role| match role {
                Role::CodeProperty => 'k',
                Role::CodeString => 's',
                Role::CodeConstant => 'v',
                _ => 'c',
            };
            let found: Vec<String> = colours(yaml.as_bytes())
                .into_iter()
                .map(|(span, role)| format!("{}({})", name(role), &yaml[span.start..span.end]))
                .collect();
            assert_eq!(found.join(" "), expected, "{yaml}");
        }
    }
}
