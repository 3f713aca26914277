//! Python's literals as `ast.literal_eval` reads them: the fallback of runtimes for values that are not JSON.
//!
//! Tuples become lists. Bytes, sets, complex numbers and names are rejected, since no runtime can write them as JSON.

use crate::text::Span;
use crate::value::place::SourceText;
use crate::value::plain::Placed;
use crate::value::python::syntax::cursor::{PythonCursor, Strictness};
use crate::value::python::syntax::expression::{NodeKind, PythonNode};
use crate::value::python::syntax::{Literals, value};

/// Reads one literal at the beginning of a text, after whitespace; returns it and the number of bytes read, or `None`
/// if there is no literal.
pub(crate) fn read(text: SourceText<'_>) -> Option<(Placed, usize)> {
    let mut source = source(&text);
    let node = source.literal().ok()?;
    Some((placed(text, &node)?, source.at))
}

/// Reads a text that is one literal and whitespace; a tuple may lack its brackets.
pub fn read_all(text: SourceText<'_>) -> Option<Placed> {
    let (mut nodes, comma) = source(&text).elements().ok()?;
    let node = match nodes.len() {
        0 => return None,
        1 if !comma => nodes.pop()?,
        _ => PythonNode::new(NodeKind::Tuple(nodes), Span::new(0, text.len())),
    };
    placed(text, &node)
}

fn placed(text: SourceText<'_>, node: &PythonNode) -> Option<Placed> {
    let mut value = value(&text, node, Literals::Eval)?;
    let start = text.span().start;
    value.relocate(&|span| Span::new(start + span.start, start + span.end));
    Some(value)
}

fn source(text: &str) -> PythonCursor<'_> {
    let start = text.len() - text.trim_start_matches([' ', '\t', '\n', '\r', '\u{c}']).len();
    PythonCursor::new(text, Span::new(start, text.len()), Strictness::Strict)
}

#[cfg(test)]
mod tests {
    use super::{SourceText, read_all};

    fn check(input: &str, expected: &str) {
        assert_eq!(
            read_all(SourceText::whole(input)).map_or("none".to_owned(), |found| found.value.dumps()),
            expected,
            "{input}"
        );
    }

    #[test]
    fn literals_become_values() {
        for (input, expected) in [
            ("{'a': [1, 2.5, None], 'b': (True,)}", r#"{"a": [1, 2.5, null], "b": [true]}"#),
            ("(1)", "1"),
            ("(-1, +2)", "[-1, 2]"),
            ("1, 2", "[1, 2]"),
            ("'a' \"b\"", r#""ab""#),
            (r"'\x41\n\q'", r#""A\n\\q""#),
            (r"r'\n'", r#""\\n""#),
            ("0x1f", "31"),
            ("1e400", "Infinity"),
            ("07", "none"),
            ("true", "none"),
            ("'a", "none"),
            ("[1", "none"),
            ("{1: 2}", r#"{"1": 2}"#),
            ("x", "none"),
            ("", "none"),
            ("# none", "none"),
        ] {
            check(input, expected);
        }
    }
}
