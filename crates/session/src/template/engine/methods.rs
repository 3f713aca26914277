//! Methods of Python's strings, dicts and lists, as templates call them.
//!
//! Most of them are `minijinja_contrib::pycompat`. Here are the methods whose result differs there, and the ones that it lacks.
//! What would change a list or dict is refused, as transformers' sandbox does.

use minijinja::value::{Kwargs, Value, ValueKind, from_args};
use minijinja::{Error, ErrorKind, State};
use minijinja_contrib::pycompat::unknown_method_callback;

use super::iterable::{DictView, DictViewKind, python_type, type_error};
use super::markup;

/// Methods that change a list, a dict or a set. The sandbox of transformers refuses them.
const MUTATING: [&str; 15] = [
    "add",
    "append",
    "clear",
    "difference_update",
    "discard",
    "extend",
    "insert",
    "pop",
    "popitem",
    "remove",
    "reverse",
    "setdefault",
    "sort",
    "symmetric_difference_update",
    "update",
];

/// Calls a method of a value.
///
/// # Errors
///
/// An unknown method, arguments that Python refuses, and methods that change their object.
pub fn call(state: &mut State<'_, '_>, value: &Value, method: &str, args: &[Value]) -> Result<Value, Error> {
    match value.kind() {
        ValueKind::String => {
            let text = value.as_str().unwrap_or_default();
            let escaped = value.is_safe().then(|| markup::arguments(method, args));
            let args = escaped.as_deref().unwrap_or(args);
            let result = match string_method(text, method, args)? {
                Some(result) => result,
                None => unknown_method_callback(state, value, method, args)?,
            };
            Ok(markup::like(value, result))
        }
        ValueKind::Map | ValueKind::Seq | ValueKind::Iterable if MUTATING.contains(&method) => Err(Error::new(
            ErrorKind::InvalidOperation,
            format!("access to attribute '{method}' of '{}' object is unsafe", python_type(value)),
        )),
        ValueKind::Map => match method {
            "items" => {
                let () = from_args(args)?;
                Ok(DictView::of(DictViewKind::Items, pairs(value)?))
            }
            "keys" => {
                let () = from_args(args)?;
                Ok(DictView::of(DictViewKind::Keys, value.try_iter()?.collect()))
            }
            "values" => {
                let () = from_args(args)?;
                let values = value.try_iter()?.map(|key| value.get_item(&key)).collect::<Result<_, _>>()?;
                Ok(DictView::of(DictViewKind::Values, values))
            }
            "copy" => {
                let () = from_args(args)?;
                Ok(value.clone())
            }
            _ => unknown_method_callback(state, value, method, args),
        },
        ValueKind::Seq if method == "copy" => Ok(value.clone()),
        ValueKind::Seq | ValueKind::Iterable if method == "index" => {
            let (item,): (&Value,) = from_args(args)?;
            let position = value.try_iter()?.position(|other| other == *item);
            position.map(Value::from).ok_or_else(|| type_error(format!("{item} is not in list")))
        }
        _ => unknown_method_callback(state, value, method, args),
    }
}

/// Pairs of key and value of a dict.
pub(super) fn pairs(value: &Value) -> Result<Vec<Value>, Error> {
    value
        .try_iter()?
        .map(|key| {
            let item = value.get_item(&key)?;
            Ok(Value::from(minijinja::value::Tuple::from([key, item])))
        })
        .collect()
}

/// True if Python's `str.strip()` removes the character.
pub(super) fn is_space(character: char) -> bool {
    character.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&character)
}

/// The result of a method of a string; nothing for one that is left to the library.
fn string_method(text: &str, method: &str, args: &[Value]) -> Result<Option<Value>, Error> {
    let characters = |args: &[Value]| -> Result<Option<String>, Error> {
        let (characters,): (Option<String>,) = from_args(args)?;
        Ok(characters)
    };
    Ok(Some(match method {
        "strip" => Value::from(strip(text, characters(args)?.as_deref(), true, true)),
        "lstrip" => Value::from(strip(text, characters(args)?.as_deref(), true, false)),
        "rstrip" => Value::from(strip(text, characters(args)?.as_deref(), false, true)),
        "split" => split(text, args)?,
        "rsplit" => rsplit(text, args)?,
        "splitlines" => {
            let (keep_ends,): (Option<bool>,) = from_args(args)?;
            Value::from(split_lines(text, keep_ends.unwrap_or(false)))
        }
        "partition" => {
            let (separator,): (&str,) = from_args(args)?;
            triple(text.split_once(separator).map_or((text, "", ""), |(left, right)| (left, separator, right)))
        }
        "rpartition" => {
            let (separator,): (&str,) = from_args(args)?;
            triple(text.rsplit_once(separator).map_or(("", "", text), |(left, right)| (left, separator, right)))
        }
        "removeprefix" => {
            let (prefix,): (&str,) = from_args(args)?;
            Value::from(text.strip_prefix(prefix).unwrap_or(text))
        }
        "removesuffix" => {
            let (suffix,): (&str,) = from_args(args)?;
            Value::from(text.strip_suffix(suffix).unwrap_or(text))
        }
        "casefold" => Value::from(text.to_lowercase()),
        "title" => {
            let mut follows_letter = false;
            let title = text.chars().map(|character| {
                let is_first = !std::mem::replace(&mut follows_letter, character.is_alphabetic());
                if is_first { character.to_uppercase().collect() } else { character.to_lowercase().collect::<String>() }
            });
            Value::from(title.collect::<String>())
        }
        "swapcase" => {
            let swap = |character: char| {
                if character.is_uppercase() {
                    character.to_lowercase().collect::<String>()
                } else {
                    character.to_uppercase().collect()
                }
            };
            Value::from(text.chars().map(swap).collect::<String>())
        }
        "isdecimal" => Value::from(!text.is_empty() && text.chars().all(char::is_numeric)),
        "isidentifier" => {
            let is_word = |character: char| character.is_alphanumeric() || character == '_';
            Value::from(text.chars().all(is_word) && text.chars().next().is_some_and(|first| !first.is_numeric()))
        }
        "ljust" | "rjust" | "center" => {
            let (width, fill): (usize, Option<&str>) = from_args(args)?;
            let padding = match method {
                "ljust" => Padding::End,
                "rjust" => Padding::Start,
                _ => Padding::Both,
            };
            Value::from(padded(text, width, fill.unwrap_or(" "), padding)?)
        }
        "zfill" => {
            let (width,): (usize,) = from_args(args)?;
            let sign = usize::from(text.starts_with(['-', '+']));
            let width = width.saturating_sub(sign);
            Value::from(format!("{}{}", &text[..sign], padded(&text[sign..], width, "0", Padding::Start)?))
        }
        "index" => {
            let (needle,): (&str,) = from_args(args)?;
            let at = text.find(needle).ok_or_else(|| type_error("substring not found"))?;
            Value::from(text[..at].chars().count())
        }
        "join" => {
            let (items,): (&Value,) = from_args(args)?;
            if items.is_none() {
                return Err(type_error("can only join an iterable"));
            }
            let mut joined = String::new();
            for (index, item) in items.try_iter()?.enumerate() {
                let Some(item) = item.as_str() else {
                    let kind = python_type(&item);
                    return Err(type_error(format!("sequence item {index}: expected str instance, {kind} found")));
                };
                if index > 0 {
                    joined.push_str(text);
                }
                joined.push_str(item);
            }
            Value::from(joined)
        }
        _ => return Ok(None),
    }))
}

fn triple((left, separator, right): (&str, &str, &str)) -> Value {
    Value::from(minijinja::value::Tuple::from([Value::from(left), Value::from(separator), Value::from(right)]))
}

/// `str.strip`, of one end or both.
pub(super) fn strip<'a>(text: &'a str, characters: Option<&str>, start: bool, end: bool) -> &'a str {
    let strips = |character: char| match characters {
        Some(characters) => characters.contains(character),
        None => is_space(character),
    };
    let text = if start { text.trim_start_matches(strips) } else { text };
    if end { text.trim_end_matches(strips) } else { text }
}

/// The sides of a text that are padded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Padding {
    /// Before it, as `rjust` does.
    Start,
    /// After it, as `ljust` does.
    End,
    /// On both sides, as `center` does.
    Both,
}

/// Characters of a padded text.
const MAX_WIDTH: usize = 1 << 20;

/// A text with as many characters as `width`, at least.
pub(super) fn padded(text: &str, width: usize, fill: &str, padding: Padding) -> Result<String, Error> {
    if width > MAX_WIDTH {
        return Err(type_error(format!("a text of more than {MAX_WIDTH} characters is too long to pad")));
    }
    let missing = width.saturating_sub(text.chars().count());
    let start = match padding {
        Padding::Start => missing,
        Padding::End => 0,
        // As `str.center`: of an odd number, the larger half is after the text unless the width is odd, too.
        Padding::Both => missing / 2 + (missing & width & 1),
    };
    Ok(format!("{}{text}{}", fill.repeat(start), fill.repeat(missing - start)))
}

/// Separator and number of splits (none: as many as there are) of `split` and `rsplit`.
fn split_arguments(args: &[Value]) -> Result<(Option<String>, Option<usize>), Error> {
    let (separator, limit, named): (Option<Value>, Option<i64>, Kwargs) = from_args(args)?;
    let separator = match separator {
        Some(separator) => Some(separator),
        None => named.get::<Option<Value>>("sep")?,
    };
    let limit = match limit {
        Some(limit) => Some(limit),
        None => named.get::<Option<i64>>("maxsplit")?,
    };
    named.assert_all_used()?;
    let separator = match separator.filter(|value| !value.is_none()) {
        Some(separator) => match separator.as_str() {
            Some("") => return Err(type_error("empty separator")),
            Some(separator) => Some(separator.to_owned()),
            None => return Err(type_error(format!("must be str or None, not {}", python_type(&separator)))),
        },
        None => None,
    };
    Ok((separator, limit.and_then(|limit| usize::try_from(limit).ok())))
}

fn split(text: &str, args: &[Value]) -> Result<Value, Error> {
    let (separator, limit) = split_arguments(args)?;
    let parts: Vec<&str> = match (&separator, limit) {
        (Some(separator), Some(limit)) => text.splitn(limit.saturating_add(1), separator.as_str()).collect(),
        (Some(separator), None) => text.split(separator.as_str()).collect(),
        (None, limit) => {
            let (mut rest, mut parts) = (text.trim_start_matches(is_space), Vec::new());
            while !rest.is_empty() {
                let end = if limit.is_some_and(|limit| parts.len() >= limit) { None } else { rest.find(is_space) };
                let Some(end) = end else {
                    parts.push(rest.trim_end_matches(|character| limit.is_none() && is_space(character)));
                    break;
                };
                parts.push(&rest[..end]);
                rest = rest[end..].trim_start_matches(is_space);
            }
            parts
        }
    };
    Ok(parts.into_iter().map(Value::from).collect::<Vec<_>>().into())
}

fn rsplit(text: &str, args: &[Value]) -> Result<Value, Error> {
    let (separator, limit) = split_arguments(args)?;
    let Some(separator) = separator else {
        let mut words: Vec<&str> = text.split(is_space).filter(|word| !word.is_empty()).collect();
        if let Some(limit) = limit.filter(|&limit| limit < words.len()) {
            let first = words.split_off(words.len() - limit);
            let rest = first.first().map_or(text, |word| &text[..word.as_ptr() as usize - text.as_ptr() as usize]);
            words = std::iter::once(strip(rest, None, true, true)).chain(first).collect();
        }
        return Ok(words.into_iter().map(Value::from).collect::<Vec<_>>().into());
    };
    let mut parts: Vec<&str> = match limit {
        Some(limit) => text.rsplitn(limit.saturating_add(1), separator.as_str()).collect(),
        None => text.rsplit(separator.as_str()).collect(),
    };
    parts.reverse();
    Ok(parts.into_iter().map(Value::from).collect::<Vec<_>>().into())
}

/// `str.splitlines`: at all ends of lines that Python knows.
pub(super) fn split_lines(text: &str, keep_ends: bool) -> Vec<Value> {
    let ends = ['\n', '\r', '\u{b}', '\u{c}', '\u{1c}', '\u{1d}', '\u{1e}', '\u{85}', '\u{2028}', '\u{2029}'];
    let (mut rest, mut lines) = (text, Vec::new());
    while let Some(at) = rest.find(ends) {
        let length =
            if rest[at..].starts_with("\r\n") { 2 } else { rest[at..].chars().next().map_or(1, char::len_utf8) };
        lines.push(Value::from(&rest[..if keep_ends { at + length } else { at }]));
        rest = &rest[at + length..];
    }
    if !rest.is_empty() {
        lines.push(Value::from(rest));
    }
    lines
}
