//! Trying changes of a text: switches, explanations, repairs and a replay; keys in, screen out.

use transcope::config::schemas;
use transcope::text::replay_steps::ReplayOptions;
use transcope::tui::message::{Effect, Msg, Task};
use transcope::tui::screen::Screen as _;
use transcope::tui::screen::transcript::replay::replay;

use super::player::Player;
use super::shown::shows;

const SIZE: (u16, u16) = (100, 34);

const TEXT: &str = "Two of a kind.\n\n!!!GADGET_START:Ship:s1\n!!!ARG:zip\n00501\n!!!ARG:count\n1e1\n!!!GADGET_END\n\n\
    ^^^run\nx: 1\n^^^\n";

#[test]
fn trying_changes_shows_these_screens() {
    let rows = [
        ("settings_switch", "Esc s j Enter"),
        ("settings_switched_back", "Esc s j Enter Enter"),
        ("settings_without_a_schema", "Esc s G"),
        ("byte_of_a_value", "Esc a alt-3 Down Down Down Down"),
        ("byte_of_a_marker", "Esc a alt-3 Down Down Down Right Right"),
        ("byte_of_prose", "Esc a alt-3 Right"),
    ];
    for (name, keys) in rows {
        let mut player = Player::playing(TEXT, SIZE);
        player.press(keys);
        shows(name, &player.frame());
    }
}

#[test]
fn a_repair_is_seen_before_it_is_made() {
    let broken = "!!!GADGET_START:Do:a\n!!!ARG:x/0\n1\n!!!ARG:x/2\n2\n!!!GADGET_END\n";
    let mut player = Player::playing(broken, SIZE);
    player.press("ctrl-r");
    shows("repair_preview", &player.frame());
    player.press("ctrl-r");
    shows("repair_made", &player.frame());
}

#[test]
fn a_replay_shows_what_has_arrived_and_what_is_waited_for() {
    let mut player = Player::new("replay", SIZE);
    let container = player.state.view.session.container();
    player.state = replay(&player.state, "a.txt", TEXT.as_bytes().into(), container, ReplayOptions::default());
    player.press("P");
    for (name, keys) in [
        ("replay_begins", ""),
        ("replay_in_a_call", ". . . . ."),
        ("replay_a_character_on", "u u ."),
        ("replay_back", ", , , ,"),
    ] {
        player.press(keys);
        shows(name, &player.frame());
    }
}

#[test]
fn a_schema_is_chosen_applied_and_taken_away() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let path = folder.path().join("tools.json");
    let file =
        r#"{"Ship": {"type": "object", "required": ["to"], "properties": {"zip": {"type": "string"}, "count": {}}}}"#;
    std::fs::write(&path, file).expect("a file can be written");
    let read = |name: &str| schemas::read(&folder.path().join(name)).map_err(|error| format!("{error:#}"));
    let mut player = Player::playing(TEXT, SIZE);
    player.press("Esc s G k k k");
    assert!(player.screen().contains("Enter asks for their file"));
    assert_eq!(player.press("Enter tools.json⏎"), [Effect::Run(Task::ReadSchema("tools.json".into()))]);
    player.state.update(read("none.json").map_or_else(Msg::Failed, Msg::Schema));
    let said = player.status();
    assert!(said.contains("schema file: tools.json") && said.contains("none.json"), "{said}");
    assert!(said.contains("no such file"), "{said}");
    assert_eq!(player.press("ctrl-u ⏎"), [], "no path is no schema");
    player.state.update(Msg::Schema(read("tools.json").expect("it is fine")));
    let screen = player.screen();
    let problems = player.state.view.session.document().diagnostics().len();
    assert!(screen.contains("1 call changed") && screen.contains("~ Ship s1"), "{screen}");
    assert!(screen.contains("missing-parameter") || screen.contains("to is missing"), "{screen}");
    // Off and on again, and another file.
    player.press("Enter");
    assert!(player.screen().contains("[ ] schema") && player.state.view.options.schemas.is_none());
    player.press("Enter");
    assert_eq!(player.state.view.session.document().diagnostics().len(), problems);
    let given = path.to_str().expect("a plain name").to_owned();
    assert_eq!(
        player.press("j Enter Backspace x⏎"),
        [Effect::Run(Task::ReadSchema(format!("{}x", &given[..given.len() - 1]).into()))]
    );
}
