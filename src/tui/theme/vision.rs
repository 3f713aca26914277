//! Tests that roles of the colour-blind themes stay distinguishable with colour vision deficiencies.

use ratatui::style::Color;

use super::contrast::{XTERM, linear, rgb};
use crate::tui::style::Role;
use crate::tui::theme::Theme;
use crate::tui::theme::depth::Depth;

/// Perceived linear RGB: Machado, Oliveira and Fernandes, "A physiologically-based model for simulation of color vision
/// deficiency" (2009), severity 1.
const VISIONS: [(&str, [[f64; 3]; 3]); 4] = [
    ("usual", [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]),
    (
        "protanopia",
        [[0.152_286, 1.052_583, -0.204_868], [0.114_503, 0.786_281, 0.099_216], [-0.003_882, -0.048_116, 1.051_998]],
    ),
    (
        "deuteranopia",
        [[0.367_322, 0.860_646, -0.227_968], [0.280_085, 0.672_501, 0.047_413], [-0.011_820, 0.042_940, 0.968_881]],
    ),
    (
        "tritanopia",
        [[1.255_528, -0.076_749, -0.178_779], [-0.078_411, 0.930_809, 0.147_602], [0.004_733, 0.691_367, 0.303_900]],
    ),
];

/// Roles that appear next to each other and differ in meaning.
const APART: &[(Role, Role)] = &[
    (Role::Error, Role::Warning),
    (Role::Error, Role::Hint),
    (Role::Error, Role::Good),
    (Role::Warning, Role::Hint),
    (Role::Warning, Role::Good),
    (Role::Hint, Role::Good),
    (Role::Name, Role::Id),
    (Role::Name, Role::Dependency),
    (Role::Id, Role::Dependency),
    (Role::String, Role::Number),
    (Role::String, Role::Boolean),
    (Role::Number, Role::Boolean),
    (Role::User, Role::Assistant),
    (Role::User, Role::Tool),
    (Role::Assistant, Role::Tool),
    (Role::CodeInserted, Role::CodeDeleted),
    (Role::Added, Role::Removed),
];

/// Minimum distance of colours in CIELAB (1976); about 2.3 is just noticeable side by side.
const DISTANCE: f64 = 15.0;

/// The same with the nearest of 256 colours.
const DISTANCE_OF_256: f64 = 12.0;

#[test]
fn what_must_be_told_apart_is_so_with_any_colour_vision() {
    for name in ["dark-colorblind", "light-colorblind"] {
        for (depth, distance) in [(Depth::TrueColor, DISTANCE), (Depth::Ansi256, DISTANCE_OF_256)] {
            let near = too_near(&Theme::named(name).and_then(|theme| theme.at(depth)).expect(name), distance);
            assert!(near.is_empty(), "{name} {depth:?}: {near:#?}");
        }
    }
}

#[test]
fn red_and_green_of_the_other_themes_are_found_to_be_near() {
    for name in ["dark", "light"] {
        let near = too_near(&Theme::named(name).expect(name), DISTANCE);
        assert!(near.iter().any(|words| words.starts_with("CodeInserted and CodeDeleted")), "{name}: {near:?}");
    }
}

/// Pairs of roles whose colours are closer than `least` for some kind of colour vision.
fn too_near(theme: &Theme, least: f64) -> Vec<String> {
    let mut near = Vec::new();
    for (one, other) in APART {
        let color = |role: &Role| theme.style(*role).fg.expect("it has a colour");
        for (vision, seen) in VISIONS {
            let [a, b] = [one, other].map(|role| lab(color(role), &seen));
            let distance = a.iter().zip(b).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
            if distance < least {
                near.push(format!("{one:?} and {other:?} with {vision}: {distance:.1}"));
            }
        }
    }
    near
}

/// A colour as perceived, in CIELAB under D65.
fn lab(color: Color, seen: &[[f64; 3]; 3]) -> [f64; 3] {
    let light = linear(rgb(color, &XTERM));
    let dot = |row: [f64; 3], light: [f64; 3]| row.iter().zip(light).map(|(a, b)| a * b).sum::<f64>();
    let light = seen.map(|row| dot(row, light).clamp(0.0, 1.0));
    let xyz = [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]].map(|row| dot(row, light));
    let [x, y, z] = [xyz[0] / 0.950_47, xyz[1], xyz[2] / 1.088_83]
        .map(|part: f64| if part > 216.0 / 24_389.0 { part.cbrt() } else { (24_389.0 / 27.0 * part + 16.0) / 116.0 });
    [116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)]
}
