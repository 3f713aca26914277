//! Converts a completely read session to rows: one for the file, one for each call and each problem.
//!
//! Rows are sent in batches, so that a session of a gigabyte does not need memory for all of them.

#![expect(clippy::cast_possible_wrap, reason = "no file has 2^63 bytes")]

mod place;

use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;
use std::sync::Arc;

use jiff::Timestamp;

use super::counts::Counts;
use super::tables::{CallRow, ProblemRow, SessionRow};
use crate::container::{CallOutcome, Container};
use crate::diagnostic::{Code, Severity};
use crate::document::graph::{Fate, GraphNode};
use crate::document::{Call, Document, Item};
use crate::filter::{MissingFacts, Selection};
use crate::session::Session;
use crate::text::{LineWalk, Walk};
use place::MessageFacts;
pub use place::day_of;

/// Maximum number of calls or problems in a batch.
const BATCH: usize = 512;

/// Maximum length in bytes of text in a row, except for paths; longer text is cut, with an ellipsis.
const LONGEST: usize = 8 << 10;

/// Metadata of a file, available before its content is parsed.
#[derive(Clone, Debug, Default)]
pub struct FileFacts {
    /// Absolute path, encoded by [`super::path_text`].
    pub(crate) file: Arc<str>,
    /// Default for the session id, if the file does not state one.
    pub(crate) name: Arc<str>,
    /// Size on disk in bytes.
    pub(crate) bytes: u64,
    /// Modification time, in whole milliseconds.
    pub(crate) modified_at: Option<Timestamp>,
    /// Kind, decided before the file is read.
    pub kind: FileKind,
    /// All pieces of the rotated log that contains it, oldest first; empty if there are no others.
    pub(crate) family: Arc<[Arc<str>]>,
}

/// Kind of a file, decided by its location and first bytes before it is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FileKind {
    /// A transcript.
    #[default]
    Text,
    /// A transcript in an agent's session folder; must contain a message.
    Session,
    /// Not a transcript: a binary file.
    Binary,
}

/// Error in the row of a binary file.
pub(crate) const BINARY: &str = "binary: it holds no text";

/// A batch of rows of one file.
#[derive(Debug, Default)]
pub struct RowBatch {
    /// Hash of the file's content, as stored in its row.
    pub(crate) file_hash: Arc<str>,
    /// Calls, in text order.
    pub(crate) calls: Vec<CallRow>,
    /// Problems, in text order.
    pub(crate) problems: Vec<ProblemRow>,
}

/// The rest of a session, available after its rows were sent.
#[derive(Debug)]
pub struct Summary {
    /// Row of the file.
    pub(crate) session: SessionRow,
    /// Its calls and problems, aggregated.
    pub(crate) counts: Counts,
    /// Facts that the filter tests and the file lacks, if it therefore selects nothing.
    pub(crate) missing: Option<MissingFacts>,
}

/// Row of a file that could not be read, with the reason.
pub(crate) fn unread(facts: &FileFacts, error: &str) -> Summary {
    let day = facts.modified_at.map(day_of);
    let session = SessionRow {
        file: Arc::clone(&facts.file),
        session_id: Arc::clone(&facts.name),
        container: None,
        error: Some(cut(error)),
        file_bytes: facts.bytes as i64,
        text_bytes: 0,
        modified_at: facts.modified_at,
        file_hash: "".into(),
        day,
        started_at: None,
        ended_at: None,
        model: None,
        dialects: "".into(),
        messages: 0,
        turns: 0,
        calls: 0,
        failed: 0,
        rejected: 0,
        skipped: 0,
        unanswered: 0,
        errors: 0,
        warnings: 0,
        hints: 0,
        copy_of: None,
        copied_calls: 0,
        copied_failures: 0,
    };
    Summary { session, counts: Counts::default(), missing: None }
}

/// Time of the last message that has one, in whole milliseconds.
pub(crate) fn ended_at(session: &Session) -> Option<Timestamp> {
    let messages = session.document().messages();
    (0..messages.len()).rev().find_map(|message| place::said_at(messages, message))
}

/// Sends the rows of a session, with the hash of its file; with a selection, only selected calls, and problems about
/// selected items. `None` if `send` returns false.
pub(crate) fn of_session(
    facts: &FileFacts,
    file_hash: Arc<str>,
    session: &Session,
    selection: Option<&Selection>,
    send: &mut dyn FnMut(RowBatch) -> bool,
) -> Option<Summary> {
    let mut rows = Rows::new(facts, session, selection);
    rows.session.file_hash = file_hash;
    match rows.send_rows(send) {
        ControlFlow::Continue(()) => {
            let missing = selection.filter(|selection| selection.items().is_empty());
            let missing = missing.and_then(|selection| selection.filter().missing_facts(session));
            Some(Summary { session: rows.session, counts: rows.counts, missing })
        }
        ControlFlow::Break(()) => None,
    }
}

/// Summary of the problems about a call.
#[derive(Clone, Copy, Default)]
struct CallProblems {
    errors: i64,
    warnings: i64,
    worst: Option<(Severity, Code)>,
}

struct Rows<'a> {
    read: &'a Session,
    document: &'a Document,
    selection: Option<&'a Selection>,
    /// Row of the file, filled in gradually.
    session: SessionRow,
    container: Arc<str>,
    counts: Counts,
    /// Texts shared by rows, so that names are not repeated.
    words: HashSet<Arc<str>>,
    message: MessageFacts,
    problems: HashMap<u32, CallProblems>,
    /// Items that the runtime skips, and items without an answer.
    skipped: HashSet<usize>,
    unanswered: HashSet<usize>,
    /// Calls with problems, by item.
    blamed: HashMap<u32, CallSummary>,
    lines: LineWalk,
}

/// The fields of a problem's row about its call.
#[derive(Clone)]
struct CallSummary {
    call_number: i64,
    tool: Arc<str>,
    dialect: Arc<str>,
    outcome: Arc<str>,
}

impl<'a> Rows<'a> {
    fn new(facts: &FileFacts, read: &'a Session, selection: Option<&'a Selection>) -> Self {
        let document = read.document();
        let messages = document.messages();
        let started_at = (0..messages.len()).find_map(|message| place::said_at(messages, message));
        let ended_at = ended_at(read);
        let container: Arc<str> = read.choice().map_or(Container::PLAIN, |choice| choice.about.name).into();
        let graph = document.has_dependencies().then(|| read.graph());
        let skipped = graph.iter().flat_map(|graph| &graph.nodes);
        let skipped = skipped.filter(|node| matches!(node.fate, Fate::Skipped(_)));
        let session = SessionRow {
            session_id: document.session_id().map_or_else(|| Arc::clone(&facts.name), cut),
            container: Some(Arc::clone(&container)),
            error: None,
            text_bytes: read.text().len() as i64,
            day: started_at.or(facts.modified_at).map(day_of),
            started_at,
            ended_at,
            model: place::main_model(messages).map(cut),
            dialects: document.dialects_seen().collect::<Vec<_>>().join(",").into(),
            messages: messages.len() as i64,
            turns: document.turn_count() as i64,
            ..unread(facts, "").session
        };
        Self {
            read,
            document,
            selection,
            container,
            counts: Counts::default(),
            words: HashSet::new(),
            message: MessageFacts::default(),
            problems: HashMap::new(),
            skipped: skipped.map(GraphNode::item).collect(),
            unanswered: document.unanswered().collect(),
            blamed: HashMap::new(),
            lines: LineWalk::default(),
            session,
        }
    }

    fn send_rows(&mut self, send: &mut dyn FnMut(RowBatch) -> bool) -> ControlFlow<()> {
        self.add_up_problems();
        let file_hash = Arc::clone(&self.session.file_hash);
        let fresh = || RowBatch { file_hash: Arc::clone(&file_hash), ..RowBatch::default() };
        let mut batch = fresh();
        for (number, item) in self.document.calls().enumerate() {
            if self.document.is_withdrawn(item) || !self.is_selected(item) {
                continue;
            }
            let Some(row) = self.document.call(item).map(|call| self.call(number, item, &call)) else { continue };
            self.counts.add_call(&row);
            self.tally(&row);
            batch.calls.push(row);
            if batch.calls.len() == BATCH {
                send_batch(std::mem::replace(&mut batch, fresh()), send)?;
            }
        }
        let mut walk = Walk::default();
        for &number in self.document.order() {
            let Some(row) = self.problem(number as usize, &mut walk) else { continue };
            self.counts.add_problem(&row);
            batch.problems.push(row);
            if batch.problems.len() == BATCH {
                send_batch(std::mem::replace(&mut batch, fresh()), send)?;
            }
        }
        send_batch(batch, send)
    }

    fn is_selected(&self, item: usize) -> bool {
        self.selection.is_none_or(|selection| selection.contains(item))
    }

    /// Adds to the session's problem counts.
    fn count_problems(&mut self, severity: Severity, count: i64) {
        match severity {
            Severity::Error => self.session.errors += count,
            Severity::Warning => self.session.warnings += count,
            Severity::Hint | Severity::Note => self.session.hints += count,
        }
    }

    /// Counts the problems of the session and of each call.
    fn add_up_problems(&mut self) {
        let document = self.document;
        if self.selection.is_none() {
            document.unlisted().for_each(|((_, severity), count)| self.count_problems(severity, count as i64));
        }
        for brief in document.diagnostics().briefs() {
            let item = document.item_of_problem(&brief);
            if self.selection.is_some() && !item.is_some_and(|item| self.is_selected(item)) {
                continue;
            }
            self.count_problems(brief.severity, 1);
            let Some(item) = item.and_then(|item| call_of(document, item)) else { continue };
            let known = self.problems.entry(item as u32).or_default();
            match brief.severity {
                Severity::Error => known.errors += 1,
                Severity::Warning => known.warnings += 1,
                Severity::Hint | Severity::Note => {}
            }
            if known.worst.is_none_or(|(severity, _)| brief.severity > severity) {
                known.worst = Some((brief.severity, brief.code));
            }
        }
    }

    fn call(&mut self, number: usize, item: usize, call: &Call<'_>) -> CallRow {
        let (read, document) = (self.read, self.document);
        let message = document.message_at(call.span.start);
        self.message.go_to(document, message, self.session.day.as_ref());
        let called_at = self.message.time_at(document, call.span.start);
        let source = read.source_of(call.span);
        let line = self.lines.line(read.file(), read.file_lines(), source.start);
        let last = source.end.saturating_sub(1).max(source.start);
        let line_end = self.lines.line(read.file(), read.file_lines(), last);
        let answer = document.answer_of(item).and_then(|item| document.items().span(item));
        let problems = self.problems.get(&(item as u32)).copied();
        let outcome = self.word(self.outcome(item, call, answer.is_some()));
        let name = call.name.text(read.text());
        let tool = self.word(&name);
        let row = CallRow {
            file: Arc::clone(&self.session.file),
            session_id: Arc::clone(&self.session.session_id),
            container: Arc::clone(&self.container),
            call_number: number as i64 + 1,
            message: message as i64,
            aside: document.messages().is_aside(message),
            call_id: cut(&call.id(read.text())),
            tool,
            dialect: self.word(call.dialect),
            model: self.message.model.clone(),
            day: called_at.map(|at| self.message.day(at)).or_else(|| self.message.day.clone()),
            called_at,
            byte_start: source.start as i64,
            byte_end: source.end as i64,
            line: line as i64,
            line_end: line_end as i64,
            status: self.word(call.status.word()),
            is_failure: matches!(&*outcome, "failed" | "denied" | "rejected"),
            outcome,
            code: problems.and_then(|problems| problems.worst).map(|(_, code)| self.word(code.name())),
            errors: problems.map_or(0, |problems| problems.errors),
            warnings: problems.map_or(0, |problems| problems.warnings),
            argument_bytes: call.body.len() as i64,
            result_bytes: answer.map(|span| span.len() as i64),
            duration_ms: answer.and_then(|answer| {
                let taken = document.time_taken(call.span.start, answer.start)?;
                i64::try_from(taken.as_millis()).ok()
            }),
            dependencies: call.waits_for().len() as i64,
            is_copy: false,
        };
        if problems.is_some() {
            let (tool, dialect, outcome) = (row.tool.clone(), row.dialect.clone(), row.outcome.clone());
            self.blamed.insert(item as u32, CallSummary { call_number: row.call_number, tool, dialect, outcome });
        }
        row
    }

    /// Outcome of a call, as stored in the table.
    fn outcome(&self, item: usize, call: &Call<'_>, is_answered: bool) -> &'static str {
        match call.answer {
            _ if call.failed => "rejected",
            Some(CallOutcome::Failed) => "failed",
            Some(CallOutcome::Denied) => "denied",
            _ if self.skipped.contains(&item) => "skipped",
            Some(CallOutcome::Succeeded) => "ok",
            None if !is_answered && self.unanswered.contains(&item) => "unanswered",
            Some(CallOutcome::Unknown) | None => "unknown",
        }
    }

    fn tally(&mut self, row: &CallRow) {
        let session = &mut self.session;
        session.calls += 1;
        match &*row.outcome {
            "failed" | "denied" => session.failed += 1,
            "rejected" => session.rejected += 1,
            "skipped" => session.skipped += 1,
            "unanswered" => session.unanswered += 1,
            _ => {}
        }
    }

    /// Row of problem number `number`; `None` if it is not about a selected item.
    fn problem(&mut self, number: usize, walk: &mut Walk) -> Option<ProblemRow> {
        let document = self.document;
        let brief = document.diagnostics().brief(number)?;
        let item = document.item_of_problem(&brief);
        if self.selection.is_some() && !item.is_some_and(|item| self.is_selected(item)) {
            return None;
        }
        let problem = document.diagnostics().get(number)?;
        let source = self.read.source_of_problem(&problem);
        let place = self.read.place_of_problem(walk, &problem);
        let start = problem.span.start;
        self.message.go_to(document, document.message_at(start), self.session.day.as_ref());
        let said_at = self.message.time_at(document, start);
        let call = item.and_then(|item| call_of(document, item));
        let blamed = call.and_then(|item| self.blamed.get(&(item as u32)).cloned());
        let (call_number, tool, dialect, outcome) = blamed.map_or((None, None, None, None), |call| {
            (Some(call.call_number), Some(call.tool), Some(call.dialect), Some(call.outcome))
        });
        Some(ProblemRow {
            file: Arc::clone(&self.session.file),
            session_id: Arc::clone(&self.session.session_id),
            container: Arc::clone(&self.container),
            code: self.word(problem.code.name()),
            severity: self.word(problem.severity.word()),
            message: self.word(&problem.message),
            byte_start: source.start as i64,
            byte_end: source.end as i64,
            line: place.line as i64,
            line_column: place.column as i64,
            call_number,
            tool,
            dialect,
            outcome,
            model: self.message.model.clone(),
            day: said_at.map(|at| self.message.day(at)).or_else(|| self.message.day.clone()),
            is_copy: false,
        })
    }

    /// A shared copy of a text, cut if it is long.
    fn word(&mut self, word: &str) -> Arc<str> {
        /// Maximum number of shared texts, since a hostile file may have a new one in each call.
        const KEPT: usize = 10_000;
        /// Maximum length in bytes of a shared text.
        const SHORT: usize = 512;
        if let Some(known) = self.words.get(word) {
            return Arc::clone(known);
        }
        let is_short = word.len() <= SHORT;
        let word = cut(word);
        if is_short && self.words.len() < KEPT {
            self.words.insert(Arc::clone(&word));
        }
        word
    }
}

/// Cuts a text to the limit for rows.
fn cut(text: &str) -> Arc<str> {
    match text.floor_char_boundary(LONGEST) {
        end if end < text.len() => format!("{}…", &text[..end]).into(),
        _ => text.into(),
    }
}

/// Item of the call that an item belongs to: the call itself, or the call that a result answers.
fn call_of(document: &Document, item: usize) -> Option<usize> {
    match document.items().get(item)? {
        Item::Call(_) => Some(item),
        Item::Result(answer) => answer.call.map(|(call, _)| call),
        Item::Text(_) | Item::Aside(_) => None,
    }
}

fn send_batch(batch: RowBatch, send: &mut dyn FnMut(RowBatch) -> bool) -> ControlFlow<()> {
    if send(batch) { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
}
