//! Builds a tree from a parser's events, within the limits.
//!
//! An alias repeats its anchor's node with all descendants, so that the tree is what a runtime would hold.

use std::borrow::Cow;
use std::collections::HashMap;

use granit_parser::{ErrorKind, Event, Parser, ScalarStyle, ScanError, StructureStyle, Tag};

use super::input::Characters;
use super::key::{self, Complex, SeenKeys};
use super::layout;
use super::plain_blocks;
use super::scalar;
use super::{Library, MAX_DEPTH, MAX_NODES, MAX_PROBLEMS, YamlOutcome, YamlSource, fault};
use crate::diagnostic::{Code, Diagnostic, Severity, hidden_characters};
use crate::text::Span;
use crate::text::steps;
use crate::value::{Node, NodeId, ParamTree, ROOT, Scalar, Value};

pub(super) struct Builder<'a> {
    pub(super) source: &'a YamlSource,
    pub(super) library: Library,
    pub(super) out: YamlOutcome,
    /// The current key, if it is a list or an object.
    pub(super) complex: Complex,
    /// Open containers, the outermost first.
    pub(super) open: Vec<Open>,
    pub(super) anchors: HashMap<usize, Anchor>,
    /// Offset in the text after the last value read.
    seen_to: usize,
    /// End of the valid part of the text, if there is a syntax error.
    pub(super) fine_to: Option<usize>,
    /// Offset that the parser takes as the first line of a block scalar, where a comment may end it.
    pub(super) comment: Option<usize>,
    /// Placeholders for control characters, with those characters.
    stand_ins: &'a [(char, char)],
    nodes: usize,
    pub(super) lists: NestedLists,
    /// Nodes and bytes that aliases have repeated.
    pub(super) copied: usize,
    pub(super) bytes: usize,
}

/// The target of an anchor.
pub(super) enum Anchor {
    /// A container that is still open.
    Open,
    Node(NodeId),
    /// A key, which is not a node.
    Key(String, ScalarStyle),
}

/// State of a list that may end with an empty entry, and the end events held back in that case.
#[derive(Default)]
pub(super) struct NestedLists {
    /// Position of the last entry, if it is empty and only end events have followed.
    pub(super) absent: Option<usize>,
    /// The end events held back, each with the end of its bracket.
    pub(super) held: Vec<Option<usize>>,
    /// Depth of the entry that js-yaml adds to the inner list, once it has begun.
    pub(super) depth: Option<usize>,
}

/// An open container.
pub(super) struct Open {
    pub(super) kind: OpenKind,
    anchor: usize,
    /// Indentation of its block in characters; `None` in brackets.
    pub(super) column: Option<usize>,
    /// Start offsets in the text, with and without the key.
    start: usize,
    at: usize,
    /// End offset of its last part.
    end: usize,
}

pub(super) enum OpenKind {
    Sequence(NodeId),
    Mapping {
        node: NodeId,
        key: Option<Key>,
        seen: SeenKeys,
    },
    /// A node within a key that is a mapping or a sequence: only the text of the whole key is kept.
    Key,
}

/// A key whose value follows; offsets are in the text.
pub(super) struct Key {
    pub(super) words: String,
    pub(super) start: usize,
    pub(super) end: usize,
    /// Its span in the transcript.
    pub(super) span: Span,
}

/// A signal to continue or to stop parsing.
pub(super) enum Flow {
    On,
    Stop,
}

impl<'a> Builder<'a> {
    pub(super) fn new(source: &'a YamlSource, library: Library, stand_ins: &'a [(char, char)]) -> Self {
        Self {
            source,
            library,
            out: YamlOutcome {
                tree: ParamTree::default(),
                problems: Vec::new(),
                error: None,
                is_empty: true,
                repeated: Vec::new(),
            },
            complex: Complex::default(),
            open: Vec::new(),
            anchors: HashMap::new(),
            seen_to: 0,
            fine_to: None,
            comment: None,
            stand_ins,
            nodes: 0,
            lists: NestedLists::default(),
            copied: 0,
            bytes: 0,
        }
    }

    /// The result; open containers end here.
    pub(super) fn finish(mut self) -> YamlOutcome {
        while !self.open.is_empty() {
            self.end(None);
        }
        let mut out = self.out;
        out.repeated.resize(out.tree.len(), false);
        out
    }

    pub(super) fn read(&mut self) {
        if let Some(events) = plain_blocks::events(self.source.text()) {
            for (event, place) in events {
                if let Flow::Stop = self.event(event, place, None) {
                    return;
                }
            }
            return;
        }
        let options = granit_parser::options! {
            emit_unresolved_aliases: true,
            flow_nesting_limit: MAX_DEPTH + 2,
            block_nesting_limit: MAX_DEPTH + 2,
        };
        for event in Parser::with_options(Characters::new(self.source.text()), options) {
            let flow = match event {
                Ok((event, span)) => {
                    let start = span.start.byte_offset().unwrap_or(self.seen_to);
                    let end = span.end.byte_offset().unwrap_or(start).max(start);
                    let tag = span.tag_span().and_then(|tag| Some((tag.start.byte_offset()?, tag.end.byte_offset()?)));
                    self.event(event, (start, end), tag)
                }
                Err(error) => self.syntax(&error),
            };
            if let Flow::Stop = flow {
                return;
            }
        }
        if let Some(at) = layout::behind_the_end(self.source.text()).filter(|_| self.out.error.is_none()) {
            let line = self.source.text()[at..].lines().next().unwrap_or_default().trim_end().len();
            self.second_document(at, at + line);
        }
    }

    fn event(&mut self, event: Event<'_>, place: (usize, usize), tag_place: Option<(usize, usize)>) -> Flow {
        let (start, end) = place;
        steps::add_bytes(end.saturating_sub(start));
        if !self.begin_part(&event, place) {
            return Flow::On;
        }
        let flow = self.node_event(event, place, tag_place);
        self.release_ends();
        flow
    }

    fn node_event(&mut self, event: Event<'_>, place: (usize, usize), tag_place: Option<(usize, usize)>) -> Flow {
        let (start, end) = place;
        match event {
            Event::DocumentStart(..) if !self.out.is_empty => {
                return self.second_document(start, end.max(start + 1));
            }
            Event::Scalar(words, style, anchor, tag) => {
                self.seen_to = end;
                return self.scalar(&words, style, anchor, tag.as_deref(), place, tag_place);
            }
            Event::SequenceStart(style, anchor, tag) => {
                return self.begin((false, style), anchor, tag.as_deref(), place, tag_place);
            }
            Event::MappingStart(style, anchor, tag) => {
                return self.begin((true, style), anchor, tag.as_deref(), place, tag_place);
            }
            Event::SequenceEnd | Event::MappingEnd => {
                if end > start {
                    self.seen_to = end;
                }
                return self.end((end > start).then_some(end));
            }
            Event::Alias(anchor) => {
                self.seen_to = end;
                return self.alias(anchor, place);
            }
            Event::UnresolvedAlias(name) => {
                self.seen_to = end;
                let span = self.source.span(start, end);
                let message = format!("no anchor is called {name}");
                let problem = Diagnostic::new(Code::YamlAlias, span, message);
                let problem = problem.contrast(format!("&{name} before an earlier value"), format!("*{name}"));
                self.refuse(problem);
                return self.scalar(&format!("*{name}"), ScalarStyle::SingleQuoted, 0, None, place, None);
            }
            _ => {}
        }
        Flow::On
    }

    fn second_document(&mut self, start: usize, end: usize) -> Flow {
        let message = "a second document begins here; a body is a single one";
        let found = &self.source.text()[start..self.source.text().ceil_char_boundary(end)];
        let span = self.source.span(start, start + found.len());
        self.refuse(Diagnostic::new(Code::YamlDocuments, span, message).contrast("one document", found))
    }

    /// Handles a syntax error of the parser.
    fn syntax(&mut self, error: &ScanError) -> Flow {
        let (problem, fine_to) = fault::describe(error, self.source, self.seen_to);
        self.fine_to = fine_to;
        let is_in_text = *error.kind() == ErrorKind::InvalidBlockScalarIndent;
        self.comment = error.marker().byte_offset().filter(|_| is_in_text);
        self.refuse(problem)
    }

    /// Reports a problem that makes the text invalid YAML.
    pub(super) fn refuse(&mut self, problem: Diagnostic) -> Flow {
        let message = format!("YAML: {}", problem.message);
        self.out.error.get_or_insert(message);
        self.report(problem);
        Flow::Stop
    }

    pub(super) fn report(&mut self, problem: Diagnostic) {
        if self.out.problems.len() < MAX_PROBLEMS {
            self.out.problems.push(problem);
        }
    }

    /// Counts a node, and stops at the limit.
    pub(super) fn count(&mut self, start: usize) -> Flow {
        self.nodes += 1;
        if self.nodes <= MAX_NODES {
            return Flow::On;
        }
        let message = format!("more than {MAX_NODES} keys and values; the rest is not read");
        self.refuse(Diagnostic::new(Code::YamlTooLarge, self.source.span(start, start + 1), message))
    }

    pub(super) fn scalar(
        &mut self,
        words: &str,
        style: ScalarStyle,
        anchor: usize,
        tag: Option<&Tag>,
        place: (usize, usize),
        tag_place: Option<(usize, usize)>,
    ) -> Flow {
        let (start, end) = place;
        if let Flow::Stop = self.count(start) {
            return Flow::Stop;
        }
        let source = self.source;
        let written = &source.text()[start..end];
        let plain = matches!(style, ScalarStyle::Plain);
        let quoted =
            matches!(style, ScalarStyle::SingleQuoted | ScalarStyle::DoubleQuoted) && written.starts_with(['"', '\'']);
        // The parser represents an absent value as a tilde.
        let words = if plain && written.is_empty() { "" } else { words };
        let (with_controls, is_stood_in) = self.with_controls(words);
        let words = &*with_controls;
        // In quotes js-yaml rejects only what JSON rejects.
        let is_refused = |char: char| char.is_ascii_control() && char != '\n' && (!quoted || char != '\x7f');
        if is_stood_in && let Some(control) = words.chars().find(|&char| is_refused(char)) {
            let message = format!("js-yaml does not read {control} here; yaml and others do");
            let problem = Diagnostic::new(Code::YamlAmbiguous, self.source.span(place.0, place.1), message);
            self.report(problem.help("delete the character, or write it as an escape in double quotes"));
        }
        let untagged = if plain { scalar::resolve(words) } else { Scalar::String };
        let scalar = tag.map_or(untagged, |tag| self.tagged(tag, words, untagged, tag_place.unwrap_or(place)));
        if plain || quoted {
            self.judge_layout(written, place, plain);
        }
        match self.open.last().map(|open| &open.kind) {
            Some(OpenKind::Key) => {
                self.complex.scalar(written, words, scalar, self.library);
                return Flow::On;
            }
            Some(OpenKind::Mapping { key: None, .. }) => {
                if anchor != 0 {
                    self.anchors.insert(anchor, Anchor::Key(words.to_owned(), style));
                }
                let text = key::text(words, scalar, self.library);
                if plain && tag.is_none() {
                    self.judge_key(words, &text, scalar, place);
                }
                self.key(text, start, end);
                return Flow::On;
            }
            _ => {}
        }
        if written.is_empty() {
            self.judge_absence();
        }
        let inner = if quoted { (start + 1, end.saturating_sub(1)) } else { place };
        let value = self.source.span(inner.0, inner.1);
        let straight = value.len() == inner.1.saturating_sub(inner.0);
        let same = straight && !is_stood_in && self.source.text().get(inner.0..inner.1) == Some(words);
        if plain && tag.is_none() {
            self.judge_plain(words, scalar, value);
        }
        let (id, _) = self.attach(Value::Scalar(scalar, value), start, end);
        self.out.tree.node_mut(id).decoded = (!same).then(|| words.into());
        if anchor != 0 {
            self.anchors.insert(anchor, Anchor::Node(id));
        }
        self.out.is_empty = false;
        Flow::On
    }

    /// A text with its control characters restored, and true if it had any.
    fn with_controls<'w>(&self, words: &'w str) -> (Cow<'w, str>, bool) {
        let mut restored = Cow::Borrowed(words);
        for &(stand_in, control) in self.stand_ins {
            if restored.contains(stand_in) {
                restored = restored.replace(stand_in, control.encode_utf8(&mut [0; 4])).into();
            }
        }
        let is_changed = matches!(restored, Cow::Owned(_));
        (restored, is_changed)
    }

    /// The scalar of a plain value with a tag.
    fn tagged(&mut self, tag: &Tag, words: &str, untagged: Scalar, place: (usize, usize)) -> Scalar {
        match tag.core_suffix() {
            Some("str") => return Scalar::String,
            Some("int" | "float" | "bool" | "null") => return scalar::resolve(words),
            _ if tag.original() == "!" => return Scalar::String,
            _ => {}
        }
        self.judge_tag(tag, place);
        untagged
    }

    /// Begins a container.
    fn begin(
        &mut self,
        (mapping, style): (bool, StructureStyle),
        anchor: usize,
        tag: Option<&Tag>,
        place: (usize, usize),
        tag_place: Option<(usize, usize)>,
    ) -> Flow {
        let (start, end) = place;
        if let Flow::Stop = self.count(start) {
            return Flow::Stop;
        }
        if self.open.len() >= MAX_DEPTH {
            return self.refuse(fault::too_deep(self.source.span(start, start + 1)));
        }
        if let Some(tag) = tag {
            self.judge_tag(tag, tag_place.unwrap_or(place));
        }
        self.seen_to = end.max(self.seen_to);
        self.out.is_empty = false;
        let column = (style == StructureStyle::Block).then(|| self.column(start, mapping));
        if let Some(Open { kind: OpenKind::Key | OpenKind::Mapping { key: None, .. }, .. }) = self.open.last() {
            self.complex.begin(mapping, self.library);
            self.open.push(Open { kind: OpenKind::Key, anchor: 0, column, start, at: start, end });
            return Flow::On;
        }
        let at = start;
        let value = if mapping { Value::Object(Vec::new()) } else { Value::Array(Vec::new()) };
        let (node, start) = self.attach(value, start, end);
        let kind = if mapping {
            OpenKind::Mapping { node, key: None, seen: SeenKeys::default() }
        } else {
            OpenKind::Sequence(node)
        };
        if anchor != 0 {
            self.anchors.insert(anchor, Anchor::Open);
        }
        self.open.push(Open { kind, anchor, column, start, at, end });
        Flow::On
    }

    /// Ends the innermost container, after a bracket if it has one.
    pub(super) fn end(&mut self, bracket: Option<usize>) -> Flow {
        let Some(open) = self.open.pop() else { return Flow::On };
        let end = bracket.unwrap_or(open.end).max(open.end);
        if let Some(parent) = self.open.last_mut() {
            parent.end = parent.end.max(end);
            if let (Some(column), None, Library::Yaml) = (parent.column, open.column, self.library)
                && let Some(at) = layout::under_indented(self.source.text(), (open.at, end), column, Some(end - 1))
            {
                self.refuse(layout::too_far_left(self.source, at, column));
            }
        }
        match open.kind {
            OpenKind::Sequence(node) | OpenKind::Mapping { node, .. } => {
                self.out.tree.node_mut(node).place = self.source.span(open.start, end);
                if open.anchor != 0 {
                    self.anchors.insert(open.anchor, Anchor::Node(node));
                }
            }
            OpenKind::Key => {
                let Some(words) = self.complex.end(self.library) else { return Flow::On };
                let span = self.source.span(open.start, end);
                if std::mem::take(&mut self.complex.is_refused) && self.library == Library::JsYaml {
                    let problem = Diagnostic::new(Code::YamlComplexKey, span, "a list inside of a list as a key");
                    return self.refuse(Diagnostic { severity: Severity::Error, ..problem });
                }
                let message = "a list or an object as a key: every reader makes another text of it";
                self.report(Diagnostic::new(Code::YamlComplexKey, span, message));
                self.key(words, open.start, end);
            }
        }
        Flow::On
    }

    /// Takes a key of the innermost object.
    pub(super) fn key(&mut self, words: String, start: usize, end: usize) {
        let span = self.source.span(start, end);
        let Some(Open { kind: OpenKind::Mapping { key, seen, .. }, end: so_far, .. }) = self.open.last_mut() else {
            return;
        };
        *so_far = end.max(*so_far);
        let first = seen.first(&words, span);
        let (is_merge, hidden) = (words == "<<", hidden_characters(&words, span, "the key"));
        let again = first.map(|first| (first, format!("duplicate key: {words}")));
        *key = Some(Key { words, start, end, span });
        if let Some((first, message)) = again {
            self.refuse(Diagnostic::new(Code::YamlDuplicateKey, span, message).related(first, "first given here"));
        }
        if is_merge {
            let message = "<< is a plain key in YAML 1.2; older readers merge what it names into the object";
            self.report(Diagnostic::new(Code::YamlAmbiguous, span, message));
        }
        if let Some(problem) = hidden {
            self.report(problem);
        }
    }

    /// Adds a value to its place: the pending key, the list, or the root. Also returns its start offset in the text,
    /// including its key.
    pub(super) fn attach(&mut self, value: Value, start: usize, end: usize) -> (NodeId, usize) {
        let source = &self.source;
        let place = || source.span(start, end);
        // The start of a value without a key: after its quote, if it has one; an alias has its text elsewhere.
        let first = source.offset(start);
        let begin = Span::at(match value {
            Value::Scalar(_, text) if text.start >= first => text.start,
            _ => first,
        });
        let Some(open) = self.open.last_mut() else {
            let root = self.out.tree.node_mut(ROOT);
            (root.value, root.place, root.key_place) = (value, place(), begin);
            return (ROOT, start);
        };
        open.end = open.end.max(end);
        match &mut open.kind {
            OpenKind::Sequence(node) => {
                let node = *node;
                let index = self.out.tree.node(node).value.children().len();
                let element = Node::new(index.to_string(), value, place());
                (self.out.tree.add(node, Node { key_place: begin, ..element }), start)
            }
            OpenKind::Mapping { node, key, .. } => {
                let node = *node;
                let absent = || Key { words: String::new(), start, end: start, span: Span::at(first) };
                let key = key.take().unwrap_or_else(absent);
                let place = self.source.span(key.start, end.max(key.end));
                let key_place = Some(key.span).filter(|key| !key.is_empty()).unwrap_or(begin);
                (self.out.tree.add(node, Node { key_place, ..Node::new(key.words, value, place) }), key.start)
            }
            OpenKind::Key => (ROOT, start),
        }
    }
}
