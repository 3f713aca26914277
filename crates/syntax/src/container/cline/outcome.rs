//! Detects the outcome of a call of Cline, Roo and Kilo by its result.
//!
//! | text of a result | outcome |
//! |---|---|
//! | `The user denied this operation`, `{"status":"denied", …}` | denied |
//! | `The tool execution failed`, `Error executing …`, `{"status":"error", …}` | failed |
//! | `Command executed … Exit code: N`, `Output:` | by the exit code; failed if a signal ended it |
//! | `{"status":"approved","feedback":…}`, an empty line, a result | that of the result |
//! | `… due to user rejecting a previous tool.`, with `is_error` | denied |
//!
//! The texts are from Cline's and Roo's `prompts/responses.ts`.

use super::super::CallOutcome;
use super::super::exit_code;
use super::super::json::{JsonKind, JsonValue};

/// Beginnings of results of calls that did not finish.
const FAILURES: [&str; 5] = [
    "The tool execution failed",
    "Error executing",
    "{\"status\":\"error\"",
    "The command was terminated after exceeding a user-configured",
    "Task was interrupted before this tool call could be completed",
];

/// Beginnings of results of calls that the user denied.
const DENIALS: [&str; 2] = ["The user denied this operation", "{\"status\":\"denied\""];

/// The end of the result of a call that was skipped because the user denied one before it.
const SKIPPED: &[u8] = b"due to user rejecting a previous tool.";

/// The beginning of a remark with which the user allowed a call; the result follows on the second line after it.
const REMARK: &[u8] = b"{\"status\":\"approved\"";

/// Beginnings of the results of edits that were saved; the second means that the user changed the edit.
const SAVED: [&str; 2] =
    ["The content was successfully saved to ", "The user made the following updates to your content:"];

/// The outcome of a call by a result of the type `tool_result`. Without `is_error` it is a success, unless its text
/// states otherwise.
pub(super) fn of_block(block: JsonValue<'_>) -> CallOutcome {
    let content = block.get("content");
    let first = content.filter(|content| content.kind() == JsonKind::Array).and_then(|list| list.items().next());
    let words = first.and_then(|first| first.string_of("text")).or(content).and_then(|words| words.text());
    let words = words.as_deref().unwrap_or_default().as_bytes();
    if block.truth_of("is_error") != Some(true) {
        return of_text(words).or(CallOutcome::Succeeded);
    }
    let is_denied = words.ends_with(SKIPPED) || of_text(words) == CallOutcome::Denied;
    if is_denied { CallOutcome::Denied } else { CallOutcome::Failed }
}

/// The outcome of a call by the beginning of its result.
pub(super) fn of_text(words: &[u8]) -> CallOutcome {
    let rest = if words.starts_with(REMARK) { memchr::memmem::find(words, b"\n\n").map(|end| end + 2) } else { None };
    let words = &words[rest.unwrap_or_default()..];
    let begins = |beginning: &&str| words.starts_with(beginning.as_bytes());
    if DENIALS.iter().any(begins) {
        CallOutcome::Denied
    } else if FAILURES.iter().any(begins) {
        CallOutcome::Failed
    } else if begins(&"Command executed") {
        of_command(&words[..memchr::memmem::find(words, b"\nOutput:").unwrap_or(words.len())])
    } else if SAVED.iter().any(begins) {
        CallOutcome::Succeeded
    } else {
        CallOutcome::Unknown
    }
}

/// The outcome of a command by the text before its output. The exit code need not begin a line.
fn of_command(head: &[u8]) -> CallOutcome {
    const CODE: &[u8] = b"Exit code: ";
    if memchr::memmem::find(head, b"Process terminated by signal ").is_some() {
        return CallOutcome::Failed;
    }
    memchr::memmem::rfind(head, CODE).map_or(CallOutcome::Unknown, |at| exit_code::of_last_line(&head[at..], CODE))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_outcome_is_known_by_the_beginning_of_the_result() {
        for (words, outcome) in [
            ("{\"status\":\"denied\",\"feedback\":\"No.\"}", CallOutcome::Denied),
            ("{\"status\":\"error\",\"message\":\"The tool execution failed\"}", CallOutcome::Failed),
            ("{\"status\":\"approved\",\"feedback\":\"Yes.\"}\n\nThe tool execution failed", CallOutcome::Failed),
            ("{\"status\":\"approved\"}", CallOutcome::Unknown),
            ("Command executed in terminal. Exit code: 0\nOutput:\nExit code: 1", CallOutcome::Succeeded),
            ("Command executed in terminal.\nExit code: 2\nOutput:", CallOutcome::Failed),
            ("Command executed in terminal. Process terminated by signal SIGKILL\nOutput:", CallOutcome::Failed),
            ("Command executed in terminal. Exit code: <undefined, notify user>\nOutput:", CallOutcome::Unknown),
            ("{\"status\":\"done\"}", CallOutcome::Unknown),
        ] {
            assert_eq!(of_text(words.as_bytes()), outcome, "{words:?}");
        }
    }
}
