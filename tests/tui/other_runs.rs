//! `D` on a recorded session: the list of the other runs of its folder.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::{Arc, mpsc};
use std::time::{Duration, SystemTime};

use crossterm::event::{MouseButton, MouseEventKind};

use transcope::container::Container;
use transcope::dialect::Options;
use transcope::tui::discovery::indexer::{Indexer, Tell};

use super::comparing::Player;
use super::player::Player as OneText;
use super::{SMALL, sample};

/// A folder with runs of one task, at ten-minute intervals; `name` and prompt of each.
fn folder(runs: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder can be made");
    let session = String::from_utf8(sample("containers/claude-code/late-ferry.jsonl")).expect("it is UTF-8");
    for (number, (name, prompt)) in runs.iter().enumerate() {
        let path = folder.path().join(name);
        fs::write(&path, session.replace("The timetable prints", prompt)).expect("a file can be made");
        let time = SystemTime::UNIX_EPOCH + Duration::from_secs(1_772_000_000 + 600 * number as u64);
        File::options().append(true).open(path).expect("it is there").set_modified(time).expect("its time can be set");
    }
    folder
}

const RUNS: [(&str, &str); 4] =
    [("a.jsonl", "First, it"), ("b.jsonl", "Then it"), ("c.jsonl", "Now it"), ("d.jsonl", "At last it")];

/// The user of files of a folder, the first of which is shown.
fn player(folder: &Path, names: &[&str]) -> Player {
    let open = |name: &&str| {
        let path: PathBuf = folder.join(name);
        let mut player = OneText::with_text(name, &fs::read(&path).expect("it is there"), usize::MAX, SMALL);
        player.state.view.origin.path = Some(path);
        player
    };
    Player::of(names.iter().map(open), SMALL)
}

/// Reads the listed files, as the threads of the program do.
fn read_listed(player: &mut Player) -> usize {
    let (sender, receiver) = mpsc::channel();
    let tell: Tell = Arc::new(move |list, told| sender.send((list, told)).is_ok());
    let indexer = Indexer::new(Container::default(), &Options::default(), 1, &tell).expect("a thread");
    let wanted = player.tabs.wanted();
    let files = wanted.len();
    indexer.want(wanted);
    for _ in 0..files {
        let (list, told) = receiver.recv_timeout(Duration::from_secs(20)).expect("it arrives in time");
        player.tabs.discover(list, told);
    }
    files
}

#[test]
fn the_run_recorded_before_is_chosen_first_and_enter_compares_with_it() {
    let folder = folder(&RUNS);
    let mut player = player(folder.path(), &["c.jsonl"]);
    player.press("D");
    let screen = player.screen();
    let lines: Vec<&str> = screen.lines().filter(|line| line.contains(".jsonl  2026-")).collect();
    let names = ["d.jsonl", "b.jsonl", "a.jsonl"];
    assert!(lines.len() == 3 && lines.iter().zip(names).all(|(line, name)| line.contains(name)), "{screen}");
    assert_eq!(read_listed(&mut player), 3);
    let screen = player.screen();
    assert!(screen.contains("Then it \"25:10\"") && screen.contains("1 turn "), "{screen}");
    player.press("Enter");
    let screen = player.screen();
    assert!(screen.contains("turn 1  Now it") && screen.contains("turn 1  Then it"), "{screen}");
}

#[test]
fn typing_narrows_the_list_and_escape_closes_it() {
    let folder = folder(&RUNS);
    for (keys, read, expected) in [
        ("D Down Enter", false, "turn 1  First, it"),
        ("D Up Enter", false, "turn 1  At last it"),
        ("D d.j Enter", false, "turn 1  At last it"),
        ("D l a s t Enter", true, "turn 1  At last it"),
        ("D z z z z Enter", true, "── turn 1"),
        ("D Esc", true, "── turn 1"),
    ] {
        let mut player = player(folder.path(), &["c.jsonl"]);
        let (first, rest) = keys.split_once(' ').expect("several keys");
        player.press(first);
        if read {
            read_listed(&mut player);
        }
        player.press(rest);
        let screen = player.screen();
        assert!(screen.contains(expected) && !screen.contains("Compare with another"), "{keys}:\n{screen}");
        assert!(player.tabs.wanted().is_empty(), "{keys}: files are read only while they are listed");
    }
}

#[test]
fn an_open_session_is_offered_first_and_alone_it_is_not_asked_for() {
    let files = folder(&RUNS);
    let mut both = player(files.path(), &["c.jsonl", "a.jsonl"]);
    both.press("D");
    let screen = both.screen();
    let line = |words: &str| screen.lines().position(|line| line.contains(words)).unwrap_or(usize::MAX);
    assert!(line("open") < line("d.jsonl") && line("d.jsonl") < line("b.jsonl"), "{screen}");
    both.press("Enter");
    let screen = both.screen();
    assert!(screen.contains("turn 1  First, it"), "{screen}");

    let files = folder(&RUNS[..2]);
    let mut two = player(files.path(), &["a.jsonl", "b.jsonl"]);
    two.press("D");
    let screen = two.screen();
    assert!(screen.contains("turn 1  First, it") && screen.contains("turn 1  Then it"), "{screen}");

    let files = folder(&RUNS[..1]);
    let mut alone = player(files.path(), &["a.jsonl"]);
    alone.press("D");
    assert!(alone.screen().contains("nothing to compare with: no other session in its folder"), "{}", alone.screen());
}

#[test]
fn a_click_on_a_run_compares_with_it() {
    let files = folder(&RUNS);
    let mut player = player(files.path(), &["c.jsonl"]);
    player.press("D");
    let screen = player.screen();
    let row = screen.lines().position(|line| line.contains("a.jsonl")).expect("it is listed");
    let row = u16::try_from(row).expect("on the screen");
    player.mouse(MouseEventKind::Down(MouseButton::Left), 30, row);
    assert!(player.screen().contains("turn 1  First, it"), "{}", player.screen());
}
