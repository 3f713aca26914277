//! Calls between tags: `xml`, `invoke` and `function`, which are one shape with other words.
//!
//! ```text
//! call      = [ WRAPPER ] OPEN { text | parameter } CLOSE [ WRAPPER-END ]
//! parameter = PARAMETER value PARAMETER-END
//!
//! xml       OPEN = "<tool:" name ">"               PARAMETER = "<param:" key ">"              (closers repeat the name)
//! invoke    OPEN = '<invoke name="' name '">'      PARAMETER = '<parameter name="' key '">'   (also with antml:, ｜DSML｜)
//! function  OPEN = "<function=" name ">"           PARAMETER = "<parameter=" key ">"
//! ```
//!
//! A value is literal up to the first closing tag of its own: nothing is unescaped, and nothing nests. Text between
//! parameters is ignored. The reference runtime of `xml` reads tags in another way and rejects the whole message at the
//! first fault (see `tags/runtime.rs`): its calls are shown as they are meant, with its words. Those of the other two
//! search for pairs of tags. This module does not know schemas: a value is a string unless its tag says otherwise.

mod assemble;
mod check;
pub mod function;
pub mod invoke;
mod near_miss;
mod parser;
mod runtime;
mod tag;
mod writer;
pub mod xml;

use super::markdown_context::Placement;
use super::{
    CallContent, CallParts, Closer, Dialect, DialectInfo, Expected, Header, MarkdownContext, OpenPart, Opening,
    ParseEvent, Probe, ProbePoint, Triggers, Word, hidden_characters,
};
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::params::Assembly;
use crate::text::{Span, Text};
use tag::{Read, Side, Tag};

/// Blanks and line ends that may stand between a wrapper's tag and a call's, in bytes.
const BETWEEN: usize = 256;

#[derive(Debug)]
pub(super) struct Shape {
    pub(super) about: DialectInfo,
    naming: Naming,
    /// The words that tags begin with.
    words: &'static [(&'static str, Part)],
    /// Whether a parameter that is given more than once is a list; else its last value counts.
    makes_lists: bool,
    /// Whether one line feed at each side of a value is dropped.
    drops_edges: bool,
    wrapping: Wrapping,
    /// Whether any fault makes the runtime reject the message.
    strict: bool,
}

impl Shape {
    /// The word that such tags begin with when they are written, if there are any.
    fn word(&self, part: Part) -> Option<&'static str> {
        self.words.iter().find(|(_, known)| *known == part).map(|(word, _)| *word)
    }
}

/// Where a tag has its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Naming {
    /// Behind the word, also in closing tags: `<tool:read>`.
    InTag,
    /// In an attribute: `<invoke name="read">`.
    Attribute,
    /// Behind the word of opening tags: `<function=read>`.
    Equals,
}

/// Of what a tag is a tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Call,
    Parameter,
    Wrapper,
}

/// What a wrapper is around.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wrapping {
    /// Around all calls of a message.
    Group,
    Each,
}

/// A dialect of calls between tags.
#[derive(Clone)]
pub struct Tags {
    shape: &'static Shape,
    /// Whether an opening tag was almost there, so that what belongs to its call is prose and no news.
    orphans: bool,
    /// Where an opening tag begins that the end of the text cut off.
    cut: Option<usize>,
    /// The opening tag of the wrapper that the last call stands in.
    wrapper: Option<Tag>,
}

impl Tags {
    fn new(shape: &'static Shape) -> Self {
        Self { shape, orphans: false, cut: None, wrapper: None }
    }

    /// A call whose opening tag is `tag`; its first byte is at the place, where its wrapper may stand.
    fn open(&mut self, place: ProbePoint<'_>, wrapper: Option<Tag>, tag: Tag, out: &mut Vec<ParseEvent>) -> Probe {
        self.orphans = false;
        let shared = self.wrapper.filter(|_| wrapper.is_none() && self.is_next(place));
        self.wrapper = wrapper.or(shared);
        let marker = Span::new(place.at, tag.span.end);
        let header = Header { name: Word::plain(tag.name), id: None, dependencies: Vec::new() };
        out.push(ParseEvent::open(Opening {
            dialect: &self.shape.about,
            marker,
            header,
            body: marker.end,
            is_seen: true,
        }));
        let mut problems = Vec::new();
        let name = place.text.read_str(tag.name);
        if name.is_empty() && !self.shape.strict {
            problems.push(Diagnostic::new(Code::EmptyName, tag.span, "the call has no name"));
        }
        problems.extend(hidden_characters(&name, tag.name, "the name"));
        problems.extend(self.malformed(place.text, tag));
        let placement = place.placement_problem(wrapper.map_or(tag.span, |wrapper| wrapper.span), "an opening tag");
        problems.extend(placement.map(|problem| {
            // Models often write a call directly behind a sentence, and mean it.
            let is_hint = problem.code == Code::MarkerMidLine;
            problem.hint_if(is_hint)
        }));
        problems.extend(shared.map(|wrapper| check::shared_wrapper(wrapper, tag, place.text)));
        out.extend(problems.into_iter().map(ParseEvent::of_call));
        Probe::Open(Box::new(parser::TagParser::new(self.shape, place.at, self.wrapper, tag)))
    }

    /// Whether calls have a wrapper each, and nothing stands between this place and the end of the call before it.
    fn is_next(&self, place: ProbePoint<'_>) -> bool {
        let from = place.at.saturating_sub(BETWEEN + tag::LONGEST);
        let before = place.text.read(Span::new(from, place.at));
        let end = before.trim_ascii_end().len();
        let Some(last) = memchr::memrchr(b'<', &before[..end]) else { return false };
        let is_end = |tag: Tag| tag.part == Part::Call && tag.side != Side::Opening && tag.span.end == end;
        self.shape.wrapping == Wrapping::Each
            && before.len() - end < BETWEEN
            && matches!(tag::read(self.shape, &before[last..end], last, true), Read::Tag(tag) if is_end(tag))
    }

    /// An opening tag that holds more than the name, or that closes itself; the strict runtime has words of its own.
    fn malformed(&self, text: &Text, tag: Tag) -> Option<Diagnostic> {
        const CURLY: [char; 4] = ['“', '”', '‘', '’'];
        let name = text.read_str(tag.name);
        let quoted = match self.shape.naming {
            Naming::Equals => tag.raw != tag.name,
            Naming::Attribute => name.starts_with(CURLY),
            Naming::InTag => false,
        };
        if self.shape.strict || !(quoted || tag.side == Side::Both) {
            return None;
        }
        let name = name.trim_matches(CURLY);
        let expected = match self.shape.naming {
            Naming::Equals => format!("<{}{name}>", tag.word),
            _ => format!("<{} name=\"{name}\">", tag.word),
        };
        let message = "the opening tag is not exactly as it should be; many runtimes do not see it";
        let problem = Diagnostic::new(Code::MalformedTag, tag.span, message);
        Some(problem.contrast(&*expected, text.read_str(tag.span)).replace_with(&*expected))
    }

    /// What stands at a `<` in prose.
    fn read(&self, ahead: &[u8], at: usize, finished: bool) -> Read {
        match tag::read(self.shape, ahead, at, finished) {
            Read::None if self.shape.strict => tag::read_torn_closer(ahead, at, finished),
            read => read,
        }
    }

    /// A wrapper's opening tag: the call that follows it at once begins there.
    fn wrapped(&mut self, place: ProbePoint<'_>, wrapper: Tag, out: &mut Vec<ParseEvent>) -> Probe {
        let text = place.text;
        let behind = text.since(wrapper.span.end);
        let blank = behind.iter().take(BETWEEN).take_while(|byte| byte.is_ascii_whitespace()).count();
        let at = wrapper.span.end + blank;
        match behind.get(blank) {
            None if place.finished => Probe::Nothing,
            None => Probe::Wait(at - place.at),
            Some(b'<') => match tag::read(self.shape, text.since(at), at, place.finished) {
                Read::Tag(tag) if tag.part == Part::Call && tag.side != Side::Closing => {
                    self.open(place, Some(wrapper), tag, out)
                }
                Read::Partial => Probe::Wait(at - place.at),
                Read::Tag(_) | Read::None => Probe::Nothing,
            },
            Some(_) => Probe::Nothing,
        }
    }

    /// The tags that the end of a text may become.
    fn marker(&self, ahead: &[u8]) -> Option<Expected> {
        Expected::marker(&self.triggers(), ahead).or_else(|| {
            let begun = tag::openings(self.shape).into_iter().filter(|opening| ahead.starts_with(opening));
            let longest = begun.max_by_key(Vec::len)?;
            Some(Expected::texts(OpenPart::Marker, [format!("{}>", String::from_utf8_lossy(&longest))]))
        })
    }

    /// The text ends in what may be an opening tag of a call.
    fn cut_off(&mut self, place: ProbePoint<'_>, ahead: &[u8], out: &mut Vec<ParseEvent>) -> Probe {
        let partial = matches!(tag::read(self.shape, ahead, place.at, false), Read::Partial);
        let calls = self.shape.words.iter().filter(|(_, part)| *part == Part::Call);
        let known = calls.map(|(word, _)| word).any(|word| ahead[1..].starts_with(word.as_bytes()));
        if !partial || !known {
            return Probe::Nothing;
        }
        (self.orphans, self.cut) = (true, Some(place.at));
        place.pass_cut_header("opening tag of a call", ">", out)
    }

    /// A tag that belongs to a call, where no call is open.
    fn stray(&mut self, place: ProbePoint<'_>, tag: Tag, out: &mut Vec<ParseEvent>) -> Probe {
        let placement = place.markdown.placement(place.text, place.at);
        let written = place.text.read_str(tag.span);
        let rejected = self.shape.strict && tag.part == Part::Call;
        let known = std::mem::replace(&mut self.orphans, tag.part != Part::Call);
        // Such tags are common in other markup; alone they say little.
        let telling = tag.part == Part::Call || (tag.part == Part::Parameter && tag.side == Side::Opening);
        let plain = self.shape.strict || placement == Placement::LineStart;
        if rejected {
            let message =
                format!("Malformed tool invocation: found closing tag '{written}' without corresponding opening tag");
            let diagnostic = Diagnostic::new(Code::StrayEnd, tag.span, message).with_severity(Severity::Error);
            out.push(ParseEvent::of_prose(diagnostic));
        } else if telling && plain && !known {
            let (code, message) = match tag.part {
                Part::Call => (Code::StrayEnd, format!("{written} ends nothing: no call is open")),
                _ => (Code::StrayArgument, format!("{written} belongs to nothing: no call is open")),
            };
            let diagnostic = Diagnostic::new(code, tag.span, message).hint_if(placement != Placement::LineStart);
            out.push(ParseEvent::of_prose(diagnostic));
        }
        Probe::Prose(tag.span.len())
    }
}

impl Dialect for Tags {
    fn about(&self) -> &'static DialectInfo {
        &self.shape.about
    }

    fn triggers(&self) -> Triggers {
        Triggers { anywhere: tag::openings(self.shape), lines: near_miss::HEADS.to_vec(), ..Triggers::default() }
    }

    fn begin_message(&mut self) {
        self.wrapper = None;
    }

    fn probe(&mut self, place: ProbePoint<'_>, out: &mut Vec<ParseEvent>) -> Probe {
        let ahead = place.text.since(place.at);
        if ahead.first() != Some(&b'<') {
            return Probe::Nothing;
        }
        let tag = match self.read(ahead, place.at, place.finished) {
            Read::Tag(tag) => tag,
            Read::Partial => return Probe::Wait(ahead.len()),
            Read::None if place.finished => return self.cut_off(place, ahead, out),
            Read::None => return Probe::Nothing,
        };
        match (tag.part, tag.side) {
            (Part::Call, Side::Opening | Side::Both) => self.open(place, None, tag, out),
            (Part::Wrapper, Side::Opening) => self.wrapped(place, tag, out),
            (Part::Wrapper, _) => Probe::Nothing,
            (Part::Parameter, Side::Closing) if !self.shape.strict => Probe::Nothing,
            _ => self.stray(place, tag, out),
        }
    }

    fn expected(&self, ahead: &[u8]) -> Option<Expected> {
        let words = || self.shape.words.iter().filter(|(_, part)| *part == Part::Call);
        match self.read(ahead, 0, false) {
            Read::Partial => {
                let is_call = words().any(|(word, _)| ahead[1..].starts_with(word.as_bytes()));
                if is_call { Some(Expected::texts(OpenPart::Header, [">"])) } else { self.marker(ahead) }
            }
            // A wrapper, behind which a call may begin.
            Read::Tag(tag) if tag.part == Part::Wrapper && tag.side == Side::Opening => {
                let rest = ahead[tag.span.end..].trim_ascii_start();
                let may_go_on = rest.is_empty() || matches!(tag::read(self.shape, rest, 0, false), Read::Partial);
                let first = words().next().map(|(word, _)| format!("<{word}"));
                may_go_on.then(|| Expected::texts(OpenPart::Header, first))
            }
            Read::Tag(_) | Read::None => None,
        }
    }

    fn prose_line(&mut self, line: &[u8], at: usize, markdown: &MarkdownContext, out: &mut Vec<ParseEvent>) {
        let Some(near) = near_miss::find(self.shape, line) else { return };
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
        assemble::assemble(self.shape, text, parts)
    }

    fn write(&self, call: &CallContent<'_>) -> String {
        writer::write(self.shape, call)
    }

    fn closer(&self, marker: &str) -> Closer {
        // Its wrapper, if it has one, is opened before it and closed behind it.
        let tags = marker.split('<').skip(1);
        let words = tags.map(|tag| tag.split(['>', ' ', '=', '\n', '\t']).next().unwrap_or_default());
        let closers: Vec<String> = words.map(|word| format!("</{word}>")).collect();
        Closer::Inline(closers.into_iter().rev().collect::<Vec<_>>().join("\n"))
    }
}
