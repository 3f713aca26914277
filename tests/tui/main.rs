//! Keys in, screen out: what the user sees after pressing some keys.
//!
//! Screens are snapshots below `tests/snapshots/tui`, few and small; properties of every screen are checked in loops.
//! To accept new snapshots: `INSTA_UPDATE=always cargo test --test tui`.

mod cases;
mod chance;
mod comparing;
mod context;
mod copying;
mod corpus;
mod costs;
mod declarations;
mod failures;
#[path = "../shared/figures.rs"]
mod figures;
mod files;
mod helping;
mod hints;
mod key_sequences;
mod lens;
mod listing;
mod live;
mod notes;
mod other_runs;
mod paging;
mod pane_sizes;
mod pictures;
mod places;
mod player;
mod playground;
#[path = "../shared/program.rs"]
mod program;
mod questions;
mod recorded;
mod replay;
mod reports;
mod session_rows;
mod shown;
#[path = "../shared/snapshot.rs"]
mod snapshot;
mod statistics;
mod templates;
mod timeline;
mod walk;
mod workshop;

use player::Player;
use shown::{shows, text_of};
use transcope::source::SourceEvent;
use transcope::tui::action::Action;
use transcope::tui::keymap::{Keymap, ScreenId};
use walk::panes_agree;

const SMALL: (u16, u16) = (80, 24);
const LARGE: (u16, u16) = (120, 40);

/// A sample by its path below `samples/`.
fn sample(path: &str) -> Vec<u8> {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("samples").join(path);
    std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The paths of all samples.
fn samples() -> Vec<String> {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("samples");
    let mut paths = Vec::new();
    let mut folders = vec![root.clone()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("readable").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.file_name() != Some("README.md".as_ref()) {
                let path = path.strip_prefix(&root).expect("below the root");
                paths.push(path.to_str().expect("a plain name").to_owned());
            }
        }
    }
    paths.sort();
    paths
}

/// The demonstration, completely arrived.
fn demonstration(size: (u16, u16)) -> Player {
    Player::with_text("demonstration", &sample("demo.txt"), usize::MAX, size)
}

#[test]
fn keys_lead_to_screens() {
    let rows = [
        ("first_screen_80x24", SMALL, ""),
        ("first_screen_120x40", LARGE, ""),
        ("outline_unfolded", SMALL, "alt-1 j l j j"),
        ("raw", SMALL, "alt-3 ctrl-d ctrl-d"),
        ("problems", SMALL, "p j j"),
        ("folded_call", SMALL, "c Enter"),
        ("folded_subtree", SMALL, "c j j j Enter"),
        ("long_value", SMALL, "c c c c c c c c c j j j Z"),
        ("long_value_opened", SMALL, "c c c c c c c c c j j j Enter Z"),
        ("match_in_a_long_value", SMALL, "/dictreader⏎"),
        ("third_problem", LARGE, "e e e"),
        ("graph", LARGE, "d _ j j"),
        ("graph_80x24", SMALL, "d _"),
        ("details", SMALL, "c c a"),
        ("help_80x24", SMALL, "?"),
        ("help_80x24_at_its_end", SMALL, "? End"),
        ("help_in_two_columns", (160, 34), "?"),
        ("costs_80x24", SMALL, "c alt-9 j j"),
        ("costs_120x40", LARGE, "c c $ j j j"),
        ("costs_of_all_calls", LARGE, "$ j ctrl-d"),
        ("statistics_120x40", LARGE, "#"),
        ("statistics_by_size", SMALL, "# l l j j"),
        ("zoom", SMALL, "alt-3 c Z"),
        ("narrow", (50, 20), "c"),
        ("one_pane", (60, 20), "c"),
        ("too_small", (15, 4), ""),
        ("much_too_small", (10, 3), ""),
    ];
    for (name, size, keys) in rows {
        let mut player = demonstration(size);
        player.press(keys);
        shows(name, &player.frame());
    }
}

#[test]
fn texts_lead_to_screens() {
    let half =
        "Let me look.\n\n!!!GADGET_START:Lookup:first\n!!!ARG:city\nOslo\n!!!ARG:days\n3\n!!!ARG:note\nas far as";
    shows("empty_file", &Player::with_text("empty.txt", b"", usize::MAX, SMALL).frame());
    shows("call_arriving", &Player::following("live.txt", half, SMALL).frame());
    let mut hostile = Player::with_text("ticket.txt", &sample("gadget/hostile-ticket.txt"), usize::MAX, LARGE);
    hostile.press("c c");
    shows("hostile_ticket", &hostile.frame());
}

/// Presses keys in the demonstration and checks that the status line contains a text.
fn says(keys: &str, expected: &str) {
    let mut player = demonstration(LARGE);
    player.press(keys);
    let status = player.status();
    assert!(status.contains(expected), "{keys:?} says {status:?}, which lacks {expected:?}");
}

#[test]
fn the_status_line_says_what_a_key_did() {
    for (keys, expected) in [
        ("", "1:1  0%"),
        ("/tot", " search: tot"),
        ("/tot F3", " :"),
        ("/tot F3 Esc", " search: tot"),
        ("/tot ctrl-p next␣err Esc a", " search: tota"),
        ("/tot F3 next␣error⏎", " search: tot"),
        ("/tot F3 Esc Esc", "1:1  0%"),
        ("/tot F3 help⏎ Esc", " search: tot"),
        ("/tot F3 filter⏎ failed Esc", " search: tot"),
        ("& tool:x ctrl-p Esc", " filter: tool:x"),
        ("W .html F3 Esc", ".html"),
        ("A word F3 F3 Esc", " note: word"),
        ("m F3 Esc", "1:1  0%"),
        (":30 F3 Esc", "1:1  0%"),
        (":next-err F3 Enter", "1/3 error"),
        ("/invoice⏎", "match 1 of 18"),
        ("/invoice⏎ n n", "match 3 of 18"),
        ("/invoice⏎ N", "match 18 of 18"),
        ("/invoice⏎ N n", "match 1 of 18"),
        ("/invoice⏎ N", "first match; continued at the last"),
        ("/invoice⏎ N n", "last match; continued at the first"),
        ("/DictReader⏎ n", "the only match"),
        ("G /Moving⏎", "no match after this place; continued at the beginning"),
        ("/Invoice⏎", "match 1 of 3"),
        ("/zebra⏎", "no match for \"zebra\""),
        ("/(⏎", "\"(\" is not a regular expression: unclosed group"),
        ("/a{2000000}⏎", "is not a regular expression: "),
        ("n", "no search yet; press /"),
        ("/invoice⏎ Esc n", "no search yet"),
        ("/zeb Esc", "1:1  0%"),
        ("e", " 1/9 "),
        ("e e", " 2/9 "),
        ("E", " 9/9 "),
        ("e E", " 9/9 "),
        ("E e", " 1/9 "),
        ("c", "6:1"),
        ("c c", "27:1"),
        ("c c C", "6:1"),
        ("c C", "first call"),
        ("G C c c", "last call"),
        (":30⏎", "30:1"),
        (":9999⏎", "no line 9999: the file has 247 lines"),
        (":30:8⏎", "30:8"),
        (":30:800⏎", "30:14"),
        (":+1024⏎", "46:18"),
        (":array-gap⏎", "error: Array index gap: expected 1, got 2"),
        (":merge⏎", "59:1"),
        (":/lamp⏎", "match 1 of"),
        (":0⏎", "\"0\": lines and columns begin at 1"),
        (":x⏎", "\"x\" is not a place, turn, id, problem or command; ctrl-p lists the commands"),
        (":tool-failed⏎", "no tool-failed problem in this text"),
        (":next-error⏎", "1/3 error"),
        (":next-er Tab Enter", "1/3 error"),
        ("ctrl-p next␣error⏎", "1/3 error"),
        ("ctrl-p next␣err Down Enter", "1/9 error"),
        ("ctrl-o", "no earlier jump"),
        (":30⏎ :60⏎ ctrl-o", "30:1"),
        (":30⏎ :60⏎ 2 ctrl-o", "1:1"),
        (":30⏎ :60⏎ 2 ctrl-o ctrl-i", "30:1"),
        ("/lamp⏎ n ctrl-o ctrl-o", "1:1"),
        ("c c c G ' '", "40:1"),
        ("w", "long lines are cut; h and l move sideways"),
        ("w w", "long lines are wrapped"),
        ("T", "the text is complete; open a file with -f to follow it"),
        ("G", "247:79"),
        ("G g", "1:1  0%"),
    ] {
        says(keys, expected);
    }
}

#[test]
fn the_byte_stays_explained_when_the_details_take_the_focus_from_raw() {
    let explained = |keys: &str| {
        let mut player = demonstration(LARGE);
        player.press(keys);
        let screen = player.screen();
        screen.lines().any(|line| line.starts_with("│byte  ") || line.starts_with("┃byte  "))
    };
    for (keys, expected) in [
        ("c a", false),
        ("c 3 Tab j l a", true),
        ("c a alt-3 j", true),
        ("c alt-3 a p a", true),
        ("c alt-3 a alt-2 a", false),
    ] {
        assert_eq!(explained(keys), expected, "{keys:?}");
    }
}

#[test]
fn the_outline_counts_the_calls_that_the_title_counts() {
    let call = |id: &str| format!("Next.\n!!!GADGET_START:Do:{id}\n!!!ARG:x\n1\n!!!GADGET_END\n");
    let mut player = Player::following("live.txt", &call("a"), LARGE);
    for (id, expected) in [("b", "2 calls"), ("c", "3 calls"), ("d", "4 calls")] {
        player.arrives(&call(id));
        let screen = player.screen();
        let counted: Vec<bool> = screen.lines().take(3).map(|line| line.contains(expected)).collect();
        assert_eq!(counted, [true, false, true], "{screen}");
    }
}

#[test]
fn a_problem_of_a_record_is_marked_at_the_record_at_fault() {
    let path = "containers/claude-code/what-goes-wrong.jsonl";
    let mut player = Player::with_text("what-goes-wrong.jsonl", &sample(path), usize::MAX, LARGE);
    let screen = player.screen();
    assert!(
        screen.lines().next().is_some_and(|title| title.contains("✗ 2 errors · ! 1 warning · 4 notes")),
        "{screen}"
    );
    assert!(screen.contains("[Problems 7]"), "{screen}");
    player.press("e");
    let screen = player.screen();
    assert!(screen.contains("1/7 error: turn 1 · not a JSON record"), "{screen}");
    assert!(screen.contains("▾ not a record") || screen.contains("▸ not a record"), "{screen}");
    player.press("alt-3");
    let screen = player.screen();
    assert!(screen.contains("3✗▏ npm WARN") || screen.contains("3✗  npm WARN"), "{screen}");
}

#[test]
fn keys_ask_the_loop_for_what_only_it_can_do() {
    use transcope::tui::message::{Copied, Effect, Navigation, Task};
    for (keys, expected) in [
        ("q", Some(Effect::Go(Navigation::Quit))),
        ("ctrl-c", Some(Effect::Go(Navigation::Interrupt))),
        ("/ ctrl-c q", Some(Effect::Go(Navigation::Quit))),
        ("/q", None),
        ("? Esc", None),
        ("? Esc q", Some(Effect::Go(Navigation::Quit))),
        ("? quit⏎", Some(Effect::Go(Navigation::Quit))),
        ("]", Some(Effect::Go(Navigation::NextTab(1)))),
        ("(", Some(Effect::Go(Navigation::Action(Action::NextText(-1))))),
        ("ctrl-z", Some(Effect::Run(Task::Suspend))),
        ("? ctrl-z", Some(Effect::Run(Task::Suspend))),
        ("/ ctrl-z", Some(Effect::Run(Task::Suspend))),
        ("o", Some(Effect::Go(Navigation::Action(Action::Recorded)))),
        ("O", Some(Effect::Go(Navigation::Action(Action::BackToList)))),
        ("ctrl-l", Some(Effect::Run(Task::Redraw))),
        ("M", Some(Effect::Run(Task::Mouse))),
        ("/mira⏎ y y", Some(Effect::Run(Task::Copy(Copied::new("the selection", "Mira"))))),
        ("/mira⏎ y t", Some(Effect::Run(Task::Print("Mira".into())))),
        ("c c a y y", None),
    ] {
        let effects = demonstration(LARGE).press(keys);
        match (&expected, effects.as_slice()) {
            (None, [] | [Effect::Run(Task::Copy(_))]) => {}
            (Some(expected), [.., found]) if found == expected => {}
            (expected, found) => panic!("{keys:?} asks for {found:?}, not {expected:?}"),
        }
    }
}

#[test]
fn scrolling_up_lets_go_of_the_end_and_going_there_takes_hold_again() {
    let lines = |range: std::ops::Range<usize>| range.map(|n| format!("line {n}\n")).collect::<Vec<_>>().concat();
    let mut player = Player::following("live.txt", &lines(0..50), SMALL);
    let screen = player.screen();
    assert!(screen.contains("following ●") && screen.contains("line 49"), "{screen}");
    player.arrives(&lines(50..60));
    let screen = player.screen();
    assert!(screen.contains("line 59"), "the end is shown as it arrives:\n{screen}");
    for (up, down) in [("k", "G"), ("ctrl-u", "T"), ("g", "End")] {
        player.press(up);
        let before = player.screen();
        assert!(before.contains("following ○"), "{up} lets go:\n{before}");
        player.arrives(&lines(60..63));
        let after = player.screen();
        assert!(after.contains("▼ 3 new lines below: G"), "{after}");
        let panes = |screen: &str| screen.lines().skip(2).take(12).map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(panes(&before), panes(&after), "what is shown does not move while the view is let go");
        player.press(down);
        let held = player.screen();
        assert!(held.contains("following ●") && !held.contains("new line"), "{down} takes hold:\n{held}");
        assert!(held.contains("line 62"), "{held}");
    }
    player.wheel(10, 5, -1);
    assert!(player.screen().contains("following ○"), "the wheel lets go as well");
}

#[test]
fn a_choice_among_bytes_that_were_undecided_stays_at_its_byte() {
    let mut player = Player::following("live.txt", "one\n!!!GADGET_STA", LARGE);
    player.press("alt-3 k j");
    for piece in ["RT:Look", "up\n", "!!!GADGET_END\n"] {
        player.arrives(piece);
        panes_agree(&player.state, piece);
    }
    let screen = player.screen();
    assert!(screen.contains("2 ▌ !!!GADGET_START:Lookup"), "the call is chosen:\n{screen}");
}

#[test]
fn a_choice_of_a_parameter_outlives_the_parameter() {
    let start = "!!!GADGET_START:Copy\n!!!ARG:folder\na\n!!!ARG:folde";
    let mut player = Player::following("live.txt", start, LARGE);
    player.press("alt-3 k j");
    assert!(player.state.view.selection.node.is_some(), "the parameter folde is chosen");
    player.arrives("r\nb\n");
    panes_agree(&player.state, "folde has become a second folder");
    let screen = player.screen();
    assert!(screen.contains("not in the tree"), "{screen}");
}

#[test]
fn a_truncated_file_is_reread() {
    let mut player = Player::following("live.txt", "!!!GADGET_START:Old\n!!!GADGET_END\n", SMALL);
    player.press("c Enter /old⏎");
    player.source(SourceEvent::Restarted("the file was truncated".into()));
    player.arrives("fresh text\n");
    let screen = player.screen();
    assert!(screen.contains("fresh text") && !screen.contains("Old"), "{screen}");
    assert!(screen.contains("the file was truncated"), "{screen}");
}

#[test]
fn a_reading_error_is_shown_and_what_arrived_stays() {
    let mut player = Player::following("live.txt", "a word\n", LARGE);
    player.source(SourceEvent::Failed("the disk is gone".into()));
    let screen = player.screen();
    assert!(screen.contains("a word") && screen.contains("reading failed: the disk is gone"), "{screen}");
}

#[test]
fn a_click_chooses_what_is_under_it_in_every_pane() {
    let mut player = demonstration(LARGE);
    player.click_on("BackupFolder", 1..23);
    let screen = player.screen();
    assert!(screen.contains("┏ Outline") && screen.contains("27:1"), "{screen}");
    player.click_on("compress", 24..70);
    let screen = player.screen();
    assert!(screen.contains("┏ Reading") && screen.contains("Raw  32/247"), "{screen}");
    player.click_on("exports/this-year", 72..119);
    let screen = player.screen();
    assert!(screen.contains("┏ Raw  29/247"), "{screen}");
    player.click_on("array-gap", 1..119);
    let screen = player.screen();
    assert!(screen.contains("┏[Problems 9]") && screen.contains("Raw  176/247"), "{screen}");
    player.click_on("Details", 1..119);
    let screen = player.screen();
    assert!(screen.contains("[Details]") && screen.contains("CreateInvoice"), "{screen}");
}

#[test]
fn a_second_click_folds() {
    let mut player = demonstration(LARGE);
    player.click_on("OpenMigration", 24..70);
    assert!(player.screen().contains("▾ OpenMigration"));
    player.click_on("OpenMigration", 24..70);
    let screen = player.screen();
    assert!(screen.contains("┃▸ OpenMigration"), "{screen}");
}

#[test]
fn the_wheel_scrolls_the_pane_under_it_and_no_other() {
    let mut player = demonstration(LARGE);
    let raw = |screen: &str| -> Vec<String> {
        screen.lines().skip(2).take(27).map(|line| line.chars().skip(75).take(44).collect()).collect()
    };
    let before = raw(&player.screen());
    player.wheel(30, 10, 4);
    let screen = player.screen();
    assert!(screen.contains("▾ BackupFolder  backup") && !screen.contains("┃# Moving"), "{screen}");
    assert_eq!(raw(&screen), before);
    player.wheel(80, 10, 2);
    assert_eq!(raw(&player.screen())[..10], before[6..16], "six lines further");
    player.wheel(80, 10, 1000);
    let last = raw(&player.screen()).pop().expect("there are rows");
    assert!(last.contains("thr"), "the last line stays at the lower edge: {last:?}");
}

#[test]
fn a_resized_window_shows_the_same_place() {
    let mut player = demonstration(LARGE);
    player.press("e e e e");
    for (width, height) in [(80, 24), (50, 20), (200, 60), (15, 4), (120, 40)] {
        player.resize(width, height);
        let screen = player.screen();
        assert!(width < 20 || screen.contains("Array index gap"), "{width}x{height}:\n{screen}");
    }
}

#[test]
fn every_line_of_the_help_can_be_read() {
    for (width, height) in [SMALL, LARGE, (160, 50)] {
        let mut player = demonstration((width, height));
        player.press("?");
        let mut seen = player.screen();
        for _ in 0..250 {
            player.press("Down");
            seen.push_str(&player.screen());
        }
        for binding in Keymap::built_in().bindings(ScreenId::Transcript) {
            let line = format!(" {} ", binding.help);
            assert!(seen.contains(&line), "{width}x{height}: {:?} is cut or glued to its keys", binding.help);
        }
        assert!(seen.contains("Shift: select "), "{width}x{height}: the line about the mouse is cut");
        player.wheel(5, 5, 150);
        assert!(player.screen().contains(" speed "), "{width}x{height}: the wheel leaves the help");
    }
}

#[test]
fn help_and_hints_show_the_keys_that_were_chosen() {
    let chosen = "{quit: [Q], next-problem: [ctrl-n, e], zoom: [], search: [ctrl-f], up: [k, F5]}";
    let chosen = serde_yaml::from_str(chosen).expect("well-formed");
    let mut player = demonstration((200, 70));
    player.state.chrome.keymap = Keymap::with(&chosen).expect("fine");
    let status = player.status();
    assert!(status.contains(" ? help  Q quit  ctrl-n problem  c call  ctrl-f search  "), "{status}");
    assert!(!status.contains("zoom"), "an action without a key is no hint: {status}");
    player.press("?");
    let help = player.screen();
    for line in ["  k  F5       ", "  ctrl-n  e  ", "  Q       "] {
        assert!(help.contains(line), "{line:?} is missing:\n{help}");
    }
    assert!(!help.contains("zoom the focused pane") && help.contains("  Space  PageDown  "), "{help}");
    player.press("Esc ctrl-f pool⏎");
    assert!(player.state.view.search.is_some(), "{}", player.status());
}

#[test]
fn without_colours_the_selection_and_the_focus_are_still_seen() {
    let mut player = demonstration(LARGE);
    player.look("mono");
    player.press("e e /invoice⏎");
    let buffer = player.frame();
    let cells = || buffer.content().iter();
    let plain = ratatui::style::Color::Reset;
    assert!(cells().all(|cell| cell.fg == plain && cell.bg == plain), "a cell has a colour");
    assert!(cells().any(|cell| cell.modifier.contains(ratatui::style::Modifier::REVERSED)), "nothing is selected");
    assert!(text_of(&buffer).contains("┏ Reading"), "the focused pane has a thick border");
}

#[test]
fn it_makes_no_difference_how_a_text_arrived() {
    let keys = "c j j Enter e e /the⏎ n alt-1 j l j alt-3 ctrl-d p j Enter d j a c Z";
    for path in samples() {
        let text = sample(&path);
        let mut whole = Player::with_text(&path, &text, usize::MAX, LARGE);
        let mut pieces = Player::with_text(&path, &text, 1 + text.len() / 2000, LARGE);
        for key in keys.split(' ') {
            whole.press(key);
            pieces.press(key);
            assert_eq!(whole.screen(), pieces.screen(), "{path} after {key}");
        }
    }
}
