//! The notation in which a profile says what its parser looks for: a parsing expression grammar.
//!
//! A grammar is a list of rules, `name = expression`, each beginning a line. An expression is made of
//!
//! | notation | what it takes |
//! |---|---|
//! | `"text"` | these characters, with the escapes of JSON |
//! | `/pattern/` | the longest stretch that this regular expression finds here; `.` takes line feeds too |
//! | `any`, `end` | one character; the end of the text, which is empty |
//! | `to(x)` | the shortest stretch in front of `x`, which is left; nothing where no `x` follows |
//! | `json` | a JSON value, as Python's decoder takes it; `json(strict)`, `json(lax)` see [`Flavour`] |
//! | `known_tool`, `known_parameter` | a name of the request's tools; a name of the parameters of the tool that was named last |
//! | `is(string)` | nothing, if the parameter that was named last has this type in the schema; `is(other)` if not |
//! | `a b`, `a \| b`, `(a)` | one after the other; the first of them that fits, for good; a group |
//! | `a?`, `a*`, `a+` | none or one, any number, at least one: as many as there are, for good |
//! | `!a`, `&a` | nothing, if `a` does not follow; if it does |
//! | `label:a` | what `a` takes, for the call or the message that is made of it, see [`Label`] |
//!
//! Source of the semantics: B. Ford, Parsing Expression Grammars, POPL 2004.

use std::collections::HashMap;

use regex_automata::meta::Regex;
use regex_automata::util::syntax;

use super::json::Flavour;

/// What a labelled stretch is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Label {
    /// A call, with what makes it inside.
    Call,
    /// The name of a tool.
    Name,
    /// The id of a call.
    Id,
    /// The text of all arguments, read as the profile's `arguments` say.
    Arguments,
    /// The name of a parameter; a value follows.
    Key,
    /// The text of the value of the key before.
    Value,
    /// The type that the text gives to the value that follows.
    Type,
    /// A text that nothing can be made of: the value of a parameter `raw`, the only one.
    Raw,
    /// A text that holds name and arguments, read as the profile's `body` says.
    Body,
    /// Text that is delivered as content.
    Content,
    /// Text that is delivered as reasoning.
    Reasoning,
    /// Text that the parser passes over.
    Lost,
    /// A place at which the parser makes its error.
    Error,
}

impl Label {
    fn named(name: &str) -> Option<Self> {
        Some(match name {
            "call" => Self::Call,
            "name" => Self::Name,
            "id" => Self::Id,
            "arguments" => Self::Arguments,
            "key" => Self::Key,
            "value" => Self::Value,
            "type" => Self::Type,
            "raw" => Self::Raw,
            "body" => Self::Body,
            "content" => Self::Content,
            "reasoning" => Self::Reasoning,
            "lost" => Self::Lost,
            "error" => Self::Error,
            _ => return None,
        })
    }
}

/// An expression of a grammar.
#[derive(Clone, Debug)]
pub enum Expr {
    /// These characters.
    Literal(Box<str>),
    /// What a regular expression takes here.
    Pattern(Box<Regex>),
    /// One character.
    Any,
    /// The end of the text.
    End,
    /// One after the other.
    Sequence(Vec<Expr>),
    /// The first that fits.
    Choice(Vec<Expr>),
    /// As many as there are, within these bounds.
    Repeat(Box<Expr>, usize, usize),
    /// Nothing, if this does not follow.
    Not(Box<Expr>),
    /// Nothing, if this follows.
    Ahead(Box<Expr>),
    /// The shortest stretch in front of this, with the bytes with which it may begin.
    To(Box<Expr>, Option<Box<[bool; 256]>>),
    /// A stretch with a label.
    Label(Label, Box<Expr>),
    /// A rule by its number.
    Rule(usize),
    /// A JSON value.
    Json(Flavour),
    /// A name of the request's tools.
    Tool,
    /// A name of the parameters of the tool named last.
    Parameter,
    /// Whether the parameter named last is a string in the schema.
    IsString(bool),
}

/// Rules that refer to each other.
#[derive(Clone, Debug)]
pub struct Grammar {
    rules: Vec<Expr>,
    names: Vec<String>,
}

impl Grammar {
    /// Reads the notation.
    ///
    /// # Errors
    /// Says what is wrong with the notation and on which line.
    pub fn parse(source: &str) -> Result<Self, String> {
        let mut reader = Reader { source, at: 0, names: Vec::new() };
        let mut found: HashMap<usize, Expr> = HashMap::new();
        reader.blanks();
        while reader.at < source.len() {
            let name = reader.word().ok_or_else(|| reader.fault("a rule begins with its name"))?;
            reader.expect('=')?;
            let expr = reader.choice()?;
            let number = reader.rule(&name);
            // A later rule takes the place of an earlier one of its name, so that a profile can alter what it shares.
            found.insert(number, expr);
        }
        let Reader { names, .. } = reader;
        let mut rules = Vec::with_capacity(names.len());
        for (number, name) in names.iter().enumerate() {
            rules.push(found.remove(&number).ok_or_else(|| format!("there is no rule {name:?}"))?);
        }
        let mut grammar = Self { rules, names };
        grammar.fill_first_bytes();
        Ok(grammar)
    }

    /// The number of the rule with this name.
    pub fn number(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|known| known == name)
    }

    /// The rule with this number.
    pub fn rule(&self, number: usize) -> &Expr {
        &self.rules[number]
    }

    /// The literals of the grammar, each once.
    pub fn literals(&self) -> Vec<&str> {
        let mut out = Vec::new();
        self.rules.iter().for_each(|rule| literals(rule, &mut out));
        out
    }

    /// The bytes with which what a rule takes may begin; nothing if that may be any.
    pub fn first_bytes(&self, number: usize) -> Option<Box<[bool; 256]>> {
        let mut set = Box::new([false; 256]);
        (self.first(&self.rules[number], &mut set, 0) == Some(false)).then_some(set)
    }

    fn fill_first_bytes(&mut self) {
        let view = self.clone();
        self.rules.iter_mut().for_each(|rule| fill(rule, &view));
    }

    /// Adds the bytes with which an expression may begin; whether it may be empty, nothing if it cannot be told.
    fn first(&self, expr: &Expr, set: &mut [bool; 256], depth: usize) -> Option<bool> {
        if depth > 24 {
            return None;
        }
        match expr {
            Expr::Literal(text) => match text.as_bytes().first() {
                Some(&byte) => {
                    set[byte as usize] = true;
                    Some(false)
                }
                None => Some(true),
            },
            Expr::Sequence(parts) => {
                for part in parts {
                    if !self.first(part, set, depth + 1)? {
                        return Some(false);
                    }
                }
                Some(true)
            }
            Expr::Choice(parts) => {
                let mut empty = false;
                for part in parts {
                    empty |= self.first(part, set, depth + 1)?;
                }
                Some(empty)
            }
            Expr::Repeat(part, least, _) => Some(self.first(part, set, depth + 1)? || *least == 0),
            Expr::Label(_, part) => self.first(part, set, depth + 1),
            Expr::Rule(number) => self.first(&self.rules[*number], set, depth + 1),
            Expr::End | Expr::Not(_) | Expr::Ahead(_) | Expr::IsString(_) => Some(true),
            Expr::Pattern(_) | Expr::Any | Expr::To(..) | Expr::Json(_) | Expr::Tool | Expr::Parameter => None,
        }
    }
}

fn fill(expr: &mut Expr, grammar: &Grammar) {
    match expr {
        Expr::Sequence(parts) | Expr::Choice(parts) => parts.iter_mut().for_each(|part| fill(part, grammar)),
        Expr::Repeat(part, ..) | Expr::Not(part) | Expr::Ahead(part) | Expr::Label(_, part) => fill(part, grammar),
        Expr::To(part, bytes) => {
            fill(part, grammar);
            let mut set = Box::new([false; 256]);
            // Where it may be empty it is found at any byte.
            *bytes = (grammar.first(part, &mut set, 0) == Some(false)).then_some(set);
        }
        _ => {}
    }
}

fn literals<'a>(expr: &'a Expr, out: &mut Vec<&'a str>) {
    match expr {
        Expr::Literal(text) if !out.contains(&&**text) => out.push(text),
        Expr::Sequence(parts) | Expr::Choice(parts) => parts.iter().for_each(|part| literals(part, out)),
        Expr::Repeat(part, ..) | Expr::Not(part) | Expr::Ahead(part) | Expr::Label(_, part) | Expr::To(part, _) => {
            literals(part, out);
        }
        _ => {}
    }
}

struct Reader<'a> {
    source: &'a str,
    at: usize,
    names: Vec<String>,
}

impl Reader<'_> {
    fn rest(&self) -> &str {
        &self.source[self.at..]
    }

    fn fault(&self, what: &str) -> String {
        let line = self.source[..self.at].matches('\n').count() + 1;
        format!("line {line} of the grammar: {what}")
    }

    fn blanks(&mut self) {
        loop {
            let rest = self.rest();
            let skipped = rest.len() - rest.trim_start().len();
            self.at += skipped;
            if !self.rest().starts_with('#') {
                return;
            }
            self.at += self.rest().find('\n').unwrap_or(self.rest().len());
        }
    }

    fn expect(&mut self, sign: char) -> Result<(), String> {
        if !self.rest().starts_with(sign) {
            return Err(self.fault(&format!("{sign:?} is missing")));
        }
        self.at += sign.len_utf8();
        self.blanks();
        Ok(())
    }

    fn takes(&mut self, sign: char) -> bool {
        let there = self.rest().starts_with(sign);
        if there {
            self.at += sign.len_utf8();
        }
        there
    }

    fn word(&mut self) -> Option<String> {
        let rest = self.rest();
        let len = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
        if len == 0 {
            return None;
        }
        let word = rest[..len].to_owned();
        self.at += len;
        let behind = self.at;
        self.blanks();
        // A label must stand at its colon, a rule's name may not.
        if self.rest().starts_with(':') {
            self.at = behind;
        }
        Some(word)
    }

    fn rule(&mut self, name: &str) -> usize {
        self.names.iter().position(|known| known == name).unwrap_or_else(|| {
            self.names.push(name.to_owned());
            self.names.len() - 1
        })
    }

    fn choice(&mut self) -> Result<Expr, String> {
        let mut parts = vec![self.sequence()?];
        while self.takes('|') {
            self.blanks();
            parts.push(self.sequence()?);
        }
        Ok(if parts.len() == 1 { parts.remove(0) } else { Expr::Choice(parts) })
    }

    fn sequence(&mut self) -> Result<Expr, String> {
        let mut parts = Vec::new();
        while let Some(part) = self.suffixed()? {
            parts.push(part);
        }
        match parts.len() {
            0 => Err(self.fault("an expression is missing")),
            1 => Ok(parts.remove(0)),
            _ => Ok(Expr::Sequence(parts)),
        }
    }

    fn suffixed(&mut self) -> Result<Option<Expr>, String> {
        if self.takes('!') {
            let inner = self.suffixed()?.ok_or_else(|| self.fault("'!' stands before nothing"))?;
            return Ok(Some(Expr::Not(Box::new(inner))));
        }
        if self.takes('&') {
            let inner = self.suffixed()?.ok_or_else(|| self.fault("'&' stands before nothing"))?;
            return Ok(Some(Expr::Ahead(Box::new(inner))));
        }
        let Some(mut expr) = self.primary()? else { return Ok(None) };
        loop {
            let (least, most) = match self.rest().chars().next() {
                Some('?') => (0, 1),
                Some('*') => (0, usize::MAX),
                Some('+') => (1, usize::MAX),
                _ => break,
            };
            self.at += 1;
            expr = Expr::Repeat(Box::new(expr), least, most);
        }
        self.blanks();
        Ok(Some(expr))
    }

    fn primary(&mut self) -> Result<Option<Expr>, String> {
        match self.rest().chars().next() {
            Some('"') => self.literal().map(Some),
            Some('/') => self.pattern().map(Some),
            Some('(') => {
                self.expect('(')?;
                let inner = self.choice()?;
                if !self.takes(')') {
                    return Err(self.fault("')' is missing"));
                }
                Ok(Some(inner))
            }
            Some(c) if c.is_ascii_alphabetic() => self.named(),
            _ => Ok(None),
        }
    }

    fn named(&mut self) -> Result<Option<Expr>, String> {
        let start = self.at;
        let Some(word) = self.word() else { return Ok(None) };
        if self.takes(':') {
            let label = Label::named(&word).ok_or_else(|| self.fault(&format!("{word:?} is no label")))?;
            let inner = self.suffixed()?.ok_or_else(|| self.fault("a label stands before nothing"))?;
            return Ok(Some(Expr::Label(label, Box::new(inner))));
        }
        if self.rest().starts_with('=') {
            // The next rule begins.
            self.at = start;
            return Ok(None);
        }
        // Nothing may stand between a function and its bracket.
        let called = self.source[..self.at].ends_with(&word) && self.rest().starts_with('(');
        Ok(Some(match word.as_str() {
            "any" => Expr::Any,
            "end" => Expr::End,
            "known_tool" => Expr::Tool,
            "known_parameter" => Expr::Parameter,
            "to" if called => {
                self.expect('(')?;
                let inner = self.choice()?;
                if !self.takes(')') {
                    return Err(self.fault("')' is missing behind to("));
                }
                Expr::To(Box::new(inner), None)
            }
            "json" if called => {
                let word = self.argument()?;
                Expr::Json(Flavour::named(&word).ok_or_else(|| self.fault(&format!("json({word}) is unknown")))?)
            }
            "json" => Expr::Json(Flavour::Python),
            "is" if called => match self.argument()?.as_str() {
                "string" => Expr::IsString(true),
                "other" => Expr::IsString(false),
                word => return Err(self.fault(&format!("is({word}) is unknown"))),
            },
            _ => Expr::Rule(self.rule(&word)),
        }))
    }

    fn argument(&mut self) -> Result<String, String> {
        self.expect('(')?;
        let word = self.word().ok_or_else(|| self.fault("a word is missing in brackets"))?;
        if !self.takes(')') {
            return Err(self.fault("')' is missing"));
        }
        Ok(word)
    }

    fn literal(&mut self) -> Result<Expr, String> {
        let mut values = serde_json::Deserializer::from_str(self.rest()).into_iter::<String>();
        let text = match values.next() {
            Some(Ok(text)) => text,
            _ => return Err(self.fault("a text in quotes is wrong")),
        };
        let taken = values.byte_offset();
        self.at += taken;
        Ok(Expr::Literal(text.into()))
    }

    fn pattern(&mut self) -> Result<Expr, String> {
        let rest = &self.rest()[1..];
        let mut escaped = false;
        let end = rest.find(|c| {
            let ends = c == '/' && !escaped;
            escaped = c == '\\' && !escaped;
            ends
        });
        let end = end.ok_or_else(|| self.fault("the end of a pattern is missing"))?;
        let pattern = rest[..end].replace("\\/", "/");
        self.at += end + 2;
        let regex = Regex::builder()
            .syntax(syntax::Config::new().dot_matches_new_line(true))
            .build(&pattern)
            .map_err(|error| self.fault(&format!("pattern {pattern:?}: {error}")))?;
        Ok(Expr::Pattern(Box::new(regex)))
    }
}
