//! A transcript as Markdown, for a ticket: failed calls and problems first, then the conversation.
//!
//! Text of the transcript is either in fences longer than any in it, or in a line with every special character escaped,
//! so that it cannot form a heading, link, image or markup.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::io::{self, Write};

use super::folds::rest_of;
use super::notes::SIGN as NOTE;
use super::page::{HeadingForm, Problem, ReportBlock, ReportPage, ReportPart, TurnHeading, ValueRow, joined};
use crate::corpus::choice::MARKDOWN_REPORT;
use crate::diagnostic::Diagnostic;
use crate::text::diff_lines::is_diff;
use crate::text::sanitize::visible_str;
use crate::text::wrap::visible_lines;

/// Level of the heading of a sub-agent in a turn, and the deepest level of Markdown.
const AGENT_LEVEL: usize = 4;
const DEEPEST_LEVEL: usize = 6;

/// Writes a report; `path` is the displayed path of the transcript.
pub fn write<W: Write>(out: &mut W, page: &ReportPage<'_>, path: &str) -> io::Result<()> {
    let header = page.header(path);
    writeln!(out, "{MARKDOWN_REPORT}\n# {}\n", escaped(&header.name))?;
    if let Some(filter) = &header.filter {
        writeln!(out, "{}\n", escaped(filter))?;
    }
    for (name, words) in &header.session {
        writeln!(out, "- {name}: {}", escaped(words))?;
    }
    if !header.session.is_empty() {
        writeln!(out)?;
    }
    let facts: Vec<&str> = header.facts.iter().map(|(fact, _)| fact.as_str()).collect();
    writeln!(out, "{}", escaped(&facts.join(" · ")))?;
    if let Some(redacted) = &header.redacted {
        writeln!(out, "\nRedacted: {}. Review before sharing.", escaped(redacted))?;
    }
    for (title, problems) in &header.findings {
        if !problems.is_empty() {
            writeln!(out, "\n## {title}\n")?;
            problems.iter().try_for_each(|problem| write_problem(out, problem))?;
        }
    }
    if let Some(graph) = &header.graph {
        writeln!(out, "\n## Dependencies")?;
        fenced(out, &graph.text)?;
    }
    write_contents(out, page)?;
    writeln!(out, "\n## Transcript")?;
    let has_turns = page.has_turns();
    // Names of the sub-agents whose messages are being written.
    let mut agents: Vec<String> = Vec::new();
    page.parts(|part| match part {
        ReportPart::Turn(heading) => write_turn(out, &heading),
        // A message of results needs no heading; the results represent it.
        ReportPart::Message(heading) if has_turns && heading.is_of_results => Ok(()),
        ReportPart::Message(heading) if heading.form != HeadingForm::Speaker => Ok(()),
        ReportPart::Message(heading) => {
            let speaker = escaped(&heading.speaker);
            let speaker = if has_turns { format!("**{speaker}**") } else { format!("### {speaker}") };
            let words = std::iter::once(speaker).chain(heading.details.iter().map(|words| escaped(words)));
            writeln!(out, "\n{}", words.collect::<Vec<_>>().join(" · "))
        }
        ReportPart::Item(item) => {
            write_block(out, &item.block)?;
            item.problems.iter().try_for_each(|problem| write_problem_below(out, problem))?;
            write_notes(out, &item.notes)
        }
        ReportPart::ItemEnd => Ok(()),
        ReportPart::Agent(heading) => {
            let level = "#".repeat((heading.depth + AGENT_LEVEL).min(DEEPEST_LEVEL));
            let words = heading.names.iter().chain(&heading.figures).map(|words| escaped(words));
            let words = std::iter::once("Sub-agent".to_owned()).chain(words).collect::<Vec<_>>().join(" · ");
            agents.push(heading.names.join(" · "));
            writeln!(out, "\n{level} {words}")
        }
        ReportPart::AgentEnd => {
            let name = agents
                .pop()
                .filter(|name| !name.is_empty())
                .map_or_else(String::new, |name| format!(" {}", escaped(&name)));
            writeln!(out, "\n*End of sub-agent{name}*")
        }
        ReportPart::Problem(problem) => write_problem_below(out, &problem),
        ReportPart::Notes { title, notes } => {
            if let Some(title) = title {
                writeln!(out, "\n## {title}")?;
            }
            write_notes(out, &notes)
        }
    })
}

/// Writes a list of the turns with links to their headings, whose targets are made as GitHub, GitLab and pandoc do.
fn write_contents<W: Write>(out: &mut W, page: &ReportPage<'_>) -> io::Result<()> {
    if !page.has_turns() {
        return Ok(());
    }
    writeln!(out, "\n## Turns\n")?;
    let mut known: HashMap<String, usize> = HashMap::new();
    page.turns(|entry| {
        let title = entry.heading.title();
        let target = title.to_lowercase().replace(' ', "-").replace(['(', ')'], "");
        let same = known.entry(target.clone()).or_default();
        let suffix = if *same > 0 { format!("-{same}") } else { String::new() };
        *same += 1;
        let words = summary(&entry.heading.prompt, entry.figures.iter().map(String::as_str));
        writeln!(out, "- [{}](#{target}{suffix}) · {words}", escaped(&title))
    })
}

/// Writes the heading of a turn: its number alone, so that links can lead to it, then its prompt and figures.
fn write_turn<W: Write>(out: &mut W, heading: &TurnHeading) -> io::Result<()> {
    let words = summary(&heading.prompt, heading.details().into_iter());
    writeln!(out, "\n### {}\n\n{words}", escaped(&heading.title()))
}

/// Prompt and figures of a turn.
fn summary<'t>(prompt: &str, figures: impl Iterator<Item = &'t str>) -> String {
    let prompt = (!prompt.is_empty()).then(|| format!("**{}**", escaped(prompt)));
    prompt.into_iter().chain(figures.map(escaped)).collect::<Vec<_>>().join(" · ")
}

fn write_block<W: Write>(out: &mut W, block: &ReportBlock) -> io::Result<()> {
    match block {
        ReportBlock::Text(lines) => fenced(out, &joined(lines.iter())),
        ReportBlock::Call(call) => {
            let waits = if call.dependencies.is_empty() {
                String::new()
            } else {
                format!(" ← {}", escaped(&call.dependencies.join(", ")))
            };
            let ending = if call.ending.is_empty() { String::new() } else { format!(" ({})", call.ending.join(", ")) };
            let (name, id) = (escaped(&call.name), escaped(&call.id));
            let took = call.took.as_ref().map_or_else(String::new, |took| format!(", {took}"));
            writeln!(out, "\n**{name}** {id}{waits}{ending}, {}, line {}{took}", call.dialect, call.line)?;
            fenced(out, &joined(&call.raw))?;
            write_values(out, "Parameters:", &call.values)?;
            write_values(out, "Outcome:", &call.outcome)
        }
        ReportBlock::Result(result) => {
            let verdict = if result.verdict.is_empty() { String::new() } else { format!(" ({})", result.verdict) };
            let name = if result.is_inside { "result" } else { &escaped(&result.name) };
            writeln!(out, "\n⇒ {name}{verdict}")?;
            fenced(out, &joined(&result.lines))
        }
        ReportBlock::Aside { name, words, is_folded: true, lines } => {
            writeln!(out, "\n*{}*: {}{}", escaped(name), escaped(words), rest_of(lines.iter().count()))
        }
        ReportBlock::Aside { name, lines, .. } => {
            writeln!(out, "\n*{}*", escaped(name))?;
            fenced(out, &joined(lines.iter()))
        }
    }
}

fn write_notes<W: Write>(out: &mut W, notes: &[String]) -> io::Result<()> {
    notes.iter().try_for_each(|words| writeln!(out, "\n- {NOTE} note {}", escaped(words)))
}

fn write_problem_below<W: Write>(out: &mut W, problem: &Problem) -> io::Result<()> {
    writeln!(out)?;
    write_problem(out, problem)
}

fn write_problem<W: Write>(out: &mut W, problem: &Problem) -> io::Result<()> {
    let Problem { severity, code, line, column, message, help, sign, turn, .. } = problem;
    let turn = turn.as_ref().map_or_else(String::new, |turn| format!(" ({})", escaped(turn)));
    let help = if help.is_empty() { String::new() } else { format!("; {}", escaped(help)) };
    writeln!(out, "- {sign} {severity} {line}:{column} `{code}` {}{turn}{help}", escaped(message))
}

/// Writes the values of a call as a tree.
fn write_values<W: Write>(out: &mut W, words: &str, rows: &[ValueRow]) -> io::Result<()> {
    if rows.is_empty() {
        return Ok(());
    }
    let mut tree = String::new();
    for row in rows {
        let indent = "  ".repeat(row.depth - 1);
        if row.is_long() {
            _ = writeln!(tree, "{indent}{}:", row.key);
            for line in &row.lines {
                _ = writeln!(tree, "{indent}  | {}", line.text());
            }
        } else {
            let value = joined(&row.lines);
            let value = match row.kind {
                "string" => format!(" \"{value}\""),
                _ if value.is_empty() => value,
                _ => format!(" {value}"),
            };
            tree.push_str(format!("{indent}{}:{value}", row.key).trim_end());
            tree.push('\n');
        }
    }
    writeln!(out, "\n{words}")?;
    fenced(out, &tree)
}

/// An excerpt of a transcript as a quotation: its location, the problem it is quoted for, and the raw text.
pub fn quotation(place: &str, problem: Option<&Diagnostic>, text: &str) -> String {
    let mut out = format!("**{}**", escaped(&visible_str(place)));
    if let Some(problem) = problem {
        let (severity, code) = (problem.severity.word(), problem.code.name());
        _ = write!(out, " {severity} `{code}`: {}", escaped(&visible_str(&problem.message)));
    }
    out.push_str("\n\n");
    for line in fence(&visible_lines(text)).lines() {
        out.push_str(format!("> {line}").trim_end());
        out.push('\n');
    }
    out
}

/// Writes a code block that can contain any text.
fn fenced<W: Write>(out: &mut W, text: &str) -> io::Result<()> {
    let (fence, language) = fence_around(text);
    writeln!(out, "\n{fence}{language}\n{}\n{fence}", text.trim_end_matches('\n'))
}

/// A code block that can contain any text, without blank lines around it.
pub fn fence(text: &str) -> String {
    let (fence, language) = fence_around(text);
    format!("{fence}{language}\n{}\n{fence}", text.trim_end_matches('\n'))
}

/// A fence longer than any in the text, and the block's language.
fn fence_around(text: &str) -> (String, &'static str) {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or_default();
    let fence = "`".repeat((longest + 1).max(3));
    let language = if is_diff(text.as_bytes()) { "diff" } else { "" };
    (fence, language)
}

/// Escapes text for Markdown and HTML, for use within a line.
pub fn escaped(words: &str) -> String {
    let mut out = String::with_capacity(words.len());
    for (at, c) in words.char_indices() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '\\' | '`' | '*' | '_' | '~' | '[' | ']' | '|' | '#' | '@' | '>' => out.extend(['\\', c]),
            // Prevents links to bare URLs.
            ':' if words[at..].starts_with("://") => out.push_str("\\:"),
            c => out.push(c),
        }
    }
    out
}
