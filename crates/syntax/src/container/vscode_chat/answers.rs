//! The rounds of a request in a chat session of VS Code: each is an answer of the model with its calls.
//!
//! | member of `result.metadata` | content |
//! |---|---|
//! | `renderedUserMessage`, `renderedGlobalContext` | the prompt as it was sent |
//! | `toolCallRounds` | `{id, response, thinking: {text}, toolCalls: [{id, name, arguments}], timestamp, summary}` |
//! | `toolCallResults` | the results by the ids of the calls |
//!
//! `summary` of a round replaces the conversation before it in later prompts.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher as _};

use super::super::call;
use super::super::facts::{Compaction, Fact, Origin, RequestFacts};
use super::super::json::{JsonKind, JsonValue};
use super::super::messages::unknown;
use super::super::unread_text;
use super::super::writer::TextWriter;
use super::super::{Interpretation, Message, MessagePart, MessageRole};
use super::output_text;
use super::response::{Unit, begin_agents, units};

/// The rounds in a result.
pub(super) fn list(result: Option<JsonValue<'_>>) -> Vec<JsonValue<'_>> {
    let rounds = result.and_then(|result| result.path(&["metadata", "toolCallRounds"]));
    rounds.into_iter().flat_map(|rounds| rounds.items()).filter(|round| round.kind() == JsonKind::Object).collect()
}

/// The calls of a round.
pub(super) fn calls(round: JsonValue<'_>) -> impl Iterator<Item = JsonValue<'_>> {
    round.get("toolCalls").into_iter().flat_map(|calls| calls.items())
}

/// The reasoning of a round: a string, or a list of strings.
pub(super) fn thoughts(round: JsonValue<'_>) -> impl Iterator<Item = JsonValue<'_>> {
    let text = round.get("thinking").and_then(|thinking| thinking.get("text"));
    let list = text.filter(|text| text.kind() == JsonKind::Array);
    let single = text.filter(|text| text.kind() == JsonKind::Text);
    list.into_iter().flat_map(|list| list.items()).chain(single).filter(|words| !words.is_void())
}

/// Writes the prompt as it was sent, if the result has it.
pub(super) fn write_prompt(result: JsonValue<'_>, out: &mut TextWriter) {
    let mut has_begun = false;
    for key in ["renderedGlobalContext", "renderedUserMessage"] {
        let parts = result.path(&["metadata", key]).into_iter().flat_map(|parts| parts.items());
        let words =
            parts.filter_map(|part| if part.kind() == JsonKind::Text { Some(part) } else { part.string_of("text") });
        for words in words.filter(|words| !words.is_void()) {
            if !std::mem::replace(&mut has_begun, true) {
                out.message(Message { origin: Origin::Client, ..Message::from_role(MessageRole::User) });
            }
            out.write_part(MessagePart::Envelope(key.into()), words);
        }
    }
}

/// The results of calls by their ids, with their hashes.
pub(super) struct CallResults<'a> {
    by_id: HashMap<Cow<'a, str>, (JsonValue<'a>, u64)>,
}

impl<'a> CallResults<'a> {
    pub(super) fn new(result: JsonValue<'a>) -> Self {
        let results = result.path(&["metadata", "toolCallResults"]);
        let items = results.into_iter().flat_map(|results| results.items());
        Self { by_id: items.map(|result| (result.key(), (result, hash_of(result.raw())))).collect() }
    }

    /// Takes the result of a call, so that another call with the same id has none.
    fn take(&mut self, call: JsonValue<'_>) -> Option<(Cow<'a, str>, JsonValue<'a>)> {
        let (id, (result, _)) = self.by_id.remove_entry(call.text_of("id")?.as_ref())?;
        Some((id, result))
    }

    /// Takes the results of a round that is written already.
    pub(super) fn skip(&mut self, round: JsonValue<'_>) {
        for call in calls(round) {
            self.take(call);
        }
    }

    /// A hash of a round with its results.
    pub(super) fn hash(&self, round: JsonValue<'_>) -> u64 {
        let results = calls(round).filter_map(|call| Some(self.by_id.get(call.text_of("id")?.as_ref())?.1));
        hash_of(&(round.raw(), results.collect::<Vec<u64>>()))
    }
}

fn hash_of(value: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish()
}

/// Writes a round: the elements of the response before it, reasoning, text, calls, and their results.
pub(super) fn write(
    round: JsonValue<'_>,
    before: Vec<(usize, JsonValue<'_>)>,
    results: &mut CallResults<'_>,
    facts: RequestFacts,
    out: &mut TextWriter,
) {
    let (agents, before): (Vec<Unit>, Vec<Unit>) = units(before).into_iter().partition(Unit::is_agents);
    if !agents.is_empty() {
        begin_agents(out);
        for unit in &agents {
            unit.write(out);
        }
    }
    out.message(Message {
        time: round.words_of("timestamp"),
        model: facts.model.clone(),
        id: round.words_of("id"),
        ..Message::from_role(MessageRole::Assistant)
    });
    out.fact(Fact::Request(facts));
    let yielded = out.yielded();
    for unit in &before {
        unit.write(out);
    }
    thoughts(round).for_each(|words| out.write_part(MessagePart::Reasoning, words));
    if let Some(text) = round.string_of("response").filter(|text| !text.is_void()) {
        out.write_part(MessagePart::Text(Interpretation::from_role(Some(MessageRole::Assistant))), text);
    }
    for call in calls(round) {
        match call.string_of("name") {
            Some(_) => {
                let call = call::flat(call);
                out.piece(call.part(None), &call.text);
            }
            None => unknown(call, out),
        }
    }
    if let Some(summary) = round.string_of("summary").filter(|summary| !summary.is_void()) {
        out.write_part(MessagePart::Envelope("summary".into()), summary);
        out.fact(Fact::Compaction(Compaction::default()));
    }
    if let Some(context) = round.string_of("hookContext").filter(|context| !context.is_void()) {
        out.write_part(MessagePart::Envelope("hookContext".into()), context);
    }
    unread_text::unless_shown(round, yielded, out);
    let name = |call: JsonValue<'_>| call.text_of("name").unwrap_or_default().into_owned();
    write_results(calls(round).filter_map(|call| Some((name(call), results.take(call)?))), out);
}

/// Writes the results that answer no call of these rounds.
pub(super) fn write_other_results(result: JsonValue<'_>, rounds: &[JsonValue<'_>], out: &mut TextWriter) {
    let ids: HashSet<Cow<'_, str>> =
        rounds.iter().flat_map(|round| calls(*round)).filter_map(|call| call.text_of("id")).collect();
    let results = result.path(&["metadata", "toolCallResults"]).into_iter().flat_map(|results| results.items());
    let others = results.map(|result| (result.key(), result)).filter(|(id, _)| !ids.contains(id));
    write_results(others.map(|result| (String::new(), result)), out);
}

/// Writes results, each with the name of its tool.
fn write_results<'a>(results: impl Iterator<Item = (String, (Cow<'a, str>, JsonValue<'a>))>, out: &mut TextWriter) {
    for (number, (name, (id, value))) in results.enumerate() {
        if number == 0 {
            out.message(Message::from_role(MessageRole::Tool));
        }
        let (result, text) = output_text::result(&id, &name, value);
        out.piece(MessagePart::Result(result), &text);
    }
}
