//! Opening a directory: its sessions are listed, one is opened, and one key returns to the list.

use std::fs;

use super::*;

const SESSION: &str = r#"{"type":"user","sessionId":"s","uuid":"u","message":{"role":"user","content":"Water the beds"}}
{"type":"assistant","sessionId":"s","uuid":"v","parentUuid":"u","message":{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"OpenValve","input":{"bed":"south"}}]}}
"#;

/// A folder in a home with two sessions and a file that is not one.
fn folder(home: &TempDir, path: &str) -> PathBuf {
    let folder = home.path().join(path);
    fs::create_dir_all(folder.join("garden")).expect("a test may make folders");
    fs::write(folder.join("garden/watering.jsonl"), SESSION).expect("a test may write");
    fs::write(folder.join("prose.md"), "only words\n").expect("a test may write");
    fs::write(folder.join("picture.png"), b"\x89PNG\0\0").expect("a test may write");
    folder
}

#[test]
fn a_directory_is_listed_and_a_session_opened_and_left_again() {
    let home = home();
    let folder = folder(&home, "sessions");
    let mut terminal = open(&[folder.as_ref()], &home);
    terminal.shows("~/sessions");
    terminal.shows("2 files");
    terminal.shows("Water the beds");
    assert!(!terminal.screen().contains("picture.png"), "{}", terminal.screen());
    terminal.types("/water\r");
    terminal.shows("name \"water\"");
    terminal.shows("1 of 2 files");
    terminal.types("\x1b");
    terminal.shows("prose.md");
    terminal.types("/water\r\r");
    terminal.shows("OpenValve");
    terminal.shows("[Water the beds]");
    terminal.types("O");
    terminal.shows("[~/sessions]");
    terminal.types("\x1b");
    terminal.shows("prose.md");
    terminal.types("/prose\r\r");
    terminal.shows("only words");
    terminal.types("[");
    terminal.shows("OpenValve");
    terminal.types("q");
    terminal.shows("[~/sessions]");
    terminal.types("q");
    assert_eq!(terminal.ends().exit_code(), 0);
    is_restored(&terminal);
}

#[test]
fn a_session_that_is_gone_is_said_to_be() {
    let home = home();
    let folder = folder(&home, "sessions");
    let mut terminal = open(&[folder.as_ref()], &home);
    terminal.shows("Water the beds");
    terminal.types("/prose\r");
    terminal.shows("name \"prose\"");
    fs::remove_file(folder.join("prose.md")).expect("it is there");
    terminal.types("\r");
    terminal.shows("no such file");
    terminal.types("\x1bq");
    assert_eq!(terminal.ends().exit_code(), 0);
}

#[test]
fn without_arguments_recorded_sessions_are_listed_and_else_the_demonstration_opens() {
    let home = home();
    // An agent's folder without a session is ignored.
    fs::create_dir_all(home.path().join(".codex/sessions")).expect("a test may make folders");
    let mut terminal = open(&[], &home);
    terminal.shows("OpenMigration");
    terminal.types("q");
    assert_eq!(terminal.ends().exit_code(), 0);
    folder(&home, ".claude/projects");
    let mut terminal = open(&[], &home);
    terminal.shows("~/.claude/projects");
    terminal.shows("Water the beds");
    terminal.shows("demonstration");
    terminal.types("G\r");
    terminal.shows("OpenMigration");
    terminal.types("o");
    terminal.shows("Water the beds");
    terminal.types("g\r");
    terminal.shows("OpenValve");
    terminal.types("qq");
    assert_eq!(terminal.ends().exit_code(), 0);
    is_restored(&terminal);
}

#[test]
fn the_newest_session_is_opened() {
    let home = home();
    folder(&home, ".claude/projects");
    let arguments = ["sessions", "--latest=claude", "--theme", "dark"].map(AsRef::as_ref);
    let mut terminal = Terminal::start(PROGRAM, &arguments, &[], home.path());
    terminal.shows("OpenValve");
    terminal.types("q");
    assert_eq!(terminal.ends().exit_code(), 0);
    is_restored(&terminal);
}

#[test]
fn an_empty_directory_says_so_and_q_leaves() {
    let home = home();
    let empty = home.path().join("empty");
    fs::create_dir(&empty).expect("a test may make folders");
    let mut terminal = open(&[empty.as_ref()], &home);
    terminal.shows("no sessions here");
    terminal.types("\x1b");
    terminal.shows("there is nothing to go back to; q quits");
    terminal.types("q");
    assert_eq!(terminal.ends().exit_code(), 0);
    is_restored(&terminal);
}
