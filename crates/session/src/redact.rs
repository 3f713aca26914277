//! Finds secrets and private details in a transcript, and replaces them.
//!
//! A secret is found by its format (`token`, `shape`, `pem`), by the text before it (`name`), by the name of the parameter whose
//! value it is, or by a user's pattern; mail addresses, private hosts and user names are found by their formats
//! (`privacy`, `address`). The text is searched verbatim and with escapes undone (`escape`). Equal secrets get equal replacements.
//! Only known kinds are found: the user still has to review a text before sharing it.

mod address;
mod candidate;
mod columns;
mod counts;
mod escape;
mod form;
mod kubernetes;
mod line_prefix;
mod matcher;
mod name;
mod parts;
mod pattern;
mod pem;
mod privacy;
mod probabilities;
mod published;
mod quote;
mod random;
mod report;
mod shape;
mod split_value;
mod surroundings;
mod token;
mod token_fragments;
mod value;
mod web_key;
mod window;

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::Range;

use aho_corasick::{AhoCorasick, MatchKind};

use crate::document::Item;
use crate::session::Session;
use crate::value::{Assembly, Value};

use escape::{View, base64_texts, plain, views};
use matcher::{Kind, Matcher};
use privacy::Private;
use quote::Quotes;

pub use candidate::KeepReason;
pub use pattern::OwnPatterns;
pub use report::{FindingRule, KeptValue, RedactionReport, ReplacedValue, ValueSites};
pub use window::leak_message;

/// Fewest bytes of a secret that is found by the name of its parameter.
const SHORTEST: usize = 6;

/// Bytes of a text that are searched at a time, so that undoing escapes takes bounded memory, and bytes of context on
/// each side.
const SLICE: usize = 512 * 1024;
const MARGIN: usize = 64 * 1024;

/// Fewest bytes of a secret that is also replaced inside a word.
const SURELY: usize = 16;

/// Fewest bytes of a part of a secret that is replaced without the other parts.
const SHORTEST_PART: usize = 8;

/// Fewest characters of a user name that is replaced wherever it is a word.
const SHORTEST_NAME: usize = 4;

/// Fewest characters of a user name that is replaced regardless of case.
const SHORTEST_IN_ANY_CASE: usize = 5;

/// Most bytes of a replacement.
const LONGEST_WORD: usize = 80;

/// Bytes at either end of an item in which a secret may continue from or into another item.
const ITEM_END: usize = 1024;

/// Finds secrets and private details, and replaces them.
pub struct Redactor {
    matcher: Matcher,
    /// Finds the secrets of the transcript that are replaced in any context.
    finder: Option<AhoCorasick>,
    /// These secrets.
    global_secrets: Vec<(String, Kind)>,
    /// Finds user names regardless of case, with their indices in `everywhere`.
    names: Option<(AhoCorasick, Vec<usize>)>,
    seen: HashSet<String>,
    /// Finds truncated quotations of the secrets.
    quotes: Quotes,
    /// Everything found so far; later findings are numbered when they are found.
    known: RefCell<Known>,
}

/// Findings and their replacements.
#[derive(Default)]
struct Known {
    words: HashMap<String, String>,
    /// The kind of each secret, private details excepted.
    kinds: HashMap<String, Kind>,
    /// Number of findings by name: secrets, matches of the user's patterns, private details.
    counts: [BTreeMap<String, usize>; 3],
}

/// A range of text to replace.
struct Finding {
    range: Range<usize>,
    kind: Kind,
    /// The secret in plain form, with escapes undone.
    secret: String,
    /// Its part on each line, if it spans several; else empty.
    parts: Vec<String>,
}

impl Redactor {
    /// A redactor that knows the secrets in a transcript: in its text, and in the values of its calls.
    pub fn new(session: &Session, own: OwnPatterns) -> Self {
        let mut redactor = Self {
            matcher: Matcher::new(own),
            finder: None,
            global_secrets: Vec::new(),
            names: None,
            seen: HashSet::new(),
            quotes: Quotes::default(),
            known: RefCell::default(),
        };
        redactor.learn_session(session);
        redactor
    }

    /// Adds the secrets of another transcript, for instance the redacted one.
    pub fn learn_session(&mut self, session: &Session) {
        // The ends of items of each kind, one item a line: a secret that one item begins may continue in another one. The
        // last kind is text with broken records in it, since a record may break in the middle of a secret.
        let mut ends = [const { String::new() }; 5];
        for (number, item) in session.document().items().iter().enumerate() {
            let text = session.text().read_str(item.span());
            self.learn(&text);
            let kinds: &[usize] = match item {
                Item::Text(_) => &[0, 4],
                Item::Call(_) => &[1],
                Item::Result(_) => &[2],
                Item::Aside(_) => &[3, 4],
            };
            let words = text.trim();
            for &kind in kinds {
                let ends = &mut ends[kind];
                if words.len() <= 2 * ITEM_END {
                    ends.push_str(words);
                } else {
                    let tail = words.ceil_char_boundary(words.len() - ITEM_END);
                    ends.extend([&words[..words.floor_char_boundary(ITEM_END)], "\n\n", &words[tail..]]);
                }
                ends.push('\n');
                if ends.len() >= SLICE {
                    self.learn_divided(&std::mem::take(ends));
                }
            }
            if let Item::Call(_) = item
                && let Some(assembly) = session.dissect(number)
            {
                self.learn_values(&assembly, session);
            }
        }
        for ends in &ends {
            self.learn_divided(ends);
        }
        for note in session.notes().notes().iter() {
            self.learn(&note.words);
        }
        self.build_finders();
    }

    fn learn(&mut self, text: &str) {
        for finding in self.findings(text) {
            self.learn_finding(&finding);
        }
    }

    fn learn_finding(&mut self, finding: &Finding) {
        self.add(finding.kind, &finding.secret, value::is_distinctive(&finding.secret));
        let word = self.word(finding.kind, finding.secret.trim());
        let is_named = matches!(finding.kind, Kind::Named(_));
        let is_telling = |part: &&String| {
            (part.len() >= SHORTEST_PART && (random::has_digit_and_letter(part) || random::is_random(part)))
                || (is_named && value::is_distinctive(part))
        };
        for part in finding.parts.iter().filter(is_telling) {
            self.add_everywhere(part, finding.kind, &word);
        }
    }

    /// Learns from the values of a call as the tool receives them.
    fn learn_values(&mut self, assembly: &Assembly, session: &Session) {
        let outcome = assembly.outcome.as_deref();
        let trees = outcome.into_iter().flat_map(|outcome| [&outcome.output, &outcome.extra]).flatten();
        for tree in [&assembly.tree].into_iter().chain(trees) {
            for (id, _) in tree.walk() {
                let node = tree.node(id);
                if !matches!(node.value, Value::Scalar(..)) {
                    continue;
                }
                let words = tree.scalar_text(id, session.text());
                self.learn(&words);
                if words.len() >= SHORTEST && name::is_secret_parameter(&node.key, &words) {
                    self.add(Kind::Named("parameter"), &words, true);
                }
            }
        }
    }

    fn add(&mut self, kind: Kind, secret: &str, is_distinctive: bool) {
        let secret = secret.trim();
        let word = self.word(kind, secret);
        let is_everywhere = match kind {
            Kind::Own(_) => false,
            Kind::Private(Private::User) => secret.chars().count() >= SHORTEST_NAME,
            // A host with an ordinary name is replaced only where it is used as a host.
            Kind::Private(Private::Host) => secret.len() >= 4 && secret.contains(|c: char| !c.is_alphabetic()),
            Kind::Private(Private::Email | Private::Mac) => true,
            Kind::Known(..) => is_distinctive || secret.len() >= SURELY,
            Kind::Named(_) | Kind::Shaped => is_distinctive,
        };
        if !is_everywhere {
            return;
        }
        // A line of a key is a secret even without the other lines.
        let lines =
            secret.lines().filter(|line| line.len() >= SURELY && line.len() < secret.len() && random::is_random(line));
        for secret in lines.chain([secret]) {
            self.add_everywhere(secret, kind, &word);
        }
    }

    /// True for a user name that is long enough to be replaced regardless of case.
    fn is_in_any_case(&self, at: usize) -> bool {
        let (name, kind) = &self.global_secrets[at];
        *kind == Kind::Private(Private::User) && name.chars().count() >= SHORTEST_IN_ANY_CASE
    }

    fn add_everywhere(&mut self, secret: &str, kind: Kind, word: &str) {
        if self.seen.insert(secret.to_owned()) {
            self.global_secrets.push((secret.to_owned(), kind));
            self.known.borrow_mut().words.insert(secret.to_owned(), word.to_owned());
        }
    }

    fn build_finders(&mut self) {
        let secrets = self.global_secrets.iter().map(|(secret, _)| secret);
        let finder = AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(secrets).ok();
        self.finder = finder.filter(|_| !self.global_secrets.is_empty());
        let names: Vec<usize> = (0..self.global_secrets.len()).filter(|&at| self.is_in_any_case(at)).collect();
        let words = names.iter().map(|&at| &self.global_secrets[at].0);
        let finder = AhoCorasick::builder().ascii_case_insensitive(true).build(words).ok();
        self.names = finder.map(|finder| (finder, names)).filter(|(_, names)| !names.is_empty());
        self.quotes = Quotes::new(self.known.borrow().kinds.keys());
    }

    /// The replacement of a secret; equal secrets get equal ones.
    fn word(&self, kind: Kind, secret: &str) -> String {
        let mut known = self.known.borrow_mut();
        if let Some(word) = known.words.get(secret) {
            return word.clone();
        }
        let (group, name) = match kind {
            Kind::Known(_, name) | Kind::Named(name) => (0, name),
            Kind::Shaped => (0, "token"),
            Kind::Own(number) => (1, self.matcher.own.patterns[number].0.as_str()),
            Kind::Private(what) => (2, what.into_str()),
        };
        let number = known.counts[group].entry(name.to_owned()).or_default();
        *number += 1;
        let word = format!("[{}{name}#{number}]", if group == 0 { "secret:" } else { "" });
        known.words.insert(secret.to_owned(), word.clone());
        if !matches!(kind, Kind::Private(_)) {
            known.kinds.insert(secret.to_owned(), kind);
        }
        word
    }

    /// The ranges to replace in a text, in order and without overlaps.
    fn findings(&self, text: &str) -> Vec<Finding> {
        self.findings_and_kept(text).0
    }

    /// The same, and the findings that are kept because the user wants it, in no order.
    fn findings_and_kept(&self, text: &str) -> (Vec<Finding>, Vec<Finding>) {
        let (mut all, mut at) = (Vec::new(), 0);
        loop {
            let end = text.floor_char_boundary(at + SLICE);
            let from = text.floor_char_boundary(at.saturating_sub(MARGIN));
            let mut here = Vec::new();
            for view in views(&text[from..text.floor_char_boundary(end + MARGIN)]) {
                self.findings_in(&view, &mut here);
            }
            let here = here.into_iter().map(|found| {
                let range = found.range.start + from..found.range.end + from;
                let parts = if found.parts.is_empty() { lines_of(&text[range.clone()], &found) } else { found.parts };
                Finding { range, parts, ..found }
            });
            // A finding that starts before the slice belongs to the previous one.
            all.extend(here.filter(|found| (at..end).contains(&found.range.start)));
            at = end;
            if at == text.len() {
                break;
            }
        }
        self.quotes.find(text, |range, secret| {
            let kind = self.known.borrow().kinds.get(&secret).copied();
            all.extend(kind.map(|kind| Finding { range, kind, secret, parts: Vec::new() }));
        });
        // As in `session-ghp_…`: what is known better is replaced alone.
        let is_better = |found: &&Finding| matches!(found.kind, Kind::Known(..) | Kind::Named(_));
        let ends: HashSet<usize> = all.iter().filter(is_better).map(|found| found.range.end).collect();
        // Of lines that were joined, the shortest token with this end: a word before it is not its prefix.
        let mut starts: HashMap<usize, usize> = HashMap::new();
        for Finding { range, .. } in all.iter().filter(|found| found.kind == Kind::Shaped) {
            starts.entry(range.end).and_modify(|start| *start = range.start.max(*start)).or_insert(range.start);
        }
        let is_best = |range: &Range<usize>| !ends.contains(&range.end) && starts.get(&range.end) == Some(&range.start);
        all.retain(|found| found.kind != Kind::Shaped || is_best(&found.range));
        all.retain(|finding| !self.is_in_word(text, &finding.range));
        let (kept, mut all): (Vec<_>, Vec<_>) =
            all.into_iter().partition(|found| self.matcher.own.keeps(&found.secret));
        all.sort_by_key(|finding| (finding.range.start, std::cmp::Reverse(finding.range.end)));
        let mut apart: Vec<Finding> = Vec::new();
        for finding in all {
            let Some(last) = apart.last_mut().filter(|last| finding.range.start < last.range.end) else {
                apart.push(finding);
                continue;
            };
            last.range.end = last.range.end.max(finding.range.end);
            // The more reliable kind names it; of the same kind, the longer secret.
            if (finding.kind, last.secret.len()) < (last.kind, finding.secret.len()) {
                (last.kind, last.secret, last.parts) = (finding.kind, finding.secret, finding.parts);
            }
        }
        (apart, kept)
    }

    /// The replacement of a finding, if it was found before.
    fn known_word(&self, finding: &Finding) -> Option<String> {
        self.known.borrow().words.get(finding.secret.trim()).cloned()
    }

    /// Checks that no secret found so far is still in `text`. Returns the replacement of the first one that is.
    pub fn left_in(&self, text: &str) -> Option<String> {
        self.findings(text).iter().find_map(|finding| self.known_word(finding))
    }

    /// True if a range is inside a replacement that was inserted earlier.
    fn is_in_word(&self, text: &str, range: &Range<usize>) -> bool {
        let before = &text[text.floor_char_boundary(range.start.saturating_sub(LONGEST_WORD))..range.end];
        let Some(start) = before.rfind('[').map(|at| range.end - before.len() + at) else { return false };
        let window = &text[start..text.floor_char_boundary(start + LONGEST_WORD)];
        let Some((word, number)) = window.split(']').next().and_then(|word| word[1..].split_once('#')) else {
            return false;
        };
        let name = word.strip_prefix("secret:").unwrap_or(word);
        let is_word = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
        let end = start + word.len() + number.len() + "[#]".len();
        is_word
            && start <= range.start
            && range.end <= end
            && self.known.borrow().counts.iter().any(|counts| counts.contains_key(name))
    }

    fn findings_in(&self, view: &View<'_>, all: &mut Vec<Finding>) {
        let text = &*view.text;
        self.find_unencoded(text, &mut |kind, range, secret| {
            all.push(Finding { range: view.source(&range), kind, secret, parts: Vec::new() });
        });
        self.find_divided(view, all);
        // Encoded text is replaced as a whole, with the kind of the most reliable finding in it.
        for (range, said) in base64_texts(text) {
            let mut first: Option<(Kind, String)> = None;
            self.find_unencoded(&said, &mut |kind, _, secret| {
                if !self.matcher.own.keeps(&secret) && first.as_ref().is_none_or(|(first, _)| kind < *first) {
                    first = Some((kind, secret));
                }
            });
            all.extend(first.map(|(kind, secret)| Finding {
                range: view.source(&range),
                kind,
                secret,
                parts: Vec::new(),
            }));
        }
    }

    /// Calls `found` with the kind, the range and the plain form of everything to replace that is not encoded.
    fn find_unencoded(&self, text: &str, found: &mut dyn FnMut(Kind, Range<usize>, String)) {
        self.matcher.find(text, |kind, range| {
            // A backslash at the end escapes the next character.
            let range = range.start..range.start + text[range].trim_end_matches('\\').len();
            let secret = plain(&text[range.clone()]);
            found(kind, range, secret);
        });
        let mut see = |secret: &(String, Kind), range: Range<usize>| {
            let (secret, kind) = secret;
            // A user name must be a separate word; non-ASCII letters are part of words too.
            let is_name = *kind == Kind::Private(Private::User);
            let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || (is_name && !byte.is_ascii());
            let around = [text.as_bytes()[..range.start].last(), text.as_bytes().get(range.end)];
            let is_whole = || !around.into_iter().flatten().any(is_part);
            let is_sure =
                matches!(kind, Kind::Known(..) | Kind::Named(_) | Kind::Shaped) && value::is_distinctive(secret);
            if is_sure || (secret.len() >= SURELY && !is_name) || is_whole() {
                found(*kind, range, secret.clone());
            }
        };
        for found in self.finder.iter().flat_map(|finder| finder.find_iter(text)) {
            see(&self.global_secrets[found.pattern()], found.range());
        }
        if let Some((finder, names)) = &self.names {
            finder.find_iter(text).for_each(|found| see(&self.global_secrets[names[found.pattern()]], found.range()));
        }
    }

    /// The ranges to replace in a text, in order and without overlaps, each with its replacement.
    pub fn spans(&self, text: &str) -> Vec<(Range<usize>, String)> {
        // A text that consists of a name or a weak password is replaced, although it would not be inside other text.
        let words = text.trim();
        if let Some(word) = self.known.borrow().words.get(words) {
            let start = text.len() - text.trim_start().len();
            return vec![(start..start + words.len(), word.clone())];
        }
        let findings = self.findings(text).into_iter();
        findings.map(|finding| (finding.range, self.word(finding.kind, finding.secret.trim()))).collect()
    }

    /// The text with every known secret and private detail replaced.
    pub fn clean<'a>(&self, text: &'a str) -> Cow<'a, str> {
        replaced(text, self.spans(text))
    }

    /// The text with each byte of a secret or a private detail replaced by an asterisk, so that offsets stay the same.
    /// Invalid UTF-8 becomes question marks.
    pub fn masked(&self, text: &[u8]) -> Vec<u8> {
        let mut out = Vec::with_capacity(text.len());
        for chunk in text.utf8_chunks() {
            out.extend_from_slice(chunk.valid().as_bytes());
            out.resize(out.len() + chunk.invalid().len(), b'?');
        }
        let spans = self.spans(&String::from_utf8_lossy(&out));
        for (range, _) in spans {
            out[range].fill(b'*');
        }
        out
    }

    /// Redacts a file name, in which the name of a user or a host may be one of the words.
    pub fn clean_name(&self, name: &str) -> String {
        let clean = self.clean(name);
        let known = self.known.borrow();
        let mut out = String::new();
        for part in clean.split_inclusive(|c: char| !c.is_alphanumeric()) {
            let word = part.trim_end_matches(|c: char| !c.is_alphanumeric());
            match known.words.get(word) {
                Some(instead) => out.extend([instead.as_str(), &part[word.len()..]]),
                None => out.push_str(part),
            }
        }
        out
    }
}

/// The parts of a named value that is cut by a line end; empty for other findings.
fn lines_of(source: &str, found: &Finding) -> Vec<String> {
    let is_cut = matches!(found.kind, Kind::Named(_)) && !found.secret.contains('\n') && source.contains('\n');
    if is_cut { source.lines().map(|line| line.trim().to_owned()).collect() } else { Vec::new() }
}

fn replaced(text: &str, spans: Vec<(Range<usize>, String)>) -> Cow<'_, str> {
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

#[cfg(test)]
mod tests;
