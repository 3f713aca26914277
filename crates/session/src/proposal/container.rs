//! Proposes a declaration of a container for a log of JSON records in an undeclared format.
//!
//! One string member tells the kinds of records apart (`groups`); the values of the members of each kind show what
//! they hold (`members`); these are assigned to calls, results, texts and token counts (`roles`) and written as rules
//! (`writer`). The declaration is then run on the text with the reader that will use it.

mod groups;
mod members;
mod roles;
mod writer;

use serde_json::Value;

use crate::container::declared::ContainerDeclaration;
use crate::container::facts::Fact;
use crate::container::{Batch, Container, ContainerEvent, MessagePart, read};

/// Most records that are examined.
const MAX_RECORDS: usize = 200;

/// A declaration, and what it reads in the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContainerProposal {
    /// The declaration, with comments for the user who completes it.
    pub yaml: String,
    /// Number of records that were examined.
    pub records: usize,
    /// Numbers for the whole text.
    pub found: Found,
    /// Kinds and members that it leaves out, each as a line of text.
    pub left_out: Vec<String>,
}

/// Numbers of what a declaration reads in a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Found {
    /// Number of messages that the proposal reads in the log.
    pub messages: usize,
    /// Number of these that have a time.
    pub times: usize,
    /// Number of calls that are records or in records.
    pub calls: usize,
    /// Number of results, answered or not.
    pub results: usize,
    /// Number of requests with token counts.
    pub requests: usize,
    /// Sum of the input tokens, cached ones included.
    pub input: u64,
    /// Sum of the output tokens, reasoning included.
    pub output: u64,
    /// Problems of the text, read so.
    pub problems: usize,
}

/// The records of a text.
struct Records {
    all: Vec<Value>,
    /// Key of the list that holds them, if the text is one object.
    list: Option<String>,
}

/// Proposes a declaration with this name; `None` if the text has no JSON records, or none that hold text or calls.
pub fn propose(text: &str, name: &str) -> Option<ContainerProposal> {
    let records = records(text)?;
    let groups = groups::groups(&records.all);
    let plan = roles::plan(&groups, &records.all);
    if plan.rules.iter().all(roles::Rule::is_skipped) {
        return None;
    }
    let (yaml, left_out) = writer::write(name, &groups, &plan, records.list.as_deref(), &records.all);
    let container = ContainerDeclaration::parse(&yaml).ok()?.container();
    let (batch, reader) = read(Container::among(&[container]), text.as_bytes());
    if reader.choice().is_none_or(|choice| choice.about.name != container.name) {
        return None;
    }
    Some(ContainerProposal { yaml, records: records.all.len(), found: found(&batch), left_out })
}

fn found(batch: &Batch) -> Found {
    let mut found = Found::default();
    for event in &batch.events {
        match event {
            ContainerEvent::Message(message) => {
                found.messages += 1;
                found.times += usize::from(message.time.is_some());
            }
            ContainerEvent::Begin { part: MessagePart::Call(_), .. } => found.calls += 1,
            ContainerEvent::Begin { part: MessagePart::Result(_), .. } => found.results += 1,
            ContainerEvent::Problem { .. } => found.problems += 1,
            ContainerEvent::Fact(fact) => {
                if let Fact::Request(request) = &**fact {
                    found.requests += 1;
                    let usage = request.usage.unwrap_or_default();
                    let sum = |counts: &[Option<u64>]| {
                        counts.iter().flatten().fold(0, |sum: u64, it| sum.saturating_add(*it))
                    };
                    found.input = found.input.saturating_add(sum(&[usage.input, usage.cache_read, usage.cache_write]));
                    found.output = found.output.saturating_add(sum(&[usage.output, usage.reasoning]));
                }
            }
            _ => {}
        }
    }
    found
}

/// The first records: lines with an object each, the elements of an array, or of the longest list in an object.
fn records(text: &str) -> Option<Records> {
    let objects = |values: &[Value]| -> Vec<Value> {
        values.iter().filter(|value| value.is_object()).take(MAX_RECORDS).cloned().collect()
    };
    match serde_json::from_str::<Value>(text) {
        Ok(Value::Array(values)) => {
            let all = objects(&values);
            return (!all.is_empty()).then_some(Records { all, list: None });
        }
        Ok(Value::Object(object)) => {
            let lists = object.iter().filter_map(|(key, value)| Some((key, objects(value.as_array()?))));
            let longest = lists.filter(|(key, all)| all.len() > 1 && members::step(key).is_some());
            let longest = longest.max_by_key(|(_, all)| all.len());
            return Some(match longest {
                Some((key, all)) => Records { list: members::step(key), all },
                None => Records { all: vec![Value::Object(object)], list: None },
            });
        }
        _ => {}
    }
    let lines = text.lines().filter(|line| !line.trim().is_empty()).take(MAX_RECORDS);
    let values: Vec<Option<Value>> = lines.map(|line| serde_json::from_str(line).ok()).collect();
    let all: Vec<Value> = values.iter().flatten().filter(|value| value.is_object()).cloned().collect();
    (all.len() * 2 > values.len()).then_some(Records { all, list: None })
}

#[cfg(test)]
mod tests;
