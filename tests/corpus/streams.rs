//! Counts how many recorded streams of vLLM's and SGLang's parsers the profiles reproduce.
//!
//! The first line of `tests/vectors/streams.jsonl` has the lists of tools; every other line is a text, the lengths of the
//! pieces in which it arrived, and the deltas of each parser: `[piece, kind, text]`, or `[piece, kind, call, text]`. They
//! were obtained by running the streaming parsers of vLLM 0.33.0 and SGLang 0.5.23.
//!
//! The counts are written into `crates/syntax/src/runtime/streams.tsv`, which the program shows.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use serde_json::Value;
use transcope::runtime::{DeltaPart, RuntimeName, ToolRequest, catalog, read_in_pieces};
use transcope::value::tools::ToolSet;

/// Least percentages of all streams whose sum, and whose deltas, are reproduced.
const LEAST: [usize; 2] = [85, 75];

/// A delta: its piece, kind, call and text.
type Step = (usize, String, usize, String);

#[test]
fn the_table_of_streams_says_what_is_reproduced() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let file = fs::read_to_string(root.join("tests/vectors/streams.jsonl")).expect("the streams are there");
    let mut lines = file.lines().map(|line| serde_json::from_str::<Value>(line).expect("a line is JSON"));
    let head = lines.next().expect("the tools are first");
    let mut counts: BTreeMap<[String; 3], [usize; 3]> = BTreeMap::new();
    for line in lines {
        let (dialect, text) = (line["dialect"].as_str().expect("a dialect"), line["text"].as_str().expect("a text"));
        let tools = line["tools"].as_str().and_then(|name| head["tools"][name].as_array());
        let request = tools.map(|tools| ToolRequest::with(ToolSet::from_list(tools))).unwrap_or_default();
        let mut end = 0;
        let mut ends = Vec::new();
        for length in line["pieces"].as_array().into_iter().flatten().filter_map(Value::as_u64) {
            end += usize::try_from(length).expect("a length");
            ends.push(end);
        }
        for (who, recorded) in line["streams"].as_object().into_iter().flatten() {
            let name: RuntimeName = who.parse().expect(who);
            let Some(parser) = catalog::named(dialect, std::slice::from_ref(&name)).next() else { continue };
            let stream = read_in_pieces(parser.profile, text, &request, &ends);
            let read = joined(stream.deltas.into_iter().map(|delta| step(delta.piece, delta.part)));
            let recorded = joined(recorded.as_array().into_iter().flatten().map(recorded_step));
            let key = [dialect, &name.runtime, parser.parser].map(str::to_owned);
            let count = counts.entry(key).or_default();
            count[0] += usize::from(sum(&read) == sum(&recorded));
            count[1] += usize::from(visible(&read) == visible(&recorded));
            count[2] += 1;
        }
    }
    let mut table = "dialect\truntime\tparser\tsums\tdeltas\trecorded\n".to_owned();
    let mut all = [0; 3];
    for ([dialect, runtime, parser], count) in &counts {
        let [sums, deltas, recorded] = count;
        let _ = writeln!(table, "{dialect}\t{runtime}\t{parser}\t{sums}\t{deltas}\t{recorded}");
        all = [0, 1, 2].map(|at| all[at] + count[at]);
    }
    let path = root.join("crates/syntax/src/runtime/streams.tsv");
    if std::env::var_os("INSTA_UPDATE").is_some_and(|value| value == "always") {
        fs::write(&path, &table).expect("the table can be written");
    }
    let written = fs::read_to_string(&path).expect("the table is there");
    assert_eq!(written, table, "write the table: INSTA_UPDATE=always cargo test --test corpus streams");
    assert!(all[2] > 400 && all[0] * 100 >= all[2] * LEAST[0] && all[1] * 100 >= all[2] * LEAST[1], "{all:?}");
}

fn step(piece: usize, part: DeltaPart) -> Step {
    let (kind, call, text) = match part {
        DeltaPart::Content(text) => ("content", 0, text),
        DeltaPart::Reasoning(text) => ("reasoning", 0, text),
        DeltaPart::Name(call, text) => ("name", call, text),
        DeltaPart::Arguments(call, text) => ("arguments", call, text),
        // The kind of an exception does not matter.
        DeltaPart::Error(_) => ("error", 0, String::new()),
    };
    (piece, kind.to_owned(), call, text)
}

fn recorded_step(delta: &Value) -> Step {
    let fields = delta.as_array().expect("a delta is a list");
    let number = |at: usize| fields[at].as_u64().map_or(0, |number| usize::try_from(number).expect("a number"));
    let kind = fields[1].as_str().expect("a kind").to_owned();
    let text = fields[fields.len() - 1].as_str().filter(|_| kind != "error").unwrap_or_default().to_owned();
    (number(0), kind, if fields.len() > 3 { number(2) } else { 0 }, text)
}

/// Joins parts of one kind that are sent after the same piece.
fn joined(steps: impl Iterator<Item = Step>) -> Vec<Step> {
    let mut out: Vec<Step> = Vec::new();
    for step in steps {
        match out.last_mut() {
            Some(last) if (last.0, &last.1, last.2) == (step.0, &step.1, step.2) && step.1 != "name" => {
                last.3.push_str(&step.3);
            }
            _ => out.push(step),
        }
    }
    out
}

/// The deltas without white space at the ends of the content.
fn visible(steps: &[Step]) -> Vec<Step> {
    let mut out = steps.to_vec();
    for step in out.iter_mut().filter(|step| step.1 == "content") {
        step.3 = step.3.trim().to_owned();
    }
    out.retain(|step| step.1 != "content" || !step.3.is_empty());
    out
}

/// Content without white space at its ends, reasoning, calls with parsed arguments, and whether an error is sent.
fn sum(steps: &[Step]) -> Value {
    let text = |kind: &str| steps.iter().filter(|step| step.1 == kind).map(|step| step.3.as_str()).collect::<String>();
    let calls = steps.iter().filter(|step| step.1 == "name" || step.1 == "arguments").map(|step| step.2 + 1).max();
    let of_call = |call: usize, kind: &str| {
        let parts = steps.iter().filter(|step| step.2 == call && step.1 == kind);
        parts.map(|step| step.3.as_str()).collect::<String>()
    };
    let call = |call: usize| {
        let arguments = of_call(call, "arguments");
        let arguments = serde_json::from_str(&arguments).unwrap_or(Value::String(arguments));
        serde_json::json!([of_call(call, "name"), arguments])
    };
    let calls: Vec<Value> = (0..calls.unwrap_or(0)).map(call).collect();
    let is_error = steps.iter().any(|step| step.1 == "error");
    serde_json::json!([text("content").trim(), text("reasoning"), calls, is_error])
}
