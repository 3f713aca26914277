//! Actions, whatever key, click or command of the palette asks for them, and how far or in which form each is done.

mod table;

pub use table::{Action, ActionLine, Keys, LETTER, PaneId, TABLE, TableLine, action_lines};

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
    /// To the last row, and hold on to it while more arrives.
    Bottom,
    /// To the row of this number, from 1; of a text, to its line.
    To(usize),
}

impl Motion {
    /// The direction and the rows of a step by pages where `height` rows are shown: a page keeps one of them in sight.
    pub fn pages(self, height: usize) -> Option<(i8, usize)> {
        match self {
            Motion::Half(direction) => Some((direction, (height / 2).max(1))),
            Motion::Page(direction) => Some((direction, height.max(2) - 1)),
            _ => None,
        }
    }

    /// The number from 0 to `last` that the motion leads to from `at`, where `page` of them are a page.
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

/// Where in a pane what is selected is put.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Align {
    /// In the first row of the pane, as `zt` does.
    Top,
    /// In the middle row of the pane, as `zz` does.
    Center,
    /// In the last row of the pane, as `zb` does.
    Bottom,
}

/// The number from 0 to `last` that is `by` after `at` (1) or before it (-1), or the nearest to that.
pub fn stepped(at: usize, direction: i8, by: usize, last: usize) -> usize {
    if direction > 0 { at.saturating_add(by) } else { at.saturating_sub(by) }.min(last)
}

/// The number of `count` that follows `at` (1) or comes before it (-1), round the end.
pub fn next_in_ring(at: usize, direction: i8, count: usize) -> usize {
    (if direction > 0 { at + 1 } else { at + count - 1 }) % count
}

/// What is copied of the selection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CopyForm {
    /// What stands there in the text, or in the file where that is shown.
    Selection,
    /// The whole call, result or text that it is in.
    Block,
    /// The value of the argument as the tool gets it: text as it is, everything else as JSON.
    Value,
    /// All arguments of the call, as JSON.
    Parameters,
    /// The pointer of the argument.
    Pointer,
    /// What the tool returned for the call, as it stands.
    Result,
    /// A Markdown quotation with the place and the problem that is selected.
    Quote,
    /// `FILE:LINE:COLUMN`, as `check` prints it.
    Place,
    /// The command that opens the file at this place.
    Command,
}

impl Action {
    /// What a count in front of it asks for, and how often that is done: `5G` goes to a line, `3 Tab` to a pane, and what
    /// cannot be done several times is done once.
    pub fn counted(self, count: usize) -> (Self, usize) {
        /// What is done more often than this takes a key that goes further.
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
            | Action::Replay(Move::Step(_))
            | Action::Undo
            | Action::Redo => (self, count.min(MOST)),
            _ => (self, 1),
        }
    }

    /// The same with the letter that was pressed for it, where it takes one.
    pub fn with_letter(self, letter: char) -> Self {
        match self {
            Action::SetMark(_) => Action::SetMark(Some(letter)),
            Action::GoToMark(_) => Action::GoToMark(Some(letter)),
            action => action,
        }
    }
}

/// What can be done with the text that is written, beside typing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EditCommand {
    /// Take back the last change.
    Undo,
    /// Make it again.
    Redo,
    /// Select everything.
    SelectAll,
    /// Copy what is selected, or else the call or text at the cursor.
    Copy,
    /// Take out what is selected, and copy it.
    Cut,
}

/// What can be done with a text that is played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Move {
    /// Play, or stand still; where nothing is played, begin with what is shown.
    Play,
    /// A step on (true) or back.
    Step(bool),
    /// Another length of steps.
    Unit,
    /// Another speed.
    Faster,
}
