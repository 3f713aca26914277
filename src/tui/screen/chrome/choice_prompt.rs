//! Prompting for one of several values: they are listed above the line, and typing narrows the list.

use crate::tui::action::stepped;
use crate::tui::keymap::search::{MatchMode, SearchedEntry, matching};
use crate::tui::prompt::{Prompt, PromptKind};
use crate::tui::screen::chrome::Chrome;

/// The indexes of the values that match the typed text, and which of these is chosen; `None` unless such a prompt is open.
pub(super) fn list(chrome: &Chrome) -> Option<(Vec<usize>, Option<usize>)> {
    let Prompt { kind: PromptKind::Example | PromptKind::OtherRun, input, choice, proposals, .. } =
        chrome.prompt.as_ref()?
    else {
        return None;
    };
    let entry = |(index, value): (usize, &String)| {
        let name = value.split_whitespace().next().unwrap_or_default().to_owned();
        SearchedEntry::new(index, value, "", vec![name])
    };
    let values = matching(proposals.iter().enumerate().map(entry).collect(), input.value(), MatchMode::Letters);
    let chosen = values.len().checked_sub(1).map(|last| choice.unwrap_or(0).min(last));
    Some((values, chosen))
}

/// Chooses the next (1) or previous (-1) value; false unless such a prompt is open.
pub(super) fn choose(chrome: &mut Chrome, direction: i8) -> bool {
    let Some((values, chosen)) = list(chrome) else { return false };
    let last = values.len().saturating_sub(1);
    if let Some(prompt) = &mut chrome.prompt {
        prompt.choice = chosen.map(|chosen| stepped(chosen, direction, 1, last));
    }
    true
}
