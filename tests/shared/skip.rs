//! Tests that need another program, and what becomes of them where it is not installed.

use std::io::Write as _;

/// Says that a test is skipped for want of a program.
///
/// # Panics
/// Where `CI` is true, since `.ci/run` installs what tests need: there a test that is skipped tests nothing.
pub fn skip(missing: &str) {
    let is_ci = std::env::var_os("CI").is_some_and(|value| value == "true");
    assert!(!is_ci, "{missing}; .ci/run installs it, and where CI is true nothing is skipped");
    // Where standard error is closed, nothing is read.
    let _ = writeln!(std::io::stderr(), "skipped: {missing}");
}
