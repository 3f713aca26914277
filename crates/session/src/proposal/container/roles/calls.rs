//! Calls and results: a name next to an object, and an id that another kind of record repeats.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::super::groups::{Group, Groups};
use super::super::members::{Member, is_around, members, parent};
use super::{Rule, Taken, is_model};

/// Paths of the calls in a kind of record.
#[derive(Clone, Debug)]
pub(in super::super) struct CallPaths {
    /// Path of a list of calls; the others are paths in its elements.
    pub(in super::super) each: Option<String>,
    pub(in super::super) id: Option<String>,
    pub(in super::super) name: String,
    pub(in super::super) arguments: Option<String>,
}

/// Paths of the results in a kind of record.
#[derive(Clone, Debug)]
pub(in super::super) struct ResultPaths {
    pub(in super::super) each: Option<String>,
    pub(in super::super) call: Option<String>,
    pub(in super::super) content: Vec<String>,
    pub(in super::super) failed: Option<String>,
    pub(in super::super) succeeded: Option<String>,
    /// Path of a status, and its values that are failures.
    pub(in super::super) status: Option<(String, Vec<String>)>,
}

/// The values of one kind: records, or the elements of a list in them.
struct Site<'a> {
    group: usize,
    each: Option<String>,
    values: Vec<&'a Value>,
    members: Vec<Member<'a>>,
    /// Position of the first record.
    first: usize,
}

/// A name and an object next to it.
struct Pair {
    name: String,
    arguments: String,
    /// True without an id that a result repeats.
    is_sure: bool,
}

const ARGUMENTS: [&str; 6] = ["arg", "param", "input", "kwargs", "payload", "opts"];
const CALLS: [&str; 7] = ["call", "tool", "invoke", "exec", "function", "action", "use"];
const RESULTS: [&str; 6] = ["result", "output", "observation", "response", "return", "outcome"];

/// Finds the groups with calls and those with their results.
pub(super) fn assign(groups: &Groups<'_>, taken: &Taken, rules: &mut [Rule]) {
    let sites: Vec<Site<'_>> = groups.all.iter().enumerate().flat_map(|(at, group)| sites(at, group)).collect();
    let none = Taken::new();
    let taken_in = |site: &Site<'_>| if site.each.is_none() { taken } else { &none };
    let kind = |site: &Site<'_>| groups.all[site.group].kind.as_deref().unwrap_or_default().to_lowercase();
    let mut order: Vec<&Site<'_>> = sites.iter().collect();
    order.sort_by_key(|site| site.first);
    for site in order {
        if rules[site.group].result.is_some() || rules[site.group].call.is_some() {
            continue;
        }
        let Some(pair) = pair(site, taken_in(site)) else { continue };
        let is_later = |other: &&Site<'_>| {
            (other.first > site.first || site.each.is_some() != other.each.is_some() && other.group != site.group)
                && rules[other.group].call.is_none()
                && rules[other.group].result.is_none()
        };
        let linked = sites.iter().filter(is_later).filter_map(|other| {
            let (score, id, call) = link(site, &pair, other, taken_in(site), taken_in(other), groups)?;
            Some((score, id, call, other))
        });
        let mut best: Option<(f64, String, String, &Site<'_>)> = None;
        for found in linked {
            if best.as_ref().is_none_or(|(most, ..)| found.0 > *most) {
                best = Some(found);
            }
        }
        let is_named =
            CALLS.iter().any(|word| kind(site).contains(word)) && !RESULTS.iter().any(|word| kind(site).contains(word));
        if best.is_none() && !pair.is_sure && !is_named {
            continue;
        }
        if let Some((_, id, ..)) = &best {
            // Several kinds of records may have results of these calls.
            for other in sites.iter().filter(|other| other.group != site.group) {
                let found = link(site, &pair, other, taken_in(site), taken_in(other), groups);
                let is_free = rules[other.group].result.is_none() && rules[other.group].call.is_none();
                if let Some((_, _, call)) = found.filter(|(_, own, _)| own == id && is_free && other.first > site.first)
                {
                    rules[other.group].result = Some(result(other, Some(call), &pair, taken_in(other)));
                }
            }
            if let Some((_, _, call, other)) = &best
                && rules[other.group].result.is_none()
            {
                rules[other.group].result = Some(result(other, Some(call.clone()), &pair, taken_in(other)));
            }
        } else {
            let is_result = |other: &&Site<'_>| {
                other.each.is_none()
                    && other.group != site.group
                    && RESULTS.iter().any(|word| kind(other).contains(word))
                    && rules[other.group].result.is_none()
            };
            if let Some(other) = sites.iter().find(is_result) {
                rules[other.group].result = Some(result(other, None, &pair, taken_in(other)));
            }
        }
        let id = best.map(|(_, id, ..)| id);
        let Pair { name, arguments, .. } = pair;
        rules[site.group].call = Some(CallPaths { each: site.each.clone(), id, name, arguments: Some(arguments) });
    }
}

/// The records of a group, and the elements of each list of objects in them.
fn sites<'a>(at: usize, group: &Group<'a>) -> Vec<Site<'a>> {
    let first = group.at.first().copied().unwrap_or_default();
    let mut all = vec![Site { group: at, each: None, values: Vec::new(), members: group.members.clone(), first }];
    for member in &group.members {
        let lists: Option<Vec<&'a Vec<Value>>> = member.values.iter().map(|value| value.as_array()).collect();
        let elements: Vec<&'a Value> = lists.into_iter().flatten().flatten().collect();
        if !elements.is_empty() && elements.iter().all(|element| element.is_object()) {
            let members = members(&elements);
            all.push(Site { group: at, each: Some(member.path.clone()), values: elements, members, first });
        }
    }
    all
}

impl Site<'_> {
    fn len(&self) -> usize {
        if self.each.is_some() {
            self.values.len()
        } else {
            self.members.iter().map(|it| it.values.len()).max().unwrap_or(0)
        }
    }
}

fn pair(site: &Site<'_>, taken: &Taken) -> Option<Pair> {
    const NAMES: [&str; 6] = ["name", "tool", "function", "command", "fn", "func"];
    let len = site.len();
    let is_name = |member: &&Member<'_>| {
        let is_unlike = member.values.len() > 3 && member.is_id();
        !taken.contains(&member.path)
            && member.is_string()
            && member.is_identifier()
            && member.values.len() * 10 >= len * 9
            && !is_model(member)
            && (!is_unlike || member.is_called(&NAMES))
    };
    let mut best: Option<(f64, Pair)> = None;
    for name in site.members.iter().filter(is_name) {
        let is_arguments = |member: &&Member<'_>| {
            member.is_object()
                && member.values.len() * 2 >= len
                && !taken.iter().any(|inner| is_around(&member.path, inner))
                && !is_around(&member.path, &name.path)
                && is_around_parent(parent(&name.path), parent(&member.path))
                && (member.is_called(&ARGUMENTS) || !are_counts(member))
        };
        for arguments in site.members.iter().filter(is_arguments) {
            let (with, without) = (kinship(Some(name), arguments), kinship(None, arguments));
            let depth = arguments.path.matches('.').count() as f64;
            let names = name.distinct().len();
            let bonus = |is: bool, weight: f64| if is { weight } else { 0.0 };
            let has_digit = |word: &String| word.contains(|c: char| c.is_ascii_digit());
            let is_like_id = name.is_id() && name.words().iter().all(has_digit);
            let score = with - bonus(is_like_id, 0.3)
                + bonus(name.is_called(&NAMES), 0.2)
                + bonus(arguments.is_called(&ARGUMENTS), 0.2)
                + bonus(names > 1, 0.05)
                + bonus(parent(&name.path) == parent(&arguments.path), 0.1)
                - 0.02 * depth;
            let is_sure = arguments.is_called(&ARGUMENTS) || names > 1 && with - without > 0.15;
            if best.as_ref().is_none_or(|(most, _)| score > *most) {
                let (name, arguments) = (name.path.clone(), arguments.path.clone());
                best = Some((score, Pair { name, arguments, is_sure }));
            }
        }
    }
    best.map(|(_, pair)| pair)
}

fn is_around_parent(outer: &str, inner: &str) -> bool {
    outer.is_empty() || is_around(outer, inner)
}

/// True if all are objects with the same keys and with numbers only.
fn are_counts(member: &Member<'_>) -> bool {
    let keys: BTreeSet<Vec<&String>> =
        member.values.iter().filter_map(|it| it.as_object()).map(|it| it.keys().collect()).collect();
    let is_numbers =
        |value: &Value| value.as_object().is_some_and(|it| !it.is_empty() && it.values().all(Value::is_number));
    keys.len() == 1 && member.all(is_numbers)
}

/// Average part of the keys of arguments of the same name that each object has.
fn kinship(name: Option<&Member<'_>>, arguments: &Member<'_>) -> f64 {
    let mut by_name: BTreeMap<&str, Vec<BTreeSet<String>>> = BTreeMap::new();
    for (at, value) in arguments.values.iter().enumerate() {
        let parsed = value.as_str().and_then(|text| serde_json::from_str::<Value>(text).ok());
        let keys = parsed.as_ref().unwrap_or(value).as_object().map(|it| it.keys().cloned().collect());
        let name = name.and_then(|name| name.values.get(at)).and_then(|name| name.as_str()).unwrap_or_default();
        by_name.entry(name).or_default().push(keys.unwrap_or_default());
    }
    let mut sum = 0.0;
    for objects in by_name.values() {
        let union = objects.iter().flatten().collect::<BTreeSet<_>>().len().max(1);
        sum += objects.iter().map(|keys| keys.len() as f64 / union as f64).sum::<f64>();
    }
    sum / arguments.values.len().max(1) as f64
}

/// The id of the calls and the member that repeats it in another place, with a score.
fn link(
    calls: &Site<'_>,
    pair: &Pair,
    other: &Site<'_>,
    taken: &Taken,
    other_taken: &Taken,
    groups: &Groups<'_>,
) -> Option<(f64, String, String)> {
    let is_id = |member: &&Member<'_>| {
        !taken.contains(&member.path)
            && member.path != pair.name
            && !is_around(&pair.arguments, &member.path)
            && member.values.len() * 10 >= calls.len() * 9
            && member.is_id()
            && (member.values.len() > 1
                || member.words().iter().all(|word| word.contains(|c: char| c.is_ascii_digit())))
    };
    let mut best: Option<(f64, String, String)> = None;
    for id in calls.members.iter().filter(is_id) {
        let ids = id.distinct();
        for member in other.members.iter().filter(|it| !other_taken.contains(&it.path)) {
            let words = member.words();
            let known = words.iter().filter(|word| ids.contains(*word)).count();
            let distinct = member.distinct().len();
            if words.len() * 2 < other.len()
                || known * 10 < words.len() * 6
                || distinct * 10 < words.len() * 8
                || known == 0
            {
                continue;
            }
            let has = |group: &&Group<'_>| group.member(&id.path).is_some();
            let elsewhere = groups.all.iter().filter(has).count() as f64;
            let named = if id.is_called(&["call", "id"]) { 0.1 } else { 0.0 };
            let score = known as f64 / words.len() as f64 + named - 0.05 * elsewhere;
            if best.as_ref().is_none_or(|(most, ..)| score > *most) {
                best = Some((score, id.path.clone(), member.path.clone()));
            }
        }
    }
    best
}

/// The paths of results: their text, and what shows that a call failed.
fn result(site: &Site<'_>, call: Option<String>, pair: &Pair, taken: &Taken) -> ResultPaths {
    const BAD: [&str; 8] = ["error", "failed", "failure", "fail", "ko", "timeout", "denied", "cancelled"];
    const GOOD: [&str; 6] = ["ok", "success", "succeeded", "done", "completed", "passed"];
    let is_status = |member: &Member<'_>| {
        let words = member.distinct();
        !words.is_empty()
            && member.is_string()
            && words.iter().all(|it| BAD.contains(&&*it.to_lowercase()) || GOOD.contains(&&*it.to_lowercase()))
    };
    let last_of_name = super::super::members::last(&pair.name);
    let is_name =
        |member: &Member<'_>| member.is_identifier() && super::super::members::last(&member.path) == last_of_name;
    let is_free = |member: &&Member<'_>| {
        !taken.contains(&member.path)
            && Some(&member.path) != call.as_ref()
            && !taken.iter().any(|inner| is_around(&member.path, inner))
            && !call.as_ref().is_some_and(|inner| is_around(&member.path, inner))
            && !is_name(member)
    };
    let free: Vec<&Member<'_>> = site.members.iter().filter(is_free).collect();
    let length = |member: &Member<'_>| {
        let sum: usize = member.values.iter().filter_map(|it| it.as_str()).map(str::len).sum();
        (member.prose() * member.values.len(), sum)
    };
    let mut strings: Vec<&&Member<'_>> = free.iter().filter(|it| it.is_string() && !is_status(it)).collect();
    strings.sort_by_key(|it| std::cmp::Reverse(length(it)));
    let mut content: Vec<String> = Vec::new();
    let mut failed = None;
    let main = strings.first().copied();
    let whole = free.iter().find(|it| !it.is_string() && it.all(|value| value.is_object() || value.is_array()));
    let whole = whole.filter(|it| main.is_none_or(|main| main.prose() == 0 && !is_around(&it.path, &main.path)));
    if let Some(member) = whole.or(main) {
        content.push(member.path.clone());
        // The text of an error takes the place of the result.
        let error = strings.iter().find(|it| {
            it.path != member.path && it.values.len() + member.values.len() <= site.len().max(member.values.len() + 1)
        });
        if let Some(error) = error.filter(|it| it.is_called(&["err", "fail"]) || it.prose() > 0) {
            content.push(error.path.clone());
            failed = Some(error.path.clone());
        }
    }
    let mut succeeded = None;
    for flag in free.iter().filter(|it| it.is_flag()) {
        let yes = flag.values.iter().filter(|it| it.as_bool() == Some(true)).count();
        if flag.is_called(&["ok", "succe", "pass"]) || !flag.is_called(&["err", "fail"]) && yes * 2 > flag.values.len()
        {
            succeeded.get_or_insert_with(|| flag.path.clone());
        } else if failed.is_none() {
            failed = Some(flag.path.clone());
        }
    }
    if failed.is_none() && succeeded.is_none() {
        let exit = free.iter().find(|it| it.is_called(&["exit"]) && it.integers().is_some());
        failed = exit.map(|it| it.path.clone());
    }
    if succeeded.is_some() {
        failed = None;
    }
    let status = free.iter().find(|it| failed.is_none() && succeeded.is_none() && is_status(it)).map(|it| {
        let bad = it.distinct().into_iter().filter(|word| BAD.contains(&&*word.to_lowercase()));
        (it.path.clone(), bad.collect::<Vec<_>>())
    });
    let status = status.filter(|(_, bad)| !bad.is_empty());
    ResultPaths { each: site.each.clone(), call, content, failed, succeeded, status }
}
