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
//! | `python` | the rest of the text, if it is calls in Python as the profile's `python` says |
//! | `begun("text")` | the end of the text, if it is the beginning of these characters but not all of them |
//! | `within(a, b)` | what `a` takes, if `b` fits at its beginning; to `b` the text ends where `a` does |
//! | `known_tool`, `known_parameter` | a name of the request's tools; a name of the parameters of the tool that was named last |
//! | `parameter(next)` | the first parameter that the tool requires and that the call does not have yet; `parameter(required)`, `parameter(optional)`: one of those that it requires and the call does not have yet, or one that it does not require |
//! | `all_required` | nothing, if the call has all parameters that its tool requires |
//! | `is(string)` | nothing, if the parameter that was named last has this type in the schema; `is(other)` if not |
//! | `may(integer)` | nothing, if the schema names this type among those that the parameter may have |
//! | `elements` | the value of the parameter that was named last in nested elements, in front of its end tag |
//! | `same_key` | the name of the parameter that was named last, once more |
//! | `has(tools)`, `has(parameters)` | nothing, if the request names tools; if the tool that was named last has parameters |
//! | `thinking(on)` | nothing, if the request is known to have thinking on; `thinking(off)`: off |
//! | `atomic(a)` | what `a` takes; nothing is labelled in it where the text ends in it |
//! | `a b`, `a \| b`, `(a)` | one after the other; the first of them that fits, for good; a group |
//! | `a?`, `a*`, `a+` | none or one, any number, at least one: as many as there are, for good |
//! | `!a`, `&a` | nothing, if `a` does not follow; if it does |
//! | `label:a` | what `a` takes, for the call or the message that is made of it, see [`CaptureLabel`] |
//!
//! Source of the semantics: B. Ford, Parsing Expression Grammars, POPL 2004.

mod notation;

use regex_automata::meta::Regex;

use crate::value::json::flavour::Flavour;

/// What a labelled stretch is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::EnumString)]
#[strum(serialize_all = "lowercase")]
pub enum CaptureLabel {
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
    /// The text of the value of the key before, where it stays text whatever the profile says of values.
    Text,
    /// The text of the value of the key before, where character references stay whatever the profile says of them.
    Plain,
    /// The type that the text gives to the value that follows.
    Type,
    /// A text that nothing can be made of: the value of a parameter `raw`, the only one.
    Raw,
    /// A text that holds name and arguments, read as the profile's `body` says.
    Body,
    /// The value of the key before, written in JSON or as a Python literal.
    Literal,
    /// The value of the key before, written in nested elements.
    Elements,
    /// The end of the value before, if one is open, or else of the call.
    Close,
    /// Calls that are written as Python, read as the profile's `python` says.
    Python,
    /// Text that is delivered as content.
    Content,
    /// Text that is delivered as reasoning.
    Reasoning,
    /// Text that is delivered as reasoning which the prompt has begun.
    Opened,
    /// Text that the parser passes over.
    Lost,
    /// Text that the parser takes for a call and of which it delivers none, so that prose around it is that around calls.
    NoCall,
    /// A place at which the parser makes its error.
    Error,
}

/// Which parameters of the tool that was named last are meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parameters {
    /// All parameters of the tool, required or not.
    Any,
    /// The first that it requires and that the call does not have yet.
    Next,
    /// Those that it requires and that the call does not have yet.
    Required,
    /// Those that it does not require.
    Optional,
}

/// What ends a stretch that is as short as possible.
#[derive(Clone, Debug)]
pub struct StretchEnd {
    /// What stands behind the stretch.
    pub expr: Expr,
    /// The bytes with which that may begin; nothing if it may be any.
    pub bytes: Option<Box<[bool; 256]>>,
    /// Whether it is the same wherever the stretch begins: it does not ask for what was named before.
    pub is_fixed: bool,
}

/// An expression of a grammar.
#[derive(Clone, Debug)]
pub enum Expr {
    /// Exactly these characters, no case folded.
    Literal(Box<str>),
    /// A regular expression, and the marker in it, if it has one.
    Pattern(Box<Regex>, Option<Box<str>>),
    /// One character, which may be a line feed.
    Any,
    /// The end of the text.
    End,
    /// One after the other, nothing between them.
    Sequence(Vec<Expr>),
    /// The first that fits; the others are not tried again.
    Choice(Vec<Expr>),
    /// As many as there are, within these bounds.
    Repeat(Box<Expr>, usize, usize),
    /// Nothing, if this does not follow.
    Not(Box<Expr>),
    /// Nothing of the text, if this follows.
    Ahead(Box<Expr>),
    /// The shortest stretch in front of this.
    To(Box<StretchEnd>),
    /// A stretch with a label.
    Label(CaptureLabel, Box<Expr>),
    /// A rule by its number.
    Rule(usize),
    /// A JSON value, in whose flavour it is.
    Json(Flavour),
    /// The rest of the text, if it is calls in Python.
    Python,
    /// The end of the text, if it is the beginning of these characters.
    Begun(Box<str>),
    /// What the first takes, if the second fits in it.
    Within(Box<Expr>, Box<Expr>),
    /// A name of the request's tools.
    Tool,
    /// A name of these parameters of the tool named last.
    Parameter(Parameters),
    /// Whether the call has all parameters that its tool requires.
    AllRequired,
    /// Whether the parameter named last is a string in the schema.
    IsString(bool),
    /// Whether the schema names this type for the parameter named last.
    May(Box<str>),
    /// The value of the parameter named last in nested elements.
    Elements,
    /// The name of the parameter named last.
    SameKey,
    /// Nothing, if this is true of the request.
    Request(RequestFact),
    /// This, of which nothing is labelled where the text ends in it.
    Atomic(Box<Expr>),
}

/// Least bytes of a literal that is taken for a marker.
pub const SHORTEST_MARKER: usize = 5;

/// A fact of the request that a grammar may require.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequestFact {
    /// It names at least one tool.
    Tools,
    /// The tool named last has parameters.
    Parameters,
    /// Its thinking is known to be on, or off.
    Thinking(bool),
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
        let (rules, names) = notation::read(source)?;
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

    /// The rules that the first one leads to. Runtimes share rules that few parsers use.
    fn used(&self) -> Vec<&Expr> {
        let mut seen = vec![false; self.rules.len()];
        let mut waiting: Vec<usize> = ["message", "item"].iter().filter_map(|name| self.number(name)).collect();
        let mut out = Vec::new();
        while let Some(number) = waiting.pop() {
            if !std::mem::replace(&mut seen[number], true) {
                out.push(&self.rules[number]);
                referred(&self.rules[number], &mut waiting);
            }
        }
        out
    }

    /// The literals of the grammar, each once.
    pub fn literals(&self) -> Vec<&str> {
        let mut out = Vec::new();
        self.used().into_iter().for_each(|rule| literals(rule, &mut out));
        out
    }

    /// The literals of an expression, or of the rule that it is, or the marker of a pattern.
    pub fn markers<'a>(&'a self, expr: &'a Expr) -> Vec<&'a str> {
        let expr = if let Expr::Rule(number) = expr { &self.rules[*number] } else { expr };
        let mut out = Vec::new();
        match expr {
            Expr::Pattern(_, marker) => out.extend(marker.as_deref()),
            _ => literals(expr, &mut out),
        }
        out
    }

    /// Whether anything is labelled like this.
    pub fn has_label(&self, label: CaptureLabel) -> bool {
        self.used().into_iter().any(|rule| has_label(rule, label))
    }

    /// True if what it takes may depend on the thinking of the request.
    pub fn depends_on_thinking(&self) -> bool {
        fn depends(expr: &Expr) -> bool {
            matches!(expr, Expr::Request(RequestFact::Thinking(_))) || children(expr).into_iter().any(depends)
        }
        self.used().into_iter().any(depends)
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

    /// Whether an expression asks for what was named before; rules that were looked at already are passed over.
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
            // The end of the text is looked at in any case, and nothing stands behind it.
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
            // Where it may be empty it is found at any byte.
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

/// Adds the numbers of the rules that an expression refers to.
fn referred(expr: &Expr, out: &mut Vec<usize>) {
    match expr {
        Expr::Rule(number) => out.push(*number),
        _ => children(expr).into_iter().for_each(|part| referred(part, out)),
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
