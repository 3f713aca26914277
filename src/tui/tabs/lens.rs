//! Asking how runtimes parse a message, and showing a text as one of them parses it.

use std::sync::Arc;

use crate::container::Container;
use crate::dialect::{self, Options};
use crate::lens::{Lens, MessageText};
use crate::runtime::catalog;
use crate::session::Session;
use crate::value::schema::Schemas;

use crate::tui::message::{ChosenRequest, ComparisonSide, LensRequest, ParserReading, Task};
use crate::tui::row::size;
use crate::tui::screen::lens::{LensScreen, LensText};
use crate::tui::screen::template::TemplateScreen;
use crate::tui::screen::transcript::Transcript;
use crate::tui::tabs::text::TextTab;
use crate::tui::tabs::{NewTab, Tab, Tabs};
use crate::tui::template::ModelAnswer;
use crate::tui::view::origin::{Phase, TextOrigin};

/// Maximum bytes of a message for the lens screen.
const LARGEST_MESSAGE: usize = 16 << 20;

/// Maximum bytes of a file that is read again for another runtime: this happens between two frames.
const LARGEST_FILE: usize = 64 << 20;

/// The subject of a question to the runtimes.
struct Question {
    /// Id of the tab with the text.
    tab: usize,
    /// Options that the text is read with, including the schemas of the request's tools.
    options: Options,
    /// Offset of a byte of the message.
    offset: usize,
}

impl Tabs {
    /// Asks the runtimes about the message at the selection, or, on the lens screen, again about the same one.
    pub(super) fn ask_runtimes(&mut self, schemas: Option<Arc<Schemas>>) -> Option<Task> {
        let shown = &self.all[self.shown];
        if let Some(screen) = shown.of_kind::<TemplateScreen>() {
            let Some((answer, name)) = screen.answer() else {
                let is_early = screen.is_tracing();
                let late = "the conversation has no answer of the model: choose another one";
                self.notify(if is_early { "still rendering: press it again" } else { late });
                return None;
            };
            self.open_answer(answer, name);
            return self.ask_runtimes(None);
        }
        let question = if let Some(tab) = shown.text() {
            let view = &tab.state().view;
            Question { tab: tab.id, options: view.options.clone(), offset: view.base() + view.selection.offset }
        } else {
            let screen: &LensScreen = shown.of_kind()?;
            let schemas = schemas.or_else(|| screen.request.schemas.clone());
            let options = Options { schemas, ..screen.text.options.clone() };
            Question { tab: screen.text.tab, options, offset: screen.request.message.span.start }
        };
        let Some(state) = self.state_of(question.tab) else {
            self.notify("the tab with the text is closed");
            return None;
        };
        match asked_text(state, question) {
            Ok(asked) => {
                let AskedText { text, message, dialects, are_dialects_named } = asked;
                let (number, schemas) = (self.number(), text.options.schemas.clone());
                let chosen = self.lens_request.clone();
                let asked = LensRequest { number, message, dialects, are_dialects_named, schemas, chosen };
                self.show_only(LensScreen::new(text, asked.clone(), self.calendar.clone()));
                Some(Task::AskRuntimes(Box::new(asked)))
            }
            Err(words) => {
                self.notify(words);
                None
            }
        }
    }

    /// Asks again about the message of the shown lens with other settings of the request, which hold for later messages.
    pub(super) fn change_lens_request(&mut self, chosen: ChosenRequest) -> Option<Task> {
        self.lens_request = chosen.clone();
        let number = self.number();
        let screen: &mut LensScreen = self.all[self.shown].of_kind_mut()?;
        Some(Task::AskRuntimes(Box::new(screen.ask_again(number, chosen))))
    }

    /// Opens a tab with an answer that a chat template writes.
    fn open_answer(&mut self, answer: ModelAnswer, name: String) {
        let only = answer.dialects.into_iter().filter_map(dialect::named).collect();
        let options = Options { only, schemas: answer.schemas, ..Options::default() };
        let mut session = Session::new(Container::plain(), &options);
        session.push(answer.text.as_bytes());
        session.finish();
        let origin = TextOrigin { name, phase: Phase::Ended, ..TextOrigin::default() };
        self.add(NewTab::Made(Box::new(Transcript::new(session, options, origin, (0, 0)))));
    }

    fn lens_mut(&mut self, number: usize) -> Option<&mut LensScreen> {
        self.all.iter_mut().filter_map(Tab::of_kind_mut).find(|screen: &&mut LensScreen| screen.awaits(number))
    }

    /// A check for whether a question to the runtimes was cancelled; `None` if no screen waits for it any more.
    pub fn awaits_lens(&self, number: usize) -> Option<impl Fn() -> bool + Send + use<>> {
        let mut screens = self.all.iter().filter_map(Tab::of_kind);
        let screen = screens.find(|screen: &&LensScreen| screen.awaits(number))?;
        Some(screen.cancel_guard.is_cancelled())
    }

    /// Delivers the answers of the runtimes; ignored if no screen waits for them any more.
    pub fn take_lens(&mut self, number: usize, lens: Lens) {
        let Some(screen) = self.lens_mut(number) else { return };
        let offsets = screen.offsets(&lens);
        let tab = screen.text.tab;
        let session = self.state_of(tab).map(|state| state.view.whole());
        let places = offsets.into_iter().filter_map(|offset| Some((offset, place_of(session?, offset)))).collect();
        if let Some(screen) = self.lens_mut(number) {
            screen.show(lens, places);
        }
    }

    /// Opens a tab with the text of another tab as a runtime reads it.
    pub(super) fn read_as(&mut self, reading: ParserReading) {
        let Some(state) = self.state_of(reading.tab) else { return self.notify("the tab with the text is closed") };
        let whole = state.view.whole();
        let runtime = reading.runtime.to_string();
        if whole.file().len() > LARGEST_FILE {
            let largest = size(LARGEST_FILE);
            return self.notify(format!("larger than {largest}: transcope --runtime {runtime} reads it"));
        }
        let session = whole.read_into(Session::new(whole.container(), &reading.options));
        let name = format!("{} as {runtime}", state.view.origin.short());
        let origin = TextOrigin { name: name.clone(), phase: Phase::Ended, ..TextOrigin::default() };
        let state = Transcript::new(session, reading.options, origin, (0, 0));
        let is_same = |tab: &Tab| {
            let made = |tab: &&TextTab| tab.feed.is_none() && tab.now.view.editor.is_none();
            tab.text().filter(made).is_some_and(|tab| tab.now.view.origin.name == name)
        };
        let is_known = self.all.iter().position(is_same);
        match is_known {
            Some(index) => {
                let id = self.number();
                self.all[index] = Tab::Text(Box::new(TextTab { id, ..TextTab::new(None, state) }));
                self.show(index);
            }
            None => self.add(NewTab::Made(Box::new(state))),
        }
        self.show_offset(reading.offset);
        self.notify(format!("the text as {runtime} reads it; [ returns"));
    }

    /// Compares how two runtimes read a text.
    pub(super) fn compare_readings(&mut self, readings: [ParserReading; 2]) -> Option<Task> {
        let name = |tab: usize| self.state_of(tab).map(|state| state.view.origin.short().to_owned());
        let Some(name) = name(readings[0].tab) else {
            self.notify("the tab with the text is closed");
            return None;
        };
        let side = |reading: ParserReading| ComparisonSide {
            name: name.clone(),
            tab: reading.tab,
            options: reading.options,
            saved: None,
        };
        let names = readings.each_ref().map(|reading| reading.runtime.to_string());
        self.begin_comparison(readings.map(side), names)
    }
}

/// Names of the dialects whose parsers to use if the dialects of the message have none.
fn dialects_of(opened_with: &Options, message: &MessageText) -> Vec<String> {
    let is_known = |name: &str| catalog::dialects().any(|known| known == name);
    if message.found.iter().any(|name| is_known(name)) {
        return Vec::new();
    }
    opened_with.only.iter().map(|info| info.name).filter(|name| is_known(name)).map(str::to_owned).collect()
}

/// A message to ask about.
struct AskedText {
    /// The labels of the text.
    text: LensText,
    /// The message in question.
    message: MessageText,
    /// The dialects whose parsers to use; if empty, the message's.
    dialects: Vec<String>,
    /// True if the user named the dialects of the text.
    are_dialects_named: bool,
}

/// The message in question, with what is known about its text.
///
/// # Errors
/// The reason why the runtimes cannot be queried, for the user.
fn asked_text(state: &Transcript, question: Question) -> Result<AskedText, String> {
    let view = &state.view;
    let session = view.whole();
    let too_large = || format!("the message is larger than {}: transcope lens reads more", size(LARGEST_MESSAGE));
    if !session.is_decoded() && session.text().len() > LARGEST_MESSAGE {
        return Err(too_large());
    }
    let message = session.model_text_at(Some(question.offset)).filter(|message| !message.text.trim().is_empty());
    let message = message
        .ok_or_else(|| "no text of a model here; select an answer of the model, then press V again".to_owned())?;
    if message.text.len() > LARGEST_MESSAGE {
        return Err(too_large());
    }
    let text = LensText {
        tab: question.tab,
        name: view.origin.short().to_owned(),
        place: place_of(session, message.span.start),
        options: question.options,
        is_arriving: view.is_live() && message.span.end == session.text().len(),
    };
    let dialects = dialects_of(&state.opened_with, &message);
    let are_dialects_named = !state.opened_with.only.is_empty();
    Ok(AskedText { text, message, dialects, are_dialects_named })
}

/// Line and column of an offset of the text.
fn place_of(session: &Session, offset: usize) -> String {
    let position = session.position(offset);
    format!("{}:{}", position.line, position.column)
}
