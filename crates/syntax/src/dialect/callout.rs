//! Tool calls as Markdown callouts.
//!
//! ```text
//! call    = "> [!tool" words "]" { LF ">" [ space ] line }
//! words   = [ name [ id ] ]  |  "name=" name "id=" id          (in any order, also tool=, toolName=, call=, callId= …)
//! body    = YAML with the fields toolCallId, toolName, state, input, output, errorText
//! ```
//!
//! The reference parser is a regular expression over the whole text that does not know Markdown: it finds callouts in
//! code fences too, and shows anything that it does not match exactly as prose. Where a reader would still see a
//! callout, the call is shown here as one that the runtime rejects: indented or with other whitespace, without a
//! bracket, with text or a carriage return after it, two in a row, or with a body that is not YAML. An empty line or
//! one without `>` ends a call, and so does the next header.

pub(super) mod fields;
pub(super) mod header;
pub(super) mod parser;
pub(super) mod writer;
pub(in crate::dialect) mod yaml_writer;

use memchr::{memchr, memrchr};

use super::{
    CallContent, CallParts, Closer, Dialect, DialectInfo, Expected, HeaderLine, MarkdownContext, Numbering, OpenPart,
    Opening, ParseEvent, Probe, ProbePoint, Start, Status, Terminator, Triggers,
};
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::text::{Span, Text, trim_start};
use crate::value::Assembly;
use crate::value::schema::Coercion;
use crate::value::yaml::Library;
use fields::{Fields, FieldsContext};
use header::{HeaderWords, Quotes};

/// Facts about the dialect other than its grammar.
pub(crate) static ABOUT: DialectInfo = DialectInfo {
    name: "callout",
    title: "tool callouts",
    recognised_by: "a quotation that begins with > [!tool, a name and an id, and whose lines are YAML",
    example: "> [!tool search call_1]\n> state: output-available\n> input:\n>   query: cats\n> output: 3 results\n",
    id_prefix: "tool-call-",
    escapes: true,
    numbering: Numbering::Every,
    key_term: "key",
    next_ends: true,
    start: Start::Paragraph,
    signs: &["> [!tool"],
    family: &[],
    body_like: None,
    typing: Coercion::Typed,
    coercion: None,
};

/// The beginning of a callout for the reference parser; case does not matter.
const MARKER: &[u8] = b"[!tool";

/// Maximum number of spaces before and after the `>` of what a reader still sees as a callout.
const MAX_BLANKS: usize = 3;

/// Maximum number of callouts in the same quotation that are skipped when looking back.
const LOOK_BACK_CALLS: usize = 16;

/// Finds callouts; no state is kept between calls.
#[derive(Clone, Debug, Default)]
pub(crate) struct Callout;

enum Match {
    /// The beginning of a callout; offsets are relative to the beginning of the line.
    Full {
        /// Offset after the marker.
        inner: usize,
        /// True if the reference parser accepts this beginning.
        exact: bool,
    },
    /// A possible beginning of a callout, cut by the end of the text.
    Partial,
    None,
}

/// Determines whether a line begins a callout; the second argument is the maximum number of spaces before and after
/// the `>`.
fn begins(line: &[u8], blanks: usize, finished: bool) -> Match {
    let undecided = |at: usize| if at == line.len() && !finished { Match::Partial } else { Match::None };
    let bom = b"\xef\xbb\xbf";
    if line.len() < bom.len() && bom.starts_with(line) {
        return undecided(line.len());
    }
    let front = if line.starts_with(bom) { bom.len() } else { 0 };
    let run =
        |from: usize| line[from..].iter().take_while(|byte| matches!(byte, b' ' | b'\t')).take(blanks + 1).count();
    let quote = front + run(front);
    if quote - front > blanks || line.get(front..quote).is_some_and(|lead| lead.contains(&b'\t')) {
        return Match::None;
    }
    if line.get(quote) != Some(&b'>') {
        return undecided(quote);
    }
    let gap = run(quote + 1);
    let bracket = quote + 1 + gap;
    if gap > blanks {
        return Match::None;
    }
    let ahead = &line[bracket..];
    let length = ahead.len().min(MARKER.len());
    if !ahead[..length].eq_ignore_ascii_case(&MARKER[..length]) {
        return Match::None;
    }
    if length < MARKER.len() {
        return undecided(line.len());
    }
    Match::Full { inner: bracket + MARKER.len(), exact: quote == 0 && &line[1..bracket] == b" " }
}

/// A dissected header line; spans are in the transcript.
struct Head {
    exact: bool,
    /// From the beginning of the line to the end of the marker.
    marker: Span,
    words: HeaderWords,
    /// Text between the bracket and the line feed; `None` if there is no bracket.
    tail: Option<Span>,
    /// Offset after the bracket, or after the line if there is none.
    end: usize,
}

impl Head {
    /// Parses a header line that begins at offset `at`.
    fn read(line: &[u8], at: usize) -> Option<Head> {
        let Match::Full { inner, exact } = begins(line, MAX_BLANKS, true) else { return None };
        let bracket = memchr(b']', &line[inner..]).map(|found| inner + found);
        let end = bracket.unwrap_or(line.len());
        let mut words = header::read(&line[inner..end], at + inner, Quotes::Kept);
        if inner < end && trim_start(&line[inner..end]) == 0 {
            let length = line[inner..end].iter().take_while(|byte| !byte.is_ascii_whitespace()).count();
            let span = Span::new(at + inner, at + inner + length);
            let found = String::from_utf8_lossy(&line[inner..inner + length]);
            let message = format!("missing space after tool: {found} becomes part of the name");
            words.problems.insert(0, Diagnostic::new(Code::CalloutHeader, span, message).contrast("a space", found));
        }
        let tail = bracket.map(|bracket| Span::new(at + bracket + 1, at + line.len()));
        let end = tail.map_or(at + line.len(), |tail| tail.start);
        Some(Head { exact, marker: Span::new(at, at + inner), words, tail, end })
    }
}

/// Dissects the bytes of a call: its header, its lines, and the reason for which the runtime would reject it.
fn read(text: &Text, parts: CallParts<'_>) -> Fields {
    let body = text.read(parts.body);
    let line = text.read(Span::new(parts.start, parts.body.start));
    let Some(head) = Head::read(&line, parts.start) else { return Fields::default() };
    let mut lines = Vec::new();
    let mut carriage_return = None;
    let mut at = 1;
    while at < body.len() {
        let end = memchr(b'\n', &body[at..]).map_or(body.len(), |feed| at + feed + 1);
        let start = at + mark(&body[at..end]);
        lines.push((parts.body.start + start, &body[start..end]));
        if body[at..end].trim_ascii_end().len() < end - at && body[at..end].ends_with(b"\r\n") {
            carriage_return.get_or_insert(parts.body.start + end - 2);
        }
        at = end;
    }
    let library = Library::JsYaml;
    let (source, indented) = fields::source(&lines, library);
    let (has_name, has_id) = (head.words.name.is_some(), head.words.id.is_some());
    let context = FieldsContext { has_name, has_id, later_states: false, library };
    let facts = fields::read(&source, context);
    if line.ends_with(b"\r") {
        carriage_return = Some(parts.body.start - 1);
    }
    let has_body = !source.text().is_empty();
    let mut faults: Vec<Diagnostic> = Vec::new();
    faults.extend(shape(&line, &head));
    faults.extend(title(&line, &head, parts.start, has_body));
    faults.extend(carriage_return.filter(|_| has_body).map(|at| {
        let message = "the lines end in CR LF: the runtime does not read the body";
        Diagnostic::new(Code::CalloutCarriageReturn, Span::new(at, at + 1), message)
            .contrast("a line feed", "a carriage return and a line feed")
    }));
    faults.extend(joined(text, parts, &head));
    faults.extend(indented);
    facts.with_faults(faults, parts.status)
}

/// Length of the quotation mark at the beginning of a body line, with one whitespace character after it.
fn mark(line: &[u8]) -> usize {
    let blanks = line.iter().take_while(|&&byte| byte == b' ').count();
    blanks
        + match &line[blanks..] {
            [b'>', 0xc2, 0xa0, ..] => 3,
            [b'>', b' ' | b'\t', ..] => 2,
            [b'>', ..] => 1,
            _ => 0,
        }
}

/// Reports a header that the reference parser does not match, or that has no closing bracket.
fn shape(line: &[u8], head: &Head) -> Option<Diagnostic> {
    if head.tail.is_none() {
        let span = Span::new(head.marker.end - MARKER.len(), head.end);
        let message = "the header has no closing bracket: not a call";
        return Some(Diagnostic::new(Code::CalloutUnclosed, span, message).contrast("]", "the end of the line"));
    }
    if head.exact {
        return None;
    }
    let length = head.marker.len() - MARKER.len();
    let found = String::from_utf8_lossy(&line[..length]).into_owned();
    let message = "inexact callout header: not a call";
    let span = Span::new(head.marker.start, head.marker.end - MARKER.len());
    Some(Diagnostic::new(Code::CalloutIndented, span, message).contrast("\"> \"", format!("{found:?}")))
}

fn title(line: &[u8], head: &Head, start: usize, has_body: bool) -> Option<Diagnostic> {
    let tail = head.tail?;
    let bytes = line[tail.start - start..tail.end - start].strip_suffix(b"\r").unwrap_or(&line[tail.start - start..]);
    if bytes.is_empty() {
        return None;
    }
    let text = crate::text::trim(bytes, tail.start);
    let (span, what) = if text.is_empty() { (tail, "a space") } else { (text, "text") };
    if !has_body && text.is_empty() {
        return None;
    }
    let effect = if has_body { "the body is not read" } else { "it is prose" };
    let message = format!("{what} after the header: {effect}");
    let problem = Diagnostic::new(Code::CalloutTitle, span, message).contrast("the end of the line", what);
    Some(if has_body { problem } else { problem.with_severity(Severity::Warning) })
}

/// Reports a callout adjacent to the previous or next one, which the runtime reads as one call.
fn joined(text: &Text, parts: CallParts<'_>, head: &Head) -> Option<Diagnostic> {
    if parts.status == Status::Implicit && head.exact && head.tail.is_none_or(Span::is_empty) {
        let message = "the next callout follows without an empty line: both are shown as prose";
        return Some(Diagnostic::new(Code::CalloutNotSeparated, head.marker, message));
    }
    let before = swallowed_by(text, parts.text_start, parts.start)?;
    let message = "this callout follows another one without an empty line: both are shown as prose";
    let problem = Diagnostic::new(Code::CalloutNotSeparated, head.marker, message);
    Some(problem.related(before, "the callout before it"))
}

/// The marker of the callout that, for the runtime, includes the line at `at`: a callout takes in the rest of its
/// quotation unless text follows its bracket. The text of both begins at `text_start`.
fn swallowed_by(text: &Text, text_start: usize, at: usize) -> Option<Span> {
    let start = at.saturating_sub(super::LOOK_BACK).max(text_start);
    let before = text.read(Span::new(start, at));
    let mut rest: &[u8] = &before;
    let mut passed = 0;
    while let Some(lines) = rest.strip_suffix(b"\n") {
        let line = memrchr(b'\n', lines).map_or(0, |feed| feed + 1);
        if let Match::Full { inner, exact } = begins(&lines[line..], 1, true) {
            let ends =
                memchr(b']', &lines[line + inner..]).is_some_and(|bracket| line + inner + bracket + 1 < lines.len());
            if exact && !ends {
                return Some(Span::new(start + line, start + line + inner));
            }
            passed += 1;
        }
        if lines.get(line) != Some(&b'>') || passed == LOOK_BACK_CALLS {
            return None;
        }
        rest = &rest[..line];
    }
    None
}

impl Dialect for Callout {
    fn info(&self) -> &'static DialectInfo {
        &ABOUT
    }

    fn triggers(&self) -> Triggers {
        Triggers { line_start: vec![b'>', 0xef], lines: vec![b'[', b'\\', b'&', 0xef], ..Triggers::default() }
    }

    fn begin_message(&mut self) {}

    fn probe(&mut self, place: ProbePoint<'_>, out: &mut Vec<ParseEvent>) -> Probe {
        let ahead = place.text.since(place.at);
        if !place.is_line_start() || (ahead.first() == Some(&0xef) && place.at > 0) {
            return Probe::Nothing;
        }
        match begins(&ahead[..ahead.len().min(32)], MAX_BLANKS, place.finished) {
            Match::Full { .. } => {}
            Match::Partial => return Probe::Wait(ahead.len()),
            Match::None => return Probe::Nothing,
        }
        let length = match place.header_line(place.at) {
            HeaderLine::Whole(length) => length,
            HeaderLine::Wait => return Probe::Wait(ahead.len()),
            HeaderLine::Cut => ahead.len(),
            HeaderLine::TooLong => {
                let marker = Span::new(place.at, place.at + MARKER.len());
                return ProbePoint::pass_long_header(marker, out);
            }
        };
        let Some(head) = Head::read(&ahead[..length], place.at) else { return Probe::Nothing };
        if head.tail.is_none() && length == ahead.len() {
            return place.pass_cut_header("header of a callout", "]", out);
        }
        let body = place.at + length;
        let blanks = ahead.iter().take_while(|&&byte| byte == b' ').count();
        out.push(ParseEvent::open(Opening {
            dialect: &ABOUT,
            marker: head.marker,
            header: head.words.header(head.marker.end),
            body,
            is_seen: head.exact && swallowed_by(place.text, place.text_start, place.at).is_none(),
        }));
        out.extend(place.in_code_problem(head.marker, "a callout").map(ParseEvent::of_call));
        out.extend(head.words.problems.into_iter().map(ParseEvent::of_call));
        Probe::Open(Box::new(parser::CalloutParser::new(place, body, blanks)))
    }

    fn expected(&self, ahead: &[u8]) -> Option<Expected> {
        match begins(&ahead[..ahead.len().min(32)], MAX_BLANKS, false) {
            Match::Full { .. } => Some(Expected::one(OpenPart::Header, Terminator::Words("the end of the line"))),
            Match::Partial => Some(Expected::texts(OpenPart::Marker, ["> [!tool"])),
            Match::None => None,
        }
    }

    fn prose_line(&mut self, line: &[u8], at: usize, markdown: &MarkdownContext, out: &mut Vec<ParseEvent>) {
        let Some(span) = near_miss(line) else { return };
        let found = String::from_utf8_lossy(&line[..span.end]).into_owned();
        let span = Span::new(at + span.start, at + span.end);
        let message = format!("{} is almost a callout header; read as prose", found.trim());
        let diagnostic =
            Diagnostic::new(Code::NearMissMarker, span, message).contrast("> [!tool", found).replace_with("> [!tool");
        out.push(ParseEvent::of_prose(diagnostic.hint_if(markdown.in_fence())));
    }

    fn dissect(&self, text: &Text, parts: CallParts<'_>) -> Assembly {
        read(text, parts).assembly
    }

    fn write(&self, call: &CallContent<'_>) -> String {
        writer::write(call)
    }

    fn closer(&self, _marker: &str) -> Closer {
        Closer::Line("]".to_owned())
    }
}

/// A near miss of a marker: quoted twice, in a list, escaped, or without its `>`.
fn near_miss(line: &[u8]) -> Option<Span> {
    if let Match::Full { .. } = begins(line, MAX_BLANKS, true) {
        return None;
    }
    let bracket = memchr(b'[', line)?;
    let mut rest = &line[bracket + 1..];
    rest = rest.strip_prefix(b"[").unwrap_or(rest);
    let rest = rest.trim_ascii_start();
    let word = rest.get(..5)?;
    let next = rest.get(5).copied().unwrap_or(b']');
    if !word.eq_ignore_ascii_case(b"!tool") || !matches!(next, b' ' | b'\t' | b']' | b'\r') {
        return None;
    }
    let lead = String::from_utf8_lossy(&line[..bracket]).replace("&gt;", ">");
    if !lead.chars().all(|c| matches!(c, ' ' | '\t' | '>' | '-' | '*' | '\\' | '\u{feff}')) {
        return None;
    }
    let start = line.iter().position(|byte| !byte.is_ascii_whitespace()).unwrap_or(bracket);
    Some(Span::new(start, line.len() - rest.len() + 5))
}
