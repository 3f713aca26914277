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
        ("claude-code/side-by-side.jsonl", "g l", "3 calls in a row until Read quays/south"),
        ("claude-code/side-by-side.jsonl", "g l j j h", "▸ 1        +0 s   11.0 s"),
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

/// A record of a log of Claude Code, some seconds after ten o'clock.
fn record(role: &str, second: u32, content: &str) -> String {
    let id = if role == "assistant" { r#""id":"m","# } else { "" };
    format!(
        r#"{{"type":"{role}","sessionId":"s","uuid":"u{second}{}","timestamp":"2026-10-01T10:00:{second:02}Z","message":{{{id}"role":"{role}","content":{content}}}}}"#,
        content.len()
    ) + "\n"
}

#[test]
fn calls_that_run_together_have_a_row_that_grows_with_a_live_file() {
    let call = |id: &str| {
        format!(r#"[{{"type":"tool_use","id":"{id}","name":"Bash","input":{{"command":"wait {id}{id}"}}}}]"#)
    };
    let result = |id: &str| format!(r#"[{{"type":"tool_result","tool_use_id":"{id}","content":"done"}}]"#);
    let mut text = record("user", 0, "\"Wait for all\"");
    for (second, id) in [(1, "a"), (2, "b"), (3, "c")] {
        text += &record("assistant", second, &call(id));
    }
    text += &record("user", 5, &result("a"));
    let mut player = Player::following("live.jsonl", &text, LARGE);
    player.press("~ g l");
    let row = |screen: &str, words: &str| {
        let found = screen.lines().find(|line| line.contains("┃") && line.contains(words));
        found.unwrap_or_else(|| panic!("{words:?} is not on\n{screen}")).to_owned()
    };
    let cells = |row: &str| row.matches('▓').count();
    // The last message may still grow.
    player.arrives(&record("user", 6, "\"Be patient\""));
    let screen = player.screen();
    assert!(row(&screen, "3 calls in parallel, 2 running").contains("–"), "{screen}");
    assert!(!screen.contains("last of 3"), "others still run\n{screen}");
    let running = row(&screen, "running Bash wait cc");
    assert!(cells(&running) > 5, "{screen}");
    player.arrives(&record("user", 30, &result("b")));
    player.arrives(&record("user", 50, &result("c")));
    player.arrives(&record("assistant", 55, r#"[{"type":"text","text":"Done."}]"#).replace("\"m\"", "\"n\""));
    player.arrives(&record("user", 58, "\"Thanks\""));
    let screen = player.screen();
    let wave = row(&screen, "3 calls in parallel until Bash wait cc");
    assert!(wave.contains("≤49.0 s") && cells(&wave) > 20, "{screen}");
    assert!(row(&screen, "last of 3 wait cc").contains("≤47.0 s"), "{screen}");
    let starts = [row(&screen, "Bash wait bb"), row(&screen, "Bash last of 3")].map(|row| row.find('▓'));
    assert!(starts[0] <= starts[1], "the axis is of the whole turn\n{screen}");
}
