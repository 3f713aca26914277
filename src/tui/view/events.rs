//! Events of a source, each with its time and its place in the text: truncated, replaced, gone, back, a command's exit,
//! lines on standard error.
//!
//! The list outlives the text: when a file starts over, it still reports events of the previous contents. It is
//! bounded.

use crate::tui::message::ContentPosition;
use std::cell::{Ref, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;

use jiff::tz::TimeZone;

use crate::system::clock;
use crate::text::sanitize::{visible, visible_str};

use crate::tui::style::Role;

/// Maximum number of events; the oldest are dropped.
const KEPT: usize = 5000;

/// Maximum length in bytes of a line of standard error; the rest is cut.
const LONGEST: usize = 2000;

/// The events of a source, shared by all its successive texts.
#[derive(Clone, Default)]
pub struct EventLog {
    log: Rc<RefCell<Log>>,
    clock: Clock,
}

/// Something that happened to the source of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoggedEvent {
    /// Local time as `HH:MM:SS`.
    pub time: String,
    /// Description, sanitised for display.
    pub text: String,
    /// The style role of the description.
    pub role: Role,
    /// Position of the reader in the text at that time.
    pub place: ContentPosition,
}

/// Source of the current time as text; tests replace it.
#[derive(Clone, Copy)]
pub struct Clock(pub fn() -> String);

impl Default for Clock {
    fn default() -> Self {
        Self(|| clock::now().to_zoned(TimeZone::system()).strftime("%H:%M:%S").to_string())
    }
}

#[derive(Default)]
struct Log {
    events: VecDeque<LoggedEvent>,
    /// Number of dropped events.
    left_out: usize,
    /// Standard error since the last line feed.
    line: Vec<u8>,
}

impl EventLog {
    /// An empty log with a clock.
    pub fn with(clock: Clock) -> Self {
        Self { clock, ..Self::default() }
    }

    /// The current time according to the log's clock.
    pub fn time(&self) -> String {
        (self.clock.0)()
    }

    /// Adds an event with the current time.
    pub fn add(&self, text: &str, role: Role, place: ContentPosition) {
        let text = visible_str(text).into_owned();
        self.log.borrow_mut().add(LoggedEvent { time: self.time(), text, role, place });
    }

    /// Adds output on standard error, line by line; an incomplete line is held back.
    pub fn add_aside(&self, bytes: &[u8], place: ContentPosition) {
        let mut log = self.log.borrow_mut();
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            let room = LONGEST.saturating_sub(log.line.len());
            log.line.extend_from_slice(&piece[..piece.len().min(room)]);
            if piece.ends_with(b"\n") {
                let line = std::mem::take(&mut log.line);
                // The bar marks it as output of the command instead of an event.
                let text = format!("│ {}", visible(line.trim_ascii_end()));
                log.add(LoggedEvent { time: self.time(), text, role: Role::Text, place });
            }
        }
    }

    /// Ends standard error: adds the line that was held back.
    pub fn end_aside(&self, place: ContentPosition) {
        if !self.log.borrow().line.is_empty() {
            self.add_aside(b"\n", place);
        }
    }

    /// Number of all events, including dropped ones.
    pub fn count(&self) -> usize {
        let log = self.log.borrow();
        log.left_out + log.events.len()
    }

    /// Number of dropped events.
    pub fn left_out(&self) -> usize {
        self.log.borrow().left_out
    }

    /// An event by its number, counted from the first one ever added; `None` if it was dropped.
    pub fn get(&self, number: usize) -> Option<Ref<'_, LoggedEvent>> {
        let log = self.log.borrow();
        let index = number.checked_sub(log.left_out)?;
        Ref::filter_map(log, |log| log.events.get(index)).ok()
    }
}

impl Log {
    fn add(&mut self, event: LoggedEvent) {
        self.events.push_back(event);
        if self.events.len() > KEPT {
            self.events.pop_front();
            self.left_out += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(events: &EventLog) -> Vec<String> {
        (events.left_out()..events.count()).filter_map(|number| events.get(number).map(|e| e.text.clone())).collect()
    }

    #[test]
    fn lines_of_standard_error_are_events_however_they_are_cut() {
        let bytes = b"one\r\n\x1b[31mtwo\x1b[0m\n\nthree";
        for length in 1..=bytes.len() {
            let events = EventLog::with(Clock(|| "14:02:11".into()));
            for piece in bytes.chunks(length) {
                events.add_aside(piece, ContentPosition::default());
            }
            assert_eq!(texts(&events), ["│ one", "│ ␛[31mtwo␛[0m", "│ "]);
            events.end_aside(ContentPosition::default());
            events.end_aside(ContentPosition::default());
            assert_eq!(texts(&events)[3..], ["│ three"]);
            assert_eq!(events.get(0).expect("there").time, "14:02:11");
        }
    }

    #[test]
    fn what_is_kept_is_bounded_and_what_is_left_out_is_counted() {
        let events = EventLog::default();
        for number in 0..KEPT + 10 {
            events.add(&number.to_string(), Role::Text, ContentPosition::default());
        }
        assert_eq!((events.count(), events.left_out()), (KEPT + 10, 10));
        assert!(events.get(9).is_none());
        assert_eq!(events.get(10).expect("kept").text, "10");
        events.add_aside(&vec![b'x'; 3 * LONGEST], ContentPosition::default());
        events.add_aside(b"\n", ContentPosition::default());
        assert_eq!(texts(&events).last().map(|line| line.matches('x').count()), Some(LONGEST));
    }
}
