//! The title bar at the top, and the titles of the panes in their borders.

use crate::container::Choice;
use crate::diagnostic::Severity;
use crate::text::wrap::fit;
use crate::wording::figures::{total_dollars, total_tokens};
use crate::wording::session_summary::{TitleSource, session_title};

use crate::tui::action::PaneId;
use crate::tui::layout::Slot;
use crate::tui::pane::Panes;
use crate::tui::row::{Piece, count, grouped, mark, severity_word, width};
use crate::tui::screen::chrome::heading;
use crate::tui::screen::transcript::Transcript;
use crate::tui::style::Role;
use crate::tui::view::View;
use crate::tui::view::origin::Phase;
use crate::tui::view::presentation::ScreenElement;

/// A count in the title; a click on it goes to the next such item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Counted {
    /// All calls, failed or not.
    Calls,
    /// Calls that the runtime skips.
    Skipped,
    /// Calls without a result.
    Unanswered,
    /// Problems of a severity; notes are failed calls.
    Problems(Severity),
    /// Errors and failed calls since the user last looked.
    Unread,
}

/// The count at a column of the title.
pub(super) fn counted_at(state: &Transcript, column: u16) -> Option<Counted> {
    let right = right_side(state);
    let mut end = usize::from(state.chrome.size.0).saturating_sub(width_of(&right));
    right.into_iter().find_map(|(piece, counted)| {
        let start = end;
        end += piece.width();
        counted.filter(|_| (start..end).contains(&usize::from(column)))
    })
}

/// How much of the counts is shown.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Brevity {
    /// Words, tokens and cost.
    Full,
    /// Signs instead of `errors`, `warnings` and `notes`.
    Outcomes,
    /// Only signs, with tokens and cost.
    Marks,
    /// Only signs, with tokens or else the cost.
    Tokens,
    /// Only signs.
    Counts,
}

/// The counts, shortened to leave room for the name; a session's name may be cut.
fn right_side(state: &Transcript) -> Vec<(Piece, Option<Counted>)> {
    /// Minimum columns for a session's name; the counts are shortened below that.
    const SESSION: usize = 16;
    let name = match session_name(&state.view) {
        Some(session) => width(&[Piece::new(session, Role::Strong)]).min(SESSION),
        None => width(&[Piece::new(state.view.origin.short(), Role::Strong)]) + 8,
    };
    let needed = width(&heading("")) + name + phase(state).map_or(0, |phase| width(&[phase]) + 4) + 1;
    let room = usize::from(state.chrome.size.0).saturating_sub(needed);
    let forms = [Brevity::Full, Brevity::Outcomes, Brevity::Marks, Brevity::Tokens];
    forms
        .into_iter()
        .map(|brevity| totals(state, brevity))
        .find(|counts| width_of(counts) <= room)
        .unwrap_or_else(|| totals(state, Brevity::Counts))
}

fn width_of(counts: &[(Piece, Option<Counted>)]) -> usize {
    counts.iter().map(|(piece, _)| piece.width()).sum()
}

/// Title text, left and right: name, container, dialects, progress of reading, calls, failures and problems.
pub(super) fn title(state: &Transcript) -> [Vec<Piece>; 2] {
    let columns = usize::from(state.chrome.size.0);
    let name = &state.view.origin.name;
    let short = state.view.origin.short();
    let session = session_name(&state.view);
    let right: Vec<Piece> = right_side(state).into_iter().map(|(piece, _)| piece).collect();
    let room = columns.saturating_sub(width(&right) + 1);
    let seen: Vec<&str> = state.view.session.document().dialects_seen().collect();
    let dialects = match seen.len() {
        0 => "no calls".into(),
        1..=3 => seen.join(", "),
        more => format!("{more} call formats"),
    };
    let runtime = state.view.options.runtime.as_ref().map_or_else(String::new, |name| format!(" read as {name}"));
    let is_unknown = state.view.has_unknown_format();
    let what = match &state.view.origin.note {
        _ if is_unknown => Piece::new(Choice::UNKNOWN, Role::Warning),
        Some(note) => Piece::new(note, Role::Dim),
        None => Piece::new(format!("{} · {dialects}{runtime}", state.view.container()), Role::Dim),
    };
    let phase = phase(state).map(|phase| with_activity(state, phase, room));
    let is_ahead = state.view.ahead.is_some();
    let short_phase = if is_ahead { Some(Piece::new("still loading", Role::Warning)) } else { phase.clone() };
    let parts = |name: &str, what: Option<&Piece>, phase: &Option<Piece>| {
        let mut left = heading(name);
        let is_changed = state.view.editor.as_ref().is_some_and(|editor| editor.is_changed());
        left.extend(is_changed.then(|| Piece::new(" [+]", Role::Warning)));
        for part in [what.cloned(), phase.clone()].into_iter().flatten() {
            left.push(Piece::new(" ── ", Role::Border));
            left.push(part);
        }
        left
    };
    if let Some(session) = session {
        let what = Piece::new(state.view.container(), Role::Dim);
        let [whole, bare, cut] = [
            parts(&session, Some(&what), &phase),
            parts(&session, None, &phase),
            parts(&fit(&session, room.saturating_sub(width(&parts("", None, &short_phase)))), None, &short_phase),
        ];
        let left = [whole, bare].into_iter().find(|left| width(left) <= room).unwrap_or(cut);
        return [left, right];
    }
    if is_unknown {
        let cut = fit(short, room.saturating_sub(width(&parts("", Some(&what), &short_phase))));
        let forms = [parts(name, Some(&what), &phase), parts(&cut, Some(&what), &short_phase)];
        let [_, shortest] = &forms;
        let left = forms.iter().find(|left| width(left) <= room).unwrap_or(shortest);
        return [left.clone(), right];
    }
    // If not everything fits, first the dialects are left out, then the folders before the name.
    let forms = [
        parts(name, Some(&what), &phase),
        parts(short, Some(&what), &phase),
        parts(name, None, &phase),
        parts(short, None, &phase),
        parts(short, None, &short_phase),
    ];
    let [.., shortest] = &forms;
    let left = forms.iter().find(|left| width(left) <= room).unwrap_or(shortest);
    [left.clone(), right]
}

/// The name of a recorded session: its project, and its title or else its first prompt.
pub(super) fn session_name(view: &View) -> Option<String> {
    if view.shows(ScreenElement::Dialects) {
        return None;
    }
    let (title, source) = session_title(view.whole())?;
    if matches!(source, TitleSource::Slug | TitleSource::Id) {
        return None;
    }
    let project = view.whole().document().session_info().project();
    Some(project.map_or_else(|| title.to_string(), |project| format!("{project} · {title}")))
}

/// Tokens and cost of the whole session, if known.
fn session_spending(view: &View) -> impl Iterator<Item = String> {
    let spending = view.spending();
    let tokens = total_tokens(&spending).map(|total| format!("{total} tokens"));
    tokens.into_iter().chain(total_dollars(&spending))
}

/// Failures since the user last looked: `2 failed, 1 error since`.
fn failures_since(view: &View) -> Option<String> {
    let (failed, errors) = view.counts_since();
    let failed = (failed > 0).then(|| format!("{} failed", grouped(failed)));
    let errors = (errors > 0).then(|| count(errors, "error"));
    let words: Vec<String> = failed.into_iter().chain(errors).collect();
    (!words.is_empty()).then(|| format!("{} since", words.join(", ")))
}

/// Progress of reading, unless it has ended normally.
fn phase(state: &Transcript) -> Option<Piece> {
    match (&state.view.origin.phase, state.following.hold_end) {
        _ if let Some(percent) = state.reread_percent() => {
            Some(Piece::new(format!("re-reading {percent}%"), Role::Pending))
        }
        _ if state.view.ahead.is_some() => Some(Piece::new("end of the file, still loading", Role::Warning)),
        _ if state.replay.is_some() => Some(Piece::new("replay", Role::Pending)),
        (Phase::Failed(_), _) => Some(Piece::new("reading failed", Role::Error)),
        _ if let Some(exit) = state.view.failed_exit() => Some(Piece::new(exit.words(), Role::Error)),
        (Phase::Loading, _) => Some(Piece::new("loading …", Role::Pending)),
        (Phase::Following, true) => Some(Piece::new("following ●", Role::Good)),
        (Phase::Following, false) => Some(Piece::new("following ○", Role::Pending)),
        (Phase::Ended, _) => None,
    }
}

/// Progress of reading, and the activity of a followed session if that fits next to the name.
fn with_activity(state: &Transcript, phase: Piece, room: usize) -> Piece {
    /// Columns of the program's name and of a short name of the text.
    const NAME: usize = 36;
    let long = state.following.activity.text().map(|words| Piece::new(format!("{} · {words}", phase.text), phase.role));
    long.filter(|long| long.width() + NAME <= room).unwrap_or(phase)
}

/// Numbers of calls and problems, each with what it counts.
fn totals(state: &Transcript, brevity: Brevity) -> Vec<(Piece, Option<Counted>)> {
    let outcomes = state.view.outcomes();
    let full = brevity == Brevity::Full;
    let plain = |words: &str, role| (Piece::new(words, role), None);
    let mut right = Vec::new();
    if let Some(words) = failures_since(&state.view) {
        right.extend([(Piece::new(words, Role::Error), Some(Counted::Unread)), plain(" · ", Role::Dim)]);
    }
    right.push((Piece::new(count(outcomes.calls, "call"), Role::Text), Some(Counted::Calls)));
    let figures = match brevity {
        Brevity::Counts => 0,
        Brevity::Tokens => 1,
        Brevity::Marks | Brevity::Outcomes | Brevity::Full => usize::MAX,
    };
    for words in session_spending(&state.view).take(figures) {
        right.extend([plain(" · ", Role::Dim), plain(&words, Role::Text)]);
    }
    let of_outcome = |word| match word {
        "skipped" => Counted::Skipped,
        "unanswered" => Counted::Unanswered,
        _ => Counted::Problems(Severity::Note),
    };
    for (sign, number, word) in outcomes.nonzero_counts() {
        let role = if sign == '✗' { Role::Error } else { Role::Warning };
        let number = grouped(number);
        let has_word = matches!(brevity, Brevity::Full | Brevity::Outcomes);
        let words = if has_word { format!("{sign} {number} {word}") } else { format!("{sign} {number}") };
        let words = Piece::new(words, role);
        right.extend([plain(" · ", Role::Dim), (words, Some(of_outcome(word)))]);
    }
    let mut has_problems = false;
    for severity in [Severity::Error, Severity::Warning, Severity::Hint] {
        // Unanswered calls are counted separately.
        let unanswered = if severity == Severity::Warning { state.view.unanswered_problems() } else { 0 };
        let number = state.view.total(severity) - unanswered;
        if number > 0 {
            has_problems = true;
            let (sign, role) = mark(severity);
            let words = match severity {
                // Its sign is the same as the separator.
                Severity::Hint | Severity::Note => count(number, severity_word(severity)),
                _ if full => format!("{sign} {}", count(number, severity_word(severity))),
                _ => format!("{sign} {}", grouped(number)),
            };
            right.push(plain(" · ", Role::Dim));
            right.push((Piece::new(words, role), Some(Counted::Problems(severity))));
        }
    }
    if !has_problems
        && !state.view.has_unknown_format()
        && state.view.origin.phase == Phase::Ended
        && state.view.failed_exit().is_none()
    {
        match outcomes.nonzero_counts().next() {
            _ if !state.view.shows(ScreenElement::NoProblems) => {}
            None => right.push(plain(" · no problems", Role::Good)),
            Some(_) if full => right.push(plain(" · no parse problems", Role::Good)),
            Some(_) => {}
        }
    }
    right.push(plain(" ", Role::Text));
    right
}

/// The titles in the upper border of a slot, each with a flag that marks it as current.
pub(super) fn titles(state: &Transcript, slot: Slot) -> Vec<(String, bool)> {
    let (view, layout) = (&state.view, &state.view.layout);
    if slot == Slot::Bottom {
        return bottom_tabs(state).map(|(pane, words)| (words, pane == layout.bottom)).collect();
    }
    let pane = layout.pane_in(slot);
    let subtitle = state.panes.get(pane).subtitle(view).map(|words| (format!(" {words} "), false));
    [(format!(" {} ", state.panes.title(pane, view)), true)].into_iter().chain(subtitle).collect()
}

/// The panes that share the bottom and their titles, beginning with the first one that leaves room for the current pane's.
/// Brackets mark that one where there are no colours.
fn bottom_tabs(state: &Transcript) -> impl Iterator<Item = (PaneId, String)> {
    let (view, current) = (&state.view, state.view.layout.bottom);
    let title = |pane: PaneId| {
        let words = state.panes.title(pane, view);
        if pane == current { format!("[{words}]") } else { format!(" {words} ") }
    };
    let tabs: Vec<(PaneId, String)> = Panes::at_bottom(view).map(|pane| (pane, title(pane))).collect();
    let shown = tabs.iter().position(|(pane, _)| *pane == current).unwrap_or(0);
    let columns = |first: &usize| tabs[*first..=shown].iter().map(|(_, words)| words.chars().count()).sum::<usize>();
    let first = (0..shown).find(|first| columns(first) <= view.width(current)).unwrap_or(shown);
    tabs.into_iter().skip(first)
}

/// The pane whose title is at a column of the border at the bottom.
pub(super) fn tab_at(state: &Transcript, column: u16) -> Option<PaneId> {
    let mut x = 1;
    let found = bottom_tabs(state).find(|(_, words)| {
        let start = x;
        x += words.chars().count() as u16;
        (start..x).contains(&column)
    });
    found.map(|(pane, _)| pane)
}
