//! Python's literals as `ast.literal_eval` takes them: numbers, strings, `True`, `False`, `None`, lists, tuples, dictionaries.
//!
//! Sets, bytes and complex numbers are refused, since no runtime can write them as JSON. Names, calls and operators other
//! than a sign are refused too.

use super::json::Value;

/// Deepest nesting that is read.
const MAX_DEPTH: usize = 100;

/// Reads a text that is one literal and white space; nothing where it is none.
pub fn read_all(text: &str) -> Option<Value> {
    let (value, end) = read(text)?;
    text[end..].trim().is_empty().then_some(value)
}

/// Reads one literal at the beginning of a text, behind blanks; it, and the bytes that it took.
pub fn read(text: &str) -> Option<(Value, usize)> {
    let mut reader = Reader { text, at: 0 };
    reader.blanks(false);
    let value = reader.value(0)?;
    Some((value, reader.at))
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Reader<'a> {
    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn next(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn takes(&mut self, sign: &str) -> bool {
        let there = self.rest().starts_with(sign);
        if there {
            self.at += sign.len();
        }
        there
    }

    /// Passes over blanks; line feeds are blanks within brackets only.
    fn blanks(&mut self, in_brackets: bool) {
        let rest = self.rest();
        let blank = |c: char| matches!(c, ' ' | '\t' | '\u{c}') || in_brackets && matches!(c, '\n' | '\r');
        self.at += rest.len() - rest.trim_start_matches(blank).len();
    }

    fn value(&mut self, depth: usize) -> Option<Value> {
        if depth > MAX_DEPTH {
            return None;
        }
        match self.next()? {
            '[' => self.list(']', depth).map(|(items, _)| Value::List(items)),
            '(' => match self.list(')', depth)? {
                // Brackets around one value without a comma are no tuple.
                (mut items, false) if items.len() == 1 => items.pop(),
                (items, _) => Some(Value::List(items)),
            },
            '{' => self.dictionary(depth),
            '-' | '+' => self.signed(),
            c if c.is_ascii_digit() || c == '.' => self.number(),
            _ => self.word(depth),
        }
    }

    fn signed(&mut self) -> Option<Value> {
        let negative = self.rest().starts_with('-');
        self.at += 1;
        self.blanks(false);
        match self.number()? {
            Value::Int(digits) if negative && digits != "0" => Some(Value::Int(format!("-{digits}"))),
            Value::Float(number) if negative => Some(Value::Float(-number)),
            number => Some(number),
        }
    }

    fn number(&mut self) -> Option<Value> {
        let rest = self.rest();
        let len = number_length(rest);
        let words = &rest[..len];
        self.at += len;
        let plain = words.replace('_', "");
        if words.starts_with('_') || words.ends_with('_') || words.contains("__") {
            return None;
        }
        let lower = plain.to_ascii_lowercase();
        for (prefix, radix) in [("0x", 16), ("0o", 8), ("0b", 2)] {
            if let Some(digits) = lower.strip_prefix(prefix) {
                return u128::from_str_radix(digits, radix).ok().map(|number| Value::Int(number.to_string()));
            }
        }
        if lower.bytes().all(|byte| byte.is_ascii_digit()) && !lower.is_empty() {
            let zeros = lower.bytes().all(|byte| byte == b'0');
            return match (zeros, lower.starts_with('0')) {
                (true, _) => Some(Value::Int("0".to_owned())),
                (false, true) => None,
                (false, false) => Some(Value::Int(lower)),
            };
        }
        lower.parse().ok().map(Value::Float)
    }

    fn word(&mut self, depth: usize) -> Option<Value> {
        let rest = self.rest();
        let len = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        let value = match &rest[..len] {
            "True" => Value::Bool(true),
            "False" => Value::Bool(false),
            "None" => Value::Null,
            _ => return self.strings(depth),
        };
        self.at += len;
        Some(value)
    }

    /// Strings that stand one after the other are one.
    fn strings(&mut self, depth: usize) -> Option<Value> {
        let mut out = String::new();
        self.string(&mut out)?;
        loop {
            let behind = self.at;
            self.blanks(depth > 0);
            let begins = |rest: &str| rest.trim_start_matches(['r', 'R', 'u', 'U']).starts_with(['"', '\'']);
            if !begins(self.rest()) || self.string(&mut out).is_none() {
                self.at = behind;
                return Some(Value::Text(out));
            }
        }
    }

    fn string(&mut self, out: &mut String) -> Option<()> {
        let raw = self.takes("r") || self.takes("R");
        let _ = !raw && (self.takes("u") || self.takes("U"));
        let quote = ["\"\"\"", "'''", "\"", "'"].into_iter().find(|quote| self.takes(quote))?;
        let kept = out.len();
        loop {
            if self.takes(quote) {
                return Some(());
            }
            let Some(c) = self.next() else {
                out.truncate(kept);
                return None;
            };
            if c == '\n' && quote.len() == 1 {
                return None;
            }
            self.at += c.len_utf8();
            if c != '\\' {
                out.push(c);
            } else if raw {
                out.push('\\');
                let escaped = self.next()?;
                out.push(escaped);
                self.at += escaped.len_utf8();
            } else {
                self.escape(out)?;
            }
        }
    }

    fn escape(&mut self, out: &mut String) -> Option<()> {
        let sign = self.next()?;
        self.at += sign.len_utf8();
        let made = match sign {
            '\n' => return Some(()),
            '\\' | '\'' | '"' => sign,
            'a' => '\u{7}',
            'b' => '\u{8}',
            'f' => '\u{c}',
            'n' => '\n',
            'r' => '\r',
            't' => '\t',
            'v' => '\u{b}',
            'x' => self.code(2)?,
            'u' => self.code(4)?,
            'U' => self.code(8)?,
            '0'..='7' => {
                let digits = self.rest().bytes().take(2).take_while(|byte| matches!(byte, b'0'..=b'7')).count();
                let start = self.at - 1;
                self.at += digits;
                char::from_u32(u32::from_str_radix(&self.text[start..self.at], 8).ok()?)?
            }
            // Python keeps the backslash of an escape that it does not know.
            other => {
                out.push('\\');
                other
            }
        };
        out.push(made);
        Some(())
    }

    fn code(&mut self, digits: usize) -> Option<char> {
        let words = self.rest().get(..digits)?;
        if !words.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return None;
        }
        self.at += digits;
        // Python keeps half of a pair; a text of ours cannot.
        Some(char::from_u32(u32::from_str_radix(words, 16).ok()?).unwrap_or(char::REPLACEMENT_CHARACTER))
    }

    /// The items of brackets, and whether a comma stands behind the last of them.
    fn list(&mut self, closer: char, depth: usize) -> Option<(Vec<Value>, bool)> {
        self.at += 1;
        let (mut items, mut comma) = (Vec::new(), false);
        loop {
            self.blanks(true);
            if self.next()? == closer {
                self.at += closer.len_utf8();
                return Some((items, comma));
            }
            if !items.is_empty() && !comma {
                return None;
            }
            items.push(self.value(depth + 1)?);
            self.blanks(true);
            comma = self.takes(",");
        }
    }

    fn dictionary(&mut self, depth: usize) -> Option<Value> {
        self.at += 1;
        let (mut members, mut comma) = (Vec::new(), true);
        loop {
            self.blanks(true);
            if self.takes("}") {
                return Some(Value::Object(members));
            }
            if !comma {
                return None;
            }
            let key = match self.value(depth + 1)? {
                Value::Text(text) => text,
                Value::List(_) | Value::Object(_) => return None,
                other => other.dumps(),
            };
            self.blanks(true);
            if !self.takes(":") {
                return None;
            }
            self.blanks(true);
            let value = self.value(depth + 1)?;
            Value::insert(&mut members, key, value);
            self.blanks(true);
            comma = self.takes(",");
        }
    }
}

/// How many bytes at the beginning of a text belong to a number.
fn number_length(text: &str) -> usize {
    let bytes = text.as_bytes();
    if bytes.first() == Some(&b'0') && matches!(bytes.get(1), Some(b'x' | b'X' | b'o' | b'O' | b'b' | b'B')) {
        return 2 + bytes[2..].iter().take_while(|byte| byte.is_ascii_hexdigit() || **byte == b'_').count();
    }
    let digits = |from: usize| {
        let rest = bytes.get(from..).unwrap_or_default();
        from + rest.iter().take_while(|byte| byte.is_ascii_digit() || **byte == b'_').count()
    };
    let mut at = digits(0);
    if bytes.get(at) == Some(&b'.') {
        at = digits(at + 1);
    }
    if matches!(bytes.get(at), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(at + 1), Some(b'+' | b'-')));
        if bytes.get(at + 1 + sign).is_some_and(u8::is_ascii_digit) {
            at = digits(at + 1 + sign);
        }
    }
    at
}
