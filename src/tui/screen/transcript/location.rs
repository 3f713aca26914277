//! Going to a location that was typed or that the file was opened with, once it has arrived.

use std::time::Duration;

use crate::diagnostic::Code;
use crate::filter::{SessionTime, TimeFault};
use crate::location::{Location, columns_short_of};
use crate::text::search::Search;
use crate::tui::row::{Target, count, duration, grouped, severity_lead};
use crate::tui::screen::transcript::{Transcript, jump, replay, tail_preview};
use crate::tui::style::Role;
use crate::tui::view::View;
use crate::tui::view::origin::Phase;

/// Goes to a typed location; line numbers are the file's, as everywhere.
pub(super) fn go(state: &mut Transcript, location: &Location) {
    if state.replay.is_some() {
        return replay::to(state, location);
    }
    tail_preview::leave(state);
    if let Location::Pattern(pattern) = location {
        return search(state, pattern, None);
    }
    arrive_at(state, location, target(&state.view, location, true));
}

/// Before a frame: goes to the location that the file was opened with, once it has arrived.
pub(super) fn seek(state: &mut Transcript) {
    let Some(location) = state.opened_at.take() else { return };
    let is_whole = state.view.origin.phase != Phase::Loading;
    let is_name = matches!(location, Location::Name(_) | Location::Turn(_) | Location::Time(_));
    match &location {
        Location::Pattern(pattern) => search(state, pattern, None),
        // Searching all names again for each chunk would take quadratic time.
        _ if is_name && !is_whole => state.opened_at = Some(location),
        _ => match target(&state.view, &location, is_whole) {
            None if !is_whole => state.opened_at = Some(location),
            found => {
                tail_preview::leave(state);
                arrive_at(state, &location, found);
                if let Location::Match(pattern, _) = &location {
                    let from = location.offset(&state.view.session, true);
                    search(state, pattern, from);
                }
            }
        },
    }
}

/// Goes to the target of a location, or shows a message if it does not exist.
fn arrive_at(state: &mut Transcript, location: &Location, found: Option<Target>) {
    match found {
        _ if let Location::Turn(number) = *location => jump::to_turn_number(state, number),
        None if let Location::Time(time) = *location => miss(state, time),
        Some(target) => show(state, target),
        None => say_missing(state, location),
    }
    if let Some(words) = beyond(&state.view, location) {
        state.show_message(words, Role::Warning);
    }
}

/// Says why the session has no place at a time, and goes to the end if it has ended before.
fn miss(state: &mut Transcript, time: SessionTime) {
    let Err(fault) = time.place(state.view.whole()) else { return };
    if let TimeFault::Beyond { last, .. } = fault {
        state.go_to(state.view.target_at(last));
    }
    let words = match fault {
        TimeFault::Untimed => "the file states no time; go to a turn (turn 3), a line (30:8) or 50%".to_owned(),
        TimeFault::Beyond { range: (start, end), .. } => {
            let lasts = Duration::try_from(end.duration_since(start)).unwrap_or_default();
            let end = end.strftime("%Y-%m-%d %H:%M:%S UTC");
            format!("the session ends before: at {end}, {} after its beginning", duration(lasts))
        }
        TimeFault::Ambiguous(moments) => {
            let moments: Vec<String> = moments.iter().map(|moment| format!("@{moment}")).collect();
            format!("the session has this time of day on several days; write {}", moments.join(" or "))
        }
    };
    state.show_message(words, Role::Warning);
}

/// Message if a line or byte is beyond the part of the file that has arrived.
fn beyond(view: &View, location: &Location) -> Option<String> {
    let so_far = if view.is_live() { " so far" } else { "" };
    let (lines, bytes) = (view.whole().file_lines().count(), view.whole().file().len());
    match *location {
        Location::Line(line, _) if line > lines => {
            Some(format!("no line {}: the file has {}{so_far}", grouped(line), count(lines, "line")))
        }
        Location::Line(line, Some(column)) => {
            let has = columns_short_of(view.whole(), line.saturating_sub(1), column)?;
            Some(format!("no column {}: line {} has {}", grouped(column), grouped(line), count(has, "column")))
        }
        Location::Byte(byte) if byte > bytes => {
            Some(format!("no byte {}: the file has {}{so_far}", grouped(byte), count(bytes, "byte")))
        }
        _ => None,
    }
}

/// Goes to a target; shows the problem's message if it is a problem.
fn show(state: &mut Transcript, target: Target) {
    state.go_to(target);
    if let Some(problem) = target.problem.and_then(|number| state.view.problem(number)) {
        state.show_message(format!("{} {}", severity_lead(problem.severity), problem.message), Role::Dim);
    }
}

/// Starts a search at an offset, or else at the selection.
fn search(state: &mut Transcript, pattern: &str, from: Option<usize>) {
    match Search::new(pattern) {
        Ok(mut search) => {
            search.from = from;
            jump::begin_search(state, search);
        }
        Err(error) => state.show_message(format!("{pattern:?} is not a regular expression: {error}"), Role::Error),
    }
}

/// The target of a location; `None` if it has not arrived.
fn target(view: &View, location: &Location, is_whole: bool) -> Option<Target> {
    if let Location::Name(name) = location {
        return problem(view, name).or_else(|| call(view, name));
    }
    let last = view.whole().text().len().saturating_sub(1);
    location.offset(view.whole(), is_whole).map(|offset| view.target_at(offset.min(last)))
}

/// The first problem with a code.
fn problem(view: &View, name: &str) -> Option<Target> {
    let code = Code::from_name(name)?;
    let problems = view.problems();
    let mut numbers = (0..problems.len()).filter_map(|place| problems.at(place));
    let (number, brief) = numbers.find_map(|number| {
        let brief = problems.brief(number).filter(|brief| brief.code == code)?;
        Some((number, brief))
    })?;
    Some(view.target_of_problem(number, brief.span.start))
}

/// The first call with an id.
fn call(view: &View, id: &str) -> Option<Target> {
    let (document, text) = (view.session.document(), view.session.text());
    let item = document.calls().find(|&item| document.call(item).is_some_and(|call| call.id(text) == id))?;
    view.target_of_item(item)
}

fn say_missing(state: &mut Transcript, location: &Location) {
    let words = match location {
        Location::Name(name) if Code::from_name(name).is_some() => format!("no {name} problem in this text"),
        Location::Name(name) => {
            let key = state
                .chrome
                .keymap
                .key_of(crate::tui::keymap::ScreenId::Transcript, crate::tui::action::Action::Palette);
            format!("{name:?} is not a place, turn, id, problem or command; {key} lists the commands")
        }
        _ => "the text is empty".to_owned(),
    };
    state.show_message(words, Role::Warning);
}
