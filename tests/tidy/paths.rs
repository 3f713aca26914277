//! Paths in documents exist.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::source::{files, read, root};

/// Documents for developers, in which paths in back-ticks are relative to the project.
const DOCUMENTS: [&str; 4] = ["ARCHITECTURE.md", "CONTRIBUTING.md", "fuzz/README.md", "samples/README.md"];

/// Lines of the README: two screens.
const MAX_README: usize = 150;

/// Lines of a page of the guide.
const MAX_PAGE: usize = 250;

/// Texts in back-ticks on one line.
fn quoted(text: &str) -> impl Iterator<Item = &str> {
    text.lines().flat_map(|line| line.split('`').skip(1).step_by(2))
}

/// `a/{b,c}` as `a/b` and `a/c`.
fn expanded(path: &str) -> Vec<String> {
    let parts = || {
        let (before, rest) = path.split_once('{')?;
        let (inner, after) = rest.split_once('}')?;
        Some(inner.split(',').flat_map(|part| expanded(&format!("{before}{part}{after}"))).collect())
    };
    parts().unwrap_or_else(|| vec![path.to_owned()])
}

/// True if a text is a path of the project; a word in capitals makes it a pattern: `tui/pane/NAME.rs`.
fn is_path(text: &str) -> bool {
    // A number is an index in the path of an argument.
    let is_pattern =
        |part: &str| part.len() > 1 && part.chars().all(|c| c.is_ascii_uppercase()) || part.parse::<usize>().is_ok();
    text.contains('/')
        && text.chars().all(|c| c.is_ascii_alphanumeric() || "/._-{},".contains(c))
        && !text.split(['/', '.']).any(is_pattern)
        && !text.starts_with('/')
}

/// Every file and folder, without the extension of Rust files.
fn known() -> BTreeSet<String> {
    let mut known = BTreeSet::new();
    for folder in
        ["src", "crates", "tests", "examples", "benches", "fuzz/src", "fuzz/found", "samples", "themes", "docs", ".ci"]
    {
        for path in files(&root().join(folder)) {
            let path = format!("{folder}/{}", path.display());
            known.extend(path.char_indices().filter(|(_, c)| *c == '/').map(|(at, _)| path[..at].to_owned()));
            known.insert(path.strip_suffix(".rs").unwrap_or(&path).to_owned());
            known.insert(path);
        }
    }
    known
}

#[test]
fn every_path_in_back_ticks_exists() {
    let known = known();
    // A path may omit its beginning: `screen/lens` for `src/tui/screen/lens`.
    let exists = |path: &str| known.iter().any(|known| known == path || known.ends_with(&format!("/{path}")));
    let mut faults = Vec::new();
    for document in DOCUMENTS {
        let text = read(&root().join(document));
        for path in quoted(&text).filter(|text| is_path(text)).flat_map(expanded) {
            if !exists(path.trim_end_matches('/')) {
                faults.push(format!("{document}: `{path}` does not exist"));
            }
        }
    }
    super::none(&faults);
}

#[test]
fn links_of_documents_lead_to_files_and_pages_are_short() {
    let mut faults = Vec::new();
    let pages = files(&root().join("docs")).into_iter().filter(|path| path.extension() == Some("md".as_ref()));
    let pages = pages.map(|path| Path::new("docs").join(path));
    for page in pages.chain(["README.md", "CORPUS.md", "CONTRIBUTING.md", "CHANGELOG.md"].map(PathBuf::from)) {
        let text = read(&root().join(&page));
        let folder = root().join(page.parent().unwrap_or(Path::new("")));
        let targets = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
        for target in targets.filter(|target| !target.contains("://") && !target.contains(' ')) {
            if !folder.join(target.split('#').next().unwrap_or_default()).exists() {
                faults.push(format!("{}: {target} does not exist", page.display()));
            }
        }
        let most = if page == Path::new("README.md") { MAX_README } else { MAX_PAGE };
        if page.starts_with("docs") || page == Path::new("README.md") {
            let lines = text.lines().count();
            if lines > most {
                faults.push(format!("{} has {lines} lines; at most {most}", page.display()));
            }
        }
    }
    super::none(&faults);
}
