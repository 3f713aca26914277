//! Families of texts, each a rule that generates a text of any size: `tests/growth/families/*.yaml`.
//!
//! ```yaml
//! - name: gadget, arguments
//!   text: ["!!!GADGET_START:f\n", {each: "!!!ARG:a{i}\n1\n"}, "!!!GADGET_END\n"]
//! ```
//!
//! A part occurs once, or `each` of `n` times with its number in it: `{i}` from 0, `{next}` one more, `{prev}` one
//! less, `{rev}` from the highest down, `{revnext}` one more than that, `{last}` is `n`, and `{mix}` all of them in
//! another order. `dialects` are the dialects to read the text with, `schema` is generated like the text, `do` names
//! operations in addition to reading, `pieces` is the number of bytes that arrive at a time, `size` the least size of
//! the text in bytes. Independent of the operations.

use std::path::Path;

use serde::Deserialize;

/// A rule that generates a text of any size.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Family {
    /// The property that it tests.
    pub name: String,
    text: Vec<Part>,
    #[serde(default)]
    schema: Vec<Part>,
    /// The dialects to read it with; empty for all.
    #[serde(default)]
    pub dialects: Vec<String>,
    /// Operations in addition to reading.
    #[serde(default, rename = "do")]
    pub works: Vec<String>,
    /// Bytes that arrive at a time.
    pub pieces: Option<usize>,
    /// Bytes of the smaller text, if the default is too small for a decision.
    pub size: Option<usize>,
}

/// A part of a text.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Part {
    Once(String),
    Each {
        each: String,
    },
    /// Bytes in hexadecimal.
    Bytes {
        bytes: String,
    },
}

/// Repetitions in a text that is generated to measure the length of one.
const SAMPLE: usize = 100;

impl Family {
    /// Every family of the tables.
    ///
    /// # Panics
    /// A file is not a table of families.
    pub fn all() -> Vec<Self> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/growth/families");
        let mut paths: Vec<_> = std::fs::read_dir(folder)
            .expect("the table is there")
            .map(|entry| entry.expect("readable").path())
            .collect();
        paths.sort();
        paths.iter().flat_map(|path| Self::in_file(path)).collect()
    }

    /// Every family of a file.
    ///
    /// # Panics
    /// The file cannot be read, or is not a list of families.
    pub fn in_file(path: &Path) -> Vec<Self> {
        let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        serde_yaml::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }

    /// Number of repetitions in a text of at least `size` bytes.
    pub fn count(&self, size: usize) -> usize {
        let longest = [&self.text, &self.schema].map(|parts| make(parts, SAMPLE).len());
        let each = longest.into_iter().max().unwrap_or_default() / SAMPLE;
        (self.size.unwrap_or(size) / each.max(1)).max(1)
    }

    /// The text of `n` repetitions.
    pub fn text(&self, n: usize) -> Vec<u8> {
        make(&self.text, n)
    }

    /// The schema of the tools, if it has one.
    pub fn schema(&self, n: usize) -> Option<Vec<u8>> {
        (!self.schema.is_empty()).then(|| make(&self.schema, n))
    }
}

fn make(parts: &[Part], n: usize) -> Vec<u8> {
    let mut out = Vec::new();
    for part in parts {
        match part {
            Part::Once(words) => out.extend_from_slice(numbered(words, 0, n).as_bytes()),
            Part::Each { each } => (0..n).for_each(|i| out.extend_from_slice(numbered(each, i, n).as_bytes())),
            Part::Bytes { bytes } => (0..n).for_each(|_| out.extend(u8::from_str_radix(bytes, 16))),
        }
    }
    out
}

/// A part with its number filled in.
fn numbered(words: &str, i: usize, n: usize) -> String {
    if !words.contains('{') {
        return words.to_owned();
    }
    let places = [
        ("{i}", i.to_string()),
        ("{next}", (i + 1).to_string()),
        ("{prev}", i.wrapping_sub(1).to_string()),
        ("{rev}", (n - i).saturating_sub(1).to_string()),
        ("{revnext}", (n - i).to_string()),
        ("{last}", n.to_string()),
        ("{mix}", (i * 7919 % n.max(1)).to_string()),
    ];
    places.into_iter().fold(words.to_owned(), |words, (place, number)| words.replace(place, &number))
}
