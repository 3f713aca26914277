//! Finds token probabilities in a recorded file: `"logprobs": {"content": [{"token": "gh", "bytes": [103, 104], …`.
//!
//! They repeat the text in pieces, as numbers and with alternatives, and no container reads them. A redacted file has
//! `null` in their place.

use std::sync::LazyLock;

use regex_automata::meta::Regex;

use crate::text::{Span, Text};

/// Their keys, as used by OpenAI, Gemini, vLLM and llama.cpp. A member with a number is a setting of a request.
static MEMBER: LazyLock<Regex> = LazyLock::new(|| {
    let names = "logprobs|logprobsResult|prompt_logprobs|completion_probabilities|token_ids|prompt_token_ids";
    Regex::new(&format!(r#"(\\*)"(?:{names})\\*"[ \t\r\n]*:[ \t\r\n]*([\[{{])"#)).expect("a test compiles it")
});

/// Bytes of a file that are searched at a time, and most bytes of a key with the text around it.
const WINDOW: usize = 1 << 20;
const LONGEST_NAME: usize = 1024;

/// The spans of all such values in a file, in order.
pub(super) fn places(file: &Text) -> Vec<Span> {
    let mut places: Vec<Span> = Vec::new();
    for at in (0..file.len()).step_by(WINDOW) {
        let window = file.read(Span::new(at, at + WINDOW + LONGEST_NAME));
        for member in MEMBER.captures_iter(&*window) {
            let Some((run, value)) = member.get_group(1).zip(member.get_group(2)) else { continue };
            let start = at + value.start;
            if places.last().is_some_and(|last| start < last.end) {
                continue;
            }
            places.extend(Value::new(run.len()).map(|value| Span::new(start, value.end(file, start))));
        }
    }
    places
}

/// Finds the end of an array or an object, which may be in a nested JSON string.
struct Value {
    /// Backslashes before each quotation mark at this nesting depth.
    backslashes: usize,
    run: usize,
    depth: usize,
    in_string: bool,
}

impl Value {
    /// `None` if no nesting depth has that number of backslashes.
    fn new(backslashes: usize) -> Option<Self> {
        (backslashes < 16 && (backslashes + 1).is_power_of_two()).then_some(Self {
            backslashes,
            run: 0,
            depth: 0,
            in_string: false,
        })
    }

    /// Offset after the value that begins at `start`; the end of its record if the value is cut short.
    fn end(mut self, file: &Text, start: usize) -> usize {
        for at in (start..file.len()).step_by(WINDOW) {
            let bytes = file.read(Span::new(at, (at + WINDOW).min(file.len())));
            for (index, &byte) in bytes.iter().enumerate() {
                if byte == b'\n' && self.is_cut(&file.read(Span::new(at + index + 1, at + index + 3))) {
                    return at + index;
                }
                match self.step(byte) {
                    BytePosition::Within => {}
                    BytePosition::Last => return at + index + 1,
                    BytePosition::Outside(backslashes) => return at + index - backslashes,
                }
            }
        }
        file.len()
    }

    /// True if the line feed before `next` ends a record rather than separating members of a value.
    fn is_cut(&self, next: &[u8]) -> bool {
        self.in_string || self.backslashes > 0 || matches!(next, [] | [b'\n' | b'\r' | b'd' | b'e' | b':', ..] | b"{\"")
    }

    fn step(&mut self, byte: u8) -> BytePosition {
        let run = std::mem::take(&mut self.run);
        match byte {
            b'\\' => self.run = run + 1,
            b'"' => match run % (2 * (self.backslashes + 1)) {
                found if found == self.backslashes => self.in_string = !self.in_string,
                // An escaped quotation mark within the string; any other one ends the enclosing string.
                found if self.in_string && found == 2 * self.backslashes + 1 => {}
                _ => return BytePosition::Outside(run),
            },
            b'[' | b'{' if !self.in_string => self.depth += 1,
            b']' | b'}' if !self.in_string => {
                self.depth = self.depth.saturating_sub(1);
                if self.depth == 0 {
                    return BytePosition::Last;
                }
            }
            _ => {}
        }
        BytePosition::Within
    }
}

/// The position of a byte: in a value, at its end, or after a value that is cut short and this many backslashes.
enum BytePosition {
    Within,
    Last,
    Outside(usize),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_values_of_token_probabilities_are_found_whole() {
        for (file, values) in [
            (
                r#"{"a":1,"logprobs":{"content":[{"token":"]\"}","bytes":[1]}]},"b":2}"#,
                vec![r#"{"content":[{"token":"]\"}","bytes":[1]}]}"#],
            ),
            (r#"{"x":"{\"logprobs\": [{\"token\":\"a\\\"]\\\\\"}]}"}"#, vec![r#"[{\"token\":\"a\\\"]\\\\\"}]"#]),
            ("{\n \"token_ids\": [\n  1,\n  2\n ]\n}", vec!["[\n  1,\n  2\n ]"]),
            (r#"{"logprobs":true,"prompt_logprobs":5,"other":[1]}"#, vec![]),
            (r#"{"logprobs":null}"#, vec![]),
            ("data: {\"logprobs\":[{\"token\":\"a\"\n\ndata: {\"logprobs\":[]}", vec!["[{\"token\":\"a\"", "[]"]),
            ("{\"logprobs\":[{\"token\":\"a\n{\"x\":[]}", vec!["[{\"token\":\"a"]),
            ("{\"logprobs\":[{\"token\":\"a", vec!["[{\"token\":\"a"]),
            (r#"{"x":"{\"logprobs\": [1","y":[2]}"#, vec![r"[1"]),
        ] {
            let mut text = Text::default();
            text.push(file.as_bytes());
            let found: Vec<_> = places(&text).into_iter().map(|span| text.read_str(span).into_owned()).collect();
            assert_eq!(found, values, "{file}");
        }
    }
}
