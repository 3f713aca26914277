//! The schema file that a user names on the command line, on the screen or in a case.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Result, anyhow};

use crate::source::{self, SourceSpec};
use crate::value::schema::Schemas;

/// Maximum size of a schema file, in bytes; the descriptions of a thousand tools take a tenth of it.
pub const MAX_BYTES: usize = 16 << 20;

/// Reads a schema file. The error of an unusable one names it.
pub fn read(path: &Path) -> Result<Arc<Schemas>> {
    let name = path.display().to_string();
    let bytes = source::read_at_most(&SourceSpec::File(path.to_path_buf()), MAX_BYTES)?;
    let schemas =
        Schemas::parse(&name, &bytes).map_err(|error| anyhow!("could not use the schema file {name}: {error}"))?;
    Ok(Arc::new(schemas))
}
