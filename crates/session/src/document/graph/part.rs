//! A part of a graph, such as the calls of some turns.

use super::{Graph, Missing, Waves};

impl Graph {
    /// Cuts the graph to the calls whose items `is_in` accepts. Nodes keep their numbers; edges to and from other calls
    /// are dropped.
    #[must_use]
    pub fn part(mut self, is_in: impl Fn(usize) -> bool) -> Self {
        for node in &mut self.nodes {
            node.left_out = !is_in(node.item());
        }
        let Self { nodes, edges, waves, .. } = &mut self;
        let is_out = |node: u32| nodes[node as usize].left_out;
        edges.retain(|edge| !is_out(edge.from) && !is_out(edge.to));
        waves.retain(|node| !is_out(node));
        self
    }

    /// The cycles without a node outside the part that the graph was cut to.
    pub fn shown_cycles(&self) -> impl Iterator<Item = &[u32]> {
        let is_in = |node: &u32| !self.nodes[*node as usize].left_out;
        self.cycles.iter().map(Vec::as_slice).filter(move |cycle| cycle.iter().all(is_in))
    }

    /// The unknown ids of the part that the graph was cut to, with their numbers in [`Graph::missing`].
    pub fn shown_missing(&self) -> impl Iterator<Item = (usize, &Missing)> {
        self.missing.iter().enumerate().filter(|(_, missing)| !self.nodes[missing.from()].left_out)
    }
}

impl Waves {
    /// Removes the nodes that `is_in` rejects, and the waves that are then empty.
    fn retain(&mut self, is_in: impl Fn(u32) -> bool) {
        let Self { nodes, ends, messages } = std::mem::take(self);
        let (mut start, mut kept_messages) = (0, messages.iter());
        for end in ends {
            let message = kept_messages.next();
            let before = self.nodes.len();
            self.nodes.extend(nodes[start..end as usize].iter().copied().filter(|&node| is_in(node)));
            if self.nodes.len() > before {
                self.ends.push(self.nodes.len() as u32);
                self.messages.extend(message);
            }
            start = end as usize;
        }
    }
}
