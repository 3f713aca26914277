//! The order inside the UI: the parts that each part may import, the parts independent of the terminal, and the ones
//! without side effects.

use super::cycles::imports;
use super::source::{is_in, sources};

/// Parts of the UI on the same level.
struct Level {
    name: &'static str,
    /// Files or folders below `src/`; if two contain a file, the longer one counts.
    places: &'static [&'static str],
}

/// From low to high. A file imports from its own part and from lower levels, never from other parts of its level.
const LEVELS: &[Level] = &[
    Level {
        name: "style and geometry",
        places: &[
            "tui/action",
            "tui/clipboard",
            "tui/corpus",
            "tui/discovery",
            "tui/files",
            "tui/geometry",
            "tui/cancel_guard",
            "tui/playground",
            "tui/prompt",
            "tui/queue",
            "tui/replay",
            "tui/style",
            "tui/tail",
            "tui/template",
            "tui/terminal",
            "tui/replay_overview",
            "tui/viewport",
        ],
    },
    Level {
        name: "roles and rows",
        places: &["tui/highlight", "tui/keymap", "tui/layout", "tui/legend", "tui/list", "tui/row", "tui/theme"],
    },
    Level { name: "messages", places: &["tui/age", "tui/message", "tui/throughput"] },
    Level { name: "view", places: &["tui/external_editor", "tui/input", "tui/report", "tui/view"] },
    Level { name: "widgets", places: &["tui/widget"] },
    Level { name: "panes", places: &["tui/pane"] },
    Level { name: "what all screens share", places: &["tui/screen/chrome"] },
    // Each folder below `tui/screen` without another level is a separate part.
    Level { name: SCREENS, places: &[] },
    Level { name: "the trait of screens", places: &["tui/screen"] },
    Level { name: "tabs", places: &["tui/alert", "tui/events", "tui/tabs"] },
    Level { name: "effects", places: &["tui/effects", "tui/opener", "tui/options", "tui/settings"] },
    Level { name: "doctor", places: &["tui/doctor"] },
    Level { name: "loop", places: &["tui"] },
];

/// Parts that decide what the screen shows: they receive data that was read, and request actions.
const PURE: &[&str] = &[
    "tui/pane",
    "tui/row",
    "tui/view",
    "tui/widget",
    "tui/screen/chrome",
    "tui/screen/lens",
    "tui/screen/sessions",
    "tui/screen/statistics",
    "tui/screen/template",
    "tui/screen/transcript",
];

/// Paths in code that access files or start threads.
const OUTSIDE: [&str; 5] = ["std::fs", "std::io", "std::thread", "fs::File", "File::"];

/// The name of the level of screens.
const SCREENS: &str = "screens";

/// The level of a file, from 0, and its part.
fn level_of(file: &str) -> Option<(usize, &str)> {
    if let Some(rest) = file.strip_prefix("tui/screen/").filter(|_| !is_in(file, "tui/screen/chrome")) {
        let name = rest.split('/').next().unwrap_or(rest);
        let level = LEVELS.iter().position(|level| level.name == SCREENS)?;
        return Some((level, &file[..file.len() - rest.len() + name.len()]));
    }
    let places = LEVELS.iter().enumerate().flat_map(|(level, row)| row.places.iter().map(move |&place| (level, place)));
    places.filter(|(_, place)| is_in(file, place)).max_by_key(|(_, place)| place.len())
}

#[test]
fn inside_the_ui_a_file_imports_only_from_lower_levels() {
    let mut faults = Vec::new();
    for (file, reached) in imports() {
        let Some((level, place)) = level_of(file) else { continue };
        for (to, path) in reached {
            let Some((below, other)) = level_of(to) else { continue };
            if other != place && below >= level {
                let [low, high] = [level, below].map(|level| LEVELS[level].name);
                faults.push(format!("{file} ({low}) -> {to} ({high})  by {path}"));
            }
        }
    }
    super::none(&faults);
}

#[test]
fn every_file_of_the_ui_has_a_level_of_its_own() {
    let mut faults = Vec::new();
    let files = || sources().keys().filter(|file| is_in(file, "tui"));
    // The last level is for the loop alone.
    let homeless = files().filter(|file| file.contains('/') && level_of(file).is_none_or(|(_, place)| place == "tui"));
    faults.extend(homeless.map(|file| format!("{file}: has no level")));
    for place in LEVELS.iter().flat_map(|level| level.places).chain(PURE) {
        if !files().any(|file| is_in(file, place)) {
            faults.push(format!("{place}: does not exist"));
        }
    }
    super::none(&faults);
}

#[test]
fn what_decides_what_is_shown_touches_nothing_outside() {
    let mut faults = Vec::new();
    for source in sources().values().filter(|source| PURE.iter().any(|place| source.is_in(place))) {
        let is_outside = |path: &&String| OUTSIDE.iter().any(|outside| path.starts_with(outside));
        faults.extend(source.paths.iter().filter(is_outside).map(|path| format!("{}: {path}", source.name)));
        if source.methods.contains("read_at") {
            faults.push(format!("{}: .read_at()", source.name));
        }
    }
    super::none(&faults);
}

/// The modules of the UI that are independent of the terminal.
const HEADLESS: &[&str] = &[
    "action",
    "age",
    "corpus",
    "discovery",
    "geometry",
    "cancel_guard",
    "layout",
    "prompt",
    "queue",
    "replay",
    "replay_overview",
    "row",
    "style",
    "tail",
    "throughput",
    "view",
    "viewport",
];

#[test]
fn what_the_screen_shows_is_decided_without_a_terminal() {
    let mut faults = Vec::new();
    for module in HEADLESS {
        let place = format!("tui/{module}");
        assert!(sources().values().any(|source| source.is_in(&place)), "{place} does not exist");
        for source in sources().values().filter(|source| source.is_in(&place)) {
            for outside in ["ratatui::", "crossterm::"] {
                let found = source.paths_below(outside);
                faults.extend(found.map(|path| format!("{}: {outside}{path}", source.name)));
            }
        }
    }
    super::none(&faults);
}
