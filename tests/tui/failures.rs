//! Failed calls on the screen: a single mark, the line with the reason, and the keys that lead to them.

use ratatui::buffer::Buffer;
use ratatui::style::{Color, Modifier};
use transcope::source::SourceEvent;
use transcope::source::command::Exit;
use transcope::tui::style::Role;
use transcope::tui::view::origin::SourceState;

use super::player::Player;
use super::shown::text_of;
use super::{LARGE, SMALL, sample};

fn tools(keys: &str) -> Player {
    let text = sample("containers/claude-code/what-tools-say.jsonl");
    let mut player = Player::with_text("what-tools-say.jsonl", &text, usize::MAX, LARGE);
    player.press(keys);
    player
}

/// Colours and modifiers of the cells at the first occurrence of `words` right of `column`.
fn look(buffer: &Buffer, words: &str, column: u16) -> (Color, Modifier, Color) {
    let area = buffer.area;
    for y in 0..area.height {
        let line: Vec<&str> = (column..area.width).map(|x| buffer[(x, y)].symbol()).collect();
        if let Some(byte) = line.concat().find(words) {
            let x = column + line.concat()[..byte].chars().count() as u16;
            let cell = &buffer[(x, y)];
            return (cell.fg, cell.modifier, cell.underline_color);
        }
    }
    panic!("{words:?} is not on\n{}", text_of(buffer));
}

#[test]
fn a_failed_call_has_one_mark_wherever_it_is_shown() {
    let mut player = tools("e");
    let screen = player.screen();
    assert!(!screen.contains('▪'), "{screen}");
    for words in ["✗ 1 failed", "✗ failed", "✗ line 3", " ✗ turn 1 · Bash failed: AssertionError: expected 6"]
    {
        assert!(screen.contains(words), "{words:?} is not on\n{screen}");
    }
    player.press("a");
    assert!(player.screen().contains("failed      ✗ Bash failed"), "{}", player.screen());
}

#[test]
fn j_goes_to_failed_calls_as_to_errors() {
    let mut player = tools("J");
    assert!(player.status().contains("1/1 ✗ turn 1 · Bash failed: AssertionError: expected 6"), "{}", player.status());
    assert!(player.state.view.selection.problem.is_some());
}

#[test]
fn the_line_that_says_why_a_call_failed_is_neither_dim_nor_underlined() {
    for (keys, words) in
        [("e alt-3 Z", "AssertionError"), ("e R alt-3 Z", "AssertionError"), ("e alt-2 Z", "AssertionError: exp")]
    {
        let frame = tools(keys).frame();
        let (colour, modifier, underline) = look(&frame, words, 0);
        assert_eq!(colour, Color::Indexed(Role::Error as u8), "{keys}\n{}", text_of(&frame));
        assert!(!modifier.intersects(Modifier::DIM | Modifier::UNDERLINED), "{keys}: {modifier:?}");
        assert_eq!(underline, Color::Reset, "{keys}");
    }
}

#[test]
fn a_filter_for_the_selection_names_others_that_fit() {
    for (keys, expected) in [
        ("e \\", " filter: failed  ↓ tool:Bash  arg:command=\"npm test -- timetable\""),
        ("e \\ Down", " filter: tool:Bash  ↓ arg:command=\"npm test -- timetable\"  failed"),
        ("e \\ Up", " filter: arg:command=\"npm test -- timetable\"  ↓ failed  tool:Bash"),
        ("e \\ Down Enter", "filter: tool:Bash  "),
    ] {
        let mut player = tools(keys);
        assert!(player.status().contains(expected), "{keys}: {}", player.status());
    }
    let text = sample("containers/claude-code/late-ferry.jsonl");
    let mut player = Player::with_text("late-ferry.jsonl", &text, usize::MAX, LARGE);
    player.press("c \\");
    let status = player.status();
    assert!(status.contains("filter: tool:Read  ↓ arg:file_path=/home/ana/ferry/src/clock.py"), "{status}");
}

#[test]
fn a_command_that_failed_is_red_in_the_title_for_good() {
    for (exit, words) in [(Exit::Status(3), "exited with status 3"), (Exit::Signal(9), "was killed by signal 9 (kill)")]
    {
        let mut player = Player::new("make test", LARGE);
        player.state.view.origin.command = Some(SourceState::Running);
        player.arrives("all is well\n");
        player.source(SourceEvent::Exited(exit));
        player.source(SourceEvent::End);
        player.press("j c j");
        let frame = player.frame();
        let screen = text_of(&frame);
        let title = screen.lines().next().expect("a title");
        assert!(title.contains(words) && !title.contains("no problems"), "{title}");
        assert_eq!(look(&frame, words, 0).0, Color::Indexed(Role::Error as u8));
    }
    let mut player = Player::new("make test", LARGE);
    player.state.view.origin.command = Some(SourceState::Running);
    player.arrives("all is well\n");
    player.source(SourceEvent::Exited(Exit::Status(0)));
    player.source(SourceEvent::End);
    assert!(player.screen().lines().next().is_some_and(|title| title.contains("no problems")));
}

#[test]
fn the_counts_of_the_title_take_clicks() {
    for (words, expected) in [("failed", "1/1 ✗ turn 1 · Bash failed"), ("hint", "1/"), ("calls", "its result")] {
        let mut player = tools("");
        let title = player.screen().lines().next().expect("a title").to_owned();
        let Some(byte) = title.rfind(words) else { continue };
        player.click(title[..byte].chars().count() as u16, 0);
        assert!(player.status().contains(expected), "{words}: {}\n{title}", player.status());
    }
    let text = sample("demo.txt");
    let mut player = Player::with_text("demo.txt", &text, usize::MAX, LARGE);
    for (words, expected) in
        [("errors", "/3 error:"), ("warnings", "/6 warning:"), ("skipped", "skipped by the runtime")]
    {
        player.click_on(words, 40..120);
        assert!(player.screen().contains(expected), "{words}\n{}", player.screen());
    }
}

/// A session of Claude Code made of records: prompts, refused answers, calls and results.
fn session(records: &[&str]) -> String {
    let line = |(number, record): (usize, &&str)| {
        let (role, content) = record.split_once(' ').expect("a role and what is said");
        let message = match role {
            "user" | "assistant" => format!(r#"{{"role":"{role}","content":"{content}"}}"#),
            "refuses" => format!(r#"{{"role":"assistant","stop_reason":"refusal","content":"{content}"}}"#),
            "calls" => format!(
                r#"{{"role":"assistant","content":[{{"type":"tool_use","id":"{content}","name":"Bash","input":{{}}}}]}}"#
            ),
            _ => format!(
                r#"{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"{content}","content":"no such pier","is_error":true}}]}}"#
            ),
        };
        let role = if matches!(role, "user" | "fails") { "user" } else { "assistant" };
        format!("{{\"type\":\"{role}\",\"sessionId\":\"s\",\"uuid\":\"u{number}\",\"message\":{message}}}\n")
    };
    records.iter().enumerate().map(line).collect()
}

#[test]
fn problems_begin_with_the_first_one_when_earlier_ones_are_found_at_the_end() {
    let text = session(&[
        "user One?",
        "calls a",
        "fails a",
        "calls b",
        "fails b",
        "refuses No.",
        "user Two?",
        "calls c",
        "fails c",
    ]);
    for size in [SMALL, LARGE] {
        let mut player = Player::new("piers.jsonl", size);
        player.source(SourceEvent::Chunk(text.clone().into_bytes()));
        player.frame();
        player.source(SourceEvent::End);
        let screen = player.screen();
        let rows: Vec<&str> = screen.lines().skip_while(|line| !line.contains("Problems")).collect();
        assert!(rows[1].contains("✗ line 3 "), "{screen}");
    }
}

#[test]
fn problems_take_no_more_rows_than_there_are() {
    let one = session(&["user One?", "calls a", "fails a", "assistant No."]);
    for size in [SMALL, LARGE] {
        let screen = Player::with_text("piers.jsonl", one.as_bytes(), usize::MAX, size).screen();
        let rows = screen.lines().skip_while(|line| !line.contains("Failed 1")).count();
        // Two rows of the border, one of the call, and the line at the bottom.
        assert_eq!(rows, 4, "{screen}");
    }
}

#[test]
fn unanswered_calls_are_counted_once_and_e_leads_to_each() {
    for (records, header, problems, row) in [
        (&["user One?", "calls a", "fails a", "user Two?", "calls b"][..], "? 1 unanswered", 2, "? unanswered"),
        (&["user One?", "calls a", "user Two?", "calls b", "fails b"], "? 1 unanswered", 2, "? unanswered"),
        (&["user One?", "calls a", "user Two?", "assistant Yes."], "? 1 unanswered", 1, "? unanswered"),
    ] {
        let mut player = Player::with_text("piers.jsonl", session(records).as_bytes(), usize::MAX, LARGE);
        let screen = player.screen();
        let title = screen.lines().next().unwrap_or_default();
        assert!(title.contains(header) && !title.contains('!') && screen.contains(row), "{screen}");
        let unanswered = (0..problems).filter(|_| {
            player.press("e");
            player.status().contains(" ? turn ")
        });
        assert_eq!(unanswered.count(), 1, "{screen}");
    }
}

#[test]
fn the_end_and_the_beginning_under_a_filter_are_items_that_it_leaves() {
    let text = session(&[
        "user One?",
        "calls a",
        "fails a",
        "user Two?",
        "calls b",
        "fails b",
        "user Three?",
        "assistant No.",
    ]);
    for pane in ["", "alt-1"] {
        let mut player = Player::with_text("piers.jsonl", text.as_bytes(), usize::MAX, LARGE);
        player.press("&turn:2⏎");
        player.press(pane);
        for (key, turn) in [("G", 2), ("g", 2)] {
            player.press(key);
            let view = &player.state.view;
            assert!(!view.is_filtered_out(view.selection.item), "{key}: {}", player.screen());
            assert_eq!(view.turn_at(view.selection.offset).map(|turn| turn.number), Some(turn), "{key}");
        }
    }
}

#[test]
fn a_turn_under_a_filter_counts_what_the_filter_leaves() {
    let text = session(&["user One?", "calls a", "fails a", "calls b", "fails b", "assistant No."]);
    let mut player = Player::with_text("piers.jsonl", text.as_bytes(), usize::MAX, LARGE);
    player.press("&id:a⏎");
    let screen = player.screen();
    assert!(screen.contains("1 call") && !screen.contains("✗ 2  ") && !screen.contains("1 call  ✗ 2"), "{screen}");
}

#[test]
fn turn_and_a_number_lead_to_that_turn() {
    let text = session(&["user One?", "assistant Yes.", "user Two?", "assistant No.", "user Three?", "assistant Yes."]);
    for (keys, expected) in [
        (":turn␣2⏎", "turn 2 of 3"),
        ("ctrl-p turn␣3⏎", "turn 3 of 3"),
        (":turn␣4⏎", "no turn 4: the session has 3 turns"),
    ] {
        let mut player = Player::with_text("piers.jsonl", text.as_bytes(), usize::MAX, LARGE);
        player.press(keys);
        assert!(player.status().contains(expected), "{keys}: {}", player.screen());
    }
}

#[test]
fn a_time_leads_to_what_happened_then() {
    let ferry = sample("containers/claude-code/late-ferry.jsonl");
    let day = |day: usize| {
        let message = r#"{"role":"user","content":"One?"}"#;
        format!(
            "{{\"type\":\"user\",\"uuid\":\"u{day}\",\"timestamp\":\"2026-01-0{day}T10:00:00Z\",\"message\":{message}}}\n"
        )
    };
    let (days, untimed) = (format!("{}{}", day(1), day(2)), session(&["user One?", "assistant Yes."]));
    for (text, typed, moment, expected) in [
        (&*ferry, "0s", "10:00:01", ""),
        (&ferry, "5s", "10:00:06", ""),
        (&ferry, "10:00:08", "10:00:08", ""),
        (&ferry, "2025-06-14T10:00:13", "10:00:13", ""),
        (&ferry, "9h", "10:00:15", "the session ends before: at 2025-06-14 10:00:15 UTC, 14.0 s after its beginning"),
        (&ferry, "soon", "10:00:01", "not a time: \"soon\"; write how long after the beginning (5m, 1h05m)"),
        (untimed.as_bytes(), "5m", "", "the file states no time; go to a turn (turn 3), a line (30:8) or 50%"),
        (days.as_bytes(), "10:00", "10:00:00", "several days; write @2026-01-01T10:00:00Z or @2026-01-02T10:00:00Z"),
    ] {
        let mut player = Player::with_text("a.jsonl", text, usize::MAX, (200, 60));
        player.press(&format!("g :@{typed}⏎"));
        let view = &player.state.view;
        let found = view.session.document().moment_at(view.selection.offset).map(|moment| moment.to_string());
        assert!(found.clone().unwrap_or_default().contains(moment), "{typed}: {found:?} {}", player.screen());
        assert!(player.status().contains(expected), "{typed}: {}", player.screen());
    }
}

#[test]
fn tokens_and_cost_are_shown_before_the_whole_title() {
    let usage = r#""usage":{"input_tokens":900,"output_tokens":100},"#;
    let prompt = "user Which of the piers is closed on Mondays, and since when has that been the case?";
    let text = session(&[prompt, "calls a", "fails a", "calls b", "fails b", "assistant None."]);
    let text = text.replacen(
        r#""message":{"role":"assistant","#,
        &format!(r#""message":{{"id":"m",{usage}"role":"assistant","#),
        1,
    );
    for size in [SMALL, (100, 30), LARGE] {
        let screen = Player::with_text("piers.jsonl", text.as_bytes(), usize::MAX, size).screen();
        let title = screen.lines().next().unwrap_or_default();
        assert!(title.contains("2 calls · ≥1.0k tokens · ✗ 2"), "{size:?}: {title}");
    }
}

#[test]
fn records_of_an_unknown_format_are_named_so_and_get_no_verdict() {
    let text = r#"{"type":"pier.start","data":{"sessionId":"p"}}
{"type":"pier.error","data":{"message":"HTTP 400"}}
"#;
    for size in [SMALL, LARGE] {
        let name = "harbour__fixtures__agents__sessions__of__the__pier__and__the__ferry__small__.jsonl";
        let mut player = Player::with_text(name, text.as_bytes(), usize::MAX, size);
        let screen = player.screen();
        assert!(
            screen.contains("── unknown format: read as plain text") && !screen.contains("no problems"),
            "{screen}"
        );
        player.press("e");
        assert!(player.status().contains("unknown format"), "{}", player.status());
    }
}

#[test]
fn details_of_a_failed_call_show_turn_command_and_output_before_the_rule() {
    let mut player = tools("e a Z");
    let screen = player.screen();
    let rows: Vec<usize> = ["turn  ", "call  ", "output  ", "code  ", "why  "]
        .iter()
        .filter_map(|label| screen.lines().position(|line| line.trim_start_matches('┃').starts_with(label)))
        .collect();
    assert!(rows.len() == 5 && rows.is_sorted() && screen.contains("Bash  npm test -- timetable"), "{screen}");
}

#[test]
fn a_line_that_is_quoted_in_part_ends_with_an_ellipsis() {
    let long = "error: the pier must match exactly including all white space ".repeat(4);
    let text = session(&["user One?", "calls a", "fails a"]).replace("no such pier", &long);
    let player = Player::with_text("piers.jsonl", text.as_bytes(), usize::MAX, LARGE);
    let document = player.state.view.session.document();
    let message = document.diagnostics().get(0).expect("the call failed").message;
    assert!(message.ends_with('…'), "{message}");
    let short = session(&["user One?", "calls a", "fails a"]);
    let player = Player::with_text("piers.jsonl", short.as_bytes(), usize::MAX, LARGE);
    let message = player.state.view.session.document().diagnostics().get(0).expect("the call failed").message;
    assert_eq!(message, "Bash failed: no such pier");
}
