//! Values that a line end cuts: `password=tr0ub4`, and `d0r-3` on the next line.

use super::name::SIGNS;
use super::random::{has_digit_and_letter, is_plain_word, is_random, is_wordlike};

/// Most bytes of the name and the first part of a value, and of its second part.
const LONGEST: usize = 256;

/// True if a line may end in the middle of the value of a named secret and the next one may begin with the rest of it.
///
/// Unless the whole is in quotation marks, the rest has to look random: most lines after a password are unrelated.
pub(super) fn is_cut(line: &str, next: &str) -> bool {
    let near = &line[line.ceil_char_boundary(line.len().saturating_sub(LONGEST))..];
    // `password = tr0ub4`
    let mut words = near.rsplitn(4, [' ', '\t']).take(3);
    let Some(head) = words.next() else { return false };
    let begins_value = |c: char| c.is_ascii_graphic() && !"=:,;{[(<|\\".contains(c);
    if !head.ends_with(begins_value) {
        return false;
    }
    let rest = &next[..next.floor_char_boundary(LONGEST)];
    let end = rest.find(|c: char| c.is_whitespace() || "\"'`,;&<>|\\".contains(c));
    let rest = &rest[..end.unwrap_or(rest.len())];
    let is_quoted = |quote: char| {
        let closes = end.is_some_and(|end| next[end..].starts_with(quote));
        let within = head.rsplit_once(quote).filter(|(name, _)| !name.ends_with(char::is_alphanumeric));
        closes && within.is_some_and(|(name, value)| !value.is_empty() && name.matches(quote).count() % 2 == 0)
    };
    let looks_random = || is_rest(next) && !is_plain_word(rest) && (has_digit_and_letter(rest) || is_random(rest));
    let is_rest_of_value = !rest.is_empty() && (['"', '\'', '`'].into_iter().any(is_quoted) || looks_random());
    is_rest_of_value && (has_sign(head) || words.any(has_sign))
}

/// True if a line may begin with the rest of a random value: not with a word, nor with the name of a value.
pub(super) fn is_rest(line: &str) -> bool {
    let rest = line.split(|c: char| c.is_whitespace() || "\"`,;".contains(c)).next().unwrap_or_default();
    let end = rest.find([':', '=']).filter(|&end| !rest[end..].bytes().all(|byte| byte == b'='));
    let is_name = end.is_some_and(|end| is_wordlike(&rest[..end]) && !rest.starts_with(|c: char| c.is_ascii_digit()));
    let said = rest.trim_end_matches(|c: char| ".?!:)".contains(c));
    let is_talk = rest.len() > 1 && said.bytes().all(|byte| byte.is_ascii_alphabetic() || b"-/.'_".contains(&byte));
    rest.starts_with(|c: char| c.is_ascii_graphic() && !"{[(<".contains(c))
        && !is_name
        && !(is_talk && is_plain_word(said))
}

fn has_sign(word: &str) -> bool {
    let word = word.to_ascii_lowercase();
    SIGNS.iter().any(|sign| word.contains(sign))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_value_of_a_named_secret_goes_on_in_the_next_line() {
        for (line, next, expected) in [
            ("the PASSWORD=tr0ub4", "d0r-and-3 works", true),
            ("password: swor", "d-f1sh", true),
            ("--password tr0", "ub4dor", true),
            ("password = \"correct", "horse\"", true),
            ("{\"password\": \"correct", "horse\"}", true),
            ("password=tr0ub4dor", "and more", false),
            ("password=tr0ub4dor", "version-2 of it", false),
            ("DB_PASSWORD=tr0ub4dor", "DB_HOST2=db7", false),
            ("DB_PASSWORD=tr0ub4dor", "\"a1\": 2", false),
            ("password=\"tr0ub4dor\"", "user=\"x\"", false),
            ("password:", "tr0ub4dor", false),
            ("the word=tr0ub4", "dor-3", false),
            ("password=", "", false),
            ("", "", false),
        ] {
            assert_eq!(is_cut(line, next), expected, "{line} | {next}");
        }
    }
}
