//! A field of a response template: the delimiters of its regions, and the parser and shape of their text.

use super::load::{LoadError, Node, python_repr};
use super::pattern::Pattern;
use super::shape::Shape;

const KEYS: [&str; 11] = [
    "open",
    "open_pattern",
    "close",
    "close_pattern",
    "content",
    "content_args",
    "repeats",
    "join",
    "optional",
    "transform",
    "transform_each",
];

/// Names of the content parsers, in the order of the reference's list.
const PARSERS: [&str; 7] = ["bool", "float", "int", "json", "kv-lines", "text", "xml-inline"];

/// Maximum nesting depth of content parsers.
const MAX_NESTED: usize = 8;

/// A valid field.
#[derive(Debug)]
pub(super) struct Field {
    pub(super) name: String,
    pub(super) open: Option<Pattern>,
    /// True if it has no opener, not even an invalid one.
    pub(super) is_implicit: bool,
    pub(super) close: Option<Pattern>,
    pub(super) content: Content,
    /// True if each region replaces the previous one.
    pub(super) overwrites: bool,
    pub(super) transform: Option<Shape>,
    /// True if the transform is applied to each element of a list.
    pub(super) each: bool,
}

/// The parser that converts the text of a region to a value.
#[derive(Debug)]
pub(super) enum Content {
    Text { strip: Strip },
    Int { strip: Strip },
    Float { strip: Strip },
    Bool { strip: Strip },
    Json(JsonForm),
    XmlInline { tag: Box<Pattern>, value: Option<Box<Content>>, merge: bool },
    KvLines { line: String, pair: String, strip: Strip, value: Option<Box<Content>> },
}

/// Whether whitespace at both ends is stripped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Strip {
    Both,
    Keep,
}

/// Permitted deviations of a region's text from JSON.
#[derive(Debug)]
pub(super) struct JsonForm {
    /// True if keys may lack quotes.
    pub(super) bare_keys: bool,
    /// Alternative pairs of string delimiters.
    pub(super) delimiters: Vec<(String, String)>,
    /// If set, text that is not JSON is a string, stripped accordingly.
    pub(super) or_text: Option<Strip>,
}

impl Content {
    fn read(name: &str, arguments: Option<Node<'_>>, level: usize, errors: &mut Vec<LoadError>) -> Option<Self> {
        let argument = |key: &str| arguments.and_then(|node| node.member(key));
        let strip = if argument("strip").is_none_or(|node| node.is_truthy()) { Strip::Both } else { Strip::Keep };
        let is_set = |key: &str| argument(key).is_some_and(|node| node.is_truthy());
        Some(match name {
            "text" => Content::Text { strip },
            "int" => Content::Int { strip },
            "float" => Content::Float { strip },
            "bool" => Content::Bool { strip },
            "json" => Content::Json(JsonForm {
                bare_keys: is_set("unquoted_keys"),
                delimiters: argument("string_delims").map_or(Some(Vec::new()), |node| delimiters(node, errors))?,
                or_text: is_set("allow_non_json").then_some(strip),
            }),
            "xml-inline" => {
                let Some(node) = argument("tag_pattern") else {
                    let message = "xml-inline: 'tag_pattern' content_arg is required";
                    let help = "give content_args a tag_pattern with groups named key and value";
                    let place = arguments.map_or_else(Default::default, |node| node.mark());
                    errors.push(LoadError::new(place, message, help));
                    return None;
                };
                let tag = node.expression("xml-inline: invalid tag_pattern regex", errors)?;
                if !tag.groups.iter().any(|(name, _)| name == "key") {
                    let pattern = node.string().unwrap_or_default();
                    let message = format!("xml-inline: tag_pattern must have a named group 'key'. Pattern: {pattern}");
                    errors.push(LoadError::new(node.mark(), message, "write (?P<key>…) around the key"));
                }
                let value = nested(argument("value_parser"), level, errors).ok()?;
                Content::XmlInline { tag: Box::new(tag), value, merge: is_set("merge_duplicates") }
            }
            _ => {
                let text =
                    |key: &str, default: &str| argument(key).and_then(|node| node.string()).unwrap_or(default.into());
                let value = nested(argument("value_parser"), level, errors).ok()?;
                let (line, pair) = (text("line_sep", "\n"), text("kv_sep", ":"));
                for (key, separator) in [("line_sep", &line), ("kv_sep", &pair)] {
                    if let Some(node) = argument(key).filter(|_| separator.is_empty()) {
                        errors.push(LoadError::new(node.mark(), "empty separator", format!("write what {key} is")));
                    }
                }
                Content::KvLines { line, pair, strip, value }
            }
        })
    }
}

/// Error: an invalid content parser, which has been reported.
struct Refused;

/// Reads the parser for nested values, if any.
fn nested(node: Option<Node<'_>>, level: usize, errors: &mut Vec<LoadError>) -> Result<Option<Box<Content>>, Refused> {
    let Some(node) = node.filter(|node| !node.is_null()) else { return Ok(None) };
    if level >= MAX_NESTED {
        let message = format!("value parsers are nested more than {MAX_NESTED} levels deep");
        errors.push(LoadError::new(node.mark(), message, "take a value_parser out"));
        return Err(Refused);
    }
    let name = node.member("name");
    let words = name.map_or_else(|| "text".to_owned(), |name| name.string().unwrap_or_default());
    if !PARSERS.contains(&words.as_str()) {
        let message = format!("unknown content parser {}. Available: {}", python_repr(&words), listed(&PARSERS));
        errors.push(LoadError::new(name.unwrap_or(node).mark(), message, "name one of these"));
        return Err(Refused);
    }
    Content::read(&words, node.member("args"), level + 1, errors).map(|content| Some(Box::new(content))).ok_or(Refused)
}

fn delimiters(node: Node<'_>, errors: &mut Vec<LoadError>) -> Option<Vec<(String, String)>> {
    let mut pairs = Vec::new();
    for pair in node.children() {
        let texts: Vec<String> = pair.children().filter_map(|node| node.string()).collect();
        match <[String; 2]>::try_from(texts) {
            Ok([open, close]) if pair.is_array() && !open.is_empty() && !close.is_empty() => pairs.push((open, close)),
            _ => {
                let help = "write what opens and what closes a string: [\"<\", \">\"]";
                errors.push(LoadError::new(pair.mark(), "string_delims must be a list of pairs of texts", help));
                return None;
            }
        }
    }
    Some(pairs)
}

/// Formats names like Python prints a list of them.
fn listed(names: &[impl AsRef<str>]) -> String {
    let names: Vec<String> = names.iter().map(|name| python_repr(name.as_ref())).collect();
    format!("[{}]", names.join(", "))
}

impl Field {
    /// Reads a field, whose key is its name.
    pub(super) fn read(node: Node<'_>, errors: &mut Vec<LoadError>) -> Option<Self> {
        let name = node.key().to_owned();
        let scope = format!("Field '{name}'");
        if !node.is_object() {
            errors.push(LoadError::new(node.mark(), format!("{scope} must be a dict"), "write an object"));
            return None;
        }
        errors.extend(node.unknown_keys(&KEYS, |keys| format!("{scope}: unknown keys {keys}")));
        let content = node.member("content");
        let parser =
            content.map_or_else(|| "text".to_owned(), |node| node.string().unwrap_or_else(|| node.python_str()));
        let is_known = PARSERS.contains(&parser.as_str());
        if !is_known {
            let message = format!("{scope}: unknown content parser '{parser}'. Available: {}", listed(&PARSERS));
            errors.push(LoadError::new(content.unwrap_or(node).mark(), message, "name one of these"));
        }
        let open = node.pattern(&scope, "open", "open_pattern", errors);
        let close = node.pattern(&scope, "close", "close_pattern", errors);
        let set = |key: &str| node.member(key).filter(|node| !node.is_null());
        let is_set = |key: &str| node.member(key).is_some_and(|node| node.is_truthy());
        let join = set("join");
        if let Some(join) = join.filter(|join| join.string().is_none()) {
            let message = format!("{scope}: 'join' must be a string, got {}", join.python_type());
            errors.push(LoadError::new(join.mark(), message, "write the text between the regions"));
        } else if let Some(join) = join.filter(|_| !is_set("repeats")) {
            let message = format!("{scope}: 'join' requires 'repeats': true");
            errors.push(LoadError::new(join.mark(), message, "add \"repeats\": true, or take join out"));
        }
        let each = node.member("transform_each");
        if let Some(each) = each.filter(|each| each.boolean().is_none()) {
            let message = format!("{scope}: transform_each must be a bool, got {}", each.python_type());
            errors.push(LoadError::new(each.mark(), message, "write true or false"));
        }
        let transform = set("transform");
        if let Some(each) = each.filter(|each| each.boolean() == Some(true) && transform.is_none()) {
            let message = format!("{scope}: transform_each is set but no transform was provided");
            errors.push(LoadError::new(each.mark(), message, "add a transform, or take transform_each out"));
        }
        if transform.is_none() {
            errors.extend(unused_groups(node, &scope, [open.as_ref(), close.as_ref()]));
        }
        let transform = transform.and_then(|transform| Shape::read(transform, &scope, errors));
        let content = is_known.then(|| Content::read(&parser, node.member("content_args").or(Some(node)), 0, errors));
        Some(Self {
            name,
            is_implicit: node.member("open").is_none() && node.member("open_pattern").is_none(),
            open,
            close,
            content: content.flatten().unwrap_or(Content::Text { strip: Strip::Both }),
            overwrites: join.is_none() && !is_set("repeats"),
            each: each.and_then(|each| each.boolean()).unwrap_or_default(),
            transform,
        })
    }
}

/// Reports named groups in a field without a transform, since they would be lost.
fn unused_groups(node: Node<'_>, scope: &str, patterns: [Option<&Pattern>; 2]) -> Option<LoadError> {
    let mut names: Vec<&str> = patterns
        .into_iter()
        .flatten()
        .flat_map(|pattern| pattern.groups.iter().map(|(name, _)| name.as_str()))
        .collect();
    names.sort_unstable();
    names.dedup();
    if names.is_empty() {
        return None;
    }
    let message = format!(
        "{scope}: open_pattern/close_pattern declares named group(s) {}, but the field has no 'transform'. Named captures \
         are only surfaced through a 'transform' template (where they appear alongside 'content'). Either add a \
         'transform' that uses the captures, or remove the named groups from the pattern.",
        listed(&names)
    );
    let place = node.member("open_pattern").or(node.member("close_pattern")).unwrap_or(node);
    Some(LoadError::new(place.mark(), message, "add a transform, or take the names out of the groups"))
}
