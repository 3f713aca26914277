//! The problems of a text that arrives, each held until what it concerns is final.
//!
//! A problem in prose is final at the end of its line, those of a call when the call is. What can only be said of all
//! calls together comes at the end. The order is the same however the bytes are cut.

use memchr::memrchr;

use crate::document::FINAL_CODES;
use crate::session::Session;
use crate::text::Span;

/// Problems that are not written yet.
#[derive(Clone, Debug, Default)]
pub(super) struct ProblemQueue {
    /// Problems that were looked at.
    seen: usize,
    /// Numbers of problems in the order of the text.
    held: Vec<usize>,
    /// Numbers of problems that are written at the end.
    closing: Vec<usize>,
    /// Everything before this offset has been searched for line feeds.
    searched: usize,
    /// Offset behind the last line feed before `searched`.
    line_start: usize,
}

impl ProblemQueue {
    /// Takes in new problems and line feeds.
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

    /// Offset of the line that is not complete yet.
    pub(super) fn line_start(&self) -> usize {
        self.line_start
    }

    /// Gives up the problems whose place is before an offset, in the order of the text.
    pub(super) fn before(&mut self, session: &Session, end: usize) -> Vec<usize> {
        let count = self.held.partition_point(|&number| start_of(session, number) < end);
        self.held.drain(..count).collect()
    }

    /// Gives up all that is left when a session is finished: what belongs to items, then what is said of all calls.
    pub(super) fn rest(&mut self, session: &Session) -> Vec<usize> {
        sort(&mut self.closing, session);
        self.held.drain(..).chain(self.closing.drain(..)).collect()
    }
}

fn sort(problems: &mut [usize], session: &Session) {
    let diagnostics = session.document().diagnostics();
    problems.sort_by_key(|&number| (start_of(session, number), diagnostics.brief(number).map(|brief| brief.place())));
}

/// Where a problem takes its place: where it begins, but not in front of the call that it is about.
pub(super) fn start_of(session: &Session, problem: usize) -> usize {
    let Some(brief) = session.document().diagnostics().brief(problem) else { return 0 };
    let call = brief.item.and_then(|item| session.document().items().span(item));
    call.map_or(brief.span.start, |call| brief.span.start.max(call.start))
}
