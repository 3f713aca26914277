//! `bundle`: writes an archive with a transcript and everything needed to read it, and the text of an issue.
//!
//! Everything in the archive is made from the redacted text, so a secret can remain in one place only.
//! [`crate::config::bundle`] opens archives.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, BufWriter, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Context, anyhow, bail};
use clap::{Args, ValueEnum};
use serde_json::json;
use sha2::{Digest, Sha256};

use super::check;
use super::export::tell_redacted;
use super::options::CommonArgs;
use super::outcome::{ExitStatus, print_to_stderr};
use super::transcript::read_path;
use crate::config::{ReadOptions, Setup};
use crate::container::Container;
use crate::diagnostic::Code;
use crate::dialect::Options;
use crate::export::baseline::CheckedFile;
use crate::export::issue::{self, Attachment};
use crate::export::record::SCHEMA_VERSION;
use crate::notes::{Note, NoteEdit, NoteList, NotePlace};
use crate::redact::{Redactor, leak_message};
use crate::session::Session;
use crate::source::bundle::{self, BUNDLE_VERSION, MANIFEST, Manifest, NOTES, PROBLEMS, SCHEMAS, SETTINGS};
use crate::system::whole_file::{self, IfExists};
use crate::text::store::Backing;
use crate::text::{Span, Text};
use crate::value::schema::Schemas;

/// Pack a redacted transcript with what is needed to read it, to share
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  transcope bundle session.jsonl
  transcope bundle --for issue session.jsonl > issue.md
  transcope session.transcope.zip      open it again; every other command reads it, too

A bundle is a zip file with the transcript, redacted as export --redact does it, the settings with which
it is read (dialects, markers, container, schemas), your notes on it, its problems as JSON, and a
manifest with versions and the SHA-256 of the original. It is read with these settings and not with
your own. What was replaced is listed before it is written; review it before sharing. The archive is
opened again first, and refused if anything that was found is still in it. An existing file is never
overwritten.")]
pub struct BundleArgs {
    /// Transcript; - is standard input
    path: PathBuf,
    /// Output file, which must not exist [default: NAME.transcope.zip]
    #[arg(short, long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Also print Markdown: what is wrong, and how to see it
    #[arg(long = "for", value_enum, value_name = "WHAT")]
    purpose: Option<Purpose>,
    /// Keep secrets, mail addresses, private hosts and names of users
    #[arg(long)]
    no_redact: bool,
    #[command(flatten)]
    pub(super) common: CommonArgs,
}

/// The purpose of a bundle.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Purpose {
    /// A ticket in an issue tracker
    Issue,
}

/// Bytes copied at a time.
const CHUNK: usize = 256 * 1024;

/// Maximum number of redaction passes: a replacement may expose something that it hid.
const MOST_ROUNDS: usize = 3;

/// The file name extension of a bundle.
const ENDING: &str = ".transcope.zip";

/// Runs `transcope bundle`; the text for an issue goes to `out`.
pub fn run<W: Write>(args: &BundleArgs, out: &mut W) -> anyhow::Result<ExitStatus> {
    let (mut setup, path, whole) = read_path(&args.common, Some(&args.path))?;
    whole.outcome()?;
    let session = &whole.session;
    // Bundling a bundle packs the transcript in it.
    let name = Manifest::read(&args.path).map_or_else(|| file_name(&path), |manifest| manifest.name);
    let mut redactor = Redactor::new(session, setup.config.own_patterns()?);
    redactor.learn_file(session);
    redactor.learn_more(&[name.as_str()]);
    if !args.no_redact
        && let Some(schemas) = &setup.dialect.schemas
    {
        setup.dialect.schemas = Some(redacted_schemas(schemas, &mut redactor)?);
    }
    let mut packed = BundleContents::new(&setup, session, &name, (!args.no_redact).then_some(&mut redactor))?;
    let redactor = &redactor;
    let path = args.output.clone().unwrap_or_else(|| PathBuf::from(plain_name(&packed.manifest.name) + ENDING));
    if path.symlink_metadata().is_ok() {
        bail!("{} exists; choose another name with -o, or remove it", path.display());
    }
    report_redaction(redactor, args.no_redact)?;
    packed.tell_changes(session)?;
    let checked = (!args.no_redact).then_some(redactor);
    let mut issue = Vec::new();
    if args.purpose == Some(Purpose::Issue) {
        let redacted = checked.map(Redactor::summary);
        let bundle = path.file_name().unwrap_or_default().to_string_lossy();
        let attachment = Attachment { name: &packed.manifest.name, bundle: &bundle, redacted: redacted.as_deref() };
        issue::write(&mut issue, &packed.session, &attachment)?;
        if let Some(word) = checked.and_then(|redactor| redactor.left_in(&String::from_utf8_lossy(&issue))) {
            bail!("could not write the issue: {}", leak_message(&word));
        }
    }
    let files = packed.write(&path, &setup, checked)?;
    print_to_stderr(&format!("{}: {}", path.display(), files.join(", ")))?;
    out.write_all(&issue)?;
    Ok(ExitStatus::Success)
}

/// Reports what was replaced, or warns that nothing was.
fn report_redaction(redactor: &Redactor, is_kept: bool) -> io::Result<()> {
    if !is_kept {
        return tell_redacted(redactor);
    }
    let found = redactor.summary();
    let found = if found.is_empty() { "none of a known kind found".to_owned() } else { format!("it holds {found}") };
    print_to_stderr(&format!("WARNING: NOT REDACTED: secrets and private details stay in the bundle ({found})"))
}

/// The contents of a bundle: the redacted transcript and data about it.
struct BundleContents {
    manifest: Manifest,
    transcript: File,
    /// The redacted transcript, read as the original was.
    session: Session,
    settings: Vec<u8>,
    schemas: Option<Vec<u8>>,
    notes: Option<String>,
}

impl BundleContents {
    fn new(setup: &Setup, original: &Session, name: &str, redactor: Option<&mut Redactor>) -> anyhow::Result<Self> {
        let (read, redactor) = if let Some(redactor) = redactor {
            (ReadTranscript::redacted(setup, original, redactor)?, Some(&*redactor))
        } else {
            let write = |out: &mut BufWriter<&mut File>| chunks(original.file(), |bytes| out.write_all(bytes));
            (ReadTranscript::new(setup, original, write)?, None)
        };
        let ReadTranscript { transcript, session, container } = read;
        let clean = |text: &str| redactor.map_or_else(|| text.to_owned(), |redactor| redactor.clean(text).into_owned());
        let schemas = setup.dialect.schemas.as_ref().map(|schemas| clean(&String::from_utf8_lossy(schemas.file())));
        let settings = ReadOptions {
            container: (!container.is_detected()).then(|| container.name().to_owned()),
            container_declarations: declared_source(&session).map(|yaml| clean(&yaml)).into_iter().collect(),
            ..ReadOptions::from_dialect(&packed_dialect(&setup.dialect, &session, &clean))
        };
        let mut hash = Sha256::new();
        chunks(original.file(), |bytes| {
            hash.update(bytes);
            Ok(())
        })?;
        let name = redactor.map_or_else(|| name.to_owned(), |redactor| redactor.clean_name(name));
        let manifest = Manifest {
            bundle: BUNDLE_VERSION,
            transcope: env!("CARGO_PKG_VERSION").to_owned(),
            schema_version: SCHEMA_VERSION,
            transcript: format!("transcript.{}", extension(&name)),
            name,
            bytes: original.file().len(),
            sha256: hash.finalize().iter().fold(String::new(), |mut digits, byte| {
                _ = write!(digits, "{byte:02x}");
                digits
            }),
            redacted: redactor.map(Redactor::counts),
        };
        let settings = serde_json::to_vec_pretty(&json!(settings)).context("could not write the settings")?;
        let notes = packed_notes(original, &session, &clean);
        let notes = (!notes.is_empty()).then(|| notes.to_yaml(&manifest.transcript));
        Ok(Self { manifest, transcript, session, settings, schemas: schemas.map(String::into_bytes), notes })
    }

    /// Reports a change in the number of problems that redaction caused.
    fn tell_changes(&self, original: &Session) -> io::Result<()> {
        let (before, now) = (problem_counts(original), problem_counts(&self.session));
        if before == now {
            return Ok(());
        }
        let codes = before.keys().chain(now.keys()).filter(|code| before.get(code) != now.get(code));
        let mut names: Vec<&str> = codes.map(|code| code.name()).collect();
        names.sort_unstable();
        names.dedup();
        print_to_stderr(&format!("warning: redaction changed the problems of the transcript: {}", names.join(", ")))
    }

    /// Writes the archive after verifying that it contains nothing that `redactor` found. Returns the names of the
    /// files in it with their sizes.
    fn write(&mut self, path: &Path, setup: &Setup, redactor: Option<&Redactor>) -> anyhow::Result<Vec<String>> {
        let file = CheckedFile {
            path: &self.manifest.transcript,
            session: &self.session,
            selection: None,
            known: None,
            redactor: None,
            details: None,
        };
        let mut problems = Vec::new();
        check::write_problems(&mut problems, file)?;
        let manifest = serde_json::to_vec_pretty(&self.manifest).context("could not write the manifest")?;
        let len = self.transcript.seek(io::SeekFrom::End(0)).and_then(|len| self.transcript.rewind().map(|()| len))?;
        let mut sizes = vec![format!("{} ({len} bytes)", self.manifest.transcript)];
        let (mut manifest, mut settings, mut problems) = (&manifest[..], &self.settings[..], &problems[..]);
        let (mut schemas, mut notes) = (self.schemas.as_deref(), self.notes.as_deref().map(str::as_bytes));
        let mut files: Vec<(&str, &mut dyn Read)> = vec![
            (MANIFEST, &mut manifest),
            (&self.manifest.transcript, &mut self.transcript),
            (SETTINGS, &mut settings),
            (PROBLEMS, &mut problems),
        ];
        files.extend(schemas.as_mut().map(|schemas| (SCHEMAS, schemas as &mut dyn Read)));
        files.extend(notes.as_mut().map(|notes| (NOTES, notes as &mut dyn Read)));
        sizes.extend(files.iter().map(|(name, _)| (*name).to_owned()).filter(|name| *name != self.manifest.transcript));
        let failed = || format!("could not write {}", path.display());
        let mut archive = temporary_file()?;
        bundle::write(&mut archive, &mut files).with_context(failed)?;
        if let Some(redactor) = redactor {
            self.check(&mut archive, setup, redactor).with_context(failed)?;
        }
        archive.rewind().with_context(failed)?;
        whole_file::write(path, IfExists::Refuse, |out| io::copy(&mut archive, out).map(|_| ()))
            .with_context(failed)?;
        Ok(sizes)
    }

    /// Opens the archive as a reader would, to verify it.
    ///
    /// # Errors
    /// A detected secret is still in it.
    fn check(&self, archive: &mut File, setup: &Setup, redactor: &Redactor) -> anyhow::Result<()> {
        let mut left = None;
        bundle::for_each_member(archive, |name, bytes| {
            left = left.take().or_else(|| redactor.left_in(name));
            if name == self.manifest.transcript {
                let read = ReadTranscript::new(setup, &self.session, |out| io::copy(bytes, out).map(|_| ()))?;
                left = left.take().or_else(|| redactor.left_in_session(&read.session));
            } else if left.is_none() {
                left = redactor.left_in_file(bytes)?;
            }
            Ok(())
        })?;
        left.map_or(Ok(()), |word| Err(anyhow::Error::msg(leak_message(&word))))
    }
}

/// The redacted schemas: problems quote their descriptions and keys.
///
/// # Errors
/// The schema file is invalid once its secrets are replaced.
fn redacted_schemas(schemas: &Schemas, redactor: &mut Redactor) -> anyhow::Result<Arc<Schemas>> {
    let file = String::from_utf8_lossy(schemas.file());
    redactor.learn_more(&[&file]);
    let redacted = Schemas::parse(&redactor.clean(schemas.name()), redactor.clean(&file).as_bytes());
    redacted.map(Arc::new).map_err(|error| anyhow!("could not redact the schema {}: {error}", schemas.name()))
}

/// The transcript of a bundle, parsed with the settings of the original.
struct ReadTranscript {
    transcript: File,
    session: Session,
    container: Container,
}

impl ReadTranscript {
    /// Writes a transcript to a temporary file and parses it.
    fn new(
        setup: &Setup,
        original: &Session,
        write: impl FnOnce(&mut BufWriter<&mut File>) -> io::Result<()>,
    ) -> anyhow::Result<Self> {
        let mut transcript = temporary_file()?;
        let mut out = BufWriter::new(&mut transcript);
        write(&mut out).and_then(|()| out.flush()).context("could not write a temporary file")?;
        drop(out);
        let mut session = Session::new(setup.container, &setup.dialect);
        read_again(&mut session, &mut transcript).context("could not read a temporary file")?;
        let mut container = setup.container;
        // The container may have been detected by text that is now replaced.
        if let Some(choice) =
            original.choice().filter(|choice| session.choice().map(|again| again.about.name) != Some(choice.about.name))
        {
            container = setup.container.with_name(choice.about.name).map_err(anyhow::Error::msg)?;
            session = Session::new(container, &setup.dialect);
            read_again(&mut session, &mut transcript).context("could not read a temporary file")?;
        }
        Ok(Self { transcript, session, container })
    }

    /// Redacts a transcript repeatedly until no secret is left.
    fn redacted(setup: &Setup, original: &Session, redactor: &mut Redactor) -> anyhow::Result<Self> {
        let mut last: Option<Self> = None;
        let mut left = String::new();
        for _ in 0..MOST_ROUNDS {
            let source = last.as_ref().map_or(original, |last| &last.session);
            let read = Self::new(setup, original, |out| redactor.write_file(source, out))?;
            redactor.learn_session(&read.session);
            redactor.learn_file(&read.session);
            match redactor.left_in_session(&read.session) {
                None => return Ok(read),
                Some(word) => left = word,
            }
            last = Some(read);
        }
        bail!("could not redact the transcript: {}", leak_message(&left))
    }
}

fn temporary_file() -> anyhow::Result<File> {
    tempfile::tempfile().with_context(|| {
        format!("could not create a file in {}; set TMPDIR to a folder with space", std::env::temp_dir().display())
    })
}

/// The options with only the declarations used for the transcript. A declaration that redaction breaks is left out.
fn packed_dialect(options: &Options, session: &Session, clean: &dyn Fn(&str) -> String) -> Options {
    let mut packed = options.clone();
    let seen: Vec<&str> = session.document().dialects_seen().collect();
    let is_used = |name: &str| seen.contains(&name) || (!options.only.is_empty() && options.reads(name));
    packed.declared.retain(|given| is_used(given.info.name));
    packed.declared = std::mem::take(&mut packed.declared)
        .into_iter()
        .filter_map(|given| {
            let yaml = clean(&given.source);
            if *yaml == *given.source {
                Some(given)
            } else {
                crate::dialect::declared::read(&yaml, given.info.name).ok().map(Arc::new)
            }
        })
        .collect();
    let known = packed.clone();
    packed.only.retain(|about| known.named(about.name).is_some());
    packed
}

/// The notes on the original, moved to the same places of the redacted transcript.
fn packed_notes(original: &Session, packed: &Session, clean: &impl Fn(&str) -> String) -> NoteList {
    let (before, now) = (original.document(), packed.document());
    let mut notes = NoteList::default();
    for (number, note) in original.notes().notes().iter().enumerate() {
        let pointer = note.place.pointer.as_deref().map(clean);
        let found = original.notes().place(number).filter(|_| before.items().len() == now.items().len());
        let moved = found.and_then(|found| {
            let (was, is) = (before.items().span(found.item)?, now.items().span(found.item)?);
            let offset = (is.start + found.offset.saturating_sub(was.start)).min(is.end);
            NotePlace::new((now, packed.text()), found.item, offset, pointer.clone(), note.place.line)
        });
        // A note without a place there keeps its old line.
        let place = moved.unwrap_or_else(|| {
            let mut place = note.place.clone();
            (place.pointer, place.quote) = (pointer, clean(&place.quote));
            place
        });
        notes.apply(NoteEdit::Put(Box::new(Note { words: clean(&note.words), place, ..note.clone() })));
    }
    notes
}

fn chunks(file: &Text, mut take: impl FnMut(&[u8]) -> io::Result<()>) -> io::Result<()> {
    (0..file.len()).step_by(CHUNK).try_for_each(|at| take(&file.read(Span::new(at, (at + CHUNK).min(file.len())))))
}

/// Parses the file; the session keeps a handle to read it again.
fn read_again(session: &mut Session, transcript: &mut File) -> io::Result<()> {
    transcript.rewind()?;
    session.back(Backing::new(transcript.try_clone()?).with_end(true));
    let mut buffer = vec![0; CHUNK];
    loop {
        let read = transcript.read(&mut buffer)?;
        if read == 0 {
            break;
        }
        session.push(&buffer[..read]);
    }
    session.finish();
    Ok(())
}

fn problem_counts(session: &Session) -> BTreeMap<Code, usize> {
    let mut counts = BTreeMap::new();
    for problem in session.document().sorted_diagnostics() {
        *counts.entry(problem.code).or_default() += 1;
    }
    counts
}

/// The name of a file without its directories.
fn file_name(path: &str) -> String {
    let name = Path::new(path).file_name().map_or(Cow::Borrowed(path), |name| name.to_string_lossy());
    if name == "-" { "stdin".to_owned() } else { name.into_owned() }
}

/// The extension of a file name after removing that of compression; `txt` if it has unusual characters.
fn extension(name: &str) -> String {
    let name = [".gz", ".zst", ".zip"].iter().fold(name, |name, ending| name.strip_suffix(ending).unwrap_or(name));
    let end = Path::new(name).extension().and_then(|end| end.to_str()).unwrap_or_default();
    let is_plain = (1..=8).contains(&end.len()) && end.bytes().all(|byte| byte.is_ascii_alphanumeric());
    if is_plain { end.to_ascii_lowercase() } else { "txt".to_owned() }
}

/// The stem of a file name, without characters that some systems refuse.
fn plain_name(name: &str) -> String {
    let stem = Path::new(name).file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
    let plain: String = stem.chars().filter(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '.')).collect();
    let plain = plain.trim_matches(['-', '.']);
    if plain.is_empty() { "transcript".to_owned() } else { plain.to_owned() }
}

/// The source of the declaration that a session is read by, if the user declared its container.
fn declared_source(session: &Session) -> Option<String> {
    let name = session.choice()?.about.name;
    let declared = session.container().declared().iter().find(|about| about.name == name)?;
    Some(declared.declaration()?.source.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_files_are_plain() {
        for (name, end, plain) in [
            ("session.jsonl", "jsonl", "session"),
            ("a.b.JSON", "json", "a.b"),
            ("log.txt.gz", "txt", "log.txt"),
            ("-home-[user#1]-x", "txt", "home-user1-x"),
            ("-", "txt", "transcript"),
            ("x.far too long", "txt", "x"),
        ] {
            assert_eq!((extension(name).as_str(), plain_name(name).as_str()), (end, plain), "{name}");
        }
    }
}
