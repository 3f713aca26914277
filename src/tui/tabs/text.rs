//! A tab with a transcript: the text that stands there now, and what stood there before it began anew.

use std::collections::VecDeque;
use std::path::PathBuf;

use crate::diagnostic::Severity;

use crate::tui::cancel_guard::CancelGuard;
use crate::tui::screen::transcript::Transcript;

/// Texts that stood in a source before and are kept.
pub(super) const EARLIER: usize = 8;

/// Bytes of those texts together beyond which the oldest give way; the last one is kept whatever its length.
pub(super) const EARLIER_BYTES: usize = 64 << 20;

/// The texts of one source, one after another.
pub(super) struct TextTab {
    /// Its number, which no other tab has.
    pub(super) id: usize,
    /// Which source feeds it, and by which of its streams; none feeds a playground.
    pub(super) feed: Option<Feed>,
    /// The text that stands there now.
    pub(super) now: Transcript,
    /// What stood there before, the oldest first.
    pub(super) earlier: VecDeque<Transcript>,
    /// Which of those is looked at, if any.
    pub(super) back: Option<usize>,
    /// Bytes, and errors and failed calls, when it was last shown.
    pub(super) seen: (usize, usize),
    /// Where it is, if it is a file.
    pub(super) path: Option<PathBuf>,
    /// The list, or the session, that it was opened from.
    pub(super) list: Option<ListTab>,
    /// What its source reads on for.
    #[expect(dead_code, reason = "it is kept, and dropped with the tab")]
    pub(super) cancel_guard: Option<CancelGuard>,
}

/// A tab from which texts are opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ListTab {
    /// The list of sessions of this number.
    Sessions(usize),
    /// The tab of this number with statistics.
    Statistics(usize),
    /// The tab of this number with a session, one of whose sub-agents it is.
    Session(usize),
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
    /// The output of a source, or all that it has.
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

    /// Keeps what stood there before, within bounds.
    pub(super) fn keep(&mut self, former: Transcript) {
        self.earlier.push_back(former);
        let bytes =
            |earlier: &VecDeque<Transcript>| earlier.iter().map(|state| state.view.session.text().len()).sum::<usize>();
        while self.earlier.len() > 1 && (self.earlier.len() > EARLIER || bytes(&self.earlier) > EARLIER_BYTES) {
            self.earlier.pop_front();
            // Whoever looks at the oldest one looks at the one behind it now.
            self.back = self.back.map(|index| index.saturating_sub(1));
        }
    }
}
