//! The markers of calls with a header, and what their runtime makes of what stands between them.

pub(in crate::dialect::declared) use super::near_miss::NearWords;
use super::tag::Tag;
pub(in crate::dialect::declared) use super::tag::TagOrder;
use crate::dialect::DialectInfo;
use crate::dialect::declared::marker::Marker;
use crate::dialect::declared::name_rule::NameRule;
use crate::text::Text;
pub(in crate::dialect::declared) use crate::value::nested_tags::ValueStrip as Strip;
use crate::value::notation::Notation;

/// The markers of such calls, and what their runtime makes of what is between them.
#[derive(Debug)]
pub(in crate::dialect::declared) struct Shape {
    pub(in crate::dialect::declared) about: &'static DialectInfo,
    pub(in crate::dialect::declared) naming: Naming,
    /// The markers; the first ones of each part are those that are written.
    pub(in crate::dialect::declared) pairs: Vec<Pair>,
    /// The bytes with which they begin, each once.
    pub(in crate::dialect::declared) firsts: Vec<u8>,
    /// The order in which they are looked for.
    pub(in crate::dialect::declared) order: TagOrder,
    /// What is almost one of them is told by these.
    pub(in crate::dialect::declared) near: NearWords,
    pub(in crate::dialect::declared) repeats: Repeats,
    pub(in crate::dialect::declared) strip: Strip,
    pub(in crate::dialect::declared) wrapping: Wrapping,
    pub(in crate::dialect::declared) values: Values,
    pub(in crate::dialect::declared) unescape: Unescape,
    /// The runtime drops a parameter whose value holds any of these.
    pub(in crate::dialect::declared) drops_values_with: Vec<String>,
    pub(in crate::dialect::declared) body: Body,
    /// Whether a call may go without its closing marker: it ends with its body.
    pub(in crate::dialect::declared) is_close_optional: bool,
    /// Whether a value also ends where the next marker of the call stands.
    pub(in crate::dialect::declared) next_ends_value: bool,
    /// Where a call may begin.
    pub(in crate::dialect::declared) place: MarkerPlace,
    /// What a code fence around a call says of it.
    pub(in crate::dialect::declared) fence: FenceRule,
    /// How the name is made of what the opening marker holds.
    pub(in crate::dialect::declared) name: NameRule,
    /// The same of the id.
    pub(in crate::dialect::declared) id: NameRule,
    /// Whether any fault makes the runtime reject the message.
    pub(in crate::dialect::declared) strict: bool,
}

impl Shape {
    /// The markers that are written for a part, if it has any.
    pub(super) fn pair(&self, part: Part) -> Option<&Pair> {
        self.pairs.iter().find(|pair| pair.part == part)
    }

    /// What closes a tag, with its name where that is repeated.
    pub(super) fn closer(&self, tag: Tag, text: &Text) -> String {
        let close = self.pairs[tag.pair].close.first();
        close.map(|close| close.write(|_| Some(text.read_str(tag.name).into_owned()))).unwrap_or_default()
    }

    /// The next byte with which a marker may begin.
    pub(super) fn next_place(&self, bytes: &[u8]) -> Option<usize> {
        match *self.firsts {
            [one] => memchr::memchr(one, bytes),
            [one, two] => memchr::memchr2(one, two, bytes),
            [one, two, three] => memchr::memchr3(one, two, three, bytes),
            _ => bytes.iter().position(|byte| self.firsts.contains(byte)),
        }
    }

    /// Whether a marker may begin with this byte.
    pub(super) fn may_begin(&self, byte: u8) -> bool {
        self.firsts.contains(&byte)
    }
}

/// What opens and closes a part of a call.
#[derive(Debug)]
pub(in crate::dialect::declared) struct Pair {
    pub(in crate::dialect::declared) part: Part,
    pub(in crate::dialect::declared) open: Marker,
    /// Any of these closes it; the first one is written. Nothing does if there is none.
    pub(in crate::dialect::declared) close: Vec<Marker>,
}

/// What becomes of a parameter that is given more than once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::dialect::declared) enum Repeats {
    /// Its values are a list.
    List,
    Last,
}

/// What a code fence around a call says of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::dialect::declared) enum FenceRule {
    /// That it may be an example, which the runtime takes for a call all the same.
    Example,
    /// Nothing: calls are written in fences as a rule.
    Usual,
}

/// Where the opening marker of a call may stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::dialect::declared) enum MarkerPlace {
    Anywhere,
    /// At the beginning of a line.
    Line,
    /// At the beginning of a message, whose first marker stands in the prompt.
    MessageStart,
}

/// How characters of a value are written in another way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::dialect::declared) enum Unescape {
    Nothing,
    /// Entities and CDATA sections, as in XML.
    Xml,
}

/// What stands between the opening and the closing marker of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::dialect::declared) enum Body {
    /// Arguments between markers of their own.
    Parameters,
    Json,
    /// An object with bare keys, whose strings stand between these delimiters.
    Object {
        quote: String,
    },
    /// Tags named by keys, each behind this prefix.
    NestedTags {
        prefix: String,
    },
    /// A notation without settings.
    Notation(Notation),
    Yaml,
    /// A line each, with this between key and value.
    Lines {
        separator: String,
    },
    /// Texts with a line of this between them, each the argument with the key of its place.
    Parts {
        separator: String,
        keys: Vec<String>,
    },
    /// One text, which is the argument with this key.
    Text {
        key: String,
    },
}

/// Which values are JSON.
#[derive(Debug)]
pub(in crate::dialect::declared) enum Values {
    Text,
    /// Those whose tag names this type; texts have the other one. Whether tags are written with their types.
    JsonIf {
        json: String,
        text: String,
        is_written: bool,
    },
    /// Those whose tag names none of these types.
    JsonUnless(Vec<String>),
    /// All that can be read as JSON.
    JsonOrText,
}

impl Values {
    /// Whether a value with this type in its tag has to be JSON.
    pub(super) fn is_json(&self, kind: Option<&str>) -> bool {
        let names = |types: &[String]| kind.is_some_and(|kind| types.iter().any(|known| known == kind));
        match self {
            Values::Text | Values::JsonOrText => false,
            Values::JsonIf { json, .. } => kind == Some(json),
            Values::JsonUnless(types) => !names(types),
        }
    }

    /// The type that the tag of a value names when it is written.
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

/// Where a tag has its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::dialect::declared) enum Naming {
    /// Behind the word, also in closing tags: `<tool:read>`.
    InTag,
    /// In an attribute: `<invoke name="read">`.
    Attribute,
    /// Behind the word of opening tags: `<function=read>`.
    Equals,
}

/// Of what a tag is a tag.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::dialect::declared) enum Part {
    Call,
    Parameter,
    Wrapper,
}

/// What a wrapper is around.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::dialect::declared) enum Wrapping {
    /// Around all calls of a message.
    Group,
    Each,
}
