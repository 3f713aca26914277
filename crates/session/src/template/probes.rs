//! Conversations that show what a template does: one idea each, so that a difference has one cause.

use serde::Deserialize;
use serde_json::Value;

use super::conversation::Conversation;

/// Name of the probe that is used unless another is named.
pub const DEFAULT_PROBE: &str = "multi_turn";

/// The probes as the program has them.
const SOURCE: &str = include_str!("probes.yaml");

/// A conversation with its purpose.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TemplateProbe {
    /// Name for the command line.
    pub name: String,
    /// Its purpose, in a few words.
    pub about: String,
    /// True if the prompt ends where the model writes.
    #[serde(default)]
    pub generation_prompt: bool,
    /// False if the template gets no tools.
    #[serde(default = "yes")]
    pub tools: bool,
    /// Messages, as the chat API of OpenAI has them.
    pub messages: Vec<Value>,
    /// Schemas of the file's tools.
    #[serde(skip)]
    schemas: Vec<Value>,
}

fn yes() -> bool {
    true
}

/// The members of a file of probes; the conversations share tools and parts of messages.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ProbeFile {
    /// Schemas of the tools, the same for all probes that have tools.
    #[serde(default)]
    tools: Vec<Value>,
    /// Parts of messages that several probes share, by anchors of YAML.
    #[serde(rename = "shared", default)]
    _shared: Value,
    probes: Vec<TemplateProbe>,
}

impl TemplateProbe {
    /// All probes, in the order of the file.
    ///
    /// # Panics
    ///
    /// Never: a test parses the file.
    #[must_use]
    pub fn all() -> Vec<Self> {
        Self::from_yaml(SOURCE).expect("the file is part of the program, and a test parses it")
    }

    /// The probes of a file: YAML with `probes`, a list of `name`, `about`, `messages`, `generation_prompt` and `tools`
    /// (false for none), and perhaps `tools`, their schemas.
    ///
    /// # Errors
    ///
    /// Not YAML, an unknown member, or no probe.
    pub fn from_yaml(text: &str) -> Result<Vec<Self>, String> {
        let file: ProbeFile = serde_yaml::from_str(text).map_err(|error| error.to_string())?;
        if file.probes.is_empty() {
            return Err("the list `probes` is empty".to_owned());
        }
        let with_schemas = |probe: Self| Self { schemas: file.tools.clone(), ..probe };
        Ok(file.probes.into_iter().map(with_schemas).collect())
    }

    /// The probe of a name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::all().into_iter().find(|probe| probe.name == name)
    }

    /// Its messages, with the tools if it has some.
    #[must_use]
    pub fn conversation(&self) -> Conversation {
        Conversation { messages: self.messages.clone(), tools: self.tools.then(|| self.schemas.clone()) }
    }
}
