//! Learns the declaration of a dialect from the turns that a chat template writes.

pub mod boundary;
