//! `transcope test`: the real binary over folders of cases.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

const TEXT: &str = "!!!GADGET_START:Send:s_1\n!!!ARG:to\nada\n!!!GADGET_END\n";

/// Runs `test` in a folder; exit code, standard output and standard error.
fn test(folder: &Path, arguments: &[&str]) -> (i32, String, String) {
    let output = Command::new(assert_cmd::cargo::cargo_bin!("transcope"))
        .env_clear()
        .env("HOME", folder)
        .current_dir(folder)
        .arg("test")
        .args(arguments)
        .output()
        .expect("the program can be started");
    let words = |bytes: Vec<u8>| String::from_utf8(bytes).expect("it is UTF-8");
    (output.status.code().expect("it is not killed"), words(output.stdout), words(output.stderr))
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
    assert_eq!(out, "FAILED  send: nothing is expected of it; --update writes what was found\n0 of 1 pass\n");
    assert_eq!(names(at), ["send.txt"]);
    assert_eq!(test(at, &["cases", "--update"]).1, "written send\n1 of 1 pass, 1 written\n");
    assert_eq!(names(at), ["send.expected.json", "send.txt"]);
    assert_eq!(test(at, &["cases"]), (0, "ok      send\n1 of 1 pass\n".to_owned(), String::new()));
    fs::write(at.join("cases/send.txt"), TEXT.replace("ada", "eve")).expect("it can be written");
    let (code, out, _) = test(at, &["cases"]);
    assert_eq!((code, out.as_str()), (1, "FAILED  send\n~ Send\n    parameter to: \"ada\" → \"eve\"\n0 of 1 pass\n"));
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
fn what_cannot_be_run_is_said_in_one_line() {
    let folder = folder(&[("cases/a.txt", TEXT), ("cases/a.expected.json", "{\"items\": []}")]);
    fs::create_dir(folder.path().join("empty")).expect("a folder can be made");
    for (arguments, expected) in [
        (["empty"], "there is no case in empty"),
        (["none"], "could not read the folder none: No such file or directory"),
        (["cases"], "could not use cases/a.expected.json: missing field `problems`"),
    ] {
        let (code, out, errors) = test(folder.path(), &arguments);
        assert_eq!((code, out.as_str(), errors.lines().count()), (2, "", 1), "{errors}");
        assert!(errors.contains(expected), "{errors}");
    }
}
