//! One item or problem per line, as soon as it is final; at the end, what the file withdrew, and the totals.
//!
//! The records and their order are the same however the bytes are cut. A text is final when the next call begins, a call
//! when it ends. A problem in prose comes before its text; the problems of a call follow the call. This module does not
//! know how a record looks.

use std::io::{self, Write};

use super::json_text::write_line;
use super::labels::is_final;
use super::problem_queue::ProblemQueue;
use super::record::{self, OutputRecord, Withdrawals};
use crate::document::ItemKind;
use crate::session::Session;
use crate::text::Walk;

/// Writes what a session finds while it reads.
#[derive(Clone, Debug, Default)]
pub struct NdjsonWriter {
    /// Items so far.
    items: usize,
    problems: ProblemQueue,
    item_walk: Walk,
    problem_walk: Walk,
}

impl NdjsonWriter {
    /// Writes what has become final since the last time; the totals if the session is finished, and nothing after.
    pub fn advance<W: Write>(&mut self, out: &mut W, session: &Session) -> io::Result<()> {
        self.problems.collect(session);
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
            self.problems_before(out, session, self.problems.line_start())?;
        }
        if session.is_finished() {
            self.problems.rest(session).into_iter().try_for_each(|number| self.problem(out, session, number))?;
            record::withdrawn(session).try_for_each(|record| write_line(out, &record))?;
            write_line(out, &record::end(session))?;
        }
        Ok(())
    }

    fn problems_before<W: Write>(&mut self, out: &mut W, session: &Session, end: usize) -> io::Result<()> {
        self.problems.before(session, end).into_iter().try_for_each(|number| self.problem(out, session, number))
    }

    fn problem<W: Write>(&mut self, out: &mut W, session: &Session, number: usize) -> io::Result<()> {
        let Some(diagnostic) = session.document().diagnostics().get(number) else { return Ok(()) };
        let record = record::diagnostic(session, diagnostic, &mut self.problem_walk);
        write_line(out, &OutputRecord::Diagnostic(Box::new(record)))
    }
}
