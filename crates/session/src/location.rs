//! Locations in a transcript as users type them: `30:8`, `50%`, `+1024`, `turn 3`, `@5m`, `/pattern`, a call id, a
//! problem code.

use std::str::FromStr;

use crate::filter::SessionTime;
use crate::session::Session;
use crate::text::{Lines, Span, Text};

/// A location that a user has typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Location {
    /// A line and an optional column, both counted from 1; a column counts characters.
    Line(usize, Option<usize>),
    /// A byte offset in the file.
    Byte(usize),
    /// A percentage of the bytes.
    Percent(usize),
    /// The first match of a regular expression.
    Pattern(String),
    /// The match of a regular expression that begins at this byte offset of the file.
    Match(String, usize),
    /// The turn with this number.
    Turn(usize),
    /// The first item since a time of the session.
    Time(SessionTime),
    /// The call with this id, or the first problem with this code.
    Name(String),
}

impl FromStr for Location {
    type Err = String;

    fn from_str(words: &str) -> Result<Self, String> {
        let number = |digits: &str| digits.parse::<usize>().ok();
        let counted = |digits: &str| {
            number(digits)
                .filter(|number| *number > 0)
                .ok_or_else(|| format!("{words:?}: lines and columns begin at 1"))
        };
        let (line, column) = words.split_once(':').map_or((words, None), |(line, column)| (line, Some(column)));
        let are_digits = |words: &str| !words.is_empty() && words.bytes().all(|byte| byte.is_ascii_digit());
        if words.is_empty() {
            return Err("give LINE[:COLUMN], +BYTE, turn N, @TIME, the id of a call, or the code of a problem".into());
        }
        if let Some(time) = words.strip_prefix('@') {
            return time.trim_start().parse().map(Self::Time);
        }
        if let Some(pattern) = words.strip_prefix('/').filter(|pattern| !pattern.is_empty()) {
            return Ok(Self::Pattern(pattern.to_owned()));
        }
        if let Some(byte) = words.strip_prefix('+').filter(|byte| are_digits(byte)) {
            return number(byte).map(Self::Byte).ok_or_else(|| format!("{words:?}: files cannot have that many bytes"));
        }
        if let Some(percent) = words.strip_suffix('%').map(str::trim_end).filter(|percent| are_digits(percent)) {
            let percent = number(percent).filter(|percent| *percent <= 100);
            return percent.map(Self::Percent).ok_or_else(|| format!("{words:?} is more than 100%"));
        }
        if let Some(turn) = words.strip_prefix("turn ").map(str::trim_start).filter(|turn| are_digits(turn)) {
            return Ok(Self::Turn(number(turn).unwrap_or(usize::MAX)));
        }
        if are_digits(line) && column.is_none_or(are_digits) {
            return Ok(Self::Line(counted(line)?, column.map(counted).transpose()?));
        }
        Ok(Self::Name(words.to_owned()))
    }
}

impl Location {
    /// The offset in the text of a line or byte of the file, of a percentage or of a time; `None` if it has not arrived or
    /// the session has no such time, or for a pattern or name. An offset beyond the end of a complete text is its end.
    pub fn offset(&self, session: &Session, is_whole: bool) -> Option<usize> {
        match *self {
            Self::Line(line, column) => {
                let (lines, file) = (session.file_lines(), session.file());
                let is_there = is_whole || lines.count() > line;
                let at = || {
                    let line = line.min(lines.count().max(1)) - 1;
                    let (at, span) = (offset_in_line(lines, file, line, column), lines.span_of(file, line));
                    // The end of a record is the beginning of the next one in the decoded text.
                    if session.is_decoded() && at == span.end { at.saturating_sub(1).max(span.start) } else { at }
                };
                is_there.then(|| session.text_offset_of(at()))
            }
            Self::Byte(byte) | Self::Match(_, byte) => {
                // A record is decoded once it has arrived completely.
                let end = session.incomplete_record().start;
                (is_whole || end > byte).then(|| session.text_offset_of(byte.min(end)))
            }
            Self::Percent(percent) => {
                let length = session.text().len();
                is_whole.then(|| (length * percent / 100).min(length.saturating_sub(1)))
            }
            Self::Time(time) => is_whole.then(|| time.place(session).ok())?,
            Self::Pattern(_) | Self::Turn(_) | Self::Name(_) => None,
        }
    }

    /// The offset of a location in a session that is complete: as [`Self::offset`], and the beginning of a turn or of the call
    /// with an id.
    #[must_use]
    pub fn place(&self, session: &Session) -> Option<usize> {
        let document = session.document();
        match self {
            Self::Turn(number) => {
                let turn = document.turns().find(|turn| document.turn_number(*turn) == Some(*number))?;
                document.messages().start(turn.first)
            }
            Self::Name(id) => {
                let mut calls = document.calls().filter_map(|item| document.call(item));
                calls.find(|call| call.id(session.text()) == *id).map(|call| call.span.start)
            }
            _ => self.offset(session, true),
        }
    }
}

/// The number of columns of a line, counted from 0, if it has fewer than `column`.
pub fn columns_short_of(session: &Session, line: usize, column: usize) -> Option<usize> {
    let span = session.file_lines().span_of(session.file(), line);
    let text = session.file().read_str(span);
    let columns = text.trim_end_matches(['\r', '\n']).chars().take(column).count();
    (columns + 1 < column).then_some(columns)
}

/// The offset of a column, counted from 1, in a line, counted from 0; the end of the line if it is shorter.
fn offset_in_line(lines: &Lines, text: &Text, line: usize, column: Option<usize>) -> usize {
    /// Number of bytes of a line that are examined together.
    const PIECE: usize = 64 * 1024;
    let span = lines.span_of(text, line);
    let mut left = column.unwrap_or(1) - 1;
    let mut start = span.start;
    while left > 0 && start < span.end {
        let bytes = text.read(Span::new(start, span.end.min(start + PIECE)));
        // A split character begins the next piece.
        let whole = if start + bytes.len() < span.end { bytes.len() - cut_off(&bytes) } else { bytes.len() };
        for chunk in bytes[..whole].utf8_chunks() {
            let invalid = (!chunk.invalid().is_empty()).then_some(chunk.invalid().len());
            for length in chunk.valid().chars().map(char::len_utf8).chain(invalid) {
                if left == 0 {
                    return start;
                }
                left -= 1;
                start += length;
            }
        }
        if whole == 0 {
            break;
        }
    }
    start
}

/// Number of bytes of an incomplete character at the end.
fn cut_off(bytes: &[u8]) -> usize {
    match std::str::from_utf8(bytes) {
        Err(error) if error.error_len().is_none() => bytes.len() - error.valid_up_to(),
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_typed_is_read_as_the_place_that_it_names() {
        for (words, expected) in [
            ("30", Ok(Location::Line(30, None))),
            ("30:8", Ok(Location::Line(30, Some(8)))),
            ("+0", Ok(Location::Byte(0))),
            ("50%", Ok(Location::Percent(50))),
            ("/pool|lamp", Ok(Location::Pattern("pool|lamp".into()))),
            ("toolu_01", Ok(Location::Name("toolu_01".into()))),
            ("30:x", Ok(Location::Name("30:x".into()))),
            ("/", Ok(Location::Name("/".into()))),
            ("0", Err("\"0\": lines and columns begin at 1")),
            ("3:0", Err("\"3:0\": lines and columns begin at 1")),
            ("101%", Err("\"101%\" is more than 100%")),
            ("turn 48", Ok(Location::Turn(48))),
            ("@1h05m", Ok(Location::Time(SessionTime::FromStart(std::time::Duration::from_mins(65))))),
            (
                "@soon",
                Err(
                    "not a time: \"soon\"; write how long after the beginning (5m, 1h05m), a time of day (14:02), or a \
                     date with a time (2026-01-31T10:00)",
                ),
            ),
            ("", Err("give LINE[:COLUMN], +BYTE, turn N, @TIME, the id of a call, or the code of a problem")),
            ("99999999999999999999999", Err("\"99999999999999999999999\": lines and columns begin at 1")),
        ] {
            assert_eq!(words.parse::<Location>(), expected.map_err(str::to_owned), "{words}");
        }
    }

    #[test]
    fn every_place_that_is_given_leads_back_to_its_byte() {
        let long = format!("{}x", "é€".repeat(40_000));
        let record = r#"{"role":"user","content":"zwölf €x\nand one more"}"#;
        let recorded = format!("{record}\n{record}\n");
        for input in [long.as_bytes(), b"one\nzw\xc3\xb6lf \xff\xe2\x82x\nend", b"", b"\n\n", recorded.as_bytes()] {
            let session = Session::from_bytes(input);
            let step = session.text().len() / 100 + 1;
            let is_in_file = |offset: &usize| !session.source_of(Span::new(*offset, offset + 1)).is_empty();
            for offset in (0..session.text().len()).step_by(step).filter(is_in_file) {
                let position = session.position(offset);
                let location = Location::Line(position.line, Some(position.column));
                let found = location.offset(&session, true).expect("all of it is there");
                let again = session.position(found);
                assert_eq!(again, position, "offset {offset} is found at {found}");
            }
        }
    }
}
