//! Computes the edits that turn almost-JSON into JSON.
//!
//! The text is scanned once, and its content is kept. This handles missing and unescaped quotes, strings in single
//! quotes, Python literals, missing and superfluous commas, colons and brackets, comments, and raw control characters.
//! Text with the structure of JSON never becomes part of a string, except JSON that is a string as a whole. If two
//! readings are equally likely, there is no edit at all.

mod quotes;
mod words;

use crate::diagnostic::Edit;
use crate::text::Span;

use words::{closer, comment, escaped, json_word, unpaired_closers};

/// The edits that turn a text into one JSON value, in order. `None` if that is ambiguous, or if it needs no edit.
pub(super) fn edits(text: &str) -> Option<Vec<Edit>> {
    fix(text, Depth::Whole).filter(|edits| !edits.is_empty())
}

/// The origin of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Depth {
    Whole,
    /// A string within another text; strings in it are not read as JSON.
    InString,
}

/// As [`edits`], but empty for a text that is valid JSON.
fn fix(text: &str, depth: Depth) -> Option<Vec<Edit>> {
    let mut fixer = Fixer {
        text,
        bytes: text.as_bytes(),
        depth,
        at: 0,
        last_end: 0,
        edits: Vec::new(),
        open: Vec::new(),
        comma: None,
        bare_keys: false,
    };
    fixer.run()?;
    Some(fixer.edits)
}

struct Fixer<'a> {
    text: &'a str,
    bytes: &'a [u8],
    depth: Depth,
    at: usize,
    /// Offset after the last token.
    last_end: usize,
    edits: Vec<Edit>,
    /// The brackets that are open.
    open: Vec<u8>,
    /// Offset of a comma after which no token has followed yet.
    comma: Option<usize>,
    /// True if a key without quotes was seen.
    bare_keys: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Expect {
    Value,
    Key,
    Colon,
    /// A comma or a closing bracket.
    Next,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    Key,
    Member,
    Element,
    Root,
}

impl Fixer<'_> {
    fn run(&mut self) -> Option<()> {
        let mut expect = Expect::Value;
        loop {
            self.skip_whitespace();
            if expect == Expect::Next && self.open.is_empty() {
                return self.rest();
            }
            let Some(&byte) = self.bytes.get(self.at) else { return self.cut_off(expect) };
            expect = match expect {
                Expect::Value => self.value(byte)?,
                Expect::Key => self.key(byte)?,
                Expect::Colon => self.colon(byte)?,
                Expect::Next => self.next(byte)?,
            };
        }
    }

    /// Adds an edit, before the removal of a comment if it belongs there.
    fn edit(&mut self, start: usize, end: usize, with: impl Into<String>) {
        let edit = Edit { span: Span::new(start, end), with: with.into() };
        let behind =
            self.edits.iter().rev().take_while(|other| other.span.start >= start && other.span.end > start).count();
        self.edits.insert(self.edits.len() - behind, edit);
    }

    /// Consumes a token of this many bytes.
    fn take(&mut self, length: usize) {
        self.at += length;
        self.last_end = self.at;
    }

    /// Removes a trailing comma.
    fn drop_comma(&mut self) {
        if let Some(at) = self.comma.take() {
            self.edit(at, at + 1, "");
        }
    }

    /// Skips whitespace, and removes comments.
    fn skip_whitespace(&mut self) {
        loop {
            self.at = self.skip(self.at);
            let Some(length) = comment(&self.bytes[self.at..]) else { return };
            let start = self.last_end + self.text[self.last_end..self.at].trim_end_matches([' ', '\t']).len();
            self.edit(start, self.at + length, "");
            self.at += length;
        }
    }

    /// Offset of the first byte at or after `at` that is neither whitespace nor in a comment.
    fn ahead(&self, at: usize) -> usize {
        let mut at = self.skip(at);
        while let Some(length) = comment(&self.bytes[at..]) {
            at = self.skip(at + length);
        }
        at
    }

    /// Offset of the first byte at or after `at` that is not whitespace.
    fn skip(&self, at: usize) -> usize {
        let blanks = self.bytes[at..].iter().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\n' | b'\r'));
        at + blanks.count()
    }

    fn value(&mut self, byte: u8) -> Option<Expect> {
        let in_list = self.open.last() == Some(&b'[');
        match byte {
            b'{' | b'[' => {
                self.comma = None;
                self.open.push(byte);
                self.take(1);
                Some(if byte == b'{' { Expect::Key } else { Expect::Value })
            }
            b']' if in_list => {
                self.drop_comma();
                self.open.pop();
                self.take(1);
                Some(Expect::Next)
            }
            b'}' if in_list && self.open.iter().rev().nth(1) == Some(&b'{') => {
                self.drop_comma();
                self.missing_closer();
                Some(Expect::Next)
            }
            b',' if in_list => {
                self.edit(self.at, self.at + 1, "");
                self.at += 1;
                Some(Expect::Value)
            }
            _ if self.begins_string() => {
                let role = match self.open.last() {
                    Some(b'{') => Role::Member,
                    Some(_) => Role::Element,
                    None => Role::Root,
                };
                self.string(role)?;
                self.comma = None;
                Some(Expect::Next)
            }
            _ => self.word(),
        }
    }

    fn key(&mut self, byte: u8) -> Option<Expect> {
        match byte {
            b'}' => {
                self.drop_comma();
                self.open.pop();
                self.take(1);
                Some(Expect::Next)
            }
            b']' if self.open.iter().rev().nth(1) == Some(&b'[') => {
                self.drop_comma();
                self.missing_closer();
                Some(Expect::Next)
            }
            b',' => {
                self.edit(self.at, self.at + 1, "");
                self.at += 1;
                Some(Expect::Key)
            }
            _ if self.begins_string() => {
                self.comma = None;
                self.string(Role::Key)?;
                Some(Expect::Colon)
            }
            _ => {
                let word = self.bare(self.at);
                if self.is_half_quoted_key(self.at) {
                    self.comma = None;
                    self.edit(self.at, self.at, "\"");
                    self.take(word + 1);
                    return Some(Expect::Colon);
                }
                let behind = self.skip(self.at + word);
                let begins = byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'$');
                if !begins || !matches!(self.bytes.get(behind), Some(b':' | b'=')) {
                    return None;
                }
                self.comma = None;
                self.bare_keys = true;
                let quoted = format!("\"{}\"", &self.text[self.at..self.at + word]);
                self.edit(self.at, self.at + word, quoted);
                self.take(word);
                Some(Expect::Colon)
            }
        }
    }

    fn colon(&mut self, byte: u8) -> Option<Expect> {
        match byte {
            b':' => self.take(1),
            b'=' => {
                let length = if self.bytes.get(self.at + 1) == Some(&b'>') { 2 } else { 1 };
                self.edit(self.at, self.at + length, ":");
                self.take(length);
            }
            // A second quotation mark in a row is superfluous.
            b'"' if self.bytes.get(self.skip(self.at + 1)) == Some(&b':') => {
                self.edit(self.at, self.at + 1, "");
                self.at = self.skip(self.at + 1) + 1;
                self.last_end = self.at;
            }
            b'"' | b'\'' | b'{' | b'[' | b'-' | b'0'..=b'9' => self.edit(self.last_end, self.last_end, ":"),
            _ => return None,
        }
        Some(Expect::Value)
    }

    fn next(&mut self, byte: u8) -> Option<Expect> {
        let in_object = *self.open.last()? == b'{';
        let following = if in_object { Expect::Key } else { Expect::Value };
        match byte {
            b',' | b';' => {
                if byte == b';' {
                    self.edit(self.at, self.at + 1, ",");
                } else {
                    self.comma = Some(self.at);
                }
                self.take(1);
                return Some(following);
            }
            b'}' | b']' => {
                let opener = if byte == b'}' { b'{' } else { b'[' };
                let below = self.open.iter().rev().nth(1);
                if self.open.last() == Some(&opener) {
                    self.open.pop();
                    self.take(1);
                } else if below == Some(&opener) {
                    self.missing_closer();
                } else {
                    self.edit(self.at, self.at + 1, "");
                    self.take(1);
                }
                return Some(Expect::Next);
            }
            _ => {}
        }
        let follows = if in_object {
            self.looks_like_key(self.at, false)
        } else {
            matches!(byte, b'"' | b'\'' | b'{' | b'[' | b'-' | b'0'..=b'9')
        };
        follows.then(|| self.edit(self.last_end, self.last_end, ","))?;
        Some(following)
    }

    /// Closes the innermost bracket after the last token.
    fn missing_closer(&mut self) {
        if let Some(opener) = self.open.pop() {
            self.edit(self.last_end, self.last_end, closer(opener));
        }
    }

    /// Removes superfluous brackets and commas after the value; fails on any other text.
    fn rest(&mut self) -> Option<()> {
        let rest = self.text[self.at..].trim_end();
        if rest.bytes().any(|byte| !matches!(byte, b'}' | b']' | b',' | b';' | b' ' | b'\t' | b'\n' | b'\r')) {
            return None;
        }
        if !rest.is_empty() {
            self.edit(self.at, self.at + rest.len(), "");
        }
        Some(())
    }

    /// Completes a value that is cut off by the end of the text.
    fn cut_off(&mut self, expect: Expect) -> Option<()> {
        let is_list = self.open.last() == Some(&b'[');
        match expect {
            Expect::Next | Expect::Key => {}
            Expect::Value if is_list => {}
            Expect::Value | Expect::Colon => return None,
        }
        self.drop_comma();
        let closers: String = self.open.iter().rev().map(|&opener| closer(opener)).collect();
        let edited = self.edits.last().map_or(0, |edit| edit.span.end);
        let end = self.text.trim_end().len().max(self.last_end).max(edited);
        match self.edits.last_mut().filter(|edit| edit.span == Span::at(end)) {
            Some(edit) => edit.with.push_str(&closers),
            None => self.edit(end, end, closers),
        }
        Some(())
    }

    /// Length of a bare word at an offset.
    fn bare(&self, at: usize) -> usize {
        let is_word = |byte: &&u8| byte.is_ascii_alphanumeric() || b"_$+-.".contains(byte);
        self.bytes[at..].iter().take_while(is_word).count()
    }

    /// Reads a number, a literal, or a word without quotes.
    fn word(&mut self) -> Option<Expect> {
        let length = self.bare(self.at);
        let word = &self.text[self.at..self.at + length];
        let (json, is_bare) = json_word(word)?;
        // Several words in a row are unquoted text.
        let behind = self.bytes.get(self.ahead(self.at + length));
        let ends = match behind {
            None | Some(b',' | b';' | b'}' | b']') => true,
            Some(byte) => !is_bare && !byte.is_ascii_alphabetic() && byte.is_ascii(),
        };
        if length == 0 || !ends {
            return None;
        }
        if json != word {
            self.edit(self.at, self.at + length, json);
        }
        self.take(length);
        self.comma = None;
        Some(Expect::Next)
    }

    fn begins_string(&self) -> bool {
        matches!(self.bytes[self.at], b'"' | b'\'') || self.text[self.at..].starts_with('“')
    }

    /// Reads a string that starts here.
    fn string(&mut self, role: Role) -> Option<()> {
        if self.bytes[self.at] == b'"' { self.double_quoted(role) } else { self.otherwise_quoted(role) }
    }

    fn double_quoted(&mut self, role: Role) -> Option<()> {
        let start = self.at + 1;
        let mut at = start;
        // Start of the second line of the string, and of its current line.
        let (mut second_line, mut line) = (None, at);
        let (mut has_quotes, mut has_structure) = (false, false);
        while let Some(&byte) = self.bytes.get(at) {
            match byte {
                b'\n' if role == Role::Key => return None,
                b'\\' => at += self.escape(at),
                b'"' if self.closes(at + 1, role) => {
                    // JSON in a string is one value; otherwise the string should have ended earlier.
                    let said = &self.text[start..at];
                    if has_structure && !fix(said, Depth::InString).is_some_and(|edits| edits.is_empty()) {
                        return None;
                    }
                    self.at = at;
                    self.take(1);
                    return Some(());
                }
                // Text that starts a line like JSON may just as well be the next value.
                b'"' if second_line.is_some() && matches!(self.bytes.get(self.skip(line)), Some(b'{' | b'[')) => {
                    return None;
                }
                b'"' => {
                    if self.is_structure(at, role) {
                        let end = self.missing_end(start, at, role).filter(|_| !has_quotes);
                        match end {
                            Some(end) => {
                                self.close_string(end);
                                return Some(());
                            }
                            None if self.may_hold_json(start, role) => has_structure = true,
                            None => return None,
                        }
                    }
                    self.edit(at, at + 1, "\\\"");
                    has_quotes = true;
                    at += 1;
                }
                0..0x20 => {
                    self.edit(at, at + 1, escaped(byte));
                    at += 1;
                    if byte == b'\n' {
                        line = at;
                        second_line.get_or_insert(at);
                    }
                }
                _ => at += 1,
            }
        }
        // The text ends in the string, which keeps what has arrived. If it has several lines, they may be prose.
        let text = self.text.trim_end();
        let brackets = unpaired_closers(&text[start.min(text.len())..]);
        let end = text.len() - brackets.len();
        let end = end - (text[..end].len() - text[..end].trim_end().len());
        let closes_all = || {
            let closers = brackets.chars().filter(|c| !c.is_whitespace());
            closers.eq(self.open.iter().rev().map(|&opener| closer(opener)))
        };
        let is_lines = second_line.is_some_and(|second| second < end);
        if role == Role::Key || is_lines || has_structure || !brackets.is_empty() && (has_quotes || !closes_all()) {
            return None;
        }
        self.close_string(end);
        Some(())
    }

    /// Inserts the missing quotation mark at the end of a string.
    fn close_string(&mut self, end: usize) {
        self.edits.retain(|edit| edit.span.end <= end);
        self.edit(end, end, "\"");
        self.at = end;
        self.last_end = end;
    }

    /// Length of an escape sequence; an invalid one is repaired.
    fn escape(&mut self, at: usize) -> usize {
        match self.bytes.get(at + 1) {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => 2,
            Some(b'u') if self.bytes.get(at + 2..at + 6).is_some_and(|hex| hex.iter().all(u8::is_ascii_hexdigit)) => 6,
            Some(b'\'') => {
                self.edit(at, at + 2, "'");
                2
            }
            _ => {
                self.edit(at, at + 1, "\\\\");
                1
            }
        }
    }

    /// Reads a string in single or curly quotes, which is rewritten as a whole.
    fn otherwise_quoted(&mut self, role: Role) -> Option<()> {
        let (start, close) = match self.bytes[self.at] {
            b'\'' => (self.at + 1, '\''),
            _ => (self.at + '“'.len_utf8(), '”'),
        };
        let mut with = String::from("\"");
        let mut chars = self.text[start..].char_indices().peekable();
        while let Some((offset, c)) = chars.next() {
            let behind = start + offset + c.len_utf8();
            match c {
                '\\' => match chars.next()?.1 {
                    '\'' => with.push('\''),
                    next @ ('"' | '\\' | '/' | 'b' | 'f' | 'n' | 'r' | 't' | 'u') => with.extend(['\\', next]),
                    next @ '\0'..'\x20' => with.push_str(&escaped(next as u8)),
                    next => with.extend(['\\', '\\', next]),
                },
                c if c == close && self.closes(behind, role) => {
                    with.push('"');
                    self.edit(self.at, behind, with);
                    self.at = behind;
                    self.take(0);
                    return Some(());
                }
                c if c == close && self.is_quoted_key(behind - c.len_utf8(), behind) => return None,
                '"' => with.push_str("\\\""),
                '\0'..'\x20' => with.push_str(&escaped(c as u8)),
                _ => with.push(c),
            }
        }
        None
    }
}

#[cfg(test)]
mod tests;
