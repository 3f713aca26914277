//! The files of chat templates: a template, a tokenizer's settings, a GGUF file, or a model's directory.

use std::fs::{self, File};
use std::io::{ErrorKind, Read as _};
use std::path::Path;

use anyhow::{Context as _, Result, anyhow};

use crate::system::disk::{Operation, attempt};
use crate::system::small_file;
use crate::template::engine::MAX_SOURCE_BYTES;
use crate::template::gguf;
use crate::template::request_facts::TemplateRequest;
use crate::template::source::{ModelFiles, TemplateSet};
use crate::template::tokens::{self, TokenFacts, TokenFiles};

/// Maximum size of a JSON file with templates or messages, in bytes.
pub const MAX_BYTES: u64 = 16 << 20;

/// Templates of `additional_chat_templates` that are read.
const MAX_ADDITIONAL: usize = 100;

/// Reads the templates of a file or of a model's directory. The error names it.
///
/// # Errors
/// It cannot be read, or has no template.
pub fn read(path: &Path) -> Result<TemplateSet> {
    let name = path.display().to_string();
    let read = if path.is_dir() { read_directory(path) } else { read_file(path) };
    read.with_context(|| format!("could not use the template {name}"))
}

/// The part of a request that a template states, with the tokens next to it.
///
/// # Errors
/// The template or its tokens cannot be read.
pub fn request_facts(path: &Path) -> Result<TemplateRequest> {
    let mut set = read(path)?;
    if let Some(tokens) = read_tokens(path)? {
        set.use_tokens(tokens);
    }
    Ok(TemplateRequest::new(&set))
}

fn read_file(path: &Path) -> Result<TemplateSet> {
    let mut file = attempt(Operation::Open, || File::open(path))?;
    let mut bytes = Vec::new();
    file.by_ref().take(gguf::MAGIC.len() as u64).read_to_end(&mut bytes)?;
    if bytes == gguf::MAGIC {
        // The weights follow the header, and are not read.
        file.take(gguf::HEAD_BYTES).read_to_end(&mut bytes)?;
    } else {
        file.take(MAX_BYTES).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > MAX_BYTES {
            return Err(anyhow!("it is larger than {MAX_BYTES} bytes"));
        }
    }
    TemplateSet::from_file(&path.display().to_string(), &bytes).map_err(|error| anyhow!("{error}"))
}

fn read_directory(folder: &Path) -> Result<TemplateSet> {
    let text = |path: &Path| -> Result<Option<String>> {
        let bytes = existing(path, MAX_SOURCE_BYTES as u64)?;
        bytes
            .map(|bytes| String::from_utf8(bytes).map_err(|_| anyhow!("{}: not valid UTF-8", path.display())))
            .transpose()
    };
    let mut files = ModelFiles {
        jinja: text(&folder.join("chat_template.jinja"))?,
        additional: Vec::new(),
        tokenizer_config: existing(&folder.join("tokenizer_config.json"), MAX_BYTES)?,
        chat_template_json: existing(&folder.join("chat_template.json"), MAX_BYTES)?,
    };
    let entries = fs::read_dir(folder.join("additional_chat_templates")).into_iter().flatten().flatten();
    let mut paths: Vec<_> = entries.map(|entry| entry.path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "jinja"));
    paths.sort();
    for path in paths.iter().take(MAX_ADDITIONAL) {
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        files.additional.extend(text(path)?.map(|source| (name, source)));
    }
    files.templates().map_err(|error| anyhow!("{error}"))
}

/// Reads the tokens of a model's directory, of a JSON file of its tokenizer, or of a GGUF file; nothing if there are none, as
/// for a template alone.
///
/// # Errors
/// It cannot be read, or has another form. The error names it.
pub fn read_tokens(path: &Path) -> Result<Option<TokenFacts>> {
    let name = path.display().to_string();
    let read = if path.is_dir() { directory_tokens(path) } else { file_tokens(path) };
    read.with_context(|| format!("could not use the tokenizer {name}"))
}

fn directory_tokens(folder: &Path) -> Result<Option<TokenFacts>> {
    let bytes = |name: &str, most: u64| existing(&folder.join(name), most);
    let files = TokenFiles {
        tokenizer: bytes("tokenizer.json", tokens::MAX_BYTES)?,
        tokenizer_config: bytes("tokenizer_config.json", MAX_BYTES)?,
        generation_config: bytes("generation_config.json", MAX_BYTES)?,
    };
    files.facts().map_err(|error| anyhow!("{error}"))
}

fn file_tokens(path: &Path) -> Result<Option<TokenFacts>> {
    if path.extension().is_some_and(|extension| extension == "jinja") {
        return Ok(None);
    }
    let mut file = attempt(Operation::Open, || File::open(path))?;
    let mut bytes = Vec::new();
    file.by_ref().take(gguf::MAGIC.len() as u64).read_to_end(&mut bytes)?;
    let most = if bytes == gguf::MAGIC { gguf::HEAD_BYTES } else { tokens::MAX_BYTES };
    file.take(most).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > tokens::MAX_BYTES {
        return Err(anyhow!("it is larger than {} bytes", tokens::MAX_BYTES));
    }
    TokenFacts::from_file(&bytes).map_err(|error| anyhow!("{error}"))
}

/// The `tokenizer_config.json` of a model's directory, or a path to one; `None` for other files, and if there is none.
///
/// # Errors
/// It cannot be read.
pub fn tokenizer_config(path: &Path) -> Result<Option<String>> {
    const NAME: &str = "tokenizer_config.json";
    let file = if path.is_dir() { path.join(NAME) } else { path.to_path_buf() };
    if file.file_name().is_none_or(|name| name != NAME) {
        return Ok(None);
    }
    Ok(existing(&file, MAX_BYTES)?.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()))
}

/// The bytes of a file, if it exists.
fn existing(path: &Path, most: u64) -> Result<Option<Vec<u8>>> {
    match small_file::read(path, most) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error).with_context(|| format!("could not read {}", path.display())),
    }
}
