//! Near misses of markers: in another case, with a punctuation mark too few, a space, look-alikes, or HTML entities.
//!
//! Only the beginning of a line is examined, after quotation and emphasis marks. The line is folded (case,
//! look-alikes, entities, whitespace) and compared with the folded markers.

use super::{Marker, Markers};
use crate::diagnostic::{Code, Diagnostic};
use crate::dialect::near_miss::{LEADS, Lower, look_alike};
use crate::text::entity::{self, HTML, LONGEST};
use crate::text::{Span, sanitize};

/// Recognises near misses of a set of markers.
#[derive(Clone, Debug)]
pub(super) struct Detector {
    patterns: Vec<Pattern>,
    /// First bytes of possible near misses.
    heads: Box<[bool; 256]>,
    /// Bytes that are skipped before the first letter: punctuation of markers, and bytes that folding removes.
    marks: Box<[bool; 256]>,
    /// First bytes of all notations of a marker's first letter.
    letters: Box<[bool; 256]>,
}

/// A marker in folded form.
#[derive(Clone, Debug)]
struct Pattern {
    marker: Marker,
    exact: String,
    /// The punctuation that it begins with.
    punctuation: Vec<char>,
    /// Its letters and digits, in lower case.
    word: Vec<char>,
    /// True if it ends in a colon.
    colon: bool,
}

/// A near miss of a marker.
#[derive(Debug)]
pub(super) struct NearMiss {
    pub(super) marker: Marker,
    exact: String,
    found: String,
    /// Offset in the line, in bytes.
    start: usize,
    end: usize,
}

impl NearMiss {
    /// The problem for a line that begins at `line_start`; `in_call` selects the effect that the message states.
    pub(super) fn diagnostic(&self, line_start: usize, in_call: bool) -> Diagnostic {
        let span = Span::new(line_start + self.start, line_start + self.end);
        let word = self.marker;
        let becomes = if in_call { "it is part of the value" } else { "it is prose" };
        let message = format!("almost the {word}, but {}: {becomes}", self.reason());
        Diagnostic::new(Code::NearMissMarker, span, message)
            .contrast(self.exact.clone(), self.found.clone())
            .replace_with(self.exact.clone())
    }

    /// Description of the difference from the marker.
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
            "with too few punctuation marks"
        } else if marks(&self.found) > marks(&self.exact) {
            "with too many punctuation marks"
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
        for byte in LEADS.iter().chain(b"&\\") {
            heads[usize::from(*byte)] = true;
        }
        for pattern in &patterns {
            let letters = pattern.word[0].to_uppercase().filter(|_| pattern.stands_without_marks());
            for c in pattern.punctuation.iter().copied().chain(letters) {
                heads[usize::from(c.encode_utf8(&mut [0; 4]).as_bytes()[0])] = true;
            }
        }
        let (mut marks, mut letters) = (Box::new([false; 256]), Box::new([false; 256]));
        for byte in 0..=u8::MAX {
            let (seen, index) = (char::from(byte), usize::from(byte));
            let is_whole = byte.is_ascii() && byte != b'&';
            let is_mark = patterns.iter().any(|pattern| pattern.punctuation.contains(&seen));
            marks[index] = is_whole && (is_mark || seen.is_whitespace() || matches!(byte, b'_' | b'-' | b'\\'));
            letters[index] = !is_whole || patterns.iter().any(|pattern| pattern.word[0] == seen.to_ascii_lowercase());
        }
        Self { patterns, heads, marks, letters }
    }

    /// First bytes of possible near misses.
    pub(super) fn heads(&self) -> Vec<u8> {
        (0..=u8::MAX).filter(|&byte| self.heads[usize::from(byte)]).collect()
    }

    /// The near miss at the beginning of a line, if any.
    pub(super) fn find(&self, line: &[u8]) -> Option<NearMiss> {
        let start = line.iter().position(|&byte| !is_decoration(byte) || self.begins_marker(byte))?;
        if !self.heads[usize::from(line[start])] {
            return None;
        }
        let rest = &line[start..];
        if !self.may_be_marker(rest) || self.patterns.iter().any(|pattern| rest.starts_with(pattern.exact.as_bytes())) {
            return None;
        }
        let first = Folds::new(&rest[..rest.len().min(LONGEST)]).next();
        // An ampersand may begin an entity that has been cut off.
        if first.is_some_and(|first| first.seen != '&' && !self.patterns.iter().any(|pattern| pattern.begins(&first))) {
            return None;
        }
        let folds = Folds::new(rest);
        self.patterns.iter().find_map(|pattern| {
            let length = pattern.length_in(folds.clone())?;
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

    /// False if the first letter after the punctuation surely cannot be a marker's; entities and bytes beyond ASCII
    /// may be. Most lines with punctuation need not be folded thanks to this.
    fn may_be_marker(&self, rest: &[u8]) -> bool {
        let letter = rest.iter().find(|&&byte| !self.marks[usize::from(byte)]);
        letter.is_some_and(|&byte| self.letters[usize::from(byte)])
    }

    fn begins_marker(&self, byte: u8) -> bool {
        self.patterns.iter().any(|pattern| pattern.exact.as_bytes()[0] == byte)
    }
}

impl Pattern {
    /// True if the word is distinctive enough to be recognised without its punctuation.
    fn stands_without_marks(&self) -> bool {
        self.word.len() >= 8
    }

    /// True if a near miss of this marker may begin with this character.
    fn begins(&self, first: &Folded) -> bool {
        let word = first.seen == self.word[0] && first.source_upper && self.stands_without_marks();
        word || self.punctuation.contains(&first.seen)
    }

    /// Length, in source bytes, of a near miss of this marker at the beginning of a folded line.
    fn length_in(&self, mut folds: Folds<'_>) -> Option<usize> {
        let mut next = folds.next();
        let mut marks = 0;
        while next.as_ref().is_some_and(|f| self.punctuation.contains(&f.seen)) {
            marks += 1;
            next = folds.next();
        }
        let begins_upper = next.as_ref().is_some_and(|f| f.source_upper);
        let mut end = 0;
        for &expected in &self.word {
            end = next.filter(|f| f.seen == expected)?.end;
            next = folds.next();
        }
        let colon = next.as_ref().filter(|f| self.colon && f.seen == ':').map(|f| f.end);
        if colon.is_none() && next.is_some_and(|f| f.seen.is_alphanumeric() && !f.after_space) {
            return None;
        }
        let plausible = match marks {
            0 => self.stands_without_marks() && (colon.is_some() || !self.colon) && begins_upper,
            1 => self.word.len() >= 4 || colon.is_some(),
            _ => marks <= self.punctuation.len() + 3,
        };
        plausible.then_some(colon.unwrap_or(end))
    }
}

/// True for marks of quotation, emphasis and lists, which may precede a marker.
fn is_decoration(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'>' | b'*' | b'`' | b'-')
}

/// A character after folding.
#[derive(Clone, Copy, Debug)]
struct Folded {
    seen: char,
    /// Offset of its end in the source.
    end: usize,
    /// True if whitespace precedes it.
    after_space: bool,
    source_upper: bool,
}

/// Maximum number of characters of a line that are folded.
const FOLDED: usize = 64;

/// Iterator over folded text: entities and look-alikes resolved, in lower case, without whitespace, `_`, `-` and
/// backslashes.
#[derive(Clone, Debug)]
struct Folds<'a> {
    /// The rest of the source, up to a character that is invalid or cut off.
    rest: &'a str,
    /// Offset of `rest`.
    at: usize,
    /// Remaining characters of the last look-alike.
    more: Option<Lower>,
    last: Folded,
    given: usize,
}

impl<'a> Folds<'a> {
    fn new(line: &'a [u8]) -> Self {
        let head = &line[..line.len().min(4 * FOLDED)];
        let valid = std::str::from_utf8(head).or_else(|error| std::str::from_utf8(&head[..error.valid_up_to()]));
        let rest = valid.unwrap_or_default();
        let last = Folded { seen: ' ', end: 0, after_space: false, source_upper: false };
        Self { rest, at: 0, more: None, last, given: 0 }
    }
}

impl Iterator for Folds<'_> {
    type Item = Folded;

    fn next(&mut self) -> Option<Folded> {
        if let Some(seen) = self.more.as_mut().and_then(Iterator::next) {
            self.given += 1;
            return Some(Folded { seen, after_space: false, ..self.last });
        }
        let mut after_space = false;
        while self.given < FOLDED {
            let first = self.rest.chars().next()?;
            if first.is_ascii() && first != '&' {
                self.rest = &self.rest[1..];
                self.at += 1;
                if first.is_whitespace() || matches!(first, '_' | '-' | '\\') {
                    after_space |= first.is_whitespace();
                    continue;
                }
                self.given += 1;
                let source_upper = first.is_ascii_uppercase();
                return Some(Folded { seen: first.to_ascii_lowercase(), end: self.at, after_space, source_upper });
            }
            let (seen, length) = entity::read(self.rest, HTML).unwrap_or((first, first.len_utf8()));
            self.rest = &self.rest[length..];
            self.at += length;
            if seen.is_whitespace() || matches!(seen, '_' | '-' | '\\') || sanitize::is_hidden(seen) {
                after_space |= seen.is_whitespace();
                continue;
            }
            self.last = Folded { seen, end: self.at, after_space, source_upper: seen.is_uppercase() };
            let mut more = look_alike(seen);
            let seen = more.next()?;
            self.more = Some(more);
            self.given += 1;
            return Some(Folded { seen, ..self.last });
        }
        None
    }
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
