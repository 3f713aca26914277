//! The files that a recorded session reads and changes, each with its calls when it is unfolded.

use std::collections::HashSet;
use std::ops::Range;
use std::rc::Rc;

use crate::file_history::{ChangedFile, FileHistory, FileTouch, LineCounts, TouchKind};

use crate::tui::action::{Action, PaneId};
use crate::tui::pane::list::{self, List, Moved};
use crate::tui::pane::{Pane, Request, Response};
use crate::tui::row::{Piece, Row, Target, count, cut_in_front, fold_sign, grouped, padded, width};
use crate::tui::style::Role;
use crate::tui::view::View;
use crate::tui::viewport::{self, Anchor, Units};

/// Columns of the lines that are added, and of the ones that are removed.
const LINES: usize = 7;

/// Columns of the words about the calls of a file.
const CALLS: usize = 34;

/// Width of the pane below which the words get as few columns as they need.
const NARROW: usize = 100;

/// The files pane: the files found so far, the chosen row and the scroll position.
#[derive(Clone, Default)]
pub struct Files {
    history: FileHistory,
    /// Paths of unfolded files.
    unfolded: HashSet<String>,
    /// Scroll position; units are rows.
    top: Anchor,
    /// Index of the chosen row.
    chosen: usize,
}

/// A row: a file, or one of its calls.
#[derive(Clone, Copy)]
enum FileRow<'a> {
    File(&'a ChangedFile),
    Call(&'a FileTouch),
}

impl Files {
    fn units<'a>(&'a self, view: &'a View) -> FileUnits<'a> {
        let mut rows = Vec::new();
        for file in &self.history.files {
            rows.push(FileRow::File(file));
            if self.unfolded.contains(&file.path) {
                rows.extend(file.touches.iter().map(FileRow::Call));
            }
        }
        FileUnits { pane: self, view, rows }
    }

    /// Chooses a row and selects its call.
    fn choose(&mut self, view: &View, chosen: usize) -> Response {
        self.chosen = chosen;
        self.reveal(view);
        Response::select(self.target(view))
    }

    /// The place of the chosen call.
    fn target(&self, view: &View) -> Option<Target> {
        let units = self.units(view);
        match *units.rows.get(units.cursor()?.unit)? {
            FileRow::File(_) => None,
            FileRow::Call(touch) => units.target_of(touch),
        }
    }

    /// Folds or unfolds the file of the chosen row, which becomes the chosen one.
    fn fold(&mut self, view: &View, is_open: Option<bool>) -> Response {
        let units = self.units(view);
        let Some(at) = units.cursor() else { return Response::done() };
        let heading = (0..=at.unit).rev().find(|&row| matches!(units.rows[row], FileRow::File(_)));
        let Some((row, FileRow::File(file))) = heading.map(|row| (row, units.rows[row])) else {
            return Response::done();
        };
        let path = file.path.clone();
        if is_open.unwrap_or_else(|| !self.unfolded.contains(&path)) {
            self.unfolded.insert(path);
            return Response::done();
        }
        self.unfolded.remove(&path);
        self.choose(view, row)
    }

    /// Goes to the chosen call, or folds the chosen file.
    fn visit(&mut self, view: &View) -> Response {
        match self.target(view) {
            Some(target) => Response::Done(vec![Request::GoTo(target), Request::Focus(PaneId::Reading)]),
            None => self.fold(view, None),
        }
    }
}

impl Pane for Files {
    fn title(&self, _: &View) -> Option<String> {
        let files = &self.history.files;
        let changed = files.iter().filter(|file| file.is_changed()).count();
        match (files.len(), changed) {
            (0, _) => None,
            (all, 0) => Some(format!("Files {}", grouped(all))),
            (all, changed) => Some(format!("Files {} · {} changed", grouped(all), grouped(changed))),
        }
    }

    fn list<'a>(&'a self, view: &'a View) -> Option<(Box<dyn List + 'a>, Anchor)> {
        Some((Box::new(self.units(view)), self.top))
    }

    fn set_top(&mut self, top: Anchor) {
        self.top = top;
    }

    fn placeholder(&self, view: &View) -> &'static str {
        if self.history.is_behind(&view.session) || !view.session.is_finished() {
            return "no call has read or changed a file yet";
        }
        "no call reads or changes a file by name; what commands of a shell do is in the reading pane"
    }

    fn act(&mut self, view: &View, action: Action) -> Response {
        match action {
            Action::Move(motion) => {
                let units = self.units(view);
                let Some(at) = units.cursor() else { return Response::done() };
                if let Some(step) = list::paged(&units, self.top, motion, |_| true) {
                    self.chosen = step.cursor.map_or(at.unit, |at| at.unit);
                    let target = self.target(view);
                    return Response::moved(PaneId::Files, Moved { target, step: Some(step) });
                }
                let chosen = motion.moved(at.unit, 1, units.rows.len() - 1);
                self.choose(view, chosen)
            }
            Action::Open => self.fold(view, Some(true)),
            Action::Close => self.fold(view, Some(false)),
            Action::Toggle => self.visit(view),
            Action::UnfoldAll => {
                self.unfolded = self.history.files.iter().map(|file| file.path.clone()).collect();
                Response::done()
            }
            Action::FoldAll => {
                self.unfolded.clear();
                Response::done()
            }
            _ => Response::Ignored,
        }
    }

    fn click(&mut self, view: &View, _: usize, row: usize) -> Response {
        let units = self.units(view);
        let Some(at) = viewport::window(&units, self.top, row + 1).get(row).copied() else { return Response::done() };
        if view.layout.focused() == PaneId::Files && units.cursor() == Some(at) {
            return self.visit(view);
        }
        self.choose(view, at.unit)
    }

    fn renumber(&mut self, _: &dyn Fn(usize) -> Option<usize>) {
        self.history = FileHistory::default();
    }

    fn forget_from(&mut self, _: usize) {
        self.history = FileHistory::default();
    }

    fn has_work(&self, view: &View) -> bool {
        view.is_shown(PaneId::Files) && self.history.is_behind(&view.session)
    }

    fn work(&mut self, view: &View) {
        self.history.advance(&view.session);
    }
}

/// The units of the list: files and the calls of unfolded ones.
struct FileUnits<'a> {
    pane: &'a Files,
    view: &'a View,
    rows: Vec<FileRow<'a>>,
}

impl Units for FileUnits<'_> {
    fn numbers(&self) -> Range<usize> {
        0..self.rows.len()
    }

    fn height(&self, _: usize, _: usize) -> usize {
        1
    }
}

impl List for FileUnits<'_> {
    fn pane(&self) -> PaneId {
        PaneId::Files
    }

    fn view(&self) -> &View {
        self.view
    }

    fn cursor(&self) -> Option<Anchor> {
        let last = self.rows.len().checked_sub(1)?;
        Some(Anchor { unit: self.pane.chosen.min(last), ..Anchor::default() })
    }

    fn rows(&self, unit: usize, _: usize) -> Rc<Vec<Row>> {
        let row = self.rows.get(unit).map(|row| match *row {
            FileRow::File(file) => self.file_row(file),
            FileRow::Call(touch) => self.call_row(touch),
        });
        Rc::new(row.into_iter().collect())
    }
}

impl FileUnits<'_> {
    fn target_of(&self, touch: &FileTouch) -> Option<Target> {
        let start = self.view.session.document().call(touch.item)?.span.start;
        Some(Target::new(touch.item, start))
    }

    /// The row of a file: lines, path, calls. The end of a long path is shown.
    fn file_row(&self, file: &ChangedFile) -> Row {
        let mut lead = vec![fold_sign(self.pane.unfolded.contains(&file.path))];
        lead.extend(line_pieces(file.lines()));
        let calls = calls_of(file);
        let all = self.view.width(PaneId::Files);
        let least = if all < NARROW { CALLS / 2 } else { CALLS };
        let room = all.saturating_sub(width(&lead) + 2 + calls.chars().count().max(least));
        let role = if file.is_changed() { Role::Name } else { Role::Text };
        let path = cut_in_front(&file.path, room.max(8));
        lead.push(Piece::new(padded(&path, room), role));
        lead.push(Piece::new(format!("  {calls}"), Role::Dim));
        Row::words(lead)
    }

    /// The row of a call: lines, effect, and its place.
    fn call_row(&self, touch: &FileTouch) -> Row {
        let view = self.view;
        let mut lead = vec![Piece::new("  ", Role::Text)];
        lead.extend(line_pieces(touch.lines));
        let (word, role) = if touch.failed {
            (format!("{} failed", touch.kind.word()), Role::Error)
        } else {
            (touch.kind.word().to_owned(), Role::Text)
        };
        lead.push(Piece::new(format!("  {word:<14}"), role));
        let target = self.target_of(touch);
        if let (Some(call), Some(target)) = (view.session.document().call(touch.item), target) {
            lead.push(Piece::new(call.name(view.session.text()), Role::Dim));
            lead.push(Piece::new(format!("  line {}", view.line_of(target.offset)), Role::Dim));
        }
        Row { target, ..Row::words(lead) }
    }
}

/// The columns with added and removed lines; empty if there are none.
fn line_pieces(lines: LineCounts) -> [Piece; 2] {
    let column = |sign: char, number: usize| match number {
        0 => " ".repeat(LINES),
        number => format!("{:>LINES$}", format!("{sign}{}", grouped(number))),
    };
    [
        Piece::new(column('+', lines.added), Role::Added),
        Piece::new(format!("{}  ", column('−', lines.removed)), Role::Removed),
    ]
}

/// The calls of a file by effect: `2 reads · 3 edits · 1 failed`.
fn calls_of(file: &ChangedFile) -> String {
    let kinds = [TouchKind::Read, TouchKind::Write, TouchKind::Edit, TouchKind::Delete, TouchKind::Move];
    let number = |kind: TouchKind| file.touches.iter().filter(|touch| touch.kind == kind).count();
    let mut words: Vec<String> =
        kinds.into_iter().filter(|&kind| number(kind) > 0).map(|kind| count(number(kind), kind.word())).collect();
    let failed = file.touches.iter().filter(|touch| touch.failed).count();
    words.extend((failed > 0).then(|| format!("{} failed", grouped(failed))));
    if file.changed_outside() > 0 {
        words.push("changed elsewhere".to_owned());
    }
    words.join(" · ")
}
