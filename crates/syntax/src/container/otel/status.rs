//! The end of a span: its time and its error.
//!
//! | OTLP | as exporters print it |
//! |---|---|
//! | `endTimeUnixNano`, `timeUnixNano` | `end_time`, `timestamp`, or seconds and nanoseconds in a list |
//! | `status: {code: 2, message}` | `status: {status_code: "ERROR", description}`, `status_code`, `status_message` |

use jiff::Timestamp;

use super::super::json::{JsonKind, JsonValue};
use super::super::writer::TextWriter;
use super::super::{Message, MessagePart, moment_of};
use crate::diagnostic::Code;

/// Digits of milliseconds since 1970, up to the year 2286.
const MILLISECONDS: usize = 13;

/// A time of a span or an event, reduced to milliseconds if the file counts in smaller units.
pub(in crate::container) fn moment(value: JsonValue<'_>, keys: &[&str]) -> Option<Box<str>> {
    let told = value.first_of(keys)?;
    // Seconds and nanoseconds.
    let told = if told.kind() == JsonKind::Array { told.items().next()? } else { told };
    let words = told.scalar_text()?;
    let is_count = words.bytes().all(|byte| byte.is_ascii_digit());
    let smaller = if is_count { words.len().saturating_sub(MILLISECONDS) } else { 0 };
    Some(words[..words.len() - smaller].into())
}

/// The same time in full precision.
pub(in crate::container) fn instant(value: JsonValue<'_>, keys: &[&str]) -> Option<Timestamp> {
    let told = value.first_of(keys)?;
    if told.kind() == JsonKind::Array {
        let mut parts = told.items().map(|part| part.number());
        return Timestamp::new(parts.next()??.try_into().ok()?, parts.next()??.try_into().ok()?).ok();
    }
    let words = told.scalar_text()?;
    let nanoseconds = || words.parse().ok().filter(|_| words.len() == MILLISECONDS + 6);
    nanoseconds().and_then(|count| Timestamp::from_nanosecond(count).ok()).or_else(|| moment_of(&moment(value, keys)?))
}

/// The error of a span.
#[derive(Debug)]
pub(in crate::container) struct SpanFailure<'a> {
    pub(in crate::container) words: Option<JsonValue<'a>>,
}

impl<'a> SpanFailure<'a> {
    /// The error in the status of a span, if there is one; `thrown` is the message of an exception.
    pub(in crate::container) fn new(span: JsonValue<'a>, thrown: Option<JsonValue<'a>>) -> Option<Self> {
        let status = span.get("status").unwrap_or(span);
        let code = status.first_of(&["code", "status_code", "statusCode"])?.scalar_text()?;
        let is_error = matches!(&*code, "2" | "STATUS_CODE_ERROR" | "ERROR" | "Error");
        let said = status.first_filled(&["message", "description", "status_message", "statusMessage"]);
        is_error.then_some(Self { words: said.or(thrown) })
    }

    /// Reports that the request of the span failed.
    pub(in crate::container) fn write(&self, span: JsonValue<'_>, out: &mut TextWriter) {
        out.message(Message::default().with_label("error"));
        let words = self.words.and_then(JsonValue::scalar_text).unwrap_or_default();
        let colon = if words.is_empty() { "" } else { ": " };
        let message = format!("the span ended with an error{colon}{}", words.lines().next().unwrap_or_default());
        let place = self.words.or_else(|| span.get("status")).unwrap_or(span);
        out.problem(Code::AnswerStopped, place.source(), message);
        out.write_part(MessagePart::Envelope("error".into()), place);
    }
}
