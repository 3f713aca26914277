//! The catchable signals that end the process, and ending the process by one of them after some cleanup.
//!
//! Signals that report a broken process (`SEGV`, `BUS`, `ILL`, `FPE`, `TRAP`, `SYS`) are not caught: the instruction
//! that raised them would run again.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use signal_hook::consts::{
    SIGABRT, SIGALRM, SIGHUP, SIGINT, SIGPROF, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGVTALRM, SIGXCPU, SIGXFSZ,
};
use signal_hook::low_level::emulate_default_handler;

/// Signals that end a process unless it catches them.
pub const ENDING: &[i32] = &[
    SIGTERM,
    SIGHUP,
    SIGINT,
    SIGQUIT,
    SIGUSR1,
    SIGUSR2,
    SIGALRM,
    SIGVTALRM,
    SIGPROF,
    SIGXCPU,
    SIGABRT,
    #[cfg(target_os = "linux")]
    signal_hook::consts::SIGIO,
    #[cfg(target_os = "linux")]
    rustix::process::Signal::STKFLT.as_raw(),
    #[cfg(target_os = "linux")]
    rustix::process::Signal::POWER.as_raw(),
];

/// True if these signals have a handler.
static TAKEN: AtomicBool = AtomicBool::new(false);

/// Claims the handling of signals that end the process; false if it has been claimed already.
pub fn claim_handling() -> bool {
    !TAKEN.swap(true, Ordering::AcqRel)
}

/// Ends the process by a signal of [`ENDING`], as if it had not been caught.
pub fn end_by(signal: i32) {
    // If its default action is unknown here, the second call ends the process.
    let _ = emulate_default_handler(signal);
    let _ = emulate_default_handler(SIGTERM);
}

/// Makes a write beyond the limit on file sizes (`ulimit -f`) fail like one to a full disk, instead of ending the
/// process.
pub fn spare_from_the_limit_of_file_sizes() {
    // The flag is unused: the writer gets the error. If the handler cannot be set, the limit ends the process.
    drop(signal_hook::flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false))));
}
