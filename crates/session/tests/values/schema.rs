//! Values and problems of calls whose tools have schemas.

use std::sync::Arc;
use transcope_session::session::Session;
use transcope_syntax::dialect::Options;
use transcope_syntax::value::schema::Schemas;
use transcope_text::diagnostic::Code;

const SCHEMAS: &str = r##"{
"Nulls": {
    "type": "object",
    "properties": {
        "a": { "type": ["number", "null"] },
        "b": { "type": "number", "nullable": true },
        "c": { "anyOf": [{ "type": "number" }, { "type": "null" }] },
        "words": { "type": "array", "items": { "type": "string" } },
        "headers": { "type": "object", "additionalProperties": { "type": "string" } },
        "open": { "type": "object", "properties": {}, "additionalProperties": { "type": "string" } }
    }
},
"Record": { "type": "object", "additionalProperties": { "type": "string" } },
"Ship": {
    "type": "object",
    "required": ["zip", "items"],
    "properties": {
        "zip": { "type": "string" },
        "count": { "type": "integer", "minimum": 1 },
        "express": { "type": "boolean" },
        "items": { "type": "array", "items": { "$ref": "#/$defs/item" } }
    },
    "$defs": { "item": { "type": "object", "properties": { "sku": { "type": "string" } } } }
} }"##;

fn check(body: &str, expected_problems: &[(Code, &str)], expected_json: &str) {
    check_call("ship", body, expected_problems, expected_json);
}

fn check_call(name: &str, body: &str, expected_problems: &[(Code, &str)], expected_json: &str) {
    let schemas = Schemas::parse("tools.json", SCHEMAS.as_bytes()).expect("the schemas are fine");
    let options = Options { schemas: Some(Arc::new(schemas)), ..Options::default() };
    let text = format!("!!!GADGET_START:{name}:s\n{body}\n!!!GADGET_END\n");
    let session = Session::read(text.as_bytes(), &options);
    let found: Vec<(Code, String)> = session
        .document()
        .sorted_diagnostics()
        .map(|problem| (problem.code, session.text().read_str(problem.span).into_owned()))
        .collect();
    let found: Vec<(Code, &str)> = found.iter().map(|(code, text)| (*code, text.as_str())).collect();
    assert_eq!(found, expected_problems, "{body}");
    let assembly = session.dissect(0).expect("there is a call");
    assert_eq!(
        transcope_syntax::value::tree_json::to_json(&assembly.tree, session.text()).to_string(),
        expected_json,
        "{body}"
    );
}

#[test]
fn values_follow_the_schema_and_violations_are_at_the_smallest_span() {
    check("!!!ARG:zip\n00501\n!!!ARG:items/0/sku\n007", &[], r#"{"zip":"00501","items":[{"sku":"007"}]}"#);
    check(
        "!!!ARG:zip\n1\n!!!ARG:count\n1e1\n!!!ARG:items/0/sku\na",
        &[],
        r#"{"zip":"1","count":10,"items":[{"sku":"a"}]}"#,
    );
    check(
        "!!!ARG:zip\n1\n!!!ARG:items\na,b\n!!!ARG:express\nyes",
        &[(Code::MistypedParameter, "a,b"), (Code::MistypedParameter, "yes")],
        r#"{"zip":"1","items":"a,b","express":"yes"}"#,
    );
    check(
        "!!!ARG:items/0/skus\na\n!!!ARG:count\n0",
        &[
            (Code::MissingParameter, "ship"),
            (Code::UnknownParameter, "!!!ARG:items/0/skus"),
            (Code::InvalidParameter, "0"),
        ],
        r#"{"items":[{"skus":"a"}],"count":0}"#,
    );
}

#[test]
fn what_may_be_null_and_what_is_not_named_is_coerced_as_the_runtime_does() {
    let check = |body, problems: &[(Code, &str)], json| check_call("nulls", body, problems, json);
    check("!!!ARG:a\n1e3\n!!!ARG:b\n0x10\n!!!ARG:c\n+5", &[], r#"{"a":1000,"b":16,"c":5}"#);
    check(
        "!!!ARG:a\nnull\n!!!ARG:b\nx",
        &[(Code::MistypedParameter, "null"), (Code::MistypedParameter, "x")],
        r#"{"a":"null","b":"x"}"#,
    );
    check("!!!ARG:headers/a\n007\n!!!ARG:headers/b\ntrue", &[], r#"{"headers":{"a":"007","b":"true"}}"#);
    // The runtime coerces a member without a schema by its form, and then finds that it is not a string.
    check("!!!ARG:open/a\n42", &[(Code::MistypedParameter, "42")], r#"{"open":{"a":42}}"#);
    // This builds an object, whose members have the type of the array's elements.
    check(
        "!!!ARG:words/a\nx\n!!!ARG:words/0\n007",
        &[(Code::MistypedParameter, "!!!ARG:words/a\nx")],
        r#"{"words":{"a":"x","0":"007"}}"#,
    );
    check_call("record", "!!!ARG:zip\n00501", &[], r#"{"zip":"00501"}"#);
}

#[test]
fn a_file_that_is_no_schema_is_refused_with_a_reason() {
    for (file, words) in
        [("[", "not JSON"), ("5", "neither a JSON object"), ("[{}]", "no name"), (r#"{"a":{"type":5}}"#, "schema of a")]
    {
        let error = Schemas::parse("", file.as_bytes()).expect_err("it is no schema file");
        assert!(error.contains(words), "{error}");
    }
    let outside = r#"{"a":{"$ref":"http://localhost:1/schema.json"}}"#;
    assert!(Schemas::parse("", outside.as_bytes()).is_err(), "nothing is fetched");
}
