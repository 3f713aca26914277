//! Every case below `tests/data` and every sample: the parser's result against a snapshot, and properties of any text.
//!
//! A case in `ok` has no problem, a case in `err` has at least one. Each text is also checked for tiling, and for the
//! same result however it is cut. To accept new snapshots: `INSTA_UPDATE=always cargo test`.

mod attribution;
mod conformance;
mod containers;
mod contents;
mod contract;
mod declared;
mod detection;
mod learned;
mod notations;
mod outcomes;
mod parity;
#[path = "../shared/recorded.rs"]
mod recorded;
#[path = "../shared/recorded_outcome.rs"]
mod recorded_outcome;
mod repairs;
mod requests;
mod roundtrip;
mod session_facts;
#[path = "../shared/snapshot.rs"]
mod snapshot;
mod source_text;
mod statistics;
mod streams;
mod templates;
#[path = "../shared/tiling.rs"]
mod tiling;
mod tour;
mod unread_words;
mod value_places;
mod vectors;
mod wild;

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use transcope::command::explain::read_example;
use transcope::container::{CallOutcome, Container, REGISTRY};
use transcope::diagnostic::Code;
use transcope::dialect::{Options, Status, named};
use transcope::document::Item;
use transcope::notes::sidecar::Sidecar;
use transcope::session::Session;
use transcope::text::Walk;
use transcope::value::tree_json::to_json;
use transcope::wording::expected::waiting;

/// The cases in a folder: the name of the snapshot, and the text.
fn cases(folder: &str) -> Vec<(String, Vec<u8>)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let mut paths: Vec<PathBuf> =
        fs::read_dir(&root).expect("the folder exists").map(|entry| entry.expect("readable").path()).collect();
    paths.sort();
    paths
        .into_iter()
        .filter(|path| path.is_file() && path.file_name() != Some("README.md".as_ref()) && !Sidecar::is_sidecar(path))
        .map(|path| {
            let name = path.file_stem().expect("a file has a name").to_string_lossy().into_owned();
            (name, fs::read(&path).expect("a case can be read"))
        })
        .collect()
}

fn check(folder: &str, allowed: impl Fn(&Session) -> Result<(), String>) {
    check_with(folder, &|| Session::new(Container::default(), &Options::default()), allowed);
}

/// Checks the cases of a folder, each in a `fresh` session.
fn check_with(folder: &str, fresh: &dyn Fn() -> Session, allowed: impl Fn(&Session) -> Result<(), String>) {
    let cases = cases(folder);
    assert!(!cases.is_empty(), "{folder} holds no case");
    let mut faults = Vec::new();
    for (name, bytes) in &cases {
        let mut session = fresh();
        session.push(bytes);
        session.finish();
        let outcome = describe(&session);
        if let Err(fault) = allowed(&session) {
            faults.push(format!("{folder}/{name}: {fault}\n{outcome}"));
        }
        tiles(name, &session);
        cuts(name, bytes, &outcome, fresh);
        // The snapshots of container samples mirror the folders of the samples.
        let place = folder.trim_start_matches("tests/data/").replace("samples/containers", "sessions");
        snapshot::matches(&place, name, &outcome);
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn good_cases_have_no_problem() {
    for dialect in folders("tests/data") {
        check(&format!("tests/data/{dialect}/ok"), |session| match session.document().diagnostics().len() {
            0 => Ok(()),
            found => Err(format!("{found} problems")),
        });
    }
}

#[test]
fn bad_cases_have_a_problem() {
    for dialect in folders("tests/data") {
        check(&format!("tests/data/{dialect}/err"), |session| match session.document().diagnostics().len() {
            0 => Err("no problem".into()),
            _ => Ok(()),
        });
    }
}

#[test]
fn samples_are_read_as_before() {
    check("samples", |_| Ok(()));
    for dialect in folders("samples") {
        check(&format!("samples/{dialect}"), |_| Ok(()));
    }
    samples_of_named_dialects();
    for about in REGISTRY.iter().copied() {
        let folder = format!("samples/containers/{}", about.name);
        if Path::new(env!("CARGO_MANIFEST_DIR")).join(&folder).is_dir() {
            check(&folder, |session| {
                let chosen = session.choice().map(|choice| choice.about.name);
                if chosen == Some(about.name) { Ok(()) } else { Err(format!("it is found to be {chosen:?}")) }
            });
        }
    }
}

/// Samples of dialects that are read only on request, which here is the name of their folder.
fn samples_of_named_dialects() {
    let known = Session::from_bytes(b"").dialect_names();
    let samples = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples");
    for entry in fs::read_dir(samples).expect("the folder exists") {
        let name = entry.expect("readable").file_name().to_string_lossy().into_owned();
        let Some(dialect) = named(&name).filter(|dialect| !known.contains(&dialect.name)) else { continue };
        let fresh = || Session::new(Container::default(), &Options { only: vec![dialect], ..Options::default() });
        check_with(&format!("samples/{name}"), &fresh, |_| Ok(()));
    }
}

/// Names of the dialects that have a folder with cases below `root`.
fn folders(root: &str) -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join(root);
    let known = Session::from_bytes(b"").dialect_names();
    let names = known.into_iter().filter(|name| root.join(name).is_dir());
    names.map(str::to_owned).collect()
}

#[test]
fn every_page_shows_its_problem_and_its_remedy() {
    for code in Code::ALL {
        let page = code.info();
        let found = read_example(code, &page.bad);
        let is_shown = found.document().diagnostics().iter().any(|d| d.code == code);
        assert!(is_shown, "{}: {}", code.name(), describe(&found));
        let good = read_example(code, &page.good);
        assert!(good.document().diagnostics().is_empty(), "{}: {}", code.name(), describe(&good));
    }
}

/// Everything that a reader can observe in a session, as text.
fn describe(session: &Session) -> String {
    let mut out = String::new();
    let text = session.text();
    if session.is_decoded() {
        describe_messages(session, &mut out);
    }
    for (number, item) in session.document().items().iter().enumerate() {
        match item {
            Item::Result(answer) => {
                let words = text.read_str(answer.span);
                let pair = answer.call.map(|(item, ground)| format!("item {item} by {ground:?}"));
                let _ = writeln!(
                    out,
                    "{:?} result of {:?}, {}, {:?}: {words:?}",
                    (answer.span.start, answer.span.end),
                    answer.id.map(|id| id.text(text)),
                    pair.unwrap_or_else(|| format!("no call (again {:?})", answer.again)),
                    answer.verdict
                );
            }
            Item::Aside(aside) => {
                let words = text.read_str(aside.span);
                let _ = writeln!(
                    out,
                    "{:?} {} {words:?}",
                    (aside.span.start, aside.span.end),
                    aside.name.unwrap_or("reasoning")
                );
            }
            Item::Text(span) => {
                let _ = writeln!(out, "{:?} text {:?}", (span.start, span.end), text.read_str(span));
            }
            Item::Call(call) => {
                let assembly = session.dissect(number).expect("a call can be taken apart");
                let _ = writeln!(
                    out,
                    "{:?} call {:?} id {:?} after {:?} {}",
                    (call.span.start, call.span.end),
                    call.name(text),
                    call.id(text),
                    call.dependencies(text),
                    call.status.word()
                );
                for (argument, scalar) in assembly.arguments.iter().zip(&assembly.scalars) {
                    let span = argument.value;
                    let _ = writeln!(
                        out,
                        "    {:?} {:?} {:?} {} {:?}",
                        argument.pointer.start,
                        text.read_str(argument.pointer),
                        (span.start, span.end),
                        scalar.type_name(),
                        text.read_str(span)
                    );
                }
                let _ = writeln!(
                    out,
                    "    {}{}",
                    if assembly.error.is_some() { "partial " } else { "" },
                    to_json(&assembly.tree, text)
                );
                if let Some(error) = assembly.error {
                    let _ = writeln!(out, "    refused: {error}");
                }
            }
        }
    }
    for diagnostic in session.document().sorted_diagnostics() {
        let position = session.place_of_problem(&mut Walk::default(), &diagnostic);
        let _ = write!(
            out,
            "{} {} {}:{} {:?} {}",
            diagnostic.severity.word(),
            diagnostic.code.name(),
            position.line,
            position.column,
            text.read_str(diagnostic.span),
            diagnostic.message
        );
        if let (Some(expected), Some(found)) = (&diagnostic.expected, &diagnostic.found) {
            let _ = write!(out, " (expected {expected:?}, found {found:?})");
        }
        for related in &diagnostic.related {
            let _ = write!(out, " [{} {:?}]", related.message, text.read_str(related.span));
        }
        out.push('\n');
    }
    out
}

/// The messages of a recorded session, and their places in the file.
fn describe_messages(session: &Session, out: &mut String) {
    let document = session.document();
    for (number, message) in document.messages().iter().enumerate() {
        let span = document.message_span(number, session.text().len());
        let source = session.source_of(span);
        let abandoned = if document.is_abandoned(number) { " abandoned" } else { "" };
        let _ = writeln!(
            out,
            "{:?} from {:?} {} {:?}{abandoned}",
            (span.start, span.end),
            (source.start, source.end),
            message.speaker(),
            message.details()
        );
    }
}

/// Checks that items are contiguous from the first byte to the last, that every other span is in the text, and the
/// count of failed calls.
fn tiles(name: &str, session: &Session) {
    let mut end = 0;
    for item in session.document().items().iter() {
        assert_eq!(item.span().start, end, "{name}: a gap or an overlap at {end}");
        // The result of a call may be empty.
        let may_be_empty = matches!(item, Item::Result(_) | Item::Aside(_));
        assert!(may_be_empty || !item.span().is_empty(), "{name}: an empty item at {end}");
        end = item.span().end;
    }
    assert_eq!(end, session.text().len(), "{name}: the end is in no item");
    let document = session.document();
    for diagnostic in document.diagnostics().iter() {
        assert!(diagnostic.span.end <= end, "{name}: {diagnostic:?}");
    }
    let calls = document.calls().filter(|&item| !document.is_withdrawn(item)).filter_map(|item| document.call(item));
    let failed = calls.filter(|call| call.answer.is_some_and(CallOutcome::is_failure)).count();
    assert_eq!(document.failures(), failed, "{name}: calls that failed");
}

/// Checks that a `fresh` session gives the same for a text cut byte by byte, in two at every byte, and at random
/// places, and that no prefix of the text makes the parser fail.
fn cuts(name: &str, bytes: &[u8], whole: &str, fresh: &dyn Fn() -> Session) {
    let mut by_byte = fresh();
    for byte in bytes {
        by_byte.push(std::slice::from_ref(byte));
        waits(name, &by_byte);
        let document = by_byte.document();
        assert_eq!(document.order().len(), document.diagnostics().len(), "{name}: a problem is in no order");
    }
    by_byte.finish();
    assert_eq!(describe(&by_byte), whole, "{name}: byte by byte differs from whole");
    let mut chance = Chance(bytes.iter().fold(0x9e37_79b9, |seed, &byte| seed * 31 % 0xffff_fffb + u64::from(byte)));
    for _ in 0..8 {
        let mut session = fresh();
        let mut rest = bytes;
        while !rest.is_empty() {
            let (piece, behind) = rest.split_at((chance.below(40) + 1).min(rest.len()));
            session.push(piece);
            rest = behind;
        }
        session.finish();
        assert_eq!(describe(&session), whole, "{name}: random pieces differ from whole");
    }
    let nodes = by_byte.document().calls().filter_map(|item| by_byte.dissect(item)).map(|call| call.tree.len()).sum();
    let most = (MOST_READ / bytes.len().max(nodes).max(1)).max(LEAST_CUTS);
    let places: Vec<usize> = match bytes.len() {
        length if length <= most => (0..length).collect(),
        length => (0..most).map(|_| chance.below(length)).collect(),
    };
    for at in places {
        let mut session = fresh();
        session.push(&bytes[..at]);
        let again = || {
            let mut again = fresh();
            again.push(&bytes[..at]);
            again
        };
        let mut prefix = session.fork().unwrap_or_else(again);
        prefix.finish();
        tiles(name, &prefix);
        let _ = describe(&prefix);
        session.push(&bytes[at..]);
        session.finish();
        assert_eq!(describe(&session), whole, "{name}: cut in two at {at} differs from whole");
    }
}

/// A text is cut in two at every byte if that reads or allocates at most this much; else at some bytes.
const MOST_READ: usize = 40_000;

/// Fewest places at which a long text is cut.
const LEAST_CUTS: usize = 16;

/// Pseudo-random numbers that are the same each time.
struct Chance(u64);

impl Chance {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit
    }
}

/// Checks that the session reports what is awaited exactly while a call is open or bytes are undecided.
fn waits(name: &str, session: &Session) {
    let waiting = waiting(session).expect("more may arrive");
    let document = session.document();
    let is_open = |item| document.call(item).is_some_and(|call| call.status == Status::Open);
    let is_open = document.last_call().is_some_and(is_open) || !session.pending().is_empty();
    let at = session.file().len();
    // More may follow on the line of a JSON value that has ended.
    if !session.is_decoded() && !waiting.words.starts_with("after call") {
        assert_eq!(waiting.is_open, is_open, "{name} at {at}: {}", waiting.words);
    }
    assert!(!waiting.words.ends_with("expecting "), "{name} at {at}: {}", waiting.words);
}
