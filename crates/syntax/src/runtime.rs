//! Models how the parsers of vLLM, SGLang, llama.cpp, mlx-lm, transformers, harmony,
//! SMG, Ollama, Dynamo, `LMDeploy` and tabbyAPI read a message.
//!
//! One engine follows a [`Profile`]: a grammar that describes what the parser finds, and rules for what it delivers.
//! Profiles are data (`runtime/profiles`). Independent of documents and of the dialects' own readings.

pub mod answer;
pub mod calls;
pub mod catalog;
pub mod conformance;
pub(crate) mod erased_text;
pub mod grammar;
pub(crate) mod grammar_fault;
pub mod matcher;
pub mod name;
pub mod outcome;
pub mod places;
pub mod profile;
pub mod reading;
pub mod release;
pub mod request;
pub mod request_rules;
pub mod server;
pub mod settings;
pub mod stream;
pub mod unread;

pub use answer::{AnswerReading, read_answer};
pub use grammar_fault::{Expectation, GrammarFault};
pub use name::RuntimeName;
pub use outcome::{DeliveredArguments, DeliveredCall, Outcome, PartKind, ReadingPart, Reason, RuntimeReading};
pub use profile::Profile;
pub use reading::{read, read_streamed};
pub use release::{Release, Runtime};
pub use request::ToolRequest;
pub use server::read_served;
pub use settings::{AppliedSetting, RequestSettings, SettingEffect, SettingName, ToolChoice};
pub use stream::{Cut, DeltaPart, StreamDelta, StreamReading, read_in_pieces};
