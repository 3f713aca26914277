//! Replay of a transcript: at every step, everything is as when that much had arrived.

use std::ops::Range;
use std::path::Path;
use std::time::Duration;

use transcope::container::Container;
use transcope::session::Session;
use transcope::text::Span;
use transcope::text::replay_steps::{ReplayOptions, ReplaySpeed};
use transcope::tui::message::{Effect, Navigation};
use transcope::tui::screen::transcript::replay::{beat, replay};

use super::player::Player;
use super::program::run_in;
use super::shown::shows;

const SIZE: (u16, u16) = (120, 40);
const TEXT: &str = include_str!("../../samples/demo.txt");

fn playing(text: &str) -> Player {
    let mut player = Player::new("replay", SIZE);
    let bytes = text.as_bytes().into();
    let options = ReplayOptions { speed: ReplaySpeed::Bytes(1000), ..ReplayOptions::default() };
    player.state = replay(&player.state, "a.txt", bytes, Container::default(), options);
    player.press("P");
    player
}

/// Checks that the state equals an unfinished session of `at` bytes.
#[track_caller]
fn stands(player: &Player, text: &str, at: usize) {
    let session = &player.state.view.session;
    assert_eq!(session.text().len(), at);
    let mut fresh = Session::new(Container::default(), &player.state.view.options);
    fresh.push(&text.as_bytes()[..at]);
    if at == text.len() {
        fresh.finish();
    }
    let spans = |session: &Session| session.document().items().iter().map(|item| item.span()).collect::<Vec<_>>();
    assert_eq!(spans(session), spans(&fresh), "at {at}");
    assert_eq!(session.pending(), fresh.pending(), "at {at}");
    assert_eq!(session.document().diagnostics().len(), fresh.document().diagnostics().len(), "at {at}");
}

#[test]
fn steps_lead_on_and_back_through_every_state() {
    let mut player = playing(TEXT);
    let mut places = vec![0];
    for _ in 0..30 {
        player.press(".");
        player.screen();
        let at = player.state.replay.as_ref().expect("it is played").at();
        stands(&player, TEXT, at);
        places.push(at);
    }
    for at in places.into_iter().rev().skip(1) {
        player.press(",");
        player.screen();
        stands(&player, TEXT, at);
    }
}

#[test]
fn far_from_the_beginning_a_step_back_leads_to_the_same() {
    // A call is open a megabyte before the end, where reading for a step begins.
    let call = format!("!!!GADGET_START:Write\n!!!ARG:text\n{}!!!GADGET_END\n", "a line of it\n".repeat(9_000));
    let (before, behind) = (TEXT.repeat(200), TEXT.repeat(172));
    let text = format!("{before}{call}{behind}");
    let begins = text.len() - (1 << 20);
    assert!((before.len() + 9_000..before.len() + call.len()).contains(&begins), "the call is not where it should be");
    let mut player = playing(&text);
    player.press(":100%⏎");
    stands(&player, &text, text.len());
    for keys in [",", ",", ". ,", "u u ,", ",", "x ,", "u ,", ", ."] {
        player.press(keys);
        player.screen();
        let at = player.state.replay.as_ref().expect("it is played").at();
        stands(&player, &text, at);
    }
}

#[test]
fn it_plays_until_it_is_stopped_and_to_its_end() {
    let mut player = playing(TEXT);
    let beats = |player: &mut Player, halves: Range<u64>| {
        for half in halves {
            beat(&mut player.state, Duration::from_millis(500 * half));
        }
    };
    player.press("P");
    beats(&mut player, 0..3);
    player.screen();
    let at = player.state.view.session.text().len();
    assert!((1000..1004).contains(&at), "{at}");
    player.press("P");
    beats(&mut player, 3..20);
    assert_eq!(player.state.view.session.text().len(), at);
    player.press("P");
    beats(&mut player, 20..21);
    assert_eq!(player.state.view.session.text().len(), at, "the time in which it stood still does not count");
    beats(&mut player, 21..40);
    stands(&player, TEXT, TEXT.len());
    assert!(player.state.view.session.is_finished());
}

/// The row of the bar, below the panes.
fn bar(player: &mut Player) -> String {
    let screen = player.screen();
    screen.lines().rev().nth(1).expect("there are two lines below the panes").to_owned()
}

#[test]
fn the_bar_shows_progress_and_landmarks() {
    let mut player = playing(TEXT);
    player.press(".");
    let line = bar(&mut player);
    assert!(line.starts_with(" ‖ ●") && line.contains("┼") && line.contains("✗"), "{line}");
    assert!(line.contains(" of 5.7 kB · P play  · ,. step · u line · U 1.0 kB/s"), "{line}");
    player.press(":100%⏎");
    let line = bar(&mut player);
    assert!(line.contains("┿") && line.contains('●') && !line.contains("┼"), "{line}");
    stands(&player, TEXT, TEXT.len());
    for (name, size) in [("replay_80x24", (80, 24)), ("replay_120x40", SIZE)] {
        player.resize(size.0, size.1);
        player.press(":30⏎");
        shows(name, &player.frame());
    }
}

#[test]
fn a_click_and_a_drag_on_the_bar_set_it() {
    let mut player = playing(TEXT);
    let row = SIZE.1 - 2;
    let line = bar(&mut player);
    let first = line.chars().position(|c| c == '●').expect("it stands at the beginning");
    let last = line.chars().position(|c| c == 'B').expect("behind the bar") - 8;
    let column = |cell: usize| u16::try_from(cell).expect("on the screen");
    player.click(column(first + 10), row);
    let at = player.state.replay.as_ref().expect("it is played").at();
    assert!(at > 0 && at < TEXT.len() / 4, "{at}");
    stands(&player, TEXT, at);
    // A drag may leave the row.
    player.drag(column(last), row - 5);
    stands(&player, TEXT, TEXT.len());
    player.drag(0, row);
    stands(&player, TEXT, 0);
    player.click(40, 5);
    player.drag(column(last), row);
    assert_eq!(player.state.view.session.text().len(), 0, "it was let go of");
}

#[test]
fn a_line_and_a_percentage_are_gone_to() {
    let mut player = playing(TEXT);
    for (spot, expected) in [("3", 3), ("12", 12), ("1", 1), ("9999", TEXT.lines().count())] {
        player.press(&format!(":{spot}⏎"));
        let lines = player.state.view.session.text().read_str(Span::new(0, TEXT.len())).lines().count();
        assert_eq!(lines, expected, "{spot}");
    }
    player.press(":50%⏎");
    let at = player.state.view.session.text().len();
    assert!(at.abs_diff(TEXT.len() / 2) < 4, "{at}");
    for (spot, said) in
        [("0", "lines and columns begin at 1"), ("101%", "more than 100%"), ("x%", "or to a percentage such as 50%")]
    {
        player.press(&format!(":{spot}⏎"));
        assert!(player.status().contains(said), "{spot}: {}", player.status());
    }
}

#[test]
fn every_step_shows_what_is_awaited() {
    let mut player = playing(TEXT);
    player.press("a u u");
    assert_eq!(player.state.replay.as_ref().map(|replay| replay.step.word()), Some("character"));
    let mut kinds = [0, 0, 0];
    for line in [1, 5, 6, 7, 8, 9, 22] {
        player.press(&format!(":{line}⏎"));
        for _ in 0..6 {
            player.press(".");
            let waiting = player.state.view.waiting().expect("it is not over");
            let screen = player.screen();
            assert!(player.status().contains(waiting.words.get(..20).unwrap_or(&waiting.words)), "{screen}");
            let is_shown = screen.lines().filter(|line| line.contains("… in ") || line.contains("… th")).count();
            assert_eq!(
                is_shown,
                usize::from(waiting.is_open && !player.state.view.session.text().is_empty()),
                "{screen}"
            );
            kinds[["in prose", "th", "in "]
                .iter()
                .position(|kind| waiting.words.starts_with(kind))
                .expect("one of them")] += 1;
        }
    }
    assert!(kinds.iter().all(|count| *count > 0), "{kinds:?}");
    player.press(":100%⏎");
    assert_eq!(player.state.view.waiting(), None);
}

#[test]
fn a_chunk_of_a_dump_is_an_event_of_it() {
    let dump = include_str!("../../samples/containers/anthropic-stream/pilot.sse");
    let mut player = playing(dump);
    player.press("u");
    assert_eq!(player.state.replay.as_ref().map(|replay| replay.step.word()), Some("chunk"));
    let events = dump.matches("data:").count();
    for number in 1..=events {
        player.press(".");
        player.screen();
        let read = player.state.view.session.file().len();
        assert_eq!(dump[..read].matches("data:").count(), number);
        assert!(player.state.view.session.incomplete_record().is_empty(), "at {read} everything is read");
    }
    player.press(",");
    assert_eq!(dump[..player.state.view.session.file().len()].matches("data:").count(), events - 1);
}

#[test]
fn what_is_shown_can_be_played() {
    let mut player = Player::with_text("a.txt", b"Hi.\n", usize::MAX, SIZE);
    assert_eq!(player.press("P"), [Effect::Go(Navigation::Replay(b"Hi.\n".to_vec(), "a.txt".into()))]);
    let mut player = Player::following("a.txt", "Hi.\n", SIZE);
    assert_eq!(player.press("P"), []);
}

#[test]
fn what_is_printed_is_what_parsing_prints() {
    let run = |arguments: &[&str]| {
        let run = run_in(Path::new(env!("CARGO_MANIFEST_DIR")), arguments, &[], b"");
        assert_eq!(run.code, 0, "{}", run.stderr);
        run.stdout
    };
    let sample = "samples/containers/anthropic-stream/pilot.sse";
    for format in ["events", "ndjson"] {
        let played = run(&["replay", "--speed", "1000000", "--format", format, sample]);
        assert_eq!(played, run(&["parse", "--format", format, sample]));
    }
}
