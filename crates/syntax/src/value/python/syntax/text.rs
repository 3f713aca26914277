//! Python's string literals: prefixes, quotes, escapes.
//!
//! `parser.rs` joins adjacent literals.

use super::cursor::{PythonCursor, SyntaxFault};

/// The value of one literal.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Literal {
    /// A decoded string.
    Text(String),
    /// An f-string without placeholders.
    PlainFormat(String),
    /// An f-string with placeholders.
    Format,
    /// Bytes, which no runtime accepts as an argument.
    Bytes,
}

#[derive(Clone, Copy, Default)]
struct Prefix {
    raw: bool,
    bytes: bool,
    format: bool,
}

/// Parses the literal at the cursor; `None` if there is none.
pub(crate) fn literal(source: &mut PythonCursor) -> Result<Option<Literal>, SyntaxFault> {
    let Some((prefix, quote_at)) = prefix(source) else { return Ok(None) };
    let bytes = source.bytes();
    let quote = bytes[quote_at];
    let triple = bytes[quote_at..].starts_with(&[quote; 3]);
    let ends = source.closing(quote_at);
    source.at = quote_at + if triple && ends.is_none() { 3 } else { 1 };
    let mut body = Body { out: String::new(), prefix, has_places: false };
    loop {
        let at = source.at;
        let Some(c) = source.rest().chars().next() else { return source.fault() };
        let closes = match ends {
            Some(end) => at == end,
            None if triple => source.bytes()[at..].starts_with(&[quote; 3]),
            None => c == char::from(quote),
        };
        if closes {
            source.at += if triple && ends.is_none() { 3 } else { 1 };
            return Ok(Some(body.literal()));
        }
        match c {
            '\\' => body.escape(source)?,
            '\n' | '\r' | '\0' if !source.is_tolerant() && (!triple || c == '\0') => return source.fault(),
            _ => body.plain(c, source)?,
        }
    }
}

fn prefix(source: &PythonCursor) -> Option<(Prefix, usize)> {
    let bytes = source.bytes();
    let mut prefix = Prefix::default();
    for ahead in 0..3 {
        match bytes.get(source.at + ahead)? {
            b'\'' | b'"' => return Some((prefix, source.at + ahead)),
            b'r' | b'R' if !prefix.raw => prefix.raw = true,
            b'b' | b'B' if !prefix.bytes && !prefix.format => prefix.bytes = true,
            b'f' | b'F' if !prefix.bytes && !prefix.format => prefix.format = true,
            b'u' | b'U' if ahead == 0 && matches!(bytes.get(source.at + 1)?, b'\'' | b'"') => {}
            _ => return None,
        }
    }
    None
}

struct Body {
    out: String,
    prefix: Prefix,
    has_places: bool,
}

impl Body {
    fn literal(self) -> Literal {
        match self.prefix {
            Prefix { bytes: true, .. } => Literal::Bytes,
            Prefix { format: true, .. } if self.has_places => Literal::Format,
            Prefix { format: true, .. } => Literal::PlainFormat(self.out),
            _ => Literal::Text(self.out),
        }
    }

    fn plain(&mut self, c: char, source: &mut PythonCursor) -> Result<(), SyntaxFault> {
        if self.prefix.bytes && !c.is_ascii() {
            return source.fault();
        }
        source.at += c.len_utf8();
        self.out.push(c);
        if self.prefix.format && matches!(c, '{' | '}') {
            if source.rest().starts_with(c) {
                source.at += 1;
            } else {
                self.has_places = true;
            }
        }
        Ok(())
    }

    fn escape(&mut self, source: &mut PythonCursor) -> Result<(), SyntaxFault> {
        let Some(sign) = source.rest().chars().nth(1) else { return source.fault() };
        let behind = source.at + 1 + sign.len_utf8();
        if self.prefix.raw {
            self.out.push('\\');
            self.out.push(sign);
            source.at = behind;
            return Ok(());
        }
        let simple = match sign {
            '\\' | '\'' | '"' => Some(sign),
            'a' => Some('\u{7}'),
            'b' => Some('\u{8}'),
            'f' => Some('\u{c}'),
            'n' => Some('\n'),
            'r' => Some('\r'),
            't' => Some('\t'),
            'v' => Some('\u{b}'),
            _ => None,
        };
        let (code, end) = match (simple, sign) {
            (Some(simple), _) => (Some(u32::from(simple)), behind),
            (None, '\n') => (None, behind),
            (None, '0'..='7') => {
                let digits = source.rest()[1..].bytes().take(3).take_while(|byte| matches!(byte, b'0'..=b'7')).count();
                (source.number(source.at + 1, digits, 8), source.at + 1 + digits)
            }
            (None, 'x' | 'u' | 'U') => {
                let digits = [('x', 2), ('u', 4), ('U', 8)].iter().find(|(name, _)| *name == sign).map_or(2, |d| d.1);
                let Some(code) = source.number(behind, digits, 16) else { return source.fault() };
                (Some(code), behind + digits)
            }
            // Names of characters are not supported.
            (None, 'N') if !self.prefix.bytes => return source.fault(),
            // Any other backslash is kept.
            _ => {
                self.out.push('\\');
                source.at += 1;
                return Ok(());
            }
        };
        if let Some(code) = code {
            // Python keeps an unpaired surrogate; a Rust string cannot.
            self.out.push(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
        }
        source.at = end;
        Ok(())
    }
}
