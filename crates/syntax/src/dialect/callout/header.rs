//! The words of a header: a name and an id, by position or assigned with `name=` and `id=`.
//!
//! Words are split at whitespace first, so quotation marks cannot protect a space. A word with a value after its `=`
//! is an assignment; any other word takes the next free position (reference parser).

use crate::diagnostic::{Code, Diagnostic};
use crate::dialect::{Header, Word, hidden_characters};
use crate::text::{Span, trim_start};

/// Treatment of quotation marks around a word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Quotes {
    /// They are part of the word.
    Kept,
    /// One pair around the value of an assignment is removed.
    Stripped,
}

/// The name if neither header nor body gives one.
pub(crate) const DEFAULT_NAME: &str = "tool";

/// The name and the id that a header gives.
#[derive(Debug, Default)]
pub(crate) struct HeaderWords {
    pub(crate) name: Option<Word>,
    pub(crate) id: Option<Word>,
    pub(crate) problems: Vec<Diagnostic>,
}

impl HeaderWords {
    /// The header of a call; an implied name gets an empty span at `at`.
    pub(crate) fn header(&self, at: usize) -> Header {
        let name = self.name.clone().unwrap_or_else(|| Word::decoded(Span::at(at), DEFAULT_NAME));
        Header { name, id: self.id.clone(), dependencies: Vec::new() }
    }

    /// The field for the name or the id.
    fn slot(&mut self, key: Key) -> &mut Option<Word> {
        match key {
            Key::Name => &mut self.name,
            Key::Id => &mut self.id,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, strum::Display)]
#[strum(serialize_all = "lowercase")]
enum Key {
    Name,
    Id,
}

impl Key {
    fn named(word: &[u8]) -> Option<Key> {
        match word.to_ascii_lowercase().as_slice() {
            b"name" | b"tool" | b"toolname" => Some(Key::Name),
            b"id" | b"toolcallid" | b"call" | b"callid" => Some(Key::Id),
            _ => None,
        }
    }
}

/// Maximum number of problems reported for one header.
const MAX_PROBLEMS: usize = 8;

/// Reads the words in `inner`, which begins at offset `at`.
pub(crate) fn read(inner: &[u8], at: usize, quotes: Quotes) -> HeaderWords {
    let mut words = HeaderWords::default();
    for token in tokens(inner) {
        let bytes = &inner[token.start..token.end];
        let span = Span::new(at + token.start, at + token.end);
        let mut parts = bytes.splitn(3, |&byte| byte == b'=');
        let key = parts.next().unwrap_or_default();
        let value = parts.next();
        let rest = parts.next();
        let problem = match value {
            Some(value) if !is_void(value, quotes) => {
                let value_at = span.start + key.len() + 1;
                let value_span = Span::new(value_at, value_at + value.len());
                if let Some(slot) = Key::named(key) {
                    give(&mut words, slot, (value, value_span), rest, quotes)
                } else {
                    let message = format!("{}= is unknown and dropped", String::from_utf8_lossy(key));
                    Some(odd(span, message, "name= or id=", bytes))
                }
            }
            Some(_) if quotes == Quotes::Stripped => {
                Some(odd(span, "an assignment without a value is dropped".into(), "a value after =", bytes))
            }
            _ => positional(&mut words, bytes, span, value.is_some()),
        };
        words.problems.extend(problem);
        if words.problems.len() >= MAX_PROBLEMS {
            break;
        }
    }
    for word in [&words.name, &words.id].into_iter().flatten() {
        let bytes = &inner[word.span.start - at..word.span.end - at];
        words.problems.extend(hidden_characters(&String::from_utf8_lossy(bytes), word.span, "the header"));
    }
    words
}

/// True if the value of an assignment is empty after stripping; a lone quotation mark counts as a pair.
fn is_void(value: &[u8], quotes: Quotes) -> bool {
    value.is_empty() || quotes == Quotes::Stripped && matches!(value, b"\"" | b"'" | b"\"\"" | b"''")
}

/// Assigns a word without `=`: first the name, then the id.
fn positional(words: &mut HeaderWords, bytes: &[u8], span: Span, assigns: bool) -> Option<Diagnostic> {
    let slot = if words.name.is_none() {
        Key::Name
    } else if words.id.is_none() {
        Key::Id
    } else {
        let message = format!("{} is dropped: name and id are given", String::from_utf8_lossy(bytes));
        return Some(odd(span, message, "a name and an id", bytes));
    };
    let problem = give(words, slot, (bytes, span), None, Quotes::Kept);
    if assigns {
        let message = format!("{} is taken for the {slot} itself", String::from_utf8_lossy(bytes));
        return Some(odd(span, message, "a value after =", bytes));
    }
    if bytes.ends_with(b",") || bytes.ends_with(b":") {
        let end = Span::new(span.end - 1, span.end);
        return Some(odd(end, format!("this is part of the {slot}"), "a space", &bytes[bytes.len() - 1..]));
    }
    problem
}

/// Sets the name or the id unless it is already set.
fn give(
    words: &mut HeaderWords,
    slot: Key,
    (value, span): (&[u8], Span),
    rest: Option<&[u8]>,
    quotes: Quotes,
) -> Option<Diagnostic> {
    if words.slot(slot).is_some() {
        return Some(odd(span, format!("duplicate {slot}; the first one is used"), &format!("one {slot}"), value));
    }
    let quote = value.first().copied().filter(|byte| matches!(byte, b'"' | b'\''));
    let closed = quote.is_some_and(|quote| value.len() > 1 && value.last() == Some(&quote));
    let stripped = closed && quotes == Quotes::Stripped && rest.is_none();
    let inner = if stripped { Span::new(span.start + 1, span.end - 1) } else { span };
    *words.slot(slot) = Some(Word::plain(inner));
    if let Some(rest) = rest {
        let lost = Span::new(span.end, span.end + 1 + rest.len());
        return Some(odd(lost, format!("the text after the second = is not part of the {slot}"), "no second =", rest));
    }
    if quote.is_some() && !closed {
        return Some(odd(span, format!("the {slot} ends at the space, quoted or not"), "a word without spaces", value));
    }
    if quote.is_some() && !stripped {
        return Some(odd(
            span,
            format!("the quotation marks are part of the {slot}"),
            "a word without quotation marks",
            value,
        ));
    }
    None
}

fn odd(span: Span, message: String, expected: &str, found: &[u8]) -> Diagnostic {
    Diagnostic::new(Code::CalloutHeader, span, message).contrast(expected, String::from_utf8_lossy(found))
}

/// The words between whitespace, as defined by ECMAScript.
fn tokens(inner: &[u8]) -> Vec<Span> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < inner.len() {
        at += trim_start(&inner[at..]);
        let start = at;
        while at < inner.len() && !begins_with_white_space(&inner[at..]) {
            at += 1;
        }
        if start < at {
            found.push(Span::new(start, at));
        }
    }
    found
}

fn begins_with_white_space(bytes: &[u8]) -> bool {
    trim_start(&bytes[..bytes.len().min(3)]) > 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_become_name_and_id_as_the_reference_reads_them() {
        use Quotes::{Kept, Stripped};
        type Case = (&'static str, Quotes, Option<&'static str>, Option<&'static str>, usize);
        let cases: [Case; 22] = [
            ("", Kept, None, None, 0),
            (" search", Kept, Some("search"), None, 0),
            (" search \t call_1 ", Kept, Some("search"), Some("call_1"), 0),
            (" search call_1 more", Kept, Some("search"), Some("call_1"), 1),
            (" name=search id=c", Kept, Some("search"), Some("c"), 0),
            (" CALL=c TOOLNAME=s", Kept, Some("s"), Some("c"), 0),
            (" tool_name=x", Kept, None, None, 1),
            (" name=a name=b", Kept, Some("a"), None, 1),
            (" id=c search", Kept, Some("search"), Some("c"), 0),
            (" search name=other call_1", Kept, Some("search"), Some("call_1"), 1),
            (" name=\"s\"", Kept, Some("\"s\""), None, 1),
            (" name=\"s\"", Stripped, Some("s"), None, 0),
            (" 's' 'c'", Stripped, Some("'s'"), Some("'c'"), 2),
            (" name=\"a b\" id=c", Kept, Some("\"a"), Some("b\""), 2),
            (" name= id=c", Kept, Some("name="), Some("c"), 1),
            (" name= id=c", Stripped, None, Some("c"), 1),
            (" name=\"\" id=' tool=x", Stripped, Some("x"), None, 2),
            (" name=\"\" id='", Kept, Some("\"\""), Some("'"), 2),
            (" id=a=b", Kept, None, Some("a"), 1),
            (" = x", Kept, Some("="), Some("x"), 1),
            (" search, c", Kept, Some("search,"), Some("c"), 1),
            ("\u{a0}search", Kept, Some("search"), None, 0),
        ];
        for (inner, quotes, name, id, problems) in cases {
            let words = read(inner.as_bytes(), 0, quotes);
            let text = |word: &Option<Word>| word.as_ref().map(|word| &inner[word.span.start..word.span.end]);
            assert_eq!((text(&words.name), text(&words.id)), (name, id), "{inner:?}");
            assert_eq!(words.problems.len(), problems, "{inner:?}: {:?}", words.problems);
        }
    }
}
