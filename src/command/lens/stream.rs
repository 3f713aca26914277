//! `lens --stream`: the deltas of a message that arrives in pieces.

use std::io::Write;

use anyhow::ensure;

use super::LensFormat;
use crate::export::lens_stream::{to_json, write_text};
use crate::lens::stream::{LensStream, STREAMED_RUNTIMES};
use crate::lens::{MessageText, ParserChoice};
use crate::runtime::{Cut, ToolRequest};
use crate::wording::count;

/// Maximum product of the size of a message in bytes and the number of its pieces: arguments are completed after each piece.
const LARGEST: usize = 1 << 26;

/// The parsers, the request, and the pieces.
pub(super) struct StreamRequest<'a> {
    pub(super) request: &'a ToolRequest,
    pub(super) wanted: &'a ParserChoice,
    pub(super) cut: Cut,
}

/// Writes the deltas of each parser, and returns them. Nothing is written if no parser reads the message.
///
/// # Errors
/// The message has too many pieces, its parsers have no streams that are known, or it could not be written.
pub(super) fn write<W: Write>(
    out: &mut W,
    message: &MessageText,
    asked: &StreamRequest<'_>,
    format: LensFormat,
    width: usize,
) -> anyhow::Result<LensStream> {
    let StreamRequest { request, wanted, cut } = *asked;
    let pieces = cut.ends(&message.text).len();
    let is_bounded = pieces.saturating_mul(message.text.len()) <= LARGEST;
    ensure!(is_bounded, "{} are too many for a message of this size; use a larger --cut", count(pieces, "piece"));
    let stream = LensStream::new(message, request, wanted, cut);
    if stream.lens.rows.is_empty() {
        return Ok(stream);
    }
    let (known, dialects) = (STREAMED_RUNTIMES.join(" and "), stream.lens.dialects.join(", "));
    ensure!(
        !stream.rows.is_empty(),
        "--stream is known for the newest releases of {known}; none of the parsers for {dialects} is one of theirs"
    );
    match format {
        LensFormat::Json => writeln!(out, "{:#}", to_json(&stream))?,
        LensFormat::Ndjson => writeln!(out, "{}", to_json(&stream))?,
        LensFormat::Text | LensFormat::Csv => write_text(out, &message.text, &stream, width)?,
    }
    Ok(stream)
}
