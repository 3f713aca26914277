//! Calls the person: rings the bell, has the terminal notify, runs a command.
//!
//! What the transcript says reaches the terminal sanitised, and the command in its environment alone, never in its
//! arguments.

use std::io;
use std::os::unix::process::CommandExt as _;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use crate::config::alerts::Means;
use crate::text::sanitize::visible_str;

use crate::tui::alert::Alert;

/// Most characters of a notification.
const LONGEST: usize = 200;

/// Calls by the means that were asked for.
#[derive(Debug)]
pub struct Caller {
    means: Means,
    /// Whether the command of an earlier call is still running: then it is not run again.
    busy: Arc<AtomicBool>,
}

impl Caller {
    /// Somebody who calls by these means.
    pub fn new(means: Means) -> Self {
        Self { means, busy: Arc::default() }
    }

    /// Runs the command, if there is one, and gives what is to be written to the terminal.
    ///
    /// # Errors
    /// The command cannot be started.
    pub fn call(&self, alert: &Alert) -> (String, io::Result<()>) {
        let mut written = String::new();
        if self.means.bell {
            written.push('\x07');
        }
        if self.means.notify {
            written.push_str(&notification(alert, takes_777(|name| std::env::var(name).ok())));
        }
        let started = self.means.command.as_deref().map_or(Ok(()), |command| self.run(command, alert));
        (written, started)
    }

    fn run(&self, command: &str, alert: &Alert) -> io::Result<()> {
        if self.busy.swap(true, Ordering::AcqRel) {
            return Ok(());
        }
        let busy = Arc::clone(&self.busy);
        let started = of_shell(command, alert).spawn().and_then(|mut child| {
            let wait = move || {
                // How it ends is its own affair.
                drop(child.wait());
                busy.store(false, Ordering::Release);
            };
            thread::Builder::new().name("alert".to_owned()).spawn(wait)
        });
        started.map(drop).inspect_err(|_| self.busy.store(false, Ordering::Release))
    }
}

/// The command with the facts in its environment. It has the terminal neither for reading nor for writing.
fn of_shell(line: &str, alert: &Alert) -> Command {
    let mut command = Command::new("/bin/sh");
    command.args(["-c", line]).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    // Our own job may be stopped from the keyboard; the command goes on.
    command.process_group(0);
    for (name, value) in facts(alert) {
        command.env(name, value);
    }
    command
}

/// What is known, by the names of variables.
fn facts(alert: &Alert) -> Vec<(&'static str, String)> {
    let reason = if alert.problem.is_some() { "problem" } else { "silence" };
    let mut facts = vec![
        ("TRANSCOPE_ALERT", reason.to_owned()),
        ("TRANSCOPE_FILE", visible_str(&alert.name).into_owned()),
        ("TRANSCOPE_COUNT", alert.count.to_string()),
    ];
    if let Some((line, code, message)) = &alert.problem {
        facts.push(("TRANSCOPE_LINE", line.to_string()));
        facts.push(("TRANSCOPE_CODE", (*code).to_owned()));
        facts.push(("TRANSCOPE_MESSAGE", visible_str(message).into_owned()));
    }
    facts
}

/// Whether the terminal takes notifications by OSC 777: those of VTE, urxvt and foot; others take OSC 9.
fn takes_777(look_up: impl Fn(&str) -> Option<String>) -> bool {
    look_up("VTE_VERSION").is_some()
        || look_up("TERM").is_some_and(|term| term.starts_with("rxvt") || term.starts_with("foot"))
}

/// The sequence with which a terminal notifies. Nothing in it ends it but its end, and nothing parts it in other places.
fn notification(alert: &Alert, takes_777: bool) -> String {
    let words = match (&alert.problem, alert.count) {
        (None, _) => format!("{}: no output for a while", alert.name),
        (Some((line, code, message)), 1) => format!("{}:{line}: {code}: {message}", alert.name),
        (Some((line, code, message)), count) => {
            format!("{}: {count} problems or failed calls; line {line}: {code}: {message}", alert.name)
        }
    };
    let safe: String = visible_str(&words).chars().take(LONGEST).map(|c| if c == ';' { ',' } else { c }).collect();
    if takes_777 {
        format!("\x1b]777;notify;transcope;{safe}\x1b\\")
    } else {
        format!("\x1b]9;transcope: {safe}\x1b\\")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn alert(message: &str) -> Alert {
        let problem = Some((7, "duplicate-pointer", message.to_owned()));
        Alert { name: "a;b\x1b.txt".into(), problem, count: 1 }
    }

    #[test]
    fn a_notification_holds_nothing_that_a_terminal_acts_on() {
        let hostile = alert("x\x07y\x1b]52;c;eA==\x1b\\z\u{9c}\n\u{202e}");
        for (takes_777, start) in [(true, "\x1b]777;notify;transcope;"), (false, "\x1b]9;transcope: ")] {
            let written = notification(&hostile, takes_777);
            let inside = written.strip_prefix(start).and_then(|rest| rest.strip_suffix("\x1b\\")).expect("a frame");
            assert!(inside.starts_with("a,b␛.txt:7: duplicate-pointer: x␇y␛]52,c,"), "{inside:?}");
            assert!(!inside.chars().any(|c| c.is_control() || c == ';'), "{inside:?}");
        }
        let long = notification(&alert(&"x".repeat(5000)), false);
        assert!(long.chars().count() < LONGEST + 40);
    }

    #[test]
    fn terminals_are_told_apart_by_what_they_say_of_themselves() {
        for (name, value, expected) in [
            ("VTE_VERSION", "7600", true),
            ("TERM", "rxvt-unicode-256color", true),
            ("TERM", "foot", true),
            ("TERM", "xterm-kitty", false),
        ] {
            assert_eq!(takes_777(|wanted| (wanted == name).then(|| value.to_owned())), expected, "{name}={value}");
        }
    }

    #[test]
    fn a_command_has_the_facts_in_its_environment_and_nowhere_else() {
        let hostile = alert("'; touch /tmp/never; '");
        let line = "printf '%s|' \"$TRANSCOPE_ALERT\" \"$TRANSCOPE_LINE\" \"$TRANSCOPE_CODE\" \"$TRANSCOPE_MESSAGE\" \
                    \"$TRANSCOPE_COUNT\"";
        let mut command = of_shell(line, &hostile);
        assert!(command.get_args().all(|argument| !argument.to_string_lossy().contains("never")));
        let output = command.stdout(Stdio::piped()).output().expect("a shell");
        let expected = "problem|7|duplicate-pointer|'; touch /tmp/never; '|1|";
        assert_eq!(String::from_utf8_lossy(&output.stdout), expected);
    }
}
