//! Syntaxes: values, files around a text, calls in a text, and how runtimes read them.
//!
//! - [`value`]: the parameters of a call, one reader for each notation
//! - [`container`], [`prices`]: formats of transcripts, and the price of the tokens that they count
//! - [`runtime`]: the outcome that the parser of an inference server makes of a message
//! - [`dialect`]: finds calls in a text, and delimits and writes them
//!
//! The modules of lower crates are imported here, so that `crate::text` is the same module in all crates.

pub mod container;
pub mod dialect;
pub mod prices;
pub mod runtime;
pub mod value;

use transcope_text::{diagnostic, text};
