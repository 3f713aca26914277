//! Orders the items in each rank to reduce crossings: sweeps by the median of the neighbours, then swaps.
//!
//! After Gansner, Koutsofios, North and Vo, "A technique for drawing directed graphs". Independent of columns.

use crate::graph_layout::layers::Layers;

/// Sweeps, alternately downwards and upwards.
const SWEEPS: usize = 12;
/// Most rounds of swaps after a sweep.
const SWAPS: usize = 4;

/// Orders the items of each rank. Items without crossings keep the order of the text.
pub(super) fn arrange(layers: &mut Layers) {
    let (above, below) = layers.neighbours();
    let mut best = layers.ranks.clone();
    let mut fewest = crossings(layers);
    for sweep in 0..SWEEPS {
        if fewest == 0 {
            break;
        }
        let height = layers.ranks.len();
        let mut positions = positions(layers);
        for step in 1..height {
            let (rank, neighbours) = if sweep % 2 == 0 { (step, &above) } else { (height - 1 - step, &below) };
            by_median(&mut layers.ranks[rank], neighbours, &positions);
            number(&layers.ranks[rank], &mut positions);
        }
        swap(layers, &above, &below, &mut positions);
        let now = crossings(layers);
        if now < fewest {
            fewest = now;
            best.clone_from(&layers.ranks);
        }
    }
    layers.ranks = best;
}

/// Sorts the items of a rank by the median of their neighbours; items without neighbours keep their positions.
fn by_median(rank: &mut [usize], neighbours: &[Vec<usize>], positions: &[usize]) {
    let places: Vec<usize> = (0..rank.len()).filter(|&place| !neighbours[rank[place]].is_empty()).collect();
    let mut movable: Vec<(usize, usize)> =
        places.iter().map(|&place| (median(&neighbours[rank[place]], positions), rank[place])).collect();
    movable.sort_by_key(|&(median, _)| median);
    for (place, (_, item)) in places.into_iter().zip(movable) {
        rank[place] = item;
    }
}

/// Twice the median position, so that it is an integer between two positions.
fn median(neighbours: &[usize], positions: &[usize]) -> usize {
    let mut sorted: Vec<usize> = neighbours.iter().map(|&neighbour| positions[neighbour]).collect();
    sorted.sort_unstable();
    sorted[(sorted.len() - 1) / 2] + sorted[sorted.len() / 2]
}

/// Swaps adjacent items where that leaves fewer crossings.
fn swap(layers: &mut Layers, above: &[Vec<usize>], below: &[Vec<usize>], positions: &mut [usize]) {
    for _ in 0..SWAPS {
        let mut improved = false;
        for rank in &mut layers.ranks {
            for left in 1..rank.len() {
                let (one, other) = (rank[left - 1], rank[left]);
                let crossed = |first: usize, second: usize| {
                    crossed(&above[first], &above[second], positions)
                        + crossed(&below[first], &below[second], positions)
                };
                if crossed(other, one) < crossed(one, other) {
                    rank.swap(left - 1, left);
                    positions.swap(one, other);
                    improved = true;
                }
            }
        }
        if !improved {
            return;
        }
    }
}

/// Number of crossings between the lines of an item and the lines of the item to its right.
fn crossed(left: &[usize], right: &[usize], positions: &[usize]) -> usize {
    left.iter().map(|&of_left| right.iter().filter(|&&of_right| positions[of_right] < positions[of_left]).count()).sum()
}

fn crossings(layers: &Layers) -> usize {
    let positions = positions(layers);
    (0..layers.gaps.len())
        .map(|gap| {
            let mut pairs: Vec<(usize, usize)> =
                layers.pairs(gap).map(|(top, bottom)| (positions[top], positions[bottom])).collect();
            pairs.sort_unstable();
            // Lower ends seen so far, sorted: the ones to the right of the next end are crossed by its line.
            let mut ends: Vec<usize> = Vec::with_capacity(pairs.len());
            pairs.into_iter().fold(0, |sum, (_, end)| {
                let place = ends.partition_point(|&earlier| earlier <= end);
                ends.insert(place, end);
                sum + ends.len() - 1 - place
            })
        })
        .sum()
}

fn positions(layers: &Layers) -> Vec<usize> {
    let mut positions = vec![0; layers.items.len()];
    for rank in &layers.ranks {
        number(rank, &mut positions);
    }
    positions
}

fn number(rank: &[usize], positions: &mut [usize]) {
    for (position, &item) in rank.iter().enumerate() {
        positions[item] = position;
    }
}
