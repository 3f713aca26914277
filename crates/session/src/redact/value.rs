//! Whether the value of something called `password` or `token` is a secret, or a type, a variable, a path, talk.

use super::random::{has_digit_and_letter, is_identifier, is_plain_word, is_random, is_wordlike, run_length};
use crate::text::word_set::WordSet;

/// How a value stands in its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stands {
    /// Between quotation marks.
    Quoted,
    /// Behind `NAME=` without a space, as in an environment, a URL or an option.
    Assigned,
    /// Behind `name: ` or `name = `, as in code, YAML and prose.
    Bare,
}

/// What a name says of its value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Strength {
    /// People choose it: it may be a word.
    Password,
    /// A program made it: it looks like that.
    Token,
}

/// Words that stand where a secret would.
static STAND_INS: WordSet = WordSet::new(include_str!("stand_ins.txt"));

/// Parts of what stands where a secret would.
const STAND_IN_PARTS: &[&str] = &[
    "your_",
    "your-",
    "yourp",
    "yourt",
    "yours",
    "example",
    "placeholder",
    "redacted",
    "xxxx",
    "${",
    "{{",
    "****",
    "••",
    "...",
    "…",
];

/// The most bytes of a number of base 16 with its `0x`.
const LONGEST_NUMBER: usize = 18;

/// The most bytes of what stands where a secret would.
const LONGEST_STAND_IN: usize = 64;

/// Whether a value of that strength is a secret.
pub(super) fn is_secret(value: &str, strength: Strength, stands: Stands) -> bool {
    let shortest = if stands == Stands::Bare { 6 } else { 4 };
    if value.len() < shortest || is_stand_in(value) || is_path(value) {
        return false;
    }
    match strength {
        Strength::Token => {
            is_random(value)
                && !is_time(value)
                && !is_identifier(value)
                && !is_plain_word(value)
                && (stands == Stands::Quoted || !is_code(value))
        }
        Strength::Password => match stands {
            Stands::Quoted => true,
            Stands::Assigned => !is_code(value),
            // A word is talk, or a type.
            Stands::Bare => {
                let is_talk = value.chars().all(|c| c.is_alphabetic() || "_-.?/,".contains(c));
                !is_code(value) && (!is_talk || !value.split(|c: char| !c.is_alphabetic()).all(is_plain_or_short))
            }
        },
    }
}

/// True for a date with a time of day: `first_token` is when it arrived.
fn is_time(value: &str) -> bool {
    value.as_bytes().get(..11).is_some_and(|day| {
        day.iter().enumerate().all(|(at, byte)| match at {
            4 | 7 => *byte == b'-',
            10 => matches!(byte, b'T' | b' '),
            _ => byte.is_ascii_digit(),
        })
    })
}

/// Whether a part of something is a word, in capitals as types of C are (`LPWSTR`), or too short to tell.
fn is_plain_or_short(part: &str) -> bool {
    part.len() < 3 || !part.is_ascii() || part.bytes().all(|byte| byte.is_ascii_uppercase()) || is_plain_word(part)
}

/// Whether something that is a secret where it was found is one wherever it stands: no word, identifier, type or path that
/// a text may have for other reasons.
pub(super) fn is_distinctive(secret: &str) -> bool {
    if is_stand_in(secret)
        || is_path(secret)
        || is_identifier(secret)
        || secret.chars().all(|c| c.is_ascii_digit() || c.is_whitespace())
    {
        return false;
    }
    let is_phrase =
        secret.len() >= 8 && secret.contains(|c: char| !c.is_ascii_alphanumeric() && !"_-.:/()<>,".contains(c));
    is_random(secret) || is_phrase || (secret.len() >= 6 && run_length(secret) <= 2.0 && has_digit_and_letter(secret))
}

/// Whether it stands where a secret would, and is none: a variable, a blank, a word that says so.
pub(super) fn is_stand_in(value: &str) -> bool {
    let small = value[..value.floor_char_boundary(LONGEST_STAND_IN)].to_ascii_lowercase();
    let begins = ["\\", "{", "<", "&lt;", "%(", "[", "env:", "vault:", "op://", "secretref", "process.", "os.", "env."];
    let is_variable = small.starts_with(['$', '@', '!', ':']) && {
        let name = value[1..].trim_start_matches(['{', '(', ':', '$']).trim_end_matches(['}', ')']);
        is_wordlike(name) || name.contains(['(', '{', '['])
    };
    STAND_INS.contains(&small)
        || STAND_IN_PARTS.iter().any(|part| small.contains(part))
        || begins.iter().any(|begin| small.starts_with(begin))
        || is_variable
        || (small.starts_with('%') && small.ends_with('%'))
        || (small.len() < 20 && small.contains("%s"))
        || !value.contains(|c: char| c.is_alphanumeric())
        || value.chars().all(|c| value.starts_with(c))
}

/// Whether it leads somewhere.
fn is_path(value: &str) -> bool {
    let is_drive = value.as_bytes().get(1..3).is_some_and(|rest| rest[0] == b':' && matches!(rest[1], b'\\' | b'/'));
    let is_rooted =
        value.starts_with('/') && value[1..].split('/').all(|part| part.len() < 20 && !part.contains(['+', '=']));
    is_drive
        || is_rooted
        || ["./", "../", "~/", "file:"].iter().any(|begin| value.starts_with(begin))
        || value.contains("://")
}

/// Whether it is the name of a constant: `D3D10_RETURN_TYPE`.
fn is_shouted_name(value: &str) -> bool {
    value.contains('_') && is_identifier(value) && !value.contains(|c: char| c.is_ascii_lowercase())
}

/// Whether it is an expression of a programming language.
fn is_code(value: &str) -> bool {
    // What is as long and has all that base64 has is none.
    if value.len() >= 24
        && is_random(value)
        && value.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+/=_-".contains(&byte))
    {
        return false;
    }
    let is_name = |part: &str| {
        part.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && part.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    let mut parts = value.split("::").flat_map(|part| part.split(['.', '?'])).filter(|part| !part.is_empty());
    let is_member = (value.contains("::") || value.contains('.'))
        && parts.all(|part| is_name(part) && (!is_random(part) || is_wordlike(part)));
    let calls = value
        .find(['(', '[', '<'])
        .is_some_and(|at| value[..at].split(['.', ':', '&']).all(|part| part.is_empty() || is_name(part)));
    // A number, perhaps with its type.
    let is_number = value.starts_with(|c: char| c.is_ascii_digit())
        && value.contains(['u', 'i', 'f'])
        && value
            .trim_start_matches(|c: char| c.is_ascii_digit() || c == '_')
            .trim_end_matches(|c: char| c.is_ascii_digit())
            .trim_start_matches(['u', 'i', 'f'])
            .is_empty();
    is_member
        || is_number
        || (value.starts_with("0x") && value.len() <= LONGEST_NUMBER)
        || is_shouted_name(value)
        || calls
        || value.starts_with(['&', '*', '(', '|', '=', '+'])
        || value.contains("->")
        || value.contains("=>")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_secret_is_told_from_code_and_talk() {
        use Stands::{Assigned, Bare, Quoted};
        use Strength::{Password, Token};
        for (value, strength, stands, expected) in [
            ("hunter22", Password, Bare, true),
            ("hunter", Password, Bare, false),
            ("hunter", Password, Assigned, true),
            ("swordfish", Password, Quoted, true),
            ("String", Password, Quoted, false),
            ("String", Password, Bare, false),
            ("SecretString", Password, Bare, false),
            ("Option<String>", Password, Bare, false),
            ("getPassword()", Password, Bare, false),
            ("config.password2", Password, Bare, false),
            ("${DB_PASSWORD}", Password, Quoted, false),
            ("$PASSWORD", Password, Assigned, false),
            ("/home/ada/x", Password, Assigned, false),
            ("********", Password, Quoted, false),
            ("pa$$w0rd!", Password, Assigned, true),
            ("abc123def", Token, Quoted, true),
            ("abc123def", Token, Bare, true),
            ("TokenKind::Eof", Token, Bare, false),
            ("tokens[i1]", Token, Bare, false),
            ("identifier", Token, Quoted, false),
            ("next_token2", Token, Bare, false),
            ("200000", Token, Bare, false),
            ("2026-10-02T09:00:02.5Z", Token, Quoted, false),
            ("3f786850e387550fdab836ed7e6dc881de23001b", Token, Quoted, true),
            ("wJalrXUtnFEMI/K7MDENG/bPxRfiCYz91LMKEY", Token, Assigned, true),
            ("src/lib/x86/mod.rs", Token, Bare, false),
            ("claude-3-5-sonnet-20241022", Token, Quoted, false),
        ] {
            assert_eq!(is_secret(value, strength, stands), expected, "{value} {strength:?} {stands:?}");
        }
    }

    #[test]
    fn nothing_that_a_text_may_have_for_other_reasons_is_distinctive() {
        for secret in ["correct horse", "s3cr3t", "a1B2c3D4e5F6", "p@ssw0rd!", "9f86d081884c7d65"] {
            assert!(is_distinctive(secret), "{secret}");
        }
        for word in
            ["String", "StringBuilder", "hunter22", "swordfish", "/home/ada/x", "12345678", "utf8", "get_token", "a::b"]
        {
            assert!(!is_distinctive(word), "{word}");
        }
    }
}
