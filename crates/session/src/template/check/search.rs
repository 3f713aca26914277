//! Search of a conversation's texts in its prompt.
//!
//! A format may escape a text, so its longest word is searched. Schemas of tools have names and keys, too, so a word of theirs counts
//! only after the text of the message before it.

use serde_json::Value;

/// Letters that a word needs to be searched: a shorter one may be in a prompt by chance.
const MIN_WORD: usize = 4;

/// A prompt, and how much of it was found.
#[derive(Clone, Copy)]
pub(super) struct PromptSearch<'a> {
    prompt: &'a str,
    /// The schemas of the tools as JSON.
    tools: &'a str,
    /// Texts of all messages: a word that is in one of them is not a sign of a call.
    contents: &'a str,
    /// Offset after the last part that was found.
    pub(super) at: usize,
}

/// The outcome of searching a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TextPlace {
    /// It has no word that is long enough to be searched.
    NotSearched,
    /// The prompt does not have it.
    Missing,
    /// Offset after its longest word, which may be another text's.
    WordEndsAt(usize),
    /// Offset after it in the prompt.
    EndsAt(usize),
}

impl TextPlace {
    /// Offset after the text or its longest word, if it was found.
    pub(super) fn end(self) -> Option<usize> {
        match self {
            Self::EndsAt(end) | Self::WordEndsAt(end) => Some(end),
            Self::NotSearched | Self::Missing => None,
        }
    }

    /// Offset after the text, if all of it was found.
    pub(super) fn end_of_all(self) -> Option<usize> {
        if let Self::EndsAt(end) = self { Some(end) } else { None }
    }
}

/// The part of a call that a prompt does not have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LostPart {
    /// The name is there, and no text of the arguments.
    Arguments,
    /// Neither the name nor the arguments.
    Call,
}

impl<'a> PromptSearch<'a> {
    pub(super) fn new(prompt: &'a str, tools: &'a str, contents: &'a str) -> Self {
        Self { prompt, tools, contents, at: 0 }
    }

    /// Searches a text after the part that was found last, then in all of the prompt.
    pub(super) fn find(&self, text: &str) -> TextPlace {
        let Some(word) = longest_word(text) else { return TextPlace::NotSearched };
        let after = |from: usize, text: &str| self.prompt[from..].find(text).map(|at| from + at + text.len());
        let text = text.trim();
        let whole = after(self.at, text).or_else(|| after(0, text).filter(|_| !self.tools.contains(text)));
        let in_order = || after(self.at, word);
        let anywhere = || after(0, word).filter(|_| !self.tools.contains(word));
        match whole {
            Some(end) => TextPlace::EndsAt(end),
            None => in_order().or_else(anywhere).map_or(TextPlace::Missing, TextPlace::WordEndsAt),
        }
    }

    /// Byte offset in the prompt at which a call is found.
    ///
    /// # Errors
    ///
    /// The part that is lost. Arguments that are a text may be written in any way, and only the name counts.
    pub(super) fn find_call(&self, call: &Value) -> Result<usize, LostPart> {
        let mut words = Vec::new();
        if let Some(arguments) = call.pointer("/function/arguments").filter(|arguments| !arguments.is_string()) {
            texts_of(arguments, &mut words);
        }
        let is_in_order = |at: &usize| *at > self.at;
        let of_call = |text: &&str| {
            let is_elsewhere = longest_word(text).is_some_and(|word| self.contents.contains(word));
            self.find(text).end().filter(|at| !is_elsewhere || is_in_order(at))
        };
        if let Some(at) = words.iter().find_map(of_call) {
            return Ok(at);
        }
        let name = name_of(call);
        match self.prompt[self.at..].find(name) {
            Some(at) if words.is_empty() => Ok(self.at + at + name.len()),
            Some(_) => Err(LostPart::Arguments),
            None => Err(LostPart::Call),
        }
    }

    /// The search of the same texts in another prompt.
    pub(super) fn of(self, prompt: &'a str) -> Self {
        Self { prompt, at: 0, ..self }
    }

    /// True if all calls of the messages are in the prompt.
    pub(super) fn has_calls(mut self, messages: &[Value]) -> bool {
        messages.iter().all(|message| {
            self.at = self.find(content_of(message)).end_of_all().map_or(self.at, |at| at.max(self.at));
            calls_of(message).iter().all(|call| self.find_call(call).is_ok())
        })
    }
}

/// Name of a call's tool; empty if it has none.
pub(super) fn name_of(call: &Value) -> &str {
    call.pointer("/function/name").and_then(Value::as_str).unwrap_or_default()
}

/// Text of a message's content, also of a list of one part.
pub(super) fn content_of(message: &Value) -> &str {
    let content = message.get("content");
    let part = || content?.get(0)?.get("text");
    content.filter(|content| content.is_string()).or_else(part).and_then(Value::as_str).unwrap_or_default()
}

/// Calls of a message, as its JSON has them.
pub(super) fn calls_of(message: &Value) -> &[Value] {
    message.get("tool_calls").and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default()
}

fn longest_word(text: &str) -> Option<&str> {
    let words = text.split(|c: char| !c.is_ascii_alphabetic());
    words.max_by_key(|word| word.len()).filter(|word| word.len() >= MIN_WORD)
}

/// The texts in a value that are long enough to be searched.
fn texts_of<'v>(value: &'v Value, texts: &mut Vec<&'v str>) {
    match value {
        Value::String(text) => texts.extend(longest_word(text).map(|_| text.as_str())),
        Value::Array(items) => items.iter().for_each(|item| texts_of(item, texts)),
        Value::Object(members) => members.values().for_each(|member| texts_of(member, texts)),
        _ => {}
    }
}
