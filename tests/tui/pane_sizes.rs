//! Moving the borders between panes with keys and with the mouse.

use super::player::Player;
use super::{LARGE, SMALL, demonstration};

/// The columns where the panes at the top begin.
fn pane_starts(player: &mut Player) -> Vec<usize> {
    let screen = player.screen();
    let titles = screen.lines().nth(1).expect("there are panes").chars().enumerate();
    titles.filter(|(_, corner)| "╭┏".contains(*corner)).map(|(column, _)| column).collect()
}

#[test]
fn borders_are_moved_by_keys() {
    for (size, keys, expected) in [
        (LARGE, "", &[0, 30, 75][..]),
        (LARGE, "z > z >", &[0, 30, 83]),
        (LARGE, "alt-3 alt-. alt-.", &[0, 30, 67]),
        (LARGE, "alt-1 alt-, alt-,", &[0, 22, 71]),
        (LARGE, "alt-1 alt-, alt-, alt-, alt-, alt-, alt-.", &[0, 24, 72]),
        (LARGE, "alt-1 alt-, z =", &[0, 30, 75]),
        (SMALL, "alt-. alt-. alt-. alt-. alt-. alt-. alt-. alt-.", &[0, 59]),
        // Only one pane is shown.
        ((60, 24), "alt-.", &[0]),
        (LARGE, "Z alt-.", &[0]),
    ] {
        let mut player = demonstration(size);
        player.press(keys);
        assert_eq!(pane_starts(&mut player), expected, "{keys}\n{}", player.screen());
    }
    let mut player = demonstration(LARGE);
    player.press("Z alt-.");
    assert!(player.status().contains("no other pane is next to this one"), "{}", player.status());
}

#[test]
fn borders_are_dragged() {
    let mut player = demonstration(LARGE);
    player.click(30, 10);
    player.drag(50, 12);
    assert_eq!(pane_starts(&mut player), [0, 51, 85]);
    player.drag(1, 12);
    assert_eq!(pane_starts(&mut player), [0, 20, 70]);
    player.click(70, 10);
    player.drag(119, 10);
    assert_eq!(pane_starts(&mut player), [0, 20, 99]);
    let top = |player: &mut Player| player.screen().lines().position(|line| line.contains("Problems 9"));
    let row = top(&mut player).expect("there are problems");
    player.click(100, row as u16);
    player.drag(100, 20);
    assert_eq!(top(&mut player), Some(20), "{}", player.screen());
    player.drag(100, 0);
    assert_eq!(top(&mut player), Some(5), "{}", player.screen());
    // A click elsewhere releases it.
    player.click(40, 3);
    player.drag(40, 20);
    assert_eq!(top(&mut player), Some(5), "{}", player.screen());
}
