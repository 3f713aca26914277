//! Cassettes: recordings in YAML. Each entry of the list of interactions is parsed when the next one begins, so that
//! only one of them is held.

use super::block::{Node, Scalar, read};
use super::body::{Body, media_type};
use super::body_tree::json;
use super::scalar::{decode, words};
use super::{Exchange, Exchanges};
use crate::container::cassette_header::is_cassette;
use crate::container::fragment::Fragment;
use crate::container::records::MAX_RECORD;
use crate::container::writer::TextWriter;
use crate::container::{
    CallSource, Claim, ContainerInfo, Definition, FileHead, FormatReader, MessagePart, TextReader, moment_of,
};
use crate::diagnostic::Code;
use crate::text::{Span, steps};

pub(super) const NAME: &str = "vcr-cassette";

pub(in crate::container) static ABOUT: ContainerInfo = ContainerInfo {
    name: NAME,
    title: "a cassette of VCR with requests and answers",
    calls: CallSource::Either,
    definition: Definition::Code { claims, open: || FormatReader::Text(Box::<Cassette>::default()) },
};

fn claims(head: &FileHead<'_>) -> Option<Claim> {
    let FileHead::Line(text) = head else { return None };
    is_cassette(text, true)?.then_some(Claim::Sure("it is a list of interactions with a request"))
}

/// Lines that begin the list.
const LISTS: [&[u8]; 2] = [b"interactions:", b"http_interactions:"];

/// Other members of the document.
const MEMBERS: [&[u8]; 2] = [b"version:", b"recorded_with:"];

/// Most bytes of stray lines that are shown at a time.
const STRAY_PIECE: usize = 64 * 1024;

#[derive(Default)]
struct Cassette {
    exchanges: Exchanges,
    /// Bytes starting at `base` in the file that have not been written.
    held: Vec<u8>,
    base: usize,
    /// Offset in `held` of the first line that has not been examined.
    line: usize,
    /// Offset in `held` up to which its end was searched for.
    searched: usize,
    part: CassettePart,
    /// Indentation of the entries in columns, once the first has arrived.
    indent: Option<usize>,
}

/// The part of the file that the held bytes belong to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum CassettePart {
    /// Members of the document, before the list of entries.
    #[default]
    Document,
    /// The list, before its first entry.
    List,
    Entry,
    /// An entry that is too large.
    LargeEntry,
    /// Lines that are not part of a cassette.
    Stray,
}

impl TextReader for Cassette {
    fn push(&mut self, bytes: &[u8], _at: usize, out: &mut TextWriter) {
        self.held.extend_from_slice(bytes);
        let held = std::mem::take(&mut self.held);
        // Offset after the last byte that is written or not needed.
        let mut done = 0;
        while let Some(feed) = memchr::memchr(b'\n', &held[self.searched..]) {
            let end = self.searched + feed + 1;
            self.take_line(&held, self.line..end, &mut done, out);
            (self.line, self.searched) = (end, end);
        }
        self.searched = held.len();
        let most = if self.part == CassettePart::Entry { MAX_RECORD } else { STRAY_PIECE };
        if held.len() - done > most && matches!(self.part, CassettePart::Entry | CassettePart::LargeEntry) {
            let at = self.base + done;
            if std::mem::replace(&mut self.part, CassettePart::LargeEntry) == CassettePart::Entry {
                out.record(Span::new(at, self.base + held.len()));
                out.problem(Code::BrokenRecord, Span::new(at, at + 1), "record too large to parse; shown raw");
            }
            raw(&held[done..self.line.max(done)], at, out);
            done = self.line.max(done);
        }
        self.held = held;
        self.held.drain(..done);
        self.base += done;
        self.line -= done;
        self.searched -= done;
    }

    fn finish(&mut self, out: &mut TextWriter) {
        let held = std::mem::take(&mut self.held);
        let mut done = 0;
        if self.line < held.len() {
            self.take_line(&held, self.line..held.len(), &mut done, out);
        }
        self.end_part(&held[done..], self.base + done, true, out);
        self.base += held.len();
    }

    fn held(&self) -> usize {
        self.held.len()
    }
}

impl Cassette {
    /// Takes a line of `held`; what precedes it is written if it begins another part.
    fn take_line(&mut self, held: &[u8], line: std::ops::Range<usize>, done: &mut usize, out: &mut TextWriter) {
        let text = held[line.clone()].trim_ascii_end();
        steps::add_bytes(line.len());
        let column = text.iter().take_while(|&&byte| byte == b' ').count();
        let content = &text[column..];
        let is_entry = content == b"-" || content.starts_with(b"- ");
        let mut next = self.part;
        match self.part {
            // Indentation less than an entry's ends the list.
            CassettePart::Entry | CassettePart::LargeEntry => {
                if content.is_empty() || content[0] == b'#' || Some(column) > self.indent {
                    return;
                }
                next =
                    if is_entry && Some(column) == self.indent { CassettePart::Entry } else { CassettePart::Document };
            }
            CassettePart::List if is_entry => {
                self.indent = Some(column);
                next = CassettePart::Entry;
            }
            CassettePart::List if column == 0 && !content.is_empty() => next = CassettePart::Document,
            CassettePart::List | CassettePart::Document => {}
            CassettePart::Stray if column > 0 => return,
            CassettePart::Stray => next = CassettePart::Document,
        }
        if next == CassettePart::Document {
            let is_known = content.is_empty()
                || matches!(content[0], b'#' | b'%')
                || matches!(content, b"---" | b"...")
                || MEMBERS.iter().any(|member| content.starts_with(member));
            if LISTS.contains(&content) {
                next = CassettePart::List;
            } else if !is_known {
                next = CassettePart::Stray;
            }
            if next == self.part && next == CassettePart::Stray && line.end - *done < STRAY_PIECE {
                return;
            }
        }
        self.end_part(&held[*done..line.start], self.base + *done, false, out);
        self.part = next;
        *done = match next {
            CassettePart::Entry | CassettePart::LargeEntry | CassettePart::Stray => line.start,
            CassettePart::Document | CassettePart::List => line.end,
        };
    }

    /// Ends the current part, whose bytes are at `at` in the file.
    fn end_part(&mut self, text: &[u8], at: usize, is_end: bool, out: &mut TextWriter) {
        match self.part {
            CassettePart::Entry => self.entry(text, at, is_end, out),
            CassettePart::LargeEntry => {
                raw(text, at, out);
                out.end_record();
            }
            CassettePart::Stray => {
                out.record(Span::new(at, at + text.len()));
                let first = text.iter().position(|&byte| byte == b'\n').unwrap_or(text.len());
                out.problem(Code::UnknownRecord, Span::new(at, at + first), "not part of a cassette; shown raw");
                raw(text, at, out);
                out.end_record();
            }
            CassettePart::Document | CassettePart::List => {}
        }
    }

    fn entry(&mut self, text: &[u8], at: usize, is_end: bool, out: &mut TextWriter) {
        let source = Span::new(at, at + text.trim_ascii_end().len());
        out.record(source);
        let found = read(text);
        let entry = match &found {
            Ok(Node::List(_, items)) => items.first().and_then(|item| exchange(item, text, at)),
            _ => None,
        };
        match (entry, found) {
            (Some(exchange), _) => self.exchanges.take(&exchange, out),
            (None, found) => {
                match found {
                    Ok(_) => out.problem(Code::UnknownRecord, source, "an interaction without a request; shown raw"),
                    Err(end) if end >= text.len() && is_end => {
                        out.problem(Code::CutOffRecord, source, "the file ends in the middle of a record");
                    }
                    Err(end) => {
                        let place = Span::new(at + end, at + end + usize::from(end < text.len()));
                        out.problem(Code::BrokenRecord, place, "not an interaction as recorders write them; shown raw");
                    }
                }
                raw(text, at, out);
            }
        }
        out.end_record();
    }
}

fn raw(text: &[u8], at: usize, out: &mut TextWriter) {
    let mut fragment = Fragment::default();
    fragment.bytes(text, at);
    out.piece(MessagePart::Envelope("not a record".into()), &fragment);
}

/// The exchange that an entry of the list records.
fn exchange(entry: &Node, text: &[u8], base: usize) -> Option<Exchange> {
    let request = entry.get(text, "request")?;
    let response = entry.get(text, "response");
    let get = |node: Option<&Node>, key: &str| -> Option<Scalar> { node?.get(text, key)?.scalar().copied() };
    let text_of = |node: Option<&Node>, key: &str| get(node, key).map(|scalar| words(&scalar, text));
    let status = response.and_then(|response| response.get(text, "status"));
    let code = get(response, "code").or_else(|| get(status, "code")).or_else(|| status?.scalar().copied());
    let reason = text_of(status, "message").or_else(|| Some(words(status?.scalar()?, text)));
    let source = |scalar: Scalar| Span::new(base + scalar.span.start, base + scalar.span.end);
    let url = get(Some(request), "uri").or_else(|| get(Some(request), "url"));
    let number = |scalar: Scalar| words(&scalar, text).split(' ').next().and_then(|word| word.parse().ok());
    let date = || header(response?, "date", text);
    Some(Exchange {
        method: text_of(Some(request), "method").unwrap_or_default().to_uppercase(),
        url: url.map(|scalar| decode(&scalar, text, base)).unwrap_or_default(),
        request: body(request, text, base),
        response: response.and_then(|response| body(response, text, base)),
        status: code.and_then(number),
        status_source: code.map_or(Span::at(base), source),
        reason: reason.unwrap_or_default(),
        sent: text_of(Some(entry), "recorded_at").and_then(|time| time_of(&time)),
        answered: date().and_then(|time| time_of(&time)),
        duration: text_of(response, "duration").or_else(|| text_of(Some(entry), "duration")).unwrap_or_default(),
    })
}

/// A time, if it is one; as headers write it, in the form of RFC 3339.
fn time_of(text: &str) -> Option<Box<str>> {
    if moment_of(text).is_some() {
        return Some(text.into());
    }
    let moment = jiff::fmt::rfc2822::parse(text).ok()?.timestamp();
    Some(moment.to_string().into())
}

fn header(message: &Node, name: &str, text: &[u8]) -> Option<String> {
    message.get(text, "headers")?.get(text, name)?.scalar().map(|scalar| words(scalar, text))
}

/// The body of a request or an answer, unless it is empty.
fn body(message: &Node, text: &[u8], base: usize) -> Option<Body> {
    let parsed = message.get(text, "parsed_body").filter(|parsed| !parsed.is_null(text));
    let written = || message.get(text, "body").filter(|body| !body.is_null(text));
    let holder = parsed.or_else(written)?;
    let string = holder.get(text, "string");
    let encoded = holder.get(text, "base64_string");
    let is_tree = parsed.is_some() || (string.or(encoded).is_none() && !matches!(holder, Node::Scalar(_)));
    let (content, is_base64) = if is_tree {
        (json(holder, text, base), false)
    } else {
        let scalar = string.or(encoded).unwrap_or(holder).scalar()?;
        (decode(scalar, text, base), scalar.is_binary || encoded.is_some())
    };
    let media = header(message, "content-type", text).and_then(|media| media_type(&media));
    let encoding = header(message, "content-encoding", text).map(Box::from);
    let is_empty = content.is_empty() || (string.is_some_and(|string| string.is_null(text)));
    (!is_empty).then_some(Body { text: content, media, encoding, is_base64 })
}
