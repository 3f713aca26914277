//! The texts of files that a session shows: in the records of results, and in results of calls that read.
//!
//! Sources: `toolUseResult` of Claude Code (`originalFile`, `file`, `type: create`); `metadata.filediff` of opencode; `FileDiff` in
//! `resultDisplay` of Gemini CLI (`packages/core/src/tools/tools.ts`), which Qwen Code has in `toolCallResult`; line numbers as Claude Code (`cat -n`) and opencode (`00001| `) print them.

use std::collections::HashMap;

use serde_json::Value;

/// The texts of a file around a call, as the record of its result states them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct RecordedTexts {
    /// The text before the call.
    pub(super) before: TextBefore,
    /// The text after the call; `None` if the record does not state all of it.
    pub(super) after: Option<String>,
}

/// The text of a file before a call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum TextBefore {
    /// The record does not state it.
    #[default]
    Unknown,
    /// The record states that the call created the file.
    Absent,
    Known(String),
}

/// The texts in the record of a result. Other records have none.
fn of_record(record: &[u8]) -> RecordedTexts {
    // Most records are not parsed.
    if !mentions(record, "\"toolUseResult\"") && !mentions(record, "\"filediff\"") {
        return RecordedTexts::default();
    }
    let Ok(record) = serde_json::from_slice::<Value>(record) else { return RecordedTexts::default() };
    let text = |value: Option<&Value>| value.and_then(Value::as_str).map(str::to_owned);
    if let Some(result) = record.get("toolUseResult") {
        let file = result.get("file").filter(|file| is_whole(file));
        let before = match result.get("originalFile") {
            Some(Value::String(text)) => TextBefore::Known(text.clone()),
            Some(Value::Null) if result.get("type").is_some_and(|kind| kind == "create") => TextBefore::Absent,
            _ => TextBefore::Unknown,
        };
        let written = result.get("type").is_some_and(|kind| kind == "create" || kind == "update");
        let after =
            text(file.and_then(|file| file.get("content"))).or_else(|| text(result.get("content")).filter(|_| written));
        return RecordedTexts { before, after };
    }
    let state = record.get("state").or_else(|| record.pointer("/part/state"));
    let diff = state.and_then(|state| state.pointer("/metadata/filediff"));
    let side = |name: &str| diff.and_then(|diff| text(diff.get(name)));
    RecordedTexts { before: side("before").map_or(TextBefore::Unknown, TextBefore::Known), after: side("after") }
}

/// The texts of files that a record states.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum RecordTexts {
    /// The texts of one file, around one of its calls.
    One(RecordedTexts),
    /// The texts by the ids of their calls.
    ByCall(HashMap<String, RecordedTexts>),
}

impl RecordTexts {
    /// The texts in the line of a record; none if it is not a whole record.
    pub(super) fn new(record: &[u8]) -> Self {
        // Most records are not parsed.
        let parsed = || serde_json::from_slice::<Value>(record).ok();
        let Some(parsed) = mentions(record, "\"resultDisplay\"").then(parsed).flatten() else {
            return Self::One(of_record(record));
        };
        match parsed.get("toolCallResult") {
            Some(result) => {
                let texts = result.get("resultDisplay").map(of_display).unwrap_or_default();
                match result.get("callId").and_then(Value::as_str) {
                    Some(id) => Self::ByCall(HashMap::from([(id.to_owned(), texts)])),
                    None => Self::One(texts),
                }
            }
            // A document that is written in one line.
            None if parsed.get("messages").is_some() => Self::ByCall(of_document(&parsed)),
            None => Self::ByCall(calls_of(&parsed).map(|(id, shown)| (id.to_owned(), of_display(shown))).collect()),
        }
    }
}

/// The texts that a document of Gemini CLI states, by the ids of their calls.
pub(super) fn of_document(document: &Value) -> HashMap<String, RecordedTexts> {
    let messages = document.get("messages").and_then(Value::as_array).into_iter().flatten();
    let texts = messages.flat_map(calls_of).map(|(id, shown)| (id.to_owned(), of_display(shown)));
    texts.filter(|(_, texts)| *texts != RecordedTexts::default()).collect()
}

/// The calls of a message with what was displayed for each.
fn calls_of(message: &Value) -> impl Iterator<Item = (&str, &Value)> {
    let calls = message.get("toolCalls").and_then(Value::as_array).into_iter().flatten();
    calls.filter_map(|call| Some((call.get("id")?.as_str()?, call.get("resultDisplay")?)))
}

/// The texts around a change that is displayed as a difference. Without the old content the file was new.
fn of_display(shown: &Value) -> RecordedTexts {
    if shown.get("fileDiff").is_none() {
        return RecordedTexts::default();
    }
    let before = match shown.get("originalContent") {
        Some(Value::String(text)) => TextBefore::Known(text.clone()),
        Some(Value::Null) => TextBefore::Absent,
        _ => TextBefore::Unknown,
    };
    let before = if shown.get("isNewFile").is_some_and(|is_new| *is_new == true) { TextBefore::Absent } else { before };
    RecordedTexts { before, after: shown.get("newContent").and_then(Value::as_str).map(str::to_owned) }
}

fn mentions(record: &[u8], name: &str) -> bool {
    memchr::memmem::find(record, name.as_bytes()).is_some()
}

/// True if the lines that were read are all lines of the file.
fn is_whole(file: &Value) -> bool {
    let number = |name: &str| file.get(name).and_then(Value::as_u64);
    number("startLine") == Some(1) && number("numLines").is_some() && number("numLines") == number("totalLines")
}

/// The text of a file in the result of a call that reads all of it: lines with numbers from 1, perhaps within tags. `None` if the
/// result has another form: what else it says is not known. The text ends with a line feed, which the result does not tell.
pub(super) fn of_result(result: &str) -> Option<String> {
    let mut text = String::new();
    let (mut number, mut has_ended) = (0, false);
    for line in result.lines() {
        match numbered(line).filter(|_| !has_ended) {
            Some((found, rest)) if found == number + 1 => {
                number = found;
                text.push_str(rest);
                text.push('\n');
            }
            None if number == 0 && (line.is_empty() || line.starts_with('<')) => {}
            None if line.starts_with("(File has more lines") || line.starts_with("(Output capped") => return None,
            None if has_ended || (number > 0 && text_has_ended(line)) => has_ended = true,
            // A gap, or another form.
            _ => return None,
        }
    }
    // An empty last line is the end of the line before it.
    if text.ends_with("\n\n") {
        text.pop();
    }
    (number > 0).then_some(text)
}

/// True for lines that follow a text with line numbers if it was shown to its end.
fn text_has_ended(line: &str) -> bool {
    let line = line.trim();
    line.is_empty()
        || line.starts_with("</")
        || line.starts_with("<system-reminder>")
        || line.starts_with("(End of file")
}

/// The number of a line and its text.
fn numbered(line: &str) -> Option<(usize, &str)> {
    let line = line.trim_start_matches(' ');
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let rest = &line[digits..];
    let rest = ["→", "\t", "| ", "|"].iter().find_map(|sign| rest.strip_prefix(sign))?;
    Some((line[..digits].parse().ok()?, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_with_all_lines_is_the_text_of_the_file() {
        for (result, expected) in [
            ("     1→a\n     2→\n     3→b\n\n<system-reminder>\nx\n</system-reminder>", Some("a\n\nb\n")),
            ("     1\ta\n     2\t", Some("a\n")),
            ("<file>\n00001| a\n00002| b\n\n(End of file - total 2 lines)\n</file>", Some("a\nb\n")),
            ("<file>\n00001| a\n\n(File has more lines. Use 'offset' to read beyond line 1)\n</file>", None),
            ("     3→a", None),
            ("     1→a\n     3→b", None),
            ("a\nb", None),
            ("", None),
        ] {
            assert_eq!(of_result(result).as_deref(), expected, "{result:?}");
        }
    }

    #[test]
    fn records_of_gemini_cli_and_qwen_code_state_the_texts_of_each_call() {
        let texts = |before, after: Option<&str>| RecordedTexts { before, after: after.map(str::to_owned) };
        let known = |text: &str| TextBefore::Known(text.to_owned());
        let calls = r#"{"toolCalls": [{"id": "a", "resultDisplay": {"fileDiff": "@@", "fileName": "f", "originalContent": "x", "newContent": "y"}}, {"id": "b", "resultDisplay": {"fileDiff": "@@", "originalContent": null, "newContent": "z"}}, {"id": "c", "resultDisplay": "done"}]}"#;
        let qwen = r#"{"toolCallResult": {"callId": "a", "resultDisplay": {"fileDiff": "@@", "originalContent": "", "isNewFile": true, "newContent": "y"}}}"#;
        let by_call = |texts: &[(&str, RecordedTexts)]| {
            RecordTexts::ByCall(texts.iter().map(|(id, texts)| ((*id).to_owned(), texts.clone())).collect())
        };
        for (record, expected) in [
            (
                calls,
                by_call(&[
                    ("a", texts(known("x"), Some("y"))),
                    ("b", texts(TextBefore::Absent, Some("z"))),
                    ("c", RecordedTexts::default()),
                ]),
            ),
            (qwen, by_call(&[("a", texts(TextBefore::Absent, Some("y")))])),
            (&*qwen.replace(r#""callId": "a", "#, ""), RecordTexts::One(texts(TextBefore::Absent, Some("y")))),
            (r#"{"toolUseResult": {"originalFile": "x"}}"#, RecordTexts::One(texts(known("x"), None))),
            (r#""resultDisplay": {"fileDiff": "@@","#, RecordTexts::One(RecordedTexts::default())),
        ] {
            assert_eq!(RecordTexts::new(record.as_bytes()), expected, "{record}");
        }
    }

    #[test]
    fn records_of_results_state_the_text_before_and_after() {
        let texts = |before, after: Option<&str>| RecordedTexts { before, after: after.map(str::to_owned) };
        let known = |text: &str| TextBefore::Known(text.to_owned());
        for (record, expected) in [
            (r#"{"toolUseResult": {"filePath": "a", "originalFile": "x"}}"#, texts(known("x"), None)),
            (
                r#"{"toolUseResult": {"type": "create", "content": "y", "originalFile": null}}"#,
                texts(TextBefore::Absent, Some("y")),
            ),
            (
                r#"{"toolUseResult": {"type": "text", "file": {"content": "z", "startLine": 1, "numLines": 1, "totalLines": 1}}}"#,
                texts(TextBefore::Unknown, Some("z")),
            ),
            (
                r#"{"toolUseResult": {"type": "text", "file": {"content": "z", "startLine": 1, "numLines": 1, "totalLines": 9}}}"#,
                texts(TextBefore::Unknown, None),
            ),
            (r#"{"toolUseResult": "Error"}"#, texts(TextBefore::Unknown, None)),
            (r#"{"state": {"metadata": {"filediff": {"before": "x", "after": "y"}}}}"#, texts(known("x"), Some("y"))),
            (r#"{"toolUseResult": "#, texts(TextBefore::Unknown, None)),
            (r#"{"content": "originalFile"}"#, texts(TextBefore::Unknown, None)),
        ] {
            assert_eq!(of_record(record.as_bytes()), expected, "{record}");
        }
    }
}
