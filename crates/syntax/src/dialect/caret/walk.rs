//! Classifies each line of a block, given the lines before it.
//!
//! Works line by line, so that it can be used on a block that is still arriving.

use std::ops::Range;

use super::line::{ends_value, fence, indent, is_empty, is_separator, list_item, pair, trim, value_start};
use super::scalar::Indicator;

/// Which markers are effective.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rules {
    /// Markers of both forms, but the draft's only before the first marker of the shipped form.
    Either,
    Shipped,
    /// Block scalars and lists, as below the separator of the draft.
    Mapping,
}

/// Class of a line. Ranges are in the line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Class {
    Blank,
    /// `key: value`
    Pair {
        key: Range<usize>,
        value: Range<usize>,
    },
    /// `key ---`
    ValueStart(Range<usize>),
    ValueLine,
    /// `--- key`
    ValueEnd,
    /// `key: [`
    ArrayStart(Range<usize>),
    Item(Range<usize>),
    /// `]`
    ArrayEnd,
    /// A line of the block scalar that the last pair begins.
    ScalarLine,
    /// `- item`, in the list that the last pair begins.
    ListItem(Range<usize>),
    /// The bare `---` of the draft, if effective.
    Separator,
    /// A line below the separator.
    BodyLine,
    /// An opening fence.
    OpenInside,
    /// Any other line; the runtime drops it.
    Stray,
}

#[derive(Clone, Debug)]
pub(super) struct Walker {
    rules: Rules,
    mode: Mode,
    /// The last pair, if the next line may turn it into a block scalar or a list.
    pending: Option<Pending>,
    /// Offset of the line with the first marker of the shipped form.
    pub(super) shipped: Option<usize>,
    /// Offset of the line with the first marker of the draft, effective or not.
    pub(super) draft: Option<usize>,
    /// True if a marker of the draft was seen that the shipped runtime does not simply drop.
    pub(super) loses: bool,
}

#[derive(Clone, Debug)]
enum Mode {
    Lines,
    Value(Box<[u8]>),
    Array(Box<[u8]>),
    Scalar { indent: usize },
    List,
    Body,
}

#[derive(Clone, Copy, Debug)]
struct Pending {
    at: usize,
    indent: usize,
    /// True for a possible block scalar, false for a possible list.
    scalar: bool,
}

impl Walker {
    pub(super) fn new(rules: Rules) -> Self {
        Self { rules, mode: Mode::Lines, pending: None, shipped: None, draft: None, loses: false }
    }

    /// The key of the open multi-line value.
    pub(super) fn value_key(&self) -> Option<&[u8]> {
        match &self.mode {
            Mode::Value(key) => Some(key),
            _ => None,
        }
    }

    /// The key of the open array.
    pub(super) fn list_key(&self) -> Option<&[u8]> {
        match &self.mode {
            Mode::Array(key) => Some(key),
            _ => None,
        }
    }

    /// True if every line is text of a value, regardless of its content, unless it ends the value.
    pub(super) fn is_opaque(&self) -> bool {
        matches!(self.mode, Mode::Value(_) | Mode::Body)
    }

    /// Classifies the next line, which begins at `at` and is passed without its line end.
    pub(super) fn line(&mut self, at: usize, line: &[u8]) -> Class {
        match &self.mode {
            Mode::Value(key) if ends_value(line, key) => {
                self.mode = Mode::Lines;
                Class::ValueEnd
            }
            Mode::Value(_) => Class::ValueLine,
            Mode::Array(_) => self.array_line(line),
            Mode::Body => Class::BodyLine,
            Mode::Scalar { indent: outer } if is_empty(line) || indent(line) > *outer => Class::ScalarLine,
            Mode::List if is_empty(line) => Class::Blank,
            Mode::List => match list_item(line) {
                Some(item) => Class::ListItem(item),
                None => self.plain(at, line),
            },
            Mode::Lines | Mode::Scalar { .. } => self.plain(at, line),
        }
    }

    fn array_line(&mut self, line: &[u8]) -> Class {
        let item = trim(line);
        match &line[item.clone()] {
            b"" => Class::Blank,
            b"]" => {
                self.mode = Mode::Lines;
                Class::ArrayEnd
            }
            _ => Class::Item(item),
        }
    }

    /// Classifies a line outside of multi-line constructs.
    fn plain(&mut self, at: usize, line: &[u8]) -> Class {
        self.mode = Mode::Lines;
        if is_empty(line) {
            return Class::Blank;
        }
        if let Some(class) = self.pending.take().and_then(|pending| self.continued(pending, line)) {
            return class;
        }
        if fence(line).is_some_and(|fence| fence.name > 0) {
            return Class::OpenInside;
        }
        if is_separator(line) && self.rules != Rules::Mapping {
            self.draft.get_or_insert(at);
            if self.draft_acts() {
                self.mode = Mode::Body;
                return Class::Separator;
            }
            return Class::Stray;
        }
        if let Some((key, value)) = pair(line) {
            return self.pair(at, line, key, value);
        }
        match value_start(line).filter(|_| self.rules != Rules::Mapping) {
            Some(key) => {
                self.shipped.get_or_insert(at);
                self.mode = Mode::Value(line[key.clone()].into());
                Class::ValueStart(key)
            }
            None => Class::Stray,
        }
    }

    fn pair(&mut self, at: usize, line: &[u8], key: Range<usize>, value: Range<usize>) -> Class {
        let words = &line[value.clone()];
        if words == b"[" && self.rules != Rules::Mapping {
            self.shipped.get_or_insert(at);
            self.mode = Mode::Array(line[key.clone()].into());
            return Class::ArrayStart(key);
        }
        let scalar = Indicator::parse(words).is_some();
        if scalar || words.is_empty() {
            self.pending = Some(Pending { at, indent: indent(line), scalar });
        }
        Class::Pair { key, value }
    }

    /// Checks whether a line turns the pair before it into a block scalar or a list.
    fn continued(&mut self, pending: Pending, line: &[u8]) -> Option<Class> {
        let item = if pending.scalar { None } else { Some(list_item(line)?) };
        if pending.scalar && indent(line) <= pending.indent {
            return None;
        }
        self.draft.get_or_insert(pending.at);
        self.loses = true;
        if !self.draft_acts() {
            return None;
        }
        if let Some(item) = item {
            self.mode = Mode::List;
            return Some(Class::ListItem(item));
        }
        self.mode = Mode::Scalar { indent: pending.indent };
        Some(Class::ScalarLine)
    }

    fn draft_acts(&self) -> bool {
        match self.rules {
            Rules::Either => self.shipped.is_none(),
            Rules::Shipped => false,
            Rules::Mapping => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::line::lines;
    use super::*;

    /// The classes of the lines, one letter each.
    fn letters(rules: Rules, body: &str) -> String {
        let mut walker = Walker::new(rules);
        let letter = |class| match class {
            Class::Blank => '.',
            Class::Pair { .. } => 'p',
            Class::ValueStart(_) => '<',
            Class::ValueLine => 'v',
            Class::ValueEnd => '>',
            Class::ArrayStart(_) => '[',
            Class::Item(_) => 'i',
            Class::ArrayEnd => ']',
            Class::ScalarLine => 's',
            Class::ListItem(_) => 'l',
            Class::Separator => '-',
            Class::BodyLine => 'b',
            Class::OpenInside => '^',
            Class::Stray => '?',
        };
        lines(body.as_bytes(), 0).map(|(at, line)| letter(walker.line(at, line))).collect()
    }

    #[test]
    fn each_line_is_what_the_lines_before_it_make_of_it() {
        for (body, either, shipped) in [
            ("a: b\n\nc\n", "p.?", "p.?"),
            ("k ---\na: b\n\n---\n--- k\n", "<vvv>", "<vvv>"),
            ("k: [\na\n\n ]\nb: c", "[i.]p", "[i.]p"),
            ("k: |\n\n  a\n\n   b\nc: d\n", "p.sssp", "p.?.?p"),
            ("k:\n- a\n- b: c\nd: e\n", "pllp", "p?pp"),
            ("a: b\n---\nx: y\nHeading ---\n", "p-bb", "p?p<"),
            ("k ---\n--- k\n---\nx: y\n", "<>?p", "<>?p"),
            ("a: |\nb: c\n", "pp", "pp"),
            ("a: b\n^^^x\nc: d", "p^p", "p^p"),
        ] {
            assert_eq!(letters(Rules::Either, body), either, "{body:?}");
            assert_eq!(letters(Rules::Shipped, body), shipped, "{body:?}");
        }
        assert_eq!(letters(Rules::Mapping, "a: |\n  x\nb:\n- y\nc ---\n---\n"), "pspl??");
    }
}
