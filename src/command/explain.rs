//! `explain`: explains a problem, with a bad example, the report for it, and a good example.
//!
//! The pages are in `diagnostic/pages`.

use std::io::{self, Write};
use std::sync::Arc;

use clap::Args;

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
use crate::text::sanitize::visible;
use crate::text::store::{Backing, LOST, Paging};
use crate::text::wrap::{fit, visible_lines, word_rows};
use crate::text::{Span, Walk};
use crate::value::schema::Schemas;
use crate::value::tools::ToolSet;

/// Explain a problem, with a bad and a good example
#[derive(Debug, Args)]
pub struct ExplainArgs {
    /// Problem code; omit it to list all
    code: Option<String>,
}

const WIDTH: usize = 80;

/// Runs `transcope explain`: prints one page, or the list of all codes.
pub fn run<W: Write>(args: &ExplainArgs, out: &mut W) -> anyhow::Result<ExitStatus> {
    match &args.code {
        None => list(out)?,
        Some(name) => page(out, code_named(name)?)?,
    }
    Ok(ExitStatus::Success)
}

/// Lists all codes, the most severe first.
fn list<W: Write>(out: &mut W) -> io::Result<()> {
    let longest = Code::ALL.into_iter().map(|code| code.name().len()).max().unwrap_or_default();
    for severity in Severity::ALL {
        for code in Code::ALL.into_iter().filter(|code| code.severity() == severity) {
            writeln!(out, "{:7}  {:longest$}  {}", severity.word(), code.name(), code.info().title)?;
        }
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
    let session = read_example(code, bad);
    let layout = SnippetLayout { name: None, width: WIDTH - INDENT.len() };
    let mut walk = Walk::default();
    for (number, diagnostic) in session.document().sorted_diagnostics().enumerate() {
        if number > 0 {
            writeln!(out)?;
        }
        for row in snippet::rows(&diagnostic, &session, layout, &mut walk) {
            writeln!(out, "{}", format!("{INDENT}{}", row.text()).trim_end())?;
        }
    }
    delivered(out, code, bad)?;
    writeln!(out, "\nGood:\n")?;
    example(out, &page.good)?;
    delivered(out, code, &page.good)?;
    writeln!(out, "\nHelp: {}", page.help)
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
    let files = ModelFiles {
        jinja: file("chat_template.jinja"),
        tokenizer_config: file("tokenizer_config.json").map(String::into_bytes),
        ..ModelFiles::default()
    };
    let alone = || TemplateSet { templates: vec![ChatTemplate::new("default", "", &text)], ..TemplateSet::default() };
    let set = if files.jinja.is_some() { files.templates().unwrap_or_default() } else { alone() };
    let probes = TemplateProbe::all().iter().map(ProbedConversation::from).collect();
    let found = check_set(&set, probes, &RenderOptions::default()).problems.into_iter();
    let problems: Vec<Diagnostic> =
        found.map(|problem| problem.diagnostic).filter(|problem| problem.code == code).collect();
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
    for line in bytes.strip_suffix(b"\n").unwrap_or(bytes).split(|&byte| byte == b'\n') {
        // Lines that are not UTF-8 are shown with pictures of their bytes.
        let shown = match std::str::from_utf8(line) {
            Ok(line) => visible_lines(line),
            Err(_) => visible(line),
        };
        let cut = fit(&shown, WIDTH - INDENT.len());
        writeln!(out, "{}", format!("{INDENT}{cut}").trim_end())?;
    }
    Ok(())
}
