//! Detection of a file's container by its first records, whatever precedes them, and how much of it is understood.
//!
//! Each row is a file: lines of short words, which stand for records. It makes no difference whether it comes whole or
//! byte by byte.

use std::sync::Arc;

use transcope::container::{Container, ContainerReader};
use transcope::diagnostic::Severity;
use transcope::dialect::Options;
use transcope::session::Session;
use transcope::text::store::Backing;

/// Records, by the words that stand for them in the table.
const RECORDS: [(&str, &str); 31] = [
    // Messages of chat completions.
    ("u", r#"{"role":"user","content":"What is at the door?"}"#),
    (
        "a",
        r#"{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"look","arguments":"{\"at\": \"door\"}"}}]}"#,
    ),
    ("t", r#"{"role":"tool","tool_call_id":"c1","content":"a cat"}"#),
    (
        "m",
        r#"{"model":"m","messages":[{"role":"user","content":"What is at the door?"},{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"look","arguments":"{}"}}]},{"role":"tool","tool_call_id":"c1","content":"a cat"}]}"#,
    ),
    (
        "answer",
        r#"{"id":"r1","object":"chat.completion","choices":[{"index":0,"message":{"role":"assistant","content":"A cat."}}]}"#,
    ),
    (
        "exchange",
        r#"{"request":{"model":"m","system":"Be brief.","messages":[{"role":"user","content":"Who?"}]},"response":{"id":"r1","choices":[{"index":0,"message":{"role":"assistant","content":"A cat."}}]}}"#,
    ),
    (
        "batch",
        r#"{"custom_id":"q-1","method":"POST","url":"/v1/chat/completions","body":{"model":"m","messages":[{"role":"user","content":"Who?"}]}}"#,
    ),
    (
        "batched",
        r#"{"id":"b1","custom_id":"q-1","response":{"status_code":200,"body":{"choices":[{"index":0,"message":{"role":"assistant","content":"A cat."}}]}},"error":null}"#,
    ),
    (
        "refused",
        r#"{"id":"b2","custom_id":"q-2","response":{"status_code":400,"body":{"error":{"message":"no model"}}},"error":null}"#,
    ),
    (
        "claude",
        r#"{"custom_id":"q-1","result":{"type":"succeeded","message":{"id":"m1","type":"message","role":"assistant","model":"c","content":[{"type":"text","text":"A cat."}]}}}"#,
    ),
    (
        "line",
        r#"{"id":"q-1","conversations":[{"role":"user","content":"Who?"},{"role":"assistant","content":"A cat."}]}"#,
    ),
    // Records of Claude Code.
    (
        "cu",
        r#"{"type":"user","sessionId":"s","uuid":"u1","parentUuid":null,"message":{"role":"user","content":"Look."}}"#,
    ),
    (
        "ca",
        r#"{"type":"assistant","sessionId":"s","uuid":"u2","parentUuid":"u1","message":{"id":"m1","role":"assistant","content":[{"type":"tool_use","id":"t1","name":"Read","input":{"path":"a"}}]}}"#,
    ),
    (
        "cr",
        r#"{"type":"user","sessionId":"s","uuid":"u3","parentUuid":"u2","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"x"}]}}"#,
    ),
    // Spans of a trace.
    (
        "span",
        r#"{"name":"GET /","trace_id":"t","span_id":"s1","attributes":{"http.request.method":"GET"},"status":{"code":0}}"#,
    ),
    (
        "chatted",
        r#"{"name":"chat m","trace_id":"t","span_id":"s2","attributes":{"gen_ai.input.messages":[{"role":"user","parts":[{"type":"text","content":"Look."}]}]}}"#,
    ),
    (
        "otlp",
        r#"{"resourceSpans":[{"scopeSpans":[{"spans":[{"name":"execute_tool look","spanId":"s3","attributes":[{"key":"gen_ai.operation.name","value":{"stringValue":"execute_tool"}},{"key":"gen_ai.tool.name","value":{"stringValue":"look"}}]}]}]}]}"#,
    ),
    // Events of a stream.
    (
        "event",
        "data: {\"id\":\"x\",\"object\":\"chat.completion.chunk\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"A cat.\"},\"finish_reason\":\"stop\"}]}\n",
    ),
    // Records of none of these.
    ("other", r#"{"level":30,"msg":"started"}"#),
    ("prose", "That is how it looks."),
    ("log", "2026-11-22 10:00:01 INFO the agent starts"),
    ("warn", "[WARN] slow disk"),
    ("cut", r#"nd so on.\n\n\"Done.\"","uuid":"u0"}"#),
    ("torn", r#"{"type":"user","sessionId":"s","uuid":"u0","message":{"role":"user","content":"Lo"#),
    ("lost", "\0\0\0\0\0\0"),
    // First records of other programs.
    (
        "mine",
        r#"{"type":"system","session_id":"s","timestamp":"2026-11-22T10:00:00.000Z","model":"m","cwd":"/a","id":"s1"}"#,
    ),
    (
        "theirs",
        r#"{"uuid":"u1","parentUuid":"u0","session":"s","type":"system","subtype":"ui_telemetry","message":{"role":"system","parts":[]}}"#,
    ),
    ("bent", r#"{"type":"user","sessionId":"s",,"uuid":"u0"}"#),
    ("mode", "-*- mode: fundamental -*-\n> isort: passed"),
    ("chat", "# aider chat started at 2026-11-22 10:00:00\n\n#### Look.\n\nIt is a door."),
    ("headers", "HTTP/2 200 \r\ncontent-type: text/event-stream\r\n\r"),
];

/// Records, or the elements of an array; the container; how much of it was understood; and the numbers of messages,
/// calls and problems.
type Row = (&'static str, &'static str, &'static str, [usize; 3]);

const FILES: [Row; 47] = [
    ("u a t", "openai-chat", "3 of 3", [3, 1, 0]),
    ("u", "plain", "", [1, 0, 0]),
    ("u prose", "plain", "", [1, 0, 0]),
    ("u other u", "openai-chat", "2 of 3", [2, 0, 1]),
    ("other other", "plain", "", [1, 0, 0]),
    ("[u a t]", "openai-chat", "3 of 3", [3, 1, 0]),
    ("m m m", "openai-chat", "3 of 3", [9, 3, 0]),
    ("[m m]", "openai-chat", "2 of 2", [6, 2, 0]),
    ("m other m", "openai-chat", "2 of 3", [6, 2, 1]),
    ("line line", "openai-chat", "2 of 2", [4, 0, 0]),
    ("[line line]", "openai-chat", "2 of 2", [4, 0, 0]),
    ("answer answer", "openai-chat", "2 of 2", [2, 0, 0]),
    ("exchange", "openai-chat", "", [3, 0, 0]),
    ("batch batch", "openai-chat", "2 of 2", [2, 0, 0]),
    ("batched refused", "openai-chat", "2 of 2", [2, 0, 0]),
    ("claude", "openai-chat", "", [1, 0, 0]),
    ("cu ca cr", "claude-code", "3 of 3", [3, 1, 0]),
    ("[cu ca cr]", "claude-code", "3 of 3", [3, 1, 0]),
    ("cu other ca cr", "claude-code", "3 of 4", [3, 1, 1]),
    ("other cu ca cr", "claude-code", "3 of 4", [4, 1, 1]),
    ("other other other cu", "plain", "", [1, 0, 0]),
    ("chatted", "otel", "", [1, 0, 0]),
    ("span span span chatted", "otel", "4 of 4", [1, 0, 0]),
    ("[span chatted]", "otel", "2 of 2", [1, 0, 0]),
    ("otlp otlp", "otel", "2 of 2", [2, 2, 0]),
    ("span other chatted", "otel", "2 of 3", [2, 0, 1]),
    ("log cu ca cr", "claude-code", "3 of 3", [4, 1, 0]),
    ("warn log cu ca cr", "claude-code", "3 of 3", [4, 1, 0]),
    ("log prose", "plain", "", [1, 0, 0]),
    ("cut cu ca cr", "claude-code", "3 of 3", [4, 1, 1]),
    ("cut prose", "plain", "", [1, 0, 0]),
    ("torn cu ca cr", "claude-code", "3 of 3", [4, 1, 1]),
    ("bent cu ca cr", "claude-code", "3 of 3", [4, 1, 1]),
    ("torn prose", "plain", "", [1, 0, 0]),
    ("torn other other", "plain", "", [1, 0, 0]),
    ("torn cut cu ca cr", "claude-code", "3 of 3", [4, 1, 1]),
    ("torn torn cu ca cr", "claude-code", "3 of 3", [4, 1, 1]),
    ("lost cu ca cr", "claude-code", "3 of 3", [4, 1, 2]),
    ("prose cu ca cr", "plain", "", [1, 1, 0]),
    ("prose other other", "plain", "", [1, 0, 0]),
    ("mine", "plain", "", [1, 0, 0]),
    ("theirs", "plain", "", [1, 0, 0]),
    ("headers event", "openai-chat-stream", "", [2, 0, 0]),
    ("headers answer", "openai-chat", "", [2, 0, 0]),
    ("event", "openai-chat-stream", "", [1, 0, 0]),
    ("mode chat", "aider", "", [4, 0, 0]),
    ("mode prose", "plain", "", [1, 0, 0]),
];

/// Rows that a complete file reads differently from one that still arrives, and some that it must not.
const COMPLETE: [Row; 11] = [
    ("prose cu ca cr", "claude-code", "3 of 4", [4, 1, 1]),
    ("prose warn prose other cu ca cr", "claude-code", "3 of 5", [4, 1, 2]),
    ("warn prose cu ca cr", "claude-code", "3 of 4", [4, 1, 1]),
    ("prose prose prose prose prose cu ca cr", "plain", "", [1, 1, 0]),
    ("prose cu", "plain", "", [1, 0, 0]),
    ("prose cu prose ca", "plain", "", [1, 1, 0]),
    ("prose u a t", "plain", "", [1, 1, 0]),
    ("prose other other other cu ca", "plain", "", [1, 1, 0]),
    ("prose mode cu ca cr", "plain", "", [1, 1, 0]),
    // Quoted records, after which the text continues.
    ("prose cu ca cr cu ca cr cu ca cr prose", "plain", "", [1, 3, 2]),
    // A log of requests.
    ("prose m m m", "plain", "", [1, 3, 2]),
];

/// The file that a row describes.
fn file(words: &str) -> String {
    let record = |word: &str| {
        let found = RECORDS.iter().find(|(name, _)| *name == word);
        found.unwrap_or_else(|| panic!("{word:?} is no record")).1
    };
    let inner = words.strip_prefix('[').and_then(|words| words.strip_suffix(']'));
    let records: Vec<&str> = inner.unwrap_or(words).split(' ').map(record).collect();
    match inner {
        Some(_) => format!("[{}]\n", records.join(",\n")),
        None => records.join("\n") + "\n",
    }
}

/// Reads each file and compares it with its row.
fn check(rows: &[Row], is_complete: bool) {
    let mut faults = Vec::new();
    for &(words, container, understood, counts) in rows {
        let text = file(words);
        let mut session = Session::new(Container::default(), &Options::default());
        session.back(Backing::new(Arc::<[u8]>::from(text.as_bytes())).with_end(is_complete));
        session.push(text.as_bytes());
        session.finish();
        let choice = session.choice().expect("a whole file is something");
        let document = session.document();
        let problems = document.diagnostics().iter().filter(|found| found.severity != Severity::Note).count();
        let found = [document.messages().len(), document.calls().len(), problems];
        let told = choice.summary();
        let told = told.rsplit("; ").next().and_then(|told| told.strip_suffix(" records were understood"));
        let told = told.unwrap_or_default();
        if (choice.about.name, told, found) != (container, understood, counts) {
            faults.push(format!("{words}: {} ({}), {told:?}, {found:?}", choice.about.name, choice.reason));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn a_file_is_what_most_of_its_first_records_are() {
    check(&FILES, false);
}

#[test]
fn a_complete_file_is_a_session_although_other_text_precedes_its_records() {
    let differs = |row: &Row| COMPLETE.iter().any(|(words, ..)| *words == row.0);
    let others: Vec<Row> = FILES.into_iter().filter(|row| !differs(row)).collect();
    check(&others, true);
    check(&COMPLETE, true);
}

#[test]
fn how_a_file_arrives_makes_no_difference_to_what_it_is() {
    let rows = FILES.iter().map(|row| (row, false));
    for ((words, ..), is_complete) in rows.chain(COMPLETE.iter().map(|row| (row, true))) {
        let text = file(words);
        let read = |size: usize| {
            let mut reader = ContainerReader::new(Container::default());
            if is_complete {
                reader.expect_end();
            }
            let mut batch = transcope::container::Batch::default();
            for piece in text.as_bytes().chunks(size) {
                super::containers::add(&mut batch, reader.push(piece));
            }
            super::containers::add(&mut batch, reader.finish());
            (batch, reader.choice())
        };
        assert_eq!(read(1), read(text.len()), "{words}");
    }
}
