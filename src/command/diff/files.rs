//! `diff` of a single session: prints the changes that its calls make to files.

use std::io::Write;

use anyhow::{bail, ensure};

use super::{DiffArgs, DiffFormat};
use crate::command::outcome::ExitStatus;
use crate::command::transcript::read_path;
use crate::export::file_patch;
use crate::file_history::{ChangedFile, FileHistory};
use crate::text::output::Output;
use crate::text::sanitize::visible_str;

/// Names of files that an error lists.
const LISTED: usize = 8;

/// Prints the patch, or the JSON, of the files of a session or of a part of it, or of the file that the arguments name. The
/// status is `Findings` if there is a change.
pub(super) fn run<W: Write>(args: &DiffArgs, out: &mut W) -> anyhow::Result<ExitStatus> {
    let file = args.file.as_deref();
    let (_, name, whole) = read_path(&args.common, Some(&args.left))?;
    let part = args.part.of(&name, &whole.session)?;
    let history = match &part {
        Some(part) => FileHistory::of_part(&whole.session, part),
        None => FileHistory::new(&whole.session),
    };
    let name = part.as_ref().map_or_else(|| name.clone(), |part| format!("{name} in {}", part.filter()));
    let files: Vec<&ChangedFile> = match file {
        Some(wanted) => named(&history, wanted, &name)?,
        None => history.files.iter().collect(),
    };
    match args.format {
        DiffFormat::Json => file_patch::write_json(out, &whole.session, &files, part.as_ref())?,
        DiffFormat::Text | DiffFormat::Csv => file_patch::write_patch(out, &files)?,
    }
    out.flush()?;
    let mut notes = Output::stderr();
    if !files.iter().any(|file| file.is_changed()) {
        let what = file.map_or_else(|| "a file".to_owned(), |file| visible_str(file).into_owned());
        writeln!(notes, "no call of {name} changes {what}; to compare two transcripts, name both")?;
    }
    for file in files.iter().filter(|file| file.changed_outside() > 0) {
        let path = visible_str(&file.path);
        writeln!(notes, "note: {path} was also changed by something else, such as a command; its patch has that, too")?;
    }
    let has_changes = files.iter().any(|file| file_patch::is_in_patch(file));
    whole.outcome().map(|status| if has_changes { ExitStatus::Findings } else { status })
}

/// The one file with a name or the end of a path.
fn named<'a>(history: &'a FileHistory, wanted: &str, name: &str) -> anyhow::Result<Vec<&'a ChangedFile>> {
    let found = history.named(wanted);
    let list = |files: &mut dyn Iterator<Item = &ChangedFile>| {
        let paths: Vec<String> = files.take(LISTED).map(|file| visible_str(&file.path).into_owned()).collect();
        paths.join(", ")
    };
    ensure!(
        found.len() < 2,
        "several files of {name} are named {}: {}; give more of the path",
        visible_str(wanted),
        list(&mut found.iter().copied())
    );
    if found.is_empty() {
        let all = list(&mut history.files.iter().filter(|file| file.is_changed()));
        let wanted = visible_str(wanted);
        if all.is_empty() {
            bail!("no call of {name} names {wanted}, and none changes a file");
        }
        bail!("no call of {name} names {wanted}; it changes {all}");
    }
    Ok(found)
}
