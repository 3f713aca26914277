//! Markers that overlap: with the punctuation before them, as in `!!!!ARG:`, or with each other, if custom markers
//! share a prefix. The runtime searches for each marker in turn and never reports that another one matched.

use super::{Marker, Markers};
use crate::diagnostic::{Code, Diagnostic};
use crate::text::Span;

const ALL: [Marker; 3] = [Marker::Start, Marker::End, Marker::Argument];

impl Markers {
    /// True if a text can match two of these markers in overlapping bytes so that one of them is lost.
    pub(super) fn can_overlap(all: [&[u8]; 3]) -> bool {
        let clash = |taken: &[u8], other: &[u8]| {
            let prefix = |at: &usize| taken.len() - at < other.len() && other.starts_with(&taken[*at..]);
            (0..taken.len()).any(|at| prefix(&at))
        };
        let [start, end, _] = all;
        end.starts_with(start) || all.iter().any(|taken| all.iter().any(|other| clash(taken, other)))
    }

    /// Number of punctuation marks directly before a marker that equal its first ones: 1 for `!!!!ARG:`.
    pub(super) fn marks_before(&self, marker: Marker, before: &[u8]) -> usize {
        let text = self.text(marker).as_bytes();
        let (first, begins_twice) = (text[0], text.len() > 1 && text[0] == text[1]);
        if !begins_twice || first.is_ascii_alphanumeric() || first.is_ascii_whitespace() {
            return 0;
        }
        before.iter().rev().take_while(|&&byte| byte == first).count()
    }

    /// The problem of punctuation before the marker at `at` in a line that begins with `before`; `belong` is the
    /// effect that the message states. After other text the punctuation may belong to that, so no deletion is
    /// proposed.
    pub(super) fn marks_problem(&self, marker: Marker, before: &[u8], at: usize, belong: &str) -> Option<Diagnostic> {
        let marks = self.marks_before(marker, before);
        if marks == 0 {
            return None;
        }
        let text = self.text(marker);
        let extra = text[..1].repeat(marks);
        let message = format!("markers overlap: the {marker} {text} is taken, and the {extra} before it {belong}");
        let problem = Diagnostic::new(Code::OverlappingMarkers, Span::new(at - marks, at + text.len()), message);
        let problem = problem.contrast(text, format!("{extra}{text}"));
        let begins_line = before[..before.len() - marks].iter().all(|byte| matches!(byte, b' ' | b'\t' | b'>'));
        Some(if begins_line {
            problem.remedy(Span::new(at - marks, at), "").help(format!("delete the {extra} before {text}"))
        } else {
            problem.help(format!("begin a line with {text}"))
        })
    }

    /// The problem of another marker that matches the text `ahead` of `at`, where `taken` was matched.
    pub(super) fn overlap_problem(&self, taken: Marker, at: usize, ahead: &[u8]) -> Option<Diagnostic> {
        if !self.overlaps {
            return None;
        }
        let text = self.text(taken);
        let (other, from) = (0..text.len()).find_map(|from| {
            let rest = &ahead[from.min(ahead.len())..];
            let is_lost = |other: &Marker| {
                let length = self.text(*other).len();
                let reaches_further = from + length > text.len();
                let comes_first = from == 0 && taken == Marker::End && *other == Marker::Start;
                (from > 0 || *other != taken)
                    && (reaches_further || comes_first)
                    && rest.starts_with(self.text(*other).as_bytes())
            };
            ALL.into_iter().find(is_lost).map(|other| (other, from))
        })?;
        let other_text = self.text(other);
        let place = if from == 0 { "matches here, too" } else { "matches within it" };
        let message = format!("markers overlap: the {taken} {text} is taken; the {other} {other_text} {place}");
        let span = Span::new(at, at + text.len().max(from + other_text.len()));
        Some(Diagnostic::new(Code::OverlappingMarkers, span, message))
    }
}
