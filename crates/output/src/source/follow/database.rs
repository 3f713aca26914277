//! Follows a session in a database: reads it again when the database or its log changes, and sends the messages that are
//! new.
//!
//! opencode rewrites the record of an answer, and its parts, until the answer is complete. So an answer is sent when it
//! is complete, or when nothing has changed for [`QUIET`]. A message that changes later means a restart.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use super::super::database::{self, DatabaseSession, FileState, Freshness, Sessions};
use super::super::intake::Intake;
use super::super::{ReadStop, Sink, SourceEvent};
use super::hints::Hints;
use super::send_notice;
use crate::text::sanitize::io_error_text;

/// Time without a change after which an incomplete answer is sent: its agent may have ended.
const QUIET: Duration = Duration::from_secs(3);

/// Number of times that the duration of reading passes before a database is read again.
const PATIENCE: u32 = 4;

pub(in crate::source) struct DatabaseFollower {
    session: DatabaseSession,
    /// The path of the session as text that is safe to show.
    name: String,
    /// The path of the database without links.
    database: PathBuf,
    hints: Hints,
    intake: Intake,
    /// The state that was read last, and the time when it was found.
    state: Option<(FileState, Instant)>,
    /// True if an answer is incomplete and was not sent.
    is_held: bool,
    /// The time of the next read.
    due: Instant,
    /// The record of the session that was sent last.
    record: Vec<u8>,
    /// Hashes of the messages that were sent.
    sent: Vec<u64>,
    /// The last notice about a failed read, until one succeeds.
    trouble: Option<String>,
    /// The last notice about a row that cannot be read.
    unread: Option<String>,
}

impl DatabaseFollower {
    pub(in crate::source) fn new(session: DatabaseSession, name: String) -> Self {
        Self {
            database: database::resolve(&session.database),
            session,
            name,
            hints: Hints::default(),
            intake: Intake::stream(None),
            state: None,
            is_held: false,
            due: Instant::now(),
            record: Vec::new(),
            sent: Vec::new(),
            trouble: None,
            unread: None,
        }
    }

    /// Follows until the sink wants no more events.
    pub(in crate::source) fn run(mut self, sink: &mut Sink<'_>) -> Result<(), ReadStop> {
        // Changes are written to the log; a check of both files finds all others.
        if let Some(reason) = self.hints.watch(&database::log_of(&self.database)) {
            sink.send(SourceEvent::Notice(format!("{} is polled every 250 ms: {reason}", self.name)))?;
        }
        loop {
            if Instant::now() >= self.due {
                self.round(sink)?;
            }
            self.hints.wait();
        }
    }

    fn round(&mut self, sink: &mut Sink<'_>) -> Result<(), ReadStop> {
        let began = Instant::now();
        let state = match FileState::of(&self.database) {
            Ok(state) => state,
            Err(error) => return self.fail(&io_error_text(&error), sink),
        };
        let is_quiet = match self.state {
            Some((known, since)) if known == state => {
                if !self.is_held || since.elapsed() < QUIET {
                    return Ok(());
                }
                true
            }
            _ => false,
        };
        // Compared with the state before the copy is made, so that a change in between is read in the next round.
        let opened = Sessions::open(&self.session.database, Freshness::Current);
        match opened.and_then(|sessions| Ok((self.session.rows(&sessions)?, sessions))) {
            Ok(((record, rows), sessions)) => {
                self.trouble = None;
                self.state = Some((state, began));
                self.is_held = false;
                self.send(&sessions, &record, &rows, is_quiet, sink)?;
            }
            Err(words) => self.fail(&words, sink)?,
        }
        self.due = Instant::now() + began.elapsed() * PATIENCE;
        Ok(())
    }

    /// Sends the messages that are new.
    fn send(
        &mut self,
        sessions: &Sessions,
        record: &[u8],
        rows: &[database::MessageRows],
        is_quiet: bool,
        sink: &mut Sink<'_>,
    ) -> Result<(), ReadStop> {
        let id = self.session.id.clone();
        let is_changed = |(row, hash): (&database::MessageRows, &u64)| sessions.message(&id, row).hash != *hash;
        let is_undone = revert(record) != revert(&self.record) && !self.record.is_empty();
        if is_undone || rows.len() < self.sent.len() || rows.iter().zip(&self.sent).any(is_changed) {
            let words = format!("a message in {} was changed; reading it from the start", self.name);
            sink.send(SourceEvent::Restarted(words))?;
            self.intake = Intake::stream(None);
            self.sent.clear();
            self.record.clear();
        }
        let is_first = self.record.is_empty();
        let mut is_sent = is_first;
        if is_first {
            self.push_session(record, sink)?;
        }
        for row in &rows[self.sent.len()..] {
            let records = sessions.message(&id, row);
            if !records.is_complete && !is_quiet {
                self.is_held = true;
                break;
            }
            // Its title and costs may be new.
            if record != self.record {
                self.push_session(record, sink)?;
            }
            for words in records.failures {
                send_notice(&mut self.unread, words, sink)?;
            }
            self.intake.push(&records.bytes, sink)?;
            self.sent.push(records.hash);
            is_sent = true;
        }
        if is_sent { sink.send(SourceEvent::CaughtUp) } else { Ok(()) }
    }

    fn push_session(&mut self, record: &[u8], sink: &mut Sink<'_>) -> Result<(), ReadStop> {
        record.clone_into(&mut self.record);
        self.intake.push(record, sink)
    }

    fn fail(&mut self, words: &str, sink: &mut Sink<'_>) -> Result<(), ReadStop> {
        let failed = format!("could not read {}: {words}; retrying", self.name);
        send_notice(&mut self.trouble, failed, sink)
    }
}

/// The first message that was undone, according to the record of a session.
fn revert(record: &[u8]) -> Option<serde_json::Value> {
    serde_json::from_slice::<serde_json::Value>(record).ok()?.get_mut("revert").map(serde_json::Value::take)
}
