//! `dialects`: what transcope reads, how it recognises each, and one example each.
//!
//! This module does not know any dialect; each says itself what it is.

use std::io::{self, Write};

use crate::dialect::{Options, registry};
use crate::text::sanitize::visible;
use crate::text::wrap::{Wrap, wrap};

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
        paragraph(out, &format!("Recognised by {}.", about.recognised_by))?;
        writeln!(out)?;
        for line in about.example.lines() {
            writeln!(out, "{}", format!("    {}", visible(line.as_bytes())).trim_end())?;
        }
    }
    Ok(())
}

fn paragraph<W: Write>(out: &mut W, words: &str) -> io::Result<()> {
    for row in wrap(words.as_bytes(), WIDTH - 2, Wrap::Words) {
        writeln!(out, "  {}", words.get(row.start..row.end).unwrap_or_default().trim_end())?;
    }
    Ok(())
}
