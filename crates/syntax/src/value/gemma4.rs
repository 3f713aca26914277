//! The literals between the braces of Gemma's calls, as the runtimes' parsers read them: `key:<|"|>text<|"|>,other:3`.
//!
//! Two parsers scan them and never fail; others convert the text to JSON and parse that; one knows the schema.

pub(crate) mod typed;

use std::cell::Cell;

use crate::value::cast::{python_float, python_int};
use crate::value::place::{DerivedText, SourceText};
use crate::value::plain::{Member, Members, Placed, PlainValue};

/// The delimiter of strings.
const QUOTE: &str = "<|\"|>";

/// Deepest nesting that is read; anything deeper is empty.
const MAX_DEPTH: usize = 100;

/// A scanner's treatment of a word without quotes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bare {
    /// As text. The scanner also drops a closing bracket at the end of the text, and an incomplete item in an open
    /// bracket.
    Text,
    /// As a boolean or a number if it looks like one, else as text.
    Guessed,
}

/// The result of a scanner.
#[derive(Clone, Debug, PartialEq)]
pub struct Scanned {
    /// The object; if the scanner never ends, without the brackets at which it hangs.
    pub(crate) value: Placed,
    /// True if the scanner never ends: it makes no progress at a closing bracket where an item should begin.
    pub(crate) is_endless: bool,
}

/// Reads the text between a call's braces as an object.
pub(crate) fn scan(text: SourceText<'_>, bare: Bare) -> Scanned {
    let mut inside = text.text();
    if bare == Bare::Text {
        inside = inside.trim();
        let count = |sign: char| inside.matches(sign).count();
        if inside.ends_with('}') || (inside.ends_with(')') && count('(') < count(')')) {
            inside = &inside[..inside.len() - 1];
        }
    }
    let scanner = Scanner { source: text, bare, is_endless: Cell::new(false) };
    let value = Placed::at(scanner.object(inside, false, 0), text.span());
    Scanned { value, is_endless: scanner.is_endless.get() }
}

struct Scanner<'a> {
    source: SourceText<'a>,
    bare: Bare,
    is_endless: Cell<bool>,
}

impl<'a> Scanner<'a> {
    fn object(&self, text: &'a str, open: bool, depth: usize) -> PlainValue {
        let mut members = Members::default();
        let mut at = 0;
        loop {
            at = skip(text, at, &[' ', ',', '\n', '\t']);
            let Some(colon) = text[at..].find(':') else { break };
            let mut key = text[at..at + colon].trim();
            if self.bare == Bare::Text {
                key = key.strip_prefix(QUOTE).and_then(|key| key.strip_suffix(QUOTE)).unwrap_or(key);
            }
            at = skip(text, at + colon + 1, &[' ', '\n', '\t']);
            let value = if at < text.len() {
                self.value(text, &mut at, &[',', '}', ']'], open, depth)
            } else {
                (!open).then(|| self.placed(PlainValue::Text(String::new()), &text[at..]))
            };
            let Some(value) = value else { break };
            members.insert(Member::at(key, self.source.locate(key).span(), value));
        }
        members.into_object()
    }

    /// A value with the position of this part of the text.
    fn placed(&self, value: PlainValue, part: &'a str) -> Placed {
        Placed::at(value, self.source.locate(part).span())
    }

    fn list(&self, text: &'a str, open: bool, depth: usize) -> PlainValue {
        let mut items = Vec::new();
        let mut at = 0;
        loop {
            at = skip(text, at, &[' ', ',', '\n', '\t']);
            if at >= text.len() {
                break;
            }
            let before = at;
            let Some(value) = self.value(text, &mut at, &[',', ']'], open, depth) else { break };
            items.push(value);
            if at == before {
                self.is_endless.set(true);
                at += 1;
            }
        }
        PlainValue::List(items)
    }

    /// The value at an offset, which is moved past it; `None` where reading ends.
    fn value(&self, text: &'a str, at: &mut usize, ends: &[char], open: bool, depth: usize) -> Option<Placed> {
        let start = *at;
        let rest = &text[start..];
        if let Some(string) = rest.strip_prefix(QUOTE) {
            let end = string.find(QUOTE).unwrap_or(string.len());
            *at = (*at + QUOTE.len() + end + QUOTE.len()).min(text.len());
            return Some(self.placed(PlainValue::Text(string[..end].to_owned()), &text[start..*at]));
        }
        for (opener, closer) in [('{', '}'), ('[', ']')] {
            if !rest.starts_with(opener) {
                continue;
            }
            // One scanner counts the brackets in strings of a nested list.
            let is_counted = self.bare == Bare::Guessed && opener == '[' && !ends.contains(&'}');
            let strings = if is_counted { Strings::Count } else { Strings::Skip };
            let (inside, taken, is_open) = bracketed(rest, opener, closer, strings);
            // One scanner drops the last character, closing bracket or not.
            let inside = match (is_open, self.bare) {
                (true, Bare::Guessed) => inside.char_indices().next_back().map_or("", |(last, _)| &inside[..last]),
                _ => inside,
            };
            let is_open = is_open && self.bare == Bare::Text;
            let inside = if depth < MAX_DEPTH { inside } else { "" };
            *at += taken;
            let value = match opener {
                '{' => self.object(inside, is_open, depth + 1),
                _ => self.list(inside, is_open, depth + 1),
            };
            return Some(self.placed(value, &text[start..*at]));
        }
        let end = rest.find(ends).unwrap_or(rest.len());
        if self.bare == Bare::Text && ((open && end == rest.len()) || end == 0) {
            return None;
        }
        let word = rest[..end].trim();
        if open && word.ends_with('.') {
            return None;
        }
        *at += end;
        let value = match self.bare {
            Bare::Text => PlainValue::Text(word.to_owned()),
            Bare::Guessed => guessed(word),
        };
        Some(self.placed(value, word))
    }
}

fn guessed(word: &str) -> PlainValue {
    match word {
        "true" => return PlainValue::Bool(true),
        "false" => return PlainValue::Bool(false),
        _ => {}
    }
    let number = if word.contains('.') { python_float(word).map(PlainValue::Float) } else { python_int(word) };
    number.unwrap_or_else(|| PlainValue::Text(word.to_owned()))
}

fn skip(text: &str, at: usize, signs: &[char]) -> usize {
    let at = at.min(text.len());
    at + text[at..].find(|c| !signs.contains(&c)).unwrap_or(text.len() - at)
}

/// Treatment of brackets in strings.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Strings {
    Skip,
    Count,
}

/// The text between the brackets at the beginning of a text, the length of both together, and true if the closing
/// bracket is missing. Only brackets of this kind count.
fn bracketed(text: &str, opener: char, closer: char, strings: Strings) -> (&str, usize, bool) {
    let (mut level, mut at) = (0_usize, 0);
    while let Some(ahead) = text[at..].find([opener, closer, '<']) {
        at += ahead;
        let rest = &text[at..];
        if let Some(string) = rest.strip_prefix(QUOTE).filter(|_| strings == Strings::Skip) {
            at += string.find(QUOTE).map_or(rest.len(), |end| QUOTE.len() + end + QUOTE.len());
            continue;
        }
        at += 1;
        if rest.starts_with(opener) {
            level += 1;
        } else if rest.starts_with(closer) {
            level -= 1;
            if level == 0 {
                return (&text[1..at - 1], at, false);
            }
        }
    }
    (&text[1..], text.len(), true)
}

/// The text with JSON strings, and with quotes around keys that directly follow `{` or `,`.
pub(crate) fn to_json(text: SourceText<'_>) -> DerivedText {
    let mut out = DerivedText::default();
    let quoted = |text: &str| PlainValue::Text(text.to_owned()).dumps();
    let mut at = 0;
    let mut key_may_follow = false;
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        if let Some((string, _)) = rest.strip_prefix(QUOTE).and_then(|string| string.split_once(QUOTE)) {
            let end = at + 2 * QUOTE.len() + string.len();
            out.write(&quoted(string), text.span_of(at, end));
            at = end;
            key_may_follow = false;
            continue;
        }
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let word = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
        if word > 0 {
            if key_may_follow && rest[word..].starts_with(':') {
                out.write(&quoted(&rest[..word]), text.span_of(at, at + word));
            } else {
                out.copy(text.part(at, at + word));
            }
            at += word;
            key_may_follow = false;
            continue;
        }
        key_may_follow = matches!(c, '{' | ',');
        out.copy(text.part(at, at + c.len_utf8()));
        at += c.len_utf8();
    }
    out
}

/// Gemma's literals as JSON: strings of both kinds are kept, and every other word before a colon is put in quotes, as in
/// tabbyAPI's `toolcall_formats/gemma4.py`.
pub(crate) fn with_quoted_keys(text: SourceText<'_>) -> DerivedText {
    let quoted = |text: &str| PlainValue::Text(text.to_owned()).dumps();
    // Behind an unclosed string no other one is closed.
    let (mut out, mut at, mut is_closed) = (DerivedText::default(), 0, true);
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        let string = if is_closed && c == '"' { quoted_length(rest) } else { None };
        is_closed &= c != '"' || string.is_some();
        let word = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
        if let Some((string, _)) = rest.strip_prefix(QUOTE).and_then(|string| string.split_once(QUOTE)) {
            let end = at + 2 * QUOTE.len() + string.len();
            out.write(&quoted(string), text.span_of(at, end));
            at = end;
        } else if let Some(length) = string {
            out.copy(text.part(at, at + length));
            at += length;
        } else if word > 0 && rest[word..].trim_start().starts_with(':') {
            out.write(&quoted(&rest[..word]), text.span_of(at, at + word));
            at += word;
        } else {
            let end = at + word.max(c.len_utf8());
            out.copy(text.part(at, end));
            at = end;
        }
    }
    out
}

/// The length in bytes of the string in double quotes at the beginning of a text.
fn quoted_length(text: &str) -> Option<usize> {
    let mut escaped = false;
    let inner = text.strip_prefix('"')?;
    let end = inner.bytes().position(|byte| {
        let ends = byte == b'"' && !escaped;
        escaped = byte == b'\\' && !escaped;
        ends
    })?;
    Some(end + 2)
}

#[cfg(test)]
mod tests {
    use super::{Bare, SourceText, scan};

    #[test]
    fn sglang_never_ends_at_a_bracket_in_a_string_of_a_list_within_a_list() {
        // Recorded with the detector of 0.5.23 under a limit of 6 s.
        for (text, endless, expected) in [
            ("a:[[1,2]]", false, r#"{"a": [[1, 2]]}"#),
            ("a:[<|\"|>]<|\"|>]", false, r#"{"a": ["]"]}"#),
            ("a:[[<|\"|>x]<|\"|>,2]]", false, r#"{"a": [["x"], ",2]"]}"#),
            ("a:[[<|\"|>x]y<|\"|>]]", true, r#"{"a": [["x"], "y<|\"|>", ""]}"#),
            ("a:[{b:<|\"|>]<|\"|>}]", false, r#"{"a": [{"b": "]"}]}"#),
        ] {
            let scanned = scan(SourceText::whole(text), Bare::Guessed);
            assert_eq!((scanned.is_endless, scanned.value.value.dumps().as_str()), (endless, expected), "{text}");
            assert!(!scan(SourceText::whole(text), Bare::Text).is_endless, "{text}");
        }
    }
}
