//! Parses Python expressions like `ast.parse`, reduced to what a model's calls may contain.
//!
//! Operators, comparisons and subscripts are parsed but become [`NodeKind::Other`], since no runtime accepts them as
//! an argument. Comprehensions, lambdas and assignments are syntax errors. Spans are relative to the beginning of the
//! text.

use super::cursor::{PythonCursor, SyntaxFault};
use super::expression::{CallNode, NodeKind, PythonNode, Sign};
use super::text::{Literal, literal};
use crate::text::Span;
use crate::value::place::SourcePlace;
use crate::value::plain::PlainValue;

/// Deepest nesting of brackets and signs, as in Python.
const MAX_DEPTH: usize = 200;

/// Most digits of an integer, as in Python.
const MAX_DIGITS: usize = 4300;

/// The words that are not names.
const KEYWORDS: [&str; 35] = [
    "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue", "def", "del",
    "elif", "else", "except", "finally", "for", "from", "global", "if", "import", "in", "is", "lambda", "nonlocal",
    "not", "or", "pass", "raise", "return", "try", "while", "with", "yield",
];

impl PythonCursor<'_> {
    /// Parses the text as a module, and returns its first expression; others are on separate lines, or after
    /// semicolons.
    pub(crate) fn module(&mut self) -> Result<PythonNode, SyntaxFault> {
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
                // No statement opens a block, so no line may be indented.
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

    /// Parses one value with or without a sign; the text after it is not read.
    pub(crate) fn literal(&mut self) -> Result<PythonNode, SyntaxFault> {
        match self.peek() {
            Some(b'-') => self.signed(Sign::Minus),
            Some(b'+') => self.signed(Sign::Plus),
            _ => self.atom(),
        }
    }

    /// Parses comma-separated expressions up to the end, as in the brackets of a list; also returns true for a trailing
    /// comma.
    pub(crate) fn elements(&mut self) -> Result<(Vec<PythonNode>, bool), SyntaxFault> {
        self.brackets += 1;
        let found = self.items(None);
        self.brackets -= 1;
        found
    }

    fn expression(&mut self) -> Result<PythonNode, SyntaxFault> {
        let mut node = self.operand()?;
        let start = node.place.span().map_or(self.at, |span| span.start);
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
            node = PythonNode::new(NodeKind::Other, Span::new(start, self.at));
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

    /// Skips an operator between two operands; returns false if there is none.
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

    fn operand(&mut self) -> Result<PythonNode, SyntaxFault> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return self.fault();
        }
        self.blanks();
        let start = self.at;
        let node = match (self.peek(), self.word()) {
            (Some(b'-'), _) => self.signed(Sign::Minus)?,
            (Some(b'+'), _) => self.signed(Sign::Plus)?,
            (Some(b'~'), _) => {
                self.at += 1;
                self.operand()?;
                PythonNode::new(NodeKind::Other, Span::new(start, self.at))
            }
            (_, "not") => {
                self.at += 3;
                self.operand()?;
                PythonNode::new(NodeKind::Other, Span::new(start, self.at))
            }
            _ => {
                let node = self.atom()?;
                self.trailers(node, start)?
            }
        };
        self.depth -= 1;
        Ok(node)
    }

    fn signed(&mut self, sign: Sign) -> Result<PythonNode, SyntaxFault> {
        let start = self.at;
        self.at += 1;
        let inner = self.operand()?;
        let end = inner.place.span().map_or(self.at, |span| span.end);
        Ok(PythonNode::new(NodeKind::Signed(sign, Box::new(inner)), Span::new(start, end)))
    }

    /// Parses calls, attributes and subscripts after an atom.
    fn trailers(&mut self, mut node: PythonNode, start: usize) -> Result<PythonNode, SyntaxFault> {
        // Each one nests the node one level deeper.
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
                    let name = Span::new(self.at, self.at + name.len());
                    node = PythonNode::new(NodeKind::Attribute(Box::new(node), name), Span::new(start, name.end));
                    self.at = name.end;
                }
                Some(b'[') => {
                    self.bracketed(b']')?;
                    node = PythonNode::new(NodeKind::Other, Span::new(start, self.at));
                }
                _ => return Ok(node),
            }
        }
        self.fault()
    }

    fn call(&mut self, function: PythonNode, start: usize) -> Result<PythonNode, SyntaxFault> {
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
                // A positional argument may not follow a keyword argument.
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
        let span = call.span;
        Ok(PythonNode::new(NodeKind::Call(Box::new(call)), span))
    }

    /// Reads the name of a parameter and its `=`, if they are here; returns the name.
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

    /// Skips the text between brackets, which may have slices.
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

    /// Parses comma-separated expressions up to a bracket or the end; also returns true for a trailing comma.
    fn items(&mut self, close: Option<u8>) -> Result<(Vec<PythonNode>, bool), SyntaxFault> {
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
            nodes.push(if starred { PythonNode { kind: NodeKind::Other, ..node } } else { node });
            comma = self.takes(b',');
        }
    }

    fn atom(&mut self) -> Result<PythonNode, SyntaxFault> {
        let start = self.at;
        if let Some(found) = literal(self)? {
            return self.concatenated(found, Span::new(start, self.at));
        }
        let kind = match self.peek() {
            Some(b'[') => self.within(|source| Ok(NodeKind::List(source.items(Some(b']'))?.0)))?,
            Some(b'(') => {
                let (mut nodes, comma) = self.within(|source| source.items(Some(b')')))?;
                if nodes.len() == 1 && !comma {
                    return Ok(nodes.remove(0));
                }
                NodeKind::Tuple(nodes)
            }
            Some(b'{') => self.within(Self::braces)?,
            Some(b'.') if self.rest().starts_with("...") => {
                self.at += 3;
                NodeKind::Opaque
            }
            Some(b'0'..=b'9' | b'.') => self.numeral()?,
            _ => {
                let word = self.word();
                let span = Span::new(self.at, self.at + word.len());
                let kind = match word {
                    "True" => NodeKind::Constant(PlainValue::Bool(true)),
                    "False" => NodeKind::Constant(PlainValue::Bool(false)),
                    "None" => NodeKind::Constant(PlainValue::Null),
                    _ if word.is_empty() || KEYWORDS.contains(&word) => return self.fault(),
                    _ => NodeKind::Name(span),
                };
                self.at = span.end;
                kind
            }
        };
        Ok(PythonNode::new(kind, Span::new(start, self.at)))
    }

    fn within<T>(&mut self, inner: impl Fn(&mut Self) -> Result<T, SyntaxFault>) -> Result<T, SyntaxFault> {
        self.at += 1;
        self.brackets += 1;
        let node = inner(self);
        self.brackets -= 1;
        node
    }

    fn concatenated(&mut self, first: Literal, span: Span) -> Result<PythonNode, SyntaxFault> {
        let (mut all, mut spans) = (first, vec![span]);
        loop {
            self.blanks();
            let start = self.at;
            let Some(next) = literal(self)? else { break };
            spans.push(Span::new(start, self.at));
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
        let kind = match all {
            Literal::Text(text) => NodeKind::Constant(PlainValue::Text(text)),
            Literal::PlainFormat(text) => NodeKind::PlainFormat(text),
            Literal::Format => NodeKind::Other,
            Literal::Bytes => NodeKind::Opaque,
        };
        let place = if spans.len() == 1 { SourcePlace::At(span) } else { SourcePlace::Parts(spans) };
        Ok(PythonNode { kind, place })
    }

    fn braces(&mut self) -> Result<NodeKind, SyntaxFault> {
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
        Ok(if nodes.is_empty() { NodeKind::Dict(members) } else { NodeKind::Set(nodes) })
    }

    fn numeral(&mut self) -> Result<NodeKind, SyntaxFault> {
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
