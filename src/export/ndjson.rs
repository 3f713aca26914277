//! One item or problem per line, as soon as it is final; at the end, what the file withdrew, and the totals.
//!
//! The records and their order are the same however the bytes are cut. A text is final when the next call begins, a call
//! when it ends. A problem in prose is final at the end of its line and so comes before its text; the problems of a call
//! follow the call. What can only be said of all calls together comes at the end.
//!
//! With a filter, an item is written as soon as it is decided: a call whose answer hangs on its result in front of that,
//! and what hangs on the end of the text at the end. Its problems come with it, and items are numbered as they are
//! written. This module does not know how a record looks.

use std::collections::HashMap;
use std::io::{self, Write};

use memchr::memrchr;

use super::json_text::write_line;
use super::labels::is_final;
use super::record::{self, OutputRecord, Withdrawals};
use crate::document::{Brief, FINAL_CODES, ItemKind};
use crate::filter::{ArrivalFilter, Filter};
use crate::session::Session;
use crate::text::{Span, Walk};

/// Writes what a session finds while it reads.
#[derive(Clone, Debug, Default)]
pub struct NdjsonWriter {
    filtered: Option<Box<FilteredRecords>>,
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

/// What is known of the items that are written and of those that may be.
#[derive(Clone, Debug)]
struct FilteredRecords {
    filter: ArrivalFilter,
    /// Numbers of the items as they are written, by their own.
    written: HashMap<usize, usize>,
    /// Problems of items that are not decided.
    waiting: HashMap<usize, Vec<usize>>,
}

impl NdjsonWriter {
    /// Writes only what a filter selects.
    pub fn with_filter(filter: Filter) -> Self {
        let filter = ArrivalFilter::new(filter);
        let filtered = FilteredRecords { filter, written: HashMap::new(), waiting: HashMap::new() };
        Self { filtered: Some(Box::new(filtered)), ..Self::default() }
    }

    /// Writes what has become final since the last time; the totals if the session is finished, and nothing after.
    pub fn advance<W: Write>(&mut self, out: &mut W, session: &Session) -> io::Result<()> {
        self.collect(session);
        match self.filtered.take() {
            None => self.advance_all(out, session),
            Some(mut filtered) => {
                let written = self.advance_filtered(out, session, &mut filtered);
                self.filtered = Some(filtered);
                written
            }
        }
    }

    fn advance_all<W: Write>(&mut self, out: &mut W, session: &Session) -> io::Result<()> {
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
            write_line(out, &record::end(session, None))?;
        }
        Ok(())
    }

    fn advance_filtered<W: Write>(
        &mut self,
        out: &mut W,
        session: &Session,
        filtered: &mut FilteredRecords,
    ) -> io::Result<()> {
        let document = session.document();
        let arriving = document.items().span(document.settled()).filter(|_| !session.is_finished());
        for number in self.take_before(session, arriving.map_or(usize::MAX, |span| span.start)) {
            let brief = document.diagnostics().brief(number);
            let Some(item) = brief.and_then(|brief| document.item_of_problem(&brief)) else { continue };
            if filtered.filter.is_decided(item) {
                self.written_problem(out, session, filtered, number)?;
            } else {
                filtered.waiting.entry(item).or_default().push(number);
            }
        }
        for (item, selected) in filtered.filter.decide(session) {
            let problems = filtered.waiting.remove(&item).unwrap_or_default();
            if !selected {
                continue;
            }
            let number = filtered.written.len();
            filtered.written.insert(item, number);
            let is_call = document.items().kind(item) == Some(ItemKind::Call);
            let (before, behind) = if is_call { (Vec::new(), problems) } else { (problems, Vec::new()) };
            before.into_iter().try_for_each(|problem| self.written_problem(out, session, filtered, problem))?;
            let record = record::item(session, item, Withdrawals::Told, &mut self.item_walk);
            write_line(out, &record.renumbered(|item| filtered.written.get(&item).copied()))?;
            behind.into_iter().try_for_each(|problem| self.written_problem(out, session, filtered, problem))?;
        }
        if session.is_finished() {
            self.sort(session);
            let closing = std::mem::take(&mut self.closing);
            closing.into_iter().try_for_each(|number| self.written_problem(out, session, filtered, number))?;
            for record in record::withdrawn(session) {
                let OutputRecord::Withdrawn { item, span } = record else { continue };
                let Some(&item) = filtered.written.get(&item) else { continue };
                write_line(out, &OutputRecord::Withdrawn { item, span })?;
            }
            let selected = (filtered.filter.filter().to_string(), filtered.written.len());
            write_line(out, &record::end(session, Some(selected)))?;
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
        self.take_before(session, end).into_iter().try_for_each(|number| self.problem(out, session, number))
    }

    fn take_before(&mut self, session: &Session, end: usize) -> Vec<usize> {
        let count = self.held.partition_point(|&number| start_of(session, number) < end);
        self.held.drain(..count).collect()
    }

    /// Writes a problem if its item is written.
    fn written_problem<W: Write>(
        &mut self,
        out: &mut W,
        session: &Session,
        filtered: &FilteredRecords,
        number: usize,
    ) -> io::Result<()> {
        let document = session.document();
        let Some(diagnostic) = document.diagnostics().get(number) else { return Ok(()) };
        let item = document.item_of_problem(&Brief::from(&diagnostic));
        if item.is_none_or(|item| !filtered.written.contains_key(&item)) {
            return Ok(());
        }
        let record = record::diagnostic(session, diagnostic, &mut self.problem_walk);
        let record = record.renumbered(|item| filtered.written.get(&item).copied());
        write_line(out, &OutputRecord::Diagnostic(Box::new(record)))
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
