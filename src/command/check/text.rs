//! The problems of transcripts as text for people, with the lines that they concern, optionally coloured.

use std::io::{self, IsTerminal, Write};
use std::iter;
use std::ops::Range;

use super::{Checked, Rules, Tally};
use crate::command::options::window_columns;
use crate::config::ColorChoice;
use crate::container::Choice;
use crate::diagnostic::{Diagnostic, Severity};
use crate::export::baseline::{Baseline, KnownProblem};
use crate::session::parallel::items::in_order;
use crate::snippet;
use crate::snippet::{SnippetLayout, SnippetRole, SnippetRow};
use crate::text::Walk;
use crate::text::output::Output;
use crate::text::sanitize::visible_str;
use crate::wording;

pub(super) struct Human {
    colored: bool,
    width: usize,
    /// Number of threads that lay out the problems of a file.
    threads: usize,
}

/// Text with styled pieces in one buffer. With a string per piece, allocating on one thread and freeing on another
/// would have both threads wait for the allocator.
#[derive(Default)]
struct StyledText {
    text: String,
    /// The style of each piece and the offset of its end.
    pieces: Vec<(&'static str, usize)>,
}

impl StyledText {
    fn push(&mut self, style: &'static str, text: &str) {
        self.text.push_str(text);
        // Adjacent pieces without a style are merged.
        self.pieces.pop_if(|(before, _)| before.is_empty() && style.is_empty());
        self.pieces.push((style, self.text.len()));
    }

    fn pieces(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let starts = iter::once(0).chain(self.pieces.iter().map(|(_, end)| *end));
        starts.zip(&self.pieces).map(|(start, &(style, end))| (style, &self.text[start..end]))
    }
}

/// Columns of a line if the output is not a terminal.
const WIDTH: usize = 100;

impl Human {
    pub(super) fn new(color: ColorChoice, threads: usize) -> Self {
        let terminal = io::stdout().is_terminal();
        let width = window_columns().unwrap_or(WIDTH);
        Self { colored: color.applies(terminal), width, threads }
    }

    /// Shows the new problems of a file.
    pub(super) fn transcript<W: Write>(&self, out: &mut Output<W>, file: &Checked) -> io::Result<()> {
        let name = if file.name == "-" { "stdin" } else { &file.name };
        let layout = SnippetLayout { name: Some(name), width: self.width };
        if file.problems().has_unknown_format() {
            self.styled(out, style(SnippetRole::Severity(Severity::Note)), "note")?;
            writeln!(out, ": {}: {}\n", visible_str(name), Choice::UNKNOWN)?;
        }
        let new = file.problems().iter().filter(|(_, known)| *known != Some(true));
        let problems: Vec<Diagnostic> = new.map(|(problem, _)| problem).collect();
        let (problems, session) = (&problems, &file.session);
        if let Some(redactor) = &file.redactor {
            let (mut walk, mut snippets) = (Walk::default(), StyledText::default());
            for problem in problems {
                let rows =
                    snippet::masked_rows(problem, session, layout, &mut walk, Some(&|text| redactor.masked(text)));
                self.add(&rows, &mut snippets);
                snippets.push("", "\n");
            }
            return snippets.pieces().try_for_each(|(style, text)| self.styled(out, style, text));
        }
        let snippets = || {
            let mut walk = Walk::default();
            move |chunk: Range<usize>| {
                let mut snippets = StyledText::default();
                for problem in &problems[chunk] {
                    self.add(&snippet::rows(problem, session, layout, &mut walk), &mut snippets);
                    snippets.push("", "\n");
                }
                snippets
            }
        };
        in_order(problems.len(), self.threads, snippets, |snippets| {
            snippets.pieces().try_for_each(|(style, text)| self.styled(out, style, text))
        })
    }

    /// Shows the problems of the baseline that are gone, one per line.
    pub(super) fn gone<W: Write>(&self, out: &mut Output<W>, baseline: Option<&Baseline>) -> io::Result<()> {
        let gone = baseline.map(Baseline::gone).unwrap_or_default();
        for KnownProblem { path, code, message, line, .. } in &gone {
            self.styled(out, "\x1b[1;32m", "gone")?;
            writeln!(out, "{}", visible_str(&format!("[{code}]: {message} ({path}:{line})")))?;
        }
        if gone.is_empty() { Ok(()) } else { writeln!(out) }
    }

    /// Appends rows to a text, with their styles if colours are on.
    fn add(&self, rows: &[SnippetRow], text: &mut StyledText) {
        for row in rows {
            if self.colored {
                row.pieces.iter().for_each(|(role, words)| text.push(style(*role), words));
            } else {
                text.push("", &row.text());
            }
            text.push("", "\n");
        }
    }

    fn styled<W: Write>(&self, out: &mut Output<W>, style: &'static str, text: &str) -> io::Result<()> {
        if self.colored && !style.is_empty() && !text.trim().is_empty() {
            out.own_sequence(style)?;
            write!(out, "{text}")?;
            out.own_sequence("\x1b[0m")
        } else {
            write!(out, "{text}")
        }
    }

    pub(super) fn summary<W: Write>(
        &self,
        out: &mut Output<W>,
        tally: &Tally,
        rules: &Rules,
        filter: Option<&str>,
        baseline: Option<&Baseline>,
    ) -> io::Result<()> {
        let found: Vec<(Severity, String)> = Severity::ALL
            .into_iter()
            .filter_map(|severity| match tally.with(severity) {
                0 => None,
                count => Some((severity, wording::count(count, severity.word()))),
            })
            .collect();
        if found.is_empty() && tally.unknown == tally.files && tally.unknown > 0 {
            return writeln!(out, "no verdict on {} of unknown format", wording::count(tally.unknown, "file"));
        }
        if found.is_empty() {
            self.styled(out, "\x1b[1;32m", if baseline.is_some() { "no new problems" } else { "no problems" })?;
        }
        for (number, (severity, words)) in found.iter().enumerate() {
            if number > 0 {
                write!(out, ", ")?;
            }
            self.styled(out, style(SnippetRole::Severity(*severity)), words)?;
        }
        write!(out, " in {}", wording::count(tally.files, "file"))?;
        if tally.unknown > 0 {
            write!(out, ", no verdict on {} of unknown format", tally.unknown)?;
        }
        if let Some(counts) = baseline.map(Baseline::counts) {
            write!(out, " ({counts})")?;
        }
        match filter {
            Some(filter) => writeln!(out, " (filter: {})", visible_str(filter))?,
            None => writeln!(out)?,
        }
        for (code, count, limit) in rules.exceeded(tally) {
            writeln!(out, "{count} × {}, but at most {limit} allowed", code.name())?;
        }
        Ok(())
    }
}

/// The escape sequence that colours a piece (ECMA-48 SGR). Only the 8 basic colours are used, which follow the palette
/// of the user's terminal.
fn style(role: SnippetRole) -> &'static str {
    match role {
        SnippetRole::Severity(Severity::Error) | SnippetRole::Primary(Severity::Error) => "\x1b[1;31m",
        SnippetRole::Severity(Severity::Warning) | SnippetRole::Primary(Severity::Warning) => "\x1b[1;33m",
        SnippetRole::Severity(Severity::Hint | Severity::Note)
        | SnippetRole::Primary(Severity::Hint | Severity::Note) => "\x1b[1;36m",
        SnippetRole::Message | SnippetRole::Label => "\x1b[1m",
        SnippetRole::Gutter | SnippetRole::Related => "\x1b[34m",
        SnippetRole::Place | SnippetRole::Source | SnippetRole::Advice => "",
    }
}
