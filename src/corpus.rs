//! Many sessions as rows: tables of sessions, calls and problems, for engines that query millions of them.
//!
//! [`tables`] says what the columns are. This layer does not know screens or the command line.

pub mod cell;
pub mod format;
pub mod tables;
