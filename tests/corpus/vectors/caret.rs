//! The reference's outcome for each of its triple-caret vectors, and the outcome proposed for reading both forms,
//! compared with ours.
//!
//! Rows of `caret-auto` give the intended meaning of a block, without a schema: compared exactly. Rows of `caret` give
//! the result of the shipped runtime with its tools' schemas: our strings are converted to the types that the row has,
//! and a key may have lost or gained its plural `s`, since schemas do that. Rows in which a schema decides more are
//! read again with one, and compared exactly. Deliberate differences are in a list below, with the reason and the
//! problem that reports the difference. Rows about the live stream, the session's restorer, the formatter and searching
//! concern other readers than the one that executes, and are not read here.

use serde_json::{Map, Value};
use transcope::dialect::Options;
use transcope::document::Call;
use transcope::session::Session;
use transcope::value::schema::Schemas;
use transcope::value::tree_json::to_json;

/// The proposal's names of problems, and ours.
const KINDS: [(&str, &str); 4] = [
    ("fence-trailing-space", "caret-fence-blank"),
    ("close-trailing-space", "caret-fence-blank"),
    ("fence-inside-value", "caret-fence-in-value"),
    ("stray-line", "caret-stray-line"),
];

const DRAFT: &str = "the draft's form is read as it is meant";
const TYPES: &str = "types need a schema";
const REPEATED: &str = "which keys take one value is in the schema: a repeated key is an array";
const ARRAYS: &str = "which keys take arrays is in the schema: brackets are always an array";
const FILTER: &str = "which tools may follow one another is in the tools' descriptions: the second block is shown";
const TOOLS: &str = "which tools there are is not known";

/// Rows of the runtime from which we differ on purpose: the reason, and the problem that is reported, if any.
const DIFFERENCES: &[(&str, &str, Option<&str>)] = &[
    ("array/yaml-list-v0", DRAFT, Some("caret-draft-form")),
    ("v0/separator-yaml-literal", DRAFT, Some("caret-draft-form")),
    ("v0/separator-raw-body", DRAFT, Some("caret-draft-form")),
    ("v0/separator-body-with-colons", DRAFT, Some("caret-draft-form")),
    ("v0/diff-literal", DRAFT, Some("caret-draft-form")),
    ("v0/yaml-literal-header", DRAFT, Some("caret-draft-form")),
    ("v0/yaml-folded", DRAFT, Some("caret-draft-form")),
    ("v0/literal-with-colon-lines", DRAFT, Some("caret-draft-form")),
    ("v0/two-literals", DRAFT, Some("caret-draft-form")),
    ("v0/body-with-caret-line", DRAFT, Some("caret-draft-form")),
    ("ml/leading-blank-lost", "blank lines are kept", Some("caret-leading-blank")),
    ("ml/caret-fence-inside", "a value that ends properly may hold a fence", Some("caret-fence-in-value")),
    ("param/repeated-scalar-first-wins", REPEATED, None),
    ("ml/header-then-body-same-key-first-wins", REPEATED, None),
    ("ml/body-then-header-same-key-first-wins", REPEATED, None),
    ("ml/repeat-block-same-key-string-first", REPEATED, None),
    ("array/bracket-on-scalar-takes-first", ARRAYS, None),
    ("array/bracket-empty-on-scalar-dropped", ARRAYS, None),
    ("array/bracket-single-on-unknown-param", ARRAYS, None),
    ("array/bracket-empty-on-unknown-param", ARRAYS, None),
    ("param/integer-float-error", TYPES, None),
    ("param/integer-text-error", TYPES, None),
    ("param/integer-empty-error", TYPES, None),
    ("fence/name-uppercase-unknown", TOOLS, None),
    ("multi/unknown-first-error", TOOLS, Some("several-calls")),
    ("multi/read-then-unknown-nofilter-error", TOOLS, Some("several-calls")),
    ("multi/read-then-unknown-break", FILTER, Some("several-calls")),
    ("multi/write-then-read-drops-read", FILTER, Some("several-calls")),
    ("multi/single-filter", FILTER, Some("several-calls")),
];

#[test]
fn blocks_of_both_forms_are_read_as_proposed() {
    let mut failures = Vec::new();
    let rows: Vec<Value> = rows("caret-auto", "proposal");
    assert_eq!(rows.len(), 30);
    for row in &rows {
        let session = read(row);
        let calls = calls(&session);
        let expected = row["expected"]["calls"].as_array().expect("a list of calls");
        let mut fault = |what: &str, expected: &Value, found: Value| {
            if *expected != found {
                failures.push(format!("{}: {what}: expected {expected}, found {found}", row["name"]));
            }
        };
        fault("calls", &expected.len().into(), calls.len().into());
        for (expected, (number, call)) in expected.iter().zip(calls) {
            fault("name", &expected["name"], call.name(session.text()).into());
            fault("params", &expected["params"], parameters(&session, number));
            fault("closed", &expected["closed"], (call.status == transcope::dialect::Status::Complete).into());
            let found: Vec<&str> = problems(&session).collect();
            let form = if found.contains(&"caret-draft-form") { "v0" } else { "v1" };
            fault("form", &expected["dialect"], form.into());
            let named = expected["diags"].as_array().expect("a list of problems").iter();
            let named: Vec<&str> = named.map(|name| kind(name.as_str().expect("a word"))).collect();
            for (_, ours) in KINDS {
                fault(ours, &named.contains(&ours).into(), found.contains(&ours).into());
            }
        }
    }
    assert!(failures.is_empty(), "{} faults:\n{}", failures.len(), failures.join("\n"));
}

#[test]
fn blocks_of_the_shipped_form_have_the_runtimes_outcome() {
    let mut failures = Vec::new();
    let rows: Vec<Value> = rows("caret", "parse");
    assert_eq!(rows.len(), 106);
    for row in &rows {
        let name = row["name"].as_str().expect("a name").trim_start_matches("caret/");
        let session = read(row);
        let (same, shown) = compare(row, &session);
        match DIFFERENCES.iter().find(|(known, ..)| *known == name) {
            Some(_) if same => failures.push(format!("{name}: listed as different, but it is not")),
            Some((_, reason, Some(code))) if !problems(&session).any(|found| found == *code) => {
                failures.push(format!(
                    "{name}: {reason}, but there is no {code}: {:?}",
                    problems(&session).collect::<Vec<_>>()
                ));
            }
            None if !same => failures.push(format!(
                "{name}\n  input    {}\n  expected {}\n  found    {shown}\n  problems {:?}",
                row["input"],
                row["expected"],
                problems(&session).collect::<Vec<_>>()
            )),
            _ => {}
        }
    }
    for (known, ..) in DIFFERENCES {
        if !rows.iter().any(|row| row["name"] == format!("caret/{known}")) {
            failures.push(format!("{known}: there is no such row"));
        }
    }
    assert!(failures.is_empty(), "{} of {} fail:\n{}", failures.len(), rows.len(), failures.join("\n"));
}

/// The relevant parts of the schemas of the reference's tools.
const SCHEMAS: &str = r#"{
    "list_projects": { "properties": {} },
    "list_files": { "properties": {
        "project": { "type": "string" },
        "paths": { "type": "array", "items": { "type": "string" } },
        "max_depth": { "type": "integer" },
        "ratio": { "type": "number" }
    } },
    "search_files": { "properties": { "project": { "type": "string" }, "regex": { "type": "string" } } },
    "write_file": { "properties": {
        "project": { "type": "string" }, "path": { "type": "string" }, "content": { "type": "string" }
    } }
}"#;

fn read_with_schemas(input: &str) -> Session {
    let schemas = Schemas::parse("", SCHEMAS.as_bytes()).expect("the schemas are fine");
    let options = Options {
        only: vec![transcope::dialect::named("caret").expect("a dialect")],
        schemas: Some(schemas.into()),
        ..Options::default()
    };
    Session::read(input.as_bytes(), &options)
}

#[test]
fn with_schemas_values_are_those_of_the_runtime() {
    let decided = |row: &Value| {
        let name = row["name"].as_str().expect("a name").trim_start_matches("caret/");
        DIFFERENCES.iter().any(|(known, why, _)| *known == name && [TYPES, REPEATED, ARRAYS].contains(why))
    };
    let rows: Vec<Value> = rows("caret", "parse").into_iter().filter(decided).collect();
    assert_eq!(rows.len(), 11);
    for row in &rows {
        let session = read_with_schemas(row["input"].as_str().expect("each row has an input"));
        let assembly = session.dissect(0).expect("there is a call");
        if let Some(words) = row["expected"]["error"].as_str() {
            assert!(assembly.error.is_some_and(|error| words.ends_with(&error)), "{}", row["name"]);
        } else {
            assert_eq!(parameters(&session, 0), row["expected"]["calls"][0]["input"], "{}", row["name"]);
        }
    }
}

#[test]
fn the_runtime_stops_at_the_first_value_that_is_not_of_its_type() {
    let cases = [
        ("max_depth: a\nratio: b", "Failed to parse 'a' as integer for parameter 'max_depth'"),
        ("ratio: b\nmax_depth: a", "Failed to parse 'a' as integer for parameter 'max_depth'"),
        ("max_depth: [\nx\n7\n]", "Failed to parse 'x' as integer for parameter 'max_depth'"),
    ];
    for (body, expected) in cases {
        let session = read_with_schemas(&format!("^^^list_files\n{body}\n^^^\n"));
        let assembly = session.dissect(0).expect("there is a call");
        assert_eq!(assembly.error.as_deref(), Some(expected), "{body}");
    }
    let session = read_with_schemas("^^^list_files\nproject: a\nproject: b\nfoo: [\n]\n^^^\n");
    assert_eq!(parameters(&session, 0), serde_json::json!({ "project": "a" }));
    assert_eq!(problems(&session).collect::<Vec<_>>(), ["value-replaced", "value-replaced"]);
}

fn rows(syntax: &str, mode: &str) -> Vec<Value> {
    let rows = include_str!("../../vectors/caret.jsonl").lines();
    let rows = rows.map(|line| serde_json::from_str::<Value>(line).expect("each line is a JSON object"));
    rows.filter(|row| row["syntax"] == syntax && row["mode"] == mode).collect()
}

fn read(row: &Value) -> Session {
    Session::from_bytes(row["input"].as_str().expect("each row has an input").as_bytes())
}

fn calls(session: &Session) -> Vec<(usize, Call<'_>)> {
    let items = session.document().items().iter().enumerate();
    items.filter_map(|(number, item)| Some((number, item.call()?))).collect()
}

fn problems(session: &Session) -> impl Iterator<Item = &'static str> + '_ {
    session.document().diagnostics().iter().map(|diagnostic| diagnostic.code.name())
}

fn parameters(session: &Session, item: usize) -> Value {
    to_json(&session.dissect(item).expect("a call can be taken apart").tree, session.text())
}

/// Our name for a problem of the proposal, whose name may have a line number after a colon.
fn kind(name: &str) -> &'static str {
    let name = name.split(':').next().unwrap_or_default();
    KINDS.iter().find(|(known, _)| *known == name).unwrap_or_else(|| panic!("{name} is not mapped")).1
}

/// True if the outcomes agree except for the effect of a schema; and our outcome in the reference's shape.
fn compare(row: &Value, session: &Session) -> (bool, Value) {
    let text = session.text();
    let found: Vec<Value> = calls(session)
        .into_iter()
        .map(|(number, call)| {
            serde_json::json!({
                "id": call.id(text),
                "name": call.name(text),
                "input": parameters(session, number),
                "start": call.span.start,
                "end": call.span.end,
            })
        })
        .collect();
    let Some(expected) = row["expected"]["calls"].as_array() else { return (false, Value::Array(found)) };
    let alike = |expected: &Value, found: &Value| {
        ["id", "name", "start", "end"].iter().all(|field| expected[*field] == found[*field])
            && inputs_alike(&expected["input"], &found["input"])
    };
    let same = expected.len() == found.len() && expected.iter().zip(&found).all(|(a, b)| alike(a, b));
    (same, Value::Array(found))
}

fn inputs_alike(expected: &Value, found: &Value) -> bool {
    let (Some(expected), Some(found)) = (expected.as_object(), found.as_object()) else { return false };
    expected.len() == found.len()
        && expected.iter().all(|(key, value)| member(found, key).is_some_and(|ours| typed_alike(value, ours)))
}

/// A member by its key, or by the key without or with a plural `s`.
fn member<'a>(members: &'a Map<String, Value>, key: &str) -> Option<&'a Value> {
    let singular = key.strip_suffix('s').and_then(|key| members.get(key));
    members.get(key).or(singular).or_else(|| members.get(&format!("{key}s")))
}

/// True if a schema with the value's type converts our string to it.
fn typed_alike(expected: &Value, found: &Value) -> bool {
    match (expected, found) {
        (Value::Array(items), Value::String(_)) => items.len() == 1 && items[0] == *found,
        (Value::Bool(yes), Value::String(text)) => *yes == text.eq_ignore_ascii_case("true"),
        (Value::Number(number), Value::String(text)) => number.as_f64() == text.parse().ok(),
        _ => expected == found,
    }
}
