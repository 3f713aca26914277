//! Helpers of the commands that propose a declaration: checking its name, and writing it to a new file or to the output.

use std::io::Write;
use std::path::Path;

use anyhow::{Context, ensure};

use crate::system::whole_file::{self, IfExists};
use crate::text::output::Output;

/// Checks a name given with `--name`.
///
/// # Errors
/// It is empty, `reserved`, or has other characters than names of declarations.
pub(super) fn check_name(name: &str, reserved: &[&str]) -> anyhow::Result<()> {
    let is_name = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    ensure!(
        !name.is_empty() && name.chars().all(is_name) && !reserved.contains(&name),
        "--name {name:?}: a name has letters, digits, and - _ . between them"
    );
    Ok(())
}

/// Writes a declaration to the file at `path`, which must not exist, or to the output.
///
/// # Errors
/// The file exists or cannot be written, or the output is closed.
pub(super) fn write<W: Write>(yaml: &str, path: Option<&Path>, out: &mut Output<W>) -> anyhow::Result<()> {
    let Some(path) = path else {
        out.write_all(yaml.as_bytes())?;
        return Ok(out.flush()?);
    };
    let name = path.display();
    ensure!(!path.exists(), "could not write {name}: it exists; choose another name");
    whole_file::write(path, IfExists::Refuse, |out| out.write_all(yaml.as_bytes()))
        .with_context(|| format!("could not write {name}"))?;
    Ok(())
}
