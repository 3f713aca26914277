//! The calls that chat templates write, read by the parsers of runtimes: how many are exact, and why none is.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use transcope::template::RenderOptions;
use transcope::template::roundtrip::{
    ParserKind, ProbeRoundTrip, ROUND_TRIP_PROBES, TurnParsers, TurnReading, round_trip_probes,
};
use transcope::template::source::{ChatTemplate, TemplateSet};

use super::snapshot;

/// Templates that write a call of the probe `single`, and the fewest of them that a parser must read.
const SINGLE: (usize, usize) = (39, 37);

fn trips(name: &str, source: &str, parsers: &TurnParsers) -> Vec<ProbeRoundTrip> {
    let set = TemplateSet::from_file(name, source.as_bytes()).expect("it is a template");
    let options = RenderOptions { now: Some("2026-11-23T12:00".parse().expect("a time")), ..RenderOptions::default() };
    let template = ChatTemplate::new("default", name, source);
    round_trip_probes(&template, &set.usual_tokens(), &options, &[], parsers).expect("it is valid")
}

/// Parsers that read the calls, of all.
fn count(reading: &TurnReading) -> String {
    let exact = reading.of_runtimes().filter(|verdict| verdict.reads_calls()).count();
    format!("{exact}/{}", reading.of_runtimes().count())
}

#[test]
fn parsers_read_the_calls_that_templates_write() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/templates/t");
    let mut sources: BTreeMap<String, String> = BTreeMap::new();
    for entry in fs::read_dir(folder).expect("the folder exists") {
        let path = entry.expect("readable").path();
        let name = path.file_stem().expect("a plain name").to_string_lossy().into_owned();
        sources.insert(name, fs::read_to_string(&path).expect("a template can be read"));
    }
    let mut table = format!("template: {}\n", ROUND_TRIP_PROBES.join(" "));
    let (mut written, mut read) = (0, 0);
    for (name, source) in &sources {
        let trips = trips(name, source, &TurnParsers::default());
        let shows = |trip: &ProbeRoundTrip| trip.outcome.as_ref().is_ok_and(TurnReading::shows_calls);
        if !trips.iter().any(shows) {
            continue;
        }
        written += usize::from(shows(&trips[0]));
        read += usize::from(shows(&trips[0]) && !trips[0].is_unreadable());
        let cells: Vec<String> = trips
            .iter()
            .map(|trip| match &trip.outcome {
                Err(_) => "raises".to_owned(),
                Ok(reading) if !reading.shows_calls() => "-".to_owned(),
                Ok(reading) => count(reading),
            })
            .collect();
        writeln!(table, "{name}: {}", cells.join(" ")).expect("a string can be written");
        for trip in &trips {
            if let Some(reason) = trip.outcome.as_ref().ok().and_then(TurnReading::unreadable_reason) {
                writeln!(table, "    {}: {reason}", trip.probe).expect("a string can be written");
            }
        }
    }
    assert!(written >= SINGLE.0 && read >= SINGLE.1, "{read} of {written} templates are read");
    snapshot::matches("", "roundtrip", &table);
}

#[test]
fn the_parser_of_the_directory_comes_first() {
    let source = "{% for m in messages %}<|{{ m.role }}|>{{ m.content or '' }}\
                  {% for c in m.tool_calls or [] %}<call>{\"name\": {{ c.function.name | tojson }}, \
                  \"arguments\": {{ c.function.arguments | tojson }}}</call>{% endfor %}<|end|>{% endfor %}\
                  {% if add_generation_prompt %}<|assistant|>{% endif %}";
    let config = r#"{"response_template": {"start_anchor": "<|assistant|>", "fields": {
        "tool_calls": {"open": "<call>", "close": "</call>", "repeats": true, "content": "json",
            "transform": {"type": "function", "function": "{content}"}}}}}"#;
    let declared = TurnParsers::declared_in(config).expect("it is valid").expect("it has one");
    let parsers = TurnParsers { declared: Some(declared), ..TurnParsers::default() };
    let trips = trips("chat.jinja", source, &parsers);
    let reading = trips[0].outcome.as_ref().expect("it renders");
    assert_eq!(
        reading.turn.text(),
        "<call>{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Paris\", \"days\": 2}}</call>"
    );
    assert_eq!(reading.parsers[0].kind, ParserKind::Declared);
    assert!(reading.parsers[0].reads_calls(), "{:?}", reading.parsers[0].differences);
    assert!(TurnParsers::declared_in(r#"{"response_template": 3}"#).is_err());
    assert!(TurnParsers::declared_in("{}").is_ok_and(|declared| declared.is_none()));
}
