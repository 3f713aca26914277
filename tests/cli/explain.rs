//! `explain` in each format: a problem, and all of them.

use serde_json::Value;
use transcope::diagnostic::Code;

use super::run_in;

fn printed(arguments: &[&str]) -> String {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let run = run_in(folder.path(), &[&["explain"], arguments].concat(), &[], b"");
    assert_eq!(run.code, 0, "{arguments:?}: {}", run.stderr);
    run.stdout
}

#[test]
fn the_json_of_all_has_the_page_of_each() {
    let all: Value = serde_json::from_str(&printed(&["--format", "json"])).expect("it is JSON");
    assert_eq!(all, serde_json::from_str::<Value>(&printed(&["--all", "--format", "json"])).expect("it is JSON"));
    let pages = all["problems"].as_array().expect("a list");
    assert_eq!(pages.len(), Code::ALL.len());
    let severities: Vec<&str> = pages.iter().filter_map(|page| page["severity"].as_str()).collect();
    let mut sorted = severities.clone();
    sorted.sort_by_key(|severity| ["error", "warning", "hint", "note"].iter().position(|known| known == severity));
    assert_eq!(severities, sorted);
    for page in pages {
        let reported = page["reported"].as_array().expect("a list");
        // Bytes are lost while a file is open, which no example can show.
        let is_lost = page["code"] == "lost-text";
        assert!(is_lost || reported.iter().any(|found| found["code"] == page["code"]), "{page}");
    }
    for code in ["duplicate-pointer", "missing-parameter", "not-portable", "call-lost-in-history"] {
        let mut alone: Value = serde_json::from_str(&printed(&["--format", "json", code])).expect("it is JSON");
        assert_eq!(alone.as_object_mut().and_then(|page| page.remove("schema_version")), Some(1.into()));
        assert!(pages.contains(&alone), "{alone}");
    }
}

#[test]
fn the_page_of_all_links_to_a_section_for_each_code() {
    let page = printed(&["--all", "--format", "markdown"]);
    let mut rest = page.as_str();
    for line in page.lines().filter(|line| line.contains("](#")) {
        let code = line.split(['(', ')']).nth(1).and_then(|link| link.strip_prefix('#')).expect("a link");
        let section = rest.split_once(&format!("\n## {code}\n")).expect("the sections are in the order of the links").1;
        let section = section.split("\n## ").next().unwrap_or_default();
        for part in ["\nBad:\n", "\nReported:\n", "\nGood:\n", "\nHelp: "] {
            assert_eq!(section.matches(part).count(), 1, "{part} in {section}");
        }
        rest = &rest[rest.find(section).unwrap_or_default()..];
    }
    let links = page.lines().filter(|line| line.contains("](#")).count();
    assert_eq!((links, page.matches("\n## ").count()), (Code::ALL.len(), Code::ALL.len()));
    assert!(page.contains(&printed(&["--format", "markdown", "odd-key"]).replacen("# ", "## ", 1)));
}

#[test]
fn as_text_all_pages_are_the_pages_one_after_another() {
    let all = printed(&["--all"]);
    for code in ["duplicate-pointer", "odd-key", "tool-failed"] {
        assert!(all.contains(&printed(&[code])), "{code}");
    }
}
