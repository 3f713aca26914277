//! Filters: expressions that say which items of a transcript are meant, the same on the screen and on the command line.
//!
//! ```text
//! failed tool:Bash                    calls of Bash that failed, and their results
//! arg:path~src/ and not /test_\w+/    a parameter contains, the text does not match
//! (skipped or dep>2) "retry later"    a quoted or bare word is looked for in the text
//! turn:last took>10s                  calls of the last turn that took long
//! ```
//!
//! A call and its result belong together: a term that is true of a call is true of its result, but for `is:`. What is
//! asked costs no more than it must: only `arg:` takes calls apart, and only a text or a regular expression reads
//! them.

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
mod term;
mod term_cache;

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

pub use arrival::ArrivalFilter;
pub use completion::{Completion, Completions, complete, quoted};
pub use fault::FilterError;
pub use matcher::{Known, Matcher};
pub use saved::SavedFilters;
pub use selection::Selection;

use crate::text::typo;
use parser::Expression;

/// A filter; copies share what it consists of.
#[derive(Clone, Debug)]
pub struct Filter {
    /// As it was given, without white space around it.
    source: Arc<str>,
    expression: Arc<Expression>,
}

impl Filter {
    /// The filter that an expression is.
    ///
    /// # Errors
    /// Where the expression is none, with its place and what would be valid there.
    pub fn parse(expression: &str) -> Result<Self, FilterError> {
        let tree = parser::parse(expression).map_err(|error| error.within(expression))?;
        Ok(Self { source: expression.trim().into(), expression: Arc::new(tree) })
    }

    /// Whether it asks for notes, so that it selects something else when one is made.
    pub fn asks_for_notes(&self) -> bool {
        self.has_term(|term| matches!(term, term::Term::HasNote))
    }

    /// True if a further turn changes what it selects of earlier ones.
    pub fn asks_for_turns(&self) -> bool {
        self.has_term(|term| matches!(term, term::Term::Turn(_)))
    }

    /// True if what a later record says of a sub-agent changes what it selects.
    pub fn asks_for_agents(&self) -> bool {
        self.has_term(|term| matches!(term, term::Term::Agent(_) | term::Term::IsPart(facts::SessionPart::Subagent)))
    }

    fn has_term(&self, is_meant: impl Fn(&term::Term) -> bool) -> bool {
        let mut has = false;
        self.expression.visit(&mut |_, term| has |= is_meant(term));
        has
    }

    /// True if it is a single word that is searched for as text, without quotes, or nothing.
    pub fn is_word(&self) -> bool {
        let tokens = lexer::tokens(&self.source).unwrap_or_default();
        let [token] = &tokens[..] else { return tokens.is_empty() };
        let lexer::TokenKind::Word(letters) = &token.kind else { return false };
        let word = term::text_of(letters);
        letters.iter().all(|letter| !letter.quoted)
            && word.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_'))
            && term::PLAIN.iter().all(|(name, _)| *name != word)
    }

    /// A word of it that is searched for as text, and the term without a value that it was probably meant to be.
    pub fn slip(&self) -> Option<(String, &'static str)> {
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
