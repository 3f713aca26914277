//! The text of a file while a session changes it.
//!
//! A text is known once a call has written all of it, or a result has shown all of it. An edit of a text that is not known is
//! kept; a text that becomes known later shows what the file was before these edits, if each can be undone in one way.

use similar::{Algorithm, DiffOp, capture_diff_slices};

use super::change::{Replacement, ReplacementScope, TextChange};

/// Maximum bytes of a text that is followed.
const MAX_TEXT: usize = 16 << 20;

/// Maximum product of the lines of two texts that are compared line by line.
const MAX_COMPARED: usize = 20_000_000;

/// Lines that a change adds and removes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LineCounts {
    /// Lines of the new text that the old one does not have.
    pub added: usize,
    /// Lines of the old text that the new one does not have.
    pub removed: usize,
}

/// The text of one file before and after the changes seen so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Contents {
    /// The text before the first change; `None` if it is not known or there was no file.
    pub(super) before: Option<String>,
    /// The text now, while it is known.
    pub(super) now: Option<String>,
    /// True if the session shows no file before the first change.
    pub(super) is_new: bool,
    /// True if the file was deleted by the last change.
    pub(super) is_deleted: bool,
    /// Edits of a text that was not known.
    pub(super) loose: Vec<Replacement>,
    /// Times that the text was found changed by something else than these calls.
    pub(super) outside: usize,
    /// True after the first change.
    pub(super) has_changed: bool,
}

impl Contents {
    /// Notes that this is the text at this point.
    pub(super) fn observe(&mut self, text: &str) {
        if text.len() > MAX_TEXT || self.now.as_deref() == Some(text) {
            return;
        }
        if self.now.is_some() {
            self.outside += usize::from(self.has_changed);
        } else if let Some(before) = undone(text, &self.loose) {
            self.before = Some(before);
            self.loose.clear();
        }
        if !self.has_changed {
            self.before = Some(text.to_owned());
        }
        (self.now, self.is_deleted) = (Some(text.to_owned()), false);
    }

    /// Notes that there was no file at this point.
    pub(super) fn observe_absence(&mut self) {
        if !self.has_changed {
            (self.is_new, self.before, self.now) = (true, None, None);
        }
    }

    /// Carries out a change. Counts lines of the whole text if it is known, else of the replaced parts.
    pub(super) fn apply(&mut self, change: &TextChange) -> LineCounts {
        let old = self.now.take();
        let was_deleted = std::mem::replace(&mut self.is_deleted, matches!(change, TextChange::Delete));
        let known = old.as_deref().or((self.is_new || was_deleted).then_some(""));
        let mut counts = None;
        let first = !std::mem::replace(&mut self.has_changed, true);
        match change {
            TextChange::Read { .. } => {
                (self.now, self.is_deleted, self.has_changed) = (old, was_deleted, !first);
                return LineCounts::default();
            }
            TextChange::Write(text) => {
                // The session shows nothing of a file that it then writes whole: most likely it is new.
                self.is_new |= first && old.is_none();
                counts = Some(line_counts(known.unwrap_or_default(), text));
                self.now = Some(text.clone());
            }
            TextChange::Append(text) => self.now = known.map(|known| format!("{known}{text}")),
            TextChange::Insert(line, text) => self.now = known.and_then(|known| inserted(known, *line, text)),
            TextChange::Replace(list) | TextChange::Move(_, list) => {
                self.now = old.as_deref().and_then(|old| replaced(old, list));
                if self.now.is_none() {
                    self.loose.extend(list.iter().cloned());
                }
            }
            TextChange::Delete | TextChange::Unclear => {}
        }
        self.now.take_if(|text| text.len() > MAX_TEXT);
        match (counts, &self.now, known, change) {
            (Some(counts), ..) => counts,
            (None, Some(new), Some(known), _) => line_counts(known, new),
            (None, None, known, TextChange::Delete) => line_counts(known.unwrap_or_default(), ""),
            (.., TextChange::Replace(list) | TextChange::Move(_, list)) => sum(list),
            (.., TextChange::Append(text) | TextChange::Insert(_, text)) => line_counts("", text),
            _ => LineCounts::default(),
        }
    }
}

fn sum(list: &[Replacement]) -> LineCounts {
    list.iter().map(|one| line_counts(&one.old, &one.new)).fold(LineCounts::default(), |sum, one| LineCounts {
        added: sum.added + one.added,
        removed: sum.removed + one.removed,
    })
}

/// Lines that differ between two texts; a last line without a line feed is a line. Of texts with very many different lines,
/// all lines between the first and the last difference.
fn line_counts(old: &str, new: &str) -> LineCounts {
    let (old, new) = between_equal_ends(old, new);
    let (old, new): (Vec<&str>, Vec<&str>) = (old.split_inclusive('\n').collect(), new.split_inclusive('\n').collect());
    if old.len().saturating_mul(new.len()) > MAX_COMPARED {
        return LineCounts { added: new.len(), removed: old.len() };
    }
    let mut counts = LineCounts::default();
    for operation in capture_diff_slices(Algorithm::Myers, &old, &new) {
        if !matches!(operation, DiffOp::Equal { .. }) {
            counts.removed += operation.old_range().len();
            counts.added += operation.new_range().len();
        }
    }
    counts
}

/// Two texts without the lines that are equal at their beginnings and at their ends.
fn between_equal_ends<'a>(old: &'a str, new: &'a str) -> (&'a str, &'a str) {
    let equal = old.bytes().zip(new.bytes()).take_while(|(a, b)| a == b).count();
    let start = old.as_bytes()[..equal].iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
    let (old, new) = (&old[start..], &new[start..]);
    let equal = old.bytes().rev().zip(new.bytes().rev()).take_while(|(a, b)| a == b).count();
    // The lines after the first line feed of the equal end, which ends a line of both.
    let end = old.as_bytes()[old.len() - equal..].iter().position(|&byte| byte == b'\n').map_or(0, |at| equal - at - 1);
    (&old[..old.len() - end], &new[..new.len() - end])
}

/// A text with replacements, in order; `None` if one of them does not apply.
pub(super) fn replaced(text: &str, list: &[Replacement]) -> Option<String> {
    let mut text = text.to_owned();
    let mut line = 0;
    for one in list {
        text = match one.scope {
            ReplacementScope::First => {
                let at = text.find(&one.old).filter(|_| !one.old.is_empty())?;
                format!("{}{}{}", &text[..at], one.new, &text[at + one.old.len()..])
            }
            ReplacementScope::All if one.old.is_empty() || !text.contains(&one.old) => return None,
            ReplacementScope::All => text.replace(&one.old, &one.new),
            ReplacementScope::Lines => {
                let (replaced, next) = lines_replaced(&text, one, line)?;
                line = next;
                replaced
            }
        };
    }
    Some(text)
}

/// Replaces lines after a number of lines, or before them if they are only there. Lines compare equal exactly, else without
/// white space at their ends, else without any around them. Returns the number of the line after the new ones.
fn lines_replaced(text: &str, one: &Replacement, after: usize) -> Option<(String, usize)> {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let old: Vec<&str> = one.old.lines().collect();
    let compared: [fn(&str) -> &str; 3] = [|line| line.strip_suffix('\n').unwrap_or(line), str::trim_end, str::trim];
    let at = if old.is_empty() {
        // Lines without a context are added at the end.
        lines.len()
    } else {
        let places = || (after..lines.len()).chain(0..after.min(lines.len()));
        compared.iter().find_map(|text_of| {
            places().find(|&at| {
                let here = lines.get(at..at + old.len());
                here.is_some_and(|here| here.iter().zip(&old).all(|(a, b)| text_of(a) == text_of(b)))
            })
        })?
    };
    let end = at + old.len();
    let mut out: String = lines[..at].concat();
    if !out.is_empty() && !out.ends_with('\n') {
        out.push('\n');
    }
    out.push_str(&one.new);
    // The last line of the file keeps its missing line feed.
    if end == lines.len() && !old.is_empty() && !text.ends_with('\n') {
        out.truncate(out.trim_end_matches('\n').len());
    }
    out.push_str(&lines[end..].concat());
    Some((out, at + one.new.lines().count()))
}

/// A text with another one after a number of lines.
fn inserted(text: &str, line: usize, new: &str) -> Option<String> {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let (before, after) = lines.split_at_checked(line)?;
    let mut out = before.concat();
    if !out.is_empty() && !out.ends_with('\n') {
        out.push('\n');
    }
    out.push_str(new);
    if !new.ends_with('\n') {
        out.push('\n');
    }
    out.push_str(&after.concat());
    Some(out)
}

/// The text before edits that led to this one; `None` without edits, or if one of them can be undone in several ways or in none.
fn undone(text: &str, edits: &[Replacement]) -> Option<String> {
    let mut text = text.to_owned();
    for edit in edits.iter().rev() {
        let mut places = text.match_indices(&edit.new);
        let (at, _) = places.next().filter(|_| !edit.new.is_empty() && edit.scope != ReplacementScope::All)?;
        if places.next().is_some() {
            return None;
        }
        text = format!("{}{}{}", &text[..at], edit.old, &text[at + edit.new.len()..]);
    }
    (!edits.is_empty()).then_some(text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::file_history::arguments::changes;

    /// A file after steps: `=text` observes a text, `?` an absent file, and others are arguments of calls.
    fn run(steps: &[&str]) -> (Contents, LineCounts) {
        let mut contents = Contents::default();
        let mut counts = LineCounts::default();
        for step in steps {
            match step.strip_prefix('=') {
                Some(text) => contents.observe(text),
                None if *step == "?" => contents.observe_absence(),
                None => {
                    let arguments = serde_json::from_str(step).expect("the arguments are JSON");
                    for (_, change) in changes("edit", &arguments) {
                        counts = contents.apply(&change);
                    }
                }
            }
        }
        (contents, counts)
    }

    #[test]
    fn the_text_is_followed_through_changes() {
        let edit = r#"{"path": "a", "old_string": "x", "new_string": "y"}"#;
        let all = r#"{"path": "a", "old_string": "x", "new_string": "y", "replace_all": true}"#;
        let write = r#"{"path": "a", "content": "x\nz\n"}"#;
        let lines = r#"{"path": "a", "diff": "@@\n one\n-x \n+y"}"#;
        let insert = r#"{"command": "insert", "path": "a", "insert_line": 1, "insert_text": "new"}"#;
        for (steps, before, now, added, removed) in [
            (&["=x\nx\n", edit][..], Some("x\nx\n"), Some("y\nx\n"), 1, 1),
            (&["=x\nx\n", all], Some("x\nx\n"), Some("y\ny\n"), 2, 2),
            (&["=one\nx\ntwo", lines], Some("one\nx\ntwo"), Some("one\ny\ntwo"), 1, 1),
            (&["=one\nx", lines], Some("one\nx"), Some("one\ny"), 1, 1),
            (&["=a\nb\n", insert], Some("a\nb\n"), Some("a\nnew\nb\n"), 1, 0),
            (&["=a", insert], Some("a"), Some("a\nnew\n"), 2, 1),
            (&[write], None, Some("x\nz\n"), 2, 0),
            (&[write, edit], None, Some("y\nz\n"), 1, 1),
            (&["=x", edit, "=y!"], Some("x"), Some("y!"), 1, 1),
            // The text is not known: the edit alone counts.
            (&[edit], None, None, 1, 1),
            (&["=z", edit], Some("z"), None, 1, 1),
            (&[edit, "=a y b"], Some("a x b"), Some("a y b"), 1, 1),
            (&[edit, "=y y"], None, Some("y y"), 1, 1),
            (&["?", write], None, Some("x\nz\n"), 2, 0),
        ] {
            let (contents, counts) = run(steps);
            assert_eq!((contents.before.as_deref(), contents.now.as_deref()), (before, now), "{steps:?}");
            assert_eq!(counts, LineCounts { added, removed }, "{steps:?}");
        }
        assert_eq!(run(&["=x", edit, "=y!"]).0.outside, 1);
        assert!(run(&[write]).0.is_new && !run(&["=x", write]).0.is_new);
    }
}
