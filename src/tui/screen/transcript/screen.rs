//! The transcript as a [`Screen`].

use std::ops::ControlFlow;
use std::path::Path;
use std::time::Duration;

use ratatui::buffer::Buffer;

use crate::tui::action::Action;
use crate::tui::input::InputMode;
use crate::tui::layout::Slot;
use crate::tui::message::{Effect, Msg, TabTitle};
use crate::tui::pane::{Panes, Response};
use crate::tui::screen::Screen;
use crate::tui::screen::chrome::{Chrome, ChromeText, HelpContext};
use crate::tui::screen::transcript::{
    Transcript, activity, arrival, compare_list, declaration, filter, help_context, jump, location, mouse, notes,
    playground, repair, reparse, replay, replay_bar, save_case, status, tail_preview, title, update,
};
use crate::tui::theme::Theme;
use crate::tui::view::cache::HighlightRequest;
use crate::tui::widget::{bordered, overview};

impl Screen for Transcript {
    fn chrome(&self) -> &Chrome {
        &self.chrome
    }

    fn chrome_mut(&mut self) -> &mut Chrome {
        &mut self.chrome
    }

    fn input_mode(&self) -> InputMode<'_> {
        if self.types() { InputMode::Text } else { self.chrome.input_mode() }
    }

    fn receive(&mut self, msg: Msg) -> Option<Effect> {
        if !matches!(msg, Msg::Source(_) | Msg::Tail(..)) {
            // Actions of the user apply to what is on the screen.
            arrival::restore_scroll(self);
            self.following.selection_to_restore = None;
            if self.view.layout.focus != Slot::Bottom {
                self.view.layout.above = self.view.layout.focus;
            }
            if matches!(self.view.layout.focus, Slot::Reading | Slot::Raw) {
                self.view.layout.beside = self.view.layout.focus;
            }
        }
        let msg = match msg {
            // In a read-only text there is nothing to undo.
            Msg::Action(Action::Undo) if self.view.editor.is_none() => Msg::Action(Action::Suspend),
            Msg::Paste(text) if self.types() => {
                playground::paste(self, &text);
                return None;
            }
            msg => msg,
        };
        let pattern_at = self.chrome.is_over_pattern().then_some(self.view.selection);
        let effect = match self.chrome.update(msg) {
            ControlFlow::Break(effect) => effect,
            ControlFlow::Continue(msg) => self.handle(msg),
        };
        if pattern_at.is_some_and(|before| before != self.view.selection) {
            // A command chosen while a pattern was typed moved the selection: the search now starts there, and Esc
            // returns there.
            self.searched_from = Some(self.view.selection);
        }
        self.chrome.resume_prompt();
        self.fill_help();
        declaration::sync(self);
        effect
    }

    fn handle(&mut self, msg: Msg) -> Option<Effect> {
        match msg {
            Msg::Action(action) => {
                let effect = update::act(self, action);
                if self.view.layout.focus != Slot::Raw && !self.view.is_declaring() {
                    playground::bring_cursor(self);
                }
                return effect;
            }
            Msg::Type(key) => playground::typed(self, key),
            Msg::Change(edit) => return playground::edit(self, edit),
            Msg::Saved(text, path) => playground::saved(self, text, path),
            Msg::DeclarationSaved(text, path) => declaration::saved(self, text, path),
            Msg::DeclarationExists(path) => declaration::ask_again(self, path),
            Msg::Reloaded(text) => playground::reload(self, &text),
            Msg::NotesSaved(saved) => notes::saved(self, saved),
            Msg::CaseSaved(case) => save_case::saved(self, &case),
            Msg::Schema(schemas) => {
                let request = self.panes.settings.apply(&self.view, schemas);
                return self.respond(Response::ask(request)).break_value().flatten();
            }
            Msg::Edited(edited) => playground::edited(self, edited),
            Msg::Submit => return update::submit(self),
            Msg::Go(location) => location::go(self, &location),
            Msg::Click(x, y) => {
                let effect = mouse::click(self, x, y);
                playground::bring_cursor(self);
                return effect;
            }
            Msg::Drag(x, y) => mouse::drag(self, x, y),
            Msg::Wheel(x, y, direction) => mouse::wheel(self, x, y, direction),
            Msg::Resize(..) => {
                self.divide();
                self.view.cache.borrow_mut().forget_rows();
                self.reveal();
            }
            Msg::Source(event) => arrival::arrive(self, event),
            Msg::Colours(key, colours) => self.view.cache.borrow_mut().keep_colours(key, colours),
            Msg::Tail(part, tail) => tail_preview::arrive(self, part, tail),
            // These do not concern the text.
            Msg::PathCompleted(_)
            | Msg::ActionWithCount(..)
            | Msg::Typed(_)
            | Msg::Edit(_)
            | Msg::Paste(_)
            | Msg::Notice(_)
            | Msg::RequestTemplate(_)
            | Msg::Failed(_) => {}
        }
        None
    }

    fn prepare_content(&mut self, now: Duration) -> Option<Effect> {
        // The first messages of a replay may make it a recorded session, which has another layout.
        replay::beat(self, now);
        if self.divide() {
            self.reveal();
        }
        self.following.throughput.observe(now, self.view.whole().file().len());
        activity::observe(self, now);
        arrival::prepare(self)
    }

    fn chrome_text(&self) -> ChromeText {
        ChromeText { title: title::title(self), hints: status::hints(self), place: status::place(self) }
    }

    fn draw_body(&self, buffer: &mut Buffer, theme: &Theme) {
        let layout = &self.view.layout;
        for slot in Slot::ALL {
            let Some(area) = layout.area(slot) else { continue };
            let focused = layout.focus == slot;
            bordered(buffer, area, &title::titles(self, slot), focused, theme);
            self.panes.get(layout.pane_in(slot)).draw(buffer, area.inner(), &self.view, focused, theme);
        }
        if let Some(area) = layout.overview() {
            overview::draw(buffer, area, &self.view, theme);
        }
        if let Some(area) = self.replay_bar_area() {
            replay_bar::draw(buffer, area, self, theme);
        }
        compare_list::draw(self, buffer, theme);
    }

    fn help_context(&self) -> HelpContext {
        help_context::help_context(self)
    }

    fn cursor(&self) -> Option<(u16, u16)> {
        let area = self.view.layout.area(self.view.layout.focus)?;
        self.panes.get(self.view.layout.focused()).cursor(&self.view, area.inner())
    }

    fn title(&self) -> TabTitle {
        TabTitle {
            name: title::session_name(&self.view).unwrap_or_else(|| self.view.origin.short().to_owned()),
            live: self.view.is_live(),
            errors: self.view.has_failed() || self.view.failed_exit().is_some(),
            ..TabTitle::default()
        }
    }

    fn way_to_another_tab(&self) -> Option<&'static str> {
        Some("transcope a.txt b.txt opens two")
    }

    fn edited_file(&self) -> Option<&Path> {
        self.view.editor.as_ref()?.path()
    }

    fn next_frame(&self, now: Duration) -> Option<Duration> {
        match &self.replay {
            Some(replay) => replay.next(now),
            None => self.following.activity.next(),
        }
    }

    fn has_work(&self) -> bool {
        self.reparse.is_some()
            || self.is_looking_for_repairs()
            || self.view.is_searching()
            || self.view.session.notes().is_behind(self.view.session.document())
            || self.view.filter.as_ref().is_some_and(|filter| filter.is_behind(&self.view.session))
            || Panes::ALL.iter().any(|&id| self.panes.get(id).has_work(&self.view))
            || self.replay_overview.as_ref().is_some_and(|overview| overview.is_behind())
    }

    fn work(&mut self) -> bool {
        let rereads = reparse::step(self);
        let repairs = repair::step(self);
        let searches = jump::search_step(self);
        let filters = filter::advance(self);
        let finds = self.view.session.notes().is_behind(self.view.session.document()) && self.view.session.find_notes();
        let mut panes_work = false;
        for pane in self.panes.all_mut().filter(|pane| pane.has_work(&self.view)) {
            pane.work(&self.view);
            panes_work |= pane.has_work(&self.view);
        }
        let reads = self.replay_overview.as_mut().is_some_and(|overview| overview.look_ahead());
        rereads || repairs || searches || filters || finds || panes_work || reads
    }

    fn take_uncoloured(&mut self) -> Vec<HighlightRequest> {
        self.view.cache.borrow_mut().take_wanted()
    }
}
