//! The areas of the panes of a template: three next to each other, two, or one, and the problems below.

use crate::tui::geometry::Area;
use crate::tui::screen::template::TemplateScreen;

/// Width below which only one pane is shown.
const NARROW: u16 = 72;

/// Width below which two panes are next to each other.
const WIDE: u16 = 100;

/// Height below which only one pane is shown.
const LOW: u16 = 12;

/// Minimum and maximum columns of the conversation, with its border.
const CONVERSATION: (u16, u16) = (28, 60);

/// A pane of the screen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum TemplatePane {
    /// The source of the template.
    Source,
    /// The text that it writes.
    #[default]
    Prompt,
    /// The messages and tools.
    Conversation,
    /// The problems of the template.
    Problems,
}

impl TemplatePane {
    /// All panes, in focus order.
    pub const ALL: [Self; 4] = [Self::Source, Self::Prompt, Self::Conversation, Self::Problems];
}

/// The areas of the panes, including borders; nothing for a hidden one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct TemplateAreas([Option<Area>; 4]);

impl TemplateAreas {
    /// Divides an area. `problem_rows` is the height that the problems need.
    pub fn new(body: Area, focus: TemplatePane, problem_rows: usize) -> Self {
        let mut areas = [None; 4];
        if body.width < NARROW || body.height < LOW {
            areas[focus as usize] = Some(body);
            return Self(areas);
        }
        let most = if focus == TemplatePane::Problems { body.height / 2 } else { body.height.div_ceil(4) };
        let height = u16::try_from(problem_rows + 2).unwrap_or(u16::MAX).clamp(3, most.max(4));
        let above = Area { height: body.height - height, ..body };
        areas[TemplatePane::Problems as usize] = Some(Area { y: above.y + above.height, height, ..body });
        let mut x = above.x;
        let mut place = |pane: TemplatePane, width: u16| {
            areas[pane as usize] = Some(Area { x, width, ..above });
            x += width;
        };
        if body.width < WIDE {
            let left = body.width / 2;
            let (one, other) = match focus {
                TemplatePane::Conversation => (TemplatePane::Prompt, TemplatePane::Conversation),
                _ => (TemplatePane::Source, TemplatePane::Prompt),
            };
            place(one, left);
            place(other, body.width - left);
        } else {
            let (least, most) = CONVERSATION;
            let tree = (body.width * 3 / 10).clamp(least, most);
            let source = (body.width - tree) / 2;
            place(TemplatePane::Source, source);
            place(TemplatePane::Prompt, body.width - tree - source);
            place(TemplatePane::Conversation, tree);
        }
        Self(areas)
    }

    /// The area of a pane, if it is shown.
    pub fn of(&self, pane: TemplatePane) -> Option<Area> {
        self.0[pane as usize]
    }

    /// The area inside the border of a pane; empty if it is hidden.
    pub fn inner(&self, pane: TemplatePane) -> Area {
        self.of(pane).map(Area::inner).unwrap_or_default()
    }

    /// The pane at a cell.
    pub fn pane_at(&self, x: u16, y: u16) -> Option<TemplatePane> {
        TemplatePane::ALL.into_iter().find(|pane| self.of(*pane).is_some_and(|area| area.contains(x, y)))
    }
}

impl TemplateScreen {
    /// Divides the screen again, after a change of its size, of the focus or of what is shown.
    pub(super) fn arrange(&mut self) {
        self.areas = TemplateAreas::new(self.chrome.body(), self.focus, self.problem_rows());
        let width = |pane| usize::from(self.areas.inner(pane).width);
        let lines = self.template().map_or(1, |template| template.source_index.lines());
        let digits = digits(lines);
        let labels = self.fields().map_or(1, |tree| digits_of(tree.roles.len()));
        let [source, prompt] = [(TemplatePane::Source, digits), (TemplatePane::Prompt, labels)]
            .map(|(pane, gutter)| (width(pane).saturating_sub(gutter + 3), gutter));
        self.source.resize(source);
        self.prompt.resize(prompt);
        self.reveal_all();
    }
}

fn digits(number: usize) -> usize {
    number.max(1).ilog10() as usize + 1
}

fn digits_of(count: usize) -> usize {
    digits(count.saturating_sub(1))
}
