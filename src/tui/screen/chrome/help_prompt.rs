//! The help: keys that apply to the selection, all others, the symbols on the screen, and the guide. It is searched by
//! typing, and runs the chosen action on the screen that it covers.

use ratatui::buffer::Buffer;
use tui_input::Input;

use crate::guide::PAGES;
use crate::guide::markdown::{self, LineKind, PageLine};
use crate::tui::action::{Action, Motion, stepped};
use crate::tui::keymap::search::{MatchMode, SearchedEntry, matching};
use crate::tui::keymap::{Binding, Keymap, ScreenId};
use crate::tui::legend::{LegendLine, legend};
use crate::tui::list::WHEEL;
use crate::tui::prompt::{Prompt, PromptKind};
use crate::tui::screen::chrome::Chrome;
use crate::tui::screen::chrome::command_prompt::Command;
use crate::tui::theme::Theme;
use crate::tui::widget::help::{self, HelpColumns, HelpLine, ShownPage};

/// Minimum number of letters that are searched for in the text of the guide.
const LEAST_IN_TEXT: usize = 3;

/// The actions that apply to the selection.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HelpContext {
    /// Where the user is: `reading pane, a call`.
    pub place: String,
    /// The actions, the most useful first, each with its effect here if that is more precise than its help text.
    pub actions: Vec<(Action, Option<&'static str>)>,
}

impl HelpContext {
    /// The actions that only this screen has.
    pub fn of_screen(keymap: &Keymap, keys: ScreenId) -> Self {
        let (place, title) = match keys {
            ScreenId::Transcript => ("transcript", "Go to"),
            ScreenId::Sessions => ("list of sessions", "Sessions"),
            ScreenId::Comparison => ("comparison", "Calls"),
            ScreenId::Lens => ("lens", "Parsers"),
            ScreenId::Corpus => ("statistics of sessions", "Statistics"),
            ScreenId::Template => ("chat template", "Chat template"),
            ScreenId::Prompts => ("prompts side by side", "Prompts"),
        };
        let group = keymap.groups(keys).iter().find(|group| group.title == title);
        let actions = group.into_iter().flat_map(|group| &group.bindings).map(|binding| (binding.action, None));
        Self { place: place.to_owned(), actions: actions.collect() }
    }
}

/// The state of the help while it is open.
#[derive(Default)]
pub struct OpenHelp {
    /// The actions for the selection; `None` until the screen has stated them.
    pub context: Option<HelpContext>,
    /// Number of the selected line; lines that cannot be selected do not count.
    chosen: usize,
    /// The first visible line of the list.
    top: usize,
    page: Option<OpenPage>,
}

/// A page of the guide that is read.
struct OpenPage {
    /// Its index in the guide.
    number: usize,
    /// Number of the first visible line of its text.
    top: usize,
    /// The text that was typed in the list, to which it returns.
    typed: String,
}

/// Opens the help over whatever is typed, which returns after it.
pub(super) fn open(chrome: &mut Chrome) {
    chrome.suspend_prompt();
    chrome.ask(PromptKind::Help, "");
    chrome.help = Some(OpenHelp::default());
}

fn close(chrome: &mut Chrome) {
    (chrome.help, chrome.prompt) = (None, None);
}

/// Handles an action while the help is open. False if it has nothing to do with the help.
pub(super) fn act(chrome: &mut Chrome, action: Action) -> bool {
    match action {
        Action::Move(motion) => step(chrome, motion),
        Action::Complete => next_part(chrome),
        Action::Cancel if leave_page(chrome) => {}
        Action::Cancel | Action::Help => close(chrome),
        Action::Palette => {
            close(chrome);
            return false;
        }
        _ => return false,
    }
    true
}

/// Starts at the best match after the typed text has changed; on a page, at the next line with it.
pub(super) fn typed(chrome: &mut Chrome) {
    let Some(help) = &mut chrome.help else { return };
    if help.page.is_some() {
        find_in_page(chrome, 0);
    } else {
        (help.chosen, help.top) = (0, 0);
    }
}

/// Runs the chosen action, or opens the chosen page; on a page, goes to the next line with the typed text.
pub(super) fn submit(chrome: &mut Chrome) -> Command {
    if chrome.help.as_ref().is_some_and(|help| help.page.is_some()) {
        find_in_page(chrome, 1);
        return Command::Nothing;
    }
    let lines = lines(chrome);
    let Some(at) = chosen_line(chrome, &lines) else { return Command::Nothing };
    run(chrome, &lines[at])
}

fn run(chrome: &mut Chrome, line: &HelpLine) -> Command {
    match line {
        HelpLine::Action(action, ..) => {
            close(chrome);
            Command::Act(*action)
        }
        HelpLine::Page(number, _) => {
            let typed = typed_text(chrome);
            let sought = words_in_page(*number, &typed).unwrap_or_default();
            if let Some(help) = &mut chrome.help {
                help.page = Some(OpenPage { number: *number, top: 0, typed });
            }
            set_typed(chrome, &sought);
            find_in_page(chrome, 0);
            Command::Nothing
        }
        _ => Command::Nothing,
    }
}

/// Selects the line at a cell, or runs it if it is selected; a click outside closes the help.
pub(super) fn click(chrome: &mut Chrome, x: u16, y: u16) -> Command {
    let Some(help) = &chrome.help else { return Command::Nothing };
    if help.page.is_some() {
        return Command::Nothing;
    }
    let lines = lines(chrome);
    let Some(at) = HelpColumns::new(chrome.size, lines.len()).line_at(help.top, x, y) else {
        close(chrome);
        return Command::Nothing;
    };
    let Some(line) = lines.get(at).filter(|line| line.is_choice()) else { return Command::Nothing };
    if chosen_line(chrome, &lines) == Some(at) {
        return run(chrome, line);
    }
    choose(chrome, &lines, at);
    Command::Nothing
}

/// Scrolls by a step of the wheel.
pub(super) fn wheel(chrome: &mut Chrome, direction: i8) {
    for _ in 0..WHEEL {
        step(chrome, Motion::Line(direction));
    }
}

/// Moves the selection, or scrolls the page.
fn step(chrome: &mut Chrome, motion: Motion) {
    let height = help::page_height(chrome.size.1);
    if let Some(OpenPage { number, top, .. }) = chrome.help.as_ref().and_then(|help| help.page.as_ref()) {
        let last = page_lines(*number, chrome.size.0).len().saturating_sub(height);
        let to = match motion.pages(height) {
            Some((direction, rows)) => stepped(*top, direction, rows, last),
            None => motion.moved(*top, 1, last),
        };
        return scroll_page(chrome, to);
    }
    let lines = lines(chrome);
    let Some(at) = chosen_line(chrome, &lines) else { return };
    let columns = HelpColumns::new(chrome.size, lines.len());
    let to = match (motion, motion.pages(columns.page())) {
        (_, Some((direction, rows))) => return turn_page(chrome, &lines, (direction, rows)),
        (Motion::Line(direction), _) => {
            let choices = choices(&lines);
            let number = choices.iter().position(|&line| line == at).unwrap_or(0);
            choices[stepped(number, direction, 1, choices.len() - 1)]
        }
        (motion, None) => motion.moved(at, 1, lines.len().saturating_sub(1)),
    };
    choose(chrome, &lines, to);
}

/// Scrolls the list by some lines, and selects the first visible line that can be selected.
fn turn_page(chrome: &mut Chrome, lines: &[HelpLine], (direction, rows): (i8, usize)) {
    let visible = HelpColumns::new(chrome.size, lines.len()).visible();
    let Some(help) = &mut chrome.help else { return };
    let before = help.top;
    let starts = page_starts(lines, visible, rows);
    help.top = match direction {
        // The last page may have empty rows, so that the way back leads over the same pages.
        1 if before + visible < lines.len() => before + page_step(lines, before, rows),
        1 => before,
        // From a start of a page, the way back leads over the same pages.
        _ => match starts.binary_search(&before) {
            Ok(number) => starts[number.saturating_sub(1)],
            Err(_) => before.saturating_sub(rows),
        },
    };
    let (top, choices) = (help.top, choices(lines));
    let at_end = top == before && direction > 0;
    help.chosen = if at_end { choices.len() } else { choices.partition_point(|&line| line < top) };
    help.chosen = help.chosen.min(choices.len().saturating_sub(1));
}

/// The first lines of all pages, from the first line of the list.
fn page_starts(lines: &[HelpLine], visible: usize, rows: usize) -> Vec<usize> {
    let mut starts = vec![0];
    while let Some(&top) = starts.last().filter(|&&top| top + visible < lines.len()) {
        starts.push(top + page_step(lines, top, rows));
    }
    starts
}

/// Lines from the first one of a page to the first one of the next: the last line that is not empty is kept.
fn page_step(lines: &[HelpLine], top: usize, rows: usize) -> usize {
    let is_empty = |line: usize| matches!(lines.get(top + line), Some(HelpLine::Space));
    (1..=rows).rev().find(|&line| !is_empty(line)).unwrap_or(rows)
}

/// Selects the first line of the next part.
fn next_part(chrome: &mut Chrome) {
    let lines = lines(chrome);
    let at = chosen_line(chrome, &lines).unwrap_or(0);
    let parts = || lines.iter().enumerate().filter(|(_, line)| matches!(line, HelpLine::Part(_))).map(|(at, _)| at);
    let next = parts().find(|&part| part > at).or(parts().next());
    if let Some(next) = next {
        choose(chrome, &lines, next);
        // The heading and what follows it are visible.
        let columns = HelpColumns::new(chrome.size, lines.len());
        let last = lines.len().saturating_sub(columns.visible());
        if let Some(help) = &mut chrome.help {
            help.top = next.min(last);
        }
    }
}

/// Selects the line that can be selected next to line `at`, and scrolls it into view.
fn choose(chrome: &mut Chrome, lines: &[HelpLine], at: usize) {
    let choices = choices(lines);
    let Some(last) = choices.len().checked_sub(1) else { return };
    let number = choices.partition_point(|&line| line < at).min(last);
    let line = choices[number];
    let columns = HelpColumns::new(chrome.size, lines.len());
    let Some(help) = &mut chrome.help else { return };
    help.chosen = number;
    // Several columns scroll by whole ones, so that lines keep their rows.
    let unit = if columns.visible() > columns.rows { columns.rows } else { 1 };
    // The headings before the first choice are visible with it.
    let first = if number == 0 { 0 } else { line };
    while help.top > first {
        help.top = help.top.saturating_sub(unit);
    }
    while line >= help.top + columns.visible() {
        help.top += unit;
    }
}

/// The indices of the lines that can be selected.
fn choices(lines: &[HelpLine]) -> Vec<usize> {
    lines.iter().enumerate().filter(|(_, line)| line.is_choice()).map(|(at, _)| at).collect()
}

/// The index of the selected line.
fn chosen_line(chrome: &Chrome, lines: &[HelpLine]) -> Option<usize> {
    let choices = choices(lines);
    let chosen = chrome.help.as_ref()?.chosen;
    choices.get(chosen.min(choices.len().checked_sub(1)?)).copied()
}

fn typed_text(chrome: &Chrome) -> String {
    chrome.prompt.as_ref().map_or_else(String::new, |prompt| prompt.input.value().trim().to_owned())
}

fn set_typed(chrome: &mut Chrome, words: &str) {
    if let Some(Prompt { input, .. }) = &mut chrome.prompt {
        *input = Input::new(words.to_owned()).with_cursor(words.chars().count());
    }
}

/// Returns from a page to the list; false if no page is open.
fn leave_page(chrome: &mut Chrome) -> bool {
    let Some(page) = chrome.help.as_mut().and_then(|help| help.page.take()) else { return false };
    set_typed(chrome, &page.typed);
    true
}

fn scroll_page(chrome: &mut Chrome, top: usize) {
    if let Some(page) = chrome.help.as_mut().and_then(|help| help.page.as_mut()) {
        page.top = top;
    }
}

/// Scrolls the page to the first line with the typed text at least `after` lines below the top, or else from the
/// beginning.
fn find_in_page(chrome: &mut Chrome, after: usize) {
    let sought = typed_text(chrome).to_lowercase();
    let Some(OpenPage { number, top, .. }) = chrome.help.as_ref().and_then(|help| help.page.as_ref()) else { return };
    let lines = page_lines(*number, chrome.size.0);
    let has = |line: &&usize| help::find(&lines[**line].text, &sought).is_some();
    let all: Vec<usize> = (0..lines.len()).collect();
    let next = all.iter().skip(top + after).find(has).or_else(|| all.iter().find(has));
    if let Some(&line) = next {
        scroll_page(chrome, line);
    }
}

fn page_lines(number: usize, width: u16) -> Vec<PageLine> {
    PAGES.get(number).map_or_else(Vec::new, |page| markdown::lines(page.text, help::page_width(width)))
}

/// The typed text if the page has it, else the first of its words that it has.
fn words_in_page(number: usize, typed: &str) -> Option<String> {
    let text = PAGES.get(number)?.text.to_lowercase();
    let typed = typed.to_lowercase();
    let mut words = std::iter::once(typed.as_str()).chain(typed.split_whitespace());
    words.find(|word| word.len() >= LEAST_IN_TEXT && text.contains(word)).map(str::to_owned)
}

/// The lines of the list: what matches the typed text, or everything.
fn lines(chrome: &Chrome) -> Vec<HelpLine> {
    let typed = typed_text(chrome);
    let context = chrome.help.as_ref().and_then(|help| help.context.clone()).unwrap_or_default();
    let groups = groups(chrome, &context);
    let signs: Vec<&LegendLine> = legend(chrome.keys).collect();
    let mut lines = Vec::new();
    let mut part = |title: &str, found: Vec<HelpLine>| {
        if !found.is_empty() {
            lines.extend((!lines.is_empty()).then_some(HelpLine::Space));
            lines.push(HelpLine::Part(title.to_owned()));
            lines.extend(found);
        }
    };
    if typed.is_empty() {
        let mut groups = groups.into_iter();
        if let Some((title, found)) = groups.next() {
            part(&title, found.into_iter().map(|(_, line)| line).collect());
        }
        let mut rest = Vec::new();
        for (title, found) in groups {
            rest.extend((!rest.is_empty()).then_some(HelpLine::Space));
            rest.push(HelpLine::Heading(title));
            rest.extend(found.into_iter().map(|(_, line)| line));
        }
        rest.extend([HelpLine::Space, HelpLine::Remark(mouse(chrome.keys).to_owned())]);
        part("All keys", rest);
        part("Symbols", signs.iter().map(|line| HelpLine::Sign(line.signs, line.meaning)).collect());
        part(
            "Guide",
            (0..PAGES.len()).map(|number| HelpLine::Page(number, PAGES[number].title().to_owned())).collect(),
        );
        return lines;
    }
    let keys = |mode| {
        let entries =
            groups.iter().flat_map(|(title, found)| found.iter().map(move |(binding, line)| (title, binding, line)));
        let entries = entries.filter_map(|(title, binding, line)| {
            let HelpLine::Action(_, _, words) = line else { return None };
            let own = format!("{} {words} {title}", binding.name);
            let shown = binding.keys_shown();
            let keys = binding.keys.iter().cloned().chain(shown.split("  ").map(str::to_owned)).collect();
            Some(SearchedEntry::new(line.clone(), &own, &binding.all_synonyms(), keys))
        });
        matching(entries.collect(), &typed, mode)
    };
    part("Keys", keys(MatchMode::Words));
    let signs = signs.into_iter().map(|line| {
        let glyphs = line.signs.split(' ').map(str::to_owned).collect();
        SearchedEntry::new(HelpLine::Sign(line.signs, line.meaning), line.meaning, "", glyphs)
    });
    part("Symbols", matching(signs.collect(), &typed, MatchMode::Words));
    part("Guide", pages(&typed));
    if lines.is_empty() {
        lines.extend(keys(MatchMode::Letters));
    }
    if lines.is_empty() {
        lines.push(HelpLine::Remark("nothing has these words; try another one".to_owned()));
    }
    lines
}

/// The keys for the selection, then all others, under their headings, each with its binding.
fn groups<'a>(chrome: &'a Chrome, context: &HelpContext) -> Vec<(String, Vec<(&'a Binding, HelpLine)>)> {
    let keymap = &chrome.keymap;
    let line =
        |binding: &Binding, words: &str| HelpLine::Action(binding.action, binding.keys_shown(), words.to_owned());
    let mut here: Vec<(&Binding, HelpLine)> = Vec::new();
    for (action, words) in &context.actions {
        let binding = keymap.bindings(chrome.keys).find(|binding| binding.action == *action);
        if let Some(binding) = binding.filter(|binding| !binding.keys.is_empty())
            && here.iter().all(|(other, _)| other.action != *action)
        {
            here.push((binding, line(binding, words.unwrap_or(binding.help))));
        }
    }
    let is_here = |binding: &Binding| {
        here.iter().any(|(_, line)| matches!(line, HelpLine::Action(action, _, words) if *action == binding.action && words == binding.help))
    };
    let others = keymap.groups(chrome.keys).iter().map(|group| {
        let bindings = group.bindings.iter().filter(|binding| !binding.keys.is_empty() && !is_here(binding));
        (group.title.to_owned(), bindings.map(|binding| (binding, line(binding, binding.help))).collect::<Vec<_>>())
    });
    let others: Vec<_> = others.filter(|(_, found)| !found.is_empty()).collect();
    let here = Some((format!("Here: {}", context.place), here)).filter(|(_, found)| !found.is_empty());
    here.into_iter().chain(others).collect()
}

/// The pages of the guide whose title, headings or text have what is typed.
fn pages(typed: &str) -> Vec<HelpLine> {
    let page = |number: usize| {
        let lines = markdown::lines(PAGES[number].text, usize::from(u16::MAX));
        let sought = typed.to_lowercase();
        let is_long = sought.len() >= LEAST_IN_TEXT;
        let line = lines.iter().find(|line| line.kind != LineKind::Rule && help::find(&line.text, &sought).is_some());
        let title = PAGES[number].title();
        let heading = |line: &&PageLine| line.kind == LineKind::Heading;
        let headings: Vec<&str> = lines.iter().filter(heading).map(|line| line.text.as_str()).collect();
        let around = line.filter(|line| is_long && line.text != title).map(|line| around(&line.text, &sought));
        let words = around.map_or_else(|| title.to_owned(), |around| format!("{title}: {around}"));
        let text = if line.is_some() && is_long { typed } else { "" };
        let own = format!("{} {title}", PAGES[number].name);
        SearchedEntry::new(HelpLine::Page(number, words), &own, &format!("{} {text}", headings.join(" ")), Vec::new())
    };
    matching((0..PAGES.len()).map(page).collect(), typed, MatchMode::Words)
}

/// The part of a line that begins a few words before the sought text.
fn around(line: &str, sought: &str) -> String {
    /// Characters before the sought text.
    const BEFORE: usize = 12;
    let line = line.trim().replace('`', "");
    let at = help::find(&line, sought).unwrap_or_default();
    let from = line[..at].char_indices().rev().nth(BEFORE).map_or(0, |(from, _)| from);
    // It begins with a word.
    let from = if from == 0 { 0 } else { line[from..at].find(' ').map_or(at, |space| from + space + 1) };
    if from == 0 { line } else { format!("…{}", &line[from..]) }
}

/// Draws the help over the screen.
pub(super) fn draw(chrome: &Chrome, buffer: &mut Buffer, theme: &Theme) {
    let Some(open) = &chrome.help else { return };
    let Some(OpenPage { number, top, .. }) = open.page else {
        let lines = lines(chrome);
        let chosen = chosen_line(chrome, &lines);
        return help::draw_list(buffer, &lines, (open.top, chosen), theme);
    };
    let lines = page_lines(number, chrome.size.0);
    let title = PAGES.get(number).map_or("", |page| page.title());
    let sought = typed_text(chrome).to_lowercase();
    help::draw_page(buffer, &ShownPage { title, lines: &lines, top, sought: &sought }, theme);
}
/// The line about the mouse at the end of the help of a screen.
fn mouse(screen: ScreenId) -> &'static str {
    match screen {
        ScreenId::Transcript => "Click: choose, fold; drag borders; wheel; Shift: select",
        ScreenId::Prompts => "Click: choose; wheel: scroll; Shift: select",
        ScreenId::Comparison => "Click: choose, fold; wheel: scroll; Shift: select",
        _ => "Click: choose, open; wheel: scroll; Shift: select",
    }
}
