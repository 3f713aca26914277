//! A shell that waits next to the program and restores the terminal if the program ends without doing so: killed by a
//! signal that cannot be caught, by the system when memory runs out, or by a fault.
//!
//! It reads words from a pipe, which closes however the program ends. It has another name than the program and its own
//! process group, so that it survives when the program is killed.

use std::ffi::OsStr;
use std::io::Write as _;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::process::CommandExt as _;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use rustix::termios::{InputModes, LocalModes, OutputModes, Termios};

/// Remembers the last word. At the end of the pipe it restores the terminal if that was `inside`, and its modes only if
/// no one else has set them since, as a shell does when its job has ended.
const SCRIPT: &str = r#"# restores the terminal if the program in it is killed
trap '' HUP INT QUIT TERM TSTP TTIN TTOU USR1 USR2 ALRM PIPE
exec 3>&1
while read -r word; do place=$word; done
[ "$place" = inside ] || exit 0
case $(stty -a <&3) in *-opost*) stty $1 <&3;; esac
printf '%s' "$2"
"#;

/// Number of checks whether the shell has ended, and the pause after each.
const LOOKS: u32 = 50;
const PAUSE: Duration = Duration::from_millis(1);

/// The pipe to the shell, if there is one.
static PIPE: Mutex<Option<ChildStdin>> = Mutex::new(None);

fn pipe() -> MutexGuard<'static, Option<ChildStdin>> {
    // A thread that panicked while holding the mutex has left it consistent.
    PIPE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The owner of the terminal, as the guardian knows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TerminalOwner {
    /// The program: the guardian must restore it.
    Inside,
    /// Another program: the guardian must leave it alone.
    Outside,
}

/// Informs the guardian of the owner of the terminal. Does nothing without a guardian.
pub(super) fn set_owner(whose: TerminalOwner) {
    let word: &[u8] = match whose {
        TerminalOwner::Inside => b"inside\n",
        TerminalOwner::Outside => b"outside\n",
    };
    if let Some(pipe) = pipe().as_mut() {
        // If the guardian is gone, the program continues without it.
        let _ = pipe.write_all(word);
    }
}

/// A running guardian. Dropping it ends it.
#[derive(Debug)]
pub(super) struct Guardian(Child);

impl Guardian {
    /// Starts a guardian before the terminal is taken over. `before` are the terminal's modes, `leaving` the sequences
    /// that restore it.
    ///
    /// `None` without a shell: then the terminal is not guarded.
    pub(super) fn start(before: &Termios, leaving: &[u8]) -> Option<Self> {
        let mut shell = Command::new("/bin/sh");
        shell.args(["-c", SCRIPT, "guardian", &modes(before)]).arg(OsStr::from_bytes(leaving)).process_group(0);
        let mut child = shell.stdin(Stdio::piped()).stderr(Stdio::null()).spawn().ok()?;
        *pipe() = child.stdin.take();
        Some(Self(child))
    }
}

impl Drop for Guardian {
    fn drop(&mut self) {
        drop(pipe().take());
        // It ends immediately and is reaped here. A stopped one is not awaited any longer.
        for _ in 0..LOOKS {
            if !matches!(self.0.try_wait(), Ok(None)) {
                return;
            }
            thread::sleep(PAUSE);
        }
    }
}

/// The `stty` arguments that restore the modes of a raw terminal.
fn modes(before: &Termios) -> String {
    let input = [
        (InputModes::IGNBRK, "ignbrk"),
        (InputModes::BRKINT, "brkint"),
        (InputModes::PARMRK, "parmrk"),
        (InputModes::ISTRIP, "istrip"),
        (InputModes::INLCR, "inlcr"),
        (InputModes::IGNCR, "igncr"),
        (InputModes::ICRNL, "icrnl"),
        (InputModes::IXON, "ixon"),
    ]
    .map(|(mode, name)| (before.input_modes.contains(mode), name));
    let output = [(before.output_modes.contains(OutputModes::OPOST), "opost")];
    let local = [
        (LocalModes::ECHO, "echo"),
        (LocalModes::ECHONL, "echonl"),
        (LocalModes::ICANON, "icanon"),
        (LocalModes::ISIG, "isig"),
        (LocalModes::IEXTEN, "iexten"),
    ]
    .map(|(mode, name)| (before.local_modes.contains(mode), name));
    let words = input.iter().chain(&output).chain(&local);
    words
        .map(|(is_set, name)| if *is_set { (*name).to_owned() } else { format!("-{name}") })
        .collect::<Vec<_>>()
        .join(" ")
}
