//! Several transcripts at once: which one is shown, and what stood in each before it began anew.
//!
//! A tab that is not shown goes on reading and lays nothing out. This module does not know the terminal.

use std::collections::VecDeque;

use crate::source::SourceEvent;

use super::events::Place;
use super::state::{Heading, State};
use super::update::{self, Effect, Elsewhere, Happened, update};

/// Texts that stood in a source before and are kept.
const EARLIER: usize = 8;

/// Bytes of those texts together beyond which the oldest give way; the last one is kept whatever its length.
const EARLIER_BYTES: usize = 64 << 20;

/// The tabs.
pub struct Tabs {
    all: Vec<Tab>,
    shown: usize,
    /// Whether the person was asked if the command is to end.
    asked: bool,
    /// Whether the command was interrupted already.
    interrupted: bool,
}

/// One source.
struct Tab {
    /// Which source feeds it, and by which of its streams; none feeds a playground.
    feed: Option<Feed>,
    /// The text that stands there now.
    now: State,
    /// What stood there before, the oldest first.
    earlier: VecDeque<State>,
    /// Which of those is looked at, if any.
    back: Option<usize>,
    /// Bytes and errors when it was last shown.
    seen: (usize, usize),
}

/// Where the bytes of a tab come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Feed {
    /// The number of the source.
    pub source: usize,
    /// Whether it is the text that a command writes beside its output.
    pub aside: bool,
}

impl Feed {
    /// What a source gives first of all.
    pub fn of(source: usize) -> Self {
        Self { source, aside: false }
    }
}

impl Tab {
    fn new(feed: Option<Feed>, now: State) -> Self {
        Self { feed, now, earlier: VecDeque::new(), back: None, seen: (0, 0) }
    }

    fn state(&self) -> &State {
        self.back.and_then(|index| self.earlier.get(index)).unwrap_or(&self.now)
    }

    fn state_mut(&mut self) -> &mut State {
        match self.back.and_then(|index| self.earlier.get_mut(index)) {
            Some(earlier) => earlier,
            None => &mut self.now,
        }
    }

    fn measure(&self) -> (usize, usize) {
        (self.now.whole().text().len(), self.now.totals().0)
    }

    /// Keeps what stood there before, within bounds.
    fn keep(&mut self, former: State) {
        self.earlier.push_back(former);
        let bytes = |earlier: &VecDeque<State>| earlier.iter().map(|state| state.session.text().len()).sum::<usize>();
        while self.earlier.len() > 1 && (self.earlier.len() > EARLIER || bytes(&self.earlier) > EARLIER_BYTES) {
            self.earlier.pop_front();
            // Whoever looks at the oldest one looks at the one behind it now.
            self.back = self.back.map(|index| index.saturating_sub(1));
        }
    }
}

impl Tabs {
    /// A tab for each of some states, fed by the sources of these numbers. The first is shown.
    ///
    /// # Panics
    /// There is none.
    pub fn new(states: Vec<State>) -> Self {
        assert!(!states.is_empty(), "there is always something to show");
        let mut tabs: Vec<Tab> =
            states.into_iter().enumerate().map(|(number, state)| Tab::new(Some(Feed::of(number)), state)).collect();
        for tab in &mut tabs[1..] {
            tab.now.hidden = true;
        }
        Self { all: tabs, shown: 0, asked: false, interrupted: false }
    }

    /// What the screen shows.
    pub fn shown(&self) -> &State {
        self.all[self.shown].state()
    }

    /// What the screen shows.
    pub fn shown_mut(&mut self) -> &mut State {
        self.all[self.shown].state_mut()
    }

    /// Adds a tab that no source feeds, and shows it.
    fn add(&mut self, state: State) {
        let focus = state.focus;
        self.all.push(Tab::new(None, state));
        self.show(self.all.len() - 1);
        self.shown_mut().focus = focus;
    }

    /// What stands in each tab now, shown or not.
    pub fn now(&self) -> impl Iterator<Item = &State> {
        self.all.iter().map(|tab| &tab.now)
    }

    /// Takes in what happened on the screen. What comes back is for the loop alone.
    pub fn update(&mut self, happened: Happened) -> Option<Effect> {
        let is_key = matches!(happened, Happened::Action(_));
        let effect = update(self.shown_mut(), happened);
        let asked = self.asked;
        self.asked &= !is_key;
        match effect? {
            Effect::Go(elsewhere) => {
                self.go(elsewhere);
                None
            }
            Effect::Play(text) => {
                if let Some(state) = update::playing::playground(self.shown(), &text, None) {
                    self.add(state);
                    self.say("a playground with what was selected; Esc leads to the panes, [ back".into());
                }
                None
            }
            Effect::Replay(bytes, name) => {
                let container = self.shown().session.container();
                let state = update::replaying::replay(self.shown(), &name, bytes.into(), container, None);
                if let Some(state) = state {
                    self.add(state);
                    self.say(
                        "P plays, . and , go a step on and back, u and U set steps and speed; [ leads back".into(),
                    );
                }
                None
            }
            Effect::Quit => self.leave(asked),
            Effect::Interrupt => match self.running() {
                Some(name) if !self.interrupted => {
                    self.interrupted = true;
                    self.say(format!("{name} is interrupted; ctrl-c again to leave"));
                    Some(Effect::Interrupt)
                }
                _ => self.leave(asked),
            },
            effect => Some(effect),
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
        let tab = &mut self.all[self.shown];
        tab.seen = tab.measure();
        let bar = if self.all.len() > 1 { self.headings() } else { Vec::new() };
        update::settle_bar(self.shown_mut(), bar);
    }

    fn headings(&self) -> Vec<Heading> {
        let name = |tab: &Tab| tab.now.origin.short().to_owned();
        let names: Vec<String> = self.all.iter().map(name).collect();
        let heading = |(index, tab): (usize, &Tab)| {
            let (bytes, errors) = tab.measure();
            // Files of the same name are told apart by their folders.
            let is_unique = names.iter().filter(|name| **name == names[index]).count() == 1;
            Heading {
                name: if is_unique { names[index].clone() } else { tab.now.origin.name.clone() },
                shown: index == self.shown,
                live: tab.now.is_live(),
                more: bytes > tab.seen.0,
                errors: errors > tab.seen.1 || tab.now.has_failed(),
            }
        };
        self.all.iter().enumerate().map(heading).collect()
    }

    /// Gives an event to the tab that a feed leads to.
    fn pass(&mut self, feed: Feed, event: SourceEvent) {
        let Some(tab) = self.all.iter_mut().find(|tab| tab.feed == Some(feed)) else { return };
        // The loop has nothing to do for what a source says.
        drop(update(&mut tab.now, Happened::Source(event)));
        if let Some(former) = tab.now.former.take() {
            tab.keep(*former);
        }
    }

    /// What comes by standard error is a text of its own, and its lines are events of the command.
    fn arrive_aside(&mut self, source: usize, event: SourceEvent) {
        let Some(at) = self.all.iter().position(|tab| tab.feed == Some(Feed::of(source))) else { return };
        let aside = Feed { source, aside: true };
        if !self.all.iter().any(|tab| tab.feed == Some(aside)) {
            let Some(beside) = self.all[at].now.beside() else { return };
            self.all.insert(at + 1, Tab::new(Some(aside), beside));
            if self.shown > at {
                self.shown += 1;
            }
        }
        if let SourceEvent::Chunk(bytes) = &event {
            update::note_aside(&mut self.all[at].now, bytes);
        }
        self.pass(aside, event);
    }

    /// Shows something else.
    fn go(&mut self, elsewhere: Elsewhere) {
        match elsewhere {
            Elsewhere::Tab(index) => self.show(index),
            Elsewhere::NextTab(direction) => {
                let count = self.all.len();
                if count == 1 {
                    return self.say("there is one file; transcope a.txt b.txt opens two".into());
                }
                self.show(if direction > 0 { self.shown + 1 } else { self.shown + count - 1 } % count);
            }
            Elsewhere::NextText(direction) => self.show_text(direction),
            Elsewhere::Place(place) => self.show_place(place),
        }
    }

    fn show(&mut self, index: usize) {
        if index == self.shown || index >= self.all.len() {
            return;
        }
        let look = self.shown().look();
        self.shown_mut().hidden = true;
        self.settle();
        self.shown = index;
        update::enter(self.shown_mut(), look);
    }

    /// Shows an earlier or a later text of the same source.
    fn show_text(&mut self, direction: i8) {
        let tab = &self.all[self.shown];
        let count = tab.earlier.len();
        let at = tab.back.unwrap_or(count);
        match direction {
            1 if at == count => self.say("this is what stands there now".into()),
            1 => self.look_at(at + 1),
            _ if count == 0 => self.say("nothing stood here before: it has not begun anew".into()),
            _ if at == 0 => self.say("nothing is kept of what stood here before".into()),
            _ => self.look_at(at - 1),
        }
    }

    /// Shows the text at an index among the earlier ones, or the one that stands there now.
    fn look_at(&mut self, index: usize) {
        let look = self.shown().look();
        self.shown_mut().hidden = true;
        let tab = &mut self.all[self.shown];
        tab.back = (index < tab.earlier.len()).then_some(index);
        let is_now = tab.back.is_none();
        update::enter(self.shown_mut(), look);
        self.say(if is_now {
            "this is what stands there now".into()
        } else {
            "this stood there before; ) leads back".into()
        });
    }

    /// Shows the place of an event.
    fn show_place(&mut self, place: Place) {
        let tab = &self.all[self.shown];
        let found = tab.earlier.iter().position(|state| state.number == place.text);
        let index = if tab.now.number == place.text { Some(tab.earlier.len()) } else { found };
        let Some(index) = index else { return self.say("that text is no longer kept".into()) };
        self.look_at(index);
        update::go_to(self.shown_mut(), place.offset);
    }

    /// Leaves, unless a command runs and it has to be asked first.
    fn leave(&mut self, asked: bool) -> Option<Effect> {
        match self.running() {
            Some(name) if !asked => {
                self.asked = true;
                self.say(format!("{name} still runs: q again ends it and leaves"));
                None
            }
            _ if !asked && self.is_unsaved() => {
                self.asked = true;
                self.say("the playground is not saved: ctrl-s saves it, q again leaves".into());
                None
            }
            _ => Some(Effect::Quit),
        }
    }

    /// Whether a text was written that is saved nowhere.
    fn is_unsaved(&self) -> bool {
        self.all.iter().any(|tab| tab.now.editor.as_ref().is_some_and(|editor| editor.is_changed()))
    }

    /// The name of a command that runs.
    fn running(&self) -> Option<String> {
        self.all.iter().find(|tab| tab.now.runs()).map(|tab| tab.now.origin.name.clone())
    }

    fn say(&mut self, words: String) {
        drop(update(self.shown_mut(), Happened::Notice(words)));
    }
}

#[cfg(test)]
mod tests;
