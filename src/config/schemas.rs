//! The schema file that a person names, on the command line, on the screen or in a case.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Result, anyhow};

use crate::source::{self, SourceSpec};
use crate::value::schema::Schemas;

/// Bytes that a schema file may have; the descriptions of a thousand tools have a tenth of them.
pub const MAX_BYTES: usize = 16 << 20;

/// Reads a schema file; an error names it, and says why it cannot be read or used.
pub fn read(path: &Path) -> Result<Arc<Schemas>> {
    let name = path.display().to_string();
    let bytes = source::read_at_most(&SourceSpec::File(path.to_path_buf()), MAX_BYTES)?;
    let schemas =
        Schemas::parse(&name, &bytes).map_err(|error| anyhow!("could not use the schema file {name}: {error}"))?;
    Ok(Arc::new(schemas))
}
