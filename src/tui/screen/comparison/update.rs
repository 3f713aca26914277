//! What happens to a comparison: keys move the choice, fold pairs and lead to the next difference.
//!
//! This module does not know keys.

use crate::compare::{Kind, Side as _};
use crate::dialect::Options;
use crate::export::difference::summary;
use crate::session::Session;
use crate::text::Span;

use crate::tui::action::{Action, Motion};
use crate::tui::keymap::COMPARISON_KEYS;
use crate::tui::message::Effect;
use crate::tui::message::Message;
use crate::tui::message::Msg;
use crate::tui::message::Navigation;
use crate::tui::rows::{count, size};
use crate::tui::screen::comparison::settings::differences;
use crate::tui::screen::comparison::{ComparedText, ComparisonScreen, Fold, MOST};
use crate::tui::state::State;
use crate::tui::style::Role;
use crate::tui::update::WHEEL;
use crate::tui::update::everywhere;
use crate::tui::update::scroll_help;
use crate::tui::update::wheel_help;
use crate::tui::view;
use crate::tui::viewport::{self, Anchor};

/// Rows that stay between the choice and the edges.
const MARGIN: usize = 2;

/// Bytes of a text beyond which it is not compared on the screen.
const LARGEST: usize = 256 << 20;

/// A text as it was opened beside the same text as it is now, if either it or what it is read with has changed.
///
/// # Errors
/// Says why that cannot be.
pub fn with_itself(state: &State, tab: usize) -> Result<Option<ComparisonScreen>, String> {
    let before = state.editor.as_ref().map(|editor| editor.saved().to_owned());
    let is_written =
        before.as_ref().zip(state.editor.as_ref()).is_some_and(|(before, editor)| *before != editor.text());
    let settings = differences(&state.opened_with, &state.options);
    if !is_written && settings.is_none() {
        return Ok(None);
    }
    bounded(state)?;
    let [with, now_with] = settings.unwrap_or_default();
    let mut session = Session::new(state.session.container(), &state.opened_with)?;
    session = match before {
        Some(text) => {
            session.push(text.as_bytes());
            session.finish();
            session
        }
        None => state.whole().read_into(session),
    };
    let name = state.origin.short();
    let is_saved = state.editor.as_ref().is_some_and(|editor| editor.path().is_some());
    let was = if is_written && is_saved { "saved" } else { "opened" };
    let left = ComparedText { name: format!("{name} as it was {was}"), with, session, tab: Some(tab) };
    let now = state.whole().again(&state.options)?;
    let right = ComparedText { name: format!("{name} as it is now"), with: now_with, session: now, tab: Some(tab) };
    compared([left, right]).map(Some)
}

/// Two texts beside each other.
///
/// # Errors
/// Says why that cannot be.
pub fn with_another(sides: [(&State, usize); 2]) -> Result<ComparisonScreen, String> {
    sides.iter().try_for_each(|(state, _)| bounded(state))?;
    let [(one, left), (other, right)] = sides;
    let [with, other_with] = differences(&one.options, &other.options).unwrap_or_default();
    let side = |state: &State, tab: usize, with: String| {
        let session = state.whole().again(&state.options)?;
        Ok::<_, String>(ComparedText { name: state.origin.short().to_owned(), with, session, tab: Some(tab) })
    };
    compared([side(one, left, with)?, side(other, right, other_with)?])
}

/// Two sessions that no tab shows, each with its name and what it was read with.
///
/// # Errors
/// Says why they cannot be compared on the screen.
pub fn of_sessions([one, other]: [(String, Session, Options); 2]) -> Result<ComparisonScreen, String> {
    let [with, other_with] = differences(&one.2, &other.2).unwrap_or_default();
    let side = |(name, session, _): (String, Session, Options), with| ComparedText { name, with, session, tab: None };
    compared([side(one, with), side(other, other_with)])
}

fn bounded(state: &State) -> Result<(), String> {
    let length = state.whole().file().len();
    if length > LARGEST {
        let (name, largest) = (state.origin.short(), size(LARGEST));
        return Err(format!("{name} is larger than {largest}: transcope diff compares texts of any size"));
    }
    Ok(())
}

fn compared(sides: [ComparedText; 2]) -> Result<ComparisonScreen, String> {
    let calls = sides.iter().map(|side| side.session.calls()).max().unwrap_or(0);
    if calls > MOST {
        let most = count(MOST, "call");
        return Err(format!("there are more than {most}: transcope diff compares any number of them"));
    }
    Ok(ComparisonScreen::new(sides))
}

/// Takes in what happened on the screen.
pub fn update(screen: &mut ComparisonScreen, happened: Msg) -> Option<Effect> {
    match happened {
        Msg::Action(action) => return act(screen, action),
        Msg::Click(x, y) => return click(screen, x, y),
        Msg::Wheel(_, _, direction) => wheel(screen, direction),
        Msg::Resize(width, height) => {
            screen.size = (width, height);
            screen.forget();
            reveal(screen);
        }
        Msg::Notice(text) => tell(screen, text, Role::Warning),
        Msg::Paste(text) => return Some(Effect::Pasted(text)),
        // They are about texts.
        _ => {}
    }
    None
}

/// Before a frame: the choice is a row that there is, and in sight.
pub fn settle(screen: &mut ComparisonScreen) {
    if let Some(at) = viewport::settle(screen, screen.at)
        && at != screen.at
    {
        screen.at = at;
        reveal(screen);
    }
}

fn act(screen: &mut ComparisonScreen, action: Action) -> Option<Effect> {
    screen.message = None;
    if let Some(row) = screen.help {
        let rows = view::help::height(&COMPARISON_KEYS, screen.size.0);
        let (row, effect) = scroll_help(row, action, screen.size.1, rows);
        screen.help = row;
        return effect;
    }
    match action {
        Action::Move(motion) => go(screen, motion),
        Action::Problem(direction) => to_difference(screen, direction > 0),
        Action::Toggle => fold(screen, None),
        Action::Open => fold(screen, Some(Fold::Whole)),
        Action::Close => fold(screen, Some(Fold::Closed)),
        Action::FoldAll => fold_all(screen, Fold::Closed),
        Action::UnfoldAll => fold_all(screen, Fold::Whole),
        Action::FocusNext(_) => {
            screen.side = 1 - screen.side;
            reveal(screen);
        }
        Action::OnlyDifferences => {
            screen.only_differences = !screen.only_differences;
            screen.forget();
            let words =
                if screen.only_differences { "only calls that differ are shown" } else { "all calls are shown" };
            tell(screen, words, Role::Dim);
            settle(screen);
            reveal(screen);
        }
        Action::Visit => return visit(screen),
        Action::Play => return block(screen).map(Effect::Play),
        Action::Copy => {
            let text = block(screen)?;
            return Some(Effect::Copy { what: "the call".into(), text });
        }
        Action::Help => screen.help = Some(0),
        Action::Cancel => return Some(Effect::Go(Navigation::Before)),
        action => return everywhere(action),
    }
    None
}

fn tell(screen: &mut ComparisonScreen, text: impl Into<String>, role: Role) {
    screen.message = Some(Message { text: text.into(), role });
}

fn go(screen: &mut ComparisonScreen, motion: Motion) {
    let height = screen.height().max(2);
    let (at, page) = (screen.at, height - 1);
    let steps = |direction: i8, count: usize| {
        if direction > 0 { viewport::down(screen, at, count) } else { viewport::up(screen, at, count) }
    };
    let to = match motion {
        Motion::Line(direction) => Some(steps(direction, 1)),
        Motion::Half(direction) => Some(steps(direction, page.div_ceil(2))),
        Motion::Page(direction) => Some(steps(direction, page)),
        Motion::Top => viewport::first(screen),
        Motion::Bottom => viewport::last(screen),
    };
    choose(screen, to.unwrap_or(at));
}

fn choose(screen: &mut ComparisonScreen, at: Anchor<usize>) {
    screen.at = at;
    reveal(screen);
}

/// Scrolls as little as is needed to show the chosen row.
fn reveal(screen: &mut ComparisonScreen) {
    screen.top = viewport::reveal(screen, screen.top, screen.at, screen.height().max(1), MARGIN);
}

fn to_difference(screen: &mut ComparisonScreen, forward: bool) {
    let from = screen.at.unit;
    match screen.next_difference(Some(from), forward) {
        Some(unit) => {
            choose(screen, Anchor { unit, row: 0 });
            // All of it is to be seen, as far as there is room.
            let last = screen.lines(unit).len().min(screen.height()).saturating_sub(1);
            let end = Anchor { unit, row: last };
            screen.top = viewport::reveal(screen, screen.top, end, screen.height().max(1), 0);
            reveal(screen);
        }
        None if screen.comparison.is_equal() => tell(screen, "nothing differs", Role::Good),
        None if forward => tell(screen, "this is the last difference", Role::Dim),
        None => tell(screen, "this is the first difference", Role::Dim),
    }
}

/// Folds the chosen pair as asked for, or else as comes next.
fn fold(screen: &mut ComparisonScreen, asked: Option<Fold>) {
    let unit = screen.at.unit;
    let Some(row) = screen.comparison.rows.get(unit).filter(|_| screen.left_out(unit).is_none()) else { return };
    let has_both = matches!(row.kind(), Kind::Same | Kind::Changed);
    let next = match screen.fold(unit) {
        Fold::Closed if has_both && screen.differs(unit) => Fold::Differences,
        Fold::Closed | Fold::Differences => Fold::Whole,
        Fold::Whole => Fold::Closed,
    };
    screen.set_fold(unit, asked.unwrap_or(next));
    choose(screen, Anchor { unit, row: 0 });
}

fn fold_all(screen: &mut ComparisonScreen, fold: Fold) {
    for unit in 0..screen.comparison.rows.len() {
        screen.folds.insert(unit, fold);
    }
    screen.forget();
    let at = Anchor { unit: screen.at.unit, row: 0 };
    choose(screen, at);
}

/// The chosen call: its side, which is the other one where this one has none, and its bytes.
fn chosen(screen: &mut ComparisonScreen) -> Option<(usize, Span)> {
    let row = screen.comparison.rows.get(screen.at.unit);
    let numbers = row.map_or([None, None], |row| [row.left, row.right]);
    let span = |side: usize| {
        let document = screen.sides[side].session.document();
        Some((side, document.items().span(document.calls().nth(numbers[side]?)?)?))
    };
    let found = span(screen.side).or_else(|| span(1 - screen.side));
    if found.is_none() {
        tell(screen, "choose a call first", Role::Dim);
    }
    found
}

/// The text of the chosen call.
fn block(screen: &mut ComparisonScreen) -> Option<String> {
    let (side, span) = chosen(screen)?;
    Some(screen.sides[side].session.text().read_str(span).into_owned())
}

/// Goes to the chosen call in its own text.
fn visit(screen: &mut ComparisonScreen) -> Option<Effect> {
    let (side, span) = chosen(screen)?;
    let Some(tab) = screen.sides[side].tab else {
        tell(screen, "that text is open in no tab", Role::Dim);
        return None;
    };
    Some(Effect::Go(Navigation::Call(tab, span.start)))
}

fn click(screen: &mut ComparisonScreen, x: u16, y: u16) -> Option<Effect> {
    if screen.help.take().is_some() {
        return None;
    }
    let parts = screen.parts();
    if let Some(bar) = parts.bar.filter(|bar| bar.contains(x, y)) {
        return view::bar::tab_at(&screen.bar, bar, x).map(|index| Effect::Go(Navigation::Tab(index)));
    }
    let side = parts.columns.iter().position(|column| column.inner().contains(x, y))?;
    let row = usize::from(y - parts.columns[side].inner().y);
    let at = viewport::window(screen, screen.top, row + 1).get(row).copied()?;
    let is_chosen = at == screen.at && side == screen.side;
    screen.side = side;
    if is_chosen {
        fold(screen, None);
    } else {
        choose(screen, at);
    }
    None
}

fn wheel(screen: &mut ComparisonScreen, direction: i8) {
    if let Some(row) = screen.help {
        screen.help = Some(wheel_help(row, direction, &COMPARISON_KEYS, screen.size));
        return;
    }
    screen.top = if direction > 0 {
        let lowest = viewport::end(screen, screen.height()).unwrap_or_default();
        viewport::down(screen, screen.top, WHEEL).min(lowest.max(screen.top))
    } else {
        viewport::up(screen, screen.top, WHEEL)
    };
}

/// What there is to say of a comparison in its title, in words or where there is no room for those with signs.
pub fn totals(screen: &ComparisonScreen, in_words: bool) -> String {
    if in_words {
        return summary(&screen.comparison);
    }
    let count = |kind| screen.comparison.count(kind);
    let (changed, left, right) = (count(Kind::Changed), count(Kind::Left), count(Kind::Right));
    let (gone, came) = (screen.comparison.gone.len(), screen.comparison.came.len());
    format!("calls ~{changed} -{left} +{right} · problems -{gone} +{came}")
}
