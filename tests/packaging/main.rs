//! The published packages: crates, licences of third parties, archives, the Python wheel, and the workflows that make them.
//!
//! Independent of the library, so that this suite links in a second.

mod archive;
mod crates;
mod licences;
#[path = "../shared/skip.rs"]
mod skip;
mod wheel;
mod workflows;

use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn program() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_transcope"))
}

/// The directory of build outputs.
fn target() -> PathBuf {
    program().parent().and_then(Path::parent).expect("the program is in the target directory").to_path_buf()
}

/// Runs a command to its end; its standard output, or a panic with what it printed.
#[track_caller]
fn run(command: &mut Command) -> String {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let [out, errors] = [&output.stdout, &output.stderr].map(|bytes| String::from_utf8_lossy(bytes).into_owned());
    assert!(output.status.success(), "{command:?}: {}\n{out}\n{errors}", output.status);
    out
}

fn cargo() -> Command {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.current_dir(root());
    cargo
}
