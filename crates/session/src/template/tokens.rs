//! Control tokens and other added tokens of a model, from the files of a tokenizer, without its vocabulary.
//!
//! - `tokenizer.json`: `added_tokens`. It may have 40 MB; everything else in it is skipped without being built;
//! - `tokenizer_config.json`: `added_tokens_decoder` for models without that file, `eos_token`, and the lists of further special
//!   tokens, which transformers adds as special ones;
//! - `generation_config.json`: `eos_token_id`, one or several;
//! - the header of a GGUF file ([`gguf`]): tokens of the types "control" and "user defined".
//!
//! Every token here is one token wherever its text occurs. A **special** one is left out of the decoded text by
//! `skip_special_tokens`.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;

use serde::de::{Error as _, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

use super::gguf::{self, GgufHeader};

#[cfg(test)]
mod tests;

/// Maximum size of a `tokenizer.json` in bytes; the largest ones known have 40 MB.
pub const MAX_BYTES: u64 = 256 << 20;

/// Added tokens that are read; models of speech have 65,000.
const MAX_TOKENS: usize = 1 << 20;

/// A token whose text is never split.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct AddedToken {
    /// Its number in the vocabulary.
    pub id: u64,
    /// Its text.
    pub content: String,
    /// True if `skip_special_tokens` leaves it out.
    #[serde(rename = "special")]
    pub is_special: bool,
    /// True if it is not found within a word.
    pub single_word: bool,
}

/// The files of a tokenizer, if they exist.
#[derive(Debug, Clone, Default)]
pub struct TokenFiles {
    /// Bytes of `tokenizer.json`.
    pub tokenizer: Option<Vec<u8>>,
    /// Bytes of `tokenizer_config.json`.
    pub tokenizer_config: Option<Vec<u8>>,
    /// Bytes of `generation_config.json`.
    pub generation_config: Option<Vec<u8>>,
}

/// The tokens of a model that are known without its tokenizer.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TokenFacts {
    /// Added tokens by their texts.
    pub added: BTreeMap<String, AddedToken>,
    /// Texts of the tokens that end an answer: the tokenizer's `eos_token` and the ids of the generation's settings.
    pub stops: Vec<String>,
    /// Texts of named tokens, as variables of a template: `bos_token`, `eos_token`, …
    pub named: Map<String, Value>,
    /// True if all tokens that end an answer are known. A tokenizer alone does not say which ones the generation has.
    pub has_all_stops: bool,
}

impl AddedToken {
    /// True if it begins at a byte of a text.
    fn is_at(&self, text: &str, at: usize) -> bool {
        let is_there = !self.content.is_empty() && text.as_bytes()[at..].starts_with(self.content.as_bytes());
        let is_word = |character: Option<char>| character.is_some_and(|c| c.is_alphanumeric() || c == '_');
        is_there
            && !(self.single_word
                && (is_word(text[..at].chars().next_back()) || is_word(text[at + self.content.len()..].chars().next())))
    }
}

impl TokenFiles {
    /// The tokens of these files; nothing if no file has any.
    ///
    /// # Errors
    ///
    /// A file is not JSON of the known form; the message names it.
    pub fn facts(&self) -> Result<Option<TokenFacts>, String> {
        let named = [
            ("tokenizer.json", &self.tokenizer),
            ("tokenizer_config.json", &self.tokenizer_config),
            ("generation_config.json", &self.generation_config),
        ];
        let mut records = Vec::new();
        for (name, bytes) in named {
            if let Some(bytes) = bytes {
                records.push(TokenRecord::from_json(bytes).map_err(|error| format!("{name}: {error}"))?);
            }
        }
        Ok(TokenFacts::from_records(records, self.generation_config.is_some()))
    }
}

impl TokenFacts {
    /// The tokens of one file: a GGUF header, or one of the JSON files that [`TokenFiles`] has.
    ///
    /// # Errors
    ///
    /// A damaged header, or a file that is not JSON of the known form.
    pub fn from_file(bytes: &[u8]) -> Result<Option<Self>, String> {
        if bytes.starts_with(gguf::MAGIC) {
            return gguf::header(bytes).map(Self::from_gguf);
        }
        Ok(Self::from_records(vec![TokenRecord::from_json(bytes)?], false))
    }

    /// The tokens of JSON files. Of several with one text the first counts: the tokenizer's before its settings'.
    fn from_records(records: Vec<TokenRecord>, has_all_stops: bool) -> Option<Self> {
        let mut facts = Self { has_all_stops, ..Self::default() };
        let (mut texts, mut special, mut stop_ids) = (BTreeMap::new(), Vec::new(), Vec::new());
        for record in records {
            special.extend(record.special_texts());
            for (name, token) in record.named_tokens() {
                facts.named.entry(name).or_insert_with(|| Value::String(token));
            }
            facts.stops.extend(record.eos_token.as_ref().and_then(token_text));
            match &record.eos_token_id {
                Some(Value::Array(ids)) => stop_ids.extend(ids.iter().filter_map(Value::as_u64)),
                id => stop_ids.extend(id.as_ref().and_then(Value::as_u64)),
            }
            let decoder = record.added_tokens_decoder.into_iter();
            let decoder = decoder.filter_map(|(id, token)| Some(AddedToken { id: id.parse().ok()?, ..token }));
            for token in record.added_tokens.into_iter().chain(decoder) {
                texts.entry(token.id).or_insert_with(|| token.content.clone());
                facts.added.entry(token.content.clone()).or_insert(token);
            }
        }
        for text in special {
            if let Some(token) = facts.added.get_mut(&text) {
                token.is_special = true;
            }
        }
        facts.stops.extend(stop_ids.iter().filter_map(|id| texts.get(id).cloned()));
        (!facts.added.is_empty()).then_some(facts)
    }

    /// The tokens of a GGUF header. llama.cpp ends an answer at further tokens, which it knows by their texts.
    #[must_use]
    pub fn from_gguf(header: GgufHeader) -> Option<Self> {
        let token = |(id, content, is_special): (u64, String, bool)| {
            (content.clone(), AddedToken { id, content, is_special, ..AddedToken::default() })
        };
        let added: BTreeMap<_, _> = header.added_tokens.into_iter().map(token).collect();
        let stop = |name: &str| header.special_tokens.get(name).and_then(Value::as_str).map(str::to_owned);
        let stops = ["eos_token", "eot_token", "eom_token"].into_iter().filter_map(stop).collect();
        (!added.is_empty()).then_some(Self { added, stops, named: header.special_tokens, has_all_stops: false })
    }

    /// The token with this text, if it is one token.
    #[must_use]
    pub fn get(&self, text: &str) -> Option<&AddedToken> {
        self.added.get(text)
    }

    /// The tokens in a text with their byte ranges, from left to right: where several begin, the longest.
    #[must_use]
    pub fn find(&self, text: &str) -> Vec<(Range<usize>, &AddedToken)> {
        let mut by_byte: BTreeMap<u8, Vec<&AddedToken>> = BTreeMap::new();
        for token in self.added.values() {
            by_byte.entry(token.content.bytes().next().unwrap_or_default()).or_default().push(token);
        }
        for tokens in by_byte.values_mut() {
            tokens.sort_by_key(|token| Reverse(token.content.len()));
        }
        let (mut found, mut at) = (Vec::new(), 0);
        while at < text.len() {
            let begins = |token: &&&AddedToken| token.is_at(text, at);
            match by_byte.get(&text.as_bytes()[at]).and_then(|tokens| tokens.iter().find(begins)) {
                Some(token) => {
                    found.push((at..at + token.content.len(), *token));
                    at += token.content.len();
                }
                None => at += 1,
            }
        }
        found
    }

    /// A text as a parser gets it after `skip_special_tokens`.
    #[must_use]
    pub fn without_special(&self, text: &str) -> String {
        let (mut kept, mut at) = (String::with_capacity(text.len()), 0);
        for (range, _) in self.find(text).into_iter().filter(|(_, token)| token.is_special) {
            kept.push_str(&text[at..range.start]);
            at = range.end;
        }
        kept + &text[at..]
    }
}

/// The members of all JSON files of a tokenizer that concern its tokens.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct TokenRecord {
    #[serde(deserialize_with = "bounded")]
    added_tokens: Vec<AddedToken>,
    added_tokens_decoder: BTreeMap<String, AddedToken>,
    additional_special_tokens: Value,
    extra_special_tokens: Value,
    bos_token: Option<Value>,
    eos_token: Option<Value>,
    unk_token: Option<Value>,
    pad_token: Option<Value>,
    eos_token_id: Option<Value>,
}

impl TokenRecord {
    fn from_json(bytes: &[u8]) -> Result<Self, String> {
        serde_json::from_slice(bytes).map_err(|error| format!("it has no tokens in the known form: {error}"))
    }

    /// Names of variables with the texts of their tokens.
    fn named_tokens(&self) -> impl Iterator<Item = (&'static str, String)> {
        let named = [
            ("bos_token", &self.bos_token),
            ("eos_token", &self.eos_token),
            ("unk_token", &self.unk_token),
            ("pad_token", &self.pad_token),
        ];
        named.into_iter().filter_map(|(name, token)| Some((name, token_text(token.as_ref()?)?)))
    }

    /// Texts that transformers adds as special tokens.
    fn special_texts(&self) -> Vec<String> {
        let listed =
            [&self.additional_special_tokens, &self.extra_special_tokens].into_iter().flat_map(|list| match list {
                Value::Array(tokens) => tokens.iter().filter_map(token_text).collect(),
                Value::Object(tokens) => tokens.values().filter_map(token_text).collect(),
                _ => Vec::new(),
            });
        let named = [&self.bos_token, &self.eos_token, &self.unk_token, &self.pad_token];
        listed.chain(named.into_iter().flatten().filter_map(token_text)).collect()
    }
}

/// The text of a token: a string, or an object with `content`.
fn token_text(value: &Value) -> Option<String> {
    value.as_str().or_else(|| value.get("content")?.as_str()).map(str::to_owned)
}

/// A list of tokens that ends with an error before it fills the memory.
fn bounded<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<AddedToken>, D::Error> {
    struct TokenList;

    impl<'de> Visitor<'de> for TokenList {
        type Value = Vec<AddedToken>;

        fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
            formatter.write_str("a list of added tokens")
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
            let mut tokens = Vec::new();
            while let Some(token) = list.next_element()? {
                if tokens.len() == MAX_TOKENS {
                    return Err(A::Error::custom(format!("it has more than {MAX_TOKENS} added tokens")));
                }
                tokens.push(token);
            }
            Ok(tokens)
        }
    }

    deserializer.deserialize_seq(TokenList)
}
