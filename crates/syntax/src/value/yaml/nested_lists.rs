//! Lists that end with an empty entry, directly before an entry of an enclosing list.
//!
//! js-yaml adds that entry to the inner list, whatever the column of its dash; the specification and other libraries
//! end the inner list before it. The inner list's end events are held back here until that entry is complete.

use granit_parser::Event;

use super::build::{Builder, OpenKind};
use super::{Library, layout};
use crate::diagnostic::{Code, Diagnostic};

impl Builder<'_> {
    /// Examines an event before it is processed. Returns false for an end event that is held back.
    pub(super) fn begin_part(&mut self, event: &Event<'_>, (start, end): (usize, usize)) -> bool {
        match event {
            Event::SequenceEnd | Event::MappingEnd => !self.holds_end((end > start).then_some(end)),
            Event::Scalar(..) | Event::SequenceStart(..) | Event::MappingStart(..) | Event::Alias(_) => {
                let is_absent = matches!(event, Event::Scalar(..)) && start == end && self.is_in_block_list();
                self.lists.absent = is_absent.then_some(start);
                if !self.lists.held.is_empty() && self.lists.depth.is_none() {
                    self.lists.depth = Some(self.open.len());
                }
                true
            }
            _ => true,
        }
    }

    /// True if the innermost container is a list without brackets.
    fn is_in_block_list(&self) -> bool {
        self.open.last().is_some_and(|open| matches!(open.kind, OpenKind::Sequence(_)) && open.column.is_some())
    }

    /// True if a container does not end yet in js-yaml, since its last entry is empty and another entry follows.
    fn holds_end(&mut self, bracket: Option<usize>) -> bool {
        let text = self.source.text();
        let Some(dash) = self.lists.absent.and_then(|at| layout::next_entry(text, at)) else { return false };
        if self.lists.held.is_empty() || self.lists.depth.is_some() {
            let message = "js-yaml reads this as an entry of the inner list above, which ends without a value; yaml and others \
                           read it as one of the outer list";
            let problem = Diagnostic::new(Code::YamlAmbiguous, self.source.span(dash, dash + 1), message);
            self.report(problem.help("write null for the entry that has no value"));
        }
        let holds = self.library == Library::JsYaml;
        if holds {
            self.lists.held.push(bracket);
            self.lists.depth = None;
        } else {
            self.lists.absent = None;
        }
        holds
    }

    /// Processes the held end events once the entry is complete, unless it is empty and another one follows.
    pub(super) fn release_ends(&mut self) {
        let text = self.source.text();
        let is_complete = self.lists.depth == Some(self.open.len());
        if is_complete && self.lists.absent.is_none_or(|at| layout::next_entry(text, at).is_none()) {
            self.lists.depth = None;
            for bracket in std::mem::take(&mut self.lists.held) {
                self.end(bracket);
            }
        }
    }
}
