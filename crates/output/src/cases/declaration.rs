//! Tests a declaration of a dialect: its examples are cases, and other dialects must not conflict with it.
//!
//! Each example is read by its dialect alone: as a whole, byte by byte and in random pieces. The result is written and
//! read again. Then every other dialect reads it, and this one reads the examples of the others. Every deviation
//! becomes a problem with a span in the YAML.

use std::sync::Arc;

use super::{Case, run};
use crate::compare::{self, CallFacts, Part, PartChange, RowKind};
use crate::config::ReadOptions;
use crate::container::Container;
use crate::convert::{Calls, LossKind};
use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::dialect::declared::{self, Declaration, Example, ExpectedCall, ReadMode, index};
use crate::dialect::{self, DialectInfo, Options};
use crate::session::Session;
use crate::text::Span;

/// Result of testing a declaration.
#[derive(Clone, Debug, Default)]
pub struct DeclarationReport {
    /// The declaration, if it is valid.
    pub declaration: Option<Arc<Declaration>>,
    /// Problems, with spans in the YAML.
    pub problems: Vec<Diagnostic>,
    /// Number of texts read: `example`, and those in `examples`.
    pub texts: usize,
    /// Number of calls in them.
    pub calls: usize,
}

/// Parses a declaration and tests it together with the dialects of `options`.
pub fn check(yaml: &str, options: &Options) -> DeclarationReport {
    let declaration = match declared::read(yaml, "imported") {
        Ok(declaration) => Arc::new(declaration),
        Err(problems) => return DeclarationReport { problems, ..DeclarationReport::default() },
    };
    let mut options = Options { only: Vec::new(), additional: Vec::new(), ..options.clone() };
    options.declared.retain(|known| known.info.name != declaration.info.name);
    options.declared.insert(0, Arc::clone(&declaration));
    let mut tested = Tested { declaration: &declaration, options, problems: Vec::new(), calls: 0 };
    let leading = Example {
        text: declaration.info.example.to_owned(),
        calls: Vec::new(),
        problems: Vec::new(),
        place: member(yaml, "example"),
    };
    tested.example("example", &leading, Expectation::SomeCall);
    for (number, example) in declaration.examples.iter().enumerate() {
        tested.example(&format!("examples {}", number + 1), example, Expectation::Declared);
    }
    tested.ambiguities();
    let Tested { mut problems, calls, .. } = tested;
    problems.sort_by_key(|problem| problem.span);
    let texts = declaration.examples.len() + 1;
    DeclarationReport { problems, texts, calls, declaration: Some(declaration) }
}

/// Expected content of a text.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Expectation {
    SomeCall,
    /// The calls declared with it.
    Declared,
}

/// Kind of conflict between a declaration and another dialect.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Overlap {
    /// The other dialect takes calls of its examples.
    Loses,
    /// It takes the call of the other dialect's example.
    Wins,
    /// The other dialect could read its examples, but has lower priority.
    Shares,
}

struct Tested<'a> {
    declaration: &'a Declaration,
    /// All known dialects.
    options: Options,
    problems: Vec<Diagnostic>,
    calls: usize,
}

impl Tested<'_> {
    fn alone(&self, info: &'static DialectInfo) -> Options {
        Options { only: vec![info], ..self.options.clone() }
    }

    fn fault(&mut self, span: Span, message: String) -> &mut Diagnostic {
        self.problems.push(Diagnostic::new(Code::ExampleMismatch, span, message));
        self.problems.last_mut().expect("it was just added")
    }

    /// Span in the YAML of a line of an example, counted from 1; of the example's first line if the text is not found
    /// verbatim.
    fn place(&self, example: &Example, line: usize) -> Span {
        let yaml = &*self.declaration.source;
        let mut from = example.place.start;
        let mut found = None;
        for text in example.text.lines().take(line).map(str::trim) {
            found = yaml.get(from..).and_then(|rest| rest.find(text)).filter(|_| !text.is_empty()).map(|at| {
                let start = from + at;
                from = start + text.len();
                Span::new(start, from)
            });
        }
        found.unwrap_or_else(|| Span::new(example.place.start, line_end(yaml, example.place.start)))
    }

    fn example(&mut self, what: &str, example: &Example, expectation: Expectation) {
        let options = self.alone(self.declaration.info);
        let session = read(&example.text, &options);
        let found: Vec<(usize, CallFacts)> = session
            .document()
            .calls()
            .filter_map(|item| {
                let start = session.document().call(item)?.span.start;
                Some((session.position(start).line, compare::facts(&session, item)?))
            })
            .collect();
        self.calls += found.len();
        let before = self.problems.len();
        match expectation {
            Expectation::SomeCall if found.is_empty() => {
                let start = self.place(example, 1);
                self.fault(start, format!("{what}: no call found")).help =
                    crate::diagnostic::Help::OfPlace("compare its first line with the marker under call: open".into());
            }
            Expectation::SomeCall => {}
            Expectation::Declared => self.compare_calls(what, example, &found),
        }
        self.compare_problems(what, example, &session);
        let case = Case { text: example.text.clone().into_bytes(), container: Container::plain(), options };
        for cut in run(&case, ReadOptions::default(), None).cuts {
            let start = self.place(example, 1);
            self.fault(start, format!("{what}: the result depends on how the text is split: {cut}"));
        }
        // A malformed text is not written back in the same form.
        if before == self.problems.len() && example.problems.is_empty() {
            self.write_again(what, example, &session, &found);
        }
    }

    fn compare_calls(&mut self, what: &str, example: &Example, found: &[(usize, CallFacts)]) {
        let name = self.declaration.info.name;
        let facts: Vec<CallFacts> = found.iter().map(|(_, facts)| facts.clone()).collect();
        let expected: Vec<CallFacts> = example.calls.iter().map(|call| expected_facts(call, name)).collect();
        for row in compare::rows(expected.as_slice(), facts.as_slice()) {
            let line = row.right.map_or(1, |right| found[right].0);
            let place = self.place(example, line);
            match (row.kind(), row.left, row.right) {
                (RowKind::Left, Some(left), _) => {
                    let tool = &expected[left].name;
                    let words = format!("{what}: declared call {} of {tool} not found", left + 1);
                    self.fault(place, words).expected = Some(format!("a call of {tool}"));
                }
                (RowKind::Right, _, Some(right)) => {
                    let tool = &facts[right].name;
                    let words = format!("{what}, line {line}: unexpected call of {tool}");
                    self.fault(place, words).found = Some(format!("a call of {tool}"));
                }
                (_, Some(left), _) => {
                    for change in row.changes.into_iter().filter(|change| counts(change, &example.calls[left])) {
                        let shown = |value: Option<serde_json::Value>| {
                            value.map_or_else(|| "nothing".to_owned(), |value| value.to_string())
                        };
                        let (part, tool) = (change.part.words(), &expected[left].name);
                        let words = format!("{what}, line {line}: {part} of call {} of {tool} differs", left + 1);
                        let problem = self.fault(place, words);
                        problem.expected = Some(shown(change.old));
                        problem.found = Some(shown(change.new));
                    }
                }
                _ => {}
            }
        }
    }

    fn compare_problems(&mut self, what: &str, example: &Example, session: &Session) {
        let found: Vec<Diagnostic> = session.document().sorted_diagnostics().collect();
        let codes: Vec<&str> = found.iter().map(|problem| problem.code.name()).collect();
        if codes == example.problems {
            return;
        }
        let unexpected = found.iter().find(|problem| !example.problems.iter().any(|code| code == problem.code.name()));
        let line = unexpected.or(found.first()).map_or(1, |problem| session.position(problem.span.start).line);
        let words = match unexpected {
            Some(problem) => format!("{what}, line {line}: {}: {}", problem.code.name(), problem.message),
            None => format!("{what}: problems differ from the declared ones"),
        };
        let listed = |codes: &[&str]| if codes.is_empty() { "no problems".to_owned() } else { codes.join(", ") };
        let declared: Vec<&str> = example.problems.iter().map(String::as_str).collect();
        let (expected, found) = (listed(&declared), listed(&codes));
        let place = self.place(example, line);
        let problem = self.fault(place, words);
        problem.expected = Some(expected);
        problem.found = Some(found);
    }

    fn write_again(&mut self, what: &str, example: &Example, session: &Session, found: &[(usize, CallFacts)]) {
        let losses = Calls::in_their_text(session).convert(self.declaration.info, &self.alone(self.declaration.info));
        for loss in losses.losses {
            let words = match &loss.what {
                LossKind::Call => "is no longer read as a call".to_owned(),
                LossKind::Extra => "yields another call".to_owned(),
                LossKind::Refused(words) => format!("is rejected: {words}"),
                LossKind::Unterminated => "has no end".to_owned(),
                LossKind::Part(PartChange { part, .. }) => format!("has another {}", part.words()),
            };
            let line = found.get(loss.call).map_or(loss.line, |(line, _)| *line);
            let place = self.place(example, line);
            let words = format!("{what}, line {line}: written back, the call of {} {words}", loss.name);
            let problem = self.fault(place, words);
            if let LossKind::Part(PartChange { old, new, .. }) = loss.what {
                problem.expected = old.map(|value| value.to_string());
                problem.found = new.map(|value| value.to_string());
            }
        }
    }

    /// Reports other dialects that can read calls of the examples, or whose calls this one can read, and which dialect
    /// wins.
    fn ambiguities(&mut self) {
        let own = self.declaration.info;
        let mut others: Vec<&'static DialectInfo> = dialect::all().collect();
        for given in &self.options.declared {
            others.retain(|other| other.name != given.info.name);
            others.push(given.info);
        }
        others.retain(|other| other.name != own.name);
        let texts = std::iter::once(own.example).chain(self.declaration.examples.iter().map(|example| &*example.text));
        let texts: Vec<String> = texts.map(str::to_owned).collect();
        let together = Options { additional: vec![own], ..self.options.clone() };
        let winners: Vec<&str> = texts.iter().flat_map(|text| dialects_in(&read(text, &together))).collect();
        // Dialects with the same conflict for the same reason share a problem.
        let mut groups: Vec<(Overlap, &str, Vec<&str>)> = Vec::new();
        for other in others {
            let alone = self.alone(other);
            let claims = texts.iter().any(|text| !dialects_in(&read(text, &alone)).is_empty());
            // Native JSON at the beginning of a line only serves as a fallback, and dialects that must be named
            // conflict with none.
            let is_fallback = other.name == dialect::native::ABOUT.name || self.reading(other) == ReadMode::Named;
            let (overlap, reason) = match (winners.contains(&other.name), self.takes_from(other)) {
                (true, _) => (Overlap::Loses, self.reason(other)),
                (_, true) => (Overlap::Wins, self.reason(own)),
                _ if claims && !is_fallback => (Overlap::Shares, self.reason(own)),
                _ => continue,
            };
            match groups.iter_mut().find(|group| (group.0, group.1) == (overlap, reason)) {
                Some((.., names)) => names.push(other.name),
                None => groups.push((overlap, reason, vec![other.name])),
            }
        }
        for (overlap, reason, names) in groups {
            let names = names.join(", ");
            let (severity, message) = match overlap {
                Overlap::Loses => (Severity::Warning, format!("calls of its examples are read as {names}: {reason}")),
                Overlap::Wins => (Severity::Warning, format!("it takes calls of {names}: {reason}")),
                Overlap::Shares => {
                    (Severity::Hint, format!("its examples can be read as {names}; {} wins: {reason}", own.name))
                }
            };
            let place = member(&self.declaration.source, "dialect");
            self.problems.push(Diagnostic::new(Code::AmbiguousDialect, place, message).with_severity(severity));
        }
    }

    /// True if the declaration takes the call in another dialect's example when both are read in their usual modes.
    fn takes_from(&self, other: &'static DialectInfo) -> bool {
        let own = self.declaration.info.name;
        !dialects_in(&read(other.example, &self.alone(self.declaration.info))).is_empty()
            && dialects_in(&read(other.example, &self.options)).contains(&own)
    }

    /// The mode in which a dialect is read unless it is named.
    fn reading(&self, info: &DialectInfo) -> ReadMode {
        let given = self.options.given(info.name).map(|given| given.reading);
        given.or_else(|| Some(index::embedded(info.name)?.reading)).unwrap_or(ReadMode::Always)
    }

    /// The reason why a dialect takes precedence.
    fn reason(&self, winner: &DialectInfo) -> &'static str {
        let given = self.options.given(winner.name);
        match given.map(|given| given.reading) {
            Some(ReadMode::Repeated) => {
                "it is read starting at the second call, and takes precedence over built-in declarations"
            }
            Some(_) => "user dialects take precedence over built-in declarations",
            None if index::embedded(winner.name).is_some() => "its marker begins earlier in the text",
            None => "it is tried before all declared dialects",
        }
    }
}

/// True if a change concerns a part that the example specifies.
fn counts(change: &PartChange, call: &ExpectedCall) -> bool {
    match change.part {
        Part::Name | Part::Parameter(_) => true,
        Part::Id => call.id.is_some(),
        _ => false,
    }
}

fn expected_facts(call: &ExpectedCall, dialect: &str) -> CallFacts {
    CallFacts {
        dialect: dialect.to_owned(),
        name: call.name.clone(),
        id: call.id.clone(),
        parameters: call.arguments.clone(),
        ..CallFacts::default()
    }
}

fn read(text: &str, options: &Options) -> Session {
    let mut session = Session::new(Container::plain(), options);
    session.push(text.as_bytes());
    session.finish();
    session
}

/// The dialects of a session's calls.
fn dialects_in(session: &Session) -> Vec<&'static str> {
    let document = session.document();
    document.calls().filter_map(|item| Some(document.call(item)?.dialect)).collect()
}

/// Line of a top-level member in the YAML; its first line if the member is not found.
fn member(yaml: &str, name: &str) -> Span {
    let mut at = 0;
    for line in yaml.split_inclusive('\n') {
        if line.strip_prefix(name).is_some_and(|rest| rest.starts_with(':')) {
            return Span::new(at, at + line.trim_end().len());
        }
        at += line.len();
    }
    Span::new(0, line_end(yaml, 0))
}

fn line_end(yaml: &str, from: usize) -> usize {
    yaml.get(from..).and_then(|rest| rest.find('\n')).map_or(yaml.len(), |length| from + length)
}
