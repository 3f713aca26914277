//! Tables of YAML bodies: their values, their problems, and the limits for hostile ones.

use std::fmt::Write as _;

use super::*;
use crate::diagnostic::Code;
use crate::text::Text;
use crate::value::Assembly;
use crate::value::index::TreeIndex;
use crate::value::tree_json::to_json;

/// The tree as JSON, and the codes of the problems.
fn read(yaml: &str) -> (String, Vec<&'static str>) {
    let mut text = Text::default();
    text.push(yaml.as_bytes());
    let outcome = parse(yaml.as_bytes(), 0, Library::JsYaml);
    let assembly = outcome.into_assembly();
    let codes = assembly.problems.iter().map(|problem| problem.code.name()).collect();
    (to_json(&assembly.tree, &text).to_string(), codes)
}

#[test]
fn yaml_becomes_a_tree() {
    let cases = [
        ("a: 1\nb: [x, 'y', \"z\\n\"]\n", r#"{"a":1,"b":["x","y","z\n"]}"#),
        ("- 1\n- - 2\n  - 3\n- k: v\n  l: w\n", r#"[1,[2,3],{"k":"v","l":"w"}]"#),
        ("a: |\n  one\n  two\nb: >-\n  one\n  two\n", r#"{"a":"one\ntwo\n","b":"one two"}"#),
        ("a:\nb: ~\nc: ''\n", r#"{"a":null,"b":null,"c":""}"#),
        ("{\"a\": {\"b\": [1, true, null, \"x\\u00e9\"]}}", r#"{"a":{"b":[1,true,null,"xé"]}}"#),
        ("a: &x {b: 1}\nc: [*x, *x]\n", r#"{"a":{"b":1},"c":[{"b":1},{"b":1}]}"#),
        ("&k a: v\nb: *k\n", r#"{"a":"v","b":"a"}"#),
        ("a: &x one\n*x : two\n", r#"{"a":"one","one":"two"}"#),
        ("a: plain\n  goes on\n", r#"{"a":"plain goes on"}"#),
        ("text", r#""text""#),
        ("a: !!str 7\nb: !!int \"7\"\nc: ! 7\n", r#"{"a":"7","b":7,"c":"7"}"#),
        ("a: .inf\nb: yes\nc: 0o10\n", r#"{"a":null,"b":"yes","c":8}"#),
        ("{paths:[\"a\"], b:{c: 1}, d: [e:[1]]}", r#"{"paths":["a"],"b":{"c":1},"d":[{"e":[1]}]}"#),
        (
            "a: x:[1]\nb: y [z\nc: {\n\t\"d\": p\tq,\n\te: 'r\n\ts'}\n",
            r#"{"a":"x:[1]","b":"y [z","c":{"d":"p\tq","e":"r s"}}"#,
        ),
        ("", "{}"),
        ("# nothing", "{}"),
        ("{}", "{}"),
        ("[]", "[]"),
    ];
    for (yaml, expected) in cases {
        assert_eq!(read(yaml), (expected.to_owned(), Vec::new()), "{yaml:?}");
    }
}

/// The values that js-yaml 4.1.0 and yaml 2.9.1 read; `None` where they reject the text.
#[test]
fn libraries_that_differ_are_each_followed() {
    type Case = (&'static str, Option<&'static str>, Option<&'static str>);
    let cases: [Case; 27] = [
        ("a: |2\n # x\nb: 1\n", Some(r#"{"a":"","b":1}"#), Some(r#"{"a":"","b":1}"#)),
        ("a: |2\n  x\n # y\nb: 1\n", Some(r#"{"a":"x\n","b":1}"#), Some(r#"{"a":"x\n","b":1}"#)),
        ("a: |2\n # x\n  y\nb: 1\n", None, None),
        ("a: |2\n x\nb: 1\n", None, None),
        ("a: |1\n# x\nb: 1\n", Some(r#"{"a":"","b":1}"#), Some(r#"{"a":"","b":1}"#)),
        ("a: |2\n # x\n\n # y\n", Some(r#"{"a":""}"#), Some(r#"{"a":""}"#)),
        ("a:\n  c: |2\n   # x\n  b: 1\n", Some(r#"{"a":{"c":"","b":1}}"#), Some(r#"{"a":{"c":"","b":1}}"#)),
        ("input:\n  - -\n  - true\n", Some(r#"{"input":[[null,true]]}"#), Some(r#"{"input":[[null],true]}"#)),
        ("- -\n- true", Some("[[null,true]]"), Some("[[null],true]")),
        ("a:\n  - -\n  - -\n", Some(r#"{"a":[[null,[null]]]}"#), Some(r#"{"a":[[null],[null]]}"#)),
        ("a:\n  - - # c\n  # d\n  - x\n", Some(r#"{"a":[[null,"x"]]}"#), Some(r#"{"a":[[null],"x"]}"#)),
        ("a:\n  - - -\n  - 1\n", Some(r#"{"a":[[[null,1]]]}"#), Some(r#"{"a":[[[null]],1]}"#)),
        ("- a:\n    -\n- b", Some(r#"[{"a":[null,"b"]}]"#), Some(r#"[{"a":[null]},"b"]"#)),
        ("- a:\n  - -\n  - 1\n- 2", Some(r#"[{"a":[[null,1]]},2]"#), Some(r#"[{"a":[[null],1]},2]"#)),
        ("- - - 1\n    -\n  - 2\n- 3", Some("[[[1,null,2]],3]"), Some("[[[1,null],2],3]")),
        (
            "k:\n  - -\n  - {x: 1}\n  - y\nl: 1",
            Some(r#"{"k":[[null,{"x":1}],"y"],"l":1}"#),
            Some(r#"{"k":[[null],{"x":1},"y"],"l":1}"#),
        ),
        ("- - 1\n  -\n- 2", Some("[[1,null,2]]"), Some("[[1,null],2]")),
        (
            "- a:\n    - 1\n    -\n  b: 2\n- c",
            Some(r#"[{"a":[1,null],"b":2},"c"]"#),
            Some(r#"[{"a":[1,null],"b":2},"c"]"#),
        ),
        ("- -\n  - true", Some("[[null,true]]"), Some("[[null,true]]")),
        ("input: \0", None, Some(r#"{"input":"\u0000"}"#)),
        ("a: \0b\nc: 1", None, Some(r#"{"a":"\u0000b","c":1}"#)),
        ("a: \"x\0\\ty\"\n", None, Some(r#"{"a":"x\u0000\ty"}"#)),
        ("# \0\na: 1", None, Some(r#"{"a":1}"#)),
        ("\0: 1", None, Some(r#"{"\u0000":1}"#)),
        ("a: x\x7fy", None, Some("{\"a\":\"x\x7fy\"}")),
        ("a: \x07\nb: \x1b[1m", None, Some(r#"{"a":"\u0007","b":"\u001b[1m"}"#)),
        ("a: [\0, tru\0]", None, Some(r#"{"a":["\u0000","tru\u0000"]}"#)),
    ];
    for (yaml, js_yaml, other) in cases {
        for (library, expected) in [(Library::JsYaml, js_yaml), (Library::Yaml, other)] {
            let mut text = Text::default();
            text.push(yaml.as_bytes());
            let outcome = parse(yaml.as_bytes(), 0, library).into_assembly();
            let found = outcome.error.is_none().then(|| to_json(&outcome.tree, &text).to_string());
            assert_eq!(found.as_deref(), expected, "{yaml:?} by {library:?}: {:?}", outcome.problems);
            let is_told = outcome.problems.iter().any(|problem| problem.code == Code::YamlAmbiguous);
            let is_control = yaml.contains(['\x07', '\x7f']);
            assert!(
                is_told || js_yaml == other || js_yaml.is_none() && (!is_control || library == Library::JsYaml),
                "{yaml:?} by {library:?}"
            );
        }
    }
}

#[test]
fn a_fault_is_shown_at_its_place_with_the_tree_up_to_it() {
    let cases = [
        ("a: 1\nb: c: d\n", Code::YamlSyntax, ":", r#"{"a":1,"b":"c"}"#),
        ("a: 1\n    b: 2\n", Code::YamlSyntax, "b:", r#"{"a":"1 b"}"#),
        ("a: 1\nprose\n", Code::YamlSyntax, "prose", r#"{"a":1}"#),
        ("a: \"open\nb: 2\n", Code::YamlSyntax, "\"", "{}"),
        ("a: it's\nb: 'open\n", Code::YamlSyntax, "'", r#"{"a":"it's"}"#),
        ("a: \"x \\q\"\n", Code::YamlSyntax, "\\q", "{}"),
        ("a: \"\\n \\u12\"\n", Code::YamlSyntax, "\\u", "{}"),
        ("a: \"\\ud800\"\n", Code::YamlSyntax, "\\u", "{}"),
        ("a:\n\tb: 1\n", Code::YamlSyntax, "\t", "{}"),
        ("a: x [y\nb:\n\tc: 1\n", Code::YamlSyntax, "\t", r#"{"a":"x [y"}"#),
        ("a: [1, 2\n", Code::YamlSyntax, "[", r#"{"a":[1]}"#),
        ("a: [1}\n", Code::YamlSyntax, "[", r#"{"a":[]}"#),
        ("a: @you\n", Code::YamlSyntax, "@", "{}"),
        ("a: [docs](url)\n", Code::YamlSyntax, "(url)", r#"{"a":["docs"]}"#),
        ("a: 'x' y\n", Code::YamlSyntax, "y", "{}"),
        ("a: - x\n", Code::YamlSyntax, "-", "{}"),
        ("> a: 1\n", Code::YamlSyntax, "> a: 1", "{}"),
        ("a: 1\na: 2\n", Code::YamlDuplicateKey, "a", r#"{"a":2}"#),
        ("{a: 1, \"a\": 2}\n", Code::YamlDuplicateKey, "\"a\"", r#"{"a":2}"#),
        ("a: 1\n---\nb: 2\n", Code::YamlDocuments, "---", r#"{"a":1}"#),
        ("a: *b\n", Code::YamlAlias, "*b", r#"{"a":"*b"}"#),
        ("a: &x {self: *x}\n", Code::YamlAlias, "*x", r#"{"a":{"self":"*x"}}"#),
        ("a: !mine 1\n", Code::YamlTag, "!mine", r#"{"a":1}"#),
        ("a: !!binary aGk=\n", Code::YamlTag, "!!binary", r#"{"a":"aGk="}"#),
        ("a: 007\n", Code::LossyNumber, "007", r#"{"a":7}"#),
        ("a: 1.10\n", Code::LossyNumber, "1.10", r#"{"a":1.1}"#),
        ("a: 2024-01-02\n", Code::YamlAmbiguous, "2024-01-02", r#"{"a":"2024-01-02"}"#),
        ("a: &b {c: 1}\nd:\n  <<: *b\n", Code::YamlAmbiguous, "<<", r#"{"a":{"c":1},"d":{"<<":{"c":1}}}"#),
        ("? [a, b]\n: 1\n", Code::YamlComplexKey, "[a, b]", r#"{"a,b":1}"#),
        ("? [a, [b]]\n: 1\n", Code::YamlComplexKey, "[a, [b]]", "{}"),
        ("a: {b:1}\n", Code::YamlAmbiguous, "b:1", r#"{"a":{"b:1":null}}"#),
        ("~: 1\n", Code::YamlAmbiguous, "~", r#"{"null":1}"#),
        ("1.0: a\n", Code::LossyNumber, "1.0", r#"{"1":"a"}"#),
        ("a: 1\n: 2\n", Code::YamlSyntax, "", r#"{"a":1,"null":2}"#),
        ("a: [b\nc]\n", Code::YamlSyntax, "c]", r#"{"a":["b c"]}"#),
        ("a: {b: ?}\n", Code::YamlSyntax, "?", r#"{"a":{"b":"?"}}"#),
        ("a: {b\n c: 1}\n", Code::YamlSyntax, "b\n c", r#"{"a":{"b c":1}}"#),
        ("-\ta: 1\n", Code::YamlSyntax, "\t", r#"[{"a":1}]"#),
        ("a: !t\nb: 1\n", Code::YamlTag, "!t", r#"{"a":null,"b":1}"#),
        ("!t a: 1\n", Code::YamlTag, "!t", r#"{"a":1}"#),
        ("# c\n...\na: 1\n", Code::YamlDocuments, "a: 1", r#"{"a":1}"#),
        ("a: 1\n...\n...\n", Code::YamlDocuments, "...", r#"{"a":1}"#),
        ("\"a\\u200bb\": 1\n", Code::HiddenCharacters, "\"a\\u200bb\"", "{\"a\u{200b}b\":1}"),
    ];
    for (yaml, code, place, expected) in cases {
        let outcome = parse(yaml.as_bytes(), 0, Library::JsYaml);
        let [problem] = &outcome.problems[..] else { panic!("{yaml:?}: {:#?}", outcome.problems) };
        assert_eq!((problem.code, &yaml[problem.span.start..problem.span.end]), (code, place), "{yaml:?}: {problem:?}");
        assert_eq!(outcome.error.is_some(), problem.severity == crate::diagnostic::Severity::Error, "{yaml:?}");
        assert_eq!(read(yaml).0, expected, "{yaml:?}");
    }
}

#[test]
fn each_library_is_followed_where_they_differ() {
    // The values that js-yaml and yaml read; `None` if they reject the text.
    type Case = (&'static str, Option<&'static str>, Option<&'static str>);
    let cases: [Case; 14] = [
        ("{[a,  'b', {c: ~}]: 1}", Some(r#"{"a,b,[object Object]":1}"#), Some(r#"{"[ a, 'b', { c: ~ } ]":1}"#)),
        ("{{a: 1, b}: 1}", Some(r#"{"[object Object]":1}"#), Some(r#"{"{ a: 1, b }":1}"#)),
        ("? []\n: {[]: 1}", Some(r#"{"":{"":1}}"#), Some(r#"{"[]":{"[]":1}}"#)),
        ("? [[a], b]\n: 1", None, Some(r#"{"[ [ a ], b ]":1}"#)),
        ("null: 1\n0x10: 2\nTrue: 3\n", Some(r#"{"null":1,"16":2,"true":3}"#), Some(r#"{"":1,"16":2,"true":3}"#)),
        ("null: 1\n~: 2\n", None, None),
        ("a: 1\n: 2\n", None, Some(r#"{"a":1,"":2}"#)),
        ("a: {\n\"b\": 1\n}", Some(r#"{"a":{"b":1}}"#), None),
        ("a: {\n  \"b\": 1\n}", Some(r#"{"a":{"b":1}}"#), Some(r#"{"a":{"b":1}}"#)),
        ("a: {\n\t\"b\": 1\n}", Some(r#"{"a":{"b":1}}"#), None),
        ("{\n\t\"b\": 1\n}", Some(r#"{"b":1}"#), Some(r#"{"b":1}"#)),
        ("a: {b\n  c: 1}", None, Some(r#"{"a":{"b c":1}}"#)),
        ("a: {? b\n  c: 1}", Some(r#"{"a":{"b c":1}}"#), Some(r#"{"a":{"b c":1}}"#)),
        ("a: !t 1\n", None, Some(r#"{"a":1}"#)),
    ];
    for (yaml, js, other) in cases {
        let mut text = Text::default();
        text.push(yaml.as_bytes());
        for (library, expected) in [(Library::JsYaml, js), (Library::Yaml, other)] {
            let outcome = parse(yaml.as_bytes(), 0, library);
            let found = outcome.error.is_none().then(|| to_json(&outcome.branch(ROOT).tree, &text).to_string());
            assert_eq!(found.as_deref(), expected, "{yaml:?} by {library:?}: {:?}", outcome.error);
        }
    }
}

#[test]
fn every_byte_of_a_value_leads_to_its_node() {
    let yaml = "a: 1\nlist:\n  - x: yes\n    y: |\n      text\n  - [p, q]\nlast: \"z\"\n";
    let outcome = parse(yaml.as_bytes(), 0, Library::JsYaml);
    let tree = &outcome.branch(ROOT).tree;
    let index = TreeIndex::new(&Assembly { tree: tree.clone(), ..Assembly::default() });
    for (words, path) in [
        ("a: 1", "a"),
        ("list", "list"),
        ("x: yes", "list/0/x"),
        ("text", "list/0/y"),
        ("q]", "list/1/1"),
        ("\"z\"", "last"),
    ] {
        let offset = yaml.find(words).expect("it is there");
        assert_eq!(index.node_at(tree, offset).map(|id| tree.path(id)).as_deref(), Some(path), "{words}");
    }
    for (id, _) in tree.walk() {
        let (node, parent) = (tree.node(id), tree.node(tree.node(id).parent));
        assert!(parent.place.start <= node.place.start && node.place.end <= parent.place.end, "{}", tree.path(id));
    }
}

#[test]
fn arguments_are_the_leaves_in_the_order_of_the_text() {
    let yaml = "a: &x {b: 1, c: [2, 3]}\nd: *x\ne: 4\n";
    let branch = parse(yaml.as_bytes(), 0, Library::JsYaml).branch(ROOT);
    let text = |span: Span| &yaml[span.start..span.end];
    let found: Vec<(&str, &str)> = branch.arguments.iter().map(|a| (text(a.pointer), text(a.value))).collect();
    assert_eq!(found, [("b", "1"), ("", "2"), ("", "3"), ("e", "4")]);
}

#[test]
fn hostile_text_ends_at_a_limit() {
    let bomb = {
        let mut yaml = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
        for level in 1..12 {
            let row = vec![format!("*a{}", level - 1); 10].join(", ");
            let _ = writeln!(yaml, "a{level}: &a{level} [{row}]");
        }
        yaml
    };
    let scalar_bomb = format!("a: &a {}\nb: [{}]\n", "x".repeat(100_000), vec!["*a"; 2000].join(", "));
    let key_bomb = format!("&k {}: 1\nb: [{}]\n", "k".repeat(1000), vec!["*k"; 5000].join(", "));
    let deep_alias = {
        let mut yaml = String::from("a0: &a0 [x]\n");
        for level in 1..=MAX_DEPTH {
            let _ = writeln!(yaml, "a{level}: &a{level} [*a{}]", level - 1);
        }
        yaml
    };
    let cases: Vec<(&str, String, Code)> = vec![
        ("flow lists", "[".repeat(100_000), Code::YamlTooDeep),
        ("flow objects", "{a: ".repeat(100_000), Code::YamlTooDeep),
        ("block lists", "- ".repeat(100_000), Code::YamlTooDeep),
        ("complex keys", "? ".repeat(100_000), Code::YamlTooDeep),
        ("flow keys", "[{? ".repeat(50_000), Code::YamlTooDeep),
        ("alias bomb", bomb, Code::YamlTooLarge),
        ("scalar bomb", scalar_bomb, Code::YamlTooLarge),
        ("key bomb", key_bomb, Code::YamlTooLarge),
        ("deep aliases", deep_alias, Code::YamlTooDeep),
        ("nodes", format!("[{}]", "1,".repeat(MAX_NODES + 10)), Code::YamlTooLarge),
        ("bytes", " ".repeat(MAX_BYTES + 1), Code::YamlTooLarge),
        ("duplicates", "a: 1\n".repeat(10_000), Code::YamlDuplicateKey),
        ("anchors", format!("[{}]", "&a 1, ".repeat(10_000) + "*b"), Code::YamlAlias),
        ("unclosed", format!("a: \"{}", "x\n ".repeat(10_000)), Code::YamlSyntax),
        ("colons", format!("a: {}", "b: ".repeat(10_000)), Code::YamlSyntax),
        ("long key", format!("{}: 1", "k".repeat(5_000)), Code::YamlSyntax),
    ];
    for (name, yaml, code) in cases {
        let outcome = parse(yaml.as_bytes(), 0, Library::JsYaml);
        assert!(outcome.error.is_some(), "{name} is refused");
        assert_eq!(outcome.problems[0].code, code, "{name}: {:?}", outcome.problems[0].message);
        assert!(outcome.problems.len() <= MAX_PROBLEMS, "{name}");
        assert!(outcome.tree.len() <= MAX_NODES + MAX_ALIAS_NODES + 1, "{name}: {} nodes", outcome.tree.len());
        let deepest = outcome.tree.walk().map(|(_, depth)| depth).max().unwrap_or_default();
        assert!(deepest <= MAX_DEPTH, "{name}: {deepest} levels");
    }
}

#[test]
fn at_the_limits_everything_is_read() {
    let deep = format!("{}x{}", "[".repeat(MAX_DEPTH), "]".repeat(MAX_DEPTH));
    let outcome = parse(deep.as_bytes(), 0, Library::JsYaml);
    assert_eq!((outcome.error, outcome.tree.len()), (None, MAX_DEPTH + 1));
    let wide = format!("[{}]", "1,".repeat(MAX_NODES - 1));
    let outcome = parse(wide.as_bytes(), 0, Library::JsYaml);
    assert_eq!((outcome.error, outcome.tree.len()), (None, MAX_NODES));
}

#[test]
fn json_that_is_cut_off_is_read_up_to_there() {
    let cases = [
        (r#"{"a": {"b": "text that br"#, r#"{"a":{"b":"text that br"}}"#),
        (r#"{"a": {"b": "text that br\"#, r#"{"a":{"b":"text that br"}}"#),
        (r#"{"a": [1, 2, {"b": true"#, r#"{"a":[1,2,{"b":true}]}"#),
        (r#"{"a": 1, "b""#, r#"{"a":1,"b":null}"#),
        (r#"{"a": 1, "b": 'it''s"#, r#"{"a":1,"b":"it's"}"#),
        (r#"{"a": [1, 2], "b": "x" "y"}"#, r#"{"a":[1,2],"b":"x"}"#),
        (r#"{"a": [1, 2], "b": @}"#, r#"{"a":[1,2],"b":null}"#),
    ];
    for (json, expected) in cases {
        let (found, codes) = read(json);
        assert_eq!((found.as_str(), codes), (expected, vec!["yaml-syntax"]), "{json}");
    }
}
