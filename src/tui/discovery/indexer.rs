//! Reads files on a few threads: their first words, calls and problems, and the lines that match a pattern.
//!
//! The list of wanted files is replaced whenever it changes, and its first file is read next. A request is answered
//! once. Of a large file only the beginning is read, unless more is wanted.

use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use crate::container::{Container, MessageRole};
use crate::dialect::Options;
use crate::document::ItemKind;
use crate::filter::{Filter, Selection};
use crate::session::Session;
use crate::source::{self, SourceEvent, SourceSpec};
use crate::text::Span;
use crate::text::colour_codes::without;
use crate::text::search::Search;
use crate::wording::session_summary::SessionSummary;

use crate::tui::discovery::line_matches::MatchedLines;
use crate::tui::discovery::{DiscoveryEvent, FileContent, FileSummary, FileTally, IndexRequest, LARGE, SelectedItems};

/// Bytes of a large file that are always read.
const BEGINNING: usize = 512 * 1024;

/// Maximum number of bytes of a message that become its first words.
const WORDS: usize = 400;

/// Maximum number of messages examined for them.
const LOOKED: usize = 16;

/// Receives an event for the list of a number; false once no list receives events.
pub type Tell = Arc<dyn Fn(usize, DiscoveryEvent) -> bool + Send + Sync>;

/// The threads, which end when this is dropped.
pub struct Indexer(Arc<Shared>);

#[derive(Default)]
struct Shared {
    queue: Mutex<Queue>,
    changed: Condvar,
}

#[derive(Default)]
struct Queue {
    /// Sorted by priority; the most wanted request is last.
    wanted: Vec<IndexRequest>,
    in_progress: Vec<IndexRequest>,
    /// Patterns to search for, with the numbers of their lists.
    searches: Vec<(usize, String)>,
    /// The last answered request of each file, by the numbers of list and file.
    answered: HashMap<(usize, usize), IndexRequest>,
    is_closed: bool,
}

impl Indexer {
    /// Reads wanted files on `threads` threads, with these options. The threads end once `tell`, called with the number
    /// of a list and an event, returns false.
    ///
    /// # Errors
    /// A thread cannot be started.
    pub fn new(container: Container, options: &Options, threads: usize, tell: &Tell) -> std::io::Result<Self> {
        let shared = Arc::<Shared>::default();
        for thread in 0..threads.max(1) {
            let (queue, options, tell) = (Arc::clone(&shared), options.clone(), Arc::clone(tell));
            let work = move || {
                while let Some(wanted) = queue.next(thread) {
                    let is_over = || queue.is_over(&wanted);
                    let tell = |event| tell(wanted.list, event);
                    let outcome = index_file(&wanted, container, &options, &is_over, &tell);
                    if queue.end(wanted, outcome) {
                        return;
                    }
                }
            };
            let spawned = std::thread::Builder::new().name(format!("indexer {thread}")).spawn(work);
            // Fewer threads are enough.
            if spawned.is_err() && thread > 0 {
                break;
            }
            spawned?;
        }
        Ok(Self(shared))
    }

    /// Replaces the wanted requests; the most wanted one is first.
    pub fn want(&self, mut wanted: Vec<IndexRequest>) {
        wanted.reverse();
        let mut searches: Vec<(usize, String)> =
            wanted.iter().filter_map(|request| Some((request.list, request.search.clone()?))).collect();
        searches.dedup();
        let mut queue = self.0.queue();
        let Queue { in_progress, answered, .. } = &*queue;
        wanted.retain(|request| {
            !in_progress.contains(request) && answered.get(&(request.list, request.number)) != Some(request)
        });
        (queue.wanted, queue.searches) = (wanted, searches);
        drop(queue);
        self.0.changed.notify_all();
    }
}

impl Drop for Indexer {
    fn drop(&mut self) {
        self.0.queue().is_closed = true;
        self.0.changed.notify_all();
    }
}

/// Outcome of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Outcome {
    /// It was answered.
    Answered,
    /// It is no longer wanted.
    Cancelled,
    /// Its list no longer receives events.
    Closed,
}

impl Shared {
    fn queue(&self) -> MutexGuard<'_, Queue> {
        // No foreign code runs under the mutex, so the queue is intact even if a thread has panicked while holding it.
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for the next request for a thread; `None` when the indexer is closed. Only the first thread reads large
    /// files, so that two of them are never in memory at the same time.
    fn next(&self, thread: usize) -> Option<IndexRequest> {
        let mut queue = self.queue();
        loop {
            if queue.is_closed {
                return None;
            }
            let Queue { wanted, in_progress, .. } = &mut *queue;
            if let Some(at) = wanted.iter().rposition(|request| thread == 0 || request.size <= LARGE || !request.whole)
            {
                let request = wanted.remove(at);
                in_progress.push(request.clone());
                return Some(request);
            }
            queue = self.changed.wait(queue).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// True once a request need not be answered: the indexer is closed, or the search has changed.
    fn is_over(&self, request: &IndexRequest) -> bool {
        let queue = self.queue();
        let is_wanted =
            |search: &String| queue.searches.iter().any(|(list, other)| *list == request.list && other == search);
        queue.is_closed || !request.search.as_ref().is_none_or(is_wanted)
    }

    /// Records the outcome of a request; true if the thread must end.
    fn end(&self, request: IndexRequest, outcome: Outcome) -> bool {
        let mut queue = self.queue();
        queue.in_progress.retain(|other| *other != request);
        if outcome == Outcome::Answered {
            queue.answered.insert((request.list, request.number), request);
        }
        outcome == Outcome::Closed
    }
}

/// Reads a file once for everything wanted of it, and reports the results, unless `is_over` returns true before.
fn index_file(
    wanted: &IndexRequest,
    container: Container,
    options: &Options,
    is_over: &dyn Fn() -> bool,
    tell: &dyn Fn(DiscoveryEvent) -> bool,
) -> Outcome {
    let number = wanted.number;
    let told = |is_heard| if is_heard { Outcome::Answered } else { Outcome::Closed };
    let failed = |words, reason| {
        let content = FileContent::Failed(reason);
        let summary = FileSummary { number, kind: None, words, session: None, content, selected: None };
        told(tell(DiscoveryEvent::Summary(summary)))
    };
    let mut session = Session::new(container, options);
    let (mut words, mut failure, mut stopped, mut cut) = (String::new(), None, false, false);
    let outcome = source::read(&SourceSpec::File(wanted.path.clone()), |event| {
        match event {
            SourceEvent::Backing(backing) => session.back(backing),
            SourceEvent::Chunk(bytes) => {
                session.push(&bytes);
                if words.is_empty() {
                    words = first_words(&session);
                }
                cut = !wanted.whole && session.file().len() >= BEGINNING;
            }
            SourceEvent::Failed(reason) => failure = Some(reason),
            _ => {}
        }
        stopped = is_over();
        !stopped && !cut
    });
    if stopped {
        return Outcome::Cancelled;
    }
    if let Err(error) = outcome {
        return failed(String::new(), format!("{error:#}"));
    }
    if let Some(reason) = failure {
        return failed(words, reason);
    }
    if !cut {
        session.finish();
    }
    if words.is_empty() {
        words = first_words(&session);
    }
    let kind = session.choice().map(|choice| (choice.about, choice.reason));
    let document = session.document();
    let tally = FileTally {
        calls: document.calls_that_count(),
        failures: document.failures(),
        errors: document.errors(),
        warnings: document.warnings(),
    };
    let content = if cut { FileContent::Beginning } else { FileContent::Counted(tally) };
    let filter = wanted.filter.as_ref().and_then(|words| Some((words, Filter::parse(words).ok()?)));
    let selected = filter.map(|(words, filter)| {
        let selection = Selection::new(&filter, &session);
        (words.clone(), SelectedItems { items: selection.items().len(), calls: selection.calls().0 })
    });
    let row = Some(Box::new(SessionSummary::new(&session)));
    let summary = FileSummary { number, kind, words, session: row, content, selected };
    let is_heard = tell(DiscoveryEvent::Summary(summary));
    let search = wanted.search.as_deref().filter(|_| is_heard).and_then(|pattern| Search::new(pattern).ok());
    match search.map(|search| MatchedLines::find(&session, search, is_over)) {
        None => told(is_heard),
        Some(ControlFlow::Break(())) => Outcome::Cancelled,
        Some(ControlFlow::Continue(found)) => told(tell(DiscoveryEvent::Searched(number, found))),
    }
}

/// The first words of a user, or else of any message; else of the text.
fn first_words(session: &Session) -> String {
    let document = session.document();
    let (messages, items, text) = (document.messages(), document.items(), session.text());
    // The first text of a message, without headings and records.
    let words = |number: usize| {
        let start = messages.start(number)?;
        let behind = messages.start(number + 1).unwrap_or(text.len());
        let numbers = document.item_at(start).unwrap_or(0)..items.len();
        let spans =
            numbers.filter(|&item| items.kind(item) == Some(ItemKind::Text)).filter_map(|item| items.span(item));
        let span = spans.take_while(|span| span.start < behind).find(|span| span.end > start)?;
        let start = span.start.max(start);
        let said = text.read_str(Span::new(start, span.end.min(behind).min(start + WORDS)));
        Some(without(&said).split_whitespace().collect::<Vec<_>>().join(" ")).filter(|said| !said.is_empty())
    };
    let by_person = (0..messages.len()).filter(|&number| messages.role(number) == Some(MessageRole::User));
    let by_anybody = (0..messages.len()).filter(|&number| messages.role(number) != Some(MessageRole::System));
    let mut by_person: Vec<String> = by_person.take(LOOKED).filter_map(words).collect();
    // Programs insert tags before a user's text.
    if let Some(at) = by_person.iter().position(|said| !said.starts_with('<')) {
        return by_person.swap_remove(at);
    }
    by_person.into_iter().next().or_else(|| by_anybody.take(LOOKED).find_map(words)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(number: usize, search: Option<&str>, size: u64) -> IndexRequest {
        IndexRequest { number, search: search.map(str::to_owned), size, whole: true, ..IndexRequest::default() }
    }

    #[test]
    fn a_search_is_over_once_something_else_is_searched_for() {
        let indexer = Indexer(Arc::default());
        indexer.want(vec![request(0, Some("a"), 1), request(1, Some("a"), 1)]);
        let searched = indexer.0.next(0).expect("it is wanted");
        for (wanted, is_over) in [
            (vec![request(0, Some("a"), 1)], false),
            (vec![request(1, Some("a"), 1)], false),
            (vec![request(0, Some("ab"), 1)], true),
            (Vec::new(), true),
        ] {
            indexer.want(wanted);
            assert_eq!(indexer.0.is_over(&searched), is_over);
        }
        assert!(!indexer.0.is_over(&request(0, None, 1)), "what is counted is counted to its end");
    }

    #[test]
    fn a_file_is_read_once_and_large_ones_one_after_another() {
        let indexer = Indexer(Arc::default());
        let wanted =
            [request(0, None, LARGE + 1), request(1, None, LARGE + 1), request(2, None, 1), request(3, None, 1)];
        indexer.want(wanted.to_vec());
        let next = |thread: usize| indexer.0.next(thread).expect("it is wanted").number;
        assert_eq!([next(0), next(1)], [0, 2]);
        indexer.want(wanted.to_vec());
        assert_eq!(next(1), 3, "what is being read is not read by another thread");
        assert!(!indexer.0.end(wanted[0].clone(), Outcome::Answered));
        indexer.want(wanted.to_vec());
        assert_eq!(next(0), 1, "what was answered is not answered again");
    }
}
