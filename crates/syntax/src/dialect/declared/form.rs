//! Parses one form of call: the members section, call and arguments of a declaration.

use std::sync::Arc;

use super::block_markers::BlockMarkers;
use super::json_calls::JsonCalls;
use super::marker::{Marker, Slot};
use super::name_rule::NameRule;
use super::python_calls::PythonCalls;
use super::tagged::{
    Body, FenceRule, MarkerPlace, Naming, NearWords, Pair, Part, Repeats, Shape, Strip, TagOrder, Unescape, Values,
    Wrapping,
};
use crate::dialect::DialectInfo;
use crate::dialect::native::dissect::ArgumentsKey;
use crate::dialect::response_template::Template;
use crate::text::Span;
use crate::value::notation::Notation;
use crate::value::yaml::fields::{Fields, Source, Word};

/// Maximum number of markers for one part of a call.
const MAX_MARKERS: usize = 32;

/// One form in which calls of a dialect are written.
#[derive(Clone, Debug)]
pub(super) enum Form {
    /// A header with the name; arguments are between markers or in a body.
    Tagged(Arc<Shape>),
    /// JSON that contains names and arguments.
    Json(Arc<JsonCalls>),
    Python(Arc<PythonCalls>),
    /// Regions of a response template.
    Template(&'static DialectInfo, Arc<Template>),
}

impl Form {
    /// True if its calls may begin only at the beginning of a message.
    pub(super) fn is_at_message_start(&self) -> bool {
        matches!(self, Form::Tagged(shape) if shape.place == MarkerPlace::MessageStart)
    }
}

/// True if the notation of a value determines its type, for the declared kind of arguments.
pub(super) fn kind_is_typed(source: &mut Source, fields: &mut Fields) -> bool {
    let Some(mut arguments) = source.map(fields, "arguments") else { return true };
    let kind = source.text(&mut arguments, "kind");
    let is_text = kind.is_none_or(|kind| matches!(kind.text.as_str(), "parameters" | "nested_tags" | "lines"));
    !is_text || source.has(&mut arguments, "values")
}

/// True if this holds for all alternatives.
pub(super) fn alternatives_are_typed(source: &mut Source, root: &mut Fields) -> bool {
    let mut alternatives = source.maps(root, "alternatives");
    alternatives.iter_mut().all(|alternative| kind_is_typed(source, alternative))
}

/// The literal text that a call begins with, used to find it.
pub(super) fn lead(source: &mut Source, fields: &mut Fields) -> Option<String> {
    let mut call = source.map(fields, "call")?;
    let open = source.texts(&mut call, "open").into_iter().next()?;
    let marker = Marker::parse(&open.text).ok()?;
    Some(String::from_utf8_lossy(marker.lead()).trim().to_owned())
}

/// Kinds of arguments that a declaration can name.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Parameters,
    Json,
    Object,
    NestedTags,
    Notation(Notation),
    Yaml,
    Lines,
    Text,
    JsonCalls,
    PythonCalls,
    Parts,
}

const KINDS: [(&str, Kind); 10] = [
    ("parameters", Kind::Parameters),
    ("parts", Kind::Parts),
    ("json", Kind::Json),
    ("object", Kind::Object),
    ("nested_tags", Kind::NestedTags),
    ("yaml", Kind::Yaml),
    ("lines", Kind::Lines),
    ("text", Kind::Text),
    ("json_calls", Kind::JsonCalls),
    ("python_calls", Kind::PythonCalls),
];

/// The words for all kinds.
fn kinds() -> Vec<(&'static str, Kind)> {
    let notations = Notation::WORDS.map(|(word, notation)| (word, Kind::Notation(notation)));
    KINDS.into_iter().chain(notations).collect()
}

/// Parses one form of call.
pub(super) fn form(source: &mut Source, fields: &mut Fields, info: &'static DialectInfo) -> Option<Form> {
    let place = source.place_of(fields);
    let Some(mut call) = source.map(fields, "call") else {
        source.fault(place, "call is missing: the markers that open and close a call");
        return None;
    };
    let call_place = source.place_of(&call);
    let followed_by = source.strings(&mut call, "followed_by");
    let known = source.problems.len();
    let open = markers(source, &mut call, "open", &followed_by);
    // An invalid marker is not also reported as missing.
    if open.is_empty() && source.problems.len() == known {
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
        let message = "a marker begins with the text that identifies it, not with a slot; at: message_start needs none";
        source.fault(call_place, message);
    }
    if open.iter().any(|marker| marker.lead().starts_with(b"\n")) {
        source.fault(call_place, "a marker that opens a call cannot begin with a line feed; write at: line");
    }
    let is_close_optional = source.flag(&mut call, "optional_close");
    let name = source.map(&mut call, "name").map(|name| name_rule(source, name));
    let id = source.map(&mut call, "id").map(|id| name_rule(source, id));
    let mut arguments = source.map(fields, "arguments");
    let kind = arguments.as_mut().map_or(Kind::Text, |arguments| source.choice(arguments, "kind", &kinds()));
    let section = source.map(fields, "section");
    let form = match kind {
        Kind::JsonCalls => {
            let mut arguments = arguments?;
            let key = source.choice(&mut arguments, "arguments_key", &ARGUMENT_KEYS);
            let separator = source.strings(&mut arguments, "separator");
            let name_key = source.text(&mut arguments, "name_key").map_or_else(|| "name".to_owned(), |word| word.text);
            let id_key = source.text(&mut arguments, "id_key").map(|word| word.text.into());
            let is_list = source.flag(&mut arguments, "list");
            let has_built_in = source.flag(&mut arguments, "built_in");
            source.finish(&arguments);
            Form::Json(Arc::new(JsonCalls {
                about: info,
                markers: block_markers(source, &mut call, open, close, is_close_optional, at_line),
                name_key: name_key.into(),
                id_key,
                key,
                is_list,
                has_built_in,
                separator,
            }))
        }
        Kind::PythonCalls => {
            let mut arguments = arguments?;
            let is_list = source.flag(&mut arguments, "list");
            source.finish(&arguments);
            let markers = block_markers(source, &mut call, open, close, is_close_optional, at_line);
            Form::Python(Arc::new(PythonCalls { about: info, markers, is_list }))
        }
        _ => {
            let header = Header { open, close, is_close_optional, place, name, id };
            Form::Tagged(Arc::new(tagged(
                source,
                info,
                &mut call,
                header,
                arguments.map(|fields| (fields, kind)),
                section,
            )))
        }
    };
    source.finish(&call);
    Some(form)
}

/// The parts of a call's header that its markers describe.
struct Header {
    open: Vec<Marker>,
    close: Vec<Marker>,
    is_close_optional: bool,
    place: MarkerPlace,
    name: Option<NameRule>,
    id: Option<NameRule>,
}

/// Builds a form whose opening marker contains the name.
fn tagged(
    source: &mut Source,
    info: &'static DialectInfo,
    call: &mut Fields,
    header: Header,
    arguments: Option<(Fields, Kind)>,
    section: Option<Fields>,
) -> Shape {
    let call_place = source.place_of(call);
    let mut shape = Shape {
        about: info,
        naming: Naming::Equals,
        pairs: Vec::new(),
        firsts: Vec::new(),
        order: TagOrder::default(),
        near: NearWords::default(),
        repeats: Repeats::Last,
        strip: Strip::Nothing,
        wrapping: Wrapping::Group,
        values: Values::Text,
        unescape: Unescape::Nothing,
        body: Body::Text { key: "input".into() },
        is_close_optional: header.is_close_optional || header.close.is_empty(),
        next_ends_value: false,
        strict: source.choice(call, "runtime", &[("lenient", false), ("tool_tags", true)]),
        place: header.place,
        fence: source.choice(call, "in_fence", &[("example", FenceRule::Example), ("usual", FenceRule::Usual)]),
        drops_values_with: Vec::new(),
        name: header.name.unwrap_or_default(),
        id: header.id.unwrap_or_default(),
    };
    shape.pairs.extend(pairs(Part::Call, header.open, &header.close));
    if let Some((arguments, kind)) = arguments {
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
        source.fault(call_place, "no marker of the call contains {name}; add it, or set name: {fixed: …}");
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
    shape.order = TagOrder::new(&shape.pairs);
    shape.near = NearWords::new(&shape.pairs);
    shape
}

const ARGUMENT_KEYS: [(&str, ArgumentsKey); 5] = [
    ("arguments", ArgumentsKey::Arguments),
    ("parameters", ArgumentsKey::Parameters),
    ("args", ArgumentsKey::Args),
    ("input", ArgumentsKey::Input),
    ("name_is_key", ArgumentsKey::NameIsKey),
];

/// The markers of a block that contains whole calls.
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

/// Parses the settings of a call's body.
fn body(source: &mut Source, mut arguments: Fields, kind: Kind, shape: &mut Shape) {
    let place = source.place_of(&arguments);
    shape.body = match kind {
        Kind::Json => Body::Json,
        Kind::Yaml => Body::Yaml,
        Kind::Notation(notation) => Body::Notation(notation),
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
            let keys = source.strings(&mut arguments, "keys");
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
        let known = source.problems.len();
        let open = markers(source, &mut arguments, "open", &[]);
        let is_missing = open.is_empty() && source.problems.len() == known;
        let close = markers(source, &mut arguments, "close", &[]);
        if is_missing {
            source.fault(place, "open is missing: the text that an argument begins with, with {key} in it");
        }
        for marker in open.iter().filter(|marker| !marker.has(Slot::Key)) {
            source.fault(place, format!("{} has no {{key}}: the place of the argument's name", marker.source()));
        }
        shape.pairs.extend(pairs(Part::Parameter, open, &close));
        shape.repeats = source.choice(&mut arguments, "repeat", &[("last", Repeats::Last), ("list", Repeats::List)]);
        shape.drops_values_with = source.strings(&mut arguments, "drops_values_with");
        shape.unescape =
            source.choice(&mut arguments, "unescape", &[("nothing", Unescape::Nothing), ("xml", Unescape::Xml)]);
        if let Some(mut values) = source.map(&mut arguments, "values") {
            shape.values = values_rule(source, &mut values);
            source.finish(&values);
        }
    }
    source.finish(&arguments);
}

fn values_rule(source: &mut Source, values: &mut Fields) -> Values {
    let place = source.place_of(values);
    let json = source.strings(values, "json_type");
    let text = source.strings(values, "text_type");
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

/// Parses the rule that derives a name or an id from the text in a marker.
fn name_rule(source: &mut Source, mut fields: Fields) -> NameRule {
    let rule = NameRule {
        fixed: source.text(&mut fields, "fixed").map(|word| word.text),
        strip_prefix: source.text(&mut fields, "strip_prefix").map(|word| word.text),
        strip_suffix: source.text(&mut fields, "strip_suffix").map(|word| word.text),
        until: source.text(&mut fields, "until").map(|word| word.text),
        until_last: source.text(&mut fields, "until_last").map(|word| word.text),
    };
    source.finish(&fields);
    rule
}

/// The markers of a section, and what it encloses.
fn pairs_of_section(source: &mut Source, mut section: Fields) -> (Vec<(Marker, Marker)>, Wrapping) {
    let place = source.place_of(&section);
    let open = markers(source, &mut section, "open", &[]);
    let close = markers(source, &mut section, "close", &[]);
    if open.is_empty() || open.len() != close.len() {
        source.fault(place, "a section needs open and close, with the same number of markers in each");
    }
    let around = source.choice(&mut section, "around", &[("all", Wrapping::Group), ("each", Wrapping::Each)]);
    source.finish(&section);
    (open.into_iter().zip(close).collect(), around)
}

/// Pairs opening with closing markers: one to one if their numbers are equal, otherwise each with all closing ones.
fn pairs(part: Part, open: Vec<Marker>, close: &[Marker]) -> Vec<Pair> {
    let is_each = open.len() == close.len();
    let closes = |number: usize| {
        let close = if is_each { &close[number..=number] } else { close };
        close.iter().cloned().map(Marker::with_blanks).collect()
    };
    let pairs = open.into_iter().enumerate();
    pairs.map(|(number, open)| Pair { part, open: open.with_blanks(), close: closes(number) }).collect()
}

/// The markers given under a key.
fn markers(source: &mut Source, fields: &mut Fields, name: &'static str, followed_by: &[String]) -> Vec<Marker> {
    let words = source.texts(fields, name);
    if let Some(word) = words.get(MAX_MARKERS) {
        source.fault(word.place, format!("more than {MAX_MARKERS} markers"));
    }
    let words: Vec<Word> = words.into_iter().take(MAX_MARKERS).collect();
    let found: Vec<Marker> = words.iter().filter_map(|word| marker(source, word, followed_by)).collect();
    for (word, _) in words.iter().zip(&found).filter(|(_, marker)| name == "close" && !marker.has_lead()) {
        source.fault(word.place, "a closing marker begins with the text that identifies it, not with a slot");
    }
    found
}

pub(super) fn marker(source: &mut Source, word: &Word, followed_by: &[String]) -> Option<Marker> {
    match Marker::parse(&word.text) {
        Ok(marker) => Some(marker.followed_by(followed_by)),
        Err(error) => {
            // The position in the text is known only if the text contains no escapes.
            let is_plain = word.place.len() == word.text.len();
            let at = word.place.start + error.at.min(word.text.len());
            let place = if is_plain { Span::new(at, word.place.end) } else { word.place };
            source.fault(place, error.message);
            None
        }
    }
}
