//! `dialects`: what transcope reads, how it recognises each, and one example each.
//!
//! This module does not know any dialect; each says itself what it is.

use std::io::Write;

use crate::dialect::{Options, registry};
use crate::text::sanitize::visible;
use crate::text::wrap::word_rows;

const WIDTH: usize = 80;

/// Runs `transcope dialects`, in the order of the registry.
pub fn run<W: Write>(out: &mut W) -> anyhow::Result<()> {
    let dialects = registry(&Options::default());
    let longest = dialects.iter().map(|dialect| dialect.about().name.len()).max().unwrap_or_default();
    for dialect in &dialects {
        let about = dialect.about();
        writeln!(out, "{:longest$}  {}", about.name, about.title)?;
    }
    for dialect in &dialects {
        let about = dialect.about();
        writeln!(out, "\n{}\n", about.name)?;
        for row in word_rows(&format!("Recognised by {}.", about.recognised_by), WIDTH - 2) {
            writeln!(out, "  {row}")?;
        }
        writeln!(out)?;
        for line in about.example.lines() {
            writeln!(out, "{}", format!("    {}", visible(line.as_bytes())).trim_end())?;
        }
    }
    Ok(())
}
