//! Queries to the terminal whose answers `doctor` reports, written and read without entering the screen.
//!
//! Every terminal answers the last query (DA1), so an answer to it ends the wait. Until then, or for `PATIENCE`, lines
//! are neither edited nor echoed, and the terminal is restored however the wait ends. Some terminals print a query that
//! they do not know; the line is erased afterwards.

use std::fs::File;
use std::io::{self, IsTerminal as _, Read as _, Write as _};
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::process::getpgrp;
use rustix::termios::{LocalModes, OptionalActions, SpecialCodeIndex, tcgetattr, tcgetpgrp, tcsetattr};
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::flag;

use super::background::{self, Background};
use crate::system::signal;

/// Longest wait for an answer: a connection around the world takes a third of it.
const PATIENCE: Duration = Duration::from_secs(1);

/// Maximum number of bytes of all answers; more are not answers.
const MAX_BYTES: usize = 4096;

/// Texts whose width terminals disagree about: an accent on its own, Chinese, an emoji that a selector widens, and one
/// made of several.
pub const WIDTH_PROBES: [&str; 4] = ["e\u{301}", "漢", "⚠\u{fe0f}", "👩\u{200d}💻"];

/// Modes that DECRQM is about: reports of buttons, of motion while one is held, and columns beyond 223.
const MOUSE_MODES: [u16; 3] = [1000, 1002, 1006];

/// The answers of a terminal; `None` for a query that it did not answer.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct TerminalAnswers {
    /// Its name and version (XTVERSION).
    pub version: Option<String>,
    /// Its background colour as light or dark (OSC 11).
    pub background: Option<Background>,
    /// True if it has the kitty keyboard protocol.
    pub has_kitty_keys: bool,
    /// True if it reports the mouse (DECRQM).
    pub has_mouse: Option<bool>,
    /// Its attributes (DA1): 52 is a clipboard that programs can write to.
    pub attributes: Option<Vec<u16>>,
    /// Columns that it takes for each of [`WIDTH_PROBES`].
    pub widths: Vec<usize>,
}

/// Queries the terminal on standard output.
///
/// # Errors
/// The reason why it was not queried, as a clause: `standard output is not a terminal`.
pub fn ask(term: Option<&str>) -> Result<TerminalAnswers, String> {
    if !io::stdout().is_terminal() {
        return Err("standard output is not a terminal".to_owned());
    }
    if !background::can_be_asked(term) {
        return Err(format!("a terminal with TERM={} answers no queries", term.unwrap_or_default()));
    }
    let cannot = |error: io::Error| format!("the terminal cannot be read: {error}");
    let device = File::options().read(true).write(true).open("/dev/tty").map_err(cannot)?;
    // Reading in the background would stop the process.
    if tcgetpgrp(&device).ok() != Some(getpgrp()) {
        return Err("the program runs in the background".to_owned());
    }
    let answers = exchange(device).map_err(cannot)?;
    Ok(TerminalAnswers::parse(&answers))
}

/// All queries in one write.
fn questions() -> String {
    let widths = WIDTH_PROBES.map(|text| format!("\r{text}\x1b[6n")).concat();
    let modes = MOUSE_MODES.map(|mode| format!("\x1b[?{mode}$p")).concat();
    format!("{widths}\r\x1b[2K\x1b[?u\x1b[>q{}{modes}\r\x1b[2K\x1b[c", background::QUESTION)
}

/// Writes the queries and reads the answers.
fn exchange(mut device: File) -> io::Result<Vec<u8>> {
    let before = tcgetattr(&device)?;
    let (caught, is_over) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicBool::new(false)));
    for number in [SIGHUP, SIGINT, SIGTERM] {
        flag::register_conditional_default(number, Arc::clone(&is_over))?;
        flag::register_usize(number, Arc::clone(&caught), usize::try_from(number).unwrap_or_default())?;
    }
    let mut modes = before.clone();
    modes.local_modes.remove(LocalModes::ICANON | LocalModes::ECHO | LocalModes::ISIG);
    modes.special_codes[SpecialCodeIndex::VMIN] = 0;
    modes.special_codes[SpecialCodeIndex::VTIME] = 0;
    tcsetattr(&device, OptionalActions::Now, &modes)?;
    let answers = device.write_all(questions().as_bytes()).and_then(|()| wait(&mut device, &caught));
    // If the terminal refuses this, it is gone.
    let _ = tcsetattr(&device, OptionalActions::Flush, &before);
    is_over.store(true, Ordering::Release);
    match i32::try_from(caught.load(Ordering::Acquire)) {
        Ok(number) if number > 0 => signal::end_by(number),
        _ => {}
    }
    answers
}

/// Reads until the last answer, a signal, ctrl-c, or the end of patience.
fn wait(device: &mut File, caught: &AtomicUsize) -> io::Result<Vec<u8>> {
    let end = Instant::now() + PATIENCE;
    let mut answers = Vec::new();
    while answers.len() < MAX_BYTES && caught.load(Ordering::Acquire) == 0 {
        let left = end.saturating_duration_since(Instant::now());
        let Ok(timeout) = left.try_into() else { break };
        let ready = poll(&mut [PollFd::new(&*device, PollFlags::IN)], Some(&timeout));
        if left.is_zero() || matches!(ready, Ok(0)) {
            break;
        }
        let mut bytes = [0; 512];
        match device.read(&mut bytes) {
            Ok(0) => break,
            Ok(length) => answers.extend_from_slice(&bytes[..length]),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
        // The terminal does not turn ctrl-c into a signal now.
        if answers.contains(&0x03) {
            caught.store(usize::try_from(SIGINT).unwrap_or_default(), Ordering::Release);
        }
        if TerminalAnswers::parse(&answers).attributes.is_some() {
            break;
        }
    }
    Ok(answers)
}

impl TerminalAnswers {
    /// Parses answers; keys that were typed in between are skipped.
    fn parse(bytes: &[u8]) -> Self {
        let text = String::from_utf8_lossy(bytes);
        let mut answers = Self::default();
        let mut modes: Vec<(u16, bool)> = Vec::new();
        for part in text.split('\x1b').skip(1) {
            match part.strip_prefix("[?").and_then(|rest| rest.split_once("$y")) {
                // 0 is an unknown mode, 4 one that is never set.
                Some((mode, _)) => modes.extend(match parsed(mode)[..] {
                    [mode, state] => Some((mode, !matches!(state, 0 | 4))),
                    _ => None,
                }),
                None => answers.take(part),
            }
        }
        let has = |mode: &u16| modes.iter().find(|(known, _)| known == mode).map(|(_, has)| *has);
        let known: Option<Vec<bool>> = MOUSE_MODES.iter().map(has).collect();
        answers.has_mouse = known.map(|known| known.into_iter().all(|has| has));
        answers
    }

    /// Takes one answer, without the escape before it.
    fn take(&mut self, part: &str) {
        if let Some(colour) = part.strip_prefix(']') {
            self.background = self.background.or(background::parse(colour.trim_end_matches('\x07')));
        } else if let Some(name) = part.strip_prefix("P>|") {
            self.version = Some(name.to_owned());
        } else if let Some(rest) = part.strip_prefix("[?") {
            let Some(end) = rest.find(|c: char| c.is_ascii_alphabetic()) else { return };
            match &rest[end..=end] {
                "u" => self.has_kitty_keys = true,
                "c" => self.attributes = Some(parsed(&rest[..end])),
                _ => {}
            }
        } else if let Some((place, _)) = part.strip_prefix('[').and_then(|rest| rest.split_once('R'))
            && let [_, column] = parsed::<usize>(place)[..]
        {
            self.widths.push(column.saturating_sub(1));
        }
    }
}

/// The numbers in a list with semicolons; the ones that are not numbers are left out.
fn parsed<N: FromStr>(numbers: &str) -> Vec<N> {
    numbers.split(';').filter_map(|number| number.parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_found_among_keys() {
        let modes = |state: u8| MOUSE_MODES.map(|mode| format!("\x1b[?{mode};{state}$y")).concat();
        for (bytes, expected) in [
            ("", TerminalAnswers::default()),
            ("jk\x1b[A", TerminalAnswers::default()),
            ("\x1b[?62;52c", TerminalAnswers { attributes: Some(vec![62, 52]), ..TerminalAnswers::default() }),
            ("\x1b[?0ux\x1b[?6c", {
                TerminalAnswers { has_kitty_keys: true, attributes: Some(vec![6]), ..TerminalAnswers::default() }
            }),
            ("\x1bP>|tmux 3.5a\x1b\\q", {
                TerminalAnswers { version: Some("tmux 3.5a".to_owned()), ..TerminalAnswers::default() }
            }),
            ("\x1b]11;rgb:ffff/ffff/ffff\x07", {
                TerminalAnswers { background: Some(Background::Light), ..TerminalAnswers::default() }
            }),
            ("\x1b]11;rgb:0000/0000/0000\x1b\\", {
                TerminalAnswers { background: Some(Background::Dark), ..TerminalAnswers::default() }
            }),
            ("\x1b[24;2R\x1b[24;3R", TerminalAnswers { widths: vec![1, 2], ..TerminalAnswers::default() }),
            (&modes(2), TerminalAnswers { has_mouse: Some(true), ..TerminalAnswers::default() }),
            (&modes(0), TerminalAnswers { has_mouse: Some(false), ..TerminalAnswers::default() }),
            ("\x1b[?1000;2$y", TerminalAnswers::default()),
            ("\x1b[?9999999c", TerminalAnswers { attributes: Some(Vec::new()), ..TerminalAnswers::default() }),
        ] {
            assert_eq!(TerminalAnswers::parse(bytes.as_bytes()), expected, "{bytes:?}");
        }
    }
}
