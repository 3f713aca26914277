//! The line of a text that is played: a bar with how far it has come, with marks of calls and problems, and its pace.

use std::ops::Range;

use ratatui::buffer::Buffer;

use crate::tui::geometry::Area;
use crate::tui::replay::Replay;
use crate::tui::row::size;
use crate::tui::screen::transcript::Transcript;
use crate::tui::style::Role;
use crate::tui::theme::Theme;
use crate::tui::timeline::Mark;
use crate::tui::widget::{line, put};

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

/// The columns of the bar, between what stands at its left and at its right; none where there is no room.
pub(super) fn columns(area: Area, replay: &Replay) -> Range<u16> {
    let [left, right] = [sign(replay), &words(replay)].map(|words| words.chars().count() as u16);
    let start = area.x + left;
    start..(area.x + area.width).saturating_sub(right).max(start)
}

/// The sign at the left: whether it plays or stands still.
fn sign(replay: &Replay) -> &'static str {
    if replay.plays() { " ▶ " } else { " ‖ " }
}

/// How far it has come, the length of a step, and how fast it plays; as wide all the time.
pub(super) fn words(replay: &Replay) -> String {
    format!(
        " {:>7} of {} · {} · {}/s ",
        size(replay.at()),
        size(replay.total()),
        replay.step.word(),
        size(replay.speed)
    )
}
