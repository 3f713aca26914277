//! Restores the terminal before a panic is reported, and sanitises the report.

use std::backtrace::{Backtrace, BacktraceStatus};
use std::io::{self, Write as _};
use std::panic::{self, PanicHookInfo};
use std::sync::Arc;
use std::thread;

use crate::system::library_panic;
use crate::text::wrap::visible_lines;
use crate::tui::terminal::{TerminalMode, Wake, leave};

/// Has a panic on this thread restore the terminal before it is reported, and a panic on another one send a [`Wake`].
pub(super) fn restore_on_panic(wake: Arc<dyn Fn(Wake) + Send + Sync>) {
    let ours = thread::current().id();
    panic::set_hook(Box::new(move |info| {
        if library_panic::is_expected() {
            return;
        }
        if thread::current().id() != ours {
            return wake(Wake::Panicked(describe(info)));
        }
        leave(TerminalMode::Over);
        let backtrace = Backtrace::capture();
        let mut stderr = io::stderr().lock();
        let _ = writeln!(stderr, "{}\nThis is a bug in transcope.", describe(info));
        let _ = match backtrace.status() {
            BacktraceStatus::Captured => writeln!(stderr, "{backtrace}"),
            _ => writeln!(stderr, "Set RUST_BACKTRACE=1 to see where it comes from."),
        };
    }));
}

/// The report of a panic, sanitised because its message may quote a transcript.
fn describe(info: &PanicHookInfo<'_>) -> String {
    let message = visible_lines(info.payload_as_str().unwrap_or("no message"));
    match info.location() {
        Some(at) => format!("panicked at {at}: {message}"),
        None => format!("panicked: {message}"),
    }
}
