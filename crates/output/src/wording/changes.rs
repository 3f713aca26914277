//! Differences of two transcripts and losses of a conversion, one line each.

use serde_json::Value;

use crate::compare::{Comparison, PartChange, RowKind};
use crate::convert::{ConversionLoss, LossKind};
use crate::text::sanitize::{glyphs, visible_str};

/// Maximum width of a value, in columns.
const VALUE_WIDTH: usize = 60;

/// A loss of a conversion to the dialect `to`, in one line.
pub fn loss(loss: &ConversionLoss, to: &str) -> String {
    let ConversionLoss { line, name, what, .. } = loss;
    let place = format!("line {line}: {}", visible_str(name));
    match what {
        LossKind::Call => format!("{place}: is not read as a separate call in {to}"),
        LossKind::Extra => format!("{place}: would be read as a call in {to}"),
        LossKind::Refused(words) => {
            format!("{place}: rejected ({}); only the valid part was converted", visible_str(words))
        }
        LossKind::Unterminated => format!("{place}: was unterminated; its end was added"),
        LossKind::Part(PartChange { part, old, new }) => {
            let words = part.words();
            let part = visible_str(&words);
            let was = old.as_ref().map_or_else(String::new, |old| format!(" {}", shown(Some(old))));
            match new {
                Some(new) => format!("{place}: {part}{was} becomes {} in {to}", shown(Some(new))),
                None if part == "id" => format!("{place}: {part}{was} is lost: {to} has no ids"),
                None if part == "dependencies" => format!("{place}: {part}{was} are lost: {to} has no dependencies"),
                None => format!("{place}: {part}{was} is lost in {to}"),
            }
        }
    }
}

/// Numbers of calls by kind of change, and of problems.
pub fn summary(comparison: &Comparison) -> String {
    let [same, changed, left, right] =
        [RowKind::Same, RowKind::Changed, RowKind::Left, RowKind::Right].map(|kind| comparison.count(kind));
    let (gone, came) = (comparison.gone.len(), comparison.came.len());
    format!("{same} same, {changed} changed, {left} only left, {right} only right; problems: {gone} gone, {came} new")
}

/// A value as JSON on one line, cut to the maximum width.
pub(crate) fn shown(value: Option<&Value>) -> String {
    let Some(value) = value else { return "(none)".to_owned() };
    let words = value.to_string();
    let mut shown = String::new();
    let mut width = 0;
    for glyph in glyphs(words.as_bytes()) {
        width += glyph.width;
        if width > VALUE_WIDTH {
            shown.push('…');
            break;
        }
        shown.push_str(&glyph.text);
    }
    shown
}
