//! Facts about the session around its messages and calls: which session it is, requests, compactions, sub-agents, states.

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
use crate::container::facts::{CallTimes, Fact, Figure, Ground, SessionState};
use crate::text::Text;
use crate::text::hash_index::{HashIndex, WordHasher};

/// All facts of a document.
#[derive(Clone, Debug, Default)]
pub(super) struct Facts {
    pub(super) info: SessionInfo,
    pub(super) requests: RequestStore,
    pub(super) compactions: CompactionStore,
    pub(super) agents: AgentStore,
    /// States, each with the offset in the text from which it holds.
    states: Vec<(usize, SessionState)>,
    key: WordHasher,
    /// Recorded times of calls, by the ids of the calls in their conversation.
    call_times: HashIndex<CallTimes>,
}

impl Document {
    /// Takes in a fact that holds where the text has come to.
    pub fn take_fact(&mut self, fact: Fact) {
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
                // It belongs to the open message, which may have no text so far.
                let start = self.messages().last_start().unwrap_or_default();
                self.facts.states.push((place.max(start), state));
            }
        }
    }

    /// Facts about the session as a whole.
    pub fn session_info(&self) -> &SessionInfo {
        &self.facts.info
    }

    /// States of the session, each with the offset in the text from which it holds.
    pub fn states(&self) -> &[(usize, SessionState)] {
        &self.facts.states
    }

    /// States that begin at `offset` or before it.
    pub fn states_up_to(&self, offset: usize) -> &[(usize, SessionState)] {
        let states = &self.facts.states;
        &states[..states.partition_point(|(place, _)| *place <= offset)]
    }

    /// When the call that is item number `item` ran, as the file records it.
    pub fn recorded_times(&self, item: usize, text: &Text) -> Option<CallTimes> {
        if self.facts.call_times.is_empty() {
            return None;
        }
        let call = self.call(item)?;
        let conversation = self.conversations.of_call(u32::try_from(self.call_number(item)?).ok()?);
        let hash = self.facts.key.hash_in(conversation, &call.id?.text(text));
        self.facts.call_times.get(&hash).copied()
    }

    /// How long the call that is item number `item` took: as recorded, else at most the time from its record to that of
    /// its result, which includes waiting for a permission.
    pub fn call_duration(&self, item: usize, text: &Text) -> Option<Figure<Duration>> {
        if let Some(times) = self.recorded_times(item, text)
            && let Some(value) = times.duration()
        {
            let ground = if times.took.is_some() { Ground::Recorded } else { Ground::Derived };
            return Some(Figure { value, ground });
        }
        let items = self.items();
        let [call, result] = [items.span(item)?, items.span(self.answer_of(item)?)?].map(|span| span.start);
        self.time_taken(call, result).map(|value| Figure { value, ground: Ground::Bound })
    }
}
