//! Module names consist of words that a reader would search for: words of the glossary in ARCHITECTURE.md, names of
//! what is read and written (dialects, containers, formats), and common terms.
//!
//! A new module takes its name from there, or adds a word: a row in the glossary if we have to explain it, a word in
//! the list below if every programmer knows it. No word names whatever happens to occur in a file (`going`).

use std::collections::BTreeSet;

use super::source::{read, root, sources};

/// Most rows of the glossary: no one learns more.
const MOST_TERMS: usize = 40;

/// Words that need no explanation, by topic.
const PLAIN: &[&str] = &[
    // text, bytes and parsing
    "alias assemble attribute chunk merge handover shared block body boundary bounded bracket build builder byte cast coerce coercion colour column context declaration declared delimited detect dissect element embedded encoding expected fault",
    "field edit engine flatten flavour form fragment header heading key language layout lexer line literal lookahead machine malformed marked markup nested number object offset output paste",
    "pair parse parser pattern prefilter read recovery reparse reader reading regex rule scalar scanner schema shape split stretch string structural syntax tag tagged template term text typo",
    "unescape window word wrap writer",
    // how other programs read a message
    "behaviour compact condition conformance draft dynamo entity erased expression fact grammar lmdeploy model notation reason reference release server smg transformer type typed unclosed unread",
    // data and algorithms
    "database snapshot stub",
    "address align answer argument batch cache candidate catalog cell change check checksum choice completion content cycle detail entry file final group hash id index indexer input",
    "layer lib loss main manifest matcher matches matrix member omission operator option order outcome parallel part path place plan projection query queue rate registry set sidecar since snippet statistics step store table timestamp tree variant verify upgrade walk wording worker",
    "count cancel derived overlap skipped",
    // the system
    "clock disk exit guardian interruption library made signal small system whole",
    // formats, languages, services
    "archive csv decoder format github gzip html http import javascript linear markdown mermaid message ndjson parquet python sarif sse utf16 workflow yaml zstd",
    // declared by others
    "haystack load refusal region relaxed sample",
    // sharing
    "baseline bundle escape issue kubernetes name pem privacy probability published quote random surrounding token web",
    // prompts
    "gguf growth iterable learn mark method prefix probe provenance recorded render rewrite roundtrip",
    // commands
    "compare comparison config convert cost diff doctor explain export filter finding fix folder follow grep inventory man redact redaction report save saved tee",
    "stats test proposal show written observation",
    // the screen
    "action age arrival background bar canvas card chrome clipboard close continuation copy depth editor external folds geometry guard guide help",
    "highlight hint history jump keyboard keymap legend list location mouse navigation outline overlay overview paint palette panic pending preview prompt question raw row",
    "presentation sanitize scroll search selection sequence setting stable statistic status style tail terminal theme throughput timeline total",
    "synonym title transcript tui update unit viewport widget",
    // events
    "alert delivery discovery failure finder graph job opener origin problem turn",
    // a session
    "activity attachment axis compaction duration figure info price program subagent summary time usage",
];

/// The terms of the glossary, from its table.
fn terms() -> Vec<String> {
    let text = read(&root().join("ARCHITECTURE.md"));
    let section = text.split("\n## Glossary\n").nth(1).expect("ARCHITECTURE.md has a glossary");
    let section = section.split("\n## ").next().unwrap_or(section);
    let rows = section.lines().filter_map(|line| line.strip_prefix("| ")?.split(" |").next());
    rows.filter(|term| *term != "term").map(|term| term.trim().to_lowercase()).collect()
}

/// A word of a name in the form of the lists: `keys` is `key`.
fn singular(word: &str) -> String {
    match word {
        _ if word.ends_with("ies") => format!("{}y", &word[..word.len() - 3]),
        _ if word.ends_with("ss") || word.len() < 3 => word.to_owned(),
        _ => word.strip_suffix('s').unwrap_or(word).to_owned(),
    }
}

fn words_of(names: impl IntoIterator<Item = impl AsRef<str>>) -> BTreeSet<String> {
    let split = |name: &str| name.split(|c: char| !c.is_alphanumeric()).map(singular).collect::<Vec<_>>();
    names.into_iter().flat_map(|name| split(name.as_ref())).filter(|word| !word.is_empty()).collect()
}

/// The names of dialects and containers, which are the names of the folders with their samples.
fn formats() -> Vec<String> {
    let samples = root().join("samples");
    let folders = [samples.clone(), samples.join("containers")].into_iter().flat_map(|folder| {
        let entries = folder.read_dir().expect("the samples are there");
        entries.map(|entry| entry.expect("readable")).filter(|entry| entry.path().is_dir())
    });
    folders.map(|entry| entry.file_name().to_str().expect("a plain name").to_owned()).collect()
}

/// True if every word of a module's name is known.
fn is_known(name: &str, words: &BTreeSet<String>) -> bool {
    name.split('_').all(|word| words.contains(word) || words.contains(&singular(word)))
}

fn known_words() -> BTreeSet<String> {
    let plain = PLAIN.iter().map(|&words| words.to_owned());
    words_of(terms().into_iter().chain(formats()).chain(plain))
}

#[test]
fn every_module_has_a_name_that_one_would_search_for() {
    let known = known_words();
    let names: BTreeSet<&str> = sources().keys().filter_map(|name| name.rsplit('/').next()).collect();
    let mut faults = Vec::new();
    for name in &names {
        if !is_known(name, &known) {
            faults.push(format!("{name}: no word of the glossary, and not in the list of plain ones"));
        }
    }
    super::none(&faults);
}

#[test]
fn every_plain_word_is_used() {
    let used = words_of(sources().keys());
    let elsewhere = words_of(terms().into_iter().chain(formats()));
    let plain: Vec<&str> = PLAIN.iter().flat_map(|words| words.split(' ')).collect();
    let mut faults = Vec::new();
    for (index, word) in plain.iter().enumerate() {
        if plain[..index].contains(word) || elsewhere.contains(&singular(word)) {
            faults.push(format!("{word}: stands twice, or in the glossary"));
        } else if !used.contains(&singular(word)) {
            faults.push(format!("{word}: names no module"));
        }
    }
    super::none(&faults);
}

#[test]
fn the_glossary_is_short_and_in_order() {
    let terms = terms();
    assert!((20..=MOST_TERMS).contains(&terms.len()), "{} terms", terms.len());
    assert!(terms.is_sorted(), "{terms:?}");
}

#[test]
fn a_name_that_nobody_would_search_for_is_refused() {
    let known = known_words();
    for (name, expected) in [
        ("going", false),
        ("taking", false),
        ("eventing", false),
        ("look_going", false),
        ("utils", false),
        ("json_text", true),
        ("near_miss", true),
        ("claude_code", true),
        ("queries", true),
    ] {
        assert_eq!(is_known(name, &known), expected, "{name}");
    }
}
