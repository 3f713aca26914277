//! Chat templates and special tokens in the files that carry them.
//!
//! - a `.jinja` file is a template;
//! - `tokenizer_config.json`, `processor_config.json` and `chat_template.json` have `chat_template`: a text, or a list of
//!   `{name, template}`. Special tokens are texts or objects with `content`;
//! - the header of a GGUF file ([`gguf`]).
//!
//! Which file of a model's directory counts is decided by [`ModelFiles::templates`], as transformers does it.

use std::path::Path;

use serde_json::{Map, Value};

use super::gguf;
use super::tokens::TokenFacts;

/// Name of a template that a file does not name.
pub const DEFAULT_NAME: &str = "default";

/// A chat template as a file has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChatTemplate {
    /// Its name: `default`, `tool_use`, …
    pub name: String,
    /// The file it is from, as messages name it.
    pub file: String,
    /// Text of the template, as the file has it.
    pub source: String,
}

/// Templates and special tokens of a file or a directory.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct TemplateSet {
    /// The templates; the first one is used unless another is named.
    pub templates: Vec<ChatTemplate>,
    /// Special tokens, as variables of the template: `bos_token`, `eos_token`, …
    pub special_tokens: Map<String, Value>,
    /// Name of a file whose template differs from the one that counts. Other programs may use it.
    pub differing_file: Option<String>,
    /// Tokens of the model, if a caller has read them.
    pub tokens: Option<TokenFacts>,
}

/// The files of a model's directory that may hold a template, if they exist.
#[derive(Debug, Clone, Default)]
pub struct ModelFiles {
    /// Text of `chat_template.jinja`, which counts before the JSON files.
    pub jinja: Option<String>,
    /// `additional_chat_templates/NAME.jinja`, as name and text.
    pub additional: Vec<(String, String)>,
    /// Bytes of `tokenizer_config.json`, which has the special tokens, too.
    pub tokenizer_config: Option<Vec<u8>>,
    /// Bytes of `chat_template.json`, which models with a processor have.
    pub chat_template_json: Option<Vec<u8>>,
}

impl TemplateSet {
    /// The templates of a file, told apart by its content.
    ///
    /// # Errors
    ///
    /// A GGUF header or a JSON object that is damaged or has no template; text that is not UTF-8.
    pub fn from_file(file: &str, bytes: &[u8]) -> Result<Self, String> {
        if bytes.starts_with(gguf::MAGIC) {
            let header = gguf::header(bytes)?;
            if header.templates.is_empty() {
                return Err("its header has no chat template".to_owned());
            }
            let named = header.templates.iter();
            let templates =
                named.map(|(name, source)| ChatTemplate::new(name.as_deref().unwrap_or(DEFAULT_NAME), file, source));
            return Ok(Self {
                templates: templates.collect(),
                special_tokens: header.special_tokens,
                ..Self::default()
            });
        }
        let mut first = bytes.iter().filter(|byte| !byte.is_ascii_whitespace());
        let is_object = first.next() == Some(&b'{') && matches!(first.next(), Some(b'"' | b'}'));
        if is_object || Path::new(file).extension().is_some_and(|extension| extension == "json") {
            let set = Self::from_json(file, bytes)?;
            return if set.templates.is_empty() { Err("it has no chat_template".to_owned()) } else { Ok(set) };
        }
        let source = String::from_utf8(bytes.to_vec()).map_err(|_| "it is not valid UTF-8".to_owned())?;
        Ok(Self { templates: vec![ChatTemplate::new(DEFAULT_NAME, file, &source)], ..Self::default() })
    }

    /// The template that transformers takes: `tool_use` if there are tools and it exists, else the first one.
    #[must_use]
    pub fn chosen(&self, has_tools: bool) -> Option<&ChatTemplate> {
        let of_tools = |template: &&ChatTemplate| has_tools && template.name == "tool_use";
        self.templates.iter().find(of_tools).or(self.templates.first())
    }

    /// The special tokens; usual ones if the files name none, as a template alone does: many templates fail without.
    #[must_use]
    pub fn usual_tokens(&self) -> Map<String, Value> {
        const USUAL: [(&str, &str); 4] =
            [("bos_token", "<s>"), ("eos_token", "</s>"), ("unk_token", "<unk>"), ("pad_token", "<pad>")];
        if !self.special_tokens.is_empty() {
            return self.special_tokens.clone();
        }
        USUAL.iter().map(|(name, token)| ((*name).to_owned(), Value::from(*token))).collect()
    }

    /// Uses the tokens of another tokenizer; its named tokens replace the ones of the same names.
    pub fn use_tokens(&mut self, tokens: TokenFacts) {
        self.special_tokens.extend(tokens.named.clone());
        self.tokens = Some(tokens);
    }

    /// The templates and special tokens of a JSON file; it may have none.
    fn from_json(file: &str, bytes: &[u8]) -> Result<Self, String> {
        let value: Value = serde_json::from_slice(bytes).map_err(|error| format!("it is not JSON: {error}"))?;
        let Value::Object(config) = value else {
            return Err("it is not an object with a chat_template, as tokenizer_config.json is".to_owned());
        };
        let mut set = Self { special_tokens: special_tokens(&config), ..Self::default() };
        match config.get("chat_template") {
            Some(Value::String(source)) => set.templates.push(ChatTemplate::new(DEFAULT_NAME, file, source)),
            Some(Value::Array(named)) => {
                for entry in named {
                    let text = |key: &str| entry.get(key).and_then(Value::as_str);
                    if let (Some(name), Some(source)) = (text("name"), text("template")) {
                        set.templates.push(ChatTemplate::new(name, file, source));
                    }
                }
            }
            _ => {}
        }
        // The one that is named so comes first.
        set.templates.sort_by_key(|template| template.name != DEFAULT_NAME);
        Ok(set)
    }
}

impl ChatTemplate {
    /// A template of a file.
    #[must_use]
    pub fn new(name: &str, file: &str, source: &str) -> Self {
        Self { name: name.to_owned(), file: file.to_owned(), source: source.to_owned() }
    }
}

impl ModelFiles {
    /// The templates of the directory: `chat_template.jinja` and its additional ones, else `chat_template.json`, else
    /// `tokenizer_config.json`. The conversion to GGUF prefers the last ones; so a difference is reported.
    ///
    /// # Errors
    ///
    /// A JSON file is damaged, or there is no template.
    pub fn templates(&self) -> Result<TemplateSet, String> {
        let parsed = |name: &str, bytes: &Option<Vec<u8>>| match bytes {
            Some(bytes) => TemplateSet::from_json(name, bytes).map_err(|error| format!("{name}: {error}")),
            None => Ok(TemplateSet::default()),
        };
        let inline = parsed("tokenizer_config.json", &self.tokenizer_config)?;
        let processor = parsed("chat_template.json", &self.chat_template_json)?;
        let mut files = Vec::new();
        if let Some(source) = &self.jinja {
            files.push(ChatTemplate::new(DEFAULT_NAME, "chat_template.jinja", source));
        }
        for (name, source) in &self.additional {
            files.push(ChatTemplate::new(name, &format!("additional_chat_templates/{name}.jinja"), source));
        }
        let all = [files, processor.templates, inline.templates];
        let mut present = all.into_iter().filter(|templates| !templates.is_empty());
        let Some(templates) = present.next() else { return Err("it has no chat template".to_owned()) };
        let differing_file = present.flatten().find(|other| {
            templates
                .iter()
                .any(|template| template.name == other.name && template.source.trim_end() != other.source.trim_end())
        });
        let mut special_tokens = processor.special_tokens;
        special_tokens.extend(inline.special_tokens);
        let differing_file = differing_file.map(|template| template.file);
        Ok(TemplateSet { templates, special_tokens, differing_file, tokens: None })
    }
}

/// Members whose name ends in `_token`: texts, or objects with `content` (`AddedToken` of transformers).
fn special_tokens(config: &Map<String, Value>) -> Map<String, Value> {
    let token = |value: &Value| match value {
        Value::String(text) => Some(text.clone()),
        Value::Object(members) => members.get("content").and_then(Value::as_str).map(str::to_owned),
        _ => None,
    };
    let named = config.iter().filter(|(name, _)| name.ends_with("_token"));
    named.filter_map(|(name, value)| Some((name.clone(), Value::String(token(value)?)))).collect()
}
