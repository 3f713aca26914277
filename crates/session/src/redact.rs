//! Secrets and private details of a transcript, and the same text without them.
//!
//! A secret is found by its form (`token`, `pem`), by what stands in front of it (`name`), by the name of the
//! parameter that it is the value of, or by a pattern of a person's own; mail addresses, private machines and names of
//! users are found by theirs (`privacy`). It is looked for in the text as it stands and as it reads when escapes are
//! undone (`escape`). The same secret becomes the same word everywhere. What is found is of known kinds: whoever
//! shares a text has to look at it all the same.

mod counts;
mod escape;
mod form;
mod matcher;
mod name;
mod parts;
mod pattern;
mod pem;
mod privacy;
mod probabilities;
mod quote;
mod random;
mod split_value;
mod token;
mod token_fragments;
mod value;
mod window;

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::ops::Range;

use aho_corasick::{AhoCorasick, MatchKind};

use crate::document::Item;
use crate::session::Session;
use crate::value::{Assembly, Value};

use escape::{View, base64_texts, views};
use matcher::{Kind, Matcher};
use privacy::Private;
use quote::Quotes;

pub use pattern::OwnPatterns;
pub use window::left_words;

/// The least bytes of a secret that is known by the name of its parameter.
const SHORTEST: usize = 6;

/// Bytes of a text that are looked through at a time, so that what is undone in them takes a bounded amount of memory, and
/// those around them that tell what they are.
const SLICE: usize = 512 * 1024;
const MARGIN: usize = 64 * 1024;

/// The least bytes of a secret that is one within a word as well.
const SURELY: usize = 16;

/// The least bytes of a part of a secret that is one away from the others.
const SHORTEST_PART: usize = 8;

/// The fewest characters of the name of a user that is replaced wherever it is a word.
const SHORTEST_NAME: usize = 4;

/// The fewest characters of the name of a user that is replaced in other case as well.
const SHORTEST_IN_ANY_CASE: usize = 5;

/// The most bytes of the longest word that takes the place of something.
const LONGEST_WORD: usize = 80;

/// Bytes at either end of an item that may be a part of what the next item continues.
const ITEM_END: usize = 1024;

/// Finds secrets and private details, and replaces them.
pub struct Redactor {
    matcher: Matcher,
    /// Finds the secrets of the transcript that are such wherever they stand.
    finder: Option<AhoCorasick>,
    /// Those secrets.
    everywhere: Vec<(String, Kind)>,
    /// Finds the names of users in other case, with their numbers among those secrets.
    names: Option<(AhoCorasick, Vec<usize>)>,
    seen: HashSet<String>,
    /// Finds those of which a message quotes a part.
    quotes: Quotes,
    /// What was found so far; what is found later gets its number then.
    known: RefCell<Known>,
}

/// What was found, with what stands in its place.
#[derive(Default)]
struct Known {
    words: HashMap<String, String>,
    /// The kind of each secret that was looked for.
    kinds: HashMap<String, Kind>,
    /// How many there are of each kind: secrets, what a person looks for, private details.
    counts: [BTreeMap<String, usize>; 3],
}

/// Something in a text that is to be replaced.
struct Finding {
    range: Range<usize>,
    kind: Kind,
    /// What it reads as.
    secret: String,
    /// Its part on each line, if it spans several; else empty.
    parts: Vec<String>,
}

impl Redactor {
    /// Looks through a transcript: what is written, and what its calls are made of.
    pub fn new(session: &Session, own: OwnPatterns) -> Self {
        let mut redactor = Self {
            matcher: Matcher::new(own),
            finder: None,
            everywhere: Vec::new(),
            names: None,
            seen: HashSet::new(),
            quotes: Quotes::default(),
            known: RefCell::default(),
        };
        redactor.learn_session(session);
        redactor
    }

    /// The same for another transcript, the redacted one for instance.
    pub fn learn_session(&mut self, session: &Session) {
        // The ends of items of one kind, an item a line: what one begins another one may continue.
        let mut ends = [const { String::new() }; 4];
        for (number, item) in session.document().items().iter().enumerate() {
            let text = session.text().read_str(item.span());
            self.learn(&text);
            let ends = &mut ends[match item {
                Item::Text(_) => 0,
                Item::Call(_) => 1,
                Item::Result(_) => 2,
                Item::Aside(_) => 3,
            }];
            let words = text.trim();
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
        self.ready();
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

    /// Looks at the values of a call, as the tool gets them.
    fn learn_values(&mut self, assembly: &Assembly, session: &Session) {
        let outcome = assembly.outcome.as_deref();
        let trees = outcome.into_iter().flat_map(|outcome| [&outcome.output, &outcome.extra]).flatten();
        for tree in [&assembly.tree].into_iter().chain(trees) {
            for (id, _) in tree.walk() {
                let node = tree.node(id);
                if !matches!(node.value, Value::Scalar(..)) {
                    continue;
                }
                let words = tree.words(id, session.text());
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
            // A machine that is called as things are called is one where it stands as one.
            Kind::Private(Private::Host) => secret.len() >= 4 && secret.contains(|c: char| !c.is_alphabetic()),
            Kind::Private(Private::Email) => true,
            Kind::Known(..) => is_distinctive || secret.len() >= SURELY,
            Kind::Named(_) => is_distinctive,
        };
        if !is_everywhere {
            return;
        }
        // A line of a key is one wherever the others are not.
        let lines =
            secret.lines().filter(|line| line.len() >= SURELY && line.len() < secret.len() && random::is_random(line));
        for secret in lines.chain([secret]) {
            self.add_everywhere(secret, kind, &word);
        }
    }

    /// True for the name of a user that is long enough to be one in capitals as well.
    fn is_in_any_case(&self, at: usize) -> bool {
        let (name, kind) = &self.everywhere[at];
        *kind == Kind::Private(Private::User) && name.chars().count() >= SHORTEST_IN_ANY_CASE
    }

    fn add_everywhere(&mut self, secret: &str, kind: Kind, word: &str) {
        if self.seen.insert(secret.to_owned()) {
            self.everywhere.push((secret.to_owned(), kind));
            self.known.borrow_mut().words.insert(secret.to_owned(), word.to_owned());
        }
    }

    fn ready(&mut self) {
        let secrets = self.everywhere.iter().map(|(secret, _)| secret);
        let finder = AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(secrets).ok();
        self.finder = finder.filter(|_| !self.everywhere.is_empty());
        let names: Vec<usize> = (0..self.everywhere.len()).filter(|&at| self.is_in_any_case(at)).collect();
        let words = names.iter().map(|&at| &self.everywhere[at].0);
        let finder = AhoCorasick::builder().ascii_case_insensitive(true).build(words).ok();
        self.names = finder.map(|finder| (finder, names)).filter(|(_, names)| !names.is_empty());
        self.quotes = Quotes::new(self.known.borrow().kinds.keys());
    }

    /// What stands in the place of something, the same for the same.
    fn word(&self, kind: Kind, secret: &str) -> String {
        let mut known = self.known.borrow_mut();
        if let Some(word) = known.words.get(secret) {
            return word.clone();
        }
        let (group, name) = match kind {
            Kind::Known(_, name) | Kind::Named(name) => (0, name),
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

    /// What is to be replaced in a text, in its order and apart from one another.
    fn findings(&self, text: &str) -> Vec<Finding> {
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
            // What begins in front of the slice was found with the one before.
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
        all.retain(|finding| !self.matcher.own.keeps(&finding.secret) && !self.is_in_word(text, &finding.range));
        all.sort_by_key(|finding| (finding.range.start, std::cmp::Reverse(finding.range.end)));
        let mut apart: Vec<Finding> = Vec::new();
        for finding in all {
            let Some(last) = apart.last_mut().filter(|last| finding.range.start < last.range.end) else {
                apart.push(finding);
                continue;
            };
            last.range.end = last.range.end.max(finding.range.end);
            // The surer kind names it; of one kind what reads as more.
            if (finding.kind, last.secret.len()) < (last.kind, finding.secret.len()) {
                (last.kind, last.secret, last.parts) = (finding.kind, finding.secret, finding.parts);
            }
        }
        apart
    }

    /// The word for something, if it was found before.
    fn known_word(&self, finding: &Finding) -> Option<String> {
        self.known.borrow().words.get(finding.secret.trim()).cloned()
    }

    /// Checks that nothing found so far is still in `text`: returns the replacement of the first thing that is.
    pub fn left_in(&self, text: &str) -> Option<String> {
        self.findings(text).iter().find_map(|finding| self.known_word(finding))
    }

    /// True if something is a part of a word that has taken the place of something else.
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
        self.matcher.find(text, |kind, range| {
            // What escapes the next character is no part of it.
            let range = range.start..range.start + text[range].trim_end_matches('\\').len();
            let secret = plain(&text[range.clone()]);
            all.push(Finding { range: view.source(&range), kind, secret, parts: Vec::new() });
        });
        let mut see = |secret: &(String, Kind), range: Range<usize>| {
            let (secret, kind) = secret;
            // The name of a user is a word of its own; other letters than those of ASCII are parts of words as well.
            let is_name = *kind == Kind::Private(Private::User);
            let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || (is_name && !byte.is_ascii());
            let around = [text.as_bytes()[..range.start].last(), text.as_bytes().get(range.end)];
            let is_whole = || !around.into_iter().flatten().any(is_part);
            let is_sure = matches!(kind, Kind::Known(..) | Kind::Named(_)) && value::is_distinctive(secret);
            if is_sure || (secret.len() >= SURELY && !is_name) || is_whole() {
                all.push(Finding {
                    range: view.source(&range),
                    kind: *kind,
                    secret: secret.clone(),
                    parts: Vec::new(),
                });
            }
        };
        for found in self.finder.iter().flat_map(|finder| finder.find_iter(text)) {
            see(&self.everywhere[found.pattern()], found.range());
        }
        if let Some((finder, names)) = &self.names {
            finder.find_iter(text).for_each(|found| see(&self.everywhere[names[found.pattern()]], found.range()));
        }
        self.divided_in(view, all);
        // What is encoded is replaced as a whole, by the first that is in it.
        for (range, said) in base64_texts(text) {
            let mut first: Option<(Kind, String)> = None;
            let mut see = |kind: Kind, secret: &str| {
                if !matches!(kind, Kind::Private(_)) && first.as_ref().is_none_or(|(first, _)| kind < *first) {
                    first = Some((kind, secret.to_owned()));
                }
            };
            self.matcher.find(&said, |kind, range| see(kind, &said[range]));
            for found in self.finder.iter().flat_map(|finder| finder.find_iter(&said)) {
                let (secret, kind) = &self.everywhere[found.pattern()];
                see(*kind, secret);
            }
            all.extend(first.map(|(kind, secret)| Finding {
                range: view.source(&range),
                kind,
                secret,
                parts: Vec::new(),
            }));
        }
    }

    /// Where something is to be replaced in a text, in its order and apart from one another, and by what.
    pub fn spans(&self, text: &str) -> Vec<(Range<usize>, String)> {
        // What is nothing but a name or a weak password is that, though it is none within other words.
        let words = text.trim();
        if let Some(word) = self.known.borrow().words.get(words) {
            let start = text.len() - text.trim_start().len();
            return vec![(start..start + words.len(), word.clone())];
        }
        let findings = self.findings(text).into_iter();
        findings.map(|finding| (finding.range, self.word(finding.kind, finding.secret.trim()))).collect()
    }

    /// The text with every known secret and private detail replaced by its kind.
    pub fn clean<'a>(&self, text: &'a str) -> Cow<'a, str> {
        replaced(text, self.spans(text))
    }

    /// The text with each byte of a secret or a private detail replaced by an asterisk, so that places stay. What is not
    /// UTF-8 becomes a question mark.
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

    /// The name of a file, which may have the name of a user or of a machine as one of its words.
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

/// The parts of a named value that the end of a line cuts; none of any other secret.
fn lines_of(source: &str, found: &Finding) -> Vec<String> {
    let is_cut = matches!(found.kind, Kind::Named(_)) && !found.secret.contains('\n') && source.contains('\n');
    if is_cut { source.lines().map(|line| line.trim().to_owned()).collect() } else { Vec::new() }
}

/// What a string says, however often it is escaped.
fn plain(words: &str) -> String {
    if !words.contains(['\\', '\x1b']) {
        return words.to_owned();
    }
    views(words)
        .iter()
        .rfind(|view| !view.text.contains('%'))
        .map_or_else(|| words.to_owned(), |view| view.text.to_string())
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
