//! The actions that apply to the focused pane, the selection, and the state of the text: the first lines of the help.

use crate::diagnostic::Severity;
use crate::document::Item;
use crate::tui::action::{Action, CopyForm, PaneId, ReplayControl};
use crate::tui::pane::Panes;
use crate::tui::screen::chrome::HelpContext;
use crate::tui::screen::transcript::Transcript;

/// An action, with its effect here if that is more precise than its help text.
type Useful = (Action, Option<&'static str>);

/// The actions that apply now, the most useful first.
pub(super) fn help_context(state: &Transcript) -> HelpContext {
    let pane = state.view.layout.focused();
    let name = Panes::facts(pane).name.to_lowercase();
    let (selected, of_selection) = selection(state);
    let facts = Panes::facts(pane);
    let mut actions: Vec<Useful> = facts.hint.map(|words| (Action::Toggle, Some(words))).into_iter().collect();
    actions.extend(temporary(state));
    actions.extend_from_slice(of_pane(pane));
    actions.extend(of_selection);
    actions.extend(of_text(state));
    HelpContext { place: format!("{name} pane, {selected}"), actions }
}

/// What search, filter, replay and zoom allow while they last.
fn temporary(state: &Transcript) -> Vec<Useful> {
    let mut actions = Vec::new();
    if state.view.search.is_some() {
        actions.extend([(Action::Match(1), None), (Action::Match(-1), None), (Action::Cancel, Some("end the search"))]);
    }
    if state.view.filter.is_some() {
        actions.extend([(Action::Filter, Some("change the filter")), (Action::FlipFilter, None)]);
        actions.push((Action::Cancel, Some("end the filter")));
    }
    if state.replay.is_some() {
        use ReplayControl::{Faster, Play, Step, Unit};
        actions.push((Action::Replay(Play), Some("play or pause")));
        actions.extend([Step(true), Step(false), Unit, Faster].map(|control| (Action::Replay(control), None)));
    }
    if state.view.layout.zoomed {
        actions.push((Action::Zoom, Some("show all panes again")));
    }
    actions
}

/// The actions of a pane, whatever is selected.
fn of_pane(pane: PaneId) -> &'static [Useful] {
    match pane {
        PaneId::Outline => {
            &[(Action::Toggle, Some("fold or unfold")), (Action::Turn(1), None), (Action::Turn(-1), None)]
        }
        PaneId::Reading => &[(Action::Toggle, None)],
        PaneId::Raw => &[
            (Action::Focus(PaneId::Details), Some("explain the byte at the cursor")),
            (Action::RawFile, None),
            (Action::Wrap, None),
            (Action::Borders, None),
        ],
        PaneId::Problems => &[(Action::Focus(PaneId::Details), Some("explain the problem")), (Action::RepairAll, None)],
        PaneId::Graph => &[(Action::Open, Some("scroll right")), (Action::Close, Some("scroll left"))],
        PaneId::Details => &[(Action::Cancel, Some("back to the text"))],
        PaneId::Events => &[(Action::NextText(-1), None), (Action::FollowEnd, None)],
        PaneId::Settings => &[(Action::Search, Some("search all call formats"))],
        PaneId::Costs => &[],
        PaneId::Statistics => {
            &[(Action::Open, Some("sort by the next column")), (Action::Close, Some("sort by the previous"))]
        }
        PaneId::Notes => &[(Action::Note, Some("edit the note")), (Action::RemoveNote, None)],
        PaneId::Files => &[
            (Action::Open, Some("show the calls of the file")),
            (Action::UnfoldAll, Some("show the calls of all files")),
        ],
        PaneId::Context => &[
            (Action::Open, Some("list what fills the context")),
            (Action::Problem(1), Some("the next request that lost its cache")),
        ],
        PaneId::Timeline => &[
            (Action::Open, Some("list the calls of the turn")),
            (Action::UnfoldAll, Some("show less time, in more detail")),
            (Action::FoldAll, Some("show more time")),
            (Action::LongestWait, None),
        ],
        PaneId::DeclarationEditor => &[(Action::Save, Some("save the declaration")), (Action::Write, None)],
    }
}

/// The selection as a noun, and the actions that apply to it.
fn selection(state: &Transcript) -> (&'static str, Vec<Useful>) {
    let (view, target) = (&state.view, state.view.selection);
    let document = view.session.document();
    let problem = target.problem.and_then(|number| view.problems().brief(number));
    if let Some(problem) = problem {
        let repairs = problem.severity > Severity::Note;
        let mut actions = vec![(Action::Focus(PaneId::Details), Some("explain the problem"))];
        actions.extend(repairs.then_some((Action::Repair, None)));
        actions.extend([(Action::Problem(1), None), (Action::Lens, None), (Action::Copy(CopyForm::Quote), None)]);
        return ("a problem", actions);
    }
    let copy = (Action::Copy(CopyForm::Selection), Some("copy the selection"));
    match document.items().get(target.item) {
        Some(Item::Call(_)) => {
            let has_result = document.answer_of(target.item).is_some();
            let mut actions: Vec<Useful> =
                has_result.then_some((Action::Partner, Some("go to its result"))).into_iter().collect();
            if target.node.is_some() {
                actions.extend([(Action::Copy(CopyForm::Value), None), (Action::Copy(CopyForm::Pointer), None)]);
            }
            actions.extend([
                (Action::Focus(PaneId::Details), None),
                (Action::Lens, None),
                (Action::Copy(CopyForm::Parameters), Some("copy its arguments as JSON")),
                (Action::Copy(CopyForm::Block), Some("copy the whole call")),
                (Action::FilterSelection, Some("only calls like this one")),
                (Action::Play, Some("edit a copy of it")),
                (Action::Note, None),
            ]);
            (if target.node.is_some() { "an argument of a call" } else { "a call" }, actions)
        }
        Some(Item::Result(answer)) => {
            let call = answer.call.map(|_| (Action::Partner, Some("go to its call")));
            let actions = call.into_iter().chain([
                (Action::Copy(CopyForm::Result), Some("copy the result")),
                (Action::Print, None),
                (Action::Focus(PaneId::Details), None),
                (Action::Note, None),
            ]);
            ("a result", actions.collect())
        }
        Some(Item::Text(_)) => ("text", vec![copy, (Action::SearchSelection, None), (Action::Note, None)]),
        Some(Item::Aside(_)) => {
            ("a record next to the messages", vec![copy, (Action::RawFile, None), (Action::Note, None)])
        }
        None => ("nothing selected", Vec::new()),
    }
}

/// The actions for this text as a whole.
fn of_text(state: &Transcript) -> Vec<Useful> {
    let mut actions = Vec::new();
    if state.view.editor.is_some() {
        let back = Some("edit the text");
        actions.push((Action::InsertExample, None));
        actions.extend([(Action::Focus(PaneId::Raw), back), (Action::Save, None), (Action::Undo, Some("undo"))]);
        actions.extend([(Action::Focus(PaneId::DeclarationEditor), None), (Action::SaveCase, None)]);
    }
    if state.view.is_live() {
        actions.push((Action::FollowEnd, None));
    }
    if !state.view.problems().is_empty() {
        actions.push((Action::Problem(1), None));
    }
    if state.view.session.document().calls().len() > 0 {
        actions.push((Action::Call(1), None));
    }
    actions.extend([(Action::Search, None), (Action::Filter, None)]);
    if !state.chrome.tab_bar.is_empty() {
        actions.extend([(Action::NextFile(1), None), (Action::CloseTab, None)]);
    }
    actions
}
