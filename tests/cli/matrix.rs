//! `lens --matrix`: the verdict on each text and parser, the calls that are expected, the formats and the exit codes.

use std::fs;
use std::path::Path;

use serde_json::Value;

use super::run_in;

const PARIS: &str = "<tool_call>\n{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Paris\"}}\n</tool_call>";
const TOOLS: &str =
    r#"{"get_weather": {"type": "object", "properties": {"city": {"type": "string"}, "days": {"type": "integer"}}}}"#;

/// A folder `texts` with these files, and the tools next to it.
fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let write = |path: &Path, text: &str| {
        fs::create_dir_all(path.parent().expect("it is in a folder")).expect("a folder can be made");
        fs::write(path, text).expect("a file can be made");
    };
    write(&folder.path().join("tools.json"), TOOLS);
    for (name, text) in files {
        write(&folder.path().join("texts").join(name), text);
    }
    folder
}

/// The exit code, and the rows.
fn rows(files: &[(&str, &str)], more: &[&str]) -> (i32, Vec<Value>) {
    let folder = folder(files);
    let arguments = [&["lens", "--matrix", "texts", "--format", "ndjson"], more].concat();
    let run = run_in(folder.path(), &arguments, &[], b"");
    let rows = run.stdout.lines().map(|row| serde_json::from_str(row).expect("it is JSON"));
    (run.code, rows.collect())
}

/// Members of a row, separated by spaces; those without a value are left out.
fn words(row: &Value, keys: &[&str]) -> String {
    let word = |value: &Value| match value {
        Value::Null => None,
        Value::String(word) => Some(word.clone()),
        Value::Array(words) => words.first().map(|word| word.as_str().expect("a word").to_owned()),
        other => Some(other.to_string()),
    };
    keys.iter().filter_map(|key| word(&row[*key])).collect::<Vec<_>>().join(" ")
}

#[test]
fn each_parser_passes_differs_or_rejects() {
    let unknown = PARIS.replace("get_weather", "delete_all");
    let text = PARIS.replace("{\"city\": \"Paris\"}", "\"{}\"");
    for (text, parser, code, expected) in [
        (PARIS, "vllm:hermes", 0, "pass"),
        // A text that ends after the call, which llama.cpp's grammar does not allow.
        (&*format!("{PARIS}\nDone."), "llama.cpp:MiMo-VL.jinja", 1, "rejected error message-rejected"),
        (&unknown, "sglang:qwen25", 1, "rejected lost unknown-tool-dropped"),
        (&text, "vllm:hermes", 1, "differs arguments arguments-not-an-object"),
        (
            "Sure.\n<tool_call>\n[{\"name\": \"get_weather\", \"arguments\": {}}]\n</tool_call>",
            "vllm:hermes",
            1,
            "differs no-call wrong-shape",
        ),
    ] {
        let (found, rows) = rows(&[("a.txt", text)], &["--schema", "tools.json", "--runtime", parser]);
        assert_eq!(found, code, "{parser}: {text}");
        for row in rows {
            assert_eq!(words(&row, &["verdict", "difference", "reasons"]), expected, "{row}");
            assert_eq!(row["verdict"] == "pass", row["text"] == "", "{row}");
        }
    }
}

#[test]
fn parsers_are_asked_in_every_recorded_release_unless_one_is_named() {
    for (runtime, expected) in [
        ("vllm:hermes", &["0.33.0 hermes", "0.28.0 hermes"][..]),
        ("vllm@0.28:hermes", &["0.28.0 hermes"]),
        ("vllm@0.28:hermes,mlx-lm@0.32,vllm:hermes", &["0.28.0 hermes", "0.33.0 hermes", "0.32.2 json_tools"]),
    ] {
        let (code, rows) = rows(&[("a.txt", PARIS)], &["--runtime", runtime]);
        let parsers: Vec<String> = rows.iter().map(|row| words(row, &["version", "parser"])).collect();
        assert_eq!((code, parsers), (0, expected.iter().map(ToString::to_string).collect()));
    }
    let (_, all) = rows(&[("a.txt", PARIS)], &[]);
    let approximate: Vec<String> =
        all.iter().filter(|row| row["approximate"] == true).map(|row| words(row, &["runtime", "parser"])).collect();
    let is_approximate = |name: &str| approximate.iter().any(|known| known == name);
    assert!(all.len() > 20 && is_approximate("hf smollm") && !is_approximate("vllm hermes"), "{approximate:?}");
}

#[test]
fn expected_calls_are_read_from_the_text_a_file_or_a_line() {
    let no_arguments = PARIS.replace("\"city\": \"Paris\"", "");
    let oslo = r#"[{"name": "get_weather", "arguments": {"city": "Oslo"}}]"#;
    let line = |text: &str, more: &str| format!("{{\"text\": {}{more}}}\n", Value::from(text));
    let lines = format!(
        "{}\n{}{}",
        line(PARIS, ", \"id\": 7"),
        line(PARIS, &format!(", \"id\": \"o\", \"expect\": {oslo}")),
        Value::from(PARIS)
    );
    let case = r#"{"options": {"dialects": ["pythonic"], "schema": "tools.json"}, "items": [{"type": "call", "line": 1,
        "dialect": "pythonic", "name": "get_weather", "status": "complete", "parameters": {"city": "Paris"}}], "problems": []}"#;
    let recorded = format!(
        "{{\"messages\": [{{\"role\": \"user\", \"content\": \"Hi\"}},\n{{\"role\": \"assistant\", \"content\": {0}}},\n{{\"role\": \"assistant\", \"content\": \"Done.\"}}]}}\n",
        Value::from(PARIS)
    );
    let files = [
        ("a.txt", PARIS),
        ("a.expected.json", oslo),
        ("bare.txt", &no_arguments),
        ("bare.expected.json", r#"[{"name": "get_weather"}]"#),
        ("case.txt", "[get_weather(city='Paris')]"),
        ("case.expected.json", case),
        ("deep/b.txt", PARIS),
        ("lines.jsonl", &lines),
        ("recorded.json", &recorded),
        ("tools.json", TOOLS),
    ];
    let folder = folder(&files);
    let run = |format: &str| {
        let runtime = "vllm@0.33:hermes,vllm@0.33:pythonic";
        let arguments =
            ["lens", "--matrix", "texts", "--schema", "texts/tools.json", "--runtime", runtime, "--format", format];
        run_in(folder.path(), &arguments, &[], b"")
    };
    let json: Value = serde_json::from_str(&run("json").stdout).expect("it is JSON");
    let texts: Vec<String> = json["texts"]
        .as_array()
        .expect("texts")
        .iter()
        .zip(json["rows"].as_array().expect("rows"))
        .map(|(text, row)| {
            assert_eq!((&text["path"], &text["line"], &text["id"]), (&row["path"], &row["line"], &row["id"]));
            let source = words(&text["expected"], &["source"]);
            let place = words(row, &["path", "line", "id"]).replace("texts/", "");
            format!("{place} {source} {}", words(row, &["verdict", "text"]))
        })
        .collect();
    let differs = "\"Paris\" for city instead of \"Oslo\" for city";
    assert_eq!(
        texts,
        [
            &format!("a.txt file differs {differs}"),
            "bare.txt file pass ",
            "case.txt file pass ",
            "deep/b.txt text pass ",
            "lines.jsonl 1 7 text pass ",
            &format!("lines.jsonl 3 o line differs {differs}"),
            "lines.jsonl 4 text pass ",
            "recorded.json 2 text pass ",
        ]
    );
    assert_eq!(json["totals"], serde_json::json!({"pass": 6, "differs": 2, "rejected": 0}));
    assert_eq!(run("ndjson").stdout.lines().count(), 8);
    let csv = run("csv").stdout;
    let lines: Vec<&str> = csv.lines().collect();
    assert_eq!(lines[0], "path,line,id,dialect,runtime,version,parser,verdict,difference,reasons,text,approximate");
    let value = differs.replace('"', "\"\"");
    assert_eq!(lines[6], format!("texts/lines.jsonl,3,o,hermes,vllm,0.33.0,hermes,differs,value,,\"{value}\",false"));
    let text = run("text");
    assert_eq!(text.code, 1);
    assert!(
        text.stdout.starts_with(
            "8 texts, 8 readings by 2 parsers: 6 pass, 2 differ, 0 rejected\nvllm 0.33.0\n\n  \
             pass  differs  rejected  hermes, 7 texts\n     5        2         0  vllm:hermes\n"
        ) && text.stdout.ends_with(&format!(
            "\n\ntexts/lines.jsonl:3: hermes, 1 call expected\n  differs   {differs}\n            vllm:hermes\n"
        )),
        "{}",
        text.stdout
    );
}

#[test]
fn the_table_fits_into_80_columns() {
    let samples = concat!(env!("CARGO_MANIFEST_DIR"), "/samples/runtimes");
    let folder = tempfile::tempdir().expect("a folder can be made");
    std::os::unix::fs::symlink(samples, folder.path().join("s")).expect("a link can be made");
    let run = run_in(folder.path(), &["lens", "--matrix", "s/", "--schema", "s/tools.json"], &[], b"");
    let long: Vec<&str> = run.stdout.lines().filter(|line| line.chars().count() > 80).collect();
    assert!(run.stdout.contains("\n  rejected  ") && long.is_empty(), "{long:#?}{}", run.stderr);
}

#[test]
fn the_exit_code_says_whether_all_passes_and_could_be_read() {
    for (name, text, more, code, expected) in [
        ("a.txt", PARIS, &["--runtime", "vllm:hermes"][..], 0, ""),
        ("a.txt", PARIS, &["--runtime", "llama.cpp:Qwen-QwQ-32B.jinja"], 1, ""),
        ("a.txt", "Prose.", &[], 2, "texts has no text that a parser reads; --dialect names"),
        ("a.txt", PARIS, &["--runtime", "vlm"], 2, "unknown runtime \"vlm\"; did you mean vllm?"),
        ("a.txt", PARIS, &["--at", "1"], 2, "cannot be used with"),
        ("a.jsonl", "\"Hi\"\n{\"id\": 1}\n", &[], 2, "a.jsonl:2: expected a JSON string"),
        ("a.jsonl", "{\"text\": \"Hi\", \"expect\": [1]}\n", &[], 2, "a.jsonl:1: expect is not a list of calls"),
        ("a.expected.json", "[", &[], 2, "texts has no text that a parser reads"),
    ] {
        let folder = folder(&[(name, text)]);
        let run = run_in(folder.path(), &[&["lens", "--matrix", "texts"], more].concat(), &[], b"");
        assert_eq!(run.code, code, "{more:?} {text}: {}", run.stderr);
        assert!(run.stderr.contains(expected), "{more:?} {text}: {}", run.stderr);
    }
    let run = run_in(folder(&[("a.txt", PARIS)]).path(), &["lens", "--format", "csv", "texts/a.txt"], &[], b"");
    assert_eq!((run.code, run.stderr.as_str()), (2, "error: --format csv is for --matrix\n"));
}
