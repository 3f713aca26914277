//! The heading of a turn: its prompt and its figures.

use super::ReportPage;
use super::outline::brief;
use crate::container::facts::Origin;
use crate::document::Turn;
use crate::session::prompt::prompt_span;
use crate::text::colour_codes::without;
use crate::wording::count;
use crate::wording::figures::{duration, total_dollars, total_tokens};

/// The sanitized heading of a turn.
pub(in crate::export) struct TurnHeading {
    /// Number of the turn, from 1.
    pub(in crate::export) number: usize,
    /// Its prompt, cut to one line.
    pub(in crate::export) prompt: String,
    /// Calls, failures, duration, tokens and cost, if known.
    pub(in crate::export) figures: Vec<String>,
}

impl ReportPage<'_> {
    /// True if the report has a heading for each turn and none for each message.
    pub(in crate::export) fn has_turns(&self) -> bool {
        self.session.is_decoded() && self.session.document().turn_count() > 0
    }

    /// The turn that begins with a message, if one does.
    pub(super) fn turn_begun_by(&self, message: usize) -> Option<Turn> {
        let turn = self.session.document().turn_of(message);
        turn.filter(|turn| turn.first == message && self.session.is_decoded())
    }

    pub(super) fn turn_heading(&self, turn: Turn) -> TurnHeading {
        let summary = self.session.document().turn_summary(turn, self.session.text());
        let figures = [
            Some(count(summary.calls, "call")),
            (summary.failures > 0).then(|| format!("✗ {} failed", summary.failures)),
            summary.duration().map(duration),
            total_tokens(&summary.spending).map(|total| format!("{total} tokens")),
            total_dollars(&summary.spending),
        ];
        TurnHeading { number: turn.number, prompt: self.prompt(turn), figures: figures.into_iter().flatten().collect() }
    }

    /// The prompt of a turn, cut to one line.
    pub(super) fn prompt(&self, turn: Turn) -> String {
        let messages = self.session.document().messages();
        let is_command = messages.origin(turn.first) == Origin::Command;
        match messages.label(turn.first).filter(|_| is_command) {
            Some(command) => brief(&self.clean(&without(command))),
            None => prompt_span(self.session, turn).map_or_else(String::new, |span| self.first_words(span)),
        }
    }
}
