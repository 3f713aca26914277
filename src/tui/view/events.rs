//! What happened to a source: truncated, replaced, gone and back, the end of a command, what it wrote to standard
//! error; each with its time and its place in the text.
//!
//! The list outlives the text: when a file begins anew, what stood in it before is told here. It is bounded.

use crate::tui::message::Place;
use std::cell::{Ref, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;

use jiff::tz::TimeZone;

use crate::system::clock;
use crate::text::sanitize::{visible, visible_str};

use crate::tui::style::Role;

/// Events that are kept; the oldest give way.
const KEPT: usize = 5000;

/// Bytes of a line of standard error that are shown.
const LONGEST: usize = 2000;

/// The events of a source, shared by all the texts that stood in it.
#[derive(Clone, Default)]
pub struct EventLog {
    log: Rc<RefCell<Log>>,
    clock: Clock,
}

/// Something that happened to the source of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoggedEvent {
    /// When, as people here write it.
    pub time: String,
    /// What happened, in words that are safe to show.
    pub text: String,
    /// The role of the words when they are shown.
    pub role: Role,
    /// Where in the text reading was.
    pub place: Place,
}

/// Says what time it is.
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
    /// Events that are no longer kept.
    left_out: usize,
    /// What came by standard error since the last line feed.
    line: Vec<u8>,
}

impl EventLog {
    /// No events, with the time that a clock says.
    pub fn with(clock: Clock) -> Self {
        Self { clock, ..Self::default() }
    }

    /// The time now, as the clock of the log says it.
    pub fn time(&self) -> String {
        (self.clock.0)()
    }

    /// Adds an event, with the time that it is now.
    pub fn add(&self, text: &str, role: Role, place: Place) {
        let text = visible_str(text).into_owned();
        self.log.borrow_mut().add(LoggedEvent { time: self.time(), text, role, place });
    }

    /// Adds what came by standard error, line by line; a line without its end is held back.
    pub fn add_aside(&self, bytes: &[u8], place: Place) {
        let mut log = self.log.borrow_mut();
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            let room = LONGEST.saturating_sub(log.line.len());
            log.line.extend_from_slice(&piece[..piece.len().min(room)]);
            if piece.ends_with(b"\n") {
                let line = std::mem::take(&mut log.line);
                // The bar tells it from what is said here.
                let text = format!("│ {}", visible(line.trim_ascii_end()));
                log.add(LoggedEvent { time: self.time(), text, role: Role::Text, place });
            }
        }
    }

    /// Nothing more comes by standard error: adds the line that was held back.
    pub fn end_aside(&self, place: Place) {
        if !self.log.borrow().line.is_empty() {
            self.add_aside(b"\n", place);
        }
    }

    /// How many there were, with those that are no longer kept.
    pub fn count(&self) -> usize {
        let log = self.log.borrow();
        log.left_out + log.events.len()
    }

    /// How many are no longer kept.
    pub fn left_out(&self) -> usize {
        self.log.borrow().left_out
    }

    /// An event by its number from the first one.
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
                events.add_aside(piece, Place::default());
            }
            assert_eq!(texts(&events), ["│ one", "│ ␛[31mtwo␛[0m", "│ "]);
            events.end_aside(Place::default());
            events.end_aside(Place::default());
            assert_eq!(texts(&events)[3..], ["│ three"]);
            assert_eq!(events.get(0).expect("there").time, "14:02:11");
        }
    }

    #[test]
    fn what_is_kept_is_bounded_and_what_is_left_out_is_counted() {
        let events = EventLog::default();
        for number in 0..KEPT + 10 {
            events.add(&number.to_string(), Role::Text, Place::default());
        }
        assert_eq!((events.count(), events.left_out()), (KEPT + 10, 10));
        assert!(events.get(9).is_none());
        assert_eq!(events.get(10).expect("kept").text, "10");
        events.add_aside(&vec![b'x'; 3 * LONGEST], Place::default());
        events.add_aside(b"\n", Place::default());
        assert_eq!(texts(&events).last().map(|line| line.matches('x').count()), Some(LONGEST));
    }
}
