//! Open brackets, for searches for the end of a text that may still be arriving.
//!
//! A closing bracket of the wrong kind closes everything inside the bracket that it belongs to. Strings and the text
//! between brackets are the caller's responsibility.

use super::pointer::MAX_DEPTH;

/// A kind of brackets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BracketKind {
    Round,
    Square,
    Curly,
}

impl BracketKind {
    /// The kind that this byte opens, if any.
    pub(super) fn opened_by(byte: u8) -> Option<Self> {
        match byte {
            b'(' => Some(BracketKind::Round),
            b'[' => Some(BracketKind::Square),
            b'{' => Some(BracketKind::Curly),
            _ => None,
        }
    }

    /// The kind that this byte closes, if any.
    pub(super) fn closed_by(byte: u8) -> Option<Self> {
        match byte {
            b')' => Some(BracketKind::Round),
            b']' => Some(BracketKind::Square),
            b'}' => Some(BracketKind::Curly),
            _ => None,
        }
    }

    /// The character that closes it.
    pub(super) fn closer(self) -> char {
        match self {
            BracketKind::Round => ')',
            BracketKind::Square => ']',
            BracketKind::Curly => '}',
        }
    }
}

/// The effect of a closing bracket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Closed {
    /// It closed the innermost bracket.
    Innermost,
    /// It closed one further out, and with it the brackets inside.
    Outer,
    /// It matches no open bracket.
    Nothing,
}

/// The open brackets. Those nested too deeply are only counted, whatever their kind.
#[derive(Clone, Debug, Default)]
pub(super) struct Brackets {
    open: Vec<BracketKind>,
    beyond: usize,
}

impl Brackets {
    pub(super) fn open(&mut self, kind: BracketKind) {
        if self.open.len() < MAX_DEPTH {
            self.open.push(kind);
        } else {
            self.beyond += 1;
        }
    }

    pub(super) fn close(&mut self, kind: BracketKind) -> Closed {
        if self.beyond > 0 {
            self.beyond -= 1;
            return Closed::Innermost;
        }
        let Some(index) = self.open.iter().rposition(|&open| open == kind) else { return Closed::Nothing };
        let is_innermost = index + 1 == self.open.len();
        self.open.truncate(index);
        if is_innermost { Closed::Innermost } else { Closed::Outer }
    }

    /// The kind of the innermost one, unless it is nested too deeply.
    pub(super) fn innermost(&self) -> Option<BracketKind> {
        self.open.last().copied().filter(|_| self.beyond == 0)
    }

    /// Number of brackets that are open.
    pub(super) fn depth(&self) -> usize {
        self.open.len() + self.beyond
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bracket_closes_the_innermost_one_of_its_kind() {
        use Closed::{Innermost, Nothing, Outer};
        // The text, the effect of its last bracket, and the number of brackets open after it.
        let cases: &[(&str, Closed, usize)] = &[
            ("()", Innermost, 0),
            ("([)", Outer, 0),
            ("([{)", Outer, 0),
            ("([]", Innermost, 1),
            ("(]", Nothing, 1),
            (")", Nothing, 0),
        ];
        for (text, expected, depth) in cases {
            let mut brackets = Brackets::default();
            let mut last = None;
            for byte in text.bytes() {
                if let Some(kind) = BracketKind::opened_by(byte) {
                    brackets.open(kind);
                } else if let Some(kind) = BracketKind::closed_by(byte) {
                    last = Some(brackets.close(kind));
                }
            }
            assert_eq!((last, brackets.depth()), (Some(*expected), *depth), "{text}");
        }
        let mut deep = Brackets::default();
        (0..500).for_each(|_| deep.open(BracketKind::Round));
        assert_eq!(deep.depth(), 500);
        assert_eq!(deep.close(BracketKind::Curly), Innermost, "what is too deep has no kind");
    }
}
