//! Calls in a Python text that is cut off or malformed, as vLLM streams them: parsed up to the last position where
//! adding the missing quotes and brackets gives valid calls.

use super::{PythonCall, PythonFault, PythonRules};
use crate::text::Span;

/// Most positions that are tried.
const MAX_TRIES: usize = 16;

/// The calls delivered from a text, and the text of the last one's arguments if they are incomplete.
///
/// # Errors
/// The reason why there are none.
pub(crate) fn calls(
    text: &str,
    span: Span,
    rules: PythonRules,
) -> Result<(Vec<PythonCall>, Option<String>), PythonFault> {
    let fault = match super::calls(text, span, rules) {
        Ok(found) => return Ok((found.calls, None)),
        Err(fault) => fault,
    };
    let sound = match fault {
        PythonFault::Syntax(fault) if !fault.at_end => fault.at,
        _ => span.end,
    };
    let mut ends = Vec::new();
    cuts(text, span, |end, _| ends.push(end));
    for end in ends.into_iter().rev().filter(|end| *end <= sound).take(MAX_TRIES) {
        let mut closers = String::new();
        cuts(text, span, |at, open| {
            if at == end && closers.is_empty() {
                closers.extend(open.iter().rev());
            }
        });
        let completed = text[..end].to_owned() + &closers;
        let Ok(found) = super::calls(&completed, Span::new(span.start, completed.len()), rules) else { continue };
        let mut calls = found.calls;
        for call in &mut calls {
            call.span.end = call.span.end.min(end);
        }
        let Some(withheld) = closers.strip_suffix(")]") else { return Ok((calls, None)) };
        let withheld = withheld.replace('\'', "\"") + "}";
        let open = calls.last().and_then(|call| Some(call.arguments.dumps().strip_suffix(&withheld)?.to_owned()));
        if open.is_some() {
            return Ok((calls, open));
        }
    }
    Err(fault)
}

/// Finds the positions where a text can be closed, in order: before the closing quote of a value, after each call of
/// the list, after the list. Each is passed with the closing brackets of the open ones, the outermost first.
fn cuts(text: &str, span: Span, mut found: impl FnMut(usize, &[char])) {
    let mut open = Vec::new();
    // The last character other than whitespace.
    let mut before = ' ';
    let mut chars = text[span.start..span.end].char_indices().map(|(at, c)| (span.start + at, c));
    while let Some((at, c)) = chars.next() {
        match c {
            '\'' | '"' => {
                let is_value = before != '{' && (before != ',' || open.last() != Some(&'}'));
                let mut end = span.end;
                while let Some((at, next)) = chars.next() {
                    match next {
                        '\\' => drop(chars.next()),
                        _ if next == c => {
                            end = at;
                            break;
                        }
                        _ => {}
                    }
                }
                open.push(c);
                if is_value {
                    // The end of a key, or of a position for a value, is ambiguous until more follows.
                    let body = &text[at + 1..end];
                    let body = body.trim_end_matches(|c: char| c.is_whitespace() || matches!(c, '=' | ':'));
                    let body = body.strip_suffix(',').unwrap_or(body);
                    found(at + 1 + body.len(), &open);
                }
                open.pop();
            }
            '(' => open.push(')'),
            '[' => open.push(']'),
            '{' => open.push('}'),
            ')' | ']' | '}' => {
                if open.pop() != Some(c) {
                    return;
                }
                if open.is_empty() || (c == ')' && open.len() == 1) {
                    found(at + 1, &open);
                }
            }
            _ => {}
        }
        if !c.is_whitespace() {
            before = c;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_that_is_cut_has_the_calls_up_to_the_last_place_where_it_can_be_closed() {
        for (text, names, expected) in [
            ("[f(a='x', b=1)]", "f", None),
            ("[f(a='x y", "f", Some(r#"{"a": "x y"#)),
            ("[f(a='x', b=tr", "f", Some(r#"{"a": "x"#)),
            ("[f(a='x'), g(b=[{'c': 'd", "f g", Some(r#"{"b": [{"c": "d"#)),
            ("[f(a='x'), g(", "f", None),
            ("[f(a='x')] and [more", "f", None),
        ] {
            let found = calls(text, Span::new(0, text.len()), PythonRules::default());
            let (calls, open) = found.unwrap_or_else(|fault| panic!("{text}: {fault:?}"));
            let found: Vec<&str> = calls.iter().map(|call| call.name.as_str()).collect();
            assert_eq!((found.join(" ").as_str(), open.as_deref()), (names, expected), "{text}");
        }
        assert!(calls("[f", Span::new(0, 2), PythonRules::default()).is_err());
    }
}
