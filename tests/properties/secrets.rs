//! Detection rates: how many secrets are found in texts that people share, by kind, and how much other text is taken
//! for one.
//!
//! The kinds and the format of their values come from the issuers' documentation (`tests/data/secrets`), never from the
//! rules under test. Each value is generated at run time, is put alone into every [`Setting`], and counts as found if
//! nothing of it is left. Independent of how a secret is recognised.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use proptest::test_runner::Config;
use regex_syntax::hir::{Class, Hir, HirKind};
use transcope::redact::{OwnPatterns, Redactor};
use transcope::session::Session;

use super::figures::{Promise, tell};
use super::secret_settings::{Group, Kind, SETTINGS, Setting, is_left};
use super::snapshot;

/// Surrounding text, which must be kept.
pub const BEFORE: &str = "What stands in front of it stays.\n";
pub const BEHIND: &str = "\nWhat stands behind it stays.\n";

/// The lines of a file with kinds of secrets, without comments.
pub fn data(name: &str) -> Vec<String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/secrets").join(name);
    let text = fs::read_to_string(path).expect("it can be read");
    text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')).map(str::to_owned).collect()
}

fn kinds() -> Vec<Kind> {
    let [empty, value] = ["", "VALUE"].map(str::to_owned);
    let mut kinds = Vec::new();
    for line in data("forms.txt") {
        let (kind, pattern) = line.split_once(' ').expect("a kind and a pattern");
        let (kind, pattern) = (kind.to_owned(), pattern.trim().to_owned());
        kinds.push(Kind {
            word: kind,
            group: Group::Form,
            name: value.clone(),
            around: [empty.clone(), empty.clone()],
            pattern,
        });
    }
    for line in data("names.txt") {
        let mut words = line.split_ascii_whitespace().map(str::to_owned);
        let [kind, name, pattern] = [(); 3].map(|()| words.next().expect("a kind, a name and a pattern"));
        kinds.push(Kind { word: kind, group: Group::Name, name, around: [empty.clone(), empty.clone()], pattern });
    }
    for line in data("places.txt") {
        let (kind, rest) = line.split_once(' ').expect("a kind and a line");
        let (before, rest) = rest.trim().split_once('«').expect("a pattern");
        let (pattern, behind) = rest.split_once('»').expect("the end of a pattern");
        let around = [before, behind].map(|text| text.replace("\\n", "\n").replace("\\t", "\t").replace("()", ""));
        kinds.push(Kind {
            word: kind.to_owned(),
            group: Group::Place,
            name: "TEXT".to_owned(),
            around,
            pattern: pattern.to_owned(),
        });
    }
    kinds
}

/// Pseudo-random numbers that are the same in every run.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// A number below `end`.
    fn below(&mut self, end: usize) -> usize {
        // The generator SplitMix64.
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((mixed ^ (mixed >> 31)) % end as u64) as usize
    }
}

/// Appends a text that matches a pattern; all characters of a class are equally likely.
pub fn make(pattern: &Hir, random: &mut Random, out: &mut String) {
    match pattern.kind() {
        HirKind::Empty | HirKind::Look(_) => {}
        HirKind::Literal(literal) => out.push_str(std::str::from_utf8(&literal.0).expect("a pattern of text")),
        HirKind::Class(Class::Unicode(class)) => {
            let letters: Vec<char> = class.ranges().iter().flat_map(|range| range.start()..=range.end()).collect();
            out.push(letters[random.below(letters.len())]);
        }
        HirKind::Class(Class::Bytes(_)) => unreachable!("a pattern of text"),
        HirKind::Repetition(repeated) => {
            let most = repeated.max.expect("a pattern with an end") - repeated.min;
            for _ in 0..repeated.min as usize + random.below(most as usize + 1) {
                make(&repeated.sub, random, out);
            }
        }
        HirKind::Capture(group) => make(&group.sub, random, out),
        HirKind::Concat(parts) => parts.iter().for_each(|part| make(part, random, out)),
        HirKind::Alternation(parts) => make(&parts[random.below(parts.len())], random, out),
    }
}

/// Results for the values of all kinds in a setting.
#[derive(Default)]
struct Tally {
    /// By kind, the number of values tried and of values missed.
    kinds: BTreeMap<String, [usize; 2]>,
    values: usize,
}

#[test]
fn secrets_of_most_kinds_are_found_in_every_setting() {
    let cases = Config::default().cases;
    let each = (cases / 64).max(1);
    let mut tallies: BTreeMap<Setting, Tally> = BTreeMap::new();
    let (mut damaged, mut shown, mut examples) = (BTreeSet::new(), String::new(), Vec::new());
    let mut missed_of: BTreeMap<String, Vec<Setting>> = BTreeMap::new();
    let kinds = kinds();
    let mut random = Random::new(19);
    for kind in &kinds {
        let pattern = regex_syntax::parse(&kind.pattern).unwrap_or_else(|error| panic!("{}: {error}", kind.word));
        for _ in 0..each {
            let mut secret = String::new();
            make(&pattern, &mut random, &mut secret);
            for setting in SETTINGS {
                let Some((written, pieces)) = kind.written(setting, &secret) else { continue };
                let text = format!("{BEFORE}{written}{BEHIND}");
                let clean = Redactor::new(&Session::from_bytes(text.as_bytes()), OwnPatterns::default());
                let clean = clean.clean(&text).into_owned();
                let tally = tallies.entry(setting).or_default();
                tally.values += 1;
                let [tried, missed] = tally.kinds.entry(kind.word.clone()).or_default();
                *tried += 1;
                if pieces.iter().any(|piece| is_left(&clean, piece)) {
                    *missed += 1;
                    if *missed == 1 {
                        examples.push(format!("{} {setting:?}: {written:?} -> {clean:?}", kind.word));
                    }
                }
                if !(clean.starts_with(BEFORE) && clean.ends_with(BEHIND)) {
                    damaged.insert(format!("{} {setting:?}", kind.word));
                }
            }
        }
    }
    let mut few = Vec::new();
    for (setting, tally) in &tallies {
        // A kind counts as found if at most one in twenty values is missed.
        let missed: Vec<_> = tally.kinds.iter().filter(|(_, [tried, missed])| missed * 20 > *tried).collect();
        for (kind, _) in &missed {
            missed_of.entry((*kind).clone()).or_default().push(*setting);
        }
        let (tried, found) = (tally.kinds.len(), tally.kinds.len() - missed.len());
        tell(Promise::Secrets, "values", tally.values);
        let words = format!("{setting:?}: {found} of {tried} kinds, {:.1} %", 100.0 * found as f64 / tried as f64);
        writeln!(shown, "{words}").expect("into memory");
        few.extend((found * 100 < tried * 95).then_some(words));
    }
    tell(Promise::Secrets, "kinds", kinds.len());
    let many: Vec<_> = missed_of.iter().map(|(kind, settings)| format!("{kind}: {settings:?}")).collect();
    let always_found = kinds.len() - missed_of.len();
    writeln!(shown, "\nIn every setting: {always_found} of {}. Missed:\n{}", kinds.len(), many.join("\n"))
        .expect("into memory");
    assert_eq!(damaged, BTreeSet::new(), "what stands around a secret stays");
    assert_eq!(few, Vec::<String>::new(), "{shown}\n{}", examples.join("\n"));
    // With more cases another value may be missed.
    if cases == 256 {
        snapshot::matches("", "secrets", &shown);
    }
}

/// The files below a folder, except files with planted secrets.
fn files(folder: &Path) -> Vec<PathBuf> {
    let (mut folders, mut files) = (vec![folder.to_owned()], Vec::new());
    while let Some(inner) = folders.pop() {
        for entry in fs::read_dir(inner).into_iter().flatten().flatten() {
            let path = entry.path();
            let is_planted = path
                .strip_prefix(folder)
                .unwrap_or(&path)
                .components()
                .any(|part| ["redact", "secrets", "target", ".git"].iter().any(|name| part.as_os_str() == *name))
                || ["redaction.rs", "secrets.rs", "secrets.snap"].iter().any(|name| path.ends_with(name));
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => folders.push(path),
                Ok(kind) if kind.is_file() && !is_planted => files.push(path),
                _ => {}
            }
        }
    }
    files.sort();
    files
}

#[test]
fn next_to_nothing_else_is_taken_for_a_secret() {
    // To scan other code: `TRANSCOPE_CODE=FOLDER:FOLDER cargo test --release --test properties next_to_nothing`, and with
    // `TRANSCOPE_EVERY=8` every eighth of its files.
    let other = std::env::var_os("TRANSCOPE_CODE");
    let every = std::env::var("TRANSCOPE_EVERY").map_or(1, |every| every.parse().expect("a number"));
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folders =
        ["src", "crates", "tests", "samples", "benches", "examples", "docs", "themes"].map(|name| root.join(name));
    let paths: Vec<PathBuf> = match &other {
        Some(folders) => std::env::split_paths(folders).flat_map(|folder| files(&folder)).step_by(every).collect(),
        None => folders
            .iter()
            .flat_map(|folder| files(folder))
            .chain(["README.md", "Cargo.lock"].map(|name| root.join(name)))
            // Its families repeat secrets.
            .filter(|path| !path.starts_with(root.join("tests/growth")))
            .collect(),
    };
    let (mut bytes, mut found) = (0, Vec::new());
    for path in &paths {
        let Some(text) = fs::read(path).ok().and_then(|bytes| String::from_utf8(bytes).ok()) else { continue };
        bytes += text.len();
        let redactor = Redactor::new(&Session::from_bytes(text.as_bytes()), OwnPatterns::default());
        for (range, word) in redactor.spans(&text) {
            // The home folders of two made-up users are the only private details in the source.
            let is_private = path.starts_with(&folders[0]) && !word.starts_with("[user#");
            if word.starts_with("[secret:") || is_private {
                let start = text.floor_char_boundary(range.start.saturating_sub(40));
                found.push(format!("{} {word}: {:?} {:?}", path.display(), &text[start..range.start], &text[range]));
            }
        }
    }
    assert!(bytes > 1_000_000, "{bytes} bytes say nothing");
    let per_100_kb = found.len() as f64 * 100_000.0 / bytes as f64;
    let words = format!("{} in {bytes} bytes of {} files, {per_100_kb:.3} in 100 KB", found.len(), paths.len());
    tell(Promise::Secrets, "bytes without secrets", bytes);
    assert!(other.is_none(), "{words}:\n{}", found.join("\n"));
    assert!(per_100_kb < 0.1, "{words}:\n{}", found.join("\n"));
}
