//! Facts about a session that are not part of its text: requests and their token usage, times, compactions, sub-agents,
//! and which session it is.
//!
//! A field that the file does not state is `None`, never 0. Times are in UTC; tokens are counts of the provider.

use std::time::Duration;

pub use jiff::Timestamp;

/// Source of a figure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, strum::IntoStaticStr)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum FigureSource {
    /// The file states it.
    #[default]
    Recorded,
    /// Computed from what the file states: a sum, the difference of two times.
    Derived,
    /// The file rounds it: `9.9k sent`.
    Rounded,
    /// A limit: a duration is at most this long, a count of tokens at least this large.
    Bound,
    /// Computed with data that is not in the file: a table of prices.
    Estimated,
}

/// A figure with its source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Figure<T> {
    /// The value.
    pub value: T,
    /// Its source.
    pub ground: FigureSource,
}

/// Tokens of a request, in disjoint counts: providers include cached tokens in the input or not, and reasoning in the
/// output or not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Prompt tokens that were neither read from a cache nor written to one.
    pub input: Option<u64>,
    /// Prompt tokens read from a cache.
    pub cache_read: Option<u64>,
    /// Prompt tokens written to a cache.
    pub cache_write: Option<u64>,
    /// Part of `cache_write` that is kept for an hour, which costs more.
    pub cache_write_1h: Option<u64>,
    /// Output tokens without reasoning, if the file has separate counts; else with it.
    pub output: Option<u64>,
    /// Reasoning tokens.
    pub reasoning: Option<u64>,
    /// Source of the counts; `Rounded` if the file rounds them.
    pub ground: FigureSource,
    /// True if the output is a lower bound: its final count was never written.
    pub is_output_partial: bool,
}

impl Usage {
    /// Tokens of the prompt, which fill the context.
    pub fn prompt(&self) -> Option<u64> {
        sum([self.input, self.cache_read, self.cache_write])
    }

    /// Tokens of the answer, reasoning included.
    pub fn answer(&self) -> Option<u64> {
        sum([self.output, self.reasoning])
    }

    /// All tokens.
    pub fn total(&self) -> Option<u64> {
        sum([self.prompt(), self.answer()])
    }

    /// True if nothing is known, or all known counts are 0, which failed requests often have.
    pub(crate) fn is_empty(&self) -> bool {
        self.total().unwrap_or_default() == 0
    }

    /// The larger count of each kind. Several records of one request repeat its usage while its output grows.
    #[must_use]
    pub fn max(self, other: Self) -> Self {
        let partial = match self.output.cmp(&other.output) {
            std::cmp::Ordering::Equal => self.is_output_partial && other.is_output_partial,
            std::cmp::Ordering::Greater => self.is_output_partial,
            std::cmp::Ordering::Less => other.is_output_partial,
        };
        self.combine(other, u64::max, partial)
    }

    /// The sum of each kind, if at least one of the two is known.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        self.combine(other, u64::saturating_add, self.is_output_partial || other.is_output_partial)
    }

    fn combine(self, other: Self, with: fn(u64, u64) -> u64, is_output_partial: bool) -> Self {
        let both = |one: Option<u64>, other: Option<u64>| match (one, other) {
            (Some(one), Some(other)) => Some(with(one, other)),
            (one, other) => one.or(other),
        };
        Self {
            input: both(self.input, other.input),
            cache_read: both(self.cache_read, other.cache_read),
            cache_write: both(self.cache_write, other.cache_write),
            cache_write_1h: both(self.cache_write_1h, other.cache_write_1h),
            output: both(self.output, other.output),
            reasoning: both(self.reasoning, other.reasoning),
            ground: self.ground.max(other.ground),
            is_output_partial,
        }
    }
}

/// The sum of the known counts; `None` if none is known.
fn sum(counts: impl IntoIterator<Item = Option<u64>>) -> Option<u64> {
    counts.into_iter().flatten().reduce(u64::saturating_add)
}

/// Source of a message of the role `user`: most are not typed by the user.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, strum::IntoStaticStr)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum Origin {
    /// The file does not say: the role decides.
    #[default]
    Unsaid,
    /// A prompt that the user typed; it begins a turn.
    Prompt,
    /// A command of the client that the model answers, such as `/review`; it begins a turn.
    Command,
    /// A command that the user ran in the client's shell; the model does not answer it.
    Shell,
    /// Text that the user typed while the model was at work; it belongs to the model's turn.
    Steering,
    /// The client: a reminder, a caveat, an attached file, output of a local command, a hook.
    Client,
    /// A background task reports that it has ended.
    Notification,
    /// The summary that replaces a compacted context.
    Summary,
    /// A repetition from the request before: each request contains the history.
    Repeated,
}

impl Origin {
    /// True if a message of the role `user` with this origin begins a turn.
    pub fn begins_turn(self) -> bool {
        matches!(self, Origin::Unsaid | Origin::Prompt | Origin::Command)
    }

    /// True if a program wrote it, for the model and not for the reader.
    pub fn is_automatic(self) -> bool {
        matches!(self, Origin::Client | Origin::Notification | Origin::Summary)
    }
}

/// One fact about a session.
#[derive(Clone, Debug, PartialEq)]
pub enum Fact {
    /// About the session as a whole.
    Session(SessionFact),
    /// About a request to the model.
    Request(RequestFacts),
    /// The context was compacted or cleared here.
    Compaction(Compaction),
    /// When the call with this id ran.
    Call(Box<str>, CallTimes),
    /// About a sub-agent.
    Agent(AgentFacts),
    /// A state that holds from here.
    State(SessionState),
}

/// A fact about a session as a whole; a later one replaces an earlier one of its kind.
#[derive(Clone, Debug, PartialEq)]
pub enum SessionFact {
    /// Its title; the one of the greatest kind counts.
    Title(Box<str>, TitleKind),
    /// The working directory; the first one counts.
    Directory(Box<str>),
    /// The branch of its repository.
    Branch(Box<str>),
    /// The program that wrote the file, and its version.
    Client(Box<str>, Option<Box<str>>),
    /// When it began.
    Start(Timestamp),
    /// Its kind: started by a user, a sub-agent's, a fork, a continuation.
    Kind(SessionKind),
    /// Another session that it belongs to, by its id.
    Link(Relation, Box<str>),
    /// Size of its model's context window in tokens.
    Window(u64),
    /// The whole cost of the session, in US dollars.
    Cost(f64),
}

/// Source of a title, the best one last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, serde::Serialize, strum::IntoStaticStr)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum TitleKind {
    /// The client invented a name.
    Slug,
    /// A summary of the conversation.
    Summary,
    /// Written by a model as a title.
    Generated,
    /// Set by the user.
    Given,
}

/// Kinds of sessions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, strum::IntoStaticStr)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum SessionKind {
    /// A session that a user started.
    #[default]
    Main,
    /// The conversation of a sub-agent.
    Subagent,
    /// It begins with a copy of another session.
    Fork,
    /// It continues another session.
    Continuation,
    /// A check that another program had a model make, such as a review of a command.
    Evaluator,
}

/// How another session is related to this one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, strum::IntoStaticStr)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum Relation {
    /// It started this one as a sub-agent.
    Parent,
    /// This one began as a copy of it.
    ForkedFrom,
    /// This one continues it.
    Continues,
}

/// A request to the model, or several that the file counts together; `W` is the type of its strings.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RequestFacts<W = Box<str>> {
    /// Identifies the request: records with the same key are about the same one, and the larger counts hold. Without
    /// a key it is a request not mentioned before.
    pub key: Option<W>,
    /// The requests that it counts together.
    pub scope: RequestScope,
    /// The model that answered.
    pub model: Option<W>,
    /// Its token counts.
    pub usage: Option<Usage>,
    /// Tokens of the prompt that fill the context, where `usage` counts more than those: a provider that compacts the
    /// context in a request bills both prompts.
    pub context: Option<u64>,
    /// Its cost in US dollars, as the file records it.
    pub cost: Option<f64>,
    /// When it was sent.
    pub start: Option<Timestamp>,
    /// When the first token of the answer arrived.
    pub first_token: Option<Timestamp>,
    /// When the answer was complete.
    pub end: Option<Timestamp>,
    /// Stop reason, as written in the file: `end_turn`, `tool_calls`.
    pub stop: Option<W>,
    /// Reasoning effort that was requested.
    pub effort: Option<W>,
    /// Why it failed.
    pub error: Option<W>,
    /// True if a sub-agent or the client itself sent it; such a request does not fill the context.
    pub is_aside: bool,
}

/// Requests that a usage covers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, strum::IntoStaticStr)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum RequestScope {
    /// One request.
    #[default]
    Request,
    /// All requests of a turn.
    Turn,
    /// All requests of a session.
    Session,
}

/// A compaction or clearing of the context.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Compaction {
    /// Its trigger, if the file states one.
    pub trigger: Option<CompactionTrigger>,
    /// Its effect on the context.
    pub kind: CompactionKind,
    /// Tokens in the context before it.
    pub before: Option<u64>,
    /// Tokens in the whole context after it, not in the summary alone.
    pub after: Option<u64>,
    /// How long it took.
    pub duration: Option<Duration>,
}

/// Trigger of a compaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, strum::IntoStaticStr)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum CompactionTrigger {
    /// The context was nearly full.
    Auto,
    /// The user started it.
    Manual,
    /// The provider rejected a prompt that was too long.
    Overflow,
}

/// Effect of a compaction on the context.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, strum::IntoStaticStr)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum CompactionKind {
    /// A summary replaces the conversation.
    #[default]
    Summary,
    /// The oldest messages were dropped.
    Trim,
    /// Results of tools were cleared.
    ClearResults,
    /// Everything was dropped.
    ClearAll,
    /// The last turns were dropped.
    Rewind,
}

/// A sub-agent as the file of its parent session describes it. Facts with the same call or id belong together.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AgentFacts {
    /// Its id: the label of its messages in this file, or a part of its file's name.
    pub id: Option<Box<str>>,
    /// Id of the call that started it.
    pub call: Option<Box<str>>,
    /// Its kind or role: `Explore`.
    pub kind: Option<Box<str>>,
    /// Its task in a few words.
    pub description: Option<Box<str>>,
    /// Its last status, in the file's word: `completed`.
    pub status: Option<Box<str>>,
    /// Id of its session.
    pub session: Option<Box<str>>,
    /// Tokens that its parent's file reports, with their meaning.
    pub reported: Option<(u64, ReportedTokens)>,
    /// Number of calls made.
    pub calls: Option<u64>,
    /// How long it ran.
    pub took: Option<Duration>,
}

/// Meaning of the token count that a file reports for a sub-agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, strum::IntoStaticStr)]
#[serde(rename_all = "kebab-case")]
#[strum(serialize_all = "kebab-case")]
pub enum ReportedTokens {
    /// Tokens of its last request: how full its context was at the end.
    LastRequest,
    /// Sum over all its requests.
    Sum,
}

/// A state of the session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SessionState {
    /// The permission mode, in the client's word: `acceptEdits`.
    Permission(Box<str>),
    /// The tasks of its plan.
    Plan {
        /// Number of completed tasks.
        done: u32,
        /// Number of tasks.
        total: u32,
    },
    /// The user interrupted the model.
    Interrupted,
}

/// When a call ran, as the file records it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CallTimes {
    /// When its tool began.
    pub start: Option<Timestamp>,
    /// When its tool ended.
    pub end: Option<Timestamp>,
    /// How long its tool ran.
    pub took: Option<Duration>,
}

impl CallTimes {
    /// A call whose tool ran this long.
    pub(crate) fn of_duration(took: Duration) -> Self {
        Self { took: Some(took), ..Self::default() }
    }

    /// How long the tool ran: as recorded, else from its start to its end.
    pub fn duration(&self) -> Option<Duration> {
        self.took.or_else(|| Duration::try_from(self.end?.duration_since(self.start?)).ok())
    }

    /// Merges both; this one takes precedence.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self { start: self.start.or(other.start), end: self.end.or(other.end), took: self.took.or(other.took) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn usage(input: u64, output: u64, is_output_partial: bool) -> Usage {
        Usage { input: Some(input), output: Some(output), is_output_partial, ..Usage::default() }
    }

    #[test]
    fn records_of_one_request_repeat_its_usage_and_its_output_grows() {
        let records = [usage(3, 1, true), usage(3, 1, true), usage(3, 212, false)];
        let merged = records.into_iter().reduce(Usage::max).unwrap_or_default();
        assert_eq!(merged, usage(3, 212, false));
        assert_eq!(records[..2].iter().copied().reduce(Usage::max), Some(usage(3, 1, true)));
        let summed = records.into_iter().reduce(Usage::plus).unwrap_or_default();
        assert_eq!(summed, usage(9, 214, true));
    }

    #[test]
    fn unknown_is_not_zero() {
        let nothing = Usage::default();
        assert_eq!((nothing.prompt(), nothing.answer(), nothing.total()), (None, None, None));
        let part = Usage { cache_read: Some(90), ..usage(10, 5, false) };
        assert_eq!((part.prompt(), part.answer(), part.total()), (Some(100), Some(5), Some(105)));
        assert_eq!(part.plus(nothing), part);
    }
}
