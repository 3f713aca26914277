//! Block scalars of the draft, as in YAML: `|` keeps line ends, `>` folds them.
//!
//! Unlike in YAML, the text does not end with a line feed, so that it equals the same value in the shipped form.

use super::line::{indent, is_empty, lines};

/// An indicator after the colon: `|`, `>-`, `|2+` …
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Indicator {
    folded: bool,
    /// True if trailing blank lines are kept.
    keep: bool,
    /// Explicit indentation relative to the key, in spaces.
    indent: Option<usize>,
}

impl Indicator {
    /// Parses a value as an indicator.
    pub(super) fn parse(value: &[u8]) -> Option<Self> {
        let (&style, rest) = value.split_first()?;
        if !matches!(style, b'|' | b'>') || rest.len() > 2 {
            return None;
        }
        let mut found = Self { folded: style == b'>', keep: false, indent: None };
        let mut chomping = false;
        for &byte in rest {
            match byte {
                b'+' | b'-' if !chomping => {
                    chomping = true;
                    found.keep = byte == b'+';
                }
                b'1'..=b'9' if found.indent.is_none() => found.indent = Some(usize::from(byte - b'0')),
                _ => return None,
            }
        }
        Some(found)
    }

    /// The text of the lines in `body`, below a key with an indentation of `outer`.
    pub(super) fn text(self, body: &[u8], outer: usize) -> String {
        let all: Vec<&[u8]> = lines(body, 0).map(|(_, line)| line).collect();
        let end = all.iter().rposition(|line| !is_empty(line)).map_or(0, |last| last + 1);
        let (content, blank) = all.split_at(end);
        let least = content.iter().filter(|line| !is_empty(line)).map(|line| indent(line)).min().unwrap_or_default();
        let depth = self.indent.map_or(least, |indent| least.min(outer + indent));
        let content: Vec<&[u8]> = content.iter().map(|line| line.get(depth..).unwrap_or_default()).collect();
        let mut text = if self.folded { fold(&content) } else { content.join(&b'\n') };
        if self.keep {
            text.extend(std::iter::repeat_n(b'\n', blank.len()));
        }
        String::from_utf8_lossy(&text).into_owned()
    }
}

/// Joins lines by spaces; blank lines between them become line feeds, and lines indented further keep their line
/// feeds.
fn fold(lines: &[&[u8]]) -> Vec<u8> {
    let mut text: Vec<u8> = Vec::new();
    // Line feeds since the last line with text; whether that line may be folded.
    let mut feeds = 0;
    let mut foldable = false;
    for line in lines {
        if is_empty(line) {
            feeds += 1;
            continue;
        }
        let folds = !matches!(line[0], b' ' | b'\t');
        if text.is_empty() {
            text.extend(std::iter::repeat_n(b'\n', feeds));
        } else if !(foldable && folds) {
            text.extend(std::iter::repeat_n(b'\n', feeds + 1));
        } else if feeds == 0 {
            text.push(b' ');
        } else {
            text.extend(std::iter::repeat_n(b'\n', feeds));
        }
        text.extend_from_slice(line);
        (feeds, foldable) = (0, folds);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn block_scalars_are_read_as_yaml_reads_them_but_for_the_last_line_feed() {
        for (indicator, body, expected) in [
            ("|", "  a\n    b\n\n  c\n", "a\n  b\n\nc"),
            ("|-", "\ta\n\tb\n\n", "a\nb"),
            ("|+", "  a\n\n", "a\n"),
            ("|2", "    a\n  b\n", "  a\nb"),
            ("|", "\n  a\n", "\na"),
            (">", "  a\n  b\n\n  c\n", "a b\nc"),
            (">-", "  a\n    b\n  c\n", "a\n  b\nc"),
            (">1-", "  a\n   b", " a\n  b"),
            ("|", "  a\r\n  b\r\n", "a\nb"),
        ] {
            let indicator = Indicator::parse(indicator.as_bytes()).expect("an indicator");
            assert_eq!(indicator.text(body.as_bytes(), 0), expected, "{body:?}");
        }
        for value in ["", "||", "|x", "|--", "|22", ">>", "a|", "| a"] {
            assert_eq!(Indicator::parse(value.as_bytes()), None, "{value:?}");
        }
    }
}
