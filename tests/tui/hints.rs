//! Keys that are named on the screen, and the way out of what is shown.

use super::player::Player;
use super::{LARGE, SMALL, demonstration, sample};

#[test]
fn a_click_on_a_hint_is_its_key() {
    for (words, expected) in [
        ("? help", " Keys "),
        ("help", " Keys "),
        ("/ search", " search:"),
        ("filter", " filter:"),
        ("y copy", "the selection"),
    ] {
        let mut player = demonstration(LARGE);
        let status = player.status();
        let column = status.find(words).unwrap_or_else(|| panic!("{words:?} is not in {status:?}"));
        player.click(column as u16, LARGE.1 - 1);
        assert!(player.screen().contains(expected), "{words}\n{}", player.screen());
    }
    let mut player = demonstration(LARGE);
    let column = player.status().find("j/k").expect("a hint") as u16;
    player.click(column, LARGE.1 - 1);
    let below = player.state.view.selection;
    player.click(column + 2, LARGE.1 - 1);
    assert_ne!(player.state.view.selection, below, "each of two keys is its own");
}

#[test]
fn no_key_in_words_on_the_screen_is_a_digit_alone() {
    let text = sample("containers/claude-code/what-tools-say.jsonl");
    let mut player = Player::with_text("what-tools-say.jsonl", &text, usize::MAX, LARGE);
    player.press("alt-2 Z");
    let screen = player.screen();
    assert!(screen.contains("colours dropped; alt-3 shows them"), "{screen}");
}

#[test]
fn h_goes_out_of_what_cannot_be_folded() {
    let text = sample("containers/claude-code/late-ferry.jsonl");
    for pane in ["alt-2", "alt-1"] {
        let mut player = Player::with_text("late-ferry.jsonl", &text, usize::MAX, LARGE);
        player.press(pane);
        player.press("c r");
        let kind = |player: &Player| {
            let document = player.state.view.session.document();
            let item = player.state.view.selection.item;
            (item, document.items().kind(item).map(|kind| format!("{kind:?}")).unwrap_or_default())
        };
        let (mut at, first) = kind(&player);
        assert_eq!(first, "Result");
        let mut way = Vec::new();
        for _ in 0..8 {
            player.press("h");
            let (item, found) = kind(&player);
            assert!(item <= at, "{pane}: h never goes on");
            if item != at {
                way.push(found);
            }
            at = item;
        }
        assert!(way.first().is_some_and(|kind| kind == "Call"), "{pane}: {way:?}");
        assert_eq!(at, 0, "{pane}: the beginning of the turn is what holds all of it: {way:?}");
    }
}

#[test]
fn what_a_file_is_does_not_take_the_place_of_the_hints() {
    let text = sample("containers/claude-code/late-ferry.jsonl");
    let mut player = Player::with_text("late-ferry.jsonl", &text, usize::MAX, LARGE);
    assert!(player.status().contains("? help"), "{}", player.status());
    player.press("v");
    assert!(player.screen().contains("detected claude-code: "), "{}", player.screen());
}

#[test]
fn a_plain_text_without_calls_says_what_may_be_done() {
    for (text, is_said) in [("Just words.\n", true), ("", false), ("!!!GADGET_START:A\n!!!GADGET_END\n", false)] {
        let mut player = Player::with_text("a.txt", text.as_bytes(), usize::MAX, SMALL);
        let status = player.status();
        assert_eq!(status.contains("no calls found; alt-n proposes a dialect"), is_said, "{text:?}: {status}");
    }
}

#[test]
fn saving_a_case_without_a_name_says_what_it_wants() {
    let mut player = demonstration(LARGE);
    player.press("c S");
    assert!(player.status().contains("save this call as a case:   FOLDER/NAME"), "{}", player.status());
    player.press("Enter");
    assert!(player.status().contains("a case needs a name: FOLDER/NAME"), "{}", player.status());
}

#[test]
fn rows_of_the_graph_say_what_a_call_is_about_and_begin_at_the_selection() {
    let text = sample("containers/claude-code/late-ferry.jsonl");
    let mut player = Player::with_text("late-ferry.jsonl", &text, usize::MAX, LARGE);
    player.press("d");
    let screen = player.screen();
    let row = |name: &str| screen.lines().rfind(|line| line.contains(name)).unwrap_or_default().to_owned();
    assert!(row("Read").contains("clock.py") && !row("Read").contains("toolu_"), "{screen}");
    // Of many calls, the one of the result that is selected is seen.
    let call = |number: usize| {
        let id = format!("c{number}");
        format!(
            "{{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{{\"id\":\"{id}\",\"type\":\"function\",\"function\":\
             {{\"name\":\"ls\",\"arguments\":\"{{\\\"path\\\":\\\"folder{number}\\\"}}\"}}}}]}},\
             {{\"role\":\"tool\",\"tool_call_id\":\"{id}\",\"content\":\"fine\"}}"
        )
    };
    let calls: Vec<String> = (0..120).map(call).collect();
    let text = format!("{{\"messages\":[{{\"role\":\"user\",\"content\":\"Look.\"}},{}]}}", calls.join(","));
    let mut player = Player::with_text("many.json", text.as_bytes(), usize::MAX, LARGE);
    player.press(":c90⏎ r d");
    let screen = player.screen();
    let below = screen.split("Graph").last().unwrap_or_default();
    assert!(below.contains("folder90"), "{screen}");
}
