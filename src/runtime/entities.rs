//! Character references, as HTML and XML write them: `&lt;`, `&#60;`, `&#x3c;`.
//!
//! Of the names of HTML it knows those that stand for the signs of markup and the few that a model writes.

/// The most characters of a name.
const MAX_NAME: usize = 10;

/// The text with its references replaced; one that is not known stays.
pub fn decode(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let end = rest.bytes().take(MAX_NAME + 2).position(|byte| byte == b';');
        if let Some((c, end)) = end.and_then(|end| Some((character(&rest[1..end])?, end))) {
            out.push(c);
            rest = &rest[end + 1..];
        } else {
            out.push('&');
            rest = &rest[1..];
        }
    }
    out.push_str(rest);
    out
}

fn character(name: &str) -> Option<char> {
    if let Some(digits) = name.strip_prefix('#') {
        let number = match digits.strip_prefix(['x', 'X']) {
            Some(digits) => u32::from_str_radix(digits, 16),
            None => digits.parse(),
        };
        return char::from_u32(number.ok()?);
    }
    Some(match name {
        "lt" => '<',
        "gt" => '>',
        "amp" => '&',
        "quot" => '"',
        "apos" => '\'',
        "nbsp" => '\u{a0}',
        "hellip" => '…',
        "ndash" => '–',
        "mdash" => '—',
        "copy" => '©',
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::decode;

    fn check(input: &str, expected: &str) {
        assert_eq!(decode(input), expected, "{input}");
    }

    #[test]
    fn references_become_characters() {
        for (input, expected) in [
            ("a &lt; b &amp;&amp; c &#62; d &#x26;", "a < b && c > d &"),
            ("&nothing; & &; &#; &lt", "&nothing; & &; &#; &lt"),
            ("&amp;lt;", "&lt;"),
            ("&é;", "&é;"),
        ] {
            check(input, expected);
        }
    }
}
