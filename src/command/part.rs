//! The options that cut a session by turns and times, and the part of a session that they select.

use anyhow::{Context as _, anyhow, bail, ensure};
use clap::Args;

use crate::container::facts::Timestamp;
use crate::filter::{Filter, Selection, SessionTime};
use crate::session::Session;
use crate::text::sanitize::visible_str;
use crate::wording::count;

/// Options that cut a session by turns and times.
#[derive(Clone, Debug, Default, Args)]
pub struct PartArgs {
    /// Only these turns of a session: 3, 3-7, 3-, -7, last
    #[arg(long, value_name = "TURNS", allow_hyphen_values = true)]
    turns: Option<String>,
    /// Only from one time to another; each may be missing: 5m..1h05m after the beginning, 14:02.., 2026-01-31T10:00..
    #[arg(long, value_name = "FROM..TO")]
    range: Option<String>,
}

impl PartArgs {
    /// True if an option is given.
    pub fn cuts(&self) -> bool {
        self.turns.is_some() || self.range.is_some()
    }

    /// The options and a filter as one expression; `None` without any.
    ///
    /// # Errors
    /// The turns or a time are not written as they must be.
    pub fn joined(&self, filter: Option<&str>) -> anyhow::Result<Option<String>> {
        let mut terms = Vec::new();
        if let Some(words) = &self.range {
            let (from, to) =
                words.split_once("..").filter(|(from, to)| !(from.is_empty() && to.is_empty())).with_context(|| {
                    format!("--range {words:?}: write FROM..TO, such as 5m..1h05m, 14:02.. or ..2026-01-31T10:00")
                })?;
            for (term, time) in [("after", from), ("before", to)] {
                if !time.is_empty() {
                    time.parse::<SessionTime>().map_err(|fault| anyhow!("--range {words:?}: {fault}"))?;
                    terms.push(format!("{term}:{time}"));
                }
            }
        }
        if let Some(words) = &self.turns {
            let is_number = |word: &str| word.bytes().all(|byte| byte.is_ascii_digit());
            let (first, last) = words.split_once('-').unwrap_or((words, words));
            let are_numbers = is_number(first) && is_number(last) && !(first.is_empty() && last.is_empty());
            ensure!(are_numbers || words == "last", "--turns {words:?}: write 3, 3-7, 3-, -7 or last");
            terms.push(format!("turn:{words}"));
        }
        terms.extend(filter.map(|filter| if self.cuts() { format!("({filter})") } else { filter.to_owned() }));
        Ok((!terms.is_empty()).then(|| terms.join(" ")))
    }

    /// The part of a completely read session; `None` without options, for the whole.
    ///
    /// # Errors
    /// The options are not written as they must be, or the session has nothing in this part.
    pub(super) fn of(&self, name: &str, session: &Session) -> anyhow::Result<Option<Selection>> {
        let Some(expression) = self.joined(None)? else { return Ok(None) };
        let selection = Selection::new(&Filter::parse(&expression).context("invalid filter")?, session);
        self.check_selected(name, session, Some(&selection))?;
        Ok(Some(selection))
    }

    /// Checks that a session states what the options select by.
    ///
    /// # Errors
    /// It has no turns, or no times.
    pub(super) fn check(&self, name: &str, session: &Session) -> anyhow::Result<()> {
        let (document, name) = (session.document(), visible_str(name));
        ensure!(
            self.turns.is_none() || document.turn_count() > 0,
            "{name} has no turns, which --turns selects by; name a recorded session, or remove the option"
        );
        ensure!(
            self.range.is_none() || document.time_range().is_some(),
            "{name} states no times, which --range selects by; use --turns or --filter, or remove the option"
        );
        Ok(())
    }

    /// Checks that the options select something, given the items that they and perhaps a filter select.
    ///
    /// # Errors
    /// The session has nothing in this part.
    pub(super) fn check_selected(
        &self,
        name: &str,
        session: &Session,
        selection: Option<&Selection>,
    ) -> anyhow::Result<()> {
        self.check(name, session)?;
        if selection.is_none_or(|selection| !selection.items().is_empty()) {
            return Ok(());
        }
        let (document, name) = (session.document(), visible_str(name));
        if let Some(words) = &self.turns {
            let turns = document.turn_count();
            let first = words.split('-').next().and_then(|first| first.parse::<usize>().ok());
            ensure!(
                first.is_none_or(|first| first <= turns),
                "--turns {words}: {name} has only {}",
                count(turns, "turn")
            );
        }
        if let (Some(words), Some((first, last))) = (&self.range, document.time_range())
            && Selection::new(&Filter::parse(&self.joined(None)?.unwrap_or_default())?, session).items().is_empty()
        {
            let time = |time: Timestamp| time.strftime("%Y-%m-%dT%H:%M:%S").to_string();
            bail!(
                "--range {words}: {name} has nothing in this time; it lasts from {} to {}, in UTC",
                time(first),
                time(last)
            );
        }
        Ok(())
    }
}
