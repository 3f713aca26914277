//! The events of the AI SDK UI message stream, for every dialect: one JSON object per line.
//!
//! Each prose item becomes a text part, with a delta for each line. Each call gives its input, then its error or else
//! its output, if it holds one. A rejected call gives an error too, preceded by the part of its input that could be
//! built, as readers of the stream expect. The events do not depend on how the bytes arrive. With a filter, an item is
//! written once the filter has decided, a text as a whole.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::Value;

use super::json_text::write_line;
use crate::container::CallOutcome;
use crate::document::{CallResult, Item, SideRecord};
use crate::filter::{ArrivalFilter, Filter};
use crate::session::Session;
use crate::text::{Span, TextRange};
use crate::value::tree_json::to_json;
use crate::wording::is_final;

/// Error of a failed call that does not state a reason.
const UNKNOWN_ERROR: &str = "An unknown tool error occurred.";

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "kebab-case", rename_all_fields = "camelCase")]
enum Event<'a> {
    TextStart {
        id: &'a str,
    },
    TextDelta {
        id: &'a str,
        delta: TextRange<'a>,
    },
    TextEnd {
        id: &'a str,
    },
    ReasoningStart {
        id: &'a str,
    },
    ReasoningDelta {
        id: &'a str,
        delta: TextRange<'a>,
    },
    ReasoningEnd {
        id: &'a str,
    },
    /// A data part; the name is specific to transcope.
    DataRecord {
        data: RecordData<'a>,
    },
    ToolInputAvailable {
        tool_call_id: String,
        tool_name: String,
        input: Value,
    },
    ToolOutputAvailable {
        tool_call_id: String,
        output: Value,
    },
    ToolOutputError {
        tool_call_id: String,
        error_text: String,
    },
    Finish,
}

/// A record outside the conversation.
#[derive(Serialize)]
struct RecordData<'a> {
    name: &'a str,
    text: TextRange<'a>,
}

/// Writes events incrementally while a session reads.
#[derive(Clone, Debug, Default)]
pub struct EventWriter {
    filter: Option<ArrivalFilter>,
    /// Number of the next item.
    item: usize,
    /// Number of texts so far, including the open one.
    texts: usize,
    /// Number of reasoning parts so far.
    thoughts: usize,
    /// End offset of the last delta of the open text.
    open: Option<usize>,
    /// Start of the part that has not been searched for a line end.
    searched: usize,
}

impl EventWriter {
    /// Writes only items that a filter selects.
    pub fn with_filter(filter: Filter) -> Self {
        Self { filter: Some(ArrivalFilter::new(filter)), ..Self::default() }
    }

    /// Writes what has become final since the last call; writes `finish` last, once the session is finished.
    pub fn advance<W: Write>(&mut self, out: &mut W, session: &Session) -> io::Result<()> {
        let items = session.document().items();
        if let Some(filter) = &mut self.filter {
            let selected = filter.decide(session).into_iter().filter(|(_, selected)| *selected);
            for (number, _) in selected.collect::<Vec<_>>() {
                match items.get(number) {
                    Some(Item::Text(span)) => {
                        self.searched = span.start;
                        self.text(out, session, span, true)?;
                    }
                    Some(Item::Call(_)) => call(out, session, number)?,
                    Some(Item::Result(found)) => answer(out, session, &found)?,
                    Some(Item::Aside(found)) => self.aside(out, session, &found)?,
                    None => {}
                }
            }
            self.item = items.len();
        }
        while let Some(item) = items.get(self.item) {
            let last = is_final(session, self.item);
            match item {
                Item::Text(span) => self.text(out, session, span, last)?,
                Item::Call(_) if last => call(out, session, self.item)?,
                Item::Result(found) if last => answer(out, session, &found)?,
                Item::Aside(found) if last => self.aside(out, session, &found)?,
                Item::Call(_) | Item::Result(_) | Item::Aside(_) => {}
            }
            if !last {
                break;
            }
            self.item += 1;
        }
        if session.is_finished() {
            write_line(out, &Event::Finish)?;
        }
        Ok(())
    }

    /// Writes the complete lines of a text, and the rest if the text is final.
    fn text<W: Write>(&mut self, out: &mut W, session: &Session, span: Span, last: bool) -> io::Result<()> {
        let mut at = self.open.unwrap_or(span.start);
        loop {
            let seen = self.searched.clamp(at, span.end);
            let length = match session.text().find(b'\n', Span::new(seen, span.end)) {
                Some(feed) => feed + 1 - at,
                None if last => span.end - at,
                None => 0,
            };
            self.searched = if length == 0 { span.end } else { at + length };
            if length == 0 {
                break;
            }
            if self.open.is_none() {
                self.texts += 1;
                write_line(out, &Event::TextStart { id: &self.id() })?;
            }
            write_line(
                out,
                &Event::TextDelta { id: &self.id(), delta: TextRange::new(session.text(), Span::new(at, at + length)) },
            )?;
            at += length;
            self.open = Some(at);
        }
        if last && self.open.take().is_some() {
            write_line(out, &Event::TextEnd { id: &self.id() })?;
        }
        Ok(())
    }

    fn id(&self) -> String {
        format!("text-{}", self.texts)
    }

    /// Writes reasoning as a part with one delta, and any other record as a data part.
    fn aside<W: Write>(&mut self, out: &mut W, session: &Session, aside: &SideRecord<'_>) -> io::Result<()> {
        let text = TextRange::new(session.text(), aside.span);
        if let Some(name) = aside.name {
            return write_line(out, &Event::DataRecord { data: RecordData { name, text } });
        }
        self.thoughts += 1;
        let id = format!("reasoning-{}", self.thoughts);
        write_line(out, &Event::ReasoningStart { id: &id })?;
        write_line(out, &Event::ReasoningDelta { id: &id, delta: text })?;
        write_line(out, &Event::ReasoningEnd { id: &id })
    }
}

fn call<W: Write>(out: &mut W, session: &Session, number: usize) -> io::Result<()> {
    let Some(call) = session.document().call(number) else { return Ok(()) };
    let text = session.text();
    let assembly = session.dissect(number).unwrap_or_default();
    let input = match to_json(&assembly.tree, text) {
        Value::Null => Value::Object(serde_json::Map::new()),
        input => input,
    };
    let (tool_call_id, tool_name) = (call.id(text), call.name(text));
    write_line(out, &Event::ToolInputAvailable { tool_call_id: tool_call_id.clone(), tool_name, input })?;
    let outcome = assembly.outcome.map(|outcome| *outcome).unwrap_or_default();
    let state = outcome.state.as_deref();
    let unknown = || (state == Some("output-error")).then(|| UNKNOWN_ERROR.to_owned());
    let output = outcome.output.as_ref().map(|tree| to_json(tree, text));
    // An error takes precedence over an output; an output that is null still counts as one.
    match (assembly.error.or(outcome.error_text).or_else(unknown), output) {
        (Some(error_text), _) => write_line(out, &Event::ToolOutputError { tool_call_id, error_text }),
        (None, None) if state != Some("output-available") => Ok(()),
        (None, output) => {
            write_line(out, &Event::ToolOutputAvailable { tool_call_id, output: output.unwrap_or_default() })
        }
    }
}

/// Writes a recorded result. One without a call has the id that it names.
fn answer<W: Write>(out: &mut W, session: &Session, answer: &CallResult<'_>) -> io::Result<()> {
    let text = session.text();
    let called = answer.call.and_then(|(item, _)| Some(session.document().call(item)?.id(text)));
    let tool_call_id = called.or_else(|| answer.id.map(|id| id.text(text))).unwrap_or_default();
    let words = text.read_str(answer.span).into_owned();
    let event = match answer.verdict {
        CallOutcome::Failed | CallOutcome::Denied => Event::ToolOutputError { tool_call_id, error_text: words },
        CallOutcome::Unknown | CallOutcome::Succeeded => {
            Event::ToolOutputAvailable { tool_call_id, output: Value::String(words) }
        }
    };
    write_line(out, &event)
}
