//! `transcope diff`: the real binary, its exit codes and output.

use std::fs;

use serde_json::Value;

use super::run_in;

const LEFT: &str = "One.\n!!!GADGET_START:Read:r_1\n!!!ARG:path\na.txt\n!!!GADGET_END\n!!!GADGET_START:Send:s_1\n!!!ARG:to\nada\n!!!ARG:times\n1\n!!!GADGET_END\n```\n!!!GADGET_START:Quoted:q_1\n!!!GADGET_END\n```\n";

/// Runs `diff` with arguments in a folder with two transcripts; exit code, standard output and standard error.
fn diff(arguments: &[&str]) -> (i32, String, String) {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let right = LEFT.replace("ada", "eve\u{1b}[31m").replace("One.", "One.\nTwo.") + "^^^run\n^^^\n";
    let schema =
        r#"{"Send": {"type": "object", "properties": {"times": {"type": "string"}}, "required": ["subject"]}}"#;
    for (name, text) in [("a.txt", LEFT), ("b.txt", &right), ("tools.json", schema)] {
        fs::write(folder.path().join(name), text).expect("a file can be made");
    }
    run_in(folder.path(), &[&["diff"], arguments].concat(), &[], b"").parts()
}

#[test]
fn two_transcripts_are_shown_as_rows_of_calls() {
    let (code, out, _) = diff(&["a.txt", "b.txt"]);
    let rows = "--- a.txt\n+++ b.txt\n  Read r_1, line 2 → 3\n~ Send s_1, line 6 → 7\n    parameter to: \"ada\" → \"eve\\u001b[31m\"\n  Quoted q_1, line 13 → 14\n+ run tool-1-1, line 17\n";
    assert!(out.starts_with(rows), "{out}");
    assert!(out.ends_with("2 same, 1 changed, 0 only left, 1 only right; problems: 0 gone, 0 new\n"), "{out}");
    assert_eq!(code, 1);
    assert_eq!(diff(&["a.txt", "a.txt"]).0, 0);
}

#[test]
fn one_transcript_is_compared_under_two_settings() {
    let cases: &[(&[&str], &str)] = &[
        (&["b.txt", "--with-dialect", "gadget"], "- run tool-1-1, line 17\n"),
        (&["b.txt", "--dialect", "caret", "--with-dialect", "auto"], "+ Send s_1, line 7\n"),
        (&["a.txt", "--with-examples", "prose"], "- Quoted q_1, line 13\n"),
        (&["a.txt", "--with-start-prefix", "<<<"], "- Send s_1, line 6\n"),
        (&["a.txt", "--with-schema", "tools.json"], "    parameter times: 1 → \"1\"\n"),
    ];
    for (arguments, expected) in cases {
        let (code, out, errors) = diff(arguments);
        assert!(out.contains(expected), "{arguments:?}: {out}{errors}");
        assert_eq!(code, 1, "{arguments:?}");
    }
    assert_eq!(diff(&["a.txt", "--with-dialect", "gadget"]).0, 0);
}

#[test]
fn the_json_has_the_same_rows_with_their_values() {
    let (code, out, _) = diff(&["--format", "json", "a.txt", "b.txt"]);
    let json: Value = serde_json::from_str(&out).expect("it is JSON");
    assert_eq!((code, &json["equal"], &json["changed"]), (1, &Value::from(false), &Value::from(1)));
    let change = &json["rows"][1]["changes"][0];
    assert_eq!((&change["part"], &change["path"], &change["old"]), (&"parameter".into(), &"to".into(), &"ada".into()));
    assert_eq!((&json["rows"][3]["kind"], &json["rows"][3]["left"]), (&"right".into(), &Value::Null));
}

#[test]
fn what_cannot_be_compared_is_said_in_one_line() {
    for (arguments, expected) in [
        (&["--screen", "a.txt"][..], "--screen needs a terminal"),
        (&["a.txt", "none.txt"], "could not open none.txt: no such file"),
        (&["a.txt", "--with-dialect", "nothing"], "unknown dialect \"nothing\""),
        (&["-", "-"], "standard input can only be read once"),
    ] {
        let (code, out, errors) = diff(arguments);
        assert_eq!((code, out.as_str(), errors.lines().count()), (2, "", 1), "{arguments:?}: {errors}");
        assert!(errors.contains(expected), "{arguments:?}: {errors}");
    }
}

/// A call of a session: tool, arguments, whether it failed.
type SessionCall = (&'static str, &'static str, bool);

const READ: SessionCall = ("Read", r#"{"file_path":"a.rs"}"#, false);
const LIST: SessionCall = ("Glob", r#"{"pattern":"*"}"#, false);
const TEST: SessionCall = ("Bash", r#"{"command":"make"}"#, false);
const FAILED_TEST: SessionCall = ("Bash", r#"{"command":"make"}"#, true);

/// A recorded session with a prompt, calls with their results, and a second prompt.
fn recorded(id: &str, prompt: &str, calls: &[SessionCall]) -> String {
    let record = |role: &str, second: u32, content: &str| {
        format!(
            r#"{{"type":"{role}","sessionId":"{id}","uuid":"{id}{second}","timestamp":"2026-05-04T10:00:{second:02}Z","message":{{"role":"{role}","content":{content}}}}}"#
        ) + "\n"
    };
    let mut text = record("user", 0, &format!("\"{prompt}\""));
    for (at, (tool, input, is_error)) in (1..).zip(calls) {
        let call = format!(r#"[{{"type":"tool_use","id":"{id}{at}","name":"{tool}","input":{input}}}]"#);
        let result =
            format!(r#"[{{"type":"tool_result","tool_use_id":"{id}{at}","is_error":{is_error},"content":"told"}}]"#);
        text += &record("assistant", 2 * at, &call);
        text += &record("user", 2 * at + 1, &result);
    }
    text + &record("user", 30, r#""Thanks""#)
}

/// Runs `diff` in a folder with these files, whose folders exist.
fn diff_of(files: &[(&str, impl AsRef<[u8]>)], arguments: &[&str]) -> (i32, String, String) {
    let folder = tempfile::tempdir().expect("a folder can be made");
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().expect("it is in the folder")).expect("a folder can be made");
        fs::write(path, text).expect("a file can be made");
    }
    run_in(folder.path(), &[&["diff"], arguments].concat(), &[], b"").parts()
}

/// Runs `diff` on two sessions that do the same task under two prompts, one in three calls, with other ids.
fn diff_of_sessions(arguments: &[&str]) -> (i32, String, String) {
    let files = [
        ("a.jsonl", recorded("s", "Mend it", &[READ, FAILED_TEST])),
        ("b.jsonl", recorded("t", "Repair it", &[READ, LIST, TEST])),
    ];
    diff_of(&files, arguments)
}

#[test]
fn sessions_are_compared_turn_by_turn_without_ids() {
    let (code, out, _) = diff_of_sessions(&["a.jsonl", "b.jsonl"]);
    let expected = "\
--- a.jsonl
+++ b.jsonl
     turns  calls  failed  duration
---      2      2       1    30.0 s
+++      2      3            30.0 s
~ turn 1: Mend it → Repair it
    2 calls, 1 failed, 5.0 s → 3 calls, 7.0 s
  Read a.rs, line 2
+ Glob *, line 4
~ Bash make, line 4 → 6
    outcome verdict: \"failed\" → (none)
  turn 2: Thanks
    0 calls
- note[tool-failed] Bash failed: told, line 5
1 same, 1 changed, 0 only left, 1 only right; problems: 1 gone, 0 new
";
    assert_eq!((code, out.as_str()), (1, expected));
    assert_eq!(diff_of_sessions(&["a.jsonl", "a.jsonl"]).0, 0);
    let (_, out, _) = diff_of_sessions(&["--format", "json", "a.jsonl", "b.jsonl"]);
    let json: Value = serde_json::from_str(&out).expect("it is JSON");
    let (rows, turns) = (&json["rows"], &json["turns"]);
    assert_eq!((&turns[0]["same_prompt"], &turns[0]["rows"]), (&false.into(), &serde_json::json!([0, 3])));
    assert_eq!(
        (&rows[2]["differences"], &rows[2]["left"]["outcome"]),
        (&serde_json::json!(["outcome"]), &"failed".into())
    );
    assert_eq!((&rows[1]["right"]["main_argument"], &json["right"]["session"]["calls"]), (&"*".into(), &3.into()));
    assert_eq!(turns[0]["right"].get("usage"), None, "tokens that no record states are absent");
}

/// Runs `diff` on two folders of runs: two with the same name, two with the same prompt, two alone, and one file that
/// records nothing.
fn diff_of_folders(arguments: &[&str]) -> (i32, String, String) {
    let files = [
        ("old/clock.jsonl", recorded("a", "Mend the clock", &[READ, FAILED_TEST])),
        ("old/deep/0f.jsonl", recorded("b", "Paint the gate", &[LIST])),
        ("old/gone.jsonl", recorded("c", "Sink the boat", &[READ])),
        ("old/notes.txt", LEFT.to_owned()),
        ("new/clock.jsonl", recorded("d", "Mend the clock now", &[READ, LIST, TEST])),
        ("new/deep/1e.jsonl", recorded("e", "Paint the gate", &[LIST])),
        ("new/more.jsonl", recorded("f", "Ring the bell", &[TEST])),
        ("new/notes.md", LEFT.replace("ada", "eve")),
    ];
    diff_of(&files, arguments)
}

#[test]
fn two_folders_are_compared_run_by_run() {
    let expected = "\
--- old
+++ new
  run            turns  calls  failed  warnings  duration       bad ending
~ clock.jsonl        2  2 → 3   1 → 0         0    30.0 s  failed-call → –
  deep/0f.jsonl      2      1       0         0    30.0 s                –
- gone.jsonl         2      1       0         0    30.0 s                –
~ notes.txt          –      3       0         1         –                –
+ more.jsonl         2      1       0         0    30.0 s                –
  sum                4  6 → 7   1 → 0         1    1m 00s            1 → 0
  median             2  2 → 3       0         0    30.0 s                0
  less, more      0, 0   0, 1    1, 0      0, 0      0, 0             1, 0
3 pairs, 1 equal, 1 only left, 1 only right
";
    let (code, out, errors) = diff_of_folders(&["old", "new"]);
    assert_eq!((code, out.as_str(), errors.as_str()), (1, expected, ""));
    let (code, out, _) = diff_of_folders(&["old", "old"]);
    assert!(code == 0 && out.ends_with("4 pairs, 4 equal, 0 only left, 0 only right\n"), "{code}: {out}");
}

#[test]
fn the_pairs_of_two_folders_are_json_and_csv() {
    let json: Value =
        serde_json::from_str(&diff_of_folders(&["--format", "json", "old", "new"]).1).expect("it is JSON");
    let of = |key: &str| json["pairs"].as_array().expect("a list").iter().map(|pair| pair[key].clone()).collect();
    let [kinds, reasons]: [Vec<Value>; 2] = ["kind", "paired_by"].map(of);
    assert_eq!(kinds, ["changed", "same", "left", "changed", "right"]);
    assert_eq!(reasons, ["name".into(), "prompt".into(), Value::Null, "name".into(), Value::Null]);
    let failed = json["figures"].as_array().expect("a list").iter().find(|figure| figure["figure"] == "failed");
    let failed = failed.expect("it is counted");
    assert_eq!(
        (&failed["left"]["sum"], &failed["right"]["median"], &failed["less"]),
        (&1.into(), &0.into(), &1.into())
    );
    let csv = diff_of_folders(&["--format", "csv", "old", "new"]).1;
    let lines: Vec<&str> = csv.lines().collect();
    assert!(lines[0].starts_with("name,kind,left_path,right_path,left_turns,right_turns,"), "{csv}");
    assert!(lines[1].starts_with("clock.jsonl,changed,old/clock.jsonl,new/clock.jsonl,2,2,2,3,1,0,"), "{csv}");
    assert!(lines[3].starts_with("gone.jsonl,left,old/gone.jsonl,,2,,1,,0,,"), "{csv}");
}

#[test]
fn a_damaged_file_that_is_paired_by_its_prompt_is_listed_once() {
    let session = recorded("a", "Mend the clock", &[READ]);
    let length = u16::try_from(session.len()).expect("it is short");
    // A gzip file with one stored block, whose checksum is missing.
    let header = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff, 1];
    let damaged = [&header, &length.to_le_bytes()[..], &(!length).to_le_bytes(), session.as_bytes()].concat();
    let files = [("old/a.jsonl", session.into_bytes()), ("new/b.jsonl.gz", damaged)];
    let (code, out, errors) = diff_of(&files, &["--format", "json", "old", "new"]);
    let json: Value = serde_json::from_str(&out).expect("it is JSON");
    let unread = json["unread"].as_array().expect("a list");
    assert_eq!((code, unread.len(), &json["pairs"][0]["paired_by"]), (2, 1, &"prompt".into()), "{out}{errors}");
}

#[test]
fn folders_and_files_are_not_mixed() {
    for (arguments, expected) in [
        (
            &["--format", "csv", "old/gone.jsonl", "new/more.jsonl"][..],
            "csv is a table of two folders; name two folders",
        ),
        (&["old", "new", "--with-dialect", "gadget"], "the --with options compare two files; compare folders without"),
    ] {
        let (code, out, errors) = diff_of_folders(arguments);
        assert_eq!((code, out.as_str(), errors.lines().count()), (2, "", 1), "{arguments:?}: {errors}");
        assert!(errors.contains(expected), "{arguments:?}: {errors}");
    }
}

/// A session that writes a file, edits one that it has read, and edits one that it does not show.
const EDITS: &str = r#"{"type":"assistant","sessionId":"s","uuid":"u1","cwd":"/p","message":{"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"Write","input":{"file_path":"/p/new.txt","content":"one\ntwo\n"}}]}}
{"type":"user","sessionId":"s","uuid":"u2","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"done"}]}}
{"type":"assistant","sessionId":"s","uuid":"u3","message":{"role":"assistant","content":[{"type":"tool_use","id":"t2","name":"Read","input":{"file_path":"/p/src/old.txt"}}]}}
{"type":"user","sessionId":"s","uuid":"u4","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t2","content":"     1→a\n     2→b\n     3→c\n"}]}}
{"type":"assistant","sessionId":"s","uuid":"u5","message":{"role":"assistant","content":[{"type":"tool_use","id":"t3","name":"Edit","input":{"file_path":"/p/src/old.txt","old_string":"b","new_string":"B"}}]}}
{"type":"user","sessionId":"s","uuid":"u6","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t3","content":"done"}]}}
{"type":"assistant","sessionId":"s","uuid":"u7","message":{"role":"assistant","content":[{"type":"tool_use","id":"t4","name":"Edit","input":{"file_path":"/p/other.txt","old_string":"x","new_string":"y"}}]}}
{"type":"user","sessionId":"s","uuid":"u8","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t4","content":"done"}]}}
"#;

/// Runs `diff` in a folder with the session [`EDITS`] and a text without edits.
fn diff_of_edits(arguments: &[&str]) -> (i32, String, String) {
    let folder = tempfile::tempdir().expect("a folder can be made");
    for (name, text) in [("session.jsonl", EDITS), ("a.txt", LEFT)] {
        fs::write(folder.path().join(name), text).expect("a file can be made");
    }
    run_in(folder.path(), &[&["diff"], arguments].concat(), &[], b"").parts()
}

#[test]
fn one_session_is_the_patch_of_its_edits() {
    let new = "diff --git a/new.txt b/new.txt\nnew file mode 100644\n--- /dev/null\n+++ b/new.txt\n@@ -0,0 +1,2 @@\n+one\n+two\n";
    let old = "diff --git a/src/old.txt b/src/old.txt\n--- a/src/old.txt\n+++ b/src/old.txt\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n";
    let other = "# other.txt: the session does not show its whole text; its edits, in order:\n# edit 1\n# -x\n# +y\n";
    assert_eq!(diff_of_edits(&["session.jsonl"]), (1, format!("{new}{old}{other}"), String::new()));
    for (file, expected) in [("src/old.txt", old), ("old.txt", old), ("./new.txt", new), ("other.txt", other)] {
        assert_eq!(diff_of_edits(&["--file", file, "session.jsonl"]).1, expected, "{file}");
    }
    for (arguments, code, expected) in [
        (
            &["--file", "gone.txt", "session.jsonl"][..],
            2,
            "no call of session.jsonl names gone.txt; it changes new.txt, src/old.txt, other.txt",
        ),
        (&["--file", "x", "a.txt"], 2, "no call of a.txt names x, and none changes a file"),
        (&["a.txt"], 0, "no call of a.txt changes a file; to compare two transcripts, name both"),
    ] {
        let (found, _, errors) = diff_of_edits(arguments);
        assert!(found == code && errors.contains(expected), "{arguments:?}: {found} {errors}");
    }
    let json: Value =
        serde_json::from_str(&diff_of_edits(&["--format", "json", "session.jsonl"]).1).expect("it is JSON");
    let calls = &json["files"][1]["calls"];
    assert_eq!((&calls[0]["kind"], &calls[1]["kind"], &calls[1]["added"]), (&"read".into(), &"edit".into(), &1.into()));
    assert_eq!((&json["files"][1]["patch"], &json["files"][2]["text_known"]), (&old.into(), &false.into()));
}

#[test]
fn edits_of_gemini_cli_have_the_texts_that_it_displays() {
    // An edit without an old text creates the file.
    let call = |id: &str, path: &str, old: &str, shown: Value| {
        let display = serde_json::json!({"fileDiff": "@@", "fileName": path, "originalContent": shown["old"], "newContent": shown["new"]});
        serde_json::json!({"id": id, "name": "replace", "args": {"file_path": path, "old_string": old, "new_string": if old.is_empty() { "B\n" } else { "B" }}, "status": "success",
            "result": [{"functionResponse": {"id": id, "name": "replace", "response": {"output": "done"}}}],
            "resultDisplay": if shown.is_null() { "done".into() } else { display }})
    };
    let calls = [
        call("c1", "/p/a.txt", "b", serde_json::json!({"old": "a\nb\n", "new": "a\nB\n"})),
        call("c2", "/p/new.txt", "", serde_json::json!({"old": null, "new": "B\n"})),
        call("c3", "/p/hidden.txt", "b", Value::Null),
    ];
    let session = serde_json::json!({"sessionId": "s", "projectHash": "h", "startTime": "2026-02-11T08:00:00Z", "lastUpdated": "2026-02-11T08:00:00Z", "messages": []});
    let user = serde_json::json!({"id": "u", "timestamp": "2026-02-11T08:00:00Z", "type": "user", "content": "Edit"});
    let model = serde_json::json!({"id": "g", "timestamp": "2026-02-11T08:00:05Z", "type": "gemini", "content": "", "toolCalls": calls});
    let mut document = session.clone();
    document["messages"] = [user.clone(), model.clone()].into_iter().collect();
    let expected = "diff --git a/p/a.txt b/p/a.txt\n--- a/p/a.txt\n+++ b/p/a.txt\n@@ -1,2 +1,2 @@\n a\n-b\n+B\n\
                    diff --git a/p/new.txt b/p/new.txt\nnew file mode 100644\n--- /dev/null\n+++ b/p/new.txt\n@@ -0,0 +1 @@\n+B\n\
                    # p/hidden.txt: the session does not show its whole text; its edits, in order:\n# edit 1\n# -b\n# +B\n";
    for (name, text) in [
        ("lines.jsonl", format!("{session}\n{user}\n{model}\n").replace(",\"messages\":[]", "")),
        ("document.json", format!("{document:#}\n")),
        ("line.json", format!("{document}\n")),
    ] {
        let (code, out, errors) = diff_of(&[(name, text)], &[name]);
        assert_eq!((code, out.as_str(), errors.as_str()), (1, expected, ""), "{name}");
    }
}

#[test]
fn a_part_of_a_session_is_the_patch_of_its_turns() {
    let (code, out, _) = diff_of_turns(&["--turns", "2", "s.jsonl"]);
    let expected = "diff --git a/a.txt b/a.txt\n--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-two\n+three\n";
    assert_eq!((code, out.as_str()), (1, expected));
    let (_, out, _) = diff_of_turns(&["--turns", "1-2", "--file", "a.txt", "s.jsonl"]);
    assert!(out.ends_with("+++ b/a.txt\n@@ -0,0 +1 @@\n+three\n"), "{out}");
    let (code, out, errors) = diff_of_turns(&["--turns", "3", "s.jsonl"]);
    assert_eq!((code, out.as_str()), (0, ""));
    assert!(errors.contains("no call of s.jsonl in turn:3 changes a file"), "{errors}");
    let json: Value =
        serde_json::from_str(&diff_of_turns(&["--format", "json", "--turns", "2", "s.jsonl"]).1).expect("it is JSON");
    let files = (&json["filter"], &json["files"][0]["patch"], json["files"].as_array().map(Vec::len));
    assert_eq!(files, (&"turn:2".into(), &expected.into(), Some(1)));
}

/// Runs `diff` on a session that writes `a.txt` in its first two turns and `b.txt` in the first one.
fn diff_of_turns(arguments: &[&str]) -> (i32, String, String) {
    let write = |path: &str, text: &str| -> (String, String) {
        ("Write".to_owned(), format!(r#"{{"file_path":"{path}","content":"{text}\n"}}"#))
    };
    let turns = [vec![write("a.txt", "two"), write("b.txt", "b")], vec![write("a.txt", "three")], vec![]];
    let mut lines = Vec::new();
    for (turn, calls) in turns.iter().enumerate() {
        let message = |role: &str, id: &str, content: &str| {
            format!(
                r#"{{"type":"{role}","sessionId":"s","uuid":"{turn}{id}","message":{{"role":"{role}","content":{content}}}}}"#
            )
        };
        lines.push(message("user", "p", "\"Go on\""));
        for (number, (name, input)) in calls.iter().enumerate() {
            let id = format!("t{turn}{number}");
            let call = format!(r#"[{{"type":"tool_use","id":"{id}","name":"{name}","input":{input}}}]"#);
            lines.push(message("assistant", &format!("c{number}"), &call));
            let result = format!(r#"[{{"type":"tool_result","tool_use_id":"{id}","content":"done"}}]"#);
            lines.push(message("user", &format!("r{number}"), &result));
        }
        lines.push(message("assistant", "e", "\"Done\""));
    }
    diff_of(&[("s.jsonl", lines.join("\n") + "\n")], arguments)
}

#[test]
#[expect(clippy::print_stderr, reason = "states that the test was skipped")]
fn git_applies_the_patch_of_a_session() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let git =
        |arguments: &[&str]| std::process::Command::new("git").args(arguments).current_dir(folder.path()).output();
    if git(&["--version"]).is_err() {
        eprintln!("not tried: there is no git");
        return;
    }
    let place = |name: &str| folder.path().join(name);
    fs::create_dir(place("src")).expect("a folder can be made");
    fs::write(place("src/old.txt"), "a\nb\nc\n").expect("a file can be made");
    fs::write(place("session.patch"), diff_of_edits(&["session.jsonl"]).1).expect("a file can be made");
    let applied = git(&["apply", "session.patch"]).expect("git starts");
    assert!(applied.status.success(), "{}", String::from_utf8_lossy(&applied.stderr));
    assert_eq!(fs::read_to_string(place("src/old.txt")).expect("it is there"), "a\nB\nc\n");
    assert_eq!(fs::read_to_string(place("new.txt")).expect("it is there"), "one\ntwo\n");
}
