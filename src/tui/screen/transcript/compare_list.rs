//! The list of other runs, over the panes, from which one is chosen to compare the session with. Typing narrows it.
//!
//! Files are listed with their names and times; titles, turns and costs follow as the files are read.

use ratatui::buffer::Buffer;

use crate::text::sanitize::visible_str;
use crate::wording::session_columns::SessionColumn;
use crate::wording::session_summary::{SessionSummary, TitleSource};

use crate::tui::discovery::{FileContent, FileSummary, IndexRequest, LARGE};
use crate::tui::message::{Effect, Navigation, OtherRun};
use crate::tui::prompt::PromptKind;
use crate::tui::row::{Piece, padded};
use crate::tui::screen::chrome::overlay_list::{OverlayLine, OverlayList, OverlayPlace};
use crate::tui::screen::transcript::Transcript;
use crate::tui::style::Role;
use crate::tui::theme::Theme;

/// The runs that are offered while the list is open.
pub struct RunList {
    /// Number of the list, which summaries of its files refer to.
    pub number: usize,
    /// The runs, in display order.
    pub runs: Vec<ListedRun>,
}

/// A run that is offered.
pub struct ListedRun {
    /// The tab or the file.
    pub other: OtherRun,
    /// Name of its file.
    pub name: String,
    /// When it was last written, or that it is open.
    pub time: String,
    /// Size of its file, in bytes.
    pub size: u64,
    /// Its summary, once it was read.
    pub session: Option<Box<SessionSummary>>,
    /// The reason why there is no summary.
    pub failure: Option<String>,
}

/// Columns of turns and of costs.
const FIGURES: [(SessionColumn, usize); 2] = [(SessionColumn::Turns, 5), (SessionColumn::Cost, 7)];

impl ListedRun {
    /// A run that was not read yet.
    pub fn new(other: OtherRun, name: String, time: String, size: u64) -> Self {
        Self { other, name, time, size, session: None, failure: None }
    }

    /// Its title, unless that is only its id.
    fn title(&self) -> Option<&str> {
        let (title, source) = self.session.as_ref()?.title.as_ref()?;
        (*source != TitleSource::Id).then_some(&**title)
    }

    /// The text that typing searches.
    fn words(&self) -> String {
        visible_str(&[self.title().unwrap_or_default(), " ", &self.name].concat()).trim().to_owned()
    }

    fn line(&self) -> OverlayLine {
        let name = visible_str(self.title().unwrap_or(&self.name)).into_owned();
        let mut about = vec![Piece::new(padded(&self.time, 16), Role::Dim)];
        match (&self.failure, &self.session) {
            (Some(words), _) => about.push(Piece::new(format!("  {}", visible_str(words)), Role::Error)),
            (None, Some(session)) => {
                let figure = |(column, width): (SessionColumn, usize)| format!("{:>width$}", session.text_of(column));
                let [turns, cost] = FIGURES.map(figure);
                let noun = if turns.trim() == "1" { "turn " } else { "turns" };
                about.push(Piece::new(format!(" {turns} {noun}  {cost}"), Role::Text));
            }
            (None, None) => about.push(Piece::new("  …", Role::Dim)),
        }
        if self.title().is_some() {
            about.push(Piece::new(format!("  {}", visible_str(&self.name)), Role::Dim));
        }
        OverlayLine { name, about }
    }
}

impl Transcript {
    /// Opens the list with a chosen run.
    pub fn offer_runs(&mut self, list: RunList, chosen: usize) {
        self.chrome.offer(PromptKind::OtherRun, list.runs.iter().map(ListedRun::words).collect());
        if let Some(prompt) = &mut self.chrome.prompt {
            prompt.choice = Some(chosen);
        }
        self.runs = Some(list);
    }

    /// The files of the list that were not read yet.
    pub fn wanted_runs(&self) -> Vec<IndexRequest> {
        let Some(list) = self.runs.as_ref().filter(|_| self.chrome.listed_runs().is_some()) else { return Vec::new() };
        let request = |(number, run): (usize, &ListedRun)| match &run.other {
            OtherRun::File(path) if run.session.is_none() && run.failure.is_none() => Some(IndexRequest {
                list: list.number,
                number,
                path: path.clone(),
                whole: run.size <= LARGE,
                size: run.size,
                ..IndexRequest::default()
            }),
            _ => None,
        };
        list.runs.iter().enumerate().filter_map(request).collect()
    }

    /// Takes the summary of a file of the list with this number; false if that is not open here.
    pub fn takes_run(&mut self, list: usize, summary: &FileSummary) -> bool {
        let Some(runs) = self.runs.as_mut().filter(|runs| runs.number == list) else { return false };
        if let Some(run) = runs.runs.get_mut(summary.number) {
            run.session.clone_from(&summary.session);
            run.failure = match &summary.content {
                FileContent::Failed(words) => Some(words.clone()),
                _ => run.session.is_none().then(|| "no session".to_owned()),
            };
            let words = run.words();
            let prompt = self.chrome.prompt.as_mut().filter(|prompt| prompt.kind == PromptKind::OtherRun);
            if let Some(known) = prompt.and_then(|prompt| prompt.proposals.get_mut(summary.number)) {
                *known = words;
            }
        }
        true
    }
}

/// The list over the panes, and the indexes of its runs; `None` if it is not open, or nothing matches what is typed.
fn list(state: &Transcript) -> Option<(OverlayList, Vec<usize>)> {
    let (values, chosen) = state.chrome.listed_runs()?;
    let runs = &state.runs.as_ref()?.runs;
    let lines = values.iter().filter_map(|&value| Some(runs.get(value)?.line())).collect();
    Some((OverlayList::new(lines, chosen?, OverlayPlace::Middle, state.chrome.body()), values))
}

/// Draws the list over the panes, unless nothing matches.
pub(super) fn draw(state: &Transcript, buffer: &mut Buffer, theme: &Theme) {
    if let Some((list, _)) = list(state) {
        list.draw(buffer, state.chrome.body(), " Compare with another run: newest first ", theme);
    }
}

/// Compares with the chosen run.
pub(super) fn choose(state: &mut Transcript, chosen: Option<usize>) -> Option<Effect> {
    let runs = state.runs.take()?;
    let run = chosen.and_then(|chosen| runs.runs.into_iter().nth(chosen));
    run.map(|run| Effect::Go(Navigation::CompareRun(run.other)))
}

/// True if the list is open, even if nothing matches.
pub(super) fn is_open(state: &Transcript) -> bool {
    state.chrome.listed_runs().is_some()
}

/// Compares with the run at a cell, or closes the list.
pub(super) fn click(state: &mut Transcript, x: u16, y: u16) -> Option<Effect> {
    let found = list(state).and_then(|(list, values)| list.row_at(state.chrome.body(), x, y).map(|row| values[row]));
    state.chrome.prompt = None;
    choose(state, found)
}
