//! Recorded sessions on the screen and in the output: messages, results, branches, the file next to the text, and the
//! position of every byte in the file.
//!
//! To accept new snapshots: `INSTA_UPDATE=always cargo test`.

use std::path::Path;
use std::sync::Arc;

use transcope::dialect::Options;
use transcope::prices::PriceTable;
use transcope::session::Session;
use transcope::source::SourceEvent;
use transcope::text::Span;
use transcope::tui::message::{Effect, Task};

use super::player::Player;
use super::program::run_in;
use super::shown::shows;
use super::{LARGE, SMALL, sample, snapshot};

fn player(name: &str, size: (u16, u16)) -> Player {
    let file = name.rsplit('/').next().expect("a name");
    Player::with_text(file, &sample(&format!("containers/{name}")), usize::MAX, size)
}

#[test]
fn keys_lead_to_screens() {
    let rows = [
        ("recorded_session", "claude-code/late-ferry.jsonl", LARGE, ""),
        ("recorded_result_of_a_call", "claude-code/late-ferry.jsonl", SMALL, "c c r a"),
        ("recorded_file", "claude-code/late-ferry.jsonl", LARGE, "c c R alt-3 Z"),
        ("recorded_branches", "claude-code/two-branches.jsonl", LARGE, ""),
        ("recorded_branches_shown", "claude-code/two-branches.jsonl", LARGE, "B"),
        ("recorded_faults", "claude-code/what-goes-wrong.jsonl", LARGE, "e e"),
        ("recorded_turns", "claude-code/late-ferry.jsonl", SMALL, "d Z"),
        ("recorded_results", "claude-code/what-tools-say.jsonl", LARGE, "alt-2 Z"),
        ("recorded_edit", "claude-code/what-tools-say.jsonl", SMALL, "c c c alt-2 Z j j j j j j j"),
        ("recorded_differences", "claude-code/what-tools-say.jsonl", LARGE, "alt-2 Z G"),
        ("recorded_chunks", "openai-chat-stream/side-by-side.sse", SMALL, "| alt-3"),
    ];
    for (name, file, size, keys) in rows {
        let mut player = player(file, size);
        player.press(keys);
        shows(name, &player.painted_frame());
    }
}

#[test]
fn an_estimated_cost_is_shown_with_the_day_of_its_table() {
    let table = r#"{"claude-sonnet-4-5": {"input_cost_per_token": 0.01, "output_cost_per_token": 0.02,
        "max_input_tokens": 200}}"#;
    let table = PriceTable::parse("prices.json", table, Some("2026-07-02".into())).expect("it is a table");
    let options = Options { prices: Some(Arc::new(table)), ..Options::default() };
    let mut player = Player::with_options("late-ferry.jsonl", options, (160, 40));
    player.source(SourceEvent::Chunk(sample("containers/claude-code/late-ferry.jsonl")));
    player.source(SourceEvent::End);
    player.press("c c r a Z");
    let screen = player.screen();
    for words in [" tokens · ~$1.50 · ", "~$1.50, at API prices of 2026-07-02", "8 of ~200 (4 %) tokens"] {
        assert!(screen.contains(words), "{words} is not on the screen:\n{screen}");
    }
}

#[test]
fn statistics_show_the_cost_and_the_sorted_column_at_80_columns_and_mark_tools_that_ask_the_user() {
    let text = sample("containers/claude-code/late-ferry.jsonl");
    let text = String::from_utf8_lossy(&text).replace("\"Bash\"", "\"AskUserQuestion\"");
    let table = r#"{"claude-sonnet-4-5": {"input_cost_per_token": 0.01, "output_cost_per_token": 0.02}}"#;
    let table = PriceTable::parse("prices.json", table, None).expect("it is a table");
    for (prices, keys, expected) in [
        (true, "#", &["requests      ↑ input     ↓ output         cost", "~$1.50", "AskUserQuestion (you)"][..]),
        (false, "#", &["requests      ↑ input     ↓ output   cache hits"]),
        (false, "# l l l l l l", &["▾ bytes"]),
    ] {
        let prices = prices.then(|| Arc::new(table.clone()));
        let mut player = Player::with_options("late-ferry.jsonl", Options { prices, ..Options::default() }, SMALL);
        player.source(SourceEvent::Chunk(text.clone().into_bytes()));
        player.source(SourceEvent::End);
        player.press(keys);
        player.press("Z");
        let screen = player.screen();
        for words in expected {
            assert!(screen.contains(words), "{keys}: {words} is not on the screen:\n{screen}");
        }
    }
}

#[test]
fn what_a_stream_withdraws_is_struck_through_and_not_counted() {
    let mut player = player("ai-sdk-stream/withdrawn.sse", (160, 60));
    let screen = player.screen();
    assert!(screen.contains("▾ assistant                    3 calls") && screen.contains("┄┄ withdrawn"), "{screen}");
    let buffer = player.frame();
    let is_struck = |words: &str| {
        // The reading pane, between the outline and the raw text.
        let cells = buffer.content().chunks(160).map(|row| &row[41..100]);
        let mut found = cells.filter_map(|row| {
            let line: Vec<&str> = row.iter().map(ratatui::buffer::Cell::symbol).collect();
            let at = line.concat().find(words)?;
            let column = line.concat()[..at].chars().count();
            Some(row[column].modifier.contains(ratatui::style::Modifier::CROSSED_OUT))
        });
        found.next().unwrap_or_else(|| panic!("{words:?} is not on the screen:\n{screen}"))
    };
    for (words, expected) in
        [("This is bad.", true), ("Gone", true), ("old", true), ("Good.", false), ("assistant", false)]
    {
        assert_eq!(is_struck(words), expected, "{words}\n{screen}");
    }
}

#[test]
fn recorded_times_are_shown() {
    let mut player = player("claude-code/what-tools-say.jsonl", (120, 120));
    player.press("alt-2 Z G");
    let screen = player.screen();
    for (words, is_said) in [
        (" · 12 min later ", true),
        ("⇒ result  ≤10 ms ", true),
        // The message began with other text, some time before the call.
        ("⇒ result  0 ms", false),
        ("── tool · ", false),
    ] {
        assert_eq!(screen.contains(words), is_said, "{words:?}\n{screen}");
    }
}

#[test]
fn an_edit_is_one_difference_whose_rows_lead_to_both_values() {
    let old: Vec<String> = (0..20).map(|line| format!("line {line}")).collect();
    let mut new = old.clone();
    new[12] = "other".to_owned();
    new.push("last".to_owned());
    let input = serde_json::json!({"path": "a", "edits": [{"oldText": old.join("\n"), "newText": new.join("\n")}]});
    let recorded = serde_json::json!({"messages": [
        {"role": "user", "content": "Edit it."},
        {"role": "assistant", "content": null, "tool_calls": [{"id": "c", "type": "function", "function":
            {"name": "edit", "arguments": input.to_string()}}]},
    ]});
    let mut player = Player::with_text("a.json", recorded.to_string().as_bytes(), usize::MAX, LARGE);
    player.press("c alt-2 Z");
    let first: Vec<String> = shown_lines(&mut player);
    assert_eq!(
        first,
        ["  line 10", "  line 11", "- line 12", "+ other", "  line 13", "  line 14", "  line 15", "  line 16"]
    );
    assert!(player.screen().contains("… 14 more lines: Enter shows all"), "{}", player.screen());
    // Each row is visited in turn, and leads to the line of the file that it comes from.
    let text = |player: &Player| {
        let offset = player.state.view.selection.offset;
        let text = player.state.view.session.text();
        text.read_str(Span::new(offset, offset + 5)).into_owned()
    };
    player.press("j j j j j j j j");
    assert_eq!(text(&player), "line ");
    let copied = player.press("y y");
    let is_old = |text: &str| text.starts_with("line 0") && text.ends_with("line 19") && text.contains("line 12");
    assert!(matches!(&copied[..], [Effect::Run(Task::Copy(copied))] if is_old(&copied.text)), "{copied:?}");
    player.press("j");
    assert_eq!(text(&player), "other");
    player.press("k Enter");
    assert_eq!(shown_lines(&mut player).len(), 22);
    player.press("/other⏎");
    assert_eq!(text(&player), "other");
    // Folded again, from another value than the one at which it was unfolded.
    player.press("Enter");
    assert_eq!(shown_lines(&mut player), first);
}

#[test]
fn prose_ends_at_100_columns_and_output_code_tables_and_paths_do_not() {
    let words = |word: &str| format!("{}end", format!("{word} ").repeat(30));
    let path = format!("/{}end", "folder/".repeat(20));
    let texts = [
        ("thinking", words("think")),
        ("text", words("prose")),
        ("text", words("> quote")),
        ("text", "字".repeat(60)),
        ("text", path.clone()),
        ("text", format!("```\n{}\n```", words("code-"))),
        ("text", format!("| {} | b |\n|---|---|\n| c | d |", words("table"))),
    ];
    let content: Vec<String> =
        texts.iter().map(|(kind, text)| serde_json::json!({"type": kind, *kind: text}).to_string()).collect();
    let call = r#"{"type": "tool_use", "id": "t", "name": "Bash", "input": {"command": "ls"}}"#;
    let result = serde_json::json!({"type": "tool_result", "tool_use_id": "t", "content": words("print")});
    let record = |kind: &str, content: &str| {
        format!(r#"{{"type": "{kind}", "uuid": "{kind}", "message": {{"role": "{kind}", "content": [{content}]}}}}"#)
    };
    let file = [record("assistant", &[&content.join(", "), call].join(", ")), record("user", &result.to_string())];
    let mut player = Player::with_text("a.jsonl", file.join("\n").as_bytes(), usize::MAX, (200, 60));
    player.press("alt-2 Z");
    let screen = player.screen();
    let widest = |word: &str| {
        let rows = screen.lines().filter(|row| row.contains(word));
        rows.map(|row| row.trim_matches(['│', '┃', ' ']).chars().count()).max().unwrap_or_default()
    };
    for (word, is_prose) in [
        ("think", true),
        ("prose", true),
        ("quote", true),
        ("字", true),
        ("folder/", false),
        ("code-", false),
        ("table", false),
        ("print", false),
    ] {
        assert_eq!((20..=102).contains(&widest(word)), is_prose, "{word}: {}\n{screen}", widest(word));
    }
}

#[test]
fn a_turn_that_is_abandoned_later_leaves_its_number_to_its_replacement() {
    let record = |uuid: &str, parent: &str, role: &str| {
        let message = serde_json::json!({"role": role, "content": format!("words of {uuid}")});
        serde_json::json!({"uuid": uuid, "parentUuid": parent, "type": role, "message": message}).to_string() + "\n"
    };
    let text = [record("p1", "", "user"), record("a1", "p1", "assistant"), record("p2", "a1", "user")].concat();
    let mut player = Player::following("a.jsonl", &text, LARGE);
    player.press("& turn:2⏎");
    assert!(player.screen().contains("▾ 2 words of p2"), "{}", player.screen());
    player.arrives(&record("a2", "p2", "assistant"));
    player.arrives(&record("q2", "a1", "user"));
    player.press("");
    let screen = player.screen();
    assert!(screen.contains("▾ 2 words of q2") && !screen.contains("of p2"), "{screen}");
    player.press("Esc g { B");
    let screen = player.screen();
    assert!(screen.contains("▾ abandoned words of p2") && screen.contains("── turn · abandoned"), "{screen}");
    for expected in ["abandoned turn", "turn 2 of 2", "no further turn"] {
        player.press("}");
        assert!(player.status().contains(expected), "{expected}: {}", player.status());
    }
}

/// The visible lines of values.
fn shown_lines(player: &mut Player) -> Vec<String> {
    let line = |row: &str| Some(row.split_once(" ┆ ")?.1.trim_end_matches(['┃', ' ']).to_owned());
    player.screen().lines().filter_map(line).filter(|line| !line.starts_with('…')).collect()
}

#[test]
fn a_match_is_marked_where_colours_are_not_shown() {
    let mut player = player("claude-code/what-tools-say.jsonl", LARGE);
    player.press("/expected⏎ alt-2 Z");
    let buffer = player.frame();
    let current = transcope::tui::style::Role::MatchCurrent;
    let marked: String = buffer
        .content()
        .iter()
        .filter(|cell| cell.bg == ratatui::style::Color::Indexed(current as u8))
        .map(ratatui::buffer::Cell::symbol)
        .collect();
    assert_eq!(marked, "expected", "{}", player.screen());
    // The raw pane has the bytes.
    let mut raw = self::player("claude-code/what-tools-say.jsonl", LARGE);
    raw.press("/expected⏎ alt-3 Z");
    assert!(raw.screen().contains("␛[31m␛[1mAssertionError␛[22m: expected"), "{}", raw.screen());
}

#[test]
fn a_call_leads_to_its_result_and_back() {
    let mut player = player("claude-code/late-ferry.jsonl", LARGE);
    player.press("c c");
    let call = player.state.view.selection.item;
    player.press("r");
    let result = player.state.view.selection.item;
    assert_eq!(player.state.view.session.document().answer_of(call), Some(result));
    player.press("r");
    assert_eq!(player.state.view.selection.item, call);
}

/// A session as one JSON file, which is rewritten with each turn.
fn conversation(messages: &[&str]) -> String {
    format!("{{\"messages\": [{}]}}", messages.join(", "))
}

#[test]
fn a_file_that_is_written_anew_keeps_what_is_selected() {
    let call = r#"{"role": "assistant", "content": "Looking.", "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "ls", "arguments": "{\"path\": \"src\"}"}}]}"#;
    let user = r#"{"role": "user", "content": "Look around."}"#;
    let answer = r#"{"role": "tool", "tool_call_id": "c1", "content": "main.rs"}"#;
    let before = conversation(&[user, call]);
    let after = conversation(&[r#"{"role": "system", "content": "Be brief and exact."}"#, user, call, answer]);
    let mut player = Player::following("chat.json", &before, LARGE);
    player.press("T g c");
    let id = |player: &Player| {
        let session = &player.state.view.session;
        session.document().call(player.state.view.selection.item).map(|call| call.id(session.text()))
    };
    assert_eq!(id(&player).as_deref(), Some("c1"));
    player.source(SourceEvent::Restarted("chat.json was replaced".into()));
    player.screen();
    // In two chunks, so that the place does not exist at first.
    player.arrives(&after[..40]);
    player.screen();
    player.arrives(&after[40..]);
    player.source(SourceEvent::CaughtUp);
    player.screen();
    assert_eq!(player.state.view.session.document().messages().len(), 4);
    // The message has no id and another number now; the call has kept its id.
    assert_eq!(id(&player).as_deref(), Some("c1"), "{:?}", player.state.view.selection);
}

#[test]
fn every_byte_of_a_value_leads_to_its_bytes_in_the_file() {
    let mut compared = 0;
    for name in ["openai-chat/conversation.json", "claude-code/late-ferry.jsonl", "openai-chat-stream/side-by-side.sse"]
    {
        let bytes = sample(&format!("containers/{name}"));
        let session = Session::from_bytes(&bytes);
        for item in session.document().calls() {
            let assembly = session.dissect(item).expect("a call can be taken apart");
            for argument in &assembly.arguments {
                for at in argument.value.start..argument.value.end {
                    let said = session.text().read(Span::new(at, at + 1))[0];
                    let source = session.source_of(Span::new(at, at + 1));
                    // A byte that is not escaped is the same in the file.
                    if source.len() == 1 {
                        assert_eq!(bytes[source.start], said, "{name}: byte {at}");
                        compared += 1;
                    } else {
                        assert_eq!(bytes[source.start], b'\\', "{name}: byte {at} from {source:?}");
                    }
                }
            }
        }
    }
    assert!(compared > 200, "only {compared} bytes were compared");
}

#[test]
fn a_record_that_is_not_whole_waits_and_is_seen_in_the_file() {
    let text = String::from_utf8(sample("containers/claude-code/late-ferry.jsonl")).expect("UTF-8");
    let mut player = Player::following("live.jsonl", &text[..100], LARGE);
    assert!(player.screen().contains("waiting for the rest of the first line"), "{}", player.screen());
    player.arrives(&text[100..700]);
    let session = &player.state.view.session;
    assert_eq!(session.choice().map(|choice| choice.about.name), Some("claude-code"));
    assert!(session.incomplete_record().end == 700 && !session.incomplete_record().is_empty());
}

#[test]
fn what_is_printed_of_recorded_sessions_stays_as_it_is() {
    let ferry = "samples/containers/claude-code/late-ferry.jsonl";
    let wrong = "samples/containers/claude-code/what-goes-wrong.jsonl";
    let tools = "samples/containers/claude-code/what-tools-say.jsonl";
    // Outside the project, where a user may have written notes on them.
    let root = tempfile::tempdir().expect("a folder can be made");
    for path in [ferry, wrong, tools] {
        let copy = root.path().join(path);
        std::fs::create_dir_all(copy.parent().expect("it is in a folder")).expect("a folder can be made");
        std::fs::copy(Path::new(env!("CARGO_MANIFEST_DIR")).join(path), copy).expect("a sample can be copied");
    }
    for (name, arguments) in [
        ("recorded_text_of_tools", &["parse", "--format", "text", tools][..]),
        ("recorded_text", &["parse", "--format", "text", ferry]),
        ("recorded_json", &["parse", ferry]),
        ("recorded_events", &["parse", "--format", "events", ferry]),
        ("recorded_graph", &["graph", ferry]),
        ("recorded_check", &["check", wrong]),
        ("recorded_check_github", &["check", "--format", "github", wrong]),
    ] {
        let run = run_in(root.path(), arguments, &[], b"");
        snapshot::matches("cli", name, &run.stdout);
    }
}

#[test]
fn the_last_result_is_counted_when_nothing_more_comes() {
    let text = sample("containers/claude-code/late-ferry.jsonl");
    let records: Vec<u8> = text.split_inclusive(|&byte| byte == b'\n').take(8).flatten().copied().collect();
    let mut player = Player::with_text("late-ferry.jsonl", &records, usize::MAX, SMALL);
    player.press("#");
    let screen = player.screen();
    let row = screen.lines().find(|line| line.contains("Bash  ")).expect("the tool has a row");
    assert_eq!(row.split_whitespace().nth(5), Some("1"), "it failed: {row}");
}
