//! Boxes in ranks: groups of linked boxes, the rank of each box, and where lines pass the ranks in between.
//!
//! The lines that leave one box downwards are one line that branches; it passes each rank at most once.

use crate::graph_layout::cards::{Arrow, Cards, Link};

pub(super) struct Layers {
    pub(super) items: Vec<Item>,
    /// The items of each rank from left to right.
    pub(super) ranks: Vec<Vec<usize>>,
    /// For each rank except the last, the lines from it to the next.
    pub(super) gaps: Vec<Vec<Segment>>,
}

/// Something that takes room in a rank.
pub(super) struct Item {
    pub(super) content: Content,
    pub(super) rank: usize,
    pub(super) width: usize,
    /// The leftmost column, once placed.
    pub(super) x: usize,
    /// Columns in the item at which lines leave downwards, once drawn.
    pub(super) ports: Vec<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Content {
    /// The box with this number.
    Card(usize),
    /// A line that continues to a lower rank.
    Passage,
}

/// The part of a line between two ranks.
pub(super) struct Segment {
    pub(super) top: usize,
    pub(super) bottoms: Vec<usize>,
    pub(super) arrow: Arrow,
}

impl Layers {
    /// Pairs of items that a line connects across a gap: the upper and the lower one.
    pub(super) fn pairs(&self, gap: usize) -> impl Iterator<Item = (usize, usize)> {
        self.gaps[gap].iter().flat_map(|segment| segment.bottoms.iter().map(|&bottom| (segment.top, bottom)))
    }

    /// Neighbours of each item in the rank above it, and in the rank below it.
    pub(super) fn neighbours(&self) -> (Vec<Vec<usize>>, Vec<Vec<usize>>) {
        let mut above = vec![Vec::new(); self.items.len()];
        let mut below = vec![Vec::new(); self.items.len()];
        for (top, bottom) in (0..self.gaps.len()).flat_map(|gap| self.pairs(gap)) {
            above[bottom].push(top);
            below[top].push(bottom);
        }
        (above, below)
    }

    fn of(members: &[usize], cards: &Cards, links: &[Link], ranks: &[usize]) -> Self {
        let height = members.iter().map(|&member| ranks[member] + 1).max().unwrap_or(0);
        let mut layers = Self {
            items: Vec::new(),
            ranks: vec![Vec::new(); height],
            gaps: (1..height).map(|_| Vec::new()).collect(),
        };
        let mut item_of = std::collections::BTreeMap::new();
        for &member in members {
            let item = layers.add(Content::Card(member), ranks[member], cards.cards[member].width);
            item_of.insert(member, item);
        }
        for &member in members {
            let leaving: Vec<&Link> = links.iter().filter(|link| link.upper == member).collect();
            let down: Vec<usize> =
                leaving.iter().filter(|link| link.arrow == Arrow::Down).map(|link| item_of[&link.lower]).collect();
            if !down.is_empty() {
                layers.connect(item_of[&member], &down, Arrow::Down);
            }
            for link in leaving.iter().filter(|link| link.arrow == Arrow::Up) {
                layers.connect(item_of[&member], &[item_of[&link.lower]], Arrow::Up);
            }
        }
        layers
    }

    fn add(&mut self, content: Content, rank: usize, width: usize) -> usize {
        let item = self.items.len();
        self.items.push(Item { content, rank, width, x: 0, ports: Vec::new() });
        self.ranks[rank].push(item);
        item
    }

    /// Adds a line from an item down to others, rank by rank.
    fn connect(&mut self, from: usize, to: &[usize], arrow: Arrow) {
        let lowest = to.iter().map(|&item| self.items[item].rank).max().unwrap_or(0);
        let mut top = from;
        for rank in self.items[from].rank + 1..=lowest {
            let mut bottoms: Vec<usize> = to.iter().copied().filter(|&item| self.items[item].rank == rank).collect();
            let next = (rank < lowest).then(|| self.add(Content::Passage, rank, 1));
            bottoms.extend(next);
            self.gaps[rank - 1].push(Segment { top, bottoms, arrow });
            top = next.unwrap_or(top);
        }
    }
}

/// The connected groups of boxes: groups of several boxes first, otherwise in text order.
pub(super) fn groups(cards: &Cards) -> Vec<Layers> {
    let (ranks, links) = ranks(cards);
    let mut group_of: Vec<usize> = (0..cards.cards.len()).collect();
    for link in &links {
        let (one, other) = (root(&mut group_of, link.upper), root(&mut group_of, link.lower));
        group_of[one.max(other)] = one.min(other);
    }
    let mut members: Vec<Vec<usize>> = vec![Vec::new(); cards.cards.len()];
    for card in 0..cards.cards.len() {
        members[root(&mut group_of, card)].push(card);
    }
    members.retain(|group| !group.is_empty());
    members.sort_by_key(|group| group.len() == 1);
    members.iter().map(|group| Layers::of(group, cards, &links, &ranks)).collect()
}

/// The rank of each box, one below the lowest box above it, and the links that lead downwards under these ranks: all,
/// unless the graph has a cycle that is not recorded in it.
fn ranks(cards: &Cards) -> (Vec<usize>, Vec<Link>) {
    let mut ranks = vec![0; cards.cards.len()];
    let mut open = vec![0_usize; cards.cards.len()];
    for link in &cards.links {
        open[link.lower] += 1;
    }
    let mut queue: Vec<usize> = (0..open.len()).filter(|&card| open[card] == 0).collect();
    while let Some(card) = queue.pop() {
        for link in cards.links.iter().filter(|link| link.upper == card) {
            ranks[link.lower] = ranks[link.lower].max(ranks[card] + 1);
            open[link.lower] -= 1;
            if open[link.lower] == 0 {
                queue.push(link.lower);
            }
        }
    }
    // The box of an unknown id is directly above the first call that waits for it.
    for (number, _) in cards.cards.iter().enumerate().filter(|(_, card)| card.node.is_none()) {
        let below = cards.links.iter().filter(|link| link.upper == number).map(|link| ranks[link.lower]).min();
        ranks[number] = below.map_or(0, |rank: usize| rank.saturating_sub(1));
    }
    let links = cards.links.iter().copied().filter(|link| ranks[link.upper] < ranks[link.lower]).collect();
    (ranks, links)
}

fn root(group_of: &mut [usize], mut card: usize) -> usize {
    while group_of[card] != card {
        group_of[card] = group_of[group_of[card]];
        card = group_of[card];
    }
    card
}
