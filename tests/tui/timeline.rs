//! The timeline of a session: keys in, screen out.
//!
//! To accept new snapshots: `INSTA_UPDATE=always cargo test --test tui`.

use super::player::Player;
use super::{LARGE, SMALL, sample, shown};

fn timeline(name: &str, keys: &str, size: (u16, u16)) -> Player {
    let text = sample(&format!("containers/{name}"));
    let mut player = Player::with_text(name.rsplit('/').next().unwrap_or(name), &text, usize::MAX, size);
    player.press("~");
    player.press(keys);
    player
}

#[test]
fn each_turn_has_a_bar_and_unfolds_to_its_answers_and_calls() {
    for (name, size) in [("timeline_120x40", LARGE), ("timeline_80x24", SMALL)] {
        let mut player = timeline("opencode/night-watch.json", "g l", size);
        shown::shows(name, &player.frame());
    }
}

#[test]
fn keys_go_to_turns_answers_and_calls() {
    for (name, keys, expected) in [
        ("opencode/night-watch.json", "g", "▸ 1        +0 s   50.0 s"),
        ("opencode/night-watch.json", "g l", "▾ 1        +0 s   50.0 s"),
        ("opencode/night-watch.json", "g l h", "▸ 1        +0 s   50.0 s"),
        ("opencode/night-watch.json", "g l j j h", "▸ 1        +0 s   50.0 s"),
        // Its request has one time, and the call began two seconds later.
        ("opencode/night-watch.json", "g l", "+2 s    2.0 s"),
        // The whole axis begins at 0 s, half of it around the last turn does not.
        ("opencode/night-watch.json", "g", "╷0 s"),
        ("opencode/night-watch.json", "G + +", "‹"),
        ("opencode/night-watch.json", "G + + - -", "╷0 s"),
        ("opencode/night-watch.json", "G + , , , ,", "╷0 s"),
        ("opencode/night-watch.json", "g + . .", "╷25 s"),
        ("claude-code/late-ferry.jsonl", "g l", "✗ Bash last of 2 pytest"),
        // Of one request, the calls ran one after another, as the model wrote them.
        ("claude-code/side-by-side.jsonl", "g l", "Read last of 3 quays/south.md"),
        ("claude-code/late-ferry.jsonl", "z w", "wait 1 of 6: 4.7 s, answer Hours beyond 24: the day wraps."),
        ("claude-code/late-ferry.jsonl", "z w z w", "wait 2 of 6: 4.4 s, answer"),
        ("claude-code/late-ferry.jsonl", "z w z w z w z w z w z w z w", "wait 1 of 6"),
        ("openai-chat/conversation.json", "z w", "no answer or call has a known duration"),
        ("openai-chat/conversation.json", "g", "the file states no times"),
    ] {
        let screen = timeline(name, keys, LARGE).screen();
        assert!(screen.contains(expected), "{name}: {keys}: {expected:?} is not on\n{screen}");
    }
    let screen = timeline("opencode/night-watch.json", "g l j j Enter", LARGE).screen();
    assert!(screen.contains("┏ Reading"), "{screen}");
}

#[test]
fn the_turn_of_the_selection_is_chosen() {
    let text = sample("containers/opencode/night-watch.json");
    let mut player = Player::with_text("night-watch.json", &text, usize::MAX, LARGE);
    player.press("G ~ l");
    let screen = player.screen();
    assert!(screen.contains("▾ 3"), "{screen}");
}

#[test]
fn the_longest_wait_is_two_keys_away() {
    for (name, expected) in [
        ("claude-code/late-ferry.jsonl", "4.7 s"),
        ("codex/steered.jsonl", "3.2 s"),
        ("opencode/night-watch.json", "42.5 s, ✗ bash pytest -q watch"),
        ("gemini-cli/run.ndjson", "4.0 s, answer I ask the station"),
    ] {
        let text = sample(&format!("containers/{name}"));
        let mut player = Player::with_text(name, &text, usize::MAX, LARGE);
        player.press("z w");
        let screen = player.screen();
        assert!(screen.contains(expected), "{name}: {expected:?} is not on\n{screen}");
    }
}

/// A turn in which the agent asks the user, who answers after a minute, and then runs a command for twenty seconds.
const ASKED: &str = r#"{"type":"user","sessionId":"s","uuid":"u0","timestamp":"2026-10-01T10:00:00Z","message":{"role":"user","content":"Paint it."}}
{"type":"assistant","sessionId":"s","uuid":"u1","timestamp":"2026-10-01T10:00:10Z","message":{"id":"m1","role":"assistant","content":[{"type":"tool_use","id":"t1","name":"AskUserQuestion","input":{"question":"Which colour?"}}]}}
{"type":"user","sessionId":"s","uuid":"u2","timestamp":"2026-10-01T10:01:10Z","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"Red."}]}}
{"type":"assistant","sessionId":"s","uuid":"u3","timestamp":"2026-10-01T10:01:20Z","message":{"id":"m2","role":"assistant","content":[{"type":"tool_use","id":"t2","name":"Bash","input":{"command":"paint red"}}]}}
{"type":"user","sessionId":"s","uuid":"u4","timestamp":"2026-10-01T10:01:40Z","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t2","content":"done"}]}}
"#;

#[test]
fn a_question_of_the_agent_is_a_wait_for_the_user() {
    let mut player = Player::with_text("asked.jsonl", ASKED.as_bytes(), usize::MAX, LARGE);
    player.press("~ g");
    let screen = player.screen();
    let bar = screen.lines().find(|line| line.contains("▸ 1 ")).expect("the turn has a row");
    let cells = |glyph: char| bar.matches(glyph).count();
    let (you, tool) = (cells('·'), cells('▓'));
    assert!(you > 2 * tool && tool > 0, "{you} and {tool} cells of\n{bar}");
}
