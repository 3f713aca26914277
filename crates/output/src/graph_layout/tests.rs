//! Small graphs and their exact drawings, windows, neighbours and lists.

mod reading;

use std::fmt::Write;

use super::*;
use crate::session::Session;

/// A graph of calls written as `id dependency dependency`; the parameters of an id that ends in `!` are rejected.
fn graph(calls: &[&str]) -> Sketch {
    let mut text = String::new();
    for call in calls {
        let (id, dependencies) = call.split_once(' ').unwrap_or((call, ""));
        let dependencies = dependencies.replace(' ', ",");
        let separator = if dependencies.is_empty() { "" } else { ":" };
        let arguments = if id.ends_with('!') { "!!!ARG:x\n1\n!!!ARG:x\n2\n" } else { "" };
        let id = id.trim_end_matches('!');
        write!(text, "!!!GADGET_START:Do:{id}{separator}{dependencies}\n{arguments}!!!GADGET_END\n").expect("memory");
    }
    Sketch::of(&Session::from_bytes(text.as_bytes()))
}

/// A graph with its labels, which a test may change.
#[derive(Clone, Debug, Default)]
struct Sketch {
    graph: Graph,
    names: Vec<String>,
    ids: Vec<String>,
}

impl Sketch {
    fn of(session: &Session) -> Self {
        let (graph, labels) = (session.graph(), session.labels());
        let nodes = 0..graph.nodes.len();
        let names = nodes.clone().map(|node| labels.name(node)).collect();
        Self { names, ids: nodes.map(|node| labels.id(node)).collect(), graph }
    }

    fn draw(&self, width: usize) -> Drawing {
        Drawing::new(&self.graph, self, width)
    }
}

impl Labels for Sketch {
    fn id(&self, node: usize) -> String {
        self.ids[node].clone()
    }

    fn name(&self, node: usize) -> String {
        self.names[node].clone()
    }
}

fn text(rows: &[Vec<DrawnPiece>]) -> String {
    rows.iter().flat_map(|row| row.iter().map(|piece| piece.text.as_str()).chain(["\n"])).collect()
}

/// A window of a drawing of boxes, which needs no labels.
fn window(drawing: &Drawing, at: (usize, usize), size: (usize, usize)) -> Vec<Vec<DrawnPiece>> {
    drawing.rows(at, size, (&Graph::default(), &Sketch::default()))
}

fn whole(drawing: &Drawing) -> Vec<Vec<DrawnPiece>> {
    window(drawing, (0, 0), (drawing.width, drawing.height))
}

#[track_caller]
fn check(calls: &[&str], expected: &str) {
    let drawing = graph(calls).draw(60);
    let drawn = text(&whole(&drawing));
    let expected = expected.trim_start_matches('\n');
    assert!(drawn == expected, "{calls:?} is drawn as\n{drawn}");
}

#[test]
fn an_empty_graph_is_an_empty_drawing() {
    let drawing = Sketch::of(&Session::from_bytes(b"")).draw(60);
    assert_eq!((drawing.width, drawing.height), (0, 0));
    assert!(window(&drawing, (0, 0), (80, 24)).is_empty());
    assert_eq!((drawing.node_at(0, 0), drawing.bounds_of(0), drawing.step(0, Direction::Up)), (None, None, None));
}

#[test]
fn small_graphs_look_like_this() {
    check(
        &["first", "second first", "third second"],
        "
╭ Do ───╮
│ first │
╰───┬───╯
    ▼
╭ Do ────╮
│ second │
╰───┬────╯
    ▼
╭ Do ───╮
│ third │
╰───────╯
",
    );
    check(
        &["a", "b a", "c a", "d b c"],
        "
     ╭ Do ─╮
     │ a   │
     ╰──┬──╯
   ╭────┴────╮
   ▼         ▼
╭ Do ─╮   ╭ Do ─╮
│ b   │   │ c   │
╰──┬──╯   ╰──┬──╯
   ╰──╮  ╭───╯
      ▼  ▼
    ╭ Do ───╮
    │ d     │
    ╰───────╯
",
    );
    check(
        &["a", "b a", "c b a"],
        "
     ╭ Do ─╮
     │ a   │
     ╰──┬──╯
   ╭────┴─╮
   ▼      │
╭ Do ─╮   │
│ b   │   │
╰──┬──╯   │
   ╰──╮   │
      ▼   ▼
    ╭ Do ───╮
    │ c     │
    ╰───────╯
",
    );
    check(
        &["a", "b", "c a b", "d a b"],
        "
  ╭ Do ─╮   ╭ Do ─╮
  │ a   │   │ b   │
  ╰──┬──╯   ╰──┬──╯
     ├───────╮ │
     │ ╭─────│─┤
     ▼ ▼     ▼ ▼
╭ Do ───╮   ╭ Do ───╮
│ c     │   │ d     │
╰───────╯   ╰───────╯
",
    );
}

#[test]
fn unconnected_groups_are_side_by_side() {
    check(
        &["one", "alone", "two one", "three", "four three"],
        "
╭ Do ─╮   ╭ Do ───╮   ╭ Do ───╮
│ one │   │ three │   │ alone │
╰──┬──╯   ╰───┬───╯   ╰───────╯
   ▼          ▼
╭ Do ─╮    ╭ Do ──╮
│ two │    │ four │
╰─────╯    ╰──────╯
",
    );
    check(
        &["eleven", "twelve", "thirteen", "fourteen", "fifteen"],
        "
╭ Do ────╮   ╭ Do ────╮   ╭ Do ──────╮   ╭ Do ──────╮
│ eleven │   │ twelve │   │ thirteen │   │ fourteen │
╰────────╯   ╰────────╯   ╰──────────╯   ╰──────────╯

╭ Do ─────╮
│ fifteen │
╰─────────╯
",
    );
}

#[test]
fn circles_point_upwards_where_they_close() {
    check(
        &["a c", "b a", "c b", "d c"],
        "
        ╭ Do ─ ↻ cycle ╮
        │ a            │
        ╰────┬─────────╯
             │     ▲
             ▼     │
╭ Do ─ ↻ cycle ╮   │
│ b            │   │
╰────────┬─────╯   │
         ▼         │
        ╭ Do ─ ↻ cycle ╮
        │ c            │
        ╰──────┬───────╯
               ▼
       ╭ Do ─ ⊘ skipped ╮
       │ d              │
       ╰────────────────╯
",
    );
    check(
        &["a a", "b b a"],
        "
╭ Do ─ ↻ itself ╮
│ a             │
╰───────┬───────╯
        ▼
╭ Do ─ ⊘ skipped ╮
│ b              │
╰────────────────╯
",
    );
}

#[test]
fn what_does_not_run_says_so() {
    check(
        &["reads!", "write reads", "send write nobody", "save nobody"],
        "
╭ Do ─ ✗ rejected ╮               ╭┄┄┄┄┄┄┄┄┄╮
│ reads           │               ┆ nobody? ┆
╰────────┬────────╯               ╰┄┄┄┄┬┄┄┄┄╯
         │                    ╭────────┴───╮
         ▼                    ▼            │
 ╭ Do ─ ⊘ skipped ╮   ╭ Do ─ ⊘ skipped ╮   │
 │ write          │   │ save           │   │
 ╰───────┬────────╯   ╰────────────────╯   │
         ╰────────────────────╮   ╭────────╯
                              ▼   ▼
                        ╭ Do ─ ⊘ skipped ╮
                        │ send           │
                        ╰────────────────╯
",
    );
}

#[test]
fn a_name_is_cut_and_safe_and_a_mark_has_its_place() {
    let mut graph = graph(&["a!"]);
    graph.names[0] = "a name that is much too long for a box".into();
    graph.ids[0] = "日本\u{202e}\x1b[2J".into();
    let drawing = graph.draw(60);
    assert_eq!(
        text(&whole(&drawing)),
        "
╭ a name that is much too… ─ ✗ rejected ╮
│ 日本<U+202E>␛[2J                      │
╰───────────────────────────────────────╯
"
        .trim_start()
    );
    let kinds: Vec<PieceKind> = window(&drawing, (0, 0), (80, 1))[0].iter().map(|piece| piece.kind).collect();
    let frame = PieceKind::Box(0);
    assert_eq!(kinds, [frame, PieceKind::Label(0), frame, PieceKind::Mark(0), frame]);
}

#[test]
fn a_window_shows_its_part_of_the_drawing() {
    let mut graph = graph(&["a", "b a", "c a", "d b c", "e nobody"]);
    graph.ids[1] = "日本語".into();
    let drawing = graph.draw(60);
    let all: Vec<Vec<char>> = cells(&drawing);
    for (width, height) in [(0, 3), (1, 1), (7, 4), (200, 200)] {
        for x in 0..drawing.width + 2 {
            for y in 0..drawing.height + 2 {
                let rows = window(&drawing, (x, y), (width, height));
                assert_eq!(rows.len(), height.min(drawing.height.saturating_sub(y)));
                for (row, pieces) in rows.iter().enumerate() {
                    let drawn: String = pieces.iter().map(|piece| piece.text.as_str()).collect();
                    let part = all[y + row].iter().skip(x).take(width).collect::<String>();
                    // Half of a wide character is a space in a window, and its second cell is a dot in `all`.
                    let (drawn, part) = (halves_as_spaces(&drawn), halves_as_spaces(&part));
                    assert_eq!(drawn.trim_end(), part.trim_end(), "{width}x{height} at {x}, {y}");
                }
            }
        }
    }
}

fn halves_as_spaces(text: &str) -> String {
    text.replace(['日', '本', '語', '·'], " ").split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn arrow_keys_lead_to_what_is_nearest() {
    let drawing = graph(&["a", "b a", "c a", "d b c", "alone"]).draw(60);
    let (a, b, c, d, alone) = (0, 1, 2, 3, 4);
    for (from, direction, to) in [
        (a, Direction::Down, Some(b)),
        (a, Direction::Right, Some(alone)),
        (a, Direction::Up, None),
        (b, Direction::Right, Some(c)),
        (c, Direction::Left, Some(b)),
        (c, Direction::Down, Some(d)),
        (c, Direction::Up, Some(a)),
        (d, Direction::Up, Some(b)),
        (d, Direction::Down, None),
        (alone, Direction::Left, Some(a)),
        (alone, Direction::Down, Some(c)),
        (99, Direction::Down, None),
    ] {
        assert_eq!(drawing.step(from, direction), to, "{from} {direction:?}");
    }
}

#[test]
fn a_large_graph_is_a_list_of_waves() {
    let mut calls: Vec<String> = (0..MAX_CALLS).map(|number| format!("n{number}")).collect();
    calls.push("later n3 n5".into());
    calls.push("broken!".into());
    calls.push("never broken".into());
    let calls: Vec<&str> = calls.iter().map(String::as_str).collect();
    let graph = graph(&calls);
    let drawing = graph.draw(60);
    assert!(drawing.is_list());
    let of: (&Graph, &dyn Labels) = (&graph.graph, &graph);
    let rows = drawing.rows((0, 0), (drawing.width, drawing.height), of);
    assert_eq!(text(&rows[..3]), "wave 1: 200 in parallel\n             Do  n0\n             Do  n1\n");
    assert_eq!(
        text(&rows[MAX_CALLS..]),
        "
             Do  n199
wave 2: 1 call
             Do  later   ← n3, n5
2 calls do not run
  ✗ rejected Do  broken
  ⊘ skipped  Do  never   its dependency broken is rejected
"
        .trim_start_matches('\n')
    );
    assert_eq!(drawing.height, rows.len());
    assert_eq!(drawing.node_at(5, 0), None);
    assert_eq!(drawing.node_at(5, 1), Some(0));
    assert_eq!(drawing.bounds_of(200), Some((0, 202, drawing.width, 1)));
    assert_eq!(drawing.step(199, Direction::Down), Some(200));
    assert_eq!(drawing.step(200, Direction::Up), Some(199));
    assert_eq!(drawing.step(202, Direction::Down), None);
    assert_eq!(text(&drawing.rows((13, 202), (9, 1), of)), "Do  later\n");
}

#[test]
fn few_calls_with_too_many_lines_are_a_list_as_well() {
    let calls: Vec<String> = (0..60)
        .map(|number| (0..number).fold(format!("n{number}"), |call, dependency| format!("{call} n{dependency}")))
        .collect();
    let calls: Vec<&str> = calls.iter().map(String::as_str).collect();
    assert!(!graph(&calls[..20]).draw(60).is_list());
    assert!(graph(&calls).draw(60).is_list());
}

/// The drawing cell by cell; the second cell of a wide character is a dot.
fn cells(drawing: &Drawing) -> Vec<Vec<char>> {
    let rows = whole(drawing);
    rows.iter()
        .map(|row| {
            let mut cells: Vec<char> = Vec::new();
            for piece in row {
                for glyph in crate::text::wrap::cells(piece.text.as_bytes(), 0) {
                    cells.push(glyph.text.chars().next().expect("a glyph has a character"));
                    cells.extend(std::iter::repeat_n('·', glyph.width - 1));
                }
            }
            cells.resize(drawing.width, ' ');
            cells
        })
        .collect()
}
