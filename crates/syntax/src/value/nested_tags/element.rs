//! The tags of a text and their nesting, whatever they mean.

use memchr::memmem::Finder;

use super::MAX_TAG_NAME;
use crate::value::pointer::MAX_DEPTH;
use crate::value::tree_builder::{MAX_NODES, MAX_PROBLEMS};

/// An opening tag, its closing tag, and the text between them, by offsets in the text.
#[derive(Clone, Debug, Default)]
pub(super) struct Element {
    /// Offset of its opening tag, prefix included.
    pub(super) start: usize,
    pub(super) name: (usize, usize),
    /// Offsets of the text between the tags.
    pub(super) content: (usize, usize),
    /// Offset after its closing tag.
    pub(super) end: usize,
    /// Indices of the elements in it, in text order.
    pub(super) children: Vec<usize>,
}

/// A misplaced or malformed tag; offsets are the tag's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TagFault {
    /// This element has no closing tag before an outer one's or the end.
    Unclosed(usize),
    /// A closing tag that has another name than this element, and closes it.
    Mismatched(usize),
    /// A closing tag without an opening one.
    Stray,
    /// A prefix that no tag follows.
    Malformed,
    /// The first tag above the limit.
    TooMany,
}

/// All elements of a text; the first one is the whole text.
#[derive(Debug)]
pub(super) struct Elements {
    pub(super) list: Vec<Element>,
    /// Faults, with the offsets of their tags.
    pub(super) faults: Vec<(TagFault, usize, usize)>,
    /// True if the text ends within an element.
    pub(super) is_open: bool,
}

/// A tag, by offsets in the text.
struct Tag {
    name: (usize, usize),
    end: usize,
    is_closing: bool,
}

/// Determines the nesting of the tags.
struct Nesting<'a> {
    bytes: &'a [u8],
    elements: Elements,
    /// Indices of the open elements.
    open: Vec<usize>,
    /// Number of open tags beyond the limit.
    unseen: usize,
    has_prefix: bool,
}

impl Elements {
    /// The elements of `bytes`, whose tags have this prefix; an incomplete tag at the end belongs to none of them.
    pub(super) fn read(bytes: &[u8], prefix: &str, is_arriving: bool) -> Self {
        let opener = [prefix.as_bytes(), b"<"].concat();
        let root = Element { content: (0, bytes.len()), end: bytes.len(), ..Element::default() };
        let elements = Self { list: vec![root], faults: Vec::new(), is_open: false };
        let has_prefix = !prefix.is_empty();
        let mut nesting = Nesting { bytes, elements, open: vec![0], unseen: 0, has_prefix };
        let finder = Finder::new(&opener);
        let (mut at, mut end) = (0, bytes.len());
        while let Some(found) = finder.find(&bytes[at..]) {
            let (start, behind) = (at + found, at + found + opener.len());
            at = behind;
            match tag(bytes, behind) {
                Ok(tag) => {
                    at = tag.end;
                    nesting.take(start, &tag);
                }
                Err(Malformed::Cut) if is_arriving => end = end.min(start),
                Err(_) if has_prefix => nesting.fault(TagFault::Malformed, start, behind),
                Err(_) => {}
            }
        }
        if is_arriving {
            end = end.min(bytes.len() - cut_length(bytes, &opener));
        }
        nesting.finish(end)
    }
}

impl Nesting<'_> {
    fn take(&mut self, start: usize, tag: &Tag) {
        if self.unseen > 0 {
            self.unseen = if tag.is_closing { self.unseen - 1 } else { self.unseen + 1 };
        } else if tag.is_closing {
            self.close(start, tag);
        } else if self.elements.list.len() >= MAX_NODES {
            self.unseen = 1;
            if !self.elements.faults.iter().any(|(fault, ..)| *fault == TagFault::TooMany) {
                self.elements.faults.push((TagFault::TooMany, start, tag.end));
            }
        } else if let Some(&parent) = self.open.last() {
            let index = self.elements.list.len();
            self.elements.list[parent].children.push(index);
            self.open.push(index);
            let element = Element { start, name: tag.name, content: (tag.end, tag.end), ..Element::default() };
            self.elements.list.push(Element { end: tag.end, ..element });
        }
    }

    fn close(&mut self, start: usize, tag: &Tag) {
        // Elements nested more deeply than this are not shown anyway.
        let nearest = self.open.len().saturating_sub(MAX_DEPTH).max(1);
        let name = self.text(tag.name);
        let own = self.open[nearest..].iter().rposition(|&index| self.text(self.elements.list[index].name) == name);
        let Some(own) = own else {
            match self.open.last() {
                Some(&innermost) if self.has_prefix && innermost > 0 => {
                    self.fault(TagFault::Mismatched(innermost), start, tag.end);
                    self.leave(start, tag.end);
                }
                _ => self.fault(TagFault::Stray, start, tag.end),
            }
            return;
        };
        while self.open.len() > nearest + own + 1 {
            self.unclosed();
            self.leave(start, start);
        }
        self.leave(start, tag.end);
    }

    /// Ends the innermost element, whose content ends at `content_end`.
    fn leave(&mut self, content_end: usize, end: usize) {
        if let Some(index) = self.open.pop() {
            let element = &mut self.elements.list[index];
            (element.content.1, element.end) = (content_end.max(element.content.0), end.max(element.content.0));
        }
    }

    /// Reports that the innermost element has no closing tag.
    fn unclosed(&mut self) {
        if let Some(&index) = self.open.last() {
            let Element { start, content, .. } = self.elements.list[index];
            self.fault(TagFault::Unclosed(index), start, content.0);
        }
    }

    fn text(&self, (start, end): (usize, usize)) -> &[u8] {
        &self.bytes[start..end]
    }

    fn fault(&mut self, fault: TagFault, start: usize, end: usize) {
        if self.elements.faults.len() < MAX_PROBLEMS {
            self.elements.faults.push((fault, start, end));
        }
    }

    /// Ends the text; open elements extend to `end`.
    fn finish(mut self, end: usize) -> Elements {
        self.elements.is_open = self.open.len() > 1;
        while self.open.len() > 1 {
            self.unclosed();
            self.leave(end, end);
        }
        self.elements.list[0].content.1 = end;
        self.elements
    }
}

/// Reason why there is no tag.
enum Malformed {
    /// The text ends in the middle of it.
    Cut,
    Other,
}

/// The tag whose name, or the slash before it, begins at `at`.
fn tag(bytes: &[u8], at: usize) -> Result<Tag, Malformed> {
    let is_closing = bytes.get(at) == Some(&b'/');
    let start = at + usize::from(is_closing);
    let rest = &bytes[start.min(bytes.len())..];
    let ends = |byte: &u8| matches!(byte, b'>' | b'<' | b'/') || byte.is_ascii_whitespace();
    let length = rest.iter().take(MAX_TAG_NAME + 1).position(ends);
    match length {
        Some(length) if length > 0 && rest[length] == b'>' => {
            Ok(Tag { name: (start, start + length), end: start + length + 1, is_closing })
        }
        None if rest.len() <= MAX_TAG_NAME => Err(Malformed::Cut),
        _ => Err(Malformed::Other),
    }
}

/// Length of the longest end of `bytes` that may be the beginning of `opener`.
fn cut_length(bytes: &[u8], opener: &[u8]) -> usize {
    (1..opener.len()).rev().find(|&length| bytes.ends_with(&opener[..length])).unwrap_or(0)
}
