//! The tokens of a JSON text that may still be arriving, including the deviations that models write.
//!
//! In addition to strict JSON it reads single quotes, comments and bare words; the caller decides whether they are
//! allowed. It remembers how much of an incomplete token it has examined, so that no byte is examined twice, however
//! the text is split.

use crate::text::{Span, steps};
use crate::value::ContainerKind;
use memchr::{memchr, memchr2, memchr3, memmem};

/// The kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TokenKind {
    /// `{` or `[`.
    Open(ContainerKind),
    /// `}` or `]`.
    Close(ContainerKind),
    /// `:`.
    Colon,
    /// `,`.
    Comma,
    /// A string, quotes included.
    Text,
    /// Anything else up to the next delimiter: a number, a literal, or another word.
    Word,
    /// `//` to the end of the line, or `/*` to `*/`.
    Comment,
}

/// A token, by offsets into the JSON text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    pub(crate) kind: TokenKind,
    /// Offset of its first byte.
    pub(crate) start: usize,
    /// Offset of the byte after its last one.
    pub(crate) end: usize,
    /// True if it has its closing quote; always true for tokens other than strings.
    pub(crate) closed: bool,
}

impl Token {
    /// The content of a string without its quotes, or all of another token.
    pub(crate) fn content<'a>(&self, bytes: &'a [u8]) -> &'a [u8] {
        let span = self.content_span();
        &bytes[span.start..span.end]
    }

    /// Its bytes without quotes.
    pub(crate) fn content_span(&self) -> Span {
        let quote = usize::from(self.kind == TokenKind::Text);
        Span::new(self.start + quote, self.end - if self.closed { quote } else { 0 })
    }
}

/// The result of reading a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lexed {
    /// A token.
    Token(Token),
    /// More must arrive first.
    Wait,
    /// The text ends.
    End,
}

/// Characters that strings may hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Strings {
    /// Raw line feeds, which JSON does not allow.
    #[default]
    Lines,
    /// No line feed: the string ends before it without a closing quote.
    OneLine,
}

/// Reads tokens one after another, continuing after faults.
#[derive(Clone, Debug, Default)]
pub(crate) struct Lexer {
    at: usize,
    /// Offset up to which the token at `at` is known to continue.
    looked: usize,
    /// Number of leading bytes of the text that the caller no longer passes.
    gone: usize,
    /// The first byte of the token at `at`, if it is dropped.
    first: u8,
    /// Offset after the last dropped byte other than whitespace.
    gone_content: usize,
    /// Characters that strings may hold, starting with the next token.
    pub(crate) strings: Strings,
}

impl Lexer {
    /// A lexer that begins at `at`.
    pub(crate) fn at(at: usize) -> Self {
        Self { at, looked: at, ..Self::default() }
    }

    /// Offset after the last token, or of the incomplete token.
    pub(crate) fn offset(&self) -> usize {
        self.at
    }

    /// Number of leading bytes that the caller no longer passes; offsets still count them.
    pub(crate) fn gone(&self) -> usize {
        self.gone
    }

    /// Continues at `at`; the caller passes the text starting there.
    pub(crate) fn jump(&mut self, at: usize) {
        *self = Self { gone: at, gone_content: at, strings: self.strings, ..Self::at(at) };
    }

    /// The first byte of the unfinished token, or the byte after the last token.
    pub(crate) fn first(&self, bytes: &[u8]) -> Option<u8> {
        self.first_at(self.at, bytes)
    }

    /// The first byte of the last or the unfinished token, which begins at `at`.
    pub(crate) fn first_at(&self, at: usize, bytes: &[u8]) -> Option<u8> {
        match at.checked_sub(self.gone) {
            Some(at) => bytes.get(at).copied(),
            None => Some(self.first),
        }
    }

    /// Number of bytes of the unfinished token read so far.
    pub(crate) fn looked_into(&self) -> usize {
        self.looked.saturating_sub(self.at)
    }

    /// Drops the bytes before the unfinished token, with `of_token` also its bytes read so far.
    pub(crate) fn release(&mut self, bytes: &[u8], of_token: bool) {
        let end = if of_token { self.looked.max(self.at) } else { self.at };
        let Some(leaving) = end.checked_sub(self.gone) else { return };
        if end > self.at {
            self.first = self.first(bytes).unwrap_or_default();
        }
        self.gone_content = self.content_end(bytes, end);
        self.gone += leaving;
    }

    /// Offset after the last byte before `end` other than whitespace.
    pub(crate) fn content_end(&self, bytes: &[u8], end: usize) -> usize {
        match bytes[..end.saturating_sub(self.gone)].trim_ascii_end().len() {
            0 => self.gone_content,
            length => self.gone + length,
        }
    }

    /// [`Token::content`] without the dropped bytes.
    pub(crate) fn content<'a>(&self, token: Token, bytes: &'a [u8]) -> &'a [u8] {
        let quote = usize::from(token.kind == TokenKind::Text);
        let end = token.end - if token.closed { quote } else { 0 };
        &bytes[(token.start + quote).max(self.gone) - self.gone..end - self.gone]
    }

    /// Drops the first `bytes` bytes of the text from all offsets; they must have been read.
    pub(crate) fn forget(&mut self, bytes: usize) {
        debug_assert!(self.gone == 0, "bytes are either released or forgotten");
        self.at -= bytes;
        self.looked -= bytes;
    }

    /// The next token of `bytes`, the text so far; `finished` says that nothing more arrives.
    pub(crate) fn next(&mut self, bytes: &[u8], finished: bool) -> Lexed {
        let start = self.at.max(self.looked);
        let lexed = self.lex(bytes, finished);
        steps::add_bytes(self.at.max(self.looked).saturating_sub(start));
        lexed
    }

    fn lex(&mut self, bytes: &[u8], finished: bool) -> Lexed {
        if self.at >= self.gone {
            while matches!(bytes.get(self.at - self.gone), Some(b' ' | b'\t' | b'\r' | b'\n')) {
                self.at += 1;
            }
        }
        let Some(first) = self.first(bytes) else {
            return if finished { Lexed::End } else { Lexed::Wait };
        };
        // Below, offsets are into `bytes`, except for the ends of tokens.
        let gone = self.gone;
        let from = (self.looked.max(self.at + 1) - gone).min(bytes.len());
        let second = || bytes.get((self.at + 1).checked_sub(gone)?).copied();
        let kind = match first {
            b'{' => TokenKind::Open(ContainerKind::Object),
            b'[' => TokenKind::Open(ContainerKind::Array),
            b'}' => TokenKind::Close(ContainerKind::Object),
            b']' => TokenKind::Close(ContainerKind::Array),
            b':' => TokenKind::Colon,
            b',' => TokenKind::Comma,
            b'"' | b'\'' => return self.string(first, bytes, from, finished),
            b'/' if second().is_none() && !finished => return Lexed::Wait,
            b'/' if second() == Some(b'/') => {
                let end = memchr(b'\n', &bytes[from..]).map(|feed| from + feed);
                return self.until(TokenKind::Comment, end, bytes, 0, finished);
            }
            b'/' if second() == Some(b'*') => {
                let from = from.max(self.at + 2 - gone).min(bytes.len());
                let end = memmem::find(&bytes[from..], b"*/").map(|end| from + end + 2);
                return self.until(TokenKind::Comment, end, bytes, 1, finished);
            }
            _ => {
                let end = bytes[from..].iter().position(|&byte| is_delimiter(byte)).map(|end| from + end);
                return self.until(TokenKind::Word, end, bytes, 0, finished);
            }
        };
        self.token(kind, self.at + 1, true)
    }

    /// A token that ends at `end`, if that has arrived; the last `overlap` bytes are examined again later.
    fn until(&mut self, kind: TokenKind, end: Option<usize>, bytes: &[u8], overlap: usize, finished: bool) -> Lexed {
        match end {
            Some(end) => self.token(kind, self.gone + end, true),
            None if finished => self.token(kind, self.gone + bytes.len(), true),
            None => {
                self.looked = self.gone + bytes.len() - overlap;
                Lexed::Wait
            }
        }
    }

    fn string(&mut self, quote: u8, bytes: &[u8], from: usize, finished: bool) -> Lexed {
        let (mut at, gone) = (from, self.gone);
        loop {
            let found = match self.strings {
                Strings::Lines => memchr2(quote, b'\\', &bytes[at..]),
                Strings::OneLine => memchr3(quote, b'\\', b'\n', &bytes[at..]),
            };
            let Some(found) = found else {
                self.looked = gone + bytes.len();
                break;
            };
            at += found;
            if bytes[at] == quote {
                return self.token(TokenKind::Text, gone + at + 1, true);
            } else if bytes[at] == b'\n' {
                return self.token(TokenKind::Text, gone + at, false);
            } else if at + 1 == bytes.len() {
                self.looked = gone + at;
                break;
            }
            at += 2;
        }
        if finished { self.token(TokenKind::Text, gone + bytes.len(), false) } else { Lexed::Wait }
    }

    fn token(&mut self, kind: TokenKind, end: usize, closed: bool) -> Lexed {
        let start = self.at;
        self.at = end;
        self.looked = end;
        Lexed::Token(Token { kind, start, end, closed })
    }
}

fn is_delimiter(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | b',' | b':' | b'{' | b'}' | b'[' | b']' | b'"')
}
