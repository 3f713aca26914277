//! All tokens of a call, with the closing token of each opening bracket.
//!
//! A closing bracket of the wrong kind closes everything inside the one that it belongs to; one that matches no open
//! bracket is ignored.

use super::MAX_TOKENS;
use super::lexer::{Lexed, Lexer, Token, TokenKind};
use crate::value::bracket::BracketKind;
use crate::value::json::lexer::Strings;
use crate::value::tree_builder::MAX_PROBLEMS;

/// The extent of a bracket, and its contents.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Nest {
    /// Index of the token that ends it; the number of tokens if none does.
    pub(super) end: usize,
    /// True if that token is its own closing bracket.
    pub(super) is_closed: bool,
    /// True if it contains a comma outside inner brackets.
    pub(super) has_comma: bool,
    pub(super) has_colon: bool,
}

impl Nest {
    /// The index of the first token after it.
    pub(super) fn behind(&self) -> usize {
        self.end + usize::from(self.is_closed)
    }
}

/// A misplaced closing bracket.
#[derive(Clone, Copy, Debug)]
pub(super) enum BracketFault {
    /// A bracket of this kind should have been closed before it.
    Wrong(BracketKind, Token),
    Extra(Token),
}

/// The tokens of a text.
#[derive(Debug, Default)]
pub(super) struct Tokens {
    pub(super) list: Vec<Token>,
    /// For each token its extent; only meaningful for an opening bracket.
    nests: Vec<Nest>,
    pub(super) faults: Vec<BracketFault>,
    /// The closing brackets that are missing at the end, in order.
    pub(super) missing: String,
    /// The first token beyond the limit.
    pub(super) unread: Option<Token>,
}

impl Tokens {
    pub(super) fn read(bytes: &[u8]) -> Self {
        let mut tokens = Self::default();
        let mut lexer = Lexer::new(0, Strings::Lines);
        // The open brackets, and the number of each kind.
        let mut open: Vec<(usize, BracketKind)> = Vec::new();
        let mut counts = [0_usize; 3];
        loop {
            let token = match lexer.next(bytes, true) {
                Lexed::Token(token) => token,
                Lexed::Comment => continue,
                Lexed::Wait | Lexed::End => break,
            };
            let index = tokens.list.len();
            if index >= MAX_TOKENS {
                tokens.unread = Some(token);
                break;
            }
            match token.kind {
                TokenKind::Open(kind) => {
                    open.push((index, kind));
                    counts[kind as usize] += 1;
                }
                TokenKind::Close(kind) if counts[kind as usize] == 0 => {
                    tokens.fault(BracketFault::Extra(token));
                    continue;
                }
                TokenKind::Close(kind) => {
                    while let Some((opener, top)) = open.pop() {
                        counts[top as usize] -= 1;
                        let nest = &mut tokens.nests[opener];
                        (nest.end, nest.is_closed) = (index, top == kind);
                        if top == kind {
                            break;
                        }
                        tokens.fault(BracketFault::Wrong(top, token));
                    }
                }
                TokenKind::Comma | TokenKind::Colon => {
                    if let Some(&(opener, _)) = open.last() {
                        let nest = &mut tokens.nests[opener];
                        nest.has_comma |= token.kind == TokenKind::Comma;
                        nest.has_colon |= token.kind == TokenKind::Colon;
                    }
                }
                _ => {}
            }
            tokens.list.push(token);
            tokens.nests.push(Nest::default());
        }
        let count = tokens.list.len();
        for &(opener, kind) in open.iter().rev() {
            tokens.nests[opener].end = count;
            tokens.missing.push(kind.closer());
        }
        tokens
    }

    fn fault(&mut self, fault: BracketFault) {
        if self.faults.len() < MAX_PROBLEMS {
            self.faults.push(fault);
        }
    }

    /// The extent of the opening bracket at `index`.
    pub(super) fn nest(&self, index: usize) -> Nest {
        self.nests[index]
    }

    pub(super) fn kind(&self, index: usize) -> Option<TokenKind> {
        self.list.get(index).map(|token| token.kind)
    }
}
