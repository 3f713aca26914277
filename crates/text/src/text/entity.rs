//! Character references, as HTML and XML write them: `&lt;`, `&#60;`, `&#x3c;`.

/// The longest reference that is recognised, in bytes.
pub const LONGEST: usize = 12;

/// The named references of XML.
pub const XML: &[(&str, char)] = &[("lt", '<'), ("gt", '>'), ("amp", '&'), ("quot", '"'), ("apos", '\'')];

/// The named references of HTML for characters of markup, and the few others that a model writes.
pub const HTML: &[(&str, char)] = &[
    ("lt", '<'),
    ("gt", '>'),
    ("amp", '&'),
    ("quot", '"'),
    ("apos", '\''),
    ("excl", '!'),
    ("colon", ':'),
    ("lowbar", '_'),
    ("commat", '@'),
    ("nbsp", '\u{a0}'),
    ("hellip", '…'),
    ("ndash", '–'),
    ("mdash", '—'),
    ("copy", '©'),
];

/// The character of the reference at the beginning of a text, and its length; `None` if its name is not in `names`.
pub fn read(text: &str, names: &[(&str, char)]) -> Option<(char, usize)> {
    let end = text.bytes().take(LONGEST).position(|byte| byte == b';')?;
    let name = text[..end].strip_prefix('&')?;
    let character = match name.strip_prefix('#') {
        Some(digits) => {
            let hexadecimal = digits.strip_prefix(['x', 'X']).map(|digits| u32::from_str_radix(digits, 16));
            char::from_u32(hexadecimal.unwrap_or_else(|| digits.parse()).ok()?)?
        }
        None => names.iter().find(|(known, _)| *known == name)?.1,
    };
    Some((character, end + 1))
}

/// The text with its references replaced; unknown ones are kept.
pub fn decode(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        out.push_str(&rest[..at]);
        let (character, length) = read(&rest[at..], HTML).unwrap_or(('&', 1));
        out.push(character);
        rest = &rest[at + length..];
    }
    out + rest
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
