//! Matches a grammar against a text.
//!
//! A match is undone only by an alternative, never by a later part of the grammar. All steps are counted, so that no
//! combination of grammar and text takes more than [`MAX_STEPS`]. If the grammar is `lenient`, the end of the text
//! matches everything that is missing.

#[cfg(test)]
mod tests;

use std::collections::HashMap;

use regex_automata::{Anchored, Input};

use super::grammar::{CaptureLabel, Expr, Grammar, Parameters, RequestFact, SHORTEST_MARKER, ToTarget};
use super::grammar_fault::StopTracker;
use super::profile::{Behaviour, Undecided};
use super::request::ToolRequest;
use super::unread::{ExpectedThere, GrammarMismatch};
use crate::text::{Span, steps};
use crate::value::elements::{self, Element};
use crate::value::json::flavour;
use crate::value::place::SourceText;
use crate::value::python::syntax::{self, PythonRules};
use crate::value::tools::may_be;

/// Maximum number of steps of one reading.
pub const MAX_STEPS: usize = 50_000_000;

/// Maximum nesting of rules: matching is recursive, and the stack is small.
const MAX_DEPTH: usize = 200;

/// The result of matching an expression at an offset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Matched {
    /// Matches; the match ends at this offset.
    To(usize),
    /// The text ended within the match, and the grammar is lenient; the match ends at this offset.
    Cut(usize),
    /// Does not match.
    No,
}

/// A labelled span; the captures within it follow it.
#[derive(Clone, Copy, Debug)]
pub struct Capture {
    /// Its label.
    pub label: CaptureLabel,
    /// Its bytes in the text.
    pub span: Span,
    /// Index after the last capture within it.
    pub next: usize,
    /// True if the text ended in it.
    pub cut: bool,
}

/// The result of a search for the end of a span that begins at or after `from`.
#[derive(Clone, Copy)]
struct CachedSearch {
    from: usize,
    end: usize,
    matched: Matched,
}

/// Matches a grammar against one text, and records captures.
pub struct GrammarMatcher<'a> {
    grammar: &'a Grammar,
    text: &'a str,
    request: &'a ToolRequest,
    lenient: bool,
    undecided: Undecided,
    /// Prefix of the tags of nested elements.
    marker: &'a str,
    python: PythonRules,
    steps: usize,
    depth: usize,
    /// The last search result for each target of `to`, by the target's address.
    found: HashMap<usize, CachedSearch>,
    /// The captures so far, in order.
    pub captures: Vec<Capture>,
    /// Indices of the captures that name a tool, including captures that were undone.
    names: Vec<usize>,
    /// The furthest offset at which something else was expected.
    pub furthest: usize,
    /// The furthest offset of a name that is not one of the request's tools.
    pub unknown_tool: Option<usize>,
    /// The offsets at which the text did not match, including those in searches.
    pub stops: StopTracker,
}

impl<'a> GrammarMatcher<'a> {
    /// A matcher for a text and the tools of its request.
    pub fn new(behaviour: &'a Behaviour, text: &'a str, request: &'a ToolRequest) -> Self {
        let (grammar, rules) = (&behaviour.grammar, &behaviour.rules);
        let (lenient, undecided, marker) = (rules.lenient, rules.undecided, rules.arguments.marker.as_str());
        let python = rules.python;
        Self {
            grammar,
            text,
            request,
            lenient,
            undecided,
            marker,
            python,
            steps: 0,
            depth: 0,
            found: HashMap::new(),
            captures: Vec::new(),
            names: Vec::new(),
            furthest: 0,
            unknown_tool: None,
            stops: StopTracker::default(),
        }
    }

    /// True if the matcher gave up because it ran out of steps.
    pub fn is_exhausted(&self) -> bool {
        self.steps > MAX_STEPS
    }

    /// The mismatch to report for a reading that failed at this offset.
    pub fn unread(&self, at: usize) -> GrammarMismatch {
        let expected = match self.unknown_tool {
            _ if self.is_exhausted() => ExpectedThere::Unknown,
            Some(place) if place == at => ExpectedThere::Tool,
            _ => return GrammarMismatch { at: at.max(self.stops.furthest()), expected: ExpectedThere::Other },
        };
        GrammarMismatch { at, expected }
    }

    /// Matches the rule with this number at `at`.
    pub fn rule(&mut self, number: usize, at: usize) -> Matched {
        let grammar = self.grammar;
        self.expr(grammar.rule(number), at)
    }

    fn take_steps(&mut self, count: usize) {
        self.steps += count;
        steps::add(count);
    }

    fn expr(&mut self, expr: &'a Expr, at: usize) -> Matched {
        self.take_steps(1);
        if self.steps > MAX_STEPS || self.depth > MAX_DEPTH {
            self.steps = MAX_STEPS + 1;
            return Matched::No;
        }
        self.depth += 1;
        let kept = self.captures.len();
        let matched = self.step(expr, at);
        self.depth -= 1;
        if matched == Matched::No {
            self.captures.truncate(kept);
            self.furthest = self.furthest.max(at);
            self.stops.miss(expr, self.text, at);
            if matches!(expr, Expr::Tool) && self.text[at..].starts_with(char::is_alphanumeric) {
                self.unknown_tool = self.unknown_tool.max(Some(at));
            }
        }
        matched
    }

    fn step(&mut self, expr: &'a Expr, at: usize) -> Matched {
        let text = self.text;
        let rest = &text[at..];
        match expr {
            Expr::Literal(literal) if rest.starts_with(&**literal) => Matched::To(at + literal.len()),
            Expr::Literal(literal) => self.unless_cut(literal.starts_with(rest)),
            Expr::Pattern(pattern, _) => {
                let input = Input::new(text).range(at..).anchored(Anchored::Yes);
                let found = pattern.regex().and_then(|regex| regex.find(input)).map(|found| Matched::To(found.end()));
                if let Some(Matched::To(end)) = found {
                    self.take_steps((end - at) / 4);
                }
                found.unwrap_or_else(|| self.unless_cut(rest.is_empty()))
            }
            Expr::Any => match rest.chars().next() {
                Some(c) => Matched::To(at + c.len_utf8()),
                None => self.unless_cut(true),
            },
            Expr::End => {
                if rest.is_empty() {
                    Matched::To(at)
                } else {
                    Matched::No
                }
            }
            Expr::Sequence(parts) => self.sequence(parts, at),
            Expr::Choice(parts) => {
                parts.iter().map(|part| self.expr(part, at)).find(|m| *m != Matched::No).unwrap_or(Matched::No)
            }
            Expr::Repeat(part, least, most) => self.repeat(part, *least, *most, at),
            Expr::Not(part) => match self.ahead(part, at, usize::MAX) {
                Matched::To(_) => Matched::No,
                Matched::Cut(_) if self.undecided == Undecided::Cut => Matched::Cut(at),
                Matched::Cut(_) | Matched::No => Matched::To(at),
            },
            Expr::Ahead(part) => match self.ahead(part, at, 0) {
                Matched::To(_) => Matched::To(at),
                Matched::Cut(_) if self.undecided == Undecided::Cut => Matched::Cut(at),
                Matched::Cut(_) | Matched::No => Matched::No,
            },
            Expr::To(target) => self.shortest(target, at),
            Expr::Label(label, part) => self.label(*label, part, at),
            Expr::Rule(number) => self.rule(*number, at),
            Expr::Json(flavour) => match flavour::read(SourceText::whole(rest), *flavour) {
                Ok((_, len)) => {
                    self.take_steps(len / 8);
                    Matched::To(at + len)
                }
                Err(fault) if fault.at_end && self.lenient => Matched::Cut(at + flavour::whole_characters(rest)),
                Err(fault) => {
                    self.take_steps(fault.at / 8);
                    self.stops.miss_json(at + fault.at);
                    Matched::No
                }
            },
            Expr::Python => {
                self.take_steps(rest.len() / 8);
                let is_calls = syntax::calls(text, Span::new(at, text.len()), self.python).is_ok();
                if is_calls { Matched::To(text.len()) } else { Matched::No }
            }
            Expr::Begun(literal) if !rest.is_empty() && rest.len() < literal.len() && literal.starts_with(rest) => {
                Matched::To(text.len())
            }
            Expr::Begun(_) => Matched::No,
            Expr::Within(outer, inner) => self.within(outer, inner, at),
            Expr::Atomic(part) => {
                let kept = self.captures.len();
                let matched = self.expr(part, at);
                if matches!(matched, Matched::Cut(_)) {
                    self.captures.truncate(kept);
                }
                matched
            }
            _ => self.of_request(expr, at),
        }
    }

    /// Matches an expression that depends on the request's tools.
    fn of_request(&self, expr: &'a Expr, at: usize) -> Matched {
        let rest = &self.text[at..];
        match expr {
            Expr::Tool => self.longest(self.request.names(), at),
            Expr::Elements => match (self.schema(), self.named(CaptureLabel::Key)) {
                (Some(schema), Some(key)) => match elements::read(SourceText::whole(rest), schema, self.marker, key) {
                    Element::Whole(len, _) => Matched::To(at + len),
                    Element::Cut(_) => self.unless_cut(true),
                    Element::No => Matched::No,
                },
                _ => Matched::No,
            },
            Expr::SameKey => self.longest(self.named(CaptureLabel::Key).into_iter(), at),
            Expr::Parameter(which) => self.longest(self.parameters(*which).into_iter(), at),
            Expr::AllRequired => {
                if self.parameters(Parameters::Next).is_empty() {
                    Matched::To(at)
                } else {
                    self.unless_cut(rest.is_empty())
                }
            }
            Expr::May(name) => {
                let schema = self.schema();
                if schema.is_some_and(|schema| may_be(schema, name)) { Matched::To(at) } else { Matched::No }
            }
            Expr::Request(fact) => {
                let is_so = match fact {
                    RequestFact::Tools => !self.request.tools().is_empty(),
                    RequestFact::Parameters => !self.parameters(Parameters::Any).is_empty(),
                    RequestFact::Thinking(on) => self.request.settings.thinking == Some(*on),
                };
                if is_so { Matched::To(at) } else { Matched::No }
            }
            Expr::IsString(wanted) => {
                let is_string = match (self.named(CaptureLabel::Name), self.named(CaptureLabel::Key)) {
                    (Some(tool), Some(key)) => self.request.is_string(tool, key),
                    _ => false,
                };
                if is_string == *wanted { Matched::To(at) } else { Matched::No }
            }
            _ => Matched::No,
        }
    }

    fn unless_cut(&self, cut: bool) -> Matched {
        if cut && self.lenient { Matched::Cut(self.text.len()) } else { Matched::No }
    }

    fn sequence(&mut self, parts: &'a [Expr], mut at: usize) -> Matched {
        for part in parts {
            match self.expr(part, at) {
                Matched::To(end) => at = end,
                other => return other,
            }
        }
        Matched::To(at)
    }

    fn repeat(&mut self, part: &'a Expr, least: usize, most: usize, mut at: usize) -> Matched {
        let mut count = 0;
        while count < most {
            // No text is left for another repetition.
            if self.lenient && at == self.text.len() {
                return if count < least { Matched::Cut(at) } else { Matched::To(at) };
            }
            // Further repetitions are optional.
            let floor = self.stops.floor;
            self.stops.floor = floor.max(if count < least { 0 } else { at + 1 });
            let matched = self.expr(part, at);
            self.stops.floor = floor;
            match matched {
                // An empty match would repeat for ever.
                Matched::To(end) if end == at && count >= least => break,
                Matched::To(end) => at = end,
                Matched::Cut(end) => return Matched::Cut(end),
                Matched::No => break,
            }
            count += 1;
        }
        if count < least { Matched::No } else { Matched::To(at) }
    }

    /// Matches an expression without consuming text; stops in it count from offset `floor`.
    fn ahead(&mut self, part: &'a Expr, at: usize, floor: usize) -> Matched {
        let (kept, furthest, before) = (self.captures.len(), self.furthest, self.stops.floor);
        self.stops.floor = before.max(floor);
        let matched = self.expr(part, at);
        self.captures.truncate(kept);
        (self.furthest, self.stops.floor) = (furthest, before);
        matched
    }

    /// Matches the shortest text before a target. The search result is cached for later starts before it, so that a
    /// text is searched only once for a marker that it does not contain.
    fn shortest(&mut self, target: &'a ToTarget, from: usize) -> Matched {
        let key = std::ptr::from_ref(target) as usize;
        if let Some(found) = self.found.get(&key) {
            let is_near = match found.matched {
                Matched::To(end) => from <= end,
                _ => true,
            };
            if found.end == self.text.len() && found.from <= from && is_near {
                return found.matched;
            }
        }
        let matched = self.search(&target.expr, target.bytes.as_deref(), from);
        if matched == Matched::No {
            self.stops.miss_end(self.grammar, target, from);
        }
        if target.is_fixed && !self.is_exhausted() {
            self.found.insert(key, CachedSearch { from, end: self.text.len(), matched });
        }
        matched
    }

    fn search(&mut self, part: &'a Expr, bytes: Option<&[bool; 256]>, from: usize) -> Matched {
        let (kept, furthest, floor) = (self.captures.len(), self.furthest, self.stops.floor);
        let mut at = from;
        loop {
            if let Some(set) = bytes {
                let ahead = self.text.as_bytes()[at..].iter().position(|byte| set[*byte as usize]);
                self.take_steps(ahead.unwrap_or(0) / 64);
                at = ahead.map_or(self.text.len(), |ahead| at + ahead);
            }
            self.stops.floor = floor.max(at.saturating_add(SHORTEST_MARKER));
            let matched = self.expr(part, at);
            self.captures.truncate(kept);
            (self.furthest, self.stops.floor) = (furthest, floor);
            match matched {
                Matched::To(_) => return Matched::To(at),
                // The text ends within the target.
                Matched::Cut(end) => return if at == self.text.len() { Matched::Cut(end) } else { Matched::To(at) },
                Matched::No if self.is_exhausted() => return Matched::No,
                Matched::No => {}
            }
            let Some(c) = self.text[at..].chars().next() else { return self.unless_cut(true) };
            at += c.len_utf8();
        }
    }

    fn within(&mut self, outer: &'a Expr, inner: &'a Expr, at: usize) -> Matched {
        let kept = self.captures.len();
        let matched = self.expr(outer, at);
        let Matched::To(end) = matched else { return matched };
        self.captures.truncate(kept);
        let (text, lenient) = (self.text, self.lenient);
        self.text = &text[..end];
        self.lenient &= end == text.len();
        let fits = self.expr(inner, at);
        (self.text, self.lenient) = (text, lenient);
        if fits == Matched::No { Matched::No } else { matched }
    }

    fn label(&mut self, label: CaptureLabel, part: &'a Expr, at: usize) -> Matched {
        let number = self.captures.len();
        self.captures.push(Capture { label, span: Span::new(at, at), next: 0, cut: false });
        let matched = self.expr(part, at);
        let (end, cut) = match matched {
            Matched::To(end) => (end, false),
            // Names and ids are complete or do not count.
            Matched::Cut(_)
                if matches!(label, CaptureLabel::Name | CaptureLabel::Id | CaptureLabel::Key | CaptureLabel::Close) =>
            {
                self.captures.truncate(number);
                return matched;
            }
            Matched::Cut(end) => (end, true),
            Matched::No => return Matched::No,
        };
        let next = self.captures.len();
        self.captures[number] = Capture { label, span: Span::new(at, end), next, cut };
        if label == CaptureLabel::Name {
            while self.names.last().is_some_and(|last| *last >= number) {
                self.names.pop();
            }
            self.names.push(number);
        }
        matched
    }

    /// These parameters of the tool named last.
    fn parameters(&self, which: Parameters) -> Vec<&'a str> {
        let Some(tool) = self.named(CaptureLabel::Name) else { return Vec::new() };
        let all = self.request.parameters(tool);
        if which == Parameters::Any {
            return all;
        }
        let required = self.request.required(tool);
        let call = self.last_name().unwrap_or(0);
        let is_open = which != Parameters::Optional;
        // The optional parameters that the call has make no difference.
        let keys = self.captures[if is_open { call } else { self.captures.len() }..]
            .iter()
            .filter(|capture| capture.label == CaptureLabel::Key);
        let given: Vec<&str> = keys.map(|key| &self.text[key.span.start..key.span.end]).collect();
        let wanted = |name: &&str| match which {
            Parameters::Any => true,
            Parameters::Optional => !required.contains(name),
            Parameters::Next | Parameters::Required => required.contains(name) && !given.contains(name),
        };
        let most = if which == Parameters::Next { 1 } else { usize::MAX };
        all.into_iter().filter(wanted).take(most).collect()
    }

    /// Index of the capture with the tool name that was matched last.
    fn last_name(&self) -> Option<usize> {
        let is_there =
            |number: &&usize| self.captures.get(**number).is_some_and(|found| found.label == CaptureLabel::Name);
        self.names.iter().rev().find(is_there).copied()
    }

    /// The schema of the parameter named last.
    fn schema(&self) -> Option<&'a serde_json::Value> {
        self.request.schema(self.named(CaptureLabel::Name)?, self.named(CaptureLabel::Key)?)
    }

    /// The text of the last capture with this label.
    fn named(&self, label: CaptureLabel) -> Option<&'a str> {
        let last = match label {
            CaptureLabel::Name => &self.captures[self.last_name()?],
            _ => self.captures.iter().rev().find(|capture| capture.label == label)?,
        };
        Some(&self.text[last.span.start..last.span.end])
    }

    fn longest<'b>(&self, names: impl Iterator<Item = &'b str>, at: usize) -> Matched {
        let rest = &self.text[at..];
        let mut cut = false;
        let mut longest = None;
        for name in names {
            if rest.starts_with(name) {
                longest = longest.max(Some(name.len()));
            }
            cut |= name.starts_with(rest);
        }
        longest.map_or_else(|| self.unless_cut(cut), |len| Matched::To(at + len))
    }
}
