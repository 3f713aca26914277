//! `--each`: many texts in one process give what each gives alone.

use std::fs;

use clap::Parser;
use serde_json::{Value, json};
use transcope::cli::Cli;
use transcope::command::ProgramInfo;
use transcope::text::output::{Destination, Output};

use super::run_in;

/// Texts that the property tries.
const TEXTS: usize = 2000;

/// Pieces of calls in several dialects, of JSON and of prose.
const PIECES: &[&str] = &[
    "!!!GADGET_START:",
    "!!!GADGET_END",
    "!!!ARG:",
    "Greet\n",
    "name\n",
    "a/0\n",
    "Ada\n",
    "\n",
    " ",
    "<tool_call>\n",
    "</tool_call>",
    "{\"name\": \"get\", \"arguments\": {\"a\": 1}}",
    "{\"role\": \"user\", \"content\": \"x\"}\n",
    "^^^tool",
    "^^^\n",
    "<tool:f>",
    "</tool:f>",
    "> [!tool f]\n",
    "> a: 1\n",
    "```json\n",
    "```\n",
    "<think>",
    "Zürich",
    "\u{202e}",
    "\t",
    "data: {\"a\": 1}\n\n",
];

/// Texts of up to twelve pieces, the same in each run.
fn texts() -> Vec<String> {
    let mut state = 7_u64;
    let mut next = move |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 33).expect("31 bits") % below
    };
    (0..TEXTS).map(|_| (0..next(13)).map(|_| PIECES[next(PIECES.len())]).collect()).collect()
}

/// The object that `check --format json` prints for a file with this text.
fn alone(text: &str, folder: &std::path::Path) -> Value {
    let path = folder.join("-");
    fs::write(&path, text).expect("a file can be made");
    let path = path.to_str().expect("a plain name");
    let config = folder.join("empty.yaml");
    let words = ["transcope", "check", "--format", "json", "--config", config.to_str().expect("a plain name"), path];
    let cli = Cli::try_parse_from(words).expect("the options exist");
    let mut bytes = Vec::new();
    let program = ProgramInfo {
        description: <Cli as clap::CommandFactory>::command,
        keys: Vec::new,
        themes: Vec::new,
        terminal: Vec::new,
        settings: Vec::new,
    };
    let command = cli.command.as_ref().expect("a command is named");
    command.run(&program, &mut Output::new(&mut bytes, Destination::Bytes)).expect("the file can be read");
    let object = String::from_utf8(bytes).expect("JSON is UTF-8").replace(path, "-");
    serde_json::from_str(&object).expect("it is JSON")
}

#[test]
fn each_text_is_checked_as_if_it_were_alone() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    fs::write(folder.path().join("empty.yaml"), "color: never\n").expect("a file can be made");
    let texts = texts();
    let numbered = texts.iter().enumerate();
    let line = |(number, text)| if number % 2 == 0 { json!(text) } else { json!({"id": number, "text": text}) };
    let lines: Vec<String> = numbered.map(line).map(|line| line.to_string()).collect();
    let lines = lines.join("\n");
    let (_, out, errors) = run_in(folder.path(), &["check", "--each"], &[], lines.as_bytes()).parts();
    assert_eq!(out.lines().count(), TEXTS, "{errors}");
    let mut with_problems = 0;
    for (number, (line, text)) in out.lines().zip(&texts).enumerate() {
        let mut object: Value = serde_json::from_str(line).expect("each line is JSON");
        let id = object.as_object_mut().and_then(|members| members.remove("id"));
        assert_eq!(id, (number % 2 == 1).then(|| json!(number)), "{line}");
        assert_eq!(object, alone(text, folder.path()), "{text:?}");
        with_problems += usize::from(object["diagnostics"].as_array().is_some_and(|found| !found.is_empty()));
    }
    assert!(with_problems > TEXTS / 4, "{with_problems} texts have a problem");
}

#[test]
fn a_line_that_is_not_a_text_is_reported_in_its_place() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let input = b"\"a\"\n\n{]\n7\n{\"id\": 1}\n{\"id\": [1], \"text\": \"b\"}";
    let expected: &[(&str, &[&str])] = &[
        (
            "check",
            &[
                "{\"schema_version\"",
                "{\"line\": 3,\"error\": \"not JSON: ",
                "{\"line\": 4,\"error\": \"expected a JSON string",
                "{\"line\": 5,",
                "{\"id\": [1], \"schema_version\"",
            ],
        ),
        (
            "parse",
            &[
                "{\"schema_version\"",
                "{\"line\": 3,",
                "{\"line\": 4,",
                "{\"line\": 5,",
                "{\"id\": [1], \"schema_version\"",
            ],
        ),
        (
            "lens",
            &["{\"parsers\": []}", "{\"line\": 3,", "{\"line\": 4,", "{\"line\": 5,", "{\"id\": [1], \"parsers\": []}"],
        ),
    ];
    for (command, beginnings) in expected {
        let (status, out, errors) = run_in(folder.path(), &[command, "--each"], &[], input).parts();
        assert_eq!((status, out.lines().count()), (2, beginnings.len()), "{command}: {out}{errors}");
        for (line, beginning) in out.lines().zip(*beginnings) {
            assert!(line.starts_with(beginning), "{command}: {line}");
        }
    }
}

#[test]
fn the_status_says_whether_a_text_has_an_error() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let broken = json!("<tool_call>\n{\"name\": \"a\", \"arguments\": {]}\n</tool_call>").to_string();
    let rows: &[(&[&str], &str, i32)] = &[
        (&["check", "--each"], "\"prose\"", 0),
        (&["check", "--each"], &broken, 1),
        (&["check", "--each", "a.txt"], "", 2),
        (&["lens", "--each", "--format", "json"], "", 2),
    ];
    for (arguments, input, status) in rows {
        let (code, out, errors) = run_in(folder.path(), arguments, &[], input.as_bytes()).parts();
        assert_eq!(code, *status, "{arguments:?} {input}: {out}{errors}");
    }
}
