//! `check`: reports the problems of transcripts; its exit code says whether any of them matters.
//!
//! Colours the rows of the report here, and only here. This module does not know how problems are found or laid out.

use std::collections::BTreeMap;
use std::io::{self, IsTerminal, Write};
use std::iter;
use std::num::NonZeroUsize;
use std::ops::Range;
use std::path::Path;

use anyhow::{Context, anyhow};
use serde::Serialize;

pub(super) use super::folders::Unread;
use super::folders::{in_folders, read_each};
use super::{ExitStatus, code_named, describe, filter_option, is_closed_pipe, name_of, setup, tell};
use crate::cli::{CheckArgs, CheckFormat};
use crate::config::ColorChoice;
use crate::diagnostic::{Code, Diagnostic, ProblemCounts, Severity};
use crate::dialect::Portable;
use crate::export::baseline::{Baseline, CheckedFile, Fingerprint, KnownProblem, StateCounts};
use crate::export::json_text::ObjectWriter;
use crate::export::{github, labels, record, sarif};
use crate::filter::{Filter, Selection};
use crate::report as snippet;
use crate::report::{SnippetLayout, SnippetRole, SnippetRow};
use crate::session::Session;
use crate::session::parallel::items::in_order;
use crate::source::workers::usual_workers;
use crate::source::{self, SourceSpec};
use crate::text::Walk;
use crate::text::output::Output;
use crate::text::sanitize::visible_str;

/// Runs `transcope check` over all files, and says whether anything matters.
pub fn run<W: Write>(args: &CheckArgs, out: &mut Output<W>) -> anyhow::Result<ExitStatus> {
    let mut setup = setup(&args.common)?;
    if let Some(list) = &args.portable {
        let names = list.split(',').map(str::trim).filter(|name| !name.is_empty());
        let portable = Portable::between(names).map_err(|words| anyhow!("--portable: {words}"))?;
        setup.dialect.portable = Some(Portable { severity: Severity::Error, ..portable });
    }
    let rules = Rules::new(args)?;
    let filter = filter_option(&args.filter, &setup)?;
    let mut baseline = args.baseline.as_deref().map(read_baseline).transpose()?;
    let mut checked = Vec::new();
    let (paths, mut unread) = in_folders(&args.paths)?;
    let mut tally = Tally::default();
    let threads = args.jobs.map_or_else(usual_workers, NonZeroUsize::get);
    let human = Human::new(setup.config.color.unwrap_or_default(), threads);
    read_each(&setup, &paths, args.jobs, &mut |spec, whole| {
        let name = name_of(spec);
        // What was read of a transcript whose end cannot be reached is checked as well.
        let outcome = whole.and_then(|whole| {
            let outcome = whole.outcome();
            let session = whole.session;
            if outcome.is_ok() || !session.text().is_empty() {
                let selection = filter.as_ref().map(|filter| Selection::on_threads(filter, &session, threads));
                let known = baseline.as_mut().map(|baseline| baseline.recognise(&name, &session, selection.as_ref()));
                let file = Checked { name: name.clone(), session, selection, known };
                tally.add(&file.problems());
                if args.format == CheckFormat::Human {
                    human.transcript(out, &file)?;
                } else {
                    checked.push(file);
                }
            }
            outcome
        });
        if let Err(error) = outcome {
            if is_closed_pipe(&error) {
                return Err(error);
            }
            let error = describe(&error);
            out.flush()?;
            writeln!(Output::stderr(), "error: {error}")?;
            unread.push(Unread { path: name, error });
        }
        Ok(())
    })?;
    let baseline = baseline.as_ref();
    match args.format {
        CheckFormat::Human => {
            human.gone(out, baseline)?;
            // Nothing can be said of files that could not be read.
            if tally.files > 0 || unread.is_empty() {
                human.summary(out, &tally, &rules, filter.as_ref(), baseline)?;
            }
        }
        CheckFormat::Json => {
            let files: Vec<_> = checked.iter().map(Checked::problems).collect();
            json(out, &files, &unread, &tally, filter.as_ref(), baseline)?;
        }
        CheckFormat::Sarif => {
            let files = checked.iter().map(Checked::problems);
            sarif::write(out, files, &baseline.map(Baseline::gone).unwrap_or_default())?;
        }
        CheckFormat::Github => annotations(out, &checked)?,
    }
    if let Some(counts) = baseline.map(Baseline::counts).filter(|_| args.format != CheckFormat::Human) {
        out.flush()?;
        tell(&format!("baseline: {counts}"))?;
    }
    Ok(if unread.is_empty() { rules.judge(&tally) } else { ExitStatus::Failure })
}

/// A text whose problems were found elsewhere.
pub(super) struct CheckedText {
    pub(super) name: String,
    /// The text with its problems.
    pub(super) session: Session,
    /// What a person is told of it beside its problems.
    pub(super) remark: Option<String>,
}

/// Reports the problems of texts as `check` does, and says whether any of them is an error.
pub(super) fn report<W: Write>(
    out: &mut Output<W>,
    texts: Vec<CheckedText>,
    unread: &[Unread],
    format: CheckFormat,
    color: ColorChoice,
) -> anyhow::Result<ExitStatus> {
    let human = Human::new(color, 1);
    let rules = Rules { deny: (Severity::Error, Vec::new()), limits: BTreeMap::new() };
    let mut tally = Tally::default();
    let mut checked = Vec::new();
    let mut remarks = Vec::new();
    for CheckedText { name, session, remark } in texts {
        let file = Checked { name, session, selection: None, known: None };
        tally.add(&file.problems());
        if format == CheckFormat::Human {
            human.transcript(out, &file)?;
        }
        remarks.extend(remark);
        checked.push(file);
    }
    match format {
        CheckFormat::Human => {
            remarks.iter().try_for_each(|words| writeln!(out, "{}", visible_str(words)))?;
            human.summary(out, &tally, &rules, None, None)?;
        }
        CheckFormat::Json => {
            let files: Vec<_> = checked.iter().map(Checked::problems).collect();
            json(out, &files, unread, &tally, None, None)?;
        }
        CheckFormat::Sarif => sarif::write(out, checked.iter().map(Checked::problems), &[])?,
        CheckFormat::Github => annotations(out, &checked)?,
    }
    out.flush()?;
    for Unread { error, .. } in unread {
        writeln!(Output::stderr(), "error: {error}")?;
    }
    Ok(if unread.is_empty() { rules.judge(&tally) } else { ExitStatus::Failure })
}

/// Writes problems as commands to the log of a workflow.
fn annotations<W: Write>(out: &mut Output<W>, checked: &[Checked]) -> io::Result<()> {
    out.own_commands();
    checked.iter().try_for_each(|file| github::write(out, &file.problems()))
}

/// What is known already.
fn read_baseline(path: &Path) -> anyhow::Result<Baseline> {
    let bytes = source::read_all(&SourceSpec::File(path.to_path_buf()))?;
    let unusable =
        |words| anyhow!("could not use the baseline {}: {words}; write one with check --format json", path.display());
    Baseline::parse(&bytes).map_err(unusable)
}

/// A transcript that was read, and what is selected of it.
struct Checked {
    name: String,
    session: Session,
    selection: Option<Selection>,
    /// Which of its problems are known already, where that is asked for.
    known: Option<Vec<bool>>,
}

impl Checked {
    fn problems(&self) -> CheckedFile<'_> {
        let Self { name, session, selection, known } = self;
        CheckedFile { path: name, session, selection: selection.as_ref(), known: known.as_deref() }
    }
}

/// How many problems of each kind were found.
#[derive(Default)]
struct Tally {
    files: usize,
    of: ProblemCounts,
}

impl Tally {
    /// Counts a file and its problems, but for those that are known already.
    fn add(&mut self, file: &CheckedFile<'_>) {
        self.files += 1;
        for (diagnostic, _) in file.iter().filter(|(_, known)| *known != Some(true)) {
            *self.of.entry((diagnostic.code, diagnostic.severity)).or_default() += 1;
        }
        // Which of those that are not listed are selected or known cannot be told.
        for (kind, count) in file.session.document().unlisted() {
            *self.of.entry(kind).or_default() += count;
        }
    }

    fn with(&self, severity: Severity) -> usize {
        self.of.iter().filter(|((_, of), _)| *of == severity).map(|(_, count)| count).sum()
    }

    fn of_code(&self, code: Code) -> usize {
        self.of.iter().filter(|((of, _), _)| *of == code).map(|(_, count)| count).sum()
    }
}

struct Rules {
    /// What is denied from this severity on, and codes that are denied whatever theirs is.
    deny: (Severity, Vec<Code>),
    limits: BTreeMap<Code, usize>,
}

impl Rules {
    fn new(args: &CheckArgs) -> anyhow::Result<Self> {
        let mut limits = BTreeMap::new();
        for limit in &args.limits {
            let (name, number) = limit.split_once('=').with_context(|| format!("--max {limit}: expected CODE=N"))?;
            let code = code_named(name).with_context(|| format!("--max {limit}"))?;
            let number = number.parse().with_context(|| format!("--max {limit}: {number:?} is not a number"))?;
            limits.insert(code, number);
        }
        let mut deny = (Severity::Error, Vec::new());
        for what in &args.deny {
            match what.as_str() {
                "warnings" => deny.0 = Severity::Warning,
                name => deny.1.push(code_named(name).with_context(|| format!("--deny {name}"))?),
            }
        }
        Ok(Self { deny, limits })
    }

    /// A code with a limit counts only when it goes beyond it, whatever its severity; others by their severity.
    fn judge(&self, tally: &Tally) -> ExitStatus {
        let is_denied = |(code, severity): &(Code, Severity)| *severity >= self.deny.0 || self.deny.1.contains(code);
        let denied = tally.of.keys().any(|found| is_denied(found) && !self.limits.contains_key(&found.0));
        if denied || self.exceeded(tally).next().is_some() { ExitStatus::Findings } else { ExitStatus::Success }
    }

    fn exceeded<'a>(&'a self, tally: &'a Tally) -> impl Iterator<Item = (Code, usize, usize)> + 'a {
        let counted = self.limits.iter().map(|(&code, &limit)| (code, tally.of_code(code), limit));
        counted.filter(|(_, count, limit)| count > limit)
    }
}

struct Human {
    colored: bool,
    width: usize,
    /// On which the problems of a file are laid out.
    threads: usize,
}

/// Text with the styles of its pieces, in one: thousands of strings that one thread makes and another one drops would have
/// both wait for the same memory.
#[derive(Default)]
struct StyledText {
    text: String,
    /// The style of each piece, and where it ends.
    pieces: Vec<(&'static str, usize)>,
}

impl StyledText {
    fn push(&mut self, style: &'static str, text: &str) {
        self.text.push_str(text);
        // What has no style is one piece with what has none in front of it.
        self.pieces.pop_if(|(before, _)| before.is_empty() && style.is_empty());
        self.pieces.push((style, self.text.len()));
    }

    fn pieces(&self) -> impl Iterator<Item = (&'static str, &str)> {
        let starts = iter::once(0).chain(self.pieces.iter().map(|(_, end)| *end));
        starts.zip(&self.pieces).map(|(start, &(style, end))| (style, &self.text[start..end]))
    }
}

/// Columns of a line where the output is no terminal.
const WIDTH: usize = 100;

impl Human {
    fn new(color: ColorChoice, threads: usize) -> Self {
        let stdout = io::stdout();
        let terminal = stdout.is_terminal();
        let columns = rustix::termios::tcgetwinsize(stdout).ok().map(|size| usize::from(size.ws_col));
        let width = columns.filter(|&columns| terminal && columns > 0).unwrap_or(WIDTH);
        Self { colored: color.applies(terminal), width, threads }
    }

    /// Shows the problems of a file that are not known already.
    fn transcript<W: Write>(&self, out: &mut Output<W>, file: &Checked) -> io::Result<()> {
        let name = if file.name == "-" { "stdin" } else { &file.name };
        let layout = SnippetLayout { name: Some(name), width: self.width };
        let new = file.problems().iter().filter(|(_, known)| *known != Some(true));
        let problems: Vec<Diagnostic> = new.map(|(problem, _)| problem).collect();
        let (problems, session) = (&problems, &file.session);
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

    /// Shows what is gone, a line for each.
    fn gone<W: Write>(&self, out: &mut Output<W>, baseline: Option<&Baseline>) -> io::Result<()> {
        let gone = baseline.map(Baseline::gone).unwrap_or_default();
        for KnownProblem { path, code, message, line, .. } in &gone {
            self.styled(out, "\x1b[1;32m", "gone")?;
            writeln!(out, "{}", visible_str(&format!("[{code}]: {message} ({path}:{line})")))?;
        }
        if gone.is_empty() { Ok(()) } else { writeln!(out) }
    }

    /// Adds rows to a text, with their styles if there are any.
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

    fn summary<W: Write>(
        &self,
        out: &mut Output<W>,
        tally: &Tally,
        rules: &Rules,
        filter: Option<&Filter>,
        baseline: Option<&Baseline>,
    ) -> io::Result<()> {
        let found: Vec<(Severity, String)> = Severity::ALL
            .into_iter()
            .filter_map(|severity| match tally.with(severity) {
                0 => None,
                count => Some((severity, labels::count(count, severity.word()))),
            })
            .collect();
        if found.is_empty() {
            self.styled(out, "\x1b[1;32m", if baseline.is_some() { "no new problems" } else { "no problems" })?;
        }
        for (number, (severity, words)) in found.iter().enumerate() {
            if number > 0 {
                write!(out, ", ")?;
            }
            self.styled(out, style(SnippetRole::Severity(*severity)), words)?;
        }
        write!(out, " in {}", labels::count(tally.files, "file"))?;
        if let Some(counts) = baseline.map(Baseline::counts) {
            write!(out, " ({counts})")?;
        }
        match filter {
            Some(filter) => writeln!(out, " (filter: {})", visible_str(&filter.to_string()))?,
            None => writeln!(out)?,
        }
        for (code, count, limit) in rules.exceeded(tally) {
            writeln!(out, "{count} × {}, but at most {limit} allowed", code.name())?;
        }
        Ok(())
    }
}

/// The escape sequence that colours a piece (ECMA-48 SGR); the 8 basic colours, so that they suit
/// the person's own palette.
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

/// Writes the problems of a transcript as `check --format json` does.
pub(super) fn write_problems<W: Write>(out: &mut W, file: CheckedFile<'_>) -> io::Result<()> {
    let mut tally = Tally::default();
    tally.add(&file);
    json(out, &[file], &[], &tally, None, None)
}

#[derive(Serialize)]
struct InFile<'a> {
    path: &'a str,
    #[serde(flatten)]
    diagnostic: record::DiagnosticRecord,
    fingerprint: Fingerprint,
    /// Whether the baseline has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    known: Option<bool>,
}

fn json<W: Write>(
    out: &mut W,
    files: &[CheckedFile<'_>],
    unread: &[Unread],
    tally: &Tally,
    filter: Option<&Filter>,
    baseline: Option<&Baseline>,
) -> io::Result<()> {
    let all = files.iter().flat_map(|file| {
        let (path, session, mut walk) = (file.path, file.session, Walk::default());
        file.iter().map(move |(problem, known)| {
            let fingerprint = Fingerprint::new(path, session, &problem);
            InFile { path, diagnostic: record::diagnostic(session, problem, &mut walk), fingerprint, known }
        })
    });
    let mut object = ObjectWriter::new(out);
    object.member("schema_version", &record::SCHEMA_VERSION)?;
    if let Some(filter) = filter {
        object.member("filter", &filter.to_string())?;
    }
    object.list("diagnostics", all)?;
    if let Some(baseline) = baseline {
        let StateCounts { known, new, gone } = baseline.counts();
        object
            .list("gone", baseline.gone().into_iter())?
            .member("baseline", &BTreeMap::from([("known", known), ("new", new), ("gone", gone)]))?;
    }
    object
        .member("unread", &unread)?
        .member("files", &tally.files)?
        .member("errors", &tally.with(Severity::Error))?
        .member("warnings", &tally.with(Severity::Warning))?
        .member("hints", &tally.with(Severity::Hint))?
        .member("notes", &tally.with(Severity::Note))?
        .end()
}
