//! The contract of the machine-readable output: the examples in the descriptions of the formats give the results that
//! they show, and the JSON is valid for every sample, however the bytes arrive.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use transcope::container::Container;
use transcope::dialect::Options;
use transcope::dialect::gadget::Markers;
use transcope::export::events::EventWriter;
use transcope::export::linear::LinearWriter;
use transcope::export::ndjson::NdjsonWriter;
use transcope::export::{json as transcript, text};
use transcope::session::Session;

#[test]
fn the_examples_of_the_descriptions_give_the_printed_results() {
    let mut cases = 0;
    for line in include_str!("../data/seeds/gadget.jsonl").lines() {
        let case: Value = serde_json::from_str(line).expect("each line is a JSON object");
        cases += 1;
        let option = |name: &str| case["options"][name].as_str();
        let markers = Markers::custom(option("start"), option("end"), option("arg")).expect("the markers are fine");
        let options = Options { markers, ..Options::default() };
        let input = case["input"].as_str().expect("each case has an input");
        let session = Session::read(input.as_bytes(), &options);
        let object = object(&session);
        let name = &case["name"];
        let items = || object["items"].as_array().expect("a list").iter();
        let calls: Vec<&Value> = items().filter(|item| item["type"] == "call").collect();
        if let Some(error) = case.get("error") {
            assert_eq!(calls[0]["parse_error"], *error, "{name}");
            assert_eq!(calls[0]["parameters"], Value::Null, "{name}");
            let raw = calls[0]["parameters_raw"].as_str().expect("a text");
            assert!(raw.starts_with("!!!ARG:") && input.contains(raw), "{name}: {raw}");
        } else {
            let shape = |call: &&Value| {
                json!({
                    "name": call["name"],
                    "id": call["id"],
                    "dependencies": call["dependencies"],
                    "parameters": call["parameters"],
                })
            };
            let found: Vec<Value> = calls.iter().map(shape).collect();
            assert_eq!(Value::Array(found), case["calls"], "{name}");
        }
        if let Some(texts) = case.get("texts") {
            let trimmed = items().filter_map(|item| item["text"].as_str()).map(str::trim);
            let found: Vec<&str> = trimmed.filter(|text| !text.is_empty()).collect();
            assert_eq!(json!(found), *texts, "{name}");
        }
        if let Some(waves) = case.get("waves") {
            assert_eq!(object["graph"]["waves"], *waves, "{name}");
        }
    }
    assert!(cases > 30, "only {cases} cases were read");
}

#[test]
fn the_object_has_its_shape_for_every_transcript() {
    for (name, bytes) in transcripts() {
        let object = object(&Session::from_bytes(&bytes));
        assert_eq!(object["schema_version"], 1);
        assert_eq!(object["source"], json!({ "path": "a.txt", "bytes": bytes.len(), "container": "plain" }));
        let mut end = 0;
        for item in object["items"].as_array().expect("a list") {
            let (start, item_end) = span(&item["span"]);
            assert_eq!(start, end, "{name}: a gap or an overlap");
            end = item_end;
            match item["type"].as_str() {
                Some("text") => assert_eq!(keys(item), ["type", "message", "span", "text"]),
                Some("call") => call_has_its_shape(&name, item),
                other => panic!("{name}: an item of type {other:?}"),
            }
        }
        assert_eq!(end, bytes.len(), "{name}: the end is in no item");
        for diagnostic in object["diagnostics"].as_array().expect("a list") {
            for key in ["code", "severity", "message", "span", "line", "column", "item", "help", "related"] {
                assert!(diagnostic.get(key).is_some(), "{name}: {key} is missing");
            }
            assert!(span(&diagnostic["span"]).1 <= bytes.len());
        }
        for key in ["waves", "edges", "cycles", "missing", "skipped"] {
            assert!(object["graph"][key].is_array(), "{name}: {key} is missing");
        }
    }
}

fn call_has_its_shape(name: &str, call: &Value) {
    let expected = [
        "type",
        "message",
        "span",
        "line",
        "end_line",
        "dialect",
        "name",
        "id",
        "generated_id",
        "dependencies",
        "status",
        "parameters",
        "parameters_raw",
        "parse_error",
        "partial",
        "arguments",
        "state",
        "output",
        "error_text",
        "extra",
    ];
    assert_eq!(keys(call), expected, "{name}");
    assert_ne!(call["parameters"].is_null(), call["parse_error"].is_null(), "{name}: {call}");
    assert_eq!(call["partial"].is_null(), call["parse_error"].is_null(), "{name}: {call}");
    let status = call["status"].as_str().expect("a word");
    assert!(["complete", "implicit", "unterminated"].contains(&status), "{name}: {status}");
    assert!(call["line"].as_u64() <= call["end_line"].as_u64(), "{name}: {call}");
}

#[test]
fn lines_are_those_of_the_first_and_the_last_byte() {
    let object = object(&Session::from_bytes(
        b"a\n\n!!!GADGET_START:A\n!!!ARG:x\n1\n!!!GADGET_END\n!!!GADGET_START:B\n!!!ARG:y\n2\n",
    ));
    let lines: Vec<(u64, u64)> = object["items"]
        .as_array()
        .expect("a list")
        .iter()
        .filter_map(|item| Some((item["line"].as_u64()?, item["end_line"].as_u64()?)))
        .collect();
    assert_eq!(lines, [(3, 6), (7, 9)]);
}

#[test]
fn the_same_bytes_give_the_same_output_however_they_arrive() {
    for (name, bytes) in transcripts().into_iter().chain(files_in(&containers())) {
        let whole = every_output(&bytes, bytes.len().max(1));
        for piece in [1, 7, 64, 1000] {
            let cut = every_output(&bytes, piece);
            for (whole, cut) in whole.iter().zip(&cut) {
                assert_eq!(whole, cut, "{name} in pieces of {piece}");
            }
        }
    }
}

#[test]
fn records_and_events_say_what_the_object_says() {
    for (name, bytes) in transcripts() {
        let [object, records, events, ..] = every_output(&bytes, 10);
        let object: Value = serde_json::from_str(&object).expect("it is JSON");
        let parse = |lines: &str| -> Vec<Value> {
            lines.lines().map(|line| serde_json::from_str(line).expect("each line is JSON")).collect()
        };
        let records = parse(&records);
        let items: Vec<&Value> =
            records.iter().filter(|record| record["type"] == "text" || record["type"] == "call").collect();
        assert_eq!(json!(items), object["items"], "{name}");
        let problems = records.iter().filter(|record| record["type"] == "diagnostic").count();
        assert_eq!(problems, object["diagnostics"].as_array().expect("a list").len(), "{name}");
        assert_eq!(records.last().expect("there is an end")["type"], "end", "{name}");

        let events = parse(&events);
        let text: String = events.iter().filter_map(|event| event["delta"].as_str()).collect();
        let expected: String = items.iter().filter_map(|item| item["text"].as_str()).collect();
        assert_eq!(text, expected, "{name}");
        let count = |kind: &str| events.iter().filter(|event| event["type"] == kind).count();
        assert_eq!(count("tool-input-available"), items.iter().filter(|item| item["type"] == "call").count());
        let failed = |item: &&&Value| {
            item["parse_error"].is_string() || item["error_text"].is_string() || item["state"] == "output-error"
        };
        assert_eq!(count("tool-output-error"), items.iter().filter(failed).count(), "{name}");
        assert_eq!(count("text-start"), count("text-end"));
        assert_eq!(count("finish"), 1);
    }
}

/// All transcripts of the project.
fn transcripts() -> Vec<(String, Vec<u8>)> {
    let dialects = Session::from_bytes(b"").dialect_names();
    let folders = dialects.iter().flat_map(|name| {
        [format!("samples/{name}"), format!("tests/data/{name}/ok"), format!("tests/data/{name}/err")]
    });
    let mut transcripts = files_in(&folders.chain(["samples".to_owned()]).collect::<Vec<_>>());
    assert!(transcripts.len() > 100);
    let extra = [("nothing", &b""[..]), ("cut character", b"a\xe2\x82"), ("line feeds", b"\n\n")];
    transcripts.extend(extra.map(|(name, bytes)| (name.to_owned(), bytes.to_vec())));
    transcripts
}

/// The folders of recorded sessions.
fn containers() -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/containers");
    let kinds = fs::read_dir(root).expect("it can be read");
    let name = |kind: fs::DirEntry| format!("samples/containers/{}", kind.file_name().to_string_lossy());
    kinds.map(|kind| name(kind.expect("readable"))).collect()
}

/// The names and bytes of all files in some folders, which need not exist.
fn files_in(folders: &[String]) -> Vec<(String, Vec<u8>)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut paths: Vec<PathBuf> = folders
        .iter()
        .filter_map(|folder| fs::read_dir(root.join(folder)).ok())
        .flatten()
        .map(|entry| entry.expect("readable").path())
        .filter(|path| path.is_file())
        .collect();
    paths.sort();
    let read = |path: PathBuf| (path.display().to_string(), fs::read(&path).expect("a transcript can be read"));
    paths.into_iter().map(read).collect()
}

/// The object, the records, the events, the lines and the text for a transcript that arrives in chunks.
fn every_output(bytes: &[u8], piece: usize) -> [String; 5] {
    let mut session = Session::new(Container::default(), &Options::default());
    let (mut ndjson, mut records) = (NdjsonWriter::default(), Vec::new());
    let (mut writer, mut events) = (EventWriter::default(), Vec::new());
    let (mut linear, mut lines) = (LinearWriter::default(), Vec::new());
    for piece in bytes.chunks(piece) {
        session.push(piece);
        ndjson.advance(&mut records, &session).expect("a vector takes everything");
        writer.advance(&mut events, &session).expect("a vector takes everything");
        linear.advance(&mut lines, &session).expect("a vector takes everything");
    }
    session.finish();
    linear.advance(&mut lines, &session).expect("a vector takes everything");
    ndjson.advance(&mut records, &session).expect("a vector takes everything");
    writer.advance(&mut events, &session).expect("a vector takes everything");
    let mut readable = Vec::new();
    text::write(&mut readable, &session, 80, None).expect("a vector takes everything");
    let text = |bytes| String::from_utf8(bytes).expect("the output is UTF-8");
    [whole(&session), text(records), text(events), text(lines), text(readable)]
}

fn whole(session: &Session) -> String {
    let mut out = Vec::new();
    transcript::write_transcript(&mut out, session, "a.txt", None, None).expect("a vector takes everything");
    String::from_utf8(out).expect("JSON is UTF-8")
}

fn object(session: &Session) -> Value {
    serde_json::from_str(&whole(session)).expect("it is JSON")
}

fn span(value: &Value) -> (usize, usize) {
    serde_json::from_value(value.clone()).expect("a span is a pair of numbers")
}

fn keys(value: &Value) -> Vec<&str> {
    value.as_object().expect("an object").keys().map(String::as_str).collect()
}
