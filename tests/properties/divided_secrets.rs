//! A secret that is divided in a file, between chunks of a stream, two records or two lines, is in none of the outputs.
//!
//! A token and a password are planted in the samples of every container, and the file is redacted as for a bundle. In
//! short samples they are cut at every byte, in others at a varying one. Independent of how a secret is found.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use proptest::test_runner::Config;
use transcope::container::Container;
use transcope::document::Item;
use transcope::export::json;
use transcope::redact::{OwnPatterns, Redactor};
use transcope::session::Session;
use transcope::text::Span;

use super::figures::{Promise, tell};

/// Fewest bytes of a secret that count as a leak.
const LEAK: usize = 10;

/// How a secret is divided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Division {
    /// Between two parts of one text that are apart in the file, such as the chunks of a stream.
    Fragments,
    /// Between two consecutive texts.
    Records,
    /// At a line end within a text.
    Lines,
}

use Division::{Fragments, Lines, Records};

/// Two places of a file, and the text between the pieces of a secret where the two places coincide.
struct Place {
    division: Division,
    first: usize,
    second: usize,
}

/// Most bytes of a sample in which every cut of a secret is tried.
const SHORT: usize = 2 << 10;

/// The secrets, each with the name that precedes it if it needs one.
fn secrets() -> [(&'static str, String); 2] {
    let token = ["ghp", "_", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"].concat();
    [("", token), ("DB_PASSWORD=", ["t5R0ub4", "d0rK9x2M7q4Z3w8"].concat())]
}

fn samples(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("readable").path();
        if path.is_dir() { samples(&path, found) } else { found.push(path) }
    }
    found.sort();
}

/// The offset in the file of a byte of the text that is copied verbatim.
fn source_of(session: &Session, offset: usize) -> Option<usize> {
    let byte = Span::new(offset, offset + 1);
    let [source] = session.sources(byte)[..] else { return None };
    (source.len() == 1 && session.file().read(source) == session.text().read(byte)).then_some(source.start)
}

/// Places of a sample at which a secret can be divided: a few of each kind.
fn places(session: &Session) -> Vec<Place> {
    let texts: Vec<Span> = session
        .document()
        .items()
        .iter()
        .filter_map(|item| match item {
            Item::Text(span) => Some(span),
            Item::Call(_) | Item::Result(_) | Item::Aside(_) => None,
        })
        .collect();
    // The last byte of a text that is not a line feed.
    let end_of = |span: &Span| (span.start..span.end).rev().find_map(|at| source_of(session, at)).map(|at| at + 1);
    let mut places = Vec::new();
    for text in &texts {
        let borders = session.borders(*text).into_iter();
        let fragments =
            borders.filter_map(|at| Some((source_of(session, at.checked_sub(1)?)? + 1, source_of(session, at)?)));
        places.extend(fragments.take(2).map(|(first, second)| Place { division: Fragments, first, second }));
        let middle = source_of(session, text.start + text.len() / 2);
        places.extend(middle.map(|at| Place { division: Lines, first: at, second: at }));
    }
    for pair in texts.windows(2) {
        let records = end_of(&pair[0]).zip(source_of(session, pair[1].start));
        places.extend(records.map(|(first, second)| Place { division: Records, first, second }));
    }
    // Texts that are read in another order than they have in the file are not neighbours in it.
    places.retain(|place| place.first <= place.second);
    places
}

/// A file with the pieces of a secret at a place; `feed` is a line end in the notation of the file.
fn planted(file: &[u8], place: &Place, [head, tail]: [&str; 2], feed: &str) -> Vec<u8> {
    let mut out = file[..place.first].to_vec();
    out.extend_from_slice(format!(" {head}{feed}").as_bytes());
    out.extend_from_slice(&file[place.first..place.second]);
    out.extend_from_slice(format!("{tail} ").as_bytes());
    out.extend_from_slice(&file[place.second..]);
    out
}

fn read(file: &[u8], name: &str) -> Session {
    let mut session =
        Session::new(Container::named(name).expect("it is known"), &transcope::dialect::Options::default());
    session.push(file);
    session.finish();
    session
}

/// The first bytes of a secret that are left in a text, also across its line ends.
fn leak<'s>(text: &str, secret: &'s str) -> Option<&'s str> {
    let joined: String = text.split('\n').map(str::trim).collect();
    let mut pieces = (0..=secret.len() - LEAK).map(|at| &secret[at..at + LEAK]);
    pieces.find(|piece| text.contains(*piece) || joined.contains(*piece))
}

#[test]
fn a_divided_secret_is_in_nothing_that_is_handed_on() {
    let each = (Config::default().cases as usize / 128).max(1);
    let mut paths = Vec::new();
    samples(&Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/containers"), &mut paths);
    let (mut tried, mut next_cut) = (BTreeMap::<Division, usize>::new(), 0);
    let mut faults = Vec::new();
    for path in paths {
        let original = fs::read(&path).expect("it can be read");
        let session = Session::from_bytes(&original);
        let Some(choice) = session.choice() else { continue };
        let places = places(&session);
        for (division, (name, secret)) in
            [Fragments, Records, Lines].into_iter().flat_map(|division| secrets().map(|secret| (division, secret)))
        {
            let of_division: Vec<&Place> = places.iter().filter(|place| place.division == division).collect();
            next_cut += 5;
            let all = 1..secret.len();
            let some = if original.len() <= SHORT { all.len() } else { each };
            let cuts =
                all.cycle().skip(next_cut % (secret.len() - 1)).step_by(if some == each { 7 } else { 1 }).take(some);
            for (cut, place) in cuts.zip(of_division.into_iter().cycle()) {
                let (head, tail) = secret.split_at(cut);
                let head = format!("{name}{head}");
                let wanted = match division {
                    Fragments => format!("{head}{tail}"),
                    Records | Lines => format!("{head}\n{tail}"),
                };
                let feeds: &[&str] = if division == Lines { &["\\n", "\\\\n", "\n"] } else { &[""] };
                let files = feeds.iter().map(|feed| planted(&original, place, [&head, tail], feed));
                let found = files.map(|file| read(&file, choice.about.name)).find(|session| {
                    let text = session.text().read_str(Span::new(0, session.text().len()));
                    text.contains(&wanted)
                });
                // At some places the file is read as something else.
                let Some(session) = found else { continue };
                *tried.entry(division).or_default() += 1;
                let leaks = leaks(&session, choice.about.name, &secret);
                let place = format!("{} {division:?}, {name} cut at {cut}", path.display());
                faults.extend(leaks.into_iter().map(|leak| format!("{place}: {leak}")));
            }
        }
    }
    tell(Promise::Secrets, "divided secrets", tried.values().sum());
    assert!(tried.len() == 3 && tried.values().all(|&tried| tried >= 20), "{tried:?} says little");
    assert_eq!(faults, Vec::<String>::new(), "{tried:?}");
}

/// All outputs of a session that still contain a part of a secret, with that part.
fn leaks(session: &Session, container: &str, secret: &str) -> Vec<String> {
    let mut redactor = Redactor::new(session, OwnPatterns::default());
    let mut report = Vec::new();
    json::write_transcript(&mut report, session, "a", Some(&redactor), None).expect("into memory");
    redactor.learn_file(session);
    let mut out = Vec::new();
    redactor.write_file(session, &mut out).expect("into memory");
    let again = read(&out, container);
    let text = again.text().read_str(Span::new(0, again.text().len())).into_owned();
    let report = String::from_utf8(report).expect("it is text").replace("\\n", "\n");
    [("file", String::from_utf8_lossy(&out).into_owned()), ("text", text), ("report", report)]
        .into_iter()
        .filter_map(|(what, made)| leak(&made, secret).map(|piece| format!("{what} has {piece}")))
        .collect()
}
