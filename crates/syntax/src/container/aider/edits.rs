//! Parses aider's edits in the output of its model, and assembles calls from their lines.
//!
//! ````text
//! block   = [fence NL] path NL [fence NL] "<<<<<<< SEARCH" NL lines "=======" NL lines ">>>>>>> REPLACE" NL [fence NL]
//! fence   = "```" or more, with a language
//! whole   = path NL fence NL lines fence NL
//! udiff   = "```diff" NL ["--- " path NL "+++ " path NL] lines "```" NL
//! ````
//!
//! The rules are the program's (`editblock_coder.py`): markers have 5 to 9 characters, the path is on one of the
//! three lines before, bare or decorated, and a block without a path edits the file of the previous block. Fences and
//! markers are not part of the call. A block without an end is a call that is cut off. A whole file
//! (`wholefile_coder.py`) is an edit only if that format is in use, and so is a diff (`udiff_coder.py`): other answers
//! have fences with examples.

use super::super::call::{CallText, number_word};
use super::super::fragment::Fragment;
use super::super::lines::without_end;
use super::super::writer::TextWriter;
use super::super::{CallOutcome, Interpretation, MessagePart};
use crate::diagnostic::Code;
use crate::text::{Span, trim};

/// Number of lines before a block in which its path is searched for.
const BEFORE: usize = 3;

/// Name given to such a call, as in "Applied edit to".
const NAME: &str = "edit";

/// An edit whose outcome is not known yet.
#[derive(Debug)]
pub(in crate::container) struct OpenEdit {
    /// The id of its call.
    pub(in crate::container) id: Box<str>,
    /// The path of the file that it changes.
    pub(in crate::container) path: Box<[u8]>,
}

/// Context of the next line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Within {
    #[default]
    Prose,
    Search,
    Replace,
    /// After a block whose fence may be closed by this line.
    Fence,
    /// In a whole file whose fence has this many backticks.
    Content(usize),
    /// In a diff: the number of backticks of its fence, and true if its call has begun.
    Diff(usize, bool),
}

/// The edit format that a chat uses in addition to blocks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::container) enum EditForm {
    #[default]
    Blocks,
    /// A fence after a path holds a whole file.
    WholeFiles,
    /// A fence of the language `diff` holds a diff.
    Diffs,
}

/// Parses the output of a model line by line.
#[derive(Debug, Default)]
pub(in crate::container) struct EditBlocks {
    /// The outcome of all calls, if no results will follow.
    outcome: Option<CallOutcome>,
    form: EditForm,
    within: Within,
    /// True if a text part is open.
    is_saying: bool,
    /// True if a fence was opened before the block.
    is_fenced: bool,
    /// Lines that may hold the path of a block, with their offsets in the file.
    held: Vec<(Vec<u8>, usize)>,
    /// Path of the last block.
    path: Option<Fragment>,
    numbered: usize,
    /// Offset in the file after the last line.
    behind: usize,
    /// Edits to be returned by [`EditBlocks::take_edits`].
    edits: Vec<OpenEdit>,
}

impl EditBlocks {
    /// A parser for a file that does not state the outcomes of edits.
    pub(in crate::container) fn without_outcomes() -> Self {
        Self { outcome: Some(CallOutcome::Unknown), ..Self::default() }
    }

    /// Sets the format of the following edits.
    pub(in crate::container) fn takes_form(&mut self, form: EditForm) {
        self.form = form;
    }

    /// True if a block has begun and not ended.
    pub(in crate::container) fn is_open(&self) -> bool {
        matches!(self.within, Within::Search | Within::Replace | Within::Content(_) | Within::Diff(..))
    }

    /// Number of bytes held until the lines after them arrive.
    pub(in crate::container) fn held(&self) -> usize {
        self.held.iter().map(|(line, _)| line.len()).sum()
    }

    /// The edits since the last call.
    pub(in crate::container) fn take_edits(&mut self) -> Vec<OpenEdit> {
        std::mem::take(&mut self.edits)
    }

    /// Takes a chunk of a line at `at`; a complete line unless it is long.
    pub(in crate::container) fn take(&mut self, line: &[u8], at: usize, is_start: bool, out: &mut TextWriter) {
        self.behind = at + line.len();
        let bare = trim(line, 0);
        let bare = if is_start { &line[bare.start..bare.end] } else { b"" };
        if self.within == Within::Fence {
            // Another block may begin in the same fence.
            let is_another = is_marks(bare, b'<', b" SEARCH");
            self.within = Within::Prose;
            if self.is_fenced && is_start && !bare.is_empty() && bare.iter().all(|byte| *byte == b'`') {
                return;
            }
            self.is_fenced &= is_another;
        }
        match self.within {
            Within::Search if is_marks(bare, b'=', b"") => {
                self.within = Within::Replace;
                add("\",\"replace\":\"", at, out);
            }
            Within::Replace if is_marks(bare, b'>', b" REPLACE") || is_marks(bare, b'=', b"") => {
                self.within = Within::Fence;
                add("\"}}", at, out);
                out.end();
            }
            Within::Content(marks) if is_start && fence_of(bare) == marks && marks == bare.len() => {
                self.within = Within::Prose;
                add("\"}}", at, out);
                out.end();
            }
            Within::Diff(marks, is_call) => self.diff_line(line, at, is_start, (marks, is_call), out),
            Within::Search | Within::Replace | Within::Content(_) => add_content(line, at, out),
            _ if is_marks(bare, b'<', b" SEARCH") => self.begin(Within::Search, at, out),
            _ if self.form == EditForm::Diffs && fence_of(bare) > 2 && bare.ends_with(b"`diff") => {
                self.flush(out);
                self.is_saying = false;
                self.within = Within::Diff(fence_of(bare), false);
            }
            _ if self.form == EditForm::WholeFiles && is_fence(bare) && self.header() < self.held.len() => {
                self.begin(Within::Content(fence_of(bare)), at, out);
            }
            _ if is_start && line.ends_with(b"\n") && !is_marks(bare, b'>', b" REPLACE") => {
                if self.held.len() == BEFORE {
                    let (line, at) = self.held.remove(0);
                    self.write_line(&line, at, out);
                }
                self.held.push((line.to_vec(), at));
            }
            _ => {
                self.flush(out);
                if is_marks(bare, b'>', b" REPLACE") {
                    let place = Span::new(at, at + without_end(line).len());
                    out.problem(
                        Code::StrayEnd,
                        place,
                        "an edit ends here that has not begun: the line \"<<<<<<< SEARCH\" is missing",
                    );
                }
                self.write_line(line, at, out);
            }
        }
    }

    /// Takes a line in a fenced diff, in which each pair of `---` and `+++` begins the edit of a file.
    fn diff_line(
        &mut self,
        line: &[u8],
        at: usize,
        is_start: bool,
        (marks, is_call): (usize, bool),
        out: &mut TextWriter,
    ) {
        let bare = without_end(line);
        if is_start && fence_of(bare) == marks && bare.trim_ascii_end().len() == marks {
            self.flush_diff(out);
            if matches!(self.within, Within::Diff(_, true)) {
                add("\"}}", at, out);
                out.end();
            }
            self.within = Within::Prose;
            return;
        }
        if is_start
            && bare.starts_with(b"+++ ")
            && let Some((old, old_at)) = self.held.pop()
        {
            if is_call {
                add("\"}}", old_at, out);
                out.end();
            }
            self.path = changed_path(&old, old_at, line, at);
            self.begin_call(Within::Diff(marks, true), old_at, old_at, out);
            add_content(&old, old_at, out);
            return add_content(line, at, out);
        }
        self.flush_diff(out);
        if is_start && bare.starts_with(b"--- ") && line.ends_with(b"\n") {
            return self.held.push((line.to_vec(), at));
        }
        if matches!(self.within, Within::Diff(_, false)) {
            self.begin_call(Within::Diff(marks, true), at, at, out);
        }
        add_content(line, at, out);
    }

    /// Adds a held line to the diff: no line with a path followed it.
    fn flush_diff(&mut self, out: &mut TextWriter) {
        if let Within::Diff(marks, is_call) = self.within
            && let Some((line, at)) = self.held.pop()
        {
            if !is_call {
                self.begin_call(Within::Diff(marks, true), at, at, out);
            }
            add_content(&line, at, out);
        }
    }

    /// Ends the text.
    pub(in crate::container) fn end(&mut self, out: &mut TextWriter) {
        self.flush_diff(out);
        if let Within::Diff(_, false) = self.within {
            self.within = Within::Prose;
        }
        self.flush(out);
        if self.is_open() {
            let words = if self.within == Within::Search { "\",\"replace\":\"\"}}" } else { "\"}}" };
            add(words, self.behind, out);
            let message = match self.within {
                Within::Content(_) => "a file has no end: the fence that closes it is missing",
                Within::Diff(..) => "a difference has no end: the fence that closes it is missing",
                _ => "an edit has no end: the line \">>>>>>> REPLACE\" is missing",
            };
            out.problem(Code::UnterminatedCall, Span::at(self.behind), message);
        }
        out.end();
        self.is_saying = false;
        self.within = Within::Prose;
    }

    fn flush(&mut self, out: &mut TextWriter) {
        for (line, at) in std::mem::take(&mut self.held) {
            self.write_line(&line, at, out);
        }
    }

    fn write_line(&mut self, line: &[u8], at: usize, out: &mut TextWriter) {
        if !self.is_saying {
            // Empty lines around a block are dropped.
            if trim(line, 0).is_empty() {
                return;
            }
            self.is_saying = true;
            out.begin(MessagePart::Text(Interpretation::Parsed));
        }
        out.copy(line, at);
    }

    /// Begins a block with the line at `at`; the next line is in the context `within`.
    fn begin(&mut self, within: Within, at: usize, out: &mut TextWriter) {
        let header = self.held.split_off(self.header());
        self.flush(out);
        self.is_fenced |= header.iter().any(|(line, _)| is_fence(line));
        if let Some((line, at)) = header.iter().find(|(line, _)| !is_fence(line)) {
            let place = path_in(line);
            let mut path = Fragment::default();
            path.bytes(&line[place.start..place.end], at + place.start);
            self.path = Some(path);
        }
        self.begin_call(within, header.first().map_or(at, |(_, at)| *at), at, out);
    }

    /// Begins an edit of the file at the path, which was named before the byte at `named`.
    fn begin_call(&mut self, within: Within, named: usize, at: usize, out: &mut TextWriter) {
        self.within = within;
        self.is_saying = false;
        self.numbered += 1;
        let mut name = Fragment::default();
        name.push_synthetic(NAME, named);
        let mut call = CallText::numbered(self.numbered, &name);
        out.begin(call.part(self.outcome));
        call.text.push_synthetic("{", at);
        if let Some(path) = &self.path {
            call.text.push_synthetic("\"path\":", at);
            call.text.quote(path);
            call.text.push_synthetic(",", at);
        }
        let key = match self.within {
            Within::Search => "\"search\":\"",
            Within::Diff(..) => "\"diff\":\"",
            _ => "\"content\":\"",
        };
        call.text.push_synthetic(key, at);
        out.write(&call.text);
        let path = self.path.as_ref().map_or(&[][..], |path| &path.bytes);
        self.edits.push(OpenEdit { id: number_word(self.numbered).into(), path: path.into() });
    }

    /// Index of the first held line that belongs to the block.
    fn header(&self) -> usize {
        let is_fence_at = |index: usize| is_fence(&self.held[index].0);
        let mut from = self.held.len();
        while from > 0 && is_fence_at(from - 1) {
            from -= 1;
        }
        let names_file = |index: usize| {
            let line = &self.held[index].0;
            let place = path_in(line);
            let path = &line[place.start..place.end];
            !path.is_empty()
                && path != b"..."
                && (!path.contains(&b' ') || path.contains(&b'/') || path.contains(&b'.'))
        };
        if from > 0 && names_file(from - 1) {
            let is_inside = from == self.held.len();
            from -= 1;
            if is_inside && from > 0 && is_fence_at(from - 1) {
                from -= 1;
            }
        }
        from
    }
}

/// Adds text that is not in the file to the open part.
fn add(words: &str, at: usize, out: &mut TextWriter) {
    let mut fragment = Fragment::default();
    fragment.push_synthetic(words, at);
    out.write(&fragment);
}

/// Adds a line of the file to the string of the open call.
fn add_content(line: &[u8], at: usize, out: &mut TextWriter) {
    let mut raw = Fragment::default();
    raw.bytes(line, at);
    let mut words = Fragment::default();
    words.escape(&raw);
    out.write(&words);
}

/// The path of the file that a diff changes, from its `---` and `+++` lines.
fn changed_path(old: &[u8], old_at: usize, new: &[u8], new_at: usize) -> Option<Fragment> {
    let path = |line: &[u8]| trim(&line[4..], 4);
    let (before, after) = (path(old), path(new));
    let is_deleted = &new[after.start..after.end] == b"/dev/null";
    let of_git = old[before.start..].starts_with(b"a/") && (is_deleted || new[after.start..].starts_with(b"b/"));
    let (line, place, at) = if is_deleted { (old, before, old_at) } else { (new, after, new_at) };
    let start = place.start + if of_git { 2 } else { 0 };
    let mut path = Fragment::default();
    path.bytes(&line[start..place.end], at + start);
    Some(path).filter(|path| !path.is_empty())
}

/// True if a line is 5 to 9 of these characters followed by `words`.
fn is_marks(line: &[u8], mark: u8, words: &[u8]) -> bool {
    let count = line.iter().take_while(|byte| **byte == mark).count();
    let rest = &line[count..];
    (5..=9).contains(&count) && (rest == words || (mark == b'<' && rest.strip_suffix(b">") == Some(words)))
}

/// Number of backticks at the start of a line.
fn fence_of(line: &[u8]) -> usize {
    line.iter().take_while(|byte| **byte == b'`').count()
}

fn is_fence(line: &[u8]) -> bool {
    line.starts_with(b"```")
}

/// Span of the path in a line, without decoration by the model.
fn path_in(line: &[u8]) -> Span {
    let inner = |span: Span, marks: &[u8]| {
        let mut span = trim(&line[span.start..span.end], span.start);
        while span.start < span.end && marks.contains(&line[span.start]) {
            span.start += 1;
        }
        while span.start < span.end && marks.contains(&line[span.end - 1]) {
            span.end -= 1;
        }
        span
    };
    inner(inner(inner(Span::new(0, line.len()), b"#:"), b"`"), b"*")
}
