//! The calls of a transcript in another dialect, and what that one cannot carry.
//!
//! Every byte that is no call stays as it is. The result is read again by the other dialect alone and compared with
//! what was to be said; so what is reported as lost is what a runtime would not have, whatever the reason.

use std::collections::HashMap;

use crate::compare::{self, CallList, Facts, Part, PartChange};
use crate::container::Container;
use crate::dialect::{DialectInfo, Options, Status};
use crate::document::Item;
use crate::session::Session;
use crate::text::{Span, Walk};

/// A text whose calls were written anew.
pub struct Converted {
    /// All of it, with the calls in the other dialect.
    pub text: Vec<u8>,
    /// What of it is not as it was, in the order of the calls.
    pub losses: Vec<ConversionLoss>,
}

/// Something of a call that another dialect does not carry.
#[derive(Clone, Debug, PartialEq)]
pub struct ConversionLoss {
    /// Number of the call among the calls of the original.
    pub call: usize,
    /// Its line there, counted from 1.
    pub line: usize,
    /// The name of its tool.
    pub name: String,
    /// What is not as it was.
    pub what: Lost,
}

/// What is not as it was.
#[derive(Clone, Debug, PartialEq)]
pub enum Lost {
    /// The call itself: it does not come back as one call.
    Call,
    /// It was refused, in these words of its runtime; what could be built of it was written.
    Refused(String),
    /// It was not ended, and is now.
    Unterminated,
    /// A part of it; the change is from the original to what the other dialect reads.
    Part(PartChange),
    /// The other dialect reads a call there that is none in the original; its name is the name of that one.
    Extra,
}

/// Calls of a session, each put together once, that are to be written in other dialects.
pub struct Calls<'a> {
    session: &'a Session,
    /// The items that are written.
    items: Vec<usize>,
    /// Whether what stands between the calls is written too.
    between: bool,
    facts: Vec<Facts>,
    /// The line of each call, counted from 1.
    lines: Vec<usize>,
}

impl<'a> Calls<'a> {
    /// All calls, with what stands between them.
    pub fn in_their_text(session: &'a Session) -> Self {
        Self { between: true, ..Self::alone(session, 0..session.document().items().len()) }
    }

    /// The calls among some items, one behind another and each on lines of its own.
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

    /// What is to be said of each.
    pub fn facts(&self) -> &[Facts] {
        &self.facts
    }

    /// Writes them in the dialect `to`, and what stands between them, if anything, as it is.
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
                lost(Lost::Refused(words.clone()));
            }
            if call.status == Status::Unterminated {
                lost(Lost::Unterminated);
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

/// What the other dialect does not read as it was to be said.
fn lost(sent: &[Facts], places: &[usize], again: &Session) -> Vec<ConversionLoss> {
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
                    add(&sent[left].name, Lost::Part(change));
                }
            }
            (Some(left), None) => add(&sent[left].name, Lost::Call),
            (None, right) => {
                let name = right.map(|right| again.call(right).name).unwrap_or_default();
                add(&name, Lost::Extra);
            }
        }
    }
    losses
}

/// The changes that are losses. What a call gains by its new dialect is none; nor is what was wrong with it. Where a
/// list or an object became a text, that is said once and not of each of its values.
fn parts(sent: &Facts, changes: Vec<PartChange>) -> Vec<PartChange> {
    let mut found: Vec<PartChange> = Vec::new();
    // The change of each whole by its key.
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

/// A key as it was before it became part of a path.
fn unescaped(part: &str) -> String {
    part.replace("~1", "/").replace("~0", "~")
}

#[cfg(test)]
mod tests;
