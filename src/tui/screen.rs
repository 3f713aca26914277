//! What a tab shows: a transcript, a list of sessions, or two readings side by side.

pub mod comparison;
pub mod sessions;
pub mod transcript;
