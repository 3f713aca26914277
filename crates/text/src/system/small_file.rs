//! Files that are read whole because they are small: settings, themes, declarations. A file that is too large, or
//! endless, is an error before it fills the memory.

use std::fs::File;
use std::io::{self, ErrorKind, Read as _};
use std::path::Path;

use super::disk::{Operation, attempt};

/// Reads a file that a user names, which may be a pipe or a device.
///
/// # Errors
/// Errors of the system; [`ErrorKind::FileTooLarge`] if there are more than `most` bytes.
pub fn read(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    attempt(Operation::Open, || File::open(path))?.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        return Err(io::Error::new(ErrorKind::FileTooLarge, format!("it is larger than {most} bytes")));
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_file_is_read_up_to_its_limit() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("file");
        fs::write(&path, "12345").expect("a test may write");
        assert_eq!(read(&path, 5).expect("it is small"), b"12345");
        assert_eq!(read(&path, 4).expect_err("it is large").kind(), ErrorKind::FileTooLarge);
        assert_eq!(read(&folder.path().join("none"), 4).expect_err("there is none").kind(), ErrorKind::NotFound);
        assert_eq!(read(Path::new("/dev/zero"), 4).expect_err("no end").kind(), ErrorKind::FileTooLarge);
    }
}
