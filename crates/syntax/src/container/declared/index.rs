//! The built-in declarations.
//!
//! `index/table` contains the parts that are needed before a declaration is parsed. A test generates it from the
//! files: `INSTA_UPDATE=always cargo test -p transcope-syntax --lib declared::index`.

mod table;

use std::sync::OnceLock;

use super::declaration::ContainerDeclaration;
use crate::container::FileHead;
use crate::container::json::JsonKind;

pub use table::*;

/// A built-in declaration that is parsed on first use.
#[derive(Debug)]
pub struct EmbeddedContainer {
    /// Name of the container and of its YAML file.
    pub name: &'static str,
    /// The YAML source, from the file of that name.
    pub yaml: &'static str,
    /// For each alternative of its detection, keys without which it does not hold.
    pub(crate) keys: &'static [&'static [&'static str]],
    read: OnceLock<ContainerDeclaration>,
}

impl EmbeddedContainer {
    /// The declaration, parsed on first use.
    pub fn declaration(&'static self) -> &'static ContainerDeclaration {
        self.read.get_or_init(|| match ContainerDeclaration::parse(self.yaml) {
            Ok(declaration) => declaration,
            Err(problems) => panic!("{}: {problems:?}", self.name),
        })
    }

    /// True if a record has the keys that one of the alternatives needs.
    pub(super) fn may_claim(&self, head: &FileHead<'_>) -> bool {
        let Some(value) = head.value() else { return false };
        let record = match value.kind() {
            JsonKind::Array => value.items().next(),
            _ => Some(value),
        };
        record.is_some_and(|record| self.keys.iter().any(|keys| keys.iter().all(|key| record.get(key).is_some())))
    }
}

#[cfg(test)]
mod tests {
    use std::{env, fs};

    use super::*;
    use crate::container::CallSource;

    /// The table row of a declaration.
    fn row(name: &str, yaml: &str) -> String {
        let declaration = ContainerDeclaration::parse(yaml).unwrap_or_else(|problems| {
            let fault = |at: usize| yaml[..at].matches('\n').count() + 1;
            let faults = problems.iter().map(|problem| format!("{}: {}", fault(problem.span.start), problem.message));
            panic!("{name}.yaml: {:?}", faults.collect::<Vec<_>>())
        });
        assert_eq!(declaration.name, name, "a declaration is named as its file");
        let calls = if declaration.calls == CallSource::Records { "Records" } else { "Either" };
        let constant = name.to_uppercase().replace('-', "_");
        let keys = declaration.needed_keys().iter().map(|keys| format!("&{keys:?}")).collect::<Vec<_>>().join(", ");
        format!("    {constant} {name:?} {:?} {calls} [{keys}];\n", declaration.title)
    }

    #[test]
    fn the_table_is_what_the_declarations_say() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/container/declared");
        let files = fs::read_dir(folder).expect("the folder exists").map(|file| file.expect("it is readable").path());
        let mut files: Vec<_> = files.filter(|file| file.extension() == Some("yaml".as_ref())).collect();
        files.sort();
        let name = |file: &std::path::PathBuf| file.file_stem().expect("it ends in .yaml").display().to_string();
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
