//! The chrome: everything around a screen's content. Title, tab bar, bottom line with prompt, message or hints, and
//! help.
//!
//! A screen passes each message to its [`Chrome`] first, which returns the messages that concern the content.

mod choice_prompt;
mod command_prompt;
pub mod filter_prompt;
mod help_prompt;
pub mod overlay_list;

use std::ops::ControlFlow;
use std::sync::Arc;

use ratatui::Frame;
use ratatui::buffer::Buffer;
use tui_input::{Input, InputRequest};

use crate::filter::SavedFilters;
use crate::text::wrap::display_width;

use crate::tui::action::{Action, Motion};
use crate::tui::files::PathCompletion;
use crate::tui::geometry::Area;
use crate::tui::input::InputMode;
use crate::tui::keymap::palette::PaletteEntry;
use crate::tui::keymap::sequence::KeySequence;
use crate::tui::keymap::{Keymap, ScreenId};
use crate::tui::message::{Effect, Msg, Navigation, TabTitle, Task};
use crate::tui::prompt::{Prompt, PromptKind, PromptNote};
use crate::tui::row::{Piece, count};
use crate::tui::style::Role;
use crate::tui::theme::Theme;
use crate::tui::widget::line::{self, both, fill};
use crate::tui::widget::palette::{self, PaletteRow};
use crate::tui::widget::{continuations, is_drawable, tab_bar};
use command_prompt::Command;
pub use help_prompt::{HelpContext, OpenHelp};

/// Maximum characters of a paste into a prompt: longer lines are unreadable, and each character is inserted separately.
const MOST_PASTED: usize = 4096;

/// Screen height in rows below which the tab bar and the bar of a replay are hidden.
pub const LOWEST_WITH_BAR: u16 = 8;

/// The chrome of a screen.
pub struct Chrome {
    /// Columns and rows of the screen.
    pub size: (u16, u16),
    /// The titles of the tabs; empty if there is only one.
    pub tab_bar: Vec<TabTitle>,
    /// The open prompt.
    pub prompt: Option<Prompt>,
    /// Prompts over which the command palette was opened; they return after it.
    suspended: Vec<Prompt>,
    /// The path typed last, until the next key: if it is refused, it returns to its prompt.
    pub path_typed: Option<(PromptKind, String)>,
    /// The help, if it is open.
    pub help: Option<OpenHelp>,
    /// A message to the user, until the next key.
    pub message: Option<Piece>,
    /// Key bindings, for help and hints.
    pub keymap: Arc<Keymap>,
    /// The named filters.
    pub filters: Arc<SavedFilters>,
    /// The keys typed so far of a multi-key command.
    pub typed: KeySequence,
    /// The destination of the quit key, as a word: the list or parent session from which the screen was opened.
    pub level_above: Option<&'static str>,
    keys: ScreenId,
}

/// The texts around the content.
pub struct ChromeText {
    /// Left and right part of the title line.
    pub title: [Vec<Piece>; 2],
    /// Key hints in the bottom line, unless there is a prompt or a message.
    pub hints: Vec<Piece>,
    /// The current position, at the right of the bottom line.
    pub place: Vec<Piece>,
}

impl Chrome {
    /// The chrome of a screen with these key bindings.
    pub fn new(keys: ScreenId) -> Self {
        Self {
            size: (0, 0),
            tab_bar: Vec::new(),
            prompt: None,
            suspended: Vec::new(),
            path_typed: None,
            help: None,
            message: None,
            keymap: Keymap::built_in(),
            filters: Arc::default(),
            typed: KeySequence::default(),
            level_above: None,
            keys,
        }
    }

    /// Shows a message until the next key.
    pub fn show_message(&mut self, text: impl Into<String>, role: Role) {
        self.message = Some(Piece::new(text.into(), role));
    }

    /// Shows the reason why nothing is done.
    pub fn refuse(&mut self, text: impl Into<String>) -> Option<Effect> {
        self.show_message(text, Role::Dim);
        None
    }

    /// Opens a prompt with an initial value.
    pub fn ask(&mut self, kind: PromptKind, words: &str) {
        self.prompt = Some(Prompt { kind, input: words.into(), choice: None, proposals: Vec::new(), note: None });
    }

    /// Opens the prompt again for a value that was rejected, with the reason.
    pub fn ask_again(&mut self, kind: PromptKind, words: &str, fault: impl Into<String>) {
        self.ask(kind, words);
        if let Some(prompt) = &mut self.prompt {
            prompt.note = Some(PromptNote::Fault(fault.into()));
        }
    }

    /// Opens a prompt for one of several values, listed above it.
    pub fn offer(&mut self, kind: PromptKind, values: Vec<String>) {
        self.ask(kind, "");
        if let Some(prompt) = &mut self.prompt {
            prompt.proposals = values;
        }
    }

    /// The value that is chosen from the list of the prompt.
    pub fn chosen_value(&self) -> Option<String> {
        let (values, chosen) = choice_prompt::list(self)?;
        self.prompt.as_ref()?.proposals.get(values[chosen?]).cloned()
    }

    /// The indexes of the values that match what is typed, and which of these is chosen, while runs are listed.
    pub fn listed_runs(&self) -> Option<(Vec<usize>, Option<usize>)> {
        choice_prompt::list(self).filter(|_| self.lists_runs())
    }

    /// True while runs are listed.
    pub fn lists_runs(&self) -> bool {
        self.prompt.as_ref().is_some_and(|prompt| prompt.kind == PromptKind::OtherRun)
    }

    /// Opens a prompt with several proposals, starting with the first.
    pub fn propose(&mut self, kind: PromptKind, proposals: Vec<String>) {
        self.ask(kind, proposals.first().map_or("", String::as_str));
        if let Some(prompt) = &mut self.prompt {
            prompt.proposals = proposals;
        }
    }

    /// How keys are interpreted now: an open prompt receives them as text.
    pub fn input_mode(&self) -> InputMode<'_> {
        self.prompt.as_ref().map_or(InputMode::Keys(self.keys, &self.typed), |prompt| InputMode::Prompt(prompt.kind))
    }

    /// True if the open prompt is for a command.
    fn is_commanded(&self) -> bool {
        matches!(self.prompt, Some(Prompt { kind: PromptKind::Command { .. }, .. }))
    }

    /// True if the command palette was opened over a search prompt.
    pub fn is_over_pattern(&self) -> bool {
        self.suspended.iter().any(|prompt| prompt.kind == PromptKind::Pattern)
    }

    /// The suspended note over which the command palette was opened, unless it is empty.
    fn suspended_note(&mut self) -> Option<&mut Prompt> {
        let has_words =
            |prompt: &&mut Prompt| prompt.kind == PromptKind::Note && !prompt.input.value().trim().is_empty();
        self.suspended.iter_mut().find(has_words)
    }

    /// Opens the command palette, suspending the open prompt.
    fn open_palette(&mut self) {
        if let Some(Prompt { kind: PromptKind::Command { list }, .. }) = &mut self.prompt {
            *list = true;
        } else {
            self.suspend_prompt();
            self.ask(PromptKind::Command { list: true }, "");
        }
    }

    /// Sets the open prompt aside until what is opened over it is closed.
    fn suspend_prompt(&mut self) {
        self.suspended.extend(self.prompt.take());
    }

    /// Reopens the suspended prompt once the command palette and what it opened are closed.
    pub fn resume_prompt(&mut self) {
        if self.prompt.is_none() && self.help.is_none() {
            self.prompt = self.suspended.pop();
        }
    }

    /// The actions that only this screen has, for its help.
    pub fn help_of_screen(&self) -> HelpContext {
        HelpContext::of_screen(&self.keymap, self.keys)
    }

    /// Handles a message, unless it concerns the content; returns what the screen must handle as well.
    pub fn update(&mut self, msg: Msg) -> ControlFlow<Option<Effect>, Msg> {
        let mut effect = None;
        if matches!(msg, Msg::Typed(_) | Msg::Action(_) | Msg::Click(..)) {
            self.path_typed = None;
        }
        match msg {
            Msg::Typed(sequence) => {
                self.message = None;
                self.typed = sequence;
            }
            Msg::Action(action) => return self.act(action),
            Msg::Submit if self.help.is_some() => {
                let command = help_prompt::submit(self);
                return self.run(command);
            }
            Msg::Click(x, y) if self.help.is_some() => {
                let command = help_prompt::click(self, x, y);
                return self.run(command);
            }
            Msg::Submit if self.is_commanded() => {
                let command = command_prompt::submit(self);
                return self.run(command);
            }
            Msg::Edit(request) => self.edit([request]),
            Msg::Paste(text) if self.prompt.is_some() => {
                let mut typed = text.chars().filter(|c| !c.is_control());
                self.edit(typed.by_ref().take(MOST_PASTED).map(InputRequest::InsertChar));
                let words = || format!("only the first {} of the paste", count(MOST_PASTED, "character"));
                if let (Some(_), Some(prompt)) = (typed.next(), &mut self.prompt) {
                    prompt.note = Some(PromptNote::Fault(words()));
                }
            }
            Msg::Paste(text) => effect = Some(Effect::Go(Navigation::Pasted(text))),
            Msg::Click(x, y) if let Some(area) = self.tab_row().filter(|area| area.contains(x, y)) => {
                effect = tab_bar::tab_at(&self.tab_bar, area, x).map(|index| Effect::Go(Navigation::Tab(index)));
            }
            Msg::Wheel(_, _, direction) if self.help.is_some() => help_prompt::wheel(self, direction),
            Msg::PathCompleted(completed) => self.complete_path(completed),
            Msg::Notice(text) => {
                self.path_typed = None;
                self.show_message(text, Role::Warning);
            }
            Msg::Failed(text) => match self.path_typed.take().filter(|_| self.prompt.is_none()) {
                Some((kind, path)) => self.ask_again(kind, &path, text),
                None => self.show_message(text, Role::Error),
            },
            msg => {
                if let Msg::Resize(width, height) = msg {
                    self.size = (width, height);
                } else if let Msg::Click(..) = msg {
                    self.typed = KeySequence::default();
                }
                return ControlFlow::Continue(msg);
            }
        }
        ControlFlow::Break(effect)
    }

    fn run(&mut self, command: Command) -> ControlFlow<Option<Effect>, Msg> {
        match command {
            Command::Act(action) => self.act(action),
            Command::Go(location) => ControlFlow::Continue(Msg::Go(location)),
            Command::Nothing => ControlFlow::Break(None),
        }
    }

    fn act(&mut self, action: Action) -> ControlFlow<Option<Effect>, Msg> {
        self.message = None;
        self.typed = KeySequence::default();
        if self.help.is_some() && help_prompt::act(self, action) {
            return ControlFlow::Break(None);
        }
        if self.is_commanded() {
            match action {
                Action::Move(Motion::Line(direction)) => command_prompt::choose(self, direction),
                Action::Complete => command_prompt::complete(self),
                _ => {}
            }
        }
        if let Action::Move(Motion::Line(direction)) = action
            && !choice_prompt::choose(self, direction)
            && let Some(prompt) = &mut self.prompt
        {
            prompt.next_proposal(direction);
        }
        let effect = match action {
            // Prompts have no use for motions.
            Action::Move(_) if self.prompt.is_some() => None,
            Action::Suspend => Some(Effect::Run(Task::Suspend)),
            Action::Complete if let Some(prompt) = self.prompt.as_ref().filter(|prompt| prompt.kind.is_path()) => {
                Some(Effect::Run(Task::CompletePath(prompt.input.value().to_owned())))
            }
            Action::Help => {
                help_prompt::open(self);
                None
            }
            Action::Palette => {
                self.open_palette();
                None
            }
            Action::Cancel if !self.suspended.is_empty() && self.is_commanded() => {
                self.prompt = None;
                None
            }
            Action::Quit | Action::CloseTab | Action::Interrupt if let Some(note) = self.suspended_note() => {
                note.note = Some(PromptNote::Fault("not saved: Enter saves it, Esc discards it".into()));
                None
            }
            Action::NextFile(direction) => Some(Effect::Go(Navigation::NextTab(direction))),
            Action::CloseTab => Some(Effect::Go(Navigation::Close)),
            Action::Interrupt => Some(Effect::Go(Navigation::Interrupt)),
            Action::Quit => Some(Effect::Go(Navigation::Quit)),
            Action::Redraw => Some(Effect::Run(Task::Redraw)),
            Action::CopyExact => Some(Effect::Run(Task::CopyExact)),
            Action::Themes => Some(Effect::Run(Task::Themes)),
            Action::Mouse => Some(Effect::Run(Task::Mouse)),
            action => return ControlFlow::Continue(Msg::Action(action)),
        };
        ControlFlow::Break(effect)
    }

    fn edit(&mut self, requests: impl IntoIterator<Item = InputRequest>) {
        let Some(prompt) = &mut self.prompt else { return };
        prompt.choice = None;
        for request in requests {
            prompt.input.handle(request);
        }
        help_prompt::typed(self);
    }

    fn row(&self, y: u16) -> Area {
        Area { x: 0, y, width: self.size.0, height: 1 }
    }

    /// Replaces a typed path by its completion, and lists the candidates.
    fn complete_path(&mut self, PathCompletion { typed, line, names }: PathCompletion) {
        let Some(prompt) = self.prompt.as_mut().filter(|prompt| prompt.kind.is_path()) else { return };
        if prompt.input.value() == typed {
            let column = line.chars().count();
            prompt.input = Input::new(line).with_cursor(column);
            prompt.note = (!names.is_empty()).then(|| PromptNote::Continuations(names.join("  ")));
        }
    }

    /// The line of the tab bar, below the title, if there are several tabs.
    fn tab_row(&self) -> Option<Area> {
        (!self.tab_bar.is_empty() && self.size.1 >= LOWEST_WITH_BAR).then(|| self.row(1))
    }

    /// The area of the content: between the lines at the top and the bottom line.
    pub fn body(&self) -> Area {
        let y = 1 + u16::from(self.tab_row().is_some());
        Area { y, height: self.size.1.saturating_sub(y + 1), ..self.row(y) }
    }

    /// The areas of a list and, if there is room, of the details below it, both including borders.
    pub fn list_and_details(&self, details: u16) -> (Area, Option<Area>) {
        /// Screen height in rows below which only the list is shown.
        const LOW: u16 = 16;
        let body = self.body();
        if self.size.1 < LOW {
            return (body, None);
        }
        let list = Area { height: body.height.saturating_sub(details), ..body };
        (list, Some(Area { y: list.y + list.height, height: details, ..body }))
    }

    /// Hints, each with the first key bound to its action.
    pub fn hints(&self, hints: &[(&[Action], &str)]) -> Vec<Piece> {
        let keys = |actions: &[Action]| {
            actions.iter().map(|action| self.keymap.key_of(self.keys, *action)).collect::<Vec<_>>()
        };
        let words = |actions: &[Action], words| if actions == [Action::Quit] { self.quit_words() } else { words };
        let hints = hints.iter().flat_map(|(actions, said)| hint(&keys(actions).join("/"), words(actions, said)));
        [Piece::new(" ", Role::Status)].into_iter().chain(hints).collect()
    }

    /// Label of the quit key.
    pub fn quit_words(&self) -> &'static str {
        match self.level_above {
            Some("list") => "back to list",
            Some(_) => "back to parent",
            None => "quit",
        }
    }

    /// The name of the key shown at a cell of the bottom line.
    pub fn key_at(&self, text: &ChromeText, x: u16, y: u16) -> Option<String> {
        let status = self.row(self.size.1.checked_sub(1)?);
        if !status.contains(x, y) || self.help.is_some() {
            return None;
        }
        line::key_at(status, self.prompt_or_message().as_ref().unwrap_or(&text.hints), &text.place, x)
    }

    /// The prompt or message that replaces the hints in the bottom line.
    pub fn prompt_or_message(&self) -> Option<Vec<Piece>> {
        match (&self.prompt, &self.message) {
            (Some(Prompt { kind, input, note, .. }), _) => {
                let line = [Piece::new(kind.label(), Role::Prompt), Piece::new(input.value(), Role::Prompt)];
                let note = note.as_ref().map(|note| match note {
                    PromptNote::Fault(words) => Piece::new(format!("  ✗ {words}"), Role::Error),
                    PromptNote::Others(words) => Piece::new(format!("  ↓ {words}"), Role::Dim),
                    PromptNote::Hint(words) => Piece::new(format!("  {words}"), Role::Dim),
                    PromptNote::Continuations(words) => Piece::new(format!("  Tab: {words}"), Role::Dim),
                });
                Some(line.into_iter().chain(note).collect())
            }
            (None, Some(message)) => Some(vec![Piece::new(format!(" {}", message.text), message.role)]),
            (None, None) if !self.typed.is_empty() => Some(self.typed_so_far()),
            (None, None) => None,
        }
    }

    /// The keys typed so far of a multi-key command, and possible continuations.
    fn typed_so_far(&self) -> Vec<Piece> {
        let mut pieces = vec![Piece::new(format!(" {}  ", self.typed.words()), Role::Prompt)];
        if self.typed.prefix.is_empty() {
            pieces.extend(self.hints(&[
                (&[Action::Move(Motion::Line(1)), Action::Move(Motion::Line(-1))], "N rows"),
                (&[Action::Call(1), Action::Problem(1)], "Nth next"),
                (&[Action::Move(Motion::Bottom)], "to that row"),
                (&[Action::FocusNext(1)], "to that pane"),
            ]));
        }
        pieces.extend(hint("Esc", "cancel"));
        pieces
    }

    /// Draws a screen; `body` draws its content, `cursor` is the cell of the text cursor. If the screen is too small,
    /// only a message is drawn.
    pub fn draw(
        &self,
        frame: &mut Frame,
        text: &ChromeText,
        theme: &Theme,
        cursor: Option<(u16, u16)>,
        body: impl FnOnce(&mut Buffer),
    ) {
        let buffer = frame.buffer_mut();
        if !is_drawable(buffer, self.size, theme) {
            return;
        }
        let status = self.row(self.size.1.saturating_sub(1));
        let [left, right] = &text.title;
        both(buffer, self.row(0), left, right, theme);
        if let Some(area) = self.tab_row() {
            tab_bar::draw(buffer, area, &self.tab_bar, theme);
        }
        body(buffer);
        fill(buffer, status, theme);
        both(buffer, status, self.prompt_or_message().as_ref().unwrap_or(&text.hints), &text.place, theme);
        if let Some((entries, chosen)) = command_prompt::list(self) {
            let row = |entry: &PaletteEntry| PaletteRow { words: entry.words.clone(), keys: entry.keys.clone() };
            let rows: Vec<PaletteRow> = entries.iter().map(row).collect();
            palette::draw(buffer, " Commands ", &rows, chosen, theme);
        } else if let Some((values, chosen)) = choice_prompt::list(self).filter(|_| !self.lists_runs()) {
            let proposals = self.prompt.as_ref().map_or(&[][..], |prompt| &prompt.proposals);
            let row = |value: usize| PaletteRow { words: proposals[value].clone(), keys: String::new() };
            let rows: Vec<PaletteRow> = values.into_iter().map(row).collect();
            palette::draw(buffer, " An example call of ", &rows, chosen, theme);
        }
        if !self.typed.prefix.is_empty() {
            continuations::draw(buffer, &self.keymap, self.keys, &self.typed.prefix, theme);
        }
        help_prompt::draw(self, buffer, theme);
        let in_prompt = self.prompt.as_ref().map(|Prompt { kind, input, .. }| {
            let x = display_width(kind.label().as_bytes()) as u16 + input.visual_cursor() as u16;
            (x.min(status.width.saturating_sub(1)), status.y)
        });
        if let Some(cell) = in_prompt.or(cursor.filter(|_| self.help.is_none())) {
            frame.set_cursor_position(cell);
        }
    }
}

/// The start of the title line: the name of the program and of what is open.
pub fn heading(name: &str) -> Vec<Piece> {
    vec![Piece::new(" transcope  ", Role::Title), Piece::new(name, Role::Strong)]
}

/// A key and its label, for the bottom line.
pub fn hint(key: &str, words: &str) -> [Piece; 2] {
    [Piece::new(key, Role::StatusKey), Piece::new(format!(" {words}  "), Role::Status)]
}
