//! What happens: a key, a click, bytes that arrive; each changes the state and may ask the loop for something.
//!
//! This module does not know the terminal: keys have become actions, and what needs the terminal is an [`Effect`].

mod arriving;
mod conversing;
mod converting;
mod eventing;
mod going;
mod moving;
mod peeking;
pub mod playing;
mod pointing;
mod repairing;
pub mod replaying;
mod rereading;
mod saving;
mod setting;

use crate::tui::action::Edit;
use crate::tui::message::{Effect, Msg, Navigation, Task};
use std::path::Path;

use tui_input::{Input, InputRequest};

use crate::config::places::path_of;

use crate::tui::action::{Action, Tab};
use crate::tui::keymap::TRANSCRIPT_KEYS;
use crate::tui::layout::Pane;
use crate::tui::message::StatusMessage;
use crate::tui::message::TabTitle;
use crate::tui::screen::chrome::{global_action, scroll_help};
use crate::tui::search::{Prompt, PromptKind, Search, Spot};
use crate::tui::state::Look;
use crate::tui::state::State;
use crate::tui::style::Role;

pub use arriving::settle;

/// Takes in what happened.
pub fn update(state: &mut State, happened: Msg) -> Option<Effect> {
    if !matches!(happened, Msg::Source(_)) {
        // Whatever a person does is done to what they see.
        arriving::release(state);
        state.sought = None;
        if state.focus != Pane::Bottom {
            state.above = state.focus;
        }
    }
    match happened {
        Msg::Action(action) => {
            let effect = act(state, action);
            playing::keep(state);
            return effect;
        }
        Msg::Edit(request) => {
            if let Some(prompt) = &mut state.prompt {
                prompt.input.handle(request);
            }
        }
        Msg::Type(key) => playing::typed(state, key),
        Msg::Change(edit) => return playing::edit(state, edit),
        Msg::Saved(text, path, outcome) => playing::saved(state, text, path, outcome),
        Msg::Reloaded(text) => playing::reload(state, &text),
        Msg::CaseSaved(outcome) => saving::saved(state, outcome),
        Msg::Schema(read) => setting::schema(state, read),
        Msg::Edited(edited) => playing::edited(state, edited),
        Msg::Paste(text) if state.types() => playing::paste(state, &text),
        Msg::Paste(text) => match &mut state.prompt {
            Some(prompt) => {
                for c in text.chars().filter(|c| !c.is_control()) {
                    prompt.input.handle(InputRequest::InsertChar(c));
                }
            }
            None => return Some(Navigation::Pasted(text).into()),
        },
        Msg::Submit => return submit(state),
        Msg::Click(x, y) => return pointing::click(state, x, y),
        Msg::Drag(x, _) => replaying::drag(state, x),
        Msg::Wheel(x, y, direction) => pointing::wheel(state, x, y, direction),
        Msg::Resize(width, height) => {
            state.size = (width, height);
            state.cache.borrow_mut().forget_rows();
            moving::reveal(state);
        }
        Msg::Source(event) => arriving::arrive(state, event),
        Msg::Colours(key, colours) => state.cache.borrow_mut().keep_colours(key, colours),
        Msg::Notice(text) => tell(state, text, Role::Warning),
    }
    None
}

/// Does a little of what is done while nothing else is: reads it again, searches, prices the calls, reads ahead of a
/// replay. Whether
/// there is more.
pub fn work(state: &mut State) -> bool {
    let rereads = rereading::step(state);
    let searches = going::search_step(state);
    let prices = state.price();
    let reads = state.track.as_mut().is_some_and(|track| track.look_ahead());
    rereads || searches || prices || reads
}

/// Shows a line until the next key.
fn tell(state: &mut State, text: impl Into<String>, role: Role) {
    state.message = Some(StatusMessage { text: text.into(), role });
}

fn act(state: &mut State, action: Action) -> Option<Effect> {
    state.message = None;
    // Where nothing is written, there is nothing to undo.
    let action = if action == Action::Undo && state.editor.is_none() { Action::Suspend } else { action };
    if let Some(row) = state.help {
        return act_in_help(state, action, row);
    }
    match action {
        Action::Move(motion) => moving::go(state, motion),
        Action::Close => moving::close(state),
        Action::Open => moving::open(state),
        Action::Toggle if eventing::has_keys(state) => return eventing::visit(state),
        Action::Toggle if setting::has_keys(state) => setting::turn(state),
        Action::Toggle if converting::has_keys(state) => return converting::play(state),
        Action::Toggle => moving::toggle(state),
        Action::FoldAll => moving::fold_all(state, true),
        Action::UnfoldAll => moving::fold_all(state, false),
        Action::FocusNext(direction) => focus_next(state, direction),
        Action::Focus(pane) => focus(state, pane),
        Action::Show(tab) => show(state, tab),
        Action::NextTab => {
            let next = (state.tab as usize + 1) % Tab::ALL.len();
            state.tab = Tab::ALL[next];
            moving::reveal(state);
        }
        Action::Zoom => {
            state.zoomed = !state.zoomed;
            moving::reveal(state);
        }
        Action::Taller => {
            state.tall_bottom = !state.tall_bottom;
            moving::reveal(state);
        }
        Action::Write if state.editor.is_some() => return playing::write(state),
        Action::Write => tell(state, "read-only; press i to edit a copy", Role::Dim),
        Action::Problem(direction) => {
            going::to_problem(state, direction);
            playing::bring_cursor(state);
        }
        Action::Call(direction) => going::to_call(state, direction),
        Action::Search => ask(state, PromptKind::Pattern),
        Action::GoToLine => ask(state, PromptKind::Line),
        Action::Match(direction) => going::to_match(state, direction),
        Action::BackToList => return Some(Navigation::List.into()),
        Action::NextText(direction) => return Some(Navigation::NextText(direction).into()),
        Action::FollowEnd => arriving::hold(state, !state.hold_end),
        Action::Wrap => {
            state.wrap_raw = !state.wrap_raw;
            state.tops.raw_column = 0;
            moving::reveal(state);
            tell(
                state,
                if state.wrap_raw { "long lines are wrapped" } else { "long lines are cut; h and l move sideways" },
                Role::Dim,
            );
        }
        Action::Examples => setting::flip_examples(state),
        Action::Replay(asked) => return replaying::act(state, asked),
        Action::Repair => return repairing::mend(state),
        Action::RepairAll => return repairing::mend_all(state),
        Action::Undo => return playing::edit(state, Edit::Undo),
        Action::Redo => return playing::edit(state, Edit::Redo),
        Action::Play => return Some(playing::play(state)),
        Action::Compare => return Some(Navigation::Compare.into()),
        Action::Save => return save(state),
        Action::SaveCase => saving::ask(state),
        Action::RawFile => conversing::flip_file(state),
        Action::Borders => conversing::flip_borders(state),
        Action::Partner => conversing::to_partner(state),
        Action::Branches => conversing::flip_branches(state),
        Action::Copy if converting::has_keys(state) => return converting::copy(state),
        Action::Copy => return Some(copy(state)),
        Action::Help => state.help = Some(0),
        Action::Cancel => cancel(state),
        Action::NextFile(_)
        | Action::CloseTab
        | Action::Recorded
        | Action::Redraw
        | Action::Mouse
        | Action::Suspend
        | Action::Interrupt
        | Action::Quit => return global_action(action),
        // They are about lists and comparisons.
        Action::Order | Action::CountLarge | Action::OnlyDifferences | Action::Visit => {}
    }
    None
}

/// Saves the text that is written, under the name that it has or else one that is asked for.
fn save(state: &mut State) -> Option<Effect> {
    let Some(editor) = &state.editor else {
        tell(state, "read-only; press i to edit a copy, which can be saved", Role::Dim);
        return None;
    };
    if let Some(path) = editor.path().map(Path::to_path_buf) {
        return Some(Task::Save { text: editor.text().to_owned(), path, own: true }.into());
    }
    ask(state, PromptKind::Path);
    None
}

/// While help is open, keys scroll it or close it.
fn act_in_help(state: &mut State, action: Action, row: usize) -> Option<Effect> {
    let (row, effect) = scroll_help(row, action, &TRANSCRIPT_KEYS, state.size);
    state.help = row;
    effect
}

fn focus_next(state: &mut State, direction: i8) {
    let at = Pane::ALL.iter().position(|&pane| pane == state.focus).unwrap_or(0);
    let count = Pane::ALL.len();
    let next = if direction > 0 { at + 1 } else { at + count - 1 } % count;
    focus(state, Pane::ALL[next]);
}

fn focus(state: &mut State, pane: Pane) {
    state.focus = pane;
    moving::reveal(state);
}

fn show(state: &mut State, tab: Tab) {
    state.tab = tab;
    focus(state, Pane::Bottom);
}

fn ask(state: &mut State, asked: PromptKind) {
    state.prompt = Some(Prompt { asked, input: Input::default() });
}

fn submit(state: &mut State) -> Option<Effect> {
    let prompt = state.prompt.take()?;
    let typed = prompt.input.value().trim().to_owned();
    match (prompt.asked, typed.as_str()) {
        (PromptKind::Pattern, "") => going::to_match(state, 1),
        (PromptKind::Pattern, pattern) => match Search::new(pattern) {
            Ok(search) => going::begin_search(state, search),
            Err(error) => tell(state, format!("{pattern:?} is not a regular expression: {error}"), Role::Error),
        },
        (PromptKind::Line | PromptKind::Path | PromptKind::Schema | PromptKind::Case(_), "")
        | (PromptKind::Filter, _) => {}
        (PromptKind::Case(extent), path) => return saving::save(state, extent, path_of(path)),
        (PromptKind::Schema, path) => return Some(Task::ReadSchema(path_of(path)).into()),
        (PromptKind::Marker(marker), words) => setting::written(state, marker, words),
        (PromptKind::Line, words) => match Spot::of(words) {
            Some(spot) if state.replay.is_some() => replaying::to(state, spot),
            Some(Spot::Line(line)) => going::to_line(state, line),
            Some(Spot::Percent(percent)) => going::to_percent(state, percent),
            None => {
                tell(state, format!("{words:?} is neither a line number nor a percentage such as 50%"), Role::Error);
            }
        },
        (PromptKind::Path, path) => {
            let text = state.editor.as_ref()?.text().to_owned();
            return Some(Task::Save { text, path: path_of(path), own: false }.into());
        }
    }
    None
}

/// Leaves one thing that is open, the innermost first.
fn cancel(state: &mut State) {
    if state.prompt.take().is_some() {
        return;
    }
    if state.search_progress().is_some() {
        going::stop_search(state);
    } else if state.zoomed {
        state.zoomed = false;
        moving::reveal(state);
    } else if state.search.take().is_some() {
        state.cache.borrow_mut().forget_rows();
    } else if state.focus == Pane::Bottom {
        focus(state, Pane::Reading);
    }
}

/// The bytes of what is selected; of a value alone if one is selected.
fn copy(state: &mut State) -> Effect {
    let span = match state.selection.node.zip(state.assembly(state.selection.item)) {
        Some((node, assembly)) => match assembly.tree.node(node).value {
            crate::params::Value::Scalar(_, span) => span,
            _ => state.selected_span(),
        },
        None => state.selected_span(),
    };
    // Where the file is looked at, its bytes are what is wanted.
    let in_file = state.focus == Pane::Raw && state.raw_file && state.session.is_decoded();
    let (text, span) =
        if in_file { (state.session.file(), state.session.source_of(span)) } else { (state.session.text(), span) };
    Task::Copy { what: "the selection".into(), text: text.read_str(span).into_owned() }.into()
}

/// Shows a state in the place of another one, which looked like this.
pub fn enter(state: &mut State, look: Look) {
    state.hidden = false;
    state.message = None;
    state.set_look(look);
    state.cache.borrow_mut().forget_rows();
    if state.hold_end {
        arriving::to_end(state);
        state.hold_end = state.is_live();
    } else {
        moving::reveal(state);
    }
}

/// Goes to an offset of the text.
pub fn go_to(state: &mut State, offset: usize) {
    eventing::to(state, offset);
}

/// Takes in what a command wrote to its standard error.
pub fn note_aside(state: &mut State, bytes: &[u8]) {
    eventing::note_aside(state, bytes);
}

/// Before a frame: which tabs there are.
pub fn settle_bar(state: &mut State, bar: Vec<TabTitle>) {
    let moves = state.bar.is_empty() != bar.is_empty();
    state.bar = bar;
    if moves {
        moving::reveal(state);
    }
}
