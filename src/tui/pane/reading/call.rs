//! The rows of a call in the reading pane: its name, the tree of its parameters, its problems, its result.
//!
//! A call with many parameters or problems is split into several units, so that only the visible ones are laid out.

use std::sync::Arc;

use crate::container::CallOutcome;
use crate::dialect::Status;
use crate::document::{Call, Item};
use crate::highlight::language_of_value;
use crate::text::colour_codes::{self, ColourCodes};
use crate::text::diff_lines::DiffLine;
use crate::text::escape_sequences::without_escapes;
use crate::text::sanitize::glyphs;
use crate::text::wrap::{display_width, fit, wrap_glyphs};
use crate::text::{Span, whole_characters};
use crate::value::tree_json::to_json;
use crate::value::{Argument, Assembly, NodeId, ParamTree, ROOT, Scalar, Value, coerce};
use crate::wording::figures;

use crate::tui::action::PaneId;
use crate::tui::highlight::role_of_code;
use crate::tui::pane::reading::edit::{EditPair, edit_lines, edit_pair, excerpt};
use crate::tui::pane::reading::entries::{CallEntry, Entries};
use crate::tui::pane::reading::language::SIBLINGS;
use crate::tui::pane::reading::value::ShownValue;
use crate::tui::pane::reading::{PREVIEW, Reading, problem_rows, without_colours};
use crate::tui::row::{
    FAILED, LINE, Piece, Row, Target, beginning, call_lead, call_name, count, fold_sign, hanging, key_words, mark,
    size, verdict_role, width,
};
use crate::tui::style::Role;
use crate::tui::view::cache::HighlightRequest;
use crate::tui::view::origin::Phase;
use crate::tui::view::presentation::ScreenElement;
use crate::tui::view::{PredictedOutcome, View, start_of};

/// Maximum lines of a result that are shown; the raw pane has the rest.
const OUTPUT: usize = 24;

/// Maximum lines of an opened value that are shown; the raw pane has the rest.
const OPENED: usize = 5_000;

/// The rows of a part of a call.
pub(super) fn rows(pane: &Reading, view: &View, item: usize, part: usize) -> Vec<Row> {
    let Some(entries) = Entries::new(pane, view, item) else { return Vec::new() };
    let width = view.width(PaneId::Reading);
    CallRows {
        pane,
        view,
        item,
        call: &entries.call,
        width,
        seen: entries.seen.end,
        told_of_colours: false,
        rows: Vec::new(),
    }
    .build(&entries, part)
}

struct CallRows<'a> {
    pane: &'a Reading,
    view: &'a View,
    item: usize,
    call: &'a Call<'a>,
    width: usize,
    /// End of the dissected prefix, if it is not the whole call.
    seen: Option<usize>,
    /// True once a row has stated that colours are not shown.
    told_of_colours: bool,
    rows: Vec<Row>,
}

impl CallRows<'_> {
    fn build(mut self, entries: &Entries<'_>, part: usize) -> Vec<Row> {
        let assembly = &*entries.seen.assembly;
        let shown = entries.of_part(part);
        let mut around = None;
        let mut key_width = 0;
        for at in shown.clone() {
            match entries.entry(at) {
                CallEntry::Header => self.header(assembly, entries.open),
                CallEntry::Node(id) => {
                    let parent = assembly.tree.node(id).parent;
                    if around.replace(parent) != Some(parent) {
                        key_width = widest_key(&assembly.tree, parent);
                    }
                    let depth = entries.seen.index.depth(id);
                    let edit = edit_pair(&assembly.tree, id).filter(|_| self.call.status != Status::Open);
                    // The diff needs both nodes in the same unit; otherwise each is shown by itself.
                    let edit = edit.filter(|pair| [pair.old, pair.new].iter().all(|&id| entries.holds(&shown, id)));
                    let is_shown = edit.is_some_and(|pair| self.edited(assembly, id, pair, depth));
                    if !is_shown {
                        self.node(assembly, id, depth, key_width);
                    }
                }
                CallEntry::Outside(argument) => self.outside_tree(assembly.arguments[argument]),
                CallEntry::Outcome => {
                    self.outcome(assembly);
                    self.beyond();
                    if self.view.result_inside(self.item).is_none() || !entries.open {
                        self.answer();
                    }
                }
                CallEntry::Problem(place) => {
                    if let Some(number) = self.view.problems().at(place) {
                        self.rows.extend(problem_rows(self.view, self.item, number, "│ "));
                    }
                }
            }
        }
        if shown.end == entries.len() {
            if self.call.status == Status::Open && entries.open {
                self.rows.push(Row::plain("╵ … arriving", Role::Pending));
            }
            // The result of an open call follows directly, without an empty row.
            if !entries.open || self.view.result_inside(self.item).is_none() {
                self.rows.push(Row::default());
            }
        }
        self.rows
    }

    fn target(&self, node: Option<NodeId>, offset: usize) -> Target {
        Target { node, ..Target::new(self.item, offset) }
    }

    /// The header row of the call: name, id, dependencies and status.
    fn header(&mut self, assembly: &Assembly, open: bool) {
        let text = self.view.session.text();
        let mut lead = if self.view.shows(ScreenElement::CallIds) {
            call_lead(self.call, text, open, "  ")
        } else {
            vec![fold_sign(open), call_name(self.call, text)]
        };
        let dependencies = self.call.dependencies(text).join(", ");
        let used = width(&lead);
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
        let fate = self.view.fate(self.item);
        let (words, role) = match (self.call.status, &fate) {
            (Status::Open, _) => ("arriving", Role::Pending),
            _ if self.view.session.document().is_withdrawn(self.item) => ("withdrawn", Role::Warning),
            (_, Some(PredictedOutcome::Fails)) => ("rejected", Role::Error),
            _ if self.view.is_interrupted(self.item, self.call) => ("interrupted", Role::Warning),
            _ if self.call.has_failed() => (self.call.answer.map_or("failed", CallOutcome::label), Role::Error),
            (_, Some(PredictedOutcome::Skipped)) => ("skipped", Role::Warning),
            (Status::Implicit, _) => ("no end marker", Role::Warning),
            (Status::Unterminated, _) => ("cut off", Role::Warning),
            // If the text uses several dialects, each call names its own.
            (Status::Complete, _) if self.view.session.document().dialects_seen().count() > 1 => {
                (self.call.dialect, Role::Dim)
            }
            (Status::Complete, _) => ("", Role::Dim),
        };
        let words = if role == Role::Error { format!("{FAILED} {words}") } else { words.to_owned() };
        let took = self.view.notable_duration(self.item).map(figures::duration_figure);
        let gap = if words.is_empty() { "" } else { "  " };
        let took = took.map(|took| Piece::new(format!("{took}{gap}"), Role::Dim));
        let note = took.into_iter().chain([Piece::new(words, role)]).collect();
        let row = Row { note, ..Row::words(lead) };
        self.rows.push(row.to(self.target(None, self.call.span.start)));
        if let (Some(PredictedOutcome::Skipped), true) = (fate, open) {
            let reason = self.view.skip_reason(self.item);
            let live = self.view.origin.phase == Phase::Following;
            let words =
                format!("{}: {reason}", if live { "skipped, if nothing more comes" } else { "skipped by the runtime" });
            let room = self.width.saturating_sub(4);
            self.rows.extend(hanging(("│ ", "│ "), Role::Gutter, &words, room, Role::Warning));
        }
        if !dependencies.is_empty() && !beside {
            let room = self.width.saturating_sub(6);
            self.rows.extend(hanging(("│ ← ", "│   "), Role::Gutter, &dependencies, room, Role::Dependency));
        }
        if let (Value::Scalar(scalar, span), true) = (&assembly.tree.node(ROOT).value, open) {
            self.scalar(assembly, ROOT, *scalar, *span, "│ ", 0);
        }
    }

    /// The rows of a node of the parameter tree.
    fn node(&mut self, assembly: &Assembly, id: NodeId, depth: usize, key_width: usize) {
        let node = assembly.tree.node(id);
        let indent = format!("│ {}", "  ".repeat(depth.saturating_sub(1)));
        let noun = match node.value {
            Value::Scalar(scalar, span) => return self.scalar(assembly, id, scalar, span, &indent, key_width),
            Value::Array(_) => "element",
            Value::Object(_) => "key",
        };
        let sign = fold_sign(self.pane.folds.is_open(self.item, Some(id)));
        let first = start_of(assembly, id).unwrap_or(self.call.body.start);
        let lead = vec![Piece::new(&indent, Role::Gutter), sign, Piece::new(key_words(&node.key), Role::Pointer)];
        let note = Piece::new(count(node.value.children().len(), noun), Role::Dim);
        self.rows.push(Row::noted(lead, Some(note)).to(self.target(Some(id), first)));
    }

    /// The rows of a scalar value.
    fn scalar(&mut self, assembly: &Assembly, id: NodeId, scalar: Scalar, span: Span, indent: &str, key_width: usize) {
        let node = assembly.tree.node(id);
        let target = self.place_of(assembly, id, span);
        let key = if id == ROOT { "(all)" } else { key_words(&node.key) };
        let padding = key_width.saturating_sub(display_width(key.as_bytes()));
        let shown = ShownValue::new(assembly, id, span, self.view.session.text());
        let lead =
            vec![Piece::new(indent, Role::Gutter), Piece::new("  ", Role::Gutter), Piece::new(key, Role::Pointer)];
        if shown.bytes.contains(&b'\n') {
            self.block(assembly, target, &shown, lead, indent);
            return self.colour_note(&shown, indent);
        }
        let bytes = &shown.bytes;
        let (role, quote) = match scalar {
            Scalar::String => (Role::String, "\""),
            Scalar::Number(_) => (Role::Number, ""),
            Scalar::Boolean(_) => (Role::Boolean, ""),
            Scalar::Null => (Role::Null, ""),
        };
        let becomes = match scalar {
            Scalar::Number(number) if shown.bytes.trim_ascii() != coerce::number_text(number).as_bytes() => {
                vec![Piece::new(" → ", Role::Dim), Piece::new(coerce::number_text(number), Role::Number)]
            }
            _ => Vec::new(),
        };
        let used = display_width(indent.as_bytes()) + 2 + display_width(key.as_bytes()) + padding + 2;
        let room = self.width.saturating_sub(used + 2 * quote.len()).max(10);
        let lines = wrap_glyphs(glyphs(&bytes[..bytes.len().min(LINE)]).with(ColourCodes::Dropped), room);
        let visible = if self.pane.is_whole(self.item, id) { lines.len() } else { lines.len().min(4) };
        for (index, line) in lines[..visible].iter().enumerate() {
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
            let source = shown.part(line.start..line.end, role, &[], &mut lead);
            let offset = if first { target.offset } else { shown.offset(line.start) };
            let has_note = first && (scalar != Scalar::String || self.view.shows(ScreenElement::StringTypes));
            let note = if has_note { vec![self.kind(assembly, id, scalar.type_name())] } else { Vec::new() };
            self.rows.push(Row {
                lead,
                source,
                trail,
                note,
                target: Some(Target { offset, ..target }),
                ..Row::default()
            });
        }
        if let Some(hidden) = lines.get(visible) {
            self.more(indent, lines.len() - visible, Target { offset: shown.offset(hidden.start), ..target });
        }
        self.colour_note(&shown, indent);
    }

    /// Adds the row that states that colours are not shown, below the first value that has some.
    fn colour_note(&mut self, value: &ShownValue, indent: &str) {
        if value.coloured && !std::mem::replace(&mut self.told_of_colours, true) {
            self.rows.push(without_colours(&format!("{indent}  ┆ ")));
        }
    }

    /// The rows of one of the two values of an edit: its key, and, after the keys of both, the lines of their diff.
    /// Returns false if the values are too large for a diff.
    fn edited(&mut self, assembly: &Assembly, id: NodeId, pair: EditPair, depth: usize) -> bool {
        let tree = &assembly.tree;
        let text = self.view.session.text();
        let value = |id: NodeId| match tree.node(id).value {
            Value::Scalar(_, span) => {
                Some((ShownValue::new(assembly, id, span, text), self.place_of(assembly, id, span)))
            }
            _ => None,
        };
        let (Some((old, old_target)), Some((new, new_target))) = (value(pair.old), value(pair.new)) else {
            return false;
        };
        let Some(lines) = edit_lines(&old.bytes, &new.bytes) else { return false };
        let indent = format!("│ {}", "  ".repeat(depth.saturating_sub(1)));
        let (own, target) = if id == pair.old { (&old, old_target) } else { (&new, new_target) };
        let many = if own.bytes.is_empty() { 0 } else { memchr::memchr_iter(b'\n', &own.bytes).count() + 1 };
        let lead = vec![
            Piece::new(&indent, Role::Gutter),
            Piece::new("  ", Role::Gutter),
            Piece::new(key_words(&tree.node(id).key), Role::Pointer),
            Piece::new(format!("  {}, {}", count(many, "line"), size(own.bytes.len())), Role::Dim),
        ];
        let kind = self.kind(assembly, id, if id == pair.old { "removed" } else { "added" });
        self.rows.push(Row::noted(lead, Some(kind)).to(target));
        self.colour_note(own, &indent);
        if id != pair.old.max(pair.new) {
            return true;
        }
        let opened = self.pane.is_whole(self.item, pair.old) || self.pane.is_whole(self.item, pair.new);
        let most = if opened { OPENED } else { PREVIEW };
        let range = if lines.len() <= most + 2 { 0..lines.len() } else { excerpt(&lines, most) };
        let room = self.width.saturating_sub(display_width(indent.as_bytes()) + 6).max(10);
        let side = |kind: DiffLine| match kind {
            DiffLine::Removed => (&old, old_target, "- "),
            DiffLine::Added => (&new, new_target, "+ "),
            _ => (&new, new_target, "  "),
        };
        for (kind, line) in &lines[range.clone()] {
            let (value, target, sign) = side(*kind);
            let role = role_of_code((*kind).into());
            let bytes = &value.bytes[line.start..line.end.min(line.start + LINE)];
            for (number, row) in wrap_glyphs(glyphs(bytes).with(ColourCodes::Dropped), room).into_iter().enumerate() {
                let part = line.start + row.start..line.start + row.end;
                let target = Target { offset: value.offset(part.start), ..target };
                let sign = Piece::new(if number == 0 { sign } else { "  " }, role);
                let mut lead = vec![Piece::new(&indent, Role::Gutter), Piece::new("  ┆ ", Role::Gutter), sign];
                let source = value.part(part, role, &[], &mut lead);
                self.rows.push(Row { lead, source, ..Row::default() }.to(target));
            }
        }
        let hidden = lines.len() - range.len();
        if hidden > 0 {
            let end = (DiffLine::Context, new.bytes.len()..new.bytes.len());
            let (kind, line) = lines.get(range.end).unwrap_or(&end);
            let (value, target, _) = side(*kind);
            self.more(&indent, hidden, Target { offset: value.offset(line.start), ..target });
        }
        true
    }

    /// The target of the row of a scalar value.
    fn place_of(&self, assembly: &Assembly, id: NodeId, span: Span) -> Target {
        let argument = assembly.tree.node(id).argument;
        self.target(Some(id), argument.map_or(span.start, |argument| assembly.arguments[argument].pointer.start))
    }

    /// The rows of a multi-line value: its key, then its lines unchanged.
    fn block(&mut self, assembly: &Assembly, target: Target, value: &ShownValue, mut lead: Vec<Piece>, indent: &str) {
        let bytes = &value.bytes;
        let lines = memchr::memchr_iter(b'\n', bytes).count() + 1;
        let language = language_of_value(&assembly.tree, target.node, bytes, self.view.session.text());
        // The value is cut by the end of the dissected prefix.
        let goes_on = value.written && self.seen.is_some_and(|end| value.origin + bytes.len() + 1 >= end);
        let more = if goes_on { "more than " } else { "" };
        lead.push(Piece::new(format!("  {more}{}, {}", count(lines, "line"), size(bytes.len())), Role::Dim));
        let name = language.map_or("text", |language| language.token());
        let note = target.node.map(|id| self.kind(assembly, id, name));
        self.rows.push(Row::noted(lead, note).to(target));
        let opened = target.node.is_some_and(|id| self.pane.is_whole(self.item, id));
        let limit = if opened { OPENED } else { PREVIEW };
        let shown = if lines <= limit + 2 { lines } else { limit };
        let colours = language.filter(|_| self.call.status != Status::Open).and_then(|language| {
            let text: Arc<[u8]> = bytes.as_ref().into();
            let key = ((self.view.base() + value.origin) as u64) << 24 ^ bytes.len() as u64;
            self.view.cache.borrow_mut().colours(HighlightRequest { key, language, text, item: self.item })
        });
        let room = self.width.saturating_sub(display_width(indent.as_bytes()) + 4).max(10);
        let mut start = 0;
        for number in 0..shown {
            let end = memchr::memchr(b'\n', &bytes[start..]).map_or(bytes.len(), |feed| start + feed);
            let mut styles = Vec::new();
            let mut at = start;
            for &(length, code) in colours.as_ref().and_then(|colours| colours.lines.get(number)).into_iter().flatten()
            {
                styles.push((at..at + length, role_of_code(code)));
                at += length;
            }
            let line = &bytes[start..end.min(start + LINE)];
            for row in wrap_glyphs(glyphs(line).with(ColourCodes::Dropped), room) {
                let part = start + row.start..start + row.end;
                let offset = value.offset(part.start);
                let mut lead = vec![Piece::new(indent, Role::Gutter), Piece::new("  ┆ ", Role::Gutter)];
                let source = value.part(part, Role::Text, &styles, &mut lead);
                self.rows.push(Row { lead, source, ..Row::default() }.to(Target { offset, ..target }));
            }
            start = end + 1;
        }
        if shown < lines {
            self.more(indent, lines - shown, Target { offset: value.offset(start.min(bytes.len())), ..target });
        }
    }

    /// Adds a row that states that the call is only partly dissected.
    fn beyond(&mut self) {
        let Some(end) = self.seen else { return };
        let words = format!("┆ … this is {}: the raw pane shows all of it", beginning(self.call.body, end));
        let row = Row::words(vec![Piece::new("│ ", Role::Gutter), Piece::new(words, Role::Dim)]);
        self.rows.push(row.to(self.target(None, end)));
    }

    /// The type of a value, or that it is still arriving.
    fn kind(&self, assembly: &Assembly, id: NodeId, kind: &str) -> Piece {
        let last = assembly.arguments.len().checked_sub(1);
        if self.call.status == Status::Open && assembly.tree.node(id).argument == last {
            return Piece::new("arriving", Role::Pending);
        }
        Piece::new(kind, Role::Dim)
    }

    /// Adds a row with the number of lines of a value that are not shown.
    fn more(&mut self, indent: &str, lines: usize, target: Target) {
        let opened = target.node.is_some_and(|id| self.pane.is_whole(self.item, id));
        let how = if opened { "the raw pane shows them" } else { "Enter shows all" };
        let words = format!("  ┆ … {}: {how}", count(lines, "more line"));
        self.rows.push(Row::words(vec![Piece::new(indent, Role::Gutter), Piece::new(words, Role::Dim)]).to(target));
    }

    /// The row of an argument that is not part of the tree.
    fn outside_tree(&mut self, argument: Argument) {
        let text = self.view.session.text();
        let value = text.read_str(Span::new(argument.value.start, argument.value.end.min(argument.value.start + LINE)));
        let pointer = text.read_str(argument.pointer);
        let room = self.width.saturating_sub(24).max(10);
        let lead = vec![
            Piece::new("│   ", Role::Gutter),
            Piece::new(&*pointer, Role::Error),
            Piece::new("  ", Role::Text),
            Piece::new(fit(value.lines().next().unwrap_or_default(), room), Role::Dim),
        ];
        let row = Row::noted(lead, Some(Piece::new("not in the tree", Role::Error)));
        self.rows.push(row.to(self.target(None, argument.pointer.start)));
    }

    /// The rows of what the call records in addition to its parameters: its view, its result, its error.
    fn outcome(&mut self, assembly: &Assembly) {
        let Some(outcome) = &assembly.outcome else { return };
        let text = self.view.session.text();
        let printed = |tree: &ParamTree| {
            let json = to_json(tree, text);
            serde_json::to_string_pretty(&json).unwrap_or_default()
        };
        let extra = outcome.extra.as_ref().filter(|tree| !tree.is_empty());
        let parts = [
            ("state", outcome.state.clone(), Role::Id),
            ("output", outcome.output.as_ref().map(printed), Role::Good),
            (
                "error",
                outcome.error_text.as_deref().map(|words| colour_codes::without(words).into_owned()),
                Role::Error,
            ),
            ("extra", extra.map(printed), Role::Dim),
        ];
        for (label, words, role) in parts.into_iter().filter_map(|(label, words, role)| Some((label, words?, role))) {
            let room = self.width.saturating_sub(12);
            let (first, rest) = (format!("│ ⇒ {label:<8}"), format!("│   {:<8}", ""));
            for (index, line) in words.lines().take(OUTPUT).enumerate() {
                let lead = if index == 0 { &first } else { &rest };
                self.rows.extend(hanging((lead, &rest), Role::Gutter, line, room, role));
            }
            let lines = words.lines().count();
            if lines > OUTPUT {
                let more = count(lines - OUTPUT, "more line");
                let words = format!("│   {:<8}… {more}; the raw pane shows them", "");
                self.rows.push(Row::plain(words, Role::Dim));
            }
        }
    }

    /// The first lines of the result that answers the call, which usually appears further down.
    fn answer(&mut self) {
        const HEAD: usize = 400;
        let document = self.view.session.document();
        let Some(Item::Result(answer)) = document.answer_of(self.item).and_then(|item| document.items().get(item))
        else {
            return;
        };
        let role = verdict_role(answer.verdict);
        let failure = answer.verdict.is_failure().then(|| document.failure_line(self.item, self.view.session.text()));
        let head = failure
            .flatten()
            .unwrap_or_else(|| Span::new(answer.span.start, answer.span.end.min(answer.span.start + HEAD)));
        let read = self.view.session.text().read(head);
        let words = String::from_utf8_lossy(&read[..whole_characters(&read)]);
        let first = words.trim_start().lines().next().unwrap_or_default();
        let first = without_escapes(first);
        let words = match answer.verdict.label() {
            "" => first.into_owned(),
            words => format!("{FAILED} {words}: {first}"),
        };
        let room = self.width.saturating_sub(6).max(10);
        let lead = vec![Piece::new("╰ ⇒ ", Role::Gutter), Piece::new(fit(&words, room), role)];
        self.rows.push(Row::words(lead));
    }
}

/// Columns of the widest key of a container, ignoring very wide ones. Of many keys, only the first ones and the last
/// are measured.
fn widest_key(tree: &ParamTree, parent: NodeId) -> usize {
    let children = tree.node(parent).value.children();
    let looked_at = children.iter().take(SIBLINGS).chain(children.last());
    let widths = looked_at.map(|&child| display_width(tree.node(child).key.as_bytes()));
    widths.filter(|&width| width <= 16).max().unwrap_or(0)
}
