//! The bar of a replay: its progress with marks for calls and problems, and the speed.

use std::ops::Range;

use ratatui::buffer::Buffer;

use crate::text::replay_steps::{ReplaySpeed, TOKENS_PER_SECOND};
use crate::tui::action::{Action, ReplayControl};
use crate::tui::geometry::Area;
use crate::tui::keymap::ScreenId;
use crate::tui::replay::Replay;
use crate::tui::replay_overview::Mark;
use crate::tui::row::size;
use crate::tui::screen::transcript::Transcript;
use crate::tui::style::Role;
use crate::tui::theme::Theme;
use crate::tui::widget::{line, put};

pub(super) fn draw(buffer: &mut Buffer, area: Area, state: &Transcript, theme: &Theme) {
    let (Some(replay), Some(track)) = (&state.replay, &state.replay_overview) else { return };
    line::fill(buffer, area, theme);
    put(buffer, area.x, area.y, sign(replay), usize::from(area.width), theme.style(Role::Pending));
    let columns = columns(area, &words(state));
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
    put(buffer, columns.end, area.y, &words(state), usize::from(area.width), theme.style(Role::Pending));
}

/// Columns of the bar, between the sign at the left and the text at the right; empty if there is no room.
pub(super) fn columns(area: Area, words: &str) -> Range<u16> {
    let start = area.x + SIGN;
    start..(area.x + area.width).saturating_sub(words.chars().count() as u16).max(start)
}

/// Width of the sign at the left.
const SIGN: u16 = 3;

/// The sign at the left: playing or paused.
fn sign(replay: &Replay) -> &'static str {
    if replay.plays() { " ▶ " } else { " ‖ " }
}

/// Progress, and the keys to play, step, and set step length and speed. The width is constant.
pub(super) fn words(state: &Transcript) -> String {
    let (Some(replay), Some(overview)) = (&state.replay, &state.replay_overview) else { return String::new() };
    let speed = match replay.speed {
        ReplaySpeed::Times(times) if overview.records.is_timed() => format!("{times}x"),
        ReplaySpeed::Times(times) => format!("{times}x ({} tokens/s)", times * TOKENS_PER_SECOND),
        ReplaySpeed::Bytes(speed) => format!("{}/s", size(speed)),
    };
    let key = |asked| state.chrome.keymap.key_of(ScreenId::Transcript, Action::Replay(asked));
    let keys = [
        (key(ReplayControl::Play).to_owned(), if replay.plays() { "pause" } else { "play " }),
        (format!("{}{}", key(ReplayControl::Step(false)), key(ReplayControl::Step(true))), "step"),
        (key(ReplayControl::Unit).to_owned(), replay.step.word()),
        (key(ReplayControl::Faster).to_owned(), &*speed),
    ];
    let keys: Vec<String> = keys.iter().map(|(key, words)| format!(" · {key} {words}")).collect();
    format!(" {:>7} of {}{} ", size(replay.at()), size(replay.total()), keys.concat())
}
