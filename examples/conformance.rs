//! Counts the recorded outcomes of the runtimes' parsers that the profiles reproduce, and shows the other ones.
//!
//! ```text
//! cargo run --example conformance -- [--profiles DIR] [--show N] [--only RUNTIME[:PARSER]] [--streamed | --server] [--without-ids] FILE…
//! ```
//!
//! `DIR` replaces the built-in profiles, so that changes can be tried without a rebuild. `--streamed` counts the
//! outcomes of texts that arrived in chunks, `--server` what clients received. The release of a row (`version`, as the
//! runtime or as `runtimes.yaml` names it) selects the profile; if it is not recorded, the oldest one. With
//! `--without-ids`, ids of calls are not compared in rows that have none.

#![allow(clippy::print_stdout)]

#[path = "../tests/shared/recorded_outcome.rs"]
mod recorded_outcome;

use std::collections::{BTreeMap, HashSet};
use std::path::PathBuf;

use serde_json::Value as Json;
use transcope::runtime::profile::{Profile, parse_defaults, parse_file};
use transcope::runtime::release::Release;
use transcope::runtime::{Outcome, RuntimeReading, ToolRequest, catalog, read, read_served, read_streamed};
use transcope::value::tools::ToolSet;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let (mut show, mut only, mut directory, mut files) = (0, None, None, Vec::new());
    let (mut streamed, mut server, mut without_ids) = (false, false, false);
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--show" => show = arguments.next().ok_or("--show N")?.parse()?,
            "--only" => only = arguments.next(),
            "--profiles" => directory = arguments.next().map(PathBuf::from),
            "--streamed" => streamed = true,
            "--server" => server = true,
            "--without-ids" => without_ids = true,
            _ => files.push(argument),
        }
    }
    let (mut total, mut reproduced) = (0, 0);
    for file in files {
        let path = PathBuf::from(&file);
        let dialect = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default().to_owned();
        let own;
        let profiles: &[Profile] = match &directory {
            Some(directory) => {
                let defaults = parse_defaults(&std::fs::read_to_string(directory.join("../runtimes.yaml"))?)?;
                let source = std::fs::read_to_string(directory.join(format!("{dialect}.yaml"))).unwrap_or_default();
                own = if source.is_empty() { Vec::new() } else { parse_file(&source, &defaults)? };
                &own
            }
            None => catalog::all_releases(&dialect),
        };
        let mut counts: BTreeMap<String, (usize, usize)> = BTreeMap::new();
        let mut shown: BTreeMap<String, usize> = BTreeMap::new();
        let lines = std::fs::read_to_string(&path)?;
        let lines = lines.lines().map(serde_json::from_str).collect::<Result<Vec<Json>, _>>()?;
        let pieces: HashSet<&str> =
            lines.iter().filter(|line| is_in_pieces(line)).filter_map(|line| line["id"].as_str()).collect();
        for json in &lines {
            // A text has a separate line for chunks only if they were tried and make a difference.
            let id = json["id"].as_str().unwrap_or_default();
            let differs = pieces.contains(format!("{id}/stream").as_str());
            let tried = matches!(json["runtime"].as_str(), Some("vllm" | "sglang"));
            if is_in_pieces(json) != streamed && (!streamed || differs || !tried) {
                continue;
            }
            let Some(recorded) = Recorded::from_json(json) else { continue };
            let (runtime, parser) = &recorded.runner;
            let version = json["version"].as_str().map_or_else(String::new, |version| format!("@{version}"));
            let (wanted, name) = (format!("{runtime}:{parser}"), format!("{runtime}{version}:{parser}"));
            if only.as_ref().is_some_and(|only| *only != wanted && only != runtime) {
                continue;
            }
            let count = counts.entry(name.clone()).or_default();
            count.1 += 1;
            let mut named = profiles.iter().filter(|p| p.runtime == *runtime && p.parsers.contains(parser));
            let is_of =
                |profile: &&Profile| profile.releases.iter().any(|release| is_version(&json["version"], release));
            let profile = named.clone().find(is_of).or_else(|| named.next_back());
            let tools = recorded.tools.as_deref().map(ToolSet::from_list);
            let request = ToolRequest { tools, ..ToolRequest::default() };
            let reading = profile.map(|profile| {
                let of_server = server.then(|| read_served(profile, parser, &recorded.text, &request)).flatten();
                let in_pieces = streamed.then(|| read_streamed(profile, &recorded.text, &request)).flatten();
                in_pieces.or(of_server).unwrap_or_else(|| read(profile, &recorded.text, &request))
            });
            // Trailing and leading whitespace of content does not count as a difference.
            let (mut recorded, mut reading) = (recorded, reading);
            if streamed && !is_in_pieces(json) {
                recorded
                    .expected
                    .iter_mut()
                    .for_each(|expected| expected["content"] = trimmed(expected["content"].as_str()).into());
                if let Some(reading) = &mut reading {
                    reading.outcome.content = trimmed(reading.outcome.content.as_deref());
                }
            }
            if let (Some(reading), true) = (&mut reading, without_ids && !has_ids(json)) {
                reading.outcome.calls.iter_mut().for_each(|call| call.id = None);
            }
            if reading.as_ref().is_some_and(|reading| recorded.is_reproduced_by(&reading.outcome)) {
                count.0 += 1;
                continue;
            }
            let shown = shown.entry(name).or_default();
            *shown += 1;
            if *shown <= show
                && let Some(reading) = reading
            {
                print_difference(json, &recorded, &reading)?;
            }
        }
        for (name, (same, all)) in &counts {
            println!("{dialect:18} {name:60} {same:4} of {all:4}  {:3} %", same * 100 / all.max(&1));
            total += all;
            reproduced += same;
        }
    }
    println!("{reproduced} of {total}, {:.1} %", reproduced as f64 * 100.0 / total.max(1) as f64);
    Ok(())
}

/// Prints a text, its tools, and both outcomes with the reasons for ours.
fn print_difference(json: &Json, recorded: &Recorded, reading: &RuntimeReading) -> serde_json::Result<()> {
    println!("-- {}\n   text {}", recorded.id, serde_json::to_string(&recorded.text)?);
    println!("   tools {}", json.get("schema").map_or_else(String::new, short));
    println!("   is   {}", recorded.expected.as_ref().map_or_else(|| json["error"].to_string(), Json::to_string));
    println!("   ours {}", serde_json::to_string(&reading.outcome)?);
    println!("   why  {:?}", reading.reasons);
    Ok(())
}

/// True if a line is about a text that arrived in chunks.
fn is_in_pieces(line: &Json) -> bool {
    line["stream"] == true
}

/// True if a row names this release: `llama-cpp-python 0.3.36` is `python-0.3.36`.
fn is_version(version: &Json, release: &Release) -> bool {
    let Some(version) = version.as_str() else { return false };
    let plain = version.trim_start_matches("llama-cpp-").trim_start_matches("transformers ").replace(" + ", "+");
    let plain = if plain.starts_with("python ") { plain.replace(' ', "-") } else { plain.replace(' ', "") };
    plain == release.version
}

/// True if a recorded call has an id.
fn has_ids(row: &Json) -> bool {
    row["expect"]["calls"].as_array().is_some_and(|calls| calls.iter().any(|call| !call["id"].is_null()))
}

/// A text without whitespace at its ends, or `None` if nothing is left.
fn trimmed(text: Option<&str>) -> Option<String> {
    text.map(str::trim).filter(|text| !text.is_empty()).map(str::to_owned)
}

/// A short description of the tools of a request.
fn short(tools: &Json) -> String {
    let Some(tools) = tools.as_array() else { return "none".to_owned() };
    let one = |tool: &Json| {
        let function = tool.get("function").unwrap_or(tool);
        format!("{} {}", function["name"], function["parameters"]["properties"])
    };
    tools.iter().map(one).collect::<Vec<_>>().join("; ")
}

/// The recorded outcome of a parser.
#[derive(Clone, Debug)]
struct Recorded {
    /// Dialect, runtime, parser and case: `hermes/vllm/hermes/one`.
    id: String,
    /// The runtime and the parser.
    runner: (String, String),
    /// The whole text of the message.
    text: String,
    /// The tools of the request, in the format of the OpenAI API.
    tools: Option<Vec<Json>>,
    /// Content, reasoning and calls; `None` if the parser raised.
    expected: Option<Json>,
}

impl Recorded {
    /// Parses a line of a file; `None` if it is not a record.
    fn from_json(line: &Json) -> Option<Self> {
        let text = |key: &str| line.get(key).and_then(Json::as_str).map(str::to_owned);
        Some(Self {
            id: text("id")?,
            runner: (text("runtime")?, text("parser")?),
            text: text("text")?,
            tools: line.get("schema").and_then(Json::as_array).cloned(),
            expected: line.get("expect").filter(|expected| !expected.is_null()).cloned(),
        })
    }

    /// True if an outcome has the same content, reasoning and calls, or raised too, whatever the message.
    fn is_reproduced_by(&self, outcome: &Outcome) -> bool {
        recorded_outcome::is_same(self.expected.as_ref(), outcome)
    }
}
