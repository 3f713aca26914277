//! Abilities that terminals have or lack: colours, the mouse, the clipboard, drawing at all.

use std::ffi::OsStr;
use std::fs;
use std::io::Write as _;

use super::terminal::Terminal;
use super::{PROGRAM, file, home, is_restored, open, sequences, words};

#[test]
fn a_terminal_gets_no_more_colours_than_it_has() {
    let home = home();
    for (variables, true_colour, indexed) in [
        (&[("TERM", "linux")][..], false, 0..16),
        (&[("TERM", "xterm")], false, 0..16),
        (&[("TERM", "vt100")], false, 0..0),
        (&[("TERM", "xterm-256color")], false, 16..256),
        (&[("TERM", "xterm-256color"), ("COLORTERM", "truecolor")], true, 0..0),
        (&[("TERM", "xterm-256color"), ("NO_COLOR", "1")], false, 0..0),
        (&[("TERM", "vt100"), ("FORCE_COLOR", "1")], false, 0..16),
    ] {
        let mut terminal = Terminal::start(PROGRAM, &[], variables, home.path());
        terminal.shows("18 calls");
        terminal.types("q");
        terminal.ends();
        let written = words(&terminal.written);
        assert_eq!(written.contains("8;2;"), true_colour, "{variables:?}");
        let mut indexes = written.split("8;5;").skip(1).map(|rest| {
            let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
            digits.parse::<u16>().expect("an index")
        });
        assert!(indexes.clone().all(|index| indexed.contains(&index)), "{variables:?}: {:?}", indexes.max());
        assert_eq!(indexes.next().is_some(), !indexed.is_empty(), "{variables:?}");
    }
}

#[test]
fn doctor_reports_the_answers_of_the_terminal_and_restores_it() {
    let home = home();
    let mut terminal = Terminal::start(PROGRAM, &["doctor".as_ref()], &[("COLORTERM", "truecolor")], home.path());
    terminal.waits_for("the last query", |terminal| words(&terminal.written).contains("\x1b[c"));
    assert!(!terminal.is_cooked(), "answers are not echoed");
    let widths =
        ["1", "2", "2", "2"].map(|width| format!("\x1b[1;{}R", width.parse::<u8>().expect("a number") + 1)).concat();
    let modes = [1000, 1002, 1006].map(|mode| format!("\x1b[?{mode};2$y")).concat();
    terminal.types(&format!("{widths}x\x1b[?1u\x1bP>|ferry 2\x1b\\\x1b]11;rgb:ffff/ffff/ffff\x07{modes}\x1b[?62;52c"));
    terminal.shows("✓ terminal      ferry 2, TERM=xterm-256color, 100×30");
    for row in [
        "✓ colours       24-bit",
        "✓ clipboard     OSC 52",
        "✓ keys          all distinct (kitty keyboard protocol)",
        "✓ mouse         clicks, drags and the wheel",
        "✓ widths        accents, Chinese and emoji as transcope counts them",
        "✓ background    light",
        "Nothing is broken.",
    ] {
        terminal.shows(row);
    }
    assert_eq!(terminal.ends().exit_code(), 0);
    assert!(terminal.is_cooked(), "the line discipline is still raw");
}

#[test]
fn doctor_ends_without_answers_and_by_signals_and_restores_the_terminal() {
    let home = home();
    let run = || Terminal::start(PROGRAM, &["doctor".as_ref()], &[], home.path());
    let asks = |terminal: &mut Terminal| {
        terminal.waits_for("the last query", |terminal| words(&terminal.written).contains("\x1b[c"));
    };
    let mut terminal = run();
    terminal.shows("background are unknown");
    assert_eq!(terminal.ends().exit_code(), 0);
    assert!(terminal.is_cooked(), "the line discipline is still raw");
    let mut terminal = run();
    asks(&mut terminal);
    terminal.types("\x03");
    assert!(terminal.ends().signal().is_some(), "ctrl-c ends it");
    assert!(terminal.is_cooked(), "the line discipline is still raw");
    let mut terminal = run();
    asks(&mut terminal);
    terminal.signals(rustix::process::Signal::TERM);
    assert!(terminal.ends().signal().is_some(), "a signal ends it");
    assert!(terminal.is_cooked(), "the line discipline is still raw");
}

#[test]
fn keys_of_the_configuration_do_what_they_are_given_for() {
    let home = home();
    let config = file(&home, "keys.yaml", b"keys:\n  quit: [Q]\n  help: [F5, x]\n  examples: []\n");
    let mut terminal = open(&["--config".as_ref(), config.as_ref()], &home);
    terminal.shows("F5 help  Q quit");
    terminal.types("qx");
    terminal.shows("half a page down");
    terminal.types("\x1b");
    terminal.waits_for("no help", |terminal| !terminal.screen().contains("half a page down"));
    terminal.types("Q");
    assert_eq!(terminal.ends().exit_code(), 0);
    file(&home, "keys.yaml", b"keys: {serach: [x]}\n");
    let mut terminal = open(&["--config".as_ref(), config.as_ref()], &home);
    assert_eq!(terminal.ends().exit_code(), 2);
    let words = words(&terminal.written).replace("\r\n", "");
    assert!(words.contains("keys.yaml: line 1: keys.serach: unknown action serach; did you mean search?"), "{words}");
    assert!(!words.contains('\u{1b}'), "no screen was opened");
}

#[test]
fn themes_are_tried_on_what_is_shown_and_kept_or_left() {
    let home = home();
    let mut terminal = open(&[], &home);
    terminal.shows("18 calls");
    let colour = |terminal: &Terminal| {
        let row = terminal.model().rows(0, 100).position(|line| line.contains("▸ OpenMigration")).expect("it is shown");
        terminal.model().cell(u16::try_from(row).expect("on the screen"), 3).map(vt100::Cell::fgcolor)
    };
    let dark = colour(&terminal);
    terminal.types("L");
    terminal.shows("theme 1/7 dark: j/k try others, Enter keeps, Esc returns");
    terminal.types("j");
    terminal.shows("theme 2/7 light: ");
    terminal.waits_for("another colour", |terminal| colour(terminal) != dark);
    terminal.types("\x1b");
    terminal.waits_for("the colour from before", |terminal| colour(terminal) == dark);
    terminal.shows("? help");
    terminal.types("Lj\r");
    terminal.shows("kept until you quit; for good, put theme: light in ~/.config/transcope/config.yaml");
    assert!(colour(&terminal) != dark);
    terminal.types("q");
    assert_eq!(terminal.ends().exit_code(), 0);
}

#[test]
fn the_mouse_can_be_left_to_the_terminal() {
    use vt100::MouseProtocolMode::{ButtonMotion, None};
    let home = home();
    let mut terminal = open(&["--no-mouse".as_ref()], &home);
    terminal.shows("18 calls");
    assert_eq!(terminal.model().mouse_protocol_mode(), None);
    terminal.types("M");
    terminal.shows("mouse captured");
    assert_eq!(terminal.model().mouse_protocol_mode(), ButtonMotion, "buttons and drags, and no other motion");
    terminal.types("M");
    terminal.shows("mouse released");
    assert_eq!(terminal.model().mouse_protocol_mode(), None);
    terminal.types("q");
    terminal.ends();
    is_restored(&terminal);
}

#[test]
fn in_tmux_a_copy_goes_to_its_buffer() {
    let home = home();
    let script = "#!/bin/sh\nprintf '%s ' \"$@\" > asked\ncat > buffer\n";
    let program = file(&home, "tmux", script.as_bytes());
    let executable = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    fs::set_permissions(program, executable).expect("a test may set modes");
    let path = format!("{}:/usr/bin:/bin", home.path().display());
    let variables = [("TMUX", "/tmp/none,1,0"), ("PATH", &path)];
    let mut terminal = Terminal::start(PROGRAM, &[], &variables, home.path());
    terminal.shows("18 calls");
    terminal.types("/mira\r");
    terminal.shows("match 1 of");
    terminal.types("yy");
    terminal.shows("copied the selection (4 B) by tmux; prefix ] pastes it");
    let read = |name: &str| fs::read_to_string(home.path().join(name)).expect("it was written");
    assert_eq!((read("asked"), read("buffer")), ("load-buffer -w - ".into(), "Mira".into()));
    assert!(!words(&terminal.written).contains("]52;"), "the terminal is not asked as well");
    terminal.types("q");
    terminal.ends();
}

#[test]
fn a_terminal_that_cannot_draw_gets_lines_and_so_does_whoever_asks_for_them() {
    let home = home();
    let path = file(&home, "text.txt", b"One.\n!!!GADGET_START:A:a\n!!!GADGET_END\n");
    for (arguments, term) in [(&[][..], "dumb"), (&["--linear"], "xterm-256color")] {
        let arguments: Vec<&OsStr> = arguments.iter().map(OsStr::new).chain([path.as_os_str()]).collect();
        let mut terminal = Terminal::start(PROGRAM, &arguments, &[("TERM", term)], home.path());
        terminal.ends();
        let expected = "text:\r\n  One.\r\ntool A call: a\r\nend: 1 call, 0 errors, 0 warnings\r\n";
        assert_eq!(words(&terminal.written), expected, "{term}");
    }
    // Following works too, and no byte moves the cursor back.
    let arguments = [OsStr::new("-f"), path.as_os_str()];
    let mut terminal = Terminal::start(PROGRAM, &arguments, &[("TERM", "dumb")], home.path());
    terminal.shows("tool A call: a");
    let more = "Two.\n\x1b[2J\n";
    fs::OpenOptions::new().append(true).open(&path).and_then(|mut file| file.write_all(more.as_bytes())).expect("more");
    terminal.shows("  ␛[2J");
    let written = words(&terminal.written);
    assert!(!written.contains('\u{1b}') && !written.replace("\r\n", "").contains('\r'), "{written:?}");
}

#[test]
fn what_is_copied_goes_to_the_clipboard_in_a_form_that_can_do_nothing_else() {
    let home = home();
    let path = file(&home, "copy.txt", b"!!!GADGET_START:A\n!!!ARG:b\n\x1b]0;title\x07\n!!!GADGET_END\n");
    let mut terminal = open(&[path.as_ref()], &home);
    terminal.shows("␛]0;title␇");
    terminal.types("jyy");
    terminal.shows("copied the selection (14 B, 2 characters replaced; Y: exact) by OSC 52");
    let written = words(&terminal.written);
    assert!(written.contains("\x1b]52;c;4pCbXTA7dGl0bGXikIc=\x1b\\"), "{:?}", sequences(&written));
    terminal.types("Y");
    terminal.shows("copied the selection, exact bytes (10 B, 2 unsafe) by OSC 52");
    let written = words(&terminal.written);
    assert!(written.contains("\x1b]52;c;G10wO3RpdGxlBw==\x1b\\"), "{:?}", sequences(&written));
    assert!(!written.contains("\x1b]0;"), "the title is set");
}
