//! The list of events, the oldest first.
//!
//! This module does not know how rows are drawn.

use std::rc::Rc;

use crate::tui::action::{Action, PaneId};
use crate::tui::message::{Effect, Navigation};
use crate::tui::pane::list::{self, List};
use crate::tui::pane::{Pane, Request, Response};
use crate::tui::row::{Piece, Row, count, grouped, wrapped};
use crate::tui::style::Role;
use crate::tui::view::View;
use crate::tui::view::events::LoggedEvent;
use crate::tui::viewport::{self, Anchor, Units};
use crate::tui::widget::rows::Line;

/// Columns of the time.
const TIME: usize = 11;

/// The list of events: the one that is chosen, and where it is scrolled to.
#[derive(Clone, Default)]
pub struct Events {
    /// The event at the top, by its number from the first one.
    top: Anchor<usize>,
    /// The event that is chosen; the newest one if there is none.
    chosen: Option<usize>,
}

impl Events {
    fn units<'a>(&'a self, view: &'a View) -> EventUnits<'a> {
        EventUnits { pane: self, view }
    }

    /// To the place of the chosen event in the text.
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
    fn title(&self, view: &View) -> String {
        match view.events.count() {
            0 => "Events".into(),
            count => format!("Events {}", grouped(count)),
        }
    }

    fn follows_text(&self) -> bool {
        false
    }

    fn hint(&self) -> Option<&'static str> {
        Some("go there")
    }

    fn rows(&self, view: &View, height: usize) -> Vec<Line> {
        list::lines(&self.units(view), self.top, height)
    }

    fn placeholder(&self, _: &View) -> &'static str {
        "no events yet"
    }

    fn act(&mut self, view: &View, action: Action) -> Response {
        match action {
            Action::Move(motion) => {
                let units = self.units(view);
                let (Some(first), Some(last), Some(at)) = (units.first(), units.last(), units.cursor()) else {
                    return Response::done();
                };
                let page = view.height(PaneId::Events).max(2) - 1;
                let chosen = motion.moved(at.unit, page, last).max(first);
                // The newest one is stayed at while others come.
                self.chosen = (chosen < last).then_some(chosen);
                self.reveal(view);
                Response::done()
            }
            Action::Toggle => self.visit(view),
            _ => Response::Ignored,
        }
    }

    fn click(&mut self, view: &View, _: usize, row: usize) -> Response {
        let before = self.chosen;
        let units = self.units(view);
        let found = viewport::window(&units, self.top, row + 1).get(row).map(|at| at.unit);
        let chosen = found.filter(|&unit| Some(unit) != units.last());
        self.chosen = chosen;
        self.reveal(view);
        if view.layout.focused() == PaneId::Events && chosen == before { self.visit(view) } else { Response::done() }
    }

    fn wheel(&mut self, view: &View, direction: i8, rows: usize) {
        self.top = list::scrolled(&self.units(view), self.top, direction, rows);
    }

    fn reveal(&mut self, view: &View) {
        if view.layout.bottom == PaneId::Events {
            self.top = list::reveal(&self.units(view), self.top, 0);
        }
    }
}

/// The units of the list: events, by their numbers.
struct EventUnits<'a> {
    pane: &'a Events,
    view: &'a View,
}

impl Units for EventUnits<'_> {
    type Unit = usize;

    fn first(&self) -> Option<usize> {
        let events = &self.view.events;
        (events.count() > 0).then(|| events.left_out())
    }

    fn last(&self) -> Option<usize> {
        self.view.events.count().checked_sub(1)
    }

    fn next(&self, unit: usize) -> Option<usize> {
        (unit + 1 < self.view.events.count()).then_some(unit + 1)
    }

    fn previous(&self, unit: usize) -> Option<usize> {
        unit.checked_sub(1).filter(|&unit| unit >= self.view.events.left_out())
    }

    fn height(&self, unit: usize) -> usize {
        self.rows(unit).len()
    }
}

impl List for EventUnits<'_> {
    const PANE: PaneId = PaneId::Events;

    fn view(&self) -> &View {
        self.view
    }

    fn cursor(&self) -> Option<Anchor<usize>> {
        let last = self.last()?;
        let unit = self.pane.chosen.unwrap_or(last).clamp(self.view.events.left_out(), last);
        // The first one has a row in front of it.
        let row = usize::from(unit == self.view.events.left_out() && unit > 0);
        Some(Anchor { unit, row })
    }

    fn rows(&self, unit: usize) -> Rc<Vec<Row>> {
        let view = self.view;
        let Some(event) = view.events.get(unit) else { return Rc::default() };
        let LoggedEvent { time, text, role, .. } = &*event;
        let mut rows = Vec::new();
        let left_out = view.events.left_out();
        if left_out > 0 && unit == left_out {
            let words = format!("{} before that are no longer kept", count(left_out, "event"));
            rows.push(Row::words(vec![Piece::new(words, Role::Dim)]));
        }
        let lines = wrapped(text, view.width(PaneId::Events).saturating_sub(TIME).max(10));
        for (index, line) in lines.into_iter().enumerate() {
            let time = if index == 0 { format!(" {time:<width$}", width = TIME - 1) } else { " ".repeat(TIME) };
            rows.push(Row::words(vec![Piece::new(time, Role::LineNumber), Piece::new(line, *role)]));
        }
        Rc::new(rows)
    }
}
