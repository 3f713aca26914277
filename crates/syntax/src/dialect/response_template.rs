//! Calls as a response template declares them: the `response_template` of a Hugging Face `tokenizer_config.json`.
//!
//! A template names the fields of a message, the patterns that open and close the text of each, the parser of the
//! text, and the shape of the value. Regions of the field `tool_calls` are calls; regions of other fields are prose,
//! in which markers do not open calls. Text outside of all regions belongs to the implicit field; without one it is
//! lost. Each message is read from its beginning, like the reference reads a text generated after an empty prompt. The
//! end of a region does not depend on how the text is cut: a delimiter is accepted only when no further text can
//! change the match.

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
use matcher::{Match, Scan, SearchResult};
use parser::TemplateParser;
use pattern::Pattern;
use region::{Delimiter, DelimiterSearch, Edge, Next};

pub use load::LoadError;
pub use template::Template;

/// Name of the field whose regions are calls.
const CALLS: &str = "tool_calls";

/// Bytes after a call that are examined to find its end.
const BEHIND: usize = 4096;

/// Finds the calls declared by a template.
#[derive(Clone)]
pub struct ResponseTemplate {
    template: Arc<Template>,
    about: &'static DialectInfo,
    watch: DelimiterSearch,
    /// The possible first bytes of a delimiter; `None` if a delimiter may be empty.
    first: Option<Arc<[bool; 256]>>,
    /// Offset of the message after blank lines; `None` before the first probe.
    origin: Option<usize>,
    /// The field of the open prose region.
    open: Option<usize>,
    /// For each field, the text that is its value and that another region would overwrite.
    kept: Vec<Option<Span>>,
    /// Beginning of the current text for the implicit field.
    outside: usize,
    /// Beginning of the body of the last opened call, while its end is unknown.
    call: Option<usize>,
    /// A list of calls that is still arriving: its offset, and the search for its end.
    list: Option<(usize, Scan)>,
}

impl ResponseTemplate {
    /// The info of a template's dialect; `name` is used on the command line and in the output. It is leaked, and so
    /// lives until the program ends.
    pub fn info(name: &str, template: &Template) -> &'static DialectInfo {
        Box::leak(Box::new(about(name, template)))
    }

    /// A dialect for a template, with the info from [`ResponseTemplate::info`].
    pub fn new(about: &'static DialectInfo, template: Arc<Template>) -> Self {
        let kept = vec![None; template.fields.len()];
        let watch = DelimiterSearch::new(&template);
        let first = first_bytes(&template);
        Self { template, about, watch, first, origin: None, open: None, kept, outside: 0, call: None, list: None }
    }

    /// Resets the state of the previous message.
    fn forget(&mut self) {
        *self = Self::new(self.about, Arc::clone(&self.template));
    }

    fn is_call(&self, field: usize) -> bool {
        self.template.fields[field].name == CALLS
    }

    /// Ends text of the implicit field at `end`; reports text that it overwrites, or that it is lost without such a
    /// field.
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
        // After a call, the call's parser has reported this.
        if behind_call.is_none() {
            self.overwrite(field, whole, out);
        }
        self.kept[field] = (!words.is_empty() && self.template.fields[field].overwrites).then_some(words);
    }

    /// Reports that the region of a field that begins at `by` replaces an earlier one.
    fn overwrite(&mut self, field: usize, by: Span, out: &mut Vec<ParseEvent>) {
        if let Some(lost) = self.kept[field].take() {
            out.push(ParseEvent::of_prose(overwritten(&self.template.fields[field].name, lost, by)));
        }
    }

    /// End of the call whose body begins at `body`, at most `limit`.
    fn call_end(&self, body: usize, limit: usize, text: &Text) -> usize {
        let calls = self.template.fields.iter().find(|field| field.name == CALLS);
        let Some(close) = calls.and_then(|field| field.close.as_ref()) else { return limit };
        let bytes = text.read(Span::new(body, limit.saturating_add(BEHIND)));
        let mut scan = Scan::default();
        match scan.find(close, &Haystack::whole(&bytes)) {
            SearchResult::Match(found) => (body + found.span.end).min(limit),
            _ => limit,
        }
    }

    /// Handles a delimiter at the probed place; returns `None` if the place must be examined again.
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

    /// Handles the beginning of a region of calls.
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

    /// Begins a region of calls; if the field holds a single value, earlier calls are lost, which is reported.
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

    /// A copy of the dialect for the parser of an open call, without the state of the message.
    fn clone_for_call(&self) -> Self {
        Self::new(self.about, Arc::clone(&self.template))
    }

    /// Reads a region with a list of calls, each of which becomes an item, once it has ended.
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
                    SearchResult::Match(found) => Some(Some(found.span)),
                    SearchResult::Nothing => Some(None),
                    SearchResult::Pending(_) => None,
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

/// The possible first bytes of delimiters.
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

/// The problem of a text that another region of its field overwrites.
fn overwritten(field: &str, lost: Span, by: Span) -> Diagnostic {
    let message = format!("this text is lost: the next region of the field {field} overwrites it");
    Diagnostic::new(Code::ValueReplaced, lost, message)
        .with_severity(Severity::Warning)
        .related(by, "what overwrites it")
        .help("give the field \"repeats\": true and a join in the template, or let nothing follow the call")
}

impl Dialect for ResponseTemplate {
    fn info(&self) -> &'static DialectInfo {
        self.about
    }

    fn triggers(&self) -> Triggers {
        // The first line determines the beginning of the message.
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

    fn hash_state(&self, _text: &Text, at: usize, memory: &mut dyn Hasher) {
        // The regions belong to the whole message.
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
        // Empty delimiters change the set of delimiters that are searched for at the same place.
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

/// The info of a template's dialect.
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
        // Strings are cast to the types declared in the schema; typed values stay unchanged.
        typing: Coercion::JsonBySchema,
        coercion: None,
    }
}
