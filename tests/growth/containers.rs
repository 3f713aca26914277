//! Every container: a sample with its records repeated four times as often takes at most five times as many steps.
//!
//! The records are the lines or events of a file, or the elements of the largest array in one JSON value. They are
//! repeated each in place, and all in turn.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;
use transcope::container::{Container, REGISTRY};
use transcope::dialect::Options;
use transcope::export::json;
use transcope::redact::{OwnPatterns, Redactor};
use transcope::session::Session;

use super::figures::{self, Promise};
use super::work::Sink;
use super::{OF_THREAD, grows_too_fast, growth};

/// Bytes of the smaller file.
const SIZE: usize = 6_000;

/// Containers without samples, and why.
const WITHOUT_SAMPLES: &[(&str, &str)] = &[("llmist-response", "only its name tells it from plain text")];

/// How records are repeated.
#[derive(Clone, Copy, Debug)]
enum Order {
    /// a, a, b, b
    EachInPlace,
    /// a, b, a, b
    AllInTurn,
}

impl Order {
    fn repeat<T: Clone>(self, records: &[T], times: usize) -> Vec<T> {
        match self {
            Order::EachInPlace => {
                records.iter().flat_map(|record| std::iter::repeat_n(record, times)).cloned().collect()
            }
            Order::AllInTurn => std::iter::repeat_n(records, times).flatten().cloned().collect(),
        }
    }
}

#[test]
fn every_container_takes_at_most_five_times_as_many_steps_for_four_times_as_many_records() {
    let (mut faults, mut tried) = (Vec::new(), 0);
    for about in REGISTRY.iter().copied() {
        let samples = samples(about.name);
        if samples.is_empty() && !WITHOUT_SAMPLES.iter().any(|(name, _)| *name == about.name) {
            faults.push(format!("{}: has no sample", about.name));
        }
        let container = Container::named(about.name).expect("it is in the registry");
        for (path, order) in samples.iter().flat_map(|path| [(path, Order::EachInPlace), (path, Order::AllInTurn)]) {
            let sample = fs::read_to_string(path).expect("a sample can be read");
            let times = SIZE.div_ceil(sample.len());
            let text = |n: usize| if n == 0 { String::new() } else { repeated(&sample, order, n * times) };
            let steps = growth(OF_THREAD, 1, |n| read(container, text(n).as_bytes()));
            tried += 1;
            if steps[0] == 0 || grows_too_fast(steps) {
                faults.push(format!(
                    "{} {order:?}: {} steps, {} for 4 times as much",
                    path.display(),
                    steps[0],
                    steps[1]
                ));
            }
        }
    }
    assert!(faults.is_empty(), "{} of {tried}:\n{}", faults.len(), faults.join("\n"));
    figures::tell(Promise::Growth, "containers' files", tried);
}

fn samples(container: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("samples/containers").join(container);
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("readable").path()).collect();
    paths.sort();
    paths
}

/// The sample with its records repeated.
fn repeated(sample: &str, order: Order, times: usize) -> String {
    if let Ok(mut value) = serde_json::from_str::<Value>(sample) {
        if let Some(pointer) = largest_array(&value) {
            let array = value.pointer_mut(&pointer).and_then(Value::as_array_mut).expect("it was found");
            *array = order.repeat(array, times);
            return value.to_string();
        }
        return order.repeat(&[sample], times).concat();
    }
    let is_events = sample.contains("\ndata:") || sample.starts_with("data:");
    let records: Vec<&str> = sample.split_inclusive(if is_events { "\n\n" } else { "\n" }).collect();
    order.repeat(&records, times).concat()
}

/// The pointer to the array that takes the most bytes.
fn largest_array(value: &Value) -> Option<String> {
    fn visit(value: &Value, pointer: &str, best: &mut Option<(usize, String)>) {
        match value {
            Value::Array(elements) => {
                let length = value.to_string().len();
                if elements.iter().any(Value::is_object) && best.as_ref().is_none_or(|(most, _)| length > *most) {
                    *best = Some((length, pointer.to_owned()));
                }
                elements.iter().enumerate().for_each(|(at, inner)| visit(inner, &format!("{pointer}/{at}"), best));
            }
            Value::Object(members) => {
                for (key, inner) in members {
                    let key = key.replace('~', "~0").replace('/', "~1");
                    visit(inner, &format!("{pointer}/{key}"), best);
                }
            }
            _ => {}
        }
    }
    let mut best = None;
    visit(value, "", &mut best);
    best.map(|(_, pointer)| pointer)
}

/// Reads a file, and writes it with and without private details.
fn read(container: Container, bytes: &[u8]) {
    let mut session = Session::new(container, &Options::default());
    session.push(bytes);
    session.finish();
    json::write_transcript(&mut Sink, &session, "a.txt", None, None).expect("a sink takes everything");
    let mut redactor = Redactor::new(&session, OwnPatterns::default());
    redactor.learn_file(&session);
    redactor.write_file(&session, &mut Sink).expect("a sink takes everything");
}
