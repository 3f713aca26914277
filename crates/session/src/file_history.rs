//! The files that a session reads and changes, in the order of the calls.

mod arguments;
mod change;
mod patch;

pub use arguments::{OLD_AND_NEW, changes};
pub use change::{Replacement, ReplacementScope, TextChange};
