//! Completes JSON that is cut off, as partial-json-parser does.

/// The state of one open object or list.
struct Level {
    is_object: bool,
    /// Length of the text up to the last complete member or item.
    kept: usize,
    /// True after a colon, until the value ends.
    is_at_value: bool,
}

/// The beginning of a JSON value, completed: an unfinished string, number or word is closed, a key without a value is
/// left out, and open brackets are closed. `None` if nothing of a value has arrived. Text that is not JSON is copied, so
/// that reading the result fails.
pub(super) fn completed(text: &str) -> Option<String> {
    let (mut levels, mut at): (Vec<Level>, usize) = (Vec::new(), 0);
    let bytes = text.as_bytes();
    let mut out = String::new();
    let mut is_complete = false;
    while at < bytes.len() && !is_complete {
        let start = at;
        match bytes[at] {
            b'{' | b'[' => {
                levels.push(Level { is_object: bytes[at] == b'{', kept: at + 1, is_at_value: false });
                at += 1;
                continue;
            }
            b'}' | b']' => {
                levels.pop()?;
                at += 1;
            }
            b':' => {
                levels.last_mut()?.is_at_value = true;
                at += 1;
                continue;
            }
            b',' | b' ' | b'\n' | b'\r' | b'\t' => {
                at += 1;
                continue;
            }
            b'"' => match string_end(text, at) {
                Ok(end) => at = end,
                Err(cut) => {
                    if levels.last().is_none_or(|level| !level.is_object || level.is_at_value) {
                        out = format!("{}\"", &text[..cut]);
                    }
                    break;
                }
            },
            _ => {
                at += text[at..].find([',', '}', ']', ':', ' ', '\n', '\r', '\t']).unwrap_or(text.len() - at);
                if at == bytes.len() {
                    out = word(&text[start..]).map_or_else(String::new, |word| format!("{}{word}", &text[..start]));
                    break;
                }
            }
        }
        match levels.last_mut() {
            Some(level) if !level.is_object || level.is_at_value => (level.kept, level.is_at_value) = (at, false),
            Some(_) => {}
            None => is_complete = true,
        }
    }
    if is_complete {
        return Some(text[..at].to_owned());
    }
    if out.is_empty() {
        text[..levels.last()?.kept].clone_into(&mut out);
    }
    out.extend(levels.iter().rev().map(|level| if level.is_object { '}' } else { ']' }));
    Some(out)
}

/// The end of a string that begins at an offset; if it is cut off, the end of its last complete character.
fn string_end(text: &str, start: usize) -> Result<usize, usize> {
    let mut chars = text[start + 1..].char_indices().map(|(at, c)| (start + 1 + at, c));
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => return Ok(at + 1),
            '\\' => match chars.next() {
                None => return Err(at),
                Some((_, 'u')) if (0..4).any(|_| chars.next().is_none()) => return Err(at),
                Some(_) => {}
            },
            _ => {}
        }
    }
    Err(text.len())
}

/// A number or word at the end of the text, completed; `None` if it has no complete part.
fn word(text: &str) -> Option<&str> {
    if let Some(whole) = ["true", "false", "null"].into_iter().find(|whole| whole.starts_with(text)) {
        return Some(whole);
    }
    let number = text.trim_end_matches(['.', 'e', 'E', '+', '-']);
    (!number.is_empty()).then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_that_is_cut_off_is_completed() {
        let cases = [
            ("", None),
            ("{", Some("{}")),
            ("{\"ci", Some("{}")),
            ("{\"city\": ", Some("{}")),
            ("{\"city\": \"Pa", Some("{\"city\": \"Pa\"}")),
            ("{\"city\": \"Pa\\", Some("{\"city\": \"Pa\"}")),
            ("{\"city\": \"a\\u00", Some("{\"city\": \"a\"}")),
            ("{\"city\": \"Paris\", \"da", Some("{\"city\": \"Paris\"}")),
            ("{\"days\": 3.", Some("{\"days\": 3}")),
            ("{\"ok\": tr", Some("{\"ok\": true}")),
            ("{\"a\": [1, {\"b\": ", Some("{\"a\": [1, {}]}")),
            ("{\"a\": {}} tail", Some("{\"a\": {}}")),
        ];
        for (text, expected) in cases {
            assert_eq!(completed(text).as_deref(), expected, "{text}");
        }
    }
}
