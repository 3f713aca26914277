//! `export`: writes a report to share.
//!
//! A file is written beside its name first and then takes it, so that there is a whole report or none. This module does
//! not know how a report looks.

use std::io::{self, BufWriter, Write};
use std::path::Path;

use anyhow::{Context, bail};

use super::{Whole, filter_option, read_path};
use crate::cli::{ExportArgs, ExportFormat};
use crate::export::html::PageForm;
use crate::export::page::ReportPage;
use crate::export::{html, json, markdown};
use crate::filter::{Filter, Selection};
use crate::redact::Redactor;

/// Runs `transcope export`, to a new file or to `out`.
pub fn run<W: Write>(args: &ExportArgs, out: &mut W) -> anyhow::Result<()> {
    if let Some(path) = args.output.as_deref().filter(|path| path.symlink_metadata().is_ok()) {
        bail!("{} exists; choose another name, or remove it", path.display());
    }
    if args.interactive && args.to != ExportFormat::Html {
        bail!("--interactive is for --to html");
    }
    let (setup, name, whole) = read_path(&args.common, Some(&args.path))?;
    let filter = filter_option(&args.filter, &setup)?;
    match &args.output {
        Some(path) => to_file(path, |out| write(args, filter.as_ref(), &whole, &name, out))?,
        None => write(args, filter.as_ref(), &whole, &name, out)?,
    }
    whole.outcome()
}

fn write<W: Write + ?Sized>(
    args: &ExportArgs,
    filter: Option<&Filter>,
    whole: &Whole,
    name: &str,
    mut out: &mut W,
) -> io::Result<()> {
    let session = &whole.session;
    let selection = filter.map(|filter| Selection::new(filter, session));
    let selection = selection.as_ref();
    match args.to {
        ExportFormat::Html => {
            let form = if args.interactive { PageForm::Interactive } else { PageForm::Plain };
            html::write(&mut out, &ReportPage::new(session, args.redact, selection), name, form)
        }
        ExportFormat::Markdown => markdown::write(&mut out, &ReportPage::new(session, args.redact, selection), name),
        ExportFormat::Json => {
            let redactor = args.redact.then(|| Redactor::new(session));
            json::write_transcript(&mut out, session, name, redactor.as_ref(), selection)
        }
    }
}

/// Writes a file that does not exist.
fn to_file(path: &Path, write: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> anyhow::Result<()> {
    let failed = || format!("could not write {}", path.display());
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut beside = tempfile::Builder::new();
    // It is to be read by whoever may read what a person writes there.
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        beside.permissions(std::fs::Permissions::from_mode(0o666));
    }
    let mut beside = beside.tempfile_in(folder).with_context(failed)?;
    let mut out = BufWriter::new(beside.as_file_mut());
    write(&mut out).and_then(|()| out.flush()).with_context(failed)?;
    drop(out);
    beside.persist_noclobber(path).map_err(|error| error.error).with_context(failed)?;
    Ok(())
}
