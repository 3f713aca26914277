//! Nodes of a tree are found as a walk over all of it finds them.

use transcope_session::session::Session;
use transcope_syntax::value::index::TreeIndex;
use transcope_syntax::value::{NodeId, ParamTree};
use transcope_text::text::Span;

/// The result of traversing the whole tree.
fn node_at(tree: &ParamTree, offset: usize) -> Option<NodeId> {
    let holding = tree.walk().filter(|(id, _)| tree.node(*id).place.contains(offset));
    holding.max_by_key(|(_, depth)| *depth).map(|(id, _)| id)
}

#[test]
fn the_answers_are_those_of_a_walk() {
    for text in [
        "!!!GADGET_START:A\n!!!ARG:a/x\n1\n!!!ARG:b\n2\n!!!ARG:a/y/0\n3\n!!!ARG:a\n4\n!!!ARG:c/5\n6\n!!!GADGET_END\n",
        "<tool_call>\n{\"name\": \"f\", \"arguments\": {\"a\": [1, {\"b\": [], \"c\": {}}, [[2]]], \"d\": 3}}\n</tool_call>\n",
        "> [!tool f x]\n> input:\n>   a: &x {b: [1, 2]}\n>   c: *x\n>   d:\n>     - 1\n>     - e: 2\n",
        "<tool:f>\n<param:a>1</param:a>\n<param:a>2</param:a>\n</tool:f>\n",
    ] {
        let session = Session::from_bytes(text.as_bytes());
        let item = session.document().calls().next().expect("a call");
        let assembly = session.dissect(item).expect("a call");
        let (tree, index) = (&assembly.tree, TreeIndex::new(&assembly));
        for offset in 0..text.len() {
            let (found, expected) = (index.node_at(tree, offset), node_at(tree, offset));
            assert_eq!(found, expected, "{text} at {offset}");
        }
        assert_eq!(index.unfolded(|_| true), tree.walk().map(|(id, _)| id).collect::<Vec<_>>());
        for (id, depth) in tree.walk() {
            assert_eq!(index.depth(id), depth);
            let below = tree.walk().filter(|&(other, _)| tree.is_within(other, id));
            let arguments = below.filter_map(|(other, _)| tree.node(other).argument);
            let spans = arguments.map(|number| assembly.arguments[number]).map(|found| found.marker.cover(found.value));
            assert_eq!(index.cover(id), spans.reduce(Span::cover), "{text}: {}", tree.path(id));
            let shown = index.unfolded(|other| other != id);
            assert!(!shown.iter().any(|&other| other != id && tree.is_within(other, id)));
            for (other, _) in tree.walk() {
                let hidden = if tree.is_within(other, id) { id } else { other };
                assert_eq!(index.position(&shown, other).map(|at| shown[at]), Some(hidden));
            }
        }
        let nodes = assembly.nodes_of_arguments();
        assert!((0..nodes.len()).all(|number| index.node_of(number) == nodes[number]));
        assert!(index.outside().iter().all(|&number| nodes[number].is_none()));
    }
}
