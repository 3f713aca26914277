//! Aligns and compares calls of two sides.

use std::fmt::Write as _;

use super::*;
use crate::dialect::Options;

/// A session with calls written as `Name:id key=value`.
fn gadget(calls: &[&str]) -> Session {
    let mut text = String::from("Some words.\n");
    for call in calls {
        let (header, arguments) = call.split_once(' ').unwrap_or((call, ""));
        _ = writeln!(text, "!!!GADGET_START:{header}");
        for (key, value) in arguments.split_whitespace().filter_map(|argument| argument.split_once('=')) {
            _ = write!(text, "!!!ARG:{key}\n{value}\n");
        }
        text += "!!!GADGET_END\n";
    }
    Session::from_bytes(text.as_bytes())
}

/// A row as one line: `=0 0`, `~0 1 parameter a`, `-2`, `+3`.
fn line(row: &CallRow) -> String {
    let changes: Vec<String> = row
        .changes
        .iter()
        .map(|change| format!(" {} {}", change.part.word(), change.part.path().unwrap_or("")))
        .collect();
    match (row.left, row.right) {
        (Some(left), Some(right)) => {
            let sign = if row.changes.is_empty() { '=' } else { '~' };
            format!("{sign}{left} {right}{}", changes.concat()).trim_end().to_owned()
        }
        (Some(left), None) => format!("-{left}"),
        (None, right) => format!("+{}", right.expect("a row has a side")),
    }
}

#[track_caller]
fn check(left: &[&str], right: &[&str], expected: &[&str]) {
    let comparison = Comparison::new(&gadget(left), &gadget(right));
    let lines: Vec<String> = comparison.rows.iter().map(line).collect();
    assert_eq!(lines, expected);
}

#[test]
fn calls_are_aligned_and_compared_part_by_part() {
    check(&[], &[], &[]);
    check(&["A:a x=1"], &["A:a x=1"], &["=0 0"]);
    check(&["A:a x=1"], &["A:a x=2"], &["~0 0 parameter x"]);
    check(&["A:a x=1 y=1"], &["A:a y=1 x=1"], &["=0 0"]);
    check(&["A:a x=1"], &["A:a x/y=1"], &["~0 0 parameter x parameter x/y"]);
    check(&["A:a x=1"], &["A:b x=1"], &["~0 0 id"]);
    check(&["A:a x=1"], &["B:a x=1"], &["~0 0 name"]);
    check(&["A:a x=1"], &["B:b x=1"], &["~0 0 name  id"]);
    check(&["A:a x=1"], &["B:b y=1"], &["-0", "+0"]);
    check(&["A:a", "A:b:a"], &["A:a", "A:b"], &["=0 0", "~1 1 dependencies"]);
    check(&["A:a x=1"], &["A:a x=1 x=2"], &["~0 0 refusal"]);
}

#[test]
fn what_is_equal_is_paired_before_what_is_like_it() {
    check(&["A x=1", "A x=2", "A x=3"], &["A x=2", "A x=3"], &["-0", "=1 0", "=2 1"]);
    check(&["A x=1", "B", "A x=2"], &["A x=2", "B", "A x=2"], &["~0 0 parameter x", "=1 1", "=2 2"]);
    check(&["A:a x=1", "A:b x=2"], &["A:b x=9", "A:a x=1"], &["+0", "=0 1", "-1"]);
    check(&["A x=1", "B x=1"], &["C z=1", "B x=1"], &["-0", "+0", "=1 1"]);
}

#[test]
fn ids_that_the_runtime_makes_are_not_compared() {
    check(&["A x=1", "B x=1"], &["B x=1"], &["-0", "=1 0"]);
}

#[test]
fn problems_come_and_go_with_their_calls() {
    let left = gadget(&["A:a x=1 x=2", "B:b y=1"]);
    let right = gadget(&["New:n", "A:a x=1 x=2", "B:b y=1 y=2"]);
    let comparison = Comparison::new(&left, &right);
    let messages = |session: &Session, numbers: &[usize]| -> Vec<String> {
        numbers.iter().filter_map(|&number| session.document().diagnostics().get(number)).map(|it| it.message).collect()
    };
    assert_eq!(messages(&left, &comparison.gone), Vec::<String>::new());
    assert_eq!(messages(&right, &comparison.came), ["Duplicate pointer: y"]);
    assert!(!comparison.is_equal());
    assert!(Comparison::new(&left, &left).is_equal());
}

#[test]
fn one_text_is_compared_under_two_settings() {
    let text = b"!!!GADGET_START:A:a\n!!!GADGET_END\n<function=B><parameter=x>1</parameter></function>\n";
    let all = Session::from_bytes(text);
    let options = Options { only: vec![crate::dialect::named("gadget").expect("a dialect")], ..Options::default() };
    let some = Session::read(text, &options);
    let lines: Vec<String> = Comparison::new(&all, &some).rows.iter().map(line).collect();
    assert_eq!(lines, ["=0 0", "-1"]);
}

/// A quadratic search would take too long here.
#[test]
fn many_calls_in_another_order_are_aligned() {
    let calls =
        |from: usize, to: usize| (from..to).map(|n| CallFacts { name: format!("N{n}"), ..CallFacts::default() });
    let backwards: Vec<CallFacts> = calls(0, 20_000).rev().collect();
    let doubled: Vec<CallFacts> = calls(0, 20_000).flat_map(|call| [call.clone(), call]).collect();
    let rows = rows(backwards.as_slice(), doubled.as_slice());
    assert!(rows.iter().filter_map(|row| row.left).eq(0..20_000));
    assert!(rows.iter().filter_map(|row| row.right).eq(0..40_000));
}

#[test]
fn many_calls_are_aligned() {
    let calls =
        |from: usize, to: usize| (from..to).map(|n| CallFacts { name: format!("N{n}"), ..CallFacts::default() });
    let left: Vec<CallFacts> = calls(0, 3000).collect();
    let right: Vec<CallFacts> =
        calls(9000, 9005).chain(calls(0, 1500)).chain(calls(1600, 3000)).chain(calls(0, 3)).collect();
    let pairs = |rows: &[CallRow]| rows.iter().filter(|row| row.kind() == RowKind::Same).count();
    let unique = rows(left.as_slice(), right.as_slice());
    assert_eq!(pairs(&unique), 2900);
    // No call has a unique name here.
    let doubled: Vec<CallFacts> = left.iter().flat_map(|call| [call.clone(), call.clone()]).collect();
    let shifted: Vec<CallFacts> = calls(5000, 5010).chain(doubled.iter().cloned()).chain(calls(6000, 6001)).collect();
    assert_eq!(pairs(&rows(doubled.as_slice(), shifted.as_slice())), 6000);
    for rows in [unique, rows(doubled.as_slice(), shifted.as_slice())] {
        for column in [
            rows.iter().filter_map(|row| row.left).collect::<Vec<_>>(),
            rows.iter().filter_map(|row| row.right).collect(),
        ] {
            assert!(column.iter().copied().eq(0..column.len()), "every call is there once, in its order");
        }
    }
}

/// A session with a recorded call of `look` and its result.
fn recorded(result: &str) -> Session {
    let messages = serde_json::json!({"model": "m", "messages": [
        {"role": "user", "content": "Look."},
        {"role": "assistant", "content": null, "tool_calls": [
            {"id": "call_a", "type": "function", "function": {"name": "look", "arguments": "{\"at\": 1}"}}]},
        {"role": "tool", "tool_call_id": "call_a", "content": result},
    ]});
    Session::from_bytes(messages.to_string().as_bytes())
}

#[test]
fn what_came_of_recorded_calls_is_compared() {
    let long = |end: &str| "leek ".repeat(LONGEST / 4) + end;
    for (left, right, expected) in [
        ("leek", "leek", "=0 0"),
        ("leek", "butter", "~0 0 outcome result"),
        (&long("a"), &long("a"), "=0 0"),
        (&long("a"), &long("b"), "~0 0 outcome result"),
    ] {
        let comparison = Comparison::new(&recorded(left), &recorded(right));
        let rows: Vec<String> = comparison.rows.iter().map(line).collect();
        assert_eq!(rows, [expected]);
    }
}
