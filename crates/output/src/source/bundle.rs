//! Bundles: archives with a transcript and everything needed to read it in the same way as the sender.
//!
//! A bundle opens as its transcript, with the settings it contains. Its manifest distinguishes it from other archives.

use std::collections::BTreeMap;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

use serde::{Deserialize, Serialize};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

use super::{archive, file};

/// The version of the bundle format; rises when a file in it changes its meaning.
pub const BUNDLE_VERSION: u32 = 1;

/// The name of the file that describes the others.
pub const MANIFEST: &str = "manifest.json";

/// The name of the file with the settings that the transcript was read with.
pub const SETTINGS: &str = "settings.json";

/// The name of the file with the schemas that parameters were checked against.
pub const SCHEMAS: &str = "schemas.json";

/// The name of the file with the problems of the transcript, as printed by `check --format json`.
pub const PROBLEMS: &str = "problems.json";

/// The name of the file with the user's notes on the transcript, in the format of notes.
pub const NOTES: &str = "notes.yaml";

/// Maximum size in bytes of a file in a bundle that is read into memory.
const LONGEST: u64 = 16 << 20;

/// The description of a bundle.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// The version of the bundle format: [`BUNDLE_VERSION`].
    pub bundle: u32,
    /// The version of the program that wrote it.
    pub transcope: String,
    /// The version of the schemas of its JSON files.
    pub schema_version: u32,
    /// The original name of the transcript, redacted.
    pub name: String,
    /// The name of the file in the bundle that is the transcript.
    pub transcript: String,
    /// Size of the original in bytes.
    pub bytes: usize,
    /// SHA-256 of the original in hexadecimal.
    pub sha256: String,
    /// Number of replacements by kind; `None` if redaction was turned off.
    pub redacted: Option<BTreeMap<String, usize>>,
}

impl Manifest {
    /// The manifest of the bundle at a path; `None` if it is not a bundle or has an unknown version.
    pub fn read(path: &Path) -> Option<Self> {
        let manifest = member(path, MANIFEST)?;
        let manifest: Self = serde_json::from_slice(&manifest).ok()?;
        (manifest.bundle == BUNDLE_VERSION).then_some(manifest)
    }
}

/// A file in the archive at a path; `None` if it does not exist or is larger than 16 MiB.
pub(crate) fn member(path: &Path, name: &str) -> Option<Vec<u8>> {
    if !archive::is_archive(path) {
        return None;
    }
    let mut archive = ZipArchive::new(file::open(path).ok()?.file).ok()?;
    let mut bytes = Vec::new();
    archive.by_name(name).ok()?.take(LONGEST + 1).read_to_end(&mut bytes).ok()?;
    (bytes.len() as u64 <= LONGEST).then_some(bytes)
}

/// Writes an archive with these files, each with its name.
///
/// # Errors
/// One of them cannot be read, or the archive cannot be written.
pub fn write<W: Write + Seek>(out: W, files: &mut [(&str, &mut dyn Read)]) -> io::Result<()> {
    let mut out = FirstFailure { out, failure: None, place: 0, end: 0 };
    let written = write_files(&mut out, files);
    match out.failure {
        Some(failure) => Err(failure),
        None => written,
    }
}

fn write_files<W: Write + Seek>(out: &mut FirstFailure<W>, files: &mut [(&str, &mut dyn Read)]) -> io::Result<()> {
    let mut writer = ZipWriter::new(out);
    // It contains no times, so that the same files make the same archive.
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated).large_file(true);
    for (name, bytes) in files {
        writer.start_file(*name, options)?;
        io::copy(*bytes, &mut writer)?;
    }
    writer.finish()?.flush()
}

/// Calls `give` for each file of an archive, with its name, until it fails.
///
/// # Errors
/// The archive cannot be read, or `give` fails.
pub fn for_each_member(
    archive: impl Read + Seek,
    mut give: impl FnMut(&str, &mut dyn Read) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let mut archive = ZipArchive::new(archive)?;
    for index in 0..archive.len() {
        let mut file = archive.by_index(index)?;
        let name = file.name().unwrap_or_default().into_owned();
        give(&name, &mut file)?;
    }
    Ok(())
}

/// Keeps the first error and pretends that everything after it succeeds: the zip writer would otherwise reword an
/// error, and print one that occurs on drop.
struct FirstFailure<W> {
    out: W,
    failure: Option<io::Error>,
    /// Offset of the next byte, and the end of the output; both count as if nothing had failed.
    place: u64,
    end: u64,
}

impl<W> FirstFailure<W> {
    /// The outcome of an operation on the output, or `otherwise` if this or an earlier one failed.
    fn attempt<T>(&mut self, otherwise: T, work: impl FnOnce(&mut W) -> io::Result<T>) -> io::Result<T> {
        if self.failure.is_some() {
            return Ok(otherwise);
        }
        match work(&mut self.out) {
            Err(error) if error.kind() != io::ErrorKind::Interrupted => {
                self.failure = Some(error);
                Ok(otherwise)
            }
            outcome => outcome,
        }
    }
}

impl<W: Write> Write for FirstFailure<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.attempt(bytes.len(), |out| out.write(bytes))?;
        self.place += written as u64;
        self.end = self.end.max(self.place);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.attempt((), Write::flush)
    }
}

impl<W: Seek> Seek for FirstFailure<W> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let place = match to {
            SeekFrom::Start(place) => Some(place),
            SeekFrom::Current(by) => self.place.checked_add_signed(by),
            SeekFrom::End(by) => self.end.checked_add_signed(by),
        };
        self.place = self.attempt(place.unwrap_or(self.place), |out| out.seek(to))?;
        Ok(self.place)
    }
}

/// The transcript of a bundle, before it is read.
pub(super) fn transcript_of(path: &Path) -> Option<(Manifest, Result<archive::ArchivedFile, String>)> {
    let manifest = Manifest::read(path)?;
    let inner = archive::ArchivedFile::find(path, Path::new(&manifest.transcript));
    Some((manifest, inner))
}

#[cfg(test)]
mod tests {
    use std::fs::File;

    use super::*;
    use crate::source::{Follow, SourceSpec, is_folder, open, read_all};

    fn manifest(version: u32) -> Vec<u8> {
        let manifest = Manifest {
            bundle: version,
            transcope: "0".into(),
            schema_version: 1,
            name: "a.md".into(),
            transcript: "transcript.md".into(),
            bytes: 3,
            sha256: String::new(),
            redacted: None,
        };
        serde_json::to_vec(&manifest).expect("it is plain")
    }

    fn bundle(files: &[(&str, &[u8])]) -> (tempfile::TempDir, std::path::PathBuf) {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let path = folder.path().join("a.zip");
        let mut readers: Vec<(&str, &[u8])> = files.to_vec();
        let mut files: Vec<(&str, &mut dyn Read)> =
            readers.iter_mut().map(|(name, bytes)| (*name, bytes as &mut dyn Read)).collect();
        write(File::create(&path).expect("a file can be made"), &mut files).expect("it is written");
        (folder, path)
    }

    #[test]
    fn a_bundle_opens_as_its_transcript() {
        let (_folder, path) = bundle(&[(MANIFEST, &manifest(1)), ("transcript.md", b"Hi.\n")]);
        assert!(!is_folder(&path));
        let spec = SourceSpec::File(path.clone());
        assert_eq!(read_all(&spec).expect("it can be read"), b"Hi.\n");
        assert_eq!(open(&spec, Follow::No, |_| false).expect("it opens").name, "bundle of a.md");
        assert_eq!(member(&path, SETTINGS), None);
    }

    #[test]
    fn an_archive_without_a_manifest_that_is_known_is_none() {
        for files in [&[("a.md", &b"Hi.\n"[..])][..], &[(MANIFEST, b"{}")], &[(MANIFEST, &manifest(2))]] {
            let (_folder, path) = bundle(files);
            assert!(is_folder(&path) && Manifest::read(&path).is_none(), "{files:?}");
        }
        let (_folder, path) = bundle(&[(MANIFEST, &manifest(1))]);
        let error = read_all(&SourceSpec::File(path)).expect_err("it has no transcript").to_string();
        assert!(error.contains("a.zip: no such file in the archive"), "{error}");
    }
}
