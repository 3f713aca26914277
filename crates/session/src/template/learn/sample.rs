//! Turns of a model as a template writes them: conversations that differ in one thing, with words that nothing else has.

use serde_json::{Map, Value, json};

use super::boundary::common_markers;

/// Names of the two tools.
pub(super) const NAMES: [&str; 2] = ["fetch_quince", "store_walnut"];
/// Ids of the two calls. Some templates refuse others than nine letters and digits.
pub(super) const IDS: [&str; 2] = ["zq7xk2m9w", "hv4tb8n3d"];
/// Keys of the two arguments, in alphabetical order, since some templates sort them.
pub(super) const KEYS: [&str; 2] = ["gravel", "plumage"];
/// Values of the two arguments.
pub(super) const VALUES: [&str; 2] = ["Basaltic", "Kestrelish"];
/// Text of the model that no call contains.
const TEXT: &str = "Marzipan follows.";

/// The turns that a declaration is derived from. Those that the template refuses are missing.
#[derive(Debug, Default)]
pub(super) struct Samples {
    /// One call with one argument, which is a text.
    pub(super) one: Option<String>,
    /// One call with two arguments.
    pub(super) two_arguments: Option<String>,
    /// Two calls of different tools, with different keys.
    pub(super) two_calls: Option<String>,
    /// A call without arguments.
    pub(super) no_arguments: Option<String>,
    /// A call whose argument is a number.
    pub(super) number: Option<String>,
    /// A call whose argument is a boolean, and one whose argument is a list.
    pub(super) others: [Option<String>; 2],
    /// A call whose argument has characters that XML escapes.
    pub(super) markup: Option<String>,
    /// The last line of the prompt before a turn, in which a marker may begin.
    pub(super) prompt_end: String,
    /// The text between the model's text and the first call.
    pub(super) after_text: Option<String>,
    /// The text before an answer without calls.
    pub(super) before_plain: Option<String>,
}

/// A value that is a number.
pub(super) const NUMBER: u32 = 731_946;

/// Longest line of a prompt in which a marker is assumed to begin, in bytes.
const LONGEST_MARKER: usize = 64;

/// A value with characters that XML escapes.
const MARKUP: &str = "q<w>&amp;r";

impl Samples {
    /// The samples; `render` returns the turn that a template writes for a message after `prompt`.
    pub(super) fn new(prompt: &str, render: impl Fn(&Value) -> Option<String>) -> Self {
        let prompt_end = prompt.rsplit('\n').next().filter(|line| line.len() <= LONGEST_MARKER).unwrap_or_default();
        let one = |value: Value| render(&turn(&[call(0, &json!({KEYS[0]: value}))]));
        let two_arguments = json!({KEYS[0]: VALUES[0], KEYS[1]: VALUES[1]});
        let first = call(0, &json!({KEYS[0]: VALUES[0]}));
        let second = call(1, &json!({KEYS[1]: VALUES[1]}));
        let mut with_text = turn(std::slice::from_ref(&first));
        with_text["content"] = json!(TEXT);
        let plain = json!({"role": "assistant", "content": TEXT});
        let before = |written: &str, word: &str| written.find(word).map(|at| written[..at].to_owned());
        let after = |written: &str, word: &str| written.find(word).map(|at| written[at + word.len()..].to_owned());
        Self {
            one: one(json!(VALUES[0])),
            two_arguments: render(&turn(&[call(0, &two_arguments)])),
            two_calls: render(&turn(&[first, second])),
            no_arguments: render(&turn(&[call(0, &json!({}))])),
            number: one(json!(NUMBER)),
            others: [one(json!(true)), one(json!(["Feldspar"]))],
            markup: one(json!(MARKUP)),
            prompt_end: prompt_end.to_owned(),
            after_text: render(&with_text).and_then(|written| after(&written, TEXT)),
            before_plain: render(&plain).and_then(|written| before(&written, TEXT)),
        }
    }
}

/// The end of a text before a call that belongs to its markers.
pub(super) struct OwnOpening {
    pub(super) text: String,
    /// True if the model's text precedes it in another turn, so that it is known where the markers begin.
    pub(super) is_certain: bool,
}

impl Samples {
    /// The part of the text before a call that belongs to its markers: it follows the model's text, or the beginning that turns
    /// without calls have, too. `mask` was applied to `before`.
    pub(super) fn own_opening(&self, before: &str, mask: impl Fn(&str) -> String) -> Option<OwnOpening> {
        let after_text = self.after_text.as_deref().map(mask).unwrap_or_default();
        let starts = before.char_indices().filter(|(_, c)| !c.is_whitespace()).map(|(at, _)| &before[at..]);
        let mut shared = starts.filter(|ending| after_text.trim_start().starts_with(ending.trim_end()));
        if let Some(own) = shared.next() {
            return Some(OwnOpening { text: own.to_owned(), is_certain: true });
        }
        let plain = self.before_plain.as_deref()?;
        let own = before[common_markers(before, plain)..].trim_start();
        (!own.is_empty()).then(|| OwnOpening { text: own.to_owned(), is_certain: false })
    }
}

/// The tools that the samples call.
pub(super) fn tools() -> Vec<Value> {
    let tool = |name: &str| {
        let property = json!({"type": "string", "description": "A word"});
        let properties: Map<String, Value> = KEYS.iter().map(|key| ((*key).to_owned(), property.clone())).collect();
        json!({"type": "function", "function": {
            "name": name, "description": "Does it.", "parameters": {"type": "object", "properties": properties, "required": []},
        }})
    };
    NAMES.iter().map(|name| tool(name)).collect()
}

fn call(number: usize, arguments: &Value) -> Value {
    json!({"id": IDS[number], "type": "function", "function": {"name": NAMES[number], "arguments": arguments}})
}

/// A message of the model with calls and no text.
fn turn(calls: &[Value]) -> Value {
    json!({"role": "assistant", "content": "", "tool_calls": calls})
}
