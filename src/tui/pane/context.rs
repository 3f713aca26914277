//! The context of each request to the model: a bar of what was read from the cache, what was new, and the answer. An unfolded
//! request lists what fills its context, by kind and tool, largest first.

mod rows;

use std::collections::HashSet;

use crate::context_usage::{
    CacheLoss, ContextContent, ContextContents, ContextExtent, ContextNode, ItemTokens, cache_losses, contents,
};
use crate::document::facts::compactions::CompactionEntry;

use crate::tui::action::{Action, PaneId};
use crate::tui::pane::entry_rows::{EntryRow, EntryRows, row_to_fold};
use crate::tui::pane::list::{self, ChosenRows, List};
use crate::tui::pane::row_choice::{RowChoice, read_at};
use crate::tui::pane::{Pane, Response};
use crate::tui::row::Target;
use crate::tui::style::Role;
use crate::tui::view::View;
use crate::tui::viewport::Anchor;
use crate::wording::figures;

/// The context pane: the requests, what fills the unfolded one, the chosen row and the scroll position.
#[derive(Clone, Default)]
pub struct Context {
    sizes: ItemTokens,
    history: Vec<HistoryRow>,
    extent: ContextExtent,
    /// Number of requests and length of the text for which the history was made.
    known: Option<(usize, usize)>,
    open: Option<OpenRequest>,
    /// Kinds and tools whose parts are listed, in every request.
    unfolded: HashSet<String>,
    top: Anchor,
    /// Index of the chosen row; the heading is never chosen.
    chosen: usize,
    /// Offset of the selection that the chosen row shows.
    shown: Option<usize>,
}

/// The request whose contents are listed.
#[derive(Clone)]
struct OpenRequest {
    /// Its index in the history.
    index: usize,
    contents: ContextContents,
    /// True if some of its items were not estimated yet.
    is_partial: bool,
}

/// A row of the history, which is always listed.
#[derive(Clone)]
enum HistoryRow {
    Compaction(CompactionEntry),
    /// A request by its number, and the part of the cache that it could not use.
    Request(usize, Option<CacheLoss>),
    /// All that the file shows, of a session whose requests have no counts.
    Whole,
}

/// A row of the pane.
enum ContextRow<'a> {
    Heading,
    History(usize),
    /// A part of the context, its depth from 1, and its name among the unfolded ones.
    Part(&'a ContextNode, usize, String),
    /// A sentence on the contents above it.
    Note(String),
}

/// All rows: the history, and the contents of the open request.
struct Entries<'a> {
    rows: EntryRows,
    contents: Vec<ContextRow<'a>>,
}

impl<'a> Entries<'a> {
    fn get(&self, row: usize) -> Option<ContextRow<'a>> {
        Some(match self.rows.get(row)? {
            EntryRow::Heading => ContextRow::Heading,
            EntryRow::Entry(index) => ContextRow::History(index),
            EntryRow::Content(index) => match self.contents.get(index)? {
                ContextRow::Part(part, depth, name) => ContextRow::Part(part, *depth, name.clone()),
                ContextRow::Note(words) => ContextRow::Note(words.clone()),
                _ => return None,
            },
        })
    }
}

impl Context {
    fn entries<'a>(&'a self, view: &View) -> Entries<'a> {
        let mut contents = Vec::new();
        if let Some(open) = &self.open {
            self.list_parts(&open.contents.kinds, (1, ""), &mut contents);
            contents.extend(self.notes(view, open).map(ContextRow::Note));
        }
        let open = self.open.as_ref().map(|open| open.index);
        Entries { rows: EntryRows { entries: self.history.len(), open, contents: contents.len() }, contents }
    }

    /// Adds parts, and what is inside the unfolded ones.
    fn list_parts<'a>(&self, parts: &'a [ContextNode], (depth, above): (usize, &str), rows: &mut Vec<ContextRow<'a>>) {
        for part in parts {
            let name = part_name(part, above);
            let is_open = self.unfolded.contains(&name);
            rows.push(ContextRow::Part(part, depth, name.clone()));
            if is_open {
                self.list_parts(&part.parts, (depth + 1, &name), rows);
            }
        }
    }

    /// Sentences on the contents of a request: the difference to what the API counted, and what is not in the context any more.
    fn notes(&self, view: &View, open: &OpenRequest) -> impl Iterator<Item = String> + use<> {
        let OpenRequest { index, contents, is_partial } = open;
        let estimated = contents.tokens();
        let requests = view.session.document().requests();
        let request = self.history.get(*index).and_then(HistoryRow::request).and_then(|number| requests.get(number));
        let counted = request.and_then(|request| request.prompt()).map(|counted| {
            let sizes = format!("counted {}, in the file ~{}", figures::tokens(counted), figures::tokens(estimated));
            match counted.checked_sub(estimated).filter(|rest| rest * 20 > counted) {
                Some(rest) => format!("{sizes}; {} not recorded: system prompt, tools", figures::tokens(rest)),
                None => sizes,
            }
        });
        let counting = is_partial.then(|| "estimating the rest …".to_owned());
        let compacted = (contents.compacted > 0).then(|| {
            format!("~{} of earlier messages are not in the context any more", figures::tokens(contents.compacted))
        });
        counting.or(counted).into_iter().chain(compacted)
    }

    /// Folds or unfolds the chosen row; a row that cannot be folded folds the one that contains it, which is chosen.
    fn fold(&mut self, view: &View, is_open: Option<bool>) -> Response {
        let entries = self.entries(view);
        let Some(at) = self.chosen_rows(view).cursor().map(|at| at.unit) else { return Response::done() };
        let depth = |row: usize| match entries.get(row) {
            Some(ContextRow::Part(_, depth, _)) => depth,
            Some(ContextRow::Note(_)) => 1,
            _ => 0,
        };
        // Whether the row is unfolded, if it can be.
        let state = |row: usize| match entries.get(row)? {
            ContextRow::History(index) if matches!(self.history[index], HistoryRow::Compaction(_)) => None,
            ContextRow::History(index) => Some(entries.rows.open == Some(index)),
            ContextRow::Part(part, _, name) => (!part.parts.is_empty()).then(|| self.unfolded.contains(&name)),
            _ => None,
        };
        let Some((row, opens)) = row_to_fold(at, is_open, depth, state) else { return Response::done() };
        let row = if let Some(ContextRow::Part(_, _, name)) = entries.get(row) {
            if opens {
                self.unfolded.insert(name);
            } else {
                self.unfolded.remove(&name);
            }
            row
        } else {
            // Of the requests, only one is unfolded: rows above may have gone.
            let index = entries.rows.entry_at(row);
            if opens {
                self.list_contents(view, index);
            } else {
                self.open = None;
            }
            self.entries(view).rows.row_of(index)
        };
        let response = self.choose(view, row);
        if opens {
            self.scroll(view, &list::raised);
        }
        response
    }

    /// Lists what fills the context of a request.
    fn list_contents(&mut self, view: &View, index: usize) {
        let requests = view.session.document().requests();
        let request = self.history.get(index).and_then(HistoryRow::request).and_then(|number| requests.get(number));
        let contents = contents(&view.session, &self.sizes, request.as_ref());
        self.open = Some(OpenRequest { index, contents, is_partial: self.sizes.is_behind(&view.session) });
    }

    /// Chooses the next (1) or previous (-1) request that could not use the cache of the one before.
    fn go_to_loss(&mut self, view: &View, direction: i8) -> Response {
        let entries = self.entries(view);
        let at = entries.rows.entry_at(self.chosen);
        let is_loss = |index: &usize| matches!(self.history[*index], HistoryRow::Request(_, Some(_)));
        let found = if direction > 0 {
            (at + 1..self.history.len()).find(is_loss)
        } else {
            (0..at.min(self.history.len())).rev().find(is_loss)
        };
        if let Some(index) = found {
            let row = entries.rows.row_of(index);
            return self.choose(view, row);
        }
        let way = if direction > 0 { "later" } else { "earlier" };
        Response::message(format!("no {way} request lost what was cached"), Role::Dim)
    }

    /// Lists what has arrived, and chooses the row of the selection.
    fn follow_text(&mut self, view: &View) {
        if self.known != Some(state_of(view)) {
            self.list_history(view);
        }
        self.follow_selection(view);
    }

    /// Chooses the request that answers at the selection, or the last one before it.
    fn follow_selection(&mut self, view: &View) {
        let offset = view.selection.offset;
        if self.shown == Some(offset) || view.layout.focused() == PaneId::Context && self.shown.is_some() {
            return;
        }
        self.shown = Some(offset);
        let is_up_to = |row: &HistoryRow| row.target(view).is_none_or(|target| target.offset <= offset);
        let number = self.history.partition_point(is_up_to).saturating_sub(1);
        self.chosen = self.entries(view).rows.row_of(number);
        self.reveal(view);
    }

    /// Lists the requests and compactions of the text so far.
    fn list_history(&mut self, view: &View) {
        let document = view.session.document();
        let mut compactions = document.compactions().peekable();
        let mut history = Vec::new();
        for (number, loss) in cache_losses(document) {
            let place = document.requests().get(number).map_or(usize::MAX, |request| request.place);
            while let Some(entry) = compactions.next_if(|entry| entry.place <= place) {
                history.push(HistoryRow::Compaction(entry));
            }
            history.push(HistoryRow::Request(number, loss));
        }
        history.extend(compactions.map(HistoryRow::Compaction));
        if history.iter().all(|row| row.request().is_none()) && !document.items().is_empty() {
            history.push(HistoryRow::Whole);
        }
        self.extent = ContextExtent::new(document, history.iter().filter_map(HistoryRow::request));
        self.history = history;
        self.known = Some(state_of(view));
        // What arrives does not change the prompts before it, only all that the file shows.
        let open = self.open.as_ref().map(|open| open.index);
        match open.and_then(|index| Some((index, self.history.get(index)?))) {
            Some((index, HistoryRow::Whole)) => self.list_contents(view, index),
            Some(_) => {}
            None => self.open = None,
        }
    }
}

impl RowChoice for Context {
    fn chosen_rows<'a>(&'a self, view: &'a View) -> ChosenRows<'a> {
        let entries = self.entries(view);
        let scale = rows::Scale::new(view, self.extent);
        let (pane, count, chosen) = (PaneId::Context, entries.rows.len(), self.chosen.max(1));
        let estimated = self.open.as_ref().map_or(0, |open| open.contents.tokens());
        let row = move |at: usize| {
            Some(match entries.get(at)? {
                ContextRow::Heading => scale.heading(),
                ContextRow::Note(words) => rows::note(&words),
                ContextRow::Part(part, depth, name) => {
                    rows::part(view, part, depth, self.unfolded.contains(&name), estimated)
                }
                ContextRow::History(index) => match &self.history[index] {
                    HistoryRow::Compaction(entry) => rows::compaction(entry),
                    HistoryRow::Request(request, loss) => {
                        scale.request(view, *request, loss.as_ref(), entries.rows.open == Some(index))
                    }
                    HistoryRow::Whole => rows::whole(entries.rows.open == Some(index)),
                },
            })
        };
        ChosenRows { pane, view, count, chosen, row: Box::new(row) }
    }

    fn top(&self) -> Anchor {
        self.top
    }

    /// The heading is never chosen, and stays visible above the first row.
    fn set_chosen(&mut self, view: &View, row: usize) {
        self.chosen = row.max(1);
        if self.chosen == 1 {
            self.top = Anchor::default();
        }
        self.shown = self.target(view).map(|target| target.offset).or(self.shown);
    }

    fn target(&self, view: &View) -> Option<Target> {
        match self.entries(view).get(self.chosen)? {
            ContextRow::History(index) => self.history[index].target(view),
            ContextRow::Part(ContextNode { content: ContextContent::Item(item), .. }, ..) => {
                Some(Target::new(*item, view.session.document().items().span(*item)?.start))
            }
            _ => None,
        }
    }

    /// Goes to the place of the chosen row, or folds it.
    fn visit(&mut self, view: &View) -> Response {
        match self.target(view) {
            Some(target) => read_at(target),
            None => self.fold(view, None),
        }
    }
}

/// Name of a part below another one in the set of unfolded parts.
fn part_name(part: &ContextNode, above: &str) -> String {
    match &part.content {
        ContextContent::Kind(kind) => kind.words().to_owned(),
        ContextContent::Tool(tool) => format!("{above}/{tool}"),
        ContextContent::Item(_) => String::new(),
    }
}

/// Number of requests and length of the text: if both are the same, nothing has arrived.
fn state_of(view: &View) -> (usize, usize) {
    (view.session.document().requests().len(), view.session.text().len())
}

impl HistoryRow {
    fn request(&self) -> Option<usize> {
        if let Self::Request(number, _) = self { Some(*number) } else { None }
    }

    fn target(&self, view: &View) -> Option<Target> {
        let document = view.session.document();
        let message = match self {
            Self::Compaction(entry) => entry.message,
            Self::Request(number, _) => document.requests().get(*number)?.message,
            Self::Whole => return None,
        };
        let start = document.messages().start(message)?;
        Some(Target::new(document.item_at(start)?, start))
    }
}

impl Pane for Context {
    fn title(&self, view: &View) -> Option<String> {
        let (tokens, window) = view.context_at(view.selection.offset)?;
        let share = window.and_then(|window| figures::percent(tokens, window.value));
        Some(format!("Context {}", share.unwrap_or_else(|| figures::tokens(tokens))))
    }

    fn list<'a>(&'a self, view: &'a View) -> Option<(Box<dyn List + 'a>, Anchor)> {
        Some((Box::new(self.chosen_rows(view)), self.top))
    }

    fn set_top(&mut self, top: Anchor) {
        self.top = top;
    }

    fn placeholder(&self, _: &View) -> &'static str {
        "nothing was sent to a model yet"
    }

    fn act(&mut self, view: &View, action: Action) -> Response {
        // A key may arrive before the first frame.
        self.follow_text(view);
        match action {
            Action::Move(motion) => self.move_choice(view, motion),
            Action::Open => self.fold(view, Some(true)),
            Action::Close => self.fold(view, Some(false)),
            Action::Toggle => self.visit(view),
            Action::Problem(direction) => self.go_to_loss(view, direction),
            Action::UnfoldAll => {
                let kinds = self.open.iter().flat_map(|open| &open.contents.kinds);
                self.unfolded = kinds.map(|kind| part_name(kind, "")).collect();
                Response::done()
            }
            Action::FoldAll => {
                self.unfolded.clear();
                Response::done()
            }
            _ => Response::Ignored,
        }
    }

    fn click(&mut self, view: &View, _: usize, row: usize) -> Response {
        self.click_row(view, row)
    }

    fn renumber(&mut self, _: &dyn Fn(usize) -> Option<usize>) {
        *self = Self { unfolded: std::mem::take(&mut self.unfolded), ..Self::default() };
    }

    fn forget_from(&mut self, first: usize) {
        self.sizes.forget_from(first);
        self.known = None;
    }

    fn prepare(&mut self, view: &View) {
        if view.is_shown(PaneId::Context) {
            self.follow_text(view);
        }
    }

    fn has_work(&self, view: &View) -> bool {
        view.is_shown(PaneId::Context) && self.sizes.is_behind(&view.session)
    }

    fn work(&mut self, view: &View) {
        self.sizes.advance(&view.session);
        if !self.sizes.is_behind(&view.session)
            && let Some(index) = self.open.as_ref().map(|open| open.index)
        {
            self.list_contents(view, index);
        }
    }
}
