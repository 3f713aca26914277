//! Handling of actions; each changes the screen and may return an effect for the event loop.

use std::ops::ControlFlow;
use std::path::Path;

use crate::config::places::path_of;
use crate::dialect::gadget::Marker;
use crate::location::Location;
use crate::text::sanitize::visible_str;

use crate::text::search::Search;
use crate::tui::action::{Action, EditCommand, Motion, PaneId, next_in_ring};
use crate::tui::layout::Slot;
use crate::tui::message::{ContentPosition, Effect, Navigation, Task};
use crate::tui::pane::Panes;
use crate::tui::prompt::{PromptKind, PromptNote};
use crate::tui::report;
use crate::tui::screen::chrome::filter_prompt;
use crate::tui::screen::transcript::jump::Visited;
use crate::tui::screen::transcript::{
    Transcript, arrival, compare_list, conversation, copy, declaration, filter, jump, jumps, location, notes,
    playground, repair, replay, sample_call, save_case, subagent, tail_preview,
};
use crate::tui::style::Role;

/// Handles an action.
pub(super) fn act(state: &mut Transcript, action: Action) -> Option<Effect> {
    if let Action::Move(motion) = action {
        let_go(state, motion);
    }
    let is_in_text = state.view.layout.focus != Slot::Bottom;
    if let Action::Move(Motion::Top | Motion::Bottom) = action
        && is_in_text
    {
        state.remember_place();
    }
    if let Action::Move(Motion::To(line)) = action
        && is_in_text
    {
        location::go(state, &Location::Line(line, None));
        return None;
    }
    if let ControlFlow::Break(effect) = subagent::enter(state, action) {
        return effect;
    }
    if let ControlFlow::Break(effect) = state.act_in_panes(action) {
        return effect;
    }
    match action {
        Action::FocusNext(direction) => focus_next(state, direction),
        Action::Focus(PaneId::DeclarationEditor) => return declaration::focus(state),
        Action::Focus(pane) => state.focus(pane),
        Action::FocusNumber(number) => match number.checked_sub(1).and_then(|index| Panes::ALL.get(index)) {
            Some(PaneId::DeclarationEditor) => return declaration::focus(state),
            Some(&pane) => state.focus(pane),
            None => state.show_message(format!("there are {} panes", Panes::ALL.len()), Role::Dim),
        },
        Action::Align(align) => state.panes.all_mut().for_each(|pane| pane.align(&state.view, align)),
        Action::NextTab => {
            let tabs: Vec<PaneId> = Panes::at_bottom(&state.view).collect();
            let at = tabs.iter().position(|&pane| pane == state.view.layout.bottom).unwrap_or(0);
            state.view.layout.bottom = tabs[next_in_ring(at, 1, tabs.len())];
            state.reveal();
        }
        Action::Zoom => {
            state.view.layout.zoomed = !state.view.layout.zoomed;
            state.reveal();
        }
        Action::Resize(_) | Action::Taller => resize(state, action),
        Action::Write if state.view.editor.is_some() => return playground::write(state),
        Action::Write => state.show_message("read-only; press i to edit a copy", Role::Dim),
        Action::Problem(direction) | Action::Error(direction)
            if state.view.is_declaring() && declaration::to_fault(state, direction) => {}
        Action::Problem(direction) => {
            jump::to_problem(state, direction, Visited::All);
            playground::bring_cursor(state);
        }
        Action::Error(direction) => {
            jump::to_problem(state, direction, Visited::Grave);
            playground::bring_cursor(state);
        }
        Action::Call(direction) => jump::to_call(state, direction),
        Action::Turn(direction) => jump::to_turn(state, direction),
        Action::Compaction => jump::to_compaction(state),
        Action::Subagent => subagent::to_next(state),
        Action::Search => state.chrome.ask(PromptKind::Pattern, ""),
        Action::Filter => filter::ask(state),
        Action::FilterSelection => filter::ask_for_selection(state),
        Action::FlipFilter => filter::flip(state),
        Action::StartMarker => {
            let word = state.view.options.markers.text(Marker::Start).to_owned();
            state.chrome.ask(PromptKind::Marker(Marker::Start), &word);
        }
        Action::Complete => filter_prompt::complete_typed(&mut state.chrome, Some(&state.view.session)),
        Action::Command => state.chrome.ask(PromptKind::Command { list: false }, ""),
        Action::Jump(direction) => return jumps::go(state, direction),
        Action::SearchSelection => jump::search_selection(state),
        Action::Match(direction) => jump::to_match(state, direction),
        Action::FollowEnd => arrival::hold(state, !state.following.hold_end),
        Action::Replay(asked) => return replay::act(state, asked),
        Action::Repair | Action::RepairAll if is_about_declaration(state) => return declaration::repair(state),
        Action::Repair => return repair::one(state),
        Action::NewDialect => return declaration::begin(state),
        Action::RepairAll => return repair::all(state),
        Action::Undo => return playground::edit(state, EditCommand::Undo),
        Action::Redo => return playground::edit(state, EditCommand::Redo),
        Action::Play => return Some(playground::play(state)),
        Action::InsertExample => sample_call::ask(state),
        Action::Save => return save(state),
        Action::SaveCase => save_case::ask(state),
        Action::Note => notes::ask(state),
        Action::RemoveNote => return notes::remove_selected(state),
        Action::SetMark(Some(letter)) => return notes::set_mark(state, letter),
        Action::GoToMark(Some(letter)) => notes::go_to_mark(state, letter),
        // Chosen by name, without a letter.
        Action::SetMark(None) => state.show_message("press m and a letter", Role::Dim),
        Action::GoToMark(None) => state.show_message("press ' and the letter of a mark", Role::Dim),
        Action::Export => ask_for_report(state),
        Action::Partner => conversation::to_partner(state),
        Action::Branches => conversation::flip_branches(state),
        Action::Copy(form) => return copy::copy(state, form),
        Action::Print => return Some(copy::print(state)),
        Action::Cancel => cancel(state),
        // Actions that no pane handles open something, or concern other screens.
        action => return Some(Effect::Go(Navigation::Action(action))),
    }
    None
}

/// Before the selection moves: moving up stops following the end.
fn let_go(state: &mut Transcript, motion: Motion) {
    if Panes::facts(state.view.layout.focused()).chooses_alone {
        return;
    }
    match motion {
        Motion::Bottom | Motion::Line(1) | Motion::Half(1) | Motion::Page(1) => {}
        Motion::Top if state.view.layout.focus != Slot::Bottom => {
            state.following.hold_end = false;
            tail_preview::leave(state);
        }
        _ => {
            state.following.hold_end = false;
            tail_preview::make_room(state);
        }
    }
}

/// True if the declaration has the focus, or one of its faults is selected.
fn is_about_declaration(state: &Transcript) -> bool {
    let fault = state.view.selection.problem.and_then(|number| state.view.problems().fault_index(number));
    state.view.is_declaring() || fault.is_some()
}

/// Saves the text under its name, or prompts for one.
fn save(state: &mut Transcript) -> Option<Effect> {
    if state.view.is_declaring() {
        declaration::ask(state);
        return None;
    }
    let Some(editor) = &state.view.editor else {
        return state.chrome.refuse("read-only; press i to edit a copy, which can be saved");
    };
    if let Some(path) = editor.path().map(Path::to_path_buf) {
        return Some(Effect::Run(Task::Save { text: editor.text().to_owned(), path, own: true }));
    }
    state.chrome.ask(PromptKind::Path, "");
    None
}

/// Prompts for the file of a report, with a hint about the endings of its name.
fn ask_for_report(state: &mut Transcript) {
    let origin = &state.view.origin;
    let name = match &origin.path {
        Some(path) => path.as_path(),
        None if origin.command.is_some() => Path::new("report"),
        None => Path::new(origin.short()),
    };
    let stem = name.file_stem().unwrap_or_default().to_string_lossy();
    let name = format!("{}.redacted.html", visible_str(&stem));
    ask_for_report_as(state, &name, PromptNote::Hint(report::NAMING));
}

fn ask_for_report_as(state: &mut Transcript, name: &str, note: PromptNote) {
    state.chrome.ask(PromptKind::Report, name);
    if let Some(prompt) = &mut state.chrome.prompt {
        prompt.note = Some(note);
    }
}

/// Changes the sizes of panes.
fn resize(state: &mut Transcript, action: Action) {
    match action {
        Action::Resize(direction) if !state.view.layout.resize(direction) => {
            state.show_message("no other pane is next to this one", Role::Dim);
        }
        Action::Taller => state.view.layout.tall_bottom = !state.view.layout.tall_bottom,
        _ => {}
    }
    state.reveal();
}

fn focus_next(state: &mut Transcript, direction: i8) {
    let at = Slot::ALL.iter().position(|&slot| slot == state.view.layout.focus).unwrap_or(0);
    state.view.layout.focus = Slot::ALL[next_in_ring(at, direction, Slot::ALL.len())];
    state.reveal();
}

/// Submits the prompt.
pub(super) fn submit(state: &mut Transcript) -> Option<Effect> {
    let (chosen, run) = (state.chrome.chosen_value(), state.chrome.listed_runs());
    let prompt = state.chrome.prompt.take()?;
    let typed = prompt.input.value().trim().to_owned();
    if prompt.kind.is_path() && !typed.is_empty() {
        state.chrome.path_typed = Some((prompt.kind, typed.clone()));
    }
    match (prompt.kind, typed.as_str()) {
        (PromptKind::Pattern, "") => jump::to_match(state, 1),
        // The search ran while the pattern was being typed.
        (PromptKind::Pattern, _) if let Some(from) = state.searched_from.take() => {
            let offset = state.view.base() + from.offset;
            state.jumps.leave(ContentPosition { offset, ..state.here_selected() });
        }
        (PromptKind::Pattern, pattern) => match Search::new(pattern) {
            Ok(search) => jump::begin_search(state, search),
            Err(error) => state.show_message(format!("{pattern:?} is not a regular expression: {error}"), Role::Error),
        },
        (PromptKind::Case { .. }, "") => state.chrome.ask_again(prompt.kind, "", save_case::NAMING),
        (PromptKind::Example, _) => sample_call::insert(state, chosen.as_deref().unwrap_or_default()),
        (PromptKind::OtherRun, _) => {
            let run = run.and_then(|(values, chosen)| Some(values[chosen?]));
            return compare_list::choose(state, run);
        }
        (PromptKind::Items, words) => filter::apply(state, words),
        (PromptKind::Note, words) => return notes::write(state, words),
        (
            PromptKind::Path | PromptKind::Declaration | PromptKind::Report | PromptKind::Schema | PromptKind::Template,
            "",
        )
        | (
            PromptKind::Filter
            | PromptKind::Command { .. }
            | PromptKind::Dialect
            | PromptKind::Help
            | PromptKind::ReasoningFormat,
            _,
        ) => {}
        (PromptKind::Case { is_call }, path) => return save_case::save(state, is_call, path_of(path)),
        (PromptKind::Declaration, path) => return declaration::save(state, path_of(path)),
        (PromptKind::Report, path) => {
            let warning = PromptNote::Fault(report::UNREDACTED.into());
            if report::keeps_secrets(Path::new(path)) && prompt.note.as_ref() != Some(&warning) {
                ask_for_report_as(state, path, warning);
                return None;
            }
            return Some(Effect::Run(Task::Export(path_of(path))));
        }
        (PromptKind::Template, path) => return Some(Effect::Go(Navigation::SessionPrompt(path_of(path)))),
        (PromptKind::Schema, path) => return Some(Effect::Run(Task::ReadSchema(path_of(path)))),
        (PromptKind::Marker(marker), words) => match state.view.options.markers.with(marker, words) {
            Ok(markers) => state.reread(crate::dialect::Options { markers, ..state.view.options.clone() }, ""),
            Err(words) => state.show_message(words, Role::Error),
        },
        (PromptKind::Path, path) => {
            let text = state.view.editor.as_ref()?.text().to_owned();
            return Some(Effect::Run(Task::Save { text, path: path_of(path), own: false }));
        }
    }
    None
}

/// Cancels one thing at a time, innermost first.
fn cancel(state: &mut Transcript) {
    if let Some(prompt) = state.chrome.prompt.take() {
        if prompt.kind == PromptKind::Dialect {
            state.panes.settings.search("");
        }
        return jump::end_typed_search(state);
    }
    if state.view.search_progress().is_some() {
        jump::stop_search(state);
    } else if state.view.layout.zoomed {
        state.view.layout.zoomed = false;
        state.reveal();
    } else if state.view.search.take().is_some() {
        state.view.cache.borrow_mut().forget_rows();
    } else if state.view.filter.is_some() {
        filter::end(state);
    } else if state.view.layout.focus == Slot::Bottom {
        state.focus(PaneId::Reading);
    }
}
