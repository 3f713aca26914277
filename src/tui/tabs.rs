//! Several transcripts, lists and a comparison at once: which one is shown, and what stood in each text before it began anew.
//!
//! A tab that is not shown goes on reading and lays nothing out. This module does not know the terminal.

mod close;
mod compare;
mod text;
mod titles;

use std::path::{Path, PathBuf};

use crate::dialect::Options;
use crate::source::SourceEvent;

use crate::tui::discovery::{DiscoveryEvent, SurveyRequest};
use crate::tui::message::Effect;
use crate::tui::message::Msg;
use crate::tui::message::Navigation;
use crate::tui::message::Place;
use crate::tui::origin::Phase;
use crate::tui::rows::count;
use crate::tui::screen::comparison::{self as comparison, ComparisonScreen};
use crate::tui::screen::sessions::{self, SessionsScreen};
use crate::tui::state::Look;
use crate::tui::state::State;
use crate::tui::update;
use crate::tui::update::update;
pub use close::Interest;
pub use text::Feed;
use text::TextTab;

/// The tabs.
pub struct Tabs {
    all: Vec<Tab>,
    /// Tabs that were given a number.
    numbered: usize,
    shown: usize,
    /// What was shown before that.
    before: Option<usize>,
    /// What a text that is written here is read with where no other text is open.
    options: Options,
    /// Columns and rows of the screen.
    size: (u16, u16),
    /// How the text that was shown last looks.
    look: Option<Look>,
    /// Whether the person was asked if the command is to end.
    asked: bool,
    /// Whether the command was interrupted already.
    interrupted: bool,
    /// A text that was pasted where nothing is typed, until the person says whether it is to be a playground.
    pasted: Option<String>,
}

/// A tab.
enum Tab {
    Text(Box<TextTab>),
    Sessions(Box<SessionsScreen>),
    Comparison(Box<ComparisonScreen>),
}

/// Something that is to have a tab.
pub enum NewTab {
    /// A transcript.
    Text {
        /// The number of its source.
        number: usize,
        /// What it shows.
        state: Box<State>,
        /// Where it is, if it is a file.
        path: Option<PathBuf>,
        /// What the source reads on for, if it can be given up.
        interest: Option<Interest>,
    },
    /// A text that no source feeds: one that is written here, or played again.
    Made(Box<State>),
    /// A list of sessions.
    Sessions(Box<SessionsScreen>),
    /// Two readings side by side.
    Comparison(Box<ComparisonScreen>),
}

/// What the screen shows.
pub enum ShownMut<'a> {
    /// A transcript.
    Text(&'a mut State),
    /// A list of sessions.
    Sessions(&'a mut SessionsScreen),
    /// Two readings side by side.
    Comparison(&'a mut ComparisonScreen),
}

impl Tab {
    fn text(&self) -> Option<&TextTab> {
        if let Tab::Text(tab) = self { Some(tab) } else { None }
    }

    fn text_mut(&mut self) -> Option<&mut TextTab> {
        if let Tab::Text(tab) = self { Some(tab) } else { None }
    }

    fn sessions(&self) -> Option<&SessionsScreen> {
        if let Tab::Sessions(sessions) = self { Some(sessions) } else { None }
    }
}

impl Tabs {
    /// A tab for each of some things on a screen of some size. The first is shown. What is written where no other text
    /// is open is read with `options`.
    ///
    /// # Panics
    /// There is none.
    pub fn new(things: Vec<NewTab>, options: Options, size: (u16, u16)) -> Self {
        assert!(!things.is_empty(), "there is always something to show");
        let mut tabs = Self {
            all: Vec::new(),
            numbered: 0,
            shown: 0,
            before: None,
            options,
            size,
            look: None,
            asked: false,
            interrupted: false,
            pasted: None,
        };
        for new in things {
            tabs.push(new, None);
        }
        if let ShownMut::Text(state) = tabs.shown_mut() {
            state.hidden = false;
        }
        tabs
    }

    /// Adds a tab and shows it.
    pub fn add(&mut self, new: NewTab) {
        let list = self.all[self.shown].sessions().map(|sessions| sessions.number);
        let focus = if let NewTab::Made(state) = &new { Some(state.focus) } else { None };
        self.push(new, list);
        self.show(self.all.len() - 1);
        if let (ShownMut::Text(state), Some(focus)) = (self.shown_mut(), focus) {
            state.focus = focus;
        }
    }

    fn push(&mut self, new: NewTab, list: Option<usize>) {
        let size = self.size;
        let id = self.number();
        self.all.push(match new {
            NewTab::Text { number, mut state, path, interest } => {
                state.size = size;
                state.hidden = true;
                Tab::Text(Box::new(TextTab {
                    id,
                    path,
                    list,
                    interest,
                    ..TextTab::new(Some(Feed::of(number)), *state)
                }))
            }
            NewTab::Made(mut state) => {
                state.size = size;
                state.hidden = true;
                Tab::Text(Box::new(TextTab { id, ..TextTab::new(None, *state) }))
            }
            NewTab::Sessions(mut sessions) => {
                sessions.size = size;
                Tab::Sessions(sessions)
            }
            NewTab::Comparison(mut screen) => {
                screen.size = size;
                Tab::Comparison(screen)
            }
        });
    }

    /// A number that no other tab has.
    fn number(&mut self) -> usize {
        self.numbered += 1;
        self.numbered - 1
    }

    /// What the screen shows.
    pub fn shown_mut(&mut self) -> ShownMut<'_> {
        match &mut self.all[self.shown] {
            Tab::Text(tab) => ShownMut::Text(tab.state_mut()),
            Tab::Sessions(sessions) => ShownMut::Sessions(sessions),
            Tab::Comparison(screen) => ShownMut::Comparison(screen),
        }
    }

    /// The text that the screen shows, if it is one.
    pub fn text(&self) -> Option<&State> {
        self.all[self.shown].text().map(TextTab::state)
    }

    /// Columns and rows of the screen.
    pub fn size(&self) -> (u16, u16) {
        self.size
    }

    /// Whether there is something to be done while nothing happens.
    pub fn has_work(&self) -> bool {
        self.text().is_some_and(State::has_work)
    }

    /// Does a little of that; false when there is nothing to do.
    pub fn work(&mut self) -> bool {
        if let ShownMut::Text(state) = self.shown_mut() { update::work(state) } else { false }
    }

    /// What stands in each tab with a text now, shown or not.
    pub fn now(&self) -> impl Iterator<Item = &State> {
        self.all.iter().filter_map(Tab::text).map(|tab| &tab.now)
    }

    /// The files of lists that are to be looked into. Nothing, while a text that is shown needs the time.
    pub fn wanted(&self) -> Vec<SurveyRequest> {
        match &self.all[self.shown] {
            Tab::Sessions(sessions) => sessions.wanted(),
            Tab::Text(tab) if tab.state().origin.phase == Phase::Loading => Vec::new(),
            Tab::Text(_) | Tab::Comparison(_) => {
                self.all.iter().filter_map(Tab::sessions).flat_map(SessionsScreen::wanted).collect()
            }
        }
    }

    /// Takes in what happened on the screen. What comes back is for the loop alone.
    pub fn update(&mut self, happened: Msg) -> Option<Effect> {
        let is_key = matches!(happened, Msg::Action(_));
        if let Msg::Resize(width, height) = happened {
            self.size = (width, height);
        }
        let effect = self.pass_on(happened);
        let asked = self.asked;
        self.asked &= !is_key;
        match effect? {
            Effect::Compare => self.compare(),
            Effect::Close => return self.close(asked),
            Effect::Go(Navigation::Before) if self.leave_comparison() => {}
            Effect::Go(Navigation::Before) => match self.before {
                Some(before) => self.show(before),
                None => return self.leave(asked),
            },
            Effect::Go(elsewhere) => self.go(elsewhere),
            Effect::Open(path) => match self.all.iter().position(|tab| holds(tab, &path)) {
                Some(index) => self.show(index),
                None => return Some(Effect::Open(path)),
            },
            Effect::Recorded => match self.all.iter().position(|tab| tab.sessions().is_some_and(|l| l.is_recorded)) {
                Some(index) => self.show(index),
                None => return Some(Effect::Recorded),
            },
            Effect::Play(text) => {
                self.play(&text);
                self.say("a playground with what was selected; Esc leaves the text, then [ returns".into());
            }
            // Terminals paste a carriage return for the end of a line.
            Effect::Pasted(text) => self.pasted = Some(text.replace("\r\n", "\n").replace('\r', "\n")),
            Effect::Replay(bytes, name) => {
                let replay = |state: &State| {
                    update::replaying::playing(state, &name, bytes.into(), state.session.container(), None)
                };
                if let Some(state) = self.text().and_then(replay) {
                    self.add(NewTab::Made(Box::new(state)));
                    self.say("P pauses; . and , step; u and U set step and speed; ctrl-w closes the replay".into());
                }
            }
            Effect::Quit => return self.leave(asked),
            Effect::Interrupt => match self.running() {
                Some(name) if !self.interrupted => {
                    self.interrupted = true;
                    self.say(format!("{name} is interrupted; ctrl-c again quits"));
                    return Some(Effect::Interrupt);
                }
                _ => return self.leave(asked),
            },
            effect => return Some(effect),
        }
        None
    }

    /// What the person is asked before anything else, if they are.
    pub fn question(&self) -> Option<String> {
        let lines = self.pasted.as_ref().map(|text| text.lines().count())?;
        Some(format!("open a playground with the {} pasted? y/n", count(lines, "line")))
    }

    /// The person has answered.
    pub fn answer(&mut self, yes: bool) {
        let Some(text) = self.pasted.take().filter(|_| yes) else { return };
        self.play("");
        drop(self.pass_on(Msg::Paste(text)));
        self.say("a playground with what was pasted; Esc leaves the text, then [ returns".into());
    }

    /// Opens a playground with a text.
    fn play(&mut self, text: &str) {
        let like = self.text().or_else(|| self.now().next());
        let options = like.map_or(&self.options, |state| &state.options);
        let Some(mut state) = update::playing::playground(options, text, None) else { return };
        let is_taken = |name: &str| self.now().any(|other| other.origin.name == name);
        let names = (2..).map(|number| format!("playground {number}"));
        if is_taken(&state.origin.name)
            && let Some(name) = names.into_iter().find(|name| !is_taken(name))
        {
            state.origin.name = name;
        }
        self.add(NewTab::Made(Box::new(state)));
    }

    /// Takes in what is told of the files of a list.
    pub fn find(&mut self, number: usize, told: DiscoveryEvent) {
        let screens = self.all.iter_mut().filter_map(|tab| match tab {
            Tab::Sessions(sessions) => Some(sessions),
            Tab::Text(_) | Tab::Comparison(_) => None,
        });
        if let Some(sessions) = screens.into_iter().find(|sessions| sessions.number == number) {
            sessions::update::arrive(sessions, told);
        }
    }

    /// Takes in what a source says.
    pub fn arrive(&mut self, source: usize, event: SourceEvent) {
        match event {
            SourceEvent::Aside(event) => self.arrive_aside(source, *event),
            event => {
                if matches!(event, SourceEvent::CaughtUp | SourceEvent::End | SourceEvent::Failed(_)) {
                    let same = if event == SourceEvent::CaughtUp { SourceEvent::CaughtUp } else { SourceEvent::End };
                    self.pass(Feed { source, aside: true }, same);
                }
                self.pass(Feed::of(source), event);
            }
        }
    }

    /// Before a frame: what the shown state has to know of the others.
    pub fn settle(&mut self) {
        if let Tab::Text(tab) = &mut self.all[self.shown] {
            tab.seen = tab.measure();
        }
        let bar = if self.all.len() > 1 { self.titles() } else { Vec::new() };
        match self.shown_mut() {
            ShownMut::Text(state) => update::settle_bar(state, bar),
            ShownMut::Sessions(sessions) => {
                sessions.bar = bar;
                sessions::update::settle(sessions);
            }
            ShownMut::Comparison(screen) => {
                screen.bar = bar;
                comparison::update::settle(screen);
            }
        }
    }

    /// Gives an event to the tab that a feed leads to.
    fn pass(&mut self, feed: Feed, event: SourceEvent) {
        let mut texts = self.all.iter_mut().filter_map(Tab::text_mut);
        let Some(tab) = texts.find(|tab| tab.feed == Some(feed)) else { return };
        // The loop has nothing to do for what a source says.
        drop(update(&mut tab.now, Msg::Source(event)));
        if let Some(former) = tab.now.former.take() {
            tab.keep(*former);
        }
    }

    /// What comes by standard error is a text of its own, and its lines are events of the command.
    fn arrive_aside(&mut self, source: usize, event: SourceEvent) {
        let is_fed = |tab: &Tab, feed: Feed| tab.text().is_some_and(|tab| tab.feed == Some(feed));
        let Some(at) = self.all.iter().position(|tab| is_fed(tab, Feed::of(source))) else { return };
        let aside = Feed { source, aside: true };
        if !self.all.iter().any(|tab| is_fed(tab, aside)) {
            let Some(beside) = self.all[at].text().and_then(|tab| tab.now.beside()) else { return };
            let id = self.number();
            self.all.insert(at + 1, Tab::Text(Box::new(TextTab { id, ..TextTab::new(Some(aside), beside) })));
            for index in [&mut self.shown].into_iter().chain(&mut self.before) {
                *index += usize::from(*index > at);
            }
        }
        if let (SourceEvent::Chunk(bytes), Some(tab)) = (&event, self.all[at].text_mut()) {
            update::note_aside(&mut tab.now, bytes);
        }
        self.pass(aside, event);
    }

    /// Shows something else.
    fn go(&mut self, elsewhere: Navigation) {
        match elsewhere {
            Navigation::Tab(index) => self.show(index),
            Navigation::NextTab(direction) => {
                let count = self.all.len();
                if count == 1 {
                    return self.say(match self.all[0] {
                        Tab::Text(_) => "no other tab; transcope a.txt b.txt opens two".into(),
                        Tab::Sessions(_) => "no other tab; Enter opens a session".into(),
                        Tab::Comparison(_) => "no other tab".into(),
                    });
                }
                self.show(if direction > 0 { self.shown + 1 } else { self.shown + count - 1 } % count);
            }
            Navigation::NextText(direction) => self.show_text(direction),
            Navigation::Place(place) => self.show_place(place),
            Navigation::Call(tab, offset) => self.show_call(tab, offset),
            Navigation::List => match self.list() {
                Some(index) => self.show(index),
                None => self.say("no list is open: o lists what agents keep, transcope DIR what is in DIR".into()),
            },
            Navigation::Before => self.show(self.before.unwrap_or(self.shown)),
        }
    }

    /// The list that what is shown was opened from, or else the first one.
    fn list(&self) -> Option<usize> {
        let from = self.all[self.shown].text().and_then(|tab| tab.list);
        let is_list =
            |tab: &Tab| tab.sessions().is_some_and(|sessions| from.is_none_or(|from| sessions.number == from));
        self.all.iter().position(is_list)
    }

    fn show(&mut self, index: usize) {
        if index == self.shown || index >= self.all.len() {
            return;
        }
        if let ShownMut::Text(state) = self.shown_mut() {
            state.hidden = true;
            self.look = self.text().map(State::look);
        }
        self.settle();
        self.before = Some(self.shown);
        self.shown = index;
        let (size, look) = (self.size, self.look);
        match self.shown_mut() {
            ShownMut::Text(state) => {
                update::enter(state, look.unwrap_or(state.look()));
                if state.size != size {
                    drop(update(state, Msg::Resize(size.0, size.1)));
                }
            }
            _ => drop(self.pass_on(Msg::Resize(size.0, size.1))),
        }
    }

    /// Shows an earlier or a later text of the same source.
    fn show_text(&mut self, direction: i8) {
        let Some(tab) = self.all[self.shown].text() else { return };
        let count = tab.earlier.len();
        let at = tab.back.unwrap_or(count);
        match direction {
            1 if at == count => self.say("current contents".into()),
            1 => self.look_at(at + 1),
            _ if count == 0 => self.say("no earlier contents: the file has not been truncated or replaced".into()),
            _ if at == 0 => self.say("no earlier contents are kept".into()),
            _ => self.look_at(at - 1),
        }
    }

    /// Shows the text at an index among the earlier ones, or the one that stands there now.
    fn look_at(&mut self, index: usize) {
        let Some(tab) = self.all[self.shown].text_mut() else { return };
        let look = tab.state().look();
        tab.state_mut().hidden = true;
        tab.back = (index < tab.earlier.len()).then_some(index);
        let is_now = tab.back.is_none();
        update::enter(tab.state_mut(), look);
        self.say(if is_now { "current contents".into() } else { "earlier contents; ) returns".into() });
    }

    /// Shows the place of an event.
    fn show_place(&mut self, place: Place) {
        let Some(tab) = self.all[self.shown].text() else { return };
        let found = tab.earlier.iter().position(|state| state.number == place.text);
        let index = if tab.now.number == place.text { Some(tab.earlier.len()) } else { found };
        let Some(index) = index else { return self.say("that text is no longer kept".into()) };
        self.look_at(index);
        if let ShownMut::Text(state) = self.shown_mut() {
            update::go_to(state, place.offset);
        }
    }

    fn say(&mut self, words: String) {
        drop(self.pass_on(Msg::Notice(words)));
    }

    /// Gives what happened to what is shown.
    fn pass_on(&mut self, happened: Msg) -> Option<Effect> {
        match self.shown_mut() {
            ShownMut::Text(state) => update(state, happened),
            ShownMut::Sessions(sessions) => sessions::update::update(sessions, happened),
            ShownMut::Comparison(screen) => comparison::update::update(screen, happened),
        }
    }
}

/// Whether a tab shows the file at a path.
fn holds(tab: &Tab, path: &Path) -> bool {
    tab.text().is_some_and(|tab| tab.path.as_deref() == Some(path))
}

#[cfg(test)]
mod tests;
