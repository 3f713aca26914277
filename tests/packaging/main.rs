//! What is published: crates, licences of third parties, archives, the Python wheel, and the workflows that make them.
//!
//! Independent of the library, so that this suite links in a second.

mod licences;

use std::path::Path;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}
