//! Changes of listed files: a changed file moves up, and its activity is shown.

use std::time::{Duration, SystemTime};

use crate::text::wrap::fit;
use crate::tui::discovery::FileChange;
use crate::tui::row::in_seconds;
use crate::tui::screen::sessions::SessionsScreen;

/// Maximum bytes of a file that is read again whenever it grows.
const READ_AGAIN: u64 = 16 << 20;

const MINUTE: Duration = Duration::from_mins(1);

/// Maximum silence of a session that counts as running.
const RUNS: Duration = Duration::from_mins(5);

/// Handles a file that has grown: it moves up, and is read again unless it is large.
pub(super) fn take(screen: &mut SessionsScreen, change: &FileChange) {
    let folder = change.path.parent().and_then(|parent| screen.known.get(parent));
    let Some(folder) = folder.map(|&folder| &screen.folders[folder]) else { return };
    let is_meant = |number: &&usize| screen.entries[**number].file.path == change.path;
    let Some(&number) = folder.files.iter().find(is_meant) else { return };
    let entry = &mut screen.entries[number];
    (entry.file.size, entry.file.modified) = (change.size, change.modified);
    entry.is_grown = change.size <= READ_AGAIN;
    screen.is_stale = true;
}

/// The running call of a recently written session, `Bash pnpm test, 41 s`, or how long it has been quiet; `None` if
/// that exceeds `width` columns.
pub(super) fn activity(screen: &SessionsScreen, number: usize, width: usize) -> Option<String> {
    let entry = &screen.entries[number];
    let since = |time: SystemTime| (screen.calendar.now)().duration_since(time).unwrap_or_default();
    let quiet = entry.last_time().map(since).filter(|quiet| *quiet < RUNS)?;
    let session = entry.session.as_ref()?;
    let text = match &session.running {
        Some(call) => {
            let time = in_seconds(call.time.map_or(quiet, since));
            format!("{}, {time}", fit(&call.text, width.saturating_sub(time.len() + 2)))
        }
        // Longer silences appear in the column of ages.
        None if quiet >= MINUTE => return None,
        None => format!("quiet {}", in_seconds(quiet)),
    };
    (text.chars().count() <= width).then_some(text)
}
