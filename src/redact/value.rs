//! Whether the value of something called `password` or `token` is a secret, or a type, a variable, a path, talk.
//!
//! This module does not know what stands in front of a value.

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
const STAND_INS: &[&str] = &[
    "null",
    "none",
    "nil",
    "undefined",
    "true",
    "false",
    "string",
    "str",
    "text",
    "bytes",
    "number",
    "integer",
    "object",
    "boolean",
    "array",
    "required",
    "optional",
    "password",
    "passwd",
    "passphrase",
    "secret",
    "token",
    "key",
    "value",
    "name",
    "hidden",
    "masked",
    "redacted",
    "removed",
    "filtered",
    "unset",
    "empty",
    "invalid",
    "missing",
    "incorrect",
    "wrong",
    "changed",
    "prompt",
    "input",
    "hash",
    "changeme",
    "placeholder",
    "disabled",
    "enabled",
    "default",
    "unknown",
    "expired",
];

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
    "****",
    "••",
    "...",
    "…",
];

/// The most bytes of what stands where a secret would.
const LONGEST_STAND_IN: usize = 64;

/// Whether a value of that strength is a secret.
pub(super) fn is_secret(value: &str, strength: Strength, stands: Stands) -> bool {
    let shortest = if stands == Stands::Bare { 6 } else { 4 };
    if value.len() < shortest || is_stand_in(value) || is_path(value) {
        return false;
    }
    match strength {
        Strength::Token => is_random(value) && (stands == Stands::Quoted || !is_code(value)),
        Strength::Password => match stands {
            Stands::Quoted => true,
            Stands::Assigned => !is_code(value),
            // A word is talk, or a type.
            Stands::Bare => {
                !is_code(value) && !value.chars().all(|c| c.is_alphabetic() || matches!(c, '_' | '-' | '.' | '?'))
            }
        },
    }
}

/// Whether something that is a secret where it was found is one wherever it stands: no word, identifier, type or path that
/// a text may have for other reasons.
pub(super) fn is_distinctive(secret: &str) -> bool {
    if is_stand_in(secret) || is_path(secret) || secret.chars().all(|c| c.is_ascii_digit() || c.is_whitespace()) {
        return false;
    }
    let is_phrase =
        secret.len() >= 8 && secret.contains(|c: char| !c.is_ascii_alphanumeric() && !"_-.:/()<>,".contains(c));
    is_random(secret) || is_phrase || (secret.len() >= 6 && run_length(secret) <= 2.0 && has_digit_and_letter(secret))
}

/// Whether it looks made at random: letters, digits and cases that change as they do in no word.
pub(super) fn is_random(value: &str) -> bool {
    let is_one = value.len() >= 8 && value.bytes().all(|byte| byte.is_ascii_graphic()) && has_variety(value);
    let has_slash = value.contains('/');
    let is_long = value.len() >= 20 && value.contains(|c: char| c.is_ascii_uppercase());
    let changes = run_length(value) < 3.2 || (value.len() >= 16 && is_no_word(value));
    let is_mixed =
        has_digit_and_letter(value) || (value.len() >= 20 && value.bytes().all(|byte| byte.is_ascii_alphabetic()));
    is_one && (!has_slash || is_long) && changes && is_mixed
}

/// Whether it has more consonants in a row than words have, or is one long number of base 16.
fn is_no_word(value: &str) -> bool {
    let is_vowel = |c: char| !c.is_ascii_alphabetic() || "aeiouyAEIOUY".contains(c);
    let consonants = value.split(is_vowel).map(str::len).max().unwrap_or_default();
    consonants >= 5 || (value.len() >= 32 && value.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

/// Whether there are more than a few different characters.
pub(super) fn has_variety(value: &str) -> bool {
    let mut seen = [false; 256];
    value.bytes().for_each(|byte| seen[usize::from(byte)] = true);
    let different = seen.iter().filter(|seen| **seen).count();
    different >= 5 && different * 8 >= value.len().min(64)
}

fn has_digit_and_letter(value: &str) -> bool {
    value.contains(|c: char| c.is_ascii_digit()) && value.contains(|c: char| c.is_ascii_alphabetic())
}

/// How many characters of a kind follow one another on average; a word with a capital is one run.
fn run_length(value: &str) -> f64 {
    let class = |byte: u8| match byte {
        b'0'..=b'9' => 1,
        b'a'..=b'z' => 2,
        b'A'..=b'Z' => 3,
        _ => 0,
    };
    let (mut runs, mut characters, mut before) = (0_usize, 0_usize, (0, 0));
    for byte in value.bytes() {
        let class = class(byte);
        if class != 0 {
            characters += 1;
            // The small letters behind one capital belong to it.
            let belongs = class == before.0 || (class == 2 && before == (3, 1));
            runs += usize::from(!belongs);
        }
        before = (class, if class == before.0 { before.1 + 1 } else { 1 });
    }
    if runs == 0 { f64::INFINITY } else { characters as f64 / runs as f64 }
}

/// Whether it stands where a secret would, and is none: a variable, a blank, a word that says so.
pub(super) fn is_stand_in(value: &str) -> bool {
    let small = value[..value.floor_char_boundary(LONGEST_STAND_IN)].to_ascii_lowercase();
    let begins =
        ["$", "{", "<", "%(", "[", "@", "env:", "vault:", "op://", "secretref", "process.", "os.", "env.", "!", ":"];
    STAND_INS.contains(&small.as_str())
        || STAND_IN_PARTS.iter().any(|part| small.contains(part))
        || (begins.iter().any(|begin| small.starts_with(begin))
            && !small.starts_with("$2")
            && !small.starts_with("$6$"))
        || (small.starts_with('%') && small.ends_with('%'))
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

/// Whether it is an expression of a programming language.
fn is_code(value: &str) -> bool {
    let is_name = |part: &str| {
        part.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            && part.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
    };
    let mut parts = value.split("::").flat_map(|part| part.split(['.', '?'])).filter(|part| !part.is_empty());
    let is_member =
        (value.contains("::") || value.contains('.')) && parts.all(|part| is_name(part) && !is_random(part));
    let calls = value
        .find(['(', '[', '<'])
        .is_some_and(|at| value[..at].split(['.', ':', '&']).all(|part| part.is_empty() || is_name(part)));
    is_member
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
