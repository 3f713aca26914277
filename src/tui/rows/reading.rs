//! The reading pane: prose, then each call as a tree of its parameters, with the problems where they are.
//!
//! A call is one unit; a long text is several, so that only what is visible is laid out. This module does not know
//! how rows are drawn.

use std::ops::Range;
use std::rc::Rc;

use crate::dialect::Status;
use crate::document::graph::Fate;
use crate::document::{Call, Item};
use crate::params::{Assembly, NodeId, Scalar, Value, coerce};
use crate::text::wrap::{Wrap, display_width, fit, wrap};
use crate::text::{Span, trim_end, trim_start};

use super::super::cache::Wanted;
use super::super::highlight::{self, Language};
use super::super::layout::Pane;
use super::super::state::{Phase, State};
use super::super::theme::Role;
use super::super::viewport::{Anchor, Units};
use super::{Piece, Row, Source, Target, count, mark, prose, size, wrapped};

/// Bytes of a text in one unit; a line belongs to the unit in which it begins.
const PART: usize = 16 * 1024;

/// Bytes of a line of prose that are shown; the raw pane has the rest.
const LINE: usize = 16 * 1024;

/// Lines of a long value that are shown until it is opened.
pub const PREVIEW: usize = 8;

/// Lines of an opened value that are shown; the raw pane has the rest.
const OPENED: usize = 5_000;

/// The units of the reading pane.
pub struct Reading<'a>(pub &'a State);

impl Units for Reading<'_> {
    type Unit = (usize, usize);

    fn first(&self) -> Option<Self::Unit> {
        (!self.0.session.document().items().is_empty()).then_some((0, 0))
    }

    fn last(&self) -> Option<Self::Unit> {
        let last = self.0.session.document().items().len().checked_sub(1)?;
        Some((last, self.parts(last) - 1))
    }

    fn next(&self, (item, part): Self::Unit) -> Option<Self::Unit> {
        if part + 1 < self.parts(item) {
            return Some((item, part + 1));
        }
        (item + 1 < self.0.session.document().items().len()).then_some((item + 1, 0))
    }

    fn previous(&self, (item, part): Self::Unit) -> Option<Self::Unit> {
        match part.checked_sub(1) {
            Some(part) => Some((item, part)),
            None => item.checked_sub(1).map(|item| (item, self.parts(item) - 1)),
        }
    }

    fn height(&self, unit: Self::Unit) -> usize {
        self.rows(unit).len()
    }
}

impl Reading<'_> {
    /// The rows of a unit.
    pub fn rows(&self, unit: (usize, usize)) -> Rc<Vec<Row>> {
        let state = self.0;
        state.rows(Pane::Reading, unit, || match state.session.document().items().get(unit.0) {
            None => Vec::new(),
            Some(Item::Text(span)) => text_rows(state, unit.0, Self::part_span(*span, unit.1), *span),
            Some(Item::Call(call)) => CallRows::new(state, unit.0, call).build(),
        })
    }

    /// The row that shows what is selected.
    pub fn cursor(&self) -> Option<Anchor<(usize, usize)>> {
        let selection = self.0.selection;
        let span = self.0.session.document().items().get(selection.item)?.span();
        let part = match self.0.session.document().call(selection.item) {
            Some(_) => 0,
            None => (selection.offset.saturating_sub(span.start) / PART).min(self.parts(selection.item) - 1),
        };
        let unit = (selection.item, part);
        let rows = self.rows(unit);
        Some(Anchor { unit, row: row_of(&rows, selection)? })
    }

    fn parts(&self, item: usize) -> usize {
        match self.0.session.document().items().get(item) {
            Some(Item::Text(span)) => (span.len() / PART).max(1),
            _ => 1,
        }
    }

    fn part_span(span: Span, part: usize) -> Span {
        let start = span.start + part * PART;
        let end = if part + 1 >= (span.len() / PART).max(1) { span.end } else { start + PART };
        Span::new(start, end)
    }
}

/// The row among `rows` that shows the selection best: the problem itself, else the same node, nearest above.
pub fn row_of(rows: &[Row], selection: Target) -> Option<usize> {
    let targets = || rows.iter().enumerate().filter_map(|(index, row)| row.target.map(|target| (index, target)));
    if selection.problem.is_some()
        && let Some((index, _)) = targets().find(|(_, target)| target.problem == selection.problem)
    {
        return Some(index);
    }
    let plain = || targets().filter(|(_, target)| target.problem.is_none());
    let same = || plain().filter(|(_, target)| target.node == selection.node);
    let near = |candidates: &mut dyn Iterator<Item = (usize, Target)>| {
        candidates.filter(|(_, target)| target.offset <= selection.offset).last().map(|(index, _)| index)
    };
    near(&mut same())
        .or_else(|| same().next().map(|(index, _)| index))
        .or_else(|| near(&mut plain()))
        .or_else(|| targets().next().map(|(index, _)| index))
}

/// The rows of a part of a text.
fn text_rows(state: &State, item: usize, part: Span, whole: Span) -> Vec<Row> {
    let text = state.session.text();
    // A line belongs to the part in which it begins, and is read to its end.
    let mut start = part.start;
    if start > whole.start {
        let before = text.read(Span::new(start - 1, part.end));
        match memchr::memchr(b'\n', &before) {
            Some(feed) => start += feed,
            None => return Vec::new(),
        }
    }
    let mut end = part.end;
    if end < whole.end {
        let after = text.read(Span::new(end - 1, (end + LINE).min(whole.end)));
        end = memchr::memchr(b'\n', &after).map_or(end + LINE, |feed| end + feed).min(whole.end);
    }
    let bytes = text.read(Span::new(start, end));
    let words = String::from_utf8_lossy(&bytes);
    let looks = if words.len() == bytes.len() { prose::looks(&words) } else { prose::Looks::default() };
    let moved = |range: Range<usize>| Span::new(start + range.start, start + range.end);
    let styles: Vec<(Span, Role)> = looks.styles.into_iter().map(|(range, role)| (moved(range), role)).collect();
    let width = state.width(Pane::Reading);
    // Blank lines around a text say nothing.
    let skipped = if start == whole.start { leading_blank(&bytes) } else { 0 };
    let kept = if end == whole.end { trim_end(&bytes) } else { bytes.len() };
    let mut rows = Vec::new();
    let mut at = skipped.min(kept);
    while at < kept {
        let paragraph = looks.paragraphs.iter().find(|paragraph| paragraph.start == at);
        let feed = match paragraph {
            Some(paragraph) => at + bytes[at..paragraph.end].trim_ascii_end().len(),
            None => memchr::memchr(b'\n', &bytes[at..]).map_or(bytes.len(), |feed| at + feed),
        };
        line_rows(state, item, Span::new(start + at, start + feed), &styles, width, &mut rows);
        problem_rows(state, item, Span::new(start + at, start + feed + 1), "  ", width, &mut rows);
        at = memchr::memchr(b'\n', &bytes[feed..]).map_or(bytes.len(), |ahead| feed + ahead) + 1;
    }
    if !rows.is_empty() && end == whole.end {
        rows.push(Row::default());
    }
    rows
}

/// Bytes of the blank lines that a text begins with.
fn leading_blank(bytes: &[u8]) -> usize {
    let blank = trim_start(bytes);
    memchr::memrchr(b'\n', &bytes[..blank]).map_or(0, |feed| feed + 1)
}

/// The rows of a line of prose, or of the joined lines of a paragraph.
fn line_rows(state: &State, item: usize, line: Span, styles: &[(Span, Role)], width: usize, rows: &mut Vec<Row>) {
    let shown = Span::new(line.start, line.end.min(line.start + LINE));
    let mut bytes = state.session.text().read(shown).into_owned();
    // A line break within a paragraph is a space to a reader.
    bytes.iter_mut().filter(|byte| **byte == b'\n').for_each(|byte| *byte = b' ');
    let styles: Vec<(Span, Role)> = styles.iter().copied().filter(|(span, _)| span.touches(line)).collect();
    for row in wrap(&bytes, width, Wrap::Words) {
        let span = Span::new(line.start + row.start, line.start + row.end);
        let source = Source { span, role: Role::Text, styles: styles.clone() };
        let target = Target { item, node: None, offset: span.start, problem: None };
        rows.push(Row { source: Some(source), ..Row::default() }.to(target));
    }
    if shown.end < line.end {
        let words = format!("… this line goes on for {}; the raw pane shows it", size(line.end - shown.end));
        rows.push(Row::words(vec![Piece::new(words, Role::Dim)]));
    }
}

/// The rows of the problems that begin in `span`, each led by `indent`.
fn problem_rows(state: &State, item: usize, span: Span, indent: &str, width: usize, rows: &mut Vec<Row>) {
    for number in state.problems_in(span) {
        let Some(problem) = state.problem(number) else { continue };
        let target = Target {
            item,
            node: state.node_at(item, problem.span.start),
            offset: problem.span.start,
            problem: Some(number),
        };
        let (sign, role) = mark(problem.severity);
        let room = width.saturating_sub(display_width(indent.as_bytes()) + 2).max(10);
        for (index, line) in wrapped(&problem.message, room).into_iter().enumerate() {
            let sign = if index == 0 { format!("{sign} ") } else { "  ".into() };
            let lead = vec![Piece::new(indent, Role::Gutter), Piece::new(sign, role), Piece::new(line, role)];
            rows.push(Row::words(lead).to(target));
        }
        for line in wrapped(&problem.help, room) {
            let lead = vec![Piece::new(indent, Role::Gutter), Piece::new("  ", Role::Dim), Piece::new(line, Role::Dim)];
            rows.push(Row::words(lead).to(target));
        }
    }
}

/// Builds the rows of a call.
struct CallRows<'a> {
    state: &'a State,
    item: usize,
    call: &'a Call,
    width: usize,
    rows: Vec<Row>,
}

impl<'a> CallRows<'a> {
    fn new(state: &'a State, item: usize, call: &'a Call) -> Self {
        Self { state, item, call, width: state.width(Pane::Reading), rows: Vec::new() }
    }

    fn build(mut self) -> Vec<Row> {
        let Some(assembly) = self.state.assembly(self.item) else { return self.rows };
        let open = self.state.is_open(Pane::Reading, self.item, None);
        self.header(&assembly, open);
        if open {
            self.tree(&assembly);
            self.outside_tree(&assembly);
            problem_rows(self.state, self.item, self.call.span, "│ ", self.width, &mut self.rows);
            let end = match self.call.status {
                Status::Open => Some(("╵ … arriving", Role::Pending)),
                _ => None,
            };
            self.rows.extend(end.map(|(words, role)| Row::words(vec![Piece::new(words, role)])));
        }
        self.rows.push(Row::default());
        self.rows
    }

    fn target(&self, node: Option<NodeId>, offset: usize) -> Target {
        Target { item: self.item, node, offset, problem: None }
    }

    /// The call's own row: name, id, what it waits for, and how it ended.
    fn header(&mut self, assembly: &Assembly, open: bool) {
        let text = self.state.session.text();
        let name = self.call.name(text);
        let mut lead = vec![
            Piece::new(if open { "▾ " } else { "▸ " }, Role::Gutter),
            Piece::new(if name.is_empty() { "(no name)" } else { &name }, Role::Name),
            Piece::new("  ", Role::Text),
            Piece::new(self.call.id(text), if self.call.header.id.is_some() { Role::Id } else { Role::Dim }),
        ];
        let dependencies = self.call.dependencies(text).join(", ");
        let used: usize = lead.iter().map(|piece| display_width(piece.text.as_bytes())).sum();
        let beside = used + 4 + display_width(dependencies.as_bytes()) <= self.width;
        if !dependencies.is_empty() && beside {
            lead.push(Piece::new("  ← ", Role::Dim));
            lead.push(Piece::new(&dependencies, Role::Dependency));
        }
        if let (Some(severity), false) = (self.call.worst, open) {
            let (sign, role) = mark(severity);
            lead.push(Piece::new(format!("  {sign}"), role));
        }
        if !open && !assembly.tree.is_empty() {
            lead.push(Piece::new(format!("  {}", count(assembly.arguments.len(), "argument")), Role::Dim));
        }
        let fate = self.state.fate(self.item);
        let (words, role) = match (self.call.status, &fate) {
            (Status::Open, _) => ("arriving", Role::Pending),
            (_, Some(Fate::Fails)) => ("rejected", Role::Error),
            (_, Some(Fate::Skipped(_))) => ("skipped", Role::Warning),
            (Status::Implicit, _) => ("no end marker", Role::Warning),
            (Status::Unterminated, _) => ("cut off", Role::Warning),
            (Status::Complete, _) => ("", Role::Dim),
        };
        let note = vec![Piece::new(words, role)];
        let row = Row { lead, note, ..Row::default() }.to(self.target(None, self.call.span.start));
        self.rows.push(row);
        if let (Some(Fate::Skipped(reason)), true) = (fate, open) {
            let live = self.state.origin.phase == Phase::Following;
            let words =
                format!("{}: {reason}", if live { "skipped, if nothing more comes" } else { "skipped by the runtime" });
            for line in wrapped(&words, self.width.saturating_sub(4).max(10)) {
                self.rows.push(Row::words(vec![Piece::new("│ ", Role::Gutter), Piece::new(line, Role::Warning)]));
            }
        }
        if !dependencies.is_empty() && !beside {
            for (index, line) in wrapped(&dependencies, self.width.saturating_sub(6).max(10)).into_iter().enumerate() {
                let sign = if index == 0 { "│ ← " } else { "│   " };
                self.rows.push(Row::words(vec![Piece::new(sign, Role::Gutter), Piece::new(line, Role::Dependency)]));
            }
        }
    }

    /// The rows of the parameter tree.
    fn tree(&mut self, assembly: &Assembly) {
        let mut hidden_below: Option<usize> = None;
        for (id, depth) in assembly.tree.walk() {
            if hidden_below.is_some_and(|limit| depth > limit) {
                continue;
            }
            hidden_below = None;
            let node = assembly.tree.node(id);
            let indent = format!("│ {}", "  ".repeat(depth - 1));
            let widest = assembly
                .tree
                .node(node.parent)
                .value
                .children()
                .iter()
                .map(|&child| display_width(assembly.tree.node(child).key.as_bytes()));
            let key_width = widest.filter(|&width| width <= 16).max().unwrap_or(0);
            match &node.value {
                Value::Scalar(scalar, span) => self.scalar(assembly, id, *scalar, *span, &indent, key_width),
                container => {
                    let open = self.state.is_open(Pane::Reading, self.item, Some(id));
                    let children = container.children().len();
                    let noun = if matches!(container, Value::Array(_)) { "element" } else { "key" };
                    let first = assembly
                        .tree
                        .first_argument(id)
                        .map_or(self.call.body.start, |argument| assembly.arguments[argument].pointer.start);
                    let lead = vec![
                        Piece::new(&indent, Role::Gutter),
                        Piece::new(if open { "▾ " } else { "▸ " }, Role::Gutter),
                        Piece::new(key_words(&node.key), Role::Pointer),
                    ];
                    let note = vec![Piece::new(count(children, noun), Role::Dim)];
                    self.rows.push(Row { lead, note, ..Row::default() }.to(self.target(Some(id), first)));
                    if !open {
                        hidden_below = Some(depth);
                    }
                }
            }
        }
    }

    /// The rows of a plain value.
    fn scalar(&mut self, assembly: &Assembly, id: NodeId, scalar: Scalar, span: Span, indent: &str, key_width: usize) {
        let node = assembly.tree.node(id);
        let offset = node.argument.map_or(span.start, |argument| assembly.arguments[argument].pointer.start);
        let target = self.target(Some(id), offset);
        let key = key_words(&node.key);
        let padding = key_width.saturating_sub(display_width(key.as_bytes()));
        let bytes = self.state.session.text().read(span);
        let lead =
            vec![Piece::new(indent, Role::Gutter), Piece::new("  ", Role::Gutter), Piece::new(&key, Role::Pointer)];
        if bytes.contains(&b'\n') {
            return self.block(assembly, target, span, lead, indent);
        }
        let (role, quote) = match scalar {
            Scalar::String => (Role::String, "\""),
            Scalar::Number(_) => (Role::Number, ""),
            Scalar::Boolean(_) => (Role::Boolean, ""),
        };
        let becomes = match scalar {
            Scalar::Number(number) if bytes.trim_ascii() != coerce::number_text(number).as_bytes() => {
                vec![Piece::new(" → ", Role::Dim), Piece::new(coerce::number_text(number), Role::Number)]
            }
            _ => Vec::new(),
        };
        let used = display_width(indent.as_bytes()) + 2 + display_width(key.as_bytes()) + padding + 2;
        let room = self.width.saturating_sub(used + 2 * quote.len()).max(10);
        let lines = wrap(&bytes[..bytes.len().min(LINE)], room, Wrap::Words);
        let shown =
            if self.state.folds.values_open.contains(&(self.item, id)) { lines.len() } else { lines.len().min(4) };
        for (index, line) in lines[..shown].iter().enumerate() {
            let first = index == 0;
            let mut lead = if first { lead.clone() } else { vec![Piece::new(indent, Role::Gutter)] };
            let gap = if first { padding + 2 } else { used - display_width(indent.as_bytes()) + quote.len() };
            lead.push(Piece::new(" ".repeat(gap), Role::Text));
            if first && !quote.is_empty() {
                lead.push(Piece::new(quote, Role::Dim));
            }
            let mut trail = Vec::new();
            if index + 1 == lines.len() {
                trail.extend((!quote.is_empty()).then(|| Piece::new(quote, Role::Dim)));
                trail.extend(becomes.clone());
            }
            let source =
                Source { span: Span::new(span.start + line.start, span.start + line.end), role, styles: Vec::new() };
            let offset = if first { target.offset } else { source.span.start };
            let note = if first { vec![self.kind(assembly, id, scalar.type_name())] } else { Vec::new() };
            self.rows.push(Row { lead, source: Some(source), trail, note, target: Some(Target { offset, ..target }) });
        }
        if let Some(hidden) = lines.get(shown) {
            self.more(indent, lines.len() - shown, Target { offset: span.start + hidden.start, ..target });
        }
    }

    /// The rows of a value of several lines: its key, then its lines as they are.
    fn block(&mut self, assembly: &Assembly, target: Target, span: Span, mut lead: Vec<Piece>, indent: &str) {
        let bytes = self.state.session.text().read(span);
        let lines = memchr::memchr_iter(b'\n', &bytes).count() + 1;
        let language = self.language(assembly, target.node, &bytes);
        lead.push(Piece::new(format!("  {}, {}", count(lines, "line"), size(span.len())), Role::Dim));
        let name = language.map_or("text", |language| language.token());
        let note = target.node.map(|id| self.kind(assembly, id, name)).into_iter().collect();
        self.rows.push(Row { lead, note, ..Row::default() }.to(target));
        let opened = target.node.is_some_and(|id| self.state.folds.values_open.contains(&(self.item, id)));
        let limit = if opened { OPENED } else { PREVIEW };
        let shown = if lines <= limit + 2 { lines } else { limit };
        let colours = language.filter(|_| self.call.status != Status::Open).and_then(|language| {
            let key = (span.start as u64) << 24 ^ span.len() as u64;
            self.state.cache.borrow_mut().colours(Wanted { key, language, span, item: self.item })
        });
        let room = self.width.saturating_sub(display_width(indent.as_bytes()) + 4).max(10);
        let mut start = 0;
        for number in 0..shown {
            let end = memchr::memchr(b'\n', &bytes[start..]).map_or(bytes.len(), |feed| start + feed);
            let mut styles = Vec::new();
            let mut at = span.start + start;
            for &(length, role) in colours.as_ref().and_then(|colours| colours.lines.get(number)).into_iter().flatten()
            {
                styles.push((Span::new(at, at + length), role));
                at += length;
            }
            let line = &bytes[start..end.min(start + LINE)];
            for row in wrap(line, room, Wrap::Words) {
                let part = Span::new(span.start + start + row.start, span.start + start + row.end);
                let lead = vec![Piece::new(indent, Role::Gutter), Piece::new("  ┆ ", Role::Gutter)];
                let source = Some(Source { span: part, role: Role::Text, styles: styles.clone() });
                self.rows.push(Row { lead, source, ..Row::default() }.to(Target { offset: part.start, ..target }));
            }
            start = end + 1;
        }
        if shown < lines {
            self.more(indent, lines - shown, Target { offset: span.start + start, ..target });
        }
    }

    /// The kind of a value, or that it is still arriving.
    fn kind(&self, assembly: &Assembly, id: NodeId, kind: &str) -> Piece {
        let last = assembly.arguments.len().checked_sub(1);
        if self.call.status == Status::Open && assembly.tree.node(id).argument == last {
            return Piece::new("arriving", Role::Pending);
        }
        Piece::new(kind, Role::Dim)
    }

    /// A row that says how much of a value is not shown.
    fn more(&mut self, indent: &str, lines: usize, target: Target) {
        let opened = target.node.is_some_and(|id| self.state.folds.values_open.contains(&(self.item, id)));
        let how = if opened { "the raw pane shows them" } else { "Enter shows all" };
        let words = format!("  ┆ … {}: {how}", count(lines, "more line"));
        self.rows.push(Row::words(vec![Piece::new(indent, Role::Gutter), Piece::new(words, Role::Dim)]).to(target));
    }

    /// Arguments that are in no place of the tree, because the runtime refuses or skips them.
    fn outside_tree(&mut self, assembly: &Assembly) {
        let mut placed = vec![false; assembly.arguments.len()];
        for (id, _) in assembly.tree.walk() {
            if let Some(number) = assembly.tree.node(id).argument {
                placed[number] = true;
            }
        }
        for (argument, _) in assembly.arguments.iter().zip(placed).filter(|(_, placed)| !placed) {
            let text = self.state.session.text();
            let value = text.read_str(argument.value);
            let pointer = text.read_str(argument.pointer);
            let room = self.width.saturating_sub(24).max(10);
            let lead = vec![
                Piece::new("│   ", Role::Gutter),
                Piece::new(&*pointer, Role::Error),
                Piece::new("  ", Role::Text),
                Piece::new(fit(value.lines().next().unwrap_or_default(), room), Role::Dim),
            ];
            let note = vec![Piece::new("not in the tree", Role::Error)];
            self.rows.push(Row { lead, note, ..Row::default() }.to(self.target(None, argument.pointer.start)));
        }
    }

    /// The language of a value: by the name of the file it goes to, by its code fence, by its content.
    fn language(&self, assembly: &Assembly, node: Option<NodeId>, bytes: &[u8]) -> Option<Language> {
        let tree = &assembly.tree;
        let siblings = node.map(|id| tree.node(tree.node(id).parent).value.children()).unwrap_or_default();
        let text = self.state.session.text();
        let file = siblings.iter().find_map(|&id| {
            let key = tree.node(id).key.to_ascii_lowercase();
            match tree.node(id).value {
                Value::Scalar(_, span) if key.contains("path") || key.contains("file") => Some(text.read_str(span)),
                _ => None,
            }
        });
        let first = bytes.split(|&byte| byte == b'\n').next().unwrap_or_default();
        let fence = first.strip_prefix(b"```").map(String::from_utf8_lossy);
        highlight::language_of(file.as_deref(), fence.as_deref(), &bytes[..bytes.len().min(4096)])
    }
}

/// A key as it is shown: one that is empty is named.
fn key_words(key: &str) -> String {
    if key.is_empty() { "\"\"".into() } else { key.into() }
}
