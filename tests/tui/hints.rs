//! Keys named on the screen, and how to leave each view.

use transcope::tui::files::PathCompletion;
use transcope::tui::message::{Effect, Msg, Navigation, Task};
use transcope::tui::screen::Screen as _;

use super::player::Player;
use super::{LARGE, SMALL, demonstration, sample};

#[test]
fn a_click_on_a_hint_is_its_key() {
    for (words, expected) in [
        ("? help", " Help "),
        ("help", " Help "),
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
            assert!(item <= at, "{pane}: h never goes forward");
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
fn the_file_kind_does_not_replace_the_hints() {
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
        assert_eq!(status.contains("no calls found; alt-n proposes a call format"), is_said, "{text:?}: {status}");
    }
}

#[test]
fn saving_a_case_without_a_name_says_what_it_wants() {
    let mut player = demonstration(LARGE);
    player.press("c S");
    assert!(player.status().contains("save this call as a case:   FOLDER/NAME"), "{}", player.status());
    player.press("Enter");
    let status = player.status();
    assert!(status.contains("save this call as a case:"), "{status}");
    assert!(status.contains("a case needs a name: FOLDER/NAME"), "{status}");
}

#[test]
fn a_refused_name_of_a_case_stays_in_its_prompt() {
    let mut player = demonstration(LARGE);
    player.press("c S one⏎");
    player.state.update(Msg::Failed("could not write one.txt: it exists".into()));
    let status = player.status();
    assert!(status.contains("save this call as a case: one ") && status.contains("it exists"), "{status}");
    // Unless a name was just typed, a failure is a message.
    player.press("Esc");
    player.state.update(Msg::Failed("could not read it".into()));
    assert!(player.status().starts_with(" could not read it "), "{}", player.status());
}

#[test]
fn a_note_is_kept_when_quit_is_run_over_it() {
    let mut player = demonstration(LARGE);
    for command in ["quit", "close-tab"] {
        let effects = player.press(&format!("A look␣here F3 {command}⏎"));
        assert!(effects.is_empty(), "{effects:?}");
        let status = player.status();
        assert!(status.contains(" note: look here ") && status.contains("not saved: Enter saves it"), "{status}");
        player.press("Esc");
    }
    assert!(matches!(player.press("A F3 quit⏎")[..], [Effect::Go(Navigation::Quit)]), "an empty note is no loss");
}

#[test]
fn a_command_run_over_a_pattern_is_not_undone_by_the_next_key() {
    let mut player = demonstration(LARGE);
    player.press("/nowhere F3 next-error⏎");
    let there = player.state.view.selection;
    assert_ne!(there.offset, 0);
    for keys in ["s", "Esc"] {
        player.press(keys);
        assert_eq!(player.state.view.selection, there, "{keys}");
    }
}

#[test]
fn rows_of_the_graph_say_what_a_call_is_about_and_begin_at_the_selection() {
    let text = sample("containers/claude-code/late-ferry.jsonl");
    let mut player = Player::with_text("late-ferry.jsonl", &text, usize::MAX, LARGE);
    player.press("d");
    let screen = player.screen();
    let row = |name: &str| screen.lines().rfind(|line| line.contains(name)).unwrap_or_default().to_owned();
    assert!(row("Read").contains("clock.py") && !row("Read").contains("toolu_"), "{screen}");
    // Of many calls, the one that the selected result belongs to is visible.
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

#[test]
fn help_is_searched_and_commands_are_found_while_a_text_is_typed() {
    let mut player = demonstration(LARGE);
    player.press("?");
    assert!(player.screen().contains(" type to search "), "{}", player.screen());
    player.press("diff");
    let screen = player.screen();
    assert!(screen.contains(" Keys ") && screen.contains("compare with before or another"), "{screen}");
    player.press("F3 diff");
    let screen = player.screen();
    assert!(screen.contains(" Commands ") && screen.contains("compare with before or another"), "{screen}");
    let mut player = Player::playing("words\n", LARGE);
    player.press("F3 redact");
    let screen = player.screen();
    assert!(screen.contains(" Commands ") && screen.contains("write a report"), "{screen}");
    player.press("Esc x");
    assert!(player.screen().contains("xwords"), "what is typed goes into the text again: {}", player.screen());
}

#[test]
fn the_path_of_a_file_is_completed() {
    let mut player = demonstration(LARGE);
    player.press("W ctrl-u /tmp/a");
    assert_eq!(player.press("Tab"), [Effect::Run(Task::CompletePath("/tmp/a".into()))]);
    let completed = |typed: &str| PathCompletion {
        typed: typed.into(),
        line: "/tmp/abc".into(),
        names: vec!["abc.html".into(), "abcd/".into()],
    };
    player.state.update(Msg::PathCompleted(completed("/tmp/other")));
    assert!(player.status().contains("export as: /tmp/a "), "what was typed since stays: {}", player.status());
    player.state.update(Msg::PathCompleted(completed("/tmp/a")));
    assert!(player.status().contains("export as: /tmp/abc  Tab: abc.html  abcd/"), "{}", player.status());
}

#[test]
fn settings_offer_the_dialects_that_were_found_and_all_by_search() {
    let mut player = demonstration(LARGE);
    player.press("s");
    let screen = player.screen();
    assert!(screen.contains("[x] gadget") && !screen.contains("hermes"), "{screen}");
    assert!(screen.contains("that are not found here; / searches them"), "{screen}");
    player.press("/functionary-v32");
    assert!(player.screen().contains("[ ] functionary-v32"), "{}", player.screen());
    player.press("Enter Enter");
    let options = &player.state.view.options;
    assert!(options.only.iter().any(|about| about.name == "functionary-v32"), "it is asked for");
    assert!(options.only.iter().any(|about| about.name == "gadget"), "the others stay");
    player.press("/ ctrl-u");
    player.screen();
    player.press("Enter");
    let screen = player.screen();
    assert!(screen.contains("[x] gadget") && screen.contains("[x] functionary-v32"), "{screen}");
}

#[test]
fn a_binary_file_is_reported_first() {
    let mut player = Player::with_text("a.bin", b"\x7fELF\x00\x01\xff\xfe", usize::MAX, LARGE);
    assert!(player.status().contains("binary data: this is probably not a transcript"), "{}", player.status());
}

#[test]
fn a_question_clears_its_line() {
    use ratatui::Terminal;
    use ratatui::backend::TestBackend;
    let mut player = demonstration(LARGE);
    player.screen();
    let theme = super::shown::theme();
    let mut terminal = Terminal::new(TestBackend::new(LARGE.0, LARGE.1)).expect("a buffer takes everything");
    let drawn = terminal.draw(|frame| {
        player.state.draw(frame, &theme);
        transcope::tui::widget::ask(frame, Some("open it? y/n"), &theme);
    });
    let screen = super::shown::text_of(drawn.expect("a buffer takes everything").buffer);
    assert_eq!(screen.lines().last(), Some(" open it? y/n"));
}
