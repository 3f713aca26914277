//! Explains why a value of a gadget block is a number, a boolean, or neither.
//!
//! The rule itself is in `value/coerce`.

use crate::dialect::CoercionReason;
use crate::text::trim;
use crate::value::coerce::{Scalar, coerce};

/// The rule that gives a value its type, and the type that a slightly different notation would give.
pub(super) fn explain(scalar: Scalar, value: &[u8]) -> CoercionReason {
    let lines = memchr::memchr_iter(b'\n', value).count() + 1;
    let reason = match scalar {
        Scalar::Boolean(_) => "the value is exactly true or false".to_owned(),
        Scalar::Null => "there is no value".to_owned(),
        Scalar::Number(_) => "it is a single line of digits with an optional sign and decimal point".to_owned(),
        Scalar::String if lines > 1 => {
            format!("it has {lines} lines, and only a single line can become a number or a boolean")
        }
        Scalar::String => "it is neither true, false nor a decimal number".to_owned(),
    };
    CoercionReason { reason, otherwise: otherwise(scalar, value) }
}

fn otherwise(scalar: Scalar, value: &[u8]) -> Option<String> {
    match scalar {
        Scalar::Number(_) | Scalar::Boolean(_) => {
            Some("with any other character in it, it would be a string".to_owned())
        }
        Scalar::Null => None,
        Scalar::String => {
            let bare = trim(value, 0);
            let inner = &value[bare.start..bare.end];
            let unquoted = inner.strip_prefix(b"\"").and_then(|rest| rest.strip_suffix(b"\""));
            let forms = [(inner, "the white space around it"), (unquoted.unwrap_or(inner), "the quotation marks")];
            forms.into_iter().find_map(|(form, without)| {
                let other = coerce(form);
                let is_news = form != value && !matches!(other, Scalar::String | Scalar::Null);
                is_news.then(|| format!("without {without} it would be {}", other.described()))
            })
        }
    }
}
