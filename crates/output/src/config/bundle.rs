//! Settings and notes of a bundle: its transcript is read with the settings packed in it, unless the command line
//! overrides them.
//!
//! The user's own settings are ignored, so that a bundle is read as it was when packed. Its settings may come from a
//! stranger: they name dialects, markers and containers and declare dialects, but cannot name files.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Error, Result};

use super::{Known, ReadOptions, places};
use crate::container::Container;
use crate::dialect::Options;
use crate::notes::NoteList;
use crate::notes::sidecar::Sidecar;
use crate::source::SourceSpec;
use crate::source::bundle::{Manifest, NOTES, SCHEMAS, SETTINGS, member};
use crate::value::schema::Schemas;

/// The container and the dialects of a bundle, where `flags` take precedence over its settings; `None` for any other
/// source.
///
/// # Errors
/// The settings or schemas in it cannot be used.
pub fn options_of(spec: &SourceSpec, flags: &ReadOptions) -> Result<Option<(Container, Options)>> {
    let SourceSpec::File(path) = spec else { return Ok(None) };
    if Manifest::read(path).is_none() {
        return Ok(None);
    }
    resolve(path, flags).map(Some).with_context(|| format!("could not use the settings in {}", spec.name()))
}

/// The notes on the transcript at a path, including the notes of a bundle.
///
/// # Errors
/// The notes in the bundle cannot be used.
pub fn sidecar_of(path: &Path) -> Result<Sidecar> {
    let sidecar = Sidecar::new(path, places::own_notes().as_deref());
    let Some(notes) = Manifest::read(path).and_then(|_| member(path, NOTES)) else { return Ok(sidecar) };
    let notes = NoteList::from_yaml(&notes).map_err(Error::msg);
    let name = SourceSpec::File(path.to_path_buf()).name();
    Ok(sidecar.of_bundle(notes.with_context(|| format!("could not use the notes in {name}"))?))
}

fn resolve(path: &Path, flags: &ReadOptions) -> Result<(Container, Options)> {
    let settings = member(path, SETTINGS).map(|bytes| serde_json::from_slice::<ReadOptions>(&bytes)).transpose()?;
    let settings =
        ReadOptions { schema: None, prices: None, dialect_files: Vec::new(), ..settings.unwrap_or_default() };
    let (container, mut options) = flags.clone().or(settings).resolve(Path::new(""), Known::default())?;
    if options.schemas.is_none()
        && let Some(schemas) = member(path, SCHEMAS)
    {
        let schemas = Schemas::parse(SCHEMAS, &schemas).map_err(|words| Error::msg(format!("{SCHEMAS}: {words}")))?;
        options.schemas = Some(Arc::new(schemas));
    }
    Ok((container, options))
}
