//! Text that programs print before each line of a file: a number, a path, the sign of a diff, a time, a comment.
//!
//! The prefixes of two lines have the same shape: numbers differ, and `grep` separates matching lines and their context
//! by different characters.

/// The prefix of a line, given the text before its first word. Text up to a quotation mark or an equals sign is not
/// part of it, but of the string or the query that the lines are in.
pub(super) fn of(before: &str) -> &str {
    before.rsplit(['"', '\'', '`', '=', '\n']).next().unwrap_or_default()
}

/// Length of the prefix of a line, if its shape is the same as that of another line's prefix.
pub(super) fn len(line: &str, prefix: &str) -> Option<usize> {
    let (bytes, shape) = (line.as_bytes(), prefix.as_bytes());
    let (mut at, mut of) = (0, 0);
    // Numbers are aligned, so that the first spaces differ.
    let spaces = |bytes: &[u8]| bytes.iter().take_while(|&&byte| byte == b' ').count();
    if shape[spaces(shape)..].first().is_some_and(u8::is_ascii_digit) {
        (at, of) = (spaces(bytes), spaces(shape));
    }
    while let Some(&byte) = shape.get(of) {
        let digits = |bytes: &[u8]| bytes.iter().take_while(|byte| byte.is_ascii_digit()).count();
        if byte.is_ascii_digit() {
            let here = digits(&bytes[at..]);
            if here == 0 {
                return None;
            }
            (at, of) = (at + here, of + digits(&shape[of..]));
            continue;
        }
        let is_separator = matches!(byte, b':' | b'-') && matches!(bytes.get(at), Some(b':' | b'-'));
        if !is_separator && bytes.get(at) != Some(&byte) {
            return None;
        }
        (at, of) = (at + 1, of + 1);
    }
    Some(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prefix_has_the_shape_of_another_ones() {
        for (line, prefix, expected) in [
            ("    12\tabc", "     9\t", Some(7)),
            ("10 | abc", " 9 | ", Some(5)),
            ("a/b.pem-12-abc", "a/b.pem:9:", Some(11)),
            ("a/c.pem-12-abc", "a/b.pem:9:", None),
            ("+abc", "+", Some(1)),
            ("-abc", "+", None),
            ("2026-01-01T00:00:02Z abc", "2026-01-01T00:00:01Z ", Some(21)),
            ("web-1  | abc", "web-1  | ", Some(9)),
            ("abc", "", Some(0)),
            ("", "+", None),
        ] {
            assert_eq!(len(line, prefix), expected, "{line}");
        }
    }
}
