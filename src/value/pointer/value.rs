//! What a value becomes, and what is odd about it whatever its pointer is.
//!
//! Most values are judged by their first and last bytes, so that no length of a value matters.

use memchr::memchr;

use super::{is_index, text};
use crate::diagnostic::{BoundedProblems, Code, Diagnostic};
use crate::text::window::Window;
use crate::text::{Span, Text, trim_end};
use crate::value::Argument;
use crate::value::coerce::{Scalar, coerce, number_text};

/// Bytes at either end of a value that mostly decide what to report about it.
const EDGE: usize = 256;

/// Bytes of the longest boolean, `false`.
const LONGEST_BOOLEAN: usize = 5;

/// Most digits that every 64-bit floating point number keeps.
const SURE_DIGITS: usize = 15;

/// Judges the values of one call.
pub(super) struct ValueJudge<'a> {
    text: &'a Text,
    /// Whether it has been said that a value ends in a carriage return.
    ends_in_return: bool,
}

impl<'a> ValueJudge<'a> {
    pub(super) fn new(text: &'a Text) -> Self {
        Self { text, ends_in_return: false }
    }

    /// What a value becomes, and what is odd about it by itself.
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
                // What is left of a character at the beginning says nothing.
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

    /// What a text that is followed by another argument, and ends with `tail`, keeps at its end. Whether a report says what
    /// that is.
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

/// A number or a boolean that stays text because there is a line feed at its end.
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

/// Whether a value that begins so is text, whatever follows: it begins with more than a number or a boolean, or holds
/// more than one word.
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

/// A number's text, at most 40 characters of it.
fn shorten(bytes: &[u8]) -> String {
    let text = text(bytes);
    if text.chars().count() <= 40 { text.into_owned() } else { text.chars().take(37).collect::<String>() + "…" }
}
