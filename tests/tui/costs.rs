//! Costs by dialect on the screen: what is chosen, opened and copied matches the output of the command.

use transcope::convert::Calls;
use transcope::dialect::{Options, REGISTRY, named};
use transcope::session::Session;
use transcope::tui::action::PaneId;
use transcope::tui::message::{Copied, Effect, Navigation, Task};

use super::player::Player;

const SIZE: (u16, u16) = (120, 40);
const TEXT: &str = "Hi.\n!!!GADGET_START:Send:s1\n!!!ARG:to\nada\n!!!GADGET_END\n\
                    !!!GADGET_START:Send\n!!!ARG:to\nbo\n!!!GADGET_END\n";

/// Opens the tab for the text, and presses some keys.
fn player(keys: &str) -> Player {
    let mut player = Player::with_text("a.txt", TEXT.as_bytes(), usize::MAX, SIZE);
    player.press(keys);
    player
}

#[test]
fn what_is_opened_and_copied_is_what_the_chosen_dialect_writes() {
    let one = "!!!GADGET_START:Send:s1\n!!!ARG:to\nada\n!!!GADGET_END\n";
    for (number, about) in REGISTRY.iter().enumerate() {
        let down = "j ".repeat(number);
        let written = Calls::in_their_text(&Session::from_bytes(one.as_bytes())).convert(about, &Options::default());
        let written = String::from_utf8(written.text).expect("it is text");
        let mut player = player(&format!("c alt-9 {down}"));
        assert_eq!(player.press("Enter"), [Effect::Go(Navigation::Play(written.clone()))], "{}", about.name);
        let copied = Effect::Run(Task::Copy(Copied::new(format!("1 call as {}", about.name), written.clone())));
        assert_eq!(player.press("y y"), [copied], "{}", about.name);
        let screen = player.screen();
        for line in written.lines().take(3) {
            assert!(screen.contains(line), "{} lacks {line:?}:\n{screen}", about.name);
        }
    }
}

#[test]
fn where_no_call_is_selected_all_of_them_are_written() {
    let session = Session::from_bytes(TEXT.as_bytes());
    let all = Calls::alone(&session, session.document().calls())
        .convert(named("callout").expect("a dialect"), &Options::default());
    let all = String::from_utf8(all.text).expect("it is text");
    assert_eq!(player("$ j j").press("Enter"), [Effect::Go(Navigation::Play(all))]);
    let mut empty = Player::with_text("a.txt", b"Hi.\n", usize::MAX, SIZE);
    assert_eq!(empty.press("$ Enter y y"), []);
    assert!(empty.status().contains("no call to convert"), "{}", empty.status());
}

#[test]
fn losses_are_worded_as_in_the_command() {
    let mut player = player("c $ j");
    let screen = player.screen();
    assert!(screen.contains("! line 2: Send: id \"s1\" is lost: caret has no ids"), "{screen}");
}

#[test]
fn a_dialect_that_is_not_read_opens_no_playground() {
    let mut player = player("c $ j");
    player.state.view.options.only = vec![named("gadget").expect("a dialect")];
    assert_eq!(player.press("Enter"), []);
    assert!(player.status().contains("the call format caret is not read"), "{}", player.status());
}

#[test]
fn a_click_chooses_and_the_wheel_scrolls() {
    let mut player = player("c $");
    player.click_on("hermes", 0..40);
    assert_eq!((player.state.view.layout.bottom, player.state.panes.costs.chosen().name), (PaneId::Costs, "hermes"));
    let area = player.state.view.layout.inner(transcope::tui::layout::Slot::Bottom);
    player.resize(80, 24);
    player.wheel(area.x + 2, 20, 30);
    let top = player.state.panes.costs.top;
    assert!(top > 0, "there is more than fits");
    player.press("j");
    assert_eq!(player.state.panes.costs.top, 0, "another text begins at its beginning");
}

#[test]
fn a_call_that_arrives_is_priced_when_it_has_ended() {
    let mut player = Player::following("live.txt", TEXT, SIZE);
    player.press("$");
    assert!(player.screen().contains("all 2 calls"), "{}", player.screen());
    player.arrives("!!!GADGET_START:Send\n!!!ARG:to\n");
    player.press("j");
    assert!(player.screen().contains("the first 2 of 3 calls"), "{}", player.screen());
    assert!(player.screen().contains("this call is still arriving"), "{}", player.screen());
    player.arrives("cy\n!!!GADGET_END\n");
    player.press("j");
    assert!(player.screen().contains("all 3 calls"), "{}", player.screen());
}
