//! The heading of a turn: its prompt, its time and its figures.

use super::ReportPage;
use super::outline::brief;
use crate::container::facts::Origin;
use crate::document::Turn;
use crate::session::prompt::prompt_span;
use crate::text::colour_codes::without;
use crate::wording::figures::{duration, total_dollars, total_tokens};
use crate::wording::{ABANDONED, count};

/// The sanitized heading of a turn.
pub(in crate::export) struct TurnHeading {
    /// Position among all turns of the file, from 1, used as link target: an abandoned turn and its replacement have the same
    /// number.
    pub(in crate::export) index: usize,
    /// Number of the turn, from 1.
    pub(in crate::export) number: usize,
    /// True if the conversation was resumed before it.
    pub(in crate::export) is_abandoned: bool,
    /// Its prompt, cut to one line.
    pub(in crate::export) prompt: String,
    /// Date and time of its prompt.
    pub(in crate::export) when: Option<String>,
    /// Duration, calls, failures, tokens and cost, if known.
    pub(in crate::export) figures: Vec<String>,
}

/// An entry in the table of contents.
pub(in crate::export) struct TurnEntry {
    pub(in crate::export) heading: TurnHeading,
    /// Time of day of its prompt, with the date where that differs from the entry before; then the figures of the heading.
    pub(in crate::export) figures: Vec<String>,
}

impl TurnHeading {
    /// `Turn 3`, or `Turn 3 (abandoned)`.
    pub(in crate::export) fn title(&self) -> String {
        let abandoned = if self.is_abandoned { format!(" ({ABANDONED})") } else { String::new() };
        format!("Turn {}{abandoned}", self.number)
    }

    /// Time of the prompt and figures, if known.
    pub(in crate::export) fn details(&self) -> Vec<&str> {
        self.when.iter().chain(&self.figures).map(String::as_str).collect()
    }
}

impl ReportPage<'_> {
    /// True if the report has a heading for each turn and none for each message.
    pub(in crate::export) fn has_turns(&self) -> bool {
        self.has_turns
    }

    /// The turn that begins with a message, if one does.
    pub(super) fn turn_begun_by(&self, message: usize) -> Option<Turn> {
        let turn = self.session.document().turn_of(message);
        turn.filter(|turn| turn.first == message && self.session.is_decoded())
    }

    /// Passes the entry of each turn with an item in the report to `give`, until that fails.
    pub(in crate::export) fn turns<E>(&self, mut give: impl FnMut(TurnEntry) -> Result<(), E>) -> Result<(), E> {
        let document = self.session.document();
        let mut day = None;
        for turn in document.turns().filter(|turn| self.shows_any_of(*turn)) {
            let heading = self.turn_heading(turn);
            let start = document.start_of_turn(turn).map(|start| {
                let date = start.strftime("%F").to_string();
                let is_new = day.replace(date.clone()).is_none_or(|before| before != date);
                start.strftime(if is_new { "%F %T" } else { "%T" }).to_string()
            });
            let start = start.or_else(|| heading.when.clone());
            let figures = start.into_iter().chain(heading.figures.iter().cloned()).collect();
            give(TurnEntry { heading, figures })?;
        }
        Ok(())
    }

    /// True if an item of a turn is in the report.
    fn shows_any_of(&self, turn: Turn) -> bool {
        let document = self.session.document();
        let start = |message: usize| document.messages().start(message).unwrap_or(usize::MAX);
        let end = document.items_before(start(document.end_of(turn)));
        self.is_whole() || (document.items_before(start(turn.first))..end).any(|item| self.shows(item))
    }

    pub(super) fn turn_heading(&self, turn: Turn) -> TurnHeading {
        let document = self.session.document();
        let summary = document.turn_summary(turn, self.session.text());
        let figures = [
            summary.duration().map(duration),
            Some(count(summary.calls, "call")),
            (summary.failures > 0).then(|| format!("✗ {} failed", summary.failures)),
            total_tokens(&summary.spending).map(|total| format!("{total} tokens")),
            total_dollars(&summary.spending),
        ];
        let when = document.messages().get(turn.first).and_then(|message| message.when());
        TurnHeading {
            index: turn.index,
            number: turn.number,
            is_abandoned: document.is_abandoned(turn.first),
            prompt: self.prompt(turn),
            when: when.map(|when| self.clean_line(&when)),
            figures: figures.into_iter().flatten().collect(),
        }
    }

    /// The prompt of a turn, cut to one line.
    pub(in crate::export) fn prompt(&self, turn: Turn) -> String {
        let messages = self.session.document().messages();
        let is_command = messages.origin(turn.first) == Origin::Command;
        match messages.label(turn.first).filter(|_| is_command) {
            Some(command) => brief(&self.clean(&without(command))),
            None => prompt_span(self.session, turn).map_or_else(String::new, |span| self.first_words(span)),
        }
    }
}
