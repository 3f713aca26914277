//! A replay in a terminal: its bar is dragged with the mouse, it is paused, and left.

use std::fs;
use std::time::{Duration, Instant};

use super::{home, shell};

#[test]
fn a_bar_is_dragged_to_the_end() {
    let home = home();
    let text = "Hi.\n!!!GADGET_START:Do:a\n!!!ARG:x\n1\n!!!GADGET_END\n".repeat(9);
    fs::write(home.path().join("a.txt"), text).expect("a file can be written");
    let mut terminal = shell("exec transcope replay --speed 1 --theme dark a.txt", &home);
    terminal.shows("of 450 B · line");
    // A click on the bar, then the button is held and the mouse goes on, off the row.
    terminal.types("\x1b[<0;20;29M");
    terminal.shows(" ‖ ");
    terminal.types("\x1b[<32;30;28M\x1b[<32;99;20M\x1b[<0;99;20m");
    terminal.shows("450 B of 450 B");
    terminal.shows("9 calls");
    terminal.types("q");
    assert_eq!(terminal.ends().exit_code(), 0);
}

#[test]
fn a_replay_plays_at_once_and_its_clock_stands_while_it_is_paused() {
    let home = home();
    let text = "Hi.\n!!!GADGET_START:Do:a\n!!!ARG:x\n1\n!!!GADGET_END\n".repeat(400);
    fs::write(home.path().join("a.txt"), &text).expect("a file can be written");
    let mut terminal = shell("exec transcope --theme dark a.txt", &home);
    terminal.shows("400 calls");
    terminal.types("P");
    terminal.shows(" ▶ ");
    terminal.types("P");
    terminal.shows(" ‖ ");
    let arrived = |terminal: &super::Terminal| {
        let screen = terminal.screen();
        let words = screen.split(" of 20.0 kB").next().and_then(|before| before.rsplit("  ").next()).map(str::trim);
        words.and_then(|words| words.strip_suffix(" B")).and_then(|number| number.parse::<usize>().ok())
    };
    let paused_at = arrived(&terminal).expect("less than a kilobyte has arrived");
    // Two seconds would be 400 bytes. Nothing shows that they have passed, so they are waited for.
    let until = Instant::now() + Duration::from_secs(2);
    while Instant::now() < until {
        terminal.takes_next(until);
    }
    terminal.types("P");
    terminal.shows(" ▶ ");
    let at = arrived(&terminal).expect("less than a kilobyte has arrived");
    assert!(at < paused_at + 200, "{paused_at} B have arrived when it is paused, {at} B when it goes on");
    terminal.types("q");
    assert_eq!(terminal.ends().exit_code(), 0, "q quits the program");
}
