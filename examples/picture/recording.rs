//! Runs the real program in a pseudo-terminal, presses keys, and takes a frame after each.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier, Style};

use super::svg::Frame;
use super::terminal::Terminal;

/// Rows below the screen that say which key was pressed.
const CAPTION_ROWS: u16 = 2;

/// The screen is complete when nothing was drawn for this long.
const QUIET: Duration = Duration::from_secs(3);

/// Runs the program on a file. Each line of `script` makes a frame: a key, a space, and what it does; a line that begins
/// with a space presses no key.
///
/// # Errors
/// The program is not built, or the script has a line without a description.
pub fn record(file: &Path, script: &str, size: (u16, u16), theme: &str) -> Result<Vec<Frame>> {
    let own = std::env::current_exe()?;
    let program = own.parent().and_then(Path::parent).context("an example is in a folder")?.join("transcope");
    ensure!(program.exists(), "{} does not exist: run cargo build first", program.display());
    let home = tempfile::tempdir()?;
    let name = file.file_name().context("a file has a name")?;
    std::fs::copy(file, home.path().join(name)).with_context(|| file.display().to_string())?;
    let program = program.to_str().context("the path is UTF-8")?;
    let arguments = ["--theme".as_ref(), theme.as_ref(), name];
    let mut terminal = Terminal::sized(size, program, &arguments, &[("COLORTERM", "truecolor")], home.path());
    terminal.shows("? help");
    let mut frames = Vec::new();
    for line in script.lines() {
        let (key, about) = line.split_once(' ').with_context(|| format!("{line:?} has no description"))?;
        if !key.is_empty() {
            let before = terminal.screen();
            terminal.types(key);
            terminal.waits_for("an effect of the key", |terminal| terminal.screen() != before);
        }
        // The parsers of runtimes take a while.
        while terminal.takes_next(Instant::now() + QUIET) {}
        frames.push(frame(&terminal, size, key, about));
    }
    Ok(frames)
}

/// The screen of the terminal, and the caption below it.
fn frame(terminal: &Terminal, (width, height): (u16, u16), key: &str, about: &str) -> Frame {
    let mut cells = Buffer::empty(Rect::new(0, 0, width, height + CAPTION_ROWS));
    for (x, y) in (0..height).flat_map(|y| (0..width).map(move |x| (x, y))) {
        let Some(cell) = terminal.model().cell(y, x) else { continue };
        let mut style = Style::new().fg(color(cell.fgcolor())).bg(color(cell.bgcolor()));
        for (is_set, modifier) in [
            (cell.bold(), Modifier::BOLD),
            (cell.dim(), Modifier::DIM),
            (cell.italic(), Modifier::ITALIC),
            (cell.underline(), Modifier::UNDERLINED),
            (cell.inverse(), Modifier::REVERSED),
        ] {
            style = if is_set { style.add_modifier(modifier) } else { style };
        }
        let symbol = if cell.has_contents() { cell.contents() } else { " " };
        cells[(x, y)].set_symbol(symbol).set_style(style);
    }
    let row = height + CAPTION_ROWS - 1;
    let at = if key.is_empty() {
        1
    } else {
        cells.set_string(1, row, format!(" {key} "), Style::new().add_modifier(Modifier::REVERSED | Modifier::BOLD));
        5
    };
    cells.set_string(at, row, about, Style::new());
    Frame { cells, cursor: None }
}

fn color(color: vt100::Color) -> Color {
    match color {
        vt100::Color::Default => Color::Reset,
        vt100::Color::Idx(index) => Color::Indexed(index),
        vt100::Color::Rgb(red, green, blue) => Color::Rgb(red, green, blue),
    }
}
