//! Screens that are compared with what somebody has looked at: snapshots below `tests/snapshots/tui`.
//!
//! This file does not know how a screen comes about.

/// Compares a screen with the snapshot of that name.
pub fn snapshot(name: &str, screen: &str) {
    let mut settings = insta::Settings::clone_current();
    settings.set_prepend_module_to_snapshot(false);
    settings.set_omit_expression(true);
    settings.set_snapshot_path("../snapshots/tui");
    settings.bind(|| insta::assert_snapshot!(name, screen));
}
