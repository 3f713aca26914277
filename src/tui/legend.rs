//! The legend: every symbol that the screens print next to words, with its meaning. The help shows it.
//!
//! Borders of boxes are left out, and the pictures of all unsafe characters share one line.

use crate::tui::action::{ScreenId, ScreenSet};

/// A symbol, or several that belong together, with their meaning.
pub struct LegendLine {
    /// The symbols, separated by spaces.
    pub signs: &'static str,
    /// The meaning on these screens; a symbol may mean something else on others.
    pub meaning: &'static str,
    /// The screens that print them.
    on: ScreenSet,
}

const fn sign(on: ScreenSet, signs: &'static str, meaning: &'static str) -> LegendLine {
    LegendLine { signs, meaning, on }
}

const ALL: ScreenSet = ScreenSet::Except(&[]);
const TRANSCRIPT: ScreenSet = ScreenSet::Only(&[ScreenId::Transcript]);
const SESSIONS: ScreenSet = ScreenSet::Only(&[ScreenId::Sessions]);
const CORPUS: ScreenSet = ScreenSet::Only(&[ScreenId::Corpus]);
const LENS: ScreenSet = ScreenSet::Only(&[ScreenId::Lens]);
const TEMPLATE: ScreenSet = ScreenSet::Only(&[ScreenId::Template]);
const COMPARISON: ScreenSet = ScreenSet::Only(&[ScreenId::Comparison]);
const PROMPTS: ScreenSet = ScreenSet::Only(&[ScreenId::Prompts]);
const COMPARED: ScreenSet = ScreenSet::Only(&[ScreenId::Comparison, ScreenId::Transcript]);
const SIDES: ScreenSet = ScreenSet::Only(&[ScreenId::Comparison, ScreenId::Prompts]);
const RENDERED: ScreenSet = ScreenSet::Only(&[ScreenId::Template, ScreenId::Prompts]);
const SELECTING: ScreenSet = ScreenSet::Only(&[ScreenId::Transcript, ScreenId::Template, ScreenId::Prompts]);
const FOLDING: ScreenSet = ScreenSet::Except(&[ScreenId::Corpus, ScreenId::Prompts]);
const SHORTENED: ScreenSet = ScreenSet::Except(&[ScreenId::Transcript]);
const SEPARATED: ScreenSet = ScreenSet::Only(&[ScreenId::Lens, ScreenId::Corpus, ScreenId::Prompts]);
const RUNTIMES: ScreenSet = ScreenSet::Only(&[ScreenId::Lens, ScreenId::Template]);
const SORTED: ScreenSet = ScreenSet::Only(&[ScreenId::Transcript, ScreenId::Corpus]);

#[rustfmt::skip]
static LEGEND: &[LegendLine] = &[
    sign(TRANSCRIPT, "✗", "error, failed call"),
    sign(TRANSCRIPT, "!", "warning"),
    sign(TRANSCRIPT, "·", "note: unusual; elsewhere: between two facts"),
    sign(TRANSCRIPT, "?", "unanswered call: no result follows"),
    sign(TRANSCRIPT, "⊘", "skipped by the runtime; interrupted"),
    sign(TRANSCRIPT, "…", "still arriving; or shortened"),
    sign(SHORTENED, "…", "shortened; or still at work"),
    sign(SEPARATED, "·", "between two facts"),
    sign(FOLDING, "▸ ▾", "folded, open"),
    sign(TRANSCRIPT, "⇒", "result of a call"),
    sign(TRANSCRIPT, "∴", "reasoning"),
    sign(TRANSCRIPT, "⑂", "sub-agent: Enter opens its conversation"),
    sign(TRANSCRIPT, "✎", "a note of yours; the notes pane lists all"),
    sign(TRANSCRIPT, "‹ ›", "text that a program added to the prompt"),
    sign(TRANSCRIPT, "“ ”", "what the user asked in this turn"),
    sign(TRANSCRIPT, "←", "ids of the calls that this one waits for"),
    sign(TRANSCRIPT, "→", "turned into: a value as read, another model"),
    sign(SELECTING, "▌", "the selection"),
    sign(TRANSCRIPT, "▏", "raw: lines of a call"),
    sign(TRANSCRIPT, "│ ╰ ╵", "reading: a call, from its name to its result"),
    sign(TRANSCRIPT, "┆", "a text that is cut short or set apart"),
    sign(TRANSCRIPT, "┄", "abandoned messages; graph: skipped calls"),
    sign(TRANSCRIPT, "─", "heading of a message; rule"),
    sign(TRANSCRIPT, "━ ─", "right edge: problem or failed call; match"),
    sign(TRANSCRIPT, "⋮", "details: lines between two changes"),
    sign(TRANSCRIPT, "+ −", "files: lines added and removed"),
    sign(TRANSCRIPT, "×", "cost: times the size of the one in the text"),
    sign(TRANSCRIPT, "▲ ▼", "graph: from a call to what waits for it"),
    sign(TRANSCRIPT, "╭ ╮ ╰ ╯", "graph: a box for each call"),
    sign(TRANSCRIPT, "├ ┤ ┬ ┴ ┼", "graph: lines between calls"),
    sign(TRANSCRIPT, "↻", "graph: a call that waits for itself"),
    sign(TRANSCRIPT, "▼ N", "N new lines below; G goes there"),
    sign(TRANSCRIPT, "● ○", "followed: active, silent; cost: in the text"),
    sign(TRANSCRIPT, "▶ ‖", "replay: playing, paused"),
    sign(TRANSCRIPT, "┼ ┿ ●", "replay: a call, one that was played, here"),
    sign(TRANSCRIPT, "[x] [ ]", "settings: on, off"),
    sign(COMPARED, "~ + -", "changed, added, removed"),
    sign(COMPARISON, "✗ ! ·", "error, warning and note of a call"),
    sign(SIDES, "⋯", "what is the same on both sides, left out"),
    sign(COMPARISON, "│", "between the two sides"),
    sign(PROMPTS, "~ + -", "lines: changed, added, removed"),
    sign(PROMPTS, "▸", "the side that the keys act on"),
    sign(SESSIONS, "✗", "it ended with an error"),
    sign(SESSIONS, "⊘", "it was interrupted at its end"),
    sign(SESSIONS, "!", "a folder that could not be read"),
    sign(SESSIONS, "+", "more was written since it was read"),
    sign(SESSIONS, "✗ ! ·", "problems: errors, warnings, notes"),
    sign(SESSIONS, "⑂", "sub-agents: l shows them"),
    sign(LENS, "●", "marked with Space, to be compared with D"),
    sign(LENS, "≠ + −", "differs from the first; added; missing here"),
    sign(LENS, "≈", "streamed, or read by a client, it may differ"),
    sign(RUNTIMES, "~", "not verified against the real parser"),
    sign(LENS, "⋯", "more of these: l shows them"),
    sign(TEMPLATE, "✗ ! ·", "error, warning, note"),
    sign(RENDERED, "↵", "the end of a line of the prompt"),
    sign(RENDERED, "→", "from a line of the template to its output"),
    sign(TEMPLATE, "?", "the origin of this part is not known"),
    sign(SORTED, "▾", "the column that rows are sorted by"),
    sign(SORTED, "↑ ↓", "tokens: input that is not cached; output"),
    sign(SORTED, "R W", "tokens: read from the cache; written to it"),
    sign(CORPUS, "–", "not known, or none"),
    sign(TRANSCRIPT, "–", "from – to; not known"),
    sign(ALL, "≤ ≥ ~", "at most, at least, estimated"),
    sign(CORPUS, "█ ▌ ▏", "a bar: the share of the largest number"),
    sign(TRANSCRIPT, "█ ▌", "statistics: the share of the largest number"),
    sign(TRANSCRIPT, "█ ▓ ▒ ░", "context: cached, new, answer, reasoning"),
    sign(TRANSCRIPT, "█ ▓ ▒ ·", "timeline: model, tool, sub-agent, awaits you"),
    sign(TRANSCRIPT, "≈", "timeline: a long pause that is cut short"),
    sign(TRANSCRIPT, "‹ ›", "timeline: before or after what is shown"),
    sign(ALL, "[ ]", "around the tab that is shown"),
    sign(ALL, "● + ✗", "tab: live, more has arrived, errors"),
    sign(ALL, "␀ ␛ ␍", "a character that could act on a terminal"),
];

/// The lines about a screen, in the order of the help.
pub fn legend(screen: ScreenId) -> impl Iterator<Item = &'static LegendLine> {
    LEGEND.iter().filter(move |line| line.on.has(screen))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::wrap::display_width;

    #[test]
    fn every_line_fits_into_a_column_of_the_help() {
        for LegendLine { signs, meaning, .. } in LEGEND {
            assert!(display_width(signs.as_bytes()) < 10, "{signs:?} is too wide");
            assert!(display_width(meaning.as_bytes()) <= 45, "{meaning:?} is too long");
        }
    }
}
