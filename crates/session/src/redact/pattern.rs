//! The user's patterns for further replacements, and exceptions.

use regex_automata::meta::Regex;

use crate::text::line_regex::{self, LetterCase};

/// A user's patterns, and texts that are kept even if a rule matches them.
#[derive(Clone, Debug, Default)]
pub struct OwnPatterns {
    pub(super) patterns: Vec<(String, Regex)>,
    keep: Vec<String>,
}

impl OwnPatterns {
    /// Patterns with the names used in their replacements, and exceptions: a text, or the domain of hosts and mail
    /// addresses.
    ///
    /// # Errors
    /// A message with the name, the position and the cause for the first invalid pattern.
    pub fn new<'a>(patterns: impl Iterator<Item = (&'a str, &'a str)>, keep: Vec<String>) -> Result<Self, String> {
        let compile = |(name, pattern): (&str, &str)| {
            let is_word = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
            if !is_word {
                return Err(format!("patterns: {name:?}: names may contain only letters, digits and hyphens"));
            }
            let regex = line_regex::compile(pattern, LetterCase::Exact).map_err(|words| {
                let place = line_regex::fault_column(pattern).map(|column| format!(" at column {column}"));
                format!("patterns: {name}: {words}{} in {pattern}", place.unwrap_or_default())
            })?;
            if regex.is_match("") {
                return Err(format!("patterns: {name}: it also matches the empty text: {pattern}"));
            }
            Ok((name.to_owned(), regex))
        };
        Ok(Self { patterns: patterns.map(compile).collect::<Result<_, _>>()?, keep })
    }

    /// True if a finding is an exception and stays.
    pub(super) fn keeps(&self, words: &str) -> bool {
        self.keep.iter().any(|kept| {
            let end = words.strip_suffix(kept.as_str());
            end.is_some_and(|rest| rest.is_empty() || (kept.contains('.') && rest.ends_with(['.', '@'])))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_used_is_refused_with_its_place() {
        for (name, pattern, words) in [
            ("ticket", "ACME-(", "patterns: ticket: unclosed group at column 6 in ACME-("),
            ("ticket", "x*", "patterns: ticket: it also matches the empty text: x*"),
            ("a b", "x", "patterns: \"a b\": names may contain only letters, digits and hyphens"),
        ] {
            let refused = OwnPatterns::new([(name, pattern)].into_iter(), Vec::new()).expect_err("it is refused");
            assert_eq!(refused, words);
        }
    }

    #[test]
    fn what_is_kept_is_a_text_or_a_domain() {
        let own = OwnPatterns { patterns: Vec::new(), keep: vec!["acme.com".into(), "ada".into()] };
        for (words, expected) in [
            ("acme.com", true),
            ("x@acme.com", true),
            ("a.acme.com", true),
            ("xacme.com", false),
            ("ada", true),
            ("x.ada", false),
        ] {
            assert_eq!(own.keeps(words), expected, "{words}");
        }
    }
}
