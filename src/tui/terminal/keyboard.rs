//! The thread that reads keys and the mouse, and how it lets go of the terminal while another program has it.
//!
//! Waiting for a key cannot be broken off but by an event. A change of the window's size is one, and a process can tell
//! itself of it; so nobody has to look again and again whether the terminal is to be let go of. This file does not
//! know what a key means.

use std::io;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use crossterm::event::{self, Event};
use rustix::process::{Signal, getpid, kill_process};

/// How long the thread may take to let go. It reads on only in the midst of what a terminal sends in one piece.
const PATIENCE: Duration = Duration::from_secs(1);

/// The keyboard of the terminal.
pub struct Keyboard(Arc<Hold>);

struct Hold {
    stand: Mutex<Stand>,
    changed: Condvar,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stand {
    Reads,
    /// They are not to be read any more.
    Stopping,
    LetGo,
}

impl Default for Keyboard {
    /// One that nobody listens to.
    fn default() -> Self {
        Self(Arc::new(Hold { stand: Mutex::new(Stand::Reads), changed: Condvar::new() }))
    }
}

impl Keyboard {
    /// Reads events until `tell` says that nobody wants them any more, or they cannot be read.
    ///
    /// # Errors
    /// No thread can be started.
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

    /// Reads no key any more; false if that could not be reached, and keys are read as before.
    pub fn let_go(&self) -> bool {
        *self.0.stand() = Stand::Stopping;
        // A process may always send itself a signal.
        let _ = kill_process(getpid(), Signal::WINCH);
        let waited = self.0.changed.wait_timeout_while(self.0.stand(), PATIENCE, |stand| *stand == Stand::Stopping);
        let (mut stand, _) = waited.unwrap_or_else(PoisonError::into_inner);
        if *stand == Stand::Stopping {
            *stand = Stand::Reads;
        }
        *stand == Stand::LetGo
    }

    /// Reads keys again, after another program has.
    pub fn take_back(&self) {
        *self.0.stand() = Stand::Reads;
        self.0.changed.notify_all();
    }
}

impl Hold {
    fn stand(&self) -> MutexGuard<'_, Stand> {
        // It is one value, so a thread that panicked with the mutex has left nothing half done.
        self.stand.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait_while_lent(&self) {
        let mut stand = self.stand();
        while *stand != Stand::Reads {
            *stand = Stand::LetGo;
            self.changed.notify_all();
            stand = self.changed.wait(stand).unwrap_or_else(PoisonError::into_inner);
        }
    }
}
