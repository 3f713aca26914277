//! The part of YAML that recorders of HTTP write: mappings and lists in blocks, scalars in all styles.
//!
//! A cassette may have megabytes, mostly in a few scalars, and each byte of them must lead to the file; so this reads
//! spans only, in one pass, and `scalar` decodes the scalars that are needed. Complex keys, and collections in brackets with
//! more than JSON in them, are not read.

use crate::text::Span;

/// Deepest nesting of nodes; anything deeper is shown raw.
const MAX_DEPTH: usize = 64;

/// A node; spans are in the text that was read.
#[derive(Debug)]
pub(super) enum Node {
    Scalar(Scalar),
    /// The offset of its beginning, and its members.
    Map(usize, Vec<(Scalar, Node)>),
    /// The offset of its beginning, and its elements.
    List(usize, Vec<Node>),
}

/// A scalar with the style of its text.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scalar {
    pub(super) style: Style,
    /// Its bytes: without quotes, and without the header of a block.
    pub(super) span: Span,
    /// True if it is tagged as binary data in base64.
    pub(super) is_binary: bool,
}

/// Style in which a scalar is written, which decides its escapes and folds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Style {
    Plain,
    Single,
    Double,
    /// A block of lines that begin after `indent` spaces.
    Block {
        is_folded: bool,
        chomping: Chomping,
        indent: usize,
    },
    /// A collection in brackets, read only if it is JSON.
    Flow,
    Alias,
}

/// Treatment of the line feeds at the end of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Chomping {
    Strip,
    Clip,
    Keep,
}

impl Node {
    /// The value under a key; the first one of several.
    pub(super) fn get(&self, text: &[u8], key: &str) -> Option<&Node> {
        let Node::Map(_, members) = self else { return None };
        let is_meant = |name: &Scalar| text[name.span.start..name.span.end].eq_ignore_ascii_case(key.as_bytes());
        members.iter().find(|(name, _)| is_meant(name)).map(|(_, value)| value)
    }

    /// The scalar, or the first one of a list.
    pub(super) fn scalar(&self) -> Option<&Scalar> {
        match self {
            Node::Scalar(scalar) => Some(scalar),
            Node::List(_, items) => items.first()?.scalar(),
            Node::Map(..) => None,
        }
    }

    /// True for null and an absent value.
    pub(super) fn is_null(&self, text: &[u8]) -> bool {
        let Node::Scalar(scalar) = self else { return false };
        scalar.style == Style::Plain && matches!(&text[scalar.span.start..scalar.span.end], b"" | b"~" | b"null")
    }
}

/// The value that a text consists of, whose lines have the indentation of the file.
///
/// # Errors
/// Returns the offset of the first part that is not read.
pub(super) fn read(text: &[u8]) -> Result<Node, usize> {
    let mut reader = BlockReader { text, at: 0 };
    let Some(column) = reader.next_line() else { return Err(0) };
    let node = reader.block(column, MAX_DEPTH)?;
    match reader.next_line() {
        None => Ok(node),
        Some(_) => Err(reader.at),
    }
}

struct BlockReader<'a> {
    text: &'a [u8],
    at: usize,
}

impl BlockReader<'_> {
    fn byte(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn skip_spaces(&mut self) {
        while matches!(self.byte(), Some(b' ' | b'\t')) {
            self.at += 1;
        }
    }

    /// End of the current line, before its line feed.
    fn line_end(&self) -> usize {
        memchr::memchr(b'\n', &self.text[self.at..]).map_or(self.text.len(), |feed| self.at + feed)
    }

    /// Moves to the first character of the next line that has one, at the beginning of a line; returns its column.
    fn next_line(&mut self) -> Option<usize> {
        loop {
            let start = self.at;
            while self.byte() == Some(b' ') {
                self.at += 1;
            }
            match self.byte()? {
                b'\n' => self.at += 1,
                b'\r' if self.text.get(self.at + 1) == Some(&b'\n') => self.at += 2,
                b'#' => self.at = (self.line_end() + 1).min(self.text.len()),
                _ => return Some(self.at - start),
            }
        }
    }

    /// Returns the column of the next line without moving to its first character.
    fn peek_line(&mut self) -> Option<usize> {
        let column = self.next_line()?;
        self.at -= column;
        Some(column)
    }

    /// Moves over the rest of a line, which must be empty or a comment.
    fn end_line(&mut self) -> Result<(), usize> {
        self.skip_spaces();
        match self.byte() {
            None => Ok(()),
            Some(b'\n') => {
                self.at += 1;
                Ok(())
            }
            Some(b'\r' | b'#') => {
                self.at = (self.line_end() + 1).min(self.text.len());
                Ok(())
            }
            Some(_) => Err(self.at),
        }
    }

    /// True if a list entry begins here.
    fn is_entry(&self) -> bool {
        self.byte() == Some(b'-') && self.text.get(self.at + 1).is_none_or(u8::is_ascii_whitespace)
    }

    /// The list or the mapping that begins here, at this column.
    fn block(&mut self, column: usize, depth: usize) -> Result<Node, usize> {
        let Some(depth) = depth.checked_sub(1) else { return Err(self.at) };
        if self.is_entry() { self.list(column, depth) } else { self.map(column, depth) }
    }

    fn list(&mut self, column: usize, depth: usize) -> Result<Node, usize> {
        let (start, mut items) = (self.at, Vec::new());
        loop {
            let line = self.at;
            self.at += 1;
            self.skip_spaces();
            items.push(self.value(column, Some(column + self.at - line), depth)?);
            match self.peek_line() {
                Some(next) if next == column => {
                    self.at += next;
                    if !self.is_entry() {
                        self.at -= next;
                        break;
                    }
                }
                Some(next) if next > column => return Err(self.at + next),
                _ => break,
            }
        }
        Ok(Node::List(start, items))
    }

    fn map(&mut self, column: usize, depth: usize) -> Result<Node, usize> {
        let (start, mut members) = (self.at, Vec::new());
        loop {
            let Some(key) = self.key()? else { return Err(self.at) };
            members.push((key, self.value(column, None, depth)?));
            match self.peek_line() {
                Some(next) if next == column => {
                    self.at += next;
                    if self.is_entry() {
                        return Err(self.at);
                    }
                }
                Some(next) if next > column => return Err(self.at + next),
                _ => break,
            }
        }
        Ok(Node::Map(start, members))
    }

    /// The key that begins here, with its colon; `None` if there is none on this line.
    fn key(&mut self) -> Result<Option<Scalar>, usize> {
        let start = self.at;
        let scalar = match self.byte() {
            Some(b'\'' | b'"') => self.quoted()?,
            Some(b'?' | b'[' | b'{' | b'|' | b'>' | b'&' | b'*' | b'!') | None => return Ok(None),
            Some(_) => {
                let end = self.line_end();
                let line = &self.text[start..end];
                let is_end = |at: &usize| line.get(at + 1).is_none_or(u8::is_ascii_whitespace);
                let Some(colon) = memchr::memchr_iter(b':', line).find(is_end) else { return Ok(None) };
                // A comment may have a colon.
                if memchr::memmem::find(&line[..colon], b" #").is_some() {
                    return Ok(None);
                }
                self.at = start + colon;
                let length = line[..colon].trim_ascii_end().len();
                Scalar { style: Style::Plain, span: Span::new(start, start + length), is_binary: false }
            }
        };
        if self.byte() == Some(b':') && self.text.get(self.at + 1).is_none_or(u8::is_ascii_whitespace) {
            self.at += 1;
            return Ok(Some(scalar));
        }
        self.at = start;
        Ok(None)
    }

    /// The value after a key or a dash in a block at column `parent`. After a dash, a mapping may begin on the same
    /// line; then `column` is where.
    fn value(&mut self, parent: usize, column: Option<usize>, depth: usize) -> Result<Node, usize> {
        self.skip_spaces();
        let mut is_binary = false;
        while let Some(b'!' | b'&') = self.byte() {
            let start = self.at;
            while self.byte().is_some_and(|byte| !byte.is_ascii_whitespace()) {
                self.at += 1;
            }
            is_binary |= &self.text[start..self.at] == b"!!binary";
            self.skip_spaces();
        }
        if let Some(column) = column {
            if self.is_entry() {
                return self.block(column, depth);
            }
            let start = self.at;
            if self.key()?.is_some() {
                self.at = start;
                return self.block(column, depth);
            }
        }
        match self.byte() {
            None | Some(b'\n' | b'\r' | b'#') => {
                let at = self.at;
                self.end_line()?;
                let next = self.peek_line();
                // The entries of a list may be at the column of its key.
                let may_be_list = column.is_none() && next == Some(parent);
                if let Some(next) = next.filter(|next| *next > parent || may_be_list) {
                    self.at += next;
                    if self.is_entry() || (next > parent && self.is_key()?) {
                        return self.block(next, depth);
                    }
                    if next > parent {
                        return self.inline(parent, is_binary);
                    }
                    self.at -= next;
                }
                Ok(Node::Scalar(Scalar { style: Style::Plain, span: Span::at(at), is_binary }))
            }
            Some(_) => self.inline(parent, is_binary),
        }
    }

    fn is_key(&mut self) -> Result<bool, usize> {
        let start = self.at;
        let key = self.key()?;
        self.at = start;
        Ok(key.is_some())
    }

    /// The scalar that begins here, with the rest of its last line.
    fn inline(&mut self, parent: usize, is_binary: bool) -> Result<Node, usize> {
        let scalar = match self.byte() {
            Some(b'|' | b'>') => return Ok(Node::Scalar(Scalar { is_binary, ..self.block_scalar(parent)? })),
            Some(b'\'' | b'"') => self.quoted()?,
            Some(b'[' | b'{') => self.flow()?,
            Some(first) => {
                let span = self.plain(parent);
                let style = if first == b'*' { Style::Alias } else { Style::Plain };
                return Ok(Node::Scalar(Scalar { style, span, is_binary }));
            }
            None => return Err(self.at),
        };
        self.end_line()?;
        Ok(Node::Scalar(Scalar { is_binary, ..scalar }))
    }

    /// A string in quotes, which may have several lines.
    fn quoted(&mut self) -> Result<Scalar, usize> {
        let quote = self.text[self.at];
        let start = self.at + 1;
        let mut at = start;
        loop {
            let rest = self.text.get(at..).unwrap_or_default();
            let Some(next) = memchr::memchr2(quote, b'\\', rest) else { return Err(self.text.len()) };
            at += next;
            match (self.text[at], self.text.get(at + 1)) {
                (b'\\', _) if quote == b'"' => at += 2,
                (b'\\', _) => at += 1,
                (_, Some(b'\'')) if quote == b'\'' => at += 2,
                _ => break,
            }
        }
        self.at = at + 1;
        let style = if quote == b'"' { Style::Double } else { Style::Single };
        Ok(Scalar { style, span: Span::new(start, at), is_binary: false })
    }

    /// A collection in brackets, which may have several lines.
    fn flow(&mut self) -> Result<Scalar, usize> {
        let (start, mut depth) = (self.at, 0_usize);
        while let Some(byte) = self.byte() {
            match byte {
                b'[' | b'{' => depth += 1,
                b']' | b'}' => depth -= 1,
                b'\'' | b'"' => {
                    self.quoted()?;
                    continue;
                }
                _ => {}
            }
            self.at += 1;
            if depth == 0 {
                return Ok(Scalar { style: Style::Flow, span: Span::new(start, self.at), is_binary: false });
            }
        }
        Err(self.at)
    }

    /// The span of a scalar without quotes, which continues on lines that are indented more than its parent.
    fn plain(&mut self, parent: usize) -> Span {
        let start = self.at;
        let mut end;
        loop {
            let feed = self.line_end();
            let line = &self.text[self.at..feed];
            let comment = memchr::memmem::find(line, b" #");
            end = self.at + line[..comment.unwrap_or(line.len())].trim_ascii_end().len();
            self.at = (feed + 1).min(self.text.len());
            let continues = comment.is_none() && self.peek_line().is_some_and(|column| column > parent);
            if !continues {
                return Span::new(start, end);
            }
            self.skip_spaces();
        }
    }

    /// The lines of a block scalar.
    fn block_scalar(&mut self, parent: usize) -> Result<Scalar, usize> {
        let is_folded = self.byte() == Some(b'>');
        let (mut chomping, mut stated) = (Chomping::Clip, None);
        self.at += 1;
        while let Some(byte) = self.byte() {
            match byte {
                b'-' => chomping = Chomping::Strip,
                b'+' => chomping = Chomping::Keep,
                b'1'..=b'9' => stated = Some(parent + usize::from(byte - b'0')),
                _ => break,
            }
            self.at += 1;
        }
        self.end_line()?;
        let start = self.at;
        let mut indent = stated;
        let mut end = start;
        while self.at < self.text.len() {
            let line = &self.text[self.at..self.line_end()];
            let column = line.iter().take_while(|&&byte| byte == b' ').count();
            let is_blank = line.trim_ascii().is_empty();
            if !is_blank {
                let indent = *indent.get_or_insert(column.max(parent + 1));
                if column < indent {
                    break;
                }
            }
            self.at = (self.at + line.len() + 1).min(self.text.len());
            end = self.at;
        }
        let style = Style::Block { is_folded, chomping, indent: indent.unwrap_or(parent + 1) };
        Ok(Scalar { style, span: Span::new(start, end), is_binary: false })
    }
}
