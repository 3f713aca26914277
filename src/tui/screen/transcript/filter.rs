//! Filtering the items of a transcript: prompting for a filter, applying it, and proposing filters for the selection.

use crate::container::CallOutcome;
use crate::diagnostic::Code;
use crate::document::Item;
use crate::filter::quoted;
use crate::value::main_argument::named_argument;
use crate::value::{NodeId, Value};

use crate::tui::prompt::PromptKind;
use crate::tui::screen::transcript::Transcript;
use crate::tui::style::Role;
use crate::tui::view::filter::FilteredItems;
use crate::tui::view::origin::Phase;

/// The filter for failed calls.
const FAILED: &str = "failed";

/// Maximum bytes of a value for which a filter is proposed.
const VALUE: usize = 80;

/// Prompts for a filter, starting with the current one.
pub(super) fn ask(state: &mut Transcript) {
    let words = state.view.filter.as_ref().map(|filter| filter.filter().to_string()).unwrap_or_default();
    state.chrome.ask(PromptKind::Items, &words);
}

/// Prompts for a filter that fits the selection, and proposes alternatives: kind of problem, value of an argument,
/// tool, failure, speaker.
pub(super) fn ask_for_selection(state: &mut Transcript) {
    match of_selection(state) {
        proposals if proposals.is_empty() => state.show_message("nothing is selected", Role::Dim),
        proposals => state.chrome.propose(PromptKind::Items, proposals),
    }
}

/// Filters that fit the selection, most specific first.
fn of_selection(state: &Transcript) -> Vec<String> {
    let (view, target) = (&state.view, state.view.selection);
    let (document, text) = (view.session.document(), view.session.text());
    let item = match document.items().get(target.item) {
        Some(Item::Result(answer)) => answer.call.map_or(target.item, |(call, _)| call),
        _ => target.item,
    };
    let code = target.problem.and_then(|number| view.problems().brief(number)).map(|brief| brief.code);
    let code = code.map(|code| if code == Code::ToolFailed { FAILED.into() } else { format!("code:{}", code.name()) });
    let assembly = view.assembly(item);
    let argument = |node: NodeId| {
        let tree = &assembly.as_ref()?.tree;
        let Value::Scalar(_, span) = tree.node(node).value else { return None };
        let words = tree.scalar_text(node, text);
        let is_short = span.len() <= VALUE && !words.contains('\n');
        is_short.then(|| format!("arg:{}={}", quoted(&tree.path(node)), quoted(&words)))
    };
    let call = document.call(item);
    let main = assembly.as_ref().and_then(|seen| named_argument(&seen.tree, &view.main_arguments));
    let role =
        || document.messages().role(document.message_at(target.offset)).map(|role| format!("role:{}", role.word()));
    let proposals = [
        code,
        target.node.and_then(argument),
        call.as_ref().map(|call| format!("tool:{}", quoted(&call.name(text)))),
        main.and_then(argument),
        call.as_ref().filter(|call| call.answer.is_some_and(CallOutcome::is_failure)).map(|_| FAILED.into()),
        if call.is_none() { role() } else { None },
    ];
    let mut known = Vec::new();
    for proposal in proposals.into_iter().flatten() {
        if !known.contains(&proposal) {
            known.push(proposal);
        }
    }
    known
}

/// Applies the typed filter; an empty one ends filtering.
pub(super) fn apply(state: &mut Transcript, words: &str) {
    if words.is_empty() {
        return end(state);
    }
    match state.chrome.filters.parse(words) {
        Ok(filter) => {
            let hides = state.view.filter.as_ref().is_none_or(|before| before.hides);
            state.view.filter = Some(FilteredItems::new(filter, hides));
            advance(state);
            let is_done = state.view.origin.phase != Phase::Loading
                && state.view.filter.as_ref().is_some_and(|filter| !filter.is_behind(&state.view.session));
            if is_done
                && state
                    .view
                    .filter
                    .as_ref()
                    .is_some_and(|filter| filter.after(0).next().is_none() && !filter.contains(0))
            {
                let missing =
                    state.view.filter.as_ref().and_then(|filter| filter.filter().missing_facts(&state.view.session));
                let why = missing.map_or_else(String::new, |facts| format!(": the file {}", facts.clause()));
                state.show_message(format!("no match for {words}{why}; Esc ends the filter"), Role::Warning);
            }
        }
        Err(error) => {
            state.show_message(format!("{error}"), Role::Error);
            state.chrome.ask(PromptKind::Items, words);
        }
    }
}

/// Ends filtering.
pub(super) fn end(state: &mut Transcript) {
    state.view.filter = None;
    state.view.cache.borrow_mut().forget_rows();
    state.reveal();
}

/// Toggles whether unselected items are hidden or dimmed.
pub(super) fn flip(state: &mut Transcript) {
    let Some(filter) = &mut state.view.filter else {
        return state.show_message("no filter; press & to enter one", Role::Dim);
    };
    filter.hides = !filter.hides;
    let words = if filter.hides { "the rest is hidden" } else { "the rest is dimmed" };
    state.view.cache.borrow_mut().forget_rows();
    enter(state);
    state.show_message(words, Role::Dim);
}

/// Evaluates the filter on more items. Returns true if there is more to do.
pub(super) fn advance(state: &mut Transcript) -> bool {
    let Some(filter) = &mut state.view.filter else { return false };
    if !filter.is_behind(&state.view.session) {
        return false;
    }
    let more = filter.advance(&state.view.session);
    if filter.hides {
        state.view.cache.borrow_mut().forget_rows();
        enter(state);
    }
    more
}

/// Moves the selection to the nearest visible item if the filter hides it.
fn enter(state: &mut Transcript) {
    let item = state.view.selection.item;
    if state.view.is_filtered_out(item) {
        let nearest =
            state.view.filter.as_ref().and_then(|filter| filter.after(item).chain(filter.before(item)).next());
        if let Some(nearest) = nearest {
            return state.select_item(nearest);
        }
    }
    state.reveal();
}

impl Transcript {
    /// Shows only what a filter selects.
    pub fn filter_by(&mut self, expression: &str) {
        apply(self, expression);
    }
}
