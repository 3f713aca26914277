//! The table of prices that a user names on the command line or in the settings.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result, anyhow};

use crate::container::facts::Timestamp;
use crate::prices::PriceTable;
use crate::source::{self, SourceSpec};

/// Maximum size of a table, in bytes; one of 2026 has 2 MB.
const MAX_BYTES: usize = 64 << 20;

/// Reads a table. The error of an unusable one names its file and the tables that can be used.
pub(super) fn read(path: &Path) -> Result<Arc<PriceTable>> {
    let name = path.display().to_string();
    let table = || {
        let bytes = source::read_at_most(&SourceSpec::File(path.to_path_buf()), MAX_BYTES)?;
        let written = std::fs::metadata(path).and_then(|about| about.modified()).ok();
        let written = written.and_then(|time| Timestamp::try_from(time).ok()).map(|time| time.to_string());
        let day = written.and_then(|time| time.get(..DAY).map(str::to_owned));
        let file = path.file_name().unwrap_or_default().to_string_lossy();
        PriceTable::parse(&file, &String::from_utf8_lossy(&bytes), day).map_err(|error| anyhow!(error))
    };
    let table = table().with_context(|| {
        format!(
            "could not use the price table {name} (expected model_prices_and_context_window.json of LiteLLM or api.json \
             of models.dev)"
        )
    })?;
    Ok(Arc::new(table))
}

/// Length of `2026-07-02`, in bytes.
const DAY: usize = 10;
