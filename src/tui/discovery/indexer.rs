//! Looks into files one after another on a thread of its own: how each begins, its calls and its problems.
//!
//! What is wanted is said anew whenever that changes, and the first of it is looked into next; what was looked into
//! once is not looked into again. A large file is read only as far as its beginning, unless more is asked for.

use std::collections::HashSet;
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
use crate::wording::session_summary::SessionSummary;

use crate::tui::discovery::{DiscoveryEvent, FileContent, FileSummary, FileTally, IndexRequest};

/// Bytes of a large file that are read in any case.
const BEGINNING: usize = 512 * 1024;

/// Bytes of a message that may become its first words.
const WORDS: usize = 400;

/// Messages that are looked at for them.
const LOOKED: usize = 16;

/// The thread. It ends with this.
pub struct Indexer(Arc<Shared>);

#[derive(Default)]
struct Shared {
    queue: Mutex<Queue>,
    changed: Condvar,
}

#[derive(Default)]
struct Queue {
    wanted: Vec<IndexRequest>,
    is_closed: bool,
}

impl Indexer {
    /// Looks into what will be wanted, reading as with these options, for as long as `tell` returns true. It is told
    /// with the number of the list.
    ///
    /// # Errors
    /// The system gives no thread.
    pub fn new(
        container: Container,
        options: Options,
        mut tell: impl FnMut(usize, DiscoveryEvent) -> bool + Send + 'static,
    ) -> std::io::Result<Self> {
        let shared = Arc::<Shared>::default();
        let queue = Arc::clone(&shared);
        let work = move || {
            let mut done = HashSet::new();
            while let Some(wanted) = queue.next() {
                if !done.insert((wanted.list, wanted.number, wanted.whole, wanted.filter.clone())) {
                    continue;
                }
                let is_over = || queue.queue().is_closed;
                let ControlFlow::Continue(look) = look(&wanted, container, &options, &is_over) else { return };
                if !tell(wanted.list, DiscoveryEvent::Summary(look)) {
                    return;
                }
            }
        };
        std::thread::Builder::new().name("indexer".into()).spawn(work)?;
        Ok(Self(shared))
    }

    /// Says what is wanted now, the most wanted first.
    pub fn want(&self, mut wanted: Vec<IndexRequest>) {
        wanted.reverse();
        self.0.queue().wanted = wanted;
        self.0.changed.notify_one();
    }
}

impl Drop for Indexer {
    fn drop(&mut self) {
        self.0.queue().is_closed = true;
        self.0.changed.notify_one();
    }
}

impl Shared {
    fn queue(&self) -> MutexGuard<'_, Queue> {
        // No code of others runs under the mutex, so the queue is whole even if a thread has panicked with it.
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next file, waited for; nothing when it is over.
    fn next(&self) -> Option<IndexRequest> {
        let waits = |queue: &mut Queue| queue.wanted.is_empty() && !queue.is_closed;
        let mut queue = self.changed.wait_while(self.queue(), waits).unwrap_or_else(PoisonError::into_inner);
        if queue.is_closed { None } else { queue.wanted.pop() }
    }
}

/// Reads a file, unless it `is_over` in between.
fn look(
    wanted: &IndexRequest,
    container: Container,
    options: &Options,
    is_over: &dyn Fn() -> bool,
) -> ControlFlow<(), FileSummary> {
    let number = wanted.number;
    let failed = |words| FileSummary {
        number,
        kind: None,
        words: String::new(),
        session: None,
        content: FileContent::Failed(words),
        selected: None,
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
        return ControlFlow::Break(());
    }
    if let Err(error) = outcome {
        return ControlFlow::Continue(failed(format!("{error:#}")));
    }
    if let Some(reason) = failure {
        return ControlFlow::Continue(FileSummary { words, ..failed(reason) });
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
    let selected = filter.map(|(words, filter)| (words.clone(), Selection::new(&filter, &session).items().len()));
    let row = Some(Box::new(SessionSummary::new(&session)));
    ControlFlow::Continue(FileSummary { number, kind, words, session: row, content, selected })
}

/// The first words that a person said, or else anybody; else those of the text.
fn first_words(session: &Session) -> String {
    let document = session.document();
    let (messages, items, text) = (document.messages(), document.items(), session.text());
    // What somebody said in a message: the first of its texts, without headings and records.
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
    // Tags are what programs put in front of what a person says.
    if let Some(at) = by_person.iter().position(|said| !said.starts_with('<')) {
        return by_person.swap_remove(at);
    }
    by_person.into_iter().next().or_else(|| by_anybody.take(LOOKED).find_map(words)).unwrap_or_default()
}
