//! Folders that are created for a file, and removed again if they stay empty.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The folders that were created for a path. Dropping this removes the empty ones.
#[derive(Debug, Default)]
#[must_use = "a folder that is still empty is removed when this is dropped"]
pub struct MadeFolders {
    /// From the outermost to the innermost.
    made: Vec<PathBuf>,
}

impl MadeFolders {
    /// Creates a folder and its missing parents.
    ///
    /// # Errors
    /// One of them cannot be created; then none is left.
    pub fn new(folder: &Path) -> io::Result<Self> {
        let missing = folder.ancestors().take_while(|folder| !folder.as_os_str().is_empty() && !folder.exists());
        let missing: Vec<&Path> = missing.collect();
        let mut folders = Self::default();
        for folder in missing.into_iter().rev() {
            match fs::create_dir(folder) {
                Ok(()) => folders.made.push(folder.to_path_buf()),
                // Another process was faster, and decides whether to keep it.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists && folder.is_dir() => {}
                Err(error) => return Err(error),
            }
        }
        Ok(folders)
    }

    /// True if at least the innermost folder was created.
    pub fn is_new(&self) -> bool {
        !self.made.is_empty()
    }
}

impl Drop for MadeFolders {
    fn drop(&mut self) {
        // A folder that is not empty cannot be removed.
        self.made.iter().rev().take_while(|folder| fs::remove_dir(folder).is_ok()).for_each(drop);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_stay_as_long_as_something_is_in_them() {
        let top = tempfile::tempdir().expect("a folder");
        let at = |path: &str| top.path().join(path);
        let made = MadeFolders::new(&at("a/b/c")).expect("it can be made");
        assert!(made.is_new() && at("a/b/c").is_dir());
        drop(made);
        assert!(!at("a").exists());
        let made = MadeFolders::new(&at("a/b/c")).expect("it can be made");
        fs::write(at("a/b/file"), "").expect("a test may write");
        drop(made);
        assert!(at("a/b").is_dir() && !at("a/b/c").exists());
        let made = MadeFolders::new(&at("a/b")).expect("it is there");
        assert!(!made.is_new());
        drop(made);
        assert!(at("a/b").is_dir());
        MadeFolders::new(&at("a/b/file/d")).expect_err("a file is no folder");
        MadeFolders::new(&at(&format!("new/{}", "x".repeat(300)))).expect_err("a name is too long");
        assert!(!at("new").exists());
    }
}
