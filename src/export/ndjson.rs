//! One item or problem per line, as soon as it is final; at the end, what the file withdrew, and the totals.
//!
//! The records and their order are the same however the bytes arrive. This module does not know how a record looks.

use std::io::{self, Write};

use super::json_text::write_line;
use super::order::{Final, FinalOrder};
use super::record::{self, OutputRecord, Withdrawals};
use crate::session::Session;
use crate::text::Walk;

/// Writes what a session finds while it reads.
#[derive(Clone, Debug, Default)]
pub struct NdjsonWriter {
    order: FinalOrder,
    item_walk: Walk,
    problem_walk: Walk,
}

impl NdjsonWriter {
    /// Writes what has become final since the last time; the totals if the session is finished, and nothing after.
    pub fn advance<W: Write>(&mut self, out: &mut W, session: &Session) -> io::Result<()> {
        for next in self.order.advance(session) {
            let record = match next {
                Final::Item(number) => record::item(session, number, Withdrawals::Told, &mut self.item_walk),
                Final::Problem(number) => {
                    let Some(diagnostic) = session.document().diagnostics().get(number) else { continue };
                    OutputRecord::Diagnostic(Box::new(record::diagnostic(session, diagnostic, &mut self.problem_walk)))
                }
            };
            write_line(out, &record)?;
        }
        if session.is_finished() {
            record::withdrawn(session).try_for_each(|record| write_line(out, &record))?;
            write_line(out, &OutputRecord::End(record::end(session)))?;
        }
        Ok(())
    }
}
