//! Tokens of issuers that no list has, recognised by their shape: a short prefix, a separator, and random characters.
//!
//! Ids of calls and records, hashes, versions and file names have the same shape; their prefix, their alphabet and the
//! text around them tell them apart.

use std::ops::Range;

use super::random::{has_digit_and_letter, has_variety, is_identifier, is_plain_word, is_random, run_length};
use super::value::is_stand_in;
use crate::text::steps;
use crate::text::word_set::WordSet;

/// Fewest and most bytes of a token.
const SHORTEST: usize = 20;
const LONGEST: usize = 2048;

/// Most bytes of a word of the prefix, and of the whole prefix.
const LONGEST_WORD: usize = 20;
const LONGEST_PREFIX: usize = 28;

/// Most characters of a first word that has digits before letters.
const SHORT_NAME: usize = 6;

/// Fewest letters and digits after the prefix, and after one that tells what they are.
const SHORTEST_BODY: usize = 20;
const SHORTEST_TOLD: usize = 14;

/// Fewest characters after a prefix of one letter.
const SHORTEST_AFTER_LETTER: usize = 32;

/// Fewest digits of a hexadecimal number that is not an id.
const SHORTEST_NUMBER: usize = 32;
const SHORTEST_TOLD_NUMBER: usize = 24;

/// Digits of hexadecimal numbers that may follow letters without a separator, and most of these letters.
const NUMBERS: [usize; 4] = [32, 40, 48, 64];
const LONGEST_LETTERS: usize = 8;

/// Characters that follow each other in an alphabet or a row of digits, which only examples have.
const LONGEST_ROW: usize = 7;

/// Most bytes between a name and its value, and of the name.
const LONGEST_GAP: usize = 4;
const LONGEST_NAME: usize = 24;

/// Endings of names of values that are hashes or separators, whatever their prefix, and of values that are ids.
const HASHES: &[&str] =
    &["sha1", "sha256", "sha384", "sha512", "md5", "hash", "digest", "checksum", "integrity", "etag", "boundary"];
const NAMES: &[&str] =
    &["id", "ids", "identifier", "uuid", "guid", "commit", "revision", "rev", "ref", "version", "name", "file", "path"];

/// Words in prefixes of ids, hashes and names.
static IDS: WordSet = WordSet::new(include_str!("id_words.txt"));

/// Words in prefixes that tell a secret.
static TELLING: WordSet = WordSet::new(include_str!("telling_words.txt"));

/// Calls `found` with the range of each token.
pub(super) fn find(text: &str, found: &mut dyn FnMut(Range<usize>)) {
    let bytes = text.as_bytes();
    let mut at = 0;
    steps::add_bytes(bytes.len());
    // Every run of `SHORTEST` characters has one at this distance from the end of the run before it.
    while let Some(&byte) = bytes.get(at + SHORTEST - 1) {
        if !IS_OF_VALUE[usize::from(byte)] {
            at += SHORTEST;
            continue;
        }
        let before = bytes[at..at + SHORTEST].iter().rev().take_while(|byte| IS_OF_VALUE[usize::from(**byte)]).count();
        let start = at + SHORTEST - before;
        let len = bytes[start..].iter().take_while(|byte| IS_OF_VALUE[usize::from(**byte)]).count();
        at = start + len;
        if len >= SHORTEST {
            find_in(text, start..at, found);
        }
    }
}

/// Calls `found` with the tokens in a run of characters of values.
fn find_in(text: &str, run: Range<usize>, found: &mut dyn FnMut(Range<usize>)) {
    let bytes = text.as_bytes();
    let mut at = run.start;
    while at < run.end {
        let len = bytes[at..run.end].iter().take_while(|byte| is_of_token(**byte)).count();
        let (start, end) = (at, at + len);
        at = end + 1;
        // A part of a path, of a mail address or of an escape.
        let before = bytes[..start].last();
        if len == 0 || before.is_some_and(|byte| b"/\\@%+$#~".contains(byte)) {
            continue;
        }
        // Characters of base64 continue it.
        let more = rest_of_base64(&bytes[end..run.end]);
        if (SHORTEST..=LONGEST).contains(&(len + more))
            && let Some(token) = token_in(text, start..end, more)
        {
            at = at.max(token.end);
            found(token);
        }
    }
}

/// The characters of tokens and of base64.
static IS_OF_VALUE: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 128 {
        table[byte] = matches!(byte as u8, b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' | b'_' | b'-' | b'.' | b'~' | b'+' | b'/' | b'=');
        byte += 1;
    }
    table
};

/// Number of bytes at the start of a text that may continue a token in base64, with its padding.
fn rest_of_base64(rest: &[u8]) -> usize {
    if !matches!(rest.first(), Some(b'+' | b'/' | b'=')) {
        return 0;
    }
    let len = rest.iter().take(LONGEST).take_while(|byte| is_of_base64(**byte)).count();
    let padding = rest[len..].iter().take(2).take_while(|byte| **byte == b'=').count();
    let slashes = rest[..len].iter().rev().take_while(|byte| **byte == b'/').count();
    if padding > 0 { len + padding } else { len - slashes }
}

/// Number of bytes of the prefix of a token, which is public.
pub(super) fn prefix_len(token: &str) -> usize {
    Prefix::of(token).map_or(0, |prefix| prefix.len)
}

/// True for a value whose prefix is one of ids, hashes and names.
pub(super) fn is_id(value: &str) -> bool {
    Prefix::of(value).is_some_and(|prefix| prefix.is_of_id && !prefix.is_telling)
}

/// True if half of the letters and digits of a value belong to words.
pub(super) fn is_of_words(value: &str) -> bool {
    words_share(value) * 2 >= value.bytes().filter(u8::is_ascii_alphanumeric).count()
}

fn is_of_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'~')
}

/// The token that a run of its characters is.
fn token_in(text: &str, run: Range<usize>, more: usize) -> Option<Range<usize>> {
    let bytes = text.as_bytes();
    steps::add_bytes(run.len() + more);
    let words = text[run.clone()].trim_end_matches(['.', '-', '_']);
    let end = if words.len() == run.len() { run.end + more } else { run.start + words.len() };
    let Some(prefix) = Prefix::of(words) else {
        return is_number_after_letters(words).then_some(run).filter(|run| run.end == end);
    };
    let [body, longest] = [prefix.len, prefix.first].map(|len| &text[run.start + len..end]);
    let after = bytes.get(end);
    let is_called = after.is_some_and(|byte| matches!(byte, b'(' | b'@' | b'\\')) || text[end..].starts_with("::");
    let is_one = end - run.start <= LONGEST
        && !is_called
        && !is_version_or_file(words)
        && !words[..prefix.len].contains("--")
        && (prefix.allows(body) || (has_even_groups(longest) && prefix.allows(longest)))
        && !is_stand_in(&text[run.start..end])
        && !is_named_otherwise(&text[..run.start], prefix.is_telling);
    is_one.then_some(run.start..end)
}

/// True if the text before a value ends with a name of hashes or ids: `sha256=`, `"Id": "`.
pub(super) fn is_named_otherwise(before: &str, is_telling: bool) -> bool {
    let near = &before[before.floor_char_boundary(before.len().saturating_sub(LONGEST_NAME + LONGEST_GAP))..];
    let name = near.trim_end_matches(|c: char| " \t\\\"'`=:".contains(c));
    if near.len() - name.len() > LONGEST_GAP || name.len() == near.len() {
        return false;
    }
    let start = name.rfind(|c: char| !c.is_ascii_alphanumeric()).map_or(0, |at| at + 1);
    let word = &name[start..];
    let last = word.rfind(|c: char| c.is_ascii_uppercase()).map_or(word, |at| &word[at..]);
    let [small, last] = [word, last].map(str::to_ascii_lowercase);
    HASHES.iter().any(|end| small.ends_with(end))
        || (!is_telling && NAMES.iter().any(|name| small == *name || last == *name))
}

fn is_of_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'_' | b'-')
}

/// The words before the random part.
struct Prefix {
    /// Bytes, the last separator included, and bytes of its first word.
    len: usize,
    first: usize,
    /// True if a word tells a secret.
    is_telling: bool,
    /// True if a word is one of ids, hashes or names.
    is_of_id: bool,
    /// True if its first word has no vowel.
    is_abbreviation: bool,
}

impl Prefix {
    /// `None` if the words do not begin with a prefix, or consist of nothing else.
    fn of(words: &str) -> Option<Self> {
        let mut prefix = Self { len: 0, first: 0, is_telling: false, is_of_id: false, is_abbreviation: false };
        while let Some(len) = words[prefix.len..].find(['_', '-', '.', '~']) {
            let word = &words[prefix.len..prefix.len + len];
            let is_first = prefix.len == 0;
            let is_shouted = |word: &str| word.contains(|c: char| c.is_ascii_uppercase());
            if !is_word_of_prefix(word, is_first)
                || prefix.len + len > LONGEST_PREFIX
                || (!is_first && is_shouted(word) && !is_shouted(&words[..1]))
            {
                break;
            }
            let small = word.to_ascii_lowercase();
            prefix.is_telling |=
                TELLING.contains(&small) || ["key", "token", "secret"].iter().any(|end| small.ends_with(end));
            prefix.is_of_id |= IDS.contains(&small);
            prefix.is_abbreviation |= is_first && word.len() >= 2 && !small.contains(['a', 'e', 'i', 'o', 'u', 'y']);
            prefix.len += len + 1;
            prefix.first = if is_first { prefix.len } else { prefix.first };
        }
        (prefix.len > 0).then_some(prefix)
    }

    /// True if the text after the prefix is the random part of a token.
    fn allows(&self, body: &str) -> bool {
        let letters: String = body.chars().filter(char::is_ascii_alphanumeric).collect();
        let is_number = letters.bytes().all(|byte| byte.is_ascii_hexdigit());
        let shortest = match (self.is_telling, is_number) {
            (true, true) => SHORTEST_TOLD_NUMBER,
            (false, true) => SHORTEST_NUMBER,
            (false, false) if self.len == 2 => SHORTEST_AFTER_LETTER,
            (true, false) => SHORTEST_TOLD,
            (false, false) => SHORTEST_BODY,
        };
        let len = if is_number { letters.len() } else { body.len() };
        // A path: `tenant/dt_2yMv`.
        let is_path = body.split_once('/').is_some_and(|(first, _)| {
            first.is_empty()
                || (first.len() >= 3 && !first.ends_with(|c: char| c.is_ascii_digit()) && is_plain_word(first))
        });
        len >= shortest
            && !is_path
            && (self.is_telling || !self.is_of_id)
            && has_variety(body)
            && !has_row(&letters)
            && !is_of_words(body)
            && (has_even_groups(body) || (is_generated(body, &letters) && !is_identifier(&body.to_ascii_lowercase())))
            && (self.is_telling || self.is_abbreviation || !ends_with_uuid(body))
    }
}

/// True for `sk`, `live`, `v2`, `eu1`: letters of one case, and perhaps a few digits. The first word may be short and have
/// digits anywhere after its first letter: `c7n`.
fn is_word_of_prefix(word: &str, is_first: bool) -> bool {
    let letters = word.trim_end_matches(|c: char| c.is_ascii_digit());
    let digits = word.len() - letters.len();
    let is_short_name =
        is_first && (2..=SHORT_NAME).contains(&word.len()) && word.starts_with(|c: char| c.is_ascii_alphabetic());
    let (head, tail) = letters.split_at(letters.len().min(1));
    let has_one_case =
        |upper: bool| tail.bytes().all(|byte| byte.is_ascii_digit() || byte.is_ascii_uppercase() == upper);
    word.len() <= LONGEST_WORD
        && (is_short_name || letters.bytes().all(|byte| byte.is_ascii_alphabetic()))
        && (digits <= 2 || letters.is_empty())
        && (!is_first || !letters.is_empty())
        && (has_one_case(false)
            || (has_one_case(true) && head.bytes().all(|byte| byte.is_ascii_uppercase()))
            || (is_first && is_plain_word(word)))
}

/// True if the characters look as if a program had drawn them.
fn is_generated(body: &str, letters: &str) -> bool {
    let longest = body.split(|c: char| !c.is_ascii_alphanumeric()).map(str::len).max().unwrap_or_default();
    let is_mixed = has_digit_and_letter(letters);
    let has_cases =
        letters.contains(|c: char| c.is_ascii_lowercase()) && letters.contains(|c: char| c.is_ascii_uppercase());
    let has_parts = longest >= 5;
    has_parts && is_random(body) && (is_mixed || has_cases) && (longest >= 12 || run_length(letters) < 2.6)
}

/// True for letters and a hexadecimal number of a usual length, without a separator.
fn is_number_after_letters(words: &str) -> bool {
    let digits = words.bytes().rev().take_while(u8::is_ascii_hexdigit).count();
    let letters = &words[..words.len() - digits];
    // Letters of the number may belong to those before it.
    let is_usual = NUMBERS.iter().any(|len| (*len..=len + 1).contains(&digits));
    (1..=LONGEST_LETTERS).contains(&letters.len())
        && is_usual
        && letters.bytes().all(|byte| byte.is_ascii_alphabetic())
        && !HASHES.contains(&letters.to_ascii_lowercase().as_str())
        && has_variety(words)
        && !has_row(words)
        && run_length(&words[letters.len()..]) < 3.2
}

/// True for a serial number: at least four groups of the same length, in capitals and digits.
fn has_even_groups(body: &str) -> bool {
    let groups: Vec<&str> = body.split('-').collect();
    let is_group = |group: &&str| {
        group.len() == groups[0].len() && group.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit())
    };
    groups.len() >= 4 && groups[0].len() >= 4 && groups.iter().all(is_group) && has_digit_and_letter(body)
}

/// Letters in parts that may be words, which a capital may begin.
fn words_share(body: &str) -> usize {
    let bytes = body.as_bytes();
    let (mut share, mut start) = (0, 0);
    for at in 1..=bytes.len() {
        let is_border = at == bytes.len()
            || !bytes[at].is_ascii_alphabetic()
            || !bytes[at - 1].is_ascii_alphabetic()
            || (bytes[at].is_ascii_uppercase() && bytes[at - 1].is_ascii_lowercase());
        if is_border {
            let part = &body[start..at];
            share += if part.len() >= 4 && is_plain_word(part) { part.len() } else { 0 };
            start = at;
        }
    }
    share
}

fn ends_with_uuid(body: &str) -> bool {
    body.len().checked_sub(36).and_then(|at| body.get(at..)).is_some_and(is_uuid)
}

pub(super) fn is_uuid(body: &str) -> bool {
    body.len() == 36 && body.split('-').map(str::len).eq([8, 4, 4, 4, 12])
}

/// True if it ends like the name of a file, or has a version in it.
pub(super) fn is_version_or_file(words: &str) -> bool {
    let end = words.rsplit_once('.').map_or("", |(_, end)| end);
    let is_number = |part: &str| !part.is_empty() && part.len() <= 3 && part.bytes().all(|byte| byte.is_ascii_digit());
    let parts: Vec<&str> = words.split('.').collect();
    let has_version = parts
        .windows(2)
        .any(|pair| is_number(pair[1]) && is_number(pair[0].rsplit(['_', '-', 'v']).next().unwrap_or_default()));
    (!end.is_empty() && end.len() <= 5) || has_version
}

/// True if it has a part of the alphabet or a row of digits in order.
fn has_row(letters: &str) -> bool {
    let mut longest = 0;
    let mut row = 0;
    for pair in letters.as_bytes().windows(2) {
        row = if pair[1] == pair[0].wrapping_add(1) { row + 1 } else { 0 };
        longest = longest.max(row);
    }
    longest >= LONGEST_ROW - 1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &str) -> Vec<&str> {
        let mut tokens = Vec::new();
        find(text, &mut |range| tokens.push(&text[range]));
        tokens
    }

    #[test]
    fn a_prefix_with_random_characters_is_a_token() {
        for token in [
            "vnd_live_a8Fk2LmQ9xZr4TyU7wPq",
            "vnd-3f9c1e7ab2d84056c8e1f7a93b5d2c40",
            "VND-7KQ2M-X9RTB-4HWZL-P8CND",
            "vnd1.Qm4xT7-bK9_wZr2LfN8yHs3VcJ6dPa",
            "vnd_sk_mzq4k2vxtb7wn3hdy6rjc5pgfs2al4ue",
            "vnd_Zk8/rT2+qWx7LmNb4VcY9sHdPf3GjKt6QaEuRi5=",
            "vndkey_9d1c7f20-4b8e-4a63-9f15-c2e07ab8d364",
            "c7n_hY3kQz8RtW5xLm2NvB9pSd6F",
            "vndq0f1e9d8c7b6a59483726150faebdc9d8",
        ] {
            for text in [format!("So {token} is it."), format!("X={token}"), format!("\"{token}\"")] {
                assert_eq!(all(&text), [token], "{text}");
            }
        }
    }

    #[test]
    fn ids_hashes_versions_files_and_names_stay() {
        for text in [
            "toolu_01A09q90qw90lq917835lq9x msg_01XFDUDYJgAACzvnptvVoYELk chatcmpl-B9MBs8CjcvOU2jLn4n570S5qMJKcT",
            "sha256-3f9c1e7ab2d84056c8e1f7a93b5d2c40 sha256=Pfh72-BxlvoH0QHCDOc1HvXG7Kq5Xetf3zzNz2kNSHk",
            "serde-1.0.219-3f9c1e7ab2d84056c8e1f7a93b5d2c40 app-4f5a6b7c8d9e0f1a2b3c4d5e6f708192.min.js",
            "some_module.getHTTPServerWithTLS13 CONFIG_ARM64_VA_BITS_48_SUPPORT test_a1_b2_c3_d4_e5_f6_g7",
            "/opt/vnd_a8Fk2LmQ9xZr4TyU7wPq /x/vnd_a8Fk2LmQ9xZr4TyU7wPq/y vnd_a8Fk2LmQ9xZr4TyU7wPq(1)",
            "\"traceId\": \"vnd_a8Fk2LmQ9xZr4TyU7wPq\" --id vnd_a8Fk2LmQ9xZr4TyU7wPq",
            "Hello-Another-Way--fc4qua05auwb3674vfr0b vnd_abcdefghijklmnopqrst vnd_live_xxxxxxxxxxxxxxxxxxxx vnd_1234567890abcdef1234",
            "user1-9d1c7f20-4b8e-4a63-9f15-c2e07ab8d364 group/cg_2wjDWTBKTlRB87cAaUQFaakABC",
        ] {
            assert_eq!(all(text), Vec::<&str>::new(), "{text}");
        }
    }
}
