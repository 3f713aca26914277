//! Near misses of markers: in another case, with spaces, look-alike characters or HTML references.
//!
//! Each dialect decides where one may appear and what surrounds it.

use crate::text::entity::{self, HTML};

/// Lead bytes of characters beyond ASCII that look like ASCII ones or are invisible. Most lines in other scripts begin
/// with a different byte.
pub(crate) const LEADS: &[u8] = &[
    0xc2, 0xc4, 0xc7, 0xc9, 0xcb, 0xcd, 0xce, 0xcf, 0xd0, 0xd1, 0xd4, 0xd8, 0xdb, 0xdc, 0xe0, 0xe1, 0xe2, 0xe3, 0xea,
    0xef, 0xf0, 0xf3,
];

/// Iterator over the characters of a lower-case mapping.
pub(crate) type Lower = std::iter::Chain<std::char::ToLowercase, std::option::IntoIter<char>>;

/// The ASCII characters, in lower case, that a character may be mistaken for (a selection of Unicode's confusables).
pub(crate) fn look_alike(c: char) -> Lower {
    let plain = match c {
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(c as u32 - 0xfee0).unwrap_or(c),
        'ǃ' | '❗' | '❕' | '¡' | '︕' | '‼' => '!',
        '∶' | '꞉' | 'ː' => ':',
        '‹' | '〈' => '<',
        '›' | '〉' => '>',
        'ˆ' => '^',
        '▁' => '_',
        'А' | 'а' | 'Α' | 'α' => 'a',
        'Е' | 'е' | 'Ε' | 'ε' => 'e',
        'Т' | 'т' | 'Τ' | 'τ' => 't',
        'Ѕ' | 'ѕ' => 's',
        'Ν' => 'n',
        'О' | 'о' | 'Ο' | 'ο' => 'o',
        'Ԍ' | 'ɡ' => 'g',
        'Ԁ' | 'ԁ' => 'd',
        _ => c,
    };
    plain.to_lowercase().chain((c == '‼').then_some('!'))
}

/// Length in bytes of a near miss of `marker` at the beginning of a line: in another case, with look-alikes or HTML
/// references, or with single spaces in it. `None` for an exact marker or other text.
pub(crate) fn loose_length(marker: &str, line: &[u8]) -> Option<usize> {
    if line.starts_with(marker.as_bytes()) {
        return None;
    }
    let head = &line[..line.len().min(marker.len() * (1 + entity::LONGEST))];
    let mut rest = head.utf8_chunks().next()?.valid();
    let length = rest.len();
    for wanted in marker.chars() {
        if wanted != ' ' && rest.len() < length {
            rest = rest.strip_prefix(' ').unwrap_or(rest);
        }
        let first = rest.chars().next()?;
        let read = entity::read(rest, HTML).filter(|(read, _)| *read == wanted);
        let (found, after) = read.unwrap_or((first, first.len_utf8()));
        if !look_alike(found).eq(look_alike(wanted)) {
            return None;
        }
        rest = &rest[after..];
    }
    Some(length - rest.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::sanitize;

    #[test]
    fn characters_that_look_like_ascii_begin_with_one_of_the_leads() {
        let folds = |c: char| {
            let seen = look_alike(c).next();
            c.is_whitespace() || sanitize::is_hidden(c) || seen.is_none_or(|seen| seen.is_ascii())
        };
        let leads = ('\u{80}'..=char::MAX).filter(|&c| folds(c)).map(|c| c.encode_utf8(&mut [0; 4]).as_bytes()[0]);
        let expected: std::collections::BTreeSet<u8> = leads.collect();
        assert!(expected.iter().eq(LEADS), "{expected:#x?}");
    }

    #[test]
    fn what_is_almost_a_marker_is_told_from_it_and_from_other_text() {
        for (marker, line, length) in [
            ("<tool_call>", "<Tool_Call>f", Some(11)),
            ("<tool_call>", "<tool_call>f", None),
            ("<tool_call>", "&lt;tool_call&gt;{", Some(17)),
            ("<tool_call>", "< tool_call >", Some(13)),
            ("<tool_call>", "＜tool_call＞", Some(15)),
            ("<tool_call>", "<tool_calls>", None),
            ("<tool_call>", "<tool", None),
            ("<｜tool▁calls｜>", "<|tool_calls|>", Some(14)),
            ("<|a|>", "<｜a｜>", Some(9)),
            ("<|a|>", "<|a", None),
            ("[A]", "", None),
        ] {
            assert_eq!(loose_length(marker, line.as_bytes()), length, "{line}");
        }
    }
}
