//! Alerts the user: rings the bell, sets the terminal's title, sends a notification, runs a command.
//!
//! Text of the transcript is sanitised before it is sent to the terminal. A command receives it only in environment
//! variables, never as an argument.

use std::io;
use std::os::unix::process::CommandExt as _;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use crate::config::alerts::AlertMethods;
use crate::text::sanitize::visible_str;

use crate::tui::alert::{Alert, AlertReason};

/// Maximum number of characters of a notification.
const LONGEST: usize = 200;

/// Alerts by the configured means.
#[derive(Debug)]
pub struct AlertSender {
    means: AlertMethods,
    /// True while the command of an earlier alert is running; it is not started again then.
    busy: Arc<AtomicBool>,
}

impl AlertSender {
    /// A caller that uses these means.
    pub fn new(means: AlertMethods) -> Self {
        Self { means, busy: Arc::default() }
    }

    /// Runs the command, if there is one, and returns the text to write to the terminal.
    ///
    /// # Errors
    /// The command cannot be started.
    pub fn call(&self, alert: &Alert) -> (String, io::Result<()>) {
        let mut written = String::new();
        if self.means.bell {
            written.push('\x07');
        }
        let text = text(alert);
        if self.means.title {
            written.push_str(&title(&text));
        }
        if self.means.notify {
            written.push_str(&notification(&text, takes_777(|name| std::env::var(name).ok())));
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
                // Its exit status does not matter.
                drop(child.wait());
                busy.store(false, Ordering::Release);
            };
            thread::Builder::new().name("alert".to_owned()).spawn(wait)
        });
        started.map(drop).inspect_err(|_| self.busy.store(false, Ordering::Release))
    }
}

/// The shell command with facts in its environment, detached from the terminal.
fn of_shell(line: &str, alert: &Alert) -> Command {
    let mut command = Command::new("/bin/sh");
    command.args(["-c", line]).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    // If the user suspends our process group, the command keeps running.
    command.process_group(0);
    for (name, value) in facts(alert) {
        command.env(name, value);
    }
    command
}

/// Environment variables about the alert.
fn facts(alert: &Alert) -> Vec<(&'static str, String)> {
    let mut facts = vec![
        ("TRANSCOPE_ALERT", alert.reason.name().to_owned()),
        ("TRANSCOPE_FILE", visible_str(&alert.name).into_owned()),
        ("TRANSCOPE_COUNT", alert.count.to_string()),
    ];
    facts.extend(alert.line.map(|line| ("TRANSCOPE_LINE", line.to_string())));
    if !alert.code.is_empty() {
        facts.push(("TRANSCOPE_CODE", alert.code.to_owned()));
    }
    if alert.reason != AlertReason::Silence {
        facts.push(("TRANSCOPE_MESSAGE", visible_str(&alert.message).into_owned()));
    }
    facts
}

/// True if the terminal supports notifications by OSC 777: VTE, urxvt and foot do. Others support OSC 9.
fn takes_777(look_up: impl Fn(&str) -> Option<String>) -> bool {
    look_up("VTE_VERSION").is_some()
        || look_up("TERM").is_some_and(|term| term.starts_with("rxvt") || term.starts_with("foot"))
}

/// The alert as one line that is safe to show.
pub fn text(alert: &Alert) -> String {
    let Alert { name, reason, line, code, message, count } = alert;
    let line = match (reason, line) {
        (AlertReason::Problem, Some(line)) if *count == 1 => format!("{name}:{line}: {code}: {message}"),
        (AlertReason::Problem, Some(line)) => {
            format!("{name}: {count} problems or failed calls; line {line}: {code}: {message}")
        }
        (AlertReason::Match, Some(line)) if *count > 1 => format!("{name}: {count} matches; line {line}: {message}"),
        (AlertReason::Match, Some(line)) => format!("{name}:{line}: match: {message}"),
        (_, Some(line)) => format!("{name}:{line}: {message}"),
        (_, None) => format!("{name}: {message}"),
    };
    visible_str(&line).chars().take(LONGEST).collect()
}

/// The sequence that sets the terminal's title. The previous title is restored when the program leaves the terminal.
fn title(text: &str) -> String {
    format!("\x1b]2;transcope: {text}\x1b\\")
}

/// The sequence of a notification. Semicolons separate its fields, so the text must not have any.
fn notification(text: &str, takes_777: bool) -> String {
    let text = text.replace(';', ",");
    if takes_777 {
        format!("\x1b]777;notify;transcope;{text}\x1b\\")
    } else {
        format!("\x1b]9;transcope: {text}\x1b\\")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn alert(message: &str) -> Alert {
        let (name, reason, code) = ("a;b\x1b.txt".into(), AlertReason::Problem, "duplicate-pointer");
        Alert { name, reason, line: Some(7), code, message: message.to_owned(), count: 1 }
    }

    #[test]
    fn a_notification_holds_nothing_that_a_terminal_acts_on() {
        let hostile = alert("x\x07y\x1b]52;c;eA==\x1b\\z\u{9c}\n\u{202e}");
        for (takes_777, start) in [(true, "\x1b]777;notify;transcope;"), (false, "\x1b]9;transcope: ")] {
            let written = notification(&text(&hostile), takes_777);
            let inside = written.strip_prefix(start).and_then(|rest| rest.strip_suffix("\x1b\\")).expect("a frame");
            assert!(inside.starts_with("a,b␛.txt:7: duplicate-pointer: x␇y␛]52,c,"), "{inside:?}");
            assert!(!inside.chars().any(|c| c.is_control() || c == ';'), "{inside:?}");
        }
        let written = title(&text(&hostile));
        let inside = written.strip_prefix("\x1b]2;").and_then(|rest| rest.strip_suffix("\x1b\\")).expect("a frame");
        assert!(!inside.chars().any(char::is_control), "{inside:?}");
        let long = notification(&text(&alert(&"x".repeat(5000))), false);
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
