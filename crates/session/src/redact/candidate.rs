//! Values that look like secrets and are not replaced, with the reason.

use std::ops::Range;
use std::sync::LazyLock;

use regex_automata::meta::Regex;

use super::random::{has_variety, is_identifier, is_random};
use super::shape::{is_id, is_named_otherwise, is_of_words, is_uuid, is_version_or_file};
use super::value::is_stand_in;
use crate::text::steps;

/// Why a value is not replaced although it looks like a secret.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum KeepReason {
    /// A rule matches it, and the user's settings keep it.
    Allowed,
    /// It is random, and neither its format nor the text before it tells what it is.
    Unnamed,
    /// The value of a variable for a secret that is a word.
    Word,
    /// The value of a variable for a secret that stands for one, such as `changeme`.
    Placeholder,
    /// An id of a call, a message or a record, by its prefix or its name.
    Id,
    /// A hexadecimal number of a length that hashes have.
    Hash,
    /// A UUID.
    Uuid,
    /// More characters than a secret has.
    Data,
}

impl KeepReason {
    /// True if values are listed one by one; others are only counted.
    pub fn is_listed(self) -> bool {
        matches!(self, Self::Allowed | Self::Unnamed | Self::Word | Self::Placeholder)
    }

    /// Its name in output.
    pub fn word(self) -> &'static str {
        self.into()
    }
}

/// Fewest and most bytes of a random value that may be a secret.
const SHORTEST: usize = 20;
const LONGEST: usize = 512;

/// Digits of MD5, SHA-1, SHA-224, SHA-256, SHA-384 and SHA-512.
const DIGESTS: [usize; 6] = [32, 40, 56, 64, 96, 128];

/// A variable for a secret with its value, as in an environment: `ACME_API_KEY=changeme`.
static VARIABLE: LazyLock<Regex> = LazyLock::new(|| {
    let names = "KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?";
    let pattern = format!(r#"\b[A-Z][A-Z0-9_]{{0,60}}(?:{names})["']? ?[=:] ?["']?([^\s"',;]{{4,128}})"#);
    Regex::new(&pattern).expect("a test compiles it")
});

/// Calls `found` with the reason and range of each such value, in no order. It does not know what is replaced.
pub(super) fn find(text: &str, found: &mut dyn FnMut(KeepReason, Range<usize>)) {
    for variable in VARIABLE.captures_iter(text) {
        let Some(value) = variable.get_group(1).map(|group| group.range()) else { continue };
        let reason = if is_stand_in(&text[value.clone()]) { KeepReason::Placeholder } else { KeepReason::Word };
        found(reason, value);
    }
    let bytes = text.as_bytes();
    let mut at = 0;
    steps::add_bytes(2 * bytes.len());
    while let Some(start) = bytes[at..].iter().position(|&byte| is_of_value(byte)).map(|skipped| at + skipped) {
        let len = bytes[start..].iter().position(|&byte| !is_of_value(byte)).unwrap_or(bytes.len() - start);
        at = start + len;
        let words = text[start..at].trim_matches(['.', '-', '_', '/', '=', '+']);
        let start = start + (len - text[start..at].trim_start_matches(['.', '-', '_', '/', '=', '+']).len());
        if let Some(reason) = reason(&text[..start], words) {
            found(reason, start..start + words.len());
        }
    }
}

fn is_of_value(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"_-.+/=".contains(&byte)
}

/// The reason why a value that nothing names is kept; `None` if it does not look like a secret.
fn reason(before: &str, value: &str) -> Option<KeepReason> {
    if value.len() < SHORTEST || !has_variety(value) {
        return None;
    }
    if is_uuid(value) {
        return Some(KeepReason::Uuid);
    }
    if value.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        let is_digest = DIGESTS.contains(&value.len()) && value.contains(|c: char| c.is_ascii_alphabetic());
        return is_digest.then_some(KeepReason::Hash);
    }
    // A part of a path or of a URL.
    if before.ends_with(['/', '\\']) || value.contains('.') || is_version_or_file(value) {
        return None;
    }
    if value.len() > LONGEST {
        return Some(KeepReason::Data);
    }
    if !is_random(value) || is_identifier(&value.to_ascii_lowercase()) || is_of_words(value) {
        return None;
    }
    let is_known = is_id(value) || is_named_otherwise(before, false);
    Some(if is_known { KeepReason::Id } else { KeepReason::Unnamed })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kept_value_has_its_reason() {
        for (text, expected) in [
            ("ACME_API_KEY=changeme", "placeholder changeme"),
            ("export ACME_TOKEN=\"${TOKEN}\"", "placeholder ${TOKEN}"),
            ("ACME_PASSWORD=orchard", "word orchard"),
            ("it printed Qm4xT7bK9wZr2LfN8yHs3VcJ", "unnamed Qm4xT7bK9wZr2LfN8yHs3VcJ"),
            ("commit 3f9c1e7ab2d84056c8e1f7a93b5d2c40aa11bb22", "hash 3f9c1e7ab2d84056c8e1f7a93b5d2c40aa11bb22"),
            ("9d1c7f20-4b8e-4a63-9f15-c2e07ab8d364", "uuid 9d1c7f20-4b8e-4a63-9f15-c2e07ab8d364"),
            ("toolu_01A09q90qw90lq917835lq9x", "id toolu_01A09q90qw90lq917835lq9x"),
            ("\"traceId\": \"Qm4xT7bK9wZr2LfN8yHs3VcJ\"", "id Qm4xT7bK9wZr2LfN8yHs3VcJ"),
            ("crates/session/src/redact/candidate.rs some_long_identifier_of_code", ""),
            ("https://a.example/Qm4xT7bK9wZr2LfN8yHs3VcJ", ""),
        ] {
            let mut all = Vec::new();
            find(text, &mut |reason, range| all.push(format!("{} {}", reason.word(), &text[range])));
            assert_eq!(all.join(", "), expected, "{text}");
        }
    }
}
