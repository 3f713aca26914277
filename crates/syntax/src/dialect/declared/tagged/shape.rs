//! The markers of calls with a header, and how their runtime reads the text between them.

pub(in crate::dialect::declared) use super::near_miss::NearWords;
use super::tag::Tag;
pub(in crate::dialect::declared) use super::tag::TagOrder;
use crate::dialect::DialectInfo;
use crate::dialect::declared::marker::Marker;
use crate::dialect::declared::name_rule::NameRule;
use crate::text::Text;
pub(in crate::dialect::declared) use crate::value::nested_tags::ValueStrip as Strip;
use crate::value::notation::Notation;

/// The markers of such calls, and how their runtime reads the text between them.
#[derive(Debug)]
pub(in crate::dialect::declared) struct Shape {
    pub(in crate::dialect::declared) about: &'static DialectInfo,
    pub(in crate::dialect::declared) naming: Naming,
    /// The markers; the first pair of each part is used for writing.
    pub(in crate::dialect::declared) pairs: Vec<Pair>,
    /// The distinct first bytes of the markers.
    pub(in crate::dialect::declared) firsts: Vec<u8>,
    /// The order in which they are tried.
    pub(in crate::dialect::declared) order: TagOrder,
    /// Patterns for near misses of the markers.
    pub(in crate::dialect::declared) near: NearWords,
    pub(in crate::dialect::declared) repeats: Repeats,
    pub(in crate::dialect::declared) strip: Strip,
    pub(in crate::dialect::declared) wrapping: Wrapping,
    pub(in crate::dialect::declared) values: Values,
    pub(in crate::dialect::declared) unescape: Unescape,
    /// The runtime drops a parameter whose value contains any of these.
    pub(in crate::dialect::declared) drops_values_with: Vec<String>,
    pub(in crate::dialect::declared) body: Body,
    /// True if a call may end with its body, without a closing marker.
    pub(in crate::dialect::declared) is_close_optional: bool,
    /// True if the next marker of the call also ends a value.
    pub(in crate::dialect::declared) next_ends_value: bool,
    /// Where a call may begin.
    pub(in crate::dialect::declared) place: MarkerPlace,
    /// Significance of a code fence around a call.
    pub(in crate::dialect::declared) fence: FenceRule,
    /// Derives the name from the text in the opening marker.
    pub(in crate::dialect::declared) name: NameRule,
    /// Derives the id from the text in the opening marker.
    pub(in crate::dialect::declared) id: NameRule,
    /// True if any fault makes the runtime reject the message.
    pub(in crate::dialect::declared) strict: bool,
}

impl Shape {
    /// The markers used for writing a part, if it has any.
    pub(super) fn pair(&self, part: Part) -> Option<&Pair> {
        self.pairs.iter().find(|pair| pair.part == part)
    }

    /// The closing marker for a tag, with its name if the marker repeats it.
    pub(super) fn closer(&self, tag: Tag, text: &Text) -> String {
        let close = self.pairs[tag.pair].close.first();
        close.map(|close| close.write(|_| Some(text.read_str(tag.name).into_owned()))).unwrap_or_default()
    }

    /// The offset of the next byte that may begin a marker.
    pub(super) fn next_place(&self, bytes: &[u8]) -> Option<usize> {
        match *self.firsts {
            [one] => memchr::memchr(one, bytes),
            [one, two] => memchr::memchr2(one, two, bytes),
            [one, two, three] => memchr::memchr3(one, two, three, bytes),
            _ => bytes.iter().position(|byte| self.firsts.contains(byte)),
        }
    }

    /// True if a marker may begin with this byte.
    pub(super) fn may_begin(&self, byte: u8) -> bool {
        self.firsts.contains(&byte)
    }
}

/// The markers that open and close a part of a call.
#[derive(Debug)]
pub(in crate::dialect::declared) struct Pair {
    pub(in crate::dialect::declared) part: Part,
    pub(in crate::dialect::declared) open: Marker,
    /// Any of these closes it; the first one is used for writing. Empty if nothing does.
    pub(in crate::dialect::declared) close: Vec<Marker>,
}

/// Treatment of a parameter that occurs more than once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::dialect::declared) enum Repeats {
    /// Its values form a list.
    List,
    Last,
}

/// Significance of a code fence around a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::dialect::declared) enum FenceRule {
    /// The call may be an example, although the runtime reads it as a call.
    Example,
    /// None: calls are usually written in fences.
    Usual,
}

/// Position at which the opening marker of a call may appear.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::dialect::declared) enum MarkerPlace {
    Anywhere,
    /// At the beginning of a line.
    Line,
    /// At the beginning of a message, whose first marker is part of the prompt.
    MessageStart,
}

/// Escapes in values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::dialect::declared) enum Unescape {
    Nothing,
    /// Entities and CDATA sections, as in XML.
    Xml,
}

/// Content between the opening and the closing marker of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::dialect::declared) enum Body {
    /// Arguments between separate markers.
    Parameters,
    Json,
    /// An object with bare keys; its strings are between these delimiters.
    Object {
        quote: String,
    },
    /// Tags named by keys, with this prefix.
    NestedTags {
        prefix: String,
    },
    /// A notation without settings.
    Notation(Notation),
    Yaml,
    /// One argument per line, with this between key and value.
    Lines {
        separator: String,
    },
    /// Texts separated by lines of this content; the n-th text is the argument with the n-th key.
    Parts {
        separator: String,
        keys: Vec<String>,
    },
    /// A single text: the argument with this key.
    Text {
        key: String,
    },
}

/// Which values are JSON.
#[derive(Debug)]
pub(in crate::dialect::declared) enum Values {
    Text,
    /// Values whose tag has the type `json`; strings have the type `text`. `is_written` is true if written tags
    /// contain their types.
    JsonIf {
        json: String,
        text: String,
        is_written: bool,
    },
    /// Values whose tag has none of these types.
    JsonUnless(Vec<String>),
    /// All values that are valid JSON.
    JsonOrText,
}

impl Values {
    /// True if a value with this type in its tag must be JSON.
    pub(super) fn is_json(&self, kind: Option<&str>) -> bool {
        let names = |types: &[String]| kind.is_some_and(|kind| types.iter().any(|known| known == kind));
        match self {
            Values::Text | Values::JsonOrText => false,
            Values::JsonIf { json, .. } => kind == Some(json),
            Values::JsonUnless(types) => !names(types),
        }
    }

    /// The type to write in the tag of a value.
    pub(super) fn type_word(&self, value: &serde_json::Value) -> Option<String> {
        match (self, value) {
            (Values::Text | Values::JsonOrText | Values::JsonIf { is_written: false, .. }, _) => None,
            (Values::JsonIf { text, .. }, serde_json::Value::String(_)) => Some(text.clone()),
            (Values::JsonIf { json, .. }, _) => Some(json.clone()),
            (Values::JsonUnless(_), value) => Some(type_name(value).to_owned()),
        }
    }
}

/// The name of a value's JSON type.
fn type_name(value: &serde_json::Value) -> &'static str {
    match value {
        serde_json::Value::Null => "null",
        serde_json::Value::Bool(_) => "boolean",
        serde_json::Value::Number(_) => "number",
        serde_json::Value::String(_) => "string",
        serde_json::Value::Array(_) => "array",
        serde_json::Value::Object(_) => "object",
    }
}

/// Position of the name in a tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::dialect::declared) enum Naming {
    /// After the word, also in closing tags: `<tool:read>`.
    InTag,
    /// In an attribute: `<invoke name="read">`.
    Attribute,
    /// After the word of opening tags: `<function=read>`.
    Equals,
}

/// The part of a call that a tag delimits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::dialect::declared) enum Part {
    Call,
    Parameter,
    Wrapper,
}

/// Scope of a wrapper.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::dialect::declared) enum Wrapping {
    /// Around all calls of a message.
    Group,
    Each,
}
