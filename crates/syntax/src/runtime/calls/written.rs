//! Assembles the text of a call's arguments incrementally, like llama.cpp: whatever the message ends in stays open.

use super::super::grammar::CaptureLabel;
use super::super::matcher::Capture;
use super::super::outcome::DeliveredArguments;
use crate::text::Span;
use crate::value::elements::Element;
use crate::value::json::flavour::{self, Flavour, write_open};
use crate::value::place::{DerivedText, SourceText};
use crate::value::plain::{Placed, PlainValue};

/// Assembles the text of the arguments from the captures of a call; `elements` reads the value of a key, including its
/// end tag, from nested elements.
pub(crate) fn arguments<'a>(
    captures: &[Capture],
    text: &'a str,
    elements: impl Fn(&str, SourceText<'a>) -> Element,
) -> DerivedText {
    let mut out = DerivedText::default();
    out.add("{");
    let (mut is_first, mut value, mut key) = (true, Open::Nothing, "");
    for capture in captures {
        let part = SourceText::new(text, capture.span);
        match capture.label {
            // Text that is not an object is ignored, and an empty object takes its place.
            CaptureLabel::Arguments if part.starts_with('{') => {
                out = DerivedText::default();
                out.copy(part.part(0, part.trim_end().len()));
            }
            CaptureLabel::Key => {
                out.add(if is_first { "" } else { "," });
                write_open(&mut out, part.part(0, part.trim_end().len()));
                out.add("\":");
                (is_first, value, key) = (false, Open::Nothing, part.text());
            }
            CaptureLabel::Value => {
                write_open(&mut out, part);
                value = Open::Text;
            }
            CaptureLabel::Literal => {
                out.append(&json_of_literal(part));
                value = Open::Literal;
            }
            CaptureLabel::Elements => {
                let rest = SourceText::new(text, Span::new(capture.span.start, text.len()));
                if let Element::Whole(_, json) | Element::Cut(json) = elements(key, rest) {
                    out.append(&json);
                }
                value = Open::Literal;
            }
            CaptureLabel::Close => {
                match value {
                    Open::Text => out.add("\""),
                    Open::Literal => {}
                    Open::Nothing => out.add(&"}".repeat(end_state(&out.text).0)),
                }
                value = Open::Nothing;
            }
            _ => {}
        }
    }
    out
}

/// Assembles the text of the arguments as `LMDeploy` does for tags with a `string` attribute, see
/// `lmdeploy/serve/parsers/tool_parser/deepseek_v32_tool_parser.py`: braces are written with the first key and at the
/// end of the call.
pub(crate) fn joined(captures: &[Capture], text: &str) -> DerivedText {
    let (mut out, mut in_string) = (DerivedText::default(), false);
    for capture in captures {
        let part = SourceText::new(text, capture.span);
        match capture.label {
            CaptureLabel::Key => {
                out.add(if out.text.is_empty() { "{" } else { ", " });
                write_open(&mut out, part);
                out.add("\": ");
            }
            CaptureLabel::Value => {
                write_open(&mut out, part);
                in_string = true;
            }
            CaptureLabel::Literal => out.copy(part),
            CaptureLabel::Close if std::mem::take(&mut in_string) => out.add("\""),
            CaptureLabel::Close if out.text.is_empty() => out.add("{}"),
            CaptureLabel::Close => out.add("}"),
            _ => {}
        }
    }
    out
}

/// The kind of value that has not been closed.
#[derive(Clone, Copy)]
enum Open {
    Nothing,
    Text,
    Literal,
}

/// The arguments of a text that is passed on unread: its members if it is a JSON object, else the text.
pub(crate) fn passed_on(text: &DerivedText) -> DeliveredArguments {
    let mut arguments = passed_on_part(SourceText::whole(&text.text));
    arguments.relocate(&|span| text.source_of(span));
    arguments
}

/// Like [`passed_on`], for a part of the message.
pub(crate) fn passed_on_part(text: SourceText<'_>) -> DeliveredArguments {
    match flavour::read_all(text, Flavour::Strict) {
        Ok(Placed { value: PlainValue::Object(members), .. }) => DeliveredArguments::Object(members),
        _ => DeliveredArguments::Text(text.to_string()),
    }
}

/// True if JSON ends in a string.
pub(crate) fn is_in_string(json: &str) -> bool {
    end_state(json).1
}

/// The number of open braces at the end of JSON text, and whether it ends in a string.
fn end_state(json: &str) -> (usize, bool) {
    let (mut depth, mut in_string, mut escaped) = (0_usize, false, false);
    for byte in json.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            b'{' if !in_string => depth += 1,
            b'}' if !in_string => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    (depth, in_string)
}

/// Converts a literal of JSON or Python to JSON: quotes and keywords are replaced, anything else is kept.
fn json_of_literal(text: SourceText<'_>) -> DerivedText {
    let mut out = DerivedText::default();
    let mut quote: Option<char> = None;
    let mut chars = text.char_indices();
    let mut before = ' ';
    while let Some((at, c)) = chars.next() {
        let end = at + c.len_utf8();
        match (quote, c) {
            (Some(sign), '\\') => match chars.next() {
                Some((_, '\'')) if sign == '\'' => out.write("'", text.span_of(at, end + 1)),
                Some((_, next)) => out.copy(text.part(at, end + next.len_utf8())),
                None => out.copy(text.part(at, end)),
            },
            (Some(sign), _) if c == sign => {
                out.write("\"", text.span_of(at, end));
                quote = None;
            }
            (Some('\''), '"') => out.write("\\\"", text.span_of(at, end)),
            (None, '"' | '\'') => {
                out.write("\"", text.span_of(at, end));
                quote = Some(c);
            }
            (None, 'T' | 'F' | 'N') if !before.is_ascii_alphanumeric() && before != '_' => {
                let rest = &text[at..];
                let len = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
                let words = [("True", "true"), ("False", "false"), ("None", "null")];
                match words.iter().find(|(python, _)| python.starts_with(&rest[..len])) {
                    Some((_, json)) => {
                        out.write(&json[..len], text.span_of(at, at + len));
                        (1..len).for_each(|_| {
                            chars.next();
                        });
                    }
                    None => out.copy(text.part(at, end)),
                }
            }
            _ => out.copy(text.part(at, end)),
        }
        before = c;
    }
    out
}

/// Converts Gemma's notation, or a prefix of it, to JSON: `{key:<|"|>text<|"|>,n:3}`.
pub(crate) fn json_of_gemma(text: SourceText<'_>) -> DerivedText {
    const QUOTE: &str = "<|\"|>";
    let (mut out, mut brackets, mut at) = (DerivedText::default(), Vec::new(), 0);
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        if let Some(inner) = rest.strip_prefix(QUOTE) {
            let start = at + QUOTE.len();
            let Some(len) = inner.find(QUOTE) else {
                // For an unterminated string neither a closing quote nor a partial mark is written.
                let mark = (1..QUOTE.len()).rev().find(|len| inner.ends_with(&QUOTE[..*len])).unwrap_or(0);
                write_open(&mut out, text.part(start, text.len() - mark));
                return out;
            };
            write_open(&mut out, text.part(start, start + len));
            out.add("\"");
            at = start + len + QUOTE.len();
            continue;
        }
        if QUOTE.starts_with(rest) {
            out.add("\"");
            return out;
        }
        let start = at;
        at += c.len_utf8();
        match c {
            '{' | '[' => brackets.push(c),
            '}' | ']' => drop(brackets.pop()),
            _ => {}
        }
        if !c.is_ascii_whitespace() {
            out.copy(text.part(start, at));
        }
        if !matches!(c, '{' | ',') || brackets.last() != Some(&'{') {
            continue;
        }
        // A key precedes its colon.
        at += text[at..].len() - text[at..].trim_start().len();
        let key = &text[at..];
        match key.find([':', '}']) {
            Some(len) if key[len..].starts_with(':') => {
                write_open(&mut out, text.part(at, at + len));
                out.add("\":");
                at += len + 1;
            }
            None if !key.is_empty() => {
                write_open(&mut out, text.part(at, text.len()));
                return out;
            }
            _ => {}
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{DerivedText, SourceText, json_of_gemma, json_of_literal};

    fn check(read: fn(SourceText<'_>) -> DerivedText, rows: &[(&str, &str)]) {
        for (input, expected) in rows {
            assert_eq!(read(SourceText::whole(input)).text, *expected, "{input}");
        }
    }

    #[test]
    fn python_becomes_json() {
        check(
            json_of_literal,
            &[
                ("{'a': [True, None]}", r#"{"a": [true, null]}"#),
                (r#"'say "x" it\'s'"#, r#""say \"x\" it's""#),
                (r#""True\n""#, r#""True\n""#),
                ("Fal", "fal"),
                ("xTrue", "xTrue"),
                (r"'\", r#""\"#),
            ],
        );
    }

    #[test]
    fn gemma_becomes_json() {
        check(
            json_of_gemma,
            &[
                ("{a:<|\"|>x<|\"|>,b:[1, true],c:{d:null}}", r#"{"a":"x","b":[1,true],"c":{"d":null}}"#),
                ("{a:<|\"|>x \"y<|", r#"{"a":"x \"y"#),
                ("{a:<|", r#"{"a":""#),
                ("{a:1,ci", r#"{"a":1,"ci"#),
                ("{", "{"),
                ("{}", "{}"),
            ],
        );
    }
}
