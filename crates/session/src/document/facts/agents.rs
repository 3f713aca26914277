//! Sub-agents: the calls that started them and their outcomes.

use std::collections::{HashMap, HashSet};

use super::super::Document;
use crate::container::facts::AgentFacts;

/// All sub-agents, in order of first mention.
#[derive(Clone, Debug, Default)]
pub(in super::super) struct AgentStore {
    /// Sub-agents, each with the text offset of its first mention.
    agents: Vec<(usize, AgentFacts)>,
    /// Indexes of sub-agents by the ids of the calls that started them.
    by_call: HashMap<Box<str>, usize>,
    /// Indexes of sub-agents by their ids.
    by_id: HashMap<Box<str>, usize>,
    /// Labels of sub-agents that have requests in this file.
    counted: HashSet<Box<str>>,
}

/// A sub-agent.
#[derive(Clone, Debug, PartialEq)]
pub struct SubAgent<'a> {
    /// The recorded facts.
    pub facts: &'a AgentFacts,
    /// Text offset of its first mention.
    pub(crate) place: usize,
}

impl<'a> SubAgent<'a> {
    /// Its id, kind and description, if stated.
    fn names(&self) -> impl Iterator<Item = &'a str> + use<'a> {
        let AgentFacts { id, kind, description, .. } = self.facts;
        [id, kind, description].into_iter().filter_map(|name| name.as_deref())
    }
}

impl AgentStore {
    fn nth(&self, number: usize) -> Option<SubAgent<'_>> {
        self.agents.get(number).map(|(place, facts)| SubAgent { facts, place: *place })
    }

    /// Notes that the file contains a request of the sub-agent with this label.
    pub(super) fn count_request(&mut self, label: &str) {
        if !self.counted.contains(label) {
            self.counted.insert(label.into());
        }
    }

    /// Merges the facts of a record into the sub-agent with the same call or id, or adds a sub-agent.
    pub(super) fn take(&mut self, agent: AgentFacts, place: usize) {
        let find = |index: &HashMap<Box<str>, usize>, key: &Option<Box<str>>| index.get(key.as_deref()?).copied();
        let known = find(&self.by_call, &agent.call).or_else(|| find(&self.by_id, &agent.id));
        let number = known.unwrap_or_else(|| {
            self.agents.push((place, AgentFacts::default()));
            self.agents.len() - 1
        });
        self.by_call.extend(agent.call.clone().map(|call| (call, number)));
        self.by_id.extend(agent.id.clone().map(|id| (id, number)));
        let known = &mut self.agents[number].1;
        known.id = agent.id.or(known.id.take());
        known.call = known.call.take().or(agent.call);
        known.kind = agent.kind.or(known.kind.take());
        known.description = agent.description.or(known.description.take());
        known.status = agent.status.or(known.status.take());
        known.session = agent.session.or(known.session.take());
        known.reported = agent.reported.or(known.reported);
        known.calls = agent.calls.or(known.calls);
        known.took = agent.took.or(known.took);
    }
}

impl Document {
    /// Sub-agents, in order of first mention.
    pub fn agents(&self) -> impl ExactSizeIterator<Item = SubAgent<'_>> {
        self.facts.agents.agents.iter().map(|(place, facts)| SubAgent { facts, place: *place })
    }

    /// Number of sub-agents whose requests are in other files, so that token and cost totals lack them.
    pub fn agents_without_requests(&self) -> usize {
        let counted = &self.facts.agents.counted;
        self.agents().filter(|agent| !agent.facts.id.as_ref().is_some_and(|id| counted.contains(id))).count()
    }

    /// Ids, kinds and descriptions of the sub-agent that a message belongs to and of the one that the call with the id
    /// `call` started. For a sub-agent without other records, the label of its messages.
    pub fn agent_names<'a>(&'a self, message: usize, call: Option<&str>) -> impl Iterator<Item = &'a str> + use<'a> {
        let label = self.messages().label(message);
        let known = label.and_then(|label| self.agent(label));
        let unknown = label.filter(|_| known.is_none() && self.messages().is_aside(message));
        let started = call.and_then(|id| self.agent_of_call(id));
        [known, started].into_iter().flatten().flat_map(|agent| agent.names()).chain(unknown)
    }

    /// Number of sub-agents whose id is known.
    pub fn agents_with_id(&self) -> usize {
        self.facts.agents.by_id.len()
    }

    /// The sub-agent that the call with this id started.
    pub fn agent_of_call(&self, id: &str) -> Option<SubAgent<'_>> {
        self.facts.agents.nth(*self.facts.agents.by_call.get(id)?)
    }

    /// The sub-agent with this id.
    pub fn agent(&self, id: &str) -> Option<SubAgent<'_>> {
        self.facts.agents.nth(*self.facts.agents.by_id.get(id)?)
    }
}
