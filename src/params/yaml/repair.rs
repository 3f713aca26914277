//! Reads what is in front of a syntax error once more, where the parser told of nothing.
//!
//! A bracket may be the beginning of a key, so a parser holds back everything inside of it until its line ends; a JSON
//! body on one line that is cut off would have no tree at all. This module does not know events.

use super::{MAX_DEPTH, YamlSource};

/// The text up to a fault with its quotation and its brackets closed; `None` where there is none to be closed.
pub(super) fn repaired(source: &YamlSource, end: usize) -> Option<YamlSource> {
    let bytes = &source.text().as_bytes()[..end];
    let mut closing: Vec<u8> = Vec::new();
    let mut quoted = None;
    let mut escaped = false;
    for (at, &byte) in bytes.iter().enumerate() {
        if let Some(mark) = quoted {
            quoted = quoted.filter(|_| escaped || byte != mark);
            escaped = !escaped && mark == b'"' && byte == b'\\';
            continue;
        }
        match byte {
            // An apostrophe in a word opens no quotation.
            b'"' | b'\'' if at == 0 || !bytes[at - 1].is_ascii_alphanumeric() => quoted = Some(byte),
            b'{' => closing.push(b'}'),
            b'[' => closing.push(b']'),
            b'}' | b']' => drop(closing.pop()),
            _ => {}
        }
    }
    if closing.is_empty() || closing.len() > MAX_DEPTH {
        return None;
    }
    let mut repaired = source.clone();
    let end = end - usize::from(escaped);
    repaired.truncate(end);
    closing.extend(quoted);
    closing.reverse();
    repaired.push_made_up(&String::from_utf8_lossy(&closing));
    Some(repaired)
}
