//! `check`: reports the problems of transcripts; the exit status tells if any of them is denied.

mod text;

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow, bail};
use clap::{Args, ValueEnum};
use serde::Serialize;
use serde_json::{Map, Value};

use super::export::tell_redacted;
pub(super) use super::folders::Unread;
use super::folders::read_each;
use super::options::{CommonArgs, FilterArgs};
use super::outcome::{ExitStatus, code_named, nearest, print_to_stderr};
use super::text_stream;
use super::transcript::{filter_of_command, setup};
use crate::config::{ColorChoice, Setup};
use crate::diagnostic::{Code, ProblemCounts, Severity};
use crate::dialect::Portable;
use crate::export::baseline::{Baseline, CheckedFile, Fingerprint, ProblemDetails, StateCounts};
use crate::export::json_text::ObjectWriter;
use crate::export::{github, record, sarif};
use crate::filter::{Filter, Selection};
use crate::redact::Redactor;
use crate::session::Session;
use crate::source::workers::usual_workers;
use crate::source::{self, SourceSpec};
use crate::text::Walk;
use crate::text::output::Output;
use crate::text::sanitize::visible_str;
use text::Human;

/// Report problems; exit with 1 if there is an error
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  transcope check session.md
  transcope check --deny warnings logs/*.txt
  transcope check --deny tool-failed session.jsonl
  transcope check --max near-miss-marker=0 --max odd-key=3 session.md
  transcope check --filter 'tool:WriteFile' session.md
  transcope check --format sarif --redact session.md > session.sarif
  transcope check --format json logs > known.json; transcope check --baseline known.json logs
  jq -c '{id, text: .completion}' answers.jsonl | transcope check --each > checked.jsonl

With --baseline, what FILE has is known: it is not reported, and neither the exit status nor the
counts regard it. A problem is recognised by its code, the file's name, the tool and the text of its
line, wherever that stands. What is gone is listed; json marks each problem as known or not, and
SARIF has baselineState.")]
pub struct CheckArgs {
    /// Transcripts or directories of them; - is standard input
    #[arg(required_unless_present = "each", value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// Read many texts from standard input: JSON lines, each a string or an object with text and id
    #[arg(long, conflicts_with_all = ["paths", "format", "baseline", "redact"])]
    each: bool,
    /// Output format
    #[arg(long, value_enum, default_value = "human")]
    format: CheckFormat,
    /// Exit with 1 for warnings, or for problems with this code, too; repeatable
    #[arg(long, value_name = "warnings|CODE")]
    deny: Vec<String>,
    /// Allow up to N problems with this code and exit with 1 if there are more; repeatable
    #[arg(long = "max", value_name = "CODE=N")]
    limits: Vec<String>,
    /// Report messages that runtimes read differently [LIST: vllm,sglang:hermes; default: all that are known]
    ///
    /// Name the tools of the request with --schema: many parsers deliver nothing without them. Parsers that are known
    /// too little (dialects --conformance) are left out, unless they are named.
    #[arg(long, value_name = "LIST", num_args = 0..=1, require_equals = true, default_missing_value = "")]
    portable: Option<String>,
    /// Report only what is new since FILE, an earlier output of --format json
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,
    /// Redact secrets, mail addresses, private hosts and names of users; quoted lines show asterisks
    #[arg(long, conflicts_with = "baseline")]
    redact: bool,
    #[command(flatten)]
    filter: FilterArgs,
    /// Number of threads that read and check [default: one for each processor]
    #[arg(short = 'j', long, value_name = "N")]
    jobs: Option<NonZeroUsize>,
    #[command(flatten)]
    pub(super) common: CommonArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum CheckFormat {
    /// Each problem with the lines it concerns
    Human,
    /// One JSON object
    Json,
    /// SARIF 2.1.0
    Sarif,
    /// GitHub workflow annotations
    Github,
}

/// Runs `transcope check` on all files. The status is `Findings` if a problem is denied.
pub fn run<W: Write>(args: &CheckArgs, out: &mut Output<W>) -> anyhow::Result<ExitStatus> {
    let mut setup = setup(&args.common)?;
    if let Some(list) = &args.portable {
        let names = list.split(',').map(str::trim).filter(|name| !name.is_empty());
        let portable = Portable::between(names).map_err(|words| anyhow!("--portable: {words}"))?;
        setup.dialect.portable = Some(Portable { severity: Severity::Error, ..portable });
    }
    let rules = Rules::new(args)?;
    let filter = filter_of_command(&args.filter, &setup)?;
    if args.each {
        return check_each(&setup, &rules, filter.as_ref(), out);
    }
    let mut baseline = args.baseline.as_deref().map(read_baseline).transpose()?;
    let mut shown_filter = filter.as_ref().map(Filter::to_string);
    let mut checked = Vec::new();
    let mut tally = Tally::default();
    let threads = args.jobs.map_or_else(usual_workers, NonZeroUsize::get);
    let human = Human::new(setup.config.color.unwrap_or_default(), threads);
    let unread = read_each(&setup, &args.paths, args.jobs, out, |out, name, session| {
        args.filter.part.check(&name, &session)?;
        let selection = filter.as_ref().map(|filter| Selection::on_threads(filter, &session, threads));
        let known = baseline.as_mut().map(|baseline| baseline.recognise(&name, &session, selection.as_ref()));
        let details = ProblemDetails::new();
        let mut file = Checked { name, session, selection, known, redactor: None, details };
        if args.redact {
            let mut redactor = Redactor::new(&file.session, setup.config.own_patterns()?);
            redactor.learn_file(&file.session);
            tell_redacted(&redactor)?;
            file.name = redactor.clean_name(&file.name);
            shown_filter = shown_filter.take().map(|filter| redactor.clean(&filter).into_owned());
            file.redactor = Some(redactor);
        }
        tally.add(&file.problems());
        if args.format == CheckFormat::Human {
            human.transcript(out, &file)?;
        } else {
            checked.push(file);
        }
        Ok(())
    })?;
    let baseline = baseline.as_ref();
    match args.format {
        CheckFormat::Human => {
            human.gone(out, baseline)?;
            // There is nothing to summarize about files that could not be read.
            if tally.files > 0 || unread.is_empty() {
                human.summary(out, &tally, &rules, shown_filter.as_deref(), baseline)?;
            }
        }
        CheckFormat::Json => {
            let files: Vec<_> = checked.iter().map(Checked::problems).collect();
            json(out, &files, &unread, &tally, shown_filter.as_deref(), baseline)?;
        }
        CheckFormat::Sarif => {
            let files = checked.iter().map(Checked::problems);
            sarif::write(out, files, &baseline.map(Baseline::gone).unwrap_or_default())?;
        }
        CheckFormat::Github => annotations(out, &checked)?,
    }
    if let Some(counts) = baseline.map(Baseline::counts).filter(|_| args.format != CheckFormat::Human) {
        out.flush()?;
        print_to_stderr(&format!("baseline: {counts}"))?;
    }
    Ok(if unread.is_empty() { rules.judge(&tally) } else { ExitStatus::Failure })
}

/// Checks each text of standard input; the objects equal the output of `--format json`.
fn check_each<W: Write>(
    setup: &Setup,
    rules: &Rules,
    filter: Option<&Filter>,
    out: &mut Output<W>,
) -> anyhow::Result<ExitStatus> {
    let (mut all, shown_filter) = (Tally::default(), filter.map(Filter::to_string));
    let status = text_stream::run(out, |object, text| {
        let session = text_stream::session(setup, text);
        let selection = filter.map(|filter| Selection::new(filter, &session));
        let details = ProblemDetails::new();
        let file = Checked { name: "-".to_owned(), session, selection, known: None, redactor: None, details };
        let mut tally = Tally::default();
        tally.add(&file.problems());
        all.add(&file.problems());
        Ok(json(object, &[file.problems()], &[], &tally, shown_filter.as_deref(), None)?)
    })?;
    Ok(if status == ExitStatus::Success { rules.judge(&all) } else { status })
}

/// A text whose problems were found by other code.
pub(super) struct CheckedText {
    pub(super) name: String,
    /// The text with its problems.
    pub(super) session: Session,
    /// A remark for the user in addition to the problems.
    pub(super) remark: Option<String>,
    /// Further members of problems in JSON.
    pub(super) details: ProblemDetails,
}

/// Reports the problems of texts as `check` does. The status is `Findings` if any of them is an error.
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
    for CheckedText { name, session, remark, details } in texts {
        let file = Checked { name, session, selection: None, known: None, redactor: None, details };
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

/// Writes problems as workflow commands of GitHub Actions.
fn annotations<W: Write>(out: &mut Output<W>, checked: &[Checked]) -> io::Result<()> {
    out.own_commands();
    checked.iter().try_for_each(|file| github::write(out, &file.problems()))
}

/// Reads the known problems.
fn read_baseline(path: &Path) -> anyhow::Result<Baseline> {
    let bytes = source::read_all(&SourceSpec::File(path.to_path_buf()))?;
    let unusable =
        |words| anyhow!("could not use the baseline {}: {words}; write one with check --format json", path.display());
    Baseline::parse(&bytes).map_err(unusable)
}

/// A transcript that was read, and the selected part of it.
struct Checked {
    name: String,
    session: Session,
    selection: Option<Selection>,
    /// For each problem, whether the baseline has it; `None` without a baseline.
    known: Option<Vec<bool>>,
    redactor: Option<Redactor>,
    details: ProblemDetails,
}

impl Checked {
    fn problems(&self) -> CheckedFile<'_> {
        let Self { name, session, selection, known, redactor, details } = self;
        CheckedFile {
            path: name,
            session,
            selection: selection.as_ref(),
            known: known.as_deref(),
            redactor: redactor.as_ref(),
            details: Some(details),
        }
    }
}

/// Numbers of problems by code and severity.
#[derive(Default)]
struct Tally {
    files: usize,
    /// Files of an unknown format, read as plain text.
    unknown: usize,
    of: ProblemCounts,
}

impl Tally {
    /// Counts a file and its problems, except known ones.
    fn add(&mut self, file: &CheckedFile<'_>) {
        self.files += 1;
        self.unknown += usize::from(file.has_unknown_format());
        for (diagnostic, _) in file.iter().filter(|(_, known)| *known != Some(true)) {
            *self.of.entry((diagnostic.code, diagnostic.severity)).or_default() += 1;
        }
        // It is unknown which of the unlisted problems are selected or known.
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
    /// The lowest severity that is denied, and codes that are denied whatever their severity.
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
                name if Code::from_name(name).is_none() && !nearest(name, ["warnings"].into_iter()).is_empty() => {
                    bail!("--deny {name}: unknown code {name:?}; did you mean warnings?")
                }
                name => deny.1.push(code_named(name).with_context(|| format!("--deny {name}"))?),
            }
        }
        Ok(Self { deny, limits })
    }

    /// A code with a limit counts only if it exceeds the limit, whatever its severity; other codes count by severity.
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
    #[serde(flatten)]
    details: Option<&'a Map<String, Value>>,
    fingerprint: Fingerprint,
    /// True if the baseline has it.
    #[serde(skip_serializing_if = "Option::is_none")]
    known: Option<bool>,
}

fn json<W: Write>(
    out: &mut W,
    files: &[CheckedFile<'_>],
    unread: &[Unread],
    tally: &Tally,
    filter: Option<&str>,
    baseline: Option<&Baseline>,
) -> io::Result<()> {
    let all = files.iter().flat_map(|file| {
        let (path, session, mut walk) = (file.path, file.session, Walk::default());
        file.iter().map(move |(problem, known)| {
            let fingerprint = Fingerprint::new(path, session, &problem);
            let details = file.details.and_then(|details| details.get(&problem));
            InFile { path, diagnostic: record::diagnostic(session, problem, &mut walk), details, fingerprint, known }
        })
    });
    let mut object = ObjectWriter::new(out);
    object.member("schema_version", &record::SCHEMA_VERSION)?;
    if let Some(filter) = filter {
        object.member("filter", &filter)?;
    }
    object.list("diagnostics", all)?;
    if let Some(baseline) = baseline {
        let StateCounts { known, new, gone } = baseline.counts();
        object
            .list("gone", baseline.gone().into_iter())?
            .member("baseline", &BTreeMap::from([("known", known), ("new", new), ("gone", gone)]))?;
    }
    let unknown: Vec<&str> = files.iter().filter(|file| file.has_unknown_format()).map(|file| file.path).collect();
    if !unknown.is_empty() {
        object.member("unknown_format", &unknown)?;
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
