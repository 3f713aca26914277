//! Removes terminal escape sequences from a quotation, including damaged ones: without their escape character (`[31m`),
//! written out (`\u001b[31m`), or cut off at the end.
//!
//! For one-line summaries. Where all bytes are shown, `colour_codes` and `sanitize` handle sequences exactly.

use std::borrow::Cow;
use std::sync::LazyLock;

use super::line_regex::{Regex, fixed};

static ESCAPES: LazyLock<Regex> = LazyLock::new(|| {
    let words = concat!(
        // Operating system commands, such as links, up to their end.
        r"\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)?",
        // Control sequences, with the escape character or with its name.
        r"|(?:\x1b|\\u001[bB]|\\x1[bB]|\\033|␛)\[[0-?]*[ -/]*[@-~]?",
        r"|\x1b[ -/]*[0-~]?",
        // The rest of one that lost its escape character.
        r"|\[[0-9]{1,3}(?:;[0-9]{1,3}){0,8}m",
    );
    fixed(words)
});

/// The text without escape sequences and fragments of them.
pub fn without_escapes(words: &str) -> Cow<'_, str> {
    let mut kept: Option<String> = None;
    let mut at = 0;
    for found in ESCAPES.find_iter(words) {
        kept.get_or_insert_default().push_str(&words[at..found.start()]);
        at = found.end();
    }
    match kept {
        None => Cow::Borrowed(words),
        Some(kept) => Cow::Owned(kept + &words[at..]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_left_of_an_escape_sequence_and_all_of_the_words() {
        for (words, expected) in [
            ("", ""),
            ("plain [1] a[0]m [m] C:\\e", "plain [1] a[0]m [m] C:\\e"),
            ("\x1b[31mred\x1b[0m", "red"),
            ("[1m[31mFAIL[39m[22m a", "FAIL a"),
            ("[38;2;255;0;0mred", "red"),
            ("\\u001b[31mred\\u001B[0m \\x1b[1mbold \\033[0mend", "red bold end"),
            ("\x1b]8;;https://a.b\x07link\x1b]8;;\x1b\\ rest", "link rest"),
            ("\x1b[2K\x1b[1Ga\x1b(B\x1b7b", "ab"),
            ("cut\x1b[3", "cut"),
            ("cut\x1b", "cut"),
            ("␛[31mpicture␛[0m", "picture"),
        ] {
            assert_eq!(without_escapes(words), expected, "{words:?}");
        }
    }
}
