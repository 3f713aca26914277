//! The terminal when the program is ended from outside, and terminals and systems with little to offer.

use std::time::{Duration, Instant};

use rustix::process::Signal;
use transcope::system::signal::ENDING;

use super::figures::{Promise, tell};
use super::terminal::Terminal;
use super::{LEAVING, PROGRAM, home, is_restored, open, shell, words};

/// The program after its second frame, when everything that guards the terminal is in place.
fn shown(home: &tempfile::TempDir) -> Terminal {
    let mut terminal = open(&[], home);
    terminal.shows("OpenMigration");
    terminal.types("c");
    terminal.shows("Raw  6/247");
    terminal
}

#[test]
fn a_signal_restores_the_terminal_and_ends_the_program() {
    let home = home();
    for &number in ENDING {
        let signal = Signal::from_named_raw(number).expect("it has a name");
        let mut terminal = open(&[], &home);
        terminal.shows("OpenMigration");
        terminal.signals(signal);
        let status = terminal.ends();
        let expected = match signal {
            Signal::TERM => Some("Terminated"),
            Signal::HUP => Some("Hangup"),
            Signal::INT => Some("Interrupt"),
            Signal::QUIT => Some("Quit"),
            // Other signals have names too, and some of them end it like TERM.
            _ => status.signal(),
        };
        assert!(status.signal().is_some() && status.signal() == expected, "{signal:?}: {status:?}");
        is_restored(&terminal);
    }
    tell(Promise::Faults, "signals", ENDING.len());
}

#[test]
fn uncatchable_signals_restore_the_terminal() {
    let home = home();
    let signals = [Signal::KILL, Signal::ILL, Signal::FPE, Signal::SYS, Signal::TRAP];
    for signal in signals {
        let mut terminal = shown(&home);
        terminal.signals(signal);
        let status = terminal.ends();
        assert!(status.signal().is_some(), "{signal:?}: {status:?}");
        terminal.waits_for("the main screen", |terminal| {
            LEAVING.iter().all(|sequence| words(&terminal.written).contains(sequence)) && terminal.is_cooked()
        });
        is_restored(&terminal);
    }
    tell(Promise::Faults, "signals", signals.len());
}

#[test]
fn a_terminal_that_is_somebody_else_s_is_left_alone_when_the_program_is_killed() {
    let home = home();
    let mut terminal = shown(&home);
    terminal.types("jyt");
    terminal.shows("[transcope: press Enter to return]");
    is_restored(&terminal);
    terminal.signals(Signal::KILL);
    terminal.ends();
    let before = terminal.written.len();
    let comes = terminal.takes_next(Instant::now() + Duration::from_millis(300));
    assert!(!comes, "{:?}", words(&terminal.written[before..]));
    assert!(terminal.is_cooked());
}

#[test]
fn a_terminal_without_a_size_gets_the_usual_one() {
    let home = home();
    for size in [(0, 0), (0, 24), (80, 0)] {
        let mut terminal = Terminal::sized(size, PROGRAM, &[], &[], home.path());
        terminal.shows("OpenMigration");
        terminal.types("q");
        assert_eq!(terminal.ends().exit_code(), 0, "{size:?}");
        is_restored(&terminal);
    }
}

#[test]
fn few_open_files_are_enough_or_said_in_one_line() {
    let home = home();
    let mut tried = 0;
    for (arguments, enough) in [("-f demo.txt", 24), ("demo.txt", 24)] {
        for files in 4..=enough {
            let demo = super::sample("demo.txt").display().to_string();
            let mut terminal = shell(&format!("cp {demo} .; ulimit -n {files}; exec transcope {arguments}"), &home);
            terminal.types("q");
            let status = terminal.ends();
            let written = words(&terminal.written);
            let case = format!("{arguments} with {files} files: {status:?}\n{written}");
            assert!(!written.contains("panicked"), "{case}");
            match status.exit_code() {
                0 => {}
                2 => assert_eq!(written.matches("error: ").count(), 1, "{case}"),
                // The program itself cannot be loaded.
                127 => assert!(files < 6, "{case}"),
                _ => panic!("{case}"),
            }
            assert!(files < enough || status.exit_code() == 0, "{case}");
            assert!(terminal.is_cooked() && !terminal.model().alternate_screen(), "{case}");
            tried += 1;
        }
    }
    tell(Promise::Faults, "limits", tried);
}
