//! Builds a tree from the arguments between the parentheses of a Python call.
//!
//! A state machine over all tokens with an explicit stack.

mod text;

use std::borrow::Cow;

use super::faults::{self, Fault};
use super::lexer::{Token, TokenKind};
use super::literal::{Literal, literal};
use super::tokens::{BracketFault, Tokens};
use crate::diagnostic::{Code, Diagnostic};
use crate::text::Span;
use crate::value::bracket::BracketKind;
use crate::value::json::Arrival;
use crate::value::tree_builder::{ParsedArguments, Plain, TreeBuilder};
use crate::value::{ContainerKind, Scalar, Sink};

/// The container of values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Within {
    /// The parentheses of the call.
    Call,
    /// A list, a tuple or a set.
    Elements,
    /// A dictionary; if it is unpacked with `**`, its members are the call's keywords.
    Members(Members),
    Group,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Members {
    Own,
    Unpacked,
}

/// An open container, up to the token with this index.
#[derive(Clone, Copy, Debug)]
struct Frame {
    within: Within,
    end: usize,
    is_closed: bool,
}

/// Parses all of the text; see [`super::parse`].
pub(super) fn read<S: Sink + Default>(bytes: &[u8], at: usize, arrival: Arrival) -> ParsedArguments<S> {
    let tokens = Tokens::read(bytes);
    let call = Frame { within: Within::Call, end: tokens.list.len(), is_closed: false };
    let builder = TreeBuilder::with_root(Span::new(at, at + bytes.len()));
    let mut reader = PythonReader {
        bytes,
        at,
        arrival,
        tokens,
        builder,
        stack: vec![call],
        index: 0,
        positional: 0,
        is_lost: false,
    };
    reader.run();
    reader.finish()
}

struct PythonReader<'a, S> {
    bytes: &'a [u8],
    /// Offset of the text in the transcript.
    at: usize,
    arrival: Arrival,
    tokens: Tokens,
    builder: TreeBuilder<'a, 'static, S>,
    stack: Vec<Frame>,
    /// Index of the next token.
    index: usize,
    /// Number of arguments without a keyword.
    positional: usize,
    /// True if nothing more is read, since the rest is ambiguous.
    is_lost: bool,
}

impl<'a, S: Sink + Default> PythonReader<'a, S> {
    fn run(&mut self) {
        while let Some(&frame) = self.stack.last() {
            if self.index >= frame.end {
                self.stack.pop();
                self.leave(frame);
            } else if self.tokens.kind(self.index) == Some(TokenKind::Comma) {
                self.fault(Fault::ExtraComma, self.index);
                self.index += 1;
            } else {
                match frame.within {
                    Within::Call => self.argument(),
                    Within::Members(_) => self.member(),
                    Within::Elements | Within::Group => self.value(),
                }
            }
        }
    }

    fn leave(&mut self, frame: Frame) {
        match frame.within {
            Within::Call | Within::Members(Members::Unpacked) => {}
            Within::Group => self.builder.drop_key(),
            Within::Elements | Within::Members(Members::Own) => {
                let token = self.tokens.list.get(frame.end);
                let end = token.map_or(self.bytes.len(), |token| if frame.is_closed { token.end } else { token.start });
                self.builder.end(self.at + end);
            }
        }
        if !self.is_lost && !self.stack.is_empty() {
            self.index = frame.end + usize::from(frame.is_closed);
            self.behind_value();
        }
    }

    /// Reads a comma, or the end of the open container.
    fn behind_value(&mut self) {
        if self.index < self.end() {
            match self.tokens.kind(self.index) {
                Some(TokenKind::Comma) => self.index += 1,
                _ => self.fault(Fault::MissingComma, self.index),
            }
        }
    }

    /// Index of the token that ends the open container.
    fn end(&self) -> usize {
        self.stack.last().map_or(0, |frame| frame.end)
    }

    fn argument(&mut self) {
        let (start, end) = (self.index, self.end());
        let sign = if start + 1 < end { self.tokens.kind(start + 1) } else { None };
        let is_key = matches!(self.tokens.kind(start), Some(TokenKind::Word | TokenKind::Text(_)));
        match sign {
            Some(sign @ (TokenKind::Equals | TokenKind::Colon)) if is_key => {
                let token = self.tokens.list[start];
                let is_word = token.kind == TokenKind::Word;
                if !is_word || !is_identifier(self.source(token.start, token.end)) {
                    self.fault(Fault::Keyword, start);
                } else if sign == TokenKind::Colon {
                    self.fault(Fault::ColonForEquals, start + 1);
                }
                self.key(start, start + 1);
                self.index = start + 2;
                self.value_of_key(start);
            }
            Some(TokenKind::Operator) if self.is_unpacked(start) => {
                let nest = self.tokens.nest(start + 2);
                let place = self.place(start, nest.behind());
                let found = String::from_utf8_lossy(self.source_of(place)).into_owned();
                self.builder.problem(faults::not_a_literal(place, "a dictionary that is unpacked", &found));
                let within = Within::Members(Members::Unpacked);
                self.stack.push(Frame { within, end: nest.end, is_closed: nest.is_closed });
                self.index = start + 3;
            }
            _ => {
                let after = self.value_end(start);
                if self.is_arriving(after)
                    && matches!(self.tokens.kind(start), Some(TokenKind::Word | TokenKind::Operator))
                {
                    // It may turn out to be a keyword.
                    self.index = end;
                    return;
                }
                let place = self.place(start, after);
                let found = String::from_utf8_lossy(self.source_of(place)).into_owned();
                self.builder.problem(faults::positional(place, self.positional, &found));
                self.builder.key(self.positional.to_string(), Span::at(place.start), place.start);
                self.positional += 1;
                self.value();
            }
        }
    }

    /// True if `**{` is at `start`.
    fn is_unpacked(&self, start: usize) -> bool {
        let is_star = |index: usize| {
            let token = self.tokens.list[index];
            token.kind == TokenKind::Operator && self.bytes[token.start] == b'*'
        };
        let after = start + 2;
        after < self.end()
            && is_star(start)
            && is_star(start + 1)
            && self.tokens.kind(after) == Some(TokenKind::Open(BracketKind::Curly))
            && matches!(self.tokens.kind(self.tokens.nest(after).behind()), None | Some(TokenKind::Comma))
    }

    /// Reads a member of a dictionary.
    fn member(&mut self) {
        let (start, end) = (self.index, self.end());
        let colon = self.find(start, |kind| matches!(kind, TokenKind::Comma | TokenKind::Colon));
        if colon == start || self.tokens.kind(colon) != Some(TokenKind::Colon) || colon >= end {
            if !self.is_arriving(colon) {
                self.fault(Fault::MissingColon, start);
            }
            self.index = colon + 1;
            return;
        }
        self.key(start, colon);
        self.index = colon + 1;
        self.value_of_key(start);
    }

    /// Takes the tokens from `start` to `after` as the key of the next value.
    fn key(&mut self, start: usize, after: usize) {
        let first = self.tokens.list[start];
        let place = self.place(start, after);
        if self.is_text(start, after) {
            let (span, words) = self.text(start, after);
            let source = String::from_utf8_lossy(self.source_of(span));
            self.builder.key(words.map_or(source, |words| Cow::Owned(words.into())), span, place.start);
            return;
        }
        let source = self.source_of(place);
        let is_plain = after == start + 1 && first.kind == TokenKind::Word;
        let is_keyword = self.stack.last().is_some_and(|frame| frame.within == Within::Call);
        let words = match literal(source) {
            _ if !is_plain || is_keyword => String::from_utf8_lossy(source),
            Literal::Scalar(Scalar::Null) => Cow::Borrowed("null"),
            Literal::Scalar(Scalar::Boolean(true)) => Cow::Borrowed("true"),
            Literal::Scalar(Scalar::Boolean(false)) => Cow::Borrowed("false"),
            Literal::Scalar(_) | Literal::Rounded(_) => {
                Cow::Owned(String::from_utf8_lossy(source).replace(['_', '+'], ""))
            }
            Literal::None => String::from_utf8_lossy(source),
        };
        if !is_keyword && (!is_plain || literal(source) == Literal::None) {
            let what = "no key that JSON has";
            self.builder.problem(faults::not_a_literal(place, what, &words));
        }
        self.builder.key(words, place, place.start);
    }

    /// Reads the value after a key and its sign; `key` is the index of the key.
    fn value_of_key(&mut self, key: usize) {
        let is_end = self.index >= self.end();
        if !is_end && self.tokens.kind(self.index) != Some(TokenKind::Comma) {
            self.value();
            return;
        }
        if !self.is_arriving(self.index) {
            self.fault(Fault::MissingValue, key);
        }
        self.builder.drop_key();
        self.index += usize::from(!is_end);
    }

    /// Reads a value and the comma after it.
    fn value(&mut self) {
        let (start, end) = (self.index, self.end());
        let Some(kind) = self.tokens.kind(start) else { return };
        let after = match kind {
            TokenKind::Word => start + 1,
            TokenKind::Text(_) => self.text_end(start),
            TokenKind::Open(_) => self.tokens.nest(start).behind(),
            _ => start,
        };
        let is_whole = after > start && (after >= end || self.tokens.kind(after) == Some(TokenKind::Comma));
        if !(is_whole || after > start && self.is_next_key(after)) {
            if matches!(kind, TokenKind::Text(_)) && self.is_glued(after) {
                self.unescaped_quote(start, after);
            } else {
                self.expression(start);
            }
            return;
        }
        match kind {
            TokenKind::Open(bracket) => {
                self.open(start, bracket);
                return;
            }
            TokenKind::Text(_) => self.plain_text(start, after),
            _ => self.word(start),
        }
        self.index = after;
        self.behind_value();
    }

    /// True if `index` is at the key of the next argument or member, before which a comma is missing.
    fn is_next_key(&self, index: usize) -> bool {
        if index + 1 >= self.end() {
            return false;
        }
        let within = self.stack.last().map(|frame| frame.within);
        match (within, self.tokens.kind(index), self.tokens.kind(index + 1)) {
            (Some(Within::Call), Some(TokenKind::Word), Some(TokenKind::Equals)) => !self.is_glued(index),
            (Some(Within::Members(_)), Some(TokenKind::Text(_)), Some(TokenKind::Colon)) => true,
            _ => false,
        }
    }

    /// True if a word directly follows the token before it; `index` is the word's.
    fn is_glued(&self, index: usize) -> bool {
        let is_word = index < self.end() && self.tokens.kind(index) == Some(TokenKind::Word);
        is_word && self.tokens.list[index - 1].end == self.tokens.list[index].start
    }

    fn open(&mut self, start: usize, bracket: BracketKind) {
        let nest = self.tokens.nest(start);
        let is_empty = nest.end == start + 1;
        // A dictionary whose first key is arriving has no colon yet.
        let is_begun = !nest.is_closed && !nest.has_comma && self.arrival == Arrival::Open;
        let within = match bracket {
            BracketKind::Round if !nest.has_comma && !is_empty => Within::Group,
            BracketKind::Curly if nest.has_colon || is_empty || is_begun => Within::Members(Members::Own),
            _ => Within::Elements,
        };
        let token = self.tokens.list[start];
        let place = self.span(token.start, token.end);
        let holder = match within {
            Within::Elements => Some(ContainerKind::Array),
            Within::Members(_) => Some(ContainerKind::Object),
            Within::Call | Within::Group => None,
        };
        if let Some(holder) = holder {
            self.builder.begin(holder, place);
        }
        self.stack.push(Frame { within, end: nest.end, is_closed: nest.is_closed });
        self.index = start + 1;
    }

    fn word(&mut self, index: usize) {
        let token = self.tokens.list[index];
        let source = self.source(token.start, token.end);
        let place = self.span(token.start, token.end);
        let is_arriving = self.is_arriving(index + 1);
        let shown = || String::from_utf8_lossy(source);
        let scalar = match literal(source) {
            Literal::Scalar(scalar) => scalar,
            Literal::Rounded(number) => {
                if !is_arriving {
                    self.builder.problem(faults::lossy_number(place, &shown(), number));
                }
                if number.is_finite() { Scalar::Number(number) } else { Scalar::String }
            }
            Literal::None => {
                if !is_arriving {
                    self.builder.problem(faults::not_a_literal(place, "a bare word", &shown()));
                }
                Scalar::String
            }
        };
        self.builder.plain(Plain { scalar, value: place, place }, || None);
    }

    /// Adds a value that is not a Python literal: its source is its text.
    fn expression(&mut self, start: usize) {
        let after = self.value_end(start);
        let place = self.place(start, after);
        if !self.is_arriving(after) {
            let found = String::from_utf8_lossy(self.source_of(place)).into_owned();
            self.builder.problem(faults::not_a_literal(place, "an expression", &found));
        }
        self.builder.plain(Plain { scalar: Scalar::String, value: place, place }, || None);
        self.index = after;
        self.behind_value();
    }

    /// The index after a value of any kind.
    fn value_end(&self, start: usize) -> usize {
        self.find(start, |kind| kind == TokenKind::Comma)
    }

    /// Index of the first such token outside brackets, or of the end of the open container.
    fn find(&self, start: usize, is_wanted: impl Fn(TokenKind) -> bool) -> usize {
        let mut index = start;
        while index < self.end() {
            match self.tokens.kind(index) {
                Some(TokenKind::Open(_)) => index = self.tokens.nest(index).behind().max(index + 1),
                Some(kind) if !is_wanted(kind) => index += 1,
                _ => break,
            }
        }
        index.min(self.end())
    }

    /// True if the part before this token may continue when more arrives.
    fn is_arriving(&self, after: usize) -> bool {
        self.arrival == Arrival::Open && after >= self.tokens.list.len()
    }

    fn source(&self, start: usize, end: usize) -> &'a [u8] {
        &self.bytes[start..end.max(start)]
    }

    fn source_of(&self, place: Span) -> &'a [u8] {
        self.source(place.start - self.at, place.end - self.at)
    }

    fn span(&self, start: usize, end: usize) -> Span {
        Span::new(self.at + start, self.at + end)
    }

    /// The span of the tokens from `start` to `after`, but at least of the first one.
    fn place(&self, start: usize, after: usize) -> Span {
        let after = after.clamp(start + 1, self.tokens.list.len());
        self.span(self.tokens.list[start].start, self.tokens.list[after - 1].end)
    }

    fn fault(&mut self, fault: Fault, index: usize) {
        let Token { start, end, .. } = self.tokens.list[index];
        let problem = faults::describe(fault, self.span(start, end), &String::from_utf8_lossy(self.source(start, end)));
        self.builder.refuse(problem);
    }

    fn finish(mut self) -> ParsedArguments<S> {
        for fault in std::mem::take(&mut self.tokens.faults) {
            let (BracketFault::Wrong(_, token) | BracketFault::Extra(token)) = fault;
            let found = String::from_utf8_lossy(self.source(token.start, token.end));
            let problem = faults::bracket(fault, self.span(token.start, token.end), &found);
            self.builder.refuse(problem);
        }
        let last = self.tokens.list.last().copied();
        let in_string = last.is_some_and(|last| matches!(last.kind, TokenKind::Text(quotes) if !quotes.closed));
        if let Some(unread) = self.tokens.unread {
            let message = format!("more than {} words and signs; further ones are not shown", super::MAX_TOKENS);
            let place = self.span(unread.start, unread.end);
            self.builder.problem(Diagnostic::new(Code::JsonTooLarge, place, message));
        } else if self.arrival == Arrival::Whole
            && !self.is_lost
            && (in_string || !self.tokens.missing.is_empty())
            && let Some(last) = last
        {
            let end = last.start + self.source(last.start, last.end).trim_ascii_end().len();
            let place = self.span(end, end);
            self.builder.refuse(faults::truncated(place, in_string, &self.tokens.missing));
        }
        self.builder.finish(self.at + self.bytes.len())
    }
}

/// True if a word can be the name of an argument, in any script.
fn is_identifier(word: &[u8]) -> bool {
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80;
    word.first().is_some_and(|byte| !byte.is_ascii_digit()) && word.iter().all(|&byte| is_name(byte))
}
