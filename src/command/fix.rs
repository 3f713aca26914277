//! `fix`: makes all automatic repairs of a plain text.
//!
//! The repaired text or the diff goes to standard output, the list of repairs made and not made to standard error.
//! Files are replaced atomically.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail, ensure};
use clap::Args;

use super::options::CommonArgs;
use super::outcome::{ExitStatus, print_to_stderr};
use super::transcript::read_path;
use crate::repair::{Budget, LARGEST, LineChange, Repaired, repair_all};
use crate::session::Session;
use crate::system::whole_file::{self, IfExists};
use crate::text::{Span, Walk};
use crate::wording::count;

/// Repair what can be repaired in a plain-text transcript; exit with 1 if an error remains
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  transcope fix session.txt > repaired.txt
  transcope fix --diff session.txt
  transcope fix --in-place session.txt

Each repair and each remaining problem is reported on standard error, one line each. A repair is only made if it works: it
is tried on a copy first, where the problem must disappear, no argument may be lost and no new problem may appear.
Exits with 1 if an error remains.")]
pub struct FixArgs {
    /// Plain-text transcript; - is standard input
    path: PathBuf,
    /// Print the changes as a unified diff
    #[arg(long, conflicts_with = "in_place")]
    diff: bool,
    /// Repair the file itself and keep the original as PATH.orig
    #[arg(long)]
    in_place: bool,
    #[command(flatten)]
    pub(super) common: CommonArgs,
}

/// Lines of context around a change in a diff.
const CONTEXT: usize = 3;

/// Maximum number of backup names tried.
const BACKUPS: usize = 1000;

/// Runs `transcope fix`. The status is `Findings` if an error remains.
pub fn run<W: Write>(args: &FixArgs, out: &mut W) -> anyhow::Result<ExitStatus> {
    ensure!(!args.in_place || args.path.as_os_str() != "-", "--in-place needs a file, but - is standard input");
    let (setup, name, whole) = read_path(&args.common, Some(&args.path))?;
    whole.outcome()?;
    let session = &whole.session;
    if session.is_decoded() {
        let container = session.choice().map_or("recorded session", |choice| choice.about.name);
        bail!("could not fix {name}: only plain text can be repaired, but this is {container}");
    }
    if session.text().len() > LARGEST {
        bail!("could not fix {name}: it is larger than {} MiB", LARGEST >> 20);
    }
    let text = session.text().read(Span::new(0, session.text().len())).into_owned();
    let budget = Budget::for_command();
    let repaired = repair_all(session, &setup.dialect, &budget).context("a plain text of this size can be repaired")?;
    if args.diff {
        out.write_all(&diff(&repaired, &text, &name))?;
    } else if args.in_place {
        let kept = if repaired.done.is_empty() { None } else { Some(replace(&args.path, &text, &repaired)?) };
        if let Some(kept) = kept {
            print_to_stderr(&format!("{name}: repaired; the original is in {}", kept.display()))?;
        }
    } else {
        out.write_all(&repaired.repair.applied(&text))?;
    }
    out.flush()?;
    report(&name, session, &repaired)?;
    if !repaired.is_complete {
        print_to_stderr(&format!("{name}: stopped before everything was tried; run fix again on the result"))?;
    }
    Ok(if repaired.left.document().errors() > 0 { ExitStatus::Findings } else { ExitStatus::Success })
}

fn report(name: &str, session: &Session, repaired: &Repaired) -> io::Result<()> {
    let mut walk = Walk::default();
    for done in &repaired.done {
        let place = walk.position(session.text(), session.lines(), done.offset);
        print_to_stderr(&format!(
            "{name}:{}:{}: repaired {}: {}",
            place.line,
            place.column,
            done.code.name(),
            done.words
        ))?;
    }
    let mut walk = Walk::default();
    let map = repaired.repair.map();
    for problem in repaired.left.document().sorted_diagnostics() {
        // Line numbers refer to the original text.
        let offset = map.before(problem.span.start);
        let place = walk.position(session.text(), session.lines(), offset);
        let (severity, code) = (problem.severity.word(), problem.code.name());
        print_to_stderr(&format!(
            "{name}:{}:{}: not repaired: {severity}[{code}]: {}",
            place.line, place.column, problem.message
        ))?;
    }
    let left = repaired.left.document();
    let errors = left.errors();
    let rest = match (left.diagnostics().len(), errors) {
        (0, _) => "no problems left".to_owned(),
        (found, 0) => format!("{} left, no errors", count(found, "problem")),
        (found, errors) => format!("{} left, {}", count(found, "problem"), count(errors, "error")),
    };
    print_to_stderr(&format!("{name}: {}; {rest}", count(repaired.done.len(), "repair")))
}

fn diff(repaired: &Repaired, text: &[u8], name: &str) -> Vec<u8> {
    let mut out = Vec::new();
    for hunk in repaired.repair.hunks(text, CONTEXT) {
        if out.is_empty() {
            out.extend_from_slice(format!("--- {name}\n+++ {name}\n").as_bytes());
        }
        let count = |without: LineChange| hunk.lines.iter().filter(|(change, _)| *change != without).count();
        let (old, new) = (count(LineChange::Insert), count(LineChange::Delete));
        // In a unified diff, an empty range follows the line that it names.
        let first = |start: usize, count: usize| if count == 0 { start } else { start + 1 };
        let (old_first, new_first) = (first(hunk.old_start, old), first(hunk.new_start, new));
        out.extend_from_slice(format!("@@ -{old_first},{old} +{new_first},{new} @@\n").as_bytes());
        for (change, line) in &hunk.lines {
            out.push(match change {
                LineChange::Equal => b' ',
                LineChange::Delete => b'-',
                LineChange::Insert => b'+',
            });
            out.extend_from_slice(line);
            if !line.ends_with(b"\n") {
                out.extend_from_slice(b"\n\\ No newline at end of file\n");
            }
        }
    }
    out
}

/// Replaces a file with the repaired text and keeps the original next to it. Returns the path of the original.
fn replace(path: &Path, text: &[u8], repaired: &Repaired) -> anyhow::Result<PathBuf> {
    let failed = || format!("could not write {}", path.display());
    // A symbolic link remains one: its target is replaced.
    let path = path.canonicalize().with_context(failed)?;
    let on_disk = fs::read(&path).with_context(failed)?;
    ensure!(
        on_disk == text,
        "could not write {}: it is compressed, in another encoding, or has changed",
        path.display()
    );
    let metadata = fs::metadata(&path).with_context(failed)?;
    let kept = back_up(&path, text)?;
    fs::set_permissions(&kept, metadata.permissions()).with_context(failed)?;
    let repaired = repaired.repair.applied(text);
    whole_file::write(&path, IfExists::Replace, |out| out.write_all(&repaired)).with_context(failed)?;
    Ok(kept)
}

/// Saves a text next to its file under a name that is not in use.
fn back_up(path: &Path, text: &[u8]) -> anyhow::Result<PathBuf> {
    for number in 1..BACKUPS {
        let mut name = path.as_os_str().to_owned();
        name.push(if number == 1 { ".orig".to_owned() } else { format!(".orig{number}") });
        let kept = PathBuf::from(name);
        let failed = || format!("could not write the backup {}", kept.display());
        match whole_file::write(&kept, IfExists::Refuse, |out| out.write_all(text)) {
            Ok(_) => return Ok(kept),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error).with_context(failed),
        }
    }
    bail!("could not back up {}: there are {BACKUPS} backups already", path.display())
}
