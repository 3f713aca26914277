//! The pictures of the documents: an SVG has the text and colours of the screen, and is inert.

#[path = "../../examples/picture/svg.rs"]
mod svg;

use std::path::Path;

use ratatui::style::Color;
use svg::{Frame, Ground, Still, moving, still};
use transcope::tui::style::Role;
use transcope::tui::theme::Theme;

use super::player::Player;
use super::shown::text_of;
use super::{LARGE, demonstration};

fn frame(player: &mut Player, theme: &str) -> Frame {
    player.look(theme);
    Frame { cells: player.frame(), cursor: None }
}

/// The text between the tags of each text element, without spaces.
fn words_of(picture: &str) -> Vec<String> {
    let tags = regex::Regex::new("<[^>]*>").expect("a pattern");
    let texts = picture.lines().filter(|line| line.starts_with("<text"));
    let words = texts.map(|line| tags.replace_all(line, "").replace("&lt;", "<").replace("&gt;", ">"));
    words.map(|words| words.replace("&amp;", "&").replace(' ', "")).collect()
}

#[test]
fn a_picture_has_every_row_of_the_screen_and_the_colours_of_the_theme() {
    for (theme, ground) in [("dark", Ground::Dark), ("light", Ground::Light)] {
        let mut player = demonstration(LARGE);
        player.press("e");
        let frame = frame(&mut player, theme);
        let picture = still(&frame, ground);
        let expected: Vec<String> = text_of(&frame.cells).lines().map(|line| line.replace(' ', "")).collect();
        assert_eq!(words_of(&picture), expected);
        let Some(Color::Rgb(r, g, b)) = Theme::named(theme).expect(theme).style(Role::Error).fg else {
            panic!("no colour")
        };
        let before = picture
            .split(">not in the tree<")
            .next()
            .and_then(|before| before.rsplit("class=\"").next())
            .expect("it is");
        let class = before.split('"').next().expect("a class");
        assert!(
            picture.contains(&format!(".{class}{{fill:#{r:02x}{g:02x}{b:02x};font-weight:bold;}}")),
            "{theme}: {class}"
        );
    }
}

#[test]
fn frames_share_the_rows_that_stay() {
    let mut player = demonstration(LARGE);
    let before = frame(&mut player, "dark");
    player.press(":12");
    let after = frame(&mut player, "dark");
    player.press("3");
    let last = frame(&mut player, "dark");
    let rows = words_of(&still(&before, Ground::Dark)).len();
    let frames = [before, after, last];
    for (kept, before) in [(Still::Second, 1), (Still::Last, 2)] {
        let picture = moving(&frames, Ground::Dark, kept);
        assert_eq!(picture.matches("<g class=\"f").count(), 3);
        for delay in ["-0s", "-8s", "-4s"] {
            let begins = format!("animation-delay:{delay}");
            assert_eq!(picture.matches(&begins).count(), 1, "a frame begins every four of twelve seconds");
        }
        let (hidden, _) = picture.split_once("<g class=\"f s\" style").expect("a frame is shown where nothing moves");
        assert_eq!(hidden.matches("visibility=\"hidden\"").count(), before);
        assert_eq!(picture.matches("visibility=\"hidden\"").count(), 2);
        assert_eq!(words_of(&picture).len(), rows + 2, "the lowest row alone changes");
    }
}

#[test]
fn the_pictures_of_the_documents_are_small_and_do_nothing() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    for (page, name, most, words) in [
        ("README.md", "docs/dark.svg", 150_000, "oneunreadablecallturnsthewholetextintocontent"),
        ("README.md", "docs/light.svg", 150_000, "oneunreadablecallturnsthewholetextintocontent"),
        ("docs/playground.md", "docs/playground.svg", 200_000, "repaired;ctrl-zundoes"),
    ] {
        let text = std::fs::read_to_string(root.join(page)).expect(page);
        let link = if page.starts_with("docs/") { name.trim_start_matches("docs/") } else { name };
        let picture = std::fs::read_to_string(root.join(name)).expect(name);
        assert!(text.contains(&format!("\"{link}\"")), "{name} is not shown in {page}");
        assert!(picture.len() < most, "{name} has {} bytes", picture.len());
        assert!(words_of(&picture).concat().contains(words), "{name} does not show {words:?}");
        for active in ["<script", "href", "url(", "foreignObject", "onload", "@import"] {
            assert!(!picture.contains(active), "{name} has {active:?}");
        }
        let opened = picture.matches('<').count() - picture.matches("</").count() - picture.matches("/>").count();
        assert_eq!(opened, picture.matches("</").count(), "{name}: every element is closed");
    }
}
