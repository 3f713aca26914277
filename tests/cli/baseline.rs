//! `check --baseline`: known problems pass wherever they have moved, and new and fixed ones are reported.

use std::fs;
use std::path::Path;

use serde_json::Value;

use super::{BAD, run_in};

const CLASH: &str = "!!!GADGET_START:Send:s\n!!!ARG:to\nada\n!!!ARG:to\neve\n!!!GADGET_END\n";
const OTHER: &str = "!!!GADGET_START:Call:c\n!!!ARG:number\n1\n!!!ARG:number\n2\n!!!GADGET_END\n";

/// The exit code, output and errors of a check with the check of an earlier text as the baseline.
fn checked(folder: &Path, before: &str, now: &str, more: &[&str]) -> (i32, String, String) {
    let write = |text: &str| fs::write(folder.join("a.txt"), text).expect("a file can be made");
    write(before);
    let known = run_in(folder, &["check", "--format", "json", "a.txt"], &[], b"").stdout;
    fs::write(folder.join("known.json"), known).expect("a file can be made");
    write(now);
    run_in(folder, &[&["check", "--baseline", "known.json", "a.txt"], more].concat(), &[], b"").parts()
}

#[test]
fn what_is_known_passes_wherever_it_has_moved() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    for (before, now, code, counts) in [
        (CLASH.to_owned(), CLASH.to_owned(), 0, "1 known, 0 new, 0 gone"),
        (CLASH.to_owned(), format!("Moved\n\ndown.\n{CLASH}"), 0, "1 known, 0 new, 0 gone"),
        (CLASH.to_owned(), format!("{OTHER}{CLASH}"), 1, "1 known, 1 new, 0 gone"),
        (CLASH.to_owned(), OTHER.to_owned(), 1, "0 known, 1 new, 1 gone"),
        (CLASH.to_owned(), CLASH.replace("Send", "Post"), 1, "0 known, 1 new, 1 gone"),
        (format!("{CLASH}{OTHER}"), "Nothing.\n".to_owned(), 0, "0 known, 0 new, 2 gone"),
        // As many as before.
        (CLASH.to_owned(), format!("{CLASH}\n{}", CLASH.replace(":s\n", ":t\n")), 1, "1 known, 1 new, 0 gone"),
        ("Nothing.\n".to_owned(), CLASH.to_owned(), 1, "0 known, 1 new, 0 gone"),
    ] {
        let (status, out, _) = checked(folder.path(), &before, &now, &[]);
        assert_eq!((status, out.contains(&format!("({counts})\n"))), (code, true), "{counts}: {out}");
    }
}

#[test]
fn people_see_what_is_new_and_what_is_gone() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let (_, out, errors) = checked(folder.path(), &format!("{CLASH}{BAD}"), &format!("{OTHER}{CLASH}"), &[]);
    assert_eq!(errors, "");
    assert!(out.starts_with("error[duplicate-pointer]: Duplicate pointer: number\n --> a.txt:4:8\n"), "{out}");
    let end =
        "\ngone[duplicate-pointer]: Duplicate pointer: name (a.txt:10)\n\n1 error in 1 file (1 known, 1 new, 1 gone)\n";
    assert!(out.ends_with(end), "{out}");
    let (_, out, _) = checked(folder.path(), CLASH, CLASH, &[]);
    assert_eq!(out, "no new problems in 1 file (1 known, 0 new, 0 gone)\n");
}

#[test]
fn each_format_says_what_is_new() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let now = format!("{OTHER}{CLASH}");
    let (code, out, errors) = checked(folder.path(), &format!("{CLASH}{BAD}"), &now, &["--format", "json"]);
    assert_eq!((code, errors.as_str()), (1, "baseline: 1 known, 1 new, 1 gone\n"));
    let json: Value = serde_json::from_str(&out).expect("it is JSON");
    let known = |list: &str| {
        json[list].as_array().expect("a list").iter().map(|found| found["known"].clone()).collect::<Vec<_>>()
    };
    assert_eq!(known("diagnostics"), [Value::from(false), Value::from(true)]);
    assert_eq!((&json["gone"][0]["message"], &json["errors"]), (&"Duplicate pointer: name".into(), &1.into()));
    assert_eq!(json["baseline"], serde_json::json!({"known": 1, "new": 1, "gone": 1}));
    let (_, out, _) = checked(folder.path(), &format!("{CLASH}{BAD}"), &now, &["--format", "sarif"]);
    let sarif: Value = serde_json::from_str(&out).expect("it is JSON");
    let results = sarif["runs"][0]["results"].as_array().expect("a list");
    let states: Vec<&str> = results.iter().filter_map(|result| result["baselineState"].as_str()).collect();
    assert_eq!(states, ["new", "unchanged", "absent"]);
    assert_eq!(results[2]["locations"][0]["physicalLocation"]["region"]["startLine"], 10);
    let (_, out, _) = checked(folder.path(), &format!("{CLASH}{BAD}"), &now, &["--format", "github"]);
    assert!(out.lines().count() == 1 && out.contains("line=4"), "{out}");
}

#[test]
fn limits_and_denials_regard_what_is_new() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let known = "!!!GADGET_START:Greet\n!!!ARG:name\nAda\n";
    for (now, more, code) in [
        (known.to_owned(), ["--deny", "warnings"], 0),
        (format!("{}!!!GADGET_END\n{known}", known.replace("Greet", "Post")), ["--deny", "warnings"], 0),
        (known.replace("Greet", "Post"), ["--deny", "warnings"], 1),
        (CLASH.to_owned(), ["--max", "duplicate-pointer=1"], 0),
        (CLASH.to_owned(), ["--max", "duplicate-pointer=0"], 1),
    ] {
        assert_eq!(checked(folder.path(), known, &now, &more).0, code, "{now} {more:?}");
    }
}

#[test]
fn unchecked_files_do_not_count_as_fixed() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    fs::write(folder.path().join("b.txt"), BAD).expect("a file can be made");
    fs::write(folder.path().join("a.txt"), CLASH).expect("a file can be made");
    let known = run_in(folder.path(), &["check", "--format", "json", "a.txt", "b.txt"], &[], b"").stdout;
    fs::write(folder.path().join("known.json"), known).expect("a file can be made");
    let (code, out, _) = run_in(folder.path(), &["check", "--baseline", "known.json", "a.txt"], &[], b"").parts();
    assert_eq!((code, out.as_str()), (0, "no new problems in 1 file (1 known, 0 new, 0 gone)\n"));
}

#[test]
fn an_invalid_baseline_is_rejected() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    fs::write(folder.path().join("a.txt"), CLASH).expect("a file can be made");
    for (text, words) in [
        ("{}", "missing field `diagnostics`"),
        ("[", "EOF while parsing"),
        (
            "{\"diagnostics\": [{\"path\": \"a.txt\", \"code\": \"x\", \"message\": \"m\", \"line\": 1}]}",
            "missing field `fingerprint`",
        ),
        (
            "{\"diagnostics\": [{\"path\": \"a\", \"code\": \"x\", \"message\": \"m\", \"line\": 1, \"fingerprint\": \"no\"}]}",
            "\"no\" is not a fingerprint",
        ),
    ] {
        fs::write(folder.path().join("known.json"), text).expect("a file can be made");
        let (code, _, errors) =
            run_in(folder.path(), &["check", "--baseline", "known.json", "a.txt"], &[], b"").parts();
        assert_eq!(code, 2);
        assert!(
            errors.starts_with("error: could not use the baseline known.json: ")
                && errors.contains(words)
                && errors.ends_with("write one with check --format json\n"),
            "{errors}"
        );
    }
}
