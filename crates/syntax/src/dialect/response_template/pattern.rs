//! Regular expressions as Python's `regex` module writes them, in the syntax and with the automata that are used here.
//!
//! `.` takes line feeds, `^` is the beginning and `$` the end of the text or what stands in front of a last line feed.
//! Of look-around there are two forms: `(?=X)` at the end of a pattern, which matches `X` and does not consume it, and
//! `(?=[\s\S]*?X)` at its beginning, which asks that the text `X` comes later. Everything else of that kind, and
//! references to groups, are refused.

use regex_automata::nfa::thompson::{NFA, State, WhichCaptures};
use regex_automata::util::look::Look;
use regex_automata::util::primitives::StateID;
use regex_syntax::ParserBuilder;
use regex_syntax::hir::Hir;
use regex_syntax::hir::literal::{ExtractKind, Extractor};

use super::python::{AHEAD, PatternFault, translate};
use super::sample::{Piece, pieces};

/// Most bytes of a pattern.
pub const MAX_PATTERN: usize = 16 * 1024;

/// Most bytes of memory that the automaton of one pattern may take.
const MAX_AUTOMATON: usize = 8 * 1024 * 1024;

/// Levels of nesting in a pattern.
const MAX_NESTING: u32 = 64;

/// A pattern that is ready to be searched for.
#[derive(Debug)]
pub(super) struct Pattern {
    pub(super) nfa: NFA,
    /// What must come somewhere behind the start of a match.
    pub(super) gate: Option<String>,
    /// The texts one of which it stands for, where it is no expression.
    pub(super) literals: Option<Vec<String>>,
    /// The named groups, and the number of each.
    pub(super) groups: Vec<(String, usize)>,
    /// Groups that mark where a match ends, in front of what is only looked at.
    pub(super) ends: Vec<usize>,
    /// The bytes with which a match may begin; nothing where one may be empty, or depends on what is around it.
    pub(super) first: Option<Box<[bool; 256]>>,
    /// Texts one of which each match begins with; nothing where they are not known.
    pub(super) prefixes: Option<Vec<Vec<u8>>>,
    /// What must be known behind a place before it can be passed.
    pub(super) context: Context,
    /// A text that it matches.
    pub(super) sample: Vec<Piece>,
}

/// What the assertions of a pattern ask of the text behind a place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Context {
    /// Whether it is the end.
    pub(super) ends: bool,
    /// Whether a last line feed stands there.
    pub(super) last_feed: bool,
    /// Whether a character of a word does.
    pub(super) words: bool,
}

impl Pattern {
    /// The pattern as Python writes it.
    pub(super) fn parse(pattern: &str) -> Result<Self, PatternFault> {
        if pattern.len() > MAX_PATTERN {
            let message = format!("the pattern has {} bytes; at most {MAX_PATTERN} are read", pattern.len());
            return Err(PatternFault::new(0, message, "write a shorter pattern"));
        }
        let translated = translate(pattern)?;
        Ok(Self { gate: translated.gate, ..Self::build(&translated.expression)? })
    }

    /// Any of these texts; of two that begin at the same place, the longer one.
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
            PatternFault::new(0, message, "repeat less in the pattern, or write it with smaller classes")
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

    /// The bytes with which a match may begin; all where that is not known.
    pub(super) fn first_bytes(&self) -> Vec<u8> {
        let is_first = |byte: &u8| self.first.as_ref().is_none_or(|first| first[usize::from(*byte)]);
        (0..=255).filter(is_first).collect()
    }

    /// A text that stands for it, with an ellipsis for each group.
    pub(super) fn words(&self) -> String {
        match self.literals.as_ref().and_then(|literals| literals.first()) {
            Some(first) => first.clone(),
            None => self.fill(|_| "…".to_owned()),
        }
    }

    /// A text that it matches, with what `group` says in the place of each group.
    pub(super) fn fill(&self, group: impl Fn(&str) -> String) -> String {
        let piece = |piece: &Piece| match piece {
            Piece::Words(words) => words.clone(),
            Piece::Group(name) => group(name),
        };
        self.sample.iter().map(piece).collect()
    }
}

/// The bytes that lead out of the start of the automaton.
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
