//! Key facts at the top of a report on a recorded session: title, agent, models, times and figures.

use super::ReportPage;
use crate::container::facts::Timestamp;
use crate::container::states_zone;
use crate::document::facts::requests::Spending;
use crate::wording::session_summary::{TitleSource, session_title};
use crate::wording::{count, figures};

/// Maximum number of models and compactions listed.
const LISTED: usize = 8;

impl ReportPage<'_> {
    /// Title, agent, models, times and figures, each with its name; facts that the file does not state are left out.
    pub(super) fn session_head(&self) -> Vec<(&'static str, String)> {
        if !self.session.is_decoded() {
            return Vec::new();
        }
        let document = self.session.document();
        let info = document.session_info();
        let title = session_title(self.session)
            .filter(|(_, source)| !matches!(source, TitleSource::Prompt | TitleSource::Slug | TitleSource::Id))
            .map(|(title, _)| title.to_string());
        let agent = info.client.as_ref().map(|client| {
            let words = std::iter::once(client).chain(&info.versions).map(AsRef::as_ref);
            words.collect::<Vec<&str>>().join(" ")
        });
        let models =
            document.models().map(|(model, spending)| format!("{model} ({})", count(spending.requests, "request")));
        let turns = document.turn_count();
        let spending = document.session_spending();
        let agents = document.agents().len();
        let rows = [
            ("title", title),
            ("project", info.project().map(str::to_owned)),
            ("agent", agent),
            ("models", listed(models)),
            ("time", document.time_range().map(|(start, end)| self.time(start, end))),
            ("turns", (turns > 0).then(|| turns.to_string())),
            ("tokens", tokens(&spending)),
            ("cost", self.cost(&spending)),
            ("compactions", listed(document.compactions().map(|entry| figures::compaction(&entry)))),
            ("sub-agents", (agents > 0).then(|| self.agents(agents))),
        ];
        rows.into_iter().filter_map(|(name, words)| Some((name, self.clean_line(&words?)))).collect()
    }

    /// `2026-03-24 09:00:00 – 09:12:33 UTC (12m 33s)`; without a zone if the file states none.
    fn time(&self, start: Timestamp, end: Timestamp) -> String {
        let messages = self.session.document().messages();
        let time = (0..messages.len()).find_map(|message| messages.time(message));
        let zone = if time.is_none_or(states_zone) { " UTC" } else { "" };
        let is_one_day = start.strftime("%F").to_string() == end.strftime("%F").to_string();
        let last = end.strftime(if is_one_day { "%T" } else { "%F %T" });
        let took = std::time::Duration::try_from(end.duration_since(start)).unwrap_or_default();
        format!("{} – {last}{zone} ({})", start.strftime("%F %T"), figures::duration(took))
    }

    fn cost(&self, spending: &Spending) -> Option<String> {
        let day = self.session.document().requests().prices().and_then(|prices| prices.date.as_deref());
        figures::cost(spending.cost, spending.without_cost, day)
    }

    fn agents(&self, agents: usize) -> String {
        match self.session.document().agents_without_requests() {
            0 => agents.to_string(),
            lacking => format!("{agents}; tokens and cost lack {lacking} in other files"),
        }
    }
}

/// `≥763k: 48 new, 64,499 cache write, ≥228 output`.
fn tokens(spending: &Spending) -> Option<String> {
    let total = figures::total_tokens(spending)?;
    Some(format!("{total}: {} in {}", figures::exact_usage(&spending.usage), count(spending.requests, "request")))
}

/// Joins list entries, truncated after [`LISTED`]; `None` if there are none.
fn listed(all: impl Iterator<Item = String>) -> Option<String> {
    let mut words: Vec<String> = all.collect();
    let more = words.len().saturating_sub(LISTED);
    words.truncate(LISTED);
    words.extend((more > 0).then(|| format!("{more} more")));
    (!words.is_empty()).then(|| words.join("; "))
}
