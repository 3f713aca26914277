//! A report or an archive as a new file: whole, or not there.
//!
//! This module does not know what is written.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

/// Writes a file that does not exist, beside its name first. Gives its size in bytes.
///
/// # Errors
/// The file exists, its folder does not, or writing fails; then there is no file.
pub fn create(path: &Path, write: impl FnOnce(&mut BufWriter<&mut File>) -> io::Result<()>) -> io::Result<u64> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut beside = tempfile::Builder::new();
    // It is to be read by whoever may read what a person writes there.
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        beside.permissions(std::fs::Permissions::from_mode(0o666));
    }
    let mut beside = beside.tempfile_in(folder)?;
    let mut out = BufWriter::new(beside.as_file_mut());
    write(&mut out).and_then(|()| out.flush())?;
    drop(out);
    let size = beside.as_file().metadata()?.len();
    beside.persist_noclobber(path).map_err(|error| error.error)?;
    Ok(size)
}
