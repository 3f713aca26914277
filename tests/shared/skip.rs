//! Skips tests that need a program that is not installed.

use std::io::Write as _;

/// Reports that a test is skipped because a program is missing.
///
/// # Panics
/// If `CI` is true: `.ci/run` installs everything that tests need, and a skipped test tests nothing.
pub fn skip(missing: &str) {
    let is_ci = std::env::var_os("CI").is_some_and(|value| value == "true");
    assert!(!is_ci, "{missing}; .ci/run installs it, and where CI is true nothing is skipped");
    // If standard error is closed, there is no reader.
    let _ = writeln!(std::io::stderr(), "skipped: {missing}");
}
