//! Rows of recorded sessions in the outline and the reading pane show their contents.

use serde_json::{Value, json};

use super::player::Player;
use super::{LARGE, SMALL, sample};

/// A session of Claude Code with the given records, ten seconds apart.
fn claude_session(records: &[(&str, Value)]) -> Vec<u8> {
    let record = |(number, (role, content)): (usize, &(&str, Value))| {
        let time = format!("2026-01-01T10:{:02}:{:02}.000Z", number / 6, number % 6 * 10);
        let uuid = format!("u{number}");
        let parent = number.checked_sub(1).map(|before| format!("u{before}"));
        let message = json!({"role": role, "content": content});
        let record = json!({"uuid": uuid, "parentUuid": parent, "type": role, "message": message,
            "timestamp": time, "permissionMode": "acceptEdits"});
        record.to_string() + "\n"
    };
    records.iter().enumerate().map(record).collect::<String>().into_bytes()
}

#[test]
fn rows_of_calls_say_how_long_they_took_and_why_they_have_no_result() {
    let call =
        |id: &str| json!([{"type": "tool_use", "id": id, "name": "Bash", "input": {"command": format!("do {id}")}}]);
    let result = |id: &str, text: &str, is_error: bool| json!([{"type": "tool_result", "tool_use_id": id, "content": text, "is_error": is_error}]);
    let text = claude_session(&[
        ("user", json!("Begin.")),
        ("assistant", call("long")),
        ("user", result("long", "done", false)),
        ("assistant", call("refused")),
        (
            "user",
            result("refused", "The user doesn't want to proceed with this tool use. The tool use was rejected", true),
        ),
        ("assistant", call("stopped")),
        ("user", json!([{"type": "text", "text": "[Request interrupted by user for tool use]"}])),
    ]);
    for size in [SMALL, LARGE, (200, 60)] {
        let mut player = Player::with_text("a.jsonl", &text, usize::MAX, size);
        player.press("alt-1");
        let screen = player.screen();
        let row = |words: &str| screen.lines().find(|line| line.contains(words)).unwrap_or_default().to_owned();
        assert!(row("do long").contains("≤10.0 s"), "{screen}");
        assert!(row("do refused").contains("✗ denied"), "{screen}");
        assert!(row("do stopped").contains(if size == SMALL { "⊘" } else { "⊘ interrupted" }), "{screen}");
        assert!(screen.contains("‹interrupted by t"), "{screen}");
        assert!(!screen.contains("no result"), "{screen}");
    }
    let mut player = Player::with_text("a.jsonl", &text, usize::MAX, LARGE);
    player.press("c c c a Z");
    let screen = player.screen();
    for words in ["permissions: acceptEdits", "ended       interrupted by the user", "was interrupted by the user"] {
        assert!(screen.contains(words), "{words}: {screen}");
    }
}

/// The row of the outline that contains a text.
#[track_caller]
fn row_of(player: &mut Player, words: &str) -> String {
    let screen = player.screen();
    let row = screen.lines().find(|line| line.contains(words));
    row.unwrap_or_else(|| panic!("{words:?} is not on\n{screen}")).to_owned()
}

#[test]
fn rows_of_the_outline_say_how_their_text_begins() {
    let question = json!({"questions": [{"header": "Gate", "question": "Which gate is open?", "options": []}]});
    let mut session = claude_session(&[
        ("user", json!("Begin.")),
        ("assistant", json!([{"type": "thinking", "thinking": "**The gates** come first.\nThen the rest."}])),
        ("assistant", json!([{"type": "tool_use", "id": "q", "name": "AskUserQuestion", "input": question}])),
        ("user", json!([{"type": "tool_result", "tool_use_id": "lost", "content": "all gates are shut"}])),
    ]);
    session.extend(b"{\"type\": \"summary\", \"summary\": \"Gates of the lock\", \"leafUuid\": \"u0\"}\n");
    let mut player = Player::with_text("a.jsonl", &session, usize::MAX, (200, 60));
    player.press("alt-1 Z");
    for (words, expected) in [
        ("come first", "∴ The gates** come first."),
        ("AskUserQuestion", "Which gate is open?"),
        ("all gates are shut", "? no call"),
        ("summary", "▾ summary"),
    ] {
        let row = row_of(&mut player, words);
        assert!(row.contains(expected), "{expected:?} is not in {row}");
    }
    let mut player = Player::with_text("c.traj", &sample("containers/swe-agent/clock.traj"), usize::MAX, LARGE);
    player.press("alt-1 Z");
    assert!(row_of(&mut player, "exit_status").contains("exit_status  "), "{}", player.screen());
}

#[test]
fn another_model_has_a_row_where_it_answers_first() {
    let answer = |id: &str, parent: &str, model: &str| {
        json!({"uuid": id, "parentUuid": parent, "type": "assistant", "message":
            {"role": "assistant", "model": model, "content": [{"type": "text", "text": format!("words {id}")}]}})
        .to_string()
            + "\n"
    };
    let mut session = claude_session(&[("user", json!("Begin."))]);
    for (id, parent, model) in
        [("a", "u0", "sonnet"), ("b", "a", "<synthetic>"), ("c", "b", "sonnet"), ("d", "c", "opus")]
    {
        session.extend(answer(id, parent, model).bytes());
    }
    let mut player = Player::with_text("a.jsonl", &session, usize::MAX, LARGE);
    player.press("alt-1 Z");
    let screen = player.screen();
    let rows: Vec<&str> = screen.lines().map(|line| line.trim_matches(['┃', ' '])).collect();
    let at = rows.iter().position(|row| *row == "model: sonnet → opus").unwrap_or_else(|| panic!("{screen}"));
    assert_eq!((rows[at - 1], rows[at + 1]), ("words c", "words d"), "{screen}");
    assert_eq!(screen.matches("model:").count(), 1, "{screen}");
}

#[test]
fn the_heading_of_a_turn_is_in_view_after_going_there() {
    let long = "A line of words.\n\n".repeat(40);
    let turns: Vec<(&str, Value)> = (1..4)
        .flat_map(|turn| {
            [("user", json!(format!("Prompt {turn}."))), ("assistant", json!([{"type": "text", "text": long}]))]
        })
        .collect();
    for size in [SMALL, LARGE, (200, 60)] {
        let mut player = Player::with_text("a.jsonl", &claude_session(&turns), usize::MAX, size);
        player.press("g } }");
        let screen = player.screen();
        let rows: Vec<&str> = screen.lines().collect();
        assert!(rows[2].contains("── turn 3") && rows[2].contains("2026-01-01 10:00:40"), "{screen}");
        player.press("{");
        assert!(player.screen().lines().nth(2).is_some_and(|row| row.contains("── turn 2")), "{}", player.screen());
    }
}
