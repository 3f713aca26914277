//! Hostile texts for every profile of a parser: the literals of its grammar, repeated and nested.

use std::collections::BTreeSet;

use transcope::runtime::catalog::{all_releases, dialects};
use transcope::runtime::profile::Profile;
use transcope::runtime::{self, ToolRequest};
use transcope::value::tools::ToolSet;

use super::figures::{self, Promise};
use super::{OF_THREAD, grows_too_fast, growth};

/// Bytes of the smaller text.
const SIZE: usize = 1_000;

/// Maximum number of literals of a grammar that are tried, the longest first.
const MOST_LITERALS: usize = 12;

/// Parts that are repeated after the literals of a grammar: values that nest, and values that do not end.
const TAILS: [&str; 5] = ["{\"a\":", "[", "\"", "f(a=", "a\n"];

/// Profiles that take more steps on one of the texts, up to `MAX_STEPS`, with the reason.
const KNOWN: [(&str, &str); 3] = [
    ("inkling dynamo:inkling", "the reason is not known"),
    ("llama3-json sglang:llama3", "the parser decodes JSON again at each `{`, and none of these objects ends"),
    ("poolside-v1 ollama:laguna", "openers without a name are prose, each after a search for one that has a name"),
];

/// A text: its beginning, and the part that is repeated.
type Hostile = (String, String);

/// The literals repeated, each alone and all in the order of the grammar, and all of them before each tail.
fn texts(profile: &Profile) -> Vec<Hostile> {
    let literals = profile.whole.grammar.literals();
    let literals: Vec<&str> = literals.into_iter().filter(|literal| !literal.trim().is_empty()).collect();
    let all = literals.concat();
    let mut longest = literals.clone();
    longest.sort_by_key(|literal| std::cmp::Reverse(literal.len()));
    longest.truncate(MOST_LITERALS);
    let alone = longest.iter().map(|literal| (String::new(), (*literal).to_owned()));
    let before = longest.iter().map(|literal| ((*literal).to_owned(), format!("{literal}x")));
    let tails = TAILS.iter().map(|tail| (all.clone(), (*tail).to_owned()));
    let texts = alone.chain(before).chain([(String::new(), all.clone())]).chain(tails);
    texts.filter(|(_, part)| !part.is_empty()).collect()
}

#[test]
fn every_profile_takes_at_most_five_times_as_many_steps_for_four_times_as_much() {
    let tools = ToolSet::parse(br#"{"f": {"type": "object", "properties": {"a": {"type": "string"}}}}"#);
    let request = ToolRequest::with(tools.expect("tools"));
    let (mut faults, mut found, mut tried) = (BTreeSet::new(), BTreeSet::new(), 0);
    for profile in dialects().flat_map(all_releases) {
        for (start, part) in texts(profile) {
            let n = (SIZE / part.len()).max(1);
            let read = |n: usize| drop(runtime::read(profile, &format!("{start}{}", part.repeat(n)), &request));
            let steps = growth(OF_THREAD, n, read);
            tried += 1;
            if grows_too_fast(steps) {
                let name = format!("{} {}:{}", profile.dialect, profile.runtime, profile.parsers[0]);
                if !KNOWN.iter().any(|(known, _)| *known == name) {
                    faults.insert(format!("{name}: {start:?}, {part:?} {n} times: {steps:?} steps"));
                }
                found.insert(name);
            }
        }
    }
    let list: Vec<&str> = faults.iter().map(String::as_str).collect();
    assert!(faults.is_empty(), "{} of {tried} grow too fast:\n{}", faults.len(), list.join("\n"));
    assert_eq!(found.len(), KNOWN.len(), "these do, and no others: {found:?}");
    figures::tell(Promise::Growth, "profiles' texts", tried);
}
