//! A message that is parsed with a template while it arrives: its events, and what it is in the end.
//!
//! Events and outcome are those of the reference for the same pieces of text.

use std::sync::Arc;

use serde::Serialize;
use serde_json::{Map, Value as Json};

use super::coercion::ToolTypes;
use super::field::{Field, Regions};
use super::load::python_repr;
use super::matcher::{Commit, Match, find_all};
use super::reading::Reading;
use super::refusal::Refusal;
use super::region::{RegionScanner, Step};
use super::shape::{Part, Scope, copy, python_type};
use super::template::Template;
use super::value::read;
use crate::params::json::node_to_json;
use crate::params::json_text::Arrival;
use crate::params::{NodeId, ParamTree, ROOT, Value};
use crate::text::{Span, Text};

/// What is said of a region while a text arrives.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum RegionEvent {
    /// A region of a field begins.
    RegionOpen {
        /// The name of the field.
        field: String,
    },
    /// Text of the region that is open.
    RegionChunk {
        /// The name of the field.
        field: String,
        /// The text, as it stands there.
        text: String,
        /// Whether the value will be something else than the text.
        dirty: bool,
    },
    /// The region that is open ends.
    RegionClose {
        /// The name of the field.
        field: String,
        /// What its text has become.
        value: Json,
    },
}

/// Why a message cannot be parsed, in the words of the reference, with the class of its exception in front.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MessageError(pub String);

/// Parses one message. After an error it goes on as if nothing had happened to the text, and says the error again.
#[derive(Debug)]
pub struct MessageParser {
    template: Arc<Template>,
    tools: ToolTypes,
    text: Text,
    regions: RegionScanner,
    message: Map<String, Json>,
    initial: Vec<RegionEvent>,
    error: Option<MessageError>,
}

impl MessageParser {
    /// A parser for the message that follows the prompt `prefix`, whose part behind the last anchor belongs to it.
    pub fn new(template: Arc<Template>, prefix: &str, tools: ToolTypes) -> Self {
        let regions = RegionScanner::new(&template, 0, Commit::Eager);
        let message = template.defaults.clone();
        let (text, initial) = (Text::default(), Vec::new());
        let mut parser = Self { template, tools, text, regions, message, initial, error: None };
        let anchors = find_all(&parser.template.anchor, prefix.as_bytes());
        let begin = anchors.last().map_or(0, |anchor| anchor.span.end);
        if let Some(rest) = prefix.get(begin..).filter(|rest| !rest.is_empty())
            && let Ok(events) = parser.push(rest)
        {
            parser.initial = events;
        }
        parser
    }

    /// What the prompt already said.
    pub fn initial_events(&self) -> &[RegionEvent] {
        &self.initial
    }

    /// More of the text.
    ///
    /// # Errors
    /// What makes the reference raise: a region whose text is not what its field asks for.
    pub fn push(&mut self, piece: &str) -> Result<Vec<RegionEvent>, MessageError> {
        self.text.push(piece.as_bytes());
        self.advance(Ending::More)
    }

    /// The text ends: the message, and the last events.
    ///
    /// # Errors
    /// As [`MessageParser::push`], and where a field that is not optional is missing.
    pub fn finish(mut self) -> Result<(Map<String, Json>, Vec<RegionEvent>), MessageError> {
        let events = self.advance(Ending::Finished)?;
        let fields = self.template.fields.iter();
        let missing: Vec<String> = fields
            .filter(|field| !field.optional && !self.message.contains_key(&field.name))
            .map(|field| python_repr(&field.name))
            .collect();
        if !missing.is_empty() {
            let words =
                format!("Required response_template fields missing from parsed output: [{}]", missing.join(", "));
            return Err(MessageError(Refusal::value_error(words).full()));
        }
        let is_kept = |key: &String, value: &Json| self.template.defaults.contains_key(key) || !is_empty(value);
        let message = self.message.into_iter().filter(|(key, value)| is_kept(key, value)).collect();
        Ok((message, events))
    }

    fn advance(&mut self, ending: Ending) -> Result<Vec<RegionEvent>, MessageError> {
        if let Some(error) = &self.error {
            return Err(error.clone());
        }
        let mut steps = Vec::new();
        self.regions.advance(&self.template, &self.text, ending == Ending::Finished, &mut steps);
        let mut events = Vec::with_capacity(steps.len());
        for step in steps {
            match self.event(step) {
                Ok(event) => events.push(event),
                Err(refusal) => {
                    let error = MessageError(refusal.full());
                    self.error = Some(error.clone());
                    return Err(error);
                }
            }
        }
        Ok(events)
    }

    fn event(&mut self, step: Step) -> Result<RegionEvent, Refusal> {
        let name = |field: usize| self.template.fields[field].name.clone();
        Ok(match step {
            Step::Open(field) => RegionEvent::RegionOpen { field: name(field) },
            Step::Chunk(field, span) => {
                let dirty = !self.template.fields[field].content.is_streamable();
                RegionEvent::RegionChunk { field: name(field), text: self.text.read_str(span).into_owned(), dirty }
            }
            Step::Close(field, body, opener) => {
                let field = &self.template.fields[field];
                let mut value = value(field, &self.text, body, opener.as_ref(), Arrival::Whole);
                if let Some(refusal) = value.refusal {
                    return Err(refusal);
                }
                self.tools.cast(&mut value.tree, &self.text);
                let json = node_to_json(&value.tree, ROOT, &self.text);
                let kind = python_type(&value.tree, ROOT, &self.text);
                put(&mut self.message, field, json.clone(), kind)?;
                RegionEvent::RegionClose { field: field.name.clone(), value: json }
            }
        })
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Ending {
    More,
    Finished,
}

/// Puts the value of a region into the message.
fn put(message: &mut Map<String, Json>, field: &Field, value: Json, kind: &str) -> Result<(), Refusal> {
    match (&field.regions, message.get_mut(&field.name)) {
        (Regions::Joined(join), previous) => {
            let Json::String(words) = value else {
                let name = &field.name;
                let words = format!("Field '{name}': 'join' requires each match to parse to a string, got {kind}.");
                return Err(Refusal::value_error(words));
            };
            if let Some(Json::String(previous)) = previous {
                previous.push_str(join);
                previous.push_str(&words);
            } else {
                message.insert(field.name.clone(), Json::String(words));
            }
        }
        (Regions::All, Some(Json::Array(values))) => values.push(value),
        (Regions::All, _) => _ = message.insert(field.name.clone(), Json::Array(vec![value])),
        (Regions::Last, _) => _ = message.insert(field.name.clone(), value),
    }
    Ok(())
}

fn is_empty(value: &Json) -> bool {
    match value {
        Json::Null => true,
        Json::String(text) => text.is_empty(),
        Json::Array(elements) => elements.is_empty(),
        Json::Object(members) => members.is_empty(),
        _ => false,
    }
}

/// What the text of a region becomes: read by the field's parser, in the shape of its transform.
pub(super) fn value(field: &Field, text: &Text, body: Span, opener: Option<&Match>, arrival: Arrival) -> Reading {
    let reading = read(&field.content, &text.read(body), body.start, arrival);
    let Some(shape) = &field.transform else { return reading };
    let captures = captures(field, opener);
    if !field.each {
        let parts = captures.into_iter().chain([("content", Part::Node(ROOT))]).collect();
        return reading.shaped(shape, parts, body.start, text);
    }
    let Reading { tree, mut refusal, problems } = reading;
    let Value::Array(elements) = &tree.node(ROOT).value else {
        let kind = python_type(&tree, ROOT, text);
        refusal.get_or_insert_with(|| not_each(field, "the parsed content to be a list", kind));
        return Reading { tree, refusal, problems };
    };
    let mut out = ParamTree::default();
    out.node_mut(ROOT).value = Value::Array(Vec::new());
    for (index, &element) in elements.iter().enumerate() {
        let Some(members) = members(&tree, element) else {
            let kind = python_type(&tree, element, text);
            refusal.get_or_insert_with(|| not_each(field, "each list element to be a dict", kind));
            continue;
        };
        let parts = captures.iter().copied().chain(members).collect();
        let start = tree.node(element).place.start;
        let (made, error) = shape.apply(&Scope { tree: &tree, parts, start }, text);
        if let Some(error) = error {
            refusal.get_or_insert(error);
        }
        copy(&made, ROOT, &mut out, Some(ROOT), &index.to_string());
    }
    Reading { tree: out, refusal, problems }
}

/// What one element of a region becomes whose transform is applied to each.
pub(super) fn element(field: &Field, text: &Text, body: Span, opener: Option<&Match>, arrival: Arrival) -> Reading {
    let reading = read(&field.content, &text.read(body), body.start, arrival);
    let Some(shape) = &field.transform else { return reading };
    let Some(members) = members(&reading.tree, ROOT) else {
        let kind = python_type(&reading.tree, ROOT, text);
        let refusal = reading.refusal.or_else(|| Some(not_each(field, "each list element to be a dict", kind)));
        return Reading { refusal, ..reading };
    };
    let parts: Vec<(String, Part)> =
        captures(field, opener).into_iter().chain(members).map(|(name, part)| (name.to_owned(), part)).collect();
    let parts = parts.iter().map(|(name, part)| (name.as_str(), *part)).collect();
    reading.shaped(shape, parts, body.start, text)
}

/// The named groups of an opener.
fn captures<'f>(field: &'f Field, opener: Option<&Match>) -> Vec<(&'f str, Part)> {
    let groups = opener.zip(field.open.as_ref()).map(|(opener, pattern)| opener.named(pattern)).unwrap_or_default();
    groups.into_iter().map(|(name, span)| (name, Part::Words(span))).collect()
}

/// The members of an object.
fn members(tree: &ParamTree, id: NodeId) -> Option<impl Iterator<Item = (&str, Part)>> {
    let Value::Object(members) = &tree.node(id).value else { return None };
    Some(members.iter().map(|&id| (tree.node(id).key.as_str(), Part::Node(id))))
}

/// A region that is no list, or an element of it that is no object.
fn not_each(field: &Field, wanted: &str, kind: &str) -> Refusal {
    Refusal::value_error(format!("Field '{}': transform_each requires {wanted}, got {kind}.", field.name))
}
