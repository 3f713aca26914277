//! Calls whose opening marker contains the name: tags or other markers, with a body or with parameters.
//!
//! ```text
//! call      = [ SECTION ] OPEN ( { text | parameter } | body ) CLOSE [ SECTION-END ]
//! parameter = PARAMETER value PARAMETER-END
//! ```
//!
//! A value is literal up to its own first closing tag: there are no escapes and no nesting. Text between parameters is
//! ignored. The reference runtime of `xml` reads tags differently and rejects the whole message at the first fault
//! (see `tagged/runtime.rs`); its calls are shown as intended, with its error messages. The runtimes of other dialects
//! search for pairs of markers.

mod assemble;
mod body;
mod check;
mod near_miss;
mod parser;
mod runtime;
mod shape;
mod tag;
mod unescape;
mod writer;

use super::marker::{self, Slot};
use super::name_rule::NameRule;
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::dialect::markdown_context::Placement;
use crate::dialect::{
    CallContent, CallParts, Closer, Dialect, DialectInfo, Expected, Header, MarkdownContext, OpenPart, Opening,
    ParseEvent, Probe, ProbePoint, Triggers, Word, hidden_characters,
};
use crate::text::{Span, Text, in_place};
use crate::value::Assembly;
use std::hash::Hasher;
use std::sync::Arc;
use tag::{Read, Side, Tag};

pub(super) use shape::{
    Body, FenceRule, MarkerPlace, Naming, NearWords, Pair, Part, Repeats, Shape, Strip, TagOrder, Unescape, Values,
    Wrapping,
};

/// Maximum number of whitespace bytes between a wrapper's tag and a call's tag.
const BETWEEN: usize = 256;

/// A dialect of calls between tags.
#[derive(Clone)]
pub(crate) struct Tags {
    shape: Arc<Shape>,
    /// True after a near miss of an opening tag: tags of its call are prose and not reported.
    orphans: bool,
    /// Offset of an opening tag that the end of the text cut off.
    cut: Option<usize>,
    /// The opening tag of the wrapper around the last call.
    wrapper: Option<Tag>,
}

impl Tags {
    pub(super) fn new(shape: Arc<Shape>) -> Self {
        Self { shape, orphans: false, cut: None, wrapper: None }
    }

    /// Opens a call with the opening tag `tag`; the place is the call's first byte, possibly the wrapper's.
    fn open(&mut self, place: ProbePoint<'_>, wrapper: Option<Tag>, tag: Tag, out: &mut Vec<ParseEvent>) -> Probe {
        self.orphans = false;
        let shared = self.wrapper.filter(|_| wrapper.is_none() && self.is_next(place.text, place.text_start, place.at));
        self.wrapper = wrapper.or(shared);
        let marker = Span::new(place.at, tag.span.end);
        let header = self.header(place.text, tag);
        let is_tag = self.shape.pairs[tag.pair].open.lead().starts_with(b"<");
        let what = if is_tag { "an opening tag" } else { "a start marker" };
        out.push(ParseEvent::open(Opening {
            dialect: self.shape.about,
            marker,
            header,
            body: marker.end,
            is_seen: !self.shape.strict || runtime::lone_before(place.text, place.text_start, place.at).is_none(),
        }));
        let mut problems = Vec::new();
        let name = place.text.read_str(tag.name);
        if name.is_empty() && !self.shape.strict && self.shape.name.fixed.is_none() {
            problems.push(Diagnostic::new(Code::EmptyName, tag.span, "the call has no name"));
        }
        problems.extend(hidden_characters(&name, tag.name, "the name"));
        problems.extend(self.malformed(place.text, tag));
        let placement = place.placement_problem(wrapper.map_or(tag.span, |wrapper| wrapper.span), what);
        problems.extend(placement.and_then(|problem| {
            // Models often write a call directly after a sentence or another call on purpose.
            let is_mid_line = problem.code == Code::MarkerMidLine;
            if self.shape.fence == FenceRule::Usual && problem.code == Code::MarkerInCode {
                return None;
            }
            (!is_mid_line || !self.is_usual_mid_line(place, tag)).then(|| problem.hint_if(is_mid_line))
        }));
        problems.extend(shared.map(|wrapper| check::shared_wrapper(&self.shape, wrapper, tag, place.text)));
        out.extend(problems.into_iter().map(ParseEvent::of_call));
        Probe::Open(Box::new(parser::TagParser::new(Arc::clone(&self.shape), place.at, self.wrapper, tag)))
    }

    /// The header in the opening marker.
    fn header(&self, text: &Text, tag: Tag) -> Header {
        let word = |rule: &NameRule, span: Span| match rule {
            rule if *rule == NameRule::default() => Word::plain(span),
            rule => rule.word(&in_place(&text.read(span)), span),
        };
        let dependencies = tag.dependencies.map(|span| list(&in_place(&text.read(span)), span)).unwrap_or_default();
        Header { name: word(&self.shape.name, tag.name), id: tag.id.map(|id| word(&self.shape.id, id)), dependencies }
    }

    /// True if calls usually begin in the middle of a line here: their marker, or the text before it, is a special
    /// token or the end of another call.
    fn is_usual_mid_line(&self, place: ProbePoint<'_>, tag: Tag) -> bool {
        let lead = self.shape.pairs[tag.pair].open.lead();
        let is_markup = lead.first() == Some(&b'<') && lead.get(1).is_some_and(u8::is_ascii_alphanumeric);
        let from = place.at.saturating_sub("｜>".len()).max(place.text_start);
        let before = place.text.read(Span::new(from, place.at));
        !is_markup
            || before.ends_with(b"|>")
            || before.ends_with("｜>".as_bytes())
            || self.end_before(place.text, place.text_start, place.at).is_some()
    }

    /// True if each call has its own wrapper, and only whitespace separates this place from the end of the previous
    /// call.
    fn is_next(&self, text: &Text, text_start: usize, at: usize) -> bool {
        self.shape.wrapping == Wrapping::Each && self.end_before(text, text_start, at) == Some(Part::Call)
    }

    /// The part whose closing tag precedes this place in its text, with only whitespace between them.
    fn end_before(&self, text: &Text, text_start: usize, at: usize) -> Option<Part> {
        /// Number of marker beginnings before the end that are tried; a closing marker may consist of several tags.
        const PLACES: usize = 4;
        let from = at.saturating_sub(BETWEEN + tag::LONGEST).max(text_start);
        let before = text.read(Span::new(from, at));
        let end = before.trim_ascii_end().len();
        let starts = before[..end].iter().enumerate().rev().filter(|(_, byte)| self.shape.may_begin(**byte));
        let mut parts = starts.take(PLACES).filter_map(|(at, _)| {
            let Read::Tag(tag) = tag::read(&self.shape, &before[at..end], at, true) else { return None };
            (tag.part != Part::Parameter && tag.side != Side::Opening && tag.span.end == end).then_some(tag.part)
        });
        if before.len() - end < BETWEEN { parts.next() } else { None }
    }

    /// Reports an opening tag that contains more than the name, or that closes itself; the strict runtime's errors
    /// differ.
    fn malformed(&self, text: &Text, tag: Tag) -> Option<Diagnostic> {
        const CURLY: [char; 4] = ['“', '”', '‘', '’'];
        let name = text.read_str(tag.name);
        let quoted = match self.shape.naming {
            Naming::Equals => tag.raw != tag.name && self.shape.pairs[tag.pair].open.source().ends_with("{name}>"),
            Naming::Attribute => name.starts_with(CURLY),
            Naming::InTag => false,
        };
        let quoted = quoted || self.has_padded_channel(text, tag);
        if self.shape.strict || !(quoted || tag.side == Side::Both) {
            return None;
        }
        let name = name.trim_matches(CURLY);
        let expected = self.shape.pairs[tag.pair].open.write(|_| Some(name.to_owned()));
        let message = "the opening tag is not exactly as it should be; many runtimes do not see it";
        let problem = Diagnostic::new(Code::MalformedTag, tag.span, message);
        Some(problem.contrast(&*expected, text.read_str(tag.span)).replace_with(&*expected))
    }

    /// True if whitespace precedes the channel; no runtime takes that for a part of it.
    fn has_padded_channel(&self, text: &Text, tag: Tag) -> bool {
        let bytes = text.read(tag.span);
        let marker::MatchResult::Match(found) = self.shape.pairs[tag.pair].open.read(&bytes, tag.span.start, true)
        else {
            return false;
        };
        let channel = found.slot(Slot::Channel).map(|span| text.read_str(span).into_owned());
        channel.is_some_and(|channel| channel.starts_with(char::is_whitespace))
    }

    /// Reads the tag that begins at `at` in prose.
    fn read(&self, ahead: &[u8], at: usize, finished: bool) -> Read {
        match tag::read(&self.shape, ahead, at, finished) {
            Read::None if self.shape.strict => runtime::read_torn_closer(ahead, at, finished),
            read => read,
        }
    }

    /// Handles a wrapper's opening tag: a call that immediately follows begins there.
    fn wrapped(&mut self, place: ProbePoint<'_>, wrapper: Tag, out: &mut Vec<ParseEvent>) -> Probe {
        let text = place.text;
        let behind = text.since(wrapper.span.end);
        let blank = behind.iter().take(BETWEEN).take_while(|byte| byte.is_ascii_whitespace()).count();
        let at = wrapper.span.end + blank;
        match behind.get(blank) {
            None if place.finished => Probe::Nothing,
            None => Probe::Wait(at - place.at),
            Some(&byte) if self.shape.may_begin(byte) => {
                match tag::read(&self.shape, text.since(at), at, place.finished) {
                    Read::Tag(tag) if tag.part == Part::Call && tag.side != Side::Closing => {
                        self.open(place, Some(wrapper), tag, out)
                    }
                    Read::Partial => Probe::Wait(at - place.at),
                    Read::Tag(_) | Read::None => Probe::Nothing,
                }
            }
            Some(_) => Probe::Nothing,
        }
    }

    /// The tags that the end of a text may become.
    fn marker(&self, ahead: &[u8]) -> Option<Expected> {
        Expected::marker(&self.triggers(), ahead).or_else(|| {
            let openings = tag::openings(&self.shape);
            let begun = openings.iter().filter(|opening| ahead.starts_with(opening)).max_by_key(|text| text.len());
            let expected = match begun {
                Some(begun) => format!("{}>", String::from_utf8_lossy(begun)),
                // A marker that is searched for only at the beginning of a message.
                None => openings
                    .iter()
                    .find(|text| text.starts_with(ahead))
                    .map(|text| String::from_utf8_lossy(text))?
                    .into(),
            };
            Some(Expected::texts(OpenPart::Marker, [expected]))
        })
    }

    /// Handles the end of the text in a possible opening tag of a call.
    fn cut_off(&mut self, place: ProbePoint<'_>, ahead: &[u8], out: &mut Vec<ParseEvent>) -> Probe {
        let partial = matches!(tag::read(&self.shape, ahead, place.at, false), Read::Partial);
        let mut calls = self.shape.pairs.iter().filter(|pair| pair.part == Part::Call);
        let known = calls.any(|pair| ahead.starts_with(pair.open.lead()));
        // A fence that is part of the marker does not make it a mention.
        let fence = ahead.iter().take_while(|&&byte| byte == b'`').count();
        let is_mentioned = memchr::memchr(b'`', &ahead[fence..]).is_some();
        if !partial || !known || is_mentioned {
            return Probe::Nothing;
        }
        (self.orphans, self.cut) = (true, Some(place.at));
        place.pass_cut_header("opening tag of a call", ">", out)
    }

    /// Handles a tag of a call while no call is open.
    fn stray(&mut self, place: ProbePoint<'_>, tag: Tag, out: &mut Vec<ParseEvent>) -> Probe {
        let begins_line = place.markdown.begins_line(place.text, place.at);
        let written = place.text.read_str(tag.span);
        let rejected = self.shape.strict && tag.part == Part::Call;
        let known = std::mem::replace(&mut self.orphans, tag.part != Part::Call);
        // A code fence usually ends here.
        let known = known || written.trim_start().starts_with("```");
        // Such tags are common in other markup, so a single one proves little.
        let telling = tag.part == Part::Call || (tag.part == Part::Parameter && tag.side == Side::Opening);
        let plain = self.shape.strict || begins_line;
        if rejected {
            let message =
                format!("Malformed tool invocation: found closing tag '{written}' without corresponding opening tag");
            let diagnostic = Diagnostic::new(Code::StrayEnd, tag.span, message).with_severity(Severity::Error);
            out.push(ParseEvent::of_prose(diagnostic));
        } else if telling && plain && !known {
            let (code, message) = match tag.part {
                Part::Call => (Code::StrayEnd, format!("stray {written}: no call is open")),
                _ => (Code::StrayArgument, format!("stray {written}: no call is open")),
            };
            let diagnostic = Diagnostic::new(code, tag.span, message).hint_if(!begins_line);
            out.push(ParseEvent::of_prose(diagnostic));
        }
        Probe::Prose(tag.span.len())
    }
}

/// The items of a list, separated by `,` or `:`.
fn list(written: &str, span: Span) -> Vec<Word> {
    let mut words = Vec::new();
    let mut at = span.start;
    for part in written.split([',', ':']) {
        let trimmed = part.trim();
        let start = at + part.find(trimmed).unwrap_or(0);
        words.extend((!trimmed.is_empty()).then(|| Word::plain(Span::new(start, start + trimmed.len()))));
        at += part.len() + 1;
    }
    words
}

impl Dialect for Tags {
    fn info(&self) -> &'static DialectInfo {
        self.shape.about
    }

    fn triggers(&self) -> Triggers {
        let mut anywhere = tag::openings(&self.shape);
        let is_at_start = self.shape.place == MarkerPlace::MessageStart;
        anywhere.retain(|lead| !lead.is_empty() && !is_at_start);
        // The form has no distinctive marker: it is probed at each line, but only the first probe counts.
        let all = || (0..=u8::MAX).filter(|&byte| byte != b'\n').collect();
        let line_start = if is_at_start { all() } else { Vec::new() };
        Triggers { anywhere, lines: near_miss::HEADS.to_vec(), line_start, ..Triggers::default() }
    }

    fn begin_message(&mut self) {
        (self.wrapper, self.orphans, self.cut) = (None, false, None);
    }

    fn hash_state(&self, text: &Text, at: usize, memory: &mut dyn Hasher) {
        // Another call may share the last one's wrapper if it follows immediately.
        let wrapper = self.wrapper.filter(|wrapper| self.is_next(text, wrapper.span.start, at));
        if self.orphans || self.cut.is_some() || wrapper.is_some() {
            memory.write_u8(self.orphans.into());
            memory.write_usize(self.cut.unwrap_or_default());
            memory.write_usize(wrapper.map_or(0, |wrapper| wrapper.span.end));
        }
    }

    fn probe(&mut self, place: ProbePoint<'_>, out: &mut Vec<ParseEvent>) -> Probe {
        let ahead = place.text.since(place.at);
        let is_at_start = self.shape.place == MarkerPlace::MessageStart;
        if !is_at_start && !ahead.first().is_some_and(|&byte| self.shape.may_begin(byte)) {
            return Probe::Nothing;
        }
        if self.shape.place == MarkerPlace::Line && !place.is_line_start() {
            return Probe::Nothing;
        }
        let tag = match self.read(ahead, place.at, place.finished) {
            // A closing marker may be the beginning of an opening one: "```" of "```tool".
            Read::Tag(tag) if place.finished && tag.side == Side::Closing => match self.cut_off(place, ahead, out) {
                Probe::Nothing => tag,
                cut_off => return cut_off,
            },
            Read::Tag(tag) => tag,
            Read::Partial => return Probe::Wait(ahead.len()),
            Read::None => {
                if let Some(length) = near_miss::torn(&self.shape, ahead).filter(|_| !place.begins_line()) {
                    let problem = near_miss::torn_problem(Span::new(place.at, place.at + length), ahead);
                    let is_mention = place.markdown.placement(place.text, place.at) != Placement::MidLine;
                    out.push(ParseEvent::of_prose(problem.hint_if(is_mention)));
                    return Probe::Prose(length);
                }
                return if place.finished { self.cut_off(place, ahead, out) } else { Probe::Nothing };
            }
        };
        match (tag.part, tag.side) {
            (Part::Call, Side::Opening | Side::Both) => self.open(place, None, tag, out),
            (Part::Wrapper, Side::Opening) => self.wrapped(place, tag, out),
            (Part::Wrapper, _) => Probe::Nothing,
            (Part::Parameter, Side::Closing) if !self.shape.strict => Probe::Nothing,
            // Other stray markers are reported only if they are tags: `END` and fences occur in prose, too.
            _ if !tag::is_reported_stray(&self.shape.pairs[tag.pair]) => Probe::Nothing,
            _ => self.stray(place, tag, out),
        }
    }

    fn expected(&self, ahead: &[u8]) -> Option<Expected> {
        let mut calls = self.shape.pairs.iter().filter(|pair| pair.part == Part::Call);
        match self.read(ahead, 0, false) {
            Read::Partial => {
                let call = calls.find(|pair| pair.open.has_lead() && ahead.starts_with(pair.open.lead()));
                match call {
                    Some(pair) => Some(Expected::texts(OpenPart::Header, pair.open.completions())),
                    None => self.marker(ahead),
                }
            }
            // A wrapper, after which a call may begin.
            Read::Tag(tag) if tag.part == Part::Wrapper && tag.side == Side::Opening => {
                let rest = ahead[tag.span.end..].trim_ascii_start();
                let may_go_on = rest.is_empty() || matches!(tag::read(&self.shape, rest, 0, false), Read::Partial);
                let first = calls.next().map(|pair| String::from_utf8_lossy(pair.open.lead()).into_owned());
                may_go_on.then(|| Expected::texts(OpenPart::Header, first))
            }
            Read::Tag(_) | Read::None => None,
        }
    }

    fn prose_line(&mut self, line: &[u8], at: usize, markdown: &MarkdownContext, out: &mut Vec<ParseEvent>) {
        let Some(near) = near_miss::find(&self.shape, line) else { return };
        let opens = near.part == Part::Call && near.side == Side::Opening;
        if markdown.in_fence() && !self.shape.strict {
            // Tags named invoke, function or parameter are common in code.
            return;
        }
        if (self.orphans && !opens) || self.cut == Some(at + near.start) {
            return;
        }
        self.orphans = near.part != Part::Call || opens;
        out.push(ParseEvent::of_prose(near.diagnostic(at, "it is prose").hint_if(markdown.in_fence())));
    }

    fn dissect(&self, text: &Text, parts: CallParts<'_>) -> Assembly {
        assemble::assemble(&self.shape, text, parts)
    }

    fn write(&self, call: &CallContent<'_>) -> String {
        writer::write(&self.shape, call)
    }

    fn closer(&self, marker: &str) -> Closer {
        // A wrapper, if any, is opened before the call and closed after it.
        let bytes = marker.as_bytes();
        let (mut closers, mut at) = (Vec::new(), 0);
        while let Some(next) = self.shape.next_place(&bytes[at..]) {
            at += next;
            let Read::Tag(tag) = tag::read(&self.shape, &bytes[at..], at, true) else {
                at += 1;
                continue;
            };
            let name = String::from_utf8_lossy(&bytes[tag.name.start..tag.name.end]).into_owned();
            closers.extend(self.shape.pairs[tag.pair].close.first().map(|close| close.write(|_| Some(name.clone()))));
            at = tag.span.end;
        }
        closers.reverse();
        Closer::Inline(closers.join("\n"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::declared::form::Form;
    use crate::dialect::declared::index::embedded;

    /// The shape of a built-in dialect.
    pub(super) fn shape(name: &str) -> Arc<Shape> {
        let form = embedded(name).and_then(|embedded| embedded.declaration().forms.first().cloned());
        let Some(Form::Tagged(shape)) = form else { panic!("{name} has tags") };
        shape
    }
}
