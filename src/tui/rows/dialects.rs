//! The dialects side by side: what the selected call and all calls cost in each, and below that the call as the chosen
//! one writes it, with what it does not carry.
//!
//! This module does not know how tokens are estimated, or how rows are drawn.

use crate::convert::Converted;
use crate::cost::{Bill, Cost};
use crate::dialect::REGISTRY;
use crate::export::difference::loss;
use crate::text::wrap::fit;

use super::super::dialects::HEADINGS;
use super::super::layout::Pane;
use super::super::state::{Chosen, State};
use super::super::theme::Role;
use super::{Piece, Row, count, grouped, size, wrapped};

/// Columns of the names.
const NAME: usize = 12;

/// Columns of what one call, or all of them, cost.
const COSTS: usize = 33;

/// Lines of a text that are shown, and bytes of them; what is more is in the playground.
const LINES: usize = 500;
const BYTES: usize = 32 * 1024;

/// Losses that are listed.
const LOSSES: usize = 50;

/// The rows of a pane of so many rows, each with whether it is the chosen one.
pub fn rows(state: &State, height: usize) -> Vec<(Row, bool)> {
    let call = state.bill_of_call();
    let all = state.cache.borrow().pricing().bill.clone();
    let shown = state.dialects.shown(height);
    let mut out: Vec<(Row, bool)> = headings(state, call.as_deref(), &all).map(|row| (row, false)).to_vec();
    for (number, about) in REGISTRY.iter().enumerate().take(shown.end).skip(shown.start) {
        let of = |bill: Option<&Bill>| costs(bill.and_then(|bill| of_dialect(bill, about.name)));
        let written = dialect_of_call(state) == Some(about.name);
        let mark = if written { "● " } else { "  " };
        let role = if written { Role::Name } else { Role::Text };
        let mut pieces = vec![Piece::new(format!("{mark}{:<1$}", about.name, NAME - 2), role)];
        pieces.extend(of(call.as_deref()));
        pieces.extend(of(Some(&all)));
        out.push((Row::words(pieces), number == state.dialects.at));
    }
    let room = height.saturating_sub(out.len());
    out.extend(below(state).into_iter().skip(state.dialects.top).take(room).map(|row| (row, false)));
    out
}

/// The rows below the table.
pub fn below(state: &State) -> Vec<Row> {
    let width = state.width(Pane::Bottom);
    let name = state.dialects.chosen().name;
    let (what, opens) = match state.chosen() {
        Chosen::Not(words) => return vec![Row::words(vec![Piece::new(words, Role::Dim)])],
        Chosen::Call(_) => (format!("this call as {name}"), "it"),
        Chosen::All if state.ended_calls() == 0 => return Vec::new(),
        Chosen::All => (format!("all calls as {name}"), "them"),
    };
    let words = format!("{what}; Enter opens {opens} in a playground, y copies");
    let mut out = vec![Row::words(vec![Piece::new(fit(&words, width), Role::Heading)])];
    let Some(converted) = state.converted() else { return out };
    out.extend(losses(&converted, name, width));
    out.extend(text(&converted, width));
    out
}

/// The two rows above the table.
fn headings(state: &State, call: Option<&Bill>, all: &Bill) -> [Row; HEADINGS] {
    let one = if call.is_some() { "this call" } else { "" };
    let there = count(state.session.document().calls().len(), "call");
    let seen = state.cache.borrow().pricing().seen;
    let every = match all.calls {
        priced if priced == state.session.document().calls().len() => format!("all {there}"),
        // Some were too long.
        priced if priced < seen => format!("{} of {there}", grouped(priced)),
        priced => format!("the first {} of {there}", grouped(priced)),
    };
    let columns = |is: bool| {
        let words = format!("{:>8}{:>7}{:>7}{:>6}{:>5}", "bytes", "tokens", "markup", "×", "lost");
        if is { words } else { " ".repeat(COSTS) }
    };
    let heading = |words: String| Row::words(vec![Piece::new(words, Role::Dim)]);
    [
        heading(format!("{:NAME$}{one:>COSTS$}{every:>COSTS$}", "")),
        heading(format!("{:NAME$}{}{}", "", columns(call.is_some()), columns(true))),
    ]
}

fn of_dialect<'a>(bill: &'a Bill, name: &str) -> Option<&'a Cost> {
    bill.dialects.iter().find(|cost| cost.dialect == name)
}

/// What something costs in a dialect; the cheapest stands out.
fn costs(cost: Option<&Cost>) -> Vec<Piece> {
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

/// A number in at most five columns, rounded where it is large.
fn short(number: usize) -> String {
    match number {
        0..10_000 => number.to_string(),
        10_000..1_000_000 => format!("{}k", number / 1000),
        _ => format!("{}.{}M", number / 1_000_000, number / 100_000 % 10),
    }
}

/// The dialect that the selected call is written in.
fn dialect_of_call(state: &State) -> Option<&'static str> {
    state.session.document().call(state.selection.item).map(|call| call.dialect)
}

/// What the dialect does not carry.
fn losses(converted: &Converted, name: &str, width: usize) -> Vec<Row> {
    let row = |words: String| Row::words(vec![Piece::new(words, Role::Warning)]);
    let listed = converted.losses.iter().take(LOSSES);
    let mut out: Vec<Row> =
        listed.flat_map(|lost| wrapped(&format!("! {}", loss(lost, name)), width)).map(row).collect();
    let more = converted.losses.len().saturating_sub(LOSSES);
    if more > 0 {
        out.push(row(format!("! and {more} more")));
    }
    out
}

/// The text, as far as it is shown.
fn text(converted: &Converted, width: usize) -> Vec<Row> {
    let shown = &converted.text[..converted.text.len().min(BYTES)];
    let shown = String::from_utf8_lossy(shown);
    let row = |words: String, role| Row::words(vec![Piece::new(words, role)]);
    let mut out: Vec<Row> = shown
        .lines()
        .take(LINES)
        .flat_map(|line| wrapped(line, width))
        .map(|line| row(line, Role::CodeBlock))
        .collect();
    if converted.text.len() > BYTES || shown.lines().nth(LINES).is_some() {
        out.push(row("… it goes on; Enter opens all of it".to_owned(), Role::Dim));
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
}
