//! Actions on a comparison: moving the choice, folding pairs, going to the next difference.

use crate::text::Span;

use crate::tui::action::Action;
use crate::tui::geometry::Area;
use crate::tui::list::ListScreen as _;
use crate::tui::message::{Copied, Effect, Navigation, Task};
use crate::tui::screen::comparison::{ComparisonScreen, Fold};
use crate::tui::style::Role;

pub(super) fn act(screen: &mut ComparisonScreen, action: Action) -> Option<Effect> {
    match action {
        Action::Move(motion) => screen.go(motion),
        Action::Problem(direction) => to_difference(screen, direction > 0),
        Action::Toggle => screen.fold_chosen(None),
        Action::Open => screen.fold_chosen(Some(Fold::Whole)),
        Action::Close => screen.fold_chosen(Some(Fold::Closed)),
        Action::FoldAll => screen.fold_all(Fold::Closed),
        Action::UnfoldAll => screen.fold_all(Fold::Whole),
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
            screen.show_turn_of(unit);
            let row = screen.call_row(unit);
            screen.choose(row);
            screen.show_unit();
        }
        None if screen.comparison.is_equal() => screen.chrome.show_message("no differences", Role::Good),
        None => {
            screen.reveal();
            screen.chrome.show_message(if forward { "last difference" } else { "first difference" }, Role::Dim);
        }
    }
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
        screen.fold_chosen(None);
    } else {
        screen.choose(at);
    }
}
