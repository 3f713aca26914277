//! What every dialect must bring along: an example that is one good call, cases, samples, a sign by which it is known
//! in another's call, and a row in the README.

use std::fs;
use std::path::Path;

use transcope::dialect::{Options, foreign::SIGNS, registry};
use transcope::document::Item;
use transcope::session::Session;

/// Samples that a dialect has at least, good and broken together.
const SAMPLES: usize = 10;

fn each(check: impl Fn(&str, &'static transcope::dialect::About) -> Option<String>) {
    let dialects = registry(&Options::default()).expect("the default options name no dialect");
    assert!(dialects.len() >= 9, "only {} dialects", dialects.len());
    let faults: Vec<String> =
        dialects.iter().filter_map(|dialect| check(dialect.about().name, dialect.about())).collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

fn files(folder: &str) -> usize {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    fs::read_dir(path).map_or(0, Iterator::count)
}

#[test]
fn the_example_of_each_dialect_is_one_good_call_of_it() {
    each(|name, about| {
        let session = Session::of(about.example.as_bytes());
        let document = session.document();
        let calls: Vec<&str> = document.items().iter().filter_map(Item::call).map(|call| call.dialect).collect();
        let problems: Vec<&str> = document.diagnostics().iter().map(|problem| problem.code.name()).collect();
        (calls != [name] || !problems.is_empty()).then(|| format!("{name}: calls {calls:?}, problems {problems:?}"))
    });
}

#[test]
fn each_dialect_has_cases_and_samples() {
    each(|name, _| {
        let found = [
            files(&format!("tests/data/{name}/ok")),
            files(&format!("tests/data/{name}/err")),
            files(&format!("samples/{name}")),
        ];
        (found[0] < 5 || found[1] < 5 || found[2] < SAMPLES).then(|| format!("{name}: ok, err and samples {found:?}"))
    });
}

#[test]
fn each_dialect_has_a_sign_and_a_row_in_the_readme() {
    let readme = include_str!("../../README.md");
    each(|name, _| {
        let row = readme.lines().any(|line| line.starts_with(&format!("| `{name}` |")));
        let sign = SIGNS.iter().any(|(known, signs)| *known == name && !signs.is_empty());
        (!row || !sign).then(|| format!("{name}: a row in the README {row}, a sign {sign}"))
    });
}
