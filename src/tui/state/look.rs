//! What the screen looks like, whatever is shown on it.
//!
//! This module does not know what that is.

use crate::tui::action::Tab;
use crate::tui::layout::Pane;
use crate::tui::state::State;

/// What the screen looks like, whatever is shown on it.
#[derive(Clone, Copy, Debug)]
pub struct Look {
    size: (u16, u16),
    focus: Pane,
    tab: Tab,
    zoomed: bool,
    tall_bottom: bool,
    wrap_raw: bool,
}

impl State {
    /// What the screen looks like.
    pub fn look(&self) -> Look {
        let Self { size, focus, tab, zoomed, tall_bottom, wrap_raw, .. } = *self;
        Look { size, focus, tab, zoomed, tall_bottom, wrap_raw }
    }

    /// Makes the screen look as another one does.
    pub fn set_look(&mut self, look: Look) {
        let Look { size, focus, tab, zoomed, tall_bottom, wrap_raw } = look;
        self.size = size;
        self.focus = focus;
        self.tab = tab;
        self.zoomed = zoomed;
        self.tall_bottom = tall_bottom;
        self.wrap_raw = wrap_raw;
    }
}
