//! A replay in a terminal: its bar is dragged with the mouse, it is paused and left.

use std::fs;

use super::{home, shell};

#[test]
fn a_bar_is_dragged_to_the_end() {
    let home = home();
    let text = "Hi.\n!!!GADGET_START:Do:a\n!!!ARG:x\n1\n!!!GADGET_END\n".repeat(9);
    fs::write(home.path().join("a.txt"), text).expect("a file can be written");
    let mut terminal = shell("exec transcope replay --speed 1 --theme dark a.txt", &home);
    terminal.shows("of 450 B · P pause");
    // A click on the bar, then a drag that leaves the row.
    terminal.types("\x1b[<0;20;29M");
    terminal.shows(" ‖ ");
    terminal.types("\x1b[<32;30;28M\x1b[<32;99;20M\x1b[<0;99;20m");
    terminal.shows("450 B of 450 B");
    terminal.shows("9 calls");
    terminal.types("q");
    assert_eq!(terminal.ends().exit_code(), 0);
}

#[test]
fn a_replay_plays_immediately_and_is_paused() {
    let home = home();
    let text = "Hi.\n!!!GADGET_START:Do:a\n!!!ARG:x\n1\n!!!GADGET_END\n".repeat(400);
    fs::write(home.path().join("a.txt"), &text).expect("a file can be written");
    let mut terminal = shell("exec transcope --theme dark a.txt", &home);
    terminal.shows("400 calls");
    terminal.types("P");
    terminal.shows(" ▶ ");
    terminal.types("P");
    terminal.shows(" ‖ ");
    // That its clock stops in the meantime is tested in `tui::replay`, where time is a number.
    terminal.types("P");
    terminal.shows(" ▶ ");
    terminal.types("q");
    assert_eq!(terminal.ends().exit_code(), 0, "q quits the program");
}
