//! Imports declarations of other programs: response templates of Hugging Face and structural tags of xgrammar.
//!
//! The members of a JSON text determine its kind.

use std::sync::Arc;

use serde_json::Value;

use super::declaration::{Declaration, ReadMode};
use super::form::Form;
use super::structural_tag;
use crate::diagnostic::{Code, Diagnostic};
use crate::dialect::response_template::{ResponseTemplate, Template};
use crate::text::Span;

/// Maximum length in bytes of an imported JSON text: a `tokenizer_config.json` lists all special tokens.
pub const MAX_JSON_BYTES: usize = 32 * 1024 * 1024;

/// Reads a dialect from a declaration in YAML, from a `tokenizer_config.json` with a response template or that
/// template alone, or from a structural tag. A dialect without a name gets `name`.
///
/// # Errors
/// All problems found, with spans in the text.
pub fn read(text: &str, name: &str) -> Result<Declaration, Vec<Diagnostic>> {
    if !text.trim_start().starts_with('{') {
        return Declaration::parse(text);
    }
    let is_allowed = |c: &char| c.is_ascii_alphanumeric() || "-_.".contains(*c);
    let name: String = name.chars().filter(is_allowed).collect();
    let name = if name.is_empty() { "imported" } else { &*name };
    // Text that is not JSON is reported, with its position, by the reader of templates.
    let json: Value = serde_json::from_str(text).unwrap_or_default();
    let fault = |message: String| vec![Diagnostic::new(Code::InvalidDeclaration, Span::at(0), message)];
    if json["type"] == "structural_tag" {
        let yaml = structural_tag::declaration(text, name).map_err(fault)?;
        return Declaration::parse(&yaml);
    }
    if json.get("dialect").is_some() {
        return Declaration::parse(text);
    }
    if json.get("response_schema").is_some() && json.get("response_template").is_none() {
        let message = "this has a response_schema, which transformers dropped; it needs a response_template";
        return Err(fault(message.to_owned()));
    }
    let template = Template::from_json(text).map_err(|errors| {
        let problem = |error: crate::dialect::response_template::LoadError| {
            Diagnostic::new(Code::InvalidDeclaration, error.span, error.message).help(error.help)
        };
        errors.into_iter().map(problem).collect::<Vec<_>>()
    })?;
    let template = Arc::new(template);
    let info = ResponseTemplate::info(name, &template);
    Ok(Declaration {
        info,
        reading: ReadMode::Named,
        source: text.into(),
        file: None,
        examples: Vec::new(),
        forms: vec![Form::Template(info, template)],
        named_forms: Vec::new(),
        regions: Vec::new(),
    })
}
