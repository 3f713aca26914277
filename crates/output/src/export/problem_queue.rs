//! The problems of an arriving text, held back until their subjects are final.
//!
//! A problem in prose is final at the end of its line, problems of a call when the call is. Problems that concern all
//! calls together come at the end. The order does not depend on how the bytes arrive.

use memchr::memrchr;

use crate::document::FINAL_CODES;
use crate::session::Session;
use crate::text::Span;

/// Problems that have not been written.
#[derive(Clone, Debug, Default)]
pub(super) struct ProblemQueue {
    /// Number of problems collected.
    seen: usize,
    /// Numbers of the held problems, in text order.
    held: Vec<usize>,
    /// Numbers of problems to write at the end.
    closing: Vec<usize>,
    /// Start of the part that has not been searched for line feeds.
    searched: usize,
    /// Offset after the last line feed before `searched`.
    line_start: usize,
}

impl ProblemQueue {
    /// Collects new problems and line feeds.
    pub(super) fn collect(&mut self, session: &Session) {
        let diagnostics = session.document().diagnostics();
        let first = std::mem::replace(&mut self.seen, diagnostics.len());
        for (number, brief) in diagnostics.briefs().enumerate().skip(first) {
            let list = if FINAL_CODES.contains(&brief.code) { &mut self.closing } else { &mut self.held };
            list.push(number);
        }
        if first < self.seen {
            sort(&mut self.held, session);
        }
        let decided = session.pending().start;
        if let Some(feed) = memrchr(b'\n', &session.text().read(Span::new(self.searched, decided))) {
            self.line_start = self.searched + feed + 1;
        }
        self.searched = decided;
    }

    /// Start of the incomplete last line.
    pub(super) fn line_start(&self) -> usize {
        self.line_start
    }

    /// Removes and returns the problems before an offset, in text order.
    pub(super) fn before(&mut self, session: &Session, end: usize) -> Vec<usize> {
        let count = self.held.partition_point(|&number| start_of(session, number) < end);
        self.held.drain(..count).collect()
    }

    /// Removes and returns the remaining problems of a finished session: first problems of items, then problems of all
    /// calls together.
    pub(super) fn rest(&mut self, session: &Session) -> Vec<usize> {
        sort(&mut self.closing, session);
        self.held.drain(..).chain(self.closing.drain(..)).collect()
    }
}

fn sort(problems: &mut [usize], session: &Session) {
    let diagnostics = session.document().diagnostics();
    problems.sort_by_key(|&number| (start_of(session, number), diagnostics.brief(number).map(|brief| brief.place())));
}

/// Sort position of a problem: its start, but not before the call that it is about.
pub(super) fn start_of(session: &Session, problem: usize) -> usize {
    let Some(brief) = session.document().diagnostics().brief(problem) else { return 0 };
    let call = brief.item.and_then(|item| session.document().items().span(item));
    call.map_or(brief.span.start, |call| brief.span.start.max(call.start))
}
