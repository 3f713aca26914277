//! The terms of a filter: their meaning and their syntax.

use std::cmp::Ordering;
use std::time::Duration;

use super::facts::{SessionPart, TimeTest, TurnTest};
use super::fault::FilterError;
use super::lexer::Letter;
use super::pattern::Pattern;
use super::session_time;
use crate::diagnostic::{Code, Severity};
use crate::dialect;
use crate::document::{ItemType, MessageRole};
use crate::text::line_regex::LetterCase;
use crate::text::{Span, typo};

/// A predicate on an item, or on the call that it belongs to.
#[derive(Clone, Debug)]
pub(super) enum Term {
    Failed,
    Rejected,
    Skipped,
    Open,
    HasResult,
    HasNote,
    Tool(Pattern),
    Id(Pattern),
    Dialect(&'static str),
    Role(MessageRole),
    Is(ItemType),
    IsPart(SessionPart),
    Turn(TurnTest),
    Time(TimeTest),
    Took(Vec<Ordering>, Duration),
    Agent(Pattern),
    Dependencies(Vec<Ordering>, usize),
    Problem(ProblemTest),
    Argument(ArgumentTest),
    Text(Pattern),
}

/// The data that a term needs, cheapest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Cost {
    /// Only records in memory.
    Known,
    /// A name or an id.
    Name,
    /// A text, or a dissected call.
    Text,
}

impl Term {
    pub(super) fn cost(&self) -> Cost {
        match self {
            Term::Tool(_) | Term::Id(_) | Term::Agent(_) | Term::Took(..) => Cost::Name,
            Term::Argument(_) | Term::Text(_) => Cost::Text,
            _ => Cost::Known,
        }
    }
}

/// The problems that a term tests for.
#[derive(Clone, Debug)]
pub(super) enum ProblemTest {
    Any,
    Severity(Severity),
    Codes(Vec<Code>),
}

impl ProblemTest {
    pub(super) fn holds(&self, code: Code, severity: Severity) -> bool {
        match self {
            ProblemTest::Any => severity > Severity::Note,
            ProblemTest::Severity(wanted) => severity == *wanted,
            ProblemTest::Codes(codes) => codes.contains(&code),
        }
    }
}

/// A parameter and the test of its value.
#[derive(Clone, Debug)]
pub(super) struct ArgumentTest {
    /// The keys from the root to it.
    pub(super) path: Vec<String>,
    pub(super) value: ValueTest,
}

#[derive(Clone, Debug)]
pub(super) enum ValueTest {
    Exists,
    Equals(String),
    Contains {
        pattern: Pattern,
        /// True if the pattern has no whitespace, at which lines are joined: then a value that contains it has it
        /// verbatim in the raw text, unless something is escaped.
        is_one_word: bool,
    },
}

/// Terms of one word, each with what it selects.
pub(super) const PLAIN: [(&str, &str); 4] = [
    ("failed", "calls whose result is an error, and those results"),
    ("rejected", "calls that the runtime rejects"),
    ("skipped", "calls that would not run: a dependency is missing, circular or fails"),
    ("open", "calls without a result, or still arriving"),
];

/// Terms with a value, each with what it selects.
pub(super) const NAMED: [(&str, &str); 14] = [
    ("tool:", "calls of this tool; * stands for anything"),
    ("arg:", "calls with this parameter: arg:path, arg:path=x, arg:path~part, arg:items/0/name"),
    ("code:", "items with this problem; * stands for anything"),
    ("dep", "calls by the number of their dependencies: dep>2"),
    ("dialect:", "calls in this dialect"),
    ("has:", "items with a problem, an error, a result …"),
    ("id:", "the call with this id; * stands for anything"),
    ("is:", "items of this kind"),
    ("role:", "messages with this role"),
    ("turn:", "items of this turn: turn:3, turn:2..5, turn:last"),
    ("took", "calls by how long they took: took>10s"),
    (
        "agent:",
        "messages of this sub-agent, and the call that started it, by kind, id or description; * stands for anything",
    ),
    (
        "after:",
        "items since this time: after:2026-01-31T10:00, or after:5m for five minutes after the first time in the file",
    ),
    ("before:", "items before this time, as with after:"),
];

/// Terms that compare a number, each with an example.
pub(super) const COMPARISONS: [(&str, &str); 2] = [("dep", "dep>2"), ("took", "took>10s")];

/// Operators between and before terms, each with its meaning.
pub(super) const OPERATORS: [(&str, &str); 3] =
    [("not", "the opposite of a term"), ("and", "both terms; may be left out"), ("or", "either term")];

/// Values of `has:`, each with what it selects.
pub(super) const HAS: [(&str, &str); 6] = [
    ("problem", "items with a problem"),
    ("error", "items with an error"),
    ("warning", "items with a warning"),
    ("hint", "items with a hint"),
    ("result", "calls with a result"),
    ("note", "items with a note of yours"),
];

/// Values of `is:` that are kinds of items, each with what it selects.
pub(super) const KINDS: [(ItemType, &str); 5] = [
    (ItemType::Call, "calls without their results"),
    (ItemType::Result, "results without their calls"),
    (ItemType::Text, "prose"),
    (ItemType::Reasoning, "reasoning of the model"),
    (ItemType::Envelope, "records outside the conversation"),
];

/// Values of `is:` that are parts of a session, each with what it selects.
pub(super) const PARTS: [(SessionPart, &str); 3] = [
    (SessionPart::Compaction, "messages that report a context compaction"),
    (SessionPart::Subagent, "messages of sub-agents in this file, and calls that start one"),
    (SessionPart::Turn, "prompts that begin a turn"),
];

/// Values of `role:`, each with what it selects.
pub(super) const ROLES: [(MessageRole, &str); 4] = [
    (MessageRole::User, "messages of the user"),
    (MessageRole::Assistant, "messages of the model, and the results of its calls"),
    (MessageRole::Tool, "results of tools"),
    (MessageRole::System, "instructions to the model"),
];

/// All terms on one line, for error messages.
pub(super) fn all_terms() -> String {
    let plain = PLAIN.iter().map(|(word, _)| (*word).to_owned());
    let named = NAMED.iter().map(|(word, _)| if word.ends_with(':') { word } else { example(word) }.to_owned());
    plain.chain(named).chain(["/regex/".to_owned(), "\"text\"".to_owned()]).collect::<Vec<_>>().join(", ")
}

/// Parses a word of the expression as a term.
///
/// # Errors
/// An unknown name before a colon, or an invalid value.
pub(super) fn from_word(letters: &[Letter], span: Span) -> Result<Term, FilterError> {
    let word = text_of(letters);
    let is_plain = letters.iter().all(|letter| !letter.quoted);
    match word.as_str() {
        "failed" if is_plain => return Ok(Term::Failed),
        "rejected" if is_plain => return Ok(Term::Rejected),
        "skipped" if is_plain => return Ok(Term::Skipped),
        "open" if is_plain => return Ok(Term::Open),
        _ => {}
    }
    if let Some(name) = compared_name(letters) {
        return comparison(name, &letters[name.len()..], span);
    }
    match letters.iter().position(|letter| letter.is(':')) {
        Some(at) if letters[..at].iter().all(|letter| !letter.quoted) => {
            named(&text_of(&letters[..at]).to_lowercase(), &letters[at + 1..], &letters[..=at], span)
        }
        _ if word.contains(['\n', '\r']) => {
            Err(FilterError::new(span, "text spans several lines", "search for part of one line"))
        }
        _ if word.is_empty() => Err(FilterError::new(span, "empty text", "write the text to search for")),
        _ => Pattern::words(&word).map(Term::Text).map_err(|words| FilterError::new(span, words, "shorten it")),
    }
}

/// A regular expression that is searched for in the text.
///
/// # Errors
/// It is invalid, or too large.
pub(super) fn from_regex(pattern: &str, any_case: bool, span: Span) -> Result<Term, FilterError> {
    if pattern.is_empty() {
        return Err(FilterError::new(span, "empty regular expression", "write a pattern between the slashes"));
    }
    let case = if any_case { LetterCase::Any } else { LetterCase::Smart };
    Pattern::regex(pattern, case).map(Term::Text).map_err(|words| {
        let help = "escape what is meant literally with \\, or quote the text";
        FilterError::new(span, format!("invalid regular expression: {words}"), help)
    })
}

pub(super) fn text_of(letters: &[Letter]) -> String {
    letters.iter().map(|letter| letter.c).collect()
}

/// The name before the comparison in `dep>2`.
fn compared_name(letters: &[Letter]) -> Option<&'static str> {
    let is_name = |name: &str| letters.iter().zip(name.chars()).all(|(letter, c)| letter.is_any_case(c));
    let is_compared = |name: &str| letters.get(name.len()).is_some_and(|letter| "<>=".chars().any(|c| letter.is(c)));
    COMPARISONS.into_iter().map(|(name, _)| name).find(|name| is_name(name) && is_compared(name))
}

fn comparison(name: &str, letters: &[Letter], span: Span) -> Result<Term, FilterError> {
    let words = text_of(letters);
    let operators: [(&str, &[Ordering]); 5] = [
        (">=", &[Ordering::Greater, Ordering::Equal]),
        ("<=", &[Ordering::Less, Ordering::Equal]),
        (">", &[Ordering::Greater]),
        ("<", &[Ordering::Less]),
        ("=", &[Ordering::Equal]),
    ];
    let known = operators.into_iter().find_map(|(operator, orders)| Some((words.strip_prefix(operator)?, orders)));
    let parsed = known.and_then(|(figure, orders)| match name {
        "took" => Some(Term::Took(orders.to_vec(), session_time::duration(figure)?)),
        _ => Some(Term::Dependencies(orders.to_vec(), figure.parse().ok()?)),
    });
    parsed.ok_or_else(|| {
        let span = letters.first().map_or(span, |first| first.span.cover(span_of(letters, first.span)));
        let figure = if name == "took" { "a duration in ms, s, m or h" } else { "a number" };
        let help = format!("write {figure} after >, >=, =, <= or <: {}", example(name));
        FilterError::new(span, "not a comparison", help)
    })
}

fn span_of(letters: &[Letter], otherwise: Span) -> Span {
    letters.iter().map(|letter| letter.span).reduce(Span::cover).unwrap_or(otherwise)
}

/// Parses a term with a name and a value; `head` is the name with its colon.
fn named(name: &str, value: &[Letter], head: &[Letter], span: Span) -> Result<Term, FilterError> {
    let place = span_of(value, Span::at(span.end));
    let known = NAMED.iter().any(|(known, _)| known.trim_end_matches(':') == name);
    if let Some((name, example)) = COMPARISONS.into_iter().find(|(known, _)| *known == name) {
        let figure = if name == "took" { "duration" } else { "number of dependencies" };
        let (message, help) = (format!("{name} takes no colon"), format!("compare the {figure}: {example}"));
        return Err(FilterError::new(span_of(head, span), message, help));
    }
    if known && value.is_empty() {
        let message = format!("{name}: without a value");
        return Err(FilterError::new(place, message, format!("write it directly after the colon: {}", example(name))));
    }
    let unfit = |words: String| FilterError::new(place, words, "shorten it");
    match name {
        "tool" => Pattern::name(value, true).map(Term::Tool).map_err(unfit),
        "id" => Pattern::name(value, false).map(Term::Id).map_err(unfit),
        "agent" => Pattern::name(value, true).map(Term::Agent).map_err(unfit),
        "turn" => {
            let word = text_of(value);
            TurnTest::parse(&word).map(Term::Turn).ok_or_else(|| {
                let help = "write a number from 1, a range or last: turn:3, turn:2..5, turn:last";
                FilterError::new(place, format!("not a turn: {word:?}"), help)
            })
        }
        "after" | "before" => {
            let word = text_of(value);
            TimeTest::parse(&word, name == "after").map(Term::Time).map_err(|_| {
                let help = format!(
                    "write a date, a time or how long after the first time in the file: \
                     {name}:2026-01-31, {name}:2026-01-31T10:00, {name}:5m"
                );
                FilterError::new(place, format!("not a time: {word:?}"), help)
            })
        }
        "code" => code(value, place),
        "arg" => argument(value, place),
        "has" => {
            let word = choice("has", value, place, &HAS.map(|(word, _)| word))?;
            Ok(match word {
                "error" => Term::Problem(ProblemTest::Severity(Severity::Error)),
                "warning" => Term::Problem(ProblemTest::Severity(Severity::Warning)),
                "hint" => Term::Problem(ProblemTest::Severity(Severity::Hint)),
                "result" => Term::HasResult,
                "note" => Term::HasNote,
                _ => Term::Problem(ProblemTest::Any),
            })
        }
        "is" => {
            let kinds = KINDS.map(|(kind, _)| kind.into());
            let word = choice("is", value, place, &[&kinds[..], &PARTS.map(|(part, _)| part.into())].concat())?;
            let kind = KINDS.into_iter().find(|(known, _)| word == <&str>::from(known));
            let part = PARTS.into_iter().find(|(known, _)| word == <&str>::from(known));
            Ok(part.map_or(Term::Is(kind.map_or(ItemType::Text, |(kind, _)| kind)), |(part, _)| Term::IsPart(part)))
        }
        "role" => {
            let word = text_of(value).to_lowercase();
            let role =
                MessageRole::named(&word).ok_or_else(|| unknown("role", value, place, &ROLES.map(|row| row.0.word())));
            role.map(Term::Role)
        }
        "dialect" => {
            let word = text_of(value);
            let found = dialect::known_names().into_iter().find(|name| name.eq_ignore_ascii_case(&word));
            let names = || dialect::REGISTRY.iter().map(|about| about.name).collect::<Vec<_>>();
            found.map(Term::Dialect).ok_or_else(|| unknown("dialect", value, place, &names()))
        }
        _ => {
            let names = NAMED.iter().map(|(known, _)| known.trim_end_matches(':'));
            let quoted = format!("to look for a text with a colon, quote it; the terms are: {}", all_terms());
            let help = typo::nearest(name, names).map_or(quoted, |near| format!("did you mean {}?", example(near)));
            Err(FilterError::new(span_of(head, span), format!("unknown term \"{name}:\""), help))
        }
    }
}

/// An example of a term with a value, for error messages.
fn example(name: &str) -> &'static str {
    match name {
        "tool" => "tool:Bash",
        "arg" => "arg:path~src/",
        "code" => "code:array-gap",
        "dialect" => "dialect:hermes",
        "has" => "has:error",
        "id" => "id:call_1",
        "is" => "is:call",
        "role" => "role:user",
        "turn" => "turn:3",
        "agent" => "agent:Explore",
        "after" => "after:5m",
        "before" => "before:2026-01-31",
        "took" => "took>10s",
        _ => "dep>2",
    }
}

/// Matches a value against a list of words, ignoring case.
fn choice(name: &str, value: &[Letter], place: Span, words: &[&'static str]) -> Result<&'static str, FilterError> {
    let word = text_of(value);
    let found = words.iter().find(|known| known.eq_ignore_ascii_case(&word)).copied();
    found.ok_or_else(|| unknown(name, value, place, words))
}

fn unknown(name: &str, value: &[Letter], place: Span, words: &[&'static str]) -> FilterError {
    let word = text_of(value);
    let near = typo::nearest(&word, words.iter().copied());
    let help =
        near.map_or_else(|| format!("write one of {}", words.join(", ")), |near| format!("did you mean {near}?"));
    FilterError::new(place, format!("unknown {} {word:?}", kind_of_value(name)), help)
}

fn kind_of_value(name: &str) -> &str {
    match name {
        "has" => "property",
        "is" => "kind of item",
        name => name,
    }
}

fn code(value: &[Letter], place: Span) -> Result<Term, FilterError> {
    let pattern = Pattern::name(value, true).map_err(|words| FilterError::new(place, words, "shorten it"))?;
    let codes: Vec<Code> = Code::ALL.into_iter().filter(|code| pattern.is_in(code.name())).collect();
    if codes.is_empty() {
        let word = text_of(value);
        let near = typo::nearest(&word, Code::ALL.into_iter().map(Code::name));
        let help = near.map_or("transcope explain lists them all".to_owned(), |near| format!("did you mean {near}?"));
        return Err(FilterError::new(place, format!("unknown code {word:?}"), help));
    }
    Ok(Term::Problem(ProblemTest::Codes(codes)))
}

fn argument(value: &[Letter], place: Span) -> Result<Term, FilterError> {
    let operator = value.iter().position(|letter| letter.is('~') || letter.is('='));
    let pointer = text_of(&value[..operator.unwrap_or(value.len())]);
    if pointer.is_empty() {
        let help = "write its name or pointer after the colon: arg:path~src/, arg:items/0/name";
        return Err(FilterError::new(Span::at(place.start), "arg: without a parameter", help));
    }
    let path = pointer.split('/').map(str::to_owned).collect();
    let Some(at) = operator else { return Ok(Term::Argument(ArgumentTest { path, value: ValueTest::Exists })) };
    let words = text_of(&value[at + 1..]);
    let value = if value[at].is('=') {
        ValueTest::Equals(words)
    } else if words.is_empty() {
        let help = "write what it contains, or arg:NAME alone for any value";
        return Err(FilterError::new(value[at].span, "~ without a text", help));
    } else {
        let unfit = |words: String| FilterError::new(place, words, "shorten it");
        // Invalid UTF-8 is decoded to this character in the value, not in the raw text.
        let is_one_word = !words.contains(|c: char| c.is_whitespace() || c == char::REPLACEMENT_CHARACTER);
        ValueTest::Contains { pattern: Pattern::words(&words).map_err(unfit)?, is_one_word }
    };
    Ok(Term::Argument(ArgumentTest { path, value }))
}
