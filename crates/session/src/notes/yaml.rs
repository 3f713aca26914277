//! The YAML of a sidecar: readable for users, and limited so that no input can make parsing slow or large.
//!
//! A sidecar may come with a file from a stranger: it is parsed within limits, like a model's YAML, and unknown keys
//! are refused by name. Strings are written in quotes, with escapes for invisible characters.

use std::fmt::Write as _;

use serde::Deserialize;
use serde_json::Value;

use super::hash::{ByteHash, Fingerprint};
use super::{MAX_NOTES, MAX_WORDS, Note, NotePlace, is_letter};
use crate::document::ItemType;
use crate::text::Text;
use crate::text::sanitize::is_hidden;
use crate::text::type_fault;
use crate::value::tree_json::to_json;
use crate::value::yaml::{self, Library};

/// The version of the format; incremented when a key changes its meaning.
const SCHEMA_VERSION: u32 = 1;

/// Most bytes of a file that is read.
pub(super) const MAX_BYTES: usize = 8 << 20;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FileRecord {
    schema_version: u32,
    #[serde(default)]
    notes: Vec<Value>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NoteRecord {
    id: String,
    #[serde(default)]
    text: String,
    letter: Option<char>,
    created: Option<String>,
    line: usize,
    #[serde(default)]
    quote: String,
    place: PlaceRecord,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PlaceRecord {
    kind: ItemType,
    call: Option<String>,
    tool: Option<String>,
    record: Option<String>,
    #[serde(default)]
    nth: usize,
    pointer: Option<String>,
    #[serde(default)]
    within: usize,
    offset: usize,
    content: HashRecord,
    #[serde(default)]
    short: bool,
    head: HashRecord,
    before: HashRecord,
    after: HashRecord,
}

/// A hash as 16 hexadecimal digits.
#[derive(Deserialize)]
#[serde(try_from = "String")]
struct HashRecord(ByteHash);

impl TryFrom<String> for HashRecord {
    type Error = String;

    fn try_from(digits: String) -> Result<Self, String> {
        let number = u64::from_str_radix(&digits, 16).ok().filter(|_| digits.len() == 16);
        number.map(|number| Self(ByteHash(number))).ok_or_else(|| format!("{digits:?} is not 16 hexadecimal digits"))
    }
}

/// Parses the notes of a sidecar. An error is a one-line message.
pub(super) fn parse(bytes: &[u8]) -> Result<Vec<Note>, String> {
    if bytes.len() > MAX_BYTES {
        return Err(format!("it is larger than {} MiB", MAX_BYTES >> 20));
    }
    let read = yaml::parse(bytes, 0, Library::Yaml);
    if let Some(error) = read.error {
        let at = read.problems.iter().find(|problem| problem.message == error).or(read.problems.last());
        let line = at.map(|at| memchr::memchr_iter(b'\n', &bytes[..at.span.start.min(bytes.len())]).count() + 1);
        return Err(line.map_or(error.clone(), |line| format!("line {line}: {error}")));
    }
    let mut text = Text::default();
    text.push(bytes);
    let value = to_json(&read.tree, &text);
    if read.is_empty {
        return Ok(Vec::new());
    }
    if let Some(version) = value["schema_version"].as_u64().filter(|&version| version > SCHEMA_VERSION.into()) {
        return Err(format!("written by a newer transcope (schema_version {version}); update transcope"));
    }
    let file: FileRecord = serde_json::from_value(value).map_err(|error| type_fault::plain(&error.to_string()))?;
    if file.schema_version == 0 {
        return Err("schema_version is 0; expected 1".into());
    }
    if file.notes.len() > MAX_NOTES {
        return Err(format!("it has {} notes; at most {MAX_NOTES} are read", file.notes.len()));
    }
    let mut notes: Vec<Note> = Vec::new();
    let mut ids = std::collections::HashMap::new();
    for (number, value) in (1..).zip(file.notes) {
        let note = note(value).map_err(|error| format!("note {number}: {error}"))?;
        if let Some(other) = ids.insert(note.id.clone(), number) {
            return Err(format!("note {number}: same id as note {other}; change one"));
        }
        notes.push(note);
    }
    Ok(notes)
}

fn note(value: Value) -> Result<Note, String> {
    let NoteRecord { id, text, letter, created, line, quote, place } =
        serde_json::from_value(value).map_err(|error| type_fault::plain(&error.to_string()))?;
    let PlaceRecord { kind, call, tool, record, nth, pointer, within, offset, content, short, head, before, after } =
        place;
    if let Some(letter) = letter.filter(|letter| !is_letter(*letter)) {
        return Err(format!("letter: {letter:?} is not a letter from a to z"));
    }
    let strings = [("id", Some(&id)), ("text", Some(&text)), ("created", created.as_ref()), ("quote", Some(&quote))];
    let strings = strings.into_iter().chain([("call", call.as_ref()), ("tool", tool.as_ref())]);
    let strings = strings.chain([("record", record.as_ref()), ("pointer", pointer.as_ref())]);
    for (name, words) in strings.filter_map(|(name, words)| Some((name, words?))) {
        if words.len() > MAX_WORDS {
            return Err(format!("{name}: it has {} bytes; at most {MAX_WORDS} are read", words.len()));
        }
    }
    let [content, head, before, after] = [content, head, before, after].map(|hash| hash.0);
    let item = Fingerprint {
        kind,
        call,
        tool,
        record,
        nth,
        start: offset,
        content,
        is_distinctive: !short,
        head,
        before,
        after,
    };
    let place = NotePlace { item, pointer, within, line, quote };
    Ok(Note { id: id.into(), words: text, letter, made: created, place })
}

/// The YAML of some notes; `name` is the transcript's name.
pub(super) fn write(notes: &[Note], name: &str) -> String {
    let name = quoted(name);
    let mut out =
        format!("# Notes on {}, written by transcope.\nschema_version: {SCHEMA_VERSION}\n", &name[1..name.len() - 1]);
    out.push_str(if notes.is_empty() { "notes: []\n" } else { "notes:\n" });
    for note in notes {
        write_note(&mut out, note);
    }
    out
}

fn write_note(out: &mut String, note: &Note) {
    let Note { id, words, letter, made, place } = note;
    let NotePlace { item, pointer, within, line, quote } = place;
    let Fingerprint { kind, call, tool, record, nth, start, content, is_distinctive: is_telling, head, before, after } =
        item;
    let letter = letter.map(String::from);
    let words = Some(&**words).filter(|words| !words.is_empty());
    let hash = |hash: &ByteHash| Some(format!("\"{:016x}\"", hash.0));
    let string = |words: Option<&str>| words.map(quoted);
    let number = |number: usize| Some(number.to_string());
    let lines = [
        ("- id", string(Some(id))),
        ("  text", string(words)),
        ("  letter", string(letter.as_deref())),
        ("  created", string(made.as_deref())),
        ("  line", number(*line)),
        ("  quote", string(Some(quote))),
        ("  place", Some(String::new())),
        ("    kind", Some(<&str>::from(kind).to_owned())),
        ("    call", string(call.as_deref())),
        ("    tool", string(tool.as_deref())),
        ("    pointer", string(pointer.as_deref())),
        ("    record", string(record.as_deref())),
        ("    nth", number(*nth)),
        ("    within", number(*within)),
        ("    offset", number(*start)),
        ("    content", hash(content)),
        ("    short", (!is_telling).then(|| "true".to_owned())),
        ("    head", hash(head)),
        ("    before", hash(before)),
        ("    after", hash(after)),
    ];
    for (key, value) in lines.into_iter().filter_map(|(key, value)| Some((key, value?))) {
        let line = format!("  {key}: {value}");
        out.push_str(line.trim_end());
        out.push('\n');
    }
}

/// A double-quoted string with all invisible characters escaped.
fn quoted(words: &str) -> String {
    let mut out = String::from("\"");
    for c in words.chars() {
        // Writing to a string cannot fail.
        _ = match c {
            '"' | '\\' => write!(out, "\\{c}"),
            '\n' => write!(out, "\\n"),
            '\t' => write!(out, "\\t"),
            c if c.is_control() && u32::from(c) < 0x100 => write!(out, "\\x{:02x}", u32::from(c)),
            c if is_hidden(c) && u32::from(c) < 0x1_0000 => write!(out, "\\u{:04x}", u32::from(c)),
            c if is_hidden(c) => write!(out, "\\U{:08x}", u32::from(c)),
            c => write!(out, "{c}"),
        };
    }
    out.push('"');
    out
}
