//! The line of a text that is played: a bar with how far it has come, with marks of calls and problems, and its pace.
//!
//! This module does not know how the text is played.

use std::ops::Range;

use ratatui::buffer::Buffer;

use crate::tui::geometry::Area;
use crate::tui::replay::Replay;
use crate::tui::row::size;
use crate::tui::screen::transcript::Transcript;
use crate::tui::style::Role;
use crate::tui::theme::Theme;
use crate::tui::timeline::{Mark, bar};
use crate::tui::widget::{line, put};

/// Draws the line.
pub(super) fn draw(buffer: &mut Buffer, area: Area, state: &Transcript, theme: &Theme) {
    let (Some(replay), Some(track)) = (&state.replay, &state.timeline) else { return };
    line::fill(buffer, area, theme);
    put(buffer, area.x, area.y, sign(replay), usize::from(area.width), theme.style(Role::Pending));
    let columns = columns(area, replay);
    let width = columns.len();
    let here = track.cell_of(replay.at(), width);
    for (cell, mark) in track.cells(width).into_iter().enumerate().take(width) {
        let played = cell < here;
        let (sign, role) = match mark {
            _ if cell == here => ("●", Role::Strong),
            Mark::Error => ("✗", Role::Error),
            Mark::Warning => ("!", Role::Warning),
            Mark::Call if played => ("┿", Role::Name),
            Mark::Call => ("┼", Role::Name),
            Mark::Nothing if played => ("━", Role::Pending),
            Mark::Nothing => ("─", Role::Border),
        };
        put(buffer, columns.start + cell as u16, area.y, sign, 1, theme.style(role));
    }
    put(buffer, columns.end, area.y, &words(replay), usize::from(area.width), theme.style(Role::Pending));
}

/// The columns of the bar.
pub fn columns(area: Area, replay: &Replay) -> Range<u16> {
    bar(area.x, area.width, sign(replay).chars().count(), words(replay).chars().count())
}

/// Whether it plays.
fn sign(replay: &Replay) -> &'static str {
    if replay.plays() { " ▶ " } else { " ‖ " }
}

/// How far it has come, the length of a step, and how fast it plays; as wide all the time.
pub(super) fn words(replay: &Replay) -> String {
    format!(
        " {:>7} of {} · {} · {}/s ",
        size(replay.at()),
        size(replay.len()),
        replay.step().word(),
        size(replay.speed())
    )
}
