//! The data of each item for the filter of an interactive page, in the terms of [`crate::filter`].
//!
//! The flags are computed by the filter itself, so that they mean the same on the page as on the screen.

use std::collections::{BTreeSet, HashMap};

use crate::container::facts::Timestamp;
use crate::container::moment_of;
use crate::document::{CallResult, Item, ItemType, MessageRole};
use crate::export::page::ReportPage;
use crate::filter::{Filter, Selection};

/// Terms that are evaluated in advance; each becomes a flag.
const FLAGS: [&str; 14] = [
    "failed",
    "rejected",
    "skipped",
    "open",
    "has:problem",
    "has:error",
    "has:warning",
    "has:hint",
    "has:result",
    "has:note",
    "turn:last",
    "is:compaction",
    "is:subagent",
    "is:turn",
];

/// Evaluates the terms of the items of a session.
pub(super) struct Terms<'a> {
    page: &'a ReportPage<'a>,
    flags: Vec<(&'static str, Selection)>,
    /// Codes of the problems of each item.
    codes: HashMap<usize, BTreeSet<&'static str>>,
}

/// The terms of an item, as attributes of its element.
pub(super) struct ItemTerms {
    pub(super) flags: String,
    /// The item type, for `is:`.
    pub(super) kind: &'static str,
    /// Roles of the speakers: for a result, also the role that made the call.
    pub(super) roles: String,
    pub(super) codes: String,
    /// Item number of the call that this result belongs to, if the page shows it; the following terms are then on the
    /// call.
    pub(super) call: Option<usize>,
    pub(super) tool: Option<String>,
    /// Id of the call, and the id that the result names if that differs.
    pub(super) ids: Vec<String>,
    pub(super) dialect: &'static str,
    /// Names of sub-agents, for `agent:`.
    pub(super) agents: Vec<String>,
    pub(super) turn: Option<usize>,
    /// Milliseconds since 1970.
    pub(super) time: Option<i64>,
    /// Duration of the call in milliseconds, with fractions.
    pub(super) took: Option<f64>,
}

impl<'a> Terms<'a> {
    /// Prepares the terms for the items of a page's session.
    pub(super) fn new(page: &'a ReportPage<'a>) -> Self {
        let session = page.session();
        let document = session.document();
        let flag = |&words: &&'static str| Some((words, Selection::new(&Filter::parse(words).ok()?, session)));
        let mut codes: HashMap<usize, BTreeSet<&'static str>> = HashMap::new();
        for problem in document.diagnostics().briefs() {
            if let Some(item) = document.item_of_problem(&problem) {
                codes.entry(item).or_default().insert(problem.code.name());
            }
        }
        Self { page, flags: FLAGS.iter().filter_map(flag).collect(), codes }
    }

    /// The first time in the file, in milliseconds since 1970; durations in `after:` and `before:` are relative to it.
    pub(super) fn start(&self) -> Option<i64> {
        let messages = self.page.session().document().messages();
        (0..messages.len()).find_map(|message| moment_of(messages.time(message)?)).map(Timestamp::as_millisecond)
    }

    /// The terms of item number `number`.
    pub(super) fn of(&self, number: usize) -> ItemTerms {
        let session = self.page.session();
        let (document, text) = (session.document(), session.text());
        let found = document.items().get(number);
        let kind = found.as_ref().map_or(ItemType::Text, Item::item_type).into();
        let call = match &found {
            Some(Item::Call(_)) => Some(number),
            Some(Item::Result(CallResult { call, again, .. })) => call.map(|(of, _)| of).or(*again),
            _ => None,
        };
        let of_result = match &found {
            Some(Item::Result(answer)) => answer.id.map(|id| id.text(text)),
            _ => None,
        };
        let made = call.and_then(|item| document.call(item));
        let starts = [found.as_ref().map(|item| item.span().start), made.as_ref().map(|call| call.span.start)];
        let role = |start: usize| document.messages().role(document.message_at(start)).map(MessageRole::word);
        let roles: BTreeSet<&str> = starts.into_iter().flatten().filter_map(role).collect();
        let flags = self.flags.iter().filter(|(_, selection)| selection.contains(number)).map(|(words, _)| *words);
        let shown = call.filter(|&call| call != number && self.page.shows(call));
        let of_call = made.as_ref().map(|call| call.id(text));
        let of_result = of_result.filter(|id| of_call.as_ref() != Some(id));
        let ids = of_result.into_iter().chain(of_call.clone().filter(|_| shown.is_none()));
        let made = made.filter(|_| shown.is_none());
        let place = made.as_ref().map(|call| call.span.start).or(starts[0].filter(|_| shown.is_none()));
        let message = place.map(|place| document.message_at(place));
        let agents = message.into_iter().flat_map(|message| document.agent_names(message, of_call.as_deref()));
        let took = call.filter(|_| shown.is_none()).and_then(|call| document.call_duration(call, text));
        let codes: BTreeSet<&str> = [Some(number), call]
            .into_iter()
            .flatten()
            .filter_map(|item| self.codes.get(&item))
            .flatten()
            .copied()
            .collect();
        ItemTerms {
            flags: joined(flags),
            kind,
            roles: joined(roles),
            codes: joined(codes),
            call: shown,
            tool: made.as_ref().map(|call| self.page.clean_line(&call.name(text))),
            ids: ids.map(|id| self.page.clean_line(&id)).collect(),
            dialect: made.map_or("", |call| call.dialect),
            agents: agents.map(|name| self.page.clean_line(name)).collect(),
            turn: message.and_then(|message| document.turn_number(document.turn_of(message)?)),
            time: place.and_then(|place| document.moment_at(place)).map(Timestamp::as_millisecond),
            took: took.map(|took| took.value.as_secs_f64() * 1000.0),
        }
    }
}

fn joined<'t>(words: impl IntoIterator<Item = &'t str>) -> String {
    words.into_iter().collect::<Vec<_>>().join(" ")
}
