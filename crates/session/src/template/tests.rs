//! Sources of templates, their limits, and what is converted before they are rendered.

use serde_json::{Map, Value, json};

use super::conversation::{Conversation, PrintedForms, TemplateRuntime};
use super::failure::{FailureKind, TemplateFailure};
use super::fields::TemplateInput;
use super::probes::TemplateProbe;
use super::source::{ChatTemplate, ModelFiles, TemplateSet};
use super::{PromptText, RenderOptions, SpanOrigin, render};

fn rendered(source: &str, messages: Value) -> Result<PromptText, TemplateFailure> {
    let conversation = Conversation::from_json(messages).expect("messages");
    let input = TemplateInput { conversation, special_tokens: Map::new() };
    render(&ChatTemplate::new("default", "t", source), input, RenderOptions::default())
}

fn text(source: &str) -> String {
    match rendered(source, json!([{"role": "user", "content": "Hi <b>", "none": null, "list": [1, 2.5], "text": "ab"}]))
    {
        Ok(prompt) => prompt.text,
        Err(failure) => format!("{:?} {failure}", failure.kind),
    }
}

#[test]
fn a_template_is_rendered_as_python_does_it() {
    let rows = [
        ("{% for x in messages[0].none %}{% endfor %}", "Operation t:1: 'NoneType' object is not iterable"),
        ("{{ 'a' in messages[0].none }}", "Operation t:1: argument of type 'NoneType' is not iterable"),
        ("{{ messages[0].none|trim|length }}", "4"),
        (
            "{{ messages[0].list|map('string')|tojson }}",
            "Operation t:1: Object of type generator is not JSON serializable",
        ),
        ("{{ messages[0].list|map('string')|list|tojson }}", "[\"1\", \"2.5\"]"),
        ("{% for c in messages[0].text %}{{ c }}{{ '' if loop.last else '-' }}{% endfor %}", "a-b"),
        ("a\r\nb\rc\r\n", "a\nb\nc"),
        ("{% generation %}{{ messages[0].content }}{% endgeneration %}", "Hi <b>"),
        ("{% set a = 1 %}{% generation %}{% set a = 2 %}{% endgeneration %}{{ a }}", "1"),
        ("{{ {'a': [1, none, true], 'é': '<&'}|tojson }}", "{\"a\": [1, null, true], \"é\": \"<&\"}"),
        ("{{ {'b': 1, 'a': 2}|tojson(sort_keys=true, separators=(',', ':')) }}", "{\"a\":2,\"b\":1}"),
        ("{{ 'é'|tojson(ensure_ascii=true) }}{{ 1e16|tojson }}", "\"\\u00e9\"1e+16"),
        ("{{ [1, none, 'a'] }}{{ messages[0].text[1:] }}{{ messages[0].text[::-1] }}", "[1, None, 'a']bba"),
        ("{{ raise_exception('no') }}", "Raised t:1: the template raises: no"),
        ("{% set a = [] %}{{ a.append(1) }}", "Operation t:1: access to attribute 'append' of 'list' object is unsafe"),
        ("{% set n = namespace(_a=1) %}", "Operation t:1: chat templates cannot store underscore-prefixed attributes"),
        ("{{ strftime_now('%S.%f') == strftime_now('%S.%f') }}", "True"),
        ("{{ 'a b  c '.split() }}{{ 'a-b-c'.rsplit('-', 1) }}", "['a', 'b', 'c']['a-b', 'c']"),
    ];
    for (source, expected) in rows {
        assert!(text(source).starts_with(expected), "{source}: {}", text(source));
    }
}

#[test]
fn a_hostile_template_ends_with_a_message() {
    let nested = |open: &str, close: &str| {
        let inner = format!("{}ns.x{}", open.repeat(30), close.repeat(30));
        format!("{{% set ns=namespace(x=[1]) %}}{{% for i in range(90000) %}}{{% set ns.x={inner} %}}{{% endfor %}}")
    };
    let sources = [
        "{{ 'x' * 1000000000 }}".to_owned(),
        "{% for i in range(1000000000) %}x{% endfor %}".to_owned(),
        "{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}".to_owned(),
        "{% set n=namespace(x='x'*1000) %}{% for i in range(99) %}{% set n.x=n.x+n.x %}{% endfor %}{{ n.x }}"
            .to_owned(),
        "{% macro f(x) %}{{ f(x) }}{% endmacro %}{{ f(1) }}".to_owned(),
        "{{ range(99999)|join('x'*100000)|length }}".to_owned(),
        "{{ 'a\\nb'|indent(1000000000) }}{{ '%1000000000s'|format('x') }}".to_owned(),
        format!("{{{{ 1{} }}}}", "+1".repeat(300_000)),
        format!("{{{{ {}1 }}}}", "not ".repeat(200_000)),
        format!("{}{}", "{% if 1 %}".repeat(9000), "{% endif %}".repeat(9000)),
        nested("[", "]"),
        nested("(", ",)"),
        nested("{'a':", "}"),
        nested("namespace(x=", ")"),
        format!(
            "{{% set n=namespace(x=[1]) %}}{{% for i in range(90000) %}}{{% set n.x=n.x{} %}}{{% endfor %}}",
            "[0:]".repeat(90)
        ),
        "x".repeat(2 << 20),
    ];
    for source in sources {
        let failure = rendered(&source, json!([])).expect_err("it is stopped");
        let is_told = matches!(failure.kind, FailureKind::Limit | FailureKind::Syntax | FailureKind::Operation);
        assert!(is_told, "{}: {failure}", &source[..60.min(source.len())]);
    }
}

#[test]
fn each_byte_has_the_line_and_the_field_it_is_from() {
    let source =
        "{% for m in messages %}\n<{{ m.role }}>{{ ' ' + m.content|trim }}\n{% endfor %}end {{ strftime_now('%Y') }}";
    let messages = json!([{"role": "user", "content": "  Ada  "}, {"role": "user", "content": "Ada"}]);
    let prompt = rendered(source, messages).expect("it is rendered");
    let spans = prompt.spans.iter().filter_map(|span| match &span.origin {
        SpanOrigin::Fields(fields) => {
            Some((span.line, &prompt.text[span.range.clone()], prompt.fields[fields[0]].path.as_str()))
        }
        _ => None,
    });
    let year = &prompt.text[prompt.text.len() - 4..];
    assert_eq!(
        spans.collect::<Vec<_>>(),
        [(2, "Ada", "messages[0].content"), (2, "Ada", "messages[1].content"), (3, year, "strftime_now()")]
    );
}

#[test]
fn templates_are_found_in_the_files_that_carry_them() {
    let config = br#"{"bos_token": {"content": "<s>"}, "eos_token": "</s>", "chat_template": [
        {"name": "tool_use", "template": "T"}, {"name": "default", "template": "D"}]}"#;
    let set = TemplateSet::from_file("tokenizer_config.json", config).expect("it has templates");
    assert_eq!(set.templates.iter().map(|template| template.source.as_str()).collect::<Vec<_>>(), ["D", "T"]);
    assert_eq!(Value::Object(set.special_tokens), json!({"bos_token": "<s>", "eos_token": "</s>"}));
    let files =
        ModelFiles { jinja: Some("J".to_owned()), tokenizer_config: Some(config.to_vec()), ..ModelFiles::default() };
    let set = files.templates().expect("it has templates");
    assert_eq!((set.templates[0].source.as_str(), set.differing_file.as_deref()), ("J", Some("tokenizer_config.json")));
    for template in ["{# a comment #}x", "{}", "{ 'a' }", " {%- set a = 1 %}"] {
        let is_template = TemplateSet::from_file("a.jinja", template.as_bytes()).is_ok();
        assert_eq!(is_template, template != "{}", "{template}");
    }
    for (bytes, message) in [(&b"{"[..], "it is not JSON"), (b"[]", "it is not an object"), (b"{}", "")] {
        let error = TemplateSet::from_file("a.json", bytes).expect_err("it has no template");
        assert!(error.starts_with(message), "{error}");
    }
}

/// A GGUF header with a template, tokens and the id of one.
fn gguf_header() -> Vec<u8> {
    let text = |text: &str| [&(text.len() as u64).to_le_bytes()[..], text.as_bytes()].concat();
    let mut bytes = [b"GGUF".as_slice(), &3_u32.to_le_bytes(), &0_u64.to_le_bytes(), &3_u64.to_le_bytes()].concat();
    bytes.extend(
        [text("tokenizer.ggml.bos_token_id"), 4_u32.to_le_bytes().to_vec(), 1_u32.to_le_bytes().to_vec()].concat(),
    );
    bytes.extend([text("tokenizer.ggml.tokens"), 9_u32.to_le_bytes().to_vec(), 8_u32.to_le_bytes().to_vec()].concat());
    bytes.extend([2_u64.to_le_bytes().to_vec(), text("a"), text("<s>")].concat());
    bytes.extend([text("tokenizer.chat_template"), 8_u32.to_le_bytes().to_vec(), text("{{ bos_token }}")].concat());
    bytes
}

#[test]
fn a_gguf_header_is_read_whole_and_no_damaged_one_panics() {
    let bytes = gguf_header();
    let set = TemplateSet::from_file("m.gguf", &bytes).expect("it has a template");
    assert_eq!(set.templates[0].source, "{{ bos_token }}");
    assert_eq!(Value::Object(set.special_tokens), json!({"bos_token": "<s>"}));
    for at in 4..bytes.len() {
        assert!(TemplateSet::from_file("m.gguf", &bytes[..at]).is_err(), "cut at {at}");
        let mut damaged = bytes.clone();
        damaged[at] = 0xff;
        _ = TemplateSet::from_file("m.gguf", &damaged);
    }
}

#[test]
fn arguments_reach_the_template_as_the_runtime_gives_them() {
    let probe = TemplateProbe::named("args_string").expect("it exists").conversation();
    let arguments = |runtime, takes_objects: bool| {
        let forms = || PrintedForms { objects: takes_objects, parts_only: false };
        let prepared = probe.prepared(runtime, forms).expect("they are JSON");
        prepared.messages[1]["tool_calls"][0]["function"]["arguments"].is_string()
    };
    assert!(arguments(TemplateRuntime::Transformers, true));
    assert!(!arguments(TemplateRuntime::Vllm, false));
    assert!(!arguments(TemplateRuntime::LlamaCpp, true) && arguments(TemplateRuntime::LlamaCpp, false));
    let broken =
        Conversation::from_json(json!([{"tool_calls": [{"function": {"arguments": "{"}}]}])).expect("messages");
    let forms = |parts_only| move || PrintedForms { objects: true, parts_only };
    assert!(broken.prepared(TemplateRuntime::Vllm, forms(false)).is_err());
    let contents = Conversation::from_json(json!([{"content": null}, {"content": "a"}])).expect("messages");
    let prepared = |runtime, parts_only| contents.prepared(runtime, forms(parts_only)).expect("no arguments").messages;
    assert_eq!(prepared(TemplateRuntime::Transformers, true), contents.messages);
    assert_eq!(prepared(TemplateRuntime::Vllm, false), [json!({"content": ""}), json!({"content": "a"})]);
    let part = |text: &str| json!({"content": [{"type": "text", "text": text}]});
    assert_eq!(prepared(TemplateRuntime::LlamaCpp, true), [part(""), part("a")]);
}
