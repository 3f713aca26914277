//! Four times as much takes at most five times as many steps, whatever there is more of.
//!
//! Steps are counted ([`transcope::text::steps`]), not timed. They are those of places that count; what is true of all
//! instructions is told by `cargo run --release --example growth`, which does the same with the same table under valgrind. This
//! file does not know what takes steps.

mod commands;
mod containers;
mod family;
#[path = "../shared/figures.rs"]
mod figures;
mod work;

use family::Family;
use figures::Promise;
use transcope::text::steps;
use work::{Input, WORKS};

/// Bytes of the smaller text.
const SIZE: usize = 6_000;

/// How often the steps of a text are those of one with a quarter of its repetitions, at most.
const MOST: usize = 5;

/// Counts the steps of work.
type Counter = fn(&mut dyn FnMut()) -> usize;

/// Of this thread, so that other tests may run.
const OF_THREAD: Counter = |work| steps::of(work);

/// How many steps `work` takes with `n` and with four times `n`, without those that it takes with nothing.
fn steps_of(counter: Counter, n: usize, work: impl Fn(usize)) -> [usize; 2] {
    // The first run also prepares what all share.
    work(0);
    let start = counter(&mut || work(0));
    [n, 4 * n].map(|n| counter(&mut || work(n)).saturating_sub(start))
}

/// The same; if the larger text takes too many, both are made four times as large, so that a constant does not count.
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
