//! Regular expressions that are matched line by line, so that a text of any length can be searched in pieces.
//!
//! Nothing matches a line feed, and the edges of the text are those of a line. What would need too much room is
//! refused.

use regex_automata::hybrid::dfa::DFA;
use regex_automata::meta::Config;
pub use regex_automata::meta::Regex;
use regex_automata::nfa::thompson;
use regex_syntax::ParserBuilder;
use regex_syntax::hir::{Capture, Class, ClassBytes, ClassBytesRange, ClassUnicode, ClassUnicodeRange};
use regex_syntax::hir::{Hir, HirKind, Look, Repetition};

/// Largest compiled pattern, in bytes: one that would need more is refused.
const PATTERN_SIZE: usize = 1 << 20;

/// Which letters are the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LetterCase {
    /// Capitals and small ones, unless there is a capital in the pattern.
    Smart,
    /// Capitals and small ones, whatever is in the pattern.
    Any,
    /// None, unless the pattern says so.
    Exact,
}

/// Compiles a regular expression for lines.
///
/// # Errors
/// Says in one line why it is none.
pub fn compile(pattern: &str, case: LetterCase) -> Result<Regex, String> {
    build(&parse(pattern, case)?)
}

/// Parses a regular expression for lines.
///
/// # Errors
/// Says in one line why it is none.
pub fn parse(pattern: &str, case: LetterCase) -> Result<Hir, String> {
    let any_case = match case {
        LetterCase::Smart => !has_capital(pattern),
        LetterCase::Any => true,
        LetterCase::Exact => false,
    };
    let mut parser = ParserBuilder::new().case_insensitive(any_case).multi_line(true).utf8(false).build();
    let hir = parser.parse(pattern).map_err(|error| last_line(&error.to_string()))?;
    Ok(within_line(hir))
}

/// Where a pattern stops being one: the column, from 1, in characters. None where it is one, or only too large.
pub fn fault_column(pattern: &str) -> Option<usize> {
    match ParserBuilder::new().utf8(false).build().parse(pattern).err()? {
        regex_syntax::Error::Parse(error) => Some(error.span().start.column),
        regex_syntax::Error::Translate(error) => Some(error.span().start.column),
        _ => None,
    }
}

/// A pattern of the program itself, in which letters are as they are written.
///
/// # Panics
/// It is not a pattern, which a test of its place shows.
pub fn fixed(pattern: &str) -> Regex {
    compile(pattern, LetterCase::Exact).expect("a pattern of the program is well-formed")
}

/// Compiles an expression, of which nothing but its size is questioned.
///
/// # Errors
/// It would be too large.
pub fn build(hir: &Hir) -> Result<Regex, String> {
    let config = Config::new().nfa_size_limit(Some(PATTERN_SIZE)).utf8_empty(false);
    let built = Regex::builder().configure(config).build_from_hir(hir);
    built.map_err(|error| match error.size_limit() {
        Some(limit) => format!("it needs more than {limit} bytes"),
        None => last_line(&error.to_string()),
    })
}

/// An automaton for an expression, which takes a text byte by byte; none if it would be too large.
pub fn automaton(hir: &Hir) -> Option<DFA> {
    let config = thompson::Config::new().utf8(false).nfa_size_limit(Some(PATTERN_SIZE));
    let config = config.which_captures(thompson::WhichCaptures::None);
    let nfa = thompson::Compiler::new().configure(config).build_from_hir(hir).ok()?;
    // Bytes at which it cannot tell where a word ends make it quit.
    DFA::builder().configure(DFA::config().unicode_word_boundary(true)).build_from_nfa(nfa).ok()
}

/// Whether a capital letter stands for itself; behind a backslash it names a class.
fn has_capital(pattern: &str) -> bool {
    let plain = pattern.replace("\\\\", "");
    let mut parts = plain.split('\\').enumerate();
    parts.any(|(index, part)| part.chars().skip(usize::from(index > 0)).any(char::is_uppercase))
}

/// The same expression, for which a line is all there is: nothing matches a line feed, and the edges of the text are
/// those of the line.
fn within_line(hir: Hir) -> Hir {
    match hir.into_kind() {
        HirKind::Empty => Hir::empty(),
        HirKind::Literal(literal) if literal.0.contains(&b'\n') => Hir::fail(),
        HirKind::Literal(literal) => Hir::literal(literal.0),
        HirKind::Class(Class::Unicode(mut class)) => {
            class.difference(&ClassUnicode::new([ClassUnicodeRange::new('\n', '\n')]));
            Hir::class(Class::Unicode(class))
        }
        HirKind::Class(Class::Bytes(mut class)) => {
            class.difference(&ClassBytes::new([ClassBytesRange::new(b'\n', b'\n')]));
            Hir::class(Class::Bytes(class))
        }
        HirKind::Look(Look::Start) => Hir::look(Look::StartLF),
        HirKind::Look(Look::End) => Hir::look(Look::EndLF),
        HirKind::Look(look) => Hir::look(look),
        HirKind::Repetition(repetition) => {
            let sub = Box::new(within_line(*repetition.sub));
            Hir::repetition(Repetition { sub, ..repetition })
        }
        HirKind::Capture(capture) => Hir::capture(Capture { sub: Box::new(within_line(*capture.sub)), ..capture }),
        HirKind::Concat(parts) => Hir::concat(parts.into_iter().map(within_line).collect()),
        HirKind::Alternation(parts) => Hir::alternation(parts.into_iter().map(within_line).collect()),
    }
}

/// What is wrong with a pattern, without the drawing of it.
fn last_line(words: &str) -> String {
    words.lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_all_there_is_and_a_capital_asks_for_capitals() {
        for (pattern, case, text, expected) in [
            ("alpha", LetterCase::Smart, "ALPHA", true),
            ("Alpha", LetterCase::Smart, "ALPHA", false),
            ("Alpha", LetterCase::Any, "ALPHA", true),
            ("\\Salpha", LetterCase::Smart, "xALPHA", true),
            ("^b$", LetterCase::Smart, "a\nb\nc", true),
            ("\\Ab\\z", LetterCase::Smart, "a\nb\nc", true),
            ("a\\sb", LetterCase::Smart, "a\nb", false),
        ] {
            let regex = compile(pattern, case).expect("a pattern");
            assert_eq!(regex.is_match(text), expected, "{pattern} in {text:?}");
        }
        for pattern in ["(", "(a{1000}){1000}", &"(".repeat(5000)] {
            assert!(compile(pattern, LetterCase::Smart).is_err(), "{pattern}");
        }
    }
}
