//! Classifies the lines of a change: a unified diff, or the patch that agents write for `apply_patch`.
//!
//! A line can be classified by itself, except for headings that begin like a removed or an added line. This is only
//! about lines: not about whether a patch applies.

use std::ops::Range;

use super::colour_codes::bytes_without;

/// The kind of a line in a diff.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DiffLine {
    /// Names a file, or says what happens to it.
    Heading,
    /// States the position in the file of the lines that follow, such as `@@ -1,2 +1,3 @@`.
    Place,
    /// A line that the change adds.
    Added,
    /// A line that the change removes.
    Removed,
    /// An unchanged line, or one that is not part of any file.
    Context,
}

/// Prefixes of a first line that identify a diff.
const BEGINNINGS: [&[u8]; 4] = [b"diff --git ", b"@@ -", b"*** Begin Patch", b"Index: "];

/// True if a text begins like a diff. Leading white space and colour sequences are ignored.
pub fn is_diff(text: &[u8]) -> bool {
    let mut lines = text.trim_ascii_start().splitn(3, |&byte| byte == b'\n').map(bytes_without);
    let first = lines.next().unwrap_or_default();
    BEGINNINGS.iter().any(|words| first.starts_with(words))
        || first.starts_with(b"--- ") && lines.next().is_some_and(|second| second.starts_with(b"+++ "))
}

/// The lines of a diff in order, without their line feeds, each with its kind.
pub fn diff_lines(text: &[u8]) -> impl Iterator<Item = (Range<usize>, DiffLine)> + '_ {
    let mut lines = text.split(|&byte| byte == b'\n').peekable();
    let mut at = 0;
    let mut before = DiffState { in_hunk: true, after_old_name: false };
    std::iter::from_fn(move || {
        let line = lines.next()?;
        let range = at..at + line.len();
        at = range.end + 1;
        let next = lines.peek().map(|next| bytes_without(next));
        Some((range, before.line(&bytes_without(line), next.as_deref().unwrap_or_default())))
    })
}

struct DiffState {
    /// True if lines belong to the contents of a file, false in a heading.
    in_hunk: bool,
    /// True if the previous line named the old file (`---`).
    after_old_name: bool,
}

impl DiffState {
    fn line(&mut self, line: &[u8], next: &[u8]) -> DiffLine {
        let names_old = line.starts_with(b"--- ") && next.starts_with(b"+++ ");
        let names_new = std::mem::replace(&mut self.after_old_name, names_old) && line.starts_with(b"+++ ");
        match line.first() {
            Some(b'@') if line.starts_with(b"@@") => {
                self.in_hunk = true;
                DiffLine::Place
            }
            _ if line.starts_with(b"*** ") => {
                self.in_hunk = true;
                DiffLine::Heading
            }
            _ if names_old || names_new || line.starts_with(b"diff --git ") || line.starts_with(b"Index: ") => {
                self.in_hunk = false;
                DiffLine::Heading
            }
            Some(_) if !self.in_hunk => DiffLine::Heading,
            Some(b'+') => DiffLine::Added,
            Some(b'-') => DiffLine::Removed,
            _ => DiffLine::Context,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One letter for the kind of each line.
    fn kinds(text: &str) -> String {
        let letter = |(range, kind): (Range<usize>, DiffLine)| {
            assert!(!text[range].contains('\n'));
            match kind {
                DiffLine::Heading => 'h',
                DiffLine::Place => 'p',
                DiffLine::Added => '+',
                DiffLine::Removed => '-',
                DiffLine::Context => ' ',
            }
        };
        diff_lines(text.as_bytes()).map(letter).collect()
    }

    #[test]
    fn each_line_of_a_difference_is_known() {
        for (text, expected) in [
            ("", " "),
            ("-6 trips\n+7 trips", "-+"),
            ("diff --git a/x b/x\nindex 1..2\n--- a/x\n+++ b/x\n@@ -1 +1 @@ f\n a\n-b\n+c\n\\ No newline", "hhhhp -+ "),
            ("--- a/x\n+++ b/x\n@@ -1 +1 @@\n--- a removed comment\n-- b\n++ c", "hhp--+"),
            ("*** Begin Patch\n*** Update File: x\n@@ f\n-a\n+b\n*** End Patch", "hhp-+h"),
            ("*** Begin Patch\n*** Add File: x\n+a\n*** End Patch\n", "hh+h "),
            (
                "\x1b[1m--- a\x1b[m\n\x1b[1m+++ b\x1b[m\n\x1b[36m@@ -1 +1 @@\x1b[m\n\x1b[31m-a\x1b[m\n\x1b[32m+b\x1b[m",
                "hhp-+",
            ),
        ] {
            assert_eq!(kinds(text), expected, "{text:?}");
        }
    }

    #[test]
    fn a_difference_is_known_by_its_beginning() {
        for (text, expected) in [
            ("diff --git a/x b/x\n", true),
            ("\n@@ -1 +1 @@\n", true),
            ("--- a\n+++ b\n", true),
            ("--- a\nb", false),
            ("*** Begin Patch\n", true),
            ("*** bold ***", false),
            ("\x1b[1mdiff --git a b\x1b[m", true),
            ("- a\n+ b", false),
        ] {
            assert_eq!(is_diff(text.as_bytes()), expected, "{text:?}");
        }
    }
}
