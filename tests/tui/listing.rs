//! A list of sessions: keys in, screen out.

use std::time::{Duration, SystemTime};

use crossterm::event::{Event, MouseButton, MouseEvent, MouseEventKind};
use jiff::tz::TimeZone;
use ratatui::Terminal;
use ratatui::backend::TestBackend;

use transcope::container;
use transcope::tui::age::Calendar;
use transcope::tui::discovery::{DiscoveryEvent, FileContent, FileSummary, FileTally, LARGE, ListedFile};
use transcope::tui::input;
use transcope::tui::keymap::{Keymap, Keys};
use transcope::tui::message::{Effect, Msg, Navigation};
use transcope::tui::screen::Screen;
use transcope::tui::screen::sessions::SessionsScreen;
use transcope::tui::screen::sessions::update::{arrive, settle};
use transcope::tui::theme::Theme;

use super::player::keys_of;
use super::shown::{self, shows, text_of};
use super::{LARGE as WIDE, SMALL, sample};

/// The screen and whoever sits before it.
struct Player {
    screen: SessionsScreen,
    theme: Theme,
    terminal: Terminal<TestBackend>,
}

/// A moment in a zone that is the same wherever a test runs.
pub(super) fn calendar() -> Calendar {
    let now = || SystemTime::UNIX_EPOCH + Duration::from_mins(29_572_505);
    Calendar { now, zone: TimeZone::UTC }
}

/// A file with its name, its age in minutes, its size and its first bytes.
fn file(name: &str, age: u64, size: u64, head: &[u8]) -> ListedFile {
    ListedFile {
        path: std::path::PathBuf::from("/home/mira/sessions").join(name),
        name: name.to_owned(),
        at_root: !name.contains('/'),
        size,
        modified: Some((calendar().now)() - Duration::from_secs(age * 60)),
        kind: container::look(head, true),
    }
}

fn look(number: usize, words: &str, content: FileContent) -> DiscoveryEvent {
    DiscoveryEvent::Summary(FileSummary { number, kind: None, words: words.to_owned(), content, selected: None })
}

fn sized((width, height): (u16, u16)) -> SessionsScreen {
    let mut screen = SessionsScreen::new(0, "~/sessions".into(), calendar());
    screen.update(Msg::Resize(width, height));
    screen
}

impl Player {
    fn empty(size: (u16, u16)) -> Self {
        Self {
            screen: sized(size),
            theme: shown::theme(),
            terminal: Terminal::new(TestBackend::new(size.0, size.1)).expect("a buffer takes everything"),
        }
    }

    /// Sessions of several kinds, most of them looked into.
    fn new(size: (u16, u16)) -> Self {
        let mut player = Self::empty(size);
        let claude = sample("containers/claude-code/late-ferry.jsonl");
        let codex = sample("containers/codex/lock-gates.jsonl");
        let request = b"=== SYSTEM ===\nBe kind.\n";
        let files = vec![
            file("-home-mira-greenhouse/0f3c5a1e-77aa-4a52-9d0c-8a1f5b0c9e21.jsonl", 12, 1_234_567, &claude),
            file("2026/03/22/rollout-2026-03-22T09-14-02-0195b6a2.jsonl", 2 * 24 * 60, 48_200, &codex),
            file("blue-fox/0001.request", 200, 20_000, request),
            file("blue-fox/0001.response", 199, 900, b"I will look.\n"),
            file("notes.md", 0, 340, b"some words"),
            file("huge.jsonl", 400 * 24 * 60, LARGE * 3, &claude),
            file("locked.txt", 60, 12, b"words"),
            file("hostile\u{1b}[2J\u{202e}name.txt", 61, 12, b"words"),
        ];
        arrive(&mut player.screen, DiscoveryEvent::Found(files));
        let counted =
            |calls, errors, warnings| FileContent::Counted(FileTally { calls, failures: errors / 2, errors, warnings });
        let words = "Why does the south bed get no water in the morning? The valve log is in logs/valves.csv";
        arrive(&mut player.screen, look(0, words, counted(42, 3, 1)));
        arrive(&mut player.screen, look(2, "Plan the trip", counted(0, 0, 0)));
        arrive(&mut player.screen, look(3, "I will look.", counted(2, 0, 1)));
        arrive(&mut player.screen, look(4, "some words", counted(0, 0, 0)));
        arrive(&mut player.screen, look(5, "Sort the photos", FileContent::Beginning));
        arrive(
            &mut player.screen,
            look(6, "", FileContent::Failed("could not open locked.txt: it may not be read".into())),
        );
        arrive(&mut player.screen, look(7, "\u{1b}]0;title\u{7} hello", counted(12_345, 1, 0)));
        arrive(&mut player.screen, DiscoveryEvent::Unread("~/sessions/closed: it may not be read".into()));
        arrive(&mut player.screen, DiscoveryEvent::Done(4));
        player
    }

    fn press(&mut self, keys: &str) -> Vec<Effect> {
        keys.split_whitespace().flat_map(keys_of).filter_map(|key| self.event(Event::Key(key))).collect()
    }

    fn event(&mut self, event: Event) -> Option<Effect> {
        let msg = input::message(self.screen.input_mode(), event, &Keymap::built_in())?;
        let effect = self.screen.update(msg);
        settle(&mut self.screen);
        effect
    }

    fn mouse(&mut self, kind: MouseEventKind, column: u16, row: u16) -> Option<Effect> {
        let modifiers = crossterm::event::KeyModifiers::NONE;
        self.event(Event::Mouse(MouseEvent { kind, column, row, modifiers }))
    }

    fn frame(&mut self) -> ratatui::buffer::Buffer {
        settle(&mut self.screen);
        let Self { screen, theme, terminal } = self;
        let drawn = terminal.draw(|frame| screen.draw(frame, theme));
        drawn.expect("a buffer takes everything").buffer.clone()
    }

    fn screen(&mut self) -> String {
        text_of(&self.frame())
    }
}

#[test]
fn keys_lead_to_screens() {
    for (name, size, keys) in [
        ("listing_80x24", SMALL, ""),
        ("listing_120x40", WIDE, "j j Enter j"),
        ("listing_200x60", (200, 60), "G k"),
        ("listing_filtered", SMALL, "/claude"),
        ("listing_by_problems", SMALL, "Esc s s s j"),
        ("listing_help", SMALL, "?"),
        ("listing_low", (60, 10), "j"),
        ("listing_narrow", (40, 10), "j"),
    ] {
        let mut player = Player::new(size);
        player.press(keys);
        shows(name, &player.frame());
    }
}

#[test]
fn a_list_says_what_it_is_about() {
    let mut player = Player::empty(SMALL);
    assert!(player.screen().contains("looking for sessions …"));
    arrive(&mut player.screen, DiscoveryEvent::Done(2));
    let screen = player.screen();
    assert!(screen.contains("no sessions here (2 files without text)"), "{screen}");
    let mut player = Player::new(SMALL);
    player.press("/nothing⏎");
    let screen = player.screen();
    assert!(screen.contains("no session matches \"nothing\"; Esc shows all"), "{screen}");
    player.press("Esc");
    assert!(player.screen().contains("notes.md"));
    for (keys, expected) in [
        ("s", "largest first"),
        ("s s", "most failures first"),
        ("s s s", "most problems first"),
        ("c", "counted without being asked"),
        ("/huge⏎ c", "counting its calls …"),
        ("G Enter", "~/sessions/closed: it may not be read"),
    ] {
        let mut player = Player::new(SMALL);
        player.press(keys);
        let screen = player.screen();
        assert!(screen.contains(expected), "{keys}:\n{screen}");
    }
}

#[test]
fn every_line_of_the_help_can_be_read() {
    for size in [SMALL, WIDE, (160, 50)] {
        let mut player = Player::new(size);
        player.press("?");
        let mut seen = player.screen();
        for _ in 0..40 {
            player.press("j");
            seen.push_str(&player.screen());
        }
        for binding in Keymap::built_in().bindings(Keys::Sessions) {
            assert!(seen.contains(&format!(" {} ", binding.help)), "{size:?}: {:?} is cut", binding.help);
        }
        assert!(seen.contains("choose, open; wheel: scroll; Shift: select "), "{size:?}");
    }
}

#[test]
fn a_click_chooses_and_a_second_one_opens() {
    let mut player = Player::new(SMALL);
    let screen = player.screen();
    let row =
        screen.lines().position(|line| line.contains("rollout-") || line.contains("0195b6a2")).expect("it is there");
    let row = u16::try_from(row).expect("on the screen");
    let press = MouseEventKind::Down(MouseButton::Left);
    assert_eq!(player.mouse(press, 20, row), None);
    assert!(player.screen().contains("rollout-2026-03-22T09-14-02-0195b6a2.jsonl  2026-03-22"), "{}", player.screen());
    assert!(
        matches!(player.mouse(press, 20, row), Some(Effect::Go(Navigation::Open(path))) if path.ends_with("2026/03/22/rollout-2026-03-22T09-14-02-0195b6a2.jsonl"))
    );
    assert_eq!(player.mouse(press, 20, 2), None, "the names of the columns are no line");
}

#[test]
fn many_files_are_scrolled_by_keys_and_wheel() {
    let mut player = Player::empty(SMALL);
    for part in 0..100 {
        let names: Vec<String> = (0..100).map(|number| format!("session-{:05}", part * 100 + number)).collect();
        let files = names.iter().zip(0..).map(|(name, number)| file(name, part * 100 + number, 1, b"")).collect();
        arrive(&mut player.screen, DiscoveryEvent::Found(files));
    }
    let first = player.screen();
    assert!(first.contains("session-00000") && first.contains("1/10,000"), "{first}");
    player.press("G");
    assert!(player.screen().contains("session-09999"));
    player.press("k PageUp g j");
    let screen = player.screen();
    assert!(screen.contains("session-00000") && screen.contains("2/10,000"), "{screen}");
    player.mouse(MouseEventKind::ScrollDown, 5, 5);
    let screen = player.screen();
    assert!(!screen.lines().nth(3).is_some_and(|line| line.contains("session-00000")), "{screen}");
}
