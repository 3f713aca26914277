//! One pass over the text for all active dialects, across the edges of what arrives.
//!
//! The scanner walks over prose from one byte that may matter to the next, asks the dialects there, and hands over to
//! a block while a call is open. It alone owns the tail that cannot be decided yet. It does not know any syntax.

mod dialect_copy;
mod lookahead;
mod open_call;
mod runtime_reader;
mod stretch;
mod unclosed;

use std::sync::{Arc, LazyLock, OnceLock};

use super::markdown_context::{LINE_HEAD, Placement};
use super::prefilter::{Prefilter, Stop, Who};
use super::{
    CallParser, CallParts, Dialect, Examples, Expected, MarkdownContext, OpenPart, Options, ParseEvent, Probe,
    ProbePoint, Terminator, Triggers, registry,
};
use crate::text::{Span, Text, steps};
use crate::value::{Assembly, Findings};
pub use dialect_copy::SharedDialect;
use lookahead::FoundCall;
use open_call::{GaveWay, JudgedCall, OpenCall};
use runtime_reader::RuntimeReader;
pub use stretch::ScannerMemory;
use unclosed::{Others, Rereads};

/// Bytes of a piece in which mostly nothing begins or ends, as of a token.
const TOKEN: usize = 32;

/// Finds calls in a text that grows.
#[derive(Clone)]
pub struct Scanner {
    dialects: Vec<SharedDialect>,
    examples: Examples,
    prefilter: Arc<Prefilter>,
    markdown: MarkdownContext,
    /// Who wants to see the current line.
    noted: Who,
    /// Everything before this offset has been looked at.
    at: usize,
    /// Bytes behind `at` that a dialect has looked at in vain; it is waiting for more unless this is 0.
    looked: usize,
    /// Prose before this offset has been given.
    given: usize,
    /// Where it began to read; a line that begins in front of it belongs to somebody else.
    begun: usize,
    /// Where the text begins that it reads; the texts of earlier messages are before that.
    text_start: usize,
    /// The call that is open. It is taken out at each piece that arrives, and large: in a box that takes half as long.
    open: Option<Box<OpenCall>>,
    /// The Markdown context of its marker, or of that of the last call.
    call_markdown: MarkdownContext,
    /// Where the last call ended, and the number of its dialect.
    last_call: Option<(usize, usize)>,
    /// What the parser of the last call found wrong with it.
    judged: Option<JudgedCall>,
    /// What a dialect says at a place.
    opening: Vec<ParseEvent>,
    /// Those that look for calls of other dialects than the one with their number.
    lookaheads: Vec<Option<Box<Scanner>>>,
    /// What they are made of, by the same number: it takes long to make, and all copies have it in common.
    others: Arc<[OnceLock<Others>]>,
    /// How many scanners have sent each other to send this one.
    depth: usize,
    /// No call is looked for from this offset on.
    limit: usize,
    rereads: Rereads,
    /// By dialect: the name of a mention for which there was no end marker up to the end of the text. The next one of
    /// that name has none either, and is tried from this offset on.
    endless: Vec<Option<(String, usize)>>,
    /// The call that gave way to the next one.
    gave_way: Option<GaveWay>,
    /// To what it gave way.
    found: Option<FoundCall>,
    /// Reads each text as a runtime does, in place of the dialects.
    runtime: Option<RuntimeReader>,
}

impl Scanner {
    /// A scanner at the beginning of a text. Dialects that come first are asked first; where there are several, a call
    /// that nothing ends gives way to those of others.
    /// `examples` says what to make of markers that are probably talked about.
    fn new(dialects: Vec<SharedDialect>, examples: Examples) -> Self {
        let triggers: Vec<Triggers> = dialects.iter().map(|dialect| dialect.triggers()).collect();
        Self {
            lookaheads: dialects.iter().map(|_| None).collect(),
            others: dialects.iter().map(|_| OnceLock::new()).collect(),
            dialects,
            examples,
            prefilter: Arc::new(Prefilter::new(&triggers)),
            markdown: MarkdownContext::default(),
            noted: Who::NOBODY,
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
            gave_way: None,
            found: None,
            runtime: None,
        }
    }

    /// A scanner at the beginning of a text that is read with these options.
    pub fn from_options(options: &Options) -> Self {
        // To make one takes much longer than to copy one.
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

    /// Goes to `at`, where another text begins: nothing in front of it is looked at again.
    pub fn begin_text(&mut self, at: usize) {
        debug_assert!(self.open.is_none(), "the end of a text ends what was open");
        let mut markdown = MarkdownContext::default();
        markdown.pass_to(at);
        self.begin_at(at, markdown);
        self.text_start = at;
        self.rereads = Rereads::default();
        self.endless.clear();
        self.gave_way = None;
    }

    /// Goes to `at` in this Markdown context.
    fn begin_at(&mut self, at: usize, markdown: MarkdownContext) {
        self.markdown = markdown;
        self.last_call = None;
        self.noted = Who::NOBODY;
        self.at = at;
        self.looked = 0;
        self.given = at;
        self.begun = at;
    }

    /// Another message begins, in which some dialects count calls anew.
    pub fn begin_message(&mut self) {
        if let Some(runtime) = &mut self.runtime {
            runtime.begin_message();
        }
        self.dialects.iter_mut().for_each(SharedDialect::begin_message);
    }

    /// The active dialects, in the order in which they are asked.
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

    /// What is wrong with a call of the dialect with this name, if it is active.
    pub fn check(&mut self, name: &str, text: &Text, parts: CallParts<'_>) -> Option<Findings> {
        let number = self.dialects.iter().position(|dialect| dialect.name() == name)?;
        let judged = self.judged.take().and_then(|judged| judged.findings(number, parts));
        Some(judged.unwrap_or_else(|| self.dialects[number].check(text, parts)))
    }

    /// Offset up to which everything is decided; what follows may still become a marker.
    pub fn decided(&self) -> usize {
        self.open.as_ref().map_or(self.at, |open| open.parser.decided().min(open.lookahead.undecided()))
    }

    /// Where it stands in prose, if no call is open.
    fn prose(&self) -> Option<usize> {
        self.open.is_none().then_some(self.at)
    }

    /// The Markdown context of the marker of the call that began last.
    fn call_markdown(&self) -> &MarkdownContext {
        &self.call_markdown
    }

    /// Whether no call that begins in front of `limit` is open or to come.
    fn has_passed(&self, limit: usize) -> bool {
        if self.open.is_some() { self.call_markdown.line_start() >= limit } else { self.at >= limit }
    }

    /// To what the last call gave way.
    fn take_found(&mut self) -> Option<FoundCall> {
        self.found.take()
    }

    /// What the text waits for, and the dialects that do; nothing in prose of which everything is decided.
    pub fn expected(&self, text: &Text) -> Option<(Vec<&'static str>, Expected)> {
        if let Some(open) = &self.open {
            return Some((vec![self.dialects[open.number].name()], open.parser.expected(text)));
        }
        if self.looked == 0 {
            return None;
        }
        let ahead = text.since(self.at);
        let who = self.prefilter.who(text, self.at, &self.markdown);
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
                // What is nearly a call says more than what may become a marker.
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

    /// The lowest offset for which [`Text::since`] will still be asked. It may lie in front of an earlier one, where
    /// what a call had swallowed is read again.
    pub fn needed(&self) -> usize {
        let Some(open) = &self.open else { return self.at };
        open.ended.unwrap_or_else(|| open.parser.needed()).min(open.lookahead.needed())
    }

    /// Reads on to the end of a call, or else as far as it can be decided, to the end if `finished`. Whether it stands
    /// behind a call and may read on.
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

    /// Passes what has arrived, where it is little and concerns nobody, as most that comes in tokens: a text takes half
    /// the time by it. False where it must [`Scanner::advance`].
    #[inline]
    pub fn pass(&mut self, text: &Text) -> bool {
        if let Some(open) = &mut self.open {
            let is_passed = open.pass(text);
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
            && self.prefilter.pass(bytes, self.at, call_end, &mut self.markdown, &mut self.noted);
        if is_passed {
            steps::add_bytes(bytes.len());
            self.at = text.len();
            self.given = self.at;
        }
        is_passed
    }

    /// Walks on to the next call: the number of its dialect, and who reads it. Nothing when there is none in what has
    /// arrived.
    fn walk_prose(
        &mut self,
        text: &Text,
        finished: bool,
        out: &mut Vec<ParseEvent>,
    ) -> Option<(usize, Box<dyn CallParser>)> {
        loop {
            let from = self.at;
            let stop = if self.looked > 0 {
                Stop::Place(self.at, self.prefilter.who(text, self.at, &self.markdown))
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
            match self.ask(who, text, finished, out) {
                Asked::Wait(looked) => {
                    self.looked = looked;
                    return None;
                }
                Asked::Passed(length) => {
                    self.at += length;
                    self.looked = 0;
                }
                Asked::Opened(number, parser) => {
                    self.looked = 0;
                    return Some((number, parser));
                }
            }
        }
    }

    /// A line that somebody wants to see ends with the line feed at `feed`.
    fn end_line(&mut self, text: &Text, feed: usize, out: &mut Vec<ParseEvent>) {
        self.prose_line(text, feed, out);
        let prose = self.last_call.map_or(self.begun, |(end, _)| end);
        if prose > self.markdown.line_start() {
            // What stands in front of the rest of this line is a call, which opens no fence.
            self.markdown.end_call_line(text, feed);
        } else {
            self.markdown.end_prose_line(text, feed);
        }
        self.at = feed + 1;
    }

    /// Asks these dialects about the place it stands at.
    fn ask(&mut self, who: Who, text: &Text, finished: bool, out: &mut Vec<ParseEvent>) -> Asked {
        if self.examples == Examples::Prose
            && matches!(self.markdown.placement(text, self.at), Placement::Code | Placement::Quotation)
        {
            return Asked::Passed(1);
        }
        for number in who.numbers(self.dialects.len()) {
            let markdown = &self.markdown;
            let (at, looked, text_start) = (self.at, self.looked, self.text_start);
            let call_end = self.last_call.filter(|&(_, last)| last == number).map(|(end, _)| end);
            let place = ProbePoint { text, at, looked, text_start, call_end, finished, markdown };
            let events = &mut self.opening;
            events.clear();
            match self.dialects[number].probe(place, events) {
                Probe::Nothing => {}
                Probe::Wait(looked) if !finished => return Asked::Wait(looked.max(1)),
                Probe::Wait(_) => return Asked::Passed(1),
                Probe::Prose(length) => {
                    out.append(events);
                    return Asked::Passed(length.max(1));
                }
                Probe::Open(parser) => {
                    self.prose_line(text, self.at, out);
                    self.give_prose(self.at, out);
                    self.call_markdown.clone_from(&self.markdown);
                    return Asked::Opened(number, parser);
                }
            }
        }
        Asked::Passed(1)
    }

    /// Shows the current line, as far as `end`, to those who want to see it; if a call ended in it, to that call's
    /// dialect.
    fn prose_line(&mut self, text: &Text, end: usize, out: &mut Vec<ParseEvent>) {
        let line_start = self.markdown.line_start();
        match self.last_call {
            Some((call_end, number)) if call_end > line_start => {
                let rest = text.read(Span::new(call_end, end.min(call_end + LINE_HEAD)));
                self.dialects[number].rest_of_line(&rest, call_end, out);
            }
            _ if line_start < end && line_start >= self.begun && !self.noted.is_nobody() => {
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

/// What the dialects said about a place.
enum Asked {
    /// One of them cannot say yet.
    Wait(usize),
    /// It is prose, this many bytes long.
    Passed(usize),
    /// A call of the dialect with this number begins there.
    Opened(usize, Box<dyn CallParser>),
}
