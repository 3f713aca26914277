//! The job of reading and comparing two texts on another thread.
//!
//! A comparison has its own sessions, so that it does not change with the texts.

use crate::compare::{CallList as _, ComparedText, Comparison};
use crate::session::Session;
use crate::wording::filter_line;

use crate::tui::message::ComparisonSide;
use crate::tui::screen::comparison::settings::differences;
use crate::tui::view::session_copy::SessionCopy;

/// Maximum calls on a side for a comparison on the screen.
pub const MOST: usize = 20_000;

/// One side of a comparison.
pub struct ComparedSide {
    /// Title of its column.
    pub name: String,
    /// Description of the settings that differ from the other side's.
    pub settings: String,
    /// The text as it was when the comparison was requested.
    pub session: Session,
    /// The part of it that is compared, with its filter, as `filter: turn:2 (1 of 3 calls)`; `None` for the whole.
    pub part: Option<String>,
    /// Id of the tab that shows it.
    pub tab: Option<usize>,
}

/// A finished comparison.
pub struct Compared {
    /// The two sides, left and right.
    pub sides: [ComparedSide; 2],
    /// The differences.
    pub comparison: Comparison,
}

impl Compared {
    /// Compares two texts, each with the id of its tab.
    ///
    /// # Errors
    /// The reason why they cannot be compared on the screen.
    pub fn new(texts: [(ComparedText, Option<usize>); 2]) -> Result<Self, String> {
        let [(left, _), (right, _)] = &texts;
        if [left, right].iter().any(|text| text.session.calls() > MOST) {
            return Err("more than 20,000 calls: use transcope diff, which compares any number of them".into());
        }
        let is_one_text = texts[0].1.is_some_and(|tab| texts[1].1 == Some(tab));
        let comparison = if is_one_text {
            Comparison::new(left.side(), right.side())
        } else {
            Comparison::of_transcripts(left.side(), right.side())
        };
        let mut settings = differences(&left.options, &right.options).unwrap_or_default().into_iter();
        let sides = texts.map(|(ComparedText { name, session, part, .. }, tab)| ComparedSide {
            name,
            settings: settings.next().unwrap_or_default(),
            session,
            part: part.as_ref().map(filter_line),
            tab,
        });
        Ok(Self { sides, comparison })
    }
}

/// A comparison to be made.
pub struct ComparisonJob([Side; 2]);

struct Side {
    asked: ComparisonSide,
    copy: SessionCopy,
}

impl ComparisonJob {
    /// Captures two sides with the sessions of their tabs, whose bytes will be read again.
    pub fn new(sides: [(&ComparisonSide, &Session); 2]) -> Self {
        Self(sides.map(|(asked, session)| {
            let copy = SessionCopy::new(session, &asked.options);
            let copy = match &asked.saved {
                Some(saved) => copy.with_text(saved),
                None => copy,
            };
            Side { asked: asked.clone(), copy }
        }))
    }

    /// Reads and compares both texts; `None` once it `is_cancelled`.
    pub fn run(self, is_cancelled: impl Fn() -> bool) -> Option<Result<Compared, String>> {
        let [left, right] = self.0.map(|side| {
            let tab = Some(side.asked.tab);
            side.read(&is_cancelled).map(|text| (text, tab))
        });
        Some(Compared::new([left?, right?]))
    }
}

impl Side {
    fn read(self, is_cancelled: &impl Fn() -> bool) -> Option<ComparedText> {
        let ComparisonSide { name, options, .. } = self.asked;
        let session = self.copy.read(is_cancelled)?;
        Some(ComparedText { name, session, options, part: None })
    }
}
