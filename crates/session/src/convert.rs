//! Converts the calls of a transcript to another dialect, and reports what that cannot represent.
//!
//! Bytes outside calls are unchanged. The result is read again by the other dialect alone and compared with the
//! original calls, so that losses are exactly what a runtime would miss, for any reason.

use std::collections::HashMap;

use crate::compare::{self, CallFacts, CallList, Part, PartChange};
use crate::container::Container;
use crate::dialect::{DialectInfo, Options, Status};
use crate::document::Item;
use crate::session::Session;
use crate::text::{Span, Walk};

/// A text with converted calls.
pub struct Converted {
    /// The whole text, with the calls in the other dialect.
    pub text: Vec<u8>,
    /// The losses, in call order.
    pub losses: Vec<ConversionLoss>,
}

/// A part of a call that the other dialect cannot represent.
#[derive(Clone, Debug, PartialEq)]
pub struct ConversionLoss {
    /// Index of the call among the calls of the original.
    pub call: usize,
    /// Its line in the original, from 1.
    pub line: usize,
    /// Name of its tool.
    pub name: String,
    /// Kind of loss.
    pub what: LossKind,
}

/// Kinds of loss.
#[derive(Clone, Debug, PartialEq)]
pub enum LossKind {
    /// The call itself: it is not read back as a call.
    Call,
    /// It was rejected with this error of its runtime; the valid part was written.
    Refused(String),
    /// It lacked an end marker, and now has one.
    Unterminated,
    /// A part of it; the change leads from the original to the other dialect's reading.
    Part(PartChange),
    /// The other dialect reads a call that is not in the original; the loss has the name of that call.
    Extra,
}

/// Calls of a session to be written in other dialects, each assembled once.
pub struct Calls<'a> {
    session: &'a Session,
    items: Vec<usize>,
    /// True if the text between the calls is written as well.
    between: bool,
    facts: Vec<CallFacts>,
    /// Line of each call, from 1.
    lines: Vec<usize>,
}

impl<'a> Calls<'a> {
    /// All calls, with the text between them.
    pub fn in_their_text(session: &'a Session) -> Self {
        Self::among(session, 0..session.document().items().len())
    }

    /// The calls among some items, with the texts and results among them.
    pub fn among(session: &'a Session, items: impl IntoIterator<Item = usize>) -> Self {
        Self { between: true, ..Self::alone(session, items) }
    }

    /// The calls among some items, one after another, each on separate lines.
    pub fn alone(session: &'a Session, items: impl IntoIterator<Item = usize>) -> Self {
        let items: Vec<usize> = items.into_iter().collect();
        let mut walk = Walk::default();
        let (mut facts, mut lines) = (Vec::new(), Vec::new());
        for &item in &items {
            let Some(call) = session.document().call(item) else { continue };
            lines.push(session.position_by(&mut walk, call.span.start).line);
            facts.push(compare::facts(session, item).unwrap_or_default());
        }
        Self { session, items, between: false, facts, lines }
    }

    /// The content of each call.
    pub(crate) fn facts(&self) -> &[CallFacts] {
        &self.facts
    }

    /// Writes the calls in the dialect `to`, with any text between them unchanged.
    pub fn convert(&self, to: &'static DialectInfo, options: &Options) -> Converted {
        let dialect = crate::dialect::make(to, options).expect("a dialect that is known can be made");
        let source = self.session.text();
        let mut text = Vec::new();
        let mut losses = Vec::new();
        let mut number = 0;
        for &item in &self.items {
            let Some(found) = self.session.document().items().get(item) else { continue };
            let Item::Call(call) = found else {
                if self.between {
                    text.extend_from_slice(&source.read(found.span()));
                }
                continue;
            };
            let (facts, line) = (&self.facts[number], self.lines[number]);
            let mut lost = |what| losses.push(ConversionLoss { call: number, line, name: facts.name.clone(), what });
            if let Some(words) = &facts.refusal {
                lost(LossKind::Refused(words.clone()));
            }
            if call.status == Status::Unterminated {
                lost(LossKind::Unterminated);
            }
            let ends_line = !self.between || source.read(call.span).ends_with(b"\n");
            let next = source.read(Span::new(call.span.end, call.span.end + 1));
            to.start.place(&mut text, &dialect.write(&facts.content()), ends_line, &next);
            number += 1;
        }
        let mut again = Session::new(Container::plain(), &Options { only: vec![to], ..options.clone() });
        again.push(&text);
        again.finish();
        losses.extend(lost(&self.facts, &self.lines, &again));
        losses.sort_by_key(|loss| loss.call);
        Converted { text, losses }
    }
}

/// The differences between the calls as sent and as read by the other dialect.
fn lost(sent: &[CallFacts], places: &[usize], again: &Session) -> Vec<ConversionLoss> {
    let mut losses = Vec::new();
    let mut last = 0;
    for row in compare::rows(sent, again) {
        let call = row.left.unwrap_or(last);
        last = call;
        let line = places.get(call).copied().unwrap_or(1);
        let mut add = |name: &str, what| losses.push(ConversionLoss { call, line, name: name.to_owned(), what });
        match (row.left, row.right) {
            (Some(left), Some(_)) => {
                for change in parts(&sent[left], row.changes) {
                    add(&sent[left].name, LossKind::Part(change));
                }
            }
            (Some(left), None) => add(&sent[left].name, LossKind::Call),
            (None, right) => {
                let name = right.map(|right| again.call(right).name).unwrap_or_default();
                add(&name, LossKind::Extra);
            }
        }
    }
    losses
}

/// Selects the changes that are losses. Additions by the new dialect and corrected errors are not. A list or an object
/// that became text counts once, not for each of its values.
fn parts(sent: &CallFacts, changes: Vec<PartChange>) -> Vec<PartChange> {
    let mut found: Vec<PartChange> = Vec::new();
    // Index of the change of each top-level key.
    let mut wholes: HashMap<String, usize> = HashMap::new();
    for change in changes {
        match &change.part {
            Part::Dialect | Part::Status => {}
            Part::Refusal if change.new.is_none() => {}
            Part::Outcome(_) | Part::Id if change.old.is_none() => {}
            Part::Parameter(path) => {
                let top = path.split('/').next().unwrap_or_default();
                let whole = sent.parameters.get(unescaped(top)).filter(|value| value.is_array() || value.is_object());
                if let (Some(whole), false) = (whole, change.old.is_some() && change.new.is_some()) {
                    match wholes.get(top) {
                        Some(&known) if path == top => found[known].new = change.new,
                        Some(_) => {}
                        None => {
                            wholes.insert(top.to_owned(), found.len());
                            let (part, old) = (Part::Parameter(top.to_owned()), Some(whole.clone()));
                            let new = change.new.filter(|_| path == top);
                            found.push(PartChange { part, old, new });
                        }
                    }
                    continue;
                }
                if path == top {
                    wholes.insert(top.to_owned(), found.len());
                }
                found.push(change);
            }
            _ => found.push(change),
        }
    }
    found
}

/// Reverses the escaping of a key in a path.
fn unescaped(part: &str) -> String {
    part.replace("~1", "/").replace("~0", "~")
}

#[cfg(test)]
mod tests;
