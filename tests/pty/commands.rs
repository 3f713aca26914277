//! Commands in a terminal: their output, how they end, and how they react to signals.

use std::fs;
use std::io::Read;

use rustix::process::Signal;

use super::{home, is_restored, open, shell, words};

/// Arguments that run a shell command.
fn line(line: &str) -> [&std::ffi::OsStr; 4] {
    ["--".as_ref(), "sh".as_ref(), "-c".as_ref(), line.as_ref()]
}

#[test]
fn both_streams_are_shown_and_the_exit_code_is_that_of_the_command() {
    let home = home();
    let mut terminal = open(&line("echo to the out''put; echo to the si''de >&2; exit 3"), &home);
    terminal.shows("to the output");
    terminal.shows("exited with status 3");
    terminal.types("v");
    terminal.shows("[Events 2]");
    terminal.shows("│ to the side");
    terminal.types("]");
    terminal.shows("[stderr]");
    terminal.types("2\t");
    terminal.shows("to the side");
    terminal.types("q");
    assert_eq!(terminal.ends().exit_code(), 3);
    is_restored(&terminal);
}

#[test]
fn an_interrupt_from_the_keyboard_reaches_the_command() {
    let home = home();
    let mut terminal = open(&line("echo rea''dy; exec sleep 600"), &home);
    terminal.shows("ready");
    terminal.types("\x03");
    terminal.shows("was killed by signal 2 (interrupt)");
    terminal.types("\x03");
    assert_eq!(terminal.ends().exit_code(), 130);
}

#[test]
fn leaving_asks_and_ends_the_command() {
    let home = home();
    let mut terminal = open(
        &line("trap 'echo not''so' INT; mkfifo alive; echo rea''dy; exec 3>alive; while :; do sleep 1; done"),
        &home,
    );
    let mut alive = loop {
        // The pipe exists once the command has created it.
        terminal.shows("ready");
        if let Ok(pipe) = fs::File::open(home.path().join("alive")) {
            break pipe;
        }
    };
    terminal.types("\x03");
    terminal.shows("notso");
    terminal.types("\x03");
    terminal.shows("still runs: q again quits");
    terminal.types("qq");
    let status = terminal.ends();
    assert_eq!(status.exit_code(), 143);
    let written = words(&terminal.written);
    assert!(written.trim_end().ends_with("was killed by signal 15 (terminate)"), "{written:?}");
    is_restored(&terminal);
    let mut rest = Vec::new();
    alive.read_to_end(&mut rest).expect("it ends when nobody has it open for writing any more");
}

#[test]
fn a_signal_that_ends_the_program_ends_the_command() {
    for signal in [Signal::TERM, Signal::HUP, Signal::INT] {
        let home = home();
        let mut terminal = open(&line("mkfifo alive; echo rea''dy; exec 3>alive; exec sleep 600"), &home);
        terminal.shows("ready");
        let mut alive = fs::File::open(home.path().join("alive")).expect("the command has made it");
        terminal.signals(signal);
        assert!(terminal.ends().signal().is_some());
        is_restored(&terminal);
        let mut rest = Vec::new();
        alive.read_to_end(&mut rest).expect("it ends when nobody has it open for writing any more");
    }
}

#[test]
fn the_command_gets_the_input_where_it_is_no_terminal_and_keys_come_from_there() {
    let home = home();
    let mut terminal = shell("printf 'through the command\\n' | transcope --theme dark --tee raw.txt -- cat", &home);
    terminal.shows("through the command");
    terminal.shows("exited with status 0");
    terminal.types("q");
    assert_eq!(terminal.ends().exit_code(), 0);
    assert_eq!(fs::read(home.path().join("raw.txt")).expect("it was saved"), b"through the command\n");
}

#[test]
fn a_pipe_that_outgrows_a_disk_that_is_full_is_shown_whole() {
    let home = home();
    // Limits files to some kilobytes, like a small disk.
    let mut terminal = shell("ulimit -f 100; seq 1000000 | transcope --theme dark --tee raw.txt", &home);
    terminal.shows("Events 2");
    terminal.types("v");
    terminal.shows("could not save to raw.txt: file too large; the copy ends after ");
    terminal.shows("could not write to /tmp: file too large; keeping further input in memory");
    terminal.types("3\tG");
    terminal.shows("1000000");
    terminal.types(":1000\r");
    terminal.shows("1001");
    terminal.types(":700000\r");
    terminal.shows("700001");
    terminal.types("q");
    assert_eq!(terminal.ends().exit_code(), 0);
}
