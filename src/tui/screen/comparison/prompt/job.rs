//! The job of rendering two prompts and aligning their lines on another thread.

use crate::compare::RowKind;
use crate::tui::screen::comparison::prompt::line::{AlignedLine, aligned_lines, lines_alone};
use crate::tui::template::prompt::IndexedPrompt;
use crate::tui::template::{RenderedTemplate, TemplateJob};

/// Two prompts to render and compare.
pub struct PromptsJob(pub [TemplateJob; 2]);

/// Two templates with their prompts, or with the reasons why there is none, and the aligned lines.
pub struct ComparedPrompts {
    /// The templates, left and right; an error says why one cannot be read.
    pub sides: [Result<Box<RenderedTemplate>, String>; 2],
    /// The lines of both prompts; of one alone if the other side has none.
    pub lines: Vec<AlignedLine>,
    /// The differences: the index of a line, and of the part of it. Lines next to each other that one side lacks are one.
    pub differences: Vec<(usize, usize)>,
}

impl PromptsJob {
    /// Renders and compares both prompts; `None` once it `is_cancelled`.
    pub fn run(self, is_cancelled: impl Fn() -> bool) -> Option<ComparedPrompts> {
        let [left, right] = self.0;
        let left = left.prompt();
        if is_cancelled() {
            return None;
        }
        let right = right.prompt();
        (!is_cancelled()).then(|| ComparedPrompts::new([left, right]))
    }
}

impl ComparedPrompts {
    /// Aligns the prompts of two templates.
    fn new(sides: [Result<Box<RenderedTemplate>, String>; 2]) -> Self {
        let lines = match sides.each_ref().map(prompt_of) {
            [Some(left), Some(right)] => aligned_lines([&left.text, &right.text]),
            [Some(left), None] => lines_alone(&left.text, 0),
            [None, Some(right)] => lines_alone(&right.text, 1),
            [None, None] => Vec::new(),
        };
        let mut compared = Self { sides, lines, differences: Vec::new() };
        if compared.has_both() {
            compared.differences = differences(&compared.lines);
        }
        compared
    }

    /// The prompt of a side, if it has one.
    pub fn prompt(&self, side: usize) -> Option<&IndexedPrompt> {
        prompt_of(&self.sides[side])
    }

    /// True if both sides have a prompt.
    pub fn has_both(&self) -> bool {
        (0..2).all(|side| self.prompt(side).is_some())
    }
}

fn differences(lines: &[AlignedLine]) -> Vec<(usize, usize)> {
    let is_alone = |line: &AlignedLine| matches!(line.kind, RowKind::Left | RowKind::Right);
    let mut found = Vec::new();
    for (number, line) in lines.iter().enumerate() {
        if is_alone(line) {
            if number.checked_sub(1).is_none_or(|before| !is_alone(&lines[before])) {
                found.push((number, 0));
            }
            continue;
        }
        let parts = line.parts.iter().enumerate().filter(|(_, part)| part.differs);
        found.extend(parts.map(|(part, _)| (number, part)));
    }
    found
}

fn prompt_of(side: &Result<Box<RenderedTemplate>, String>) -> Option<&IndexedPrompt> {
    side.as_ref().ok()?.outcome.as_ref().ok()
}
