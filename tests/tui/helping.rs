//! The help: what it shows first, what typing finds, what Enter does, the symbols, and the pages of the guide.

use std::collections::BTreeSet;

use transcope::guide::PAGES;
use transcope::tui::action::ScreenId;
use transcope::tui::legend::legend;

use super::player::Player;
use super::shown::{shows, text_of};
use super::{LARGE, SMALL, demonstration, sample, samples};

#[test]
fn keys_lead_to_screens_of_the_help() {
    for (name, size, keys) in [
        ("help_of_a_problem", SMALL, "e ?"),
        ("help_symbols", SMALL, "? Tab Tab"),
        ("help_searched", LARGE, "? collapse"),
        ("help_of_a_symbol", SMALL, "? ⑂"),
        ("help_page", SMALL, "? sharing Enter"),
        ("help_page_searched", LARGE, "? otherwise Tab Enter"),
        ("help_without_a_match", SMALL, "? zebra"),
    ] {
        let mut player = demonstration(size);
        player.press(keys);
        shows(name, &player.frame());
    }
}

/// The first line of the help, with its keys.
fn first(player: &mut Player) -> String {
    let screen = player.screen();
    let lines = screen.lines().skip_while(|line| !line.contains(" Help ")).skip(2);
    lines.map(|line| line.trim_matches(['┃', ' ']).to_owned()).next().unwrap_or_default()
}

#[test]
fn typing_finds_what_people_call_things() {
    for (typed, expected) in [
        ("collapse", "fold, go out"),
        ("fold everything", "fold all calls"),
        ("copy", "the selection"),
        ("quit", "back to the list, or quit"),
        ("find", "search for a pattern"),
        ("export html", "write a report"),
        ("dark", "try other themes"),
        ("theme", "try other themes"),
        ("next error", "the next error or failed call"),
        ("how do I undo", "suspend; in a playground: undo"),
        ("vllm", "lens: how runtimes read it"),
        ("what was the model shown", "the prompt the model was shown"),
        ("ctrl-w", "close this tab"),
        ("y j", "parameters as JSON"),
        ("!", "read with another start marker"),
    ] {
        let mut player = demonstration(LARGE);
        player.press("?");
        for letter in typed.chars() {
            let key = if letter == ' ' { "Space".to_owned() } else { letter.to_string() };
            player.press(&key);
        }
        let first = first(&mut player);
        assert!(first.contains(expected), "{typed:?} finds {first:?}:\n{}", player.screen());
    }
}

#[test]
fn the_first_lines_depend_on_pane_and_selection() {
    for (keys, place, expected) in [
        ("", "reading pane, text", "&"),
        ("e", "reading pane, a problem", "f "),
        ("c", "reading pane, a call", "y j"),
        ("p", "problems pane", "go there"),
        ("alt-3", "raw pane", "explain the byte at the cursor"),
        ("/invoice⏎", "reading pane", "end the search"),
        ("Z", "reading pane", "show all panes again"),
    ] {
        let mut player = demonstration(LARGE);
        player.press(keys);
        player.press("?");
        let screen = player.screen();
        let here = screen.split("All keys").next().unwrap_or_default();
        assert!(here.contains(&format!("Here: {place}")) && here.contains(expected), "{keys}: {expected}\n{screen}");
    }
}

#[test]
fn enter_runs_the_chosen_key_where_help_was_opened() {
    let mut player = demonstration(LARGE);
    player.press("? next␣error⏎");
    assert!(player.state.chrome.help.is_none() && player.status().contains("1/3 error"), "{}", player.status());
    // In a playground, the text is edited again afterwards.
    let mut player = Player::playing("words\n", LARGE);
    player.press("F1 statistics⏎");
    assert!(player.screen().contains("[Statistics]"), "{}", player.screen());
    let mut player = Player::playing("words\n", LARGE);
    player.press("F1 Esc x");
    assert!(player.screen().contains("xwords"), "{}", player.screen());
    // A line that is being typed comes back.
    let mut player = demonstration(LARGE);
    player.press("/tot F1 next␣error⏎");
    assert!(player.status().starts_with(" search: tot"), "{}", player.status());
}

#[test]
fn escape_returns_from_a_page_to_the_list_and_from_there_to_the_text() {
    let mut player = demonstration(LARGE);
    player.press("c");
    let before = player.screen();
    player.press("? redact End Enter PageDown Esc");
    assert!(player.status().starts_with(" search the help: redact"), "{}", player.status());
    player.press("Esc");
    assert_eq!(player.screen(), before);
}

#[test]
fn every_page_of_the_guide_can_be_read_to_its_end() {
    for (number, page) in PAGES.iter().enumerate() {
        let mut player = demonstration(SMALL);
        player.press("? End");
        for _ in number + 1..PAGES.len() {
            player.press("Up");
        }
        player.press("Enter");
        let screen = player.screen();
        assert!(screen.contains(&format!(" {} ──", page.title())), "{}:\n{screen}", page.name);
        player.press("End");
        assert!(!player.screen().contains(" more ↓ "), "{}:\n{}", page.name, player.screen());
    }
}

#[test]
fn a_click_chooses_a_line_and_another_runs_it() {
    let mut player = demonstration(LARGE);
    player.press("? next␣error");
    let screen = player.screen();
    let (y, line) = screen.lines().enumerate().find(|(_, line)| line.contains("the next error")).expect("a line");
    let x = line[..line.find("the next error").expect("there")].chars().count() as u16;
    player.click(x, y as u16);
    assert!(player.status().contains("1/3 error"), "{}", player.status());
    player.press("?");
    player.click(0, 0);
    assert!(player.state.chrome.help.is_none(), "a click outside closes it");
}

/// Borders and arrow keys, which need no explanation.
const PLAIN: &str = "┌┐└┘┏┓┗┛━┃╭╮╰╯─│←→↑↓—";

/// Symbols of a screen that the legend of its help does not explain. Letters of all scripts need no explanation.
fn unexplained(id: ScreenId, screen: &str) -> BTreeSet<char> {
    let known: BTreeSet<char> = legend(id).flat_map(|line| line.signs.chars()).chain(PLAIN.chars()).collect();
    let is_sign = |sign: &char| !sign.is_ascii() && !sign.is_alphanumeric() && !known.contains(sign);
    // Pictures of control characters and of other unsafe ones share a line of the legend, and so do bars of all lengths.
    let shares_line = |sign: &char| ('\u{2400}'..='\u{2426}').contains(sign) || ('▉'..='▏').contains(sign);
    screen.chars().filter(is_sign).filter(|sign| !shares_line(sign)).collect()
}

/// Fails if the legend lacks a symbol of the screen that these keys lead to.
pub(super) fn is_explained(id: ScreenId, keys: &str, screen: &str) {
    let signs = unexplained(id, screen);
    assert!(signs.is_empty(), "after {keys:?} the legend of {id:?} lacks {signs:?}:\n{screen}");
}

#[test]
fn every_symbol_that_a_screen_prints_is_in_the_legend() {
    let mut missing = BTreeSet::new();
    for path in samples() {
        let text = sample(&path);
        // Of a text in ASCII, every other sign is of the screen; one is in a text that is encoded in its file.
        if !text.is_ascii() || text.len() > 60_000 {
            continue;
        }
        let mut player = Player::with_text(&path, &text, usize::MAX, (200, 60));
        for keys in [
            "",
            "c",
            "e",
            "a",
            "p",
            "d",
            "$",
            "s",
            "#",
            "v",
            "-",
            "alt-1 j l",
            "/a⏎",
            "Esc & failed⏎",
            "Esc A word⏎ \"",
            "P",
            "P . .",
            "Esc @ j",
        ] {
            player.press(keys);
            let screen = text_of(&player.frame());
            let signs = unexplained(ScreenId::Transcript, &screen);
            missing.extend(signs.into_iter().map(|sign| (sign, path.clone(), keys)));
        }
    }
    let signs: BTreeSet<char> = missing.iter().map(|(sign, ..)| *sign).collect();
    assert!(missing.is_empty(), "{signs:?}: {:?}", missing.iter().take(20).collect::<Vec<_>>());
}
