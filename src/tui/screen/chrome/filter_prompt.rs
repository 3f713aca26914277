//! Prompting for a filter: validation, suggestions and completion.

use tui_input::Input;

use crate::filter::{SavedFilters, complete};
use crate::session::Session;

use crate::tui::prompt::{Prompt, PromptKind, PromptNote};
use crate::tui::screen::chrome::Chrome;

/// Maximum number of suggestions shown after the typed text.
const NAMED: usize = 8;

/// Updates the note after a typed filter: its error or suggestions.
pub fn note(chrome: &mut Chrome, session: Option<&Session>) {
    let Some(Prompt { kind: PromptKind::Items, input, proposals, note, .. }) = &mut chrome.prompt else { return };
    let words = input.value();
    if let Some(at) = proposals.iter().position(|line| line == words).filter(|_| proposals.len() > 1) {
        let others = proposals[at + 1..].iter().chain(&proposals[..at]).cloned().collect::<Vec<_>>();
        *note = Some(PromptNote::Others(others.join("  ")));
        return;
    }
    let open_end = |at: usize| at >= words.trim_end().len() || words.starts_with('@');
    *note = match chrome.filters.parse(words) {
        Err(error) if !words.trim().is_empty() && !open_end(error.span.start) => {
            Some(PromptNote::Fault(error.to_string()))
        }
        _ => {
            let list = complete(words, cursor(input), session).list.into_iter().map(|way| way.text);
            let names: Vec<String> = saved(&chrome.filters, words).chain(list).take(NAMED).collect();
            (!names.is_empty()).then(|| PromptNote::Continuations(names.join("  ")))
        }
    };
}

/// Completes the typed filter to the likeliest suggestion.
pub fn complete_typed(chrome: &mut Chrome, session: Option<&Session>) {
    let Some(Prompt { kind: PromptKind::Items, input, .. }) = &mut chrome.prompt else { return };
    let words = input.value().to_owned();
    if let Some(name) = saved(&chrome.filters, &words).next().filter(|_| !words.is_empty()) {
        let column = name.chars().count();
        *input = Input::new(name).with_cursor(column);
        return;
    }
    let ways = complete(&words, cursor(input), session);
    let Some(way) = ways.list.first() else { return };
    let head = format!("{}{}", &words[..ways.replace.start], way.text);
    let column = head.chars().count();
    *input = Input::new(format!("{head}{}", &words[ways.replace.end..])).with_cursor(column);
}

/// The saved filters whose names start with the typed text.
fn saved<'a>(filters: &'a SavedFilters, words: &'a str) -> impl Iterator<Item = String> + 'a {
    let is_one = words.is_empty() || words.starts_with('@');
    filters.names().filter(move |name| is_one && name.starts_with(words) && name != words)
}

/// Byte offset of the cursor.
fn cursor(input: &Input) -> usize {
    input.value().char_indices().nth(input.cursor()).map_or(input.value().len(), |(at, _)| at)
}
