//! Copies to the clipboard without OSC 52: with tmux (which passes OSC 52 on only if configured to), with a clipboard
//! tool of the system, or else to a file.

use std::io::{self, Write as _};
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// The way a text was copied, for the message about it.
#[derive(Debug)]
pub(super) enum CopyMethod {
    /// To the newest buffer of tmux, and to the clipboard of its terminal if that supports it.
    Tmux,
    /// With this clipboard program.
    Tool(&'static str),
    /// To this file, since there is no clipboard.
    File(PathBuf),
}

/// A program that copies its standard input to the clipboard.
struct Tool {
    /// The environment variable that the tool requires.
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

/// True if the program runs in tmux, which sets a variable for its panes.
pub(super) fn has_tmux() -> bool {
    is_set("TMUX")
}

/// The clipboard program of the system, if one is installed and usable here.
pub(super) fn tool() -> Option<&'static str> {
    let folders: Vec<PathBuf> = std::env::split_paths(&std::env::var_os("PATH")?).collect();
    let is_installed = |program: &str| folders.iter().any(|folder| folder.join(program).is_file());
    let mut usable = TOOLS.iter().filter(|tool| tool.needs.is_none_or(is_set));
    usable.find(|tool| is_installed(tool.program)).map(|tool| tool.program)
}

/// Copies bytes without OSC 52.
///
/// # Errors
/// No clipboard was found, and the file cannot be written.
pub(super) fn copy(bytes: &[u8]) -> io::Result<CopyMethod> {
    if has_tmux() && copy_by_tmux(bytes).is_ok() {
        return Ok(CopyMethod::Tmux);
    }
    let is_of_use = |tool: &&Tool| tool.needs.is_none_or(is_set);
    let takes = |tool: &&Tool| feed(tool.program, tool.arguments, bytes).is_ok();
    if let Some(tool) = TOOLS.iter().filter(is_of_use).find(takes) {
        return Ok(CopyMethod::Tool(tool.program));
    }
    let mut file = tempfile::Builder::new().prefix("transcope-copy-").suffix(".txt").tempfile()?;
    file.write_all(bytes)?;
    Ok(CopyMethod::File(file.into_temp_path().keep()?))
}

/// Also sets the clipboard of tmux's terminal (`-w`, since tmux 3.2).
fn copy_by_tmux(bytes: &[u8]) -> io::Result<()> {
    feed("tmux", &["load-buffer", "-w", "-"], bytes).or_else(|_| feed("tmux", &["load-buffer", "-"], bytes))
}

fn is_set(variable: &str) -> bool {
    std::env::var_os(variable).is_some_and(|value| !value.is_empty())
}

/// Runs a program with these bytes as its standard input.
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
