//! Assigns columns to items: each as near to its neighbours as the order and the room in its rank allow.
//!
//! Each rank in turn is moved towards the positions that its items want; items that get into each other's way share the
//! difference. Independent of rows.

use std::ops::Range;

use crate::graph_layout::layers::{Content, Layers};

/// Rounds, each of one pass downwards and one upwards.
const ROUNDS: usize = 32;
/// Free columns between two items. A line may be moved by one column, and is then still clear of its neighbours.
const GAP: usize = 3;

/// Places all items, the leftmost at column 0.
pub(super) fn place(layers: &mut Layers) {
    let (above, below) = layers.neighbours();
    let mut lefts: Vec<f64> = vec![0.0; layers.items.len()];
    for rank in &layers.ranks {
        let mut x = 0;
        for &item in rank {
            lefts[item] = x as f64;
            x += layers.items[item].width + GAP;
        }
    }
    for round in 0..2 * ROUNDS {
        let before = lefts.clone();
        for step in 0..layers.ranks.len() {
            let rank = if round % 2 == 0 { step } else { layers.ranks.len() - 1 - step };
            let wishes: Vec<WantedPosition> = layers.ranks[rank]
                .iter()
                .map(|&item| wish(layers, item, &lefts, [&above[item], &below[item]]))
                .collect();
            for (&item, left) in layers.ranks[rank].iter().zip(fit_monotone(&wishes)) {
                lefts[item] = left;
            }
        }
        if lefts == before {
            break;
        }
    }
    let leftmost = lefts.iter().copied().fold(f64::INFINITY, f64::min);
    for (item, left) in layers.items.iter_mut().zip(lefts) {
        #[expect(clippy::cast_sign_loss, reason = "nothing is left of the leftmost")]
        let x = (left - leftmost).round() as usize;
        item.x = x;
    }
    straighten(layers);
}

/// Aligns the passages of a line in one column, over as many consecutive ranks as have room there.
fn straighten(layers: &mut Layers) {
    let mut next: Vec<Option<usize>> = vec![None; layers.items.len()];
    let mut is_first = vec![true; layers.items.len()];
    let is_passage = |item: usize| layers.items[item].content == Content::Passage;
    for (top, bottom) in (0..layers.gaps.len()).flat_map(|gap| layers.pairs(gap)) {
        if is_passage(top) && is_passage(bottom) {
            next[top] = Some(bottom);
            is_first[bottom] = false;
        }
    }
    let firsts: Vec<usize> = (0..layers.items.len()).filter(|&item| is_first[item] && is_passage(item)).collect();
    for first in firsts {
        let mut left = Some(first);
        while let Some(start) = left {
            let mut run = Vec::new();
            let mut room = 0..usize::MAX;
            while let Some(passage) = left {
                let here = room_of(layers, passage);
                let both = room.start.max(here.start)..room.end.min(here.end);
                if both.is_empty() && passage != start {
                    break;
                }
                room = both;
                run.push(passage);
                left = next[passage];
            }
            let mean = run.iter().map(|&passage| layers.items[passage].x).sum::<usize>() / run.len();
            let x = if room.is_empty() { mean } else { mean.clamp(room.start, room.end - 1) };
            for passage in run {
                layers.items[passage].x = x;
            }
        }
    }
}

/// The range of columns that a one-column item can have while its neighbours stay in place.
fn room_of(layers: &Layers, item: usize) -> Range<usize> {
    let rank = &layers.ranks[layers.items[item].rank];
    let place = rank.iter().position(|&other| other == item).unwrap_or(0);
    let left = place.checked_sub(1).map(|left| &layers.items[rank[left]]);
    let right = rank.get(place + 1).map(|&right| &layers.items[right]);
    let end = right.map_or(usize::MAX, |right| right.x.saturating_sub(GAP));
    left.map_or(0, |left| left.x + left.width + GAP)..end
}

/// The position that an item wants.
struct WantedPosition {
    left: f64,
    /// Its weight against its neighbours in the rank.
    weight: f64,
    /// Columns that it takes, including the gap after it.
    room: f64,
}

fn wish(layers: &Layers, item: usize, lefts: &[f64], neighbours: [&[usize]; 2]) -> WantedPosition {
    let half = |item: usize| ((layers.items[item].width - 1) / 2) as f64;
    let (mut sum, mut weight) = (0.0, 0.0);
    for &neighbour in neighbours.into_iter().flatten() {
        let pull = pull(layers, item, neighbour);
        sum += pull * (lefts[neighbour] + half(neighbour));
        weight += pull;
    }
    let left = if weight > 0.0 { sum / weight - half(item) } else { lefts[item] };
    WantedPosition { left, weight: weight.max(0.1), room: (layers.items[item].width + GAP) as f64 }
}

/// The weight of a link: long lines should be straight rather than short ones.
fn pull(layers: &Layers, item: usize, neighbour: usize) -> f64 {
    let passages = [item, neighbour].iter().filter(|&&end| layers.items[end].content == Content::Passage).count();
    [1.0, 2.0, 8.0][passages]
}

/// The positions nearest to the wishes that keep the order without overlaps, in whole columns.
///
/// After subtracting the room of the items before it, an item must not be left of its predecessor: this is a least
/// squares fit under a monotonicity constraint, found by pooling adjacent violators.
fn fit_monotone(wishes: &[WantedPosition]) -> Vec<f64> {
    // Position, weight and number of items of each pool.
    let mut pools: Vec<(f64, f64, usize)> = Vec::new();
    let mut before = 0.0;
    for wish in wishes {
        let mut pool = (wish.left - before, wish.weight, 1);
        before += wish.room;
        while let Some(last) = pools.pop_if(|last| last.0 >= pool.0) {
            let weight = last.1 + pool.1;
            pool = ((last.0 * last.1 + pool.0 * pool.1) / weight, weight, last.2 + pool.2);
        }
        pools.push(pool);
    }
    let places = pools.into_iter().flat_map(|(place, _, items)| std::iter::repeat_n(place.round(), items));
    let mut before = 0.0;
    places
        .zip(wishes)
        .map(|(place, wish)| {
            let left = place + before;
            before += wish.room;
            left
        })
        .collect()
}
