//! Counts, key sequences, and commands chosen by name.

use super::shown::shows;
use super::{LARGE, demonstration, says};

#[test]
fn keys_pressed_one_after_another_are_one_command() {
    let rows = [
        // Keys, and the line at the bottom.
        ("12", " 12   j/k N rows"),
        ("12 Esc", "? help"),
        ("12 G", "12:1"),
        ("3 c", "40:1"),
        ("3 E 2 e", "9/9 warning"),
        ("z", " z  Esc cancel"),
        ("z Esc", "? help"),
        ("z x", "? help"),
        ("99 Tab", "there are "),
        ("y p", "no argument is selected"),
        ("? 5 Esc j", "2:1"),
        ("? y␣j", " search the help: y j"),
    ];
    for (keys, expected) in rows {
        says(keys, expected);
    }
    let mut player = demonstration(LARGE);
    player.press("y");
    shows("what_may_follow_a_key", &player.frame());
}

#[test]
fn the_selection_is_put_where_it_is_wanted() {
    let row_of = |keys: &str| {
        let mut player = demonstration(LARGE);
        player.press(keys);
        let screen = player.screen();
        screen.lines().position(|line| line.contains("▾ MergeData")).unwrap_or_else(|| panic!("{keys}:\n{screen}"))
    };
    let found = ["6 c z t", "6 c z z", "6 c z b"].map(row_of);
    assert_eq!(found, [2, 15, 28]);
}

#[test]
fn commands_are_chosen_from_a_list() {
    let mut player = demonstration(LARGE);
    player.press("ctrl-p cop Down");
    shows("commands", &player.frame());
    player.press("Esc :fold");
    shows("commands_that_fit", &player.frame());
}
