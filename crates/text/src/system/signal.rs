//! The signals that end the process and can be caught, and how it ends by one after something was done.
//!
//! Those that say that the process itself is broken (`SEGV`, `BUS`, `ILL`, `FPE`, `TRAP`, `SYS`) are not caught: what
//! raised them would be done again.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use signal_hook::consts::{
    SIGABRT, SIGALRM, SIGHUP, SIGINT, SIGPROF, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGVTALRM, SIGXCPU, SIGXFSZ,
};
use signal_hook::low_level::emulate_default_handler;

/// Signals that end a process which does not catch them.
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

/// Whether somebody acts on the signals that end the process.
static TAKEN: AtomicBool = AtomicBool::new(false);

/// Says that the caller acts on the signals that end the process from now on; false if somebody else does so already.
pub fn take() -> bool {
    !TAKEN.swap(true, Ordering::AcqRel)
}

/// Ends the process by a signal of [`ENDING`], as if it had not been caught.
pub fn end_by(signal: i32) {
    // One whose default is not known here ends it as well.
    let _ = emulate_default_handler(signal);
    let _ = emulate_default_handler(SIGTERM);
}

/// From now on, a write beyond the largest size that a file may have (`ulimit -f`) fails like one to a full disk, and
/// does not end the process.
pub fn spare_from_the_limit_of_file_sizes() {
    // The flag is of no interest: whoever writes gets the error. Where it cannot be set, the limit ends the process.
    drop(signal_hook::flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false))));
}
