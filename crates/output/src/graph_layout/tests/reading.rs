//! Properties of all drawings: nothing overlaps, and the edges of the graph can be read back from its lines.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

use super::*;

/// Directions in which a cell connects: up, down, left, right.
fn ways(cell: char) -> [bool; 4] {
    match cell {
        '│' | '▼' | '▲' => [true, true, false, false],
        '─' => [false, false, true, true],
        '╭' => [false, true, false, true],
        '╮' => [false, true, true, false],
        '╰' => [true, false, false, true],
        '╯' => [true, false, true, false],
        '┬' => [false, true, true, true],
        '┴' => [true, false, true, true],
        '├' => [true, true, false, true],
        '┤' => [true, true, true, false],
        '┼' => [true; 4],
        _ => [false; 4],
    }
}

/// Reads a drawing as a user would: follows each line from the box that it leaves downwards to the boxes that it
/// reaches, over other lines where it crosses them. A link is the upper box, the lower box, and true if the upper one
/// waits.
struct Reader {
    cells: Vec<Vec<char>>,
    boxes: Vec<BoxBounds>,
    seen: BTreeSet<(usize, usize, bool)>,
}

impl Reader {
    fn new(drawing: &Drawing, nodes: usize) -> Self {
        let cells = cells(drawing);
        let bounds = (0..nodes).map(|node| drawing.bounds_of(node).expect("a box for each node"));
        let mut boxes: Vec<BoxBounds> = bounds.map(|(x, y, width, height)| BoxBounds { x, y, width, height }).collect();
        for (y, row) in cells.iter().enumerate() {
            for x in 0..row.len() {
                if row[x] == '╭' && row.get(x + 1) == Some(&'┄') {
                    let width = row[x..].iter().position(|&cell| cell == '╮').expect("a right corner") + 1;
                    boxes.push(BoxBounds { x, y, width, height: 3 });
                }
            }
        }
        Self { cells, boxes, seen: BTreeSet::new() }
    }

    fn box_at(&self, x: usize, y: usize) -> Option<usize> {
        self.boxes.iter().position(|place| place.contains(x, y))
    }

    fn links(&mut self) -> BTreeSet<(usize, usize, bool)> {
        let mut links = BTreeSet::new();
        for upper in 0..self.boxes.len() {
            let BoxBounds { x, y, width, height } = self.boxes[upper];
            let below = y + height;
            for x in x + 1..x + width - 1 {
                let is_up = self.cells.get(below).is_some_and(|row| row[x] == '▲');
                if self.cells[below - 1][x] != '┬' && !is_up {
                    continue;
                }
                let reached = self.follow(x, below);
                assert!(!reached.is_empty(), "a line from {x}, {below} leads nowhere");
                for lower in reached {
                    assert!(links.insert((upper, lower, is_up)), "two lines from {upper} to {lower}");
                }
            }
        }
        links
    }

    /// The boxes that are reached by the line that starts downwards at a cell.
    fn follow(&mut self, x: usize, y: usize) -> Vec<usize> {
        let mut reached = Vec::new();
        // Cells with the direction in which they are entered: 0 up, 1 down, 2 left, 3 right.
        let mut queue = vec![(x, y, 1_usize)];
        while let Some((x, y, way)) = queue.pop() {
            if let Some(met) = self.box_at(x, y) {
                let BoxBounds { y: top, height, .. } = self.boxes[met];
                match way {
                    1 if y == top => reached.push(met),
                    // Back at the box that it leaves.
                    0 if y == top + height - 1 => {}
                    _ => panic!("a line touches box {met} at {x}, {y}"),
                }
                continue;
            }
            let cell = self.cells[y][x];
            let is_across = way >= 2;
            // A vertical line is on top of a horizontal one.
            let crossed = cell == '│' && is_across;
            assert!(crossed || ways(cell)[way ^ 1], "a line breaks off at {x}, {y}");
            if !self.seen.insert((x, y, is_across && crossed)) {
                continue;
            }
            for on in 0..4 {
                if if crossed { on == way } else { ways(cell)[on] } {
                    let (dx, dy) = [(0, -1), (0, 1), (-1, 0), (1, 0)][on];
                    queue.push((x.strict_add_signed(dx), y.strict_add_signed(dy), on));
                }
            }
        }
        reached
    }
}

/// Checks all properties of a drawing of boxes.
fn verify(graph: &Graph, drawing: &Drawing) {
    let mut reader = Reader::new(drawing, graph.nodes.len());
    for (number, place) in reader.boxes.iter().enumerate() {
        assert!(place.x + place.width <= drawing.width && place.y + place.height <= drawing.height);
        for other in &reader.boxes[number + 1..] {
            let apart = gap(place.x, place.width, other.x, other.width) >= 1 || gap(place.y, 3, other.y, 3) >= 1;
            assert!(apart, "{place:?} touches {other:?}");
        }
    }
    for (node, place) in reader.boxes.iter().take(graph.nodes.len()).enumerate() {
        for row in window(drawing, (place.x, place.y), (place.width, place.height)) {
            for piece in row {
                let own = [PieceKind::Box(node), PieceKind::Label(node), PieceKind::Mark(node)];
                assert!(own.contains(&piece.kind), "{piece:?} is in the box of {node}");
            }
        }
        assert_eq!(drawing.node_at(place.x + place.width - 1, place.y), Some(node));
    }
    verify_links(graph, &mut reader);
    for (y, row) in reader.cells.iter().enumerate() {
        for (x, &cell) in row.iter().enumerate() {
            if cell != ' ' && reader.box_at(x, y).is_none() {
                assert!(reader.seen.contains(&(x, y, false)), "a line at {x}, {y} belongs to no call");
            }
        }
    }
    for node in graph.waves.iter().flatten().map(|&node| node as usize) {
        for edge in graph.edges_of(node).iter().filter(|edge| edge.to() != node) {
            assert!(reader.boxes[edge.to()].y < reader.boxes[node].y, "{node} runs and is not below {}", edge.to());
        }
    }
}

/// Links to the boxes of unknown ids are compared by the calls that wait for each.
fn verify_links(graph: &Graph, reader: &mut Reader) {
    let calls = graph.nodes.len();
    let mut expected = BTreeSet::new();
    for (from, to) in graph.edges.iter().map(|edge| (edge.from(), edge.to())).filter(|(from, to)| from != to) {
        let is_up = reader.boxes[from].y < reader.boxes[to].y;
        expected.insert(if is_up { (from, to, true) } else { (to, from, false) });
    }
    let mut wanted: BTreeMap<&str, BTreeSet<usize>> = BTreeMap::new();
    for missing in &graph.missing {
        wanted.entry(&missing.id).or_default().insert(missing.from());
    }
    assert_eq!(reader.boxes.len(), calls + wanted.len());
    let mut read = BTreeSet::new();
    let mut found: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
    for (upper, lower, is_up) in reader.links() {
        if upper < calls {
            read.insert((upper, lower, is_up));
        } else {
            found.entry(upper).or_default().insert(lower);
        }
    }
    assert_eq!(read, expected);
    let mut found: Vec<BTreeSet<usize>> = found.into_values().collect();
    let mut wanted: Vec<BTreeSet<usize>> = wanted.into_values().collect();
    found.sort();
    wanted.sort();
    assert_eq!(found, wanted);
}

fn random_graph(calls: std::ops::Range<usize>) -> impl Strategy<Value = Sketch> {
    calls.prop_flat_map(|count| {
        // Most dependencies are on earlier calls, some on later ones, on the call itself, or on an unknown id.
        let dependency = prop_oneof![8 => 1..6_isize, 1 => -3..1_isize, 1 => Just(isize::MAX)];
        prop::collection::vec((prop::collection::vec(dependency, 0..4), any::<bool>()), count).prop_map(|calls| {
            let id = |number: isize| format!("n{number}");
            let calls: Vec<String> = calls
                .into_iter()
                .enumerate()
                .map(|(number, (dependencies, fails))| {
                    let number = number.cast_signed();
                    let mark = if fails && number % 5 == 0 { "!" } else { "" };
                    dependencies.into_iter().fold(id(number) + mark, |call, back| match back {
                        isize::MAX => call + " nobody",
                        back => format!("{call} {}", id(number - back)),
                    })
                })
                .collect();
            graph(&calls.iter().map(String::as_str).collect::<Vec<_>>())
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn every_drawing_says_exactly_what_waits_for_what(mut graph in random_graph(1..40), width in 0..200_usize) {
        for (number, name) in graph.names.iter_mut().enumerate() {
            *name = "N".repeat(number * 7 % 26);
        }
        let drawing = graph.draw(width);
        prop_assume!(!drawing.is_list());
        verify(&graph.graph, &drawing);
    }
}

#[test]
fn the_samples_can_be_read_back() {
    for directory in ["../../samples", "../../samples/gadget"] {
        for entry in std::fs::read_dir(directory).expect("a directory") {
            let path = entry.expect("an entry").path();
            if path.is_file() {
                let graph = Sketch::of(&Session::from_bytes(&std::fs::read(&path).expect("read")));
                verify(&graph.graph, &graph.draw(120));
            }
        }
    }
}

#[test]
fn a_graph_of_the_greatest_size_can_be_read_back() {
    let calls: Vec<String> = (0..MAX_CALLS)
        .map(|number| match number {
            0 => "n0".into(),
            number => format!("n{number} n{} n{}", number - 1 - number * 7 % number.min(9), number / 2),
        })
        .collect();
    let graph = graph(&calls.iter().map(String::as_str).collect::<Vec<_>>());
    let drawing = graph.draw(120);
    assert!(!drawing.is_list());
    verify(&graph.graph, &drawing);
}
