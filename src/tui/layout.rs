//! Where the panes are on a screen of some size.
//!
//! Pure arithmetic in columns and rows, used by drawing and by the mouse alike. This module does not know what a pane
//! shows.

use crate::tui::action::PaneId;
use crate::tui::geometry::Area;

/// A place on the screen for a pane.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Slot {
    /// On the left; gives way on a narrow screen.
    Outline,
    /// In the middle, or alone on a narrow screen.
    #[default]
    Reading,
    /// On the right, beside the reading pane.
    Raw,
    /// Below the others, for one of several panes.
    Bottom,
}

impl Slot {
    /// All of them, in the order in which the focus goes round.
    pub const ALL: [Slot; 4] = [Slot::Outline, Slot::Reading, Slot::Raw, Slot::Bottom];
}

impl PaneId {
    /// The place that the pane has when it is shown.
    pub fn slot(self) -> Slot {
        match self {
            PaneId::Outline => Slot::Outline,
            PaneId::Reading => Slot::Reading,
            PaneId::Raw => Slot::Raw,
            _ => Slot::Bottom,
        }
    }
}

/// How a screen is divided: its size, the pane that the keys go to, and what is shown at the bottom.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own that a key flips")]
pub struct Layout {
    /// Columns and rows of the screen.
    pub size: (u16, u16),
    /// The place that has the focus.
    pub focus: Slot,
    /// The place above the bottom one that had it last.
    pub above: Slot,
    /// The pane at the bottom.
    pub bottom: PaneId,
    /// Whether the focused pane fills the screen.
    pub zoomed: bool,
    /// Whether the bottom pane has half of the height because the person wants it so.
    pub tall_bottom: bool,
    /// Whether it has half of the height while it has the focus, because what it shows needs that.
    pub needs_height: bool,
    /// Whether there is a line with the tabs.
    pub tab_bar: bool,
    /// Whether there is a line with how far a replay has come.
    pub timeline: bool,
}

impl Layout {
    /// The layout of a screen of some size at first.
    pub fn new(size: (u16, u16)) -> Self {
        Self {
            size,
            focus: Slot::default(),
            above: Slot::default(),
            bottom: PaneId::Problems,
            zoomed: false,
            tall_bottom: false,
            needs_height: false,
            tab_bar: false,
            timeline: false,
        }
    }

    /// The pane that the keys go to.
    pub fn focused(&self) -> PaneId {
        self.pane_in(self.focus)
    }

    /// The pane in a place.
    pub fn pane_in(&self, slot: Slot) -> PaneId {
        match slot {
            Slot::Outline => PaneId::Outline,
            Slot::Reading => PaneId::Reading,
            Slot::Raw => PaneId::Raw,
            Slot::Bottom => self.bottom,
        }
    }

    /// Gives the focus to a pane, which is shown from then on.
    pub fn focus_on(&mut self, pane: PaneId) {
        self.focus = pane.slot();
        if self.focus == Slot::Bottom {
            self.bottom = pane;
        }
    }

    /// Whether the cursor is on a byte rather than on a row: in the raw pane, and in the bottom pane after it.
    pub fn is_at_byte(&self) -> bool {
        self.focus == Slot::Raw || (self.focus == Slot::Bottom && self.above == Slot::Raw)
    }

    /// Where everything is on the screen.
    pub fn areas(&self) -> Areas {
        let tall = self.tall_bottom || (self.focus == Slot::Bottom && self.needs_height);
        let (width, height) = self.size;
        let is_low = height < LOWEST_WITH_BAR;
        let lines = [self.tab_bar, self.timeline].map(|is_there| is_there && !is_low);
        let mut areas =
            Areas::new(width, height - lines.map(u16::from).iter().sum::<u16>(), self.focus, self.zoomed, tall);
        if lines[0] {
            areas = areas.below_bar();
        }
        if lines[1] { areas.above_scrubber() } else { areas }
    }

    /// The inside of a pane; nothing of it where it is not shown.
    pub fn inner(&self, slot: Slot) -> Area {
        self.areas().pane(slot).map(Area::inner).unwrap_or_default()
    }
}

/// The screen's parts; a pane that is not shown has none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Areas {
    /// The line at the top.
    pub title: Area,
    /// The line below it with the tabs, where there are several.
    pub bar: Option<Area>,
    /// The line above the one at the bottom with how far a replay has come, where there is one.
    pub scrubber: Option<Area>,
    /// The line at the bottom.
    pub status: Area,
    panes: [Option<Area>; 4],
}

/// Below this width or height there is only a line that says so.
pub const SMALLEST: (u16, u16) = (20, 5);

/// Rows of a screen below which the lines of the tabs and of a replay give way.
const LOWEST_WITH_BAR: u16 = 8;

/// Below this width the outline gives way.
const WIDE: u16 = 100;

/// Below this width there is one pane at a time: half of less holds no line of prose.
const NARROW: u16 = 72;

/// Below this height the bottom pane gives way unless it has the focus.
const LOW: u16 = 14;

impl Areas {
    /// The parts of a screen of `width` by `height`, with the focus on a pane, which is alone if `zoomed`.
    /// `tall_bottom` gives the bottom pane half of the height.
    pub fn new(width: u16, height: u16, focus: Slot, zoomed: bool, tall_bottom: bool) -> Self {
        let row = |y| Area { x: 0, y, width, height: 1 };
        let body = Area { x: 0, y: 1, width, height: height.saturating_sub(2) };
        let mut areas = Areas { title: row(0), status: row(height.saturating_sub(1)), ..Areas::default() };
        if zoomed || width < NARROW {
            areas.panes[focus as usize] = Some(body);
            return areas;
        }
        let bottom_height = match (body.height < LOW, focus) {
            (true, Slot::Bottom) => body.height / 2,
            (true, _) => 0,
            (false, _) if tall_bottom => body.height / 2,
            (false, _) => (body.height / 4).clamp(6, 14),
        };
        let upper = Area { height: body.height - bottom_height, ..body };
        if bottom_height > 0 {
            areas.panes[Slot::Bottom as usize] = Some(Area { y: body.y + upper.height, height: bottom_height, ..body });
        }
        let outline = if width >= WIDE || focus == Slot::Outline { (width / 5).clamp(22, 40) } else { 0 };
        let reading = (width - outline).div_ceil(2);
        let columns = [
            (Slot::Outline, 0, outline),
            (Slot::Reading, outline, reading),
            (Slot::Raw, outline + reading, width - outline - reading),
        ];
        for (pane, x, width) in columns.into_iter().filter(|(_, _, width)| *width > 0) {
            areas.panes[pane as usize] = Some(Area { x, width, ..upper });
        }
        areas
    }

    /// The same parts, all but the title moved down a row by the bar of the tabs.
    #[must_use]
    pub fn below_bar(mut self) -> Areas {
        for area in self.panes.iter_mut().flatten().chain([&mut self.status]) {
            area.y += 1;
        }
        self.bar = Some(Area { y: self.title.y + 1, ..self.title });
        self
    }

    /// The same parts, the line at the bottom moved down a row by that of a replay.
    #[must_use]
    pub fn above_scrubber(mut self) -> Areas {
        self.scrubber = Some(self.status);
        self.status.y += 1;
        self
    }

    /// Where a pane is, with its border.
    pub fn pane(&self, pane: Slot) -> Option<Area> {
        self.panes[pane as usize]
    }

    /// The pane under a cell.
    pub fn pane_at(&self, x: u16, y: u16) -> Option<Slot> {
        Slot::ALL.into_iter().find(|&pane| self.pane(pane).is_some_and(|area| area.contains(x, y)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn panes_tile_the_body_whatever_the_size() {
        for width in (20..220).step_by(3) {
            for height in (5..70).step_by(3) {
                for focus in Slot::ALL {
                    for (zoomed, tall) in [(false, false), (true, false), (false, true)] {
                        let areas = Areas::new(width, height, focus, zoomed, tall);
                        let cells: usize = Slot::ALL
                            .into_iter()
                            .filter_map(|pane| areas.pane(pane))
                            .map(|area| usize::from(area.width) * usize::from(area.height))
                            .sum();
                        assert_eq!(cells, usize::from(width) * usize::from(height - 2), "{width}x{height} {focus:?}");
                        assert!(areas.pane(focus).is_some(), "{width}x{height} {focus:?} is shown");
                    }
                }
            }
        }
    }

    #[test]
    fn the_outline_gives_way_below_100_columns_and_panes_are_single_below_72() {
        assert!(Areas::new(120, 40, Slot::Reading, false, false).pane(Slot::Outline).is_some());
        assert!(Areas::new(99, 40, Slot::Reading, false, false).pane(Slot::Outline).is_none());
        assert!(Areas::new(99, 40, Slot::Outline, false, false).pane(Slot::Outline).is_some());
        assert!(Areas::new(72, 40, Slot::Reading, false, false).pane(Slot::Raw).is_some());
        assert!(Areas::new(71, 40, Slot::Reading, false, false).pane(Slot::Raw).is_none());
    }
}
