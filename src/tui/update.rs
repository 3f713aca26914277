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

use std::path::{Path, PathBuf};
use std::sync::Arc;

use tui_input::{Input, InputRequest};

use crate::cases;
use crate::cases::folder::SavedCase;
use crate::config::places::path_of;
use crate::params::schema::Schemas;
use crate::source::SourceEvent;

use super::action::{Action, Tab};
use super::editing::{Draft, Edited};
use super::events::Place;
use super::highlight::Highlighted;
use super::keymap::{Keys, TRANSCRIPT_KEYS};
use super::layout::Pane;
use super::playground::Key;
use super::search::{Asked, Prompt, Search, Spot};
use super::state::{Heading, Look, Message, State};
use super::theme::Role;

pub use arriving::settle;

/// Rows that one turn of the wheel scrolls.
pub(super) const WHEEL: usize = 3;

/// Something that happened.
pub enum Happened {
    /// A key that asks for something.
    Action(Action),
    /// A key in a line that is being typed.
    Edit(InputRequest),
    /// A key in a text that is being written.
    Type(Key),
    /// Something else is done to that text.
    Change(playing::Edit),
    /// The text was saved as this file, or could not be, for this reason.
    Saved(String, PathBuf, Result<(), String>),
    /// The file of the text holds this now.
    Reloaded(String),
    /// A case was saved, or could not be.
    CaseSaved(Result<SavedCase, String>),
    /// The schema file that was asked for, or why it cannot be used.
    Schema(Result<Arc<Schemas>, String>),
    /// This is what the person's editor has made of the text, or why there is nothing of it.
    Edited(Result<Edited, String>),
    /// Pasted text, for a line or a text that is being typed.
    Paste(String),
    /// The line that is being typed is done.
    Submit,
    /// A click on a cell.
    Click(u16, u16),
    /// The mouse is at a cell with its button held.
    Drag(u16, u16),
    /// The wheel turned over a cell, down (1) or up (-1).
    Wheel(u16, u16, i8),
    /// The screen has another size.
    Resize(u16, u16),
    /// The source has something to say.
    Source(SourceEvent),
    /// The colours of a value are there.
    Colours(u64, Highlighted),
    /// Something the person should know.
    Notice(String),
}

/// Something that only the loop can do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Leave the program.
    Quit,
    /// Open a playground with a text.
    Play(String),
    /// Ask whether a text that was pasted where nothing is typed is to be a playground.
    Pasted(String),
    /// Play these bytes of a file with this name as if they were arriving.
    Replay(Vec<u8>, String),
    /// Write a text to a file; one that exists already only if it is the text's own.
    Save {
        /// The text.
        text: String,
        /// The file.
        path: PathBuf,
        /// Whether it is the text's own file.
        own: bool,
    },
    /// Save a text as a case of this name.
    SaveCase(PathBuf, Box<cases::Case>),
    /// Read a schema file.
    ReadSchema(PathBuf),
    /// Give a text to the person's editor.
    Write(Draft),
    /// Put a text on the clipboard.
    Copy {
        /// What it is, for the receipt: `2 calls as gadget`.
        what: String,
        /// The text.
        text: String,
    },
    /// Give the terminal back to the shell.
    Suspend,
    /// Paint the whole screen.
    Redraw,
    /// Leave the mouse to the terminal, or take it again.
    Mouse,
    /// Show something that is not in this state.
    Go(Elsewhere),
    /// Interrupt the command that runs.
    Interrupt,
    /// Close the tab that is shown.
    Close,
    /// Compare what is shown with what it was, or with another text.
    Compare,
    /// Open a file.
    Open(PathBuf),
    /// List the sessions that agents keep.
    Recorded,
}

/// What another state shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Elsewhere {
    /// The tab at an index of the bar.
    Tab(usize),
    /// The next (1) or previous (-1) tab.
    NextTab(i8),
    /// The next (1) or previous (-1) of the texts that stood in the source one after another.
    NextText(i8),
    /// A place in one of those texts.
    Place(Place),
    /// An offset in the text of the tab with this number.
    Call(usize, usize),
    /// The list that what is shown was opened from.
    List,
    /// What was shown before.
    Before,
}

/// Takes in what happened.
pub fn update(state: &mut State, happened: Happened) -> Option<Effect> {
    if !matches!(happened, Happened::Source(_)) {
        // Whatever a person does is done to what they see.
        arriving::release(state);
        state.sought = None;
        if state.focus != Pane::Bottom {
            state.above = state.focus;
        }
    }
    match happened {
        Happened::Action(action) => {
            let effect = act(state, action);
            playing::keep(state);
            return effect;
        }
        Happened::Edit(request) => {
            if let Some(prompt) = &mut state.prompt {
                prompt.input.handle(request);
            }
        }
        Happened::Type(key) => playing::typed(state, key),
        Happened::Change(edit) => return playing::edit(state, edit),
        Happened::Saved(text, path, outcome) => playing::saved(state, text, path, outcome),
        Happened::Reloaded(text) => playing::reload(state, &text),
        Happened::CaseSaved(outcome) => saving::saved(state, outcome),
        Happened::Schema(read) => setting::schema(state, read),
        Happened::Edited(edited) => playing::edited(state, edited),
        Happened::Paste(text) if state.types() => playing::paste(state, &text),
        Happened::Paste(text) => match &mut state.prompt {
            Some(prompt) => {
                for c in text.chars().filter(|c| !c.is_control()) {
                    prompt.input.handle(InputRequest::InsertChar(c));
                }
            }
            None => return Some(Effect::Pasted(text)),
        },
        Happened::Submit => return submit(state),
        Happened::Click(x, y) => return pointing::click(state, x, y),
        Happened::Drag(x, _) => replaying::drag(state, x),
        Happened::Wheel(x, y, direction) => pointing::wheel(state, x, y, direction),
        Happened::Resize(width, height) => {
            state.size = (width, height);
            state.cache.borrow_mut().forget_rows();
            moving::reveal(state);
        }
        Happened::Source(event) => arriving::arrive(state, event),
        Happened::Colours(key, colours) => state.cache.borrow_mut().keep_colours(key, colours),
        Happened::Notice(text) => tell(state, text, Role::Warning),
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
    state.message = Some(Message { text: text.into(), role });
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
        Action::Search => ask(state, Asked::Pattern),
        Action::GoToLine => ask(state, Asked::Line),
        Action::Match(direction) => going::to_match(state, direction),
        Action::BackToList => return Some(Effect::Go(Elsewhere::List)),
        Action::NextText(direction) => return Some(Effect::Go(Elsewhere::NextText(direction))),
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
        Action::Undo => return playing::edit(state, playing::Edit::Undo),
        Action::Redo => return playing::edit(state, playing::Edit::Redo),
        Action::Play => return Some(playing::play(state)),
        Action::Compare => return Some(Effect::Compare),
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
        | Action::Quit => return everywhere(action),
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
        return Some(Effect::Save { text: editor.text().to_owned(), path, own: true });
    }
    ask(state, Asked::Path);
    None
}

/// What is asked for by an action that means the same whatever is shown.
pub(super) fn everywhere(action: Action) -> Option<Effect> {
    Some(match action {
        Action::NextFile(direction) => Effect::Go(Elsewhere::NextTab(direction)),
        Action::CloseTab => Effect::Close,
        Action::Recorded => Effect::Recorded,
        Action::Redraw => Effect::Redraw,
        Action::Mouse => Effect::Mouse,
        Action::Suspend => Effect::Suspend,
        Action::Interrupt => Effect::Interrupt,
        Action::Quit => Effect::Quit,
        _ => return None,
    })
}

/// While help is open, keys scroll it or close it.
fn act_in_help(state: &mut State, action: Action, row: usize) -> Option<Effect> {
    let rows = super::view::help::height(&TRANSCRIPT_KEYS, state.size.0);
    let (row, effect) = scroll_help(row, action, state.size.1, rows);
    state.help = row;
    effect
}

/// The first row of help of so many `rows` that is shown after a key, if it stays open on a screen of this `height`.
pub(super) fn scroll_help(row: usize, action: Action, height: u16, rows: usize) -> (Option<usize>, Option<Effect>) {
    use super::action::Motion;
    let page = usize::from(height).saturating_sub(2);
    let moved = match action {
        Action::Move(Motion::Line(1)) => Some(row + 1),
        Action::Move(Motion::Line(_)) => Some(row.saturating_sub(1)),
        Action::Move(Motion::Half(1) | Motion::Page(1)) => Some(row + page / 2),
        Action::Move(Motion::Half(_) | Motion::Page(_)) => Some(row.saturating_sub(page / 2)),
        Action::Move(Motion::Top) => Some(0),
        Action::Move(Motion::Bottom) => Some(usize::MAX),
        Action::Suspend => return (Some(row), Some(Effect::Suspend)),
        _ => None,
    };
    (moved.map(|row| row.min(rows.saturating_sub(page))), None)
}

/// The first row of help that is shown after the wheel has turned, on a screen of this size.
pub(super) fn wheel_help(row: usize, direction: i8, keys: &Keys, (width, height): (u16, u16)) -> usize {
    let last = super::view::help::height(keys, width).saturating_sub(usize::from(height).saturating_sub(2));
    let moved = if direction > 0 { row + WHEEL } else { row.saturating_sub(WHEEL) };
    moved.min(last)
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

fn ask(state: &mut State, asked: Asked) {
    state.prompt = Some(Prompt { asked, input: Input::default() });
}

fn submit(state: &mut State) -> Option<Effect> {
    let prompt = state.prompt.take()?;
    let typed = prompt.input.value().trim().to_owned();
    match (prompt.asked, typed.as_str()) {
        (Asked::Pattern, "") => going::to_match(state, 1),
        (Asked::Pattern, pattern) => match Search::new(pattern) {
            Ok(search) => going::begin_search(state, search),
            Err(error) => tell(state, format!("{pattern:?} is not a regular expression: {error}"), Role::Error),
        },
        (Asked::Line | Asked::Path | Asked::Schema | Asked::Case(_), "") => {}
        (Asked::Case(extent), path) => return saving::save(state, extent, path_of(path)),
        (Asked::Schema, path) => return Some(Effect::ReadSchema(path_of(path))),
        (Asked::Marker(marker), words) => setting::written(state, marker, words),
        (Asked::Line, words) => match Spot::of(words) {
            Some(spot) if state.replay.is_some() => replaying::to(state, spot),
            Some(Spot::Line(line)) => going::to_line(state, line),
            Some(Spot::Percent(percent)) => going::to_percent(state, percent),
            None => {
                tell(state, format!("{words:?} is neither a line number nor a percentage such as 50%"), Role::Error);
            }
        },
        (Asked::Path, path) => {
            let text = state.editor.as_ref()?.text().to_owned();
            return Some(Effect::Save { text, path: path_of(path), own: false });
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
    Effect::Copy { what: "the selection".into(), text: text.read_str(span).into_owned() }
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
pub fn settle_bar(state: &mut State, bar: Vec<Heading>) {
    let moves = state.bar.is_empty() != bar.is_empty();
    state.bar = bar;
    if moves {
        moving::reveal(state);
    }
}
