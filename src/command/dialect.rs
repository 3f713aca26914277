//! `dialects` and `dialect`: what dialects there are, and what people do with declarations of their own.
//!
//! This module does not know any dialect; each says itself what it is.

mod check;
mod list;
mod proposal;
mod show;

use std::io::Write;

use super::ExitStatus;
use crate::cli::{DialectArgs, DialectCommand};
use crate::text::output::Output;

pub use list::run as list;

/// Runs `transcope dialect`, and says whether a declaration has an error.
pub fn run<W: Write>(args: &DialectArgs, out: &mut Output<W>) -> anyhow::Result<ExitStatus> {
    match &args.command {
        DialectCommand::Check(args) => check::run(args, out),
        DialectCommand::Show(args) => show::run(args, out).map(|()| ExitStatus::Success),
        DialectCommand::New(args) => proposal::run(args, out),
    }
}
