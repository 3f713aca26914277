//! A comparison of two prompts of one conversation: from two templates, or from one as two runtimes render it.

pub mod job;
pub mod line;
