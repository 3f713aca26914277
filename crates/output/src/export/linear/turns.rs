//! Lines at the beginning and end of turns and sub-agents: `turn 3, 2026-03-24 14:02:11 UTC, 5 calls, 1 failed: Mend the gate`.
//!
//! The figures of a turn are in its first line if the session is complete, else in a line at its end.

use crate::document::Turn;
use crate::export::page::brief;
use crate::session::Session;
use crate::session::prompt::prompt_line;
use crate::wording::count;
use crate::wording::figures::turn_figures;

/// The turn and the sub-agent that are being written.
#[derive(Clone, Debug, Default)]
pub(super) struct TurnLines {
    is_complete: bool,
    turn: Option<Turn>,
    /// Number of calls and of failed calls written in the turn.
    pub(super) calls: usize,
    pub(super) failures: usize,
    /// Label of the sub-agent whose messages are written; empty if it has none.
    agent: Option<Box<str>>,
}

/// `sub-agent begins: a77`
fn agent_line(label: &str, verb: &str) -> String {
    format!("sub-agent {verb}: {label}").trim_end_matches([':', ' ']).to_owned()
}

impl TurnLines {
    /// The lines of a session that is read completely before the first line.
    pub(super) fn of_complete_session() -> Self {
        Self { is_complete: true, ..Self::default() }
    }

    /// The lines before a message: where turns and sub-agents end and begin.
    pub(super) fn before(&mut self, session: &Session, message: usize) -> Vec<String> {
        let document = session.document();
        let messages = document.messages();
        let mut lines = Vec::new();
        let is_agents = messages.is_aside(message) && messages.role(message).is_some();
        let agent: Option<Box<str>> = is_agents.then(|| messages.label(message).unwrap_or_default().into());
        if agent != self.agent {
            lines.extend(self.agent.take().map(|agent| agent_line(&agent, "ends")));
        }
        let turn = document.turn_of(message).filter(|turn| turn.first == message);
        if let Some(turn) = turn {
            lines.extend(self.end_turn());
            lines.push(self.begin_turn(session, turn));
        }
        if agent != self.agent {
            lines.extend(agent.as_deref().map(|agent| agent_line(agent, "begins")));
            self.agent = agent;
        }
        lines
    }

    /// The lines at the end of the text.
    pub(super) fn at_end(&mut self) -> Vec<String> {
        let agent = self.agent.take().map(|agent| agent_line(&agent, "ends"));
        agent.into_iter().chain(self.end_turn()).collect()
    }

    fn begin_turn(&mut self, session: &Session, turn: Turn) -> String {
        let document = session.document();
        let message = document.messages().get(turn.first);
        (self.turn, self.calls, self.failures) = (Some(turn), 0, 0);
        let when = message.and_then(|message| message.when());
        let figures = self.is_complete.then(|| turn_figures(&document.turn_summary(turn, session.text())));
        let head = [Some(format!("turn {}", turn.number)), when, figures];
        let head = head.into_iter().flatten().collect::<Vec<_>>().join(", ");
        // The prompt itself follows.
        if self.is_complete { format!("{head}: {}", brief(&prompt_line(session, turn))) } else { head }
    }

    /// The line at the end of a turn, whose figures were not known at its beginning.
    fn end_turn(&mut self) -> Option<String> {
        let turn = self.turn.take().filter(|_| !self.is_complete)?;
        let failed = if self.failures > 0 { format!(", {} failed", self.failures) } else { String::new() };
        Some(format!("end of turn {}: {}{failed}", turn.number, count(self.calls, "call")))
    }
}
