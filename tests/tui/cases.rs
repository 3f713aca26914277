//! `transcope test`: the real binary over folders of cases, and cases that were saved on the screen.

use std::fs;
use std::path::Path;

use serde_json::Value;
use transcope::cases::{ExpectedOutcome, folder::save};
use transcope::config::{ReadOptions, schemas};
use transcope::tui::message::{Effect, Msg, Task};
use transcope::tui::screen::Screen as _;

use super::player::Player;
use super::program::run_in;

const TEXT: &str = "!!!GADGET_START:Send:s_1\n!!!ARG:to\nada\n!!!GADGET_END\n";

/// Runs `test` in a folder; exit code, standard output and standard error.
fn test(folder: &Path, arguments: &[&str]) -> (i32, String, String) {
    run_in(folder, &[&["test"], arguments].concat(), &[], b"").parts()
}

fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder can be made");
    fs::create_dir(folder.path().join("cases")).expect("a folder can be made");
    for (name, text) in files {
        fs::write(folder.path().join(name), text).expect("a file can be made");
    }
    folder
}

/// Names of the files in the folder of the cases.
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder.join("cases")).expect("it can be read");
    let mut names: Vec<String> =
        entries.map(|entry| entry.expect("it can be read").file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn a_case_is_new_then_written_then_passes_then_fails() {
    let folder = folder(&[("cases/send.txt", TEXT)]);
    let at = folder.path();
    let (code, out, _) = test(at, &["cases"]);
    assert_eq!(code, 1);
    assert_eq!(out, "FAILED  send: no expected result yet; --update writes it\n0 of 1 passed\n");
    assert_eq!(names(at), ["send.txt"]);
    assert_eq!(test(at, &["cases", "--update"]).1, "written send\n1 of 1 passed, 1 written\n");
    assert_eq!(names(at), ["send.expected.json", "send.txt"]);
    assert_eq!(test(at, &["cases"]), (0, "ok      send\n1 of 1 passed\n".to_owned(), String::new()));
    fs::write(at.join("cases/send.txt"), TEXT.replace("ada", "eve")).expect("it can be written");
    let (code, out, _) = test(at, &["cases"]);
    assert_eq!((code, out.as_str()), (1, "FAILED  send\n~ Send\n    parameter to: \"ada\" → \"eve\"\n0 of 1 passed\n"));
    let (_, out, _) = test(at, &["cases", "--format", "json"]);
    let json: Value = serde_json::from_str(&out).expect("it is JSON");
    assert_eq!((&json["failed"], &json["cases"][0]["passed"]), (&Value::from(1), &Value::from(false)));
}

#[test]
fn the_options_of_a_case_stay_when_it_is_written_anew() {
    let expected = r#"{"options": {"start_prefix": "<<<", "schema": "tools.json"}, "items": [], "problems": []}"#;
    let schema = r#"{"Send": {"type": "object", "required": ["subject"]}}"#;
    let text = TEXT.replace("!!!GADGET_START:", "<<<");
    let folder = folder(&[("cases/a.txt", &text), ("cases/a.expected.json", expected), ("cases/tools.json", schema)]);
    assert_eq!(test(folder.path(), &["cases"]).0, 1);
    assert_eq!(test(folder.path(), &["cases", "--update"]).0, 0);
    let written = fs::read_to_string(folder.path().join("cases/a.expected.json")).expect("it is there");
    let written: Value = serde_json::from_str(&written).expect("it is JSON");
    assert_eq!(written["options"]["start_prefix"], "<<<");
    assert_eq!(written["items"][0]["name"], "Send");
    assert!(written["problems"].to_string().contains("missing-parameter"), "{written}");
    assert_eq!(test(folder.path(), &["cases"]).0, 0);
}

#[test]
fn every_sample_gives_the_same_at_every_cut() {
    let folder = folder(&[]);
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples");
    for dialect in ["gadget", "caret", "callout", "hermes", "native"] {
        for entry in fs::read_dir(samples.join(dialect)).expect("there are samples") {
            let path = entry.expect("it can be read").path();
            let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
            fs::copy(&path, folder.path().join(format!("cases/{dialect}-{name}.txt"))).expect("it can be copied");
        }
    }
    let (code, out, errors) = test(folder.path(), &["cases", "--update"]);
    assert_eq!((code, errors.as_str()), (0, ""), "{out}");
    let (code, out, _) = test(folder.path(), &["cases"]);
    assert_eq!(code, 0, "{out}");
    assert!(out.lines().count() > 40, "{out}");
}

#[test]
fn failures_to_run_are_reported_on_one_line() {
    let folder = folder(&[("cases/a.txt", TEXT), ("cases/a.expected.json", "{\"items\": []}")]);
    fs::create_dir(folder.path().join("empty")).expect("a folder can be made");
    for (arguments, expected) in [
        (["empty"], "there are no cases in empty"),
        (["none"], "could not read the folder none: no such file or directory"),
        (["cases"], "could not use cases/a.expected.json: missing field `problems`"),
    ] {
        let (code, out, errors) = test(folder.path(), &arguments);
        assert_eq!((code, out.as_str(), errors.lines().count()), (2, "", 1), "{errors}");
        assert!(errors.contains(expected), "{errors}");
    }
}

const SIZE: (u16, u16) = (120, 40);

/// Saves the current text as the case `cases/NAME`. Returns the screen.
#[track_caller]
fn saves(player: &mut Player, name: &str, at: &Path) -> String {
    let effects = player.press(&format!("S {name}⏎"));
    let [Effect::Run(Task::SaveCase(path, draft))] = effects.as_slice() else { panic!("{effects:?}") };
    assert_eq!(path, Path::new(name));
    let outcome = save(&at.join("cases").join(path), draft).map_err(|error| format!("{error:#}"));
    player.state.update(outcome.map_or_else(Msg::Failed, Msg::CaseSaved));
    player.screen()
}

#[test]
fn a_case_saved_on_the_screen_passes_with_its_settings() {
    let folder = folder(&[("tools.json", r#"{"Send": {"type": "object", "required": ["subject"]}}"#)]);
    let at = folder.path();
    let schemas = schemas::read(&at.join("tools.json")).expect("it is fine");
    let text = format!("```\n{TEXT}```\n^^^run\nx: 1\n^^^\n^^^run\n^^^\n");
    let records = include_str!("../../samples/containers/claude-code/late-ferry.jsonl");
    let call = format!("Hi.\n\n{TEXT}\nBye.\n");
    let playing = |text: &str, keys: &str| {
        let mut player = Player::playing(text, SIZE).escaped();
        player.press(keys);
        Box::new(player)
    };
    let opened = |text: &str, keys: &str| {
        let mut player = Player::with_text("a.txt", text.as_bytes(), usize::MAX, SIZE);
        player.press(keys);
        Box::new(player)
    };
    let mut schemed = playing(&text, "");
    schemed.state.update(Msg::Schema(schemas));
    let rows = vec![
        ("as-usual", playing(&text, "")),
        ("without-gadget", playing(&text, "s Enter")),
        ("examples", playing(&text, "s G k k k k k k Enter")),
        ("one-call", playing(&text, "s G k k k k Enter")),
        ("markers", playing("<<<Send:s\n!!!ARG:to\nada\n!!!GADGET_END\n", "s G k k Enter ctrl-u <<<⏎")),
        ("schema", schemed),
        ("records-as-text", playing(records, "")),
        ("records", opened(records, "")),
        ("one-of-a-text", opened(&call, "c")),
        ("crlf", opened(&call.replace('\n', "\r\n"), "")),
    ];
    for (name, mut player) in rows {
        let screen = saves(&mut player, name, at);
        assert!(screen.contains(&format!("cases/{name}.txt and what is found in it")), "{name}: {screen}");
        let written = fs::read(at.join(format!("cases/{name}.expected.json"))).expect("it was saved");
        let expected = ExpectedOutcome::parse(&written).expect("it can be read");
        if name != "one-of-a-text" {
            let seen = ExpectedOutcome::from_session(&player.state.view.session, ReadOptions::default());
            assert_eq!((expected.items, expected.problems), (seen.items, seen.problems), "{name}");
        }
        let is_usual = expected.options == ReadOptions::default();
        assert_eq!(is_usual, ["as-usual", "records", "one-of-a-text", "crlf"].contains(&name), "{name}");
    }
    assert_eq!(fs::read_to_string(at.join("cases/one-of-a-text.txt")).expect("it was saved"), TEXT.trim_end());
    let (code, out, errors) = test(at, &["cases"]);
    assert_eq!((code, errors.as_str()), (0, ""), "{out}");
    assert!(out.ends_with("10 of 10 passed\n"), "{out}");
    // The schemas were saved too, so the case does not need the original file.
    fs::remove_file(at.join("tools.json")).expect("it is there");
    fs::rename(at.join("cases/schema.schema.json"), at.join("cases/tools.json")).expect("it is there");
    assert_eq!(test(at, &["cases"]).0, 2);
}

#[test]
fn a_case_is_saved_whole_under_a_new_name_or_not_at_all() {
    let folder = folder(&[("cases/there.txt", "x"), ("cases/half.expected.json", "{}")]);
    let at = folder.path();
    let before = names(at);
    for (name, words) in [
        ("there", "could not save the case: "),
        ("half", "could not save the case: "),
        ("half.txt", "half.expected.json exists; choose another name"),
        ("../cases", "give it a name, such as FOLDER/NAME"),
        ("no/such/folder/a", "could not create the folder "),
    ] {
        let screen = saves(&mut Player::playing("x", (300, 40)).escaped(), name, at);
        assert!(screen.contains(words), "{name}: {screen}");
        assert_eq!(names(at), before);
    }
    saves(&mut Player::playing("x", SIZE).escaped(), "new/a.txt", at);
    assert!(at.join("cases/new/a.txt").exists());
    let (code, out, _) = test(at, &["cases/new"]);
    assert_eq!((code, out.as_str()), (0, "ok      a\n1 of 1 passed\n"));
    // Schemas in the folder of the cases are referred to, not copied.
    fs::write(at.join("cases/new/tools.json"), "{}").expect("a file can be written");
    let mut player = Player::playing("x", SIZE).escaped();
    let schemas = schemas::read(&at.join("cases/new/tools.json")).expect("it is fine");
    player.state.update(Msg::Schema(schemas));
    saves(&mut player, "new/b", at);
    assert!(!at.join("cases/new/b.schema.json").exists());
    assert_eq!(test(at, &["cases/new"]).0, 0);
}

#[test]
fn a_text_that_is_too_large_is_no_case_but_a_call_of_it_is() {
    let large = format!("{}\n\n{TEXT}", "words and words\n".repeat(70_000));
    let mut player = Player::with_text("a.txt", large.as_bytes(), usize::MAX, SIZE);
    assert_eq!(player.press("S a⏎"), []);
    assert!(player.screen().contains("is too large for a case: c goes to a call, S saves it"));
    assert!(matches!(player.press("c S a⏎").as_slice(), [Effect::Run(Task::SaveCase(..))]));
}
