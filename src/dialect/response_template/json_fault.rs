//! What Python's `json` says of a text that it does not accept: the first fault in its words, with line and column.

/// What is read next.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Next {
    Value,
    /// Behind the brace of an object: a key, or its end.
    FirstKey,
    Key,
    /// Behind a value in a container, whose closing bracket this is.
    Behind(u8),
}

/// The first fault of a text that should be JSON; `None` where Python accepts it. Offsets are counted in characters.
pub(super) fn first(text: &str) -> Option<String> {
    let fault = Reader { bytes: text.as_bytes(), at: 0 }.read().err()?;
    let (words, at) = fault;
    let before = &text[..at.min(text.len())];
    let line = before.matches('\n').count() + 1;
    let last = before.rfind('\n').map_or(0, |feed| feed + 1);
    let column = before[last..].chars().count() + 1;
    Some(format!("{words}: line {line} column {column} (char {})", before.chars().count()))
}

type Fault = (&'static str, usize);

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn blanks(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn read(&mut self) -> Result<(), Fault> {
        self.blanks();
        let mut stack = vec![Next::Value];
        while let Some(next) = stack.pop() {
            match next {
                Next::Value => self.value(&mut stack)?,
                Next::FirstKey => {
                    self.blanks();
                    if self.peek() == Some(b'}') {
                        self.at += 1;
                    } else {
                        stack.push(Next::Key);
                    }
                }
                Next::Key => {
                    if self.peek() != Some(b'"') {
                        return Err(("Expecting property name enclosed in double quotes", self.at));
                    }
                    self.string()?;
                    self.blanks();
                    if self.peek() != Some(b':') {
                        return Err(("Expecting ':' delimiter", self.at));
                    }
                    self.at += 1;
                    self.blanks();
                    stack.extend([Next::Behind(b'}'), Next::Value]);
                }
                Next::Behind(closer) => {
                    self.blanks();
                    match self.peek() {
                        Some(byte) if byte == closer => self.at += 1,
                        Some(b',') => {
                            self.at += 1;
                            self.blanks();
                            if closer == b'}' {
                                stack.push(Next::Key);
                            } else {
                                stack.extend([Next::Behind(closer), Next::Value]);
                            }
                        }
                        _ => return Err(("Expecting ',' delimiter", self.at)),
                    }
                }
            }
        }
        self.blanks();
        if self.at < self.bytes.len() { Err(("Extra data", self.at)) } else { Ok(()) }
    }

    fn value(&mut self, stack: &mut Vec<Next>) -> Result<(), Fault> {
        match self.peek() {
            Some(b'"') => return self.string(),
            Some(b'{') => {
                self.at += 1;
                stack.push(Next::FirstKey);
                return Ok(());
            }
            Some(b'[') => {
                self.at += 1;
                self.blanks();
                if self.peek() == Some(b']') {
                    self.at += 1;
                } else {
                    stack.extend([Next::Behind(b']'), Next::Value]);
                }
                return Ok(());
            }
            _ => {}
        }
        let rest = &self.bytes[self.at..];
        let words: [&[u8]; 6] = [b"null", b"true", b"false", b"NaN", b"Infinity", b"-Infinity"];
        let length = words.iter().find(|word| rest.starts_with(word)).map_or_else(|| number(rest), |word| word.len());
        if length == 0 {
            return Err(("Expecting value", self.at));
        }
        self.at += length;
        Ok(())
    }

    fn string(&mut self) -> Result<(), Fault> {
        let start = self.at;
        self.at += 1;
        loop {
            let Some(byte) = self.peek() else { return Err(("Unterminated string starting at", start)) };
            match byte {
                b'"' => {
                    self.at += 1;
                    return Ok(());
                }
                b'\\' => match self.bytes.get(self.at + 1) {
                    None => return Err(("Unterminated string starting at", start)),
                    Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => self.at += 2,
                    Some(b'u') => {
                        let digits = self.bytes.get(self.at + 2..self.at + 6);
                        if !digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit)) {
                            return Err(("Invalid \\uXXXX escape", self.at + 1));
                        }
                        self.at += 6;
                    }
                    Some(_) => return Err(("Invalid \\escape", self.at)),
                },
                0..0x20 => return Err(("Invalid control character at", self.at)),
                _ => self.at += 1,
            }
        }
    }
}

/// Number of bytes of the number that a text begins with.
fn number(bytes: &[u8]) -> usize {
    let digits = |from: usize| bytes[from.min(bytes.len())..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    let sign = usize::from(bytes.first() == Some(&b'-'));
    let whole = match bytes.get(sign) {
        Some(b'0') => 1,
        Some(b'1'..=b'9') => digits(sign),
        _ => return 0,
    };
    let mut end = sign + whole;
    if bytes.get(end) == Some(&b'.') && digits(end + 1) > 0 {
        end += 1 + digits(end + 1);
    }
    if matches!(bytes.get(end), Some(b'e' | b'E')) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        if digits(end + 1 + sign) > 0 {
            end += 1 + sign + digits(end + 1 + sign);
        }
    }
    end
}

#[cfg(test)]
mod tests {
    use super::first;

    /// Texts with what Python 3.11 says of them.
    #[test]
    fn faults_are_named_as_python_names_them() {
        let cases: &[(&str, Option<&str>)] = &[
            (r#" {"a": [1, 2.5e3, -0, true, null, NaN, "\u00e9"]} "#, None),
            ("", Some("Expecting value: line 1 column 1 (char 0)")),
            ("{a : 1}", Some("Expecting property name enclosed in double quotes: line 1 column 2 (char 1)")),
            (r#"{"name": "f", "argum"#, Some("Unterminated string starting at: line 1 column 15 (char 14)")),
            (r#"{"a": 1,}"#, Some("Expecting property name enclosed in double quotes: line 1 column 9 (char 8)")),
            ("[1,]", Some("Expecting value: line 1 column 4 (char 3)")),
            ("[1 2]", Some("Expecting ',' delimiter: line 1 column 4 (char 3)")),
            (r#"{"a" 1}"#, Some("Expecting ':' delimiter: line 1 column 6 (char 5)")),
            ("{} x", Some("Extra data: line 1 column 4 (char 3)")),
            ("{\"é\":\n \"\t\"}", Some("Invalid control character at: line 2 column 3 (char 8)")),
            (r#"["\x"]"#, Some("Invalid \\escape: line 1 column 3 (char 2)")),
            (r#"["\u12"]"#, Some("Invalid \\uXXXX escape: line 1 column 4 (char 3)")),
            ("[", Some("Expecting value: line 1 column 2 (char 1)")),
            ("01", Some("Extra data: line 1 column 2 (char 1)")),
        ];
        for (text, expected) in cases {
            assert_eq!(first(text).as_deref(), *expected, "{text}");
        }
        assert!(first(&"[".repeat(1_000_000)).is_some());
    }
}
