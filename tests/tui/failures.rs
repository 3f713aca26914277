//! Calls that failed, on the screen: one mark, the line that says why, and the ways to them.

use ratatui::buffer::Buffer;
use ratatui::style::{Color, Modifier};
use transcope::source::SourceEvent;
use transcope::source::command::Exit;
use transcope::tui::style::Role;
use transcope::tui::view::origin::SourceState;

use super::player::Player;
use super::shown::text_of;
use super::{LARGE, sample};

fn tools(keys: &str) -> Player {
    let text = sample("containers/claude-code/what-tools-say.jsonl");
    let mut player = Player::with_text("what-tools-say.jsonl", &text, usize::MAX, LARGE);
    player.press(keys);
    player
}

/// The colours and modifiers of the cells of the first place where `words` are, right of `column`.
fn look(buffer: &Buffer, words: &str, column: u16) -> (Color, Modifier, Color) {
    let area = buffer.area;
    for y in 0..area.height {
        let line: Vec<&str> = (column..area.width).map(|x| buffer[(x, y)].symbol()).collect();
        if let Some(byte) = line.concat().find(words) {
            let x = column + line.concat()[..byte].chars().count() as u16;
            let cell = &buffer[(x, y)];
            return (cell.fg, cell.modifier, cell.underline_color);
        }
    }
    panic!("{words:?} is not on\n{}", text_of(buffer));
}

#[test]
fn a_failed_call_has_one_mark_wherever_it_is_shown() {
    let mut player = tools("e");
    let screen = player.screen();
    assert!(!screen.contains('▪'), "{screen}");
    for words in ["✗ 1 failed", "✗ failed", "✗     ", " ✗ turn 1 · Bash failed: AssertionError: expected 6"] {
        assert!(screen.contains(words), "{words:?} is not on\n{screen}");
    }
    player.press("a");
    assert!(player.screen().contains("failed      ✗ Bash failed"), "{}", player.screen());
}

#[test]
fn j_goes_to_failed_calls_as_to_errors() {
    let mut player = tools("J");
    assert!(player.status().contains("1/1 ✗ turn 1 · Bash failed: AssertionError: expected 6"), "{}", player.status());
    assert!(player.state.view.selection.problem.is_some());
}

#[test]
fn the_line_that_says_why_a_call_failed_is_neither_dim_nor_underlined() {
    for (keys, words) in
        [("e alt-3 Z", "AssertionError"), ("e R alt-3 Z", "AssertionError"), ("e alt-2 Z", "AssertionError: exp")]
    {
        let frame = tools(keys).frame();
        let (colour, modifier, underline) = look(&frame, words, 0);
        assert_eq!(colour, Color::Indexed(Role::Error as u8), "{keys}\n{}", text_of(&frame));
        assert!(!modifier.intersects(Modifier::DIM | Modifier::UNDERLINED), "{keys}: {modifier:?}");
        assert_eq!(underline, Color::Reset, "{keys}");
    }
}

#[test]
fn a_filter_for_the_selection_names_others_that_fit() {
    for (keys, expected) in [
        ("e \\", " filter: failed  ↓ tool:Bash  arg:command=\"npm test -- timetable\""),
        ("e \\ Down", " filter: tool:Bash  ↓ arg:command=\"npm test -- timetable\"  failed"),
        ("e \\ Up", " filter: arg:command=\"npm test -- timetable\"  ↓ failed  tool:Bash"),
        ("e \\ Down Enter", "filter: tool:Bash  "),
    ] {
        let mut player = tools(keys);
        assert!(player.status().contains(expected), "{keys}: {}", player.status());
    }
    let text = sample("containers/claude-code/late-ferry.jsonl");
    let mut player = Player::with_text("late-ferry.jsonl", &text, usize::MAX, LARGE);
    player.press("c \\");
    let status = player.status();
    assert!(status.contains("filter: tool:Read  ↓ arg:file_path=/home/ana/ferry/src/clock.py"), "{status}");
}

#[test]
fn a_command_that_failed_is_red_in_the_title_for_good() {
    for (exit, words) in [(Exit::Status(3), "exited with status 3"), (Exit::Signal(9), "was killed by signal 9 (kill)")]
    {
        let mut player = Player::new("make test", LARGE);
        player.state.view.origin.command = Some(SourceState::Running);
        player.arrives("all is well\n");
        player.source(SourceEvent::Exited(exit));
        player.source(SourceEvent::End);
        player.press("j c j");
        let frame = player.frame();
        let screen = text_of(&frame);
        let title = screen.lines().next().expect("a title");
        assert!(title.contains(words) && !title.contains("no problems"), "{title}");
        assert_eq!(look(&frame, words, 0).0, Color::Indexed(Role::Error as u8));
    }
    let mut player = Player::new("make test", LARGE);
    player.state.view.origin.command = Some(SourceState::Running);
    player.arrives("all is well\n");
    player.source(SourceEvent::Exited(Exit::Status(0)));
    player.source(SourceEvent::End);
    assert!(player.screen().lines().next().is_some_and(|title| title.contains("no problems")));
}

#[test]
fn the_counts_of_the_title_take_clicks() {
    for (words, expected) in [("failed", "1/1 ✗ turn 1 · Bash failed"), ("hint", "1/"), ("calls", "its result")] {
        let mut player = tools("");
        let title = player.screen().lines().next().expect("a title").to_owned();
        let Some(byte) = title.rfind(words) else { continue };
        player.click(title[..byte].chars().count() as u16, 0);
        assert!(player.status().contains(expected), "{words}: {}\n{title}", player.status());
    }
    let text = sample("demo.txt");
    let mut player = Player::with_text("demo.txt", &text, usize::MAX, LARGE);
    for (words, expected) in
        [("errors", "/3 error:"), ("warnings", "/6 warning:"), ("skipped", "skipped by the runtime")]
    {
        player.click_on(words, 40..120);
        assert!(player.screen().contains(expected), "{words}\n{}", player.screen());
    }
}
