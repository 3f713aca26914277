//! The program in a terminal: what it draws there, and how it leaves it.
//!
//! Each test starts the real binary in a pseudo-terminal with a scrubbed environment and an empty home.
#![cfg(unix)]

mod abilities;
mod commands;
#[path = "../shared/documents.rs"]
mod documents;
mod examples;
#[path = "../shared/figures.rs"]
mod figures;
mod following;
mod listing;
mod notes;
mod playground;
mod printing;
mod replaying;
mod surroundings;
mod terminal;
mod walking;

use std::ffi::OsStr;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use rustix::process::Signal;
use tempfile::TempDir;

use terminal::Terminal;

const PROGRAM: &str = env!("CARGO_BIN_EXE_transcope");

/// Sequences that restore the terminal: mouse and bracketed paste off, main screen, cursor shown.
const LEAVING: [&str; 6] = ["\x1b[?1000l", "\x1b[?1002l", "\x1b[?1006l", "\x1b[?2004l", "\x1b[?1049l", "\x1b[?25h"];

fn home() -> TempDir {
    tempfile::tempdir().expect("a folder for a test")
}

fn sample(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("samples").join(path)
}

/// A file in a home.
fn file(home: &TempDir, name: &str, bytes: &[u8]) -> PathBuf {
    let path = home.path().join(name);
    fs::write(&path, bytes).expect("a test may write");
    path
}

/// Starts the program with a fixed theme, so that it does not query the terminal.
fn open(arguments: &[&OsStr], home: &TempDir) -> Terminal {
    let arguments: Vec<&OsStr> = [OsStr::new("--theme"), OsStr::new("dark")].iter().chain(arguments).copied().collect();
    Terminal::start(PROGRAM, &arguments, &[], home.path())
}

/// Runs a shell command with `transcope` on its path.
fn shell(line: &str, home: &TempDir) -> Terminal {
    let folder = Path::new(PROGRAM).parent().expect("a program is in a folder").display();
    Terminal::start(
        "/bin/sh",
        &["-c".as_ref(), line.as_ref()],
        &[("PATH", &format!("{folder}:/usr/bin:/bin"))],
        home.path(),
    )
}

fn words(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Checks that the terminal is as a shell expects it.
#[track_caller]
fn is_restored(terminal: &Terminal) {
    let written = words(&terminal.written);
    for sequence in LEAVING {
        let at = written.rfind(sequence);
        assert!(at.is_some(), "{sequence:?} is never written");
        let entering = sequence.replace(['l', 'h'], if sequence.ends_with('l') { "h" } else { "l" });
        assert!(written.rfind(&entering) < at, "{entering:?} is written after {sequence:?}");
    }
    let model = terminal.model();
    assert!(!model.alternate_screen() && !model.hide_cursor() && !model.bracketed_paste());
    assert_eq!(model.mouse_protocol_mode(), vt100::MouseProtocolMode::None);
    assert!(terminal.is_cooked(), "the line discipline is still raw");
}

#[test]
fn the_demonstration_opens_and_q_leaves() {
    let home = home();
    let mut terminal = Terminal::start(PROGRAM, &[], &[], home.path());
    terminal.shows("Juniper & Pine");
    terminal.shows("18 calls");
    assert!(terminal.model().alternate_screen() && terminal.model().hide_cursor() && !terminal.is_cooked());
    assert_ne!(terminal.model().mouse_protocol_mode(), vt100::MouseProtocolMode::None);
    terminal.types("q");
    let status = terminal.ends();
    assert_eq!((status.exit_code(), status.signal()), (0, None));
    is_restored(&terminal);
}

#[test]
fn a_light_terminal_gets_light_colours_and_its_answer_is_no_key() {
    let home = home();
    let mut terminal = Terminal::start(PROGRAM, &[], &[], home.path());
    terminal.shows("OpenMigration");
    assert!(words(&terminal.written).contains("\x1b]11;?\x07"), "the terminal is asked");
    let colour = |terminal: &Terminal| {
        let lines: Vec<String> = terminal.model().rows(0, 100).collect();
        let row = lines.iter().position(|line| line.contains("OpenMigration")).expect("it is shown");
        let column = lines[row].chars().position(|c| c == 'O').expect("it is there");
        let (row, column) = (u16::try_from(row).expect("on the screen"), u16::try_from(column).expect("on the screen"));
        terminal.model().cell(row, column).map(vt100::Cell::fgcolor)
    };
    let before = colour(&terminal);
    terminal.types("\x1b]11;rgb:ffff/ffff/ffff\x1b\\c");
    terminal.shows("Raw  6/247");
    terminal.waits_for("another colour", |terminal| colour(terminal) != before);
    assert!(!terminal.screen().contains("search:"), "a slash in the answer is no key");
}

#[test]
fn keys_and_clicks_arrive() {
    let home = home();
    let mut terminal = open(&[], &home);
    terminal.shows("OpenMigration");
    terminal.types("c");
    terminal.shows("Raw  6/247");
    terminal.types("\x1b[B");
    terminal.shows("Raw  7/247");
    terminal.types("/fetch_rates\r");
    terminal.shows("match 1 of 2");
    terminal.types("?");
    terminal.shows("half a page down");
    terminal.types("\x1b");
    terminal.waits_for("no help", |terminal| !terminal.screen().contains("half a page down"));
    terminal.types("\x1b[<0;5;24M");
    terminal.shows("┏[Problems");
    terminal.types("\x03");
    assert_eq!(terminal.ends().exit_code(), 0);
    is_restored(&terminal);
}

#[test]
fn a_stopped_job_gives_the_terminal_back_and_comes_back_whole() {
    let home = home();
    let mut terminal = shell("set -m; transcope --theme dark; echo STOP''PED; read x; fg; echo EN''DED", &home);
    terminal.shows("OpenMigration");
    terminal.types("c");
    terminal.shows("Raw  6/247");
    terminal.types("\x1a");
    terminal.shows("STOPPED");
    is_restored(&terminal);
    terminal.types("\n");
    terminal.waits_for("the screen", |terminal| terminal.model().alternate_screen());
    terminal.shows("Raw  6/247");
    terminal.shows("duplicate-pointer");
    terminal.shows("OpenMigration");
    assert!(!terminal.is_cooked());
    terminal.types("q");
    terminal.shows("ENDED");
    assert_eq!(terminal.ends().exit_code(), 0);
    is_restored(&terminal);
}

#[test]
fn a_program_that_no_shell_watches_over_is_not_stopped() {
    let home = home();
    let mut terminal = open(&[], &home);
    terminal.shows("OpenMigration");
    terminal.types("\x1a");
    terminal.shows("cannot suspend: no parent shell");
    terminal.signals(Signal::TSTP);
    terminal.types("c");
    terminal.shows("Raw  6/247");
}

#[test]
fn a_stopped_program_redraws_when_continued() {
    let home = home();
    let mut terminal = open(&[], &home);
    terminal.shows("OpenMigration");
    let before = terminal.written.len();
    terminal.signals(Signal::STOP);
    terminal.signals(Signal::CONT);
    terminal.waits_for("a full frame", |terminal| {
        let since = words(&terminal.written[before..]);
        since.contains("\x1b[?1049h") && since.contains("duplicate-pointer") && since.contains("OpenMigration")
    });
}

#[test]
fn a_key_and_another_size_that_come_together_both_count() {
    let home = home();
    let mut terminal = open(&[], &home);
    terminal.shows("OpenMigration");
    for (columns, key, place) in [(90, "c", "Raw  6/247"), (80, "\x1b[B", "Raw  7/247"), (76, "\x1b[A", "Raw  6/247")] {
        terminal.signals(Signal::STOP);
        terminal.resizes(columns, 30);
        terminal.types(key);
        terminal.signals(Signal::CONT);
        terminal.shows(place);
        terminal.waits_for("rows as long as the window", |terminal| {
            // The last column has the scroll bar.
            let row = terminal.model().rows(0, columns).nth(1).unwrap_or_default();
            row.trim_end().chars().count() + 1 == usize::from(columns)
        });
    }
}

#[test]
fn what_is_appended_to_a_followed_file_is_shown() {
    let home = home();
    let path = file(&home, "live.txt", b"the first line\n");
    let mut terminal = open(&["-f".as_ref(), path.as_ref()], &home);
    terminal.shows("following ●");
    let mut append = fs::OpenOptions::new().append(true).open(&path).expect("a test may append");
    for number in 0..60 {
        writeln!(append, "line number {number}").expect("a test may append");
    }
    terminal.shows("line number 59");
    terminal.types("k");
    terminal.shows("following ○");
    writeln!(append, "!!!GADGET_START:Lookup\n!!!ARG:city\nOslo").expect("a test may append");
    terminal.shows("3 new lines below");
    terminal.types("G");
    terminal.shows("\"Oslo\"");
    terminal.shows("arriving");
    fs::write(&path, "another text\n").expect("a test may write");
    terminal.shows("another text");
    terminal.waits_for("nothing of the old text", |terminal| !terminal.screen().contains("Oslo"));
}

#[test]
fn a_file_that_is_not_there_yet_is_waited_for_by_its_name() {
    let home = home();
    let path = home.path().join("later.txt");
    let mut terminal = open(&["-F".as_ref(), path.as_ref()], &home);
    terminal.shows("nothing yet; waiting for more");
    file(&home, "later.txt", b"here it is\n");
    terminal.shows("here it is");
    fs::remove_file(&path).expect("a test may delete");
    file(&home, "later.txt", b"a new one of the same name\n");
    terminal.shows("a new one of the same name");
}

#[test]
fn a_pipe_is_read_and_keys_come_from_the_terminal() {
    for line in [
        "printf 'out of a pipe\\nand more\\n' | transcope --theme dark -",
        "printf 'out of a pipe\\nand more\\n' | transcope --theme dark",
    ] {
        let home = home();
        let mut terminal = shell(line, &home);
        terminal.shows("out of a pipe");
        terminal.types("/more\r");
        terminal.shows("match 1 of 1");
        terminal.types("q");
        assert_eq!(terminal.ends().exit_code(), 0, "{line}");
        is_restored(&terminal);
    }
}

#[test]
fn an_error_in_a_followed_file_calls_the_person() {
    let home = home();
    let path = file(&home, "live.txt", b"!!!GADGET_START:Old\n!!!ARG:a\n1\n!!!ARG:a\n2\n!!!GADGET_END\n");
    let alert = "bell,notify,command=echo called: $TRANSCOPE_CODE, line $TRANSCOPE_LINE >> live.txt";
    let mut terminal = open(&["-f".as_ref(), "--alert".as_ref(), alert.as_ref(), path.as_ref()], &home);
    terminal.shows("1 error");
    assert!(!words(&terminal.written).contains('\x07'), "what was there before is no news");
    let mut append = fs::OpenOptions::new().append(true).open(&path).expect("a test may append");
    writeln!(append, "!!!GADGET_START:New\n!!!ARG:b\n1\n!!!ARG:b\n2\n!!!GADGET_END").expect("a test may append");
    terminal.shows("2 errors");
    terminal.shows("called: duplicate-pointer, line 10");
    let written = words(&terminal.written);
    let notification = format!("\x1b]9;transcope: {}:10: duplicate-pointer: ", path.display());
    assert!(written.contains('\x07') && written.contains(&notification), "{:?}", sequences(&written));
}

#[test]
fn the_end_of_a_command_is_in_the_title_until_the_program_ends() {
    let home = home();
    let arguments = ["--alert", "end,title", "--", "sh", "-c", "echo last words; exit 3"];
    let mut terminal = open(&arguments.map(OsStr::new), &home);
    terminal.shows("alert: ");
    let written = words(&terminal.written);
    let title = written.rsplit_once("\x1b]2;transcope: ").map(|(_, title)| title).expect("a title");
    assert!(title.contains(": exited with status 3\x1b\\"), "{:?}", sequences(&written));
    terminal.types("q");
    assert_eq!(terminal.ends().exit_code(), 3);
    is_restored(&terminal);
    assert!(words(&terminal.written).contains("\x1b[23;2t"), "the title before it is restored");
}

#[test]
fn what_comes_out_of_a_slow_pipe_is_shown_as_it_comes() {
    let home = home();
    let mut terminal = shell("mkfifo slow; (printf 'first\\n'; cat slow) | transcope --theme dark", &home);
    terminal.shows("first");
    terminal.types("c");
    terminal.shows("last call");
    fs::write(home.path().join("slow"), "!!!GADGET_START:Second\n!!!GADGET_END\n").expect("the pipe is read");
    terminal.shows("Second");
    terminal.types("q");
    assert_eq!(terminal.ends().exit_code(), 0);
    is_restored(&terminal);
}

/// Starts the program with an impossible request: one line, code 2, and the terminal is restored.
#[track_caller]
fn refuses(arguments: &[&OsStr], expected: &str, home: &TempDir) {
    let mut terminal = Terminal::start(PROGRAM, arguments, &[], home.path());
    let status = terminal.ends();
    let written = words(&terminal.written);
    assert_eq!(status.exit_code(), 2, "{written}");
    assert!(written.starts_with("error: ") && written.contains(expected), "{written:?} lacks {expected:?}");
    assert_eq!(written.matches('\n').count(), 1, "{written:?} is one line");
    assert!(!written.contains('\x1b'), "{written:?} touches the terminal");
    assert!(terminal.is_cooked());
}

#[test]
fn what_cannot_be_opened_is_said_in_one_line() {
    let home = home();
    refuses(&["missing.txt".as_ref()], "could not open missing.txt: ", &home);
    refuses(
        &["--theme".as_ref(), "drak".as_ref()],
        "unknown theme drak; did you mean dark? (expected one of dark, ",
        &home,
    );
    refuses(&["--dialect".as_ref(), "gadgt".as_ref()], "gadgt", &home);
    refuses(&["--color".as_ref(), "never".as_ref(), "no\x1b]0;title\x07such".as_ref()], "could not open no␛]0;", &home);
}

#[test]
fn any_bytes_make_a_sensible_screen() {
    for (name, bytes, expected) in [
        ("empty.txt", &b""[..], "the text is empty"),
        (
            "invalid.txt",
            b"caf\xe9 \xff\xfe\n!!!GADGET_START:A\n!!!ARG:b\n\xc3\x28\n!!!GADGET_END\n",
            "caf<E9> <FF><FE>",
        ),
        ("nul.txt", b"a\0b\n\0\0\n", "a␀b"),
        ("controls.txt", b"\x1b[2Jred \x9b31m \r\n", "␛[2Jred <9B>31m ␍"),
        ("long.txt", "x".repeat(200_000).as_bytes(), "xxxxxxxx"),
    ] {
        let home = home();
        let path = file(&home, name, bytes);
        let mut terminal = open(&[path.as_ref()], &home);
        terminal.shows(expected);
        // The next key removes the message.
        terminal.types("j");
        terminal.shows("? help");
        terminal.types("Gggq");
        assert_eq!(terminal.ends().exit_code(), 0, "{name}");
        is_restored(&terminal);
    }
}

/// The control sequences in some output, without their ESC; anything other than a CSI sequence is returned whole.
fn sequences(written: &str) -> Vec<&str> {
    written
        .split('\x1b')
        .skip(1)
        .map(|rest| match rest.strip_prefix('[') {
            Some(body) => {
                let end = body.find(|c: char| ('@'..='~').contains(&c)).map_or(body.len(), |at| at + 1);
                &rest[..=end]
            }
            None => rest,
        })
        .collect()
}

#[test]
fn a_hostile_transcript_cannot_do_anything_to_the_terminal() {
    let home = home();
    let mut terminal = open(&[sample("gadget/hostile-ticket.txt").as_ref()], &home);
    terminal.shows("ticket");
    for keys in ["3\t", "w", "w", "p", "d", "a", "Z", "Z", "1\t", "2\t", "/evil\r"] {
        terminal.types(keys);
    }
    terminal.shows("match 1 of");
    for _ in 0..12 {
        terminal.types("c e a ");
    }
    terminal.types("Gq");
    assert_eq!(terminal.ends().exit_code(), 0);
    let written = words(&terminal.written);
    for sequence in sequences(&written) {
        let last = sequence.chars().last().expect("a sequence is not empty");
        let is_whole = ["[>1u", "[<1u", "[22;2t", "[23;2t"].contains(&sequence);
        let is_ours = is_whole || sequence.starts_with('[') && "mHJKhlABCDX".contains(last);
        assert!(is_ours, "{sequence:?} is no sequence of ours");
    }
    let modes = ["?1049", "?25", "?2004", "?1000", "?1002", "?1003", "?1006", "?1015", "?2026"];
    for sequence in sequences(&written).into_iter().filter(|sequence| sequence.ends_with(['h', 'l'])) {
        let mode = &sequence[1..sequence.len() - 1];
        assert!(modes.contains(&mode), "{sequence:?} is no mode of ours");
    }
    let is_bad =
        |c: char| (c.is_control() && !matches!(c, '\x1b' | '\r' | '\n')) || transcope::text::sanitize::is_hidden(c);
    let bad: Vec<char> = written.chars().filter(|&c| is_bad(c)).collect();
    assert!(bad.is_empty(), "{bad:?} reach the terminal");
}

#[test]
fn a_file_is_opened_at_the_place_that_is_given() {
    let home = home();
    let demo = sample("demo.txt");
    for (arguments, expected) in [
        (&["--at", "30:8"][..], " 30:8 "),
        (&["--at", "duplicate-pointer"], "error: Duplicate pointer: folder"),
        (&["+59"], " 59:1 "),
        (&["+/invoices"], "match 1 of"),
    ] {
        let arguments: Vec<&OsStr> = arguments.iter().map(AsRef::as_ref).chain([demo.as_ref()]).collect();
        let mut terminal = open(&arguments, &home);
        terminal.shows(expected);
        terminal.types("q");
        assert_eq!(terminal.ends().exit_code(), 0);
    }
}

#[test]
fn printed_text_stays_until_enter() {
    let home = home();
    let mut terminal = open(&[sample("demo.txt").as_ref()], &home);
    terminal.shows("OpenMigration");
    terminal.types("cjyt");
    terminal.shows("[transcope: press Enter to return]");
    assert!(terminal.screen().contains("Invoices to the new billing service"), "{}", terminal.screen());
    assert!(!terminal.screen().contains("Outline"), "{}", terminal.screen());
    terminal.types("\r");
    terminal.shows("Outline");
    terminal.types("q");
    assert_eq!(terminal.ends().exit_code(), 0);
    is_restored(&terminal);
}

#[test]
fn no_color_means_no_colours() {
    let home = home();
    let mut terminal = Terminal::start(PROGRAM, &[], &[("NO_COLOR", "1")], home.path());
    terminal.shows("OpenMigration");
    terminal.types("e e a d p q");
    assert_eq!(terminal.ends().exit_code(), 0);
    let written = words(&terminal.written);
    for sequence in sequences(&written).into_iter().filter(|sequence| sequence.ends_with('m')) {
        for code in sequence[1..sequence.len() - 1].split(';').filter_map(|code| code.parse::<u8>().ok()) {
            // 39 and 49 are the terminal's own colours.
            let is_colour = matches!(code, 30..=38 | 40..=48 | 58 | 90..=107);
            assert!(!is_colour, "{sequence:?} sets a colour");
        }
    }
}

#[test]
fn a_resized_window_is_filled() {
    let home = home();
    let mut terminal = open(&[], &home);
    terminal.shows("OpenMigration");
    for (columns, rows) in [(140, 45), (60, 20), (19, 4), (10, 3), (100, 30)] {
        terminal.resizes(columns, rows);
        terminal.waits_for(&format!("a frame of {columns}x{rows}"), |terminal| {
            let lines: Vec<String> = terminal.model().rows(0, columns).collect();
            let last = lines.last().map(String::as_str).unwrap_or_default();
            if columns < 20 {
                lines.first().is_some_and(|line| line.contains("20x5"))
            } else {
                let right = lines.get(usize::from(rows) - 2).and_then(|line| line.chars().last());
                last.trim_end().ends_with('%') && last.contains("? help") && matches!(right, Some('╯' | '┛'))
            }
        });
    }
}
