//! Filters: expressions that select items of a transcript, the same on the screen and on the command line.
//!
//! ```text
//! failed tool:Bash                    calls of Bash that failed, and their results
//! arg:path~src/ and not /test_\w+/    a parameter contains, the text does not match
//! (skipped or dep>2) "retry later"    a quoted or bare word is searched for in the text
//! turn:last took>10s                  calls of the last turn that took long
//! ```
//!
//! A call and its result belong together: a term that holds for a call holds for its result, except `is:`. Evaluation
//! is lazy: only `arg:` dissects calls, and only a text or a regular expression reads them.

mod arrival;
mod completion;
mod facts;
mod fault;
mod lexer;
mod matcher;
mod parser;
mod pattern;
mod saved;
mod selection;
mod session_time;
mod term;
mod term_cache;

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

pub use arrival::ArrivalFilter;
pub use completion::{Completion, Completions, complete, quoted};
pub use fault::FilterError;
pub use matcher::{KnownItems, Matcher};
pub use saved::SavedFilters;
pub use selection::Selection;
pub use session_time::{SessionTime, TimeFault};

use crate::session::Session;
use crate::text::typo;
use parser::Expression;

/// A parsed filter expression; clones share the tree.
#[derive(Clone, Debug)]
pub struct Filter {
    /// The expression as given, trimmed.
    source: Arc<str>,
    expression: Arc<Expression>,
}

/// Facts that a filter tests and a file may lack, so that the filter selects nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MissingFacts {
    /// The file has no turns, which `turn:` tests.
    Turns,
    /// The file states no times, which `after:` and `before:` test.
    Times,
}

impl MissingFacts {
    /// The lack, as a clause whose subject is the file.
    pub fn clause(self) -> &'static str {
        match self {
            MissingFacts::Turns => "has no turns",
            MissingFacts::Times => "states no times",
        }
    }
}

impl Filter {
    /// Parses an expression.
    ///
    /// # Errors
    /// The expression is invalid: the error has the place and what would be valid there.
    pub fn parse(expression: &str) -> Result<Self, FilterError> {
        let tree = parser::parse(expression).map_err(|error| error.within(expression))?;
        Ok(Self { source: expression.trim().into(), expression: Arc::new(tree) })
    }

    /// True if it uses `has:note`, so that adding a note changes the selection.
    pub fn depends_on_notes(&self) -> bool {
        self.has_term(|term| matches!(term, term::Term::HasNote))
    }

    /// True if a further turn changes which earlier items it selects.
    pub fn depends_on_turns(&self) -> bool {
        self.has_term(|term| matches!(term, term::Term::Turn(_)))
    }

    /// The facts that the filter tests and a session lacks.
    pub fn missing_facts(&self, session: &Session) -> Option<MissingFacts> {
        let document = session.document();
        if self.depends_on_turns() && document.turn_count() == 0 {
            return Some(MissingFacts::Turns);
        }
        let tests_times = self.has_term(|term| matches!(term, term::Term::Time(_)));
        (tests_times && document.time_range().is_none()).then_some(MissingFacts::Times)
    }

    /// True if a later record about a sub-agent changes which earlier items it selects.
    pub fn depends_on_agents(&self) -> bool {
        self.has_term(|term| matches!(term, term::Term::Agent(_) | term::Term::IsPart(facts::SessionPart::Subagent)))
    }

    /// The term that may be meant if nothing matches, as a clause: calls fail in two ways, each with its own term.
    pub fn other_term(&self) -> Option<&'static str> {
        let (failed, rejected) = (
            self.has_term(|term| matches!(term, term::Term::Failed)),
            self.has_term(|term| matches!(term, term::Term::Rejected)),
        );
        match (failed, rejected) {
            (true, false) => {
                Some("failed is for results that report a failure: rejected finds calls that a runtime refuses")
            }
            (false, true) => {
                Some("rejected is for calls that a runtime refuses: failed finds results that report a failure")
            }
            _ => None,
        }
    }

    fn has_term(&self, is_meant: impl Fn(&term::Term) -> bool) -> bool {
        let mut has = false;
        self.expression.visit(&mut |_, term| has |= is_meant(term));
        has
    }

    /// True if it is empty or a single unquoted word that is searched for as text.
    pub fn is_word(&self) -> bool {
        let tokens = lexer::tokens(&self.source).unwrap_or_default();
        let [token] = &tokens[..] else { return tokens.is_empty() };
        let lexer::TokenKind::Word(letters) = &token.kind else { return false };
        let word = term::text_of(letters);
        letters.iter().all(|letter| !letter.quoted)
            && word.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_'))
            && term::PLAIN.iter().all(|(name, _)| *name != word)
    }

    /// An unquoted word that is searched for as text, and the plain term that it probably misspells.
    pub fn misspelled_term(&self) -> Option<(String, &'static str)> {
        let words = lexer::tokens(&self.source).ok()?.into_iter().filter_map(|token| match token.kind {
            lexer::TokenKind::Word(letters) if letters.iter().all(|letter| !letter.quoted) => {
                Some(term::text_of(&letters))
            }
            _ => None,
        });
        let meant = |word: String| {
            let near = typo::nearest(&word, term::PLAIN.iter().map(|(name, _)| *name))?;
            Some((word, near))
        };
        words.filter(|word| word.len() > 3).find_map(meant)
    }
}

impl FromStr for Filter {
    type Err = FilterError;

    fn from_str(expression: &str) -> Result<Self, FilterError> {
        Self::parse(expression)
    }
}

impl fmt::Display for Filter {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(&self.source)
    }
}

#[cfg(test)]
mod tests;
