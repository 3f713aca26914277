//! The order of a report's parts: items in file order. In a session with turns, a call contains the messages of the sub-agents
//! that it started, and its result.

use super::subagents::{AgentRun, AgentRuns, items_of};
use super::{HeadingForm, MessageHeading, ReportItem, ReportPage, ReportPart, TurnHeading};
use crate::diagnostic::{Diagnostic, Severity};
use crate::export::notes;
use crate::text::{Span, Walk};
use crate::wording::problems_by_item;

/// Passes the parts to `give`.
pub(super) struct Sequence<'p, 'a, F> {
    page: &'p ReportPage<'a>,
    agents: &'p AgentRuns,
    give: F,
    /// Numbers of the problems, each with the number of its item, by item.
    problems: Vec<(usize, u32)>,
    /// The number of each problem in the list at the beginning.
    numbers: Vec<usize>,
    /// Headings that wait for something below them.
    turn: Option<TurnHeading>,
    heading: Option<MessageHeading>,
    /// Role and model of the last message with a heading.
    last: Option<(&'static str, Option<&'p str>)>,
    items: Walk,
    positions: Walk,
    notes: Walk,
}

impl<'p, 'a, F: FnMut(ReportPart) -> Result<(), E>, E> Sequence<'p, 'a, F> {
    pub(super) fn new(page: &'p ReportPage<'a>, agents: &'p AgentRuns, give: F) -> Self {
        let document = page.session.document();
        // Problems keep the numbers they have in the list at the beginning.
        let mut numbers = vec![0; document.diagnostics().len()];
        let shown = document.order().iter().map(|&number| number as usize).filter(|&number| {
            let item = document.diagnostics().brief(number).and_then(|brief| document.item_of_problem(&brief));
            item.map_or(page.selection.is_none(), |item| page.shows(item))
        });
        for (place, number) in shown.enumerate() {
            numbers[number] = place + 1;
        }
        let problems = problems_by_item(page.session);
        let (items, positions, notes) = (Walk::default(), Walk::default(), Walk::default());
        Self { page, agents, give, problems, numbers, turn: None, heading: None, last: None, items, positions, notes }
    }

    /// Passes all parts.
    pub(super) fn write(mut self) -> Result<(), E> {
        let document = self.page.session.document();
        let items = document.items();
        let begun = items.len().checked_sub(1).and_then(|last| items.span(last));
        let messages = begun.map_or(0, |last| document.messages().up_to(last.start));
        (0..items_of(document, 0..0).start).try_for_each(|item| self.item(item, false))?;
        let mut message = 0;
        while message < messages {
            let Some(run) = self.agents.begun_by(message) else {
                self.message(message)?;
                message += 1;
                continue;
            };
            message = run.messages.end;
            if run.call.is_none() {
                self.agent(run)?;
            }
        }
        let first = self.problems.partition_point(|(item, _)| *item < items.len());
        for at in first..self.problems.len() {
            let number = self.problems[at].1 as usize;
            let Some(found) = document.diagnostics().get(number).filter(|_| self.page.selection.is_none()) else {
                continue;
            };
            let problem = self.page.problem(self.numbers[number], &found, &mut self.positions);
            (self.give)(ReportPart::Problem(problem))?;
        }
        let lost = if self.page.selection.is_none() { notes::lost(self.page.session) } else { Vec::new() };
        if lost.is_empty() {
            return Ok(());
        }
        let notes = lost.iter().map(|note| self.page.clean_line(&note.text())).collect();
        (self.give)(ReportPart::Notes { title: Some(notes::LOST), notes })
    }

    /// A message with its items. In a session with turns, a message without anything to show has no heading.
    fn message(&mut self, number: usize) -> Result<(), E> {
        let page = self.page;
        let document = page.session.document();
        if let Some(turn) = page.turn_begun_by(number) {
            self.turn = Some(page.turn_heading(turn));
            self.last = None;
        }
        self.heading = page.message_heading(number);
        if page.selection.is_none() {
            self.begin_turn()?;
            if !page.has_turns {
                self.begin_message()?;
            }
        }
        items_of(document, number..number + 1).try_for_each(|item| self.item(item, false))?;
        if page.has_turns {
            self.heading = None;
        }
        Ok(())
    }

    /// The messages of a sub-agent, if any of them is in the report.
    fn agent(&mut self, run: &AgentRun) -> Result<(), E> {
        if !run.items.clone().any(|item| self.page.shows(item)) {
            return Ok(());
        }
        self.begin_turn()?;
        let (heading, last) = (self.heading.take(), self.last.take());
        (self.give)(ReportPart::Agent(self.page.agent_heading(run)))?;
        run.messages.clone().try_for_each(|message| self.message(message))?;
        (self.heading, self.last) = (heading, last);
        (self.give)(ReportPart::AgentEnd)
    }

    /// An item, if it is in the report. A result that is inside its call is skipped unless `is_inside`.
    fn item(&mut self, number: usize, is_inside: bool) -> Result<(), E> {
        let page = self.page;
        let document = page.session.document();
        let Some(item) = document.items().get(number).filter(|_| page.shows(number)) else { return Ok(()) };
        if !is_inside && page.is_inside_call(number, &item) {
            return Ok(());
        }
        let here = self.problems_of(number);
        let marks: Vec<(Span, Severity)> = here.iter().map(|(_, problem)| (problem.span, problem.severity)).collect();
        let block = page.block(number, &item, &marks, &mut self.items);
        let notes = notes::of_item(page.session, number, &mut self.notes);
        let notes: Vec<String> = notes.iter().map(|note| page.clean_line(&note.text())).collect();
        let positions = &mut self.positions;
        let problems: Vec<_> = here.iter().map(|(number, problem)| page.problem(*number, problem, positions)).collect();
        if block.is_some() || !problems.is_empty() || !notes.is_empty() || !page.has_turns {
            self.begin_turn()?;
            self.begin_message()?;
        }
        let Some(block) = block else {
            problems.into_iter().try_for_each(|problem| (self.give)(ReportPart::Problem(problem)))?;
            return if notes.is_empty() { Ok(()) } else { (self.give)(ReportPart::Notes { title: None, notes }) };
        };
        let result = page.result_inside(number);
        let runs: Vec<&AgentRun> = self.agents.of_call(number).collect();
        let has_contents = result.is_some() || !runs.is_empty();
        (self.give)(ReportPart::Item(ReportItem { number, block, problems, notes, has_contents }))?;
        if !has_contents {
            return Ok(());
        }
        runs.into_iter().try_for_each(|run| self.agent(run))?;
        result.into_iter().try_for_each(|result| self.item(result, true))?;
        (self.give)(ReportPart::ItemEnd)
    }

    /// The problems of an item, each with its number in the list. A failed call is reported by its result.
    fn problems_of(&self, item: usize) -> Vec<(usize, Diagnostic)> {
        let first = self.problems.partition_point(|(of, _)| *of < item);
        let here = self.problems[first..].iter().take_while(|(of, _)| *of == item);
        let found = here.filter_map(|(_, number)| {
            let found = self.page.session.document().diagnostics().get(*number as usize)?;
            Some((self.numbers[*number as usize], found))
        });
        found.filter(|(_, found)| found.severity != Severity::Note).collect()
    }

    fn begin_turn(&mut self) -> Result<(), E> {
        self.turn.take().map_or(Ok(()), |turn| (self.give)(ReportPart::Turn(turn)))
    }

    fn begin_message(&mut self) -> Result<(), E> {
        let Some(heading) = self.heading.take() else { return Ok(()) };
        let form = self.form(&heading);
        (self.give)(ReportPart::Message(MessageHeading { form, ..heading }))
    }

    /// How a message begins after the one before it.
    fn form(&mut self, heading: &MessageHeading) -> HeadingForm {
        let document = self.page.session.document();
        if heading.form == HeadingForm::Automatic || !self.page.has_turns {
            self.last = None;
            return heading.form;
        }
        let known = (heading.role, document.messages().model(heading.number));
        let is_same = self.last.replace(known) == Some(known);
        if is_same { HeadingForm::Continued } else { HeadingForm::Speaker }
    }
}
