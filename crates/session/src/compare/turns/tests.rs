//! Aligns the turns of recorded sessions and their calls.

use serde_json::{Value, json};

use super::*;
use crate::compare::{Comparison, RowKind};

/// A session of an agent. A line is a prompt, or a call with its result: `> Tool key=value: result`; a result that begins
/// with `!` is a failure. The ids are made of `seed`.
fn session(seed: &str, lines: &[&str]) -> Session {
    let mut records = Vec::new();
    for (number, line) in lines.iter().enumerate() {
        let id = format!("{seed}-{number}");
        let mut push = |role: &str, content: Value| {
            let uuid = format!("{id}-{}", records.len());
            records.push(
                json!({"type": role, "sessionId": seed, "uuid": uuid, "message": {"role": role, "content": content}}),
            );
        };
        let Some(call) = line.strip_prefix("> ") else {
            push("user", json!(line));
            continue;
        };
        let (call, result) = call.split_once(": ").unwrap_or((call, ""));
        let (name, argument) = call.split_once(' ').unwrap_or((call, ""));
        let input = argument.split_once('=').map_or_else(|| json!({}), |(key, value)| json!({key: value}));
        push("assistant", json!([{"type": "tool_use", "id": id, "name": name, "input": input}]));
        let (is_error, content) = (result.starts_with('!'), result.trim_start_matches('!'));
        push("user", json!([{"type": "tool_result", "tool_use_id": id, "is_error": is_error, "content": content}]));
    }
    let lines: Vec<String> = records.iter().map(ToString::to_string).collect();
    Session::from_bytes(lines.join("\n").as_bytes())
}

/// The turns and rows of a comparison: `1 1` is a pair of turns, `1 1 prompt` one with different prompts, `-2` a turn
/// of the left side; ` =0 0`, ` ~1 1 argument result`, ` +2` are its calls.
fn outline(comparison: &Comparison) -> Vec<String> {
    let mut lines = Vec::new();
    for pair in &comparison.turns {
        let prompt = if pair.has_same_prompt { "" } else { " prompt" };
        lines.push(match (pair.left, pair.right) {
            (Some(left), Some(right)) => format!("{} {}{prompt}", left.index, right.index),
            (Some(left), None) => format!("-{}", left.index),
            (None, Some(right)) => format!("+{}", right.index),
            (None, None) => "before".to_owned(),
        });
        for row in &comparison.rows[pair.rows.clone()] {
            let differences = row.differences().into_iter().map(<&str>::from).collect::<Vec<_>>().join(" ");
            lines.push(match (row.left, row.right, row.kind()) {
                (Some(left), Some(right), RowKind::Same) => format!(" ={left} {right}"),
                (Some(left), Some(right), _) => format!(" ~{left} {right} {differences}").trim_end().to_owned(),
                (Some(left), ..) => format!(" -{left}"),
                (_, right, _) => format!(" +{}", right.expect("a row has a side")),
            });
        }
    }
    lines
}

#[track_caller]
fn check(left: &[&str], right: &[&str], expected: &[&str]) {
    let comparison = Comparison::of_transcripts(&session("one", left), &session("other", right));
    assert_eq!(outline(&comparison), expected);
    let is_equal = expected.iter().all(|line| !line.contains(['~', '-', '+']) && !line.ends_with("prompt"));
    assert_eq!(comparison.is_equal(), is_equal);
}

#[test]
fn calls_are_paired_by_tool_and_main_argument() {
    let calls = ["Mend it", "> Read path=a.rs: text", "> Bash command=make: done"];
    check(&calls, &calls, &["1 1", " =0 0", " =1 1"]);
    check(&calls, &[calls[0], calls[2], calls[1]], &["1 1", " +0", " =0 1", " -1"]);
    check(&calls, &[calls[0], calls[1], "> Read path=b.rs", calls[2]], &["1 1", " =0 0", " +1", " =1 2"]);
    for (left, right, expected) in [
        ("> Read path=a.rs: text", "> Read path=a.rs: other", " ~0 0 result"),
        ("> Read path=a.rs: text", "> Read path=a.rs: !text", " ~0 0 outcome"),
        ("> Read path=a.rs: text", "> Read path=b.rs: other", " ~0 0 argument result"),
        ("> Bash command=make: x", "> shell command=make: x", " ~0 0 tool"),
        ("> Bash command=make: x", "> Bash script=make: x", " ~0 0 argument"),
    ] {
        check(&["Mend it", left], &["Mend it", right], &["1 1", expected]);
    }
    check(&["Mend it", "> Read path=a.rs"], &["Mend it", "> Bash command=make"], &["1 1", " -0", " +0"]);
}

#[test]
fn turns_are_paired_by_their_prompts() {
    let call = "> Bash command=make: done";
    check(&["one", "two", call], &["one", "two", call], &["1 1", "2 2", " =0 0"]);
    check(&["one", "two", call], &["one", call], &["1 1", " +0", "-2", " -0"]);
    check(&["one", "three", call], &["one", "two", "three", call], &["1 1", "+2", "2 3", " =0 0"]);
    let (long, like) = ("please mend the broken gate of the lock", "please mend the broken gate of this lock");
    check(&["one", "two", long], &["one", like, "four"], &["1 1", "-2", "3 2 prompt", "+3"]);
    // Equal work, and the task of the whole session.
    check(&["one", "go on", call], &["one", "continue", call], &["1 1", "2 2 prompt", " =0 0"]);
    check(&["do it well", "two"], &["mend that", "two"], &["1 1 prompt", "2 2"]);
}

#[test]
fn a_text_without_turns_is_compared_as_a_whole() {
    let text = Session::from_bytes(b"!!!GADGET_START:A:a\n!!!GADGET_END\n");
    for (left, right) in [(&text, &text), (&text, &session("one", &["Mend it"]))] {
        assert_eq!(Comparison::of_transcripts(left, right).turns, []);
    }
}

/// A quadratic search would take too long here.
#[test]
fn many_turns_in_another_order_are_aligned() {
    let lines: Vec<String> =
        (0..3000).flat_map(|n| [format!("prompt {n}"), format!("> Bash command=make-{n}: done")]).collect();
    let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
    let backwards: Vec<&str> = lines.chunks(2).rev().flatten().copied().collect();
    let comparison = Comparison::of_transcripts(&session("one", &lines), &session("other", &backwards));
    for column in [
        comparison.rows.iter().filter_map(|row| row.left).collect::<Vec<_>>(),
        comparison.rows.iter().filter_map(|row| row.right).collect(),
    ] {
        assert!(column.iter().copied().eq(0..3000), "every call is there once, in its order");
    }
    let ends = comparison.turns.iter().map(|turn| turn.rows.end);
    assert!(comparison.turns.iter().map(|turn| turn.rows.start).skip(1).eq(ends.take(comparison.turns.len() - 1)));
}
