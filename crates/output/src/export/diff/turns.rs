//! Differences between two recorded sessions turn by turn: totals, and a heading with figures before the calls of each pair of
//! turns.

use std::io::{self, Write};

use serde_json::{Value, json};

use super::super::session_facts;
use super::sign;
use crate::compare::turns::TurnPair;
use crate::compare::{ComparedText, Comparison, RowKind};
use crate::document::Turn;
use crate::session::Session;
use crate::session::prompt::prompt_line;
use crate::text::sanitize::visible_str;
use crate::text::wrap::fit;
use crate::wording::figures::turn_figures;
use crate::wording::session_columns::SessionColumn;
use crate::wording::session_columns::SessionColumn::{Calls, Cost, Duration, Failed, Tokens, Turns};
use crate::wording::session_summary::SessionSummary;

/// The figures of a whole session, in display order.
const TOTALS: [SessionColumn; 6] = [Turns, Calls, Failed, Duration, Tokens, Cost];

/// Spaces between two columns of the table of totals.
const GAP: usize = 2;

/// Maximum width of a prompt, in columns.
const PROMPT_WIDTH: usize = 80;

/// Writes the totals of both sessions: a header, and a line for each, which begins with the sign of its side. Figures that
/// neither session states are left out.
pub(super) fn write_totals<W: Write>(out: &mut W, sides: &[ComparedText; 2]) -> io::Result<()> {
    let summaries = sides.each_ref().map(|side| SessionSummary::new(&side.session));
    let columns = TOTALS.map(|column| (column, summaries.each_ref().map(|summary| summary.text_of(column))));
    let shown = columns.iter().filter(|(_, texts)| texts.iter().any(|text| !text.is_empty()));
    let (mut lines, mut header) = (["---".to_owned(), "+++".to_owned()], "   ".to_owned());
    let gap = " ".repeat(GAP);
    for (column, texts) in shown {
        let width = texts.iter().map(|text| text.chars().count()).chain([column.name().len()]).max().unwrap_or(0);
        header.extend([gap.as_str(), &format!("{:>width$}", column.name())]);
        for (line, text) in lines.iter_mut().zip(texts) {
            line.extend([gap.as_str(), &format!("{text:>width$}")]);
        }
    }
    writeln!(out, "{header}")?;
    lines.iter().try_for_each(|line| writeln!(out, "{}", line.trim_end()))
}

/// The totals of a session that are known, in one line: `turns 2, calls 5, failed 1`.
pub fn totals(summary: &SessionSummary) -> String {
    let known = TOTALS.iter().map(|column| (column.name(), summary.text_of(*column)));
    let known = known.filter(|(_, text)| !text.is_empty()).map(|(name, text)| format!("{name} {text}"));
    known.collect::<Vec<_>>().join(", ")
}

/// The sign of a pair of turns, judged by the prompts alone.
pub fn kind(pair: &TurnPair) -> RowKind {
    match (pair.left, pair.right) {
        _ if pair.has_same_prompt => RowKind::Same,
        (Some(_), None) => RowKind::Left,
        (None, _) => RowKind::Right,
        _ => RowKind::Changed,
    }
}

/// Writes the heading of a pair of turns: prompts and figures. The calls before the first prompts have none.
pub(super) fn write_heading<W: Write>(out: &mut W, sides: &[ComparedText; 2], pair: &TurnPair) -> io::Result<()> {
    let turns = [pair.left, pair.right];
    let of = |make: fn(&Session, Turn) -> String| -> Vec<String> {
        let known = turns.iter().zip(sides).filter_map(|(turn, side)| Some(make(&side.session, (*turn)?)));
        let mut all: Vec<String> = known.collect();
        all.dedup();
        all
    };
    if turns == [None, None] {
        return writeln!(out, "  before the first prompt");
    }
    let numbers = of(turn_number);
    let prompts = of(|session, turn| fit(&visible_str(&prompt_line(session, turn)), PROMPT_WIDTH).into_owned());
    writeln!(out, "{} turn {}: {}", sign(kind(pair)), numbers.join(" → "), prompts.join(" → "))?;
    let figures = of(|session, turn| turn_figures(&session.document().turn_summary(turn, session.text())));
    writeln!(out, "    {}", figures.join(" → "))
}

/// The number of a turn, or that it was abandoned.
fn turn_number(session: &Session, turn: Turn) -> String {
    session.document().turn_number(turn).map_or("(abandoned)".to_owned(), |number| number.to_string())
}

/// The records of the pairs of turns.
pub(super) fn records<'a>(
    sides: &'a [ComparedText; 2],
    comparison: &'a Comparison,
) -> impl Iterator<Item = Value> + 'a {
    comparison.turns.iter().map(|pair| {
        let [left, right] = sides.each_ref().map(|side| &side.session);
        let record = |session: &Session, turn: Option<Turn>| turn.map(|turn| json!(session_facts::turn(session, turn)));
        json!({
            "left": record(left, pair.left),
            "right": record(right, pair.right),
            "same_prompt": pair.has_same_prompt,
            "rows": [pair.rows.start, pair.rows.end],
        })
    })
}
