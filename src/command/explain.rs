//! `explain`: explains problems, each with a bad example, the report for it, and a good example.
//!
//! The pages are in `diagnostic/pages`.

mod formats;

use std::io::{self, Write};
use std::sync::Arc;

use clap::{Args, ValueEnum};

use super::outcome::{ExitStatus, code_named};
use crate::cases::declaration;
use crate::container::Container;
use crate::diagnostic::catalog::ExampleReader;
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::dialect::{self, Portable};
use crate::export::lens::write_outcomes;
use crate::lens::{Lens, MessageText, ParserChoice, request_of};
use crate::runtime::ToolRequest;
use crate::session::Session;
use crate::snippet::{self, SnippetLayout};
use crate::template::RenderOptions;
use crate::template::check::{ProbedConversation, check_set};
use crate::template::probes::TemplateProbe;
use crate::template::source::{ChatTemplate, ModelFiles, TemplateSet};
use crate::template::tokens::TokenFiles;
use crate::text::sanitize::visible;
use crate::text::store::{Backing, LOST, Paging};
use crate::text::wrap::{fit, visible_lines, word_rows};
use crate::text::{Span, Walk};
use crate::value::schema::Schemas;
use crate::value::tools::ToolSet;

/// Explain a problem, with a bad and a good example
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  transcope explain
  transcope explain duplicate-pointer
  transcope explain --format json duplicate-pointer
  transcope explain --all --format markdown > problems.md")]
pub struct ExplainArgs {
    /// Problem code; omit it to list all
    code: Option<String>,
    /// Explain all problems, the most severe first
    #[arg(long, conflicts_with = "code")]
    all: bool,
    /// Output format
    #[arg(long, value_enum, default_value = "text")]
    format: ExplainFormat,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ExplainFormat {
    /// Plain text for people; without a code and --all, a line for each
    Text,
    /// Markdown, all problems as one page with a table
    Markdown,
    /// One JSON object: a problem, or the list of all
    Json,
}

const WIDTH: usize = 80;

/// Runs `transcope explain`: prints one page, all of them, or the list of all codes.
pub fn run<W: Write>(args: &ExplainArgs, out: &mut W) -> anyhow::Result<ExitStatus> {
    let code = args.code.as_deref().map(code_named).transpose()?;
    match (args.format, code) {
        (ExplainFormat::Text, Some(code)) => page(out, code)?,
        (ExplainFormat::Text, None) if args.all => {
            for (number, code) in by_severity().enumerate() {
                let gap = if number > 0 { "\n\n" } else { "" };
                write!(out, "{gap}")?;
                page(out, code)?;
            }
        }
        (ExplainFormat::Text, None) => list(out)?,
        (ExplainFormat::Markdown, Some(code)) => formats::markdown(out, code, 1)?,
        (ExplainFormat::Markdown, None) => formats::markdown_of_all(out)?,
        (ExplainFormat::Json, Some(code)) => formats::json(out, code)?,
        (ExplainFormat::Json, None) => formats::json_of_all(out)?,
    }
    Ok(ExitStatus::Success)
}

/// All codes, the most severe first.
fn by_severity() -> impl Iterator<Item = Code> {
    Severity::ALL.into_iter().flat_map(|severity| Code::ALL.into_iter().filter(move |code| code.severity() == severity))
}

/// Lists all codes, each with its title.
fn list<W: Write>(out: &mut W) -> io::Result<()> {
    let longest = Code::ALL.into_iter().map(|code| code.name().len()).max().unwrap_or_default();
    for code in by_severity() {
        writeln!(out, "{:7}  {:longest$}  {}", code.severity().word(), code.name(), code.info().title)?;
    }
    Ok(())
}

fn page<W: Write>(out: &mut W, code: Code) -> io::Result<()> {
    let page = code.info();
    writeln!(out, "{}[{}]: {}\n", code.severity().word(), code.name(), page.title)?;
    for row in word_rows(&page.explanation, WIDTH) {
        writeln!(out, "{row}")?;
    }
    let bad = &page.bad;
    writeln!(out, "\nBad:\n")?;
    example(out, bad)?;
    writeln!(out, "\nWhat transcope reports:\n")?;
    for line in report_lines(code, WIDTH - INDENT.len()) {
        writeln!(out, "{}", format!("{INDENT}{line}").trim_end())?;
    }
    delivered(out, code, bad)?;
    writeln!(out, "\nGood:\n")?;
    example(out, &page.good)?;
    delivered(out, code, &page.good)?;
    writeln!(out, "\nHelp: {}", page.help)
}

/// The problems of the bad example as `check` reports them, `width` columns wide.
fn report_lines(code: Code, width: usize) -> Vec<String> {
    let session = read_example(code, &code.info().bad);
    let layout = SnippetLayout { name: None, width };
    let (mut walk, mut lines) = (Walk::default(), Vec::new());
    for (number, diagnostic) in session.document().sorted_diagnostics().enumerate() {
        lines.extend((number > 0).then(String::new));
        let rows = snippet::rows(&diagnostic, &session, layout, &mut walk);
        lines.extend(rows.iter().map(|row| row.text().trim_end().to_owned()));
    }
    lines
}

/// Prints the calls that runtimes deliver for an example that is read by their parsers.
fn delivered<W: Write>(out: &mut W, code: Code, example: &[u8]) -> io::Result<()> {
    let Some(reader) = &code.info().reader else { return Ok(()) };
    writeln!(out, "\nWhat is delivered:\n")?;
    let mut rows = Vec::new();
    write_outcomes(&mut rows, &lens_of(reader, example, schemas(code).as_ref()), WIDTH - INDENT.len())?;
    for row in String::from_utf8_lossy(&rows).lines() {
        writeln!(out, "{}", format!("{INDENT}{row}").trim_end())?;
    }
    Ok(())
}

/// Reads an example with the parsers that its page names.
fn lens_of(reader: &ExampleReader, example: &[u8], schemas: Option<&Schemas>) -> Lens {
    let wanted = ParserChoice {
        dialects: vec![reader.dialect.to_owned()],
        runtimes: reader.parsers.iter().filter_map(|parser| parser.parse().ok()).collect(),
        ..ParserChoice::default()
    };
    let message = MessageText::new(example, Span::new(0, example.len()), Vec::new());
    // The page is about a request without tools.
    let request = schemas.map_or_else(|| ToolRequest::with(ToolSet::default()), |schemas| request_of(Some(schemas)));
    Lens::new(&message, &request, &wanted)
}

fn schemas(code: Code) -> Option<Schemas> {
    Schemas::parse("", code.example_schema()?.as_bytes()).ok()
}

/// Reads an example with several parsers and reports their reasons as problems.
fn read_side_by_side(reader: &ExampleReader, example: &[u8], schemas: Option<&Schemas>) -> Session {
    let lens = lens_of(reader, example, schemas);
    let reasons = lens.rows.iter().flat_map(|row| row.reading.reasons.iter().map(move |reason| (row, reason)));
    let problems = reasons.map(|(row, reason)| {
        let code = reason.code;
        Diagnostic::new(code, reason.span, format!("{}: {}", row.name(), code.info().title))
    });
    Session::with_problems(example, &problems.collect::<Vec<_>>())
}

/// Reads an example of a page, with the schema and the runtime parsers that it needs.
pub fn read_example(code: Code, example: &[u8]) -> Session {
    let schemas = schemas(code);
    let mut options = dialect::Options::default();
    if let Some(reader) = &code.info().reader {
        match &reader.parsers[..] {
            [parser] => options.runtime = parser.parse().ok(),
            parsers if code == Code::NotPortable => {
                options.portable = Portable::between(parsers.iter().copied()).ok();
            }
            _ => return read_side_by_side(reader, example, schemas.as_ref()),
        }
        options.only = dialect::named(reader.dialect).into_iter().collect();
    }
    options.schemas = schemas.map(Arc::new);
    if code.is_of_declarations() {
        let problems = declaration::check(&String::from_utf8_lossy(example), &options).problems;
        return Session::with_problems(example, &problems);
    }
    if code.is_of_limits() && example == code.info().bad {
        // An example that reaches a limit is too long to show.
        let first_line = example.iter().take_while(|&&byte| byte != b'\n').count();
        let problem = Diagnostic::new(code, Span::new(0, first_line), &code.info().title);
        return Session::with_problems(example, &[problem]);
    }
    if code.is_of_templates() {
        return read_template(code, example);
    }
    if example.contains(&LOST) {
        return read_lost(example);
    }
    Session::read(example, &options)
}

/// Checks an example that is a chat template, or lines with the names and texts of a model's files. Of the problems, those
/// with the code of the page are kept: a small template has others, too.
fn read_template(code: Code, example: &[u8]) -> Session {
    let text = String::from_utf8_lossy(example);
    let file = |name: &str| text.lines().find_map(|line| Some(line.strip_prefix(name)?.trim_start().to_owned()));
    let bytes = |name: &str| file(name).map(String::into_bytes);
    let files = ModelFiles {
        jinja: file("chat_template.jinja"),
        tokenizer_config: bytes("tokenizer_config.json"),
        ..ModelFiles::default()
    };
    let tokens = TokenFiles {
        tokenizer: bytes("tokenizer.json"),
        generation_config: bytes("generation_config.json"),
        ..TokenFiles::default()
    };
    let alone = || TemplateSet { templates: vec![ChatTemplate::new("default", "", &text)], ..TemplateSet::default() };
    let mut set = if files.jinja.is_some() { files.templates().unwrap_or_default() } else { alone() };
    set.tokens = tokens.facts().unwrap_or_default();
    let start = files.jinja.as_ref().and_then(|source| text.find(source.as_str())).unwrap_or_default();
    let probes = TemplateProbe::all().iter().map(ProbedConversation::from).collect();
    let found = check_set(&set, probes, &RenderOptions::default()).problems.into_iter();
    let mut problems: Vec<Diagnostic> =
        found.map(|problem| problem.diagnostic).filter(|problem| problem.code == code).collect();
    for problem in &mut problems {
        problem.span = Span::new(start + problem.span.start, start + problem.span.end);
    }
    Session::with_problems(example, &problems)
}

/// Reads an example as if its file disappeared before its beginning is read again.
fn read_lost(example: &[u8]) -> Session {
    let mut session = Session::new(Container::default(), &dialect::Options::default());
    session.set_paging(Paging { page: 16, recent: 14, kept: 1 });
    session.back(Backing::new(Arc::<[u8]>::default()));
    session.push(example);
    session.finish();
    drop(session.text().read(Span::new(0, example.len())).into_owned());
    session.report_losses();
    session
}

const INDENT: &str = "    ";

/// Prints the lines of an example indented and cut to the width.
fn example<W: Write>(out: &mut W, bytes: &[u8]) -> io::Result<()> {
    for shown in visible_example(bytes) {
        let cut = fit(&shown, WIDTH - INDENT.len());
        writeln!(out, "{}", format!("{INDENT}{cut}").trim_end())?;
    }
    Ok(())
}

/// The lines of an example, safe to show.
fn visible_example(bytes: &[u8]) -> impl Iterator<Item = String> {
    let lines = bytes.strip_suffix(b"\n").unwrap_or(bytes).split(|&byte| byte == b'\n');
    // Lines that are not UTF-8 are shown with pictures of their bytes.
    lines.map(|line| std::str::from_utf8(line).map_or_else(|_| visible(line), visible_lines))
}
