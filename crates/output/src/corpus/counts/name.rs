//! Interns names as numbers, so that keys of several names are small and fast to compare.
//!
//! Bounds memory for hostile files: long names are cut, and names beyond a limit share a number.

use std::collections::HashMap;
use std::sync::Arc;

use super::OTHER;

/// Maximum length of a name in bytes; longer ones are cut at a character boundary, with an ellipsis.
pub const MAX_NAME: usize = 200;

/// Maximum number of names; all further ones share a number.
const MAX_NAMES: usize = 100_000;

/// Number of columns whose last name is cached.
const COLUMNS: usize = 7;

/// Names and their numbers, from 1.
#[derive(Clone, Debug, Default)]
pub(super) struct Names {
    texts: Vec<Arc<str>>,
    numbers: HashMap<Arc<str>, u32>,
    /// The last name of each column, uncut, and its number, as names usually repeat.
    last: [Option<(Arc<str>, u32)>; COLUMNS],
}

impl Names {
    /// The number of a name in a column.
    pub(super) fn number(&mut self, column: usize, text: &Arc<str>) -> u32 {
        if let Some((last, number)) = &self.last[column]
            && (Arc::ptr_eq(last, text) || last == text)
        {
            return *number;
        }
        let number = match cut(text) {
            None => self.find(text),
            Some(cut) => self.find(&cut),
        };
        self.last[column] = Some((Arc::clone(text), number));
        number
    }

    /// The number of the name that replaces names beyond the limit.
    pub(super) fn other(&mut self) -> u32 {
        let other = Arc::from(OTHER);
        self.numbers.get(&other).copied().unwrap_or_else(|| self.insert(&other))
    }

    /// The name with a number; `None` for 0.
    pub(super) fn get(&self, number: u32) -> Option<&Arc<str>> {
        self.texts.get((number as usize).checked_sub(1)?)
    }

    /// The name as a shared pointer.
    pub(super) fn text(&self, number: u32) -> Option<Arc<str>> {
        self.get(number).cloned()
    }

    fn find(&mut self, text: &Arc<str>) -> u32 {
        match self.numbers.get(text) {
            Some(&number) => number,
            None if self.texts.len() < MAX_NAMES => self.insert(text),
            None => self.other(),
        }
    }

    fn insert(&mut self, text: &Arc<str>) -> u32 {
        self.texts.push(Arc::clone(text));
        let number = u32::try_from(self.texts.len()).expect("names are fewer than MAX_NAMES and one");
        self.numbers.insert(Arc::clone(text), number);
        number
    }
}

/// A cut name with an ellipsis; `None` if the name is short enough.
fn cut(text: &str) -> Option<Arc<str>> {
    (text.len() > MAX_NAME).then(|| format!("{}{OTHER}", &text[..text.floor_char_boundary(MAX_NAME)]).into())
}
