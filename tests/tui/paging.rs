//! Scrolling through panes by pages, half pages, the wheel and rows: every row is shown, in both directions.
//!
//! The rows of a pane are compared with the rows of the whole list, so that the position of its first row identifies a
//! page. Independent of the layout of a pane.

use transcope::source::SourceEvent;
use transcope::tui::action::{Action, Motion, PaneId};
use transcope::tui::message::Msg;
use transcope::tui::row::Row;
use transcope::tui::screen::Screen as _;
use transcope::tui::screen::transcript::prepare;

use super::player::Player;
use super::{SMALL, sample};

/// The panes that are lists of rows.
const LISTS: [PaneId; 8] = [
    PaneId::Outline,
    PaneId::Reading,
    PaneId::Raw,
    PaneId::Problems,
    PaneId::Details,
    PaneId::Events,
    PaneId::Statistics,
    PaneId::Notes,
];

/// Sizes of the screen, and whether the pane is maximised.
const SIZES: [(u16, u16, bool); 7] = [
    (120, 40, true),
    (120, 40, false),
    (80, 24, false),
    (200, 60, true),
    (50, 20, true),
    (72, 14, false),
    (31, 7, true),
];

/// Most rows of one list that are compared.
const MOST: usize = 5_000;

/// Texts with all kinds of rows: short and long lines, joined prose, calls, results, problems.
fn texts() -> Vec<(&'static str, Vec<u8>)> {
    let lines = |from: usize, to: usize| (from..=to).map(|n| format!("line {n}\n")).collect::<Vec<_>>().concat();
    let long =
        format!("{}\n\n{}\n{}", "one word after another ".repeat(900), "日本語の長い行".repeat(800), lines(1, 40));
    let value = format!(
        "Look.\n!!!GADGET_START:Write:w\n!!!ARG:path\na.txt\n!!!ARG:text\n{}!!!ARG:n/x\n1\n!!!ARG:n\n2\n!!!GADGET_END\nDone.\n{}",
        lines(1, 120),
        lines(121, 150)
    );
    vec![
        ("lines", lines(1, 300).into_bytes()),
        ("long lines", long.into_bytes()),
        ("value", value.into_bytes()),
        ("demo", sample("demo.txt")),
        ("session", sample("containers/claude-code/late-ferry.jsonl")),
        ("errors", sample("containers/claude-code/what-goes-wrong.jsonl")),
    ]
}

/// A player whose keys go to one pane.
struct Reader {
    player: Player,
    pane: PaneId,
}

impl Reader {
    fn new(text: &[u8], pane: PaneId, (width, height, zoomed): (u16, u16, bool), keys: &str) -> Self {
        let mut player = Player::with_text("text", text, usize::MAX, (width, height));
        for number in 1..30 {
            let words: Vec<_> = (0..number % 12).map(|word| format!(" of-{number}-words-{word}")).collect();
            let words = words.concat();
            player.source(SourceEvent::Notice(format!("notice {number}{words}")));
        }
        player.press(keys);
        player.state.update(Msg::Action(Action::Focus(pane)));
        player.state.view.layout.zoomed = zoomed;
        player.resize(width, height);
        player.press("g");
        player.frame();
        Self { player, pane }
    }

    /// Height of the pane on the screen, in rows.
    fn height(&self) -> usize {
        self.player.state.view.height(self.pane)
    }

    /// The visible rows for a pane of this height.
    fn rows(&self, height: usize) -> Vec<Row> {
        let pane = self.player.state.panes.get(self.pane);
        pane.rows(&self.player.state.view, height).iter().map(|line| line.rows[line.at].clone()).collect()
    }

    /// Index of the row at the top, searched for near `from`.
    fn top(&self, all: &[Row], from: usize, what: &str) -> usize {
        let shown = self.rows(self.height());
        let is_here = |&top: &usize| all[top..].starts_with(&shown);
        let near = (0..all.len()).map(|by| from + by).chain((0..from).rev()).filter(|top| *top < all.len());
        near.clone().find(is_here).unwrap_or_else(|| panic!("{what}: {shown:?} is no part of the list"))
    }

    fn go(&mut self, motion: Motion) {
        self.player.state.update(Msg::Action(Action::Move(motion)));
        while self.player.state.work() {}
        prepare(&mut self.player.state);
    }

    /// The top rows of the pages that a motion visits, until the end is shown or nothing moves.
    fn tops(&mut self, all: &[Row], motion: Motion, what: &str) -> Vec<usize> {
        let mut tops =
            vec![self.top(all, if is_down(motion) { 0 } else { all.len().saturating_sub(self.height()) }, what)];
        loop {
            let before = tops[tops.len() - 1];
            self.go(motion);
            let expected = motion.pages(self.height()).map_or(1, |(_, rows)| rows);
            let from = if is_down(motion) { before + expected } else { before.saturating_sub(expected) };
            let last = all.len().saturating_sub(self.height());
            let top = self.top(all, from.min(last), what);
            if top == before {
                return tops;
            }
            tops.push(top);
        }
    }
}

fn is_down(motion: Motion) -> bool {
    matches!(motion, Motion::Line(1) | Motion::Half(1) | Motion::Page(1) | Motion::Bottom)
}

/// Runs a check for every combination of text, pane and size, with the rows of the list.
fn each(mut check: impl FnMut(&mut Reader, &[Row], &str)) {
    let keys = ["", "w", "+", "-"];
    for (name, text) in texts() {
        for pane in LISTS {
            for (index, size) in SIZES.into_iter().enumerate() {
                // Each pane is tested with each way of folding and wrapping, at some size.
                let keys = keys[index % keys.len()];
                let mut reader = Reader::new(&text, pane, size, keys);
                let all = reader.rows(MOST);
                let height = reader.height();
                if height == 0 || all.is_empty() || all.len() == MOST {
                    continue;
                }
                let what = format!("{pane:?} of {name} at {size:?} after {keys:?}");
                check(&mut reader, &all, &what);
            }
        }
    }
}

#[test]
fn pages_and_half_pages_show_every_row_and_lead_back_to_the_same_places() {
    each(|reader, all, what| {
        for (down, up) in [(Motion::Page(1), Motion::Page(-1)), (Motion::Half(1), Motion::Half(-1))] {
            reader.go(Motion::Top);
            let height = reader.height();
            let rows = down.pages(height).expect("a step by pages").1;
            let last = all.len().saturating_sub(height);
            let mut tops = reader.tops(all, down, what);
            let expected: Vec<usize> = (0..last).step_by(rows).chain([last]).collect();
            assert_eq!(tops, expected, "{what}: {height} of {} rows, {down:?}", all.len());
            let back = reader.tops(all, up, what);
            tops.reverse();
            assert_eq!(back, tops, "{what}: the way back by {up:?}");
        }
    });
}

#[test]
fn rows_and_the_wheel_show_every_row_in_both_directions() {
    each(|reader, all, what| {
        reader.go(Motion::Top);
        let (height, last) = (reader.height(), all.len().saturating_sub(reader.height()));
        if all.len() > 700 {
            return;
        }
        for (motion, edge) in [(Motion::Line(1), last), (Motion::Line(-1), 0)] {
            let mut before = reader.top(all, if edge == 0 { last } else { 0 }, what);
            for _ in 0..2 * all.len() {
                reader.go(motion);
                let top = reader.top(all, before, what);
                assert!(top.abs_diff(before) <= height, "{what}: {top} follows {before}, {height} rows, {motion:?}");
                before = top;
                if before == edge {
                    break;
                }
            }
            assert_eq!(before, edge, "{what}: {motion:?} does not reach the end");
        }
        for (direction, edge) in [(1, last), (-1, 0)] {
            let mut before = reader.top(all, if edge == 0 { last } else { 0 }, what);
            for _ in 0..all.len() {
                let area = reader.player.state.view.layout.area(reader.pane.slot()).expect("it is shown");
                reader.player.wheel(area.x + 1, area.y + 1, direction);
                let top = reader.top(all, before, what);
                assert!(top.abs_diff(before) <= height, "{what}: {top} follows {before} by the wheel");
                before = top;
                if before == edge {
                    break;
                }
            }
            assert_eq!(before, edge, "{what}: the wheel does not reach the end");
        }
    });
}

#[test]
fn a_pane_that_is_no_list_shows_its_rows_by_pages_as_well() {
    for pane in [PaneId::Settings, PaneId::Costs, PaneId::Graph] {
        for (width, height, zoomed) in SIZES {
            let mut seen = Vec::new();
            let mut reader = Reader::new(&sample("demo.txt"), pane, (width, height, zoomed), "c");
            for _ in 0..60 {
                seen.push(reader.player.screen());
                reader.go(Motion::Page(1));
            }
            let text = seen.concat();
            let mut tall = Reader::new(&sample("demo.txt"), pane, (width, 400, true), "c");
            let area = tall.player.state.view.layout.inner(pane.slot());
            let all = tall.player.screen();
            let rows = all.lines().skip(usize::from(area.y)).take(usize::from(area.height));
            let inner = |line: &str| -> String { line.chars().skip(1).take(usize::from(area.width)).collect() };
            let known: Vec<String> = text.lines().map(inner).collect();
            if pane == PaneId::Costs || (pane == PaneId::Graph && width < 120) {
                // The table of dialects has a separate selection, and a wide graph also moves sideways.
                continue;
            }
            for row in rows.map(inner).filter(|row| !row.trim().is_empty()) {
                assert!(known.contains(&row), "{pane:?} at {width}x{height}: {row:?} is never shown");
            }
        }
    }
}

#[test]
fn every_page_of_the_help_continues_the_one_before() {
    for size in [(80, 24), (120, 40), (160, 20), (60, 9)] {
        let mut player = Player::with_text("text", b"word\n", usize::MAX, size);
        player.press("?");
        let rows = |player: &mut Player| -> Vec<String> {
            let screen = player.screen();
            // The help is wider than the visible part of the pane under it.
            let inner = |line: &str| Some(line.split('┃').max_by_key(|part| part.len())?.to_owned());
            screen.lines().filter(|line| line.contains('┃')).filter_map(inner).collect()
        };
        let mut pages = vec![rows(&mut player)];
        loop {
            player.press("PageDown");
            let next = rows(&mut player);
            if pages.last() == Some(&next) {
                break;
            }
            pages.push(next);
        }
        for pair in pages.windows(2) {
            // Of several columns, the last one is kept.
            let column = if size.0 < 120 { 0 } else { 60 };
            let words = |row: &String| row.chars().skip(column).collect::<String>().trim().to_owned();
            let last = pair[0].iter().map(words).rfind(|words| !words.is_empty()).expect("a page has rows");
            assert!(pair[1].iter().any(|row| row.contains(&last)), "{size:?}: {last:?} is not kept");
        }
        for page in pages.iter().rev().skip(1) {
            player.press("PageUp");
            assert_eq!(rows(&mut player), *page, "{size:?}");
        }
    }
}

#[test]
fn a_line_that_is_cut_has_a_sign_where_it_is_cut() {
    let text = format!("{}\nshort\n{}\n", "0123456789".repeat(20), "日本語".repeat(60));
    let mut player = Player::with_text("wide.txt", text.as_bytes(), usize::MAX, SMALL);
    player.press("alt-3 w Z");
    let line = |screen: &str, number: usize| screen.lines().nth(1 + number).unwrap_or_default().to_owned();
    let screen = player.screen();
    assert!(line(&screen, 1).ends_with("…┃") && line(&screen, 3).ends_with("…┃"), "{screen}");
    assert!(!line(&screen, 2).contains('…'), "{screen}");
    player.press("l");
    let screen = player.screen();
    assert!(line(&screen, 1).contains("…89012") && line(&screen, 1).ends_with("…┃"), "{screen}");
    player.press("w");
    assert!(!player.screen().contains('…'), "nothing is cut where lines are wrapped");
}
