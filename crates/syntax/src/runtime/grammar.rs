//! The notation in which a profile describes the text that its parser accepts: a parsing expression grammar.
//!
//! A grammar is a list of rules, `name = expression`, each on a new line. Expressions:
//!
//! | notation | matches |
//! |---|---|
//! | `"text"` | these characters, with the escapes of JSON |
//! | `/pattern/` | the match of this regular expression here; `.` includes line feeds |
//! | `any`, `end` | one character; the end of the text, which is empty |
//! | `to(x)` | the shortest text before `x`, which is not consumed; fails if no `x` follows |
//! | `json` | a JSON value as accepted by Python's decoder; for `json(strict)` and `json(lax)` see [`Flavour`] |
//! | `python` | the rest of the text, if it consists of calls in Python according to the profile's `python` |
//! | `begun("text")` | the end of the text, if it is a proper prefix of these characters |
//! | `within(a, b)` | the match of `a`, if `b` matches at its beginning; for `b` the text ends at the end of `a` |
//! | `known_tool`, `known_parameter` | name of a tool in the request; name of a parameter of the tool named last |
//! | `parameter(next)` | the first required parameter of the tool that the call does not have yet; `parameter(required)`, `parameter(optional)`: any required one that it does not have yet, any optional one |
//! | `all_required` | empty, if the call has all required parameters of its tool |
//! | `is(string)` | empty, if the parameter named last has this type in the schema; `is(other)` if not |
//! | `may(integer)` | empty, if the schema lists this type for the parameter named last |
//! | `elements` | the value of the parameter named last as nested elements, up to its end tag |
//! | `same_key` | the name of the parameter named last, again |
//! | `has(tools)`, `has(parameters)` | empty, if the request has tools; if the tool named last has parameters |
//! | `thinking(on)` | empty, if the request is known to have thinking on; `thinking(off)`: off |
//! | `atomic(a)` | the match of `a`; its captures are dropped if the text ends within it |
//! | `a b`, `a \| b`, `(a)` | a sequence; the first alternative that matches, without backtracking; a group |
//! | `a?`, `a*`, `a+` | zero or one, any number, at least one: as many as possible, without backtracking |
//! | `!a`, `&a` | empty, if `a` does not follow; if it does |
//! | `label:a` | the match of `a`, captured for the call or the message, see [`CaptureLabel`] |
//!
//! Source of the semantics: B. Ford, Parsing Expression Grammars, POPL 2004.

mod notation;
mod pattern;

use std::sync::Arc;

use crate::value::json::flavour::Flavour;

pub(crate) use pattern::GrammarPattern;

/// The meaning of a labelled span.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::EnumString)]
#[strum(serialize_all = "lowercase")]
pub enum CaptureLabel {
    /// A call; its parts are labelled inside.
    Call,
    /// The name of a tool.
    Name,
    /// The id of a call.
    Id,
    /// The text of all arguments, read according to the profile's `arguments`.
    Arguments,
    /// The name of a parameter; a value follows.
    Key,
    /// The text of the value of the previous key.
    Value,
    /// The text of the value of the previous key, which remains a text whatever the profile's `values`.
    Text,
    /// The text of the value of the previous key, in which character references are never decoded.
    Plain,
    /// The type stated in the text for the value that follows.
    Type,
    /// A text that cannot be interpreted: the value of the only parameter, `raw`.
    Raw,
    /// A text that holds name and arguments, read according to the profile's `body`.
    Body,
    /// The value of the previous key, written in JSON or as a Python literal.
    Literal,
    /// The value of the previous key, written as nested elements.
    Elements,
    /// The end of the value, if one is open, or else of the call.
    Close,
    /// Calls written in Python, read according to the profile's `python`.
    Python,
    /// Text that is delivered as content.
    Content,
    /// Text that is delivered as reasoning.
    Reasoning,
    /// Text that is delivered as reasoning that began in the prompt.
    Opened,
    /// Text that the parser ignores.
    Lost,
    /// Text that the parser takes for a call without delivering one, so that prose around it counts as around calls.
    NoCall,
    /// A location where the parser raises its error.
    Error,
}

/// A subset of the parameters of the tool named last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parameters {
    /// All of them.
    Any,
    /// The first required one that the call does not have yet.
    Next,
    /// Required ones that the call does not have yet.
    Required,
    /// Optional ones.
    Optional,
}

/// The target of `to`, which ends the shortest text before it.
#[derive(Clone, Debug)]
pub struct ToTarget {
    /// The expression after the text.
    pub(crate) expr: Expr,
    /// The bytes with which a match of it may begin; `None` if any byte may.
    pub(crate) bytes: Option<Box<[bool; 256]>>,
    /// True if it matches the same wherever the text begins: it does not depend on names matched before.
    pub(crate) is_fixed: bool,
}

/// An expression of a grammar.
#[derive(Clone, Debug)]
pub enum Expr {
    /// Exactly these characters, case-sensitive.
    Literal(Box<str>),
    /// A regular expression, and its marker, if it has one.
    Pattern(Arc<GrammarPattern>, Option<Box<str>>),
    /// One character, which may be a line feed.
    Any,
    /// The end of the text.
    End,
    /// A sequence with nothing between its parts.
    Sequence(Vec<Expr>),
    /// The first alternative that matches; the others are not tried later.
    Choice(Vec<Expr>),
    /// As many repetitions as possible, within these bounds.
    Repeat(Box<Expr>, usize, usize),
    /// Empty, if this does not follow.
    Not(Box<Expr>),
    /// Empty, if this follows.
    Ahead(Box<Expr>),
    /// The shortest text before this.
    To(Box<ToTarget>),
    /// A labelled span.
    Label(CaptureLabel, Box<Expr>),
    /// The rule with this number.
    Rule(usize),
    /// A JSON value of this flavour.
    Json(Flavour),
    /// The rest of the text, if it consists of calls in Python.
    Python,
    /// The end of the text, if it is a proper prefix of these characters.
    Begun(Box<str>),
    /// The match of the first, if the second matches within it.
    Within(Box<Expr>, Box<Expr>),
    /// The name of a tool in the request.
    Tool,
    /// The name of one of these parameters.
    Parameter(Parameters),
    /// Empty, if the call has all required parameters of its tool.
    AllRequired,
    /// Empty, if it is true or false that the parameter named last is a string in the schema.
    IsString(bool),
    /// Empty, if the schema lists this type for the parameter named last.
    May(Box<str>),
    /// The value of the parameter named last as nested elements.
    Elements,
    /// The name of the parameter named last.
    SameKey,
    /// Empty, if this is true of the request.
    Request(RequestFact),
    /// The match of this; its captures are dropped if the text ends within it.
    Atomic(Box<Expr>),
}

/// Minimum length in bytes of a literal that counts as a marker.
pub(crate) const SHORTEST_MARKER: usize = 5;

/// A property of the request that a grammar may require.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequestFact {
    /// It has at least one tool.
    Tools,
    /// The tool named last has parameters.
    Parameters,
    /// Its thinking is known to be on, or off.
    Thinking(bool),
}

/// The rules reachable from `message` and `item`, which may refer to each other. Runtimes share rules that only some
/// parsers use.
#[derive(Clone, Debug, Default)]
pub struct Grammar {
    rules: Vec<Expr>,
    names: Vec<String>,
}

impl Grammar {
    /// The rules with which reading begins.
    const ROOTS: [&str; 2] = ["message", "item"];

    /// Parses the rules reachable from `message` and `item`.
    ///
    /// # Errors
    /// States what is wrong with the notation and on which line.
    pub(crate) fn parse(source: &str) -> Result<Self, String> {
        let (rules, names) = notation::read_from(source, &Self::ROOTS)?;
        let mut grammar = Self { rules, names };
        grammar.fill_first_bytes();
        Ok(grammar)
    }

    /// Parses all rules, also if no other rule refers to them.
    ///
    /// # Errors
    /// States what is wrong with the notation and on which line.
    pub(crate) fn check(source: &str) -> Result<(), String> {
        notation::read(source).map(drop)
    }

    /// The number of the rule with this name.
    pub(crate) fn number(&self, name: &str) -> Option<usize> {
        self.names.iter().position(|known| known == name)
    }

    /// The rule with this number.
    pub(crate) fn rule(&self, number: usize) -> &Expr {
        &self.rules[number]
    }

    /// The literals of the grammar, each once.
    pub fn literals(&self) -> Vec<&str> {
        let mut out = Vec::new();
        self.rules.iter().for_each(|rule| literals(rule, &mut out));
        out
    }

    /// The literals of an expression, or of the rule that it refers to, or the marker of a pattern.
    pub(crate) fn markers<'a>(&'a self, expr: &'a Expr) -> Vec<&'a str> {
        let expr = if let Expr::Rule(number) = expr { &self.rules[*number] } else { expr };
        let mut out = Vec::new();
        match expr {
            Expr::Pattern(_, marker) => out.extend(marker.as_deref()),
            _ => literals(expr, &mut out),
        }
        out
    }

    /// True if the grammar uses this label.
    pub(crate) fn has_label(&self, label: CaptureLabel) -> bool {
        self.rules.iter().any(|rule| has_label(rule, label))
    }

    /// True if a match may depend on whether the request has thinking on.
    pub fn depends_on_thinking(&self) -> bool {
        fn depends(expr: &Expr) -> bool {
            matches!(expr, Expr::Request(RequestFact::Thinking(_))) || children(expr).into_iter().any(depends)
        }
        self.rules.iter().any(depends)
    }

    /// The bytes with which a match of a rule may begin; `None` if any byte may.
    pub(crate) fn first_bytes(&self, number: usize) -> Option<Box<[bool; 256]>> {
        let mut set = Box::new([false; 256]);
        (self.first(&self.rules[number], &mut set, 0) == Some(false)).then_some(set)
    }

    fn fill_first_bytes(&mut self) {
        let view = self.clone();
        self.rules.iter_mut().for_each(|rule| fill(rule, &view));
    }

    /// True if an expression depends on names matched before; rules that were already examined are skipped.
    fn asks_for_names(&self, expr: &Expr, seen: &mut [bool]) -> bool {
        match expr {
            Expr::Parameter(_)
            | Expr::Request(RequestFact::Parameters)
            | Expr::AllRequired
            | Expr::IsString(_)
            | Expr::May(_)
            | Expr::SameKey
            | Expr::Elements => true,
            Expr::Sequence(parts) | Expr::Choice(parts) => parts.iter().any(|part| self.asks_for_names(part, seen)),
            Expr::Repeat(part, ..)
            | Expr::Not(part)
            | Expr::Ahead(part)
            | Expr::Label(_, part)
            | Expr::Atomic(part) => self.asks_for_names(part, seen),
            Expr::Within(outer, inner) => self.asks_for_names(outer, seen) || self.asks_for_names(inner, seen),
            Expr::To(target) => self.asks_for_names(&target.expr, seen),
            Expr::Rule(number) if !std::mem::replace(&mut seen[*number], true) => {
                self.asks_for_names(&self.rules[*number], seen)
            }
            _ => false,
        }
    }

    /// Adds the bytes with which an expression may begin. True if it may be empty; `None` if that is unknown.
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
            Expr::Begun(text) => {
                set[*text.as_bytes().first()? as usize] = true;
                Some(false)
            }
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
            Expr::Label(_, part) | Expr::Atomic(part) | Expr::Within(part, _) => self.first(part, set, depth + 1),
            Expr::Rule(number) => self.first(&self.rules[*number], set, depth + 1),
            // The end of the text is always tried, and nothing follows it.
            Expr::End => Some(false),
            Expr::Not(_) | Expr::Ahead(_) | Expr::IsString(_) | Expr::May(_) | Expr::Request(_) | Expr::AllRequired => {
                Some(true)
            }
            Expr::Pattern(..)
            | Expr::Any
            | Expr::To(..)
            | Expr::Json(_)
            | Expr::Python
            | Expr::Tool
            | Expr::SameKey
            | Expr::Elements
            | Expr::Parameter(_) => None,
        }
    }
}

fn fill(expr: &mut Expr, grammar: &Grammar) {
    match expr {
        Expr::Sequence(parts) | Expr::Choice(parts) => parts.iter_mut().for_each(|part| fill(part, grammar)),
        Expr::Repeat(part, ..) | Expr::Not(part) | Expr::Ahead(part) | Expr::Label(_, part) | Expr::Atomic(part) => {
            fill(part, grammar);
        }
        Expr::Within(outer, inner) => {
            fill(outer, grammar);
            fill(inner, grammar);
        }
        Expr::To(target) => {
            fill(&mut target.expr, grammar);
            let mut set = Box::new([false; 256]);
            // If it may be empty, it matches at any byte.
            target.bytes = (grammar.first(&target.expr, &mut set, 0) == Some(false)).then_some(set);
            target.is_fixed = !grammar.asks_for_names(&target.expr, &mut vec![false; grammar.rules.len()]);
        }
        _ => {}
    }
}

fn children(expr: &Expr) -> Vec<&Expr> {
    match expr {
        Expr::Sequence(parts) | Expr::Choice(parts) => parts.iter().collect(),
        Expr::Repeat(part, ..) | Expr::Not(part) | Expr::Ahead(part) | Expr::Label(_, part) | Expr::Atomic(part) => {
            vec![part]
        }
        Expr::To(target) => vec![&target.expr],
        Expr::Within(outer, inner) => vec![outer, inner],
        _ => Vec::new(),
    }
}

fn literals<'a>(expr: &'a Expr, out: &mut Vec<&'a str>) {
    match expr {
        Expr::Literal(text) if !out.contains(&&**text) => out.push(text),
        _ => children(expr).into_iter().for_each(|part| literals(part, out)),
    }
}

fn has_label(expr: &Expr, label: CaptureLabel) -> bool {
    matches!(expr, Expr::Label(own, _) if *own == label)
        || children(expr).into_iter().any(|part| has_label(part, label))
}
