//! Marks: private-use characters around the strings of a conversation, which say where the bytes of a rendered prompt are from.
//!
//! Each marked string has a number. `U+100000 + number` precedes it and `U+F0000 + number` follows it, inside of whitespace at
//! its ends, since most templates trim. A number that nothing has is the clock's.

use minijinja::State;
use minijinja::value::Value;

/// First mark of the beginnings.
const BEGIN: u32 = 0x10_0000;

/// First mark of the ends.
const END: u32 = 0xF_0000;

/// Numbers of marks, without the clock's.
pub const MAX_MARKS: usize = 0xFFF0;

/// The number of the text that `strftime_now` returns.
pub const CLOCK: usize = MAX_MARKS;

/// Name of the variable that is true while a conversation is marked. A template cannot reach it by chance.
pub const VARIABLE: &str = "\u{100000}";

/// A mark in a rendered text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MarkCharacter {
    /// The string of this number begins.
    Begin(usize),
    /// The string of this number ends.
    End(usize),
}

/// The mark that a character is.
#[must_use]
pub fn mark(character: char) -> Option<MarkCharacter> {
    let code = u32::from(character);
    let number = |first: u32| code.checked_sub(first).map(|number| number as usize).filter(|&number| number <= CLOCK);
    number(BEGIN).map(MarkCharacter::Begin).or_else(|| number(END).map(MarkCharacter::End))
}

/// True if a text could be confused with a marked one.
#[must_use]
pub fn contains_marks(text: &str) -> bool {
    text.chars().any(|character| mark(character).is_some())
}

/// A string with its marks; one without anything but whitespace is not marked.
#[must_use]
pub fn surround(text: &str, number: usize) -> String {
    let inner = text.trim();
    let character = |first: u32| u32::try_from(number).ok().and_then(|number| char::from_u32(first + number));
    let (Some(begin), Some(end), false) = (character(BEGIN), character(END), inner.is_empty()) else {
        return text.to_owned();
    };
    let start = text.len() - text.trim_start().len();
    format!("{}{begin}{inner}{end}{}", &text[..start], &text[start + inner.len()..])
}

/// A string without the marks in it.
#[must_use]
pub fn strip(text: &str) -> String {
    text.chars().filter(|&character| mark(character).is_none()).collect()
}

/// The text of the clock with its marks.
#[must_use]
pub fn clock(text: &str) -> String {
    surround(text, CLOCK)
}

/// True while a marked conversation is rendered.
pub(super) fn are_set(state: &State<'_, '_>) -> bool {
    state.lookup(VARIABLE).is_some_and(|value| value.is_true())
}

/// The order of two keys without the marks in them.
pub(super) fn sort_key(value: &Value) -> Value {
    match value.as_str() {
        Some(text) if contains_marks(text) => Value::from(strip(text)),
        _ => value.clone(),
    }
}
