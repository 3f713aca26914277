//! Faults of arguments that cannot be read as JSON: a closing marker in a string, a missing end marker.

use super::{CallFault, CallMaker, written};
use crate::diagnostic::Code;
use crate::runtime::grammar::SHORTEST_MARKER;
use crate::text::Span;
use crate::value::json::flavour::{self, Flavour};
use crate::value::plain::{Placed, PlainValue};

impl CallMaker<'_> {
    /// The fault of arguments that are not valid; `code` if there is no more specific one.
    pub(super) fn fault_of_text(&self, span: Span, code: Code) -> CallFault {
        let fault = |code, span| CallFault { span, code, raises: false };
        if let Some(closer) = self.closer_in_string(span) {
            return fault(Code::CloserInValue, closer);
        }
        let text = self.part(span);
        match flavour::read(text, Flavour::Python) {
            // The brace that closes the call was included.
            Ok((Placed { value: PlainValue::Object(_), .. }, len))
                if self.is_end(span.end) && text[len..].trim() == "}" =>
            {
                fault(Code::EndMarkerMissing, Span::new(span.start + len, span.end))
            }
            _ => fault(code, span),
        }
    }

    /// True if nothing but white space follows an offset.
    pub(super) fn is_end(&self, at: usize) -> bool {
        self.text[at..].trim().is_empty()
    }

    /// The end marker after a JSON text that ends within a string.
    pub(super) fn closer_in_string(&self, span: Span) -> Option<Span> {
        let rest = &self.text[span.end..];
        let literals = self.profile.grammar.literals().into_iter().filter(|literal| literal.len() >= SHORTEST_MARKER);
        let closer = literals.filter(|literal| rest.starts_with(literal)).max_by_key(|literal| literal.len())?;
        let start = span.end + closer.len() - closer.trim_start().len();
        written::is_in_string(self.slice(span)).then(|| Span::new(start, span.end + closer.trim_end().len()))
    }
}
