//! Bundles: an archive with a transcript and what is needed to read it as whoever packed it did.
//!
//! A bundle opens as its transcript, with the settings that are in it. What tells it from any other archive is its
//! manifest.

use std::collections::BTreeMap;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

use serde::{Deserialize, Serialize};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

use super::{archive, file};

/// The version of what a bundle holds; rises when a file in it changes its meaning.
pub const BUNDLE_VERSION: u32 = 1;

/// The name of the file that tells what the others are.
pub const MANIFEST: &str = "manifest.json";

/// The name of the settings by which the transcript was read.
pub const SETTINGS: &str = "settings.json";

/// The name of the schemas by which parameters were judged.
pub const SCHEMAS: &str = "schemas.json";

/// The name of the problems of the transcript, as `check --format json` prints them.
pub const PROBLEMS: &str = "problems.json";

/// The name of the notes of a person on the transcript, as their file has them.
pub const NOTES: &str = "notes.yaml";

/// The most bytes of a file in a bundle that is read into memory.
const LONGEST: u64 = 16 << 20;

/// What a bundle says of itself.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// The version of what it holds: [`BUNDLE_VERSION`].
    pub bundle: u32,
    /// The version of the program that wrote it.
    pub transcope: String,
    /// The version of the shapes of its JSON.
    pub schema_version: u32,
    /// What the transcript was called, redacted.
    pub name: String,
    /// The file in the bundle that is the transcript.
    pub transcript: String,
    /// The bytes of the original.
    pub bytes: usize,
    /// The SHA-256 of the original, in digits of base 16.
    pub sha256: String,
    /// What was replaced, by kind; nothing where that was forbidden.
    pub redacted: Option<BTreeMap<String, usize>>,
}

impl Manifest {
    /// What the bundle at a path says of itself; none where there is no bundle of a version that is known.
    pub fn read(path: &Path) -> Option<Self> {
        let manifest = member(path, MANIFEST)?;
        let manifest: Self = serde_json::from_slice(&manifest).ok()?;
        (manifest.bundle == BUNDLE_VERSION).then_some(manifest)
    }
}

/// A file in the archive at a path; none where there is none, or where it is too large to be what it should be.
pub fn member(path: &Path, name: &str) -> Option<Vec<u8>> {
    if !archive::is_archive(path) {
        return None;
    }
    let mut archive = ZipArchive::new(file::open(path).ok()?.file).ok()?;
    let mut bytes = Vec::new();
    archive.by_name(name).ok()?.take(LONGEST + 1).read_to_end(&mut bytes).ok()?;
    (bytes.len() as u64 <= LONGEST).then_some(bytes)
}

/// Writes an archive with these files, each by its name.
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
    // No time stands in it, so that the same files make the same archive.
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated).large_file(true);
    for (name, bytes) in files {
        writer.start_file(*name, options)?;
        io::copy(*bytes, &mut writer)?;
    }
    writer.finish()?.flush()
}

/// Gives each file of an archive with its name to `give`, until that fails.
///
/// # Errors
/// The archive cannot be read, or those of `give`.
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

/// Keeps the first failure and takes everything after it: the writer of archives would put a failure into its own words,
/// and print one that comes when it is dropped.
struct FirstFailure<W> {
    out: W,
    failure: Option<io::Error>,
    /// Where the next byte would go, and where the last one is; both count as if nothing had failed.
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

/// The file of a transcript in a bundle, before it is read.
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
