//! The documents for users: the README, the pages of the guide and the page of tables.

use std::fs;
use std::path::{Path, PathBuf};

/// The documents with their paths below the project, sorted by path.
pub fn documents() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let pages =
        fs::read_dir(root.join("docs")).expect("the guide is there").map(|entry| entry.expect("readable").path());
    let pages = pages.filter(|path| path.extension() == Some("md".as_ref()));
    let mut paths: Vec<PathBuf> = pages.chain(["README.md", "CORPUS.md"].map(|name| root.join(name))).collect();
    paths.sort();
    let read = |path: PathBuf| {
        let name = path.strip_prefix(root).expect("it is in the project").display().to_string();
        (name, fs::read_to_string(&path).expect("a document can be read"))
    };
    paths.into_iter().map(read).collect()
}

/// All documents as one text.
pub fn text_of_documents() -> String {
    documents().into_iter().map(|(_, text)| text).collect()
}
