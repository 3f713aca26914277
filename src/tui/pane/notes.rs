//! The list of notes, in text order; notes whose place no longer exists come last.

use crate::text::wrap::{display_width, fit};

use crate::tui::action::{Action, PaneId};
use crate::tui::pane::list::{ChosenRows, List};
use crate::tui::pane::row_choice::{RowChoice, read_at};
use crate::tui::pane::{Pane, Request, Response};
use crate::tui::row::{Piece, Row, Target, grouped};
use crate::tui::style::Role;
use crate::tui::view::View;
use crate::tui::viewport::Anchor;

/// Width of the column with the subject of a note.
const ABOUT: usize = 28;

/// The notes pane: the chosen note and the scroll position.
#[derive(Clone, Default)]
pub struct Notes {
    /// Scroll position; units are indices in the list.
    top: Anchor,
    /// Index of the chosen note in the list.
    chosen: usize,
}

impl Notes {
    /// Number of the chosen note.
    fn number(&self, view: &View) -> Option<usize> {
        let chosen = self.chosen_rows(view).cursor()?.unit;
        view.session.notes().in_order().get(chosen).copied()
    }
}

impl RowChoice for Notes {
    fn chosen_rows<'a>(&'a self, view: &'a View) -> ChosenRows<'a> {
        let numbers = view.session.notes().in_order();
        let (pane, count, chosen) = (PaneId::Notes, numbers.len(), self.chosen);
        let row = move |at: usize| numbers.get(at).and_then(|&number| note_row(view, number));
        ChosenRows { pane, view, count, chosen, row: Box::new(row) }
    }

    fn top(&self) -> Anchor {
        self.top
    }

    fn set_chosen(&mut self, _: &View, row: usize) {
        self.chosen = row;
    }

    fn target(&self, view: &View) -> Option<Target> {
        self.number(view).and_then(|number| view.target_of_note(number))
    }

    fn visit(&mut self, view: &View) -> Response {
        let Some(number) = self.number(view) else { return Response::done() };
        match view.target_of_note(number) {
            Some(target) => read_at(target),
            None => Response::message("the place of this note was not found; X removes it", Role::Warning),
        }
    }
}

impl Pane for Notes {
    fn title(&self, view: &View) -> Option<String> {
        let notes = view.session.notes();
        let lost = (0..notes.notes().len()).filter(|&number| notes.place(number).is_none()).count();
        let count = grouped(notes.notes().len());
        match (notes.notes().len(), lost) {
            (0, _) => None,
            (_, 0) => Some(format!("Notes {count}")),
            (_, lost) => Some(format!("Notes {count} · lost {}", grouped(lost))),
        }
    }

    fn list<'a>(&'a self, view: &'a View) -> Option<(Box<dyn List + 'a>, Anchor)> {
        Some((Box::new(self.chosen_rows(view)), self.top))
    }

    fn set_top(&mut self, top: Anchor) {
        self.top = top;
    }

    fn placeholder(&self, view: &View) -> &'static str {
        if view.notes.fault.is_some() {
            return "no notes; A says why";
        }
        "no notes; A writes one on the selection, m and a letter set a mark"
    }

    fn act(&mut self, view: &View, action: Action) -> Response {
        match action {
            Action::Move(motion) => self.move_choice(view, motion),
            Action::Toggle => self.visit(view),
            Action::Note | Action::RemoveNote => match (self.number(view), action) {
                (None, _) => Response::Ignored,
                (Some(number), Action::Note) => Response::ask(Request::EditNote(number)),
                (Some(number), _) => Response::ask(Request::RemoveNote(number)),
            },
            _ => Response::Ignored,
        }
    }

    fn click(&mut self, view: &View, _: usize, row: usize) -> Response {
        self.click_row(view, row)
    }
}

/// The row of a note: letter, line, subject and text.
fn note_row(view: &View, number: usize) -> Option<Row> {
    let notes = view.session.notes();
    let (note, place) = (notes.notes().get(number)?, notes.place(number));
    let line = place.map_or(note.place.line.to_string(), |place| view.line_of(place.offset));
    let letter = note.letter.map_or_else(|| " ".to_owned(), String::from);
    let about = match &note.place.pointer {
        Some(pointer) if !note.place.quote.ends_with(pointer.as_str()) => {
            format!("{} {pointer}", note.place.quote)
        }
        _ => note.place.quote.clone(),
    };
    let about = Piece::new(about, Role::Dim).text;
    let about = fit(&about, ABOUT).into_owned();
    let gap = " ".repeat(ABOUT.saturating_sub(display_width(about.as_bytes())) + 2);
    let words = if note.words.is_empty() && note.letter.is_none() { "bookmark" } else { &note.words };
    let role = if note.words.is_empty() { Role::Dim } else { Role::Text };
    let lead = vec![
        Piece::new(format!("{letter} "), Role::User),
        Piece::new(format!("{line:>5}  "), Role::LineNumber),
        Piece::new(about, Role::Dim),
        Piece::new(gap, Role::Text),
        Piece::new(words, role),
    ];
    let state = match place {
        None => Some(Piece::new("place not found", Role::Warning)),
        Some(place) if !place.is_exact => Some(Piece::new("changed since", Role::Dim)),
        Some(_) => None,
    };
    Some(Row { target: place.map(|place| Target::new(place.item, place.offset)), ..Row::noted(lead, state) })
}
