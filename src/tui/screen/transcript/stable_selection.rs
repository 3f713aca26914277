//! What is selected, told by who it is and not by where it stands: for files that are written anew as a whole.
//!
//! A message is known by its id, or else by its number; a call by its id, anything else by its place in the message.

use crate::session::Session;

use crate::tui::row::Target;
use crate::tui::view::View;

/// What is selected, by the ids of its message and call where they have any.
#[derive(Clone, Debug)]
pub(super) struct StableSelection {
    message: Option<Box<str>>,
    number: usize,
    /// Items in front of it in the message.
    place: usize,
    call: Option<String>,
    /// Bytes in front of what is selected in its item.
    inside: usize,
}

impl StableSelection {
    /// Who is selected in a recorded conversation; nothing in plain text.
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

    /// Where that is now, if it is there.
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

    /// The item at the same place of the same message.
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
