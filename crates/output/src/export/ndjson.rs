//! One item or problem per line, as soon as it is final; at the end, withdrawn items and the totals.
//!
//! The records and their order do not depend on how the bytes arrive. A text is final when the next call begins, a call
//! when it ends. Problems in prose precede their text; problems of a call follow it. Problems that concern all calls
//! together come at the end.
//!
//! With a filter, an item is written once the filter has decided: a call that depends on its result just before that,
//! and items that depend on the end of the text at the end. Problems are written with their items, and items are
//! numbered in the order written.

use std::collections::HashMap;
use std::io::{self, Write};

use super::json_text::write_line;
use super::problem_queue::ProblemQueue;
use super::record::{self, OutputRecord, Withdrawals};
use super::session_facts;
use crate::document::{Brief, ItemKind};
use crate::filter::{ArrivalFilter, Filter};
use crate::session::Session;
use crate::text::Walk;
use crate::wording::is_final;

/// Writes records incrementally while a session reads.
#[derive(Clone, Debug, Default)]
pub struct NdjsonWriter {
    filtered: Option<Box<FilteredRecords>>,
    /// Number of items written.
    items: usize,
    problems: ProblemQueue,
    item_walk: Walk,
    problem_walk: Walk,
}

/// State of a filtered output.
#[derive(Clone, Debug)]
struct FilteredRecords {
    filter: ArrivalFilter,
    /// Output numbers of the written items, by item number.
    written: HashMap<usize, usize>,
    /// Problems of undecided items, by item number.
    waiting: HashMap<usize, Vec<usize>>,
}

impl NdjsonWriter {
    /// Writes only items that a filter selects.
    pub fn with_filter(filter: Filter) -> Self {
        let filter = ArrivalFilter::new(filter);
        let filtered = FilteredRecords { filter, written: HashMap::new(), waiting: HashMap::new() };
        Self { filtered: Some(Box::new(filtered)), ..Self::default() }
    }

    /// Writes what has become final since the last call; writes the totals last, once the session is finished.
    pub fn advance<W: Write>(&mut self, out: &mut W, session: &Session) -> io::Result<()> {
        self.problems.collect(session);
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
            write_line(out, &record::item(session, self.items, Withdrawals::AtEnd, &mut self.item_walk))?;
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
            facts(session).try_for_each(|record| write_line(out, &record))?;
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
        let arriving = document.items().span(document.stable_items()).filter(|_| !session.is_finished());
        for number in self.problems.before(session, arriving.map_or(usize::MAX, |span| span.start)) {
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
            let record = record::item(session, item, Withdrawals::AtEnd, &mut self.item_walk);
            write_line(out, &record.renumbered(|item| filtered.written.get(&item).copied()))?;
            behind.into_iter().try_for_each(|problem| self.written_problem(out, session, filtered, problem))?;
        }
        if session.is_finished() {
            let closing = self.problems.rest(session);
            closing.into_iter().try_for_each(|number| self.written_problem(out, session, filtered, number))?;
            for record in record::withdrawn(session) {
                let OutputRecord::Withdrawn { item, span } = record else { continue };
                let Some(&item) = filtered.written.get(&item) else { continue };
                write_line(out, &OutputRecord::Withdrawn { item, span })?;
            }
            for record in facts(session) {
                let record = match record {
                    OutputRecord::Times { item, times } => {
                        let Some(&item) = filtered.written.get(&item) else { continue };
                        OutputRecord::Times { item, times }
                    }
                    record => record,
                };
                write_line(out, &record)?;
            }
            let selected = (filtered.filter.filter().to_string(), filtered.written.len());
            write_line(out, &record::end(session, Some(selected)))?;
        }
        Ok(())
    }

    fn problems_before<W: Write>(&mut self, out: &mut W, session: &Session, end: usize) -> io::Result<()> {
        self.problems.before(session, end).into_iter().try_for_each(|number| self.problem(out, session, number))
    }

    /// Writes a problem if its item has been written.
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

/// The facts about the session in output order; none for plain text.
fn facts(session: &Session) -> impl Iterator<Item = OutputRecord<'_>> {
    session.is_decoded().then(|| stated_facts(session)).into_iter().flatten()
}

fn stated_facts(session: &Session) -> impl Iterator<Item = OutputRecord<'_>> {
    let document = session.document();
    let times = document
        .calls()
        .filter_map(|item| Some(OutputRecord::Times { item, times: session_facts::times(session, item)? }));
    let whole = std::iter::once_with(|| OutputRecord::Session(Box::new(session_facts::session(session))));
    let turns = session_facts::turns(session).map(|turn| OutputRecord::Turn(Box::new(turn)));
    let requests = session_facts::requests(session).map(|request| OutputRecord::Request(Box::new(request)));
    let compactions = session_facts::compactions(session).map(|it| OutputRecord::Compaction(Box::new(it)));
    let agents = session_facts::agents(session).map(|agent| OutputRecord::Agent(Box::new(agent)));
    times.chain(whole).chain(turns).chain(requests).chain(compactions).chain(agents)
}
