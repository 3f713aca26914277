//! Points between the steps of taking over and restoring the terminal. Tests send a signal at each of them.
//!
//! Outside of tests a point does nothing.

/// A point of the drawing thread, while it holds no lock.
#[inline]
pub(super) fn point() {
    #[cfg(test)]
    at_points::reach(at_points::Lock::Free);
}

/// A point of any thread, while the terminal is locked.
#[inline]
pub(super) fn locked_point() {
    #[cfg(test)]
    at_points::reach(at_points::Lock::Held);
}

/// The point of the thread for signals between restoring the terminal and ending the process.
#[inline]
pub(super) fn end_point() {
    #[cfg(test)]
    at_points::reach_end();
}

#[cfg(test)]
pub(super) mod at_points {
    use std::cell::Cell;
    use std::sync::{Condvar, Mutex, PoisonError};

    use rustix::process::{Signal, getpid, kill_process};

    #[derive(Clone, Copy, PartialEq, Eq)]
    pub(super) enum Lock {
        Free,
        Held,
    }

    /// Progress of the drawing thread and the thread for signals, which wait for each other.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
    enum Stage {
        #[default]
        Running,
        /// The thread for signals has restored the terminal.
        Restored,
        /// The drawing thread has reached its last step before the end.
        Done,
    }

    static STAGE: (Mutex<Stage>, Condvar) = (Mutex::new(Stage::Running), Condvar::new());

    thread_local! {
        /// Number of points until the signal is sent, and the signal; of the drawing thread.
        static PLAN: Cell<Option<(usize, Signal)>> = const { Cell::new(None) };
        static IS_SENT: Cell<bool> = const { Cell::new(false) };
        /// Number of points without a lock that this thread still passes between restoring and the end of the process.
        static LATER: Cell<usize> = const { Cell::new(0) };
    }

    /// Sends a signal at a point of this thread, counted from 0, and has the process end `later` points after that.
    pub(in crate::tui::terminal) fn plan(point: usize, signal: Signal, later: usize) {
        PLAN.set(Some((point, signal)));
        LATER.set(later);
    }

    /// True if there were fewer points.
    pub(in crate::tui::terminal) fn is_past_the_last() -> bool {
        !IS_SENT.get()
    }

    /// Lets the signal end the process, and waits for that.
    pub(in crate::tui::terminal) fn done() {
        advance(Stage::Done);
        loop {
            std::thread::park();
        }
    }

    pub(super) fn reach(lock: Lock) {
        match PLAN.get() {
            Some((0, signal)) => {
                PLAN.set(None);
                IS_SENT.set(true);
                if signal == Signal::ABORT {
                    // As when memory runs out: the signal is caught, but ends the process anyway.
                    std::process::abort();
                }
                let _ = kill_process(getpid(), signal);
            }
            Some((left, signal)) => PLAN.set(Some((left - 1, signal))),
            None => {}
        }
        if IS_SENT.get() && lock == Lock::Free {
            wait_for(Stage::Restored);
            match LATER.get().checked_sub(1) {
                Some(left) => LATER.set(left),
                None => done(),
            }
        }
    }

    pub(super) fn reach_end() {
        advance(Stage::Restored);
        wait_for(Stage::Done);
    }

    fn advance(to: Stage) {
        let mut stage = STAGE.0.lock().unwrap_or_else(PoisonError::into_inner);
        *stage = to.max(*stage);
        STAGE.1.notify_all();
    }

    fn wait_for(wanted: Stage) {
        let stage = STAGE.0.lock().unwrap_or_else(PoisonError::into_inner);
        drop(STAGE.1.wait_while(stage, |stage| *stage < wanted));
    }
}
