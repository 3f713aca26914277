//! Draws a comparison: its two columns, and the lines around them.
//!
//! This module does not know what is in a row.

use ratatui::Frame;
use ratatui::buffer::Buffer;
use ratatui::style::Style;

use crate::tui::action::Action;
use crate::tui::geometry::Area;
use crate::tui::row::{Piece, Row, count, grouped};
use crate::tui::screen::chrome::ChromeText;
use crate::tui::screen::comparison::job::ComparedSide;
use crate::tui::screen::comparison::rows::totals;
use crate::tui::screen::comparison::{self, ComparisonScreen};
use crate::tui::style::Role;
use crate::tui::theme::Theme;
use crate::tui::viewport;
use crate::tui::widget::{bordered, selection_style, words_of};

/// Columns of what stands at the left of the title.
const TITLE: usize = 26;

/// Draws the comparison and what is around it.
pub fn draw(frame: &mut Frame, screen: &ComparisonScreen, theme: &Theme) {
    let room = usize::from(screen.chrome.size.0).saturating_sub(TITLE);
    let [long, short] = [true, false].map(|in_words| totals(screen, in_words));
    let right =
        vec![Piece::new(if long.len() <= room { long } else { short }, Role::Text), Piece::new(" ", Role::Text)];
    let text = ChromeText { title: [comparison::title(), right], hints: hints(screen), place: place(screen) };
    screen.chrome.draw(frame, &text, theme, |buffer, _| body(buffer, screen, theme));
}

/// The two columns.
fn body(buffer: &mut Buffer, screen: &ComparisonScreen, theme: &Theme) {
    let columns = screen.columns();
    for (side, area) in columns.into_iter().enumerate() {
        bordered(buffer, area, &[(title(&screen.sides[side]), true)], side == screen.side, theme);
    }
    let shown = viewport::window(screen, screen.top, screen.height());
    if shown.is_empty() && columns[0].inner().height > 0 {
        let row = Row::words(vec![Piece::new(" no calls on either side", Role::Dim)]);
        words_of(buffer, Area { height: 1, ..columns[0].inner() }, &row, Style::new(), theme);
    }
    for (index, at) in shown.into_iter().enumerate() {
        let lines = screen.lines(at.unit);
        let Some(line) = lines.get(at.row) else { continue };
        for (side, area) in columns.into_iter().enumerate() {
            let inner = area.inner();
            let over = selection_style(at == screen.at, side == screen.side, theme);
            words_of(buffer, Area { y: inner.y + index as u16, height: 1, ..inner }, &line[side], over, theme);
        }
    }
}

/// What a side is called, and what it is read with.
fn title(side: &ComparedSide) -> String {
    let piece = |words: &str| Piece::new(words, Role::Text).text;
    if side.settings.is_empty() {
        return format!(" {} ", piece(&side.name));
    }
    format!(" {} ── {} ", piece(&side.name), piece(&side.settings))
}

/// Which difference is chosen.
fn place(screen: &ComparisonScreen) -> Vec<Piece> {
    let words = match screen.place_among_differences(screen.at.unit) {
        (_, 0) => " no differences ".to_owned(),
        (None, all) => format!(" {} ", count(all, "difference")),
        (Some(place), all) => format!(" difference {}/{} ", grouped(place), grouped(all)),
    };
    vec![Piece::new(words, Role::Status)]
}

/// The keys that somebody needs most.
fn hints(screen: &ComparisonScreen) -> Vec<Piece> {
    screen.chrome.hints(&[
        (&[Action::Help], "help"),
        (&[Action::Quit], "quit"),
        (&[Action::Cancel], "close"),
        (&[Action::Problem(1), Action::Problem(-1)], "difference"),
        (&[Action::Toggle], "fold"),
        (&[Action::OnlyDifferences], if screen.only_differences { "show all" } else { "show modified" }),
        (&[Action::FocusNext(1)], "switch side"),
        (&[Action::Visit], "go to call"),
    ])
}
