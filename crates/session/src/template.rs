//! Chat templates: the prompt that a model is shown.
//!
//! - [`source`], [`gguf`]: templates and special tokens in the files that carry them

pub mod gguf;
pub mod source;
