//! A transcript as parts of text that is safe to show: for a report to share.
//!
//! Whatever comes from a file passes one place here: secrets are replaced if that is asked for, and invisible
//! characters become visible symbols.

mod block;
mod colour;
mod header;
mod lines;
mod outline;
mod raw;
mod summary;
mod turn;

use std::rc::Rc;

use crate::diagnostic::{Diagnostic, Severity};
use crate::filter::Selection;
use crate::redact::Redactor;
use crate::session::Session;
use crate::text::{Span, Walk};
use crate::value::NodeId;

use super::notes;
use crate::wording::problems_by_item;
use colour::CodeColours;

pub(super) use header::{DrawnGraph, ReportHeader};
pub(super) use lines::{LinePiece, PieceRole, ReportLine, ReportText, joined};
pub(super) use outline::{OutlineEntry, READ, brief};
pub(super) use turn::TurnHeading;

/// A problem in words that are safe to show.
pub(super) struct Problem {
    /// What it is linked to by: `p` and its number in the report, or of a failed call `i` and the item that says so.
    pub(super) anchor: String,
    pub(super) severity: &'static str,
    pub(super) sign: char,
    pub(super) code: &'static str,
    pub(super) line: usize,
    pub(super) column: usize,
    pub(super) message: String,
    pub(super) help: String,
    /// Number and prompt of its turn, in the list at the beginning of a report.
    pub(super) turn: Option<Rc<str>>,
}

/// A part of a report.
pub(super) enum ReportPart {
    /// The heading of what follows up to the next one.
    Turn(TurnHeading),
    /// The heading of what follows up to the next one; in a turn, a line.
    Message(MessageHeading),
    Item(ReportItem),
    /// A problem of no item.
    Problem(Problem),
    /// Notes of a person on what is not shown: a blank text, or a place that is gone, which has a title.
    Notes {
        title: Option<&'static str>,
        notes: Vec<String>,
    },
}

pub(super) struct MessageHeading {
    /// The number of the message, by which it is linked to.
    pub(super) number: usize,
    /// `user`, `assistant`, `system`, `tool`, or nothing.
    pub(super) role: &'static str,
    pub(super) speaker: String,
    /// The model, the time and what else the file says.
    pub(super) details: Vec<String>,
    /// Whether it says nothing but what came of calls of the report.
    pub(super) is_of_results: bool,
}

/// An item of the document with its problems.
pub(super) struct ReportItem {
    /// Its number, by which it is linked to.
    pub(super) number: usize,
    pub(super) block: ReportBlock,
    pub(super) problems: Vec<Problem>,
    /// What a person has noted on it, a line for each.
    pub(super) notes: Vec<String>,
}

pub(super) enum ReportBlock {
    Text(ReportText),
    Call(Box<CallBlock>),
    Result(ResultBlock),
    /// Reasoning, what the file withdraws, or what a program wrote for the model.
    Aside {
        name: String,
        /// Its beginning.
        words: String,
        /// True if its first words stand for it in a report that cannot fold.
        is_folded: bool,
        lines: ReportText,
    },
}

/// A call: its values, and the text that they come from.
pub(super) struct CallBlock {
    pub(super) name: String,
    pub(super) id: String,
    /// What it is about, in a few words.
    pub(super) argument: String,
    pub(super) dependencies: Vec<String>,
    /// How it ended, where there is something to say of that.
    pub(super) ending: Vec<&'static str>,
    /// Whether it was rejected or its result is an error.
    pub(super) failed: bool,
    pub(super) dialect: &'static str,
    /// The line of the file on which it begins, from 1.
    pub(super) line: usize,
    pub(super) values: Vec<ValueRow>,
    /// What it carries beside its parameters.
    pub(super) outcome: Vec<ValueRow>,
    pub(super) raw: Vec<ReportLine>,
    /// The item of its result.
    pub(super) result: Option<usize>,
}

pub(super) struct ValueRow {
    /// How deep it lies, from 1.
    pub(super) depth: usize,
    pub(super) key: String,
    /// Its node, where the text of the call has it.
    pub(super) node: Option<NodeId>,
    /// Nothing for an object or array that has members.
    pub(super) lines: Vec<ReportLine>,
    /// The name of its type.
    pub(super) kind: &'static str,
}

impl ValueRow {
    /// Whether it has lines of its own.
    pub(super) fn is_long(&self) -> bool {
        self.lines.len() > 1
    }
}

pub(super) struct ResultBlock {
    /// The item of its call.
    pub(super) call: Option<usize>,
    /// The name of the call and its id.
    pub(super) name: String,
    /// How it begins.
    pub(super) words: String,
    /// How the call went, where the file says so.
    pub(super) verdict: &'static str,
    pub(super) failed: bool,
    pub(super) lines: Vec<ReportLine>,
}

/// Makes the parts of a transcript that is read to its end.
pub struct ReportPage<'a> {
    session: &'a Session,
    redactor: Option<&'a Redactor>,
    selection: Option<&'a Selection>,
    colours: CodeColours,
}

impl<'a> ReportPage<'a> {
    /// A report on a session, or on what is selected of it; a redactor replaces secrets and private details.
    pub fn new(session: &'a Session, redactor: Option<&'a Redactor>, selection: Option<&'a Selection>) -> Self {
        Self { session, redactor, selection, colours: CodeColours::none() }
    }

    /// The same with code in colours.
    #[must_use]
    pub fn coloured(self) -> Self {
        Self { colours: CodeColours::new(self.session.document().calls().len()), ..self }
    }

    /// The session that it is a report on.
    pub(super) fn session(&self) -> &'a Session {
        self.session
    }

    pub(super) fn shows(&self, item: usize) -> bool {
        self.selection.is_none_or(|selection| selection.contains(item))
    }

    /// Gives part after part to `give`, until that fails.
    pub(super) fn parts<E>(&self, mut give: impl FnMut(ReportPart) -> Result<(), E>) -> Result<(), E> {
        let document = self.session.document();
        let mut problems = problems_by_item(self.session).into_iter().peekable();
        // Problems have the numbers that the list at the beginning gave them.
        let mut numbers = vec![0; document.diagnostics().len()];
        let shown = document.order().iter().map(|&number| number as usize).filter(|&number| {
            let item = document.diagnostics().brief(number).and_then(|brief| document.item_of_problem(&brief));
            item.map_or(self.selection.is_none(), |item| self.shows(item))
        });
        for (place, number) in shown.enumerate() {
            numbers[number] = place + 1;
        }
        let (mut turn, mut heading) = (None, None);
        let mut messages = document.messages().iter().enumerate().peekable();
        let (mut walk, mut of_problems, mut of_notes) = (Walk::default(), Walk::default(), Walk::default());
        for (number, item) in document.items().iter().enumerate() {
            while let Some((number, message)) = messages.next_if(|(_, message)| message.start <= item.span().start) {
                let begun = self.turn_begun_by(number);
                turn = begun.map(|turn| ReportPart::Turn(self.turn_heading(turn))).or(turn.take());
                heading = self.session.is_decoded().then(|| ReportPart::Message(self.heading(number, &message)));
                if self.selection.is_none() {
                    turn.take().into_iter().chain(heading.take()).try_for_each(&mut give)?;
                }
            }
            if !self.shows(number) {
                while problems.next_if(|(item, _)| *item == number).is_some() {}
                continue;
            }
            turn.take().into_iter().chain(heading.take()).try_for_each(&mut give)?;
            let mut here: Vec<(usize, Diagnostic)> = Vec::new();
            while let Some((_, problem)) = problems.next_if(|(item, _)| *item == number) {
                // Of a call that failed its result says so.
                let found = document.diagnostics().get(problem as usize);
                let found = found.filter(|found| found.severity != Severity::Note);
                here.extend(found.map(|found| (numbers[problem as usize], found)));
            }
            let marks: Vec<(Span, Severity)> =
                here.iter().map(|(_, problem)| (problem.span, problem.severity)).collect();
            let block = self.block(number, &item, &marks, &mut walk);
            let notes = notes::of_item(self.session, number, &mut of_notes);
            let notes: Vec<String> = notes.iter().map(|note| self.said(&note.text())).collect();
            let mut made = here.iter().map(|(number, problem)| self.problem(*number, problem, &mut of_problems));
            if let Some(block) = block {
                give(ReportPart::Item(ReportItem { number, block, problems: made.collect(), notes }))?;
                continue;
            }
            made.try_for_each(|problem| give(ReportPart::Problem(problem)))?;
            if !notes.is_empty() {
                give(ReportPart::Notes { title: None, notes })?;
            }
        }
        for (_, problem) in problems.filter(|_| self.selection.is_none()) {
            let Some(found) = document.diagnostics().get(problem as usize) else { continue };
            give(ReportPart::Problem(self.problem(numbers[problem as usize], &found, &mut of_problems)))?;
        }
        let lost = if self.selection.is_none() { notes::lost(self.session) } else { Vec::new() };
        if lost.is_empty() {
            return Ok(());
        }
        let notes = lost.iter().map(|note| self.said(&note.text())).collect();
        give(ReportPart::Notes { title: Some(notes::LOST), notes })
    }
}
