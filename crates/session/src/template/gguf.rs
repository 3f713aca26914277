//! The part of a GGUF file's header that concerns prompts (llama.cpp: `docs/gguf.md`, versions 2 and 3).
//!
//! `tokenizer.chat_template` is the default template; `tokenizer.chat_templates` lists the names of others, which are in
//! `tokenizer.chat_template.NAME`. The texts of the special tokens are found by `tokenizer.ggml.bos_token_id` and its like in
//! `tokenizer.ggml.tokens`. All lengths are checked against the bytes that are there, so that no header allocates more.

use serde_json::{Map, Value};

/// First bytes of the file.
pub const MAGIC: &[u8] = b"GGUF";

/// Bytes of the head of a file that are enough for every header known: 260,000 tokens with their merges take 12 MB.
pub const HEAD_BYTES: u64 = 64 << 20;

/// Entries of a header; known ones have about 40.
const MAX_ENTRIES: u64 = 65_536;

/// Control and user-defined tokens that are kept; known models have at most 66,000.
const MAX_ADDED_TOKENS: usize = 1 << 20;

/// Most levels of arrays within arrays.
const MAX_DEPTH: usize = 4;

/// The templates and special tokens of a header.
#[derive(Debug, Default)]
pub struct GgufHeader {
    /// Templates as name and source; the default one, which has no name, comes first.
    pub templates: Vec<(Option<String>, String)>,
    /// Texts of special tokens, as variables of a template.
    pub special_tokens: Map<String, Value>,
    /// Control and user-defined tokens: id, text, and true if the type is "control".
    pub added_tokens: Vec<(u64, String, bool)>,
}

/// Reads the header at the beginning of a file.
///
/// # Errors
///
/// Another version, or a header that is cut or damaged.
pub fn header(bytes: &[u8]) -> Result<GgufHeader, String> {
    let mut reader = HeaderReader { bytes, at: MAGIC.len() };
    let version = reader.u32()?;
    if !matches!(version, 2 | 3) {
        return Err(format!("its GGUF version is {version}; 2 and 3 are read"));
    }
    _ = reader.u64()?;
    let entries = reader.u64()?;
    if entries > MAX_ENTRIES {
        return Err(format!("its header has more than {MAX_ENTRIES} entries"));
    }
    let (mut set, mut tokens, mut types, mut ids) = (GgufHeader::default(), None, None, Vec::new());
    for _ in 0..entries {
        let key = reader.text()?;
        let kind = reader.u32()?;
        match key.strip_prefix("tokenizer.") {
            Some("ggml.tokens") if kind == ARRAY => tokens = Some(reader.at),
            Some("ggml.token_type") if kind == ARRAY => types = Some(reader.at),
            Some("chat_template") if kind == TEXT => {
                set.templates.insert(0, (None, reader.text()?));
                continue;
            }
            Some(name) if kind == TEXT && name.starts_with("chat_template.") => {
                let name = name.trim_start_matches("chat_template.").to_owned();
                set.templates.push((Some(name), reader.text()?));
                continue;
            }
            Some(name) if matches!(kind, 4 | 5) && name.starts_with("ggml.") && name.ends_with("_token_id") => {
                let name = name.trim_start_matches("ggml.").trim_end_matches("_id");
                ids.push((long_name(name), u64::from(reader.u32()?)));
                continue;
            }
            _ => {}
        }
        reader.skip(kind, 0)?;
    }
    if let Some(at) = tokens {
        let types = types.map(|at| HeaderReader { bytes, at });
        set.read_tokens(HeaderReader { bytes, at }, types, &ids)?;
    }
    Ok(set)
}

impl GgufHeader {
    /// Reads the texts of the tokens that have a name or a type: `ids` has the names.
    fn read_tokens(
        &mut self,
        mut tokens: HeaderReader<'_>,
        types: Option<HeaderReader<'_>>,
        ids: &[(String, u64)],
    ) -> Result<(), String> {
        if tokens.u32()? != TEXT {
            return Ok(());
        }
        let count = tokens.u64()?;
        let mut types = types.filter(|types| types.is_of(INTEGERS, count)).map(HeaderReader::skipping_head);
        for id in 0..count {
            let kind = types.as_mut().map(HeaderReader::u32).transpose()?;
            let is_added = matches!(kind, Some(CONTROL | USER_DEFINED)) && self.added_tokens.len() < MAX_ADDED_TOKENS;
            let names: Vec<_> = ids.iter().filter(|(_, wanted)| *wanted == id).collect();
            if names.is_empty() && !is_added {
                tokens.skip(TEXT, 0)?;
                continue;
            }
            let text = tokens.text()?;
            for (name, _) in names {
                self.special_tokens.insert(name.clone(), Value::String(text.clone()));
            }
            if is_added {
                self.added_tokens.push((id, text, kind == Some(CONTROL)));
            }
        }
        Ok(())
    }
}

/// The name of a special token in a template.
fn long_name(name: &str) -> String {
    match name {
        "unknown_token" => "unk_token".to_owned(),
        "padding_token" => "pad_token".to_owned(),
        "seperator_token" => "sep_token".to_owned(),
        name => name.to_owned(),
    }
}

/// Number of the type of texts (`GGUF_TYPE_STRING`).
const TEXT: u32 = 8;

/// Number of the type of arrays (`GGUF_TYPE_ARRAY`).
const ARRAY: u32 = 9;

/// Number of the type of signed integers (`GGUF_TYPE_INT32`).
const INTEGERS: u32 = 5;

/// Type of a control token (`LLAMA_TOKEN_TYPE_CONTROL`).
const CONTROL: u32 = 3;

/// Type of a token that a model's authors added (`LLAMA_TOKEN_TYPE_USER_DEFINED`).
const USER_DEFINED: u32 = 4;

/// Reads numbers and texts of a header, little-endian.
#[derive(Clone, Copy)]
struct HeaderReader<'a> {
    bytes: &'a [u8],
    /// Offset of the next byte.
    at: usize,
}

impl HeaderReader<'_> {
    fn take(&mut self, length: u64) -> Result<&[u8], String> {
        let end = usize::try_from(length).ok().and_then(|length| self.at.checked_add(length));
        let taken = end.and_then(|end| self.bytes.get(self.at..end));
        let taken = taken.ok_or_else(|| format!("its GGUF header is cut or damaged at byte {}", self.at))?;
        self.at += taken.len();
        Ok(taken)
    }

    fn u32(&mut self) -> Result<u32, String> {
        let bytes = self.take(4)?;
        Ok(u32::from_le_bytes(bytes.try_into().unwrap_or_default()))
    }

    fn u64(&mut self) -> Result<u64, String> {
        let bytes = self.take(8)?;
        Ok(u64::from_le_bytes(bytes.try_into().unwrap_or_default()))
    }

    /// True if the array at this place has a type and a number of elements.
    fn is_of(mut self, kind: u32, count: u64) -> bool {
        self.u32() == Ok(kind) && self.u64() == Ok(count)
    }

    /// The place of the first element of an array.
    fn skipping_head(mut self) -> Self {
        self.at += 12;
        self
    }

    /// A text; bytes that are not UTF-8 are replaced.
    fn text(&mut self) -> Result<String, String> {
        let length = self.u64()?;
        self.take(length).map(|bytes| String::from_utf8_lossy(bytes).into_owned())
    }

    /// Skips a value of a type.
    fn skip(&mut self, kind: u32, depth: usize) -> Result<(), String> {
        let size = |kind: u32| match kind {
            0 | 1 | 7 => Some(1_u64),
            2 | 3 => Some(2),
            4..=6 => Some(4),
            10..=12 => Some(8),
            _ => None,
        };
        if let Some(size) = size(kind) {
            return self.take(size).map(drop);
        }
        match kind {
            TEXT => {
                let length = self.u64()?;
                self.take(length).map(drop)
            }
            ARRAY if depth < MAX_DEPTH => {
                let (kind, count) = (self.u32()?, self.u64()?);
                match size(kind) {
                    Some(size) => self.take(count.saturating_mul(size)).map(drop),
                    None => (0..count).try_for_each(|_| self.skip(kind, depth + 1)),
                }
            }
            _ => Err(format!("its GGUF header has a value of unknown type {kind} at byte {}", self.at)),
        }
    }
}
