//! The state that the panes of a transcript show: the session, selection and search, and the screen layout.
//!
//! Panes only read it. Derived data that is expensive to make (parameter trees, laid-out rows, the graph's drawing) is
//! made on demand and kept in a bounded cache.

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
pub mod session_copy;
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
pub use derived::PredictedOutcome;
use events::EventLog;
use filter::FilteredItems;
use notes::NoteState;
use origin::{Phase, SourceState, TextOrigin};
use problems::ProblemList;
use unread::ReadingProgress;

/// The state that the panes of a transcript show.
#[expect(clippy::struct_excessive_bools, reason = "each is a separate switch")]
pub struct View {
    /// The transcript, or only its end while that is shown before the rest has been read.
    pub session: Session,
    /// The session that the whole text is read into while only its end is shown.
    pub ahead: Option<MainSession>,
    /// The text being edited, in a playground.
    pub editor: Option<Box<Playground>>,
    /// The declaration of a dialect that is shown next to the text.
    pub declaration: DeclarationView,
    /// Options that the text is read with.
    pub options: dialect::Options,
    /// Where the text comes from, and how much of it has been read.
    pub origin: TextOrigin,
    /// Events of the source.
    pub events: EventLog,
    /// Number of this text among the successive contents of its source, from 0.
    pub number: usize,
    /// True while the text arrives as fast as it can be read.
    pub rush: bool,
    /// Problems between calls if nothing more arrives, in text order. Once that is certain: calls that the session
    /// leaves without a result.
    pub so_far: BoundedProblems,
    /// The selection, shared by all panes.
    pub selection: Target,
    /// The pane whose pages were turned last, and the resulting position.
    pub paged: Option<(PaneId, PageStep)>,
    /// Configured keys of arguments that identify a call best; they take precedence over the built-in ones.
    pub main_arguments: Arc<[String]>,
    /// The filter in use.
    pub filter: Option<FilteredItems>,
    /// The search in use.
    pub search: Option<Search>,
    /// State of the notes on the text.
    pub notes: NoteState,
    /// The repair that is previewed, until it is applied or dismissed.
    pub offer: Option<Offer>,
    /// Reading progress of the user.
    pub unread: ReadingProgress,
    /// True if abandoned messages are shown.
    pub all_branches: bool,
    /// True if the raw pane shows the bytes of the file instead of the text decoded from it.
    pub in_file: bool,
    /// True while another tab is shown: nothing is laid out.
    pub hidden: bool,
    /// The screen layout.
    pub layout: Layout,
    /// Cache of everything derived from the fields above.
    pub cache: RefCell<Cache>,
}

/// The whole text, while the session that is shown holds only its end.
pub struct MainSession {
    /// Offset in the whole text of the first byte that is shown.
    pub base: usize,
    /// The session that the whole text is read into.
    pub whole: Session,
}

/// A repair that is previewed.
#[derive(Clone, Debug)]
pub struct Offer {
    /// The selection when it was shown; the preview is dropped when that changes.
    pub at: Target,
    /// True if it is the combination of all possible repairs.
    pub is_all: bool,
    /// The repair itself.
    pub repair: Repair,
    /// Description for the user.
    pub words: String,
    /// The changed lines with some context.
    pub hunks: Vec<Hunk>,
}

impl View {
    /// State before anything has arrived, for a screen of the given size.
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

    /// The session that the whole text is read into, even while only its end is shown.
    pub fn whole(&self) -> &Session {
        self.ahead.as_ref().map_or(&self.session, |ahead| &ahead.whole)
    }

    /// Like [`whole`](Self::whole), to be changed.
    pub fn whole_mut(&mut self) -> &mut Session {
        self.ahead.as_mut().map_or(&mut self.session, |ahead| &mut ahead.whole)
    }

    /// Offset in the whole text of the first byte of the session that is shown.
    pub fn base(&self) -> usize {
        self.ahead.as_ref().map_or(0, |ahead| ahead.base)
    }

    /// Converts a line of the session that is shown (from 0) to its number in the whole text (from 1). `None` while
    /// only the end of the text is shown, since the lines before it have not been counted.
    pub fn line_number(&self, line: usize) -> Option<usize> {
        self.ahead.is_none().then_some(line + 1)
    }

    /// Name of the container that was detected.
    pub fn container(&self) -> &'static str {
        self.whole().choice().map_or(Container::PLAIN, |choice| choice.about.name)
    }

    /// True for a file of records that matches no known container.
    pub fn has_unknown_format(&self) -> bool {
        self.whole().choice().is_some_and(|choice| choice.is_unknown())
    }

    /// True while the source is a running command.
    pub fn runs(&self) -> bool {
        self.origin.command == Some(SourceState::Running)
    }

    /// How the command ended, if its exit status reports a failure.
    pub fn failed_exit(&self) -> Option<Exit> {
        match self.origin.command {
            Some(SourceState::Ended(exit)) if !exit.is_success() => Some(exit),
            _ => None,
        }
    }

    /// True if reading ended with an error.
    pub fn has_failed(&self) -> bool {
        matches!(self.origin.phase, Phase::Failed(_))
    }

    /// True if more may arrive.
    pub fn is_live(&self) -> bool {
        matches!(self.origin.phase, Phase::Loading | Phase::Following)
    }

    /// Columns of a pane's rows. A hidden pane is laid out as well, so that its scroll position is known.
    pub fn width(&self, pane: PaneId) -> usize {
        usize::from(self.layout.inner(pane.slot()).width).max(10)
    }

    /// Rows inside a pane; 0 if it is not shown.
    pub fn height(&self, pane: PaneId) -> usize {
        usize::from(self.layout.inner(pane.slot()).height)
    }

    /// True if a pane is on the screen.
    pub fn is_shown(&self, pane: PaneId) -> bool {
        let slot = pane.slot();
        !self.hidden && self.layout.pane_in(slot) == pane && self.layout.area(slot).is_some()
    }

    /// All problems in display order.
    pub fn problems(&self) -> ProblemList<'_> {
        ProblemList::new(self.session.document(), &self.so_far).behind(self.declaration.faults())
    }

    /// A problem by its number.
    pub fn problem(&self, number: usize) -> Option<Diagnostic> {
        self.problems().get(number)
    }

    /// Number of problems of a severity, including faults of the declaration and problems that hold only if nothing
    /// more arrives.
    pub fn total(&self, severity: Severity) -> usize {
        let listed = self.so_far.iter().chain(self.declaration.faults());
        let listed = listed.filter(|problem| problem.severity == severity).count();
        let unlisted = self.so_far.unlisted().filter(|((_, of), _)| *of == severity);
        self.whole().document().total(severity) + listed + unlisted.map(|(_, count)| count).sum::<usize>()
    }

    /// Calls of the whole text that are left without a result, once nothing more can arrive.
    pub fn left_at_the_end(&self) -> BoundedProblems {
        let session = self.whole();
        if self.is_live() { BoundedProblems::default() } else { session.document().left_at_the_end(session.text()) }
    }

    /// Number of warnings about unanswered calls.
    pub fn unanswered_problems(&self) -> usize {
        let document = self.whole().document();
        let listed = document.diagnostics().briefs().map(|brief| brief.code);
        let listed = listed.chain(self.so_far.iter().map(|problem| problem.code));
        let listed = listed.filter(|code| *code == Code::UnansweredCall).count();
        let unlisted = document.unlisted().chain(self.so_far.unlisted());
        let unlisted = unlisted.filter(|((code, _), _)| *code == Code::UnansweredCall);
        listed + unlisted.map(|(_, count)| count).sum::<usize>()
    }

    /// Progress of the search in percent; `None` when it has nothing left to do, now or once more of the file is read.
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

    /// True if part of the text that has arrived has not been searched.
    pub fn is_searching(&self) -> bool {
        let is_unfinished = |search: &Search| search.has_unsearched_text(self.whole().text(), !self.is_live());
        self.search.as_ref().is_some_and(is_unfinished)
    }

    /// The expected continuation of the text, once everything that has arrived has been read.
    pub fn waiting(&self) -> Option<ParserState> {
        let is_shown = self.origin.phase == Phase::Following && self.ahead.is_none();
        is_shown.then(|| waiting(&self.session)).flatten()
    }

    /// True if the filter hides an item.
    pub fn is_filtered_out(&self, item: usize) -> bool {
        self.hiding().is_some_and(|filter| !filter.contains(item))
    }

    /// The filter, if it hides what it does not select.
    fn hiding(&self) -> Option<&FilteredItems> {
        self.filter.as_ref().filter(|filter| filter.hides)
    }

    /// The next item after this one that the filter does not hide; the number of items if there is none.
    pub fn item_after(&self, item: usize) -> usize {
        let end = self.session.document().items().len();
        self.hiding().map_or(item + 1, |filter| filter.after(item).next().unwrap_or(end))
    }

    /// The last item before this one that the filter does not hide.
    pub fn item_before(&self, item: usize) -> Option<usize> {
        self.hiding().map_or_else(|| item.checked_sub(1), |filter| filter.before(item).next())
    }

    /// Number of calls in a range of items: the selected ones if a filter hides the rest, otherwise all that count.
    pub fn calls_in(&self, items: Range<usize>) -> usize {
        let document = self.session.document();
        let is_call = |item: &usize| document.items().kind(*item) == Some(ItemKind::Call);
        match self.hiding() {
            None => document.calls_that_count_in(items),
            Some(filter) => filter.within(items).filter(is_call).count(),
        }
    }

    /// Number of failed calls in a range of items: the selected ones if a filter hides the rest, otherwise all that
    /// count.
    pub fn failures_in(&self, items: Range<usize>) -> usize {
        let document = self.session.document();
        match self.hiding() {
            None => document.failures_in(items),
            Some(filter) => filter.within(items).filter(|&item| document.failures_in(item..item + 1) > 0).count(),
        }
    }

    /// True while a filter hides items, so that figures of a whole turn do not match its rows.
    pub fn hides_items(&self) -> bool {
        self.hiding().is_some()
    }

    /// The next call after an item (`forward`), or the last one before it; with a filter, the next one that it selects.
    pub fn neighbour_call(&self, item: usize, forward: bool) -> Option<usize> {
        let document = self.session.document();
        let is_call = |item: &usize| document.items().kind(*item) == Some(ItemKind::Call);
        match &self.filter {
            None => document.neighbour_call(item, forward),
            Some(filter) if forward => filter.after(item).find(is_call),
            Some(filter) => filter.before(item).find(is_call),
        }
    }

    /// True if an item is hidden because its message was abandoned.
    pub fn is_hidden(&self, item: usize) -> bool {
        let document = self.session.document();
        if self.all_branches || !document.has_branches() {
            return false;
        }
        document.items().span(item).is_some_and(|span| document.is_abandoned(document.message_at(span.start)))
    }

    /// The message that an item begins, and its number. If the filter hides the start of the message, its first visible
    /// item counts.
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

    /// Line number in the file for the byte at `offset` of the text; `?` if unknown.
    pub fn line_of(&self, offset: usize) -> String {
        self.file_line(offset).map_or_else(|| "?".to_owned(), |number| number.to_string())
    }

    /// Line number (from 1) in the file for the byte at `offset` of the text. In decoded text it is the line of the
    /// byte's record. `None` while only the end of the text is shown.
    pub fn file_line(&self, offset: usize) -> Option<usize> {
        let source = self.session.source_of(Span::at(offset)).start;
        self.line_number(self.session.file_lines().around(self.session.file(), source).0)
    }

    /// Line number in the file at which a problem begins, as text.
    pub fn line_of_problem(&self, problem: &Diagnostic) -> String {
        match problem.source {
            Some(source) => self.session.file_lines().position(self.session.file(), source.start).line.to_string(),
            None => self.line_of(problem.span.start),
        }
    }

    /// Column (from 1) of the byte at `offset` in its line of the file.
    pub fn column_of(&self, offset: usize) -> usize {
        self.session.position(offset).column
    }

    /// The innermost node of a call that contains the byte at `offset`.
    pub fn node_at(&self, item: usize, offset: usize) -> Option<NodeId> {
        let seen = self.seen(item)?;
        seen.index.node_at(&seen.assembly.tree, offset)
    }

    /// The selection target for the byte at `offset`.
    pub fn target_at(&self, offset: usize) -> Target {
        let item = self.session.document().item_at(offset).unwrap_or(0);
        Target { item, node: self.node_at(item, offset), offset, problem: None }
    }

    /// The selection target for a whole item; `None` if it does not exist.
    pub fn target_of_item(&self, item: usize) -> Option<Target> {
        let offset = self.session.document().items().span(item)?.start;
        Some(Target::new(item, offset))
    }

    /// The selection for the problem with this number, which begins at `offset`. A fault of a dialect's declaration has
    /// no place in the transcript, so only the selected problem changes.
    pub fn target_of_problem(&self, number: usize, offset: usize) -> Target {
        let place = if self.problems().fault_index(number).is_some() { self.selection } else { self.target_at(offset) };
        Target { problem: Some(number), ..place }
    }

    /// Position in the declaration of a fault, by its problem number; `None` for other problems.
    pub fn fault_position(&self, number: usize) -> Option<Position> {
        let draft = self.declaration.draft()?;
        let fault = draft.faults.get(self.problems().fault_index(number)?)?;
        Some(draft.position(fault.span.start))
    }

    /// Names of the edited texts with unsaved changes.
    pub fn unsaved(&self) -> Vec<String> {
        let text = self.editor.as_ref().filter(|editor| editor.is_changed()).map(|_| self.origin.short().to_owned());
        let draft = self.declaration.draft().filter(|draft| draft.editor.is_changed());
        text.into_iter().chain(draft.map(|draft| format!("the declaration of {}", draft.name()))).collect()
    }

    /// True if the declaration has the focus and can be edited.
    pub fn is_declaring(&self) -> bool {
        self.layout.focused() == PaneId::DeclarationEditor && self.declaration.draft().is_some()
    }

    /// Bytes of the selected call, argument or text.
    pub fn selected_span(&self) -> Span {
        let Target { item, node, offset, .. } = self.selection;
        let whole = self.session.document().items().span(item).unwrap_or(Span::at(offset));
        node.zip(self.seen(item)).and_then(|(node, seen)| seen.index.cover(node)).unwrap_or(whole)
    }

    /// True if key presses are typed into a text.
    pub fn is_typed_in(&self) -> bool {
        self.editor.is_some() && (self.layout.focus == Slot::Raw || self.is_declaring())
    }
}

/// Offset at which the first pointer to a node, or to something in it, begins.
pub fn start_of(assembly: &Assembly, node: NodeId) -> Option<usize> {
    assembly.tree.first_argument(node).map(|argument| assembly.arguments[argument].pointer.start)
}

/// Adds bytes to a session and returns the first item and line that changed. The last call counts as changed, since
/// text between calls is shown with it.
pub fn push(session: &mut Session, bytes: &[u8]) -> Changed {
    let last_call = session.document().last_call();
    let undecided = session.pending().start;
    let delta = session.push(bytes);
    let item = last_call.map_or(delta.first_item, |call| call.min(delta.first_item));
    let start = session.document().items().span(item).map_or(undecided, |span| span.start.min(undecided));
    // Lines of decoded text differ from lines of the file.
    let line = if session.is_decoded() { 0 } else { session.lines().around(session.text(), start).0 };
    Changed { item, line }
}
