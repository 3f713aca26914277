//! The gadget block format.
//!
//! ```text
//! call      = START header LF body [ END ]
//! header    = name [ ":" id [ ":" dependency { "," dependency } ] ]
//! body      = junk { ARG pointer LF value }
//! pointer   = segment { "/" segment }
//! START     = "!!!GADGET_START:"     END = "!!!GADGET_END"     ARG = "!!!ARG:"     (all three can be changed)
//! ```
//!
//! The reference runtime searches for markers anywhere, regardless of lines, code fences and quotations; there is no
//! escaping and no nesting. A body ends at END, at the next START or at the end of the text. Whitespace around the
//! body is dropped, and a code fence at its end; a value loses one final line feed.

mod coercion;
mod header;
mod near_miss;
mod overlap;
mod parser;
mod split;
mod writer;

use std::hash::Hasher;
use std::sync::Arc;

use super::prefilter::LineStarts;
use super::{
    CallContent, CallParts, Closer, Dialect, DialectInfo, Expected, HeaderLine, MarkdownContext, Numbering, OpenPart,
    Opening, ParseEvent, Probe, ProbePoint, Start, Terminator, Triggers,
};
use crate::diagnostic::{Code, Diagnostic};
use crate::text::byte_set::ByteSet;
use crate::text::window::Window;
use crate::text::{Span, Text};
use crate::value::pointer::{self, Scratch};
use crate::value::schema::Coercion;
use crate::value::{Argument, Assembly, Findings, Sink};

/// Facts about the dialect other than its grammar.
pub(crate) static ABOUT: DialectInfo = DialectInfo {
    name: "gadget",
    title: "gadget blocks",
    recognised_by: "the start marker !!!GADGET_START: anywhere, followed by a header line (markers can be changed with --start-prefix, --end-prefix, --arg-prefix)",
    example: "!!!GADGET_START:WriteFile:write_1\n!!!ARG:path\nnotes.md\n!!!ARG:tags/0\ndraft\n!!!GADGET_END\n",
    id_prefix: "gadget_",
    escapes: false,
    numbering: Numbering::Nameless,
    key_term: "pointer",
    next_ends: true,
    start: Start::Anywhere,
    signs: &["!!!GADGET_START:"],
    family: &[],
    body_like: None,
    typing: Coercion::Pointers,
    coercion: Some(coercion::explain),
};

/// The three markers of the format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Markers {
    start: String,
    end: String,
    argument: String,
    /// Length of the common prefix of the three markers; `next_bytes` has the byte that follows it in each.
    alike: usize,
    next_bytes: [u8; 3],
    /// True if two of them can match in overlapping bytes.
    overlaps: bool,
}

impl Default for Markers {
    fn default() -> Self {
        Self::new("!!!GADGET_START:", "!!!GADGET_END", "!!!ARG:")
    }
}

impl Markers {
    /// These markers, none of which is empty.
    fn new(start: &str, end: &str, argument: &str) -> Self {
        let all = [start, end, argument].map(str::as_bytes);
        let is_alike = |at: &usize| all.iter().all(|text| text.len() > at + 1 && text[*at] == start.as_bytes()[*at]);
        let alike = (0..start.len()).take_while(is_alike).count();
        let next_bytes = all.map(|text| text[alike]);
        let overlaps = Self::can_overlap(all);
        Self { start: start.into(), end: end.into(), argument: argument.into(), alike, next_bytes, overlaps }
    }

    /// The default markers with some of them replaced.
    ///
    /// # Errors
    /// Names a marker that is empty, contains a line feed, or equals another one.
    pub fn custom(start: Option<&str>, end: Option<&str>, argument: Option<&str>) -> Result<Self, String> {
        let default = Self::default();
        let start = start.unwrap_or(&default.start);
        let end = end.unwrap_or(&default.end);
        let argument = argument.unwrap_or(&default.argument);
        for (what, marker) in [("start", start), ("end", end), ("argument", argument)] {
            if crate::text::trim(marker.as_bytes(), 0).is_empty() || marker.contains('\n') {
                return Err(format!("the {what} marker {marker:?} must not be empty or hold a line feed"));
            }
        }
        if start == end || start == argument || end == argument {
            return Err(format!("the start, end and argument markers must differ: {start:?}, {end:?}, {argument:?}"));
        }
        Ok(Self::new(start, end, argument))
    }

    /// These markers with one of them replaced.
    ///
    /// # Errors
    /// See [`Markers::custom`].
    pub fn with(&self, marker: Marker, words: &str) -> Result<Self, String> {
        let of = |other: Marker| Some(if other == marker { words } else { self.text(other) });
        Self::custom(of(Marker::Start), of(Marker::End), of(Marker::Argument))
    }

    /// False if `ahead` surely begins with no marker; two bytes decide this in most places.
    #[inline]
    fn may_begin(&self, ahead: &[u8]) -> bool {
        ahead.get(self.alike).is_none_or(|telling| {
            self.next_bytes.contains(telling)
                && (self.alike == 0 || ahead[self.alike - 1] == self.start.as_bytes()[self.alike - 1])
        })
    }

    /// The marker that `ahead` begins with, in prose. Nothing is open, so START takes precedence.
    fn in_prose(&self, ahead: &[u8], finished: bool) -> Match {
        self.first_of(&[Marker::Start, Marker::End, Marker::Argument], ahead, finished)
    }

    /// The marker that `ahead` begins with, in a body: if two share a prefix, END takes precedence over START.
    /// `within_argument` excludes ARG.
    #[inline]
    fn in_body(&self, ahead: &[u8], finished: bool, within_argument: bool) -> Match {
        if !self.may_begin(ahead) {
            return Match::None;
        }
        let all = [Marker::End, Marker::Start, Marker::Argument];
        self.first_of(if within_argument { &all[..2] } else { &all }, ahead, finished)
    }

    fn first_of(&self, order: &[Marker], ahead: &[u8], finished: bool) -> Match {
        for &marker in order {
            let text = self.text(marker).as_bytes();
            if ahead.get(self.alike).is_some_and(|telling| *telling != text[self.alike]) {
                continue;
            }
            if ahead.starts_with(text) {
                return Match::Full(marker);
            }
            if !finished && text.starts_with(ahead) {
                return Match::Partial;
            }
        }
        Match::None
    }

    /// Length of the part of a stray marker that surely does not contain the beginning of a START.
    fn stray_length(&self, marker: Marker) -> usize {
        let (start, stray) = (self.start.as_bytes(), self.text(marker).as_bytes());
        let may_start = |at: &usize| start.starts_with(&stray[*at..]) || stray[*at..].starts_with(start);
        (1..stray.len()).find(may_start).unwrap_or(stray.len())
    }

    /// The text of a marker.
    pub fn text(&self, marker: Marker) -> &str {
        match marker {
            Marker::Start => &self.start,
            Marker::End => &self.end,
            Marker::Argument => &self.argument,
        }
    }

    fn all(&self) -> [&str; 3] {
        [&self.start, &self.end, &self.argument]
    }
}

/// One of the three markers. Its name is used in messages and in the list of settings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::Display, strum::IntoStaticStr)]
pub enum Marker {
    /// Begins a call: `!!!GADGET_START:` unless set.
    #[strum(serialize = "start marker")]
    Start,
    /// Ends a call: `!!!GADGET_END` unless set.
    #[strum(serialize = "end marker")]
    End,
    /// Begins an argument: `!!!ARG:` unless set.
    #[strum(serialize = "argument marker")]
    Argument,
}

/// Result of matching a marker at a place.
enum Match {
    Full(Marker),
    /// The text ends inside of a possible marker.
    Partial,
    None,
}

/// The markers and the byte sets that find them.
#[derive(Clone)]
struct Format {
    markers: Markers,
    near: near_miss::Detector,
    /// First bytes of the markers, and the line feed.
    marks: ByteSet,
    /// First bytes of body lines that may be near misses.
    heads: LineStarts,
}

/// The dialect, with its markers.
#[derive(Clone)]
pub struct Gadget {
    format: Arc<Format>,
    /// True after a near miss of a start marker: markers of its call are prose and not reported.
    orphans: bool,
    /// Memory reused for checking calls.
    arguments: Vec<Argument>,
    scratch: Scratch,
}

impl Gadget {
    /// A dialect with these markers.
    pub fn new(markers: Markers) -> Self {
        let near = near_miss::Detector::new(&markers);
        let marks = ByteSet::new(markers.all().iter().filter_map(|marker| marker.bytes().next()).chain([b'\n']));
        let heads = LineStarts::new([&Triggers { lines: near.heads(), ..Triggers::default() }]);
        Self {
            format: Arc::new(Format { markers, near, marks, heads }),
            orphans: false,
            arguments: Vec::new(),
            scratch: Scratch::default(),
        }
    }

    /// Handles a start marker: the call opens once its header line is complete.
    fn start(&mut self, place: ProbePoint<'_>, out: &mut Vec<ParseEvent>) -> Probe {
        let marker = Span::new(place.at, place.at + self.format.markers.start.len());
        let length = match place.header_line(marker.end) {
            HeaderLine::Whole(length) => length,
            HeaderLine::Wait => return Probe::Wait(place.text.len() - place.at),
            HeaderLine::TooLong => return ProbePoint::pass_long_header(marker, out),
            HeaderLine::Cut => {
                let name = String::from_utf8_lossy(place.text.since(marker.end).trim_ascii());
                return place.pass_cut_header(&format!("header of {name}"), "a line feed after the header", out);
            }
        };
        let line = Span::new(marker.end, marker.end + length);
        let body = line.end + 1;
        let bytes = place.text.read(line);
        let header = header::parse(&bytes, line.start);
        let mut problems = header::judge(&bytes, line, marker, &header, &self.format.markers);
        let before = place.markdown.before(place.text, place.at);
        let marks = self.format.markers.marks_before(Marker::Start, &before);
        problems.extend(self.format.markers.marks_problem(Marker::Start, &before, place.at, "is prose"));
        let begins_line = marks > 0 && before[..before.len() - marks].trim_ascii().is_empty();
        let placement = place.placement_problem(marker, "a start marker");
        problems.extend(placement.filter(|problem| problem.code != Code::MarkerMidLine || !begins_line));
        self.orphans = false;
        let quoted = place.markdown.in_quotation(place.text, place.at);
        let block = parser::GadgetParser::new(Arc::clone(&self.format), marker.start, body, quoted);
        out.push(ParseEvent::open(Opening { dialect: &ABOUT, marker, header, body, is_seen: true }));
        out.extend(problems.into_iter().map(ParseEvent::of_call));
        Probe::Open(Box::new(block))
    }

    /// Handles an end or argument marker in prose.
    fn stray(&mut self, marker: Marker, place: ProbePoint<'_>, out: &mut Vec<ParseEvent>) -> Probe {
        let length = self.format.markers.text(marker).len();
        let span = Span::new(place.at, place.at + length);
        let text = self.format.markers.text(marker);
        if !self.orphans {
            let (code, message) = match marker {
                Marker::End => (Code::StrayEnd, format!("stray {text}: no call is open")),
                _ => (Code::StrayArgument, format!("stray {text}: no call is open")),
            };
            let is_hint = !place.markdown.begins_line(place.text, place.at);
            out.push(ParseEvent::of_prose(Diagnostic::new(code, span, message).hint_if(is_hint)));
        }
        // Further arguments of the same lost call are not reported.
        self.orphans = marker == Marker::Argument;
        Probe::Prose(self.format.markers.stray_length(marker))
    }
}

impl Dialect for Gadget {
    fn info(&self) -> &'static DialectInfo {
        &ABOUT
    }

    fn triggers(&self) -> Triggers {
        Triggers {
            anywhere: self.format.markers.all().map(Into::into).into(),
            lines: self.format.near.heads(),
            ..Triggers::default()
        }
    }

    fn begin_message(&mut self) {
        self.orphans = false;
    }

    fn hash_state(&self, _text: &Text, _at: usize, memory: &mut dyn Hasher) {
        memory.write_u8(self.orphans.into());
    }

    fn probe(&mut self, place: ProbePoint<'_>, out: &mut Vec<ParseEvent>) -> Probe {
        let ahead = place.text.since(place.at);
        match self.format.markers.in_prose(ahead, place.finished) {
            Match::Full(Marker::Start) => self.start(place, out),
            Match::Full(marker) => self.stray(marker, place, out),
            Match::Partial => Probe::Wait(ahead.len()),
            Match::None => Probe::Nothing,
        }
    }

    fn expected(&self, ahead: &[u8]) -> Option<Expected> {
        if ahead.starts_with(self.format.markers.start.as_bytes()) {
            return Some(Expected::one(OpenPart::Header, Terminator::Words("the end of the line")));
        }
        Expected::marker(&self.triggers(), ahead)
    }

    fn prose_line(&mut self, line: &[u8], at: usize, markdown: &MarkdownContext, out: &mut Vec<ParseEvent>) {
        let Some(near) = self.format.near.find(line) else { return };
        let diagnostic = near.diagnostic(at, false).hint_if(markdown.in_fence());
        if self.orphans && near.marker != Marker::Start {
            return;
        }
        self.orphans = near.marker != Marker::End;
        out.push(ParseEvent::of_prose(diagnostic));
    }

    fn rest_of_line(&mut self, rest: &[u8], at: usize, out: &mut Vec<ParseEvent>) {
        let markers = &self.format.markers;
        let line = [markers.end.as_bytes(), rest].concat();
        // A text that is read from its middle may not hold the marker.
        let start = at.checked_sub(markers.end.len());
        let overlap = start.and_then(|start| markers.overlap_problem(Marker::End, start, &line));
        out.extend(overlap.map(ParseEvent::of_call));
        let text = crate::text::trim(rest, at);
        if !text.is_empty() {
            let found = String::from_utf8_lossy(&rest[text.start - at..text.end - at]).into_owned();
            let message = format!("text after {} on the same line is prose", self.format.markers.end);
            let diagnostic = Diagnostic::new(Code::TextAfterEnd, text, message).contrast("the end of the line", found);
            out.push(ParseEvent::of_call(diagnostic));
        }
    }

    fn check(&mut self, text: &Text, parts: CallParts<'_>) -> Findings {
        assemble(&self.format.markers, text, parts, &mut self.arguments, &mut self.scratch, &mut ())
    }

    fn dissect(&self, text: &Text, parts: CallParts<'_>) -> Assembly {
        let (mut out, mut arguments) = (Assembly::default(), Vec::new());
        let markers = &self.format.markers;
        let Findings { problems, error } =
            assemble(markers, text, parts, &mut arguments, &mut Scratch::default(), &mut out);
        Assembly { arguments, error, problems, ..out }
    }

    fn write(&self, call: &CallContent<'_>) -> String {
        writer::write(call, &self.format.markers)
    }

    fn closer(&self, _marker: &str) -> Closer {
        Closer::Line(self.format.markers.end.clone())
    }
}

/// Dissects a call into `sink`.
fn assemble<S: Sink>(
    markers: &Markers,
    text: &Text,
    parts: CallParts<'_>,
    arguments: &mut Vec<Argument>,
    scratch: &mut Scratch,
    sink: &mut S,
) -> Findings {
    let mut window = Window::new(text);
    let content = split::split(text, &mut window, parts, markers, arguments);
    let problems = split::judge(text, parts, content, arguments, markers).into();
    let out = Findings { problems, error: None };
    pointer::assemble(text, &mut window, arguments, scratch, sink, out)
}
