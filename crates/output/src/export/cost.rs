//! The cost of each dialect, as a text table and as JSON.

use std::io::{self, Write};

use serde_json::json;

use super::json_text::ObjectWriter;
use super::record::SCHEMA_VERSION;
use crate::cost::{DialectCosts, Size};
use crate::wording::count;

/// Writes the table. Each line reports what the dialect loses, as that can be why it is cheap.
pub fn write_text<W: Write>(out: &mut W, costs: &DialectCosts) -> io::Result<()> {
    let Size { bytes, tokens } = costs.payload;
    writeln!(out, "{}; names and values: {bytes} bytes, about {tokens} tokens", count(costs.calls, "call"))?;
    writeln!(out, "\n{:<10} {:>9} {:>9} {:>9} {:>9} {:>9}", "", "bytes", "markup", "tokens", "markup", "relative")?;
    for cost in &costs.dialects {
        let (whole, markup) = (cost.whole, cost.markup);
        write!(out, "{:<10} {:>9} {:>9}", cost.dialect.name, whole.bytes, markup.bytes)?;
        write!(out, " {:>9} {:>9} {:>8.2}×", whole.tokens, markup.tokens, cost.relative)?;
        match cost.losses {
            0 => writeln!(out)?,
            losses => writeln!(out, "  {losses} lost")?,
        }
    }
    writeln!(
        out,
        "\nTokens are estimated: 4 letters, 3 digits, 2 punctuation marks or a run of white space count as one."
    )
}

/// Writes one JSON object, with dialects in the order of the table.
pub fn write_json<W: Write>(out: &mut W, costs: &DialectCosts) -> io::Result<()> {
    let Size { bytes, tokens } = costs.payload;
    let records = costs.dialects.iter().map(|cost| {
        json!({
            "dialect": cost.dialect.name,
            "bytes": cost.whole.bytes,
            "tokens": cost.whole.tokens,
            "markup_bytes": cost.markup.bytes,
            "markup_tokens": cost.markup.tokens,
            "relative": (cost.relative * 1000.0).round() / 1000.0,
            "losses": cost.losses,
        })
    });
    ObjectWriter::new(out)
        .member("schema_version", &SCHEMA_VERSION)?
        .member("calls", &costs.calls)?
        .member("payload", &json!({ "bytes": bytes, "tokens": tokens }))?
        .list("dialects", records)?
        .end()
}
