//! Actions on a comparison: moving the choice, folding pairs, going to the next difference.

use crate::compare::RowKind;
use crate::text::Span;

use crate::tui::action::Action;
use crate::tui::geometry::Area;
use crate::tui::list::ListScreen as _;
use crate::tui::message::{Copied, Effect, Navigation, Task};
use crate::tui::screen::comparison::{ComparisonScreen, Fold};
use crate::tui::style::Role;
use crate::tui::viewport::Anchor;

pub(super) fn act(screen: &mut ComparisonScreen, action: Action) -> Option<Effect> {
    match action {
        Action::Move(motion) => screen.go(motion),
        Action::Problem(direction) => to_difference(screen, direction > 0),
        Action::Toggle => fold(screen, None),
        Action::Open => fold(screen, Some(Fold::Whole)),
        Action::Close => fold(screen, Some(Fold::Closed)),
        Action::FoldAll => fold_all(screen, Fold::Closed),
        Action::UnfoldAll => fold_all(screen, Fold::Whole),
        Action::FocusNext(_) => {
            screen.side = 1 - screen.side;
            screen.reveal();
        }
        Action::OnlyDifferences => {
            screen.only_differences = !screen.only_differences;
            screen.made.clear();
            let words = if screen.only_differences { "showing only calls that differ" } else { "showing all calls" };
            screen.chrome.show_message(words, Role::Dim);
            screen.reveal();
        }
        Action::Visit => return visit(screen),
        Action::Play => return block(screen).map(|text| Effect::Go(Navigation::Play(text))),
        Action::Copy(_) => {
            let text = block(screen)?;
            return Some(Effect::Run(Task::Copy(Copied::new("the call", text))));
        }
        Action::Cancel => return Some(Effect::Go(Navigation::Before)),
        // These concern texts and lists.
        _ => {}
    }
    None
}

fn to_difference(screen: &mut ComparisonScreen, forward: bool) {
    let from = screen.list.at.unit;
    match screen.next_difference(Some(from), forward) {
        Some(unit) => {
            screen.choose(Anchor { unit, ..Anchor::default() });
            screen.show_unit();
        }
        None if screen.comparison.is_equal() => screen.chrome.show_message("no differences", Role::Good),
        None => {
            screen.reveal();
            screen.chrome.show_message(if forward { "last difference" } else { "first difference" }, Role::Dim);
        }
    }
}

/// Sets the fold of the chosen pair, or else cycles it.
fn fold(screen: &mut ComparisonScreen, asked: Option<Fold>) {
    let unit = screen.list.at.unit;
    let Some(row) = screen.comparison.rows.get(unit).filter(|_| screen.left_out(unit).is_none()) else { return };
    let has_both = matches!(row.kind(), RowKind::Same | RowKind::Changed);
    let next = match screen.fold(unit) {
        Fold::Closed if has_both && screen.differs(unit) => Fold::Differences,
        Fold::Closed | Fold::Differences => Fold::Whole,
        Fold::Whole => Fold::Closed,
    };
    screen.folds.insert(unit, asked.unwrap_or(next));
    screen.made.forget(unit);
    screen.choose(Anchor { unit, ..Anchor::default() });
}

fn fold_all(screen: &mut ComparisonScreen, fold: Fold) {
    for unit in 0..screen.comparison.rows.len() {
        screen.folds.insert(unit, fold);
    }
    screen.made.clear();
    let at = Anchor { row: 0, ..screen.list.at };
    screen.choose(at);
}

/// The chosen call: its side (the other one if the current side has none) and its span.
fn chosen(screen: &mut ComparisonScreen) -> Option<(usize, Span)> {
    let row = screen.comparison.rows.get(screen.list.at.unit);
    let numbers = row.map_or([None, None], |row| [row.left, row.right]);
    let span = |side: usize| {
        let document = screen.sides[side].session.document();
        Some((side, document.items().span(document.calls().nth(numbers[side]?)?)?))
    };
    let found = span(screen.side).or_else(|| span(1 - screen.side));
    if found.is_none() {
        screen.chrome.show_message("select a call first", Role::Dim);
    }
    found
}

/// The text of the chosen call.
fn block(screen: &mut ComparisonScreen) -> Option<String> {
    let (side, span) = chosen(screen)?;
    Some(screen.sides[side].session.text().read_str(span).into_owned())
}

/// Goes to the chosen call in its original text.
fn visit(screen: &mut ComparisonScreen) -> Option<Effect> {
    let (side, span) = chosen(screen)?;
    let Some(tab) = screen.sides[side].tab else { return screen.chrome.refuse("that text is not open in a tab") };
    Some(Effect::Go(Navigation::Call(tab, span.start)))
}

pub(super) fn click(screen: &mut ComparisonScreen, x: u16, y: u16) {
    let columns = screen.columns().map(Area::inner);
    let Some(side) = columns.iter().position(|column| column.contains(x, y)) else { return };
    let Some(at) = screen.row_at(columns[side], 0, x, y) else { return };
    let is_chosen = at == screen.list.at && side == screen.side;
    screen.side = side;
    if is_chosen {
        fold(screen, None);
    } else {
        screen.choose(at);
    }
}
