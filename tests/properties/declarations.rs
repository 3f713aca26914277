//! Properties of any declaration: whatever it contains, items tile the text, and how the text is cut makes no
//! difference.
//!
//! Declarations are made of a few markers, some of which are prefixes of others, with all kinds of arguments; the text
//! is a soup of those markers and of pieces of arguments. Independent of what they should read.

use std::fmt::Write as _;
use std::sync::Arc;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use transcope::container::Container;
use transcope::dialect::Options;
use transcope::dialect::declared::Declaration;
use transcope::document::Item;
use transcope::session::Session;
use transcope::value::tree_json::to_json;

/// Markers that open a call.
const OPEN: &[&str] = &[
    "<do {name}>",
    "<do name=\\\"{name}\\\">",
    "<|call|>{id}<|of|>",
    "@@ {name}{nl}",
    "@@{name}({ws}",
    "::tool {name}\\n",
    "::",
    "[[{name}]]",
    "<do>",
];

/// Markers that close one.
const CLOSE: &[&str] = &["</do>", "<|end|>", "@@end", "::", "]]", "\\n\\n"];

/// Kinds of arguments.
const ARGUMENTS: &[&str] = &[
    "{kind: json}",
    "{kind: text, key: input, strip: one_newline}",
    "{kind: lines}",
    "{kind: yaml}",
    "{kind: python}",
    "{kind: pairs}",
    "{kind: object, quote: \"<q>\"}",
    "{kind: nested_tags, prefix: \"\"}",
    "{kind: parts, separator: \"==\", keys: [a, b]}",
    "{kind: parameters, open: \"<arg {key}>\", close: \"</arg>\", strip: trim}",
    "{kind: parameters, open: \"<k>{key}</k>{ws}<v>\", close: \"</v>\", repeat: list, values: {json_or_text: true}}",
    "{kind: parameters, open: \"<arg key=\\\"{key}\\\" t=\\\"{type}\\\">\", close: [\"</arg>\", \"</a\"], values: {text_type: string}}",
    "{kind: parameters, open: \"@a {key}\\n\", next_ends_value: true, unescape: xml}",
    "{kind: json_calls}",
    "{kind: json_calls, arguments_key: name_is_key, list: true}",
    "{kind: python_calls, list: true}",
];

/// Pieces of the texts.
const PIECES: &[&str] = &[
    "<do ",
    "<do f>",
    "<do name=\"f\">",
    "<do>",
    "</do>",
    "</do >",
    "<|call|>",
    "f:1",
    "<|of|>",
    "<|end|>",
    "@@ f\n",
    "@@f(",
    "@@end",
    "::tool f\n",
    "::",
    "[[f]]",
    "[[",
    "]]",
    "\n\n",
    "\n",
    " ",
    "<s>",
    "</s>",
    "<think>",
    "</think>",
    "{\"a\": 1}",
    "{\"a\": \"",
    "\"}",
    "{",
    "}",
    "{\"name\": \"f\", \"arguments\": {}}",
    "[{\"f\": {\"a\": 1}}]",
    "[",
    "]",
    "a: 1\n",
    "a='x', b=2)",
    "a=\"x\\",
    "f(a=1)",
    "{a:<q>x<q>,b:2}",
    "<q>",
    "<a>1</a>",
    "<arg a>",
    "<arg key=\"a\" t=\"number\">",
    "</arg>",
    "</a",
    "<k>a</k><v>",
    "</v>",
    "@a a\n",
    "==\n",
    "1",
    "x y",
    "ä｜",
    "&lt;",
    "```\n",
    "> ",
    "\\",
    "'",
];

/// A declaration as YAML.
fn declaration() -> impl Strategy<Value = String> {
    let close = prop_oneof![3 => select(CLOSE).prop_map(Some), 1 => Just(None)];
    let place = select(&["anywhere", "line", "message_start"][..]);
    (select(OPEN), close, select(ARGUMENTS), place, any::<[bool; 4]>()).prop_map(
        |(open, close, arguments, place, [section, reasoning, followed, optional])| {
            let mut yaml = String::from("dialect: made-up\nexample: none\n");
            if section {
                yaml += "section: {open: \"<s>\", close: \"</s>\"}\n";
            }
            if reasoning {
                yaml += "reasoning: [{open: \"<think>\", close: \"</think>\"}]\n";
            }
            _ = write!(yaml, "call: {{open: \"{open}\", at: {place}, optional_close: {optional}");
            if let Some(close) = close {
                _ = write!(yaml, ", close: \"{close}\"");
            }
            if followed {
                yaml += ", followed_by: [\"{\", \"<\", \"a\"]";
            }
            if !open.contains("{name}") && !open.contains("{id}") {
                yaml += ", name: {fixed: f}";
            }
            _ = write!(yaml, "}}\narguments: {arguments}\n");
            yaml
        },
    )
}

/// Everything that is found in a text that arrives in chunks of these lengths, repeated as often as needed.
fn read(declaration: &Arc<Declaration>, text: &str, lengths: &[usize]) -> String {
    let options =
        Options { only: vec![declaration.info], declared: vec![Arc::clone(declaration)], ..Options::default() };
    let mut session = Session::new(Container::plain(), &options);
    let (mut rest, mut lengths) = (text.as_bytes(), lengths.iter().cycle());
    while !rest.is_empty() {
        let length = lengths.next().copied().unwrap_or(rest.len()).clamp(1, rest.len());
        session.push(&rest[..length]);
        rest = &rest[length..];
    }
    session.finish();
    let (mut out, mut end) = (String::new(), 0);
    for (number, item) in session.document().items().iter().enumerate() {
        let span = match &item {
            Item::Text(span) => *span,
            Item::Call(call) => call.span,
            _ => continue,
        };
        assert_eq!(span.start, end, "items tile the text {text:?}");
        end = span.end;
        _ = writeln!(out, "{}..{}", span.start, span.end);
        if let Item::Call(call) = &item {
            let assembly = session.dissect(number).expect("a call can be taken apart");
            for argument in &assembly.arguments {
                let is_within = argument.value.start >= call.span.start && argument.value.end <= call.span.end;
                assert!(is_within, "a value lies in its call: {text:?}");
            }
            let parameters = to_json(&assembly.tree, session.text());
            let status = call.status.word();
            _ = writeln!(out, "  {} {:?} {status} {parameters}", call.name(session.text()), call.id(session.text()));
        }
    }
    assert_eq!(end, text.len(), "items tile the text {text:?}");
    for problem in session.document().diagnostics().iter() {
        _ = writeln!(out, "{} {:?} {}", problem.code.name(), problem.span, problem.message);
    }
    out
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn how_a_text_is_cut_makes_no_difference_to_any_declaration(
        yaml in declaration(),
        pieces in vec(select(PIECES), 0..30),
        cuts in vec(1_usize..9, 1..4),
    ) {
        // Some of them are contradictory, and are rejected.
        if let Ok(declaration) = Declaration::parse(&yaml) {
            let (declaration, text) = (Arc::new(declaration), pieces.concat());
            let whole = read(&declaration, &text, &[]);
            prop_assert_eq!(&read(&declaration, &text, &[1]), &whole, "byte by byte: {:?}\n{}", text, yaml);
            prop_assert_eq!(&read(&declaration, &text, &cuts), &whole, "in pieces: {:?}\n{}", text, yaml);
        }
    }
}
