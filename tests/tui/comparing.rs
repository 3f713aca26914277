//! Comparison of two readings: keys in, screen out.

use std::fs;
use std::time::Duration;

use crossterm::event::{Event, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::buffer::Buffer;

use transcope::dialect::Options;
use transcope::tui::files::OtherFiles;
use transcope::tui::keymap::{Keymap, ScreenId};
use transcope::tui::message::Task;
use transcope::tui::screen::lens;
use transcope::tui::tabs::{NewTab, Tabs};
use transcope::tui::theme::Theme;

use super::helping::is_explained;
use super::listing::calendar;
use super::player::{Player as OneText, keys_of};
use super::shown::{self, shows, text_of};
use super::{LARGE, SMALL, sample};

/// Several texts and their user.
pub(super) struct Player {
    pub(super) tabs: Tabs,
    theme: Theme,
    pub(super) terminal: Terminal<TestBackend>,
}

impl Player {
    fn new(texts: &[(&str, &str)], size: (u16, u16)) -> Self {
        let player = |(name, text): &(&str, &str)| OneText::with_text(name, text.as_bytes(), usize::MAX, size);
        Self::of(texts.iter().map(player), size)
    }

    /// A player with texts that have arrived.
    pub(super) fn of(texts: impl Iterator<Item = OneText>, size: (u16, u16)) -> Self {
        let tabs = texts.map(|player| NewTab::Made(Box::new(player.state))).collect();
        let mut tabs = Tabs::new(tabs, Options::default(), size);
        // Releases become outdated, but not in these tests.
        tabs.calendar = calendar();
        Self {
            tabs,
            theme: shown::theme(),
            terminal: Terminal::new(TestBackend::new(size.0, size.1)).expect("a buffer takes everything"),
        }
    }

    /// A player with a single screen.
    pub(super) fn showing(new: NewTab, size: (u16, u16)) -> Self {
        Self {
            tabs: Tabs::new(vec![new], Options::default(), size),
            theme: shown::theme(),
            terminal: Terminal::new(TestBackend::new(size.0, size.1)).expect("a buffer takes everything"),
        }
    }

    /// The demonstration, and a version with some changes.
    fn changed(size: (u16, u16)) -> Self {
        let before = String::from_utf8(sample("demo.txt")).expect("it is UTF-8");
        let start = before.find("!!!GADGET_START:WriteReport").expect("it is there");
        let end = start + before[start..].find("!!!GADGET_END").expect("it has an end");
        let gone = before[start..end + "!!!GADGET_END\n".len()].to_owned();
        let mut after = before.clone();
        for (old, new) in [
            ("exports/this-year", "exports/last-year"),
            ("!!!ARG:pageSize\n200", "!!!ARG:limit\n200"),
            ("START:MergeData:merge", "START:MergeAll:merge"),
            ("import csv\n", "import csv\nimport sys\n"),
            (&gone, ""),
        ] {
            assert!(after.contains(old), "{old:?} is there");
            after = after.replacen(old, new, 1);
        }
        Self::new(&[("before.txt", &before), ("after.txt", &after)], size)
    }

    pub(super) fn press(&mut self, keys: &str) -> Vec<Task> {
        keys.split_whitespace().flat_map(keys_of).filter_map(|key| self.event(Event::Key(key))).collect()
    }

    pub(super) fn event(&mut self, event: Event) -> Option<Task> {
        let msg = self.tabs.message(event)?;
        let task = self.tabs.update(msg);
        self.answer(task.as_ref());
        task
    }

    /// Does what the loop does on another thread.
    pub(super) fn answer(&mut self, task: Option<&Task>) {
        match task {
            Some(Task::Compare(request)) => {
                let (job, is_gone) = self.tabs.comparison_job(request).expect("somebody waits for it");
                let outcome = job.run(is_gone).expect("it was not cancelled");
                self.tabs.compared(request.number, outcome);
            }
            Some(Task::AskRuntimes(request)) => {
                let is_gone = self.tabs.awaits_lens(request.number).expect("somebody waits for it");
                let lens = lens::ask(request, is_gone).expect("it was not cancelled");
                self.tabs.take_lens(request.number, lens);
            }
            Some(Task::RenderTemplate(tab, number)) => {
                let (job, is_gone) = self.tabs.template_job(*tab, *number).expect("a screen waits for it");
                job.run(is_gone, |event| self.tabs.template_told(*tab, *number, event));
            }
            Some(Task::ReadConversation(tab, template)) => {
                let job = self.tabs.session_prompt_job(*tab, template.clone()).expect("the tab is open");
                let outcome = job.run();
                self.tabs.show_session_prompt(*tab, outcome);
            }
            Some(Task::ComparePrompts(number)) => {
                let (job, is_gone) = self.tabs.prompts_job(*number).expect("a screen waits for it");
                let compared = job.run(is_gone).expect("it was not cancelled");
                self.tabs.prompts_compared(*number, compared);
            }
            Some(Task::FindRuns(path)) => {
                let task = self.tabs.offer_runs(OtherFiles::of(path));
                self.answer(task.as_ref());
            }
            Some(Task::CompareRun(path)) => {
                let name = path.file_name().expect("it is a file").to_string_lossy();
                let bytes = fs::read(path).expect("it can be read");
                let state = OneText::with_text(&name, &bytes, usize::MAX, self.tabs.size).state;
                self.tabs.add(NewTab::Made(Box::new(state)));
                let task = self.tabs.compare_opened();
                self.answer(task.as_ref());
            }
            _ => {}
        }
    }

    pub(super) fn mouse(&mut self, kind: MouseEventKind, column: u16, row: u16) {
        self.event(Event::Mouse(MouseEvent { kind, column, row, modifiers: KeyModifiers::NONE }));
    }

    pub(super) fn frame(&mut self) -> Buffer {
        while let Some(task @ (Task::RenderTemplate(..) | Task::ComparePrompts(_))) = self.tabs.prepare(Duration::ZERO)
        {
            self.answer(Some(&task));
        }
        let Self { tabs, theme, terminal } = self;
        let drawn = terminal.draw(|frame| tabs.shown().draw(frame, theme));
        drawn.expect("a buffer takes everything").buffer.clone()
    }

    pub(super) fn screen(&mut self) -> String {
        text_of(&self.frame())
    }
}

#[test]
fn keys_lead_to_screens() {
    for (name, size, keys) in [
        ("comparison_80x24", SMALL, "D"),
        ("comparison_120x40", LARGE, "D e e e e"),
        ("comparison_of_what_differs", SMALL, "D m e e"),
        ("comparison_whole", SMALL, "D e Enter"),
        ("comparison_of_settings", SMALL, "s Enter D"),
    ] {
        let mut player = Player::changed(size);
        player.press(keys);
        shows(name, &player.frame());
    }
}

#[test]
fn a_comparison_says_what_it_is_about() {
    for (keys, expected) in [
        ("D", "difference 1/"),
        ("D e", "difference 2/"),
        ("D e E E", "first difference"),
        ("D e e e e e e e e e e e", "last difference"),
        ("D m", "showing only calls that differ"),
        ("D m m", "showing all calls"),
        ("D ?", "only modified calls, or all"),
        ("D Esc", "before.txt ── plain"),
        ("] D Esc", "after.txt"),
        ("D c", "27:1"),
        ("D Tab e e e c", "before.txt"),
        ("D i", "a playground with the selection alone, without the calls that it waits for"),
        ("c i", "a playground with what was selected; Esc leaves the text"),
        ("s Enter D", "all formats but gadget"),
        ("D ]", "18 calls"),
    ] {
        let mut player = Player::changed(LARGE);
        player.press(keys);
        let screen = player.screen();
        assert!(screen.contains(expected), "{keys}:\n{screen}");
    }
}

#[test]
fn sessions_are_compared_turn_by_turn() {
    let left = String::from_utf8(sample("containers/claude-code/late-ferry.jsonl")).expect("it is UTF-8");
    let right = left.replace("toolu_01", "toolu_99").replace("pytest -q tests", "pytest -x tests");
    assert_ne!(left, right);
    for (keys, expected) in [
        ("D", "turns 1, calls 3, failed 1, duration 14.0 s, tokens ≥87"),
        ("D", "turn 1  The timetable prints"),
        ("D", "3 calls, 1 failed, 14.0 s, ≥87 tokens"),
        ("D", "difference 1/1"),
        ("D", "≠ argument  ✗ failed"),
        ("D m", "⋯ 1 unchanged call"),
    ] {
        let mut player = Player::new(&[("left.jsonl", &left), ("right.jsonl", &right)], LARGE);
        player.press(keys);
        let screen = player.screen();
        assert!(screen.contains(expected), "{keys}:\n{screen}");
    }
}

/// A session of turns with a call each: the prompt, and the file that the call reads.
fn turns(of: &[(&str, &str)]) -> String {
    let mut text = String::new();
    for (number, (prompt, file)) in of.iter().enumerate() {
        let record = |role: &str, content: String| {
            format!(
                r#"{{"type":"{role}","sessionId":"s","uuid":"{number}{}","message":{{"role":"{role}","content":{content}}}}}"#,
                content.len()
            ) + "\n"
        };
        text += &record("user", format!("{prompt:?}"));
        let call =
            format!(r#"[{{"type":"tool_use","id":"t{number}","name":"Read","input":{{"file_path":"{file}"}}}}]"#);
        text += &record("assistant", call);
        text += &record("user", format!(r#"[{{"type":"tool_result","tool_use_id":"t{number}","content":"text"}}]"#));
    }
    text
}

#[test]
fn turns_are_folded_and_equal_ones_are_at_first_if_there_are_many() {
    let names: Vec<(String, String)> = (1..=9).map(|turn| (format!("Task {turn}"), format!("file{turn}.rs"))).collect();
    let left: Vec<(&str, &str)> = names.iter().map(|(prompt, file)| (&**prompt, &**file)).collect();
    let mut right = left.clone();
    right[6].1 = "other.rs";
    let few = [turns(&left[5..8]), turns(&right[5..8])];
    let many = [turns(&left), turns(&right)];
    for (texts, keys, has, lacks) in [
        (&many, "D", "▸ turn 1  Task 1", "Read  file1.rs"),
        (&many, "D", "▾ turn 7  Task 7", "Read  file9.rs"),
        (&many, "D", "Read  other.rs", "Read  file6.rs"),
        (&many, "D", "⋯ equal", "Read  file8.rs"),
        (&few, "D", "▾ turn 1  Task 6", "▸ turn"),
        // A closed call is folded with its turn, whose heading is then chosen.
        (&many, "D h", "▸ turn 7  Task 7", "Read  other.rs"),
        (&many, "D h", "⋯ 1 call differs", "Read  other.rs"),
        (&many, "D h Enter", "▾ turn 7  Task 7", "▸ turn 7"),
        (&many, "D h l", "Read  other.rs", "▸ turn 7"),
        (&many, "D h g e", "Read  other.rs", "▸ turn 7"),
        (&many, "D Enter", "▾ Read  other.rs", "▸ turn 7"),
        (&many, "D g", "▸ turn 1", "▾ turn 1"),
        (&many, "D g Down Enter", "Read  file1.rs", "▸ turn 1"),
        (&many, "D + g", "▾ turn 1", "▸ turn 1"),
        (&few, "D -", "▸ turn 2  Task 7", "▾"),
        (&few, "D - +", "▾ turn 2  Task 7", "▸ turn"),
    ] {
        let mut player = Player::new(&[("left.jsonl", &texts[0]), ("right.jsonl", &texts[1])], SMALL);
        player.press(keys);
        let screen = player.screen();
        assert!(screen.contains(has) && !screen.contains(lacks), "{keys}: {has:?}, not {lacks:?}\n{screen}");
    }
}

#[test]
fn a_text_alone_is_compared_with_what_it_was() {
    let mut player =
        Player::new(&[("alone.txt", "!!!GADGET_START:FileSummary:a\n!!!ARG:x\n1\n!!!GADGET_END\n")], SMALL);
    player.press("D");
    assert!(player.screen().contains("nothing to compare with: change a setting (s)"), "{}", player.screen());
    player.press("i");
    player.press("ctrl-a ctrl-x");
    player.event(Event::Paste("!!!GADGET_START:FileSummary:a\n!!!ARG:x\n2\n!!!GADGET_END\n".into()));
    player.press("Esc D");
    let screen = player.screen();
    assert!(screen.contains("playground as it was opened") && screen.contains("playground now"), "{screen}");
    assert!(screen.contains("x  1") && screen.contains("x  2"), "{screen}");
    // The same comparison is computed again, in the same tab.
    player.press("Esc D");
    assert_eq!(player.screen().matches("[comparison]").count(), 1);
}

#[test]
fn every_symbol_is_in_the_legend() {
    for keys in ["D", "D e e e e", "D m e", "D e Enter", "D p", "D /a"] {
        let mut player = Player::changed((200, 60));
        player.press(keys);
        is_explained(ScreenId::Comparison, keys, &player.screen());
    }
}

#[test]
fn every_line_of_the_help_can_be_read() {
    for size in [SMALL, LARGE, (160, 50)] {
        let mut player = Player::changed(size);
        player.press("D ?");
        let mut seen = player.screen();
        for _ in 0..250 {
            player.press("Down");
            seen.push_str(&player.screen());
        }
        for binding in Keymap::built_in().bindings(ScreenId::Comparison) {
            assert!(seen.contains(&format!(" {} ", binding.help)), "{size:?}: {:?} is cut", binding.help);
        }
    }
}

#[test]
fn a_click_chooses_a_row_and_a_second_one_folds() {
    let mut player = Player::changed(SMALL);
    player.press("D");
    let row = player.screen().lines().position(|line| line.contains("OpenMigration")).expect("it is there");
    let row = u16::try_from(row).expect("on the screen");
    let before = player.screen();
    let press = MouseEventKind::Down(MouseButton::Left);
    player.mouse(press, 5, row);
    player.mouse(press, 5, row);
    let after = player.screen();
    assert!(before.contains("▸ OpenMigration") && after.contains("▾ OpenMigration"), "{after}");
    player.mouse(MouseEventKind::ScrollDown, 5, 5);
    assert!(!player.screen().contains("▾ OpenMigration"));
}
