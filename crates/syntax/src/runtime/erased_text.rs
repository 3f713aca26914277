//! Removes texts from a message before it is read, and maps the reading back to the original message.

use super::outcome::RuntimeReading;
use crate::text::Span;

/// A text with some markers removed.
#[derive(Debug)]
pub(crate) struct Erased {
    /// The remaining text.
    pub(crate) text: String,
    /// For each marker, the offsets in the remaining text where it was removed, with the number of bytes removed up to
    /// there.
    passes: Vec<Vec<(usize, usize)>>,
}

impl Erased {
    /// Removes one marker after the other, so that removing one may produce another.
    pub(crate) fn new(text: &str, markers: &[String]) -> Self {
        let mut erased = Self { text: text.to_owned(), passes: Vec::new() };
        for marker in markers.iter().filter(|marker| !marker.is_empty()) {
            let mut left = String::with_capacity(erased.text.len());
            let (mut cuts, mut at) = (Vec::new(), 0);
            for (start, found) in erased.text.match_indices(marker.as_str()) {
                left.push_str(&erased.text[at..start]);
                at = start + found.len();
                cuts.push((left.len(), at - left.len()));
            }
            left.push_str(&erased.text[at..]);
            erased.text = left;
            erased.passes.push(cuts);
        }
        erased
    }

    /// Maps all spans of a reading to the original text.
    pub(crate) fn restore(&self, reading: &mut RuntimeReading) {
        reading.relocate(&|span| self.original(span));
    }

    /// The smallest corresponding span in the original text.
    fn original(&self, span: Span) -> Span {
        let (mut start, mut end) = (span.start, span.end);
        for cuts in self.passes.iter().rev() {
            let before_start = cuts.partition_point(|(at, _)| *at <= start);
            let before_end = cuts.partition_point(|(at, _)| *at < end);
            let removed = |count: usize| count.checked_sub(1).map_or(0, |last| cuts[last].1);
            start += removed(before_start);
            end += removed(before_end);
        }
        Span::new(start, end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_lead_back_to_the_text_that_arrived() {
        let markers = ["<a>".to_owned(), "<b>".to_owned()];
        let cases = [
            ("x<a>y", "xy", [(0, 1, "x"), (1, 2, "y"), (0, 2, "x<a>y")].as_slice()),
            ("<a>x<b>", "x", &[(0, 1, "x")]),
            ("<<a>b>x", "x", &[(0, 1, "x")]),
            ("<a><a>", "", &[(0, 0, "")]),
        ];
        for (text, left, spans) in cases {
            let erased = Erased::new(text, &markers);
            assert_eq!(erased.text, left, "{text}");
            for (start, end, there) in spans {
                let span = erased.original(Span::new(*start, *end));
                assert_eq!(&text[span.start..span.end], *there, "{text} {start}..{end}");
            }
        }
    }
}
