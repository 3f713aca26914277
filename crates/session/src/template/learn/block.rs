//! Drafts for calls that are one expression, JSON or Python, perhaps between markers.

use serde_json::Value;

use super::boundary::{divisions, endings, mask, to_marker};
use super::sample::{IDS, KEYS, NAMES, Samples, VALUES};
use crate::proposal::writer::{ArgumentsDraft, Draft, DraftPlace};

/// Most opening markers, and most closing markers, that are tried.
const MAX_MARKERS: usize = 5;

/// Names of the member that holds the arguments, as declarations know them.
const ARGUMENT_KEYS: [&str; 4] = ["arguments", "parameters", "args", "input"];

/// Names of the member that holds the id, as declarations know them.
const ID_KEYS: [&str; 3] = ["id", "call_id", "tool_call_id"];

/// The place of a call in a text, without the brackets of a list around it.
#[derive(Debug, Clone, PartialEq)]
struct Block {
    start: usize,
    end: usize,
    form: BlockForm,
}

#[derive(Debug, Clone, PartialEq)]
enum BlockForm {
    Json { name_key: String, arguments_key: String, id_key: Option<String> },
    Python,
}

/// The text around all calls of a turn, and between the first two.
struct Surroundings<'a> {
    before: &'a str,
    after: &'a str,
    is_list: bool,
    /// The first characters of the value, if the marker may have to begin with them.
    lead: String,
}

/// Drafts for the samples; none if a call is not one expression.
pub(super) fn drafts(samples: &Samples) -> Vec<Draft> {
    let Some(one) = &samples.one else { return Vec::new() };
    let Some(block) = block(one, 0) else { return Vec::new() };
    let two = samples.two_calls.as_deref().and_then(|text| two_blocks(text, &block.form).map(|found| (text, found)));
    let around = surroundings(one, &block, &block);
    let is_list_of_two = two.as_ref().is_some_and(|(text, (first, second))| surroundings(text, first, second).is_list);
    let between = two.as_ref().map(|(text, (first, second))| &text[first.end..second.start]);
    let is_list = around.is_list || is_list_of_two;
    let opens = opens(samples, around.before);
    let mut closes = Vec::new();
    if let Some(between) = between.filter(|_| !is_list) {
        let divided = divisions(between, around.after, around.before).into_iter().map(|(close, _)| close);
        closes.extend(divided.filter(|close| !close.is_empty()));
    }
    closes.extend(first_token(around.after).map(str::to_owned));
    closes.push(around.after.trim().to_owned());
    closes.push(String::new());
    unique(&mut closes);
    let separator = between.filter(|_| !is_list).map(str::trim).filter(|text| text.len() <= 2);
    let mut drafts = Vec::new();
    let marked = opens.iter().map(|open| (Some(open), DraftPlace::Anywhere));
    for (open, place) in marked.chain([(None, DraftPlace::Line), (None, DraftPlace::Anywhere)]) {
        for close in &closes {
            let arguments = match &block.form {
                BlockForm::Python => ArgumentsDraft::PythonCalls { is_list },
                BlockForm::Json { name_key, arguments_key, id_key } => ArgumentsDraft::JsonCalls {
                    name_key: name_key.clone(),
                    arguments_key: arguments_key.clone(),
                    id_key: id_key.clone(),
                    separator: separator.map(str::to_owned),
                    is_list,
                },
            };
            drafts.push(Draft {
                open: open.map_or_else(|| to_value_marker(&around.lead), |open| to_marker(open)),
                followed_by: Vec::new(),
                close: (!close.is_empty()).then(|| to_marker(close)),
                place,
                is_open_value: open.is_none(),
                section: None,
                at_start: None,
                arguments,
            });
        }
    }
    drafts
}

/// Texts that may be the opening marker, the likeliest first.
fn opens(samples: &Samples, before: &str) -> Vec<String> {
    let mut opens = Vec::new();
    let known = before.trim();
    let last = endings(known).last().map(|ending| (*ending).to_owned());
    match samples.own_opening(before.trim_end(), str::to_owned) {
        Some(own) if own.is_certain => opens.extend([Some(own.text), last].into_iter().flatten()),
        own => opens.extend([last, own.map(|own| own.text)].into_iter().flatten()),
    }
    opens.push(known.rsplit('\n').next().unwrap_or_default().trim().to_owned());
    opens.push(known.to_owned());
    opens.retain(|open| !open.is_empty());
    unique(&mut opens);
    opens
}

fn unique(texts: &mut Vec<String>) {
    let mut known: Vec<String> = Vec::new();
    for text in texts.drain(..) {
        if !known.contains(&text) {
            known.push(text);
        }
    }
    known.truncate(MAX_MARKERS);
    *texts = known;
}

/// The text up to the end of the first line or of the first bracketed word.
fn first_token(text: &str) -> Option<&str> {
    let text = text.trim_start();
    let end = text.find(['>', ']', '\n']).map_or(text.len(), |at| at + 1);
    Some(text[..end].trim()).filter(|token| !token.is_empty())
}

/// The marker of a value that has no marker before it: its brackets and its first key, with optional whitespace between them.
fn to_value_marker(lead: &str) -> String {
    let (brackets, key) = lead.split_at(lead.find('"').unwrap_or(lead.len()));
    let brackets = brackets.chars().map(|c| to_marker(c.encode_utf8(&mut [0; 4])));
    let parts: Vec<String> = brackets.chain([to_marker(key)]).collect();
    parts.join("{ws}")
}

/// The first call in a text: the outermost JSON object with the name and the value of a call, or `name(key=value)`.
fn block(text: &str, number: usize) -> Option<Block> {
    let (name_at, value_at) = (text.find(NAMES[number])?, text.find(VALUES[number])?);
    let last = name_at.max(value_at);
    // The engine reads strings of Python in JSON, too.
    let as_json = || json_block(&text.replace('\'', "\""), number, last);
    json_block(text, number, last).or_else(as_json).or_else(|| {
        let arguments = name_at + NAMES[number].len();
        let is_call =
            text[arguments..].trim_start().starts_with('(') && text[arguments..value_at].contains(KEYS[number]);
        let end = value_at + text[value_at..].find(')')? + 1;
        is_call.then_some(Block { start: name_at, end, form: BlockForm::Python })
    })
}

/// The outermost JSON object that reaches to `last`, with the members of a call.
fn json_block(text: &str, number: usize, last: usize) -> Option<Block> {
    for (start, _) in text.match_indices('{').filter(|(at, _)| *at < last) {
        let mut values = serde_json::Deserializer::from_str(&text[start..]).into_iter::<Value>();
        let Some(Ok(Value::Object(members))) = values.next() else { continue };
        let end = start + values.byte_offset();
        if end <= last {
            continue;
        }
        let of_name = |(key, value): &(&String, &Value)| key.as_str() == NAMES[number] && value.is_object();
        let key_of = |wanted: &str| members.iter().find(|(_, value)| *value == wanted).map(|(key, _)| key.clone());
        // A number of the call may take the place of its id.
        let id_key = key_of(IDS[number]).or_else(|| {
            ID_KEYS.iter().find(|key| members.get(**key).is_some_and(Value::is_string)).map(|key| (*key).to_owned())
        });
        if members.iter().any(|pair| of_name(&pair)) {
            let form = BlockForm::Json { name_key: "name".into(), arguments_key: "name_is_key".into(), id_key: None };
            return Some(Block { start, end, form });
        }
        let arguments_key = ARGUMENT_KEYS.iter().find(|key| members.contains_key(**key));
        let inner = members.get("function").and_then(Value::as_object);
        let form = match (key_of(NAMES[number]), arguments_key, inner) {
            (Some(name_key), Some(arguments_key), _) => {
                BlockForm::Json { name_key, arguments_key: (*arguments_key).to_owned(), id_key }
            }
            (None, None, Some(_)) => {
                BlockForm::Json { name_key: "name".into(), arguments_key: "arguments".into(), id_key }
            }
            _ => return None,
        };
        return Some(Block { start, end, form });
    }
    None
}

/// The two calls in a text with two, if they have this form.
fn two_blocks(text: &str, form: &BlockForm) -> Option<(Block, Block)> {
    let first = block(text, 0)?;
    let mut second = block(&text[first.end..], 1)?;
    second.start += first.end;
    second.end += first.end;
    let is_same = |other: &BlockForm| std::mem::discriminant(other) == std::mem::discriminant(form);
    (is_same(&first.form) && is_same(&second.form)).then_some((first, second))
}

/// The text around the calls from `first` to `last`.
fn surroundings<'a>(text: &'a str, first: &Block, last: &Block) -> Surroundings<'a> {
    let (before, after) = (text[..first.start].trim_end(), text[last.end..].trim_start());
    let is_list = before.ends_with('[') && after.starts_with(']');
    let lead = match &first.form {
        BlockForm::Json { .. } => {
            let value = &text[first.start..last.end];
            value.char_indices().filter(|(_, c)| *c == '"').nth(1).map_or("{", |(at, _)| &value[..=at])
        }
        BlockForm::Python => "",
    };
    let lead = mask(lead, &NAMES, super::boundary::NAME);
    if is_list {
        let before = &before[..before.len() - 1];
        return Surroundings { before, after: &after[1..], is_list, lead: format!("[{lead}") };
    }
    Surroundings { before: &text[..first.start], after: &text[last.end..], is_list, lead }
}
