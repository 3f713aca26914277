//! Regular expressions that are matched line by line, so that a text of any length can be searched in pieces.
//!
//! No pattern matches a line feed, and `^` and `$` are the edges of a line. A pattern that needs too much memory is
//! rejected.

use regex_automata::hybrid::dfa::DFA;
use regex_automata::meta::Config;
pub use regex_automata::meta::Regex;
use regex_automata::nfa::thompson;
use regex_syntax::ParserBuilder;
use regex_syntax::hir::{Capture, Class, ClassBytes, ClassBytesRange, ClassUnicode, ClassUnicodeRange};
use regex_syntax::hir::{Hir, HirKind, Look, Repetition};

/// Largest compiled pattern, in bytes.
const PATTERN_SIZE: usize = 1 << 20;

/// Treatment of upper and lower case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LetterCase {
    /// Ignores case, unless the pattern contains a capital.
    Smart,
    /// Ignores case.
    Any,
    /// Respects case, unless the pattern has a flag that says otherwise.
    Exact,
}

/// Compiles a regular expression for lines.
///
/// # Errors
/// Says in one line why the pattern is invalid or too large.
pub fn compile(pattern: &str, case: LetterCase) -> Result<Regex, String> {
    build(&parse(pattern, case)?)
}

/// Parses a regular expression for lines.
///
/// # Errors
/// Says in one line why the pattern is invalid.
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

/// Column of the first syntax error in a pattern, from 1, in characters; `None` if it is valid or only too large.
pub fn fault_column(pattern: &str) -> Option<usize> {
    match ParserBuilder::new().utf8(false).build().parse(pattern).err()? {
        regex_syntax::Error::Parse(error) => Some(error.span().start.column),
        regex_syntax::Error::Translate(error) => Some(error.span().start.column),
        _ => None,
    }
}

/// Compiles a pattern of the program itself, respecting case.
///
/// # Panics
/// If the pattern is invalid, which a test at its definition would find.
pub fn fixed(pattern: &str) -> Regex {
    compile(pattern, LetterCase::Exact).expect("a pattern of the program is well-formed")
}

/// Compiles a parsed expression, which can only fail by its size.
///
/// # Errors
/// It would be too large.
pub fn build(hir: &Hir) -> Result<Regex, String> {
    let config = Config::new().nfa_size_limit(Some(PATTERN_SIZE)).utf8_empty(false);
    let built = Regex::builder().configure(config).build_from_hir(hir);
    built.map_err(|error| match error.size_limit() {
        Some(limit) => format!("the compiled pattern exceeds {limit} bytes"),
        None => last_line(&error.to_string()),
    })
}

/// An automaton for an expression, which reads a text byte by byte; `None` if it would be too large.
pub fn automaton(hir: &Hir) -> Option<DFA> {
    let config = thompson::Config::new().utf8(false).nfa_size_limit(Some(PATTERN_SIZE));
    let config = config.which_captures(thompson::WhichCaptures::None);
    let nfa = thompson::Compiler::new().configure(config).build_from_hir(hir).ok()?;
    // The automaton quits at bytes where it cannot decide on a word boundary.
    DFA::builder().configure(DFA::config().unicode_word_boundary(true)).build_from_nfa(nfa).ok()
}

/// True if a capital letter is a literal; after a backslash it names a class.
fn has_capital(pattern: &str) -> bool {
    let plain = pattern.replace("\\\\", "");
    let mut parts = plain.split('\\').enumerate();
    parts.any(|(index, part)| part.chars().skip(usize::from(index > 0)).any(char::is_uppercase))
}

/// The same expression limited to a line: nothing matches a line feed, and the line's edges are the text's edges.
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

/// The last line of an error, which has the message without the drawing of the pattern.
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
