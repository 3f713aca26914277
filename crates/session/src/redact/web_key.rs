//! Private members of JSON web keys: `d` of `{"kty": "EC", …}`. Source: RFC 7517, and RFC 7518, sections 6.2.2, 6.3.2
//! and 6.4.1.

use std::ops::Range;

use super::random::has_variety;
use crate::text::steps;

/// The member that each key has.
pub(super) const SIGNS: &[&str] = &["kty"];

/// Names of members that are secret.
const PRIVATE: &[&str] = &["d", "p", "q", "dp", "dq", "qi", "k"];

/// Most bytes of a key before and after its type. The longest common ones, of 4,096 bits, have 3 KB.
const LONGEST: usize = 8 * 1024;

/// Fewest characters of a member.
const SHORTEST: usize = 20;

/// Characters around names and values of members.
const AROUND: [char; 7] = ['"', '\'', '\\', ' ', '\t', '\r', '\n'];

/// Calls `found` with the range of each private member of the key whose type is at `sign`. Text before `from` belongs to
/// other keys. Returns the end of the key.
pub(super) fn find(text: &str, sign: &Range<usize>, from: usize, found: &mut dyn FnMut(Range<usize>)) -> usize {
    let first = text.floor_char_boundary(sign.start.saturating_sub(LONGEST)).max(from.min(sign.start));
    let last = text.floor_char_boundary(sign.end + LONGEST);
    let start = text[first..sign.start].rfind(['{', '}']).map_or(first, |at| first + at + 1);
    let end = text[sign.end..last].find(['{', '}']).map_or(last, |at| sign.end + at);
    steps::add(end - start);
    let mut at = start;
    while let Some(colon) = text[at..end].find(':').map(|colon| at + colon) {
        let name = text[at..colon].trim_end_matches(AROUND);
        let name = name.rsplit(|c: char| !c.is_ascii_alphanumeric()).next().unwrap_or_default();
        let value = text[colon + 1..end].trim_start_matches(AROUND);
        let begin = end - value.len();
        let is_letter = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'+' | b'/' | b'=');
        let len = value.bytes().take_while(is_letter).count();
        at = colon + 1;
        if PRIVATE.contains(&name) && len >= SHORTEST && has_variety(&value[..len]) {
            found(begin..begin + len);
            at = begin + len;
        }
    }
    end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn private_members_of_a_key_are_found_on_both_sides_of_its_type() {
        let [first, second] = ["jpsQnnGQmL-YBIffH1136cspYG6-0iY7", "vI0dPnGQmL-YBIffH1136cspYG6-1xZ8"];
        for (text, expected) in [
            (format!(r#"{{"d":"{first}","kty":"EC","x":"{second}"}}"#), vec![first]),
            (format!(r#"{{"kty":"RSA","p":"{first}", "q" : "{second}"}}"#), vec![first, second]),
            (format!(r#"{{\"kty\":\"oct\",\"k\":\"{first}\"}}"#), vec![first]),
            (format!("- kty: oct\n  k: {first}\n"), vec![first]),
            (format!("{{ kty: 'oct', k: '{first}' }}"), vec![first]),
            (format!(r#"{{"d":"{first}"}}, {{"kty":"EC","x":"{second}"}}"#), vec![]),
            (r#"{"kty":"oct","k":"short"}"#.to_owned(), vec![]),
        ] {
            let sign = text.find("kty").expect("a type");
            let mut all = Vec::new();
            find(&text, &(sign..sign + 3), 0, &mut |range| all.push(text[range].to_owned()));
            assert_eq!(all, expected, "{text}");
        }
    }
}
