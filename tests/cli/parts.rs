//! `--turns` and `--range`: each command with a part of a session, and with files that have no turns or no times.

use std::fs;

use super::run_in;

/// A session of three turns, at 10:00, 10:10 and 10:20, each with a call that takes two seconds.
fn session(last: &str) -> String {
    let mut lines = Vec::new();
    for (turn, (prompt, tool, input)) in [
        ("Read the plan", "Read", r#"{"file_path":"plan.md"}"#),
        ("Run the tests", "Bash", r#"{"command":"make test"}"#),
        ("Write the notes", "Write", last),
    ]
    .into_iter()
    .enumerate()
    {
        let time = |second: usize| format!("2026-03-01T10:{:02}:{second:02}Z", turn * 10);
        let message = |kind: &str, second: usize, content: &str| {
            format!(
                r#"{{"type":"{kind}","sessionId":"s","uuid":"{turn}-{second}","timestamp":"{}","message":{{"role":"{kind}","content":{content}}}}}"#,
                time(second)
            )
        };
        lines.push(message("user", 0, &format!("{prompt:?}")));
        let call = format!(r#"[{{"type":"tool_use","id":"t{turn}","name":"{tool}","input":{input}}}]"#);
        lines.push(message("assistant", 1, &call));
        let result = format!(r#"[{{"type":"tool_result","tool_use_id":"t{turn}","content":"done"}}]"#);
        lines.push(message("user", 3, &result));
        lines.push(message("assistant", 4, r#""That is all.""#));
    }
    lines.join("\n") + "\n"
}

/// A conversation without times whose model writes its calls as text.
const CHAT: &str = r#"{"model":"m","messages":[
{"role":"system","content":"Be brief."},
{"role":"user","content":"Where am I?"},
{"role":"assistant","content":"<tool_call>\n{\"name\": \"place\", \"arguments\": {}}\n</tool_call>"},
{"role":"user","content":"And the weather?"},
{"role":"assistant","content":"<tool_call>\n{\"name\": \"weather\", \"arguments\": {\"at\": \"pier\"}}\n</tool_call>"}]}"#;

const TEMPLATE: &str = "{% for m in messages %}[{{ m.role }}] {{ m.content }}\n{% endfor %}";

fn run(arguments: &str) -> (i32, String, String) {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).expect("a file can be made");
    write("a.jsonl", &session(r#"{"file_path":"notes.md","content":"one"}"#));
    write("b.jsonl", &session(r#"{"file_path":"notes.md","content":"two"}"#));
    write("chat.json", CHAT);
    write("chat.jinja", TEMPLATE);
    write("plain.txt", "!!!GADGET_START:Greet\n!!!ARG:name\nAda\n!!!GADGET_END\n");
    let arguments: Vec<&str> = arguments.split(' ').collect();
    run_in(folder.path(), &arguments, &[], b"").parts()
}

#[test]
fn each_command_takes_a_part_of_a_session() {
    for (arguments, code, has, lacks) in [
        ("diff a.jsonl b.jsonl", 1, "parameter content", "nothing"),
        ("diff --turns 3 a.jsonl b.jsonl", 1, "--- a.jsonl  filter: turn:3 (1 of 3 calls)", "Read plan.md"),
        ("diff --turns -2 a.jsonl b.jsonl", 0, "2 same, 0 changed, 0 only left, 0 only right", "Write"),
        ("diff --range ..10:15 a.jsonl b.jsonl", 0, "turn 2: Run the tests", "turn 3"),
        ("diff --turns last --format json a.jsonl b.jsonl", 1, "\"filter\":\"turn:last\"", "\"session\":"),
        ("graph --turns 2 a.jsonl", 0, "t1  Bash", "Read"),
        ("graph --turns 2 --format json a.jsonl", 0, "\"filter\":\"turn:2\",\"waves\":[[\"t1\"]]", "t2"),
        ("graph --turns 2- --format dot a.jsonl", 0, "Write", "Read"),
        ("graph --turns 2- --format mermaid a.jsonl", 0, "Write", "Read"),
        ("grep --turns 2-3 is:call a.jsonl", 0, "call Write", "call Read"),
        ("grep --range 5m..15m is:call a.jsonl", 0, "call Bash", "call Write"),
        ("convert --to hermes --turns 2 a.jsonl", 0, "\"make test\"", "plan.md"),
        ("cost --turns 2 --format json a.jsonl", 0, "\"calls\": 1,", "\"calls\": 3"),
        ("lens --turns 2 chat.json", 0, "weather", "Where am I"),
        ("template render --messages chat.json --turns 2 chat.jinja", 0, "[system] Be brief.\n[user] And", "Where"),
        ("template render --messages a.jsonl --range 9m..11m chat.jinja", 0, "Run the tests", "plan"),
        ("stats --turns 2 --by tool a.jsonl", 0, "Bash", "Read"),
    ] {
        let (found, out, errors) = run(arguments);
        let words = format!("{arguments}\n--- stdout\n{out}\n--- stderr\n{errors}");
        assert_eq!(found, code, "{words}");
        assert!(out.contains(has) && !out.contains(lacks), "{words}");
    }
}

#[test]
fn a_file_without_turns_or_times_or_this_part_is_named_with_the_option() {
    let no_turns = "error: plain.txt has no turns, which --turns selects by; name a recorded session";
    let no_times = "error: chat.json states no times, which --range selects by; use --turns or --filter";
    let beyond = "error: --turns 7: a.jsonl has only 3 turns";
    let later = "error: --range 5h..: a.jsonl has nothing in this time; it lasts from 2026-03-01T10:00:00 to 2026-03-01T10:20:04";
    for (arguments, code, expected) in [
        ("parse --turns 1 plain.txt", 2, no_turns),
        ("parse --format ndjson --turns 1 plain.txt", 2, no_turns),
        ("export --to markdown --turns 1 plain.txt", 2, no_turns),
        ("check --turns 1 plain.txt a.jsonl", 2, no_turns),
        ("grep --turns 1 is:call plain.txt a.jsonl", 2, no_turns),
        ("diff --turns 1 a.jsonl plain.txt", 2, no_turns),
        ("diff --turns 1 . .", 2, "error: --turns and --range compare parts of two files"),
        ("graph --turns 1 plain.txt", 2, no_turns),
        ("cost --turns 1 plain.txt", 2, no_turns),
        ("convert --to hermes --turns 1 plain.txt", 2, no_turns),
        ("lens --turns 1 plain.txt", 2, no_turns),
        ("template render --messages plain.txt --turns 1 chat.jinja", 2, no_turns),
        ("template render --turns 1 chat.jinja", 2, "--messages <FILE>"),
        ("parse --range 1m.. chat.json", 2, no_times),
        ("diff --range 1m.. a.jsonl chat.json", 2, no_times),
        ("export --to html --turns 7 a.jsonl", 2, beyond),
        ("graph --turns 7 a.jsonl", 2, beyond),
        ("graph --turns 7-9 a.jsonl", 2, "error: --turns 7-9: a.jsonl has only 3 turns"),
        ("convert --to hermes --range 5h.. a.jsonl", 2, later),
        ("parse --range 5h.. --filter failed a.jsonl", 2, later),
        ("lens --turns x plain.txt", 2, "error: --turns \"x\": write 3, 3-7, 3-, -7 or last"),
        ("stats --turns 1 plain.txt a.jsonl", 0, "plain.txt, which has no turns; leave out --turns"),
        ("stats --range 1m.. chat.json", 0, "chat.json, which states no times; leave out --range"),
        ("index -o out --turns 1 plain.txt", 0, "plain.txt, which has no turns; leave out --turns"),
    ] {
        let (found, out, errors) = run(arguments);
        assert_eq!(found, code, "{arguments}\n{out}\n{errors}");
        assert!(errors.contains(expected), "{arguments}\n{errors}");
    }
    assert_eq!(
        run("parse --turns 2 --filter failed --format text a.jsonl").0,
        0,
        "nothing failed, and that is a valid answer"
    );
}
