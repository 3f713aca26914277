//! Speakers of texts: by the names of their kinds, else by their order and by what else their records hold.

use super::super::groups::Groups;
use super::{Role, Rule};

const NAMES: [(Role, &[&str]); 4] = [
    (Role::Reasoning, &["think", "reason", "thought"]),
    (Role::System, &["system", "instruction", "developer", "preamble"]),
    (Role::User, &["user", "human", "ask", "prompt", "question", "request", "query"]),
    (
        Role::Assistant,
        &["assistant", "model", "bot", "reply", "say", "answer", "agent", "response", "completion", "ai"],
    ),
];

/// Decides who speaks in each group with a text, calls or a result.
pub(super) fn assign(groups: &Groups<'_>, rules: &mut [Rule]) {
    let mut open = Vec::new();
    for (at, (rule, group)) in rules.iter_mut().zip(&groups.all).enumerate() {
        let kind = group.kind.as_deref().unwrap_or_default().to_lowercase();
        let named = NAMES.iter().find(|(_, words)| words.iter().any(|word| has_word(&kind, word)));
        rule.role = if rule.result.is_some() {
            Some(Role::Tool)
        } else if rule.call.is_some() {
            Some(Role::Assistant)
        } else if rule.content.is_none() && rule.reasoning.is_none() {
            None
        } else if rule.speaker.is_some() {
            Some(Role::Assistant)
        } else if let Some((role, _)) = named {
            Some(*role)
        } else {
            open.push(at);
            None
        };
    }
    for &at in &open {
        if rules[at].model.is_some() || !rules[at].tokens.is_empty() {
            rules[at].role = Some(Role::Assistant);
        }
    }
    open.retain(|&at| rules[at].role.is_none());
    let has = |rules: &[Rule], role: Role| {
        rules.iter().any(|rule| rule.role == Some(role) && (role != Role::Assistant || rule.content.is_some()))
    };
    // A single text before all others is the system's if another one can be the user's.
    if let Some(at) = open.first().copied().filter(|&at| open.len() > 1 && groups.all[at].at.len() == 1) {
        let first = groups.all[at].at[0];
        if first < 2 && groups.all[open[1]].at.len() > 1 && !has(rules, Role::System) {
            rules[at].role = Some(Role::System);
            open.remove(0);
        }
    }
    for at in open {
        rules[at].role = Some(if !has(rules, Role::User) {
            Role::User
        } else if !has(rules, Role::Assistant) {
            Role::Assistant
        } else {
            Role::Unknown
        });
    }
    for rule in rules.iter_mut().filter(|rule| rule.role == Some(Role::Reasoning)) {
        rule.reasoning = rule.reasoning.take().or(rule.content.take());
    }
    // Counts of the user's records are not of a request.
    for rule in rules.iter_mut().filter(|rule| matches!(rule.role, Some(Role::User | Role::System))) {
        rule.tokens.clear();
        rule.model = None;
    }
}

/// True if a word of the name is this one; long words may be parts of others.
fn has_word(name: &str, word: &str) -> bool {
    name.split(|c: char| !c.is_alphanumeric()).any(|part| part == word) || word.len() > 4 && name.contains(word)
}
