//! Texts that are almost a marker: in another case, with other bars, with brackets as they are written in HTML.
//!
//! This module does not know what a marker is for, nor where one may stand.

/// How long `expected` is at the beginning of `found`, where it is written in another case, with other bars or with
/// brackets as in HTML, in bytes; nothing where it is exact or something else.
pub(super) fn loose_length(expected: &str, found: &[u8]) -> Option<usize> {
    let (mut at, mut is_exact) = (0, true);
    for char in expected.chars() {
        let mut bytes = [0; 4];
        let plain: &[u8] = char.encode_utf8(&mut bytes).as_bytes();
        let rest = &found[at..];
        if rest.starts_with(plain) {
            at += plain.len();
            continue;
        }
        is_exact = false;
        let other = loose_forms(char).iter().find(|other| rest.starts_with(other.as_bytes()));
        let is_other_case = rest.first().is_some_and(|byte| plain.eq_ignore_ascii_case(std::slice::from_ref(byte)));
        at += other.map(|other| other.len()).or(is_other_case.then_some(1))?;
    }
    (!is_exact).then_some(at)
}

/// What may stand in the place of a character that is neither it nor its other case.
pub(super) fn loose_forms(char: char) -> &'static [&'static str] {
    match char {
        '|' => &["｜"],
        '｜' => &["|"],
        '▁' => &["_"],
        '>' => &["&gt;"],
        '<' => &["&lt;"],
        _ => &[],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_almost_a_marker_is_told_from_it() {
        for (expected, found, length) in [
            ("<tool_call>", "<Tool_Call>f", Some(11)),
            ("<tool_call>", "<tool_call>f", None),
            ("<tool_call>", "&lt;tool_call&gt;f", Some(17)),
            ("<tool_call>", "<tool_calls>", None),
            ("<｜tool▁calls｜>", "<|tool_calls|>", Some(14)),
            ("<|a|>", "<｜a｜>", Some(9)),
            ("<|a|>", "<|a", None),
            ("[A]", "", None),
        ] {
            assert_eq!(loose_length(expected, found.as_bytes()), length, "{found}");
        }
    }
}
