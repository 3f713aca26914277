//! Prompting for a command: a location, or an action by name or from the list.

use tui_input::Input;

use crate::location::Location;
use crate::tui::action::{Action, stepped};
use crate::tui::keymap::palette::PaletteEntry;
use crate::tui::prompt::{Prompt, PromptKind};
use crate::tui::screen::chrome::Chrome;
use crate::tui::style::Role;

/// A submitted command.
pub(super) enum Command {
    Act(Action),
    Go(Location),
    Nothing,
}

/// The actions that match the typed text, and the index of the chosen one, while the list is open.
pub(super) fn list(chrome: &Chrome) -> Option<(Vec<PaletteEntry>, Option<usize>)> {
    let Prompt { kind: PromptKind::Command { list }, input, choice, .. } = chrome.prompt.as_ref()? else { return None };
    let typed = input.value().trim();
    let place = typed.parse::<Location>();
    if matches!(place, Ok(Location::Turn(_) | Location::Time(_)))
        || !list && (typed.is_empty() || !matches!(place, Ok(Location::Name(_))))
    {
        return None;
    }
    let entries = chrome.keymap.palette(chrome.keys, typed);
    // A list opened explicitly always has a choice.
    let chosen = choice.or(list.then_some(0)).filter(|_| !entries.is_empty());
    Some((entries, chosen)).filter(|(entries, _)| *list || !entries.is_empty())
}

/// Chooses the next (1) or previous (-1) action of the list.
pub(super) fn choose(chrome: &mut Chrome, direction: i8) {
    let Some((entries, chosen)) = list(chrome) else { return };
    let Some(prompt) = &mut chrome.prompt else { return };
    let last = entries.len().saturating_sub(1);
    prompt.choice = Some(chosen.map_or(0, |chosen| stepped(chosen, direction, 1, last)));
}

/// Completes the typed text to the name of the chosen action, or else of the best match.
pub(super) fn complete(chrome: &mut Chrome) {
    let Some((entries, chosen)) = list(chrome) else { return };
    let Some(entry) = entries.get(chosen.unwrap_or(0)) else { return };
    let name = entry.name;
    if let Some(prompt) = &mut chrome.prompt {
        prompt.input = Input::new(name.to_owned()).with_cursor(name.chars().count());
        prompt.choice = None;
    }
}

/// Closes the prompt and returns its command.
pub(super) fn submit(chrome: &mut Chrome) -> Command {
    let chosen = list(chrome).and_then(|(mut entries, chosen)| {
        let chosen = chosen.filter(|chosen| *chosen < entries.len())?;
        Some(entries.swap_remove(chosen).action)
    });
    let Some(prompt) = chrome.prompt.take() else { return Command::Nothing };
    let typed = prompt.input.value().trim();
    if let Some(action) = chosen.or_else(|| chrome.keymap.action_named(chrome.keys, typed)) {
        return Command::Act(action);
    }
    match typed.parse() {
        _ if typed.is_empty() => Command::Nothing,
        Ok(location) => Command::Go(location),
        Err(words) => {
            chrome.show_message(words, Role::Error);
            Command::Nothing
        }
    }
}
