//! The effect of a changed setting: the calls that were added, removed or changed.

use crate::compare::{CallRow, Comparison, RowKind};
use crate::session::Session;

/// Maximum number of calls in a text; beyond that, the effect of a setting is not computed.
const MOST: usize = 20_000;

/// Maximum number of rows of a difference that are kept.
const KEPT: usize = 200;

/// The differences between two readings: the change and description of each affected call, and their number.
pub(super) fn compare(before: &Session, after: &Session) -> (Vec<(RowKind, String)>, CallChanges) {
    let (had, has) = (before.document().calls().len(), after.document().calls().len());
    if had.max(has) > MOST {
        return (Vec::new(), CallChanges::Unknown { before: had, after: has });
    }
    let comparison = Comparison::new(before, after);
    let changed = || comparison.rows.iter().filter(|row| row.kind() != RowKind::Same);
    let words = changed().take(KEPT).map(|row| (row.kind(), words(row, before, after))).collect();
    let effect = match changed().count() {
        0 => CallChanges::None,
        calls => CallChanges::Some(calls),
    };
    (words, effect)
}

/// The number of calls that a changed setting affects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallChanges {
    /// No call has changed.
    None,
    /// Number of calls that were added, removed or changed.
    Some(usize),
    /// Too many calls to compare.
    Unknown {
        /// Number of calls before.
        before: usize,
        /// Number of calls after.
        after: usize,
    },
}

fn words(row: &CallRow, before: &Session, after: &Session) -> String {
    let named = |session: &Session, call: usize| {
        let item = session.document().calls().nth(call)?;
        let call = session.document().call(item)?;
        let line = session.position(call.span.start).line;
        Some(format!("{} {} ({}, line {line})", call.name(session.text()), call.id(session.text()), call.dialect))
    };
    let name = row.right.and_then(|call| named(after, call)).or_else(|| named(before, row.left?)).unwrap_or_default();
    let parts: Vec<String> = row
        .changes
        .iter()
        .take(4)
        .map(|change| {
            let what = change.part.path().unwrap_or(change.part.word());
            format!("{what}: {} → {}", shown(change.old.as_ref()), shown(change.new.as_ref()))
        })
        .collect();
    if parts.is_empty() { name } else { format!("{name}  {}", parts.join("; ")) }
}

fn shown(value: Option<&impl ToString>) -> String {
    value.map_or_else(|| "nothing".to_owned(), ToString::to_string)
}
