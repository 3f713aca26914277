//! What the calls cost in each dialect, and how the chosen one writes them.
//!
//! The selected call is priced when it is looked at, the others a few at a time while nothing else is to be done, so
//! that no key waits for them; what is priced is kept for as long as it holds. This module does not know how any of it
//! is shown.

use std::rc::Rc;

use crate::convert::{Calls, Converted};
use crate::cost::Bill;
use crate::dialect::Status;
use crate::text::Span;
use crate::tui::action::Tab;
use crate::tui::layout::Pane;

use super::State;

/// The longest call that is priced, in bytes: all dialects write and read it in one go.
const LONGEST: usize = 128 * 1024;

/// Calls that are priced.
pub const MOST: usize = 2_000;

/// Calls, and bytes of them, that are priced in one go.
const STEP: (usize, usize) = (8, 8 * 1024);

/// Calls, and bytes of them, that are shown in another dialect where none is selected.
const SHOWN: (usize, usize) = (50, 64 * 1024);

/// Calls, and bytes of them, that are written in another dialect to be opened or copied.
const WRITTEN: (usize, usize) = (MOST, 4 * 1024 * 1024);

/// What is written in other dialects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Chosen {
    /// The call that is selected, by its item.
    Call(usize),
    /// All calls, or the first of them, since none is selected.
    All,
    /// The call that is selected cannot be written now, for this reason.
    Not(&'static str),
}

/// The calls that have been priced so far.
#[derive(Clone, Debug, Default)]
pub struct Pricing {
    /// What they cost.
    pub bill: Bill,
    /// How many have been looked at.
    pub seen: usize,
}

impl State {
    /// What is written in the chosen dialect.
    pub fn chosen(&self) -> Chosen {
        let item = self.selection.item;
        match self.session.document().call(item) {
            None => Chosen::All,
            Some(call) if call.status == Status::Open => Chosen::Not("this call is still arriving"),
            Some(call) if call.span.len() > LONGEST => {
                Chosen::Not("this call is too long to be priced at once: transcope cost and transcope convert do it")
            }
            Some(_) => Chosen::Call(item),
        }
    }

    /// What the selected call costs in each dialect.
    pub fn bill_of_call(&self) -> Option<Rc<Bill>> {
        let Chosen::Call(item) = self.chosen() else { return None };
        if let Some(known) = self.cache.borrow().bill_of_call(item) {
            return Some(known);
        }
        let bill = Rc::new(Bill::of(&Calls::alone(&self.session, [item]), &self.options).ok()?);
        self.cache.borrow_mut().keep_bill_of_call(item, Rc::clone(&bill));
        Some(bill)
    }

    /// Whether there are calls that are to be priced, since somebody looks.
    pub fn is_pricing(&self) -> bool {
        let is_seen = self.tab == Tab::Dialects && !self.hidden && self.areas().pane(Pane::Bottom).is_some();
        let cache = self.cache.borrow();
        let Pricing { bill, seen } = cache.pricing();
        let ended = self.ended_calls();
        is_seen && (*seen > ended || (*seen < ended && bill.calls < MOST))
    }

    /// Prices the next few calls. Whether there are more.
    pub fn price(&self) -> bool {
        if !self.is_pricing() {
            return false;
        }
        let mut pricing = std::mem::take(self.cache.borrow_mut().pricing_mut());
        if pricing.seen > self.ended_calls() {
            // The text has become shorter: a replay that went back.
            pricing = Pricing::default();
        }
        let (items, seen) = self.next_calls(pricing.seen, STEP);
        pricing.seen += seen;
        // The options name dialects that exist, as a session has been made with them.
        _ = pricing.bill.add(&Calls::alone(&self.session, items), &self.options);
        *self.cache.borrow_mut().pricing_mut() = pricing;
        self.is_pricing()
    }

    /// The selected call, or the first calls, in the chosen dialect, and what of them it does not carry.
    pub fn converted(&self) -> Option<Rc<Converted>> {
        let (item, items) = match self.chosen() {
            Chosen::Not(_) => return None,
            Chosen::Call(item) => (Some(item), vec![item]),
            Chosen::All => (None, self.next_calls(0, SHOWN).0),
        };
        let key = (item, self.dialects.at, items.len());
        if let Some(known) = self.cache.borrow().converted(key) {
            return Some(known);
        }
        let converted = Rc::new(self.convert(items)?);
        self.cache.borrow_mut().keep_converted(key, Rc::clone(&converted));
        Some(converted)
    }

    /// What is opened or copied: the selected call in the chosen dialect, or all calls as far as they are written at
    /// once, and how many these are.
    pub fn to_be_written(&self) -> Option<(Converted, usize)> {
        let items = match self.chosen() {
            Chosen::Not(_) => return None,
            Chosen::Call(item) => vec![item],
            Chosen::All => self.next_calls(0, WRITTEN).0,
        };
        let calls = items.len();
        self.convert(items).map(|converted| (converted, calls))
    }

    fn convert(&self, items: Vec<usize>) -> Option<Converted> {
        Calls::alone(&self.session, items).convert(self.dialects.chosen().name, &self.options).ok()
    }

    /// How many calls there are that have ended.
    pub fn ended_calls(&self) -> usize {
        let document = self.session.document();
        let is_open = |item| document.call(item).is_some_and(|call| call.status == Status::Open);
        document.calls().len() - usize::from(document.last_call().is_some_and(is_open))
    }

    /// The items of the calls behind the first `seen` ones that have ended, as many as there may be, but for those that
    /// are too long; and how many were looked at.
    fn next_calls(&self, seen: usize, (calls, bytes): (usize, usize)) -> (Vec<usize>, usize) {
        let document = self.session.document();
        let (mut found, mut length, mut looked) = (Vec::new(), 0, 0);
        for item in document.calls().take(self.ended_calls()).skip(seen) {
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
}

#[cfg(test)]
mod tests {
    use super::super::Origin;
    use super::*;
    use crate::dialect::Options;
    use crate::session::Session;
    use crate::source::SourceEvent;
    use crate::tui::update::{Happened, update};

    fn state() -> State {
        let session = Session::new(crate::container::Container::plain(), &Options::default());
        let session = session.expect("the default options name no dialect");
        let mut state = State::new(session, Options::default(), Origin::default(), (80, 24));
        state.tab = Tab::Dialects;
        state
    }

    fn arrives(state: &mut State, text: &str) {
        update(state, Happened::Source(SourceEvent::Chunk(text.as_bytes().to_vec())));
    }

    fn call(value: &str) -> String {
        format!("!!!GADGET_START:Do\n!!!ARG:x\n{value}\n!!!GADGET_END\n")
    }

    /// Prices all that is to be priced: how many calls, and in how many steps.
    fn priced(state: &State) -> (usize, usize) {
        let steps = std::iter::repeat_with(|| state.price()).take_while(|more| *more).count();
        (state.cache.borrow().pricing().bill.calls, steps)
    }

    #[test]
    fn what_has_ended_is_priced_in_steps_and_once() {
        let mut state = state();
        assert_eq!(priced(&state), (0, 0));
        arrives(&mut state, &call("1").repeat(STEP.0 + 1));
        arrives(&mut state, "!!!GADGET_START:Do\n!!!ARG:x\n");
        assert_eq!(priced(&state), (STEP.0 + 1, 1), "the open one does not count");
        assert_eq!(priced(&state), (STEP.0 + 1, 0));
        arrives(&mut state, "1\n!!!GADGET_END\n");
        assert_eq!(priced(&state).0, STEP.0 + 2);
        let all = Calls::alone(&state.session, state.session.document().calls());
        let whole = Bill::of(&all, &state.options).expect("the dialects exist");
        let bill = state.cache.borrow().pricing().bill.clone();
        assert_eq!(bill.sorted(), whole, "in pieces it comes to the same");
    }

    #[test]
    fn nothing_is_priced_where_nobody_looks() {
        let mut state = state();
        arrives(&mut state, &call("1"));
        state.tab = Tab::Problems;
        assert_eq!(priced(&state), (0, 0));
    }

    #[test]
    fn what_is_open_or_too_long_is_not_written() {
        let mut state = state();
        arrives(&mut state, &call("1"));
        arrives(&mut state, &call(&"x".repeat(LONGEST)));
        arrives(&mut state, "!!!GADGET_START:Do\n");
        assert_eq!(priced(&state), (1, 0));
        let calls: Vec<usize> = state.session.document().calls().collect();
        for (item, is_written) in [(calls[0], true), (calls[1], false), (calls[2], false)] {
            state.selection.item = item;
            assert_eq!(state.converted().is_some(), is_written, "{item}");
            assert_eq!(matches!(state.chosen(), Chosen::Not(_)), !is_written, "{item}");
        }
    }

    #[test]
    fn what_is_converted_is_kept_until_something_else_is_chosen() {
        let mut state = state();
        arrives(&mut state, &call("1"));
        let first = state.converted().expect("it can be written");
        assert!(Rc::ptr_eq(&first, &state.converted().expect("it can be written")));
        state.dialects.at = 1;
        let other = state.converted().expect("it can be written");
        assert!(other.text.starts_with(b"^^^Do"));
    }
}
