//! Actions on two prompts: moving the selected byte, going to the next difference, leaving for a template.

use std::ops::Range;

use crate::tui::action::{Action, CopyForm};
use crate::tui::geometry::Area;
use crate::tui::list::ListScreen as _;
use crate::tui::message::{Copied, Effect, Navigation, Task};
use crate::tui::screen::comparison::prompt::PromptComparisonScreen;
use crate::tui::style::Role;
use crate::tui::viewport::Anchor;

pub(super) fn act(screen: &mut PromptComparisonScreen, action: Action) -> Option<Effect> {
    match action {
        Action::Move(motion) => {
            screen.go(motion);
            screen.select_row();
        }
        Action::Problem(direction) => screen.go_to_difference(direction > 0),
        Action::Open => screen.step(1),
        Action::Close => screen.step(-1),
        Action::FocusNext(_) => screen.switch_side(),
        Action::OnlyDifferences => {
            screen.only_differences = !screen.only_differences;
            let words = if screen.only_differences { "showing only lines that differ" } else { "showing all lines" };
            screen.chrome.show_message(words, Role::Dim);
            screen.arrange();
        }
        Action::Toggle => {
            let side = &screen.sides[screen.side];
            let (tab, offset) = (side.tab, screen.offset);
            return Some(Effect::Go(Navigation::PromptByte { tab, side: screen.side, offset }));
        }
        Action::Copy(form) => return copy(screen, form),
        Action::Cancel => return Some(Effect::Go(Navigation::Before)),
        action => return Some(Effect::Go(Navigation::Action(action))),
    }
    None
}

fn copy(screen: &mut PromptComparisonScreen, form: CopyForm) -> Option<Effect> {
    let text = screen.text(screen.side);
    let copied = match form {
        CopyForm::Block if !text.is_empty() => Some(Copied::new("the prompt", text)),
        CopyForm::Block => None,
        _ => {
            let range = screen.selected()[screen.side].clone();
            text.get(range).filter(|part| !part.is_empty()).map(|part| Copied::new("the part of the prompt", part))
        }
    };
    match copied {
        Some(copied) => Some(Effect::Run(Task::Copy(copied))),
        None => screen.chrome.refuse("nothing is selected on this side"),
    }
}

pub(super) fn click(screen: &mut PromptComparisonScreen, x: u16, y: u16) {
    let columns = screen.areas().0.map(Area::inner);
    let Some(side) = columns.iter().position(|column| column.contains(x, y)) else { return };
    let Some(at) = screen.row_at(columns[side], 0, x, y) else { return };
    screen.side = side;
    screen.choose(at);
    screen.select_row();
    let column = usize::from(x - columns[side].x).saturating_sub(screen.panes[side].text_column());
    if let Some(Some(row)) = screen.rows(at.unit).get(at.row).map(|row| row[side].clone()) {
        let text = screen.text(side).get(row.clone()).unwrap_or_default();
        let ahead = crate::text::wrap::skip_columns(text.as_bytes(), column);
        screen.offset = (row.start + ahead).min(row.end.saturating_sub(1).max(row.start));
    }
}

impl PromptComparisonScreen {
    /// Selects the first difference; equal prompts are reported.
    pub(super) fn begin(&mut self) {
        let Some(compared) = &self.compared else { return };
        if !compared.has_both() {
            self.side = usize::from(compared.prompt(0).is_none());
            self.select_row();
            return;
        }
        if let Some(&(unit, part)) = compared.differences.first() {
            self.go_to(unit, part);
        } else {
            self.chrome.show_message("the prompts are the same, byte for byte", Role::Good);
            self.select_row();
        }
    }

    fn go_to_difference(&mut self, forward: bool) {
        let here = self.part_here();
        let starts = self.differences();
        let next = if forward {
            starts.get(starts.partition_point(|&start| start <= here)).copied()
        } else {
            starts.partition_point(|&start| start < here).checked_sub(1).map(|index| starts[index])
        };
        match next {
            Some((unit, part)) => self.go_to(unit, part),
            None if self.compared.is_none() => self.chrome.show_message("still rendering", Role::Dim),
            None if starts.is_empty() => self.chrome.show_message("no differences", Role::Good),
            None => self.chrome.show_message(if forward { "last difference" } else { "first difference" }, Role::Dim),
        }
    }

    /// The line and the part of it with the selected byte.
    pub(super) fn part_here(&self) -> (usize, usize) {
        let unit = self.list.at.unit;
        let part = self.line(unit).and_then(|line| line.part_at(self.side, self.offset));
        (unit, part.unwrap_or_default())
    }

    /// Goes to a part of a line.
    fn go_to(&mut self, unit: usize, part: usize) {
        self.choose(Anchor { unit, ..Anchor::default() });
        let Some(line) = self.line(unit) else { return };
        let part = line.parts.get(part);
        let offset = part.map_or(line.sides[self.side].start, |part| part.sides[self.side].start);
        self.select(offset);
    }

    /// Selects what is in the row of the list: what differs there, or its first byte.
    pub(super) fn select_row(&mut self) {
        let at = self.list.at;
        let Some(line) = self.line(at.unit) else { return };
        let row = self.rows(at.unit).get(at.row).and_then(|row| row[self.side].clone());
        let row = row.unwrap_or(line.sides[self.side].clone());
        let in_row = |start: &usize| row.contains(start);
        let differing = line.parts.iter().filter(|part| part.differs).map(|part| part.sides[self.side].start);
        self.offset = differing.into_iter().find(in_row).unwrap_or(row.start);
    }

    /// Selects a byte of the list's line, and shows its row.
    fn select(&mut self, offset: usize) {
        self.offset = offset;
        let unit = self.list.at.unit;
        let rows = self.rows(unit);
        let has_it = |row: &[Option<Range<usize>>; 2]| row[self.side].as_ref().is_some_and(|row| row.end > offset);
        let row = rows.iter().position(has_it).unwrap_or(0);
        self.choose(Anchor { unit, row, ..Anchor::default() });
    }

    fn switch_side(&mut self) {
        let offset = self.line(self.list.at.unit).map(|line| line.counterpart(self.side, self.offset));
        self.side = 1 - self.side;
        if let Some(offset) = offset {
            self.select(offset);
        }
    }

    /// Bytes of a line on the current side at which a part with another origin, or a difference, begins.
    fn stops(&self, unit: usize) -> Vec<usize> {
        let Some((line, compared)) = self.line(unit).zip(self.compared.as_ref()) else { return Vec::new() };
        let range = line.sides[self.side].clone();
        let mut stops: Vec<usize> = line.parts.iter().map(|part| part.sides[self.side].start).collect();
        if let Some(prompt) = compared.prompt(self.side).filter(|_| !range.is_empty()) {
            let starts = prompt.spans[prompt.spans_in(&range)].iter().map(|span| span.range.start);
            stops.extend(starts.filter(|start| range.contains(start)));
        }
        stops.push(range.start);
        stops.sort_unstable();
        stops.dedup();
        stops
    }

    /// Selects the next (1) or previous (-1) part, in the next or previous line at the end of one.
    fn step(&mut self, direction: i8) {
        let unit = self.list.at.unit;
        let stops = self.stops(unit);
        let here = self.offset;
        let next = if direction > 0 {
            stops.get(stops.partition_point(|&stop| stop <= here)).copied()
        } else {
            stops.partition_point(|&stop| stop < here).checked_sub(1).map(|index| stops[index])
        };
        if let Some(offset) = next {
            return self.select(offset);
        }
        let count = self.compared.as_ref().map_or(0, |compared| compared.lines.len());
        let is_there =
            |unit: &usize| self.left_out(*unit).is_none() && self.line(*unit).is_some_and(|line| line.is_on(self.side));
        let unit = if direction > 0 { (unit + 1..count).find(is_there) } else { (0..unit).rev().find(is_there) };
        let Some(unit) = unit else { return };
        let stops = self.stops(unit);
        self.list.at = Anchor { unit, ..Anchor::default() };
        let offset = if direction > 0 { stops.first() } else { stops.last() };
        self.select(offset.copied().unwrap_or_default());
    }

    /// The selected bytes of both sides: a part with one origin, or a difference; empty where nothing corresponds.
    pub(super) fn selected(&self) -> [Range<usize>; 2] {
        let Some(line) = self.line(self.list.at.unit) else { return [0..0, 0..0] };
        let (side, offset) = (self.side, self.offset);
        let stops = self.stops(self.list.at.unit);
        let start = stops.iter().copied().rfind(|&stop| stop <= offset).unwrap_or(offset);
        let end = stops.iter().copied().find(|&stop| stop > offset).unwrap_or(line.sides[side].end);
        let part = line.part_at(side, offset).map(|part| &line.parts[part]);
        let mut selected = [start..end, start..end];
        let Some(part) = part else {
            selected[1 - side] = line.counterpart(side, start)..line.counterpart(side, start);
            return selected;
        };
        if part.differs {
            selected[1 - side] = part.sides[1 - side].clone();
            if part.sides[side].is_empty() {
                selected[side] = part.sides[side].clone();
            }
        } else {
            let shift = |at: usize| part.sides[1 - side].start + at.saturating_sub(part.sides[side].start);
            selected[1 - side] = shift(start)..shift(end);
        }
        selected
    }
}
