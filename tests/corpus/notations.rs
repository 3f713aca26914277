//! Values that profiles read from notations that no runtime uses yet, with profiles made up for the purpose, and
//! outcomes written by hand.

use serde::Deserialize;
use serde_json::{Value as Json, json};
use transcope::runtime::profile::{parse_defaults, parse_file};
use transcope::runtime::{Profile, RuntimeReading, ToolRequest, read};
use transcope::text::Span;
use transcope::value::place::SourcePlace;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OutcomeCase {
    text: String,
    parser: String,
    content: Option<String>,
    #[serde(default)]
    calls: Vec<Json>,
}

fn profiles() -> Vec<Profile> {
    let runtimes = parse_defaults("r: {releases: [1 2026-01-01], checked: 2026-01-01}").expect("a runtime");
    parse_file(include_str!("../data/notations/pairs-profiles.yaml"), &runtimes).expect("the profiles are right")
}

/// The calls of an outcome in the format of the cases.
fn calls(reading: &RuntimeReading) -> Vec<Json> {
    let bytes = |place: &SourcePlace| match place {
        SourcePlace::At(Span { start, end }) => (*start, *end),
        other => panic!("not one token: {other:?}"),
    };
    let call = |call: &transcope::runtime::DeliveredCall| {
        let members = call.arguments.members().unwrap_or_default().iter().map(|member| {
            let ((key_start, key_end), (start, end)) = (bytes(&member.key_place), bytes(&member.value.place));
            json!([member.key, key_start, key_end, member.value.value.to_json(), start, end])
        });
        json!({ "name": call.name, "members": members.collect::<Vec<_>>() })
    };
    reading.outcome.calls.iter().map(call).collect()
}

#[test]
fn profiles_deliver_pairs_with_the_bytes_of_each_key_and_value() {
    let profiles = profiles();
    let cases: Vec<OutcomeCase> =
        serde_yaml::from_str(include_str!("../data/notations/pairs-outcomes.yaml")).expect("the cases are right");
    for case in &cases {
        let profile = profiles.iter().find(|profile| profile.parsers.contains(&case.parser)).expect("it is declared");
        let reading = read(profile, &case.text, &ToolRequest::default());
        assert_eq!(calls(&reading), case.calls, "{:?}", case.text);
        assert_eq!(reading.outcome.content.as_deref(), case.content.as_deref(), "{:?}", case.text);
    }
}

#[test]
fn values_of_a_text_that_is_cut_anywhere_are_in_it() {
    let cases: Vec<OutcomeCase> =
        serde_yaml::from_str(include_str!("../data/notations/pairs-outcomes.yaml")).expect("the cases are right");
    for profile in &profiles() {
        for OutcomeCase { text, .. } in &cases {
            for cut in (0..=text.len()).filter(|&cut| text.is_char_boundary(cut)) {
                let reading = read(profile, &text[..cut], &ToolRequest::default());
                for member in calls(&reading).iter().flat_map(|call| call["members"].as_array().into_iter().flatten()) {
                    let [key, key_start, key_end, _, start, end] = member.as_array().expect("a list").as_slice() else {
                        panic!("{member}");
                    };
                    let place = |offset: &Json| usize::try_from(offset.as_u64().expect("an offset")).expect("small");
                    assert_eq!(&json!(text[place(key_start)..place(key_end)]), key, "{text:?} cut at {cut}");
                    assert!(place(start) <= place(end) && place(end) <= cut, "{text:?} cut at {cut}");
                }
            }
        }
    }
}
