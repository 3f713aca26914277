//! The tokens of Python text that may still be arriving.
//!
//! It remembers how much of an incomplete token it has examined, so that no byte is examined twice, however the text is
//! split. Names may have dots and dashes, since the names of tools do.

use memchr::{memchr, memchr2, memchr3};

use crate::text::steps;
use crate::value::bracket::BracketKind;
use crate::value::json::lexer::Strings;

/// The kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TokenKind {
    Open(BracketKind),
    Close(BracketKind),
    Comma,
    Colon,
    Equals,
    /// A string with its prefix and quotes.
    Text(Quotes),
    /// A name, a number with its sign, or a word that looks like one.
    Word,
    /// Any other character, or `==`.
    Operator,
}

/// Prefix and quotes of a string.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Quotes {
    /// Length of the prefix, in bytes: `r`, `b`, `f`, `u` or two of them.
    pub(super) prefix: u8,
    /// Length of the quotes on one side: 1 or 3.
    pub(super) length: u8,
    /// True if the closing quotes have arrived.
    pub(super) closed: bool,
}

/// A token, by offsets in the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) kind: TokenKind,
    pub(super) start: usize,
    pub(super) end: usize,
}

impl Token {
    /// Offsets of a string without prefix and quotes, or of all of another token.
    pub(super) fn content(&self) -> (usize, usize) {
        let TokenKind::Text(quotes) = self.kind else { return (self.start, self.end) };
        let length = usize::from(quotes.length);
        let start = self.start + usize::from(quotes.prefix) + length;
        (start, (self.end - if quotes.closed { length } else { 0 }).max(start))
    }
}

/// The result of reading a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lexed {
    Token(Token),
    /// A comment, which was skipped.
    Comment,
    Wait,
    End,
}

enum Head {
    None,
    Wait,
    Text(Quotes),
}

/// Reads tokens one after another.
#[derive(Clone, Debug)]
pub(super) struct Lexer {
    at: usize,
    /// Offset up to which the token at `at` is known to continue.
    looked: usize,
    /// Characters that strings with single quotation marks may hold.
    pub(super) strings: Strings,
}

impl Lexer {
    pub(super) fn new(at: usize, strings: Strings) -> Self {
        Self { at, looked: at, strings }
    }

    /// Offset after the last token, or of the incomplete token.
    pub(super) fn offset(&self) -> usize {
        self.at
    }

    /// Skips whitespace, and returns the rest.
    pub(super) fn skip_blank<'a>(&mut self, bytes: &'a [u8]) -> &'a [u8] {
        while matches!(bytes.get(self.at), Some(b' ' | b'\t' | b'\r' | b'\n' | b'\x0c')) {
            self.at += 1;
        }
        &bytes[self.at.min(bytes.len())..]
    }

    /// The incomplete string at the end of `bytes`.
    pub(super) fn open_string(&self, bytes: &[u8]) -> Option<Quotes> {
        match head(bytes.get(self.at..)?, true) {
            Head::Text(quotes) if self.looked > self.at => Some(quotes),
            _ => None,
        }
    }

    /// The next token of `bytes`, the text so far; `finished` says that nothing more arrives.
    pub(super) fn next(&mut self, bytes: &[u8], finished: bool) -> Lexed {
        let start = self.at.max(self.looked);
        let lexed = self.lex(bytes, finished);
        steps::add_bytes(self.at.max(self.looked).saturating_sub(start));
        lexed
    }

    fn lex(&mut self, bytes: &[u8], finished: bool) -> Lexed {
        self.skip_blank(bytes);
        let Some(&first) = bytes.get(self.at) else { return if finished { Lexed::End } else { Lexed::Wait } };
        if first != b'#' || self.at.checked_sub(1).is_some_and(|before| !begins_comment(bytes[before])) {
            return self.token(first, bytes, finished);
        }
        let from = self.looked.clamp(self.at, bytes.len());
        match memchr(b'\n', &bytes[from..]) {
            Some(feed) => self.advance_to(from + feed),
            None if finished => self.advance_to(bytes.len()),
            None => {
                self.looked = bytes.len();
                return Lexed::Wait;
            }
        }
        Lexed::Comment
    }

    fn advance_to(&mut self, end: usize) {
        (self.at, self.looked) = (end, end);
    }

    fn token(&mut self, first: u8, bytes: &[u8], finished: bool) -> Lexed {
        match head(&bytes[self.at..], finished) {
            Head::None => {}
            Head::Wait => return Lexed::Wait,
            Head::Text(quotes) => return self.string(quotes, bytes, finished),
        }
        let next = bytes.get(self.at + 1).copied();
        let must_wait = next.is_none() && !finished;
        let (kind, length) = match first {
            b',' => (TokenKind::Comma, 1),
            b':' => (TokenKind::Colon, 1),
            b'=' | b'+' | b'-' if must_wait => return Lexed::Wait,
            b'=' if next == Some(b'=') => (TokenKind::Operator, 2),
            b'=' => (TokenKind::Equals, 1),
            b'+' | b'-' if next.is_some_and(is_word) => return self.word(bytes, finished),
            _ if is_word(first) => return self.word(bytes, finished),
            _ => match (BracketKind::opened_by(first), BracketKind::closed_by(first)) {
                (Some(kind), _) => (TokenKind::Open(kind), 1),
                (_, Some(kind)) => (TokenKind::Close(kind), 1),
                _ => (TokenKind::Operator, 1),
            },
        };
        self.emit(kind, self.at + length)
    }

    fn word(&mut self, bytes: &[u8], finished: bool) -> Lexed {
        let mut at = self.looked.max(self.at + 1);
        while let Some(&byte) = bytes.get(at) {
            // A dash within a name, or the sign of an exponent.
            let joins = byte == b'-' || (byte == b'+' && matches!(bytes[at - 1], b'e' | b'E'));
            let goes_on = match bytes.get(at + 1) {
                _ if !joins => is_word(byte),
                Some(&next) => is_word(next),
                None if finished => false,
                None => {
                    self.looked = at;
                    return Lexed::Wait;
                }
            };
            if !goes_on {
                return self.emit(TokenKind::Word, at);
            }
            at += 1;
        }
        if finished {
            return self.emit(TokenKind::Word, bytes.len());
        }
        self.looked = at;
        Lexed::Wait
    }

    fn string(&mut self, quotes: Quotes, bytes: &[u8], finished: bool) -> Lexed {
        let length = usize::from(quotes.length);
        let quote = bytes[self.at + usize::from(quotes.prefix)];
        let begin = self.at + usize::from(quotes.prefix) + length;
        let mut at = self.looked.max(begin).min(bytes.len());
        let closed = |closed: bool| TokenKind::Text(Quotes { closed, ..quotes });
        loop {
            let found = if length == 1 && self.strings == Strings::OneLine {
                memchr3(quote, b'\\', b'\n', &bytes[at..])
            } else {
                memchr2(quote, b'\\', &bytes[at..])
            };
            let Some(found) = found else {
                self.looked = bytes.len();
                break;
            };
            at += found;
            let rest = &bytes[at..];
            if rest[0] == b'\n' {
                return self.emit(closed(false), at);
            }
            let needed = if rest[0] == quote { length } else { 2 };
            if rest.len() < needed {
                // The token is ambiguous until all of it has arrived.
                self.looked = at;
                break;
            }
            match rest[0] {
                b'\\' => at += 2,
                _ if rest[..length].iter().all(|&byte| byte == quote) => return self.emit(closed(true), at + length),
                _ => at += 1,
            }
        }
        if finished { self.emit(closed(false), bytes.len()) } else { Lexed::Wait }
    }

    fn emit(&mut self, kind: TokenKind, end: usize) -> Lexed {
        let start = self.at;
        self.advance_to(end);
        Lexed::Token(Token { kind, start, end })
    }
}

/// The kind of token at the beginning of `rest`; more bytes are requested while it is ambiguous.
fn head(rest: &[u8], finished: bool) -> Head {
    const LONGEST_PREFIX: usize = 2;
    let is_prefix = |byte: &u8| matches!(byte.to_ascii_lowercase(), b'r' | b'b' | b'f' | b'u');
    let prefix = rest.iter().take(LONGEST_PREFIX).take_while(|byte| is_prefix(byte)).count();
    let quote = match rest.get(prefix) {
        Some(&quote @ (b'"' | b'\'')) => quote,
        None if !finished => return Head::Wait,
        _ => return Head::None,
    };
    let length = match (rest.get(prefix + 1), rest.get(prefix + 2)) {
        (Some(&second), Some(&third)) if second == quote && third == quote => 3,
        (Some(&second), None) if second == quote && !finished => return Head::Wait,
        (None, _) if !finished => return Head::Wait,
        _ => 1,
    };
    Head::Text(Quotes { prefix: prefix as u8, length, closed: false })
}

/// True if `#` after this byte begins a comment; in `colour=#fff` it surely does not.
fn begins_comment(before: u8) -> bool {
    before.is_ascii_whitespace() || matches!(before, b'(' | b'[' | b'{' | b',')
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.') || byte >= 0x80
}
