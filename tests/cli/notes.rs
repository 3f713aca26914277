//! Notes on a transcript in every command, and the handling of invalid sidecars.

use std::fs;

use serde_json::Value;
use transcope::notes::sidecar::Sidecar;
use transcope::notes::{Note, NoteEdit};
use transcope::session::Session;

use super::export::{HOSTILE, harmless, seen, tame};
use super::program::Run;
use super::{folder, run_in};

const DEMO: &str = include_str!("../../samples/demo.txt");
const FERRY: &str = include_str!("../../samples/containers/claude-code/late-ferry.jsonl");

/// A note on the first place of a text with the given words.
fn note(text: &str, at: &str, id: &str, words: &str, letter: Option<char>) -> NoteEdit {
    let session = Session::from_bytes(text.as_bytes());
    let read = session.text().read_str(transcope::text::Span::new(0, session.text().len())).into_owned();
    let offset = read.find(at).expect("the words are there");
    let item = session.document().item_at(offset).expect("something is there");
    let node = session
        .dissect(item)
        .and_then(|assembly| transcope::value::index::TreeIndex::new(&assembly).node_at(&assembly.tree, offset));
    let place = session.note_place(item, offset, node).expect("it is a place");
    NoteEdit::Put(Box::new(Note { id: id.into(), words: words.into(), letter, ..Note::new(place) }))
}

/// A folder with two transcripts and notes on both.
pub fn noted() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let path = |name: &str| folder.path().join(name);
    fs::write(path("good.txt"), super::GOOD).expect("a file can be made");
    fs::write(path("demo.txt"), DEMO).expect("a file can be made");
    fs::write(path("ferry.jsonl"), FERRY).expect("a file can be made");
    let save = |name: &str, edits: &[NoteEdit]| {
        Sidecar::new(&path(name), None).save(edits, "2026-11-22T17:03:00Z").expect("notes can be saved");
    };
    save(
        "demo.txt",
        &[
            note(DEMO, "## A rehearsal", "prose", "why <b>twice</b>? \u{1b}[2J `x`", None),
            note(DEMO, "!!!GADGET_START:SendMail", "mail", "nobody is told", Some('m')),
            note(DEMO, "compress", "node", "", None),
            note("Something else altogether, which was here once.\n", "else", "lost", "still true", None),
        ],
    );
    save("ferry.jsonl", &[note(FERRY, "FAILED tests/test_clock.py", "result", "the clock", Some('F'))]);
    folder
}

#[test]
fn a_secret_that_only_a_note_holds_is_listed_when_it_is_redacted() {
    let folder = noted();
    let edit = note(super::GOOD, "!!!", "call", "its password=tr0ub4dor3x9 is old", None);
    let sidecar = Sidecar::new(&folder.path().join("good.txt"), None);
    sidecar.save(&[edit], "2026-11-22T17:03:00Z").expect("notes can be saved");
    let (_, out, errors) =
        run_in(folder.path(), &["export", "--redact", "--to", "markdown", "good.txt"], &[], b"").parts();
    assert!(!out.contains("tr0ub4dor3x9"), "{out}");
    assert_eq!(errors, "redacted 1 kind: 1 password; review before sharing\n");
}

#[cfg(unix)]
#[test]
fn a_sidecar_that_is_a_link_is_refused() {
    let folder = noted();
    std::os::unix::fs::symlink("demo.txt.transcope.yaml", folder.path().join("good.txt.transcope.yaml"))
        .expect("a link can be made");
    let (_, _, errors) = run_in(folder.path(), &["export", "--to", "markdown", "good.txt"], &[], b"").parts();
    assert!(errors.contains("could not read the notes in good.txt.transcope.yaml: it is a symbolic link"), "{errors}");
}

/// Arguments; exit code, and parts of the output and of standard error. `""` means that nothing is printed.
type Case = (&'static [&'static str], i32, &'static [&'static str], &'static str);

const CASES: &[Case] = &[
    (
        &["grep", "has:note", "demo.txt", "ferry.jsonl"],
        0,
        &[
            "demo.txt:27:1: call BackupFolder",
            "demo.txt:159:1: text: ## A rehearsal",
            "demo.txt:218:1: call SendMail tell_customers (skipped)",
            "ferry.jsonl:6:304: call Bash (failed)",
            "ferry.jsonl:8:319: result Bash (failed)",
        ],
        "5 matches in 2 of 2 files\n",
    ),
    (&["grep", "has:note is:result", "ferry.jsonl"], 0, &["ferry.jsonl:8:319: result"], "1 match in 1 of 1 file\n"),
    (&["grep", "has:note not has:note", "demo.txt"], 1, &[], "no matches in 1 file\n"),
    // The sidecars themselves are not transcripts.
    (&["grep", "has:note", "."], 0, &["demo.txt:218:1"], "5 matches in 2 of 3 files\n"),
    (&["grep", "schema_version", "."], 1, &[], "no matches in 3 files\n"),
    (&["check", "--filter", "has:note", "demo.txt"], 1, &["2 errors"], ""),
    (
        &["parse", "--format", "ndjson", "--filter", "has:note", "demo.txt"],
        0,
        &["\"filter\":\"has:note\",\"selected\":3}\n"],
        "",
    ),
    (
        &["parse", "--format", "text", "demo.txt"],
        0,
        &[
            "\n  ✎ note 32:8: compress: bookmark\n",
            "\n  ✎ note 159:1: why <b>twice</b>? ␛[2J `x`\n",
            "\n  ✎ note 218:1: mark m: nobody is told\n",
            "\nNotes whose place was not found\n  ✎ note 1: still true (about: else altogether, which was here once.)\n",
        ],
        "",
    ),
    (
        &["export", "--to", "markdown", "demo.txt"],
        0,
        &[
            "\n- ✎ note 159:1: why &lt;b\\>twice&lt;/b\\>? ␛\\[2J \\`x\\`\n",
            "\n- ✎ note 218:1: mark m: nobody is told\n",
            "\n## Notes whose place was not found\n\n- ✎ note 1: still true (about: else",
        ],
        "",
    ),
    (
        &["export", "--to", "html", "demo.txt"],
        0,
        &[
            "<span class=\"sign\">✎</span> note 159:1: why &#60;b&#62;twice&#60;/b&#62;? ␛[2J `x`</p>",
            "<h2>Notes whose place was not found</h2>",
        ],
        "",
    ),
    (
        &["export", "--to", "markdown", "--filter", "has:note", "ferry.jsonl"],
        0,
        &["\n- ✎ note 8:319: mark F: the clock\n"],
        "",
    ),
];

#[test]
fn every_command_knows_the_notes_beside_a_transcript() {
    let folder = noted();
    let mut faults = Vec::new();
    for (arguments, code, stdout, stderr) in CASES {
        let run = run_in(folder.path(), arguments, &[], b"");
        let fits = stdout.iter().all(|part| run.stdout.contains(part))
            && run.stderr.contains(stderr)
            && (!stdout.is_empty() || run.stdout.is_empty())
            && (!stderr.is_empty() || run.stderr.is_empty());
        if run.code != *code || !fits {
            let Run { code, stdout, stderr } = run;
            faults.push(format!("{arguments:?} gives {code}\n--- stdout\n{stdout}\n--- stderr\n{stderr}"));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn notes_are_records_of_the_json_output_where_there_are_any() {
    let folder = noted();
    let parse = |arguments: &[&str]| -> Value {
        let run = run_in(folder.path(), &[&["parse"], arguments].concat(), &[], b"");
        serde_json::from_str(&run.stdout).expect("one object")
    };
    let whole = parse(&["demo.txt"]);
    let notes = whole["annotations"].as_array().expect("there are notes");
    let ids: Vec<&str> = notes.iter().filter_map(|note| note["id"].as_str()).collect();
    assert_eq!(ids, ["node", "prose", "mail", "lost"]);
    let mail = &notes[2];
    let item = usize::try_from(mail["item"].as_u64().expect("it is placed")).expect("small");
    assert_eq!(whole["items"][item]["id"], "tell_customers");
    assert_eq!(mail["offset"], whole["items"][item]["span"][0]);
    assert_eq!(
        (&mail["text"], &mail["letter"], &mail["line"], &mail["exact"], &mail["created"]),
        (&"nobody is told".into(), &"m".into(), &218.into(), &true.into(), &"2026-11-22T17:03:00Z".into())
    );
    assert_eq!((&notes[0]["pointer"], &notes[0]["text"]), (&"compress".into(), &"".into()));
    assert_eq!((&notes[3]["item"], &notes[3]["exact"]), (&Value::Null, &false.into()));
    let selected = parse(&["--filter", "tool:SendMail", "demo.txt"]);
    let ids: Vec<&Value> = selected["annotations"].as_array().expect("notes").iter().map(|note| &note["id"]).collect();
    assert_eq!(ids, ["mail"]);
    assert_eq!(selected["annotations"][0]["item"], 0);
    assert!(parse(&["good.txt"]).get("annotations").is_none(), "a transcript without notes has no such key");
}

#[test]
fn nothing_in_a_note_acts_in_a_report() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let path = folder.path().join("demo.txt");
    fs::write(&path, DEMO).expect("a file can be made");
    for words in HOSTILE {
        let lost = format!("{words} which was here, and nowhere else.\n");
        let edits = [note(DEMO, "## A rehearsal", "1", words, None), note(&lost, "which", "2", words, None)];
        Sidecar::new(&path, None).save(&edits, "now").expect("notes can be saved");
        let report = |format: &str| run_in(folder.path(), &["export", "--to", format, "demo.txt"], &[], b"").stdout;
        let (page, markdown) = (report("html"), report("markdown"));
        assert!(page.matches("<p class=\"note\">").count() == 2, "{words}");
        harmless(&page);
        tame(&markdown);
        let text = run_in(folder.path(), &["parse", "--format", "text", "demo.txt"], &[], b"").stdout;
        for printed in [page, markdown, text, report("json")] {
            seen(&printed);
        }
    }
}

#[test]
fn secrets_in_notes_are_taken_out_of_a_report() {
    let folder = folder();
    let secret = ["ghp_", &"a1B2c3D4e5".repeat(4)[..36]].concat();
    fs::write(folder.path().join("demo.txt"), DEMO).expect("a file can be made");
    let edit = note(DEMO, "## A rehearsal", "1", &format!("uses {secret}"), None);
    Sidecar::new(&folder.path().join("demo.txt"), None).save(&[edit], "now").expect("notes can be saved");
    for format in ["html", "markdown", "json"] {
        let plain = run_in(folder.path(), &["export", "--to", format, "demo.txt"], &[], b"").stdout;
        assert!(plain.contains(&secret) || plain.contains(&secret.replace('_', "\\_")), "{format}");
        let redacted = run_in(folder.path(), &["export", "--redact", "--to", format, "demo.txt"], &[], b"").stdout;
        assert!(!redacted.contains(&secret[4..]) && redacted.contains("uses "), "{format}");
    }
}

#[test]
fn a_sidecar_that_cannot_be_used_is_told_and_the_transcript_is_read_without_it() {
    let folder = noted();
    let path = folder.path().join("demo.txt.transcope.yaml");
    let text = fs::read_to_string(&path).expect("it is there").replace("    text:", "    \"te\\exxt\":");
    fs::write(&path, &text).expect("a file can be made");
    let run = run_in(folder.path(), &["grep", "has:note or tool:SendMail", "demo.txt"], &[], b"");
    assert_eq!(run.code, 0);
    assert!(run.stdout.starts_with("demo.txt:218:1: call SendMail"), "{}", run.stdout);
    let expected =
        "warning: could not use the notes in demo.txt.transcope.yaml: note 1: unknown field `te␛xxt`, expected one of";
    assert!(run.stderr.starts_with(expected), "{}", run.stderr);
    assert!(run.stderr.contains("; correct or rename the file\n"), "{}", run.stderr);
    assert_eq!(fs::read_to_string(&path).expect("it is there"), text);
}

#[test]
fn notes_that_lie_in_the_person_s_own_folder_are_read_there() {
    let folder = folder();
    let state = folder.path().join("state");
    // The name is too long for a sidecar's name.
    let name = format!("{}.txt", "n".repeat(245));
    fs::copy(folder.path().join("good.txt"), folder.path().join(&name)).expect("a file can be copied");
    let text = fs::read_to_string(folder.path().join(&name)).expect("it is there");
    let sidecar = Sidecar::new(&folder.path().join(&name), Some(&state.join("transcope/notes")));
    let saved = sidecar.save(&[note(&text, "Greet", "1", "hello", None)], "now").expect("it is saved");
    assert!(saved.path.is_some_and(|path| path.starts_with(&state)));
    let variables = [("XDG_STATE_HOME", state.to_str().expect("a plain name"))];
    let found = |variables: &[(&str, &str)]| run_in(folder.path(), &["grep", "has:note", &name], variables, b"").stdout;
    assert!(
        found(&variables).ends_with(".txt:3:1: call Greet greet_1: name: Ada, times: 3\n"),
        "{}",
        found(&variables)
    );
    assert_eq!(found(&[]), "");
}
