//! The bottom line: key hints and the position of the selection.

use crate::diagnostic::Severity;
use crate::document::Item;
use crate::text::wrap::fit;
use crate::tui::keymap::ScreenId;
use crate::tui::pane::Panes;
use crate::tui::row::{Piece, count, grouped, width};
use crate::tui::screen::chrome::hint;
use crate::tui::screen::transcript::{Transcript, replay_bar};
use crate::tui::style::Role;
use crate::tui::view::origin::Phase;

/// Maximum columns of the filter's expression in the line.
const EXPRESSION: usize = 30;

/// Keys of the declaration editor.
const DECLARING: &[(&str, &str)] = &[
    ("Esc", "panes"),
    ("F1", "help"),
    ("F3", "commands"),
    ("F2", "text"),
    ("ctrl-n", "fault"),
    ("ctrl-r", "repair"),
    ("ctrl-z", "undo"),
    ("ctrl-s", "save"),
    ("ctrl-g", "$EDITOR"),
    ("ctrl-y", "redo"),
    ("ctrl-c/x", "copy, cut"),
];

/// Keys of the text editor while its text is empty.
const EMPTY: &[(&str, &str)] =
    &[("alt-e", "insert an example call"), ("F1", "help"), ("F3", "commands"), ("Esc", "panes"), ("ctrl-g", "$EDITOR")];

/// Keys of the text editor.
const TYPING: &[(&str, &str)] = &[
    ("Esc", "panes"),
    ("F1", "help"),
    ("F3", "commands"),
    ("ctrl-n", "problem"),
    ("ctrl-r/f", "repair, all"),
    ("ctrl-z", "undo"),
    ("F2", "declaration"),
    ("ctrl-s", "save"),
    ("ctrl-g", "$EDITOR"),
    ("ctrl-y", "redo"),
    ("ctrl-c/x", "copy, cut"),
];

/// Progress of reading while it is incomplete; `right` is the width of the text at the right edge.
fn throughput(state: &Transcript, right: usize) -> Option<Piece> {
    /// Columns reserved for hints if there is little room.
    const HINTS: usize = 18;
    if state.view.origin.phase != Phase::Loading && state.view.ahead.is_none() {
        return None;
    }
    let left = state.chrome.prompt_or_message().map_or(HINTS, |said| width(&said));
    let room = usize::from(state.chrome.size.0).saturating_sub(right + 2 + left);
    let (file, size) = (state.view.whole().file(), state.view.origin.size);
    let words = state.following.throughput.words(file.len(), size.map(|size| size as usize), room);
    (words.chars().count() <= room).then(|| Piece::new(format!(" {words} "), Role::Pending))
}

/// The most important keys, or the expected continuation of a text being replayed.
pub(super) fn hints(state: &Transcript) -> Vec<Piece> {
    if state.replay.is_some()
        && let Some(waiting) = state.view.waiting()
    {
        let role = if waiting.is_open { Role::Pending } else { Role::Status };
        return vec![Piece::new(" awaiting  ", Role::Status), Piece::new(waiting.words, role)];
    }
    // The main action of a bottom list comes first.
    let facts = Panes::facts(state.view.layout.focused());
    let acts: Vec<_> =
        facts.hint.map(|words| ("Enter", words)).into_iter().chain(facts.other_hints.iter().copied()).collect();
    let keys: &[(&str, &str)] = if state.types() {
        match &state.view.editor {
            _ if state.view.is_declaring() => DECLARING,
            Some(editor) if editor.text().is_empty() => EMPTY,
            _ => TYPING,
        }
    } else if state.view.search.is_some() {
        &[
            ("n/N", "match"),
            ("Esc", if state.view.search_progress().is_some() { "stop" } else { "end search" }),
            ("/", "search"),
            ("Tab", "pane"),
            ("?", "help"),
        ]
    } else if state.view.filter.is_some() {
        &[
            ("Esc", "end filter"),
            ("&", "change"),
            ("H", "hide or dim"),
            ("c", "call"),
            ("e", "problem"),
            ("Tab", "pane"),
            ("?", "help"),
        ]
    } else if state.view.editor.is_some() {
        &[
            ("?", "help"),
            ("alt-3", "edit"),
            ("e", "problem"),
            ("f/F", "repair, all"),
            ("I", "declaration"),
            ("ctrl-z", "undo"),
            ("ctrl-t", "shell"),
            ("ctrl-s", "save"),
            ("c", "call"),
            ("Tab", "pane"),
            ("q", "quit"),
        ]
    } else {
        &[
            ("?", "help"),
            ("q", "quit"),
            ("e", "problem"),
            ("c", "call"),
            ("/", "search"),
            ("&", "filter"),
            ("Tab", "pane"),
            ("y", "copy"),
            ("A", "note"),
            ("j/k", "move"),
            ("Enter", "fold"),
            ("ctrl-p", "commands"),
            ("d", "graph"),
            ("a", "details"),
            ("Z", "zoom"),
        ]
    };
    // While a text is edited, keys are the editor's.
    let hint = |key: &str, words: &str| {
        let words = if key == "q" { state.chrome.quit_words() } else { words };
        let own = || state.chrome.keymap.in_place_of(ScreenId::Transcript, key);
        let key = if state.types() { key.to_owned() } else { own() };
        if key.is_empty() { Vec::new() } else { hint(&key, words).to_vec() }
    };
    let mut pieces = vec![Piece::new(" ", Role::Status)];
    if state.view.origin.offers_recorded && state.view.search.is_none() {
        pieces.extend(hint("o", "recorded sessions"));
    }
    let close = (!state.chrome.tab_bar.is_empty() && !state.types()).then_some(&("ctrl-w", "close tab"));
    let (first, others) = keys.split_at(keys.len().min(2));
    let acts = if state.view.search.is_none() { &acts[..] } else { &[] };
    let is_usual = state.view.search.is_none() && state.view.filter.is_none() && state.view.editor.is_none();
    let selected = is_usual.then(|| for_selection(state)).flatten();
    let others = others.iter().filter(|(key, _)| acts.iter().all(|(act, _)| key != act));
    let others = others.filter(|(key, _)| selected.is_none_or(|(chosen, _)| chosen != *key));
    let (first, selected) = (first.iter(), selected.as_ref());
    pieces
        .extend(first.chain(acts).chain(selected).chain(close).chain(others).flat_map(|(key, words)| hint(key, words)));
    pieces
}

/// Hint for the selection: repair a problem, or go between a call and its result.
fn for_selection(state: &Transcript) -> Option<(&'static str, &'static str)> {
    let (view, target) = (&state.view, state.view.selection);
    let document = view.session.document();
    let problem = target.problem.and_then(|number| view.problems().brief(number));
    match document.items().get(target.item)? {
        _ if problem.is_some_and(|problem| problem.severity > Severity::Note) => Some(("f", "repair")),
        Item::Call(_) => document.answer_of(target.item).map(|_| ("r", "its result")),
        Item::Result(answer) => answer.call.map(|_| ("r", "its call")),
        Item::Text(_) | Item::Aside(_) => None,
    }
}

/// Progress of reading or of a replay, lines that arrived below, search results, and the position of the selection.
pub(super) fn place(state: &Transcript) -> Vec<Piece> {
    let mut pieces = Vec::new();
    if state.following.arrived > 0 {
        pieces.push(Piece::new(format!(" ▼ {} below: G ", count(state.following.arrived, "new line")), Role::Good));
    }
    if let Some(filter) = &state.view.filter {
        let all = state.view.session.document().calls().len();
        let counted = format!("{}/{}", grouped(filter.calls()), count(all, "call"));
        let percent = filter.percent(&state.view.session);
        let counted = if percent < 100 { format!("{counted} · {percent}%") } else { counted };
        let words = fit(&filter.filter().to_string(), EXPRESSION).into_owned();
        pieces.push(Piece::new(format!(" filter: {words}  {counted} "), Role::Match));
    }
    if let Some(search) = &state.view.search {
        let total = grouped(search.total);
        let matches = count(search.total, "match").replace("matchs", "matches");
        let words = match (state.view.search_progress(), search.at(state.view.base() + state.view.selection.offset)) {
            (Some(percent), _) => format!(" searching {percent}% · {matches} "),
            (None, Some((number, _))) => format!(" match {} of {total} ", grouped(number)),
            (None, None) => format!(" {matches} "),
        };
        pieces.push(Piece::new(words, Role::Match));
    }
    let column = state.view.column_of(state.view.selection.offset);
    let line = state.view.line_of(state.view.selection.offset);
    let shown = state.view.base() + state.view.session.text().len();
    let length = shown.max(state.view.whole().text().len());
    // The last byte counts as 100 %.
    let percent = ((state.view.base() + state.view.selection.offset) * 100).checked_div(length.saturating_sub(1));
    let percent = percent.unwrap_or(100).min(100);
    pieces.push(Piece::new(format!("  {line}:{column}  {percent}% "), Role::Status));
    let come = match &state.replay {
        Some(_) if state.replay_bar_area().is_none() => Some(Piece::new(replay_bar::words(state), Role::Pending)),
        Some(_) => None,
        None => throughput(state, width(&pieces)),
    };
    pieces.splice(..0, come);
    pieces
}
