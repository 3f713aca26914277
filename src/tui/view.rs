//! What the panes of a transcript look at: the session, what is selected and searched for, and how the screen is divided.
//!
//! Panes read it and change nothing in it. What is derived from it and costs something (parameter trees, laid-out
//! rows, the graph's drawing) is made when it is asked for and kept in a bounded cache.

pub mod cache;
mod call_durations;
pub mod declaration;
mod derived;
pub mod events;
pub mod filter;
pub mod notes;
pub mod origin;
pub mod presentation;
pub mod problems;
pub mod unread;

use std::cell::RefCell;
use std::ops::Range;
use std::sync::Arc;

use crate::container::Container;
use crate::diagnostic::{BoundedProblems, Code, Diagnostic, Severity};
use crate::dialect;
use crate::document::{ItemKind, Message};
use crate::repair::{Hunk, Repair};
use crate::session::Session;
use crate::source::command::Exit;
use crate::text::search::Search;
use crate::text::{Position, Span};
use crate::value::{Assembly, NodeId};
use crate::wording::expected::{ParserState, waiting};

use crate::tui::action::PaneId;
use crate::tui::layout::{Layout, Slot};
use crate::tui::playground::Playground;
use crate::tui::row::Target;
use crate::tui::viewport::PageStep;
use cache::{Cache, Changed};
use declaration::DeclarationView;
pub use derived::Prospect;
use events::EventLog;
use filter::FilteredItems;
use notes::NoteState;
use origin::{Phase, SourceState, TextOrigin};
use problems::ProblemList;
use unread::ReadingProgress;

/// What the panes of a transcript look at.
#[expect(clippy::struct_excessive_bools, reason = "each is a separate switch")]
pub struct View {
    /// The transcript, or its end while that is looked at ahead of reading.
    pub session: Session,
    /// What the text is read into, while its end is shown ahead of reading.
    pub ahead: Option<Ahead>,
    /// The text that is written here, if it is one.
    pub editor: Option<Box<Playground>>,
    /// The declaration of a dialect that is shown beside it.
    pub declaration: DeclarationView,
    /// What it is read with.
    pub options: dialect::Options,
    /// Where the text comes from, and how far reading has come.
    pub origin: TextOrigin,
    /// What happened to the source.
    pub events: EventLog,
    /// The number of this text among those that stood in the source; the first is 0.
    pub number: usize,
    /// Whether it comes as fast as it can be read.
    pub rush: bool,
    /// Problems between the calls if nothing more arrives, in the order of the text. Once that is certain, the calls that
    /// the session ends without a result of.
    pub so_far: BoundedProblems,
    /// What is selected, which every pane shows in its own way.
    pub selection: Target,
    /// The pane whose pages were turned last, and where that led.
    pub paged: Option<(PaneId, PageStep)>,
    /// Keys of arguments that say what a call is about, in front of those that are known.
    pub main_arguments: Arc<[String]>,
    /// The filter, if there is one.
    pub filter: Option<FilteredItems>,
    /// The search, if there is one.
    pub search: Option<Search>,
    /// What becomes of notes on the text.
    pub notes: NoteState,
    /// A repair that is shown, until it is made or something else is done.
    pub offer: Option<Offer>,
    /// What arrived since the user last looked.
    pub unread: ReadingProgress,
    /// Whether abandoned messages are shown.
    pub all_branches: bool,
    /// Whether the raw pane shows the file, where the text was decoded from one.
    pub in_file: bool,
    /// Whether another tab is shown, so that nothing is laid out here.
    pub hidden: bool,
    /// How the screen is divided.
    pub layout: Layout,
    /// What was derived from all this.
    pub cache: RefCell<Cache>,
}

/// The whole text, while the session that is shown has only its end.
pub struct Ahead {
    /// Offset in the whole text of the first byte that is shown.
    pub base: usize,
    /// What the text is read into.
    pub whole: Session,
}

/// A repair that is shown.
#[derive(Clone, Debug)]
pub struct Offer {
    /// What was selected when it was shown; it holds as long as nothing else is.
    pub at: Target,
    /// Whether it repairs everything that can be.
    pub is_all: bool,
    /// What is to be done.
    pub repair: Repair,
    /// What is to be done, in words for a person.
    pub words: String,
    /// The lines that change, with some around them.
    pub hunks: Vec<Hunk>,
}

impl View {
    /// What is there before anything has arrived, on a screen of some size.
    pub fn new(session: Session, options: dialect::Options, origin: TextOrigin, size: (u16, u16)) -> Self {
        let mut view = Self {
            session,
            ahead: None,
            editor: None,
            declaration: DeclarationView::Nothing,
            options,
            origin,
            events: EventLog::default(),
            number: 0,
            rush: false,
            so_far: BoundedProblems::default(),
            selection: Target::default(),
            paged: None,
            main_arguments: Arc::default(),
            filter: None,
            search: None,
            notes: NoteState::default(),
            offer: None,
            unread: ReadingProgress::default(),
            all_branches: false,
            in_file: false,
            hidden: false,
            layout: Layout::new(size),
            cache: RefCell::default(),
        };
        view.layout.is_session = view.is_recorded_session();
        view
    }

    /// The session that the text is read into, whether it is shown or not.
    pub fn whole(&self) -> &Session {
        self.ahead.as_ref().map_or(&self.session, |ahead| &ahead.whole)
    }

    /// The session that the text is read into, whether it is shown or not.
    pub fn whole_mut(&mut self) -> &mut Session {
        self.ahead.as_mut().map_or(&mut self.session, |ahead| &mut ahead.whole)
    }

    /// Offset in the whole text of the first byte that is shown.
    pub fn base(&self) -> usize {
        self.ahead.as_ref().map_or(0, |ahead| ahead.base)
    }

    /// The number (from 1) of a line (from 0) of the session that is shown; not known before reading has come there.
    pub fn line_number(&self, line: usize) -> Option<usize> {
        self.ahead.is_none().then_some(line + 1)
    }

    /// The name of the container that the file was found to be.
    pub fn container(&self) -> &'static str {
        self.whole().choice().map_or(Container::PLAIN, |choice| choice.about.name)
    }

    /// True for a file of records that belong to no container.
    pub fn has_unknown_format(&self) -> bool {
        self.whole().choice().is_some_and(|choice| choice.is_unknown())
    }

    /// Whether it is a command that runs.
    pub fn runs(&self) -> bool {
        self.origin.command == Some(SourceState::Running)
    }

    /// How the command ended, if it says that something went wrong.
    pub fn failed_exit(&self) -> Option<Exit> {
        match self.origin.command {
            Some(SourceState::Ended(exit)) if !exit.is_success() => Some(exit),
            _ => None,
        }
    }

    /// Whether reading ended with an error.
    pub fn has_failed(&self) -> bool {
        matches!(self.origin.phase, Phase::Failed(_))
    }

    /// Whether anything may still arrive.
    pub fn is_live(&self) -> bool {
        matches!(self.origin.phase, Phase::Loading | Phase::Following)
    }

    /// Columns of a pane's rows. A pane that is not shown is laid out as if it were, so that its place is known.
    pub fn width(&self, pane: PaneId) -> usize {
        usize::from(self.layout.inner(pane.slot()).width).max(10)
    }

    /// Rows inside of a pane; none where it is not shown.
    pub fn height(&self, pane: PaneId) -> usize {
        usize::from(self.layout.inner(pane.slot()).height)
    }

    /// Whether a pane is on the screen.
    pub fn is_shown(&self, pane: PaneId) -> bool {
        let slot = pane.slot();
        !self.hidden && self.layout.pane_in(slot) == pane && self.layout.area(slot).is_some()
    }

    /// The problems in the order of the text.
    pub fn problems(&self) -> ProblemList<'_> {
        ProblemList::new(self.session.document(), &self.so_far).behind(self.declaration.faults())
    }

    /// A problem by its number: those of the document first, then those that hold if nothing more arrives.
    pub fn problem(&self, number: usize) -> Option<Diagnostic> {
        self.problems().get(number)
    }

    /// Number of problems of a severity, those that hold if nothing more arrives included.
    pub fn total(&self, severity: Severity) -> usize {
        let listed = self.so_far.iter().chain(self.declaration.faults());
        let listed = listed.filter(|problem| problem.severity == severity).count();
        let unlisted = self.so_far.unlisted().filter(|((_, of), _)| *of == severity);
        self.whole().document().total(severity) + listed + unlisted.map(|(_, count)| count).sum::<usize>()
    }

    /// Calls of the whole text that the session ends without a result of, once nothing more arrives.
    pub fn left_at_the_end(&self) -> BoundedProblems {
        let session = self.whole();
        if self.is_live() { BoundedProblems::default() } else { session.document().left_at_the_end(session.text()) }
    }

    /// Number of the warnings that are about unanswered calls.
    pub fn unanswered_problems(&self) -> usize {
        let document = self.whole().document();
        let listed = document.diagnostics().briefs().map(|brief| brief.code);
        let listed = listed.chain(self.so_far.iter().map(|problem| problem.code));
        let listed = listed.filter(|code| *code == Code::UnansweredCall).count();
        let unlisted = document.unlisted().chain(self.so_far.unlisted());
        let unlisted = unlisted.filter(|((code, _), _)| *code == Code::UnansweredCall);
        listed + unlisted.map(|(_, count)| count).sum::<usize>()
    }

    /// How far the search has come, in percent, while it has something to do or may soon have.
    pub fn search_progress(&self) -> Option<usize> {
        let search = self.search.as_ref().filter(|search| !search.stopped)?;
        let text = self.whole().text();
        let is_loading = self.origin.phase == Phase::Loading;
        if !is_loading && !search.has_unsearched_text(text, !self.is_live()) {
            return None;
        }
        let there = self.origin.size.filter(|_| is_loading).map_or(0, |size| size as usize);
        (search.searched * 100).checked_div(there.max(text.len())).or(Some(0))
    }

    /// Whether there is something to search right now.
    pub fn is_searching(&self) -> bool {
        let is_behind = |search: &Search| search.has_unsearched_text(self.whole().text(), !self.is_live());
        self.search.as_ref().is_some_and(is_behind)
    }

    /// What the text waits for, once all that is there has been read.
    pub fn waiting(&self) -> Option<ParserState> {
        let is_shown = self.origin.phase == Phase::Following && self.ahead.is_none();
        is_shown.then(|| waiting(&self.session)).flatten()
    }

    /// Whether an item is not shown, because the filter does not select it.
    pub fn is_filtered_out(&self, item: usize) -> bool {
        self.hiding().is_some_and(|filter| !filter.contains(item))
    }

    /// The filter, if it hides what it does not select.
    fn hiding(&self) -> Option<&FilteredItems> {
        self.filter.as_ref().filter(|filter| filter.hides)
    }

    /// The item behind this one that the filter leaves; the number of items where there is none.
    pub fn item_after(&self, item: usize) -> usize {
        let end = self.session.document().items().len();
        self.hiding().map_or(item + 1, |filter| filter.after(item).next().unwrap_or(end))
    }

    /// The item in front of this one that the filter leaves.
    pub fn item_before(&self, item: usize) -> Option<usize> {
        self.hiding().map_or_else(|| item.checked_sub(1), |filter| filter.before(item).next())
    }

    /// Number of the calls among some items that count, or that the filter leaves.
    pub fn calls_in(&self, items: Range<usize>) -> usize {
        let document = self.session.document();
        let is_call = |item: &usize| document.items().kind(*item) == Some(ItemKind::Call);
        match self.hiding() {
            None => document.calls_that_count_in(items),
            Some(filter) => filter.within(items).filter(is_call).count(),
        }
    }

    /// Number of the failed calls among some items that count, or that the filter leaves.
    pub fn failures_in(&self, items: Range<usize>) -> usize {
        let document = self.session.document();
        match self.hiding() {
            None => document.failures_in(items),
            Some(filter) => filter.within(items).filter(|&item| document.failures_in(item..item + 1) > 0).count(),
        }
    }

    /// True while a filter hides the rest, so that figures of a whole turn do not fit its rows.
    pub fn hides_items(&self) -> bool {
        self.hiding().is_some()
    }

    /// The next call behind an item, or before it, among those that the filter selects.
    pub fn neighbour_call(&self, item: usize, forward: bool) -> Option<usize> {
        let document = self.session.document();
        let is_call = |item: &usize| document.items().kind(*item) == Some(ItemKind::Call);
        match &self.filter {
            None => document.neighbour_call(item, forward),
            Some(filter) if forward => filter.after(item).find(is_call),
            Some(filter) => filter.before(item).find(is_call),
        }
    }

    /// Whether an item is not shown, because its message was abandoned.
    pub fn is_hidden(&self, item: usize) -> bool {
        let document = self.session.document();
        if self.all_branches || !document.has_branches() {
            return false;
        }
        document.items().span(item).is_some_and(|span| document.is_abandoned(document.message_at(span.start)))
    }

    /// The message that begins with an item, or of which it is the first that the filter leaves, and its number.
    pub fn message_begun_by(&self, item: usize) -> Option<(usize, Message)> {
        let document = self.session.document();
        let start = document.items().span(item)?.start;
        let number = document.message_at(start);
        let is_first = match self.hiding() {
            Some(filter) => {
                let before = filter.before(item).next().and_then(|before| document.items().span(before));
                filter.contains(item) && before.is_none_or(|before| document.message_at(before.start) != number)
            }
            None => document.messages().start(number) == Some(start) && document.items_before(start) == item,
        };
        Some((number, document.messages().get(number).filter(|_| is_first)?))
    }

    /// The number of the line of the file that holds the byte at `offset` of the text, as text; `?` where it is not known.
    pub fn line_of(&self, offset: usize) -> String {
        self.file_line(offset).map_or_else(|| "?".to_owned(), |number| number.to_string())
    }

    /// The number (from 1) of the line of the file that holds the byte at `offset` of the text: its record, where the text
    /// was decoded from one. Not known before reading has come there.
    pub fn file_line(&self, offset: usize) -> Option<usize> {
        let source = self.session.source_of(Span::at(offset)).start;
        self.line_number(self.session.file_lines().around(self.session.file(), source).0)
    }

    /// The number of the line of the file where a problem begins, as text.
    pub fn line_of_problem(&self, problem: &Diagnostic) -> String {
        match problem.source {
            Some(source) => self.session.file_lines().position(self.session.file(), source.start).line.to_string(),
            None => self.line_of(problem.span.start),
        }
    }

    /// The column, from 1, of the byte at `offset` in its line of the file.
    pub fn column_of(&self, offset: usize) -> usize {
        self.session.position(offset).column
    }

    /// The node of a call that the byte at `offset` belongs to.
    pub fn node_at(&self, item: usize, offset: usize) -> Option<NodeId> {
        let seen = self.seen(item)?;
        seen.index.node_at(&seen.assembly.tree, offset)
    }

    /// What a choice of the byte at `offset` selects.
    pub fn target_at(&self, offset: usize) -> Target {
        let item = self.session.document().item_at(offset).unwrap_or(0);
        Target { item, node: self.node_at(item, offset), offset, problem: None }
    }

    /// What a choice of a whole item selects; nothing where there is no such item.
    pub fn target_of_item(&self, item: usize) -> Option<Target> {
        let offset = self.session.document().items().span(item)?.start;
        Some(Target::new(item, offset))
    }

    /// What a choice of the problem with a number selects, which begins at `offset`: of a fault of the declaration it is
    /// the fault alone.
    pub fn target_of_problem(&self, number: usize, offset: usize) -> Target {
        let place = if self.problems().fault_index(number).is_some() { self.selection } else { self.target_at(offset) };
        Target { problem: Some(number), ..place }
    }

    /// Where in the declaration the problem with a number is, if it is a fault of that.
    pub fn fault_position(&self, number: usize) -> Option<Position> {
        let draft = self.declaration.draft()?;
        let fault = draft.faults.get(self.problems().fault_index(number)?)?;
        Some(draft.position(fault.span.start))
    }

    /// What was written here and is saved nowhere, in words.
    pub fn unsaved(&self) -> Vec<String> {
        let text = self.editor.as_ref().filter(|editor| editor.is_changed()).map(|_| self.origin.short().to_owned());
        let draft = self.declaration.draft().filter(|draft| draft.editor.is_changed());
        text.into_iter().chain(draft.map(|draft| format!("the declaration of {}", draft.name()))).collect()
    }

    /// Whether the declaration has the focus and can be typed in.
    pub fn is_declaring(&self) -> bool {
        self.layout.focused() == PaneId::DeclarationEditor && self.declaration.draft().is_some()
    }

    /// The bytes of what is selected: a call, an argument, or a text.
    pub fn selected_span(&self) -> Span {
        let Target { item, node, offset, .. } = self.selection;
        let whole = self.session.document().items().span(item).unwrap_or(Span::at(offset));
        node.zip(self.seen(item)).and_then(|(node, seen)| seen.index.cover(node)).unwrap_or(whole)
    }

    /// Whether keys are typed into a text, where nothing else takes them.
    pub fn is_typed_in(&self) -> bool {
        self.editor.is_some() && (self.layout.focus == Slot::Raw || self.is_declaring())
    }
}

/// Offset of the first pointer that leads to a node or into it, where there is one.
pub fn start_of(assembly: &Assembly, node: NodeId) -> Option<usize> {
    assembly.tree.first_argument(node).map(|argument| assembly.arguments[argument].pointer.start)
}

/// Adds bytes to a session; gives the place from which on something has changed. A call shows what is between the
/// calls, so the last one counts.
pub fn push(session: &mut Session, bytes: &[u8]) -> Changed {
    let last_call = session.document().last_call();
    let undecided = session.pending().start;
    let delta = session.push(bytes);
    let item = last_call.map_or(delta.first_item, |call| call.min(delta.first_item));
    let start = session.document().items().span(item).map_or(undecided, |span| span.start.min(undecided));
    // What is decoded from a file has other lines than the file.
    let line = if session.is_decoded() { 0 } else { session.lines().around(session.text(), start).0 };
    Changed { item, line }
}
