//! One item or problem per line, as soon as it is final; at the end, what the file withdrew, and the totals.
//!
//! The records and their order are the same however the bytes are cut. A text is final when the next call begins, a call
//! when it ends. A problem in prose is final at the end of its line and so comes before its text; the problems of a call
//! follow the call. What can only be said of all calls together comes at the end. This module does not know how a record
//! looks.

use std::io::{self, Write};

use memchr::memrchr;

use super::json_text::write_line;
use super::labels::is_final;
use super::record::{self, OutputRecord, Withdrawals};
use crate::document::{FINAL_CODES, ItemKind};
use crate::session::Session;
use crate::text::{Span, Walk};

/// Writes what a session finds while it reads.
#[derive(Clone, Debug, Default)]
pub struct NdjsonWriter {
    /// Items and problems so far.
    items: usize,
    problems: usize,
    /// Problems that are not written yet, in the order of the text.
    held: Vec<usize>,
    /// Problems that are written at the end.
    closing: Vec<usize>,
    /// Everything before this offset has been searched for line feeds.
    searched: usize,
    /// Offset behind the last line feed before `searched`.
    line_start: usize,
    item_walk: Walk,
    problem_walk: Walk,
}

impl NdjsonWriter {
    /// Writes what has become final since the last time; the totals if the session is finished, and nothing after.
    pub fn advance<W: Write>(&mut self, out: &mut W, session: &Session) -> io::Result<()> {
        self.collect(session);
        let items = session.document().items();
        while let Some(span) = items.span(self.items).filter(|_| is_final(session, self.items)) {
            let is_call = items.kind(self.items) == Some(ItemKind::Call);
            if !is_call {
                self.problems_before(out, session, span.end)?;
            }
            write_line(out, &record::item(session, self.items, Withdrawals::Told, &mut self.item_walk))?;
            if is_call {
                self.problems_before(out, session, span.end)?;
            }
            self.items += 1;
        }
        if items.kind(self.items) != Some(ItemKind::Call) {
            self.problems_before(out, session, self.line_start)?;
        }
        if session.is_finished() {
            self.problems_before(out, session, usize::MAX)?;
            self.sort(session);
            let closing = std::mem::take(&mut self.closing);
            closing.into_iter().try_for_each(|number| self.problem(out, session, number))?;
            record::withdrawn(session).try_for_each(|record| write_line(out, &record))?;
            write_line(out, &record::end(session))?;
        }
        Ok(())
    }

    /// Takes in new problems and line feeds.
    fn collect(&mut self, session: &Session) {
        let diagnostics = session.document().diagnostics();
        let first = std::mem::replace(&mut self.problems, diagnostics.len());
        for (number, brief) in diagnostics.briefs().enumerate().skip(first) {
            let list = if FINAL_CODES.contains(&brief.code) { &mut self.closing } else { &mut self.held };
            list.push(number);
        }
        if first < self.problems {
            self.sort(session);
        }
        let decided = session.pending().start;
        if let Some(feed) = memrchr(b'\n', &session.text().read(Span::new(self.searched, decided))) {
            self.line_start = self.searched + feed + 1;
        }
        self.searched = decided;
    }

    fn sort(&mut self, session: &Session) {
        let diagnostics = session.document().diagnostics();
        let place =
            |number: &usize| (start_of(session, *number), diagnostics.brief(*number).map(|brief| brief.place()));
        self.held.sort_by_key(place);
        self.closing.sort_by_key(place);
    }

    fn problems_before<W: Write>(&mut self, out: &mut W, session: &Session, end: usize) -> io::Result<()> {
        let count = self.held.partition_point(|&number| start_of(session, number) < end);
        let ready: Vec<usize> = self.held.drain(..count).collect();
        ready.into_iter().try_for_each(|number| self.problem(out, session, number))
    }

    fn problem<W: Write>(&mut self, out: &mut W, session: &Session, number: usize) -> io::Result<()> {
        let Some(diagnostic) = session.document().diagnostics().get(number) else { return Ok(()) };
        let record = record::diagnostic(session, diagnostic, &mut self.problem_walk);
        write_line(out, &OutputRecord::Diagnostic(Box::new(record)))
    }
}

/// Where a problem takes its place: where it begins, but not in front of the call that it is about.
fn start_of(session: &Session, problem: usize) -> usize {
    let Some(brief) = session.document().diagnostics().brief(problem) else { return 0 };
    let call = brief.item.and_then(|item| session.document().items().span(item));
    call.map_or(brief.span.start, |call| brief.span.start.max(call.start))
}
