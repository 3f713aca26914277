//! The playground: edits are parsed immediately, the panes follow the cursor, and nothing is lost.

use transcope::session::Session;
use transcope::tui::action::Action;
use transcope::tui::message::{Copied, EditorDraft, EditorOutcome, Effect, Msg, Navigation, Task};
use transcope::tui::screen::Screen as _;
use transcope::tui::screen::transcript::playground::playground;

use super::player::Player;

const SIZE: (u16, u16) = (120, 40);

/// A playground with a text; the cursor is at its beginning.
fn playing(text: &str) -> Player {
    Player::playing(text, SIZE)
}

/// Types a text key by key, and draws the screen after each.
fn types(player: &mut Player, text: &str) {
    for line in text.split_inclusive('\n') {
        for word in line.trim_end_matches('\n').split_inclusive(' ') {
            let word = word.replace(' ', "␣");
            player.press(&word);
            player.screen();
        }
        if line.ends_with('\n') {
            player.press("Enter");
        }
    }
}

#[test]
fn edits_are_parsed_immediately() {
    let text = "Hi there.\n!!!GADGET_START:Write:w1\n!!!ARG:path\na b\n!!!GADGET_END\n";
    let mut player = playing("");
    assert!(!player.screen().contains("[+]"));
    types(&mut player, text);
    assert!(player.screen().contains("playground [+]"), "{}", player.screen());
    let editor = player.state.view.editor.as_ref().expect("it is a playground");
    assert_eq!(editor.text(), text);
    let whole = Session::from_bytes(text.as_bytes());
    let session = &player.state.view.session;
    assert_eq!(session.document().items().len(), whole.document().items().len());
    assert_eq!(session.document().diagnostics().len(), 0);
    // In the middle of a call, the call and its argument are selected.
    player.press("Up Up");
    player.screen();
    let state = &player.state;
    assert_eq!(
        state.view.session.document().call(state.view.selection.item).map(|call| call.name(state.view.session.text())),
        Some("Write".into())
    );
}

#[test]
fn edits_can_be_undone_and_redone() {
    let mut player = playing("one\n");
    player.press("x");
    assert!(player.state.view.editor.as_ref().is_some_and(|editor| editor.is_changed()));
    player.press("ctrl-z");
    assert!(player.state.view.editor.as_ref().is_some_and(|editor| !editor.is_changed()));
    player.press("ctrl-y");
    assert_eq!(player.state.view.session.text().read_str(transcope::text::Span::new(0, 9)), "xone\n");
}

#[test]
fn outside_of_the_text_keys_are_what_they_are_everywhere() {
    let mut player = playing("!!!GADGET_START:A\n!!!GADGET_END\n\n!!!GADGET_START:B\n!!!GADGET_END\n");
    player.press("Esc c c");
    assert!(!player.state.types());
    player.press("Tab x");
    let text = player.state.view.editor.as_ref().expect("it is a playground").text().to_owned();
    assert!(text.contains("\nx!!!GADGET_START:B"), "the cursor is at what was selected: {text:?}");
}

#[test]
fn any_selection_opens_in_a_playground() {
    let mut player = Player::with_text("a.txt", b"Hi.\n!!!GADGET_START:A\n!!!GADGET_END\n", usize::MAX, SIZE);
    let effects = player.press("c i");
    assert_eq!(effects, [Effect::Go(Navigation::Play("!!!GADGET_START:A\n!!!GADGET_END".into()))]);
    let mut player = playing("Hi");
    let effects = player.press("ctrl-s b.txt⏎");
    assert_eq!(effects, [Effect::Run(Task::Save { text: "Hi".into(), path: "b.txt".into(), own: false })]);
}

#[test]
fn a_file_that_is_saved_elsewhere_is_read_unless_something_would_be_lost() {
    let text = |player: &Player| player.state.view.editor.as_ref().expect("it is a playground").text().to_owned();
    let mut player = playing("one");
    player.state.update(Msg::Reloaded("two".into()));
    assert_eq!(text(&player), "two");
    player.press("x");
    player.state.update(Msg::Reloaded("three".into()));
    assert_eq!(text(&player), "xtwo");
    assert!(player.screen().contains("the file changed on disk and here"));
}

#[test]
fn the_text_goes_to_the_person_s_editor_and_what_comes_back_is_one_step() {
    let draft = |text: &str, path: Option<&str>, is_saved| {
        Effect::Run(Task::Write(EditorDraft { text: text.into(), path: path.map(Into::into), is_saved }))
    };
    let mut player = playing("one\n");
    assert_eq!(player.press("ctrl-g"), [draft("one\n", None, true)]);
    assert_eq!(player.press("Esc E"), [], "E is the previous problem here too");
    assert_eq!(player.press("ctrl-g"), [draft("one\n", None, true)]);
    let mut player = Player::new("playground", SIZE);
    player.state = playground(&player.state.view.options, "one\n", Some("a.md".into()));
    player.resize(SIZE.0, SIZE.1);
    assert_eq!(player.press("ctrl-g"), [draft("one\n", Some("a.md"), true)]);
    assert_eq!(player.press("E ctrl-g"), [draft("Eone\n", Some("a.md"), false)]);
    let text = |player: &Player| player.state.view.editor.as_ref().expect("it is a playground").text().to_owned();
    player.state.update(Msg::Edited(EditorOutcome { text: "all\nelse\n".into(), path: None }));
    assert_eq!(text(&player), "all\nelse\n");
    assert!(player.screen().contains("loaded from the editor"));
    player.press("ctrl-z");
    assert_eq!(text(&player), "Eone\n");
    player.state.update(Msg::Failed("vi failed".into()));
    assert_eq!((text(&player), player.status().trim().starts_with("vi failed")), ("Eone\n".to_owned(), true));
    player.state.update(Msg::Edited(EditorOutcome { text: "own\n".into(), path: Some("a.md".into()) }));
    assert!(player.state.view.editor.as_ref().is_some_and(|editor| editor.text() == "own\n" && !editor.is_changed()));
    // In a read-only text, the key starts no editor.
    let mut player = Player::with_text("a.txt", b"one\n", usize::MAX, SIZE);
    assert_eq!(player.press("E ctrl-g"), []);
    assert!(player.status().contains("read-only; press i"));
}

#[test]
fn a_problem_is_repaired_when_that_has_been_seen() {
    let broken = "!!!GADGET_START:Do:a\n!!!ARG:x/0\n1\n!!!ARG:x/2\n2\n!!!GADGET_END\n";
    let mut player = playing(broken);
    player.press("ctrl-r");
    let screen = player.screen();
    assert!(screen.contains("- !!!ARG:x/2") && screen.contains("+ !!!ARG:x/1"), "{screen}");
    assert_eq!(player.state.view.editor.as_ref().map(|editor| editor.text()), Some(broken));
    player.press("ctrl-r");
    let text = player.state.view.editor.as_ref().expect("it is a playground").text().to_owned();
    assert_eq!(text, broken.replace("x/2", "x/1"));
    assert!(player.state.view.session.document().diagnostics().is_empty());
    player.press("ctrl-z");
    assert_eq!(player.state.view.editor.as_ref().map(|editor| editor.text()), Some(broken));
}

#[test]
fn keys_are_answered_while_repairs_are_looked_for_and_another_selection_gives_them_up() {
    let broken = "!!!GADGET_START:Do\n!!!ARG:x/0\n1\n!!!ARG:x/2\n2\n!!!GADGET_END\n".repeat(50);
    let mut player = Player::with_text("a.txt", broken.as_bytes(), usize::MAX, SIZE);
    assert_eq!(player.state.update(Msg::Action(Action::RepairAll)), None);
    assert!(player.state.is_looking_for_repairs() && player.state.view.offer.is_none());
    let before = player.state.view.selection;
    player.press("e");
    assert_ne!(player.state.view.selection, before);
    assert!(!player.state.is_looking_for_repairs() && player.state.view.offer.is_none());
    // Without another key in between, they are shown.
    player.press("F");
    assert!(player.status().contains("50 repairs"), "{}", player.status());
}

#[test]
fn repairs_of_a_read_only_text_are_copied() {
    let broken = "Hi.\n!!!GADGET_START:Do:a\n!!!ARG:x/0\n1\n!!!ARG:x/2\n2\n!!!GADGET_END\n";
    let mut player = Player::with_text("a.txt", broken.as_bytes(), usize::MAX, SIZE);
    assert_eq!(player.press("e f"), []);
    let repaired = broken.replace("x/2", "x/1").replace("Hi.\n", "");
    assert_eq!(player.press("f"), [Effect::Run(Task::Copy(Copied::new("the repaired text", repaired.trim_end())))]);
}

/// Three repairable problems of one kind, and among them one that is not repairable.
const BROKEN: &str = "!!!GADGET_START:Do:a\n!!!ARG:x/0\n1\n!!!ARG:x/2\n2\n!!!GADGET_END\n\
    !!!GADGET_START:Do:b:ghost\n!!!ARG:y\n1\n!!!GADGET_END\n\
    !!!GADGET_START:Do:c\n!!!ARG:z/0\n1\n!!!ARG:z/2\n2\n!!!GADGET_END\n";

fn text_of(player: &Player) -> String {
    player.state.view.editor.as_ref().expect("it is a playground").text().to_owned()
}

#[test]
fn unrepairable_problems_are_skipped() {
    let mut player = playing(BROKEN);
    // From the second problem, which has no repair, to the third.
    player.press("ctrl-n ctrl-n");
    assert_eq!(player.state.view.selection.offset, BROKEN.find("ghost").expect("it is there"));
    player.press("ctrl-r");
    assert!(
        player.status().contains("2 of 2 repairable; ctrl-r again to apply, ctrl-f for all"),
        "{}",
        player.status()
    );
    player.press("ctrl-r");
    assert_eq!(text_of(&player), BROKEN.replace("z/2", "z/1"));
    // The next one wraps around the end.
    player.press("ctrl-r");
    assert!(player.status().contains("1 of 1 repairable"), "{}", player.status());
    player.press("ctrl-r ctrl-z");
    assert_eq!(text_of(&player), BROKEN.replace("z/2", "z/1"));
}

#[test]
fn repair_all_applies_after_a_preview() {
    for keys in ["ctrl-f", "Esc F"] {
        let mut player = playing(BROKEN);
        player.press(keys);
        let screen = player.screen();
        assert!(screen.contains("2 repairs; 1 of 3 problems left"), "{screen}");
        assert!(screen.contains("- !!!ARG:x/2") && screen.contains("+ !!!ARG:z/1"), "{screen}");
        assert_eq!(text_of(&player), BROKEN);
        player.press(keys.split(' ').next_back().expect("there is a key"));
        assert_eq!(text_of(&player), BROKEN.replace("x/2", "x/1").replace("z/2", "z/1"));
        assert!(player.status().contains("repaired; ctrl-z undoes"));
        player.press("ctrl-z");
        assert_eq!(text_of(&player), BROKEN);
    }
    // Any other action cancels the preview without applying it.
    let mut player = playing(BROKEN);
    player.press("Esc F j F");
    assert_eq!(text_of(&player), BROKEN);
}

#[test]
fn undo_is_the_same_key_in_all_panes_of_a_playground_and_leaving_has_another() {
    for pane in ["alt-1", "alt-2", "p", "d", "a", "s", "$"] {
        let mut player = playing(BROKEN);
        player.press("Esc f f");
        assert_eq!(text_of(&player), BROKEN.replace("x/2", "x/1"));
        assert_eq!(player.press(&format!("{pane} ctrl-z")), [], "{pane}");
        assert_eq!(text_of(&player), BROKEN, "{pane}");
        assert_eq!(player.press("ctrl-y"), [], "{pane}");
        assert_eq!(text_of(&player), BROKEN.replace("x/2", "x/1"), "{pane}");
        assert_eq!(player.press("ctrl-t"), [Effect::Run(Task::Suspend)], "{pane}");
        assert_eq!(player.press("ctrl-z ctrl-z"), [], "{pane}");
        assert!(player.status().contains("nothing to undo; ctrl-t suspends"), "{}", player.status());
    }
    assert_eq!(playing(BROKEN).press("ctrl-t"), [Effect::Run(Task::Suspend)]);
    // In a read-only text both keys suspend the program.
    let mut player = Player::with_text("a.txt", b"one\n", usize::MAX, SIZE);
    assert_eq!(player.press("ctrl-z ctrl-t"), [Effect::Run(Task::Suspend), Effect::Run(Task::Suspend)]);
}

#[test]
fn hints_name_keys_of_the_focused_pane() {
    let broken = "!!!GADGET_START:Do:b:ghost\n!!!ARG:y\n1\n!!!GADGET_END\n";
    let mut player = playing(broken);
    player.press("ctrl-r");
    assert!(player.status().contains("no automatic repair; Esc a for an explanation"), "{}", player.status());
    player.press("Esc a");
    assert_eq!(text_of(&player), broken);
    player.press("alt-2 f");
    assert!(player.status().contains("no automatic repair; press a for an explanation"), "{}", player.status());
    player.press("F");
    assert!(player.status().contains("no automatic repair; press a for an explanation"), "{}", player.status());
    let mut player = playing("fine\n");
    player.press("ctrl-r");
    assert!(player.status().contains("no problem to repair"), "{}", player.status());
}

#[test]
fn strings_in_single_quotes_keep_all_that_they_say() {
    let broken = "<tool_call>\n{\"name\": \"bash\", \"arguments\": {'command': 'ls', \"flag\": True}}\n</tool_call>\n";
    let mut player = playing(broken);
    player.press("ctrl-r ctrl-r");
    let expected = broken.replace('\'', "\"").replace("True", "true");
    assert_eq!(text_of(&player), expected);
    assert!(player.state.view.session.document().diagnostics().is_empty());
}

#[test]
fn problems_are_gone_to_while_typing() {
    let mut player = playing(BROKEN);
    let at = |player: &Player| player.state.view.editor.as_ref().expect("it is a playground").offset();
    let places: Vec<usize> =
        player.state.view.session.document().sorted_diagnostics().map(|problem| problem.span.start).collect();
    for place in places.iter().chain([&places[0]]) {
        player.press("ctrl-n");
        assert_eq!((at(&player), player.state.types()), (*place, true));
    }
    player.press("ctrl-p");
    assert_eq!(at(&player), places[places.len() - 1]);
    player.press("x");
    assert_eq!(text_of(&player).len(), BROKEN.len() + 1);
}

#[test]
fn an_example_call_of_each_format_is_a_key_away() {
    for (text, typed, written) in [
        ("", "Enter", "!!!GADGET_START:"),
        ("", "c a r e t Enter", "^^^write_file"),
        ("", "h e r m e s Enter", "<tool_call>"),
        ("", "Down Enter", "^^^write_file"),
        ("Hi.", "End alt-e Enter", "Hi.\n!!!GADGET_START:"),
    ] {
        let mut player = playing(text);
        if text.is_empty() {
            assert!(player.screen().contains("type, or alt-e for an example"), "{}", player.screen());
            player.press("alt-e");
            assert!(player.screen().contains("An example call of"), "{}", player.screen());
        }
        player.press(typed);
        let editor = player.state.view.editor.as_ref().expect("it is a playground");
        assert!(editor.text().starts_with(written), "{typed}: {:?}", editor.text());
        let document = player.state.view.session.document();
        assert_eq!((document.calls().len(), document.errors()), (1, 0), "{typed}: {:?}", editor.text());
        player.press("ctrl-z");
        assert_eq!(player.state.view.editor.as_ref().map(|editor| editor.text()), Some(text), "{typed}");
    }
    let mut player = Player::new(READ_ONLY, SIZE);
    player.press("alt-e");
    assert!(player.status().contains("read-only; press i to edit a copy"), "{}", player.status());
}

/// The name of a text that is not edited.
const READ_ONLY: &str = "session.txt";
