//! Where the panes are on a screen of some size.
//!
//! Pure arithmetic in columns and rows, used by drawing and by the mouse alike. This module does not know what a pane
//! shows.

use crate::tui::geometry::Area;

/// A part of the screen that has the focus or not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Pane {
    /// Messages, texts and calls as a tree.
    Outline,
    /// Prose and calls as a reader wants them.
    #[default]
    Reading,
    /// The text as it is.
    Raw,
    /// Problems, graph, details or events.
    Bottom,
}

impl Pane {
    /// All of them, in the order in which the focus goes round.
    pub const ALL: [Pane; 4] = [Pane::Outline, Pane::Reading, Pane::Raw, Pane::Bottom];
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

/// Below this width the outline gives way.
const WIDE: u16 = 100;

/// Below this width there is one pane at a time: half of less holds no line of prose.
const NARROW: u16 = 72;

/// Below this height the bottom pane gives way unless it has the focus.
const LOW: u16 = 14;

impl Areas {
    /// The parts of a screen of `width` by `height`, with the focus on a pane, which is alone if `zoomed`.
    /// `tall_bottom` gives the bottom pane half of the height.
    pub fn new(width: u16, height: u16, focus: Pane, zoomed: bool, tall_bottom: bool) -> Self {
        let row = |y| Area { x: 0, y, width, height: 1 };
        let body = Area { x: 0, y: 1, width, height: height.saturating_sub(2) };
        let mut areas = Areas { title: row(0), status: row(height.saturating_sub(1)), ..Areas::default() };
        if zoomed || width < NARROW {
            areas.panes[focus as usize] = Some(body);
            return areas;
        }
        let bottom_height = match (body.height < LOW, focus) {
            (true, Pane::Bottom) => body.height / 2,
            (true, _) => 0,
            (false, _) if tall_bottom => body.height / 2,
            (false, _) => (body.height / 4).clamp(6, 14),
        };
        let upper = Area { height: body.height - bottom_height, ..body };
        if bottom_height > 0 {
            areas.panes[Pane::Bottom as usize] = Some(Area { y: body.y + upper.height, height: bottom_height, ..body });
        }
        let outline = if width >= WIDE || focus == Pane::Outline { (width / 5).clamp(22, 40) } else { 0 };
        let reading = (width - outline).div_ceil(2);
        let columns = [
            (Pane::Outline, 0, outline),
            (Pane::Reading, outline, reading),
            (Pane::Raw, outline + reading, width - outline - reading),
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
    pub fn pane(&self, pane: Pane) -> Option<Area> {
        self.panes[pane as usize]
    }

    /// The pane under a cell.
    pub fn pane_at(&self, x: u16, y: u16) -> Option<Pane> {
        Pane::ALL.into_iter().find(|&pane| self.pane(pane).is_some_and(|area| area.contains(x, y)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn panes_tile_the_body_whatever_the_size() {
        for width in (20..220).step_by(3) {
            for height in (5..70).step_by(3) {
                for focus in Pane::ALL {
                    for (zoomed, tall) in [(false, false), (true, false), (false, true)] {
                        let areas = Areas::new(width, height, focus, zoomed, tall);
                        let cells: usize = Pane::ALL
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
        assert!(Areas::new(120, 40, Pane::Reading, false, false).pane(Pane::Outline).is_some());
        assert!(Areas::new(99, 40, Pane::Reading, false, false).pane(Pane::Outline).is_none());
        assert!(Areas::new(99, 40, Pane::Outline, false, false).pane(Pane::Outline).is_some());
        assert!(Areas::new(72, 40, Pane::Reading, false, false).pane(Pane::Raw).is_some());
        assert!(Areas::new(71, 40, Pane::Reading, false, false).pane(Pane::Raw).is_none());
    }
}
