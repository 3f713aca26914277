//! Two prompts as a [`Screen`]: their columns, the selected byte, and the lines around them.

use std::ops::Range;
use std::time::Duration;

use ratatui::buffer::Buffer;
use ratatui::style::Style;

use crate::compare::RowKind;
use crate::tui::action::Action;
use crate::tui::geometry::Area;
use crate::tui::list::ListScreen as _;
use crate::tui::message::{Effect, Msg, TabTitle, Task};
use crate::tui::row::{Piece, Row, count, cut_in_front, grouped, size};
use crate::tui::screen::Screen;
use crate::tui::screen::chrome::{Chrome, ChromeText, heading};
use crate::tui::screen::comparison::prompt::line::AlignedLine;
use crate::tui::screen::comparison::prompt::{PromptComparisonScreen, update};
use crate::tui::style::Role;
use crate::tui::theme::Theme;
use crate::tui::viewport::Anchor;
use crate::tui::widget::prompt::{owner_role, text_roles, write_failure};
use crate::tui::widget::text::TextRow;
use crate::tui::widget::{RowWriter, bordered, selection_style, words_of};

impl Screen for PromptComparisonScreen {
    fn chrome(&self) -> &Chrome {
        &self.chrome
    }

    fn chrome_mut(&mut self) -> &mut Chrome {
        &mut self.chrome
    }

    fn handle(&mut self, msg: Msg) -> Option<Effect> {
        match msg {
            Msg::Action(action) => return update::act(self, action),
            Msg::Click(x, y) => update::click(self, x, y),
            Msg::Wheel(_, _, direction) => self.wheel(direction),
            Msg::Resize(..) => self.arrange(),
            // These concern texts.
            _ => {}
        }
        None
    }

    fn prepare_content(&mut self, _: Duration) -> Option<Effect> {
        if std::mem::take(&mut self.is_due) {
            return Some(Effect::Run(Task::ComparePrompts(self.number)));
        }
        self.clamp_selection();
        None
    }

    fn chrome_text(&self) -> ChromeText {
        let mut left = heading("prompts");
        left.push(Piece::new(format!("  {}", self.conversation), Role::Name));
        let right = match &self.compared {
            None => Piece::new("rendering …  ", Role::Pending),
            Some(compared) if !compared.has_both() => Piece::new("nothing to compare  ", Role::Warning),
            Some(compared) => match compared.differences.len() {
                0 => Piece::new("the same  ", Role::Good),
                differences => Piece::new(format!("{}  ", count(differences, "difference")), Role::Text),
            },
        };
        ChromeText {
            title: [left, vec![right]],
            hints: self.chrome.hints(&[
                (&[Action::Help], "help"),
                (&[Action::Quit], "quit"),
                (&[Action::Cancel], "close"),
                (&[Action::Problem(1), Action::Problem(-1)], "difference"),
                (&[Action::Close, Action::Open], "part"),
                (&[Action::FocusNext(1)], "switch side"),
                (&[Action::OnlyDifferences], if self.only_differences { "show all" } else { "show different" }),
                (&[Action::Toggle], "template"),
            ]),
            place: self.place(),
        }
    }

    fn draw_body(&self, buffer: &mut Buffer, theme: &Theme) {
        let (columns, details) = self.areas();
        for (side, area) in columns.into_iter().enumerate() {
            bordered(buffer, area, &[(self.side_title(side), true)], side == self.side, theme);
            let mut writer = RowWriter::new(buffer, area.inner(), theme);
            match &self.compared {
                None => writer.put(&Row::plain(" rendering …", Role::Pending)),
                Some(compared) => write_failure(&mut writer, &compared.sides[side]),
            }
        }
        let selected = self.selected();
        for (index, at) in self.shown().into_iter().enumerate() {
            for (side, area) in columns.into_iter().enumerate() {
                let inner = area.inner();
                let line = Area { y: inner.y + index as u16, height: 1, ..inner };
                self.draw_row(buffer, (side, line), at, &selected[side], theme);
            }
        }
        if let Some(area) = details {
            bordered(buffer, area, &[(" Selected byte ".to_owned(), true)], false, theme);
            let inner = area.inner();
            for (side, selected) in selected.iter().enumerate() {
                let line = Area { y: inner.y + side as u16, height: 1, ..inner };
                let row = self.description(side, selected, usize::from(inner.width));
                words_of(buffer, line, &row, Style::new(), theme);
            }
        }
    }

    fn title(&self) -> TabTitle {
        TabTitle { name: "prompts".into(), live: self.compared.is_none(), ..TabTitle::default() }
    }

    fn is_made_of_tabs(&self) -> bool {
        true
    }
}

impl PromptComparisonScreen {
    /// Title of a column: the template, how it is rendered, and the size of the prompt.
    fn side_title(&self, side: usize) -> String {
        let name = Piece::new(&self.sides[side].name, Role::Text).text;
        let prompt = self.compared.as_ref().and_then(|compared| compared.prompt(side));
        prompt.map_or_else(|| format!(" {name} "), |prompt| format!(" {name}  {} ", size(prompt.text.len())))
    }

    /// The sign of a line, so that colour alone does not tell what differs.
    fn sign(line: &AlignedLine, side: usize, has_both: bool) -> &'static str {
        match (line.kind, side) {
            _ if !has_both => " ",
            (RowKind::Changed, _) => "~",
            (RowKind::Left, 0) => "-",
            (RowKind::Right, 1) => "+",
            _ => " ",
        }
    }

    fn draw_row(
        &self,
        buffer: &mut Buffer,
        (side, area): (usize, Area),
        at: Anchor,
        selected: &Range<usize>,
        theme: &Theme,
    ) {
        let Some((compared, line)) = self.compared.as_ref().zip(self.line(at.unit)) else { return };
        if let Some(lines) = self.left_out(at.unit) {
            let words = format!("   ⋯ {}", count(lines, "unchanged line"));
            let over = selection_style(at == self.list.at, side == self.side, theme);
            return words_of(buffer, area, &Row::plain(words, Role::Dim), over, theme);
        }
        let (Ok(template), Some(prompt)) = (&compared.sides[side], compared.prompt(side)) else { return };
        let rows = self.rows(at.unit);
        let Some(bytes) = rows.get(at.row).and_then(|row| row[side].clone()) else {
            let is_alone = compared.has_both() && !line.is_on(side) && at.row == 0;
            let words = if is_alone { "  ╌" } else { "" };
            return words_of(buffer, area, &Row::plain(words, Role::Gutter), Style::new(), theme);
        };
        let role = if side == 0 { Role::Removed } else { Role::Added };
        let differing = line.parts.iter().filter(|part| part.differs).map(|part| part.sides[side].clone());
        let mut over: Vec<(Range<usize>, Style)> = differing.map(|range| (range, theme.style(role))).collect();
        if at.unit == self.list.at.unit && !selected.is_empty() {
            over.push((selected.clone(), selection_style(true, side == self.side, theme)));
        }
        let sign = Self::sign(line, side, compared.has_both());
        let number = line.numbers[side];
        let is_last = bytes.end == line.sides[side].end && bytes.end < prompt.text.len();
        let row = TextRow {
            label: if at.row == 0 { format!("{sign}{number}") } else { sign.to_owned() },
            label_role: if sign == " " { Role::LineNumber } else { role },
            is_marked: at == self.list.at && side == self.side,
            is_ended: is_last,
            roles: text_roles(prompt, &template.tree.roles, &bytes, &bytes),
            over,
            bytes,
        };
        self.panes[side].draw(buffer, area, &prompt.text, &row, theme);
    }

    /// The selected byte of a side: its offset, its line of the template and its field.
    fn description(&self, side: usize, selected: &Range<usize>, room: usize) -> Row {
        let Some(compared) = &self.compared else { return Row::default() };
        let (Ok(template), Some(prompt)) = (&compared.sides[side], compared.prompt(side)) else {
            return Row::plain(" no prompt", Role::Dim);
        };
        let marker = Piece::new(if side == self.side { "▸" } else { " " }, Role::Name);
        let is_on = self.line(self.list.at.unit).is_some_and(|line| line.is_on(side));
        let span = prompt.span_at(selected.start).map(|number| &prompt.spans[number]);
        let (Some(span), false) = (span, selected.is_empty()) else {
            let words = match (compared.has_both(), is_on) {
                (true, false) => " this line is missing here",
                (true, true) => " nothing here",
                (false, _) => "",
            };
            return Row::words(vec![marker, Piece::new(words, Role::Dim)]);
        };
        let byte = format!(" byte {:<7} ", grouped(selected.start));
        let source = prompt.pieces.get(span.piece).map_or(0, |piece| piece.source.start);
        let number = template.source_index.line(template.source_index.part_at(source));
        let line = format!("line {number} of {} → ", template.file.rsplit('/').next().unwrap_or_default());
        let path = span.field.and_then(|field| template.tree.fields.get(field)).map(|field| field.path.as_str());
        let taken = byte.chars().count() + line.chars().count() + 2;
        let path = path.map(|path| cut_in_front(path, room.saturating_sub(taken).max(8)));
        let role = owner_role(span.owner, &template.tree.roles);
        let words = [Piece::new(byte, Role::Text), Piece::new(line, Role::LineNumber)];
        Row::words([marker].into_iter().chain(words).chain([Piece::new(span.owner.words(path), role)]).collect())
    }

    /// The number of the selected difference.
    fn place(&self) -> Vec<Piece> {
        let differences = self.differences();
        if differences.is_empty() {
            return Vec::new();
        }
        let here = self.part_here();
        let before = differences.partition_point(|&start| start <= here);
        let is_in_one = self.line(here.0).is_some_and(|line| {
            !line.is_on(0) || !line.is_on(1) || line.parts.get(here.1).is_some_and(|part| part.differs)
        });
        let words = if is_in_one {
            format!(" difference {}/{} ", grouped(before), grouped(differences.len()))
        } else {
            format!(" {} ", count(differences.len(), "difference"))
        };
        vec![Piece::new(words, Role::Status)]
    }
}
