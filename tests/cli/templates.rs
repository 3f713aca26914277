//! Problems of chat templates: exit status, table, formats, a model's directory and probes from a file. Recorded sessions as
//! prompts.

use std::fmt::Write as _;

use serde_json::Value;

use super::{run_in, snapshot};

/// A template that loses calls.
const LOSES_CALLS: &str = "{{ tools | tojson }}{% for m in messages %}<{{ m.role }}>{{ m.content or '' }}{% endfor %}";

/// A template without an error or a warning.
const SOUND: &str = "{{ tools | tojson }}{% for m in messages %}<{{ m.role }}>{{ m.content or '' }}{% for c in \
                     m.tool_calls or [] %}<tool_call>\n{\"name\": \"{{ c.function.name }}\", \"arguments\": {% if \
                     c.function.arguments is string %}{{ c.function.arguments }}{% else %}{{ c.function.arguments | \
                     tojson }}{% endif %}}\n</tool_call>{% endfor %}{% endfor %}";

/// A probe that is refused by a template which knows no refunds.
const PROBES: &str =
    "tools: []\nprobes:\n- name: refund\n  about: A word\n  messages: [{role: user, content: Refund it.}]\n";

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).expect("a file can be made");
    std::fs::create_dir(folder.path().join("model")).expect("a folder can be made");
    write("bad.jinja", LOSES_CALLS);
    write("good.jinja", SOUND);
    write(
        "picky.jinja",
        "{% for m in messages %}{% if 'Refund' in m.content %}{{ raise_exception('no') }}{% endif %}{% endfor %}",
    );
    write("probes.yaml", PROBES);
    write("tokenizer.json", r#"{"added_tokens": [{"id": 1, "content": "<call>", "special": true}]}"#);
    write("empty.yaml", "probes: []\n");
    write("model/chat_template.jinja", SOUND);
    write("model/tokenizer_config.json", r#"{"bos_token": "<s>", "chat_template": "{{ messages }}"}"#);
    folder
}

#[test]
fn the_problems_of_templates_decide_the_exit_status() {
    let folder = folder();
    let rows: &[(&[&str], i32, &str)] = &[
        (&["bad.jinja"], 1, "error[call-lost-in-history]: the call of get_weather in messages[1] is not in the prompt"),
        (&["good.jinja"], 0, "no problems"),
        (&["--all", "good.jinja"], 0, "hint[results-by-order]"),
        (&["good.jinja", "bad.jinja"], 1, "bad.jinja        1         0  call-lost-in-history\n"),
        (&["good.jinja", "bad.jinja"], 1, "\n1 of 2 templates with errors\n"),
        (&["model"], 0, "warning[template-sources-differ]: tokenizer_config.json has another template"),
        (
            &["--all", "--tokenizer", "tokenizer.json", "good.jinja"],
            0,
            "hint[control-token-from-input]: <call> in the text of a user becomes the control token",
        ),
        (&["--tokenizer", "probes.yaml", "good.jinja"], 2, "could not use the tokenizer probes.yaml"),
        (&["--format", "github", "bad.jinja"], 1, "::error file=bad.jinja"),
        (&["--probe", "plain", "bad.jinja"], 0, "no problems"),
        (
            &["--probes", "probes.yaml", "picky.jinja"],
            1,
            "error[prompt-raises]: the conversation is refused: no (probe refund; all runtimes)",
        ),
        (
            &["--probes", "probes.yaml", "--probe", "other", "picky.jinja"],
            2,
            "unknown probe \"other\"; choose one of refund",
        ),
        (
            &["--probes", "empty.yaml", "picky.jinja"],
            2,
            "could not use the probes empty.yaml: the list `probes` is empty",
        ),
        (&["missing.jinja"], 2, "missing.jinja"),
    ];
    for (arguments, status, expected) in rows {
        let arguments: Vec<&str> = ["template", "check"].iter().chain(*arguments).copied().collect();
        let (code, out, errors) = run_in(folder.path(), &arguments, &[], b"").parts();
        assert_eq!(code, *status, "{arguments:?}: {out}{errors}");
        assert!(format!("{out}{errors}").contains(expected), "{arguments:?}: {out}{errors}");
    }
}

#[test]
fn json_names_the_probe_and_the_runtimes() {
    let folder = folder();
    let arguments = ["template", "check", "--format", "json", "--probe", "args_string", "bad.jinja", "model"];
    let (_, out, errors) = run_in(folder.path(), &arguments, &[], b"").parts();
    let value: Value = serde_json::from_str(&out).unwrap_or_else(|error| panic!("{error}: {out}{errors}"));
    let found = value["diagnostics"].as_array().expect("a list");
    let member = |code: &str, key: &str| {
        found.iter().find(|problem| problem["code"] == code).map(|problem| problem[key].clone()).unwrap_or_default()
    };
    assert_eq!(member("call-lost-in-history", "probe"), "args_string");
    assert_eq!(member("call-lost-in-history", "runtimes")[0]["runtime"], "transformers");
    assert_eq!(member("call-lost-in-history", "runtimes")[1]["verified"], false);
    assert_eq!(member("template-sources-differ", "probe"), Value::Null);
    assert_eq!(value["files"], 2);
}

/// A template that writes all parts of a conversation.
const WHOLE: &str = "{% for t in tools or [] %}TOOL {{ t | tojson }}\n{% endfor %}{% for m in messages %}[{{ m.role }}]{% if \
                     m.reasoning_content %} ({{ m.reasoning_content }}){% endif %} {{ m.content }}{% if m.tool_call_id %} \
                     FOR {{ m.tool_call_id }} {{ m.name }}{% endif %}{% for c in m.tool_calls or [] %} CALL {{ c.id }} {{ \
                     c.function.name }} {{ c.function.arguments | tojson }}{% endfor %}\n\n{% endfor %}";

#[test]
fn a_recorded_session_is_a_prompt() {
    let folder = folder();
    std::fs::write(folder.path().join("whole.jinja"), WHOLE).expect("a file can be made");
    let samples = [
        "anthropic/request.json",
        "claude-code/side-by-side.jsonl",
        "llmist-request/0002.request",
        "ollama/ice.ndjson",
        "openai-chat/data-set.jsonl",
        "openai-chat/thinking.json",
        "openai-responses/request.json",
        "gemini/request.json",
    ];
    let mut shown = String::new();
    for sample in samples {
        let path = format!("{}/samples/containers/{sample}", env!("CARGO_MANIFEST_DIR"));
        let arguments = ["template", "render", "--no-generation-prompt", "--messages", &path, "whole.jinja"];
        let (code, out, errors) = run_in(folder.path(), &arguments, &[], b"").parts();
        assert_eq!(code, 0, "{sample}: {errors}");
        _ = writeln!(shown, "==> {sample} <==\n{}{out}", errors.replace(&path, sample));
        let arguments = ["template", "render", "--format", "json", "--messages", &path, "whole.jinja"];
        let (_, out, _) = run_in(folder.path(), &arguments, &[], b"").parts();
        let value: Value = serde_json::from_str(&out).expect("it is JSON");
        let template = &value["templates"][0];
        let number = |value: &Value| value.as_u64().unwrap_or_default();
        let parts = &template["parts"];
        let messages: u64 =
            parts["messages"].as_array().expect("a list").iter().map(|part| number(&part["bytes"])).sum();
        let others: u64 = ["tools", "others", "template", "unknown"].iter().map(|part| number(&parts[*part])).sum();
        assert_eq!(messages + others, template["text"].as_str().expect("a prompt").len() as u64, "{sample}: {parts}");
    }
    snapshot::matches("cli", "template_of_sessions", &shown);
}

#[test]
fn a_prompt_ends_with_the_message_at_a_place() {
    let folder = folder();
    std::fs::write(folder.path().join("whole.jinja"), WHOLE).expect("a file can be made");
    let path = format!("{}/samples/containers/claude-code/side-by-side.jsonl", env!("CARGO_MANIFEST_DIR"));
    let render = |at: &str| {
        let arguments = ["template", "render", "--messages", &path, "--at", at, "whole.jinja"];
        run_in(folder.path(), &arguments, &[], b"").parts()
    };
    for (at, expected) in [
        ("turn 1", "[user] Which of the three quays has a crane? And how would a call look in the other syntax?"),
        ("toolu_N", "CALL toolu_N Read {\"file_path\": \"quays/north.md\"}"),
        ("2", "[user] Which of the three quays has a crane? And how would a call look in the other syntax?"),
    ] {
        let (code, out, errors) = render(at);
        assert!(code == 0 && out.trim_end().ends_with(expected), "{at}: {out}{errors}");
    }
    let (code, _, errors) = render("toolu_X");
    assert!(code == 2 && errors.contains("no such place in "), "{errors}");
}

/// Calls between markers that a parser of vLLM reads.
const MARKED: &str = "{% for m in messages %}<s>{{ m.role }}: {{ m.content }}{% for c in m.tool_calls or [] %}\
    <|python_tag|>{{ c.function | tojson }}{% endfor %}</s>{% endfor %}{{ bos_token }}";

#[test]
fn the_tokens_of_a_tokenizer_count_everywhere() {
    let folder = folder();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).expect("a file can be made");
    write("marked.jinja", MARKED);
    let added = r#""added_tokens_decoder": {"1": {"content": "<|begin|>", "special": true}, "2": {"content": "</s>", "special": true}}"#;
    write("tokenizer_config.json", &format!(r#"{{"bos_token": "<|begin|>", {added}}}"#));
    let run = |arguments: &[&str]| {
        let all: Vec<&str> = ["template"].iter().chain(arguments).copied().collect();
        run_in(folder.path(), &all, &[], b"").parts()
    };
    let tokenizer = ["--tokenizer", "tokenizer_config.json", "marked.jinja"];
    let with = |command: &[&'static str]| run(&[command, &tokenizer[..]].concat());
    let (code, out, errors) = with(&["render", "--probe", "plain"]);
    assert!(code == 0 && out.ends_with("<|begin|>"), "{code} {out}{errors}");
    let (code, out, errors) = with(&["render", "--probe", "plain", "--format", "json"]);
    let value: Value = serde_json::from_str(&out).unwrap_or_else(|error| panic!("{error}: {code} {out}{errors}"));
    let tokens = value["templates"][0]["tokens"].as_array().expect("tokens are known");
    let last = tokens.last().expect("there are tokens");
    assert_eq!((last["text"].as_str(), last["special"].as_bool()), (Some("<|begin|>"), Some(true)), "{tokens:?}");
    for command in ["prefix", "roundtrip"] {
        let (code, out, errors) = with(&[command]);
        assert!(code < 2 && out.contains("marked.jinja"), "{command}: {code} {out}{errors}");
    }
    for command in ["render", "prefix", "roundtrip"] {
        let (code, out, errors) = run(&[command, "--tokenizer", "missing.json", "good.jinja"]);
        assert!(code == 2 && errors.contains("could not use the tokenizer missing.json"), "{command}: {out}{errors}");
    }
}

#[test]
fn a_parser_that_gets_no_special_tokens_reads_a_turn_without_them() {
    let folder = folder();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).expect("a file can be made");
    let source = "{% for m in messages %}<|start|>{{ m.role }}: {{ m.content }}{% for c in m.tool_calls or [] %}\
        [{{ c.function.name }}({% for k, v in c.function.arguments | items %}{{ ', ' if not loop.first }}{{ k }}=\
        {{ v | tojson }}{% endfor %})]{% endfor %}<|end|>{% endfor %}\
        {% if add_generation_prompt %}<|start|>assistant: {% endif %}";
    write("python.jinja", source);
    let token = |text: &str| format!(r#"{{"id": 1, "content": "{text}", "special": true}}"#);
    write("strips.json", &format!(r#"{{"added_tokens": [{}]}}"#, token("days=")));
    write("keeps.json", &format!(r#"{{"added_tokens": [{}]}}"#, token("<|end|>")));
    for (tokenizer, is_read) in [("keeps.json", true), ("strips.json", false)] {
        let arguments =
            ["template", "roundtrip", "--format", "json", "--probe", "single", "--runtime", "vllm:pythonic"];
        let arguments: Vec<&str> = arguments.into_iter().chain(["--tokenizer", tokenizer, "python.jinja"]).collect();
        let (code, out, errors) = run_in(folder.path(), &arguments, &[], b"").parts();
        let value: Value = serde_json::from_str(&out).unwrap_or_else(|error| panic!("{error}: {code} {out}{errors}"));
        let text = value.to_string();
        let parser = text.split("\"vllm:pythonic\"").nth(1).unwrap_or_else(|| panic!("{text}"));
        let differs = parser.split('}').next().is_some_and(|verdict| !verdict.contains("\"differences\":[]"));
        assert_eq!(!differs, is_read, "{tokenizer}: {text}");
    }
}

#[test]
fn a_file_without_messages_is_refused() {
    let folder = folder();
    let rows = [("empty.yaml", "it has none"), ("missing.json", "could not read the messages missing.json")];
    std::fs::write(folder.path().join("empty.yaml"), "").expect("a file can be made");
    for (file, expected) in rows {
        let (code, out, errors) =
            run_in(folder.path(), &["template", "render", "--messages", file, "good.jinja"], &[], b"").parts();
        assert!(code == 2 && errors.contains(expected), "{file}: {code} {out}{errors}");
    }
}

#[test]
fn without_a_terminal_a_template_is_not_shown() {
    let folder = folder();
    for (arguments, expected) in [
        (
            &["template", "good.jinja"][..],
            "error: showing a template needs a terminal; use template render, check or prefix",
        ),
        (&["template", "--probe", "single", "model"], "showing a template needs a terminal"),
        (&["template"], "name a template to show, or use template render, check or prefix"),
        (
            &["template", "chekc", "good.jinja"],
            "could not use the template chekc: it does not exist; did you mean transcope template check?",
        ),
        (&["template", "good.jinja", "chekc"], "could not use the template chekc: it does not exist\n"),
        (&["template", "none.jinja"], "could not use the template none.jinja: it does not exist\n"),
    ] {
        let (code, out, errors) = run_in(folder.path(), arguments, &[], b"").parts();
        assert_eq!((code, out.as_str()), (2, ""), "{arguments:?}: {errors}");
        assert!(errors.contains(expected), "{arguments:?}: {errors}");
    }
}
