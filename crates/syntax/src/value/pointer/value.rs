//! Converts values, and reports what is questionable about them regardless of their pointers.
//!
//! Most values are judged by their first and last bytes, so that the length of a value does not matter.

use memchr::memchr;

use super::{is_index, text};
use crate::diagnostic::{BoundedProblems, Code, Diagnostic};
use crate::text::window::Window;
use crate::text::{Span, Text, trim_end};
use crate::value::Argument;
use crate::value::coerce::{Scalar, coerce, number_text};

/// Number of bytes at either end of a value that usually decide what to report about it.
const EDGE: usize = 256;

/// Length of the longest boolean, `false`.
const LONGEST_BOOLEAN: usize = 5;

/// Most digits that every 64-bit floating-point number preserves.
const SURE_DIGITS: usize = 15;

/// Judges the values of one call.
pub(super) struct ValueJudge<'a> {
    text: &'a Text,
    /// True after the report that a value ends in a carriage return.
    ends_in_return: bool,
}

impl<'a> ValueJudge<'a> {
    pub(super) fn new(text: &'a Text) -> Self {
        Self { text, ends_in_return: false }
    }

    /// The converted value; reports what is questionable about it.
    pub(super) fn judge(
        &mut self,
        argument: &Argument,
        last: bool,
        window: &mut Window<'_>,
        problems: &mut BoundedProblems,
    ) -> Scalar {
        let span = argument.value;
        let head = window.read(Span::new(span.start, span.end.min(span.start + EDGE)));
        if is_surely_text(head) {
            if !last {
                let tail = window.read(Span::new(span.start.max(span.end.saturating_sub(EDGE)), span.end));
                // An incomplete character at the beginning says nothing.
                if tail.len() < span.len() && trim_end(tail) < 3 {
                    self.judge_end(argument, &self.text.read(span), problems);
                } else {
                    self.judge_end(argument, tail, problems);
                }
            }
            return Scalar::String;
        }
        let whole;
        let value = if head.len() == span.len() {
            head
        } else {
            whole = self.text.read(span);
            &*whole
        };
        let scalar = coerce(value);
        match scalar {
            Scalar::Number(number) => {
                let trimmed = value.trim_ascii();
                if is_index(trimmed) && trimmed.len() <= SURE_DIGITS {
                    return scalar;
                }
                let becomes = number_text(number);
                if trimmed != becomes.as_bytes() {
                    let message = format!("{} becomes {becomes}", shorten(trimmed));
                    let problem = Diagnostic::new(Code::LossyNumber, span, message);
                    problems.push(problem.contrast(shorten(trimmed), becomes));
                }
            }
            Scalar::String if !last && !self.judge_end(argument, value, problems) => {
                problems.extend(not_coerced(span, value));
            }
            Scalar::String | Scalar::Boolean(_) | Scalar::Null => {}
        }
        scalar
    }

    /// Reports whitespace at the end of a value that another argument follows and that ends with `tail`. Returns true
    /// if a report was made.
    fn judge_end(&mut self, argument: &Argument, tail: &[u8], problems: &mut BoundedProblems) -> bool {
        let end = argument.value.end;
        match tail.last() {
            Some(b'\r') => {}
            Some(b' ' | b'\t') => {
                let blank = &tail[trim_end(tail)..];
                let indent = blank.iter().rev().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
                if !blank.contains(&b'\n') {
                    return false;
                }
                let message = "the white space before the next marker belongs to the value";
                let problem = Diagnostic::new(Code::IndentationKept, Span::new(end - indent, end), message);
                problems.push(problem);
                return true;
            }
            _ => return false,
        }
        if !std::mem::replace(&mut self.ends_in_return, true) {
            let message = "the value ends in a carriage return";
            problems.push(Diagnostic::new(Code::CarriageReturnKept, Span::new(end - 1, end), message));
        }
        true
    }
}

/// Reports a number or a boolean that stays text because of a line feed at its end.
fn not_coerced(span: Span, value: &[u8]) -> Option<Diagnostic> {
    memchr(b'\n', value)?;
    let coerced = coerce(value.trim_ascii());
    if matches!(coerced, Scalar::String) {
        return None;
    }
    let shown = text(value.trim_ascii());
    let message = format!("{shown} stays text, because a blank line belongs to the value");
    let problem = Diagnostic::new(Code::NotCoerced, span, message);
    Some(problem.contrast(format!("{} {shown}", coerced.type_name()), "text of two lines"))
}

/// True if a value that begins like this is text in any case: its beginning is more than a number or a boolean, or it
/// has more than one word.
fn is_surely_text(head: &[u8]) -> bool {
    let is_numeric = |byte: &u8| matches!(byte, b'0'..=b'9' | b'.' | b'-');
    let start = head.iter().position(u8::is_ascii_graphic).unwrap_or(head.len());
    let word = &head[start..];
    if let Some(first) = word.first_chunk::<{ LONGEST_BOOLEAN + 1 }>()
        && first.iter().all(u8::is_ascii_graphic)
        && !first.iter().all(is_numeric)
    {
        return true;
    }
    let length = word.iter().position(|byte| !byte.is_ascii_graphic()).unwrap_or(word.len());
    word[length..].iter().any(u8::is_ascii_graphic)
}

/// The text of a number, shortened to 40 characters.
fn shorten(bytes: &[u8]) -> String {
    let text = text(bytes);
    if text.chars().count() <= 40 { text.into_owned() } else { text.chars().take(37).collect::<String>() + "…" }
}
