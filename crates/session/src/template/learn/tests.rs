//! Small templates in syntaxes that no model has, and what is learnt from them.

use serde_json::Map;

use super::super::RenderOptions;
use super::super::source::ChatTemplate;
use super::{LearnedDialect, learn};

/// The declaration learnt from a template whose turns of the model end with `calls`.
fn learned(calls: &str) -> Option<LearnedDialect> {
    let source = format!(
        "{{% for m in messages %}}{{% if m.role == 'user' %}}<u>{{{{ m.content }}}}</u>{{% elif m.role == 'assistant' %}}<a>\
         {{{{ m.content or '' }}}}{calls}</a>{{% endif %}}{{% endfor %}}{{% if add_generation_prompt %}}<a>{{% endif %}}"
    );
    let template = ChatTemplate::new("default", "t", &source);
    learn(&template, &Map::new(), &RenderOptions::default(), "mine").expect("it is a template")
}

/// The members of a declaration that describe calls, and the probes that it reads.
fn summary(calls: &str) -> String {
    let Some(learned) = learned(calls) else { return "nothing".to_owned() };
    let members = ["section:", "call:", "arguments:"];
    let lines = learned.yaml.lines().filter(|line| members.iter().any(|member| line.starts_with(member)));
    let unread = learned.probes.iter().filter(|probe| probe.difference.is_some()).map(|probe| probe.name.as_str());
    let unread: Vec<&str> = unread.collect();
    let mut lines: Vec<String> = lines.map(str::to_owned).collect();
    lines.push(if unread.is_empty() { "reads all".to_owned() } else { format!("not {}", unread.join(" ")) });
    lines.join("\n")
}

/// A loop over the calls of a message; `f` is the function of a call.
fn each(call: &str) -> String {
    format!("{{% for c in m.tool_calls or [] %}}{{% set f = c.function %}}{call}{{% endfor %}}")
}

/// A loop over the arguments of a call.
fn arguments(argument: &str) -> String {
    format!("{{% for k, v in f.arguments.items() %}}{argument}{{% endfor %}}")
}

/// Text around all calls of a message.
fn around(open: &str, calls: &str, close: &str) -> String {
    format!("{{% if m.tool_calls %}}{open}{calls}{close}{{% endif %}}")
}

#[test]
fn a_declaration_is_learnt_from_what_a_template_writes() {
    let json = r#"{"name": "{{ f.name }}", "arguments": {{ f.arguments|tojson }}}"#;
    let list = "{% if not loop.last %}, {% endif %}";
    let python = format!("{{{{ f.name }}}}({})", arguments(&format!("{{{{ k }}}}={{{{ v|tojson }}}}{list}")));
    let kind = "{{ 'text' if v is string else 'json' }}";
    let value = "{{ v if v is string else v|tojson }}";
    let rows = [
        (
            "JSON between tags",
            each(&format!("\n<do>\n{json}\n</do>")),
            "call: {open: \"<do>\", close: \"</do>\"}\narguments: {kind: json_calls, arguments_key: arguments}\nreads all",
        ),
        (
            "a list of JSON calls, after a marker that nothing closes",
            around("TOOLS ", "{{ m.tool_calls|tojson }}", ""),
            "call: {open: \"TOOLS\"}\narguments: {kind: json_calls, arguments_key: arguments, id_key: id, list: true}\nreads all",
        ),
        (
            "JSON calls with a separator",
            around("<|run|>", &each(&format!("{json}{{% if not loop.last %}}; {{% endif %}}")), ""),
            "call: {open: \"<|run|>\"}\narguments: {kind: json_calls, arguments_key: arguments, separator: \";\"}\nreads all",
        ),
        (
            "Python calls, one a line",
            around("\n<run>\n", &each(&format!("{python}\n")), "</run>"),
            "call: {open: \"<run>\", close: \"</run>\"}\narguments: {kind: python_calls}\nreads all",
        ),
        (
            "a name and JSON",
            each("<do={{ f.name }}>{{ f.arguments|tojson }}</do>"),
            "call: {open: \"<do={name}>\", close: \"</do>\"}\narguments: {kind: json}\nreads all",
        ),
        (
            "a section, ids and JSON",
            around("<all>", &each("<one>{{ c.id }}<of>{{ f.name }}<with>{{ f.arguments|tojson }}</one>"), "</all>"),
            "section: {open: \"<all>\", close: \"</all>\"}\ncall: {open: \"<one>{id}<of>{name}<with>\", close: \"</one>\"}\n\
             arguments: {kind: json}\nreads all",
        ),
        (
            "numbers of calls",
            around(
                "<all>",
                &each("<one>f.{{ f.name }}:{{ loop.index0 }}<with>{{ f.arguments|tojson }}</one>"),
                "</all>",
            ),
            "section: {open: \"<all>\", close: \"</all>\"}\ncall: {open: \"<one>f.{name}:{any}<with>\", close: \"</one>\"}\n\
             arguments: {kind: json}\nreads all",
        ),
        (
            "arguments between tags with their types",
            each(&format!(
                "<do {{{{ f.name }}}}>{}</do>",
                arguments(&format!("\n<arg key=\"{{{{ k }}}}\" kind=\"{kind}\">{value}</arg>"))
            )),
            "call: {open: \"<do {name}>\", close: \"</do>\"}\narguments: {kind: parameters, open: \"<arg key=\\\"{key}\\\" \
             kind=\\\"{type}\\\">\", close: \"</arg>\", strip: nothing, values: {json_type: \"json\", text_type: \"text\"}}\nreads all",
        ),
        (
            "keys and values in tags",
            each(&format!("<do>{{{{ f.name }}}}{}</do>", arguments(&format!("<k>{{{{ k }}}}</k><v>\n{value}\n</v>")))),
            "call: {open: \"<do>{name}{ws}\", close: \"</do>\", followed_by: [\"<k>\",\"</do>\"]}\narguments: {kind: parameters, open: \
             \"<k>{key}</k><v>\", close: \"</v>\", strip: one_newline}\nreads all",
        ),
        (
            "JSON between tags with the key",
            each(&format!("<do {{{{ f.name }}}}>{}</do>", arguments("<p {{ k }}>{{ v|tojson }}</p>"))),
            "call: {open: \"<do {name}>\", close: \"</do>\"}\narguments: {kind: parameters, open: \"<p {key}>\", close: \"</p>\", \
             strip: nothing, values: {json_or_text: true}}\nreads all",
        ),
        (
            "escapes of XML",
            each(&format!("<do {{{{ f.name }}}}>{}</do>", arguments("<p {{ k }}>{{ v|e }}</p>"))),
            "call: {open: \"<do {name}>\", close: \"</do>\"}\narguments: {kind: parameters, open: \"<p {key}>\", close: \"</p>\", \
             strip: nothing, unescape: xml}\nreads all",
        ),
        (
            "lines, which cannot hold a value of two lines",
            each(&format!("\n::do {{{{ f.name }}}}\n{}::end", arguments("{{ k }}: {{ v }}\n"))),
            "call: {open: \"::do {name}{nl}\", close: \"::end\"}\narguments: {kind: lines, separator: \":\"}\nnot values",
        ),
        ("no name", each("<do>{{ f.arguments|tojson }}</do>"), "nothing"),
        ("no call", String::new(), "nothing"),
    ];
    let found = rows.iter().map(|(words, calls, expected)| (words, summary(calls), expected));
    let wrong: Vec<String> = found
        .filter(|(_, found, expected)| found != *expected)
        .map(|(words, found, expected)| format!("--- {words}\n{found}\n--- and not\n{expected}\n"))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_a_template_leaves_out_is_not_asked_of_a_declaration() {
    let first = "{% for c in (m.tool_calls or [])[:1] %}<do={{ c.function.name }}>{{ c.function.arguments|tojson }}</do>{% endfor %}";
    let learned = learned(first).expect("it is read");
    assert_eq!(learned.reads(), learned.probes.len());
    assert_eq!(learned.losses(), [("a call", vec!["parallel", "parallel_results"])]);
}

#[test]
fn a_marker_that_begins_in_the_prompt_is_read_in_two_ways() {
    let source = "{% for m in messages %}{% if m.role == 'user' %}<u>{{ m.content }}\n>>>{% elif m.role == 'assistant' %}\
                  {% if m.content %}all\n{{ m.content }}{% if m.tool_calls %}>>>{% endif %}{% endif %}\
                  {% for c in m.tool_calls or [] %}{{ c.function.name }}\n{{ c.function.arguments|tojson }}\
                  {% if not loop.last %}>>>{% endif %}{% endfor %}{% endif %}{% endfor %}";
    let template = ChatTemplate::new("default", "t", source);
    let learned = learn(&template, &Map::new(), &RenderOptions::default(), "mine").expect("it is a template");
    let learned = learned.expect("it writes calls");
    assert_eq!(learned.reads(), learned.probes.len(), "{}", learned.yaml);
    for line in
        ["- call: {open: \">>>{name}{nl}\"", "  call: {open: \"{name}{nl}\", followed_by: [\"{\"], at: message_start}"]
    {
        assert!(learned.yaml.contains(line), "{}", learned.yaml);
    }
}

#[test]
fn a_hostile_template_gives_nothing_or_a_message() {
    let long = "{{ 'fetch_quince gravel Basaltic <' * 9000 }}";
    let torn = "{% for c in m.tool_calls or [] %}Basaltic({{ c.function.name }}{{ '[' * 300 }}{% endfor %}";
    for calls in [long, torn, "{% for i in range(99999) %}{% for j in range(999) %}{% endfor %}{% endfor %}"] {
        assert!(learned(calls).is_none_or(|learned| learned.reads() < learned.probes.len()), "{calls}");
    }
}
