//! `transcope bundle`: the contents of a bundle, opening it again, and the text for an issue.

use std::fs;
use std::path::{Path, PathBuf};

use pulldown_cmark::{Event, Options, Parser, Tag};
use serde_json::{Value, json};
use transcope::notes::sidecar::Sidecar;
use transcope::notes::{Note, NoteEdit};
use transcope::session::Session;

use super::{BAD, run_in};

fn samples(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("readable").path();
        if path.is_dir() {
            samples(&path, found);
        } else if !Sidecar::is_sidecar(&path) {
            found.push(path);
        }
    }
}

/// The problems found by a check, as code and line.
fn problems(folder: &Path, path: &str) -> Vec<String> {
    let out = run_in(folder, &["check", "--format", "json", path], &[], b"").stdout;
    let json: Value = serde_json::from_str(&out).expect("it is JSON");
    let all = json["diagnostics"].as_array().expect("a list").iter();
    all.map(|found| format!("{} {}", found["code"], found["line"])).collect()
}

#[test]
fn a_bundle_is_read_as_its_original_was() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let mut paths = Vec::new();
    samples(&Path::new(env!("CARGO_MANIFEST_DIR")).join("samples"), &mut paths);
    assert!(paths.len() > 100);
    for path in paths {
        let path = path.to_str().expect("a plain name");
        let (code, _, errors) = run_in(folder.path(), &["bundle", "-o", "a.zip", path], &[], b"").parts();
        assert_eq!((code, errors.contains("warning")), (0, false), "{path}: {errors}");
        assert_eq!(problems(folder.path(), "a.zip"), problems(folder.path(), path), "{path}");
        fs::remove_file(folder.path().join("a.zip")).expect("it can be removed");
    }
}

#[test]
fn a_bundle_brings_its_settings() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).expect("a file can be made");
    write("a.txt", "<<<TOOL:Greet\n@param:name\nAda\n<<<END\n!!!GADGET_START:Other\n!!!GADGET_END\n");
    write("schema.json", "{\"Greet\": {\"type\": \"object\", \"required\": [\"times\"]}}");
    write("own.yaml", "start_prefix: \"???\"\n");
    let markers = ["--start-prefix", "<<<TOOL:", "--end-prefix", "<<<END", "--arg-prefix", "@param:"];
    let pack = [&["bundle", "-o", "a.zip", "--schema", "schema.json", "a.txt"], &markers[..]].concat();
    assert_eq!(run_in(folder.path(), &pack, &[], b"").code, 0);
    let text = |more: &[&str]| {
        let arguments = [&["parse", "--format", "text", "a.zip"], more].concat();
        run_in(folder.path(), &arguments, &[], b"").stdout
    };
    // The user's settings do not count, but the command line does.
    for more in [&[][..], &["--config", "own.yaml"]] {
        let out = text(more);
        assert!(out.contains("Greet") && out.contains("times") && !out.contains("▾ Other"), "{out}");
    }
    let out = text(&["--start-prefix", "!!!GADGET_START:", "--end-prefix", "!!!GADGET_END"]);
    assert!(out.contains("Other") && out.contains("<<<TOOL"), "{out}");
}

#[test]
fn notes_go_with_their_transcript() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let token = ["ghp", "_", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"].concat();
    let text = format!("Use {token} for it.\n\n{BAD}And {token} again.\n");
    let path = folder.path().join("a.txt");
    fs::write(&path, &text).expect("a file can be made");
    let session = Session::from_bytes(text.as_bytes());
    let note = |at: &str, words: &str| {
        let offset = text.find(at).expect("it is there");
        let item = session.document().item_at(offset).expect("something is there");
        let place = session.note_place(item, offset, None).expect("it is a place");
        NoteEdit::Put(Box::new(Note { words: words.into(), ..Note::new(place) }))
    };
    let edits = [note("Use", "first"), note("Greet", &format!("is {token} wrong?")), note("again", "end")];
    Sidecar::new(&path, None).save(&edits, "2026-11-22T17:03:00Z").expect("notes can be saved");
    assert_eq!(run_in(folder.path(), &["bundle", "a.txt"], &[], b"").code, 0);
    let annotations = || {
        let out = run_in(folder.path(), &["parse", "a.transcope.zip"], &[], b"").stdout;
        assert!(!out.contains(&token), "{out}");
        let json: Value = serde_json::from_str(&out).expect("it is JSON");
        let all = json["annotations"].as_array().expect("a list").iter();
        all.map(|note| format!("{} {}", note["item"], note["text"].as_str().unwrap_or_default())).collect::<Vec<_>>()
    };
    assert_eq!(annotations(), ["0 first", "1 is [secret:github-token#1] wrong?", "2 end"]);
    // Changes to a bundle's notes go to a separate file, and removed notes do not reappear.
    let bundle = folder.path().join("a.transcope.zip");
    let sidecar = transcope::config::bundle::sidecar_of(&bundle).expect("it can be used");
    for (edit, left) in edits.into_iter().zip([2, 1, 0]) {
        let NoteEdit::Put(note) = edit else { panic!("it was put") };
        sidecar.save(&[NoteEdit::Remove(note.id)], "2026-11-22T17:03:00Z").expect("notes can be saved");
        let notes = sidecar.read().expect("notes can be read");
        assert_eq!(notes.len(), left);
    }
}

/// The events of streams, each made from a piece of the model's text.
fn streams(pieces: &[&str]) -> Vec<(&'static str, String)> {
    let made = |write: &dyn Fn(&str) -> String| pieces.iter().map(|piece| write(piece)).collect::<String>();
    let events = |event: &dyn Fn(&str) -> Value| made(&|piece| format!("data: {}\n\n", event(piece)));
    let lines = |line: &dyn Fn(&str) -> Value| made(&|piece| format!("{}\n", line(piece)));
    let begun = json!({"type": "response.created", "response": {"id": "r", "model": "m", "output": []}});
    vec![
        (
            "chat.sse",
            events(&|piece| {
                json!({"object": "chat.completion.chunk", "id": "c", "model": "m",
                "choices": [{"index": 0, "delta": {"content": piece}, "finish_reason": null}]})
            }),
        ),
        (
            "gemini.sse",
            events(
                &|piece| json!({"candidates": [{"content": {"parts": [{"text": piece}], "role": "model"}}], "modelVersion": "g"}),
            ),
        ),
        (
            "responses.sse",
            format!("data: {begun}\n\n")
                + &events(&|piece| {
                    json!({"type": "response.output_text.delta", "item_id": "i", "output_index": 0, "content_index": 0,
                    "delta": piece})
                }),
        ),
        (
            "ollama.jsonl",
            lines(&|piece| {
                json!({"model": "m", "created_at": "2026-01-01T00:00:00Z",
                "message": {"role": "assistant", "content": piece}, "done": false})
            }),
        ),
        (
            "aisdk.sse",
            "data: {\"type\": \"start\", \"messageId\": \"m\"}\n\ndata: {\"type\": \"text-start\", \"id\": \"0\"}\n\n"
                .to_owned()
                + &events(&|piece| json!({"type": "text-delta", "id": "0", "delta": piece})),
        ),
    ]
}

#[test]
fn a_bundle_of_a_stream_holds_no_secret_that_its_chunks_divide() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let token = ["ghp", "_", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"].concat();
    let said =
        format!("the token is {token} and password=tr0ub4dor99 ok.\n<tool_call>\n{{\"name\": 1}}\n</tool_call>\n");
    for len in [1, 4, 7] {
        let pieces: Vec<&str> =
            said.as_bytes().chunks(len).map(|piece| str::from_utf8(piece).expect("ASCII")).collect();
        for (name, stream) in streams(&pieces) {
            fs::write(folder.path().join(name), stream).expect("a file can be made");
            let (code, issue, errors) =
                run_in(folder.path(), &["bundle", "-o", "a.zip", "--for", "issue", name], &[], b"").parts();
            assert!(
                code == 0 && errors.starts_with("redacted 2 kinds: 1 github-token, 1 password;"),
                "{name}: {errors}"
            );
            let text = run_in(folder.path(), &["parse", "--format", "text", "a.zip"], &[], b"").stdout;
            assert!(text.contains("is [secret:github-token#1] and password=[secret:password#1] ok."), "{name}: {text}");
            for made in [&issue, &text] {
                assert!(!made.contains(&token[4..14]) && !made.contains("tr0ub4dor"), "{name}: {made}");
            }
            fs::remove_file(folder.path().join("a.zip")).expect("it can be removed");
        }
    }
}

#[test]
fn a_secret_that_records_or_lines_divide_is_in_no_bundle() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let token = ["ghp", "_", "moHULzD9QO6sYSZ8", "jjTROQ8KaplGDxVTALZz"].concat();
    let record = |uuid: &str, id: &str, text: &str| {
        json!({"parentUuid": null, "uuid": uuid, "sessionId": "s", "type": "assistant", "timestamp": "2026-01-01T00:00:00.000Z",
            "message": {"id": id, "role": "assistant", "model": "x", "content": [{"type": "text", "text": text}]}})
        .to_string()
            + "\n"
    };
    let wrapped = "hS8sJq0ZpL2m\nXc7vB3nQ9wE5rT1yU6iO4pAaSdFgHjKlZxCv";
    for (text, secrets) in [
        (
            record("u1", "m1", &format!("tok {}", &token[..20]))
                + &record("u2", "m1", &format!("{} end", &token[20..])),
            vec![&token[4..20], &token[20..]],
        ),
        (
            record(
                "u1",
                "m1",
                &format!("we looked at the failing build and saw that ARGOCD_AUTH_TOKEN={wrapped} we saw\n"),
            ) + &record("u2", "m2", &format!("now ARGOCD_AUTH_TOKEN={} whole", wrapped.replace('\n', ""))),
            wrapped.split('\n').collect(),
        ),
    ] {
        fs::write(folder.path().join("a.jsonl"), text).expect("a file can be made");
        let (code, _, errors) = run_in(folder.path(), &["bundle", "-o", "a.zip", "a.jsonl"], &[], b"").parts();
        assert!(code == 0 && errors.starts_with("redacted 1 kind: 1 "), "{errors}");
        let mut made = run_in(folder.path(), &["parse", "--format", "text", "a.zip"], &[], b"").stdout;
        for format in ["html", "markdown", "json"] {
            made += &run_in(folder.path(), &["export", "--redact", "--to", format, "a.jsonl"], &[], b"").stdout;
        }
        assert!(secrets.iter().all(|secret| !made.contains(secret)), "{made}");
        fs::remove_file(folder.path().join("a.zip")).expect("it can be removed");
    }
}

#[test]
fn a_bundle_is_not_written_over_a_file() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    fs::write(folder.path().join("a.txt"), BAD).expect("a file can be made");
    let bundle = || run_in(folder.path(), &["bundle", "a.txt"], &[], b"").parts();
    let (code, out, errors) = bundle();
    assert_eq!((code, out.as_str()), (0, ""));
    assert_eq!(
        errors,
        "redacted nothing: no secret or private detail of a known kind found; review before sharing\n\
         a.transcope.zip: transcript.txt (78 bytes), manifest.json, settings.json, problems.json\n"
    );
    let (code, _, errors) = bundle();
    assert_eq!(
        (code, errors.as_str()),
        (2, "error: a.transcope.zip exists; choose another name with -o, or remove it\n")
    );
    let (code, out, _) = run_in(folder.path(), &["check", "a.transcope.zip"], &[], b"").parts();
    assert!(code == 1 && out.contains("a.transcope.zip:4:8"), "{out}");
}

#[test]
fn unredacted_bundles_print_a_warning() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    fs::write(folder.path().join("a.txt"), "password=tr0ub4dor-and-3\n").expect("a file can be made");
    let (_, out, errors) =
        run_in(folder.path(), &["bundle", "--no-redact", "--for", "issue", "a.txt"], &[], b"").parts();
    assert!(
        errors.starts_with(
            "WARNING: NOT REDACTED: secrets and private details stay in the bundle (it holds 1 password)\n"
        ),
        "{errors}"
    );
    assert!(out.contains("**The bundle is not redacted.**"), "{out}");
    let text = run_in(folder.path(), &["parse", "--format", "text", "a.transcope.zip"], &[], b"").stdout;
    assert!(text.contains("tr0ub4dor-and-3"), "{text}");
}

#[test]
fn what_redaction_changes_is_said() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    // The replacement of the id has a colon, after which the header would name dependencies.
    let token = ["ghp", "_", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"].concat();
    let text = format!("!!!GADGET_START:Greet:{token}\n!!!ARG:name\nAda\n!!!GADGET_END\n");
    fs::write(folder.path().join("a.txt"), text).expect("a file can be made");
    let (code, _, errors) = run_in(folder.path(), &["bundle", "a.txt"], &[], b"").parts();
    let said = "warning: redaction changed the problems of the transcript: unknown-dependency\n";
    assert!(code == 0 && errors.contains(said), "{errors}");
}

#[test]
fn nothing_of_a_transcript_acts_in_an_issue() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    for words in [
        "@ada #123 o/r#4 GH-5 https://example.com/x",
        "<script>alert(1)</script> <!-- <b> &lt;b&gt; </details>",
        "![picture](https://example.com/x.png) [link](javascript:alert(1))",
        "`code` `` code ``` | a | b |",
        "\u{1b}[31mred\u{202e}reversed",
    ] {
        let text = format!(
            "!!!GADGET_START:{words}:{words}\n!!!ARG:{words}\n{words}\n````\n~~~\n!!!ARG:{words}\n2\n!!!GADGET_END\n"
        );
        fs::write(folder.path().join("a.txt"), text).expect("a file can be made");
        let (code, out, errors) =
            run_in(folder.path(), &["bundle", "-o", "b.zip", "--for", "issue", "a.txt"], &[], b"").parts();
        assert_eq!(code, 0, "{errors}");
        fs::remove_file(folder.path().join("b.zip")).expect("it can be removed");
        let mut is_code = false;
        for event in Parser::new_ext(&out, Options::ENABLE_TABLES) {
            match event {
                Event::Start(Tag::CodeBlock(_)) => is_code = true,
                Event::End(pulldown_cmark::TagEnd::CodeBlock) => is_code = false,
                // All text outside code is ours: no name, number or address in it becomes a link.
                Event::Text(text) if !is_code => {
                    assert!(
                        !text.contains(['@', '#']) && !text.contains("://") && !text.contains("GH-"),
                        "{text} in\n{out}"
                    );
                }
                Event::Start(Tag::Image { .. } | Tag::Link { .. }) => panic!("{event:?} in\n{out}"),
                Event::Html(html) | Event::InlineHtml(html) => {
                    let is_ours = ["<details>", "</details>", "<summary>", "</summary>"];
                    let rest = is_ours.iter().fold(html.to_string(), |rest, tag| rest.replace(tag, ""));
                    assert!(!rest.contains('<'), "{html} in\n{out}");
                }
                _ => {}
            }
        }
        assert!(
            !out.contains(['\u{1b}', '\u{202e}'])
                && out.matches("<details>").count() == 1 + out.matches("`<details>").count()
        );
    }
}

#[test]
fn an_issue_fits_into_a_comment() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    for value in ["x".repeat(100_000), "`".repeat(100_000), "\u{200b}".repeat(50_000), "é\n".repeat(50_000)] {
        let key = &value.replace('\n', "")[..value.floor_char_boundary(900)];
        let text = format!("!!!GADGET_START:A:a\n!!!ARG:{key}\n1\n!!!ARG:{key}\n{value}\n!!!GADGET_END\n").repeat(30);
        fs::write(folder.path().join("a.txt"), text).expect("a file can be made");
        let (code, out, errors) =
            run_in(folder.path(), &["bundle", "-o", "b.zip", "--for", "issue", "a.txt"], &[], b"").parts();
        assert_eq!(code, 0, "{errors}");
        fs::remove_file(folder.path().join("b.zip")).expect("it can be removed");
        assert!(
            out.len() < 60_000 && out.contains("more are in the bundle") && out.contains("</details>"),
            "{}",
            out.len()
        );
    }
}
