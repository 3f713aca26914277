//! Writes calls in every dialect, and checks the reported losses.

use serde_json::{Value, json};

use super::*;

const CALL: &str = "Before.\n!!!GADGET_START:Send:send_1:load_1\n!!!ARG:to\nada\n!!!ARG:body\nHello,\nAda\n!!!ARG:tags/0\na\n!!!ARG:tags/1\nb\n!!!ARG:times\n3\n!!!ARG:deep/flag\ntrue\n!!!GADGET_END\nAfter.\n";

fn to(dialect: &str, text: &str) -> (String, Vec<String>) {
    let dialect = crate::dialect::named(dialect).expect("a dialect");
    let found = Calls::in_their_text(&Session::from_bytes(text.as_bytes())).convert(dialect, &Options::default());
    let losses = found.losses.iter().map(|loss| match &loss.what {
        LossKind::Part(change) => {
            format!("{} {}", change.part.word(), change.part.path().unwrap_or("")).trim_end().to_owned()
        }
        other => format!("{other:?}"),
    });
    (String::from_utf8(found.text).expect("it is UTF-8"), losses.collect())
}

#[test]
fn each_dialect_writes_a_call_in_its_way_and_says_what_it_does_not_carry() {
    let json = "{\"to\":\"ada\",\"body\":\"Hello,\\nAda\",\"tags\":[\"a\",\"b\"],\"times\":3,\"deep\":{\"flag\":true}}";
    let yaml = "state: input-available\ninput:\n  to: ada\n  body: |-\n    Hello,\n    Ada\n  tags:\n    - a\n    - b\n  times: 3\n  deep:\n    flag: true\n";
    let quoted: String = yaml.lines().flat_map(|line| ["> ", line, "\n"]).collect();
    let cases: &[(&str, String, &[&str])] = &[
        ("gadget", CALL["Before.\n".len()..CALL.len() - "After.\n".len()].to_owned(), &[]),
        (
            "caret",
            "^^^Send\nto: ada\nbody ---\nHello,\nAda\n--- body\ntags: [\na\nb\n]\ntimes: 3\ndeep: {\"flag\":true}\n^^^\n".to_owned(),
            &["id", "dependencies", "parameter times", "parameter deep"],
        ),
        ("callout", format!("\n> [!tool Send send_1]\n{quoted}"), &["dependencies"]),
        ("tool-fence", format!("```tool Send send_1\n{yaml}```\n"), &["dependencies"]),
        (
            "xml",
            "<tool:Send>\n<param:to>ada</param:to>\n<param:body>Hello,\nAda</param:body>\n<param:tags>a</param:tags>\n<param:tags>b</param:tags>\n<param:times>3</param:times>\n<param:deep>{\"flag\":true}</param:deep>\n</tool:Send>\n".to_owned(),
            &["id", "dependencies", "parameter times", "parameter deep"],
        ),
        ("hermes", format!("<tool_call>\n{{\"name\": \"Send\", \"arguments\": {json}}}\n</tool_call>\n"), &["id", "dependencies"]),
        (
            "native",
            format!("{{\"type\": \"tool_use\", \"id\": \"send_1\", \"name\": \"Send\", \"input\": {json}}}\n"),
            &["dependencies"],
        ),
    ];
    for (dialect, call, losses) in cases {
        let (text, found) = to(dialect, CALL);
        assert_eq!(text, format!("Before.\n{call}After.\n"), "{dialect}");
        assert_eq!(found, *losses, "{dialect}");
    }
}

#[test]
fn what_a_marker_or_a_type_takes_from_a_value_is_reported() {
    let native = |input: Value| format!("{}\n", json!({"type": "tool_use", "name": "T", "input": input}));
    let cases: &[(&str, Value, &[&str])] = &[
        ("gadget", json!({"a": "1"}), &["parameter a"]),
        ("gadget", json!({"a": 1, "b": "x\ny"}), &[]),
        ("gadget", json!({"a": "x\n!!!GADGET_END\ny"}), &["parameter a"]),
        ("gadget", json!({"a": []}), &["parameter a"]),
        ("gadget", json!({"a": null}), &["parameter a"]),
        ("gadget", json!({"a/b": "x"}), &["parameter a~1b", "parameter a/b"]),
        ("caret", json!({"a": "x\n--- a\ny"}), &["parameter a"]),
        ("caret", json!({"a": 1}), &["parameter a"]),
        ("xml", json!({"a": ["x"]}), &["parameter a"]),
        ("function", json!({"a": "x</parameter>y"}), &["parameter a"]),
        ("hermes", json!({"a": "</tool_call>", "b": [1, {"c": null}], "d": {}}), &[]),
        ("callout", json!({"a": "yes", "b": "1", "c": "", "d": " x\n", "e": [[], {"f": "- g: #"}]}), &[]),
        ("tool-fence", json!({"a": "yes", "b": "1", "c": "", "d": " x\n", "e": [[], {"f": "- g: #"}]}), &[]),
    ];
    for (dialect, input, losses) in cases {
        let (text, found) = to(dialect, &native(input.clone()));
        assert_eq!(found, *losses, "{dialect}: {text}");
    }
}

#[test]
fn a_call_that_is_broken_is_written_as_far_as_it_goes() {
    let (text, losses) = to("hermes", "!!!GADGET_START:A\n!!!ARG:x\n1\n!!!ARG:x\n2\n");
    assert_eq!(text, "<tool_call>\n{\"name\": \"A\", \"arguments\": {\"x\":1}}\n</tool_call>\n");
    assert_eq!(losses, ["Refused(\"Duplicate pointer: x\")", "Unterminated"]);
}
