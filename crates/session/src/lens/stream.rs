//! The deltas that a client receives from each parser when the message arrives in pieces, and whether their sum is the
//! outcome of the whole message.

use super::fact::compare;
use super::{FactState, Lens, MessageText, OutcomeFact, ParserChoice};
use crate::runtime::catalog::ParserRelease;
use crate::runtime::conformance::stream_score_of;
use crate::runtime::{self, Cut, Outcome, StreamDelta, ToolRequest};

/// The runtimes whose streams are known.
pub const STREAMED_RUNTIMES: [&str; 2] = ["vllm", "sglang"];

/// A message that arrived in pieces, as the parsers of [`STREAMED_RUNTIMES`] deliver it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct LensStream {
    /// The message read as a whole.
    pub lens: Lens,
    /// Offsets in bytes at which the pieces end; the last one is the length of the message.
    pub ends: Vec<usize>,
    /// A row for each parser, in its newest release, in the order of the lens.
    pub rows: Vec<StreamRow>,
}

/// The deltas of one parser.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct StreamRow {
    /// The parser and its newest release.
    pub parser: ParserRelease,
    /// The deltas, by the piece after which they are sent.
    pub deltas: Vec<StreamDelta>,
    /// The sum of the deltas.
    pub sum: Outcome,
    /// The facts of the sum that the outcome of the whole message does not have, or has otherwise. White space around the
    /// content does not count, since streams of it are not recorded exactly.
    pub differences: Vec<OutcomeFact>,
    /// True if fewer than four of five recorded streams have the sum that the profile gives, or none was recorded.
    pub is_approximate: bool,
    /// True if the deltas may arrive after other pieces: fewer than four of five recorded streams are reproduced delta by
    /// delta, or the profile does not state when its parser sends the parts of a call.
    pub is_timing_approximate: bool,
}

impl LensStream {
    /// Reads a message in pieces with the selected parsers of the newest releases.
    #[must_use]
    pub fn new(message: &MessageText, request: &ToolRequest, wanted: &ParserChoice, cut: Cut) -> Self {
        let lens = Lens::new(message, request, wanted);
        let ends = cut.ends(&message.text);
        let is_known = |parser: &ParserRelease| {
            STREAMED_RUNTIMES.contains(&parser.profile.runtime.as_ref())
                && *parser.release == parser.profile.releases[0]
        };
        let rows = lens.rows.iter().filter(|row| is_known(&row.parser)).map(|row| {
            let parser = row.parser;
            let stream = runtime::read_in_pieces(parser.profile, &message.text, &lens.request, &ends);
            let [whole, sum] = [&row.reading.outcome, &stream.reading.outcome].map(trimmed);
            let mut differences = compare(&whole, &sum);
            differences.retain(|fact| fact.state != FactState::Same);
            let score = stream_score_of(&parser);
            let is_timing_approximate = !stream.is_timed || score.is_none_or(|score| score.is_timing_approximate());
            StreamRow {
                parser,
                deltas: stream.deltas,
                sum: stream.reading.outcome,
                differences,
                is_approximate: score.is_none_or(|score| score.is_approximate()),
                is_timing_approximate,
            }
        });
        let rows = rows.collect();
        Self { lens, ends, rows }
    }
}

/// An outcome without white space around its content.
fn trimmed(outcome: &Outcome) -> Outcome {
    let content = outcome.content.as_deref().map(str::trim).filter(|content| !content.is_empty());
    Outcome { content: content.map(str::to_owned), ..outcome.clone() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::Options;
    use crate::lens::request_of;
    use crate::session::Session;

    #[test]
    fn deltas_come_piece_by_piece_and_sum_up_to_the_outcome() {
        let text = "I look.\n<tool_call>\n{\"name\": \"find\", \"arguments\": {\"city\": \"Oslo\"}}\n</tool_call>";
        let session = Session::read(text.as_bytes(), &Options::default());
        let message = session.model_text_at(None).expect("it is a message");
        let wanted = ParserChoice { dialects: vec!["hermes".to_owned()], ..ParserChoice::default() };
        let stream = LensStream::new(&message, &request_of(None), &wanted, Cut::Char);
        let names: Vec<String> = stream.rows.iter().map(|row| row.parser.name().to_string()).collect();
        assert!(names.contains(&"vllm:hermes".to_owned()) && names.contains(&"sglang:hermes".to_owned()), "{names:?}");
        assert_eq!(stream.ends.len(), text.len());
        for row in &stream.rows {
            assert!(row.deltas.len() > 3, "{:?}", row.deltas);
            assert!(row.deltas.is_sorted_by_key(|delta| delta.piece), "{:?}", row.deltas);
            assert_eq!(row.differences, [], "{}", row.parser.name());
        }
    }
}
