//! Which key asks for what where nothing is typed. The help screen, the hints and the manual are made from this table.
//!
//! Keys follow vim and less, and the arrows work; `config` lays the keys of the configuration over them. This module does
//! not know what an action does.

mod config;
mod names;
pub mod palette;
pub mod sequence;

use std::sync::{Arc, LazyLock};

pub use names::{key_event, key_name, shown};

use crate::tui::action::{Action, Align, CopyForm, Motion, Move, PaneId};

/// The screen whose keys are meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keys {
    /// Those of a transcript: of a file, a replay, a playground.
    Transcript,
    /// Those of a list of sessions.
    Sessions,
    /// Those of a comparison, made or not.
    Comparison,
    /// Those of what the runtimes make of a message.
    Runtimes,
    /// Those of statistics of many sessions.
    Corpus,
}

/// Keys as people write them, what they ask for, and what that does.
#[derive(Clone, Debug)]
pub struct Binding {
    /// Names of keys such as `j`, `ctrl-d`, `Down` and `Tab`, of several keys pressed one after another with spaces
    /// between them; none where a person wants none.
    pub keys: Vec<String>,
    /// What is done when one of them is pressed.
    pub action: Action,
    /// What that does, in words for the help.
    pub help: &'static str,
}

/// What every key asks for on every screen.
#[derive(Clone, Debug)]
pub struct Keymap([Vec<KeyGroup>; ALL.len()]);

/// Keys under a heading of the help.
#[derive(Clone, Debug)]
pub struct KeyGroup {
    /// The heading, which no other group of the screen has.
    pub title: &'static str,
    /// Its lines, in their order.
    pub bindings: Vec<Binding>,
}

/// What the keys that were pressed one after another ask for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// This, at once.
    Action(Action),
    /// Nothing yet: keys that begin so wait for the next one.
    Prefix,
    /// Nothing, whatever follows.
    Nothing,
}

/// A line of the table.
enum Line {
    /// The heading of the lines up to the next one.
    Title(&'static str),
    /// The screens that have keys, the keys, what they ask for, and what that does.
    Keys(&'static [Keys], &'static [&'static str], Action, &'static str),
}

const fn bind(on: &'static [Keys], keys: &'static [&'static str], action: Action, help: &'static str) -> Line {
    Line::Keys(on, keys, action, help)
}

/// Stands in the table for any letter, large or small, which the action gets.
const LETTER: &str = "a-z";

/// What the key says that copies again, without the pictures.
const EXACT: &str = "the last copy, exact bytes";

const ALL: &[Keys; 5] = &[Keys::Transcript, Keys::Sessions, Keys::Comparison, Keys::Runtimes, Keys::Corpus];
const TRANSCRIPT: &[Keys] = &[Keys::Transcript];
const SESSIONS: &[Keys] = &[Keys::Sessions];
const COMPARISON: &[Keys] = &[Keys::Comparison];
const RUNTIMES: &[Keys] = &[Keys::Runtimes];
const CORPUS: &[Keys] = &[Keys::Corpus];
const NO_TRANSCRIPT: &[Keys] = &[Keys::Sessions, Keys::Comparison, Keys::Runtimes, Keys::Corpus];
const NO_RUNTIMES: &[Keys] = &[Keys::Transcript, Keys::Sessions, Keys::Comparison, Keys::Corpus];
const RESULTS: &[Keys] = &[Keys::Comparison, Keys::Runtimes];
const NEW_TABS: &[Keys] = &[Keys::Comparison, Keys::Runtimes, Keys::Corpus];
const TEXTS: &[Keys] = &[Keys::Transcript, Keys::Comparison, Keys::Runtimes];
const LISTS: &[Keys] = &[Keys::Sessions, Keys::Corpus];

/// Every key of every screen, in the order of the help.
const TABLE: &[Line] = &[
    Line::Title("Move"),
    bind(COMPARISON, &["e", "n"], Action::Problem(1), "the next difference"),
    bind(COMPARISON, &["E", "N"], Action::Problem(-1), "the previous difference"),
    bind(RUNTIMES, &["e", "n"], Action::Problem(1), "the next outcome"),
    bind(RUNTIMES, &["E", "N"], Action::Problem(-1), "the previous outcome"),
    bind(ALL, &["j", "Down"], Action::Move(Motion::Line(1)), "down"),
    bind(ALL, &["k", "Up"], Action::Move(Motion::Line(-1)), "up"),
    bind(ALL, &["ctrl-d"], Action::Move(Motion::Half(1)), "half a page down"),
    bind(ALL, &["ctrl-u"], Action::Move(Motion::Half(-1)), "half a page up"),
    bind(NO_RUNTIMES, &["Space", "ctrl-f", "PageDown"], Action::Move(Motion::Page(1)), "a page down"),
    bind(RUNTIMES, &["ctrl-f", "PageDown"], Action::Move(Motion::Page(1)), "a page down"),
    bind(ALL, &["b", "ctrl-b", "PageUp"], Action::Move(Motion::Page(-1)), "a page up"),
    bind(TEXTS, &["g", "Home", "<"], Action::Move(Motion::Top), "to the beginning"),
    bind(LISTS, &["g", "Home", "<"], Action::Move(Motion::Top), "to the first"),
    bind(TRANSCRIPT, &["G", "End", ">"], Action::Move(Motion::Bottom), "to the end, and follow it"),
    bind(RESULTS, &["G", "End", ">"], Action::Move(Motion::Bottom), "to the end"),
    bind(LISTS, &["G", "End", ">"], Action::Move(Motion::Bottom), "to the last"),
    bind(TRANSCRIPT, &["z t"], Action::Align(Align::Top), "scroll the selection to the top"),
    bind(TRANSCRIPT, &["z z"], Action::Align(Align::Center), "scroll it to the middle"),
    bind(TRANSCRIPT, &["z b"], Action::Align(Align::Bottom), "scroll it to the bottom"),
    bind(TRANSCRIPT, &["ctrl-o", "alt-Left", "' '"], Action::Jump(-1), "back to before the last jump"),
    bind(TRANSCRIPT, &["ctrl-i", "alt-Right"], Action::Jump(1), "forward again"),
    bind(TRANSCRIPT, &[":"], Action::Command, "to 30:8, 50%, an id; commands"),
    Line::Title("Go to"),
    bind(TRANSCRIPT, &["e"], Action::Problem(1), "the next problem or failed call"),
    bind(TRANSCRIPT, &["E"], Action::Problem(-1), "the previous one"),
    bind(TRANSCRIPT, &["J"], Action::Error(1), "the next error or failed call"),
    bind(TRANSCRIPT, &["K"], Action::Error(-1), "the previous error or failure"),
    bind(TRANSCRIPT, &["c", "}"], Action::Call(1), "the next call"),
    bind(TRANSCRIPT, &["C", "{"], Action::Call(-1), "the previous call"),
    bind(TRANSCRIPT, &["r"], Action::Partner, "a call's result, and back"),
    bind(TRANSCRIPT, &["/"], Action::Search, "a match: asks for a pattern"),
    bind(TRANSCRIPT, &["*"], Action::SearchSelection, "a match of what is selected"),
    bind(TRANSCRIPT, &["n"], Action::Match(1), "the next match"),
    bind(TRANSCRIPT, &["N"], Action::Match(-1), "the previous match"),
    Line::Title("Notes"),
    bind(TRANSCRIPT, &["A"], Action::Note, "write a note, or change it"),
    bind(TRANSCRIPT, &["X", "Delete"], Action::RemoveNote, "remove the note"),
    bind(TRANSCRIPT, &["m a-z"], Action::SetMark(None), "mark this place with a letter"),
    bind(TRANSCRIPT, &["' a-z"], Action::GoToMark(None), "to the place with that mark"),
    Line::Title("Filter"),
    bind(TRANSCRIPT, &["&"], Action::Filter, "filter: failed tool:Bash …"),
    bind(TRANSCRIPT, &["\\"], Action::FilterSelection, "filter by the selection"),
    bind(TRANSCRIPT, &["H"], Action::FlipFilter, "hide or dim the rest"),
    Line::Title("Files"),
    bind(TRANSCRIPT, &["]"], Action::NextFile(1), "the next file"),
    bind(TRANSCRIPT, &["["], Action::NextFile(-1), "the previous file"),
    bind(TRANSCRIPT, &["ctrl-w"], Action::CloseTab, "close this tab"),
    bind(TRANSCRIPT, &["o"], Action::Recorded, "the sessions that agents keep"),
    bind(TRANSCRIPT, &["O"], Action::BackToList, "back to the list of sessions"),
    bind(TRANSCRIPT, &["("], Action::NextText(-1), "earlier contents of the file"),
    bind(TRANSCRIPT, &[")"], Action::NextText(1), "later contents"),
    Line::Title("Playground"),
    bind(TRANSCRIPT, &["i"], Action::Play, "edit a copy of the selection"),
    bind(TRANSCRIPT, &["I", "F2"], Action::Focus(PaneId::DeclarationEditor), "edit the dialect's declaration"),
    bind(TRANSCRIPT, &["alt-n"], Action::NewDialect, "new dialect from this text"),
    bind(TRANSCRIPT, &["ctrl-s"], Action::Save, "save text or declaration"),
    bind(TRANSCRIPT, &["S"], Action::SaveCase, "save as a test case"),
    bind(TRANSCRIPT, &["ctrl-g"], Action::Write, "edit it in $EDITOR"),
    bind(TRANSCRIPT, &["ctrl-y"], Action::Redo, "redo"),
    Line::Title("Replay"),
    bind(TRANSCRIPT, &["P"], Action::Replay(Move::Play), "replay as a stream; pause"),
    bind(TRANSCRIPT, &["."], Action::Replay(Move::Step(true)), "step forward"),
    bind(TRANSCRIPT, &[","], Action::Replay(Move::Step(false)), "step back"),
    bind(TRANSCRIPT, &["u"], Action::Replay(Move::Unit), "step by line, chunk, character"),
    bind(TRANSCRIPT, &["U"], Action::Replay(Move::Faster), "change the speed"),
    Line::Title("Fold"),
    bind(TRANSCRIPT, &["l", "Right"], Action::Open, "unfold, go in; next byte"),
    bind(TRANSCRIPT, &["h", "Left"], Action::Close, "fold, go out; previous byte"),
    bind(TRANSCRIPT, &["Enter", "z a"], Action::Toggle, "fold or unfold; full value"),
    bind(TRANSCRIPT, &["-", "z M"], Action::FoldAll, "fold all calls"),
    bind(TRANSCRIPT, &["+", "=", "z R"], Action::UnfoldAll, "unfold all calls"),
    Line::Title("Panes"),
    bind(TRANSCRIPT, &["Tab"], Action::FocusNext(1), "next pane; 3 Tab: the third"),
    bind(TRANSCRIPT, &["BackTab"], Action::FocusNext(-1), "previous pane"),
    bind(TRANSCRIPT, &["alt-1"], Action::Focus(PaneId::Outline), "outline"),
    bind(TRANSCRIPT, &["alt-2"], Action::Focus(PaneId::Reading), "reading"),
    bind(TRANSCRIPT, &["alt-3"], Action::Focus(PaneId::Raw), "raw text"),
    bind(TRANSCRIPT, &["p", "alt-4"], Action::Focus(PaneId::Problems), "problems"),
    bind(TRANSCRIPT, &["d", "alt-5"], Action::Focus(PaneId::Graph), "dependency graph"),
    bind(TRANSCRIPT, &["a", "alt-6"], Action::Focus(PaneId::Details), "details of the selection"),
    bind(TRANSCRIPT, &["v", "alt-7"], Action::Focus(PaneId::Events), "events of the file or command"),
    bind(TRANSCRIPT, &["s", "alt-8"], Action::Focus(PaneId::Settings), "settings"),
    bind(TRANSCRIPT, &["$", "alt-9"], Action::Focus(PaneId::Dialects), "cost in each dialect"),
    bind(TRANSCRIPT, &["#", "alt-0"], Action::Focus(PaneId::Statistics), "statistics of calls and roles"),
    bind(TRANSCRIPT, &["\""], Action::Focus(PaneId::Notes), "notes and marks"),
    bind(TRANSCRIPT, &["t"], Action::NextTab, "next bottom tab"),
    bind(TRANSCRIPT, &["Z"], Action::Zoom, "zoom the focused pane"),
    bind(TRANSCRIPT, &["_"], Action::Taller, "make the bottom pane taller"),
    bind(TRANSCRIPT, &["w"], Action::Wrap, "wrap or cut long raw lines"),
    bind(TRANSCRIPT, &["R"], Action::RawFile, "raw: show the file itself"),
    bind(TRANSCRIPT, &["|"], Action::Borders, "raw: mark chunk boundaries"),
    Line::Title("Copy"),
    bind(TRANSCRIPT, &["y y"], Action::Copy(CopyForm::Selection), "the selection"),
    bind(TRANSCRIPT, &["y b"], Action::Copy(CopyForm::Block), "the whole call, result or text"),
    bind(TRANSCRIPT, &["y v"], Action::Copy(CopyForm::Value), "the value that the tool gets"),
    bind(TRANSCRIPT, &["y j"], Action::Copy(CopyForm::Parameters), "parameters as JSON"),
    bind(TRANSCRIPT, &["y p"], Action::Copy(CopyForm::Pointer), "the pointer of the argument"),
    bind(TRANSCRIPT, &["y r"], Action::Copy(CopyForm::Result), "the result of the call"),
    bind(TRANSCRIPT, &["y q"], Action::Copy(CopyForm::Quote), "Markdown quote with the place"),
    bind(TRANSCRIPT, &["y l"], Action::Copy(CopyForm::Place), "file:line:column"),
    bind(TRANSCRIPT, &["y c"], Action::Copy(CopyForm::Command), "the command that opens it here"),
    bind(TRANSCRIPT, &["Y"], Action::CopyExact, EXACT),
    bind(TRANSCRIPT, &["y t"], Action::Print, "print it on the terminal"),
    Line::Title("Sessions"),
    bind(SESSIONS, &["Enter"], Action::Toggle, "open it; show or hide a folder"),
    bind(SESSIONS, &["l", "Right"], Action::Open, "open it; show a folder"),
    bind(SESSIONS, &["h", "Left"], Action::Close, "hide a folder"),
    bind(SESSIONS, &["/"], Action::Search, "filter by name and kind"),
    bind(SESSIONS, &["&"], Action::Filter, "filter by content: failed …"),
    bind(SESSIONS, &["s"], Action::Order, "the next sort order"),
    bind(SESSIONS, &["c"], Action::CountLarge, "count the calls of a large file"),
    bind(SESSIONS, &["#"], Action::CorpusStatistics, "statistics of all of them"),
    bind(SESSIONS, &["o"], Action::Recorded, "the sessions that agents keep"),
    bind(SESSIONS, &["]"], Action::NextFile(1), "the next tab"),
    bind(SESSIONS, &["["], Action::NextFile(-1), "the previous tab"),
    bind(SESSIONS, &["ctrl-w"], Action::CloseTab, "close this tab"),
    Line::Title("Calls"),
    bind(COMPARISON, &["Enter"], Action::Toggle, "what differs, all of it; fold"),
    bind(COMPARISON, &["l", "Right"], Action::Open, "show all of it"),
    bind(COMPARISON, &["h", "Left"], Action::Close, "fold it"),
    bind(COMPARISON, &["-"], Action::FoldAll, "fold all calls"),
    bind(COMPARISON, &["+", "="], Action::UnfoldAll, "unfold all calls"),
    bind(COMPARISON, &["m"], Action::OnlyDifferences, "only modified calls, or all"),
    bind(COMPARISON, &["Tab"], Action::FocusNext(1), "the other side"),
    bind(COMPARISON, &["BackTab"], Action::FocusNext(-1), "the other side"),
    bind(COMPARISON, &["c"], Action::Visit, "go to the call in its text"),
    bind(COMPARISON, &["i"], Action::Play, "edit a copy of the call"),
    bind(COMPARISON, &["y y"], Action::Copy(CopyForm::Selection), "the call"),
    bind(COMPARISON, &["Y"], Action::CopyExact, EXACT),
    Line::Title("Parsers"),
    bind(RUNTIMES, &["Enter"], Action::Toggle, "read the text as this parser"),
    bind(RUNTIMES, &["Space"], Action::MarkReading, "mark it for D, or unmark it"),
    bind(RUNTIMES, &["D"], Action::Compare, "compare it with the marked one"),
    bind(RUNTIMES, &["l", "Right"], Action::Open, "all its parsers and values"),
    bind(RUNTIMES, &["h", "Left"], Action::Close, "fold it"),
    bind(RUNTIMES, &["-"], Action::FoldAll, "fold all outcomes"),
    bind(RUNTIMES, &["+", "="], Action::UnfoldAll, "unfold all outcomes"),
    bind(RUNTIMES, &["c"], Action::Visit, "go to the reason in the text"),
    bind(RUNTIMES, &["s"], Action::RequestTools, "name the tools: a schema file"),
    bind(RUNTIMES, &["V"], Action::Runtimes, "ask again: the text may be new"),
    bind(RUNTIMES, &["y y"], Action::Copy(CopyForm::Selection), "what is delivered, as JSON"),
    bind(RUNTIMES, &["Y"], Action::CopyExact, EXACT),
    Line::Title("Statistics"),
    bind(CORPUS, &["Enter"], Action::Toggle, "list what failed; open the call"),
    bind(CORPUS, &["Tab"], Action::FocusNext(1), "by the next: tool, dialect …"),
    bind(CORPUS, &["BackTab"], Action::FocusNext(-1), "by the previous"),
    bind(CORPUS, &["l", "Right"], Action::Open, "by the next; open the call"),
    bind(CORPUS, &["h", "Left"], Action::Close, "by the previous; leave the list"),
    bind(CORPUS, &["/"], Action::Search, "filter by name"),
    bind(CORPUS, &["s"], Action::Order, "the next sort order"),
    bind(CORPUS, &["r"], Action::ReadAgain, "read what has changed"),
    bind(CORPUS, &["o"], Action::Recorded, "the sessions that agents keep"),
    Line::Title("Other"),
    bind(TRANSCRIPT, &["T"], Action::FollowEnd, "follow the end, or stop"),
    bind(TRANSCRIPT, &["f"], Action::Repair, "show a repair, then apply it"),
    bind(TRANSCRIPT, &["F"], Action::RepairAll, "show all repairs, then apply"),
    bind(TRANSCRIPT, &["D"], Action::Compare, "compare with before or another"),
    bind(TRANSCRIPT, &["V", "alt-r"], Action::Runtimes, "how runtimes read it"),
    bind(TRANSCRIPT, &["W"], Action::Export, "write a report: html, md, json"),
    bind(TRANSCRIPT, &["!"], Action::StartMarker, "read with another start marker"),
    bind(TRANSCRIPT, &["x"], Action::Examples, "read examples as prose or calls"),
    bind(TRANSCRIPT, &["B"], Action::Branches, "show or hide abandoned messages"),
    bind(NEW_TABS, &["]"], Action::NextFile(1), "the next tab"),
    bind(NEW_TABS, &["["], Action::NextFile(-1), "the previous tab"),
    bind(NEW_TABS, &["ctrl-w"], Action::CloseTab, "close this tab"),
    bind(TRANSCRIPT, &["?", "F1"], Action::Help, "this help"),
    bind(NO_TRANSCRIPT, &["?"], Action::Help, "this help"),
    bind(TRANSCRIPT, &["Esc"], Action::Cancel, "leave help, zoom or search"),
    bind(SESSIONS, &["Esc"], Action::Cancel, "leave the filter, then go back"),
    bind(RESULTS, &["Esc"], Action::Cancel, "close it: back to the text"),
    bind(CORPUS, &["Esc"], Action::Cancel, "leave the list, stop, go back"),
    bind(ALL, &["ctrl-p", "F3"], Action::Palette, "all commands, to choose from"),
    bind(ALL, &["L"], Action::Themes, "look: try other themes"),
    bind(ALL, &["M"], Action::Mouse, "give the mouse to the terminal"),
    bind(ALL, &["ctrl-l"], Action::Redraw, "redraw"),
    bind(TRANSCRIPT, &["ctrl-z"], Action::Undo, "suspend; in a playground: undo"),
    bind(TRANSCRIPT, &["ctrl-t"], Action::Suspend, "suspend; fg returns"),
    bind(NO_TRANSCRIPT, &["ctrl-z"], Action::Suspend, "suspend; fg returns"),
    bind(ALL, &["ctrl-c"], Action::Interrupt, "interrupt the command, or quit"),
    bind(ALL, &["q"], Action::Quit, "back to the list, or quit"),
];

impl Keys {
    /// The name of the screen in the configuration.
    pub fn name(self) -> &'static str {
        match self {
            Keys::Transcript => "transcript",
            Keys::Sessions => "sessions",
            Keys::Comparison => "comparison",
            Keys::Runtimes => "runtimes",
            Keys::Corpus => "corpus",
        }
    }

    /// What the mouse does, for the last line of the help.
    pub fn mouse(self) -> &'static str {
        match self {
            Keys::Transcript | Keys::Comparison => "Click: choose, fold; wheel: scroll; Shift: select",
            Keys::Sessions | Keys::Runtimes | Keys::Corpus => "Click: choose, open; wheel: scroll; Shift: select",
        }
    }

    /// The keys of the table under their headings.
    fn groups(self) -> Vec<KeyGroup> {
        let is_of_group = |_: &Line, line: &Line| matches!(line, Line::Keys(..));
        let group = |lines: &[Line]| {
            let (Line::Title(title), lines) = lines.split_first()? else { return None };
            let here = lines.iter().filter_map(|line| match *line {
                Line::Keys(on, keys, action, help) if on.contains(&self) => {
                    Some(Binding { keys: keys.iter().map(|&key| key.to_owned()).collect(), action, help })
                }
                _ => None,
            });
            Some(KeyGroup { title, bindings: here.collect() }).filter(|group| !group.bindings.is_empty())
        };
        TABLE.chunk_by(is_of_group).filter_map(group).collect()
    }
}

impl Keymap {
    /// The keys of the table.
    pub fn built_in() -> Arc<Self> {
        static TABLE_ALONE: LazyLock<Arc<Keymap>> = LazyLock::new(|| Arc::new(Keymap(ALL.map(Keys::groups))));
        Arc::clone(&TABLE_ALONE)
    }

    /// The keys of a screen under the headings of the help, in their order.
    pub fn groups(&self, keys: Keys) -> &[KeyGroup] {
        &self.0[keys as usize]
    }

    /// Every line of the help, in its order.
    pub fn bindings(&self, keys: Keys) -> impl Iterator<Item = &Binding> {
        self.groups(keys).iter().flat_map(|group| &group.bindings)
    }

    /// What keys ask for on a screen, given by their names with spaces between them.
    pub fn meaning(&self, keys: Keys, names: &str) -> Meaning {
        let find = |names: &str| self.bindings(keys).find(|binding| binding.keys.iter().any(|key| key == names));
        let lettered = || {
            let (first, letter) = names.rsplit_once(' ')?;
            let letter = letter.parse().ok().filter(char::is_ascii_alphabetic)?;
            Some(find(&format!("{first} {LETTER}"))?.action.with_letter(letter))
        };
        match find(names).map(|binding| binding.action).or_else(lettered) {
            Some(action) => Meaning::Action(action),
            None if self.continuations(keys, names).next().is_some() => Meaning::Prefix,
            None => Meaning::Nothing,
        }
    }

    /// The keys that complete what begins with these on a screen, each with what it asks for.
    pub fn continuations<'a>(&'a self, keys: Keys, prefix: &'a str) -> impl Iterator<Item = (&'a str, &'a Binding)> {
        let rest = move |key: &'a String| key.strip_prefix(prefix)?.strip_prefix(' ');
        self.bindings(keys)
            .flat_map(move |binding| binding.keys.iter().filter_map(rest).map(move |rest| (rest, binding)))
    }

    /// The first key that asks for something on a screen, as it is shown; nothing where none does.
    pub fn key_of(&self, keys: Keys, action: Action) -> &str {
        let binding = self.bindings(keys).find(|binding| binding.action == action);
        binding.and_then(|binding| binding.keys.first()).map_or("", |key| shown(key))
    }

    /// The key that asks on a screen for what a key of the table asks for; of several, such as `j/k`, each. One that waits
    /// for another, such as `y`, is itself as long as it does.
    pub fn in_place_of(&self, keys: Keys, key: &str) -> String {
        let built_in = Self::built_in();
        let parts: Vec<&str> = if key.len() > 1 { key.split('/').collect() } else { vec![key] };
        let now = parts.iter().map(|&part| {
            let waits = |map: &Self| map.continuations(keys, part).next().is_some();
            if waits(&built_in) {
                return if waits(self) { part } else { "" };
            }
            let binding = built_in.bindings(keys).find(|binding| binding.keys.iter().any(|key| key == part));
            binding.map_or(part, |binding| {
                let is_same = self.bindings(keys).any(|own| own.action == binding.action && own.keys == binding.keys);
                if is_same { part } else { self.key_of(keys, binding.action) }
            })
        });
        now.filter(|key| !key.is_empty()).collect::<Vec<_>>().join("/")
    }

    /// A line for each action of the table: its name, its keys and what it does, with the screen where that matters.
    pub fn manual(&self) -> Vec<[String; 3]> {
        let mut lines: Vec<[String; 3]> = Vec::new();
        for screen in ALL {
            for binding in self.bindings(*screen) {
                let keys = binding.keys.iter().map(|key| shown(key)).collect::<Vec<_>>().join("  ");
                let line = [binding.action.name().to_owned(), keys, binding.help.to_owned()];
                match lines.iter().find(|other| other[0] == line[0]) {
                    Some(other) if other[1..] == line[1..] => {}
                    Some(_) => {
                        let [name, keys, help] = line;
                        lines.push([name, keys, format!("{}: {help}", screen.name())]);
                    }
                    None => lines.push(line),
                }
            }
        }
        lines
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
        ("#", "statistics: of a text, of all sessions that are listed"),
        ("r", "what came of it: the result of a call, what has changed in the files"),
        ("s", "how things are shown: settings of a text, the order of a list, the tools of a request"),
        ("Space", "on to what comes next: a page of a text; where one thing is compared with another, a mark on it"),
    ];

    #[test]
    fn a_key_means_the_same_everywhere_or_there_is_a_reason() {
        let map = Keymap::built_in();
        let all = ALL.map(|keys| {
            let of_binding = |binding| {
                let Binding { keys, action, .. }: &Binding = binding;
                keys.iter().map(|key| (key.as_str(), *action))
            };
            map.bindings(keys).flat_map(of_binding).collect::<Vec<_>>()
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
    fn the_name_of_every_key_leads_back_to_it() {
        for line in TABLE {
            let Line::Keys(_, keys, ..) = line else { continue };
            for name in keys.iter().flat_map(|keys| keys.split(' ')).filter(|name| *name != LETTER) {
                for written in [name, shown(name)] {
                    let key = key_event(written).unwrap_or_else(|| panic!("{written} is not the name of a key"));
                    assert_eq!(key_name(key), name, "{written}");
                }
            }
        }
    }

    #[test]
    fn no_key_is_bound_twice_and_every_line_has_help() {
        let map = Keymap::built_in();
        for keys in ALL {
            let mut seen = Vec::new();
            for binding in map.bindings(*keys) {
                let length = binding.help.chars().count();
                assert!((1..=31).contains(&length), "{:?}: {length} columns of help", binding.keys);
                for key in &binding.keys {
                    assert!(!seen.contains(&key), "{key} is bound twice");
                    seen.push(key);
                }
            }
        }
    }

    #[test]
    fn every_action_has_a_name_of_its_own_that_is_no_screen() {
        let mut names: Vec<(&str, Action)> = Vec::new();
        for line in TABLE {
            let Line::Keys(_, keys, action, _) = line else { continue };
            let name = action.name();
            assert!(ALL.iter().all(|screen| screen.name() != name), "{name}");
            let other = names.iter().find(|(other, meant)| *other == name && meant != action);
            assert!(other.is_none(), "{keys:?}: {name} is {action:?} and {other:?}");
            names.push((name, *action));
        }
    }
}
