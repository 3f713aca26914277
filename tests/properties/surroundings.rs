//! Shares of the secrets that their surroundings tell and that are found: in SQL, in options of commands, next to a
//! user name, in tables, in other languages, and so on.
//!
//! Half of the lines, by their hash, are for writing rules: `TRANSCOPE_MISSED=1 cargo test --test properties
//! surroundings` lists the missed ones. Nothing of the other half is ever printed.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use transcope::redact::{OwnPatterns, Redactor};
use transcope::session::Session;

use super::secret_settings::{Group, Kind, SURROUNDING_SETTINGS, Setting, is_left};
use super::secrets::{BEFORE, BEHIND, Random, data, make};
use super::snapshot;

/// Least share in percent in each setting.
const LEAST: usize = 85;

/// Values tried of each line.
const VALUES: usize = 2;

fn kinds(file: &str) -> Vec<Kind> {
    let kind = |line: &String| {
        let (kind, rest) = line.split_once(' ').expect("a kind and a line");
        let (before, rest) = rest.trim().split_once('«').expect("a pattern");
        let (pattern, behind) = rest.split_once('»').expect("the end of a pattern");
        Kind {
            word: kind.to_owned(),
            group: Group::Place,
            name: "TEXT".to_owned(),
            around: [before, behind].map(unescaped),
            pattern: pattern.replace("()", ""),
        }
    };
    data(file).iter().map(kind).collect()
}

/// The text of a case: `\n` is a line feed, `\t` a tab, `\\` a backslash.
fn unescaped(text: &str) -> String {
    let text = text.replace("()", "");
    let mut parts = text.split("\\\\").map(|part| part.replace("\\n", "\n").replace("\\t", "\t"));
    let first = parts.next().expect("a split has a part");
    parts.fold(first, |out, part| out + "\\" + &part)
}

/// Number of values tried and found, by setting and by family; adds the missed ones to `missed`.
#[derive(Default)]
struct Tally {
    settings: BTreeMap<Setting, [usize; 2]>,
    families: BTreeMap<String, [usize; 2]>,
    missed: String,
    damaged: Vec<String>,
}

fn tally(kinds: &[Kind]) -> Tally {
    let (mut tally, mut random) = (Tally::default(), Random::new(23));
    for kind in kinds {
        let pattern = regex_syntax::parse(&kind.pattern).unwrap_or_else(|error| panic!("{}: {error}", kind.word));
        let family = kind.word.split('.').next().unwrap_or_default();
        for _ in 0..VALUES {
            let mut secret = String::new();
            make(&pattern, &mut random, &mut secret);
            for setting in SURROUNDING_SETTINGS {
                let Some((written, pieces)) = kind.written(setting, &secret) else { continue };
                let text = format!("{BEFORE}{written}{BEHIND}");
                let redactor = Redactor::new(&Session::from_bytes(text.as_bytes()), OwnPatterns::default());
                let clean = redactor.clean(&text);
                let is_found = !pieces.iter().any(|piece| is_left(&clean, piece));
                let counts =
                    [tally.settings.entry(setting).or_default(), tally.families.entry(family.to_owned()).or_default()];
                for [tried, found] in counts {
                    *tried += 1;
                    *found += usize::from(is_found);
                }
                if !is_found {
                    writeln!(tally.missed, "{} {setting:?}: {written:?}", kind.word).expect("into memory");
                }
                if !(clean.starts_with(BEFORE) && clean.ends_with(BEHIND)) {
                    tally.damaged.push(format!("{} {setting:?}", kind.word));
                }
            }
        }
    }
    tally
}

#[test]
fn most_secrets_are_found_by_their_surroundings_in_every_setting() {
    let (mut shown, mut few, mut missed, mut damaged) = (String::new(), Vec::new(), String::new(), Vec::new());
    for (half, file) in [("seen", "surroundings.txt"), ("held out", "held_out_surroundings.txt")] {
        let tally = tally(&kinds(file));
        let settings = tally.settings.iter().map(|(setting, counts)| (format!("{setting:?}"), counts));
        let families = tally.families.iter().map(|(family, counts)| (family.clone(), counts));
        for (name, [tried, found]) in settings.chain(families) {
            let words = format!("{half}, {name}: {found} of {tried}, {:.1} %", 100.0 * *found as f64 / *tried as f64);
            writeln!(shown, "{words}").expect("into memory");
            let is_setting = name.starts_with(|c: char| c.is_ascii_uppercase());
            few.extend((is_setting && found * 100 < tried * LEAST).then_some(words));
        }
        damaged.extend(tally.damaged);
        if half == "seen" {
            missed = tally.missed;
        }
    }
    assert!(std::env::var_os("TRANSCOPE_MISSED").is_none(), "{missed}");
    assert_eq!(damaged, Vec::<String>::new(), "what stands around a secret stays");
    assert_eq!(few, Vec::<String>::new(), "{shown}");
    snapshot::matches("", "surroundings", &shown);
}
