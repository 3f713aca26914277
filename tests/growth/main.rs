//! Four times as much of anything takes at most five times as many steps.
//!
//! Steps are counted ([`transcope::text::steps`]), not timed, at places in the code that count them; `cargo run
//! --release --example growth` counts all instructions for the same table under valgrind. Independent of where the
//! steps are spent.

mod commands;
mod containers;
mod family;
#[path = "../shared/figures.rs"]
mod figures;
mod profiles;
mod work;

use family::Family;
use figures::Promise;
use transcope::text::steps;
use work::{Input, WORKS};

/// Bytes of the smaller text.
const SIZE: usize = 6_000;

/// Highest ratio of the steps for four times as many repetitions.
const MOST: usize = 5;

/// Counts the steps of an operation.
type Counter = fn(&mut dyn FnMut()) -> usize;

/// The steps of this thread only, so that other tests may run.
const OF_THREAD: Counter = |work| steps::of(work);

/// The steps of `work` with `n` and with four times `n` repetitions, less the steps with none.
fn steps_of(counter: Counter, n: usize, work: impl Fn(usize)) -> [usize; 2] {
    // The first run also initialises shared state.
    work(0);
    let start = counter(&mut || work(0));
    [n, 4 * n].map(|n| counter(&mut || work(n)).saturating_sub(start))
}

/// As [`steps_of`]; if the ratio is too high, it is measured again with texts four times as large, to exclude
/// constants.
fn growth(counter: Counter, n: usize, work: impl Fn(usize)) -> [usize; 2] {
    let steps = steps_of(counter, n, &work);
    if grows_too_fast(steps) { steps_of(counter, 4 * n, work) } else { steps }
}

fn grows_too_fast([small, large]: [usize; 2]) -> bool {
    large > MOST * small
}

#[test]
fn four_times_as_much_takes_at_most_five_times_as_many_steps() {
    let families = Family::all();
    let (mut faults, mut tried, mut taken) = (Vec::new(), 0, 0);
    for family in &families {
        let n = family.count(SIZE);
        let wanted = |name: &str| name == "read" || family.works.iter().any(|work| work == name);
        for (name, work) in WORKS.into_iter().filter(|(name, _)| wanted(name)) {
            let steps = steps_of(OF_THREAD, n, |n| work(&Input::new(family, n)));
            tried += 1;
            taken += steps[0] + steps[1];
            if grows_too_fast(steps) || steps[0] == 0 {
                faults.push(format!("{name} {}: {} steps for {n}, {} for {}", family.name, steps[0], steps[1], 4 * n));
            }
        }
    }
    assert!(faults.is_empty(), "{} of {tried} grow too fast:\n{}", faults.len(), faults.join("\n"));
    figures::tell(Promise::Growth, "families", families.len());
    figures::tell(Promise::Growth, "steps", taken);
}

#[test]
fn a_walk_from_the_beginning_for_each_is_refused_and_one_walk_is_not() {
    let walk = |length: usize| (0..length).for_each(|_| steps::add(1));
    assert!(grows_too_fast(steps_of(OF_THREAD, 100, |n| (0..n).for_each(walk))));
    assert!(!grows_too_fast(steps_of(OF_THREAD, 100, walk)));
}

#[test]
fn every_work_of_the_table_is_known() {
    for family in Family::all() {
        for name in &family.works {
            assert!(WORKS.iter().any(|(known, _)| known == name), "{}: do: {name}", family.name);
        }
    }
}
