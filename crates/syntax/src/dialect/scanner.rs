//! Scans the text once for all active dialects, independent of how the text is cut into pieces.
//!
//! The scanner skips prose from one relevant byte to the next, probes the dialects there, and hands over to a call
//! parser while a call is open. It alone owns the undecided tail of the text, and knows no syntax.

mod handover;
mod lookahead;
mod open_call;
mod runtime_reader;
mod shared_dialect;
mod unclosed;

use std::sync::{Arc, LazyLock, OnceLock};

use super::markdown_context::{LINE_HEAD, Placement};
use super::prefilter::{DialectSet, Prefilter, Stop};
use super::{
    CallParser, CallParts, Dialect, Examples, Expected, MarkdownContext, OpenPart, Options, ParseEvent, Probe,
    ProbePoint, Terminator, Triggers, registry,
};
use crate::text::{Span, Text, steps};
use crate::value::{Assembly, Findings};
pub use handover::ScannerMemory;
use lookahead::FoundCall;
use open_call::{JudgedCall, OpenCall, YieldedCall};
use runtime_reader::RuntimeReader;
pub use shared_dialect::SharedDialect;
use unclosed::{Others, Rereads};

/// Maximum size in bytes of an arriving piece for which the fast path is tried, such as a token.
const TOKEN: usize = 32;

/// Finds calls in a growing text.
#[derive(Clone)]
pub struct Scanner {
    dialects: Vec<SharedDialect>,
    examples: Examples,
    prefilter: Arc<Prefilter>,
    markdown: MarkdownContext,
    /// Dialects that need to see the current line.
    noted: DialectSet,
    /// All text before this offset has been scanned.
    at: usize,
    /// Bytes after `at` that a dialect has examined without a result; it waits for more unless this is 0.
    looked: usize,
    /// Prose before this offset has been emitted.
    given: usize,
    /// Offset at which scanning began; a line that begins before it was scanned elsewhere.
    begun: usize,
    /// Offset at which the current text begins; texts of earlier messages precede it.
    text_start: usize,
    /// The open call. It is large and is moved out at each piece that arrives; boxing it halves the time for that.
    open: Option<Box<OpenCall>>,
    /// The Markdown context of its marker, or of the last call's marker.
    call_markdown: MarkdownContext,
    /// Offset of the end of the last call, and the number of its dialect.
    last_call: Option<(usize, usize)>,
    /// Problems that the parser of the last call has found.
    judged: Option<JudgedCall>,
    /// Buffer for the events of a probe.
    opening: Vec<ParseEvent>,
    /// Scanners that search a call of the dialect with their number for calls of other dialects.
    lookaheads: Vec<Option<Box<Scanner>>>,
    /// Templates of those scanners, by the same number: expensive to build, and shared by all copies.
    others: Arc<[OnceLock<Others>]>,
    /// Nesting depth of scanners.
    depth: usize,
    /// Calls that begin at this offset or later are not searched for.
    limit: usize,
    rereads: Rereads,
    /// By dialect: the name in a mention that no end marker followed up to the end of the text. At this offset or
    /// later, a call with the same name has no end marker either.
    endless: Vec<Option<(String, usize)>>,
    /// The call that yielded to the next one.
    yielded: Option<YieldedCall>,
    /// The call that it yielded to.
    found: Option<FoundCall>,
    /// Reads each text like a runtime, instead of using the dialects.
    runtime: Option<RuntimeReader>,
}

impl Scanner {
    /// A scanner at the beginning of a text. Earlier dialects are probed first; if there are several, an unclosed call
    /// yields to calls of the others. `examples` says how to read markers that are probably mentions.
    fn new(dialects: Vec<SharedDialect>, examples: Examples) -> Self {
        let triggers: Vec<Triggers> = dialects.iter().map(|dialect| dialect.triggers()).collect();
        Self {
            lookaheads: dialects.iter().map(|_| None).collect(),
            others: dialects.iter().map(|_| OnceLock::new()).collect(),
            dialects,
            examples,
            prefilter: Arc::new(Prefilter::new(&triggers)),
            markdown: MarkdownContext::default(),
            noted: DialectSet::EMPTY,
            at: 0,
            looked: 0,
            given: 0,
            begun: 0,
            text_start: 0,
            open: None,
            call_markdown: MarkdownContext::default(),
            last_call: None,
            judged: None,
            opening: Vec::new(),
            depth: 0,
            limit: usize::MAX,
            rereads: Rereads::default(),
            endless: Vec::new(),
            yielded: None,
            found: None,
            runtime: None,
        }
    }

    /// A scanner with these options, at the beginning of a text.
    pub fn from_options(options: &Options) -> Self {
        // Building a scanner takes much longer than copying one.
        static DEFAULT: LazyLock<Scanner> = LazyLock::new(|| make(&Options::default()));
        fn make(options: &Options) -> Scanner {
            let shared = |dialects: Vec<Box<dyn Dialect>>| dialects.into_iter().map(SharedDialect::new).collect();
            match RuntimeReader::new(options) {
                Some((runtime, dialects)) => {
                    Scanner { runtime: Some(runtime), ..Scanner::new(shared(dialects), options.examples) }
                }
                None => Scanner::new(shared(registry(options)), options.examples),
            }
        }
        if *options == Options::default() { DEFAULT.clone() } else { make(options) }
    }

    /// Moves to `at`, where another text begins; nothing before it is read again.
    pub fn begin_text(&mut self, at: usize) {
        debug_assert!(self.open.is_none(), "the end of a text ends what was open");
        let mut markdown = MarkdownContext::default();
        markdown.pass_to(at);
        self.begin_at(at, markdown);
        self.text_start = at;
        self.rereads = Rereads::default();
        self.endless.clear();
        self.yielded = None;
    }

    /// Moves to `at` with this Markdown context.
    fn begin_at(&mut self, at: usize, markdown: MarkdownContext) {
        self.markdown = markdown;
        self.last_call = None;
        self.noted = DialectSet::EMPTY;
        self.at = at;
        self.looked = 0;
        self.given = at;
        self.begun = at;
    }

    /// Begins another message; some dialects restart counts of calls.
    pub fn begin_message(&mut self) {
        if let Some(runtime) = &mut self.runtime {
            runtime.begin_message();
        }
        self.dialects.iter_mut().for_each(SharedDialect::begin_message);
    }

    /// The active dialects, in probing order.
    pub fn dialects(&self) -> &[SharedDialect] {
        &self.dialects
    }

    /// The dialect with this name, if it is active.
    pub fn dialect(&self, name: &str) -> Option<&dyn Dialect> {
        self.dialects.iter().find(|dialect| dialect.name() == name).map(|dialect| &**dialect)
    }

    /// Dissects a call of the dialect with this name, if it is active.
    pub fn dissect(&self, name: &str, text: &Text, parts: CallParts<'_>) -> Option<Assembly> {
        let dialect = self.dialect(name)?;
        Some(match &self.runtime {
            Some(runtime) => runtime.dissect(text, parts),
            None => dialect.dissect(text, parts),
        })
    }

    /// Problems of a call of the dialect with this name, if it is active.
    pub fn check(&mut self, name: &str, text: &Text, parts: CallParts<'_>) -> Option<Findings> {
        let number = self.dialects.iter().position(|dialect| dialect.name() == name)?;
        let judged = self.judged.take().and_then(|judged| judged.findings(number, parts));
        Some(judged.unwrap_or_else(|| self.dialects[number].check(text, parts)))
    }

    /// Offset up to which everything is decided; the text after it may still become a marker.
    pub fn decided(&self) -> usize {
        self.open.as_ref().map_or(self.at, |open| open.parser.decided().min(open.lookahead.undecided()))
    }

    /// The current offset, if in prose with no call open.
    fn prose(&self) -> Option<usize> {
        self.open.is_none().then_some(self.at)
    }

    /// The Markdown context of the last marker that began a call.
    fn call_markdown(&self) -> &MarkdownContext {
        &self.call_markdown
    }

    /// True if no call that begins before `limit` is open or can still be found.
    fn has_passed(&self, limit: usize) -> bool {
        if self.open.is_some() { self.call_markdown.line_start() >= limit } else { self.at >= limit }
    }

    /// Takes the call that the last call yielded to.
    fn take_found(&mut self) -> Option<FoundCall> {
        self.found.take()
    }

    /// The text's possible completions, and the dialects that wait for them; `None` in prose where everything is
    /// decided.
    pub fn expected(&self, text: &Text) -> Option<(Vec<&'static str>, Expected)> {
        if let Some(open) = &self.open {
            return Some((vec![self.dialects[open.number].name()], open.parser.expected(text)));
        }
        if self.looked == 0 {
            return None;
        }
        let ahead = text.since(self.at);
        let who = self.prefilter.dialects_at(text, self.at, &self.markdown);
        let asked = who.numbers(self.dialects.len()).map(|number| &self.dialects[number]);
        let mut names = Vec::new();
        let mut found: Option<Expected> = None;
        for dialect in asked {
            let Some(expected) = dialect.expected(ahead) else { continue };
            match &mut found {
                Some(known) if known.inside == expected.inside => {
                    let more: Vec<Terminator> =
                        expected.until.into_iter().filter(|until| !known.until.contains(until)).collect();
                    known.until.extend(more);
                }
                // A possible header is more specific than a possible marker.
                Some(known) if known.inside == OpenPart::Header => continue,
                _ => {
                    names.clear();
                    found = Some(expected);
                }
            }
            names.push(dialect.name());
        }
        found.map(|found| (names, found))
    }

    /// The lowest offset that will still be passed to [`Text::since`]. It may be lower than an earlier result, where
    /// text that a call had swallowed is read again.
    pub fn needed(&self) -> usize {
        let Some(open) = &self.open else { return self.at };
        open.ended.unwrap_or_else(|| open.parser.needed()).min(open.lookahead.needed())
    }

    /// Reads up to the end of a call, or else the part that can be decided (all of it if `finished`). Returns true
    /// after the end of a call, when reading may continue.
    pub fn advance(&mut self, text: &Text, finished: bool, out: &mut Vec<ParseEvent>) -> bool {
        if let Some(runtime) = &mut self.runtime {
            if finished && self.at < text.len() {
                runtime.read(text, self.at, out);
                self.at = text.len();
            }
            return false;
        }
        if let Some(open) = self.open.take() {
            return self.advance_in_call(open, text, finished, out);
        }
        if let Some((number, parser)) = self.walk_prose(text, finished, out) {
            return self.begin_call(number, parser, text, finished, out);
        }
        if finished {
            self.prose_line(text, text.len(), out);
        }
        self.give_prose(self.at, out);
        false
    }

    /// Fast path: skips a short piece that concerns no dialect, as most tokens are; halves the time for a text.
    /// Returns false where [`Scanner::advance`] must be called.
    #[inline]
    pub fn skip_plain(&mut self, text: &Text) -> bool {
        if let Some(open) = &mut self.open {
            let is_passed = open.skip_plain(text);
            if is_passed {
                self.pass_in_call(text, text.len());
            }
            return is_passed;
        }
        if self.looked > 0 || self.limit < usize::MAX || self.runtime.is_some() {
            return false;
        }
        let bytes = text.since(self.at);
        let call_end = self.last_call.map_or(0, |(end, _)| end);
        let is_passed = (1..=TOKEN).contains(&bytes.len())
            && self.given == self.at
            && self.prefilter.skip_plain(bytes, self.at, call_end, &mut self.markdown, &mut self.noted);
        if is_passed {
            steps::add_bytes(bytes.len());
            self.at = text.len();
            self.given = self.at;
        }
        is_passed
    }

    /// Advances to the next call; returns the number of its dialect and its parser, or `None` if no call begins in the
    /// text so far.
    fn walk_prose(
        &mut self,
        text: &Text,
        finished: bool,
        out: &mut Vec<ParseEvent>,
    ) -> Option<(usize, Box<dyn CallParser>)> {
        loop {
            let from = self.at;
            let stop = if self.looked > 0 {
                Stop::Place(self.at, self.prefilter.dialects_at(text, self.at, &self.markdown))
            } else {
                let call_end = self.last_call.map_or(0, |(end, _)| end);
                if self.at >= self.limit {
                    return None;
                }
                self.prefilter.next(text, self.at, call_end, self.limit, &mut self.markdown, &mut self.noted)
            };
            let reached = match stop {
                Stop::End => text.len().min(self.limit),
                Stop::Line(at) | Stop::Place(at, _) => at,
            };
            steps::add_bytes(reached.saturating_sub(from));
            let who = match stop {
                Stop::End => {
                    self.at = text.len().min(self.limit);
                    return None;
                }
                Stop::Line(feed) => {
                    self.end_line(text, feed, out);
                    continue;
                }
                Stop::Place(at, who) => {
                    self.at = at;
                    who
                }
            };
            match self.probe_dialects(who, text, finished, out) {
                ProbeResult::Wait(looked) => {
                    self.looked = looked;
                    return None;
                }
                ProbeResult::Passed(length) => {
                    self.at += length;
                    self.looked = 0;
                }
                ProbeResult::Opened(number, parser) => {
                    self.looked = 0;
                    return Some((number, parser));
                }
            }
        }
    }

    /// Ends a line that a dialect needs to see with the line feed at `feed`.
    fn end_line(&mut self, text: &Text, feed: usize, out: &mut Vec<ParseEvent>) {
        self.prose_line(text, feed, out);
        let prose = self.last_call.map_or(self.begun, |(end, _)| end);
        if prose > self.markdown.line_start() {
            // The beginning of this line is part of a call, which does not open a fence.
            self.markdown.end_call_line(text, feed);
        } else {
            self.markdown.end_prose_line(text, feed);
        }
        self.at = feed + 1;
    }

    /// Probes these dialects at the current offset.
    fn probe_dialects(
        &mut self,
        who: DialectSet,
        text: &Text,
        finished: bool,
        out: &mut Vec<ParseEvent>,
    ) -> ProbeResult {
        if self.examples == Examples::Prose
            && matches!(self.markdown.placement(text, self.at), Placement::Code | Placement::Quotation)
        {
            return ProbeResult::Passed(1);
        }
        for number in who.numbers(self.dialects.len()) {
            let markdown = &self.markdown;
            let (at, looked, text_start) = (self.at, self.looked, self.text_start);
            let call_end = self.last_call.filter(|&(_, last)| last == number).map(|(end, _)| end);
            let place = ProbePoint { text, at, examined: looked, text_start, call_end, finished, markdown };
            let events = &mut self.opening;
            events.clear();
            match self.dialects[number].probe(place, events) {
                Probe::Nothing => {}
                Probe::Wait(looked) if !finished => return ProbeResult::Wait(looked.max(1)),
                Probe::Wait(_) => return ProbeResult::Passed(1),
                Probe::Prose(length) => {
                    out.append(events);
                    return ProbeResult::Passed(length.max(1));
                }
                Probe::Open(parser) => {
                    self.prose_line(text, self.at, out);
                    self.give_prose(self.at, out);
                    self.call_markdown.clone_from(&self.markdown);
                    return ProbeResult::Opened(number, parser);
                }
            }
        }
        ProbeResult::Passed(1)
    }

    /// Passes the current line, up to `end`, to the dialects that need to see it; if a call ended in it, passes the
    /// rest of the line to that call's dialect.
    fn prose_line(&mut self, text: &Text, end: usize, out: &mut Vec<ParseEvent>) {
        let line_start = self.markdown.line_start();
        match self.last_call {
            Some((call_end, number)) if call_end > line_start => {
                let rest = text.read(Span::new(call_end, end.min(call_end + LINE_HEAD)));
                self.dialects[number].rest_of_line(&rest, call_end, out);
            }
            _ if line_start < end && line_start >= self.begun && !self.noted.is_empty() => {
                let line = self.markdown.head(text, end);
                for number in self.noted.numbers(self.dialects.len()) {
                    self.dialects[number].prose_line(&line, line_start, &self.markdown, out);
                }
            }
            _ => {}
        }
    }

    fn give_prose(&mut self, end: usize, out: &mut Vec<ParseEvent>) {
        if self.given < end {
            out.push(ParseEvent::Text(Span::new(self.given, end)));
            self.given = end;
        }
    }
}

/// Result of probing the dialects at a place.
enum ProbeResult {
    /// A dialect needs more text.
    Wait(usize),
    /// It is prose, this many bytes long.
    Passed(usize),
    /// A call of the dialect with this number begins.
    Opened(usize, Box<dyn CallParser>),
}
