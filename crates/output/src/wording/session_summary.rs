//! A session as one row of a list: its title, its project, its figures, its first and last prompt, and how it ended.

use crate::container::facts::{Figure, Relation, SessionKind, Timestamp, TitleKind};
use crate::document::Turn;
use crate::session::Session;
use crate::session::prompt::prompt_line;
use crate::wording::activity::RunningCall;

/// Maximum number of characters kept of a prompt.
const PROMPT: usize = 400;

/// Maximum number of turns at either end examined for a prompt that the user typed.
const EXAMINED: usize = 16;

/// A session as one row of a list.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SessionSummary {
    /// Its id; a sub-agent may have the id of its session.
    pub id: Option<Box<str>>,
    /// Its title and the source of that; `None` if the file has nothing suitable.
    pub title: Option<(Box<str>, TitleSource)>,
    /// Name of the folder in which it ran.
    pub project: Option<Box<str>>,
    /// The models that answered, sorted by name.
    pub models: Vec<Box<str>>,
    /// Its kind, such as a session of the user or of a sub-agent.
    pub kind: SessionKind,
    /// Ids of related sessions.
    pub links: Vec<(Relation, Box<str>)>,
    /// Number of turns.
    pub turns: usize,
    /// Number of calls that the runtime would count.
    pub calls: usize,
    /// Number of failed calls among them.
    pub failed: usize,
    /// The times of its first and last message.
    pub times: Option<(Timestamp, Timestamp)>,
    /// Tokens of all requests.
    pub tokens: Option<u64>,
    /// True if more tokens were used than `tokens` says.
    pub lacks_tokens: bool,
    /// Sum of recorded and estimated costs, in US dollars.
    pub cost: Option<Figure<f64>>,
    /// Number of requests without a recorded or estimated cost.
    pub without_cost: usize,
    /// Its first prompt on one line; empty if there is none.
    pub first_prompt: Box<str>,
    /// Its last prompt on one line; empty if there is none.
    pub last_prompt: Box<str>,
    /// Set if it ended badly.
    pub ending: Option<BadEnding>,
    /// Its call that has no result yet.
    pub running: Option<RunningCall>,
}

/// The source of a title, the best one first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TitleSource {
    /// The user entered it.
    Given,
    /// A model generated it as a title.
    Generated,
    /// A summary of the conversation.
    Summary,
    /// The first prompt.
    Prompt,
    /// A name that the client invented.
    Slug,
    /// The id of the session.
    Id,
}

/// Kinds of bad endings of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BadEnding {
    /// The user interrupted its last turn.
    Interrupted,
    /// Its last request failed.
    ApiError,
    /// Its last call failed.
    FailedCall,
}

impl TitleSource {
    /// Its name in JSON.
    pub(crate) fn name(self) -> &'static str {
        match self {
            TitleSource::Given => "given",
            TitleSource::Generated => "generated",
            TitleSource::Summary => "summary",
            TitleSource::Prompt => "prompt",
            TitleSource::Slug => "slug",
            TitleSource::Id => "id",
        }
    }
}

impl BadEnding {
    /// Its name in JSON and CSV.
    pub(crate) fn name(self) -> &'static str {
        match self {
            BadEnding::Interrupted => "interrupted",
            BadEnding::ApiError => "api-error",
            BadEnding::FailedCall => "failed-call",
        }
    }

    /// Its sign in a list.
    pub fn sign(self) -> char {
        match self {
            BadEnding::Interrupted => '⊘',
            BadEnding::ApiError => '!',
            BadEnding::FailedCall => '✗',
        }
    }

    /// Its description.
    pub fn words(self) -> &'static str {
        match self {
            BadEnding::Interrupted => "last turn interrupted",
            BadEnding::ApiError => "last request failed",
            BadEnding::FailedCall => "last call failed",
        }
    }
}

impl SessionSummary {
    /// The summary of a session, which need not be read to its end.
    pub fn new(session: &Session) -> Self {
        let document = session.document();
        let info = document.session_info();
        let spending = document.session_spending();
        Self {
            title: session_title(session),
            id: document.session_id().map(Box::from),
            project: info.project().map(Box::from),
            models: document.models().map(|(model, _)| model.into()).collect(),
            kind: info.kind,
            links: info.links.clone(),
            turns: document.turn_count(),
            calls: document.calls_that_count(),
            failed: document.failures(),
            times: document.time_range(),
            tokens: spending.usage.total(),
            lacks_tokens: spending.lacks_tokens(),
            cost: spending.cost,
            without_cost: spending.without_cost,
            last_prompt: typed_prompt(session, document.turns().rev()),
            first_prompt: typed_prompt(session, document.turns()),
            ending: ending(session),
            running: RunningCall::new(session, &[]),
        }
    }

    /// The command that resumes it in its agent; `None` if the agent has none, or the id is not safe in a shell.
    pub fn resume_command(&self, container: &str) -> Option<String> {
        let command = RESUMED.iter().find(|(name, _)| *name == container)?.1;
        let id = self.id.as_deref().filter(|_| !matches!(self.kind, SessionKind::Subagent | SessionKind::Evaluator))?;
        let is_safe = !id.starts_with('-') && id.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'));
        (is_safe && !id.is_empty()).then(|| format!("{command}{id}"))
    }

    /// The ids of sessions that it may be listed under, the most likely one first.
    pub fn parents(&self) -> impl Iterator<Item = &str> {
        let own = self.id.as_deref().filter(|_| self.kind == SessionKind::Subagent);
        let of = |wanted| self.links.iter().filter(move |(relation, _)| *relation == wanted).map(|(_, id)| &**id);
        let linked = [Relation::Parent, Relation::Continues, Relation::ForkedFrom].into_iter().flat_map(of);
        linked.chain(own)
    }
}

/// The command that resumes a session, up to its id, by container. Sources are the documentation of Droid
/// (`cli-reference.mdx`) and Kimi Code (`kimi-command.md`), and agent-sessions (`*ResumeCommandBuilder.swift`).
const RESUMED: [(&str, &str); 12] = [
    ("claude-code", "claude --resume "),
    ("codex", "codex resume "),
    ("gemini-cli", "gemini --resume "),
    ("opencode-storage", "opencode --session "),
    ("qwen-code", "qwen --resume "),
    ("copilot-cli", "copilot --resume="),
    ("cursor-agent", "cursor-agent --resume "),
    ("kimi-code", "kimi --session "),
    ("kimi", "kimi --session "),
    ("antigravity", "agy --conversation "),
    ("droid", "droid --resume "),
    ("grok-cli", "grok --resume "),
];

/// The best title of a session. Recorded titles that are not slugs come first, then the first prompt, a slug, and the
/// id.
pub fn session_title(session: &Session) -> Option<(Box<str>, TitleSource)> {
    let document = session.document();
    let recorded = document.session_info().title.as_ref();
    let source = recorded.map(|(_, kind)| match kind {
        TitleKind::Given => TitleSource::Given,
        TitleKind::Generated => TitleSource::Generated,
        TitleKind::Summary => TitleSource::Summary,
        TitleKind::Slug => TitleSource::Slug,
    });
    let recorded = recorded.map(|(title, _)| title.clone()).zip(source);
    if let Some((_, TitleSource::Given | TitleSource::Generated | TitleSource::Summary)) = recorded {
        return recorded;
    }
    let prompt = typed_prompt(session, document.turns());
    let prompt = Some((prompt, TitleSource::Prompt)).filter(|(prompt, _)| !prompt.is_empty());
    prompt.or(recorded).or_else(|| Some((document.session_id()?.into(), TitleSource::Id)))
}

/// The first prompt of these turns that does not begin with a tag, as program texts do; otherwise the first prompt.
fn typed_prompt(session: &Session, turns: impl Iterator<Item = Turn>) -> Box<str> {
    let lines = turns.take(EXAMINED).map(|turn| prompt_line(session, turn));
    let mut fallback = None;
    for line in lines.filter(|line| !line.is_empty()) {
        if !line.starts_with('<') {
            return line.chars().take(PROMPT).collect::<String>().into();
        }
        fallback.get_or_insert(line);
    }
    fallback.unwrap_or_default().chars().take(PROMPT).collect::<String>().into()
}

fn ending(session: &Session) -> Option<BadEnding> {
    use crate::container::facts::SessionState;
    let document = session.document();
    let last_turn = document.last_turn();
    let start = last_turn.and_then(|turn| document.messages().start(turn.first)).unwrap_or_default();
    let mut states = document.states().iter().rev().take_while(|(place, _)| *place >= start);
    if states.any(|(_, state)| *state == SessionState::Interrupted) {
        return Some(BadEnding::Interrupted);
    }
    let last_request = document.requests().iter().rev().find(|request| !request.is_aside);
    if last_request.is_some_and(|request| request.error.is_some()) {
        return Some(BadEnding::ApiError);
    }
    let last_call = document.calls().rev().find(|&item| !document.is_withdrawn(item));
    let has_failed = last_call.and_then(|item| document.call(item)).is_some_and(|call| call.has_failed());
    has_failed.then_some(BadEnding::FailedCall)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::container::Container;
    use crate::dialect::Options;

    fn summary(records: &[&str]) -> SessionSummary {
        let mut session = Session::new(Container::default(), &Options::default());
        for record in records {
            session.push(format!("{record}\n").as_bytes());
        }
        session.finish();
        SessionSummary::new(&session)
    }

    const PROMPT: &str = r#"{"type":"user","sessionId":"s-1","uuid":"u","timestamp":"2026-03-24T09:00:00Z","cwd":"/home/mira/ferry","slug":"calm-otter","message":{"role":"user","content":"Mend the gate"}}"#;
    const NAMED: &str = r#"{"type":"custom-title","customTitle":"Gate","sessionId":"s-1"}"#;
    const MADE: &str = r#"{"type":"ai-title","aiTitle":"The gate is mended","sessionId":"s-1"}"#;
    const CALL: &str = r#"{"type":"assistant","sessionId":"s-1","uuid":"v","parentUuid":"u","timestamp":"2026-03-24T09:01:00Z","message":{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"Bash","input":{}}]}}"#;
    const FAILED: &str = r#"{"type":"user","sessionId":"s-1","uuid":"w","parentUuid":"v","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","is_error":true,"content":"no"}]}}"#;
    const STOPPED: &str = r#"{"type":"user","sessionId":"s-1","uuid":"x","parentUuid":"v","message":{"role":"user","content":[{"type":"text","text":"[Request interrupted by user]"}]}}"#;

    #[test]
    fn a_title_is_given_generated_the_first_prompt_a_slug_or_the_id() {
        use TitleSource::{Generated, Given, Prompt};
        for (records, title, source) in [
            (&[PROMPT, NAMED, MADE][..], "Gate", Given),
            (&[PROMPT, MADE], "The gate is mended", Generated),
            (&[PROMPT], "Mend the gate", Prompt),
            (&[CALL], "s-1", TitleSource::Id),
        ] {
            assert_eq!(summary(records).title, Some((title.into(), source)), "{records:?}");
        }
        assert_eq!(summary(&["only words"]).title, None);
    }

    #[test]
    fn a_bad_ending_is_an_interruption_or_a_failed_last_call() {
        for (records, ending) in [
            (&[PROMPT, CALL][..], None),
            (&[PROMPT, CALL, FAILED], Some(BadEnding::FailedCall)),
            (&[PROMPT, CALL, STOPPED], Some(BadEnding::Interrupted)),
        ] {
            assert_eq!(summary(records).ending, ending, "{records:?}");
        }
    }

    #[test]
    fn a_session_is_resumed_by_its_agent_and_its_id() {
        let of = |id: &str, kind| SessionSummary { id: Some(id.into()), kind, ..SessionSummary::default() };
        for (container, id, kind, command) in [
            ("claude-code", "s-1", SessionKind::Main, Some("claude --resume s-1")),
            ("codex", "0195b6a2", SessionKind::Fork, Some("codex resume 0195b6a2")),
            ("claude-code", "s-1", SessionKind::Subagent, None),
            ("claude-code", "s; rm -r x", SessionKind::Main, None),
            ("claude-code", "--help", SessionKind::Main, None),
            ("copilot-cli", "s-1", SessionKind::Main, Some("copilot --resume=s-1")),
            ("kimi", "s-1", SessionKind::Main, Some("kimi --session s-1")),
            ("plain", "s-1", SessionKind::Main, None),
        ] {
            assert_eq!(of(id, kind).resume_command(container).as_deref(), command, "{container} {id}");
        }
    }
}
