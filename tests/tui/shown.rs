//! Screens as text that can be read in a diff: their symbols, and below them the roles of their cells.
//!
//! A frame is drawn with a theme in which each role has a distinct colour, so that a cell identifies the roles it was
//! drawn with. Each row has the roles of its cells from left to right, without trailing spaces: a letter, and the
//! number of consecutive cells that have it (`3 | a12 T5 .20` is a row of 12, 5 and 20 cells). [`sign`] has the
//! letters; `.` is ordinary text. A background or underline precedes the letter, as one of the other characters: `>n4`
//! is a selected name, `!7` a match at the current position of the search.
//!
//! Independent of how a screen is drawn.

use std::fmt::Write as _;
use std::sync::LazyLock;

use ratatui::buffer::{Buffer, Cell};
use ratatui::style::{Color, Modifier, Style};
use transcope::tui::pane::Panes;
use transcope::tui::style::Role;
use transcope::tui::theme::Theme;
use unicode_width::UnicodeWidthStr;

use super::snapshot;

/// Compares a screen with the snapshot of that name. Only snapshots of the first screen show the bottom tabs after the
/// chosen one, so that an additional pane changes no other snapshot.
pub fn shows(name: &str, screen: &Buffer) {
    let mut screen = screen.clone();
    if !name.starts_with("first_screen") {
        hide_further_tabs(&mut screen);
    }
    snapshot::matches("tui", name, &format!("{}\n\n{}", text_of(&screen), roles_of(&screen)));
}

/// Draws the border over the names of the panes that follow the chosen one in its row.
fn hide_further_tabs(screen: &mut Buffer) {
    let names: Vec<&str> = Panes::ALL.iter().map(|&pane| Panes::facts(pane).name).collect();
    for y in 0..screen.area.height {
        let row: String = (0..screen.area.width).map(|x| screen[(x, y)].symbol()).collect();
        let tabs = row.split("] ").nth(1).unwrap_or_default();
        let is_tab = |word: &&str| names.contains(word);
        if !row.starts_with(['╭', '┏'])
            || !tabs.split("  ").map(|word| word.trim_end_matches(['─', '━', '╮', '┓', ' '])).any(|word| is_tab(&word))
        {
            continue;
        }
        let end = (0..screen.area.width).find(|&x| screen[(x, y)].symbol() == "]").unwrap_or_default();
        let corner = screen.area.width - 1;
        let line = if row.starts_with('╭') { "─" } else { "━" };
        let style = screen[(corner, y)].style();
        for x in end + 1..corner {
            screen[(x, y)].reset();
            screen[(x, y)].set_symbol(line).set_style(style);
        }
    }
}

/// The theme for frames of tests: where the dark theme has a colour, it has the distinct colour of the role. Roles that
/// are only bold or italic there are so here too.
pub fn theme() -> Theme {
    static THEME: LazyLock<Theme> = LazyLock::new(|| {
        let dark = Theme::named("dark").expect("a built-in theme");
        Theme::new("roles", |role| {
            let style = dark.style(role);
            let own = |color: Option<Color>| color.map(|_| color_of(role));
            let colors = Style {
                fg: own(style.fg),
                bg: own(style.bg),
                underline_color: own(style.underline_color),
                ..Style::new()
            };
            if colors == Style::new() { style } else { colors }
        })
    });
    THEME.clone()
}

fn color_of(role: Role) -> Color {
    Color::Indexed(role as u8)
}

/// The character for a role: letters for text, others for backgrounds and underlines.
#[rustfmt::skip]
fn sign(role: Role) -> char {
    match role {
        Role::Text => '.', Role::Dim => 'd', Role::Title => 'T', Role::Border => 'b', Role::BorderFocused => 'B',
        Role::Selection => '>', Role::SelectionUnfocused => '~', Role::Prompt => 'P',
        Role::Marker => 'm', Role::Name => 'n', Role::Id => 'i', Role::Dependency => 'D', Role::Pointer => 'p',
        Role::String => 's', Role::Number => 'N', Role::Boolean => 'o', Role::Null => 'O',
        Role::Error => 'E', Role::Warning => 'W', Role::Hint => 'H', Role::Good => 'G', Role::Pending => 'y',
        Role::ErrorSpan => '^', Role::WarningSpan => '%', Role::HintSpan => '&',
        Role::Match => '?', Role::MatchCurrent => '!', Role::Chunk => ':', Role::Picture => '@',
        Role::LineNumber => 'L', Role::Gutter => 'g',
        Role::User => 'U', Role::Assistant => 'A', Role::System => 'S', Role::Tool => 'R',
        Role::Heading => 'h', Role::Strong => '*', Role::Emphasis => '_', Role::InlineCode => 'c',
        Role::CodeBlock => 'C', Role::Quote => 'q', Role::Link => 'l',
        Role::CodeKeyword => 'k', Role::CodeString => 't', Role::CodeComment => 'z', Role::CodeNumber => 'x',
        Role::CodeFunction => 'f', Role::CodeType => 'Y', Role::CodeConstant => 'K', Role::CodeProperty => 'r',
        Role::CodePunctuation => 'v', Role::CodeInserted => 'I', Role::CodeDeleted => 'X',
        Role::Removed => 'M', Role::Added => 'a', Role::Status => '=', Role::StatusKey => '#',
    }
}

/// The roles of a cell: its background, its underline or strike-through, and its text.
fn signs(cell: &Cell) -> String {
    let role = |color: Color| match color {
        Color::Reset => None,
        color => Some(Role::ALL.into_iter().find(|&role| color_of(role) == color).expect("colours come from roles")),
    };
    let [beneath, under, written] = [cell.bg, cell.underline_color, cell.fg].map(role);
    let mut signs: String = beneath.into_iter().chain(under).map(sign).collect();
    for (modifier, sign) in [
        (Modifier::BOLD, sign(Role::Strong)),
        (Modifier::ITALIC, sign(Role::Emphasis)),
        (Modifier::CROSSED_OUT, '-'),
        (Modifier::REVERSED, '/'),
    ] {
        signs.extend(cell.modifier.contains(modifier).then_some(sign));
    }
    if written.is_none() || written != beneath {
        signs.push(sign(written.unwrap_or(Role::Text)));
    }
    signs
}

/// The roles of the cells, one line for each row.
fn roles_of(screen: &Buffer) -> String {
    let mut out = String::new();
    for y in 0..screen.area.height {
        let mut runs: Vec<(String, usize)> = Vec::new();
        let mut x = 0;
        while x < screen.area.width {
            let cell = &screen[(x, y)];
            let (signs, width) = (signs(cell), cell.symbol().width().max(1));
            match runs.last_mut() {
                Some((last, length)) if *last == signs => *length += width,
                _ => runs.push((signs, width)),
            }
            x += width as u16;
        }
        runs.pop_if(|(signs, _)| signs == ".");
        let _ = write!(out, "{y:2} |");
        for (signs, length) in runs {
            let _ = match length {
                1 => write!(out, " {signs}"),
                length => write!(out, " {signs}{length}"),
            };
        }
        out.push('\n');
    }
    out
}

/// The symbols of a screen as lines of text, without trailing spaces.
pub fn text_of(screen: &Buffer) -> String {
    let mut lines = Vec::new();
    for y in 0..screen.area.height {
        let mut line = String::new();
        let mut x = 0;
        while x < screen.area.width {
            let symbol = screen[(x, y)].symbol();
            line.push_str(symbol);
            x += symbol.width().max(1) as u16;
        }
        lines.push(line.trim_end().to_owned());
    }
    lines.join("\n")
}

#[test]
fn no_two_roles_have_the_same_sign() {
    let mut signs = Role::ALL.map(sign);
    signs.sort_unstable();
    for pair in signs.windows(2) {
        assert_ne!(pair[0], pair[1]);
    }
}
