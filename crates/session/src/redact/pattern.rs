//! The user's patterns for further replacements, and exceptions.

use regex_automata::meta::Regex;

use crate::text::line_regex::{self, LetterCase};

/// The name in replacements of texts and patterns that the user adds without one.
const ADDED: &str = "added";

/// A user's patterns, and texts that are kept even if a rule matches them.
#[derive(Clone, Debug, Default)]
pub struct OwnPatterns {
    pub(super) patterns: Vec<(String, Regex)>,
    keep: Vec<KeptText>,
}

/// An exception.
#[derive(Clone, Debug)]
enum KeptText {
    /// A value, or the domain of hosts and mail addresses.
    Text(String),
    /// A pattern that has to match the whole value.
    Pattern(Regex),
}

impl OwnPatterns {
    /// Patterns with the names used in their replacements, and exceptions: a text, the domain of hosts and mail
    /// addresses, or a pattern between slashes (`/vnd_[a-z]+/`) for whole values.
    ///
    /// # Errors
    /// A message with the name, the position and the cause for the first invalid pattern.
    pub fn new<'a>(patterns: impl Iterator<Item = (&'a str, &'a str)>, keep: Vec<String>) -> Result<Self, String> {
        let compile = |(name, pattern): (&str, &str)| {
            let is_word = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
            if !is_word {
                return Err(format!("patterns: {name:?}: names may contain only letters, digits and hyphens"));
            }
            Ok((name.to_owned(), replaced_by(&format!("patterns: {name}"), pattern)?))
        };
        let exception = |text: String| match pattern_of(&text) {
            Some(pattern) => compiled("keep", pattern)
                .and_then(|_| compiled("keep", &format!("\\A(?:{pattern})\\z")))
                .map(KeptText::Pattern),
            None => Ok(KeptText::Text(text)),
        };
        let patterns = patterns.map(compile).collect::<Result<_, _>>()?;
        Ok(Self { patterns, keep: keep.into_iter().map(exception).collect::<Result<_, _>>()? })
    }

    /// Also replaces these texts, and matches of these patterns between slashes.
    ///
    /// # Errors
    /// A message with the position and the cause for the first invalid pattern.
    pub fn with_added<'a>(mut self, texts: impl Iterator<Item = &'a str>) -> Result<Self, String> {
        for text in texts.filter(|text| !text.is_empty()) {
            let pattern = pattern_of(text).map_or_else(|| escaped(text), str::to_owned);
            self.patterns.push((ADDED.to_owned(), replaced_by("also", &pattern)?));
        }
        Ok(self)
    }

    /// True if a finding is an exception and stays.
    pub(super) fn keeps(&self, words: &str) -> bool {
        self.keep.iter().any(|kept| match kept {
            KeptText::Text(kept) => {
                let end = words.strip_suffix(kept.as_str());
                end.is_some_and(|rest| rest.is_empty() || (kept.contains('.') && rest.ends_with(['.', '@'])))
            }
            KeptText::Pattern(pattern) => pattern.is_match(words),
        })
    }
}

/// The pattern between slashes, if a text is one.
fn pattern_of(text: &str) -> Option<&str> {
    text.strip_prefix('/')?.strip_suffix('/').filter(|pattern| !pattern.is_empty())
}

/// The pattern that matches a text and nothing else.
fn escaped(text: &str) -> String {
    let mut pattern = String::with_capacity(text.len());
    for c in text.chars() {
        if r"\.+*?()|[]{}^$#&-~".contains(c) {
            pattern.push('\\');
        }
        pattern.push(c);
    }
    pattern
}

fn compiled(setting: &str, pattern: &str) -> Result<Regex, String> {
    line_regex::compile(pattern, LetterCase::Exact).map_err(|words| {
        let place = line_regex::fault_column(pattern).map(|column| format!(" at column {column}"));
        format!("{setting}: {words}{} in {pattern}", place.unwrap_or_default())
    })
}

/// A pattern for matches to replace, which must not be empty.
fn replaced_by(setting: &str, pattern: &str) -> Result<Regex, String> {
    let regex = compiled(setting, pattern)?;
    if regex.is_match("") {
        return Err(format!("{setting}: it also matches the empty text: {pattern}"));
    }
    Ok(regex)
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
    fn what_is_added_or_kept_may_be_a_pattern() {
        for (also, keep, words) in [
            (vec!["/ACME-(/"], vec![], "also: unclosed group at column 6 in ACME-("),
            (vec!["/x*/"], vec![], "also: it also matches the empty text: x*"),
            (vec![], vec!["/x)/"], "keep: unopened group at column 2 in x)"),
        ] {
            let keep = keep.into_iter().map(str::to_owned).collect();
            let own = OwnPatterns::new([].into_iter(), keep).and_then(|own| own.with_added(also.into_iter()));
            assert_eq!(own.expect_err("it is refused"), words);
        }
        let own = OwnPatterns::default().with_added(["a.b(", "<b>", "/v[0-9]+/"].into_iter()).expect("it is valid");
        let found = |text: &str| own.patterns.iter().any(|(_, pattern)| pattern.is_match(text));
        for (text, expected) in [("x a.b( y", true), ("aXb(", false), ("v12", true), ("<b>", true), ("v", false)] {
            assert_eq!(found(text), expected, "{text}");
        }
    }

    #[test]
    fn what_is_kept_is_a_text_or_a_domain_or_a_pattern() {
        let keep = ["acme.com", "ada", "/vnd_[a-z]+/", "/"].map(str::to_owned).to_vec();
        let own = OwnPatterns::new([].into_iter(), keep).expect("it is valid");
        for (words, expected) in [
            ("acme.com", true),
            ("x@acme.com", true),
            ("a.acme.com", true),
            ("xacme.com", false),
            ("ada", true),
            ("x.ada", false),
            ("vnd_abc", true),
            ("vnd_abc1", false),
            ("x vnd_abc", false),
        ] {
            assert_eq!(own.keeps(words), expected, "{words}");
        }
    }
}
