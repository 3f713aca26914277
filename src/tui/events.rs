//! The events of the loop: input, results of work on threads, and what arrives from sources.

use std::io;

use crossterm::event::Event;

use crate::lens::Lens;
use crate::source::SourceEvent;
use crate::tui::corpus::{CorpusEvent, PlacesOutcome};
use crate::tui::discovery::DiscoveryEvent;
use crate::tui::message::{EditorOutcome, RequestTemplate};
use crate::tui::queue;
use crate::tui::screen::comparison::job::Compared;
use crate::tui::screen::comparison::prompt::job::ComparedPrompts;
use crate::tui::screen::template::recorded::SessionPrompt;
use crate::tui::template::TemplateEvent;
use crate::tui::terminal::Wake;
use crate::tui::terminal::background::Background;

/// An event that does not wait for pieces of the source.
pub(super) enum LoopEvent {
    Input(io::Result<Event>),
    Edited(Result<EditorOutcome, String>),
    Copied(String),
    Returned,
    Exported(Result<String, String>),
    Compared(usize, Result<Box<Compared>, String>),
    LensMade(usize, Box<Lens>),
    RequestTemplate(Result<Box<RequestTemplate>, String>),
    PlacesFound(usize, PlacesOutcome),
    Template(usize, usize, TemplateEvent),
    ConversationRead(usize, Result<Box<SessionPrompt>, String>),
    PromptsCompared(usize, Box<ComparedPrompts>),
    Wake(Wake),
    Background(Background),
}

/// A piece for an open tab or list, with its number.
pub(super) enum Arrival {
    Text(usize, SourceEvent),
    Sessions(usize, DiscoveryEvent),
    Statistics(usize, CorpusEvent),
}

/// The sending end of the queue for both.
pub(super) type Sender = queue::Sender<LoopEvent, Arrival>;
/// The receiving end.
pub(super) type Receiver = queue::Receiver<LoopEvent, Arrival>;
