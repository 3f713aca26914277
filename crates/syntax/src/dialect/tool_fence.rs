//! Tool calls as code fences of the language `tool`.
//!
//! ```text
//! call    = "```tool" words LF body "```"
//! words   = [ name [ id ] ]  |  "name=" name "id=" id          (quotation marks around a value are removed)
//! body    = YAML, or JSON, with the fields toolCallId, toolName, state, input, output, errorText
//! ```
//!
//! These are the rules of other versions of the callouts' reference parser: its first version has JSON bodies and no
//! words, later ones have YAML bodies. The reference parser searches for the opening fence anywhere, and ignores what
//! follows `tool`. Here the fence must begin a line, or follow the closing fence of another call on its line, and
//! `tool` must end a word, so that inline code and other languages are not taken for calls. The first three backticks
//! close the block, at any position.

use memchr::{memchr, memmem};

use super::callout::fields::{self, Fields, FieldsContext};
use super::callout::header::{self, HeaderWords, Quotes};
use super::callout::parser::close_with;
use super::callout::writer;
use super::markdown_context::LINE_HEAD;
use super::{
    CallContent, CallEnd, CallParser, CallParts, Closer, Dialect, DialectInfo, Expected, HeaderLine, MarkdownContext,
    Numbering, OpenPart, Opening, ParseEvent, Probe, ProbePoint, Progress, Start, Status, Terminator, Triggers,
};
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::text::{Span, Text, trim, trim_start};
use crate::value::schema::Coercion;
use crate::value::yaml::Library;
use crate::value::{Assembly, Findings};

/// Facts about the dialect other than its grammar.
pub(crate) static ABOUT: DialectInfo = DialectInfo {
    name: "tool-fence",
    title: "tool code fences",
    recognised_by: "a code fence of the language tool at the beginning of a line, whose body is YAML or JSON",
    example: "```tool search call_1\nstate: output-available\ninput:\n  query: cats\noutput: 3 results\n```\n",
    id_prefix: "tool-call-",
    escapes: true,
    numbering: Numbering::Every,
    key_term: "key",
    next_ends: false,
    start: Start::Line,
    signs: &["\n```tool"],
    family: &[],
    body_like: Some("native"),
    typing: Coercion::Typed,
    coercion: None,
};

/// The opening fence; case does not matter.
const MARKER: &[u8] = b"```tool";

const FENCE: &[u8] = b"```";

/// Finds tool fences; no state is kept between calls.
#[derive(Clone, Debug, Default)]
pub(crate) struct ToolFence;

impl ToolFence {
    /// The words of a header line that begins at offset `at`.
    fn words(line: &[u8], at: usize) -> HeaderWords {
        header::read(&line[MARKER.len()..], at + MARKER.len(), Quotes::Stripped)
    }
}

impl Dialect for ToolFence {
    fn info(&self) -> &'static DialectInfo {
        &ABOUT
    }

    fn triggers(&self) -> Triggers {
        Triggers {
            anywhere: vec![FENCE.to_vec()],
            line_start: vec![b'`'],
            lines: vec![b'`', b'~'],
            lines_with: vec![FENCE.to_vec()],
        }
    }

    fn begin_message(&mut self) {}

    fn probe(&mut self, place: ProbePoint<'_>, out: &mut Vec<ParseEvent>) -> Probe {
        let ahead = place.text.since(place.at);
        let is_after_call = follows_call(place);
        let is_read = is_after_call || place.is_line_start();
        match begins_call(ahead, place.finished) {
            Some(true) if is_read => {}
            None if is_read => return Probe::Wait(ahead.len()),
            _ => return Probe::Nothing,
        }
        let length = match place.header_line(place.at) {
            HeaderLine::Whole(length) => length,
            HeaderLine::Wait => return Probe::Wait(ahead.len()),
            HeaderLine::Cut => {
                return place.pass_cut_header("header of a tool fence", "a line feed after the header", out);
            }
            HeaderLine::TooLong => {
                return ProbePoint::pass_long_header(Span::new(place.at, place.at + MARKER.len()), out);
            }
        };
        let line = &ahead[..length];
        if line[MARKER.len()..].contains(&b'`') {
            return Probe::Nothing;
        }
        let marker = Span::new(place.at, place.at + MARKER.len());
        let body = place.at + line.len() + 1;
        let words = Self::words(line, place.at);
        out.push(ParseEvent::open(Opening {
            dialect: &ABOUT,
            marker,
            header: words.header(marker.end),
            body,
            is_seen: true,
        }));
        if is_after_call {
            let message = "a tool fence directly after the closing fence of another call starts a call, too";
            let problem = Diagnostic::new(Code::MarkerMidLine, marker, message).with_severity(Severity::Hint);
            out.push(ParseEvent::of_call(problem));
        } else {
            out.extend(place.in_code_problem(marker, "a tool fence").map(ParseEvent::of_call));
        }
        out.extend(words.problems.into_iter().map(ParseEvent::of_call));
        Probe::Open(Box::new(FenceParser { start: place.at, body, at: body, line: body, merged: None, findings: None }))
    }

    fn expected(&self, ahead: &[u8]) -> Option<Expected> {
        if ahead.len() > MARKER.len() {
            return Some(Expected::one(OpenPart::Header, Terminator::Words("the end of the line")));
        }
        let is_partial = ahead.eq_ignore_ascii_case(&MARKER[..ahead.len()]);
        is_partial.then(|| Expected::texts(OpenPart::Marker, ["```tool"]))
    }

    fn prose_line(&mut self, line: &[u8], at: usize, markdown: &MarkdownContext, out: &mut Vec<ParseEvent>) {
        let Some((span, problem)) = almost(line) else { return };
        let span = Span::new(at + span.start, at + span.end);
        let found = String::from_utf8_lossy(&line[span.start - at..span.end - at]).into_owned();
        let diagnostic = match problem {
            Almost::NearMiss => {
                let message = format!("{found} is almost the beginning of a tool fence; it is prose");
                Diagnostic::new(Code::NearMissMarker, span, message).contrast("```tool", found).replace_with("```tool")
            }
            Almost::OtherWord => {
                let message = format!("{found} is a fence of another language; the runtime takes it for a tool fence");
                Diagnostic::new(Code::NearMissMarker, span, message).with_severity(Severity::Hint)
            }
            Almost::MidLine => {
                let message = "the runtime looks for a tool fence anywhere; here it is read at the beginning of a line";
                Diagnostic::new(Code::MarkerMidLine, span, message)
            }
        };
        out.push(ParseEvent::of_prose(diagnostic.hint_if(markdown.in_fence())));
    }

    fn rest_of_line(&mut self, rest: &[u8], at: usize, out: &mut Vec<ParseEvent>) {
        let text = trim(rest, at);
        if let Some((span, Almost::MidLine)) = almost(rest) {
            let message = "the runtime sees another call here; it is read at the beginning of a line only";
            let span = Span::new(at + span.start, at + span.end);
            out.push(ParseEvent::of_prose(Diagnostic::new(Code::MarkerMidLine, span, message)));
        } else if !text.is_empty() {
            let found = String::from_utf8_lossy(&rest[text.start - at..text.end - at]).into_owned();
            let message = "text after the closing fence on the same line is prose";
            let diagnostic = Diagnostic::new(Code::TextAfterEnd, text, message).contrast("the end of the line", found);
            out.push(ParseEvent::of_prose(diagnostic));
        }
    }

    fn dissect(&self, text: &Text, parts: CallParts<'_>) -> Assembly {
        read(text, parts).assembly
    }

    fn write(&self, call: &CallContent<'_>) -> String {
        format!("```tool {}\n{}```\n", writer::header(call), writer::fields(call))
    }

    fn closer(&self, _marker: &str) -> Closer {
        Closer::Line("```".to_owned())
    }
}

/// True directly after the closing fence of a call, on its line: the runtime searches for the next fence from there.
fn follows_call(place: ProbePoint<'_>) -> bool {
    let between = place.call_end.filter(|&end| end > place.markdown.line_start() && end <= place.at);
    between.is_some_and(|end| {
        let between = place.text.read(Span::new(end, place.at.min(end + LINE_HEAD)));
        between.len() == place.at - end && between.iter().all(|byte| matches!(byte, b' ' | b'\t' | b'\r' | b'`'))
    })
}

/// Kinds of near misses in a line of prose.
enum Almost {
    /// A fence that the runtime does not see.
    NearMiss,
    /// A fence of another language whose name begins with `tool`: the runtime does not check where the word ends.
    OtherWord,
    /// A fence that the runtime sees.
    MidLine,
}

fn almost(line: &[u8]) -> Option<(Span, Almost)> {
    let boundary = |end: usize| line.get(end).is_none_or(u8::is_ascii_whitespace);
    let start = line.iter().position(|byte| !matches!(byte, b' ' | b'>'))?;
    let content = &line[start..];
    for wrong in [&b"``` tool"[..], b"~~~tool", b"~~~ tool"] {
        let end = start + wrong.len();
        if content.get(..wrong.len()).is_some_and(|head| head.eq_ignore_ascii_case(wrong)) && boundary(end) {
            return Some((Span::new(start, end), Almost::NearMiss));
        }
    }
    let found = memmem::find(line, FENCE).map(|_| line.to_ascii_lowercase())?;
    let at = memmem::find(&found, MARKER)?;
    let rest = &line[at + MARKER.len()..];
    let word = rest.iter().take_while(|byte| !byte.is_ascii_whitespace()).count();
    let span = Span::new(at, at + MARKER.len() + word);
    match (rest.contains(&b'`'), word) {
        (true, _) => None,
        (false, 0) => (at > 0).then_some((span, Almost::MidLine)),
        (false, _) => Some((span, Almost::OtherWord)),
    }
}

fn read(text: &Text, parts: CallParts<'_>) -> Fields {
    let line = text.read(Span::new(parts.start, parts.body.start));
    let words = ToolFence::words(line.strip_suffix(b"\n").unwrap_or(&line), parts.start);
    let body = text.read(parts.body);
    let mut lines = Vec::new();
    let mut at = 0;
    while at < body.len() {
        let end = memchr(b'\n', &body[at..]).map_or(body.len(), |feed| at + feed + 1);
        lines.push((parts.body.start + at, &body[at..end]));
        at = end;
    }
    let library = Library::Yaml;
    let (source, indented) = fields::source(&lines, library);
    let (has_name, has_id) = (words.name.is_some(), words.id.is_some());
    let context = FieldsContext { has_name, has_id, later_states: true, library };
    let mut faults: Vec<Diagnostic> = indented.into_iter().collect();
    faults.extend(of_continue(&body, parts.body.start));
    match parts.status {
        Status::Open => {}
        Status::Unterminated => {
            let header = Span::new(parts.start, parts.body.start.saturating_sub(1));
            let message = "the tool fence is never closed: not a call";
            let problem =
                Diagnostic::new(Code::UnterminatedCall, header, message).contrast("```", "the end of the text");
            faults.insert(0, problem.with_severity(Severity::Error));
        }
        Status::Complete | Status::Implicit => faults.extend(close_mid_line(&body, parts.body.start)),
    }
    fields::read(&source, context).with_faults(faults, parts.status)
}

/// Recognises a call of Continue, which uses the same opening fence.
fn of_continue(body: &[u8], base: usize) -> Option<Diagnostic> {
    let sign = b"TOOL_NAME:";
    let message = "this looks like a call of Continue, which is another dialect";
    let problem = Diagnostic::new(Code::CallNotRead, Span::new(base, base + sign.len()), message);
    body.starts_with(sign).then(|| problem.help("read it with --dialect continue"))
}

/// Reports a closing fence at the end of the body's last line.
fn close_mid_line(body: &[u8], base: usize) -> Option<Diagnostic> {
    let fence = body.strip_suffix(FENCE)?;
    let span = Span::new(base + fence.len(), base + body.len());
    let message = "these backticks close the block and stay part of its last value";
    Some(Diagnostic::new(Code::ToolFenceClose, span, message).contrast("a separate line", "the middle of a line"))
}

#[derive(Clone)]
struct FenceParser {
    start: usize,
    body: usize,
    at: usize,
    /// Beginning of the current line.
    line: usize,
    /// Offset at which the call was closed, if another call begins there.
    merged: Option<usize>,
    /// Problems of the call, once it has ended.
    findings: Option<Findings>,
}

impl FenceParser {
    fn close(&mut self, text: &Text, end: usize, status: Status, out: &mut Vec<ParseEvent>) -> Progress {
        let mut body_end = end;
        if status == Status::Complete {
            let content = text.read(Span::new(self.body, end - FENCE.len()));
            // A fence on a separate line is not part of the body; any other one is.
            let line = memchr::memrchr(b'\n', &content).map_or(0, |feed| feed + 1);
            if trim_start(&content[line..]) == content.len() - line {
                body_end = self.body + line;
            }
        }
        let body = Span::new(self.body, body_end);
        // Text before a call does not affect it.
        let start = self.start;
        let facts = read(text, CallParts { start, text_start: start, body, arguments: &[], status });
        self.findings = Some(close_with(facts, CallEnd { body_end, end, status }, out));
        Progress::Closed(end)
    }
}

/// True if the fence that `ahead` begins with opens a call; `None` while undecided.
fn begins_call(ahead: &[u8], finished: bool) -> Option<bool> {
    let length = ahead.len().min(MARKER.len());
    if !ahead[..length].eq_ignore_ascii_case(&MARKER[..length]) {
        return Some(false);
    }
    match ahead.get(MARKER.len()) {
        Some(byte) => Some(byte.is_ascii_whitespace()),
        None => finished.then_some(false),
    }
}

impl CallParser for FenceParser {
    fn advance(&mut self, text: &Text, finished: bool, out: &mut Vec<ParseEvent>) -> Progress {
        loop {
            let ahead = text.since(self.at);
            let Some(stop) = memchr::memchr2(b'\n', b'`', ahead) else {
                self.at = text.len();
                break;
            };
            self.at += stop;
            let ahead = &ahead[stop..];
            if ahead[0] == b'\n' {
                self.at += 1;
                self.line = self.at;
            } else if ahead.starts_with(FENCE) {
                match begins_call(ahead, finished) {
                    Some(true) if self.line == self.at => self.merged = Some(self.at),
                    None => return Progress::Wait,
                    Some(_) => {}
                }
                return self.close(text, self.at + FENCE.len(), Status::Complete, out);
            } else if FENCE.starts_with(ahead) && !finished {
                return Progress::Wait;
            } else {
                self.at += 1;
            }
        }
        if !finished {
            return Progress::Wait;
        }
        self.at = text.len();
        self.close(text, self.at, Status::Unterminated, out)
    }

    fn take_findings(&mut self) -> Option<Findings> {
        self.findings.take()
    }

    fn decided(&self) -> usize {
        self.at
    }

    fn merged(&self) -> Option<usize> {
        self.merged
    }

    fn expected(&self, _text: &Text) -> Expected {
        Expected::texts(OpenPart::Call, ["```"])
    }
}
