//! Values of Kubernetes secrets: the members of `data` and `stringData` of an object whose kind is `Secret`, in YAML or
//! JSON, whatever their names are.

use std::ops::Range;

use super::line_prefix;
use super::value::{Strength, ValueContext, is_secret};
use crate::text::steps;

pub(super) const SIGNS: &[&str] = &["kind: secret", "kind\": \"secret\"", "kind\":\"secret\"", "stringdata\""];

/// Most bytes of an object before and after its kind.
const LONGEST: usize = 16 * 1024;

/// Most bytes of a line.
const LONGEST_LINE: usize = 4 * 1024;

/// Calls `found` with the range of each value of the secret that has a sign here; text before `from` belongs to other
/// objects. Returns the end of the text that was searched.
pub(super) fn find(text: &str, sign: &Range<usize>, from: usize, found: &mut dyn FnMut(Range<usize>)) -> usize {
    let first = text.floor_char_boundary(sign.start.saturating_sub(LONGEST)).max(from.min(sign.start));
    let last = text.floor_char_boundary(sign.end + LONGEST);
    let end = if text[sign.clone()].starts_with(['k', 'K'])
        && text[sign.clone()].contains(": ")
        && !text[sign.clone()].contains('"')
    {
        in_yaml(text, sign.start, first..last, found)
    } else {
        let is_patch = text[sign.clone()].to_ascii_lowercase().starts_with("stringdata");
        in_json(text, if is_patch { sign.start } else { first }, sign, last, found)
    };
    steps::add(end - first);
    end
}

/// Searches the YAML document around a kind, whose lines have the same prefix as the kind's.
fn in_yaml(text: &str, kind: usize, within: Range<usize>, found: &mut dyn FnMut(Range<usize>)) -> usize {
    let begin = text[within.start..kind].rfind('\n').map_or(within.start, |at| within.start + at + 1);
    let prefix = line_prefix::of(&text[begin..kind]).replace("- ", "  ");
    if prefix.len() > LONGEST_LINE {
        return kind;
    }
    // The document begins after the line that has another kind, or none of its indentation.
    let member = |line: &str| line_prefix::len(line, &prefix).map(|len| (len, line[len..].to_owned()));
    let mut start = begin;
    while let Some(before) = text[within.start..start].strip_suffix('\n') {
        let line = &before[before.rfind('\n').map_or(0, |at| at + 1)..];
        let is_in = line.len() < LONGEST_LINE
            && member(&line.replacen("- ", "  ", 1)).is_some_and(|(_, rest)| !is_border(&rest));
        if !is_in {
            break;
        }
        start -= line.len() + 1;
    }
    let (mut at, mut is_data) = (start, false);
    for line in text[start..within.end].split_inclusive('\n') {
        let (number, words) = (at, line.trim_end());
        at += line.len();
        let plain = words.replacen("- ", "  ", usize::from(number <= begin));
        let Some(len) = line_prefix::len(&plain, &prefix).filter(|_| words.len() < LONGEST_LINE) else {
            if number > begin {
                return number;
            }
            continue;
        };
        let rest = &words[len..];
        if number > begin && is_border(rest) {
            return number;
        }
        if !rest.starts_with([' ', '\t']) && !rest.is_empty() {
            is_data = matches!(rest, "data:" | "stringData:");
        } else if is_data {
            let value = rest.split_once(": ").map_or(rest.trim_start(), |(_, value)| value.trim_start());
            report(text, number + words.len() - value.len(), value, found);
        }
    }
    at
}

/// True for a line that begins another object.
fn is_border(rest: &str) -> bool {
    rest.starts_with("---") || rest.starts_with("kind:")
}

/// Searches the JSON object around a kind.
fn in_json(text: &str, first: usize, sign: &Range<usize>, last: usize, found: &mut dyn FnMut(Range<usize>)) -> usize {
    let mut depth = 0_usize;
    let before = text[first..sign.start].rmatch_indices(['{', '}']).find(|(_, brace)| {
        let is_start = *brace == "{" && depth == 0;
        depth = if *brace == "}" { depth + 1 } else { depth.saturating_sub(1) };
        is_start
    });
    let start = before.map_or(first, |(at, _)| first + at);
    let mut depth = 0_usize;
    let after = text[sign.end..last].match_indices(['{', '}']).find(|(_, brace)| {
        let is_end = *brace == "}" && depth == 0;
        depth = if *brace == "{" { depth + 1 } else { depth.saturating_sub(1) };
        is_end
    });
    let end = after.map_or(last, |(at, _)| sign.end + at);
    for name in ["\"data", "\"stringData"] {
        let from = start.max(first);
        let Some(at) = text[from..end].find(name).map(|at| from + at + name.len()).or_else(|| {
            // The sign itself is the name.
            (name == "\"stringData" && start == sign.start).then_some(sign.end)
        }) else {
            continue;
        };
        let rest = text[at..end].trim_start_matches(['"', '\\', ' ', ':', '\n', '\r', '\t']);
        let Some(members) = rest.strip_prefix('{') else { continue };
        let members = &members[..members.find('}').unwrap_or(members.len())];
        let begin = end - rest.len() + 1;
        for (colon, _) in members.match_indices(':') {
            let value = members[colon + 1..].trim_start();
            let Some(value) = value.trim_start_matches('\\').strip_prefix('"') else { continue };
            let start = begin + members.len() - value.len();
            report(text, start, &value[..value.find(['"', '\\']).unwrap_or(value.len())], found);
        }
    }
    end
}

/// Reports a value without its quotation marks, unless it is a placeholder.
fn report(text: &str, start: usize, value: &str, found: &mut dyn FnMut(Range<usize>)) {
    let inner = value.trim_start_matches(['"', '\'']);
    let start = start + value.len() - inner.len();
    let inner = inner.trim_end_matches(['"', '\'']);
    if text.is_char_boundary(start) && is_secret(inner, Strength::Password, ValueContext::Quoted) {
        found(start..start + inner.len());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_a_secret_are_found_whatever_their_names_are() {
        for (text, expected) in [
            (
                "kind: Secret\ndata:\n  dsn: cG9zdGdyZXM=\n  url: aHR0cHM6\ntype: Opaque\n",
                vec!["cG9zdGdyZXM=", "aHR0cHM6"],
            ),
            ("data:\n  dsn: cG9zdGdyZXM=\nkind: Secret\n", vec!["cG9zdGdyZXM="]),
            ("- kind: Secret\n  stringData:\n    dsn: 'tr0ub4dor'\n", vec!["tr0ub4dor"]),
            (" 1\tkind: Secret\n 2\tdata:\n 3\t  dsn: cG9zdGdyZXM=\n", vec!["cG9zdGdyZXM="]),
            (
                "kind: ConfigMap\ndata:\n  a: abcdef\n---\nkind: Secret\ndata:\n  b: cG9zdGdyZXM=\n",
                vec!["cG9zdGdyZXM="],
            ),
            ("kind: Secret\n---\nkind: ConfigMap\ndata:\n  a: abcdef\n", vec![]),
            (r#"{"kind": "Secret", "data": {"a": "cG9z", "b": "dGdyZXM="}}"#, vec!["cG9z", "dGdyZXM="]),
            (r#"{"data":{"a":"cG9zdGdy"},"kind":"Secret"},{"data":{"b":"x123"}}"#, vec!["cG9zdGdy"]),
            (r#"-p '{"stringData":{"a":"tr0ub4dor"}}'"#, vec!["tr0ub4dor"]),
            ("kind: Secret\ndata:\n  dsn: <base64>\n", vec![]),
        ] {
            let small = text.to_lowercase();
            let sign = SIGNS.iter().find_map(|sign| Some((small.find(sign)?, sign.len()))).expect("a sign");
            let mut all = Vec::new();
            find(text, &(sign.0..sign.0 + sign.1), 0, &mut |range| all.push(&text[range]));
            assert_eq!(all, expected, "{text}");
        }
    }
}
