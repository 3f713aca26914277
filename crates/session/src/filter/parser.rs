//! Parses tokens into a tree of terms: `not` binds tightest, then `and`, which may be left out, then `or`.
//!
//! The nesting depth is limited, so that no input overflows the stack.

use super::fault::FilterError;
use super::lexer::{Token, TokenKind, tokens};
use super::term::{self, COMPARISONS, Cost, Term};
use crate::text::Span;

/// Longest expression, in bytes; more than anyone types.
pub(super) const MAX_LENGTH: usize = 4096;

/// Deepest nesting of parentheses.
const MAX_DEPTH: usize = 50;

/// Most regular expressions in a filter; each may take a megabyte.
const MAX_REGEXES: usize = 20;

/// The tree of a filter: terms and how they are joined.
#[derive(Clone, Debug)]
pub(super) enum Expression {
    /// A term with its number within the filter, in the order written.
    Term(usize, Box<Term>),
    Not(Box<Expression>),
    All(Vec<Expression>),
    Any(Vec<Expression>),
}

impl Expression {
    /// Worst-case cost of an answer.
    fn cost(&self) -> Cost {
        match self {
            Expression::Term(_, term) => term.cost(),
            Expression::Not(inner) => inner.cost(),
            Expression::All(parts) | Expression::Any(parts) => {
                parts.iter().map(Expression::cost).max().unwrap_or(Cost::Known)
            }
        }
    }

    /// Calls `look` for every term, with its number.
    pub(super) fn visit<'a>(&'a self, look: &mut impl FnMut(usize, &'a Term)) {
        match self {
            Expression::Term(number, term) => look(*number, term),
            Expression::Not(inner) => inner.visit(look),
            Expression::All(parts) | Expression::Any(parts) => parts.iter().for_each(|part| part.visit(look)),
        }
    }
}

/// Parses an expression.
///
/// # Errors
/// The expression is not a valid filter.
pub(super) fn parse(expression: &str) -> Result<Expression, FilterError> {
    if expression.len() > MAX_LENGTH {
        let message = format!("the filter is longer than {MAX_LENGTH} bytes");
        return Err(FilterError::new(Span::new(MAX_LENGTH, expression.len()), message, "shorten it"));
    }
    let tokens = tokens(expression)?;
    let mut regexes = tokens.iter().filter(|token| matches!(token.kind, TokenKind::Regex { .. }));
    if let Some(further) = regexes.nth(MAX_REGEXES) {
        let message = format!("more than {MAX_REGEXES} regular expressions");
        return Err(FilterError::new(further.span, message, "join some of them into one: /this|that/"));
    }
    let mut parser = Parser { tokens, at: 0, end: expression.len(), depth: 0, terms: 0 };
    if parser.tokens.is_empty() {
        let help = format!("write a term: {}", term::all_terms());
        return Err(FilterError::new(Span::at(expression.len()), "empty filter", help));
    }
    let tree = parser.any()?;
    match parser.tokens.get(parser.at) {
        None => Ok(tree),
        Some(stray) => {
            let help = "remove it; to look for a text with parentheses, quote it";
            Err(FilterError::new(stray.span, "closing parenthesis without an opening one", help))
        }
    }
}

struct Parser {
    tokens: Vec<Token>,
    /// Index of the next token.
    at: usize,
    /// Byte length of the expression: the place of an error at its end.
    end: usize,
    depth: usize,
    /// Number of terms so far.
    terms: usize,
}

impl Parser {
    fn any(&mut self) -> Result<Expression, FilterError> {
        let mut parts = vec![self.all()?];
        while self.take_keyword("or") {
            parts.push(self.all()?);
        }
        Ok(joined(parts, Expression::Any))
    }

    fn all(&mut self) -> Result<Expression, FilterError> {
        let mut parts = vec![self.one()?];
        loop {
            let is_joined = self.take_keyword("and");
            let goes_on = match self.tokens.get(self.at).map(|token| &token.kind) {
                None | Some(TokenKind::Close) => false,
                Some(_) => !self.is_keyword("or"),
            };
            if !is_joined && !goes_on {
                return Ok(joined(parts, Expression::All));
            }
            parts.push(self.one()?);
        }
    }

    fn one(&mut self) -> Result<Expression, FilterError> {
        let mut is_not = false;
        while self.take_not() {
            is_not = !is_not;
        }
        let inner = self.operand()?;
        Ok(if is_not { Expression::Not(Box::new(inner)) } else { inner })
    }

    fn operand(&mut self) -> Result<Expression, FilterError> {
        if self.is_keyword("and") || self.is_keyword("or") {
            return Err(self.missing_term());
        }
        let Some(token) = self.tokens.get(self.at) else { return Err(self.missing_term()) };
        let span = token.span;
        let found = match &token.kind {
            TokenKind::Open => return self.group(span),
            TokenKind::Close | TokenKind::Not => return Err(self.missing_term()),
            TokenKind::Regex { pattern, any_case } => term::from_regex(pattern, *any_case, span)?,
            TokenKind::Word(letters) => {
                let compared = COMPARISONS.into_iter().find(|(name, _)| self.is_keyword(name) && self.is_compared());
                if let Some((name, example)) = compared {
                    let help = format!("write it without spaces: {example}");
                    return Err(FilterError::new(span, format!("{name} needs a comparison"), help));
                }
                term::from_word(letters, span)?
            }
        };
        self.at += 1;
        self.terms += 1;
        Ok(Expression::Term(self.terms - 1, Box::new(found)))
    }

    fn group(&mut self, open: Span) -> Result<Expression, FilterError> {
        self.at += 1;
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            let message = format!("more than {MAX_DEPTH} nested parentheses");
            return Err(FilterError::new(open, message, "use fewer parentheses"));
        }
        let inner = self.any()?;
        if !matches!(self.tokens.get(self.at), Some(Token { kind: TokenKind::Close, .. })) {
            return Err(FilterError::new(open, "unclosed parenthesis", "add ) where the group ends"));
        }
        self.at += 1;
        self.depth -= 1;
        Ok(inner)
    }

    /// True if the next token is this word, unquoted, in any case.
    fn is_keyword(&self, word: &str) -> bool {
        let Some(Token { kind: TokenKind::Word(letters), .. }) = self.tokens.get(self.at) else { return false };
        letters.len() == word.len() && letters.iter().zip(word.chars()).all(|(letter, c)| letter.is_any_case(c))
    }

    /// True if a comparison operator starts the token after the next one.
    fn is_compared(&self) -> bool {
        let Some(Token { kind: TokenKind::Word(letters), .. }) = self.tokens.get(self.at + 1) else { return false };
        letters.first().is_some_and(|first| first.is('<') || first.is('>') || first.is('='))
    }

    fn take_keyword(&mut self, word: &str) -> bool {
        let found = self.is_keyword(word);
        self.at += usize::from(found);
        found
    }

    fn take_not(&mut self) -> bool {
        let is_mark = matches!(self.tokens.get(self.at), Some(Token { kind: TokenKind::Not, .. }));
        self.at += usize::from(is_mark);
        is_mark || self.take_keyword("not")
    }

    /// The error for a missing term.
    fn missing_term(&self) -> FilterError {
        let here = self.tokens.get(self.at).map_or(Span::at(self.end), |token| token.span);
        let before = self.at.checked_sub(1).and_then(|before| self.tokens.get(before));
        let message = match before.map(|token| &token.kind) {
            None => "expected a term before this".to_owned(),
            Some(TokenKind::Open) => "expected a term after the parenthesis".to_owned(),
            Some(TokenKind::Not) => "expected a term after !".to_owned(),
            Some(TokenKind::Word(letters)) => format!("expected a term after {}", term::text_of(letters)),
            Some(_) => "expected a term".to_owned(),
        };
        let help = "write one, such as failed or tool:Bash; to look for a word like and, quote it";
        FilterError::new(here, message, help)
    }
}

/// Joins parts with the cheap ones first; the order does not change the answer.
fn joined(mut parts: Vec<Expression>, join: fn(Vec<Expression>) -> Expression) -> Expression {
    if parts.len() == 1 {
        return parts.remove(0);
    }
    parts.sort_by_cached_key(Expression::cost);
    join(parts)
}
