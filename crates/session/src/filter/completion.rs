//! Completions at a position in a filter expression, with names from the session.
//!
//! The expression need not be valid. Only the first part of a large session is scanned, so that each key press is
//! answered without delay. Independent of the screen.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::term::{HAS, KINDS, NAMED, OPERATORS, PARTS, PLAIN, ROLES};
use crate::diagnostic::Code;
use crate::dialect;
use crate::session::Session;
use crate::session::prompt::prompt_line;
use crate::text::Span;
use crate::value::ROOT;

/// Most completions offered.
const MOST: usize = 50;

/// Most calls, messages or problems scanned for names.
const LOOKED: usize = 5000;

/// Most calls dissected for parameter names, and most bytes of each.
const DISSECTED: (usize, usize) = (100, 16 * 1024);

/// The completions for a part of the expression.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Completions {
    /// The byte range of the expression that a completion replaces.
    pub replace: Span,
    /// The completions: prefix matches first, then other matches.
    pub list: Vec<Completion>,
}

/// One completion.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Completion {
    /// The text to insert, quoted where necessary. Not sanitized: names are as in the file.
    pub text: String,
    /// A short description.
    pub(crate) about: String,
}

/// Completions at `cursor`, a byte offset in the expression.
pub fn complete(expression: &str, cursor: usize, session: Option<&Session>) -> Completions {
    let cursor = (0..=cursor.min(expression.len())).rev().find(|&at| expression.is_char_boundary(at)).unwrap_or(0);
    let Some(word) = word_at(expression, cursor) else {
        return Completions { replace: Span::at(cursor), list: Vec::new() };
    };
    let written = &expression[word.start..cursor];
    let (from, typed, offered) = match written.split_once(':') {
        Some((name, value)) => (word.start + name.len() + 1, value, values(&name.to_ascii_lowercase(), value, session)),
        None => (word.start, written, terms(expression[..word.start].trim().is_empty())),
    };
    let typed = typed.replace('"', "").to_lowercase();
    let (mut list, within): (Vec<Completion>, Vec<Completion>) = offered
        .into_iter()
        .filter(|offer| bare(&offer.text).contains(&typed))
        .partition(|offer| bare(&offer.text).starts_with(&typed));
    list.extend(within);
    list.truncate(MOST);
    Completions { replace: Span::new(from, word.end), list }
}

fn bare(text: &str) -> String {
    text.replace('"', "").to_lowercase()
}

/// The word that the cursor is in or directly after; empty between words, `None` in a regular expression.
fn word_at(expression: &str, cursor: usize) -> Option<Span> {
    let (mut start, mut is_quoted, mut is_regex, mut is_escaped) = (None, false, false, false);
    for (at, c) in expression.char_indices() {
        let ends = (c.is_whitespace() || matches!(c, '(' | ')')) && !is_quoted && !is_regex;
        if at >= cursor && (ends || start.is_none()) {
            return (!is_regex).then(|| Span::new(start.unwrap_or(cursor), if ends { at } else { cursor }));
        }
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' if is_quoted || is_regex => is_escaped = true,
            '/' if is_regex => is_regex = false,
            '/' if start.is_none() => (start, is_regex) = (Some(at), true),
            _ if ends => start = None,
            '!' if start.is_none() => {}
            '"' => {
                is_quoted = !is_quoted;
                start = start.or(Some(at));
            }
            _ => start = start.or(Some(at)),
        }
    }
    let is_pattern = is_regex || start.is_some_and(|start| expression[start..].starts_with('/'));
    (!is_pattern).then(|| Span::new(start.unwrap_or(cursor), expression.len()))
}

fn offer(text: impl Into<String>, about: impl Into<String>) -> Completion {
    Completion { text: text.into(), about: about.into() }
}

fn terms(is_first: bool) -> Vec<Completion> {
    let joints = OPERATORS.iter().filter(|(word, _)| !is_first || *word == "not");
    let all = PLAIN.iter().chain(&NAMED).chain(joints);
    let written = |word: &'static str| match word {
        "dep" => "dep>0",
        "took" => "took>10s",
        word => word,
    };
    all.map(|(word, about)| offer(written(word), *about)).collect()
}

fn values(name: &str, typed: &str, session: Option<&Session>) -> Vec<Completion> {
    match name {
        "has" => HAS.iter().map(|(word, about)| offer(*word, *about)).collect(),
        "is" => {
            let kinds = KINDS.iter().map(|(kind, about)| offer(<&str>::from(kind), *about));
            kinds.chain(PARTS.iter().map(|(part, about)| offer(<&str>::from(part), *about))).collect()
        }
        "turn" => session.map(turns).unwrap_or_default(),
        "agent" => session.map(agents).unwrap_or_default(),
        "role" => roles(session),
        "dialect" => dialects(session),
        "code" => codes(session),
        "tool" => session.map(tools).unwrap_or_default(),
        "id" => session.map(ids).unwrap_or_default(),
        "arg" if !typed.contains(['~', '=']) => session.map(parameters).unwrap_or_default(),
        _ => Vec::new(),
    }
}

fn roles(session: Option<&Session>) -> Vec<Completion> {
    let has = |role| {
        let messages = session.map(|session| session.document().messages());
        messages
            .is_some_and(|messages| (0..messages.len().min(LOOKED)).any(|number| messages.role(number) == Some(role)))
    };
    let known: Vec<_> = ROLES.iter().filter(|(role, _)| has(*role)).collect();
    let shown = if known.is_empty() { ROLES.iter().collect() } else { known };
    shown.into_iter().map(|(role, about)| offer(role.word(), *about)).collect()
}

fn dialects(session: Option<&Session>) -> Vec<Completion> {
    let seen: Vec<&str> = session.into_iter().flat_map(|session| session.document().dialects_seen()).collect();
    let shown = dialect::REGISTRY.iter().filter(|about| seen.is_empty() || seen.contains(&about.name));
    shown.map(|about| offer(about.name, about.title)).collect()
}

fn codes(session: Option<&Session>) -> Vec<Completion> {
    let mut counts: BTreeMap<Code, usize> = BTreeMap::new();
    let found = session.into_iter().flat_map(|session| session.document().diagnostics().briefs());
    found.take(LOOKED).for_each(|brief| *counts.entry(brief.code).or_default() += 1);
    let mut shown: Vec<(Code, usize)> = counts.into_iter().collect();
    shown.sort_by_key(|(_, count)| Reverse(*count));
    if shown.is_empty() {
        shown = Code::ALL.into_iter().map(|code| (code, 0)).collect();
    }
    shown.into_iter().map(|(code, _)| offer(code.name(), &code.info().title)).collect()
}

fn tools(session: &Session) -> Vec<Completion> {
    let calls = session.document().calls().take(LOOKED).filter_map(|item| session.document().call(item));
    counted(calls.map(|call| call.name(session.text())), "call")
}

/// `last`, then all turns by number with their prompts, latest first.
fn turns(session: &Session) -> Vec<Completion> {
    let document = session.document();
    let all = document.turns().rev().filter_map(|turn| Some((document.turn_number(turn)?, turn)));
    let offers = all.take(LOOKED).map(|(number, turn)| offer(number.to_string(), prompt_line(session, turn)));
    let mut offers: Vec<Completion> = offers.collect();
    if !offers.is_empty() {
        offers.insert(0, offer("last", "the last turn"));
    }
    offers
}

/// Kinds of sub-agents, then their descriptions.
fn agents(session: &Session) -> Vec<Completion> {
    let all = || session.document().agents().take(LOOKED).map(|agent| agent.facts);
    let mut offers = counted(all().filter_map(|facts| Some(facts.kind.as_deref()?.to_owned())), "sub-agent");
    offers.extend(all().filter_map(|facts| {
        let kind = facts.kind.as_deref().unwrap_or("sub-agent");
        Some(offer(quoted(facts.description.as_deref()?), kind))
    }));
    offers
}

/// Ids written in the text; ids that the runtime generates are not useful to type.
fn ids(session: &Session) -> Vec<Completion> {
    let calls = session.document().calls().take(LOOKED).filter_map(|item| session.document().call(item));
    let written = calls.filter(|call| call.id.is_some());
    written.map(|call| offer(quoted(&call.id(session.text())), call.name(session.text()))).collect()
}

/// Names of top-level parameters.
fn parameters(session: &Session) -> Vec<Completion> {
    let (most, bytes) = DISSECTED;
    let trees = session.document().calls().take(most).filter_map(|item| session.dissect_prefix(item, bytes));
    counted(
        trees.flat_map(|(assembly, _)| {
            let tree = assembly.tree;
            let keys: Vec<String> =
                tree.node(ROOT).value.children().iter().map(|&id| tree.node(id).key.clone()).collect();
            keys
        }),
        "call",
    )
}

/// Names with the number of calls or sub-agents that have each, most frequent first.
fn counted(names: impl Iterator<Item = String>, noun: &str) -> Vec<Completion> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    names.filter(|name| !name.is_empty()).for_each(|name| *counts.entry(name).or_default() += 1);
    let mut shown: Vec<(String, usize)> = counts.into_iter().collect();
    shown.sort_by_key(|(_, count)| Reverse(*count));
    let words = |count: usize| if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") };
    shown.into_iter().map(|(name, count)| offer(quoted(&name), words(count))).collect()
}

/// A value as it must be written in an expression: quoted if it has spaces or operators.
pub fn quoted(value: &str) -> String {
    if !value.contains(|c: char| c.is_whitespace() || matches!(c, '(' | ')' | '"' | '\\' | '*' | '~' | '=')) {
        return value.to_owned();
    }
    format!("\"{}\"", value.replace('\\', "\\\\").replace('"', "\\\""))
}
