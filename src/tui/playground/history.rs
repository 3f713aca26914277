//! The undo history of a text.

use std::collections::VecDeque;

/// Maximum number of changes; the oldest are dropped.
const KEPT: usize = 10_000;

/// Maximum size of all changes together, in bytes; the oldest are dropped.
const KEPT_BYTES: usize = 64 << 20;

/// The replacement of one range of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Change {
    at: usize,
    old: String,
    new: String,
}

impl Change {
    /// The change from one text to another, if they differ. If its start is ambiguous, as in a run of equal letters, it
    /// starts at `cursor` or before.
    pub(super) fn between(old: &str, new: &str, cursor: usize) -> Option<Self> {
        if old == new {
            return None;
        }
        let (left, right) = (old.as_bytes(), new.as_bytes());
        let common = left[..cursor.min(left.len())].iter().zip(right).take_while(|(old, new)| old == new).count();
        let at = old.floor_char_boundary(common);
        let behind = left[at..].iter().rev().zip(right[at..].iter().rev()).take_while(|(old, new)| old == new).count();
        let end = old.ceil_char_boundary(old.len() - behind);
        let behind = old.len() - end;
        Some(Self { at, old: old[at..end].to_owned(), new: new[at..new.len() - behind].to_owned() })
    }

    /// Maps an offset of the old text to the new one.
    pub(super) fn carry(&self, offset: usize) -> usize {
        match offset.checked_sub(self.at + self.old.len()) {
            Some(behind) => self.at + self.new.len() + behind,
            None if offset <= self.at => offset,
            None => self.at + self.new.len(),
        }
    }

    fn size(&self) -> usize {
        self.old.len() + self.new.len()
    }
}

/// Applied changes, followed by undone ones.
#[derive(Debug, Default)]
pub(super) struct History {
    steps: VecDeque<Change>,
    /// Number of applied changes.
    made: usize,
    /// Size of all changes, applied or undone, in bytes.
    bytes: usize,
}

impl History {
    /// Records an applied change. Undone changes are dropped.
    pub(super) fn push(&mut self, change: Change) {
        for gone in self.steps.drain(self.made..) {
            self.bytes -= gone.size();
        }
        self.bytes += change.size();
        self.steps.push_back(change);
        while self.steps.len() > KEPT || (self.bytes > KEPT_BYTES && self.steps.len() > 1) {
            self.bytes -= self.steps.pop_front().map_or(0, |gone| gone.size());
        }
        self.made = self.steps.len();
    }

    /// Undoes the last change. Returns the new cursor position.
    pub(super) fn undo(&mut self, text: &mut String) -> Option<usize> {
        let Change { at, old, new } = self.steps.get(self.made.checked_sub(1)?)?;
        text.replace_range(at..&(at + new.len()), old);
        self.made -= 1;
        Some(at + old.len())
    }

    /// Redoes the last undone change. Returns the new cursor position.
    pub(super) fn redo(&mut self, text: &mut String) -> Option<usize> {
        let Change { at, old, new } = self.steps.get(self.made)?;
        text.replace_range(at..&(at + old.len()), new);
        self.made += 1;
        Some(at + new.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_leads_from_one_text_to_the_other_and_back() {
        for (old, new) in [
            ("", "x"),
            ("aaa", "aaaa"),
            ("aaaa", "aaa"),
            ("x\u{e4}y", "x\u{e5}y"),
            ("\u{20ac}", "\u{20ad}\u{20ac}"),
            ("\u{e4}", "\u{f4}\u{e4}"),
            ("one two", "two one"),
            ("everything", ""),
        ] {
            for cursor in 0..=old.len() + 1 {
                let change = Change::between(old, new, cursor).expect("they differ");
                let mut history = History::default();
                history.push(change);
                let mut text = new.to_owned();
                assert!(history.undo(&mut text).is_some_and(|at| text.is_char_boundary(at)));
                assert_eq!(text, old);
                assert!(history.redo(&mut text).is_some_and(|at| text.is_char_boundary(at)));
                assert_eq!(text, new);
            }
        }
        assert_eq!(Change::between("same", "same", 2), None);
    }

    #[test]
    fn the_oldest_steps_give_way_and_the_last_one_is_kept() {
        let mut history = History::default();
        let mut text = String::new();
        for _ in 0..KEPT + 5 {
            let longer = format!("{text}x");
            history.push(Change::between(&text, &longer, text.len()).expect("it is longer"));
            text = longer;
        }
        while history.undo(&mut text).is_some() {}
        assert_eq!(text.len(), 5);
        let large = "y".repeat(KEPT_BYTES + 1);
        history.push(Change::between(&text, &large, 0).expect("it differs"));
        assert_eq!(history.steps.len(), 1);
    }
}
