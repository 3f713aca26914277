//! The jump list, as in vim: positions before each jump, with back and forward.

use crate::container::facts::SessionKind;

use crate::tui::message::{ContentPosition, Effect, Navigation};
use crate::tui::screen::transcript::{Transcript, tail_preview};
use crate::tui::style::Role;

/// Maximum number of positions; the oldest are dropped.
const MOST: usize = 100;

/// Positions in the order they were left.
#[derive(Clone, Debug, Default)]
pub struct Jumps {
    places: Vec<ContentPosition>,
    /// Number of positions that precede the current one.
    at: usize,
}

impl Jumps {
    /// Adds the position before a jump. Drops the positions ahead, and earlier duplicates.
    pub fn leave(&mut self, from: ContentPosition) {
        self.places.truncate(self.at);
        self.places.retain(|place| *place != from);
        self.places.push(from);
        if self.places.len() > MOST {
            self.places.remove(0);
        }
        self.at = self.places.len();
    }

    /// The previous position; `here` is the current one, which becomes the position ahead.
    pub fn back(&mut self, here: ContentPosition) -> Option<ContentPosition> {
        if self.at == self.places.len() && self.places.last() != Some(&here) {
            self.leave(here);
            self.at -= 1;
        } else if self.at == self.places.len() {
            self.at = self.at.checked_sub(1)?;
        }
        self.at = self.at.checked_sub(1)?;
        self.places.get(self.at).copied()
    }

    /// The position that was left by going back, if any.
    pub fn forward(&mut self) -> Option<ContentPosition> {
        let next = self.places.get(self.at + 1).copied()?;
        self.at += 1;
        Some(next)
    }
}

/// Goes back (-1) or forward (1) in the jump list.
pub(super) fn go(state: &mut Transcript, direction: i8) -> Option<Effect> {
    let here = state.here_selected();
    let place = if direction < 0 { state.jumps.back(here) } else { state.jumps.forward() };
    let Some(place) = place else {
        let is_subagent = state.view.whole().document().session_info().kind == SessionKind::Subagent;
        if direction < 0 && is_subagent {
            return Some(Effect::Go(Navigation::Before));
        }
        let words = if direction < 0 { "no earlier jump" } else { "no later jump" };
        state.show_message(words, Role::Dim);
        return None;
    };
    if place.text != state.view.number {
        return Some(Effect::Go(Navigation::Place(place)));
    }
    if place.offset < state.view.base() {
        tail_preview::leave(state);
    }
    let target = state.view.target_at(place.offset - state.view.base());
    state.show_far(target);
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(offset: usize) -> ContentPosition {
        ContentPosition { text: 0, offset }
    }

    #[test]
    fn the_way_back_is_the_way_there_and_forward_undoes_it() {
        let mut jumps = Jumps::default();
        assert_eq!(jumps.back(place(0)), None, "nowhere was left");
        assert_eq!(jumps.forward(), None);
        for offset in [1, 2, 3] {
            jumps.leave(place(offset));
        }
        let back: Vec<_> = [9, 3, 2, 1].map(|here| jumps.back(place(here)).map(|place| place.offset)).into();
        assert_eq!(back, [Some(3), Some(2), Some(1), None]);
        let forward: Vec<_> = (0..4).map(|_| jumps.forward().map(|place| place.offset)).collect();
        assert_eq!(forward, [Some(2), Some(3), Some(9), None]);
        jumps.back(place(9));
        jumps.leave(place(5));
        assert_eq!(jumps.forward(), None, "a jump forgets what lay ahead");
        for offset in 0..1000 {
            jumps.leave(place(offset));
        }
        assert_eq!(jumps.places.len(), MOST);
    }
}
