//! A transcript that is played again: at every step everything is as it was when that much had arrived.

#[expect(dead_code, reason = "keys in, screen out, needs more of it")]
#[path = "tui/player.rs"]
mod player;

use std::time::Duration;

use player::Player;
use transcope::container::Container;
use transcope::session::Session;
use transcope::tui::update::Effect;
use transcope::tui::update::replaying::{beat, replay};

const SIZE: (u16, u16) = (120, 40);
const TEXT: &str = include_str!("../samples/demo.txt");

fn playing(text: &str) -> Player {
    let mut player = Player::new("replay", SIZE);
    let bytes = text.as_bytes().into();
    player.state =
        replay(&player.state, "a.txt", bytes, Container::default(), Some(1000)).expect("the options are fine");
    player
}

/// What is there is what an unfinished session of so many bytes has.
#[track_caller]
fn stands(player: &Player, text: &str, at: usize) {
    let session = &player.state.session;
    assert_eq!(session.text().len(), at);
    let mut fresh = Session::new(Container::default(), &player.state.options).expect("the options are fine");
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
fn it_plays_until_it_is_stopped_and_to_its_end() {
    let mut player = playing(TEXT);
    player.press("P");
    beat(&mut player.state, Duration::from_secs(1));
    player.screen();
    let at = player.state.session.text().len();
    assert!((1000..1004).contains(&at), "{at}");
    player.press("P");
    beat(&mut player.state, Duration::from_secs(2));
    assert_eq!(player.state.session.text().len(), at);
    player.press("P");
    beat(&mut player.state, Duration::from_mins(1));
    stands(&player, TEXT, TEXT.len());
    assert!(player.state.session.is_finished());
}

#[test]
fn what_is_shown_can_be_played() {
    let mut player = Player::with_text("a.txt", b"Hi.\n", usize::MAX, SIZE);
    assert_eq!(player.press("P"), [Effect::Replay(b"Hi.\n".to_vec(), "a.txt".into())]);
    let mut player = Player::following("a.txt", "Hi.\n", SIZE);
    assert_eq!(player.press("P"), []);
}

#[test]
fn what_is_printed_is_what_parsing_prints() {
    let run = |arguments: &[&str]| {
        let mut command = assert_cmd::Command::new(env!("CARGO_BIN_EXE_transcope"));
        let command = command.env_clear().current_dir(env!("CARGO_MANIFEST_DIR")).args(arguments);
        let output = command.timeout(Duration::from_mins(1)).output().expect("the program runs");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let sample = "samples/containers/anthropic-stream/pilot.sse";
    for format in ["events", "ndjson"] {
        let played = run(&["replay", "--speed", "1000000", "--format", format, sample]);
        assert_eq!(played, run(&["parse", "--format", format, sample]));
    }
}
