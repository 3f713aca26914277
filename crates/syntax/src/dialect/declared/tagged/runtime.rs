//! Reproduces the errors with which the reference runtime of the `xml` dialect rejects a call.
//!
//! The runtime takes everything from a `<` to the next `>`, on any line, for a tag, so that a lone `<` hides the tag
//! after it. The first fault rejects the whole message.

use memchr::{memchr, memmem, memrchr2};

use super::Shape;
use super::tag::{self, Read, Side, Tag};
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::dialect::{CallParts, Status};
use crate::text::{Span, Text};

/// Bytes before a call that are searched for a lone `<`.
const LOOK_BACK: usize = 4096;

/// Maximum length of a tag quoted in an error message, in characters.
const QUOTED: usize = 80;

/// The first fault that the runtime finds in a call; its message is the reason for rejection.
pub(super) fn judge(shape: &Shape, text: &Text, parts: CallParts<'_>) -> Option<Diagnostic> {
    let opening = opening_tag(shape, text, parts.start)?;
    let bytes = text.read(Span::new(parts.start, end_of(shape, text, parts, opening)));
    let mut walk = Walk { bytes: &bytes, start: parts.start, at: 0, state: RuntimeState::Outside, lone: None };
    if let Some(lone) = lone_before(text, parts.text_start, parts.start) {
        walk.lone = Some(Lone { bracket: Span::new(lone, lone + 1), hides: opening.span });
        walk.at = memchr(b'>', &bytes).map_or(bytes.len(), |at| at + 1);
    }
    let is_hidden = walk.lone.is_some();
    let found = walk.run().or_else(|| (parts.status != Status::Open).then(|| walk.unclosed(opening)).flatten());
    match (found, parts.status) {
        (Some(found), _) => Some(walk.fault(found, opening, parts.status, text)),
        (None, Status::Open) => None,
        (None, _) if is_hidden => walk.lone.map(Lone::hides_call),
        (None, Status::Complete) => glued(&bytes, opening, text),
        (None, Status::Implicit | Status::Unterminated) => None,
    }
}

/// True if the opening tag lacks its own `>`.
fn is_torn(opening: Tag) -> bool {
    opening.span.end == opening.name.end
}

/// The tag that a call begins with.
pub(super) fn opening_tag(shape: &Shape, text: &Text, start: usize) -> Option<Tag> {
    match tag::read(shape, &text.read(Span::new(start, start + tag::LONGEST)), start, true) {
        Read::Tag(tag) => Some(tag),
        Read::Partial | Read::None => None,
    }
}

/// End of the tag that ended the call: its own closing tag, or the opening tag of the next call.
fn end_of(shape: &Shape, text: &Text, parts: CallParts<'_>, opening: Tag) -> usize {
    let end = parts.body.end;
    if matches!(parts.status, Status::Open | Status::Unterminated) || opening.side == Side::Both {
        return end;
    }
    let ahead = text.read(Span::new(end, text.len().min(end + tag::LONGEST)));
    match tag::read(shape, &ahead, end, true) {
        Read::Tag(tag) => tag.span.end,
        Read::Partial | Read::None => match read_torn_closer(&ahead, end, true) {
            Read::Tag(tag) => tag.span.end,
            Read::Partial | Read::None => end,
        },
    }
}

/// The text at the beginning of `ahead` that the runtime of `xml` takes for a call's closing tag: everything up to the
/// next `>`, on any line.
pub(super) fn read_torn_closer(ahead: &[u8], at: usize, finished: bool) -> Read {
    const CLOSER: &[u8] = b"</tool:";
    let head = &ahead[..ahead.len().min(tag::LONGEST)];
    if !head.starts_with(CLOSER) {
        return Read::None;
    }
    let Some(end) = memchr::memchr(b'>', head) else {
        return if finished || head.len() == tag::LONGEST { Read::None } else { Read::Partial };
    };
    let raw = Span::new(at + CLOSER.len(), at + end);
    let span = Span::new(at, at + end + 1);
    Read::Tag(Tag::of_call(Side::Closing, 0, span, raw))
}

/// Offset of a `<` before the call at `start`, in its text, without a `>` between them.
pub(super) fn lone_before(text: &Text, text_start: usize, start: usize) -> Option<usize> {
    let from = start.saturating_sub(LOOK_BACK).max(text_start);
    let before = text.read(Span::new(from, start));
    let last = memrchr2(b'<', b'>', &before).filter(|&at| before[at] == b'<')?;
    Some(from + last)
}

/// State of the runtime's parser.
#[derive(Clone, Copy)]
enum RuntimeState {
    Outside,
    InTool(Span),
    InParameter(Span, Span),
}

/// A `<` that hides a tag.
#[derive(Clone, Copy)]
struct Lone {
    bracket: Span,
    hides: Span,
}

/// The runtime's pass from tag to tag.
struct Walk<'a> {
    bytes: &'a [u8],
    start: usize,
    at: usize,
    state: RuntimeState,
    lone: Option<Lone>,
}

impl Walk<'_> {
    /// Continues to the first fault or to the end.
    fn run(&mut self) -> Option<Diagnostic> {
        while let Some(open) = memchr(b'<', &self.bytes[self.at..]).map(|at| self.at + at) {
            let close = open + memchr(b'>', &self.bytes[open..])?;
            self.at = close + 1;
            let inner = &self.bytes[open + 1..close];
            // Tags that contain the beginning of another one are rare.
            if self.lone.is_none() && memchr(b'<', inner).is_some() {
                let hidden = [&b"<tool:"[..], b"</tool:", b"<param:", b"</param:"];
                let hides = hidden.into_iter().filter_map(|tag| memmem::find(inner, tag)).min();
                self.lone = hides
                    .map(|at| Lone { bracket: self.span(open, open + 1), hides: self.span(open + 1 + at, close + 1) });
            }
            let found = self.tag(inner, self.span(open, close + 1));
            if found.is_some() {
                return found;
            }
        }
        None
    }

    fn span(&self, start: usize, end: usize) -> Span {
        Span::new(self.start + start, self.start + end)
    }

    fn words(&self, span: Span) -> String {
        String::from_utf8_lossy(self.bytes_of(span)).into_owned()
    }

    fn bytes_of(&self, span: Span) -> &[u8] {
        &self.bytes[span.start - self.start..span.end - self.start]
    }

    /// True if the runtime, which decodes bytes to text, considers two names equal.
    fn are_same(&self, one: Span, other: Span) -> bool {
        self.bytes_of(one) == self.bytes_of(other) || self.words(one) == self.words(other)
    }

    /// Handles one tag; its name extends to the end of the tag.
    fn tag(&mut self, inner: &[u8], span: Span) -> Option<Diagnostic> {
        let named = |prefix: &str| Span::new(span.start + 1 + prefix.len(), span.end - 1);
        let found = |code, words: String| Some(Diagnostic::new(code, span, words));
        if inner.starts_with(b"tool:") {
            let name = named("tool:");
            return match self.state {
                RuntimeState::Outside => {
                    self.state = RuntimeState::InTool(name);
                    None
                }
                RuntimeState::InTool(tool) | RuntimeState::InParameter(tool, _) => {
                    let (tool, name) = (self.words(tool), self.words(name));
                    found(
                        Code::NestedTag,
                        format!(
                            "Malformed tool invocation: found nested tool invocation. Started '{tool}' but found start of '{name}' before closing the first one"
                        ),
                    )
                }
            };
        }
        if inner.starts_with(b"/tool:") {
            let name = named("/tool:");
            return match self.state {
                RuntimeState::InTool(tool) if self.are_same(tool, name) => {
                    self.state = RuntimeState::Outside;
                    None
                }
                RuntimeState::Outside => found(
                    Code::StrayEnd,
                    format!(
                        "Malformed tool invocation: found closing tag '</tool:{}>' without corresponding opening tag",
                        self.words(name)
                    ),
                ),
                RuntimeState::InTool(tool) => {
                    let (expected, found) =
                        (format!("</tool:{}>", self.words(tool)), format!("</tool:{}>", self.words(name)));
                    let words = format!(
                        "Malformed tool invocation: mismatching tool names in start and end tag. Expected '{expected}' but found '{found}'"
                    );
                    let problem = Diagnostic::new(Code::MismatchedTag, span, words);
                    Some(problem.contrast(&*expected, found).replace_with(&*expected))
                }
                RuntimeState::InParameter(_, key) => {
                    Some(self.unclosed_parameter(key, &self.words(name)).related(span, "the call is closed here"))
                }
            };
        }
        if inner.starts_with(b"param:") {
            let key = named("param:");
            match self.state {
                RuntimeState::Outside => {}
                RuntimeState::InTool(tool) => self.state = RuntimeState::InParameter(tool, key),
                RuntimeState::InParameter(tool, outer) => {
                    let (tool, outer, key) = (self.words(tool), self.words(outer), self.words(key));
                    return found(
                        Code::NestedTag,
                        format!(
                            "Malformed tool invocation: found nested parameter. Started parameter '{outer}' in tool '{tool}' but found start of parameter '{key}' before closing the first one"
                        ),
                    );
                }
            }
            return None;
        }
        if inner.starts_with(b"/param:") {
            let RuntimeState::InParameter(tool, key) = self.state else { return None };
            let name = named("/param:");
            if self.are_same(key, name) {
                self.state = RuntimeState::InTool(tool);
                return None;
            }
            let (expected, found) = (format!("</param:{}>", self.words(key)), format!("</param:{}>", self.words(name)));
            let words = format!(
                "Malformed tool invocation: mismatching parameter names in start and end tag. Expected '{expected}' but found '{found}' in tool '{}'",
                self.words(tool)
            );
            let problem = Diagnostic::new(Code::MismatchedTag, span, words);
            return Some(problem.contrast(&*expected, found).replace_with(&*expected));
        }
        let RuntimeState::InTool(tool) = self.state else { return None };
        let shown: String = String::from_utf8_lossy(inner).chars().take(QUOTED).collect();
        found(
            Code::ForeignTag,
            format!(
                "Malformed tool invocation: found unexpected tag '<{shown}>' inside tool '{}'. Only parameter tags are allowed inside tool blocks",
                self.words(tool)
            ),
        )
    }

    fn unclosed_parameter(&self, key: Span, tool: &str) -> Diagnostic {
        let written = self.words(key);
        let words = format!(
            "Malformed tool invocation: unclosed parameter '{written}' in tool '{tool}' - missing closing tag '</param:{written}>'"
        );
        let span = Span::new(key.start - "<param:".len(), key.end + 1);
        Diagnostic::new(Code::UnclosedParameter, span, words)
    }

    /// The fault if the text ends here.
    fn unclosed(&self, opening: Tag) -> Option<Diagnostic> {
        match self.state {
            RuntimeState::Outside => None,
            RuntimeState::InParameter(tool, key) => Some(self.unclosed_parameter(key, &self.words(tool))),
            RuntimeState::InTool(tool) => {
                let tool = self.words(tool);
                let words =
                    format!("Malformed tool invocation: unclosed tool '{tool}' - missing closing tag '</tool:{tool}>'");
                Some(Diagnostic::new(Code::UnterminatedCall, opening.span, words))
            }
        }
    }

    /// Converts a fault into a problem at its cause.
    fn fault(&self, mut found: Diagnostic, opening: Tag, status: Status, text: &Text) -> Diagnostic {
        let (code, span) = (found.code, found.span);
        if is_torn(opening) && !matches!(code, Code::StrayEnd) {
            let exact = format!("<tool:{}>", text.read_str(opening.name));
            (found.code, found.span) = (Code::MalformedTag, opening.span);
            found = found.contrast(&*exact, text.read_str(opening.span)).replace_with(&*exact);
            return found.with_severity(Severity::Error);
        }
        if let Some(lone) = self.lone.filter(|lone| lone.bracket.start < span.end || code == Code::UnclosedParameter) {
            return lone.problem(found.message);
        }
        if opening.raw != opening.name && matches!(code, Code::MismatchedTag | Code::UnterminatedCall) {
            (found.code, found.span) = (Code::MalformedTag, opening.span);
            let exact = format!("<tool:{}>", text.read_str(opening.name));
            found = found.contrast(&*exact, text.read_str(opening.span)).replace_with(&*exact);
        } else if code == Code::UnclosedParameter && status == Status::Unterminated && found.related.is_empty() {
            (found.code, found.span) = (Code::UnterminatedCall, opening.span);
            found = found.related(span, "this parameter is open");
        }
        found.with_severity(Severity::Error)
    }
}

impl Lone {
    /// The problem of a `<` that hides the opening tag when the rest of the call, which is prose to the runtime, has
    /// no fault.
    fn hides_call(self) -> Diagnostic {
        self.problem("a lone < before the opening tag hides the call".to_owned())
    }

    fn problem(self, words: String) -> Diagnostic {
        let problem = Diagnostic::new(Code::LoneAngleBracket, self.bracket, words).with_severity(Severity::Error);
        problem.related(self.hides, "hides this tag from the runtime")
    }
}

/// Reports an opening tag that is not followed by whitespace: the runtime takes everything up to whitespace for the
/// name.
fn glued(bytes: &[u8], opening: Tag, text: &Text) -> Option<Diagnostic> {
    let prefix = opening.name.start.min(opening.raw.start) - opening.span.start;
    let behind = String::from_utf8_lossy(&bytes[prefix..]).into_owned();
    let word = behind.split_whitespace().next().unwrap_or_default();
    let tag = text.read_str(opening.span);
    if opening.raw != opening.name {
        let problem = Diagnostic::new(Code::MalformedTag, opening.span, "Missing tool name");
        let exact = format!("<tool:{}>", text.read_str(opening.name));
        return Some(problem.contrast(&*exact, tag).replace_with(&*exact));
    }
    let name = text.read_str(opening.name);
    if word.strip_suffix('>') == Some(&*name) && !name.is_empty() {
        return None;
    }
    let words = match word.strip_suffix('>') {
        Some(name) => {
            let shown: String = name.chars().take(2 * QUOTED).collect();
            let more = if shown.len() < name.len() { "…" } else { "" };
            format!("Tool {shown}{more} not found in registry")
        }
        None => "Missing tool name".to_owned(),
    };
    if name.is_empty() && word == ">" {
        return Some(Diagnostic::new(Code::EmptyName, opening.span, words));
    }
    let end = opening.span.end;
    let problem = Diagnostic::new(Code::GluedTag, Span::new(end - 1, end), words);
    Some(problem.contrast(format!("{tag} and a line feed"), format!("{tag} and more on its line")))
}
