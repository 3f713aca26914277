//! What `doctor` lists of this machine: folders of declarations, files that the program remembers, and places of agents.

use std::fs;
use std::path::{Path, PathBuf};

use super::agents::Agent;
use super::{containers, declarations, places};

/// A folder of declarations, and how many of its files can be used.
#[derive(Debug)]
pub struct DeclaredFolder {
    /// The kind: `dialects` or `containers`.
    pub kind: &'static str,
    /// The folder, which need not exist.
    pub path: PathBuf,
    /// Names declared by the files that can be used.
    pub names: Vec<String>,
    /// Why each of the other files cannot be used, or the folder cannot be read.
    pub faults: Vec<String>,
}

/// The folders of declarations of the user, and of the project around the working directory.
pub fn declared_folders() -> Vec<DeclaredFolder> {
    let of_kind = |kind: &'static str| declarations::folders(kind).map(move |path| DeclaredFolder::read(kind, path));
    of_kind("dialects").chain(of_kind("containers")).collect()
}

impl DeclaredFolder {
    fn read(kind: &'static str, path: PathBuf) -> Self {
        let files = match declarations::files(&path) {
            Ok(files) => files,
            Err(error) => {
                let fault = format!("could not read the folder {}: {error}", path.display());
                return Self { kind, path, names: Vec::new(), faults: vec![fault] };
            }
        };
        let parse = |path: &PathBuf| match kind {
            "dialects" => declarations::read(path).map(|declaration| declaration.info.name.to_owned()),
            _ => containers::read(path).map(|container| container.name.to_owned()),
        };
        let (mut names, mut faults) = (Vec::new(), Vec::new());
        for path in files.iter().take(declarations::MAX_FILES) {
            match parse(path) {
                Ok(name) => names.push(name),
                Err(error) => faults.push(format!("{error:#}")),
            }
        }
        Self { kind, path, names, faults }
    }
}

/// The folder where the program remembers sizes of panes, places of indexes and notes on read-only folders, and the number of
/// entries in it. `None` if the system has no such place.
///
/// # Errors
/// The folder exists and cannot be read.
pub fn remembered() -> Option<(PathBuf, std::io::Result<usize>)> {
    let folder = places::own_panes()?.parent()?.to_path_buf();
    let entries = match fs::read_dir(&folder) {
        Ok(entries) => Ok(entries.count()),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(0),
        Err(error) => Err(error),
    };
    Some((folder, entries))
}

/// The agent that records sessions at a place, and the place, for all places on this machine that can be read. A database
/// can be read only by a build with SQLite.
pub fn agent_places() -> Vec<(&'static Agent, PathBuf)> {
    let known = places::AgentPlaces::new();
    let found = places::recorded().into_iter();
    found.filter_map(|path| Some((known.agent_at(&path)?, path))).collect()
}

/// Databases of agents on this machine that this build cannot read.
pub fn unread_databases() -> Vec<PathBuf> {
    if cfg!(feature = "sqlite") { Vec::new() } else { places::recorded_files(&|path| has_database_name(path)) }
}

fn has_database_name(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "db")
}
