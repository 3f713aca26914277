//! Samples, cases, snapshots and themes: each has its counterpart, and no file is unused.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use transcope::tui::style::Role;
use transcope::tui::theme::Theme;

use super::source::{files, read, root};

#[test]
fn every_sample_is_in_the_list_of_samples() {
    let folder = root().join("samples");
    let readme = read(&folder.join("README.md"));
    let mut section = String::new();
    let mut listed = BTreeSet::new();
    for line in readme.lines() {
        if let Some(heading) = line.strip_prefix("## ") {
            section = heading.split('`').nth(1).unwrap_or_default().to_owned();
        }
        if let Some(name) = line.strip_prefix("| `").and_then(|rest| rest.split('`').next()) {
            assert!(listed.insert(format!("{section}{name}")), "{name} is listed twice");
        }
    }
    let there = files(&folder).into_iter().map(|path| path.to_str().expect("a plain name").to_owned());
    let there: BTreeSet<String> = there.filter(|name| !name.ends_with("README.md")).collect();
    assert_eq!(there, listed, "the samples and samples/README.md");
}

#[test]
fn every_case_has_a_snapshot_and_every_snapshot_a_case() {
    let tests = root().join("tests");
    let programs: Vec<String> = files(&tests)
        .into_iter()
        .filter(|path| path.extension() == Some("rs".as_ref()))
        .map(|path| read(&tests.join(path)))
        .collect();
    let mut faults = Vec::new();
    let mut expected: BTreeSet<PathBuf> = BTreeSet::new();
    for path in files(&tests.join("data")) {
        let is_case = path.parent().is_some_and(|folder| folder.ends_with("ok") || folder.ends_with("err"));
        let name = path.file_name().and_then(|name| name.to_str()).expect("a plain name");
        // Files in these folders are read one by one by the test with the folder's name.
        let is_listed = ["declared", "facts", "templates"].iter().any(|folder| path.starts_with(folder));
        if is_case {
            expected.insert(path.with_extension("snap"));
        } else if !is_listed && !programs.iter().any(|source| source.contains(name)) {
            faults.push(format!("data/{}: no test reads it", path.display()));
        }
    }
    for path in files(&root().join("samples")).into_iter().filter(|path| !path.ends_with("README.md")) {
        // A recorded file has a snapshot of the container's output, and one of the session.
        if let Ok(path) = path.strip_prefix("containers") {
            expected.insert(Path::new("sessions").join(path).with_extension("snap"));
        }
        expected.insert(Path::new("samples").join(path).with_extension("snap"));
    }
    for path in files(&tests.join("snapshots")).into_iter().filter(|path| path.extension() == Some("snap".as_ref())) {
        // Other snapshots are named by the test that makes them.
        let name = path.file_stem().and_then(|name| name.to_str()).expect("a plain name");
        let quoted = format!("\"{name}\"");
        if !expected.remove(&path) && !programs.iter().any(|source| source.contains(&quoted)) {
            faults.push(format!("{}: no test makes this snapshot", path.display()));
        }
    }
    faults.extend(expected.into_iter().map(|path| format!("{}: this snapshot is missing", path.display())));
    super::none(&faults);
}

/// A role in the notation of themes.
fn kebab(role: Role) -> String {
    let mut name = String::new();
    for c in format!("{role:?}").chars() {
        if c.is_uppercase() && !name.is_empty() {
            name.push('-');
        }
        name.extend(c.to_lowercase());
    }
    name
}

#[test]
fn every_theme_has_every_role() {
    let folder = root().join("themes");
    let wanted: BTreeSet<String> = Role::ALL.into_iter().map(kebab).collect();
    for path in files(&folder) {
        let shown = path.display();
        let theme: serde_yaml::Value =
            serde_yaml::from_str(&read(&folder.join(&path))).unwrap_or_else(|error| panic!("{shown}: {error}"));
        let roles = theme["roles"].as_mapping().unwrap_or_else(|| panic!("{shown} has no roles"));
        let found: BTreeSet<String> = roles.keys().filter_map(|key| key.as_str().map(str::to_owned)).collect();
        // A theme that extends another one has only the differences.
        let is_whole = theme.get("extends").is_none();
        assert!(found == wanted || (!is_whole && found.is_subset(&wanted)), "{shown}: {found:?}");
        let name = folder.join(&path);
        let theme = Theme::named(name.to_str().expect("a plain name")).unwrap_or_else(|error| panic!("{error:#}"));
        assert_eq!(Some(theme.name()), path.file_stem().and_then(|name| name.to_str()), "a theme is named as its file");
    }
}
