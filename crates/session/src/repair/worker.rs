//! Searches for repairs on a separate thread, so that the screen stays responsive.

use std::rc::Rc;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use super::Budget;

/// Longest wait for an outcome, which delays the answer to a key by as much.
const PATIENCE: Duration = Duration::from_millis(5);

/// A running search, which is cancelled when this is dropped.
pub struct RepairWorker<T> {
    outcome: Receiver<T>,
    _guard: Arc<()>,
}

/// The state of a search.
pub enum RepairProgress<T> {
    /// The search continues.
    Pending,
    /// The search has finished with this outcome.
    Done(T),
    /// The search has panicked, or its outcome has been taken already.
    Lost,
}

impl<T: Send + 'static> RepairWorker<T> {
    /// Starts a search with the budget for a key press; `None` if no thread can be started.
    pub fn start(search: impl FnOnce(&Budget) -> T + Send + 'static) -> Option<Self> {
        let guard = Arc::new(());
        let wanted = Arc::downgrade(&guard);
        let (sender, outcome) = channel();
        let work = move || {
            let budget = Budget::for_key(Rc::new(move || wanted.strong_count() == 0));
            // If this fails, the outcome is no longer wanted.
            _ = sender.send(search(&budget));
        };
        thread::Builder::new().name("repairs".into()).spawn(work).ok().map(|_| Self { outcome, _guard: guard })
    }

    /// Waits briefly for the outcome.
    pub fn look(&self) -> RepairProgress<T> {
        match self.outcome.recv_timeout(PATIENCE) {
            Ok(outcome) => RepairProgress::Done(outcome),
            Err(RecvTimeoutError::Timeout) => RepairProgress::Pending,
            Err(RecvTimeoutError::Disconnected) => RepairProgress::Lost,
        }
    }
}
