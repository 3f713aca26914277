//! `--filter` and `grep`: the output for a transcript, and the error for an invalid expression.

use std::io::Write;
use std::process::Stdio;

use serde_json::Value;
use transcope::container::Container;
use transcope::dialect::Options;
use transcope::export::{events::EventWriter, ndjson::NdjsonWriter};
use transcope::filter::{Filter, Selection};
use transcope::session::Session;

use super::program::Run;
use super::{DEADLINE, folder, lines_of, program, run_in};

const FERRY: &[u8] = include_bytes!("../../samples/containers/claude-code/late-ferry.jsonl");
const WITHDRAWN: &[u8] = include_bytes!("../../samples/containers/ai-sdk-stream/withdrawn.sse");
const DEMO: &[u8] = include_bytes!("../../samples/demo.txt");
const NEAR_MISSES: &[u8] = include_bytes!("../../samples/gadget/near-miss-markers.txt");

/// Arguments; exit code, and parts of the output and of standard error. `""` means that nothing is printed.
type Case = (&'static [&'static str], i32, &'static str, &'static str);

const CASES: &[Case] = &[
    // Matches and their places.
    (
        &["grep", "failed", "ferry.jsonl"],
        0,
        "ferry.jsonl:6:304: call Bash (failed): command: pytest -q tests 2>&1 | tail -5, description: Run the tests\n\
         ferry.jsonl:8:319: result Bash (failed): FAILED tests/test_clock.py::test_late",
        "2 matches in 1 of 1 file\n",
    ),
    (
        &["grep", "id:*mail or tool:sendmail", "demo.txt"],
        0,
        "demo.txt:218:1: call SendMail tell_customers (skipped): ",
        "1 match in 1 of 1 file\n",
    ),
    (
        &["grep", "role:user", "ferry.jsonl"],
        0,
        "ferry.jsonl:2:224: text user: The timetable prints \"25:10\"",
        "1 match",
    ),
    (
        &["grep", "is:text rehearsal", "demo.txt"],
        0,
        "demo.txt:159:1: text: ## A rehearsal",
        "2 matches in 1 of 1 file\n",
    ),
    (
        &["grep", "tool:greet", "logs", "good.txt"],
        0,
        "logs/deep/bad.txt:1:1: call Greet greet_1 (rejected): name: Ada\n",
        "3 matches in 3 of 3 files\n",
    ),
    (&["grep", "has:error", "logs"], 0, "logs/deep/bad.txt:1:1", "1 match in 1 of 2 files\n"),
    (
        &["grep", "--format", "ndjson", "tool:greet", "good.txt"],
        0,
        "{\"path\":\"good.txt\",\"line\":3,\"column\":1,\"item\":1,\"type\":\"call\",\"role\":null,\"tool\":\"Greet\",\"id\":\"greet_1\",\
         \"dialect\":\"gadget\",\"outcome\":null,\"summary\":\"name: Ada, times: 3\"}\n",
        "1 match",
    ),
    (
        &["grep", "--format", "csv", "tool:greet", "good.txt"],
        0,
        "path,line,column,item,type,role,tool,id,dialect,outcome,summary\n\
         good.txt,3,1,1,call,,Greet,greet_1,gadget,,\"name: Ada, times: 3\"\n",
        "1 match",
    ),
    (&["grep", "--dialect", "hermes", "tool:greet", "good.txt"], 1, "", "no matches in 1 file\n"),
    (&["grep", "--format", "csv", "open", "good.txt"], 1, "path,line", "no matches in 1 file\n"),
    (&["grep", "--format", "ndjson", "is:text", "-"], 1, "", "no matches in 1 file\n"),
    // Unreadable files do not hide the rest.
    (
        &["grep", "tool:greet", "nope.txt", "good.txt"],
        2,
        "good.txt:3:1: call Greet",
        "error: could not open nope.txt: no such file",
    ),
    (&["grep", "tool:greet", "cut.gz"], 2, "cut.gz:3:1: call Greet greet_1: name: A\n", "error: could not read cut.gz"),
    (&["grep", "tool:greet", "nowhere/"], 2, "", "error: could not open nowhere/"),
    (&["grep", "failed"], 2, "", "<PATH>"),
    // Only selected items are checked.
    (&["check", "--filter", "tool:WriteFile", "demo.txt"], 0, "\n2 warnings in 1 file (filter: tool:WriteFile)\n", ""),
    (&["check", "--filter", "tool:SendMail", "demo.txt"], 1, "\n1 error in 1 file (filter: tool:SendMail)\n", ""),
    (&["check", "--filter", "failed", "demo.txt"], 0, "no problems in 1 file (filter: failed)\n", ""),
    (&["check", "--filter", "tool:SendMail", "--format", "json", "demo.txt"], 1, "\"filter\": \"tool:SendMail\"", ""),
    (
        &["check", "--filter", "tool:AddNote", "--max", "near-miss-marker=0", "demo.txt"],
        1,
        "1 × near-miss-marker, but",
        "",
    ),
    (
        &["check", "--filter", "not tool:AddNote", "--max", "near-miss-marker=0", "demo.txt"],
        1,
        "errors, 5 warnings in",
        "",
    ),
    // Output for people names the filter at the top.
    (
        &["parse", "--format", "text", "--filter", "failed", "ferry.jsonl"],
        0,
        "filter: failed (1 of 3 calls)\n\n── assistant",
        "",
    ),
    (
        &["export", "--to", "markdown", "--filter", "failed", "ferry.jsonl"],
        0,
        "# ferry.jsonl\n\nfilter: failed (1 of 3 calls)\n",
        "",
    ),
    (
        &["export", "--to", "html", "--filter", "id:\"<b>\"", "ferry.jsonl"],
        0,
        "filter: id:&#34;&#60;b&#62;&#34; (0 of 3 calls)",
        "",
    ),
    (&["export", "--to", "json", "--filter", "failed", "ferry.jsonl"], 0, "\"filter\": \"failed\"", ""),
    (
        &["parse", "--format", "ndjson", "--filter", "failed", "ferry.jsonl"],
        0,
        "\"calls\":3,\"errors\":0,\"warnings\":0,\"filter\":\"failed\",\"selected\":2}\n",
        "",
    ),
    // Invalid expressions.
    (
        &["grep", "failed code:aray-gap", "demo.txt"],
        2,
        "",
        "error: invalid filter: unknown code \"aray-gap\"; did you mean array-gap?\n  failed code:aray-gap\n              ^^^^^^^^\n",
    ),
    (
        &["check", "--filter", "(failed", "demo.txt"],
        2,
        "",
        "error: invalid filter: unclosed parenthesis; add ) where the group ends\n  (failed\n  ^\n",
    ),
    (&["parse", "--filter", "tol:x", "demo.txt"], 2, "", "did you mean tool:Bash?\n  tol:x\n  ^^^^\n"),
    (&["export", "--to", "json", "--filter", "a\u{1b}[2J or", "demo.txt"], 2, "", "  a␛[2J or\n          ^\n"),
];

#[test]
fn filters_give_these_exit_codes_and_words() {
    let folder = folder();
    std::fs::write(folder.path().join("ferry.jsonl"), FERRY).expect("a file can be made");
    let mut faults = Vec::new();
    for (arguments, code, stdout, stderr) in CASES {
        let run = run_in(folder.path(), arguments, &[], b"");
        let fits =
            |written: &str, expected: &str| written.contains(expected) && (!expected.is_empty() || written.is_empty());
        if run.code != *code || !fits(&run.stdout, stdout) || !fits(&run.stderr, stderr) {
            let Run { code, stdout, stderr } = run;
            faults.push(format!("{arguments:?} gives {code}\n--- stdout\n{stdout}\n--- stderr\n{stderr}"));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn items_problems_and_messages_of_a_selection_fit_together() {
    let folder = folder();
    let parse = |filter: &str, input: &[u8]| -> Value {
        let run = run_in(folder.path(), &["parse", "--filter", filter, "-"], &[], input);
        serde_json::from_str(&run.stdout).expect("one object")
    };
    let json = parse("tool:SendMail or has:error", DEMO);
    let ids: Vec<&str> =
        json["items"].as_array().expect("items").iter().filter_map(|item| item["id"].as_str()).collect();
    assert_eq!(ids, ["backup", "rehearsal", "tell_customers"]);
    let problems = json["diagnostics"].as_array().expect("problems").iter();
    let problems: Vec<(&Value, &Value)> = problems.map(|problem| (&problem["code"], &problem["item"])).collect();
    assert_eq!(
        problems,
        [
            (&"duplicate-pointer".into(), &0.into()),
            (&"array-gap".into(), &1.into()),
            (&"unknown-dependency".into(), &2.into())
        ]
    );
    let json = parse("failed", FERRY);
    assert_eq!((&json["items"][1]["call"], &json["items"][1]["ground"]), (&0.into(), &"id".into()));
    let of_items: Vec<&Value> = json["items"].as_array().expect("items").iter().map(|item| &item["message"]).collect();
    let messages: Vec<&Value> =
        json["messages"].as_array().expect("messages").iter().map(|message| &message["index"]).collect();
    assert_eq!(of_items, messages);
    let json = parse("is:result failed", FERRY);
    assert_eq!(
        (&json["items"][0]["call"], &json["items"][0]["ground"]),
        (&Value::Null, &Value::Null),
        "its call is not printed"
    );
}

/// The output for a text that arrives in chunks of `step` bytes.
fn streamed(bytes: &[u8], step: usize, filter: &Filter) -> [String; 2] {
    let mut session = Session::new(Container::default(), &Options::default());
    let mut records = NdjsonWriter::with_filter(filter.clone());
    let mut events = EventWriter::with_filter(filter.clone());
    let (mut lines, mut parts) = (Vec::new(), Vec::new());
    let mut advance = |session: &Session| {
        records.advance(&mut lines, session).and_then(|()| events.advance(&mut parts, session)).expect("into memory");
    };
    for piece in bytes.chunks(step) {
        session.push(piece);
        advance(&session);
    }
    session.finish();
    advance(&session);
    [lines, parts].map(|written| String::from_utf8(written).expect("JSON is UTF-8"))
}

#[test]
fn a_filtered_stream_is_the_same_however_it_arrives_and_what_the_whole_file_gives() {
    for bytes in [FERRY, WITHDRAWN, DEMO, NEAR_MISSES] {
        let whole = Session::from_bytes(bytes);
        for expression in [
            "failed",
            "not failed",
            "skipped or rejected",
            "open",
            "has:problem",
            "not has:warning",
            "is:text",
            "tool:*",
            "has:result is:call",
            "code:near-miss-marker",
            "/e/ dep<2",
            "role:tool or failed",
        ] {
            let filter = Filter::parse(expression).expect("a filter");
            let [lines, events] = streamed(bytes, bytes.len(), &filter);
            for step in [1, 61, 1000] {
                let cut = streamed(bytes, step, &filter);
                assert_eq!(cut, [lines.clone(), events.clone()], "{expression} by {step} bytes");
            }
            let records: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
            let items = records.iter().filter(|record| {
                !["diagnostic", "withdrawn", "end"].contains(&record["type"].as_str().expect("a type"))
            });
            let items: Vec<&Value> = items.collect();
            let mut starts: Vec<u64> = items.iter().filter_map(|item| item["span"][0].as_u64()).collect();
            starts.sort_unstable();
            let selection = Selection::new(&filter, &whole);
            let expected = selection.items().iter().filter_map(|&item| whole.document().items().span(item));
            let expected: Vec<u64> = expected.map(|span| span.start as u64).collect();
            assert_eq!(starts, expected, "{expression}");
            for problem in records.iter().filter(|record| record["type"] == "diagnostic") {
                let Some(item) = problem["item"].as_u64() else { continue };
                let (item, span) = (items[item as usize], &problem["span"]);
                assert!(item["span"][0].as_u64() <= span[0].as_u64(), "{expression}: {problem} is not of {item}");
                assert!(item["span"][1].as_u64() >= span[0].as_u64(), "{expression}: {problem} is not of {item}");
            }
        }
    }
}

#[test]
fn a_call_is_printed_when_its_result_says_that_it_failed() {
    let folder = folder();
    let mut child = program(folder.path())
        .args(["parse", "--format", "ndjson", "--filter", "failed"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the program can be started");
    let mut stdin = child.stdin.take().expect("the input is a pipe");
    let lines = lines_of(child.stdout.take().expect("the output is a pipe"));
    let next = || lines.recv_timeout(DEADLINE).expect("there is a line in time");
    // Up to the record after the results, so that both are final.
    let records: Vec<&[u8]> = FERRY.split_inclusive(|&byte| byte == b'\n').collect();
    stdin.write_all(&records[..10].concat()).expect("the program reads");
    stdin.flush().expect("the program reads");
    let [call, result] = [next(), next()];
    assert!(call.starts_with("{\"type\":\"call\"") && call.contains("toolu_01B"), "{call}");
    assert!(result.starts_with("{\"type\":\"result\"") && result.contains("\"call\":0"), "{result}");
    drop(stdin);
    // Output that depends on all calls comes at the end.
    let problem = next();
    let facts = |line: &String| {
        ["times", "session", "turn", "request"].iter().any(|kind| line.starts_with(&format!("{{\"type\":\"{kind}\"")))
    };
    let end = std::iter::repeat_with(next).find(|line| !facts(line)).unwrap_or_default();
    assert!(problem.contains("\"code\":\"tool-failed\""), "{problem}");
    assert!(end.starts_with("{\"type\":\"end\""), "{end}");
    assert!(child.wait().expect("it ends").success());
}

#[test]
fn standard_input_is_searched_as_a_file_is() {
    let folder = folder();
    let [text, ndjson] = ["text", "ndjson"]
        .map(|format| run_in(folder.path(), &["grep", "--format", format, "failed", "-"], &[], FERRY).stdout);
    assert!(text.starts_with("stdin:6:304: call Bash (failed): "), "{text}");
    assert!(ndjson.starts_with("{\"path\":\"-\",\"line\":6,"), "{ndjson}");
}

#[test]
fn turns_and_times_cut_a_session_as_their_terms_do() {
    let path = format!("{}/samples/containers/claude-code/leap-day.jsonl", env!("CARGO_MANIFEST_DIR"));
    let folder = tempfile::tempdir().expect("a folder can be made");
    let parsed = |options: &[&str]| {
        let arguments = [&["parse", "--format", "text"], options, &[path.as_str()]].concat();
        run_in(folder.path(), &arguments, &[], b"").parts()
    };
    for (options, filter) in [
        (&["--turns", "2"][..], "turn:2"),
        (&["--turns", "-1"], "turn:-1"),
        (&["--turns", "last"], "turn:last"),
        (&["--range", "1m..5m"], "after:1m before:5m"),
        (&["--range", "..10:02"], "before:10:02"),
        (
            &["--range", "2026-03-01T10:00..", "--turns", "1-2", "--filter", "failed or is:turn"],
            "after:2026-03-01T10:00 turn:1-2 (failed or is:turn)",
        ),
    ] {
        let (code, out, errors) = parsed(options);
        assert_eq!((code, errors.as_str()), (0, ""), "{options:?}");
        assert!(out.starts_with(&format!("filter: {filter} (")) && out.lines().count() > 3, "{options:?}: {out}");
        assert_eq!(parsed(&["--filter", filter]).1, out, "{options:?}");
    }
}
