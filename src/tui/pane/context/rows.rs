//! The rows of the context pane: a bar for each request, and the parts that fill its context.

use std::time::Duration;

use crate::context_usage::{CacheLoss, CacheLossReason, ContextContent, ContextExtent, ContextNode, RequestParts};
use crate::document::facts::compactions::CompactionEntry;
use crate::document::facts::requests::ModelRequest;
use crate::document::{Item, ItemKind};
use crate::text::wrap::fit;
use crate::wording::figures;

use crate::tui::action::PaneId;
use crate::tui::row::{Piece, Row, Target, fold_sign, grouped, padded, width};
use crate::tui::style::Role;
use crate::tui::view::View;

/// Columns of a number of tokens, and of a percentage.
const TOKENS: usize = 8;
const PERCENT: usize = 6;

/// Columns of the number of a request.
const NUMBER: usize = 6;

/// Columns of the bar of a kind or tool, and of its name.
const SHARE: usize = 12;
const NAME: usize = 32;

/// The glyphs of a bar: read from the cache, new in the prompt, answer, reasoning.
const GLYPHS: [(char, Role); 4] =
    [('█', Role::Gutter), ('▓', Role::Number), ('▒', Role::Assistant), ('░', Role::Pending)];

/// The scale of the bars: tokens and columns.
#[derive(Clone, Copy)]
pub(super) struct Scale {
    window: Option<u64>,
    /// Tokens of a bar that fills all columns: the window, or the largest request if that is not known or larger.
    all: u64,
    columns: usize,
}

impl Scale {
    /// The scale of requests with this extent in a pane of the current width.
    pub(super) fn new(view: &View, extent: ContextExtent) -> Self {
        let width = view.width(PaneId::Context);
        let columns = (width.saturating_sub(NUMBER + TOKENS + PERCENT + 4) * 11 / 20).clamp(8, 100);
        Self { window: extent.window, all: extent.full(), columns }
    }

    pub(super) fn heading(self) -> Row {
        let of = self.window.map_or_else(String::new, |window| format!("of {}", figures::tokens(window)));
        let mut lead = vec![Piece::new(format!("{:NUMBER$}{:>TOKENS$}  {of:<9}", "", "context"), Role::Dim)];
        for ((glyph, role), words) in GLYPHS.into_iter().zip(["cached", "new", "answer", "reasoning"]) {
            lead.extend([Piece::new(glyph.to_string(), role), Piece::new(format!(" {words}  "), Role::Dim)]);
        }
        Row { is_heading: true, ..Row::words(lead) }
    }

    /// The row of a request: number, tokens of its prompt, share of the window, bar, and what became of the cache.
    pub(super) fn request(self, view: &View, number: usize, loss: Option<&CacheLoss>, is_open: bool) -> Row {
        let document = view.session.document();
        let Some(request) = document.requests().get(number) else { return Row::default() };
        let prompt = request.prompt().unwrap_or_default();
        let share = self.window.and_then(|window| figures::percent(prompt, window)).unwrap_or_default();
        let mut lead =
            vec![fold_sign(is_open), Piece::new(format!("{:<1$}", number + 1, NUMBER - 2), Role::LineNumber)];
        let tokens = format!("{:>TOKENS$}{share:>PERCENT$} ", figures::tokens(prompt));
        lead.push(Piece::new(tokens, Role::Text));
        lead.extend(self.bar(&request));
        let room = view.width(PaneId::Context).saturating_sub(width(&lead) + 2);
        let (words, role) = match loss {
            Some(loss) => (loss_words(loss), Role::Warning),
            None => (cached_words(&request), Role::Dim),
        };
        lead.push(Piece::new(format!("  {}", fit(&words, room)), role));
        Row { target: target_of(view, request.message), ..Row::words(lead) }
    }

    /// The bar of a request, with a line at the end of the window.
    fn bar(self, request: &ModelRequest<'_>) -> Vec<Piece> {
        let column = |tokens: u64| (u128::from(tokens) * self.columns as u128).div_ceil(u128::from(self.all)) as usize;
        let mut pieces = Vec::new();
        let (mut sum, mut drawn) = (0, 0);
        for (tokens, (glyph, role)) in RequestParts::new(request).list().into_iter().zip(GLYPHS) {
            sum += tokens;
            let end = column(sum).min(self.columns);
            pieces.push(Piece::new(glyph.to_string().repeat(end - drawn), role));
            drawn = end;
        }
        let line = if self.window == Some(self.all) { "│" } else { " " };
        pieces.push(Piece::new(format!("{}{line}", " ".repeat(self.columns - drawn)), Role::Gutter));
        pieces
    }
}

fn loss_words(loss: &CacheLoss) -> String {
    let reasons: Vec<String> = loss.reasons.iter().map(reason_words).collect();
    let reasons = if reasons.is_empty() { "reason not recorded".to_owned() } else { reasons.join(", ") };
    format!("! cache lost {}: {reasons}", figures::tokens(loss.tokens))
}

fn reason_words(reason: &CacheLossReason) -> String {
    match reason {
        CacheLossReason::Model => "another model".to_owned(),
        CacheLossReason::Effort => "another effort".to_owned(),
        CacheLossReason::Idle(time) => format!("idle for {}", figures::duration(Duration::from_secs(time.as_secs()))),
        _ => "another reason".to_owned(),
    }
}

fn cached_words(request: &ModelRequest<'_>) -> String {
    let hits = request.usage.as_ref().and_then(figures::cache_hits);
    hits.map_or_else(String::new, |hits| format!("{hits} cached"))
}

pub(super) fn compaction(entry: &CompactionEntry) -> Row {
    Row::plain(format!("── {}", figures::compaction(entry)), Role::Warning)
}

pub(super) fn whole(is_open: bool) -> Row {
    let words = "all that the file shows; its requests have no counts of tokens";
    Row::words(vec![fold_sign(is_open), Piece::new(words, Role::Text)])
}

pub(super) fn note(words: &str) -> Row {
    Row::plain(format!("{:NUMBER$}{words}", ""), Role::Dim)
}

/// The row of a part of a context: tokens, share of all that is estimated, and its name.
pub(super) fn part(view: &View, part: &ContextNode, depth: usize, is_open: bool, estimated: u64) -> Row {
    let share = figures::percent(part.tokens, estimated).unwrap_or_default();
    let tokens = format!("~{}", figures::tokens(part.tokens));
    let mut lead = vec![Piece::new(format!("{:NUMBER$}{tokens:>TOKENS$}{share:>PERCENT$} ", ""), Role::Text)];
    lead.push(Piece::new("  ".repeat(depth), Role::Text));
    let (name, role) = match &part.content {
        ContextContent::Item(item) => return item_row(view, lead, *item),
        ContextContent::Kind(kind) => (kind.words(), Role::Heading),
        ContextContent::Tool(tool) if tool.is_empty() => ("results without a call", Role::Name),
        ContextContent::Tool(tool) => (&**tool, Role::Name),
    };
    lead.push(if part.parts.is_empty() { Piece::new("  ", Role::Text) } else { fold_sign(is_open) });
    lead.push(Piece::new(padded(name, NAME - 2 * depth), role));
    let columns = (part.tokens * SHARE as u64).div_ceil(estimated.max(1)) as usize;
    lead.push(Piece::new(format!(" {}", "█".repeat(columns.min(SHARE))), Role::Gutter));
    if matches!(part.content, ContextContent::Tool(_)) {
        lead.push(Piece::new(format!("  {}×", grouped(part.parts.len())), Role::Dim));
    }
    Row::words(lead)
}

/// The row of an item: the main argument of its call, or its first words, and its line.
fn item_row(view: &View, mut lead: Vec<Piece>, item: usize) -> Row {
    let document = view.session.document();
    let Some(read) = document.items().get(item) else { return Row::default() };
    let call = match read {
        Item::Call(_) => Some(item),
        Item::Result(result) => result.call.map(|(call, _)| call),
        _ => None,
    };
    let span = read.span();
    let words = call.and_then(|call| view.main_argument(call)).unwrap_or_else(|| view.first_words(span));
    let place = format!("  line {}", view.line_of(span.start));
    let room = view.width(PaneId::Context).saturating_sub(width(&lead) + place.len());
    let role = if document.items().kind(item) == Some(ItemKind::Aside) { Role::Dim } else { Role::Text };
    lead.push(Piece::new(fit(&words, room), role));
    lead.push(Piece::new(place, Role::Dim));
    Row { target: Some(Target::new(item, span.start)), ..Row::words(lead) }
}

fn target_of(view: &View, message: usize) -> Option<Target> {
    let document = view.session.document();
    let start = document.messages().start(message)?;
    Some(Target::new(document.item_at(start)?, start))
}
