//! A random walk through a real terminal: whatever was open when the program ended, the terminal is restored.
//!
//! For a long one: `PROPTEST_CASES=200 cargo test --test pty walk`. Independent of the meaning of keys.

use std::fs::{self, OpenOptions};
use std::io::Write as _;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use proptest::test_runner::{RngSeed, TestRunner};
use rustix::process::{Signal, kill_process};
use transcope::tui::action::Action;
use transcope::tui::keymap::{Keymap, ScreenId};

use super::figures::{self, Promise};
use super::{file, home, is_restored, open, sample};

/// Walks of a short run.
const WALKS: u32 = 3;

/// The next step.
#[derive(Clone, Debug)]
enum Step {
    /// The keys in a row of the table.
    Keys(Index),
    /// Bytes as a terminal sends them.
    Bytes(&'static str),
    Resize(u16, u16),
    /// The followed file grows.
    Append,
    Truncate,
}

/// Clicks, pastes, keys in prompts, and bytes that no terminal sends.
const BYTES: [&str; 10] = [
    "\x1b[<0;5;5M",
    "\x1b[<64;30;9M",
    "\x1b[200~two\rlines\x1b[201~",
    "\x1b[200~\x1b[2J\x1b[201~",
    "some words",
    "\r",
    "\x1b",
    "y",
    "\x1b]11;rgb:ffff/ffff/ffff\x1b\\",
    "\x1b[999;999R\x00\x7f",
];

/// The bytes that a terminal sends for a key of the table.
fn bytes_of(key: &str) -> String {
    if let Some(plain) = key.strip_prefix("alt-") {
        return format!("\x1b{}", bytes_of(plain));
    }
    let named = match key {
        "Enter" => "\r",
        "Esc" => "\x1b",
        "Tab" => "\t",
        "BackTab" => "\x1b[Z",
        "Space" => " ",
        "Up" => "\x1b[A",
        "Down" => "\x1b[B",
        "Right" => "\x1b[C",
        "Left" => "\x1b[D",
        "Home" => "\x1b[H",
        "End" => "\x1b[F",
        "PageUp" => "\x1b[5~",
        "PageDown" => "\x1b[6~",
        "Delete" => "\x1b[3~",
        "F1" => "\x1bOP",
        "F2" => "\x1bOQ",
        "a-z" => "k",
        other => match other.strip_prefix("ctrl-").and_then(|letter| letter.bytes().next()) {
            Some(letter) => return char::from(letter & 0x1f).to_string(),
            None => other,
        },
    };
    named.to_owned()
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        12 => any::<Index>().prop_map(Step::Keys),
        4 => select(BYTES.to_vec()).prop_map(Step::Bytes),
        1 => (1..200_u16, 1..60_u16).prop_map(|(columns, rows)| Step::Resize(columns, rows)),
        2 => Just(Step::Append),
        1 => Just(Step::Truncate),
    ]
}

/// Walks in a separate terminal, ends the program with a signal, and checks the terminal.
fn walk(steps: &[Step]) {
    let leaves = |action: Action| matches!(action, Action::Quit | Action::Interrupt | Action::CloseTab);
    let map = Keymap::built_in();
    let bindings = map.bindings(ScreenId::Transcript).filter(|binding| !leaves(binding.action));
    let keys: Vec<String> = bindings.flat_map(|binding| binding.keys.clone()).collect();
    let home = home();
    let text = fs::read(sample("gadget/hostile-ticket.txt")).expect("a sample");
    let path = file(&home, "live.txt", &text);
    let mut terminal = open(&["-f".as_ref(), path.as_ref()], &home);
    terminal.waits_for("the screen", |terminal| terminal.model().alternate_screen());
    for step in steps {
        match step {
            Step::Keys(index) => index.get(&keys).split(' ').for_each(|key| terminal.types(&bytes_of(key))),
            Step::Bytes(bytes) => terminal.types(bytes),
            Step::Resize(columns, rows) => terminal.resizes(*columns, *rows),
            Step::Append => {
                let mut file = OpenOptions::new().append(true).open(&path).expect("it is there");
                file.write_all(&text).expect("a test may write");
            }
            Step::Truncate => fs::write(&path, "anew\n").expect("a test may write"),
        }
        terminal.rests();
    }
    // A program that has quit must have restored the terminal too.
    let _ = kill_process(terminal.pid, Signal::TERM);
    terminal.ends();
    is_restored(&terminal);
}

#[test]
fn the_terminal_is_restored_after_any_walk() {
    // A short run is the same each time.
    let short = ProptestConfig { cases: WALKS, rng_seed: RngSeed::Fixed(1), ..ProptestConfig::default() };
    let config = if std::env::var_os("PROPTEST_CASES").is_some() { ProptestConfig::default() } else { short };
    let config = ProptestConfig { max_shrink_iters: 100, failure_persistence: None, ..config };
    let taken = std::cell::Cell::new(0);
    let outcome = TestRunner::new(config).run(&vec(step(), 1..40), |steps| {
        walk(&steps);
        taken.set(taken.get() + steps.len());
        Ok(())
    });
    figures::tell(Promise::Keys, "steps", taken.get());
    outcome.unwrap_or_else(|error| panic!("{error}"));
}
