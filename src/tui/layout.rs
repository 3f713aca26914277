//! The layout of the panes for a screen size.
//!
//! Pure arithmetic in columns and rows, used both for drawing and for the mouse.

use crate::config::panes::PaneSizes;
use crate::tui::action::PaneId;
use crate::tui::geometry::Area;

/// A position on the screen for a pane.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Slot {
    /// On the left; hidden on a narrow screen.
    Outline,
    /// In the middle, or alone on a narrow screen.
    #[default]
    Reading,
    /// On the right, next to the reading pane.
    Raw,
    /// Below the others; holds one of several panes.
    Bottom,
}

impl Slot {
    /// All slots, in focus order.
    pub const ALL: [Slot; 4] = [Slot::Outline, Slot::Reading, Slot::Raw, Slot::Bottom];
}

impl PaneId {
    /// The slot of the pane.
    pub fn slot(self) -> Slot {
        match self {
            PaneId::Outline => Slot::Outline,
            PaneId::Reading => Slot::Reading,
            PaneId::Raw => Slot::Raw,
            _ => Slot::Bottom,
        }
    }
}

/// The height that the bottom pane needs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BottomNeed {
    /// One row for its title: it has nothing to show.
    Title,
    /// This number of rows, up to the usual height.
    Rows(u16),
    /// A quarter of the height.
    #[default]
    Usual,
    /// Half of the height while it has the focus.
    Half,
}

/// A border between panes that can be moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Border {
    /// To the right of the outline.
    Outline,
    /// Between the raw pane and the others.
    Raw,
    /// At the top of the bottom pane.
    Bottom,
}

/// The division of a screen among the panes, the focus, and the bottom pane.
#[derive(Clone, Copy, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a separate switch")]
pub struct Layout {
    /// The area of the panes: everything between the lines at the top and at the bottom.
    pub body: Area,
    /// The slot that has the focus.
    pub focus: Slot,
    /// The slot other than the bottom one that had the focus last.
    pub above: Slot,
    /// The one of the reading and raw slots that had the focus last.
    pub beside: Slot,
    /// The pane at the bottom.
    pub bottom: PaneId,
    /// The height that the bottom pane needs.
    pub need: BottomNeed,
    /// True if the raw pane is an editor, which is on the left.
    pub edits: bool,
    /// True for a recorded session: its outline is wide, and the raw text is next to the reading pane only on a wide
    /// screen.
    pub is_session: bool,
    /// True if the focused pane fills the screen.
    pub zoomed: bool,
    /// True if the user gave the bottom pane half of the height.
    pub tall_bottom: bool,
    /// Sizes that the user chose.
    pub sizes: PaneSizes,
}

/// Below this width or height only a message about the size is shown.
pub const SMALLEST: (u16, u16) = (20, 5);

/// Below this width the outline is hidden.
const WIDE: u16 = 100;

/// Below this width the raw text of a recorded session and the reading pane share one slot.
const VERY_WIDE: u16 = 160;

/// Below this width only one pane is shown at a time: half of it is too narrow for prose.
const NARROW: u16 = 72;

/// Minimum width of the outline and of the raw pane, in columns with their borders.
const MIN_SIDE: u16 = 20;

/// Minimum width of the reading pane, in columns with its border.
const MIN_READING: u16 = 30;

/// Minimum height of the bottom pane, and of the panes above it, in rows.
const MIN_ROWS: u16 = 4;

/// Below this height the bottom pane is hidden unless it has the focus.
const LOW: u16 = 14;

impl Layout {
    /// The initial layout for a screen of this size, with one line at the top and one at the bottom.
    pub fn new((width, height): (u16, u16)) -> Self {
        Self {
            body: Area { x: 0, y: 1, width, height: height.saturating_sub(2) },
            focus: Slot::default(),
            above: Slot::default(),
            beside: Slot::default(),
            bottom: PaneId::Problems,
            need: BottomNeed::Usual,
            edits: false,
            is_session: false,
            zoomed: false,
            tall_bottom: false,
            sizes: PaneSizes::default(),
        }
    }

    /// The focused pane.
    pub fn focused(&self) -> PaneId {
        self.pane_in(self.focus)
    }

    /// The pane in a slot.
    pub fn pane_in(&self, slot: Slot) -> PaneId {
        match slot {
            Slot::Outline => PaneId::Outline,
            Slot::Reading => PaneId::Reading,
            Slot::Raw => PaneId::Raw,
            Slot::Bottom => self.bottom,
        }
    }

    /// Moves the focus to a pane, which becomes visible.
    pub fn focus_on(&mut self, pane: PaneId) {
        self.focus = pane.slot();
        if self.focus == Slot::Bottom {
            self.bottom = pane;
        }
    }

    /// True if the cursor is on a byte rather than on a row: in the raw pane, and in the bottom pane entered from it.
    pub fn is_at_byte(&self) -> bool {
        self.focus == Slot::Raw || (self.focus == Slot::Bottom && self.above == Slot::Raw)
    }

    /// The column for the overview at the right edge of the text panes; `None` if neither of them is shown.
    pub fn overview(&self) -> Option<Area> {
        let Self { body, focus, .. } = *self;
        let is_single = self.zoomed || body.width < NARROW;
        let height = if is_single { body.height } else { body.height - self.bottom_height() };
        let is_shown = !is_single || matches!(focus, Slot::Reading | Slot::Raw);
        (is_shown && height > 0).then(|| Area { x: body.x + body.width.saturating_sub(1), width: 1, height, ..body })
    }

    /// Rows of the bottom pane, including its border.
    fn bottom_height(&self) -> u16 {
        let Self { body, focus, .. } = *self;
        let wants_half = focus == Slot::Bottom && self.need == BottomNeed::Half;
        match (body.height < LOW, focus) {
            (true, Slot::Bottom) => body.height / 2,
            (true, _) => 0,
            (false, focus) if self.need == BottomNeed::Title && focus != Slot::Bottom => 1,
            (false, _) if self.tall_bottom => body.height / 2,
            (false, _) => match self.sizes.bottom {
                Some(rows) => rows.clamp(MIN_ROWS, body.height - MIN_ROWS),
                None if wants_half => body.height / 2,
                None => {
                    let usual = (body.height / 4).clamp(6, 14);
                    // The border takes two rows.
                    if let BottomNeed::Rows(rows) = self.need { usual.min(rows.saturating_add(2)) } else { usual }
                }
            },
        }
    }

    /// The area of a pane including its border; `None` if it is not shown.
    pub fn area(&self, slot: Slot) -> Option<Area> {
        let Self { body, focus, .. } = *self;
        let taken = self.overview().map_or(0, |column| column.width);
        if self.zoomed || body.width < NARROW {
            return (slot == focus).then(|| Area { width: body.width - taken, ..body });
        }
        let bottom = self.bottom_height();
        let width = body.width - taken;
        let has_outline = body.width >= WIDE;
        let is_wide = body.width >= if self.is_session { VERY_WIDE } else { WIDE };
        let usual = match focus {
            _ if has_outline && self.is_session => (body.width * 2 / 5).clamp(40, 50),
            _ if has_outline => (body.width / 4).clamp(24, 40),
            Slot::Outline => 30,
            _ => 0,
        };
        let others = if is_wide { MIN_READING + MIN_SIDE } else { MIN_READING };
        let outline = match self.sizes.outline.filter(|_| usual > 0) {
            Some(columns) => columns.clamp(MIN_SIDE, width - others),
            None => usual,
        };
        // On a narrow screen only one pane fits next to the outline: the one used last.
        let beside = if matches!(focus, Slot::Reading | Slot::Raw) { focus } else { self.beside };
        let reading = match beside {
            _ if is_wide || (outline == 0 && !self.is_session) => {
                let room = width - outline;
                let raw = self.sizes.raw.map(|columns| columns.clamp(MIN_SIDE, room - MIN_READING));
                room - raw.unwrap_or(room / 2)
            }
            Slot::Raw => 0,
            _ => width - outline,
        };
        let upper = Area { height: body.height - bottom, ..body };
        let raw = width - outline - reading;
        let (raw_x, others_x) = if self.edits { (0, raw) } else { (outline + reading, 0) };
        let area = match slot {
            Slot::Outline => Area { x: others_x, width: outline, ..upper },
            Slot::Reading => Area { x: others_x + outline, width: reading, ..upper },
            Slot::Raw => Area { x: raw_x, width: raw, ..upper },
            Slot::Bottom => Area { y: body.y + upper.height, height: bottom, ..body },
        };
        (area.width > 0 && area.height > 0).then_some(area)
    }

    /// The area of a pane inside its border; empty if it is not shown.
    pub fn inner(&self, slot: Slot) -> Area {
        self.area(slot).map(Area::inner).unwrap_or_default()
    }

    /// The movable border at a cell. A border is two cells wide, one of either pane.
    pub fn border_at(&self, x: u16, y: u16) -> Option<Border> {
        let area = |slot| self.area(slot).filter(|_| !self.zoomed && self.body.width >= NARROW);
        let of_columns = |slot, border, edge: fn(&Area) -> u16| {
            let pane = area(slot)?;
            let at = edge(&pane);
            let is_inside = at > self.body.x && at < self.body.x + self.body.width - 1;
            let is_there = (pane.y..pane.y + pane.height).contains(&y) && (at.saturating_sub(1)..=at).contains(&x);
            (is_inside && is_there).then_some(border)
        };
        let bottom = area(Slot::Bottom).filter(|bottom| bottom.height > 1 && (bottom.y - 1..=bottom.y).contains(&y));
        let raw: fn(&Area) -> u16 = if self.edits { |raw| raw.x + raw.width } else { |raw| raw.x };
        bottom
            .map(|_| Border::Bottom)
            .or_else(|| of_columns(Slot::Outline, Border::Outline, |outline| outline.x + outline.width))
            .or_else(|| of_columns(Slot::Raw, Border::Raw, raw))
    }

    /// Moves a border to a cell.
    pub fn move_border(&mut self, border: Border, x: u16, y: u16) {
        let end = |slot: Slot| self.area(slot).map_or(0, |area| area.x + area.width);
        match border {
            Border::Outline => {
                let start = self.area(Slot::Outline).map_or(0, |area| area.x);
                self.sizes.outline = Some((x + 1).saturating_sub(start));
            }
            Border::Raw if self.edits => self.sizes.raw = Some(x + 1),
            Border::Raw => self.sizes.raw = Some(end(Slot::Raw).saturating_sub(x)),
            Border::Bottom => self.sizes.bottom = Some((self.body.y + self.body.height).saturating_sub(y)),
        }
        self.clamp_sizes(border);
    }

    /// Enlarges (1) or shrinks (-1) the focused pane by a step, or resets all sizes (0). False if no pane is next to
    /// it.
    pub fn resize(&mut self, direction: i8) -> bool {
        /// Columns and rows of a step.
        const STEP: (i16, i16) = (4, 2);
        if direction == 0 {
            self.sizes = PaneSizes::default();
            self.tall_bottom = false;
            return true;
        }
        let shown = |slot| self.area(slot).filter(|_| !self.zoomed && self.body.width >= NARROW);
        let (border, slot, sign) = match self.focus {
            Slot::Bottom => (Border::Bottom, Slot::Bottom, 1),
            Slot::Outline => (Border::Outline, Slot::Outline, 1),
            Slot::Raw if shown(Slot::Reading).is_some() => (Border::Raw, Slot::Raw, 1),
            Slot::Reading if shown(Slot::Raw).is_some() => (Border::Raw, Slot::Raw, -1),
            _ => (Border::Outline, Slot::Outline, -1),
        };
        let Some(area) = shown(slot) else { return false };
        let grown = |size: u16, step: i16| size.saturating_add_signed(step * i16::from(direction) * sign);
        match border {
            Border::Outline => self.sizes.outline = Some(grown(area.width, STEP.0)),
            Border::Raw => self.sizes.raw = Some(grown(area.width, STEP.0)),
            Border::Bottom => self.sizes.bottom = Some(grown(area.height, STEP.1)),
        }
        self.clamp_sizes(border);
        true
    }

    /// Stores the actual size of a pane within its limits, so that the next step has a visible effect.
    fn clamp_sizes(&mut self, border: Border) {
        match border {
            Border::Outline => self.sizes.outline = self.area(Slot::Outline).map(|area| area.width),
            Border::Raw => self.sizes.raw = self.area(Slot::Raw).map(|area| area.width),
            Border::Bottom => {
                self.tall_bottom = false;
                self.sizes.bottom = self.area(Slot::Bottom).map(|area| area.height);
            }
        }
    }

    /// The slot at a cell, and its area including the border.
    pub fn slot_at(&self, x: u16, y: u16) -> Option<(Slot, Area)> {
        Slot::ALL.into_iter().filter_map(|slot| Some((slot, self.area(slot)?))).find(|(_, area)| area.contains(x, y))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn layout(width: u16, height: u16, focus: Slot) -> Layout {
        Layout { focus, ..Layout::new((width, height)) }
    }

    #[test]
    fn panes_tile_the_body_whatever_the_size() {
        for width in (20..220).step_by(3) {
            for height in (5..70).step_by(3) {
                for focus in Slot::ALL {
                    for (edits, zoomed, tall_bottom, is_session) in [
                        (false, false, false, false),
                        (false, true, false, false),
                        (false, false, true, false),
                        (true, false, false, false),
                        (false, false, false, true),
                    ] {
                        let layout = Layout { edits, is_session, zoomed, tall_bottom, ..layout(width, height, focus) };
                        let areas = Slot::ALL.into_iter().filter_map(|slot| layout.area(slot)).chain(layout.overview());
                        let cells: usize = areas.map(|area| usize::from(area.width) * usize::from(area.height)).sum();
                        assert_eq!(cells, usize::from(width) * usize::from(height - 2), "{width}x{height} {focus:?}");
                        assert!(layout.area(focus).is_some(), "{width}x{height} {focus:?} is shown");
                    }
                }
            }
        }
    }

    #[test]
    fn chosen_sizes_leave_room_for_every_pane() {
        for width in (20..220).step_by(3) {
            for height in (5..70).step_by(3) {
                for focus in Slot::ALL {
                    for (chosen, edits, is_session) in [(0, false, false), (500, false, true), (60, true, false)] {
                        let usual = Layout { edits, is_session, ..layout(width, height, focus) };
                        let size = Some(chosen);
                        let layout = Layout { sizes: PaneSizes { outline: size, raw: size, bottom: size }, ..usual };
                        let areas = Slot::ALL.into_iter().filter_map(|slot| layout.area(slot)).chain(layout.overview());
                        let cells: usize = areas.map(|area| usize::from(area.width) * usize::from(area.height)).sum();
                        assert_eq!(cells, usize::from(width) * usize::from(height - 2), "{width}x{height} {focus:?}");
                        for slot in Slot::ALL {
                            let shown = [usual, layout].map(|layout| layout.area(slot).is_some());
                            assert_eq!(shown[0], shown[1], "{width}x{height} {focus:?}: {slot:?}");
                            let inner = layout.area(slot).map_or(18, |area| area.width - 2);
                            assert!(width < NARROW || inner >= 18, "{width}x{height} {focus:?}: {slot:?}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn a_border_follows_the_mouse_and_the_keys() {
        let mut layout = layout(160, 40, Slot::Outline);
        assert_eq!(layout.border_at(39, 10), Some(Border::Outline));
        assert_eq!(layout.border_at(40, 10), Some(Border::Outline));
        layout.move_border(Border::Outline, 59, 10);
        assert_eq!(layout.area(Slot::Outline).map(|area| area.width), Some(60));
        layout.move_border(Border::Outline, 0, 10);
        assert_eq!(layout.sizes.outline, Some(20));
        assert!(layout.resize(1));
        assert_eq!(layout.sizes.outline, Some(24));
        layout.focus = Slot::Reading;
        let before = layout.inner(Slot::Reading).width;
        assert!(layout.resize(1));
        assert_eq!(layout.inner(Slot::Reading).width, before + 4);
        assert_eq!(layout.border_at(80, layout.area(Slot::Bottom).map_or(0, |area| area.y)), Some(Border::Bottom));
        assert_eq!(layout.border_at(10, 10), None);
        assert!(!Layout { zoomed: true, ..layout }.resize(1));
    }

    #[test]
    fn the_outline_gives_way_below_100_columns_and_panes_are_single_below_72() {
        for (width, focus, slot, is_shown) in [
            (120, Slot::Reading, Slot::Outline, true),
            (99, Slot::Reading, Slot::Outline, false),
            (99, Slot::Outline, Slot::Outline, true),
            (72, Slot::Reading, Slot::Raw, true),
            (71, Slot::Reading, Slot::Raw, false),
        ] {
            assert_eq!(layout(width, 40, focus).area(slot).is_some(), is_shown, "{width} {focus:?} {slot:?}");
        }
    }
}
