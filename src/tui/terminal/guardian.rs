//! A shell that waits beside the program and restores the terminal if that ends without having done so: killed by a signal
//! that nobody can catch, by the system for want of memory, or by its own fault.
//!
//! It reads words from a pipe, which closes when the program ends however that happens. It has another name than the
//! program and a process group of its own, so that what kills the program leaves it alone.

use std::ffi::OsStr;
use std::io::Write as _;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::process::CommandExt as _;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use rustix::termios::{InputModes, LocalModes, OutputModes, Termios};

/// Remembers the last word. At the end of the pipe it restores the terminal if that was `inside`; the modes only where
/// nobody else has set others since, as a shell does when its job has ended.
const SCRIPT: &str = r#"# restores the terminal if the program in it is killed
trap '' HUP INT QUIT TERM TSTP TTIN TTOU USR1 USR2 ALRM PIPE
exec 3>&1
while read -r word; do place=$word; done
[ "$place" = inside ] || exit 0
case $(stty -a <&3) in *-opost*) stty $1 <&3;; esac
printf '%s' "$2"
"#;

/// How often, and after which pauses, it is looked whether the shell has ended.
const LOOKS: u32 = 50;
const PAUSE: Duration = Duration::from_millis(1);

/// The pipe to the shell, where there is one.
static PIPE: Mutex<Option<ChildStdin>> = Mutex::new(None);

fn pipe() -> MutexGuard<'static, Option<ChildStdin>> {
    // A thread that panicked with the mutex has left nothing half done.
    PIPE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whose the terminal is, for the guardian.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Whose {
    /// Ours: it is to be restored.
    Inside,
    /// Somebody else's: it is to be left alone.
    Outside,
}

/// Tells the guardian whose the terminal is now. Without one it does nothing.
pub(super) fn tell(whose: Whose) {
    let word: &[u8] = match whose {
        Whose::Inside => b"inside\n",
        Whose::Outside => b"outside\n",
    };
    if let Some(pipe) = pipe().as_mut() {
        // A guardian that is gone guards no more, and everything else is as before.
        let _ = pipe.write_all(word);
    }
}

/// A guardian that was started. Dropping it lets it go.
#[derive(Debug)]
pub(super) struct Guardian(Child);

impl Guardian {
    /// Starts one for a terminal that will be ours; `before` are its modes now, `leaving` is written to restore it.
    ///
    /// Gives nothing where there is no shell: then the terminal is not guarded.
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
        // It ends at once, and is not left to whoever takes in orphans. One that is stopped is not waited for.
        for _ in 0..LOOKS {
            if !matches!(self.0.try_wait(), Ok(None)) {
                return;
            }
            thread::sleep(PAUSE);
        }
    }
}

/// What `stty` is to be told so that a raw terminal is as it was.
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
