//! What the dialects cost, as a table for people and as JSON.
//!
//! This module does not know how tokens are estimated.

use std::io::{self, Write};

use serde::Serialize;

use super::json_text::{write, write_lines};
use super::record::SCHEMA_VERSION;
use crate::cost::{Costs, Size};

#[derive(Serialize)]
struct CostRecord {
    dialect: &'static str,
    bytes: usize,
    tokens: usize,
    markup_bytes: usize,
    markup_tokens: usize,
    relative: f64,
    losses: usize,
}

#[derive(Serialize)]
struct SizeRecord {
    bytes: usize,
    tokens: usize,
}

/// Writes the table. What a dialect does not carry is said in its line, as that is why it may be cheap.
pub fn write_text<W: Write>(out: &mut W, bill: &Costs) -> io::Result<()> {
    let Size { bytes, tokens } = bill.payload;
    let calls = if bill.calls == 1 { "call" } else { "calls" };
    writeln!(out, "{} {calls}; names and values: {bytes} bytes, about {tokens} tokens", bill.calls)?;
    writeln!(out, "\n{:<10} {:>9} {:>9} {:>9} {:>9} {:>9}", "", "bytes", "markup", "tokens", "markup", "of least")?;
    for cost in &bill.dialects {
        let (whole, markup) = (cost.whole, cost.markup);
        write!(out, "{:<10} {:>9} {:>9}", cost.dialect, whole.bytes, markup.bytes)?;
        write!(out, " {:>9} {:>9} {:>8.2}×", whole.tokens, markup.tokens, cost.relative)?;
        match cost.losses {
            0 => writeln!(out)?,
            losses => writeln!(out, "  {losses} not carried")?,
        }
    }
    writeln!(out, "\nTokens are estimated: 4 letters, 3 digits or 2 signs are one, and so is a run of white space.")
}

/// Writes one JSON object.
pub fn write_json<W: Write>(out: &mut W, bill: &Costs) -> io::Result<()> {
    let Size { bytes, tokens } = bill.payload;
    write!(out, "{{\n\"schema_version\": {SCHEMA_VERSION},\n\"calls\": {},\n\"payload\": ", bill.calls)?;
    write(out, &SizeRecord { bytes, tokens })?;
    write!(out, ",\n\"dialects\": ")?;
    let records = bill.dialects.iter().map(|cost| CostRecord {
        dialect: cost.dialect,
        bytes: cost.whole.bytes,
        tokens: cost.whole.tokens,
        markup_bytes: cost.markup.bytes,
        markup_tokens: cost.markup.tokens,
        relative: (cost.relative * 1000.0).round() / 1000.0,
        losses: cost.losses,
    });
    write_lines(out, records)?;
    out.write_all(b"\n}\n")
}
