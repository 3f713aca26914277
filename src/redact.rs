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
use regex_automata::nfa::thompson::WhichCaptures;
use regex_automata::{Anchored, Input};

use crate::document::Item;
use crate::params::{Assembly, Value};
use crate::session::Session;

/// The least bytes of a secret that is known by what stands around it alone.
const SHORTEST: usize = 6;

/// A kind of secret, and how it is found: by the whole match, or by its first group where it has one.
const RULES: &[(&str, &str)] = &[
    (
        "private-key",
        r"-----BEGIN [A-Z0-9 ]{0,32}PRIVATE KEY(?: BLOCK)?-----(?s:.*?)(?:-----END [A-Z0-9 ]{0,32}PRIVATE KEY(?: BLOCK)?-----|\z)",
    ),
    ("aws-access-key", r"(?-u:\b)(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}(?-u:\b)"),
    ("aws-secret-key", r#"(?i)aws.{0,20}secret.{0,20}?[:=]["'\\\s]*([A-Za-z0-9/+]{40})(?:[^A-Za-z0-9/+=]|\z)"#),
    ("github-token", r"(?-u:\b)(?:gh[pousr]_[A-Za-z0-9]{36,255}|github_pat_[A-Za-z0-9_]{22,255})"),
    ("gitlab-token", r"(?-u:\b)gl(?:pat|dt|rt|cbt|ptt|ft|imt|agent|oas)-[A-Za-z0-9_-]{20,255}"),
    ("slack-token", r"(?-u:\b)xox[abeoprs]-[A-Za-z0-9-]{10,255}"),
    ("slack-webhook", r"https://hooks\.slack\.com/(?:services|workflows)/[A-Za-z0-9+/]{20,255}"),
    ("anthropic-key", r"(?-u:\b)sk-ant-[A-Za-z0-9_-]{20,255}"),
    ("api-key", r"(?-u:\b)sk-(?:proj-|svcacct-|admin-|or-v1-)?[A-Za-z0-9_-]*[0-9][A-Za-z0-9_-]{18,255}"),
    ("google-key", r"(?-u:\b)AIza[A-Za-z0-9_-]{35}"),
    ("google-token", r"(?-u:\b)ya29\.[A-Za-z0-9_-]{20,2048}"),
    ("stripe-key", r"(?-u:\b)[rs]k_(?:live|test)_[A-Za-z0-9]{16,255}"),
    ("npm-token", r"(?-u:\b)npm_[A-Za-z0-9]{36}(?-u:\b)"),
    ("pypi-token", r"(?-u:\b)pypi-[A-Za-z0-9_-]{50,1024}"),
    ("hugging-face-token", r"(?-u:\b)hf_[A-Za-z0-9]{30,255}(?-u:\b)"),
    ("sendgrid-key", r"(?-u:\b)SG\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43}"),
    ("telegram-token", r"(?-u:\b)[0-9]{8,10}:AA[A-Za-z0-9_-]{33}(?-u:\b)"),
    ("json-web-token", r"(?-u:\b)eyJ[A-Za-z0-9_-]{8,4096}\.eyJ[A-Za-z0-9_-]{8,8192}\.[A-Za-z0-9_-]{8,4096}"),
    ("password-in-url", r"(?-u:\b)[A-Za-z][A-Za-z0-9+.-]{1,20}://[^\s:/@]{0,128}:([^\s/@]{3,256})@"),
    (
        "authorization",
        r#"(?i)(?-u:\b)authorization["'\\]*\s*[:=]\s*["'\\]*(?:bearer|basic|token)\s+([A-Za-z0-9._~+/=-]{8,4096})"#,
    ),
    ("authorization", r"(?i)(?-u:\b)bearer\s+([A-Za-z0-9._~+/-]{20,4096}=*)"),
    (
        "password",
        r#"(?i)(?-u:\b)(?:[a-z0-9]+[_-])*(?:api[_-]?key|access[_-]?token|auth[_-]?token|refresh[_-]?token|client[_-]?secret|secret[_-]?key|secret|passw(?:or)?d|passphrase|pwd|token)(?-u:\b)["'\\]*\s*[:=]\s*["'\\]*([^\s"'\\,;<>{}()\[\]$]{6,512})"#,
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
    pub fn of(session: &Session) -> Self {
        let rules = Rules::new();
        let mut found = Found::default();
        for (number, item) in session.document().items().iter().enumerate() {
            let text = session.text().read_str(item.span());
            rules.find(&text, |kind, range| found.add(kind, &text[range]));
            if let Item::Call(_) = item
                && let Some(assembly) = session.dissect(number)
            {
                found.look_into(&rules, &assembly, session);
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

    /// Some text without secrets.
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

/// The secrets that were found so far.
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
    fn look_into(&mut self, rules: &Rules, assembly: &Assembly, session: &Session) {
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
    /// All of them at once, which says where a match is and by which rule.
    all: Regex,
    /// Each alone, which says what of a match is the secret.
    each: Vec<Regex>,
}

impl Rules {
    fn new() -> Self {
        const FINE: &str = "the patterns are tried by a test";
        let patterns: Vec<&str> = RULES.iter().map(|(_, pattern)| *pattern).collect();
        // Without groups the search never leaves the automaton.
        let config = Regex::config().which_captures(WhichCaptures::Implicit);
        let all = Regex::builder().configure(config).build_many(&patterns).expect(FINE);
        let each = patterns.iter().map(|pattern| Regex::new(pattern).expect(FINE)).collect();
        Self { all, each }
    }

    /// The secrets in some text.
    fn find(&self, text: &str, mut found: impl FnMut(&'static str, Range<usize>)) {
        let mut at = 0;
        while at <= text.len()
            && let Some(whole) = self.all.search(&Input::new(text).range(at..))
        {
            let rule = &self.each[whole.pattern()];
            let mut captures = rule.create_captures();
            rule.search_captures(&Input::new(text).range(whole.start()..).anchored(Anchored::Yes), &mut captures);
            let secret = captures.get_group(1).map_or(whole.range(), |group| group.start..group.end);
            at = if secret.end > at { secret.end } else { whole.end().max(at + 1) };
            if secret != whole.range() && is_no_secret(&text[secret.clone()]) {
                continue;
            }
            found(RULES[whole.pattern()].0, secret);
        }
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
