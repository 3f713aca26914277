//! The list of notes, in text order; notes whose place no longer exists come last.

use std::ops::Range;
use std::rc::Rc;

use crate::text::wrap::{display_width, fit};

use crate::tui::action::{Action, PaneId};
use crate::tui::pane::list::{self, List, Moved};
use crate::tui::pane::{Pane, Request, Response};
use crate::tui::row::{Piece, Row, grouped};
use crate::tui::style::Role;
use crate::tui::view::View;
use crate::tui::viewport::{self, Anchor, Units};

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
    fn units<'a>(&'a self, view: &'a View) -> NoteUnits<'a> {
        NoteUnits { pane: self, view, numbers: view.session.notes().in_order() }
    }

    /// Chooses a note and selects its target.
    fn choose(&mut self, view: &View, chosen: usize) -> Response {
        self.chosen = chosen;
        self.reveal(view);
        Response::select(self.number(view).and_then(|number| view.target_of_note(number)))
    }

    /// Number of the chosen note.
    fn number(&self, view: &View) -> Option<usize> {
        let units = self.units(view);
        units.numbers.get(units.cursor()?.unit).copied()
    }

    /// Goes to the target of the chosen note.
    fn visit(&self, view: &View) -> Response {
        let Some(number) = self.number(view) else { return Response::done() };
        match view.target_of_note(number) {
            Some(target) => Response::Done(vec![Request::GoTo(target), Request::Focus(PaneId::Reading)]),
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
        Some((Box::new(self.units(view)), self.top))
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
            Action::Move(motion) => {
                let units = self.units(view);
                let Some(at) = units.cursor() else { return Response::done() };
                if let Some(step) = list::paged(&units, self.top, motion, |_| true) {
                    self.chosen = step.cursor.map_or(at.unit, |at| at.unit);
                    let target = self.number(view).and_then(|number| view.target_of_note(number));
                    return Response::moved(PaneId::Notes, Moved { target, step: Some(step) });
                }
                let chosen = motion.moved(at.unit, 1, units.numbers.len() - 1);
                self.choose(view, chosen)
            }
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
        let units = self.units(view);
        let Some(at) = viewport::window(&units, self.top, row + 1).get(row).copied() else { return Response::done() };
        if view.layout.focused() == PaneId::Notes && units.cursor() == Some(at) {
            return self.visit(view);
        }
        self.choose(view, at.unit)
    }
}

/// The units of the list: notes, by index.
struct NoteUnits<'a> {
    pane: &'a Notes,
    view: &'a View,
    /// The numbers of the notes, in list order.
    numbers: Vec<usize>,
}

impl Units for NoteUnits<'_> {
    fn numbers(&self) -> Range<usize> {
        0..self.numbers.len()
    }

    fn height(&self, _: usize, _: usize) -> usize {
        1
    }
}

impl List for NoteUnits<'_> {
    fn pane(&self) -> PaneId {
        PaneId::Notes
    }

    fn view(&self) -> &View {
        self.view
    }

    fn cursor(&self) -> Option<Anchor> {
        let last = self.numbers.len().checked_sub(1)?;
        Some(Anchor { unit: self.pane.chosen.min(last), ..Anchor::default() })
    }

    fn rows(&self, unit: usize, _: usize) -> Rc<Vec<Row>> {
        Rc::new(self.numbers.get(unit).and_then(|&number| self.row(number)).into_iter().collect())
    }
}

impl NoteUnits<'_> {
    /// The row of a note: letter, line, subject and text.
    fn row(&self, number: usize) -> Option<Row> {
        let notes = self.view.session.notes();
        let (note, place) = (notes.notes().get(number)?, notes.place(number));
        let line = place.map_or(note.place.line.to_string(), |place| self.view.line_of(place.offset));
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
        Some(Row {
            target: place.map(|place| crate::tui::row::Target::new(place.item, place.offset)),
            ..Row::noted(lead, state)
        })
    }
}
