//! The built-in declarations, in order of priority.
//!
//! `index/table` contains the parts that are needed before a declaration is parsed. A test generates it from the
//! files: `INSTA_UPDATE=always cargo test --lib declared::index`.

mod table;

use std::sync::OnceLock;

use super::declaration::{Declaration, ReadMode};
use crate::dialect::Triggers;

pub use table::EMBEDDED;

/// A built-in declaration.
#[derive(Debug)]
pub struct Embedded {
    /// Name of the dialect.
    pub name: &'static str,
    /// When the dialect is read if the user names none.
    pub reading: ReadMode,
    /// Texts that trigger a probe of the dialect.
    pub(crate) markers: &'static [&'static str],
    /// First bytes of lines that may hold a near miss.
    pub(crate) lines: &'static [u8],
    /// The signs of a principal dialect, which are searched for in the calls of all dialects.
    pub(crate) signs: &'static [&'static str],
    /// The YAML source.
    pub yaml: &'static str,
    read: OnceLock<Declaration>,
}

impl Embedded {
    /// The declaration, parsed on first use.
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

/// Names of the declared dialects that represent a whole family of syntaxes. If no dialect is named, only their near
/// misses are reported: seventy dialects would report the same thing many times.
pub(crate) const PRINCIPAL: [&str; 4] = ["xml", "invoke", "function", "hermes"];

/// The built-in declaration of the dialect with this name.
pub fn embedded(name: &str) -> Option<&'static Embedded> {
    EMBEDDED.iter().find(|embedded| embedded.name == name)
}

#[cfg(test)]
mod tests {
    use std::{env, fs};

    use super::super::triggers;
    use super::*;

    /// Dialects probed before the others, which are sorted by file name: the principal ones, and one whose marker
    /// shares a prefix with the marker of `react`.
    const FIRST: [&str; 5] = ["xml", "invoke", "function", "hermes", "command-r-plus"];

    /// The table row of a declaration.
    fn row(name: &str, yaml: &str) -> String {
        let declaration = Declaration::parse(yaml).unwrap_or_else(|problems| {
            let fault = |at: usize| yaml[..at].matches('\n').count() + 1;
            let faults = problems.iter().map(|problem| format!("{}: {}", fault(problem.span.start), problem.message));
            panic!("{name}.yaml: {:?}", faults.collect::<Vec<_>>())
        });
        let Declaration { info, reading, .. } = &declaration;
        assert_eq!(info.name, name, "a declaration is named as its file");
        let triggers = triggers(&declaration, *reading == ReadMode::Named);
        let markers: Vec<_> = triggers.anywhere.iter().map(|marker| String::from_utf8_lossy(marker)).collect();
        let (lines, signs) =
            if PRINCIPAL.contains(&name) { (triggers.lines, info.signs) } else { (Vec::new(), &[][..]) };
        format!("    {name:?} {reading:?} {lines:?} {signs:?} {markers:?};\n")
    }

    #[test]
    fn the_table_is_what_the_declarations_say() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/dialect/declared");
        let files = fs::read_dir(folder).expect("the folder exists").map(|file| file.expect("it is readable").path());
        let mut files: Vec<_> = files.filter(|file| file.extension() == Some("yaml".as_ref())).collect();
        let name = |file: &std::path::PathBuf| file.file_stem().expect("it ends in .yaml").display().to_string();
        files.sort();
        files.sort_by_key(|file| FIRST.iter().position(|first| *first == name(file)).unwrap_or(FIRST.len()));
        let rows = files.iter().map(|file| row(&name(file), &fs::read_to_string(file).expect("it is readable")));
        let written = include_str!("index/table.rs");
        let (head, _) = written.split_once("embedded! {\n").expect("the table has a head");
        let wanted = format!("{head}embedded! {{\n{}}}\n", rows.collect::<String>());
        if env::var("INSTA_UPDATE").is_ok_and(|update| update == "always") {
            return fs::write(format!("{folder}/index/table.rs"), &wanted).expect("it is writable");
        }
        assert_eq!(wanted, written, "renew it with INSTA_UPDATE=always cargo test --lib declared::index");
    }
}
