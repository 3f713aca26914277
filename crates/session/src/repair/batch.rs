//! Repairs everything in a text: the neighbourhood of each problem separately, then what shows only in the whole text.
//!
//! A repair is tried on the lines around its problem, so that the cost grows with the text and not with the number of
//! problems times the text. The repairs of many neighbourhoods are then applied together, and the whole text is read to
//! check that they are compatible; if not, each half is tried. Budgets in proportion to the bytes read bound the rest.

use std::collections::BTreeSet;

use super::search::Search;
use super::verify::Before;
use super::window::{self, Window};
use super::{AppliedRepair, Budget, LARGEST, Repair, Repaired, read};
use crate::diagnostic::{Code, Diagnostic};
use crate::dialect::Options;
use crate::document::Brief;
use crate::session::Session;
use crate::text::Span;

/// Bytes of copies that may be read for each byte of a text, or of a part that is read separately.
pub(super) const EACH: usize = 128;

/// Bytes of copies that may be read for any text, however short.
pub(super) const FREE: usize = 64 << 10;

/// Most rounds over all neighbourhoods: a repair may reveal another problem, and overlapping neighbourhoods have to
/// wait for each other.
const ROUNDS: usize = 6;

/// With at least this many problems in a neighbourhood, the likeliest repairs of all are tried together first.
const MANY: usize = 8;

/// Repairs that belong together, in offsets of the current text.
struct Proposal {
    repair: Repair,
    /// The part of the text that was read to find it.
    region: Span,
    faults: Vec<Brief>,
    done: Vec<AppliedRepair>,
}

/// A text under repair.
struct Progress<'o> {
    options: &'o Options,
    text: Vec<u8>,
    session: Session,
    /// All edits so far, in offsets of the original text.
    repair: Repair,
    done: Vec<AppliedRepair>,
    /// Problems that have been tried, by offset in the original text.
    tried: BTreeSet<(usize, Code)>,
    /// Problems that show only in the whole text.
    unshown: BTreeSet<(usize, Code)>,
    /// False if something was skipped because it would have taken too long.
    is_complete: bool,
}

/// Decides whether proposals can be applied together.
type Judge = fn(&Before<'_>, &Repair, &Session, &[Proposal]) -> bool;

/// Repairs problems until no further one can be repaired. `None` for a recorded session, and for a text that is too
/// large.
pub fn repair_all(session: &Session, options: &Options, budget: &Budget) -> Option<Repaired> {
    if session.is_decoded() || session.text().len() > LARGEST {
        return None;
    }
    let text = session.text().read(Span::new(0, session.text().len())).into_owned();
    let mut progress = Progress::new(text, options);
    for _ in 0..ROUNDS {
        if !progress.repair_neighbourhoods(budget) {
            break;
        }
    }
    let rest = budget.part(EACH * progress.text.len() + (FREE << 4));
    progress.repair_text(usize::MAX, &rest);
    budget.charge(&rest);
    let Progress { repair, mut done, session: left, is_complete, .. } = progress;
    done.sort_by_key(|done| done.offset);
    Some(Repaired { repair, done, left, is_complete })
}

impl<'o> Progress<'o> {
    fn new(text: Vec<u8>, options: &'o Options) -> Self {
        let session = read(&text, options);
        let (repair, done, tried) = (Repair::default(), Vec::new(), BTreeSet::new());
        Self { options, text, session, repair, done, tried, unshown: BTreeSet::new(), is_complete: true }
    }

    /// Repairs the problems of each part of the text separately. Returns true if there is more to try.
    fn repair_neighbourhoods(&mut self, budget: &Budget) -> bool {
        let mut proposals: Vec<Proposal> = Vec::new();
        let (mut waits, mut is_complete) = (false, true);
        let map = self.repair.map();
        let (mut tried, mut unshown) = (Vec::new(), Vec::new());
        // The part that was read last, and the problems found in it.
        let (mut last, mut shown) = (Window::default(), Vec::new());
        for problem in self.session.document().sorted_diagnostics() {
            let place = (map.before(problem.span.start), problem.code);
            if problem.source.is_some() || self.tried.contains(&place) || self.unshown.contains(&place) {
                continue;
            }
            if problem.span.start >= last.core {
                let next = window::around(&self.session, &problem);
                if next.span.start < last.span.end {
                    waits = true;
                    continue;
                }
                (last, shown) = (next, Vec::new());
                if last.span.len() < self.text.len() {
                    let (start, part) = (last.span.start, budget.part(EACH * last.span.len() + FREE));
                    let mut local = Progress::new(self.text[start..last.span.end].to_vec(), self.options);
                    shown = local.session.document().sorted_diagnostics().collect();
                    local.repair_text(last.core - start, &part);
                    budget.charge(&part);
                    is_complete &= local.is_complete;
                    if !local.repair.edits.is_empty() {
                        let done =
                            local.done.into_iter().map(|done| AppliedRepair { offset: start + done.offset, ..done });
                        let (repair, done) = (local.repair.shifted(start), done.collect());
                        proposals.push(Proposal { repair, region: last.span, faults: Vec::new(), done });
                    }
                }
            }
            let is_shown = window::find_shown(&shown, last.span.start, &problem).is_some();
            if is_shown { &mut tried } else { &mut unshown }.push(place);
        }
        let has_more = waits || !proposals.is_empty();
        self.tried.extend(tried);
        self.unshown.extend(unshown);
        self.is_complete &= is_complete;
        let part = budget.part(EACH * self.text.len() + FREE);
        self.make(proposals, &part, |before, repair, after, proposals| {
            let regions: Vec<Span> = proposals.iter().map(|proposal| proposal.region).collect();
            before.agrees(repair, after, &regions)
        });
        budget.charge(&part);
        has_more
    }

    /// Repairs the problems before an offset of the original text one after another; if there are many, first together.
    fn repair_text(&mut self, core: usize, budget: &Budget) {
        for _ in 0..ROUNDS {
            if !self.repair_together(core, budget) {
                break;
            }
        }
        let mut tried = BTreeSet::new();
        let mut has_helped = false;
        loop {
            if !budget.take(self.text.len()) {
                let is_done = self.problems(core).next().is_none();
                self.is_complete &= is_done;
                return;
            }
            let search = Search::new(&self.session, self.options, budget);
            // Remedies that come with a problem precede guesses.
            let (known, guessed): (Vec<_>, Vec<_>) =
                self.problems(core).partition(|(_, problem)| problem.remedy.is_some());
            let found = known.into_iter().chain(guessed).find_map(|(offset, problem)| {
                let is_new = !budget.is_spent() && tried.insert((offset, problem.code));
                let found = is_new.then(|| search.find(&problem))??;
                Some((problem.code, offset, problem.span.start, found))
            });
            self.is_complete &= !budget.is_spent();
            let Some((code, offset, start, found)) = found else {
                // A problem that could not be repaired before may be repairable now.
                if !std::mem::take(&mut has_helped) {
                    return;
                }
                tried.clear();
                continue;
            };
            let done = AppliedRepair { code, offset: start, words: found.description(&self.text) };
            let session = read(&found.applied(&self.text), self.options);
            self.adopt(&found, session, vec![done]);
            // The place may have another problem of the same kind, which the repair has revealed.
            tried.remove(&(offset, code));
            has_helped = true;
        }
    }

    /// Applies the likeliest repairs of all problems if there are many, leaving out ones that do not help together.
    /// Returns true if any was applied.
    fn repair_together(&mut self, core: usize, budget: &Budget) -> bool {
        let mut proposals: Vec<Proposal> = Vec::new();
        {
            let problems: Vec<_> =
                self.problems(core).filter(|(_, problem)| problem.code != Code::YamlSyntax).collect();
            if problems.len() < MANY {
                return false;
            }
            let search = Search::new(&self.session, self.options, budget);
            let mut end = 0;
            let mut mended = None;
            for (_, problem) in problems {
                // The JSON of a call is repaired as a whole.
                if problem.code == Code::BrokenJson && problem.item.is_some() && problem.item == mended {
                    continue;
                }
                mended = problem.item.filter(|_| problem.code == Code::BrokenJson);
                let Some(repair) = search.candidates(&problem).into_iter().next() else { continue };
                let region = repair.span();
                // Two problems may have the same repair.
                if region.start < end || proposals.last().is_some_and(|last: &Proposal| last.repair == repair) {
                    continue;
                }
                end = region.end;
                let words = repair.description(&self.text);
                let done = vec![AppliedRepair { code: problem.code, offset: problem.span.start, words }];
                proposals.push(Proposal { repair, region, faults: vec![Brief::from(&problem)], done });
            }
        }
        let half = budget.part(budget.left() / 2);
        let made = self.make(proposals, &half, |before, repair, after, proposals| {
            let mut faults: Vec<Brief> =
                proposals.iter().flat_map(|proposal| proposal.faults.iter().copied()).collect();
            faults.sort_unstable_by_key(|fault| fault.span);
            before.removes_all(repair, after, &faults)
        });
        budget.charge(&half);
        !made.edits.is_empty()
    }

    /// The problems before an offset of the original text that have not been tried, each with its offset in that text.
    fn problems(&self, core: usize) -> impl Iterator<Item = (usize, Diagnostic)> {
        let map = self.repair.map();
        self.session.document().sorted_diagnostics().filter_map(move |problem| {
            let offset = map.before(problem.span.start);
            let is_open =
                offset < core.max(1) && problem.source.is_none() && !self.tried.contains(&(offset, problem.code));
            is_open.then_some((offset, problem))
        })
    }

    /// Applies repairs of the current text, in text order: together if `judge` accepts that, else each half. Returns
    /// the edits that were applied.
    fn make(&mut self, mut proposals: Vec<Proposal>, budget: &Budget, judge: Judge) -> Repair {
        if proposals.is_empty() {
            return Repair::default();
        }
        let edits = proposals.iter().flat_map(|proposal| proposal.repair.edits.iter().cloned()).collect();
        let repair = Repair { edits };
        let text = repair.applied(&self.text);
        if !budget.take(text.len()) {
            return Repair::default();
        }
        let after = read(&text, self.options);
        if judge(&Before::new(&self.session), &repair, &after, &proposals) {
            self.adopt(&repair, after, proposals.into_iter().flat_map(|proposal| proposal.done).collect());
            return repair;
        }
        if proposals.len() == 1 {
            return Repair::default();
        }
        let rest = proposals.split_off(proposals.len() / 2);
        let first = self.make(proposals, budget, judge);
        let map = first.map();
        let moved = rest.into_iter().map(|mut proposal| {
            proposal.repair.edits.iter_mut().for_each(|edit| edit.span = map.span_after(edit.span));
            proposal.faults.iter_mut().for_each(|fault| fault.span = map.span_after(fault.span));
            proposal.done.iter_mut().for_each(|done| done.offset = map.after(done.offset));
            Proposal { region: map.span_after(proposal.region), ..proposal }
        });
        let second = self.make(moved.collect(), budget, judge);
        first.then(&second)
    }

    /// Takes over edits of the current text, and the resulting text.
    fn adopt(&mut self, repair: &Repair, after: Session, done: Vec<AppliedRepair>) {
        let map = self.repair.map();
        let done: Vec<AppliedRepair> =
            done.into_iter().map(|done| AppliedRepair { offset: map.before(done.offset), ..done }).collect();
        self.done.extend(done);
        self.text = repair.applied(&self.text);
        self.repair = self.repair.then(repair);
        self.session = after;
    }
}
