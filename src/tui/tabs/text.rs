//! A tab with a transcript: the current contents of its source and earlier ones.

use std::collections::VecDeque;
use std::path::PathBuf;

use crate::diagnostic::Severity;

use crate::tui::cancel_guard::CancelGuard;
use crate::tui::screen::transcript::Transcript;

/// Maximum number of earlier contents that are kept.
pub(super) const EARLIER: usize = 8;

/// Total bytes of earlier contents above which the oldest are dropped; the last one is always kept.
pub(super) const EARLIER_BYTES: usize = 64 << 20;

/// The successive contents of one source.
pub(super) struct TextTab {
    /// Unique id of the tab.
    pub(super) id: usize,
    /// The source and stream that feed it; `None` for a playground.
    pub(super) feed: Option<Feed>,
    /// The current contents.
    pub(super) now: Transcript,
    /// Earlier contents, oldest first.
    pub(super) earlier: VecDeque<Transcript>,
    /// Index in `earlier` of the contents that are shown; `None` for the current ones.
    pub(super) back: Option<usize>,
    /// Bytes, and number of errors and failed calls, when it was last shown.
    pub(super) seen: (usize, usize),
    /// The file, if the source is one.
    pub(super) path: Option<PathBuf>,
    /// The list or session from which it was opened.
    pub(super) list: Option<ListTab>,
    /// Cancels the source when it is dropped.
    #[expect(dead_code, reason = "it is kept, and dropped with the tab")]
    pub(super) cancel_guard: Option<CancelGuard>,
}

/// A tab from which texts can be opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ListTab {
    /// A list of sessions, by its number.
    Sessions(usize),
    /// A statistics tab, by its number.
    Statistics(usize),
    /// The text tab of a session, by its id; the text is one of its sub-agents.
    Session(usize),
}

/// The source of a tab's bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Feed {
    /// Number of the source.
    pub source: usize,
    /// True for the standard error of a command.
    pub aside: bool,
}

impl Feed {
    /// The main stream of a source.
    pub fn new(source: usize) -> Self {
        Self { source, aside: false }
    }
}

impl TextTab {
    pub(super) fn new(feed: Option<Feed>, now: Transcript) -> Self {
        Self {
            id: 0,
            feed,
            now,
            earlier: VecDeque::new(),
            back: None,
            seen: (0, 0),
            path: None,
            list: None,
            cancel_guard: None,
        }
    }

    pub(super) fn state(&self) -> &Transcript {
        self.back.and_then(|index| self.earlier.get(index)).unwrap_or(&self.now)
    }

    pub(super) fn state_mut(&mut self) -> &mut Transcript {
        match self.back.and_then(|index| self.earlier.get_mut(index)) {
            Some(earlier) => earlier,
            None => &mut self.now,
        }
    }

    pub(super) fn measure(&self) -> (usize, usize) {
        let view = &self.now.view;
        (view.whole().text().len(), view.total(Severity::Error) + view.whole().document().failures())
    }

    /// Keeps earlier contents, within the limits.
    pub(super) fn keep(&mut self, former: Transcript) {
        self.earlier.push_back(former);
        let bytes =
            |earlier: &VecDeque<Transcript>| earlier.iter().map(|state| state.view.session.text().len()).sum::<usize>();
        while self.earlier.len() > 1 && (self.earlier.len() > EARLIER || bytes(&self.earlier) > EARLIER_BYTES) {
            self.earlier.pop_front();
            // A user who looks at the contents dropped here now sees the next ones.
            self.back = self.back.map(|index| index.saturating_sub(1));
        }
    }
}
