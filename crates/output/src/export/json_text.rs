//! JSON that is safe to display, with numbers formatted as in JavaScript.
//!
//! Characters that control a terminal, reorder a line, are invisible or pile up on one cell are written as `\uXXXX`, as
//! are workflow commands of CI services. Programs read the same string, and users see the characters. Numbers are
//! written as in ECMAScript: integers have no fraction.

use std::fmt::Display;
use std::io::{self, Write};

use serde::Serialize;
use serde_json::ser::{Formatter, PrettyFormatter};

use crate::text::sanitize::{GLYPH_SCALARS, is_hidden};
use crate::text::wrap::takes_no_room;
use crate::value::coerce::number_text;

/// Writes `value` on one line, without a trailing line feed.
pub(crate) fn write<W: Write>(out: &mut W, value: &impl Serialize) -> io::Result<()> {
    let mut serializer = serde_json::Serializer::with_formatter(&mut *out, Visible);
    value.serialize(&mut serializer).map_err(io::Error::from)
}

/// Writes `value` followed by a line feed.
pub(crate) fn write_line<W: Write>(out: &mut W, value: &impl Serialize) -> io::Result<()> {
    write(out, value)?;
    out.write_all(b"\n")
}

/// Writes one JSON object, each member on a separate line.
pub struct ObjectWriter<'a, W> {
    out: &'a mut W,
    begun: bool,
}

impl<'a, W: Write> ObjectWriter<'a, W> {
    /// Begins an object.
    pub fn new(out: &'a mut W) -> Self {
        Self { out, begun: false }
    }

    /// Writes a member; the key is not escaped.
    pub fn member(&mut self, key: &str, value: &impl Serialize) -> io::Result<&mut Self> {
        self.key(key)?;
        write(self.out, value)?;
        Ok(self)
    }

    /// Writes a member that is a list, each element on a separate line.
    pub fn list<T: Serialize>(&mut self, key: &str, values: impl Iterator<Item = T>) -> io::Result<&mut Self> {
        self.key(key)?;
        write_lines(self.out, values)?;
        Ok(self)
    }

    /// Writes a member that is an object of lists, each element on a separate line.
    pub(crate) fn lists<K: Display, T: Serialize>(
        &mut self,
        key: &str,
        lists: impl Iterator<Item = (K, Vec<T>)>,
    ) -> io::Result<&mut Self> {
        self.key(key)?;
        let mut inner = ObjectWriter::new(&mut *self.out);
        for (key, list) in lists {
            inner.list(&key.to_string(), list.into_iter())?;
        }
        if !inner.begun {
            inner.out.write_all(b"{")?;
        }
        inner.out.write_all(b"\n}")?;
        Ok(self)
    }

    /// Ends the object, which must have a member, and the line.
    pub fn end(&mut self) -> io::Result<()> {
        self.out.write_all(b"\n}\n")
    }

    fn key(&mut self, key: &str) -> io::Result<()> {
        let before = if std::mem::replace(&mut self.begun, true) { "," } else { "{" };
        write!(self.out, "{before}\n\"{key}\": ")
    }
}

/// Writes a list, each element on a separate line.
pub(crate) fn write_lines<W: Write, T: Serialize>(out: &mut W, values: impl Iterator<Item = T>) -> io::Result<()> {
    out.write_all(b"[")?;
    let mut separator: &[u8] = b"\n";
    for value in values {
        out.write_all(separator)?;
        separator = b",\n";
        write(out, &value)?;
    }
    out.write_all(b"]")
}

/// Writes `value` indented over several lines, for readable diffs.
pub fn write_pretty<W: Write>(out: &mut W, value: &impl Serialize) -> io::Result<()> {
    let mut serializer = serde_json::Serializer::with_formatter(&mut *out, Pretty(PrettyFormatter::new()));
    value.serialize(&mut serializer).map_err(io::Error::from)?;
    out.write_all(b"\n")
}

/// True if `before` ends with `##` and optional letters: followed by a bracket, that is a command to a CI service.
fn ends_as_command(before: &str) -> bool {
    before.trim_end_matches(|c: char| c.is_ascii_alphabetic()).ends_with("##")
}

struct Visible;

/// [`Visible`] with line feeds and indentation.
struct Pretty(PrettyFormatter<'static>);

impl Formatter for Pretty {
    fn write_string_fragment<W: ?Sized + Write>(&mut self, writer: &mut W, fragment: &str) -> io::Result<()> {
        Visible.write_string_fragment(writer, fragment)
    }

    fn write_f64<W: ?Sized + Write>(&mut self, writer: &mut W, value: f64) -> io::Result<()> {
        Visible.write_f64(writer, value)
    }

    fn begin_array<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.begin_array(writer)
    }

    fn end_array<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.end_array(writer)
    }

    fn begin_array_value<W: ?Sized + Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        self.0.begin_array_value(writer, first)
    }

    fn end_array_value<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.end_array_value(writer)
    }

    fn begin_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.begin_object(writer)
    }

    fn end_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.end_object(writer)
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, writer: &mut W, first: bool) -> io::Result<()> {
        self.0.begin_object_key(writer, first)
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.begin_object_value(writer)
    }

    fn end_object_value<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.end_object_value(writer)
    }
}

impl Formatter for Visible {
    fn write_string_fragment<W: ?Sized + Write>(&mut self, writer: &mut W, fragment: &str) -> io::Result<()> {
        let mut done = 0;
        let mut marks = 0;
        for (at, c) in fragment.char_indices() {
            marks = if takes_no_room(c) { marks + 1 } else { 0 };
            let is_unsafe = match c {
                '[' => ends_as_command(&fragment[..at]),
                c if c < '\u{7f}' => false,
                c => c == '\u{7f}' || is_hidden(c) || marks > GLYPH_SCALARS,
            };
            if !is_unsafe {
                continue;
            }
            writer.write_all(&fragment.as_bytes()[done..at])?;
            for unit in c.encode_utf16(&mut [0; 2]) {
                write!(writer, "\\u{unit:04x}")?;
            }
            done = at + c.len_utf8();
        }
        writer.write_all(&fragment.as_bytes()[done..])
    }

    fn write_f64<W: ?Sized + Write>(&mut self, writer: &mut W, value: f64) -> io::Result<()> {
        writer.write_all(number_text(value).as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_seen_is_escaped_and_comes_back_the_same() {
        for (text, expected) in [
            ("plain €", r#""plain €""#),
            ("\u{1b}[31m\u{7f}", r#""\u001b[31m\u007f""#),
            ("a\u{9b}b\u{202e}c", r#""a\u009bb\u202ec""#),
            ("\u{e0041}\u{feff}\"\n", r#""\udb40\udc41\ufeff\"\n""#),
            ("日本\u{200b}", r#""日本\u200b""#),
            ("#[a] ##[b] ##vso[c] ## [d]", r##""#[a] ##\u005bb] ##vso\u005bc] ## [d]""##),
            ("e\u{301}\u{302}नमस्ते السَّلَامُ", "\"e\u{301}\u{302}नमस्ते السَّلَامُ\""),
            (&format!("e{}", "\u{301}".repeat(12)), &format!("\"e{}\\u0301\\u0301\"", "\u{301}".repeat(10))),
        ] {
            let mut out = Vec::new();
            write(&mut out, &text).expect("a vector takes everything");
            let written = String::from_utf8(out).expect("JSON is UTF-8");
            assert_eq!(written, expected);
            assert_eq!(serde_json::from_str::<String>(&written).expect("it is JSON"), text);
        }
    }

    #[test]
    fn whole_numbers_have_no_fraction() {
        for (number, expected) in [(3.0, "3"), (-0.5, "-0.5"), (1e20, "100000000000000000000"), (1e21, "1e+21")] {
            let mut out = Vec::new();
            write(&mut out, &number).expect("a vector takes everything");
            assert_eq!(String::from_utf8_lossy(&out), expected);
        }
    }
}
