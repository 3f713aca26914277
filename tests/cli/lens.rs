//! `lens`: its output for a text, several texts and a recorded session, and its errors.

use std::fs;
use std::path::Path;

use serde_json::Value;

use super::run_in;

/// A message with a call and prose after it.
const ANSWER: &str =
    "<tool_call>\n{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Paris\"}}\n</tool_call>\nDone.";
/// The tools of the request by name, and as a list in a request.
const NAMED: &str = r#"{"get_weather": {"type": "object", "properties": {"city": {"type": "string"}}}}"#;
const LISTED: &str = r#"[{"type": "function", "function": {"name": "get_weather", "parameters": {"type": "object", "properties": {"city": {"type": "string"}}}}}]"#;
/// Two answers in a file of records, the second one with another call.
const RECORDED: &str = r#"{"messages": [{"role": "user", "content": "The weather?"},
{"role": "assistant", "content": "<tool_call>\n{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Paris\"}}\n</tool_call>"},
{"role": "user", "content": "And there?"},
{"role": "assistant", "content": "<tool_call>\n{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Rome\"}}\n</tool_call>"}]}
"#;

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder can be made");
    for (name, text) in [
        ("answer.txt", ANSWER),
        ("spare.txt", "[TOOL_CALLS]get_weather[ARGS]{\"city\": \"Paris\"}"),
        ("prose.txt", "It is sunny.\n"),
        (
            "behind-prose.txt",
            "Sure.\n<tool_call>\n{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Rome\"}}\n</tool_call>",
        ),
        ("none.json", "[]"),
        ("two-calls.txt", "<|tool_call_start|>[ping(), ping()]<|tool_call_end|>"),
        (
            "think.jinja",
            "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content or '' }}{% for c in m.tool_calls or [] %}<tool_call>\n{\"name\": \"{{ c.function.name }}\", \"arguments\": {{ c.function.arguments | tojson }}}\n</tool_call>{% endfor %}<|im_end|>\n{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n<think>\n{% endif %}",
        ),
        ("python.txt", "[get_weather(city='Paris', days=3)]"),
        ("twice.txt", "[TOOL_CALLS]ping[ARGS]{}[TOOL_CALLS]ping{}"),
        ("bare.txt", "Sure.\n{\"name\": \"get_weather\", \"parameters\": {\"city\": \"Paris\"}}"),
        ("quoted.txt", "Write `<tool_call>` and then the JSON of the call."),
        ("glm.txt", "<tool_call>ping<arg_key>n</arg_key><arg_value>1</arg_value></tool_call>"),
        (
            "thinking.txt",
            "Ponder.\n</think>\n<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>ping<｜tool▁sep｜>{}<｜tool▁call▁end｜><｜tool▁calls▁end｜>",
        ),
        ("nameless.txt", "<tool_call>\n{\"function\": {\"name\": \"get_weather\", \"arguments\": {}}}\n</tool_call>"),
        (
            "closer.txt",
            "<tool_call>\n{\"name\": \"get_weather\", \"arguments\": {\"city\": \"</tool_call>\"}}\n</tool_call>",
        ),
        (
            "closer.xml",
            "<tool_call>\n<function=get_weather>\n<parameter=city>\na </parameter> b\n</parameter>\n</function>\n</tool_call>",
        ),
        (
            "carriage.txt",
            "<tool_call>\r\n{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Paris\"}}\r\n</tool_call>",
        ),
        ("no-args.txt", "[TOOL_CALLS]get_weather{\"city\": \"Paris\"}"),
        ("fenced-args.txt", "[TOOL_CALLS]get_weather[ARGS]```json\n{\"city\": \"Paris\"}\n```"),
        (
            "fenced.txt",
            "<tool_call>\n```json\n{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Paris\"}}\n```\n</tool_call>",
        ),
        (
            "given-twice.txt",
            "<tool_call>\n<function=get_weather>\n<parameter=city>\nParis\n</parameter>\n<parameter=city>\nRome\n</parameter>\n</function>\n</tool_call>",
        ),
        ("llama.txt", "{\"name\": \"get_weather\", \"parameters\": {\"city\": \"Paris\"}}"),
        (
            "id.txt",
            "[TOOL_CALLS] [{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Paris\"}, \"id\": \"abcdefghi\"}]",
        ),
        ("infinity.txt", "<tool_call>\n{\"name\": \"get_weather\", \"arguments\": {\"city\": Infinity}}\n</tool_call>"),
        ("two-in-one.txt", "<|tool_call>call:get_weather{city:<|\"|>Paris<|\"|>}call:get_weather{}<tool_call|>"),
        (
            "thinking-and-fault.txt",
            "Sure.</think>\n<minimax:tool_call>\n<invoke name=\"get_weather\">\n<parameter name=\"city\">x</content>\n</invoke>\n</minimax:tool_call>",
        ),
        ("endless.txt", "<|tool_call>call:get_weather{city:[[<|\"|>x]y<|\"|>]]}<tool_call|>"),
        ("gadget.txt", "!!!GADGET_START:ping\n!!!GADGET_END\n"),
        ("named.json", NAMED),
        ("listed.json", LISTED),
        ("broken.json", "{"),
        ("loose.json", "{\"get_weather\": {\"properties\": {\"city\": {\"type\": \"str\"}}}}"),
        ("session.json", RECORDED),
    ] {
        fs::write(folder.path().join(name), text).expect("a file can be made");
    }
    folder
}

/// Arguments of `lens`; the exit code, parts of the output, and a part of standard error.
type Case = (&'static [&'static str], i32, &'static [&'static str], &'static str);

const CASES: &[Case] = &[
    // Without tools, they are derived from the calls in the text; a request without tools is another case.
    (&["--width", "120", "answer.txt"], 0, &["; tools inferred from the calls: get_weather;"], ""),
    (&["--width", "120", "--schema", "none.json", "answer.txt"], 0, &["; no tools: ", " no-tools-in-request: "], ""),
    // Tools by name, or as in a request.
    (
        &["--width", "120", "--schema", "named.json", "answer.txt"],
        0,
        &["; tools: get_weather\n", " message-rejected: "],
        "",
    ),
    (
        &["--width", "120", "--schema", "listed.json", "answer.txt"],
        0,
        &["; tools: get_weather\n", " message-rejected: "],
        "",
    ),
    // No runtime validates schemas.
    (&["--width", "120", "--schema", "loose.json", "answer.txt"], 0, &["; tools: get_weather\n"], ""),
    // Also the tools of a notation that is read only on request.
    (
        &["--dialect", "pythonic", "python.txt"],
        0,
        &["; tools inferred from the", "1   vllm:pythonic, vllm:llama4_pythonic, sglang:pythonic, smg:pythonic,"],
        "",
    ),
    // The releases of the parsers; an older one is selected by its version.
    (&["answer.txt"], 0, &["\nvllm 0.33.0 (2026-11-02), sglang 0.5.23 (2026-10-30), "], ""),
    (
        &["--runtime", "vllm@0.28:hermes", "answer.txt"],
        0,
        &["\nvllm 0.28.0 (2026-08-26)\n\n1   vllm@0.28.0:hermes\n"],
        "",
    ),
    (&["--runtime", "vllm@0.2", "answer.txt"], 2, &[], "no recorded release \"0.2\" of vllm; available: 0.33.0 ("),
    (
        &["--width", "120", "--upgrade", "vllm", "answer.txt"],
        0,
        &["vllm 0.28.0 (2026-08-26) to 0.33.0 (2026-11-02): 0 of 2 parsers changed; new: qwen3_json\n"],
        "",
    ),
    (
        &["--upgrade", "vllm", "twice.txt"],
        1,
        &["vllm:mistral_pre11\n  0.28.0\n      error ", "\n  0.33.0\n    ≠ content      \"ping[ARGS]{}\"\n"],
        "",
    ),
    (
        &["--upgrade", "sglang", "answer.txt"],
        2,
        &[],
        "nothing to compare: no release of sglang before 0.5.23 (2026-10-30)",
    ),
    // The request decides whether the calls are delivered.
    (
        &["--tool-choice", "none", "--runtime", "vllm:hermes", "--schema", "named.json", "answer.txt"],
        0,
        &["    content      \"<tool_call>\\n", "    tool_choice=none: the text is not searched for calls\n"],
        "",
    ),
    (&["--runtime", "vllm:hermes", "--schema", "named.json", "answer.txt"], 0, &["    assumes tool_choice auto\n"], ""),
    (
        &["--parallel-tool-calls", "off", "--runtime", "vllm:lfm2", "--dialect", "lfm2", "two-calls.txt"],
        0,
        &[
            "    call 1       ping\n      arguments  {}\n",
            "parallel_tool_calls=off: calls after the first are dropped\n",
        ],
        "",
    ),
    // A chat template states the dialect and whether thinking is open.
    (
        &["--template", "think.jinja", "--runtime", "llama.cpp", "--schema", "named.json", "prose.txt"],
        0,
        &["hermes: ", "reasoning    \"\\nIt is sunny."],
        "",
    ),
    (&["--template", "missing.jinja", "answer.txt"], 2, &[], "could not use the template missing.jinja"),
    // Whether the prompt opens thinking is assumed or stated.
    (
        &["thinking.txt"],
        0,
        &["  ≠ reasoning    \"Ponder.", "    assumed: thinking on (--thinking off changes it):"],
        "",
    ),
    (
        &["--thinking", "off", "thinking.txt"],
        0,
        &["1   vllm:deepseek_v31, llama.cpp:deepseek-ai-DeepSeek-V3.1.jinja,\n    smg:deepseek31"],
        "",
    ),
    // A call as bare JSON, a quoted marker, and a text that several dialects fit.
    (&["bare.txt"], 0, &["llama3-json"], ""),
    (&["quoted.txt"], 0, &["hermes: ", "    content      \"Write `<tool_call>`"], ""),
    (&["glm.txt"], 0, &["glm45 (also fits glm47, "], ""),
    // A single parser.
    (
        &["--schema", "named.json", "--runtime", "vllm:hermes", "answer.txt"],
        0,
        &["hermes: 1 outcome of 1 parser; ", "      city       \"Paris\"\n", "    4:1 prose-lost: "],
        "",
    ),
    (&["--schema", "named.json", "--runtime", "vllm", "--dialect", "hermes", "answer.txt"], 0, &["vllm:hermes"], ""),
    // The named dialect, whatever the text is written in.
    (&["--schema", "named.json", "--dialect", "lfm2", "answer.txt"], 0, &["lfm2: 1 outcome of ", "    content "], ""),
    (
        &["--schema", "named.json", "answer.txt", "spare.txt"],
        0,
        &["==> answer.txt <==\nhermes (", "==> spare.txt <==\nmistral-args: "],
        "",
    ),
    // The cause of a loss, and the bytes that a parser does not expect.
    (
        &["--width", "200", "--schema", "named.json", "nameless.txt"],
        0,
        &["    2:1 no-name: the call has no name\n"],
        "",
    ),
    (&["--width", "200", "--schema", "named.json", "closer.txt"], 0, &["    2:48 closer-in-value: "], ""),
    (&["--width", "200", "--schema", "named.json", "closer.xml"], 0, &["    4:3 closer-in-value: "], ""),
    (
        &["--width", "200", "--schema", "named.json", "carriage.txt"],
        0,
        &["; the parser expects a line feed after `<tool_call>`, and finds CR LF\n"],
        "",
    ),
    (
        &["--width", "200", "--schema", "named.json", "no-args.txt"],
        0,
        &[
            "    1:24 call-swallowed: ",
            "; the parser expects `[ARGS]` after `[TOOL_CALLS]get_weather`, and finds `{\"city\":`",
            "; the parser finds no `[ARGS]` after `[TOOL_CALLS]` (2 of 7)\n",
        ],
        "",
    ),
    (
        &["--width", "200", "--schema", "named.json", "fenced-args.txt"],
        0,
        &["    1:30 call-swallowed: ", "; the parser expects JSON after `[ARGS]`, and finds ````json`"],
        "",
    ),
    (&["--width", "200", "--schema", "named.json", "given-twice.txt"], 0, &["    4:1 repeated-key: "], ""),
    (&["--width", "200", "--schema", "named.json", "llama.txt"], 0, &["    1:56 end-marker-missing: "], ""),
    (&["--width", "200", "--schema", "named.json", "endless.txt"], 0, &[" parser-may-hang: "], ""),
    // A parser that does not read the id gives the reason, also in the first outcome.
    (
        &["--width", "200", "--schema", "named.json", "id.txt"],
        0,
        &[
            "      city       \"Paris\"\n    1:78 id-not-read: ",
            "  ≠   id         \"abcdefghi\"\n      city       \"Paris\"\n\n3   vllm:mistral",
            "\nassumes tool_choice auto (6 of 9)\n\n1   vllm:mistral_pre11, ",
        ],
        "",
    ),
    // The first outcome lists its losses, and each difference has a reason.
    (
        &["--width", "200", "--schema", "named.json", "infinity.txt"],
        0,
        &[
            "{\\\"city\\\": Infinity}\"\n    2:38 arguments-not-an-object: ",
            "\n    2:47 broken-arguments: ",
            "; the parser expects JSON, and finds `Infinity}}`\n",
        ],
        "",
    ),
    (&["--width", "200", "--schema", "named.json", "two-in-one.txt"], 0, &["{\"\n    1:56 call-not-found: "], ""),
    (
        &["--width", "200", "--schema", "named.json", "thinking-and-fault.txt"],
        0,
        &["  − content      missing\n    1:1 thinking-split-off: "],
        "",
    ),
    // A text with a marker is not read as bare JSON.
    (&["--width", "200", "--schema", "named.json", "fenced.txt"], 0, &["hermes: 6 outcomes "], ""),
    // The first message with a call, or another one.
    (&["--schema", "named.json", "session.json"], 0, &["      city       \"Paris\"\n"], ""),
    (&["--schema", "named.json", "--at", "4", "session.json"], 0, &["      city       \"Rome\"\n"], ""),
    (&["prose.txt"], 2, &[], "prose.txt: no parser finds a call; --dialect names the dialect to read it in"),
    (&["gadget.txt"], 2, &[], "gadget.txt: no parser of gadget is known; --dialect names the dialect to read it in"),
    (&["--dialect", "caret", "answer.txt"], 2, &[], "no parser of caret is known; available dialects: "),
    (&["--runtime", "vlm", "answer.txt"], 2, &[], "unknown runtime \"vlm\"; did you mean vllm?"),
    (&["--runtime", "vllm:hermse", "answer.txt"], 2, &[], "hermes"),
    (&["--schema", "broken.json", "answer.txt"], 2, &[], "broken.json"),
    (&["missing.txt"], 2, &[], "missing.txt"),
    (&["--at", "nobody", "answer.txt"], 2, &[], "--at: answer.txt has no such place, and no call with this id"),
    (&["--format", "yaml", "answer.txt"], 2, &[], "'yaml'"),
    (&[], 2, &[], "<PATH>"),
];

#[test]
fn what_the_lens_prints_and_refuses() {
    let folder = folder();
    let mut faults = Vec::new();
    for (arguments, code, output, error) in CASES {
        let run = lens(folder.path(), arguments);
        let (found, stdout, stderr) = run.parts();
        let is_fine = found == *code && output.iter().all(|words| stdout.contains(words)) && stderr.contains(error);
        if !is_fine || (*code == 0 && !stderr.is_empty()) {
            faults.push(format!("{arguments:?}: {found}\n{stdout}\n{stderr}"));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n\n"));
}

#[test]
fn the_json_of_the_lens_has_a_record_for_each_parser() {
    let folder = folder();
    let pretty = lens(folder.path(), &["--schema", "named.json", "--format", "json", "answer.txt"]);
    let rows: Vec<Value> = serde_json::from_str(&pretty.stdout).expect("an array");
    let of = |parser: &str| rows.iter().find(|row| row["parser"] == parser).expect("the parser is there");
    assert_eq!(of("hermes")["runtime"], "vllm");
    assert_eq!(of("hermes")["outcome"]["calls"][0]["arguments"]["city"], "Paris");
    assert_eq!(of("hermes")["outcome"]["content"], Value::Null);
    assert_eq!(of("hermes")["reasons"][0]["code"], "prose-lost");
    assert_eq!((&of("hermes")["version"], &of("hermes")["date"]), (&"0.33.0".into(), &"2026-11-02".into()));
    assert_eq!(of("hermes")["assumes"], serde_json::json!({ "tools": false, "thinking": null, "tool_choice": "auto" }));
    assert_eq!(of("json_tools")["outcome"]["content"], "\nDone.");
    let rejected = rows.iter().filter(|row| row["outcome"]["error"].is_string());
    assert!(rejected.clone().count() > 0 && rejected.clone().all(|row| row["runtime"] == "llama.cpp"), "{rows:#?}");
    // The same, with one line for each file.
    let lines =
        lens(folder.path(), &["--schema", "named.json", "--format", "ndjson", "answer.txt", "answer.txt"]).stdout;
    let lines: Vec<Vec<Value>> =
        lines.lines().map(|line| serde_json::from_str(line).expect("an array a line")).collect();
    assert_eq!(lines, [rows.clone(), rows]);
}

#[test]
fn server_outcomes_are_shown_where_they_differ() {
    let folder = folder();
    let run = lens(folder.path(), &["--format", "json", "--schema", "none.json", "--dialect", "hermes", "answer.txt"]);
    let rows: Value = serde_json::from_str(&run.stdout).expect("it is JSON");
    let row = |parser: &str| rows.as_array().expect("rows").iter().find(|row| row["parser"] == parser).expect(parser);
    let hermes = row("hermes");
    assert_eq!(hermes["outcome"]["calls"][0]["name"], "get_weather");
    assert_eq!(
        (&hermes["server"]["content"], &hermes["server"]["calls"]),
        (&Value::from(ANSWER), &Value::from(Vec::<Value>::new()))
    );
    assert!(rows.as_array().expect("rows").iter().all(|row| row["runtime"] == "vllm" || row.get("server").is_none()));
}

#[test]
fn reasons_are_problems_of_a_text_that_is_read_as_a_runtime_reads_it() {
    let folder = folder();
    for (arguments, code, expected) in [
        (&["check", "--runtime", "vllm:hermes", "answer.txt"][..], 0, "warning[prose-lost]: vllm:hermes: "),
        (&["check", "--runtime", "sglang:qwen25", "answer.txt"], 0, "warning[no-tools-in-request]: "),
        (&["check", "--portable=vllm,mlx-lm", "--schema", "named.json", "answer.txt"], 1, "error[not-portable]: "),
        (&["check", "--portable=vllm:hermes,sglang", "--schema", "named.json", "answer.txt"], 0, "no problems"),
        (
            &["check", "--portable=sglang:mistral,mlx-lm:mistral", "--schema", "named.json", "id.txt"],
            1,
            "error[not-portable]: sglang:mistral returns no id; mlx-lm:mistral returns the id \"abcdefghi\"\n",
        ),
        (
            &["check", "--portable=vllm:gemma4,sglang:gemma4", "--schema", "named.json", "endless.txt"],
            1,
            "vllm:gemma4 returns \"x]y\" for city/0/0; sglang:gemma4 returns \"x\" for city/0/0\n",
        ),
        // Whitespace at the ends of a text is not a difference.
        (&["check", "--portable", "--schema", "named.json", "behind-prose.txt"], 0, "no problems"),
        (&["check", "--portable=vlm", "answer.txt"], 2, ""),
        (&["explain", "prose-lost"], 0, "\nWhat is delivered:\n\n    1   vllm:hermes"),
        (&["explain", "call-boundaries"], 0, "      ≠   id         \"abcdef123\"\n"),
    ] {
        let run = run_in(folder.path(), arguments, &[], b"");
        assert_eq!(run.code, code, "{arguments:?}: {}{}", run.stdout, run.stderr);
        assert!(run.stdout.contains(expected), "{arguments:?}: {}", run.stdout);
    }
}

#[test]
fn a_case_expects_the_outcome_of_the_runtime_that_it_names() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).expect("a file can be made");
    write("glued.txt", "<tool_call>{\"name\": \"ping\", \"arguments\": {}}</tool_call>");
    write("tools.json", "{\"ping\": {}}");
    // The same text is a call for one parser and not for the other.
    for (parser, code) in [("sglang:hermes", 0), ("sglang:qwen25", 1)] {
        let options = format!("{{\"runtime\": \"{parser}\", \"schema\": \"tools.json\"}}");
        let call = "{\"type\": \"call\", \"line\": 1, \"dialect\": \"hermes\", \"name\": \"ping\", \
            \"status\": \"complete\", \"parameters\": {}}";
        let expected = format!("{{\"options\": {options}, \"items\": [{call}], \"problems\": []}}");
        write("glued.expected.json", &expected);
        let run = run_in(folder.path(), &["test", "."], &[], b"");
        assert_eq!(run.code, code, "{parser}: {}{}", run.stdout, run.stderr);
    }
}

fn lens(folder: &Path, arguments: &[&str]) -> super::program::Run {
    run_in(folder, &[&["lens"], arguments].concat(), &[], ANSWER.as_bytes())
}
