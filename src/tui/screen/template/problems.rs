//! The problems of the template: a row for each, and all about the selected one.

use std::ops::Range;

use crate::diagnostic::Severity;
use crate::template::check::TemplateProblem;
use crate::tui::row::{Piece, Row, count, hanging, mark, severity_word};
use crate::tui::screen::template::TemplateScreen;
use crate::tui::screen::template::layout::TemplatePane;
use crate::tui::style::Role;
use crate::tui::viewport::{Anchor, Units};
use crate::tui::widget::is_cut;

/// Columns before the message of a problem.
const INDENT: &str = "    ";

/// The rows of the problems.
pub(super) struct ProblemUnits {
    /// Number of rows of each.
    heights: Vec<usize>,
}

impl Units for ProblemUnits {
    fn numbers(&self) -> Range<usize> {
        0..self.heights.len()
    }

    fn height(&self, unit: usize, _: usize) -> usize {
        self.heights[unit]
    }
}

impl TemplateScreen {
    pub(super) fn listed_problems(&self) -> &[TemplateProblem] {
        self.problems.as_deref().unwrap_or_default()
    }

    pub(super) fn problem_units(&self) -> ProblemUnits {
        let selected = self.problem_list.at.unit;
        let height = |number| if number == selected { self.problem_lines(number).len() } else { 1 };
        ProblemUnits { heights: (0..self.listed_problems().len()).map(height).collect() }
    }

    /// Number of rows of all problems.
    pub(super) fn problem_rows(&self) -> usize {
        self.listed_problems().len().max(1) + usize::from(!self.listed_problems().is_empty()) * 2
    }

    /// The rows of a problem.
    pub(super) fn problem_lines(&self, number: usize) -> Vec<Row> {
        let Some(problem) = self.listed_problems().get(number) else { return Vec::new() };
        let diagnostic = &problem.diagnostic;
        let (sign, role) = mark(diagnostic.severity);
        let line = self.source_line(diagnostic.span.start);
        let lead = vec![
            Piece::new(format!(" {sign} "), role),
            Piece::new(format!("line {line:<4} "), Role::LineNumber),
            Piece::new(format!("{:<24} ", diagnostic.code.name()), Role::Dim),
            Piece::new(&diagnostic.message, Role::Text),
        ];
        let mut rows = vec![Row::words(lead)];
        if number == self.problem_list.at.unit {
            let width = usize::from(self.areas.inner(TemplatePane::Problems).width).saturating_sub(INDENT.len() + 1);
            let text = |rows: &mut Vec<Row>, words: &str, role| {
                rows.extend(hanging((INDENT, INDENT), Role::Text, words, width, role));
            };
            if is_cut(&rows[0].lead, width + INDENT.len() + 1) {
                text(&mut rows, &diagnostic.message, Role::Text);
            }
            text(&mut rows, &format!("help: {}", diagnostic.help_text()), Role::Dim);
            text(&mut rows, &circumstances(problem), Role::Dim);
        }
        rows
    }

    /// The line of a byte of the source, from 1.
    pub(super) fn source_line(&self, offset: usize) -> usize {
        self.template().map_or(1, |template| template.source_index.line(template.source_index.part_at(offset)))
    }

    /// The counts of the title.
    pub(super) fn problem_counts(&self) -> Vec<Piece> {
        let Some(problems) = &self.problems else { return Vec::new() };
        let of = |severity: Severity| problems.iter().filter(|problem| problem.diagnostic.severity == severity).count();
        let counted =
            Severity::ALL.into_iter().map(|severity| (severity, of(severity))).filter(|(_, count)| *count > 0);
        let pieces: Vec<Piece> = counted
            .map(|(severity, number)| {
                let (sign, role) = mark(severity);
                Piece::new(format!("{sign} {}  ", count(number, severity_word(severity))), role)
            })
            .collect();
        if pieces.is_empty() { vec![Piece::new("no problems  ", Role::Good)] } else { pieces }
    }

    /// Goes to the next or previous problem.
    pub(super) fn go_to_problem(&mut self, direction: i8) {
        let count = self.listed_problems().len();
        if count == 0 {
            let words = if self.problems.is_some() { "no problems" } else { "the template is still being checked" };
            return self.chrome.show_message(words, Role::Dim);
        }
        let at = self.problem_list.at.unit;
        let next = match self.shown_problem {
            None if direction > 0 => 0,
            None => count - 1,
            Some(_) => crate::tui::action::next_in_ring(at.min(count - 1), direction, count),
        };
        self.show_problem(next);
    }

    /// Shows a problem: with the conversation and the runtime in which it occurs, and its place in the template.
    pub(super) fn show_problem(&mut self, number: usize) {
        let Some(problem) = self.listed_problems().get(number).cloned() else { return };
        self.shown_problem = Some(number);
        if self.areas.of(TemplatePane::Problems).is_none() {
            // One pane has room: its place in the template is shown, and the bottom line says what is wrong.
            let (sign, role) = mark(problem.diagnostic.severity);
            self.focus_on(TemplatePane::Source);
            self.chrome.show_message(format!("{sign} {}", problem.diagnostic.message), role);
        }
        self.reveal_at(TemplatePane::Problems, Some(Anchor { unit: number, ..Anchor::default() }));
        self.arrange();
        let is_named = |name: &String| self.opened.probes.iter().position(|probe| probe.name == *name);
        let probe = problem.probe.as_ref().and_then(is_named).unwrap_or(self.probe);
        let has_runtime = problem.runtimes.is_empty() || problem.runtimes.contains(&self.runtime());
        let runtime = if has_runtime { self.runtime() } else { problem.runtimes[0] };
        if probe != self.probe || runtime != self.runtime() {
            self.probe = probe;
            self.opened.options.runtime = runtime;
            self.awaited_problem = Some(number);
            self.render_again();
        } else {
            self.show_place_of(number);
        }
    }

    /// Selects the place of a problem in the template.
    pub(super) fn show_place_of(&mut self, number: usize) {
        let Some(span) = self.listed_problems().get(number).map(|problem| problem.diagnostic.span) else { return };
        let piece = self.indexed().and_then(|prompt| prompt.piece_in(&(span.start..span.end)));
        self.select_piece(piece);
        self.show_prompt();
        self.show_source_at(span.start);
    }
}

/// The conversation that shows a problem, and the runtimes with it.
fn circumstances(problem: &TemplateProblem) -> String {
    let runtimes = problem.runtime_names();
    match &problem.probe {
        Some(probe) => format!("in {runtimes}, with the probe {probe}"),
        None => format!("in {runtimes}"),
    }
}
