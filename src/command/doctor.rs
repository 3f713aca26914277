//! `doctor`: reports what this program, its terminal, its settings and the agents on this machine offer.
//!
//! The terminal and the themes belong to the screen, which `main` lends to this command ([`super::ProgramInfo`]).

use std::io::Write;

use anyhow::Result;
use clap::{Args, ValueEnum};

use super::folders::in_folders;
use super::options::{TEXT_WIDTH, window_columns};
use super::outcome::ExitStatus;
use crate::config::inventory::{agent_places, declared_folders, remembered, unread_databases};
use crate::config::{agents, places};
use crate::export::findings::{Finding, FindingSection, FindingState, invalid_count, write_json, write_text};
use crate::text::sanitize::io_error_text;
use crate::wording::count;

/// Report what the terminal can do, where settings are, and whose sessions are found
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  transcope doctor
  transcope doctor --format json

✓ works, – is not there and need not be, ! works in part, ? is unknown, ✗ cannot be used. The exit status
is 1 if a settings file, a theme or a declaration cannot be used. Without a terminal, what it can do is
unknown. Nothing is written, and nothing is sent.

Keys of json: program, terminal, files and sessions, each a list of objects with name, state (ok, absent,
limited, unknown, invalid), value, and where they apply path, count and advice; and invalid, the number of
things that cannot be used.")]
pub struct DoctorArgs {
    /// Output format
    #[arg(long, value_enum, default_value = "text")]
    format: DoctorFormat,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum DoctorFormat {
    /// Plain text for people
    Text,
    /// One JSON object
    Json,
}

/// Runs `transcope doctor`; `terminal` and `settings` are what the screen finds.
///
/// # Errors
/// The output is closed.
pub fn run<W: Write>(args: &DoctorArgs, out: &mut W, terminal: &[Finding], settings: &[Finding]) -> Result<ExitStatus> {
    let mut files = settings.to_vec();
    files.extend(declarations());
    files.extend(state());
    let sections: Vec<FindingSection> =
        vec![("Program", program()), ("Terminal", terminal.to_vec()), ("Files", files), ("Sessions", sessions())];
    match args.format {
        DoctorFormat::Text => write_text(out, &sections, window_columns().unwrap_or(TEXT_WIDTH).min(MAX_WIDTH))?,
        DoctorFormat::Json => write_json(out, &sections)?,
    }
    Ok(if invalid_count(&sections) == 0 { ExitStatus::Success } else { ExitStatus::Findings })
}

/// Columns of a row: longer ones are hard to read.
const MAX_WIDTH: usize = 100;

/// The version, and what was built in.
fn program() -> Vec<Finding> {
    let version = env!("CARGO_PKG_VERSION");
    let commit = option_env!("TRANSCOPE_BUILT_COMMIT").map_or_else(String::new, |commit| format!(", commit {commit}"));
    let mut findings = vec![
        Finding::new("version", FindingState::Ok, format!("{version}{commit}")),
        Finding::new("system", FindingState::Ok, env!("TRANSCOPE_BUILT_TARGET")),
    ];
    if cfg!(debug_assertions) {
        findings.push(
            Finding::new("build", FindingState::Limited, "a debug build, slow on large files")
                .advising("cargo install --path . builds the fast one"),
        );
    }
    findings.push(if cfg!(feature = "sqlite") {
        Finding::new("sqlite", FindingState::Ok, "built in: databases of opencode and Kilo are read")
    } else {
        Finding::new("sqlite", FindingState::Absent, "left out: databases of opencode and Kilo are not read")
            .advising("cargo install --path . --features sqlite, which needs a C compiler")
    });
    findings
}

/// Folders of declared dialects and containers, and the files in them that cannot be used.
fn declarations() -> Vec<Finding> {
    let mut findings = Vec::new();
    for folder in declared_folders() {
        let name = places::name_of(&folder.path);
        let path = folder.path.to_string_lossy().into_owned();
        let noun = folder.kind.trim_end_matches('s');
        let usable = folder.names.len();
        if usable > 0 || folder.faults.is_empty() {
            let state = if usable == 0 { FindingState::Absent } else { FindingState::Ok };
            let value = match usable {
                0 => format!("none of your own in {name}"),
                usable => format!("{} in {name}", count(usable, noun)),
            };
            findings.push(Finding::new(folder.kind, state, value).at(&path).counting(usable));
        }
        let faults = folder.faults.into_iter();
        findings.extend(faults.map(|fault| Finding::new(folder.kind, FindingState::Invalid, fault).at(&path)));
    }
    findings
}

/// The folder in which the program remembers things.
fn state() -> Option<Finding> {
    let (path, entries) = remembered()?;
    let name = places::name_of(&path);
    let finding = match entries {
        Ok(0) => Finding::new("state", FindingState::Absent, format!("nothing remembered in {name}")),
        Ok(_) => Finding::new("state", FindingState::Ok, name),
        Err(error) => Finding::new("state", FindingState::Invalid, format!("{name}: {}", io_error_text(&error))),
    };
    Some(finding.at(path.to_string_lossy()))
}

/// The number of sessions in each place of an agent.
fn sessions() -> Vec<Finding> {
    let mut findings = Vec::new();
    for (agent, path) in agent_places() {
        let name = places::name_of(&path);
        let full = path.to_string_lossy().into_owned();
        findings.push(match in_folders(&[path]) {
            Ok((files, _)) => {
                let state = if files.is_empty() { FindingState::Absent } else { FindingState::Ok };
                let value = format!("{} in {name}", count(files.len(), "session"));
                Finding::new(agent.title, state, value).at(full).counting(files.len())
            }
            Err(error) => Finding::new(agent.title, FindingState::Limited, format!("{error:#}")).at(full),
        });
    }
    for path in unread_databases() {
        let value = format!("{} needs a build with SQLite", places::name_of(&path));
        findings.push(Finding::new("database", FindingState::Limited, value).at(path.to_string_lossy()));
    }
    if findings.is_empty() {
        let value = format!("no folder of {}", agents::titles());
        findings.push(
            Finding::new("none", FindingState::Absent, value)
                .advising("transcope FILE opens any transcript, wherever it is"),
        );
    }
    findings
}
