//! The tokens of a filter expression, with their spans.
//!
//! Quotation marks may occur anywhere in a word, as in a shell; quoted text is never an operator, a wildcard or a
//! keyword.

use super::fault::FilterError;
use crate::text::Span;

/// A token and its byte range in the expression.
#[derive(Debug)]
pub(super) struct Token {
    pub(super) span: Span,
    pub(super) kind: TokenKind,
}

#[derive(Debug)]
pub(super) enum TokenKind {
    Open,
    Close,
    /// An exclamation mark as prefix operator.
    Not,
    Word(Vec<Letter>),
    /// A regular expression between slashes.
    Regex {
        pattern: String,
        any_case: bool,
    },
}

/// A character of a word, after removing the quotation marks and backslashes that protect it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Letter {
    pub(super) c: char,
    /// Its bytes in the expression.
    pub(super) span: Span,
    pub(super) quoted: bool,
}

impl Letter {
    /// True if it is this character and unquoted, so that it has its special meaning.
    pub(super) fn is(&self, c: char) -> bool {
        self.c == c && !self.quoted
    }

    /// As [`Letter::is`], ignoring ASCII case.
    pub(super) fn is_any_case(&self, c: char) -> bool {
        self.c.eq_ignore_ascii_case(&c) && !self.quoted
    }
}

/// Splits an expression into tokens.
///
/// # Errors
/// An unclosed quotation mark or slash, or an unknown flag after a regular expression.
pub(super) fn tokens(expression: &str) -> Result<Vec<Token>, FilterError> {
    let mut lexer = Lexer { expression, at: 0 };
    let mut tokens = Vec::new();
    while let Some(c) = lexer.peek() {
        let start = lexer.at;
        let kind = match c {
            c if c.is_whitespace() => {
                lexer.next();
                continue;
            }
            '(' => lexer.single(TokenKind::Open),
            ')' => lexer.single(TokenKind::Close),
            '!' => lexer.single(TokenKind::Not),
            '/' => lexer.regex()?,
            _ => TokenKind::Word(lexer.word()?),
        };
        tokens.push(Token { span: Span::new(start, lexer.at), kind });
    }
    Ok(tokens)
}

struct Lexer<'a> {
    expression: &'a str,
    /// Byte offset of the next character.
    at: usize,
}

impl Lexer<'_> {
    fn peek(&self) -> Option<char> {
        self.expression[self.at..].chars().next()
    }

    fn next(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += c.len_utf8();
        Some(c)
    }

    fn single(&mut self, kind: TokenKind) -> TokenKind {
        self.next();
        kind
    }

    fn word(&mut self) -> Result<Vec<Letter>, FilterError> {
        let mut letters = Vec::new();
        while let Some(c) = self.peek().filter(|&c| !ends_word(c)) {
            let start = self.at;
            self.next();
            if c == '"' {
                self.quoted(start, &mut letters)?;
            } else {
                letters.push(Letter { c, span: Span::new(start, self.at), quoted: false });
            }
        }
        Ok(letters)
    }

    /// Reads a quoted section up to its closing mark; `open` is the offset of the opening one.
    fn quoted(&mut self, open: usize, letters: &mut Vec<Letter>) -> Result<(), FilterError> {
        loop {
            let start = self.at;
            let c = match self.next() {
                Some('"') => return Ok(()),
                Some('\\') if matches!(self.peek(), Some('"' | '\\')) => self.next().unwrap_or_default(),
                Some(c) => c,
                None => {
                    let span = Span::new(open, self.at);
                    return Err(FilterError::new(span, "unclosed quotation mark", "add the closing \""));
                }
            };
            letters.push(Letter { c, span: Span::new(start, self.at), quoted: true });
        }
    }

    fn regex(&mut self) -> Result<TokenKind, FilterError> {
        let open = self.at;
        self.next();
        let mut pattern = String::new();
        loop {
            match self.next() {
                Some('/') => break,
                Some('\\') if self.peek() == Some('/') => pattern.extend(self.next()),
                Some('\\') => {
                    pattern.push('\\');
                    pattern.extend(self.next());
                }
                Some(c) => pattern.push(c),
                None => {
                    let help = "add the closing /; to search for text with a slash, quote it";
                    return Err(FilterError::new(Span::new(open, self.at), "unclosed regular expression", help));
                }
            }
        }
        let flags = self.at;
        while self.peek().is_some_and(|c| !ends_word(c)) {
            self.next();
        }
        match &self.expression[flags..self.at] {
            "" => Ok(TokenKind::Regex { pattern, any_case: false }),
            "i" => Ok(TokenKind::Regex { pattern, any_case: true }),
            words => {
                let message = format!("unknown regular expression flag {words:?}");
                let help = "i is the only flag; to search for text with slashes, quote it";
                Err(FilterError::new(Span::new(flags, self.at), message, help))
            }
        }
    }
}

fn ends_word(c: char) -> bool {
    c.is_whitespace() || matches!(c, '(' | ')')
}
