//! Changing the selection and revealing it in every pane, and carrying out the requests of panes.

use std::ops::ControlFlow;

use crate::text::Span;

use crate::tui::action::{Action, PaneId};
use crate::tui::message::Effect;
use crate::tui::pane::{Panes, Request, Response};
use crate::tui::row::Target;
use crate::tui::screen::transcript::{Transcript, declaration, notes, reparse, tail_preview};
use crate::tui::viewport::PageStep;

impl Transcript {
    /// Selects a target and reveals it in every pane.
    pub(super) fn select(&mut self, target: Target) {
        self.view.selection = target;
        self.reveal();
    }

    /// Scrolls the list of a pane, after selecting a target if there is one.
    fn scroll(&mut self, pane: PaneId, step: PageStep, target: Option<Target>) {
        if let Some(target) = target {
            self.select(target);
        }
        let scrolled = self.panes.get_mut(pane);
        scrolled.set_top(step.top);
        let cursor = scrolled.list(&self.view).and_then(|(list, _)| list.cursor());
        self.view.paged = Some((pane, step.choosing(cursor)));
    }

    /// Selects a target that may be far away, and reveals what follows it as well.
    pub(super) fn select_far(&mut self, target: Target) {
        self.select(target);
        self.panes.all_mut().for_each(|pane| pane.raise(&self.view));
        self.anchor_again();
    }

    /// Selects a whole item that may be far away, if it exists.
    pub(super) fn select_item(&mut self, item: usize) {
        self.remember_place();
        if let Some(target) = self.view.target_of_item(item) {
            self.select_far(target);
        }
    }

    /// Selects a target far away: stops following the end, and unfolds what hides the target.
    pub(super) fn go_to(&mut self, target: Target) {
        self.remember_place();
        self.show_far(target);
    }

    /// Like [`go_to`](Self::go_to), without adding to the jump list.
    pub(super) fn show_far(&mut self, target: Target) {
        self.following.hold_end = false;
        self.select(target);
        self.show_branch_of(target.item);
        if self.panes.all_mut().fold(false, |is_changed, pane| is_changed | pane.unfold(&self.view)) {
            self.refold();
        }
        // Unfolding has cleared the problem of the selection.
        self.select_far(target);
    }

    /// Selects the end of the text, or of the items that the filter does not hide, and scrolls every pane to it.
    pub(super) fn show_end(&mut self) {
        let document = self.view.session.document();
        let Some(item) = self.view.item_before(document.items().len()) else { return };
        let Span { start, end } = document.items().span(item).unwrap_or_default();
        // The undecided tail does not belong to an item yet.
        let end = if item + 1 == document.items().len() { self.view.session.text().len() } else { end };
        let last_byte = end.saturating_sub(1);
        let target = match document.call(item) {
            Some(_) => self.view.target_at(last_byte),
            // An item that has just begun may have no bytes yet.
            None => Target { item, node: None, offset: last_byte.max(start), problem: None },
        };
        self.select(target);
        self.panes.all_mut().for_each(|pane| pane.show_end(&self.view));
        self.following.arrived = 0;
    }

    /// Keeps the selection at its byte. A byte in the undecided tail of an item may now belong to the next item, and a
    /// parameter may be gone: one that arrived partially can turn out to be rejected.
    pub(super) fn keep_byte(&mut self) {
        let Target { item, node, offset, .. } = self.view.selection;
        let items = self.view.session.document().items();
        let moved = item + 1 < items.len() && items.span(item).is_some_and(|span| span.end <= offset);
        let gone = node.is_some_and(|id| self.view.assembly(item).is_none_or(|assembly| id >= assembly.tree.len()));
        if moved || gone {
            self.view.selection = self.view.target_at(offset);
        }
    }

    /// Shows abandoned messages if an item belongs to one.
    pub(super) fn show_branch_of(&mut self, item: usize) {
        if self.view.is_hidden(item) {
            self.view.all_branches = true;
            self.view.cache.borrow_mut().forget_rows();
        }
    }

    /// Goes to an offset of the text, or to the last byte if that is smaller.
    pub fn visit(&mut self, offset: usize) {
        // The preview of the end may not contain the offset.
        tail_preview::leave(self);
        self.following.hold_end = false;
        self.view.layout.focus_on(PaneId::Reading);
        let last = self.view.session.text().len().saturating_sub(1);
        self.select_far(self.view.target_at(offset.min(last)));
    }

    /// Lays out rows again after folds have changed.
    pub(super) fn refold(&mut self) {
        self.view.cache.borrow_mut().forget_folds();
        self.view.selection.problem = None;
        self.reveal();
    }

    /// Offers an action to the focused pane, then to the others. Breaks with the resulting effect once a pane has
    /// handled it.
    pub(super) fn act_in_panes(&mut self, action: Action) -> ControlFlow<Option<Effect>> {
        let focused = self.view.layout.focused();
        let response = self.panes.get_mut(focused).act(&self.view, action);
        let mut taken = self.respond(response);
        for &id in Panes::ALL.iter().filter(|&&id| id != focused) {
            if taken.is_continue() {
                let response = self.panes.get_mut(id).act_unfocused(&self.view, action);
                taken = self.respond(response);
            }
        }
        taken
    }

    /// Carries out the requests of a pane. Breaks with the resulting effect, unless the pane ignored the action.
    pub(super) fn respond(&mut self, response: Response) -> ControlFlow<Option<Effect>> {
        let Response::Done(requests) = response else { return ControlFlow::Continue(()) };
        let mut effect = None;
        for request in requests {
            match request {
                Request::Select(target) => self.select(target),
                Request::Scroll(pane, step, target) => self.scroll(pane, step, target),
                Request::Jump(target) => {
                    self.remember_place();
                    self.select_far(target);
                }
                Request::Visit(offset) => {
                    self.remember_place();
                    self.visit(offset);
                }
                Request::GoTo(target) => self.go_to(target),
                Request::EditNote(number) => notes::edit(self, number),
                Request::RemoveNote(number) => effect = notes::remove(self, number),
                Request::End => {
                    self.show_end();
                    self.following.hold_end = self.view.is_live();
                }
                Request::Focus(pane) => self.focus(pane),
                Request::Refold => self.refold(),
                Request::Reveal => self.reveal(),
                Request::InFile(in_file) => {
                    self.view.in_file = in_file;
                    self.panes.raw.widen_gutter(&self.view);
                    self.reveal();
                }
                Request::Reread(options, words) => self.reread(*options, &words),
                Request::Prompt(kind, words) => self.chrome.ask(kind, &words),
                Request::Tell(words, role) => self.show_message(words, role),
                Request::PlaceCursor(offset) => declaration::place_cursor(self, offset),
                Request::GoToFault(index) => {
                    self.focus(PaneId::DeclarationEditor);
                    declaration::show_fault(self, index);
                }
                Request::NewDialect => effect = declaration::begin(self),
                Request::Effect(asked) => effect = Some(asked),
            }
        }
        ControlFlow::Break(effect)
    }

    /// Reads the text again with other options.
    pub(super) fn reread(&mut self, options: crate::dialect::Options, words: &str) {
        self.view.options = options;
        reparse::begin(self, words);
    }
}
