//! The variation between rounds of a sample: ids, times, the model, whether tools failed, and the length of texts.
//!
//! Samples are the project's, so their depth is known. Independent of the files that hold a session.

use std::fmt::Write as _;
use std::hash::{Hash, Hasher};

use serde_json::{Map, Value};

use crate::generate::{CODE, Chance, PROSE};
use crate::sample::Sample;
use crate::times;

/// Models by the word that their names begin with.
const MODELS: [(&str, [&str; 3]); 5] = [
    ("claude", ["claude-sonnet-4-5-20250929", "claude-opus-4-5-20251101", "claude-haiku-4-5-20251001"]),
    ("gpt", ["gpt-5.2", "gpt-5.2-codex", "gpt-5-mini"]),
    ("gemini", ["gemini-2.5-pro", "gemini-2.5-flash", "gemini-3-pro"]),
    ("models/gemini", ["models/gemini-2.5-pro", "models/gemini-2.5-flash", "models/gemini-3-pro"]),
    ("qwen", ["qwen3-max", "qwen3-coder-plus", "qwen3:8b"]),
];

/// Of five failures in samples, how many are kept for each of three models.
const FAILURES_KEPT: [u64; 3] = [2, 1, 4];

/// Keys of messages and of tool output.
const SAID: [&str; 7] = ["text", "content", "output", "stdout", "thinking", "message", "result"];

/// Keys of the arguments and declarations of tools, which are not made longer.
const EXACT: [&str; 9] =
    ["input", "arguments", "args", "function", "tools", "toolCall", "action", "system", "systemInstruction"];

/// Keys whose strings are names, and never ids.
const NAMES: [&str; 8] = ["name", "type", "role", "kind", "subtype", "status", "tool", "tool_name"];

/// A hash of several values that is the same in every run and with every toolchain.
pub fn hash(value: impl Hash) -> u64 {
    let mut hasher = Fnv(0xcbf2_9ce4_8422_2325);
    value.hash(&mut hasher);
    hasher.finish()
}

/// The FNV-1a hash, with the last step of `SplitMix64`, so that similar values have different hashes.
struct Fnv(u64);

impl Hasher for Fnv {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    fn finish(&self) -> u64 {
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }
}

/// The individual variation of a session.
pub struct Variation {
    /// The seed of its ids.
    pub salt: u64,
    /// Index of its model, out of three.
    pub model: usize,
    /// The id of the sub-agent whose session it is; `None` for the main agent.
    pub aside: Option<String>,
    /// The id of the last record with an id, which the next round follows.
    pub last_id: Option<String>,
}

/// The variation of a round.
pub struct Round<'a> {
    /// Its number in the session; ids differ between rounds.
    pub number: u64,
    /// The sample that it is made of.
    pub sample: &'a Sample,
    /// The first time in its sample, in milliseconds since 1970.
    pub from: i64,
    /// The new first time, in milliseconds since 1970.
    pub to: i64,
    /// The factor for distances between times, in thousandths.
    pub pace: i64,
    /// Average number of bytes added to each text.
    pub growth: u64,
}

impl Variation {
    /// A record of a round.
    pub fn record(&mut self, round: &Round<'_>, value: &Value) -> Value {
        let mut varied = self.value(round, value, "", Place::Said);
        let Some(record) = varied.as_object_mut() else { return varied };
        for key in ["parentUuid", "parentId"] {
            if let Some(parent) = record.get_mut(key).filter(|parent| parent.is_null())
                && let Some(last) = &self.last_id
            {
                *parent = last.as_str().into();
            }
        }
        if let Some(agent) = &self.aside {
            record.insert("isSidechain".into(), true.into());
            record.insert("agentId".into(), agent.as_str().into());
        }
        let id = record.get("uuid").or_else(|| record.get("id")).and_then(Value::as_str);
        self.last_id = id.map(str::to_owned).or(self.last_id.take());
        varied
    }

    fn value(&self, round: &Round<'_>, value: &Value, key: &str, place: Place) -> Value {
        match value {
            Value::Object(members) => {
                let vary = |(key, member): (&String, &Value)| {
                    let place = if EXACT.contains(&key.as_str()) { Place::Exact } else { place };
                    (self.id_of(round, key).unwrap_or_else(|| key.clone()), self.value(round, member, key, place))
                };
                Value::Object(members.iter().map(vary).collect::<Map<_, _>>())
            }
            Value::Array(elements) => elements.iter().map(|element| self.value(round, element, key, place)).collect(),
            Value::Bool(true) if matches!(key, "is_error" | "isError") => self.fails(round).into(),
            Value::Number(_) if key == "exit_code" && !self.fails(round) => 0.into(),
            Value::String(text) => self.text(round, text, key, place),
            other => times::moved(other, |time| round.moved(time)).unwrap_or_else(|| other.clone()),
        }
    }

    /// True if a call that fails in the sample fails in this round too.
    fn fails(&self, round: &Round<'_>) -> bool {
        hash((self.salt, round.number, "fails")) % 5 < FAILURES_KEPT[self.model]
    }

    fn text(&self, round: &Round<'_>, text: &str, key: &str, place: Place) -> Value {
        if let Some(id) = self.id_of(round, text).filter(|_| !NAMES.contains(&key)) {
            return id.into();
        }
        if key.to_ascii_lowercase().contains("model") {
            let family = MODELS.iter().find(|(family, _)| text.starts_with(family));
            return family.map_or(text, |(_, models)| models[self.model]).into();
        }
        if let Some(time) = times::moved(&Value::from(text), |time| round.moved(time)) {
            return time;
        }
        if place == Place::Exact {
            return text.into();
        }
        // Some agents write JSON into strings.
        let inner = if text.starts_with(['{', '[']) { serde_json::from_str::<Value>(text).ok() } else { None };
        match inner {
            Some(inner) => self.value(round, &inner, key, place).to_string().into(),
            None if grows(key, text) => self.longer(round, text).into(),
            None => text.into(),
        }
    }

    /// The text and more of its kind. A text that occurs twice in a round gets the same addition both times.
    fn longer(&self, round: &Round<'_>, text: &str) -> String {
        let seed = hash((self.salt, round.number, text));
        let growth = round.growth * (50 + seed % 100) / 100;
        let mut out = text.to_owned();
        grow(&mut out, growth, &mut Chance(seed));
        out
    }

    /// The replacement of an id of the sample: a new id for each round, except for the session's id.
    fn id_of(&self, round: &Round<'_>, id: &str) -> Option<String> {
        let Sample { ids, session_ids, .. } = round.sample;
        match id {
            id if !ids.contains(id) => None,
            id if session_ids.contains(id) && id.starts_with("ses_") => Some(self.id(0, id)),
            id if session_ids.contains(id) => Some(self.session_id()),
            id => Some(self.id(round.number, id)),
        }
    }

    /// The id of the session, a UUID.
    pub fn session_id(&self) -> String {
        self.id(0, "00000000-0000-4000-8000-000000000000")
    }

    /// The id for an id of the sample in a round, in the same format.
    fn id(&self, round: u64, id: &str) -> String {
        let is_hexadecimal = |part: &str| part.bytes().all(|byte| byte.is_ascii_hexdigit());
        let digits = format!("{:016x}{:016x}", hash((self.salt, round, id)), hash((id, round, self.salt)));
        if id.len() == 36 && id.split('-').count() == 5 {
            let parts = [&digits[..8], &digits[8..12], &digits[13..16], &digits[17..20], &digits[20..]];
            return format!("{}-{}-4{}-a{}-{}", parts[0], parts[1], parts[2], parts[3], parts[4]);
        }
        match id.strip_prefix("0x").unwrap_or(id) {
            number if matches!(number.len(), 8 | 16 | 32) && is_hexadecimal(number) => {
                format!("{}{}", &id[..id.len() - number.len()], &digits[..number.len()])
            }
            _ => format!("{id}{}", &digits[..8]),
        }
    }

    /// A model's text with its ids replaced.
    pub fn words(round: &Round<'_>, text: &str) -> String {
        let is_part = |c: char| c.is_alphanumeric() || c == '_';
        let mut out = String::with_capacity(text.len() + 256);
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            let end = rest.find(|c| is_part(c) != is_part(first)).unwrap_or(rest.len());
            let (word, behind) = rest.split_at(end);
            out.push_str(word);
            if round.sample.ids.contains(word) {
                write!(out, "_{}", round.number).expect("memory takes everything");
            }
            rest = behind;
        }
        out
    }
}

impl Round<'_> {
    fn moved(&self, time: i64) -> i64 {
        self.to + (time - self.from) * self.pace / 1000
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Among messages and tool output.
    Said,
    /// Among values that must not change.
    Exact,
}

/// True if a string is a message or tool output.
fn grows(key: &str, text: &str) -> bool {
    let is_output = text.starts_with("{\"output\"");
    SAID.contains(&key) && text.contains(' ') && (is_output || !text.starts_with(['{', '[']))
}

/// How many strings of a record grow.
pub fn growing(value: &Value) -> u64 {
    let mut values = vec![("", value)];
    let mut count = 0;
    while let Some((key, value)) = values.pop() {
        match value {
            Value::Object(members) => values.extend(
                members
                    .iter()
                    .filter(|(key, _)| !EXACT.contains(&key.as_str()))
                    .map(|(key, value)| (key.as_str(), value)),
            ),
            Value::Array(elements) => values.extend(elements.iter().map(|element| (key, element))),
            Value::String(text) if grows(key, text) => count += 1,
            _ => {}
        }
    }
    count
}

/// Appends prose, or lines of code as a tool returns them.
pub fn grow(out: &mut String, growth: u64, chance: &mut Chance) {
    if growth < 40 {
        return;
    }
    let enough = out.len() + growth as usize;
    out.push_str("\n\n");
    let texts: &[&str] = if chance.below(2) == 0 { &PROSE } else { &CODE };
    while out.len() < enough {
        out.push_str(chance.one_of(texts));
    }
}

/// A few words of prose, as in one event of a stream.
pub fn delta(chance: &mut Chance) -> String {
    let words: Vec<&str> = chance.one_of(&PROSE).split_inclusive(' ').collect();
    let length = 3 + chance.below(6) as usize;
    let from = chance.below(words.len().saturating_sub(length).max(1) as u64) as usize;
    words.iter().skip(from).take(length).copied().collect()
}
