//! Declared dialects: YAML documents, built in or written by users, that one engine interprets.
//!
//! A [`Declaration`] describes one or more forms of call. Each form has its own engine, which is a [`Dialect`], and
//! `Declared` probes them in order. A built-in declaration is parsed when the first of its markers is seen, so that
//! the seventy of them do not delay the start.

mod block_markers;
pub mod declaration;
mod form;
mod import;
pub mod index;
mod json_calls;
mod marker;
mod name_rule;
mod python_calls;
pub(crate) mod structural_tag;
mod tagged;

use std::hash::{DefaultHasher, Hasher};
use std::sync::Arc;

use self::form::Form;
use self::json_calls::JsonCallsDialect;
use self::marker::MatchResult;
use self::python_calls::PythonCallsDialect;
use self::tagged::Tags;
use super::response_template::ResponseTemplate;
use super::{
    CallContent, CallParts, Closer, Dialect, DialectInfo, Expected, MarkdownContext, OpenPart, ParseEvent, Probe,
    ProbePoint, Triggers,
};
use crate::diagnostic::{Code, Diagnostic};
use crate::text::{Span, Text};
use crate::value::{Assembly, Findings};

pub use declaration::{Declaration, Example, ExpectedCall, ReadMode};
pub use import::{MAX_JSON_BYTES, read};
pub use index::Embedded;

/// Bytes of a body that suffice to tell its form.
const HEAD: usize = 1024;

/// Source of a declaration.
#[derive(Clone, Debug)]
enum Origin {
    /// Built in; parsed on demand.
    Embedded(&'static Embedded),
    Given(Arc<Declaration>),
}

impl Origin {
    fn declaration(&self) -> &Declaration {
        match self {
            Origin::Embedded(embedded) => embedded.declaration(),
            Origin::Given(given) => given,
        }
    }
}

/// A dialect described by a declaration.
#[derive(Clone)]
pub(crate) struct Declared {
    origin: Origin,
    /// The engine of each form; empty until the first marker is seen.
    forms: Vec<Box<dyn Dialect>>,
    /// True if the user named the dialect, so that no detection is needed.
    is_named: bool,
    /// Number of the open region in which calls do not count, such as reasoning.
    region: Option<usize>,
    /// True once a first call was seen, which only counts as a hint (see [`ReadMode::Repeated`]).
    was_seen: bool,
    /// First offset in the message at which the forms were probed.
    begins: Option<usize>,
}

impl Declared {
    /// A built-in dialect; `is_named` is true if the user named it.
    pub(crate) fn embedded(embedded: &'static Embedded, is_named: bool) -> Self {
        Self::new(Origin::Embedded(embedded), is_named)
    }

    /// A dialect declared by a user.
    pub(crate) fn given(declaration: Arc<Declaration>, is_named: bool) -> Self {
        Self::new(Origin::Given(declaration), is_named)
    }

    fn new(origin: Origin, is_named: bool) -> Self {
        Self { origin, forms: Vec::new(), is_named, region: None, was_seen: false, begins: None }
    }

    /// The engines of its forms, created on first use.
    fn forms(&mut self) -> &mut [Box<dyn Dialect>] {
        if self.forms.is_empty() {
            self.forms = make(self.origin.declaration());
        }
        &mut self.forms
    }

    /// The dialect of the declaration's form of call in which the call is written.
    fn form_of(&self, text: &Text, parts: CallParts<'_>) -> Option<Box<dyn Dialect>> {
        let mut forms = make(self.origin.declaration());
        if forms.len() > 1 {
            let mut markdown = MarkdownContext::default();
            markdown.pass_to(parts.start);
            let window = text.part(Span::new(parts.start, parts.body.start + HEAD));
            let found = forms.iter_mut().position(|form| {
                let at = parts.start;
                let markdown = &markdown;
                let place = ProbePoint {
                    text: &window,
                    at,
                    examined: 0,
                    text_start: at,
                    call_end: None,
                    finished: true,
                    markdown,
                };
                matches!(form.probe(place, &mut Vec::new()), Probe::Open(_))
            });
            // Later calls of a block have no marker themselves.
            let is_json = text.read(Span::new(parts.start, parts.start + 1)).first() == Some(&b'{');
            let is_of_kind = |form: &Form| match form {
                Form::Json(_) => is_json,
                Form::Python(_) => !is_json,
                Form::Tagged(_) | Form::Template(..) => false,
            };
            let of_kind = || self.origin.declaration().forms.iter().position(is_of_kind);
            return Some(forms.swap_remove(found.or_else(of_kind).unwrap_or(0)));
        }
        forms.pop()
    }

    /// Enters or leaves a region in which calls do not count, if its marker begins at this place.
    fn region_at(&mut self, place: ProbePoint<'_>) -> Option<Probe> {
        let declaration = self.origin.declaration();
        let ahead = place.text.since(place.at);
        for (number, region) in declaration.regions.iter().enumerate() {
            let is_open = self.region == Some(number);
            let marker = if is_open { &region.close } else { &region.open };
            if self.region.is_some() && !is_open {
                continue;
            }
            match marker.read(ahead, place.at, place.finished) {
                MatchResult::Match(found) => {
                    self.region = if is_open { None } else { Some(number) };
                    return Some(Probe::Prose(found.end - place.at));
                }
                MatchResult::Partial => return Some(Probe::Wait(ahead.len())),
                MatchResult::None => {}
            }
        }
        None
    }

    /// Skips a call that does not count, and reports the reason.
    fn skip_call(place: ProbePoint<'_>, events: &[ParseEvent], message: &str, out: &mut Vec<ParseEvent>) -> Probe {
        let marker = events.iter().find_map(|event| match event {
            ParseEvent::Open(opening) => Some(opening.marker),
            _ => None,
        });
        let span = marker.unwrap_or(Span::new(place.at, place.at + 1));
        let diagnostic = Diagnostic::new(Code::CallNotRead, span, message);
        out.push(ParseEvent::of_prose(diagnostic));
        // A code fence that is part of the marker belongs to the prose, too.
        let bytes = place.text.read(span);
        let fence = memchr::memmem::find(&bytes, b"\n```").map_or(span.len(), |end| end + 1);
        Probe::Prose(fence)
    }
}

/// Creates the engines of a declaration's forms.
fn make(declaration: &Declaration) -> Vec<Box<dyn Dialect>> {
    let make = |form: &Form| -> Box<dyn Dialect> {
        match form {
            Form::Tagged(shape) => Box::new(Tags::new(Arc::clone(shape))),
            Form::Json(shape) => Box::new(JsonCallsDialect::new(Arc::clone(shape))),
            Form::Template(about, template) => Box::new(ResponseTemplate::new(about, Arc::clone(template))),
            Form::Python(shape) => Box::new(PythonCallsDialect::new(Arc::clone(shape))),
        }
    };
    declaration.forms.iter().map(make).collect()
}

impl Dialect for Declared {
    fn info(&self) -> &'static DialectInfo {
        self.origin.declaration().info
    }

    fn name(&self) -> &'static str {
        match &self.origin {
            Origin::Embedded(embedded) => embedded.name,
            Origin::Given(given) => given.info.name,
        }
    }

    fn triggers(&self) -> Triggers {
        if let Origin::Embedded(embedded) = &self.origin
            && !self.is_named
        {
            return embedded.triggers();
        }
        triggers(self.origin.declaration(), self.is_named)
    }

    fn begin_message(&mut self) {
        (self.region, self.begins) = (None, None);
        self.forms.iter_mut().for_each(|form| form.begin_message());
    }

    fn hash_state(&self, text: &Text, at: usize, memory: &mut dyn Hasher) {
        memory.write_usize(self.region.map_or(0, |region| region + 1));
        memory.write_u8(self.was_seen.into());
        let knows_start =
            self.begins.is_some() && self.origin.declaration().forms.iter().any(Form::is_at_message_start);
        memory.write_u8(knows_start.into());
        // Forms that have not been created have no memory.
        for (number, form) in self.forms.iter().enumerate() {
            let mut own = DefaultHasher::new();
            form.hash_state(text, at, &mut own);
            if own.finish() != DefaultHasher::new().finish() {
                memory.write_usize(number);
                memory.write_u64(own.finish());
            }
        }
    }

    fn probe(&mut self, place: ProbePoint<'_>, out: &mut Vec<ParseEvent>) -> Probe {
        if let Some(probe) = self.region_at(place) {
            return probe;
        }
        let guesses = !self.is_named && !self.was_seen && self.origin.declaration().reading == ReadMode::Repeated;
        let mut events = Vec::new();
        let mut waits = None;
        let is_start = *self.begins.get_or_insert(place.at) == place.at;
        self.forms();
        let declaration = self.origin.declaration();
        for (number, (form, declared)) in self.forms.iter_mut().zip(&declaration.forms).enumerate() {
            let is_unread = !self.is_named && declaration.named_forms.contains(&number);
            if is_unread || (declared.is_at_message_start() && !is_start) {
                continue;
            }
            match form.probe(place, &mut events) {
                Probe::Nothing => {}
                Probe::Wait(looked) => waits = waits.max(Some(looked)),
                Probe::Prose(length) => {
                    // Problems are not reported in reasoning, or while it is unclear whether the dialect is used.
                    if self.region.is_none() && !guesses {
                        out.append(&mut events);
                    }
                    return Probe::Prose(length);
                }
                // An earlier form may still match here.
                Probe::Open(_) if waits.is_some() && !place.finished => {}
                Probe::Open(_) if self.region.is_some() => {
                    return Self::skip_call(place, &events, "call inside reasoning: not executed", out);
                }
                Probe::Open(_) if guesses => {
                    self.was_seen = true;
                    let name = self.name();
                    let message =
                        format!("possible {name} call; read starting with the second one, or with --dialect {name}");
                    return Self::skip_call(place, &events, &message, out);
                }
                Probe::Open(parser) => {
                    out.append(&mut events);
                    return Probe::Open(parser);
                }
            }
            events.clear();
        }
        waits.map_or(Probe::Nothing, Probe::Wait)
    }

    fn expected(&self, ahead: &[u8]) -> Option<Expected> {
        let declaration = self.origin.declaration();
        let expected = make(declaration).iter().find_map(|form| form.expected(ahead));
        expected.or_else(|| Expected::marker(&triggers(declaration, self.is_named), ahead)).or_else(|| {
            let mut markers = declaration.regions.iter().flat_map(|region| [&region.open, &region.close]);
            let marker = markers.find(|marker| matches!(marker.read(ahead, 0, false), MatchResult::Partial))?;
            Some(Expected::texts(OpenPart::Marker, [marker.write(|_| None)]))
        })
    }

    fn prose_line(&mut self, line: &[u8], at: usize, markdown: &MarkdownContext, out: &mut Vec<ParseEvent>) {
        let before = out.len();
        for form in self.forms() {
            form.prose_line(line, at, markdown, out);
            if out.len() > before {
                return;
            }
        }
    }

    fn rest_of_line(&mut self, rest: &[u8], at: usize, out: &mut Vec<ParseEvent>) {
        self.forms().iter_mut().for_each(|form| form.rest_of_line(rest, at, out));
    }

    fn dissect(&self, text: &Text, parts: CallParts<'_>) -> Assembly {
        self.form_of(text, parts).map(|form| form.dissect(text, parts)).unwrap_or_default()
    }

    fn check(&mut self, text: &Text, parts: CallParts<'_>) -> Findings {
        if let [form] = self.forms() {
            return form.check(text, parts);
        }
        self.form_of(text, parts).map(|mut form| form.check(text, parts)).unwrap_or_default()
    }

    fn write(&self, call: &CallContent<'_>) -> String {
        make(self.origin.declaration()).first().map(|form| form.write(call)).unwrap_or_default()
    }

    fn closer(&self, marker: &str) -> Closer {
        let forms = make(self.origin.declaration());
        let closers = forms.iter().map(|form| form.closer(marker));
        let is_useful = |closer: &Closer| !matches!(closer, Closer::Inline(text) if text.is_empty());
        closers.into_iter().find(is_useful).unwrap_or(Closer::Inline(String::new()))
    }
}

/// The triggers of a declaration's dialect; `is_named` includes forms that are read only if the dialect is named.
pub(crate) fn triggers(declaration: &Declaration, is_named: bool) -> Triggers {
    let mut all = Triggers::default();
    for (number, form) in make(declaration).into_iter().enumerate() {
        if !is_named && declaration.named_forms.contains(&number) {
            continue;
        }
        let Triggers { anywhere, lines, line_start, lines_with } = form.triggers();
        all.anywhere.extend(anywhere);
        all.lines.extend(lines);
        all.line_start.extend(line_start);
        all.lines_with.extend(lines_with);
    }
    for region in &declaration.regions {
        all.anywhere.extend([region.open.lead().to_vec(), region.close.lead().to_vec()]);
    }
    all.anywhere.sort_unstable();
    all.anywhere.dedup();
    all.lines.sort_unstable();
    all.lines.dedup();
    all
}
