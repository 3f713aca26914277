//! The characters that the parser reads, some of which are substituted.
//!
//! The parser rejects two things in brackets that every JavaScript library accepts: a bracket directly after a colon
//! (`{a:[1]}`), and a tab that indents a line. It requests the characters one by one, so it receives what it accepts: a
//! closing bracket for the opening one after a colon, a space for such a tab. Text is sliced from the source and not
//! built from these characters, so values and positions are the original ones.

use granit_parser::input::{SkipTabs, WhitespaceResult};
use granit_parser::{BorrowedInput, ErrorKind, Input, StrInput};

pub(super) struct Characters<'a> {
    source: StrInput<'a>,
    /// Number of open brackets.
    depth: usize,
    /// True if only spaces precede the next character on its line.
    line_start: bool,
}

impl<'a> Characters<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { source: StrInput::new(text), depth: 0, line_start: true }
    }

    /// Continues a plain scalar, in brackets or not: outside brackets, the characters at its start opened none.
    fn word(&mut self, in_brackets: bool) {
        if !in_brackets {
            self.depth = 0;
        }
    }
}

impl Input for Characters<'_> {
    fn lookahead(&mut self, count: usize) {
        self.source.lookahead(count);
    }

    fn buflen(&self) -> usize {
        self.source.buflen()
    }

    fn bufmaxlen(&self) -> usize {
        self.source.bufmaxlen()
    }

    fn raw_read_ch(&mut self) -> char {
        self.source.raw_read_ch()
    }

    fn raw_read_non_breakz_ch(&mut self) -> Option<char> {
        self.source.raw_read_non_breakz_ch()
    }

    fn skip(&mut self) {
        match self.source.peek() {
            '[' | '{' => self.depth += 1,
            ']' | '}' => self.depth = self.depth.saturating_sub(1),
            _ => {}
        }
        self.line_start = match self.source.peek() {
            '\n' | '\r' => true,
            ' ' | '\t' => self.line_start,
            _ => false,
        };
        self.source.skip();
    }

    fn skip_n(&mut self, count: usize) {
        for _ in 0..count {
            self.skip();
        }
    }

    fn peek(&self) -> char {
        match self.source.peek() {
            '\t' if self.depth > 0 && self.line_start => ' ',
            other => other,
        }
    }

    fn peek_nth(&self, n: usize) -> char {
        match (n, self.source.peek(), self.source.peek_nth(n)) {
            (0, _, _) => self.peek(),
            (1, ':', '[') => ']',
            (1, ':', '{') => '}',
            (_, _, other) => other,
        }
    }

    fn byte_offset(&self) -> Option<usize> {
        self.source.byte_offset()
    }

    fn slice_bytes(&self, start: usize, end: usize) -> Option<&str> {
        self.source.slice_bytes(start, end)
    }

    // The following methods consume text in bulk, for speed; brackets in a comment or a quoted scalar open nothing.

    fn skip_ws_to_eol(&mut self, tabs: SkipTabs) -> (usize, Result<WhitespaceResult, ErrorKind>) {
        self.source.skip_ws_to_eol(tabs)
    }

    fn skip_ws_to_eol_blanks(&mut self, tabs: SkipTabs) -> (usize, WhitespaceResult) {
        self.source.skip_ws_to_eol_blanks(tabs)
    }

    fn skip_while_non_breakz(&mut self) -> usize {
        self.source.skip_while_non_breakz()
    }

    fn skip_while_blank(&mut self) -> usize {
        self.source.skip_while_blank()
    }

    fn fetch_while_is_alpha(&mut self, out: &mut String) -> usize {
        self.source.fetch_while_is_alpha(out)
    }

    fn fetch_while_is_yaml_non_space(&mut self, out: &mut String) -> usize {
        self.source.fetch_while_is_yaml_non_space(out)
    }

    fn fetch_block_scalar_line(&mut self, out: &mut String) -> usize {
        self.source.fetch_block_scalar_line(out)
    }

    fn take_quoted_scalar_chunk(&mut self, single: bool) -> (&str, usize) {
        let chunk = self.source.take_quoted_scalar_chunk(single);
        self.line_start &= chunk.1 == 0;
        chunk
    }

    fn fetch_plain_scalar_chunk(&mut self, out: &mut String, count: usize, in_brackets: bool) -> (bool, usize) {
        self.word(in_brackets);
        self.source.fetch_plain_scalar_chunk(out, count, in_brackets)
    }

    fn skip_plain_scalar_chunk(&mut self, count: usize, in_brackets: bool) -> (bool, usize) {
        self.word(in_brackets);
        self.source.skip_plain_scalar_chunk(count, in_brackets)
    }
}

impl<'a> BorrowedInput<'a> for Characters<'a> {
    fn slice_borrowed(&self, start: usize, end: usize) -> Option<&'a str> {
        self.source.slice_borrowed(start, end)
    }
}
