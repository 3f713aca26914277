//! The stored themes: the built-in ones, and the files in the user's own folder.

use std::path::{Path, PathBuf};

use crate::config::places;

/// The names of the built-in themes.
pub const BUILT_IN: [&str; 7] = ["dark", "light", "dark-colorblind", "light-colorblind", "dark-16", "light-16", "mono"];

/// The contents of their files, in the same order.
const SOURCES: [&str; BUILT_IN.len()] = [
    include_str!("../../../themes/dark.yaml"),
    include_str!("../../../themes/light.yaml"),
    include_str!("../../../themes/dark-colorblind.yaml"),
    include_str!("../../../themes/light-colorblind.yaml"),
    include_str!("../../../themes/dark-16.yaml"),
    include_str!("../../../themes/light-16.yaml"),
    include_str!("../../../themes/mono.yaml"),
];

/// The text of a built-in theme.
pub(super) fn built_in(name: &str) -> Option<&'static str> {
    BUILT_IN.iter().zip(SOURCES).find(|(known, _)| **known == name).map(|(_, source)| source)
}

/// The folder of the user's themes, which need not exist.
pub(super) fn own_folder() -> Option<PathBuf> {
    places::own_settings().map(|folder| folder.join("themes"))
}

/// The names of all themes: the built-in ones, then the user's.
pub(super) fn names(own: Option<&Path>) -> Vec<String> {
    BUILT_IN.into_iter().map(str::to_owned).chain(own_files(own).into_iter().map(|(name, _)| name)).collect()
}

/// Names and paths of the user's themes, sorted by name. A file with the name of a built-in theme is left out: it can
/// only be selected by its path.
pub(super) fn own_files(own: Option<&Path>) -> Vec<(String, PathBuf)> {
    let entries = own.and_then(|own| own.read_dir().ok()).into_iter().flatten().flatten();
    let paths = entries.map(|entry| entry.path()).filter(|path| path.extension().is_some_and(|kind| kind == "yaml"));
    let named = |path: PathBuf| Some((path.file_stem()?.to_str()?.to_owned(), path));
    let mut files: Vec<_> = paths.filter_map(named).filter(|(name, _)| built_in(name).is_none()).collect();
    files.sort();
    files
}
