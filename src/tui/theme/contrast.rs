//! Tests the contrast of the built-in themes on the usual terminal colours.

use std::str::FromStr as _;

use ratatui::style::{Color, Modifier};

use crate::tui::style::Role;
use crate::tui::theme::depth::Depth;
use crate::tui::theme::{Theme, in_row};

/// Typical backgrounds of dark and light terminals.
const BACKGROUNDS: [(&str, Depth, [&str; 2]); 14] = [
    ("dark", Depth::TrueColor, ["#000000", "#282c34"]),
    ("light", Depth::TrueColor, ["#ffffff", "#fdf6e3"]),
    ("dark", Depth::Ansi256, ["#000000", "#282c34"]),
    ("light", Depth::Ansi256, ["#ffffff", "#fdf6e3"]),
    ("dark", Depth::Ansi16, ["#000000", "#000000"]),
    ("light", Depth::Ansi16, ["#ffffff", "#ffffff"]),
    ("dark-16", Depth::TrueColor, ["#000000", "#000000"]),
    ("light-16", Depth::TrueColor, ["#ffffff", "#ffffff"]),
    ("dark-colorblind", Depth::TrueColor, ["#000000", "#282c34"]),
    ("light-colorblind", Depth::TrueColor, ["#ffffff", "#fdf6e3"]),
    ("dark-colorblind", Depth::Ansi256, ["#000000", "#282c34"]),
    ("light-colorblind", Depth::Ansi256, ["#ffffff", "#fdf6e3"]),
    ("dark-colorblind", Depth::Ansi16, ["#000000", "#000000"]),
    ("light-colorblind", Depth::Ansi16, ["#ffffff", "#ffffff"]),
];

/// WCAG 2.2 AA for text.
const READABLE: f64 = 4.5;
/// WCAG 2.2 AA for large text and non-text content, required here of text on a tint as well.
const DISCERNIBLE: f64 = 3.0;

#[test]
fn text_has_enough_contrast() {
    for (name, depth, backgrounds) in BACKGROUNDS {
        let theme = Theme::named(name).and_then(|theme| theme.at(depth)).expect(name);
        for role in Role::ALL {
            let style = theme.style(role);
            let (Some(fg), line) = (style.fg, matches!(role, Role::Border | Role::Gutter)) else {
                continue;
            };
            for behind in backgrounds.map(|hex| Color::from_str(hex).expect("a colour")) {
                let wanted = if line { 2.0 } else { READABLE };
                let found = contrast(fg, style.bg.unwrap_or(behind));
                assert!(found >= wanted, "{name} {depth:?}: {role:?} has {found:.1} upon {behind}");
            }
            for tint in [Role::Selection, Role::SelectionUnfocused, Role::Match] {
                // Without a tint, an attribute marks the row.
                let Some(behind) = style.bg.or(theme.style(tint).bg) else { continue };
                let found = contrast(fg, behind);
                assert!(line || found >= DISCERNIBLE, "{name} {depth:?}: {role:?} has {found:.1} upon {tint:?}");
            }
        }
    }
}

#[test]
fn what_is_selected_can_be_read_where_there_are_sixteen_colours() {
    for (name, depth, _) in BACKGROUNDS {
        let theme = Theme::named(name).and_then(|theme| theme.at(depth)).expect(name);
        let over = theme.style(Role::Selection);
        if over.bg.is_some() {
            continue;
        }
        assert!(over.add_modifier.contains(Modifier::REVERSED), "{name} {depth:?}: nothing marks the row");
        for role in Role::ALL {
            let style = in_row(over, theme.style(role));
            assert_eq!((style.fg, style.bg), (None, None), "{name} {depth:?}: {role:?} has a colour in a reversed row");
            assert!(!style.add_modifier.contains(Modifier::DIM), "{name} {depth:?}: {role:?}");
        }
    }
}

/// The contrast ratio of WCAG 2.2. If the terminal chooses the shade, the lower ratio of the palettes of xterm and of a
/// PC's console.
fn contrast(one: Color, other: Color) -> f64 {
    let ratio = |palette: &[&str; 16]| {
        let (one, other) = (luminance(one, palette), luminance(other, palette));
        (one.max(other) + 0.05) / (one.min(other) + 0.05)
    };
    ratio(&XTERM).min(ratio(&CONSOLE))
}

/// The sixteen ANSI colours of xterm.
pub(super) const XTERM: [&str; 16] = [
    "#000000", "#cd0000", "#00cd00", "#cdcd00", "#0000ee", "#cd00cd", "#00cdcd", "#e5e5e5", "#7f7f7f", "#ff0000",
    "#00ff00", "#ffff00", "#5c5cff", "#ff00ff", "#00ffff", "#ffffff",
];

/// The sixteen ANSI colours of a PC's console.
const CONSOLE: [&str; 16] = [
    "#000000", "#aa0000", "#00aa00", "#aa5500", "#0000aa", "#aa00aa", "#00aaaa", "#aaaaaa", "#555555", "#ff5555",
    "#55ff55", "#ffff55", "#5555ff", "#ff55ff", "#55ffff", "#ffffff",
];

pub(super) fn rgb(color: Color, palette: &[&str; 16]) -> (u8, u8, u8) {
    let index = match color {
        Color::Rgb(r, g, b) => return (r, g, b),
        Color::Indexed(index @ 16..=231) => {
            let step = |part: u8| if part == 0 { 0 } else { 55 + 40 * part };
            let cube = index - 16;
            return (step(cube / 36), step(cube / 6 % 6), step(cube % 6));
        }
        Color::Indexed(index @ 232..) => return [8 + 10 * (index - 232); 3].into(),
        Color::Indexed(index) => index,
        Color::Black => 0,
        Color::Red => 1,
        Color::Green => 2,
        Color::Yellow => 3,
        Color::Blue => 4,
        Color::Magenta => 5,
        Color::Cyan => 6,
        Color::Gray => 7,
        Color::DarkGray => 8,
        Color::LightRed => 9,
        Color::LightGreen => 10,
        Color::LightYellow => 11,
        Color::LightBlue => 12,
        Color::LightMagenta => 13,
        Color::LightCyan => 14,
        Color::White => 15,
        Color::Reset => panic!("the terminal's own colour"),
    };
    rgb(Color::from_str(palette[usize::from(index)]).expect("a colour"), palette)
}

fn luminance(color: Color, palette: &[&str; 16]) -> f64 {
    let [r, g, b] = linear(rgb(color, palette));
    0.2126 * r + 0.7152 * g + 0.0722 * b
}

/// Linear light of the colour components, each from 0 to 1.
pub(super) fn linear((r, g, b): (u8, u8, u8)) -> [f64; 3] {
    [r, g, b].map(|part| {
        let part = f64::from(part) / 255.0;
        if part <= 0.04045 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
    })
}
