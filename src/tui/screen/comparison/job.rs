//! Reading two texts and comparing them: what a key asks for and another thread does.
//!
//! A comparison has sessions of its own, so that what it shows stays as it was made.

use crate::compare::{CallList as _, ComparedText, Comparison};
use crate::container::Container;
use crate::session::Session;
use crate::text::{Span, Text};

use crate::tui::message::ComparisonSide;
use crate::tui::screen::comparison::settings::differences;

/// Calls on a side beyond which two texts are not compared on the screen.
pub const MOST: usize = 20_000;

/// Bytes of a text that are read before it is asked whether to go on.
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
    /// Compares two texts, each with the number of the tab that shows it.
    ///
    /// # Errors
    /// Says why they cannot be compared on the screen.
    pub fn new(texts: [(ComparedText, Option<usize>); 2]) -> Result<Self, String> {
        let [(left, _), (right, _)] = &texts;
        if [left, right].iter().any(|text| text.session.calls() > MOST) {
            return Err("there are more than 20,000 calls: transcope diff compares any number of them".into());
        }
        let comparison = Comparison::new(&left.session, &right.session);
        let mut settings = differences(&left.options, &right.options).unwrap_or_default().into_iter();
        let sides = texts.map(|(ComparedText { name, session, .. }, tab)| ComparedSide {
            name,
            settings: settings.next().unwrap_or_default(),
            session,
            tab,
        });
        Ok(Self { sides, comparison })
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

    /// Reads both texts and compares them; nothing once it `is_cancelled`.
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
        let Self { asked, container, mut file, mut is_finished } = self;
        let ComparisonSide { name, options, saved, .. } = asked;
        let mut session = Session::new(container, &options);
        if let Some(saved) = saved {
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
            if is_cancelled() {
                return None;
            }
            session.push(&file.read(Span::new(start, start + SLICE)));
        }
        if is_finished {
            session.finish();
        }
        Some(ComparedText { name, session, options })
    }
}
