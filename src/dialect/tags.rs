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
mod block;
mod judge;
mod near_miss;
mod runtime;
mod tag;

use super::surroundings::Setting;
use super::{
    About, Awaiting, Dialect, Event, Header, Inside, Numbering, Opening, Parts, Place, Probe, Surroundings, Triggers,
    Word, hidden_characters,
};
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::params::Assembly;
use crate::params::schema::Coercion;
use crate::text::{Span, Text};
use tag::{Read, Side, Tag};

/// Blanks and line ends that may stand between a wrapper's tag and a call's, in bytes.
const BETWEEN: usize = 256;

/// A shape of calls between tags.
#[derive(Debug)]
struct Shape {
    about: About,
    naming: Naming,
    /// The words that tags begin with.
    words: &'static [(&'static str, Part)],
    repeated: Repeated,
    edges: Edges,
    wrapping: Wrapping,
    /// Whether any fault makes the runtime reject the message.
    strict: bool,
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

/// What becomes of a parameter that is given more than once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Repeated {
    /// All of them are elements of an array.
    Array,
    /// The last one counts.
    LastCounts,
}

/// What becomes of the line feeds around a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Edges {
    Kept,
    /// One at each side is dropped.
    OneDropped,
}

/// What a wrapper is around.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Wrapping {
    /// Around all calls of a message.
    Group,
    /// Around each call.
    Each,
}

const XML: Shape = Shape {
    about: About {
        name: "xml",
        title: "XML-ish tool tags",
        recognised_by: "an opening tag <tool:NAME> anywhere; parameters between <param:KEY> and </param:KEY>",
        example: "<tool:read_files>\n<param:project>website</param:project>\n<param:path>index.html</param:path>\n</tool:read_files>\n",
        id_prefix: "tool-1-",
        numbering: Numbering::Every,
    },
    naming: Naming::InTag,
    words: &[("tool:", Part::Call), ("param:", Part::Parameter)],
    repeated: Repeated::Array,
    edges: Edges::Kept,
    wrapping: Wrapping::Group,
    strict: true,
};

const INVOKE: Shape = Shape {
    about: About {
        name: "invoke",
        title: "invoke tags",
        recognised_by: "an opening tag <invoke name=\"NAME\"> anywhere, also with an antml: or ｜DSML｜ prefix, in <function_calls> or alone",
        example: "<function_calls>\n<invoke name=\"get_weather\">\n<parameter name=\"city\">Lisbon</parameter>\n</invoke>\n</function_calls>\n",
        id_prefix: "invoke_",
        numbering: Numbering::Every,
    },
    naming: Naming::Attribute,
    words: &[
        ("invoke", Part::Call),
        ("parameter", Part::Parameter),
        ("function_calls", Part::Wrapper),
        ("antml:invoke", Part::Call),
        ("antml:parameter", Part::Parameter),
        ("antml:function_calls", Part::Wrapper),
        ("｜DSML｜invoke", Part::Call),
        ("｜DSML｜parameter", Part::Parameter),
        ("｜DSML｜function_calls", Part::Wrapper),
        ("｜DSML｜tool_calls", Part::Wrapper),
        ("minimax:tool_call", Part::Wrapper),
    ],
    repeated: Repeated::LastCounts,
    edges: Edges::Kept,
    wrapping: Wrapping::Group,
    strict: false,
};

const FUNCTION: Shape = Shape {
    about: About {
        name: "function",
        title: "function= tags",
        recognised_by: "an opening tag <function=NAME> anywhere, in <tool_call> or alone",
        example: "<tool_call>\n<function=get_weather>\n<parameter=city>\nLisbon\n</parameter>\n</function>\n</tool_call>\n",
        id_prefix: "function_",
        numbering: Numbering::Every,
    },
    naming: Naming::Equals,
    words: &[
        ("function=", Part::Call),
        ("parameter=", Part::Parameter),
        ("tool_call", Part::Wrapper),
        ("seed:tool_call", Part::Wrapper),
    ],
    repeated: Repeated::LastCounts,
    edges: Edges::OneDropped,
    wrapping: Wrapping::Each,
    strict: false,
};

/// A dialect of calls between tags.
#[derive(Clone)]
pub struct Tags {
    shape: &'static Shape,
    /// Whether an opening tag was almost there, so that what belongs to its call is prose and no news.
    orphans: bool,
    /// Where an opening tag begins that the end of the text cut off.
    cut: Option<usize>,
}

impl Tags {
    /// `<tool:name>` with `<param:key>`.
    pub fn xml() -> Self {
        Self { shape: &XML, orphans: false, cut: None }
    }

    /// `<invoke name="name">` with `<parameter name="key">`.
    pub fn invoke() -> Self {
        Self { shape: &INVOKE, orphans: false, cut: None }
    }

    /// `<function=name>` with `<parameter=key>`.
    pub fn function() -> Self {
        Self { shape: &FUNCTION, orphans: false, cut: None }
    }

    /// A call whose opening tag is `tag`; its first byte is at the place, where its wrapper may stand.
    fn open(&mut self, place: Place<'_>, wrapper: Option<Tag>, tag: Tag, out: &mut Vec<Event>) -> Probe {
        self.orphans = false;
        let marker = Span::new(place.at, tag.span.end);
        let header = Header { name: Word::plain(tag.name), id: None, dependencies: Vec::new() };
        out.push(Event::open(Opening { dialect: &self.shape.about, marker, header, body: marker.end, is_seen: true }));
        let mut problems = Vec::new();
        let name = place.text.read_str(tag.name);
        if name.is_empty() && !self.shape.strict {
            problems.push(Diagnostic::new(Code::EmptyName, tag.span, "the call has no name"));
        }
        problems.extend(hidden_characters(&name, tag.name, "the name"));
        problems.extend(self.malformed(place.text, tag));
        problems.extend(setting_problem(place, wrapper.map_or(tag.span, |wrapper| wrapper.span)));
        out.extend(problems.into_iter().map(Event::of_call));
        Probe::Open(Box::new(block::TagBlock::new(self.shape, place.at, wrapper.is_some(), tag)))
    }

    /// An opening tag that holds more than the name, or that closes itself; the strict runtime has words of its own.
    fn malformed(&self, text: &Text, tag: Tag) -> Option<Diagnostic> {
        let quoted = self.shape.naming == Naming::Equals && tag.raw != tag.name;
        if self.shape.strict || !(quoted || tag.side == Side::Both) {
            return None;
        }
        let name = text.read_str(tag.name);
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
    fn wrapped(&mut self, place: Place<'_>, wrapper: Tag, out: &mut Vec<Event>) -> Probe {
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
    fn marker(&self, ahead: &[u8]) -> Option<Awaiting> {
        Awaiting::marker(&self.triggers(), ahead).or_else(|| {
            let begun = tag::openings(self.shape).into_iter().filter(|opening| ahead.starts_with(opening));
            let longest = begun.max_by_key(Vec::len)?;
            Some(Awaiting::texts(Inside::Marker, [format!("{}>", String::from_utf8_lossy(&longest))]))
        })
    }

    /// The text ends in what may be an opening tag of a call.
    fn cut_off(&mut self, place: Place<'_>, ahead: &[u8], out: &mut Vec<Event>) -> Probe {
        let partial = matches!(tag::read(self.shape, ahead, place.at, false), Read::Partial);
        let calls = self.shape.words.iter().filter(|(_, part)| *part == Part::Call);
        let known = calls.map(|(word, _)| word).any(|word| ahead[1..].starts_with(word.as_bytes()));
        if !partial || !known {
            return Probe::Nothing;
        }
        let span = Span::new(place.at, place.text.len());
        let diagnostic = Diagnostic::new(
            Code::HeaderWithoutNewline,
            span,
            "the text ends in the opening tag of a call: no call is made",
        )
        .contrast(">", "the end of the text");
        out.push(Event::of_prose(diagnostic));
        (self.orphans, self.cut) = (true, Some(span.start));
        Probe::Prose(span.len())
    }

    /// A tag that belongs to a call, where no call is open.
    fn stray(&mut self, place: Place<'_>, tag: Tag, out: &mut Vec<Event>) -> Probe {
        let setting = place.surroundings.setting(place.text, place.at);
        let written = place.text.read_str(tag.span);
        let rejected = self.shape.strict && tag.part == Part::Call;
        let known = std::mem::replace(&mut self.orphans, tag.part != Part::Call);
        // Such tags are common in other markup; alone they say little.
        let telling = tag.part == Part::Call || (tag.part == Part::Parameter && tag.side == Side::Opening);
        let plain = self.shape.strict || setting == Setting::LineStart;
        if rejected {
            let message =
                format!("Malformed tool invocation: found closing tag '{written}' without corresponding opening tag");
            let mut diagnostic = Diagnostic::new(Code::StrayEnd, tag.span, message);
            diagnostic.severity = Severity::Error;
            out.push(Event::of_prose(diagnostic));
        } else if telling && plain && !known {
            let (code, message) = match tag.part {
                Part::Call => (Code::StrayEnd, format!("{written} ends nothing: no call is open")),
                _ => (Code::StrayArgument, format!("{written} belongs to nothing: no call is open")),
            };
            let mut diagnostic = Diagnostic::new(code, tag.span, message);
            if setting != Setting::LineStart {
                diagnostic.severity = Severity::Hint;
            }
            out.push(Event::of_prose(diagnostic));
        }
        Probe::Prose(tag.span.len())
    }
}

impl Dialect for Tags {
    fn about(&self) -> &'static About {
        &self.shape.about
    }

    fn triggers(&self) -> Triggers {
        Triggers { anywhere: tag::openings(self.shape), lines: near_miss::HEADS.to_vec(), ..Triggers::default() }
    }

    fn probe(&mut self, place: Place<'_>, out: &mut Vec<Event>) -> Probe {
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

    fn awaits(&self, ahead: &[u8]) -> Option<Awaiting> {
        let words = || self.shape.words.iter().filter(|(_, part)| *part == Part::Call);
        match self.read(ahead, 0, false) {
            Read::Partial => {
                let is_call = words().any(|(word, _)| ahead[1..].starts_with(word.as_bytes()));
                if is_call { Some(Awaiting::texts(Inside::Header, [">"])) } else { self.marker(ahead) }
            }
            // A wrapper, behind which a call may begin.
            Read::Tag(tag) if tag.part == Part::Wrapper && tag.side == Side::Opening => {
                let rest = ahead[tag.span.end..].trim_ascii_start();
                let may_go_on = rest.is_empty() || matches!(tag::read(self.shape, rest, 0, false), Read::Partial);
                let first = words().next().map(|(word, _)| format!("<{word}"));
                may_go_on.then(|| Awaiting::texts(Inside::Header, first))
            }
            Read::Tag(_) | Read::None => None,
        }
    }

    fn prose_line(&mut self, line: &[u8], at: usize, surroundings: &Surroundings, out: &mut Vec<Event>) {
        let Some(near) = near_miss::find(self.shape, line) else { return };
        let opens = near.part == Part::Call && near.side == Side::Opening;
        if surroundings.in_fence() && !self.shape.strict {
            // Tags named invoke, function or parameter are common in code.
            return;
        }
        if (self.orphans && !opens) || self.cut == Some(at + near.start) {
            return;
        }
        self.orphans = near.part != Part::Call || opens;
        let mut diagnostic = near.diagnostic(at, "it is prose");
        if surroundings.in_fence() {
            diagnostic.severity = Severity::Hint;
        }
        out.push(Event::of_prose(diagnostic));
    }

    fn rest_of_line(&mut self, _rest: &[u8], _at: usize, _out: &mut Vec<Event>) {}

    fn coercion(&self) -> Coercion {
        Coercion::Strings
    }

    fn dissect(&self, text: &Text, parts: Parts<'_>) -> Assembly {
        assemble::assemble(self.shape, text, parts)
    }
}

/// An opening tag where it is probably talked about.
fn setting_problem(place: Place<'_>, tag: Span) -> Option<Diagnostic> {
    let (code, what) = match place.surroundings.setting(place.text, place.at) {
        Setting::LineStart => return None,
        Setting::MidLine => (Code::MarkerMidLine, "in the middle of a line"),
        Setting::Code => (Code::MarkerInCode, "inside code"),
        Setting::Quotation => (Code::MarkerInQuotation, "inside a quotation"),
    };
    let mut problem = Diagnostic::new(code, tag, format!("an opening tag {what} starts a call all the same"));
    if code == Code::MarkerMidLine {
        // Models often write a call directly behind a sentence, and mean it.
        problem.severity = Severity::Hint;
    }
    Some(problem)
}
