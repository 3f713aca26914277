//! Reports questionable values and keys, and text that a library rejects although the parser accepts it.

use granit_parser::Tag;

use super::build::{Builder, Open, OpenKind};
use super::scalar::{self, ScalarLoss};
use super::{Library, fault, layout};
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::text::Span;
use crate::value::{Scalar, coerce};

const NUMBER_HELP: &str = "quote it to keep it as text";
const SPACE_HELP: &str = "put a space after the colon that separates key and value";

impl Builder<'_> {
    /// Reports a tag that is not in the core schema.
    pub(super) fn judge_tag(&mut self, tag: &Tag, place: (usize, usize)) {
        if matches!(tag.core_suffix(), Some("map" | "seq")) || tag.original() == "!" {
            return;
        }
        let known = tag.handle() == "tag:yaml.org,2002:"
            && matches!(tag.suffix(), "binary" | "set" | "omap" | "pairs" | "timestamp" | "merge");
        let name = tag.original();
        let span = self.source.span(place.0, place.1);
        let found = name.clone();
        if known || self.library == Library::Yaml {
            let message = format!("the tag {name} is ignored");
            let mut problem = Diagnostic::new(Code::YamlTag, span, message).contrast("a value without a tag", found);
            problem.severity = Severity::Warning;
            self.report(problem);
        } else {
            let message = format!("unknown tag {name}");
            self.refuse(Diagnostic::new(Code::YamlTag, span, message).contrast("a value without a tag", found));
        }
    }

    /// Reports a malformed text of several lines, or a lone question mark.
    pub(super) fn judge_layout(&mut self, written: &str, place: (usize, usize), plain: bool) {
        let in_brackets = self.open.last().is_some_and(|open| open.column.is_none());
        let has_key = |open: &Open| matches!(open.kind, OpenKind::Mapping { key: Some(_), .. });
        let is_value = self.open.last().is_some_and(has_key);
        let ends = || self.source.text()[place.1..].starts_with([',', '[', ']', '{', '}']);
        if plain && in_brackets && written == "?" && (is_value || self.library == Library::JsYaml) && ends() {
            let problem =
                Diagnostic::new(Code::YamlSyntax, self.source.span(place.0, place.1), "? is not allowed here");
            self.refuse(problem.contrast("a value in quotes", "?"));
        }
        if !written.contains('\n') {
            return;
        }
        let is_key = self.open.last().is_some_and(|open| matches!(open.kind, OpenKind::Mapping { key: None, .. }));
        let has_value = || self.source.text()[place.1..].trim_start().starts_with(':');
        if in_brackets && is_key && self.library == Library::JsYaml && !self.is_marked(place.0) && has_value() {
            let message = "a key in brackets cannot span lines";
            let problem = Diagnostic::new(Code::YamlSyntax, self.source.span(place.0, place.1), message);
            self.refuse(problem.contrast("a key on one line", "a line feed"));
        }
        // js-yaml checks only the continuation lines of plain scalars; the other library checks brackets as a whole.
        let counts = if self.library == Library::JsYaml { plain && in_brackets } else { !in_brackets };
        let column = self.open.iter().rev().find_map(|open| open.column).filter(|_| counts);
        let Some(column) = column else { return };
        if let Some(at) = layout::under_indented(self.source.text(), place, column, None) {
            self.refuse(layout::too_far_left(self.source, at, column));
        }
    }

    /// True if a question mark precedes a key.
    fn is_marked(&self, start: usize) -> bool {
        self.source.text()[..start].trim_end().ends_with('?')
    }

    /// Reports a key in brackets without a value whose colon may lack a space.
    pub(super) fn judge_absence(&mut self) {
        let Some(Open { kind: OpenKind::Mapping { key: Some(key), .. }, column: None, .. }) = self.open.last() else {
            return;
        };
        let written = &self.source.text()[key.start..key.end];
        let Some((name, value)) = written.split_once(':').filter(|_| !written.starts_with(['"', '\''])) else { return };
        if !name.is_empty() && !value.is_empty() {
            let message = format!("{written} is a key without a value");
            let span = self.source.span(key.start, key.end);
            let problem = Diagnostic::new(Code::YamlAmbiguous, span, message);
            self.report(problem.contrast(format!("{name}: {value}"), written).help(SPACE_HELP));
        }
    }

    /// Reports questionable properties of a plain key, which becomes `text`.
    pub(super) fn judge_key(&mut self, words: &str, text: &str, scalar: Scalar, place: (usize, usize)) {
        let span = self.source.span(place.0, place.1);
        let in_brackets = self.open.last().is_some_and(|open| open.column.is_none());
        if self.library == Library::JsYaml && place.0 == place.1 && !in_brackets && !self.is_marked(place.0) {
            let problem = Diagnostic::new(Code::YamlSyntax, span, "no key before the colon");
            self.refuse(problem.contrast("key: value", ":"));
            return;
        }
        match scalar {
            Scalar::Null => {
                let written = if words.is_empty() { "a key that is missing" } else { words };
                let message = format!("{written} becomes the key {text:?}; other readers make another text of it");
                self.report(Diagnostic::new(Code::YamlAmbiguous, span, message));
            }
            Scalar::Number(_) if words != text && scalar::loss(words, text).is_none() => {
                let message = format!("the key {words} becomes {text}");
                let problem = Diagnostic::new(Code::LossyNumber, span, message).contrast(words, text);
                self.report(Diagnostic { severity: Severity::Hint, ..problem.help(NUMBER_HELP) });
            }
            _ => self.judge_plain(words, scalar, span),
        }
    }

    /// Reports questionable properties of a plain scalar.
    pub(super) fn judge_plain(&mut self, words: &str, scalar: Scalar, span: Span) {
        match scalar {
            Scalar::Number(number) => {
                let becomes = coerce::number_text(number);
                let Some(loss) = scalar::loss(words, &becomes) else { return };
                let mut problem = Diagnostic::new(Code::LossyNumber, span, format!("{words} becomes {becomes}"))
                    .contrast(words, &*becomes)
                    .help(NUMBER_HELP);
                if loss == ScalarLoss::TrailingZero {
                    problem.severity = Severity::Hint;
                }
                self.report(problem);
            }
            Scalar::String => {
                if let Some(other) = scalar::read_elsewhere(words) {
                    let message = format!("{words} is a string in YAML 1.2; other readers make {other} of it");
                    self.report(Diagnostic::new(Code::YamlAmbiguous, span, message));
                }
            }
            _ => {}
        }
    }

    /// The column at which a block begins. Reports a tab before it.
    pub(super) fn column(&mut self, start: usize, mapping: bool) -> usize {
        let source = self.source;
        if !mapping && !source.text()[start..].starts_with('-') {
            // A list in the column of its key begins after its first dash.
            return self.open.last().and_then(|open| open.column).unwrap_or_default();
        }
        let line = source.text()[..start].rfind('\n').map_or(0, |feed| feed + 1);
        let lead = &source.text()[line..start];
        if let Some(tab) = layout::tab_before(lead) {
            self.refuse(fault::tab(source.span(line + tab, line + tab + 1)));
        }
        lead.chars().count()
    }
}
