//! Python expressions as `ast.parse` takes them, as far as a model's calls may hold them.
//!
//! Operators, comparisons and subscripts are followed but come out as [`Node::Other`], since no runtime takes them as an
//! argument. Comprehensions, lambdas and assignments count as wrong syntax. Spans count from the beginning of the text.

use super::super::value::Value;
use super::expression::{CallNode, Node, Sign};
use super::text::{Literal, literal};
use crate::text::Span;

/// Deepest nesting of brackets and signs, as Python has it.
const MAX_DEPTH: usize = 200;

/// Most digits of an integer, as Python has it.
const MAX_DIGITS: usize = 4300;

/// The words that are no names.
const KEYWORDS: [&str; 35] = [
    "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue", "def", "del",
    "elif", "else", "except", "finally", "for", "from", "global", "if", "import", "in", "is", "lambda", "nonlocal",
    "not", "or", "pass", "raise", "return", "try", "while", "with", "yield",
];

/// Where the text stops being Python.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SyntaxFault {
    /// Offset of what does not fit.
    pub at: usize,
    /// Whether the text ends in something that might go on.
    pub at_end: bool,
}

/// How strictly a text is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Strictness {
    /// As Python does.
    #[default]
    Strict,
    /// Control characters stand in strings, integers begin with zeros, and parameters have the names of keywords.
    Tolerant,
}

/// A text that is being read.
pub struct Source<'a> {
    text: &'a str,
    /// The offset that is read next.
    pub at: usize,
    reading: Strictness,
    /// Where the string that begins at the first offset ends, whatever quotes it holds.
    closing: Option<(usize, usize)>,
    /// How many brackets are open; line feeds end an expression outside of them.
    brackets: usize,
    depth: usize,
}

impl<'a> Source<'a> {
    /// A text that is read from `span.start` to `span.end`.
    pub fn new(text: &'a str, span: Span, reading: Strictness) -> Self {
        Self { text: &text[..span.end], at: span.start, reading, closing: None, brackets: 0, depth: 0 }
    }

    /// The same, where the string that begins at `open` ends at `close`.
    pub fn with_closing(text: &'a str, span: Span, reading: Strictness, open: usize, close: usize) -> Self {
        Self { closing: Some((open, close)), ..Self::new(text, span, reading) }
    }

    pub(super) fn bytes(&self) -> &'a [u8] {
        self.text.as_bytes()
    }

    pub(super) fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    pub(super) fn is_tolerant(&self) -> bool {
        self.reading == Strictness::Tolerant
    }

    pub(super) fn closing(&self, open: usize) -> Option<usize> {
        self.closing.filter(|(from, _)| *from == open).map(|(_, close)| close)
    }

    pub(super) fn fault<T>(&self) -> Result<T, SyntaxFault> {
        Err(SyntaxFault { at: self.at, at_end: self.at >= self.text.len() })
    }

    /// The number of this many digits from `at` on.
    pub(super) fn number(&self, at: usize, digits: usize, base: u32) -> Option<u32> {
        let words = self.text.get(at..at + digits)?;
        if words.bytes().all(|byte| char::from(byte).is_digit(base)) {
            u32::from_str_radix(words, base).ok()
        } else {
            None
        }
    }

    /// The first of the expressions that the text is as a module: each on lines of its own, or with semicolons between.
    pub fn module(&mut self) -> Result<Node, SyntaxFault> {
        let node = self.expression()?;
        loop {
            self.blanks();
            let mut is_next = match self.peek() {
                None => return Ok(node),
                Some(b';') => {
                    self.at += 1;
                    self.blanks();
                    !matches!(self.peek(), None | Some(b'\n' | b'\r'))
                }
                Some(b'\n' | b'\r') => false,
                Some(_) => return self.fault(),
            };
            while matches!(self.peek(), Some(b'\n' | b'\r')) {
                self.at += 1;
                let line = self.at;
                self.blanks();
                // Nothing opens a block, so that nothing may be indented.
                is_next = !matches!(self.peek(), None | Some(b'\n' | b'\r'));
                if is_next && self.at > line && !self.rest().is_empty() {
                    return self.fault();
                }
            }
            if is_next {
                self.expression()?;
            }
        }
    }

    /// One value with or without a sign; whatever stands behind it is left.
    pub fn literal(&mut self) -> Result<Node, SyntaxFault> {
        match self.peek() {
            Some(b'-') => self.signed(Sign::Minus),
            Some(b'+') => self.signed(Sign::Plus),
            _ => self.atom(),
        }
    }

    /// Expressions with commas between up to the end, as between the brackets of a list, and whether a comma ends them.
    pub fn elements(&mut self) -> Result<(Vec<Node>, bool), SyntaxFault> {
        self.brackets += 1;
        let found = self.items(None);
        self.brackets -= 1;
        found
    }

    fn peek(&self) -> Option<u8> {
        self.bytes().get(self.at).copied()
    }

    fn blanks(&mut self) {
        loop {
            match self.peek() {
                Some(b' ' | b'\t' | 0xc) => self.at += 1,
                Some(b'\n' | b'\r') if self.brackets > 0 => self.at += 1,
                Some(b'\\') if self.rest().starts_with("\\\n") => self.at += 2,
                Some(b'#') => self.at += self.rest().find('\n').unwrap_or(self.rest().len()),
                _ => return,
            }
        }
    }

    fn takes(&mut self, sign: u8) -> bool {
        self.blanks();
        let there = self.peek() == Some(sign);
        self.at += usize::from(there);
        there
    }

    fn expect(&mut self, sign: u8) -> Result<(), SyntaxFault> {
        if self.takes(sign) { Ok(()) } else { self.fault() }
    }

    fn word(&self) -> &'a str {
        let rest = self.rest();
        if !rest.starts_with(|c: char| c == '_' || c.is_alphabetic()) {
            return "";
        }
        &rest[..rest.find(|c: char| c != '_' && !c.is_alphanumeric()).unwrap_or(rest.len())]
    }

    fn expression(&mut self) -> Result<Node, SyntaxFault> {
        let mut node = self.operand()?;
        loop {
            self.blanks();
            if self.word() == "if" {
                self.at += 2;
                self.operand_chain()?;
                self.blanks();
                if self.word() != "else" {
                    return self.fault();
                }
                self.at += 4;
            } else if !self.operator() {
                return Ok(node);
            }
            self.operand()?;
            node = Node::Other;
        }
    }

    fn operand_chain(&mut self) -> Result<(), SyntaxFault> {
        self.operand()?;
        loop {
            self.blanks();
            if !self.operator() {
                return Ok(());
            }
            self.operand()?;
        }
    }

    /// Steps behind an operator between two operands.
    fn operator(&mut self) -> bool {
        let word = self.word();
        if matches!(word, "and" | "or" | "in" | "is" | "not") {
            self.at += word.len();
            self.blanks();
            let second = self.word();
            match (word, second) {
                ("is", "not") | ("not", "in") => self.at += second.len(),
                ("not", _) => return false,
                _ => {}
            }
            return true;
        }
        let signs =
            ["**", "//", "<<", ">>", "<=", ">=", "==", "!=", "+", "-", "*", "/", "%", "@", "&", "|", "^", "<", ">"];
        let found = signs.iter().find(|sign| self.rest().starts_with(**sign));
        self.at += found.map_or(0, |sign| sign.len());
        found.is_some()
    }

    fn operand(&mut self) -> Result<Node, SyntaxFault> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return self.fault();
        }
        self.blanks();
        let node = match (self.peek(), self.word()) {
            (Some(b'-'), _) => self.signed(Sign::Minus)?,
            (Some(b'+'), _) => self.signed(Sign::Plus)?,
            (Some(b'~'), _) => {
                self.at += 1;
                self.operand()?;
                Node::Other
            }
            (_, "not") => {
                self.at += 3;
                self.operand()?;
                Node::Other
            }
            _ => {
                let start = self.at;
                let node = self.atom()?;
                self.trailers(node, start)?
            }
        };
        self.depth -= 1;
        Ok(node)
    }

    fn signed(&mut self, sign: Sign) -> Result<Node, SyntaxFault> {
        self.at += 1;
        Ok(Node::Signed(sign, Box::new(self.operand()?)))
    }

    /// Calls, dots and subscripts behind an atom.
    fn trailers(&mut self, mut node: Node, start: usize) -> Result<Node, SyntaxFault> {
        // Each one makes the node one deeper.
        for _ in 0..MAX_DEPTH {
            self.blanks();
            match self.peek() {
                Some(b'(') => node = self.call(node, start)?,
                Some(b'.') => {
                    self.at += 1;
                    self.blanks();
                    let name = self.word();
                    if name.is_empty() || KEYWORDS.contains(&name) {
                        return self.fault();
                    }
                    node = Node::Attribute(Box::new(node), Span::new(self.at, self.at + name.len()));
                    self.at += name.len();
                }
                Some(b'[') => {
                    self.bracketed(b']')?;
                    node = Node::Other;
                }
                _ => return Ok(node),
            }
        }
        self.fault()
    }

    fn call(&mut self, function: Node, start: usize) -> Result<Node, SyntaxFault> {
        self.expect(b'(')?;
        self.brackets += 1;
        let mut call = CallNode { function, positional: 0, keywords: Vec::new(), span: Span::at(start) };
        while !self.takes(b')') {
            if self.rest().starts_with("**") {
                self.at += 2;
                call.keywords.push((None, self.expression()?));
            } else if let Some(name) = self.keyword()? {
                call.keywords.push((Some(name), self.expression()?));
            } else {
                self.takes(b'*');
                self.expression()?;
                // A value without a name may not come behind one with a name.
                if !call.keywords.is_empty() {
                    return self.fault();
                }
                call.positional += 1;
            }
            if !self.takes(b',') {
                self.expect(b')')?;
                break;
            }
        }
        self.brackets -= 1;
        call.span = Span::new(start, self.at);
        Ok(Node::Call(Box::new(call)))
    }

    /// The name of a parameter with its `=`, where one stands here.
    fn keyword(&mut self) -> Result<Option<Span>, SyntaxFault> {
        let name = self.word();
        if name.is_empty() {
            return Ok(None);
        }
        let span = Span::new(self.at, self.at + name.len());
        self.at = span.end;
        self.blanks();
        if self.peek() != Some(b'=') || self.rest().starts_with("==") {
            self.at = span.start;
            return Ok(None);
        }
        if KEYWORDS.contains(&name) && !self.is_tolerant() {
            return self.fault();
        }
        self.at += 1;
        Ok(Some(span))
    }

    /// What stands between brackets, which may have slices.
    fn bracketed(&mut self, close: u8) -> Result<(), SyntaxFault> {
        self.at += 1;
        self.brackets += 1;
        let mut is_empty = true;
        while !self.takes(close) {
            if !self.takes(b':') && (is_empty || !self.takes(b',')) {
                self.expression()?;
            }
            is_empty = false;
        }
        self.brackets -= 1;
        if is_empty { self.fault() } else { Ok(()) }
    }

    /// Expressions with commas between up to a bracket, or up to the end; whether a comma ends them.
    fn items(&mut self, close: Option<u8>) -> Result<(Vec<Node>, bool), SyntaxFault> {
        let (mut nodes, mut comma) = (Vec::new(), false);
        loop {
            self.blanks();
            if self.peek() == close {
                self.at += usize::from(close.is_some());
                return Ok((nodes, comma));
            }
            if !nodes.is_empty() && !comma {
                return self.fault();
            }
            let starred = self.takes(b'*');
            let node = self.expression()?;
            nodes.push(if starred { Node::Other } else { node });
            comma = self.takes(b',');
        }
    }

    fn atom(&mut self) -> Result<Node, SyntaxFault> {
        if let Some(found) = literal(self)? {
            return self.concatenated(found);
        }
        match self.peek() {
            Some(b'[') => self.within(|source| Ok(Node::List(source.items(Some(b']'))?.0))),
            Some(b'(') => self.within(|source| {
                let (mut nodes, comma) = source.items(Some(b')'))?;
                Ok(if nodes.len() == 1 && !comma { nodes.remove(0) } else { Node::Tuple(nodes) })
            }),
            Some(b'{') => self.within(Self::braces),
            Some(b'.') if self.rest().starts_with("...") => {
                self.at += 3;
                Ok(Node::Opaque)
            }
            Some(b'0'..=b'9' | b'.') => self.numeral(),
            _ => {
                let word = self.word();
                let span = Span::new(self.at, self.at + word.len());
                let node = match word {
                    "True" => Node::Constant(Value::Bool(true)),
                    "False" => Node::Constant(Value::Bool(false)),
                    "None" => Node::Constant(Value::Null),
                    _ if word.is_empty() || KEYWORDS.contains(&word) => return self.fault(),
                    _ => Node::Name(span),
                };
                self.at = span.end;
                Ok(node)
            }
        }
    }

    fn within(&mut self, inner: impl Fn(&mut Self) -> Result<Node, SyntaxFault>) -> Result<Node, SyntaxFault> {
        self.at += 1;
        self.brackets += 1;
        let node = inner(self);
        self.brackets -= 1;
        node
    }

    fn concatenated(&mut self, first: Literal) -> Result<Node, SyntaxFault> {
        let mut all = first;
        loop {
            self.blanks();
            let Some(next) = literal(self)? else { break };
            all = match (all, next) {
                (Literal::Bytes, Literal::Bytes) => Literal::Bytes,
                (Literal::Bytes, _) | (_, Literal::Bytes) => return self.fault(),
                (Literal::Format, _) | (_, Literal::Format) => Literal::Format,
                (Literal::Text(one), Literal::Text(two)) => Literal::Text(one + &two),
                (Literal::Text(one) | Literal::PlainFormat(one), Literal::Text(two) | Literal::PlainFormat(two)) => {
                    Literal::PlainFormat(one + &two)
                }
            };
        }
        Ok(match all {
            Literal::Text(text) => Node::Constant(Value::Text(text)),
            Literal::PlainFormat(text) => Node::PlainFormat(text),
            Literal::Format => Node::Other,
            Literal::Bytes => Node::Opaque,
        })
    }

    fn braces(&mut self) -> Result<Node, SyntaxFault> {
        let (mut members, mut nodes) = (Vec::new(), Vec::new());
        while !self.takes(b'}') {
            self.blanks();
            if self.rest().starts_with("**") {
                self.at += 2;
                members.push((None, self.expression()?));
            } else {
                self.takes(b'*');
                let key = self.expression()?;
                if self.takes(b':') {
                    members.push((Some(key), self.expression()?));
                } else {
                    nodes.push(key);
                }
            }
            if !members.is_empty() && !nodes.is_empty() {
                return self.fault();
            }
            if !self.takes(b',') {
                self.expect(b'}')?;
                break;
            }
        }
        Ok(if nodes.is_empty() { Node::Dict(members) } else { Node::Set(nodes) })
    }

    fn numeral(&mut self) -> Result<Node, SyntaxFault> {
        let start = self.at;
        let node = super::number::numeral(self.rest(), self.reading);
        let Some((node, len)) = node.filter(|(_, len)| *len <= MAX_DIGITS) else { return self.fault() };
        self.at = start + len;
        if !self.word().is_empty() {
            return self.fault();
        }
        Ok(node)
    }
}
