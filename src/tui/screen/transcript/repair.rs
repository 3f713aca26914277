//! Repairs of one problem or of all: found on a thread, previewed, and then applied in a playground or copied.

use crate::diagnostic::Diagnostic;
use crate::dialect::Options;
use crate::repair::worker::{RepairProgress, RepairWorker};
use crate::repair::{self, Budget, Repair, Repairability, Repairs, read};
use crate::text::Span;

use crate::tui::action::PaneId;
use crate::tui::message::{Copied, Effect, Task};

use crate::tui::row::{Target, count};
use crate::tui::screen::transcript::{Transcript, jump, playground};
use crate::tui::style::Role;
use crate::tui::view::Offer;

/// Context lines around the lines that one repair changes.
const CONTEXT: usize = 1;

/// Screen height in rows below which only changed lines are shown.
const LOW: u16 = 30;

/// A search for repairs on a separate thread; it is cancelled when this is dropped.
pub(super) struct RepairSearch {
    /// The selection when it was started.
    at: Target,
    worker: RepairWorker<FoundRepairs>,
}

/// The outcome of a search.
enum FoundRepairs {
    /// A repair of the first problem that has one.
    One {
        /// Its number in the problem list, and its start offset.
        problem: (usize, usize),
        repair: Repair,
        /// Rank among the repairable problems, and the number of those found so far.
        rank: usize,
        among: usize,
        is_complete: bool,
    },
    All {
        repair: Repair,
        done: usize,
        /// Number of problems before and after.
        before: usize,
        left: usize,
        is_complete: bool,
    },
    None,
}

/// Previews the repair of the selected problem, or of the next one that can be repaired; a second request applies it.
pub(super) fn one(state: &mut Transcript) -> Option<Effect> {
    if let Some(offer) = offered(state, false) {
        return carry_out(state, &offer);
    }
    let Some(here) = problem_here(state) else {
        return state.chrome.refuse("no problem to repair; e goes to the next one");
    };
    let problems = state.view.problems();
    // Starts at the selected problem and wraps around, counting the repairable ones.
    let listed = (0..problems.len()).map(|step| (here + step) % problems.len()).filter_map(|place| {
        let number = problems.at(place)?;
        // Faults of the declaration are repaired in the declaration pane.
        (problems.fault_index(number).is_none()).then_some((place, number, problems.get(number)?))
    });
    let listed: Vec<_> = listed.collect();
    begin(state, move |text, options, budget| find_one(&listed, text, options, budget))
}

/// Previews all possible repairs; a second request applies them.
pub(super) fn all(state: &mut Transcript) -> Option<Effect> {
    if let Some(offer) = offered(state, true) {
        return carry_out(state, &offer);
    }
    begin(state, find_all)
}

/// Starts a search for repairs on a thread; [`step`] shows the result.
fn begin(
    state: &mut Transcript,
    find: impl FnOnce(&[u8], &Options, &Budget) -> Option<FoundRepairs> + Send + 'static,
) -> Option<Effect> {
    let session = &state.view.session;
    if session.is_decoded() || session.text().len() > repair::LARGEST {
        return not_repaired(state);
    }
    let text = session.text().read(Span::new(0, session.text().len())).into_owned();
    let options = state.view.options.clone();
    let search = move |budget: &Budget| find(&text, &options, budget).unwrap_or(FoundRepairs::None);
    let Some(worker) = RepairWorker::start(search) else {
        return state.chrome.refuse("could not start a thread; close other programs and try again");
    };
    state.repairing = Some(Box::new(RepairSearch { at: state.view.selection, worker }));
    state.show_message("searching for repairs …", Role::Pending);
    None
}

impl Transcript {
    /// True while a search for repairs is running; idle time collects the result.
    pub fn is_looking_for_repairs(&self) -> bool {
        self.repairing.is_some()
    }
}

/// Waits briefly for the search and shows its result. Returns true if the search continues.
pub(super) fn step(state: &mut Transcript) -> bool {
    let Some(search) = state.repairing.take() else { return false };
    if search.at != state.view.selection {
        return false;
    }
    match search.worker.look() {
        RepairProgress::Pending => {
            state.repairing = Some(search);
            true
        }
        RepairProgress::Lost => false,
        RepairProgress::Done(found) => {
            show_found(state, found);
            false
        }
    }
}

fn find_one(
    problems: &[(usize, usize, Diagnostic)],
    text: &[u8],
    options: &Options,
    budget: &Budget,
) -> Option<FoundRepairs> {
    let session = read(text, options);
    let repairs = Repairs::new(&session, options, budget)?;
    let known = repairs.repairable(&problems.iter().map(|(.., problem)| problem).collect::<Vec<_>>());
    let (first, repair) = problems.iter().enumerate().find_map(|(first, (.., problem))| {
        let may_be = known[first] != Repairability::None;
        may_be.then(|| repairs.find(problem)).flatten().map(|repair| (first, repair))
    })?;
    let (own, number, problem) = &problems[first];
    let others = known[first + 1..].iter().zip(&problems[first + 1..]);
    let likely: Vec<usize> =
        others.filter(|(known, _)| **known == Repairability::Likely).map(|(_, other)| other.0).collect();
    let rank = 1 + likely.iter().filter(|place| *place < own).count();
    let is_complete = !budget.is_spent() && !known[first + 1..].contains(&Repairability::Unknown);
    let problem = (*number, problem.span.start);
    Some(FoundRepairs::One { problem, repair, rank, among: 1 + likely.len(), is_complete })
}

fn find_all(text: &[u8], options: &Options, budget: &Budget) -> Option<FoundRepairs> {
    let session = read(text, options);
    let repaired = repair::repair_all(&session, options, budget).filter(|repaired| !repaired.done.is_empty())?;
    Some(FoundRepairs::All {
        repair: repaired.repair,
        done: repaired.done.len(),
        before: session.document().diagnostics().len(),
        left: repaired.left.document().diagnostics().len(),
        is_complete: repaired.is_complete,
    })
}

fn show_found(state: &mut Transcript, found: FoundRepairs) {
    match found {
        FoundRepairs::None => _ = no_repair(state),
        FoundRepairs::One { problem: (number, offset), repair, rank, among, is_complete } => {
            let more = if is_complete { "" } else { "+" };
            let does = match &state.view.editor {
                Some(_) => {
                    format!("{} again to apply, {} for all", key(state, "f", "ctrl-r"), key(state, "F", "ctrl-f"))
                }
                None => "f again to copy it repaired, F for all; i to edit a copy".to_owned(),
            };
            let target = jump::target_of(state, number, offset);
            state.select(target);
            show(state, repair, None);
            state.show_message(format!("{rank} of {among}{more} repairable; {does}"), Role::Good);
        }
        FoundRepairs::All { repair, done, before, left, is_complete } => {
            let done = count(done, "repair");
            let rest = match left {
                0 => "no problem left".to_owned(),
                left => format!("{left} of {} left", count(before, "problem")),
            };
            let cut = if is_complete { "" } else { ", not all tried" };
            show(state, repair, Some(format!("{done}; {rest}{cut}")));
            let does = if state.view.editor.is_some() { "makes them" } else { "copies the repaired text" };
            state.show_message(format!("{done}; {} again {does}", key(state, "F", "ctrl-f")), Role::Good);
        }
    }
}

/// Takes the previewed repair, if it has the requested kind and the selection has not changed.
fn offered(state: &mut Transcript, is_all: bool) -> Option<Offer> {
    state.view.offer.take().filter(|offer| offer.is_all == is_all && offer.at == state.view.selection)
}

/// The name of a key, which is a different one while text is being typed.
fn key(state: &Transcript, plain: &'static str, typing: &'static str) -> &'static str {
    if state.types() { typing } else { plain }
}

fn no_repair(state: &mut Transcript) -> Option<Effect> {
    let how = key(state, "press a", "Esc a");
    state.chrome.refuse(format!("no automatic repair; {how} for an explanation"))
}

fn not_repaired(state: &mut Transcript) -> Option<Effect> {
    state.chrome.refuse(if state.view.session.is_decoded() {
        "cannot repair a recorded session; press i to edit a copy of a part"
    } else {
        "the text is too large to repair"
    })
}

fn show(state: &mut Transcript, repair: Repair, words: Option<String>) {
    let text = state.view.session.text().read(Span::new(0, state.view.session.text().len())).into_owned();
    let is_all = words.is_some();
    // A low screen has room only for the changed lines.
    let context = if is_all || state.chrome.size.1 < LOW { 0 } else { CONTEXT };
    let hunks = repair.hunks(&text, context);
    let words = words.unwrap_or_else(|| repair.description(&text));
    state.view.offer = Some(Offer { at: state.view.selection, is_all, repair, words, hunks });
    state.view.layout.bottom = PaneId::Details;
    if !state.types() {
        state.reveal();
    }
}

/// Place of the selected problem, or else of the first one in the item, the first one after the selection, or the first
/// one.
fn problem_here(state: &Transcript) -> Option<usize> {
    let problems = state.view.problems();
    let selected = state.view.selection.problem.and_then(|number| problems.place_of(number));
    let span = state.view.session.document().items().span(state.view.selection.item);
    let in_item = || problems.place_of(*problems.beginning_in(span?).first()?);
    let ahead = || problems.first_from(state.view.selection.offset) % problems.len();
    (!problems.is_empty()).then(|| selected.or_else(in_item).unwrap_or_else(ahead))
}

fn carry_out(state: &mut Transcript, offer: &Offer) -> Option<Effect> {
    let repair = &offer.repair;
    if let Some(editor) = &mut state.view.editor {
        let repaired = repair.applied(editor.text().as_bytes());
        editor.go_to(repair.span().end);
        playground::put(state, &String::from_utf8_lossy(&repaired));
        state.show_message("repaired; ctrl-z undoes", Role::Good);
        return None;
    }
    let text = state.view.session.text();
    let items = state.view.session.document().items();
    let item = items.span(state.view.selection.item).unwrap_or_default();
    let span = if offer.is_all { Span::new(0, text.len()) } else { item.cover(repair.span()) };
    let before = text.read(Span::new(0, span.end)).into_owned();
    let after = repair.applied(&before);
    let repaired = &after[span.start.min(after.len())..];
    Some(Effect::Run(Task::Copy(Copied::new("the repaired text", repaired))))
}
