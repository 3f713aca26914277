//! A search for repairs on a thread of its own, so that a screen answers keys meanwhile.

use std::rc::Rc;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use super::Budget;

/// How long a look at the outcome waits for it: a key waits no longer.
const PATIENCE: Duration = Duration::from_millis(5);

/// A search that is under way, which is given up when this is dropped.
pub struct RepairWorker<T> {
    outcome: Receiver<T>,
    _guard: Arc<()>,
}

/// How far a search is.
pub enum RepairProgress<T> {
    /// The search continues.
    Pending,
    /// This is its outcome.
    Done(T),
    /// It has failed, or was begun too late.
    Lost,
}

impl<T: Send + 'static> RepairWorker<T> {
    /// Starts a search with the budget of a key; none where no thread can be started.
    pub fn start(search: impl FnOnce(&Budget) -> T + Send + 'static) -> Option<Self> {
        let guard = Arc::new(());
        let wanted = Arc::downgrade(&guard);
        let (sender, outcome) = channel();
        let work = move || {
            let budget = Budget::for_key(Rc::new(move || wanted.strong_count() == 0));
            // No one waits for it any more where this fails.
            _ = sender.send(search(&budget));
        };
        thread::Builder::new().name("repairs".into()).spawn(work).ok().map(|_| Self { outcome, _guard: guard })
    }

    /// Waits a moment for the outcome.
    pub fn look(&self) -> RepairProgress<T> {
        match self.outcome.recv_timeout(PATIENCE) {
            Ok(outcome) => RepairProgress::Done(outcome),
            Err(RecvTimeoutError::Timeout) => RepairProgress::Pending,
            Err(RecvTimeoutError::Disconnected) => RepairProgress::Lost,
        }
    }
}
