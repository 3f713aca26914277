//! A filter that is being typed: whether it is one, how it may go on, and its completion.
//!
//! This module does not know what the filter is for.

use tui_input::Input;

use crate::filter::{Filter, complete};
use crate::session::Session;

use crate::tui::prompt::{Prompt, PromptKind, PromptNote};
use crate::tui::screen::chrome::Chrome;

/// Ways to go on that are named behind what is typed.
const NAMED: usize = 8;

/// Says of a filter that is being typed whether it is one, and how it may go on.
pub fn note(chrome: &mut Chrome, session: Option<&Session>) {
    let Some(Prompt { kind: PromptKind::Items, input, note }) = &mut chrome.prompt else { return };
    let words = input.value();
    let open_end = |at: usize| at >= words.trim_end().len();
    *note = match Filter::parse(words) {
        Err(error) if !words.trim().is_empty() && !open_end(error.span.start) => {
            Some(PromptNote::Fault(error.to_string()))
        }
        _ => {
            let list = complete(words, cursor(input), session).list;
            let names: Vec<&str> = list.iter().take(NAMED).map(|way| way.text.as_str()).collect();
            (!names.is_empty()).then(|| PromptNote::Ways(names.join("  ")))
        }
    };
}

/// Completes what is typed to the likeliest way to go on.
pub fn complete_typed(chrome: &mut Chrome, session: Option<&Session>) {
    let Some(Prompt { kind: PromptKind::Items, input, .. }) = &mut chrome.prompt else { return };
    let words = input.value().to_owned();
    let ways = complete(&words, cursor(input), session);
    let Some(way) = ways.list.first() else { return };
    let head = format!("{}{}", &words[..ways.replace.start], way.text);
    let column = head.chars().count();
    *input = Input::new(format!("{head}{}", &words[ways.replace.end..])).with_cursor(column);
}

/// The byte offset of the cursor.
fn cursor(input: &Input) -> usize {
    input.value().char_indices().nth(input.cursor()).map_or(input.value().len(), |(at, _)| at)
}
