//! Proposes a dialect declaration for a text with calls in an undeclared syntax.
//!
//! Text that recurs before a varying word may open a call (`marker`), and text that recurs after it may close one; the
//! notation between them is guessed from its form (`arguments`). Each combination is written as a declaration
//! (`writer`) and run on the text with the engine that will use it; the one that reads most calls without a problem
//! wins. So every proposal is known to read the text.

mod arguments;
pub mod container;
mod json_call;
pub(crate) mod marker;
pub(crate) mod writer;

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::json;

use crate::compare::{CallFacts, facts};
use crate::container::Container;
use crate::dialect::declared::Declaration;
use crate::dialect::{Options, Status};
use crate::session::Session;

use writer::{ArgumentsDraft, Draft, DraftPlace, Example};

/// Most bytes of a text that are examined.
pub(crate) const MAX_TEXT: usize = 128 * 1024;

/// Most combinations that are tried.
const MAX_TRIES: usize = 400;

/// Longest call that is used as an example, in bytes.
const LONGEST_EXAMPLE: usize = 4 * 1024;

/// A declaration that reads the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Proposal {
    /// The declaration, with comments for the user who completes it.
    pub yaml: String,
    /// Number of calls that it reads in the text.
    pub calls: usize,
    /// Number of these without a problem.
    pub clean: usize,
    /// The names of the tools, without duplicates.
    pub tools: Vec<String>,
    /// Its confidence, from the number of calls and tools.
    pub confidence: Confidence,
}

/// Confidence of a proposal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, strum::IntoStaticStr)]
#[strum(serialize_all = "lowercase")]
pub enum Confidence {
    /// One call, or always the same tool.
    #[strum(serialize = "a guess")]
    Guess,
    /// Two calls.
    Likely,
    /// At least three calls of different tools.
    Sure,
}

impl Confidence {
    /// Its name in messages.
    pub fn word(self) -> &'static str {
        self.into()
    }
}

/// The result of running a draft on the text.
struct Trial {
    draft: Draft,
    score: i64,
    /// Calls without a problem, each with its source text.
    clean: Vec<(CallFacts, String)>,
    calls: usize,
}

/// Proposes a declaration with this name; `None` if no call is found in the text.
pub fn propose(text: &str, name: &str) -> Option<Proposal> {
    let mut end = text.len().min(MAX_TEXT);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let text = &text[..end];
    let mut best: Option<Trial> = None;
    for draft in drafts(text).into_iter().take(MAX_TRIES) {
        let Some(trial) = try_out(text, draft) else { continue };
        if best.as_ref().is_none_or(|best| trial.score > best.score) {
            best = Some(trial);
        }
    }
    let best = best?;
    let tools: BTreeSet<String> = best.clean.iter().map(|(call, _)| call.name.clone()).collect();
    let confidence = match (best.clean.len(), tools.len()) {
        (3.., 2..) => Confidence::Sure,
        (2.., _) => Confidence::Likely,
        _ => Confidence::Guess,
    };
    let examples: Vec<Example<'_>> = best
        .clean
        .iter()
        .take(2)
        .map(|(call, text)| Example { text, calls: vec![json!({"name": call.name, "arguments": call.parameters})] })
        .collect();
    let comment = format!(
        "Proposed from a sample: it reads {} of {}; {}.",
        best.clean.len(),
        if best.calls == 1 { "1 call".to_owned() } else { format!("{} calls", best.calls) },
        confidence.word()
    );
    let yaml = writer::write(name, &best.draft, &examples, Some(&comment))?;
    // Exactly the printed declaration is tried.
    Declaration::parse(&yaml).ok()?;
    let tools = tools.into_iter().collect();
    Some(Proposal { yaml, calls: best.calls, clean: best.clean.len(), tools, confidence })
}

/// All candidate descriptions of the calls, the likeliest first.
fn drafts(text: &str) -> Vec<Draft> {
    let mut drafts = json_call::drafts(text);
    for opener in marker::openers(text) {
        let closers = marker::closers(text, &opener);
        for close in closers.iter().map(|close| Some(close.as_str())).chain([None]) {
            let bodies = marker::bodies(text, &opener, close);
            for arguments in arguments::kinds(&bodies, close.is_some()) {
                let extended = arguments.lead.as_deref().unwrap_or_default();
                drafts.push(Draft {
                    open: opener.template(extended, matches!(arguments.draft, ArgumentsDraft::Json)),
                    followed_by: arguments
                        .followed_by(opener.ends_with_name() && extended.is_empty())
                        .into_iter()
                        .map(str::to_owned)
                        .collect(),
                    close: close.map(str::to_owned),
                    place: DraftPlace::from_line(opener.is_at_line),
                    is_open_value: false,
                    section: None,
                    at_start: None,
                    arguments: arguments.draft,
                });
            }
        }
    }
    drafts
}

/// Runs a draft on the text; `None` unless it reads calls without a problem.
fn try_out(text: &str, draft: Draft) -> Option<Trial> {
    let example = Example { text: "x", calls: Vec::new() };
    let yaml = writer::write("proposal", &draft, &[example], None)?;
    let declaration = Arc::new(Declaration::parse(&yaml).ok()?);
    let options = Options { only: vec![declaration.info], declared: vec![declaration], ..Options::default() };
    let mut session = Session::new(Container::plain(), &options);
    session.push(text.as_bytes());
    session.finish();
    let document = session.document();
    let faulty: BTreeSet<usize> = document.diagnostics().iter().filter_map(|problem| problem.item).collect();
    let mut clean = Vec::new();
    let (mut calls, mut score, mut covered) = (0, 0, 0);
    for item in document.calls() {
        let (Some(call), Some(facts)) = (document.call(item), facts(&session, item)) else { continue };
        calls += 1;
        let is_clean = call.status == Status::Complete && !call.failed && !faulty.contains(&item);
        if !is_clean || !marker::is_name(&facts.name) || call.span.len() > LONGEST_EXAMPLE {
            score -= 40;
            continue;
        }
        score += 60 + draft.arguments.weight(&facts.parameters);
        covered += call.span.len();
        clean.push((facts, session.text().read_str(call.span).into_owned()));
    }
    let tools: BTreeSet<&str> = clean.iter().map(|(call, _)| call.name.as_str()).collect();
    // A word that never varies is probably part of the marker.
    let is_varied = tools.len() > 1 || draft.has_call_word();
    if clean.is_empty() || calls > 2 * clean.len() || !is_varied {
        return None;
    }
    score += if tools.len() > 1 { 60 } else { 0 };
    score += i64::try_from(draft.open.len().min(40)).unwrap_or_default();
    // Arguments are inside calls, and calls cover more of the text.
    score += i64::try_from(covered * 300 / text.len().max(1)).unwrap_or_default();
    score += if draft.close.is_some() { 15 } else { 0 };
    Some(Trial { draft, score, clean, calls })
}

#[cfg(test)]
mod tests;
