//! The lens: how the parsers of many runtimes read a message. Parsers with equal outcomes are grouped, and outcomes are
//! compared with the first one.
//!
//! The parsers run on another thread. The units of the screen are the question, each outcome, and the legend of the
//! signs; the rows of an outcome are made on demand.

mod names;
mod question;
mod request;
mod rows;
mod screen;
mod update;
mod values;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::ops::Range;
use std::rc::Rc;

use crate::dialect::Options;
use crate::lens::{FactPlace, Lens, LensRow, ParserChoice, fact, request_of};
use crate::runtime::ToolRequest;
use crate::text::Span;
use crate::tui::age::Calendar;
use crate::tui::cancel_guard::CancelGuard;
use crate::tui::geometry::Area;
use crate::tui::keymap::ScreenId;
use crate::tui::list::{ListScreen, ListState, UnitRows, VisibleRows};
use crate::tui::message::{ChosenRequest, LensRequest, ParserReading};
use crate::tui::row::count;
use crate::tui::screen::chrome::Chrome;
use crate::tui::screen::chrome::overlay_list::OverlayList;
use crate::tui::style::Role;
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
    /// The outcomes; `None` until they are there. Those of the request before stay while it is read again.
    lens: Option<Lens>,
    /// True while the parsers run.
    is_pending: bool,
    /// The open list of settings of the request.
    settings: Option<OverlayList>,
    /// The settings that the outcomes are awaited for.
    changed_settings: String,
    /// The rows whose outcome is different since a setting was changed.
    changed: HashSet<usize>,
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
    let ChosenRequest { stated, template } = request.chosen.clone();
    let mut dialects = request.dialects.clone();
    let settings = match &template {
        Some(template) => {
            if !request.are_dialects_named && !template.facts.dialects.is_empty() {
                dialects = template.facts.dialects.iter().map(|name| (*name).to_owned()).collect();
            }
            template.facts.complete(stated)
        }
        None => stated,
    };
    let tools = ToolRequest { settings, ..request_of(request.schemas.as_deref()) };
    let wanted = ParserChoice { dialects, ..ParserChoice::default() };
    Lens::new_unless(&request.message, &tools, &wanted, is_cancelled)
}

/// The parser of a row, which several dialects may have.
fn key_of(row: &LensRow) -> (&str, &str, &str) {
    let profile = row.parser.profile;
    (&profile.dialect, &profile.runtime, row.parser.parser)
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
            is_pending: true,
            settings: None,
            changed_settings: String::new(),
            changed: HashSet::new(),
            places: BTreeMap::new(),
            list: ListState::at(Anchor { unit: 1, ..Anchor::default() }),
            unfolded: HashSet::new(),
            marked: None,
            made: UnitRows::default(),
        }
    }

    /// Asks again about the same message with other settings of the request; what is shown stays until the answer.
    pub fn ask_again(&mut self, number: usize, chosen: ChosenRequest) -> LensRequest {
        self.changed_settings = request::changed_settings(&self.request.chosen, &chosen);
        self.request = LensRequest { number, chosen, ..self.request.clone() };
        self.cancel_guard = CancelGuard::default();
        self.is_pending = true;
        self.made.clear();
        request::refresh(self);
        self.request.clone()
    }

    /// True if the answer to the question with this number is pending.
    pub fn awaits(&self, number: usize) -> bool {
        self.is_pending && self.request.number == number
    }

    /// The offsets in the text whose line and column are needed.
    pub fn offsets(&self, lens: &Lens) -> BTreeSet<usize> {
        /// Maximum number of offsets.
        const MOST: usize = 2_000;
        let reasons = lens.rows.iter().flat_map(|row| &row.reading.reasons);
        reasons.map(|reason| self.offset_of(reason.span.start)).take(MOST).collect()
    }

    /// Shows the outcomes; `places` has line and column by offset in the text. The parsers that were chosen, unfolded or
    /// marked before a change of the request still are.
    pub fn show(&mut self, lens: Lens, places: BTreeMap<usize, String>) {
        self.is_pending = false;
        let chosen = self.chosen().map(|(row, _)| row);
        self.places = places;
        let before = self.lens.replace(lens);
        self.made.clear();
        let Some(before) = before else { return };
        let Some(lens) = &self.lens else { return };
        let now: HashMap<_, usize> = lens.rows.iter().enumerate().map(|(index, row)| (key_of(row), index)).collect();
        let row_now = |row: usize| now.get(&key_of(&before.rows[row])).copied();
        let is_same = |row: usize| {
            let other = before.rows.iter().find(|other| key_of(other) == key_of(&lens.rows[row]));
            other.is_some_and(|other| other.reading.outcome == lens.rows[row].reading.outcome)
        };
        self.changed = (0..lens.rows.len()).filter(|row| !is_same(*row)).collect();
        self.marked = self.marked.and_then(row_now);
        let group_of = |row: usize| lens.groups.iter().position(|group| group.rows.contains(&row));
        let group_now = |group: &usize| group_of(row_now(*before.groups[*group].rows.first()?)?);
        self.unfolded = self.unfolded.iter().filter_map(group_now).collect();
        // The first outcome is chosen without a key.
        let is_chosen = self.list.at != Anchor { unit: 1, ..Anchor::default() };
        let unit = chosen.filter(|_| is_chosen).and_then(row_now).and_then(group_of).map(|group| group + 1);
        let parsers = count(lens.rows.len(), "parser");
        let (words, role) = match self.changed.len() {
            0 => (format!("{}: no outcome changes", self.changed_settings), Role::Dim),
            changed => (format!("{}: {changed} of {parsers} changed", self.changed_settings), Role::Warning),
        };
        self.chrome.show_message(words, role);
        if let Some(unit) = unit {
            self.choose(Anchor { unit, ..Anchor::default() });
            self.show_unit();
        }
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
