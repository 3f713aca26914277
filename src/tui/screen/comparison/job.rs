//! Reading two texts and comparing them: what a key asks for and another thread does.
//!
//! A comparison has sessions of its own, so that what it shows stays as it was made. This module does not know how it is
//! shown.

use crate::compare::{CallList as _, ComparedText, Comparison};
use crate::container::Container;
use crate::session::Session;
use crate::text::{Span, Text};

use crate::tui::message::ComparisonSide;
use crate::tui::screen::comparison::settings::differences;

/// Calls on a side beyond which two texts are not compared on the screen.
pub const MOST: usize = 20_000;

/// Bytes of a text that are read before the interest in it is asked for again.
const SLICE: usize = 256 * 1024;

/// A text that was read to be compared.
pub struct ComparedSide {
    /// What it is called above its column.
    pub name: String,
    /// What it is read with, where that is not what the other one is read with.
    pub settings: String,
    /// All of it, as it was when the comparison was asked for.
    pub session: Session,
    /// The number of the tab that shows it.
    pub tab: Option<usize>,
}

/// Two texts and what differs.
pub struct Compared {
    /// The two texts, left and right.
    pub sides: [ComparedSide; 2],
    /// What differs between the two.
    pub comparison: Comparison,
}

impl Compared {
    /// Compares two texts.
    ///
    /// # Errors
    /// Says why they cannot be compared on the screen.
    pub fn new(sides: [ComparedSide; 2]) -> Result<Self, String> {
        if sides.iter().any(|side| side.session.calls() > MOST) {
            return Err("there are more than 20,000 calls: transcope diff compares any number of them".into());
        }
        let comparison = Comparison::new(&sides[0].session, &sides[1].session);
        Ok(Self { sides, comparison })
    }

    /// Compares two sessions that no tab shows, each with its name and what it was read with.
    ///
    /// # Errors
    /// Says why they cannot be compared on the screen.
    pub fn from_sessions([one, other]: [ComparedText; 2]) -> Result<Self, String> {
        let [settings, other_settings] = differences(&one.options, &other.options).unwrap_or_default();
        let side =
            |text: ComparedText, settings| ComparedSide { name: text.name, settings, session: text.session, tab: None };
        Self::new([side(one, settings), side(other, other_settings)])
    }
}

/// A comparison that is to be made.
pub struct ComparisonJob([Side; 2]);

struct Side {
    asked: ComparisonSide,
    container: Container,
    file: Text,
    is_finished: bool,
}

impl ComparisonJob {
    /// What is to be compared, each beside the session of its tab, whose bytes are read again.
    pub fn new(sides: [(&ComparisonSide, &Session); 2]) -> Self {
        Self(sides.map(|(asked, session)| Side {
            asked: asked.clone(),
            container: session.container(),
            file: session.file().fork(),
            is_finished: session.is_finished(),
        }))
    }

    /// Reads both texts and compares them; nothing once the interest in it `is_gone`.
    pub fn run(self, is_gone: impl Fn() -> bool) -> Option<Result<Compared, String>> {
        let [left, right] = self.0.map(|side| side.read(&is_gone));
        Some(Compared::new([left?, right?]))
    }
}

impl Side {
    fn read(self, is_gone: &impl Fn() -> bool) -> Option<ComparedSide> {
        let Self { asked, container, mut file, mut is_finished } = self;
        let mut session = Session::new(container, &asked.options);
        if let Some(saved) = asked.saved {
            file = Text::default();
            file.push(saved.as_bytes());
            is_finished = true;
        } else {
            session.set_paging(file.paging());
            if let Some(backing) = file.backing() {
                session.back(backing.clone());
            }
        }
        for start in (0..file.len()).step_by(SLICE) {
            if is_gone() {
                return None;
            }
            session.push(&file.read(Span::new(start, start + SLICE)));
        }
        if is_finished {
            session.finish();
        }
        let ComparisonSide { name, settings, tab, .. } = asked;
        Some(ComparedSide { name, settings, session, tab: Some(tab) })
    }
}
