//! Learns the declaration of a dialect from a chat template.
//!
//! Turns of the model are rendered that differ in one thing at a time (`sample`): without and with a second argument, a second
//! call, text, a value of another type. Their differences are the markers (`boundary`), from which drafts are made (`block`,
//! `tagged`). Each is written as a declaration and tried on the probes (`verify`): its calls must be what was put in. So every
//! declaration is known to read what the template writes.

mod block;
mod boundary;
mod sample;
mod tagged;
mod verify;

#[cfg(test)]
mod tests;

use std::cmp::Reverse;
use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::assistant::TurnRenderer;
use super::conversation::{Conversation, TemplateRuntime};
use super::engine::Engine;
use super::failure::TemplateFailure;
use super::probes::TemplateProbe;
use super::source::ChatTemplate;
use super::{RenderOptions, on_large_stack};
use crate::dialect::declared::Declaration;
use crate::dialect::{self, Options};
use crate::proposal::writer::{self, Draft, Example};
use crate::session::Session;
use sample::Samples;
use verify::{ExpectedTurn, Verdict};

/// Most drafts that are tried.
const MAX_TRIES: usize = 160;

/// Longest turn that is compared with others, in bytes. A call of the samples has about 100.
const LONGEST_SAMPLE: usize = 16 * 1024;

/// Special tokens of a template whose file does not name them.
const TOKENS: [(&str, &str); 4] =
    [("bos_token", "<s>"), ("eos_token", "</s>"), ("unk_token", "<unk>"), ("pad_token", "<pad>")];

/// A declaration that was learnt from a template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LearnedDialect {
    /// The declaration, with comments for the user who completes it.
    pub yaml: String,
    /// The probes in which the template shows calls or text of the model, with what the declaration reads.
    pub probes: Vec<ProbeReading>,
    /// A built-in dialect that reads the calls of all of them, too, perhaps without their ids.
    pub built_in: Option<&'static str>,
}

/// A declaration's reading of one probe.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProbeReading {
    /// Name of the probe.
    pub name: String,
    /// The difference between what was put in and what is read, as a clause; nothing if there is none.
    pub difference: Option<String>,
    /// Parts of the turn that the template itself leaves out.
    pub losses: Vec<&'static str>,
}

impl LearnedDialect {
    /// Number of probes that the declaration reads.
    #[must_use]
    pub fn reads(&self) -> usize {
        self.probes.iter().filter(|probe| probe.difference.is_none()).count()
    }

    /// The parts that the template leaves out, each with the names of the probes.
    #[must_use]
    pub fn losses(&self) -> Vec<(&'static str, Vec<&str>)> {
        let mut losses: Vec<(&'static str, Vec<&str>)> = Vec::new();
        for probe in &self.probes {
            for loss in &probe.losses {
                match losses.iter_mut().find(|(known, _)| known == loss) {
                    Some((_, probes)) => probes.push(&probe.name),
                    None => losses.push((loss, vec![&probe.name])),
                }
            }
        }
        losses
    }
}

/// Learns a declaration with this name; nothing if the template shows no call.
///
/// # Errors
///
/// The template is not valid, or exceeds a limit.
pub fn learn(
    template: &ChatTemplate,
    special_tokens: &Map<String, Value>,
    options: &RenderOptions,
    name: &str,
) -> Result<Option<LearnedDialect>, TemplateFailure> {
    let (file, template) = (template.file.clone(), template.clone());
    let (special_tokens, options, name) = (special_tokens.clone(), options.clone(), name.to_owned());
    on_large_stack(&file, move || {
        // A template alone does not say them, and jinja2 refuses to add nothing to a text.
        let mut all_tokens = Map::new();
        all_tokens.extend(TOKENS.map(|(name, token)| (name.to_owned(), json!(token))));
        all_tokens.extend(special_tokens);
        let special_tokens = all_tokens;
        let engine = Engine::new(&template.file, &template.source, options.now)?;
        // Arguments are objects, as vLLM gives them, or JSON texts for a template that refuses objects.
        let single = TemplateProbe::named("single").map(|probe| probe.conversation()).unwrap_or_default();
        let refuses_objects = TurnRenderer::new(&engine, &special_tokens, &options).prompt(&single, false).is_err();
        let runtime = if refuses_objects { TemplateRuntime::LlamaCpp } else { TemplateRuntime::Vllm };
        let options = RenderOptions { runtime, ..options };
        Ok(learn_here(&TurnRenderer::new(&engine, &special_tokens, &options), &name))
    })
}

/// A draft with its outcome.
struct Trial {
    draft: Draft,
    declaration: Arc<Declaration>,
    verdict: Verdict,
}

impl Trial {
    /// Better ones are greater: more probes, and nothing left over. Of equal ones, the first is the likeliest.
    fn rank(&self) -> impl Ord + use<> {
        (self.verdict.reads(), self.verdict.with_calls, Reverse(self.verdict.leftover))
    }
}

fn learn_here(renderer: &TurnRenderer<'_>, name: &str) -> Option<LearnedDialect> {
    let question =
        Conversation { messages: vec![json!({"role": "user", "content": "How is it?"})], tools: Some(sample::tools()) };
    let prompt = renderer.prompt(&question, true).unwrap_or_default();
    let samples = Samples::new(&prompt, |message: &Value| {
        let mut conversation = question.clone();
        conversation.messages.push(message.clone());
        let turn = renderer.turn(&conversation).ok().map(|turn| turn.text().to_owned());
        turn.filter(|turn| turn.len() <= LONGEST_SAMPLE)
    });
    let turns = verify::turns(renderer);
    let mut drafts = block::drafts(&samples);
    drafts.extend(tagged::drafts(&samples));
    drafts.truncate(MAX_TRIES);
    let best = best(&drafts, &turns, renderer)?;
    let probes: Vec<ProbeReading> = turns
        .iter()
        .zip(&best.verdict.differences)
        .map(|(turn, difference)| ProbeReading {
            name: turn.probe.clone(),
            difference: difference.clone(),
            losses: turn.losses.clone(),
        })
        .collect();
    let built_in = built_in(&turns, renderer);
    let yaml = write(name, &best, &turns, &probes)?;
    Some(LearnedDialect { yaml, probes, built_in })
}

/// The draft that reads most; nothing if none reads a call.
fn best(drafts: &[Draft], turns: &[ExpectedTurn], renderer: &TurnRenderer<'_>) -> Option<Trial> {
    let with_calls: Vec<usize> = (0..turns.len()).filter(|&index| !turns[index].calls.is_empty()).collect();
    // Most drafts fail at the first call; a template may write that one in a way that no draft can read.
    for &first in &with_calls {
        let mut best: Option<Trial> = None;
        for draft in drafts {
            let Some(declaration) = declaration(draft) else { continue };
            if verify::verify(&declaration, &turns[first..=first], renderer).with_calls == 0 {
                continue;
            }
            let trial =
                Trial { draft: draft.clone(), verdict: verify::verify(&declaration, turns, renderer), declaration };
            if best.as_ref().is_none_or(|best| trial.rank() > best.rank()) {
                best = Some(trial);
            }
        }
        if best.is_some() {
            return best;
        }
    }
    None
}

/// The declaration of a draft; nothing if it is not valid.
fn declaration(draft: &Draft) -> Option<Arc<Declaration>> {
    let yaml = writer::write("learned", draft, &[Example { text: "x", calls: Vec::new() }], None)?;
    Declaration::parse(&yaml).ok().map(Arc::new)
}

/// A built-in dialect that reads the calls of all turns.
fn built_in(turns: &[ExpectedTurn], renderer: &TurnRenderer<'_>) -> Option<&'static str> {
    let first = turns.iter().find(|turn| !turn.calls.is_empty())?;
    let session = Session::read(first.text.as_bytes(), &Options::default());
    let mut seen = session.document().dialects_seen();
    seen.find(|name| {
        let Some(info) = dialect::named(name) else { return false };
        verify::verify_built_in(info, turns, renderer).with_calls == turns.len()
    })
}

/// The declaration with comments and examples.
fn write(name: &str, best: &Trial, turns: &[ExpectedTurn], probes: &[ProbeReading]) -> Option<String> {
    let options = Options {
        only: vec![best.declaration.info],
        declared: vec![Arc::clone(&best.declaration)],
        ..Options::default()
    };
    let mut examples: Vec<(String, Vec<Value>, bool)> = Vec::new();
    let read = turns.iter().zip(probes).filter(|(turn, probe)| probe.difference.is_none() && !turn.calls.is_empty());
    for (turn, _) in read {
        let found = verify::read(&turn.text, &options);
        let (Some((_, first)), Some((_, last))) = (found.calls.first(), found.calls.last()) else { continue };
        let Some(text) = turn.text.get(first.start..last.end).map(str::to_owned) else { continue };
        // Alone, it may be read in another way.
        let found = verify::read(&text, &options);
        if found.calls.len() != turn.calls.len() {
            continue;
        }
        let call = |call: &crate::compare::CallFacts| {
            let mut members = Map::from_iter([("name".to_owned(), json!(call.name))]);
            members.extend(call.id.as_ref().map(|id| ("id".to_owned(), json!(id))));
            members.insert("arguments".to_owned(), call.parameters.clone());
            Value::Object(members)
        };
        if !examples.iter().any(|(known, ..)| *known == text) {
            examples.push((text, found.calls.iter().map(|(facts, _)| call(facts)).collect(), found.has_problems));
        }
    }
    // An example is a test, and problems would have to be listed in it.
    if let Some(clean) = examples.iter().position(|(.., has_problems)| !has_problems) {
        examples.swap(0, clean);
        examples.retain(|(.., has_problems)| !has_problems);
    }
    let examples: Vec<Example<'_>> =
        examples.iter().take(3).map(|(text, calls, _)| Example { text, calls: calls.clone() }).collect();
    let reads = probes.iter().filter(|probe| probe.difference.is_none()).count();
    let mut comment = format!("Learnt from a chat template: it reads {reads} of {} probes.", probes.len());
    for probe in probes {
        if let Some(difference) = &probe.difference {
            comment = format!("{comment}\n{}: it reads {difference}", probe.name);
        }
    }
    let yaml = writer::write(name, &best.draft, &examples, Some(&comment))?;
    Declaration::parse(&yaml).ok()?;
    Some(yaml)
}
