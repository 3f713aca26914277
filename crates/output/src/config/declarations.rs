//! Finds declarations of dialects: in the user's folder, in the project's folder, and in named files.
//!
//! The user's are in `dialects/*.yaml` next to the configuration; a project's are in `.transcope/dialects/*.yaml` of
//! the working directory or of its nearest ancestor that has such a folder, up to the root of the repository or the
//! home directory. For equal names the later one counts: program, user, project, named file. The folder of a transcript
//! is never searched.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, Result, anyhow, bail, ensure};

use super::places;
use crate::diagnostic::Diagnostic;
use crate::dialect::declared::{self, Declaration, declaration};
use crate::system::small_file;

/// Maximum number of declarations in one folder, and of those named together.
pub(crate) const MAX_FILES: usize = 256;

/// Extension of declaration files.
const EXTENSION: &str = "yaml";

/// A project's folder of declarations, relative to its root.
const PROJECT: &str = ".transcope";

/// The folders of declarations of a kind (`dialects`, `containers`): the user's, and that of the project around the
/// working directory.
pub(super) fn folders(kind: &str) -> impl Iterator<Item = PathBuf> {
    let own = places::own_settings().map(|folder| folder.join(kind));
    let working = std::env::current_dir().ok();
    let project = working.and_then(|working| project_folder(&working, home().as_deref(), kind));
    own.into_iter().chain(project)
}

/// The declarations found; a later one replaces an earlier one of the same name.
#[derive(Clone, Debug, Default)]
pub(crate) struct Declarations {
    /// In the order of their first occurrence.
    pub(crate) found: Vec<Arc<Declaration>>,
    /// Reasons why files were left out.
    pub(crate) warnings: Vec<String>,
}

impl Declarations {
    /// The declarations of the user, and of the project around the working directory.
    pub(crate) fn from_folders() -> Self {
        let mut all = Self::default();
        folders("dialects").for_each(|folder| all.add_folder(&folder));
        all
    }

    /// Adds the declarations of a folder, which need not exist. Unusable ones become warnings.
    fn add_folder(&mut self, folder: &Path) {
        let mut files = match files(folder) {
            Ok(files) => files,
            Err(error) => {
                self.warnings.push(format!("could not read the folder {}: {error}", folder.display()));
                return;
            }
        };
        if files.len() > MAX_FILES {
            self.warnings
                .push(format!("{} has more than {MAX_FILES} dialects: the rest is left out", folder.display()));
            files.truncate(MAX_FILES);
        }
        for path in files {
            match read(&path) {
                Ok(declaration) => add(&mut self.found, declaration),
                Err(error) => self.warnings.push(format!("left out a dialect: {error:#}")),
            }
        }
    }
}

/// Adds a declaration, or replaces the one of the same name.
pub fn add(known: &mut Vec<Arc<Declaration>>, declaration: Arc<Declaration>) {
    match known.iter_mut().find(|known| known.info.name == declaration.info.name) {
        Some(earlier) => *earlier = declaration,
        None => known.push(declaration),
    }
}

/// Reads the declaration in a file.
///
/// # Errors
/// The file cannot be read or has a problem. The error names file, line and column of the first one.
pub(crate) fn read(path: &Path) -> Result<Arc<Declaration>> {
    let name = path.display().to_string();
    let yaml = read_text(path).with_context(|| format!("could not read the dialect file {name}"))?;
    let mut declaration = parse(&name, &yaml)?;
    if let Some(new) = Arc::get_mut(&mut declaration) {
        new.file = Some(path.to_path_buf());
    }
    ensure!(declaration.info.name != "auto", "could not use the dialect file {name}: no dialect is called auto");
    Ok(declaration)
}

/// Reads the text of a file, up to the maximum size of a declaration.
///
/// # Errors
/// It cannot be read, is too long, or is not UTF-8.
pub fn read_text(path: &Path) -> Result<String> {
    let is_json = path.extension().is_some_and(|extension| extension == "json");
    let most = if is_json { declared::MAX_JSON_BYTES } else { declaration::MAX_BYTES } as u64;
    let bytes = small_file::read(path, most)?;
    String::from_utf8(bytes).map_err(|_| anyhow!("it is not valid UTF-8"))
}

/// The stem of the file name, the default name of a dialect.
fn stem(name: &str) -> &str {
    Path::new(name).file_stem().and_then(OsStr::to_str).unwrap_or(name)
}

/// Parses a declaration.
///
/// # Errors
/// The text has a problem. The error says `name`, line and column of the first one, and what to do.
pub fn parse(name: &str, yaml: &str) -> Result<Arc<Declaration>> {
    let problems = match declared::read(yaml, stem(name)) {
        Ok(declaration) => return Ok(Arc::new(declaration)),
        Err(problems) => problems,
    };
    bail!("could not use the dialect file {name}{}", first_fault(&problems, yaml))
}

/// Place and message of the first problem of a declaration, to be appended to the name of its file.
pub(super) fn first_fault(problems: &[Diagnostic], yaml: &str) -> String {
    // A mistyped key makes others missing, so a problem with a remedy is reported first.
    let first = problems.iter().find(|problem| problem.remedy.is_some()).or(problems.first());
    let Some(first) = first else { return String::new() };
    let before = yaml.get(..first.span.start).unwrap_or(yaml);
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    format!(":{line}:{column}: {}; {}", first.message, first.help_text())
}

/// The sorted declaration files in a folder; none if the folder does not exist.
pub(super) fn files(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let mut files = Vec::new();
    for entry in entries {
        let path = entry?.path();
        // Opening anything else, such as a pipe, could block.
        if path.extension().is_some_and(|extension| extension == EXTENSION) && path.is_file() {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

/// The canonical home directory of the user.
fn home() -> Option<PathBuf> {
    let home = etcetera::home_dir().ok()?;
    Some(fs::canonicalize(&home).unwrap_or(home))
}

/// The folder with the declarations of the project around `working`. The search ends at the root of a repository or at the
/// home directory. Outside both only `working` itself is searched: a world-writable ancestor such as `/tmp` belongs to
/// no project.
fn project_folder(working: &Path, home: Option<&Path>, kind: &str) -> Option<PathBuf> {
    let is_top = |folder: &Path| Some(folder) == home || folder.join(".git").exists();
    let top = working.ancestors().position(is_top).unwrap_or(0);
    let mut folders = working.ancestors().take(top + 1).map(|folder| folder.join(PROJECT).join(kind));
    folders.find(|folder| folder.is_dir())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_folder_of_a_project_counts_up_to_its_top() {
        for (folders, working, expected) in [
            (&["a/.git", "a/.transcope/dialects", "a/b/c"][..], "a/b/c", Some("a")),
            (&["a/.git", "a/.transcope/dialects", "a/b/.transcope/dialects"], "a/b", Some("a/b")),
            (&[".transcope/dialects", "a/.git", "a/b"], "a/b", None),
            (&[".transcope/dialects", "home/a/b", "home/.transcope/dialects"], "home/a/b", Some("home")),
            (&[".transcope/dialects", "home/a", "home"], "home/a", None),
            (&[".transcope/dialects", "other/a"], "other/a", None),
            (&["other/a/.transcope/dialects"], "other/a", Some("other/a")),
        ] {
            let root = tempfile::tempdir().expect("a folder can be made");
            for folder in folders {
                fs::create_dir_all(root.path().join(folder)).expect("a folder can be made");
            }
            let found = project_folder(&root.path().join(working), Some(&root.path().join("home")), "dialects");
            let expected = expected.map(|expected| root.path().join(expected).join(PROJECT).join("dialects"));
            assert_eq!(found, expected, "{folders:?} from {working}");
        }
    }

    #[test]
    fn what_is_wrong_first_is_told_with_its_place() {
        for (yaml, expected) in [
            ("dialect: a\nexample: x\ncall:\n  opne: <a>\n", "x.yaml:4:3: unknown: opne; "),
            ("- a\n", "x.yaml:1:1: "),
            ("", "x.yaml:1:1: "),
        ] {
            let error = parse("x.yaml", yaml).expect_err("it is faulty").to_string();
            assert!(error.starts_with("could not use the dialect file "), "{error}");
            assert!(error.contains(expected), "{yaml:?}: {error}");
        }
    }
}
