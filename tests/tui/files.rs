//! The files that a session read and changed: keys in, screen out.
//!
//! To accept new snapshots: `INSTA_UPDATE=always cargo test --test tui`.

use super::player::Player;
use super::{LARGE, SMALL, sample, shown};

fn files(keys: &str, size: (u16, u16)) -> Player {
    let text = sample("containers/claude-code/what-tools-say.jsonl");
    let mut player = Player::with_text("what-tools-say.jsonl", &text, usize::MAX, size);
    player.press("@");
    player.press(keys);
    player
}

#[test]
fn files_are_listed_with_their_lines_and_calls() {
    for (name, size) in [("files_120x40", LARGE), ("files_80x24", SMALL)] {
        let mut player = files("+", size);
        shown::shows(name, &player.frame());
    }
}

#[test]
fn a_file_unfolds_to_its_calls_and_enter_goes_to_one() {
    for (keys, expected) in [
        ("l", "▾      +2     −1  timetable.ts"),
        ("l h", "▸      +2     −1  timetable.ts"),
        ("Enter", "▾      +2     −1  timetable.ts"),
        ("l j j", "edit          Edit  line"),
        ("+ -", "▸      +2     −1  timetable.ts"),
    ] {
        let mut player = files(keys, LARGE);
        let screen = player.screen();
        assert!(screen.contains(expected), "{keys}: {expected:?} is not on\n{screen}");
    }
    let mut player = files("l j j Enter", LARGE);
    let screen = player.screen();
    assert!(screen.contains("┏ Reading") && screen.contains("const late = 1"), "{screen}");
}

#[test]
fn a_session_without_files_says_what_is_not_seen() {
    let text = sample("containers/codex/steered.jsonl");
    let mut player = Player::with_text("steered.jsonl", &text, usize::MAX, LARGE);
    player.press("@");
    let screen = player.screen();
    assert!(screen.contains("no call reads or changes a file by name"), "{screen}");
}
