//! Requirements for every dialect, including new ones: an example that is one good call, a writer, an end marker, a
//! sign that identifies it inside another's call, cases, samples and a row in the guide.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use transcope::container::Container;
use transcope::convert::Calls;
use transcope::dialect::{DialectInfo, Options, REGISTRY, all_names, named, registry};
use transcope::document::Item;
use transcope::repair::{Budget, repair_all};
use transcope::session::Session;

/// Fewest samples of a dialect, good and broken together.
const SAMPLES: usize = 10;

/// Fewest good cases of a dialect, and fewest broken ones.
const CASES: usize = 25;

#[track_caller]
fn each(check: impl Fn(&'static DialectInfo) -> Option<String>) {
    assert!(REGISTRY.len() >= 9, "only {} dialects", REGISTRY.len());
    let faults: Vec<String> =
        REGISTRY.iter().filter_map(|about| check(about).map(|fault| format!("{}: {fault}", about.name))).collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// A text, read by this dialect alone.
fn read(about: &'static DialectInfo, text: &str) -> Session {
    let options = Options { only: vec![about], ..Options::default() };
    let mut session = Session::new(Container::plain(), &options);
    session.push(text.as_bytes());
    session.finish();
    session
}

/// The dialects of the calls of a text, and its problems.
fn found(session: &Session) -> (Vec<&str>, Vec<&str>) {
    let document = session.document();
    let calls = document.items().iter().filter_map(Item::call).map(|call| call.dialect).collect();
    (calls, document.diagnostics().iter().map(|problem| problem.code.name()).collect())
}

/// Number of cases in a folder.
fn cases(folder: &str) -> usize {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let is_case = |entry: &fs::DirEntry| entry.path().extension().is_some_and(|ending| ending != "snap");
    fs::read_dir(path).map_or(0, |entries| entries.flatten().filter(is_case).count())
}

#[test]
fn the_registry_has_each_dialect_once_under_its_name() {
    let names: Vec<&str> = all_names().collect();
    let once: BTreeSet<&str> = names.iter().copied().collect();
    assert_eq!(once.len(), names.len());
    let made = registry(&Options::default());
    let made: Vec<&str> = made.iter().map(|dialect| dialect.info().name).collect();
    let read: Vec<&str> = names.iter().copied().filter(|name| made.contains(name)).collect();
    assert_eq!(made, read);
    assert!(REGISTRY.iter().all(|about| made.contains(&about.name)), "{made:?}");
}

#[test]
fn the_example_of_each_dialect_is_one_good_call_of_it() {
    each(|about| {
        let session = Session::from_bytes(about.example.as_bytes());
        let (calls, problems) = found(&session);
        (calls != [about.name] || !problems.is_empty()).then(|| format!("calls {calls:?}, problems {problems:?}"))
    });
}

#[test]
fn each_dialect_writes_its_example_so_that_it_comes_back_and_each_other_one_reads_what_it_writes() {
    each(|about| {
        let session = Session::from_bytes(about.example.as_bytes());
        let own = Calls::in_their_text(&session).convert(about, &Options::default());
        let again = read(about, &String::from_utf8_lossy(&own.text));
        let (again, problems) = found(&again);
        (!own.losses.is_empty() || again != [about.name] || !problems.is_empty())
            .then(|| format!("losses {:?}, calls {again:?}, problems {problems:?}", own.losses))
    });
    each(|about| {
        let session = Session::from_bytes(about.example.as_bytes());
        let lost = REGISTRY.iter().find(|other| {
            let converted = Calls::in_their_text(&session).convert(other, &Options::default());
            found(&read(other, &String::from_utf8_lossy(&converted.text))).0 != [other.name]
        });
        lost.map(|other| format!("as {} it is no call", other.name))
    });
}

#[test]
fn a_call_without_its_end_is_closed_by_what_its_dialect_says() {
    each(|about| {
        let whole = about.example.trim_end();
        let options = Options { only: vec![about], ..Options::default() };
        // The shortest cut of the example that is noticed, which removes the end of the call if it has one.
        let cut = (1..whole.len()).rev().filter(|&at| whole.is_char_boundary(at)).map(|at| &whole[..at]);
        let broken = cut.take(24).map(|text| read(about, text)).find(|session| {
            let (calls, problems) = found(session);
            calls == [about.name] && problems.iter().any(|code| ["unterminated-call", "broken-json"].contains(code))
        });
        // A callout ends with its quotation: nothing can be missing.
        let Some(broken) = broken else { return (about.name != "callout").then(|| "no cut is missed".to_owned()) };
        let repaired = repair_all(&broken, &options, &Budget::for_command());
        let Some(repaired) = repaired else { return Some("nothing was repaired".to_owned()) };
        let (calls, problems) = found(&repaired.left);
        (calls != [about.name] || !problems.is_empty()).then(|| format!("calls {calls:?}, problems {problems:?}"))
    });
}

#[test]
fn each_dialect_is_known_in_a_value_of_another_by_its_sign() {
    each(|about| {
        let signs = about.signs.iter().all(|sign| about.example.contains(sign.trim_start()) || sign.contains('"'));
        if about.signs.is_empty() || !signs {
            return Some(format!("its signs are {:?}", about.signs));
        }
        let (frame, other) = if about.name == "xml" {
            ("!!!GADGET_START:f\n!!!ARG:a\n-\nX\n-\n!!!GADGET_END\n", "gadget")
        } else {
            ("<tool:f>\n<param:a>\nX\n</param:a>\n</tool:f>\n", "xml")
        };
        let text = frame.replacen('X', about.signs[0].trim_start(), 1);
        let options = Options { only: vec![named(other).expect("a dialect"), about], ..Options::default() };
        let session = Session::read(text.as_bytes(), &options);
        let (_, problems) = found(&session);
        (!problems.contains(&"foreign-markup")).then(|| format!("not seen in {text:?}: {problems:?}"))
    });
}

#[test]
fn dialects_name_their_relatives_and_these_them() {
    each(|about| {
        let unknown = |name: &&&str| named(name).is_none_or(|other| !other.family.contains(&about.name));
        let stranger = about.family.iter().find(unknown).copied();
        stranger.or(about.body_like.filter(|name| named(name).is_none())).map(|name| format!("{name:?} is no relative"))
    });
}

#[test]
fn each_dialect_has_cases_samples_and_a_row_in_the_guide() {
    let guide = include_str!("../../docs/call-formats.md");
    each(|about| {
        let name = about.name;
        let found = [
            cases(&format!("tests/data/{name}/ok")),
            cases(&format!("tests/data/{name}/err")),
            cases(&format!("samples/{name}")),
        ];
        let row = guide.lines().any(|line| line.starts_with(&format!("| `{name}` |")));
        (found[0] < CASES || found[1] < CASES || found[2] < SAMPLES || !row)
            .then(|| format!("ok, err and samples {found:?}, a row in docs/call-formats.md {row}"))
    });
}
