//! Text for an issue: the problems of a transcript, the first failed call, and how to reproduce them.
//!
//! Trackers turn anything like a name or number (`@ada`, `#1`) into a link, except in code; so all text from the file
//! is in code, with fences longer than any in it. The result fits into one comment.

use std::io::{self, Write};

use super::markdown::fence;
use crate::container::Container;
use crate::diagnostic::{Diagnostic, Severity};
use crate::document::Item;
use crate::session::Session;
use crate::text::sanitize::visible_str;
use crate::text::wrap::visible_lines;
use crate::text::{Span, Walk};
use crate::wording::{count, problems, sign};

/// Maximum number of problems listed.
const MOST: usize = 20;

/// Maximum length in characters of a problem's message and of a name.
const LONGEST_MESSAGE: usize = 300;
const LONGEST_NAME: usize = 100;

/// Maximum length in bytes of a call's text. The total stays below 65,536 characters, the limit for a comment on
/// GitHub.
const LONGEST_CALL: usize = 30_000;

/// The bundle to attach to an issue.
pub struct Attachment<'a> {
    /// Name of the transcript, redacted.
    pub name: &'a str,
    /// Name of the bundle.
    pub bundle: &'a str,
    /// Summary of what was redacted, by kind; `None` if redaction was turned off.
    pub redacted: Option<&'a str>,
}

/// Writes Markdown about a completely read transcript, which is redacted unless turned off.
pub fn write<W: Write>(out: &mut W, session: &Session, attachment: &Attachment<'_>) -> io::Result<()> {
    let document = session.document();
    let outcomes = session.outcomes();
    let container = session.choice().map_or(Container::PLAIN, |choice| choice.about.name);
    let Attachment { name, bundle, redacted } = attachment;
    let errors = count(document.errors(), "error");
    writeln!(out, "# {}: {errors}, {}\n", code(name, LONGEST_NAME), count(outcomes.failed, "failed call"))?;
    writeln!(out, "- transcope {}", env!("CARGO_PKG_VERSION"))?;
    writeln!(
        out,
        "- container {container}, {}, {}",
        count(session.file().len(), "byte"),
        count(outcomes.calls, "call")
    )?;
    let dialects: Vec<&str> = document.dialects_seen().collect();
    if !dialects.is_empty() {
        writeln!(out, "- calls in {}", dialects.join(", "))?;
    }
    let bundle = code(bundle, LONGEST_NAME);
    writeln!(out, "\nAttach {bundle} to this issue: it holds the transcript and the settings with which it is read.")?;
    match redacted {
        Some("") => writeln!(out, "Nothing was redacted: no secrets of known kinds were found.")?,
        Some(found) => writeln!(out, "Redacted: {found}.")?,
        None => writeln!(out, "**The bundle is not redacted.**")?,
    }
    let first = first_of_call(session);
    let mut walk = Walk::default();
    writeln!(out, "\n## Reproduce\n\n```sh")?;
    // Quotes the bundle's name for the shell, since a user may have chosen it.
    let file = shell_word(attachment.bundle);
    if let Some(problem) = &first {
        let place = session.place_of_problem(&mut walk, problem);
        writeln!(out, "transcope --at {}:{} {file}", place.line, place.column)?;
    }
    writeln!(out, "transcope check {file}\n```")?;
    write_problems(out, session)?;
    first.map_or(Ok(()), |problem| write_call(out, session, &problem))
}

/// Writes the table of problems, most severe first.
fn write_problems<W: Write>(out: &mut W, session: &Session) -> io::Result<()> {
    let mut all: Vec<Diagnostic> = problems(session, None).take(100_000).collect();
    if all.is_empty() {
        return writeln!(out, "\nNo problems were found.");
    }
    let total = session.document().diagnostics().len();
    all.sort_by_key(|problem| std::cmp::Reverse(problem.severity));
    writeln!(out, "\n## Problems\n\n| place | | code | message |\n|---|---|---|---|")?;
    for problem in all.iter().take(MOST) {
        let place = session.place_of_problem(&mut Walk::default(), problem);
        let (severity, sign) = (problem.severity.word(), sign(problem.severity));
        // Even in code, an unescaped bar separates cells.
        let message = code(&problem.message, LONGEST_MESSAGE).replace('|', "\\|");
        let code = problem.code.name();
        writeln!(out, "| {}:{} | {sign} {severity} | `{code}` | {message} |", place.line, place.column)?;
    }
    if total > MOST { writeln!(out, "\n{} more are in the bundle.", total - MOST) } else { Ok(()) }
}

/// The first problem of a rejected or failed call; if there is none, the first problem of any call.
fn first_of_call(session: &Session) -> Option<Diagnostic> {
    let of_call = |problem: &Diagnostic| call_of(session, problem).is_some();
    let is_failure = |problem: &Diagnostic| matches!(problem.severity, Severity::Error | Severity::Note);
    let first = problems(session, None).find(|problem| is_failure(problem) && of_call(problem));
    first.or_else(|| problems(session, None).find(of_call))
}

/// Name and span of the call that a problem is about: its own, or the one that a result answers.
fn call_of(session: &Session, problem: &Diagnostic) -> Option<(String, Span)> {
    let document = session.document();
    let item = problem.item?;
    let item = match document.items().get(item)? {
        Item::Result(result) => result.call?.0,
        _ => item,
    };
    let call = document.call(item)?;
    Some((call.name(session.text()), call.span))
}

/// Writes the raw text of a call.
fn write_call<W: Write>(out: &mut W, session: &Session, problem: &Diagnostic) -> io::Result<()> {
    let Some((name, span)) = call_of(session, problem) else { return Ok(()) };
    let cut = Span::new(span.start, span.end.min(span.start + LONGEST_CALL));
    let text = visible_lines(&session.text().read_str(cut));
    // Escapes of invisible characters have made the text longer.
    let text = &text[..text.floor_char_boundary(LONGEST_CALL)];
    writeln!(out, "\n<details><summary>The first call with a problem</summary>\n")?;
    writeln!(out, "{}, {}:", code(&name, LONGEST_NAME), code(&problem.message, LONGEST_MESSAGE))?;
    // Text full of backticks would need fences as long as itself.
    let mut block = fence(text);
    if block.len() > text.len() + LONGEST_NAME * 2 {
        block = fence(&text[..text.floor_char_boundary(LONGEST_CALL / 8)]);
    }
    writeln!(out, "\n{block}")?;
    if cut.end < span.end {
        writeln!(out, "\nThe call has {} more.", count(span.end - cut.end, "byte"))?;
    }
    writeln!(out, "\n</details>")
}

/// Text as inline code, truncated to `longest` characters.
fn code(words: &str, longest: usize) -> String {
    let words = visible_str(words);
    let mut short: String = words.chars().take(longest).collect();
    if short.len() < words.len() {
        short.push('…');
    }
    let runs = short.split(|c| c != '`').map(str::len).max().unwrap_or_default();
    let (fence, space) = ("`".repeat(runs + 1), if runs > 0 || short.trim() != short { " " } else { "" });
    if short.is_empty() { "` `".to_owned() } else { format!("{fence}{space}{short}{space}{fence}") }
}

/// Quotes a name as one shell word.
fn shell_word(name: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '-');
    let name = visible_str(name).replace('`', "");
    if name.chars().all(is_plain) { name } else { format!("'{}'", name.replace('\'', "'\\''")) }
}
