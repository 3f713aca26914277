//! A transcript as a self-contained HTML page: no external resources, everything escaped, and no scripts except our own
//! in the interactive form.
//!
//! Failures come first, then a table of contents, then the conversation, with values and raw text of each call side by
//! side. The templates are in `html/`. All inserted text is escaped, except our style and script, whose hashes are in
//! the page's content security policy. Parts are written one by one, so that a long transcript is not held twice.

mod context;
mod graph;
mod terms;
mod timeline;

use std::io::{self, Write};

use askama::Template;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use sha2::{Digest, Sha256};

use super::page::{
    AgentHeading, DrawnGraph, HeadingForm, LinePiece, MessageHeading, OutlineEntry, PieceRole, Problem, ReportBlock,
    ReportHeader, ReportItem, ReportLine, ReportPage, ReportPart, TurnEntry, TurnHeading, ValueRow,
};
use crate::highlight::CodeRole;
use context::ContextDrawing;
use graph::GraphPicture;
use terms::{ItemTerms, Terms};
use timeline::TimelineDrawing;

/// Style of the page, the only one that the policy allows.
const STYLE: &str = include_str!("html/style.css");

/// Script of an interactive page: filters, folds and selects.
const SCRIPT: &str = include_str!("html/interactive.js");

/// Maximum number of calls for a page to show all of them unfolded.
const FEW_CALLS: usize = 20;

/// The deepest level of headings.
const DEEPEST_LEVEL: usize = 6;

/// Maximum number of lines of an unfolded result.
const SHORT_RESULT: usize = 24;

/// The form of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PageForm {
    /// Without a script.
    Plain,
    /// With a script that filters, folds and selects.
    Interactive,
}

#[derive(Template)]
#[template(path = "head.html", config = "src/export/html/askama.toml")]
struct Head {
    version: &'static str,
    policy: String,
    style: &'static str,
    page: ReportHeader,
    /// Link targets and titles of the drawings.
    drawings: Vec<(&'static str, &'static str)>,
    /// True if the table of contents lists turns, and not messages.
    has_turns: bool,
    is_interactive: bool,
}

#[derive(Template)]
#[template(path = "entry.html", config = "src/export/html/askama.toml")]
struct TocEntry {
    entry: OutlineEntry,
}

#[derive(Template)]
#[template(path = "turn_entry.html", config = "src/export/html/askama.toml")]
struct TocTurn {
    entry: TurnEntry,
}

#[derive(Template)]
#[template(path = "main.html", config = "src/export/html/askama.toml")]
struct Main {
    /// The first time in the file, if the page has a filter.
    start: Option<i64>,
}

#[derive(Template)]
#[template(path = "dependencies.html", config = "src/export/html/askama.toml")]
struct Dependencies {
    graph: Option<DrawnGraph>,
    picture: Option<GraphPicture>,
}

#[derive(Template)]
#[template(path = "turn.html", config = "src/export/html/askama.toml")]
struct TurnStart<'a> {
    heading: &'a TurnHeading,
}

#[derive(Template)]
#[template(path = "message.html", config = "src/export/html/askama.toml")]
struct MessageStart<'a> {
    heading: &'a MessageHeading,
    /// True if turns have headings, so that messages have none.
    has_turns: bool,
}

#[derive(Template)]
#[template(path = "agent.html", config = "src/export/html/askama.toml")]
struct AgentStart<'a> {
    heading: &'a AgentHeading,
    /// Heading level, one below the call that contains it.
    level: usize,
}

#[derive(Template)]
#[template(path = "item.html", config = "src/export/html/askama.toml")]
struct ItemPart<'a> {
    item: &'a ReportItem,
    /// Heading level of calls: one below the turns or messages, if those have headings.
    level: usize,
    is_open: bool,
    /// Time of a result whose message has no heading.
    when: &'a str,
    terms: Option<ItemTerms>,
}

#[derive(Template)]
#[template(path = "problem.html", config = "src/export/html/askama.toml")]
struct ProblemPart<'a> {
    problem: &'a Problem,
}

#[derive(Template)]
#[template(path = "notes.html", config = "src/export/html/askama.toml")]
struct NotesPart<'a> {
    title: Option<&'static str>,
    notes: &'a [String],
}

/// Writes a page; `path` is the displayed path of the transcript.
pub fn write<W: Write>(out: &mut W, page: &ReportPage<'_>, path: &str, form: PageForm) -> io::Result<()> {
    let mut header = page.header(path);
    let graph = header.graph.take();
    let is_interactive = form == PageForm::Interactive;
    let (timeline, context) = (TimelineDrawing::new(page), ContextDrawing::new(page));
    let drawings = [
        timeline.is_some().then_some(("timeline", "Timeline")),
        context.is_some().then_some(("context", "Context")),
        graph.is_some().then_some(("dependencies", "Dependencies")),
    ];
    let head = Head {
        version: env!("CARGO_PKG_VERSION"),
        policy: policy(is_interactive),
        style: STYLE,
        drawings: drawings.into_iter().flatten().collect(),
        has_turns: page.has_turns(),
        page: header,
        is_interactive,
    };
    head.write_into(out)?;
    if page.has_turns() {
        page.turns(|entry| TocTurn { entry }.write_into(out))?;
    } else {
        page.outline(|entry| TocEntry { entry }.write_into(out))?;
    }
    let terms = is_interactive.then(|| Terms::new(page));
    Main { start: terms.as_ref().and_then(Terms::start) }.write_into(out)?;
    timeline.map_or(Ok(()), |timeline| timeline.write(out, page))?;
    context.map_or(Ok(()), |context| context.write(out, page))?;
    let picture = graph.as_ref().and_then(GraphPicture::new);
    Dependencies { graph, picture }.write_into(out)?;
    let is_short = page.session().document().calls().len() <= FEW_CALLS;
    let mut body = Body { page, terms, is_short, in_turn: false, open: vec![OpenPart::default()], when: String::new() };
    page.parts(|part| body.write(out, &part))?;
    body.end_turn(out)?;
    out.write_all(b"</main>\n</div>\n")?;
    if is_interactive {
        writeln!(out, "<script>{SCRIPT}</script>")?;
    }
    out.write_all(b"</body>\n</html>\n")
}

/// State while writing the conversation.
struct Body<'a> {
    page: &'a ReportPage<'a>,
    terms: Option<Terms<'a>>,
    is_short: bool,
    in_turn: bool,
    /// The conversation, and each sub-agent that is open.
    open: Vec<OpenPart>,
    /// Details, such as the time, of a message without a heading.
    when: String,
}

/// The conversation, or the messages of a sub-agent, while they are written.
#[derive(Clone, Copy, Default)]
struct OpenPart {
    in_message: bool,
    /// Heading level of the sub-agent; 0 for the conversation.
    level: usize,
}

impl Body<'_> {
    fn write<W: Write>(&mut self, out: &mut W, part: &ReportPart) -> io::Result<()> {
        match part {
            ReportPart::Turn(heading) => {
                self.end_turn(out)?;
                self.in_turn = true;
                TurnStart { heading }.write_into(out)?;
            }
            // A message of results has no heading; its calls represent it.
            ReportPart::Message(heading) if heading.is_of_results => self.when = heading.details.join(" · "),
            ReportPart::Message(MessageHeading { form: HeadingForm::Continued, .. }) => {}
            ReportPart::Message(heading) => {
                self.end_message(out)?;
                self.when.clear();
                if heading.form == HeadingForm::Speaker {
                    self.set_in_message(true);
                    MessageStart { heading, has_turns: self.page.has_turns() }.write_into(out)?;
                }
            }
            ReportPart::Item(item) => {
                let terms = self.terms.as_ref().map(|terms| terms.of(item.number));
                let (level, is_open) = (self.level(), self.is_open(item));
                ItemPart { item, level, is_open, when: &self.when, terms }.write_into(out)?;
            }
            ReportPart::ItemEnd => out.write_all(b"</details>\n")?,
            ReportPart::Agent(heading) => {
                let level = (self.level() + usize::from(heading.is_in_call)).min(DEEPEST_LEVEL);
                AgentStart { heading, level }.write_into(out)?;
                self.open.push(OpenPart { in_message: false, level });
            }
            ReportPart::AgentEnd => {
                self.end_message(out)?;
                self.open.pop();
                out.write_all(b"</details>\n")?;
            }
            ReportPart::Problem(problem) => ProblemPart { problem }.write_into(out)?,
            ReportPart::Notes { title, notes } => {
                if title.is_some() {
                    self.end_turn(out)?;
                }
                NotesPart { title: *title, notes }.write_into(out)?;
            }
        }
        Ok(())
    }

    /// Heading level of a call here.
    fn level(&self) -> usize {
        let OpenPart { in_message, level } = self.open.last().copied().unwrap_or_default();
        let above = match level {
            0 if self.in_turn || in_message && !self.page.has_turns() => 3,
            0 => 2,
            level => level,
        };
        (above + 1).min(DEEPEST_LEVEL)
    }

    fn set_in_message(&mut self, value: bool) {
        if let Some(last) = self.open.last_mut() {
            last.in_message = value;
        }
    }

    fn end_turn<W: Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.end_message(out)?;
        if std::mem::take(&mut self.in_turn) { out.write_all(b"</section>\n") } else { Ok(()) }
    }

    fn end_message<W: Write>(&mut self, out: &mut W) -> io::Result<()> {
        let is_open = self.open.last_mut().is_some_and(|last| std::mem::take(&mut last.in_message));
        if is_open { out.write_all(b"</details>\n") } else { Ok(()) }
    }

    /// True if an item is shown unfolded, which includes failed ones and those with problems or notes.
    fn is_open(&self, item: &ReportItem) -> bool {
        let has_more = !item.problems.is_empty() || !item.notes.is_empty();
        match &item.block {
            ReportBlock::Text(_) => true,
            ReportBlock::Call(call) => call.failed || has_more || self.is_short,
            ReportBlock::Result(result) => {
                let is_seen = result.is_inside || self.is_short;
                result.failed || has_more || is_seen && result.lines.len() <= SHORT_RESULT
            }
            ReportBlock::Aside { .. } => has_more,
        }
    }
}

impl ValueRow {
    /// Indentation of the key, in steps; deep levels share the maximum.
    fn indent(&self) -> usize {
        (self.depth - 1).min(6)
    }
}

impl ReportLine {
    /// True if the line needs no element, which saves most of the markup of long sessions.
    fn is_plain(&self) -> bool {
        self.number.is_none() && self.change.is_empty()
    }
}

impl LinePiece {
    /// CSS class of the element around the piece; empty if it needs none.
    fn class(&self) -> &'static str {
        match self.role {
            None | Some(PieceRole::Code(CodeRole::Plain | CodeRole::Punctuation)) => "",
            Some(PieceRole::Name) => "name",
            Some(PieceRole::Id) => "id",
            Some(PieceRole::Key) => "key",
            Some(PieceRole::LineNumber) => "count",
            Some(PieceRole::Code(CodeRole::Keyword)) => "kw",
            Some(PieceRole::Code(CodeRole::String)) => "st",
            Some(PieceRole::Code(CodeRole::Comment)) => "co",
            Some(PieceRole::Code(CodeRole::Number | CodeRole::Constant)) => "nu",
            Some(PieceRole::Code(CodeRole::Function)) => "fn",
            Some(PieceRole::Code(CodeRole::Type)) => "ty",
            Some(PieceRole::Code(CodeRole::Property)) => "pr",
            Some(PieceRole::Code(CodeRole::Inserted)) => "added",
            Some(PieceRole::Code(CodeRole::Deleted)) => "removed",
        }
    }
}

/// The content security policy: allows only our style, and our script if the page has one.
fn policy(is_interactive: bool) -> String {
    let script = if is_interactive { format!(" script-src '{}';", hash(SCRIPT)) } else { String::new() };
    format!("default-src 'none'; style-src '{}';{script} base-uri 'none'; form-action 'none'", hash(STYLE))
}

/// The hash of an element's text, as written in a policy.
fn hash(text: &str) -> String {
    format!("sha256-{}", BASE64_STANDARD.encode(Sha256::digest(text)))
}
