//! Calls in a Python text that is cut or ends in a fault, as vLLM streams them: read up to the last place where adding the
//! missing quotes and brackets makes them calls.

use super::{PythonCall, PythonFault, PythonRules};
use crate::text::Span;

/// Most places that are tried.
const MAX_TRIES: usize = 16;

/// A place where a text can be closed, and what closes it.
struct Cut {
    end: usize,
    closers: String,
}

/// The calls that are delivered of a text, and the text of the last one's arguments where that stays open.
///
/// # Errors
/// Says why there are none.
pub fn calls(text: &str, span: Span, rules: PythonRules) -> Result<(Vec<PythonCall>, Option<String>), PythonFault> {
    let fault = match super::calls(text, span, rules) {
        Ok(found) => return Ok((found.calls, None)),
        Err(fault) => fault,
    };
    let sound = match fault {
        PythonFault::Syntax(fault) if !fault.at_end => fault.at,
        _ => span.end,
    };
    let cuts = cuts(text, span);
    for Cut { end, closers } in cuts.iter().rev().filter(|cut| cut.end <= sound).take(MAX_TRIES) {
        let completed = text[..*end].to_owned() + closers;
        let Ok(found) = super::calls(&completed, Span::new(span.start, completed.len()), rules) else { continue };
        let mut calls = found.calls;
        for call in &mut calls {
            call.span.end = call.span.end.min(*end);
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

/// The places in order: before the quote that ends a value, after each call of the list, after the list.
fn cuts(text: &str, span: Span) -> Vec<Cut> {
    let (mut out, mut open) = (Vec::new(), Vec::new());
    let closers = |open: &[char]| open.iter().rev().collect::<String>();
    // The last sign that is not white space.
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
                    // Text that could be a key's, or the place of a value, waits for what follows.
                    let body = &text[at + 1..end];
                    let body = body.trim_end_matches(|c: char| c.is_whitespace() || matches!(c, '=' | ':'));
                    let body = body.strip_suffix(',').unwrap_or(body);
                    out.push(Cut { end: at + 1 + body.len(), closers: closers(&open) });
                }
                open.pop();
            }
            '(' => open.push(')'),
            '[' => open.push(']'),
            '{' => open.push('}'),
            ')' | ']' | '}' => {
                if open.pop() != Some(c) {
                    return out;
                }
                if open.is_empty() || (c == ')' && open.len() == 1) {
                    out.push(Cut { end: at + 1, closers: closers(&open) });
                }
            }
            _ => {}
        }
        if !c.is_whitespace() {
            before = c;
        }
    }
    out
}
