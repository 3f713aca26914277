//! Options that state the request whose answer runtimes read.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use crate::config::templates;
use crate::runtime::{RequestSettings, ToolChoice};
use crate::template::request_facts::TemplateRequest;

/// Settings of a request. A setting that is not stated has the default of the runtime.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Request")]
pub struct RequestArgs {
    /// Say whether the prompt has thinking on: some templates open it before the answer begins
    #[arg(long, value_enum, value_name = "SWITCH")]
    thinking: Option<Switch>,
    /// Say whether the model may or must call tools
    #[arg(long, value_enum, value_name = "CHOICE")]
    tool_choice: Option<ChoiceName>,
    /// Say whether an answer may have several calls
    #[arg(long, value_enum, value_name = "SWITCH")]
    parallel_tool_calls: Option<Switch>,
    /// Say whether special tokens are left out of the text; --template names them
    #[arg(long, value_enum, value_name = "SWITCH")]
    skip_special_tokens: Option<Switch>,
    /// Reasoning format of llama.cpp (none, auto, deepseek, deepseek-legacy), or a reasoning parser of the server
    #[arg(long, value_name = "FORMAT")]
    reasoning_format: Option<String>,
    /// Take thinking, special tokens and dialect from a chat template: .jinja, JSON of a tokenizer, GGUF, or a model's directory
    #[arg(long, value_name = "PATH")]
    template: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Switch {
    On,
    Off,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ChoiceName {
    /// The model decides whether it calls a tool
    Auto,
    /// The model must call a tool
    Required,
    /// The model must not call a tool
    None,
}

impl RequestArgs {
    /// The facts that the chat template of the options states; `None` without a template.
    ///
    /// # Errors
    /// The template cannot be read.
    pub fn model(&self) -> anyhow::Result<Option<TemplateRequest>> {
        self.template.as_deref().map(templates::request_facts).transpose()
    }

    /// The settings of the options; a template states the others.
    pub fn settings(&self, model: Option<&TemplateRequest>) -> RequestSettings {
        let is_on = |switch: Switch| switch == Switch::On;
        let stated = RequestSettings {
            thinking: self.thinking.map(is_on),
            tool_choice: self.tool_choice.map(|choice| match choice {
                ChoiceName::Auto => ToolChoice::Auto,
                ChoiceName::Required => ToolChoice::Required,
                ChoiceName::None => ToolChoice::None,
            }),
            parallel_tool_calls: self.parallel_tool_calls.map(is_on),
            skip_special_tokens: self.skip_special_tokens.map(is_on),
            reasoning_format: self.reasoning_format.clone(),
            special_tokens: None,
        };
        match model {
            Some(model) => model.complete(stated),
            None => stated,
        }
    }
}
