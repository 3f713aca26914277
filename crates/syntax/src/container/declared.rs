//! Declared containers: YAML documents, built in or written by users, that one engine interprets.
//!
//! A [`ContainerDeclaration`] says which of the first records identify a file, and has rules for its records. A built-in one is
//! parsed when a record has the keys that its detection needs (`index`), so that the start does not wait for all of
//! them.

mod condition;
mod content;
mod declaration;
mod engine;
mod facts;
pub mod index;
mod path;
mod rule;

use super::chat::Chat;
use super::{Claim, FileHead, FormatReader};
pub use declaration::{ContainerDeclaration, ContainerExample, MAX_BYTES};
use engine::DeclaredReader;
use index::EmbeddedContainer;

impl ContainerDeclaration {
    /// Creates the reader of one file.
    pub(crate) fn open(&'static self) -> FormatReader {
        if self.is_chat {
            return FormatReader::records::<Chat>();
        }
        FormatReader::Records(Box::new(DeclaredReader::new(self)))
    }
}

impl EmbeddedContainer {
    /// The claim on the beginning of a file.
    pub(crate) fn claim(&'static self, head: &FileHead<'_>) -> Option<Claim> {
        if self.may_claim(head) { self.declaration().claim(head) } else { None }
    }
}
