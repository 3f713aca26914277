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
        (&["a.txt"][..], "required"),
        (&["a.txt", "none.txt"], "could not open none.txt: no such file"),
        (&["a.txt", "--with-dialect", "nothing"], "unknown dialect \"nothing\""),
        (&["-", "-"], "standard input can only be read once"),
    ] {
        let (code, out, errors) = diff(arguments);
        assert_eq!((code, out.as_str(), errors.lines().count()), (2, "", 1), "{arguments:?}: {errors}");
        assert!(errors.contains(expected), "{arguments:?}: {errors}");
    }
}
