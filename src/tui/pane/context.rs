//! The context of each request to the model: a bar of what was read from the cache, what was new, and the answer. An unfolded
//! request lists what fills its context, by kind and tool, largest first.

mod rows;

use std::collections::HashSet;

use crate::context_usage::{
    CacheLoss, ContextContent, ContextContents, ContextNode, ItemTokens, cache_losses, contents,
};
use crate::document::facts::compactions::CompactionEntry;

use crate::tui::action::{Action, Motion, PaneId};
use crate::tui::pane::list::{self, ChosenRows, List, Moved};
use crate::tui::pane::{Pane, Request, Response};
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
    /// Number of requests and length of the text for which the history was made.
    known: Option<(usize, usize)>,
    /// Index in the history of the request whose contents are listed, with its contents.
    open: Option<(usize, ContextContents)>,
    /// Kinds and tools whose parts are listed, in every request.
    unfolded: HashSet<String>,
    top: Anchor,
    /// Index of the chosen row; the heading is never chosen.
    chosen: usize,
    /// Offset of the selection that the chosen row shows.
    shown: Option<usize>,
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

impl Context {
    /// The rows with what they show.
    fn entries<'a>(&'a self, view: &View) -> Vec<ContextRow<'a>> {
        let mut rows = Vec::with_capacity(self.history.len() + 1);
        if self.history.is_empty() {
            return rows;
        }
        rows.push(ContextRow::Heading);
        for number in 0..self.history.len() {
            rows.push(ContextRow::History(number));
            if let Some((_, contents)) = self.open.as_ref().filter(|(open, _)| *open == number) {
                self.list_parts(&contents.kinds, (1, ""), &mut rows);
                rows.extend(self.notes(view, number, contents).map(ContextRow::Note));
            }
        }
        rows
    }

    /// Adds parts, and what is inside the unfolded ones.
    fn list_parts<'a>(
        &'a self,
        parts: &'a [ContextNode],
        (depth, above): (usize, &str),
        rows: &mut Vec<ContextRow<'a>>,
    ) {
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
    fn notes(&self, view: &View, number: usize, contents: &ContextContents) -> impl Iterator<Item = String> {
        let estimated = contents.tokens();
        let counted = match &self.history[number] {
            HistoryRow::Request(request, _) => {
                view.session.document().requests().get(*request).and_then(|r| r.prompt())
            }
            _ => None,
        };
        let counted = counted.map(|counted| {
            let sizes = format!("counted {}, in the file ~{}", figures::tokens(counted), figures::tokens(estimated));
            match counted.checked_sub(estimated).filter(|rest| rest * 20 > counted) {
                Some(rest) => format!("{sizes}; {} not recorded: system prompt, tools", figures::tokens(rest)),
                None => sizes,
            }
        });
        let compacted = (contents.compacted > 0).then(|| {
            format!("~{} of earlier messages are not in the context any more", figures::tokens(contents.compacted))
        });
        counted.into_iter().chain(compacted)
    }

    fn rows<'a>(&'a self, view: &'a View) -> ChosenRows<'a> {
        let entries = self.entries(view);
        let scale = rows::Scale::new(view, self.history.iter().filter_map(HistoryRow::request));
        let (pane, count, chosen) = (PaneId::Context, entries.len(), self.chosen.max(1));
        let estimated = self.open.as_ref().map_or(0, |(_, contents)| contents.tokens());
        let row = move |at: usize| {
            Some(match entries.get(at)? {
                ContextRow::Heading => scale.heading(),
                ContextRow::Note(words) => rows::note(words),
                ContextRow::Part(part, depth, name) => {
                    rows::part(view, part, *depth, self.unfolded.contains(name), estimated)
                }
                ContextRow::History(number) => {
                    let is_open = self.open.as_ref().is_some_and(|(open, _)| open == number);
                    match &self.history[*number] {
                        HistoryRow::Compaction(entry) => rows::compaction(entry),
                        HistoryRow::Request(request, loss) => scale.request(view, *request, loss.as_ref(), is_open),
                        HistoryRow::Whole => rows::whole(is_open),
                    }
                }
            })
        };
        ChosenRows { pane, view, count, chosen, row: Box::new(row) }
    }

    /// Chooses a row and selects its place. The heading stays visible above the first row.
    fn choose(&mut self, view: &View, chosen: usize) -> Response {
        self.chosen = chosen.max(1);
        if self.chosen == 1 {
            self.top = Anchor::default();
        }
        self.reveal(view);
        let target = self.target(view);
        self.shown = target.map(|target| target.offset).or(self.shown);
        Response::select(target)
    }

    /// The place of the chosen row.
    fn target(&self, view: &View) -> Option<Target> {
        let document = view.session.document();
        match self.entries(view).get(self.rows(view).cursor()?.unit)? {
            ContextRow::History(number) => self.history[*number].target(view),
            ContextRow::Part(ContextNode { content: ContextContent::Item(item), .. }, ..) => {
                Some(Target::new(*item, document.items().span(*item)?.start))
            }
            _ => None,
        }
    }

    /// Folds or unfolds the chosen row; a row that cannot be folded folds the one that contains it, which is chosen.
    fn fold(&mut self, view: &View, is_open: Option<bool>) -> Response {
        let Some(at) = self.rows(view).cursor().map(|at| at.unit) else { return Response::done() };
        let entries = self.entries(view);
        let depth_of = |row: &ContextRow<'_>| match row {
            ContextRow::Part(_, depth, _) => *depth,
            ContextRow::Note(_) => 1,
            _ => 0,
        };
        let can_fold = |row: &ContextRow<'_>| match row {
            ContextRow::History(number) => !matches!(self.history[*number], HistoryRow::Compaction(_)),
            ContextRow::Part(part, ..) => !part.parts.is_empty(),
            _ => false,
        };
        let is_unfolded = |row: &ContextRow<'_>| match row {
            ContextRow::History(number) => self.open.as_ref().is_some_and(|(open, _)| open == number),
            ContextRow::Part(_, _, name) => self.unfolded.contains(name),
            _ => false,
        };
        let here = can_fold(&entries[at]) && (is_open != Some(false) || is_unfolded(&entries[at]));
        let row = if here || is_open == Some(true) {
            at
        } else {
            let depth = depth_of(&entries[at]);
            let around = (0..at).rev().find(|&row| depth_of(&entries[row]) < depth);
            around.filter(|&row| row > 0).unwrap_or(at)
        };
        if !can_fold(&entries[row]) {
            return Response::done();
        }
        let opens = is_open.unwrap_or_else(|| !is_unfolded(&entries[row]));
        let (number, name) = match &entries[row] {
            ContextRow::History(number) => (Some(*number), String::new()),
            ContextRow::Part(_, _, name) => (None, name.clone()),
            _ => return Response::done(),
        };
        match (number, opens) {
            (Some(number), true) => self.list_contents(view, number),
            (Some(_), false) => self.open = None,
            (None, true) => _ = self.unfolded.insert(name),
            (None, false) => _ = self.unfolded.remove(&name),
        }
        // Of the requests, only one is unfolded: rows above may have gone.
        let row = match number {
            Some(number) => self.row_of(view, number),
            None => row,
        };
        let response = self.choose(view, row);
        if opens {
            self.scroll(view, &list::raised);
        }
        response
    }

    /// Lists what fills the context of a request.
    fn list_contents(&mut self, view: &View, number: usize) {
        let requests = view.session.document().requests();
        let request = self.history.get(number).and_then(HistoryRow::request).and_then(|request| requests.get(request));
        self.open = Some((number, contents(&view.session, &self.sizes, request.as_ref())));
    }

    /// The row of a part of the history.
    fn row_of(&self, view: &View, number: usize) -> usize {
        let is_row = |row: &ContextRow<'_>| matches!(row, ContextRow::History(known) if *known == number);
        self.entries(view).iter().position(is_row).unwrap_or(1)
    }

    /// Goes to the place of the chosen row, or folds it.
    fn visit(&mut self, view: &View) -> Response {
        match self.target(view) {
            Some(target) => Response::Done(vec![Request::GoTo(target), Request::Focus(PaneId::Reading)]),
            None => self.fold(view, None),
        }
    }

    /// Chooses the next (1) or previous (-1) request that could not use the cache of the one before.
    fn go_to_loss(&mut self, view: &View, direction: i8) -> Response {
        let entries = self.entries(view);
        let is_loss = |row: &usize| match entries.get(*row) {
            Some(ContextRow::History(number)) => matches!(self.history[*number], HistoryRow::Request(_, Some(_))),
            _ => false,
        };
        let at = self.chosen.max(1);
        let found = if direction > 0 { (at + 1..entries.len()).find(is_loss) } else { (0..at).rev().find(is_loss) };
        if let Some(row) = found {
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
        self.chosen = self.row_of(view, number);
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
        self.history = history;
        self.known = Some(state_of(view));
        if let Some((number, _)) = self.open.take().filter(|(number, _)| *number < self.history.len()) {
            self.list_contents(view, number);
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
        Some((Box::new(self.rows(view)), self.top))
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
            Action::Move(motion) => {
                let moved = self.rows(view).moved(self.top, motion);
                match moved {
                    None => Response::done(),
                    Some((chosen, Some(step))) if motion != Motion::Top => {
                        self.chosen = chosen.max(1);
                        let target = self.target(view);
                        self.shown = target.map(|target| target.offset).or(self.shown);
                        Response::moved(PaneId::Context, Moved { target, step: Some(step) })
                    }
                    Some((chosen, _)) => self.choose(view, chosen),
                }
            }
            Action::Open => self.fold(view, Some(true)),
            Action::Close => self.fold(view, Some(false)),
            Action::Toggle => self.visit(view),
            Action::Problem(direction) => self.go_to_loss(view, direction),
            Action::UnfoldAll => {
                let kinds = self.open.iter().flat_map(|(_, contents)| &contents.kinds);
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
        let clicked = self.rows(view).clicked(self.top, row);
        match clicked {
            None => Response::done(),
            Some((_, true)) => self.visit(view),
            Some((chosen, false)) => self.choose(view, chosen),
        }
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
            && let Some((number, _)) = self.open
        {
            self.list_contents(view, number);
        }
    }
}
