//! Parses the notation of a grammar into expressions.

use std::collections::HashMap;
use std::str::FromStr as _;

use super::{CaptureLabel, Expr, GrammarPattern, Parameters, RequestFact, SHORTEST_MARKER, ToTarget};
use crate::value::json::flavour::Flavour;

/// Parses all rules of a source. Returns them and their names, in order of first mention.
///
/// # Errors
/// States what is wrong with the notation and on which line.
pub(super) fn read(source: &str) -> Result<(Vec<Expr>, Vec<String>), String> {
    let all: Vec<&str> = definitions(source).into_iter().map(|(name, _)| name).collect();
    read_from(source, &all)
}

/// Parses these rules of a source, if they exist, and the ones that they refer to: runtimes share rules that most of
/// their parsers do not use.
///
/// # Errors
/// States what is wrong with the notation and on which line.
pub(super) fn read_from(source: &str, roots: &[&str]) -> Result<(Vec<Expr>, Vec<String>), String> {
    // A later rule replaces an earlier one with the same name, so that a profile can override shared rules.
    let known: HashMap<&str, usize> = definitions(source).into_iter().collect();
    let mut names: Vec<String> = Vec::new();
    for root in roots.iter().filter(|root| known.contains_key(**root)) {
        if !names.iter().any(|name| name == root) {
            names.push((*root).to_owned());
        }
    }
    let mut reader = GrammarParser { source, at: 0, names };
    let mut rules = Vec::new();
    while let Some(name) = reader.names.get(rules.len()) {
        reader.at = *known.get(name.as_str()).ok_or_else(|| format!("undefined rule {name:?}"))?;
        reader.word();
        reader.expect('=')?;
        rules.push(reader.choice()?);
        let is_next = reader.rest().is_empty() || reader.starts_rule();
        if !is_next {
            return Err(reader.fault("expected the name of a rule"));
        }
    }
    Ok((rules, reader.names))
}

/// The names of the rules of a source and the offsets of their lines, in order. A rule begins where a line does, with its
/// name and an equals sign.
fn definitions(source: &str) -> Vec<(&str, usize)> {
    let mut at = 0;
    let mut out = Vec::new();
    for line in source.split_inclusive('\n') {
        let name = line.split(|c: char| !c.is_ascii_alphanumeric() && c != '_').next().unwrap_or_default();
        if !name.is_empty() && line[name.len()..].trim_start().starts_with('=') {
            out.push((name, at));
        }
        at += line.len();
    }
    out
}

struct GrammarParser<'a> {
    source: &'a str,
    at: usize,
    names: Vec<String>,
}

impl GrammarParser<'_> {
    fn rest(&self) -> &str {
        &self.source[self.at..]
    }

    /// True at the beginning of a line.
    fn starts_rule(&self) -> bool {
        self.source[..self.at].ends_with('\n')
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
        // A label must be adjacent to its colon, a rule's name need not be.
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
            let inner = self.suffixed()?.ok_or_else(|| self.fault("nothing follows '!'"))?;
            return Ok(Some(Expr::Not(Box::new(inner))));
        }
        if self.takes('&') {
            let inner = self.suffixed()?.ok_or_else(|| self.fault("nothing follows '&'"))?;
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
            let label = CaptureLabel::from_str(&word).map_err(|_| self.fault(&format!("{word:?} is not a label")))?;
            let inner = self.suffixed()?.ok_or_else(|| self.fault("nothing follows a label"))?;
            return Ok(Some(Expr::Label(label, Box::new(inner))));
        }
        if self.rest().starts_with('=') {
            // The next rule begins.
            self.at = start;
            return Ok(None);
        }
        // A function must be adjacent to its bracket.
        let called = self.source[..self.at].ends_with(&word) && self.rest().starts_with('(');
        Ok(Some(match word.as_str() {
            "any" => Expr::Any,
            "end" => Expr::End,
            "known_tool" => Expr::Tool,
            "known_parameter" => Expr::Parameter(Parameters::Any),
            "all_required" => Expr::AllRequired,
            "elements" => Expr::Elements,
            "python" => Expr::Python,
            "same_key" => Expr::SameKey,
            "to" if called => Expr::To(Box::new(ToTarget { expr: self.bracketed()?, bytes: None, is_fixed: false })),
            "begun" if called => {
                self.expect('(')?;
                let Expr::Literal(text) = self.literal()? else {
                    return Err(self.fault("a text in quotes is missing"));
                };
                self.blanks();
                if !self.takes(')') {
                    return Err(self.fault("')' is missing after begun("));
                }
                Expr::Begun(text)
            }
            "atomic" if called => Expr::Atomic(Box::new(self.bracketed()?)),
            "parameter" if called => Expr::Parameter(match self.argument()?.as_str() {
                "next" => Parameters::Next,
                "required" => Parameters::Required,
                "optional" => Parameters::Optional,
                word => return Err(self.fault(&format!("parameter({word}) is unknown"))),
            }),
            "may" if called => Expr::May(self.argument()?.into()),
            "has" if called => match self.argument()?.as_str() {
                "tools" => Expr::Request(RequestFact::Tools),
                "parameters" => Expr::Request(RequestFact::Parameters),
                word => return Err(self.fault(&format!("has({word}) is unknown"))),
            },
            "thinking" if called => match self.argument()?.as_str() {
                "on" => Expr::Request(RequestFact::Thinking(true)),
                "off" => Expr::Request(RequestFact::Thinking(false)),
                word => return Err(self.fault(&format!("thinking({word}) is unknown"))),
            },
            "within" if called => {
                self.expect('(')?;
                let outer = self.choice()?;
                self.expect(',')?;
                let inner = self.choice()?;
                if !self.takes(')') {
                    return Err(self.fault("')' is missing after within("));
                }
                Expr::Within(Box::new(outer), Box::new(inner))
            }
            "json" if called => {
                let word = self.argument()?;
                Expr::Json(Flavour::from_str(&word).map_err(|_| self.fault(&format!("json({word}) is unknown")))?)
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

    fn bracketed(&mut self) -> Result<Expr, String> {
        self.expect('(')?;
        let inner = self.choice()?;
        if !self.takes(')') {
            return Err(self.fault("')' is missing"));
        }
        Ok(inner)
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
        let Some(Ok(text)) = values.next() else { return Err(self.fault("invalid string literal")) };
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
        let end = end.ok_or_else(|| self.fault("unterminated pattern"))?;
        let pattern = rest[..end].replace("\\/", "/");
        self.at += end + 2;
        let shared = GrammarPattern::shared(&pattern);
        // The tests parse every profile; a pattern that is built in need not be compiled before its first match.
        if cfg!(test) && shared.regex().is_none() {
            return Err(self.fault(&format!("invalid pattern {pattern:?}")));
        }
        Ok(Expr::Pattern(shared, marker_of(&pattern)))
    }
}

/// The longest run of literal characters in every match of a pattern, if it may be a marker.
fn marker_of(pattern: &str) -> Option<Box<str>> {
    if pattern.contains(['|', '(', '^']) {
        return None;
    }
    let (mut runs, mut chars) = (vec![String::new()], pattern.chars());
    while let Some(c) = chars.next() {
        let literal = match c {
            '[' => {
                while !matches!(chars.next(), Some(']') | None) {}
                None
            }
            '\\' => chars.next().filter(|c| !c.is_alphanumeric()),
            '*' | '?' | '{' => {
                // This character is optional.
                runs.last_mut().map(String::pop);
                None
            }
            '+' | '.' => None,
            c => Some(c),
        };
        match literal {
            Some(c) => runs.last_mut()?.push(c),
            None => runs.push(String::new()),
        }
    }
    let longest = runs.into_iter().max_by_key(String::len)?;
    (longest.len() >= SHORTEST_MARKER && longest.contains(|c: char| c.is_ascii_punctuation())).then(|| longest.into())
}
