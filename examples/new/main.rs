//! Adds the skeleton of something new to the project.
//!
//! ```text
//! cargo run --example new -- command NAME
//! cargo run --example new -- dialect NAME
//! cargo run --example new -- pane NAME
//! cargo run --example new -- screen NAME
//! ```
//!
//! Each kind of addition is a file here, with its changes and its templates, and a row of `KINDS`. The generated code
//! compiles and does something small, to be replaced. `tests/tidy` tries each kind on the current files. Afterwards
//! update the index of declarations with `INSTA_UPDATE=always cargo test --lib declared::index`, then snapshots that
//! list all commands, dialects, keys or panes with `INSTA_UPDATE=always cargo test`.

#![allow(clippy::print_stdout, clippy::print_stderr)]

mod change;
mod command;
mod dialect;
mod pane;
mod screen;

use std::fs;
use std::path::Path;
use std::process::ExitCode;

use change::{Change, Name, Recipe};

/// The kinds of things that can be added.
const KINDS: [(&str, Recipe); 4] = [
    ("command", command::changes),
    ("dialect", dialect::changes),
    ("pane", pane::changes),
    ("screen", screen::changes),
];

fn main() -> ExitCode {
    match run(&std::env::args().skip(1).collect::<Vec<_>>()) {
        Ok(paths) => {
            println!("{}", paths.join("\n"));
            ExitCode::SUCCESS
        }
        Err(words) => {
            eprintln!("error: {words}");
            ExitCode::from(2)
        }
    }
}

fn run(arguments: &[String]) -> Result<Vec<String>, String> {
    let [kind, name] = arguments else { return Err("usage: cargo run --example new -- KIND NAME".into()) };
    let known = KINDS.iter().find(|(known, _)| known == kind).ok_or_else(|| {
        let kinds: Vec<&str> = KINDS.iter().map(|(kind, _)| *kind).collect();
        format!("unknown kind {kind:?}; there are: {}", kinds.join(", "))
    })?;
    apply(Path::new(env!("CARGO_MANIFEST_DIR")), &known.1(&Name::parse(name)?))
}

/// Makes all changes, or none if one of them cannot be made.
///
/// # Errors
/// A change that cannot be made, with the name of its file.
fn apply(root: &Path, changes: &[Change]) -> Result<Vec<String>, String> {
    let mut made: Vec<(String, String)> = Vec::new();
    for change in changes {
        let path = change.path();
        let earlier = made.iter().position(|(made, _)| made == path).map(|at| made.remove(at).1);
        let old = earlier.or_else(|| fs::read_to_string(root.join(path)).ok());
        let text = change.applied(old.as_deref()).map_err(|words| format!("{path}: {words}"))?;
        made.push((path.to_owned(), text));
    }
    for (path, text) in &made {
        fs::write(root.join(path), text).map_err(|error| format!("{path}: {error}"))?;
    }
    Ok(made.into_iter().map(|(path, _)| path).collect())
}
