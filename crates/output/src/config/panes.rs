//! The sizes of panes that the user chose, remembered from one run to the next in the state folder.

use std::io::{self, Write as _};
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::system::made_folder::MadeFolders;
use crate::system::small_file;
use crate::system::whole_file::{self, IfExists};

/// Maximum size of the file, in bytes.
const MOST: u64 = 4096;

/// Pane sizes that the user chose, including borders; the other panes have their default size. The layout limits them,
/// so that no pane becomes too small to show anything.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct PaneSizes {
    /// Columns of the outline.
    pub outline: Option<u16>,
    /// Columns of the raw pane if it is next to the reading pane.
    pub raw: Option<u16>,
    /// Rows of the bottom pane.
    pub bottom: Option<u16>,
}

impl PaneSizes {
    /// The sizes of the last run; the default ones if the file does not hold any.
    pub fn read(path: &Path) -> Self {
        let read = small_file::read(path, MOST).unwrap_or_default();
        serde_json::from_slice(&read).unwrap_or_default()
    }

    /// Saves the sizes for the next run.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write(self, path: &Path) -> io::Result<()> {
        let _made = MadeFolders::new(path.parent().unwrap_or(Path::new(".")))?;
        let fill = |out: &mut whole_file::Filling<'_>| {
            serde_json::to_writer(&mut *out, &self)?;
            out.write_all(b"\n")
        };
        whole_file::write(path, IfExists::Replace, fill).map(drop)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_last_until_the_next_run_and_a_damaged_file_has_none() {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let path = folder.path().join("new/panes.json");
        assert_eq!(PaneSizes::read(&path), PaneSizes::default());
        let sizes = PaneSizes { outline: Some(61), raw: None, bottom: Some(9) };
        sizes.write(&path).expect("it can be written");
        assert_eq!(PaneSizes::read(&path), sizes);
        std::fs::write(&path, "{\"outline\": -1").expect("it can be written");
        assert_eq!(PaneSizes::read(&path), PaneSizes::default());
    }
}
