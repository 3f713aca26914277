//! Parsing options as users write them: on the command line, in the environment, in a case.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::{Error, Result, ensure};
use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use serde::{Deserialize, Serialize};

use super::{containers, declarations, prices, schemas};
use crate::container::{Container, ContainerInfo};
use crate::dialect::declared::Declaration;
use crate::dialect::gadget::{Marker, Markers};
use crate::dialect::{DialectInfo, Examples, Options, TextCalls};

/// The name that selects all dialects, or the container detected from the content.
const AUTO: &str = "auto";

/// How a transcript is to be read; what is left out is as usual.
#[derive(Clone, Debug, Default, PartialEq, Eq, Args, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[expect(clippy::doc_markdown, reason = "the help shows markers verbatim")]
pub struct ReadOptions {
    /// Read only calls in this dialect, or as another program's parser does: vllm:qwen3_coder; repeatable [default: auto]
    #[arg(long = "dialect", alias = "tool-syntax", value_name = "NAME", help_heading = "Parsing")]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub dialects: Vec<String>,
    /// Read also calls in the dialect that this YAML file declares; repeatable
    ///
    /// transcope dialect new proposes such a file, and transcope dialect check tests it. Files in
    /// $XDG_CONFIG_HOME/transcope/dialects and in .transcope/dialects of the project are read without being named.
    #[arg(long = "dialect-file", value_name = "FILE", help_heading = "Parsing")]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub dialect_files: Vec<PathBuf>,
    /// Declarations that were packed with these options.
    #[arg(skip)]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub declarations: Vec<PackedDeclaration>,
    /// Read also files of the container that this YAML file declares; repeatable
    ///
    /// Files in $XDG_CONFIG_HOME/transcope/containers and in .transcope/containers of the project are used without being
    /// named; transcope container show NAME prints a built-in declaration to start from.
    #[arg(long = "container-file", value_name = "FILE", help_heading = "Parsing")]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub container_files: Vec<PathBuf>,
    /// Declarations of containers that were packed with these options.
    #[arg(skip)]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub container_declarations: Vec<String>,
    /// Container format of the file [default: auto]
    #[arg(long, value_name = "NAME", help_heading = "Parsing")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub container: Option<String>,
    /// JSON file that maps tool names to the JSON Schemas of their parameters
    #[arg(long, value_name = "FILE", help_heading = "Parsing")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub schema: Option<PathBuf>,
    /// Estimate costs that the file does not record with this table: LiteLLM's model_prices_and_context_window.json or
    /// the api.json of models.dev
    #[arg(long, value_name = "FILE", help_heading = "Parsing")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prices: Option<PathBuf>,
    /// Read as this runtime does, or one of its parsers: vllm, sglang, llama.cpp, mlx-lm, hf, harmony, smg,
    /// ollama, dynamo, lmdeploy, tabby; vllm:hermes, vllm@0.28:hermes as it was in an older release
    #[arg(long, value_name = "NAME", help_heading = "Parsing")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub runtime: Option<String>,
    /// What markers in code fences and quotations are [default: calls]
    #[arg(long, value_name = "WHAT", value_parser = examples(), help_heading = "Parsing")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub examples: Option<Examples>,
    /// Whether to search the model's text for calls [default: auto]
    #[arg(long, value_name = "WHEN", value_parser = text_calls(), help_heading = "Parsing")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text_calls: Option<TextCalls>,
    /// Start marker of gadget blocks [default: !!!GADGET_START:]
    #[arg(long, value_name = "S", help_heading = "Parsing", allow_hyphen_values = true)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start_prefix: Option<String>,
    /// End marker of gadget blocks [default: !!!GADGET_END]
    #[arg(long, value_name = "S", help_heading = "Parsing", allow_hyphen_values = true)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end_prefix: Option<String>,
    /// Argument marker of gadget blocks [default: !!!ARG:]
    #[arg(long, value_name = "S", help_heading = "Parsing", allow_hyphen_values = true)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arg_prefix: Option<String>,
    /// Report more than one triple-caret block in a message as an error
    #[arg(long, help_heading = "Parsing")]
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub one_call_per_message: bool,
}

/// Declarations in the folders of the user and the project, which are used without being named.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Known<'a> {
    pub(crate) dialects: &'a [Arc<Declaration>],
    pub(crate) containers: &'a [&'static ContainerInfo],
}

/// A declaration of a dialect that is shared together with a text that uses it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PackedDeclaration {
    /// The source text of the declaration.
    pub(crate) yaml: String,
    /// True if the dialect is read as if it were named.
    #[serde(default)]
    pub(crate) named: bool,
}

impl ReadOptions {
    /// Options that differ from the defaults, except schemas and prices, whose file names are unknown here.
    pub fn from_dialect(options: &Options) -> Self {
        let usual = Markers::default();
        let changed = |marker: Marker| {
            let words = options.markers.text(marker);
            (words != usual.text(marker)).then(|| words.to_owned())
        };
        Self {
            dialects: options.only.iter().map(|about| about.name.to_owned()).collect(),
            declarations: options.declared.iter().map(|given| packed(given, options)).collect(),
            examples: (options.examples != Examples::default()).then_some(options.examples),
            text_calls: (options.text_calls != TextCalls::default()).then_some(options.text_calls),
            start_prefix: changed(Marker::Start),
            end_prefix: changed(Marker::End),
            arg_prefix: changed(Marker::Argument),
            one_call_per_message: options.one_call_per_message,
            runtime: options.runtime.as_ref().map(ToString::to_string),
            ..Self::default()
        }
    }

    /// These options; missing ones are taken from `next`.
    #[must_use]
    pub fn or(self, next: Self) -> Self {
        Self {
            dialects: if self.dialects.is_empty() { next.dialects } else { self.dialects },
            dialect_files: if self.dialect_files.is_empty() { next.dialect_files } else { self.dialect_files },
            declarations: if self.declarations.is_empty() { next.declarations } else { self.declarations },
            container_files: if self.container_files.is_empty() { next.container_files } else { self.container_files },
            container_declarations: if self.container_declarations.is_empty() {
                next.container_declarations
            } else {
                self.container_declarations
            },
            container: self.container.or(next.container),
            schema: self.schema.or(next.schema),
            prices: self.prices.or(next.prices),
            runtime: self.runtime.or(next.runtime),
            examples: self.examples.or(next.examples),
            text_calls: self.text_calls.or(next.text_calls),
            start_prefix: self.start_prefix.or(next.start_prefix),
            end_prefix: self.end_prefix.or(next.end_prefix),
            arg_prefix: self.arg_prefix.or(next.arg_prefix),
            one_call_per_message: self.one_call_per_message || next.one_call_per_message,
        }
    }

    /// Resolves the names; files are searched for relative to `folder`. Dialects in `known` may be named like built-in
    /// ones, and are otherwise read in the mode that they declare.
    ///
    /// # Errors
    /// An unknown container or dialect, ambiguous markers, or a file that cannot be used.
    pub(crate) fn resolve(&self, folder: &Path, known: Known<'_>) -> Result<(Container, Options)> {
        let [start, end, argument] = [&self.start_prefix, &self.end_prefix, &self.arg_prefix].map(Option::as_deref);
        let mut options = Options {
            declared: known.dialects.to_vec(),
            additional: Vec::new(),
            markers: Markers::custom(start, end, argument).map_err(Error::msg)?,
            examples: self.examples.unwrap_or_default(),
            text_calls: self.text_calls.unwrap_or_default(),
            schemas: self.schema.as_ref().map(|schema| schemas::read(&folder.join(schema))).transpose()?,
            prices: self.prices.as_ref().map(|path| prices::read(&folder.join(path))).transpose()?,
            one_call_per_message: self.one_call_per_message,
            runtime: self.runtime.as_deref().map(|name| name.parse().map_err(Error::msg)).transpose()?,
            portable: None,
            only: Vec::new(),
        };
        self.declare(folder, &mut options)?;
        options.only = self.named_dialects(&options)?;
        let known = Container::among(&self.containers(folder, known.containers)?);
        let container = known.with_name(self.container.as_deref().unwrap_or(AUTO)).map_err(Error::msg)?;
        Ok((container, options))
    }

    /// The containers that the user declares: those packed with these options or named by them, and the known ones.
    fn containers(&self, folder: &Path, known: &[&'static ContainerInfo]) -> Result<Vec<&'static ContainerInfo>> {
        let most = declarations::MAX_FILES;
        let named = self.container_files.len().max(self.container_declarations.len());
        ensure!(named <= most, "more than {most} containers are declared");
        let mut all = Vec::new();
        for yaml in &self.container_declarations {
            containers::add(&mut all, containers::parse("settings", yaml, None)?);
        }
        for path in &self.container_files {
            containers::add(&mut all, containers::read(&folder.join(path))?);
        }
        let is_new = |about: &&'static ContainerInfo| !all.iter().any(|named| named.name == about.name);
        let rest: Vec<_> = known.iter().copied().filter(is_new).collect();
        all.extend(rest);
        Ok(all)
    }

    /// Adds the declarations packed with these options or named by them.
    fn declare(&self, folder: &Path, options: &mut Options) -> Result<()> {
        let most = declarations::MAX_FILES;
        ensure!(
            self.declarations.len().max(self.dialect_files.len()) <= most,
            "more than {most} dialects are declared"
        );
        let mut named = Vec::new();
        for packed in &self.declarations {
            let declaration = declarations::parse("settings", &packed.yaml)?;
            named.extend(packed.named.then_some(declaration.info));
            declarations::add(&mut options.declared, declaration);
        }
        for path in &self.dialect_files {
            let declaration = declarations::read(&folder.join(path))?;
            named.push(declaration.info);
            declarations::add(&mut options.declared, declaration);
        }
        options.additional = named;
        Ok(())
    }

    /// Resolves the names of dialects; empty if all are read.
    fn named_dialects(&self, options: &Options) -> Result<Vec<&'static DialectInfo>> {
        let known = self.dialects.iter().filter(|name| *name != AUTO);
        let known = known.map(|name| options.find(name).map_err(Error::msg)).collect::<Result<Vec<_>>>()?;
        Ok(if self.dialects.iter().any(|name| name == AUTO) { Vec::new() } else { known })
    }
}

fn packed(given: &Arc<Declaration>, options: &Options) -> PackedDeclaration {
    PackedDeclaration { yaml: given.source.to_string(), named: options.additional.contains(&given.info) }
}

/// Parser of `--examples`.
pub fn examples() -> impl TypedValueParser<Value = Examples> {
    one_of(&[
        ("calls", "Calls, as the runtime takes them, each with a warning", Examples::Calls),
        ("prose", "Prose", Examples::Prose),
    ])
}

/// Parser of `--text-calls`.
pub fn text_calls() -> impl TypedValueParser<Value = TextCalls> {
    one_of(&[
        ("auto", "Not where the agent takes its calls from records, unless a dialect is named", TextCalls::Auto),
        ("read", "Always", TextCalls::Read),
        ("ignore", "Never in a recorded session: only its records are calls", TextCalls::Ignore),
    ])
}

/// Parser of an option that takes one of these values, each with its name and its help.
fn one_of<T: Copy + Send + Sync + 'static>(
    values: &'static [(&'static str, &'static str, T)],
) -> impl TypedValueParser<Value = T> {
    let possible = values.iter().map(|&(name, help, _)| PossibleValue::new(name).help(help));
    PossibleValuesParser::new(possible).map(|name| {
        let chosen = values.iter().find(|(known, ..)| *known == name);
        chosen.map(|&(.., value)| value).expect("clap accepts no other")
    })
}
