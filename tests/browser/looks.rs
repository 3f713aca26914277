//! Presentation and accessibility of pages: widths, colours, paper, headings and landmarks, and size.

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::PathBuf;

use serde_json::{Value, json};

use super::chromium::Browser;
use super::{FORMS, page};

/// Every third sample: each takes a start of the program and a page in the browser.
fn samples() -> impl Iterator<Item = PathBuf> {
    super::samples().into_iter().step_by(3)
}

#[test]
fn no_page_is_wider_than_its_window() {
    let Some(mut browser) = Browser::start() else { return };
    let folder = tempfile::tempdir().expect("a folder can be made");
    let word = "x".repeat(3000);
    let wide = format!(
        "{word}\n!!!GADGET_START:{word}:{word}:{word}\n!!!ARG:{word}/{word}\n{word}\n!!!ARG:b\n{word}\n{word}\n!!!GADGET_END\n"
    );
    let texts = samples().map(|path| fs::read(path).expect("readable")).chain([wide.into_bytes()]);
    for (number, text) in texts.enumerate() {
        let path = page(folder.path(), "a", &text, FORMS[number % 2]);
        for width in [390, 1280] {
            browser.show_as(width, "light", "screen");
            browser.open(&path);
            browser.evaluate("document.querySelectorAll('details').forEach((details) => (details.open = true))");
            let over = browser.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth");
            assert_eq!(over, json!(0), "{width}: {}", String::from_utf8_lossy(&text[..text.len().min(200)]));
        }
    }
}

#[test]
fn words_can_be_read_in_light_and_dark() {
    let Some(mut browser) = Browser::start() else { return };
    let folder = tempfile::tempdir().expect("a folder can be made");
    browser.open(&page(folder.path(), "a", b"Words.\n", &[]));
    for scheme in ["light", "dark"] {
        browser.show_as(1280, scheme, "screen");
        // Each text colour on each background that it is used on, as WCAG 2 contrast.
        let faint = browser.evaluate(
            "(() => {
               const style = getComputedStyle(document.documentElement);
               const part = (value) => (value <= 10.31475 ? value / 3294.6 : ((value / 255 + 0.055) / 1.055) ** 2.4);
               const light = (name) => {
                 const hex = style.getPropertyValue(name).trim();
                 const [r, g, b] = [1, 3, 5].map((at) => part(parseInt(hex.slice(at, at + 2), 16)));
                 return 0.2126 * r + 0.7152 * g + 0.0722 * b;
               };
               const words = ['text', 'dim', 'name', 'id', 'key', 'error', 'added', 'warning', 'hint', 'kw', 'st', 'co', 'nu', 'fn', 'ty', 'pr'];
               const pairs = words.flatMap((word) => ['page', 'soft'].map((ground) => [word, ground]));
               for (const ground of ['error-tint', 'warning-tint', 'hint-tint', 'chosen']) {
                 for (const word of ['text', 'name', 'id', 'key']) pairs.push([word, ground]);
               }
               return pairs.map(([word, ground]) => {
                 const [dark, bright] = [light('--' + word), light('--' + ground)].sort((a, b) => a - b);
                 return [word, ground, (bright + 0.05) / (dark + 0.05)];
               }).filter((row) => !(row[2] >= 4.5));
             })()",
        );
        assert_eq!(faint, json!([]), "{scheme}");
    }
}

#[test]
fn paper_shows_what_is_folded_and_no_tools() {
    let Some(mut browser) = Browser::start() else { return };
    let folder = tempfile::tempdir().expect("a folder can be made");
    let calls = "!!!GADGET_START:Send\n!!!ARG:to\nada\n!!!GADGET_END\n".repeat(30);
    browser.open(&page(folder.path(), "a", calls.as_bytes(), &["--interactive"]));
    let state = "(() => {
       const isSeen = (selector) => document.querySelector(selector).checkVisibility();
       return [document.querySelector('.call').open, isSeen('.call .raw'), isSeen('.tools')];
     })()";
    assert_eq!(browser.evaluate(state), json!([false, false, true]));
    browser.show_as(800, "light", "print");
    assert_eq!(browser.evaluate(state), json!([false, true, false]));
}

/// Role, name and level of the nodes of the accessibility tree.
fn outline(browser: &mut Browser) -> Vec<(String, String, u64)> {
    browser.ask("Accessibility.enable", &json!({}));
    let tree = browser.ask("Accessibility.getFullAXTree", &json!({}));
    let nodes = tree["nodes"].as_array().expect("a tree").iter().filter(|node| node["ignored"] == false);
    let level = |node: &Value| {
        let properties = node["properties"].as_array().into_iter().flatten();
        properties
            .filter(|property| property["name"] == "level")
            .find_map(|property| property["value"]["value"].as_u64())
    };
    let words = |value: &Value| value["value"].as_str().unwrap_or_default().to_owned();
    nodes.map(|node| (words(&node["role"]), words(&node["name"]), level(node).unwrap_or_default())).collect()
}

#[test]
fn a_screen_reader_finds_landmarks_headings_and_names() {
    let Some(mut browser) = Browser::start() else { return };
    let folder = tempfile::tempdir().expect("a folder can be made");
    for sample in samples() {
        let text = fs::read(&sample).expect("readable");
        let shown = sample.display();
        browser.open(&page(folder.path(), "a", &text, &["--interactive"]));
        let nodes = outline(&mut browser);
        let names = |role: &str| -> Vec<&str> {
            nodes.iter().filter(|node| node.0 == role).map(|node| node.1.as_str()).collect()
        };
        assert_eq!(names("banner"), [""], "{shown}");
        assert_eq!(names("navigation"), ["Contents"], "{shown}");
        assert_eq!(names("main"), [""], "{shown}");
        assert_eq!(names("search"), [""], "{shown}");
        let headings: Vec<u64> = nodes.iter().filter(|node| node.0 == "heading").map(|node| node.2).collect();
        assert_eq!(headings.first(), Some(&1), "{shown}");
        assert!(headings.windows(2).all(|pair| pair[1] > 1 && pair[1] <= pair[0] + 1), "{shown}: {headings:?}");
        let calls = browser.evaluate("document.querySelectorAll('.call').length");
        let of_calls = browser.evaluate("document.querySelectorAll('.call > summary :is(h3, h4, h5, h6)').length");
        assert_eq!(calls, of_calls, "{shown}: each call has a heading");
        for role in ["link", "button", "searchbox", "heading"] {
            let nameless = names(role).into_iter().filter(|name| name.is_empty()).count();
            // A call may have no name.
            let allowed = usize::from(role == "heading") * headings.len();
            assert!(nameless <= allowed, "{shown}: a {role} without a name");
        }
    }
}

/// A session with this many calls, generated from a seed.
fn long_session(calls: usize) -> String {
    let mut seed = 7_u64;
    let mut next = move |most: u64| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % most
    };
    let mut text = String::new();
    let mut record = |value: Value| _ = writeln!(text, "{value}");
    record(
        json!({ "type": "user", "uuid": "u", "message": { "role": "user", "content": "Go on until all tests pass." } }),
    );
    for number in 0..calls {
        let id = format!("toolu_{number:06}");
        let (name, input, output) = match next(3) {
            0 => {
                let lines = (1..3 + next(27)).map(|line| format!("{line:6}→def f{line}(x): return x * {line}\n"));
                ("Read", json!({ "file_path": format!("src/mod{}.py", next(97)) }), lines.collect())
            }
            1 => (
                "Bash",
                json!({ "command": "pytest -q tests | tail", "description": "Run the tests" }),
                "ok\n".repeat(1 + next(5) as usize),
            ),
            _ => (
                "Edit",
                json!({ "file_path": "a.py", "old_string": "def f(x):\n    return x\n", "new_string": "def f(x):\n    return 2 * x\n" }),
                "done".to_owned(),
            ),
        };
        let content = json!([{ "type": "text", "text": format!("Step {number}: change what is wrong.") },
            { "type": "tool_use", "id": id, "name": name, "input": input }]);
        let message = json!({ "id": format!("msg_{number}"), "type": "message", "role": "assistant", "model": "m", "content": content });
        record(json!({ "type": "assistant", "uuid": format!("a{number}"), "message": message }));
        let result =
            json!([{ "type": "tool_result", "tool_use_id": id, "content": output, "is_error": next(50) == 0 }]);
        record(
            json!({ "type": "user", "uuid": format!("r{number}"), "message": { "role": "user", "content": result } }),
        );
    }
    text
}

#[test]
fn a_long_session_is_one_page_with_few_elements() {
    const CALLS: usize = 10_000;
    let Some(mut browser) = Browser::start() else { return };
    let folder = tempfile::tempdir().expect("a folder can be made");
    // The interactive form has everything that the other one has.
    let form = FORMS[1];
    let path = page(folder.path(), "a.jsonl", long_session(CALLS).as_bytes(), form);
    browser.open(&path);
    let facts = browser.evaluate(
        "[document.querySelectorAll('.call').length, document.querySelectorAll('*').length,
          Math.round(performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? -1),
          Math.round(performance.getEntriesByType('navigation')[0].loadEventEnd)]",
    );
    let bytes = fs::metadata(&path).expect("it is there").len();
    let _ =
        writeln!(std::io::stderr(), "{form:?}: {bytes} bytes; calls, elements, first paint and load in ms: {facts}");
    assert_eq!(facts[0], json!(CALLS));
    assert!(facts[1].as_u64().is_some_and(|elements| elements < 45 * CALLS as u64), "{facts}");
    assert_eq!((browser.requests(), browser.words()), (vec![], vec![]));
}
