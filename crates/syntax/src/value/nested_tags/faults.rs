//! Messages for misplaced or malformed tags.

use super::element::TagFault;
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::text::Span;
use crate::value::json::shorten;
use crate::value::tree_builder::MAX_NODES;

/// The problem for a fault; `name` is the name of its element, `found` the tag without its prefix.
pub(super) fn describe(fault: TagFault, place: Span, name: &str, found: &str) -> Diagnostic {
    let (name, found) = (shorten(name), shorten(found));
    match fault {
        TagFault::Unclosed(_) => {
            Diagnostic::new(Code::UnclosedParameter, place, format!("<{name}> has no closing tag"))
                .contrast(format!("</{name}>"), "another closing tag, or the end")
        }
        TagFault::Mismatched(_) => Diagnostic::new(Code::MismatchedTag, place, format!("{found} closes <{name}>"))
            .contrast(format!("</{name}>"), found),
        TagFault::Stray => Diagnostic::new(Code::MismatchedTag, place, format!("unmatched closing tag {found}"))
            .contrast("an opening tag before it", found)
            .help("remove it, or write the opening tag that it belongs to"),
        TagFault::Malformed => Diagnostic::new(Code::MalformedTag, place, "no tag follows the <")
            .contrast("a name and >", found)
            .help("write the name of a parameter and > here"),
        TagFault::TooMany => {
            let message = format!("more than {MAX_NODES} tags; further ones are not shown");
            Diagnostic::new(Code::JsonTooLarge, place, message)
        }
    }
}

/// Text between tags, where it is ignored.
pub(super) fn ignored_text(place: Span, within: Option<&str>) -> Diagnostic {
    let message = match within {
        Some(name) => format!("text between the tags in <{}> is ignored", shorten(name)),
        None => "text between the parameters is ignored".to_owned(),
    };
    Diagnostic::new(Code::IgnoredText, place, message)
}

/// A tag with the same name as an earlier one, at `first`.
pub(super) fn repeated(place: Span, first: Span, name: &str) -> Diagnostic {
    let message = format!("repeated tag <{}>: its values become an array", shorten(name));
    Diagnostic::new(Code::DuplicateKey, place, message)
        .help("write an array as one tag with <item> tags in it; other runtimes keep one of the values")
        .with_severity(Severity::Hint)
        .related(first, "the first value")
}
