//! What happens to a comparison: keys move the choice, fold pairs and lead to the next difference.
//!
//! This module does not know keys.

use crate::compare::{CallList as _, ComparedText, RowKind};
use crate::export::diff::summary;
use crate::session::Session;
use crate::text::Span;

use crate::tui::action::{Action, Motion};
use crate::tui::keymap::COMPARISON_KEYS;
use crate::tui::message::Effect;
use crate::tui::message::Message;
use crate::tui::message::Msg;
use crate::tui::message::Navigation;
use crate::tui::row::{count, size};
use crate::tui::screen::comparison::with::differences;
use crate::tui::screen::comparison::{Comparing, Fold, MOST, Side};
use crate::tui::screen::transcript::Transcript;
use crate::tui::screen::transcript::WHEEL;
use crate::tui::screen::transcript::global_action;
use crate::tui::screen::transcript::scroll_help;
use crate::tui::screen::transcript::wheel_help;
use crate::tui::style::Role;
use crate::tui::viewport::{self, Anchor};
use crate::tui::widget::{help, tab_bar};

/// Rows that stay between the choice and the edges.
const MARGIN: usize = 2;

/// Bytes of a text beyond which it is not compared on the screen.
const LARGEST: usize = 256 << 20;

/// A text as it was opened beside the same text as it is now, if either it or what it is read with has changed.
///
/// # Errors
/// Says why that cannot be.
pub fn with_itself(state: &Transcript, tab: usize) -> Result<Option<Comparing>, String> {
    let before = state.view.editor.as_ref().map(|editor| editor.saved().to_owned());
    let is_written =
        before.as_ref().zip(state.view.editor.as_ref()).is_some_and(|(before, editor)| *before != editor.text());
    let settings = differences(&state.opened_with, &state.view.options);
    if !is_written && settings.is_none() {
        return Ok(None);
    }
    bounded(state)?;
    let [with, now_with] = settings.unwrap_or_default();
    let mut session = Session::new(state.view.session.container(), &state.opened_with)?;
    session = match before {
        Some(text) => {
            session.push(text.as_bytes());
            session.finish();
            session
        }
        None => state.view.whole().read_into(session),
    };
    let name = state.view.origin.short();
    let is_saved = state.view.editor.as_ref().is_some_and(|editor| editor.path().is_some());
    let was = if is_written && is_saved { "saved" } else { "opened" };
    let left = Side { name: format!("{name} as it was {was}"), with, session, tab: Some(tab) };
    let now = state.view.whole().again(&state.view.options)?;
    let right = Side { name: format!("{name} as it is now"), with: now_with, session: now, tab: Some(tab) };
    compared([left, right]).map(Some)
}

/// Two texts beside each other.
///
/// # Errors
/// Says why that cannot be.
pub fn with_another(sides: [(&Transcript, usize); 2]) -> Result<Comparing, String> {
    sides.iter().try_for_each(|(state, _)| bounded(state))?;
    let [(one, left), (other, right)] = sides;
    let [with, other_with] = differences(&one.view.options, &other.view.options).unwrap_or_default();
    let side = |state: &Transcript, tab: usize, with: String| {
        let session = state.view.whole().again(&state.view.options)?;
        Ok::<_, String>(Side { name: state.view.origin.short().to_owned(), with, session, tab: Some(tab) })
    };
    compared([side(one, left, with)?, side(other, right, other_with)?])
}

/// Two sessions that no tab shows, each with its name and what it was read with.
///
/// # Errors
/// Says why they cannot be compared on the screen.
pub fn of_sessions([one, other]: [ComparedText; 2]) -> Result<Comparing, String> {
    let [with, other_with] = differences(&one.options, &other.options).unwrap_or_default();
    let side = |text: ComparedText, with| Side { name: text.name, with, session: text.session, tab: None };
    compared([side(one, with), side(other, other_with)])
}

fn bounded(state: &Transcript) -> Result<(), String> {
    let length = state.view.whole().file().len();
    if length > LARGEST {
        let (name, largest) = (state.view.origin.short(), size(LARGEST));
        return Err(format!("{name} is larger than {largest}: transcope diff compares texts of any size"));
    }
    Ok(())
}

fn compared(sides: [Side; 2]) -> Result<Comparing, String> {
    let calls = sides.iter().map(|side| side.session.calls()).max().unwrap_or(0);
    if calls > MOST {
        let most = count(MOST, "call");
        return Err(format!("there are more than {most}: transcope diff compares any number of them"));
    }
    Ok(Comparing::new(sides))
}

/// Takes in what happened on the screen.
pub fn update(comparing: &mut Comparing, happened: Msg) -> Option<Effect> {
    match happened {
        Msg::Action(action) => return act(comparing, action),
        Msg::Click(x, y) => return click(comparing, x, y),
        Msg::Wheel(_, _, direction) => wheel(comparing, direction),
        Msg::Resize(width, height) => {
            comparing.size = (width, height);
            comparing.forget();
            reveal(comparing);
        }
        Msg::Notice(text) => tell(comparing, text, Role::Warning),
        Msg::Paste(text) => return Some(Effect::Pasted(text)),
        // They are about texts.
        _ => {}
    }
    None
}

/// Before a frame: the choice is a row that there is, and in sight.
pub fn settle(comparing: &mut Comparing) {
    if let Some(at) = viewport::settle(comparing, comparing.at)
        && at != comparing.at
    {
        comparing.at = at;
        reveal(comparing);
    }
}

fn act(comparing: &mut Comparing, action: Action) -> Option<Effect> {
    comparing.message = None;
    if let Some(row) = comparing.help {
        let rows = help::height(&COMPARISON_KEYS, comparing.size.0);
        let (row, effect) = scroll_help(row, action, comparing.size.1, rows);
        comparing.help = row;
        return effect;
    }
    match action {
        Action::Move(motion) => go(comparing, motion),
        Action::Problem(direction) => to_difference(comparing, direction > 0),
        Action::Toggle => fold(comparing, None),
        Action::Open => fold(comparing, Some(Fold::Whole)),
        Action::Close => fold(comparing, Some(Fold::Closed)),
        Action::FoldAll => fold_all(comparing, Fold::Closed),
        Action::UnfoldAll => fold_all(comparing, Fold::Whole),
        Action::FocusNext(_) => {
            comparing.side = 1 - comparing.side;
            reveal(comparing);
        }
        Action::OnlyDifferences => {
            comparing.only_differences = !comparing.only_differences;
            comparing.forget();
            let words =
                if comparing.only_differences { "only calls that differ are shown" } else { "all calls are shown" };
            tell(comparing, words, Role::Dim);
            settle(comparing);
            reveal(comparing);
        }
        Action::Visit => return visit(comparing),
        Action::Play => return block(comparing).map(Effect::Play),
        Action::Copy => {
            let text = block(comparing)?;
            return Some(Effect::Copy { what: "the call".into(), text });
        }
        Action::Help => comparing.help = Some(0),
        Action::Cancel => return Some(Effect::Go(Navigation::Before)),
        action => return global_action(action),
    }
    None
}

fn tell(comparing: &mut Comparing, text: impl Into<String>, role: Role) {
    comparing.message = Some(Message { text: text.into(), role });
}

fn go(comparing: &mut Comparing, motion: Motion) {
    let height = comparing.height().max(2);
    let (at, page) = (comparing.at, height - 1);
    let steps = |direction: i8, count: usize| {
        if direction > 0 { viewport::down(comparing, at, count) } else { viewport::up(comparing, at, count) }
    };
    let to = match motion {
        Motion::Line(direction) => Some(steps(direction, 1)),
        Motion::Half(direction) => Some(steps(direction, page.div_ceil(2))),
        Motion::Page(direction) => Some(steps(direction, page)),
        Motion::Top => viewport::first(comparing),
        Motion::Bottom => viewport::last(comparing),
    };
    choose(comparing, to.unwrap_or(at));
}

fn choose(comparing: &mut Comparing, at: Anchor<usize>) {
    comparing.at = at;
    reveal(comparing);
}

/// Scrolls as little as is needed to show the chosen row.
fn reveal(comparing: &mut Comparing) {
    comparing.top = viewport::reveal(comparing, comparing.top, comparing.at, comparing.height().max(1), MARGIN);
}

fn to_difference(comparing: &mut Comparing, forward: bool) {
    let from = comparing.at.unit;
    match comparing.next_difference(Some(from), forward) {
        Some(unit) => {
            choose(comparing, Anchor { unit, row: 0 });
            // All of it is to be seen, as far as there is room.
            let last = comparing.lines(unit).len().min(comparing.height()).saturating_sub(1);
            let end = Anchor { unit, row: last };
            comparing.top = viewport::reveal(comparing, comparing.top, end, comparing.height().max(1), 0);
            reveal(comparing);
        }
        None if comparing.comparison.is_equal() => tell(comparing, "nothing differs", Role::Good),
        None if forward => tell(comparing, "this is the last difference", Role::Dim),
        None => tell(comparing, "this is the first difference", Role::Dim),
    }
}

/// Folds the chosen pair as asked for, or else as comes next.
fn fold(comparing: &mut Comparing, asked: Option<Fold>) {
    let unit = comparing.at.unit;
    let Some(row) = comparing.comparison.rows.get(unit).filter(|_| comparing.left_out(unit).is_none()) else { return };
    let has_both = matches!(row.kind(), RowKind::Same | RowKind::Changed);
    let next = match comparing.fold(unit) {
        Fold::Closed if has_both && comparing.differs(unit) => Fold::Differences,
        Fold::Closed | Fold::Differences => Fold::Whole,
        Fold::Whole => Fold::Closed,
    };
    comparing.set_fold(unit, asked.unwrap_or(next));
    choose(comparing, Anchor { unit, row: 0 });
}

fn fold_all(comparing: &mut Comparing, fold: Fold) {
    for unit in 0..comparing.comparison.rows.len() {
        comparing.folds.insert(unit, fold);
    }
    comparing.forget();
    let at = Anchor { unit: comparing.at.unit, row: 0 };
    choose(comparing, at);
}

/// The chosen call: its side, which is the other one where this one has none, and its bytes.
fn chosen(comparing: &mut Comparing) -> Option<(usize, Span)> {
    let row = comparing.comparison.rows.get(comparing.at.unit);
    let numbers = row.map_or([None, None], |row| [row.left, row.right]);
    let span = |side: usize| {
        let document = comparing.sides[side].session.document();
        Some((side, document.items().span(document.calls().nth(numbers[side]?)?)?))
    };
    let found = span(comparing.side).or_else(|| span(1 - comparing.side));
    if found.is_none() {
        tell(comparing, "choose a call first", Role::Dim);
    }
    found
}

/// The text of the chosen call.
fn block(comparing: &mut Comparing) -> Option<String> {
    let (side, span) = chosen(comparing)?;
    Some(comparing.sides[side].session.text().read_str(span).into_owned())
}

/// Goes to the chosen call in its own text.
fn visit(comparing: &mut Comparing) -> Option<Effect> {
    let (side, span) = chosen(comparing)?;
    let Some(tab) = comparing.sides[side].tab else {
        tell(comparing, "that text is open in no tab", Role::Dim);
        return None;
    };
    Some(Effect::Go(Navigation::Call(tab, span.start)))
}

fn click(comparing: &mut Comparing, x: u16, y: u16) -> Option<Effect> {
    if comparing.help.take().is_some() {
        return None;
    }
    let parts = comparing.parts();
    if let Some(bar) = parts.bar.filter(|bar| bar.contains(x, y)) {
        return tab_bar::tab_at(&comparing.bar, bar, x).map(|index| Effect::Go(Navigation::Tab(index)));
    }
    let side = parts.columns.iter().position(|column| column.inner().contains(x, y))?;
    let row = usize::from(y - parts.columns[side].inner().y);
    let at = viewport::window(comparing, comparing.top, row + 1).get(row).copied()?;
    let is_chosen = at == comparing.at && side == comparing.side;
    comparing.side = side;
    if is_chosen {
        fold(comparing, None);
    } else {
        choose(comparing, at);
    }
    None
}

fn wheel(comparing: &mut Comparing, direction: i8) {
    if let Some(row) = comparing.help {
        comparing.help = Some(wheel_help(row, direction, &COMPARISON_KEYS, comparing.size));
        return;
    }
    comparing.top = if direction > 0 {
        let lowest = viewport::end(comparing, comparing.height()).unwrap_or_default();
        viewport::down(comparing, comparing.top, WHEEL).min(lowest.max(comparing.top))
    } else {
        viewport::up(comparing, comparing.top, WHEEL)
    };
}

/// What there is to say of a comparison in its title, in words or where there is no room for those with signs.
pub fn totals(comparing: &Comparing, in_words: bool) -> String {
    if in_words {
        return summary(&comparing.comparison);
    }
    let count = |kind| comparing.comparison.count(kind);
    let (changed, left, right) = (count(RowKind::Changed), count(RowKind::Left), count(RowKind::Right));
    let (gone, came) = (comparing.comparison.gone.len(), comparing.comparison.came.len());
    format!("calls ~{changed} -{left} +{right} · problems -{gone} +{came}")
}
