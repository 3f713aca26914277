//! Writes the text of the arguments of a call bit by bit, as llama.cpp does: what the text ends in stays open.
//!
//! It knows what was labelled in a call, and neither the grammar nor the request.

use super::super::elements::Element;
use super::super::grammar::CaptureLabel;
use super::super::matcher::Capture;

/// The text of the arguments of a call that was found with these captures; `elements` reads the value of a key, with
/// its end tag, from nested elements.
pub fn arguments(captures: &[Capture], text: &str, elements: impl Fn(&str, &str) -> Element) -> String {
    let mut out = "{".to_owned();
    let (mut is_first, mut value, mut key) = (true, Open::Nothing, "");
    for capture in captures {
        let part = &text[capture.span.start..capture.span.end];
        match capture.label {
            // What is no object is not taken, and an object without members stands in its place.
            CaptureLabel::Arguments if part.starts_with('{') => part.trim_end().clone_into(&mut out),
            CaptureLabel::Key => {
                out.push_str(if is_first { "" } else { "," });
                out.push_str(&quoted(part.trim_end()));
                out.push(':');
                (is_first, value, key) = (false, Open::Nothing, part);
            }
            CaptureLabel::Value => {
                let string = quoted(part);
                out.push_str(&string[..string.len() - 1]);
                value = Open::Text;
            }
            CaptureLabel::Literal => {
                out.push_str(&json_of_literal(part));
                value = Open::Literal;
            }
            CaptureLabel::Elements => {
                if let Element::Whole(_, json) | Element::Cut(json) = elements(key, &text[capture.span.start..]) {
                    out.push_str(&json);
                }
                value = Open::Literal;
            }
            CaptureLabel::Close => {
                match value {
                    Open::Text => out.push('"'),
                    Open::Literal => {}
                    Open::Nothing => out.push_str(&"}".repeat(end_state(&out).0)),
                }
                value = Open::Nothing;
            }
            _ => {}
        }
    }
    out
}

/// What kind of value has not been closed.
#[derive(Clone, Copy)]
enum Open {
    Nothing,
    Text,
    Literal,
}

fn quoted(text: &str) -> String {
    serde_json::to_string(text).unwrap_or_else(|_| "\"\"".to_owned())
}

/// True if JSON ends in a string.
pub fn is_in_string(json: &str) -> bool {
    end_state(json).1
}

/// The number of braces that are open at the end of JSON, and whether a string is.
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

/// The JSON of a literal that is JSON or Python's: quotes and words are exchanged, and the rest stays.
fn json_of_literal(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut quote: Option<char> = None;
    let mut chars = text.char_indices();
    let mut before = ' ';
    while let Some((at, c)) = chars.next() {
        match (quote, c) {
            (Some(sign), '\\') => match chars.next() {
                Some((_, '\'')) if sign == '\'' => out.push('\''),
                Some((_, next)) => out.extend(['\\', next]),
                None => out.push('\\'),
            },
            (Some(sign), _) if c == sign => {
                out.push('"');
                quote = None;
            }
            (Some('\''), '"') => out.push_str("\\\""),
            (None, '"' | '\'') => {
                out.push('"');
                quote = Some(c);
            }
            (None, 'T' | 'F' | 'N') if !before.is_ascii_alphanumeric() && before != '_' => {
                let rest = &text[at..];
                let len = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(rest.len());
                let words = [("True", "true"), ("False", "false"), ("None", "null")];
                match words.iter().find(|(python, _)| python.starts_with(&rest[..len])) {
                    Some((_, json)) => {
                        out.push_str(&json[..len]);
                        (1..len).for_each(|_| {
                            chars.next();
                        });
                    }
                    None => out.push(c),
                }
            }
            _ => out.push(c),
        }
        before = c;
    }
    out
}

/// The JSON of Gemma's notation, or of a beginning of it: `{key:<|"|>text<|"|>,n:3}`.
pub fn json_of_gemma(text: &str) -> String {
    const QUOTE: &str = "<|\"|>";
    let open = |text: &str| {
        let string = quoted(text);
        string[..string.len() - 1].to_owned()
    };
    let (mut out, mut brackets, mut at) = (String::with_capacity(text.len()), Vec::new(), 0);
    while let Some(c) = text[at..].chars().next() {
        let rest = &text[at..];
        if let Some(inner) = rest.strip_prefix(QUOTE) {
            let Some(len) = inner.find(QUOTE) else {
                // The quote of a string that does not end is not written, nor is the beginning of its mark.
                let mark = (1..QUOTE.len()).rev().find(|len| inner.ends_with(&QUOTE[..*len])).unwrap_or(0);
                return out + &open(&inner[..inner.len() - mark]);
            };
            out.push_str(&quoted(&inner[..len]));
            at += QUOTE.len() + len + QUOTE.len();
            continue;
        }
        if QUOTE.starts_with(rest) {
            return out + "\"";
        }
        at += c.len_utf8();
        match c {
            '{' | '[' => brackets.push(c),
            '}' | ']' => drop(brackets.pop()),
            _ => {}
        }
        if !c.is_ascii_whitespace() {
            out.push(c);
        }
        if !matches!(c, '{' | ',') || brackets.last() != Some(&'{') {
            continue;
        }
        // A key stands in front of its colon.
        at += text[at..].len() - text[at..].trim_start().len();
        let key = &text[at..];
        match key.find([':', '}']) {
            Some(len) if key[len..].starts_with(':') => {
                out.push_str(&quoted(&key[..len]));
                out.push(':');
                at += len + 1;
            }
            None if !key.is_empty() => return out + &open(key),
            _ => {}
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{json_of_gemma, json_of_literal};

    fn check(read: fn(&str) -> String, rows: &[(&str, &str)]) {
        for (input, expected) in rows {
            assert_eq!(read(input), *expected, "{input}");
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
