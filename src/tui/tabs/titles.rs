//! What the bar of the tabs says of each.
//!
//! This module does not know how the bar is drawn.

use crate::tui::message::TabTitle;
use crate::tui::screen::sessions::Progress;
use crate::tui::tabs::{Tab, Tabs};

/// What a comparison is called among the tabs.
const COMPARISON: &str = "comparison";

impl Tabs {
    /// The name and the marks of each tab.
    pub(super) fn titles(&self) -> Vec<TabTitle> {
        let name = |tab: &Tab| match tab {
            Tab::Text(tab) => tab.now.origin.short().to_owned(),
            Tab::Sessions(sessions) => sessions.title.clone(),
            Tab::Comparison(_) => COMPARISON.to_owned(),
        };
        let names: Vec<String> = self.all.iter().map(name).collect();
        let heading = |(index, tab): (usize, &Tab)| {
            let shown = index == self.shown;
            let tab = match tab {
                Tab::Text(tab) => tab,
                Tab::Sessions(sessions) => {
                    let live = sessions.progress == Progress::Looking;
                    return TabTitle { name: names[index].clone(), shown, live, more: false, errors: false };
                }
                Tab::Comparison(_) => {
                    return TabTitle { name: names[index].clone(), shown, live: false, more: false, errors: false };
                }
            };
            let (bytes, errors) = tab.measure();
            // Files of the same name are told apart by their folders.
            let is_unique = names.iter().filter(|name| **name == names[index]).count() == 1;
            TabTitle {
                name: if is_unique { names[index].clone() } else { tab.now.origin.name.clone() },
                shown,
                live: tab.now.is_live(),
                more: bytes > tab.seen.0,
                errors: errors > tab.seen.1 || tab.now.has_failed(),
            }
        };
        self.all.iter().enumerate().map(heading).collect()
    }
}
