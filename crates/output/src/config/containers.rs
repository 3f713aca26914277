//! Finds declarations of containers: in the user's folder, in the project's folder, and in named files.
//!
//! The folders are `containers/*.yaml` next to the configuration and `.transcope/containers/*.yaml` of the project, found
//! like the folders of dialects (`config/declarations`). For equal names the later one counts: program, user, project, named
//! file.

use std::path::Path;

use anyhow::{Context, Result, anyhow, bail};

use super::declarations::{MAX_FILES, files, first_fault, folders};
use crate::container::ContainerInfo;
use crate::container::declared::{ContainerDeclaration, MAX_BYTES};
use crate::system::small_file;

/// The containers found, and reasons why files were left out.
#[derive(Clone, Debug, Default)]
pub(crate) struct DeclaredContainers {
    pub(crate) found: Vec<&'static ContainerInfo>,
    pub(crate) warnings: Vec<String>,
}

impl DeclaredContainers {
    /// The containers that the user and the project around the working directory declare.
    pub(crate) fn from_folders() -> Self {
        let mut all = Self::default();
        for folder in folders("containers") {
            let files = files(&folder).unwrap_or_else(|error| {
                all.warnings.push(format!("could not read the folder {}: {error}", folder.display()));
                Vec::new()
            });
            for path in files.into_iter().take(MAX_FILES) {
                match read(&path) {
                    Ok(container) => add(&mut all.found, container),
                    Err(error) => all.warnings.push(format!("left out a container: {error:#}")),
                }
            }
        }
        all
    }
}

/// Adds a container, or replaces the one of the same name.
pub fn add(known: &mut Vec<&'static ContainerInfo>, container: &'static ContainerInfo) {
    match known.iter_mut().find(|known| known.name == container.name) {
        Some(earlier) => *earlier = container,
        None => known.push(container),
    }
}

/// Reads the declaration in a file.
///
/// # Errors
/// The file cannot be read or has a problem. The error names file, line and column of the first one.
pub(crate) fn read(path: &Path) -> Result<&'static ContainerInfo> {
    let name = path.display().to_string();
    let yaml = read_text(path).with_context(|| format!("could not read the container file {name}"))?;
    parse(&name, &yaml, Some(path))
}

/// Reads the text of a file, up to the maximum size of a declaration.
///
/// # Errors
/// It cannot be read, is too long, or is not UTF-8.
pub fn read_text(path: &Path) -> Result<String> {
    let bytes = small_file::read(path, MAX_BYTES as u64)?;
    String::from_utf8(bytes).map_err(|_| anyhow!("it is not valid UTF-8"))
}

/// Parses a declaration; `name` is the file's in messages.
///
/// # Errors
/// The text has a problem. The error says `name`, line and column of the first one, and what to do.
pub fn parse(name: &str, yaml: &str, file: Option<&Path>) -> Result<&'static ContainerInfo> {
    match ContainerDeclaration::parse(yaml) {
        Ok(mut declaration) => {
            declaration.file = file.map(Path::to_path_buf);
            Ok(declaration.container())
        }
        Err(problems) => bail!("could not use the container file {name}{}", first_fault(&problems, yaml)),
    }
}
