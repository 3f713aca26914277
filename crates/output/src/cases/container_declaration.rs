//! Tests declarations of containers by their examples.

use crate::container::declared::{ContainerDeclaration, ContainerExample};
use crate::container::facts::Fact;
use crate::container::{Batch, Container, ContainerEvent, ContainerInfo, ContainerReader, MessagePart, read};
use crate::diagnostic::{Code, Diagnostic};

/// The result of testing a declaration.
#[derive(Debug, Default)]
pub struct ContainerReport {
    /// Faults of the declaration and of its examples, with spans in it.
    pub problems: Vec<Diagnostic>,
    /// The container, unless the declaration has faults.
    pub container: Option<&'static ContainerInfo>,
    /// Number of examples that the declaration has, each tested.
    pub texts: usize,
}

/// Parses a declaration and reads each of its examples, whole and byte by byte.
pub fn check(yaml: &str) -> ContainerReport {
    let declaration = match ContainerDeclaration::parse(yaml) {
        Ok(declaration) => declaration,
        Err(problems) => return ContainerReport { problems, ..ContainerReport::default() },
    };
    let examples = declaration.examples.clone();
    let container = declaration.container();
    let problems = examples.iter().flat_map(|example| differences(container, example)).collect();
    ContainerReport { problems, container: Some(container), texts: examples.len() }
}

/// Differences between an example and what its declaration reads in it.
fn differences(container: &'static ContainerInfo, example: &ContainerExample) -> Vec<Diagnostic> {
    let fault = |message: String| Diagnostic::new(Code::InvalidDeclaration, example.place, message);
    let known = Container::among(&[container]);
    let (whole, reader) = read(known, example.text.as_bytes());
    let found = reader.choice().map_or("nothing", |choice| choice.about.name);
    if found != container.name {
        let message = format!("the example is read as {found}: detect does not fit one of its first records");
        return vec![fault(message)];
    }
    let mut faults = Vec::new();
    let mut pieces = ContainerReader::new(known);
    let mut events = Vec::new();
    for byte in example.text.as_bytes() {
        events.extend(pieces.push(&[*byte]).events);
    }
    events.extend(pieces.finish().events);
    if events != whole.events {
        faults.push(fault("the example is read otherwise if it arrives byte by byte".to_owned()));
    }
    for (name, expected) in &example.expected {
        let found = number_of(name, &whole);
        if found != *expected {
            faults.push(fault(format!("{name}: {expected} expected, {found} found")));
        }
    }
    faults
}

fn number_of(name: &str, batch: &Batch) -> usize {
    let counts = |event: &&ContainerEvent| match event {
        ContainerEvent::Message(_) => name == "messages",
        ContainerEvent::Begin { part: MessagePart::Call(_), .. } => name == "calls",
        ContainerEvent::Begin { part: MessagePart::Result(_), .. } => name == "results",
        ContainerEvent::Fact(fact) => name == "requests" && matches!(**fact, Fact::Request(_)),
        ContainerEvent::Problem { .. } => name == "problems",
        _ => false,
    };
    batch.events.iter().filter(counts).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_of_declarations_and_examples_are_reported_with_a_remedy() {
        const HEAD: &str =
            "container: a\ndetect: {kind: turn}\nrecords: [{when: {kind: turn}, role: user, content: text}]\n";
        for (rest, expected) in [
            (r#"examples: [{text: '{"kind": "turn", "text": "Hi"}', messages: 1, calls: 0}]"#, ""),
            (r#"examples: [{text: '{"kind": "turn", "text": "Hi"}', messages: 2}]"#, "messages: 2 expected, 1 found"),
            (r#"examples: [{text: '{"kind": "other"}'}]"#, "the example is read as plain: detect does not fit"),
            ("stram: [a]", "unknown: stram; it can be: "),
            ("blocks: [{when: {type: a}}]", "a rule that shows nothing; if that is meant, write skip: true"),
            ("blocks: [{at: a, each: b, content: c}]", "at and each in one rule"),
            ("roles: {a: robot}", "roles: unknown: robot; it can be: assistant"),
        ] {
            let report = check(&format!("{HEAD}{rest}\n"));
            let told: Vec<_> = report.problems.iter().map(|problem| problem.message.as_str()).collect();
            assert_eq!(told.is_empty(), expected.is_empty(), "{rest}: {told:?}");
            assert!(told.is_empty() || told.iter().any(|message| message.starts_with(expected)), "{rest}: {told:?}");
        }
        assert!(check("container: a\nrecords: [{role: user, content: a}]").container.is_none(), "detect is missing");
    }
}
