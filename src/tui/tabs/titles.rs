//! What the tab bar says of each tab.
//!
//! This module does not know how the tab bar is drawn.

use crate::tui::message::TabTitle;
use crate::tui::screen::Screen;
use crate::tui::tabs::{Tab, Tabs};

impl Tabs {
    /// The name and the marks of each tab.
    pub(super) fn titles(&self) -> Vec<TabTitle> {
        let mut titles: Vec<TabTitle> = self.all.iter().map(Tab::title).collect();
        let names: Vec<String> = titles.iter().map(|title| title.name.clone()).collect();
        titles[self.shown].shown = true;
        for ((tab, title), name) in self.all.iter().zip(&mut titles).zip(&names) {
            // Files of the same name are told apart by their folders.
            if let Some(tab) = tab.text().filter(|_| names.iter().filter(|other| *other == name).count() > 1) {
                title.name.clone_from(&tab.now.view.origin.name);
            }
        }
        titles
    }
}

impl Tab {
    /// What its screen says of it; of a text what stands there now, and what of that has not been seen.
    fn title(&self) -> TabTitle {
        let Tab::Text(tab) = self else { return self.screen().title() };
        let (bytes, errors) = tab.measure();
        let title = tab.now.title();
        TabTitle { more: bytes > tab.seen.0, errors: title.errors || errors > tab.seen.1, ..title }
    }
}
