//! Compares cases with their expected results.

use super::*;
use crate::config::Known;

const TEXT: &str = "Hello.\n!!!GADGET_START:Greet:greet_1\n!!!ARG:name\nAda\n!!!GADGET_END\n^^^run\nx: 1\n^^^\n";

fn run_on(text: &str, expected: Option<&ExpectedOutcome>) -> CaseOutcome {
    let read = expected.map(|expected| expected.options.clone()).unwrap_or_default();
    let (container, options) = read.resolve("".as_ref(), Known::default()).expect("they are sound");
    run(&Case { text: text.into(), container, options }, read, expected)
}

#[test]
fn what_was_found_is_what_is_expected_when_it_is_read_back() {
    let found = run_on(TEXT, None);
    assert_eq!((&found.difference, found.cuts.as_slice()), (&None, &[][..]));
    let written = serde_json::to_vec(&found.found).expect("into memory");
    let expected = ExpectedOutcome::parse(&written).expect("it was just written");
    assert_eq!(expected, found.found);
    assert_eq!(run_on(TEXT, Some(&expected)).difference, None);
    assert_eq!(
        expected.items[1],
        json!({"type": "call", "line": 2, "dialect": "gadget", "name": "Greet",
        "id": "greet_1", "status": "complete", "parameters": {"name": "Ada"}})
    );
}

#[test]
fn what_is_not_as_expected_is_told_by_calls_and_lines() {
    let expected = run_on(TEXT, None).found;
    let check = |text: &str, rows: usize, missing: &[&str], unexpected: &[&str]| {
        let found = run_on(text, Some(&expected)).difference.expect("it differs");
        assert_eq!(found.rows.len(), rows);
        assert_eq!(
            (found.missing, found.unexpected),
            (missing.iter().map(ToString::to_string).collect(), unexpected.iter().map(ToString::to_string).collect())
        );
    };
    check(&TEXT.replace("Ada", "Eve"), 1, &[], &[]);
    check(&TEXT.replace("^^^run\nx: 1\n^^^\n", ""), 1, &["call run, line 6", "text, line 8"], &[]);
    check(
        &TEXT.replace("!!!GADGET_END\n", ""),
        1,
        &["text, line 5", "call run, line 6", "text, line 8"],
        &[
            "call run, line 5",
            "text, line 7",
            "warning[foreign-markup], line 2",
            "warning[unterminated-call], line 2",
            "warning[foreign-markup], line 5",
        ],
    );
}

#[test]
fn a_case_is_read_as_its_options_say() {
    let reading = ReadOptions { dialects: vec!["caret".to_owned()], ..ReadOptions::default() };
    let expected = ExpectedOutcome { options: reading, items: Vec::new(), problems: Vec::new() };
    let found = run_on(TEXT, Some(&expected)).found;
    assert_eq!(found.items.iter().map(|item| item["name"].as_str()).collect::<Vec<_>>(), [None, Some("run"), None]);
    assert!(ExpectedOutcome::parse(b"{\"items\": [], \"problems\": [], \"optoins\": {}}").is_err());
    assert!(
        ExpectedOutcome::parse(b"{\"items\": [], \"problems\": [], \"options\": {\"examples\": \"maybe\"}}").is_err()
    );
}
