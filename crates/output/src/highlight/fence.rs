//! Fenced code blocks in prose.
//!
//! Fences follow Markdown, except that blocks inside quotations and lists are ignored.

use std::ops::Range;

use crate::highlight::{Language, language_of};

/// Most spaces before a fence.
const INDENT: usize = 3;

/// The code between fences, as byte ranges of the text, each with its language. Blocks without a known language are
/// left out.
pub fn fences(text: &str) -> Vec<(Range<usize>, Language)> {
    let mut found = Vec::new();
    let mut open: Option<(char, usize, &str, usize)> = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let (start, end) = (at, at + line.len());
        at = end;
        let Some((sign, length, rest)) = fence(line) else { continue };
        match open {
            None if sign == '~' || !rest.contains('`') => open = Some((sign, length, rest, end)),
            Some((begun, least, tag, from)) if begun == sign && length >= least && rest.is_empty() => {
                found.extend(language_of(None, Some(tag), b"").map(|language| (from..start, language)));
                open = None;
            }
            None | Some(_) => {}
        }
    }
    found
}

/// The character of a fence, how often it is repeated, and the rest of the line.
fn fence(line: &str) -> Option<(char, usize, &str)> {
    let inner = line.trim_start_matches(' ');
    let sign = inner.chars().next().filter(|sign| matches!(sign, '`' | '~'))?;
    let rest = inner.trim_start_matches(sign);
    let length = inner.len() - rest.len();
    (length >= 3 && line.len() - inner.len() <= INDENT).then(|| (sign, length, rest.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_is_what_stands_between_fences_with_a_language() {
        for (text, expected) in [
            ("a\n```rust\nfn f() {}\n```\nb", &["fn f() {}\n"][..]),
            ("````md\n```js\n1\n```\n````\n", &["```js\n1\n```\n"]),
            ("~~~ js x=1\n`\n~~~", &["`\n"]),
            ("```js\nnot closed", &[]),
            ("```\nplain\n```\n   ```json\n{}\n  ```", &["{}\n"]),
            ("    ```js\n1\n    ```", &[]),
            ("``` `js`\n1\n```js\n2\n```", &["2\n"]),
            ("```unknown-language\n1\n```", &[]),
        ] {
            let found: Vec<&str> = fences(text).into_iter().map(|(range, _)| &text[range]).collect();
            assert_eq!(found, expected, "{text:?}");
        }
    }
}
