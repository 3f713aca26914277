//! Shares of the secrets of made-up vendors that are found, in every setting: no list can have their kinds.
//!
//! Half of them, by the hash of their kind, are for writing rules: `TRANSCOPE_MISSED=1 cargo test --test properties
//! unlisted` lists the missed ones. Nothing of the other half is ever printed.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use transcope::redact::{OwnPatterns, Redactor};
use transcope::session::Session;

use super::secret_settings::{Group, Kind, SETTINGS, Setting, is_left};
use super::secrets::{Random, data, make};
use super::snapshot;

/// Least share of the values in percent in each setting.
const LEAST: usize = 90;

/// Values of each kind.
const EACH: usize = 8;

/// True for a kind of the half that rules are written for: the upper half of its FNV-1a hash is even.
fn is_seen(kind: &str) -> bool {
    let hash = kind
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    (hash >> 32).is_multiple_of(2)
}

fn kinds() -> Vec<Kind> {
    let kind = |line: &String| {
        let (kind, pattern) = line.split_once(' ').expect("a kind and a pattern");
        Kind {
            word: kind.to_owned(),
            group: Group::Form,
            name: "VALUE".to_owned(),
            around: ["", ""].map(str::to_owned),
            pattern: pattern.trim().to_owned(),
        }
    };
    data("unlisted.txt").iter().map(kind).collect()
}

#[test]
fn most_secrets_of_vendors_in_no_list_are_found_in_every_setting() {
    let mut tally: BTreeMap<(&str, Setting), [usize; 2]> = BTreeMap::new();
    let (mut missed, mut kinds_of) = (String::new(), BTreeMap::<&str, usize>::new());
    let mut random = Random::new(23);
    for kind in kinds() {
        let half = if is_seen(&kind.word) { "seen" } else { "held out" };
        *kinds_of.entry(half).or_default() += 1;
        let pattern = regex_syntax::parse(&kind.pattern).unwrap_or_else(|error| panic!("{}: {error}", kind.word));
        for _ in 0..EACH {
            let mut secret = String::new();
            make(&pattern, &mut random, &mut secret);
            for setting in SETTINGS {
                let Some((text, pieces)) = kind.written(setting, &secret) else { continue };
                let redactor = Redactor::new(&Session::from_bytes(text.as_bytes()), OwnPatterns::default());
                let clean = redactor.clean(&text);
                let is_found = !pieces.iter().any(|piece| is_left(&clean, piece));
                let [tried, found] = tally.entry((half, setting)).or_default();
                *tried += 1;
                *found += usize::from(is_found);
                if !is_found && half == "seen" {
                    writeln!(missed, "{} {setting:?}: {text:?} -> {clean:?}", kind.word).expect("into memory");
                }
            }
        }
    }
    assert!(kinds_of.values().all(|&number| number >= 30), "{kinds_of:?}");
    let (mut shown, mut few) = (String::new(), Vec::new());
    for ((half, setting), [tried, found]) in tally {
        let words = format!("{half}, {setting:?}: {found} of {tried}, {:.1} %", 100.0 * found as f64 / tried as f64);
        writeln!(shown, "{words}").expect("into memory");
        few.extend((found * 100 < tried * LEAST).then_some(words));
    }
    assert!(std::env::var_os("TRANSCOPE_MISSED").is_none(), "{missed}");
    assert_eq!(few, Vec::<String>::new(), "{shown}");
    snapshot::matches("", "unlisted_secrets", &shown);
}
