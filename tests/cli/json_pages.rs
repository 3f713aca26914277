//! The pages of JSON outputs in the guide, held against what the program prints, in both directions.

mod coverage;
mod page;
mod runs;

use std::collections::BTreeMap;

use clap::CommandFactory as _;
use serde_json::Value;
use transcope::cli::Cli;

use coverage::Coverage;
use page::{Shape, ShapeName, shapes};

/// Values of options that are JSON, or tables of text.
const DESCRIBED: [&str; 4] = ["json", "ndjson", "events", "csv"];

/// Outputs that other pages describe.
const ELSEWHERE: [&str; 2] = ["index --format ndjson", "index --format csv"];

/// Right, and not shown by any run, with the reason.
const NOT_SHOWN: [(&str, &str); 5] = [
    ("docs/json-parse.md#annotation: created is never its type 2", "only notes written by hand have no time"),
    ("docs/json-runtimes.md#upgrade-of-a-parser: to.outcome is never its type 2", "no release has dropped a parser"),
    ("docs/json-runtimes.md#failure: line is never its type 2", "errors of the engine that have no line are rare"),
    ("docs/json-sessions.md#listed-session: modified is never its type 2", "file systems have times"),
    ("docs/json-runtimes.md#delivered-call: spans.values[].value_span is never its type 3", "no sample has a default"),
];

/// The pages with their names.
fn pages() -> Vec<(String, String)> {
    let is_page = |name: &str| name.starts_with("docs/json");
    super::documents::documents().into_iter().filter(|(name, _)| is_page(name)).collect()
}

fn outputs(shapes: &BTreeMap<ShapeName, Shape>) -> BTreeMap<String, ShapeName> {
    let named = shapes.iter().filter_map(|(name, shape)| Some((shape.output.clone()?, name.clone())));
    named.collect()
}

#[test]
fn every_json_output_of_every_command_has_a_section() {
    let shapes = shapes(&pages());
    let described = outputs(&shapes);
    let mut missing = Vec::new();
    let mut check = |name: &str, command: &clap::Command| {
        for argument in command.get_arguments() {
            let option = argument.get_id().as_str();
            let values = argument.get_possible_values();
            let values = values.iter().map(|value| value.get_name().to_owned());
            let values = values.filter(|value| DESCRIBED.contains(&value.as_str()));
            let lines = values.map(|value| format!("{name} --{option} {value}"));
            let each = (option == "each").then(|| format!("{name} --each"));
            missing.extend(
                lines.chain(each).filter(|line| !ELSEWHERE.contains(&line.as_str()) && !described.contains_key(line)),
            );
        }
    };
    for command in Cli::command().get_subcommands() {
        check(command.get_name(), command);
        for inner in command.get_subcommands() {
            check(&format!("{} {}", command.get_name(), inner.get_name()), inner);
        }
    }
    assert!(missing.is_empty(), "outputs without a section in docs/json*.md: {missing:#?}");
}

#[test]
fn every_key_that_occurs_is_described_and_every_described_key_occurs() {
    let shapes = shapes(&pages());
    let outputs = outputs(&shapes);
    let mut coverage = Coverage::new(&shapes);
    let mut faults = Vec::new();
    for run in runs::all() {
        let Some(name) = outputs.get(&run.output).filter(|_| !run.printed.is_empty()) else {
            faults.push(format!("{}: prints nothing, or has no section: {}", run.line, run.errors));
            continue;
        };
        coverage.run.clone_from(&run.line);
        if run.output.ends_with("csv") {
            coverage.check_columns(name, &runs::header(&run.printed));
            continue;
        }
        let is_whole = run.output.ends_with("json") && !run.output.ends_with("ndjson");
        let texts = if is_whole { vec![&*run.printed] } else { run.printed.lines().collect() };
        for text in texts {
            match serde_json::from_str::<Value>(text) {
                Ok(value) => coverage.check(name, &value),
                Err(error) => faults.push(format!("{}: {error}: {}", run.line, &text[..text.len().min(100)])),
            }
        }
    }
    faults.extend(coverage.faults.iter().map(|(fault, run)| format!("{fault}\n    by {run}")));
    let mut unseen = coverage.unseen();
    for (known, _) in NOT_SHOWN {
        let number = unseen.len();
        unseen.retain(|fault| !fault.starts_with(known));
        if unseen.len() == number {
            faults.push(format!("NOT_SHOWN: {known}: it is shown"));
        }
    }
    faults.extend(unseen);
    assert!(faults.is_empty(), "{} differences from docs/json*.md:\n{}", faults.len(), faults.join("\n"));
}

#[test]
fn each_kind_of_difference_is_found() {
    const PAGE: &str = "\n## `a`\n\n| key | type | meaning |\n|---|---|---|\n| `b` | number or null | the b |\n\
                        | `c?` | word | `x` or `y` |\n| `d` | list of object | parts |\n| `d[].e` | span | its bytes |\n";
    let shapes = shapes(&[("p".to_owned(), PAGE.to_owned())]);
    let output = ("p".to_owned(), "a".to_owned());
    let found = |printed: &[&str]| {
        let mut coverage = Coverage::new(&shapes);
        for text in printed {
            coverage.check(&output, &serde_json::from_str(text).expect("it is JSON"));
        }
        let mut found: Vec<String> = coverage.faults.keys().cloned().collect();
        found.extend(coverage.unseen());
        found
    };
    let [whole, other] = [r#"{"b": 1, "c": "x", "d": [{"e": [0, 1]}]}"#, r#"{"b": null, "d": []}"#];
    for (printed, expected) in [
        (&[whole, other][..], &[][..]),
        (&[whole], &["p#a: b is never its type 2 (Null)", "p#a: c is never absent"]),
        (&[other], &["p#a: b is never its type 1 (Number)", "p#a: c occurs in no run", "p#a: d[].e occurs in no run"]),
        (&[whole, other, r#"{"b": 1, "d": [], "f": 0}"#], &["p#a: f is not described (0)"]),
        (&[whole, other, r#"{"d": []}"#], &["p#a: b is absent"]),
        (&[whole, other, r#"{"b": 1, "c": "z", "d": []}"#], &["p#a: c is none of its types: \"z\""]),
        (&[whole, other, r#"{"b": 1, "d": [{"e": [2, 1]}]}"#], &["p#a: d[].e is none of its types: [2,1]"]),
        (&[whole, other, r#"{"b": 1, "d": [{}]}"#], &["p#a: d[].e is absent"]),
    ] {
        assert_eq!(found(printed), expected, "{printed:?}");
    }
}
