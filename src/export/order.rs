//! The order in which records become final, the same however the bytes are cut.
//!
//! A text is final when the next call begins, a call when it ends. A problem in prose is final at the end of its line
//! and so comes before its text; the problems of a call follow the call. What can only be said of all calls together
//! comes at the end. This module does not know how a record is written.

use memchr::memrchr;

use crate::dialect::Status;
use crate::document::{FINAL_CODES, Item, ItemKind};
use crate::session::Session;
use crate::text::Span;

/// Something about which nothing can change any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Final {
    /// The item with this number.
    Item(usize),
    /// The problem with this number.
    Problem(usize),
}

/// How far a session has been told.
#[derive(Clone, Debug, Default)]
pub struct FinalOrder {
    items: usize,
    problems: usize,
    /// Problems that are not told yet, in the order of the text.
    held: Vec<usize>,
    /// Problems that are told at the end.
    closing: Vec<usize>,
    /// Everything before this offset has been searched for line feeds.
    searched: usize,
    /// Offset behind the last line feed before `searched`.
    line_start: usize,
}

/// Whether nothing about an item can change any more.
pub fn is_final(session: &Session, number: usize) -> bool {
    let items = session.document().items();
    session.is_finished()
        || number + 1 < items.len()
        || items.get(number).and_then(Item::call).is_some_and(|call| call.status != Status::Open)
}

impl FinalOrder {
    /// What has become final since the last question.
    pub fn advance(&mut self, session: &Session) -> Vec<Final> {
        let mut out = Vec::new();
        self.collect(session);
        let items = session.document().items();
        while let Some(span) = items.span(self.items).filter(|_| is_final(session, self.items)) {
            let (number, end) = (self.items, span.end);
            if items.kind(number) == Some(ItemKind::Call) {
                out.push(Final::Item(number));
                self.tell(session, end, &mut out);
            } else {
                self.tell(session, end, &mut out);
                out.push(Final::Item(number));
            }
            self.items += 1;
        }
        let in_call = items.kind(self.items) == Some(ItemKind::Call);
        if !in_call {
            self.tell(session, self.line_start, &mut out);
        }
        if session.is_finished() {
            self.tell(session, usize::MAX, &mut out);
            self.sort(session);
            out.extend(std::mem::take(&mut self.closing).into_iter().map(Final::Problem));
        }
        out
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

    /// Tells the problems that begin before `end`.
    fn tell(&mut self, session: &Session, end: usize, out: &mut Vec<Final>) {
        let count = self.held.partition_point(|&number| start_of(session, number) < end);
        out.extend(self.held.drain(..count).map(Final::Problem));
    }
}

/// Where a problem takes its place: where it begins, but not in front of the call that it is about.
fn start_of(session: &Session, problem: usize) -> usize {
    let Some(brief) = session.document().diagnostics().brief(problem) else { return 0 };
    let call = brief.item.and_then(|item| session.document().items().span(item));
    call.map_or(brief.span.start, |call| brief.span.start.max(call.start))
}
