//! `transcope export`: the contents of a report, that nothing in a transcript acts in it, and that no secret is left.

use std::fs;
use std::path::{Path, PathBuf};

use pulldown_cmark::{Event, Options, Parser, Tag};
use regex::Regex;
use serde_json::Value;
use transcope::notes::sidecar::Sidecar;

use super::run_in;

const FORMATS: [&str; 3] = ["html", "markdown", "json"];

/// Texts that would act if they were not made harmless, in every place of a transcript.
pub(super) const HOSTILE: &[&str] = &[
    "<script>alert(1)</script>",
    "\"><img src=x onerror=alert(1)>",
    "'><svg/onload=alert(1)>",
    "</pre></style><style>*{display:none}</style>",
    "<!-- <b>",
    "&lt;b&gt; &#60;",
    "![picture](https://example.com/x.png)",
    "[link](javascript:alert(1)) <https://example.com>",
    "# heading",
    "````\nfence",
    "| a | b |\n|---|---|",
    "\u{1b}[31mred\u{1b}]0;title\u{7}",
    "\u{202e}reversed\u{2066}",
    "{{ 7 * 7 }} {% raw %} ${7 * 7}",
    "style=\"--depth:1\" onclick=\"x()\"",
];

fn export(folder: &Path, arguments: &[&str]) -> (i32, String, String) {
    run_in(folder, &[&["export"], arguments].concat(), &[], b"").parts()
}

/// A report on a text.
fn report(text: &str, format: &str, more: &[&str]) -> String {
    let folder = tempfile::tempdir().expect("a folder can be made");
    fs::write(folder.path().join("a.txt"), text).expect("a file can be made");
    let (code, out, errors) = export(folder.path(), &[&["--to", format, "a.txt"], more].concat());
    assert_eq!(code, 0, "{errors}");
    out
}

/// The script of interactive pages.
const SCRIPT: &str = include_str!("../../crates/output/src/export/html/interactive.js");

/// Checks that every tag of a page is one of ours, with attributes that only name, group and link within the page.
#[track_caller]
pub(super) fn harmless(page: &str) {
    let tag = Regex::new(
        r#"(?x)^(?:
        <!doctype\ html> | <html\ lang="en"> | <meta\ [^<>]*> | <style>[^<]*</style>
        | </?(?:html|head|title|body|header|nav|main|section|h[1-6]|p|ol|li|a|span|code|kbd|details|summary|pre|b|em|div|label
            |input|button|output|dl|dt|dd|mark|br|svg|g|path|rect|text|script|style)
          (?:\ (?:
            class="[a-z0-9\ -]*" | id="(?:[impt]\d+|[a-z-]+)" | href="\#(?:[impt]\d+|transcript|timeline|context|dependencies)" | open | hidden
            | (?:aria-[a-z]+|data-[a-z]+|placeholder)="[^"<>]*" | (?:type|role|scope|for|autocomplete|spellcheck)="[a-z]+"
            | tabindex="-?[01]" | (?:x|y|dx|rx|width|height)="\d+(?:\.\d+%|%)?" | viewBox="[\d\ ]+" | d="[MLVHZ\d\ ]*"
          ))*/?>
        )"#,
    )
    .expect("it is a pattern");
    let is_interactive = page.contains("script-src");
    assert_eq!(page.matches(SCRIPT).count(), usize::from(is_interactive));
    let page = page.replace(SCRIPT, "");
    for (at, _) in page.match_indices('<') {
        let end = page[at..].char_indices().nth(120).map_or(page.len(), |(end, _)| at + end);
        assert!(tag.is_match(&page[at..]), "no tag of ours: {:?}", &page[at..end]);
    }
    assert_eq!(page.matches("<script>").count(), usize::from(is_interactive));
    assert!(page.matches("<style>").count() == 1 && page.matches("Content-Security-Policy").count() == 1);
}

/// Checks that a Markdown report has only the blocks that we write.
#[track_caller]
pub(super) fn tame(report: &str) {
    for event in Parser::new_ext(report, Options::ENABLE_TABLES) {
        let is_foreign = matches!(
            &event,
            // The table of contents links to turns.
            Event::Start(Tag::Link { dest_url, .. }) if !dest_url.starts_with("#turn-"),
        ) || matches!(
            event,
            Event::Start(Tag::Image { .. } | Tag::HtmlBlock | Tag::Table(_) | Tag::BlockQuote(_),)
                | Event::Html(_)
                | Event::InlineHtml(_)
        );
        assert!(!is_foreign, "{event:?} in\n{report}");
    }
}

/// Checks that no character acts on a terminal or reorders a line.
#[track_caller]
pub(super) fn seen(report: &str) {
    let is_bad =
        |c: char| (c.is_control() && c != '\n') || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    assert_eq!(report.chars().find(|c| is_bad(*c)), None);
}

#[test]
fn nothing_of_a_transcript_acts_in_a_report() {
    for words in HOSTILE {
        let line = words.replace('\n', " ");
        let text = format!(
            "{words}\n\n!!!GADGET_START:{line}:{line}:{line}\n!!!ARG:{line}\n{words}\n!!!ARG:{line}\n{words}\n!!!GADGET_END\n{words}\n"
        );
        let message = serde_json::json!({"model": words, "messages": [
            {"role": "user", "content": words},
            {"role": "assistant", "content": words, "tool_calls": [
                {"id": words, "type": "function", "function": {"name": words, "arguments": format!("{{\"x\": {words:?}}}")}}]},
            {"role": "tool", "tool_call_id": words, "content": words},
        ]})
        .to_string();
        for text in [text, message] {
            for form in [&[][..], &["--interactive"]] {
                let page = report(&text, "html", form);
                harmless(&page);
                seen(&page);
            }
            let markdown = report(&text, "markdown", &[]);
            tame(&markdown);
            seen(&markdown);
            seen(&report(&text, "json", &[]));
        }
    }
}

fn samples(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("readable").path();
        if path.is_dir() {
            samples(&path, found);
        } else if !Sidecar::is_sidecar(&path) {
            found.push(path);
        }
    }
}

#[test]
fn every_sample_becomes_a_report() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples");
    let mut paths = Vec::new();
    samples(&root, &mut paths);
    assert!(paths.len() > 100);
    for path in paths {
        let path = path.to_str().expect("a plain name");
        for format in FORMATS {
            let (code, out, errors) = export(&root, &["--to", format, path]);
            assert_eq!((code, errors.as_str()), (0, ""), "{path}");
            match format {
                "html" => harmless(&out),
                "markdown" => tame(&out),
                _ => drop(serde_json::from_str::<Value>(&out).expect("it is JSON")),
            }
        }
    }
}

#[test]
fn a_report_says_what_is_wrong_and_where() {
    let text = "Look.\n!!!GADGET_START:Send:s\n!!!ARG:to\nada\n!!!ARG:to\neve\n!!!GADGET_END\n";
    let page = report(text, "html", &[]);
    for words in [
        "<li class=\"error\"><a href=\"#p1\"><span class=\"sign\">✗</span> <span class=\"place\">5:8</span> <code>duplicate-pointer</code> Duplicate pointer: to</a></li>",
        "!!!ARG:<mark class=\"error key\">to</mark>",
        "<dt>to</dt><dd class=\"string\">ada</dd>",
        "id=\"p1\"",
        "<em>rejected</em>",
    ] {
        assert!(page.contains(words), "{words}\n{page}");
    }
    let markdown = report(text, "markdown", &[]);
    for words in [
        "- ✗ error 5:8 `duplicate-pointer` Duplicate pointer: to",
        "**Send** s (rejected), gadget, line 2",
        "to: \"ada\"\n",
    ] {
        assert!(markdown.contains(words), "{words}\n{markdown}");
    }
    let folder = tempfile::tempdir().expect("a folder can be made");
    fs::write(folder.path().join("a.txt"), text).expect("a file can be made");
    let parsed = run_in(folder.path(), &["parse", "a.txt"], &[], b"").stdout;
    assert_eq!(report(text, "json", &[]), parsed, "JSON is what parse prints");
    assert_eq!(report(text, "json", &["--redact"]), parsed, "nothing is taken out where there is no secret");
}

#[test]
fn a_report_on_a_session_begins_with_its_figures_and_has_a_heading_for_each_turn() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/containers/claude-code");
    let of = |format: &str, name: &str| export(&root, &["--to", format, name]).1;
    let markdown = of("markdown", "late-ferry.jsonl");
    for words in [
        "\n- project: ferry\n- agent: Claude Code 2.1.0\n- models: claude-sonnet-4-5-20250929 (3 requests)\n",
        "\n- time: 2025-06-14 10:00:01 – 10:00:15 UTC (14.0 s)\n- turns: 1\n- tokens: ≥87: 24 new, ≥63 output in 3 requests\n",
        "\nclaude-code · 6242 bytes · 3 calls · ✗ 1 failed · 0 errors · 0 warnings\n",
        " (turn 1: The timetable prints \"25:10\" for late ferries. Can you fix it?);",
        "\n### Turn 1\n\n**The timetable prints \"25:10\" for late ferries. Can you fix it?** · 2025-06-14 10:00:01 UTC · 14.0 s · 3 calls · ✗ 1 failed · ≥87 tokens\n",
        "\n**assistant** · claude-sonnet-4-5-20250929 · 2025-06-14 10:00:04 UTC\n",
    ] {
        assert!(markdown.contains(words), "{words}\n{markdown}");
    }
    assert_eq!(markdown.matches("\n### ").count(), 1, "one heading for a turn");
    let page = of("html", "late-ferry.jsonl");
    for words in [
        "<dl class=\"session\"><dt>project</dt><dd>ferry</dd><dt>agent</dt><dd>Claude Code 2.1.0</dd>",
        "<section class=\"turn\" id=\"t1\"><h3>Turn 1 · The timetable prints",
        "<span>2025-06-14 10:00:01 UTC · 14.0 s · 3 calls · ✗ 1 failed · ≥87 tokens</span></h3>",
        "<h3>Turns</h3>\n<ol class=\"entries\">",
        "<li class=\"turn\"><a href=\"#t1\"><b>Turn 1</b> The timetable prints",
        "<span class=\"figures\">2025-06-14 10:00:01 · 14.0 s · 3 calls · ✗ 1 failed · ≥87 tokens</span></a></li>",
        "<span class=\"place\">turn 1: The timetable prints",
        "<b class=\"speaker\">assistant",
    ] {
        assert!(page.contains(words), "{words}\n{page}");
    }
    assert!(!report("Only words.\n", "html", &[]).contains("class=\"session\""));
}

#[test]
fn what_a_program_wrote_for_the_model_is_folded() {
    let recorded = [
        r#"{"type":"user","sessionId":"s","uuid":"u","timestamp":"2026-03-24T09:00:00Z","message":{"role":"user","content":"Mend the gate"}}"#,
        r#"{"type":"user","sessionId":"s","uuid":"v","parentUuid":"u","isMeta":true,"message":{"role":"user","content":"Caveat: the gate\nis old\nand heavy."}}"#,
        r#"{"type":"assistant","sessionId":"s","uuid":"w","parentUuid":"v","message":{"role":"assistant","content":[{"type":"text","text":"It is mended."}]}}"#,
    ]
    .join("\n");
    let markdown = report(&recorded, "markdown", &[]);
    assert!(markdown.contains("\n*client*: Caveat: the gate (3 lines)\n"), "{markdown}");
    assert!(markdown.contains("```\nMend the gate\n```") && markdown.contains("```\nIt is mended.\n```"), "{markdown}");
    let page = report(&recorded, "html", &[]);
    assert!(page.contains("<summary>client <span class=\"brief\">Caveat: the gate</span></summary>"), "{page}");
    let linear = run_in(Path::new("."), &["--linear", "-"], &[], recorded.as_bytes()).stdout;
    assert!(linear.contains("\nclient: Caveat: the gate (3 lines)\n"), "{linear}");
    let begun = "turn 1, 2026-03-24 09:00:00 UTC\nuser: 2026-03-24 09:00:00 UTC\n  Mend the gate\n";
    assert!(linear.starts_with(begun) && linear.contains("\nend of turn 1: 0 calls\nend: "), "{linear}");
}

#[test]
fn reports_show_what_a_tool_said_without_its_colours() {
    let token = format!("ghp_{}", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
    let coloured = format!("\u{1b}[31m1 failed\u{1b}[39m \u{1b}[2J {}\u{1b}[1m{}", &token[..9], &token[9..]);
    let recorded = serde_json::json!({"messages": [
        {"role": "user", "content": "\u{1b}[1mRun it."},
        {"role": "assistant", "content": null, "tool_calls": [{"id": "c", "type": "function", "function":
            {"name": "run", "arguments": serde_json::json!({"sed": "s/\u{1b}[31mred/\n/"}).to_string()}}]},
        {"role": "tool", "tool_call_id": "c", "content": coloured},
    ]})
    .to_string();
    for format in ["html", "markdown"] {
        let out = report(&recorded, format, &[]);
        for words in ["1 failed ␛[2J ghp_a1B2c3", "s/red/", "␛[1mRun it.", "\\u001b[31mred"] {
            assert!(out.contains(words), "{words:?} is not in\n{out}");
        }
        let redacted = report(&recorded, format, &["--redact"]);
        assert!(!redacted.contains(&token[..9]) && redacted.contains("1 failed ␛[2J"), "{redacted}");
    }
    let json = report(&recorded, "json", &[]);
    assert!(json.contains("\\u001b[31m1 failed\\u001b[39m"), "{json}");
}

#[test]
fn reports_show_differences_as_such() {
    let diff = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-6 < 7\n+7\n";
    let recorded = serde_json::json!({"messages": [
        {"role": "user", "content": "Show it."},
        {"role": "assistant", "content": null, "tool_calls": [{"id": "c", "type": "function", "function":
            {"name": "diff", "arguments": "{}"}}]},
        {"role": "tool", "tool_call_id": "c", "content": diff},
    ]})
    .to_string();
    let page = report(&recorded, "html", &[]);
    harmless(&page);
    for words in
        ["<span class=\"line removed\">-6 &#60; 7\n</span><span class=\"line added\">+7\n</span>", "<pre>--- a/x\n"]
    {
        assert!(page.contains(words), "{words:?} is not in\n{page}");
    }
    let markdown = report(&recorded, "markdown", &[]);
    assert!(markdown.contains("\n```diff\n--- a/x\n"), "{markdown}");
}

#[test]
fn no_secret_is_left_in_any_format() {
    let token = format!("ghp_{}", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
    let key = format!("-----BEGIN RSA {} KEY-----\nMIIEpAIBAAKCAQEAsecret\n-----END RSA PRIVATE KEY-----", "PRIVATE");
    let plain = format!(
        "With {token}.\n!!!GADGET_START:Login:{token}\n!!!ARG:password\ncorrect horse\n!!!ARG:key\n{key}\n!!!ARG:{token}\n1\n!!!ARG:{token}\n2\n!!!GADGET_END\nIt was correct horse.\n"
    );
    let recorded = serde_json::json!({"messages": [
        {"role": "user", "content": format!("Use {token}.")},
        {"role": "assistant", "content": null, "tool_calls": [{"id": "c", "type": "function", "function":
            {"name": "login", "arguments": serde_json::json!({"password": "correct horse", "key": key}).to_string()}}]},
        {"role": "tool", "tool_call_id": "c", "content": format!("{token} is fine, and so is correct horse\n{key}")},
    ]})
    .to_string();
    for text in [&plain, &recorded] {
        for format in FORMATS {
            let out = report(text, format, &["--redact"]);
            for secret in [token.as_str(), "correct horse", "MIIEpAIBAAKCAQEAsecret"] {
                assert!(!out.contains(secret), "{secret} is in\n{out}");
                assert!(report(text, format, &[]).contains(secret), "{secret} is there unless it is taken out");
            }
            assert!(out.contains("secret"), "{out}");
        }
    }
}

#[test]
fn a_file_is_made_whole_and_none_is_written_over() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    fs::write(folder.path().join("a.txt"), "Words.\n").expect("a file can be made");
    let arguments = ["--to", "html", "-o", "report.html", "a.txt"];
    let (code, out, errors) = export(folder.path(), &arguments);
    assert_eq!((code, out.as_str(), errors.as_str()), (0, "", ""));
    harmless(&fs::read_to_string(folder.path().join("report.html")).expect("it is there"));
    let (code, _, errors) = export(folder.path(), &arguments);
    assert_eq!((code, errors.as_str()), (2, "error: report.html exists; choose another name, or remove it\n"));
    let (code, _, errors) = export(folder.path(), &["--to", "json", "-o", "no/such/x", "a.txt"]);
    assert_eq!(code, 2);
    assert!(errors.starts_with("error: could not write no/such/x: "), "{errors}");
    assert_eq!(export(folder.path(), &["--to", "html", "-o", "b.html", "none.txt"]).0, 2);
    let names: Vec<String> = fs::read_dir(folder.path())
        .expect("a folder")
        .map(|entry| entry.expect("readable").file_name().to_string_lossy().into_owned())
        .collect();
    assert_eq!(names.len(), 2, "{names:?}");
}
