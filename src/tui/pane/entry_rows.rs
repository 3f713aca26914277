//! The rows of a list of entries, one of which can be unfolded: a heading, the entries, and the contents of the unfolded one
//! after it.

/// The number of rows of each kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct EntryRows {
    /// Number of entries. Without entries there is no heading.
    pub(super) entries: usize,
    /// Index of the unfolded entry.
    pub(super) open: Option<usize>,
    /// Number of rows of its contents.
    pub(super) contents: usize,
}

/// A row, with its index among the rows of its kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum EntryRow {
    Heading,
    Entry(usize),
    Content(usize),
}

impl EntryRows {
    /// Number of rows, with the heading.
    pub(super) fn len(self) -> usize {
        if self.entries == 0 { 0 } else { 1 + self.entries + self.contents }
    }

    /// The row with this number.
    pub(super) fn get(self, row: usize) -> Option<EntryRow> {
        if row >= self.len() {
            return None;
        }
        let Some(row) = row.checked_sub(1) else { return Some(EntryRow::Heading) };
        let open = self.open.unwrap_or(self.entries);
        Some(match row.checked_sub(open + 1) {
            None => EntryRow::Entry(row),
            Some(content) if content < self.contents => EntryRow::Content(content),
            Some(_) => EntryRow::Entry(row - self.contents),
        })
    }

    /// The row of an entry.
    pub(super) fn row_of(self, entry: usize) -> usize {
        1 + entry + if self.open.is_some_and(|open| entry > open) { self.contents } else { 0 }
    }

    /// The entry of a row; of a row among the contents, the unfolded one.
    pub(super) fn entry_at(self, row: usize) -> usize {
        match self.get(row) {
            Some(EntryRow::Entry(entry)) => entry,
            Some(EntryRow::Content(_)) => self.open.unwrap_or_default(),
            _ => 0,
        }
    }
}

/// The row to fold or unfold from row `at`, and whether to unfold it: a row that cannot be folded folds the one that contains
/// it. `opens` is `None` to switch. `depth` is the depth of a row, and `state` whether it is unfolded, if it can be.
pub(super) fn row_to_fold(
    at: usize,
    opens: Option<bool>,
    depth: impl Fn(usize) -> usize,
    state: impl Fn(usize) -> Option<bool>,
) -> Option<(usize, bool)> {
    let is_here = opens == Some(true) || state(at).is_some_and(|is_unfolded| is_unfolded || opens.is_none());
    let around = || (1..at).rev().find(|&row| depth(row) < depth(at));
    let row = if is_here { at } else { around().unwrap_or(at) };
    let is_unfolded = state(row)?;
    Some((row, opens.unwrap_or(!is_unfolded)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contents_follow_the_unfolded_entry() {
        for (open, contents, expected) in
            [(None, 0, "H 0 1 2"), (Some(0), 2, "H 0 c0 c1 1 2"), (Some(2), 1, "H 0 1 2 c0"), (Some(1), 0, "H 0 1 2")]
        {
            let rows = EntryRows { entries: 3, open, contents };
            let words = (0..rows.len()).map(|row| match rows.get(row) {
                Some(EntryRow::Heading) => "H".to_owned(),
                Some(EntryRow::Entry(entry)) => {
                    assert_eq!((rows.row_of(entry), rows.entry_at(row)), (row, entry));
                    entry.to_string()
                }
                Some(EntryRow::Content(content)) => {
                    assert_eq!(Some(rows.entry_at(row)), open);
                    format!("c{content}")
                }
                None => "none".to_owned(),
            });
            assert_eq!(words.collect::<Vec<_>>().join(" "), expected);
            assert_eq!(rows.get(rows.len()), None);
        }
        assert_eq!(EntryRows::default().get(0), None);
    }
}
