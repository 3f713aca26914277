//! Python's literals, as `ast.literal_eval` takes them: what the runtimes fall back to for values that are no JSON.
//!
//! Tuples become lists. Bytes, sets, complex numbers and names are refused, since no runtime can write them as JSON.
//! It knows neither calls nor expressions.

use super::json::Value;
use super::typing::{python_float, python_int};

/// Deepest nesting that is read.
const MAX_DEPTH: usize = 100;

/// Reads one literal at the beginning of a text, behind white space; it, and the bytes that it took.
/// Nothing where there is none.
pub fn read(text: &str) -> Option<(Value, usize)> {
    let mut reader = Reader { text, at: 0 };
    reader.blanks();
    let value = reader.value(0)?;
    Some((value, reader.at))
}

/// Reads a text that is one literal and white space; a tuple may stand without its brackets.
pub fn read_all(text: &str) -> Option<Value> {
    let mut reader = Reader { text, at: 0 };
    reader.blanks();
    let value = reader.value(0)?;
    reader.blanks();
    if !reader.takes(",") {
        return reader.rest().is_empty().then_some(value);
    }
    let mut items = vec![value];
    reader.blanks();
    while !reader.rest().is_empty() {
        items.push(reader.value(0)?);
        reader.blanks();
        if !reader.takes(",") {
            return reader.rest().is_empty().then_some(Value::List(items));
        }
        reader.blanks();
    }
    Some(Value::List(items))
}

/// Whether a backslash means something in a string.
#[derive(Clone, Copy, PartialEq)]
enum Escapes {
    Read,
    Kept,
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Reader<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn blanks(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start_matches([' ', '\t', '\n', '\r', '\u{c}']).len();
    }

    fn takes(&mut self, sign: &str) -> bool {
        let there = self.rest().starts_with(sign);
        if there {
            self.at += sign.len();
        }
        there
    }

    fn value(&mut self, depth: usize) -> Option<Value> {
        if depth > MAX_DEPTH {
            return None;
        }
        match self.rest().chars().next()? {
            '[' => self.items(']', depth).map(|(items, _)| Value::List(items)),
            '(' => {
                let (mut items, commas) = self.items(')', depth)?;
                // Brackets around one value alone are no tuple.
                if items.len() == 1 && !commas { items.pop() } else { Some(Value::List(items)) }
            }
            '{' => self.members(depth),
            '"' | '\'' => self.strings(),
            '-' | '+' | '.' | '0'..='9' => self.number(),
            _ => self.word(),
        }
    }

    /// The items up to the bracket, and whether there is a comma.
    fn items(&mut self, closer: char, depth: usize) -> Option<(Vec<Value>, bool)> {
        self.at += 1;
        let (mut items, mut commas) = (Vec::new(), false);
        loop {
            self.blanks();
            if self.rest().starts_with(closer) {
                self.at += 1;
                return Some((items, commas));
            }
            items.push(self.value(depth + 1)?);
            self.blanks();
            if self.takes(",") {
                commas = true;
            } else if !self.rest().starts_with(closer) {
                return None;
            }
        }
    }

    fn members(&mut self, depth: usize) -> Option<Value> {
        self.at += 1;
        let mut members = Vec::new();
        loop {
            self.blanks();
            if self.takes("}") {
                return Some(Value::Object(members));
            }
            let key = match self.value(depth + 1)? {
                Value::Text(key) => key,
                Value::List(_) | Value::Object(_) => return None,
                other => other.dumps(),
            };
            self.blanks();
            if !self.takes(":") {
                return None;
            }
            self.blanks();
            let value = self.value(depth + 1)?;
            Value::insert(&mut members, key, value);
            self.blanks();
            if !self.takes(",") && !self.rest().starts_with('}') {
                return None;
            }
        }
    }

    fn number(&mut self) -> Option<Value> {
        let negative = match self.rest().as_bytes().first() {
            Some(b'-') => true,
            Some(b'+') => false,
            _ => return self.digits(false),
        };
        self.at += 1;
        self.digits(negative)
    }

    fn digits(&mut self, negative: bool) -> Option<Value> {
        let rest = self.rest();
        let mut end = 0;
        for (at, c) in rest.char_indices() {
            let exponent = matches!(c, '+' | '-') && rest[..at].ends_with(['e', 'E']) && !rest.starts_with("0x");
            if !(c.is_ascii_alphanumeric() || c == '.' || c == '_' || exponent) {
                break;
            }
            end = at + c.len_utf8();
        }
        let words = &rest[..end];
        self.at += end;
        let radix = match words.get(..2).map(str::to_ascii_lowercase).as_deref() {
            Some("0x") => 16,
            Some("0o") => 8,
            Some("0b") => 2,
            _ => 10,
        };
        if radix != 10 {
            let number = i64::from_str_radix(&words[2..].replace('_', ""), radix).ok()?;
            return Some(Value::Int(if negative { -number } else { number }.to_string()));
        }
        let plain = words.bytes().all(|byte| byte.is_ascii_digit() || byte == b'_');
        if plain {
            let zeros = words.starts_with('0') && words.bytes().any(|byte| matches!(byte, b'1'..=b'9'));
            let signed = format!("{}{words}", if negative { "-" } else { "" });
            return if zeros { None } else { python_int(&signed) };
        }
        let number = python_float(words).filter(|_| words.starts_with(|c: char| c.is_ascii_digit() || c == '.'))?;
        Some(Value::Float(if negative { -number } else { number }))
    }

    fn word(&mut self) -> Option<Value> {
        let rest = self.rest();
        let len = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        let behind = rest[len..].starts_with(['"', '\'']);
        match &rest[..len] {
            "None" => self.skip(len, Value::Null),
            "True" => self.skip(len, Value::Bool(true)),
            "False" => self.skip(len, Value::Bool(false)),
            "r" | "R" | "u" | "U" if behind => self.strings(),
            _ => None,
        }
    }

    fn skip(&mut self, len: usize, value: Value) -> Option<Value> {
        self.at += len;
        Some(value)
    }

    /// One string or several that follow one another, which are one.
    fn strings(&mut self) -> Option<Value> {
        let mut out = String::new();
        loop {
            let rest = self.rest();
            let prefix = usize::from(rest.starts_with(['r', 'R', 'u', 'U']));
            if !rest[prefix..].starts_with(['"', '\'']) {
                return Some(Value::Text(out));
            }
            self.at += prefix;
            let escapes = if rest.starts_with(['r', 'R']) { Escapes::Kept } else { Escapes::Read };
            self.string(&mut out, escapes)?;
            self.blanks();
        }
    }

    fn string(&mut self, out: &mut String, escapes: Escapes) -> Option<()> {
        let quote = &self.rest()[..1];
        let long = quote.repeat(3);
        let closer = if self.rest().starts_with(&long) { long.as_str() } else { quote };
        self.at += closer.len();
        loop {
            let rest = self.rest();
            let plain = rest.find(['\\', '\n', '\r', '"', '\'']).unwrap_or(rest.len());
            out.push_str(&rest[..plain]);
            self.at += plain;
            if self.takes(closer) {
                return Some(());
            }
            match self.rest().chars().next()? {
                '\\' if escapes == Escapes::Read => self.escape(out)?,
                '\\' => {
                    let next = self.rest()[1..].chars().next()?;
                    out.push('\\');
                    out.push(next);
                    self.at += 1 + next.len_utf8();
                }
                '\n' | '\r' if closer.len() == 1 => return None,
                c => {
                    out.push(c);
                    self.at += c.len_utf8();
                }
            }
        }
    }

    fn escape(&mut self, out: &mut String) -> Option<()> {
        let sign = self.rest()[1..].chars().next()?;
        let behind = self.at + 1 + sign.len_utf8();
        let digits = match sign {
            'x' => 2,
            'u' => 4,
            'U' => 8,
            _ => 0,
        };
        self.at = behind;
        if digits > 0 {
            let number = u32::from_str_radix(self.text.get(behind..behind + digits)?, 16).ok()?;
            out.push(char::from_u32(number).unwrap_or(char::REPLACEMENT_CHARACTER));
            self.at += digits;
            return Some(());
        }
        match sign {
            '\n' => {}
            '\\' | '\'' | '"' => out.push(sign),
            'a' => out.push('\u{7}'),
            'b' => out.push('\u{8}'),
            'f' => out.push('\u{c}'),
            'n' => out.push('\n'),
            'r' => out.push('\r'),
            't' => out.push('\t'),
            'v' => out.push('\u{b}'),
            '0'..='7' => {
                self.at -= 1;
                let rest = self.rest();
                let len = rest.bytes().take(3).take_while(|byte| matches!(byte, b'0'..=b'7')).count();
                let number = u32::from_str_radix(&rest[..len], 8).ok()?;
                out.push(char::from_u32(number)?);
                self.at += len;
            }
            // Python keeps an escape that it does not know.
            _ => {
                out.push('\\');
                out.push(sign);
            }
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::read_all;

    fn check(input: &str, expected: &str) {
        assert_eq!(read_all(input).map_or("none".to_owned(), |value| value.dumps()), expected, "{input}");
    }

    #[test]
    fn literals_become_values() {
        for (input, expected) in [
            ("{'a': [1, 2.5, None], 'b': (True,)}", r#"{"a": [1, 2.5, null], "b": [true]}"#),
            ("(1)", "1"),
            ("(-1, +2)", "[-1, 2]"),
            ("1, 2", "[1, 2]"),
            ("'a' \"b\"", r#""ab""#),
            (r"'\x41\n\q'", r#""A\n\\q""#),
            (r"r'\n'", r#""\\n""#),
            ("0x1f", "31"),
            ("1e400", "Infinity"),
            ("07", "none"),
            ("true", "none"),
            ("'a", "none"),
            ("[1", "none"),
            ("{1: 2}", r#"{"1": 2}"#),
            ("x", "none"),
            ("", "none"),
        ] {
            check(input, expected);
        }
    }
}
