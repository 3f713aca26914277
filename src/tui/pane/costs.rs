//! The costs pane: a table with the costs of the selected call and of all calls in each dialect, and below it the call
//! written in the chosen dialect, with what that cannot represent.

mod total;

use std::ops::Range;
use std::rc::Rc;

use crate::convert::Converted;
use crate::cost::{DialectCost, DialectCosts};
use crate::dialect::{DialectInfo, REGISTRY};
use crate::text::whole_characters;
use crate::text::wrap::fit;
use crate::wording::changes::loss;

use crate::tui::action::{Action, CopyForm, Motion, PaneId};
use crate::tui::message::{Copied, Effect, Navigation, Task};
use crate::tui::pane::{Pane, Request, Response};
use crate::tui::row::{Piece, Row, count, grouped, size, wrapped};
use crate::tui::style::Role;
use crate::tui::view::View;
use crate::tui::viewport::{self, Anchor, Page, PageStep};
use crate::tui::widget::rows::Line;
use total::{Chosen, Conversion, RunningCosts};

/// Rows of headings above the table.
const HEADINGS: usize = 2;

/// Minimum rows of the table, and rows that the text below it gets before the table shows all dialects.
const LEAST: usize = 3;
const BELOW: usize = 6;

/// Width of the name column.
const NAME: usize = 12;

/// Width of the cost columns for one call, and for all calls.
const COSTS: usize = 33;

/// Maximum lines and bytes of a text that are shown; a playground shows the rest.
const LINES: usize = 500;
const BYTES: usize = 32 * 1024;

/// Maximum number of losses that are listed.
const LOSSES: usize = 50;

/// The costs pane: the chosen dialect, the scroll position of the text below, and the costs known so far.
#[derive(Clone, Default)]
pub struct Costs {
    /// The chosen row.
    at: usize,
    /// The first visible row below the table.
    pub top: usize,
    /// Position after the last page step.
    paged: Option<PageStep>,
    /// Costs of the calls priced so far.
    running: RunningCosts,
    /// The item of the selected call and its costs.
    bill: Option<(usize, Rc<DialectCosts>)>,
    /// The selected call, or the first calls, in the chosen dialect.
    converted: Option<(Conversion, Rc<Converted>)>,
}

impl Costs {
    /// The dialect in the chosen row.
    pub fn chosen(&self) -> &'static DialectInfo {
        REGISTRY[self.at.min(REGISTRY.len() - 1)]
    }

    /// The dialects shown in a pane of this height: all, or the ones around the chosen one.
    fn shown(&self, height: usize) -> Range<usize> {
        let rows = height.saturating_sub(HEADINGS + BELOW).clamp(LEAST, REGISTRY.len());
        let first = self.at.saturating_sub(rows / 2).min(REGISTRY.len() - rows);
        first..first + rows
    }

    /// Rows of the pane below the table.
    fn room(&self, view: &View) -> usize {
        let height = view.height(PaneId::Costs);
        height.saturating_sub(HEADINGS + self.shown(height).len())
    }

    fn choose(&mut self, at: usize) {
        if self.at != at {
            self.at = at;
            self.top = 0;
        }
    }

    /// The rows below the table and the scroll position.
    fn text(&mut self, view: &View) -> (viewport::Rows, Anchor) {
        self.convert_shown(view);
        (viewport::Rows(self.below(view).len()), Anchor { row: self.top, ..Anchor::default() })
    }

    /// Scrolls the text by a page or half of one.
    fn turn_page(&mut self, view: &View, motion: Motion) {
        let (rows, top) = self.text(view);
        let height = self.room(view);
        let Some((direction, count)) = motion.pages(height) else { return };
        let page = Page { direction, rows: count, height, margin: 0 };
        self.paged = page.turn(&rows, (top, None), self.paged, |_| false);
        self.top = self.paged.map_or(self.top, |step| step.top.row);
    }

    /// Opens a playground with the calls in the chosen dialect.
    fn play(&self, view: &View) -> Response {
        let chosen = self.chosen();
        if !view.options.reads(chosen.name) {
            let name = chosen.name;
            let words = format!("the call format {name} is not read: switch it on under Settings (s)");
            return Response::message(words, Role::Warning);
        }
        self.written(view, |text, _| Effect::Go(Navigation::Play(text)))
    }

    /// Copies the calls in the chosen dialect.
    fn copy(&self, view: &View) -> Response {
        let name = self.chosen().name;
        self.written(view, |text, calls| {
            Effect::Run(Task::Copy(Copied::new(format!("{} as {name}", count(calls, "call")), text)))
        })
    }

    /// Calls `make` with the calls in the chosen dialect and their number.
    fn written(&self, view: &View, make: impl Fn(String, usize) -> Effect) -> Response {
        match self.to_be_written(view).filter(|(_, calls)| *calls > 0) {
            Some((converted, calls)) => {
                Response::ask(Request::Effect(make(String::from_utf8_lossy(&converted.text).into_owned(), calls)))
            }
            None => Response::message(
                match total::chosen(view) {
                    Chosen::Not(words) => words,
                    _ => "no call to convert",
                },
                Role::Dim,
            ),
        }
    }
}

impl Pane for Costs {
    fn rows(&self, view: &View, height: usize) -> Vec<Line> {
        self.table(view, height).into_iter().take(height).map(|(row, chosen)| Line::alone(row, chosen)).collect()
    }

    fn act(&mut self, view: &View, action: Action) -> Response {
        match action {
            Action::Move(motion @ (Motion::Half(_) | Motion::Page(_))) => self.turn_page(view, motion),
            Action::Move(motion) => self.choose(motion.moved(self.at, 1, REGISTRY.len() - 1)),
            Action::Toggle => return self.play(view),
            Action::Copy(CopyForm::Selection) => return self.copy(view),
            _ => return Response::Ignored,
        }
        Response::done()
    }

    fn click(&mut self, view: &View, _: usize, row: usize) -> Response {
        let shown = self.shown(view.height(PaneId::Costs));
        if let Some(row) = row.checked_sub(HEADINGS).filter(|row| *row < shown.len()) {
            self.choose(shown.start + row);
        }
        Response::done()
    }

    fn wheel(&mut self, view: &View, direction: i8, rows: usize) {
        let (text, top) = self.text(view);
        self.top = viewport::scrolled(&text, top, direction, rows, self.room(view)).row;
    }

    fn forget_from(&mut self, first: usize) {
        self.bill = self.bill.take().filter(|(item, _)| *item < first);
        self.converted = self.converted.take().filter(|((item, ..), _)| item.is_none_or(|item| item < first));
        if first == 0 {
            (self.running, self.converted) = Default::default();
        }
    }

    fn prepare(&mut self, view: &View) {
        if view.is_shown(PaneId::Costs) {
            self.price_selected(view);
            self.convert_shown(view);
        }
    }

    fn has_work(&self, view: &View) -> bool {
        view.is_shown(PaneId::Costs) && self.running.are_behind(view)
    }

    fn work(&mut self, view: &View) {
        self.running.price_more(view);
    }
}

impl Costs {
    /// The rows of a pane of this height, each with whether it is the chosen one.
    fn table(&self, view: &View, height: usize) -> Vec<(Row, bool)> {
        let call = self.bill_of_call(view);
        let all = &self.running.bill;
        let shown = self.shown(height);
        let written_in = view.session.document().call(view.selection.item).map(|call| call.dialect);
        let mut out: Vec<(Row, bool)> = self.headings(view, call.as_deref()).map(|row| (row, false)).to_vec();
        for (number, about) in REGISTRY.iter().enumerate().take(shown.end).skip(shown.start) {
            let of = |bill: Option<&DialectCosts>| {
                costs(bill.and_then(|bill| bill.dialects.iter().find(|cost| cost.dialect.name == about.name)))
            };
            let written = written_in == Some(about.name);
            let mark = if written { "● " } else { "  " };
            let role = if written { Role::Name } else { Role::Text };
            let mut pieces = vec![Piece::new(format!("{mark}{:<1$}", about.name, NAME - 2), role)];
            pieces.extend(of(call.as_deref()));
            pieces.extend(of(Some(all)));
            out.push((Row::words(pieces), number == self.at));
        }
        let room = height.saturating_sub(out.len());
        out.extend(self.below(view).into_iter().skip(self.top).take(room).map(|row| (row, false)));
        out
    }

    fn below(&self, view: &View) -> Vec<Row> {
        let width = view.width(PaneId::Costs);
        let name = self.chosen().name;
        let (what, opens) = match total::chosen(view) {
            Chosen::Not(words) => return vec![Row::plain(words, Role::Dim)],
            Chosen::Call(_) => (format!("this call as {name}"), "it"),
            Chosen::All if total::ended_calls(view) == 0 => return Vec::new(),
            Chosen::All => (format!("all calls as {name}"), "them"),
        };
        let words = format!("{what}; Enter opens {opens} in a playground, y copies");
        let mut out = vec![Row::plain(fit(&words, width), Role::Heading)];
        let Some(converted) = self.shown_conversion(view) else { return out };
        out.extend(losses(&converted, name, width));
        out.extend(text(&converted, width));
        out
    }

    /// The two rows above the table.
    fn headings(&self, view: &View, call: Option<&DialectCosts>) -> [Row; HEADINGS] {
        let one = if call.is_some() { "this call" } else { "" };
        let there = count(view.session.document().calls().len(), "call");
        let RunningCosts { bill: all, seen } = &self.running;
        let every = match all.calls {
            priced if priced == view.session.document().calls().len() => format!("all {there}"),
            // Some were too long to price.
            priced if priced < *seen => format!("{} of {there}", grouped(priced)),
            priced => format!("the first {} of {there}", grouped(priced)),
        };
        let columns = |is: bool| {
            let words = format!("{:>8}{:>7}{:>7}{:>6}{:>5}", "bytes", "tokens", "markup", "×", "lost");
            if is { words } else { " ".repeat(COSTS) }
        };
        let heading = |words: String| Row::plain(words, Role::Dim);
        [
            heading(format!("{:NAME$}{one:>COSTS$}{every:>COSTS$}", "")),
            heading(format!("{:NAME$}{}{}", "", columns(call.is_some()), columns(true))),
        ]
    }
}

/// The costs in a dialect; the lowest are highlighted.
fn costs(cost: Option<&DialectCost>) -> Vec<Piece> {
    let Some(cost) = cost.filter(|cost| cost.whole.bytes > 0) else {
        return vec![Piece::new(" ".repeat(COSTS), Role::Dim)];
    };
    let share = (cost.markup.tokens * 100).checked_div(cost.whole.tokens).unwrap_or(0);
    let is_least = cost.relative <= 1.0;
    let sizes = format!("{:>8}{:>7}{:>6}%", size(cost.whole.bytes), short(cost.whole.tokens), share);
    let (lost, role) = match cost.losses {
        0 => ("–".to_owned(), Role::Dim),
        losses => (short(losses), Role::Warning),
    };
    vec![
        Piece::new(sizes, Role::Text),
        Piece::new(format!("{:>6.2}", cost.relative), if is_least { Role::Good } else { Role::Text }),
        Piece::new(format!("{lost:>5}"), role),
    ]
}

/// A number in at most five columns, rounded if large.
fn short(number: usize) -> String {
    match number {
        0..10_000 => number.to_string(),
        10_000..1_000_000 => format!("{}k", number / 1000),
        _ => format!("{}.{}M", number / 1_000_000, number / 100_000 % 10),
    }
}

/// The parts of the calls that the dialect cannot represent.
fn losses(converted: &Converted, name: &str, width: usize) -> Vec<Row> {
    let row = |words: String| Row::plain(words, Role::Warning);
    let listed = converted.losses.iter().take(LOSSES);
    let mut out: Vec<Row> =
        listed.flat_map(|lost| wrapped(&format!("! {}", loss(lost, name)), width)).map(row).collect();
    let more = converted.losses.len().saturating_sub(LOSSES);
    if more > 0 {
        out.push(row(format!("! and {more} more")));
    }
    out
}

/// The beginning of the text.
fn text(converted: &Converted, width: usize) -> Vec<Row> {
    let shown = &converted.text[..converted.text.len().min(BYTES)];
    let shown = String::from_utf8_lossy(&shown[..whole_characters(shown)]);
    let lines = shown.lines().take(LINES).flat_map(|line| wrapped(line, width));
    let mut out: Vec<Row> = lines.map(|line| Row::plain(line, Role::CodeBlock)).collect();
    if converted.text.len() > BYTES || shown.lines().nth(LINES).is_some() {
        out.push(Row::plain("… more; Enter opens all of it", Role::Dim));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_large_number_is_rounded_so_that_it_fits() {
        for (number, expected) in
            [(0, "0"), (9999, "9999"), (10_000, "10k"), (999_999, "999k"), (1_004_335, "1.0M"), (98_765_432, "98.7M")]
        {
            assert_eq!(short(number), expected);
        }
    }

    #[test]
    fn the_chosen_dialect_is_shown_whatever_the_height() {
        for height in 0..40 {
            for at in 0..REGISTRY.len() {
                let shown = Costs { at, ..Costs::default() }.shown(height);
                assert!(shown.contains(&at) && shown.end <= REGISTRY.len(), "{at} of {shown:?} in {height}");
                assert_eq!(shown.len() == REGISTRY.len(), height >= HEADINGS + BELOW + REGISTRY.len());
            }
        }
    }
}
