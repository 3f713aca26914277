//! Parses the nesting of a JSON text's tokens, and detects broken rules.
//!
//! A pushdown automaton without recursion. If the intended meaning is clear, it reports a fault and continues: an extra
//! or missing comma, a comment, single quotes, an unquoted key, a bracket of the other kind. Any other fault is fatal,
//! since the rest is ambiguous.

use super::lexer::{Lexed, Lexer, Strings, Token, TokenKind};
use crate::value::ContainerKind;

/// An event of the automaton; offsets are in the JSON text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JsonEvent {
    /// A container begins at this offset.
    Begin(ContainerKind, usize),
    /// The key of a member.
    Key(Token),
    /// A plain value.
    Scalar(Token),
    /// The innermost container ends after this offset.
    End(usize),
    /// A rule is broken.
    Fault(Fault),
}

/// A rule of JSON that the text breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The broken rule.
    pub(crate) kind: FaultKind,
    /// Offset of the first byte that shows it.
    pub(crate) start: usize,
    /// Offset after the last byte that shows it.
    pub(crate) end: usize,
}

/// The kinds of faults.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// A comma before a closing bracket.
    TrailingComma,
    /// Two commas in a row, or one at the beginning.
    ExtraComma,
    /// No comma between two members or elements.
    MissingComma,
    /// No colon after a key.
    MissingColon,
    /// A key without a value.
    MissingValue,
    /// A comment.
    Comment,
    /// A string in single quotes.
    SingleQuotes,
    /// A key without quotes.
    UnquotedKey,
    /// A closing bracket of the other kind; this one was expected.
    WrongCloser(ContainerKind),
    /// A closing bracket without an opening one.
    ExtraCloser,
    /// An unexpected token; the text names the expected one.
    Unexpected(&'static str),
    /// The text ends before its value.
    Truncated,
}

impl Fault {
    /// The fault with offsets into the text without its first `gone` bytes.
    #[must_use]
    pub(crate) fn from(self, gone: usize) -> Self {
        Self { start: self.start - gone, end: self.end - gone, ..self }
    }

    /// True if nothing after it is read.
    pub(crate) fn is_fatal(&self) -> bool {
        matches!(self.kind, FaultKind::Unexpected(_) | FaultKind::Truncated)
    }
}

/// The next expected token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Expect {
    /// The value itself.
    Value,
    /// The first element, or the end.
    FirstElement,
    /// An element, after a comma.
    Element,
    /// A comma or the end of an array.
    AfterElement,
    /// The first key, or the end.
    FirstKey,
    /// A key, after a comma.
    Key,
    /// A colon.
    Colon,
    /// A member's value.
    MemberValue,
    /// A comma or the end of an object.
    AfterMember,
    /// Nothing: the value is complete, or a fault was fatal.
    Nothing,
}

/// The kind of token that a strict parser expects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ExpectedToken {
    /// A value, or the end of an empty array.
    Value,
    /// A key, or the end of an empty object.
    Key,
    /// The colon after a key.
    Colon,
    /// A comma or a closing bracket.
    Comma,
    /// Nothing: the value is complete.
    Nothing,
}

/// The automaton, for one value.
#[derive(Clone, Debug)]
pub(crate) struct JsonParser {
    lexer: Lexer,
    expect: Expect,
    /// The expectation at the last token.
    expected: Expect,
    stack: Vec<ContainerKind>,
    objects: usize,
    /// Offset after the last token.
    last: usize,
    /// Offset of the last comma.
    comma: usize,
    /// Events of the last tokens, and the number of those returned.
    events: Vec<JsonEvent>,
    given: usize,
    complete: bool,
}

impl JsonParser {
    /// An automaton for the value at `at`.
    pub(crate) fn at(at: usize) -> Self {
        Self {
            lexer: Lexer::at(at),
            expect: Expect::Value,
            expected: Expect::Value,
            stack: Vec::new(),
            objects: 0,
            last: at,
            comma: 0,
            events: Vec::new(),
            given: 0,
            complete: false,
        }
    }

    /// Offset after the bytes read so far.
    pub(crate) fn offset(&self) -> usize {
        self.lexer.offset()
    }

    /// True if it is in a double-quoted string that is a value in `bytes`: whatever follows, there is no fault before
    /// it.
    pub(crate) fn is_in_value(&self, bytes: &[u8]) -> bool {
        self.expects_value() && self.lexer.first(bytes) == Some(b'"')
    }

    /// The kind of token that was expected in place of the last one.
    pub(crate) fn expected(&self) -> ExpectedToken {
        match self.expected {
            Expect::Value | Expect::FirstElement | Expect::Element | Expect::MemberValue => ExpectedToken::Value,
            Expect::FirstKey | Expect::Key => ExpectedToken::Key,
            Expect::Colon => ExpectedToken::Colon,
            Expect::AfterElement | Expect::AfterMember => ExpectedToken::Comma,
            Expect::Nothing => ExpectedToken::Nothing,
        }
    }

    fn expects_value(&self) -> bool {
        matches!(self.expect, Expect::Value | Expect::FirstElement | Expect::Element | Expect::MemberValue)
    }

    /// Number of leading bytes that the caller no longer passes; offsets still count them.
    pub(crate) fn gone(&self) -> usize {
        self.lexer.gone()
    }

    /// Drops the bytes already read. An unfinished token is dropped if it has more than `longest` bytes and no fault
    /// can begin at its first byte; a bare word only if `words` says that it cannot be one.
    pub(crate) fn release(&mut self, bytes: &[u8], longest: usize, words: bool) {
        let is_text = matches!(self.lexer.first(bytes), Some(b'"' | b'\''));
        let is_plain = self.lexer.first(bytes) != Some(b'/');
        let expected = self.expects_value() || matches!(self.expect, Expect::FirstKey | Expect::Key);
        let is_sound = expected && (is_text || words && is_plain);
        self.lexer.release(bytes, is_sound && self.lexer.looked_into() > longest);
    }

    /// The content of the last token without its dropped bytes.
    pub(crate) fn content<'a>(&self, token: Token, bytes: &'a [u8]) -> &'a [u8] {
        self.lexer.content(token, bytes)
    }

    /// Number of open containers.
    pub(crate) fn depth(&self) -> usize {
        self.stack.len()
    }

    /// True if the value is complete and all events have been taken.
    pub(crate) fn is_complete(&self) -> bool {
        self.complete && self.given == self.events.len()
    }

    /// Sets which characters strings may hold, starting with the next token.
    pub(crate) fn allow(&mut self, strings: Strings) {
        self.lexer.strings = strings;
    }

    /// Continues at `at` after a fault, with `depth` containers open and a value just complete.
    pub(crate) fn resume(&mut self, at: usize, depth: usize) {
        self.lexer.jump(at);
        while self.stack.len() > depth {
            self.pop();
        }
        self.events.clear();
        self.given = 0;
        self.value_ends();
    }

    /// Drops the first `bytes` bytes of the text from all offsets; they must have been read, and their events taken.
    pub(crate) fn forget(&mut self, bytes: usize) {
        self.lexer.forget(bytes);
        self.last = self.last.saturating_sub(bytes);
        self.comma = self.comma.saturating_sub(bytes);
    }

    /// The next event in `bytes`, the text so far; `None` if more must arrive, or at the end.
    pub(crate) fn next(&mut self, bytes: &[u8], finished: bool) -> Option<JsonEvent> {
        loop {
            if let Some(event) = self.events.get(self.given) {
                self.given += 1;
                return Some(*event);
            }
            self.events.clear();
            self.given = 0;
            if self.expect == Expect::Nothing {
                return None;
            }
            self.expected = self.expect;
            match self.lexer.next(bytes, finished) {
                Lexed::Wait => return None,
                Lexed::End => self.fault(FaultKind::Truncated, self.last, self.last),
                Lexed::Token(token) => {
                    self.take(token, bytes);
                    self.last = token.end;
                }
            }
        }
    }

    fn take(&mut self, token: Token, bytes: &[u8]) {
        if token.kind == TokenKind::Comment {
            self.fault(FaultKind::Comment, token.start, token.end);
            return;
        }
        match self.expect {
            Expect::Value | Expect::FirstElement | Expect::Element | Expect::MemberValue => self.value(token, bytes),
            Expect::FirstKey | Expect::Key => self.key(token, bytes),
            Expect::Colon => match token.kind {
                TokenKind::Colon => self.expect = Expect::MemberValue,
                TokenKind::Word if self.content(token, bytes).starts_with(b"=") => {
                    self.fault(FaultKind::MissingColon, token.start, token.end);
                    self.expect = Expect::MemberValue;
                }
                TokenKind::Text | TokenKind::Word | TokenKind::Open(_) => {
                    self.fault(FaultKind::MissingColon, token.start, token.end);
                    self.value(token, bytes);
                }
                _ => self.value(token, bytes),
            },
            Expect::AfterElement => match token.kind {
                TokenKind::Comma => self.next_after(token, Expect::Element),
                TokenKind::Close(bracket) => self.close(bracket, token),
                TokenKind::Text | TokenKind::Open(_) => self.without_comma(token, bytes, Expect::Element),
                TokenKind::Word if is_literal(self.content(token, bytes)) => {
                    self.without_comma(token, bytes, Expect::Element);
                }
                _ => self.fault(FaultKind::Unexpected("a comma or ]"), token.start, token.end),
            },
            Expect::AfterMember => match token.kind {
                TokenKind::Comma => self.next_after(token, Expect::Key),
                TokenKind::Close(bracket) => self.close(bracket, token),
                TokenKind::Text if self.lexer.first_at(token.start, bytes) == Some(b'"') => {
                    self.without_comma(token, bytes, Expect::Key);
                }
                _ => self.fault(FaultKind::Unexpected("a comma or }"), token.start, token.end),
            },
            Expect::Nothing => {}
        }
    }

    fn value(&mut self, token: Token, bytes: &[u8]) {
        match token.kind {
            TokenKind::Open(bracket) => {
                self.stack.push(bracket);
                self.objects += usize::from(bracket == ContainerKind::Object);
                self.events.push(JsonEvent::Begin(bracket, token.start));
                self.expect = match bracket {
                    ContainerKind::Object => Expect::FirstKey,
                    ContainerKind::Array => Expect::FirstElement,
                };
            }
            TokenKind::Text | TokenKind::Word => {
                self.quotes(token, bytes);
                self.events.push(JsonEvent::Scalar(token));
                self.value_ends();
                self.unclosed(token, bytes);
            }
            TokenKind::Close(bracket) => match self.expect {
                Expect::Value => self.fault(FaultKind::Unexpected("a value"), token.start, token.end),
                Expect::Element => {
                    self.fault(FaultKind::TrailingComma, self.comma, self.comma + 1);
                    self.close(bracket, token);
                }
                Expect::MemberValue | Expect::Colon => {
                    self.fault(FaultKind::MissingValue, token.start, token.end);
                    self.close(bracket, token);
                }
                _ => self.close(bracket, token),
            },
            TokenKind::Comma => match self.expect {
                Expect::MemberValue | Expect::Colon => {
                    self.fault(FaultKind::MissingValue, token.start, token.end);
                    self.next_after(token, Expect::Key);
                }
                Expect::Value => self.fault(FaultKind::Unexpected("a value"), token.start, token.end),
                _ => {
                    self.fault(FaultKind::ExtraComma, token.start, token.end);
                    self.next_after(token, Expect::Element);
                }
            },
            TokenKind::Colon | TokenKind::Comment => {
                self.fault(FaultKind::Unexpected("a value"), token.start, token.end);
            }
        }
    }

    fn key(&mut self, token: Token, bytes: &[u8]) {
        match token.kind {
            TokenKind::Text | TokenKind::Word => {
                if token.kind == TokenKind::Word {
                    self.fault(FaultKind::UnquotedKey, token.start, token.end);
                }
                self.quotes(token, bytes);
                self.events.push(JsonEvent::Key(token));
                self.expect = Expect::Colon;
                self.unclosed(token, bytes);
            }
            TokenKind::Close(bracket) => {
                if self.expect == Expect::Key {
                    self.fault(FaultKind::TrailingComma, self.comma, self.comma + 1);
                }
                self.close(bracket, token);
            }
            TokenKind::Comma => {
                self.fault(FaultKind::ExtraComma, token.start, token.end);
                self.next_after(token, Expect::Key);
            }
            _ => self.fault(FaultKind::Unexpected("a key in double quotes"), token.start, token.end),
        }
    }

    fn next_after(&mut self, comma: Token, expect: Expect) {
        self.comma = comma.start;
        self.expect = expect;
    }

    /// A member or element without a comma before it.
    fn without_comma(&mut self, token: Token, bytes: &[u8], expect: Expect) {
        self.fault(FaultKind::MissingComma, token.start, token.end.min(token.start + 1));
        self.expect = expect;
        self.take(token, bytes);
    }

    fn close(&mut self, bracket: ContainerKind, token: Token) {
        let arrays = self.stack.len() - self.objects;
        let open = if bracket == ContainerKind::Object { self.objects } else { arrays };
        if open == 0 {
            self.fault(FaultKind::ExtraCloser, token.start, token.end);
            return;
        }
        while let Some(top) = self.pop() {
            if top == bracket {
                self.events.push(JsonEvent::End(token.end));
                break;
            }
            self.fault(FaultKind::WrongCloser(top), token.start, token.end);
            self.events.push(JsonEvent::End(token.start));
        }
        self.value_ends();
    }

    fn pop(&mut self) -> Option<ContainerKind> {
        let top = self.stack.pop()?;
        self.objects -= usize::from(top == ContainerKind::Object);
        Some(top)
    }

    /// Ends a value: its container decides what is expected next.
    fn value_ends(&mut self) {
        self.expect = match self.stack.last() {
            None => Expect::Nothing,
            Some(ContainerKind::Array) => Expect::AfterElement,
            Some(ContainerKind::Object) => Expect::AfterMember,
        };
        self.complete = self.stack.is_empty();
    }

    fn quotes(&mut self, token: Token, bytes: &[u8]) {
        if self.lexer.first_at(token.start, bytes) == Some(b'\'') {
            self.fault(FaultKind::SingleQuotes, token.start, token.end);
        }
    }

    /// Reports a string without its closing quote, which ends the parse.
    fn unclosed(&mut self, token: Token, bytes: &[u8]) {
        if !token.closed {
            let kind = if token.end == self.gone() + bytes.len() {
                FaultKind::Truncated
            } else {
                FaultKind::Unexpected("the closing quote on the same line")
            };
            // Before the final line feed of a file, so that the position is on an existing line.
            let end = self.lexer.content_end(bytes, token.end).max(token.start + 1);
            self.fault(kind, end, end);
            self.complete = false;
        }
    }

    fn fault(&mut self, kind: FaultKind, start: usize, end: usize) {
        let fault = Fault { kind, start, end };
        self.events.push(JsonEvent::Fault(fault));
        if fault.is_fatal() {
            self.expect = Expect::Nothing;
        }
    }
}

/// True if a bare word is a value in JSON or Python.
pub(crate) fn is_literal(word: &[u8]) -> bool {
    match word {
        b"true" | b"false" | b"null" | b"True" | b"False" | b"None" | b"NaN" | b"undefined" => true,
        _ => matches!(word, [b'-' | b'+', rest @ ..] | rest if rest.first().is_some_and(u8::is_ascii_digit)),
    }
}
