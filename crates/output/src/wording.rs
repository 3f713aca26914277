//! Texts shared by the screen and reports: speakers, endings of calls, counts, and problems by item.

pub mod activity;
pub mod byte;
pub mod changes;
pub mod expected;
pub mod figures;
pub mod group;
pub mod lens;
pub mod program_text;
pub mod rate;
pub mod session_columns;
pub mod session_summary;

use std::path::Path;

use crate::container::CallOutcome;
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::dialect::Status;
use crate::document::{Call, Item, Message};
use crate::filter::Selection;
use crate::session::Session;

/// Label of what the file withdraws.
pub(crate) const WITHDRAWN: &str = "withdrawn";

/// Label of messages and turns before which the conversation was resumed.
pub(crate) const ABANDONED: &str = "abandoned";

/// A number with its noun: `1 call`, `2 calls`.
pub fn count(number: usize, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

/// The name of a file without its directories, which would reveal more about the user's machine than the session.
pub fn file_name(path: &str) -> &str {
    Path::new(path).file_name().and_then(|name| name.to_str()).unwrap_or(path)
}

/// A number with commas between groups of three digits if it has at least five digits.
pub fn grouped(number: usize) -> String {
    let digits = number.to_string();
    if digits.len() < 5 {
        return digits;
    }
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// The sign of a severity, distinguishable without colour.
pub(crate) fn sign(severity: Severity) -> char {
    match severity {
        // A note is about a call that failed.
        Severity::Error | Severity::Note => '✗',
        Severity::Warning => '!',
        Severity::Hint => '·',
    }
}

/// The labels of message number `number`: speaker, turn, model, time and other details. They are not sanitised.
pub(crate) fn message_labels(session: &Session, number: usize, message: &Message) -> Vec<String> {
    let mut labels = vec![message.speaker().to_owned()];
    let turn = session.document().turn_of(number).filter(|turn| turn.first == number && session.is_decoded());
    labels.extend(turn.and_then(|turn| Some(format!("turn {}", session.document().turn_number(turn)?))));
    labels.extend(message.details().into_iter().map(str::to_owned));
    labels.extend(message.when());
    labels.extend(session.document().is_abandoned(number).then(|| ABANDONED.to_owned()));
    labels
}

/// Remarks about the end of a call: a missing end marker, its rejection, the outcome of its result. Empty for a usual
/// end.
pub(crate) fn ending(call: &Call<'_>) -> Vec<&'static str> {
    let mut words = Vec::new();
    words.extend(match call.status {
        Status::Complete => None,
        Status::Implicit => Some("no end marker"),
        Status::Unterminated | Status::Open => Some("cut off"),
    });
    words.extend(call.failed.then_some("rejected"));
    words.extend(call.answer.map(CallOutcome::label).filter(|words| !words.is_empty()));
    words
}

/// True if the item can no longer change.
pub(crate) fn is_final(session: &Session, number: usize) -> bool {
    let items = session.document().items();
    session.is_finished()
        || number + 1 < items.len()
        || items.get(number).and_then(Item::call).is_some_and(|call| call.status != Status::Open)
}

/// The problems in text order, after the one about a file that is not text; with a selection, only the problems of its
/// items.
pub(crate) fn problems<'a>(
    session: &'a Session,
    selection: Option<&'a Selection>,
) -> impl Iterator<Item = Diagnostic> + 'a {
    let document = session.document();
    let is_shown = move |number: &&u32| {
        let item = || document.item_of_problem(&document.diagnostics().brief(**number as usize)?);
        selection.is_none_or(|selection| item().is_some_and(|item| selection.contains(item)))
    };
    let is_binary = |number: &&u32| {
        document.diagnostics().brief(**number as usize).is_some_and(|brief| brief.code == Code::BinaryData)
    };
    // For a file that is not a transcript, the other problems are meaningless.
    let first = document.order().iter().find(is_binary);
    let rest = document.order().iter().filter(move |number| Some(*number) != first);
    let shown = first.into_iter().chain(rest).filter(is_shown);
    shown.filter_map(|&number| document.diagnostics().get(number as usize))
}

/// The selection in one line: `filter: failed (2 of 27 calls)`. The filter is not sanitised.
pub fn filter_line(selection: &Selection) -> String {
    let (calls, of) = selection.calls();
    format!("filter: {} ({calls} of {})", selection.filter(), count(of, "call"))
}

/// The numbers of the problems, each with the number of its item, by item and in text order; problems without an item
/// come last, with the number of items.
pub(crate) fn problems_by_item(session: &Session) -> Vec<(usize, u32)> {
    let document = session.document();
    let item = |number: u32| document.item_of_problem(&document.diagnostics().brief(number as usize)?);
    let none = document.items().len();
    let mut numbers: Vec<(usize, u32)> =
        document.order().iter().map(|&number| (item(number).unwrap_or(none), number)).collect();
    numbers.sort_by_key(|&(item, _)| item);
    numbers
}
