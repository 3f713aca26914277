//! A list of sessions: keys in, screen out.

use std::time::{Duration, SystemTime};

use crossterm::event::{Event, MouseButton, MouseEvent, MouseEventKind};
use jiff::Timestamp;
use jiff::tz::TimeZone;
use ratatui::Terminal;
use ratatui::backend::TestBackend;

use transcope::container;
use transcope::container::facts::{Figure, FigureSource, Relation, SessionKind};
use transcope::tui::age::Calendar;
use transcope::tui::discovery::line_matches::{MatchedLine, MatchedLines};
use transcope::tui::discovery::{
    DiscoveryEvent, FileContent, FileSummary, FileTally, LARGE, ListedFile, SelectedItems,
};
use transcope::tui::input;
use transcope::tui::keymap::{Keymap, ScreenId};
use transcope::tui::message::{Effect, Msg, Navigation, Task};
use transcope::tui::screen::Screen;
use transcope::tui::screen::sessions::SessionsScreen;
use transcope::tui::screen::sessions::update::{arrive, prepare};
use transcope::tui::theme::Theme;
use transcope::wording::session_summary::{BadEnding, SessionSummary, TitleSource};

use super::helping::is_explained;
use super::player::keys_of;
use super::shown::{self, shows, text_of};
use super::{LARGE as WIDE, SMALL, sample};

/// The screen and its user.
struct Player {
    screen: SessionsScreen,
    theme: Theme,
    terminal: Terminal<TestBackend>,
}

/// A moment in a time zone that does not depend on where a test runs.
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
        kind: container::detect_container(head, true),
    }
}

fn look(number: usize, words: &str, content: FileContent) -> DiscoveryEvent {
    DiscoveryEvent::Summary(FileSummary {
        number,
        kind: None,
        words: words.to_owned(),
        session: None,
        content,
        selected: None,
    })
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

    /// Sessions of several kinds, most of which have been examined.
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
        prepare(&mut self.screen);
        effect
    }

    fn mouse(&mut self, kind: MouseEventKind, column: u16, row: u16) -> Option<Effect> {
        let modifiers = crossterm::event::KeyModifiers::NONE;
        self.event(Event::Mouse(MouseEvent { kind, column, row, modifiers }))
    }

    fn frame(&mut self) -> ratatui::buffer::Buffer {
        prepare(&mut self.screen);
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

/// A session of an agent with its id, its title, its project, and minutes since its last message.
fn session(id: &str, title: &str, project: &str, age: u64) -> SessionSummary {
    let end = Timestamp::try_from((calendar().now)() - Duration::from_secs(age * 60)).expect("a time");
    SessionSummary {
        id: Some(id.into()),
        title: Some((title.into(), TitleSource::Generated)),
        project: Some(project.into()),
        models: vec!["claude-opus-4-5-20251101".into()],
        turns: 3,
        calls: 1_204,
        failed: 12,
        times: Some((end - Duration::from_mins(72), end)),
        tokens: Some(8_412_000),
        cost: Some(Figure { value: 4.2, ground: FigureSource::Estimated }),
        without_cost: 2,
        first_prompt: "Why does the south bed get no water in the morning?".into(),
        last_prompt: "Write that down in the log".into(),
        ..SessionSummary::default()
    }
}

/// The sessions of a home: one with two sub-agents and a continuation, one that was interrupted, and one of Codex.
fn home(size: (u16, u16)) -> Player {
    let mut player = Player::empty(size);
    player.screen.has_demonstration = true;
    let claude = sample("containers/claude-code/late-ferry.jsonl");
    let codex = sample("containers/codex/lock-gates.jsonl");
    let agent = SessionSummary { kind: SessionKind::Subagent, ..session("s-1", "Explore the valves", "garden", 70) };
    let links = vec![(Relation::Continues, "s-1".into())];
    let continued = SessionSummary { kind: SessionKind::Continuation, links, ..session("s-3", "Go on", "garden", 2) };
    let stopped = SessionSummary { ending: Some(BadEnding::Interrupted), ..session("s-2", "Paint it", "ferry", 5) };
    let rows = [
        ("garden/s-1.jsonl", 60, session("s-1", "Water the south bed", "garden", 60)),
        ("garden/s-1/subagents/agent-a1.jsonl", 70, agent.clone()),
        ("garden/s-1/subagents/agent-a2.jsonl", 71, agent),
        ("garden/s-3.jsonl", 2, continued),
        ("ferry/s-2.jsonl", 5, stopped),
        // It was copied after its last message.
        ("2026/03/22/rollout-c-1.jsonl", 1, session("c-1", "Sort the photos", "photos", 3000)),
    ];
    let files = rows
        .iter()
        .map(|(name, age, _)| file(name, *age, 48_200, if name.contains("rollout") { &codex } else { &claude }));
    arrive(&mut player.screen, DiscoveryEvent::Found(files.collect()));
    for (number, (_, _, session)) in rows.into_iter().enumerate() {
        let tally = FileTally { calls: session.calls, failures: session.failed, errors: 0, warnings: 0 };
        let content = FileContent::Counted(tally);
        let session = Some(Box::new(session));
        let words = String::new();
        let summary = FileSummary { number, kind: None, words, session, content, selected: None };
        arrive(&mut player.screen, DiscoveryEvent::Summary(summary));
    }
    arrive(&mut player.screen, DiscoveryEvent::Done(0));
    player
}

#[test]
fn sessions_are_rows_with_title_project_and_figures() {
    for (name, size, keys) in [
        ("sessions_80x24", SMALL, ""),
        ("sessions_120x40", WIDE, "l j"),
        ("sessions_200x60", (200, 60), "Tab j"),
        ("sessions_narrow", (40, 10), ""),
    ] {
        let mut player = home(size);
        player.press(keys);
        shows(name, &player.frame());
    }
}

#[test]
fn matching_lines_are_listed_below_their_sessions() {
    for (name, size) in [("sessions_searched_80x24", SMALL), ("sessions_searched_120x40", WIDE)] {
        let mut player = home(size);
        player.press("*sluice");
        let lines = [
            (12, "{\"command\":\"grep -rn sluice src\"}"),
            (
                14,
                "The sluice opens at ebb, as the log of the sluice says; that is why the south bed gets no water before noon",
            ),
        ];
        let line = |(line, words): (usize, &str)| {
            let mut pieces: Vec<(String, bool)> = Vec::new();
            for (number, part) in words.split("sluice").enumerate() {
                pieces.extend((number > 0).then(|| ("sluice".into(), true)));
                pieces.push((part.into(), false));
            }
            MatchedLine { line, byte: 0, pieces }
        };
        for (number, lines, matches) in [(0, &lines[..], 3), (1, &lines[..1], 1), (2, &[], 0), (4, &lines[1..], 20)] {
            let lines = lines.iter().copied().map(line).collect();
            let found = MatchedLines { pattern: "sluice".into(), lines, matches };
            arrive(&mut player.screen, DiscoveryEvent::Searched(number, found));
        }
        player.press("⏎ j");
        shows(name, &player.frame());
        assert!(player.screen().contains("20 matches"), "{}", player.screen());
    }
}

#[test]
fn a_filter_for_contents_counts_calls_as_the_column_of_failed_calls_does() {
    let mut player = home(SMALL);
    player.press("&failed⏎");
    for (number, items, calls) in [(0, 24, 12), (4, 3, 0)] {
        let selected = Some(("failed".to_owned(), SelectedItems { items, calls }));
        let content = FileContent::Counted(FileTally { calls: 1_204, failures: 12, errors: 0, warnings: 0 });
        let words = String::new();
        let summary = FileSummary { number, kind: None, words, session: None, content, selected };
        arrive(&mut player.screen, DiscoveryEvent::Summary(summary));
    }
    let screen = player.screen();
    assert!(screen.contains("▸ Water the so…  12 calls") && screen.contains("3 selected"), "{screen}");
}

/// Keys, parts of lines of the list that must occur in this order, and words that must not be on the screen.
const ASKED: &[(&str, &[&str], &[&str])] = &[
    // The newest message is first; a group of sessions is as new as its newest; a copied file is as old as its last
    // message.
    ("", &["▸ Water the south bed", "⊘ Paint it", "Sort the photos", "demonstration"], &["Explore", "Go on"]),
    ("l", &["▾ Water the south bed", "  Go on", "  Explore the valves", "⊘ Paint it"], &[]),
    ("l j h", &["▸ Water the south bed", "⊘ Paint it"], &["Explore"]),
    ("Tab", &["── garden", "Water", "── ferry", "Paint it", "── photos", "Sort"], &[]),
    ("Tab Tab", &["Water", "Paint it"], &["── garden"]),
    ("/explore", &["Water the south bed", "Explore the valves"], &["Paint it", "demonstration"]),
    ("/photos", &["Sort the photos"], &["Paint it"]),
    ("", &["first  Why does the south bed", "last   Write that down"], &[]),
    ("j", &["⊘ last turn interrupted"], &[]),
    ("", &["last message 2026-", "~$4.20 + 2 requests without a price"], &["written"]),
    ("s s s s", &["most expensive first", "cost", "≥~$4.20"], &[]),
    ("G", &["the built-in demonstration"], &[]),
    ("G y", &["select a session to copy the command"], &[]),
];

#[test]
fn sessions_are_folded_grouped_and_searched() {
    for (keys, there, gone) in ASKED {
        let mut player = home(WIDE);
        player.press(keys);
        let screen = player.screen();
        let mut rest = screen.as_str();
        for words in *there {
            let at = rest.find(words).unwrap_or_else(|| panic!("{keys}: no {words:?} there:\n{screen}"));
            rest = &rest[at + words.len()..];
        }
        gone.iter().for_each(|words| assert!(!screen.contains(words), "{keys}: {words:?} is there:\n{screen}"));
    }
}

#[test]
fn a_row_opens_its_session_and_copies_the_command_that_resumes_it() {
    for (keys, expected) in
        [("y", "claude --resume s-1"), ("l j y", "claude --resume s-3"), ("j j y", "codex resume c-1")]
    {
        let effects = home(WIDE).press(keys);
        assert!(
            matches!(&effects[..], [Effect::Run(Task::Copy(copied))] if copied.text == expected),
            "{keys}: {effects:?}"
        );
    }
    assert_eq!(home(WIDE).press("l j j y"), [], "a sub-agent cannot be resumed");
    let opened = home(WIDE).press("Enter");
    assert!(matches!(&opened[..], [Effect::Go(Navigation::Open(path))] if path.ends_with("garden/s-1.jsonl")));
    assert_eq!(home(WIDE).press("G Enter"), [Effect::Go(Navigation::Demonstration)]);
}

#[test]
fn a_list_says_what_it_is_about() {
    let mut player = Player::empty(SMALL);
    assert!(player.screen().contains("looking for sessions …"));
    arrive(&mut player.screen, DiscoveryEvent::Done(2));
    let screen = player.screen();
    assert!(screen.contains("no sessions here (2 files without text)"), "{screen}");
    let mut player = Player::new(SMALL);
    player.press("/nothing");
    let screen = player.screen();
    assert!(screen.contains("no title, project or name has \"nothing\"; Enter searches the text"), "{screen}");
    player.press("⏎");
    let screen = player.screen();
    assert!(screen.contains("text: nothing") && screen.contains("no match so far …"), "{screen}");
    player.press("Esc");
    assert!(player.screen().contains("notes.md"));
    for (keys, expected) in [
        ("s", "largest first"),
        ("s s", "most failures first"),
        ("s s s", "most problems first"),
        ("c", "counted automatically"),
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
fn every_symbol_is_in_the_legend() {
    for keys in ["", "j l j l", "j j Enter j", "G k", "/claude", "Esc s s s j", "Space", "t"] {
        for mut player in [Player::new((200, 60)), home((200, 60)), home(SMALL), Player::empty(SMALL)] {
            player.press(keys);
            is_explained(ScreenId::Sessions, keys, &player.screen());
        }
    }
}

#[test]
fn every_line_of_the_help_can_be_read() {
    for size in [SMALL, WIDE, (160, 50)] {
        let mut player = Player::new(size);
        player.press("?");
        let mut seen = player.screen();
        for _ in 0..250 {
            player.press("Down");
            seen.push_str(&player.screen());
        }
        for binding in Keymap::built_in().bindings(ScreenId::Sessions) {
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
    assert!(
        player.screen().contains("rollout-2026-03-22T09-14-02-0195b6a2.jsonl  written 2026-03-22"),
        "{}",
        player.screen()
    );
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
