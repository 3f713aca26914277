//! Text in members that a container does not know is shown or reported: no message and no file seems empty without a
//! problem.
//!
//! Every sample is read with each of its keys renamed in turn, as a newer version of its program may have it.

use std::collections::BTreeSet;

use transcope::container::{Batch, Container, ContainerEvent, MessagePart, REGISTRY, read};
use transcope::diagnostic::Code;
use transcope::dialect::Options;
use transcope::session::Session;

use super::containers::samples;

/// Keys of the members in a file.
fn keys(text: &str) -> BTreeSet<&str> {
    let mut keys = BTreeSet::new();
    let mut quotes = text.match_indices('"').map(|(at, _)| at).collect::<Vec<_>>().into_iter();
    while let (Some(start), Some(end)) = (quotes.next(), quotes.next()) {
        let is_key = text[end + 1..].trim_start().starts_with(':');
        if is_key && text[start + 1..end].bytes().all(|byte| byte.is_ascii_alphanumeric() || b"_.$".contains(&byte)) {
            keys.insert(&text[start + 1..end]);
        }
    }
    keys
}

/// Number of messages without a piece.
fn empty_messages(batch: &Batch) -> usize {
    let mut empty = 0;
    let mut is_open = false;
    for event in &batch.events {
        match event {
            ContainerEvent::Message(_) => empty += usize::from(std::mem::replace(&mut is_open, true)),
            ContainerEvent::Begin { .. } => is_open = false,
            _ => {}
        }
    }
    empty + usize::from(is_open)
}

fn has_problem(batch: &Batch) -> bool {
    batch.events.iter().any(|event| matches!(event, ContainerEvent::Problem { .. }))
}

/// True if a problem with the conversation of a file is reported, such as a result whose call is lost.
fn is_reported(container: Container, text: &str) -> bool {
    let mut session = Session::new(container, &Options::default());
    session.push(text.as_bytes());
    session.finish();
    !session.document().diagnostics().is_empty()
}

#[test]
fn a_message_whose_words_are_under_unknown_keys_is_reported() {
    let mut faults = Vec::new();
    let mut count = 0;
    for (kind, name, bytes) in samples() {
        let Ok(text) = String::from_utf8(bytes) else { continue };
        let asked = Container::named(&kind).expect("folders are named after containers");
        let whole = read(asked, text.as_bytes()).0;
        let known = empty_messages(&whole);
        for key in keys(&text) {
            let renamed = text.replace(&format!("\"{key}\""), &format!("\"{key}_v2\""));
            let (batch, _) = read(asked, renamed.as_bytes());
            count += 1;
            let is_less = batch.text.len() < whole.text.len() && empty_messages(&batch) > known;
            if is_less && !has_problem(&batch) && !is_reported(asked, &renamed) {
                faults.push(format!("{kind}/{name}: messages without {key:?}"));
            }
        }
    }
    assert!(faults.is_empty(), "{} of {count}:\n{}", faults.len(), faults.join("\n"));
    assert!(count > 1000, "only {count} keys were renamed");
}

#[test]
fn a_file_of_which_nothing_is_shown_is_reported_in_every_container() {
    let records = "{\"zz\": \"There are words in this record.\"}\n{\"zz\": {\"yy\": [\"And in this one.\"]}}\n";
    let events = "data: {\"zz\": \"There are words in this event.\"}\n\n";
    for about in REGISTRY {
        for text in [records, events] {
            let asked = Container::named(about.name).expect("it is known by its name");
            let (batch, _) = read(asked, text.as_bytes());
            let is_shown = batch.events.iter().any(|event| matches!(event, ContainerEvent::Begin { .. }));
            assert!(is_shown || has_problem(&batch), "{}: {text}", about.name);
        }
    }
    let header = "{\"type\":\"thread.started\",\"thread_id\":\"t1\"}\n";
    let dropped = "{\"name\":\"chat m\",\"traceId\":\"t\",\"attributes\":{\"gen_ai.system\":\"x\",\"my.words\":\"Who is it?\"}}\n";
    for (text, severity) in [(header, "hint"), (dropped, "warning")] {
        let (batch, _) = read(Container::default(), text.as_bytes());
        let found: Vec<_> = batch
            .events
            .iter()
            .filter_map(|event| match event {
                ContainerEvent::Problem { diagnostic, .. } => Some((diagnostic.code, diagnostic.severity.word())),
                _ => None,
            })
            .collect();
        assert_eq!(found, [(Code::NothingShown, severity)], "{text}");
    }
}

#[test]
fn an_empty_message_is_not_a_problem() {
    let files = [
        // A signed thought without text for a reader.
        r#"{"type":"assistant","sessionId":"s","uuid":"u","cwd":"/home/my name","message":{"id":"m","role":"assistant","content":[{"type":"thinking","thinking":"","signature":"EqQBCkYIBRgC"}]}}"#,
        r#"{"messages":[{"role":"user","content":"Who?"},{"role":"assistant","content":""}]}"#,
    ];
    for text in files {
        let (batch, _) = read(Container::default(), text.as_bytes());
        let reported = batch.events.iter().any(|event| {
            matches!(event, ContainerEvent::Problem { diagnostic, .. } if diagnostic.code == Code::UnknownRecord)
        });
        let is_shown = |piece: &MessagePart| matches!(piece, MessagePart::Envelope(_));
        let has_envelope =
            batch.events.iter().any(|event| matches!(event, ContainerEvent::Begin { part, .. } if is_shown(part)));
        assert!(!reported && !has_envelope, "{text}");
    }
}
