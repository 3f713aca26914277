//! Groups of records: the member that tells their kinds apart.

use std::collections::BTreeSet;

use serde_json::Value;

use super::members::{Member, members, parent, value_at};

/// Most values of a member that can tell records apart; with more it is an id or a text.
const MAX_KINDS: usize = 20;

/// Most records of a log in which a kind may have only one.
const FEW: usize = 20;

/// The records of a kind.
pub(super) struct Group<'a> {
    /// Its value of the discriminating member; `None` for records without it, or if no member is one.
    pub(super) kind: Option<String>,
    /// Their positions in the log.
    pub(super) at: Vec<usize>,
    pub(super) members: Vec<Member<'a>>,
}

/// The records of a log, grouped by the value of one member.
pub(super) struct Groups<'a> {
    /// Path of the discriminating member.
    pub(super) key: Option<String>,
    /// In the order of their first records.
    pub(super) all: Vec<Group<'a>>,
}

/// Groups records by the member whose values tell most about the members that they have.
pub(super) fn groups(records: &[Value]) -> Groups<'_> {
    let refs: Vec<&Value> = records.iter().collect();
    let is_candidate = |member: &Member<'_>| {
        let distinct = member.distinct();
        member.is_string()
            && parent(parent(&member.path)).is_empty()
            && member.values.len() * 10 >= records.len() * 7
            && (2..=MAX_KINDS).contains(&distinct.len())
            && (distinct.len() < records.len() || member.is_called(&["kind", "type", "role", "event"]))
            && (records.len() <= FEW || distinct.len() * 2 <= records.len())
            && !member.is_time()
            && distinct.iter().all(|kind| is_kind(kind))
    };
    let candidates: Vec<String> = members(&refs).into_iter().filter(is_candidate).map(|member| member.path).collect();
    let mut best: Option<(f64, String)> = None;
    for path in candidates {
        let score = purity(records, &path);
        if best.as_ref().is_none_or(|(most, _)| score > most + 1e-9) {
            best = Some((score, path));
        }
    }
    let key = best.map(|(_, path)| path);
    let all = split(records, key.as_deref());
    let group = |(kind, at): (Option<String>, Vec<usize>)| {
        let members = members(&at.iter().map(|&at| &records[at]).collect::<Vec<_>>());
        Group { kind, at, members }
    };
    Groups { all: all.into_iter().map(group).collect(), key }
}

/// True if a condition of a declaration can name the value.
fn is_kind(kind: &str) -> bool {
    !kind.is_empty()
        && kind.len() <= 64
        && !kind.contains(['*', '\'', '\n', '\r', '\\', ' '])
        && !kind.starts_with(['!', '<'])
        && kind != "null"
        && !kind.chars().any(char::is_control)
}

fn split(records: &[Value], key: Option<&str>) -> Vec<(Option<String>, Vec<usize>)> {
    let mut all: Vec<(Option<String>, Vec<usize>)> = Vec::new();
    for (at, record) in records.iter().enumerate() {
        let kind = key.and_then(|key| value_at(record, key)).and_then(Value::as_str).map(str::to_owned);
        match all.iter_mut().find(|(known, _)| *known == kind) {
            Some((_, of_kind)) => of_kind.push(at),
            None => all.push((kind, vec![at])),
        }
    }
    all
}

/// Average part of the members of a kind that each of its records has, less a little for each kind.
fn purity(records: &[Value], key: &str) -> f64 {
    let shape = |record: &Value| -> BTreeSet<String> {
        let all = members(&[record]);
        all.into_iter().map(|member| member.path).filter(|path| parent(parent(path)).is_empty()).collect()
    };
    let groups = split(records, Some(key));
    let mut sum = 0.0;
    for (_, at) in &groups {
        let shapes: Vec<BTreeSet<String>> = at.iter().map(|&at| shape(&records[at])).collect();
        let union = shapes.iter().flatten().collect::<BTreeSet<_>>().len().max(1);
        sum += shapes.iter().map(|shape| shape.len() as f64 / union as f64).sum::<f64>();
    }
    sum / records.len() as f64 - 0.005 * groups.len() as f64
}
