//! Token counts: by their names, or two counts of unknown names whose larger one is the input.

use super::super::groups::Group;
use super::super::members::{Member, is_around, last, parent};
use super::Taken;
use super::calls::CallPaths;

const OTHERS: [&str; 12] =
    ["ms", "duration", "latency", "elapsed", "seq", "index", "turn", "step", "exit", "code", "line", "size"];

/// The counts in the records of a group, each with its name in declarations.
pub(super) fn tokens(group: &Group<'_>, taken: &Taken, call: Option<&CallPaths>) -> Vec<(&'static str, String)> {
    let call = call.filter(|call| call.each.is_none());
    let is_free = |member: &&Member<'_>| {
        let is_argument = call.and_then(|call| call.arguments.as_ref()).is_some_and(|it| is_around(it, &member.path));
        let is_id = call.and_then(|call| call.id.as_ref()) == Some(&member.path);
        !taken.contains(&member.path) && !is_argument && !is_id && member.integers().is_some()
    };
    let counts: Vec<&Member<'_>> = group.members.iter().filter(is_free).collect();
    let mut named: Vec<(&'static str, String)> = Vec::new();
    for member in &counts {
        let Some(name) = name(member) else { continue };
        if named.iter().all(|(known, _)| *known != name) {
            named.push((name, member.path.clone()));
        }
    }
    let has = |name: &str| named.iter().any(|(known, _)| *known == name);
    if has("input") && has("output") {
        return named;
    }
    let sum = |member: &Member<'_>| member.integers().unwrap_or_default().iter().sum::<u64>();
    let is_count = |member: &&Member<'_>| {
        member.values.len() * 2 >= group.at.len()
            && sum(member) >= 2 * member.values.len() as u64
            && !OTHERS.iter().any(|word| last(&member.path).contains(word))
    };
    let plain: Vec<&Member<'_>> = counts.into_iter().filter(is_count).collect();
    for member in &plain {
        let siblings: Vec<&&Member<'_>> =
            plain.iter().filter(|other| parent(&other.path) == parent(&member.path)).collect();
        if let [one, other] = siblings.as_slice() {
            let (input, output) = if sum(one) >= sum(other) { (one, other) } else { (other, one) };
            return vec![("input", input.path.clone()), ("output", output.path.clone())];
        }
    }
    Vec::new()
}

fn name(member: &Member<'_>) -> Option<&'static str> {
    let last = last(&member.path);
    let has = |words: &[&str]| words.iter().any(|word| last.contains(word));
    let is = |words: &[&str]| last.split(['_', '-']).any(|part| words.contains(&part));
    if has(&["cache", "cached"]) {
        Some(if has(&["write", "creat"]) { "cache_write" } else { "cache_read" })
    } else if has(&["reasoning", "thought", "thinking"]) {
        Some("reasoning")
    } else if has(&["total"]) {
        Some("total")
    } else if has(&["input", "prompt"]) || is(&["in"]) || last.ends_with("in") && has(&["tok"]) {
        Some("input")
    } else if has(&["output", "completion"]) || is(&["out"]) || last.ends_with("out") && has(&["tok"]) {
        Some("output")
    } else {
        None
    }
}
