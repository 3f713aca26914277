//! The dialect of a template: calls with their spans, independent of how the text is cut.

use std::fmt::Write as _;
use std::sync::Arc;

use super::{ResponseTemplate, Template};
use crate::dialect::event::CallEnd;
use crate::dialect::scanner::Scanner;
use crate::dialect::{
    CallContent, CallParser, CallParts, Dialect, MarkdownContext, Opening, Options, ParseEvent, Probe, ProbePoint,
    Progress, Status, Triggers,
};
use crate::text::{Span, Text};
use crate::value::tree_json::to_json;

/// JSON in tags, with reasoning and an implicit field.
pub(super) const SMOLLM: &str = r#"{"defaults": {"role": "assistant"}, "start_anchor": "<|im_start|>assistant\n", "fields": {
    "thinking": {"open": "<think>", "close": "</think>"},
    "tool_calls": {"open": "<tool_call>", "close": "</tool_call>", "repeats": true, "content": "json",
        "transform": {"type": "function", "function": "{content}"}},
    "content": {"close": "<|im_end|>"}}}"#;

/// Tags with parameters, whose name is a group of the opener, and no implicit field.
const QWEN: &str = r#"{"start_anchor": "A", "fields": {
    "tool_calls": {"open_pattern": "<tool_call>\\s*<function=(?P<name>[^\\n>]+)>", "close_pattern": "</tool_call>\\s*",
        "repeats": true, "content": "xml-inline", "content_args": {
            "tag_pattern": "<parameter=(?P<key>[^>\\n]+)>\\s*(?P<value>.*?)\\s*</parameter>",
            "value_parser": {"name": "json", "args": {"allow_non_json": true}}},
        "transform": {"type": "function", "function": {"name": "{name}", "arguments": "{content}"}}}}}"#;

/// A list of calls in one region.
const COHERE: &str = r#"{"start_anchor": "A", "fields": {
    "content": {"open": "<|START_RESPONSE|>", "close": "<|END_RESPONSE|>"},
    "tool_calls": {"open": "<|START_ACTION|>", "close": "<|END_ACTION|>", "content": "json", "transform_each": true,
        "transform": {"type": "function", "id": "{tool_call_id}",
            "function": {"name": "{tool_name}", "arguments": "{parameters}"}}}}}"#;

/// Keys without quotes, and strings in other delimiters.
const GEMMA: &str = r#"{"start_anchor": ["<|turn>model\n"], "fields": {
    "tool_calls": {"open_pattern": "<\\|tool_call>call:(?P<name>\\w+)", "close": "<tool_call|>", "repeats": true,
        "content": "json", "content_args": {"unquoted_keys": true, "string_delims": [["<|\"|>", "<|\"|>"]]},
        "transform": {"type": "function", "function": {"name": "{name}", "arguments": "{content}"}}},
    "content": {"repeats": true, "join": ""}}}"#;

/// Reasoning that begins only if its end comes later, before everything else.
const NEMOTRON: &str = r#"{"start_anchor": "A", "fields": {
    "reasoning": {"open_pattern": "(?=[\\s\\S]*?</think>)", "close_pattern": "</think>\\s*"},
    "tool_calls": {"open": "<tool_call>", "close": "</tool_call>", "repeats": true, "content": "json",
        "transform": {"function": "{content}"}},
    "content": {"repeats": true, "join": ""}}}"#;

/// Reasoning that is open from the beginning.
const ERNIE: &str = r#"{"start_anchor": "A", "fields": {
    "thinking": {"open_pattern": "(?:^|<think>\\s*)", "close": "</think>"},
    "tool_calls": {"open": "<tool_call>", "close": "</tool_call>", "repeats": true, "content": "json",
        "transform": {"function": "{content}"}}}}"#;

fn template(json: &str) -> Arc<Template> {
    Arc::new(Template::from_json(json).unwrap_or_else(|errors| panic!("{errors:?}")))
}

/// A call as reported by the events.
struct Seen {
    opening: Opening,
    closing: Option<CallEnd>,
}

/// Probes a dialect wherever its triggers match, like a scanner.
struct Driver {
    dialect: Box<dyn Dialect>,
    triggers: Triggers,
    text: Text,
    at: usize,
    open: Option<Box<dyn CallParser>>,
    looked: usize,
    events: Vec<ParseEvent>,
}

impl Driver {
    fn new(json: &str) -> Self {
        let template = template(json);
        let dialect: Box<dyn Dialect> =
            Box::new(ResponseTemplate::new(ResponseTemplate::info("template", &template), template));
        let triggers = dialect.triggers();
        Self { dialect, triggers, text: Text::default(), at: 0, open: None, looked: 0, events: Vec::new() }
    }

    fn is_trigger(&self) -> bool {
        let ahead = self.text.since(self.at);
        let begins = |text: &Vec<u8>| ahead.starts_with(text) || text.starts_with(ahead);
        let is_line_start = self.at == 0 || self.text.read(Span::new(self.at - 1, self.at)).as_ref() == b"\n";
        self.triggers.anywhere.iter().any(begins) || (is_line_start && !self.triggers.line_start.is_empty())
    }

    fn push(&mut self, bytes: &[u8], finished: bool) {
        self.text.push(bytes);
        loop {
            if let Some(open) = &mut self.open {
                match open.advance(&self.text, finished, &mut self.events) {
                    Progress::Wait => return,
                    Progress::Closed(end) => (self.at, self.open) = (end, None),
                }
                continue;
            }
            if self.at >= self.text.len() {
                return;
            }
            if self.looked == 0 && !self.is_trigger() {
                self.at += 1;
                continue;
            }
            let mut markdown = MarkdownContext::default();
            let before = self.text.read(Span::new(0, self.at));
            markdown.pass_to(memchr::memrchr(b'\n', &before).map_or(0, |feed| feed + 1));
            let place = ProbePoint {
                text: &self.text,
                at: self.at,
                examined: self.looked,
                text_start: 0,
                call_end: None,
                finished,
                markdown: &markdown,
            };
            let mut out = Vec::new();
            let probe = self.dialect.probe(place, &mut out);
            self.looked = 0;
            match probe {
                Probe::Wait(looked) if !finished => {
                    self.looked = looked;
                    return;
                }
                Probe::Nothing | Probe::Wait(_) => self.at += 1,
                Probe::Prose(length) => {
                    self.events.append(&mut out);
                    self.at += length.max(1);
                }
                Probe::Open(parser) => {
                    self.events.append(&mut out);
                    self.open = Some(parser);
                }
            }
        }
    }

    /// The calls with their readings, and the problems of calls and prose.
    fn describe(&self) -> String {
        let mut calls: Vec<Seen> = Vec::new();
        let mut out = String::new();
        for event in &self.events {
            match event {
                ParseEvent::Open(opening) => calls.push(Seen { opening: (**opening).clone(), closing: None }),
                ParseEvent::Named(late) => {
                    let call = calls.last_mut().expect("a call is open");
                    call.opening.header.name = late.name.clone().unwrap_or(call.opening.header.name.clone());
                    call.opening.header.id = late.id.clone().or(call.opening.header.id.take());
                }
                ParseEvent::Close(closing) => calls.last_mut().expect("a call is open").closing = Some(*closing),
                ParseEvent::Problem { diagnostic, .. } => self.problem(diagnostic, &mut out),
                ParseEvent::Text(_) | ParseEvent::Argument(_) => {}
            }
        }
        for call in &calls {
            let (start, body) = (call.opening.marker.start, call.opening.body);
            let closing = call.closing.unwrap_or(CallEnd {
                body_end: self.text.len(),
                end: self.text.len(),
                status: Status::Open,
            });
            let parts = CallParts {
                start,
                text_start: 0,
                body: Span::new(body, closing.body_end),
                arguments: &[],
                status: closing.status,
            };
            let assembly = self.dialect.dissect(&self.text, parts);
            let name = call.opening.header.name.text(&self.text).into_owned();
            let id = call.opening.header.id.as_ref().map(|id| id.text(&self.text).into_owned()).unwrap_or_default();
            let tree = to_json(&assembly.tree, &self.text);
            let _ = writeln!(out, "{start}..{} {name} {id:?} {tree} {}", closing.end, closing.status.word());
            for argument in &assembly.arguments {
                let [key, value] = [argument.pointer, argument.value].map(|span| self.text.read_str(span).into_owned());
                let _ = writeln!(out, "  {key:?}: {value:?}");
            }
            assembly.problems.iter().for_each(|problem| self.problem(problem, &mut out));
            if let Some(error) = assembly.error {
                let _ = writeln!(out, "  refused: {error:?}");
            }
        }
        out
    }

    fn problem(&self, problem: &crate::diagnostic::Diagnostic, out: &mut String) {
        let words = self.text.read_str(problem.span);
        let _ = writeln!(out, "{} {} {words:?}: {}", problem.severity.word(), problem.code.name(), problem.message);
    }
}

fn read(json: &str, pieces: impl IntoIterator<Item = impl AsRef<[u8]>>) -> String {
    let mut driver = Driver::new(json);
    for piece in pieces {
        driver.push(piece.as_ref(), false);
    }
    driver.push(b"", true);
    driver.describe()
}

/// Checks the result for a text, with every way to cut it.
#[track_caller]
fn check(json: &str, text: &str, expected: &str) {
    let whole = read(json, [text]);
    assert_eq!(whole.trim_end(), expected.trim(), "{text:?}");
    assert_eq!(read(json, text.as_bytes().chunks(1)), whole, "byte by byte: {text:?}");
    for at in 0..text.len() {
        let (first, second) = text.as_bytes().split_at(at);
        assert_eq!(read(json, [first, second]), whole, "cut at {at}: {text:?}");
        // Every prefix of the text must be readable.
        read(json, [first]);
    }
}

#[test]
fn regions_of_calls_are_calls_with_what_the_transform_says() {
    check(
        SMOLLM,
        "<think>hm</think><tool_call>{\"name\": \"f\", \"arguments\": {\"a\": [1, \"x\"]}}</tool_call>",
        r#"
17..83 f "" {"a":[1,"x"]} complete
  "": "1"
  "": "x"
"#,
    );
    check(
        QWEN,
        "<tool_call>\n<function=get-a>\n<parameter=k>\nx\n</parameter>\n<parameter=n>2</parameter></tool_call>\n",
        r#"
0..97 get-a "" {"k":"x","n":2} complete
  "k": "x"
  "n": "2"
"#,
    );
    check(
        COHERE,
        "<|START_ACTION|>[\n {\"tool_call_id\": \"0\", \"tool_name\": \"f\", \"parameters\": {\"a\": 1}},\n {\"tool_call_id\": \"1\", \"tool_name\": \"g\", \"parameters\": {}}]<|END_ACTION|>",
        r#"
0..82 f "0" {"a":1} complete
  "a": "1"
82..157 g "1" {} complete
"#,
    );
    check(
        GEMMA,
        "<|tool_call>call:f{a:<|\"|>x\"y<|\"|>,b:[1,{c:true}]}<tool_call|>",
        r#"
0..62 f "" {"a":"x\"y","b":[1,{"c":true}]} complete
  "a": "x\"y"
  "": "1"
  "c": "true"
"#,
    );
}

#[test]
fn what_is_lost_and_what_raises_is_said() {
    check(
        SMOLLM,
        "I look.\n<tool_call>{\"name\": \"f\", \"arguments\": {}}</tool_call>\n",
        r#"
warning value-replaced "I look.": this text is lost: the next region of the field content overwrites it
8..61 f "" {} complete
"#,
    );
    check(
        SMOLLM,
        "I look.\n<tool_call>{\"name\": \"f\", \"arguments\": {}}</tool_call><tool_call>{\"name\": \"g\", \"arguments\": {}}</tool_call>Done.<|im_end|>",
        r#"
warning value-replaced "I look.": this text is lost: the next region of the field content overwrites it
8..61 f "" {} complete
61..114 g "" {} complete
"#,
    );
    check(
        SMOLLM,
        "<think>one</think><think>two</think>",
        r#"
warning value-replaced "one": this text is lost: the next region of the field thinking overwrites it
"#,
    );
    check(
        SMOLLM,
        "<think>x <tool_call>{}</tool_call></think>",
        r#"
hint near-miss-marker "<tool_call>": <tool_call> in a region of the field thinking does not begin a call
"#,
    );
    check(
        SMOLLM,
        "<tool_call>{\"name\": \"f\", \"arguments\": {\"a\": \"</tool_call>\"}}</tool_call>",
        r#"
warning end-tag-in-string "</tool_call>": </tool_call> inside of a JSON string ends the call
warning stray-end "</tool_call>": stray </tool_call>: no call is open
0..57 f "" {"a":""} complete
  "a": ""
error broken-json "": unexpected end of JSON: 2 objects or arrays are not closed
  refused: "json parser could not parse region as JSON.\nError: Unterminated string starting at: line 1 column 34 (char 33)"
"#,
    );
    check(
        SMOLLM,
        "<tool_call>{\"name\": \"f\", \"arguments\": {\"a\": 1",
        r#"
warning unterminated-call "<tool_call>": no </tool_call> after the call
0..45 f "" {"a":1} unterminated
  "a": "1"
error broken-json "": unexpected end of JSON: 2 objects or arrays are not closed
  refused: "json parser could not parse region as JSON.\nError: Expecting ',' delimiter: line 1 column 35 (char 34)"
"#,
    );
    check(
        QWEN,
        "Text here. <tool_call><function=f></tool_call>",
        r#"
warning ignored-text "Text here.": no field of the template takes this text: the message is without it
11..46 f "" {} complete
"#,
    );
}

#[test]
fn what_a_list_and_a_patterns_context_ask_for_is_said() {
    check(
        COHERE,
        "<|START_ACTION|>{\"tool_name\": \"f\"}<|END_ACTION|>",
        r#"
0..48 f "" {} complete
error arguments-form "<|START_ACTION|>": Field 'tool_calls': transform_each requires the parsed content to be a list, got dict.
  refused: "Field 'tool_calls': transform_each requires the parsed content to be a list, got dict."
"#,
    );
    check(COHERE, "<|START_ACTION|>[]<|END_ACTION|>", "");
    check(
        COHERE,
        "<|START_ACTION|>[{\"tool_name\": \"f\"}, 3]<|END_ACTION|>",
        r#"
0..35 f "" {} complete
error arguments-form "<|START_ACTION|>[": transform placeholder '{tool_call_id}' is not defined. Available: ['tool_name']
  refused: "transform placeholder '{tool_call_id}' is not defined. Available: ['tool_name']"
35..53  "" {} complete
error arguments-form ", ": Field 'tool_calls': transform_each requires each list element to be a dict, got int.
  refused: "Field 'tool_calls': transform_each requires each list element to be a dict, got int."
"#,
    );
    check(
        GEMMA,
        "<|tool_call>call:f{a : 1}<tool_call|>",
        r#"
0..37 f "" {"a":1} complete
  "a": "1"
error broken-json "a": a key without quotes
  refused: "json parser could not parse region as JSON.\nError: Expecting property name enclosed in double quotes: line 1 column 2 (char 1)"
"#,
    );
    check(
        NEMOTRON,
        "a<tool_call>{}</tool_call></think><tool_call>{\"name\": \"f\", \"arguments\": {}}</tool_call>",
        r#"
hint near-miss-marker "<tool_call>": <tool_call> in a region of the field reasoning does not begin a call
34..87 f "" {} complete
"#,
    );
    check(
        NEMOTRON,
        "<tool_call>{\"name\": \"f\", \"arguments\": {}}</tool_call>",
        r#"
0..53 f "" {} complete
"#,
    );
    check(
        ERNIE,
        "hm <tool_call>\n</think>\n<tool_call>{\"name\": \"f\", \"arguments\": {}}</tool_call>",
        r#"
hint near-miss-marker "<tool_call>": <tool_call> in a region of the field thinking does not begin a call
24..77 f "" {} complete
"#,
    );
}

#[test]
fn a_call_that_is_written_is_read_again() {
    let parameters = serde_json::json!({ "path": "a b", "n": 3, "list": [1, "x"], "deep": {"k": "5"} });
    let outcome = serde_json::Map::new();
    for json in [SMOLLM, QWEN, COHERE, GEMMA, NEMOTRON] {
        let call =
            CallContent { name: "get_a", id: None, dependencies: &[], parameters: &parameters, outcome: &outcome };
        let template = template(json);
        let written = ResponseTemplate::new(ResponseTemplate::info("template", &template), template).write(&call);
        let found = read(json, [&written]);
        assert!(found.contains(&format!("get_a \"\" {parameters} complete")), "{written}\n{found}");
    }
}

/// Hostile texts: beginnings without ends, and ends without beginnings.
#[test]
fn the_time_grows_with_the_text_and_not_with_its_square() {
    for json in [SMOLLM, QWEN, COHERE, GEMMA, NEMOTRON, ERNIE] {
        let declaration = Arc::new(crate::dialect::declared::read(json, "template").expect("a template"));
        let options = Options { only: vec![declaration.info], declared: vec![declaration], ..Options::default() };
        for piece in [
            "<tool_call>",
            "<tool_call>{</tool_call>",
            "<",
            "<think>",
            "</think>",
            "x\n",
            "<|START_ACTION|>[{}",
            "<|tool_call>call:f",
        ] {
            let steps_of = |length: usize| {
                let text = piece.repeat(length / piece.len());
                let (mut scanner, mut read, mut events) =
                    (Scanner::from_options(&options), Text::default(), Vec::new());
                crate::text::steps::of(|| {
                    for bytes in text.as_bytes().chunks(100) {
                        read.push(bytes);
                        while scanner.advance(&read, false, &mut events) {}
                    }
                    while scanner.advance(&read, true, &mut events) {}
                })
            };
            let (one, four) = (steps_of(10_000), steps_of(40_000));
            assert!(one > 0 && four <= 5 * one.max(1_000), "{piece:?}: {one} steps, and {four} for four times as much");
        }
    }
}
