//! Rules from files that other programs publish, converted by `examples/secret_rules`.
//!
//! A rule is tried only where one of its signs occurs, and its pattern is compiled when that first happens.

use std::ops::Range;
use std::sync::OnceLock;

use regex_automata::meta::{Config, Regex};
use regex_automata::util::syntax;
use regex_automata::{Anchored, Input};

use super::random::{has_digit_and_letter, has_variety, is_identifier, is_random, is_wordlike};
use super::shape::is_of_words;
use super::value::is_stand_in;
use crate::text::steps;

/// The files: a rule a line, with its fields separated by tabs.
const FILES: [&str; 2] = [include_str!("rules/betterleaks.txt"), include_str!("rules/kingfisher.txt")];

/// Most bytes that a pattern is applied to, from its first sign.
const WINDOW: usize = 1024;

/// Most bytes of the cache of a compiled pattern, and of the pattern itself.
const CACHE: usize = 256 * 1024;
const SIZE: usize = 4 * 1024 * 1024;

/// Fewest bytes of a value of digits and letters that needs not look random after the name of its service.
const SHORTEST: usize = 16;

/// A rule of Betterleaks or Kingfisher, as `rules/` has it.
pub(super) struct PublishedRule {
    pub(super) kind: &'static str,
    /// Substrings in lower case, one of which each match contains.
    pub(super) signs: Vec<&'static str>,
    /// Most bytes of a match before the sign.
    back: usize,
    /// Least entropy of the secret in bits a byte.
    entropy: f64,
    /// The pattern. The secret is the last group that takes part in the match, or the whole match.
    pattern: &'static str,
    regex: OnceLock<Option<Regex>>,
}

/// A secret that a published rule found.
pub(super) struct PublishedMatch {
    pub(super) range: Range<usize>,
    /// True if the sign is part of the secret, which thus needs no context.
    pub(super) is_form: bool,
}

/// All published rules.
pub(super) fn rules() -> Vec<PublishedRule> {
    let lines = FILES.into_iter().flat_map(str::lines).filter(|line| !line.starts_with('#'));
    lines.filter_map(PublishedRule::parse).collect()
}

impl PublishedRule {
    fn parse(line: &'static str) -> Option<Self> {
        let mut fields = line.split('\t');
        let kind = fields.next()?;
        let (back, entropy) = (fields.next()?.parse().ok()?, fields.next()?.parse().ok()?);
        let pattern = fields.next()?;
        Some(Self { kind, signs: fields.collect(), back, entropy, pattern, regex: OnceLock::new() })
    }

    /// The compiled pattern; `None` if it is refused, which a test excludes.
    pub(super) fn regex(&self) -> Option<&Regex> {
        let syntax = syntax::Config::new().unicode(false).utf8(false);
        let config = Config::new().utf8_empty(false).hybrid_cache_capacity(CACHE).nfa_size_limit(Some(SIZE));
        let build = || Regex::builder().syntax(syntax).configure(config).build(self.pattern).ok();
        self.regex.get_or_init(build).as_ref()
    }

    /// The secret of this kind that has a sign at `sign`.
    pub(super) fn at(&self, text: &str, sign: &Range<usize>) -> Option<PublishedMatch> {
        let anchored = if self.back == 0 { Anchored::Yes } else { Anchored::No };
        let window = sign.start.saturating_sub(self.back)..text.len().min(sign.start + WINDOW);
        let input = Input::new(text).range(window).anchored(anchored);
        let regex = self.regex()?;
        let end = regex.search_half(&input)?.offset();
        steps::add(end - input.start());
        let mut captures = regex.create_captures();
        regex.search_captures(&input, &mut captures);
        let range = (0..captures.group_len()).rev().find_map(|group| captures.get_group(group))?.range();
        let secret = text.get(range.clone())?;
        let is_form = range.contains(&sign.start);
        let is_one = entropy(secret) >= self.entropy
            && !is_stand_in(secret)
            && has_variety(secret)
            && if is_form { !is_name(secret, &text[range.end..]) } else { is_generated(secret) };
        is_one.then_some(PublishedMatch { range, is_form })
    }
}

/// True if a weak password is the name of a member or a variable: `password1: str`.
fn is_name(secret: &str, after: &str) -> bool {
    is_wordlike(secret) && after.trim_start().starts_with([':', '='])
}

/// True for a value that a program generated: it looks random, or has digits and letters and is long.
fn is_generated(value: &str) -> bool {
    let is_long = value.len() >= SHORTEST && has_digit_and_letter(value);
    // `AccountAssignmentsCreationStatus` is a name.
    let is_name = is_identifier(value) || (!has_digit_and_letter(value) && is_of_words(value));
    is_uuid(value) || ((is_long || is_random(value)) && !is_name)
}

fn is_uuid(value: &str) -> bool {
    value.len() == 36
        && value.bytes().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

/// Shannon entropy of a text in bits a byte.
fn entropy(text: &str) -> f64 {
    let mut counts = [0_u32; 256];
    text.bytes().for_each(|byte| counts[usize::from(byte)] += 1);
    let len = text.len() as f64;
    counts
        .iter()
        .filter(|&&count| count > 0)
        .map(|&count| f64::from(count) / len)
        .map(|share| -share * share.log2())
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_published_rule_can_be_tried() {
        let rules = rules();
        assert!(rules.len() >= 1000, "{} rules", rules.len());
        for rule in &rules {
            assert!(rule.regex().is_some(), "{}: {}", rule.kind, rule.pattern);
            assert!(!rule.signs.is_empty(), "{}", rule.kind);
        }
    }

    #[test]
    fn entropy_is_counted_in_bits() {
        for (text, expected) in [("", 0.0), ("aaaa", 0.0), ("abab", 1.0), ("abcdabcd", 2.0), ("0123456789abcdef", 4.0)]
        {
            assert!((entropy(text) - expected).abs() < 1e-9, "{text}");
        }
    }
}
