//! The list of events, oldest first.

use std::ops::Range;
use std::rc::Rc;

use crate::tui::action::{Action, Motion, PaneId};
use crate::tui::message::{Effect, Navigation};
use crate::tui::pane::list::{self, List, Moved};
use crate::tui::pane::{Pane, Request, Response};
use crate::tui::row::{Row, count, grouped, hanging};
use crate::tui::style::Role;
use crate::tui::view::View;
use crate::tui::viewport::{self, Anchor, Units};

/// Width of the time column.
const TIME: usize = 11;

/// The events pane: the chosen event and the scroll position.
#[derive(Clone, Default)]
pub struct Events {
    /// Scroll position; units are event numbers.
    top: Anchor,
    /// The chosen event; `None` follows the newest one.
    chosen: Option<usize>,
}

impl Events {
    fn units<'a>(&'a self, view: &'a View) -> EventUnits<'a> {
        EventUnits { pane: self, view }
    }

    /// Goes to the position of the chosen event in the text.
    fn visit(&self, view: &View) -> Response {
        let event = self.units(view).cursor().and_then(|at| view.events.get(at.unit));
        let Some(place) = event.map(|event| event.place) else { return Response::done() };
        Response::ask(if place.text == view.number {
            Request::Visit(place.offset)
        } else {
            Request::Effect(Effect::Go(Navigation::Place(place)))
        })
    }
}

impl Pane for Events {
    fn title(&self, view: &View) -> Option<String> {
        let count = view.events.count();
        (count > 0).then(|| format!("Events {}", grouped(count)))
    }

    fn list<'a>(&'a self, view: &'a View) -> Option<(Box<dyn List + 'a>, Anchor)> {
        Some((Box::new(self.units(view)), self.top))
    }

    fn set_top(&mut self, top: Anchor) {
        self.top = top;
    }

    fn placeholder(&self, _: &View) -> &'static str {
        "no events yet: a file that is truncated, replaced or ends is reported here"
    }

    fn act(&mut self, view: &View, action: Action) -> Response {
        match action {
            Action::Move(motion) => {
                let units = self.units(view);
                let Some(at) = units.cursor() else { return Response::done() };
                let Range { start: first, end } = units.numbers();
                let step = list::paged(&units, self.top, motion, |_| true);
                let to = match (step, motion) {
                    (Some(step), _) => step.cursor.map_or(at.unit, |at| at.unit),
                    (None, motion) => motion.moved(at.unit, 1, end - 1).max(first),
                };
                if let Motion::Line(direction) = motion
                    && let Some(top) = units.toward(self.top, at, direction)
                {
                    self.top = top;
                    return Response::done();
                }
                // Choosing the newest event follows later ones.
                self.chosen = (to + 1 < end).then_some(to);
                self.reveal(view);
                Response::moved(PaneId::Events, Moved { target: None, step })
            }
            Action::Toggle => self.visit(view),
            _ => Response::Ignored,
        }
    }

    fn click(&mut self, view: &View, _: usize, row: usize) -> Response {
        let before = self.chosen;
        let units = self.units(view);
        let found = viewport::window(&units, self.top, row + 1).get(row).map(|at| at.unit);
        self.chosen = found.filter(|unit| unit + 1 < units.numbers().end);
        self.reveal(view);
        if view.layout.focused() == PaneId::Events && self.chosen == before {
            self.visit(view)
        } else {
            Response::done()
        }
    }
}

/// The units of the list: events, by their numbers.
struct EventUnits<'a> {
    pane: &'a Events,
    view: &'a View,
}

impl EventUnits<'_> {
    /// The top while scrolling to an adjacent event that is too far away to be revealed without skipping rows.
    fn toward(&self, top: Anchor, from: Anchor, direction: i8) -> Option<Anchor> {
        let Range { start, end } = self.numbers();
        let neighbour = |way: i8| {
            let unit = if way > 0 { Some(from.unit + 1) } else { from.unit.checked_sub(1) };
            unit.filter(|unit| (start..end).contains(unit)).map(|unit| self.at(unit))
        };
        viewport::scroll_toward(self, top, from, direction, self.room(), neighbour)
    }

    /// Position of the row that is highlighted when an event is chosen.
    fn at(&self, unit: usize) -> Anchor {
        // The first event has a row before it.
        Anchor { unit, row: usize::from(unit == self.numbers().start && unit > 0), ..Anchor::default() }
    }
}

impl Units for EventUnits<'_> {
    fn numbers(&self) -> Range<usize> {
        self.view.events.left_out()..self.view.events.count()
    }

    fn height(&self, unit: usize, part: usize) -> usize {
        self.rows(unit, part).len()
    }
}

impl List for EventUnits<'_> {
    fn pane(&self) -> PaneId {
        PaneId::Events
    }

    fn view(&self) -> &View {
        self.view
    }

    fn cursor(&self) -> Option<Anchor> {
        let Range { start, end } = self.numbers();
        let last = end.checked_sub(1)?;
        Some(self.at(self.pane.chosen.unwrap_or(last).clamp(start, last)))
    }

    fn rows(&self, unit: usize, _: usize) -> Rc<Vec<Row>> {
        let view = self.view;
        let Some(event) = view.events.get(unit) else { return Rc::default() };
        let mut rows = Vec::new();
        let left_out = view.events.left_out();
        if left_out > 0 && unit == left_out {
            let words = format!("{} before that are no longer kept", count(left_out, "event"));
            rows.push(Row::plain(words, Role::Dim));
        }
        let leads = (&*format!(" {:<width$}", event.time, width = TIME - 1), &*" ".repeat(TIME));
        let room = view.width(PaneId::Events).saturating_sub(TIME);
        rows.extend(hanging(leads, Role::LineNumber, &event.text, room, event.role));
        Rc::new(rows)
    }
}
