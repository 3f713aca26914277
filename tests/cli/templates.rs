//! Problems of chat templates: exit status, table, formats, a model's directory and probes from a file.

use serde_json::Value;

use super::run_in;

/// A template that loses calls.
const LOSES_CALLS: &str = "{{ tools | tojson }}{% for m in messages %}<{{ m.role }}>{{ m.content or '' }}{% endfor %}";

/// A template without an error or a warning.
const SOUND: &str = "{{ tools | tojson }}{% for m in messages %}<{{ m.role }}>{{ m.content or '' }}{% for c in \
                     m.tool_calls or [] %}<call>{{ c.function.name }} {% if c.function.arguments is string %}{{ \
                     c.function.arguments }}{% else %}{{ c.function.arguments | tojson }}{% endif %}</call>{% endfor \
                     %}{% endfor %}";

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
        (&["--format", "github", "bad.jinja"], 1, "::error file=bad.jinja"),
        (&["--probe", "plain", "bad.jinja"], 0, "no problems"),
        (
            &["--probes", "probes.yaml", "picky.jinja"],
            1,
            "error[prompt-raises]: the conversation is refused: no (probe refund)",
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
    ] {
        let (code, out, errors) = run_in(folder.path(), arguments, &[], b"").parts();
        assert_eq!((code, out.as_str()), (2, ""), "{arguments:?}: {errors}");
        assert!(errors.contains(expected), "{arguments:?}: {errors}");
    }
}
