//! The only transcript of an archive or a database, such as the log of an evaluation with one sample or an export of
//! chats.
//!
//! Commands that read many transcripts read all of them; see [`super::folders`].

use std::path::PathBuf;

use anyhow::{Result, bail};

use crate::config::places::AgentPlaces;
use crate::container::{self, Container};
use crate::corpus::choice::kind_of;
use crate::source::folder::{self, FoundFile, HEAD, WalkEvent};
use crate::source::{self, SourceSpec};
use crate::text::sanitize::visible_str;

/// Maximum number of transcripts that an error names.
const NAMED: usize = 3;

/// Returns the source, or for an archive or a database the transcript in it.
///
/// # Errors
/// It cannot be read, or holds none or several transcripts; the error names them.
pub(super) fn one_in(spec: SourceSpec) -> Result<SourceSpec> {
    let SourceSpec::File(path) = &spec else { return Ok(spec) };
    if path.is_dir() || !source::is_folder(path) {
        return Ok(spec);
    }
    folder::check(path)?;
    let places = AgentPlaces::new();
    let (mut known, mut other): (Vec<PathBuf>, Vec<PathBuf>) = (Vec::new(), Vec::new());
    folder::walk_except(path, &|path| places.skips(path), |walked| {
        if let WalkEvent::Found(found) = walked {
            for file in found.into_iter().filter(|file| kind_of(file, &places).is_some()) {
                if is_recorded(&file) { known.push(file.path) } else { other.push(file.path) }
            }
        }
        true
    });
    let mut found = if known.is_empty() { other } else { known };
    found.sort();
    let name = visible_str(&path.to_string_lossy()).into_owned();
    match &*found {
        [only] => Ok(SourceSpec::File(only.clone())),
        [] => bail!("{name} holds no transcript"),
        several => {
            let names: Vec<_> = several.iter().take(NAMED).map(|path| path.to_string_lossy()).collect();
            let more = if several.len() > NAMED { ", …" } else { "" };
            bail!(
                "{name} holds {} transcripts; name one of them: {}{more}",
                several.len(),
                visible_str(&names.join(", "))
            )
        }
    }
}

/// True if a file may be a recorded session, judging by its first bytes.
fn is_recorded(file: &FoundFile) -> bool {
    let looked = container::detect_container(&file.head, file.head.len() < HEAD);
    file.is_encoded || looked.is_none_or(|(about, _)| about.name != Container::PLAIN)
}
