//! Finds Python calls that are still arriving: in a list, or one after another.
//!
//! Values are skipped. After a fault in a call it searches for the call's end, if that can be determined.

use std::sync::Arc;

use memchr::memmem;

use super::lexer::{Lexed, Lexer, Token, TokenKind};
use super::recovery::{Recovered, Recovery};
use crate::text::Span;
use crate::value::bracket::{BracketKind, Brackets, Closed};
use crate::value::json::lexer::Strings;

/// Longest name of a call, in bytes; a longer word is not a name.
const MAX_NAME: usize = 256;

/// A finding; offsets are in the transcript.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PythonEvent {
    /// A call begins; its arguments begin at `body`, after the parenthesis.
    Call {
        /// The bytes of its name.
        name: Span,
        /// Offset of its first argument.
        body: usize,
    },
    /// An argument with a keyword begins at this offset.
    Argument(usize),
    /// The call ends.
    End {
        /// Offset after its arguments.
        body_end: usize,
        /// Offset after its closing parenthesis, if there is one.
        end: usize,
    },
    /// The list is closed before this offset, or no more calls follow. This is the last event.
    Done(usize),
    /// A broken rule at this offset. Within a call its end is searched for; elsewhere this is the last event.
    Broken(usize),
    /// The text ends within a call or a list. This is the last event.
    Truncated,
}

/// The next expected part.
#[derive(Clone, Debug)]
enum ExpectedPart {
    /// A list or the first call.
    Start,
    /// A call, or the end of the list.
    Name,
    /// Text after a call that ends at this offset.
    Behind(usize),
    /// A part of a call, and the possible keyword of an argument.
    Inside(Keyword),
    Recovering(Recovery),
    Over,
}

#[derive(Clone, Copy, Debug)]
enum Keyword {
    Expected,
    /// A word at this offset, which is a keyword if `=` follows.
    Candidate(usize),
    No,
}

/// Finds calls, their arguments and their ends. No byte is examined twice, except for a few at the end.
#[derive(Clone, Debug)]
pub struct PythonWalker {
    /// Offset of the text in the transcript.
    base: usize,
    lexer: Lexer,
    state: ExpectedPart,
    /// True if the calls are in a list.
    is_list: bool,
    brackets: Brackets,
    /// Text that ends everything outside strings; may be empty.
    closer: Arc<[u8]>,
    queue: Option<PythonEvent>,
}

impl PythonWalker {
    /// A walker for the text that begins at `base`. Strings end with their line, as in Python, unless they have triple
    /// quotes.
    pub fn new(base: usize) -> Self {
        Self {
            base,
            lexer: Lexer::new(0, Strings::OneLine),
            state: ExpectedPart::Start,
            is_list: false,
            brackets: Brackets::default(),
            closer: Arc::from([]),
            queue: None,
        }
    }

    /// Sets which characters strings may hold; only a text between markers should allow raw line feeds.
    #[must_use]
    pub fn allow(mut self, strings: Strings) -> Self {
        self.lexer.strings = strings;
        self
    }

    /// Sets the closing marker, which ends everything outside strings.
    #[must_use]
    pub fn with_closer(self, closer: impl Into<Arc<[u8]>>) -> Self {
        Self { closer: closer.into(), ..self }
    }

    /// Offset after the bytes read so far.
    pub fn offset(&self) -> usize {
        match &self.state {
            ExpectedPart::Recovering(recovery) => self.base + recovery.decided(),
            _ => self.base + self.lexer.offset(),
        }
    }

    /// Offset up to which `bytes`, which begin at the base, certainly belong to the open call.
    pub fn decided(&self, bytes: &[u8]) -> usize {
        let is_sure = self
            .lexer
            .open_string(bytes)
            .is_some_and(|quotes| quotes.length == 3 || self.lexer.strings == Strings::Lines);
        if is_sure && self.is_in_call() { self.base + bytes.len() } else { self.offset() }
    }

    /// The quotes that would close the string at the end of `bytes`, which begin at the base.
    pub(crate) fn open_quotes(&self, bytes: &[u8]) -> Option<&'static str> {
        let quotes = self.lexer.open_string(bytes).filter(|_| matches!(self.state, ExpectedPart::Inside(_)))?;
        let is_double = bytes.get(self.lexer.offset() + usize::from(quotes.prefix)) == Some(&b'"');
        Some(match (quotes.length, is_double) {
            (3, true) => "\"\"\"",
            (3, false) => "'''",
            (_, true) => "\"",
            (_, false) => "'",
        })
    }

    /// True if a call is open, malformed or not.
    pub(crate) fn is_in_call(&self) -> bool {
        matches!(self.state, ExpectedPart::Inside(_) | ExpectedPart::Recovering(_))
    }

    /// The next event in `bytes`, which begin at the base; `None` if more must arrive, or at the end. `finished` says
    /// that nothing more arrives.
    pub fn next(&mut self, bytes: &[u8], finished: bool) -> Option<PythonEvent> {
        loop {
            if let Some(event) = self.queue.take() {
                return Some(event);
            }
            match &mut self.state {
                ExpectedPart::Over => return None,
                ExpectedPart::Recovering(recovery) => {
                    let recovered = recovery.advance(bytes, &self.closer, finished);
                    return self.recovered(recovered);
                }
                _ => {}
            }
            let rest = self.lexer.skip_blank(bytes);
            if !self.closer.is_empty() && !rest.is_empty() {
                if rest.starts_with(&self.closer) {
                    return Some(self.closed_from_outside());
                } else if !finished && self.closer.starts_with(rest) {
                    return None;
                }
            }
            match self.lexer.next(bytes, finished) {
                Lexed::Wait if self.is_endless_name(bytes) => return Some(self.no_name(self.lexer.offset())),
                Lexed::Wait => return None,
                Lexed::Comment => {}
                Lexed::End => return Some(self.text_ends()),
                Lexed::Token(token) => {
                    let event = self.take(token, bytes);
                    if event.is_some() {
                        return event;
                    }
                }
            }
        }
    }

    /// True if the arriving word is too long for a name.
    fn is_endless_name(&self, bytes: &[u8]) -> bool {
        let is_expected = matches!(self.state, ExpectedPart::Start | ExpectedPart::Name | ExpectedPart::Behind(_));
        is_expected && bytes.len() - self.lexer.offset() > MAX_NAME && bytes[self.lexer.offset()] != b'#'
    }

    fn take(&mut self, token: Token, bytes: &[u8]) -> Option<PythonEvent> {
        match self.state {
            ExpectedPart::Start if token.kind == TokenKind::Open(BracketKind::Square) => {
                (self.is_list, self.state) = (true, ExpectedPart::Name);
                None
            }
            ExpectedPart::Name if self.is_list && token.kind == TokenKind::Close(BracketKind::Square) => {
                Some(self.over(PythonEvent::Done(self.base + token.end)))
            }
            ExpectedPart::Start | ExpectedPart::Name => Some(self.name(token, bytes)),
            ExpectedPart::Behind(end) => match token.kind {
                TokenKind::Comma => {
                    self.state = if self.is_list { ExpectedPart::Name } else { ExpectedPart::Behind(end) };
                    None
                }
                TokenKind::Close(BracketKind::Square) if self.is_list => {
                    Some(self.over(PythonEvent::Done(self.base + token.end)))
                }
                _ if !self.is_list && is_name(token, bytes) => Some(self.name(token, bytes)),
                _ => Some(self.no_name(token.start)),
            },
            ExpectedPart::Inside(keyword) => self.inside(keyword, token, bytes),
            ExpectedPart::Recovering(_) | ExpectedPart::Over => None,
        }
    }

    fn name(&mut self, token: Token, bytes: &[u8]) -> PythonEvent {
        if !is_name(token, bytes) {
            return self.no_name(token.start);
        }
        let body = token.end + 1;
        self.lexer = Lexer::new(body, self.lexer.strings);
        self.brackets = Brackets::default();
        self.brackets.open(BracketKind::Round);
        self.state = ExpectedPart::Inside(Keyword::Expected);
        let name = Span::new(self.base + token.start, self.base + token.end);
        PythonEvent::Call { name, body: self.base + body }
    }

    fn inside(&mut self, keyword: Keyword, token: Token, bytes: &[u8]) -> Option<PythonEvent> {
        let is_outermost = self.brackets.depth() == 1;
        let mut next = Keyword::No;
        let event = match (token.kind, keyword) {
            (TokenKind::Equals | TokenKind::Colon, Keyword::Candidate(at)) => {
                Some(PythonEvent::Argument(self.base + at))
            }
            (TokenKind::Text(quotes), _) if !quotes.closed => {
                return Some(self.cut_string(token, bytes));
            }
            (TokenKind::Word | TokenKind::Text(_), Keyword::Expected) => {
                next = Keyword::Candidate(token.start);
                None
            }
            (TokenKind::Comma, _) if is_outermost => {
                next = Keyword::Expected;
                None
            }
            (TokenKind::Open(kind), _) => {
                self.brackets.open(kind);
                None
            }
            (TokenKind::Close(kind), _) => return self.close(kind, token),
            _ => None,
        };
        self.state = ExpectedPart::Inside(next);
        event
    }

    fn close(&mut self, kind: BracketKind, token: Token) -> Option<PythonEvent> {
        let closed = self.brackets.close(kind);
        let is_even = self.brackets.depth() == 0;
        let end = self.end(token.start, token.end);
        match closed {
            Closed::Innermost if is_even => {
                self.state = ExpectedPart::Behind(token.end);
                Some(end)
            }
            Closed::Innermost => {
                self.state = ExpectedPart::Inside(Keyword::No);
                None
            }
            // A bracket is missing before this one, which ends the call anyway.
            Closed::Outer if is_even => {
                self.state = ExpectedPart::Behind(token.end);
                self.queue = Some(end);
                Some(PythonEvent::Broken(self.base + token.start))
            }
            Closed::Outer => Some(self.recover(token.start, token.end)),
            // A bracket that closes the list closes the call, too.
            Closed::Nothing => Some(self.recover(token.start, token.start)),
        }
    }

    /// A string that is cut off by its line, or the end of the text.
    fn cut_string(&mut self, token: Token, bytes: &[u8]) -> PythonEvent {
        let closer =
            if self.closer.is_empty() { None } else { memmem::find(&bytes[token.start..token.end], &self.closer) };
        match closer {
            Some(at) => self.recover(token.start + at, token.start + at),
            None if token.end == bytes.len() => self.over(PythonEvent::Truncated),
            None => self.recover(token.end, token.end),
        }
    }

    /// Reports a fault at `at`; the end of the call is searched for starting at `from`.
    fn recover(&mut self, at: usize, from: usize) -> PythonEvent {
        self.state = ExpectedPart::Recovering(Recovery::new(from, std::mem::take(&mut self.brackets), self.is_list));
        PythonEvent::Broken(self.base + at)
    }

    fn recovered(&mut self, recovered: Recovered) -> Option<PythonEvent> {
        let (end, state) = match recovered {
            Recovered::Wait => return None,
            Recovered::End => return Some(self.over(PythonEvent::Truncated)),
            Recovered::Even(end) => (self.end(end - 1, end), ExpectedPart::Behind(end)),
            Recovered::ListEnds(at) => (self.end(at, at), ExpectedPart::Behind(at)),
            Recovered::Stopped(at) => {
                self.queue = Some(PythonEvent::Done(self.base + at));
                (self.end(at, at), ExpectedPart::Over)
            }
        };
        if let ExpectedPart::Behind(at) = state {
            self.lexer = Lexer::new(at, self.lexer.strings);
        }
        self.state = state;
        Some(end)
    }

    /// Handles the closing marker at the lexer's offset.
    fn closed_from_outside(&mut self) -> PythonEvent {
        let at = self.lexer.offset();
        match self.state {
            ExpectedPart::Inside(_) => self.recover(at, at),
            _ => self.no_name(at),
        }
    }

    fn text_ends(&mut self) -> PythonEvent {
        match self.state {
            ExpectedPart::Behind(end) if !self.is_list => self.over(PythonEvent::Done(self.base + end)),
            _ => self.over(PythonEvent::Truncated),
        }
    }

    /// The text at `at` is not a call: without a list, this ends the calls.
    fn no_name(&mut self, at: usize) -> PythonEvent {
        match self.state {
            ExpectedPart::Behind(end) if !self.is_list => self.over(PythonEvent::Done(self.base + end)),
            _ => self.over(PythonEvent::Broken(self.base + at)),
        }
    }

    fn over(&mut self, event: PythonEvent) -> PythonEvent {
        self.state = ExpectedPart::Over;
        event
    }

    fn end(&self, body_end: usize, end: usize) -> PythonEvent {
        PythonEvent::End { body_end: self.base + body_end, end: self.base + end }
    }
}

/// True if a token is the name of a call: a word not starting with a digit, directly before a parenthesis.
fn is_name(token: Token, bytes: &[u8]) -> bool {
    let first = bytes[token.start];
    token.kind == TokenKind::Word
        && (first.is_ascii_alphabetic() || first == b'_' || first >= 0x80)
        && token.end - token.start <= MAX_NAME
        && bytes.get(token.end) == Some(&b'(')
}
