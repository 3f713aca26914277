//! Text that is almost a marker: another case, a mark too few, a space, look-alike characters, HTML entities.
//!
//! Only the beginning of a line is looked at, behind quotation and emphasis marks. It is folded to what a reader sees
//! and compared with the folded markers. This module does not know what a marker does.

use super::{Marker, Markers};
use crate::diagnostic::{Code, Diagnostic};
use crate::text::{Span, sanitize};

/// Recognises near misses of a set of markers.
#[derive(Debug)]
pub(super) struct Detector {
    patterns: Vec<Pattern>,
    /// Bytes with which a near miss may begin.
    heads: Box<[bool; 256]>,
}

/// A marker as a reader sees it.
#[derive(Debug)]
struct Pattern {
    marker: Marker,
    exact: String,
    /// The punctuation it begins with.
    punctuation: Vec<char>,
    /// Its letters and digits, in lower case.
    word: Vec<char>,
    /// Whether it ends in a colon.
    colon: bool,
}

/// Something that is almost a marker.
#[derive(Debug)]
pub(super) struct NearMiss {
    pub(super) marker: Marker,
    exact: String,
    found: String,
    /// Place in the line.
    start: usize,
    end: usize,
}

impl NearMiss {
    /// The problem, for a line that lies at `line_start`; `in_call` tells what becomes of the text.
    pub(super) fn diagnostic(&self, line_start: usize, in_call: bool) -> Diagnostic {
        let span = Span::new(line_start + self.start, line_start + self.end);
        let word = self.marker.word();
        let becomes = if in_call { "it is part of the value" } else { "it is prose" };
        let message = format!("almost the {word}, but {}: {becomes}", self.reason());
        Diagnostic::new(Code::NearMissMarker, span, message).contrast(self.exact.clone(), self.found.clone())
    }

    /// How it differs from the marker.
    fn reason(&self) -> &'static str {
        let marks = |text: &str| text.chars().take_while(|c| !c.is_alphanumeric()).count();
        if self.found.contains('&') {
            "written as HTML"
        } else if self.found.contains('\\') {
            "escaped by a backslash"
        } else if !self.found.is_ascii() {
            "with characters that only look like it"
        } else if self.found.contains([' ', '\t']) {
            "with a space in it"
        } else if marks(&self.found) < marks(&self.exact) {
            "with too few marks in front"
        } else if marks(&self.found) > marks(&self.exact) {
            "with too many marks in front"
        } else if self.found.eq_ignore_ascii_case(&self.exact) {
            "in another case"
        } else {
            "not exactly"
        }
    }
}

impl Detector {
    pub(super) fn new(markers: &Markers) -> Self {
        let patterns: Vec<Pattern> = [Marker::Start, Marker::End, Marker::Argument]
            .into_iter()
            .map(|marker| {
                let exact = markers.text(marker).to_owned();
                let punctuation: Vec<char> = exact.chars().take_while(|c| !c.is_alphanumeric()).collect();
                let word = exact.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect();
                Pattern { marker, punctuation, word, colon: exact.ends_with(':'), exact }
            })
            .filter(|pattern| !pattern.word.is_empty())
            .collect();
        let mut heads = Box::new([false; 256]);
        for byte in 0x80..=0xff {
            heads[byte] = true;
        }
        for &byte in b"&\\" {
            heads[usize::from(byte)] = true;
        }
        for pattern in &patterns {
            let first = pattern.word[0];
            for c in pattern.punctuation.iter().copied().chain(first.to_uppercase()).chain([first]) {
                heads[usize::from(c as u8)] = true;
            }
        }
        Self { patterns, heads }
    }

    /// The near miss at the beginning of a line, if there is one.
    pub(super) fn find(&self, line: &[u8]) -> Option<NearMiss> {
        let start = line.iter().position(|&byte| !is_decoration(byte) || self.begins_marker(byte))?;
        if !self.heads[usize::from(line[start])] {
            return None;
        }
        let rest = &line[start..];
        if self.patterns.iter().any(|pattern| rest.starts_with(pattern.exact.as_bytes())) {
            return None;
        }
        let folded = fold(rest);
        self.patterns.iter().find_map(|pattern| {
            let length = pattern.length_in(&folded)?;
            let found = &rest[..length];
            let acts = memchr::memmem::find(&rest[..(length + 1).min(rest.len())], pattern.exact.as_bytes()).is_some();
            (!acts).then(|| NearMiss {
                marker: pattern.marker,
                exact: pattern.exact.clone(),
                found: String::from_utf8_lossy(found).into_owned(),
                start,
                end: start + length,
            })
        })
    }

    fn begins_marker(&self, byte: u8) -> bool {
        self.patterns.iter().any(|pattern| pattern.exact.as_bytes()[0] == byte)
    }
}

impl Pattern {
    /// Length in the source of what looks like this marker at the beginning of a folded line.
    fn length_in(&self, folded: &[Folded]) -> Option<usize> {
        let marks = folded.iter().take_while(|f| self.punctuation.contains(&f.seen)).count();
        let word = &folded[marks..];
        let length = self.word.len();
        if word.len() < length || !word.iter().zip(&self.word).all(|(f, &expected)| f.seen == expected) {
            return None;
        }
        let colon = self.colon && word.get(length).is_some_and(|f| f.seen == ':');
        if !colon && word.get(length).is_some_and(|f| f.seen.is_alphanumeric() && !f.after_space) {
            return None;
        }
        let plausible = match marks {
            0 => length >= 8 && (colon || !self.colon) && word[0].source_upper,
            1 => length >= 4 || colon,
            _ => marks <= self.punctuation.len() + 3,
        };
        plausible.then(|| word[length - usize::from(!colon)].end)
    }
}

/// Marks of quotation, emphasis and lists that may stand in front of a marker.
fn is_decoration(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'>' | b'*' | b'`' | b'-')
}

/// A character as a reader sees it.
struct Folded {
    seen: char,
    /// Offset behind it in the source.
    end: usize,
    /// Whether white space stands in front of it.
    after_space: bool,
    source_upper: bool,
}

/// Longest stretch of a line that is folded, in characters.
const FOLDED: usize = 64;

/// What a reader sees: entities and look-alikes resolved, lower case, without white space, `_`, `-` and backslashes.
fn fold(line: &[u8]) -> Vec<Folded> {
    let head = &line[..line.len().min(4 * FOLDED)];
    let text = String::from_utf8_lossy(head);
    // A character that was invalid or cut has another length; everything from there on is left out.
    let valid = std::str::from_utf8(head).map_or_else(|error| error.valid_up_to(), str::len);
    let mut folded = Vec::with_capacity(FOLDED);
    let mut rest = &text[..valid.min(text.len())];
    let mut after_space = false;
    while let Some(first) = rest.chars().next() {
        if folded.len() >= FOLDED {
            break;
        }
        let (seen, length) = entity(rest).unwrap_or((first, first.len_utf8()));
        rest = &rest[length..];
        if seen.is_whitespace() || matches!(seen, '_' | '-' | '\\') || sanitize::is_hidden(seen) {
            after_space |= seen.is_whitespace();
            continue;
        }
        let end = valid - rest.len();
        let source_upper = seen.is_uppercase();
        for c in look_alike(seen).chars() {
            folded.push(Folded { seen: c, end, after_space, source_upper });
            after_space = false;
        }
    }
    folded
}

/// The character that an HTML entity stands for, and the entity's length.
fn entity(text: &str) -> Option<(char, usize)> {
    let body = text.strip_prefix('&')?;
    let end = body.bytes().take(9).position(|byte| byte == b';')?;
    let name = &body[..end];
    let c = match name {
        "excl" => '!',
        "lt" => '<',
        "gt" => '>',
        "amp" => '&',
        "colon" => ':',
        "lowbar" => '_',
        "commat" => '@',
        "nbsp" => ' ',
        _ => {
            let digits = name.strip_prefix('#')?;
            let number = match digits.strip_prefix(['x', 'X']) {
                Some(hex) => u32::from_str_radix(hex, 16).ok()?,
                None => digits.parse().ok()?,
            };
            char::from_u32(number)?
        }
    };
    Some((c, end + 2))
}

/// The ASCII characters, in lower case, that a character is easily taken for (a selection of Unicode's confusables).
fn look_alike(c: char) -> String {
    let plain = match c {
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(c as u32 - 0xfee0).unwrap_or(c),
        'ǃ' | '❗' | '❕' | '¡' | '︕' => '!',
        '‼' => return "!!".into(),
        '∶' | '꞉' | 'ː' => ':',
        '‹' | '〈' => '<',
        '›' | '〉' => '>',
        'А' | 'а' | 'Α' | 'α' => 'a',
        'Е' | 'е' | 'Ε' | 'ε' => 'e',
        'Т' | 'т' | 'Τ' | 'τ' => 't',
        'Ѕ' | 'ѕ' => 's',
        'Ν' => 'n',
        'О' | 'о' | 'Ο' | 'ο' => 'o',
        'Ԍ' | 'ɡ' => 'g',
        'Ԁ' | 'ԁ' => 'd',
        _ => c,
    };
    plain.to_lowercase().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_misses_are_told_from_markers_and_from_prose() {
        let detector = Detector::new(&Markers::default());
        let near = [
            ("!!!gadget_start:X", "!!!gadget_start:"),
            ("!!GADGET_START:X", "!!GADGET_START:"),
            ("  !!! GADGET_START:X", "!!! GADGET_START:"),
            ("！！！GADGET_START:X", "！！！GADGET_START:"),
            ("&#33;&excl;!GADGET_END", "&#33;&excl;!GADGET_END"),
            ("\\!\\!\\!ARG:name", "\\!\\!\\!ARG:"),
            ("!!!GADGET-END", "!!!GADGET-END"),
            ("!!!GADGET_START Calc", "!!!GADGET_START"),
            ("> **!!GADGET_END**", "!!GADGET_END"),
            ("!!!АRG:cyrillic", "!!!АRG:"),
            ("GADGET_START:X", "GADGET_START:"),
            ("!!!Arg: x", "!!!Arg:"),
        ];
        for (line, expected) in near {
            let found = detector.find(line.as_bytes()).unwrap_or_else(|| panic!("{line:?} is a near miss"));
            assert_eq!(&line[found.start..found.end], expected);
        }
        let not = [
            "",
            "!!!GADGET_START:X",
            "  !!!ARG:a",
            "!!!!GADGET_END",
            "> !!!GADGET_START:X",
            "argument: about markers",
            "Gadget starts here",
            "!important",
            "!!! attention",
            "&amp; more",
            "großes Wort",
            "gadget_start",
            "!!!GADGET_STAR",
        ];
        for line in not {
            assert!(detector.find(line.as_bytes()).is_none(), "{line:?}");
        }
    }
}
