//! Brings the published rules for secrets up to date, and the examples that measure how many secrets are found.
//!
//! ```sh
//! git clone https://github.com/betterleaks/betterleaks ../betterleaks      # MIT
//! git clone https://github.com/mongodb/kingfisher ../kingfisher            # Apache-2.0; its releases before 2.0 have YAML
//! cargo run --example secret_rules -- betterleaks ../betterleaks
//! cargo run --example secret_rules -- kingfisher ../kingfisher
//! cargo run --example secret_rules -- examples ../kingfisher ../noseyparker
//! ```
//!
//! Rules that cannot be used are listed with the reason. Half of the examples, by the hash of their rule, are for reading
//! while rules are written; the other half is only measured, and `tests/properties/published_secrets` prints none of it.

#![allow(clippy::print_stdout)]

mod pattern;
mod sample;
mod source;

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result, bail, ensure};

use source::PublishedRule;

fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["betterleaks", checkout] => {
            let notice = "Betterleaks, config/betterleaks.toml, copyright (c) 2026 Zachary Rice, MIT licence";
            write_rules(root, "betterleaks", notice, checkout, &source::betterleaks(Path::new(checkout))?)
        }
        ["kingfisher", checkout] => {
            let notice = "Kingfisher, data/rules, copyright (c) MongoDB, Inc., Apache-2.0 licence";
            write_rules(root, "kingfisher", notice, checkout, &source::yaml(&Path::new(checkout).join("data/rules"))?)
        }
        ["examples", kingfisher, noseyparker] => {
            let mut rules = source::yaml(&Path::new(kingfisher).join("data/rules"))?;
            let folder = "crates/noseyparker/data/default/builtin/rules";
            rules.extend(source::yaml(&Path::new(noseyparker).join(folder))?);
            for (name, text) in sample::halves(&rules)? {
                fs::write(root.join("tests/data/secrets").join(name), text)?;
            }
            Ok(())
        }
        _ => bail!("betterleaks CHECKOUT | kingfisher CHECKOUT | examples KINGFISHER NOSEYPARKER"),
    }
}

/// Writes the file that the redactor reads: a line for each rule, with fields separated by tabs.
fn write_rules(root: &Path, name: &str, notice: &str, checkout: &str, rules: &[PublishedRule]) -> Result<()> {
    let mut out = format!("# {notice}.\n# Revision {}, converted by examples/secret_rules.\n", revision(checkout)?);
    out.push_str("# Kind, bytes before the first sign, least entropy in bits a byte, pattern, signs.\n");
    let (mut lines, mut refused) = (Vec::new(), Vec::new());
    for rule in rules {
        match rule.line() {
            Ok(line) => lines.push(line),
            Err(reason) => refused.push(format!("{}: {reason}", rule.id)),
        }
    }
    lines.sort();
    lines.dedup();
    for line in &lines {
        writeln!(out, "{line}")?;
    }
    fs::write(root.join("crates/session/src/redact/rules").join(format!("{name}.txt")), out)?;
    println!("{} rules, {} refused:\n{}", lines.len(), refused.len(), refused.join("\n"));
    Ok(())
}

/// The commit of a checkout.
fn revision(checkout: &str) -> Result<String> {
    let output =
        Command::new("git").args(["-C", checkout, "rev-parse", "HEAD"]).output().context("could not run git")?;
    ensure!(output.status.success(), "{checkout} is not a git checkout");
    Ok(String::from_utf8(output.stdout)?.trim().to_owned())
}
