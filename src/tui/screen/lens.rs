//! The lens: how the parsers of many runtimes read a message. Parsers with equal outcomes are grouped, and outcomes are
//! compared with the first one.
//!
//! The parsers run on another thread. The units of the screen are the question, each outcome, and the legend of the
//! signs; the rows of an outcome are made on demand.

mod names;
mod rows;
mod screen;
mod update;
mod values;

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::ops::Range;
use std::rc::Rc;

use crate::dialect::Options;
use crate::lens::{FactPlace, Lens, ParserChoice, fact, request_of};
use crate::runtime::ToolRequest;
use crate::text::Span;
use crate::tui::age::Calendar;
use crate::tui::cancel_guard::CancelGuard;
use crate::tui::geometry::Area;
use crate::tui::keymap::ScreenId;
use crate::tui::list::{ListScreen, ListState, UnitRows, VisibleRows};
use crate::tui::message::{LensRequest, ParserReading};
use crate::tui::screen::chrome::Chrome;
use crate::tui::viewport::{Anchor, Units};
use rows::{Line, Subject};

/// The text that contains the message in question.
pub struct LensText {
    /// Id of its tab.
    pub tab: usize,
    /// Name of the text.
    pub name: String,
    /// Line and column of the message: `12:1`.
    pub place: String,
    /// Options that the text is read with.
    pub options: Options,
    /// True if more of the text may arrive.
    pub is_arriving: bool,
}

/// The lens screen.
pub struct LensScreen {
    /// The chrome around the outcomes.
    pub chrome: Chrome,
    /// The text that contains the message.
    pub text: LensText,
    /// The question to the parsers.
    pub request: LensRequest,
    /// Cancels the work of the parsers when it is dropped.
    pub cancel_guard: CancelGuard,
    tools: ToolRequest,
    calendar: Calendar,
    /// The outcomes; `None` until they are there.
    lens: Option<Lens>,
    /// Line and column of reasons, by offset in the text.
    places: BTreeMap<usize, String>,
    list: ListState,
    /// The outcomes that are shown in full.
    unfolded: HashSet<usize>,
    /// The marked parser's row, for a comparison.
    marked: Option<usize>,
    made: UnitRows<Line>,
}

/// The origin of a delivered name, id or value.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Source {
    /// An offset in the text.
    At(usize),
    /// The parser makes it up, or does not deliver it.
    None,
}

impl Source {
    fn offset(self) -> Option<usize> {
        match self {
            Source::At(offset) => Some(offset),
            Source::None => None,
        }
    }
}

/// Runs the parsers, which may take a while; `None` once it `is_cancelled`.
pub fn ask(request: &LensRequest, is_cancelled: impl Fn() -> bool) -> Option<Lens> {
    let tools = request_of(request.schemas.as_deref());
    let wanted = ParserChoice { dialects: request.dialects.clone(), ..ParserChoice::default() };
    Lens::new_unless(&request.message, &tools, &wanted, is_cancelled)
}

impl LensScreen {
    /// A screen for a question that is being asked.
    pub fn new(text: LensText, asked: LensRequest, calendar: Calendar) -> Self {
        Self {
            chrome: Chrome::new(ScreenId::Lens),
            text,
            tools: request_of(asked.schemas.as_deref()),
            calendar,
            request: asked,
            cancel_guard: CancelGuard::default(),
            lens: None,
            places: BTreeMap::new(),
            list: ListState::at(Anchor { unit: 1, ..Anchor::default() }),
            unfolded: HashSet::new(),
            marked: None,
            made: UnitRows::default(),
        }
    }

    /// True if the answer to the question with this number is pending.
    pub fn awaits(&self, number: usize) -> bool {
        self.lens.is_none() && self.request.number == number
    }

    /// The offsets in the text whose line and column are needed.
    pub fn offsets(&self, lens: &Lens) -> BTreeSet<usize> {
        /// Maximum number of offsets.
        const MOST: usize = 2_000;
        let reasons = lens.rows.iter().flat_map(|row| &row.reading.reasons);
        reasons.map(|reason| self.offset_of(reason.span.start)).take(MOST).collect()
    }

    /// Shows the outcomes; `places` has line and column by offset in the text.
    pub fn show(&mut self, lens: Lens, places: BTreeMap<usize, String>) {
        self.places = places;
        self.lens = Some(lens);
        self.made.clear();
    }

    /// Maps an offset in the message to one in the text.
    fn offset_of(&self, in_message: usize) -> usize {
        let span = self.request.message.span;
        (span.start + in_message).min(span.end)
    }

    fn groups(&self) -> usize {
        self.lens.as_ref().map_or(0, |lens| lens.groups.len())
    }

    /// Index of a unit's outcome, if it is one.
    fn group_at(&self, unit: usize) -> Option<usize> {
        unit.checked_sub(1).filter(|group| *group < self.groups())
    }

    /// The row of the chosen parser, or of the first one of the chosen outcome, and the offset in the text of the
    /// chosen reason or fact, if any.
    fn chosen(&self) -> Option<(usize, Option<usize>)> {
        let first = *self.lens.as_ref()?.groups[self.group_at(self.list.at.unit)?].rows.first()?;
        let lines = self.lines(self.list.at.unit);
        Some(match lines.get(self.list.at.row).map(|line| line.subject) {
            Some(Subject::Parser(row)) => (row, None),
            Some(Subject::Reason(row, offset)) => (row, Some(offset)),
            Some(Subject::Fact(_)) => (first, self.source().and_then(Source::offset)),
            Some(Subject::Outcome) | None => (first, None),
        })
    }

    /// The origin of the chosen name, id or value; `None` if none is chosen.
    fn source(&self) -> Option<Source> {
        let Some(Subject::Fact(number)) = self.lines(self.list.at.unit).get(self.list.at.row).map(|line| line.subject)
        else {
            return None;
        };
        let lens = self.lens.as_ref()?;
        let group = &lens.groups[self.group_at(self.list.at.unit)?];
        let place = &group.facts.get(number)?.place;
        let is_of_call = matches!(place, FactPlace::Call(_) | FactPlace::Id(_) | FactPlace::Value(..));
        let outcome = &lens.rows.get(*group.rows.first()?)?.reading.outcome;
        let source = |span: Span| Source::At(self.offset_of(span.start));
        is_of_call.then(|| fact::source_of(outcome, place).map_or(Source::None, source))
    }

    /// A reading of the text by the parser of a row.
    fn reading(&self, row: usize, offset: Option<usize>) -> Option<ParserReading> {
        let row = self.lens.as_ref()?.rows.get(row)?;
        let runtime = row.parser.name();
        let only = self.text.options.named(&row.parser.profile.dialect).into_iter().collect();
        let first = row.reading.reasons.first().map_or(0, |reason| reason.span.start);
        Some(ParserReading {
            tab: self.text.tab,
            runtime: runtime.clone(),
            options: Options {
                only,
                schemas: self.request.schemas.clone(),
                runtime: Some(runtime),
                ..self.text.options.clone()
            },
            offset: offset.unwrap_or_else(|| self.offset_of(first)),
        })
    }

    /// The cached rows of a unit.
    fn lines(&self, unit: usize) -> Rc<Vec<Line>> {
        self.made.get(unit, || rows::lines(self, unit))
    }

    /// The area of the outcomes, including the border.
    fn area(&self) -> Area {
        self.chrome.body()
    }

    fn width(&self) -> usize {
        usize::from(self.area().inner().width).max(10)
    }
}

impl Units for LensScreen {
    fn numbers(&self) -> Range<usize> {
        0..self.groups() + 2
    }

    fn height(&self, unit: usize, _: usize) -> usize {
        self.lines(unit).len()
    }
}

impl ListScreen for LensScreen {
    fn list(&self) -> ListState {
        self.list
    }

    fn set_list(&mut self, list: ListState) {
        self.list = list;
    }

    fn room(&self) -> VisibleRows {
        VisibleRows { height: usize::from(self.area().inner().height), margin: 2 }
    }
}
