//! Secrets of known kinds in a transcript, and the same text without them.
//!
//! A secret is found by its form (a token with a well-known prefix), or by what stands in front of it (`password=`), or by
//! the name of the parameter that it is the value of. Once found, it is taken out wherever else it stands. What is found
//! is of known kinds: whoever shares a text has to look at it all the same. This module does not know output formats.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

use aho_corasick::{AhoCorasick, MatchKind};
use regex_automata::meta::Regex;
use regex_automata::{Anchored, Input};

use crate::document::Item;
use crate::params::{Assembly, Value};
use crate::session::Session;

/// The least bytes of a secret that is known by what stands around it alone.
const SHORTEST: usize = 6;

/// The most bytes of a secret, and of what stands in front of it.
const LONGEST: usize = 16 * 1024;

/// A kind of secret, and how it is found.
struct Rule {
    kind: &'static str,
    /// What it begins with, in any case; nothing else is tried.
    begins: &'static [&'static str],
    /// Whether a letter or digit in front of that makes it something else.
    alone: bool,
    /// What must stand there. The secret is the first group, or the whole where there is none.
    pattern: &'static str,
}

const fn rule(kind: &'static str, begins: &'static [&'static str], alone: bool, pattern: &'static str) -> Rule {
    Rule { kind, begins, alone, pattern }
}

/// The kinds; the first ones go before the others.
const RULES: &[Rule] = &[
    rule(
        "private-key",
        &["-----BEGIN "],
        false,
        r"-----BEGIN [A-Z0-9 ]{0,32}PRIVATE KEY(?: BLOCK)?-----(?s:.*?)(?:-----END [A-Z0-9 ]{0,32}PRIVATE KEY(?: BLOCK)?-----|\z)",
    ),
    rule("aws-access-key", &["AKIA", "ASIA", "ABIA", "ACCA"], true, r"(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}\b"),
    rule(
        "aws-secret-key",
        &["aws"],
        false,
        r#"(?i)aws.{0,20}secret.{0,20}?[:=]["'\\\s]*([A-Za-z0-9/+]{40})(?:[^A-Za-z0-9/+=]|\z)"#,
    ),
    rule("github-token", &["ghp_", "gho_", "ghu_", "ghs_", "ghr_"], true, r"gh[pousr]_[A-Za-z0-9]{36,255}"),
    rule("github-token", &["github_pat_"], true, r"github_pat_[A-Za-z0-9_]{22,255}"),
    rule("gitlab-token", &["glpat-", "gldt-", "glrt-", "glptt-"], true, r"gl(?:pat|dt|rt|ptt)-[A-Za-z0-9_-]{20,255}"),
    rule("slack-token", &["xox"], true, r"xox[abeoprs]-[A-Za-z0-9-]{10,255}"),
    rule(
        "slack-webhook",
        &["https://hooks.slack.com/"],
        false,
        r"https://hooks\.slack\.com/(?:services|workflows)/[A-Za-z0-9+/]{20,255}",
    ),
    rule("anthropic-key", &["sk-ant-"], true, r"sk-ant-[A-Za-z0-9_-]{20,255}"),
    rule(
        "api-key",
        &["sk-"],
        true,
        r"sk-(?:proj-|svcacct-|admin-|or-v1-)?[A-Za-z0-9_-]{0,64}[0-9][A-Za-z0-9_-]{18,255}",
    ),
    rule("google-key", &["AIza"], true, r"AIza[A-Za-z0-9_-]{35}"),
    rule("google-token", &["ya29."], true, r"ya29\.[A-Za-z0-9_-]{20,2048}"),
    rule(
        "stripe-key",
        &["sk_live_", "sk_test_", "rk_live_", "rk_test_"],
        true,
        r"[rs]k_(?:live|test)_[A-Za-z0-9]{16,255}",
    ),
    rule("npm-token", &["npm_"], true, r"npm_[A-Za-z0-9]{36}\b"),
    rule("pypi-token", &["pypi-"], true, r"pypi-[A-Za-z0-9_-]{50,1024}"),
    rule("hugging-face-token", &["hf_"], true, r"hf_[A-Za-z0-9]{30,255}\b"),
    rule("sendgrid-key", &["SG."], true, r"SG\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43}"),
    rule("telegram-token", &[":AA"], false, r":(AA[A-Za-z0-9_-]{33})\b"),
    rule(
        "json-web-token",
        &["eyJ"],
        true,
        r"eyJ[A-Za-z0-9_-]{8,4096}\.eyJ[A-Za-z0-9_-]{8,8192}\.[A-Za-z0-9_-]{8,4096}",
    ),
    rule("password-in-url", &["://"], false, r"://[^\s:/@]{0,128}:([^\s/@]{3,256})@"),
    rule(
        "authorization",
        &["authorization"],
        true,
        r#"(?i)authorization["'\\]*\s*[:=]\s*["'\\]*(?:bearer|basic|token)\s+([A-Za-z0-9._~+/=-]{8,4096})"#,
    ),
    rule("authorization", &["bearer"], true, r"(?i)bearer\s+([A-Za-z0-9._~+/-]{20,4096}=*)"),
    rule(
        "password",
        &["api", "access", "auth", "refresh", "secret", "passw", "passphrase", "pwd", "token"],
        true,
        r#"(?i)(?:api[_-]?key|(?:access|auth|refresh)[_-]?token|secret(?:[_-]?(?:access[_-]?)?key)?|passw(?:or)?d|passphrase|pwd|token)["'\\]*\s*[:=]\s*["'\\]*([^\s"'\\,;<>{}()\[\]$]{6,512})"#,
    ),
];

/// Names of parameters whose values are secrets, in small letters and without what joins words.
const NAMES: &[&str] = &[
    "password",
    "passwd",
    "pwd",
    "passphrase",
    "secret",
    "token",
    "apikey",
    "accesstoken",
    "authtoken",
    "refreshtoken",
    "clientsecret",
    "secretkey",
    "privatekey",
    "authorization",
];

/// Finds secrets and takes them out.
pub struct Redactor {
    rules: Rules,
    /// The secrets of the transcript, each with what stands in its place.
    known: Vec<(String, String)>,
    finder: Option<AhoCorasick>,
}

impl Redactor {
    /// Looks for the secrets of a transcript: in what is written, and in what its calls are made of.
    pub fn new(session: &Session) -> Self {
        let rules = Rules::new();
        let mut found = Found::default();
        for (number, item) in session.document().items().iter().enumerate() {
            let text = session.text().read_str(item.span());
            rules.find(&text, |kind, range| found.add(kind, &text[range]));
            if let Item::Call(_) = item
                && let Some(assembly) = session.dissect(number)
            {
                found.collect_values(&rules, &assembly, session);
            }
        }
        let finder = AhoCorasick::builder()
            .match_kind(MatchKind::LeftmostLongest)
            .build(found.known.iter().map(|(secret, _)| secret))
            .ok()
            .filter(|_| !found.known.is_empty());
        Self { rules, known: found.known, finder }
    }

    /// How many secrets the transcript has; one that stands in several places is one.
    pub fn count(&self) -> usize {
        self.known.len()
    }

    /// Where secrets are in some text, in its order and apart from one another, and what is to stand there.
    pub fn spans(&self, text: &str) -> Vec<(Range<usize>, String)> {
        let mut all: Vec<(Range<usize>, String)> = Vec::new();
        if let Some(finder) = &self.finder {
            all.extend(finder.find_iter(text).map(|found| (found.range(), self.known[found.pattern()].1.clone())));
        }
        // What was escaped where it was found may be written out here.
        self.rules.find(text, |kind, range| all.push((range, format!("[secret:{kind}]"))));
        all.sort_by_key(|(range, _)| (range.start, std::cmp::Reverse(range.end)));
        let mut apart: Vec<(Range<usize>, String)> = Vec::new();
        for (range, words) in all {
            match apart.last_mut().filter(|(last, _)| range.start < last.end) {
                Some((last, _)) => last.end = last.end.max(range.end),
                None => apart.push((range, words)),
            }
        }
        apart
    }

    /// The text with every known secret replaced by its kind.
    pub fn clean<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let spans = self.spans(text);
        if spans.is_empty() {
            return Cow::Borrowed(text);
        }
        let mut clean = String::with_capacity(text.len());
        let mut from = 0;
        for (range, words) in spans {
            clean.push_str(&text[from..range.start]);
            clean.push_str(&words);
            from = range.end;
        }
        Cow::Owned(clean + &text[from..])
    }
}

#[derive(Default)]
struct Found {
    known: Vec<(String, String)>,
    places: HashMap<String, usize>,
    counts: HashMap<&'static str, usize>,
}

impl Found {
    fn add(&mut self, kind: &'static str, secret: &str) {
        if self.places.contains_key(secret) {
            return;
        }
        let number = self.counts.entry(kind).or_default();
        *number += 1;
        self.places.insert(secret.to_owned(), self.known.len());
        self.known.push((secret.to_owned(), format!("[secret:{kind}#{number}]")));
    }

    /// Looks at the values of a call, as the tool gets them.
    fn collect_values(&mut self, rules: &Rules, assembly: &Assembly, session: &Session) {
        let outcome = assembly.outcome.as_deref();
        let trees = outcome.into_iter().flat_map(|outcome| [&outcome.output, &outcome.extra]).flatten();
        for tree in [&assembly.tree].into_iter().chain(trees) {
            for (id, _) in tree.walk() {
                let node = tree.node(id);
                if !matches!(node.value, Value::Scalar(..)) {
                    continue;
                }
                let words = tree.words(id, session.text());
                if is_secret_name(&node.key) && words.len() >= SHORTEST {
                    self.add("parameter", &words);
                }
                rules.find(&words, |kind, range| self.add(kind, &words[range]));
            }
        }
    }
}

/// Whether the value of a parameter is a secret, by its name.
fn is_secret_name(key: &str) -> bool {
    let plain: String = key.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_lowercase();
    NAMES.contains(&plain.as_str())
}

/// The rules, ready to be tried.
struct Rules {
    /// What secrets begin with.
    begins: AhoCorasick,
    /// The rule of each of those.
    of: Vec<usize>,
    patterns: Vec<Regex>,
}

impl Rules {
    fn new() -> Self {
        const FINE: &str = "the rules are tried by a test";
        let begins = RULES
            .iter()
            .enumerate()
            .flat_map(|(rule, Rule { begins, .. })| begins.iter().map(move |begin| (rule, begin)));
        let (of, begins): (Vec<usize>, Vec<&&str>) = begins.unzip();
        let begins = AhoCorasick::builder().ascii_case_insensitive(true).build(begins).expect(FINE);
        Self { begins, of, patterns: RULES.iter().map(|rule| Regex::new(rule.pattern).expect(FINE)).collect() }
    }

    fn find(&self, text: &str, mut found: impl FnMut(&'static str, Range<usize>)) {
        let mut all: Vec<(usize, usize, Range<usize>)> = Vec::new();
        // What a rule has found is not looked through for another beginning of the same.
        let mut reached = [0; RULES.len()];
        for begin in self.begins.find_overlapping_iter(text) {
            let (rule, start) = (self.of[begin.pattern()], begin.start());
            let before = text.as_bytes()[..start].last();
            if RULES[rule].alone && before.is_some_and(u8::is_ascii_alphanumeric) {
                continue;
            }
            if start >= reached[rule]
                && let Some(secret) = self.at(rule, text, start)
            {
                reached[rule] = secret.end;
                all.push((start, rule, secret));
            }
        }
        all.sort_by_key(|(start, rule, _)| (*start, *rule));
        let mut end = 0;
        for (_, rule, secret) in all {
            if secret.start >= end {
                end = secret.end;
                found(RULES[rule].kind, secret);
            }
        }
    }

    /// The secret that begins at a place by a rule.
    fn at(&self, rule: usize, text: &str, start: usize) -> Option<Range<usize>> {
        let pattern = &self.patterns[rule];
        let end = (start..=text.len().min(start + LONGEST)).rev().find(|&at| text.is_char_boundary(at))?;
        let window = &text[start..end];
        let mut captures = pattern.create_captures();
        pattern.search_captures(&Input::new(window).anchored(Anchored::Yes), &mut captures);
        let whole = captures.get_match()?;
        let secret = captures.get_group(1).map_or(whole.range(), |group| group.start..group.end);
        if secret != whole.range() && is_no_secret(&window[secret.clone()]) {
            return None;
        }
        Some(start + secret.start..start + secret.end)
    }
}

/// Whether what stands behind `password:` is talk or code: a word without a digit or sign, a variable.
fn is_no_secret(words: &str) -> bool {
    let is_word = words.chars().all(|c| c.is_ascii_lowercase() || matches!(c, '_' | '-' | '.' | '|' | '?' | '*' | '…'));
    let is_code = ["process.", "os.", "env.", "config.", "self.", "this.", "settings."]
        .iter()
        .any(|code| words.starts_with(code));
    is_word || is_code
}

#[cfg(test)]
mod tests;
