//! Actions that keys, clicks and commands of the palette cause, with their motions and forms.

mod synonyms;
mod table;

pub use synonyms::synonyms_of;
pub use table::{Action, ActionLine, LETTER, PaneId, ScreenId, ScreenSet, TABLE, TableLine, action_lines};

/// How far to move, and in which direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Motion {
    /// One row down or up.
    Line(i8),
    /// Half a pane down or up.
    Half(i8),
    /// A pane down or up.
    Page(i8),
    /// To the first row.
    Top,
    /// To the last row, staying there while more arrives.
    Bottom,
    /// To the row of this 1-based number; in a text, to this line.
    To(usize),
}

impl Motion {
    /// The direction and number of rows of a scroll by pages where `height` rows are shown. A page keeps one row
    /// visible.
    pub fn pages(self, height: usize) -> Option<(i8, usize)> {
        match self {
            Motion::Half(direction) => Some((direction, (height / 2).max(1))),
            Motion::Page(direction) => Some((direction, height.max(2) - 1)),
            _ => None,
        }
    }

    /// The index from 0 to `last` after moving from `at`, where a page has `page` items.
    pub fn moved(self, at: usize, page: usize, last: usize) -> usize {
        match self {
            Motion::Line(direction) => stepped(at, direction, 1, last),
            Motion::Half(direction) => stepped(at, direction, page.div_ceil(2), last),
            Motion::Page(direction) => stepped(at, direction, page, last),
            Motion::Top => 0,
            Motion::Bottom => last,
            Motion::To(number) => number.saturating_sub(1).min(last),
        }
    }
}

/// Where in its pane the selection is scrolled to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Align {
    /// In the first row of the pane, as `zt` does.
    Top,
    /// In the middle row of the pane, as `zz` does.
    Center,
    /// In the last row of the pane, as `zb` does.
    Bottom,
}

/// The index `by` after `at` (1) or before it (-1), clamped to 0 and `last`.
pub fn stepped(at: usize, direction: i8, by: usize, last: usize) -> usize {
    if direction > 0 { at.saturating_add(by) } else { at.saturating_sub(by) }.min(last)
}

/// The index after `at` (1) or before it (-1) out of `count`, wrapping around.
pub fn next_in_ring(at: usize, direction: i8, count: usize) -> usize {
    (if direction > 0 { at + 1 } else { at + count - 1 }) % count
}

/// Forms in which the selection can be copied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CopyForm {
    /// The selected bytes of the text, or of the file where that is shown.
    Selection,
    /// The whole call, result or text that contains the selection.
    Block,
    /// The value of the argument as the tool receives it: a string verbatim, everything else as JSON.
    Value,
    /// All arguments of the call, as JSON.
    Parameters,
    /// The pointer of the argument.
    Pointer,
    /// The result of the call, verbatim.
    Result,
    /// A Markdown quotation with the location and the selected problem.
    Quote,
    /// `FILE:LINE:COLUMN`, as `check` prints it.
    Place,
    /// The command that opens the file at this place.
    Command,
}

impl Action {
    /// Applies a count typed before the key: `5G` goes to a line, `3 Tab` to a pane. Returns the action and the number
    /// of times to repeat it, which is 1 for actions that cannot be repeated.
    pub fn counted(self, count: usize) -> (Self, usize) {
        /// Maximum number of repetitions; longer ways have their own keys.
        const MOST: usize = 10_000;
        match self {
            Action::Move(Motion::Bottom | Motion::Top) => (Action::Move(Motion::To(count)), 1),
            Action::FocusNext(1) => (Action::FocusNumber(count), 1),
            Action::Move(_)
            | Action::Open
            | Action::Close
            | Action::Problem(_)
            | Action::Error(_)
            | Action::Call(_)
            | Action::Turn(_)
            | Action::Compaction
            | Action::Subagent
            | Action::Match(_)
            | Action::NextFile(_)
            | Action::Jump(_)
            | Action::NextText(_)
            | Action::Replay(ReplayControl::Step(_))
            | Action::Undo
            | Action::Redo => (self, count.min(MOST)),
            _ => (self, 1),
        }
    }

    /// The action with the letter pressed after it, if it takes one.
    pub fn with_letter(self, letter: char) -> Self {
        match self {
            Action::SetMark(_) => Action::SetMark(Some(letter)),
            Action::GoToMark(_) => Action::GoToMark(Some(letter)),
            action => action,
        }
    }
}

/// Editing commands other than typing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EditCommand {
    /// Undo the last change.
    Undo,
    /// Redo the last undone change.
    Redo,
    /// Select everything.
    SelectAll,
    /// Copy the selection, or else the call or text at the cursor.
    Copy,
    /// Cut: copy the selection and delete it.
    Cut,
}

/// Controls of a replay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReplayControl {
    /// Play or pause; without a replay, start one of the shown text.
    Play,
    /// A step forward (true) or back.
    Step(bool),
    /// Change the unit of steps.
    Unit,
    /// Change the speed.
    Faster,
}
