//! The output of `stats` for counted calls and problems, at several widths and in each format.

use std::fmt::Write as _;
use std::io;
use std::sync::Arc;

use transcope::corpus::counts::{Counts, Dimension};
use transcope::corpus::tables::CountRow;
use transcope::export::statistics::{StatisticsReport, write_csv, write_json, write_text};

use super::snapshot;

/// Rows of counts, one a line: container, dialect, model, tool, day, code and severity; then calls, failed, rejected,
/// skipped, unanswered and problems. `-` is a missing name, `""` an empty one.
const FLEET: &str = r#"
claude-code native claude-opus-4-5 Bash 2026-11-11 - - 5120 402 0 0 3 0
claude-code native claude-opus-4-5 Bash 2026-11-12 - - 4800 380 0 0 1 0
claude-code native claude-opus-4-5 Read 2026-11-12 - - 3911 97 0 0 0 0
claude-code native claude-opus-4-5 Edit 2026-11-13 - - 2204 188 3 0 0 0
claude-code native claude-sonnet-4-5 Edit 2026-11-14 - - 804 120 11 0 0 0
claude-code native claude-sonnet-4-5 mcp__very_long_server_name__a_tool_with_a_long_name_as_well 2026-11-15 - - 77 40 0 0 0 0
codex native gpt-5-codex shell 2026-11-16 - - 9200 511 0 0 12 0
codex native gpt-5-codex apply_patch 2026-11-17 - - 640 64 0 0 0 0
openai-chat native gpt-5-mini get_weather 2026-11-18 - - 12 0 0 0 12 0
openai-chat hermes Hermes-3-Llama-3.1-8B 天気を調べる 2026-11-19 - - 300 0 45 0 0 0
openai-chat hermes Hermes-3-Llama-3.1-8B "" 2026-11-19 - - 9 0 9 0 0 0
plain gadget - WriteFile - - - 55 2 4 6 0 0
plain gadget - ReadFile - - - 20 0 0 1 0 0
plain gadget - TellUser 2026-11-20 - - 7 0 0 0 0 0
plain gadget - AskUser 2026-11-21 - - 1 0 0 0 1 0
plain xml local/qwen3 edit_file 2026-11-22 - - 4321 1 0 0 0 0
claude-code native claude-opus-4-5 Bash 2026-11-11 tool-failed note 782 782 0 0 0 782
codex native gpt-5-codex shell 2026-11-16 tool-failed note 511 511 0 0 0 511
claude-code native claude-sonnet-4-5 Edit 2026-11-14 tool-denied note 20 20 0 0 0 20
openai-chat hermes Hermes-3-Llama-3.1-8B 天気を調べる 2026-11-19 broken-json error 45 0 45 0 0 61
openai-chat hermes Hermes-3-Llama-3.1-8B "" 2026-11-19 missing-name error 9 0 9 0 0 9
plain gadget - WriteFile - duplicate-pointer warning 10 1 4 0 0 14
plain - - - - near-miss-marker hint 0 0 0 0 0 3
"#;

/// Hostile names and counts: control characters, reordering characters, and large amounts of everything.
const HOSTILE: &str = "
plain gadget - \u{1b}]0;PWNED\u{7}\u{202e}x 2026-11-22 - - 9223372036854775807 9223372036854775807 1 0 0 0
plain gadget \u{200b} B\u{9b}2J 2026-11-22 - - 1 -5 1 0 0 0
plain - - - - \u{1b}[31m evil 0 0 0 0 0 9223372036854775807
";

fn counts(lines: &str) -> Counts {
    let mut counts = Counts::default();
    for line in lines.lines().filter(|line| !line.is_empty()) {
        let words: Vec<&str> = line.split(' ').collect();
        let [container, dialect, model, tool, day, code, severity, numbers @ ..] = &words[..] else {
            panic!("{line}: a column is missing")
        };
        let text = |word: &str| (word != "-").then(|| Arc::from(if word == "\"\"" { "" } else { word }));
        let numbers: Vec<i64> = numbers.iter().map(|word| word.parse().expect("a number")).collect();
        let [calls, failed, rejected, skipped, unanswered, problems] = numbers[..] else {
            panic!("{line}: six numbers")
        };
        counts.add_row(&CountRow {
            container: (*container).into(),
            dialect: text(dialect),
            model: text(model),
            tool: text(tool),
            day: text(day),
            code: text(code),
            severity: text(severity),
            calls,
            failed,
            rejected,
            skipped,
            unanswered,
            problems,
        });
    }
    counts
}

/// Formats counts, grouped by these dimensions, with at most `top` rows.
fn shown(
    lines: &str,
    by: &[Dimension],
    top: Option<usize>,
    write: impl Fn(&mut Vec<u8>, &StatisticsReport<'_>) -> io::Result<()>,
) -> String {
    let counts = counts(lines);
    let mut out = Vec::new();
    let statistics = StatisticsReport { counts: &counts, files: 1234, unread: 0, filter: None, by, top };
    write(&mut out, &statistics).expect("memory can be written to");
    String::from_utf8(out).expect("what is printed is text")
}

/// The output at each of these widths.
fn at_widths(lines: &str, by: &[Dimension], top: Option<usize>, widths: &[usize]) -> String {
    let mut all = String::new();
    for &width in widths {
        let text = shown(lines, by, top, |out, statistics| write_text(out, statistics, width));
        writeln!(all, "{:=^width$}", format!(" {width} ")).expect("memory can be written to");
        all.push_str(&text);
    }
    all
}

#[test]
fn the_table_of_each_dimension_has_bars_and_fits() {
    snapshot::matches("statistics", "sections_60", &at_widths(FLEET, &[], None, &[60]));
    snapshot::matches("statistics", "sections_80", &at_widths(FLEET, &[], None, &[80]));
    snapshot::matches("statistics", "sections_120", &at_widths(FLEET, &[], None, &[120]));
}

#[test]
fn crossed_dimensions_are_one_table() {
    let widths = [60, 80, 120];
    let by = [Dimension::Tool, Dimension::Model];
    snapshot::matches("statistics", "by_tool_and_model", &at_widths(FLEET, &by, Some(6), &widths));
    let by = [Dimension::Code, Dimension::Tool, Dimension::Container];
    snapshot::matches("statistics", "by_code_tool_and_container", &at_widths(FLEET, &by, None, &widths));
    snapshot::matches("statistics", "by_day", &at_widths(FLEET, &[Dimension::Day], Some(3), &[80]));
}

#[test]
fn nothing_and_hostile_names_are_shown_as_what_they_are() {
    snapshot::matches("statistics", "nothing", &at_widths("", &[], None, &[80]));
    snapshot::matches("statistics", "hostile", &at_widths(HOSTILE, &[], None, &[80, 0]));
    for write in [write_json::<Vec<u8>>, write_csv] {
        let text = shown(HOSTILE, &[], None, write);
        assert!(!text.contains(|c: char| c != '\n' && transcope::text::sanitize::is_hidden(c)), "{text:?}");
    }
}

#[test]
fn programs_get_all_rows_as_json_and_as_comma_separated_values() {
    let json = shown(FLEET, &[], None, write_json);
    assert!(serde_json::from_str::<serde_json::Value>(&json).is_ok(), "{json}");
    snapshot::matches("statistics", "sections_json", &json);
    snapshot::matches("statistics", "sections_csv", &shown(FLEET, &[], None, write_csv));
    let by = [Dimension::Day, Dimension::Tool];
    snapshot::matches("statistics", "by_day_and_tool_json", &shown(FLEET, &by, Some(3), write_json));
    snapshot::matches("statistics", "by_day_and_tool_csv", &shown(FLEET, &by, None, write_csv));
}

#[test]
fn no_line_is_wider_than_asked() {
    use transcope::text::wrap::display_width;
    for by in [&[][..], &[Dimension::Tool], &[Dimension::Tool, Dimension::Model], &[Dimension::Code, Dimension::Day]] {
        for width in 53..200 {
            let text = shown(FLEET, by, None, |out, statistics| write_text(out, statistics, width));
            let wide = text.lines().find(|line| display_width(line.as_bytes()) > width);
            assert_eq!(wide, None, "{width} {by:?}");
        }
    }
}
