//! Chat templates: the prompt that a model is shown.
//!
//! - [`source`], [`gguf`]: templates and special tokens in the files that carry them
//! - [`engine`]: minijinja with the rules of Python and of transformers; [`failure`]: what it refuses
//! - [`marks`]: characters that follow a text through it

pub mod engine;
pub mod failure;
pub mod gguf;
pub mod marks;
pub mod source;
