//! A selection by identity instead of position, for files that are rewritten as a whole.
//!
//! Messages are identified by id, or else by number; calls by id; other items by their position in the message.

use crate::session::Session;

use crate::tui::row::Target;
use crate::tui::view::View;

/// The selection, by the ids of its message and call if they have any.
#[derive(Clone, Debug)]
pub(super) struct StableSelection {
    message: Option<Box<str>>,
    number: usize,
    /// Index of the item in its message.
    place: usize,
    call: Option<String>,
    /// Offset of the selection in its item.
    inside: usize,
}

impl StableSelection {
    /// The selection in a recorded conversation; `None` in plain text.
    pub(super) fn new(view: &View) -> Option<Self> {
        let session = &view.session;
        let document = session.document();
        session.choice().filter(|_| session.is_decoded())?;
        let Target { item, offset, .. } = view.selection;
        let span = document.items().span(item)?;
        let number = document.message_at(span.start);
        let message = document.messages().get(number)?;
        Some(Self {
            place: item - document.items_before(message.start).min(item),
            message: message.id,
            number,
            call: document.call(item).map(|call| call.id(session.text())),
            inside: offset.saturating_sub(span.start),
        })
    }

    /// Current target of the selection, if it still exists.
    pub(super) fn find(&self, session: &Session) -> Option<Target> {
        let document = session.document();
        let item = match &self.call {
            Some(id) => {
                let is_it = |item: &usize| document.call(*item).is_some_and(|call| call.id(session.text()) == *id);
                document.calls().find(is_it)?
            }
            None => self.item(session)?,
        };
        let span = document.items().span(item)?;
        let offset = span.start + self.inside.min(span.len().saturating_sub(1));
        Some(Target { item, node: None, offset, problem: None })
    }

    /// The item at the same position of the same message.
    fn item(&self, session: &Session) -> Option<usize> {
        let document = session.document();
        let messages = document.messages();
        let number = match &self.message {
            Some(id) => messages.iter().position(|message| message.id.as_ref() == Some(id))?,
            None => self.number,
        };
        let item = document.items_before(messages.start(number)?) + self.place;
        let end = document.message_span(number, session.text().len()).end;
        (item < document.items_before(end)).then_some(item)
    }
}
