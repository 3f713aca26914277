//! Token costs of the calls in each dialect, and the calls written in the chosen dialect.
//!
//! The selected call is priced when it is shown, the others in small steps while the event loop is idle, so that key
//! presses are not delayed. Results are kept while they are valid.

use std::rc::Rc;

use crate::convert::{Calls, Converted};
use crate::cost::DialectCosts;
use crate::dialect::Status;
use crate::text::Span;
use crate::tui::pane::costs::Costs;
use crate::tui::view::View;

/// Maximum bytes of a call to price: all dialects write and parse it in one step.
const LONGEST: usize = 128 * 1024;

/// Maximum number of calls to price; more would hardly change the result.
pub const MOST: usize = 2_000;

/// Calls, and their bytes, priced per step.
const STEP: (usize, usize) = (8, 8 * 1024);

/// Maximum number of calls, and their bytes, shown in another dialect if none is selected.
const SHOWN: (usize, usize) = (50, 64 * 1024);

/// Maximum number of calls, and their bytes, written in another dialect to be opened or copied.
const WRITTEN: (usize, usize) = (MOST, 4 * 1024 * 1024);

/// The calls to write in other dialects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Chosen {
    /// The selected call, by its item.
    Call(usize),
    /// All calls, or the first ones, since none is selected.
    All,
    /// The selected call cannot be written now, for this reason.
    Not(&'static str),
}

/// Costs of the calls priced so far.
#[derive(Clone, Debug, Default)]
pub struct RunningCosts {
    /// Costs by dialect.
    pub bill: DialectCosts,
    /// Number of calls examined, including overlong ones.
    pub seen: usize,
}

/// Key of a conversion: the item of the call (`None` for the first ones), the row of the dialect, the number of calls.
pub(super) type Conversion = (Option<usize>, usize, usize);

impl RunningCosts {
    /// True if calls remain to be priced.
    pub(super) fn are_behind(&self, view: &View) -> bool {
        let ended = ended_calls(view);
        self.seen > ended || (self.seen < ended && self.bill.calls < MOST)
    }

    pub(super) fn price_more(&mut self, view: &View) {
        if self.seen > ended_calls(view) {
            // The text became shorter: a replay was rewound.
            *self = Self::default();
        }
        let (items, seen) = next_calls(view, self.seen, STEP);
        self.seen += seen;
        self.bill.add(&Calls::alone(&view.session, items), &view.options);
    }
}

impl Costs {
    /// Prices the selected call, unless it has been priced.
    pub(super) fn price_selected(&mut self, view: &View) {
        if let Chosen::Call(item) = chosen(view)
            && self.bill_of_call(view).is_none()
        {
            let bill = DialectCosts::new(&Calls::alone(&view.session, [item]), &view.options);
            self.bill = Some((item, Rc::new(bill)));
        }
    }

    /// Costs of the selected call in each dialect, if it has been priced.
    pub(super) fn bill_of_call(&self, view: &View) -> Option<Rc<DialectCosts>> {
        let Chosen::Call(item) = chosen(view) else { return None };
        self.bill.as_ref().filter(|(known, _)| *known == item).map(|(_, bill)| Rc::clone(bill))
    }

    /// Converts the calls shown below the table, unless that has been done.
    pub(super) fn convert_shown(&mut self, view: &View) {
        let Some((key, items)) = self.to_be_shown(view) else { return };
        if self.shown_conversion(view).is_none() {
            self.converted = Some((key, Rc::new(self.convert(view, items))));
        }
    }

    /// The selected call, or the first calls, in the chosen dialect, and what it cannot represent of them.
    pub(super) fn shown_conversion(&self, view: &View) -> Option<Rc<Converted>> {
        let (key, _) = self.to_be_shown(view)?;
        self.converted.as_ref().filter(|(known, _)| *known == key).map(|(_, converted)| Rc::clone(converted))
    }

    fn to_be_shown(&self, view: &View) -> Option<(Conversion, Vec<usize>)> {
        let (item, items) = match chosen(view) {
            Chosen::Not(_) => return None,
            Chosen::Call(item) => (Some(item), vec![item]),
            Chosen::All => (None, next_calls(view, 0, SHOWN).0),
        };
        Some(((item, self.at, items.len()), items))
    }

    /// The text to open or copy, and the number of its calls: the selected call in the chosen dialect, or all calls up
    /// to the limit.
    pub(super) fn to_be_written(&self, view: &View) -> Option<(Converted, usize)> {
        let items = match chosen(view) {
            Chosen::Not(_) => return None,
            Chosen::Call(item) => vec![item],
            Chosen::All => next_calls(view, 0, WRITTEN).0,
        };
        let calls = items.len();
        Some((self.convert(view, items), calls))
    }

    fn convert(&self, view: &View, items: Vec<usize>) -> Converted {
        Calls::alone(&view.session, items).convert(self.chosen(), &view.options)
    }
}

/// The calls to write in the chosen dialect.
pub(super) fn chosen(view: &View) -> Chosen {
    let item = view.selection.item;
    match view.session.document().call(item) {
        None => Chosen::All,
        Some(call) if call.status == Status::Open => Chosen::Not("this call is still arriving"),
        Some(call) if call.span.len() > LONGEST => {
            Chosen::Not("call too long for this pane: use transcope cost or transcope convert")
        }
        Some(_) => Chosen::Call(item),
    }
}

/// Number of calls that have ended.
pub(super) fn ended_calls(view: &View) -> usize {
    let document = view.session.document();
    let is_open = |item| document.call(item).is_some_and(|call| call.status == Status::Open);
    document.calls().len() - usize::from(document.last_call().is_some_and(is_open))
}

/// Items of the calls after the first `seen` that have ended, up to the limits and without calls that are too long; and
/// the number of calls examined.
fn next_calls(view: &View, seen: usize, (calls, bytes): (usize, usize)) -> (Vec<usize>, usize) {
    let document = view.session.document();
    let (mut found, mut length, mut looked) = (Vec::new(), 0, 0);
    for item in document.calls().take(ended_calls(view)).skip(seen) {
        if found.len() == calls || length >= bytes {
            break;
        }
        looked += 1;
        let call = document.items().span(item).map_or(0, Span::len);
        if call <= LONGEST {
            found.push(item);
            length += call;
        }
    }
    (found, looked)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::container::Container;
    use crate::dialect::Options;
    use crate::session::Session;
    use crate::tui::action::PaneId;
    use crate::tui::pane::Pane as _;
    use crate::tui::view::origin::TextOrigin;

    fn view() -> View {
        let session = Session::new(Container::plain(), &Options::default());
        let mut view = View::new(session, Options::default(), TextOrigin::default(), (80, 24));
        view.layout.focus_on(PaneId::Costs);
        view
    }

    fn call(value: &str) -> String {
        format!("!!!GADGET_START:Do\n!!!ARG:x\n{value}\n!!!GADGET_END\n")
    }

    /// Prices everything; returns the number of calls and of steps.
    fn priced(pane: &mut Costs, view: &View) -> (usize, usize) {
        let mut steps = 0;
        while pane.has_work(view) {
            pane.work(view);
            steps += 1;
        }
        (pane.running.bill.calls, steps)
    }

    #[test]
    fn what_has_ended_is_priced_in_steps_and_once() {
        let (mut view, mut pane) = (view(), Costs::default());
        assert_eq!(priced(&mut pane, &view), (0, 0));
        view.session.push(call("1").repeat(STEP.0 + 1).as_bytes());
        view.session.push(b"!!!GADGET_START:Do\n!!!ARG:x\n");
        assert_eq!(priced(&mut pane, &view), (STEP.0 + 1, 2), "the open one does not count");
        assert_eq!(priced(&mut pane, &view), (STEP.0 + 1, 0));
        view.session.push(b"1\n!!!GADGET_END\n");
        assert_eq!(priced(&mut pane, &view).0, STEP.0 + 2);
        let all = Calls::alone(&view.session, view.session.document().calls());
        let whole = DialectCosts::new(&all, &view.options);
        assert_eq!(pane.running.bill.clone().sorted(), whole, "in pieces it comes to the same");
    }

    #[test]
    fn nothing_is_priced_where_nobody_looks() {
        let (mut view, mut pane) = (view(), Costs::default());
        view.session.push(call("1").as_bytes());
        view.layout.focus_on(PaneId::Problems);
        assert_eq!(priced(&mut pane, &view), (0, 0));
    }

    #[test]
    fn what_is_open_or_too_long_is_not_written() {
        let (mut view, mut pane) = (view(), Costs::default());
        view.session.push(call("1").as_bytes());
        view.session.push(call(&"x".repeat(LONGEST)).as_bytes());
        view.session.push(b"!!!GADGET_START:Do\n");
        assert_eq!(priced(&mut pane, &view).0, 1);
        let calls: Vec<usize> = view.session.document().calls().collect();
        for (item, is_written) in [(calls[0], true), (calls[1], false), (calls[2], false)] {
            view.selection.item = item;
            pane.prepare(&view);
            assert_eq!(pane.shown_conversion(&view).is_some(), is_written, "{item}");
            assert_eq!(matches!(chosen(&view), Chosen::Not(_)), !is_written, "{item}");
        }
    }

    #[test]
    fn what_is_converted_is_kept_until_something_else_is_chosen() {
        let (mut view, mut pane) = (view(), Costs::default());
        view.session.push(call("1").as_bytes());
        let converted = |pane: &mut Costs| {
            pane.prepare(&view);
            pane.shown_conversion(&view).expect("it can be written")
        };
        let first = converted(&mut pane);
        assert!(Rc::ptr_eq(&first, &converted(&mut pane)));
        pane.at = 1;
        assert!(converted(&mut pane).text.starts_with(b"^^^Do"));
    }
}
