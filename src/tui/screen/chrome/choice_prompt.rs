//! Prompting for one of several values: they are listed above the line, and typing narrows the list.

use crate::tui::action::stepped;
use crate::tui::keymap::search::{MatchMode, SearchedEntry, matching};
use crate::tui::prompt::{Prompt, PromptKind};
use crate::tui::screen::chrome::Chrome;

/// The values that match the typed text, and the index of the chosen one; `None` unless such a prompt is open.
pub(super) fn list(chrome: &Chrome) -> Option<(Vec<String>, Option<usize>)> {
    let Prompt { kind: PromptKind::Example, input, choice, proposals, .. } = chrome.prompt.as_ref()? else {
        return None;
    };
    let entry = |value: &String| {
        let name = value.split_whitespace().next().unwrap_or_default().to_owned();
        SearchedEntry::new(value.clone(), value, "", vec![name])
    };
    let values = matching(proposals.iter().map(entry).collect(), input.value(), MatchMode::Letters);
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
