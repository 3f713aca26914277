//! A declaration: one YAML document that describes a dialect, and what it says when it is read.
//!
//! ```yaml
//! dialect: my-calls                 # its name on the command line
//! title: My calls                   # a few words
//! example: "<do f>\n<arg k>v</arg>\n</do>\n"   # one complete call; also the first test
//! read: always                      # always | repeated (from the second sight on) | named (only when asked for)
//! vars: {t: do}                     # ${t} stands for it in markers
//! section: {open: "<calls>", close: "</calls>"}    # may stand around all calls, or around: each
//! call: {open: "<${t} {name}>", close: "</${t}>"}
//! arguments: {kind: parameters, open: "<arg {key}>", close: "</arg>", strip: one_newline, repeat: last}
//! examples: [{text: …, calls: [{name: f, arguments: {k: v}}]}]
//! ```
//!
//! Markers are templates (`declared/marker`). Where a call may be written in several ways, `alternatives` holds a list of
//! `section`, `call` and `arguments`, which are tried in their order. This module does not know how a text is read.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use serde_json::Value as Json;

use super::block_markers::BlockMarkers;
use super::fields::{Fields, Source, Word};
use super::json_calls::JsonCalls;
use super::marker::{Marker, Slot};
use super::name_rule::NameRule;
use super::python_calls::PythonCalls;
use super::tagged::{Body, MarkerPlace, Naming, Pair, Part, Repeats, Shape, Strip, Unescape, Values, Wrapping};
use crate::diagnostic::Diagnostic;
use crate::dialect::native::dissect::ArgumentsKey;
use crate::dialect::{DialectInfo, Numbering, Start};
use crate::params::schema::Coercion;
use crate::text::Span;

/// Longest declaration that is read, in bytes.
pub const MAX_BYTES: usize = 256 * 1024;

/// Most markers of one part of a call.
const MAX_MARKERS: usize = 32;

/// A dialect as its declaration describes it.
#[derive(Debug)]
pub struct Declaration {
    /// What is known of it beside its grammar.
    pub info: &'static DialectInfo,
    /// When it is read where no dialect is named.
    pub reading: Reading,
    /// The YAML that it was made of.
    pub source: Box<str>,
    /// The file that it was read from, if it was.
    pub file: Option<PathBuf>,
    /// Its examples, which are its tests.
    pub examples: Vec<Example>,
    pub(super) forms: Vec<Form>,
    pub(super) regions: Vec<Region>,
}

impl PartialEq for Declaration {
    fn eq(&self, other: &Self) -> bool {
        self.source == other.source
    }
}

impl Eq for Declaration {}

/// When a dialect is read where none is named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    /// Wherever its opening marker stands.
    Always,
    /// From the second call of a text on; the first one is told as a hint. For markers that prose may hold.
    Repeated,
    /// Not at all.
    Named,
}

/// One way in which calls of a dialect are written.
#[derive(Clone, Debug)]
pub(super) enum Form {
    /// A header with the name, and arguments between markers or in a body.
    Tagged(Arc<Shape>),
    /// JSON that holds names and arguments.
    Json(Arc<JsonCalls>),
    /// Python calls.
    Python(Arc<PythonCalls>),
}

/// A region in which calls do not count: what the model thinks.
#[derive(Clone, Debug)]
pub(super) struct Region {
    pub(super) open: Marker,
    pub(super) close: Marker,
}

/// A text with what is to be read in it.
#[derive(Clone, Debug)]
pub struct Example {
    /// The text.
    pub text: String,
    /// Its calls in order.
    pub calls: Vec<ExpectedCall>,
    /// The codes of its problems in order of their place.
    pub problems: Vec<String>,
    /// Where it stands in the declaration.
    pub place: Span,
}

/// A call that an example has.
#[derive(Clone, Debug, PartialEq)]
pub struct ExpectedCall {
    /// The name of the tool.
    pub name: String,
    /// The id, where the example names one.
    pub id: Option<String>,
    /// The arguments as JSON.
    pub arguments: Json,
}

impl Declaration {
    /// Reads a declaration.
    ///
    /// # Errors
    /// All that is wrong with it, with places in it.
    pub fn parse(yaml: &str) -> Result<Self, Vec<Diagnostic>> {
        let mut source = Source::read(&yaml.as_bytes()[..yaml.len().min(MAX_BYTES)]);
        if yaml.len() > MAX_BYTES {
            source.fault(Span::at(0), format!("a declaration has at most {MAX_BYTES} bytes"));
        }
        let declaration = source.root().and_then(|root| read(&mut source, root, yaml));
        match declaration {
            Some(declaration) if !source.problems.iter().any(is_fault) => Ok(declaration),
            _ => {
                source.problems.sort_by_key(|problem| problem.span);
                Err(source.problems)
            }
        }
    }
}

fn is_fault(problem: &Diagnostic) -> bool {
    problem.severity == crate::diagnostic::Severity::Error
}

fn read(source: &mut Source, mut root: Fields, yaml: &str) -> Option<Declaration> {
    let name = source.required(&mut root, "dialect", "the name by which it is asked for")?;
    if !name.text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.:".contains(&byte)) || name.text.is_empty() {
        source.fault(name.place, "a name has letters, digits, and - _ . : between them");
    }
    let title = source.text(&mut root, "title").map_or_else(|| name.text.clone(), |title| title.text);
    let recognised_by = source.text(&mut root, "recognised_by");
    let reading = source.choice(
        &mut root,
        "read",
        &[("always", Reading::Always), ("repeated", Reading::Repeated), ("named", Reading::Named)],
    );
    source.variables = source.pairs(&mut root, "vars").into_iter().map(|(name, word)| (name, word.text)).collect();
    let example = source.required(&mut root, "example", "one complete call, which is also its first test")?;
    let prefix = source.text(&mut root, "id_prefix").map_or_else(|| format!("{}_", name.text), |word| word.text);
    let numbering = source.choice(&mut root, "ids", &[("nameless", Numbering::Nameless), ("every", Numbering::Every)]);
    let key_term = source.text(&mut root, "key_term").map_or_else(|| "argument".to_owned(), |word| word.text);
    let signs = words(source.texts(&mut root, "signs"));
    let family = words(source.texts(&mut root, "family"));
    let body_like = source.text(&mut root, "body_like").map(|word| word.text);
    let typing = source.choice(
        &mut root,
        "typing",
        &[
            ("default", None),
            ("typed", Some(Coercion::Typed)),
            ("text", Some(Coercion::Strings)),
            ("json_by_schema", Some(Coercion::JsonBySchema)),
        ],
    );
    let next_ends = source.flag(&mut root, "next_ends");
    let start = source.choice(&mut root, "start", &[("anywhere", Start::Anywhere), ("line", Start::Line)]);
    let alternatives = source.maps(&mut root, "alternatives");
    let has_own = ["section", "call", "arguments"].map(|member| source.has(&mut root, member)).contains(&true);
    let is_typed = has_own && kind_is_typed(source, &mut root) || !has_own && alternatives_are_typed(source, &mut root);
    let first = alternatives.is_empty().then(|| lead(source, &mut root)).flatten();
    let recognised_by = recognised_by.map(|word| word.text).or_else(|| first.map(|lead| format!("{lead} anywhere")));
    let mut example_text = example.text;
    if !example_text.ends_with('\n') {
        example_text.push('\n');
    }
    let info = intern(InfoWords {
        name: name.text,
        title,
        recognised_by: recognised_by.unwrap_or_default(),
        example: example_text,
        prefix,
        numbering,
        key_term,
        signs,
        family,
        body_like,
        typing: typing.unwrap_or(if is_typed { Coercion::Typed } else { Coercion::JsonBySchema }),
        next_ends,
        start,
    });
    let mut forms = Vec::new();
    if alternatives.is_empty() {
        forms.extend(form(source, &mut root, info));
    } else {
        if has_own {
            source.fault(source.place_of(&root), "either alternatives, or section, call and arguments: not both");
        }
        for mut alternative in alternatives {
            forms.extend(form(source, &mut alternative, info));
            source.finish(alternative);
        }
    }
    let mut regions = Vec::new();
    for mut region in source.maps(&mut root, "reasoning") {
        let open = source.required(&mut region, "open", "the marker that begins the reasoning");
        let close = source.required(&mut region, "close", "the marker that ends the reasoning");
        if let (Some(open), Some(close)) = (open, close)
            && let (Some(open), Some(close)) = (marker(source, &open, &[]), marker(source, &close, &[]))
        {
            regions.push(Region { open, close });
        }
        source.finish(region);
    }
    let examples = examples(source, &mut root);
    source.finish(root);
    Some(Declaration { info, reading, source: yaml.into(), file: None, examples, forms, regions })
}

fn words(words: Vec<Word>) -> Vec<String> {
    words.into_iter().map(|word| word.text).collect()
}

/// Whether values of the declared kind have types as they are written.
fn kind_is_typed(source: &mut Source, fields: &mut Fields) -> bool {
    let Some(mut arguments) = source.map(fields, "arguments") else { return true };
    let kind = source.text(&mut arguments, "kind");
    let is_text = kind.is_none_or(|kind| matches!(kind.text.as_str(), "parameters" | "nested_tags" | "lines"));
    !is_text || source.has(&mut arguments, "values")
}

/// The same of all alternatives.
fn alternatives_are_typed(source: &mut Source, root: &mut Fields) -> bool {
    let mut alternatives = source.maps(root, "alternatives");
    alternatives.iter_mut().all(|alternative| kind_is_typed(source, alternative))
}

/// The text by which a call is found.
fn lead(source: &mut Source, fields: &mut Fields) -> Option<String> {
    let mut call = source.map(fields, "call")?;
    let open = source.texts(&mut call, "open").into_iter().next()?;
    let marker = Marker::parse(&open.text).ok()?;
    Some(String::from_utf8_lossy(marker.lead()).trim().to_owned())
}

/// What a kind of arguments is called in a declaration.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Parameters,
    Json,
    Object,
    NestedTags,
    Python,
    Yaml,
    Lines,
    Text,
    JsonCalls,
    PythonCalls,
    Parts,
}

const KINDS: [(&str, Kind); 11] = [
    ("parameters", Kind::Parameters),
    ("parts", Kind::Parts),
    ("json", Kind::Json),
    ("object", Kind::Object),
    ("nested_tags", Kind::NestedTags),
    ("python", Kind::Python),
    ("yaml", Kind::Yaml),
    ("lines", Kind::Lines),
    ("text", Kind::Text),
    ("json_calls", Kind::JsonCalls),
    ("python_calls", Kind::PythonCalls),
];

/// One way in which calls are written.
fn form(source: &mut Source, fields: &mut Fields, info: &'static DialectInfo) -> Option<Form> {
    let place = source.place_of(fields);
    let Some(mut call) = source.map(fields, "call") else {
        source.fault(place, "call is missing: the markers that open and close a call");
        return None;
    };
    let call_place = source.place_of(&call);
    let followed_by = words(source.texts(&mut call, "followed_by"));
    let open = markers(source, &mut call, "open", &followed_by);
    if open.is_empty() && !source.has(&mut call, "open") {
        source.fault(call_place, "open is missing: the text that a call begins with");
    }
    let close = markers(source, &mut call, "close", &[]);
    let place = source.choice(
        &mut call,
        "at",
        &[
            ("anywhere", MarkerPlace::Anywhere),
            ("line", MarkerPlace::Line),
            ("message_start", MarkerPlace::MessageStart),
        ],
    );
    let at_line = place == MarkerPlace::Line;
    if place != MarkerPlace::MessageStart && !open.iter().all(Marker::has_lead) {
        let message = "a marker begins with the text by which it is found, not with a slot; at: message_start needs none";
        source.fault(call_place, message);
    }
    let is_close_optional = source.flag(&mut call, "optional_close");
    let name = source.map(&mut call, "name").map(|name| name_rule(source, name));
    let id = source.map(&mut call, "id").map(|id| name_rule(source, id));
    let mut arguments = source.map(fields, "arguments");
    let kind = arguments.as_mut().map_or(Kind::Text, |arguments| source.choice(arguments, "kind", &KINDS));
    let section = source.map(fields, "section");
    let form = match kind {
        Kind::JsonCalls => {
            let mut arguments = arguments?;
            let key = source.choice(&mut arguments, "arguments_key", &ARGUMENT_KEYS);
            let separator = words(source.texts(&mut arguments, "separator"));
            let name_key = source.text(&mut arguments, "name_key").map_or_else(|| "name".to_owned(), |word| word.text);
            let is_list = source.flag(&mut arguments, "list");
            source.finish(arguments);
            Form::Json(Arc::new(JsonCalls {
                about: info,
                markers: block_markers(source, &mut call, open, close, is_close_optional, at_line),
                name_key,
                key,
                is_list,
                separator,
            }))
        }
        Kind::PythonCalls => {
            let mut arguments = arguments?;
            let is_list = source.flag(&mut arguments, "list");
            source.finish(arguments);
            let markers = block_markers(source, &mut call, open, close, is_close_optional, at_line);
            Form::Python(Arc::new(PythonCalls { about: info, markers, is_list }))
        }
        _ => {
            let mut shape = Shape {
                about: info,
                naming: Naming::Equals,
                pairs: Vec::new(),
                firsts: Vec::new(),
                repeats: Repeats::Last,
                strip: Strip::Nothing,
                wrapping: Wrapping::Group,
                values: Values::Text,
                unescape: Unescape::Nothing,
                body: Body::Text { key: "input".into() },
                is_close_optional: is_close_optional || close.is_empty(),
                next_ends_value: false,
                strict: source.choice(&mut call, "runtime", &[("lenient", false), ("tool_tags", true)]),
                place,
                drops_values_with: Vec::new(),
                name: name.unwrap_or_default(),
                id: id.unwrap_or_default(),
            };
            shape.pairs.extend(pairs(Part::Call, open, &close));
            if let Some(arguments) = arguments {
                body(source, arguments, kind, &mut shape);
            }
            if let Some(section) = section {
                let (open, close, wrapping) = {
                    let (pairs, wrapping) = pairs_of_section(source, section);
                    let (open, close): (Vec<Marker>, Vec<Marker>) = pairs.into_iter().unzip();
                    (open, close, wrapping)
                };
                shape.wrapping = wrapping;
                let sections = open.into_iter().zip(close);
                shape.pairs.extend(sections.map(|(open, close)| Pair {
                    part: Part::Wrapper,
                    open: open.with_blanks(),
                    close: vec![close.with_blanks()],
                }));
            }
            let has_name = |marker: &Marker| marker.has(Slot::Name) || marker.has(Slot::Id);
            let is_named = |pair: &Pair| pair.part != Part::Call || has_name(&pair.open);
            if !shape.pairs.iter().all(is_named) && shape.name.fixed.is_none() {
                source.fault(call_place, "no marker of the call has its {name}; name: {fixed: …} gives all calls one");
            }
            let repeats_name = shape.pairs.iter().flat_map(|pair| &pair.close).any(has_name);
            let has_attributes = shape.pairs.iter().any(|pair| pair.open.has_attributes());
            shape.naming = match (repeats_name, has_attributes) {
                (true, _) => Naming::InTag,
                (_, true) => Naming::Attribute,
                _ => Naming::Equals,
            };
            let markers = shape.pairs.iter().flat_map(|pair| pair.close.iter().chain([&pair.open]));
            shape.firsts = markers.filter_map(|marker| marker.lead().first().copied()).collect();
            shape.firsts.sort_unstable();
            shape.firsts.dedup();
            Form::Tagged(Arc::new(shape))
        }
    };
    source.finish(call);
    Some(form)
}

const ARGUMENT_KEYS: [(&str, ArgumentsKey); 5] = [
    ("arguments", ArgumentsKey::Arguments),
    ("parameters", ArgumentsKey::Parameters),
    ("args", ArgumentsKey::Args),
    ("input", ArgumentsKey::Input),
    ("name_is_key", ArgumentsKey::NameIsKey),
];

/// The markers of a block that holds whole calls.
fn block_markers(
    source: &mut Source,
    call: &mut Fields,
    open: Vec<Marker>,
    close: Vec<Marker>,
    is_close_optional: bool,
    at_line: bool,
) -> BlockMarkers {
    BlockMarkers {
        end: close.first().map(|close| close.write(|_| None)).unwrap_or_default(),
        open,
        close,
        is_close_optional,
        is_open_value: source.flag(call, "open_is_value"),
        at_line,
    }
}

/// What the body of a call holds.
fn body(source: &mut Source, mut arguments: Fields, kind: Kind, shape: &mut Shape) {
    let place = source.place_of(&arguments);
    shape.body = match kind {
        Kind::Json => Body::Json,
        Kind::Yaml => Body::Yaml,
        Kind::Python => Body::Python,
        Kind::Lines => {
            let separator = source.text(&mut arguments, "separator").map_or_else(|| ":".to_owned(), |word| word.text);
            Body::Lines { separator }
        }
        Kind::Object => {
            let quote = source.required(&mut arguments, "quote", "the text on both sides of a string");
            Body::Object { quote: quote.map(|word| word.text).unwrap_or_default() }
        }
        Kind::NestedTags => {
            let prefix = source.text(&mut arguments, "prefix").map(|word| word.text).unwrap_or_default();
            Body::NestedTags { prefix }
        }
        Kind::Text => {
            let key = source.text(&mut arguments, "key").map_or_else(|| "input".to_owned(), |word| word.text);
            Body::Text { key }
        }
        Kind::Parts => {
            let separator = source.required(&mut arguments, "separator", "the line between two parts");
            let keys = words(source.texts(&mut arguments, "keys"));
            Body::Parts { separator: separator.map(|word| word.text).unwrap_or_default(), keys }
        }
        Kind::Parameters | Kind::JsonCalls | Kind::PythonCalls => Body::Parameters,
    };
    shape.strip = source.choice(
        &mut arguments,
        "strip",
        &[("nothing", Strip::Nothing), ("one_newline", Strip::OneNewline), ("trim", Strip::Trim)],
    );
    if shape.body == Body::Parameters {
        shape.next_ends_value = source.flag(&mut arguments, "next_ends_value");
        let open = markers(source, &mut arguments, "open", &[]);
        let close = markers(source, &mut arguments, "close", &[]);
        if open.is_empty() && !source.has(&mut arguments, "open") {
            source.fault(place, "open is missing: the text that an argument begins with, with {key} in it");
        }
        for marker in open.iter().filter(|marker| !marker.has(Slot::Key)) {
            source.fault(place, format!("{} has no {{key}}: the place of the argument's name", marker.source()));
        }
        shape.pairs.extend(pairs(Part::Parameter, open, &close));
        shape.repeats = source.choice(&mut arguments, "repeat", &[("last", Repeats::Last), ("list", Repeats::List)]);
        shape.drops_values_with = words(source.texts(&mut arguments, "drops_values_with"));
        shape.unescape =
            source.choice(&mut arguments, "unescape", &[("nothing", Unescape::Nothing), ("xml", Unescape::Xml)]);
        if let Some(mut values) = source.map(&mut arguments, "values") {
            shape.values = values_rule(source, &mut values);
            source.finish(values);
        }
    }
    source.finish(arguments);
}

fn values_rule(source: &mut Source, values: &mut Fields) -> Values {
    let place = source.place_of(values);
    let json = words(source.texts(values, "json_type"));
    let text = words(source.texts(values, "text_type"));
    let always = source.flag(values, "json_or_text");
    let is_written = source.choice(values, "write", &[("true", true), ("false", false)]);
    match (json.first(), text.first(), always) {
        (None, None, true) => Values::JsonOrText,
        (Some(json), Some(text), false) => Values::JsonIf { json: json.clone(), text: text.clone(), is_written },
        (None, Some(_), false) => Values::JsonUnless(text),
        _ => {
            let message = "values: json_or_text: true, or text_type (what {type} says of texts), or that and json_type";
            source.fault(place, message);
            Values::Text
        }
    }
}

/// How a name or an id is made of what a marker holds.
fn name_rule(source: &mut Source, mut fields: Fields) -> NameRule {
    let rule = NameRule {
        fixed: source.text(&mut fields, "fixed").map(|word| word.text),
        strip_prefix: source.text(&mut fields, "strip_prefix").map(|word| word.text),
        strip_suffix: source.text(&mut fields, "strip_suffix").map(|word| word.text),
        until: source.text(&mut fields, "until").map(|word| word.text),
        until_last: source.text(&mut fields, "until_last").map(|word| word.text),
    };
    source.finish(fields);
    rule
}

/// The markers of a section, and what it is around.
fn pairs_of_section(source: &mut Source, mut section: Fields) -> (Vec<(Marker, Marker)>, Wrapping) {
    let place = source.place_of(&section);
    let open = markers(source, &mut section, "open", &[]);
    let close = markers(source, &mut section, "close", &[]);
    if open.is_empty() || open.len() != close.len() {
        source.fault(place, "a section has open and close, and as many of one as of the other");
    }
    let around = source.choice(&mut section, "around", &[("all", Wrapping::Group), ("each", Wrapping::Each)]);
    source.finish(section);
    (open.into_iter().zip(close).collect(), around)
}

/// Markers that open with those that close: one each where there are as many, or else all of them for all.
fn pairs(part: Part, open: Vec<Marker>, close: &[Marker]) -> Vec<Pair> {
    let is_each = open.len() == close.len();
    let closes = |number: usize| {
        let close = if is_each { &close[number..=number] } else { close };
        close.iter().cloned().map(Marker::with_blanks).collect()
    };
    let pairs = open.into_iter().enumerate();
    pairs.map(|(number, open)| Pair { part, open: open.with_blanks(), close: closes(number) }).collect()
}

/// The markers under a name.
fn markers(source: &mut Source, fields: &mut Fields, name: &'static str, followed_by: &[String]) -> Vec<Marker> {
    let words = source.texts(fields, name);
    if let Some(word) = words.get(MAX_MARKERS) {
        source.fault(word.place, format!("more than {MAX_MARKERS} markers"));
    }
    let words: Vec<Word> = words.into_iter().take(MAX_MARKERS).collect();
    let found: Vec<Marker> = words.iter().filter_map(|word| marker(source, word, followed_by)).collect();
    for (word, _) in words.iter().zip(&found).filter(|(_, marker)| name == "close" && !marker.has_lead()) {
        source.fault(word.place, "a closing marker begins with the text by which it is found, not with a slot");
    }
    found
}

fn marker(source: &mut Source, word: &Word, followed_by: &[String]) -> Option<Marker> {
    match Marker::parse(&word.text) {
        Ok(marker) => Some(marker.followed_by(followed_by)),
        Err(error) => {
            // Where the text is written as it is, the place in it is known.
            let is_plain = word.place.len() == word.text.len();
            let at = word.place.start + error.at.min(word.text.len());
            let place = if is_plain { Span::new(at, word.place.end) } else { word.place };
            source.fault(place, error.message);
            None
        }
    }
}

/// The examples, which are tests.
fn examples(source: &mut Source, root: &mut Fields) -> Vec<Example> {
    let mut found = Vec::new();
    for mut example in source.maps(root, "examples") {
        let place = source.place_of(&example);
        let text = source.required(&mut example, "text", "the text that is read");
        let mut calls = Vec::new();
        for mut call in source.maps(&mut example, "calls") {
            let name = source.required(&mut call, "name", "the name of the tool");
            let id = source.text(&mut call, "id").map(|word| word.text);
            let arguments = source.json(&mut call, "arguments").unwrap_or_else(|| Json::Object(serde_json::Map::new()));
            source.finish(call);
            calls.extend(name.map(|name| ExpectedCall { name: name.text, id, arguments }));
        }
        let problems = words(source.texts(&mut example, "problems"));
        source.finish(example);
        found.extend(text.map(|text| Example { text: text.text, calls, problems, place }));
    }
    found
}

/// What a declaration says of a dialect beside its grammar.
#[derive(Debug)]
struct InfoWords {
    name: String,
    title: String,
    recognised_by: String,
    example: String,
    prefix: String,
    numbering: Numbering,
    key_term: String,
    signs: Vec<String>,
    family: Vec<String>,
    body_like: Option<String>,
    typing: Coercion,
    next_ends: bool,
    start: Start,
}

/// The one copy of this information. It lives as long as the program, as that of dialects in code does; a declaration
/// that is edited makes a new one only when these words change.
fn intern(words: InfoWords) -> &'static DialectInfo {
    static KNOWN: Mutex<Option<HashMap<String, &'static DialectInfo>>> = Mutex::new(None);
    let key = format!("{words:?}");
    let mut known = KNOWN.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    known.get_or_insert_default().entry(key).or_insert_with(|| {
        let leak = |text: String| -> &'static str { Box::leak(text.into_boxed_str()) };
        let list = |texts: Vec<String>| -> &'static [&'static str] {
            Box::leak(texts.into_iter().map(leak).collect::<Vec<_>>().into_boxed_slice())
        };
        Box::leak(Box::new(DialectInfo {
            name: leak(words.name),
            title: leak(words.title),
            recognised_by: leak(words.recognised_by),
            example: leak(words.example),
            id_prefix: leak(words.prefix),
            escapes: true,
            numbering: words.numbering,
            key_term: leak(words.key_term),
            next_ends: words.next_ends,
            start: words.start,
            signs: list(words.signs),
            family: list(words.family),
            body_like: words.body_like.map(leak),
            typing: words.typing,
            coercion: None,
        }))
    })
}
