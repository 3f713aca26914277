//! The context of the requests of a session: keys in, screen out.
//!
//! To accept new snapshots: `INSTA_UPDATE=always cargo test --test tui`.

use super::player::Player;
use super::{LARGE, SMALL, sample, shown};

fn context(name: &str, keys: &str, size: (u16, u16)) -> Player {
    let text = sample(&format!("containers/{name}"));
    let mut player = Player::with_text(name.rsplit('/').next().unwrap_or(name), &text, usize::MAX, size);
    player.press("%");
    player.press(keys);
    player
}

#[test]
fn each_request_has_a_bar_and_unfolds_to_its_contents() {
    for (name, size) in [("context_120x40", LARGE), ("context_80x24", SMALL)] {
        let mut player = context("opencode/night-watch.json", "G l +", size);
        shown::shows(name, &player.frame());
    }
}

#[test]
fn keys_go_to_requests_parts_and_lost_caches() {
    for (keys, expected) in [
        ("", "▸ 1       9.5k"),
        ("l", "▾ 1       9.5k"),
        ("l h", "▸ 1       9.5k"),
        ("l j h", "▸ 1       9.5k"),
        ("l j l", "▾ prompts"),
        ("l j l j h", "▸ prompts"),
        ("e", "no later request lost what was cached"),
        ("E", "no earlier request lost what was cached"),
    ] {
        let screen = context("opencode/night-watch.json", keys, LARGE).screen();
        assert!(screen.contains(expected), "{keys}: {expected:?} is not on\n{screen}");
    }
    let screen = context("opencode/night-watch.json", "l j l j Enter", LARGE).screen();
    assert!(screen.contains("┏ Reading"), "{screen}");
}

#[test]
fn the_request_of_the_selection_is_chosen() {
    let text = sample("containers/opencode/night-watch.json");
    let mut player = Player::with_text("night-watch.json", &text, usize::MAX, LARGE);
    player.press("G % l");
    let screen = player.screen();
    assert!(screen.contains("▾ 6       3.0k"), "{screen}");
}

#[test]
fn a_session_without_counts_lists_what_its_file_shows() {
    let screen = context("codex/lock-gates.jsonl", "G l", LARGE).screen();
    assert!(screen.contains("▾ all that the file shows; its requests have no counts of tokens"), "{screen}");
}
