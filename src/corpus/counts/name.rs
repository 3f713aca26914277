//! Names as numbers, so that a key of many of them is small and quickly compared.
//!
//! Names come in any number and size from files: long ones are cut, and of many only the first are kept apart.

use std::collections::HashMap;
use std::sync::Arc;

use super::OTHER;

/// Most bytes of a name; what is longer is cut there, at a character, and ends with an ellipsis.
pub const MAX_NAME: usize = 200;

/// Most names; further ones are one.
const MAX_NAMES: usize = 100_000;

/// Columns of which the last name is remembered.
const COLUMNS: usize = 7;

/// Names with their numbers, which count from 1.
#[derive(Clone, Debug, Default)]
pub(super) struct Names {
    texts: Vec<Arc<str>>,
    numbers: HashMap<Arc<str>, u32>,
    /// The last name of each column as it came, and its number: the next one is mostly the same.
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

    /// The number of the name that stands for those that are not kept apart.
    pub(super) fn other(&mut self) -> u32 {
        let other = Arc::from(OTHER);
        self.numbers.get(&other).copied().unwrap_or_else(|| self.insert(&other))
    }

    /// The name with a number; none for 0.
    pub(super) fn get(&self, number: u32) -> Option<&Arc<str>> {
        self.texts.get((number as usize).checked_sub(1)?)
    }

    /// The same text, shared with all keys that hold its number.
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

/// A name that is too long, without its end.
fn cut(text: &str) -> Option<Arc<str>> {
    (text.len() > MAX_NAME).then(|| format!("{}{OTHER}", &text[..text.floor_char_boundary(MAX_NAME)]).into())
}
