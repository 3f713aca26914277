//! Writes `THIRD-PARTY.txt`: the licences of everything that a built program contains.
//!
//! ```sh
//! cargo run --example licences > THIRD-PARTY.txt
//! ```
//!
//! Run it after a change of `Cargo.lock`; a test compares the file. The first run may fetch crates of other systems.

mod collect;

use std::io::{self, Write as _};
use std::path::Path;

use anyhow::Result;

fn main() -> Result<()> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let packages = collect::packages(root, &collect::platforms(root)?, &[])?;
    io::stdout().write_all(collect::document(&packages)?.as_bytes())?;
    Ok(())
}
