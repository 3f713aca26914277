//! What each kind of record holds: calls, results, texts of a speaker, token counts.

mod calls;
mod message_roles;
mod tokens;

use std::collections::BTreeSet;

use serde_json::Value;

use super::groups::{Group, Groups};
use super::members::{Member, is_around, members};
use calls::{CallPaths, ResultPaths};

/// A speaker, or a kind of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    User,
    Assistant,
    Reasoning,
    System,
    Tool,
    /// Text of an unknown speaker.
    Unknown,
}

/// The contents of the records of a group.
#[derive(Clone, Debug, Default)]
pub(super) struct Rule {
    pub(super) role: Option<Role>,
    /// Path of the speaker's name, instead of a fixed role.
    pub(super) speaker: Option<String>,
    pub(super) content: Option<String>,
    pub(super) reasoning: Option<String>,
    /// Path of the time, if it differs from the one of most records.
    pub(super) time: Option<String>,
    pub(super) model: Option<String>,
    /// Name and path of each token count.
    pub(super) tokens: Vec<(&'static str, String)>,
    pub(super) call: Option<CallPaths>,
    pub(super) result: Option<ResultPaths>,
}

impl Rule {
    /// True if nothing is read in the records.
    pub(super) fn is_skipped(&self) -> bool {
        self.role.is_none() && self.tokens.is_empty()
    }
}

/// The contents of the records of a log.
#[derive(Debug)]
pub(super) struct Plan {
    /// A rule for each group.
    pub(super) rules: Vec<Rule>,
    pub(super) time: Option<String>,
    pub(super) session: Option<String>,
}

/// Members that have a use already, or none.
type Taken = BTreeSet<String>;

const FAMILIES: [&str; 15] = [
    "gpt", "claude", "gemini", "qwen", "llama", "mistral", "deepseek", "grok", "kimi", "glm", "gemma", "phi-", "codex",
    "sonnet", "haiku",
];

/// Decides what each group holds.
pub(super) fn plan(groups: &Groups<'_>, records: &[Value]) -> Plan {
    let refs: Vec<&Value> = records.iter().collect();
    let everywhere = members(&refs);
    let mut taken: Taken = groups.key.iter().cloned().collect();
    taken.extend(everywhere.iter().filter(|member| member.is_time()).map(|member| member.path.clone()));
    let is_common = |member: &Member<'_>| member.values.len() * 10 >= records.len() * 9;
    let is_counter = |member: &Member<'_>| {
        is_common(member) && member.integers().is_some_and(|all| all.windows(2).all(|two| two[0] < two[1]))
    };
    taken.extend(everywhere.iter().filter(|member| is_counter(member)).map(|member| member.path.clone()));
    let session = session(&everywhere, &taken, records.len());
    taken.extend(session.clone());
    let is_constant = |member: &Member<'_>| {
        records.len() > 3 && is_common(member) && member.is_string() && member.distinct().len() == 1
    };
    taken.extend(everywhere.iter().filter(|member| is_constant(member)).map(|member| member.path.clone()));
    let time = time(&everywhere);
    let mut rules: Vec<Rule> = groups.all.iter().map(|_| Rule::default()).collect();
    for (rule, group) in rules.iter_mut().zip(&groups.all) {
        let has = |path: &String| group.member(path).is_some_and(|it| it.values.len() * 2 >= group.at.len());
        if !time.as_ref().is_some_and(has) {
            rule.time = group.members.iter().find(|member| member.is_time()).map(|member| member.path.clone());
        }
        rule.model = group
            .members
            .iter()
            .find(|it| is_model(it) && Some(&it.path) != groups.key.as_ref())
            .map(|it| it.path.clone());
    }
    calls::assign(groups, &taken, &mut rules);
    for (rule, group) in rules.iter_mut().zip(&groups.all) {
        let mut taken = taken.clone();
        taken.extend(rule.model.clone());
        if rule.result.is_some() {
            rule.model = None;
        } else {
            rule.speaker = group.members.iter().find(|it| is_speaker(it)).map(|it| it.path.clone());
            rule.tokens = tokens::tokens(group, &taken, rule.call.as_ref());
            texts(rule, group, &taken);
        }
    }
    message_roles::assign(groups, &mut rules);
    Plan { rules, time, session }
}

impl<'a> Group<'a> {
    pub(super) fn member(&self, path: &str) -> Option<&Member<'a>> {
        self.members.iter().find(|member| member.path == path)
    }
}

fn session(everywhere: &[Member<'_>], taken: &Taken, records: usize) -> Option<String> {
    const NAMES: [&str; 6] = ["session", "conversation", "thread", "run", "chat", "sid"];
    let is_session = |member: &&Member<'_>| {
        let distinct = member.distinct();
        let id = distinct.first().map(String::as_str).unwrap_or_default();
        let is_id = id.len() >= 4 && !id.contains(char::is_whitespace);
        let has_digit = id.contains(|c: char| c.is_ascii_digit());
        !taken.contains(&member.path)
            && member.is_string()
            && distinct.len() == 1
            && member.values.len() > 1
            && member.values.len() * 10 >= records * 9
            && is_id
            && (has_digit || member.is_called(&NAMES))
            && !is_model(member)
    };
    let all: Vec<&Member<'_>> = everywhere.iter().filter(is_session).collect();
    let named = all
        .iter()
        .find(|member| member.is_called(&NAMES))
        .or(all.iter().max_by_key(|it| it.values[0].to_string().len()));
    named.map(|member| member.path.clone())
}

fn time(everywhere: &[Member<'_>]) -> Option<String> {
    let mut best: Option<(&Member<'_>, (usize, bool))> = None;
    for member in everywhere.iter().filter(|member| member.is_time()) {
        let score = (member.values.len(), member.is_ascending());
        if best.as_ref().is_none_or(|(_, most)| score > *most) {
            best = Some((member, score));
        }
    }
    best.map(|(member, _)| member.path.clone())
}

fn is_model(member: &Member<'_>) -> bool {
    let distinct = member.distinct();
    let is_family = |word: &String| {
        let word = word.to_lowercase();
        word.len() <= 60
            && word.chars().all(|c| c.is_alphanumeric() || "-_.:/@".contains(c))
            && FAMILIES.iter().any(|family| word.contains(family))
    };
    let is_named = super::members::last(&member.path).trim_end_matches(['_', '-']).starts_with("model");
    member.is_string()
        && !distinct.is_empty()
        && distinct.len() <= 8
        && (distinct.iter().all(is_family) || is_named && distinct.iter().all(|word| !word.contains(' ')))
}

/// True if the values are at least two names of speakers.
fn is_speaker(member: &Member<'_>) -> bool {
    const SPEAKERS: [&str; 7] = ["user", "assistant", "system", "developer", "human", "model", "tool"];
    let distinct = member.distinct();
    member.is_string() && distinct.len() > 1 && distinct.iter().all(|word| SPEAKERS.contains(&&**word))
}

/// The longest text of the records, and their reasoning.
fn texts(rule: &mut Rule, group: &Group<'_>, taken: &Taken) {
    const REASONING: [&str; 4] = ["think", "reason", "thought", "cot"];
    const TEXT: [&str; 6] = ["text", "content", "message", "body", "prompt", "answer"];
    let arguments = rule.call.as_ref().filter(|call| call.each.is_none()).and_then(|call| call.arguments.clone());
    let uses = rule.call.as_ref().filter(|call| call.each.is_none());
    let is_free = |member: &&Member<'_>| {
        !taken.contains(&member.path)
            && member.is_string()
            && !arguments.as_ref().is_some_and(|outer| is_around(outer, &member.path))
            && !uses.is_some_and(|call| call.name == member.path || call.id.as_ref() == Some(&member.path))
    };
    let weight = |member: &Member<'_>| {
        let named = usize::from(member.is_called(&TEXT));
        member.prose() * member.values.len() / group.at.len() + named
    };
    let free: Vec<&Member<'_>> = group.members.iter().filter(is_free).filter(|it| weight(it) > 0).collect();
    let is_reasoning = |member: &&&Member<'_>| member.is_called(&REASONING);
    rule.reasoning = free.iter().find(is_reasoning).map(|it| it.path.clone());
    let mut best: Option<&Member<'_>> = None;
    for member in free.iter().filter(|it| !is_reasoning(it)) {
        if best.is_none_or(|most| weight(member) > weight(most)) {
            best = Some(member);
        }
    }
    rule.content = best.map(|it| it.path.clone());
}
