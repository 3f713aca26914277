//! Traces of Langfuse, as its page and its interface export them, in JSON, JSON lines or arrays.
//!
//! | record | members |
//! |---|---|
//! | an export of the page | `trace`, `observations` |
//! | a trace of the interface | `id`, `name`, `timestamp`, `sessionId`, `input`, `output`, `observations` |
//! | a list of the interface | `data`: observations; `meta` |
//! | an observation | `id`, `traceId`, `parentObservationId`, `type`, `name`, `startTime`, `endTime`, `level`, `statusMessage` |
//! | | `input`, `output`, `model`, `usageDetails` or `usage`, `costDetails`, `totalCost`, `completionStartTime` |
//!
//! | `type` | the observation is |
//! |---|---|
//! | `GENERATION` | a request: input and output are messages, of any framework |
//! | `TOOL`, or one with name and input of a call | the result of a call, and its times |
//! | `AGENT` below another one that has requests | a sub-agent, whose messages are a separate conversation |
//! | any other | a step: only messages that no request has shown |
//!
//! Observations of a document are in no order; they are read by their times, what encloses others around these. A
//! message that was shown is not repeated. If no observation has messages, the input and output of the trace are shown.

mod message_list;
mod observation;
mod order;
mod written;

use std::collections::{HashMap, HashSet};

use super::facts::{AgentFacts, Fact, SessionFact, TitleKind};
use super::fragment::Fragment;
use super::json::{JsonKind, JsonValue};
use super::members::Members;
use super::messages::unknown;
use super::otel::history::History;
use super::writer::TextWriter;
use super::{CallSource, Claim, ContainerInfo, Definition, FileHead, FormatReader, JsonRecord, RecordReader};
use observation::{Branch, Observation};
use order::{Kind, Phase, Placed, order};

pub(super) static ABOUT: ContainerInfo = ContainerInfo {
    name: "langfuse",
    title: "traces of Langfuse",
    calls: CallSource::Either,
    definition: Definition::Code { claims, open: FormatReader::records::<Langfuse> },
};

/// Members whose elements are observations.
const LISTS: [&str; 2] = ["observations", "data"];

/// Most bytes of observations of a document that are held to be sorted.
const MOST_HELD: usize = 256 << 20;

/// Most observations around another one that are searched for its agent.
const MOST_LEVELS: usize = 200;

fn claims(head: &FileHead<'_>) -> Option<Claim> {
    let value = head.value()?;
    let first = |list: JsonValue<'_>| list.items().next().is_some_and(is_observation);
    let is_list = |key: &str| value.get(key).is_some_and(|list| list.kind() == JsonKind::Array && first(list));
    if is_observation(value)
        || (value.kind() == JsonKind::Array && first(value))
        || LISTS.iter().any(|key| is_list(key))
    {
        return Some(Claim::Sure("it has observations with a trace, a type and a start"));
    }
    let record = if value.kind() == JsonKind::Array { value.items().next()? } else { value };
    let is_own = is_trace(record) || record.get("trace").is_some_and(is_trace);
    is_own.then_some(Claim::Sure("it is a trace with a project or observations"))
}

/// True if a value is an observation.
fn is_observation(value: JsonValue<'_>) -> bool {
    let has = |key: &str| value.get(key).is_some();
    let own = ["parentObservationId", "statusMessage", "completionStartTime", "usageDetails", "promptName"];
    has("traceId") && has("type") && has("startTime") && own.iter().any(|key| has(key))
}

/// True if a value is a trace.
fn is_trace(value: JsonValue<'_>) -> bool {
    let has = |key: &str| value.get(key).is_some();
    let own = ["bookmarked", "htmlPath", "projectId", "public", "scores"];
    has("id")
        && has("timestamp")
        && own.iter().filter(|key| has(key)).count() > 1
        && (has("input") || has("observations"))
}

/// An observation whose turn has not come.
#[derive(Debug)]
struct Held {
    text: Fragment,
    about: Placed,
}

/// Properties of an observation that are kept after it was read.
#[derive(Debug)]
struct Node {
    parent: Option<Box<str>>,
    name: Option<Box<str>>,
    is_agent: bool,
    /// True if its request was counted.
    is_request: bool,
}

#[derive(Default)]
struct Langfuse {
    history: History,
    nodes: HashMap<Box<str>, Node>,
    /// Agents that have requests themselves.
    agents: HashSet<Box<str>>,
    /// Ids of sub-agents whose facts were stated.
    stated: HashSet<Box<str>>,
    /// Parent of the last observation with messages, and the session of its conversation.
    last: Option<(Option<Box<str>>, Box<str>)>,
    held: Vec<Held>,
    /// Number of bytes of these.
    bytes: usize,
    /// Members of the document next to its observations.
    around: Members,
    /// True if the document has shown something.
    has_said: bool,
}

impl RecordReader for Langfuse {
    fn streamed_keys(&self) -> &'static [&'static str] {
        &LISTS
    }

    fn single_record_keys(&self) -> &'static [&'static str] {
        &["traceId", "parentObservationId", "startTime"]
    }

    fn record(&mut self, record: &JsonRecord<'_>, out: &mut TextWriter) {
        let value = record.value;
        match record.member {
            Some(member) if LISTS.contains(&member) => self.hold(value, out),
            Some(member) => self.around.add(member, value),
            None if is_observation(value) => {
                self.hold(value, out);
                self.flush(None, out);
            }
            None if is_trace(value) || value.get("trace").is_some() => self.document(value, out),
            None => unknown(value, out),
        }
    }

    fn close(&mut self, out: &mut TextWriter) {
        let around = self.around.take().unwrap_or_default();
        let index = around.index();
        match index.as_ref().and_then(|index| around.root(index)) {
            Some(document) => self.document(document, out),
            None => self.flush(None, out),
        }
    }

    fn finish(&mut self, _at: usize, out: &mut TextWriter) {
        self.flush(None, out);
    }
}

impl Langfuse {
    /// Reads the observations held; the document has these members next to them.
    fn document(&mut self, document: JsonValue<'_>, out: &mut TextWriter) {
        let trace = document.get("trace").filter(|trace| trace.kind() == JsonKind::Object).unwrap_or(document);
        if self.held.is_empty() {
            let list = trace.get("observations").into_iter().flat_map(|list| list.items());
            list.for_each(|observation| self.hold(observation, out));
        }
        if let Some(name) = trace.words_of("name") {
            out.fact(Fact::Session(SessionFact::Title(name, TitleKind::Slug)));
        }
        self.flush(Some(trace), out);
        if !std::mem::take(&mut self.has_said) && trace.first_filled(&["input", "output"]).is_some() {
            let branch = Branch { session: session_of(trace, None), title: trace.words_of("name"), is_aside: false };
            let observation = Observation::of_trace(trace);
            observation.write(&branch, &mut self.history, true, out);
        }
    }

    /// Holds an observation until the others of its document are known.
    fn hold(&mut self, value: JsonValue<'_>, out: &mut TextWriter) {
        if value.kind() != JsonKind::Object {
            return unknown(value, out);
        }
        let mut text = Fragment::default();
        text.push_verbatim(value);
        self.bytes += text.bytes.len();
        self.held.push(Held { text, about: Placed::new(value) });
        if self.bytes > MOST_HELD {
            self.flush(None, out);
        }
    }

    /// Sorts the held observations by time and reads them.
    fn flush(&mut self, trace: Option<JsonValue<'_>>, out: &mut TextWriter) {
        let held = std::mem::take(&mut self.held);
        self.bytes = 0;
        for one in &held {
            let node = Node {
                parent: one.about.parent.clone(),
                name: one.about.name.clone(),
                is_agent: one.about.kind == Kind::Agent,
                is_request: false,
            };
            self.nodes.insert(one.about.id.clone(), node);
        }
        for one in held.iter().filter(|one| one.about.kind == Kind::Generation) {
            let agent = self.around_of(&one.about.id).find(|id| self.nodes[*id].is_agent).map(Box::from);
            self.agents.extend(agent);
        }
        let placed: Vec<&Placed> = held.iter().map(|one| &one.about).collect();
        for (number, phase, encloses) in order(&placed) {
            let Held { text, about } = &held[number];
            let index = text.index();
            let Some(value) = index.as_ref().and_then(|index| text.root(index)) else { continue };
            self.observation(value, about, phase, encloses, trace, out);
        }
    }

    fn observation(
        &mut self,
        value: JsonValue<'_>,
        about: &Placed,
        phase: Phase,
        encloses: order::Encloses,
        trace: Option<JsonValue<'_>>,
        out: &mut TextWriter,
    ) {
        let branch = self.branch(value, about, trace, out);
        let is_generation = about.kind == Kind::Generation;
        let observation = Observation::new(value, phase, is_generation, encloses);
        if is_generation && phase != Phase::Input && !encloses.requests {
            // An enclosing generation that came earlier has counted the same tokens.
            let is_counted = self.around_of(&about.id).any(|id| self.nodes[id].is_request);
            if !is_counted {
                out.fact(observation.request(branch.is_aside));
                if let Some(node) = self.nodes.get_mut(&about.id) {
                    node.is_request = true;
                }
            }
        }
        let place = (about.parent.clone(), branch.session.clone());
        let is_same = self.last.as_ref() == Some(&place);
        if observation.write(&branch, &mut self.history, is_same, out) {
            self.has_said = true;
            self.last = Some(place);
        }
    }

    /// The known ids of an observation and of the ones around it, innermost first.
    fn around_of(&self, id: &str) -> impl Iterator<Item = &str> {
        let known = |id: &str| self.nodes.get_key_value(id).map(|(id, node)| (&**id, node));
        let next = move |(_, node): &(&str, &Node)| node.parent.as_deref().and_then(known);
        std::iter::successors(known(id), next).take(MOST_LEVELS).map(|(id, _)| id)
    }

    /// The conversation of an observation: the session's, or a sub-agent's.
    fn branch(
        &mut self,
        value: JsonValue<'_>,
        about: &Placed,
        trace: Option<JsonValue<'_>>,
        out: &mut TextWriter,
    ) -> Branch {
        let own = session_of(value, trace);
        out.session_id(|| Some(own.clone()).filter(|id| !id.is_empty()));
        let title = || trace.and_then(|trace| trace.words_of("name")).or_else(|| about.name.clone());
        let mut agents = self.around_of(&about.id).filter(|id| self.nodes[*id].is_agent);
        let agent: Option<Box<str>> = agents.next().map(Box::from);
        let is_aside = agents.any(|id| self.agents.contains(id));
        drop(agents);
        let Some(agent) = agent.filter(|_| is_aside) else {
            return Branch { session: own, title: title(), is_aside: false };
        };
        let name = self.nodes[&agent].name.clone();
        if self.stated.insert(agent.clone()) {
            let agent = AgentFacts { id: Some(agent.clone()), kind: name.clone(), ..AgentFacts::default() };
            out.fact(Fact::Agent(agent));
        }
        Branch { session: format!("{own} {agent}").into(), title: name, is_aside: true }
    }
}

/// The session of an observation or a trace, else the trace.
fn session_of(value: JsonValue<'_>, trace: Option<JsonValue<'_>>) -> Box<str> {
    let told = value.words_of("sessionId").or_else(|| trace?.words_of("sessionId"));
    let own = || if value.get("traceId").is_some() { value.words_of("traceId") } else { value.words_of("id") };
    told.or_else(own).unwrap_or_default()
}
