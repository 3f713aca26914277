//! Which key asks for what. The help screen is this table.
//!
//! Keys follow vim and less, and the arrows work. This module does not know what an action does.

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use tui_input::InputRequest;

use crate::tui::action::{Action, EditCommand, Motion, Move, PaneId};

/// A line of the table: keys as people write them, what they ask for, and what that does.
pub struct Binding {
    /// Names of keys such as `j`, `ctrl-d`, `Down` and `Tab`.
    pub keys: &'static [&'static str],
    /// What is done when one of them is pressed.
    pub action: Action,
    /// What that does; empty for a line that says the opposite of the one above it, which names both.
    pub help: &'static str,
}

/// A group of lines under a heading.
pub struct Group {
    /// The heading above them in the help.
    pub title: &'static str,
    /// Its lines, in the order of the help.
    pub bindings: &'static [Binding],
}

const fn bind(keys: &'static [&'static str], action: Action, help: &'static str) -> Binding {
    Binding { keys, action, help }
}

/// What a help screen shows.
pub struct Keys {
    /// The keys, group by group, in the order of the help.
    pub groups: &'static [Group],
    /// What the mouse does, for the last line of the help.
    pub mouse: &'static str,
}

/// The keys of a transcript.
pub const TRANSCRIPT_KEYS: Keys = Keys { groups: KEYMAP, mouse: "Click: choose, fold; wheel: scroll; Shift: select" };

/// The keys of a list of sessions.
pub const SESSIONS_KEYS: Keys =
    Keys { groups: SESSIONS_KEYMAP, mouse: "Click: choose, open; wheel: scroll; Shift: select" };

/// The keys of a comparison.
pub const COMPARISON_KEYS: Keys =
    Keys { groups: COMPARISON_KEYMAP, mouse: "Click: choose, fold; wheel: scroll; Shift: select" };

/// Every key of a comparison.
pub const COMPARISON_KEYMAP: &[Group] = &[
    Group {
        title: "Move",
        bindings: &[
            bind(&["e", "n"], Action::Problem(1), "the next difference"),
            bind(&["E", "N"], Action::Problem(-1), "the previous difference"),
            bind(&["j", "Down"], Action::Move(Motion::Line(1)), "down"),
            bind(&["k", "Up"], Action::Move(Motion::Line(-1)), "up"),
            bind(&["ctrl-d"], Action::Move(Motion::Half(1)), "half a page down"),
            bind(&["ctrl-u"], Action::Move(Motion::Half(-1)), "half a page up"),
            bind(&["Space", "ctrl-f", "PageDown"], Action::Move(Motion::Page(1)), "a page down"),
            bind(&["b", "ctrl-b", "PageUp"], Action::Move(Motion::Page(-1)), "a page up"),
            bind(&["g", "Home", "<"], Action::Move(Motion::Top), "to the beginning"),
            bind(&["G", "End", ">"], Action::Move(Motion::Bottom), "to the end"),
        ],
    },
    Group {
        title: "Calls",
        bindings: &[
            bind(&["Enter"], Action::Toggle, "what differs, all of it; fold"),
            bind(&["l", "Right"], Action::Open, "show all of it"),
            bind(&["h", "Left"], Action::Close, "fold it"),
            bind(&["-"], Action::FoldAll, "fold all calls"),
            bind(&["+", "="], Action::UnfoldAll, "unfold all calls"),
            bind(&["m"], Action::OnlyDifferences, "only modified calls, or all"),
            bind(&["Tab"], Action::FocusNext(1), "the other side"),
            bind(&["BackTab"], Action::FocusNext(-1), "the other side"),
            bind(&["c"], Action::Visit, "go to the call in its text"),
            bind(&["i"], Action::Play, "edit a copy of the call"),
            bind(&["y"], Action::Copy, "copy the call"),
        ],
    },
    Group {
        title: "Other",
        bindings: &[
            bind(&["]"], Action::NextFile(1), "the next tab"),
            bind(&["["], Action::NextFile(-1), "the previous tab"),
            bind(&["ctrl-w"], Action::CloseTab, "close this tab"),
            bind(&["?"], Action::Help, "this help"),
            bind(&["Esc"], Action::Cancel, "close it: back to the text"),
            bind(&["M"], Action::Mouse, "give the mouse to the terminal"),
            bind(&["ctrl-l"], Action::Redraw, "redraw"),
            bind(&["ctrl-z"], Action::Suspend, "suspend; fg returns"),
            bind(&["ctrl-c"], Action::Interrupt, "interrupt the command, or quit"),
            bind(&["q"], Action::Quit, "quit"),
        ],
    },
];

/// Every key of a list of sessions.
pub const SESSIONS_KEYMAP: &[Group] = &[
    Group {
        title: "Move",
        bindings: &[
            bind(&["j", "Down"], Action::Move(Motion::Line(1)), "down"),
            bind(&["k", "Up"], Action::Move(Motion::Line(-1)), "up"),
            bind(&["ctrl-d"], Action::Move(Motion::Half(1)), "half a page down"),
            bind(&["ctrl-u"], Action::Move(Motion::Half(-1)), "half a page up"),
            bind(&["Space", "ctrl-f", "PageDown"], Action::Move(Motion::Page(1)), "a page down"),
            bind(&["b", "ctrl-b", "PageUp"], Action::Move(Motion::Page(-1)), "a page up"),
            bind(&["g", "Home", "<"], Action::Move(Motion::Top), "to the first"),
            bind(&["G", "End", ">"], Action::Move(Motion::Bottom), "to the last"),
        ],
    },
    Group {
        title: "Sessions",
        bindings: &[
            bind(&["Enter"], Action::Toggle, "open it; show or hide a folder"),
            bind(&["l", "Right"], Action::Open, "open it; show a folder"),
            bind(&["h", "Left"], Action::Close, "hide a folder"),
            bind(&["/"], Action::Search, "filter by name and kind"),
            bind(&["s"], Action::Order, "order: date, size, problems"),
            bind(&["c"], Action::CountLarge, "count the calls of a large file"),
            bind(&["o"], Action::Recorded, "the sessions that agents keep"),
            bind(&["]"], Action::NextFile(1), "the next tab"),
            bind(&["["], Action::NextFile(-1), "the previous tab"),
            bind(&["ctrl-w"], Action::CloseTab, "close this tab"),
        ],
    },
    Group {
        title: "Other",
        bindings: &[
            bind(&["?"], Action::Help, "this help"),
            bind(&["Esc"], Action::Cancel, "leave the filter, then the list"),
            bind(&["M"], Action::Mouse, "give the mouse to the terminal"),
            bind(&["ctrl-l"], Action::Redraw, "redraw"),
            bind(&["ctrl-z"], Action::Suspend, "suspend; fg returns"),
            bind(&["ctrl-c"], Action::Interrupt, "interrupt the command, or quit"),
            bind(&["q"], Action::Quit, "quit"),
        ],
    },
];

/// Every key of a transcript.
pub const KEYMAP: &[Group] = &[
    Group {
        title: "Move",
        bindings: &[
            bind(&["j", "Down"], Action::Move(Motion::Line(1)), "down"),
            bind(&["k", "Up"], Action::Move(Motion::Line(-1)), "up"),
            bind(&["ctrl-d"], Action::Move(Motion::Half(1)), "half a page down"),
            bind(&["ctrl-u"], Action::Move(Motion::Half(-1)), "half a page up"),
            bind(&["Space", "ctrl-f", "PageDown"], Action::Move(Motion::Page(1)), "a page down"),
            bind(&["b", "ctrl-b", "PageUp"], Action::Move(Motion::Page(-1)), "a page up"),
            bind(&["g", "Home", "<"], Action::Move(Motion::Top), "to the beginning"),
            bind(&["G", "End", ">"], Action::Move(Motion::Bottom), "to the end, and follow it"),
            bind(&[":"], Action::GoToLine, "to a line, or to 50%"),
        ],
    },
    Group {
        title: "Go to",
        bindings: &[
            bind(&["e"], Action::Problem(1), "the next problem"),
            bind(&["E"], Action::Problem(-1), "the previous problem"),
            bind(&["c", "}"], Action::Call(1), "the next call"),
            bind(&["C", "{"], Action::Call(-1), "the previous call"),
            bind(&["r"], Action::Partner, "a call's result, and back"),
            bind(&["/"], Action::Search, "a match: asks for a pattern"),
            bind(&["n"], Action::Match(1), "the next match"),
            bind(&["N"], Action::Match(-1), "the previous match"),
            bind(&["]"], Action::NextFile(1), "the next file"),
            bind(&["["], Action::NextFile(-1), "the previous file"),
            bind(&["ctrl-w"], Action::CloseTab, "close this tab"),
            bind(&["o"], Action::Recorded, "the sessions that agents keep"),
            bind(&["O"], Action::BackToList, "back to the list of sessions"),
            bind(&["("], Action::NextText(-1), "earlier contents of the file"),
            bind(&[")"], Action::NextText(1), "later contents"),
        ],
    },
    Group {
        title: "Playground",
        bindings: &[
            bind(&["i"], Action::Play, "edit a copy of the selection"),
            bind(&["ctrl-s"], Action::Save, "save the playground"),
            bind(&["S"], Action::SaveCase, "save as a test case"),
            bind(&["ctrl-o"], Action::Write, "edit it in $EDITOR"),
            bind(&["ctrl-y"], Action::Redo, "redo"),
        ],
    },
    Group {
        title: "Replay",
        bindings: &[
            bind(&["P"], Action::Replay(Move::Play), "replay as a stream; pause"),
            bind(&["."], Action::Replay(Move::Step(true)), "step forward"),
            bind(&[","], Action::Replay(Move::Step(false)), "step back"),
            bind(&["u"], Action::Replay(Move::Unit), "step by line, chunk, character"),
            bind(&["U"], Action::Replay(Move::Faster), "change the speed"),
        ],
    },
    Group {
        title: "Fold",
        bindings: &[
            bind(&["l", "Right"], Action::Open, "unfold, go in; next byte"),
            bind(&["h", "Left"], Action::Close, "fold, go out; previous byte"),
            bind(&["Enter"], Action::Toggle, "fold or unfold; full value"),
            bind(&["-"], Action::FoldAll, "fold all calls"),
            bind(&["+", "="], Action::UnfoldAll, "unfold all calls"),
        ],
    },
    Group {
        title: "Panes",
        bindings: &[
            bind(&["Tab"], Action::FocusNext(1), "next pane"),
            bind(&["BackTab"], Action::FocusNext(-1), "previous pane"),
            bind(&["1"], Action::Focus(PaneId::Outline), "outline"),
            bind(&["2"], Action::Focus(PaneId::Reading), "reading"),
            bind(&["3"], Action::Focus(PaneId::Raw), "raw text"),
            bind(&["4", "p"], Action::Focus(PaneId::Problems), "problems"),
            bind(&["5", "d"], Action::Focus(PaneId::Graph), "dependency graph"),
            bind(&["6", "a"], Action::Focus(PaneId::Details), "details of the selection"),
            bind(&["7", "v"], Action::Focus(PaneId::Events), "events of the file or command"),
            bind(&["8", "s"], Action::Focus(PaneId::Settings), "settings"),
            bind(&["9", "$"], Action::Focus(PaneId::Dialects), "cost in each dialect"),
            bind(&["0", "#"], Action::Focus(PaneId::Statistics), "statistics of calls and roles"),
            bind(&["t"], Action::NextTab, "next bottom tab"),
            bind(&["z"], Action::Zoom, "zoom the focused pane"),
            bind(&["Z"], Action::Taller, "make the bottom pane taller"),
            bind(&["w"], Action::Wrap, "wrap or cut long raw lines"),
            bind(&["R"], Action::RawFile, "raw: show the file itself"),
            bind(&["|"], Action::Borders, "raw: mark chunk boundaries"),
        ],
    },
    Group {
        title: "Other",
        bindings: &[
            bind(&["T"], Action::FollowEnd, "follow the end, or stop"),
            bind(&["f"], Action::Repair, "show a repair, then apply it"),
            bind(&["F"], Action::RepairAll, "show all repairs, then apply"),
            bind(&["D"], Action::Compare, "compare with before or another"),
            bind(&["y"], Action::Copy, "copy the selection"),
            bind(&["x"], Action::Examples, "read examples as prose or calls"),
            bind(&["B"], Action::Branches, "show or hide abandoned messages"),
            bind(&["?", "F1"], Action::Help, "this help"),
            bind(&["Esc"], Action::Cancel, "leave help, zoom or search"),
            bind(&["M"], Action::Mouse, "give the mouse to the terminal"),
            bind(&["ctrl-l"], Action::Redraw, "redraw"),
            bind(&["ctrl-z"], Action::Undo, "suspend; in a playground: undo"),
            bind(&["ctrl-t"], Action::Suspend, "suspend; fg returns"),
            bind(&["ctrl-c"], Action::Interrupt, "interrupt the command, or quit"),
            bind(&["q"], Action::Quit, "quit"),
        ],
    },
];

/// What a key asks for among these.
pub fn action(keys: &Keys, key: KeyEvent) -> Option<Action> {
    let name = key_name(key)?;
    let bindings = keys.groups.iter().flat_map(|group| group.bindings);
    bindings.into_iter().find(|binding| binding.keys.contains(&name.as_str())).map(|binding| binding.action)
}

/// The first key that asks for something among these, as it is shown; nothing where none does.
pub fn key_of(keys: &Keys, action: Action) -> &'static str {
    let bindings = keys.groups.iter().flat_map(|group| group.bindings);
    bindings.into_iter().find(|binding| binding.action == action).map_or("", |binding| shown(binding.keys[0]))
}

/// What a key asks for while a line is being typed.
pub enum Pressed {
    /// A change of the line.
    Edit(InputRequest),
    /// The line is done.
    Submit,
    /// Something that is not about the line.
    Action(Action),
}

/// What a key asks for while a line is being typed; the editing keys are those of a shell.
pub fn in_prompt(key: KeyEvent) -> Option<Pressed> {
    let control = key.modifiers.contains(KeyModifiers::CONTROL);
    let request = match (key.code, control) {
        (KeyCode::Enter, _) => return Some(Pressed::Submit),
        (KeyCode::Esc, _) | (KeyCode::Char('c' | 'g'), true) => return Some(Pressed::Action(Action::Cancel)),
        (KeyCode::Char('z'), true) => return Some(Pressed::Action(Action::Suspend)),
        (KeyCode::Char('a'), true) | (KeyCode::Home, _) => InputRequest::GoToStart,
        (KeyCode::Char('e'), true) | (KeyCode::End, _) => InputRequest::GoToEnd,
        (KeyCode::Char('u'), true) => InputRequest::DeleteFromStart,
        (KeyCode::Char('k'), true) => InputRequest::DeleteTillEnd,
        (KeyCode::Char('w'), true) => InputRequest::DeletePrevWord,
        (KeyCode::Char('h'), true) | (KeyCode::Backspace, _) => InputRequest::DeletePrevChar,
        (KeyCode::Delete, _) => InputRequest::DeleteNextChar,
        (KeyCode::Left, false) => InputRequest::GoToPrevChar,
        (KeyCode::Right, false) => InputRequest::GoToNextChar,
        (KeyCode::Left, true) => InputRequest::GoToPrevWord,
        (KeyCode::Right, true) => InputRequest::GoToNextWord,
        (KeyCode::Char(c), false) => InputRequest::InsertChar(c),
        _ => return None,
    };
    Some(Pressed::Edit(request))
}

/// What a key asks for while a text is being written.
pub enum Written {
    /// It is typed.
    Typed,
    /// A change of the text.
    Change(EditCommand),
    /// Something that is not about the text.
    Action(Action),
}

/// What a key asks for while a text is being written: most are typed, some are those of any editor.
pub fn in_text(key: KeyEvent) -> Written {
    let control = key.modifiers.contains(KeyModifiers::CONTROL);
    match (key.code, control) {
        (KeyCode::Esc, _) => Written::Action(Action::Focus(PaneId::Reading)),
        (KeyCode::Tab, _) => Written::Action(Action::FocusNext(1)),
        (KeyCode::BackTab, _) => Written::Action(Action::FocusNext(-1)),
        (KeyCode::F(1), _) => Written::Action(Action::Help),
        (KeyCode::Char('z' | 'u'), true) => Written::Change(EditCommand::Undo),
        (KeyCode::Char('y'), true) => Written::Change(EditCommand::Redo),
        (KeyCode::Char('a'), true) => Written::Change(EditCommand::SelectAll),
        (KeyCode::Char('c'), true) => Written::Change(EditCommand::Copy),
        (KeyCode::Char('x'), true) => Written::Change(EditCommand::Cut),
        (KeyCode::Char('r'), true) => Written::Action(Action::Repair),
        (KeyCode::Char('f'), true) => Written::Action(Action::RepairAll),
        (KeyCode::Char('n'), true) => Written::Action(Action::Problem(1)),
        (KeyCode::Char('p'), true) => Written::Action(Action::Problem(-1)),
        (KeyCode::Char('t'), true) => Written::Action(Action::Suspend),
        (KeyCode::Char('s'), true) => Written::Action(Action::Save),
        (KeyCode::Char('o'), true) => Written::Action(Action::Write),
        (KeyCode::Char('l'), true) => Written::Action(Action::Redraw),
        (KeyCode::Char('q'), true) => Written::Action(Action::Quit),
        _ => Written::Typed,
    }
}

/// A key as the table writes it.
fn key_name(key: KeyEvent) -> Option<String> {
    let name = match key.code {
        KeyCode::Char(' ') => "Space".into(),
        KeyCode::Char(c) if key.modifiers.contains(KeyModifiers::CONTROL) => format!("ctrl-{}", c.to_ascii_lowercase()),
        KeyCode::Char(c) => c.to_string(),
        KeyCode::Enter => "Enter".into(),
        KeyCode::Tab => "Tab".into(),
        KeyCode::BackTab => "BackTab".into(),
        KeyCode::Esc => "Esc".into(),
        KeyCode::Up => "Up".into(),
        KeyCode::Down => "Down".into(),
        KeyCode::Left => "Left".into(),
        KeyCode::Right => "Right".into(),
        KeyCode::PageUp => "PageUp".into(),
        KeyCode::PageDown => "PageDown".into(),
        KeyCode::F(number) => format!("F{number}"),
        KeyCode::Home => "Home".into(),
        KeyCode::End => "End".into(),
        _ => return None,
    };
    Some(name)
}

/// A key of the table as the help screen shows it.
pub fn shown(key: &str) -> &str {
    match key {
        "Down" => "↓",
        "Up" => "↑",
        "Left" => "←",
        "Right" => "→",
        "BackTab" => "shift-Tab",
        _ => key,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Keys that ask for one thing here and for another there, and what the two have in common.
    const RELATED: &[(&str, &str)] = &[
        ("c", "calls: the next one, the one that is compared, how many a large file has"),
        ("ctrl-z", "back: to the text before a change in a playground, and to the shell from all else"),
        ("e", "the next thing that is wrong or differs"),
        ("E", "the previous one"),
        ("n", "the next thing that was looked for: a match or a difference"),
        ("N", "the previous one"),
        ("s", "how things are shown: settings of a text, the order of a list"),
    ];

    #[test]
    fn a_key_means_the_same_everywhere_or_there_is_a_reason() {
        let all = [KEYMAP, SESSIONS_KEYMAP, COMPARISON_KEYMAP].map(|groups| {
            let bindings = groups.iter().flat_map(|group| group.bindings);
            bindings.flat_map(|binding| binding.keys.iter().map(|key| (*key, binding.action))).collect::<Vec<_>>()
        });
        let others = |key: &str, action: Action| {
            all.iter().flatten().any(|(other, meaning)| *other == key && *meaning != action)
        };
        for (key, action) in all.iter().flatten() {
            let is_related = RELATED.iter().any(|(related, _)| related == key);
            assert!(is_related || !others(key, *action), "{key} means {action:?} here and something else there");
        }
        for (key, reason) in RELATED {
            assert!(all.iter().flatten().any(|(other, _)| other == key), "nothing has the key {key}: {reason}");
        }
    }

    #[test]
    fn no_key_is_bound_twice_and_every_line_has_help() {
        for groups in [KEYMAP, SESSIONS_KEYMAP, COMPARISON_KEYMAP] {
            let mut seen = Vec::new();
            for binding in groups.iter().flat_map(|group| group.bindings) {
                let length = binding.help.chars().count();
                assert!((1..=31).contains(&length), "{:?}: {length} columns of help", binding.keys);
                for key in binding.keys {
                    assert!(!seen.contains(key), "{key} is bound twice");
                    seen.push(key);
                }
            }
        }
    }
}
