//! The tokens of a JSON text that may still be arriving, and of what models write in its place.
//!
//! Beside strict JSON it knows single quotes, comments and bare words; whether they may stand is not decided here. It
//! remembers how far it has looked into a token that is not complete, so that no byte is looked at twice, however the
//! text is cut. This module does not know how tokens nest.

use crate::text::steps;
use memchr::{memchr, memchr2, memchr3, memmem};

/// Braces or brackets: an object or an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bracket {
    /// `{` and `}`.
    Object,
    /// `[` and `]`.
    Array,
}

impl Bracket {
    /// The byte that ends such a container.
    pub fn closer(self) -> &'static str {
        match self {
            Bracket::Object => "}",
            Bracket::Array => "]",
        }
    }
}

/// The kind of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenKind {
    /// `{` or `[`.
    Open(Bracket),
    /// `}` or `]`.
    Close(Bracket),
    /// `:`.
    Colon,
    /// `,`.
    Comma,
    /// A string, quotes included.
    Text,
    /// Anything else up to the next delimiter: a number, a literal, or what is neither.
    Word,
    /// `//` to the end of the line, or `/*` to `*/`.
    Comment,
}

/// A token, by offsets into the JSON text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    /// Which kind of token it is.
    pub kind: TokenKind,
    /// Offset of its first byte.
    pub start: usize,
    /// Offset of the byte after its last one.
    pub end: usize,
    /// Whether it has its closing quote; true for everything but strings.
    pub closed: bool,
}

impl Token {
    /// The content of a string without its quotes, or all of another token.
    pub fn content<'a>(&self, bytes: &'a [u8]) -> &'a [u8] {
        match self.kind {
            TokenKind::Text => &bytes[self.start + 1..self.end - usize::from(self.closed)],
            _ => &bytes[self.start..self.end],
        }
    }
}

/// The next token, or why there is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lexed {
    /// A token.
    Token(Token),
    /// More must arrive first.
    Wait,
    /// The text ends.
    End,
}

/// What a string may hold.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Strings {
    /// Line feeds as they are, though JSON does not allow it.
    #[default]
    Lines,
    /// No line feed: the string ends in front of it without a closing quote.
    OneLine,
}

/// Reads tokens one after another, across faults.
#[derive(Clone, Debug, Default)]
pub struct Lexer {
    at: usize,
    /// Offset up to which the token at `at` is known to go on.
    looked: usize,
    /// What strings may hold, from the next token on.
    pub strings: Strings,
}

impl Lexer {
    /// A lexer that begins at `at`.
    pub fn at(at: usize) -> Self {
        Self { at, looked: at, strings: Strings::default() }
    }

    /// Offset behind the last token, or of the token that is not complete.
    pub fn offset(&self) -> usize {
        self.at
    }

    /// The first `bytes` bytes of the text are gone; all of them have been read.
    pub fn forget(&mut self, bytes: usize) {
        self.at -= bytes;
        self.looked -= bytes;
    }

    /// The next token of `bytes`, which are all of the text so far; `finished` says that nothing more arrives.
    pub fn next(&mut self, bytes: &[u8], finished: bool) -> Lexed {
        let start = self.at.max(self.looked);
        let lexed = self.lex(bytes, finished);
        steps::add_bytes(self.at.max(self.looked).saturating_sub(start));
        lexed
    }

    fn lex(&mut self, bytes: &[u8], finished: bool) -> Lexed {
        while matches!(bytes.get(self.at), Some(b' ' | b'\t' | b'\r' | b'\n')) {
            self.at += 1;
        }
        let from = self.looked.max(self.at + 1);
        let Some(&first) = bytes.get(self.at) else {
            return if finished { Lexed::End } else { Lexed::Wait };
        };
        let kind = match first {
            b'{' => TokenKind::Open(Bracket::Object),
            b'[' => TokenKind::Open(Bracket::Array),
            b'}' => TokenKind::Close(Bracket::Object),
            b']' => TokenKind::Close(Bracket::Array),
            b':' => TokenKind::Colon,
            b',' => TokenKind::Comma,
            b'"' | b'\'' => return self.string(bytes, from, finished),
            b'/' if bytes.len() == self.at + 1 && !finished => return Lexed::Wait,
            b'/' if bytes.get(self.at + 1) == Some(&b'/') => {
                let end = memchr(b'\n', &bytes[from.min(bytes.len())..]).map(|feed| from + feed);
                return self.until(TokenKind::Comment, end, bytes, 0, finished);
            }
            b'/' if bytes.get(self.at + 1) == Some(&b'*') => {
                let from = from.max(self.at + 2).min(bytes.len());
                let end = memmem::find(&bytes[from..], b"*/").map(|end| from + end + 2);
                return self.until(TokenKind::Comment, end, bytes, 1, finished);
            }
            _ => {
                let from = from.min(bytes.len());
                let end = bytes[from..].iter().position(|&byte| is_delimiter(byte)).map(|end| from + end);
                return self.until(TokenKind::Word, end, bytes, 0, finished);
            }
        };
        self.token(kind, self.at + 1, true)
    }

    /// A token that ends at `end`, if that has arrived; the last `overlap` bytes are looked at again.
    fn until(&mut self, kind: TokenKind, end: Option<usize>, bytes: &[u8], overlap: usize, finished: bool) -> Lexed {
        match end {
            Some(end) => self.token(kind, end, true),
            None if finished => self.token(kind, bytes.len(), true),
            None => {
                self.looked = bytes.len() - overlap;
                Lexed::Wait
            }
        }
    }

    fn string(&mut self, bytes: &[u8], from: usize, finished: bool) -> Lexed {
        let quote = bytes[self.at];
        let mut at = from.min(bytes.len());
        loop {
            let found = match self.strings {
                Strings::Lines => memchr2(quote, b'\\', &bytes[at..]),
                Strings::OneLine => memchr3(quote, b'\\', b'\n', &bytes[at..]),
            };
            let Some(found) = found else {
                self.looked = bytes.len();
                break;
            };
            at += found;
            if bytes[at] == quote {
                return self.token(TokenKind::Text, at + 1, true);
            } else if bytes[at] == b'\n' {
                return self.token(TokenKind::Text, at, false);
            } else if at + 1 == bytes.len() {
                self.looked = at;
                break;
            }
            at += 2;
        }
        if finished { self.token(TokenKind::Text, bytes.len(), false) } else { Lexed::Wait }
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
