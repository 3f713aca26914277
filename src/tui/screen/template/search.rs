//! The search in the focused pane: the source, the prompt, or the fields of the conversation.

use std::ops::Range;

use crate::text::search::Search;
use crate::text::{Span, Text};
use crate::tui::row::grouped;
use crate::tui::screen::template::TemplateScreen;
use crate::tui::screen::template::layout::TemplatePane;
use crate::tui::style::Role;
use crate::tui::viewport::Anchor;

/// A finished search of one pane.
pub(super) struct PaneSearch {
    /// The pane whose text was searched.
    pub pane: TemplatePane,
    search: Search,
    /// The match that was gone to last.
    at: Option<Span>,
    /// Offsets at which the nodes of the conversation begin in the searched text; of other panes none.
    nodes: Vec<usize>,
}

impl PaneSearch {
    /// The matches in a byte range of the pane's text, each with whether it is the current one.
    pub fn matches_in(&self, bytes: &Range<usize>) -> impl Iterator<Item = (Range<usize>, bool)> + '_ {
        let found = self.search.matches_in(Span::new(bytes.start, bytes.end));
        found.map(|found| (found.start..found.end, self.at == Some(found)))
    }
}

impl TemplateScreen {
    /// Searches the focused pane for a pattern, and goes to the first match from the selection on; an empty pattern continues the
    /// last search.
    pub(super) fn search_for(&mut self, pattern: &str) {
        if pattern.is_empty() {
            return self.go_to_match(true);
        }
        let mut search = match Search::new(pattern) {
            Ok(search) => search,
            Err(error) => {
                let words = format!("{pattern:?} is not a regular expression: {error}");
                return self.chrome.show_message(words, Role::Error);
            }
        };
        let pane = if self.focus == TemplatePane::Problems { TemplatePane::Prompt } else { self.focus };
        let (mut text, mut nodes) = (Text::default(), Vec::new());
        match pane {
            TemplatePane::Source => text.push(self.template().map_or("", |template| &template.source).as_bytes()),
            TemplatePane::Conversation => {
                for node in 0..self.fields().map_or(0, |tree| tree.nodes.len()) {
                    nodes.push(text.len());
                    text.push(self.node_text(node).as_bytes());
                    text.push(b"\n");
                }
            }
            _ => text.push(self.indexed().map_or("", |prompt| &prompt.text).as_bytes()),
        }
        while search.advance(&text, true) {}
        let from = self.search_position(pane, &nodes);
        self.search = Some(PaneSearch { pane, search, at: None, nodes });
        self.show_match(from, true, true);
    }

    /// Goes to the next or previous match.
    pub(super) fn go_to_match(&mut self, forward: bool) {
        let Some(search) = &self.search else {
            return self.chrome.show_message("no search yet; press /", Role::Dim);
        };
        let from = search.at.map(|at| at.start);
        let from = from.unwrap_or_else(|| self.search_position(search.pane, &search.nodes));
        self.show_match(from, forward, false);
    }

    /// Offset in the searched text of the pane's position.
    fn search_position(&self, pane: TemplatePane, nodes: &[usize]) -> usize {
        let offset = match pane {
            TemplatePane::Source => self.source_units().map(|units| units.bytes(self.source.list.at).start),
            TemplatePane::Conversation => {
                let node = self.visible.get(self.tree.at.row).copied();
                node.and_then(|node| nodes.get(node).copied())
            }
            _ => self.prompt_units().map(|units| units.bytes(self.prompt.list.at).start),
        };
        offset.unwrap_or_default()
    }

    /// Shows the match after (or before) an offset, or at it if that is wanted.
    fn show_match(&mut self, from: usize, forward: bool, or_at: bool) {
        let Some(search) = &mut self.search else { return };
        let here = search.search.matches_in(Span::new(from, from + 1)).find(|found| found.start == from);
        let found = here.filter(|_| or_at).or_else(|| search.search.next(from, forward));
        let Some(found) = found else {
            let words = format!("no match for {:?}", search.search.pattern);
            return self.chrome.show_message(words, Role::Warning);
        };
        search.at = Some(found);
        let number = search.search.at(found.start).map_or(0, |(number, _)| number);
        let is_round = if forward { found.start < from } else { found.start > from };
        let (pane, total) = (search.pane, search.search.total);
        let node = search.nodes.partition_point(|start| *start <= found.start).checked_sub(1);
        let end = if is_round { "; continued at the other end" } else { "" };
        let words = format!("match {} of {}{end}", grouped(number), grouped(total));
        self.focus_on(pane);
        match pane {
            TemplatePane::Source => {
                let piece = self.indexed().and_then(|prompt| prompt.piece_in(&(found.start..found.end)));
                self.select_piece(piece);
                self.show_source_at(found.start);
            }
            TemplatePane::Conversation => {
                if let Some(node) = node {
                    self.unfold_to(node);
                }
                self.select_node(node);
            }
            _ => {
                let span = self.indexed().and_then(|prompt| prompt.span_at(found.start));
                self.select_span(span);
                let at: Option<Anchor> = self.prompt_units().map(|units| units.anchor(found.start));
                self.reveal_at(TemplatePane::Prompt, at);
            }
        }
        self.chrome.show_message(words, Role::Dim);
    }
}
