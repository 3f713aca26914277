//! Actions on the lens screen: moving the choice, folding outcomes, opening readings.

use crate::config::places::path_of;
use crate::tui::action::Action;
use crate::tui::list::ListScreen as _;
use crate::tui::message::{Copied, Effect, Navigation, Task};
use crate::tui::prompt::PromptKind;
use crate::tui::screen::lens::{LensScreen, Source, request};
use crate::tui::style::Role;
use crate::tui::viewport::Anchor;
use crate::value::schema::Schemas;

/// Before a frame: moves the choice to an existing row once there are outcomes.
pub(super) fn prepare(screen: &mut LensScreen) {
    if screen.lens.is_some() {
        screen.clamp_selection();
    }
}

pub(super) fn act(screen: &mut LensScreen, action: Action) -> Option<Effect> {
    if action == Action::Cancel && screen.chrome.prompt.take().is_some() {
        return None;
    }
    let action = match request::act(screen, action) {
        Ok(effect) => return effect,
        Err(action) => action,
    };
    match action {
        Action::RequestSettings => request::flip(screen),
        Action::Cancel => return Some(Effect::Go(Navigation::Before)),
        Action::RequestTools => {
            let name = screen.request.schemas.as_deref().map_or("", Schemas::name).to_owned();
            screen.chrome.ask(PromptKind::Schema, &name);
        }
        Action::Move(motion) => screen.go(motion),
        Action::Problem(direction) => to_outcome(screen, direction > 0),
        Action::Open => fold(screen, true)?,
        Action::Close => fold(screen, false)?,
        Action::FoldAll | Action::UnfoldAll => {
            screen.unfolded = if action == Action::UnfoldAll { (0..screen.groups()).collect() } else { [].into() };
            screen.made.clear();
            let at = Anchor { row: 0, ..screen.list.at };
            screen.choose(at);
        }
        Action::Toggle => return read_as(screen),
        Action::MarkReading => mark(screen),
        Action::Compare => return compare(screen),
        Action::Visit => return visit(screen),
        Action::Copy(_) => return copy(screen),
        action => return Some(Effect::Go(Navigation::Action(action))),
    }
    None
}

/// Submits the prompt.
pub(super) fn submit(screen: &mut LensScreen) -> Option<Effect> {
    let prompt = screen.chrome.prompt.take()?;
    let typed = prompt.input.value().trim().to_owned();
    if prompt.kind.is_path() && !typed.is_empty() {
        screen.chrome.path_typed = Some((prompt.kind, typed.clone()));
    }
    match prompt.kind {
        PromptKind::Schema => (!typed.is_empty()).then(|| Effect::Run(Task::ReadSchema(path_of(&typed)))),
        kind => request::submit(screen, kind, &typed),
    }
}

/// Shows either everything of the chosen outcome, or only what distinguishes it.
fn fold(screen: &mut LensScreen, is_open: bool) -> Option<()> {
    let unit = screen.list.at.unit;
    let group = screen.group_at(unit)?;
    if is_open {
        screen.unfolded.insert(group);
    } else {
        screen.unfolded.remove(&group);
        screen.list.at.row = 0;
    }
    screen.made.forget(unit);
    screen.show_unit();
    Some(())
}

fn to_outcome(screen: &mut LensScreen, forward: bool) {
    let unit = screen.list.at.unit;
    let to = if forward { Some(unit + 1) } else { unit.checked_sub(1) };
    match to.filter(|unit| screen.group_at(*unit).is_some()) {
        Some(unit) => {
            screen.choose(Anchor { unit, ..Anchor::default() });
            screen.show_unit();
        }
        None if screen.groups() == 0 => {}
        None => {
            screen.reveal();
            screen.chrome.show_message(if forward { "last outcome" } else { "first outcome" }, Role::Dim);
        }
    }
}

/// Shows a message if no outcome is chosen.
fn refuse(screen: &mut LensScreen) -> Option<Effect> {
    screen.chrome.refuse("choose an outcome first: e goes to the next one")
}

/// Opens the text as the chosen parser reads it.
fn read_as(screen: &mut LensScreen) -> Option<Effect> {
    let Some(reading) = screen.chosen().and_then(|(row, offset)| screen.reading(row, offset)) else {
        return refuse(screen);
    };
    Some(Effect::Go(Navigation::ReadAs(Box::new(reading))))
}

/// Name of a row's parser.
fn name_of(screen: &LensScreen, row: usize) -> String {
    screen.lens.as_ref().and_then(|lens| lens.rows.get(row)).map(crate::lens::LensRow::name).unwrap_or_default()
}

fn mark(screen: &mut LensScreen) {
    let Some((row, _)) = screen.chosen() else { return drop(refuse(screen)) };
    screen.marked = (screen.marked != Some(row)).then_some(row);
    screen.made.clear();
    let name = name_of(screen, row);
    let words = if screen.marked.is_some() {
        format!("marked {name}: D on another parser compares the two")
    } else {
        format!("unmarked {name}: D compares with the first outcome")
    };
    screen.chrome.show_message(words, Role::Dim);
}

/// Compares the reading of the chosen parser with that of the marked one, or else of the first one.
fn compare(screen: &mut LensScreen) -> Option<Effect> {
    let first = screen.lens.as_ref().and_then(|lens| lens.groups.first()?.rows.first().copied());
    let Some(((row, offset), other)) = screen.chosen().zip(screen.marked.or(first)) else { return refuse(screen) };
    if row == other {
        return screen.chrome.refuse("nothing to compare with: choose another parser, or mark one with Space");
    }
    let sides = [screen.reading(other, offset)?, screen.reading(row, offset)?];
    Some(Effect::Go(Navigation::CompareReadings(Box::new(sides))))
}

/// Goes to the bytes of the chosen name, id, value or reason, or else to the first reason of the chosen parser.
fn visit(screen: &mut LensScreen) -> Option<Effect> {
    if screen.source() == Some(Source::None) {
        return screen.chrome.refuse("no source in the text: generated or not delivered by this parser");
    }
    let Some(reading) = screen.chosen().and_then(|(row, offset)| screen.reading(row, offset)) else {
        return refuse(screen);
    };
    Some(Effect::Go(Navigation::Call(reading.tab, reading.offset)))
}

/// Copies what the chosen parser delivers.
fn copy(screen: &mut LensScreen) -> Option<Effect> {
    let Some((row, _)) = screen.chosen() else { return refuse(screen) };
    let outcome = screen.lens.as_ref().and_then(|lens| lens.rows.get(row)).map(|row| &row.reading.outcome);
    let what = format!("what {} delivers", name_of(screen, row));
    Some(Effect::Run(Task::Copy(Copied::json(what, outcome?))))
}

pub(super) fn click(screen: &mut LensScreen, x: u16, y: u16) -> Option<Effect> {
    if screen.settings.is_some() {
        return request::click(screen, x, y);
    }
    let at = screen.row_at(screen.area().inner(), 0, x, y)?;
    if at == screen.list.at && screen.group_at(at.unit).is_some() {
        return read_as(screen);
    }
    screen.choose(at);
    None
}
