//! Every sample of a container: the detected container and the reason, its messages, its text; and properties of any
//! file.
//!
//! To accept new snapshots: `INSTA_UPDATE=always cargo test`.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use transcope::container::facts::{Fact, Origin};
use transcope::container::{
    Batch, CallString, Container, ContainerEvent, ContainerReader, Message, MessagePart, NativeCall, read,
};
use transcope::dialect::Options;
use transcope::notes::sidecar::Sidecar;
use transcope::session::Session;
use transcope::text::Span;
use transcope::text::offsets::SegmentKind;
use transcope::value::Value;

use super::source_text::says;
use super::tiling::tiles;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/containers")
}

/// All samples: the name of the container, the name of the file, the bytes.
pub fn samples() -> Vec<(String, String, Vec<u8>)> {
    let mut samples = Vec::new();
    for entry in fs::read_dir(folder()).expect("the folder exists") {
        let kind = entry.expect("readable").path();
        for entry in fs::read_dir(&kind).expect("a container has a folder") {
            let path = entry.expect("readable").path();
            // A user's notes on a sample are not samples.
            if Sidecar::is_sidecar(&path) {
                continue;
            }
            let name = |path: &Path| path.file_name().expect("a name").to_string_lossy().into_owned();
            samples.push((name(&kind), name(&path), fs::read(&path).expect("a sample can be read")));
        }
    }
    samples.sort();
    assert!(samples.len() > 20, "only {} samples were found", samples.len());
    samples
}

#[test]
fn samples_are_found_by_their_content_and_read_as_before() {
    let mut faults = Vec::new();
    for (kind, name, bytes) in samples() {
        let (batch, reader) = read(Container::default(), &bytes);
        let choice = reader.choice().expect("a whole file is something");
        if choice.about.name != kind {
            faults.push(format!("{kind}/{name} is found to be {}: {}", choice.about.name, choice.reason));
            continue;
        }
        let stem = Path::new(&name).file_stem().expect("a name").to_string_lossy().into_owned();
        let outcome = format!("{}: {}\n{}", choice.about.name, choice.reason, describe(&batch));
        super::snapshot::matches(&format!("samples/containers/{kind}"), &stem, &outcome);
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn every_container_has_a_sample() {
    let samples = samples();
    let without: Vec<&str> = transcope::container::REGISTRY
        .iter()
        .map(|about| about.name)
        // A response looks like plain text.
        .filter(|name| *name != "llmist-response" && !samples.iter().any(|(kind, ..)| kind == name))
        .collect();
    assert!(without.is_empty(), "no sample: {without:?}");
}

#[test]
fn an_explicit_container_is_used() {
    let text = b"{\"type\":\"user\",\"uuid\":\"u\",\"message\":{\"role\":\"user\",\"content\":\"a\\nb\"}}\n";
    let cases =
        [("auto", "claude-code", "a\nb"), ("claude-code", "claude-code", "a\nb"), ("plain", "plain", "{\"type\"")];
    for (asked, expected, text_begins) in cases {
        let (batch, reader) = read(Container::named(asked).expect("a known name"), text);
        assert_eq!(reader.choice().expect("it is something").about.name, expected);
        assert!(batch.text.starts_with(text_begins.as_bytes()), "{asked}: {}", String::from_utf8_lossy(&batch.text));
    }
    let message = Container::named("nonsense").expect_err("there is no such container");
    assert!(
        message.starts_with("unknown container \"nonsense\"; available containers: auto, claude-code, "),
        "{message}"
    );
}

#[test]
fn a_record_is_claimed_by_what_only_its_container_has() {
    let message = r#"{"type": "message", "role": "assistant", "content": [{"type": "text", "text": "Hi."}]"#;
    let spoken = r#"{"type": "message", "role": "user", "content": "Hi."}"#;
    let call = r#"{"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"}"#;
    let answer = format!("{message}, \"stop_reason\": \"end_turn\"}}");
    let block =
        r#"{"type": "message", "role": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "f"}]}"#;
    let cases = [
        (format!("{message}}}\n{message}}}"), "openai-responses"),
        (format!("{spoken}\n{spoken}"), "openai-responses"),
        (format!("{spoken}\n{call}"), "openai-responses"),
        (answer, "anthropic"),
        (block.into(), "anthropic"),
        (call.into(), "openai-responses"),
        (r#"{"output": "x", "type": "function_call_output", "call_id": "c"}"#.into(), "openai-responses"),
        (r#"{"type": "reasoning", "encrypted_content": "g"}"#.into(), "openai-responses"),
        (
            r#"[{"role": "user", "content": "Hi."}, {"type": "function_call", "call_id": "c"}]"#.into(),
            "openai-responses",
        ),
        (r#"[{"role": "user", "content": "Hi."}]"#.into(), "openai-chat"),
        (r#"{"type": "reasoning", "text": "so"}"#.into(), "plain"),
        (r#"{"type": "telephone_call", "number": 5}"#.into(), "plain"),
        // The format is after all messages, which may be too far.
        (
            r#"{"info": {"mini_version": "2.4.6"}, "messages": [{"role": "user", "content": "Hi."}]}"#.into(),
            "swe-agent",
        ),
        (r#"{"trajectory": [{"action": [0.1, 0.2], "observation": {"x": 1}}]}"#.into(), "plain"),
        (r#"{"agent": {"name": "a"}, "steps": [{"step_id": 1, "source": "user", "message": "Hi."}]}"#.into(), "atif"),
        (r#"{"agent": "a", "steps": [{"source": "sensor"}]}"#.into(), "plain"),
        (r#"{"title": "t", "mapping": {"n": {"message": null, "children": []}}}"#.into(), "chatgpt"),
        (r#"{"title": "t", "mapping": {"n": {"message": {"fragments": [{"content": "Hi."}]}}}}"#.into(), "plain"),
        (r#"{"title": "t", "mapping": {"properties": {"name": {"type": "text"}}}}"#.into(), "plain"),
        (
            r#"{"type": "message", "message": {"role": "user", "created": 1, "content": [{"type": "text"}]}}"#.into(),
            "goose",
        ),
        (r#"{"model": "m", "input": "Who?", "temperature": 0.2}"#.into(), "openai-responses"),
        (r#"{"model": "text-embedding-3-small", "input": "Who?"}"#.into(), "plain"),
        (r#"{"model": "m", "input": "Who?", "expected": "A cat."}"#.into(), "plain"),
        (
            r#"{"model": "m", "messages": [{"role": "assistant", "content": [{"type": "thinking", "thinking": "So."}]}]}"#
                .into(),
            "anthropic",
        ),
        (
            r#"{"model": "m", "messages": [{"role": "assistant", "content": [{"type": "thinking", "thinking": [{"type": "text", "text": "So."}]}]}]}"#
                .into(),
            "openai-chat",
        ),
        (
            r#"{"model": "m", "messages": [{"role": "system", "content": "Be brief."}, {"role": "assistant", "content": [{"type": "thinking", "thinking": "So."}]}]}"#
                .into(),
            "openai-chat",
        ),
    ];
    for (text, expected) in cases {
        let (_, reader) = read(Container::default(), text.as_bytes());
        assert_eq!(reader.choice().expect("it is something").about.name, expected, "{text}");
    }
}

#[test]
fn records_of_other_programs_are_not_claimed() {
    let files = [
        r#"{"type": "message", "role": "user", "text": "hello there"}
{"type": "message", "role": "assistant", "text": "good day to you"}"#,
        // Events whose data belongs to another program.
        r#"{"type": "session.begin", "data": {"sessionId": "s"}, "id": "e1"}
{"type": "user.said", "data": {"content": "Step 1"}, "id": "e2"}"#,
    ];
    for text in files {
        let (_, reader) = read(Container::default(), text.as_bytes());
        let choice = reader.choice().expect("it is something");
        assert_eq!(choice.about.name, "plain", "{}: {text}", choice.reason);
    }
}

#[test]
fn samples_and_cases_of_dialects_are_plain_text() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut folders = vec![root.join("samples"), root.join("tests/data")];
    let mut count = 0;
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("the folder exists") {
            let path = entry.expect("readable").path();
            if path.is_dir() {
                if !path.ends_with("containers") {
                    folders.push(path);
                }
                continue;
            }
            let bytes = fs::read(&path).expect("readable");
            let (batch, reader) = read(Container::default(), &bytes);
            let choice = reader.choice().expect("a whole file is something");
            assert_eq!(choice.about.name, "plain", "{}: {}", path.display(), choice.reason);
            assert_eq!(batch.text, bytes, "{}", path.display());
            count += 1;
        }
    }
    assert!(count > 200, "only {count} files were looked at");
}

#[test]
fn cuts_make_no_difference() {
    for (kind, name, bytes) in samples() {
        let (whole, reader) = read(Container::default(), &bytes);
        let mut seed = 7_u64;
        let random = move || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            usize::try_from(seed >> 33).expect("31 bits") % 300 + 1
        };
        let cuts: [Box<dyn FnMut() -> usize>; 4] = [Box::new(|| 1), Box::new(|| 7), Box::new(|| 100), Box::new(random)];
        for mut cut in cuts {
            let mut pieces = ContainerReader::new(Container::default());
            let mut batch = Batch::default();
            let mut rest = bytes.as_slice();
            while !rest.is_empty() {
                let (head, tail) = rest.split_at(cut().min(rest.len()));
                add(&mut batch, pieces.push(head));
                assert!(pieces.pending().end == bytes.len() - tail.len(), "{kind}/{name}");
                rest = tail;
            }
            add(&mut batch, pieces.finish());
            assert_eq!(batch, whole, "{kind}/{name}");
            assert_eq!(pieces.map(), reader.map(), "{kind}/{name}");
            assert_eq!(pieces.choice(), reader.choice(), "{kind}/{name}");
        }
    }
}

pub fn add(batch: &mut Batch, more: Batch) {
    batch.text.extend(more.text);
    batch.events.extend(more.events);
}

#[test]
fn no_prefix_of_a_sample_is_too_much() {
    for (kind, name, bytes) in samples() {
        for end in (0..bytes.len()).step_by(11) {
            let (batch, reader) = read(Container::default(), &bytes[..end]);
            tiles(&format!("{kind}/{name} up to {end}"), &batch);
            assert!(reader.pending().end <= end);
        }
    }
}

#[test]
fn nothing_in_a_file_is_too_odd() {
    let mut seed = 11_u64;
    let mut random = move |below: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(seed >> 33).expect("31 bits") % below.max(1)
    };
    let odd: [&[u8]; 12] = [b"\"", b"{", b"}", b"[", b"]", b"\\", b"\n", b"\n\n", b"\xff", b"null", b"\\ud83d", b"\r"];
    for (kind, name, bytes) in samples() {
        for round in 0..60 {
            let mut file = bytes.clone();
            for _ in 0..=random(4) {
                let at = random(file.len());
                let end = (at + random(40)).min(file.len());
                match random(3) {
                    0 => drop(file.splice(at..end, [])),
                    1 => drop(file.splice(at..at, odd[random(odd.len())].iter().copied())),
                    _ => {
                        let copy = file[at..end].to_vec();
                        let to = random(file.len());
                        drop(file.splice(to..to, copy));
                    }
                }
            }
            let asked = Container::named(&kind).expect("folders are named after containers");
            let (batch, reader) = read(asked, &file);
            tiles(&format!("{kind}/{name} changed {round} times"), &batch);
            assert_eq!(reader.map().len(), batch.text.len());
            let cut = random(file.len());
            let mut pieces = ContainerReader::new(asked);
            let mut parts = pieces.push(&file[..cut]);
            add(&mut parts, pieces.push(&file[cut..]));
            add(&mut parts, pieces.finish());
            assert_eq!(parts, batch, "{kind}/{name} changed {round} times, cut at {cut}");
        }
    }
}

#[test]
fn every_byte_of_the_text_leads_to_bytes_that_say_it() {
    for (kind, name, bytes) in samples() {
        let (batch, reader) = read(Container::default(), &bytes);
        let place = format!("{kind}/{name}");
        tiles(&place, &batch);
        assert_eq!(reader.map().len(), batch.text.len(), "{place}");
        for segment in reader.map().segments(Span::new(0, batch.text.len())) {
            let said = &batch.text[segment.decoded.start..segment.decoded.end];
            let source = &bytes[segment.source.start..segment.source.end];
            let fine = match segment.kind {
                SegmentKind::Copied => said == source,
                SegmentKind::Written => says(source, said),
                SegmentKind::Added => source.is_empty(),
            };
            let shown = (String::from_utf8_lossy(said), String::from_utf8_lossy(source));
            assert!(fine, "{place}: {:?} {:?} is {:?}", segment.kind, shown.0, shown.1);
            // And back, to the first byte that was decoded from there.
            if segment.kind == SegmentKind::Copied {
                let back = reader.map().decoded_at(segment.source.start).expect("it was decoded");
                assert_eq!(batch.text[back], bytes[segment.source.start], "{place}");
            }
        }
    }
}

#[test]
fn every_item_and_every_value_leads_to_the_bytes_that_say_it() {
    let mut faults = Vec::new();
    let mut count = 0;
    for (kind, name, bytes) in samples() {
        let (batch, reader) = read(Container::default(), &bytes);
        let session = Session::read(&bytes, &Options::default());
        if !session.is_decoded() {
            continue;
        }
        for (number, item) in session.document().items().iter().enumerate() {
            let dissected = session.dissect(number);
            let nodes = dissected.iter().flat_map(|assembly| {
                let nodes = assembly.tree.walk().map(|(id, _)| assembly.tree.node(id));
                nodes.filter_map(|node| if let Value::Scalar(_, span) = node.value { Some(span) } else { None })
            });
            for span in std::iter::once(item.span()).chain(nodes) {
                count += 1;
                let source = session.source_of(span);
                let standing = reader.map().segments(span).filter(|part| part.kind != SegmentKind::Added);
                let parts: Vec<_> = standing.collect();
                let fault = |what: &str| {
                    let said = String::from_utf8_lossy(&batch.text[span.start..span.end]).into_owned();
                    let written = String::from_utf8_lossy(&bytes[source.start..source.end]).into_owned();
                    format!("{kind}/{name} {span:?} {said:?}: {what} {written:?}")
                };
                let whole = parts.iter().map(|part| part.source).reduce(Span::cover);
                if whole.is_some_and(|whole| whole != source) || (whole.is_none() && !source.is_empty()) {
                    faults.push(fault("is not"));
                }
                // A text that is contiguous in the file is the same there.
                let is_one = parts.windows(2).all(|two| two[0].source.end == two[1].source.start);
                let said: Vec<u8> =
                    parts.iter().flat_map(|part| &batch.text[part.decoded.start..part.decoded.end]).copied().collect();
                if is_one && !said.is_empty() && !says(&bytes[source.start..source.end], &said) {
                    faults.push(fault("does not say"));
                }
            }
        }
    }
    assert!(faults.is_empty(), "{} of {count}:\n{}", faults.len(), faults.join("\n"));
    assert!(count > 800, "only {count} places were looked at");
}

/// A call by its name and its id, as written in `text`.
fn of_call(call: &NativeCall, text: &[u8]) -> String {
    let word = |word: &CallString| match &word.decoded {
        Some(decoded) => format!("{decoded} (with escapes)"),
        None => String::from_utf8_lossy(&text[word.span.start..word.span.end]).into_owned(),
    };
    let id = call.id.as_ref().map_or_else(String::new, |id| format!(" {}", word(id)));
    let outcome = call.outcome.map_or_else(String::new, |outcome| format!(" {outcome:?}").to_lowercase());
    format!("Call {}{id}{outcome}", word(&call.name))
}

/// A fact without the fields that the file does not state.
fn stated(fact: &Fact) -> String {
    let mut text = format!("{fact:?}");
    for nothing in ["None", "false", "Request", "Recorded"] {
        while let Some(end) = text.find(&format!(": {nothing}, ")).or_else(|| text.find(&format!(": {nothing} }}"))) {
            let start = text[..end].rfind([' ', '{']).map_or(0, |before| before + 1);
            let behind =
                end + 2 + nothing.len() + if text[end + 2 + nothing.len()..].starts_with(", ") { 2 } else { 0 };
            text.replace_range(start..behind, "");
        }
    }
    text
}

/// Everything that is read from a file, as text.
fn describe(batch: &Batch) -> String {
    let mut out = String::new();
    let mut begun = 0;
    for event in &batch.events {
        let _ = match event {
            ContainerEvent::Record { .. } => Ok(()),
            ContainerEvent::Conversation { title } => {
                writeln!(out, "conversation {}", title.as_deref().unwrap_or_default())
            }
            ContainerEvent::Message(message) => {
                let Message {
                    start,
                    role,
                    time,
                    model,
                    id,
                    parent,
                    is_outside: aside,
                    is_continuation: goes_on,
                    origin,
                    label,
                } = message;
                let told = [("at", time), ("by", model), ("id", id), ("after", parent), ("named", label)];
                let told: Vec<String> =
                    told.iter().filter_map(|(word, value)| Some(format!(" {word} {}", value.as_deref()?))).collect();
                let role = role.map_or_else(|| "nobody".to_owned(), |role| format!("{role:?}").to_lowercase());
                let aside = if *aside { " aside" } else { "" };
                let goes_on = if *goes_on { " goes on" } else { "" };
                let origin = if *origin == Origin::Unsaid { String::new() } else { format!(" {origin:?}") };
                writeln!(out, "{start} {role}{}{aside}{goes_on}{origin}", told.concat())
            }
            ContainerEvent::Time(time) => writeln!(out, "  time {time}"),
            ContainerEvent::Link { id, parent } => {
                writeln!(out, "  link {id} after {}", parent.as_deref().unwrap_or("nothing"))
            }
            ContainerEvent::Active(id) => writeln!(out, "  active path to {id}"),
            ContainerEvent::Begin { part: piece, start } => {
                begun = *start;
                match piece {
                    MessagePart::Call(call) => write!(out, "  {start} {}", of_call(call, &batch.text[begun..])),
                    piece => write!(out, "  {start} {piece:?}"),
                }
            }
            ContainerEvent::End { end } => writeln!(out, " {:?}", String::from_utf8_lossy(&batch.text[begun..*end])),
            ContainerEvent::AnswersNothing => writeln!(out, "  answers nothing"),
            ContainerEvent::Answers(call) => {
                writeln!(out, "  answers {}", call.map_or_else(|| "no call".to_owned(), |call| call.to_string()))
            }
            ContainerEvent::SessionId(id) => writeln!(out, "  session {id}"),
            ContainerEvent::CallIds(prefix) => writeln!(out, "  ids from {prefix}1 on"),
            ContainerEvent::Step(start) => writeln!(out, "  {start} step"),
            ContainerEvent::Replaced { start, is_result, .. } => {
                writeln!(out, "  {} at {start} replaced", if *is_result { "result" } else { "call" })
            }
            ContainerEvent::Withdrawn(span) => writeln!(out, "  withdrawn {}..{}", span.start, span.end),
            ContainerEvent::Fact(fact) => writeln!(out, "  fact {}", stated(fact)),
            ContainerEvent::Problem { diagnostic, source } => {
                let (code, weight) = (diagnostic.code.name(), diagnostic.severity.word());
                writeln!(out, "\n  {weight} {code} in {}..{}: {}", source.start, source.end, diagnostic.message)
            }
        };
    }
    out
}
