//! Tabs: several screens, one of them shown, and the earlier contents of each text.
//!
//! A hidden tab continues to read, but lays nothing out.

mod close;
mod compare;
mod lens;
mod navigation;
mod statistics;
mod template;
mod text;

use std::any::Any;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crossterm::event::Event;

use crate::config::panes::PaneSizes;
use crate::dialect::Options;
use crate::source::SourceEvent;

use crate::filter::SavedFilters;
use crate::tui::action::PaneId;
use crate::tui::age::Calendar;
use crate::tui::cancel_guard::CancelGuard;
use crate::tui::discovery::{DiscoveryEvent, IndexRequest};
use crate::tui::input;
use crate::tui::keymap::Keymap;
use crate::tui::message::{ChosenRequest, Effect, Msg, TabTitle, Task};
use crate::tui::row::count;
use crate::tui::screen::Screen;
use crate::tui::screen::sessions::{self, SessionsScreen};
use crate::tui::screen::statistics::StatisticsScreen;
use crate::tui::screen::template::TemplateScreen;
use crate::tui::screen::transcript::{Transcript, ViewOptions};
use crate::tui::view::origin::Phase;
pub use text::Feed;
use text::{ListTab, TextTab};

/// All open tabs.
pub struct Tabs {
    all: Vec<Tab>,
    /// Number of ids assigned so far.
    numbered: usize,
    shown: usize,
    /// The tab that was shown before.
    before: Option<usize>,
    /// Options for a playground that is opened while no other text is open.
    options: Options,
    /// Columns and rows of the screen.
    pub size: (u16, u16),
    /// The key bindings, passed to the current screen.
    pub keymap: Arc<Keymap>,
    /// The named filters.
    pub filters: Arc<SavedFilters>,
    /// Configured keys of arguments that identify a call best; they take precedence over the built-in ones.
    pub main_arguments: Arc<[String]>,
    /// The current date, to recognise releases that are out of date.
    pub calendar: Calendar,
    /// Layout and switches of the text that was shown last.
    look: Option<ViewOptions>,
    /// Pane sizes that the user chose in an earlier run.
    sizes: PaneSizes,
    /// The chat template that a session was shown with last.
    template_used: Option<PathBuf>,
    /// Settings of the request that the lens reads answers to.
    lens_request: ChosenRequest,
    /// True if the user was just asked to confirm that something may be lost.
    asked: bool,
    /// True if the command has already been interrupted.
    interrupted: bool,
    /// Text pasted outside of an editor, until the user decides whether to open a playground with it.
    pasted: Option<String>,
}

enum Tab {
    Text(Box<TextTab>),
    Screen(Box<dyn Screen>),
}

/// The contents of a new tab.
pub enum NewTab {
    /// A transcript fed by a source.
    Text {
        /// Number of the source.
        number: usize,
        /// The transcript.
        state: Box<Transcript>,
        /// The file, if the source is one.
        path: Option<PathBuf>,
        /// Cancels the source when it is dropped, if it can be cancelled.
        cancel_guard: Option<CancelGuard>,
    },
    /// A text without a source: a playground or a replay.
    Made(Box<Transcript>),
    /// Any other screen.
    Screen(Box<dyn Screen>),
}

impl NewTab {
    /// Filters a transcript, or a list of sessions by content.
    pub fn filter_by(&mut self, filter: Option<&str>) {
        match (self, filter) {
            (NewTab::Text { state, .. } | NewTab::Made(state), Some(filter)) => state.filter_by(filter),
            (NewTab::Screen(screen), Some(filter)) => screen.filter_by(filter),
            (_, None) => {}
        }
    }
}

impl Tab {
    fn screen(&self) -> &dyn Screen {
        match self {
            Tab::Text(tab) => tab.state(),
            Tab::Screen(screen) => &**screen,
        }
    }

    fn screen_mut(&mut self) -> &mut dyn Screen {
        match self {
            Tab::Text(tab) => tab.state_mut(),
            Tab::Screen(screen) => &mut **screen,
        }
    }

    /// The screen, if it has this type.
    fn of_kind<S: Screen>(&self) -> Option<&S> {
        let Tab::Screen(screen) = self else { return None };
        (&**screen as &dyn Any).downcast_ref()
    }

    /// Like [`of_kind`](Self::of_kind), to be changed.
    fn of_kind_mut<S: Screen>(&mut self) -> Option<&mut S> {
        let Tab::Screen(screen) = self else { return None };
        (&mut **screen as &mut dyn Any).downcast_mut()
    }

    /// The title of the screen; for a text that of its current contents, with marks for changes since it was last
    /// shown.
    fn title(&self) -> TabTitle {
        let Tab::Text(tab) = self else { return self.screen().title() };
        let (bytes, errors) = tab.measure();
        let title = tab.now.title();
        let unseen = errors.saturating_sub(tab.seen.1);
        TabTitle { more: bytes > tab.seen.0, errors: title.errors || unseen > 0, unseen, ..title }
    }

    fn text(&self) -> Option<&TextTab> {
        if let Tab::Text(tab) = self { Some(tab) } else { None }
    }

    fn text_mut(&mut self) -> Option<&mut TextTab> {
        if let Tab::Text(tab) = self { Some(tab) } else { None }
    }

    /// The list or session that the tab is, if texts can be opened from it.
    fn list(&self) -> Option<ListTab> {
        if let Tab::Text(tab) = self {
            return Some(ListTab::Session(tab.id));
        }
        let sessions = self.of_kind().map(|screen: &SessionsScreen| ListTab::Sessions(screen.number));
        sessions.or_else(|| self.of_kind().map(|screen: &StatisticsScreen| ListTab::Statistics(screen.tab)))
    }
}

impl Tabs {
    /// Opens a tab for each element on a screen of the given size and shows the first. `options` apply to playgrounds
    /// opened while no other text is open.
    ///
    /// # Panics
    /// If `things` is empty.
    pub fn new(things: Vec<NewTab>, options: Options, size: (u16, u16)) -> Self {
        assert!(!things.is_empty(), "there is always something to show");
        let mut tabs = Self {
            all: Vec::new(),
            numbered: 0,
            shown: 0,
            before: None,
            options,
            size,
            keymap: Keymap::built_in(),
            filters: Arc::default(),
            main_arguments: Arc::default(),
            look: None,
            sizes: PaneSizes::default(),
            template_used: None,
            lens_request: ChosenRequest::default(),
            asked: false,
            interrupted: false,
            calendar: Calendar::default(),
            pasted: None,
        };
        for new in things {
            tabs.push(new, None);
        }
        if let Some(tab) = tabs.all[0].text_mut() {
            tab.state_mut().view.hidden = false;
        }
        tabs
    }

    /// Sets the pane sizes of all texts, including ones opened later.
    pub fn set_pane_sizes(&mut self, sizes: PaneSizes) {
        self.sizes = sizes;
        self.all.iter_mut().filter_map(Tab::text_mut).for_each(|tab| tab.state_mut().view.layout.sizes = sizes);
    }

    /// The pane sizes that the user chose last.
    pub fn pane_sizes(&self) -> PaneSizes {
        let shown = self.all[self.shown].text().map(|tab| tab.state().view.layout.sizes);
        shown.or(self.look.map(|look| look.layout.sizes)).unwrap_or(self.sizes)
    }

    /// Adds a tab and shows it.
    pub fn add(&mut self, mut new: NewTab) {
        let list = self.all[self.shown].list();
        let layout = if let NewTab::Made(state) = &new { Some(state.view.layout) } else { None };
        let sessions: Option<&SessionsScreen> = self.all[self.shown].of_kind();
        let filter = sessions.and_then(|screen| screen.content_filter.as_deref());
        new.filter_by(filter);
        self.push(new, list);
        self.show(self.all.len() - 1);
        if let (Some(tab), Some(layout)) = (self.all[self.shown].text_mut(), layout) {
            let shown = &mut tab.state_mut().view.layout;
            shown.focus = layout.focus;
            if layout.bottom == PaneId::DeclarationEditor {
                shown.bottom = layout.bottom;
            }
        }
    }

    fn push(&mut self, new: NewTab, list: Option<ListTab>) {
        let id = self.number();
        let mut tab = match new {
            NewTab::Text { number, state, path, cancel_guard } => {
                let plain = TextTab::new(Some(Feed::new(number)), *state);
                Tab::Text(Box::new(TextTab { id, path, list, cancel_guard, ..plain }))
            }
            NewTab::Made(state) => Tab::Text(Box::new(TextTab { id, ..TextTab::new(None, *state) })),
            NewTab::Screen(screen) => Tab::Screen(screen),
        };
        if let Some(screen) = tab.of_kind_mut::<StatisticsScreen>() {
            screen.tab = id;
        }
        if let Some(screen) = tab.of_kind_mut::<TemplateScreen>() {
            screen.tab = id;
        }
        // A resize makes no requests.
        drop(tab.screen_mut().update(Msg::Resize(self.size.0, self.size.1)));
        if let Some(tab) = tab.text_mut() {
            tab.now.view.hidden = true;
            tab.now.view.layout.sizes = self.sizes;
        }
        self.all.push(tab);
    }

    /// Shows a screen in place of the existing one of its type, or in a new last tab.
    fn show_only<S: Screen>(&mut self, mut screen: S) {
        // A resize makes no requests.
        drop(screen.update(Msg::Resize(self.size.0, self.size.1)));
        let known = self.all.iter().position(|tab| tab.of_kind::<S>().is_some());
        self.put(known, Tab::Screen(Box::new(screen)));
    }

    /// Shows a tab in place of the one at an index, or as a new last tab.
    fn put(&mut self, at: Option<usize>, tab: Tab) {
        let index = at.unwrap_or(self.all.len());
        self.all.splice(index..index + usize::from(at.is_some()), [tab]);
        self.show(index);
    }

    /// A new unique id.
    fn number(&mut self) -> usize {
        self.numbered += 1;
        self.numbered - 1
    }

    /// The current screen.
    pub fn shown(&self) -> &dyn Screen {
        self.all[self.shown].screen()
    }

    /// The current screen, to be changed.
    pub fn shown_mut(&mut self) -> &mut dyn Screen {
        self.all[self.shown].screen_mut()
    }

    /// The current screen, if it is a text.
    pub fn text(&self) -> Option<&Transcript> {
        self.all[self.shown].text().map(TextTab::state)
    }

    /// The current contents of every text tab, hidden or not.
    pub fn now(&self) -> impl Iterator<Item = &Transcript> {
        self.all.iter().filter_map(Tab::text).map(|tab| &tab.now)
    }

    /// The texts monitored by alerts, each with the id of its tab: all except standard error.
    pub fn monitored(&self) -> impl Iterator<Item = (usize, &Transcript)> {
        let texts = self.all.iter().filter_map(Tab::text);
        texts.filter(|tab| tab.feed.is_none_or(|feed| !feed.aside)).map(|tab| (tab.id, &tab.now))
    }

    /// The listed files to index next. Empty while a visible text is loading and needs the time.
    pub fn wanted(&self) -> Vec<IndexRequest> {
        let shown = &self.all[self.shown];
        match (shown.of_kind::<SessionsScreen>(), shown.text()) {
            (Some(screen), _) => screen.wanted(),
            (_, Some(tab)) if tab.state().view.origin.phase == Phase::Loading => Vec::new(),
            (_, Some(tab)) if tab.state().chrome.lists_runs() => tab.state().wanted_runs(),
            _ => self.all.iter().filter_map(Tab::of_kind).flat_map(SessionsScreen::wanted).collect(),
        }
    }

    /// The titles of all tabs.
    fn titles(&self) -> Vec<TabTitle> {
        let mut titles: Vec<TabTitle> = self.all.iter().map(Tab::title).collect();
        let names: Vec<String> = titles.iter().map(|title| title.name.clone()).collect();
        titles[self.shown].shown = true;
        for ((tab, title), name) in self.all.iter().zip(&mut titles).zip(&names) {
            // Files with the same name are distinguished by their folders.
            if let Some(tab) = tab.text().filter(|_| names.iter().filter(|other| *other == name).count() > 1) {
                title.name.clone_from(&tab.now.view.origin.name);
            }
        }
        titles
    }

    /// Translates a terminal event for the current screen; a click on the name of a key counts as that key.
    pub fn message(&self, event: Event) -> Option<Msg> {
        let shown = self.shown();
        let event = input::on_key(event, |x, y| shown.key_at(x, y));
        input::message(shown.input_mode(), event, &self.keymap)
    }

    /// Passes a message to the current screen and carries out navigation. The returned task is for the event loop only.
    pub fn update(&mut self, msg: Msg) -> Option<Task> {
        let is_key = matches!(msg, Msg::Action(_));
        if let Msg::Resize(width, height) = msg {
            self.size = (width, height);
        }
        let effect = self.shown_mut().update(msg);
        let was_asked = self.asked;
        self.asked &= !is_key;
        match effect? {
            Effect::Go(navigation) => self.go(navigation, was_asked),
            Effect::Run(task) => Some(task),
        }
    }

    /// The question that the user must answer before anything else, if any.
    pub fn question(&self) -> Option<String> {
        let lines = self.pasted.as_ref().map(|text| text.lines().count())?;
        Some(format!("open a playground with the {} pasted? y/n", count(lines, "line")))
    }

    /// Handles the answer to [`question`](Self::question).
    pub fn answer(&mut self, yes: bool) {
        let Some(text) = self.pasted.take().filter(|_| yes) else { return };
        self.play("");
        // Inserts it as if it were typed.
        drop(self.shown_mut().update(Msg::Paste(text)));
        self.notify("a playground with what was pasted; Esc leaves the text, then [ returns");
    }

    /// Delivers an event of the discovery of a list's files.
    pub fn discover(&mut self, number: usize, event: DiscoveryEvent) {
        if let DiscoveryEvent::Summary(summary) = &event
            && self.all.iter_mut().filter_map(Tab::text_mut).any(|tab| tab.state_mut().takes_run(number, summary))
        {
            return;
        }
        let mut screens = self.all.iter_mut().filter_map(Tab::of_kind_mut);
        if let Some(screen) = screens.find(|screen: &&mut SessionsScreen| screen.number == number) {
            let is_end = matches!(event, DiscoveryEvent::Done(_));
            sessions::update::arrive(screen, event);
            if is_end {
                self.note_written_since();
            }
        }
    }

    /// Delivers an event of a source.
    pub fn arrive(&mut self, source: usize, event: SourceEvent) {
        match event {
            SourceEvent::Stderr(event) => self.arrive_aside(source, *event),
            event => {
                if matches!(event, SourceEvent::CaughtUp | SourceEvent::End | SourceEvent::Failed(_)) {
                    let same = if event == SourceEvent::CaughtUp { SourceEvent::CaughtUp } else { SourceEvent::End };
                    self.deliver(Feed { source, aside: true }, same);
                }
                self.deliver(Feed::new(source), event);
            }
        }
    }

    /// Prepares a frame; `now` is the time since the program started. The returned task is for the event loop only.
    pub fn prepare(&mut self, now: Duration) -> Option<Task> {
        self.note_seen();
        let titles = if self.all.len() > 1 { self.titles() } else { Vec::new() };
        let (keymap, filters) = (Arc::clone(&self.keymap), Arc::clone(&self.filters));
        let level_above = self.level_above().map(|above| self.all[above].text().map_or("list", |_| "parent"));
        let chrome = self.shown_mut().chrome_mut();
        (chrome.keymap, chrome.filters, chrome.level_above) = (keymap, filters, level_above);
        let main_arguments = Arc::clone(&self.main_arguments);
        if let Some(tab) = self.all[self.shown].text_mut() {
            tab.state_mut().view.main_arguments = main_arguments;
        }
        let effect = self.shown_mut().prepare(titles, now);
        if self.all.len() > 1 {
            // Titles may have changed: a replay takes the title of its session with the first messages.
            self.note_seen();
            self.shown_mut().chrome_mut().tab_bar = self.titles();
        }
        match effect {
            Some(Effect::Go(navigation)) => self.go(navigation, false),
            Some(Effect::Run(task)) => Some(task),
            None => self.awaited_comparison(),
        }
    }

    /// Records that everything in the current text has been seen.
    fn note_seen(&mut self) {
        if let Some(tab) = self.all[self.shown].text_mut() {
            tab.seen = tab.measure();
        }
    }

    /// Delivers an event to the tab of a feed.
    fn deliver(&mut self, feed: Feed, event: SourceEvent) {
        let mut texts = self.all.iter_mut().filter_map(Tab::text_mut);
        let Some(tab) = texts.find(|tab| tab.feed == Some(feed)) else { return };
        // Events of a source require nothing of the event loop.
        drop(tab.now.update(Msg::Source(event)));
        if let Some(former) = tab.now.previous_contents.take() {
            tab.keep(*former);
        }
    }

    /// Delivers the standard error of a command: its tab is added on the first event, and its lines are also logged as
    /// events of the command.
    fn arrive_aside(&mut self, source: usize, event: SourceEvent) {
        let is_fed = |tab: &Tab, feed: Feed| tab.text().is_some_and(|tab| tab.feed == Some(feed));
        let Some(at) = self.all.iter().position(|tab| is_fed(tab, Feed::new(source))) else { return };
        let aside = Feed { source, aside: true };
        if !self.all.iter().any(|tab| is_fed(tab, aside)) {
            let Some(beside) = self.all[at].text().map(|tab| tab.now.stderr_transcript()) else { return };
            let id = self.number();
            self.all.insert(at + 1, Tab::Text(Box::new(TextTab { id, ..TextTab::new(Some(aside), beside) })));
            for index in [&mut self.shown].into_iter().chain(&mut self.before) {
                *index += usize::from(*index > at);
            }
        }
        if let (SourceEvent::Chunk(bytes), Some(tab)) = (&event, self.all[at].text_mut()) {
            tab.now.log_stderr(bytes);
        }
        self.deliver(aside, event);
    }

    /// Shows a message on the current screen.
    fn notify(&mut self, words: impl Into<String>) {
        // A message makes no requests.
        drop(self.shown_mut().update(Msg::Notice(words.into())));
    }
}

#[cfg(test)]
mod tests;
