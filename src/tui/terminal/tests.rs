//! Signals at every step of taking over and restoring the terminal.
//!
//! The process under test is this test binary, started again for one test in a pseudo-terminal.

#[allow(dead_code, reason = "tests/pty uses the rest")]
#[path = "../../../tests/pty/terminal.rs"]
mod pty;

use std::env;
use std::thread;

use rustix::process::Signal;

use super::interruption::at_points;
use super::{Canvas, Mouse, TerminalScreen};
use crate::figures::{Promise, tell};

/// Variables that tell the process which signal to send at which point, and how many points later it ends.
const POINT: &str = "TRANSCOPE_TEST_POINT";
const SIGNAL: &str = "TRANSCOPE_TEST_SIGNAL";
const LATER: &str = "TRANSCOPE_TEST_LATER";

/// The exit code of a process that has fewer points.
const PAST_THE_LAST: i32 = 77;

/// An upper bound of the number of points.
const MOST: usize = 100;

/// An upper bound of the number of points without a lock.
const MOST_LATER: usize = 10;

fn variable(name: &str) -> Option<i32> {
    env::var(name).ok()?.parse().ok()
}

/// The process of [`a_signal_at_any_step_leaves_the_terminal_as_it_was`].
#[test]
#[ignore = "takes over the terminal of a test"]
fn takes_the_terminal_over() {
    let (Some(point), Some(signal), Some(later)) = (variable(POINT), variable(SIGNAL), variable(LATER)) else { return };
    let number = |variable: i32| usize::try_from(variable).expect("a number of points");
    let signal = Signal::from_named_raw(signal).expect("it has a name");
    at_points::plan(number(point), signal, number(later));
    let canvas = if signal == Signal::TERM {
        // The program itself restores the terminal, so there is no need for a guardian.
        Canvas { cells: Ok(thread::spawn(Canvas::make)), guardian: Ok(thread::spawn(|| None)) }
    } else {
        Canvas::begin()
    };
    let mut screen = TerminalScreen::enter(Mouse::Captured, canvas, |_| ()).expect("a terminal");
    screen.draw(|_| ()).expect("it takes output");
    drop(screen);
    if at_points::is_past_the_last() {
        std::process::exit(PAST_THE_LAST);
    }
    at_points::done();
}

/// True if the terminal is in cooked mode on the main screen, without any mode set by the program.
fn is_restored(terminal: &pty::Terminal) -> bool {
    let model = terminal.model();
    let is_plain = !model.alternate_screen() && !model.hide_cursor() && !model.bracketed_paste();
    is_plain && model.mouse_protocol_mode() == vt100::MouseProtocolMode::None && terminal.is_cooked()
}

#[test]
fn a_signal_at_any_step_leaves_the_terminal_as_it_was() {
    let program = env::current_exe().expect("a test is a program");
    let arguments = ["--exact", "tui::terminal::tests::takes_the_terminal_over", "--ignored", "--nocapture"];
    let home = tempfile::tempdir().expect("a folder");
    let mut tried = 0;
    // A signal that can be caught ends the process some steps after it was sent, others immediately.
    let caught = (0..MOST_LATER).map(|later| (Signal::TERM, later));
    for (signal, later) in caught.chain([(Signal::KILL, 0), (Signal::ABORT, 0)]) {
        for point in 0..MOST {
            let number = signal.as_raw().to_string();
            let mut terminal = pty::Terminal::start(
                &program.to_string_lossy(),
                &arguments.map(AsRef::as_ref),
                &[(POINT, &point.to_string()), (SIGNAL, &number), (LATER, &later.to_string())],
                home.path(),
            );
            let status = terminal.ends();
            let what = format!("the terminal as it was, after {signal:?} at {point} and {later} points");
            terminal.waits_for(&what, is_restored);
            if status.exit_code() == PAST_THE_LAST as u32 && status.signal().is_none() {
                assert!(point > 10, "there are {point} points");
                break;
            }
            assert!(status.signal().is_some(), "{signal:?} at {point}: {status:?}\n{}", terminal.screen());
            tried += 1;
        }
    }
    tell(Promise::Faults, "signals at a step", tried);
}
