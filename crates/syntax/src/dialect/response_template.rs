//! Calls as a response template declares them: the `response_template` of a Hugging Face `tokenizer_config.json`.
//!
//! A template names fields of a message, where the text of each begins and ends, what reads it and what shape the
//! value gets. Regions of the field `tool_calls` are calls; those of other fields are prose, and what looks like a
//! call in them is none. What stands outside of all regions belongs to the implicit field; without one it is lost.
//! Each message is read from its beginning, as the reference reads a text that was generated after an empty prompt.
//! Where a region ends does not depend on how the text is cut: a delimiter is taken when nothing that arrives can make
//! another of it.

mod call;
mod field;
mod haystack;
mod load;
mod matcher;
mod near_miss;
mod parser;
mod pattern;
mod python;
mod reading;
mod refusal;
mod region;
mod region_value;
mod relaxed_json;
mod sample;
mod shape;
mod template;
#[cfg(test)]
mod tests;
mod value;
mod writer;

use std::hash::Hasher;
use std::sync::Arc;

use super::{
    CallContent, CallParts, Closer, Dialect, DialectInfo, Expected, Header, MarkdownContext, Numbering, OpenPart,
    Opening, ParseEvent, Probe, ProbePoint, Start, Terminator, Triggers, Word,
};
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::text::{Span, Text};
use crate::value::Assembly;
use crate::value::schema::Coercion;
use haystack::Haystack;
use matcher::{Found, Match, Scan};
use parser::TemplateParser;
use pattern::Pattern;
use region::{Delimiter, Edge, Next, Watch};

pub use load::LoadError;
pub use template::Template;

/// The field whose regions are calls.
const CALLS: &str = "tool_calls";

/// Bytes behind a call that are looked at to find where it ended.
const BEHIND: usize = 4096;

/// Finds the calls that a template declares.
#[derive(Clone)]
pub struct ResponseTemplate {
    template: Arc<Template>,
    about: &'static DialectInfo,
    watch: Watch,
    /// The bytes with which a delimiter may begin; nothing where one may be empty.
    first: Option<Arc<[bool; 256]>>,
    /// Where the message begins, blank lines aside; nothing before it was first asked.
    origin: Option<usize>,
    /// The field of prose whose region is open.
    open: Option<usize>,
    /// By field the text that its value is, if another region would overwrite it.
    kept: Vec<Option<Span>>,
    /// Where the text of the implicit field begins.
    outside: usize,
    /// The call that was opened last, and where its body begins: it is not known yet where that ends.
    call: Option<usize>,
    /// A list of calls that is still arriving: where it begins, and the search for its end.
    list: Option<(usize, Scan)>,
}

impl ResponseTemplate {
    /// What is known of the dialect of a template; `name` is what it is called on the command line and in the output. It is
    /// kept for the rest of the program.
    pub fn info(name: &str, template: &Template) -> &'static DialectInfo {
        Box::leak(Box::new(about(name, template)))
    }

    /// A dialect for a template of which this is known.
    pub fn new(about: &'static DialectInfo, template: Arc<Template>) -> Self {
        let kept = vec![None; template.fields.len()];
        let watch = Watch::new(&template);
        let first = first_bytes(&template);
        Self { template, about, watch, first, origin: None, open: None, kept, outside: 0, call: None, list: None }
    }

    /// Forgets what belongs to the message before.
    fn forget(&mut self) {
        *self = Self::new(self.about, Arc::clone(&self.template));
    }

    fn is_call(&self, field: usize) -> bool {
        self.template.fields[field].name == CALLS
    }

    /// Text of the implicit field in front of `end`: what it overwrites, or that nobody takes it.
    fn end_outside(&mut self, end: usize, text: &Text, out: &mut Vec<ParseEvent>) {
        let behind_call = self.call.take().map(|body| self.call_end(body, end, text));
        let start = behind_call.unwrap_or(self.outside).min(end);
        let whole = Span::new(start, end);
        self.outside = end;
        if whole.is_empty() {
            return;
        }
        let words = crate::text::trim(&text.read(whole), start);
        let Some(field) = self.template.implicit else {
            if !words.is_empty() {
                let message = "no field of the template takes this text: the message is without it";
                let problem = Diagnostic::new(Code::IgnoredText, words, message);
                let problem = problem.help("add a field without an open to the template, for text outside of regions");
                out.push(ParseEvent::of_prose(problem));
            }
            return;
        };
        // Behind a call it has been said by that.
        if behind_call.is_none() {
            self.overwrite(field, whole, out);
        }
        self.kept[field] = (!words.is_empty() && self.template.fields[field].overwrites).then_some(words);
    }

    /// A region of a field begins at `by`, and takes the place of the one before.
    fn overwrite(&mut self, field: usize, by: Span, out: &mut Vec<ParseEvent>) {
        if let Some(lost) = self.kept[field].take() {
            out.push(ParseEvent::of_prose(overwritten(&self.template.fields[field].name, lost, by)));
        }
    }

    /// Where the call ended whose body begins at `body`; it was in front of `limit`.
    fn call_end(&self, body: usize, limit: usize, text: &Text) -> usize {
        let calls = self.template.fields.iter().find(|field| field.name == CALLS);
        let Some(close) = calls.and_then(|field| field.close.as_ref()) else { return limit };
        let bytes = text.read(Span::new(body, limit.saturating_add(BEHIND)));
        let mut scan = Scan::default();
        match scan.find(close, &Haystack::whole(&bytes)) {
            Found::Match(found) => (body + found.span.end).min(limit),
            _ => limit,
        }
    }

    /// A delimiter at the place that is asked about; nothing where the same place is to be asked once more.
    fn take(&mut self, delimiter: Delimiter, place: ProbePoint<'_>, out: &mut Vec<ParseEvent>) -> Option<Probe> {
        let Delimiter { edge, field, found } = delimiter;
        let span = found.span;
        if self.open.is_none() && (!span.is_empty() || edge == Edge::Open) {
            self.end_outside(place.at, place.text, out);
        }
        if edge == Edge::Close {
            if let Some(open) = self.open.take() {
                let whole = crate::text::trim(&place.text.read(Span::new(self.outside, span.start)), self.outside);
                self.kept[open] = (!whole.is_empty() && self.template.fields[open].overwrites).then_some(whole);
            }
            self.outside = span.end;
        } else if self.is_call(field) {
            return Some(self.open_call(field, &found, place, out));
        } else {
            self.overwrite(field, span, out);
            self.open = Some(field);
            self.outside = span.end;
        }
        (!span.is_empty()).then(|| Probe::Prose(span.len()))
    }

    /// The beginning of a region of calls.
    fn open_call(&mut self, field: usize, opener: &Match, place: ProbePoint<'_>, out: &mut Vec<ParseEvent>) -> Probe {
        let at = place.at;
        let body = opener.span.end;
        let lost = self.template.implicit.and_then(|field| self.kept[field]);
        if self.template.fields[field].each {
            return self.open_list(field, opener, place, out);
        }
        self.begin_calls(field, opener.span, out);
        let name = call::captured(&self.template.fields[field], opener, call::NAME);
        let id = call::captured(&self.template.fields[field], opener, call::ID);
        let header = Header {
            name: name.map(Word::plain).unwrap_or_default(),
            id: id.map(Word::plain),
            dependencies: Vec::new(),
        };
        let marker = Span::new(at, body);
        out.push(ParseEvent::open(Opening { dialect: self.about, marker, header, body, is_seen: true }));
        let problem = place.in_code_problem(marker, "a start marker");
        out.extend(problem.map(ParseEvent::of_call));
        self.call = Some(body);
        let origin = self.origin.unwrap_or(at);
        Probe::Open(Box::new(TemplateParser::new(self.clone_for_call(), field, origin, opener, lost)))
    }

    /// A region of calls begins; where the field has one value, the calls before it are lost.
    fn begin_calls(&mut self, field: usize, marker: Span, out: &mut Vec<ParseEvent>) {
        if self.template.fields[field].overwrites
            && let Some(lost) = self.kept[field].replace(marker)
        {
            let message = format!("the calls of this region are lost: the next one of the field {CALLS} overwrites it");
            let problem = Diagnostic::new(Code::ValueReplaced, lost, message).related(marker, "what overwrites it");
            let problem = problem.help("give the field \"repeats\": true in the template");
            out.push(ParseEvent::of_prose(problem));
        }
    }

    /// What a call under way needs of the dialect.
    fn clone_for_call(&self) -> Self {
        Self::new(self.about, Arc::clone(&self.template))
    }

    /// A region that lists calls, each an item of its own, is read when it has ended.
    fn open_list(&mut self, field: usize, opener: &Match, place: ProbePoint<'_>, out: &mut Vec<ParseEvent>) -> Probe {
        let ProbePoint { text, at, finished, .. } = place;
        let body = opener.span.end;
        let mut scan = self.list.take().filter(|(known, _)| *known == at).map_or_else(Scan::default, |(_, scan)| scan);
        scan.seek(body);
        let ending = match &self.template.fields[field].close {
            None if finished => Some(None),
            None => None,
            Some(close) => {
                let hay = Haystack::arrived(text, body, self.origin.unwrap_or(at), finished);
                match scan.find(close, &hay) {
                    Found::Match(found) => Some(Some(found.span)),
                    Found::Nothing => Some(None),
                    Found::Pending(_) => None,
                }
            }
        };
        let Some(close) = ending else {
            self.list = Some((at, scan));
            return Probe::Wait(text.len() - at);
        };
        let lost = self.template.implicit.and_then(|field| self.kept[field]);
        self.begin_calls(field, opener.span, out);
        let parser = TemplateParser::of_list(
            self.clone_for_call(),
            (field, self.origin.unwrap_or(at)),
            opener,
            close,
            text,
            out,
            lost,
        );
        match parser {
            Ok(parser) => {
                self.call = Some(body);
                Probe::Open(Box::new(parser))
            }
            Err(end) => {
                self.outside = end;
                Probe::Prose(end - at)
            }
        }
    }
}

/// The bytes with which a delimiter may begin.
fn first_bytes(template: &Template) -> Option<Arc<[bool; 256]>> {
    let mut first = [false; 256];
    for pattern in delimiters(template) {
        let bytes = pattern.first.as_ref()?;
        first.iter_mut().zip(bytes.iter()).for_each(|(any, byte)| *any |= byte);
    }
    Some(Arc::new(first))
}

/// The patterns of all delimiters.
fn delimiters(template: &Template) -> impl Iterator<Item = &Pattern> {
    template.fields.iter().flat_map(|field| [field.open.as_ref(), field.close.as_ref()]).flatten()
}

/// A text that another region of its field overwrites.
fn overwritten(field: &str, lost: Span, by: Span) -> Diagnostic {
    let message = format!("this text is lost: the next region of the field {field} overwrites it");
    Diagnostic::new(Code::ValueReplaced, lost, message)
        .with_severity(Severity::Warning)
        .related(by, "what overwrites it")
        .help("give the field \"repeats\": true and a join in the template, or let nothing follow the call")
}

impl Dialect for ResponseTemplate {
    fn about(&self) -> &'static DialectInfo {
        self.about
    }

    fn triggers(&self) -> Triggers {
        // The first line tells where the message begins.
        let mut triggers = Triggers { line_start: (0..=u8::MAX).collect(), ..Triggers::default() };
        for pattern in delimiters(&self.template) {
            match &pattern.prefixes {
                Some(prefixes) => triggers.anywhere.extend(prefixes.iter().cloned()),
                None => triggers.anywhere.extend(pattern.first_bytes().into_iter().map(|byte| vec![byte])),
            }
        }
        triggers.lines = near_miss::first_bytes(&self.template);
        triggers.anywhere.sort_unstable();
        triggers.anywhere.dedup();
        triggers
    }

    fn begin_message(&mut self) {
        self.forget();
    }

    fn remember(&self, _text: &Text, at: usize, memory: &mut dyn Hasher) {
        // Its regions belong to the whole message.
        memory.write_usize(at);
    }

    fn probe(&mut self, place: ProbePoint<'_>, out: &mut Vec<ParseEvent>) -> Probe {
        if self.origin.is_none_or(|origin| origin > place.at) {
            self.forget();
            (self.origin, self.outside) = (Some(place.at), place.at);
        }
        let next = place.text.since(place.at).first();
        if let (Some(first), Some(&next)) = (&self.first, next)
            && !first[usize::from(next)]
        {
            return Probe::Nothing;
        }
        let origin = self.origin.unwrap_or(place.at);
        let template = Arc::clone(&self.template);
        let hay = Haystack::arrived(place.text, place.at, origin, place.finished);
        // Delimiters without text change what is looked for at the same place.
        for _ in 0..=2 * template.fields.len() {
            let open = self.open.or(template.implicit);
            match self.watch.next(&template, open, place.at, &hay) {
                Next::Hold(at) if at <= place.at && !place.finished => return Probe::Wait(place.text.len() - place.at),
                Next::Delimiter(delimiter) if delimiter.found.span.start == place.at => {
                    if let Some(probe) = self.take(*delimiter, place, out) {
                        return probe;
                    }
                }
                _ => break,
            }
        }
        let ahead = place.text.since(place.at);
        if !place.finished && near_miss::may_follow(&template, self.open, ahead) {
            return Probe::Wait(ahead.len());
        }
        match near_miss::of_delimiter(&template, self.open, ahead, place.at) {
            Some(problem) => {
                out.push(ParseEvent::of_prose(problem.hint_if(place.markdown.in_fence())));
                Probe::Prose(1)
            }
            None => Probe::Nothing,
        }
    }

    fn expected(&self, ahead: &[u8]) -> Option<Expected> {
        if self.list.is_some() {
            let calls = self.template.fields.iter().find(|field| field.name == CALLS);
            let end = calls.and_then(|field| field.close.as_ref()).map(Pattern::words);
            return Some(Expected::texts(OpenPart::Header, end));
        }
        let marker = Expected::marker(&self.triggers(), ahead);
        marker.or_else(|| Some(Expected::one(OpenPart::Marker, Terminator::Words("what may become a marker"))))
    }

    fn prose_line(&mut self, line: &[u8], at: usize, markdown: &MarkdownContext, out: &mut Vec<ParseEvent>) {
        let problem = near_miss::of_line(&self.template, line, at);
        out.extend(problem.map(|problem| ParseEvent::of_prose(problem.hint_if(markdown.in_fence()))));
    }

    fn dissect(&self, text: &Text, parts: CallParts<'_>) -> Assembly {
        call::dissect(&self.template, text, parts)
    }

    fn write(&self, call: &CallContent<'_>) -> String {
        writer::write(&self.template, call)
    }

    fn closer(&self, _marker: &str) -> Closer {
        Closer::Inline(writer::closer(&self.template))
    }
}

/// What is known of a template's dialect beside its grammar.
fn about(name: &str, template: &Template) -> DialectInfo {
    let leak = |words: String| -> &'static str { Box::leak(words.into_boxed_str()) };
    let calls = template.fields.iter().find(|field| field.name == CALLS);
    let opener = calls.and_then(|field| field.open.as_ref());
    let recognised_by = opener.map_or_else(|| "nothing: no field tool_calls".to_owned(), Pattern::words);
    let parameters = serde_json::json!({ "path": "notes.md" });
    let outcome = serde_json::Map::new();
    let content =
        CallContent { name: "write_file", id: None, dependencies: &[], parameters: &parameters, outcome: &outcome };
    let signs = opener.and_then(|open| open.prefixes.as_ref()).into_iter().flatten();
    let signs = signs.filter(|sign| sign.len() >= 4).filter_map(|sign| String::from_utf8(sign.clone()).ok());
    let signs: Vec<&'static str> = signs.map(leak).collect();
    DialectInfo {
        name: leak(name.to_owned()),
        title: "calls of a response template",
        recognised_by: leak(recognised_by),
        example: leak(writer::write(template, &content)),
        id_prefix: "call_",
        escapes: true,
        numbering: Numbering::Nameless,
        key_term: "key",
        next_ends: false,
        start: Start::Anywhere,
        signs: Vec::leak(signs),
        family: &[],
        body_like: None,
        // Texts are cast by what the schema declares, and what is typed stays as it is.
        typing: Coercion::JsonBySchema,
        coercion: None,
    }
}
