//! Renders the cells of a screen as an SVG: text as text, in any monospace font, without scripts.
//!
//! A row is one text element whose runs are placed at their columns, and each run is as long as its cells, whatever the
//! font. Consecutive frames share the rows that never change. Independent of what is on the screen.

use std::fmt::Write as _;

use ratatui::buffer::{Buffer, Cell};
use ratatui::style::{Color, Modifier};
use unicode_width::UnicodeWidthStr as _;

/// Width and height of a cell, in hundredths of a pixel.
const CELL: (usize, usize) = (780, 1550);

/// Seconds for which a frame is shown.
const BEAT: usize = 4;

/// Space around the screen, in pixels.
const MARGIN: usize = 10;

/// A drawn screen.
pub struct Frame {
    /// The symbol and the style of each cell.
    pub cells: Buffer,
    /// The cell of the cursor, if it is shown.
    pub cursor: Option<(u16, u16)>,
}

/// The terminal's background and default text colour.
#[derive(Clone, Copy)]
pub enum Ground {
    /// Light text on nearly black.
    Dark,
    /// Dark text on white.
    Light,
}

impl Ground {
    fn colors(self) -> [&'static str; 2] {
        match self {
            Ground::Dark => ["#16181d", "#d6dae3"],
            Ground::Light => ["#ffffff", "#24292f"],
        }
    }
}

/// A picture of one screen.
pub fn still(frame: &Frame, ground: Ground) -> String {
    let mut page = Page::new(ground);
    let rows: String = (0..frame.cells.area.height).map(|y| page.row(frame, y)).collect();
    page.finish(frame, &rows, "")
}

/// The frame that is shown where nothing moves: by a program without animations, and if motion is not wanted.
#[derive(Clone, Copy)]
pub enum Still {
    /// The first one after the beginning.
    Second,
    /// The end of the animation, after all frames.
    Last,
}

/// An animation of screens of one size in a loop.
pub fn moving(frames: &[Frame], ground: Ground, still: Still) -> String {
    let mut page = Page::new(ground);
    let [first, ..] = frames else { return String::new() };
    let rows: Vec<Vec<String>> =
        frames.iter().map(|frame| (0..frame.cells.area.height).map(|y| page.row(frame, y)).collect()).collect();
    let is_fixed = |y: usize| rows.iter().all(|own| own[y] == rows[0][y]);
    let height = rows[0].len();
    let mut content: String = (0..height).filter(|&y| is_fixed(y)).map(|y| rows[0][y].as_str()).collect();
    let (count, total) = (frames.len(), frames.len() * BEAT);
    let shown = match still {
        Still::Second => 1.min(count - 1),
        Still::Last => count - 1,
    };
    for (number, own) in rows.iter().enumerate() {
        let changed: String = (0..height).filter(|&y| !is_fixed(y)).map(|y| own[y].as_str()).collect();
        // All animations have begun when the picture appears, so that no frame is shown for its own sake.
        let delay = if number == 0 { 0 } else { total - number * BEAT };
        let class = if number == shown { "f s" } else { "f" };
        // An attribute hides frames from programs that read no style sheet.
        let hidden = if number == shown { "" } else { " visibility=\"hidden\"" };
        let _ = writeln!(content, "<g class=\"{class}\"{hidden} style=\"animation-delay:-{delay}s\">\n{changed}</g>");
    }
    let style = format!(
        "@keyframes f{{0%{{visibility:visible}}{:.3}%{{visibility:hidden}}}}\
         .f{{visibility:hidden;animation:f {total}s step-end infinite}}.s{{visibility:visible}}\
         @media(prefers-reduced-motion:reduce){{.f{{animation:none}}}}",
        // A little less, so that rounding never shows two frames.
        100.0 / count as f64 - 0.001
    );
    page.finish(first, &content, &style)
}

/// The parts shared by the rows of a picture.
struct Page {
    ground: Ground,
    /// The declarations of each class, whose name is its index.
    classes: Vec<String>,
}

/// The style of a run of cells.
#[derive(Clone, PartialEq, Eq)]
struct Look {
    written: String,
    beneath: Option<String>,
    /// Declarations for modifiers such as bold.
    modifiers: String,
}

impl Page {
    fn new(ground: Ground) -> Self {
        Self { ground, classes: Vec::new() }
    }

    /// The background of a row, and its text.
    fn row(&mut self, frame: &Frame, y: u16) -> String {
        let buffer = &frame.cells;
        // Column, columns, symbols and style of each run.
        let mut runs: Vec<(u16, usize, String, Look)> = Vec::new();
        let mut x = 0;
        while x < buffer.area.width {
            let cell = &buffer[(x, y)];
            let (symbol, columns) = (cell.symbol(), cell.symbol().width().max(1));
            let mut look = self.look(cell, frame.cursor == Some((x, y)));
            match runs.last_mut() {
                // A space is merged with the run before it, unless its background or underline differs.
                Some((.., last))
                    if symbol == " " && last.beneath == look.beneath && !look.is_ruled() && !last.is_ruled() =>
                {
                    look = last.clone();
                }
                _ => {}
            }
            match runs.last_mut() {
                Some((_, length, text, last)) if *last == look && columns == 1 && text.width() == *length => {
                    *length += 1;
                    text.push_str(symbol);
                }
                _ => runs.push((x, columns, symbol.to_owned(), look)),
            }
            x += columns as u16;
        }
        let (mut beneath, mut text) = (String::new(), String::new());
        for (x, length, words, look) in &runs {
            if let Some(color) = &look.beneath {
                let [left, top] = [pixels(usize::from(*x) * CELL.0), pixels(usize::from(y) * CELL.1)];
                let [width, height] = [pixels(length * CELL.0), pixels(CELL.1)];
                let _ = writeln!(
                    beneath,
                    "<rect x=\"{left}\" y=\"{top}\" width=\"{width}\" height=\"{height}\" fill=\"{color}\"/>"
                );
            }
            let shown = if look.is_ruled() { words.as_str() } else { words.trim_end() };
            let blank = shown.len() - shown.trim_start().len();
            let shown = if look.is_ruled() { shown } else { &shown[blank..] };
            let blank = if look.is_ruled() { 0 } else { blank };
            let columns = shown.width();
            if columns == 0 {
                continue;
            }
            let left = pixels((usize::from(*x) + blank) * CELL.0);
            let class = self.class(look);
            let length =
                if columns == 1 { String::new() } else { format!(" textLength=\"{}\"", pixels(columns * CELL.0)) };
            let _ = write!(text, "<tspan x=\"{left}\" class=\"{class}\"{length}>{}</tspan>", escaped(shown));
        }
        if !text.is_empty() {
            text = format!("<text y=\"{}\">{text}</text>\n", pixels(usize::from(y) * CELL.1 + CELL.1 * 3 / 4));
        }
        beneath + &text
    }

    fn look(&self, cell: &Cell, is_cursor: bool) -> Look {
        let [ground, ordinary] = self.ground.colors();
        let mut colors = [hex(cell.bg), Some(hex(cell.fg).unwrap_or_else(|| ordinary.to_owned()))];
        if is_cursor || cell.modifier.contains(Modifier::REVERSED) {
            colors = [colors[1].take(), Some(colors[0].take().unwrap_or_else(|| ground.to_owned()))];
        }
        let [beneath, written] = colors;
        let line = hex(cell.underline_color).map(|color| format!(" {color}")).unwrap_or_default();
        let mut modifiers = String::new();
        for (modifier, words) in [
            (Modifier::BOLD, "font-weight:bold;"),
            (Modifier::ITALIC, "font-style:italic;"),
            (Modifier::DIM, "opacity:.7;"),
            (Modifier::CROSSED_OUT, "text-decoration:line-through;"),
        ] {
            modifiers.push_str(if cell.modifier.contains(modifier) { words } else { "" });
        }
        if cell.modifier.contains(Modifier::UNDERLINED) {
            let _ = write!(modifiers, "text-decoration:underline{line};");
        }
        Look { written: written.unwrap_or_default(), beneath, modifiers }
    }

    fn class(&mut self, look: &Look) -> String {
        let words = format!("fill:{};{}", look.written, look.modifiers);
        let number = self.classes.iter().position(|known| *known == words).unwrap_or_else(|| {
            self.classes.push(words);
            self.classes.len() - 1
        });
        format!("c{number}")
    }

    fn finish(&self, frame: &Frame, content: &str, style: &str) -> String {
        let area = frame.cells.area;
        let [width, height] = [(area.width, CELL.0), (area.height, CELL.1)]
            .map(|(cells, size)| usize::from(cells) * size / 100 + 2 * MARGIN);
        let [ground, _] = self.ground.colors();
        let mut classes = String::new();
        for (number, words) in self.classes.iter().enumerate() {
            let _ = write!(classes, ".c{number}{{{words}}}");
        }
        format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" xml:space=\"preserve\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" \
             height=\"{height}\">\n<style>text{{font:13px ui-monospace,SFMono-Regular,Menlo,Consolas,\"DejaVu Sans \
             Mono\",monospace;white-space:pre}}{classes}{style}</style>\n<rect width=\"100%\" height=\"100%\" rx=\"6\" \
             fill=\"{ground}\"/>\n<g transform=\"translate({MARGIN} {MARGIN})\">\n{content}</g>\n</svg>\n"
        )
    }
}

impl Look {
    /// True if even a space is visible in it.
    fn is_ruled(&self) -> bool {
        self.modifiers.contains("text-decoration")
    }
}

/// A colour in SVG notation; `None` for the terminal's default. The sixteen ANSI colours are xterm's.
fn hex(color: Color) -> Option<String> {
    match color {
        Color::Reset => None,
        Color::Rgb(r, g, b) => Some(format!("#{r:02x}{g:02x}{b:02x}")),
        named => Some(named.to_string().to_lowercase().replace(['-', ' '], "")),
    }
}

/// Hundredths of a pixel as a decimal number, without trailing zeros.
fn pixels(hundredths: usize) -> String {
    let words = format!("{}.{:02}", hundredths / 100, hundredths % 100);
    words.trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}
