//! The files in an archive, which are found like files in a folder and read one by one.
//!
//! An archive is a zip file: an export of chats, the log of an evaluation. The path of a file in it continues the path
//! of the archive: `export.zip/conversations.json`.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use zip::read::ZipFile;
use zip::{CompressionMethod, ZipArchive};

use super::file::{self, FileKind, OpenedFile};
use super::intake::Intake;
use super::{CHUNK, FIRST_CHUNK, ReadStop, Sink};
use crate::text::spool::read_at;
use crate::text::steps;

/// The first bytes of a zip file that is not empty.
const MAGIC: &[u8] = b"PK\x03\x04";

/// A file in an archive, before its first byte is read.
pub(super) struct ArchivedFile {
    archive: Archive,
    index: usize,
}

pub(super) type Archive = ZipArchive<SharedFile>;

/// A file with several readers, each with its own offset.
#[derive(Clone)]
pub(super) struct SharedFile {
    file: Arc<File>,
    at: u64,
    len: u64,
}

/// The list of the files in an archive.
struct Directory {
    archive: Archive,
    /// Index of each path; the first one, if two files have the same path.
    indices: HashMap<PathBuf, usize>,
}

/// The directory that was read last, with the file it belongs to: the files of an archive are read one after another,
/// and each would otherwise read the directory again.
static LAST: Mutex<Option<(FileState, Arc<Directory>)>> = Mutex::new(None);

/// A file and its state: device, inode, length, and when it changed, in seconds and nanoseconds.
pub(super) type FileState = (u64, u64, u64, i64, i64);

/// The data of a file in an archive that a list needs.
pub(super) struct ArchivedHead {
    /// Its path within the archive.
    pub(super) path: PathBuf,
    /// Its size in bytes according to the archive.
    pub(super) size: u64,
    /// Its first bytes, or the reason why they cannot be read.
    pub(super) head: Result<Vec<u8>, String>,
}

impl ArchivedFile {
    /// The file at a path that continues the path of an archive; an error if the archive has no such file.
    pub(super) fn at(path: &Path) -> Option<Result<Self, String>> {
        let is_behind = |error: io::Error| error.kind() == io::ErrorKind::NotADirectory;
        if !fs::symlink_metadata(path).is_err_and(is_behind) {
            return None;
        }
        let outer = path.ancestors().find(|outer| outer.is_file())?;
        let inner = path.strip_prefix(outer).ok()?;
        is_archive(outer).then(|| Self::find(outer, inner))
    }

    pub(super) fn find(outer: &Path, inner: &Path) -> Result<Self, String> {
        let directory = Directory::read(outer)?;
        let index = *directory
            .indices
            .get(inner)
            .ok_or("no such file in the archive; run transcope ARCHIVE to list its files")?;
        Ok(Self { archive: directory.archive.clone(), index })
    }

    /// Decompresses the file to its end.
    pub(super) fn read(mut self, intake: &mut Intake, sink: &mut Sink<'_>) -> Result<(), ReadStop> {
        let mut file = entry(&mut self.archive, self.index).map_err(ReadStop::Failed)?;
        let mut buffer = vec![0; CHUNK];
        let mut room = FIRST_CHUNK;
        intake.expect_end();
        while intake.damage().is_none() {
            let read = file.read(&mut buffer[..room])?;
            if read == 0 {
                break;
            }
            intake.push(&buffer[..read], sink)?;
            room = CHUNK;
        }
        Ok(())
    }
}

pub(super) fn state_of(metadata: &fs::Metadata) -> FileState {
    (metadata.dev(), metadata.ino(), metadata.len(), metadata.mtime(), metadata.mtime_nsec())
}

/// True if the file at a path is an archive.
pub(super) fn is_archive(path: &Path) -> bool {
    file::open(path).is_ok_and(|opened| is_opened(&opened))
}

/// True if a file that begins with these bytes is an archive.
pub(super) fn is_head(head: &[u8]) -> bool {
    head.starts_with(MAGIC)
}

/// True if the opened file is an archive.
pub(super) fn is_opened(opened: &OpenedFile) -> bool {
    let mut first = [0; MAGIC.len()];
    opened.kind == FileKind::Regular && read_at(&opened.file, &mut first, 0).is_ok() && first == MAGIC
}

/// Passes the files in an archive to `sink` for as long as that returns true: at most `most` files, each with at most
/// `length` of its first bytes. True if there are more.
///
/// # Errors
/// The archive cannot be read, with the reason.
pub(super) fn walk(
    path: &Path,
    most: usize,
    length: usize,
    sink: &mut dyn FnMut(ArchivedHead) -> bool,
) -> Result<bool, String> {
    let mut archive = Directory::read(path)?.archive.clone();
    for index in 0..archive.len().min(most) {
        let Some((path, size)) = archive.by_index_raw(index).ok().and_then(|file| {
            // A name that points outside of the archive is ignored.
            Some((file.enclosed_name().filter(|_| file.is_file())?, file.size()))
        }) else {
            continue;
        };
        let mut head = Vec::new();
        let read = entry(&mut archive, index)
            .and_then(|file| file.take(length as u64).read_to_end(&mut head).map_err(|error| error.to_string()));
        if !sink(ArchivedHead { path, size, head: read.map(|_| head) }) {
            return Ok(false);
        }
    }
    Ok(archive.len() > most)
}

/// Opens a file in an archive and decompresses it; zstd is left compressed, since the intake decompresses it.
pub(super) fn entry(archive: &mut Archive, index: usize) -> Result<ZipFile<'_, SharedFile>, String> {
    let method = archive.by_index_raw(index).map(|file| file.compression());
    let is_zstd = method.is_ok_and(|method| method == CompressionMethod::ZSTD);
    let found = if is_zstd { archive.by_index_raw(index) } else { archive.by_index(index) };
    found.map_err(|error| error.to_string())
}

impl Directory {
    /// The directory of the archive at a path.
    ///
    /// # Errors
    /// The archive cannot be read, with the reason.
    fn read(path: &Path) -> Result<Arc<Self>, String> {
        let OpenedFile { file, metadata, .. } = file::open(path).map_err(|refusal| refusal.to_string())?;
        let state = state_of(&metadata);
        if let Some((_, known)) =
            LAST.lock().unwrap_or_else(PoisonError::into_inner).as_ref().filter(|last| last.0 == state)
        {
            return Ok(Arc::clone(known));
        }
        let file = SharedFile::new(file, metadata.len());
        let mut archive =
            ZipArchive::new(file).map_err(|error| format!("the archive is damaged or incomplete: {error}"))?;
        let mut indices = HashMap::with_capacity(archive.len());
        for index in 0..archive.len() {
            steps::add(1);
            // A name that points outside of the archive is ignored.
            if let Some(name) = archive.by_index_raw(index).ok().and_then(|file| file.enclosed_name()) {
                indices.entry(name).or_insert(index);
            }
        }
        let directory = Arc::new(Self { archive, indices });
        *LAST.lock().unwrap_or_else(PoisonError::into_inner) = Some((state, Arc::clone(&directory)));
        Ok(directory)
    }
}

impl SharedFile {
    pub(super) fn new(file: File, len: u64) -> Self {
        Self { file: Arc::new(file), at: 0, len }
    }
}

impl Read for SharedFile {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = read_at(&self.file, buffer, self.at)?;
        self.at += read as u64;
        Ok(read)
    }
}

impl Seek for SharedFile {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let (base, offset) = match to {
            SeekFrom::Start(at) => (at, 0),
            SeekFrom::End(offset) => (self.len, offset),
            SeekFrom::Current(offset) => (self.at, offset),
        };
        self.at = base.checked_add_signed(offset).ok_or(io::ErrorKind::InvalidInput)?;
        Ok(self.at)
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use ruzstd::encoding::{CompressionLevel, compress_to_vec};
    use zip::write::SimpleFileOptions;

    use super::*;
    use crate::source::{SourceSpec, is_folder, read_all};

    /// An archive with these files, in a temporary folder.
    fn archive(files: &[(&str, &[u8])]) -> (tempfile::TempDir, PathBuf) {
        write(files, SimpleFileOptions::default())
    }

    fn write(files: &[(&str, &[u8])], options: SimpleFileOptions) -> (tempfile::TempDir, PathBuf) {
        let directory = tempfile::tempdir().expect("a directory");
        let path = directory.path().join("export.zip");
        let mut writer = zip::ZipWriter::new(File::create(&path).expect("a file"));
        for (name, bytes) in files {
            writer.start_file(*name, options).expect("a name");
            writer.write_all(bytes).expect("it is written");
        }
        writer.finish().expect("it is written");
        (directory, path)
    }

    #[test]
    fn a_file_is_read_by_the_path_that_goes_on_behind_its_archive() {
        let long = b"x".repeat(CHUNK + 7);
        let (_directory, path) = archive(&[("a/one.json", b"{}\n"), ("long.txt", &long)]);
        let read = |inner: &str| read_all(&SourceSpec::File(path.join(inner))).map_err(|error| error.to_string());
        assert_eq!(read("a/one.json").as_deref(), Ok(&b"{}\n"[..]));
        assert_eq!(read("long.txt").as_deref(), Ok(&long[..]));
        let missing = read("a/two.json").expect_err("there is none");
        assert!(missing.contains("two.json: no such file in the archive"), "{missing}");
        let whole = read_all(&SourceSpec::File(path.clone())).expect_err("it is no text").to_string();
        assert!(whole.contains("it is an archive; name a file in it"), "{whole}");
        assert!(is_folder(&path) && !is_folder(&path.join("long.txt")));
    }

    #[test]
    fn an_archive_that_has_changed_is_read_again() {
        let (_directory, path) = archive(&[("a.json", b"{}"), ("b.json", b"[]")]);
        let read = |inner: &str| read_all(&SourceSpec::File(path.join(inner))).map_err(|error| error.to_string());
        assert_eq!((read("a.json").as_deref(), read("b.json").as_deref()), (Ok(&b"{}"[..]), Ok(&b"[]"[..])));
        let (_other, changed) = archive(&[("a.json", b"[1, 2, 3]")]);
        fs::rename(changed, &path).expect("it can be replaced");
        assert_eq!(read("a.json").as_deref(), Ok(&b"[1, 2, 3]"[..]));
        assert!(read("b.json").is_err());
    }

    /// An archive with one file that is compressed with zstd, like the logs of evaluations.
    fn zstd_archive(name: &str, text: &[u8]) -> (tempfile::TempDir, PathBuf) {
        let packed = compress_to_vec(text, CompressionLevel::Fastest);
        let stored = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
        let (directory, path) = write(&[(name, &packed)], stored);
        let mut bytes = fs::read(&path).expect("it was written");
        // The method is in the header of the file and in its entry in the directory.
        for (mark, method) in [(b"PK\x03\x04", 8), (b"PK\x01\x02", 10)] {
            let header = memchr::memmem::find(&bytes, mark).expect("there is a header");
            bytes[header + method] = 93;
        }
        fs::write(&path, bytes).expect("it can be written");
        (directory, path)
    }

    #[test]
    fn a_file_that_is_zstd_in_its_archive_is_decompressed() {
        let text = b"tide ".repeat(CHUNK);
        let (_directory, path) = zstd_archive("samples/one.json", &text);
        let read = read_all(&SourceSpec::File(path.join("samples/one.json"))).expect("it can be read");
        assert!(read == text, "{} bytes", read.len());
        let mut heads = Vec::new();
        let more = walk(&path, 9, 4, &mut |file| {
            heads.push((file.path, file.head));
            true
        });
        let zstd = vec![0x28, 0xb5, 0x2f, 0xfd];
        assert_eq!((heads, more), (vec![(PathBuf::from("samples/one.json"), Ok(zstd))], Ok(false)));
    }

    #[test]
    fn the_files_of_an_archive_are_found_with_their_first_bytes() {
        let (directory, path) = archive(&[("b.json", b"[1, 2]"), ("a/c.txt", b"hello"), ("../d.txt", b"out")]);
        let list = |path: &Path, most: usize| {
            let mut found = Vec::new();
            let more = walk(path, most, 3, &mut |file| {
                let head = file.head.expect("it can be read");
                found.push(format!("{} {} {}", file.path.display(), file.size, String::from_utf8_lossy(&head)));
                true
            });
            (found.join(", "), more)
        };
        assert_eq!(list(&path, 9), ("b.json 6 [1,, a/c.txt 5 hel".to_owned(), Ok(false)));
        assert_eq!(list(&path, 1), ("b.json 6 [1,".to_owned(), Ok(true)));
        let broken = directory.path().join("broken.zip");
        fs::write(&broken, MAGIC).expect("a file");
        let words = list(&broken, 9).1.expect_err("it is cut off");
        assert!(words.starts_with("the archive is damaged or incomplete: "), "{words}");
    }
}
