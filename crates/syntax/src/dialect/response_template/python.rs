//! Rewrites Python's pattern syntax for `regex-syntax`.
//!
//! Syntax with the same meaning is copied, characters that are special only here are escaped, and unsupported syntax
//! is rejected with its position.

use std::fmt::Write as _;

/// Prefix of the names of groups that mark the beginning of a look-ahead.
pub(super) const AHEAD: &str = "ahead__";

/// An invalid pattern, with the position of the error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct PatternFault {
    /// Byte offset in the pattern.
    pub(super) at: usize,
    /// Python's message if Python rejects the pattern as well.
    pub(super) message: String,
    /// Suggested remedy.
    pub(super) help: String,
}

impl PatternFault {
    pub(super) fn new(at: usize, message: impl Into<String>, help: impl Into<String>) -> Self {
        Self { at, message: message.into(), help: help.into() }
    }
}

/// A pattern rewritten for `regex-syntax`.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Translated {
    pub(super) expression: String,
    /// A text that must appear somewhere after the start of a match.
    pub(super) gate: Option<String>,
}

/// Ways to write "anything, then this" in a look-ahead at the beginning.
const ANYTHING: [&str; 6] = ["[\\s\\S]*?", "[\\s\\S]*", "[\\S\\s]*?", "[\\S\\s]*", ".*?", ".*"];

pub(super) fn translate(pattern: &str) -> Result<Translated, PatternFault> {
    let gate = gate(pattern);
    let start = gate.as_ref().map_or(0, |(_, end)| *end);
    let mut reader = TemplateReader { pattern, at: start, out: String::new(), open: Vec::new(), aheads: 0 };
    while reader.at < pattern.len() {
        reader.step()?;
    }
    if !reader.open.is_empty() {
        let message = format!("missing ) at position {}", pattern.chars().count());
        return Err(PatternFault::new(pattern.len(), message, "close each group with )"));
    }
    Ok(Translated { expression: reader.out, gate: gate.map(|(text, _)| text) })
}

/// The text of a look-ahead at the beginning, and the offset of its end.
fn gate(pattern: &str) -> Option<(String, usize)> {
    let inside = pattern.strip_prefix("(?=")?;
    let rest = ANYTHING.iter().find_map(|anything| inside.strip_prefix(anything))?;
    let mut text = String::new();
    let mut chars = rest.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            ')' if !text.is_empty() => return Some((text, pattern.len() - rest.len() + at + 1)),
            '\\' => match chars.next()?.1 {
                'n' => text.push('\n'),
                't' => text.push('\t'),
                escaped if escaped.is_ascii_alphanumeric() => return None,
                escaped => text.push(escaped),
            },
            '.' | '^' | '$' | '*' | '+' | '?' | '{' | '[' | '|' | '(' | ')' => return None,
            c => text.push(c),
        }
    }
    None
}

struct TemplateReader<'a> {
    pattern: &'a str,
    at: usize,
    out: String,
    /// The closing text of each open group.
    open: Vec<&'static str>,
    /// Number of look-aheads so far.
    aheads: usize,
}

impl TemplateReader<'_> {
    fn rest(&self) -> &str {
        &self.pattern[self.at..]
    }

    /// Copies or rewrites the next element.
    fn step(&mut self) -> Result<(), PatternFault> {
        let rest = self.rest();
        let Some(c) = rest.chars().next() else { return Ok(()) };
        match c {
            '\\' => return self.escape(Context::Outside),
            '[' => return self.class(),
            '(' => return self.group(),
            ')' => {
                let Some(closing) = self.open.pop() else {
                    let at = self.pattern[..self.at].chars().count();
                    let message = format!("unbalanced parenthesis at position {at}");
                    return Err(PatternFault::new(self.at, message, "write \\) for a parenthesis"));
                };
                self.out.push_str(closing);
            }
            // Without MULTILINE, `$` matches at the end or before a final line feed.
            '$' => self.out.push_str("(?m:$)"),
            '{' if repetition(rest).is_none() => self.out.push_str("\\{"),
            '*' | '+' | '?' | '{' => return self.quantifier(),
            c => self.out.push(c),
        }
        self.at += c.len_utf8();
        Ok(())
    }

    fn quantifier(&mut self) -> Result<(), PatternFault> {
        let rest = self.rest();
        let length = repetition(rest).unwrap_or(1);
        let behind = &rest[length..];
        if behind.starts_with('+') {
            let at = self.at + length;
            let help = "write the quantifier without the + after it";
            return Err(PatternFault::new(at, "possessive quantifiers are not supported here", help));
        }
        let length = length + usize::from(behind.starts_with('?'));
        let whole = rest[..length].to_owned();
        // `{,3}` is `{0,3}`.
        self.out.push_str(&whole.replacen("{,", "{0,", 1));
        self.at += length;
        Ok(())
    }

    fn group(&mut self) -> Result<(), PatternFault> {
        let rest = self.rest();
        let unsupported =
            |what: &str, help: &str| Err(PatternFault::new(self.at, format!("{what} is not supported here"), help));
        let plain =
            "write the pattern without look-around; (?=X) may be at its end, and (?=[\\s\\S]*?TEXT) at its beginning";
        if rest.starts_with("(?=") {
            let Some(end) = group_end(self.pattern, self.at) else {
                let message = format!("missing ) at position {}", self.pattern.chars().count());
                return Err(PatternFault::new(self.pattern.len(), message, "close each group with )"));
            };
            if !is_tail(self.pattern, end) || self.open.contains(&LOOK) {
                return unsupported("a look-ahead inside of a pattern", plain);
            }
            let _ = write!(self.out, "(?P<{AHEAD}{}>)(?:", self.aheads);
            self.aheads += 1;
            self.open.push(LOOK);
            self.at += 3;
            return Ok(());
        }
        if ["(?!", "(?<!", "(?<="].iter().any(|look| rest.starts_with(look)) {
            return unsupported("this look-around", plain);
        }
        if rest.starts_with("(?P=") || rest.starts_with("(?P>") || rest.starts_with("(?&") || rest.starts_with("(?R") {
            return unsupported("a reference to a group", "write out what the group matches");
        }
        if rest.starts_with("(?#") {
            let end = rest.find(')').map_or(rest.len(), |end| end + 1);
            self.at += end;
            return Ok(());
        }
        let named = rest.strip_prefix("(?P<").or_else(|| rest.strip_prefix("(?<"));
        if let Some(name) = named {
            let Some(end) = name.find('>') else {
                let message = format!("missing > at position {}", self.pattern.chars().count());
                return Err(PatternFault::new(self.at, message, "write a named group as (?P<name>…)"));
            };
            let name = name[..end].to_owned();
            if name.starts_with(AHEAD) {
                return unsupported("this name of a group", "give the group another name");
            }
            self.at += rest.len() - named.map_or(0, str::len) + end + 1;
            let _ = write!(self.out, "(?P<{name}>");
            self.open.push(GROUP);
            return Ok(());
        }
        let Some(flags) = rest.strip_prefix("(?") else {
            self.out.push('(');
            self.open.push(GROUP);
            self.at += 1;
            return Ok(());
        };
        let length = flags.find([':', ')']).unwrap_or(flags.len());
        let words = &flags[..length];
        if length == flags.len() || !words.chars().all(|c| matches!(c, 'i' | 's' | 'u' | '-')) {
            return unsupported("this kind of group", "use plain, named and non-capturing groups");
        }
        let is_scoped = flags[length..].starts_with(':');
        let kept: String = words.chars().filter(|c| *c != 'u').collect();
        let length = length + 3;
        let _ = write!(self.out, "(?{kept}");
        if is_scoped {
            self.open.push(GROUP);
        }
        self.out.push(if is_scoped { ':' } else { ')' });
        self.at += length;
        Ok(())
    }

    /// Copies a character class, escaping characters that are special only in `regex-syntax`.
    fn class(&mut self) -> Result<(), PatternFault> {
        let start = self.at;
        self.out.push('[');
        self.at += 1;
        if self.rest().starts_with('^') {
            self.out.push('^');
            self.at += 1;
        }
        let mut is_first = true;
        loop {
            let Some(c) = self.rest().chars().next() else {
                let at = self.pattern[..start].chars().count();
                let help = "close the class with ], or write \\[ for a bracket";
                return Err(PatternFault::new(start, format!("unterminated character set at position {at}"), help));
            };
            match c {
                ']' if !is_first => {
                    self.out.push(']');
                    self.at += 1;
                    return Ok(());
                }
                '\\' => self.escape(Context::Class)?,
                _ => {
                    if self.rest().starts_with("[:") && self.rest().contains(":]") {
                        let help = "write the characters themselves, or \\w, \\d, \\s";
                        return Err(PatternFault::new(self.at, "POSIX classes are not supported here", help));
                    }
                    let behind = self.rest()[c.len_utf8()..].chars().next();
                    // Two of these in a row would be a set operation.
                    if matches!(c, '[' | ']' | '&' | '~') || (c == '-' && (behind == Some('-') || is_first)) {
                        self.out.push('\\');
                    }
                    self.out.push(c);
                    self.at += c.len_utf8();
                }
            }
            is_first = false;
        }
    }

    fn escape(&mut self, place: Context) -> Result<(), PatternFault> {
        let at = self.at;
        let Some(c) = self.rest()[1..].chars().next() else {
            let message = format!("bad escape (end of pattern) at position {}", self.pattern[..at].chars().count());
            return Err(PatternFault::new(at, message, "write \\\\ for a backslash"));
        };
        self.at += 1 + c.len_utf8();
        match (c, place) {
            ('0', _) => self.out.push_str("\\x00"),
            ('1'..='9', Context::Outside) => {
                return Err(PatternFault::new(
                    at,
                    "a reference to a group is not supported here",
                    "write out what the group matches",
                ));
            }
            ('b', Context::Class) => self.out.push_str("\\x08"),
            ('Z' | 'z', Context::Outside) => self.out.push_str("\\z"),
            (
                'd' | 'D' | 's' | 'S' | 'w' | 'W' | 'n' | 'r' | 't' | 'f' | 'v' | 'a' | 'x' | 'u' | 'U' | 'p' | 'P',
                _,
            )
            | ('A' | 'b' | 'B', Context::Outside) => {
                self.out.push('\\');
                self.out.push(c);
            }
            (c, _) if c.is_ascii_alphanumeric() => {
                let message = format!("the escape \\{c} is not supported here");
                return Err(PatternFault::new(at, message, "write the characters that it stands for"));
            }
            (c, _) => self.out.push_str(&regex_syntax::escape(c.encode_utf8(&mut [0; 4]))),
        }
        Ok(())
    }
}

#[derive(Clone, Copy)]
enum Context {
    Outside,
    Class,
}

/// Closing texts of groups. A look-ahead has a different one, so that nested look-aheads are detected.
const GROUP: &str = ")";
const LOOK: &str = "){1}";

/// Length of a repetition in braces; `None` if the brace is a literal character.
fn repetition(rest: &str) -> Option<usize> {
    let end = rest.strip_prefix('{')?.find('}')?;
    let inside = &rest[1..=end];
    let (least, most) = inside.split_once(',').unwrap_or((inside, "0"));
    let is_count = |digits: &str| digits.bytes().all(|byte| byte.is_ascii_digit());
    let is_one = is_count(least) && is_count(most) && inside.bytes().any(|byte| byte.is_ascii_digit());
    is_one.then_some(end + 2)
}

/// Offset of the end of the group that begins at `start`.
fn group_end(pattern: &str, start: usize) -> Option<usize> {
    let bytes = pattern.as_bytes();
    let (mut depth, mut at) = (0_usize, start);
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 1,
            b'[' => at = class_end(bytes, at)?,
            b'(' => depth += 1,
            b')' => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            _ => {}
        }
        at += 1;
    }
    None
}

/// Offset of the bracket that closes the class that begins at `start`.
fn class_end(bytes: &[u8], start: usize) -> Option<usize> {
    let mut at = start + 1 + usize::from(bytes.get(start + 1) == Some(&b'^'));
    // A closing bracket at the beginning is a member.
    at += usize::from(bytes.get(at) == Some(&b']'));
    loop {
        match bytes.get(at)? {
            b'\\' => at += 1,
            b']' => return Some(at),
            _ => {}
        }
        at += 1;
    }
}

/// True if the pattern has nothing left to match after `from`, other alternatives aside.
fn is_tail(pattern: &str, from: usize) -> bool {
    let bytes = pattern.as_bytes();
    let mut at = from;
    loop {
        match bytes.get(at) {
            None => return true,
            Some(b')') => {
                at += 1;
                if matches!(bytes.get(at), Some(b'*' | b'+' | b'?' | b'{')) {
                    return false;
                }
            }
            Some(b'|') => {
                // Skips to the end of the enclosing group.
                let mut depth = 0_usize;
                while let Some(byte) = bytes.get(at) {
                    match byte {
                        b'\\' => at += 1,
                        b'[' => at = class_end(bytes, at).unwrap_or(bytes.len()),
                        b'(' => depth += 1,
                        b')' if depth == 0 => break,
                        b')' => depth -= 1,
                        _ => {}
                    }
                    at += 1;
                }
            }
            Some(_) => return false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_python_writes_is_rewritten() {
        let cases: &[(&str, &str, Option<&str>)] = &[
            ("<\\|im_end\\|>\\s*", "<\\|im_end\\|>\\s*", None),
            ("a$", "a(?m:$)", None),
            ("\\Z", "\\z", None),
            ("call:f{", "call:f\\{", None),
            ("a{2,3}?b{,4}", "a{2,3}?b{0,4}", None),
            ("[[{&]", "[\\[{\\&]", None),
            ("[]a]", "[\\]a]", None),
            ("\\\"\\<", "\"<", None),
            ("x(?=<y>)", "x(?P<ahead__0>)(?:<y>){1}", None),
            ("(?:</p>|(?=<q>))", "(?:</p>|(?P<ahead__0>)(?:<q>){1})", None),
            ("(?=[\\s\\S]*?</think>)", "", Some("</think>")),
            ("(?=.*?a\\.b)x", "x", Some("a.b")),
            ("(?i:a)(?P<n>b)(?<m>c)(d)", "(?i:a)(?P<n>b)(?P<m>c)(d)", None),
            ("a(?#say)b", "ab", None),
        ];
        for (pattern, expression, gate) in cases {
            let expected = Translated { expression: (*expression).into(), gate: gate.map(Into::into) };
            assert_eq!(translate(pattern), Ok(expected), "{pattern}");
        }
    }

    #[test]
    fn what_cannot_be_said_here_is_refused_with_its_place() {
        let cases: &[(&str, usize, &str)] = &[
            ("(", 1, "missing ) at position 1"),
            ("é)", 2, "unbalanced parenthesis at position 1"),
            ("a(?=b)c", 1, "a look-ahead inside of a pattern is not supported here"),
            ("(?:a(?=b))*", 4, "a look-ahead inside of a pattern is not supported here"),
            ("(?!b)c", 0, "this look-around is not supported here"),
            ("(?<=b)c", 0, "this look-around is not supported here"),
            ("(a)\\1", 3, "a reference to a group is not supported here"),
            ("(?P<a>x)(?P=a)", 8, "a reference to a group is not supported here"),
            ("a*+", 2, "possessive quantifiers are not supported here"),
            ("(?m:a)", 0, "this kind of group is not supported here"),
            ("(?>a)", 0, "this kind of group is not supported here"),
            ("[a", 0, "unterminated character set at position 0"),
            ("a\\", 1, "bad escape (end of pattern) at position 1"),
            ("\\m", 0, "the escape \\m is not supported here"),
        ];
        for (pattern, at, message) in cases {
            let fault = translate(pattern).expect_err(pattern);
            assert_eq!((fault.at, fault.message.as_str()), (*at, *message), "{pattern}");
            assert!(!fault.help.is_empty());
        }
    }
}
