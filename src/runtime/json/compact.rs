//! JSON without the spaces that Python writes behind commas and colons.

/// The text of a JSON value without blanks outside of strings.
pub fn compact(json: &str) -> String {
    let (mut out, mut in_string, mut escaped) = (String::with_capacity(json.len()), false, false);
    for c in json.chars() {
        if in_string || c != ' ' {
            out.push(c);
        }
        in_string ^= c == '"' && !escaped;
        escaped = c == '\\' && !escaped;
    }
    out
}
