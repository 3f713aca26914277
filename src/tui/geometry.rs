//! Rectangles of cells, in columns and rows from the upper left corner of the screen.

/// A rectangle of cells on the screen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Area {
    /// Column of its left edge.
    pub x: u16,
    /// Row of its upper edge.
    pub y: u16,
    /// Its width in columns of the terminal.
    pub width: u16,
    /// Its height in rows of the terminal.
    pub height: u16,
}

impl Area {
    /// Whether the cell lies in it.
    pub fn contains(self, x: u16, y: u16) -> bool {
        (self.x..self.x + self.width).contains(&x) && (self.y..self.y + self.height).contains(&y)
    }

    /// Without a border of one cell.
    pub fn inner(self) -> Area {
        Area {
            x: self.x.saturating_add(1),
            y: self.y.saturating_add(1),
            width: self.width.saturating_sub(2),
            height: self.height.saturating_sub(2),
        }
    }
}
