//! Applies a filter to one session, and caches results for later items.
//!
//! A call and its result are treated as one: a term that holds for the call holds for its result. While a text arrives,
//! some terms have no answer yet; [`KnownItems`] limits how far the matcher may look, so that the answer does not depend on
//! how the input was chunked.

mod facts;

use std::collections::HashSet;

use super::Filter;
use super::facts::FirstTime;
use super::parser::Expression;
use super::term::{ArgumentTest, Cost, ProblemTest, Term, ValueTest};
use super::term_cache::TermCache;
use crate::container::CallOutcome;
use crate::dialect::Status;
use crate::document::graph::{Fate, GraphNode};
use crate::document::{Call, CallResult, FINAL_CODES, Item, MessageRole};
use crate::session::{MAX_DISSECTED, Session};
use crate::text::Text;
use crate::value::{NodeId, ParamTree, ROOT, Value};

/// How much of the session may be used to answer for an item.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KnownItems {
    /// Nothing after this item, even if more has arrived.
    UpTo(usize),
    /// Everything that has arrived, as if it were complete.
    All,
}

/// A filter bound to one session: it must not be used with another.
#[derive(Clone, Debug)]
pub struct Matcher {
    filter: Filter,
    /// For each term, the items with a problem that it tests for.
    problems: Vec<HashSet<usize>>,
    /// Number of problems examined.
    seen: usize,
    /// Problems whose item had not arrived when they were reported.
    waiting: Vec<usize>,
    /// True if the filter uses `skipped`.
    asks_for_skipped: bool,
    /// Items of calls that would be skipped. `judged` is the state of the session for which they were computed.
    skipped: HashSet<usize>,
    skipped_state: Option<(usize, usize, bool)>,
    /// The first time in the file, if a term is relative to it.
    first_time: Option<FirstTime>,
    /// True if a term needs the text or the parameters of a call.
    asks_for_text: bool,
    /// Cached answers of these terms.
    cache: TermCache,
}

/// An item, and the call that it is or belongs to.
struct Subject<'a> {
    item: usize,
    found: Item<'a>,
    call: Option<(usize, Call<'a>)>,
    known: KnownItems,
}

impl Matcher {
    /// A matcher that has seen nothing of its session.
    pub fn new(filter: Filter) -> Self {
        let (mut terms, mut asks_for_skipped, mut asks_for_text, mut first_time) = (0, false, false, None);
        filter.expression.visit(&mut |_, term| {
            terms += 1;
            asks_for_skipped |= matches!(term, Term::Skipped);
            asks_for_text |= term.cost() == Cost::Text;
            if matches!(term, Term::Time(test) if test.is_relative()) {
                first_time = Some(FirstTime::default());
            }
        });
        Self {
            filter,
            asks_for_skipped,
            problems: vec![HashSet::new(); terms],
            seen: 0,
            waiting: Vec::new(),
            skipped: HashSet::new(),
            skipped_state: None,
            first_time,
            asks_for_text,
            cache: TermCache::default(),
        }
    }

    /// The filter that it applies.
    pub fn filter(&self) -> &Filter {
        &self.filter
    }

    /// Takes in what the session has found since the last time. Call it before querying items.
    pub fn update(&mut self, session: &Session) {
        let document = session.document();
        if let Some(first) = &mut self.first_time {
            first.update(document.messages());
        }
        let Self { filter, problems, seen, waiting, .. } = self;
        if self.asks_for_text {
            self.cache.resize(document.calls().len());
        }
        let mut tests: Vec<(usize, &ProblemTest)> = Vec::new();
        filter.expression.visit(&mut |number, term| {
            if let Term::Problem(test) = term {
                tests.push((number, test));
            }
        });
        let diagnostics = document.diagnostics();
        if !tests.is_empty() {
            let new = std::mem::replace(seen, diagnostics.len())..diagnostics.len();
            for number in std::mem::take(waiting).into_iter().chain(new) {
                let Some(brief) = diagnostics.brief(number) else { continue };
                let end = document.items().len().checked_sub(1).and_then(|last| document.items().span(last));
                let has_come = session.is_finished() || end.is_some_and(|last| brief.span.start < last.end);
                let item = document.item_of_problem(&brief).filter(|_| has_come || brief.item.is_some());
                let Some(item) = item else {
                    waiting.push(number);
                    continue;
                };
                let asked = tests.iter().filter(|(_, test)| test.holds(brief.code, brief.severity));
                asked.for_each(|(number, _)| _ = problems[*number].insert(item));
            }
        }
    }

    /// Computes which calls would be skipped, unless that is up to date. Call it before [`Matcher::answer`] with
    /// [`KnownItems::All`].
    pub(super) fn compute_skipped(&mut self, session: &Session) {
        let document = session.document();
        let state = (document.stable_items(), document.answers(), session.is_finished());
        if self.asks_for_skipped && self.skipped_state != Some(state) {
            self.skipped_state = Some(state);
            let graph = session.graph();
            let skipped = graph.nodes.iter().filter(|node| matches!(node.fate, Fate::Skipped(_)));
            self.skipped = skipped.map(GraphNode::item).collect();
        }
    }

    /// True if an item is selected, given everything that has arrived.
    pub fn selects(&mut self, session: &Session, item: usize) -> bool {
        self.decide(session, item, KnownItems::All).unwrap_or(false)
    }

    /// Decides whether an item is selected; `None` if that depends on something outside `known`.
    pub(crate) fn decide(&mut self, session: &Session, item: usize, known: KnownItems) -> Option<bool> {
        if known == KnownItems::All {
            self.compute_skipped(session);
        }
        self.answer(session, item, known)
    }

    /// As [`Matcher::decide`], but callable from any thread; [`Matcher::compute_skipped`] must have run.
    pub(super) fn answer(&self, session: &Session, item: usize, known: KnownItems) -> Option<bool> {
        let document = session.document();
        let Some(found) = document.items().get(item) else { return Some(false) };
        let within =
            |at: usize| matches!(known, KnownItems::All) || matches!(known, KnownItems::UpTo(last) if at <= last);
        let call = match found {
            Item::Call(call) => Some((item, call)),
            Item::Result(CallResult { call, again, .. }) => {
                let of = call.map(|(of, _)| of).or(again).filter(|&of| within(of));
                of.and_then(|of| Some((of, document.call(of)?)))
            }
            Item::Text(_) | Item::Aside(_) => None,
        };
        let subject = Subject { item, found, call, known };
        Evaluation { session, subject, matcher: self }.evaluate(&self.filter.expression)
    }
}

/// The evaluation of a filter for one item.
struct Evaluation<'a> {
    session: &'a Session,
    subject: Subject<'a>,
    matcher: &'a Matcher,
}

impl Evaluation<'_> {
    /// Three-valued evaluation: true, false, or not known yet. A known part may decide the whole.
    fn evaluate(&self, expression: &Expression) -> Option<bool> {
        match expression {
            Expression::Term(number, term) => self.term(*number, term),
            Expression::Not(inner) => self.evaluate(inner).map(|holds| !holds),
            Expression::All(parts) => self.join(parts, false),
            Expression::Any(parts) => self.join(parts, true),
        }
    }

    /// Returns `decisive` if any part has that value, and its opposite if all parts are known and none has.
    fn join(&self, parts: &[Expression], decisive: bool) -> Option<bool> {
        let mut is_known = true;
        for part in parts {
            match self.evaluate(part) {
                Some(holds) if holds == decisive => return Some(decisive),
                Some(_) => {}
                None => is_known = false,
            }
        }
        is_known.then_some(!decisive)
    }

    fn term(&self, number: usize, term: &Term) -> Option<bool> {
        let text = self.session.text();
        match term {
            Term::Failed => self.failed(),
            Term::Rejected => self.of_call(|_, call| call.failed),
            Term::Skipped => self.is_skipped(),
            Term::Open => self.open(),
            Term::HasResult => self.answered(),
            Term::HasNote => self.has_note(),
            Term::Tool(name) => self.of_call(|_, call| name.is_in(&call.name.text(text))),
            Term::Id(id) => {
                let named = match &self.subject.found {
                    Item::Result(answer) => answer.id.map(|named| named.text(text)),
                    _ => None,
                };
                match named {
                    Some(named) if id.is_in(&named) => Some(true),
                    named => {
                        let of_call = self.of_call(|_, call| id.is_in(&call.id(text)));
                        if named.is_some() { of_call.or(Some(false)) } else { of_call }
                    }
                }
            }
            Term::Dialect(name) => self.of_call(|_, call| call.dialect == *name),
            Term::Dependencies(orders, number) => {
                self.of_call(|_, call| orders.contains(&call.waits_for().len().cmp(number)))
            }
            Term::Role(role) => Some(self.has_role(*role)),
            Term::Is(kind) => Some(self.subject.found.item_type() == *kind),
            Term::IsPart(part) => self.is_part(*part),
            Term::Turn(test) => self.in_turn(test),
            Term::Time(test) => self.at_time(*test),
            Term::Took(orders, limit) => self.took(orders, *limit),
            Term::Agent(name) => self.of_agent(name),
            Term::Problem(test) => self.problem(number, test),
            Term::Argument(test) => {
                let session = self.session;
                self.cached(number, |item, call| may_have(session, call, test) && has_argument(session, item, test))
            }
            Term::Text(pattern) => {
                if !matches!(self.subject.found, Item::Call(_)) && pattern.is_in_span(text, self.subject.found.span()) {
                    return Some(true);
                }
                self.cached(number, |_, call| pattern.is_in_span(text, call.span))
            }
        }
    }

    /// Evaluates a predicate on the call; not known for a result whose call may still arrive.
    fn of_call(&self, holds: impl FnOnce(usize, &Call<'_>) -> bool) -> Option<bool> {
        match (&self.subject.call, &self.subject.found) {
            (Some((item, call)), _) => Some(holds(*item, call)),
            (None, Item::Result(_)) if self.subject.known != KnownItems::All => None,
            (None, _) => Some(false),
        }
    }

    /// As [`Evaluation::of_call`], but cached for the call and its results.
    fn cached(&self, number: usize, holds: impl FnOnce(usize, &Call<'_>) -> bool) -> Option<bool> {
        let Some((item, call)) = &self.subject.call else { return self.of_call(|_, _| false) };
        let place = self.session.document().call_number(*item).filter(|_| call.status != Status::Open);
        let look = || holds(*item, call);
        Some(match place {
            Some(place) => self.matcher.cache.holds(place, number, look),
            None => look(),
        })
    }

    /// True if the call has a result; not known while one may arrive.
    fn answered(&self) -> Option<bool> {
        let Some((item, call)) = &self.subject.call else { return self.of_call(|_, _| false) };
        if matches!(self.subject.found, Item::Result(_)) {
            return Some(true);
        }
        let answer = self.session.document().answer_of(*item);
        match (answer, self.subject.known) {
            (Some(answer), KnownItems::UpTo(last)) if answer > last => None,
            (Some(_), _) => Some(true),
            (None, KnownItems::UpTo(_)) if self.session.is_decoded() && call.answer.is_none() => None,
            (None, _) => Some(false),
        }
    }

    /// True if the item, its call or that call's result has a note. Where a note belongs is certain only at the end.
    fn has_note(&self) -> Option<bool> {
        let notes = self.session.notes();
        let is_noted = |item: usize| !notes.of_item(item).is_empty();
        let call = self.subject.call.as_ref().map(|(item, _)| *item);
        let answer = call.and_then(|call| self.session.document().answer_of(call));
        (self.subject.known == KnownItems::All || notes.notes().is_empty())
            .then(|| [Some(self.subject.item), call, answer].into_iter().flatten().any(is_noted))
    }

    fn failed(&self) -> Option<bool> {
        match (&self.subject.call, &self.subject.found) {
            (Some((_, call)), Item::Result(answer)) if answer.call.is_none() => {
                Some(answer.verdict.is_failure() || call.answer.is_some_and(CallOutcome::is_failure))
            }
            (Some((_, call)), _) => self.answered().map(|_| call.answer.is_some_and(CallOutcome::is_failure)),
            (None, Item::Result(answer)) => Some(answer.verdict.is_failure()),
            (None, _) => Some(false),
        }
    }

    fn is_skipped(&self) -> Option<bool> {
        let Some((item, call)) = &self.subject.call else { return self.of_call(|_, _| false) };
        match self.subject.known {
            _ if call.waits_for().len() == 0 => Some(false),
            KnownItems::UpTo(_) => None,
            KnownItems::All => Some(self.matcher.skipped.contains(item)),
        }
    }

    fn open(&self) -> Option<bool> {
        let Some((item, call)) = &self.subject.call else { return self.of_call(|_, _| false) };
        if call.status == Status::Open {
            return Some(true);
        }
        let document = self.session.document();
        let may_come = self.session.is_decoded() && !self.session.is_finished();
        let expected = (may_come || document.answers() > 0) && !document.is_withdrawn(*item);
        self.answered().map(|answered| !answered && expected && call.answer.is_none())
    }

    /// True if the item's message has the role, or the message of its call.
    fn has_role(&self, role: MessageRole) -> bool {
        let document = self.session.document();
        let is = |start: usize| document.messages().role(document.message_at(start)) == Some(role);
        is(self.subject.found.span().start) || self.subject.call.as_ref().is_some_and(|(_, call)| is(call.span.start))
    }

    fn problem(&self, number: usize, test: &ProblemTest) -> Option<bool> {
        let found = &self.matcher.problems[number];
        let of_call = self.subject.call.as_ref().map(|(item, _)| *item);
        if found.contains(&self.subject.item) || of_call.is_some_and(|item| found.contains(&item)) {
            return Some(true);
        }
        let is_text = matches!(self.subject.found, Item::Text(_) | Item::Aside(_));
        let may_come = match test {
            ProblemTest::Codes(codes) => codes.iter().any(|code| FINAL_CODES.contains(code)),
            ProblemTest::Any | ProblemTest::Severity(_) => true,
        };
        (self.subject.known == KnownItems::All || is_text || !may_come).then_some(false)
    }
}

/// A cheap test whether a call must be dissected: a word that a value contains is in the raw text, unless something is
/// escaped.
fn may_have(session: &Session, call: &Call<'_>, test: &ArgumentTest) -> bool {
    let ValueTest::Contains { pattern, is_one_word: true } = &test.value else { return true };
    if call.span.len() > MAX_DISSECTED || pattern.is_in_span(session.text(), call.span) {
        return true;
    }
    if session.dialect(call.dialect).is_some_and(|dialect| !dialect.info().escapes) {
        return false;
    }
    let bytes = session.text().read(call.span);
    memchr::memchr2(b'\\', b'&', &bytes).is_some() || memchr::memmem::find(&bytes, b"<!").is_some()
}

/// True if a call has a matching parameter, in its tree or among the arguments that did not fit into it.
fn has_argument(session: &Session, item: usize, test: &ArgumentTest) -> bool {
    let Some((assembly, _)) = session.dissect_prefix(item, MAX_DISSECTED) else { return false };
    let (tree, text) = (&assembly.tree, session.text());
    let step = |id: NodeId, key: &String| {
        tree.node(id).value.children().iter().copied().find(|&child| tree.node(child).key == *key)
    };
    if test.path.iter().try_fold(ROOT, step).is_some_and(|found| holds_in_tree(tree, found, &test.value, text)) {
        return true;
    }
    let nodes = assembly.nodes_of_arguments();
    let mut outside = (0..nodes.len()).filter(|&number| nodes[number].is_none());
    outside.any(|number| {
        let pointer = assembly.pointer(number, None, text);
        let mut keys = pointer.split('/');
        let leads_here = test.path.iter().all(|key| keys.next() == Some(key));
        leads_here
            && match (&test.value, keys.next()) {
                (ValueTest::Exists, _) => true,
                (ValueTest::Equals(value), None) => assembly.value_text(number, None, text) == value.as_str(),
                (ValueTest::Equals(_), Some(_)) => false,
                (ValueTest::Contains { pattern, .. }, _) => pattern.is_in(&assembly.value_text(number, None, text)),
            }
    })
}

/// True if a node matches; for a container, `Contains` is tested on each scalar below it.
fn holds_in_tree(tree: &ParamTree, found: NodeId, test: &ValueTest, text: &Text) -> bool {
    let is_plain = |id: NodeId| matches!(tree.node(id).value, Value::Scalar(..));
    match test {
        ValueTest::Exists => true,
        ValueTest::Equals(value) => is_plain(found) && tree.scalar_text(found, text) == value.as_str(),
        ValueTest::Contains { pattern, .. } => {
            let mut below = vec![found];
            while let Some(id) = below.pop() {
                if is_plain(id) && pattern.is_in(&tree.scalar_text(id, text)) {
                    return true;
                }
                below.extend(tree.node(id).value.children());
            }
            false
        }
    }
}
