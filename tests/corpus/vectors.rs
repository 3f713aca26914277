//! Compares the outcomes of reference implementations for their test vectors with ours.
//!
//! A vector is a line of JSON below `tests/vectors`. A deliberate difference is in a list with the reason, and has to
//! differ. Independent of what is compared.

mod ai_sdk;
mod callout;
mod caret;
mod gadget;
mod native;
mod response_template;
mod xml;

use serde_json::{Value, json};

/// A case in which our outcome differs on purpose: its name, and why.
type Difference = (&'static str, &'static str);

/// Compares the vectors; there must be at least `least`. `compare` gives a case's name, and a message if the
/// outcome differs.
#[track_caller]
fn compare(
    lines: &str,
    least: usize,
    differences: &[Difference],
    compare: impl Fn(&Value) -> (String, Option<String>),
) {
    let (mut faults, mut cases, mut different) = (Vec::new(), 0, 0);
    for line in lines.lines() {
        let case = serde_json::from_str(line).expect("each line is a JSON object");
        cases += 1;
        let (name, fault) = compare(&case);
        let is_listed = differences.iter().any(|(listed, _)| *listed == name);
        different += usize::from(is_listed);
        match fault {
            None if is_listed => faults.push(format!("{name}: listed as different, but it is not")),
            Some(fault) if !is_listed => faults.push(format!("{name}\n  {fault}")),
            _ => {}
        }
    }
    assert!(faults.is_empty(), "{} of {cases} differ:\n{}", faults.len(), faults.join("\n"));
    assert_eq!(different, differences.len(), "a listed case does not exist");
    assert!(cases >= least, "only {cases} cases were read");
}

/// Both outcomes, unless they are equal.
fn difference(expected: &Value, found: &Value) -> Option<String> {
    (expected != found).then(|| format!("expected {expected}\n  found    {found}"))
}

/// Both outcomes, unless they are [`alike`].
fn rough_difference(expected: &Value, found: &Value) -> Option<String> {
    difference(expected, found).filter(|_| !alike(expected, found))
}

/// True if two outcomes agree: numbers by value, members in any order. `$num` stands for a number that JSON cannot
/// express.
pub fn alike(expected: &Value, found: &Value) -> bool {
    match (expected, found) {
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| alike(a, b)),
        (Value::Object(a), Value::Object(_) | Value::Null) if a.contains_key("$num") => true,
        (Value::Object(a), Value::Number(b)) => a.get("$num") == Some(&json!("-0")) && b.as_f64() == Some(0.0),
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| alike(a, b)))
        }
        (Value::Number(a), Value::Number(b)) => a.as_f64() == b.as_f64(),
        _ => expected == found,
    }
}
