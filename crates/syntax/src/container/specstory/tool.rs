//! A tool use as SpecStory shows it: the arguments that it knows the look of, then the result.
//!
//! | line | content |
//! |---|---|
//! | `<summary>Tool use: **NAME** …</summary>` | a command, or what the client says about the call |
//! | `` `VALUE` `` | the argument that the tool's type has: a command, a path |
//! | `` NAME `VALUE` `` after a space | an argument, perhaps several |
//! | `**Input:**`, then `` - NAME: `VALUE` `` | arguments of any other tool |
//! | a fence with a language | a script, the content of a file, a diff |
//! | a fence without one, or `text`; a table; `**Result:**`, `**Error:**` | the result, to the end |
//! | any other text | a description, a prompt |

use super::super::fragment::Fragment;
use super::super::lines::without_end;
use super::super::writer::TextWriter;
use super::super::{
    CallOutcome, CallString, ContainerEvent, Message, MessagePart, MessageRole, NativeCall, ToolResult,
};
use crate::text::Span;

/// Beginning of the tag of a tool use.
const TAG: &[u8] = b"<tool-use ";

/// Beginning of a tool use in files without such tags.
const DETAILS: &[u8] = b"<details><summary>Tool use: **";

/// Most bytes of a line that are searched for arguments; the rest counts as another line.
const LONGEST: usize = 64 * 1024;

/// Lines that only arrange the others.
const LAYOUT: [&[u8]; 5] = [b"<details>", b"</details>", b"<summary>", b"</summary>", b"</tool-use>"];

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Arguments,
    /// Arguments in a Markdown list, one an item.
    List,
    /// The value of a list continues on the next line.
    Unclosed,
    /// The next text is the result.
    BeforeResult(CallOutcome),
    Result,
}

/// A tool use as its lines arrive.
pub(super) struct Tool {
    name: Fragment,
    kind: Box<str>,
    /// True if a tag began it, and not only `<details>`.
    is_tagged: bool,
    stage: Stage,
    /// Offset of the call in the transcript.
    start: usize,
    /// Names of the arguments so far.
    keys: Vec<String>,
    /// True while the value of the last one is open.
    is_open: bool,
    /// Line ends after the last value, which belong to it if it continues.
    gap: Fragment,
    /// True if a fence has begun.
    has_fence: bool,
    /// The current line outside of fences.
    line: Vec<u8>,
    line_at: usize,
    /// The end of the fence around the result, which is not a part of it if nothing follows.
    held: Fragment,
}

impl Tool {
    /// The tool use that a line at `at` begins.
    pub(super) fn begins(line: &[u8], at: usize) -> Option<Self> {
        let attribute = |name: &[u8]| {
            let begin = memchr::memmem::find(line, name)? + name.len();
            let end = begin + memchr::memchr(b'"', &line[begin..])?;
            Some(Span::new(begin, end))
        };
        let (place, kind, is_tagged) = if line.starts_with(TAG) {
            (attribute(b" data-tool-name=\"")?, attribute(b" data-tool-type=\""), true)
        } else {
            let end = memchr::memmem::find(line.strip_prefix(DETAILS)?, b"**")?;
            (Span::new(DETAILS.len(), DETAILS.len() + end), None, false)
        };
        let mut name = Fragment::default();
        name.bytes(&line[place.start..place.end], at + place.start);
        let kind = kind.map_or(&b""[..], |kind| &line[kind.start..kind.end]);
        Some(Self {
            name,
            kind: String::from_utf8_lossy(kind).into(),
            is_tagged,
            stage: Stage::Arguments,
            start: 0,
            keys: Vec::new(),
            is_open: false,
            gap: Fragment::default(),
            has_fence: false,
            line: Vec::new(),
            line_at: at,
            held: Fragment::default(),
        })
    }

    /// Writes the call up to its arguments; `at` is its offset in the file.
    pub(super) fn begin(&mut self, at: usize, out: &mut TextWriter) {
        let mut text = Fragment::default();
        text.push_synthetic("{\"name\":", at);
        let begin = text.bytes.len();
        text.quote(&self.name);
        let span = Span::new(begin + 1, text.bytes.len() - 1);
        let decoded = String::from_utf8_lossy(&self.name.bytes).into_owned();
        let decoded = (span.len() != decoded.len()).then(|| decoded.into());
        text.push_synthetic(",\"arguments\":{", self.end_of_name());
        let outcome = Some(CallOutcome::Unknown);
        let call = NativeCall { name: CallString { span, decoded }, id: None, outcome };
        self.start = out.begin(MessagePart::Call(call));
        out.write(&text);
    }

    fn end_of_name(&self) -> usize {
        self.name.map.source_of(Span::new(0, self.name.bytes.len())).end
    }

    /// True if this line ends the tool use.
    pub(super) fn ends_with(&self, line: &[u8]) -> bool {
        if self.is_tagged { line.ends_with(b"</tool-use>") } else { line == b"</details>" }
    }

    /// Ends the tool use; true if a result was written.
    pub(super) fn finish(mut self, out: &mut TextWriter) -> bool {
        self.end_line(out);
        let has_result = self.stage == Stage::Result;
        if !has_result {
            self.end_call(out);
        }
        out.end();
        has_result
    }

    pub(super) fn held(&self) -> usize {
        self.line.len() + self.held.bytes.len() + self.gap.bytes.len()
    }

    /// Takes a line that opens or closes a fence.
    pub(super) fn fence(&mut self, line: &[u8], at: usize, opens: bool, out: &mut TextWriter) {
        let language = without_end(line).trim_ascii().trim_ascii_start();
        let language = &language[language.iter().take_while(|byte| **byte == b'`').count()..];
        let is_content = &*self.name.bytes == b"Write" && !self.has_fence;
        match self.stage {
            Stage::Result => self.held.bytes(line, at),
            Stage::BeforeResult(outcome) if opens => self.begin_result(outcome, out),
            _ if !opens => {}
            _ if matches!(language, b"" | b"text") && !is_content => self.begin_result(CallOutcome::Unknown, out),
            _ => {
                let key = match &*self.kind {
                    _ if language == b"diff" => "diff",
                    "shell" => "command",
                    _ => "content",
                };
                self.begin_value(key.as_bytes(), at, at, out);
            }
        }
        self.has_fence = true;
    }

    /// Takes a chunk of a line.
    pub(super) fn take(&mut self, line: &[u8], at: usize, is_start: bool, is_fenced: bool, out: &mut TextWriter) {
        if self.stage == Stage::Result {
            return self.add_result(line, at, is_fenced, out);
        }
        if is_fenced {
            return self.add(line, at, out);
        }
        let (mut line, mut at) = (line, at);
        if is_start {
            self.line_at = at;
        }
        while self.line.len() + line.len() >= LONGEST {
            let (head, rest) = line.split_at(LONGEST - self.line.len());
            self.line.extend_from_slice(head);
            (line, at) = (rest, at + head.len());
            self.end_line(out);
            self.line_at = at;
        }
        self.line.extend_from_slice(line);
        if self.line.ends_with(b"\n") {
            self.end_line(out);
        }
    }

    /// Reads the line that was held.
    fn end_line(&mut self, out: &mut TextWriter) {
        let line = std::mem::take(&mut self.line);
        if !line.is_empty() {
            self.line(&line, self.line_at, out);
        }
    }

    fn line(&mut self, line: &[u8], at: usize, out: &mut TextWriter) {
        let end = line.trim_ascii_end().len();
        let bare = &line[..end];
        if self.stage == Stage::Result {
            return self.add_result(line, at, false, out);
        }
        if bare.is_empty() {
            return self.gap.bytes(line, at);
        }
        if self.stage == Stage::Unclosed {
            let value = bare.strip_suffix(b"`").unwrap_or(bare);
            self.add(value, at, out);
            if value.len() < bare.len() {
                self.stage = Stage::List;
            }
            return self.gap.bytes(&line[end..], at + end);
        }
        if LAYOUT.contains(&bare) {
            return;
        }
        match bare {
            b"**Input:**" => self.stage = Stage::List,
            b"**Result:**" => self.stage = Stage::BeforeResult(CallOutcome::Unknown),
            b"**Error:**" => self.stage = Stage::BeforeResult(CallOutcome::Failed),
            _ => match self.stage {
                Stage::BeforeResult(outcome) => {
                    self.begin_result(outcome, out);
                    self.add_result(line, at, false, out);
                }
                _ if bare.starts_with(b"|") => {
                    self.begin_result(CallOutcome::Unknown, out);
                    self.add_result(line, at, false, out);
                }
                Stage::List if bare.starts_with(b"- ") => self.listed(bare, at, out),
                _ => self.argument(line, bare, at, out),
            },
        }
    }

    /// A line `` - NAME: `VALUE` ``, whose value may continue on the next ones.
    fn listed(&mut self, bare: &[u8], at: usize, out: &mut TextWriter) {
        let Some(colon) = memchr::memmem::find(bare, b": `") else {
            return self.argument(bare, bare, at, out);
        };
        self.begin_value(&bare[2..colon], at + 2, at + colon, out);
        let value = &bare[colon + 3..];
        let closed = value.strip_suffix(b"`");
        self.add(closed.unwrap_or(value), at + colon + 3, out);
        if closed.is_none() {
            self.stage = Stage::Unclosed;
            self.gap.bytes(b"\n", at + bare.len());
        }
    }

    /// A line with arguments, or a text.
    fn argument(&mut self, line: &[u8], bare: &[u8], at: usize, out: &mut TextWriter) {
        let inner = |begin: usize| bare[begin..].strip_suffix(b"</summary>").unwrap_or(&bare[begin..]);
        if let Some(found) = memchr::memmem::find(bare, b"<summary>").filter(|found| *found < 16) {
            let mut begin = found + b"<summary>".len();
            if inner(begin).starts_with(b"Tool use: **")
                && let Some(end) = memchr::memmem::find(&bare[begin + 12..], b"**")
            {
                begin += 12 + end + 2;
            }
            let skipped = inner(begin).iter().take_while(|byte| b" \xe2\x80\xa2".contains(byte)).count();
            let words = inner(begin + skipped);
            return self.summary(words, at + begin + skipped, out);
        }
        if bare.starts_with(b" ") && bare.contains(&b'`') {
            return self.pairs(bare, at, out);
        }
        if quoted(bare).is_some() {
            return self.summary(bare, at, out);
        }
        let key = if &*self.kind == "shell" { "description" } else { "text" };
        self.continue_value(key, at, out);
        self.add(bare, at, out);
        self.gap.bytes(&line[bare.len()..], at + bare.len());
    }

    /// A text about the call, which may be its main argument.
    fn summary(&mut self, words: &[u8], at: usize, out: &mut TextWriter) {
        if let Some(value) = quoted(words) {
            self.begin_value(self.main_key().as_bytes(), at, at, out);
            self.add(value, at + 1, out);
        } else if !words.is_empty() {
            self.begin_value(b"summary", at, at, out);
            self.add(words, at, out);
        }
    }

    /// Arguments in one line: `` path `./src` pattern `tide` ``.
    fn pairs(&mut self, bare: &[u8], at: usize, out: &mut TextWriter) {
        let mut done = 0;
        while let Some(open) = memchr::memchr(b'`', &bare[done..]).map(|found| done + found) {
            let label = bare[done..open].trim_ascii();
            // The last value ends at the last backtick: values may hold some.
            let next = memchr::memmem::find(&bare[open + 1..], b"` ").map(|found| open + 1 + found);
            let last = memchr::memrchr(b'`', bare).filter(|last| *last > open);
            let Some(close) = next.or(last) else { break };
            let is_name = !label.is_empty() && label.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
            let key = if is_name { String::from_utf8_lossy(label).into_owned() } else { self.main_key().to_owned() };
            let key_at = at + open - label.len().min(open);
            self.begin_value(key.as_bytes(), key_at, at + open, out);
            self.add(&bare[open + 1..close], at + open + 1, out);
            done = close + 1;
        }
        let rest = bare[done..].trim_ascii_start();
        if !rest.is_empty() {
            let rest_at = at + bare.len() - rest.len();
            self.begin_value(b"description", rest_at, rest_at, out);
            self.add(rest, rest_at, out);
        }
    }

    /// The argument that a value without a name is.
    fn main_key(&self) -> &'static str {
        match &*self.kind {
            "shell" => "command",
            "read" | "write" => "path",
            "search" | "grep" => "query",
            _ => "input",
        }
    }

    /// Continues the open value if it has this key, or begins one.
    fn continue_value(&mut self, key: &str, at: usize, out: &mut TextWriter) {
        let is_same = self.is_open && self.keys.last().is_some_and(|last| last == key);
        if !is_same {
            self.begin_value(key.as_bytes(), at, at, out);
        }
    }

    /// Begins the value of an argument; `key_at` is where the file has its name, and `at` where the value is.
    fn begin_value(&mut self, key: &[u8], key_at: usize, at: usize, out: &mut TextWriter) {
        self.end_value(at, out);
        let mut name = String::from_utf8_lossy(key).into_owned();
        let base = name.clone();
        let mut number = 1;
        while self.keys.contains(&name) {
            number += 1;
            name = format!("{base}_{number}");
        }
        let mut text = Fragment::default();
        text.push_synthetic(if self.keys.is_empty() { "" } else { "," }, key_at);
        let mut written = Fragment::default();
        written.push_synthetic(&name, key_at);
        text.quote(&written);
        text.push_synthetic(":\"", at);
        out.write(&text);
        self.keys.push(name);
        self.is_open = true;
    }

    /// Adds to the open value.
    fn add(&mut self, bytes: &[u8], at: usize, out: &mut TextWriter) {
        let mut text = std::mem::take(&mut self.gap);
        // A line end belongs to the value only if more of it follows.
        let kept = without_end(bytes);
        text.bytes(kept, at);
        self.gap.bytes(&bytes[kept.len()..], at + kept.len());
        let mut escaped = Fragment::default();
        escaped.escape(&text);
        out.write(&escaped);
    }

    fn end_value(&mut self, at: usize, out: &mut TextWriter) {
        self.gap = Fragment::default();
        if std::mem::take(&mut self.is_open) {
            let mut text = Fragment::default();
            text.push_synthetic("\"", at);
            out.write(&text);
        }
    }

    fn end_call(&mut self, out: &mut TextWriter) {
        let at = self.line_at.max(self.end_of_name());
        self.end_value(at, out);
        let mut text = Fragment::default();
        text.push_synthetic("}}", at);
        out.write(&text);
    }

    /// Ends the call and begins its result.
    fn begin_result(&mut self, outcome: CallOutcome, out: &mut TextWriter) {
        self.end_call(out);
        out.end();
        self.stage = Stage::Result;
        out.message(Message::from_role(MessageRole::Tool));
        out.event(ContainerEvent::Answers(Some(self.start)));
        out.begin(MessagePart::Result(ToolResult { call: None, outcome }));
    }

    /// Adds to the result; the empty lines and tags at its end are not part of it.
    fn add_result(&mut self, line: &[u8], at: usize, is_fenced: bool, out: &mut TextWriter) {
        let bare = line.trim_ascii();
        if !is_fenced && (bare.is_empty() || LAYOUT.contains(&bare)) {
            self.held.bytes(line, at);
            return;
        }
        out.write(&std::mem::take(&mut self.held));
        out.copy(line, at);
    }
}

/// The text between two backticks.
fn quoted(text: &[u8]) -> Option<&[u8]> {
    text.strip_prefix(b"`")?.strip_suffix(b"`")
}
