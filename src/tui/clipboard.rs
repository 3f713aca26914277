//! The way to a clipboard where the terminal is not asked for it (OSC 52): by tmux, which passes that on only where it
//! is told to, by the clipboard tool of the system, or, where there is neither, into a file.

use std::io::{self, Write as _};
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// How a text was copied, for the receipt.
#[derive(Debug)]
pub(super) enum Means {
    /// Into the newest buffer of tmux, and from there to the clipboard of its terminal where that takes it.
    Tmux,
    /// By this clipboard program, found by what it needs of the environment.
    Tool(&'static str),
    /// Into this file, since there is no clipboard.
    File(PathBuf),
}

/// A program that puts its input on the clipboard.
struct Tool {
    /// The variable of the environment without which it is of no use.
    needs: Option<&'static str>,
    program: &'static str,
    arguments: &'static [&'static str],
}

const TOOLS: &[Tool] = &[
    Tool { needs: Some("WAYLAND_DISPLAY"), program: "wl-copy", arguments: &[] },
    Tool { needs: Some("DISPLAY"), program: "xclip", arguments: &["-selection", "clipboard", "-in"] },
    Tool { needs: Some("DISPLAY"), program: "xsel", arguments: &["--clipboard", "--input"] },
    Tool { needs: None, program: "pbcopy", arguments: &[] },
    Tool { needs: Some("WSL_DISTRO_NAME"), program: "clip.exe", arguments: &[] },
    Tool { needs: Some("TERMUX_VERSION"), program: "termux-clipboard-set", arguments: &[] },
];

/// Whether the program runs in tmux, by what it sets for its panes.
pub(super) fn has_tmux() -> bool {
    is_set("TMUX")
}

/// Copies some bytes without asking the terminal.
///
/// # Errors
/// There is no clipboard, and the file cannot be written.
pub(super) fn copy(bytes: &[u8]) -> io::Result<Means> {
    if has_tmux() && copy_by_tmux(bytes).is_ok() {
        return Ok(Means::Tmux);
    }
    let is_of_use = |tool: &&Tool| tool.needs.is_none_or(is_set);
    let takes = |tool: &&Tool| feed(tool.program, tool.arguments, bytes).is_ok();
    if let Some(tool) = TOOLS.iter().filter(is_of_use).find(takes) {
        return Ok(Means::Tool(tool.program));
    }
    let mut file = tempfile::Builder::new().prefix("transcope-copy-").suffix(".txt").tempfile()?;
    file.write_all(bytes)?;
    Ok(Means::File(file.into_temp_path().keep()?))
}

/// The clipboard of tmux's terminal is asked as well (`-w`, since tmux 3.2).
fn copy_by_tmux(bytes: &[u8]) -> io::Result<()> {
    feed("tmux", &["load-buffer", "-w", "-"], bytes).or_else(|_| feed("tmux", &["load-buffer", "-"], bytes))
}

fn is_set(variable: &str) -> bool {
    std::env::var_os(variable).is_some_and(|value| !value.is_empty())
}

/// Runs a program with some bytes as its input.
fn feed(program: &str, arguments: &[&str], bytes: &[u8]) -> io::Result<()> {
    let mut child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()?;
    let written = child.stdin.take().map_or(Ok(()), |mut stdin| stdin.write_all(bytes));
    let status = child.wait()?;
    if status.success() { written } else { Err(io::Error::other(format!("{program}: {status}"))) }
}
