//! The declarations that the program brings along, in the order of their priority.
//!
//! A line has what must be known before a declaration is read: its name, whether it is read where none is named, and the
//! texts by which it is found. `tests/corpus/declared.rs` compares each line with its declaration and prints the right one.
//! This module does not know what a declaration says.

use std::sync::OnceLock;

use super::declaration::{Declaration, Reading};
use crate::dialect::Triggers;

/// A declaration of the program.
#[derive(Debug)]
pub struct Embedded {
    /// The name of its dialect.
    pub name: &'static str,
    /// When it is read where no dialect is named.
    pub reading: Reading,
    /// The texts by which it is found.
    pub markers: &'static [&'static str],
    /// The bytes with which lines begin that may hold a near miss.
    pub lines: &'static [u8],
    /// The YAML.
    pub yaml: &'static str,
    read: OnceLock<Declaration>,
}

impl Embedded {
    const fn new(
        name: &'static str,
        reading: Reading,
        markers: &'static [&'static str],
        lines: &'static [u8],
        yaml: &'static str,
    ) -> Self {
        Self { name, reading, markers, lines, yaml, read: OnceLock::new() }
    }

    /// The declaration, which is read when it is first asked for.
    pub fn declaration(&self) -> &Declaration {
        self.read.get_or_init(|| match Declaration::parse(self.yaml) {
            Ok(declaration) => declaration,
            Err(problems) => panic!("{}: {problems:?}", self.name),
        })
    }

    pub(super) fn triggers(&self) -> Triggers {
        Triggers {
            anywhere: self.markers.iter().map(|marker| marker.as_bytes().to_vec()).collect(),
            lines: self.lines.to_vec(),
            ..Triggers::default()
        }
    }
}

/// No near misses.
const NONE: &[u8] = &[];

/// The bytes with which near misses of tags begin.
const TAGS: &[u8] = &[b'<', b'&', b'\\', 0xef, 0xe2];

/// The bytes with which near misses of markers around JSON begin.
const MARKERS: &[u8] = b"<&";

macro_rules! embedded {
    ($($name:literal $reading:ident $lines:ident $markers:expr;)*) => {
        /// All of them.
        pub static EMBEDDED: [Embedded; [$($name),*].len()] = [$(Embedded::new(
            $name, Reading::$reading, &$markers, $lines, include_str!(concat!($name, ".yaml")),
        ),)*];
    };
}

embedded! {
    "xml" Always TAGS ["</param:", "</tool:", "<param:", "<tool:"];
    "invoke" Always TAGS ["</antml:function_calls", "</antml:invoke", "</antml:parameter", "</function_calls", "</invoke", "</minimax:tool_call", "</parameter", "</｜DSML｜function_calls", "</｜DSML｜invoke", "</｜DSML｜parameter", "</｜DSML｜tool_calls", "<antml:function_calls", "<antml:invoke", "<antml:parameter", "<function_calls", "<invoke", "<minimax:tool_call", "<parameter", "<｜DSML｜function_calls", "<｜DSML｜invoke", "<｜DSML｜parameter", "<｜DSML｜tool_calls"];
    "function" Always TAGS ["</function", "</parameter", "</seed:tool_call", "</tool_call", "<function=", "<parameter=", "<seed:tool_call", "<tool_call"];
    "hermes" Always MARKERS ["<tool_call>"];
    "command-r-plus" Repeated MARKERS ["Action:"];
}

/// The declaration of the dialect with this name.
pub fn embedded(name: &str) -> Option<&'static Embedded> {
    EMBEDDED.iter().find(|embedded| embedded.name == name)
}

#[cfg(test)]
mod tests {
    use super::super::triggers;
    use super::*;

    /// The line that a declaration should have.
    fn line(declaration: &Declaration) -> String {
        let triggers = triggers(declaration);
        let lines = match &*triggers.lines {
            [] => "NONE",
            lines if lines.contains(&b'\\') => "TAGS",
            _ => "MARKERS",
        };
        let markers = triggers.anywhere.iter().map(|marker| format!("{:?}", String::from_utf8_lossy(marker)));
        let markers = markers.collect::<Vec<_>>().join(", ");
        format!("    {:?} {:?} {lines} [{markers}];", declaration.info.name, declaration.reading)
    }

    #[test]
    fn each_line_says_what_its_declaration_says() {
        let mut wrong = Vec::new();
        for embedded in &EMBEDDED {
            match Declaration::parse(embedded.yaml) {
                Ok(declaration) => {
                    let (mut own, mut said) = (embedded.triggers(), triggers(&declaration));
                    own.lines.sort_unstable();
                    said.lines.sort_unstable();
                    let is_right = own.anywhere == said.anywhere
                        && own.lines == said.lines
                        && embedded.reading == declaration.reading
                        && embedded.name == declaration.info.name;
                    wrong.extend((!is_right).then(|| line(&declaration)));
                }
                Err(problems) => {
                    for problem in problems {
                        let line = embedded.yaml[..problem.span.start].matches('\n').count() + 1;
                        wrong.push(format!("{}.yaml:{line}: {}", embedded.name, problem.message));
                    }
                }
            }
        }
        assert!(wrong.is_empty(), "these lines should be:\n{}", wrong.join("\n"));
    }
}
