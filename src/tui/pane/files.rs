//! The files that a recorded session reads and changes, each with its calls when it is unfolded.

use std::collections::HashSet;

use crate::file_history::{ChangedFile, FileHistory, FileTouch, LineCounts, TouchKind};

use crate::tui::action::{Action, PaneId};
use crate::tui::pane::list::{ChosenRows, List};
use crate::tui::pane::row_choice::{RowChoice, read_at};
use crate::tui::pane::{Pane, Response};
use crate::tui::row::{Piece, Row, Target, count, cut_in_front, fold_sign, grouped, padded, width};
use crate::tui::style::Role;
use crate::tui::view::View;
use crate::tui::viewport::Anchor;

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
    /// Paths of the files whose calls are listed.
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
    /// The rows with what they show.
    fn entries(&self) -> Vec<FileRow<'_>> {
        let mut rows = Vec::new();
        for file in &self.history.files {
            rows.push(FileRow::File(file));
            if self.unfolded.contains(&file.path) {
                rows.extend(file.touches.iter().map(FileRow::Call));
            }
        }
        rows
    }

    /// Folds or unfolds the file of the chosen row, which becomes the chosen one.
    fn fold(&mut self, view: &View, is_open: Option<bool>) -> Response {
        let Some(at) = self.chosen_rows(view).cursor() else { return Response::done() };
        let entries = self.entries();
        let file = |row: &usize| match entries.get(*row) {
            Some(FileRow::File(file)) => Some((*row, file.path.clone())),
            _ => None,
        };
        let Some((row, path)) = (0..=at.unit).rev().find_map(|row| file(&row)) else { return Response::done() };
        if is_open.unwrap_or_else(|| !self.unfolded.contains(&path)) {
            self.unfolded.insert(path);
            return Response::done();
        }
        self.unfolded.remove(&path);
        self.choose(view, row)
    }
}

impl RowChoice for Files {
    fn chosen_rows<'a>(&'a self, view: &'a View) -> ChosenRows<'a> {
        let entries = self.entries();
        let (pane, count, chosen) = (PaneId::Files, entries.len(), self.chosen);
        let row = move |at: usize| {
            entries.get(at).map(|entry| match *entry {
                FileRow::File(file) => file_row(view, file, self.unfolded.contains(&file.path)),
                FileRow::Call(touch) => call_row(view, touch),
            })
        };
        ChosenRows { pane, view, count, chosen, row: Box::new(row) }
    }

    fn top(&self) -> Anchor {
        self.top
    }

    fn set_chosen(&mut self, _: &View, row: usize) {
        self.chosen = row;
    }

    /// The place of the chosen call.
    fn target(&self, view: &View) -> Option<Target> {
        match *self.entries().get(self.chosen_rows(view).cursor()?.unit)? {
            FileRow::File(_) => None,
            FileRow::Call(touch) => target_of(view, touch),
        }
    }

    /// Goes to the chosen call, or folds the chosen file.
    fn visit(&mut self, view: &View) -> Response {
        match self.target(view) {
            Some(target) => read_at(target),
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
        Some((Box::new(self.chosen_rows(view)), self.top))
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
            Action::Move(motion) => self.move_choice(view, motion),
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
        self.click_row(view, row)
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

fn target_of(view: &View, touch: &FileTouch) -> Option<Target> {
    let start = view.session.document().call(touch.item)?.span.start;
    Some(Target::new(touch.item, start))
}

/// The row of a file: lines, path, calls. The end of a long path is shown.
fn file_row(view: &View, file: &ChangedFile, is_open: bool) -> Row {
    let mut lead = vec![fold_sign(is_open)];
    lead.extend(line_pieces(file.lines()));
    let calls = calls_of(file);
    let all = view.width(PaneId::Files);
    let least = if all < NARROW { CALLS / 2 } else { CALLS };
    let room = all.saturating_sub(width(&lead) + 2 + calls.chars().count().max(least));
    let role = if file.is_changed() { Role::Name } else { Role::Text };
    let path = cut_in_front(&file.path, room.max(8));
    lead.push(Piece::new(padded(&path, room), role));
    lead.push(Piece::new(format!("  {calls}"), Role::Dim));
    Row::words(lead)
}

/// The row of a call: lines, effect, and its place.
fn call_row(view: &View, touch: &FileTouch) -> Row {
    let mut lead = vec![Piece::new("  ", Role::Text)];
    lead.extend(line_pieces(touch.lines));
    let (word, role) = if touch.failed {
        (format!("{} failed", touch.kind.word()), Role::Error)
    } else {
        (touch.kind.word().to_owned(), Role::Text)
    };
    lead.push(Piece::new(format!("  {word:<14}"), role));
    let target = target_of(view, touch);
    if let (Some(call), Some(target)) = (view.session.document().call(touch.item), target) {
        lead.push(Piece::new(call.name(view.session.text()), Role::Dim));
        lead.push(Piece::new(format!("  line {}", view.line_of(target.offset)), Role::Dim));
    }
    Row { target, ..Row::words(lead) }
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
