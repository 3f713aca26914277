//! The calls whose durations deserve a place on their rows.

use std::time::Duration;

use crate::document::{Document, Item};
use crate::text::Text;

/// A call that took at least this long always shows its duration.
const LONG: Duration = Duration::from_secs(10);

/// One of the longest calls of a session shows its duration if it took at least this long.
const LEAST: Duration = Duration::from_secs(2);

/// Maximum number of items examined per frame.
const EXAMINED: usize = 4096;

/// The longest durations of the calls examined so far.
#[derive(Clone, Copy, Debug, Default)]
pub struct LongestCalls {
    /// Number of the next item to examine.
    next: usize,
    /// The longest first.
    longest: [Duration; 5],
}

impl LongestCalls {
    /// Shortest duration that is shown on the row of its call.
    pub(super) fn threshold(&self) -> Duration {
        self.longest[self.longest.len() - 1].clamp(LEAST, LONG)
    }

    /// Examines further results. True if the threshold rose.
    pub(super) fn advance(&mut self, document: &Document, text: &Text) -> bool {
        let before = self.threshold();
        let end = document.items().len().min(self.next.saturating_add(EXAMINED));
        for item in self.next..end {
            let Some(Item::Result(answer)) = document.items().get(item) else { continue };
            let took = answer.call.and_then(|(call, _)| document.call_duration(call, text));
            let took = took.map(|took| took.value).unwrap_or_default();
            let at = self.longest.partition_point(|&known| known >= took);
            if at < self.longest.len() {
                self.longest[at..].rotate_right(1);
                self.longest[at] = took;
            }
        }
        self.next = self.next.max(end);
        self.threshold() != before
    }
}
