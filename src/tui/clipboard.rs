//! Copying through tmux, which does not pass on by default what a program asks of the terminal (OSC 52).
//!
//! The text goes to tmux's own buffer and, where the terminal can be asked, to the clipboard (`-w`, since tmux 3.2).
//! This file does not know what is copied.

use std::io::{self, Write as _};
use std::process::{Command, Stdio};

/// Whether the program runs in tmux, by what it sets for its panes.
pub(super) fn has_tmux() -> bool {
    std::env::var_os("TMUX").is_some_and(|socket| !socket.is_empty())
}

/// Puts a text into the newest buffer of tmux.
///
/// # Errors
/// There is no tmux to run, or it refuses.
pub(super) fn copy_by_tmux(text: &str) -> io::Result<()> {
    load_buffer(&["-w", "-"], text).or_else(|_| load_buffer(&["-"], text))
}

fn load_buffer(arguments: &[&str], text: &str) -> io::Result<()> {
    let mut tmux = Command::new("tmux")
        .arg("load-buffer")
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()?;
    let written = tmux.stdin.take().map_or(Ok(()), |mut stdin| stdin.write_all(text.as_bytes()));
    let status = tmux.wait()?;
    if status.success() { written } else { Err(io::Error::other(format!("tmux load-buffer: {status}"))) }
}
