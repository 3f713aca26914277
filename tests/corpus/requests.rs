//! Outcomes of parsers under settings of the request, written by hand from the sources that `runtimes.yaml` names.

use serde::Deserialize;
use serde_json::{Value as Json, json};
use transcope::runtime::{RequestSettings, RuntimeName, ToolChoice, ToolRequest, catalog, read_answer};
use transcope::value::tools::ToolSet;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RequestCase {
    text: String,
    /// Special tokens of the model, if they are known.
    special: Option<Vec<String>>,
    rows: Vec<RequestRow>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RequestRow {
    parser: String,
    #[serde(default)]
    settings: String,
    #[serde(default)]
    calls: Vec<Json>,
    content: Option<String>,
    reasoning: Option<String>,
    #[serde(default)]
    error: bool,
    /// Settings that matter, as `NAME VALUE EFFECT`.
    #[serde(default)]
    matter: Vec<String>,
    /// True if the effects were not read in the sources of the release.
    #[serde(default)]
    approximate: bool,
}

#[test]
fn settings_of_the_request_have_the_effects_that_the_sources_state() {
    let cases: Vec<RequestCase> =
        serde_yaml::from_str(include_str!("../data/requests.yaml")).expect("the cases are right");
    let tools = json!([
        {"type": "function", "function": {"name": "ping", "parameters": {"type": "object", "properties": {}}}},
        {"type": "function", "function": {"name": "add", "parameters": {"type": "object", "properties": {"a": {"type": "integer"}}}}},
    ]);
    let tools = ToolSet::from_list(tools.as_array().expect("a list"));
    for RequestCase { text, special, rows } in &cases {
        for row in rows {
            let name: RuntimeName = row.parser.parse().expect("a parser");
            let names = [name];
            let mut found = catalog::dialects().flat_map(|dialect| catalog::named(dialect, &names));
            let parser = found.next().expect("the parser is known");
            let mut settings = settings_of(&row.settings);
            settings.special_tokens = special.clone().map(Into::into);
            let request = ToolRequest { settings, ..ToolRequest::with(tools.clone()) };
            let answer = read_answer(&parser, text, &request);
            let outcome = &answer.reading.outcome;
            let calls = outcome.calls.iter().map(|call| json!([call.name, call.arguments.to_json()]));
            let what = format!("{} {} of {text:?}", row.parser, row.settings);
            assert_eq!(calls.collect::<Vec<_>>(), row.calls, "calls: {what}");
            assert_eq!(outcome.content, row.content, "content: {what}");
            assert_eq!(outcome.reasoning, row.reasoning, "reasoning: {what}");
            assert_eq!(outcome.error.is_some(), row.error, "error: {what}");
            let matter = answer.settings.iter();
            let matter = matter.map(|one| format!("{} {} {}", one.name.name(), one.value, one.effect.name()));
            assert_eq!(matter.collect::<Vec<_>>(), row.matter, "settings: {what}");
            assert_eq!(!answer.is_certain, row.approximate, "sources: {what}");
            for call in &outcome.calls {
                let place = call.name_place.span().expect("a name is in the text");
                assert_eq!(Some(&text[place.start..place.end]), call.name.as_deref(), "place: {what}");
            }
        }
    }
}

/// Settings as the cases write them: `tool_choice=none thinking=on`.
fn settings_of(words: &str) -> RequestSettings {
    let mut settings = RequestSettings::default();
    for word in words.split_whitespace() {
        let (name, value) = word.split_once('=').expect("a name and a value");
        let switch = match value {
            "on" => Some(true),
            "off" => Some(false),
            _ => None,
        };
        match name {
            "tool_choice" => {
                let choices = [ToolChoice::Auto, ToolChoice::Required, ToolChoice::None];
                settings.tool_choice = choices.into_iter().find(|choice| choice.name() == value);
                assert!(settings.tool_choice.is_some(), "{word}");
            }
            "reasoning_format" => settings.reasoning_format = Some(value.to_owned()),
            name => {
                assert!(switch.is_some(), "{word}");
                let field = match name {
                    "parallel_tool_calls" => &mut settings.parallel_tool_calls,
                    "skip_special_tokens" => &mut settings.skip_special_tokens,
                    "thinking" => &mut settings.thinking,
                    other => panic!("unknown setting {other}"),
                };
                *field = switch;
            }
        }
    }
    settings
}
