//! What every screen has around its content: title, tab bar, line at the bottom with prompt, message or hints, and help.
//!
//! A screen gives each message to its [`Chrome`] first and gets back what is about its content. This module does not know
//! what the content is.

use std::ops::ControlFlow;

use ratatui::Frame;
use ratatui::buffer::Buffer;
use tui_input::InputRequest;

use crate::text::wrap::display_width;

use crate::tui::action::{Action, Motion};
use crate::tui::geometry::Area;
use crate::tui::input::InputMode;
use crate::tui::keymap::{Keys, key_of};
use crate::tui::message::{Effect, Msg, Navigation, StatusMessage, TabTitle, Task};
use crate::tui::prompt::Prompt;
use crate::tui::row::Piece;
use crate::tui::style::Role;
use crate::tui::theme::Theme;
use crate::tui::widget::line::{both, fill};
use crate::tui::widget::{help, is_drawable, tab_bar};

/// Rows that one turn of the wheel scrolls.
pub const WHEEL: usize = 3;

/// Rows of a screen below which the tab bar gives way.
const LOWEST_WITH_BAR: u16 = 8;

/// What is around the content of a screen.
pub struct Chrome {
    /// Columns and rows of the screen.
    pub size: (u16, u16),
    /// The titles of the tabs; none where there is a single tab.
    pub tab_bar: Vec<TabTitle>,
    /// The line that is being typed, if there is one.
    pub prompt: Option<Prompt>,
    /// The first row of help that is shown, if help is open.
    pub help: Option<usize>,
    /// Words for the person, until the next key.
    pub message: Option<StatusMessage>,
    keys: &'static Keys,
}

/// Where the parts of a screen are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ChromeAreas {
    /// The line at the top.
    pub title: Area,
    /// The line below it with the tabs, where there are several.
    pub tab_bar: Option<Area>,
    /// All between the lines above and the one at the bottom.
    pub body: Area,
    /// The line at the bottom.
    pub status: Area,
}

/// What the lines around the content say.
pub struct ChromeText {
    /// The line at the top, from the left and at the right.
    pub title: [Vec<Piece>; 2],
    /// What to press, in the line at the bottom, unless a line is typed there or something is to be said.
    pub hints: Vec<Piece>,
    /// Where the person is, at the right of that line.
    pub place: Vec<Piece>,
}

impl Chrome {
    /// What is around a screen with these keys.
    pub fn new(keys: &'static Keys) -> Self {
        Self { size: (0, 0), tab_bar: Vec::new(), prompt: None, help: None, message: None, keys }
    }

    /// Shows words until the next key.
    pub fn tell(&mut self, text: impl Into<String>, role: Role) {
        self.message = Some(StatusMessage { text: text.into(), role });
    }

    /// What keys mean now: they are typed where a line is open.
    pub fn input_mode(&self) -> InputMode {
        if self.prompt.is_some() { InputMode::Prompt } else { InputMode::Keys(self.keys) }
    }

    /// Takes in what is not about the content; gives back what the screen has to take in as well.
    pub fn update(&mut self, msg: Msg) -> ControlFlow<Option<Effect>, Msg> {
        let effect = match msg {
            Msg::Action(action) => return self.act(action),
            Msg::Edit(request) => {
                self.edit([request]);
                None
            }
            Msg::Paste(text) if self.prompt.is_some() => {
                self.edit(text.chars().filter(|c| !c.is_control()).map(InputRequest::InsertChar));
                None
            }
            Msg::Paste(text) => Some(Navigation::Pasted(text).into()),
            Msg::Click(..) if self.help.take().is_some() => None,
            Msg::Click(x, y) => match self.areas().tab_bar.filter(|area| area.contains(x, y)) {
                Some(area) => tab_bar::tab_at(&self.tab_bar, area, x).map(|index| Navigation::Tab(index).into()),
                None => return ControlFlow::Continue(msg),
            },
            Msg::Wheel(_, _, direction) => match self.help {
                Some(row) => {
                    self.help = Some(wheel_help(row, direction, self.keys, self.size));
                    None
                }
                None => return ControlFlow::Continue(msg),
            },
            Msg::Resize(width, height) => {
                self.size = (width, height);
                return ControlFlow::Continue(msg);
            }
            Msg::Notice(text) => {
                self.tell(text, Role::Warning);
                None
            }
            msg => return ControlFlow::Continue(msg),
        };
        ControlFlow::Break(effect)
    }

    fn act(&mut self, action: Action) -> ControlFlow<Option<Effect>, Msg> {
        self.message = None;
        if let Some(row) = self.help {
            let (row, effect) = scroll_help(row, action, self.keys, self.size);
            self.help = row;
            return ControlFlow::Break(effect);
        }
        if action == Action::Help {
            self.help = Some(0);
            return ControlFlow::Break(None);
        }
        match global_action(action) {
            Some(effect) => ControlFlow::Break(Some(effect)),
            None => ControlFlow::Continue(Msg::Action(action)),
        }
    }

    fn edit(&mut self, requests: impl IntoIterator<Item = InputRequest>) {
        let Some(prompt) = &mut self.prompt else { return };
        for request in requests {
            prompt.input.handle(request);
        }
    }

    /// Where the parts are on a screen of this size.
    pub fn areas(&self) -> ChromeAreas {
        let (width, height) = self.size;
        let row = |y| Area { x: 0, y, width, height: 1 };
        let tab_bar = (!self.tab_bar.is_empty() && height >= LOWEST_WITH_BAR).then(|| row(1));
        let above = 1 + u16::from(tab_bar.is_some());
        let body = Area { x: 0, y: above, width, height: height.saturating_sub(above + 1) };
        ChromeAreas { title: row(0), tab_bar, body, status: row(height.saturating_sub(1)) }
    }

    /// What to press, each with the first key that the table has for it.
    pub fn hints(&self, hints: &[(&[Action], &str)]) -> Vec<Piece> {
        let mut pieces = vec![Piece::new(" ", Role::Status)];
        for (actions, words) in hints {
            let keys: Vec<&str> = actions.iter().map(|action| key_of(self.keys, *action)).collect();
            pieces.push(Piece::new(keys.join("/"), Role::StatusKey));
            pieces.push(Piece::new(format!(" {words}  "), Role::Status));
        }
        pieces
    }

    /// Draws a screen; `body` draws its content. A screen that is too small says so instead.
    pub fn draw(&self, frame: &mut Frame, text: &ChromeText, theme: &Theme, body: impl FnOnce(&mut Buffer, Area)) {
        let buffer = frame.buffer_mut();
        if !is_drawable(buffer, self.size, theme) {
            return;
        }
        let areas = self.areas();
        let [left, right] = &text.title;
        both(buffer, areas.title, left, right, theme);
        if let Some(area) = areas.tab_bar {
            tab_bar::draw(buffer, area, &self.tab_bar, theme);
        }
        body(buffer, areas.body);
        fill(buffer, areas.status, theme);
        let typed = self.prompt.as_ref().map(|prompt| (prompt.kind.label(), &prompt.input));
        match (typed, &self.message) {
            (Some((label, input)), _) => {
                let left = [Piece::new(label, Role::Prompt), Piece::new(input.value(), Role::Prompt)];
                both(buffer, areas.status, &left, &text.place, theme);
            }
            (None, Some(message)) => {
                let left = [Piece::new(format!(" {}", message.text), message.role)];
                both(buffer, areas.status, &left, &text.place, theme);
            }
            (None, None) => both(buffer, areas.status, &text.hints, &text.place, theme),
        }
        if let Some(row) = self.help {
            help::draw(buffer, self.keys, row, theme);
        }
        if let Some((label, input)) = typed {
            let x = display_width(label.as_bytes()) as u16 + input.visual_cursor() as u16;
            frame.set_cursor_position((x.min(areas.status.width.saturating_sub(1)), areas.status.y));
        }
    }
}

/// What is asked for by an action that means the same on every screen.
pub fn global_action(action: Action) -> Option<Effect> {
    Some(match action {
        Action::NextFile(direction) => Navigation::NextTab(direction).into(),
        Action::CloseTab => Navigation::Close.into(),
        Action::Recorded => Navigation::Recorded.into(),
        Action::Interrupt => Navigation::Interrupt.into(),
        Action::Quit => Navigation::Quit.into(),
        Action::Redraw => Task::Redraw.into(),
        Action::Mouse => Task::Mouse.into(),
        Action::Suspend => Task::Suspend.into(),
        _ => return None,
    })
}

/// The first row of help that is shown after a key, if help stays open on a screen of this size.
pub fn scroll_help(
    row: usize,
    action: Action,
    keys: &Keys,
    (width, height): (u16, u16),
) -> (Option<usize>, Option<Effect>) {
    let page = usize::from(height).saturating_sub(2);
    let moved = match action {
        Action::Move(Motion::Line(1)) => row + 1,
        Action::Move(Motion::Line(_)) => row.saturating_sub(1),
        Action::Move(Motion::Half(1) | Motion::Page(1)) => row + page / 2,
        Action::Move(Motion::Half(_) | Motion::Page(_)) => row.saturating_sub(page / 2),
        Action::Move(Motion::Top) => 0,
        Action::Move(Motion::Bottom) => usize::MAX,
        Action::Suspend => return (Some(row), Some(Task::Suspend.into())),
        _ => return (None, None),
    };
    (Some(moved.min(help::height(keys, width).saturating_sub(page))), None)
}

/// The first row of help that is shown after the wheel has turned, on a screen of this size.
pub fn wheel_help(row: usize, direction: i8, keys: &Keys, (width, height): (u16, u16)) -> usize {
    let last = help::height(keys, width).saturating_sub(usize::from(height).saturating_sub(2));
    let moved = if direction > 0 { row + WHEEL } else { row.saturating_sub(WHEEL) };
    moved.min(last)
}
