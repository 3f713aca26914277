//! Shares of the examples in published rule files that are found, in every setting.
//!
//! Half of them, by the hash of their rule, are for writing rules: `TRANSCOPE_MISSED=1 cargo test --test properties
//! published` lists the missed ones. Nothing of the other half is ever printed.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use base64::prelude::{BASE64_STANDARD, Engine as _};
use transcope::redact::{OwnPatterns, Redactor};
use transcope::session::Session;

use super::secret_settings::{Group, Kind, SETTINGS, Setting, is_left};
use super::snapshot;

/// Least share in percent by form, by name and by surroundings.
const LEAST: [(&str, usize); 3] = [("form", 90), ("name", 85), ("place", 85)];

/// A secret in an example of a published rule.
struct Example {
    /// How the rule recognises it.
    group: String,
    kind: Kind,
    secret: String,
}

fn examples(file: &str) -> Vec<Example> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/secrets").join(file);
    let text = fs::read_to_string(path).expect("it can be read");
    text.lines().filter(|line| !line.starts_with('#')).map(example).collect()
}

/// A line: how the rule recognises the secret, the rule, the range of the secret, and the example in base64.
fn example(line: &str) -> Example {
    let fields: Vec<&str> = line.split(' ').collect();
    let [group, rule, range, encoded] = fields[..] else { panic!("a line has four fields") };
    let decoded = BASE64_STANDARD.decode(encoded).expect("it is base64");
    let text = String::from_utf8(decoded).expect("it is text");
    let (start, end) = range.split_once("..").expect("a range");
    let [start, end] = [start, end].map(|at| at.parse::<usize>().expect("a number"));
    let is_form = group == "form";
    let around = if is_form { ["", ""] } else { [&text[..start], &text[end..]] };
    let kind = Kind {
        word: rule.to_owned(),
        group: if is_form { Group::Form } else { Group::Place },
        name: if is_form { "VALUE" } else { "TEXT" }.to_owned(),
        around: around.map(str::to_owned),
        pattern: String::new(),
    };
    Example { group: group.to_owned(), kind, secret: text[start..end].to_owned() }
}

/// Number of examples tried and found, by group and setting; adds the missed ones to `missed`.
fn tally(examples: &[Example], missed: &mut String) -> BTreeMap<(String, Setting), [usize; 2]> {
    let mut tally: BTreeMap<(String, Setting), [usize; 2]> = BTreeMap::new();
    for example in examples {
        for setting in SETTINGS {
            let Some((text, pieces)) = example.kind.written(setting, &example.secret) else { continue };
            let redactor = Redactor::new(&Session::from_bytes(text.as_bytes()), OwnPatterns::default());
            let clean = redactor.clean(&text);
            let is_found = !pieces.iter().any(|piece| is_left(&clean, piece));
            let [tried, found] = tally.entry((example.group.clone(), setting)).or_default();
            *tried += 1;
            *found += usize::from(is_found);
            if !is_found {
                writeln!(missed, "{} {setting:?}: {text:?}", example.kind.word).expect("into memory");
            }
        }
    }
    tally
}

#[test]
fn most_examples_of_published_rules_are_found_in_every_setting() {
    let (mut shown, mut few, mut missed) = (String::new(), Vec::new(), String::new());
    for (half, file) in [("seen", "published.txt"), ("held out", "held_out.txt")] {
        let mut of_half = String::new();
        for ((group, setting), [tried, found]) in tally(&examples(file), &mut of_half) {
            let share = 100.0 * found as f64 / tried as f64;
            let words = format!("{half} by {group}, {setting:?}: {found} of {tried}, {share:.1} %");
            writeln!(shown, "{words}").expect("into memory");
            let (_, least) = LEAST.iter().find(|(name, _)| *name == group).expect("a known group");
            few.extend((found * 100 < tried * least).then_some(words));
        }
        if half == "seen" {
            missed = of_half;
        }
    }
    assert!(std::env::var_os("TRANSCOPE_MISSED").is_none(), "{missed}");
    assert_eq!(few, Vec::<String>::new(), "{shown}");
    snapshot::matches("", "published_secrets", &shown);
}
