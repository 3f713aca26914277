//! Chat templates: the prompt that a model is shown.
//!
//! - [`source`], [`gguf`]: templates and special tokens in the files that carry them
//! - [`conversation`], [`probes`]: messages and tools as a template gets them; conversations that show what it does
//! - [`engine`]: minijinja with the rules of Python and of transformers; [`failure`]: what it refuses
//! - [`fields`], [`marks`]: the strings of the input, and characters that follow a text through the engine

pub mod conversation;
pub mod engine;
pub mod failure;
pub mod fields;
pub mod gguf;
pub mod marks;
pub mod probes;
pub mod source;
