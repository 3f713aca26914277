//! Facts about a session in addition to its messages and calls: identity, requests, compactions, sub-agents, states.

pub mod agents;
pub mod compactions;
pub mod overview;
pub mod requests;
pub mod session_info;
pub mod turn_summary;

use std::time::Duration;

use agents::AgentStore;
use compactions::CompactionStore;
use requests::RequestStore;
use session_info::SessionInfo;

use super::Document;
use crate::container::facts::{CallTimes, Fact, Figure, FigureSource, SessionState};
use crate::text::Text;
use crate::text::hash_index::{HashIndex, WordHasher};

/// All facts of a document.
#[derive(Clone, Debug, Default)]
pub(super) struct Facts {
    pub(super) info: SessionInfo,
    pub(super) requests: RequestStore,
    pub(super) compactions: CompactionStore,
    pub(super) agents: AgentStore,
    /// Session states, each with the text offset at which it begins.
    states: Vec<(usize, SessionState)>,
    key: WordHasher,
    /// Recorded times of calls, by conversation and call id.
    call_times: HashIndex<CallTimes>,
}

impl Document {
    /// Adds a fact that applies at the current end of the text.
    pub(crate) fn take_fact(&mut self, fact: Fact) {
        let place = self.end;
        let message = self.messages().len().saturating_sub(1);
        match fact {
            Fact::Session(fact) => self.facts.info.take(fact),
            Fact::Request(mut request) => {
                request.is_aside |= self.messages().is_aside(message);
                if request.is_aside
                    && let Some(label) = self.conversation.messages().label(message)
                {
                    self.facts.agents.count_request(label);
                }
                let conversation = self.conversations.of_message(message);
                self.facts.requests.take(&request, message as u32, place, conversation);
            }
            Fact::Compaction(compaction) => self.facts.compactions.push(place, message as u32, compaction),
            Fact::Call(id, times) => {
                let conversation = self.conversations.of_message(message);
                let known = self.facts.call_times.entry(self.facts.key.hash_in(conversation, &id)).or_default();
                *known = times.or(*known);
            }
            Fact::Agent(agent) => self.facts.agents.take(agent, place),
            Fact::State(state) => {
                // The state belongs to the open message, which may have no text yet.
                let start = self.messages().last_start().unwrap_or_default();
                self.facts.states.push((place.max(start), state));
            }
        }
    }

    /// Facts about the session as a whole.
    pub fn session_info(&self) -> &SessionInfo {
        &self.facts.info
    }

    /// Session states, each with the text offset at which it begins.
    pub fn states(&self) -> &[(usize, SessionState)] {
        &self.facts.states
    }

    /// Session states that begin at or before `offset`.
    pub fn states_up_to(&self, offset: usize) -> &[(usize, SessionState)] {
        let states = &self.facts.states;
        &states[..states.partition_point(|(place, _)| *place <= offset)]
    }

    /// The recorded start and end of the call at item number `item`.
    pub fn recorded_times(&self, item: usize, text: &Text) -> Option<CallTimes> {
        if self.facts.call_times.is_empty() {
            return None;
        }
        let call = self.call(item)?;
        let conversation = self.conversations.of_call(u32::try_from(self.call_number(item)?).ok()?);
        let hash = self.facts.key.hash_in(conversation, &call.id?.text(text));
        self.facts.call_times.get(&hash).copied()
    }

    /// Duration of the call at item number `item`: as recorded, or as an upper bound the time between its record and
    /// its result, which includes waiting for permission.
    pub fn call_duration(&self, item: usize, text: &Text) -> Option<Figure<Duration>> {
        if let Some(times) = self.recorded_times(item, text)
            && let Some(value) = times.duration()
        {
            let ground = if times.took.is_some() { FigureSource::Recorded } else { FigureSource::Derived };
            return Some(Figure { value, ground });
        }
        let items = self.items();
        let [call, result] = [items.span(item)?, items.span(self.answer_of(item)?)?].map(|span| span.start);
        self.time_taken(call, result).map(|value| Figure { value, ground: FigureSource::Bound })
    }
}
