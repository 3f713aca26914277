//! Counts how many recorded outcomes of the runtimes' parsers the profiles reproduce.
//!
//! A file below `tests/vectors/runtimes` has the name of its dialect. Its first line has the default tools; every other
//! line is a text with the outcome of each parser (`outcomes`), outcomes that differ when it came in chunks
//! (`streamed`), and outcomes that differ for a client of a server (`server`). A parser is named with its release,
//! `vllm@0.33.0:hermes`; without one it has the release in `FIRST`. An outcome with `ids: false` was recorded without the ids
//! of calls; one that is `wrong` was recorded wrongly, for the reason given, and is left out. All outcomes were
//! obtained by running the parsers.
//!
//! The counts are written into `crates/syntax/src/runtime/conformance.tsv`, which the program shows.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use serde_json::Value;
use transcope::runtime::catalog::ParserRelease;
use transcope::runtime::{Outcome, RuntimeName, RuntimeReading, catalog, read, read_served, read_streamed};

use crate::recorded::{self, RecordedText};
use crate::recorded_outcome::is_same;

/// Least percentage of outcomes of a parser that are reproduced, for these dialects.
const LEAST: usize = 99;

/// Least percentage of all outcomes of these runtimes that are reproduced.
const LEAST_OF_RUNTIMES: [(&str, usize); 5] =
    [("smg", 99), ("ollama", 95), ("dynamo", 95), ("lmdeploy", 99), ("tabby", 99)];

/// The releases of outcomes that name none.
const FIRST: [(&str, &str); 6] = [
    ("vllm", "0.28.0"),
    ("sglang", "0.5.23"),
    ("llama.cpp", "3f545becce"),
    ("mlx-lm", "d78bf58e21"),
    ("hf", "5.23.0+trl1.15.0"),
    ("harmony", "0.0.8"),
];

/// Dialects that are in wide use.
const PRINCIPAL: [&str; 17] = [
    "deepseek-v3",
    "deepseek-v31",
    "deepseek-v32",
    "gemma4",
    "glm45",
    "glm47",
    "harmony",
    "hermes",
    "kimi-k2",
    "lfm2",
    "llama3-json",
    "minimax-m2",
    "mistral-args",
    "mistral-array",
    "pythonic",
    "qwen3-coder",
    "trinity",
];

#[test]
fn the_table_of_conformance_says_what_is_reproduced() {
    let mut table = "dialect\truntime\tversion\tparser\treproduced\trecorded\tserved\tof\n".to_owned();
    let mut low = Vec::new();
    let texts = recorded::texts();
    for texts in texts.chunk_by(|(one, _), (other, _)| one.dialect == other.dialect) {
        let dialect = &texts[0].0.dialect;
        let mut all = (0, 0);
        let of_servers = count_other(texts, "server", served);
        for ([runtime, version, parser], (same, of)) in count(texts) {
            let is_newest = catalog::runtime(&runtime).is_some_and(|runtime| runtime.releases[0].version == version);
            let of_server = of_servers.get(&parser).filter(|_| runtime == "vllm" && is_newest);
            let of_server = of_server.map(|(same, of)| format!("\t{same}\t{of}")).unwrap_or_default();
            let _ = writeln!(table, "{dialect}\t{runtime}\t{version}\t{parser}\t{same}\t{of}{of_server}");
            all = (all.0 + same, all.1 + of);
        }
        if PRINCIPAL.contains(&dialect.as_str()) && all.0 * 100 < all.1 * LEAST {
            low.push(format!("{dialect}: {} of {}", all.0, all.1));
        }
    }
    let (counts, faults) = faults(&texts);
    for (runtime, least) in LEAST_OF_RUNTIMES {
        let (of, faults) = (counts.get(runtime).copied().unwrap_or(0), faults.get(runtime));
        let wrong: usize = faults.into_iter().flat_map(BTreeMap::values).map(Vec::len).sum();
        if of == 0 || (of - wrong) * 100 < of * least {
            low.push(format!("{runtime}: {wrong} of {of} differ: {faults:#?}"));
        }
    }
    assert!(low.is_empty(), "less than {LEAST} % of what was recorded is reproduced:\n{}", low.join("\n"));
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("crates/syntax/src/runtime/conformance.tsv");
    if std::env::var_os("INSTA_UPDATE").is_some_and(|value| value == "always") {
        fs::write(&path, &table).expect("the table can be written");
    }
    let written = fs::read_to_string(&path).expect("the table is there");
    assert_eq!(written, table, "write the table anew: INSTA_UPDATE=always cargo test --test corpus conformance");
}

/// A recorded outcome of one parser, and the profile's outcome.
struct Compared {
    runtime: String,
    version: String,
    parser: String,
    /// The recorded outcome, without ids if none were recorded; `None` if the parser raised.
    recorded: Option<Value>,
    /// The profile's outcome, likewise; `None` if there is no profile.
    read: Option<Outcome>,
}

/// All recorded outcomes of a text.
fn compared((text, line): &(RecordedText, Value)) -> Vec<Compared> {
    let RecordedText { dialect, text, request } = text;
    let mut out = Vec::new();
    let right = |outcome: &&Value| outcome.get("wrong").is_none();
    for outcome in line["outcomes"].as_array().into_iter().flatten().filter(right) {
        for who in outcome["who"].as_array().into_iter().flatten().filter_map(Value::as_str) {
            let (runtime, parser) = who.split_once(':').expect("a runtime and a parser");
            let first = FIRST.iter().find(|(name, _)| *name == runtime).map(|(_, version)| *version);
            let named = runtime.split_once('@').or(first.map(|version| (runtime, version)));
            let (runtime, version) = named.expect("a known runtime");
            let name: RuntimeName = format!("{runtime}@{version}:{parser}").parse().expect(who);
            let mut read = catalog::named(dialect, std::slice::from_ref(&name))
                .next()
                .map(|parser| read(parser.profile, text, request).outcome);
            if let Some(read) = read.as_mut().filter(|_| outcome["ids"] == false) {
                read.calls.iter_mut().for_each(|call| call.id = None);
            }
            let recorded = outcome.get("error").is_none().then(|| outcome.clone());
            let [runtime, version, parser] = [runtime, version, parser].map(str::to_owned);
            out.push(Compared { runtime, version, parser, recorded, read });
        }
    }
    out
}

/// Texts by dialect and parser, and by what differs from the recorded outcome.
type Faults = BTreeMap<(String, &'static str), Vec<String>>;

/// By runtime, the number of outcomes, and the texts whose outcomes are not reproduced; of those in `LEAST_OF_RUNTIMES`.
fn faults(texts: &[(RecordedText, Value)]) -> (BTreeMap<String, usize>, BTreeMap<String, Faults>) {
    let (mut counts, mut faults) = (BTreeMap::new(), BTreeMap::<String, Faults>::new());
    for text in texts {
        for Compared { runtime, parser, recorded, read, .. } in compared(text) {
            if !LEAST_OF_RUNTIMES.iter().any(|(name, _)| *name == runtime) {
                continue;
            }
            *counts.entry(runtime.clone()).or_default() += 1;
            if let Some(differs) = difference(recorded.as_ref(), read.as_ref()) {
                let parser = (format!("{} {parser}", text.0.dialect), differs);
                faults.entry(runtime).or_default().entry(parser).or_default().push(text.0.text.clone());
            }
        }
    }
    (counts, faults)
}

/// The first thing in which an outcome differs from the recorded one; `None` if they are the same.
fn difference(recorded: Option<&Value>, read: Option<&Outcome>) -> Option<&'static str> {
    let Some(read) = read else { return Some("no profile") };
    if is_same(recorded, read) {
        return None;
    }
    let (recorded, read) = (plain(recorded), plain_outcome(read));
    let calls = |outcome: &Value, at: usize| -> Vec<Value> {
        outcome[2].as_array().into_iter().flatten().map(|call| call[at].clone()).collect()
    };
    Some(match () {
        () if recorded == "raised" || read == "raised" => "error",
        () if calls(&recorded, 0) != calls(&read, 0) => "calls",
        () if calls(&recorded, 1) != calls(&read, 1) => "arguments",
        () if recorded[1] != read[1] => "reasoning",
        () if recorded[0] != read[0] => "content",
        () => "ids",
    })
}

/// By runtime, release and parser: the number of reproduced outcomes, and of recorded ones.
fn count(texts: &[(RecordedText, Value)]) -> BTreeMap<[String; 3], (usize, usize)> {
    let mut counts = BTreeMap::new();
    for Compared { runtime, version, parser, recorded, read } in texts.iter().flat_map(compared) {
        let same = read.is_some_and(|read| is_same(recorded.as_ref(), &read));
        let count: &mut (usize, usize) = counts.entry([runtime, version, parser]).or_default();
        *count = (count.0 + usize::from(same), count.1 + 1);
    }
    counts
}

/// For two releases of a parser, the profiles differ on exactly those texts on which the recorded outcomes do. Texts
/// for which a profile reproduces neither outcome are skipped.
#[test]
fn releases_differ_on_the_texts_that_moved_and_on_no_others() {
    let (mut faults, mut moved, mut unmoved) = (Vec::new(), 0, 0);
    for text in &recorded::texts() {
        let all = compared(text);
        for (number, one) in all.iter().enumerate() {
            let same_parser = |other: &&Compared| {
                (&other.runtime, &other.parser) == (&one.runtime, &one.parser) && other.version != one.version
            };
            let Some(other) = all[number + 1..].iter().find(same_parser) else { continue };
            let (Some(read), Some(read_by_other)) = (&one.read, &other.read) else { continue };
            let of_recorded = plain(one.recorded.as_ref()) != plain(other.recorded.as_ref());
            let of_read = plain_outcome(read) != plain_outcome(read_by_other);
            *if of_recorded { &mut moved } else { &mut unmoved } += 1;
            if of_recorded != of_read {
                let verb = if of_recorded { "moved" } else { "did not move" };
                faults.push(format!("{}:{} {verb}: {:?}", one.runtime, one.parser, text.0.text));
            }
        }
    }
    assert!(moved >= 50 && unmoved >= 1_000, "only {moved} and {unmoved} outcomes");
    assert!(faults.len() * 200 <= moved + unmoved, "{} of {}:\n{}", faults.len(), moved + unmoved, faults.join("\n"));
}

/// Parsers of vLLM 0.33 whose streaming no rule describes: what they send depends on the chunks.
const PIECEMEAL: [&str; 2] = ["jamba", "xlam"];

/// Without a separate outcome for chunks, a text gives the same in chunks as whole, except for whitespace around the
/// content.
#[test]
fn texts_in_pieces_are_read_as_vllm_streams_them() {
    let in_pieces = |release: &ParserRelease, text: &RecordedText| {
        Some(read_streamed(release.profile, &text.text, &text.request).unwrap_or_else(|| whole(release, text)).outcome)
    };
    let mut counts = count_other(&recorded::texts(), "streamed", in_pieces);
    counts.retain(|parser, _| !PIECEMEAL.contains(&parser.as_str()));
    assert_most_are_reproduced(&counts);
}

/// Without a separate outcome for a server, a text gives the same there as in the parser alone.
#[test]
fn texts_are_read_as_servers_of_vllm_deliver_them() {
    assert_most_are_reproduced(&count_other(&recorded::texts(), "server", served));
}

fn whole(release: &ParserRelease, text: &RecordedText) -> RuntimeReading {
    read(release.profile, &text.text, &text.request)
}

fn served(release: &ParserRelease, text: &RecordedText) -> Option<Outcome> {
    Some(read_served(release.profile, release.parser, &text.text, &text.request)?.outcome)
}

fn assert_most_are_reproduced(counts: &BTreeMap<String, (usize, usize)>) {
    const LEAST: usize = 97;
    let (same, of) = counts.values().fold((0, 0), |(same, of), count| (same + count.0, of + count.1));
    assert!(of > 2_500 && same * 100 >= of * LEAST, "{same} of {of}: {counts:?}");
}

/// By parser of vLLM 0.33, the number of reproduced outcomes under other conditions, and of all: those recorded under
/// `key`, and by default the outcome of the whole text in the parser alone.
fn count_other(
    texts: &[(RecordedText, Value)],
    key: &str,
    read: impl Fn(&ParserRelease, &RecordedText) -> Option<Outcome>,
) -> BTreeMap<String, (usize, usize)> {
    const RELEASE: &str = "vllm@0.33.0:";
    let mut counts: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    for (text, line) in texts {
        let outcomes = |key: &str| line[key].as_array().into_iter().flatten().filter(|found| found["wrong"].is_null());
        let names = |outcome: &Value| outcome["who"].as_array().into_iter().flatten().cloned().collect::<Vec<_>>();
        for (outcome, who) in
            outcomes("outcomes").flat_map(|outcome| names(outcome).into_iter().map(move |who| (outcome, who)))
        {
            let Some(parser) = who.as_str().and_then(|who| who.strip_prefix(RELEASE)) else { continue };
            let name: RuntimeName = format!("{RELEASE}{parser}").parse().expect(parser);
            let Some(release) = catalog::named(&text.dialect, std::slice::from_ref(&name)).next() else { continue };
            let Some(mut own) = read(&release, text) else { continue };
            let other = outcomes(key).find(|outcome| names(outcome).contains(&who));
            let mut expected = other.unwrap_or(outcome).clone();
            if expected["ids"] == false {
                own.calls.iter_mut().for_each(|call| call.id = None);
            }
            if other.is_none() && key == "streamed" {
                let trimmed =
                    |text: Option<&str>| text.map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned);
                own.content = trimmed(own.content.as_deref());
                expected["content"] = trimmed(expected["content"].as_str()).into();
            }
            let is_same = is_same(expected.get("error").is_none().then_some(&expected), &own);
            let count = counts.entry(parser.to_owned()).or_default();
            *count = (count.0 + usize::from(is_same), count.1 + 1);
        }
    }
    counts
}

/// A recorded outcome without ids; the kind of an exception does not matter.
fn plain(recorded: Option<&Value>) -> Value {
    let Some(recorded) = recorded else { return Value::from("raised") };
    let call = |call: &Value| serde_json::json!([call["name"], call["arguments"]]);
    let calls: Vec<Value> = recorded["calls"].as_array().into_iter().flatten().map(call).collect();
    serde_json::json!([recorded["content"].as_str().filter(|text| !text.is_empty()), recorded["reasoning"], calls])
}

/// The same for a profile's outcome.
fn plain_outcome(outcome: &Outcome) -> Value {
    let recorded = outcome.error.is_none().then(|| serde_json::json!(outcome));
    plain(recorded.as_ref())
}
