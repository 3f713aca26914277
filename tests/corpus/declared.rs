//! Cases of dialects, many in a file: the calls of each text, and the problems found in it.
//!
//! A file `tests/data/declared/NAME.yaml` is a list of `{case: words, text: …, calls: [{name, id?, arguments}],
//! problems: [code…]}`; all text outside calls is prose. Each text is also checked for tiling, for the same result
//! however it is cut, and, if there are no problems, for a round trip through the dialect's writer. Independent of any
//! dialect.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Value, json};
use transcope::container::Container;
use transcope::convert::Calls;
use transcope::dialect::declared::index::EMBEDDED;
use transcope::dialect::declared::{Declaration, Embedded};
use transcope::dialect::{DialectInfo, Options, named};
use transcope::document::Item;
use transcope::session::Session;
use transcope::value::tree_json::to_json;

use super::vectors::alike;
use super::{cuts, describe, tiles};

/// Fewest cases of a file.
const CASES: usize = 12;

/// A text, and what is found in it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    /// A description that is unique in the file.
    #[serde(rename = "case")]
    words: String,
    text: String,
    /// In text order.
    #[serde(default)]
    calls: Vec<ExpectedCall>,
    /// The codes of all problems, in text order.
    #[serde(default)]
    problems: Vec<String>,
}

/// A call; without an id, any id matches.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ExpectedCall {
    name: String,
    id: Option<String>,
    arguments: Value,
}

#[test]
fn the_cases_of_each_file_give_their_calls_and_problems() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/declared");
    let (mut files, mut faults) = (0, Vec::new());
    for entry in fs::read_dir(folder).expect("the folder exists") {
        let path = entry.expect("readable").path();
        let name = path.file_stem().expect("a file has a name").to_string_lossy();
        let Some(dialect) = named(&name) else {
            faults.push(format!("{}: there is no such dialect", path.display()));
            continue;
        };
        files += 1;
        let text = fs::read_to_string(&path).expect("a file can be read");
        let cases: Vec<Case> = serde_yaml::from_str(&text).unwrap_or_else(|error| panic!("{name}.yaml: {error}"));
        let names: BTreeSet<&str> = cases.iter().map(|case| case.words.as_str()).collect();
        if names.len() < CASES || names.len() < cases.len() {
            faults.push(format!("{name}: {} cases with {} names, of at least {CASES}", cases.len(), names.len()));
        }
        if cases.iter().all(|case| !case.problems.is_empty()) || cases.iter().all(|case| case.problems.is_empty()) {
            faults.push(format!("{name}: there are cases with problems, and cases without"));
        }
        for case in &cases {
            faults.extend(check(&only(dialect), case).map(|fault| format!("{name}: {}\n  {fault}", case.words)));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(files > 0, "there is no file");
}

/// Options that read only one dialect.
fn only(dialect: &'static DialectInfo) -> Options {
    Options { only: vec![dialect], ..Options::default() }
}

/// The difference from a case, if any.
fn check(options: &Options, case: &Case) -> Option<String> {
    let dialect = options.only[0];
    let fresh = || Session::new(Container::plain(), options);
    let read = |bytes: &[u8]| {
        let mut session = fresh();
        session.push(bytes);
        session.finish();
        session
    };
    let session = read(case.text.as_bytes());
    let name = format!("{}, {}", dialect.name, case.words);
    tiles(&name, &session);
    cuts(&name, case.text.as_bytes(), &describe(&session), &fresh);
    let problems: Vec<&str> = session.document().sorted_diagnostics().map(|problem| problem.code.name()).collect();
    if let Some(fault) = other_calls(&case.calls, &session) {
        return Some(format!("{fault}\n  problems {problems:?}"));
    }
    if problems != case.problems {
        return Some(format!("expected {:?}\n  found    {problems:?}", case.problems));
    }
    if !problems.is_empty() || case.calls.is_empty() {
        return None;
    }
    let written = Calls::in_their_text(&session).convert(dialect, options);
    let again = read(&written.text);
    let fault = other_calls(&case.calls, &again);
    let fault = fault.or((!written.losses.is_empty()).then(|| format!("lost {:?}", written.losses)));
    fault.map(|fault| format!("written as {:?}: {fault}", String::from_utf8_lossy(&written.text)))
}

/// The calls, if they are not as expected.
fn other_calls(expected: &[ExpectedCall], session: &Session) -> Option<String> {
    let text = session.text();
    let items = session.document().items().iter().enumerate();
    let found: Vec<Value> = items
        .filter_map(|(number, item)| {
            let Item::Call(call) = item else { return None };
            let tree = session.dissect(number).expect("a call can be taken apart").tree;
            Some(json!({ "name": call.name(text), "id": call.id(text), "arguments": to_json(&tree, text) }))
        })
        .collect();
    let expected: Vec<Value> = expected
        .iter()
        .zip(found.iter().map(Some).chain(std::iter::repeat(None)))
        .map(|(call, found)| {
            let any = || found.map_or(Value::Null, |found| found["id"].clone());
            let id = call.id.as_ref().map_or_else(any, |id| json!(id));
            json!({ "name": call.name, "id": id, "arguments": call.arguments })
        })
        .collect();
    let (expected, found) = (Value::Array(expected), Value::Array(found));
    (!alike(&expected, &found)).then(|| format!("expected {expected}\n  found    {found}"))
}

/// The examples of a declaration that are not read as it states.
fn faulty_examples(declaration: &Declaration, options: &Options) -> Vec<String> {
    let mut faults = Vec::new();
    for (number, example) in declaration.examples.iter().enumerate() {
        let calls = example.calls.iter().map(|call| ExpectedCall {
            name: call.name.clone(),
            id: call.id.clone(),
            arguments: call.arguments.clone(),
        });
        let case = Case {
            words: format!("example {number}"),
            text: example.text.clone(),
            calls: calls.collect(),
            problems: example.problems.clone(),
        };
        faults.extend(check(options, &case).map(|fault| format!("{} {number}: {fault}", declaration.info.name)));
    }
    faults
}

#[test]
fn the_examples_of_each_declaration_are_read_as_they_say() {
    let declarations = EMBEDDED.iter().map(Embedded::declaration);
    let faults: Vec<String> =
        declarations.flat_map(|declaration| faulty_examples(declaration, &only(declaration.info))).collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn notations_that_no_dialect_of_the_program_has_are_read_as_their_examples_say() {
    let pairs = (include_str!("../data/notations/pairs.yaml"), CASES);
    let late_ids = (include_str!("../data/notations/late-ids.yaml"), 4);
    for (yaml, fewest) in [pairs, late_ids] {
        let declaration = Arc::new(Declaration::parse(yaml).expect("it is complete"));
        let options = Options { declared: vec![Arc::clone(&declaration)], ..only(declaration.info) };
        let faults = faulty_examples(&declaration, &options);
        assert!(faults.is_empty(), "{}", faults.join("\n"));
        assert!(declaration.examples.len() >= fewest, "there are {} examples", declaration.examples.len());
    }
}

#[test]
fn the_example_of_each_declaration_is_read_by_its_dialect_or_one_of_its_family_where_none_is_named() {
    let mut readers = Vec::new();
    for embedded in &EMBEDDED {
        let session = Session::from_bytes(embedded.declaration().info.example.as_bytes());
        let call = session.document().calls().next().and_then(|item| session.document().call(item));
        let reader = call.map_or("none", |call| call.dialect);
        readers.extend((reader != embedded.name).then(|| format!("{}: {reader}", embedded.name)));
    }
    super::snapshot::matches("", "readers", &readers.join("\n"));
}
