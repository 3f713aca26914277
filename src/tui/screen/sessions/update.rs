//! What happens to a list: files are found and looked into, keys move the choice, filter, order and open.
//!
//! This module does not know keys, and opens nothing by itself.

use std::cmp::Reverse;

use tui_input::{Input, InputRequest};

use crate::tui::action::{Action, Motion};
use crate::tui::keymap::LISTING_KEYS;
use crate::tui::message::Effect;
use crate::tui::message::Message;
use crate::tui::message::Msg;
use crate::tui::message::Navigation;
use crate::tui::message::TabTitle;
use crate::tui::row::count;
use crate::tui::screen::sessions::finding::{Listed, Told};
use crate::tui::screen::sessions::survey::{LARGE, Look};
use crate::tui::screen::sessions::{Content, Entry, LOGS, Line, Listing, Order, Progress, Sum};
use crate::tui::screen::transcript::WHEEL;
use crate::tui::screen::transcript::global_action;
use crate::tui::screen::transcript::scroll_help;
use crate::tui::screen::transcript::wheel_help;
use crate::tui::style::Role;
use crate::tui::widget::{help, tab_bar};

/// Notes that are kept; of more than that only the number is.
const NOTES: usize = 100;

/// Takes in what happened on the screen.
pub fn update(listing: &mut Listing, happened: Msg) -> Option<Effect> {
    match happened {
        Msg::Action(action) => return act(listing, action),
        Msg::Edit(request) => edit(listing, [request]),
        Msg::Paste(text) if listing.prompt.is_none() => return Some(Effect::Pasted(text)),
        Msg::Paste(text) => {
            edit(listing, text.chars().filter(|c| !c.is_control()).map(InputRequest::InsertChar));
        }
        Msg::Submit => listing.prompt = None,
        Msg::Click(x, y) => return click(listing, x, y),
        Msg::Wheel(_, _, direction) => wheel(listing, direction),
        Msg::Resize(width, height) => {
            listing.size = (width, height);
            reveal(listing);
        }
        Msg::Notice(text) => tell(listing, text, Role::Warning),
        // They are about texts.
        _ => {}
    }
    None
}

/// Takes in what is told of files.
pub fn arrive(listing: &mut Listing, told: Told) {
    match told {
        Told::Found(files) => files.into_iter().for_each(|file| add(listing, file)),
        Told::Unread(words) => {
            if listing.notes.len() < NOTES {
                listing.notes.push(words);
            } else {
                listing.notes.truncate(NOTES);
                listing.notes.push("… and more that could not be read".into());
            }
            listing.is_stale = true;
        }
        Told::Done(passed) => {
            listing.progress = Progress::Done(passed);
            if let Some(first) = listing.notes.first() {
                let words = match listing.notes.len() {
                    1 => first.clone(),
                    several => format!("{several} could not be read, as the end of the list says: {first}"),
                };
                tell(listing, words, Role::Warning);
            }
        }
        Told::Look(look) => take_look(listing, look),
    }
}

/// Before a frame: the lines as they ought to be, with the choice where it was.
pub fn settle(listing: &mut Listing) {
    if std::mem::take(&mut listing.is_stale) {
        let before = listing.cursor();
        let row = before.saturating_sub(listing.top);
        arrange(listing);
        let at = match listing.chosen.map(|chosen| listing.lines.iter().position(|line| *line == chosen)) {
            None => 0,
            Some(Some(at)) => at,
            // What was chosen is not among them any more; its neighbour is.
            Some(None) => {
                let at = before.min(listing.lines.len().saturating_sub(1));
                listing.chosen = listing.lines.get(at).copied();
                at
            }
        };
        listing.top = at.saturating_sub(row);
    }
    let lowest = listing.lines.len().saturating_sub(listing.height());
    listing.top = listing.top.min(lowest);
}

/// Before a frame: which tabs there are.
pub fn settle_bar(listing: &mut Listing, bar: Vec<TabTitle>) {
    listing.bar = bar;
}

/// Shows a line until the next key.
pub fn tell(listing: &mut Listing, text: impl Into<String>, role: Role) {
    listing.message = Some(Message { text: text.into(), role });
}

fn add(listing: &mut Listing, file: Listed) {
    let folder = match file.path.parent().map(std::path::Path::to_path_buf) {
        Some(parent) => listing.folder_of(&parent, &file.name, file.at_root),
        None => return,
    };
    let number = listing.entries.len();
    listing.folders[folder].files.push(number);
    let entry = Entry { file, folder, words: String::new(), content: Content::Unknown, asked: false };
    listing.entries.push(entry);
    listing.open += 1;
    listing.is_stale = true;
    note_kind(listing, number);
}

/// A folder with logs is one line.
fn note_kind(listing: &mut Listing, number: usize) {
    let entry = &listing.entries[number];
    let folder = &mut listing.folders[entry.folder];
    if entry.file.kind.is_some_and(|(about, _)| LOGS.contains(&about.name)) && !folder.is_root && !folder.is_group {
        folder.is_group = true;
        listing.is_stale = true;
    }
}

fn take_look(listing: &mut Listing, look: Look) {
    let Some(entry) = listing.entries.get_mut(look.number) else { return };
    let is_open = |entry: &Entry| match entry.content {
        Content::Unknown => true,
        Content::Beginning => entry.asked,
        _ => false,
    };
    let before = is_open(entry);
    entry.file.kind = look.kind.or(entry.file.kind);
    if !look.words.is_empty() {
        entry.words = look.words;
    }
    entry.content = look.content;
    listing.open = (listing.open + usize::from(is_open(entry))).saturating_sub(usize::from(before));
    let is_grouped = listing.folders[entry.folder].is_group;
    listing.is_stale |= is_grouped || listing.order == Order::Problems;
    note_kind(listing, look.number);
}

/// Finds out which lines there are, in which order.
fn arrange(listing: &mut Listing) {
    let filter = listing.filter.to_lowercase();
    let matches: Vec<bool> = (0..listing.entries.len())
        .map(|number| {
            let entry = &listing.entries[number];
            let kind = || listing.kind(number).is_some_and(|kind| kind.contains(&filter));
            filter.is_empty() || entry.file.name.to_lowercase().contains(&filter) || kind()
        })
        .collect();
    let mut lines = Vec::new();
    for number in 0..listing.folders.len() {
        let sum = sum(listing, number);
        let folder = &mut listing.folders[number];
        folder.sum = sum;
        let found = folder.files.iter().copied().filter(|&file| matches[file]);
        if !folder.is_group {
            lines.extend(found.map(Line::File));
        } else if found.count() > 0 {
            lines.push(Line::Folder(number));
        }
    }
    lines.sort_by_cached_key(|line| key(listing, *line));
    let mut all = Vec::with_capacity(lines.len());
    for line in lines {
        all.push(line);
        let Line::Folder(number) = line else { continue };
        let folder = &listing.folders[number];
        if folder.is_open || !filter.is_empty() {
            let mut files: Vec<Line> =
                folder.files.iter().filter(|&&file| matches[file]).map(|&file| Line::File(file)).collect();
            files.sort_by_cached_key(|line| key(listing, *line));
            all.extend(files);
        }
    }
    if filter.is_empty() {
        all.extend((0..listing.notes.len()).map(Line::Note));
    }
    listing.lines = all;
}

fn sum(listing: &Listing, folder: usize) -> Sum {
    let mut sum = Sum::default();
    for &number in &listing.folders[folder].files {
        let entry = &listing.entries[number];
        sum.files += 1;
        sum.size += entry.file.size;
        sum.modified = sum.modified.max(entry.file.modified);
        if let Content::Counted(tally) = entry.content {
            sum.counted += 1;
            sum.tally.calls += tally.calls;
            sum.tally.errors += tally.errors;
            sum.tally.warnings += tally.warnings;
        }
    }
    sum
}

/// What a line is sorted by: numbers of which the larger comes first, then its name.
fn key(listing: &Listing, line: Line) -> (Reverse<(u128, u128)>, &str) {
    let (size, modified, tally, name) = match line {
        Line::Folder(number) => {
            let folder = &listing.folders[number];
            (folder.sum.size, folder.sum.modified, folder.sum.tally, folder.name.as_str())
        }
        Line::File(number) => {
            let entry = &listing.entries[number];
            let tally = if let Content::Counted(tally) = entry.content {
                tally
            } else {
                crate::tui::screen::sessions::Tally::default()
            };
            (entry.file.size, entry.file.modified, tally, entry.file.name.as_str())
        }
        Line::Note(_) => Default::default(),
    };
    let since = |time: std::time::SystemTime| time.duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    let date = modified.map(since).unwrap_or_default().as_nanos();
    let first = match listing.order {
        Order::Date => date,
        Order::Size => size.into(),
        Order::Problems => ((tally.errors as u128) << 64) | tally.warnings as u128,
    };
    (Reverse((first, date)), name)
}

fn act(listing: &mut Listing, action: Action) -> Option<Effect> {
    listing.message = None;
    if let Some(row) = listing.help {
        let last = help::height(&LISTING_KEYS, listing.size.0);
        let (row, effect) = scroll_help(row, action, listing.size.1, last);
        listing.help = row;
        return effect;
    }
    match action {
        Action::Move(motion) => go(listing, motion),
        Action::Toggle | Action::Open => return open(listing, action == Action::Toggle),
        Action::Close => close(listing),
        Action::Order => {
            listing.order = listing.order.next();
            listing.is_stale = true;
            // What comes first now is what was asked for.
            listing.chosen = None;
            listing.top = 0;
            let words = listing.order.words();
            tell(listing, words, Role::Dim);
        }
        Action::CountLarge => count_large(listing),
        Action::Search => listing.prompt = Some(Input::new(listing.filter.clone())),
        Action::Cancel => return cancel(listing),
        Action::Help => listing.help = Some(0),
        action => return global_action(action),
    }
    None
}

fn edit(listing: &mut Listing, requests: impl IntoIterator<Item = InputRequest>) {
    let Some(prompt) = &mut listing.prompt else { return };
    for request in requests {
        prompt.handle(request);
    }
    let filter = prompt.value().trim().to_owned();
    filter_by(listing, filter);
}

fn filter_by(listing: &mut Listing, filter: String) {
    if filter != listing.filter {
        listing.filter = filter;
        listing.is_stale = true;
        listing.top = 0;
    }
}

/// Leaves one thing that is open, the innermost first, and the list when there is none.
fn cancel(listing: &mut Listing) -> Option<Effect> {
    if listing.prompt.take().is_some() || !listing.filter.is_empty() {
        filter_by(listing, String::new());
        return None;
    }
    Some(Effect::Go(Navigation::Before))
}

fn go(listing: &mut Listing, motion: Motion) {
    settle(listing);
    let page = listing.height().max(2) - 1;
    let at = listing.cursor();
    let steps = |direction: i8, count: usize| {
        if direction > 0 { at.saturating_add(count) } else { at.saturating_sub(count) }
    };
    let to = match motion {
        Motion::Line(direction) => steps(direction, 1),
        Motion::Half(direction) => steps(direction, page.div_ceil(2)),
        Motion::Page(direction) => steps(direction, page),
        Motion::Top => 0,
        Motion::Bottom => usize::MAX,
    };
    choose(listing, to.min(listing.lines.len().saturating_sub(1)));
}

fn choose(listing: &mut Listing, index: usize) {
    listing.chosen = listing.lines.get(index).copied();
    reveal(listing);
}

/// Scrolls as little as is needed to show the chosen line.
fn reveal(listing: &mut Listing) {
    let (at, height) = (listing.cursor(), listing.height().max(1));
    listing.top = listing.top.clamp((at + 1).saturating_sub(height), at);
}

/// Opens the chosen file, or shows what is in the chosen folder; hides that again if it is a `toggle`.
fn open(listing: &mut Listing, toggle: bool) -> Option<Effect> {
    settle(listing);
    let line = listing.chosen()?;
    // From now on it is chosen, whatever else is found.
    listing.chosen = Some(line);
    match line {
        Line::File(number) => return Some(Effect::Open(listing.entries[number].file.path.clone())),
        Line::Folder(number) => {
            let folder = &mut listing.folders[number];
            folder.is_open = !(toggle && folder.is_open);
            listing.is_stale = true;
        }
        Line::Note(number) => {
            let words = listing.notes[number].clone();
            tell(listing, words, Role::Warning);
        }
    }
    None
}

/// Hides what is in the chosen folder, or in the one around the chosen file.
fn close(listing: &mut Listing) {
    settle(listing);
    let folder = match listing.chosen() {
        Some(Line::Folder(number)) => number,
        Some(Line::File(number)) => listing.entries[number].folder,
        _ => return,
    };
    if listing.folders[folder].is_group {
        listing.folders[folder].is_open = false;
        listing.chosen = Some(Line::Folder(folder));
        listing.is_stale = true;
    }
}

/// Has the calls of the chosen file counted though it is large.
fn count_large(listing: &mut Listing) {
    settle(listing);
    let words = match listing.chosen() {
        Some(Line::File(number)) if listing.entries[number].file.size > LARGE => {
            let entry = &mut listing.entries[number];
            if !entry.asked && entry.content == Content::Beginning {
                listing.open += 1;
            }
            entry.asked = true;
            "its calls are being counted"
        }
        Some(Line::File(_)) => "the calls of a file of this size are counted without being asked",
        _ => "choose a file whose calls are to be counted",
    };
    tell(listing, words, Role::Dim);
}

fn click(listing: &mut Listing, x: u16, y: u16) -> Option<Effect> {
    if listing.help.take().is_some() {
        return None;
    }
    let parts = listing.parts();
    if let Some(bar) = parts.bar.filter(|bar| bar.contains(x, y)) {
        return tab_bar::tab_at(&listing.bar, bar, x).map(|index| Effect::Go(Navigation::Tab(index)));
    }
    settle(listing);
    let inner = parts.list.inner();
    if !inner.contains(x, y) {
        return None;
    }
    // The names of the columns are no line.
    let index = listing.top + usize::from(y - inner.y).checked_sub(1)?;
    if index >= listing.lines.len() {
        return None;
    }
    if listing.chosen.is_some() && index == listing.cursor() {
        return open(listing, true);
    }
    choose(listing, index);
    None
}

fn wheel(listing: &mut Listing, direction: i8) {
    if let Some(row) = listing.help {
        listing.help = Some(wheel_help(row, direction, &LISTING_KEYS, listing.size));
        return;
    }
    let lowest = listing.lines.len().saturating_sub(listing.height());
    let moved = if direction > 0 { listing.top + WHEEL } else { listing.top.saturating_sub(WHEEL) };
    listing.top = moved.min(lowest);
}

/// What there is to say of a list in its title: how many files, and how far finding them has come.
pub fn totals(listing: &Listing) -> String {
    let (files, counted) = listing.counted();
    let mut words = count(files, "file");
    if !listing.filter.is_empty() {
        let found = listing.lines.iter().filter(|line| matches!(line, Line::File(_))).count();
        words = format!("{found} of {words}");
    }
    if counted < files {
        words = format!("{words} · looked into {}%", counted * 100 / files);
    }
    words
}
