//! Navigation to the conversations of sub-agents.

use std::ops::ControlFlow;

use crate::container::agent_files::{NamedFile, agent_files};
use crate::document::ItemKind;
use crate::document::facts::agents::SubAgent;

use crate::tui::action::{Action, PaneId};
use crate::tui::message::{Effect, Task};
use crate::tui::screen::transcript::Transcript;
use crate::tui::style::Role;
use crate::tui::view::View;

/// Enters the conversation of the sub-agent that the selected call started. Returns `Continue` if there is none, since
/// the key then means something else.
pub(super) fn enter(state: &mut Transcript, action: Action) -> ControlFlow<Option<Effect>> {
    match entered(state, action) {
        Some(Entered::Here) => ControlFlow::Break(None),
        Some(Entered::File(effect)) => ControlFlow::Break(Some(effect)),
        None => ControlFlow::Continue(()),
    }
}

/// Location of a sub-agent's conversation.
enum Entered {
    /// In the same file; it has been selected.
    Here,
    /// In a file that must be opened.
    File(Effect),
}

fn entered(state: &mut Transcript, action: Action) -> Option<Entered> {
    let view = &state.view;
    let is_asked = action == Action::Toggle && matches!(view.layout.focused(), PaneId::Outline | PaneId::Reading);
    let item = Some(view.selection.item).filter(|_| is_asked && view.selection.node.is_none())?;
    let agent = view.agent_of(item)?;
    if let Some(first) = conversation_here(view, item, &agent) {
        state.select_item(first);
        state.show_message("the sub-agent's conversation; ctrl-o returns", Role::Dim);
        return Some(Entered::Here);
    }
    let files = files_of(view, &agent);
    if files.is_empty() {
        let session = agent.facts.session.as_deref();
        let words = session.map_or("its conversation is not in this file".into(), session_elsewhere);
        state.show_message(words, Role::Dim);
        return Some(Entered::Here);
    }
    Some(Entered::File(Effect::Run(Task::OpenFirst(files))))
}

/// Message for a conversation that is not stored in a file.
fn session_elsewhere(id: &str) -> String {
    format!("its conversation is session {id}, which is not in a file")
}

/// Files that may contain the conversation of a sub-agent.
fn files_of(view: &View, agent: &SubAgent<'_>) -> Vec<NamedFile> {
    let Some((path, choice)) = view.origin.path.as_deref().zip(view.whole().choice()) else { return Vec::new() };
    agent_files(choice.about, path, view.whole().document().session_id(), agent.facts)
}

/// Goes to the next call that started a sub-agent, wrapping around.
pub(super) fn to_next(state: &mut Transcript) {
    let view = &state.view;
    let all: Vec<usize> = view.session.document().calls().filter(|&item| view.agent_of(item).is_some()).collect();
    let next = all.iter().position(|&item| item > view.selection.item).or((!all.is_empty()).then_some(0));
    let Some(number) = next else {
        return state.show_message("no call has started a sub-agent; c goes to the next call", Role::Dim);
    };
    let next = all[number];
    let conversation = view.agent_of(next).map(|agent| {
        let session = agent.facts.session.as_deref();
        if view.opens_agent(next, &agent) {
            return "; Enter opens its conversation".to_owned();
        }
        session.map_or(String::new(), |id| format!("; its conversation is session {id}"))
    });
    let words = format!("sub-agent {} of {}{}", number + 1, all.len(), conversation.unwrap_or_default());
    state.following.hold_end = false;
    state.select_item(next);
    state.show_message(words, Role::Dim);
}

/// First item of the sub-agent's conversation, if that is in this file.
fn conversation_here(view: &View, item: usize, agent: &SubAgent<'_>) -> Option<usize> {
    let document = view.session.document();
    let messages = document.messages();
    let call = document.items().span(item)?.start;
    let after = document.message_at(call) + 1..messages.len();
    let is_its_own = |message: &usize| {
        let label = messages.get(*message).and_then(|message| message.label);
        agent.facts.id.is_none() || label.is_none() || label == agent.facts.id
    };
    // Without ids, its messages follow the call, before the next call of the main conversation.
    let next_call = document.neighbour_call(item, true).and_then(|next| document.items().span(next));
    let end = next_call.map_or(usize::MAX, |span| document.message_at(span.start) + 1);
    let has_id = agent.facts.id.is_some();
    let mut asides = after.filter(|&message| messages.is_aside(message) && (has_id || message < end));
    let first = asides.find(is_its_own)?;
    let first = document.items_before(messages.start(first)?);
    document.items().kind(first).filter(|kind| *kind != ItemKind::Result).map(|_| first)
}

impl View {
    /// True if the conversation of a sub-agent is in this file, or its agent would keep it in a separate one.
    pub fn opens_agent(&self, item: usize, agent: &SubAgent<'_>) -> bool {
        conversation_here(self, item, agent).is_some() || !files_of(self, agent).is_empty()
    }

    /// The sub-agent that a call started.
    pub fn agent_of(&self, item: usize) -> Option<SubAgent<'_>> {
        let document = self.session.document();
        if document.agents().len() == 0 {
            return None;
        }
        let call = document.call(item)?;
        document.agent_of_call(&call.id(self.session.text()))
    }
}
