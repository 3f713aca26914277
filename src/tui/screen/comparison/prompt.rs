//! A comparison of two prompts of one conversation: from two templates, or from one as two runtimes render it.
//!
//! Both are rendered on another thread ([`job`]). A unit of the list is a line of the prompts, aligned; where there are few
//! columns, one prompt is below the other.

pub mod job;
mod line;
mod screen;
mod update;

use std::ops::Range;
use std::rc::Rc;

use crate::compare::RowKind;
use crate::text::wrap::wrap;
use crate::tui::cancel_guard::CancelGuard;
use crate::tui::geometry::Area;
use crate::tui::keymap::ScreenId;
use crate::tui::list::{ListScreen, ListState, UnitRows, VisibleRows};
use crate::tui::screen::chrome::Chrome;
use crate::tui::template::TemplateJob;
use crate::tui::viewport::Units;
use crate::tui::widget::text::TextPane;
use job::{ComparedPrompts, PromptsJob};
use line::AlignedLine;

/// Width below which one prompt is below the other.
const NARROW: u16 = 72;

/// Rows of the body below which the selected byte is described in the bottom line only.
const LOW: u16 = 14;

/// Rows for the description of the selected byte, with its border.
const DETAILS: u16 = 4;

/// Equal lines next to a difference that are shown where the others are left out.
const CONTEXT: usize = 2;

/// One of two prompts to compare: a template with its settings.
pub struct PromptSide {
    /// The template's file, and how it is rendered.
    pub name: String,
    /// Id of the tab with the template.
    pub tab: usize,
    /// The template with the conversation.
    pub job: TemplateJob,
}

/// The screen of two prompts.
pub struct PromptComparisonScreen {
    /// The chrome around the two columns.
    pub chrome: Chrome,
    /// Number of the job; its result refers to it.
    pub number: usize,
    /// Cancels the job when it is dropped.
    pub cancel_guard: CancelGuard,
    /// Name of the conversation that both prompts are rendered from.
    conversation: String,
    sides: [PromptSide; 2],
    /// True until the job was started.
    is_due: bool,
    compared: Option<ComparedPrompts>,
    /// The current column: 0 or 1.
    side: usize,
    only_differences: bool,
    list: ListState,
    /// The selected byte in the prompt of the current column.
    offset: usize,
    panes: [TextPane; 2],
    made: UnitRows<[Option<Range<usize>>; 2]>,
}

impl PromptComparisonScreen {
    /// A screen for a comparison with this number, which is made once the screen is shown.
    pub fn new(number: usize, sides: [PromptSide; 2]) -> Self {
        let conversation =
            sides[0].job.probes.get(sides[0].job.probe).map_or("", |probe| probe.name.as_str()).to_owned();
        Self {
            chrome: Chrome::new(ScreenId::Prompts),
            number,
            cancel_guard: CancelGuard::default(),
            conversation,
            sides,
            is_due: true,
            compared: None,
            side: 1,
            only_differences: false,
            list: ListState::default(),
            offset: 0,
            panes: [TextPane::default(), TextPane::default()],
            made: UnitRows::default(),
        }
    }

    /// The job, and a check for whether it was cancelled; `None` if its result has arrived.
    pub fn job(&self) -> Option<(PromptsJob, impl Fn() -> bool + Send + use<>)> {
        let job = || PromptsJob(self.sides.each_ref().map(|side| side.job.clone()));
        self.compared.is_none().then(|| (job(), self.cancel_guard.is_cancelled()))
    }

    /// Shows the compared prompts, starting at the first difference.
    pub fn show(&mut self, compared: ComparedPrompts) {
        self.compared = Some(compared);
        self.arrange();
        self.begin();
    }

    /// The template and the conversation of a side.
    pub fn side_job(&self, side: usize) -> Option<&TemplateJob> {
        self.sides.get(side).map(|side| &side.job)
    }

    fn line(&self, unit: usize) -> Option<&AlignedLine> {
        self.compared.as_ref()?.lines.get(unit)
    }

    fn differs(&self, unit: usize) -> bool {
        self.line(unit).is_some_and(|line| line.kind != RowKind::Same)
    }

    /// The differences: indexes of a line and of a part of it.
    fn differences(&self) -> &[(usize, usize)] {
        self.compared.as_ref().map_or(&[], |compared| &compared.differences)
    }

    /// The text of a side; empty without a prompt.
    fn text(&self, side: usize) -> &str {
        self.compared.as_ref().and_then(|compared| compared.prompt(side)).map_or("", |prompt| &prompt.text)
    }

    /// The rows of a line on both sides; the shorter one has none at the end.
    fn rows(&self, unit: usize) -> Rc<Vec<[Option<Range<usize>>; 2]>> {
        self.made.get(unit, || {
            let Some(line) = self.line(unit) else { return Vec::new() };
            let columns = [0, 1].map(|side| {
                let range = line.sides[side].clone();
                let text = self.text(side).get(range.clone()).filter(|_| line.is_on(side));
                let rows = text.map(|text| wrap(text.as_bytes(), self.panes[side].columns().max(10)));
                let rows = rows.unwrap_or_default().into_iter();
                rows.map(|row| range.start + row.start..range.start + row.end).collect::<Vec<_>>()
            });
            let height = columns.iter().map(Vec::len).max().unwrap_or_default().max(1);
            (0..height).map(|row| [0, 1].map(|side| columns[side].get(row).cloned())).collect()
        })
    }

    /// For a left-out line, the number of consecutive left-out lines if it is the first of them, otherwise 0.
    fn left_out(&self, unit: usize) -> Option<usize> {
        let count = self.compared.as_ref().map_or(0, |compared| compared.lines.len());
        let is_hidden = |unit: usize| {
            let near = unit.saturating_sub(CONTEXT)..=unit + CONTEXT;
            unit < count && !near.into_iter().any(|unit| self.differs(unit))
        };
        if !self.only_differences || !is_hidden(unit) {
            return None;
        }
        let is_first = unit == 0 || !is_hidden(unit - 1);
        Some(if is_first { (unit..count).take_while(|&unit| is_hidden(unit)).count() } else { 0 })
    }

    /// The areas of the two prompts, and of the description of the selected byte if there is room, with their borders.
    fn areas(&self) -> ([Area; 2], Option<Area>) {
        let body = self.chrome.body();
        let details = if body.height < LOW { 0 } else { DETAILS };
        let above = Area { height: body.height - details, ..body };
        let columns = if body.width < NARROW {
            let first = Area { height: above.height / 2, ..above };
            [first, Area { y: first.y + first.height, height: above.height - first.height, ..above }]
        } else {
            let first = Area { width: above.width / 2, ..above };
            [first, Area { x: first.x + first.width, width: above.width - first.width, ..above }]
        };
        let below = Area { y: above.y + above.height, height: details, ..body };
        (columns, (details > 0).then_some(below))
    }

    /// Lays out again after a change of the size or of what is shown.
    fn arrange(&mut self) {
        let (columns, _) = self.areas();
        let lines = self.compared.as_ref().map_or(1, |compared| compared.lines.len());
        // The sign of the line precedes its number.
        let gutter = lines.max(1).ilog10() as usize + 2;
        for (pane, area) in self.panes.iter_mut().zip(columns) {
            pane.resize((usize::from(area.inner().width).saturating_sub(gutter + 3), gutter));
        }
        self.made.clear();
        self.reveal();
    }
}

impl Units for PromptComparisonScreen {
    fn numbers(&self) -> Range<usize> {
        0..self.compared.as_ref().map_or(0, |compared| compared.lines.len())
    }

    fn height(&self, unit: usize, _: usize) -> usize {
        match self.left_out(unit) {
            Some(lines) => usize::from(lines > 0),
            None => self.rows(unit).len(),
        }
    }
}

impl ListScreen for PromptComparisonScreen {
    fn list(&self) -> ListState {
        self.list
    }

    fn set_list(&mut self, list: ListState) {
        self.list = list;
    }

    fn room(&self) -> VisibleRows {
        let (columns, _) = self.areas();
        let height = columns.iter().map(|area| usize::from(area.inner().height)).min().unwrap_or_default();
        VisibleRows { height, margin: 2 }
    }
}
