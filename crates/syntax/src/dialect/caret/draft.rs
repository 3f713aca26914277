//! The shipped runtime's reading of a block in the draft's form.
//!
//! It knows none of the draft's markers and reports nothing: it drops some lines and takes others for parameters.

use std::ops::Range;

use super::line::trim;
use super::walk::Class;
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::text::Span;

/// Differences between the two readings of a block.
#[derive(Debug, Default)]
pub(super) struct Differences {
    /// Keys, with the values that they get instead.
    keys: Vec<String>,
    dropped: Vec<Span>,
    /// Lines that become parameters, with the effect of each.
    parameters: Vec<(Span, String)>,
}

impl Differences {
    /// Records a line of a draft value, with its class for the runtime.
    pub(super) fn line(&mut self, shipped: &Class, line: &[u8], at: usize) {
        let text = trim(line);
        let span = Span::new(at + text.start, at + text.end);
        let name = |key: &Range<usize>| String::from_utf8_lossy(&line[key.clone()]).into_owned();
        match shipped {
            Class::Pair { key, .. } => self.parameters.push((span, format!("becomes the parameter {}", name(key)))),
            Class::ValueStart(key) | Class::ArrayStart(key) => {
                self.parameters.push((span, format!("begins the value of {}", name(key))));
            }
            Class::Stray | Class::OpenInside => self.dropped.push(span),
            _ => {}
        }
    }

    /// Records a block scalar, whose indicator is all that the runtime sees.
    pub(super) fn scalar(&mut self, key: &str, indicator: &str) {
        self.keys.push(format!("{key} is {indicator:?}"));
    }

    /// Records a list, whose key is all that the runtime sees.
    pub(super) fn list(&mut self, key: &str) {
        self.keys.push(format!("{key} is empty"));
    }

    /// The problem; `marker` is the line with the first marker of the draft.
    pub(super) fn problem(&self, marker: Span) -> Diagnostic {
        let mut parts: Vec<String> = self.keys.clone();
        let lines = |count: usize| if count == 1 { "1 line".to_owned() } else { format!("{count} lines") };
        if !self.dropped.is_empty() {
            parts.push(format!("{} dropped", lines(self.dropped.len())));
        }
        match self.parameters.len() {
            0 => {}
            1 => parts.push("1 line taken for a parameter".into()),
            count => parts.push(format!("{count} lines taken for parameters")),
        }
        if parts.is_empty() {
            let message = "the draft's form; nothing is lost by it";
            return Diagnostic::new(Code::CaretDraftForm, marker, message).with_severity(Severity::Hint);
        }
        let message = format!("the draft's form; for the shipped runtime {}", parts.join(", "));
        let mut problem = Diagnostic::new(Code::CaretDraftForm, marker, message);
        if let Some(&first) = self.dropped.first() {
            problem = problem.related(first, "dropped by the runtime");
        }
        if let Some((first, becomes)) = self.parameters.first() {
            problem = problem.related(*first, becomes.clone());
        }
        problem
    }
}
