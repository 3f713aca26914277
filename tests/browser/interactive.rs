//! The interactive form: its filter agrees with ours, and folds, keys and selection work as on the screen.

use std::fs;
use std::path::Path;

use serde_json::json;
use transcope::filter::{Filter, Selection};
use transcope::session::Session;

use super::chromium::Browser;
use super::page;

/// Files and expressions whose items are compared.
const SAMPLES: [&str; 10] = [
    "containers/claude-code/late-ferry.jsonl",
    "containers/claude-code/what-tools-say.jsonl",
    "containers/claude-code/side-by-side.jsonl",
    "containers/openai-responses/answer.json",
    "gadget/dependency-mistakes.txt",
    "gadget/array-mistakes.txt",
    "gadget/incident-response.txt",
    "demo.txt",
    "mixed.txt",
    "../crates/session/src/filter/tests/session_facts.jsonl",
];

const EXPRESSIONS: [&str; 51] = [
    "failed",
    "not failed",
    "rejected",
    "skipped",
    "!skipped",
    "open",
    "has:problem",
    "has:error or has:warning",
    "has:hint",
    "has:result",
    "is:call",
    "is:result",
    "is:text",
    "is:reasoning",
    "is:envelope",
    "IS:CALL",
    "role:user",
    "role:assistant",
    "role:tool",
    "role:human",
    "tool:Read",
    "tool:r*",
    "tool:*a*",
    "tool:\"*\"",
    "id:toolu_01A",
    "id:t*",
    "dialect:gadget",
    "dialect:native",
    "code:*dependency*",
    "code:duplicate-*",
    "the",
    "The",
    "\"the c\"",
    "a not (the or is:call)",
    "is:text and (e or a) or failed",
    "\"not\"",
    "turn:1",
    "turn:2..",
    "turn:..1 is:call",
    "turn:last",
    "is:turn",
    "is:subagent",
    "is:compaction",
    "took>=1s",
    "took<1.5s",
    "not took>1m",
    "after:5s",
    "before:1m4s",
    "after:2025-09-03",
    "before:\"2025-09-03 06:12:06\"",
    "agent:*",
];

#[test]
fn the_filter_of_a_page_selects_what_ours_selects() {
    let Some(mut browser) = Browser::start() else { return };
    let folder = tempfile::tempdir().expect("a folder can be made");
    let mut selected = vec![0; EXPRESSIONS.len()];
    for name in SAMPLES {
        let Ok(text) = fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("samples").join(name)) else {
            panic!("{name} is no sample");
        };
        let session = Session::from_bytes(&text);
        browser.open(&page(folder.path(), "a", &text, &["--interactive"]));
        // Blank text has no element.
        let shown =
            browser.evaluate("Array.from(document.querySelectorAll('[data-is]'), (item) => Number(item.id.slice(1)))");
        let shown: Vec<usize> = serde_json::from_value(shown).expect("numbers");
        assert!(shown.len() > 3, "{name}");
        for (number, expression) in EXPRESSIONS.iter().enumerate() {
            let ours = Selection::new(&Filter::parse(expression).expect("a filter"), &session);
            let ours: Vec<usize> = shown.iter().copied().filter(|&item| ours.contains(item)).collect();
            let theirs = browser.evaluate(&format!(
                "{};
                 Array.from(document.querySelectorAll('[data-is]:not([hidden], [data-around])'), (item) => Number(item.id.slice(1)))",
                typed(expression)
            ));
            assert_eq!(theirs, json!(ours), "{expression} in {name}");
            let fault =
                browser.evaluate("document.querySelector('[aria-invalid]') && document.getElementById('found').value");
            assert_eq!(fault, json!(null), "{expression}");
            selected[number] += ours.len();
        }
        assert_eq!((browser.requests(), browser.words()), (vec![], vec![]), "{name}");
    }
    let nothing: Vec<&str> =
        EXPRESSIONS.iter().zip(selected).filter(|(_, items)| *items == 0).map(|row| *row.0).collect();
    assert_eq!(nothing, ["tool:\"*\""], "expressions that no sample answers");
}

/// A script that types an expression and applies it immediately.
fn typed(expression: &str) -> String {
    format!(
        "(() => {{ const box = document.getElementById('filter'); box.value = {};
           box.dispatchEvent(new KeyboardEvent('keydown', {{ key: 'Enter', bubbles: true }})); }})()",
        json!(expression)
    )
}

#[test]
fn an_invalid_filter_is_explained_and_ignored() {
    let Some(mut browser) = Browser::start() else { return };
    let folder = tempfile::tempdir().expect("a folder can be made");
    let text = fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/demo.txt")).expect("readable");
    browser.open(&page(folder.path(), "a", &text, &["--interactive"]));
    browser.evaluate(&typed("is:call"));
    let calls = browser.evaluate("document.querySelectorAll('[data-is]:not([hidden], [data-around])').length");
    for (expression, words) in [
        ("failed (", "a term is missing, such as failed or tool:Bash"),
        ("failed or", "a term is missing, such as failed or tool:Bash"),
        ("(failed", "unclosed parenthesis"),
        ("failed)", "closing parenthesis without an opening one"),
        ("\"x", "unclosed quotation mark"),
        ("tool:", "tool: without a value"),
        ("role:nobody", "unknown role: write one of user, assistant, tool, system"),
        ("arg:path", "arg: is for the command line: transcope export --filter"),
        ("dep>2", "dep is for the command line: transcope export --filter"),
        ("/x/", "/regex/ is for the command line: transcope export --filter"),
        ("turn:0", "not a turn: write turn:3, turn:2..5 or turn:last"),
        ("turn:..", "not a turn: write turn:3, turn:2..5 or turn:last"),
        ("took>10", "not a duration: write took>10s, took<500ms or took>=1m"),
        ("after:noon", "not a time: write after:2026-01-31, after:2026-01-31T10:00 or after:5m"),
        ("what:ever", "unknown term \"what:\"; to look for a text with a colon, quote it"),
    ] {
        browser.evaluate(&typed(expression));
        let state = browser.evaluate(
            "[document.getElementById('found').value, document.getElementById('filter').getAttribute('aria-invalid'),
              document.querySelectorAll('[data-is]:not([hidden], [data-around])').length]",
        );
        assert_eq!(state, json!([words, "true", calls]), "{expression}");
        assert!(expression.contains([':', '>', '/']) || Filter::parse(expression).is_err(), "{expression}");
    }
    browser.press("Escape");
    browser.evaluate("document.getElementById('filter').focus()");
    browser.press("Escape");
    assert_eq!(browser.evaluate("document.querySelectorAll('[data-is][hidden]').length"), json!(0));
}

/// A text with three calls, the second of which is rejected.
const CALLS: &str = "Look.\n!!!GADGET_START:Send:s\n!!!ARG:to/name\nada\n!!!ARG:to/age\n7\n!!!GADGET_END\nThen.\n\
    !!!GADGET_START:Mark:m\n!!!ARG:x\n1\n!!!ARG:x\n2\n!!!GADGET_END\n!!!GADGET_START:Last:l\n!!!GADGET_END\n";

#[test]
fn a_value_and_its_bytes_are_selected_together() {
    let Some(mut browser) = Browser::start() else { return };
    let folder = tempfile::tempdir().expect("a folder can be made");
    let path = page(folder.path(), "a.txt", CALLS.as_bytes(), &["--interactive"]);
    browser.open(&path);
    let chosen = "[Array.from(document.querySelectorAll('.chosen'), (element) => element.textContent), location.hash]";
    for (click, expected) in [
        ("dl dd:last-of-type", json!([["age", "7", "to/age", "7"], "#i1-3"])),
        (".raw span[data-n='2']", json!([["name", "ada", "to/name", "ada"], "#i1-2"])),
        // The span of an object covers its contents.
        ("dl dt", json!([["to", "", "to/name", "ada", "to/age", "7"], "#i1-1"])),
    ] {
        browser.evaluate(&format!("document.querySelector(\"{click}\").click()"));
        assert_eq!(browser.evaluate(chosen), expected, "{click}");
    }
    browser.open_at(&path, "#i1-3");
    assert_eq!(browser.evaluate(chosen), json!([["age", "7", "to/age", "7"], "#i1-3"]));
    assert_eq!((browser.requests(), browser.words()), (vec![], vec![]));
}

#[test]
fn keys_go_where_they_go_on_the_screen() {
    let Some(mut browser) = Browser::start() else { return };
    let folder = tempfile::tempdir().expect("a folder can be made");
    browser.open(&page(folder.path(), "a.txt", CALLS.as_bytes(), &["--interactive"]));
    for (key, place, words) in [
        ("j", "#i0", "Look."),
        ("j", "#i1", "Send"),
        ("j", "#i1-1", "to"),
        ("j", "#i1-2", "name"),
        ("k", "#i1-1", "to"),
        ("c", "#i3", "Mark"),
        ("C", "#i1", "Send"),
        ("e", "#i3", "Mark"),
        ("e", "#p1", "✗"),
        ("c", "#i5", "Last"),
        ("E", "#p1", "✗"),
        // Folded calls have no rows.
        ("-", "#i3", "Mark"),
        ("C", "#i1", "Send"),
        ("j", "#i2", "Then."),
        ("+", "#i2", "Then."),
        ("k", "#i1-3", "age"),
        ("k", "#i1-2", "name"),
    ] {
        browser.press(key);
        let state = browser.evaluate("[location.hash, document.activeElement.textContent.trim().split(/\\s/)[0]]");
        assert_eq!(state, json!([place, words]), "{key}");
    }
    let folded = "Array.from(document.querySelectorAll('.call'), (call) => call.open)";
    browser.evaluate("document.getElementById('fold').click()");
    assert_eq!(browser.evaluate(folded), json!([false, false, false]));
    // The target of a jump is shown, wherever it is.
    browser.press("e");
    assert_eq!(browser.evaluate(folded), json!([false, false, false]), "the heading of a call is shown as it is");
    browser.press("e");
    assert_eq!(browser.evaluate(folded), json!([false, true, false]), "its problem is in it");
    browser.press("&");
    assert_eq!(browser.evaluate("document.activeElement.id"), "filter");
    browser.press("j");
    assert_eq!(browser.evaluate("document.getElementById('filter').value"), "j", "it is typed");
}
