//! A screen: its file with a test, its module, the line that opens it, and its keys.

use super::change::{Change, Name};

/// Changes that add a screen, which lists the calls of the text that it is opened from.
pub fn changes(name: &Name) -> Vec<Change> {
    let table = |anchor, text: &str| Change::Insert { path: "src/tui/action/table.rs", anchor, text: name.fill(text) };
    vec![
        Change::Create { path: name.fill("src/tui/screen/MODULE.rs"), text: name.fill(FILE) },
        Change::Module { path: "src/tui/screen.rs", keyword: "pub mod", name: name.module() },
        Change::Insert {
            path: "src/tui/tabs/navigation.rs",
            anchor: "            Action::CorpusStatistics =>",
            text: name.fill(OPENED),
        },
        table("    /// Statistics of many sessions.", "    /// The calls of a text.\n    PASCAL,\n"),
        table("    Visit,", "    PASCAL,\n"),
        table("    TableLine::Title(\"Other\")", KEYS),
        table(
            "    bind(TRANSCRIPT, &[\"W\"]",
            "    bind(TRANSCRIPT, &[\"z INITIAL\"], \"open-KEBAB\", Action::PASCAL, \"the calls on a screen\"),\n",
        ),
    ]
}

const KEYS: &str = r#"    TableLine::Title("TITLE"),
    bind(ScreenSet::Only(&[ScreenId::PASCAL]), &["Enter"], "toggle", Action::Toggle, "go to the call in its text"),
    bind(ScreenSet::Only(&[ScreenId::PASCAL]), &["Esc"], "cancel", Action::Cancel, "back to the text"),
"#;

const OPENED: &str = r"            Action::PASCAL => {
                let tab = self.all[self.shown].text()?;
                let screen = crate::tui::screen::MODULE::PASCALScreen::new(tab.id, &tab.state().view);
                self.show_only(screen);
            }
";

const FILE: &str = r#"//! The calls of a text as a screen. Enter goes to a call in its text.

use std::ops::Range;

use ratatui::buffer::Buffer;

use crate::tui::action::{Action, ScreenId};
use crate::tui::list::{ListScreen, ListState, VisibleRows};
use crate::tui::message::{Effect, Msg, Navigation, TabTitle};
use crate::tui::row::{Piece, Row, count};
use crate::tui::screen::Screen;
use crate::tui::screen::chrome::{Chrome, ChromeText, heading};
use crate::tui::style::Role;
use crate::tui::theme::Theme;
use crate::tui::view::View;
use crate::tui::viewport::Units;
use crate::tui::widget::{RowWriter, bordered};

/// The calls of a text, as a screen.
pub struct PASCALScreen {
    /// The number of the tab with the text.
    tab: usize,
    chrome: Chrome,
    list: ListState,
    /// The offset and the name of each call.
    calls: Vec<(usize, String)>,
}

impl PASCALScreen {
    /// Lists the calls of a text, which the tab of this number shows.
    pub fn new(tab: usize, view: &View) -> Self {
        let (document, text) = (view.session.document(), view.session.text());
        let calls = (0..document.items().len()).filter_map(|item| document.call(item));
        let calls = calls.map(|call| (call.span.start, call.name(text))).collect();
        Self { tab, chrome: Chrome::new(ScreenId::PASCAL), list: ListState::default(), calls }
    }

    fn visit(&self) -> Option<Effect> {
        let (offset, _) = self.calls.get(self.list.at.row)?;
        Some(Effect::Go(Navigation::Call(self.tab, *offset)))
    }
}

impl Screen for PASCALScreen {
    fn chrome(&self) -> &Chrome {
        &self.chrome
    }

    fn chrome_mut(&mut self) -> &mut Chrome {
        &mut self.chrome
    }

    fn handle(&mut self, msg: Msg) -> Option<Effect> {
        match msg {
            Msg::Action(Action::Move(motion)) => self.go(motion),
            Msg::Action(Action::Toggle) => return self.visit(),
            Msg::Action(Action::Cancel) => return Some(Effect::Go(Navigation::Before)),
            Msg::Action(action) => return Some(Effect::Go(Navigation::Action(action))),
            Msg::Click(x, y) => match self.row_at(self.chrome.body().inner(), 0, x, y) {
                Some(at) if at == self.list.at => return self.visit(),
                Some(at) => self.choose(at),
                None => {}
            },
            Msg::Wheel(_, _, direction) => self.wheel(direction),
            Msg::Resize(..) => self.reveal(),
            _ => {}
        }
        None
    }

    fn chrome_text(&self) -> ChromeText {
        let hints = self.chrome.hints(&[
            (&[Action::Help], "help"),
            (&[Action::Toggle], "go to call"),
            (&[Action::Cancel], "close"),
        ]);
        let calls = vec![Piece::new(format!("{} ", count(self.calls.len(), "call")), Role::Text)];
        ChromeText { title: [heading("KEBAB"), calls], hints, place: Vec::new() }
    }

    fn draw_body(&self, buffer: &mut Buffer, theme: &Theme) {
        let area = self.chrome.body();
        bordered(buffer, area, &[(" TITLE ".into(), true)], true, theme);
        let mut writer = RowWriter::new(buffer, area.inner(), theme);
        for at in self.shown() {
            let (_, name) = &self.calls[at.row];
            writer.put_selectable(&Row::plain(format!(" {name}"), Role::Name), at == self.list.at);
        }
    }

    fn title(&self) -> TabTitle {
        TabTitle { name: "KEBAB".into(), ..TabTitle::default() }
    }

    fn is_made_of_tabs(&self) -> bool {
        true
    }
}

impl Units for PASCALScreen {
    fn numbers(&self) -> Range<usize> {
        0..1
    }

    fn height(&self, _: usize, _: usize) -> usize {
        self.calls.len()
    }
}

impl ListScreen for PASCALScreen {
    fn list(&self) -> ListState {
        self.list
    }

    fn set_list(&mut self, list: ListState) {
        self.list = list;
    }

    fn room(&self) -> VisibleRows {
        VisibleRows { height: usize::from(self.chrome.body().inner().height), margin: 2 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::Options;
    use crate::session::Session;
    use crate::tui::action::Motion;
    use crate::tui::view::origin::TextOrigin;

    #[test]
    fn enter_goes_to_the_chosen_call() {
        let text = b"!!!GADGET_START:One\n!!!GADGET_END\n!!!GADGET_START:Two\n!!!GADGET_END\n";
        let view = View::new(Session::from_bytes(text), Options::default(), TextOrigin::default(), (80, 24));
        let mut screen = PASCALScreen::new(7, &view);
        drop(screen.update(Msg::Resize(80, 24)));
        drop(screen.update(Msg::Action(Action::Move(Motion::Bottom))));
        assert_eq!(screen.update(Msg::Action(Action::Toggle)), Some(Effect::Go(Navigation::Call(7, 34))));
    }
}
"#;
