//! Files opened at a place, and the places that other commands print.

use transcope::source::SourceEvent;

use super::player::Player;
use super::{LARGE, sample};

/// Opens a sample at a place and gives the line at the bottom.
fn opened_at(path: &str, place: &str, piece: usize) -> String {
    let bytes = sample(path);
    let mut player = Player::new(path, LARGE);
    player.state.opened_at = Some(place.parse().expect("a place"));
    for chunk in bytes.chunks(piece) {
        player.source(SourceEvent::Chunk(chunk.to_vec()));
        player.frame();
    }
    player.source(SourceEvent::End);
    player.press("");
    player.status()
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
        ("demo.txt", "100000", "247:"),
        ("demo.txt", "nobody", "\"nobody\" is no place, id, problem or command"),
        (claude, "tool-failed", "note: "),
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
