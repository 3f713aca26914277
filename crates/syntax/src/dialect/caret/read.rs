//! Dissects a block: its parameters as intended, and where the runtime reads them differently.
//!
//! The lines are read twice: by the rules of the block's form, and by the rules of the shipped runtime alone.

use std::borrow::Cow;
use std::ops::Range;

use super::draft::Differences;
use super::line::{fence, indent, is_empty, is_separator, lines, pair, trim};
use super::malformed;
use super::scalar::Indicator;
use super::tree::{Tree, Written};
use super::walk::{Class, Rules, Walker};
use crate::diagnostic::{BoundedProblems, Code, Diagnostic};
use crate::dialect::{CallParts, Status, hidden_characters};
use crate::text::Span;
use crate::value::{Assembly, NodeId};

/// Key of the text below the separator of the draft.
const CONTENT: &str = "content";

/// Dissects the block whose lines between the fences are `body`.
pub(super) fn read(body: &[u8], parts: CallParts<'_>) -> Assembly {
    let mut either = Walker::new(Rules::Either);
    for (at, line) in lines(body, 0) {
        either.line(at, line);
    }
    let mut reader = CaretReader {
        body,
        base: parts.body.start,
        tree: Tree::default(),
        problems: BoundedProblems::default(),
        current: Current::Nothing,
        strays: malformed::Strays::default(),
        differences: Differences::default(),
        arriving: parts.status == Status::Open,
        header_content: None,
    };
    let rules = match (either.shipped, either.draft) {
        (Some(shipped), Some(draft)) => {
            reader.problems.push(reader.mixed(shipped, draft, either.loses));
            Rules::Shipped
        }
        _ => Rules::Either,
    };
    reader.lines(Walker::new(rules), 0, body.len());
    reader.end(parts);
    if let (Rules::Either, Some(draft)) = (rules, either.draft) {
        let line = reader.line_span(draft);
        reader.problems.push(reader.differences.problem(line));
    }
    let mut assembly = reader.tree.assembly;
    assembly.problems.extend(reader.problems);
    assembly
}

struct CaretReader<'a> {
    body: &'a [u8],
    base: usize,
    tree: Tree,
    problems: BoundedProblems,
    current: Current,
    strays: malformed::Strays,
    differences: Differences,
    arriving: bool,
    /// Span of a value for `content` before the separator; set while the lines below it are read.
    header_content: Option<Span>,
}

/// The construct that the next line may belong to. Offsets are in the body.
enum Current {
    Nothing,
    Pair { key: Range<usize>, value: Range<usize>, next: usize, outer: usize },
    Value { key: Range<usize>, start: usize, end: usize },
    Array { id: NodeId, key: Range<usize>, items: Vec<Span> },
    Scalar { key: Range<usize>, indicator: Indicator, start: usize, end: usize, outer: usize },
    List { id: NodeId },
    Body { start: usize },
}

impl<'a> CaretReader<'a> {
    fn span(&self, range: &Range<usize>) -> Span {
        Span::new(self.base + range.start, self.base + range.end)
    }

    fn text(&self, range: &Range<usize>) -> Cow<'a, str> {
        String::from_utf8_lossy(&self.body[range.clone()])
    }

    /// The span of the text of the line at an offset.
    fn line_span(&self, at: usize) -> Span {
        let line = lines(self.body, at).next().map_or(&[][..], |(_, line)| line);
        let text = trim(line);
        self.span(&(at + text.start..at + text.end))
    }

    fn lines(&mut self, mut walker: Walker, start: usize, end: usize) {
        let mut shipped = Walker::new(Rules::Shipped);
        let body = &self.body[..end];
        for (at, line) in lines(body, start) {
            let class = walker.line(at, line);
            let read = shipped.line(at, line);
            if matches!(class, Class::ScalarLine | Class::ListItem(_)) {
                self.differences.line(&read, line, self.base + at);
            }
            self.line(at, line, class);
        }
    }

    fn line(&mut self, at: usize, line: &[u8], class: Class) {
        let within = |range: Range<usize>| at + range.start..at + range.end;
        let end = at + line.len();
        let next = end + self.body[end..].iter().position(|&byte| byte == b'\n').map_or(0, |feed| feed + 1);
        if !matches!(class, Class::Stray | Class::Blank) {
            self.problems.extend(self.strays.end());
        }
        match class {
            Class::Blank | Class::BodyLine => {}
            Class::Pair { key, value } => {
                self.finish();
                let outer = indent(line);
                self.current = Current::Pair { key: within(key), value: within(value), next, outer };
            }
            Class::ValueStart(key) => {
                self.finish();
                self.current = Current::Value { key: within(key), start: next, end: next };
            }
            Class::ValueLine => {
                if fence(line).is_some_and(|fence| fence.name == 0 && fence.blanks == 0) {
                    self.fence_in_value(at);
                }
                if let Current::Value { end: value_end, .. } = &mut self.current {
                    *value_end = end;
                }
            }
            Class::ValueEnd => self.end_value(Some(end)),
            Class::ArrayStart(key) => {
                self.finish();
                let key = within(key);
                self.judge_key(&key);
                let id = self.tree.new_array(&self.text(&key), self.span(&(key.start..end)));
                self.current = Current::Array { id, key, items: Vec::new() };
            }
            Class::Item(item) => self.item(&within(item)),
            Class::ArrayEnd => {
                if let Current::Array { id, items, .. } = std::mem::replace(&mut self.current, Current::Nothing) {
                    self.tree.cover(id, self.span(&(at..at + trim(line).end)));
                    self.problems.extend(malformed::items(self.body, self.base, &items));
                }
            }
            Class::ScalarLine => self.scalar_line(end, line),
            Class::ListItem(item) => self.list_item(&within(item), at + trim(line).start),
            Class::Separator => {
                self.finish();
                self.current = Current::Body { start: next };
            }
            Class::OpenInside => {
                self.finish();
                self.problems.push(malformed::open_inside(self.line_span(at)));
            }
            Class::Stray => self.stray(at, line),
        }
    }

    /// Handles a line that is not a field, an element or a marker. A lone `---` was reported with the markers that it
    /// separates.
    fn stray(&mut self, at: usize, line: &[u8]) {
        let unindented = match &self.current {
            Current::Pair { key, value, outer, .. }
                if indent(line) <= *outer && Indicator::parse(&self.body[value.clone()]).is_some() =>
            {
                Some(format!("{}: {}", self.text(key), self.text(value)))
            }
            _ => None,
        };
        self.finish();
        if is_separator(line) {
            return;
        }
        let span = self.line_span(at);
        if let Some(near) = super::near_miss::in_block(line) {
            self.problems.extend(self.strays.end());
            self.problems.push(near.diagnostic(self.base + at, "the runtime drops the line"));
            return;
        }
        self.strays.line(span, line, unindented);
    }

    /// Completes a single-line pair, or any other construct without an explicit end, because something else follows.
    fn finish(&mut self) {
        match std::mem::replace(&mut self.current, Current::Nothing) {
            Current::Nothing | Current::List { .. } => {}
            Current::Pair { key, value, .. } => {
                self.problems.extend(malformed::value(&self.text(&key), self.body, &value, self.base));
                let written = Written {
                    key: self.span(&key),
                    value: self.span(&value),
                    decoded: None,
                    place: self.span(&(key.start..value.end.max(key.end))),
                };
                self.add(&key, written);
            }
            Current::Scalar { key, indicator, start, end, outer } => {
                let decoded = indicator.text(&self.body[start..end], outer);
                let last = start + crate::text::trim_end(&self.body[start..end]);
                let written = Written {
                    key: self.span(&key),
                    value: self.span(&(start..last)),
                    decoded: Some(decoded.into()),
                    place: self.span(&(key.start..last)),
                };
                self.add(&key, written);
            }
            current @ Current::Value { .. } => {
                self.current = current;
                self.end_value(None);
            }
            Current::Array { id, key, items } => self.unclosed_array(id, &key, &items),
            Current::Body { start } => self.draft_body(start),
        }
    }

    fn add(&mut self, key: &Range<usize>, written: Written) {
        self.judge_key(key);
        let name = self.text(key);
        match self.header_content {
            Some(header) if name == CONTENT => {
                self.problems.push(malformed::content_ignored(written.place, header));
                self.tree.leave_out(written.key, written.value);
            }
            _ => self.tree.add(&name, written),
        }
    }

    fn judge_key(&mut self, key: &Range<usize>) {
        let text = self.text(key);
        self.problems.extend(hidden_characters(&text, self.span(key), "the key"));
        self.problems.extend(malformed::key(&text, self.span(key)));
    }

    /// Completes a multi-line value; `line_end` is the end of `--- key`, if present.
    fn end_value(&mut self, line_end: Option<usize>) {
        let Current::Value { key, start, end } = std::mem::replace(&mut self.current, Current::Nothing) else { return };
        let bytes = &self.body[start..end];
        let value = self.span(&(start..end));
        let name = self.text(&key);
        if line_end.is_none() && !self.arriving {
            self.problems.push(malformed::unclosed_value(&name, self.span(&key), bytes, value));
        }
        let blank =
            bytes.iter().take_while(|byte| matches!(byte, b'\r' | b'\n')).filter(|&&byte| byte == b'\n').count();
        if blank > 0 {
            self.problems.push(malformed::leading_blanks(&name, Span::new(value.start, value.start + 1), blank));
        }
        let decoded = memchr::memmem::find(bytes, b"\r\n")
            .map(|_| String::from_utf8_lossy(bytes).replace("\r\n", "\n").into_boxed_str());
        let place = self.span(&(key.start..line_end.unwrap_or(end)));
        self.add(&key, Written { key: self.span(&key), value, decoded, place });
    }

    fn item(&mut self, item: &Range<usize>) {
        let span = self.span(item);
        if let Current::Array { id, items, .. } = &mut self.current {
            items.push(span);
            let written = Written { key: Span::at(span.start), value: span, decoded: None, place: span };
            self.tree.push(*id, written);
        }
    }

    fn unclosed_array(&mut self, id: NodeId, key: &Range<usize>, items: &[Span]) {
        self.problems.extend(malformed::items(self.body, self.base, items));
        if self.arriving {
            return;
        }
        let bracket = self.span(&(key.start..key.end));
        let parameter = items.iter().copied().find(|item| {
            let line = &self.body[item.start - self.base..item.end - self.base];
            pair(line).is_some_and(|(key, value)| {
                value.start > key.end + 1 && line[key].iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
            })
        });
        self.tree.cover(id, items.last().copied().unwrap_or(bracket));
        self.problems.push(malformed::unclosed_array(&self.text(key), bracket, parameter));
    }

    fn scalar_line(&mut self, line_end: usize, line: &[u8]) {
        match std::mem::replace(&mut self.current, Current::Nothing) {
            Current::Pair { key, value, next, outer } => {
                let indicator = Indicator::parse(&self.body[value.clone()]);
                self.differences.scalar(&self.text(&key), &self.text(&value));
                if let Some(indicator) = indicator {
                    self.current = Current::Scalar { key, indicator, start: next, end: line_end, outer };
                }
            }
            Current::Scalar { key, indicator, start, outer, .. } => {
                // Only scalars that keep trailing blank lines use them.
                let end = if is_empty(line) { (line_end + 1).min(self.body.len()) } else { line_end };
                self.current = Current::Scalar { key, indicator, start, end, outer };
            }
            other => self.current = other,
        }
    }

    fn list_item(&mut self, item: &Range<usize>, dash: usize) {
        if let Current::Pair { key, value, .. } = &self.current {
            let (key, place) = (key.clone(), self.span(&(key.start..value.end.max(key.end))));
            self.judge_key(&key);
            self.differences.list(&self.text(&key));
            let id = self.tree.array(&self.text(&key), place);
            self.current = Current::List { id };
        }
        if let Current::List { id } = self.current {
            let place = self.span(&(dash..item.end));
            let written = Written { key: Span::at(place.start), value: self.span(item), decoded: None, place };
            self.tree.push(id, written);
        }
    }

    /// Reads the text below the separator: block scalars, or the content as a whole.
    fn draft_body(&mut self, start: usize) {
        let end = self.body.len();
        let end = end - usize::from(self.body[start..].ends_with(b"\n"));
        let end = end - usize::from(self.body[start..end].ends_with(b"\r"));
        if is_empty(&self.body[start..end]) {
            return;
        }
        let content = self.tree.node(CONTENT).map(|id| self.tree.assembly.tree.node(id).place);
        if is_mapping(&self.body[start..end]) {
            self.header_content = content;
            self.lines(Walker::new(Rules::Mapping), start, end);
            self.problems.extend(self.strays.end());
            self.finish();
            return;
        }
        let mut shipped = Walker::new(Rules::Shipped);
        for (at, line) in lines(&self.body[..end], start) {
            self.differences.line(&shipped.line(at, line), line, self.base + at);
        }
        let value = self.span(&(start..end));
        if let Some(header) = content {
            self.problems
                .push(malformed::content_ignored(crate::text::trim(&self.body[start..end], value.start), header));
            self.tree.leave_out(Span::at(value.start), value);
            return;
        }
        let bytes = &self.body[start..end];
        let decoded = memchr::memmem::find(bytes, b"\r\n")
            .map(|_| String::from_utf8_lossy(bytes).replace("\r\n", "\n").into_boxed_str());
        self.tree.add(CONTENT, Written { key: Span::at(value.start), value, decoded, place: value });
    }

    fn fence_in_value(&mut self, at: usize) {
        let known = self.problems.last().is_some_and(|problem| problem.code == Code::CaretFenceInValue);
        if let (Current::Value { key, .. }, false) = (&self.current, known) {
            let problem = malformed::fence_in_value(self.line_span(at), &self.text(key), self.span(key));
            self.problems.push(problem);
        }
    }

    fn end(&mut self, parts: CallParts<'_>) {
        self.problems.extend(self.strays.end());
        // The end of the text already explains an unclosed construct; only one problem is reported.
        if parts.status == Status::Unterminated {
            self.arriving = true;
        }
        self.finish();
    }

    /// The problem of markers of both forms; `loses` is true if the runtime loses data because of the draft's markers.
    fn mixed(&self, shipped: usize, draft: usize, loses: bool) -> Diagnostic {
        let (shipped, draft) = (self.line_span(shipped), self.line_span(draft));
        let message = "draft syntax in a block of the shipped form: it has no effect";
        let problem = Diagnostic::new(Code::CaretMixedForms, draft, message).hint_if(!loses);
        problem.related(shipped, "this belongs to the shipped form")
    }
}

/// True if the text below the separator begins with a block scalar.
fn is_mapping(body: &[u8]) -> bool {
    let mut texts = lines(body, 0).map(|(_, line)| line).filter(|line| !is_empty(line));
    let (Some(first), Some(second)) = (texts.next(), texts.next()) else { return false };
    let is_key = |key: &[u8]| key.iter().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'));
    indent(first) == 0
        && indent(second) > 0
        && pair(first).is_some_and(|(key, value)| is_key(&first[key]) && Indicator::parse(&first[value]).is_some())
}
