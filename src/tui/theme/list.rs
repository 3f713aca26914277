//! The list of available themes with their descriptions.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::store::{BUILT_IN, own_files, own_folder};
use super::{Theme, file};
use crate::text::sanitize::visible_str;

/// A theme in the list.
pub struct ListedTheme {
    /// The name to select it with.
    pub name: String,
    /// Its file, if it is not built in.
    pub path: Option<PathBuf>,
    /// The theme, or why it cannot be used.
    pub theme: anyhow::Result<Theme>,
}

impl ListedTheme {
    /// Its one-line description, or why it cannot be used.
    pub fn about(&self) -> String {
        match &self.theme {
            Ok(theme) => theme.about.clone(),
            Err(error) => format!("cannot be used: {:#}", error.root_cause()),
        }
    }
}

/// All themes: the built-in ones, then the user's sorted by name.
pub fn all() -> Vec<ListedTheme> {
    listed(own_folder().as_deref())
}

/// Name and description of each theme that can be used.
pub fn named() -> Vec<(String, String)> {
    let usable = all().into_iter().filter(|listed| listed.theme.is_ok());
    usable.map(|listed| (listed.name.clone(), listed.about())).collect()
}

/// Name and description of each built-in theme.
pub fn built_in() -> Vec<(String, String)> {
    listed(None).iter().map(|listed| (listed.name.clone(), listed.about())).collect()
}

fn listed(own: Option<&Path>) -> Vec<ListedTheme> {
    let built_in = BUILT_IN.map(|name| ListedTheme { name: name.to_owned(), path: None, theme: Theme::named(name) });
    let mine = own_files(own).into_iter().map(|(name, path)| {
        let theme = file::read(&path, own);
        ListedTheme { name, path: Some(path), theme }
    });
    built_in.into_iter().chain(mine).collect()
}

/// Writes a line for each theme: name, description, and origin.
pub fn write<W: Write>(out: &mut W) -> io::Result<()> {
    let lines: Vec<[String; 3]> = all()
        .iter()
        .map(|listed| {
            let origin = listed.path.as_ref().map_or_else(|| "built in".to_owned(), |path| path.display().to_string());
            [&listed.name, &listed.about(), &origin].map(|words| visible_str(words).into_owned())
        })
        .collect();
    let widest = |column: usize| lines.iter().map(|line| line[column].chars().count()).max().unwrap_or(0);
    let (name, about) = (widest(0), widest(1));
    lines.iter().try_for_each(|line| writeln!(out, "{:<name$}  {:<about$}  {}", line[0], line[1], line[2]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_themes_stand_behind_those_that_are_built_in_and_a_broken_one_says_why() {
        let folder = tempfile::tempdir().expect("a folder");
        for (name, text) in [
            ("zebra.yaml", "name: zebra\nabout: black and white\nextends: mono"),
            ("broken.yaml", "name: broken\nextends: nothing"),
            ("dark.yaml", "name: dark\nextends: light"),
            ("notes.txt", "no theme"),
        ] {
            std::fs::write(folder.path().join(name), text).expect("a file");
        }
        let listed = listed(Some(folder.path()));
        let mine: Vec<(&str, String)> =
            listed[BUILT_IN.len()..].iter().map(|listed| (listed.name.as_str(), listed.about())).collect();
        let [(broken, why), zebra] = mine.as_slice() else { panic!("{mine:?}") };
        assert_eq!((*broken, zebra), ("broken", &("zebra", "black and white".to_owned())));
        assert!(why.starts_with("cannot be used: unknown theme nothing"), "{why}");
        for theme in &listed[..BUILT_IN.len()] {
            assert!((10..=70).contains(&theme.about().len()), "{}: {:?}", theme.name, theme.about());
        }
    }
}
