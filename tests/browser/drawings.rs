//! The timeline and the context of a session on a page: every bar has a title, a visible colour and its place in the drawing, and
//! leads to its turn.

use std::fs;
use std::path::Path;

use serde_json::json;

use super::chromium::Browser;
use super::{FORMS, page};

/// Sessions whose files state times and tokens.
const SESSIONS: [&str; 3] = ["late-ferry.jsonl", "leap-day.jsonl", "two-branches.jsonl"];

#[test]
fn bars_have_titles_and_lead_to_their_turns() {
    let Some(mut browser) = Browser::start() else { return };
    let folder = tempfile::tempdir().expect("a folder can be made");
    for (number, name) in SESSIONS.into_iter().enumerate() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/containers/claude-code").join(name);
        let text = fs::read(path).expect("a sample");
        let path = page(folder.path(), "a.jsonl", &text, FORMS[number % 2]);
        for (width, scheme) in [(390, "light"), (390, "dark"), (1280, "light"), (1280, "dark")] {
            browser.show_as(width, scheme, "screen");
            browser.open(&path);
            let faults = browser.evaluate(
                "(() => {
                   const part = (value) => (value <= 10.31475 ? value / 3294.6 : ((value / 255 + 0.055) / 1.055) ** 2.4);
                   const light = (colour) => {
                     const [r, g, b] = colour.match(/\\d+/g).slice(0, 3).map((value) => part(Number(value)));
                     return 0.2126 * r + 0.7152 * g + 0.0722 * b;
                   };
                   const page = light(getComputedStyle(document.body).backgroundColor);
                   const faults = [];
                   for (const bar of document.querySelectorAll('.chart a rect')) {
                     const svg = bar.ownerSVGElement.getBoundingClientRect();
                     const box = bar.getBoundingClientRect();
                     const title = bar.querySelector('title') ?? bar.closest('g')?.querySelector('title');
                     const [dark, bright] = [light(getComputedStyle(bar).fill), page].sort((a, b) => a - b);
                     const isIn = box.left >= svg.left - 1 && box.right <= svg.right + 2 && box.bottom <= svg.bottom + 1;
                     const turn = document.querySelector(bar.closest('a').getAttribute('href'));
                     if (!title?.textContent || !isIn || turn === null || (bright + 0.05) / (dark + 0.05) < 3) {
                       faults.push([bar.outerHTML, isIn, (bright + 0.05) / (dark + 0.05)]);
                     }
                   }
                   return faults;
                 })()",
            );
            assert_eq!(faults, json!([]), "{name} {width} {scheme}");
            let drawn = browser
                .evaluate("['timeline', 'context'].map((id) => document.querySelectorAll(`#${id} a rect`).length > 0)");
            assert_eq!(drawn, json!([true, true]), "{name}");
        }
    }
}
