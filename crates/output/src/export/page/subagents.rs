//! Messages of sub-agents, and the calls that contain them in a report.

use std::collections::HashMap;
use std::ops::Range;

use super::ReportPage;
use crate::document::Document;
use crate::session::Session;
use crate::wording::count;
use crate::wording::figures::duration;

/// Maximum depth of sub-agents inside calls of sub-agents; deeper ones are shown where the file has them.
const MAX_DEPTH: usize = 6;

/// Consecutive messages of one sub-agent.
pub(super) struct AgentRun {
    pub(super) messages: Range<usize>,
    pub(super) items: Range<usize>,
    /// Item number of the call that contains them in the report; `None` if the file does not say which call started the
    /// sub-agent.
    pub(super) call: Option<usize>,
    depth: usize,
}

/// The beginning of a sub-agent's messages, sanitized.
pub(in crate::export) struct AgentHeading {
    /// Its kind, and its task in a few words, if the file states them.
    pub(in crate::export) names: Vec<String>,
    /// Status, number of calls in the report and duration, if known.
    pub(in crate::export) figures: Vec<String>,
    /// True if it is inside the call that started it.
    pub(in crate::export) is_in_call: bool,
    /// Number of sub-agents that contain it.
    pub(in crate::export) depth: usize,
}

/// All messages of sub-agents in a file with turns.
#[derive(Default)]
pub(super) struct AgentRuns {
    /// In file order.
    runs: Vec<AgentRun>,
    /// Indexes of the runs that each call contains.
    of_calls: HashMap<usize, Vec<usize>>,
}

impl AgentRuns {
    /// Finds the messages, and the calls to which they belong. `shows` is true for items in the report.
    pub(super) fn new(session: &Session, shows: impl Fn(usize) -> bool) -> Self {
        let document = session.document();
        let messages = document.messages();
        let is_agents = |message: usize| messages.is_aside(message) && messages.role(message).is_some();
        let starters = Starters::new(session);
        let mut found = Self::default();
        let mut first = 0;
        while first < messages.len() {
            let label = messages.label(first);
            let mut end = first + 1;
            if is_agents(first) {
                while end < messages.len() && is_agents(end) && messages.label(end) == label {
                    end += 1;
                }
                let items = items_of(document, first..end);
                let call = starters.call_of(document, label, items.start).filter(|&call| shows(call));
                let around = call.and_then(|call| found.run_with(call)).map_or(0, |run| run.depth + 1);
                let call = call.filter(|_| around < MAX_DEPTH);
                let depth = if call.is_some() { around } else { 0 };
                if let Some(call) = call {
                    found.of_calls.entry(call).or_default().push(found.runs.len());
                }
                found.runs.push(AgentRun { messages: first..end, items, call, depth });
            }
            first = end;
        }
        found
    }

    /// The run that contains an item.
    fn run_with(&self, item: usize) -> Option<&AgentRun> {
        let next = self.runs.partition_point(|run| run.items.start <= item);
        self.runs[..next].last().filter(|run| run.items.contains(&item))
    }

    /// The run that begins with a message.
    pub(super) fn begun_by(&self, message: usize) -> Option<&AgentRun> {
        let found = self.runs.binary_search_by_key(&message, |run| run.messages.start).ok()?;
        self.runs.get(found)
    }

    /// The runs inside the call at an item, in file order.
    pub(super) fn of_call(&self, item: usize) -> impl Iterator<Item = &AgentRun> {
        self.of_calls.get(&item).into_iter().flatten().map(|&run| &self.runs[run])
    }
}

/// The calls that started sub-agents.
struct Starters<'a> {
    /// Items of the calls by the ids of the sub-agents.
    by_agent: HashMap<&'a str, usize>,
    /// Items of all of these calls.
    calls: Vec<usize>,
}

impl<'a> Starters<'a> {
    fn new(session: &'a Session) -> Self {
        let document = session.document();
        let mut starters = Self { by_agent: HashMap::new(), calls: Vec::new() };
        let calls = if document.agents().len() == 0 { 0 } else { document.calls().len() };
        for item in document.calls().take(calls) {
            let id = document.call(item).and_then(|call| call.id);
            let Some(agent) = id.and_then(|id| document.agent_of_call(&id.text(session.text()))) else { continue };
            starters.calls.push(item);
            if let Some(id) = agent.facts.id.as_deref() {
                starters.by_agent.entry(id).or_insert(item);
            }
        }
        starters
    }

    /// The call that started the sub-agent whose messages have a label and begin at an item. For messages without a label,
    /// the only call before them that started a sub-agent and has no result yet.
    fn call_of(&self, document: &Document, label: Option<&str>, item: usize) -> Option<usize> {
        let known = label.and_then(|label| self.by_agent.get(label)).copied();
        if known.is_some() || label.is_some() {
            return known.filter(|&call| call < item);
        }
        let before = &self.calls[..self.calls.partition_point(|&call| call < item)];
        let is_running = |call: &&usize| document.answer_of(**call).is_none_or(|result| result >= item);
        let mut running = before.iter().rev().take(NEAR).filter(is_running);
        running.next().copied().filter(|_| running.next().is_none())
    }
}

/// Number of calls before the messages of an unnamed sub-agent that are examined.
const NEAR: usize = 64;

/// The items of a range of messages.
pub(super) fn items_of(document: &Document, messages: Range<usize>) -> Range<usize> {
    let at = |message: usize| {
        document.messages().start(message).map_or(document.items().len(), |start| document.items_before(start))
    };
    at(messages.start)..at(messages.end)
}

impl ReportPage<'_> {
    /// The heading of a sub-agent's messages.
    pub(super) fn agent_heading(&self, run: &AgentRun) -> AgentHeading {
        let (document, text) = (self.session.document(), self.session.text());
        let id = run.call.and_then(|call| document.call(call)?.id);
        let started = id.and_then(|id| document.agent_of_call(&id.text(text)));
        let label = document.messages().label(run.messages.start);
        let facts = started.or_else(|| document.agent(label?)).map(|agent| agent.facts);
        let names = match facts {
            Some(facts) => [facts.kind.as_deref(), facts.description.as_deref()],
            None => [label, None],
        };
        let calls = run.items.clone().filter(|&item| self.shows(item) && document.call(item).is_some()).count();
        let figures = [
            facts.and_then(|facts| facts.status.as_deref()).map(|status| self.clean_line(status)),
            facts.and_then(|facts| facts.took).map(duration),
            Some(count(calls, "call")),
        ];
        AgentHeading {
            names: names.into_iter().flatten().map(|name| self.clean_line(name)).collect(),
            figures: figures.into_iter().flatten().collect(),
            is_in_call: run.call.is_some(),
            depth: run.depth,
        }
    }
}
