//! A transcript as sanitized report parts, independent of the output format.
//!
//! All text from the file is processed in one place: secrets are replaced if redaction is on, and invisible characters
//! become visible symbols.

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
pub(super) use turn::{TurnEntry, TurnHeading};

/// A problem with sanitized text.
pub(super) struct Problem {
    /// Link target: `p` and the problem's number in the report; for a failed call, `i` and the item that reports the
    /// failure.
    pub(super) anchor: String,
    pub(super) severity: &'static str,
    pub(super) sign: char,
    pub(super) code: &'static str,
    pub(super) line: usize,
    pub(super) column: usize,
    pub(super) message: String,
    pub(super) help: String,
    /// Number and prompt of its turn, for the list at the beginning of a report.
    pub(super) turn: Option<Rc<str>>,
}

/// A part of a report.
pub(super) enum ReportPart {
    /// Heading of the parts up to the next turn.
    Turn(TurnHeading),
    /// Heading of the parts up to the next message; within a turn, a line.
    Message(MessageHeading),
    Item(ReportItem),
    /// A problem without an item.
    Problem(Problem),
    /// Notes of the user on something not shown: whitespace, or a place that no longer exists, which gets a title.
    Notes {
        title: Option<&'static str>,
        notes: Vec<String>,
    },
}

pub(super) struct MessageHeading {
    /// Number of the message, used as link target.
    pub(super) number: usize,
    /// `user`, `assistant`, `system`, `tool`, or empty.
    pub(super) role: &'static str,
    pub(super) speaker: String,
    /// Model, time and other details that the file states.
    pub(super) details: Vec<String>,
    /// True if the message contains only results of calls in the report.
    pub(super) is_of_results: bool,
}

/// An item of the document with its problems.
pub(super) struct ReportItem {
    /// Item number, used as link target.
    pub(super) number: usize,
    pub(super) block: ReportBlock,
    pub(super) problems: Vec<Problem>,
    /// Notes of the user, one line each.
    pub(super) notes: Vec<String>,
}

pub(super) enum ReportBlock {
    Text(ReportText),
    Call(Box<CallBlock>),
    Result(ResultBlock),
    /// Reasoning, text that the file withdraws, or text that a program wrote for the model.
    Aside {
        name: String,
        /// First line with text, abbreviated.
        words: String,
        /// True if a format without folding shows only the first words.
        is_folded: bool,
        lines: ReportText,
    },
}

/// A call: its values, and the raw text.
pub(super) struct CallBlock {
    pub(super) name: String,
    pub(super) id: String,
    /// Short summary of its main argument.
    pub(super) argument: String,
    pub(super) dependencies: Vec<String>,
    /// Remarks on its status, if it is unusual.
    pub(super) ending: Vec<&'static str>,
    /// True if it was rejected, or its result is an error.
    pub(super) failed: bool,
    pub(super) dialect: &'static str,
    /// Line of the file on which it begins, from 1.
    pub(super) line: usize,
    pub(super) values: Vec<ValueRow>,
    /// The outcome that the call itself carries, apart from its parameters.
    pub(super) outcome: Vec<ValueRow>,
    pub(super) raw: Vec<ReportLine>,
    /// Item number of its result.
    pub(super) result: Option<usize>,
}

pub(super) struct ValueRow {
    /// Depth in the tree, from 1.
    pub(super) depth: usize,
    pub(super) key: String,
    /// Its node, if the value is in the raw text of the call.
    pub(super) node: Option<NodeId>,
    /// Empty for a non-empty object or array.
    pub(super) lines: Vec<ReportLine>,
    /// Name of its JSON type.
    pub(super) kind: &'static str,
}

impl ValueRow {
    /// True if the value needs separate lines.
    pub(super) fn is_long(&self) -> bool {
        self.lines.len() > 1
    }
}

pub(super) struct ResultBlock {
    /// Item number of its call.
    pub(super) call: Option<usize>,
    /// Name and id of the call.
    pub(super) name: String,
    /// First line with text, abbreviated.
    pub(super) words: String,
    /// Outcome of the call, if the file states it.
    pub(super) verdict: &'static str,
    pub(super) failed: bool,
    pub(super) lines: Vec<ReportLine>,
}

/// Produces the parts of a report on a completely read transcript.
pub struct ReportPage<'a> {
    session: &'a Session,
    redactor: Option<&'a Redactor>,
    selection: Option<&'a Selection>,
    colours: CodeColours,
}

impl<'a> ReportPage<'a> {
    /// Creates a report on a session or a selection of it; a redactor replaces secrets and private details.
    pub fn new(session: &'a Session, redactor: Option<&'a Redactor>, selection: Option<&'a Selection>) -> Self {
        Self { session, redactor, selection, colours: CodeColours::none() }
    }

    /// Enables syntax highlighting.
    #[must_use]
    pub fn coloured(self) -> Self {
        Self { colours: CodeColours::new(self.session.document().calls().len()), ..self }
    }

    /// The session that the report covers.
    pub(super) fn session(&self) -> &'a Session {
        self.session
    }

    pub(super) fn shows(&self, item: usize) -> bool {
        self.selection.is_none_or(|selection| selection.contains(item))
    }

    /// Passes each part to `give`, until that fails.
    pub(super) fn parts<E>(&self, mut give: impl FnMut(ReportPart) -> Result<(), E>) -> Result<(), E> {
        let document = self.session.document();
        let mut problems = problems_by_item(self.session).into_iter().peekable();
        // Problems keep the numbers they have in the list at the beginning.
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
                // A failed call is reported by its result.
                let found = document.diagnostics().get(problem as usize);
                let found = found.filter(|found| found.severity != Severity::Note);
                here.extend(found.map(|found| (numbers[problem as usize], found)));
            }
            let marks: Vec<(Span, Severity)> =
                here.iter().map(|(_, problem)| (problem.span, problem.severity)).collect();
            let block = self.block(number, &item, &marks, &mut walk);
            let notes = notes::of_item(self.session, number, &mut of_notes);
            let notes: Vec<String> = notes.iter().map(|note| self.clean_line(&note.text())).collect();
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
        let notes = lost.iter().map(|note| self.clean_line(&note.text())).collect();
        give(ReportPart::Notes { title: Some(notes::LOST), notes })
    }
}
