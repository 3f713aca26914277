//! What happens: a key, a click, bytes that arrive; each changes the screen and may ask the loop for something.

use std::path::Path;

use tui_input::InputRequest;

use crate::config::places::path_of;

use crate::tui::action::{Action, Motion, PaneId};
use crate::tui::keymap::TRANSCRIPT_KEYS;
use crate::tui::layout::Slot;
use crate::tui::message::{Effect, Msg, Navigation, TabTitle, Task};
use crate::tui::pane::Panes;
use crate::tui::prompt::{PromptKind, Spot};
use crate::tui::screen::chrome::{global_action, scroll_help};
use crate::tui::screen::transcript::selection::Taken;
use crate::tui::screen::transcript::{
    Look, Transcript, arrival, conversation, jumps, mouse, playground, repair, replay, rereading, saving, tail_preview,
};
use crate::tui::style::Role;
use crate::tui::view::search::Search;

/// Takes in what happened; gives what others have to do.
pub fn update(state: &mut Transcript, msg: Msg) -> Option<Effect> {
    if !matches!(msg, Msg::Source(_) | Msg::Tail(..)) {
        // Whatever a person does is done to what they see.
        arrival::release(state);
        state.following.sought = None;
        if state.view.layout.focus != Slot::Bottom {
            state.view.layout.above = state.view.layout.focus;
        }
    }
    match msg {
        Msg::Action(action) => {
            let effect = act(state, action);
            playground::keep(state);
            return effect;
        }
        Msg::Edit(request) => {
            if let Some(prompt) = &mut state.prompt {
                prompt.input.handle(request);
            }
        }
        Msg::Type(key) => playground::typed(state, key),
        Msg::Change(edit) => return playground::edit(state, edit),
        Msg::Saved(text, path, outcome) => playground::saved(state, text, path, outcome),
        Msg::Reloaded(text) => playground::reload(state, &text),
        Msg::CaseSaved(outcome) => saving::saved(state, outcome),
        Msg::Schema(Ok(schemas)) => {
            let request = state.panes.settings.apply(&state.view, schemas);
            return state.respond(crate::tui::pane::Response::ask(request)).effect();
        }
        Msg::Schema(Err(words)) => state.tell(words, Role::Error),
        Msg::Edited(edited) => playground::edited(state, edited),
        Msg::Paste(text) if state.types() => playground::paste(state, &text),
        Msg::Paste(text) => match &mut state.prompt {
            Some(prompt) => {
                for c in text.chars().filter(|c| !c.is_control()) {
                    prompt.input.handle(InputRequest::InsertChar(c));
                }
            }
            None => return Some(Effect::Go(Navigation::Pasted(text))),
        },
        Msg::Submit => return submit(state),
        Msg::Click(x, y) => return mouse::click(state, x, y),
        Msg::Drag(x, _) => replay::drag(state, x),
        Msg::Wheel(x, y, direction) => mouse::wheel(state, x, y, direction),
        Msg::Resize(width, height) => {
            state.view.layout.size = (width, height);
            state.view.cache.borrow_mut().forget_rows();
            state.reveal();
        }
        Msg::Source(event) => arrival::arrive(state, event),
        Msg::Colours(key, colours) => state.view.cache.borrow_mut().keep_colours(key, colours),
        Msg::Tail(part, tail) => tail_preview::arrive(state, part, tail),
        Msg::Notice(text) => state.tell(text, Role::Warning),
    }
    None
}

/// Does a little of what is done while nothing else is: reads it again, searches, what panes need, reads ahead of a
/// replay. Whether there is more.
pub fn work(state: &mut Transcript) -> bool {
    let rereads = rereading::step(state);
    let searches = jumps::search_step(state);
    let mut panes_work = false;
    for &id in Panes::ALL {
        let pane = state.panes.get_mut(id);
        if pane.has_work(&state.view) {
            pane.work(&state.view);
            panes_work |= pane.has_work(&state.view);
        }
    }
    let reads = state.timeline.as_mut().is_some_and(|timeline| timeline.look_ahead());
    rereads || searches || panes_work || reads
}

fn act(state: &mut Transcript, action: Action) -> Option<Effect> {
    state.message = None;
    // Where nothing is written, there is nothing to undo.
    let action = if action == Action::Undo && state.view.editor.is_none() { Action::Suspend } else { action };
    if let Some(row) = state.help {
        let (row, effect) = scroll_help(row, action, &TRANSCRIPT_KEYS, state.view.layout.size);
        state.help = row;
        return effect;
    }
    if let Action::Move(motion) = action {
        let_go(state, motion);
    }
    if let Taken::Yes(effect) = state.act_in_panes(action) {
        return effect;
    }
    match action {
        Action::FocusNext(direction) => focus_next(state, direction),
        Action::Focus(pane) => state.focus(pane),
        Action::NextTab => {
            let tabs: Vec<PaneId> = Panes::at_bottom().collect();
            let at = tabs.iter().position(|&pane| pane == state.view.layout.bottom).unwrap_or(0);
            state.view.layout.bottom = tabs[(at + 1) % tabs.len()];
            state.reveal();
        }
        Action::Zoom => {
            state.view.layout.zoomed = !state.view.layout.zoomed;
            state.reveal();
        }
        Action::Taller => {
            state.view.layout.tall_bottom = !state.view.layout.tall_bottom;
            state.reveal();
        }
        Action::Write if state.view.editor.is_some() => return playground::write(state),
        Action::Write => state.tell("read-only; press i to edit a copy", Role::Dim),
        Action::Problem(direction) => {
            jumps::to_problem(state, direction);
            playground::bring_cursor(state);
        }
        Action::Call(direction) => jumps::to_call(state, direction),
        Action::Search => state.ask(PromptKind::Pattern, String::new()),
        Action::GoToLine => state.ask(PromptKind::Line, String::new()),
        Action::Match(direction) => jumps::to_match(state, direction),
        Action::BackToList => return Some(Effect::Go(Navigation::List)),
        Action::NextText(direction) => return Some(Effect::Go(Navigation::NextText(direction))),
        Action::FollowEnd => arrival::hold(state, !state.following.hold_end),
        Action::Replay(asked) => return replay::act(state, asked),
        Action::Repair => return repair::one(state),
        Action::RepairAll => return repair::all(state),
        Action::Undo => return playground::edit(state, crate::tui::action::EditCommand::Undo),
        Action::Redo => return playground::edit(state, crate::tui::action::EditCommand::Redo),
        Action::Play => return Some(playground::play(state)),
        Action::Compare => return Some(Effect::Go(Navigation::Compare)),
        Action::Save => return save(state),
        Action::SaveCase => saving::ask(state),
        Action::Partner => conversation::to_partner(state),
        Action::Branches => conversation::flip_branches(state),
        Action::Copy => return Some(copy(state)),
        Action::Help => state.help = Some(0),
        Action::Cancel => cancel(state),
        action => return global_action(action),
    }
    None
}

/// Before the selection moves: whoever goes up lets go of the end.
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

/// Saves the text that is written, under the name that it has or else one that is asked for.
fn save(state: &mut Transcript) -> Option<Effect> {
    let Some(editor) = &state.view.editor else {
        state.tell("read-only; press i to edit a copy, which can be saved", Role::Dim);
        return None;
    };
    if let Some(path) = editor.path().map(Path::to_path_buf) {
        return Some(Effect::Run(Task::Save { text: editor.text().to_owned(), path, own: true }));
    }
    state.ask(PromptKind::Path, String::new());
    None
}

fn focus_next(state: &mut Transcript, direction: i8) {
    let at = Slot::ALL.iter().position(|&slot| slot == state.view.layout.focus).unwrap_or(0);
    let count = Slot::ALL.len();
    let next = if direction > 0 { at + 1 } else { at + count - 1 } % count;
    state.view.layout.focus = Slot::ALL[next];
    state.reveal();
}

fn submit(state: &mut Transcript) -> Option<Effect> {
    let prompt = state.prompt.take()?;
    let typed = prompt.input.value().trim().to_owned();
    match (prompt.kind, typed.as_str()) {
        (PromptKind::Pattern, "") => jumps::to_match(state, 1),
        (PromptKind::Pattern, pattern) => match Search::new(pattern) {
            Ok(search) => jumps::begin_search(state, search),
            Err(error) => state.tell(format!("{pattern:?} is not a regular expression: {error}"), Role::Error),
        },
        (PromptKind::Line | PromptKind::Path | PromptKind::Schema | PromptKind::Case(_), "")
        | (PromptKind::Filter, _) => {}
        (PromptKind::Case(extent), path) => return saving::save(state, extent, path_of(path)),
        (PromptKind::Schema, path) => return Some(Effect::Run(Task::ReadSchema(path_of(path)))),
        (PromptKind::Marker(marker), words) => match marker.written(&state.view.options.markers, words) {
            Ok(markers) => state.reread(crate::dialect::Options { markers, ..state.view.options.clone() }, ""),
            Err(words) => state.tell(words, Role::Error),
        },
        (PromptKind::Line, words) => match Spot::parse(words) {
            Some(spot) if state.replay.is_some() => replay::to(state, spot),
            Some(Spot::Line(line)) => jumps::to_line(state, line),
            Some(Spot::Percent(percent)) => jumps::to_percent(state, percent),
            None => state.tell(format!("{words:?} is neither a line number nor a percentage such as 50%"), Role::Error),
        },
        (PromptKind::Path, path) => {
            let text = state.view.editor.as_ref()?.text().to_owned();
            return Some(Effect::Run(Task::Save { text, path: path_of(path), own: false }));
        }
    }
    None
}

/// Leaves one thing that is open, the innermost first.
fn cancel(state: &mut Transcript) {
    if state.prompt.take().is_some() {
        return;
    }
    if state.view.search_progress().is_some() {
        jumps::stop_search(state);
    } else if state.view.layout.zoomed {
        state.view.layout.zoomed = false;
        state.reveal();
    } else if state.view.search.take().is_some() {
        state.view.cache.borrow_mut().forget_rows();
    } else if state.view.layout.focus == Slot::Bottom {
        state.focus(PaneId::Reading);
    }
}

/// The bytes of what is selected; of a value alone if one is selected.
fn copy(state: &Transcript) -> Effect {
    let view = &state.view;
    let span = match view.selection.node.zip(view.assembly(view.selection.item)) {
        Some((node, assembly)) => match assembly.tree.node(node).value {
            crate::params::Value::Scalar(_, span) => span,
            _ => view.selected_span(),
        },
        None => view.selected_span(),
    };
    // Where the file is looked at, its bytes are what is wanted.
    let in_file = view.layout.focus == Slot::Raw && view.in_file && view.session.is_decoded();
    let (text, span) =
        if in_file { (view.session.file(), view.session.source_of(span)) } else { (view.session.text(), span) };
    Effect::Run(Task::Copy { what: "the selection".into(), text: text.read_str(span).into_owned() })
}

/// Shows a screen in the place of another one, which looked like this.
pub fn enter(state: &mut Transcript, look: Look) {
    state.view.hidden = false;
    state.message = None;
    state.set_look(look);
    state.view.cache.borrow_mut().forget_rows();
    if state.following.hold_end {
        state.show_end();
        state.following.hold_end = state.view.is_live();
    } else {
        state.reveal();
    }
}

/// Goes to an offset of the text.
pub fn go_to(state: &mut Transcript, offset: usize) {
    state.visit(offset);
}

/// Takes in what a command wrote to its standard error.
pub fn note_stderr(state: &mut Transcript, bytes: &[u8]) {
    state.log_stderr(bytes);
}

/// Before a frame: which tabs there are.
pub fn show_tab_bar(state: &mut Transcript, bar: Vec<TabTitle>) {
    let moves = state.tab_bar.is_empty() != bar.is_empty();
    state.tab_bar = bar;
    state.view.layout.tab_bar = !state.tab_bar.is_empty();
    if moves {
        state.reveal();
    }
}
