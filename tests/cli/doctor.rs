//! `doctor` without a terminal: settings, themes, declarations and sessions of a home.

use std::fs;

use serde_json::Value;

use super::run_in;
use super::snapshot;

const THEMES: &str = "config/transcope/themes";

/// State, name, value and count of each finding of a section.
fn rows(report: &Value, section: &str) -> Vec<String> {
    let findings = report[section].as_array().expect("a section is a list");
    let row = |finding: &Value| {
        let word = |key: &str| finding[key].as_str().unwrap_or_default().to_owned();
        let count = finding["count"].as_u64().map_or_else(String::new, |count| format!(" {count}"));
        format!("{} {}{count}", word("state"), word("name"))
    };
    findings.iter().map(row).collect()
}

fn report(home: &std::path::Path) -> (i32, Value) {
    let run = run_in(home, &["doctor", "--format", "json"], &[("TERM", "xterm-256color")], b"");
    assert_eq!(run.stderr, "");
    (run.code, serde_json::from_str(&run.stdout).expect("it is JSON"))
}

#[test]
fn an_empty_home_has_nothing_that_is_broken() {
    let home = tempfile::tempdir().expect("a folder can be made");
    let (code, report) = report(home.path());
    assert_eq!((code, report["invalid"].as_u64()), (0, Some(0)));
    let files = ["absent settings", "absent themes 0", "absent dialects 0", "absent containers 0", "absent state"];
    assert_eq!(rows(&report, "files"), files);
    assert_eq!(rows(&report, "sessions"), ["absent none"]);
    assert_eq!(rows(&report, "terminal"), ["unknown terminal", "ok colours", "unknown encoding", "unknown answers"]);
    let run = run_in(home.path(), &["doctor"], &[("TERM", "xterm-256color"), ("LANG", "C.UTF-8")], b"");
    assert!(run.stdout.lines().all(|line| line.chars().count() <= 80), "{}", run.stdout);
    let sections = run.stdout.split("\n\n").filter(|section| !section.starts_with("Program"));
    let text = sections.collect::<Vec<_>>().join("\n\n");
    snapshot::matches("cli", "doctor", &text.replace(&home.path().display().to_string(), "HOME"));
}

#[test]
fn sessions_and_declarations_are_counted_and_broken_files_are_named() {
    let home = tempfile::tempdir().expect("a folder can be made");
    let write = |path: &str, text: &str| {
        let path = home.path().join(path);
        fs::create_dir_all(path.parent().expect("a file is in a folder")).expect("a folder can be made");
        fs::write(path, text).expect("a file can be made");
    };
    let session = concat!(env!("CARGO_MANIFEST_DIR"), "/samples/containers/claude-code/late-ferry.jsonl");
    let session = fs::read_to_string(session).expect("a sample");
    write(".claude/projects/x/one.jsonl", &session);
    write(".claude/projects/y/two.jsonl", &session);
    write(".claude/projects/y/notes.md", "no session");
    write("config/transcope/config.yaml", "theme: light\n");
    write(&format!("{THEMES}/mine.yaml"), "name: mine\nabout: mine\nextends: dark\n");
    let dialect =
        "dialect: a\nexample: '<a f>{}</a>'\ncall: {open: '<a {name}>', close: </a>}\narguments: {kind: json}\n";
    write("config/transcope/dialects/a.yaml", dialect);
    let (code, found) = report(home.path());
    assert_eq!(code, 0, "{found}");
    let files = ["ok settings", "ok themes 1", "ok dialects 1", "absent containers 0", "absent state"];
    assert_eq!(rows(&found, "files"), files);
    assert_eq!(rows(&found, "sessions"), ["ok Claude Code 2"]);

    write("config/transcope/config.yaml", "keys: {serach: [x]}\n");
    write(&format!("{THEMES}/evil\u{1b}[2J.yaml"), "name: evil\nextends: nothing\n");
    write("config/transcope/containers/b.yaml", "nothing\n");
    write(".local/state/transcope", "a file and no folder");
    let (code, found) = report(home.path());
    assert_eq!((code, found["invalid"].as_u64()), (1, Some(4)), "{found}");
    let files =
        ["invalid settings", "ok themes 1", "invalid themes", "ok dialects 1", "invalid containers", "invalid state"];
    assert_eq!(rows(&found, "files"), files);
    let run = run_in(home.path(), &["doctor"], &[], b"");
    assert!(run.stdout.contains("unknown action serach; did you mean search?"), "{}", run.stdout);
    assert!(run.stdout.ends_with("4 things cannot be used; ✗ marks them.\n") && !run.stdout.contains('\u{1b}'));
}
