//! Rules for facts: the session, requests with their tokens, compactions, sub-agents, and times of calls.

use std::time::Duration;

use super::condition::{Choice, Conditions};
use super::path::{Path, Scope};
use crate::container::facts::{
    AgentFacts, CallTimes, Compaction, CompactionKind, CompactionTrigger, Fact, Relation, ReportedTokens, RequestFacts,
    RequestScope, SessionFact, SessionKind, Timestamp, TitleKind, Usage,
};
use crate::container::json::{JsonKind, JsonValue};
use crate::container::messages::time_words;
use crate::container::usage::{self, Counting, Counts};
use crate::container::writer::TextWriter;
use crate::container::{answer, moment_of};
use crate::text::Span;
use crate::value::yaml::fields::{Fields, Source, Word};

/// An optional path of a mapping.
pub(super) fn path(source: &mut Source, fields: &mut Fields, name: &'static str) -> Option<Path> {
    let word = source.text(fields, name)?;
    Some(Path::parse(&word, source))
}

/// A path, or a list of paths.
pub(super) fn paths(source: &mut Source, fields: &mut Fields, name: &'static str) -> Vec<Path> {
    let words = source.texts(fields, name);
    words.iter().map(|word| Path::parse(word, source)).collect()
}

pub(super) fn words(path: Option<&Path>, scope: &Scope<'_, '_>) -> Option<Box<str>> {
    path?.words(scope)
}

/// A time as written: a string, or a number of seconds or milliseconds since 1970.
pub(super) fn time(path: Option<&Path>, scope: &Scope<'_, '_>) -> Option<Box<str>> {
    path?.value(scope).and_then(time_words)
}

fn moment(path: Option<&Path>, scope: &Scope<'_, '_>) -> Option<Timestamp> {
    moment_of(&time(path, scope)?)
}

fn number(path: Option<&Path>, scope: &Scope<'_, '_>) -> Option<u64> {
    path?.value(scope)?.number()
}

fn fraction(path: Option<&Path>, scope: &Scope<'_, '_>) -> Option<f64> {
    path?.value(scope)?.fraction()
}

/// The name of the program, or the path of it.
#[derive(Clone, Debug)]
enum ClientName {
    Fixed(Box<str>),
    At(Path),
}

impl ClientName {
    /// A path has a point before it.
    fn read(source: &mut Source, word: &Word) -> Self {
        match word.text.strip_prefix('.') {
            Some(path) => Self::At(Path::parse(&Word { text: path.to_owned(), place: word.place }, source)),
            None => Self::Fixed(word.text.as_str().into()),
        }
    }
}

/// Facts about the session as a whole.
#[derive(Clone, Debug, Default)]
pub(super) struct SessionRule {
    pub(super) id: Option<Path>,
    /// The model of later messages.
    pub(super) model: Option<Path>,
    /// The level of reasoning of later requests.
    pub(super) effort: Option<Path>,
    titles: Vec<(Path, TitleKind)>,
    links: Vec<(Path, Relation)>,
    directory: Option<Path>,
    branch: Option<Path>,
    client: Option<ClientName>,
    version: Option<Path>,
    start: Option<Path>,
    window: Option<Path>,
    cost: Option<Path>,
    kind: Choice<SessionKind>,
}

impl SessionRule {
    pub(super) fn read(source: &mut Source, mut fields: Fields) -> Self {
        let fields = &mut fields;
        let titles = [
            ("title", TitleKind::Generated),
            ("given_title", TitleKind::Given),
            ("summary", TitleKind::Summary),
            ("slug", TitleKind::Slug),
        ];
        let titles = titles.into_iter().filter_map(|(name, kind)| Some((path(source, fields, name)?, kind))).collect();
        let links =
            [("parent", Relation::Parent), ("forked_from", Relation::ForkedFrom), ("continues", Relation::Continues)];
        let links = links.into_iter().filter_map(|(name, kind)| Some((path(source, fields, name)?, kind))).collect();
        let kinds = [
            ("main", SessionKind::Main),
            ("subagent", SessionKind::Subagent),
            ("fork", SessionKind::Fork),
            ("continuation", SessionKind::Continuation),
        ];
        let rule = Self {
            id: path(source, fields, "id"),
            model: path(source, fields, "model"),
            effort: path(source, fields, "effort"),
            titles,
            links,
            directory: path(source, fields, "directory"),
            branch: path(source, fields, "branch"),
            client: source.text(fields, "client").map(|word| ClientName::read(source, &word)),
            version: path(source, fields, "version"),
            start: path(source, fields, "start"),
            window: path(source, fields, "window"),
            cost: path(source, fields, "cost"),
            kind: Choice::read(source, fields, "kind", |source, word| one_of(source, word, "kind", &kinds)),
        };
        source.finish(fields);
        rule
    }

    /// States the facts in a scope, in a fixed order.
    pub(super) fn facts(&self, scope: &Scope<'_, '_>, tell: &mut dyn FnMut(SessionFact)) {
        for (path, kind) in &self.titles {
            if let Some(title) = words(Some(path), scope) {
                tell(SessionFact::Title(title, *kind));
            }
        }
        let text = |path: &Option<Path>| words(path.as_ref(), scope);
        text(&self.directory).map(SessionFact::Directory).into_iter().for_each(&mut *tell);
        text(&self.branch).map(SessionFact::Branch).into_iter().for_each(&mut *tell);
        let version = text(&self.version);
        match &self.client {
            Some(ClientName::Fixed(client)) if version.is_some() || self.version.is_none() => {
                tell(SessionFact::Client(client.clone(), version));
            }
            Some(ClientName::At(path)) => {
                if let Some(client) = words(Some(path), scope) {
                    tell(SessionFact::Client(client, version));
                }
            }
            _ => {}
        }
        moment(self.start.as_ref(), scope).map(SessionFact::Start).into_iter().for_each(&mut *tell);
        number(self.window.as_ref(), scope).map(SessionFact::Window).into_iter().for_each(&mut *tell);
        for (path, relation) in &self.links {
            if let Some(word) = words(Some(path), scope) {
                tell(SessionFact::Link(*relation, session_of(&word).into()));
            }
        }
        self.kind.pick(scope).into_iter().for_each(|kind| tell(SessionFact::Kind(*kind)));
        fraction(self.cost.as_ref(), scope).map(SessionFact::Cost).into_iter().for_each(&mut *tell);
    }
}

/// The id of a session: of the path of a file, what follows the last `_` of its name.
fn session_of(word: &str) -> &str {
    let Some(file) = word.strip_suffix(".jsonl").or_else(|| word.strip_suffix(".json")) else { return word };
    let name = file.rsplit(['/', '\\']).next().unwrap_or(file);
    name.rsplit_once('_').map_or(name, |(_, id)| id)
}

/// One of the known words; anything else is a fault.
pub(super) fn one_of<T: Copy>(source: &mut Source, word: &Word, name: &str, known: &[(&str, T)]) -> Option<T> {
    let found = known.iter().find(|(known, _)| *known == word.text).map(|(_, value)| *value);
    if found.is_none() {
        let names: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
        source.unknown(&format!("{name}: "), word, &names);
    }
    found
}

type UsageReader = fn(JsonValue<'_>) -> Option<Usage>;

/// Token counts: an object as a known provider counts, or a path for each count.
#[derive(Clone, Debug)]
enum TokensRule {
    Like(Path, UsageReader),
    Counts(Box<CountPaths>),
}

#[derive(Clone, Debug)]
struct CountPaths {
    input: Option<Path>,
    cache_read: Option<Path>,
    cache_write: Option<Path>,
    output: Option<Path>,
    reasoning: Option<Path>,
    total: Option<Path>,
    /// Relation of cached tokens to the input, and of reasoning to the output; by default the total decides.
    counting: Option<(Counting, Counting)>,
}

impl CountPaths {
    fn read(source: &mut Source, fields: &mut Fields) -> Self {
        let counting = [("by_total", None), ("inside", Some(Counting::Inside)), ("apart", Some(Counting::Apart))];
        let cached = source.choice(fields, "cached", &counting);
        let thinking = source.choice(fields, "thinking", &counting);
        let is_stated = cached.is_some() || thinking.is_some();
        Self {
            input: path(source, fields, "input"),
            cache_read: path(source, fields, "cache_read"),
            cache_write: path(source, fields, "cache_write"),
            output: path(source, fields, "output"),
            reasoning: path(source, fields, "reasoning"),
            total: path(source, fields, "total"),
            counting: is_stated.then(|| (cached.unwrap_or(Counting::Inside), thinking.unwrap_or(Counting::Inside))),
        }
    }
}

impl TokensRule {
    fn read(source: &mut Source, mut fields: Fields) -> Self {
        let fields = &mut fields;
        let known: [(&str, Option<UsageReader>); 11] = [
            ("", None),
            ("anthropic", Some(usage::anthropic)),
            ("openai", Some(usage::openai)),
            ("gemini", Some(usage::gemini)),
            ("bedrock", Some(usage::bedrock)),
            ("ollama", Some(usage::ollama)),
            ("ai-sdk", Some(usage::ai_sdk)),
            ("langchain", Some(usage::langchain)),
            ("inspect", Some(usage::inspect)),
            ("pi", Some(usage::pi)),
            ("otel", Some(usage::otel)),
        ];
        let rule = if let Some(reader) = source.choice(fields, "like", &known) {
            let at = source.required(fields, "at", "the path of the object with the counts");
            let at = at.unwrap_or_else(|| Word { text: ".".to_owned(), place: Span::at(0) });
            Self::Like(Path::parse(&at, source), reader)
        } else {
            Self::Counts(Box::new(CountPaths::read(source, fields)))
        };
        source.finish(fields);
        rule
    }

    fn usage(&self, scope: &Scope<'_, '_>) -> Option<Usage> {
        match self {
            Self::Like(at, reader) => {
                let counted = at.value(scope).filter(|counted| counted.kind() == JsonKind::Object)?;
                reader(counted)
            }
            Self::Counts(paths) => {
                let count = |path: &Option<Path>| number(path.as_ref(), scope);
                let counts = Counts {
                    input: count(&paths.input),
                    cache_read: count(&paths.cache_read),
                    cache_write: count(&paths.cache_write),
                    output: count(&paths.output),
                    reasoning: count(&paths.reasoning),
                    total: count(&paths.total),
                };
                let usage = match paths.counting {
                    Some((cache, reasoning)) => counts.disjoint(cache, reasoning),
                    None => counts.mostly_inside(),
                };
                Some(usage).filter(|usage| !usage.is_empty())
            }
        }
    }
}

/// A request to the model.
#[derive(Clone, Debug)]
pub(super) struct RequestRule {
    when: Conditions,
    key: Option<Path>,
    scope: RequestScope,
    model: Option<Path>,
    tokens: Option<TokensRule>,
    cost: Option<Path>,
    start: Option<Path>,
    first_token: Option<Path>,
    end: Option<Path>,
    milliseconds: Option<Path>,
    stop: Option<Path>,
    effort: Option<Path>,
    error: Choice<Path>,
}

impl RequestRule {
    pub(super) fn read(source: &mut Source, mut fields: Fields) -> Self {
        let fields = &mut fields;
        let scopes =
            [("request", RequestScope::Request), ("turn", RequestScope::Turn), ("session", RequestScope::Session)];
        let rule = Self {
            when: Conditions::read(source, fields, "when"),
            key: path(source, fields, "key"),
            scope: source.choice(fields, "scope", &scopes),
            model: path(source, fields, "model"),
            tokens: source.map(fields, "tokens").map(|tokens| TokensRule::read(source, tokens)),
            cost: path(source, fields, "cost"),
            start: path(source, fields, "start"),
            first_token: path(source, fields, "first_token"),
            end: path(source, fields, "end"),
            milliseconds: path(source, fields, "milliseconds"),
            stop: path(source, fields, "stop"),
            effort: path(source, fields, "effort"),
            error: Choice::read(source, fields, "error", |source, word| Some(Path::parse(word, source))),
        };
        source.finish(fields);
        rule
    }

    /// The request in a scope, unless nothing but its model and times is known. `usual` has the session's model and
    /// effort.
    pub(super) fn request(&self, scope: &Scope<'_, '_>, usual: &RequestFacts, is_aside: bool) -> Option<RequestFacts> {
        if !self.when.hold(scope) {
            return None;
        }
        let text = |path: &Option<Path>| words(path.as_ref(), scope);
        let time = |path: &Option<Path>| moment(path.as_ref(), scope);
        let usage = self.tokens.as_ref().and_then(|tokens| tokens.usage(scope));
        let took = fraction(self.milliseconds.as_ref(), scope).map(|milliseconds| milliseconds / 1000.0);
        let (mut start, mut end) = (time(&self.start), time(&self.end));
        if let Some(took) = took {
            end = end.or_else(|| answer::after(start?, took));
            start = start.or_else(|| answer::after(end?, -took));
        }
        let request = RequestFacts {
            key: text(&self.key),
            scope: self.scope,
            model: text(&self.model).or_else(|| usual.model.clone()),
            cost: fraction(self.cost.as_ref(), scope).filter(|_| usage.is_some()),
            usage,
            start,
            first_token: time(&self.first_token),
            end,
            stop: text(&self.stop),
            effort: text(&self.effort).or_else(|| usual.effort.clone()),
            error: words(self.error.pick(scope), scope),
            is_aside,
            ..RequestFacts::default()
        };
        let is_known = request.usage.is_some() || request.stop.is_some() || request.error.is_some();
        is_known.then_some(request)
    }
}

/// Facts that are neither of the session nor of a request.
#[derive(Clone, Debug, Default)]
pub(super) struct OtherFacts {
    compaction: Option<CompactionRule>,
    agent: Option<AgentRule>,
    times: Option<TimesRule>,
}

#[derive(Clone, Debug)]
struct CompactionRule {
    when: Conditions,
    kind: CompactionKind,
    trigger: Choice<CompactionTrigger>,
    before: Option<Path>,
    after: Option<Path>,
    milliseconds: Option<Path>,
}

#[derive(Clone, Debug)]
struct AgentRule {
    when: Conditions,
    id: Option<Path>,
    call: Option<Path>,
    kind: Option<Path>,
    description: Option<Path>,
    status: Option<Path>,
    session: Option<Path>,
    tokens: Option<Path>,
    calls: Option<Path>,
    milliseconds: Option<Path>,
}

#[derive(Clone, Debug)]
struct TimesRule {
    call: Option<Path>,
    start: Option<Path>,
    end: Option<Path>,
    milliseconds: Option<Path>,
}

impl OtherFacts {
    /// Reads the members `compaction`, `agent` and `times` of a rule.
    pub(super) fn read(source: &mut Source, rule: &mut Fields) -> Self {
        Self {
            compaction: source.map(rule, "compaction").map(|fields| compaction(source, fields)),
            agent: source.map(rule, "agent").map(|fields| agent(source, fields)),
            times: source.map(rule, "times").map(|fields| times(source, fields)),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.compaction.is_none() && self.agent.is_none() && self.times.is_none()
    }

    pub(super) fn write(&self, scope: &Scope<'_, '_>, out: &mut TextWriter) {
        let number = |path: &Option<Path>| number(path.as_ref(), scope);
        let text = |path: &Option<Path>| words(path.as_ref(), scope);
        let took = |path: &Option<Path>| Duration::try_from_secs_f64(fraction(path.as_ref(), scope)? / 1000.0).ok();
        if let Some(rule) = self.compaction.as_ref().filter(|rule| rule.when.hold(scope)) {
            out.fact(Fact::Compaction(Compaction {
                trigger: rule.trigger.pick(scope).copied(),
                kind: rule.kind,
                before: number(&rule.before),
                after: number(&rule.after),
                duration: took(&rule.milliseconds),
            }));
        }
        if let Some(rule) = self.agent.as_ref().filter(|rule| rule.when.hold(scope)) {
            let facts = AgentFacts {
                id: text(&rule.id),
                call: text(&rule.call),
                kind: text(&rule.kind),
                description: text(&rule.description),
                status: text(&rule.status),
                session: text(&rule.session),
                reported: number(&rule.tokens).map(|tokens| (tokens, ReportedTokens::Sum)),
                calls: number(&rule.calls),
                took: took(&rule.milliseconds),
            };
            if facts.id.is_some() || facts.call.is_some() {
                out.fact(Fact::Agent(facts));
            }
        }
        if let Some(rule) = &self.times {
            let [start, end] = [&rule.start, &rule.end].map(|path| moment(path.as_ref(), scope));
            let times = CallTimes { start, end, took: took(&rule.milliseconds) };
            if let Some(call) = text(&rule.call).filter(|_| times != CallTimes::default()) {
                out.fact(Fact::Call(call, times));
            }
        }
    }
}

fn compaction(source: &mut Source, mut fields: Fields) -> CompactionRule {
    let fields = &mut fields;
    let kinds = [
        ("summary", CompactionKind::Summary),
        ("trim", CompactionKind::Trim),
        ("clear_results", CompactionKind::ClearResults),
        ("clear_all", CompactionKind::ClearAll),
        ("rewind", CompactionKind::Rewind),
    ];
    let triggers = [
        ("auto", CompactionTrigger::Auto),
        ("manual", CompactionTrigger::Manual),
        ("overflow", CompactionTrigger::Overflow),
    ];
    let rule = CompactionRule {
        when: Conditions::read(source, fields, "when"),
        kind: source.choice(fields, "kind", &kinds),
        trigger: Choice::read(source, fields, "trigger", |source, word| one_of(source, word, "trigger", &triggers)),
        before: path(source, fields, "before"),
        after: path(source, fields, "after"),
        milliseconds: path(source, fields, "milliseconds"),
    };
    source.finish(fields);
    rule
}

fn agent(source: &mut Source, mut fields: Fields) -> AgentRule {
    let fields = &mut fields;
    let rule = AgentRule {
        when: Conditions::read(source, fields, "when"),
        id: path(source, fields, "id"),
        call: path(source, fields, "call"),
        kind: path(source, fields, "kind"),
        description: path(source, fields, "description"),
        status: path(source, fields, "status"),
        session: path(source, fields, "session"),
        tokens: path(source, fields, "tokens"),
        calls: path(source, fields, "calls"),
        milliseconds: path(source, fields, "milliseconds"),
    };
    source.finish(fields);
    rule
}

fn times(source: &mut Source, mut fields: Fields) -> TimesRule {
    let fields = &mut fields;
    let rule = TimesRule {
        call: path(source, fields, "call"),
        start: path(source, fields, "start"),
        end: path(source, fields, "end"),
        milliseconds: path(source, fields, "milliseconds"),
    };
    source.finish(fields);
    rule
}
