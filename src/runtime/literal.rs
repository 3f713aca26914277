//! Python's literals, as `ast.literal_eval` takes them: what the runtimes fall back to for values that are no JSON.
//!
//! Tuples become lists. Bytes, sets, complex numbers and names are refused, since no runtime can write them as JSON.
//! It knows neither calls nor expressions.

use super::python::cursor::{PythonCursor, Strictness};
use super::python::expression::PythonNode;
use super::python::{Literals, value};
use super::value::RuntimeValue;
use crate::text::Span;

/// Reads one literal at the beginning of a text, behind white space; it, and the bytes that it took.
/// Nothing where there is none.
pub fn read(text: &str) -> Option<(RuntimeValue, usize)> {
    let mut source = source(text);
    let node = source.literal().ok()?;
    Some((value(text, &node, Literals::Eval)?, source.at))
}

/// Reads a text that is one literal and white space; a tuple may stand without its brackets.
pub fn read_all(text: &str) -> Option<RuntimeValue> {
    let (mut nodes, comma) = source(text).elements().ok()?;
    let node = match nodes.len() {
        0 => return None,
        1 if !comma => nodes.pop()?,
        _ => PythonNode::Tuple(nodes),
    };
    value(text, &node, Literals::Eval)
}

fn source(text: &str) -> PythonCursor<'_> {
    let start = text.len() - text.trim_start_matches([' ', '\t', '\n', '\r', '\u{c}']).len();
    PythonCursor::new(text, Span::new(start, text.len()), Strictness::Strict)
}

#[cfg(test)]
mod tests {
    use super::read_all;

    fn check(input: &str, expected: &str) {
        assert_eq!(read_all(input).map_or("none".to_owned(), |value| value.dumps()), expected, "{input}");
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
