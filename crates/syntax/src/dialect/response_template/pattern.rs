//! Regular expressions in the syntax of Python's `regex` module, compiled to the automata used here.
//!
//! `.` matches line feeds, `^` only the beginning of the text, and `$` its end or the position before a final line
//! feed. Two forms of look-around are supported: `(?=X)` at the end of a pattern, which matches `X` without consuming
//! it, and `(?=[\s\S]*?X)` at its beginning, which requires the text `X` further on. Any other look-around, and
//! references to groups, are rejected.

use regex_automata::nfa::thompson::{NFA, State, WhichCaptures};
use regex_automata::util::look::Look;
use regex_automata::util::primitives::StateID;
use regex_syntax::ParserBuilder;
use regex_syntax::hir::Hir;
use regex_syntax::hir::literal::{ExtractKind, Extractor};

use super::python::{AHEAD, PatternFault, translate};
use super::sample::{Piece, pieces};

/// Maximum length of a pattern in bytes.
pub(crate) const MAX_PATTERN: usize = 16 * 1024;

/// Maximum memory for the automaton of a pattern, in bytes.
const MAX_AUTOMATON: usize = 8 * 1024 * 1024;

/// Maximum nesting depth of a pattern.
const MAX_NESTING: u32 = 64;

/// A compiled pattern.
#[derive(Debug)]
pub(super) struct Pattern {
    pub(super) nfa: NFA,
    /// Gate: a text that must appear somewhere after the start of a match.
    pub(super) gate: Option<String>,
    /// The alternatives, if the pattern was given as literal texts.
    pub(super) literals: Option<Vec<String>>,
    /// Names and numbers of the named groups.
    pub(super) groups: Vec<(String, usize)>,
    /// Groups that mark the end of a match, where a trailing look-ahead begins.
    pub(super) ends: Vec<usize>,
    /// Possible first bytes of a match; `None` if a match may be empty or depends on its context.
    pub(super) first: Option<Box<[bool; 256]>>,
    /// Literal prefixes, one of which begins each match; `None` if not known.
    pub(super) prefixes: Option<Vec<Vec<u8>>>,
    /// Text after an offset that its assertions need.
    pub(super) context: Context,
    /// A text that it matches, in pieces.
    pub(super) sample: Vec<Piece>,
}

/// The properties of the text after an offset that a pattern's assertions examine.
#[derive(Clone, Copy, Debug)]
pub(super) struct Context {
    /// True if an assertion depends on the end of the text.
    pub(super) ends: bool,
    /// True if an assertion depends on a final line feed.
    pub(super) last_feed: bool,
    /// True if an assertion depends on word characters.
    pub(super) words: bool,
}

impl Pattern {
    /// Parses a pattern in Python's syntax.
    pub(super) fn parse(pattern: &str) -> Result<Self, PatternFault> {
        if pattern.len() > MAX_PATTERN {
            let message = format!("the pattern has {} bytes; at most {MAX_PATTERN} are read", pattern.len());
            return Err(PatternFault::new(0, message, "write a shorter pattern"));
        }
        let translated = translate(pattern)?;
        Ok(Self { gate: translated.gate, ..Self::build(&translated.expression)? })
    }

    /// A pattern that matches any of these texts, longer ones first.
    pub(super) fn literals(texts: Vec<String>) -> Result<Self, PatternFault> {
        let mut longest_first: Vec<&String> = texts.iter().collect();
        longest_first.sort_by_key(|text| std::cmp::Reverse(text.chars().count()));
        let escaped: Vec<String> = longest_first.into_iter().map(|text| regex_syntax::escape(text)).collect();
        let built = Self::build(&escaped.join("|"))?;
        Ok(Self { literals: Some(texts), ..built })
    }

    fn build(expression: &str) -> Result<Self, PatternFault> {
        let mut parser = ParserBuilder::new().dot_matches_new_line(true).nest_limit(MAX_NESTING).build();
        let hir = parser.parse(expression).map_err(|error| {
            let words = error.to_string();
            let reason = words.lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned();
            PatternFault::new(0, reason, "write the pattern in the syntax of Python's regex module")
        })?;
        let config = NFA::config().which_captures(WhichCaptures::All).nfa_size_limit(Some(MAX_AUTOMATON));
        let nfa = NFA::compiler().configure(config).build_from_hir(&hir).map_err(|_| {
            let message = format!("the pattern takes more than {} MiB", MAX_AUTOMATON / (1024 * 1024));
            PatternFault::new(0, message, "use fewer repetitions or smaller character classes")
        })?;
        Ok(Self::from_nfa(nfa, &hir))
    }

    fn from_nfa(nfa: NFA, hir: &Hir) -> Self {
        let (mut groups, mut ends) = (Vec::new(), Vec::new());
        for (number, name) in nfa.group_info().pattern_names(regex_automata::PatternID::ZERO).enumerate() {
            match name {
                Some(name) if name.starts_with(AHEAD) => ends.push(number),
                Some(name) => groups.push((name.to_owned(), number)),
                None => {}
            }
        }
        let looks = nfa.look_set_any();
        let context = Context {
            ends: looks.contains(Look::End) || looks.contains(Look::EndLF),
            last_feed: looks.contains(Look::EndLF),
            words: looks.contains_word(),
        };
        let prefixes = Extractor::new().kind(ExtractKind::Prefix).limit_total(64).extract(hir);
        let prefixes = prefixes
            .literals()
            .filter(|_| hir.properties().look_set().is_empty())
            .map(|literals| literals.iter().map(|literal| literal.as_bytes().to_vec()).collect::<Vec<_>>());
        let prefixes = prefixes.filter(|texts| texts.iter().all(|text| !text.is_empty()));
        Self {
            first: first_bytes(&nfa),
            gate: None,
            literals: None,
            groups,
            ends,
            prefixes,
            context,
            sample: pieces(hir),
            nfa,
        }
    }

    /// Possible first bytes of a match; all bytes if unknown.
    pub(super) fn first_bytes(&self) -> Vec<u8> {
        let is_first = |byte: &u8| self.first.as_ref().is_none_or(|first| first[usize::from(*byte)]);
        (0..=255).filter(is_first).collect()
    }

    /// A readable text for the pattern, with an ellipsis for each group.
    pub(super) fn words(&self) -> String {
        match self.literals.as_ref().and_then(|literals| literals.first()) {
            Some(first) => first.clone(),
            None => self.fill(|_| "…".to_owned()),
        }
    }

    /// A text that it matches, with `group` supplying the text of each named group.
    pub(super) fn fill(&self, group: impl Fn(&str) -> String) -> String {
        let piece = |piece: &Piece| match piece {
            Piece::Words(words) => words.clone(),
            Piece::Group(name) => group(name),
        };
        self.sample.iter().map(piece).collect()
    }
}

/// The bytes on transitions out of the start states of the automaton.
fn first_bytes(nfa: &NFA) -> Option<Box<[bool; 256]>> {
    let mut first = Box::new([false; 256]);
    let mut seen = vec![false; nfa.states().len()];
    let mut stack: Vec<StateID> = vec![nfa.start_anchored()];
    while let Some(id) = stack.pop() {
        if std::mem::replace(&mut seen[id.as_usize()], true) {
            continue;
        }
        let mut mark = |start: u8, end: u8| (start..=end).for_each(|byte| first[usize::from(byte)] = true);
        match nfa.state(id) {
            State::ByteRange { trans } => mark(trans.start, trans.end),
            State::Sparse(sparse) => sparse.transitions.iter().for_each(|trans| mark(trans.start, trans.end)),
            State::Dense(dense) => {
                (0..=255).filter(|&byte| dense.matches_byte(byte).is_some()).for_each(|byte| mark(byte, byte));
            }
            State::Union { alternates } => stack.extend(alternates.iter().copied()),
            State::BinaryUnion { alt1, alt2 } => stack.extend([*alt1, *alt2]),
            State::Capture { next, .. } => stack.push(*next),
            State::Look { .. } | State::Match { .. } => return None,
            State::Fail => {}
        }
    }
    Some(first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_ready_with_their_groups_and_first_bytes() {
        type Case<'a> = (&'a str, &'a [&'a str], Option<&'a str>, Option<&'a [&'a str]>);
        let cases: &[Case<'_>] = &[
            ("<tool_call>", &[], Some("<"), Some(&["<tool_call>"])),
            ("<a(?P<n>\\w+)>", &["n"], Some("<"), Some(&["<a"])),
            ("\\n?</r>", &[], Some("\n<"), Some(&["\n</r>", "</r>"])),
            ("(?:^|<t>)", &[], None, None),
            ("x*", &[], None, None),
            ("a(?=b)", &[], Some("a"), Some(&["ab"])),
            (r"<\|x\|>\s*|$", &[], None, None),
        ];
        for (source, groups, first, prefixes) in cases {
            let pattern = Pattern::parse(source).unwrap_or_else(|fault| panic!("{source}: {fault:?}"));
            let names: Vec<&str> = pattern.groups.iter().map(|(name, _)| name.as_str()).collect();
            assert_eq!(&names, groups, "{source}");
            let bytes = pattern.first.as_ref().map(|_| String::from_utf8(pattern.first_bytes()).expect("ASCII"));
            assert_eq!(bytes.as_deref(), *first, "{source}");
            let begins = pattern.prefixes.as_ref();
            let begins = begins.map(|texts| texts.iter().map(|text| String::from_utf8_lossy(text)).collect::<Vec<_>>());
            assert_eq!(
                begins.as_ref().map(|texts| texts.iter().map(AsRef::as_ref).collect::<Vec<_>>()).as_deref(),
                *prefixes,
                "{source}"
            );
        }
    }

    #[test]
    fn patterns_that_would_take_too_much_are_refused() {
        for pattern in
            ["a".repeat(MAX_PATTERN + 1), "(?:\\w{100}){1000}".to_owned(), "(".repeat(100) + &")".repeat(100)]
        {
            assert!(Pattern::parse(&pattern).is_err(), "{}", &pattern[..10]);
        }
    }
}
