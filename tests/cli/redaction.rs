//! `--redact`: no byte of a planted secret is left in any output, and other text stays.

use std::fmt::Write as _;
use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use base64::prelude::{BASE64_STANDARD, Engine as _};
use serde_json::json;

use super::run_in;

const FORMATS: [&str; 3] = ["html", "markdown", "json"];
const LETTERS: &str = "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8s9T0";

/// Planted secrets, joined at run time so that secret scanners do not report this file: the name, and the text that
/// must not be left.
fn plants() -> Vec<(String, String)> {
    let hex = "0123456789abcdef".repeat(4);
    let plain = |kind: &str, parts: &[&str]| (kind.to_owned(), parts.concat());
    vec![
        plain("github-token", &["ghp", "_", &LETTERS[..36]]),
        plain("anthropic-key", &["sk-", "ant-", "api03-", LETTERS]),
        plain("aws-access-key", &["AKI", "A", "QZ7YXWVUTSR", "QPONM"]),
        plain("slack-token", &["xox", "b-", "123456789012-", &LETTERS[..24]]),
        plain("google-oauth-secret", &["GOC", "SPX-", &LETTERS[..28]]),
        plain("digitalocean-token", &["dop", "_v1_", &hex]),
        plain("json-web-token", &["eyJ", "hbGciOiJIUzI1NiJ9.", "eyJ", "zdWIiOiIxMjM0NTYifQ.c2lnbmF0dXJl"]),
        plain("email", &["ada.lovelace", "@", "engines.dev"]),
        plain("host", &["build-7.eu.", "corp"]),
        plain("ticket", &["ACME", "-4711"]),
    ]
}

fn percent(text: &str) -> String {
    text.bytes().fold(String::new(), |mut out, byte| {
        write!(out, "%{byte:02X}").expect("into memory");
        out
    })
}

fn unicode(text: &str) -> String {
    text.chars().fold(String::new(), |mut out, c| {
        write!(out, "\\u{:04x}", u32::from(c)).expect("into memory");
        out
    })
}

/// Transcripts with a plant in every place.
fn transcripts(plant: &str) -> Vec<String> {
    let doubly =
        json!({ "inner": json!({ "deep": plant, "note": format!("so \"{plant}\"") }).to_string() }).to_string();
    let gadget = format!(
        "Text {plant}.\n!!!GADGET_START:{plant}:{plant}:{plant}\n!!!ARG:{plant}\n{plant}\n!!!ARG:body\n{doubly}\n!!!ARG:{plant}\n2\n!!!GADGET_END\n{plant} {doubly}\n"
    );
    let chat = json!({"model": plant, "messages": [
        {"role": "system", "content": plant},
        {"role": "user", "name": plant, "content": format!("Look at C:\\x\\{plant}\\y or \"{plant}\".")},
        {"role": "assistant", "content": plant, "tool_calls": [{"id": plant, "type": "function", "function":
            {"name": plant, "arguments": json!({ plant: doubly, "list": [plant, { "b": plant }] }).to_string()}}]},
        {"role": "tool", "tool_call_id": plant, "content": doubly},
    ]});
    let line = json!({"type": "user", "sessionId": "9b2d5c1e-77aa-4a52-9d0c-8a1f5b0c9e21", "cwd": format!("/srv/{plant}"),
        "gitBranch": plant, "uuid": "u1", "parentUuid": null, "message": {"role": "user", "content": plant}});
    vec![gadget, chat.to_string(), format!("{line}\n")]
}

/// Every place of a transcript from which text is taken, and a transcript with a plant in that place alone.
fn places(plant: &str) -> Vec<(&'static str, String)> {
    let gadget = |header: &str, body: &str| format!("!!!GADGET_START:{header}\n{body}!!!GADGET_END\n");
    let callout = |lines: &str| format!("> [!tool Run r1]\n> state: output-available\n> input:\n>   a: 1\n{lines}\n");
    let chat = |model: &str, tool: &str, user: &str| {
        json!({"model": model, "tools": [{"type": "function", "function": {"name": "run", "description": tool,
            "parameters": {"type": "object", "properties": {"a": {"type": "string", "description": tool}}}}}],
            "messages": [{"role": "user", "name": user, "content": "Go."}, {"role": "assistant", "content": "Gone."}]})
        .to_string()
    };
    let line = |id: &str, branch: &str, session: &str| {
        json!({"type": "user", "sessionId": session, "cwd": "/srv", "gitBranch": branch, "uuid": id, "parentUuid": null,
            "timestamp": "2026-01-01T00:00:00.000Z", "message": {"role": "user", "content": "Go."}})
        .to_string()
            + "\n"
    };
    vec![
        ("prose", format!("So {plant} it is.\n")),
        ("name of a call", gadget(plant, "")),
        ("id", gadget(&format!("Run:{plant}"), "")),
        ("dependency", gadget(&format!("Run:r1:{plant}"), "")),
        ("key", gadget("Run", &format!("!!!ARG:{plant}\n1\n"))),
        ("pointer of a problem", gadget("Run", &format!("!!!ARG:{plant}\n1\n!!!ARG:{plant}\n2\n"))),
        ("value", gadget("Run", &format!("!!!ARG:a\n{plant}\n"))),
        ("argument of a heading", gadget("Run", &format!("!!!ARG:command\nrun {plant} now\n"))),
        ("state", callout(&format!("> state: {plant}"))),
        ("output", callout(&format!("> output: {plant}"))),
        ("error", callout(&format!("> state: output-error\n> errorText: {plant}"))),
        ("extra", callout(&format!("> more: {plant}"))),
        ("model", chat(plant, "x", "x")),
        ("tool", chat("x", plant, "x")),
        ("speaker", chat("x", "x", plant)),
        ("id of a record", line(plant, "main", "s")),
        ("branch", line("u1", plant, "s")),
        ("session", line("u1", "main", plant)),
        ("bytes that are no record", line("u1", "main", "s") + &format!("{{\"broken {plant}\n")),
    ]
}

#[test]
fn no_place_of_a_transcript_keeps_a_secret_in_what_is_made_of_it() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let at = folder.path();
    let plant = ["ghp", "_", &LETTERS[..36]].concat();
    let schema = json!({"Run": {"type": "object", "description": plant, "required": [plant], "properties":
        {&*plant: {"type": "string", "description": plant}}}});
    fs::write(at.join("schema.json"), schema.to_string()).expect("a file can be made");
    for (place, text) in places(&plant) {
        let name = format!("{plant}.txt");
        fs::write(at.join(&name), text).expect("a file can be made");
        let run = |arguments: &[&str]| {
            let (code, out, errors) = run_in(at, arguments, &[], b"").parts();
            assert!(code < 2, "{place}, {arguments:?}: {errors}");
            assert!(!format!("{out}{errors}").contains(&plant), "{place}, {arguments:?}:\n{out}{errors}");
        };
        for format in FORMATS {
            run(&["export", "--redact", "--to", format, "--filter", &format!("not \"{plant}\""), &name]);
            run(&["export", "--redact", "--schema", "schema.json", "--to", format, &name]);
        }
        for format in ["human", "json", "sarif", "github"] {
            run(&["check", "--redact", "--format", format, "--filter", &format!("not \"{plant}\""), &name]);
            run(&["check", "--redact", "--schema", "schema.json", "--format", format, &name]);
        }
        run(&["bundle", "--schema", "schema.json", "--for", "issue", "-o", "b.zip", &name]);
        for format in ["human", "json", "sarif", "github"] {
            run(&["check", "--format", format, "b.zip"]);
        }
        for format in ["json", "ndjson", "events", "text"] {
            run(&["parse", "--format", format, "b.zip"]);
        }
        run(&["index", "b.zip", "-o", "tables", "--format", "ndjson"]);
        for entry in walk(&at.join("tables")) {
            let mut all = entry.to_string_lossy().into_owned();
            let bytes = fs::read(&entry).expect("it can be read");
            let unpacked = flate2::read::MultiGzDecoder::new(&bytes[..]).read_to_string(&mut all);
            drop(unpacked);
            assert!(!all.contains(&plant) && !String::from_utf8_lossy(&bytes).contains(&plant), "{place}, {all}");
        }
        fs::remove_dir_all(at.join("tables")).expect("it can be removed");
        fs::remove_file(at.join("b.zip")).expect("it can be removed");
    }
}

fn walk(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("readable").path());
    entries.flat_map(|path| if path.is_dir() { walk(&path) } else { vec![path] }).collect()
}

/// All outputs for a text, with their messages, each as one string.
fn handed_on(folder: &Path, name: &str, text: &str) -> Vec<String> {
    fs::write(folder.join(name), text).expect("a file can be made");
    fs::write(folder.join("c.yaml"), "redact: { patterns: { ticket: 'ACME-[0-9]+' } }\n").expect("a file can be made");
    let report = |format: &str| {
        let arguments = ["export", "--config", "c.yaml", "--redact", "--to", format, name];
        let (code, out, errors) = run_in(folder, &arguments, &[], b"").parts();
        assert_eq!(code, 0, "{errors}");
        let errors = without_names(&errors);
        assert!(errors.starts_with("redacted ") && errors.ends_with("; review before sharing\n"), "{errors}");
        out + &errors
    };
    let mut all: Vec<String> = FORMATS.into_iter().map(report).collect();
    all.push(bundled(folder, name));
    all
}

/// The report without the names that are replaced everywhere, which only the user sees.
fn without_names(errors: &str) -> String {
    errors.lines().filter(|line| !line.starts_with("also replaced ")).map(|line| line.to_owned() + "\n").collect()
}

/// A bundle of a file with every byte of its contents, the text for an issue, and the messages.
fn bundled(folder: &Path, name: &str) -> String {
    let arguments = ["bundle", "--config", "c.yaml", "--for", "issue", name];
    let (code, mut all, errors) = run_in(folder, &arguments, &[], b"").parts();
    assert_eq!(code, 0, "{errors}");
    let path = bundle_in(folder);
    let mut archive = zip::ZipArchive::new(fs::File::open(&path).expect("it is there")).expect("it is an archive");
    for index in 0..archive.len() {
        let mut file = archive.by_index(index).expect("it can be read");
        all += &file.name().expect("it has a name");
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).expect("it can be read");
        all += &String::from_utf8_lossy(&bytes);
    }
    all += &path.file_name().expect("it has a name").to_string_lossy();
    fs::remove_file(path).expect("it can be removed");
    all + &without_names(&errors)
}

fn bundle_in(folder: &Path) -> PathBuf {
    let mut paths = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("readable").path());
    paths.find(|path| path.to_string_lossy().ends_with(".transcope.zip")).expect("there is a bundle")
}

#[test]
fn nothing_that_is_planted_is_left_in_any_place() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    for (kind, plant) in plants() {
        for text in transcripts(&plant) {
            for out in handed_on(folder.path(), &format!("{plant}.json"), &text) {
                assert!(!out.contains(&plant), "{kind} is in\n{out}");
                assert!(out.contains(&format!("{kind}#1")), "{kind} has its word:\n{out}");
            }
        }
    }
}

#[test]
fn nothing_that_is_planted_is_left_in_another_writing() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    for (kind, plant) in plants().into_iter().filter(|(kind, _)| kind != "email" && kind != "host") {
        let writings = [
            BASE64_STANDARD.encode(format!("the secret: {plant}")),
            percent(&plant),
            unicode(&plant),
            unicode(&unicode(&plant)),
        ];
        let said = |written: &String| {
            format!("{plant} and {written}.\n!!!GADGET_START:Run\n!!!ARG:a\n{written}\n!!!GADGET_END\n")
        };
        for out in handed_on(folder.path(), "a.txt", &writings.each_ref().map(said).concat()) {
            for written in &writings {
                let escaped = written.replace('\\', "\\\\");
                assert!(!out.contains(&plant) && !out.contains(written), "{kind} is in\n{out}");
                assert!(!out.contains(&escaped), "{kind} is in\n{out}");
            }
        }
    }
}

#[test]
fn a_report_of_the_redaction_lists_what_was_replaced_and_kept_and_no_secret() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let run = |arguments: &[&str]| {
        let common = ["export", "--to", "markdown", "--config", "c.yaml", "--redact"];
        run_in(folder.path(), &[&common, arguments, &["a.txt"]].concat(), &[], b"").parts()
    };
    let plant = ["ghp", "_", &LETTERS[..36]].concat();
    let text = format!(
        "{plant} by ada@acme.io\nDB_PASSWORD=tr0ub4dor-3 for Heron.\n{plant} again.\nACME_API_KEY=changeme vnd_test_abc7 it was,\nQm4xT7bK9wZr2LfN8yHs3VcJ 9d1c7f20-4b8e-4a63-9f15-c2e07ab8d364.\n\nBy ada@keep.io\n"
    );
    fs::write(folder.path().join("a.txt"), text).expect("a file can be made");
    let settings = "redact: { also: [Heron, '/vnd_test_[a-z]+7/'], keep: [keep.io] }\n";
    fs::write(folder.path().join("c.yaml"), settings).expect("a file can be made");
    let list = "replaced 5 values:
  [secret:github-token#1]  by format   ghp_… 40 characters  1:1, 3:1
  [email#1]                by private  11 characters        1:45
  [secret:password#1]      by name     11 characters        2:13
  [added#1]                by pattern  5 characters         2:29
  [added#2]                by pattern  13 characters        4:23

kept 3 values that may be secrets:
  placeholder  stands for a secret                   8 characters           4:14
  unnamed      random, but nothing tells what it is  Qm4xT7… 24 characters  5:1
  allowed      redact.keep has it                    11 characters          7:4

kept and not listed: 1 UUID
";
    let (code, page, errors) = run(&["--report", "-"]);
    assert_eq!(
        (code, errors.split_once("\nreplaced").map(|(_, rest)| format!("replaced{rest}"))),
        (0, Some(list.into()))
    );
    assert!(page.contains("[added#1]") && page.contains("ada@keep.io"), "{page}");
    assert_eq!(run(&["--report", "-", "-o", "a.md"]).1, list);
    assert_eq!(run(&["--report", "list.txt", "-o", "b.md"]).0, 0);
    assert_eq!(fs::read_to_string(folder.path().join("list.txt")).ok().as_deref(), Some(list));
    assert_eq!(run(&["--report", "list.json", "-o", "c.md"]).0, 0);
    let json = fs::read_to_string(folder.path().join("list.json")).expect("it is there");
    let json: serde_json::Value = serde_json::from_str(&json).expect("it is JSON");
    assert_eq!(
        json["replaced"][0]["places"][1],
        json!({"line": 3, "column": 1, "offset": 91, "message": 0, "item": 0})
    );
    for secret in [plant.as_str(), "tr0ub4dor-3", "acme.io", "Heron", "vnd_test"] {
        assert!(!json.to_string().contains(secret) && !list.contains(secret), "{secret} is in\n{json}");
    }
    for (arguments, message) in [
        (["--report", "list.txt", "-o", "d.md"], "list.txt exists; choose another name, or remove it"),
        (["--report", "e.md", "-o", "e.md"], "e.md exists; choose another name, or remove it"),
    ] {
        let (code, _, errors) = run(&arguments);
        assert!(code == 2 && errors.contains(message), "{errors}");
    }
}

#[test]
fn what_is_a_secret_by_its_name_is_one_in_every_place() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let key = [
        "-----BEGIN RSA ",
        "PRIVATE KEY-----\nMIIEpAIBAAKCAQEAz7x\n9f8e7d6c5b4a39281706\n-----END RSA PRIVATE KEY-----",
    ]
    .concat();
    for (named, secret) in [
        ("DB_PASSWORD=tr0ub4dor-and-3".to_owned(), "tr0ub4dor-and-3"),
        ("postgres://ada:q7R8s9T0@db/x".to_owned(), "q7R8s9T0"),
        ("curl -H 'Authorization: Bearer k1L2m3N4o5P6q7R8'".to_owned(), "k1L2m3N4o5P6q7R8"),
        (key, "9f8e7d6c5b4a39281706"),
        ("cd /home/lovelace/engine".to_owned(), "lovelace"),
        ("C:\\Users\\lovelace\\engine".to_owned(), "lovelace"),
    ] {
        for text in transcripts(&named.replace('\n', "\\n")).into_iter().chain(transcripts(&named)) {
            for out in handed_on(folder.path(), "lovelace-q7R8s9T0.txt", &text) {
                assert!(!out.contains(secret), "{secret} is in\n{out}");
            }
        }
    }
}

#[test]
fn the_name_of_a_user_is_replaced_wherever_it_is_a_word() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let line = |text: &str| {
        json!({"type": "user", "sessionId": "s", "cwd": "/Users/lovelace/engine", "uuid": "u1", "parentUuid": null,
            "timestamp": "2026-01-01T00:00:00.000Z", "message": {"role": "user", "content": text}})
        .to_string()
            + "\n"
    };
    let call = json!({"type": "assistant", "sessionId": "s", "uuid": "u2", "parentUuid": "u1",
        "timestamp": "2026-01-01T00:00:00.000Z", "message": {"id": "m", "role": "assistant", "model": "x", "content": [
        {"type": "tool_use", "id": "t1", "name": "Read", "input": {"file_path": "/Users/lovelace/engine/notes.md"}}]}});
    let text = line(
        "lovelace wrote it,\nlovelace_2 too; -rw-r--r-- 1 lovelace staff, \"lovelace\"; lovelaces é /home/bob/x bob",
    ) + &format!("{call}\n");
    for out in handed_on(folder.path(), "lovelace-notes.jsonl", &text) {
        assert!(!out.replace("lovelaces", "").contains("lovelace"), "{out}");
        assert!(out.contains("lovelaces") && out.contains(" bob"), "{out}");
        assert!(out.contains("/Users/[user#2]/engine/notes.md"), "{out}");
    }
    let (_, out, errors) =
        run_in(folder.path(), &["export", "--redact", "--to", "html", "lovelace-notes.jsonl"], &[], b"").parts();
    let heading = "<summary>";
    assert!(
        out.split(heading).any(|part| part
            .split("</summary>")
            .next()
            .is_some_and(|part| { part.contains("Read") && part.contains("/Users/[user#2]/engine/notes.md") })),
        "a heading keeps what its call is about: {out}"
    );
    assert!(
        errors.ends_with(
            "also replaced wherever they occur as words: lovelace; to keep one, set redact: { keep: [NAME] }\n"
        ),
        "{errors}"
    );
    for common in ["code", "ubuntu", "runner", "bob"] {
        let text = format!("cd /home/{common}/x; the {common} of it\n");
        fs::write(folder.path().join("a.txt"), &text).expect("a file can be made");
        let out = run_in(folder.path(), &["export", "--redact", "--to", "markdown", "a.txt"], &[], b"").stdout;
        assert!(out.contains(&format!("the {common} of it")), "{out}");
    }
}

#[test]
fn other_text_is_unchanged() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let text = "commit 3f786850e387550fdab836ed7e6dc881de23001b, 9b2d5c1e-77aa-4a52-9d0c-8a1f5b0c9e21\n\
        sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08 toolu_01A09q90qw90lq917835lq9 call_abc123XYZ\n\
        data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk\n\
        fn open(token: String, password: &str) { let key = getToken(); builder = StringBuilder::new(); }\n\
        password: str = None; https://github.com/o/r, ada@example.com, 127.0.0.1, /usr/lib\n";
    for out in handed_on(folder.path(), "a.txt", text) {
        assert!(out.contains("redacted nothing: "), "{out}");
    }
}

#[test]
fn a_report_that_holds_secrets_says_so_unless_they_are_replaced() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let token = ["ghp", "_", &LETTERS[..36]].concat();
    fs::write(folder.path().join("a.txt"), format!("{token} password=tr0ub4dor of ada@engines.dev\n")).expect("a file");
    let errors = |format: &str, more: &[&str]| {
        let arguments = [&["export", "--to", format, "a.txt"], more].concat();
        let (code, out, errors) = run_in(folder.path(), &arguments, &[], b"").parts();
        assert_eq!((code, out.contains(&token[4..])), (0, more.is_empty()));
        errors
    };
    for format in FORMATS {
        assert_eq!(
            errors(format, &[]),
            "warning: the transcript holds secrets (1 github-token, 1 password) and 1 private detail; --redact replaces them\n"
        );
        assert_eq!(
            errors(format, &["--redact"]),
            "redacted 3 kinds: 1 github-token, 1 password, 1 email; review before sharing\n"
        );
    }
}

#[test]
fn patterns_of_ones_own_are_refused_by_name_and_place() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    fs::write(folder.path().join("a.txt"), "Words.\n").expect("a file can be made");
    for (config, words) in [
        (
            "redact: { patterns: { ticket: 'ACME-(' } }\n",
            "redact: patterns: ticket: unclosed group at column 6 in ACME-(",
        ),
        ("redact: { keep: 3 }\n", "line 1: redact.keep: expected a list, found 3"),
        ("redact: { pattern: {} }\n", "line 1: redact: unknown key \"pattern\"; did you mean patterns?"),
    ] {
        fs::write(folder.path().join("c.yaml"), config).expect("a file can be made");
        let run = run_in(folder.path(), &["export", "--to", "json", "--config", "c.yaml", "a.txt"], &[], b"");
        assert_eq!(run.code, 2);
        let (_, _, errors) = run.parts();
        assert!(
            errors.starts_with("error: could not use the configuration c.yaml: ") && errors.contains(words),
            "{errors}"
        );
    }
}

#[test]
fn a_report_names_the_file_and_not_its_folders() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    fs::create_dir(folder.path().join("deep")).expect("a folder can be made");
    fs::write(folder.path().join("deep/a.txt"), "Words.\n").expect("a file can be made");
    for format in FORMATS {
        for more in [None, Some("--redact")] {
            let arguments = ["export", "--to", format, "deep/a.txt"].into_iter().chain(more).collect::<Vec<_>>();
            let (_, out, _) = run_in(folder.path(), &arguments, &[], b"").parts();
            assert!(out.contains("a.txt") && !out.contains("deep"), "{out}");
        }
    }
}

#[test]
fn what_a_message_quotes_of_a_secret_is_replaced() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    for (secret, text) in [
        (
            ["ghp", "_", &LETTERS[..36]].concat(),
            "<tool_call>\n{\"name\": \"run\", \"arguments\": {\"a\": SECRET}}\n</tool_call>\n",
        ),
        ("tr0ub4dor-and-3-more-of-it".to_owned(), "<tool_call>\n{\"password\": SECRET}\n</tool_call>\n"),
    ] {
        for out in handed_on(folder.path(), "a.txt", &text.replace("SECRET", &secret)) {
            assert!(!out.contains(&secret[..10]), "{secret} is in\n{out}");
        }
    }
}

#[test]
fn a_bundle_has_no_token_probabilities() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let token = ["ghp", "_", &LETTERS[..36]].concat();
    let pieces: Vec<&str> = (0..token.len()).step_by(4).map(|at| &token[at..at + 4]).collect();
    let probability = |piece: &str| {
        let chosen = json!({"token": piece, "logprob": -0.1, "bytes": piece.as_bytes()});
        json!({"token": piece, "logprob": -0.1, "bytes": piece.as_bytes(), "top_logprobs": [chosen]})
    };
    let chunk = |piece: &str| {
        let choice = json!({"index": 0, "delta": {"content": piece}, "logprobs": {"content": [probability(piece)]},
            "finish_reason": null});
        json!({"id": "c", "object": "chat.completion.chunk", "model": "m", "choices": [choice], "token_ids": [1, 2]})
    };
    let lead = ["Take ", "it: "].map(chunk);
    let chunks = lead.into_iter().chain(pieces.iter().map(|piece| chunk(piece)));
    let stream: Vec<String> = chunks.map(|chunk| format!("data: {chunk}\n\n")).collect();
    let all: Vec<_> = pieces.iter().map(|piece| probability(piece)).collect();
    let whole = json!({"id": "c", "object": "chat.completion", "model": "m", "choices": [{"index": 0,
        "message": {"role": "assistant", "content": format!("Take {token}")}, "logprobs": {"content": all}}]});
    fs::write(folder.path().join("c.yaml"), "").expect("a file can be made");
    for (name, text) in [("a.sse", stream.concat() + "data: [DONE]\n\n"), ("a.json", whole.to_string())] {
        fs::write(folder.path().join(name), text).expect("a file can be made");
        let made = bundled(folder.path(), name);
        assert!(made.contains("[secret:github-token#1]") && made.contains("\"logprobs\":null"), "{made}");
        for piece in &pieces[1..] {
            let numbers = json!(piece.as_bytes()).to_string();
            assert!(!made.contains(&format!("\"{piece}\"")) && !made.contains(&numbers), "{piece} is in\n{made}");
        }
        assert!(!made.contains("\"token_ids\":["), "{made}");
    }
}
