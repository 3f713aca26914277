//! The contents of container files, piece by piece, in cases where something was once lost, counted twice or reported
//! wrongly.
//!
//! Each row is a file, its pieces and the codes of its problems; notes do not count.

use std::fmt::Write as _;

use transcope::container::{Container, ContainerEvent, MessagePart, read};
use transcope::diagnostic::Severity;
use transcope::dialect::Options;
use transcope::session::Session;

/// The pieces of a file, one a line: the kind and the text of each.
fn pieces(text: &str) -> String {
    let (batch, _) = read(Container::default(), text.as_bytes());
    let mut pieces = String::new();
    let mut begun = None;
    for event in &batch.events {
        match event {
            ContainerEvent::Begin { part: piece, start } => begun = Some((piece, *start)),
            ContainerEvent::End { end } => {
                let Some((piece, start)) = begun.take() else { continue };
                let words = String::from_utf8_lossy(&batch.text[start..*end]);
                let (kind, words) = match piece {
                    MessagePart::Text(_) => ("text".to_owned(), words),
                    MessagePart::Reasoning => ("thought".to_owned(), words),
                    MessagePart::Call(call) => {
                        let name = &batch.text[start..][call.name.span.start..call.name.span.end];
                        (format!("call {}", String::from_utf8_lossy(name)), arguments(&words).into())
                    }
                    MessagePart::Result(_) => ("result".to_owned(), words),
                    MessagePart::Envelope(name) => (format!("aside {name}"), words),
                };
                let _ = writeln!(pieces, "{kind}: {}", words.trim_end().replace('\n', "⏎"));
            }
            _ => {}
        }
    }
    pieces
}

/// The arguments in the JSON text of a call.
fn arguments(call: &str) -> String {
    let call: serde_json::Value = serde_json::from_str(call).expect("a call is JSON");
    let inner = |key: &&str| call.get(key).or_else(|| call.get("function")?.get(key));
    let found = ["input", "args", "arguments"].iter().find_map(inner);
    found.map(ToString::to_string).unwrap_or_default()
}

fn problems(text: &str) -> Vec<&'static str> {
    let session = Session::read(text.as_bytes(), &Options::default());
    let found = session.document().diagnostics().iter().filter(|found| found.severity != Severity::Note);
    found.map(|found| found.code.name()).collect()
}

fn check(text: &str, expected: &str, codes: &[&str]) {
    assert_eq!(pieces(text).trim_end(), expected, "{text}");
    assert_eq!(problems(text), codes, "{text}");
}

#[test]
fn calls_in_the_first_event_of_an_answer_are_calls() {
    check(
        r#"data: {"type":"message_start","message":{"id":"m","role":"assistant","content":[{"type":"tool_use","id":"t","name":"roll","input":{"die":6}}]}}

data: {"type":"message_stop"}

"#,
        r#"call roll: {"die":6}"#,
        &[],
    );
}

#[test]
fn sources_of_an_answer_are_items() {
    check(
        r#"data: {"type":"message_start","message":{"id":"m","role":"assistant","content":[]}}

data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}

data: {"type":"content_block_delta","index":0,"delta":{"type":"citations_delta","citation":{"url":"https://a.example"}}}

data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"High water."}}

data: {"type":"content_block_stop","index":0}

data: {"type":"message_stop"}

"#,
        "text: High water.\naside citation: {\"url\":\"https://a.example\"}",
        &[],
    );
    check(
        r#"{"type":"message","id":"m","role":"assistant","model":"c","content":[{"type":"text","text":"High water.","citations":[{"url":"https://a.example"}]}]}"#,
        "text: High water.\naside citations: [{\"url\":\"https://a.example\"}]",
        &[],
    );
    check(
        r#"{"choices":[{"index":0,"message":{"role":"assistant","content":"High water.","annotations":[{"type":"url_citation"}]}}]}"#,
        "text: High water.\naside annotations: [{\"type\":\"url_citation\"}]",
        &[],
    );
    check(
        r#"{"candidates":[{"content":{"role":"model","parts":[{"text":"High water."}]},"citationMetadata":{"citationSources":[{"uri":"https://a.example"}]},"finishReason":"STOP","finishMessage":"Done early."}]}"#,
        "text: High water.\naside citationMetadata: {\"citationSources\":[{\"uri\":\"https://a.example\"}]}\naside finishMessage: Done early.",
        &[],
    );
}

#[test]
fn events_of_a_sandbox_are_items() {
    check(
        r#"{"id":1,"epoch":1,"target":"4","messages":[{"role":"user","content":"Add."}],"events":[{"event":"model","output":{}},{"event":"sandbox","action":"exec","cmd":"bc","result":0}]}"#,
        "text: Add.\naside sandbox: {\"event\":\"sandbox\",\"action\":\"exec\",\"cmd\":\"bc\",\"result\":0}",
        &[],
    );
}

#[test]
fn searches_without_an_id_are_no_duplicates() {
    check(
        r#"{"timestamp":"2026-01-01T00:00:00Z","type":"session_meta","payload":{"id":"s"}}
{"timestamp":"2026-01-01T00:00:00Z","type":"response_item","payload":{"type":"web_search_call","status":"completed","action":{"query":"tides"}}}
{"timestamp":"2026-01-01T00:00:01Z","type":"response_item","payload":{"type":"web_search_call","status":"completed","action":{"query":"moon"}}}"#,
        "call web_search: {\"query\":\"tides\"}\ncall web_search: {\"query\":\"moon\"}",
        &[],
    );
}

#[test]
fn a_stopped_or_truncated_answer_is_reported_once() {
    check(
        r#"{"type":"session","id":"s","timestamp":"2026-01-01T00:00:00Z","cwd":"/srv"}
{"type":"message","id":"a","parentId":null,"message":{"role":"user","content":"Look."}}
{"type":"message","id":"b","parentId":"a","message":{"role":"assistant","content":[{"type":"toolCall","id":"t","name":"ls","arguments":{}}],"stopReason":"aborted"}}
{"type":"message","id":"c","parentId":"b","message":{"role":"user","content":"Well?"}}
{"type":"message","id":"d","parentId":"c","message":{"role":"assistant","content":[{"type":"text","text":"I wait."}],"stopReason":"stop"}}"#,
        "text: Look.\ncall ls: {}\naside stopReason: aborted\ntext: Well?\ntext: I wait.",
        &["answer-stopped"],
    );
    check(
        r#"{"info":{"id":"ses_1"},"messages":[{"info":{"id":"msg_1","role":"user"},"parts":[{"type":"text","text":"Tell."}]},{"info":{"id":"msg_2","role":"assistant","finish":"length","tokens":{"input":3,"output":9}},"parts":[{"type":"text","text":"Once"}]}]}"#,
        "text: Tell.\ntext: Once",
        &["answer-stopped"],
    );
    check(
        r#"{"type":"assistant","uuid":"a","sessionId":"s","message":{"id":"m","role":"assistant","content":[{"type":"text","text":"Once"}],"stop_reason":"max_tokens","usage":{"input_tokens":3,"output_tokens":9}}}
{"type":"assistant","uuid":"b","parentUuid":"a","sessionId":"s","message":{"id":"m","role":"assistant","content":[{"type":"text","text":"upon"}],"stop_reason":"max_tokens","usage":{"input_tokens":3,"output_tokens":9}}}"#,
        "text: Once\ntext: upon",
        &["answer-stopped"],
    );
}

#[test]
fn arguments_that_are_a_text_are_no_fault_where_a_library_has_them_so() {
    check(
        r#"[{"id":"1","role":"assistant","parts":[{"type":"tool-call","id":"c","name":"look","arguments":"{\"at\":\"door\"}","state":"input-complete"},{"type":"tool-result","toolCallId":"c","content":"a cat"}]}]"#,
        "call look: \"{\\\"at\\\":\\\"door\\\"}\"\nresult: a cat",
        &[],
    );
}

#[test]
fn empty_arguments_are_one_problem() {
    check(
        r#"{"messages":[{"role":"assistant","content":[{"type":"tool_use","id":"c","name":"look","input":""}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"c","content":"x"}]}]}"#,
        "call look: \"\"\nresult: x",
        &["arguments-form"],
    );
}

#[test]
fn the_end_of_a_run_of_swe_agent_is_shown() {
    check(
        r#"{"history":[{"role":"user","content":"Mend it.","message_type":"observation"},{"role":"assistant","content":"I look.","thought":"I look.","action":"ls","message_type":"action"}],
"trajectory":[{"action":"ls","observation":"a.py","thought":"I look."},{"action":"submit","observation":"diff --git a/a.py","thought":"Done."}],
"info":{"exit_status":"submitted","submission":"diff --git a/a.py b/a.py"}}"#,
        "text: Mend it.\ntext: I look.\ncall action: {\"command\":\"ls\"}\nresult: a.py\ntext: Done.\ncall action: {\"command\":\"submit\"}\nresult: diff --git a/a.py\naside exit_status: submitted\naside submission: diff --git a/a.py b/a.py",
        &[],
    );
}

#[test]
fn a_list_of_messages_is_a_run_where_it_says_what_commands_gave() {
    let messages = r#"[{"role":"system","content":"One command."},{"role":"user","content":"Mend it."},{"role":"assistant","content":"I look.\n```bash\nls\n```"},{"role":"user","content":"<returncode>0</returncode>\n<output>\na.py\n</output>"}]"#;
    let expected = "text: One command.\ntext: Mend it.\ntext: I look.\ncall bash: {\"command\":\"ls\"}\nresult: <returncode>0</returncode>⏎<output>⏎a.py⏎</output>";
    check(messages, expected, &[]);
    check(&format!("{{\"messages\":{messages}}}"), expected, &[]);
}

#[test]
fn titles_and_attachments_of_a_session_are_items() {
    check(
        r#"{"type":"user","sessionId":"s","uuid":"u1","parentUuid":null,"message":{"role":"user","content":"Look."}}
{"type":"ai-title","sessionId":"s","aiTitle":"A look"}
{"type":"attachment","sessionId":"s","uuid":"u2","parentUuid":"u1","attachment":{"type":"skill_listing","content":"pdf"}}
{"type":"ai-title","sessionId":"s","aiTitle":"A look"}
{"type":"custom-title","sessionId":"s","customTitle":"Harbour"}"#,
        "text: Look.\naside ai-title: A look\naside skill_listing: {\"type\":\"skill_listing\",\"content\":\"pdf\"}\naside custom-title: Harbour",
        &[],
    );
}

#[test]
fn output_of_commands_is_not_the_model_of_aider() {
    check(
        "-*- mode: fundamental -*-\n\n# aider chat started at 2026-01-01 10:00:00\n\n#### /test make  \n> == begins ==\nplatform b\n\n> third\nfourth\n\n> Add the output to the chat? y  \n\nThe test fails.\n",
        "aside aider: -*- mode: fundamental -*-\naside aider: # aider chat started at 2026-01-01 10:00:00\ntext: /test make\naside aider: == begins ==⏎platform b⏎⏎third⏎fourth⏎⏎Add the output to the chat? y\ntext: The test fails.",
        &[],
    );
}

#[test]
fn whole_files_are_edits_where_the_program_names_that_form() {
    let chat = |form: &str| {
        format!(
            "# aider chat started at 2026-01-01 10:00:00\n\n> Model: m with {form} edit format  \n\n#### Greet.  \n\nHere it is:\n\nhello.py\n```python\nprint(\"Hi\")\n```\n\nRun `hello.py`.\n\n> Applied edit to hello.py  \n"
        )
    };
    let (pieces_whole, pieces_diff) = (pieces(&chat("whole")), pieces(&chat("diff")));
    let edit = "text: Here it is:\ncall edit: {\"path\":\"hello.py\",\"content\":\"print(\\\"Hi\\\")\\n\"}\ntext: Run `hello.py`.\nresult: Applied edit to hello.py\n";
    assert!(pieces_whole.ends_with(edit), "{pieces_whole}");
    assert!(!pieces_diff.contains("call edit"), "{pieces_diff}");
    assert!(problems(&chat("whole")).is_empty());
}

/// A run of an agent as spans: requests, each with the whole conversation before it, and tool runs between them.
fn spans(turns: usize) -> Vec<String> {
    let mut said = vec![r#"{"role":"user","parts":[{"type":"text","content":"Go on."}]}"#.to_owned()];
    let mut spans = Vec::new();
    let span = |number: usize, name: &str, attributes: String| {
        format!(
            r#"{{"name":"{name}","traceId":"t","spanId":"s{number}","attributes":{{"gen_ai.operation.name":"{name}",{attributes}}}}}"#
        )
    };
    for turn in 0..turns {
        let call = format!(
            r#"{{"role":"assistant","parts":[{{"type":"tool_call","id":"c{turn}","name":"look","arguments":{{"at":{turn}}}}}]"#
        );
        let messages = |list: &str| serde_json::to_string(list).expect("a string is JSON");
        let given = messages(&format!("[{}]", said.join(",")));
        let answer = messages(&format!("[{call},\"finish_reason\":\"tool_call\"}}]"));
        spans.push(span(
            3 * turn,
            "chat",
            format!(r#""gen_ai.input.messages":{given},"gen_ai.output.messages":{answer}"#),
        ));
        spans.push(span(
            3 * turn + 1,
            "execute_tool",
            format!(r#""gen_ai.tool.name":"look","gen_ai.tool.call.id":"c{turn}","gen_ai.tool.call.arguments":"{{\"at\": {turn}}}","gen_ai.tool.call.result":"seen""#),
        ));
        said.push(format!("{call}}}"));
        said.push(format!(
            r#"{{"role":"tool","parts":[{{"type":"tool_call_response","id":"c{turn}","response":"seen"}}]}}"#
        ));
        said.push(r#"{"role":"user","parts":[{"type":"text","content":"Go on."}]}"#.to_owned());
    }
    spans
}

#[test]
fn spans_that_repeat_a_conversation_are_counted_once() {
    let spans = spans(12);
    let chats = spans.iter().filter(|span| span.contains("\"chat\"")).cloned().collect::<Vec<_>>();
    let backwards = chats.iter().rev().cloned().collect();
    for (name, spans) in [("in their order", spans), ("requests alone", chats), ("backwards", backwards)] {
        let text = spans.join("\n");
        let session = Session::read(text.as_bytes(), &Options::default());
        let calls = session.document().calls().len();
        let users = pieces(&text).lines().filter(|line| *line == "text: Go on.").count();
        assert_eq!((calls, users), (12, 12), "{name}: {}", pieces(&text));
        assert!(problems(&text).is_empty(), "{name}: {:?}", problems(&text));
    }
}

#[test]
fn a_result_of_a_file_without_ids_needs_no_recorded_call() {
    check(
        r#"{"step_index":2,"source":"MODEL","type":"PLANNER_RESPONSE","status":"DONE","tool_calls":[{"name":"list","args":{"path":"\"quay\""}}]}
{"step_index":3,"source":"MODEL","type":"LIST_DIRECTORY","status":"DONE","content":"lamp"}
{"step_index":4,"source":"MODEL","type":"VIEW_FILE","status":"DONE","content":"lit"}
"#,
        "call list: {\"path\":\"quay\"}\nresult: lamp\nresult: lit",
        &[],
    );
}
