//! Search for one pattern in a growing text: finds the leftmost match, with the same preference among alternatives as
//! Python.
//!
//! The threads of the automaton (a Pike VM) visit each byte once, in order of priority, so that the time is linear and
//! the result does not depend on how the text is cut. An undecided match is represented by its first byte.

use memchr::memmem;
use regex_automata::nfa::thompson::State;
use regex_automata::util::primitives::StateID;

use super::haystack::Haystack;
use super::pattern::Pattern;
use crate::text::{Span, steps};

/// Bytes after a match that are read in search of a preferred one.
const PATIENCE: usize = 4096;

/// The span of a match, and its groups.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Match {
    pub(super) span: Span,
    /// Start and end of each group; [`usize::MAX`] if it did not participate.
    slots: Vec<usize>,
}

impl Match {
    /// The span of a group, if it participated.
    pub(super) fn group(&self, number: usize) -> Option<Span> {
        let at = |index: usize| self.slots.get(index).copied().filter(|&at| at != usize::MAX);
        Some(Span::new(at(number * 2)?, at(number * 2 + 1)?))
    }

    /// The same match in a text with `by` additional bytes at the beginning.
    pub(super) fn moved(mut self, by: usize) -> Self {
        self.span = Span::new(self.span.start + by, self.span.end + by);
        self.slots.iter_mut().filter(|slot| **slot != usize::MAX).for_each(|slot| *slot += by);
        self
    }

    /// The named groups of the pattern that participated.
    pub(super) fn named<'p>(&self, pattern: &'p Pattern) -> Vec<(&'p str, Span)> {
        pattern.groups.iter().filter_map(|(name, number)| Some((name.as_str(), self.group(*number)?))).collect()
    }
}

/// Result of a search so far.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum SearchResult {
    /// A match that no further text can change.
    Match(Match),
    /// No match begins before this offset; a match at or after it is undecided.
    Pending(usize),
    /// No match up to the end of the text.
    Nothing,
}

/// Threads in order of priority: the state and the slots of each.
#[derive(Clone, Debug, Default)]
struct Threads {
    states: Vec<StateID>,
    slots: Vec<usize>,
    /// For each state, the round in which it was last reached.
    reached: Vec<u32>,
    round: u32,
}

impl Threads {
    fn clear(&mut self) {
        self.states.clear();
        self.slots.clear();
        self.round = self.round.wrapping_add(1);
        if self.round == 0 {
            self.reached.fill(0);
            self.round = 1;
        }
    }

    /// Marks a state as reached; returns false if it already was.
    fn reach(&mut self, state: StateID) -> bool {
        let known = &mut self.reached[state.as_usize()];
        std::mem::replace(known, self.round) != self.round
    }

    fn push(&mut self, state: StateID, slots: &[usize]) {
        self.states.push(state);
        self.slots.extend_from_slice(slots);
    }

    fn truncate(&mut self, length: usize, width: usize) {
        self.states.truncate(length);
        self.slots.truncate(length * width);
    }
}

/// A step of the traversal of epsilon transitions.
#[derive(Clone, Debug)]
enum Task {
    Visit(StateID),
    Restore(usize, usize),
}

/// A search for one pattern.
#[derive(Clone, Debug, Default)]
pub(super) struct Scan {
    /// No match may begin before this offset.
    from: usize,
    at: usize,
    /// True once the threads that begin here have been added.
    ready: bool,
    threads: Threads,
    next: Threads,
    best: Option<Match>,
    /// Offset of the gate text, if found, and the offset up to which it was searched for.
    gate: (Option<usize>, usize),
    stack: Vec<Task>,
}

impl Scan {
    /// Restricts the search to matches at or after `pos`; keeps the state if it remains valid.
    pub(super) fn seek(&mut self, pos: usize) {
        let alive = self.threads.slots.first().copied();
        let is_later =
            alive.is_none_or(|start| start >= pos) && self.best.as_ref().is_none_or(|best| best.span.start >= pos);
        if pos < self.from || self.at < pos || !is_later {
            self.at = pos;
            self.ready = false;
            self.best = None;
            self.threads.clear();
        }
        if self.gate.0.is_some_and(|found| found < pos) || pos < self.from || self.gate.1 < pos {
            self.gate = (None, pos);
        }
        self.from = pos;
    }

    /// Continues the search with the text that has arrived.
    pub(super) fn find(&mut self, pattern: &Pattern, hay: &Haystack<'_>) -> SearchResult {
        self.run(pattern, hay, None);
        self.outcome(pattern, hay)
    }

    /// Searches only for a match at the starting offset.
    pub(super) fn find_here(&mut self, pattern: &Pattern, hay: &Haystack<'_>) -> SearchResult {
        self.run(pattern, hay, Some(self.from));
        let is_over = self.best.is_none() && self.threads.states.is_empty() && self.at > self.from;
        if is_over { SearchResult::Nothing } else { self.outcome(pattern, hay) }
    }

    fn outcome(&mut self, pattern: &Pattern, hay: &Haystack<'_>) -> SearchResult {
        let end = hay.end();
        let Some(best) = &self.best else {
            return if hay.is_finished() {
                SearchResult::Nothing
            } else {
                SearchResult::Pending(self.hold(pattern, hay))
            };
        };
        let alive = self.threads.slots.first().copied();
        let start = best.span.start;
        let decided = hay.is_finished() || alive.is_none() || self.at > best.span.end + PATIENCE;
        if !decided {
            return SearchResult::Pending(alive.map_or(start, |alive| alive.min(start)));
        }
        let best = best.clone();
        if let Some(words) = &pattern.gate {
            let (found, looked) = &mut self.gate;
            *looked = (*looked).max(start);
            if found.is_none() {
                let ahead = hay.since(*looked);
                let place = memmem::find(ahead, words.as_bytes());
                steps::add_copied(place.unwrap_or(ahead.len()));
                *found = place.map(|at| *looked + at);
                *looked = (*looked).max((end + 1).saturating_sub(words.len()));
            }
            if found.is_none() {
                return if hay.is_finished() { SearchResult::Nothing } else { SearchResult::Pending(start) };
            }
        }
        SearchResult::Match(best)
    }

    /// Offset of the first thread that may still lead to a match.
    fn hold(&self, pattern: &Pattern, hay: &Haystack<'_>) -> usize {
        let width = pattern.nfa.group_info().slot_len();
        // A byte that the threads have not visited is waiting for the following text.
        let Some(byte) = hay.byte(self.at).filter(|_| self.ready) else {
            return self.threads.slots.first().map_or(self.at, |&start| start.min(self.at));
        };
        let goes_on = |state: &StateID| follow(pattern, *state, byte).is_some();
        let first = self.threads.states.iter().position(goes_on);
        first.map_or(self.at + 1, |index| self.threads.slots[index * width])
    }

    /// Advances the threads; new ones begin anywhere, or only at `here`.
    fn run(&mut self, pattern: &Pattern, hay: &Haystack<'_>, here: Option<usize>) {
        let width = pattern.nfa.group_info().slot_len();
        let states = pattern.nfa.states().len();
        if self.threads.reached.len() != states {
            for threads in [&mut self.threads, &mut self.next] {
                threads.reached.resize(states, 0);
                threads.clear();
            }
        }
        loop {
            if !self.ready {
                if self.threads.states.is_empty()
                    && self.best.is_none()
                    && here.is_none()
                    && let Some(first) = &pattern.first
                {
                    let ahead = hay.since(self.at);
                    let skipped = ahead.iter().position(|&byte| first[usize::from(byte)]).unwrap_or(ahead.len());
                    steps::add_bytes(skipped);
                    self.at += skipped;
                }
                if !hay.is_known(pattern.context, self.at) {
                    return;
                }
                if self.best.is_none() && here.is_none_or(|here| here == self.at) && hay.is_boundary(self.at) {
                    let mut slots = vec![usize::MAX; width];
                    slots[0] = self.at;
                    let start = pattern.nfa.start_anchored();
                    add(pattern, hay, &mut self.threads, &mut self.stack, start, &mut slots, self.at);
                }
                self.note_match(pattern, width);
                self.ready = true;
            }
            let is_over = self.best.is_some() || here.is_some_and(|here| here < self.at);
            if self.threads.states.is_empty() && is_over {
                return;
            }
            if self.best.as_ref().is_some_and(|best| self.at > best.span.end + PATIENCE) {
                return;
            }
            let Some(byte) = hay.byte(self.at) else { return };
            if !hay.is_known(pattern.context, self.at + 1) {
                return;
            }
            self.step(pattern, hay, byte, width);
            self.at += 1;
            self.ready = false;
        }
    }

    fn step(&mut self, pattern: &Pattern, hay: &Haystack<'_>, byte: u8, width: usize) {
        self.next.clear();
        steps::add(1 + self.threads.states.len());
        let mut slots = vec![usize::MAX; width];
        for index in 0..self.threads.states.len() {
            let Some(to) = follow(pattern, self.threads.states[index], byte) else { continue };
            slots.copy_from_slice(&self.threads.slots[index * width..(index + 1) * width]);
            add(pattern, hay, &mut self.next, &mut self.stack, to, &mut slots, self.at + 1);
        }
        std::mem::swap(&mut self.threads, &mut self.next);
    }

    /// Records the match of the highest-priority thread that has finished, and drops the threads with lower priority.
    fn note_match(&mut self, pattern: &Pattern, width: usize) {
        let is_match = |state: &StateID| matches!(pattern.nfa.state(*state), State::Match { .. });
        let Some(index) = self.threads.states.iter().position(is_match) else { return };
        let slots = self.threads.slots[index * width..(index + 1) * width].to_vec();
        let marked = pattern.ends.iter().filter_map(|&group| slots.get(group * 2).copied());
        let end = marked.filter(|&at| at != usize::MAX).min().unwrap_or(self.at);
        self.best = Some(Match { span: Span::new(slots[0], end.max(slots[0])), slots });
        self.threads.truncate(index, width);
    }
}

/// The successor of a state for a byte.
fn follow(pattern: &Pattern, state: StateID, byte: u8) -> Option<StateID> {
    match pattern.nfa.state(state) {
        State::ByteRange { trans } => trans.matches_byte(byte).then_some(trans.next),
        State::Sparse(sparse) => sparse.matches_byte(byte),
        State::Dense(dense) => dense.matches_byte(byte),
        _ => None,
    }
}

/// Adds the states reachable from `start` by epsilon transitions at offset `at`.
fn add(
    pattern: &Pattern,
    hay: &Haystack<'_>,
    threads: &mut Threads,
    stack: &mut Vec<Task>,
    start: StateID,
    slots: &mut [usize],
    at: usize,
) {
    stack.push(Task::Visit(start));
    while let Some(task) = stack.pop() {
        let mut id = match task {
            Task::Restore(slot, old) => {
                slots[slot] = old;
                continue;
            }
            Task::Visit(id) => id,
        };
        loop {
            if !threads.reach(id) {
                break;
            }
            match pattern.nfa.state(id) {
                State::Union { alternates } => {
                    let Some((first, rest)) = alternates.split_first() else { break };
                    stack.extend(rest.iter().rev().map(|&id| Task::Visit(id)));
                    id = *first;
                }
                State::BinaryUnion { alt1, alt2 } => {
                    stack.push(Task::Visit(*alt2));
                    id = *alt1;
                }
                State::Capture { next, slot, .. } => {
                    let slot = slot.as_usize();
                    if let Some(old) = slots.get(slot).copied() {
                        stack.push(Task::Restore(slot, old));
                        slots[slot] = at;
                    }
                    id = *next;
                }
                State::Look { look, next } if hay.holds(*look, at) => id = *next,
                State::Look { .. } | State::Fail => break,
                _ => {
                    threads.push(id, slots);
                    break;
                }
            }
        }
    }
}

/// All non-overlapping matches in a complete text.
pub(super) fn find_all(pattern: &Pattern, bytes: &[u8]) -> Vec<Match> {
    let hay = Haystack::whole(bytes);
    let mut scan = Scan::default();
    let mut found = Vec::new();
    let mut pos = 0;
    while pos <= bytes.len() {
        scan.seek(pos);
        let SearchResult::Match(one) = scan.find(pattern, &hay) else { break };
        // After an empty match the search continues one character later.
        let step = usize::from(one.span.is_empty());
        pos = one.span.end + step;
        while pos < bytes.len() && !hay.is_boundary(pos) {
            pos += 1;
        }
        found.push(one);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::Text;

    /// Compares the matches in a complete text, in one that arrives byte by byte, and in an unfinished prefix of it.
    fn check(source: &str, text: &str, expected: &[(usize, usize)]) {
        let pattern = Pattern::parse(source).unwrap_or_else(|fault| panic!("{source}: {fault:?}"));
        let found: Vec<(usize, usize)> =
            find_all(&pattern, text.as_bytes()).iter().map(|one| (one.span.start, one.span.end)).collect();
        assert_eq!(found, expected, "{source} in {text:?}");
        let mut scan = Scan::default();
        let mut whole = Text::default();
        for byte in text.as_bytes() {
            whole.push(std::slice::from_ref(byte));
            if let SearchResult::Match(one) = scan.find(&pattern, &Haystack::arrived(&whole, 0, 0, false)) {
                assert_eq!(
                    Some(&(one.span.start, one.span.end)),
                    expected.first(),
                    "{source} in {text:?}, at {}",
                    whole.len()
                );
            }
        }
        let last = scan.find(&pattern, &Haystack::arrived(&whole, 0, 0, true));
        let last = if let SearchResult::Match(one) = last { Some((one.span.start, one.span.end)) } else { None };
        assert_eq!(last, expected.first().copied(), "{source} in {text:?}, byte by byte");
    }

    #[test]
    fn the_leftmost_match_is_the_one_that_python_finds() {
        check("<t>", "a<t>b<t>", &[(1, 4), (5, 8)]);
        check("a|ab", "ab", &[(0, 1)]);
        check("ab|a", "ab", &[(0, 2)]);
        check("a.*z|b", "ab z", &[(0, 4)]);
        check("a.*z|b", "ab", &[(1, 2)]);
        check("x\\s*", "x \n y", &[(0, 4)]);
        check("x.*?y", "xxyy", &[(0, 3)]);
        check("$", "ab\n", &[(2, 2), (3, 3)]);
        check("\\Z", "ab\n", &[(3, 3)]);
        check("^a", "aa", &[(0, 1)]);
        check("\\bb", "ab b", &[(3, 4)]);
        check("a(?=b)", "aab", &[(1, 2)]);
        check("(?:</p>|(?=<q>))", "x<q></p>", &[(1, 1), (4, 8)]);
        check("(?=[\\s\\S]*?</t>)", "a</t>b", &[(0, 0), (1, 1)]);
        check("(?=[\\s\\S]*?</t>)", "ab", &[]);
        check("[^<]*<b>", "éa<c>d<b>", &[(4, 10)]);
        check("\\w+", "é-日本", &[(0, 2), (3, 9)]);
    }

    #[test]
    fn groups_are_those_of_the_match() {
        let pattern = Pattern::parse("<f=(?P<n>\\w+).*?(?P<m>x)?>").expect("a pattern");
        let found = find_all(&pattern, b"<f=get-a>");
        assert_eq!(found[0].named(&pattern), [("n", Span::new(3, 6))]);
    }

    #[test]
    fn what_is_undecided_is_held_from_its_first_byte() {
        let cases: &[(&str, &str, SearchResult)] = &[
            ("</t>", "ab</", SearchResult::Pending(2)),
            ("</t>", "ab", SearchResult::Pending(2)),
            ("<\\s*t>", "a<  ", SearchResult::Pending(1)),
            ("x\\s*", "ax ", SearchResult::Pending(1)),
            ("x(?:y z)?", "xy", SearchResult::Pending(0)),
        ];
        for (source, text, expected) in cases {
            let pattern = Pattern::parse(source).expect("a pattern");
            let mut arrived = Text::default();
            arrived.push(text.as_bytes());
            let found = Scan::default().find(&pattern, &Haystack::arrived(&arrived, 0, 0, false));
            assert_eq!(found, *expected, "{source} in {text:?}");
        }
    }

    #[test]
    fn a_long_text_without_an_end_is_read_once() {
        let pattern = Pattern::parse("<a (?P<n>\\w+).*?>").expect("a pattern");
        let steps_of = |count: usize| {
            let text = "<a b".repeat(count);
            steps::of(|| assert!(find_all(&pattern, text.as_bytes()).is_empty()))
        };
        let (one, four) = (steps_of(1_000), steps_of(4_000));
        assert!(one > 1_000 && four <= 5 * one, "{one} steps, and {four} for four times as much");
    }
}
