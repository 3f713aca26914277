//! A tab with a comparison: what is compared with what, and the way there and back.
//!
//! This module does not know how texts are compared.

use crate::tui::screen::comparison::{ComparisonScreen, update as comparison};
use crate::tui::tabs::text::TextTab;
use crate::tui::tabs::{ShownMut, Tab, Tabs};
use crate::tui::update;

/// What is said where there is nothing to compare with.
const ALONE: &str = "nothing to compare with: change a setting (s), or open a second text (transcope a.txt b.txt, o)";

impl Tabs {
    /// Compares the text that is shown with what it was, if it or what it is read with has changed, and else with the
    /// text that was shown before it, or the next one.
    pub(super) fn compare(&mut self) {
        match self.comparison() {
            Ok(Some(screen)) => self.show_comparison(screen),
            Ok(None) => self.say(ALONE.into()),
            Err(words) => self.say(words),
        }
    }

    fn comparison(&self) -> Result<Option<ComparisonScreen>, String> {
        let Some(tab) = self.all[self.shown].text() else { return Ok(None) };
        if let Some(screen) = comparison::with_itself(tab.state(), tab.id)? {
            return Ok(Some(screen));
        }
        let texts = |index: &usize| self.all[*index].text().is_some();
        let around = (1..self.all.len()).map(|ahead| (self.shown + ahead) % self.all.len());
        let other =
            self.before.filter(texts).filter(|before| *before != self.shown).or_else(|| around.clone().find(texts));
        let Some(other) = other else { return Ok(None) };
        // The one that was opened first stands on the left.
        let pair = [self.shown.min(other), self.shown.max(other)];
        let side = |index: usize| self.all[index].text().map(|tab| (tab.state(), tab.id));
        let [Some(left), Some(right)] = pair.map(side) else { return Ok(None) };
        comparison::with_another([left, right]).map(Some)
    }

    /// Shows a comparison in the place of the last one, or in a tab behind all others.
    fn show_comparison(&mut self, screen: ComparisonScreen) {
        let known = self.all.iter().position(|tab| matches!(tab, Tab::Comparison(_)));
        let tab = Tab::Comparison(Box::new(screen));
        let index = known.unwrap_or(self.all.len());
        if known.is_some() {
            self.all[index] = tab;
        } else {
            self.all.push(tab);
        }
        self.show(index);
    }

    /// Goes to an offset in the text of the tab with a number.
    pub(super) fn show_call(&mut self, id: usize, offset: usize) {
        let is_it = |tab: &Tab| tab.text().is_some_and(|tab: &TextTab| tab.id == id);
        let Some(index) = self.all.iter().position(is_it) else { return };
        self.show(index);
        if let ShownMut::Text(state) = self.shown_mut() {
            update::go_to(state, offset);
        }
    }
}
