//! The text that YAML is parsed from, with a map to the transcript.
//!
//! A body may have a quotation prefix before each line, which is not part of its YAML. The text is assembled from lines
//! without these prefixes, and each line keeps its offset in the transcript.

use crate::text::Span;

/// A text assembled from ranges of the transcript.
#[derive(Clone, Debug, Default)]
pub struct YamlSource {
    text: String,
    /// For each range its offset in `text` and its offset in the transcript, both increasing.
    stretches: Vec<(usize, usize)>,
    /// Offset after the last byte of the transcript, if made-up text follows.
    end: Option<usize>,
}

impl YamlSource {
    /// A text whose bytes are contiguous at `base`.
    pub(crate) fn whole(bytes: &[u8], base: usize) -> Self {
        let mut source = Self::default();
        source.push(bytes, base);
        source
    }

    /// Appends bytes that are at `at` in the transcript. An invalid byte becomes `?`, so that the offsets of all bytes
    /// stay the same.
    pub(crate) fn push(&mut self, bytes: &[u8], at: usize) {
        self.stretches.push((self.text.len(), at));
        for chunk in bytes.utf8_chunks() {
            self.text.push_str(chunk.valid());
            self.text.extend(chunk.invalid().iter().map(|_| '?'));
        }
    }

    /// Appends text that is not in the transcript; nothing else may follow.
    pub(crate) fn push_made_up(&mut self, text: &str) {
        self.end = Some(self.offset(self.text.len()));
        self.text.push_str(text);
    }

    /// Replaces the bytes from `start` to `end` with line feeds.
    pub(super) fn blank(&mut self, start: usize, end: usize) {
        self.text.replace_range(start..end, &"\n".repeat(end - start));
    }

    /// Replaces a one-byte character with another.
    pub(super) fn replace(&mut self, char: char, stand_in: char) {
        self.text = self.text.replace(char, stand_in.encode_utf8(&mut [0; 4]));
    }

    /// Truncates the text to its first `length` bytes.
    pub(crate) fn truncate(&mut self, length: usize) {
        self.text.truncate(length);
    }

    /// The text to parse.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Offset in the transcript of a byte of the text.
    pub(crate) fn offset(&self, at: usize) -> usize {
        let stretch = self.stretches.partition_point(|&(start, _)| start <= at);
        let (start, origin) = stretch.checked_sub(1).map_or((0, 0), |index| self.stretches[index]);
        let offset = origin + (at - start.min(at));
        self.end.map_or(offset, |end| offset.min(end))
    }

    /// The text at a span of the transcript, which must be within one range.
    pub(crate) fn text_of(&self, span: Span) -> &str {
        let stretch = self.stretches.partition_point(|&(_, origin)| origin <= span.start);
        let (start, origin) = stretch.checked_sub(1).map_or((0, 0), |index| self.stretches[index]);
        let at = start + span.start.saturating_sub(origin);
        self.text.get(at..at + span.len()).unwrap_or_default()
    }

    /// The span in the transcript of the text from `start` to `end`.
    pub(crate) fn span(&self, start: usize, end: usize) -> Span {
        let stretch = self.stretches.partition_point(|&(begins, _)| begins <= start);
        let (begins, origin) = stretch.checked_sub(1).map_or((0, 0), |index| self.stretches[index]);
        let first = self.end.unwrap_or(usize::MAX).min(origin + (start - begins.min(start)));
        if end <= start {
            return Span::at(first);
        }
        // Most spans are within one line.
        let is_same = self.stretches.get(stretch).is_none_or(|&(next, _)| end <= next);
        let behind = if is_same { origin + (end - begins.min(end)) } else { self.offset(end - 1) + 1 };
        Span::new(first, self.end.map_or(behind, |end| behind.min(end)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_byte_leads_back_to_where_it_came_from() {
        let mut source = YamlSource::default();
        source.push(b"input:\n", 12);
        source.push(b"  q: 1\n", 21);
        assert_eq!(source.text(), "input:\n  q: 1\n");
        assert_eq!(source.offset(0), 12);
        assert_eq!(source.offset(6), 18);
        assert_eq!(source.offset(7), 21);
        assert_eq!(source.span(0, 13), Span::new(12, 27));
        assert_eq!(source.span(9, 10), Span::new(23, 24));
        assert_eq!(source.span(14, 14), Span::at(28));
        assert_eq!(source.text_of(Span::new(23, 24)), "q");
        source.push_made_up("}]");
        assert_eq!(source.span(12, 16), Span::new(26, 28));
        assert_eq!(source.span(15, 16), Span::at(28));
    }

    #[test]
    fn an_invalid_byte_keeps_its_place() {
        assert_eq!(YamlSource::whole(b"a\xff\xfeb\xc3", 0).text(), "a??b?");
    }
}
