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
mod sequence;
mod subagents;
mod summary;
mod turn;

use std::rc::Rc;

use crate::filter::Selection;
use crate::redact::Redactor;
use crate::session::Session;
use crate::value::NodeId;

use colour::CodeColours;
use sequence::Sequence;
use subagents::AgentRuns;

pub(super) use header::{DrawnGraph, ReportHeader};
pub(super) use lines::{LinePiece, PieceRole, ReportLine, ReportText, joined};
pub(super) use outline::{OutlineEntry, READ, brief};
pub(super) use subagents::AgentHeading;
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
    /// If it has contents, they follow up to [`ItemEnd`](Self::ItemEnd).
    Item(ReportItem),
    /// End of the contents of a call.
    ItemEnd,
    /// Messages of a sub-agent follow up to [`AgentEnd`](Self::AgentEnd).
    Agent(AgentHeading),
    AgentEnd,
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
    pub(super) form: HeadingForm,
}

/// How a message begins in a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HeadingForm {
    /// With its speaker.
    Speaker,
    /// The same speaker continues, after results of calls.
    Continued,
    /// A program wrote it for the model; its items are folded.
    Automatic,
}

/// An item of the document with its problems.
pub(super) struct ReportItem {
    /// Item number, used as link target.
    pub(super) number: usize,
    pub(super) block: ReportBlock,
    pub(super) problems: Vec<Problem>,
    /// Notes of the user, one line each.
    pub(super) notes: Vec<String>,
    /// True for a call that is followed by messages of a sub-agent, or its result.
    pub(super) has_contents: bool,
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
    /// Item number of its result, if that is elsewhere in the report.
    pub(super) result: Option<usize>,
    /// How long it ran, if the report has turns and the file tells.
    pub(super) took: Option<String>,
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
    /// True if it is inside its call.
    pub(super) is_inside: bool,
    /// Date and time of a result inside its call.
    pub(super) when: String,
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
    /// True for a recorded session with prompts: the report has a heading for each turn, and calls contain their results.
    has_turns: bool,
}

impl<'a> ReportPage<'a> {
    /// Creates a report on a session or a selection of it; a redactor replaces secrets and private details.
    pub fn new(session: &'a Session, redactor: Option<&'a Redactor>, selection: Option<&'a Selection>) -> Self {
        let has_turns = session.is_decoded() && session.document().turn_count() > 0;
        Self { session, redactor, selection, colours: CodeColours::none(), has_turns }
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

    /// True if the report covers the whole session, without a filter.
    pub(super) fn is_whole(&self) -> bool {
        self.selection.is_none()
    }

    pub(super) fn shows(&self, item: usize) -> bool {
        self.selection.is_none_or(|selection| selection.contains(item))
    }

    /// Passes each part to `give`, until that fails.
    pub(super) fn parts<E>(&self, give: impl FnMut(ReportPart) -> Result<(), E>) -> Result<(), E> {
        let agents =
            if self.has_turns { AgentRuns::new(self.session, |item| self.shows(item)) } else { AgentRuns::default() };
        Sequence::new(self, &agents, give).write()
    }
}
