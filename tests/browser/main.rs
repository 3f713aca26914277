//! Pages of `transcope export --to html` in a headless Chromium: what they load and log, how hostile text behaves in
//! them, and the filter, folds and keys of the interactive form. Without a Chromium they are skipped with a message.

mod chromium;
mod drawings;
mod hostile;
mod interactive;
mod looks;
#[path = "../shared/program.rs"]
mod program;
#[path = "../shared/skip.rs"]
mod skip;

use std::fs;
use std::path::{Path, PathBuf};

use chromium::Browser;

/// The options of both forms of a page.
const FORMS: [&[&str]; 2] = [&[], &["--interactive"]];

/// Exports a page for a text in a folder. Returns its path.
#[track_caller]
fn page(folder: &Path, name: &str, text: &[u8], options: &[&str]) -> PathBuf {
    fs::write(folder.join(name), text).expect("a file can be made");
    let report = folder.join("report.html");
    let _ = fs::remove_file(&report);
    let arguments = [&["export", "--to", "html", "-o", "report.html", name], options].concat();
    let (code, _, errors) = program::run_in(folder, &arguments, &[], b"").parts();
    assert!(
        code == 0 && (errors.is_empty() || errors.starts_with("warning: the transcript holds")),
        "{name}: {errors}"
    );
    report
}

/// A sample of every dialect and container: the first and the last of each folder.
fn samples() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples");
    let folders = |folder: &Path| -> Vec<PathBuf> {
        let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("readable").path());
        entries.filter(|path| path.is_dir()).collect()
    };
    let mut samples = Vec::new();
    for folder in folders(&root).into_iter().chain(folders(&root.join("containers"))) {
        let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("readable").path());
        let mut files: Vec<PathBuf> = entries.filter(|path| path.is_file()).collect();
        files.sort();
        samples.extend(files.first().cloned());
        samples.extend(files.into_iter().skip(1).next_back());
    }
    samples.sort();
    samples
}

#[test]
fn a_page_loads_nothing_and_has_nothing_to_say() {
    let Some(mut browser) = Browser::start() else { return };
    let folder = tempfile::tempdir().expect("a folder can be made");
    let samples = samples();
    assert!(samples.len() > 40);
    browser.show_as(1280, "light", "screen");
    for sample in samples {
        let text = fs::read(&sample).expect("readable");
        let name = sample.file_name().and_then(|name| name.to_str()).expect("a plain name");
        for form in FORMS {
            browser.open(&page(folder.path(), name, &text, form));
            let shown = sample.display();
            assert_eq!((browser.requests(), browser.words()), (vec![], vec![]), "{shown} {form:?}");
            // The hashes in the policy match our style and script.
            let display = browser.evaluate("getComputedStyle(document.querySelector('.page')).display");
            assert_eq!(display, "grid", "{shown} {form:?}");
            let tools = browser.evaluate("document.querySelector('.tools')?.hidden ?? null");
            assert_eq!(tools.as_bool(), (!form.is_empty()).then_some(false), "{shown} {form:?}");
            assert_eq!(browser.evaluate("document.title"), name);
        }
    }
}
