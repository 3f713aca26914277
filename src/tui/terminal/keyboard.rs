//! The thread that reads keys and the mouse, and pauses while another program has the terminal.
//!
//! Waiting for a key can only be interrupted by an event. A resize of the window is one, and a process can signal it to
//! itself; so the thread need not poll whether to pause.

use std::io;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use crossterm::event::{self, Event};
use rustix::process::{Signal, getpid, kill_process};

/// Time for the thread to pause. Only inside an escape sequence it continues reading.
const PATIENCE: Duration = Duration::from_secs(1);

/// Reads the keyboard of the terminal on a thread.
pub struct Keyboard(Arc<SharedState>);

struct SharedState {
    stand: Mutex<ReaderState>,
    changed: Condvar,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ReaderState {
    Reads,
    /// It must stop reading.
    Stopping,
    LetGo,
}

impl Default for Keyboard {
    /// A keyboard without a thread that reads it.
    fn default() -> Self {
        Self(Arc::new(SharedState { stand: Mutex::new(ReaderState::Reads), changed: Condvar::new() }))
    }
}

impl Keyboard {
    /// Starts reading events, until `tell` returns false or reading fails.
    ///
    /// # Errors
    /// The thread cannot be started.
    pub fn listen(&self, mut tell: impl FnMut(io::Result<Event>) -> bool + Send + 'static) -> io::Result<()> {
        let here = Arc::clone(&self.0);
        thread::Builder::new().name("keyboard".to_owned()).spawn(move || {
            loop {
                here.wait_while_lent();
                let event = event::read();
                let is_last = event.is_err();
                if !tell(event) || is_last {
                    return;
                }
            }
        })?;
        Ok(())
    }

    /// Pauses reading. Returns false, and continues reading, if that was not possible in time.
    pub fn pause(&self) -> bool {
        *self.0.stand() = ReaderState::Stopping;
        // A process may always signal itself.
        let _ = kill_process(getpid(), Signal::WINCH);
        let waited =
            self.0.changed.wait_timeout_while(self.0.stand(), PATIENCE, |stand| *stand == ReaderState::Stopping);
        let (mut stand, _) = waited.unwrap_or_else(PoisonError::into_inner);
        if *stand == ReaderState::Stopping {
            *stand = ReaderState::Reads;
        }
        *stand == ReaderState::LetGo
    }

    /// Resumes reading after another program has had the terminal.
    pub fn take_back(&self) {
        *self.0.stand() = ReaderState::Reads;
        self.0.changed.notify_all();
    }
}

impl SharedState {
    fn stand(&self) -> MutexGuard<'_, ReaderState> {
        // It is a single value, so a thread that panicked while holding the mutex has left it consistent.
        self.stand.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait_while_lent(&self) {
        let mut stand = self.stand();
        while *stand != ReaderState::Reads {
            *stand = ReaderState::LetGo;
            self.changed.notify_all();
            stand = self.changed.wait(stand).unwrap_or_else(PoisonError::into_inner);
        }
    }
}
