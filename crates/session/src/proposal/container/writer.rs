//! Writes a proposed declaration as YAML, with comments on what it leaves out.

use std::fmt::Write as _;

use serde_json::Value;

use super::groups::Groups;
use super::members::{is_around, value_at};
use super::roles::{Plan, Role, Rule};

/// Longest line of a rule, in characters.
const WIDTH: usize = 120;

/// Most remarks on what is left out.
const MAX_REMARKS: usize = 12;

/// Returns the declaration, and what it leaves out.
pub(super) fn write(
    name: &str,
    groups: &Groups<'_>,
    plan: &Plan,
    list: Option<&str>,
    records: &[Value],
) -> (String, Vec<String>) {
    let mut yaml =
        format!("# Proposed from {} records; complete it, and test it with container check.\n", records.len());
    let _ = writeln!(yaml, "container: {}\ntitle: records of an unknown program", scalar(name));
    let _ = writeln!(yaml, "detect: {{{}}}", detect(groups, list, records));
    if let Some(session) = &plan.session {
        let _ = writeln!(yaml, "session: {{id: {}}}", scalar(session));
    }
    if let Some(time) = &plan.time {
        let _ = writeln!(yaml, "message: {{time: {}}}", scalar(time));
    }
    yaml.push_str("records:\n");
    if let Some(list) = list {
        let list = scalar(list);
        let _ = writeln!(yaml, "- when: {{{list}: <list>}}\n  also: [{{each: {list}, rules: records}}]");
    }
    let mut skipped = Vec::new();
    let mut left_out = Vec::new();
    for (rule, group) in plan.rules.iter().zip(&groups.all) {
        let kind = group.kind.as_deref();
        let shown = kind.unwrap_or("no kind");
        if rule.is_skipped() {
            skipped.extend(kind);
            left_out.push(format!("skipped: {} of kind {shown}", count(group.at.len())));
            continue;
        }
        let when = match (&groups.key, kind) {
            (Some(key), Some(kind)) => format!("{{{}: {}}}", scalar(key), scalar(kind)),
            (Some(key), None) => format!("{{{}: null}}", scalar(key)),
            (None, _) => "{.: <object>}".to_owned(),
        };
        entry(&mut yaml, &when, rule);
        if rule.role == Some(Role::Unknown) {
            left_out.push(format!("the speaker of kind {shown} is unknown"));
        }
        let unused = unused(rule, group, plan, groups.key.as_deref());
        if !unused.is_empty() {
            left_out.push(format!("not used in kind {shown}: {}", unused.join(", ")));
        }
    }
    if let Some(key) = groups.key.as_ref().filter(|_| !skipped.is_empty()) {
        let kinds: Vec<String> = skipped.iter().map(|kind| scalar(kind)).collect();
        let _ = writeln!(yaml, "- {{when: {{{}: [{}]}}, skip: true}}", scalar(key), kinds.join(", "));
    }
    for remark in left_out.iter().take(MAX_REMARKS) {
        let remark: String = remark.chars().map(|c| if c.is_control() { ' ' } else { c }).take(WIDTH).collect();
        let _ = writeln!(yaml, "# {remark}");
    }
    (yaml, left_out)
}

fn count(records: usize) -> String {
    if records == 1 { "1 record".to_owned() } else { format!("{records} records") }
}

/// Conditions on the discriminating member, and on members that all records have.
fn detect(groups: &Groups<'_>, list: Option<&str>, records: &[Value]) -> String {
    let mut all = Vec::new();
    let prefix = list.map(|list| format!("{list}.0.")).unwrap_or_default();
    if let Some(key) = &groups.key {
        let kinds: Vec<String> = groups.all.iter().filter_map(|group| group.kind.as_deref()).map(scalar).collect();
        all.push(format!("{}: [{}]", scalar(&format!("{prefix}{key}")), kinds.join(", ")));
    }
    let paths = groups.all.first().into_iter().flat_map(|group| &group.members).map(|member| member.path.as_str());
    let is_other = |path: &&str| groups.key.as_deref().is_none_or(|key| !is_around(path, key));
    let common = paths.filter(is_other).filter(|path| records.iter().all(|record| value_at(record, path).is_some()));
    all.extend(common.take(3).map(|path| format!("{}: \"*\"", scalar(&format!("{prefix}{path}")))));
    if all.is_empty() {
        let path =
            groups.all.first().and_then(|group| group.members.first()).map_or(".", |member| member.path.as_str());
        all.push(format!("{}: \"*\"", scalar(&format!("{prefix}{path}"))));
    }
    all.join(", ")
}

/// Writes a rule on one line if it fits, else with a line for each of its members.
fn entry(yaml: &mut String, when: &str, rule: &Rule) {
    let mut parts = vec![format!("when: {when}")];
    let mut add = |name: &str, path: &Option<String>| {
        if let Some(path) = path {
            parts.push(format!("{name}: {}", scalar(path)));
        }
    };
    match rule.role {
        Some(_) if rule.speaker.is_some() => add("role", &rule.speaker),
        Some(Role::User) => {
            add("role", &Some("user".to_owned()));
            add("origin", &Some("prompt".to_owned()));
        }
        Some(Role::Assistant | Role::Reasoning) => add("role", &Some("assistant".to_owned())),
        Some(Role::System) => add("role", &Some("system".to_owned())),
        Some(Role::Tool) => add("role", &Some("tool".to_owned())),
        Some(Role::Unknown) => add("role", &Some("none".to_owned())),
        None => {}
    }
    add("time", &rule.time.clone().filter(|_| rule.role.is_some()));
    add("model", &rule.model.clone().filter(|_| rule.role.is_some()));
    add("reasoning", &rule.reasoning);
    add("content", &rule.content);
    if let Some(call) = &rule.call {
        let fields = [
            ("each", &call.each),
            ("id", &call.id),
            ("name", &Some(call.name.clone())),
            ("arguments", &call.arguments),
        ];
        parts.push(format!("call: {{{}}}", flow(&fields)));
    }
    if let Some(result) = &rule.result {
        let mut fields = vec![flow(&[("each", &result.each), ("call", &result.call)])];
        fields.retain(|field| !field.is_empty());
        let content: Vec<String> = result.content.iter().map(|path| scalar(path)).collect();
        let mut more = |text: String| fields.push(text);
        match content.as_slice() {
            [] => {}
            [one] => more(format!("content: {one}")),
            several => more(format!("content: [{}]", several.join(", "))),
        }
        if let Some(path) = &result.failed {
            more(format!("failed: {}", scalar(path)));
        }
        if let Some(path) = &result.succeeded {
            more(format!("succeeded: {}", scalar(path)));
        }
        if let Some((path, bad)) = &result.status {
            let bad: Vec<String> = bad.iter().map(|word| scalar(word)).collect();
            let path = scalar(path);
            more(format!("outcome: [{{when: {{{path}: [{}]}}, is: failed}}, succeeded]", bad.join(", ")));
        }
        parts.push(format!("result: {{{}}}", fields.join(", ")));
    }
    if !rule.tokens.is_empty() {
        let tokens: Vec<String> = rule.tokens.iter().map(|(name, path)| format!("{name}: {}", scalar(path))).collect();
        let model = rule.model.as_ref().map(|path| format!("model: {}, ", scalar(path))).unwrap_or_default();
        parts.push(format!("request: {{{model}tokens: {{{}}}}}", tokens.join(", ")));
    }
    let line = format!("- {{{}}}", parts.join(", "));
    if line.chars().count() <= WIDTH {
        yaml.push_str(&line);
    } else {
        let _ = write!(yaml, "- {}", parts.join("\n  "));
    }
    yaml.push('\n');
}

fn flow(fields: &[(&str, &Option<String>)]) -> String {
    let given = fields.iter().filter_map(|(name, path)| Some(format!("{name}: {}", scalar(path.as_ref()?))));
    given.collect::<Vec<_>>().join(", ")
}

/// Members of a kind that no part of the declaration names: at most six.
fn unused(rule: &Rule, group: &super::groups::Group<'_>, plan: &Plan, key: Option<&str>) -> Vec<String> {
    let mut used: Vec<&str> = key.into_iter().collect();
    used.extend(
        [&plan.time, &plan.session, &rule.speaker, &rule.time, &rule.model, &rule.content, &rule.reasoning]
            .into_iter()
            .flatten()
            .map(String::as_str),
    );
    used.extend(rule.tokens.iter().map(|(_, path)| path.as_str()));
    if let Some(call) = &rule.call {
        let inner = [Some(&call.name), call.id.as_ref(), call.arguments.as_ref()];
        match &call.each {
            Some(each) => used.push(each),
            None => used.extend(inner.into_iter().flatten().map(String::as_str)),
        }
    }
    if let Some(result) = &rule.result {
        if let Some(each) = &result.each {
            used.push(each);
        } else {
            used.extend(result.content.iter().map(String::as_str));
            let status = result.status.as_ref().map(|(path, _)| path);
            let others = [result.call.as_ref(), result.failed.as_ref(), result.succeeded.as_ref(), status];
            used.extend(others.into_iter().flatten().map(String::as_str));
        }
    }
    let is_used = |path: &str| used.iter().any(|it| is_around(it, path) || is_around(path, it));
    let mut unused: Vec<String> = Vec::new();
    for member in group.members.iter().filter(|member| !is_used(&member.path)) {
        if !unused.iter().any(|outer| is_around(outer, &member.path)) {
            unused.push(member.path.clone());
        }
    }
    unused.truncate(6);
    unused
}

/// A scalar of YAML: quoted unless it is a plain word.
fn scalar(text: &str) -> String {
    const WORDS: [&str; 9] = ["true", "false", "null", "yes", "no", "on", "off", "y", "n"];
    let is_plain = text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.chars().all(|c| c.is_ascii_alphanumeric() || "_-./".contains(c))
        && !WORDS.contains(&&*text.to_lowercase());
    if is_plain { text.to_owned() } else { format!("'{}'", text.replace('\'', "''")) }
}
