//! Decides which quotation marks of almost-JSON begin and end strings, and where one is missing.

use super::{Depth, Fixer, Role};

/// Most bytes examined to recognise a key.
const LONGEST_KEY: usize = 256;

impl Fixer<'_> {
    /// True if the quotation mark before `at` ends its string, by the text after it.
    pub(super) fn closes(&self, at: usize, role: Role) -> bool {
        let next = self.ahead(at);
        let Some(&byte) = self.bytes.get(next) else { return true };
        let follows = || self.ahead(next + 1);
        match (role, byte) {
            (Role::Root, _) => true,
            (Role::Key, _) => !byte.is_ascii_alphabetic(),
            (_, b'}' | b']') => matches!(self.bytes.get(follows()), None | Some(b',' | b';' | b'}' | b']' | b'<')),
            (Role::Member, b',' | b';') => {
                matches!(self.bytes.get(follows()), None | Some(b'}' | b','))
                    || self.looks_like_key(follows(), true)
                    || self.is_half_quoted_key(follows())
                    || self.is_cut_key(follows())
            }
            (Role::Element, b',' | b';') => {
                let starts = b"\"'{[]-0123456789tfnTFN,";
                self.bytes.get(follows()).is_none_or(|byte| starts.contains(byte))
            }
            (Role::Member, _) => self.looks_like_key(next, false),
            (Role::Element, b'"' | b'\'') => next > at,
            (Role::Element, _) => false,
        }
    }

    /// True if a key and its colon are at an offset; a key without quotes counts only if there are others.
    pub(super) fn looks_like_key(&self, at: usize, may_be_bare: bool) -> bool {
        let rest = &self.bytes[at..self.bytes.len().min(at + LONGEST_KEY)];
        let length = match rest.first() {
            Some(&quote @ (b'"' | b'\'')) => memchr::memchr(quote, &rest[1..]).map_or(0, |end| end + 2),
            _ if rest.starts_with("“".as_bytes()) => {
                memchr::memmem::find(rest, "”".as_bytes()).map_or(0, |end| end + "”".len())
            }
            _ if self.bare_keys && may_be_bare => self.bare(at),
            _ => 0,
        };
        length > 0 && self.bytes.get(self.skip(at + length)) == Some(&b':')
    }

    /// True if a quotation mark that does not end its string is where one would begin or end a key, or begin an
    /// element.
    pub(super) fn is_structure(&self, at: usize, role: Role) -> bool {
        let is_element = || {
            let rest = &self.bytes[at + 1..self.bytes.len().min(at + LONGEST_KEY)];
            let end = memchr::memchr(b'"', rest).map(|end| self.skip(at + 1 + end + 1));
            self.text[..at].trim_end().ends_with(',')
                && end.is_some_and(|end| matches!(self.bytes.get(end), Some(b',' | b']')))
        };
        let next = self.skip(at + 1);
        match role {
            Role::Key => true,
            _ if self.bytes.get(next) == Some(&b':') => true,
            _ if self.bytes.get(next) == Some(&b',') && self.bytes.get(self.skip(next + 1)) == Some(&b'"') => true,
            Role::Element => self.looks_like_key(at, false) || is_element(),
            Role::Member | Role::Root => self.looks_like_key(at, false),
        }
    }

    /// The end that an unclosed string starting at `start` should have had, given a quotation mark at `at`: before the
    /// comma, or before the colon of a key.
    pub(super) fn missing_end(&self, start: usize, at: usize, role: Role) -> Option<usize> {
        if role == Role::Key {
            let end = start + self.bare(start);
            let is_whole = end > start && self.bytes.get(self.skip(end)) == Some(&b':');
            return is_whole.then_some(end);
        }
        if matches!(self.bytes.get(self.skip(at + 1)), Some(b':' | b',')) {
            return None;
        }
        let said = self.text[start..at].trim_end().strip_suffix(',')?.trim_end();
        // An element is not followed by a key.
        let is_member = role == Role::Member || !self.looks_like_key(at, false);
        (is_member && !said.is_empty() && !said.contains('\n')).then_some(start + said.len())
    }

    /// True if the text ends in a key.
    fn is_cut_key(&self, at: usize) -> bool {
        let end = at + 1 + self.bare(self.bytes.len().min(at + 1));
        self.bytes.get(at) == Some(&b'"') && self.skip(end) == self.bytes.len()
    }

    /// True if a bare word is followed by the closing quotation mark and the colon of a key.
    pub(super) fn is_half_quoted_key(&self, at: usize) -> bool {
        let end = at + self.bare(at);
        let is_word = self.bytes.get(at).is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'_');
        is_word && self.bytes.get(end) == Some(&b'"') && self.bytes.get(self.skip(end + 1)) == Some(&b':')
    }

    /// True if a value may be JSON in a string.
    pub(super) fn may_hold_json(&self, start: usize, role: Role) -> bool {
        role != Role::Key && self.depth == Depth::Whole && matches!(self.bytes[start], b'{' | b'[')
    }

    /// True if the quotation mark from `at` to `end` begins or ends a key.
    pub(super) fn is_quoted_key(&self, at: usize, end: usize) -> bool {
        self.bytes.get(self.skip(end)) == Some(&b':') || self.looks_like_key(at, false)
    }
}
