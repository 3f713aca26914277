//! Where themes are kept: those that are built in, and the files in the person's own folder.

use std::path::{Path, PathBuf};

use crate::config::places;

/// The names of the themes that are known without a file.
pub const BUILT_IN: [&str; 7] = ["dark", "light", "dark-colorblind", "light-colorblind", "dark-16", "light-16", "mono"];

/// What is in their files.
const SOURCES: [&str; BUILT_IN.len()] = [
    include_str!("../../../themes/dark.yaml"),
    include_str!("../../../themes/light.yaml"),
    include_str!("../../../themes/dark-colorblind.yaml"),
    include_str!("../../../themes/light-colorblind.yaml"),
    include_str!("../../../themes/dark-16.yaml"),
    include_str!("../../../themes/light-16.yaml"),
    include_str!("../../../themes/mono.yaml"),
];

/// The file of a built-in theme.
pub(super) fn built_in(name: &str) -> Option<&'static str> {
    BUILT_IN.iter().zip(SOURCES).find(|(known, _)| **known == name).map(|(_, source)| source)
}

/// The folder of the person's own themes, which need not exist.
pub(super) fn own_folder() -> Option<PathBuf> {
    places::own_settings().map(|folder| folder.join("themes"))
}

/// The names by which themes are chosen: those that are built in, then the person's own.
pub(super) fn names(own: Option<&Path>) -> Vec<String> {
    BUILT_IN.into_iter().map(str::to_owned).chain(own_files(own).into_iter().map(|(name, _)| name)).collect()
}

/// Names and paths of the person's own themes by name. A file that has the name of a built-in one is none: it can be
/// chosen by its path alone.
pub(super) fn own_files(own: Option<&Path>) -> Vec<(String, PathBuf)> {
    let entries = own.and_then(|own| own.read_dir().ok()).into_iter().flatten().flatten();
    let paths = entries.map(|entry| entry.path()).filter(|path| path.extension().is_some_and(|kind| kind == "yaml"));
    let named = |path: PathBuf| Some((path.file_stem()?.to_str()?.to_owned(), path));
    let mut files: Vec<_> = paths.filter_map(named).filter(|(name, _)| built_in(name).is_none()).collect();
    files.sort();
    files
}
