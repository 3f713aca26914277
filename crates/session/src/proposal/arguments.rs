//! Guesses the notation of arguments from the form of the bodies.

use super::marker;
use super::writer::ArgumentsDraft;

/// A notation of arguments, and the text before them in each body.
pub(super) struct ArgumentsGuess {
    pub(super) draft: ArgumentsDraft,
    /// A text that starts all bodies and belongs to the marker: `Action Input:`.
    pub(super) lead: Option<String>,
}

impl ArgumentsGuess {
    /// The text that must follow a marker that ends with a name, so that prose does not match.
    pub(super) fn followed_by(&self, ends_with_name: bool) -> Option<&'static str> {
        (ends_with_name && self.draft == ArgumentsDraft::Json).then_some("{")
    }
}

/// The notations that fit most bodies, the most specific first.
pub(super) fn kinds(bodies: &[&str], is_closed: bool) -> Vec<ArgumentsGuess> {
    let mut guesses = Vec::new();
    let mut add = |draft, lead| guesses.push(ArgumentsGuess { draft, lead });
    let filled: Vec<&str> = bodies.iter().map(|body| body.trim()).filter(|body| !body.is_empty()).collect();
    if filled.is_empty() {
        if is_closed {
            add(ArgumentsDraft::Text, None);
        }
        return guesses;
    }
    let most = |count: usize| count * 5 >= filled.len() * 4;
    if most(filled.iter().filter(|body| body.starts_with('{')).count()) {
        add(ArgumentsDraft::Json, None);
    } else if let Some(lead) = lead(&filled) {
        add(ArgumentsDraft::Json, Some(lead));
    }
    if !is_closed {
        return guesses;
    }
    for (open, close) in marker::parameters(&filled) {
        add(ArgumentsDraft::Parameters { open, close, strip: "one_newline", rules: Vec::new() }, None);
    }
    for separator in [":", "="] {
        if most(filled.iter().filter(|body| is_lines(body, separator)).count()) {
            add(ArgumentsDraft::Lines { separator }, None);
        }
    }
    if most(filled.iter().filter(|body| is_nested(body)).count()) {
        add(ArgumentsDraft::Yaml, None);
    }
    add(ArgumentsDraft::Text, None);
    guesses
}

/// The same short text before a JSON object in all bodies.
fn lead(bodies: &[&str]) -> Option<String> {
    const LONGEST: usize = 40;
    let lead = |body: &&str| body.find('{').filter(|&at| at <= LONGEST).map(|at| body[..at].trim_end().to_owned());
    let first = bodies.first().and_then(lead)?;
    (!first.is_empty() && bodies.iter().all(|body| lead(body).as_deref() == Some(&first))).then_some(first)
}

/// True if each line is a key and a value, with the separator between them.
fn is_lines(body: &str, separator: &str) -> bool {
    body.lines().filter(|line| !line.trim().is_empty()).all(|line| {
        let pair = line.trim().split_once(separator);
        // Several pairs on one line are another notation.
        pair.is_some_and(|(key, value)| marker::is_name(key.trim()) && !(separator == "=" && is_pairs(value)))
    })
}

/// True if another `key=` follows after whitespace.
fn is_pairs(value: &str) -> bool {
    value.split_whitespace().skip(1).any(|word| word.split_once('=').is_some_and(|(key, _)| marker::is_name(key)))
}

/// True if it looks like YAML with more than one level.
fn is_nested(body: &str) -> bool {
    let first = body.lines().next().unwrap_or_default();
    let begins = first.split_once(':').is_some_and(|(key, _)| marker::is_name(key.trim()));
    begins && body.lines().skip(1).any(|line| line.starts_with("  ") || line.trim_start().starts_with("- "))
}
