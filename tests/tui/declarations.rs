//! The dialect declaration next to the text of a playground: edits of it take effect immediately, like edits of the
//! text.

use std::path::PathBuf;
use std::sync::Arc;

use transcope::dialect::Options;
use transcope::dialect::declared::Declaration;
use transcope::tui::action::PaneId;
use transcope::tui::files::ExistingFile;
use transcope::tui::message::{Effect, Msg, Navigation, Task};
use transcope::tui::screen::Screen as _;
use transcope::tui::screen::transcript::playground::playground;

use super::player::Player;

/// A call that no other dialect reads.
const HERMES: &str = "Hi.\n<tool_call>{\"name\": \"bash\", \"arguments\": {\"command\": \"ls\"}}</tool_call>\nBye.\n";

/// Moves to the opening marker in the declaration of hermes, after its first character.
const TO_MARKER: &str = "Esc c I \
    Down Down Down Down Down Down Down Down Down Down Down Down Down \
    Right Right Right Right Right Right Right Right Right Right Right Right Right Right Right";

/// A playground with a text, after some keys.
fn playing(text: &str, keys: &str) -> Player {
    let mut player = Player::playing(text, (120, 40));
    player.press(keys);
    player
}

fn calls(player: &Player) -> Vec<String> {
    let session = &player.state.view.session;
    let document = session.document();
    let name = |item| document.call(item).map(|call| format!("{} {}", call.dialect, call.name(session.text())));
    document.calls().filter_map(name).collect()
}

fn yaml(player: &Player) -> &str {
    player.state.view.declaration.draft().expect("a declaration is shown").editor.text()
}

/// The row below the declaration.
fn footer(player: &mut Player) -> String {
    let screen = player.screen();
    let rows: Vec<&str> = screen.lines().collect();
    rows[rows.len() - 3].trim_matches(['│', '┃', ' ']).to_owned()
}

#[test]
fn what_is_typed_in_the_declaration_is_read_at_each_key() {
    let hermes = ["hermes bash"];
    let rows: [(&str, &[&str], &str); 8] = [
        ("", &hermes, "hermes · built in · unchanged; the text is read again at each key"),
        // Another marker: the call is gone, and returns with the marker.
        ("x", &[], "hermes · built in · the text is read with it"),
        ("x Backspace", &hermes, "hermes · built in · unchanged; the text is read again at each key"),
        ("x ctrl-z", &hermes, "hermes · built in · unchanged; the text is read again at each key"),
        ("x ctrl-z ctrl-y", &[], "hermes · built in · the text is read with it"),
        // A fault: the last valid declaration stays in effect.
        ("x { }", &[], "✗ 14:17 unknown slot {}; the slots are: name, id, key"),
        ("{ }", &hermes, "✗ 14:16 unknown slot {}; the slots are: name, id, key"),
        ("{ } ctrl-z ctrl-z", &hermes, "hermes · built in · unchanged; the text is read again at each key"),
    ];
    for (keys, expected, words) in rows {
        let mut player = playing(HERMES, TO_MARKER);
        player.press(keys);
        assert_eq!(calls(&player), expected, "{keys}\n{}", player.screen());
        let footer = footer(&mut player);
        assert!(footer.starts_with(words), "{keys}: {footer:?}\n{}", player.screen());
    }
}

#[test]
fn a_fault_is_a_problem_of_the_declaration_with_its_place() {
    // The second line becomes an unknown member with a name close to a known one.
    let mut player = playing(HERMES, "Esc c I Down x Down Home x");
    let faults =
        ["2:1  in the declaration      unknown: xtitle", "3:1  in the declaration      unknown: xrecognised_by"];
    player.press("Esc p");
    let screen = player.screen();
    assert!(screen.contains("Problems 2") && screen.contains("✗ 2 errors"), "{screen}");
    assert!(faults.iter().all(|fault| screen.contains(fault)), "{screen}");
    // They are visited in turn, and Enter opens the declaration.
    player.press("e e");
    assert!(player.status().contains("2/2 error: unknown: xrecognised_by"), "{}", player.status());
    player.press("Enter");
    assert!(player.state.types() && player.state.view.layout.focused() == PaneId::DeclarationEditor);
    player.press("ctrl-n");
    assert!(
        player.status().starts_with(" 1/2 in the declaration: unknown: xtitle; it can be: "),
        "{}",
        player.status()
    );
    let screen = player.screen();
    assert!(screen.contains("2✗ xtitle"), "{screen}");
}

#[test]
fn a_suggestion_is_inserted_after_a_preview() {
    for (keys, repair) in [("", "ctrl-r"), ("Esc e", "f")] {
        let mut player = playing(HERMES, "Esc c I Down x");
        let before = yaml(&player).to_owned();
        player.press(keys);
        player.press(repair);
        assert!(
            player.status().contains(&format!("replace \"xtitle\" with \"title\"; {repair} again to apply")),
            "{}",
            player.status()
        );
        assert_eq!(yaml(&player), before);
        player.press(repair);
        assert_eq!(yaml(&player), before.replace("xtitle", "title"), "{repair}");
        assert!(player.state.view.declaration.faults().is_empty());
    }
}

#[test]
fn the_declaration_is_that_of_the_call_at_the_cursor_until_it_is_changed() {
    let text = format!(
        "{HERMES}\n!!!GADGET_START:Look\n!!!GADGET_END\n\n<function=go>\n<parameter=x>\n1\n</parameter>\n</function>\n"
    );
    let mut player = playing(&text, "");
    let name = |player: &Player| player.state.view.declaration.name().map(str::to_owned);
    player.press("Esc c c I");
    assert_eq!(name(&player).as_deref(), Some("gadget"));
    assert!(player.screen().contains("gadget is code or imported: it has no declaration"), "{}", player.screen());
    assert!(!player.state.types());
    player.press("alt-2 c");
    assert_eq!(name(&player).as_deref(), Some("function"), "{:?}", calls(&player));
    player.press("C C I x Esc c c");
    assert_eq!(name(&player).as_deref(), Some("hermes"), "nothing is lost");
    player.press("I ctrl-z Esc C");
    assert_eq!(name(&player).as_deref(), Some("gadget"));
    // Enter begins one for the text.
    player.press("I Enter");
    assert!(yaml(&player).starts_with("# Write the markers"), "{}", player.screen());
    assert!(footer(&mut player).starts_with("new · no file yet · a template that reads nothing yet"));
    assert_eq!(player.state.view.unsaved(), Vec::<String>::new());
}

#[test]
fn a_text_without_a_call_has_a_template_and_the_template_reads_what_it_shows() {
    let mut player = playing("<my_call look>\n<my_arg path>\na\n</my_arg>\n</my_call>\n", "F2");
    assert_eq!(calls(&player), [""; 0]);
    // The first change turns it into the user's declaration.
    player.press("Down Down End !");
    assert_eq!(calls(&player), ["my-calls look"]);
    assert_eq!(player.state.view.unsaved(), ["the declaration of my-calls"]);
    player.press("alt-n");
    player.press("Esc alt-n");
    assert!(player.status().contains("the declaration of my-calls is not saved"), "{}", player.status());
}

#[test]
fn saving_asks_before_it_replaces_a_file() {
    let mut player = playing(HERMES, TO_MARKER);
    player.press("x");
    let text = yaml(&player).to_owned();
    let task =
        |path: &str, existing| Effect::Run(Task::SaveDeclaration { text: text.clone(), path: path.into(), existing });
    let own = ".transcope/dialects/hermes.yaml";
    assert_eq!(player.press("ctrl-s ⏎"), [task(own, ExistingFile::Keep)]);
    player.state.update(Msg::DeclarationExists(own.into()));
    assert!(player.status().contains("it exists; Enter again replaces it"), "{}", player.status());
    assert_eq!(player.press("⏎"), [task(own, ExistingFile::Replace)]);
    player.state.update(Msg::DeclarationExists(own.into()));
    assert_eq!(player.press("2 ⏎"), [task(&format!("{own}2"), ExistingFile::Keep)]);
    player.state.update(Msg::DeclarationSaved(text.clone(), "b/x.yaml".into()));
    assert!(player.status().contains("saved b/x.yaml ("), "{}", player.status());
    assert_eq!(player.state.view.unsaved(), Vec::<String>::new());
    // Its own file is replaced after the user has seen its name.
    player.press("ctrl-s");
    assert!(player.status().contains("save the declaration as: b/x.yaml  Enter replaces it"), "{}", player.status());
    assert_eq!(player.press("⏎"), [task("b/x.yaml", ExistingFile::Replace)]);
}

#[test]
fn a_declaration_of_the_person_is_shown_at_once_and_belongs_to_its_file() {
    let mut given = Declaration::parse(transcope::tui::view::declaration::TEMPLATE).expect("the template is complete");
    given.file = Some(PathBuf::from("mine.yaml"));
    let options = Options { additional: vec![given.info], declared: vec![Arc::new(given)], ..Options::default() };
    let text = "<my_call look>\n</my_call>\n";
    let mut player = Player::new("playground", (120, 40));
    player.state = playground(&options, text, None);
    player.resize(120, 40);
    assert!(player.screen().contains("my-calls · mine.yaml"), "{}", player.screen());
    player.press("F2 Down Down End !");
    let text = yaml(&player).to_owned();
    let save = Task::SaveDeclaration { text, path: "mine.yaml".into(), existing: ExistingFile::Replace };
    assert_eq!(player.press("ctrl-s ⏎"), [Effect::Run(save)]);
}

#[test]
fn outside_of_a_playground_the_keys_open_one() {
    for (key, to_navigation) in
        [("I", Navigation::Declare as fn(String) -> Navigation), ("alt-n", Navigation::NewDialect)]
    {
        let mut player = Player::with_text("a.txt", HERMES.as_bytes(), usize::MAX, (120, 40));
        let expected = to_navigation(HERMES.lines().nth(1).expect("it has a call").to_owned());
        assert_eq!(player.press(&format!("c {key}")), [Effect::Go(expected)]);
    }
}

#[test]
fn nothing_in_a_declaration_controls_the_terminal() {
    for size in [(80, 24), (120, 40), (30, 8)] {
        let mut player = Player::playing(HERMES, size);
        player.press("Esc c I");
        player.state.update(Msg::Paste("\u{1b}[2J\u{9b}31m\u{202e}\u{7}: \u{1b}]0;x\u{7}\n\t".into()));
        super::walk::is_sound(&player.frame(), "the declaration");
        player.press("Esc p");
        super::walk::is_sound(&player.frame(), "the problems");
        player.press("e a");
        super::walk::is_sound(&player.frame(), "the details");
    }
}

#[test]
fn a_click_puts_the_cursor_where_it_is() {
    let mut player = playing(HERMES, "Esc c I Esc");
    player.click_on("in tool_call tags", 0..119);
    let draft = player.state.view.declaration.draft().expect("it is shown");
    assert_eq!(&draft.editor.text()[draft.editor.offset()..][..7], "in tool");
    assert!(player.state.types());
}

#[test]
fn a_declaration_is_proposed_from_the_text_and_read_at_once() {
    let text = "Let me see.\n@@call look {\"path\": \"a\"}\nThen:\n@@call write {\"path\": \"b\", \"text\": \"c\"}\n\
                And:\n@@call look {\"path\": \"d\"}\nDone.\n";
    let mut player = playing(text, "alt-n");
    assert_eq!(calls(&player), ["my-calls look", "my-calls write", "my-calls look"], "{}", player.screen());
    assert!(player.status().contains("reads 3 of 3 calls (look, write)"), "{}", player.status());
    assert_eq!(player.state.view.unsaved(), ["the declaration of my-calls"]);
    player.press("ctrl-z");
    assert!(yaml(&player).starts_with("# Write the markers") && calls(&player).is_empty());
}
