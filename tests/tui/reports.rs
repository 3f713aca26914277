//! `W`: a report on what is shown, in the format given by the file name.

use std::fs;
use std::path::Path;

use transcope::redact::OwnPatterns;
use transcope::tui::message::{Effect, Msg, Task};
use transcope::tui::report::ReportJob;
use transcope::tui::screen::Screen as _;

use super::player::Player;

const SIZE: (u16, u16) = (120, 40);

/// Presses keys that request a report, and writes it in a folder. Returns the screen.
#[track_caller]
fn exports(player: &mut Player, keys: &str, folder: &Path) -> String {
    let effects = player.press(keys);
    let [Effect::Run(Task::Export(path))] = effects.as_slice() else { panic!("{effects:?}") };
    let view = &player.state.view;
    let filter = view.filter.as_ref().map(|filter| filter.filter().clone());
    let text = (view.origin.name.as_str(), view.whole(), &view.options);
    let job = ReportJob::new(folder.join(path), text, filter, OwnPatterns::default());
    let outcome = job.and_then(ReportJob::run);
    let said = outcome.clone().unwrap_or_else(|words| words).replace(&format!("{}/", folder.display()), "");
    player.state.update(outcome.map_or_else(Msg::Failed, Msg::Notice));
    said
}

#[test]
fn what_is_shown_becomes_a_report_by_the_name_of_its_file() {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let at = folder.path();
    let read = |name: &str| fs::read_to_string(at.join(name)).expect("it was made");
    let token = format!("ghp_{}", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
    let text =
        include_str!("../../samples/containers/claude-code/late-ferry.jsonl").replace("Tests are in tests/", &token);
    let mut player = Player::with_text("logs/late-ferry.jsonl", text.as_bytes(), 1000, SIZE);
    player.press("W");
    let screen = player.screen();
    assert!(screen.contains("export as: late-ferry.redacted.html"), "{screen}");
    assert!(screen.contains("html  or .md, .json; NAME.redacted.html replaces secrets"), "{screen}");
    player.press("Esc");

    assert!(player.press("W ctrl-u late-ferry.html⏎").is_empty(), "what keeps secrets is written on demand only");
    let screen = player.screen();
    assert!(screen.contains("export as: late-ferry.html  ✗ not redacted: Enter again writes it"), "{screen}");
    let said = exports(&mut player, "⏎", at);
    assert!(said.starts_with("wrote late-ferry.html ("), "{said}");
    assert!(said.ends_with(" with secrets (1 github-token); .redacted.html replaces them"), "{said}");
    let page = read("late-ferry.html");
    assert!(page.contains("<title>late-ferry.jsonl</title>") && page.contains(&token) && !page.contains("<script>"));
    assert_eq!(page.matches("<details class=\"call").count(), 3);
    assert!(player.screen().contains("wrote "), "the receipt is shown");

    let said = exports(&mut player, "W ctrl-u late-ferry.html⏎⏎", at);
    assert_eq!(said, "could not write late-ferry.html: it exists; give another name");
    let status = player.status();
    assert!(status.contains(" export as: late-ferry.html ") && status.contains("could not write"), "{status}");
    player.press("Esc");
    assert_eq!(read("late-ferry.html"), page);

    player.press("& failed⏎");
    let said = exports(&mut player, "W ctrl-u failed.redacted.interactive.html⏎", at);
    assert!(
        said.contains("; redacted 1 github-token, 1 user: review before sharing; filter: failed (1 of 3 calls)"),
        "{said}"
    );
    let page = read("failed.redacted.interactive.html");
    assert!(page.contains("<script>") && !page.contains(&token));
    assert_eq!(page.matches("<details class=\"call").count(), 1, "the filter that is set holds");

    player.press("Esc");
    let said = exports(&mut player, "W ctrl-u a.redacted.md⏎", at);
    assert!(said.ends_with("; redacted 1 github-token, 1 user: review before sharing"), "{said}");
    assert!(read("a.redacted.md").starts_with("[//]: # (generator: transcope)\n\n# late-ferry.jsonl\n"));
    let said = exports(&mut player, "W ctrl-u a.txt⏎", at);
    assert_eq!(said, "end the name of a report in .html, .md or .json");
    // The name is corrected in the prompt.
    let said = exports(&mut player, "ctrl-u b.redacted.md⏎", at);
    assert!(said.contains("wrote b.redacted.md"), "{said}");
    assert!(!player.status().contains("export as:"), "{}", player.status());
    let said = exports(&mut player, "W ctrl-u no/such/a.json⏎⏎", at);
    assert_eq!(said, "could not write no/such/a.json: no such file or directory");
    assert_eq!(fs::read_dir(at).expect("a folder").count(), 4);
    player.press("Esc");
    assert!(player.press("W ctrl-u ⏎").is_empty(), "without a name nothing is written");
}
