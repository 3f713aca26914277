//! Problems with the tags of a call: text between them, and missing or mismatched tags.

use memchr::{memchr, memrchr};

use super::tag::Tag;
use super::{Body, Shape, near_miss};
use crate::diagnostic::{BoundedProblems, Code, Diagnostic};
use crate::dialect::Status;
use crate::text::{Span, Text, trim};
use crate::value::tree_builder::MAX_PROBLEMS;

/// Reports text between the parameters, which the runtime ignores.
pub(super) fn ignored(shape: &Shape, gap: Span, first: bool, text: &Text) -> Option<Diagnostic> {
    let bytes = text.read(gap);
    let inner = trim(&bytes, gap.start);
    if inner.is_empty() {
        return None;
    }
    let first_line = bytes[inner.start - gap.start..].split(|&byte| byte == b'\n').next().unwrap_or_default();
    let line = Span::new(inner.start, inner.start + first_line.trim_ascii_end().len().min(inner.len()));
    if let Some(near) = near_miss::find(shape, first_line) {
        return Some(near.diagnostic(inner.start, "it is ignored"));
    }
    if shape.strict && memchr(b'<', &bytes).is_some() {
        // The runtime rejects the tag in it, which is reported with the runtime's message.
        return None;
    }
    if first && matches!(first_line.first(), Some(b'{' | b'[')) {
        let message = "the body holds JSON but no parameter: the call has no parameters";
        let problem = Diagnostic::new(Code::NoArguments, line, message).contrast("a parameter's tag", "JSON");
        return Some(problem.help("write each parameter between its own tags"));
    }
    Some(Diagnostic::new(Code::IgnoredText, line, "text between the parameters is ignored"))
}

/// Reports a closing tag with another prefix than the opening tag.
pub(super) fn mismatched(shape: &Shape, opening: Tag, tag: Tag, text: &Text) -> Diagnostic {
    let written = text.read_str(tag.span).into_owned();
    let closer = shape.closer(opening, text);
    let message = format!("{} is closed by {written}", text.read_str(opening.span));
    let problem =
        Diagnostic::new(Code::MismatchedTag, tag.span, message).contrast(&*closer, written).replace_with(&*closer);
    problem.related(opening.span, "opened here")
}

/// Reports the closing tag of a wrapper that was not opened before the call.
pub(super) fn unopened_wrapper(closing: Tag, text: &Text) -> Diagnostic {
    let message = format!("{} without its opening tag", text.read_str(closing.span));
    Diagnostic::new(Code::HalfWrapped, closing.span, message)
}

/// Reports a call in a wrapper that is not closed; `wrapper` is its opening tag.
pub(super) fn unclosed_wrapper(wrapper: Tag, text: &Text) -> Diagnostic {
    let message = format!("{} is not closed after the call", text.read_str(wrapper.span));
    Diagnostic::new(Code::HalfWrapped, wrapper.span, message)
}

/// Reports a call in the wrapper of the previous call.
pub(super) fn shared_wrapper(shape: &Shape, wrapper: Tag, opening: Tag, text: &Text) -> Diagnostic {
    let written = text.read_str(wrapper.span);
    let open = shape.pairs[wrapper.pair].open.write(|_| None);
    let close = shape.closer(wrapper, text);
    let message = format!("another call in the same {written}: some runtimes see only the first one, or none");
    Diagnostic::new(Code::SharedWrapper, opening.span, message)
        .remedy(Span::at(opening.span.start), format!("{close}\n{open}\n"))
        .related(wrapper.span, "opened here")
}

/// Reports a call that did not end with its closing tag.
pub(super) fn ending(shape: &Shape, opening: Tag, status: Status, text: &Text) -> Option<Diagnostic> {
    let (code, before) = match status {
        Status::Implicit => (Code::ImplicitEnd, "the next tag"),
        Status::Unterminated => (Code::UnterminatedCall, "the end of the text"),
        Status::Open | Status::Complete => return None,
    };
    let closer = shape.closer(opening, text);
    if closer.is_empty() {
        let message = format!("the arguments of the call are not complete before {before}");
        return Some(Diagnostic::new(code, opening.span, message).contrast("the end of the arguments", before));
    }
    let closer = closer.trim();
    let message = format!("no {closer} before {before}");
    Some(Diagnostic::new(code, opening.span, message).contrast(closer, before))
}

/// Reports closing markers inside of the strings of a body, where many runtimes end the call.
pub(super) fn closers_inside(shape: &Shape, opening: Tag, body: Span, text: &Text) -> BoundedProblems {
    let closer = shape.closer(opening, text);
    let bytes = text.read(body);
    let places = memchr::memmem::find_iter(&bytes, &closer).take(if closer.is_empty() { 0 } else { MAX_PROBLEMS });
    let problem = |at: usize| {
        let span = Span::new(body.start + at, body.start + at + closer.len());
        let message = format!("{closer} inside of a string ends the call for a runtime that searches for it");
        let problem = Diagnostic::new(Code::EndTagInString, span, message);
        let Some(first) = closer.chars().next().filter(|_| shape.body == Body::Json) else { return problem };
        let escaped = format!("\\u{:04x}{}", u32::from(first), &closer[first.len_utf8()..]);
        problem.contrast(&*escaped, &*closer).replace_with(&*escaped)
    };
    places.map(problem).collect()
}

/// Reports a tag inside of a value: the value's own closing tag is missing, or comes too early.
pub(super) fn swallowed(shape: &Shape, parameter: Tag, tag: Tag, text: &Text) -> Diagnostic {
    let key = text.read_str(parameter.name);
    let written = text.read_str(tag.span);
    let value = text.read(Span::new(parameter.span.end, tag.span.start));
    let before = trim(&value, parameter.span.end);
    let tail = &value[..before.end - parameter.span.end];
    let wrong = memrchr(b'<', tail).filter(|&at| tail[at..].starts_with(b"</") && tail.ends_with(b">"));
    let closer = shape.closer(parameter, text);
    if let Some(at) = wrong {
        let span = Span::new(parameter.span.end + at, before.end);
        let found = text.read_str(span).into_owned();
        let message = format!("{found} does not close {key}: its value continues and swallows {written}");
        return Diagnostic::new(Code::UnclosedParameter, span, message)
            .contrast(closer, found)
            .related(tag.span, "becomes part of the value");
    }
    let message = format!("{written} is part of the value of {key}, which ends at the first {closer}");
    Diagnostic::new(Code::NestedTag, tag.span, message).related(parameter.span, "the value begins here")
}
