//! Counts which containers claim the first records of a file.

use super::{FileHead, Finding, Framing, LOOK};
use crate::container::json::{Flaw, JsonKind, JsonValue};
use crate::container::records::{Framed, Framer};
use crate::container::{CallSource, Claim, Container, ContainerInfo, UNKNOWN_FORMAT};

/// Claims of all containers on the first records.
pub(super) struct Votes {
    /// The container that surely has the first record, and the reason.
    owner: Option<(&'static ContainerInfo, &'static str)>,
    known: Container,
    /// Votes of the known containers, in order of priority.
    counts: Vec<Vote>,
    pub(super) records: usize,
    /// True if all of the first records are counted, even after one that surely has an owner.
    is_strict: bool,
    /// True if bytes that are not part of a record were found, other than a cut-off end.
    is_broken: bool,
    /// Number of records that are objects or arrays, except calls that a model wrote as JSON.
    structured: usize,
}

/// Claims of one container.
#[derive(Clone, Default)]
struct Vote {
    /// Number of records that it claims; `reason` is why.
    count: usize,
    reason: &'static str,
    /// True if one of the claims is sure.
    is_sure: bool,
    /// True if it needs several records to identify its format.
    takes_several: bool,
}

impl Vote {
    /// True if it may have a file with this many first records.
    fn wins(&self, records: usize) -> bool {
        match self.count {
            0 => false,
            count if self.is_sure => count * 2 >= records,
            count => count > usize::from(self.takes_several) && count * 2 > records,
        }
    }
}

impl Votes {
    pub(super) fn new(known: Container, is_strict: bool) -> Self {
        let counts = known.known().map(|_| Vote::default()).collect();
        Self { owner: None, known, counts, records: 0, is_strict, is_broken: false, structured: 0 }
    }

    /// Counts the next records. Returns true if there are enough.
    pub(super) fn take(&mut self, framer: &mut dyn Framer, framing: Framing, finished: bool) -> bool {
        while self.records < LOOK {
            match framer.next(finished) {
                Some(Framed::Record(record, _)) => {
                    let head = match framing {
                        Framing::Values => FileHead::Value(record.value),
                        Framing::Events => FileHead::Event(record.value),
                    };
                    if self.records == 0 {
                        self.owner = owner(self.known, &head);
                    }
                    self.count(&head);
                    if self.owner.is_some() && !self.is_strict {
                        return true;
                    }
                }
                // Later records cannot make up for it.
                Some(Framed::Broken { flaw, .. }) => {
                    self.records += 1;
                    self.is_broken = !matches!(flaw, Some((Flaw::CutOff, _)));
                    return true;
                }
                Some(Framed::Close | Framed::Glued(_) | Framed::Unended(_)) => {}
                Some(Framed::Done) => return true,
                None => return finished,
            }
        }
        true
    }

    pub(super) fn count(&mut self, head: &FileHead<'_>) {
        self.records += 1;
        self.structured += usize::from(head.value().is_some_and(is_structured));
        for (about, vote) in self.known.known().zip(&mut self.counts) {
            if let Some(claim) = about.claim(head) {
                vote.count += 1;
                vote.reason = claim.reason();
                vote.is_sure |= matches!(claim, Claim::Sure(_));
                vote.takes_several |= matches!(claim, Claim::Several(_));
            }
        }
    }

    /// The agent's session that the records belong to: several claims are sure, with nothing else between them. Logs of
    /// requests look like other logs.
    pub(super) fn session(&self) -> Option<Finding> {
        let mut votes = self.known.known().zip(&self.counts);
        let is_own = |vote: &Vote| vote.is_sure && vote.count > 1 && vote.wins(self.records);
        let is_session = |about: &ContainerInfo| matches!(about.calls, CallSource::Records);
        let (about, vote) = votes.find(|(about, vote)| !self.is_broken && is_session(about) && is_own(vote))?;
        Some(Finding::new(about, vote.reason, Framing::Values))
    }

    pub(super) fn winner(&self, framing: Framing, otherwise: &'static str) -> Finding {
        if let Some((about, reason)) = self.owner {
            return Finding::new(about, reason, framing);
        }
        // Of several with the same count, the first one wins.
        let mut votes: Vec<_> = self.known.known().zip(&self.counts).collect();
        votes.reverse();
        let best = votes.into_iter().max_by_key(|(_, vote)| vote.count);
        match best.filter(|(_, vote)| vote.wins(self.records)) {
            Some((about, vote)) => Finding::new(about, vote.reason, framing),
            None if self.structured > 0 && !self.is_broken => Finding::plain(UNKNOWN_FORMAT),
            None => Finding::plain(otherwise),
        }
    }
}

/// True for an object or an array, unless it is a call, or an array of calls, as models write them in text.
fn is_structured(value: JsonValue<'_>) -> bool {
    /// Members that name a tool, and members with its arguments.
    const CALL: [&[&str]; 2] = [
        &["name", "function", "tool", "tool_name", "action", "recipient_name"],
        &["arguments", "parameters", "args", "params", "input", "tool_input", "action_input"],
    ];
    let has = |value: JsonValue<'_>, keys: &[&str]| keys.iter().any(|key| value.get(key).is_some());
    let is_call = |value: JsonValue<'_>| has(value, &["tool_calls"]) || CALL.iter().all(|keys| has(value, keys));
    match value.kind() {
        JsonKind::Object => !is_call(value),
        JsonKind::Array => {
            value.items().next().is_some_and(|first| first.kind() == JsonKind::Object && !is_call(first))
        }
        _ => false,
    }
}

/// The container with a sure claim on a record, and the reason.
pub(super) fn owner(known: Container, head: &FileHead<'_>) -> Option<(&'static ContainerInfo, &'static str)> {
    known.known().find_map(|about| match about.claim(head)? {
        Claim::Sure(reason) => Some((about, reason)),
        Claim::Likely(_) | Claim::Several(_) => None,
    })
}
