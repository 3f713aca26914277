//! The selection that all panes share: bytes of the prompt, the part of the template that wrote them, and their field.

use std::ops::Range;

use crate::tui::action::Motion;
use crate::tui::list::{ListState, VisibleRows};
use crate::tui::screen::template::TemplateScreen;
use crate::tui::screen::template::layout::TemplatePane;
use crate::tui::viewport::{self, Anchor, Rows};
use crate::tui::widget::text::TextUnits;

/// The selection as each pane shows it. A part without a counterpart in another pane leaves nothing selected there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct TemplateSelection {
    /// Index of the span of the prompt.
    pub span: Option<usize>,
    /// Index of the part of the template.
    pub piece: Option<usize>,
    /// Index of the node of the conversation.
    pub node: Option<usize>,
}

impl TemplateScreen {
    /// The source in its pane.
    pub(super) fn source_units(&self) -> Option<TextUnits<'_>> {
        let template = self.template()?;
        Some(self.source.units(&template.source, &template.source_index))
    }

    /// The prompt in its pane.
    pub(super) fn prompt_units(&self) -> Option<TextUnits<'_>> {
        let prompt = self.indexed()?;
        Some(self.prompt.units(&prompt.text, &prompt.index))
    }

    /// The visible part of a pane.
    pub(super) fn room(&self, pane: TemplatePane) -> VisibleRows {
        let margin = if pane == TemplatePane::Problems { 0 } else { 2 };
        VisibleRows { height: usize::from(self.areas.inner(pane).height), margin }
    }

    /// Changes the position in a pane.
    pub(super) fn scroll(&mut self, pane: TemplatePane, change: impl FnOnce(&mut ListState, &dyn viewport::Units)) {
        match pane {
            TemplatePane::Source => {
                let mut list = self.source.list;
                if let Some(units) = self.source_units() {
                    change(&mut list, &units);
                }
                self.source.list = list;
            }
            TemplatePane::Prompt => {
                let mut list = self.prompt.list;
                if let Some(units) = self.prompt_units() {
                    change(&mut list, &units);
                }
                self.prompt.list = list;
            }
            TemplatePane::Conversation => change(&mut self.tree, &Rows(self.visible.len())),
            TemplatePane::Problems => {
                let mut list = self.problem_list;
                change(&mut list, &self.problem_units());
                self.problem_list = list;
            }
        }
    }

    /// Moves in the focused pane, and selects what is there.
    pub(super) fn go(&mut self, motion: Motion) {
        let (pane, room) = (self.focus, self.room(self.focus));
        let line = self.line_number(motion);
        self.scroll(pane, |list, units| match line {
            Some(unit) => list.choose(units, Anchor { unit, ..Anchor::default() }, room),
            None => list.go(units, motion, room),
        });
        self.select_here();
    }

    /// The part of a text that a motion to a line leads to.
    fn line_number(&self, motion: Motion) -> Option<usize> {
        let Motion::To(line) = motion else { return None };
        match self.focus {
            TemplatePane::Source => self.template().map(|template| template.source_index.part_of_line(line)),
            TemplatePane::Prompt => self.indexed().map(|prompt| prompt.index.part_of_line(line)),
            _ => None,
        }
    }

    /// Selects what is at the position of the focused pane.
    pub(super) fn select_here(&mut self) {
        match self.focus {
            TemplatePane::Source => {
                let bytes = self.source_units().map(|units| units.bytes(self.source.list.at));
                let piece = bytes.and_then(|bytes| self.indexed()?.piece_in(&bytes));
                self.select_piece(piece);
            }
            TemplatePane::Prompt => {
                let bytes = self.prompt_units().map(|units| units.bytes(self.prompt.list.at));
                let span = bytes.and_then(|bytes| self.indexed().map(|prompt| prompt.spans_in(&bytes)));
                // A span that continues from the row above is not the first choice.
                self.select_span(span.and_then(|spans| self.best_of(spans)));
            }
            TemplatePane::Conversation => {
                let node = self.visible.get(self.tree.at.row).copied();
                self.select_node(node);
            }
            TemplatePane::Problems => {}
        }
    }

    /// Of the spans of a row, the selected one, else the first that begins there.
    fn best_of(&self, spans: Range<usize>) -> Option<usize> {
        let row = self.prompt_units()?.bytes(self.prompt.list.at);
        let prompt = self.indexed()?;
        let begins = spans.clone().find(|&span| prompt.spans[span].range.start >= row.start);
        begins.or(Some(spans.start).filter(|span| spans.contains(span)))
    }

    /// Selects a span of the prompt, the part of the template that wrote it, and its field.
    pub(super) fn select_span(&mut self, span: Option<usize>) {
        let found = span.zip(self.indexed()).map(|(number, prompt)| &prompt.spans[number]);
        let piece = found.map(|span| span.piece);
        let field = found.and_then(|span| span.field);
        let node = field.and_then(|field| self.fields()?.node_of(field));
        self.selection = TemplateSelection { span, piece, node };
        self.show_others();
    }

    /// Selects a part of the template, and what it wrote next to what was selected.
    pub(super) fn select_piece(&mut self, piece: Option<usize>) {
        let from = self.selected_offset();
        let span =
            piece.zip(self.indexed()).and_then(|(piece, prompt)| prompt.nearest(&prompt.pieces[piece].spans, from));
        self.select_span(span);
        self.selection.piece = piece;
    }

    /// Selects a node of the conversation, and the place of its first field in the prompt.
    pub(super) fn select_node(&mut self, node: Option<usize>) {
        let span = node.and_then(|node| self.spans_of_node(node).into_iter().next());
        self.select_span(span);
        self.selection.node = node;
    }

    /// The first spans of the fields of a node, in the order of the prompt.
    pub(super) fn spans_of_node(&self, node: usize) -> Vec<usize> {
        let fields = self.fields().and_then(|tree| tree.nodes.get(node)).map(|node| node.fields.clone());
        let Some((fields, prompt)) = fields.zip(self.indexed()) else { return Vec::new() };
        let Some(places) = prompt.places.get(fields) else { return Vec::new() };
        if let [of_one] = places {
            return of_one.clone();
        }
        let mut firsts: Vec<usize> = places.iter().filter_map(|spans| spans.first().copied()).collect();
        firsts.sort_unstable();
        firsts.dedup();
        firsts
    }

    /// Selects the next (1) or previous (-1) part: in a text the next span, in the conversation it folds.
    pub(super) fn step(&mut self, direction: i8) {
        match self.focus {
            TemplatePane::Source => {
                let count = self.indexed().map_or(0, |prompt| prompt.pieces.len());
                let piece = stepped(self.selection.piece, direction, count);
                self.select_piece(piece);
                self.show_source();
            }
            TemplatePane::Prompt => {
                let count = self.indexed().map_or(0, |prompt| prompt.spans.len());
                let span = stepped(self.selection.span, direction, count);
                self.select_span(span);
                self.show_prompt();
            }
            TemplatePane::Conversation => self.fold(direction < 0),
            TemplatePane::Problems => {}
        }
    }

    /// Selects the next place in the prompt that the selected part of the template, or the selected field, wrote.
    pub(super) fn next_place(&mut self) {
        let places = match (self.focus, self.selection) {
            (TemplatePane::Conversation, TemplateSelection { node: Some(node), .. }) => self.spans_of_node(node),
            (_, TemplateSelection { piece: Some(piece), .. }) => {
                self.indexed().map(|prompt| prompt.pieces[piece].spans.clone()).unwrap_or_default()
            }
            _ => Vec::new(),
        };
        let after = places.partition_point(|span| Some(*span) <= self.selection.span);
        let Some(&span) = places.get(after).or(places.first()) else { return };
        let TemplateSelection { piece, node, .. } = self.selection;
        self.select_span(Some(span));
        match self.focus {
            TemplatePane::Conversation => self.selection.node = node,
            TemplatePane::Source => self.selection.piece = piece,
            _ => self.show_prompt(),
        }
    }

    /// Offset of the selection in the prompt, or of the position there.
    fn selected_offset(&self) -> usize {
        let selected = self.selection.span.zip(self.indexed()).map(|(span, prompt)| prompt.spans[span].range.start);
        let here = || self.prompt_units().map(|units| units.bytes(self.prompt.list.at).start);
        selected.or_else(here).unwrap_or_default()
    }

    /// Scrolls the selection into view in the panes that do not have the focus.
    pub(super) fn show_others(&mut self) {
        if self.focus != TemplatePane::Source {
            self.show_source();
        }
        if self.focus != TemplatePane::Prompt {
            self.show_prompt();
        }
        if self.focus != TemplatePane::Conversation
            && let Some(node) = self.selection.node
        {
            self.unfold_to(node);
        }
    }

    /// Shows the selected part of the template.
    pub(super) fn show_source(&mut self) {
        let place = self.selection.piece.zip(self.indexed()).map(|(piece, prompt)| prompt.pieces[piece].source.start);
        if let Some(offset) = place {
            self.show_source_at(offset);
        }
    }

    /// Shows a byte of the source.
    pub(super) fn show_source_at(&mut self, offset: usize) {
        let at = self.source_units().map(|units| units.anchor(offset));
        self.reveal_at(TemplatePane::Source, at);
    }

    /// Shows the selected span of the prompt.
    pub(super) fn show_prompt(&mut self) {
        let offset = self.selection.span.zip(self.indexed()).map(|(span, prompt)| prompt.spans[span].range.start);
        let at = offset.and_then(|offset| Some(self.prompt_units()?.anchor(offset)));
        self.reveal_at(TemplatePane::Prompt, at);
    }

    pub(super) fn reveal_at(&mut self, pane: TemplatePane, at: Option<Anchor>) {
        let room = self.room(pane);
        if let Some(at) = at {
            self.scroll(pane, |list, units| list.choose(units, at, room));
        }
    }

    /// Keeps the positions of all panes visible after a change of their sizes.
    pub(super) fn reveal_all(&mut self) {
        for pane in TemplatePane::ALL {
            let room = self.room(pane);
            self.scroll(pane, |list, units| {
                list.at = viewport::clamp(units, list.at).unwrap_or_default();
                list.reveal(units, room);
            });
        }
    }
}

/// The index after or before another one; from none the first.
fn stepped(from: Option<usize>, direction: i8, count: usize) -> Option<usize> {
    let last = count.checked_sub(1)?;
    Some(from.map_or(0, |from| crate::tui::action::stepped(from, direction, 1, last)))
}
