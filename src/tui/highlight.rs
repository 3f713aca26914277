//! Syntax highlighting: a worker thread that splits text into runs of roles, newest request first.
//!
//! Highlighting is slow (the first TypeScript text takes a quarter of a second) and has many grammars, so it runs on
//! its own thread, started by the first request. A pane draws plain text, sends a request, and draws again when the
//! worker wakes the loop. After any error the text stays plain.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use crate::highlight::{CodeRole, Highlighted, Language, Painter};
use crate::tui::style::Role;

/// Maximum number of waiting requests; one more drops the oldest.
pub const MAX_WAITING: usize = 64;

/// The screen's role for a role of code.
pub fn role_of_code(code: CodeRole) -> Role {
    match code {
        CodeRole::Plain => Role::Text,
        CodeRole::Keyword => Role::CodeKeyword,
        CodeRole::String => Role::CodeString,
        CodeRole::Comment => Role::CodeComment,
        CodeRole::Number => Role::CodeNumber,
        CodeRole::Function => Role::CodeFunction,
        CodeRole::Type => Role::CodeType,
        CodeRole::Constant => Role::CodeConstant,
        CodeRole::Property => Role::CodeProperty,
        CodeRole::Punctuation => Role::CodePunctuation,
        CodeRole::Inserted => Role::CodeInserted,
        CodeRole::Deleted => Role::CodeDeleted,
    }
}

/// Accepts requests and returns results.
pub struct Highlighter {
    shared: Arc<Shared>,
    /// Called by the worker; moved there with the first request.
    wake: Option<Box<dyn Fn() + Send>>,
}

impl Highlighter {
    /// A highlighter that calls `wake`, on another thread, when there is something to [`take`](Highlighter::take).
    ///
    /// Cheap: the thread and the grammars are created for the first request.
    pub fn new(wake: impl Fn() + Send + 'static) -> Highlighter {
        Highlighter { shared: Arc::default(), wake: Some(Box::new(wake)) }
    }

    /// Requests the runs of `text`. A key identifies one text; a text that has grown gets another key.
    ///
    /// A request that is waiting, in progress or ready is not repeated, so a pane may request what it shows in every
    /// frame; a waiting request becomes the newest. A request dropped after [`MAX_WAITING`] newer ones is never
    /// answered.
    pub fn request(&mut self, key: u64, language: Language, text: Arc<[u8]>) {
        if let Some(wake) = self.wake.take() {
            let shared = Arc::clone(&self.shared);
            // Without a thread the requests wait forever, and the text stays plain.
            let _ = thread::Builder::new().name("highlight".to_owned()).spawn(move || work(&shared, &*wake));
        }
        let mut state = self.shared.state();
        if state.working_on == Some(key) || state.ready.iter().any(|(ready, _)| *ready == key) {
            return;
        }
        state.waiting.retain(|job| job.key != key);
        state.waiting.push_back(Job { key, language, text });
        if state.waiting.len() > MAX_WAITING {
            state.waiting.pop_front();
        }
        drop(state);
        self.shared.changed.notify_one();
    }

    /// Returns the results that are ready, with the keys of their requests. Does not block, and returns each result
    /// once.
    pub fn take(&mut self) -> Vec<(u64, Highlighted)> {
        std::mem::take(&mut self.shared.state().ready)
    }
}

impl Drop for Highlighter {
    fn drop(&mut self) {
        // The worker ends after its current line; it is not joined.
        self.shared.state().is_closed = true;
        self.shared.changed.notify_one();
    }
}

struct Job {
    key: u64,
    language: Language,
    text: Arc<[u8]>,
}

#[derive(Default)]
struct Shared {
    state: Mutex<HighlightState>,
    changed: Condvar,
}

#[derive(Default)]
struct HighlightState {
    /// Oldest first.
    waiting: VecDeque<Job>,
    working_on: Option<u64>,
    ready: Vec<(u64, Highlighted)>,
    is_closed: bool,
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, HighlightState> {
        // No foreign code runs under the mutex, so the state is intact even if a thread has panicked while holding it.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for the newest job; `None` when the highlighter is dropped.
    fn next_job(&self) -> Option<Job> {
        let mut state = self
            .changed
            .wait_while(self.state(), |state| state.waiting.is_empty() && !state.is_closed)
            .unwrap_or_else(PoisonError::into_inner);
        if state.is_closed {
            return None;
        }
        let job = state.waiting.pop_back()?;
        state.working_on = Some(job.key);
        Some(job)
    }

    fn finish(&self, key: u64, highlighted: Highlighted) {
        let mut state = self.state();
        state.working_on = None;
        state.ready.push((key, highlighted));
    }
}

fn work(shared: &Shared, wake: &dyn Fn()) {
    let mut painter = None;
    while let Some(job) = shared.next_job() {
        let paint = || {
            let painter = painter.get_or_insert_with(Painter::load);
            painter.paint(job.language, &job.text, || shared.state().is_closed)
        };
        // An aborted line cannot corrupt the painter: each text starts from its grammar.
        let highlighted = catch_unwind(AssertUnwindSafe(paint)).unwrap_or_default();
        shared.finish(job.key, highlighted);
        wake();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Receiver, channel};
    use std::time::Duration;

    use super::*;
    use crate::highlight::language_of;

    fn start() -> (Highlighter, Receiver<()>) {
        let (woken, wakes) = channel();
        (Highlighter::new(move || woken.send(()).unwrap_or_default()), wakes)
    }

    #[track_caller]
    fn wait(highlighter: &mut Highlighter, wakes: &Receiver<()>) -> Vec<(u64, Highlighted)> {
        wakes.recv_timeout(Duration::from_mins(1)).expect("the worker answers");
        highlighter.take()
    }

    fn rust() -> Language {
        language_of(Some("lib.rs"), None, b"").expect("Rust")
    }

    #[test]
    fn a_request_is_answered_once() {
        let (mut highlighter, wakes) = start();
        highlighter.request(7, rust(), Arc::from(*b"fn f() {}\n"));
        let results = wait(&mut highlighter, &wakes);
        assert_eq!(results.len(), 1);
        assert_eq!(results[0].0, 7);
        assert_eq!(results[0].1.lines[0].first(), Some(&(2, CodeRole::Keyword)));
        assert!(highlighter.take().is_empty());
    }

    #[test]
    fn a_panic_leaves_that_text_plain_and_the_worker_alive() {
        let (mut highlighter, wakes) = start();
        highlighter.request(1, Language::PANICS, Arc::from(*b"x"));
        assert_eq!(wait(&mut highlighter, &wakes), [(1, Highlighted::default())]);
        highlighter.request(2, rust(), Arc::from(*b"true"));
        assert_eq!(wait(&mut highlighter, &wakes)[0].1.lines, [[(4, CodeRole::Constant)]]);
    }

    #[test]
    fn the_newest_request_comes_first_and_the_oldest_is_dropped() {
        // Without a worker, the waiting requests can be examined.
        let mut highlighter = Highlighter { shared: Arc::default(), wake: None };
        let text: Arc<[u8]> = Arc::from(*b"x");
        for key in 0..=MAX_WAITING as u64 {
            highlighter.request(key, rust(), Arc::clone(&text));
        }
        highlighter.request(5, rust(), text);
        assert_eq!(highlighter.shared.state().waiting.len(), MAX_WAITING);
        assert_eq!(highlighter.shared.next_job().map(|job| job.key), Some(5));
        assert_eq!(highlighter.shared.next_job().map(|job| job.key), Some(MAX_WAITING as u64));
        let oldest = highlighter.shared.state().waiting.front().map(|job| job.key);
        assert_eq!(oldest, Some(1));
    }

    #[test]
    fn what_is_in_work_or_ready_is_not_asked_for_again() {
        let mut highlighter = Highlighter { shared: Arc::default(), wake: None };
        let text: Arc<[u8]> = Arc::from(*b"x");
        highlighter.request(1, rust(), Arc::clone(&text));
        assert!(highlighter.shared.next_job().is_some());
        highlighter.request(1, rust(), Arc::clone(&text));
        assert!(highlighter.shared.state().waiting.is_empty());
        highlighter.shared.finish(1, Highlighted::default());
        highlighter.request(1, rust(), text);
        assert!(highlighter.shared.state().waiting.is_empty());
        assert_eq!(highlighter.take().len(), 1);
    }
}
