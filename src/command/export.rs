//! `export`: writes a report to share.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use clap::{Args, ValueEnum};

use super::options::{CommonArgs, FilterArgs};
use super::outcome::{ExitStatus, print_to_stderr};
use super::transcript::{ReadTranscript, filter_of_command, read_path};
use crate::export::html::PageForm;
use crate::export::page::ReportPage;
use crate::export::{html, json, markdown, redaction};
use crate::filter::{Filter, Selection};
use crate::redact::{RedactionReport, Redactor};
use crate::session::Session;
use crate::system::whole_file::{self, IfExists};
use crate::text::output::Output;
use crate::wording::{count, file_name};

/// Write a report to share: HTML, Markdown or JSON
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  transcope export --to html -o report.html session.jsonl
  transcope export --to markdown --redact session.jsonl > ticket.md
  transcope export --to html --redact --report - -o report.html session.jsonl
  transcope export --to markdown --filter failed session.jsonl
  transcope export --to html --interactive -o report.html session.jsonl

The HTML page is self-contained and loads nothing. It runs no script; with --interactive it has one, to filter,
fold and select. An existing file is never overwritten.

--redact replaces, the same thing by the same word everywhere:
  secrets         [secret:github-token#1]  known by their format, by what precedes them (password=,
                  Authorization:, ://user:) or by the name of their parameter, and tokens of other
                  vendors by their shape: a prefix and random characters; also escaped, in base64
                  or with percent signs
  mail addresses  [email#1]  except addresses at example.com, and noreply@
  hosts           [host#1]   of private domains (.local, .internal, .corp, .lan, .ts.net) and addresses,
                  IPv6 addresses, and the machine in a shell's prompt; other public hosts stay
  MAC addresses   [mac#1]
  user names      [user#1]   in paths and prompts, except shared accounts (root, runner, ubuntu); then
                  wherever such a name of 4 letters or more is a word
  your patterns   [ticket#1] in config.yaml: redact: { patterns: { ticket: \"ACME-[0-9]+\" } };
                  redact: { also: [...] } lists texts, and patterns between slashes, that are replaced,
                  too; redact: { keep: [acme.org, \"/vnd_[a-z]+/\"] } lists texts, domains and
                  patterns of values that stay
It says by kind how much it found, and cannot find everything: review the report before sharing it.
--report lists each replaced value with its rule, its places, its public prefix and its length, and each
value that looks like a secret and stays, with the reason; it holds no secret.
Without --redact, export warns if it finds secrets.")]
pub struct ExportArgs {
    /// Transcript; - is standard input
    path: PathBuf,
    /// Report format
    #[arg(long, value_enum, value_name = "FORMAT")]
    to: ExportFormat,
    /// Output file, which must not exist [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// HTML that can be filtered and folded, with a script
    #[arg(long)]
    interactive: bool,
    /// Replace secrets, mail addresses, private hosts and names of users
    #[arg(long)]
    redact: bool,
    /// List what was replaced and what may be a secret and stays; - prints it, on standard error without -o
    #[arg(long, value_name = "FILE", requires = "redact")]
    report: Option<PathBuf>,
    /// Format of that list [default: json for FILE.json, else human]
    #[arg(long, id = "report-format", value_enum, value_name = "FORMAT", requires = "report")]
    report_format: Option<ListFormat>,
    #[command(flatten)]
    filter: FilterArgs,
    #[command(flatten)]
    pub(super) common: CommonArgs,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ExportFormat {
    /// Self-contained web page
    Html,
    /// Markdown, for a ticket
    Markdown,
    /// The same JSON as parse
    Json,
}

/// The format of the list of replaced and kept values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ListFormat {
    /// Lines for people
    Human,
    /// One JSON object
    Json,
}

/// Maximum number of user names listed.
const MOST_NAMES: usize = 20;

/// Runs `transcope export`, to a new file or to `out`.
pub fn run<W: Write>(args: &ExportArgs, out: &mut W) -> anyhow::Result<ExitStatus> {
    let list = args.report.as_deref().filter(|path| path.as_os_str() != "-");
    for path in [args.output.as_deref(), list].into_iter().flatten() {
        if path.symlink_metadata().is_ok() || list.is_some_and(|list| args.output.as_deref() == Some(list)) {
            bail!("{} exists; choose another name, or remove it", path.display());
        }
    }
    if args.interactive && args.to != ExportFormat::Html {
        bail!("--interactive is for --to html");
    }
    let (setup, name, whole) = read_path(&args.common, Some(&args.path))?;
    let filter = filter_of_command(&args.filter, &setup)?;
    let redactor = Redactor::new(&whole.session, setup.config.own_patterns()?);
    tell_of(&redactor, args.redact)?;
    if args.filter.part.cuts() {
        let selection = filter.as_ref().map(|filter| Selection::new(filter, &whole.session));
        args.filter.part.check_selected(&name, &whole.session, selection.as_ref())?;
    }
    let report = Report { args, filter, redactor: args.redact.then_some(redactor), whole: &whole, name: &name };
    match &args.output {
        Some(path) => {
            let failed = || format!("could not write {}", path.display());
            whole_file::write(path, IfExists::Refuse, |out| report.write(out)).with_context(failed)?;
        }
        None => report.write(out)?,
    }
    if let (Some(path), Some(redactor)) = (&args.report, &report.redactor) {
        write_list(args, path, &redactor.report(&whole.session), &whole.session, out)?;
    }
    whole.outcome()
}

/// Writes the list of replaced and kept values to a new file, or prints it.
fn write_list<W: Write>(
    args: &ExportArgs,
    path: &Path,
    list: &RedactionReport,
    session: &Session,
    out: &mut W,
) -> anyhow::Result<()> {
    let is_json = path.extension().is_some_and(|end| end.eq_ignore_ascii_case("json"));
    let format = args.report_format.unwrap_or(if is_json { ListFormat::Json } else { ListFormat::Human });
    let write = |mut out: &mut dyn Write| match format {
        ListFormat::Human => redaction::write_text(&mut out, list, session),
        ListFormat::Json => redaction::write_json(&mut out, list, session),
    };
    if path.as_os_str() != "-" {
        let failed = || format!("could not write {}", path.display());
        whole_file::write(path, IfExists::Refuse, |out| write(out)).with_context(failed)?;
    } else if args.output.is_some() {
        write(out)?;
    } else {
        write(&mut Output::stderr())?;
    }
    Ok(())
}

/// Reports what was replaced, or what was found and remains because redaction was not requested.
fn tell_of(redactor: &Redactor, is_asked: bool) -> io::Result<()> {
    if is_asked {
        return tell_redacted(redactor);
    }
    let (secrets, private) = redactor.secrets();
    if secrets.is_empty() {
        return Ok(());
    }
    let private = if private == 0 { String::new() } else { format!(" and {}", count(private, "private detail")) };
    print_to_stderr(&format!("warning: the transcript holds secrets ({secrets}){private}; --redact replaces them"))
}

/// Reports what will be redacted, with the user names that are replaced wherever they occur.
pub(super) fn tell_redacted(redactor: &Redactor) -> io::Result<()> {
    let summary = redactor.summary();
    let kinds = summary.split(", ").count();
    if summary.is_empty() {
        return print_to_stderr(
            "redacted nothing: no secret or private detail of a known kind found; review before sharing",
        );
    }
    print_to_stderr(&format!("redacted {}: {summary}; review before sharing", count(kinds, "kind")))?;
    let names: Vec<&str> = redactor.names().collect();
    if names.is_empty() {
        return Ok(());
    }
    let listed = names.iter().take(MOST_NAMES).copied().collect::<Vec<_>>().join(", ");
    let more = if names.len() > MOST_NAMES { format!(" and {} more", names.len() - MOST_NAMES) } else { String::new() };
    print_to_stderr(&format!(
        "also replaced wherever they occur as words: {listed}{more}; to keep one, set redact: {{ keep: [NAME] }}"
    ))
}

struct Report<'a> {
    args: &'a ExportArgs,
    filter: Option<Filter>,
    redactor: Option<Redactor>,
    whole: &'a ReadTranscript,
    name: &'a str,
}

impl Report<'_> {
    /// Writes the report; a redacted one is verified before any of it is written.
    fn write<W: Write + ?Sized>(&self, out: &mut W) -> io::Result<()> {
        match &self.redactor {
            Some(redactor) => redactor.write_checked(out, |made| self.fill(made)),
            None => self.fill(out),
        }
    }

    fn fill<W: Write + ?Sized>(&self, mut out: &mut W) -> io::Result<()> {
        let session = &self.whole.session;
        let selection = self.filter.as_ref().map(|filter| Selection::new(filter, session));
        let (selection, redactor) = (selection.as_ref(), self.redactor.as_ref());
        let page = || ReportPage::new(session, redactor, selection);
        match self.args.to {
            ExportFormat::Html => {
                let form = if self.args.interactive { PageForm::Interactive } else { PageForm::Plain };
                html::write(&mut out, &page().coloured(), self.name, form)
            }
            ExportFormat::Markdown => markdown::write(&mut out, &page(), self.name),
            ExportFormat::Json => json::write_transcript(&mut out, session, file_name(self.name), redactor, selection),
        }
    }
}
