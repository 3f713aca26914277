//! Files opened at a place, and places that other commands print.

use transcope::location::Location;
use transcope::source::SourceEvent;
use transcope::tui::screen::Screen as _;

use super::player::Player;
use super::walk::panes_agree;
use super::{LARGE, demonstration, sample};

/// Opens a text at a place; it arrives in chunks, with a frame drawn after each.
fn open_at(bytes: &[u8], place: &str, piece: usize, filter: Option<&str>) -> Player {
    let mut player = Player::new("text", LARGE);
    if let Some(filter) = filter {
        player.state.filter_by(filter);
    }
    player.state.opened_at = Some(place.parse().expect("a place"));
    for chunk in bytes.chunks(piece) {
        player.source(SourceEvent::Chunk(chunk.to_vec()));
        player.frame();
        while player.state.work() {}
    }
    player.source(SourceEvent::End);
    player.press("");
    player
}

/// Opens a sample at a place. Returns the line at the bottom.
fn opened_at(path: &str, place: &str, piece: usize) -> String {
    open_at(&sample(path), place, piece, None).status()
}

#[test]
fn every_pane_shows_the_place_that_a_file_is_opened_at_in_its_first_frame() {
    let lines = |count: usize| (1..=count).map(|n| format!("line {n} of it\n")).collect::<Vec<_>>().concat();
    let call = |n: usize| format!("Before {n}.\n!!!GADGET_START:Do:id_{n}\n!!!ARG:x\nvalue {n}\n!!!GADGET_END\n");
    let calls = (1..=400).map(call).collect::<String>();
    let record = |n: usize| format!("{{\"role\": \"user\", \"content\": \"first {n}\\nsecond {n}\"}}\n");
    let records: String = (1..=300).map(record).collect();
    for (text, place, filter, expected) in [
        (lines(4000), "3000:1", None, "line 3000 of it"),
        (lines(4000), "4000", None, "line 4000 of it"),
        (calls.clone(), "id_390", None, "id_390"),
        (calls.clone(), "1900:1", None, "id_380"),
        (calls.clone(), "id_390", Some("tool:Do"), "id_390"),
        (calls, "1:1", Some("id:id_300"), "id_300"),
        (records.clone(), "200:1", None, "first 200"),
        (records, "200", Some("role:user"), "first 200"),
    ] {
        for piece in [usize::MAX, 5000, 1024] {
            let mut player = open_at(text.as_bytes(), place, piece, filter);
            let screen = player.screen();
            let shown = |columns: std::ops::Range<usize>| {
                let part = |line: &str| line.chars().skip(columns.start).take(columns.len()).collect::<String>();
                screen.lines().skip(2).take(27).any(|line| part(line).contains(expected))
            };
            let (reading, raw) = (shown(30..75), shown(75..120));
            assert!(reading && raw, "{place} under {filter:?} in pieces of {piece}: {reading} {raw}\n{screen}");
        }
    }
}

#[test]
fn lines_are_counted_as_in_the_file_wherever_they_are_shown_or_typed() {
    let record = |n: usize| format!("{{\"role\": \"user\", \"content\": \"first {n}\\nsecond {n}\"}}\n");
    let records: String = (1..=30).map(record).collect();
    let mut player = Player::with_text("chat.jsonl", records.as_bytes(), usize::MAX, LARGE);
    player.press(":20⏎");
    let screen = player.screen();
    assert!(screen.contains("20   first 20") && screen.contains("     second 20"), "{screen}");
    assert!(screen.contains("Raw  20/30") && player.status().contains("  20:"), "{screen}");
    player.press("R :21⏎");
    let screen = player.screen();
    assert!(screen.contains("Raw: file  21/30") && player.status().contains("  21:"), "{screen}");
    player.press("alt-3 R 2 2 G");
    assert!(player.status().contains("  22:"), "{}", player.status());
}

#[test]
fn a_file_is_opened_at_a_match_and_n_goes_to_the_next_one() {
    let record = |n: usize| format!("{{\"role\": \"user\", \"content\": \"first {n}\\nebb and flood {n}, flood\"}}\n");
    let records: String = (1..=300).map(record).collect();
    let byte = records.find("flood 200").expect("it is there");
    for piece in [usize::MAX, 5000, 777] {
        let mut player = Player::new("chat.jsonl", LARGE);
        player.state.opened_at = Some(Location::Match("flood".into(), byte));
        for chunk in records.as_bytes().chunks(piece) {
            player.source(SourceEvent::Chunk(chunk.to_vec()));
            player.frame();
            while player.state.work() {}
        }
        player.source(SourceEvent::End);
        player.press("");
        while player.state.work() {}
        for (keys, expected) in [("", "match 399 of 600"), ("n", "match 400 of 600"), ("N N", "match 398 of 600")] {
            player.press(keys);
            let screen = player.screen();
            assert!(screen.contains(expected), "{keys} in pieces of {piece}: {expected}\n{screen}");
        }
    }
}

#[test]
fn a_file_is_opened_at_a_place_however_it_arrives() {
    let claude = "containers/claude-code/late-ferry.jsonl";
    for (path, place, expected) in [
        ("demo.txt", "30:8", "30:8"),
        ("demo.txt", "merge", "59:1"),
        ("demo.txt", "array-gap", "error: Array index gap: expected 1, got 2"),
        ("demo.txt", "+1024", "46:18"),
        ("demo.txt", "/invoices", "match 1 of"),
        ("demo.txt", "100000", "no line 100,000: the file has 247 lines"),
        ("demo.txt", "3:9999", "no column 9999: line 3 has 83 columns"),
        ("demo.txt", "+100000", "no byte 100,000: the file has 5739 bytes"),
        ("demo.txt", "nobody", "\"nobody\" is not a place, turn, id, problem or command"),
        (claude, "tool-failed", "✗ Bash failed: "),
    ] {
        for piece in [usize::MAX, 100] {
            let status = opened_at(path, place, piece);
            assert!(status.contains(expected), "{path} at {place} in pieces of {piece} says {status:?}");
        }
    }
}

#[test]
fn the_place_that_check_prints_is_the_one_that_is_opened() {
    for path in
        ["containers/claude-code/late-ferry.jsonl", "containers/openai-chat-stream/side-by-side.sse", "demo.txt"]
    {
        let mut player = Player::with_text(path, &sample(path), usize::MAX, LARGE);
        for _ in 0..6 {
            player.press("c");
            let selection = player.state.view.selection;
            let position = player.state.view.session.position(selection.offset);
            let mut other = Player::new(path, LARGE);
            other.state.opened_at = Some(format!("{}:{}", position.line, position.column).parse().expect("a place"));
            other.source(SourceEvent::Chunk(sample(path)));
            other.source(SourceEvent::End);
            other.frame();
            assert_eq!(other.state.view.selection.item, selection.item, "{path} at {position:?}");
        }
    }
}

#[test]
fn ticks_are_in_a_column_of_their_own_and_a_click_leads_to_what_they_are_about() {
    let mut player = demonstration(LARGE);
    let column = |screen: &str| -> Vec<Option<char>> { screen.lines().map(|line| line.chars().nth(119)).collect() };
    let ticks = column(&player.screen());
    let rows: Vec<u16> = (0..40).filter(|row| ticks[usize::from(*row)] == Some('━')).collect();
    assert!(rows.len() > 3 && rows.iter().all(|row| (2..29).contains(row)), "{rows:?}");
    let mut seen = Vec::new();
    for &row in &rows {
        player.click(119, row);
        let problem = player.state.view.selection.problem.expect("a tick is about a problem");
        panes_agree(&player.state, "a click on a tick");
        seen.push(problem);
    }
    let all = seen.clone();
    seen.dedup();
    assert_eq!(seen, all, "each tick is about another problem");
    player.press("/lamp⏎");
    assert!(column(&player.screen()).contains(&Some('─')), "matches have ticks as well");
    player.click(119, 28);
    let status = player.status();
    assert!(!status.contains(" 1:1 "), "a row without a tick is its share of the text: {status}");
    player.press("Esc alt-1 Z");
    assert!(column(&player.screen())[5] != Some('━'), "the outline alone has no such column");
}
