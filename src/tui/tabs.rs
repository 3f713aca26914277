//! Several transcripts, lists and a comparison at once: which one is shown, and what stood in each text before it began anew.
//!
//! A tab that is not shown goes on reading and lays nothing out. This module does not know the terminal.

mod closing;
mod comparing;
mod headings;
mod text;

use std::path::{Path, PathBuf};

use crate::dialect::Options;
use crate::source::SourceEvent;

use crate::tui::message::Effect;
use crate::tui::message::Msg;
use crate::tui::message::Navigation;
use crate::tui::message::Place;
use crate::tui::row::count;
use crate::tui::screen::comparison::{self as comparison, Comparing};
use crate::tui::screen::sessions::finding::Told;
use crate::tui::screen::sessions::survey::Wanted;
use crate::tui::screen::sessions::{self, Listing};
use crate::tui::screen::transcript;
use crate::tui::screen::transcript::Look;
use crate::tui::screen::transcript::Transcript;
use crate::tui::view::origin::Phase;
pub use closing::Interest;
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
    Listing(Box<Listing>),
    Comparing(Box<Comparing>),
}

/// Something that is to have a tab.
pub enum New {
    /// A transcript.
    Text {
        /// The number of its source.
        number: usize,
        /// What it shows.
        state: Box<Transcript>,
        /// Where it is, if it is a file.
        path: Option<PathBuf>,
        /// What the source reads on for, if it can be given up.
        interest: Option<Interest>,
    },
    /// A text that no source feeds: one that is written here, or played again.
    Made(Box<Transcript>),
    /// A list of sessions.
    Listing(Box<Listing>),
    /// Two readings side by side.
    Comparing(Box<Comparing>),
}

/// What the screen shows.
pub enum ShownMut<'a> {
    /// A transcript.
    Text(&'a mut Transcript),
    /// A list of sessions.
    Listing(&'a mut Listing),
    /// Two readings side by side.
    Comparing(&'a mut Comparing),
}

impl Tab {
    fn text(&self) -> Option<&TextTab> {
        if let Tab::Text(tab) = self { Some(tab) } else { None }
    }

    fn text_mut(&mut self) -> Option<&mut TextTab> {
        if let Tab::Text(tab) = self { Some(tab) } else { None }
    }

    fn listing(&self) -> Option<&Listing> {
        if let Tab::Listing(listing) = self { Some(listing) } else { None }
    }
}

impl Tabs {
    /// A tab for each of some things on a screen of some size. The first is shown. What is written where no other text
    /// is open is read with `options`.
    ///
    /// # Panics
    /// There is none.
    pub fn new(things: Vec<New>, options: Options, size: (u16, u16)) -> Self {
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
            state.view.hidden = false;
        }
        tabs
    }

    /// Adds a tab and shows it.
    pub fn add(&mut self, new: New) {
        let list = self.all[self.shown].listing().map(|listing| listing.number);
        let focus = if let New::Made(state) = &new { Some(state.view.layout.focus) } else { None };
        self.push(new, list);
        self.show(self.all.len() - 1);
        if let (ShownMut::Text(state), Some(focus)) = (self.shown_mut(), focus) {
            state.view.layout.focus = focus;
        }
    }

    fn push(&mut self, new: New, list: Option<usize>) {
        let size = self.size;
        let id = self.number();
        self.all.push(match new {
            New::Text { number, mut state, path, interest } => {
                state.view.layout.size = size;
                state.view.hidden = true;
                Tab::Text(Box::new(TextTab {
                    id,
                    path,
                    list,
                    interest,
                    ..TextTab::new(Some(Feed::of(number)), *state)
                }))
            }
            New::Made(mut state) => {
                state.view.layout.size = size;
                state.view.hidden = true;
                Tab::Text(Box::new(TextTab { id, ..TextTab::new(None, *state) }))
            }
            New::Listing(mut listing) => {
                listing.size = size;
                Tab::Listing(listing)
            }
            New::Comparing(mut comparing) => {
                comparing.size = size;
                Tab::Comparing(comparing)
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
            Tab::Listing(listing) => ShownMut::Listing(listing),
            Tab::Comparing(comparing) => ShownMut::Comparing(comparing),
        }
    }

    /// The text that the screen shows, if it is one.
    pub fn text(&self) -> Option<&Transcript> {
        self.all[self.shown].text().map(TextTab::state)
    }

    /// Columns and rows of the screen.
    pub fn size(&self) -> (u16, u16) {
        self.size
    }

    /// Whether there is something to be done while nothing happens.
    pub fn has_work(&self) -> bool {
        self.text().is_some_and(Transcript::has_work)
    }

    /// Does a little of that; false when there is nothing to do.
    pub fn work(&mut self) -> bool {
        if let ShownMut::Text(state) = self.shown_mut() { transcript::work(state) } else { false }
    }

    /// What stands in each tab with a text now, shown or not.
    pub fn now(&self) -> impl Iterator<Item = &Transcript> {
        self.all.iter().filter_map(Tab::text).map(|tab| &tab.now)
    }

    /// The files of lists that are to be looked into. Nothing, while a text that is shown needs the time.
    pub fn wanted(&self) -> Vec<Wanted> {
        match &self.all[self.shown] {
            Tab::Listing(listing) => listing.wanted(),
            Tab::Text(tab) if tab.state().view.origin.phase == Phase::Loading => Vec::new(),
            Tab::Text(_) | Tab::Comparing(_) => {
                self.all.iter().filter_map(Tab::listing).flat_map(Listing::wanted).collect()
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
            Effect::Recorded => match self.all.iter().position(|tab| tab.listing().is_some_and(|l| l.is_recorded)) {
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
                let replay = |state: &Transcript| {
                    transcript::replay::playing(state, &name, bytes.into(), state.view.session.container(), None)
                };
                if let Some(state) = self.text().and_then(replay) {
                    self.add(New::Made(Box::new(state)));
                    self.say("P pauses; . and , step; u and U set step and speed; ctrl-w closes it".into());
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
        let options = like.map_or(&self.options, |state| &state.view.options);
        let Some(mut state) = transcript::playground::playground(options, text, None) else { return };
        let is_taken = |name: &str| self.now().any(|other| other.view.origin.name == name);
        let names = (2..).map(|number| format!("playground {number}"));
        if is_taken(&state.view.origin.name)
            && let Some(name) = names.into_iter().find(|name| !is_taken(name))
        {
            state.view.origin.name = name;
        }
        self.add(New::Made(Box::new(state)));
    }

    /// Takes in what is told of the files of a list.
    pub fn find(&mut self, number: usize, told: Told) {
        let listings = self.all.iter_mut().filter_map(|tab| match tab {
            Tab::Listing(listing) => Some(listing),
            Tab::Text(_) | Tab::Comparing(_) => None,
        });
        if let Some(listing) = listings.into_iter().find(|listing| listing.number == number) {
            sessions::update::arrive(listing, told);
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
        let bar = if self.all.len() > 1 { self.headings() } else { Vec::new() };
        match self.shown_mut() {
            ShownMut::Text(state) => transcript::show_tab_bar(state, bar),
            ShownMut::Listing(listing) => {
                listing.bar = bar;
                sessions::update::settle(listing);
            }
            ShownMut::Comparing(comparing) => {
                comparing.bar = bar;
                comparison::update::settle(comparing);
            }
        }
    }

    /// Gives an event to the tab that a feed leads to.
    fn pass(&mut self, feed: Feed, event: SourceEvent) {
        let mut texts = self.all.iter_mut().filter_map(Tab::text_mut);
        let Some(tab) = texts.find(|tab| tab.feed == Some(feed)) else { return };
        // The loop has nothing to do for what a source says.
        drop(transcript::update(&mut tab.now, Msg::Source(event)));
        if let Some(former) = tab.now.previous_contents.take() {
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
            transcript::note_stderr(&mut tab.now, bytes);
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
                        Tab::Listing(_) => "no other tab; Enter opens a session".into(),
                        Tab::Comparing(_) => "no other tab".into(),
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
        let is_list = |tab: &Tab| tab.listing().is_some_and(|listing| from.is_none_or(|from| listing.number == from));
        self.all.iter().position(is_list)
    }

    fn show(&mut self, index: usize) {
        if index == self.shown || index >= self.all.len() {
            return;
        }
        if let ShownMut::Text(state) = self.shown_mut() {
            state.view.hidden = true;
            self.look = self.text().map(Transcript::look);
        }
        self.settle();
        self.before = Some(self.shown);
        self.shown = index;
        let (size, look) = (self.size, self.look);
        match self.shown_mut() {
            ShownMut::Text(state) => {
                transcript::enter(state, look.unwrap_or(state.look()));
                if state.view.layout.size != size {
                    drop(transcript::update(state, Msg::Resize(size.0, size.1)));
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
        tab.state_mut().view.hidden = true;
        tab.back = (index < tab.earlier.len()).then_some(index);
        let is_now = tab.back.is_none();
        transcript::enter(tab.state_mut(), look);
        self.say(if is_now { "current contents".into() } else { "earlier contents; ) returns".into() });
    }

    /// Shows the place of an event.
    fn show_place(&mut self, place: Place) {
        let Some(tab) = self.all[self.shown].text() else { return };
        let found = tab.earlier.iter().position(|state| state.view.number == place.text);
        let index = if tab.now.view.number == place.text { Some(tab.earlier.len()) } else { found };
        let Some(index) = index else { return self.say("that text is no longer kept".into()) };
        self.look_at(index);
        if let ShownMut::Text(state) = self.shown_mut() {
            transcript::go_to(state, place.offset);
        }
    }

    fn say(&mut self, words: String) {
        drop(self.pass_on(Msg::Notice(words)));
    }

    /// Gives what happened to what is shown.
    fn pass_on(&mut self, happened: Msg) -> Option<Effect> {
        match self.shown_mut() {
            ShownMut::Text(state) => transcript::update(state, happened),
            ShownMut::Listing(listing) => sessions::update::update(listing, happened),
            ShownMut::Comparing(comparing) => comparison::update::update(comparing, happened),
        }
    }
}

/// Whether a tab shows the file at a path.
fn holds(tab: &Tab, path: &Path) -> bool {
    tab.text().is_some_and(|tab| tab.path.as_deref() == Some(path))
}

#[cfg(test)]
mod tests;
