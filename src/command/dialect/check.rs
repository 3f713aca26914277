//! `dialect check`: tests declarations and reports what is wrong with them as `check` does.
//!
//! This module does not know what is tested.

use std::io::Write;

use anyhow::Context as _;

use super::super::check::{CheckedText, Unread, report};
use super::super::{ExitStatus, describe, setup};
use crate::cases::declaration;
use crate::cli::DialectCheckArgs;
use crate::config::declarations;
use crate::export::labels::count;
use crate::session::Session;
use crate::text::output::Output;

/// Runs `transcope dialect check` over all files, and says whether one has an error.
pub fn run<W: Write>(args: &DialectCheckArgs, out: &mut Output<W>) -> anyhow::Result<ExitStatus> {
    let setup = setup(&args.declared.common(args.color))?;
    let mut options = setup.dialect;
    let (mut texts, mut unread) = (Vec::new(), Vec::new());
    for path in &args.files {
        let name = path.display().to_string();
        match declarations::read_text(path).with_context(|| format!("could not read the dialect file {name}")) {
            Ok(yaml) => texts.push((name, yaml)),
            Err(error) => unread.push(Unread { path: name, error: describe(&error) }),
        }
    }
    // What is tested together is used together.
    for (name, yaml) in &texts {
        if let Ok(declaration) = declarations::parse(name, yaml) {
            declarations::add(&mut options.declared, declaration);
        }
    }
    let mut checked = Vec::new();
    for (name, yaml) in texts {
        let found = declaration::check(&yaml, &options);
        let remark = found.declaration.map(|declaration| {
            let (texts, calls) = (count(found.texts, "text"), count(found.calls, "call"));
            format!("{name}: dialect {}: {calls} read in {texts}", declaration.info.name)
        });
        let session = Session::with_problems(yaml.as_bytes(), &found.problems);
        checked.push(CheckedText { name, session, remark });
    }
    report(out, checked, &unread, args.format, setup.config.color.unwrap_or_default())
}
